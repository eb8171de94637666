"""How often a design separates two agents: simulated, and in closed form.

Simulated studies are put to the test of `gl.comparisons` itself. In closed form, the units' contributions to
the difference have variances that follow from the curves and the shares of luck. For capability and mean the
test by exchange asks for z √Σd²; for spread and γ, and where one unit dominates, Student's t has errors with
these variances on average, and what `Fit.own` adds to them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gindex_lab.foundation.many_tests import half_width
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.fit import Fit, fit_of
from gindex_lab.measures.limits import degrees, linear, satterthwaite
from gindex_lab.measures.pairs import LINEAR, dominated, pair_table, welch
from gindex_lab.measures.planning.designs import TERMS, Design, covariance, series_of, simulated, value_of

__all__ = ["closed_form", "observed"]

# Judgements
_BLOCK = 2_000_000  # responses that are simulated at once
_DRAWN = 200  # draws of the difficulties, where they are random
_AVERAGED = 8  # of them, over which the closed form is averaged


def observed(
    design: Design, chance: FloatArray, measure: str, ci: float, studies: int, random: np.random.Generator
) -> tuple[float, float]:
    """The share of simulated studies in which the two agents are separated, and its standard error."""
    found, size = [], max(1, min(studies, _BLOCK // (2 * design.items)))
    if design.spacing == "random" and design.difficulty is None:
        size = min(size, max(1, studies // _DRAWN))
    for start in range(0, studies, size):
        count = min(size, studies - start)
        h = design.places(random)
        moved = chance if design.spacing == "even" else _moved(design, chance, h)
        fit = fit_of(design.sample(h, simulated(design, moved, count, random)))
        first = np.arange(count)
        found.append(pair_table(fit, measure, first, first + count, ci)["p_value"] <= 1 - ci)
    share = float(np.concatenate(found).mean())
    return share, float(np.sqrt(max(share * (1 - share), 0.25 / studies) / studies))


def _moved(design: Design, chance: FloatArray, h: FloatArray) -> FloatArray:
    """The chances (2, N) of evenly spaced items, read at other difficulties."""
    return np.stack([np.interp(h, design.places(), row) for row in chance])


def closed_form(design: Design, chance: FloatArray, measure: str, ci: float) -> float:
    """The same without simulation, from the mean and variance of the difference.

    The units' contributions to the difference have the variances of `_unit_variance`; the test's own errors
    have on average the same, and what `Fit.own` adds.

    >>> flat = np.stack([np.full(100, 0.6), np.full(100, 0.4)])
    >>> round(closed_form(Design(items=100), flat, "mean", 0.95), 2)
    0.8
    """
    from scipy.special import ndtr

    if design.spacing == "random" and design.difficulty is None:
        found = []
        for k in range(_AVERAGED):
            h = design.places(np.random.default_rng(k))
            at = replace(design, difficulty=tuple(h), spacing="even")
            found.append(closed_form(at, _moved(design, chance, h), measure, ci))
        return float(np.mean(found))
    h = design.places()
    fit, pull = _expected_fit(design, h, chance, measure)
    part = linear(fit)[measure]
    variance, fourth = _unit_variance(design, chance, pull)
    own = float((part.own - part.design).sum())
    one, two = np.array([0]), np.array([1])
    total = np.array([variance.sum() + own])
    pulls = np.hypot(part.pull[one], part.pull[two])
    freedom = degrees(np.sqrt(variance)[None], pulls, np.array([own]), welch(fit, part, one, two))
    freedom = np.maximum(np.minimum(freedom, satterthwaite(total, np.array([fourth]))), 1.0)
    values = value_of(design, h, chance, measure)
    if measure == "spread":
        values = values**2
    gap, deviation = abs(float(values[0] - values[1])), float(np.sqrt(variance.sum()))
    bar = float(half_width(np.sqrt(total[0]), ci, freedom[0]))
    if measure in LINEAR:
        bar = max(
            bar if dominated(fit, measure).any() else 0.0, _exchange_bar(design, chance, pull, variance, ci)
        )
    shares = [float(ndtr((sign * gap - bar) / max(deviation, 1e-300))) for sign in (1, -1)]
    return min(1.0, sum(shares))


def _exchange_bar(
    design: Design, chance: FloatArray, pull: FloatArray, variance: FloatArray, ci: float
) -> float:
    """What the test by exchange asks for, z √Σd²: the squares of the true differences add to the
    variances."""
    from scipy.special import ndtri

    units = int(design.codes().max()) + 1
    gaps = np.bincount(design.codes(), pull[0] * chance[0] - pull[1] * chance[1], units)
    return float(ndtri((1 + ci) / 2) * np.sqrt(variance.sum() + (gaps**2).sum()))


def _expected_fit(design: Design, h: FloatArray, chance: FloatArray, measure: str) -> tuple[Fit, FloatArray]:
    """A fit whose errors are the deviations that responses have on average, and each item's pull (2, N)."""
    by_item = replace(design, families=None)
    fit = fit_of(by_item.sample(h, chance))
    own = np.sqrt(_own_variance(design, chance))
    weighted = [fit.weight_area * own, fit.weight_moment * own, own / design.items]
    item_fit = replace(fit, by_area=weighted[0], by_moment=weighted[1], by_mean=weighted[2])
    pull = linear(item_fit)[measure].pull
    if design.families is None:
        return item_fit, pull
    fit = fit_of(design.sample(h, chance))
    codes, units = design.codes(), design.families
    sums = [np.stack([np.sqrt(np.bincount(codes, row**2, units)) for row in x]) for x in weighted]
    return replace(fit, by_area=sums[0], by_moment=sums[1], by_mean=sums[2]), pull


def _own_variance(design: Design, chance: FloatArray) -> FloatArray:
    """Variance (2, N) of the mean of an item's trials."""
    trial, total = chance * (1 - chance), sum(design.lucks)
    if design.repeats == 1:
        return np.asarray(trial)
    return np.asarray((trial + (design.repeats - 1) * covariance(chance, chance, total)) / design.repeats)


def _unit_variance(design: Design, chance: FloatArray, pull: FloatArray) -> tuple[FloatArray, float]:
    """Variance (F,) of each unit's contribution to the difference, and about its fourth moment, summed."""
    shared, likeness, _ = design.lucks
    own = (pull**2 * _own_variance(design, chance)).sum(axis=0)
    variance = own - 2 * pull[0] * pull[1] * covariance(chance[0], chance[1], shared)
    codes = design.codes()
    units = int(codes.max()) + 1
    found = np.asarray(np.bincount(codes, variance, units), dtype=float)
    if likeness:
        terms = pull[..., None] * series_of(chance)
        powers = likeness ** np.arange(1, TERMS + 1)
        for row in terms:
            sums = np.stack([np.bincount(codes, x, units) for x in row.T], axis=1)
            squares = np.stack([np.bincount(codes, x**2, units) for x in row.T], axis=1)
            found = found + (sums**2 - squares) @ powers
    found = np.asarray(np.maximum(found, 0.0), dtype=float)
    return found, float(2.0 * (found**2).sum() + (pull**4).max(axis=0) @ chance.var(axis=0))
