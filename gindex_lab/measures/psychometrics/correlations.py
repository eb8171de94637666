"""Correlations between items: Pearson's, or of what lies behind right and wrong or graded responses."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import Caution, ensure
from gindex_lab.foundation.likes import NumbersLike, ResponsesLike
from gindex_lab.foundation.validate import FloatArray, choice, confidence, flag, numeric_frame, vector
from gindex_lab.measures.psychometrics.polychoric import mixed, polychoric, tetrachoric

__all__ = [
    "KINDS",
    "correlation",
    "correlation_matrix",
    "correlations",
    "rank_correlation",
    "rank_interval",
    "smoothed",
]

_FEWEST_RANKED = 20  # agents: with ten, limits held in 75% where two measures agree on nearly all


def correlation(x: NumbersLike, y: NumbersLike) -> float:
    """Pearson's correlation, NaN where one of the two does not vary.

    >>> correlation([1, 2, 3], [2, 4, 6])
    1.0
    >>> correlation([1, 2, 3], [5, 5, 5])
    nan
    """
    a, b = vector("x", x), vector("y", y)
    problem = f"[wrong-length] has a different length from x ({len(a)})"
    ensure(len(a) == len(b), "y", len(b), problem, "pair the numbers")
    # constant up to rounding: the correlation of rounding errors means nothing
    if len(a) < 2 or any(np.ptp(x) <= 1e-12 * np.abs(x).max() for x in (a, b)):
        return float("nan")
    a, b = a - a.mean(), b - b.mean()
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1, 1))


def rank_correlation(x: NumbersLike, y: NumbersLike) -> float:
    """Spearman's correlation: Pearson's, of the average ranks.

    >>> rank_correlation([1, 2, 3, 4], [1, 10, 100, 1000])
    1.0
    """
    return correlation(*(pd.Series(vector(name, v)).rank() for name, v in (("x", x), ("y", y))))


def rank_interval(x: NumbersLike, y: NumbersLike, ci: float = 0.95) -> tuple[float, float]:
    """Limits of Spearman's correlation over agents: Fisher's z, with the error that the agents show.

    Each agent's influence on r, its part in the ranks of all others included, gives the error (Hampel 1974,
    J. Am. Stat. Assoc. 69, 383-393), so that ties and a cloud of any shape count. Up to 3/n of all agents may
    be of a kind that no n agents show (Hanley and Lippman-Hand 1983, JAMA 249, 1743-1745), and two measures
    may have nothing in common on them: the limit nearer to 0 is moved there by that share. Measured on 63
    report designs, it held in 90 to 100% (`data/measured/ranks.csv`). Below 20 agents, and where more than
    half of them share one value, there are no limits (NaN).

    >>> rng = np.random.default_rng(1)
    >>> ability = rng.standard_normal(100)
    >>> [round(limit, 2) for limit in rank_interval(ability, ability + rng.standard_normal(100))]
    [0.41, 0.72]
    """
    from scipy.special import ndtri

    ranks = [pd.Series(vector(name, v)).rank().to_numpy() for name, v in (("x", x), ("y", y))]
    r, n = correlation(*ranks), len(ranks[0])
    if max(np.unique(rank, return_counts=True)[1].max() for rank in ranks) > n / 2:
        return np.nan, np.nan
    if np.isnan(r) or n < _FEWEST_RANKED or abs(r) > 1 - 1e-12:
        return (r, r) if n >= _FEWEST_RANKED and abs(r) > 1 - 1e-12 else (np.nan, np.nan)
    u, v = ((rank - rank.mean()) / rank.std() for rank in ranks)
    scale = [rank.std() / n for rank in ranks]
    shared = u * v + _above(ranks[0], v) / scale[0] + _above(ranks[1], u) / scale[1]
    own = u**2 + v**2 + 2 * (_above(ranks[0], u) / scale[0] + _above(ranks[1], v) / scale[1])
    influence = shared - r / 2 * own
    half = ndtri((1 + confidence(ci)) / 2) * influence.std() / np.sqrt(n - 1) / (1 - r**2)
    low, high = (float(np.tanh(np.arctanh(r) + side * half)) for side in (-1, 1))
    return low - 3 / n * max(low, 0.0), high - 3 / n * min(high, 0.0)


def _above(ranks: FloatArray, values: FloatArray) -> FloatArray:
    """For each agent the sum of the values of agents ranked above it, ties by half, over their number."""
    _, level = np.unique(ranks, return_inverse=True)
    sums = np.bincount(level, values)
    return np.asarray((sums[::-1].cumsum()[::-1] - sums / 2)[level] / len(ranks))


def correlations(responses: ResponsesLike, kind: str = "pearson", *, smooth: bool = True) -> pd.DataFrame:
    """Correlate the items of a table, also by what lies behind their categories.

    Parameters
    ----------
    responses : Responses or a table, agents x items; missing cells are left out pair by pair
    kind : "pearson", "tetrachoric" (0 and 1), "polychoric" (graded) or "mixed"
    smooth : replace a matrix that no data could have (negative eigenvalues, from gaps or thresholds) by the
        `smoothed` one, with a `Caution`

    Returns
    -------
    DataFrame, items x items.

    Notes
    -----
    How thresholds and empty cells are treated: `gindex_lab.measures.psychometrics.polychoric`.

    References
    ----------
    Olsson (1979), Psychometrika 44, 443-460 (polychoric). R: `psych::tetrachoric`, `polychoric`, `mixedCor`.

    Examples
    --------
    >>> table = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]})
    >>> correlations(table).loc["a", "b"].round(4), correlations(table, "tetrachoric").loc["a", "b"].round(4)
    (np.float64(0.5774), np.float64(0.4236))
    """
    choice("kind", kind, KINDS)
    frame = numeric_frame("responses", getattr(responses, "frame", responses))
    table = _HOW[kind](frame)
    apart = np.argwhere(table.isna().to_numpy())
    pair = tuple(table.index[i] for i in apart[0]) if len(apart) else ()
    problem = "[no-variance] are two items that no two agents tell apart"
    ensure(not pair, "responses", pair, problem, "drop one of them")
    given = table.to_numpy()
    matrix = smoothed(given) if flag("smooth", smooth) else given
    if matrix is not given:
        warn_of_smoothing(stacklevel=2)
    return pd.DataFrame(matrix, table.index, table.columns)


_HOW = {
    "pearson": lambda frame: frame.corr(),
    "tetrachoric": tetrachoric,
    "polychoric": polychoric,
    "mixed": mixed,
}
KINDS = list(_HOW)


def correlation_matrix(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame, if it is a correlation matrix: square, symmetric, ones on the diagonal, all in [-1, 1].

    >>> correlation_matrix(pd.DataFrame([[1, 0.5], [0.5, 1]])).shape
    (2, 2)
    """
    matrix = frame.to_numpy()
    square = matrix.shape[0] == matrix.shape[1] and not np.isnan(matrix).any()
    proper = square and np.abs(matrix - matrix.T).max() <= 1e-6 and np.abs(matrix).max() <= 1 + 1e-9
    problem = "[not-a-correlation-matrix] is not a correlation matrix (square, symmetric, between -1 and 1, "
    remedy = "pass one, or agents x items without n_obs"
    ensure(proper, "responses", frame.shape, f"{problem}no gaps)", remedy)
    problem = "[not-a-correlation-matrix] has a diagonal that is not one"
    ones = np.abs(matrix.diagonal() - 1).max() <= 1e-6
    ensure(ones, "responses", frame.shape, problem, "divide covariances by the deviations")
    return pd.DataFrame((matrix + matrix.T) / 2, frame.columns, frame.columns)


def warn_of_smoothing(stacklevel: int) -> None:
    """Say that the correlations were not those of any data."""
    said = "the correlations had negative eigenvalues, which no data could have, and were smoothed"
    warnings.warn(f"[smoothed] {said}; measure more agents", Caution, stacklevel=stacklevel + 1)


def smoothed(matrix: FloatArray, least: float = 1e-6) -> FloatArray:
    """The nearest-looking proper correlation matrix: negative eigenvalues lifted, diagonal one again.

    Pairwise and tetrachoric matrices may have negative eigenvalues, which no data could have.

    >>> bad = np.array([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]])
    >>> np.linalg.eigvalsh(smoothed(bad)).min() > 0
    np.True_
    """
    values, vectors = np.linalg.eigh(matrix)
    if values.min() >= -1e-10:
        return matrix
    lifted = (vectors * np.maximum(values, least)) @ vectors.T
    scale = 1 / np.sqrt(lifted.diagonal())
    return lifted * np.outer(scale, scale)
