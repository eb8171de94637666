"""Lines of equal meaning in the plane of capability and spread, and difficulties made coarser.

Between no spread (a decreasing step) and the maximum (an increasing step) lies the spread of a
constant curve; γ counts from there. The binning of difficulties comes with true bins, and with the
authors' off-by-one for their numbers.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import (
    FloatArray,
    integer,
    mode_of,
    number,
    required_pair,
    vector,
)
from gindex_lab.measures.curves import Interval
from gindex_lab.measures.reference import EPSILON

__all__ = ["bin_difficulties", "filter_by_frequency", "isometrics", "spread_at"]


def spread_at(capability: object, gamma: float, interval: Interval) -> FloatArray:
    """The spread that gives normalised generality γ at a capability: S = √((1 - γ) c (q - c)).

    c = Ψ - low, q = high - low; γ = 1 is the decreasing step, 0 the constant curve, -1 the
    increasing step, which is the maximum (supplement, E.3 and Eq. 6).

    >>> spread_at([0.0, 5.0, 10.0], 0, (0, 10)).tolist()
    [0.0, 5.0, 0.0]
    """
    low, high = required_pair("interval", interval)
    c = vector("capability", capability) - low
    if (c < 0).any() or (c > high - low).any():
        problem = f"leaves the interval {low:g} to {high:g}"
        raise BadInput("capability", capability, problem, "stay inside")
    gamma = number("gamma", gamma, -1, 1)
    return np.asarray(np.sqrt((1 - gamma) * c * np.maximum(high - low - c, 0.0)))


def isometrics(interval: Interval, points: int = 100) -> pd.DataFrame:
    """Minimum, constant and maximum spread over the interval of capabilities.

    >>> isometrics((0, 10), points=3).round(3)
       capability  minimum  constant  maximum
    0         0.0      0.0       0.0    0.000
    1         5.0      0.0       5.0    7.071
    2        10.0      0.0       0.0    0.000
    """
    capability = np.linspace(*required_pair("interval", interval), integer("points", points, 2))
    lines = {"minimum": 1, "constant": 0, "maximum": -1}
    spreads = {name: spread_at(capability, gamma, interval) for name, gamma in lines.items()}
    return pd.DataFrame({"capability": capability} | spreads)


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
    if low == high:
        raise BadInput("difficulty", low, "is the only difficulty", "there is nothing to bin")
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
