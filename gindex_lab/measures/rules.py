"""How a curve is read between its points: trapezoids or steps, cut to an interval.

Area and moment of a curve are weighted sums of ψ at the levels; a `Rule` holds the weights of an
estimator on an interval. What the weights cannot do, `along` does: the spread without cancellation,
and curves with levels that an agent never met.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gindex_lab.errors import BadInput
from gindex_lab.validate import FloatArray, choice

__all__ = ["ESTIMATORS", "Interval", "Rule", "along", "held_to_the_ends", "rule_of"]

ESTIMATORS = ["trapezoid", "step"]
Interval = tuple[float, float]


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
