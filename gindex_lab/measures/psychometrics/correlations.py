"""Correlations between items: Pearson, or tetrachoric for right and wrong.

Two items answered right or wrong cannot correlate fully unless they are equally hard, which makes
"difficulty factors" out of nothing. The tetrachoric correlation asks instead how two normal variables
would correlate that lie behind the two cuts. With missing cells each pair uses the agents it has.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import NumbersLike
from gindex_lab.foundation.validate import FloatArray, choice, vector

__all__ = ["correlation", "correlations", "rank_correlation", "smoothed", "tetrachoric"]

_STEEPEST = 0.9999  # a tetrachoric correlation of one is a limit that no table reaches


def correlation(x: NumbersLike, y: NumbersLike) -> float:
    """Pearson's correlation, NaN where one of the two does not vary.

    >>> correlation([1, 2, 3], [2, 4, 6])
    1.0
    >>> correlation([1, 2, 3], [5, 5, 5])
    nan
    """
    a, b = vector("x", x), vector("y", y)
    if len(a) != len(b):
        raise BadInput("y", len(b), f"has a different length from x ({len(a)})", "pair the numbers")
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


def correlations(frame: pd.DataFrame, kind: str = "pearson") -> pd.DataFrame:
    """Items x items, of agents x items.

    >>> correlations(pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]})).loc["a", "b"].round(4)
    np.float64(0.5774)
    """
    choice("correlation", kind, ["pearson", "tetrachoric"])
    table = frame.corr() if kind == "pearson" else tetrachoric(frame)
    apart = np.argwhere(table.isna().to_numpy())
    if len(apart):
        pair = tuple(table.index[i] for i in apart[0])
        problem = "are two items that no two agents tell apart"
        raise BadInput("responses", pair, problem, "drop one of them")
    return table


def tetrachoric(frame: pd.DataFrame) -> pd.DataFrame:
    """Tetrachoric correlations by maximum likelihood (Pearson 1900; Olsson 1979, two-step).

    The cuts are τ = Φ⁻¹(share wrong); ρ solves Φ₂(τ_i, τ_j; ρ) = share wrong on both. A pair with an
    empty cell gets half an agent in each empty cell first, as in R's psych.

    With cuts at the medians ρ = sin(2π (p - 1/4)), p the share wrong on both:

    >>> table = pd.DataFrame({"a": [0, 0, 0, 1, 1, 1, 0, 1] * 5, "b": [0, 0, 0, 1, 1, 1, 1, 0] * 5})
    >>> tetrachoric(table).loc["a", "b"].round(4), np.sin(2 * np.pi * (3 / 8 - 1 / 4)).round(4)
    (np.float64(0.7071), np.float64(0.7071))
    """
    from scipy.special import ndtri

    values = frame.to_numpy(dtype=float)
    odd = np.argwhere(~np.isnan(values) & (values != 0) & (values != 1))
    if len(odd):
        agent, item = frame.index[odd[0][0]], frame.columns[odd[0][1]]
        raise BadInput(
            f"responses[{agent!r}, {item!r}]",
            float(values[tuple(odd[0])]),
            "is neither 0 nor 1",
            'round the responses first, or use correlation="pearson"',
        )
    items = values.shape[1]
    first, second = np.triu_indices(items, 1)
    cells = _cells(values)[:, first, second]
    cells = cells + 0.5 * (cells == 0)
    share = cells / cells.sum(0)
    cut_a, cut_b = ndtri(share[0] + share[1]), ndtri(share[0] + share[2])
    rho = np.eye(items)
    rho[first, second] = rho[second, first] = _solve(cut_a, cut_b, share[0])
    return pd.DataFrame(rho, frame.columns, frame.columns)


def _cells(values: FloatArray) -> FloatArray:
    """How many agents are wrong-wrong, wrong-right, right-wrong, right-right: 4 x items x items."""
    right = np.nan_to_num(values)
    wrong = np.where(np.isnan(values), 0.0, 1.0 - values)
    return np.stack([a.T @ b for a in (wrong, right) for b in (wrong, right)])


def _solve(cut_a: FloatArray, cut_b: FloatArray, both: FloatArray) -> FloatArray:
    """ρ with Φ₂(cut_a, cut_b; ρ) = both, by bisection: Φ₂ grows with ρ."""
    low, high = np.full_like(both, -_STEEPEST), np.full_like(both, _STEEPEST)
    for _ in range(45):
        middle = (low + high) / 2
        short = _bivariate_normal(cut_a, cut_b, middle) < both
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return (low + high) / 2


def _bivariate_normal(h: FloatArray, k: FloatArray, rho: FloatArray) -> FloatArray:
    """Φ₂(h, k; ρ) = Φ(h) Φ(k) + 1/2π ∫₀^{asin ρ} exp(-(h² + k² - 2hk sin t) / 2cos² t) dt."""
    from scipy.special import ndtr

    nodes, weights = np.polynomial.legendre.leggauss(32)
    reach = np.arcsin(rho)[:, None] / 2
    sine = np.sin(reach * (nodes + 1))
    exponent = (h**2 + k**2)[:, None] - 2 * (h * k)[:, None] * sine
    integral = (reach * np.exp(-exponent / (2 * (1 - sine**2)))) @ weights
    return ndtr(h) * ndtr(k) + integral / (2 * np.pi)


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
