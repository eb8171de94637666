"""The compiled inner loop of `resample`: what each item weighs in a curve through the drawn items.

Kept apart so that `import gindex_lab` never loads numba. Levels are joined by straight lines or steps;
left of the first drawn level everything counts as solved, right of the last nothing does (the rule of
`rules`), and the curve is cut at the ends of the interval. The weights serve all agents at once.
"""

from __future__ import annotations

import numpy as np

from gindex_lab.kernels import compiled
from gindex_lab.validate import FloatArray

__all__ = ["weigh"]


@compiled
def _piece(x0: float, x1: float, low: float, high: float) -> tuple[float, float, float, float]:
    """Weights of the two ends of a line from x0 to x1, cut to [low, high], in its area and moment."""
    a, b = max(x0, low), min(x1, high)
    if b <= a:
        return 0.0, 0.0, 0.0, 0.0
    at_a, at_b = (a - x0) / (x1 - x0), (b - x0) / (x1 - x0)
    width, a, b = b - a, a - low, b - low
    left, right = 2 * a + b, a + 2 * b
    return (
        width * (2 - at_a - at_b) / 2,
        width * (at_a + at_b) / 2,
        width * ((1 - at_a) * left + (1 - at_b) * right) / 6,
        width * (at_a * left + at_b * right) / 6,
    )


@compiled
def _share_out(
    weights: FloatArray, counts: np.ndarray, first: int, last: int, total: int, weight: float
) -> None:
    """Hand a level's weight to its items, in proportion to how often each was drawn."""
    for i in range(first, last):
        weights[i] = weight * counts[i] / total


@compiled
def weigh(
    difficulty: FloatArray,
    counts: np.ndarray,
    low: float,
    high: float,
    step: bool,
    area: FloatArray,
    moment: FloatArray,
    constant: FloatArray,
) -> None:
    """Fill area and moment (B, N) and their constants (B, 2) for sorted difficulties and counts (B, N)."""
    items = len(difficulty)
    for b in range(len(counts)):
        x0, before, first, last = min(low, difficulty[0]), 0, 0, 0
        area_0 = moment_0 = 0.0  # of the level at x0, to be shared out when it is complete
        i = 0
        while i < items:
            start, x1, drawn = i, difficulty[i], 0
            while i < items and difficulty[i] == x1:
                drawn += counts[b, i]
                i += 1
            if drawn == 0:
                continue
            l_area, r_area, l_moment, r_moment = _piece(x0, x1, low, high)
            if step:
                l_area, r_area, l_moment, r_moment = 0.0, l_area + r_area, 0.0, l_moment + r_moment
            if before:
                _share_out(area[b], counts[b], first, last, before, area_0 + l_area)
                _share_out(moment[b], counts[b], first, last, before, moment_0 + l_moment)
            elif not step:
                constant[b, 0], constant[b, 1] = l_area + r_area, l_moment + r_moment
                r_area = r_moment = 0.0
            x0, before, first, last = x1, drawn, start, i
            area_0, moment_0 = r_area, r_moment
        if before:
            _share_out(area[b], counts[b], first, last, before, area_0)
            _share_out(moment[b], counts[b], first, last, before, moment_0)
        else:
            constant[b, 0] = constant[b, 1] = np.nan
