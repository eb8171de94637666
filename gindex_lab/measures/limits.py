"""Limits from a fit: capability as a share of trials, spread and γ as counts of rare responses.

A measure g(A, M) moves with the errors of area and moment (delta method). A capability at the share y of
its range with variance V has the limits of a share of n = y(1 - y)/V equal trials. No n equal items can
vary more than y(1 - y)/n, whatever the curve, so no interval is wider than a binomial one. Spread and γ
move with the responses that go against the curve. Those seen have the limits of a count; those that did not
happen to be seen widen the limits on the side to which they would move the measure.
`notebooks/generality/interval` derives this, with references; `coverage` measures how often it holds.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import betaincinv, gammaincinv, ndtri

from gindex_lab.foundation.carried import Measured
from gindex_lab.foundation.errors import Caution
from gindex_lab.foundation.many_tests import half_width
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, confidence
from gindex_lab.measures.curves import Pair
from gindex_lab.measures.fit import SURPRISE, Fit, fit_of
from gindex_lab.measures.samples import sample_like

__all__ = ["MEASURES", "Limits", "Linear"]
__all__ += ["around", "bounds", "degrees", "limits", "linear", "with_limits"]

MEASURES = ["capability", "spread", "normalised_generality", "expected_difficulty", "mean"]

SATTERTHWAITE = 2.0  # Var(c²) <= E c⁴, so 2(Σc²)²/Σc⁴ counts no more degrees than there are
# A residual from a line through four neighbours, scaled to the variance of a response, keeps
# (1 - 4/4³) / (1 + 4/4²)^1.5 = 0.67 of its third moment
THIRD = 1.5
FEWEST_EFFECTIVE = 2.5  # below this one or two items decide everything: no interval (same study)
# Limits farther off than so many times the z standard errors that responses show, or that rest on fewer equal
# items, are bounds (`notebooks/generality/coverage`; chosen on 487 designs apart from those reported there).
# For capability half the width counts (chosen on 36 tuning designs and 668 others, 224 with extreme agents)
REACH, EQUAL_ITEMS = 1.3, 20
_TINY = 1e-9  # of q²: keeps a ratio finite, far below any spread that can be seen
_NORMAL = 1e7  # events or trials: a count that is normal to three digits
_MOST_KEPT = 5_000_000  # cells of contributions that a table carries along for `tie_groups`
_BLOCK = 4_000_000  # cells of a temporary array
_SCALE = {"spread": (0.0, np.inf), "normalised_generality": (-1.0, 1.0), "mean": (0.0, 1.0)}
Limits = dict[str, FloatArray]  # low and high (2, A) of each measure


def with_limits(study: Responses, table: pd.DataFrame, ci: float, resample: str = "items") -> pd.DataFrame:
    """The table with its limits, and with the fit behind them unless that is too large to keep."""
    level, sample = confidence(ci), sample_like(table, study, resample)
    warn_of_families(study, resample)
    small = len(sample.agents) * sample.units <= _MOST_KEPT
    found, fit = [], None
    for fit in map(fit_of, [sample] if small else sample.blocks(_BLOCK // sample.units)):
        ends = limits(fit, level)
        found.append(ends | bounds(fit, ends, level) | {"effective_items": fit.effective})
    whole = {name: np.concatenate([part[name] for part in found], axis=-1) for name in found[0]}
    return joined(table, whole | around(table, whole), level, fit if small else None)


class Linear(NamedTuple):
    """A measure as a linear function of the responses, near what was observed."""

    estimate: FloatArray  # (A,)
    bottom: float | FloatArray  # its range
    top: float
    error: FloatArray  # (A, F) error of each unit
    pull: FloatArray  # (A, F) how far a whole response of each unit moves it
    own: FloatArray  # (A,) variance that the units do not show
    design: FloatArray  # (A,) the part of it that is due to the design
    rest: FloatArray  # (A,) all of it but half a surprise
    unseen: FloatArray  # (A,) the square of a whole surprise
    rise: FloatArray  # (A,) the share of surprises that would raise the measure
    minority: bool  # does it rest on the rarer of the two responses?


def linear(fit: Fit) -> dict[str, Linear]:
    """Every measure in its own unit (for the spread its square, which is nearly linear), corrected for the
    bias of squaring a noisy area: E Â² = A² + Var Â. The correction is for chance only, not for where a curve
    falls between items: a step anywhere in a gap has S² = 0, a straight line across it has more."""
    (low, high), origin = fit.interval, fit.sample.scale.start
    q = high - low
    area = np.clip(fit.area, 0.0, q)
    signed, least = area, low
    if fit.sample.floor is not None:  # right by luck less often than expected: a longer range, below low
        under = np.minimum(q - fit.weight_area.sum(axis=1), 0.0)
        signed, least = np.clip(fit.area, under, q), low + under
    noise = (fit.by_area**2).sum(axis=1) + fit.own[:, 0]
    chance = noise - fit.design[:, 0]
    square = 2 * fit.moment - area**2 + chance  # below 0 where guesses were taken off
    room = np.maximum(area * (q - area) + chance, _TINY * q**2)
    free = np.minimum(square / room, 2.0)
    share = np.maximum(free, 0.0)
    below = np.maximum(area + low - origin, _TINY * q)
    height = (fit.moment + low * area + (low**2 - origin**2) / 2) / below
    one, none, two = np.ones_like(area), np.zeros_like(area), np.full_like(area, 2.0)
    bent = 2 * noise**2  # Var(δA²), where the slopes cancel
    slope = (2 * area + share * (q - 2 * area)) / room
    curved = bent * (np.clip(1 - share, -1, 1) / room) ** 2
    even = np.where(fit.weight_area > 0, 1.0, 0.0) / np.maximum(fit.units, 1)[:, None]
    bottom, top = (low, high) if fit.sample.difficulty is None else (0.0, 1.0)
    surprise = SURPRISE * ((top - bottom) / np.maximum(fit.units, 1)) ** 2
    turn = (low - height) / below, 1 / below
    return {
        "capability": _moved(fit, low + signed, (least, high), (one, none), none)._replace(minority=False),
        "spread": _moved(fit, square, (0.0, q**2 / 2), (-2 * area, two), bent),
        "normalised_generality": _moved(fit, 1 - free, (-1.0, 1.0), (slope, -two / room), curved),
        "expected_difficulty": _moved(fit, height, (origin, high), turn, none),
        "mean": Linear(fit.mean, bottom, top, fit.by_mean, even, surprise, none, none, none, none, False),
    }


def _moved(fit: Fit, estimate: FloatArray, ends: tuple[Any, float], slopes: Pair, more: FloatArray) -> Linear:
    """A measure with slopes (a, m), which moves by a · δA + m · δM, and with `more` variance."""
    a, m = slopes
    own, design, unseen = (
        np.maximum(a**2 * x[:, 0] + 2 * a * m * x[:, 1] + m**2 * x[:, 2], 0.0)
        for x in (fit.own, fit.design, fit.unseen)
    )
    a, m = a[:, None], m[:, None]
    error, pull = a * fit.by_area + m * fit.by_moment, a * fit.weight_area + m * fit.weight_moment
    square = pull * pull
    upwards = square * np.where(pull > 0, 1 - fit.solved, fit.solved)
    rise = upwards.sum(axis=1) / np.maximum(square.sum(axis=1), 1e-300)
    rest = own + more, design, design + more, unseen, rise
    return Linear(estimate, *ends, error, pull, *rest, minority=True)


def degrees(error: FloatArray, pull: FloatArray, own: FloatArray, most: FloatArray) -> FloatArray:
    """Degrees of freedom (…,) of Σc²: Satterthwaite's count for the contributions (…, F), or for the pulls,
    as if all responses varied alike, if that is less; at most `most` and at least 1."""
    counts = [
        satterthwaite(square.sum(axis=-1) + rest, (square**2).sum(axis=-1))
        for square, rest in ((error**2, own), (pull**2, 0.0))
    ]
    return np.maximum(np.minimum.reduce([most, *counts]), 1.0)


def satterthwaite(total: FloatArray, fourth: FloatArray) -> FloatArray:
    """2(Σc²)²/Σc⁴, from the two sums; infinite where nothing varied."""
    none = np.full_like(total, np.inf)
    return np.divide(SATTERTHWAITE * total**2, fourth, out=none, where=fourth > 0)


def limits(fit: Fit, ci: float) -> Limits:
    """`(low, high)` of every measure at confidence `ci`, each (A,); NaN where no interval can be given. Where
    the items do not reach the ends of the interval, the lowest and highest limits over all completions."""
    result = _limits(fit, ci)
    for other in fit.completions:
        for name, (low, high) in _limits(other, ci).items():
            at = result[name]
            result[name] = np.stack([np.minimum(at[0], low), np.maximum(at[1], high)])
    few = fit.effective < FEWEST_EFFECTIVE
    return {name: x if name == "mean" else np.where(few, np.nan, x) for name, x in result.items()}


def bounds(fit: Fit, ends: Limits, ci: float) -> dict[str, np.ndarray]:
    """`<measure>_bounds` (A,): are the limits bounds, which hold at least as often as they say, or an
    interval, which holds about as often? An interval is as wide as the responses vary. A limit that lies
    farther out was set by something that nobody observed: lapses to come, a fall between two items, ends that
    no item reaches. A capability's limits count together: near an end the farther one alone is near enough
    only if more rare responses happened than usual, and the truth then lies beyond the nearer.

    >>> import gindex_lab as gl
    >>> gl.generality([[1, 0] * 20, [1] * 20 + [0] * 20], range(40), ci=0.95)["capability_bounds"].tolist()
    [False, True]
    """
    result, few, reach = {}, _least_items(fit) < EQUAL_ITEMS, REACH * ndtri((1 + ci) / 2)
    for name, part in list(linear(fit).items())[:3]:  # whose coverage was measured
        low, high = ends[name] ** (2 if name == "spread" else 1)  # of S², as in `linear`
        away = np.maximum(part.estimate - low, high - part.estimate) if part.minority else (high - low) / 2
        result[f"{name}_bounds"] = few | ~(away <= reach * np.sqrt((part.error**2).sum(axis=1)))
        few = few | (fit.sample.floor is not None)  # spread and γ: marks not measured with guesses
    return result


def _limits(fit: Fit, ci: float) -> Limits:
    result, guesses = {}, fit.sample.floor is not None
    for name, part in linear(fit).items():
        freedom = degrees(part.error, part.pull, part.own, fit.units - 1.0)
        # (z/t)²: what an estimated variance is worth, compared with a known one
        worth = (ndtri((1 + ci) / 2) / half_width(1.0, ci, np.minimum(freedom, 1e6))) ** 2
        if part.minority:
            # if none of n possible events was seen, there are at most three in a 95% interval (Hanley and
            # Lippman-Hand 1983); some of them would lower the measure, some raise it
            unseen = -np.log1p(-ci) * np.sqrt(part.unseen * np.stack([1 - part.rise, part.rise]))
            away = np.hypot(_skewed(fit, part, ci) / np.sqrt(worth), unseen)
            inside = np.clip(part.estimate, part.bottom, part.top)
            low, high = np.minimum(inside, part.estimate), np.maximum(inside, part.estimate)
            result[name] = np.clip([low - away[0], high + away[1]], part.bottom, part.top)
            continue
        width = part.top - part.bottom
        y = np.clip((part.estimate - part.bottom) / width, 0.0, 1.0)
        noise = ((part.error**2).sum(axis=1) + part.own) / width**2, part.design / width**2
        ends = _share_limits(y, noise, worth, ci, _least_items(fit))
        result[name] = part.bottom + width * np.stack(ends)
    result["capability"] = np.clip(result["capability"], *fit.interval)
    least = _TINY * (fit.interval[1] - fit.interval[0]) ** 2
    low, high = result["spread"]
    low, high = low - np.maximum(fit.grouped, 0.0), high - np.minimum(fit.grouped, 0.0)
    result["normalised_generality"] = as_steps(fit, *result["normalised_generality"])
    result["spread"] = np.sqrt([np.where(low > least, low, 0.0), high])
    if guesses:  # γ is a ratio of two numbers near 0 then: where S may be 0, γ may be 1
        result["normalised_generality"][1, result["spread"][0] == 0] = 1.0
    _never_seen_to_vary(result, fit)
    return with_generality(result)


def as_steps(fit: Fit, low: FloatArray, high: FloatArray) -> FloatArray:
    """Limits (2, A) of γ when every fall, or every rise, between two items may be a step."""
    q = fit.interval[1] - fit.interval[0]
    area = np.clip(fit.area, 0.0, q)
    room = area * (q - area)
    more = np.divide(fit.grouped, room, out=np.zeros_like(room), where=room > 0)
    low, high = low + np.minimum(more, 0.0), high + np.maximum(more, 0.0)
    return np.stack([np.where(low < _TINY - 1, -1.0, low), np.where(high > 1 - _TINY, 1.0, high)])


def with_generality(ends: Limits) -> Limits:
    """Γ = 1/S: its limits are those of the spread, inverted and swapped."""
    with np.errstate(divide="ignore"):
        return ends | {"generality": 1 / ends["spread"][::-1]}


def _least_items(fit: Fit) -> FloatArray:
    """How many equal items (A,) would tell as much: the effective number, but no more than if every item
    weighed half as much as the heaviest (it is not rare that two isolated items both go wrong)."""
    weight = fit.weight_area
    whole = np.maximum(weight.sum(axis=1), 1e-300)  # a completion may leave none
    share = weight / whole[:, None]
    return np.asarray(1 / np.maximum((share**2).sum(axis=1), share.max(axis=1) / 2).clip(1e-9))


def _share_limits(y: FloatArray, noise: Pair, worth: FloatArray, ci: float, least: FloatArray) -> Pair:
    """Limits of the share y of as many trials as its variance is worth, at least `least`: half-way between
    Jeffreys', which hold on average, and Clopper and Pearson's, which hold at least as often as they say
    (Brown, Cai and DasGupta 2001). The design's variance is added as by Zou and Donner (2008)."""
    variance, design = noise  # the whole, and the design's part of it
    middle = (least * y + 0.5) / (least + 1)
    one = middle * (1 - middle)  # the variance of a single trial
    n = np.maximum(one / np.maximum(variance - design, 1e-300) * worth, least)
    low = betaincinv(n * y + 0.25, n * (1 - y) + 0.75, (1 - ci) / 2)
    high = betaincinv(n * y + 0.75, n * (1 - y) + 0.25, (1 + ci) / 2)
    low, high = np.where(y <= 0, 0.0, low), np.where(y >= 1, 1.0, high)
    away = ndtri((1 + ci) / 2) ** 2 * design  # not a share of trials: squares of distances add
    low, high = y - np.sqrt((y - low) ** 2 + away), y + np.sqrt((high - y) ** 2 + away)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def _skewed(fit: Fit, part: Linear, ci: float) -> FloatArray:
    """How far the limits lie below and above the estimate (2, A), from the responses seen.

    If k rare events each move the measure by p, their sum has variance kp² and third moment kp³, so the
    errors give k and p. The limits of a count k are quantiles of gamma distributions (Garwood 1936):
    Jeffreys' on the side to which the events move the measure, half-way to the exact ones on the other. A
    single event, or an item that outweighs all others, shows nothing of a third moment: only what exceeds
    Σc⁶, the square it would have if signs were tossed, counts (James and Stein 1961). Without skewness the
    limits are normal. Events in families are fewer than they look: half a surprise widens both sides."""
    lines = fit.sample.difficulty is not None and fit.sample.trials is None
    besides = part.own if fit.sample.word == "families" else part.rest
    deviation = np.sqrt((part.error**2).sum(axis=1) + besides)
    c = part.error / np.maximum(deviation, 1e-150)[:, None]
    cube = c * c * c
    third, sixth = cube.sum(axis=1), (cube * cube).sum(axis=1)
    sure = 1 - np.divide(sixth, third**2, out=np.ones_like(third), where=third**2 > sixth)
    skewness = (THIRD if lines else 1.0) * sure * third
    k = 1 / np.clip(skewness**2, 1 / _NORMAL, 1e3)
    near = np.maximum(k - gammaincinv(k + 0.25, (1 - ci) / 2), 0.0)
    far = gammaincinv(k + 0.5, (1 + ci) / 2) - k
    ends = np.stack([near, far]), np.stack([far, near])
    return np.asarray(np.where(skewness >= 0, *ends) * deviation / np.sqrt(k))


