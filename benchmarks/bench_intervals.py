"""How fast are intervals for 100 agents x 2,000 items?

The straightforward way draws the items with NumPy, rebuilds the curves of all agents and reads them
off (`curves.merge` and `indicators`, themselves vectorised over agents), once per resample; the walk
of `resample` never builds a resampled table. Both see the same draws, and their capabilities are
compared before any time is. The default method needs no resampling and is timed beside them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.rows import Row, best_time, race
from gindex_lab.acc.curves import indicators, merge
from gindex_lab.uncertainty.coverage import Profile, simulate_profile
from gindex_lab.uncertainty.intervals import bootstrap_table, tie_groups
from gindex_lab.uncertainty.resample import counts_of_units, draws
from gindex_lab.uncertainty.samples import Sample, sample_of

__all__ = ["run"]


def run(
    agents: int = 100, items: int = 2_000, resamples: int = 2_000, by_hand: int = 40
) -> list[Row]:
    """Seconds of each way, and how many times faster than the straightforward one it is.

    >>> [row["ours"] > 0 for row in run(agents=3, items=30, resamples=100, by_hand=10)]
    [True, True, True]
    """
    profiles = [Profile(c, 0.15) for c in np.linspace(0.2, 0.8, agents)]
    study = simulate_profile(profiles, items, seed=1)
    sample = sample_of(study, (0.0, 1.0), "trapezoid", "items")
    # compile, or read the cache, outside the clock
    same = draws(sample, by_hand, np.random.default_rng(1))["capability"]
    assert np.allclose(same, _straightforward(sample, by_hand)), "the two ways disagree"
    slow = best_time(lambda: _straightforward(sample, by_hand), 1) * resamples / by_hand
    table = bootstrap_table(study, seed=1)
    ways: dict[str, Callable[[], object]] = {
        f"percentile, {resamples:,} resamples": lambda: draws(
            sample, resamples, np.random.default_rng(1)
        ),
        "studentised (the default)": lambda: bootstrap_table(study, seed=1),
        "tie groups, all pairs": lambda: tie_groups(table),
    }
    against = f"{resamples:,} resamples, table by table"
    note = f"the peer's time from {by_hand} resamples"
    return [race(name, best_time(way, 1), slow, against, note=note) for name, way in ways.items()]


def _straightforward(sample: Sample, resamples: int) -> np.ndarray:
    capabilities = []
    assert sample.difficulty is not None
    random = np.random.default_rng(1)
    for counts in counts_of_units(sample.units, resamples, random):
        for row in counts:
            drawn = np.repeat(np.arange(sample.units), row)
            levels, psi, _ = merge(sample.values[:, drawn], sample.difficulty[drawn])
            capabilities.append(indicators(levels, psi, sample.interval).capability)
    return np.array(capabilities)
