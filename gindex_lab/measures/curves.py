"""Agent characteristic curves as arrays: one linear map from responses to all indicators.

A curve ψ(h) is the mean response at each distinct difficulty. Its area and its first moment are
linear in the responses, so a whole matrix of agents needs one matrix product and no loop. The
difficulties between two observed ones are joined by straight lines (`trapezoid`) or by steps
(`step`); left of the first everything counts as solved, right of the last nothing does.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from gindex_lab.measures.rules import (
    ESTIMATORS,
    Interval,
    Rule,
    along,
    held_to_the_ends,
    rule_of,
)
from gindex_lab.validate import FloatArray

__all__ = [
    "ESTIMATORS",
    "Indicators",
    "Interval",
    "Rule",
    "Sums",
    "conclude",
    "grid_sums",
    "indicators",
    "indicators_of",
    "merge",
    "of_positions",
    "rule_of",
    "step_curve",
    "sums_of",
]

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


def step_curve(positions: FloatArray, grid: FloatArray) -> FloatArray:
    """The mean (A, c) over items of unit steps that fall at `positions` (A, N): 1 left of a
    position, 0 right of it, 1/2 on it. Counting replaces the c x N columns of the authors' code;
    a missing position (NaN) is no step.

    >>> step_curve(np.array([[0.2, 0.5]]), np.array([0.0, 0.25, 0.5, 1.0])).tolist()
    [[1.0, 0.5, 0.25, 0.0]]
    """
    agents, c = len(positions), len(grid)
    offset = (c + 1) * np.arange(agents)[:, None]
    seen = ~np.isnan(positions)
    beyond = np.zeros((agents, c))
    for below in (np.searchsorted(grid, positions), np.searchsorted(grid, positions, "right")):
        steps = np.bincount((below + offset)[seen], minlength=agents * (c + 1))
        beyond += steps.reshape(agents, c + 1)[:, :0:-1].cumsum(axis=1)[:, ::-1]
    return beyond / (2 * seen.sum(axis=1, keepdims=True))


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


def of_positions(
    positions: FloatArray, interval: Interval, origin: float | None = None
) -> Indicators:
    """The indicators of the mean of unit steps that fall at `positions` (A, N), in closed form.

    Lemma 19 (supplement, F.3): capability is the mean position and spread their population
    standard deviation. A step outside the interval counts as one at its end.

    >>> found = of_positions(np.array([[0.2, 0.4, 0.9]]), (0.0, 1.0))
    >>> found.capability.round(4).tolist(), found.spread.round(4).tolist()
    ([0.5], [0.2944])
    """
    low, high = interval
    inside = np.clip(positions, low, high)
    area, variance = np.nanmean(inside, axis=1) - low, np.nanvar(inside, axis=1)
    return conclude(area, (variance + area**2) / 2, variance, interval, origin)


def grid_sums(
    positions: FloatArray, interval: Interval, grid: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Area and moment (A, N) under each item's own step, read at the grid or, without one, exactly.

    Their means over the items are those of the agent's curve, so an estimate and its error come from
    the same numbers.

    >>> area, moment = grid_sums(np.array([[0.3, 1.0]]), (0.0, 1.0), None)
    >>> area.tolist(), moment.tolist()
    ([[0.3, 1.0]], [[0.045, 0.5]])
    >>> grid_sums(np.array([[0.3, 1.0]]), (0.0, 1.0), np.array([0.0, 0.5, 1.0]))[0].tolist()
    [[0.25, 0.875]]
    """
    if grid is None:
        width = np.clip(positions, *interval) - interval[0]
        return width, width**2 / 2
    rule = rule_of(grid, interval)
    sides = [np.searchsorted(grid, positions, side) for side in ("left", "right")]
    found = []
    for weights, block in ((rule.area, rule.block), (rule.moment, rule.block**2 / 2)):
        below = np.concatenate([[0.0], np.cumsum(weights)])
        found.append(block + (below[sides[0]] + below[sides[1]]) / 2)
    return found[0], found[1]


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
