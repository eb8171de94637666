"""The compiled inner loop of `resample`: integrate a curve through the items that were drawn.

Kept apart so that `import gindex_lab` never loads numba. Levels are joined by straight lines or steps;
left of an agent's first drawn level everything counts as solved, right of its last nothing does
(the rule of `curves`), and the curve is cut at the ends of the interval.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from gindex_lab.validate import FloatArray

__all__ = ["walk"]


@njit(cache=True, nogil=True)
def _piece(
    x0: float, y0: float, x1: float, y1: float, low: float, high: float
) -> tuple[float, float]:
    """Area and moment about `low` of the line from (x0, y0) to (x1, y1), cut to [low, high]."""
    a, b = max(x0, low), min(x1, high)
    if b <= a:
        return 0.0, 0.0
    slope = (y1 - y0) / (x1 - x0)
    ya, yb = y0 + slope * (a - x0), y0 + slope * (b - x0)
    a, b = a - low, b - low
    return (b - a) * (ya + yb) / 2, (b - a) * (a * (2 * ya + yb) + b * (ya + 2 * yb)) / 6


@njit(cache=True, nogil=True)
def walk(
    values: FloatArray,
    difficulty: FloatArray,
    counts: np.ndarray,
    low: float,
    high: float,
    step: bool,
    area: FloatArray,
    moment: FloatArray,
) -> None:
    """Fill area and moment (B, A) for values (A, N) sorted by difficulty and counts (B, N)."""
    agents, items = values.shape
    drawn = np.empty(items, np.int64)
    for b in range(len(counts)):
        size = 0
        for i in range(items):
            if counts[b, i] > 0:
                drawn[size] = i
                size += 1
        for j in range(agents):
            x0, y0 = min(low, difficulty[0]), 1.0
            total_area = total_moment = 0.0
            seen = k = 0
            while k < size:
                x1, level_sum, level_count = difficulty[drawn[k]], 0.0, 0
                while k < size and difficulty[drawn[k]] == x1:
                    r = values[j, drawn[k]]
                    if r == r:  # a missing cell is NaN
                        level_sum += counts[b, drawn[k]] * r
                        level_count += counts[b, drawn[k]]
                    k += 1
                if level_count == 0:
                    continue
                y1 = level_sum / level_count
                right = 1.0 if seen == 0 and not step else y1
                more, weighted = _piece(x0, y1 if step else y0, x1, right, low, high)
                total_area += more
                total_moment += weighted
                x0, y0 = x1, y1
                seen += level_count
            area[b, j] = total_area if seen else np.nan
            moment[b, j] = total_moment if seen else np.nan
