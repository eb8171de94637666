"""Limits of a horizon's measures: quantiles over draws, and for the exact curve the fit of `gl.generality`.

Percentiles over draws are not limits of a curve that passes through its points: a draw leaves points out, so
its curve is a thinner one and not that of another study (95% limits of spread and γ held the truth in 71 to
86% of simulated studies of 60 to 200 tasks). The units are those that a draw would redraw.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.curves import Scale, from_sums
from gindex_lab.measures.fit import fit_of
from gindex_lab.measures.horizons.estimates import CURVE, HorizonSettings
from gindex_lab.measures.horizons.runs import Runs
from gindex_lab.measures.limits import FEWEST_EFFECTIVE, around, limits
from gindex_lab.measures.samples import Sample, patterns

__all__ = ["ends_of_draws", "exact_limits"]


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
) -> tuple[dict[str, tuple[FloatArray, FloatArray]], tuple[str, ...]]:
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
