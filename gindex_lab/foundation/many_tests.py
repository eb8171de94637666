"""Student's t interval, and p values of many tests at once, adjusted so that a false alarm stays rare."""

from __future__ import annotations

from typing import Any

import numpy as np

from gindex_lab.foundation.likes import NumbersLike
from gindex_lab.foundation.validate import FloatArray

__all__ = ["half_width", "holm"]


def half_width(error: NumbersLike, ci: float, freedom: NumbersLike) -> Any:
    """Half of Student's t interval of an estimate with this standard error, t((1 + ci) / 2, freedom) × error.

    >>> round(half_width(0.5, 0.95, 10), 3)
    np.float64(1.114)
    """
    from scipy.special import stdtrit

    return stdtrit(freedom, (1 + ci) / 2) * error


def holm(p: FloatArray) -> FloatArray:
    """Holm's adjusted p values (1979). statsmodels has them too, but collects garbage at every call, which
    makes a table of ten agents twenty times as slow; a test compares the two.
    """
    adjusted, known = np.full(len(p), np.nan), np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
