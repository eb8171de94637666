"""A smaller test from a log: the k items that keep ranking, capability and spread best.

Items are picked one by one (greedily), each time the one with which a weighted sum of the picked responses
comes nearest to what the whole test says of the agents: ridge regressions of area, moment and mean on the
picked items. How well that works for agents who had no say in the choice is measured by cross-validation
over agents: in each fold items are picked, and weights fitted, without the agents who are then predicted.
Random tests of the same size, measured the same way, are the comparison.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import DifficultyLike, ResponsesLike, SeedLike
from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.validate import FloatArray, generator, integer
from gindex_lab.measures.curves import rule_of
from gindex_lab.measures.generality import difficulties_of, generality, study_of

__all__ = ["Shorter", "shorter"]

_RIDGE = 1.0  # items' worth of prior, so that one response more or less hardly moves a weight (a judgement)
_FEWEST_AGENTS = 8  # a fold of one or two, and six from whom weights can be learnt
_FOLDS = 5  # the usual number (Hastie, Tibshirani and Friedman 2009, §7.10.1)
_MEASURES = ("capability", "spread", "mean")
Pick = Callable[[FloatArray, FloatArray], np.ndarray]  # items by position, from responses and targets


@dataclass(frozen=True)
class Shorter:
    """The items that were picked, in order, with weights for area, moment and mean; what the shorter test
    loses (`lost`); and the agents as it would have measured them, each left out of the choice (`agents`)."""

    items: pd.DataFrame = field(repr=False)
    lost: pd.DataFrame
    agents: pd.DataFrame = field(repr=False)

    def write(self, out: str | PathLike[str]) -> Path:
        """Write the items with their weights as CSV."""
        write_text(Path(out), self.items.rename_axis("item").to_csv())
        return Path(out)


def shorter(
    responses: ResponsesLike,
    k: int,
    difficulty: DifficultyLike = None,
    *,
    random_tests: int = 20,
    seed: SeedLike,
) -> Shorter:
    """The `k` items of a log that keep capability, spread and mean of agents best, and what is lost.

    Parameters
    ----------
    responses : agents x items, without gaps
    k : how many items
    difficulty : of the items; by default their own
    random_tests : tests of k random items, for comparison
    seed : of the folds and the random tests

    Returns
    -------
    Shorter
        `.items`, `.agents` and `.lost`, with one row a measure: `correlation` (Spearman) and `error` (root
        mean square) between what the short test says of agents that were left out of its making and what the
        whole test says; `random_correlation` and `random_error`, the means of random tests; and `range`, the
        standard deviation of the agents on the whole test, as a yardstick for the errors.

    References
    ----------
    Vivek et al. (2024), "Anchor points"; Polo et al. (2024), "tinyBenchmarks" (for the mean only).

    Examples
    --------
    >>> from gindex_lab.studies.simulations.coverage import Profile, simulate_profile
    >>> people = [Profile(c, 0.15) for c in np.linspace(0.2, 0.8, 30)]
    >>> found = shorter(simulate_profile(people, 80, seed=1), 12, seed=1)
    >>> len(found.items), bool(found.lost.loc["capability", "correlation"] > 0.8)
    (12, True)
    """
    study, random = study_of(responses, difficulty), generator(seed)
    values = study.values
    agents, n = values.shape
    problem, remedy = "has missing cells", "select items and agents without gaps"
    ensure(not np.isnan(values).any(), "responses", study, problem, remedy)
    problem, remedy = f"are too few agents: at least {_FEWEST_AGENTS}", "use a log of more agents"
    ensure(agents >= _FEWEST_AGENTS, "responses", agents, problem, remedy)
    size = integer("k", k, 2)
    ensure(size < n, "k", k, f"is not fewer than the {n} items", "ask for fewer")
    full = generality(study)
    targets = _targets(study.frame, difficulties_of(study), full)
    fold = random.permutation(np.arange(agents) % _FOLDS)

    def left_out(pick: Pick) -> pd.DataFrame:
        return _measures(_predicted(values, targets, fold, pick), full)

    measured = left_out(lambda x, y: _picked(x, y, size))
    tests = [random.permutation(n)[:size] for _ in range(integer("random_tests", random_tests))]
    others = [left_out(lambda x, y, test=test: test) for test in tests]  # type: ignore[misc]
    chosen = _picked(values, targets, size)
    fit = _regression(values[:, chosen], targets)
    items = study.items.iloc[chosen].copy()
    items[["area_weight", "moment_weight", "mean_weight"]] = fit.coef_.T
    items.attrs["constants"] = fit.intercept_.tolist()
    whole = full[list(_MEASURES)]
    return Shorter(items, _lost(whole, measured, others), measured.add_suffix("_short").join(whole))


def _targets(frame: pd.DataFrame, h: FloatArray, full: pd.DataFrame) -> FloatArray:
    """Area, moment and mean (A, 3) of every agent on the whole test."""
    levels, level_of, count = np.unique(h, return_inverse=True, return_counts=True)
    rule = rule_of(levels, full.attrs["interval"])
    per_item = np.stack([rule.area / count, rule.moment / count, np.full(len(count), 1 / len(h))])
    constants = np.array([rule.block, rule.block**2 / 2, 0.0])
    return np.asarray(frame.to_numpy() @ per_item[:, level_of].T + constants)


def _regression(x: FloatArray, y: FloatArray) -> Any:
    """Ridge regression of the targets (A, 3) on the responses (A, k); the constant is not shrunk."""
    from sklearn.linear_model import Ridge

    return Ridge(_RIDGE).fit(x, y)


def _picked(x: FloatArray, y: FloatArray, k: int) -> np.ndarray:
    """Items by position, picked greedily: each time the one that leaves least of the targets unexplained.

    Every remaining item is judged at once by the gain of adding it to a ridge regression: what is left of
    it after the items picked so far (Gram-Schmidt with the ridge) against what is left of the targets.
    """
    rest, left = x - x.mean(axis=0), y - y.mean(axis=0)
    left = left / np.maximum(left.std(axis=0), 1e-12)
    chosen: list[int] = []
    for _ in range(k):
        gain = ((rest.T @ left) ** 2).sum(axis=1) / ((rest**2).sum(axis=0) + _RIDGE)
        gain[chosen] = -1.0
        chosen.append(int(gain.argmax()))
        column = rest[:, chosen[-1]]
        share = column / (column @ column + _RIDGE)
        left = left - np.outer(column, share @ left)
        rest = rest - np.outer(column, share @ rest)
    return np.array(chosen)


def _predicted(values: FloatArray, targets: FloatArray, fold: np.ndarray, pick: Pick) -> FloatArray:
    """The targets (A, 3) of agents, each predicted from items picked and weights fitted without its fold."""
    found = np.empty_like(targets)
    for one in range(_FOLDS):
        known, new = fold != one, fold == one
        chosen = pick(values[known], targets[known])
        fit = _regression(values[known][:, chosen], targets[known])
        found[new] = fit.predict(values[new][:, chosen])
    return found


def _measures(sums: FloatArray, full: pd.DataFrame) -> pd.DataFrame:
    """Capability, spread and mean from predicted area, moment and mean."""
    low, high = full.attrs["interval"]
    q = high - low
    area = np.clip(sums[:, 0], 0.0, q)
    spread = np.sqrt(np.clip(2 * sums[:, 1] - area**2, 0.0, 2 * area * (q - area)))
    columns = {"capability": low + area, "spread": spread, "mean": np.clip(sums[:, 2], 0.0, 1.0)}
    return pd.DataFrame(columns, index=full.index)


def _lost(whole: pd.DataFrame, short: pd.DataFrame, others: list[pd.DataFrame]) -> pd.DataFrame:
    def compared(test: pd.DataFrame) -> pd.DataFrame:
        correlation = whole.corrwith(test, method="spearman")
        return pd.DataFrame({"correlation": correlation, "error": np.sqrt(((test - whole) ** 2).mean())})

    random = sum(compared(other) for other in others) / len(others)
    return compared(short).join(random.add_prefix("random_")).assign(range=whole.std())
