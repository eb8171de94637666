"""What a logistic curve says of its agent, in closed form.

METR's time horizon and the generality paper's capability read the same curve: with h = log2(minutes),
ψ(h) = c + (d - c) / (1 + e^{β(h - θ)}) has capability θ and spread π/(√3 β) when nothing is cut off. On
a tested interval [low, high] both follow from the area and the first moment of the curve, which are
logarithms and dilogarithms (`specs/horizon.md`, sections 8 to 10).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, logit, spence

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import NumbersLike
from gindex_lab.foundation.validate import FloatArray, numbers, required_pair, vector
from gindex_lab.measures.curves import Interval, conclude

__all__ = ["SPREAD", "area_and_moment", "logistic_indicators", "spread_from_horizons"]

SPREAD = float(np.pi / np.sqrt(3))  # the standard deviation of a logistic threshold of slope 1
_GENTLE = 4.0  # βq below which the curve is integrated by quadrature, exact to rounding with 40 nodes
_SERIES = 1e-3  # e^x below which five terms of the dilogarithm's series are exact
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)  # as many as `_GENTLE` needs


def logistic_indicators(
    theta: NumbersLike,
    beta: NumbersLike,
    interval: Interval,
    *,
    floor: NumbersLike = 0.0,
    ceiling: NumbersLike = 1.0,
) -> pd.DataFrame | pd.Series:
    """Capability, spread and generality of logistic curves on an interval, in closed form.

    With t = θ - low, q = high - low, L(x) = ln(1 + e^x) and the dilogarithm Li2, the area and the moment
    about low of F = 1 / (1 + e^{β(h - θ)}) are A = [L(βt) - L(β(t - q))] / β and
    M = -(q/β) L(β(t - q)) + [Li2(-e^{β(t - q)}) - Li2(-e^{βt})] / β². A floor c and a ceiling d mix in two
    steps: A = cq + (d - c) A_F, M = cq²/2 + (d - c) M_F. Then Ψ = low + A, S² = 2M - A², Γ = 1/S,
    γ = 1 - S²/(A(q - A)), H = low + M/A.

    Parameters
    ----------
    theta : θ in log2 minutes: a number, or one for each curve
    beta : steepness, likewise (negative where success rises with length)
    interval : (low, high) in log2 minutes
    floor, ceiling : shares of success, likewise, 0 <= floor < ceiling <= 1

    Returns
    -------
    Series for four numbers, DataFrame with one row per curve for arrays
        `capability`, `spread`, `generality`, `normalised_generality`, `expected_difficulty`;
        `spread_logistic` is π/(√3 β), the spread of the logistic part on an unlimited interval, and `h50` the
        length at which the curve crosses 1/2 (NaN where it does not).

    References
    ----------
    `specs/horizon.md`, sections 9 and 10; Hernández-Orallo et al., "General Intelligence Disentangled",
    supplement, equations 5 to 9.

    Examples
    --------
    On a wide interval the capability is θ and the spread π/(√3 β):

    >>> found = logistic_indicators(5.0, 0.75, (-40, 50))
    >>> found[["capability", "spread", "spread_logistic"]].round(4).tolist()
    [5.0, 2.4184, 2.4184]
    """
    span = required_pair("interval", interval)
    given = {"theta": theta, "beta": beta, "floor": floor, "ceiling": ceiling}
    t, b, c, d = _curves(given)
    with np.errstate(over="ignore", invalid="ignore"):
        area, moment, variance = area_and_moment(t, b, span, c, d)
    bad = ~np.isfinite(area + moment + variance)
    if bad.any():
        at, problem = int(bad.argmax()), "[too-large] are too large for floating-point numbers"
        raise BadInput("theta, beta", (t[at], b[at]), problem, "use log2 minutes")
    found = conclude(area, moment, variance, span)
    columns: dict[str, Any] = found._asdict()
    columns.pop("abstruse")
    with np.errstate(divide="ignore", invalid="ignore"):
        columns["spread_logistic"] = np.where(b > 0, SPREAD / b, np.nan)
        h50 = t + np.log((d - 0.5) / (0.5 - c)) / b
    columns["h50"] = np.where((c < 0.5) & (d > 0.5) & (b != 0), h50, np.nan)
    table = pd.DataFrame(columns)
    return table if any(map(np.ndim, given.values())) else table.iloc[0].rename(None)


def _curves(given: dict[str, Any]) -> list[FloatArray]:
    """The four parameters as flat arrays of one length, checked."""
    arrays = {name: _listed(name, value) for name, value in given.items()}
    size = max(len(x) for x in arrays.values())
    for name, x in arrays.items():
        problem = f"[wrong-length] has {len(x)} values where another parameter has {size}"
        fits = size > 0 and len(x) in (1, size)
        ensure(fits, name, len(x), problem, "pass one number, or one for each curve")
    theta, beta, c, d = (np.broadcast_to(x, size).astype(float) for x in arrays.values())
    bad = ~((c >= 0) & (c < d) & (d <= 1))
    if bad.any():
        at, problem = int(bad.argmax()), "[out-of-range] are not two shares, the floor below the ceiling"
        raise BadInput("floor, ceiling", (c[at], d[at]), problem, "use 0 <= floor < ceiling <= 1")
    return [theta, beta, c, d]


def area_and_moment(
    theta: FloatArray,
    beta: FloatArray,
    interval: Interval,
    floor: FloatArray | float = 0.0,
    ceiling: FloatArray | float = 1.0,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """A, M about low, and S² of logistic curves with floor and ceiling (sections 9 and 10).

    S² is summed so that little cancels: with probability c the threshold is high, with 1 - d it is low,
    else logistic, and the variance of a mixture is the mean variance plus the variance of the means.
    """
    low, high = interval
    q = high - low
    theta, beta = np.broadcast_arrays(np.asarray(theta, dtype=float), beta)
    t = theta - low
    # the smaller side of the curve, seen from its own end: 1 - ψ(q - u) is logistic in q - t
    mirrored = (t > q / 2) == (beta > 0)
    area, moment = _smaller_side(np.where(mirrored, q - t, t), beta, q)
    inner = np.maximum(2 * moment - area**2, 0.0)
    area = np.where(mirrored, q - area, area)
    steep = (beta * q >= _GENTLE) & (t >= 0) & (t <= q)
    inner = np.where(steep, _variance_inside(t, np.where(steep, beta, _GENTLE / q), q), inner)
    share = ceiling - floor
    between = (
        floor * (1 - floor) * (q - area) ** 2
        + (1 - ceiling) * ceiling * area**2
        + 2 * floor * (1 - ceiling) * (q - area) * area
    )
    variance = share * inner + between
    moment = (inner + area**2) / 2
    return floor * q + share * area, floor * q**2 / 2 + share * moment, variance


def _smaller_side(t: FloatArray, beta: FloatArray, q: float) -> tuple[FloatArray, FloatArray]:
    """A and M of F on [0, q] where its area is at most half: closed form, or where a division by β²
    would cost digits, Gauss-Legendre quadrature (exact to rounding for a curve this gentle)."""
    gentle = np.abs(beta) * q < _GENTLE
    b = np.where(gentle, _GENTLE / q, beta)
    upper, lower = b * t, b * (t - q)
    area = (_softplus(upper) - _softplus(lower)) / b
    moment = -q / b * _softplus(lower) + (_li2(lower) - _li2(upper)) / b**2
    if gentle.any():
        u = (_NODES + 1) * q / 2
        psi = expit(-beta[..., None] * (u - t[..., None]))
        area = np.where(gentle, psi @ _WEIGHTS * q / 2, area)
        moment = np.where(gentle, psi @ (_WEIGHTS * u) * q / 2, moment)
    return area, moment


def _variance_inside(t: FloatArray, beta: FloatArray, q: float) -> FloatArray:
    """S² of F for 0 <= t <= q and β > 0, about t: E[(C - t)²] - (E[C] - t)², nothing large cancels."""
    left, right = np.maximum(beta * t, 0.0), np.maximum(beta * (q - t), 0.0)
    shift = (_softplus(-left) - _softplus(-right)) / beta
    square = sum(np.pi**2 / 12 - x * _softplus(-x) + _li2(-x) for x in (left, right))
    return np.asarray(2 * square / beta**2 - shift**2)


def _softplus(x: FloatArray) -> FloatArray:
    return np.logaddexp(0.0, x)


def _li2(x: FloatArray) -> FloatArray:
    """Li2(-e^x): a series for small e^x, scipy's Spence function, and its reflection for x > 0."""
    z = np.exp(-np.abs(x))
    series = -z * (1 - z / 4 * (1 - 4 * z / 9 * (1 - 9 * z / 16 * (1 - 16 * z / 25))))
    small = np.where(z < _SERIES, series, spence(1 + z))
    return np.where(x > 0, -(np.pi**2) / 6 - x**2 / 2 - small, small)


