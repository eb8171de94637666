"""A smooth curve through the mean responses: two numbers instead of one per difficulty.

ψ(h) = 1 / (1 + exp(-b(h - c))) by least squares, held to 1 at the lower limit and to 0 at the upper
one by pseudo-observations, as the authors do for the mazes and the letter series.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray, integer
from gindex_lab.measures.curves import Interval
from gindex_lab.measures.generality import difficulties_of, study_of
from gindex_lab.measures.reference import difficulty_limits, reference_indicators

__all__ = ["SigmoidCurve", "sigmoid_curve"]

_STEP = 0.1
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
    responses: object, difficulty: object = None, *, weight: int = 1000
) -> SigmoidCurve:
    """The logistic curve through the items' mean responses, and its capability and generality.

    The limits come from `difficulty_limits`, and `weight` pseudo-observations hold each end, as in
    the authors' code (supplement, A.1). The curve is read every 0.1 between the limits.

    >>> fit = sigmoid_curve([[1, 0.9, 0.5, 0.1, 0]], [3, 4, 5, 6, 7])
    >>> round(fit.location, 3), fit.slope < 0
    (5.0, True)
    """
    study = study_of(responses, difficulty, "drop")
    h, limits = difficulties_of(study), difficulty_limits(difficulties_of(study))
    points = (limits[1] - limits[0]) / _STEP
    if not points <= _MOST:
        problem = (
            f"would make a curve of {points:.3g} points, {_STEP} apart; the limit is {_MOST:,}"
        )
        remedy = "use a coarser unit, or the logarithm"
        raise BadInput("difficulty", limits, problem, remedy, code="out-of-range")
    weights = np.concatenate([np.ones(len(h)), np.full(2, integer("weight", weight))])
    places = np.concatenate([h, limits])
    means = np.concatenate([np.nanmean(study.values, axis=0), [1.0, 0.0]])
    slope, location = _fit(places, means, np.sqrt(weights))
    x = np.asarray(
        limits[0] + _STEP * np.arange(int(points + 1e-10) + 1),
        dtype=np.float64,
    )
    y = _logistic(slope, location, x)
    found = reference_indicators(x, y[None, :])
    return SigmoidCurve(
        slope,
        location,
        limits,
        pd.DataFrame({"difficulty": x, "response": y}),
        float(found.capability[0]),
        float(found.spread[0]),
        float(found.generality[0]),
        float(found.expected_difficulty[0]),
    )


def _logistic(slope: float, location: float, x: FloatArray) -> FloatArray:
    from scipy.special import expit

    return np.asarray(expit(slope * (x - location)))


def _fit(x: FloatArray, y: FloatArray, weight: FloatArray) -> tuple[float, float]:
    """Least squares from a start that knows the scale: the middle, and a fall over the range."""
    from scipy.optimize import least_squares

    start = [-4 / (x.max() - x.min()), float(np.median(x))]
    fit = least_squares(
        lambda p: weight * (_logistic(p[0], p[1], x) - y),
        start,
        x_scale="jac",
        xtol=1e-14,
        ftol=1e-14,
    )
    if not fit.success:
        raise BadInput(
            "responses", fit.message, "did not give a sigmoid", "look at the curve itself"
        )
    return float(fit.x[0]), float(fit.x[1])
