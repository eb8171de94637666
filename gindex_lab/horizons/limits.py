"""Limits of the measures of a horizon: quantiles over draws, and a sandwich that needs none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit
from scipy.stats import t as student

from gindex_lab.horizons.readings import horizon_name
from gindex_lab.validate import FloatArray

if TYPE_CHECKING:
    from gindex_lab.horizons.estimates import Settings
    from gindex_lab.horizons.fitting import Curves
    from gindex_lab.horizons.runs import Runs

__all__ = ["ends_of_draws", "quantiles", "sandwich_limits"]

Limits = dict[str, tuple[FloatArray, FloatArray]]


def quantiles(values: FloatArray, shares: list[float]) -> list[FloatArray]:
    """Linear quantiles of each column (R, A), missing left out; infinite values are values.

    >>> [q.tolist() for q in quantiles(np.array([[0.0], [1.0], [np.inf], [np.nan]]), [0.25, 0.9])]
    [[0.5], [inf]]
    """
    ordered = np.sort(values, axis=0)  # NaN last
    n = (~np.isnan(values)).sum(axis=0)
    columns = np.arange(values.shape[1])
    found = []
    for share in shares:
        place = share * np.maximum(n - 1, 0)
        below = np.floor(place).astype(int)
        above = np.minimum(below + 1, np.maximum(n - 1, 0))
        a, b = ordered[below, columns], ordered[above, columns]
        part = place - below
        with np.errstate(invalid="ignore"):
            between = np.where(part < 0.5, a + (b - a) * part, b - (b - a) * (1 - part))
        between = np.where(np.isinf(a), a, np.where(np.isinf(b), b, between))
        result = np.where((a == b) | (part == 0), a, between)
        found.append(np.where(n > 0, result, np.nan))
    return found


def ends_of_draws(
    values: FloatArray, ci: float, bottom: float = -np.inf
) -> tuple[FloatArray, FloatArray]:
    """The limits of a measure over draws (R, A) that may end at `bottom` or at infinity.

    Where some draw ended at `bottom` (no success: a horizon of 0) the lower limit is a draw and not a
    point between two, and likewise the upper one where some draw is infinite: there is no half-way to
    a horizon that does not exist.

    >>> low, high = ends_of_draws(np.array([[0.0], [1.0], [2.0], [4.0]]), 0.5, bottom=0.0)
    >>> low.tolist(), high.tolist()
    ([0.0], [2.5])
    """
    shares = (1 - ci) / 2, (1 + ci) / 2
    low, high = quantiles(values, list(shares))
    n = (~np.isnan(values)).sum(axis=0)
    ordered, columns = np.sort(values, axis=0), np.arange(values.shape[1])
    below = np.floor(shares[0] * np.maximum(n - 1, 0)).astype(int)
    above = np.ceil(shares[1] * np.maximum(n - 1, 0)).astype(int)
    low = np.where((values <= bottom).any(axis=0), ordered[below, columns], low)
    high = np.where(np.isposinf(values).any(axis=0), ordered[above, columns], high)
    return low, high


def sandwich_limits(
    runs: Runs, fitted: list[Curves], settings: Settings, ci: float, resample: str
) -> Limits:
    """Limits of θ, β and what follows from them, from score sums by family, item or run.

    V = H⁻¹ (Σ_f s_f s_fᵀ) H⁻¹ F/(F - 1), with the score s_f of a family, the Hessian H of the penalised
    objective, and Student's t with F - 1 degrees of freedom (`specs/horizon.md`, section 15). Horizons
    are limited on the scale of log2 minutes, slope and spread on that of their logarithms. NaN where a
    curve has no slope, or fewer than two families were met.
    """
    names = [horizon_name(p) for p in settings.levels] + ["location", "slope", "spread_logistic"]
    names += ["capability_logistic"]
    ends = {name: (np.full(len(fitted), np.nan), np.full(len(fitted), np.nan)) for name in names}
    for j, curves in enumerate(fitted):
        if not curves.falling[0]:
            continue
        for name, (low, high) in _one(runs, j, curves, settings, ci, resample).items():
            ends[name][0][j], ends[name][1][j] = low, high
    return ends


def _one(
    runs: Runs, j: int, curves: Curves, settings: Settings, ci: float, resample: str
) -> dict[str, tuple[float, float]]:
    at = runs.of(j)
    h, y, w = runs.h[at], runs.response[at], runs.weight[at]
    theta, beta = float(curves.theta[0]), float(curves.beta[0])
    p = expit(-beta * (h - theta))
    design = np.column_stack([np.ones(len(h)), h])
    groups = _groups(runs, j, resample)
    clusters = int(groups.max()) + 1
    if clusters < 2:
        return {}
    scores = (w * (y - p))[:, None] * design
    sums = np.column_stack([np.bincount(groups, scores[:, k], clusters) for k in (0, 1)])
    hessian = (design * (w * p * (1 - p))[:, None]).T @ design
    hessian[1, 1] += settings.penalty
    bread = np.linalg.inv(hessian)
    variance = bread @ (sums.T @ sums) @ bread * clusters / (clusters - 1)
    wide = float(student.ppf((1 + ci) / 2, clusters - 1))
    a, b = theta * beta, -beta
    found: dict[str, tuple[float, float]] = {}
    for level in settings.levels:
        odds = np.log(level) - np.log1p(-level)
        place = (odds - a) / b
        half = wide * _error(np.array([-1 / b, -place / b]), variance)
        with np.errstate(over="ignore"):
            found[horizon_name(level)] = 2.0 ** (place - half), 2.0 ** (place + half)
    half = wide * _error(np.array([-1 / b, a / b**2]), variance)
    found["location"] = found["capability_logistic"] = theta - half, theta + half
    share = np.exp(wide * _error(np.array([0.0, 1 / b]), variance))
    spread = np.pi / np.sqrt(3) / beta
    found["slope"] = beta / share, beta * share
    found["spread_logistic"] = spread / share, spread * share
    return found


def _error(gradient: FloatArray, variance: FloatArray) -> float:
    return float(np.sqrt(max(float(gradient @ variance @ gradient), 0.0)))


def _groups(runs: Runs, j: int, resample: str) -> np.ndarray:
    """The cluster of each run: its family, its item, or itself; items where there are no families."""
    item = runs.item[runs.of(j)]
    if resample == "trials":
        return np.arange(len(item))
    family = runs.family[item]
    by = family if resample == "families" and len(np.unique(family)) > 1 else item
    return np.unique(by, return_inverse=True)[1]
