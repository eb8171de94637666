"""Accuracy first: the score of every agent, overall and by task, and which agents score differently.

A score is the mean response over the items that an agent met. Right-or-wrong responses get Wilson's interval,
graded ones Student's; where items come in families that share their luck, families are the sample (Liang and
Zeger 1986). Two agents are compared on the items that both met: right-or-wrong responses by McNemar's exact
test with the interval of Bonett and Price, others by Student's interval and the test that exchanges the two
agents unit by unit (Fisher 1935). Holm's method corrects all pairs together.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.guessing import floors_of
from gindex_lab.foundation.likes import Label, ResponsesLike
from gindex_lab.foundation.many_tests import half_width, holm
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, choice, confidence, known
from gindex_lab.measures.exchange import exchange
from gindex_lab.measures.pairs import FEWEST_COMMON

__all__ = ["against_chance", "family_codes", "floors_of", "is_binary", "mcnemar", "score_differences"]
__all__ += ["score_table", "task_table", "verdicts", "wilson"]

_MOST_PAIRED = 2_000  # agents: two million pairs
_BLOCK = 20_000_000  # cells of a temporary array: 160 MB


def is_binary(data: Responses) -> bool:
    """Whether every response is 0 or 1, missing cells apart.

    >>> is_binary(Responses([[1, None], [0, 1]])), is_binary(Responses([[0.5, 1]]))
    (True, False)
    """
    values = data.values
    return bool(((values == 0) | (values == 1) | np.isnan(values)).all())


def score_table(responses: ResponsesLike, ci: float | None = 0.95, resample: str = "items") -> pd.DataFrame:
    """The score of every agent with its interval.

    Parameters
    ----------
    responses : gl.Responses, agents x items; a missing cell is an item that the agent did not meet
    ci : level of the interval, None for none
    resample : "items", "families" or "trials", what would come out differently in another study

    Returns
    -------
    DataFrame indexed by agent: `score`, `score_low`, `score_high`, `n` (items met), `coverage` (their share).

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
    study = checked_responses(responses)
    choice("resample", resample, ["items", "families", "trials"])
    n = (~np.isnan(study.values)).sum(axis=1)
    score = np.nansum(study.values, axis=1) / np.where(n > 0, n, np.nan)
    columns = {"score": score}
    if ci is not None:
        columns["score_low"], columns["score_high"] = _limits(study, score, confidence(ci), resample)
    columns |= {"n": n, "coverage": n / max(study.shape[1], 1)}
    return pd.DataFrame(columns, index=study.frame.index)


def checked_responses(responses: ResponsesLike) -> Responses:
    if not isinstance(responses, Responses):
        problem = "is not a table of responses between 0 and 1"
        raise BadInput("responses", type(responses).__name__, problem, "pass gl.Responses")
    return responses


def _limits(data: Responses, score: FloatArray, ci: float, resample: str) -> tuple[FloatArray, FloatArray]:
    met = ~np.isnan(data.values)
    if resample == "items" and is_binary(data):
        return wilson(score, met.sum(axis=1), ci)
    if resample == "trials":
        deviation, units = _trial_error(data, met)
    else:
        deviation, units = _unit_error(data, score, met, resample)
    half = half_width(deviation, ci, np.maximum(units - 1, 1))
    plain = np.clip(score - half, 0, 1), np.clip(score + half, 0, 1)
    flat, few = deviation <= 1e-12, units < 2  # all alike: how much they could have differed is unknown
    low, high = (np.where(flat, w, p) for w, p in zip(wilson(score, units, ci), plain, strict=True))
    return np.where(few, np.nan, low), np.where(few, np.nan, high)


def wilson(share: FloatArray, n: np.ndarray, ci: float) -> tuple[FloatArray, FloatArray]:
    """Wilson's limits of a share of n independent trials; NaN without a trial.

    statsmodels' `proportion_confint(..., method="wilson")` gives the same numbers where n > 0.
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
    away = np.where(met, data.values - score[:, None], 0.0) / np.maximum(met.sum(axis=1), 1)[:, None]
    if resample == "families":
        codes = family_codes(data)
        away, met = _by_unit(away, codes), _by_unit(met, codes) > 0
    units = met.sum(axis=1)
    return np.sqrt((away**2).sum(axis=1) * units / np.maximum(units - 1, 1)), units


def _by_unit(cells: np.ndarray, codes: np.ndarray) -> FloatArray:
    """The sums (A, F) of cells (A, N) over the items of each unit."""
    return np.asarray(cells @ (codes[:, None] == np.arange(codes.max() + 1)))


def _trial_error(data: Responses, met: np.ndarray) -> tuple[FloatArray, np.ndarray]:
    """Standard error (A,) over trials of these very items: √(Σ s²/t) / n."""
    if data.trials is None:
        problem = "needs repeated trials, and the responses keep none"
        raise BadInput("resample", "trials", problem, "use resample='items'")
    cells = data.trials.groupby(["agent", "item"])["response"]
    variance = (cells.var() / cells.count()).groupby("agent").sum(min_count=1)
    spare = (cells.count() - 1).groupby("agent").sum()
    index = data.frame.index
    error = np.sqrt(variance.reindex(index).to_numpy(dtype=float)) / np.maximum(met.sum(axis=1), 1)
    return np.nan_to_num(error), spare.reindex(index, fill_value=0).to_numpy() + 1


def family_codes(data: Responses) -> np.ndarray:
    """The family of each item as a number from 0 on; refused if items have none."""
    if data.family is None:
        problem, remedy = "needs the family of each item", "give items a column 'family'"
        raise BadInput("resample", "families", problem, remedy)
    return np.asarray(pd.factorize(data.family.astype(str))[0])


def task_table(responses: Responses, ci: float | None = 0.95) -> pd.DataFrame | None:
    """The score of every agent on every task, that is on the items of each family.

    Parameters
    ----------
    responses : gl.Responses whose items have families
    ci : level of the intervals, None for none

    Returns
    -------
    DataFrame with one row per agent and task: `agent`, `task`, and the columns of `score_table`; None with
    fewer than two families.

    Examples
    --------
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


