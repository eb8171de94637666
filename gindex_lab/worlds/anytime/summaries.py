"""Tables for pictures: the score at every time budget, and mean reward by complexity, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import integer, number
from gindex_lab.worlds.anytime.averages import listed, mean_interval
from gindex_lab.worlds.anytime.chance import nested_seed
from gindex_lab.worlds.anytime.clocks import exact_seconds
from gindex_lab.worlds.anytime.pool import Pool, pool_of
from gindex_lab.worlds.anytime.running import Examination
from gindex_lab.worlds.anytime.scoring import named_agents

__all__ = ["by_budget", "by_complexity"]


def by_budget(
    agents: Mapping[str, object] | Sequence[object],
    budgets: Sequence[float] = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
    tests: int = 20,
    *,
    pool: Pool | None = None,
    tau0: float | Fraction = 0.001,
    clock: object = "virtual",
    seed: SeedLike = 0,
) -> pd.DataFrame:
    """The anytime score that each time budget Θ would have given, over `tests` tests of each agent.

    One test of the longest budget answers for all: at Θ it had finished every environment that began
    before Θ. Columns: agent, seconds, value, low, high (95%), standard_deviation, environments.

    >>> from gindex_lab.worlds.anytime.pool import make_pool
    >>> by_budget(["oracle"], [0.01, 0.1], 3, pool=make_pool(200, seed=1))["environments"].tolist()
    [5, 10]
    """
    named, repeats = named_agents(agents), integer("tests", tests, 2)
    times = [exact_seconds("budgets", budget) for budget in listed("budgets", budgets, least=1)]
    worlds = pool_of(pool)
    rows = []
    for name, who in named.items():
        values, counts = [], []
        for k in range(repeats):
            settings: dict[str, Any] = {
                "pool": worlds,
                "tau0": tau0,
                "clock": clock,
                "seed": nested_seed(seed, k),
            }
            exam = Examination(who, seconds=max(times), **settings)
            while exam.step():  # not run(): Ctrl-C should end all, not one test
                continue
            began = np.array([row["elapsed"] - row["tau"] for row in exam.rows])
            rewards = np.array([row["reward"] for row in exam.rows])
            done = [int((began < float(time) - 1e-12).sum()) for time in times]
            values.append([rewards[:n].mean() for n in done])
            counts.append(done)
        rows += _budget_rows(name, times, np.array(values, dtype=float), np.array(counts))
    return pd.DataFrame(rows)


def _budget_rows(
    name: str, times: list[Fraction], values: np.ndarray, counts: np.ndarray
) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for place, time in enumerate(times):
        own = values[:, place]
        low, high = mean_interval(own)
        facts = {
            "agent": name,
            "seconds": float(time),
            "value": own.mean(),
            "low": low,
            "high": high,
        }
        spread = {"standard_deviation": own.std(ddof=1)}
        rows.append(facts | spread | {"environments": round(float(counts[:, place].mean()))})
    return rows


def by_complexity(
    responses: Responses | Scores, bins: int = 8, confidence: float = 0.95
) -> pd.DataFrame:
    """Mean value of each agent in bins of equal numbers of items by difficulty, with t intervals.

    Columns: agent, complexity (mean of the bin), mean, low, high, items.

    >>> table = Responses([[1, 1, 0, 0.5]], difficulty=[1, 2, 3, 4])
    >>> by_complexity(table, bins=2)[["complexity", "mean"]].to_numpy().tolist()
    [[1.5, 1.0], [3.5, 0.25]]
    """
    if not isinstance(responses, Responses | Scores) or responses.difficulty is None:
        raise BadInput(
            "responses", responses, "has no difficulties", "use gl.anytime.as_items(...)"
        )
    count = integer("bins", bins, 1)
    level = number("confidence", confidence, 0, 1, open_ends=True)
    difficulty = responses.difficulty.to_numpy(float)
    groups = np.array_split(np.argsort(difficulty, kind="stable"), min(count, len(difficulty)))
    rows = []
    for agent, values in zip(responses.frame.index, responses.values, strict=True):
        for group in groups:
            seen = values[group][~np.isnan(values[group])]
            if len(seen):
                low, high = mean_interval(seen, level)
                rows.append((agent, difficulty[group].mean(), seen.mean(), low, high, len(seen)))
    return pd.DataFrame(rows, columns=["agent", "complexity", "mean", "low", "high", "items"])
