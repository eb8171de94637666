"""The items of an adaptive test: their difficulties, what each weighs in a measure, what is expected of them.

Capability, mean and (with the moment) spread on a bank are weighted sums of the responses to all its items
(`curves.rule_of`), so an adaptive test estimates a sum over a finite list. What an agent will do is foreseen
by a grid of curves: logistic ones of any centre and width over the difficulty, or two-parameter curves of
calibrated items with any ability. `Foresight` is the posterior over that grid, learnt response by response.
The model only makes the test shorter; its own limits hold as far as it does, those of `sequence` always.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.guessing import floors_of
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import FloatArray, no_duplicates, numeric_frame, pair, refuse
from gindex_lab.measures.curves import Interval, Scale, from_sums, rule_of

__all__ = ["SUMS", "Bank", "Foresight", "bank_of"]

# All judgements; the coverage that they give is in `data/measured/stopping.csv`
_FEWEST, _MOST = 5, 20_000  # items
_WIDTHS = (0.04, 0.08, 0.15, 0.3, 0.6, 1.5)  # of the curves over intrinsic difficulties, in intervals
_CENTRES = 25  # of these curves, for each width
_SHARPER = (0.4, 0.65, 1.0, 1.5)  # times the slopes of calibrated items: agents fit them more or less well
_ABILITY = np.linspace(-4.0, 4.0, 41)  # the grid of abilities of calibrated banks
_LAPSES = (0.003, 0.03, 0.1)  # chance of a slip, or of luck, whatever the difficulty
_NEAR = 0.02  # of the interval: γ of a curve without area, or with all of it, has no slope

SUMS = ("capability", "mean")  # measures that are a weighted sum of the responses

if TYPE_CHECKING:
    BankLike: TypeAlias = "Bank | Responses | pd.DataFrame | pd.Series"
else:
    BankLike = object  # while the program runs, `bank_of` says what is wrong with it


@dataclass(frozen=True, eq=False)
class Bank:
    """The items of an adaptive test. `Bank.calibrated(responses)` fits a model to earlier responses.

    Parameters
    ----------
    items : DataFrame indexed by item
        `difficulty`, and where known `discrimination` and `location` (of a two-parameter model), `floor`
        (what guessing gives) and `family` (content).
    interval : that of capability; the range of the difficulties by default

    Examples
    --------
    >>> bank = Bank(pd.DataFrame({"difficulty": [1.0, 2.0, 3.0, 4.0, 5.0]}))
    >>> bank.weights("capability")[0].tolist()
    [0.5, 1.0, 1.0, 1.0, 0.5]
    """

    items: pd.DataFrame
    interval: Interval | None = None

    def __post_init__(self) -> None:
        items = self.items
        if not isinstance(items, pd.DataFrame):
            remedy = "pass a DataFrame with a column difficulty, one row an item"
            raise BadInput("items", type(items).__name__, "[wrong-type] is not a DataFrame", remedy)
        problem = "[no-column] has no column 'difficulty'"
        ensure("difficulty" in items, "items", list(items), problem, "give each item a difficulty")
        n, problem = len(items), f"must be {_FEWEST} to {_MOST:,} items"
        ensure(_FEWEST <= n <= _MOST, "items", n, problem, "give another bank")
        no_duplicates("items.index", items.index)
        for name in ("difficulty", "discrimination", "location", "floor"):
            if name in items:
                column = numeric_frame(f"items[{name!r}]", items[[name]])[name]
                refuse(f"items.{name}", column, column.isna(), "[missing] is missing", "give every item one")
        several, first = items["difficulty"].nunique() > 1, items["difficulty"].iloc[0]
        ensure(several, "items.difficulty", first, "is the only difficulty", "use items of at least two")
        both = ("discrimination" in items) == ("location" in items)
        problem = "has one of discrimination and location"
        ensure(both, "items", list(items), problem, "give both, or neither")
        inside = self.floor.min() >= 0 and self.floor.max() < 1
        remedy = "give a chance below 1"
        ensure(inside, "items.floor", self.floor.max(), "must lie between 0 and 1", remedy)
        low, high = self.span
        meets = self.difficulty.max() > low and self.difficulty.min() < high
        problem = "does not meet the difficulties"
        ensure(meets, "interval", self.span, problem, "give one that overlaps them")

    @classmethod
    def calibrated(cls, responses: Responses, interval: Interval | None = None) -> Bank:
        """A bank of the items of earlier responses, with a two-parameter model fitted to them.

        Items keep their difficulty; where they have none, it is that of the model.

        >>> from gindex_lab.measures.psychometrics.irt import simulate_irt
        >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": np.linspace(-2, 2, 12)})
        >>> bank = Bank.calibrated(simulate_irt(true, 200, seed=1))
        >>> bool((bank.items["difficulty"].diff()[1:] > -1).all())
        True
        """
        from gindex_lab.measures.psychometrics.irt import irt

        right, given = isinstance(responses, Responses), type(responses).__name__
        remedy = "pass gl.Responses(...) or what gl.read gives"
        ensure(right, "responses", given, "[wrong-type] is not a table of responses", remedy)
        found = irt(responses, "2pl", priors="lognormal").parameters
        items = responses.items.assign(
            discrimination=found["discrimination"].to_numpy(), location=found["difficulty"].to_numpy()
        )
        if responses.difficulty is None:
            items["difficulty"] = found["difficulty"].to_numpy()
        return cls(items, interval or responses.interval)

    @property
    def difficulty(self) -> FloatArray:
        return self.items["difficulty"].to_numpy(dtype=float)

    @property
    def floor(self) -> FloatArray:
        if "floor" not in self.items:
            return np.zeros(len(self.items))
        return self.items["floor"].to_numpy(dtype=float)

    @property
    def span(self) -> Interval:
        h = self.difficulty
        return pair("interval", self.interval) or (float(h.min()), float(h.max()))

    @property
    def scale(self) -> Scale:
        return Scale(self.span)

    def weights(self, measure: str = "capability") -> tuple[FloatArray, float]:
        """Weights (N,) and constant of a sum over all responses: "capability" (area), "moment" or "mean"."""
        n = len(self.items)
        if measure == "mean":
            return np.full(n, 1 / n), 0.0
        levels, level_of, count = np.unique(self.difficulty, return_inverse=True, return_counts=True)
        rule = rule_of(levels, self.span)
        chosen, block = rule.moment, rule.block**2 / 2
        if measure == "capability":
            chosen, block = rule.area, rule.block
        weight = (chosen / count)[level_of] / (1 - self.floor)
        return np.asarray(weight), float(block - weight @ self.floor)

    def _model(self) -> tuple[FloatArray, FloatArray]:
        """Slope and place of calibrated items."""
        return self.items["discrimination"].to_numpy(float), self.items["location"].to_numpy(float)

    @cached_property
    def chances(self) -> tuple[FloatArray, FloatArray]:
        """What is foreseen: curves (G, N) and their prior weights (G,)."""
        if "discrimination" in self.items:
            slope, place = self._model()
            logits = [k * slope * (theta - place) for k in _SHARPER for theta in _ABILITY]
            prior = np.tile(np.exp(-(_ABILITY**2) / 4), len(_SHARPER))
        else:
            low, high = self.span
            x = (self.difficulty - low) / (high - low)
            grid = [(s, c) for s in _WIDTHS for c in np.linspace(-2 * s, 1 + 2 * s, _CENTRES)]
            logits = [np.pi / (np.sqrt(3) * s) * (c - x) for s, c in grid]
            prior = np.ones(len(grid))
        chance = self.floor + (1 - self.floor) / (1 + np.exp(-np.clip(np.stack(logits), -30, 30)))
        curves = np.concatenate([lapse + (1 - 2 * lapse) * chance for lapse in _LAPSES])
        return curves, np.tile(prior / prior.sum(), len(_LAPSES)) / len(_LAPSES)

    def information(self, ability: float) -> FloatArray:
        """Fisher information (N,) at an ability, a² (Q/P) ((P - c)/(1 - c))² (Lord 1980, 5-9)."""
        remedy = "use Bank.calibrated(responses), or rule='bayes'"
        problem = "[not-calibrated] are not calibrated"
        ensure("discrimination" in self.items, "items", list(self.items), problem, remedy)
        slope, place = self._model()
        c = self.floor
        right = c + (1 - c) / (1 + np.exp(-np.clip(slope * (ability - place), -30, 30)))
        return np.asarray(slope**2 * (1 - right) / right * ((right - c) / (1 - c)) ** 2)


def bank_of(bank: BankLike) -> Bank:
    """A bank from what a user has: a Bank, responses with difficulties, a table of items, difficulties."""
    if isinstance(bank, Bank):
        return bank
    if isinstance(bank, Scores):
        raise BadInput("bank", "Scores", "[wrong-type] holds raw scores", "give items with difficulties")
    if isinstance(bank, Responses):
        known, remedy = bank.difficulty is not None, "use Bank.calibrated(responses)"
        ensure(known, "bank", bank, "has no difficulties", remedy)
        floor = floors_of(bank)
        return Bank(bank.items if floor is None else bank.items.assign(floor=floor), bank.interval)
    if isinstance(bank, pd.Series):
        bank = bank.to_frame("difficulty")
    if not isinstance(bank, pd.DataFrame):
        remedy = "give gl.Bank(items), a DataFrame of items, or responses with difficulties"
        raise BadInput("bank", type(bank).__name__, "[wrong-type] is not a bank of items", remedy)
    return Bank(bank)


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
