"""Noise in the minutes makes horizons beyond the middle of a suite too long, and every spread too wide.

Recorded h' = h + e with standard deviation τ (classical error, measured minutes): with the reliability
κ = 1 - τ²/Var(h') and the mean μ of h', θ = μ + κ(θ' - μ) and S² = κ²S'² - κτ². Minutes assigned by a
rule (Berkson error, h = h' + e) leave θ alone: S² = S'² - τ² (`specs/horizon.md`, section 11).
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.horizons.fitting import Curves
from gindex_lab.measures.horizons.logistic import SPREAD

__all__ = ["ERRORS", "corrected", "reliability", "without_spread"]

ERRORS = ("classical", "berkson")


def reliability(h: FloatArray, weights: FloatArray, noise: float) -> tuple[FloatArray, FloatArray]:
    """The weighted mean μ of the lengths and κ = 1 - τ²/Var(h'), for each row of weights (R, n).

    >>> mean, kappa = reliability(np.array([0.0, 4.0]), np.array([[0.5, 0.5]]), 1.0)
    >>> mean.tolist(), kappa.tolist()
    ([2.0], [0.75])
    """
    total = np.maximum(weights.sum(axis=1), 1e-300)
    mean = weights @ h / total
    variance = np.maximum(weights @ h**2 / total - mean**2, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = np.where(variance > 0, 1 - noise**2 / variance, -np.inf)
    return mean, kappa


def corrected(
    curves: Curves, h: FloatArray, weights: FloatArray, noise: float, error: str
) -> Curves:
    """The curves that error-free minutes would have given.

    Where noise of this size explains the whole spread, what is left is a step: β = ∞. Noise as large as
    the lengths' own scatter is refused.

    >>> h, w = np.arange(8.0), np.full((1, 8), 1 / 8)
    >>> from gindex_lab.measures.horizons.fitting import fit
    >>> curve = fit(h, np.array([1.0, 1, 1, 0, 1, 0, 0, 0]), w, 1e-5)
    >>> (SPREAD / corrected(curve, h, w, 0.5, "berkson").beta).round(4).tolist()
    [1.3233]
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
        spread = SPREAD / curves.beta
        square = (kappa * spread) ** 2 - kappa * noise**2
        beta = np.where(square > 0, SPREAD / np.sqrt(np.maximum(square, 0.0)), np.inf)
        theta = mean + kappa * (curves.theta - mean)
    return curves._replace(
        theta=np.where(usable, theta, curves.theta), beta=np.where(usable, beta, curves.beta)
    )


def without_spread(found: dict[str, FloatArray], steps: np.ndarray) -> dict[str, FloatArray]:
    """No number where S² came out negative, except what θ alone says."""
    kept = {"horizon_50", "location", "capability_logistic"}
    return {
        name: values if name in kept else np.where(steps, np.nan, values)
        for name, values in found.items()
    }
