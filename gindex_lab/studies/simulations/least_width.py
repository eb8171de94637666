"""How narrow can an interval be that keeps its promise to every agent? A lower bound (Pratt 1961).

The mean width of an interval C is ∫ P(t ∈ C) dt. If C misses the truth of any curve with a chance of at most
α, then "reject the curve whose measure is t if t is not in C" is a test of level α, whose power against the
agent, P(t ∉ C), is at most that of Neyman and Pearson's test, π(t). So the mean width is at least
∫ (1 - π(t)) dt, whatever the method. The curves tried here are twins of the agent that lapse on the easiest
items, guess the hardest, or are shifted or tilted; trying more of them could only raise the bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import FloatArray, generator, integer
from gindex_lab.measures.curves import indicators
from gindex_lab.studies.simulations.coverage import Profile

__all__ = ["least_width"]

# what each measure can be on a scale from 0 to 1
_RANGES = {"capability": (0.0, 1.0), "spread": (0.0, 0.5**0.5), "normalised_generality": (-1.0, 1.0)}
_SIZES = np.geomspace(0.004, 1, 16)  # how much a twin differs; between two sizes the larger power counts
_PLACES = (0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 2.0)  # up to where, or from where, it differs: judgements
_FINE = np.linspace(0, 1, 2001)  # where curves are integrated (a judgement)
Way = Callable[[FloatArray, float], FloatArray]


def least_width(
    curve: Profile, items: int = 50, simulations: int = 1000, *, alpha: float = 0.05, seed: SeedLike
) -> dict[str, float]:
    """The least mean width, by measure, of any interval of level 1 - α for this agent, on right or wrong
    answers to items spread evenly over [0, 1].
    """
    random, h = generator(seed), np.linspace(0, 1, integer("items", items, 3))
    mine, theirs = random.random((2, integer("simulations", simulations, 100), items))
    at = {name: np.linspace(*ends, 4001) for name, ends in _RANGES.items()}
    power = {name: np.ones_like(t) for name, t in at.items()}
    for way in _twins(curve):
        found = indicators(_FINE, np.array([way(_FINE, e) for e in (0.0, *_SIZES)]), (0.0, 1.0))
        reached = [alpha, *(_power(curve(h), way(h, e), mine, theirs, alpha) for e in _SIZES)]
        for name, t in at.items():
            value = getattr(found, name)
            for k in range(len(_SIZES)):
                between = (t >= value[k : k + 2].min()) & (t <= value[k : k + 2].max())
                power[name][between] = np.minimum(power[name][between], max(reached[k : k + 2]))
    return {name: float((1 - power[name]).mean() * np.ptp(t)) for name, t in at.items()}


def _twins(curve: Profile) -> Iterator[Way]:
    """Curves that differ from the agent's by e in 0 to 1: ψ(h, e), ψ(h, 0) its own."""
    for c in _PLACES:
        yield partial(_lapsing, curve, c)
        yield partial(_guessing, curve, 1 - c)
    for sign in (-1, 1):
        yield partial(_moved, curve, 5 * sign, 0)
        yield partial(_moved, curve, 10 * sign, 1)


def _lapsing(curve: Profile, end: float, h: FloatArray, e: float) -> FloatArray:
    return curve(h) * (1 - e * (h < end))


def _guessing(curve: Profile, start: float, h: FloatArray, e: float) -> FloatArray:
    return curve(h) + e * (1 - curve(h)) * (h > start)


def _moved(curve: Profile, size: float, power: int, h: FloatArray, e: float) -> FloatArray:
    """Log odds that are shifted (power 0) or tilted about the middle (power 1)."""
    from scipy.special import expit, logit

    odds = logit(np.clip(curve(h), 1e-9, 1 - 1e-9)) + size * e * (h - 0.5) ** power
    return np.asarray(expit(odds))


def _power(agent: FloatArray, twin: FloatArray, mine: FloatArray, theirs: FloatArray, alpha: float) -> float:
    """The power of the best test of the twin's chances (N,) against the agent's, ties broken by a toss."""
    a, b = (np.clip(chance, 1e-12, 1 - 1e-12) for chance in (agent, twin))
    weight = np.log(a / b) - np.log((1 - a) / (1 - b))
    score, under = (mine < agent) @ weight, (theirs < twin) @ weight
    bar = np.quantile(under, 1 - alpha, method="higher")
    above, tied = ((x > bar + 1e-9, np.abs(x - bar) <= 1e-9) for x in (score, under))
    toss = (alpha - tied[0].mean()) / tied[1].mean()
    return float(above[0].mean() + above[1].mean() * toss)
