"""Agent characteristic curves as arrays: one linear map from responses to all indicators.

A curve ψ(h) is the mean response at each distinct difficulty. Its area and its first moment are
linear in the responses, so a whole matrix of agents needs one matrix product and no loop. The
difficulties between two observed ones are joined by straight lines (`trapezoid`) or by steps
(`step`); left of the first everything counts as solved, right of the last nothing does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gindex_lab.errors import BadInput
from gindex_lab.validate import FloatArray, choice

__all__ = [
    "ESTIMATORS",
    "Indicators",
    "Rule",
    "conclude",
    "indicators",
    "merge",
    "of_positions",
    "rule_of",
    "step_curve",
]

ESTIMATORS = ["trapezoid", "step"]
Interval = tuple[float, float]
_ROUNDING = 16 * np.finfo(float).eps  # relative to the scale of the difficulties
_CANCELLED = 1e-4  # below this share of q², 2M - A² has lost digits and is summed anew
_ABSTRUSE = 1e-12  # a constant curve is not abstruse, whatever its last digits say
_CHUNK = 2_000_000  # cells of a temporary array


class Indicators(NamedTuple):
    """What a curve says of its agent; arrays of one shape, one entry per agent."""

    capability: FloatArray  # Ψ, Eq. 7
    spread: FloatArray  # S, Eq. 9
    generality: FloatArray  # Γ = 1 / S, Eq. 5
    normalised_generality: FloatArray  # γ, Eq. 6
    expected_difficulty: FloatArray  # H, Eq. 8
    abstruse: np.ndarray  # more spread than a constant curve of the same capability


class Rule(NamedTuple):
    """How an estimator reads a curve on an interval: points, and the weights of ψ at the levels.

    With q points at `points` (whose ψ is interpolated: `left`, `share`), the area from `low` is
    `block + ψ @ area` and the moment about `low` is `block² / 2 + ψ @ moment`.
    """

    interval: Interval
    estimator: str
    points: FloatArray
    left: np.ndarray
    share: FloatArray
    block: float
    area: FloatArray
    moment: FloatArray

    def at_points(self, psi: FloatArray) -> FloatArray:
        """The curve (..., K) read at the rule's points."""
        right = np.minimum(self.left + 1, psi.shape[-1] - 1)
        return psi[..., self.left] * (1 - self.share) + psi[..., right] * self.share


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


