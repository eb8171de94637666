"""Limits of the measures of a horizon as quantiles over draws."""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.validate import FloatArray

__all__ = ["ends_of_draws", "quantiles"]


def quantiles(values: FloatArray, shares: list[float]) -> list[FloatArray]:
    """Linear quantiles of each column (R, A), missing left out; infinite values are values.

    >>> [q.tolist() for q in quantiles(np.array([[0.0], [1.0], [np.inf], [np.nan]]), [0.25, 0.9])]
    [[0.5], [inf]]
    """
    ordered = np.sort(values, axis=0)  # NaN last
    n = (~np.isnan(values)).sum(axis=0)
    columns = np.arange(values.shape[1])
    found = []
    for share in shares:
        place = share * np.maximum(n - 1, 0)
        below = np.floor(place).astype(int)
        above = np.minimum(below + 1, np.maximum(n - 1, 0))
        a, b = ordered[below, columns], ordered[above, columns]
        part = place - below
        with np.errstate(invalid="ignore"):
            between = np.where(part < 0.5, a + (b - a) * part, b - (b - a) * (1 - part))
        between = np.where(np.isinf(a), a, np.where(np.isinf(b), b, between))
        result = np.where((a == b) | (part == 0), a, between)
        found.append(np.where(n > 0, result, np.nan))
    return found


def ends_of_draws(
    values: FloatArray, ci: float, bottom: float = -np.inf
) -> tuple[FloatArray, FloatArray]:
    """The limits of a measure over draws (R, A) that may end at `bottom` or at infinity.

    Where some draw ended at `bottom` (no success: a horizon of 0) the lower limit is a draw and not a
    point between two, and likewise the upper one where some draw is infinite: there is no half-way to
    a horizon that does not exist.

    >>> low, high = ends_of_draws(np.array([[0.0], [1.0], [2.0], [4.0]]), 0.5, bottom=0.0)
    >>> low.tolist(), high.tolist()
    ([0.0], [2.5])
    """
    shares = (1 - ci) / 2, (1 + ci) / 2
    low, high = quantiles(values, list(shares))
    n = (~np.isnan(values)).sum(axis=0)
    ordered, columns = np.sort(values, axis=0), np.arange(values.shape[1])
    below = np.floor(shares[0] * np.maximum(n - 1, 0)).astype(int)
    above = np.ceil(shares[1] * np.maximum(n - 1, 0)).astype(int)
    low = np.where((values <= bottom).any(axis=0), ordered[below, columns], low)
    high = np.where(np.isposinf(values).any(axis=0), ordered[above, columns], high)
    return low, high
