"""Limits of a horizon's measures: quantiles over draws, a formula that needs none, and the exact curve's own.

Without draws the family is the unit that varies (`specs/horizon.md`, section 15). The sandwich takes each
family's score as it is; but the curve was fitted to that family too, so a family with much of the information
hides part of its own error. The jackknife asks how far the curve moves without it. On seven families, one of
them a third of the tasks, 95% limits of the horizon at the far end of the suite hold the truth in 76% of
simulated studies with the sandwich and 91% with the jackknife (`data/measured/horizon_coverage.csv`).

With the score s_f of a family, the Hessian H of the penalised objective and H_f of the family,

- sandwich: V = H⁻¹ (Σ_f s_f s_fᵀ) H⁻¹ F/(F - 1);
- jackknife: V = (F - 1)/F Σ_f d_f d_fᵀ, where d_f = (H - H_f)⁻¹ s_f is how far one Newton step takes the
  curve when family f is left out: the sandwich with its scores corrected for leverage (CR3).

Limits follow by the delta method with Student's t of F - 1 degrees of freedom: horizons on the scale of log2
minutes, slope and spread on that of their logarithms, measures of the tested interval by their derivatives.
They are NaN where a curve has no slope, or fewer than two families were met.

The exact curve passes through its points. A draw, or a family left out, takes some of them away, so its curve
is a thinner one and not that of another study (95% percentiles of spread and γ held the truth in 71 to 86% of
simulated studies of 60 to 200 tasks): its limits are those of `gl.generality`, by the same units.

References: Bell and McCaffrey (2002), "Bias reduction in standard errors for linear regression with
multi-stage samples"; MacKinnon, Nielsen and Webb (2023), "Fast and reliable jackknife and bootstrap methods
for cluster-robust inference".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, logit

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.many_tests import half_width
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.curves import Interval, Scale, from_sums
from gindex_lab.measures.fit import fit_of
from gindex_lab.measures.horizons.estimates import CURVE, TESTED, HorizonSettings, horizon_name, read_curves
from gindex_lab.measures.horizons.fitting import FOUND, Curves
from gindex_lab.measures.horizons.logistic import SPREAD
from gindex_lab.measures.horizons.runs import Runs
from gindex_lab.measures.limits import FEWEST_EFFECTIVE, around, limits
from gindex_lab.measures.samples import Sample, patterns

__all__ = ["Ends", "ends_of_draws", "exact_limits", "limits_without_draws"]

Ends = dict[str, tuple[FloatArray, FloatArray]]  # low and high (A,) by measure
Way = Callable[[Any], Any]  # to another scale, or back
# of θ (doublings) and of ln β, for derivatives: a step whose own error and that of rounding are about 1e-9
_STEP = 1e-4


def _between(values: FloatArray, share: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The linear quantile of each column (R, A), missing left out, and the draws below and above it; an
    infinite draw is a value.

    >>> _between(np.array([[0.0], [1.0], [np.inf], [np.nan]]), 0.75)[0].tolist()
    [inf]
    """
    ordered = np.sort(values, axis=0)  # NaN last
    last = np.maximum((~np.isnan(values)).sum(axis=0) - 1, 0)
    place, columns = share * last, np.arange(values.shape[1])
    a, b = (ordered[round_(place).astype(int), columns] for round_ in (np.floor, np.ceil))
    part = place - np.floor(place)
    with np.errstate(invalid="ignore"):
        found = np.where(part < 0.5, a + (b - a) * part, b - (b - a) * (1 - part))
    found = np.where(np.isinf(a), a, np.where(np.isinf(b), b, found))
    return np.where(a == b, a, found), a, b


def ends_of_draws(values: FloatArray, ci: float, bottom: float = -np.inf) -> tuple[FloatArray, FloatArray]:
    """The limits of a measure over draws (R, A) that may end at `bottom` or at infinity.

    Where some draw ended at `bottom` (no success: a horizon of 0) the lower limit is a draw and not a point
    between two, and likewise the upper one where some draw is infinite: nothing lies half-way to a horizon
    that does not exist.
    """
    (low, below, _), (high, _, above) = (_between(values, x) for x in ((1 - ci) / 2, (1 + ci) / 2))
    low = np.where((values <= bottom).any(axis=0), below, low)
    return low, np.where(np.isposinf(values).any(axis=0), above, high)