def rule_of(levels: FloatArray, interval: Interval, estimator: str = "trapezoid") -> Rule:
    """The weights that turn ψ at `levels` into area and moment on `interval`.

    An interval that ends between two levels cuts the curve there, at its interpolated height; one
    that starts below the first level adds a solved block; right of the last level ψ is 0.
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
    return build(levels, (low, high))


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
    return Rule(interval, "trapezoid", points, left, share, float(x[0]), back(area), back(moment))


def _rectangles(levels: FloatArray, interval: Interval) -> Rule:
    low, high = interval
    points = levels[(levels > low) & (levels < high)]
    points = np.append(points, min(high, levels[-1]))
    left = np.searchsorted(levels, points, side="left")
    edges = np.concatenate([[low], points])
    area = np.diff(edges)
    moment = area * ((edges[1:] + edges[:-1]) / 2 - low)
    share = np.zeros_like(points)
    back = _spread_back(len(levels), left, share)
    return Rule(interval, "step", points, left, share, 0.0, back(area), back(moment))


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
    distinct, level_of, count = np.unique(items, return_inverse=True, return_counts=True)
    rule = rule_of(distinct, interval, estimator)
    weights = np.column_stack([rule.area / count, rule.moment / count])[level_of]
    sums = rows @ weights
    area, moment = rule.block + sums[:, 0], rule.block**2 / 2 + sums[:, 1]
    for part in _parts(np.flatnonzero(np.isnan(sums).any(axis=1)), len(items)):
        area[part], moment[part] = _with_gaps(distinct, merge(rows[part], items)[1], rule)
    low, high = rule.interval
    area = np.clip(area, 0.0, high - low)
    variance = 2 * moment - area**2
    small = np.flatnonzero(variance < _CANCELLED * (high - low) ** 2)
    for part in _parts(small, len(items)):
        curve = merge(rows[part], items)[1]
        whole = ~np.isnan(curve).any(axis=1)
        again = part[whole]
        variance[again] = _variance(curve[whole], low + area[again], rule)
    found = conclude(area, moment, variance, rule.interval, origin)
    return Indicators(*(np.asarray(x).reshape(np.shape(psi)[:-1]) for x in found))


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


def conclude(
    area: FloatArray,
    moment: FloatArray,
    variance: FloatArray,
    interval: Interval,
    origin: float | None = None,
) -> Indicators:
    """The indicators from area, moment about low, and S², each (A,)."""
    low, high = interval
    q = high - low
    noise = _ROUNDING * max(abs(low), abs(high))
    variance = np.where(variance > noise**2, variance, 0.0)
    spread = np.sqrt(variance)
    degenerate = (area <= noise) | (q - area <= noise)
    room = area * (q - area)
    gamma = 1 - np.divide(variance, room, out=np.zeros_like(area), where=~degenerate)
    with np.errstate(divide="ignore"):
        generality = 1 / spread
    return Indicators(
        low + area,
        spread,
        generality,
        np.clip(gamma, -1.0, 1.0),
        _expected_difficulty(area, moment, low, low if origin is None else origin),
        gamma < -_ABSTRUSE,
    )


def _expected_difficulty(
    area: FloatArray, moment: FloatArray, low: float, origin: float
) -> FloatArray:
    """H (Eq. 8) from `origin`; an agent without any area is a step at the origin, so H = origin."""
    total = area + (low - origin)
    weighted = moment + low * area + (low**2 - origin**2) / 2
    return np.divide(weighted, total, out=np.full_like(area, origin), where=total > 0)


def _variance(psi: FloatArray, capability: FloatArray, rule: Rule) -> FloatArray:
    """S² as ∫(h - Ψ)² d(1 - ψ), the signed measure of the drops of the curve (lemma 19): a sum of
    small terms where the spread is small, hence without cancellation."""
    y = rule.at_points(psi)
    centre = capability[:, None]
    if rule.estimator == "step":
        drop = -np.diff(y, axis=1, prepend=1.0, append=0.0)
        edges = np.concatenate([[rule.interval[0]], rule.points])
        return np.asarray((drop * (edges - centre) ** 2).sum(axis=1))
    x, width = rule.points, np.diff(rule.points)
    middle = (x[1:] + x[:-1]) / 2
    inside = -np.diff(y, axis=1) * ((middle - centre) ** 2 + width**2 / 12)
    ends = (1 - y[:, 0]) * (x[0] - capability) ** 2 + y[:, -1] * (x[-1] - capability) ** 2
    return np.asarray(inside.sum(axis=1) + ends)


def _with_gaps(levels: FloatArray, psi: FloatArray, rule: Rule) -> tuple[FloatArray, FloatArray]:
    """Area and moment of curves with levels an agent never met, each from its own levels."""
    low, high = rule.interval
    met = ~np.isnan(psi)
    if not met.any(axis=1).all():
        raise BadInput("responses", "an agent", "has no response at all", "leave that agent out")
    index = np.maximum.accumulate(np.where(met, np.arange(len(levels)), -1), axis=1)
    before = np.concatenate([np.full((len(psi), 1), -1), index[:, :-1]], axis=1)
    first = met & (before < 0)
    x1 = np.broadcast_to(levels, psi.shape)
    y1 = np.where(met, psi, 0.0)
    x0 = np.where(before < 0, min(low, levels[0]), levels[before])
    y0 = np.where(before < 0, 1.0, np.take_along_axis(y1, np.maximum(before, 0), axis=1))
    if rule.estimator == "step":
        y0 = y1
    else:
        y1 = np.where(first, 1.0, y1)  # saturated up to the agent's own first level
    slope = np.divide(y1 - y0, x1 - x0, out=np.zeros_like(y0), where=x1 > x0)
    a, b = np.clip(x0, low, high), np.clip(x1, low, high)
    ya, yb = y0 + slope * (a - x0), y0 + slope * (b - x0)
    width = np.where(met, b - a, 0.0)
    a, b = a - low, b - low
    area = (width * (ya + yb) / 2).sum(axis=1)
    moment = (width * (a * (2 * ya + yb) + b * (ya + 2 * yb)) / 6).sum(axis=1)
    return area, moment


def _parts(rows: np.ndarray, columns: int) -> list[np.ndarray]:
    """Row numbers in pieces whose temporaries stay small."""
    size = max(1, _CHUNK // max(columns, 1))
    return [rows[i : i + size] for i in range(0, len(rows), size)]
