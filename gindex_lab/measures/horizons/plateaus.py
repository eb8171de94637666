"""Three and four parameters: curves that never fall to 0 (a floor) or never reach 1 (a ceiling).

ψ = c + (d - c) / (1 + e^{β(h - θ)}): lucky guesses leave a floor, tasks that are broken or out of an
agent's kind a ceiling, which a two-parameter curve takes for a flat slope (`specs/horizon.md`, sections
7, 10 and VI.3). The objective has several optima: damped Fisher scoring starts from several places.
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.kernels import compiled
from gindex_lab.foundation.likes import NumbersLike
from gindex_lab.foundation.validate import FloatArray, number
from gindex_lab.measures.horizons.fitting import FOUND, Curves, fit

__all__ = ["Plateaus", "fit_with_plateaus", "plateaus_of"]

# All judgements: beyond these a curve no longer crosses 50% in earnest; steps from every start, then from the
# best two; the least chance of an outcome; starts, of which some are steeper or further along
HIGHEST_FLOOR, LOWEST_CEILING = 0.4, 0.6
_FIRST, _STEPS, _TINY = 20, 300, 1e-12
_GENTLE = ((0.02, 0.98), (0.2, 0.9), (0.05, 0.75), (0.35, 0.95))
_STEEP = tuple((m, shift, p) for m in (5, 30) for shift in (-1, 0, 1) for p in ((0.2, 0.9), (0.35, 0.95)))
Plateaus = tuple[float | None, float | None]  # floor and ceiling, None where they are fitted


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


def plateaus_of(floor: NumbersLike, ceiling: NumbersLike) -> Plateaus:
    """The two settings, checked: a number, or "fit"."""
    low = None if floor == "fit" else _share("floor", floor, 0.0, HIGHEST_FLOOR)
    high = None if ceiling == "fit" else _share("ceiling", ceiling, LOWEST_CEILING, 1.0)
    return low, high


def _share(name: str, value: object, low: float, high: float) -> float:
    problem = "[not-an-option] is neither a number nor 'fit'"
    ensure(not isinstance(value, str), name, value, problem, f"use {name}='fit'")
    return number(name, value, low, high)


def fit_with_plateaus(
    h: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    penalty: float,
    plateaus: Plateaus,
    near: Curves | None = None,
) -> Curves:
    """The curve of each row of weights (R, n), with floor and ceiling given or fitted.

    `near` holds one curve to start from beside the two-parameter one; without it sixteen starts are
    tried. A floor is sought up to 0.4, a ceiling down to 0.6. Curves that do not fall stay as they are.
    """
    plain = fit(h, y, weights, penalty)
    floor, ceiling = plateaus
    rows = np.flatnonzero(plain.falling & (plain.state == FOUND))
    if plateaus == (0.0, 1.0) or not len(rows):
        return plain
    lower = np.array([-np.inf, -np.inf, floor or 0.0, LOWEST_CEILING if ceiling is None else ceiling])
    upper = np.array([np.inf, 0.0, HIGHEST_FLOOR if floor is None else floor, ceiling or 1.0])
    starts = _starts(plain, rows, near)
    found = fit_plateaus(
        h, y, np.ascontiguousarray(weights[rows], dtype=float), penalty, starts, lower, upper
    )
    theta, beta, c, d = (x.copy() for x in plain[:4])
    with np.errstate(divide="ignore", invalid="ignore"):
        theta[rows], beta[rows] = -found[:, 0] / found[:, 1], -found[:, 1]
    c[rows], d[rows] = found[:, 2], found[:, 3]
    return Curves(theta, beta, c, d, plain.state)


def _starts(plain: Curves, rows: np.ndarray, near: Curves | None) -> FloatArray:
    """(R, S, 4): the two-parameter curve, made steeper, with several floors and ceilings."""
    theta, beta = plain.theta[rows], plain.beta[rows]
    places = [(theta, beta, c, d) for c, d in _GENTLE]
    places += [(theta + shift, m * beta, c, d) for m, shift, (c, d) in _STEEP]
    if near is not None:  # a start on a bound would stay there
        c, d = float(np.clip(near.floor[0], 0.002, 0.39)), float(np.clip(near.ceiling[0], 0.61, 0.998))
        here = np.full_like(theta, near.theta[0]), np.full_like(beta, near.beta[0])
        places = [places[0], places[7], (*here, c, d)]
    each = [np.stack(np.broadcast_arrays(t * b, -b, c, d), axis=1) for t, b, c, d in places]
    return np.stack(each, axis=1)
