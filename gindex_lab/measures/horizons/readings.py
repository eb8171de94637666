"""What fitted curves are read for: horizons, location, spread, and the same on the tested interval."""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.curves import conclude
from gindex_lab.measures.horizons.fitting import NO_FAILURE, NO_SUCCESS, Curves
from gindex_lab.measures.horizons.logistic import SPREAD, Interval, area_and_moment

__all__ = ["horizon_name", "length_at", "read_curves"]


def horizon_name(level: float) -> str:
    """The column of a level.

    >>> horizon_name(0.5), horizon_name(0.999)
    ('horizon_50', 'horizon_99.9')
    """
    return f"horizon_{100 * level:.10g}"


def length_at(curves: Curves, level: float) -> FloatArray:
    """log2 minutes at which success is `level`: θ + ln((d - p)/(p - c))/β; NaN outside (c, d)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.log((curves.ceiling - level) / (level - curves.floor))
        return np.asarray(curves.theta + odds / curves.beta)


def read_curves(
    curves: Curves, levels: tuple[float, ...], interval: Interval, reference: bool = False
) -> dict[str, FloatArray]:
    """Every logistic measure (`specs/horizon.md`, sections 9 and 14), one entry per curve.

    A curve that does not fall has none; no success at all is a horizon of 0 and the capability of the
    lower end, no failure at all an infinite one and the upper end. In `reference` mode a rising curve
    keeps its number.
    """
    none, all_ = curves.state == NO_SUCCESS, curves.state == NO_FAILURE
    usable = curves.falling | (reference & ~none & ~all_)
    found: dict[str, FloatArray] = {}
    for level in levels:
        with np.errstate(over="ignore"):
            minutes = 2.0 ** length_at(curves, level)
        found[horizon_name(level)] = _cases(minutes, usable, none, all_, 0.0, np.inf)
    found["slope"] = curves.beta  # a rising curve has a negative one, and no success none
    found["location"] = _cases(curves.theta, usable, none, all_, -np.inf, np.inf)
    found["capability_logistic"] = found["location"]
    with np.errstate(divide="ignore", invalid="ignore"):
        found["spread_logistic"] = np.where(curves.falling, SPREAD / curves.beta, np.nan)
    tested = _tested(curves, usable, interval)
    ends = {
        "capability": interval,
        "spread": (0.0, 0.0),
        "normalised_generality": (1.0, 1.0),
    }
    names = {
        "capability": "capability_logistic_tested",
        "spread": "spread_logistic_tested",
        "normalised_generality": "normalised_generality_logistic",
    }
    for name, column in names.items():
        found[column] = _cases(tested[name], usable, none, all_, *ends[name])
    return found


def _cases(
    values: FloatArray,
    usable: np.ndarray,
    none: np.ndarray,
    all_: np.ndarray,
    at_none: float,
    at_all: float,
) -> FloatArray:
    return np.where(usable, values, np.where(none, at_none, np.where(all_, at_all, np.nan)))


def _tested(curves: Curves, usable: np.ndarray, interval: Interval) -> dict[str, FloatArray]:
    """Ψ, S and γ on the interval; a step is its own clipped threshold."""
    low, high = interval
    theta = np.where(usable & np.isfinite(curves.theta), curves.theta, low)
    steep = np.isinf(curves.beta)
    beta = np.where(usable & np.isfinite(curves.beta), curves.beta, 1.0)
    area, moment, variance = area_and_moment(theta, beta, interval, curves.floor, curves.ceiling)
    place = np.clip(theta, low, high) - low
    area = np.where(steep, place, area)
    moment = np.where(steep, place**2 / 2, moment)
    variance = np.where(steep, 0.0, variance)
    return conclude(area, moment, variance, interval)._asdict()