def _never_seen_to_vary(result: Limits, fit: Fit) -> None:
    """Widen the limits of agents that solved all or nothing, did no better than guessing, or met no item
    inside the interval: their curve may be any curve of that capability."""
    which = (fit.seen <= 0) | (fit.weight_area.sum(axis=1) <= 0)
    if fit.sample.floor is not None:
        which |= result["capability"][0] <= fit.interval[0]
    if not which.any():
        return
    low, q = fit.interval[0], fit.interval[1] - fit.interval[0]
    least, most = (end[which] - low for end in result["capability"])
    middle = np.clip(q / 2, least, most)  # where the largest spread √(2A(q - A)) is largest
    ends = {
        "spread": (0.0, np.sqrt(2 * middle * (q - middle))),
        "normalised_generality": (-1.0, 1.0),
        "expected_difficulty": (fit.sample.scale.start, low + q),
    }
    for name, (bottom, top) in ends.items():
        result[name][0, which], result[name][1, which] = bottom, top


def warn_of_families(study: Responses, resample: str) -> None:
    family = study.items.get("family")
    if resample == "items" and family is not None and 3 <= family.nunique() < len(family):
        text = (
            f"[families] the items come in {family.nunique()} families, which resample='items' ignores: "
            "items of one family share their luck, and the limits may be far too narrow; use "
            "resample='families'"
        )
        warnings.warn(text, Caution, stacklevel=4)


