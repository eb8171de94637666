"""Logistic curves with a floor and a ceiling, compiled: damped Fisher scoring from several starts."""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.kernels import compiled
from gindex_lab.foundation.validate import FloatArray

__all__ = ["HIGHEST_FLOOR", "LOWEST_CEILING", "fit_plateaus"]

HIGHEST_FLOOR, LOWEST_CEILING = 0.4, 0.6  # beyond these a curve no longer crosses 50% in earnest
_FIRST, _STEPS, _TINY = 20, 300, 1e-12  # steps from every start, then from the best two


@compiled
def _value(h: FloatArray, y: FloatArray, w: FloatArray, v: FloatArray, ridge: float) -> float:
    total = 0.5 * ridge * v[1] * v[1]
    for k in range(len(h)):
        if w[k] > 0.0:
            eta = v[0] + v[1] * h[k]
            e = np.exp(-abs(eta))
            s = 1.0 / (1.0 + e) if eta >= 0.0 else e / (1.0 + e)
            p = min(max(v[2] + (v[3] - v[2]) * s, _TINY), 1.0 - _TINY)
            total -= w[k] * (y[k] * np.log(p) + (1.0 - y[k]) * np.log1p(-p))
    return total


@compiled
def _slope_and_information(
    h: FloatArray, y: FloatArray, w: FloatArray, v: FloatArray, ridge: float
) -> tuple[FloatArray, FloatArray]:
    g, info, d = np.zeros(4), np.zeros((4, 4)), np.empty(4)
    for k in range(len(h)):
        if w[k] > 0.0:
            eta = v[0] + v[1] * h[k]
            e = np.exp(-abs(eta))
            s = 1.0 / (1.0 + e) if eta >= 0.0 else e / (1.0 + e)
            p = min(max(v[2] + (v[3] - v[2]) * s, _TINY), 1.0 - _TINY)
            d[0] = (v[3] - v[2]) * e / ((1.0 + e) * (1.0 + e))
            d[1], d[2], d[3] = d[0] * h[k], 1.0 - s, s
            scale = w[k] / (p * (1.0 - p))
            for i in range(4):
                g[i] += scale * (p - y[k]) * d[i]
                for j in range(4):
                    info[i, j] += scale * d[i] * d[j]
    g[1] += ridge * v[1]
    info[1, 1] += ridge
    return g, info


@compiled
def _descend(
    h: FloatArray,
    y: FloatArray,
    w: FloatArray,
    start: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    ridge: float,
    steps: int,
) -> tuple[FloatArray, float]:
    """From one start to the nearest optimum within the bounds (Levenberg and Marquardt's damping)."""
    v = np.minimum(np.maximum(start, lower), upper)
    value, damping, quiet = _value(h, y, w, v, ridge), 1e-3, 0
    for _ in range(steps):
        g, info = _slope_and_information(h, y, w, v, ridge)
        for i in range(4):
            stuck = (v[i] <= lower[i] and g[i] > 0.0) or (v[i] >= upper[i] and g[i] < 0.0)
            if stuck or lower[i] == upper[i]:
                g[i] = 0.0
                info[i, :] = 0.0
                info[:, i] = 0.0
                info[i, i] = 1.0
            else:
                info[i, i] = info[i, i] * (1.0 + damping) + 1e-14
        new = np.minimum(np.maximum(v - np.linalg.solve(info, g), lower), upper)
        found = _value(h, y, w, new, ridge)
        if found <= value:
            quiet = quiet + 1 if value - found <= 1e-14 * abs(value) else 0
            v, value, damping = new, found, max(damping / 5.0, 1e-12)
        else:
            damping *= 6.0
        if quiet >= 3 or damping > 1e12:
            break
    return v, value


@compiled
def fit_plateaus(
    h: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    penalty: float,
    starts: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
) -> FloatArray:
    """The best (a, b, c, d) of each row of weights (R, n), from starts (R, S, 4), within the bounds.

    a and b belong to lengths centred on their mean and scaled by their standard deviation.
    """
    out = np.empty((len(weights), 4))
    mean, sd = h.mean(), h.std()
    x = (h - mean) / sd
    for r in range(len(weights)):
        ridge = penalty / (sd * sd)
        n = starts.shape[1]
        reached, values = np.empty((n, 4)), np.empty(n)
        for s in range(n):
            start = starts[r, s].copy()
            start[0] += start[1] * mean
            start[1] *= sd
            reached[s], values[s] = _descend(x, y, weights[r], start, lower, upper, ridge, _FIRST)
        best = np.inf
        for s in np.argsort(values)[:2]:
            v, value = _descend(x, y, weights[r], reached[s], lower, upper, ridge, _STEPS)
            if value < best:
                best = value
                out[r] = v
        out[r, 1] /= sd
        out[r, 0] -= out[r, 1] * mean
    return out
