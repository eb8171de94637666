"""Which agents score differently? Paired differences in points, on the items that both met.

Right-or-wrong responses: McNemar's exact test of the items that only one of the two solved, with the
interval of Bonett and Price. Graded ones, and families: Student's interval of the differences and the test
that exchanges the two agents unit by unit (Fisher 1935). All pairs together are corrected by Holm's method.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import Label, ResponsesLike
from gindex_lab.foundation.many_tests import half_width, holm
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, choice, number
from gindex_lab.measures.pairs import FEWEST_COMMON, exchange
from gindex_lab.studies.analysis.accuracy import family_codes, is_binary

__all__ = ["MOST_PAIRED", "mcnemar", "score_differences"]

MOST_PAIRED = 2_000  # agents
_BLOCK = 20_000_000  # cells of a temporary array


def score_differences(
    responses: ResponsesLike, ci: float = 0.95, resample: str = "items", *, against: Label = None
) -> pd.DataFrame:
    """Every pair of agents: how far their scores differ on the items that both met.

    Parameters
    ----------
    responses : gl.Responses, agents x items
    ci : of the limits (one pair at a time) and of the verdicts (all pairs at once, Holm 1979)
    resample : "items" or "families"
    against : one agent, to be compared with each other; it may have been chosen by its score, so p values
        are multiplied by the number of all pairs (Bonferroni)

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
    if not isinstance(responses, Responses):
        problem = "holds no responses in [0, 1]"
        raise BadInput("responses", type(responses).__name__, problem, "pass gl.Responses")
    level = number("ci", ci, 0, 1, open_ends=True)
    choice("resample", resample, ["items", "families"])
    agents = responses.frame.index
    first, second = _pairs(agents, against)
    if resample == "items" and is_binary(responses):
        found = _by_mcnemar(responses.values, first, second, level)
    else:
        codes = np.arange(responses.shape[1]) if resample == "items" else family_codes(responses)
        found = _by_exchange(responses.values, codes, first, second, level)
    found.insert(0, "a", agents[first])
    found.insert(1, "b", agents[second])
    p = found["p_value"].to_numpy(dtype=float)
    pairs = len(agents) * (len(agents) - 1) // 2
    found["p_adjusted"] = holm(p) if against is None else np.minimum(p * pairs, 1.0)
    found["verdict"] = np.select(
        [found["p_value"].isna(), found["p_adjusted"] <= 1 - level],
        ["not comparable", "separated"],
        "not separated",
    )
    return found


def _pairs(agents: pd.Index, against: Label) -> tuple[np.ndarray, np.ndarray]:
    if against is None:
        if len(agents) > MOST_PAIRED:
            problem = f"are too many agents to pair (more than {MOST_PAIRED})"
            remedy = "name one with against=..., or select some with .select(agents=...)"
            raise BadInput("responses", len(agents), problem, remedy)
        return np.triu_indices(len(agents), 1)
    if not isinstance(against, Hashable) or against not in agents:
        remedy = f"known are {list(agents[:5])} …"
        raise BadInput("against", against, "is not an agent of the table", remedy)
    others = np.flatnonzero(agents != against)
    return np.full(len(others), agents.get_loc(against)), others


def mcnemar(only_a: np.ndarray, only_b: np.ndarray) -> FloatArray:
    """Exact two-sided p (P,) of the items that only one agent solved: a fair toss for each.

    >>> mcnemar(np.array([9, 1, 0]), np.array([0, 1, 0])).round(4).tolist()
    [0.0039, 1.0, 1.0]
    """
    from scipy.special import bdtr

    fewer, count = np.minimum(only_a, only_b), only_a + only_b
    return np.asarray(np.minimum(1.0, 2 * bdtr(fewer, count.astype(np.int64), 0.5)))


def _by_mcnemar(
    values: FloatArray, first: np.ndarray, second: np.ndarray, ci: float
) -> pd.DataFrame:
    from scipy.special import ndtri

    wins, losses, common = _counts(values, first, second)
    n = np.where(common >= FEWEST_COMMON, common, np.nan)
    p, q = (wins + 1) / (n + 2), (losses + 1) / (n + 2)
    half = ndtri((1 + ci) / 2) * np.sqrt((p + q - (p - q) ** 2) / (n + 2))
    return pd.DataFrame(
        {
            "common": common.astype(int),
            "difference": (wins - losses) / n,
            "low": np.maximum(p - q - half, -1.0),
            "high": np.minimum(p - q + half, 1.0),
            "p_value": np.where(np.isnan(n), np.nan, mcnemar(wins, losses)),
        }
    )


def _counts(
    values: FloatArray, first: np.ndarray, second: np.ndarray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Items (P,) that only the first solved, only the second, and that both met: products of matrices."""
    met = (~np.isnan(values)).astype(np.float32)
    right = np.nan_to_num(values).astype(np.float32)
    rows = np.unique(first)
    place = np.searchsorted(rows, first)
    products = (
        right[rows] @ (met - right).T,
        (met - right)[rows] @ right.T,
        met[rows] @ met.T,
    )
    wins, losses, common = (np.rint(x)[place, second].astype(float) for x in products)
    return wins, losses, common


def _by_exchange(
    values: FloatArray, codes: np.ndarray, first: np.ndarray, second: np.ndarray, ci: float
) -> pd.DataFrame:
    size = max(1, _BLOCK // values.shape[1])
    parts = [
        _exchanged(values[first[i : i + size]] - values[second[i : i + size]], codes, ci)
        for i in range(0, len(first), size)
    ]
    columns = ["common", "difference", "low", "high", "p_value"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def _exchanged(gaps: FloatArray, codes: np.ndarray, ci: float) -> pd.DataFrame:
    """The mean of differences (P, N), NaN where one of the two did not meet the item, summed by unit."""
    met = ~np.isnan(gaps)
    common = met.sum(axis=1)
    cells = np.where(met, gaps, 0.0) / np.maximum(common, 1)[:, None]
    mean = cells.sum(axis=1)
    away = np.where(met, cells - mean[:, None] / np.maximum(common, 1)[:, None], 0.0)
    if codes.max() + 1 < len(codes):
        place = np.zeros((len(codes), codes.max() + 1))
        place[np.arange(len(codes)), codes] = 1.0
        cells, away, met = cells @ place, away @ place, (met @ place) > 0
    units = met.sum(axis=1)
    error = np.sqrt((away**2).sum(axis=1) * units / np.maximum(units - 1, 1))
    error = np.maximum(error, 0.5 / np.maximum(common, 1))  # half an item may always differ
    half = half_width(error, ci, np.maximum(units - 1, 1))
    rows, zero = np.arange(len(cells)), len(cells)
    p = exchange(np.vstack([cells, np.zeros((1, cells.shape[1]))]), rows, np.full(zero, zero))
    few = units < FEWEST_COMMON
    blank = np.where(few, np.nan, 1.0)
    return pd.DataFrame(
        {
            "common": common,
            "difference": mean * blank,
            "low": np.maximum(mean - half, -1.0) * blank,
            "high": np.minimum(mean + half, 1.0) * blank,
            "p_value": p * blank,
        }
    )
