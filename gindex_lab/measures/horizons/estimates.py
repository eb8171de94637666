"""One row per agent: its curve, what it is read for, and what must be said of it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, Caution, ensure
from gindex_lab.foundation.likes import Label
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.curves import Interval
from gindex_lab.measures.horizons.curves import indicator_rows
from gindex_lab.measures.horizons.fitting import (
    FLAT,
    FOUND,
    NO_FAILURE,
    NO_SUCCESS,
    SEPARABLE,
    Curves,
    fit_reference,
    loss_rows,
)
from gindex_lab.measures.horizons.plateaus import Plateaus, fit_with_plateaus
from gindex_lab.measures.horizons.readings import corrected, horizon_name, read_curves
from gindex_lab.measures.horizons.runs import Runs

__all__ = ["CURVE", "HorizonSettings", "converged", "estimates", "measures"]

CURVE = ("capability", "spread", "generality", "normalised_generality")


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
