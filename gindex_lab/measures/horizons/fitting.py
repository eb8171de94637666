"""One logistic curve per agent: converged (exact), or stopped where the published code stops.

The objective is Σ w [ln(1 + e^η) - y η] + (λ/2) b², η = a + b h, h = log2 minutes; the intercept is not
penalised and the weights of an agent sum to 1, so λ competes with one observation (`specs/horizon.md`,
section 3). "exact" is Newton's method, compiled, one row of weights after the other: 16 agents x 291
tasks x 1,000 replicates take under a second where scikit-learn takes two minutes
(`benchmarks/bench_horizon.py`). "reference" calls scikit-learn, whose L-BFGS stops early.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.horizons.fit_kernel import (
    FLAT,
    FOUND,
    NO_FAILURE,
    NO_SUCCESS,
    SEPARABLE,
    UNFINISHED,
    fit_rows,
)

__all__ = [
    "FLAT",
    "FOUND",
    "NO_FAILURE",
    "NO_SUCCESS",
    "SEPARABLE",
    "Curves",
    "fit",
    "fit_reference",
]

_NO_SLOPE = 1e-9  # a rise over one standard deviation of the lengths that is none


class Curves(NamedTuple):
    """Fitted curves ψ = c + (d - c) / (1 + e^{β(h - θ)}), arrays of one length, and how each ended."""

    theta: FloatArray
    beta: FloatArray
    floor: FloatArray
    ceiling: FloatArray
    state: np.ndarray

    @property
    def falling(self) -> np.ndarray:
        """Success falls with length: the curves that have a horizon."""
        return np.isin(self.state, (FOUND, SEPARABLE)) & (self.beta > 0)


def curves_from(intercept: FloatArray, slope: FloatArray, state: np.ndarray) -> Curves:
    """θ = -a/b and β = -b; a step (β = ∞) brings its place as the intercept."""
    step = state == SEPARABLE
    with np.errstate(divide="ignore", invalid="ignore"):
        theta = np.where(step, intercept, -intercept / slope)
    n = len(slope)
    return Curves(theta, -slope, np.zeros(n), np.ones(n), state)


def fit(h: FloatArray, y: FloatArray, weights: FloatArray, penalty: float) -> Curves:
    """The converged curve of each row of weights (R, n), for n runs of log2 length h and response y.

    >>> h, y = np.arange(8.0), np.array([1.0, 1, 1, 0, 1, 0, 0, 0])
    >>> found = fit(h, y, np.full((1, 8), 1 / 8), 1e-5)
    >>> found.theta.round(6).tolist(), found.beta.round(6).tolist()
    ([3.5], [1.282217])
    """
    intercept, slope, state = fit_rows(h, y, np.ascontiguousarray(weights, dtype=float), penalty)
    if (state == UNFINISHED).any():
        raise BadInput(
            "penalty",
            penalty,
            "leaves a curve without an optimum that floating-point numbers can reach",
            "use a larger penalty, such as 1e-5",
            code="not-converged",
        )
    level = np.abs(slope) * float(np.std(h)) < _NO_SLOPE
    state = np.where((state == FOUND) & level, FLAT, state)
    return curves_from(intercept, slope, state)


def fit_reference(h: FloatArray, y: FloatArray, weight: FloatArray, penalty: float) -> Curves:
    """The curve where scikit-learn's `LogisticRegression(C=1/λ)` stops; one row of weights (n,).

    A response between 0 and 1 is split into a success of weight wy and a failure of weight w(1 - y).
    """
    from sklearn.linear_model import LogisticRegression

    kept = weight > 0
    h, y, weight = h[kept], y[kept], weight[kept]
    zero = np.zeros(1)
    if not len(y) or not (y > 0).any():
        return curves_from(zero, zero - np.inf, np.array([NO_SUCCESS]))
    if not (y < 1).any():
        return curves_from(zero, zero + np.inf, np.array([NO_FAILURE]))
    if np.isin(y, (0.0, 1.0)).all():
        rows, classes, shares = h, y, weight
    else:
        rows = np.concatenate([h, h])
        classes = np.concatenate([np.ones(len(h)), np.zeros(len(h))])
        shares = np.concatenate([weight * y, weight * (1 - y)])
        rows, classes, shares = rows[shares > 0], classes[shares > 0], shares[shares > 0]
    model = LogisticRegression(C=np.inf if penalty == 0 else 1 / penalty)
    model.fit(rows[:, None], classes, sample_weight=shares)
    return curves_from(model.intercept_, model.coef_[0], np.array([FOUND]))
