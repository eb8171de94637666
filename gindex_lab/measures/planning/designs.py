"""Studies that have not been done yet: how many items, in which families, how often, and for which curves.

A `Design` says what two agents will be asked. Their responses are simulated through a Gaussian copula: a
response is right when a normal variable, the agent's luck, lies below the curve's threshold. Part of that
luck belongs to the item and is the same for both agents (`shared`: an item that is harder than its difficulty
says), part to an agent and a family (`likeness`), part to an agent and an item and stays when the item is
repeated (`stable`); the rest is drawn anew at every trial. Pairs of curves that differ by a wanted amount in
one measure come from one curve, tilted on the scale of log-odds: ψ' = logistic(logit ψ + a + b h).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.validate import FloatArray, vector
from gindex_lab.measures.curves import Interval, Scale, from_sums, rule_of
from gindex_lab.measures.samples import Sample

__all__ = ["MEASURES", "Curve", "Design", "covariance", "curves_apart", "series_of", "simulated", "value_of"]

Measure = Literal["capability", "spread", "normalised_generality", "mean"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
FEWEST = 3  # items or families: with fewer there is no interval
# Judgements of numerics
TERMS = 8  # of the tetrachoric series
_HALVINGS = 34  # of the range of a tilt: to 5e-8
_PLACES = 301  # of the items' difficulties, by which a tilt is found
_STEEPEST = 400.0  # of a tilt, in log-odds over the interval
_EDGE = 1e-6  # a chance is neither 0 nor 1: else its log-odds would be infinite

Curve = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Design:
    """A study of two agents that has not been done yet.

    Parameters
    ----------
    items : how many
    families : how many they are dealt to; None for items on their own
    repeats : how often each item is asked
    curve : chance of a right response: a function of the difficulty, or heights at equal steps of `interval`
        Without one it is a logistic curve with mean `accuracy` and about this `spread`.
    accuracy : mean of the logistic curve
    spread : of the logistic curve, as a share of the interval
    spacing : where the items lie, both ends included
    difficulty : difficulties of a pilot, to be followed instead
    interval : of the difficulties
    shared, likeness, stable : shares of luck (see the module)
    floor : what guessing gives; it is taken off as `gl.generality(floor=)` does

    Examples
    --------
    >>> design = Design(items=50, accuracy=0.6)
    >>> design.places()[:3].round(3).tolist(), round(float(design.chance(design.places()).mean()), 2)
    ([0.0, 0.02, 0.041], 0.6)
    """

    items: int = 100
    families: int | None = None
    repeats: int = 1
    curve: Curve | Sequence[float] | None = None
    accuracy: float = 0.5
    spread: float = 0.2
    spacing: Literal["even", "random"] = "even"
    difficulty: Sequence[float] | None = None
    interval: Interval = (0.0, 1.0)
    shared: float = 0.0
    likeness: float = 0.3
    stable: float = 0.0
    floor: float = 0.0

    def __post_init__(self) -> None:
        families, problem = self.families or 0, f"are more than the {self.items} items"
        ensure(families <= self.items, "families", families, problem, "use fewer families")
        problem, remedy = "are together more than all luck", "let them add up to less than 1"
        ensure(sum(self.lucks) < 1, "shared, likeness, stable", self.lucks, problem, remedy)
        right = self.curve is not None or self.floor < self.accuracy < 1
        remedy = "give a share above the floor and below 1"
        ensure(right, "accuracy", self.accuracy, "leaves no room for a curve", remedy)
        if self.difficulty is not None:
            h = vector("difficulty", self.difficulty)
            ensure(len(np.unique(h)) > 1, "difficulty", h[0], "is the only difficulty", "give at least two")
        if self.curve is not None and not callable(self.curve):
            lone = np.ndim(np.asarray(self.curve, dtype=object)) == 0
            remedy = "give its heights at two or more difficulties"
            ensure(not lone, "curve", self.curve, "[wrong-type] is a number", remedy)
            heights = vector("curve", self.curve)
            right = len(heights) > 1 and heights.min() >= 0 and heights.max() <= 1
            remedy = "give at least two numbers between 0 and 1, or a function"
            ensure(right, "curve", self.curve, "is not a curve", remedy)

    @property
    def lucks(self) -> tuple[float, float, float]:
        """The shares of luck: of the item, of agent and family, of agent and item."""
        return self.shared, self.likeness if self.families else 0.0, self.stable

    @property
    def resample(self) -> str:
        return "items" if self.families is None else "families"

    def of(self, items: int | None = None, repeats: int | None = None) -> Design:
        """The same with another number of items, in families of the same size, or of repeats."""
        n = self.items if items is None else items
        families = self.families
        if families is not None:
            families = max(FEWEST, round(n * families / self.items))
            n = max(n, families)
        again = self.repeats if repeats is None else repeats
        return replace(self, items=n, families=families, repeats=again)

    def codes(self) -> np.ndarray:
        """The unit of each item: itself, or its family."""
        return np.arange(self.items) % (self.items if self.families is None else self.families)

    def places(self, random: np.random.Generator | None = None) -> FloatArray:
        """Difficulties (N,), rising; those of a pilot by its quantiles."""
        low, high = self.interval
        share = np.linspace(0, 1, self.items)
        if self.difficulty is not None:
            known = np.sort(vector("difficulty", self.difficulty))
            if len(np.unique(known)) > len(known) / 2:
                return np.asarray(np.interp(share * (len(known) - 1), np.arange(len(known)), known))
            return known[np.clip(np.ceil(share * len(known)).astype(int) - 1, 0, None)]
        if self.spacing == "random" and random is not None:
            h = np.sort(random.random(self.items))
            share = (h - h[0]) / (h[-1] - h[0])
        return np.asarray(low + (high - low) * share)

    def chance(self, h: FloatArray) -> FloatArray:
        """The chance (N,) of a right response at these difficulties."""
        h = vector("h", h)
        low, high = self.interval
        if callable(self.curve):
            psi = np.asarray(self.curve(h), dtype=float)
            right = psi.shape == h.shape and np.isfinite(psi).all() and psi.min() >= 0 and psi.max() <= 1
            remedy = "let it give one number between 0 and 1 for each difficulty"
            ensure(bool(right), "curve", self.curve, "does not give chances", remedy)
            return psi
        x = (h - low) / (high - low)
        if self.curve is not None:
            heights = vector("curve", self.curve)
            return np.asarray(np.interp(x, np.linspace(0, 1, len(heights)), heights))
        c, line = self.floor, (np.pi / (math.sqrt(3) * self.spread) * (0.5 - x))[None, :]
        level = _root(
            lambda a: c + (1 - c) * logistic(line + a[:, None]).mean(axis=1), np.full(1, self.accuracy)
        )
        return np.asarray(c + (1 - c) * logistic(line + level[:, None])[0])

    def sample(self, h: FloatArray, values: FloatArray) -> Sample:
        """Responses (A, N) to this design, ready for `fit_of`."""
        floor = np.full(len(h), self.floor) if self.floor else None
        agents, scale = pd.RangeIndex(len(values)), Scale(self.interval)
        return Sample(agents, values, h, self.codes(), scale, self.resample, floor=floor)


def logistic(x: FloatArray) -> FloatArray:
    from scipy.special import expit

    return np.asarray(expit(x))


def _root(
    function: Callable[[FloatArray], FloatArray], wanted: FloatArray, width: float = _STEEPEST
) -> FloatArray:
    """Where a rising function of (B,) has the wanted values (B,), by halving [-width, width]."""
    low, high = np.full(wanted.shape, -width), np.full(wanted.shape, width)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = function(middle) < wanted
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


# -- curves that differ by so much -----------------------------------------------------------------------


def value_of(design: Design, h: FloatArray, psi: FloatArray, measure: str) -> FloatArray:
    """The measure (B,) of curves (B, N) at the items' difficulties."""
    return _reader(design, h)(psi, measure)


