"""Agent characteristic curves as arrays: one linear map from responses to all indicators.

A curve ψ(h) is the mean response at each distinct difficulty. Its area and its first moment are linear in the
responses, so a whole matrix of agents needs one matrix product and no loop. The difficulties between two
observed ones are joined by straight lines (`trapezoid`) or by steps (`step`); left of the first everything
counts as solved, right of the last nothing does. `rule_of` is that linear map, `conclude` is Eqs. 5-9.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import DifficultyLike
from gindex_lab.foundation.validate import FloatArray, choice, vector

__all__ = ["Indicators", "Interval", "Pair", "Rule", "Scale", "conclude", "difficulty_limits"]
__all__ += ["indicators", "merge", "rule_of"]

ESTIMATORS = ["trapezoid", "step"]
Interval = tuple[float, float]
Pair = tuple[FloatArray, FloatArray]
_ROUNDING = 16 * np.finfo(float).eps  # relative to the scale of the difficulties
_DUST = 1e-12  # of the interval: equal difficulties that a fit left apart in their last digits
_CANCELLED = 1e-4  # below this share of q², 2M - A² has lost digits and is summed anew
_LOST = 1e-14  # of q²: what 2M - A² cannot tell from 0
_ABSTRUSE = 1e-12  # a constant curve is not abstruse, whatever its last digits say
_CACHED = 50_000  # cells of a block that stays in a core's cache (benchmarks/bench_generality)
_LARGE = 4_000_000  # cells from which threads pay (benchmarks/bench_generality)
_CHUNK = 2_000_000  # cells of a temporary array: 16 MB


class Indicators(NamedTuple):
    """What a curve says of its agent; arrays of one shape, one entry per agent."""

    capability: FloatArray  # Ψ, Eq. 7
    spread: FloatArray  # S, Eq. 9
    generality: FloatArray  # Γ = 1 / S, Eq. 5
    normalised_generality: FloatArray  # γ, Eq. 6
    expected_difficulty: FloatArray  # H, Eq. 8
    abstruse: np.ndarray  # more spread than a constant curve of the same capability


@dataclass(frozen=True)
class Scale:
    """How a curve is read: on which interval, how its points are joined, where H is counted from, and what
    lies beyond the items: solved on the left and failed on the right ("paper"), or as at the ends
    ("hold")."""

    interval: Interval
    estimator: str = "trapezoid"
    origin: float | None = None
    extrapolate: str = "paper"

    @property
    def start(self) -> float:
        """Where H is counted from: the lower end unless said otherwise."""
        return self.interval[0] if self.origin is None else self.origin

    @property
    def reach(self) -> Interval | None:
        """Out to which difficulties curves are held."""
        return self.interval if self.extrapolate == "hold" else None


def merge(values: FloatArray, difficulty: FloatArray) -> tuple[FloatArray, FloatArray, np.ndarray]:
    """Levels (K,), mean response (A, K) and number of responses (A, K) per distinct difficulty, equal as
    floats (supplement, A.2). Missing cells (NaN) are left out; a level never met has ψ = NaN and n = 0."""
    levels, level_of, count = np.unique(difficulty, return_inverse=True, return_counts=True)
    order, starts = np.argsort(level_of, kind="stable"), np.cumsum(count) - count
    in_order = values.take(order, axis=1)
    seen = ~np.isnan(in_order)
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
    """What curves (..., K) say of their agents, by the formulas of `conclude`. NaN marks what an agent never
    met: its curve joins the levels that it met. Levels that occur twice are merged, so items will do."""
    items, scale = np.asarray(levels, dtype=float), Scale(interval, estimator, origin)
    rows = np.ascontiguousarray(psi, dtype=float).reshape(-1, len(items))
    found = indicators_of(scale, sums_of(items, rows, scale), items, rows)
    return Indicators(*(np.asarray(x).reshape(np.shape(psi)[:-1]) for x in found))


def item_weights(items: FloatArray, interval: Interval, estimator: str, reach: Interval | None) -> Pair:
    """What a response to each item adds to area and moment (2, N), and what all curves have (2,)."""
    levels, level_of, count = np.unique(items, return_inverse=True, return_counts=True)
    rule = rule_of(levels, interval, estimator, reach)
    weights = (np.stack([rule.area, rule.moment]) / count)[:, level_of]
    return weights, np.array([rule.block, rule.block**2 / 2])


def sums_of(items: FloatArray, rows: FloatArray, scale: Scale) -> FloatArray:
    """Area, moment about low and plain sum (3, A) of responses (A, N), in one pass; NaN where cells miss."""
    weights, constant = item_weights(items, scale.interval, scale.estimator, scale.reach)
    sums = _product(rows, np.column_stack([*weights, np.ones(len(items))]))
    sums[:2] += constant[:, None]
    return sums


def indicators_of(
    scale: Scale, sums: FloatArray, items: FloatArray, rows: FloatArray, guesses: bool = False
) -> Indicators:
    """The indicators from the sums, or from the rows where sums are not enough: for missing cells, and for
    spreads so small beside q that 2M - A² has lost its digits. With `guesses` taken off the rows, the
    indicators of the nearest possible curve."""
    q = scale.interval[1] - scale.interval[0]
    area, moment = np.clip(sums[0], -np.inf if guesses else 0.0, q), sums[1].copy()
    variance = 2 * moment - area**2
    again = np.flatnonzero(~(variance >= (-np.inf if guesses else _CANCELLED * q**2)))
    size = max(1, _CHUNK // len(items))
    for part in (again[i : i + size] for i in range(0, len(again), size)):
        levels, psi, _ = merge(rows[part], items)
        area[part], moment[part], variance[part] = along(levels, psi, scale)
    if guesses:
        area, moment = feasible(area, moment, q)
        variance = 2 * moment - area**2
    return conclude(area, moment, variance, scale.interval, scale.origin)


def feasible(area: FloatArray, moment: FloatArray, q: float) -> Pair:
    """The nearest possible area, in [0, q], and moment, between those of the two steps of that area: a curve,
    unlike responses corrected for guessing, is never negative."""
    a = np.clip(area, 0.0, q)
    return a, np.clip(moment, a**2 / 2, a * (q - a / 2))


def _product(rows: FloatArray, weights: FloatArray) -> FloatArray:
    """`rows @ weights`, transposed, in blocks that stay in the cache; large tables use all cores. The blocks,
    and so the result, do not depend on their number."""
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
    """The indicators from the area A = ∫ψ, the moment M = ∫(h - low)ψ and S² = 2M - A², each (A,).

    On the interval [low, high] of width q: Ψ = low + A (Eq. 7), S = √(2M - A²) (Eq. 9), Γ = 1/S (Eq. 5),
    γ = 1 - S²/(A(q - A)) (Eq. 6; 1 for an agent that solves all or nothing), and H = ∫hψ / ∫ψ (Eq. 8),
    counted from `origin` <= low (low if None) with everything below low solved; an agent without any
    area is a step at the origin, so H = origin."""
    low, high = interval
    start = low if origin is None else origin
    noise = max(_ROUNDING * max(abs(low), abs(high)), _DUST * (high - low))
    variance = np.where(variance > noise**2, variance, 0.0)
    spread = np.sqrt(variance)
    room, solved = area * (high - low - area), area + (low - start)
    with np.errstate(divide="ignore", invalid="ignore"):
        generality = 1 / spread
        gamma = 1 - variance / room
        expected = (moment + low * area + (low**2 - start**2) / 2) / solved
    gamma[room <= noise * (high - low)] = 1.0  # solves all or nothing
    expected[solved <= 0] = start
    abstruse = gamma < -_ABSTRUSE
    return Indicators(low + area, spread, generality, np.maximum(gamma, -1.0), expected, abstruse)


def from_sums(area: FloatArray, moment: FloatArray, scale: Scale) -> Indicators:
    """The indicators where area and moment are all there is: an S² lost to rounding counts as 0."""
    q = scale.interval[1] - scale.interval[0]
    area = np.clip(area, 0.0, q)
    variance = 2 * moment - area**2
    variance = np.where(variance > _LOST * q**2, variance, 0.0)
    return conclude(area, moment, variance, scale.interval, scale.origin)


def difficulty_limits(difficulty: DifficultyLike) -> Interval:
    """The lowest and highest difficulty of a study, from the quantiles (type 7) of its items: KMAX = max(max
    h, q50 + 2(q95 - q05)); KMIN = min(min h, q50 - 2(q95 - q05)), but 0 where no difficulty is negative."""
    h = vector("difficulty", difficulty)
    q05, q50, q95 = np.quantile(h, [0.05, 0.5, 0.95])
    low = 0.0 if h.min() >= 0 else min(float(h.min()), float(q50 - 2 * (q95 - q05)))
    return low, max(float(h.max()), float(q50 + 2 * (q95 - q05)))


def span_of(h: FloatArray, estimator: str) -> tuple[Interval, float]:
    """The interval of a study that names none, the range of its difficulties with room for the first step,
    and where H is counted from."""
    levels = np.unique(h)
    first = float(levels[0] if estimator == "trapezoid" else 2 * levels[0] - levels[1])
    return (first, float(levels[-1])), min(first, difficulty_limits(h)[0])


class Rule(NamedTuple):
    """The weights of ψ at the levels: on the interval, area = `block + ψ @ area`, and the moment about
    its lower end = `block² / 2 + ψ @ moment`; `block` is what is solved left of the first level."""

    block: float
    area: FloatArray
    moment: FloatArray


def rule_of(
    levels: FloatArray, interval: Interval, estimator: str = "trapezoid", reach: Interval | None = None
) -> Rule:
    """The weights that turn ψ at `levels` into area and moment on `interval`. One that ends between two
    levels cuts the curve there, at its interpolated height; one that starts below the first adds a solved
    block; right of the last ψ is 0. With `reach` the curve first stays level out to these two
    difficulties."""
    choice("estimator", estimator, ESTIMATORS)
    low, high = interval
    ensure(low < high, "interval", interval, "[empty] is empty", "give (lowest, highest)")
    points, level = levels, np.arange(len(levels))
    if reach is not None:
        points = np.unique([min(reach[0], levels[0]), *levels, max(reach[1], levels[-1])])
        level = np.clip(np.searchsorted(levels, points), 0, len(levels) - 1)
    meets = low < points[-1] and high > points[0]
    problem = f"[no-overlap] does not meet the difficulties {points[0]:g} to {points[-1]:g}"
    ensure(meets, "interval", interval, problem, "give one that overlaps them")
    x0, x1 = np.concatenate([[min(low, points[0])], points[:-1]]), points
    a, b = np.clip(x0, low, high), np.clip(x1, low, high)
    block, before = 0.0, level
    if estimator == "trapezoid":  # the first piece is solved, and the others lie between two levels
        block, before, level = float(b[0] - a[0]), level[:-1], level[1:]
        x0, x1, a, b = x0[1:], x1[1:], a[1:], b[1:]
    steps = estimator == "step"
    share = [np.ones_like(x) if steps else (x - x0) / (x1 - x0) for x in (a, b)]  # of x1's response
    rest = [1 - x for x in share]
    area, moment = (
        np.bincount(level, linear_products(a, b, *share, *g), len(levels))
        + np.bincount(before, linear_products(a, b, *rest, *g), len(levels))
        for g in ((1.0, 1.0), (a - low, b - low))
    )
    return Rule(block, np.asarray(area, dtype=float), np.asarray(moment, dtype=float))


def linear_products(a: FloatArray, b: FloatArray, f0: Any, f1: Any, g0: Any, g1: Any) -> FloatArray:
    """∫ f g over each of the pieces [a, b], both linear on it."""
    return np.asarray((b - a) / 6 * (f0 * (2 * g0 + g1) + f1 * (g0 + 2 * g1)))


def uniform_places(levels: FloatArray, interval: Interval) -> Pair:
    """Mean above low, and variance, of a uniform place in each gap; beyond the interval is at its end."""
    above_low, q = levels - interval[0], interval[1] - interval[0]
    a, b = np.clip(above_low[:-1], 0.0, q), np.clip(above_low[1:], 0.0, q)
    width = np.diff(levels)
    inside, beyond = (b - a) / width, (above_low[1:] - b) / width
    middle = inside * (a + b) / 2 + beyond * q
    square = inside * (a**2 + a * b + b**2) / 3 + beyond * q**2
    return middle, np.maximum(square - middle**2, 0.0)


def along(levels: FloatArray, psi: FloatArray, scale: Scale) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Area, moment and S² of curves (A, K), piece by piece: for agents that never met some levels (NaN),
    whose curves join the levels they met, and for spreads that 2M - A² would lose to rounding."""
    low, _ = scale.interval
    a, b, ya, yb = _pieces(levels, psi, scale)
    area = linear_products(a, b, ya, yb, 1.0, 1.0).sum(axis=1)
    moment = linear_products(a, b, ya, yb, a - low, b - low).sum(axis=1)
    centre = low + area[:, None]
    m = np.clip(centre, a, b)
    ym = ya + (yb - ya) * np.divide(m - a, b - a, out=np.zeros_like(m), where=b > a)
    # ∫(Ψ - h)(1 - ψ) left of Ψ and ∫(h - Ψ)ψ right of it: no negative term, nothing cancels
    failed = linear_products(a, m, 1 - ya, 1 - ym, centre - a, centre - m)
    solved = linear_products(m, b, ym, yb, m - centre, b - centre)
    return area, moment, 2 * (failed + solved).sum(axis=1)