def spread_from_horizons(
    longer: NumbersLike, shorter: NumbersLike, levels: tuple[float, float] = (0.5, 0.8)
) -> FloatArray:
    """The spread in doublings from two horizons: S = π/√3 · log2(longer/shorter) / (logit r - logit p).

    For 50% and 80% this is 1.3083797 log2(p50/p80).

    Parameters
    ----------
    longer, shorter : horizons in minutes at the levels p and r, one or many
    levels : (p, r), two shares of success, the lower first

    Returns
    -------
    array
        The spread of each pair.

    References
    ----------
    `specs/horizon.md`, section 9.

    Examples
    --------
    >>> spread_from_horizons([57.0], [18.0]).round(2).tolist()
    [2.18]
    """
    p, r = levels
    ensure(p < r, "levels", levels, "[out-of-range] are not two increasing shares", "use (0.5, 0.8)")
    long, short = _listed("longer", longer), _listed("shorter", shorter)
    problem = f"[wrong-length] has a different length from {len(long)}"
    ensure(len(long) == len(short) > 0, "shorter", len(short), problem, "match them")
    problem = "[out-of-range] are not positive lengths with the easier level first"
    remedy, right = "pass horizon_50, then horizon_80, in minutes", (short > 0) & (short <= long)
    ensure(right.all(), "longer, shorter", (long.min(), short.min()), problem, remedy)
    return np.asarray(SPREAD * np.log2(long / short) / (logit(r) - logit(p)))


def _listed(name: str, value: NumbersLike) -> FloatArray:
    """One number or many as a flat array."""
    return vector(name, np.atleast_1d(numbers(name, value)))
