"""Agent characteristic curves as arrays: one linear map from responses to all indicators.

A curve ψ(h) is the mean response at each distinct difficulty. Its area and its first moment are
linear in the responses, so a whole matrix of agents needs one matrix product and no loop. The
difficulties between two observed ones are joined by straight lines (`trapezoid`) or by steps
(`step`); left of the first everything counts as solved, right of the last nothing does.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray, choice

__all__ = [
    "ESTIMATORS",
    "Indicators",
    "Interval",
    "Rule",
    "Sums",
    "conclude",
    "indicators",
    "indicators_of",
    "merge",
    "rule_of",
    "sums_of",
]

ESTIMATORS = ["trapezoid", "step"]
Interval = tuple[float, float]
_ROUNDING = 16 * np.finfo(float).eps  # relative to the scale of the difficulties
_DUST = 1e-12  # of the interval: equal difficulties that a fit left apart in their last digits
_CANCELLED = 1e-4  # below this share of q², 2M - A² has lost digits and is summed anew
_ABSTRUSE = 1e-12  # a constant curve is not abstruse, whatever its last digits say
_CACHED = 50_000  # cells of a block that stays in a core's cache
_LARGE = 4_000_000  # cells from which threads pay
_CHUNK = 2_000_000  # cells of a temporary array


class Indicators(NamedTuple):
    """What a curve says of its agent; arrays of one shape, one entry per agent."""

    capability: FloatArray  # Ψ, Eq. 7
    spread: FloatArray  # S, Eq. 9
    generality: FloatArray  # Γ = 1 / S, Eq. 5
    normalised_generality: FloatArray  # γ, Eq. 6
    expected_difficulty: FloatArray  # H, Eq. 8
    abstruse: np.ndarray  # more spread than a constant curve of the same capability


def merge(values: FloatArray, difficulty: FloatArray) -> tuple[FloatArray, FloatArray, np.ndarray]:
    """Levels (K,), mean response (A, K) and number of responses (A, K) per distinct difficulty.

    Missing cells (NaN) are left out of the means; a level an agent never met has ψ = NaN, n = 0.
    Difficulties are equal when they are equal as floats (supplement, A.2; bin them first if not).

    >>> levels, psi, n = merge(np.array([[1.0, 0.0, 1.0, np.nan]]), np.array([2.0, 1.0, 1.0, 2.0]))
    >>> levels.tolist(), psi.tolist(), n.tolist()
    ([1.0, 2.0], [[0.5, 1.0]], [[2, 1]])
    """
    levels, level_of, count = np.unique(difficulty, return_inverse=True, return_counts=True)
    order = np.argsort(level_of, kind="stable")
    starts = np.concatenate([[0], np.cumsum(count)[:-1]])
    in_order = (
        values if np.array_equal(order, np.arange(len(order))) else values.take(order, axis=1)
    )
    seen = ~np.isnan(in_order)
    if seen.all():
        n = np.broadcast_to(count, (len(values), len(levels)))
        total = in_order if len(levels) == len(order) else np.add.reduceat(in_order, starts, axis=1)
        return levels, total / count, n
    n = np.add.reduceat(seen.astype(np.int64), starts, axis=1)
    total = np.add.reduceat(np.where(seen, in_order, 0.0), starts, axis=1)
    return levels, np.where(n > 0, total / np.maximum(n, 1), np.nan), n


def indicators(
    levels: FloatArray,
    psi: FloatArray,
    interval: Interval,
    estimator: str = "trapezoid",
    origin: float | None = None,
) -> Indicators:
    """Capability, spread, generality, γ, expected difficulty and abstruseness of curves (..., K).

    With A = ∫ψ and M = ∫(h - low)ψ over the interval [low, high], q = high - low:
    Ψ = low + A (Eq. 7), S² = 2M - A² (Eq. 9), Γ = 1/S (Eq. 5), γ = 1 - S²/(A(q - A)) (Eq. 6; 1 for
    an agent that solves all or nothing) and H = ∫hψ / ∫ψ (Eq. 8), counted from `origin` <= low
    (low if None) with everything below low solved. NaN marks what an agent never met: its curve
    joins the levels that it met. Levels that occur twice are merged, so items will do as well.

    >>> found = indicators(np.array([0.0, 10.0]), np.array([[0.5, 0.5], [1.0, 0.0]]), (0.0, 10.0))
    >>> found.capability.tolist(), found.spread.round(4).tolist()
    ([5.0, 5.0], [5.0, 2.8868])
    """
    items = np.asarray(levels, dtype=float)
    rows = np.ascontiguousarray(psi, dtype=float).reshape(-1, len(items))
    found = indicators_of(sums_of(items, rows, interval, estimator), items, rows, origin)
    return Indicators(*(np.asarray(x).reshape(np.shape(psi)[:-1]) for x in found))


class Sums(NamedTuple):
    """The linear part: area, moment about low and plain sum of the responses, each (A,)."""

    rule: Rule
    area: FloatArray
    moment: FloatArray
    total: FloatArray


def sums_of(
    items: FloatArray,
    rows: FloatArray,
    interval: Interval,
    estimator: str,
    reach: Interval | None = None,
) -> Sums:
    """One pass over the responses (A, N) on items of difficulty (N,); NaN where a cell is missing."""
    levels, level_of, count = np.unique(items, return_inverse=True, return_counts=True)
    rule = rule_of(levels, interval, estimator, reach)
    weights = np.column_stack([rule.area / count, rule.moment / count, np.ones(len(levels))])
    area, moment, total = _product(rows, weights[level_of])
    return Sums(rule, rule.block + area, rule.block**2 / 2 + moment, total)


def indicators_of(
    sums: Sums, items: FloatArray, rows: FloatArray, origin: float | None = None
) -> Indicators:
    """The indicators from the sums, going back to the rows where a sum is not enough: missing cells,
    and spreads so small against q that 2M - A² has lost its digits."""
    rule, moment = sums.rule, sums.moment.copy()
    low, high = rule.interval
    area = np.clip(sums.area, 0.0, high - low)
    variance = 2 * moment - area**2
    again = np.flatnonzero(~(variance >= _CANCELLED * (high - low) ** 2))
    for part in _parts(again, len(items)):
        levels, psi, _ = merge(rows[part], items)
        if rule.reach is not None:
            levels, psi = _reaching(levels, psi, rule.reach)
        area[part], moment[part], variance[part] = along(levels, psi, rule)
    return conclude(area, moment, variance, rule.interval, origin)


def _reaching(
    levels: FloatArray, psi: FloatArray, reach: Interval
) -> tuple[FloatArray, FloatArray]:
    """The curves held out to the two difficulties of `reach`."""
    psi = held_to_the_ends(psi)
    left, right = levels[0] > reach[0], levels[-1] < reach[1]
    levels = np.concatenate([[reach[0]] * int(left), levels, [reach[1]] * int(right)])
    return levels, np.concatenate(
        [psi[:, :1][:, : int(left)], psi, psi[:, -1:][:, : int(right)]], axis=1
    )


def _product(rows: FloatArray, weights: FloatArray) -> FloatArray:
    """`rows @ weights`, transposed, in blocks that stay in the cache; large tables use all cores.

    The blocks do not depend on the number of cores, so neither does the result.
    """
    out = np.empty((len(rows), weights.shape[1]))
    block = max(16, _CACHED // rows.shape[1])

    def fill(starts: range) -> None:
        for i in starts:
            np.dot(rows[i : i + block], weights, out=out[i : i + block])

    starts = range(0, len(rows), block)
    workers = min(os.cpu_count() or 1, 8)
    if rows.size < _LARGE or workers == 1:
        fill(starts)
    else:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(fill, [starts[k::workers] for k in range(workers)]))
    return np.ascontiguousarray(out.T)


def conclude(
    area: FloatArray,
    moment: FloatArray,
    variance: FloatArray,
    interval: Interval,
    origin: float | None = None,
) -> Indicators:
    """The indicators from area, moment about low, and S², each (A,)."""
    low, high = interval
    noise = max(_ROUNDING * max(abs(low), abs(high)), _DUST * (high - low))
    variance = np.where(variance > noise**2, variance, 0.0)
    spread = np.sqrt(variance)
    room = area * (high - low - area)
    with np.errstate(divide="ignore", invalid="ignore"):
        generality = 1 / spread
        gamma = 1 - variance / room
    gamma[room <= noise * (high - low)] = 1.0  # solves all or nothing
    return Indicators(
        low + area,
        spread,
        generality,
        np.maximum(gamma, -1.0),
        _expected_difficulty(area, moment, low, low if origin is None else origin),
        gamma < -_ABSTRUSE,
    )


def _expected_difficulty(
    area: FloatArray, moment: FloatArray, low: float, origin: float
) -> FloatArray:
    """H (Eq. 8) from `origin`; an agent without any area is a step at the origin, so H = origin."""
    total = area + (low - origin)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = (moment + low * area + (low**2 - origin**2) / 2) / total
    expected[total <= 0] = origin
    return np.asarray(expected)


def _parts(rows: np.ndarray, columns: int) -> list[np.ndarray]:
    """Row numbers in pieces whose temporaries stay small."""
    size = max(1, _CHUNK // max(columns, 1))
    return [rows[i : i + size] for i in range(0, len(rows), size)]


# -- how a curve is read between its points: trapezoids or steps, cut to an interval ------------------


class Rule(NamedTuple):
    """The weights of ψ at the levels: on the interval, area = `block + ψ @ area`, and the moment about
    its lower end = `block² / 2 + ψ @ moment`; `block` is what is solved left of the first level."""

    interval: Interval
    estimator: str
    block: float
    area: FloatArray
    moment: FloatArray
    reach: Interval | None = None


def rule_of(
    levels: FloatArray,
    interval: Interval,
    estimator: str = "trapezoid",
    reach: Interval | None = None,
) -> Rule:
    """The weights that turn ψ at `levels` into area and moment on `interval`.

    An interval that ends between two levels cuts the curve there, at its interpolated height; one
    that starts below the first level adds a solved block; right of the last level ψ is 0. With `reach`
    the curve first stays as it is at its ends, out to these two difficulties.

    >>> rule_of(np.array([1.0, 2.0]), (0.0, 4.0)).area.tolist()
    [0.5, 0.5]
    >>> rule_of(np.array([1.0, 2.0]), (0.0, 4.0), reach=(0.0, 4.0)).area.tolist()
    [1.5, 2.5]
    """
    choice("estimator", estimator, ESTIMATORS)
    low, high = interval
    if not low < high:
        raise BadInput("interval", interval, "is empty", "give (lowest, highest) difficulty")
    if low >= levels[-1] or high <= levels[0]:
        raise BadInput(
            "interval",
            interval,
            f"does not meet the difficulties {levels[0]:g} to {levels[-1]:g}",
            "give one that overlaps them",
        )
    build = _trapezoids if estimator == "trapezoid" else _rectangles
    if reach is None:
        return build(levels, (low, high))
    held = np.unique([min(reach[0], levels[0]), *levels, max(reach[1], levels[-1])])
    rule = build(held, (low, high))
    level = np.clip(np.searchsorted(levels, held), 0, len(levels) - 1)
    area, moment = (
        np.asarray(np.bincount(level, x, len(levels)), dtype=float)
        for x in (rule.area, rule.moment)
    )
    return rule._replace(area=area, moment=moment, reach=reach)


def _trapezoids(levels: FloatArray, interval: Interval) -> Rule:
    low, high = interval
    points = levels[(levels >= low) & (levels <= high)]
    points = np.unique(np.concatenate([points, np.clip([low, high], levels[0], levels[-1])]))
    left = np.minimum(np.searchsorted(levels, points, side="right") - 1, len(levels) - 1)
    gap = levels[np.minimum(left + 1, len(levels) - 1)] - levels[left]
    share = np.divide(points - levels[left], gap, out=np.zeros_like(points), where=gap > 0)
    width, x = np.diff(points), points - low
    area, moment = np.zeros((2, len(points)))
    area[:-1] += width / 2
    area[1:] += width / 2
    moment[:-1] += width * (2 * x[:-1] + x[1:]) / 6
    moment[1:] += width * (x[:-1] + 2 * x[1:]) / 6
    back = _spread_back(len(levels), left, share)
    return Rule(interval, "trapezoid", float(x[0]), back(area), back(moment))


def _rectangles(levels: FloatArray, interval: Interval) -> Rule:
    low, high = interval
    points = levels[(levels > low) & (levels < high)]
    points = np.append(points, min(high, levels[-1]))
    left = np.searchsorted(levels, points, side="left")
    edges = np.concatenate([[low], points])
    area = np.diff(edges)
    moment = area * ((edges[1:] + edges[:-1]) / 2 - low)
    back = _spread_back(len(levels), left, np.zeros_like(points))
    return Rule(interval, "step", 0.0, back(area), back(moment))


def _spread_back(
    size: int, left: np.ndarray, share: FloatArray
) -> Callable[[FloatArray], FloatArray]:
    """Weights at the points, handed to the levels that each point is interpolated from."""
    right = np.minimum(left + 1, size - 1)

    def back(weights: FloatArray) -> FloatArray:
        return np.asarray(
            np.bincount(left, weights * (1 - share), size)
            + np.bincount(right, weights * share, size)
        )

    return back


def along(
    levels: FloatArray, psi: FloatArray, rule: Rule
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Area, moment and S² of curves (A, K), walked piece by piece: for agents that never met some
    levels (NaN), each from its own levels, and for spreads that 2M - A² would lose to rounding."""
    low, _ = rule.interval
    a, b, ya, yb = _pieces(levels, psi, rule)
    area = _linear_times_linear(a, b, ya, yb, 1.0, 1.0)
    moment = _linear_times_linear(a, b, ya, yb, a - low, b - low)
    centre = low + area[:, None]
    m = np.clip(centre, a, b)
    share = np.divide(m - a, b - a, out=np.zeros_like(m), where=b > a)
    ym = ya + (yb - ya) * share
    failed = _linear_times_linear(a, m, 1 - ya, 1 - ym, centre - a, centre - m)
    solved = _linear_times_linear(m, b, ym, yb, m - centre, b - centre)
    # ∫(Ψ - h)(1 - ψ) left of Ψ and ∫(h - Ψ)ψ right of it: no negative term, nothing cancels
    return area, moment, 2 * (failed + solved)


