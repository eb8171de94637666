"""Intervals from contributions: estimate ± t · standard error, on a scale where that is honest.

Every measure is a share of its largest possible value, and the error of a share is skewed near its
ends; on the scale of `_linear` it is nearly symmetric. Errors are linearised into contributions of
items. Spread and γ are first freed of the bias that squaring a noisy area brings,
E[2M - Â²] = S² - Var Â. The degrees of freedom come from the contributions themselves, so that three
surprising items count as three. `notebooks/generality/coverage` measures how often this covers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gindex_lab.uncertainty.contributions import Contributions
from gindex_lab.validate import FloatArray

__all__ = ["Linear", "limits", "natural", "quantile", "stretched", "variance_and_freedom"]

_TINY = 1e-9  # of q²: keeps a ratio finite, far below any spread that can be seen
_POWER = 0.2  # of `_linear`: 0 would be the logit, 1/2 the arcsine; chosen by the coverage study
Limits = dict[str, tuple[FloatArray, FloatArray]]


class Linear(NamedTuple):
    """A measure (A,) and its error as a sum of contributions (A, F)."""

    estimate: FloatArray
    error: FloatArray


class _Share(NamedTuple):
    """A measure as a share of its range, kept off the ends by `edge`, and the way back."""

    share: FloatArray
    error: FloatArray
    edge: FloatArray
    back: Callable[[FloatArray], FloatArray]


def variance_and_freedom(error: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Variance Σc² and degrees of freedom 3(Σc²)²/Σc⁴ of sums of contributions (..., F).

    For n normal contributions of one size Σc⁴ is about 3nσ⁴, so this gives n; it is Satterthwaite's
    count with the fourth moment estimated instead of assumed.

    >>> variance_and_freedom(np.array([[1.0, -1.0, 1.0, -1.0]]))
    (array([4.]), array([12.]))
    """
    square = error**2
    variance = square.sum(axis=-1)
    fourth = (square**2).sum(axis=-1)
    freedom = np.divide(
        3 * variance**2, fourth, out=np.full_like(variance, np.inf), where=fourth > 0
    )
    return variance, np.maximum(freedom, 1.0)


def quantile(probability: FloatArray | float, freedom: FloatArray) -> FloatArray:
    """Student's t quantile; the normal one beyond a million degrees of freedom.

    >>> quantile(0.975, np.array([2.0, np.inf])).round(3).tolist()
    [4.303, 1.96]
    """
    from scipy.special import stdtrit

    return np.asarray(stdtrit(np.minimum(freedom, 1e6), probability))


def limits(found: Contributions, ci: float) -> Limits:
    """Lower and upper limit (A,) of each measure at confidence `ci`.

    An agent that solved everything (or nothing) shows no residual; its limits are those of a binomial
    share that was never seen to fail: p = ((1 - ci) / 2)^(1/n).
    """
    result = {name: _limits_of(share, ci) for name, share in _shares(found).items()}
    _never_seen_to_fail(result, found, ci)
    low, high = result["spread"]
    with np.errstate(divide="ignore"):
        result["generality"] = 1 / high, 1 / low
    return result


def natural(found: Contributions) -> dict[str, Linear]:
    """Each measure in its own unit, for differences between agents."""
    p, low = _parts(found), found.interval[0]
    spread = np.sqrt(p.variance)
    return {
        "capability": Linear(low + p.area, found.by_area),
        "spread": Linear(spread, _mix(found, -p.area / spread, 1 / spread)),
        "normalised_generality": Linear(1 - p.share, -_mix(found, *_share_weights(p))),
        "expected_difficulty": Linear(
            p.height, _mix(found, (low - p.height) / p.below, 1 / p.below)
        ),
        "mean": Linear(found.mean, found.by_mean),
    }


def stretched(found: Contributions) -> dict[str, Linear]:
    """Each measure on the scale where its error is nearly symmetric, for tests of equality."""
    return {name: _linear(share) for name, share in _shares(found).items()}


class _Parts(NamedTuple):
    """Estimates freed of the bias of squaring."""

    q: float
    area: FloatArray
    below: FloatArray  # ∫ψ from the origin, never 0
    variance: FloatArray  # S² = 2M - A² + Var Â
    room: FloatArray  # A(q - A) + Var Â
    share: FloatArray  # S² / A(q - A) = 1 - γ
    height: FloatArray  # H = ∫hψ / ∫ψ from the origin


