"""Percentile and BCa bootstraps of items, for comparison, by `scipy.stats.bootstrap`.

An item drawn twice brings nothing new to a curve that already passes through it, so drawing items only
thins the curve out: with distinct difficulties the percentile interval has 0.87 of the right variance if
they are evenly spaced, 0.75 if at random, and spread is biased besides. Prefer the default.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import DifficultyLike, ResponsesLike, SeedLike
from gindex_lab.foundation.validate import FloatArray, choice, confidence, generator
from gindex_lab.measures.curves import Interval, from_sums, indicators
from gindex_lab.measures.fit import fit_of
from gindex_lab.measures.generality import generality, study_of
from gindex_lab.measures.limits import (
    MEASURES,
    Limits,
    joined,
    warn_of_families,
    with_generality,
    with_limits,
)
from gindex_lab.measures.samples import Sample, grid_sums, sample_like

__all__ = ["METHODS", "bootstrap_table", "drawn_limits", "drawn_measures"]

METHODS = ["studentised", "percentile", "bca"]


def bootstrap_table(
    responses: ResponsesLike,
    difficulty: DifficultyLike = None,
    *,
    interval: Interval | None = None,
    estimator: str = "trapezoid",
    ci: float = 0.95,
    resample: str = "items",
    method: str = "studentised",
    resamples: int = 2000,
    missing: str = "error",
    extrapolate: str = "paper",
    mode: str = "exact",
    seed: SeedLike = None,
) -> pd.DataFrame:
    """The table of `gl.generality` with `<measure>_low` and `<measure>_high` at confidence `ci`.

    Parameters
    ----------
    responses, difficulty, interval, estimator, missing, extrapolate, mode : as for `gl.generality`
    ci : confidence of the limits
    resample : what would come out differently another time
        "items"; "families" (`items["family"]`: a game, a topic, whose items go together); "trials" (the items
        are these very items; needs repeated trials, and is therefore narrower).
    method : "studentised" (as in `gl.generality`: nothing is drawn), "percentile" or "bca" (Efron 1987)
        Drawing points of a curve only thins it out, so the other two cover less than they say.
    resamples : draws of percentile and BCa
    seed : of these draws

    Returns
    -------
    DataFrame
        The columns of `gl.generality`, the limits, `<measure>_bounds` ("studentised") and `effective_items`.

    Notes
    -----
    Limits hold the truth in about `ci` of studies where they are as wide as the responses vary. Where
    `<measure>_bounds` is True they are bounds, which hold at least that often and usually more: they were set
    by what nobody saw (a lapse to come, a fall between two items, ends that no item reaches), or there are
    fewer than twenty equal items. Both were measured: `notebooks/generality/coverage`; "percentile" and "bca"
    have none. `effective_items` is the number of equally weighted items that would tell as much; where it is
    below 2.5 one or two items decide everything, and there is no interval (NaN, and a warning). The limits
    are for the agent's curve itself, from which another study would take other responses (and other items),
    on the interval of the table. Between two difficulties it may be a step. Where the items do not reach the
    ends of the interval, the limits hold whether the curve goes on as it ends or not, as long as it falls.
    With "trials" they are for the curve through what the agent does on average on these very items.
    Responses that did not vary are not certain: a surprise may be next. Spread and γ are freed of the bias of
    squaring a noisy area, so their interval lies around a larger spread than the plain estimate.

    References
    ----------
    Efron (1987), Journal of the American Statistical Association 82, 171-185 (BCa).

    Examples
    --------
    >>> table = bootstrap_table([[1] * 12 + [0] * 8, [1, 0] * 10], range(20))
    >>> table[["capability_low", "capability", "capability_high"]].round(1)
             capability_low  capability  capability_high
    agent 1             9.3        11.5             13.5
    agent 2             4.9         9.5             14.1
    """
    choice("method", method, METHODS)
    study = study_of(responses, difficulty, missing)
    how: dict[str, Any] = {"estimator": estimator, "mode": mode, "extrapolate": extrapolate}
    table = generality(study, interval=interval, missing=missing, **how)
    if method == "studentised":
        return with_limits(study, table, ci, resample)
    level, sample = confidence(ci), sample_like(table, study, resample)
    warn_of_families(study, resample)
    ends = drawn_limits(sample, method, level, resamples, generator(seed))
    fit = fit_of(sample)
    return joined(table, ends | {"effective_items": fit.effective}, level, fit)


def drawn_measures(sample: Sample, agent: int, counts: np.ndarray) -> FloatArray:
    """The `MEASURES` (M, B) of one agent's curve through units drawn so many times each (B, F)."""
    met, scale = ~np.isnan(sample.values[agent]), sample.scale
    free, given = (sample.codes >= 0)[met], sample.values[agent, met]
    times = np.where(sample.codes >= 0, counts[:, np.maximum(sample.codes, 0)], 1)[:, met]
    total = np.maximum(times[:, free].sum(axis=1), 1)
    mean = times[:, free] @ given[free] / total
    if sample.difficulty is None:
        cells = grid_sums(given[None], scale.interval, sample.grid)
        area, moment = (times @ x[0] / total for x in cells)
        found = from_sums(area, moment, scale)
    else:  # levels of which no item was drawn are passed over
        levels, level_of = np.unique(sample.difficulty[met], return_inverse=True)
        at = (level_of[:, None] == np.arange(len(levels))).astype(float)
        count, solved = times @ at, (times * given) @ at
        psi = np.divide(solved, count, out=np.full_like(solved, np.nan), where=count > 0)
        found = indicators(levels, psi, scale.interval, scale.estimator, scale.origin)
    return np.stack([*(getattr(found, name) for name in MEASURES[:-1]), mean])


def drawn_limits(sample: Sample, method: str, ci: float, resamples: int, seed: np.random.Generator) -> Limits:
    """Limits of every agent and measure by drawing units with replacement."""
    from scipy.stats import bootstrap

    remedy = "use method='studentised' for trials"
    ensure(sample.trials is None, "method", method, "draws items, not trials", remedy)
    seeds = seed.integers(2**63, size=len(sample.agents))
    ends = np.empty((2, len(MEASURES), len(seeds)))
    for agent, number in enumerate(seeds):
        with warnings.catch_warnings():  # all draws alike: scipy warns, and the limits are the estimate
            warnings.simplefilter("ignore")
            found = bootstrap(
                (np.arange(sample.units),),
                partial(_statistic, sample, agent),
                n_resamples=resamples,
                confidence_level=ci,
                method={"percentile": "percentile", "bca": "BCa"}[method],
                vectorized=True,
                rng=np.random.default_rng(int(number)),
            ).confidence_interval
        same = drawn_measures(sample, agent, np.ones((1, sample.units), dtype=np.int64))[:, 0]
        ends[:, :, agent] = [np.where(np.isnan(end), same, end) for end in found]
    return with_generality({name: ends[:, k] for k, name in enumerate(MEASURES)})


def _statistic(sample: Sample, agent: int, drawn: np.ndarray, axis: int = -1) -> FloatArray:
    """The measures (M, …) of one agent, from the numbers of the units that were drawn (…, F)."""
    rows = np.moveaxis(np.asarray(drawn, dtype=np.int64), axis, -1)
    flat, units = rows.reshape(-1, rows.shape[-1]), sample.units
    places = flat + units * np.arange(len(flat))[:, None]
    counts = np.bincount(places.ravel(), minlength=units * len(flat)).reshape(-1, units)
    return drawn_measures(sample, agent, counts).reshape(-1, *rows.shape[:-1])
