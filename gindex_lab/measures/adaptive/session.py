"""A test under way: it names the next item, takes the response, and knows when to stop.

After every response the interval of the wanted measure holds, whatever makes one stop: a width, a decision,
a budget, or a change of mind. What is measured is the bank: what the agent would show on all of its items.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import AgentLike, SeedLike
from gindex_lab.foundation.validate import FloatArray, generator, number
from gindex_lab.measures.adaptive.bank import SUMS, Bank, BankLike, Foresight, bank_of
from gindex_lab.measures.adaptive.rules import balanced, capped, chances_of, strata
from gindex_lab.measures.adaptive.sequence import Bets, Draw, joint_hypotheses, single_hypotheses

__all__ = ["AdaptiveSession", "adaptive"]

Measure = Literal["capability", "spread", "normalised_generality", "mean"]
Rule = Literal["bayes", "information", "random", "stratified"]


def adaptive(
    agent: AgentLike,
    bank: BankLike,
    *,
    measure: Measure = "capability",
    rule: Rule = "bayes",
    width: float | None = None,
    threshold: float | None = None,
    budget: int | None = None,
    balance: bool = False,
    exposure: float = 1.0,
    ci: float = 0.95,
    seed: SeedLike,
) -> AdaptiveSession:
    """Ask an agent items of a bank, one by one, until the interval of the measure is narrow enough.

    Parameters
    ----------
    agent : a function of an item's label, a Series or mapping of responses (the replay of a log), None for a
        person (the session is returned before its first item), or a pair of agents
        Two agents are asked the same items, and the measure is how far the first is ahead of the second.
    bank : a `gl.Bank`, responses with difficulties, a table of items, or a Series of difficulties
    measure : on the whole bank
    rule : how the next item is chosen; "information" needs a calibrated bank
    width : stop when the interval is that narrow
    threshold : stop when it lies outside the interval; for two agents 0 by default (they are told apart then)
    budget : stop after so many items
    balance : ask of every family as often as its share of the bank
    exposure : the most likely that any item may be to be asked in a test
    ci : confidence of the interval
    seed : of the choice of items

    Returns
    -------
    AdaptiveSession
        With `value`, `low`, `high`, `reason`, and `table`, the course of the test.

    Notes
    -----
    The intervals hold at every stop with probability `ci`, whatever the model is worth (`sequence`).
    "information" is the exception: its items are not drawn, and its intervals are those of the model. How
    often each holds: `data/measured/stopping.csv`.

    References
    ----------
    Waudby-Smith and Ramdas (2024), Journal of the Royal Statistical Society B 86, 1-27 (bets).

    Examples
    --------
    >>> bank = pd.Series(np.linspace(0, 10, 200))
    >>> found = adaptive(lambda item: float(bank[item] < 6), bank, width=2, seed=1)
    >>> found.reason, found.low <= 6 <= found.high, len(found.table) < 120
    ('width reached', True, True)
    """
    pair = isinstance(agent, tuple)
    agents = agent if isinstance(agent, tuple) else (agent,)
    problem = "must be one agent or two"
    ensure(len(agents) == (2 if pair else 1), "agent", len(agents), problem, "give a pair")
    session = AdaptiveSession(
        bank_of(bank),
        measure=measure,
        rule=rule,
        width=width,
        threshold=0.0 if pair and threshold is None else threshold,
        budget=budget,
        balance=balance,
        exposure=exposure,
        agents=len(agents),
        ci=ci,
        seed=seed,
    )
    if agent is None:
        return session
    asked = [_asker(one, session.bank) for one in agents]
    while not session.finished:
        item = session.next_item()
        session.record([ask(item) for ask in asked])
    return session


def _asker(agent: AgentLike, bank: Bank) -> Callable[[Any], float]:
    if isinstance(agent, (pd.Series, Mapping)):
        missing = [item for item in bank.items.index if item not in agent]
        problem = "[no-response] has no response of the agent"
        ensure(not missing, "bank", missing[:1], problem, "leave it out of the bank")
        return lambda item: agent[item]
    if not callable(agent):
        remedy = "give a function, a Series of responses, or None for a person"
        raise BadInput("agent", type(agent).__name__, "[wrong-type] cannot be asked", remedy)
    return agent


class AdaptiveSession:
    """A test under way: `next_item()`, then `record(response)`, until `finished`.

    `value`, `low` and `high` are the measure so far and its interval; `table` is the whole course, one row a
    response; `reason` says what ended it. With two agents, responses are pairs and the measure is how far the
    first is ahead of the second.

    >>> bank = Bank(pd.DataFrame({"difficulty": np.linspace(0, 1, 40)}))
    >>> session = AdaptiveSession(bank, seed=1)
    >>> while not session.finished:
    ...     session.record(float(session.next_item() < 25))
    >>> session.reason, session.low <= session.value <= session.high
    ('all items asked', True)
    """

    def __init__(
        self,
        bank: Bank,
        *,
        measure: Measure = "capability",
        rule: Rule = "bayes",
        width: float | None = None,
        threshold: float | None = None,
        budget: int | None = None,
        balance: bool = False,
        exposure: float = 1.0,
        agents: int = 1,
        ci: float = 0.95,
        seed: SeedLike,
    ) -> None:
        from scipy.special import ndtri

        self.bank, self.measure, self.rule, self.ci = bank, measure, rule, ci
        self._random, self._z = generator(seed), float(ndtri((1 + ci) / 2))
        _check(bank, measure, rule, budget, balance, exposure, agents)
        self.width, self.threshold, self.budget = width, threshold, budget
        self._agents = agents
        n = len(bank.items)
        self._rest, self._left = np.ones(n, dtype=bool), np.full(n, float(exposure))
        self._limited = exposure < 1
        self._groups = _groups(bank, rule, balance)
        self._asked_by = np.zeros(1 if self._groups is None else self._groups.max() + 1)
        self._model = Foresight(bank, measure, agents)
        self._bets = _bets(bank, measure, ci, agents)
        self._item: int | None = None
        self._rows: list[dict[str, Any]] = []
        self._last = -np.inf, np.inf
        self.reason = ""
        self._foresee()

    # -- asking ------------------------------------------------------------------------------------------

    @property
    def finished(self) -> bool:
        return bool(self.reason)

    def next_item(self) -> Any:
        """The label of the item to ask now; the same until its response is recorded."""
        ensure(not self.finished, "session", self.reason, "is over", "start another session")
        if self._item is None:
            self._item = int(self._random.choice(len(self._rest), p=self._chances))
        return self.bank.items.index[self._item]

    def record(self, response: float | Sequence[float]) -> None:
        """The response (between 0 and 1) to the item that was asked; with two agents, both of them."""
        problem = "[nothing-asked] answers nothing: no item was asked"
        if self._item is None:
            raise BadInput("response", response, problem, "call next_item() first")
        given = _responses(response, self._agents)
        k, self._item = self._item, None
        drawn = self._chances
        worth = float(given[0] - given[1]) if self._agents == 2 else float(given[0])
        if self.rule != "information":
            self._bets.update(Draw(k, worth, drawn, self._foreseen, self._variance))
        self._model.learn(k, given)
        self._rest[k] = False
        self._left -= drawn
        if self._groups is not None:
            self._asked_by[self._groups[k]] += 1
        self._settle(k, given, float(drawn[k]))

    def _settle(self, k: int, given: FloatArray, chance: float) -> None:
        low, high, estimate = self._interval()
        model = self._model.limits(self._z)
        if self.rule == "information":
            low, high, estimate = max(low, model[0]), min(high, model[2]), model[1]
        row: dict[str, Any] = {"item": self.bank.items.index[k], "response": given[0]}
        row |= {"response_b": given[1]} if self._agents == 2 else {}
        at = float(np.clip(estimate, low, high))
        row |= {"chance": chance, "estimate": at, "low": low, "high": high}
        self._rows.append(row | {"model_low": model[0], "model_high": model[2]})
        self.reason = self._stopped(low, high)
        if not self.reason:
            self._foresee()

    def _stopped(self, low: float, high: float) -> str:
        if self.width is not None and high - low <= self.width:
            return "width reached"
        if self.threshold is not None and not low <= self.threshold <= high:
            return "decided"
        if not self._rest.any():
            return "all items asked"
        if self.budget is not None and len(self._rows) >= self.budget:
            return "budget used up"
        return ""

    def _foresee(self) -> None:
        """What the next response will be like, and the chance of every item."""
        chance = self._model.chance() if self.rule != "random" else self._model.mean_so_far()
        self._foreseen = chance[0] - chance[1] if self._agents == 2 else chance[0]
        self._variance = (chance * (1 - chance)).sum(axis=0)
        order = np.zeros(len(self._rest))
        if self.rule == "information":
            order = np.where(self._rest, self.bank.information(self._model.ability()), 0.0)
            drawn = self._best(order)
        else:
            drawn = chances_of(self.rule, self._model.pull(), self._variance, self._rest)
            if self._groups is not None:
                drawn = balanced(drawn, self._groups, self._asked_by, self._rest)
        if self._limited:
            limited = capped(drawn, np.where(self._rest, self._left / 2, 0.0), order)
            if limited is None:
                self.reason = "exposure limit reached"
                return
            drawn = limited
        self._chances = drawn / drawn.sum()

    def _best(self, order: FloatArray) -> FloatArray:
        """All the chance on the item that is first in order, of the group that is most behind."""
        allowed = self._rest
        if self._groups is not None:
            even = self._rest / self._rest.sum()
            inside = np.bincount(self._groups, balanced(even, self._groups, self._asked_by, self._rest))
            allowed = self._rest & (self._groups == int(inside.argmax()))
        drawn = np.zeros(len(order))
        drawn[int(np.argmax(np.where(allowed, order, -1.0)))] = 1.0
        return drawn

    # -- what is known -----------------------------------------------------------------------------------

    def _interval(self) -> tuple[float, float, float]:
        """Limits from the bets, and an estimate: of a sum the mean of the draws, else as foreseen."""
        bets, (least, most) = self._bets, self.bank.span
        if self.measure in SUMS:
            low, high = bets.interval()
            shift = least if self.measure == "capability" and self._agents == 1 else 0.0
            return low + shift, high + shift, bets.estimate + shift
        q, left = most - least, bets.standing
        a, s = bets.about.partner_values[left], bets.about.values[left]
        if left.any():
            half = float(np.diff(np.unique(bets.about.values)[:2])[0])
            lower, upper = np.maximum(s - half, 0.0), s + half
            if self.measure == "spread":
                ends = np.sqrt(lower), np.sqrt(np.minimum(upper, q**2 / 2))
            else:
                room = np.maximum(a * (q - a), (q / 80) * (q - q / 80))
                ends = np.maximum(1 - upper / room, -1.0), np.minimum(1 - lower / room, 1.0)
            self._last = float(ends[0].min()), float(ends[1].max())
        return (*self._last, self._model.value())

    @property
    def table(self) -> pd.DataFrame:
        """The course of the test: item, response, the chance with which it was drawn, estimate and limits."""
        return pd.DataFrame(self._rows)

    def _now(self, name: str) -> float:
        return float(self._rows[-1][name]) if self._rows else float("nan")

    @property
    def value(self) -> float:
        return self._now("estimate")

    @property
    def low(self) -> float:
        return self._now("low")

    @property
    def high(self) -> float:
        return self._now("high")

    def __repr__(self) -> str:
        state = self.reason or "under way"
        at = f"{self.value:.3g} [{self.low:.3g}, {self.high:.3g}]"
        return f"AdaptiveSession({self.measure} {at}, {len(self._rows)} items, {state})"


def _responses(response: object, agents: int) -> FloatArray:
    given = list(response) if isinstance(response, (list, tuple, np.ndarray)) else [response]
    problem = f"is not one response for each of {agents} agents"
    ensure(len(given) == agents, "response", response, problem, "give as many numbers as agents")
    plain = [float(r) if isinstance(r, (bool, np.bool_)) else r for r in given]
    return np.array([number("response", r, 0, 1) for r in plain])


def _groups(bank: Bank, rule: str, balance: bool) -> np.ndarray | None:
    if balance:
        return np.asarray(pd.factorize(bank.items["family"])[0])
    return strata(bank.difficulty) if rule == "stratified" else None


def _bets(bank: Bank, measure: str, ci: float, agents: int) -> Bets:
    least = -1.0 if agents == 2 else 0.0
    if measure in SUMS:
        weights, constant = bank.weights(measure)
        return Bets(single_hypotheses(weights, 0.0 if agents == 2 else constant, least), ci, least)
    q = bank.span[1] - bank.span[0]
    return Bets(joint_hypotheses(bank.weights("capability"), bank.weights("moment"), q), ci)


def _check(
    bank: Bank, measure: str, rule: str, budget: int | None, balance: bool, exposure: float, agents: int
) -> None:
    n = len(bank.items)
    least = (budget or n) / n
    problem = f"[impossible] is too low: {budget or n} of {n} items are asked, each with chance {least:.2g}"
    remedy = "give a smaller budget, or a larger exposure"
    ensure(exposure >= least or exposure == 1, "exposure", exposure, problem, remedy)
    if balance:
        known = "family" in bank.items and not bank.items["family"].isna().any()
        problem = "[no-column] needs the family of every item"
        ensure(known, "balance", balance, problem, "give a column 'family'")
        problem = "already fills strata of difficulty"
        ensure(rule != "stratified", "rule", rule, problem, "use another rule, or no balance")
    if rule == "information":
        bank.information(0.0)
    problem, remedy = "of two agents is not compared item by item", "compare capability or mean"
    ensure(agents == 1 or measure in SUMS, "measure", measure, problem, remedy)
    problem = "gives no interval for a difference"
    ensure(agents == 1 or rule != "information", "rule", rule, problem, "use rule='bayes'")
