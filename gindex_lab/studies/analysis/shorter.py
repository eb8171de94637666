"""A smaller test from a log: the k items that keep ranking, capability and spread best.

Items are picked one by one (greedily), each time the one with which a weighted sum of the picked responses
comes nearest to what the whole test says of the agents: ridge regressions of area, moment and mean on the
picked items. How well that works for agents who had no say in the choice is measured by cross-validation
over agents: in each fold items are picked, and weights fitted, without the agents who are then predicted.
Random items of the same number, measured the same way, stand beside it (Vivek and others 2024; Polo and
others 2024 for the mean only).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import DifficultyLike, ResponsesLike, SeedLike
from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.validate import FloatArray, generator, integer
from gindex_lab.measures.curves import rule_of
from gindex_lab.measures.generality import difficulties_of, generality, study_of

__all__ = ["Shorter", "shorter"]

_RIDGE = 1.0  # items' worth of prior: a response less or more hardly moves a weight
_FEWEST_AGENTS = 8
_FOLDS = 5
_MEASURES = ("capability", "spread", "mean")
Pick = Callable[
    [FloatArray, FloatArray], np.ndarray
]  # items by position, from responses and targets


@dataclass(frozen=True)
class Shorter:
    """The items that were picked, in order, with weights for area, moment and mean; what the shorter test
    loses (`lost`); and the agents as it would have measured them, each left out of the choice (`agents`)."""

    items: pd.DataFrame = field(repr=False)
    lost: pd.DataFrame
    agents: pd.DataFrame = field(repr=False)

    def write(self, out: str | PathLike[str]) -> Path:
        """The items with their weights, as CSV."""
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

    `lost` has one row a measure: `correlation` (Spearman) and `error` (root mean square) between what the
    short test says of agents that were left out of its making and what the whole test says; the same for
    random tests of k items (`random_correlation`, `random_error`, means over `random_tests`); and `range`,
    the standard deviation of the agents on the whole test, to hold the errors against.

    >>> from gindex_lab.studies.simulations.coverage import Profile, simulate_profile
    >>> people = [Profile(c, 0.15) for c in np.linspace(0.2, 0.8, 30)]
    >>> found = shorter(simulate_profile(people, 80, seed=1), 12, seed=1)
    >>> len(found.items), bool(found.lost.loc["capability", "correlation"] > 0.8)
    (12, True)
    """
    study = study_of(responses, difficulty)
    random = generator(seed)
    values = study.values
    agents, n = values.shape
    ensure(
        not np.isnan(values).any(),
        "responses",
        study,
        "has missing cells",
        "select items and agents without gaps",
    )
    problem, remedy = f"are too few agents: at least {_FEWEST_AGENTS}", "use a log of more agents"
    ensure(agents >= _FEWEST_AGENTS, "responses", agents, problem, remedy)
    size = integer("k", k, 2)
    ensure(size < n, "k", k, f"is not fewer than the {n} items", "ask for fewer")
    full = generality(study)
    targets = _targets(study.frame, difficulties_of(study), full)
    fold = random.permutation(np.arange(agents) % _FOLDS)
    predicted = _left_out(values, targets, fold, lambda x, y: _picked(x, y, size))
    tests = [random.permutation(n)[:size] for _ in range(integer("random_tests", random_tests))]
    draws = [_left_out(values, targets, fold, _always(test)) for test in tests]
    whole = full[list(_MEASURES)]
    measured = _measures(predicted, full, whole.index)
    others = [_measures(one, full, whole.index) for one in draws]
    chosen = _picked(values, targets, size)
    items = study.items.iloc[chosen].copy()
    items[["area_weight", "moment_weight", "mean_weight"]] = _weights(values[:, chosen], targets)[
        1:
    ]
    items.attrs["constants"] = _weights(values[:, chosen], targets)[0].tolist()
    return Shorter(items, _lost(whole, measured, others), measured.add_suffix("_short").join(whole))


def _always(items: np.ndarray) -> Pick:
    return lambda x, y: items


