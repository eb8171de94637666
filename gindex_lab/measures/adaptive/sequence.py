"""Intervals that hold at every stop: a bet against every value that a sum over the bank could have.

Let T = Σ wᵢ rᵢ over a finite bank. An item I is drawn with known chances πᵢ from those that remain; before
that, responses are foreseen as pᵢ from what was seen so far. Then

    X = Σ_asked w r + Σ_rest w p + w_I (r_I - p_I) / π_I

has mean T, whatever the foresight is worth. Against a value m of T one bets a share λ of what one has on
X - m: the wealth Π (1 + λ (X - m)) is a martingale if T = m, and ever exceeds 1/α with chance α at most
(Ville 1939). The values against which no bet has paid 1/α are the interval (Waudby-Smith and Ramdas 2024;
weighted, without replacement: Shekhar, Xu, Lipton, Liang and Ramdas 2023). Bets on both sides and of
several sizes are averaged. For the spread, S² = 2M - A² is 2M - 2aA + a² where A = a: pairs (a, S²) are bet
against, and the interval is what is left of S².
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gindex_lab.foundation.validate import FloatArray

__all__ = ["Bets", "Draw", "Hypotheses", "joint_hypotheses", "single_hypotheses"]

# Judgements: the intervals are valid with any values, and shorter with better ones
_CAP = 0.9  # of the wealth is lost at most in one bet
_SIZES = (0.15, 0.06, 0.025)  # errors of T, in ranges of T, that the bets are made for
_PRIOR = 5.0  # steps that the foreseen variance is worth


class Hypotheses(NamedTuple):
    """Values (H,) of linear functionals (F, N) with constants (F,), by the functional (H,) each speaks of.
    `partner` (H,): a second functional and value that hold under the same hypothesis, or -1."""

    weights: FloatArray
    constants: FloatArray
    which: np.ndarray
    values: FloatArray
    partner: np.ndarray
    partner_values: FloatArray


def single_hypotheses(weights: FloatArray, constant: float, least: float, points: int = 801) -> Hypotheses:
    """All values of one sum, on a grid over what responses from `least` to 1 can make of it."""
    low, high = constant + least * weights.sum(), constant + weights.sum()
    values, none = np.linspace(low, high, points), np.full(points, -1)
    return Hypotheses(weights[None], np.array([constant]), np.zeros(points, int), values, none, values)


def joint_hypotheses(
    area: tuple[FloatArray, float],
    moment: tuple[FloatArray, float],
    q: float,
    points: tuple[int, int] = (41, 81),
) -> Hypotheses:
    """All pairs of an area a and an S²: then 2M - 2aA + a² has the value S², and A the value a."""
    a, s = np.linspace(0, q, points[0]), np.linspace(0, q**2 / 2, points[1])
    weights = np.concatenate([2 * moment[0] - 2 * a[:, None] * area[0], area[0][None]])
    constants = np.concatenate([2 * moment[1] - 2 * a * area[1] + a**2, [area[1]]])
    which, values = np.repeat(np.arange(len(a)), len(s)), np.tile(s, len(a))
    partner = np.full(len(which), len(a))
    return Hypotheses(weights, constants, which, values, partner, np.repeat(a, len(s)))


class Draw(NamedTuple):
    """One draw: the item, what it was worth (`response`; for two agents their difference), the chances (N,)
    of all items (0 for those that were asked before), what was foreseen (N,) and with which variance (N,)."""

    item: int
    response: float
    chances: FloatArray
    foreseen: FloatArray
    variance: FloatArray


class Bets:
    """The wealth of all bets, and which hypotheses stand.

    >>> bets = Bets(single_hypotheses(np.full(4, 0.25), 0.0, 0.0, 5), 0.95)
    >>> half = np.full(4, 0.5)
    >>> for k in range(4):
    ...     bets.update(Draw(k, 1.0, np.where(np.arange(4) >= k, 1 / (4 - k), 0.0), half, half * half))
    >>> bets.interval()  # all four were asked and solved: nothing else is possible
    (1.0, 1.0)
    """

    def __init__(self, hypotheses: Hypotheses, ci: float, least: float = 0.0) -> None:
        self.about, self.least = hypotheses, least
        self._limit = -np.log1p(-ci)
        functionals, n = hypotheses.weights.shape
        self._known = hypotheses.constants.copy()
        self._rest = np.ones(n, dtype=bool)
        self._ratio = np.full(functionals, _PRIOR)
        self._steps = 0
        size = np.abs(hypotheses.weights).sum(axis=1) * (1 - least) / (1 if least == 0 else 2)
        self._sizes = np.array(_SIZES)[:, None] * np.maximum(size, 1e-12)
        self._sides = [(hypotheses.which, hypotheses.values)]
        if hypotheses.partner[0] >= 0:
            self._sides.append((hypotheses.partner, hypotheses.partner_values))
        self._wealth = np.zeros((len(self._sides), 2, len(_SIZES), len(hypotheses.values)))
        self.standing = np.ones(len(hypotheses.values), dtype=bool)
        self._last = float(hypotheses.values.min()), float(hypotheses.values.max())
        self._sums = np.zeros((2, functionals))  # Σ X/v and Σ 1/v

    def update(self, step: Draw) -> None:
        """Settle the bets on one draw."""
        u, pi, p = self.about.weights, step.chances, step.foreseen
        open_ = pi > 0
        centre = self._known + (u[:, self._rest] @ p[self._rest])
        inverse = np.divide(1.0, pi, out=np.zeros_like(pi), where=open_)
        ends = [u * ((end - p) * inverse) for end in (self.least, 1.0)]
        lowest = centre + np.minimum(ends[0], ends[1])[:, open_].min(axis=1)
        highest = centre + np.maximum(ends[0], ends[1])[:, open_].max(axis=1)
        foreseen = np.maximum((u**2 * (step.variance * inverse))[:, open_].sum(axis=1), 1e-18)
        variance = foreseen * self._ratio / (_PRIOR + self._steps)
        drawn = centre + u[:, step.item] * (step.response - p[step.item]) * inverse[step.item]
        self._ratio += (drawn - centre) ** 2 / foreseen
        self._steps += 1
        self._sums += np.stack([drawn / variance, 1 / variance])
        self._bet(drawn, lowest, highest, variance)
        self._known = self._known + u[:, step.item] * step.response
        self._rest[step.item] = False
        self._drop()

    def _bet(self, drawn: FloatArray, lowest: FloatArray, highest: FloatArray, variance: FloatArray) -> None:
        alive = np.flatnonzero(self.standing)
        for k, (which, values) in enumerate(self._sides):
            f, m = which[alive], values[alive]
            gain, wanted = drawn[f] - m, self._sizes[:, f] / variance[f]
            for side, (won, room) in enumerate(((gain, m - lowest[f]), (-gain, highest[f] - m))):
                share = np.minimum(wanted, _CAP / np.maximum(room, 1e-12))
                self._wealth[k, side][:, alive] += np.log1p(np.maximum(share * won, -_CAP - 1e-9))

    def _drop(self) -> None:
        """Hypotheses against which a bet has paid, or that what is left of the bank cannot make true."""
        low, high = self._possible()
        for which, values in self._sides:
            slack = 1e-9 * (1 + np.abs(values)) + self._cell(values)
            self.standing &= (values >= low[which] - slack) & (values <= high[which] + slack)
        peak = self._wealth.max(axis=(0, 1, 2))
        mean = peak + np.log(np.exp(self._wealth - peak).mean(axis=(0, 1, 2)))
        self.standing &= mean < self._limit

    @staticmethod
    def _cell(values: FloatArray) -> float:
        """The spacing of a grid: a value between two points is none of them."""
        points = np.unique(values)
        return float(points[1] - points[0]) if len(points) > 1 else 0.0

    def _possible(self) -> tuple[FloatArray, FloatArray]:
        """What the responses so far leave possible without any bet, for each functional."""
        u = self.about.weights[:, self._rest]
        ends = u * self.least, u * 1.0
        return self._known + np.minimum(*ends).sum(axis=1), self._known + np.maximum(*ends).sum(axis=1)

    def interval(self) -> tuple[float, float]:
        """The values that stand, out to the next point of the grid, and within what is possible."""
        low, high = (float(end[0]) for end in self._possible())
        if self.standing.any():
            left, cell = self.about.values[self.standing], self._cell(self.about.values)
            self._last = float(left.min() - cell), float(left.max() + cell)
        return max(low, self._last[0]), min(high, self._last[1])

    @property
    def estimate(self) -> float:
        """The mean of all X, each by its precision."""
        return float(self._sums[0, 0] / self._sums[1, 0]) if self._steps else float("nan")
