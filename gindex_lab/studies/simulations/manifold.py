"""From individual generality to the positive manifold, and to Spearman's law of diminishing returns.

If every agent is a step (solves exactly what is easier than its capability), all items correlate
positively, and tests made of items almost perfectly (§B.2). If one group is more able and the items
stay the same, its correlations shrink (§B.3, SLODR); with adjusted items, or flat agents, they do not.
All functions are simulations on arrays agents x items, from a seed or Generator.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import NumbersLike, SeedLike
from gindex_lab.foundation.validate import FloatArray, choice, generator, integer, number, vector

__all__ = ["item_correlations", "manifold", "median_split", "random_tests", "slodr", "step_responses"]

DISTRIBUTIONS = ("normal", "uniform", "exponential", "cauchy")
_TESTS, _SIZE = 10, 40  # tests, and items of each, on which two groups are compared: judgements


def step_responses(capability: NumbersLike, difficulty: NumbersLike) -> FloatArray:
    """Agents x items: 1 where the agent's capability reaches the item's difficulty (§B.2)."""
    c, h = vector("capability", capability), vector("difficulty", difficulty)
    return (c[:, None] >= h[None, :]).astype(float)


def random_tests(responses: FloatArray, tests: int, seed: SeedLike) -> FloatArray:
    """Items dealt at random into `tests` of equal size; an agent's score is its mean on each."""
    agents, items = responses.shape
    size = items // integer("tests", tests, 2)
    ensure(size, "tests", tests, f"[too-many] are more than the {items} items", "use fewer tests")
    deal = generator(seed).permutation(items)[: size * tests]
    return np.asarray(responses[:, deal].reshape(agents, tests, size).mean(axis=2))


def item_correlations(scores: FloatArray, method: str = "pearson") -> FloatArray:
    """The correlations of all pairs of columns; constant columns have none and are left out."""
    choice("method", method, ["pearson", "spearman"])
    columns = scores[:, np.ptp(scores, axis=0) > 0]
    problem = "[too-few] has fewer than two columns that vary"
    ensure(columns.shape[1] >= 2, "scores", scores.shape, problem, "add items")
    if method == "spearman":
        columns = pd.DataFrame(columns).rank().to_numpy()
    matrix = np.atleast_2d(np.corrcoef(columns, rowvar=False))
    return np.asarray(matrix[np.triu_indices(len(matrix), 1)])


def manifold(
    agents: int = 500,
    items: int = 500,
    *,
    tests: int | None = None,
    distribution: str = "normal",
    method: str = "pearson",
    repeats: int = 20,
    seed: SeedLike,
) -> pd.Series:
    """The correlations of step agents whose capabilities are distributed as the difficulties.

    With `tests`, items are dealt at random into that many tests first. Gives the `mean` over all
    pairs and repeats, the `sd` of the repeats' means, and the `smallest` correlation seen (§B.2).
    """
    choice("distribution", distribution, DISTRIBUTIONS)
    draw = generator(seed)
    drawn: dict[str, Any] = {
        "normal": partial(draw.normal, 10, 2),
        "uniform": draw.random,
        "exponential": draw.standard_exponential,
        "cauchy": draw.standard_cauchy,
    }
    sizes = integer("agents", agents, 3), integer("items", items, 2)
    means, smallest = [], np.inf
    for _ in range(integer("repeats", repeats)):
        scores = step_responses(*[drawn[distribution](size=size) for size in sizes])
        found = item_correlations(random_tests(scores, tests, draw) if tests else scores, method)
        means.append(found.mean())
        smallest = min(smallest, found.min())
    return pd.Series({"mean": np.mean(means), "sd": np.std(means), "smallest": smallest})


def slodr(
    shift: float = 2.0,
    *,
    kind: str = "step",
    adjusted: bool = False,
    rates: tuple[float, float] = (0.3, 0.7),
    agents: int = 500,
    repeats: int = 20,
    seed: SeedLike,
) -> pd.DataFrame:
    """Two groups on the same tests: how well do items and tests correlate in each (§B.3)?

    `kind="step"`: capabilities N(0, 1) in the low group, N(shift, 1) in the high one, difficulties
    N(0, 1); with `adjusted` the high group gets items as much harder as it is more able.
    `kind="flat"`: rates of success around `rates`, sd 0.1, at every difficulty. Both groups share
    their random numbers, so that only what we change differs. Rows low and high; columns
    `items`, `tests` (mean correlations) and `constant` (share of items without variance).
    """
    choice("kind", kind, ["step", "flat"])
    draw, n = generator(seed), _TESTS * _SIZE
    found = []
    for _ in range(integer("repeats", repeats)):
        z, h = draw.normal(0, 1, agents), draw.normal(0, 1, n)
        deal = draw.integers(2**32)
        luck = draw.random((agents, n)) if kind == "flat" else np.empty(0)
        for group in (0, 1):
            if kind == "step":
                step = number("shift", shift) * group
                scores = step_responses(z + step, h + step if adjusted else h)
            else:
                rate = np.clip(rates[group] + 0.1 * z, 0, 1)
                scores = (luck < rate[:, None]).astype(float)
            found.append(_levels(scores, int(deal)))
    return _two_groups(found)


def median_split(
    item_mean: float = 0.0, *, agents: int = 1000, repeats: int = 20, seed: SeedLike
) -> pd.DataFrame:
    """One population N(0, 1) of step agents, split at its median, on items N(item_mean, 1) (§B.3)."""
    draw = generator(seed)
    found = []
    for _ in range(integer("repeats", repeats)):
        ability = np.sort(draw.normal(0, 1, integer("agents", agents, 6)))
        scores = step_responses(ability, draw.normal(item_mean, 1, _TESTS * _SIZE))
        deal = int(draw.integers(2**32))
        found += [_levels(half, deal) for half in np.array_split(scores, 2)]
    return _two_groups(found)


def _two_groups(found: list[tuple[float, float, float]]) -> pd.DataFrame:
    """The mean levels of the low and the high group, which take turns."""
    rows = np.array(found).reshape(-1, 2, 3).mean(axis=0)
    return pd.DataFrame(rows, index=["low", "high"], columns=["items", "tests", "constant"])


def _levels(scores: FloatArray, deal: int) -> tuple[float, float, float]:
    """Mean correlation of items, of tests (dealt alike for both groups), share of constant items."""
    constant = float((np.ptp(scores, axis=0) == 0).mean())
    on_tests = item_correlations(random_tests(scores, _TESTS, deal))
    return float(item_correlations(scores).mean()), float(on_tests.mean()), constant