def against_chance(responses: Responses, scores: pd.DataFrame, floors: pd.Series) -> pd.DataFrame:
    """How far the score of every agent lies above guessing.

    Parameters
    ----------
    responses : gl.Responses
    scores : the table of `score_table(responses)`
    floors : the chance of a right answer by luck at each item (`gl.analysis.floors_of`)

    Returns
    -------
    DataFrame indexed by agent: `floor` (mean chance over the items met), `above_chance` ((score - floor) /
    (1 - floor): 0 is guessing, 1 everything right) and `against_chance`: "above chance", "at chance" or
    "below chance" by the interval of the score, "unknown" without one.

    Examples
    --------
    >>> runs = Responses([[1] * 30 + [0] * 10, [1] * 10 + [0] * 30, [1] * 2 + [0] * 38])
    >>> found = against_chance(runs, score_table(runs), floors_of(runs, 0.25))
    >>> found["against_chance"].tolist(), found["above_chance"].round(2).tolist()
    (['above chance', 'at chance', 'below chance'], [0.67, 0.0, -0.27])
    """
    met = responses.frame.notna().to_numpy()
    level = (met * floors.to_numpy()).sum(axis=1) / np.maximum(met.sum(axis=1), 1)
    above = (scores["score"] - level) / np.maximum(1 - level, 1e-12)
    words: object = "unknown"
    if "score_low" in scores:
        cases = [scores["score_low"] > level, scores["score_high"] < level]
        words = np.select(cases, ["above chance", "below chance"], "at chance")
    return pd.DataFrame({"floor": level, "above_chance": above, "against_chance": words}, scores.index)


# -- pairs ---------------------------------------------------------------------------------------------


