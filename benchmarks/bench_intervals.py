"""How fast are intervals for 100 agents x 2,000 items?

The straightforward way draws the items with NumPy, rebuilds the curves of all agents and reads them
off (`curves.merge` and `indicators`, themselves vectorised over agents), once per resample; the walk
of `resample` never builds a resampled table. Both see the same draws, and their capabilities are
compared before any time is. The default method needs no resampling and is timed beside them.

    python -m benchmarks.bench_intervals
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.acc.curves import indicators, merge
from gindex_lab.uncertainty.coverage import Profile, simulate_profile
from gindex_lab.uncertainty.intervals import bootstrap_table, tie_groups
from gindex_lab.uncertainty.resample import counts_of_units, draws
from gindex_lab.uncertainty.samples import Sample, sample_of

__all__ = ["run"]


def run(
    agents: int = 100, items: int = 2_000, resamples: int = 2_000, by_hand: int = 40
) -> pd.DataFrame:
    """Seconds of each way, and how many times faster than the straightforward one it is.

    >>> run(agents=3, items=30, resamples=100, by_hand=10)["seconds"].gt(0).all()
    np.True_
    """
    profiles = [Profile(c, 0.15) for c in np.linspace(0.2, 0.8, agents)]
    study = simulate_profile(profiles, items, seed=1)
    sample = sample_of(study, (0.0, 1.0), "trapezoid", "items")
    draws(sample, 2, np.random.default_rng(1))  # compile, or read the cache, outside the clock
    slow, expected = _timed(lambda: _straightforward(sample, by_hand))
    fast, found = _timed(lambda: draws(sample, resamples, np.random.default_rng(1)))
    same = draws(sample, by_hand, np.random.default_rng(1))["capability"]
    assert np.allclose(same, expected), "the two ways disagree"
    studentised, table = _timed(lambda: bootstrap_table(study, seed=1))
    ties, _ = _timed(lambda: tie_groups(table))
    slow *= resamples / by_hand
    rows = {
        f"straightforward, {resamples:,} resamples (from {by_hand})": slow,
        f"percentile, {resamples:,} resamples": fast,
        "studentised (the default)": studentised,
        "tie groups, all pairs": ties,
    }
    seconds = pd.Series(rows, name="seconds")
    assert len(found["spread"]) == resamples
    return pd.DataFrame({"seconds": seconds, "times faster": slow / seconds})


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


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


if __name__ == "__main__":
    print(run().round(3).to_string())
