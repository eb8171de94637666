"""How straight is the ruler? Whether harder items are failed more often.

Difficulty that is given (human minutes, levels, annotations) is a claim. How far it orders the failures of
an agent is measured by their rank correlation: 1 would be a perfect ruler, 0 one that says nothing.
Right-or-wrong responses tie, and keep a correlation below 1; so the chance is given as well that, of two
items that differ in both, the harder one was done worse (Goodman and Kruskal 1954).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import DifficultyLike, ResponsesLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, confidence, per_item
from gindex_lab.measures.psychometrics.correlations import rank_correlation

__all__ = ["difficulty_validity", "rank_limits"]

_FEWEST = 5  # items: Fisher's z needs four, and says nothing with so few


def difficulty_validity(
    responses: ResponsesLike, difficulty: DifficultyLike = None, ci: float = 0.95
) -> pd.DataFrame:
    """How far difficulty orders the failures, agent by agent and over all of them.

    Parameters
    ----------
    responses : gl.Responses, or a table of numbers in [0, 1], agents x items
    difficulty : numbers, a Series by item, or a column of `responses.items`; by default the items' own
    ci : level of the intervals

    Returns
    -------
    DataFrame, one row per agent and the last "all agents" (the mean failure of each item): `n` (items),
    `correlation` (Spearman's of difficulty and failure), `low`, `high`, `ordered` (of pairs of items of
    different difficulty and different outcome, the share in which the harder was done worse) and `verdict`:
    "orders failures", "says nothing", "orders them backwards", "does not vary" or "too few items".

    Notes
    -----
    The interval is Fisher's z with Bonett and Wright's variance (1 + r²/2)/(n - 3). A correlation with
    right-or-wrong responses is below 1 even for a perfect ruler, because responses tie; `ordered` is not.

    References
    ----------
    Spearman (1904); Bonett and Wright (2000), "Sample size requirements for estimating Pearson, Kendall and
    Spearman correlations"; Goodman and Kruskal (1954), whose measure is 2 `ordered` - 1.

    Examples
    --------
    >>> found = difficulty_validity([[1, 1, 1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 1, 0, 1, 0]], range(8))
    >>> found[["correlation", "ordered", "verdict"]].round(2)
                correlation  ordered          verdict
    agent 1            0.87     1.00  orders failures
    agent 2            0.22     0.62     says nothing
    all agents         0.77     0.90  orders failures
    """
    study = responses if isinstance(responses, Responses) else Responses(responses)
    level, hard, values = confidence(ci), _difficulties(study, difficulty), study.values
    met = (~np.isnan(values)).any(axis=0)
    mean = np.full(values.shape[1], np.nan)
    mean[met] = np.nanmean(values[:, met], axis=0)
    rows = [_row(hard, 1 - row, level) for row in (*values, mean)]
    return pd.DataFrame(rows, index=[*study.frame.index, "all agents"])


def _difficulties(study: Responses, difficulty: DifficultyLike) -> FloatArray:
    if difficulty is None and study.difficulty is None:
        remedy = "pass difficulty=..., numbers or a column of the items"
        raise BadInput("difficulty", None, "is needed: the items have none", remedy)
    if difficulty is None or isinstance(difficulty, str):
        found = (study if difficulty is None else study.with_difficulty(difficulty)).difficulty
    else:
        found = per_item("difficulty", difficulty, study.frame.columns)
    hard = np.asarray(found, dtype=float)
    if len(np.unique(hard[~np.isnan(hard)])) < 2:
        problem = "is the same for all items, and cannot order them"
        raise BadInput("difficulty", float(hard[0]), problem, "give at least two difficulties")
    return hard


def rank_limits(r: float, n: int, ci: float) -> tuple[float, float]:
    """Limits of Spearman's r of n pairs: Fisher's z with the variance (1 + r²/2)/(n - 3)."""
    from scipy.special import ndtri

    half = ndtri((1 + ci) / 2) * np.sqrt((1 + r**2 / 2) / (n - 3))
    z = np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12))
    return float(np.tanh(z - half)), float(np.tanh(z + half))


def _row(hard: FloatArray, failure: FloatArray, ci: float) -> dict[str, object]:
    seen = ~np.isnan(failure) & ~np.isnan(hard)
    h, f, n = hard[seen], failure[seen], int(seen.sum())
    r = rank_correlation(h, f) if n >= 2 else float("nan")
    low = high = float("nan")
    if n < _FEWEST:
        verdict = "too few items"
    elif np.isnan(r):
        verdict = "does not vary"
    else:
        low, high = rank_limits(r, n, ci)
        verdict = "orders failures" if low > 0 else "orders them backwards" if high < 0 else "says nothing"
    found = {"n": n, "correlation": r, "low": low, "high": high, "ordered": _ordered(h, f)}
    return found | {"verdict": verdict}


def _ordered(h: FloatArray, f: FloatArray) -> float:
    """C / (C + D): of the pairs that differ in both, the share in which the harder item was done worse.

    Kendall's τ_b gives C - D, and the ties give C + D.

    >>> round(_ordered(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.5])), 4)
    0.6667
    """
    from scipy.stats import kendalltau

    def tied(*columns: FloatArray) -> float:
        counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)[1]
        return float((counts * (counts - 1) / 2).sum())

    pairs = len(h) * (len(h) - 1) / 2
    a, b = pairs - tied(h), pairs - tied(f)
    differ = a + b - pairs + tied(h, f)
    if not differ > 0:
        return float("nan")
    return float(1 + kendalltau(h, f).statistic * np.sqrt(a * b) / differ) / 2