def _reader(design: Design, h: FloatArray) -> Callable[[FloatArray, str], FloatArray]:
    """`value_of` for these difficulties, its weights computed once."""
    levels, level_of, count = np.unique(h, return_inverse=True, return_counts=True)
    rule, scale = rule_of(levels, design.interval), Scale(design.interval)
    weights = np.stack([rule.area / count, rule.moment / count], axis=1)[level_of]
    constant = np.array([rule.block, rule.block**2 / 2])

    def value(psi: FloatArray, measure: str) -> FloatArray:
        if measure == "mean":
            return np.asarray(psi.mean(axis=1))
        area, moment = ((1 - (1 - psi) / (1 - design.floor)) @ weights + constant).T
        if measure == "capability":
            return np.asarray(design.interval[0] + area)
        return np.asarray(getattr(from_sums(area, moment, scale), measure))

    return value


def curves_apart(
    design: Design, h: FloatArray, psi: FloatArray, measure: str, difference: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Curves (B, N) half of the difference above and half below those given, and what they differ by (B,).

    Capability and mean differ by a shift a of the log-odds. Spread and γ differ by a tilt b, with the shift
    that keeps the capability.
    """
    few = np.linspace(0, len(h) - 1, min(len(h), _PLACES)).round().astype(int)
    at, value = h[few], _reader(design, h[few])
    none, middle = np.zeros(len(psi)), value(psi[:, few], measure)
    kept = value(psi[:, few], "capability")

    def level(b: FloatArray, name: str, wanted: FloatArray) -> FloatArray:
        return _root(lambda a: value(_tilted(design, at, psi[:, few], a, b), name), wanted)

    def of_tilt(b: FloatArray) -> FloatArray:
        moved = _tilted(design, at, psi[:, few], level(b, "capability", kept), b)
        return sign * value(moved, measure)

    sign = -1.0 if measure == "normalised_generality" else 1.0  # a steeper fall has more γ
    found = []
    for wanted in (middle + difference / 2, middle - difference / 2):
        if measure in ("capability", "mean"):
            a, b = level(none, measure, wanted), none
        else:
            b = _root(of_tilt, sign * wanted)
            a = level(b, "capability", kept)
        found.append(_tilted(design, h, psi, a, b))
    apart = [value(curve[:, few], measure) for curve in found]
    return found[0], found[1], np.asarray(apart[0] - apart[1])


def _tilted(design: Design, h: FloatArray, psi: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Curves (B, N) whose log-odds above the floor are raised by a + b h, h from -½ to ½ of the interval."""
    c, (low, high) = design.floor, design.interval
    inside = np.clip((psi - c) / (1 - c), _EDGE, 1 - _EDGE)
    moved = np.log(inside / (1 - inside)) + a[:, None]
    moved += b[:, None] * ((h - (low + high) / 2) / (high - low))
    return np.asarray(c + (1 - c) * logistic(moved))


# -- luck ------------------------------------------------------------------------------------------------


def series_of(p: FloatArray) -> FloatArray:
    """φ(z) He_k(z) / √(k + 1)! for k = 0, 1 …: the terms of the tetrachoric series at chances p (…, K)."""
    from scipy.special import ndtri

    z = ndtri(np.clip(p, _EDGE, 1 - _EDGE))
    hermite = [np.ones_like(z), z]
    for k in range(1, TERMS - 1):
        hermite.append(z * hermite[k] - k * hermite[k - 1])
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    return np.stack(
        [density * he / math.sqrt(math.factorial(k + 1)) for k, he in enumerate(hermite)], axis=-1
    )


def covariance(p: FloatArray, q: FloatArray, luck: float) -> FloatArray:
    """Covariance of two right-or-wrong responses with chances p and q whose luck has this correlation:
    Σ ρᵏ φ(x) φ(y) Heₖ₋₁(x) Heₖ₋₁(y) / k! (Pearson 1900; the first eight terms).

    >>> half = np.array([0.5])
    >>> round(float(covariance(half, half, 0.5)[0]), 3)  # ¼ · (2/π) arcsin ρ
    0.083
    """
    powers = luck ** np.arange(1, TERMS + 1)
    return np.asarray((series_of(p) * series_of(q)) @ powers)


def simulated(design: Design, chance: FloatArray, studies: int, random: np.random.Generator) -> FloatArray:
    """Responses (2 · studies, N) of the first agent in every study, then of the second."""
    from scipy.special import ndtri

    shared, likeness, stable = design.lucks
    n, rest = design.items, math.sqrt(1 - sum(design.lucks))
    luck = np.zeros((2, studies, n))
    if shared:
        luck += math.sqrt(shared) * random.standard_normal((1, studies, n))
    if likeness:
        codes = design.codes()
        luck += math.sqrt(likeness) * random.standard_normal((2, studies, codes.max() + 1))[..., codes]
    if stable:
        luck += math.sqrt(stable) * random.standard_normal((2, studies, n))
    top = (ndtri(np.clip(chance, 1e-12, 1 - 1e-12))[:, None, :] - luck) / rest
    right = np.zeros((2, studies, n))
    for _ in range(design.repeats):
        right += random.standard_normal((2, studies, n)) < top
    return np.asarray((right / design.repeats).reshape(2 * studies, n))
