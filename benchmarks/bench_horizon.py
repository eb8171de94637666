"""How fast are a thousand replicates of a horizon study?

scikit-learn fits one curve at a time, as the published code does; here all replicates of an agent go
through one compiled Newton loop. Both see the same draws and the same penalty, and the horizons are
compared before any time is: scikit-learn stops early, so they agree to a few tenths of a percent.
"""

from __future__ import annotations

import numpy as np

from benchmarks.rows import Row, alone, best_time, race, within
from gindex_lab.measures.horizons.coverage import simulate_runs
from gindex_lab.measures.horizons.draws import Draws, draws_of
from gindex_lab.measures.horizons.fitting import fit, fit_reference
from gindex_lab.measures.horizons.horizons import horizon
from gindex_lab.measures.horizons.runs import Runs, runs_of

__all__ = ["run"]

_PENALTY = 1e-5


def run(
    agents: int = 16, items: int = 291, draws: int = 1_000, by_hand: int = 10, many: int = 134
) -> list[Row]:
    """Seconds for every replicate of every agent, ours and scikit-learn's, and of a large table.

    >>> [row["ours"] > 0 for row in run(agents=2, items=30, draws=20, by_hand=4, many=3)[:1]]
    [True]
    """
    study = simulate_runs(np.linspace(1, 8, agents), 0.75, items=items, families=7, seed=1)
    runs = runs_of(study)
    drawn = draws_of(runs, "families", draws, 42)
    # compile, or read the cache, outside the clock
    ours, theirs = _ours(runs, drawn)[:, :by_hand], _theirs(runs, drawn, by_hand)
    assert np.allclose(ours, theirs, atol=0.05), "the two ways disagree"
    fast = best_time(lambda: _ours(runs, drawn))
    slow = best_time(lambda: _theirs(runs, drawn, by_hand), 1) * draws / by_hand
    rows = [
        race(
            f"{draws:,} replicates of {agents} agents x {items} tasks",
            fast,
            slow,
            "scikit-learn, one by one",
            goal=20,
            note=f"the peer's time from {by_hand} replicates",
        )
    ]
    return rows + _large(many, draws, by_hand)


def _large(many: int, draws: int, by_hand: int) -> list[Row]:
    """As many systems as SWE-bench's table has: every measure with limits, against the fits alone."""
    study = simulate_runs(np.linspace(1, 8, many), 0.75, items=500, families=12, seed=2)
    what = f"{many} agents x 500 tasks"
    quick = best_time(lambda: horizon(study, ci=0.95, method="jackknife"))
    seconds = best_time(lambda: horizon(study, ci=0.95, draws=draws, seed=42), 1)
    few = study.select(agents=list(study.frame.index[:: max(many // 4, 1)]))
    runs = runs_of(few)
    drawn = draws_of(runs, "families", by_hand, 42)
    fits = len(runs.agents) * by_hand
    slow = best_time(lambda: _theirs(runs, drawn, by_hand), 1) * many * draws / fits
    return [
        race(
            f"{what}, {draws:,} draws of families and tasks, limits of all measures",
            seconds,
            slow,
            "scikit-learn's fits alone",
            goal=20,
            note=f"the peer's time from {fits} fits",
        ),
        within(f"{what}, {draws:,} draws", seconds, 60.0, "in seconds, not minutes", unit="s"),
        alone(f"{what} with limits by the jackknife", quick),
    ]


def _ours(runs: Runs, drawn: Draws) -> np.ndarray:
    """θ of every agent (rows) in every replicate."""
    found = []
    for j in range(len(runs.agents)):
        at = runs.of(j)
        weights = drawn.of(j) * runs.weight[at]
        found.append(fit(runs.h[at], runs.response[at], weights, _PENALTY).theta)
    return np.array(found)


def _theirs(runs: Runs, drawn: Draws, replicates: int) -> np.ndarray:
    found = []
    for j in range(len(runs.agents)):
        at = runs.of(j)
        rows = drawn.of(j)[:replicates] * runs.weight[at]
        found.append([fit_reference(runs.h[at], runs.response[at], w, _PENALTY).theta[0] for w in rows])
    return np.array(found)
