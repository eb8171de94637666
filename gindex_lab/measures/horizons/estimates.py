"""One row per agent: its curve, what it is read for, and what must be said of it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, Caution
from gindex_lab.foundation.likes import Label
from gindex_lab.foundation.validate import FloatArray
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
from gindex_lab.measures.horizons.noise import corrected, without_spread
from gindex_lab.measures.horizons.plateaus import Plateaus, fit_with_plateaus
from gindex_lab.measures.horizons.readings import horizon_name, read_curves
from gindex_lab.measures.horizons.runs import Runs

__all__ = [
    "CURVE",
    "HorizonSettings",
    "cell_weights",
    "converged",
    "estimates",
    "losses",
    "measures",
]

CURVE = ("capability", "spread", "generality", "normalised_generality")


@dataclass(frozen=True)
class HorizonSettings:
    """The choices of a fit."""

    levels: tuple[float, ...]
    penalty: float
    interval: tuple[float, float]
    estimator: str
    mode: str
    plateaus: Plateaus = (0.0, 1.0)
    noise: float = 0.0
    error: str = "classical"


def estimates(runs: Runs, settings: HorizonSettings) -> tuple[pd.DataFrame, list[Curves]]:
    rows, fitted = [], []
    for j, agent in enumerate(runs.agents):
        curves = _fitted(runs, j, agent, settings)
        fitted.append(curves)
        rows.append(_row(runs, j, curves, settings))
    return pd.DataFrame(rows, index=runs.agents.copy()), fitted


def _fitted(runs: Runs, j: int, agent: Label, settings: HorizonSettings) -> Curves:
    at = runs.of(j)
    h, y, w = runs.h[at], runs.response[at], runs.weight[at]
    if len(np.unique(h)) < 2:
        problem = "[one-length] is an agent that met items of one length only, and one length makes no curve"
        remedy = "leave it out with responses.select(agents=...), or give it other items"
        raise BadInput("responses", agent, problem, remedy)
    if settings.mode == "exact":
        curves = converged(h, y, w[None, :], settings)
        if curves.state[0] == SEPARABLE:
            problem = (
                f"[separable] leaves {agent!r} without a slope: its successes "
                "and failures do not overlap in length"
            )
            remedy = "use a small penalty, such as 1e-5"
            raise BadInput("penalty", settings.penalty, problem, remedy)
        return curves
    curves = fit_reference(h, y, w, settings.penalty)
    if curves.state[0] == NO_FAILURE:
        problem = (
            "[no-failure] is an agent without a failure, and the published code needs both classes"
        )
        remedy = "use mode='exact', or leave the agent out"
        raise BadInput("responses", agent, problem, remedy)
    if curves.beta[0] < 0:
        warnings.warn(
            f"[rising] success of {agent!r} rises with length: its printed horizon is the length above "
            "which it exceeds 50%",
            Caution,
            stacklevel=4,
        )
    return curves


def converged(
    h: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    settings: HorizonSettings,
    near: Curves | None = None,
) -> Curves:
    """The curves of rows of weights (R, n), with floor, ceiling and noise as the settings say."""
    curves = fit_with_plateaus(h, y, weights, settings.penalty, settings.plateaus, near)
    return corrected(curves, h, weights, settings.noise, settings.error)


def measures(curves: Curves, settings: HorizonSettings) -> dict[str, FloatArray]:
    """Every logistic measure of the curves."""
    found = read_curves(curves, settings.levels, settings.interval, settings.mode == "reference")
    if settings.noise:
        found = without_spread(found, np.isinf(curves.beta) & (curves.state == FOUND))
    if None in settings.plateaus:
        found |= {"floor": curves.floor, "ceiling": curves.ceiling}
    return found


def _row(runs: Runs, j: int, curves: Curves, settings: HorizonSettings) -> dict[str, Any]:
    at = runs.of(j)
    h, y, w = runs.h[at], runs.response[at], runs.weight[at]
    row: dict[str, Any] = {k: float(values[0]) for k, values in measures(curves, settings).items()}
    plain = cell_weights(runs, j)
    exact = indicator_rows(h, y, plain[None], w[None], settings.interval, settings.estimator)
    row |= {name: float(getattr(exact, name)[0]) for name in CURVE}
    row["mean"] = float(plain @ y / plain.sum())
    row["weighted_mean"] = float(w @ y / w.sum())
    row["loss"] = float(losses(h, y, w[None], curves)[0])
    row["n_items"] = len(np.unique(runs.item[at]))
    row["n_trials"] = len(y)
    row["note"] = _note(runs, j, curves, row, settings)
    return row


def cell_weights(runs: Runs, j: int) -> FloatArray:
    """1 / (runs of the cell): the exact curve counts cells, not runs."""
    item = runs.item[runs.of(j)]
    return 1 / np.bincount(item)[item]


def losses(h: FloatArray, y: FloatArray, weights: FloatArray, curves: Curves) -> FloatArray:
    """Weighted mean cross-entropy of each curve for its row of weights (R, n), predictions clipped at
    1e-15; 0 with one class only, NaN without a run (`specs/horizon.md`, section 4)."""
    level = (curves.state == FLAT) | (curves.beta == 0)  # without a place, the curve is the mean
    share = np.clip(weights @ y / np.maximum(weights.sum(axis=1), 1e-300), 1e-15, 1 - 1e-15)
    beta = np.where(level, 1.0, curves.beta)
    theta = np.where(level, 0.0, curves.theta)
    found = loss_rows(
        h, y, np.ascontiguousarray(weights), theta, beta, curves.floor, curves.ceiling
    )
    flat = -(share * np.log(share) + (1 - share) * np.log1p(-share))
    one_class = np.isin(curves.state, (NO_SUCCESS, NO_FAILURE))
    met = weights.sum(axis=1) > 0
    return np.where(met, np.where(one_class, 0.0, np.where(level, flat, found)), np.nan)


def _note(
    runs: Runs, j: int, curves: Curves, row: dict[str, Any], settings: HorizonSettings
) -> str:
    state, beta = curves.state[0], curves.beta[0]
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
        elif _separable(runs.h[runs.of(j)], runs.response[runs.of(j)]):
            found.append("separable: the slope is the penalty's")
        found += _unreached(curves, settings)
        outside = [
            name for p in settings.levels if _outside(row[name := horizon_name(p)], settings)
        ]
        if outside:
            found.append(f"{', '.join(outside)} beyond the tested lengths")
    missed = runs.missed_families(j)
    if missed:
        found.append(f"met no item of {', '.join(missed)}")
    return "; ".join(found)


def _unreached(curves: Curves, settings: HorizonSettings) -> list[str]:
    """Levels of success that lie above the ceiling, or below the floor."""
    floor, ceiling = curves.floor[0], curves.ceiling[0]
    over = [f"{p:.0%} lies above the ceiling" for p in settings.levels if p >= ceiling]
    return over + [f"{p:.0%} lies below the floor" for p in settings.levels if p <= floor]


def _outside(minutes: float, settings: HorizonSettings) -> bool:
    low, high = settings.interval
    room = 1e-9 * (high - low)
    return minutes < 2 ** (low - room) or minutes > 2 ** (high + room)


def _separable(h: FloatArray, y: FloatArray) -> bool:
    """The hardest success is no harder than the easiest failure."""
    return bool(h[y > 0].max() <= h[y < 1].min())