def _pieces(levels: FloatArray, psi: FloatArray, scale: Scale) -> tuple[FloatArray, ...]:
    """Ends a, b and heights ya, yb of the pieces (A, K) of each curve, cut to the interval. A piece runs from
    the previous level that the agent met to this one; everything up to the first is solved. An agent that
    never met the first or the last level is taken to be as at the nearest that it met: nobody asked."""
    psi, rows, met = psi.copy(), np.arange(len(psi)), ~np.isnan(psi)
    problem = "[no-response] has no response at all"
    ensure(met.any(axis=1).all(), "responses", "an agent", problem, "leave that agent out")
    psi[:, 0] = psi[rows, met.argmax(axis=1)]
    psi[:, -1] = psi[rows, psi.shape[1] - 1 - met[:, ::-1].argmax(axis=1)]
    low, high = scale.interval
    if scale.reach is not None:
        left, right = int(levels[0] > scale.reach[0]), int(levels[-1] < scale.reach[1])
        levels = np.concatenate([scale.reach[:left], levels, scale.reach[2 - right :]])
        psi = psi[:, np.pad(np.arange(psi.shape[1]), (left, right), "edge")]
    met = ~np.isnan(psi)
    index = np.maximum.accumulate(np.where(met, np.arange(len(levels)), -1), axis=1)
    before = np.concatenate([np.full((len(psi), 1), -1), index[:, :-1]], axis=1)
    start = before < 0
    x1 = np.broadcast_to(levels, psi.shape)
    x0 = np.where(start, min(low, levels[0]), levels[before])
    y1 = np.where(met, psi, 0.0)
    if scale.estimator == "step":
        y0 = y1
    else:
        y0 = np.where(start, 1.0, np.take_along_axis(y1, np.maximum(before, 0), axis=1))
        y1 = np.where(start, 1.0, y1)
    slope = np.divide(y1 - y0, x1 - x0, out=np.zeros_like(y0), where=x1 > x0)
    a = np.clip(x0, low, high)
    b = np.where(met, np.clip(x1, low, high), a)
    return a, b, y0 + slope * (a - x0), y0 + slope * (b - x0)