def score_differences(
    responses: ResponsesLike, ci: float = 0.95, resample: str = "items", *, against: Label = None
) -> pd.DataFrame:
    """How far the scores of every pair of agents differ on the items that both met.

    Parameters
    ----------
    responses : gl.Responses, agents x items
    ci : of the limits (one pair at a time) and of the verdicts (all pairs at once, Holm 1979)
    resample : "items" or "families"
    against : one agent, to be compared with each other agent
        It may have been chosen by its score, so p values are multiplied by the number of all pairs
        (Bonferroni).

    Returns
    -------
    DataFrame with one row a pair: `a`, `b`, `common` (items that both met), `difference` (score of a less
    score of b on those), `low`, `high`, `p_value`, `p_adjusted`, and `verdict`: "separated", "not
    separated" or "not comparable" (fewer than five common items, or families).

    References
    ----------
    McNemar (1947); Bonett and Price (2012), "Adjusted Wald confidence interval for a difference of binomial
    proportions based on paired data"; Holm (1979).

    Examples
    --------
    >>> runs = Responses([[1] * 9 + [0], [0] * 9 + [0], [1] * 8 + [0] * 2])
    >>> score_differences(runs)[["a", "b", "difference", "p_value", "verdict"]].round(3)
             a        b  difference  p_value        verdict
    0  agent 1  agent 2         0.9    0.004      separated
    1  agent 1  agent 3         0.1    1.000  not separated
    2  agent 2  agent 3        -0.8    0.008      separated
    """
    study, level = checked_responses(responses), confidence(ci)
    choice("resample", resample, ["items", "families"])
    agents = study.frame.index
    if against is not None:
        at = agents.get_loc(known("against", [against], agents)[0])
        second = np.delete(np.arange(len(agents)), at)
        first = np.full(len(second), at)
    elif len(agents) <= _MOST_PAIRED:
        first, second = np.triu_indices(len(agents), 1)
    else:
        problem = f"are too many agents to pair (more than {_MOST_PAIRED})"
        remedy = "name one with against=..., or select some with .select(agents=...)"
        raise BadInput("responses", len(agents), problem, remedy)
    if resample == "items" and is_binary(study):
        found = _by_mcnemar(study.values, first, second, level)
    else:
        codes = np.arange(study.shape[1]) if resample == "items" else family_codes(study)
        size = max(1, _BLOCK // study.shape[1])
        blocks = [slice(i, i + size) for i in range(0, max(len(first), 1), size)]
        gaps = (study.values[first[some]] - study.values[second[some]] for some in blocks)
        found = pd.concat([_by_exchange(each, codes, level) for each in gaps], ignore_index=True)
    found.insert(0, "a", agents[first])
    found.insert(1, "b", agents[second])
    p, pairs = found["p_value"].to_numpy(dtype=float), len(agents) * (len(agents) - 1) // 2
    found["p_adjusted"] = holm(p) if against is None else np.minimum(p * pairs, 1.0)
    found["verdict"] = verdicts(p, found["p_adjusted"], level)
    return found


def verdicts(p: FloatArray | pd.Series, adjusted: FloatArray | pd.Series, ci: float) -> np.ndarray:
    """What tests of pairs say in words: p values that are NaN are of pairs that cannot be compared.

    >>> verdicts(np.array([0.01, 0.01, np.nan]), np.array([0.03, 0.2, np.nan]), 0.95).tolist()
    ['separated', 'not separated', 'not comparable']
    """
    cases = [np.isnan(np.asarray(p, dtype=float)), np.asarray(adjusted, dtype=float) <= 1 - ci]
    return np.select(cases, ["not comparable", "separated"], "not separated")


def mcnemar(only_a: np.ndarray, only_b: np.ndarray) -> FloatArray:
    """Exact two-sided p (P,) of the items that only one agent solved: a fair toss for each.

    statsmodels' `mcnemar(..., exact=True)` gives the same number, one pair at a time.
    """
    from scipy.special import bdtr

    fewer, count = np.minimum(only_a, only_b), only_a + only_b
    return np.asarray(np.minimum(1.0, 2 * bdtr(fewer, count.astype(np.int64), 0.5)))


def _by_mcnemar(values: FloatArray, first: np.ndarray, second: np.ndarray, ci: float) -> pd.DataFrame:
    from scipy.special import ndtri

    met, right = (~np.isnan(values)).astype(np.float32), np.nan_to_num(values).astype(np.float32)
    rows, place = np.unique(first, return_inverse=True)
    # items that only the first solved, only the second, and that both met
    products = right[rows] @ (met - right).T, (met - right)[rows] @ right.T, met[rows] @ met.T
    wins, losses, common = (np.rint(x)[place, second].astype(float) for x in products)
    n = np.where(common >= FEWEST_COMMON, common, np.nan)
    p, q = (wins + 1) / (n + 2), (losses + 1) / (n + 2)
    half = ndtri((1 + ci) / 2) * np.sqrt((p + q - (p - q) ** 2) / (n + 2))
    return _paired(common, (wins - losses) / n, p - q, half, mcnemar(wins, losses), np.isnan(n))


def _by_exchange(gaps: FloatArray, codes: np.ndarray, ci: float) -> pd.DataFrame:
    """Pairs by their differences (P, N), NaN where one of the two did not meet the item, summed by unit."""
    met = ~np.isnan(gaps)
    common = met.sum(axis=1)
    n = np.maximum(common, 1)
    cells = np.where(met, gaps, 0.0) / n[:, None]
    mean = cells.sum(axis=1)
    away = np.where(met, cells - (mean / n)[:, None], 0.0)
    if codes.max() + 1 < len(codes):
        cells, away, met = _by_unit(cells, codes), _by_unit(away, codes), _by_unit(met, codes) > 0
    units = met.sum(axis=1)
    error = np.sqrt((away**2).sum(axis=1) * units / np.maximum(units - 1, 1))
    error = np.maximum(error, 0.5 / n)  # half an item may always differ
    half = half_width(error, ci, np.maximum(units - 1, 1))
    rows, zero = np.arange(len(cells)), len(cells)
    p = exchange(np.vstack([cells, np.zeros((1, cells.shape[1]))]), rows, np.full(zero, zero))
    return _paired(common, mean, mean, half, p, units < FEWEST_COMMON)


def _paired(
    common: np.ndarray, gap: FloatArray, centre: FloatArray, half: FloatArray, p: FloatArray, few: np.ndarray
) -> pd.DataFrame:
    """The columns of pairs, blank where the two have too `few` items or families in common."""
    low, high = np.maximum(centre - half, -1.0), np.minimum(centre + half, 1.0)
    found = pd.DataFrame({"difference": gap, "low": low, "high": high, "p_value": p})
    found[few] = np.nan
    found.insert(0, "common", common.astype(int))
    return found
