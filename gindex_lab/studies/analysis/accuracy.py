"""Accuracy first: the plain score of every agent, overall and by task, with its interval.

A score is the mean response over the items that an agent met; `n` says how many, `coverage` what share of
all items. Right-or-wrong responses get Wilson's interval, graded ones Student's; where items come in
families that share their luck, families are the sample (Liang and Zeger 1986).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.guessing import floors_of
from gindex_lab.foundation.likes import ResponsesLike
from gindex_lab.foundation.many_tests import half_width
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, choice, number

__all__ = ["against_chance", "floors_of", "is_binary", "score_table", "task_table", "wilson"]


def is_binary(data: Responses) -> bool:
    """Whether every response is 0 or 1; a missing cell is neither, and does not count.

    >>> is_binary(Responses([[1, None], [0, 1]])), is_binary(Responses([[0.5, 1]]))
    (True, False)
    """
    values = data.values
    return bool(((values == 0) | (values == 1) | np.isnan(values)).all())


def score_table(
    responses: ResponsesLike, ci: float | None = 0.95, resample: str = "items"
) -> pd.DataFrame:
    """The score of every agent: `score`, `score_low`, `score_high`, `n` and `coverage`.

    Parameters
    ----------
    responses : gl.Responses, agents x items; a missing cell is an item that the agent did not meet
    ci : level of the interval, None for none
    resample : "items", "families" or "trials", what would come out differently in another study

    References
    ----------
    Wilson (1927), "Probable inference"; Brown, Cai and DasGupta (2001), "Interval estimation for a binomial
    proportion"; Liang and Zeger (1986), "Longitudinal data analysis using generalized linear models".

    Examples
    --------
    >>> score_table(Responses([[1, 1, 0, 1], [0, None, 0, 1]])).round(2)
             score  score_low  score_high  n  coverage
    agent 1   0.75       0.30        0.95  4      1.00
    agent 2   0.33       0.06        0.79  3      0.75
    """
    if not isinstance(responses, Responses):
        problem = "holds no responses in [0, 1]"
        raise BadInput("responses", type(responses).__name__, problem, "pass gl.Responses")
    choice("resample", resample, ["items", "families", "trials"])
    values = responses.values
    met = ~np.isnan(values)
    n = met.sum(axis=1)
    score = np.divide(np.nansum(values, axis=1), n, out=np.full(len(n), np.nan), where=n > 0)
    columns: dict[str, FloatArray] = {"score": score}
    if ci is not None:
        level = number("ci", ci, 0, 1, open_ends=True)
        columns["score_low"], columns["score_high"] = _limits(responses, score, level, resample)
    columns |= {"n": n, "coverage": n / max(values.shape[1], 1)}
    return pd.DataFrame(columns, index=responses.frame.index)


def _limits(
    data: Responses, score: FloatArray, ci: float, resample: str
) -> tuple[FloatArray, FloatArray]:
    met = ~np.isnan(data.values)
    units = met.sum(axis=1)
    if resample == "items" and is_binary(data):
        return wilson(score, units, ci)
    if resample == "trials":
        deviation, units = _trial_error(data, met)
    else:
        deviation, units = _unit_error(data, score, met, resample)
    half = half_width(deviation, ci, np.maximum(units - 1, 1))
    low, high = np.clip(score - half, 0, 1), np.clip(score + half, 0, 1)
    flat = deviation <= 1e-12  # all alike: how much they could have differed is unknown
    bound = wilson(score, units, ci)
    few = units < 2
    low, high = (np.where(flat, b, x) for b, x in zip(bound, (low, high), strict=True))
    return np.where(few, np.nan, low), np.where(few, np.nan, high)


def wilson(share: FloatArray, n: np.ndarray, ci: float) -> tuple[FloatArray, FloatArray]:
    """Wilson's limits of a share of n independent trials; NaN without a trial.

    >>> [round(float(end[0]), 3) for end in wilson(np.array([0.5]), np.array([20]), 0.95)]
    [0.299, 0.701]
    """
    from scipy.special import ndtri

    z2 = ndtri((1 + ci) / 2) ** 2
    n = np.where(np.asarray(n) > 0, n, np.nan)
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n**2))) / (1 + z2 / n)
    return np.where(share <= 0, 0.0, middle - half), np.where(share >= 1, 1.0, middle + half)


def _unit_error(
    data: Responses, score: FloatArray, met: np.ndarray, resample: str
) -> tuple[FloatArray, np.ndarray]:
    """Standard error (A,) of the mean, with items or families as the sample, and how many there are."""
    n = np.maximum(met.sum(axis=1), 1)
    away = np.where(met, data.values - score[:, None], 0.0) / n[:, None]
    if resample == "families":
        codes = family_codes(data)
        away = np.stack([away[:, codes == k].sum(axis=1) for k in range(codes.max() + 1)], axis=1)
        met = np.stack([met[:, codes == k].any(axis=1) for k in range(codes.max() + 1)], axis=1)
    units = met.sum(axis=1)
    return np.sqrt((away**2).sum(axis=1) * units / np.maximum(units - 1, 1)), units


def _trial_error(data: Responses, met: np.ndarray) -> tuple[FloatArray, np.ndarray]:
    """Standard error (A,) over trials of these very items: √(Σ s²/t) / n."""
    if data.trials is None:
        problem = "needs repeated trials, and the responses keep none"
        raise BadInput("resample", "trials", problem, "use resample='items'")
    cells = data.trials.groupby(["agent", "item"])["response"]
    variance = (cells.var() / cells.count()).groupby("agent").sum(min_count=1)
    spare = (cells.count() - 1).groupby("agent").sum()
    index = data.frame.index
    n = np.maximum(met.sum(axis=1), 1)
    error = np.sqrt(variance.reindex(index).to_numpy(dtype=float)) / n
    return np.nan_to_num(error), spare.reindex(index, fill_value=0).to_numpy() + 1


def family_codes(data: Responses) -> np.ndarray:
    """The family of each item as a number from 0 on; refused where items have none."""
    if data.family is None:
        problem, remedy = "needs the family of each item", "give items a column 'family'"
        raise BadInput("resample", "families", problem, remedy)
    return np.asarray(pd.factorize(data.family.astype(str))[0])


def task_table(responses: Responses, ci: float | None = 0.95) -> pd.DataFrame | None:
    """One row per agent and family: `agent`, `task`, and the columns of `score_table`; None without families.

    >>> items = pd.DataFrame({"family": ["sums", "sums", "verse"]}, index=["a", "b", "c"])
    >>> runs = Responses(pd.DataFrame([[1, 0, 1]], ["ann"], list("abc")), items=items)
    >>> task_table(runs, ci=None)[["task", "score", "n"]]
        task  score  n
    0   sums    0.5  2
    1  verse    1.0  1
    """
    if responses.family is None or responses.family.nunique() < 2:
        return None
    parts = []
    for task, items in responses.family.groupby(responses.family, sort=False):
        part = score_table(responses.select(items=list(items.index)), ci)
        parts.append(part.rename_axis("agent").reset_index().assign(task=task))
    table = pd.concat(parts, ignore_index=True)
    return table[table["n"] > 0].reset_index(drop=True)


# -- against guessing --------------------------------------------------------------------------------


def against_chance(responses: Responses, scores: pd.DataFrame, floors: pd.Series) -> pd.DataFrame:
    """The floor of the items that each agent met, how far its score lies above it, and in words.

    `floor` is the mean chance over the items met, `above_chance` (score - floor) / (1 - floor): 0 is
    guessing, 1 everything right. `against_chance` is "above chance", "at chance" or "below chance" by the
    interval of the score, and "unknown" without one.

    >>> from gindex_lab.studies.analysis.accuracy import score_table
    >>> from gindex_lab.foundation.guessing import floors_of
    >>> runs = Responses([[1] * 30 + [0] * 10, [1] * 10 + [0] * 30, [1] * 2 + [0] * 38])
    >>> found = against_chance(runs, score_table(runs), floors_of(runs, 0.25))
    >>> found["against_chance"].tolist(), found["above_chance"].round(2).tolist()
    (['above chance', 'at chance', 'below chance'], [0.67, 0.0, -0.27])
    """
    met = responses.frame.notna().to_numpy()
    level = (met * floors.to_numpy()).sum(axis=1) / np.maximum(met.sum(axis=1), 1)
    room = np.maximum(1 - level, 1e-12)
    if "score_low" in scores:
        words = np.select(
            [scores["score_low"] > level, scores["score_high"] < level],
            ["above chance", "below chance"],
            "at chance",
        )
    else:
        words = np.full(len(level), "unknown")
    columns = {"floor": level, "above_chance": (scores["score"] - level) / room}
    return pd.DataFrame(columns, index=scores.index).assign(against_chance=words)
