"""A smooth curve through the mean responses: two numbers instead of one per difficulty.

ψ(h) = 1 / (1 + exp(-b(h - c))) by least squares, held to 1 at the lower limit and to 0 at the upper
one by pseudo-observations, as the authors do for the mazes and the letter series.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import DifficultyLike, ResponsesLike
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.curves import Interval, difficulty_limits
from gindex_lab.measures.generality import difficulties_of, study_of
from gindex_lab.measures.reference import reference_indicators

__all__ = ["SigmoidCurve", "sigmoid_curve"]

_STEP = 0.1  # between two points of the curve, as in the authors' code
_MOST = 2_000_000  # points of a curve: 0.1 is a step for difficulties, not for milliseconds


class SigmoidCurve(NamedTuple):
    """The fitted curve: slope b, location c, and the indicators of the curve itself."""

    slope: float
    location: float
    limits: Interval
    curve: pd.DataFrame
    capability: float
    spread: float
    generality: float
    expected_difficulty: float


def sigmoid_curve(
    responses: ResponsesLike, difficulty: DifficultyLike = None, *, weight: int = 1000
) -> SigmoidCurve:
    """The logistic curve through the items' mean responses, and its capability and generality.

    ψ(h) = 1 / (1 + exp(-b(h - c))) by least squares, read every 0.1 between the limits.

    Parameters
    ----------
    responses, difficulty : as for `gl.generality`; missing responses are left out
    weight : pseudo-observations that hold each end of the limits, at 1 and at 0

    Returns
    -------
    SigmoidCurve
        `slope` (b), `location` (c), `limits`, `curve` (DataFrame `difficulty`, `response`), `capability`,
        `spread`, `generality`, `expected_difficulty`.

    References
    ----------
    Supplement of the generality paper, A.1; the limits are those of the authors' code.

    Examples
    --------
    >>> fit = sigmoid_curve([[1, 0.9, 0.5, 0.1, 0]], [3, 4, 5, 6, 7])
    >>> round(fit.location, 3), fit.slope < 0
    (5.0, True)
    """
    from scipy.special import expit

    study = study_of(responses, difficulty, "drop")
    h, limits = difficulties_of(study), difficulty_limits(difficulties_of(study))
    points = (limits[1] - limits[0]) / _STEP
    many = f"would make a curve of {points:.3g} points, {_STEP} apart; the limit is {_MOST:,}"
    remedy = "use a coarser unit, or the logarithm"
    ensure(points <= _MOST, "difficulty", limits, f"[out-of-range] {many}", remedy)
    count = (~np.isnan(study.values)).sum(axis=0)
    met = count > 0
    weights = np.concatenate([np.ones(met.sum()), np.full(2, weight)])
    means = np.concatenate([np.nansum(study.values, axis=0)[met] / count[met], [1.0, 0.0]])
    slope, location = _fit(np.concatenate([h[met], limits]), means, np.sqrt(weights))
    x = limits[0] + _STEP * np.arange(int(points + 1e-10) + 1, dtype=float)
    y = np.asarray(expit(slope * (x - location)))
    found = reference_indicators(x, y[None, :])
    names = ("capability", "spread", "generality", "expected_difficulty")
    curve = pd.DataFrame({"difficulty": x, "response": y})
    return SigmoidCurve(slope, location, limits, curve, *(float(getattr(found, n)[0]) for n in names))


def _fit(x: FloatArray, y: FloatArray, weight: FloatArray) -> tuple[float, float]:
    """Least squares from a start that knows the scale: the middle, and a fall over the range."""
    from scipy.optimize import least_squares
    from scipy.special import expit

    start = [-4 / (x.max() - x.min()), float(np.median(x))]
    tight = {"xtol": 1e-14, "ftol": 1e-14}
    fit = least_squares(lambda p: weight * (expit(p[0] * (x - p[1])) - y), start, x_scale="jac", **tight)
    ensure(fit.success, "responses", fit.message, "did not give a sigmoid", "look at the curve itself")
    return float(fit.x[0]), float(fit.x[1])