def exact_limits(
    runs: Runs, table: pd.DataFrame, settings: HorizonSettings, ci: float, resample: str
) -> tuple[Ends, tuple[str, ...]]:
    """Low and high of each measure of the exact curve (A,), NaN where there are none, and why not."""
    trials = _trials(runs)
    count = (~np.isnan(trials)).sum(axis=2)
    values = np.nansum(trials, axis=2) / np.where(count > 0, count, np.nan)
    ends = {name: np.full((2, len(table)), np.nan) for name in (*CURVE, "mean")}
    straight = "trapezoid" if settings.estimator == "isotonic" else settings.estimator
    scale, said = Scale(settings.interval, straight), set()
    for items, rows in patterns(count > 0):
        some, cells = runs.agents[rows], values[np.ix_(rows, items)]
        codes = runs.clusters(items, resample)
        runs_of_cells = trials[np.ix_(rows, items)] if resample == "trials" else None
        if runs_of_cells is not None and (count[np.ix_(rows, items)] < 2).any():
            said.add("some cells hold a single run")
            continue
        sample = Sample(some, cells, runs.length[items], codes, scale, resample, runs_of_cells)
        try:
            fit = fit_of(sample)
        except BadInput:
            said.add(f"fewer than three {resample}")
            continue
        found = around(table.iloc[rows], {k: v for k, v in limits(fit, ci).items() if k in ends})
        ours = from_sums(fit.area, fit.moment, scale)
        same = np.isclose(ours.capability, table["capability"].iloc[rows], rtol=1e-9)
        same &= np.isclose(ours.spread, table["spread"].iloc[rows], rtol=1e-6, atol=1e-9)
        if not same.all():
            said.add("only curves through the mean responses at the items' own lengths have them")
        if (fit.effective < FEWEST_EFFECTIVE).any():
            said.add("one or two isolated tasks decide the whole area")
        for name, both in found.items():
            ends[name][:, rows] = both if name == "mean" else np.where(same, both, np.nan)
    notes = tuple(f"no limits for the exact curve of some agents: {why}" for why in sorted(said))
    return {name: (low, high) for name, (low, high) in ends.items()}, notes


def _trials(runs: Runs) -> FloatArray:
    """Every run in its cell (A, N, T), NaN where a cell had fewer."""
    agent = np.repeat(np.arange(len(runs.agents)), np.diff(runs.start))
    cells = pd.DataFrame({"agent": agent, "item": runs.item})
    number = cells.groupby(["agent", "item"]).cumcount().to_numpy()
    found = np.full((len(runs.agents), len(runs.items), int(number.max()) + 1), np.nan)
    found[agent, runs.item, number] = runs.response
    return found


def limits_without_draws(
    runs: Runs, fitted: list[Curves], settings: HorizonSettings, ci: float, resample: str, method: str
) -> Ends:
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


def _ends(
    curves: Curves, variance: FloatArray, clusters: int, settings: HorizonSettings, ci: float
) -> dict[str, tuple[float, float]]:
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

    ends: dict[str, tuple[float, float]] = {}
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


def _scale(name: str, interval: Interval) -> tuple[Way, Way]:
    """The scale on which a measure of the interval is limited, and the way back."""
    low, high = interval
    if name.startswith("capability"):
        return lambda x: logit((x - low) / (high - low)), lambda z: low + (high - low) * expit(z)
    if name.startswith("normalised"):
        return lambda x: np.log(1 - x), lambda z: 1 - np.exp(z)
    return np.log, np.exp


def _around(middle: float, half: float, back: Way) -> tuple[float, float]:
    """The limits, the smaller first; NaN where the estimate is at an end of its scale."""
    if not np.isfinite(middle) or np.isnan(half):
        return np.nan, np.nan
    with np.errstate(over="ignore"):
        ends = float(back(middle - half)), float(back(middle + half))
    return min(ends), max(ends)
