"""One row per agent: its curve, what it is read for, and what must be said of it.

A fitted curve is read for horizons, location and spread, and the same on the tested interval. Noise in the
minutes makes horizons beyond the middle of a suite too long, and every spread too wide. With recorded
h' = h + e of standard deviation τ (classical error, measured minutes), the reliability κ = 1 - τ²/Var(h') and
the mean μ of h', θ = μ + κ(θ' - μ) and S² = κ²S'² - κτ². Minutes assigned by a rule (Berkson error,
h = h' + e) leave θ alone: S² = S'² - τ² (`specs/horizon.md`, section 11).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, Caution, ensure
from gindex_lab.foundation.likes import Label
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.curves import Interval, conclude
from gindex_lab.measures.horizons.curves import indicator_rows
from gindex_lab.measures.horizons.fitting import (
    FLAT,
    FOUND,
    NO_FAILURE,
    NO_SUCCESS,
    SEPARABLE,
    Curves,
    Plateaus,
    fit_reference,
    fit_with_plateaus,
    loss_rows,
)
from gindex_lab.measures.horizons.logistic import SPREAD, area_and_moment
from gindex_lab.measures.horizons.runs import Runs

__all__ = [
    "CURVE", "TESTED", "HorizonSettings", "converged", "corrected", "estimates", "horizon_name", "measures",
    "read_curves", "reliability",
]  # fmt: skip

CURVE = ("capability", "spread", "generality", "normalised_generality")
#: measures of the tested interval: their columns
TESTED = {
    "capability": "capability_logistic_tested",
    "spread": "spread_logistic_tested",
    "normalised_generality": "normalised_generality_logistic",
}


@dataclass(frozen=True)
class HorizonSettings:
    """The choices of a fit."""

    levels: tuple[float, ...]
    penalty: float
    interval: Interval
    estimator: str = "trapezoid"
    mode: str = "exact"
    plateaus: Plateaus = (0.0, 1.0)
    noise: float = 0.0
    error: str = "classical"


def estimates(runs: Runs, settings: HorizonSettings) -> tuple[pd.DataFrame, list[Curves]]:
    """The row and the curve of every agent."""
    rows, fitted = [], [_fitted(runs, j, agent, settings) for j, agent in enumerate(runs.agents)]
    for j, curves in enumerate(fitted):
        item = runs.item[runs.of(j)]
        found = measures(runs, j, curves, np.ones((1, len(item))), settings)
        row = {name: float(values[0]) for name, values in found.items()}
        counts = {"n_items": len(np.unique(item)), "n_trials": len(item)}
        rows.append(row | counts | {"note": _note(runs, j, curves, row, settings)})
    return pd.DataFrame(rows, index=runs.agents.copy()), fitted


def _fitted(runs: Runs, j: int, agent: Label, settings: HorizonSettings) -> Curves:
    h, y, w = runs.data(j)
    problem = "[one-length] is an agent that met items of one length only, and one length makes no curve"
    remedy = "leave it out with responses.select(agents=...), or give it other items"
    ensure(len(np.unique(h)) > 1, "responses", agent, problem, remedy)
    if settings.mode == "exact":
        curves = converged(h, y, w[None, :], settings)
        said = "its successes and failures do not overlap in length"
        problem = f"[separable] leaves {agent!r} without a slope: {said}"
        remedy = "use a small penalty, such as 1e-5"
        ensure(curves.state[0] != SEPARABLE, "penalty", settings.penalty, problem, remedy)
        return curves
    curves = fit_reference(h, y, w, settings.penalty)
    if curves.state[0] == NO_FAILURE:
        problem = "[no-failure] is an agent without a failure, and the published code needs both classes"
        raise BadInput("responses", agent, problem, "use mode='exact', or leave the agent out")
    if curves.beta[0] < 0:
        said = "its printed horizon is the length above which it exceeds 50%"
        message = f"[rising] success of {agent!r} rises with length: {said}"
        warnings.warn(message, Caution, stacklevel=4)
    return curves


def converged(
    h: FloatArray, y: FloatArray, weights: FloatArray, settings: HorizonSettings, near: Curves | None = None
) -> Curves:
    """The curves of rows of weights (R, n), with floor, ceiling and noise as the settings say."""
    curves = fit_with_plateaus(h, y, weights, settings.penalty, settings.plateaus, near)
    return corrected(curves, h, weights, settings.noise, settings.error)


def measures(
    runs: Runs, j: int, curves: Curves, counts: np.ndarray, settings: HorizonSettings
) -> dict[str, FloatArray]:
    """Every measure of an agent (R,), where its runs came up so many times each (R, n)."""
    (h, y, w), item = runs.data(j), runs.item[runs.of(j)]
    found = read_curves(curves, settings.levels, settings.interval, settings.mode == "reference")
    if settings.noise:  # no number where S² came out negative, except what θ alone says
        steps = np.isinf(curves.beta) & (curves.state == FOUND)
        kept = ("horizon_50", "location", "capability_logistic")
        found = {name: x if name in kept else np.where(steps, np.nan, x) for name, x in found.items()}
    if None in settings.plateaus:
        found |= {"floor": curves.floor, "ceiling": curves.ceiling}
    # the exact curve counts cells, not runs
    weights, cells = counts * w, counts / np.bincount(item)[item]
    exact = indicator_rows(h, y, cells, weights, settings.interval, settings.estimator)
    found |= {name: getattr(exact, name) for name in CURVE}
    found |= {"mean": _means(cells, y), "weighted_mean": _means(weights, y)}
    return found | {"loss": _losses(h, y, weights, curves)}


def _means(weights: FloatArray, y: FloatArray) -> FloatArray:
    """Weighted mean response of each row (R, n); NaN where nothing came up."""
    total = weights.sum(axis=1)
    return np.where(total > 0, weights @ y / np.where(total > 0, total, 1.0), np.nan)


def _losses(h: FloatArray, y: FloatArray, weights: FloatArray, curves: Curves) -> FloatArray:
    """Weighted mean cross-entropy of each curve for its row of weights (R, n), predictions clipped at
    1e-15; 0 with one class only, NaN without a run (`specs/horizon.md`, section 4)."""
    level = (curves.state == FLAT) | (curves.beta == 0)  # without a place, the curve is the mean
    beta, theta = np.where(level, 1.0, curves.beta), np.where(level, 0.0, curves.theta)
    found = loss_rows(h, y, np.ascontiguousarray(weights), theta, beta, curves.floor, curves.ceiling)
    mean = _means(weights, y)
    share = np.clip(mean, 1e-15, 1 - 1e-15)
    flat = -(share * np.log(share) + (1 - share) * np.log1p(-share))
    found = np.where(np.isin(curves.state, (NO_SUCCESS, NO_FAILURE)), 0.0, np.where(level, flat, found))
    return np.where(np.isnan(mean), np.nan, found)


def _note(runs: Runs, j: int, curves: Curves, row: dict[str, float], settings: HorizonSettings) -> str:
    state, beta, (h, y, _) = curves.state[0], curves.beta[0], runs.data(j)
    found = []
    if state == NO_SUCCESS:
        found.append("no success")
    elif state == NO_FAILURE:
        found.append("no failure")
    elif state == FLAT or beta == 0:
        found.append("success does not depend on length")
    elif beta < 0:
        found.append("success rises with length")
    else:
        if np.isinf(beta):
            found.append("noise in the minutes explains the whole spread")
        elif h[y > 0].max() <= h[y < 1].min():
            found.append("separable: the slope is the penalty's")
        found += [f"{p:.0%} lies above the ceiling" for p in settings.levels if p >= curves.ceiling[0]]
        found += [f"{p:.0%} lies below the floor" for p in settings.levels if p <= curves.floor[0]]
        low, high = settings.interval
        room = 1e-9 * (high - low)
        names = [horizon_name(p) for p in settings.levels]
        outside = [n for n in names if row[n] < 2 ** (low - room) or row[n] > 2 ** (high + room)]
        found += [f"{', '.join(outside)} beyond the tested lengths"] if outside else []
    missed = runs.missed_families(j)
    return "; ".join(found + ([f"met no item of {', '.join(missed)}"] if missed else []))


# -- what curves are read for ----------------------------------------------------------------------------


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
