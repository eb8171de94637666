"""The closest falling curve, with a likelihood-ratio band.

Harder items are not solved more often: under that assumption alone the curve of maximum likelihood is
the isotonic regression (Ayer and others 1955). Its limits at one difficulty are the heights that a
falling curve may have there without its likelihood ratio becoming too large (Banerjee and Wellner
2001). Capability, spread and γ have the limits of the plain curve, which hold for rising agents too.
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.curves import merge
from gindex_lab.measures.horizons.curves import falling

__all__ = ["falling_curves", "falling_rows", "likelihood", "ratio_band"]

# Of χ²'s critical value. In the limit .591, 2.269 for 95% (Banerjee and Wellner 2001); flat curves need
# more: .8 held .90 to .94 of flat .95 and flat .1 agents at 50 items (tuning half of `method_study`)
RATIO = 1.0
# heights that are tried, finer than any band is wide: a judgement
_HEIGHTS = np.concatenate([[1e-4], np.linspace(0.005, 0.995, 199), [1 - 1e-4]])
_MOST = 60  # levels at which a band is computed; between them it is interpolated


def falling_curves(h: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Levels (K,), the closest falling curve (A, K) and the responses at each level (A, K); NaN where an
    agent never met a level.
    """
    levels, psi, count = merge(values, h)
    return levels, falling(psi, count.astype(float)), np.asarray(count)


def falling_rows(h: FloatArray, values: FloatArray) -> FloatArray:
    """The closest falling curve of each agent at its items (A, N)."""
    levels, psi, _ = falling_curves(h, values)
    return np.asarray(psi[:, np.searchsorted(levels, h)])


def likelihood(psi: FloatArray, curves: FloatArray, count: FloatArray) -> FloatArray:
    """The log-likelihood (C,) of curves (C, K) for mean responses (K,) of so many each (K,)."""
    from scipy.special import xlogy

    inside = np.clip(curves, 1e-9, 1 - 1e-9)
    terms = xlogy(psi, inside) + xlogy(1 - psi, 1 - inside)
    return np.asarray(np.where(count > 0, terms, 0.0) @ count)


def ratio_band(
    levels: FloatArray, psi: FloatArray, count: FloatArray, ci: float, dispersion: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Limits (K,) of one agent's falling curve at each level, from its mean responses (K,) there.

    The likeliest curve of height θ at level k is the falling curve of the easier levels, nowhere below
    θ, and that of the harder ones, nowhere above it. `dispersion` is the variance of a response over
    that of an independent right or wrong one.
    """
    from scipy.special import chdtri

    places = np.unique(np.linspace(0, len(levels) - 1, min(len(levels), _MOST)).round().astype(int))
    order = np.arange(len(levels))
    rows = np.broadcast_to(psi, (len(places), len(levels)))

    best = likelihood(psi, falling(psi[None], count[None]), count)[0]
    left = falling(rows, np.where(order < places[:, None], count, 0.0))
    right = falling(rows, np.where(order > places[:, None], count, 0.0))
    ratio = np.empty((len(places), len(_HEIGHTS)))
    for i, theta in enumerate(_HEIGHTS):
        curve = np.where(order < places[:, None], np.maximum(left, theta), np.minimum(right, theta))
        curve[np.arange(len(places)), places] = theta
        ratio[:, i] = 2 * (best - likelihood(psi, curve, count)) / dispersion
    inside = ratio <= np.maximum(RATIO * chdtri(1, 1 - ci), ratio.min(axis=1, keepdims=True))
    low = np.where(inside[:, 0], 0.0, _HEIGHTS[inside.argmax(axis=1)])
    high = np.where(inside[:, -1], 1.0, _HEIGHTS[::-1][inside[:, ::-1].argmax(axis=1)])
    return np.interp(order, places, low), np.interp(order, places, high)
