"""One object holds everything behind an estimate and its limits.

Given the difficulties, the area A and the moment M of a characteristic curve are weighted sums of the
responses (`curves.rule_of`), so the error of A is a sum over items of weight times residual. The residual of
a response is its distance from a straight line through its nearest neighbours on either side (Gasser, Sroka
and Jennen-Steinmetz 1986): no knots, no bandwidth, and no bias where the curve is locally straight.
Items that share their luck (families) are summed before squaring, and do not enter each other's lines.
Three variances that responses cannot show are added: half a surprise (Jeffreys), where a curve falls between
two distant items, and the error of estimated difficulties.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import Label
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.curves import Interval, Pair, item_weights, uniform_places
from gindex_lab.measures.samples import Sample, by_pattern, grid_sums

__all__ = ["Fit", "fit_of", "unit_sums"]

NEIGHBOURS = 2  # on either side: the fewest that leave a line determined when one lies at an end
# Jeffreys' half success and half failure, spread over the items; a quarter is too little
# (test_half_a_surprise_is_enough_and_a_quarter_is_not)
SURPRISE = 0.5
# An item stands for others ("isolated" of `coverage_study`) if it has so many times the mean weight, and more
# than one in so many parts of Σw²: beyond ten such items their residuals tell (752 designs of their own kept
# apart: none below .93, and the limits up to three times as narrow as with the first rule alone)
HEAVY, DOMINANT = 3.0, 10
_FEWEST = 3  # units: two say nothing about the error of the error
Errors = tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray, int]


@dataclass(frozen=True, eq=False)
class Fit:
    """Sums, errors and design of A agents on F units (items, families or trials).
    `own`, `unseen` and `design` are variances (A, 3): of the area, of area with moment, and of the moment.
    `own` is what the contributions do not show, and no other agent shares it. `completions` are the same
    study with whatever lies beyond an agent's items, on either side, counted as low, or as high, as a
    falling curve allows (four of them), and the items joined by straight lines."""

    sample: Sample
    area: FloatArray  # (A,) A = ∫ψ
    moment: FloatArray  # (A,) M = ∫(h - low)ψ
    mean: FloatArray  # (A,)
    by_area: FloatArray  # (A, F) errors of the area, unit by unit
    by_moment: FloatArray
    by_mean: FloatArray
    weight_area: FloatArray  # (A, F) how much of the area each unit decides
    weight_moment: FloatArray
    solved: FloatArray  # (A, F) share of each unit that was solved
    own: FloatArray  # (A, 3)
    unseen: FloatArray  # (A, 3) of one surprise, equally likely on every unit
    design: FloatArray  # (A, 3) the part that more responses to the same items would not reduce
    grouped: FloatArray  # (A,) what straight lines across gaps may have added to S²
    units: np.ndarray  # (A,) how many units each agent was measured on
    seen: FloatArray  # (A,) minority responses: failures of the strong, successes of the weak
    completions: tuple[Fit, ...] = ()

    @property
    def agents(self) -> pd.Index:
        return self.sample.agents

    @property
    def interval(self) -> Interval:
        return self.sample.interval

    @property
    def effective(self) -> FloatArray:
        """The number (Σw)²/Σw² of equally weighted units that would be as informative (Kish 1965)."""
        w = self.weight_area
        return np.asarray(w.sum(axis=1) ** 2 / (w**2).sum(axis=1))

    def rows(self, which: Any) -> Fit:
        """The same for some agents only, by position."""
        parts: Any = {k: x[which] for k, x in vars(self).items() if isinstance(x, np.ndarray)}
        completions = tuple(x.rows(which) for x in self.completions)
        return replace(self, sample=self.sample.rows(which), completions=completions, **parts)


def fit_of(sample: Sample) -> Fit:
    """The fit of a sample, with its completions where items do not reach the ends."""
    way = _positions if sample.difficulty is None else _responses
    fit = Fit(sample, *by_pattern(sample.values, partial(way, sample)))
    others = (partial(_responses, sample, held=sides) for sides in _completions(sample))
    completions = tuple(Fit(sample, *by_pattern(sample.values, other)) for other in others)
    return replace(fit, completions=completions)


def unit_sums(fit: Fit) -> FloatArray:
    """Contributions of each unit to area, moment and mean (3, A, F), for agents that met the same items."""
    sample = fit.sample
    free = (sample.codes >= 0) & ~np.isnan(sample.values[0])
    values, codes = sample.values[:, free], sample.codes[free]
    count = values.shape[1]
    if sample.difficulty is None:
        cells = np.stack([*grid_sums(values, sample.interval, sample.grid), values]) / count
    else:
        met = np.flatnonzero(~np.isnan(sample.values[0]))
        weights = _weights(sample, met)[0][:, free[met]]
        cells = np.stack([values * weights[0], values * weights[1], values / count])
    return _by_unit(cells, codes, sample.units)


def _completions(sample: Sample) -> list[tuple[bool, ...]]:
    """Ways to continue curves beyond their items: (held on the left?, held on the right?). Both answers where
    an agent's items do not reach that end of the interval; none for curves that are means of steps. The
    estimator "step" takes the least that a falling curve allows in every gap, an error that does not average
    out, so it is compared with straight lines as well."""
    if sample.difficulty is None:
        return []
    met, (low, high) = ~np.isnan(sample.values), sample.interval
    steps, tried = sample.scale.estimator == "step", sample.trials is not None
    left = not (steps and tried) and (np.where(met, sample.difficulty, np.inf).min(axis=1) > low).any()
    right = (np.where(met, sample.difficulty, -np.inf).max(axis=1) < high).any()
    if not (left or right or (steps and not tried)):
        return []
    return list(itertools.product(*([True, False] if side else [False] for side in (left, right))))


def _responses(
    sample: Sample, items: np.ndarray, rows: np.ndarray, held: tuple[bool, ...] | None = None
) -> list[Any]:
    """The fields of a `Fit` for agents that met the same items. Beyond their items the curve continues as the
    study says, or is `held` at its ends or not."""
    free = sample.codes[items] >= 0
    answers = sample.values[np.ix_(rows, items[free])]
    weights, constant = _weights(sample, items, held)
    sums = weights @ sample.values[np.ix_(rows, items)].T + constant[:, None]
    inside = weights[:, free]
    seen = _seen(sample, rows, items[free][inside[0] > 0])
    errors = _item_errors if sample.trials is None else _trial_errors
    by, weight, solved, more, grouped, units = errors(sample, rows, items[free], inside)
    _enough(units, sample.agents[rows[0]], sample.word)
    own, unseen = (
        single + np.maximum(whole - single, 0.0) * (1 / np.maximum(seen, 1.0))[:, None]
        for whole, single in zip(_surprises(weight), _surprises(inside[:, None, :]), strict=True)
    )
    facts = own + more, unseen, more, grouped, np.full(len(rows), units), seen
    return [*sums, answers.mean(axis=1), *by, *weight, solved, *facts]


def _seen(sample: Sample, rows: np.ndarray, items: np.ndarray) -> FloatArray:
    """Minority responses (A,) on items that carry weight. Those of one family share their luck, so they count
    no more than (Σm)²/Σm², the number of families that would be as informative with equal m (Kish 1965)."""
    answers = sample.values[np.ix_(rows, items)]
    floor = np.zeros(len(items)) if sample.floor is None else sample.floor[items]
    right = answers.sum(axis=1)
    found = np.clip(np.minimum(right - floor.sum(), answers.shape[1] - right), 0.0, None)
    if sample.trials is not None:
        return np.asarray(found * np.nanmean((~np.isnan(sample.trials[rows])).sum(axis=2), axis=1))
    if sample.units == len(sample.codes):
        return found
    weak = (answers - floor).sum(axis=1, keepdims=True) < (1 - answers).sum(axis=1, keepdims=True)
    m = _by_unit(np.where(weak, answers - floor, 1 - answers), sample.codes[items], sample.units)
    return np.minimum(found, found**2 / np.maximum((m**2).sum(axis=1), 1e-300))


def _weights(sample: Sample, items: np.ndarray, held: tuple[bool, ...] | None = None) -> Pair:
    """Weights (2, N) of each response in area and moment, and their constants (2,)."""
    assert sample.difficulty is not None
    h, (low, high) = sample.difficulty, sample.interval
    first, last = h[items].min(), h[items].max()
    reach, estimator = sample.scale.reach or (h.min(), h.max()), sample.scale.estimator
    if held is not None:  # solved up to the first item and failed beyond the last, where not held
        reach = low if held[0] else first, high if held[1] else last
        estimator = "trapezoid" if sample.trials is None else estimator
        # met nothing in the interval
        if max(reach[1], last) <= low or min(reach[0], first) >= high:
            q = 0.0 if last <= low else high - low
            return np.zeros((2, len(items))), np.array([q, q**2 / 2])
    per_item, constant = item_weights(h[items], sample.interval, estimator, reach)
    if sample.floor is None:
        return per_item, constant
    floor = sample.floor[items]  # r counts (r - c)/(1 - c), which is linear: other weights
    return per_item / (1 - floor), constant - per_item @ (floor / (1 - floor))


def _item_errors(sample: Sample, rows: np.ndarray, items: np.ndarray, weights: FloatArray) -> Errors:
    """By unit: errors (3, A, F), weights (2, A, F) and share solved (A, F); further variance (A, 3), the S²
    of straight lines (A,), and the number of units."""
    assert sample.difficulty is not None
    h, codes = sample.difficulty[items], sample.codes[items]
    answers = sample.values[np.ix_(rows, items)]
    units, line = len(np.unique(codes)), _lines(h, codes)
    fitted = np.asarray((line @ answers.T).T)
    scale = 1 / np.sqrt(1 + np.asarray(line.power(2).sum(axis=1)).ravel())
    error = _with_heavy((answers - fitted) * scale, weights[0])
    centred = (answers - answers.mean(axis=1, keepdims=True)) / answers.shape[1]
    centred *= np.sqrt(units / (units - 1)) if units > 1 else 1.0
    cells = np.stack([error * weights[0], error * weights[1], centred])
    by, weight = (_by_unit(x, codes, sample.units) for x in (cells, weights[:, None, :]))
    weight = np.broadcast_to(weight, (2, len(rows), sample.units))
    solved = _by_unit(answers, codes, sample.units)
    solved = solved / np.maximum(np.bincount(codes, minlength=sample.units), 1)
    lift = np.ones(len(items)) if sample.floor is None else 1 / (1 - sample.floor[items])
    more, grouped = _between(h, 1 - (1 - answers) * lift, error * lift, sample.interval)
    if sample.difficulty_error is not None:
        fitted = 1 - (1 - fitted) * lift
        more = more + _of_difficulty(h, fitted, sample.difficulty_error[items], sample.interval[0])
    return by, weight, solved, more, grouped, units


def _lines(h: FloatArray, family: np.ndarray) -> Any:
    """The sparse operator (N, N) that predicts each response from its neighbours by a straight line, or by
    their mean where all lie on one side: extrapolating a line would magnify noise."""
    from scipy import sparse

    order = np.argsort(h, kind="stable")
    near = _neighbours(family[order])  # (N, 2k) places in order, -1 where there is none
    known = near >= 0
    x = np.where(known, h[order][np.maximum(near, 0)] - h[order][:, None], 0.0)
    count = np.maximum(known.sum(axis=1, keepdims=True), 1)
    middle = x.sum(axis=1, keepdims=True) / count
    away = np.where(known, x - middle, 0.0)
    width = (away**2).sum(axis=1, keepdims=True)
    sides = [(known & side).any(axis=1, keepdims=True) for side in (x <= 0, x >= 0)]
    safe = sides[0] & sides[1] & (width > 0)
    tilt = np.divide(middle * away, width, out=np.zeros_like(x), where=safe & known)
    share = np.where(known, 1 / count - tilt, 0.0)
    row = np.repeat(order, near.shape[1])[known.ravel()]
    column = order[near[known]]
    return sparse.csr_array((share[known], (row, column)), shape=(len(h), len(h)))


def _neighbours(family: np.ndarray) -> np.ndarray:
    """The nearest `NEIGHBOURS` places on either side of each place that belong to other families."""
    n, k = len(family), NEIGHBOURS
    if len(np.unique(family)) == n:
        near = np.arange(n)[:, None] + np.r_[-k:0, 1 : k + 1]
        return np.where((near >= 0) & (near < n), near, -1)
    found = np.full((n, 2 * k), -1)
    for one in np.unique(family):
        mine, others = np.flatnonzero(family == one), np.flatnonzero(family != one)
        near = np.searchsorted(others, mine)[:, None] + np.arange(-k, k)
        known = (near >= 0) & (near < len(others))
        found[mine] = np.where(known, others.take(near, mode="clip"), -1) if len(others) else -1
    return found


def _with_heavy(error: FloatArray, weight: FloatArray) -> FloatArray:
    """Errors in which isolated items have at least some variance. Such an item weighs as much as many, and
    one response cannot show its variance: the heavier it is, the nearer to the largest possible, ¼."""
    w = np.abs(weight)
    heavy = max(HEAVY * w.mean(), np.sqrt((w**2).sum() / DOMINANT))
    share = 1 - (heavy / np.maximum(w, heavy)) ** 2 if heavy > 0 else 0 * w
    least = np.sqrt(share) / 2
    return np.where(np.abs(error) < least, np.where(error < 0, -least, least), error)


def _by_unit(cells: FloatArray, codes: np.ndarray, units: int) -> FloatArray:
    """Columns (…, N) summed by unit (…, F); 0 for a unit without columns."""
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    found = np.zeros((*cells.shape[:-1], units))
    found[..., codes[order][starts]] = np.add.reduceat(cells[..., order], starts, axis=-1)
    return found


def _surprises(weight: FloatArray) -> list[FloatArray]:
    """Variances (A, 3) of half a surprise, which falls on a unit in proportion to its weight (2, A, F), and
    of a whole one, equally likely on every unit."""
    area, moment = weight
    products = [area**2, area * moment, moment**2]
    counts = area != 0
    by_weight = SURPRISE * area / np.maximum(area.sum(axis=1, keepdims=True), 1e-300)
    evenly = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return [np.stack([(w * x).sum(axis=1) for x in products], axis=1) for w in (by_weight, evenly)]


def _between(h: FloatArray, answers: FloatArray, error: FloatArray, interval: Interval) -> Pair:
    """Variances (A, 3) from not knowing where between two levels a curve falls, and Sheppard's correction
    (A,).

    A fall Δ at a uniform place of variance v gives an area of variance vΔ². What noise adds to Δ² is
    subtracted on average, so that little remains where items are dense and much where they are few or far
    apart. A straight line has the S² of falls spread over the gap, a single fall has none: ΣvΔ (Sheppard
    1898) is the difference, negative where a curve rises."""
    levels, level_of, count = np.unique(h, return_inverse=True, return_counts=True)
    middle, v = uniform_places(levels, interval)
    psi = _by_unit(answers, level_of, len(levels)) / count
    noise = _by_unit(error**2, level_of, len(levels)) / count**2
    fall = -np.diff(psi, axis=1)
    square = v * fall**2
    real = (square - v * (noise[:, 1:] + noise[:, :-1])).sum(axis=1)
    total = square.sum(axis=1)
    share = np.divide(np.maximum(real, 0.0), total, out=np.zeros_like(total), where=total > 0)
    products = [square, square * middle, square * middle**2]
    variance = np.stack([x.sum(axis=1) for x in products], axis=1) * share[:, None]
    return np.asarray(variance), np.asarray(fall @ v)


def _of_difficulty(h: FloatArray, fitted: FloatArray, error: FloatArray, low: float) -> FloatArray:
    """Variances (A, 3) of area and moment from errors of the difficulties: ∂A/∂hᵢ = (ψᵢ₋₁ - ψᵢ₊₁)/2."""
    order = np.argsort(h, kind="stable")
    curve = np.clip(fitted[:, order], 0.0, 1.0)
    padded = np.concatenate([curve[:, :1], curve, curve[:, -1:]], axis=1)
    fall = ((padded[:, :-2] - padded[:, 2:]) / 2 * error[order]) ** 2
    x = h[order] - low
    return np.stack([(fall * x**k).sum(axis=1) for k in range(3)], axis=1)


def _trial_errors(sample: Sample, rows: np.ndarray, items: np.ndarray, weights: FloatArray) -> Errors:
    """The same as `_item_errors` where the items are fixed and only the trials are random."""
    assert sample.trials is not None
    trials = sample.trials[rows]
    a, n, t = trials.shape
    known = ~np.isnan(trials)
    count = known.sum(axis=2)
    full = np.zeros((3, n))
    full[:2, items], full[2, items] = weights, 1 / len(items)
    deviation = np.nan_to_num(trials - sample.values[rows][:, :, None])
    deviation /= np.sqrt(np.maximum(count * (count - 1), 1))[:, :, None]
    share = np.where(known, 1 / np.maximum(count, 1)[:, :, None], 0.0)
    by = (deviation[None] * full[:, None, :, None]).reshape(3, a, n * t)
    weight = (share[None] * full[:2, None, :, None]).reshape(2, a, n * t)
    solved = np.nan_to_num(trials).reshape(a, n * t)
    return by, weight, solved, np.zeros((a, 3)), np.zeros(a), int(count[0].sum())


def _positions(sample: Sample, items: np.ndarray, rows: np.ndarray) -> list[Any]:
    """The fields of a `Fit` for step curves: the mean of one step per item (lemma 19)."""
    part, codes = sample.values[np.ix_(rows, items)], sample.codes[items]
    (low, high), (a, n), units = sample.interval, part.shape, len(np.unique(codes))
    _enough(units, sample.agents[rows[0]], sample.word)
    cells = [*grid_sums(part, sample.interval, sample.grid), part]
    sums, scale = [x.mean(axis=1) for x in cells], np.sqrt(units / (units - 1)) / n
    centred = ((x - at[:, None]) * scale for x, at in zip(cells, sums, strict=True))
    by = [_by_unit(x, codes, sample.units) for x in centred]
    share = np.bincount(codes, minlength=sample.units) / n
    weight = np.broadcast_to(share, (2, a, sample.units))
    rare = np.minimum(part - low, high - part).clip(0.0).sum(axis=1) / (high - low)
    whole, single = (share[share > 0] ** 2).sum() / units, 1 / n**2
    size = single + (whole - single) / np.maximum(rare, 1.0)
    # half a step that falls at one end of the interval or at the other
    away = [(x - sums[0], x**2 / 2 - sums[1]) for x in (0.0, high - low)]
    half = sum(np.stack([x**2, x * y, y**2], axis=1) for x, y in away) * SURPRISE / 2
    own, none = half * size[:, None], np.zeros((a, 3))
    facts = own, own / SURPRISE, none, np.zeros(a), np.full(a, units), np.full(a, np.inf)
    return [*sums, *by, *weight, np.full((a, sample.units), 0.5), *facts]


def _enough(number: int, agent: Label, what: str) -> None:
    problem = f"[too-few] are too few {what} for an interval"
    remedy = f"measure it on at least three {what}, or leave it out"
    ensure(number >= _FEWEST, f"responses of {agent!r}", number, problem, remedy)
