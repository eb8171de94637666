"""Limits that need no draws: a sandwich by families, and the jackknife that repairs it where they are few.

Both take the family as the unit that varies (`specs/horizon.md`, section 15). The sandwich takes each
family's score as it is; but the curve was fitted to that family too, so a family with much of the information
hides part of its own error. The jackknife asks how far the curve moves without it. On seven families, one of
them a third of the tasks, 95% limits of the horizon at the far end of the suite hold the truth in 76% of
simulated studies with the sandwich and 91% with the jackknife (`data/measured/horizon_coverage.csv`). The
exact curve has no such limits: leaving out a family takes its lengths out of the curve, so the design moves
and not the agent. Its limits: `exact_limits`.

With the score s_f of a family, the Hessian H of the penalised objective and H_f of the family,

- sandwich: V = H⁻¹ (Σ_f s_f s_fᵀ) H⁻¹ F/(F - 1);
- jackknife: V = (F - 1)/F Σ_f d_f d_fᵀ, where d_f = (H - H_f)⁻¹ s_f is how far one Newton step takes the
  curve when family f is left out: the sandwich with its scores corrected for leverage (CR3).

Limits follow by the delta method with Student's t of F - 1 degrees of freedom: horizons on the scale of log2
minutes, slope and spread on that of their logarithms, measures of the tested interval by their derivatives.
They are NaN where a curve has no slope, or fewer than two families were met.

References: Bell and McCaffrey (2002), "Bias reduction in standard errors for linear regression with
multi-stage samples"; MacKinnon, Nielsen and Webb (2023), "Fast and reliable jackknife and bootstrap methods
for cluster-robust inference".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit, logit

from gindex_lab.foundation.many_tests import half_width
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.curves import Interval
from gindex_lab.measures.horizons.estimates import HorizonSettings
from gindex_lab.measures.horizons.fitting import FOUND, Curves
from gindex_lab.measures.horizons.logistic import SPREAD
from gindex_lab.measures.horizons.readings import TESTED, horizon_name, read_curves
from gindex_lab.measures.horizons.runs import Runs

__all__ = ["limits_without_draws"]

Scale = Callable[[Any], Any]
Ends = dict[str, tuple[float, float]]
Limits = dict[str, tuple[FloatArray, FloatArray]]
# of θ (doublings) and of ln β, for derivatives: a step whose own error and that of rounding are about 1e-9
_STEP = 1e-4


def limits_without_draws(
    runs: Runs, fitted: list[Curves], settings: HorizonSettings, ci: float, resample: str, method: str
) -> Limits:
    """Limits (A,) of θ, β and what follows from them, by "sandwich" or "jackknife"."""
    rows = [
        _ends(curves, *_variance(runs, j, curves, settings, resample, method), settings, ci)
        for j, curves in enumerate(fitted)
    ]
    names = [*map(horizon_name, settings.levels), "slope", "location", "capability_logistic"]
    names += ["spread_logistic", *TESTED.values()]
    both = {name: np.array([row.get(name, (np.nan, np.nan)) for row in rows]).T for name in names}
    return {name: (low, high) for name, (low, high) in both.items()}


def _variance(
    runs: Runs, j: int, curves: Curves, settings: HorizonSettings, resample: str, method: str
) -> tuple[FloatArray, int]:
    """The variance (2, 2) of intercept and slope, infinite where nothing is left without a cluster, and the
    number of clusters."""
    if not curves.falling[0]:
        return np.full((2, 2), np.nan), 0
    (h, y, w), item = runs.data(j), runs.item[runs.of(j)]
    p = expit(-curves.beta[0] * (h - curves.theta[0]))
    groups = np.arange(len(h)) if resample == "trials" else runs.clusters(item, resample)
    n = int(groups.max()) + 1
    design = np.column_stack([np.ones(len(h)), h])
    sums = np.stack([np.bincount(groups, w * (y - p) * x, n) for x in design.T], axis=1)
    v = w * p * (1 - p)
    whole = (design * v[:, None]).T @ design
    whole[1, 1] += settings.penalty
    if method == "sandwich":
        bread = np.linalg.inv(whole)
        return bread @ (sums.T @ sums) @ bread * n / max(n - 1, 1), n
    one, first, second = (np.bincount(groups, v * h**k, n) for k in (0, 1, 2))
    rest = whole - np.array([[one, first], [first, second]]).transpose(2, 0, 1)
    square = rest[:, 0, 0] * rest[:, 1, 1]
    if (square - rest[:, 0, 1] ** 2 <= 1e-12 * square).any():  # one length is left, and no curve
        return np.full((2, 2), np.inf), n
    moved = np.linalg.solve(rest, sums[..., None])[..., 0]
    return moved.T @ moved * (n - 1) / n, n


def _ends(curves: Curves, variance: FloatArray, clusters: int, settings: HorizonSettings, ci: float) -> Ends:
    """Limits of every logistic measure from the variance of (a, b), by the delta method."""
    if clusters < 2:
        return {}
    wide = float(half_width(1.0, ci, clusters - 1))
    theta, beta = float(curves.theta[0]), float(curves.beta[0])
    a, b = theta * beta, -beta

    def half(gradient: FloatArray) -> float:
        if np.isinf(variance).any():
            return np.inf
        return wide * float(np.sqrt(max(float(gradient @ variance @ gradient), 0.0)))

    ends: Ends = {}
    for level in settings.levels:
        place = (float(logit(level)) - a) / b
        ends[horizon_name(level)] = _around(place, half(np.array([-1 / b, -place / b])), np.exp2)
    of_theta, of_log_beta = np.array([-1 / b, a / b**2]), np.array([0.0, 1 / b])
    ends["location"] = ends["capability_logistic"] = theta - half(of_theta), theta + half(of_theta)
    with np.errstate(over="ignore"):
        share = float(np.exp(half(of_log_beta)))
    ends["slope"] = beta / share, beta * share
    ends["spread_logistic"] = SPREAD / beta / share, SPREAD / beta * share
    # on the tested interval: central differences in θ and ln β
    steps = np.array([[0.0, 0], [_STEP, 0], [-_STEP, 0], [0, _STEP], [0, -_STEP]])
    moved = curves.theta + steps[:, 0], curves.beta * np.exp(steps[:, 1])
    near = Curves(*moved, np.zeros(5), np.ones(5), np.full(5, FOUND))
    read = read_curves(near, settings.levels, settings.interval)
    for name in TESTED.values():
        to, back = _scale(name, settings.interval)
        with np.errstate(divide="ignore", invalid="ignore"):
            x = to(read[name])
        slope = np.array([x[1] - x[2], x[3] - x[4]]) / (2 * _STEP)
        ends[name] = _around(x[0], half(slope @ np.stack([of_theta, of_log_beta])), back)
    return ends


def _scale(name: str, interval: Interval) -> tuple[Scale, Scale]:
    """The scale on which a measure of the interval is limited, and the way back."""
    low, high = interval
    if name.startswith("capability"):
        return lambda x: logit((x - low) / (high - low)), lambda z: low + (high - low) * expit(z)
    if name.startswith("normalised"):
        return lambda x: np.log(1 - x), lambda z: 1 - np.exp(z)
    return np.log, np.exp


def _around(middle: float, half: float, back: Scale) -> tuple[float, float]:
    """The limits, the smaller first; NaN where the estimate is at an end of its scale."""
    if not np.isfinite(middle) or np.isnan(half):
        return np.nan, np.nan
    with np.errstate(over="ignore"):
        ends = float(back(middle - half)), float(back(middle + half))
    return min(ends), max(ends)
