"""One loop for a program, for a person, and for the replay of a log: `gl.adaptive`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import AgentLike, SeedLike
from gindex_lab.measures.adaptive.bank import Bank, BankLike, bank_of
from gindex_lab.measures.adaptive.session import AdaptiveSession

__all__ = ["adaptive"]


def adaptive(
    agent: AgentLike,
    bank: BankLike,
    *,
    measure: str = "capability",
    rule: str = "bayes",
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
    measure : "capability", "mean", "spread" or "normalised_generality", on the whole bank
    rule : "bayes", "information" (calibrated banks), "stratified" or "random"
    width, threshold, budget : when to stop: the interval is that narrow; the threshold lies outside it (for
        two agents 0 unless given: they are told apart then); so many items were asked
    balance : ask of every family as often as its share of the bank
    exposure : the most likely that any item may be to be asked in a test

    Returns
    -------
    AdaptiveSession with `value`, `low`, `high`, `reason`, and `table`, the course of the test.

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
    >>> import numpy as np
    >>> bank = pd.Series(np.linspace(0, 10, 200))
    >>> found = adaptive(lambda item: float(bank[item] < 6), bank, width=2, seed=1)
    >>> found.reason, found.low <= 6 <= found.high, len(found.table) < 120
    ('width reached', True, True)
    """
    pair = isinstance(agent, tuple)
    agents = tuple(agent) if isinstance(agent, tuple) else (agent,)
    ensure(
        len(agents) == (2 if pair else 1),
        "agent",
        len(agents),
        "must be one agent or two",
        "give a pair",
    )
    if pair and threshold is None:
        threshold = 0.0
    session = AdaptiveSession(
        bank_of(bank),
        measure=measure,
        rule=rule,
        width=width,
        threshold=threshold,
        budget=budget,
        balance=balance,
        exposure=exposure,
        agents=len(agents),
        ci=ci,
        seed=seed,
    )
    if agents[0] is None and not pair:
        return session
    asked = [_asker(one, session.bank) for one in agents]
    while not session.finished:
        item = session.next_item()
        session.record([ask(item) for ask in asked])
    return session


def _asker(agent: AgentLike, bank: Bank) -> Callable[[Any], float]:
    if isinstance(agent, (pd.Series, Mapping)):
        missing = [item for item in bank.items.index if item not in agent]
        problem, remedy = "[no-response] has no response of the agent", "leave it out of the bank"
        ensure(not missing, "bank", missing[:1], problem, remedy)
        return lambda item: agent[item]
    if not callable(agent):
        remedy = "give a function, a Series of responses, or None for a person"
        raise BadInput("agent", type(agent).__name__, "[wrong-type] cannot be asked", remedy)
    return agent
