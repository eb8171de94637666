"""Intervals from contributions: estimate ± t · standard error, on a scale where that is honest.

Every measure is a share of its largest possible value, and the error of a share is skewed near its
ends; on the scale of `_linear` it is nearly symmetric. Errors are linearised into contributions of
items. Spread and γ are first freed of the bias that squaring a noisy area brings,
E[2M - Â²] = S² - Var Â. The degrees of freedom come from the contributions themselves, so that three
surprising items count as three. What they do not show (`Contributions.hidden`, and the square of the
error of A) is added. `notebooks/generality/coverage` measures how often this covers.
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
    """A measure (A,), its error as a sum of contributions (A, F), the variances (A, K) of what the
    contributions do not show, and the variance (A,) that half a surprise would bring."""

    estimate: FloatArray
    error: FloatArray
    added: FloatArray
    unseen: FloatArray


class _Share(NamedTuple):
    """A measure as a share of its range, kept off the ends by `edge`, and the way back."""

    share: FloatArray
    error: FloatArray
    added: FloatArray
    unseen: FloatArray
    edge: FloatArray
    back: Callable[[FloatArray], FloatArray]


def variance_and_freedom(
    error: FloatArray, added: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Variance Σc² and degrees of freedom 3(Σc²)²/Σc⁴ of sums of contributions (..., F).

    For n normal contributions of one size Σc⁴ is about 3nσ⁴, so this gives n; it is Satterthwaite's
    count with the fourth moment estimated instead of assumed. Variances (..., K) that are `added` count
    as one contribution each.

    >>> variance_and_freedom(np.array([[1.0, -1.0, 1.0, -1.0]]))
    (array([4.]), array([12.]))
    """
    square = error**2
    variance, fourth = square.sum(axis=-1), (square**2).sum(axis=-1)
    if added is not None:
        variance, fourth = variance + added.sum(axis=-1), fourth + (added**2).sum(axis=-1)
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
    low[low <= np.sqrt(2 * _TINY) * (found.interval[1] - found.interval[0])] = 0.0
    with np.errstate(divide="ignore"):
        result["generality"] = 1 / high, 1 / low
    return result


def natural(found: Contributions) -> dict[str, Linear]:
    """Each measure in its own unit, for differences between agents."""
    p, low = _parts(found), found.interval[0]
    spread = np.sqrt(p.variance)
    hidden = _brought(found.hidden, -2 * p.area, np.full_like(p.area, 2.0)).sum(axis=1)
    slope = np.sqrt(np.maximum(p.variance, np.sqrt(hidden) / 2))  # √ is infinitely steep at 0
    one, none = np.ones_like(p.area), np.zeros_like(p.area)
    by_area, by_moment = _share_weights(p)
    bent = np.clip(1 - p.share, -1.0, 1.0) / p.room
    return {
        "capability": _of(found, low + p.area, one, none, none),
        "spread": _of(found, spread, -p.area / slope, 1 / slope, 0.5 / slope),
        "normalised_generality": _of(found, 1 - p.share, -by_area, -by_moment, bent),
        "expected_difficulty": _of(found, p.height, (low - p.height) / p.below, 1 / p.below, none),
        "mean": Linear(found.mean, found.by_mean, found.hidden[:, :, 3], found.unseen[:, 3]),
    }


def _of(
    found: Contributions,
    estimate: FloatArray,
    area: FloatArray,
    moment: FloatArray,
    bend: FloatArray,
) -> Linear:
    """A measure that moves by area · δA + moment · δM + bend · δA².

    Where the first two cancel, the square is all that moves: Var δA² = 2 (Var A)².
    """
    noise = (found.by_area**2).sum(axis=1) + found.hidden[:, :, 0].sum(axis=1)
    added = [_brought(found.hidden, area, moment), (2 * (bend * noise) ** 2)[:, None]]
    unseen = _brought(found.unseen[:, None], area, moment)[:, 0]
    return Linear(estimate, _mix(found, area, moment), np.hstack(added), unseen)


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
    reach, (bottom, top) = found.interval[1] - found.origin, found.bounds
    half_unit = 0.5 / found.units
    most = p.q**2 / 2  # S² of the increasing step in the middle
    twice = -2 * p.area / most, np.full_like(p.area, 2 / most)
    square = _of(found, p.variance / most, *twice, np.full_like(p.area, 1 / most))
    share = _scaled(own["normalised_generality"], 1.0, -2.0)
    thin, narrow = (_edge(x) for x in (square, share))
    return {
        "capability": _Share(
            *_scaled(own["capability"], low, p.q), half_unit, lambda y: low + p.q * y
        ),
        "spread": _Share(*square, thin, lambda y: np.sqrt(y * most)),
        "normalised_generality": _Share(
            *share, np.where(p.share < 1, narrow, half_unit), lambda y: 1 - 2 * y
        ),
        "expected_difficulty": _Share(
            *_scaled(own["expected_difficulty"], found.origin, reach),
            half_unit,
            lambda y: found.origin + reach * y,
        ),
        "mean": _Share(
            *_scaled(own["mean"], bottom, top - bottom),
            half_unit,
            lambda y: bottom + (top - bottom) * y,
        ),
    }


