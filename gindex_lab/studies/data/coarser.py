"""Difficulties made coarser before a study: bins of equal width, and levels with enough items."""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.validate import FloatArray, integer, mode_of, vector
from gindex_lab.measures.reference import EPSILON

__all__ = ["bin_difficulties", "filter_by_frequency"]


def bin_difficulties(difficulty: object, n: int, mode: str = "exact") -> FloatArray:
    """Each difficulty replaced by the centre of its bin, of n bins of equal width (right closed).

    In `reference` mode as the authors' code: n edges make n - 1 bins, yet the centres are spaced as
    if there were n, so that all labels are pressed towards the minimum.

    >>> bin_difficulties([0, 1, 2, 6, 10], 5).tolist()
    [1.0, 1.0, 1.0, 5.0, 9.0]
    >>> bin_difficulties([0, 1, 2, 6, 10], 5, mode="reference").tolist()
    [1.0, 1.0, 1.0, 5.0, 7.0]
    """
    kind = mode_of(mode)
    h = vector("difficulty", difficulty)
    n = integer("n", n, 1 if kind == "exact" else 2)
    low, high = h.min(), h.max()
    ensure(low < high, "difficulty", low, "is the only difficulty", "there is nothing to bin")
    if kind == "exact":
        edges = np.linspace(low, high, n + 1)
        bin_of = np.clip(np.searchsorted(edges, h, side="left"), 1, n)
    else:
        bin_of = np.searchsorted(np.linspace(low - EPSILON, high + EPSILON, n), h, side="left")
    return np.asarray(low + (high - low) / n * (bin_of - 0.5))


def filter_by_frequency(difficulty: object, minimum: int) -> np.ndarray:
    """Which items share their difficulty with at least `minimum` items (themselves included).

    >>> filter_by_frequency([1, 1, 2], 2).tolist()
    [True, True, False]
    """
    h = vector("difficulty", difficulty)
    _, level_of, count = np.unique(h, return_inverse=True, return_counts=True)
    return np.asarray(count[level_of] >= integer("minimum", minimum))
