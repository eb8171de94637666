"""What fitted curves are read for: horizons, location, spread, and the same on the tested interval.

Noise in the minutes makes horizons beyond the middle of a suite too long, and every spread too wide. With
recorded h' = h + e of standard deviation τ (classical error, measured minutes), the reliability
κ = 1 - τ²/Var(h') and the mean μ of h', θ = μ + κ(θ' - μ) and S² = κ²S'² - κτ². Minutes assigned by a rule
(Berkson error, h = h' + e) leave θ alone: S² = S'² - τ² (`specs/horizon.md`, section 11).
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.curves import Interval, conclude
from gindex_lab.measures.horizons.fitting import NO_FAILURE, NO_SUCCESS, Curves
from gindex_lab.measures.horizons.logistic import SPREAD, area_and_moment

__all__ = ["TESTED", "corrected", "horizon_name", "read_curves", "reliability"]

#: measures of the tested interval: their columns
TESTED = {
    "capability": "capability_logistic_tested",
    "spread": "spread_logistic_tested",
    "normalised_generality": "normalised_generality_logistic",
}


def horizon_name(level: float) -> str:
    """The column of a level."""
    return f"horizon_{100 * level:.10g}"


def read_curves(
    curves: Curves, levels: tuple[float, ...], interval: Interval, reference: bool = False
) -> dict[str, FloatArray]:
    """Every logistic measure (`specs/horizon.md`, sections 9 and 14), one entry per curve.

    Success is p at θ + ln((d - p)/(p - c))/β. A curve that does not fall has no measures; no success at all
    is a horizon of 0 and the capability of the lower end, no failure at all an infinite one and the upper
    end. In `reference` mode a rising curve keeps its number.
    """
    none, all_ = curves.state == NO_SUCCESS, curves.state == NO_FAILURE
    usable = curves.falling | (reference & ~none & ~all_)

    def cases(values: FloatArray, at_none: float, at_all: float) -> FloatArray:
        return np.where(usable, values, np.where(none, at_none, np.where(all_, at_all, np.nan)))

    found: dict[str, FloatArray] = {}
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for p in levels:
            odds = np.log((curves.ceiling - p) / (p - curves.floor))
            found[horizon_name(p)] = cases(2.0 ** (curves.theta + odds / curves.beta), 0.0, np.inf)
        spread = np.where(curves.falling, SPREAD / curves.beta, np.nan)
    place = cases(curves.theta, -np.inf, np.inf)
    found |= {"slope": curves.beta}  # negative where success rises, and NaN without a success
    found |= {"location": place, "capability_logistic": place, "spread_logistic": spread}
    tested = _tested(curves, usable, interval)
    ends = {"capability": interval, "spread": (0.0, 0.0), "normalised_generality": (1.0, 1.0)}
    return found | {column: cases(tested[name], *ends[name]) for name, column in TESTED.items()}


def _tested(curves: Curves, usable: np.ndarray, interval: Interval) -> dict[str, FloatArray]:
    """Ψ, S and γ on the interval; a step is its own clipped threshold."""
    low, high = interval
    theta = np.where(usable & np.isfinite(curves.theta), curves.theta, low)
    steep = np.isinf(curves.beta)
    beta = np.where(usable & ~steep, curves.beta, 1.0)
    smooth = area_and_moment(theta, beta, interval, curves.floor, curves.ceiling)
    place = np.clip(theta, low, high) - low
    step = place, place**2 / 2, np.zeros_like(place)
    area, moment, variance = (np.where(steep, *both) for both in zip(step, smooth, strict=True))
    return conclude(area, moment, variance, interval)._asdict()


def reliability(h: FloatArray, weights: FloatArray, noise: float) -> tuple[FloatArray, FloatArray]:
    """The weighted mean μ of the lengths and κ = 1 - τ²/Var(h'), for each row of weights (R, n)."""
    total = np.maximum(weights.sum(axis=1), 1e-300)
    mean = weights @ h / total
    variance = np.maximum(weights @ h**2 / total - mean**2, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = np.where(variance > 0, 1 - noise**2 / variance, -np.inf)
    return mean, kappa


def corrected(curves: Curves, h: FloatArray, weights: FloatArray, noise: float, error: str) -> Curves:
    """The curves that error-free minutes would have given.

    Where noise of this size explains the whole spread, a step is left: β = ∞. Noise as large as the lengths'
    own scatter is refused.
    """
    if noise == 0:
        return curves
    mean, kappa = reliability(h, weights, noise)
    if error == "berkson":
        mean, kappa = np.zeros_like(mean), np.ones_like(kappa)
    if (kappa[curves.falling] <= 0).all() and curves.falling.any():
        problem = "[out-of-range] is as large as the scatter of the recorded lengths themselves"
        remedy = "give the standard deviation of one length's error in doublings, such as 1.2"
        raise BadInput("noise", noise, problem, remedy)
    usable = curves.falling & (kappa > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        square = (kappa * SPREAD / curves.beta) ** 2 - kappa * noise**2
        beta = np.where(square > 0, SPREAD / np.sqrt(np.maximum(square, 0.0)), np.inf)
        theta = mean + kappa * (curves.theta - mean)
    return curves._replace(
        theta=np.where(usable, theta, curves.theta), beta=np.where(usable, beta, curves.beta)
    )
