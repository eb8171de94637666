"""Percentile and BCa bootstraps of items, for comparison, by `scipy.stats.bootstrap`.

An item drawn twice brings nothing new to a curve that already passes through it, so drawing items only
thins the curve out: with distinct difficulties the percentile interval has 0.87 of the right variance if
they are evenly spaced, 0.75 if at random, and spread is biased besides. Prefer the default.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.curves import Indicators, conclude, indicators
from gindex_lab.measures.limits import Limits
from gindex_lab.measures.samples import Sample
from gindex_lab.measures.steps import grid_sums

__all__ = ["drawn_limits", "drawn_measures"]

_NAMES = ("capability", "spread", "normalised_generality", "expected_difficulty", "mean")
_METHODS = {"percentile": "percentile", "bca": "BCa"}


def drawn_measures(sample: Sample, agent: int, counts: np.ndarray) -> dict[str, FloatArray]:
    """Every measure (B,) of one agent's curve through units drawn so many times each (B, F).

    >>> from gindex_lab.foundation.responses import Responses
    >>> from gindex_lab.measures.samples import sample_of
    >>> sample = sample_of(Responses([[1, 1, 0]], [0, 1, 2]), (0.0, 2.0), "trapezoid", "items")
    >>> drawn_measures(sample, 0, np.array([[1, 1, 1], [2, 0, 1]]))["capability"].tolist()
    [1.5, 1.0]
    """
    values, met = sample.values[agent], ~np.isnan(sample.values[agent])
    times = np.where(sample.codes >= 0, counts[:, np.maximum(sample.codes, 0)], 1)[:, met]
    free = (sample.codes >= 0)[met]
    given = values[met]
    total = np.maximum(times[:, free].sum(axis=1), 1)
    mean = times[:, free] @ given[free] / total
    if sample.difficulty is None:
        cells = grid_sums(given[None], sample.interval, sample.grid)
        area, moment = (times @ x[0] / total for x in cells)
        square = 2 * moment - area**2
        found = conclude(area, moment, square, sample.interval, sample.origin)
    else:
        found = _through(sample, sample.difficulty[met], given, times)
    measures = {name: np.asarray(getattr(found, name)) for name in _NAMES[:-1]}
    return measures | {"mean": np.asarray(mean)}


def _through(sample: Sample, h: FloatArray, given: FloatArray, times: np.ndarray) -> Indicators:
    """The curves through the drawn items: levels of which none was drawn are passed over."""
    levels, level_of = np.unique(h, return_inverse=True)
    at = (level_of[:, None] == np.arange(len(levels))).astype(float)
    count, solved = times @ at, (times * given) @ at
    psi = np.divide(solved, count, out=np.full_like(solved, np.nan), where=count > 0)
    return indicators(levels, psi, sample.interval, sample.estimator, sample.origin)


def drawn_limits(
    sample: Sample, method: str, ci: float, resamples: int, seed: np.random.Generator
) -> Limits:
    """Limits of every agent and measure by drawing units with replacement."""
    if sample.trials is not None:
        raise BadInput(
            "method", method, "draws items, not trials", "use method='studentised' for trials"
        )
    seeds = seed.integers(2**63, size=len(sample.agents))
    ends = np.empty((2, len(_NAMES), len(seeds)))
    for agent, number in enumerate(seeds):
        measures = partial(_measures, sample, agent)
        ends[:, :, agent] = _interval(measures, sample.units, (method, ci, resamples), int(number))
    found = {name: (ends[0, k], ends[1, k]) for k, name in enumerate(_NAMES)}
    low, high = found["spread"]
    with np.errstate(divide="ignore"):
        return found | {"generality": (1 / high, 1 / low)}


def _measures(sample: Sample, agent: int, counts: np.ndarray) -> FloatArray:
    found = drawn_measures(sample, agent, counts)
    return np.stack([found[name] for name in _NAMES])


def _interval(
    measures: Callable[[np.ndarray], FloatArray],
    units: int,
    plan: tuple[str, float, int],
    seed: int,
) -> FloatArray:
    """Low and high (2, M) of M measures."""
    from scipy.stats import bootstrap

    def statistic(drawn: np.ndarray, axis: int = -1) -> FloatArray:
        rows = np.moveaxis(np.asarray(drawn, dtype=np.int64), axis, -1)
        flat = rows.reshape(-1, rows.shape[-1])
        places = flat + units * np.arange(len(flat))[:, None]
        counts = np.bincount(places.ravel(), minlength=units * len(flat)).reshape(-1, units)
        found = measures(counts)
        return np.asarray(found.reshape(len(found), *rows.shape[:-1]))

    method, ci, resamples = plan
    with warnings.catch_warnings():  # all draws alike: scipy warns, and the limits are the estimate
        warnings.simplefilter("ignore")
        found = bootstrap(
            (np.arange(units),),
            statistic,
            n_resamples=resamples,
            confidence_level=ci,
            method=_METHODS[method],
            vectorized=True,
            rng=np.random.default_rng(seed),
        ).confidence_interval
    same = measures(np.ones((1, units), dtype=np.int64))[:, 0]
    return np.stack([np.where(np.isnan(end), same, end) for end in (found.low, found.high)])
