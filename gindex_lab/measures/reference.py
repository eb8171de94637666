"""What the authors' code computes, quirks included, so that published numbers can be checked.

Four artificial points pad every curve, points that fall on an observed difficulty are averaged into
it, an interval inside the data drops its slivers, and normalised generality is read off a grid of
100 capabilities. Described from the behaviour of the R code v1.0.91 that belongs to the supplement
of "General Intelligence Disentangled via a Generality Metric"; the exact measures are in `curves`.
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.curves import Indicators, Interval, Pair, difficulty_limits, merge
from gindex_lab.measures.samples import by_pattern

__all__ = ["extrapolate", "grid_generality", "reference_indicators", "reference_study"]

EPSILON = 1e-5  # absolute, whatever the scale of the difficulties
_GRID = 100  # capabilities at which the authors tabulate γ


def reference_study(h: FloatArray, values: FloatArray, interval: Interval | None) -> Indicators:
    """The authors' indicators on the interval; without one, their full study: limits from quantiles, four
    padding points, γ on the range of the items."""
    items, padded, limits = h, values, interval
    if limits is None:
        limits, interval = difficulty_limits(h), (float(h.min()), float(h.max()))
        items, padded = extrapolate(h, values, limits)
    levels, psi, _ = merge(padded, items)
    return reference_indicators(levels, psi, limits, interval)


def extrapolate(difficulty: FloatArray, values: FloatArray, limits: Interval) -> Pair:
    """Items (N + 4,) and responses (A, N + 4) with the authors' four points: solved at KMIN and just below
    the easiest item, failed just above the hardest and at KMAX (averaged into an item that lies there)."""
    low, high = limits
    ends = [low, difficulty.min() - EPSILON], [difficulty.max() + EPSILON, high]
    ones = np.ones((len(values), 2))
    return np.concatenate([ends[0], difficulty, ends[1]]), np.hstack([ones, values, 0 * ones])


def reference_indicators(
    levels: FloatArray,
    psi: FloatArray,
    limits: tuple[float | None, float | None] = (None, None),
    interval: Interval | None = None,
) -> Indicators:
    """The authors' indicators of curves (A, K) between kmin and kmax, γ on the grid of `interval`. A kmin
    left of the data adds a solved block; one inside drops the piece up to the next level; so does a kmax
    inside, downwards. Then Ψ = A + kmin, H = M / A, S² = 2A(H - kmin) - A²."""
    if np.isnan(psi).any():  # the authors have no gaps: agents that met other levels are apart
        span = interval or (levels[0], levels[-1])
        way = lambda m, rows: reference_indicators(levels[m], psi[np.ix_(rows, m)], limits, span)
        return Indicators(*by_pattern(psi, way))
    kmin = levels[0] if limits[0] is None else float(limits[0])
    kmax = levels[-1] if limits[1] is None else float(limits[1])
    used = (levels >= kmin) & (levels <= kmax)
    problem = f"[one-difficulty] leaves fewer than two distinct difficulties between {kmin:g} and {kmax:g}"
    remedy = "give items of at least two difficulties inside the interval"
    ensure(used.sum() > 1, "difficulty", levels[used].tolist(), problem, remedy)
    x, y = levels[used], psi[:, used]
    block = max(levels[0] - kmin, 0.0)
    width, left, right = np.diff(x), y[:, :-1], y[:, 1:]
    area = block + (width * (left + right) / 2).sum(axis=1)
    pieces = width * (x[:-1] * (2 * left + right) + x[1:] * (left + 2 * right)) / 6
    moment = pieces.sum(axis=1) + ((levels[0] ** 2 - kmin**2) / 2 if block > 0 else 0.0)
    agent = f"agent {np.argmin(area > 0) + 1}"
    problem = "[solves-nothing] solves nothing, so the authors' expected difficulty is 0 / 0"
    remedy = "start the interval below the easiest item, or use mode='exact'"
    ensure((area > 0).all(), "responses", agent, problem, remedy)
    expected = moment / area
    spread = np.sqrt(np.maximum(2 * area * (expected - kmin) - area**2, 0.0))
    with np.errstate(divide="ignore"):
        generality = 1 / spread
    gamma, abstruse = grid_generality(area + kmin, spread, interval or (x[0], x[-1]))
    return Indicators(area + kmin, spread, generality, gamma, expected, abstruse)


def grid_generality(
    capability: FloatArray, spread: FloatArray, interval: Interval
) -> tuple[FloatArray, np.ndarray]:
    """γ and abstruseness at the nearest of 100 capabilities of the interval, as the authors print: at both
    ends of the grid, of agents that solve all or nothing, γ is 0 and any spread at all is abstruse."""
    low, high = interval
    grid = np.linspace(low, high, _GRID)
    nearest = grid[np.abs(capability[:, None] - grid).argmin(axis=1)]
    area = nearest - low
    room = np.maximum(area * (high - low - area), 0.0)  # S² of a constant curve: half the largest
    gamma = 1 - np.divide(spread**2, room, out=np.ones_like(spread), where=room > 0)
    return gamma, spread > np.sqrt(room)