def held_to_the_ends(psi: FloatArray) -> FloatArray:
    """Curves (A, K) whose first and last levels are known: where an agent never met them, as at the
    nearest level that it met. Neither solved nor failed: nobody asked.

    >>> held_to_the_ends(np.array([[np.nan, 0.8, 0.6, np.nan]])).tolist()
    [[0.8, 0.8, 0.6, 0.6]]
    """
    met = ~np.isnan(psi)
    ends = met[:, 0] & met[:, -1]
    if ends.all() or not met.any(axis=1).all():
        return psi
    rows = np.arange(len(psi))
    first, last = met.argmax(axis=1), psi.shape[1] - 1 - met[:, ::-1].argmax(axis=1)
    held = psi.copy()
    held[:, 0], held[:, -1] = psi[rows, first], psi[rows, last]
    return held


def _linear_times_linear(
    a: FloatArray,
    b: FloatArray,
    f0: FloatArray,
    f1: FloatArray,
    g0: FloatArray | float,
    g1: FloatArray | float,
) -> FloatArray:
    """∫ f g over the pieces [a, b] (A, P), both linear on each, summed over the pieces."""
    return np.asarray(((b - a) / 6 * (f0 * (2 * g0 + g1) + f1 * (g0 + 2 * g1))).sum(axis=1))


