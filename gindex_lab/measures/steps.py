"""Curves that are means of steps: what positions on a scale say of an agent (supplement, F.3)."""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.curves import Indicators, Interval, conclude, rule_of

__all__ = ["grid_sums", "of_positions"]


def of_positions(positions: FloatArray, interval: Interval) -> Indicators:
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
    return conclude(area, (variance + area**2) / 2, variance, interval)


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
