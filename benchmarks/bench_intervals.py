"""How fast are intervals for 100 agents x 2,000 items?

The straightforward way draws the items with NumPy, rebuilds the curves of all agents and reads them
off (`curves.merge` and `indicators`, themselves vectorised over agents), once per resample. The default
method needs no resampling; its limits and all pairs of agents are timed against it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.rows import Row, best_time, race
from gindex_lab.foundation.responses import Responses
from gindex_lab.measures.alternatives.bootstrap import bootstrap_table
from gindex_lab.measures.curves import indicators, merge
from gindex_lab.measures.pairs import tie_groups
from gindex_lab.studies.simulations.coverage import Profile, simulate_profile

__all__ = ["run"]


def run(agents: int = 100, items: int = 2_000, resamples: int = 2_000, by_hand: int = 40) -> list[Row]:
    """Seconds of each way, and how many times faster than the straightforward one it is.

    >>> [row["ours"] > 0 for row in run(agents=3, items=30, resamples=100, by_hand=10)]
    [True, True]
    """
    profiles = [Profile(c, 0.15) for c in np.linspace(0.2, 0.8, agents)]
    study = simulate_profile(profiles, items, seed=1)
    slow = best_time(lambda: _straightforward(study, by_hand), 1) * resamples / by_hand
    table = bootstrap_table(study)
    ways: dict[str, Callable[[], object]] = {
        "studentised (the default)": lambda: bootstrap_table(study),
        "tie groups, all pairs": lambda: tie_groups(table),
    }
    against = f"{resamples:,} resamples, table by table"
    note = f"the peer's time from {by_hand} resamples"
    return [race(name, best_time(way, 1), slow, against, note=note) for name, way in ways.items()]


def _straightforward(study: Responses, resamples: int) -> np.ndarray:
    capabilities = []
    h, random = study.difficulty.to_numpy(), np.random.default_rng(1)
    for _ in range(resamples):
        drawn = random.integers(len(h), size=len(h))
        levels, psi, _ = merge(study.values[:, drawn], h[drawn])
        capabilities.append(indicators(levels, psi, (0.0, 1.0)).capability)
    return np.array(capabilities)
