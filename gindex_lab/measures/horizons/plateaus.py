"""Three and four parameters: curves that never fall to 0 (a floor) or never reach 1 (a ceiling).

ψ = c + (d - c) / (1 + e^{β(h - θ)}): lucky guesses leave a floor, tasks that are broken or out of an
agent's kind a ceiling, which a two-parameter curve takes for a flat slope (`specs/horizon.md`, sections
7, 10 and VI.3). The objective has several optima, so the search starts from several places.
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray, number
from gindex_lab.measures.horizons.fitting import FOUND, Curves, fit
from gindex_lab.measures.horizons.plateau_kernel import HIGHEST_FLOOR, LOWEST_CEILING, fit_plateaus

__all__ = ["Plateaus", "fit_with_plateaus", "plateaus_of"]

Plateaus = tuple[float | None, float | None]  # floor and ceiling, None where they are fitted
_GENTLE = ((0.02, 0.98), (0.2, 0.9), (0.05, 0.75), (0.35, 0.95))
_STEEP = tuple(
    (m, shift, p) for m in (5, 30) for shift in (-1, 0, 1) for p in ((0.2, 0.9), (0.35, 0.95))
)


def plateaus_of(floor: object, ceiling: object) -> Plateaus:
    """The two settings, checked: a number, or "fit".

    >>> plateaus_of(0.25, "fit")
    (0.25, None)
    """
    low = None if floor == "fit" else _share("floor", floor, 0.0, HIGHEST_FLOOR)
    high = None if ceiling == "fit" else _share("ceiling", ceiling, LOWEST_CEILING, 1.0)
    return low, high


def _share(name: str, value: object, low: float, high: float) -> float:
    if isinstance(value, str):
        raise BadInput(
            name, value, "is neither a number nor 'fit'", f"use {name}='fit'", code="not-an-option"
        )
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

    >>> h = np.repeat(np.arange(8.0), 10)
    >>> y = np.tile([1.0] * 8 + [0.0] * 2, 8) * (h < 4)
    >>> found = fit_with_plateaus(h, y, np.full((1, 80), 1 / 80), 1e-5, (0.0, None))
    >>> found.ceiling.round(2).tolist()
    [0.8]
    """
    plain = fit(h, y, weights, penalty)
    floor, ceiling = plateaus
    rows = np.flatnonzero(plain.falling & (plain.state == FOUND))
    if plateaus == (0.0, 1.0) or not len(rows):
        return plain
    lower = np.array(
        [-np.inf, -np.inf, floor or 0.0, LOWEST_CEILING if ceiling is None else ceiling]
    )
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
    if near is not None:
        one = np.ones(len(rows))
        places = [places[0], places[7], (one * near.theta, one * near.beta, *_inside(near))]
    each = [
        np.column_stack([t * b, -b, np.full(len(rows), c), np.full(len(rows), d)])
        for t, b, c, d in places
    ]
    return np.stack(each, axis=1)


def _inside(near: Curves) -> tuple[float, float]:
    """A start on a bound would stay there."""
    return float(np.clip(near.floor[0], 0.002, 0.39)), float(np.clip(near.ceiling[0], 0.61, 0.998))
