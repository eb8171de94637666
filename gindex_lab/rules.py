"""How a curve is read between its points: trapezoids or steps, cut to an interval.

Area and moment of a curve are weighted sums of ψ at the levels; a `Rule` holds the weights of an
estimator on an interval. What the weights cannot do is here too: the spread without cancellation,
and curves with levels that an agent never met.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gindex_lab.errors import BadInput
from gindex_lab.validate import FloatArray, choice

__all__ = ["ESTIMATORS", "Interval", "Rule", "rule_of", "variance_of", "with_gaps"]

ESTIMATORS = ["trapezoid", "step"]
Interval = tuple[float, float]


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


def variance_of(psi: FloatArray, capability: FloatArray, rule: Rule) -> FloatArray:
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


def with_gaps(levels: FloatArray, psi: FloatArray, rule: Rule) -> tuple[FloatArray, FloatArray]:
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