def _targets(frame: pd.DataFrame, h: FloatArray, full: pd.DataFrame) -> FloatArray:
    """Area, moment and mean (A, 3) of every agent on the whole test."""
    levels, level_of, count = np.unique(h, return_inverse=True, return_counts=True)
    rule = rule_of(levels, full.attrs["interval"])
    weights = np.stack(
        [
            (rule.area / count)[level_of],
            (rule.moment / count)[level_of],
            np.full(len(h), 1 / len(h)),
        ]
    )
    constants = np.array([rule.block, rule.block**2 / 2, 0.0])
    return np.asarray(frame.to_numpy() @ weights.T + constants)


def _weights(x: FloatArray, y: FloatArray) -> FloatArray:
    """Ridge regression (1 + k, 3) of the targets on the responses; the constant is not shrunk."""
    centre = x.mean(axis=0)
    away = x - centre
    slope = np.linalg.solve(
        away.T @ away + _RIDGE * np.eye(x.shape[1]), away.T @ (y - y.mean(axis=0))
    )
    return np.concatenate([(y.mean(axis=0) - centre @ slope)[None], slope])


def _picked(x: FloatArray, y: FloatArray, k: int) -> np.ndarray:
    """Items by position, picked greedily: each time the one that leaves least of the targets unexplained.

    Every remaining item is judged at once by the gain of adding it to a ridge regression: what is left of
    it after the items picked so far (Gram-Schmidt with the ridge) against what is left of the targets.
    """
    away, left = x - x.mean(axis=0), y - y.mean(axis=0)
    left = left / np.maximum(left.std(axis=0), 1e-12)
    rest = away.copy()
    chosen: list[int] = []
    for _ in range(k):
        size = (rest**2).sum(axis=0)
        gain = ((rest.T @ left) ** 2).sum(axis=1) / (size + _RIDGE)
        gain[chosen] = -1.0
        best = int(gain.argmax())
        chosen.append(best)
        column = rest[:, best]
        scale = column @ column + _RIDGE
        left = left - np.outer(column, column @ left) / scale
        rest = rest - np.outer(column, column @ rest) / scale
    return np.array(chosen)


def _left_out(values: FloatArray, targets: FloatArray, fold: np.ndarray, pick: Pick) -> FloatArray:
    """The targets (A, 3) of agents, each predicted from items picked and weights fitted without its fold."""
    found = np.empty_like(targets)
    for one in range(_FOLDS):
        known, new = fold != one, fold == one
        chosen = pick(values[known], targets[known])
        weights = _weights(values[known][:, chosen], targets[known])
        found[new] = weights[0] + values[new][:, chosen] @ weights[1:]
    return found


def _measures(sums: FloatArray, full: pd.DataFrame, index: pd.Index) -> pd.DataFrame:
    """Capability, spread and mean from predicted area, moment and mean."""
    low, high = full.attrs["interval"]
    q = high - low
    area = np.clip(sums[:, 0], 0.0, q)
    square = np.clip(2 * sums[:, 1] - area**2, 0.0, 2 * area * (q - area))
    columns = {
        "capability": low + area,
        "spread": np.sqrt(square),
        "mean": np.clip(sums[:, 2], 0.0, 1.0),
    }
    return pd.DataFrame(columns, index=index)


def _lost(whole: pd.DataFrame, short: pd.DataFrame, others: list[pd.DataFrame]) -> pd.DataFrame:
    rows = {}
    for name in _MEASURES:
        true = whole[name]
        rows[name] = {
            "correlation": true.corr(short[name], method="spearman"),
            "error": float(np.sqrt(((short[name] - true) ** 2).mean())),
            "random_correlation": float(
                np.mean([true.corr(o[name], method="spearman") for o in others])
            ),
            "random_error": float(
                np.mean([np.sqrt(((o[name] - true) ** 2).mean()) for o in others])
            ),
            "range": float(true.std()),
        }
    return pd.DataFrame(rows).T
