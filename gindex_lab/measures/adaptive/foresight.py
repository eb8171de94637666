"""What the model expects: a posterior over a grid of curves, learnt response by response.

It foresees the responses to items that were not asked, says which items weigh most in the wanted measure, and
has limits of its own. Those hold as far as the model does; the intervals of `sequence` do not need it.
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.adaptive.bank import ABILITIES, Bank
from gindex_lab.measures.curves import from_sums

__all__ = ["SUMS", "Foresight"]

SUMS = ("capability", "mean")  # measures that are a weighted sum of the responses
_NEAR = 0.02  # of the interval, a judgement: γ of a curve without area, or with all of it, has no slope
_ABILITY = np.linspace(*ABILITIES)


class Foresight:
    """The posterior of one agent, or of two."""

    def __init__(self, bank: Bank, measure: str, agents: int = 1) -> None:
        self.bank, self.measure = bank, measure
        self._curves, prior = bank.chances
        self._doubt = self._curves * (1 - self._curves)
        self._log = np.tile(np.log(prior), (agents, 1))
        self.responses = np.full((agents, len(bank.items)), np.nan)
        self._area, self._moment = bank.weights("capability"), bank.weights("moment")
        self._sum = bank.weights(measure) if measure in SUMS else self._area

    def learn(self, item: int, given: FloatArray) -> None:
        """Bayes' rule, for every agent."""
        right = self._curves[:, item]
        self.responses[:, item] = given
        self._log += np.outer(given, np.log(right)) + np.outer(1 - given, np.log1p(-right))

    def nodes(self) -> FloatArray:
        """The posterior weights (A, G) of the curves."""
        weight = np.exp(self._log - self._log.max(axis=1, keepdims=True))
        return np.asarray(weight / weight.sum(axis=1, keepdims=True))

    def chance(self) -> FloatArray:
        """The foreseen responses (A, N)."""
        return np.asarray(self.nodes() @ self._curves)

    def mean_so_far(self) -> FloatArray:
        """The foresight without a model: the mean so far (A, N), half a response short of 0 and 1."""
        seen = ~np.isnan(self.responses)
        mean = (np.nansum(self.responses, axis=1) + 0.5) / (seen.sum(axis=1) + 1)
        return np.broadcast_to(mean[:, None], self.responses.shape)

    def ability(self) -> float:
        """The posterior mean of the ability, of a calibrated bank."""
        weight = self.nodes()[0]
        return float(weight @ np.tile(_ABILITY, len(weight) // len(_ABILITY)))

    def _sums(self, filled: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Area and moment (B,) of responses (B, N) to the whole bank."""
        area, moment = (filled @ w + c for w, c in (self._area, self._moment))
        return area, moment

    def _measure(self, filled: FloatArray) -> FloatArray:
        if self.measure in SUMS:
            low = self.bank.span[0] if self.measure == "capability" else 0.0
            return np.asarray(filled @ self._sum[0] + self._sum[1] + low)
        return np.asarray(getattr(from_sums(*self._sums(filled), self.bank.scale), self.measure))

    def _filled(self, agent: int = 0) -> FloatArray:
        mine = self.responses[agent]
        return np.where(np.isnan(mine), self.chance()[agent], mine)[None]

    def value(self) -> float:
        """The measure when every item that was not asked comes out as foreseen."""
        return float(self._measure(self._filled())[0])

    def pull(self) -> FloatArray:
        """The slope (N,) of the measure in each response: of the spread that of S², 2m - 2Aw."""
        if self.measure in SUMS:
            return np.asarray(self._sum[0])
        low, high = self.bank.span
        q = high - low
        area, moment = (float(x[0]) for x in self._sums(self._filled()))
        slope = 2 * self._moment[0] - 2 * area * self._area[0]
        if self.measure == "spread":
            return np.asarray(slope)
        a = float(np.clip(area, _NEAR * q, (1 - _NEAR) * q))
        square, room = max(2 * moment - area**2, 0.0), a * (q - a)
        return np.asarray((square * (q - 2 * a) / room * self._area[0] - slope) / room)

    def limits(self, z: float) -> tuple[float, float, float]:
        """Mean of the measure (of two agents: the difference) by the posterior, and z deviations away."""
        means, variance, pull = [], 0.0, self.pull()
        rest = np.isnan(self.responses[0])
        if self.measure == "spread":  # the slope of S = √S²
            pull = pull / max(2 * self.value(), 1e-2 * (self.bank.span[1] - self.bank.span[0]))
        inside = self._doubt[:, rest] @ pull[rest] ** 2
        for row, mine in zip(self.nodes(), self.responses, strict=True):
            values = self._measure(np.where(rest, self._curves, np.nan_to_num(mine)))
            means.append(float(row @ values))
            variance += float(row @ (values - means[-1]) ** 2 + row @ inside)
        at = means[0] - means[1] if len(means) == 2 else means[0]
        away = z * float(np.sqrt(variance))
        return at - away, at, at + away