def _pieces(levels: FloatArray, psi: FloatArray, rule: Rule) -> tuple[FloatArray, ...]:
    """Ends a, b and heights ya, yb of the pieces (A, K) of each curve, cut to the interval: from the
    last level an agent met to this one, and up to its first level all solved."""
    low, high = rule.interval
    psi = held_to_the_ends(psi)
    met = ~np.isnan(psi)
    if not met.any(axis=1).all():
        raise BadInput("responses", "an agent", "has no response at all", "leave that agent out")
    index = np.maximum.accumulate(np.where(met, np.arange(len(levels)), -1), axis=1)
    before = np.concatenate([np.full((len(psi), 1), -1), index[:, :-1]], axis=1)
    start = before < 0
    x1 = np.broadcast_to(levels, psi.shape)
    x0 = np.where(start, min(low, levels[0]), levels[before])
    y1 = np.where(met, psi, 0.0)
    y0 = np.where(start, 1.0, np.take_along_axis(y1, np.maximum(before, 0), axis=1))
    if rule.estimator == "step":
        y0 = y1
    else:
        y1 = np.where(start, 1.0, y1)
    slope = np.divide(y1 - y0, x1 - x0, out=np.zeros_like(y0), where=x1 > x0)
    a = np.clip(x0, low, high)
    b = np.where(met, np.clip(x1, low, high), a)
    return a, b, y0 + slope * (a - x0), y0 + slope * (b - x0)