def _parts(found: Contributions) -> _Parts:
    low, q = found.interval[0], found.interval[1] - found.interval[0]
    area = np.clip(found.area, 0.0, q)
    below = np.maximum(area + low - found.origin, _TINY * q)
    weighted = found.moment + low * area + (low**2 - found.origin**2) / 2
    noise = (found.by_area**2).sum(axis=1)
    variance = np.maximum(2 * found.moment - area**2 + noise, _TINY * q**2)
    room = np.maximum(area * (q - area) + noise, _TINY * q**2)
    share = np.minimum(variance / room, 2.0)
    return _Parts(q, area, below, variance, room, share, weighted / below)


def _shares(found: Contributions) -> dict[str, _Share]:
    p, own, low = _parts(found), natural(found), found.interval[0]
    reach = found.interval[1] - found.origin
    half_unit = 0.5 / found.units
    none = np.full_like(half_unit, _TINY)
    most = p.q**2 / 2  # S² of the increasing step in the middle
    return {
        "capability": _Share(p.area / p.q, found.by_area / p.q, half_unit, lambda y: low + p.q * y),
        "spread": _Share(
            p.variance / most,
            _mix(found, -2 * p.area / most, np.full_like(p.area, 2 / most)),
            none,
            lambda y: np.sqrt(y * most),
        ),
        "normalised_generality": _Share(
            p.share / 2,
            own["normalised_generality"].error / 2,
            np.where(p.share < 1, none, half_unit),
            lambda y: 1 - 2 * y,
        ),
        "expected_difficulty": _Share(
            (p.height - found.origin) / reach,
            own["expected_difficulty"].error / reach,
            half_unit,
            lambda y: found.origin + reach * y,
        ),
        "mean": _Share(found.mean, found.by_mean, half_unit, lambda y: y),
    }


def _limits_of(part: _Share, ci: float) -> tuple[FloatArray, FloatArray]:
    centre, error = _linear(part)
    variance, freedom = variance_and_freedom(error)
    half = quantile((1 + ci) / 2, freedom) * np.sqrt(variance)
    ends = [part.back(_unstretch(centre + sign * half)) for sign in (-1, 1)]
    certain = variance == 0
    for end in ends:
        end[certain] = part.back(part.share)[certain]
    return np.minimum(*ends), np.maximum(*ends)


def _linear(part: _Share) -> Linear:
    """A share on the scale I_y(a, a) (regularised incomplete beta): like y^a near 0 and (1 - y)^a near
    1, it lengthens the ends, yet reaches them."""
    from scipy.special import beta, betainc

    y = np.clip(part.share, part.edge, 1 - part.edge)
    slope = (y * (1 - y)) ** (_POWER - 1) / beta(_POWER, _POWER)
    return Linear(betainc(_POWER, _POWER, y), part.error * slope[:, None])


def _unstretch(x: FloatArray) -> FloatArray:
    from scipy.special import betaincinv

    return np.asarray(betaincinv(_POWER, _POWER, np.clip(x, 0.0, 1.0)))


def _share_weights(p: _Parts) -> tuple[FloatArray, FloatArray]:
    """How S²/A(q - A) moves with area and moment."""
    return -(2 * p.area + p.share * (p.q - 2 * p.area)) / p.room, 2 / p.room


def _mix(found: Contributions, area: FloatArray, moment: FloatArray) -> FloatArray:
    return np.asarray(area[:, None] * found.by_area + moment[:, None] * found.by_moment)


def _never_seen_to_fail(result: Limits, found: Contributions, ci: float) -> None:
    which = found.one_value
    if not which.any():
        return
    low, q = found.interval[0], found.interval[1] - found.interval[0]
    area, solved = found.area[which], found.mean[which] == 1
    sure = ((1 - ci) / 2) ** (1 / found.units[which])
    least = np.where(solved, area * sure, area)
    most = np.where(solved, area, area + (q - area) * (1 - sure))
    middle = np.clip(q / 2, least, most)  # where the maximum spread √(2A(q - A)) is largest
    ends = {
        "capability": (low + least, low + most),
        "spread": (0.0, np.sqrt(2 * middle * (q - middle))),
        "normalised_generality": (-1.0, 1.0),
        "expected_difficulty": (found.origin, low + q),
        "mean": (np.where(solved, sure, 0.0), np.where(solved, 1.0, 1 - sure)),
    }
    for name, (bottom, top) in ends.items():
        result[name][0][which], result[name][1][which] = bottom, top
