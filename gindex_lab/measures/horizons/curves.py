"""The exact curve of an agent in every replicate: capability, spread and γ without a logistic shape.

At each length the curve is the mean over the runs there; lengths that did not come up are passed over.
"isotonic" bends it first to the closest falling curve, by weighted least squares, which is the maximum
likelihood curve without a shape (`specs/horizon.md`, section 12).
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.curves import Indicators, conclude
from gindex_lab.measures.horizons.curves_kernel import pool_adjacent, walk

__all__ = ["ESTIMATORS", "curve_rows", "falling", "indicator_rows"]

ESTIMATORS = ("trapezoid", "step", "isotonic")


def curve_rows(
    h: FloatArray, y: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Levels (K,), weighted mean response (R, K), NaN where nothing came up, and weight (R, K).

    >>> curve_rows(np.array([1.0, 1.0, 2.0]), np.array([1.0, 0.0, 1.0]), np.array([[1.0, 3.0, 0.0]]))[1]
    array([[0.25,  nan]])
    """
    order = np.argsort(h, kind="stable")
    levels, start = np.unique(h[order], return_index=True)
    rows = weights[:, order]
    total = np.add.reduceat(rows, start, axis=1)
    solved = np.add.reduceat(rows * y[order], start, axis=1)
    psi = np.divide(solved, total, out=np.full_like(total, np.nan), where=total > 0)
    return levels, psi, total


def falling(psi: FloatArray, weight: FloatArray) -> FloatArray:
    """The closest falling curve to each row (R, K) by weighted least squares; NaN stays NaN.

    >>> falling(np.array([[1.0, 0.0, 0.5, 0.0]]), np.ones((1, 4))).tolist()
    [[1.0, 0.25, 0.25, 0.0]]
    """
    return np.asarray(pool_adjacent(np.ascontiguousarray(psi), np.ascontiguousarray(weight)))


def indicator_rows(
    h: FloatArray,
    y: FloatArray,
    plain: FloatArray,
    weighted: FloatArray,
    interval: tuple[float, float],
    estimator: str,
) -> Indicators:
    """The indicators of the curve of each row; `plain` weights count cells, `weighted` ones are those of
    the fit and used by "isotonic". A row without a single run gives NaN."""
    levels, psi, total = curve_rows(h, y, weighted if estimator == "isotonic" else plain)
    if estimator == "isotonic":
        psi, estimator = falling(psi, total), "trapezoid"
    met = np.asarray(~np.isnan(psi).all(axis=1))
    sums = walk(levels, np.ascontiguousarray(psi[met]), *interval, estimator == "step")
    found = conclude(*sums, interval)
    return Indicators(*(_spread_out(np.asarray(x), met) for x in found))


def _spread_out(values: np.ndarray, met: np.ndarray) -> FloatArray:
    out = np.full(len(met), np.nan)
    out[met] = values
    return out