def _scaled(part: Linear, zero: float, unit: float) -> Linear:
    rest = part.error / unit, part.added / unit**2, part.unseen / unit**2
    return Linear((part.estimate - zero) / unit, *rest)


def _edge(part: Linear) -> FloatArray:
    """Half of what is hidden: nearer to 0 than this a share cannot be told from 0."""
    return np.asarray(np.maximum(_TINY, np.sqrt(part.added[:, :-1].sum(axis=1)) / 2))


def _limits_of(part: _Share, ci: float) -> tuple[FloatArray, FloatArray]:
    centre, error, added, _ = _linear(part)
    variance, freedom = variance_and_freedom(error, added)
    half = quantile((1 + ci) / 2, freedom) * np.sqrt(variance)
    ends = [part.back(_unstretch(centre + sign * half)) for sign in (-1, 1)]
    return np.minimum(*ends), np.maximum(*ends)


def _linear(part: _Share) -> Linear:
    """A share on the scale I_y(a, a) (regularised incomplete beta): like y^a near 0 and (1 - y)^a near
    1, it lengthens the ends, yet reaches them."""
    from scipy.special import beta, betainc

    edge = np.minimum(part.edge, 0.5)
    y = np.clip(part.share, edge, 1 - edge)
    slope = (y * (1 - y)) ** (_POWER - 1) / beta(_POWER, _POWER)
    error, added = part.error * slope[:, None], part.added * slope[:, None] ** 2
    return Linear(betainc(_POWER, _POWER, y), error, added, part.unseen * slope**2)


def _unstretch(x: FloatArray) -> FloatArray:
    from scipy.special import betaincinv

    return np.asarray(betaincinv(_POWER, _POWER, np.clip(x, 0.0, 1.0)))


def _share_weights(p: _Parts) -> tuple[FloatArray, FloatArray]:
    """How S²/A(q - A) moves with area and moment."""
    return -(2 * p.area + p.share * (p.q - 2 * p.area)) / p.room, 2 / p.room


def _mix(found: Contributions, area: FloatArray, moment: FloatArray) -> FloatArray:
    return np.asarray(area[:, None] * found.by_area + moment[:, None] * found.by_moment)


def _brought(surprise: FloatArray, area: FloatArray, moment: FloatArray) -> FloatArray:
    """The variance (A, G) that surprises (A, G, 4) bring to area · A + moment · M."""
    a, m = area[:, None], moment[:, None]
    found = a**2 * surprise[..., 0] + 2 * a * m * surprise[..., 1] + m**2 * surprise[..., 2]
    return np.maximum(found, 0.0)


def _never_seen_to_fail(result: Limits, found: Contributions, ci: float) -> None:
    which = found.one_value
    if not which.any():
        return
    low, q = found.interval[0], found.interval[1] - found.interval[0]
    area, solved = found.area[which], found.mean[which] >= found.bounds[1]
    sure = ((1 - ci) / 2) ** (1 / found.units[which])
    least = np.where(solved, area * sure, area)
    most = np.where(solved, area, area + (q - area) * (1 - sure))
    middle = np.clip(q / 2, least, most)  # where the maximum spread √(2A(q - A)) is largest
    ends = {
        "capability": (low + least, low + most),
        "spread": (0.0, np.sqrt(2 * middle * (q - middle))),
        "normalised_generality": (-1.0, 1.0),
        "expected_difficulty": (found.origin, low + q),
        "mean": tuple(
            found.bounds[0] + (found.bounds[1] - found.bounds[0]) * share
            for share in (np.where(solved, sure, 0.0), np.where(solved, 1.0, 1 - sure))
        ),
    }
    for name, (bottom, top) in ends.items():
        result[name][0][which], result[name][1][which] = bottom, top