def around(table: pd.DataFrame, ends: Limits) -> Limits:
    """Limits that hold the estimate. Where limits corrected for bias miss it, it is off by at least that gap,
    so the interval extends as far again beyond it, but not beyond the scale."""
    result = {}
    for name in (x for x in ends if x in table):
        (low, high), at = ends[name], table[name].to_numpy(dtype=float)
        bottom, top = _SCALE.get(name, (-np.inf, np.inf))
        with np.errstate(invalid="ignore"):
            below = np.where(low > at, np.maximum(2 * at - low, bottom), low)
            above = np.where(high < at, np.minimum(2 * at - high, top), high)
        result[name] = np.stack([np.minimum(below, at), np.maximum(above, at)])
    return with_generality(result)


def joined(table: pd.DataFrame, ends: Limits, ci: float, fit: Fit | None) -> pd.DataFrame:
    """The table, then `<measure>_low` and `<measure>_high`, `<measure>_bounds` and `effective_items`."""
    names = ["capability", "spread", "generality", *MEASURES[2:]]
    columns = {f"{x}_{end}": ends[x][k] for x in names for k, end in enumerate(("low", "high"))}
    columns |= {name: x for name, x in ends.items() if x.ndim == 1}
    lost = np.flatnonzero(columns["effective_items"] < FEWEST_EFFECTIVE)
    if len(lost):
        text = (
            f"[isolated-items] no interval for {len(lost)} of {len(table)} agents ({table.index[lost[0]]!r}"
            " first): one or two isolated items decide the area; add items in the gaps, or cut the interval"
        )
        warnings.warn(text, Caution, stacklevel=4)
    joined = Measured(pd.concat([table, pd.DataFrame(columns, table.index)], axis=1))
    joined.attrs = table.attrs | {"ci": ci}
    joined.fit = fit
    return joined
