"""Who takes the anytime test: small frozen sets of parameters, wrappers, and the user's own agent.

An agent is started afresh in each environment (`players` holds the readable ones, `kernel` their compiled
twins). An agent of your own is a class, a function that returns an object, or an object, with
`act(observation, reward) -> action`; the first reward is 0, and None means to rest until the time is up.
A class or function may ask for `seed`, `actions` and `space` (T[cell][action]) by name. An object is used
as it is, so that it carries over what it learnt; a class is started afresh in each environment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import AgentLike
from gindex_lab.foundation.validate import integer, number

__all__ = [
    *("Constant", "Follower", "LuckyStopper", "Optimal", "Oracle", "Own", "QLearning", "Random", "Reactive"),
    *("Scripted", "Slow", "agent", "unwrapped"),
]


@dataclass(frozen=True)
class Random:
    """Uniform actions: 0 on average in every balanced environment. (Insa-Cabrera et al. 2011.)

    >>> agent("random") == Random()
    True
    """


@dataclass(frozen=True)
class Scripted:
    """The same actions over and over, whatever happens; a digit beyond the actions counts modulo n_a.

    >>> Scripted("0121")
    Scripted(script='0121')
    """

    script: str

    def __post_init__(self) -> None:
        digits = isinstance(self.script, str) and self.script.isdecimal()
        ensure(digits, "script", self.script, "[not-digits] is not a string of digits", "use e.g. '0121'")


@dataclass(frozen=True)
class Constant:
    """One action all the time (modulo n_a).

    >>> Constant(2)
    Constant(action=2)
    """

    action: int = 1

    def __post_init__(self) -> None:
        integer("action", self.action, 0)


@dataclass(frozen=True)
class Follower:
    """Goes to the cell where Good is, if adjacent; moves at random otherwise.

    Reference: Insa-Cabrera et al. (2011), LNCS 6830, 122-132.
    """


@dataclass(frozen=True)
class Oracle:
    """Knows where the pattern sends Good and Evil next, and takes the best immediate reward.

    It does not foresee collisions: where both would enter, it expects nothing. (Insa-Cabrera et al. 2011,
    LNCS 6830, 122-132.)
    """


@dataclass(frozen=True)
class Optimal:
    """The best policy by dynamic programming, over at most `horizon` steps ahead.

    It knows space, pattern and who is Good, though not the coins. In a session of at most `horizon` steps no
    policy has a higher expected reward; in a longer one it looks `horizon` steps ahead. It plans for
    `delta=0`. (Bellman 1957, Dynamic Programming.)

    >>> agent("optimal") == Optimal()
    True
    """

    horizon: int = 80

    def __post_init__(self) -> None:
        integer("horizon", self.horizon, 1)


@dataclass(frozen=True)
class QLearning:
    """Tabular Q-learning on what it observes, with rewards shifted to [0, 2].

    Q(s, a) += α (r + 1 + γ max Q(s', ·) - Q(s, a)); greedy with random ties, or ε-greedy. The defaults are
    those of the published comparison: α = .05, γ = .35, Q = 2 at first. (Insa-Cabrera et al. 2011, LNCS 6830,
    122-132.)
    """

    alpha: float = 0.05
    gamma: float = 0.35
    epsilon: float = 0.0
    initial: float = 2.0

    def __post_init__(self) -> None:
        number("alpha", self.alpha, 0, 1)
        problem = "[out-of-range] lets values grow without bound"
        ensure(number("gamma", self.gamma, 0, 1) < 1, "gamma", self.gamma, problem, "use e.g. 0.9")
        number("epsilon", self.epsilon, 0, 1)
        number("initial", self.initial)


@dataclass(frozen=True)
class Reactive:
    """Repeats an action that was rewarded, and tries another at random otherwise."""


@dataclass(frozen=True, repr=False)
class Own:
    """An agent of the user's: `make` gives it, `name` names it in tables and errors."""

    make: Callable[..., Any]
    name: str

    def __repr__(self) -> str:
        return f"Own({self.name})"


@dataclass(frozen=True)
class LuckyStopper:
    """Another agent that rests on its laurels: it stops when its mean reward is above `above`.

    Reference: Hernández-Orallo and Dowe (2010), Definition 16, which such agents cannot gain by.

    >>> LuckyStopper("random", above=0.3, after=10)
    LuckyStopper(agent=Random(), above=0.3, after=10)
    """

    agent: Any
    above: float = 0.0
    after: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "agent", agent(self.agent))
        number("above", self.above, -1, 1)
        integer("after", self.after, 1)


@dataclass(frozen=True)
class Slow:
    """Another agent that takes `cost` seconds for each action, on a virtual clock.

    >>> Slow("oracle", 0.5)
    Slow(agent=Oracle(), cost=0.5)
    """

    agent: Any
    cost: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "agent", agent(self.agent))
        problem = "[out-of-range] is not positive"
        ensure(number("cost", self.cost, 0), "cost", self.cost, problem, "use seconds above 0")


BuiltIn = Random | Scripted | Constant | Follower | Oracle | Optimal | QLearning | Reactive
Agent = BuiltIn | Own | LuckyStopper | Slow

NAMES: dict[str, BuiltIn] = {
    "random": Random(),
    "constant": Constant(),
    "reactive": Reactive(),
    "q-learning": QLearning(),
    "follower": Follower(),
    "oracle": Oracle(),
    "optimal": Optimal(),
}


def agent(spec: AgentLike) -> Agent:
    """An agent from its name, an agent, or the user's own class, function or object.

    Parameters
    ----------
    spec : one of `NAMES`; an agent; a class, or a function that makes an agent, which gives a new one for
        each environment and may ask for `seed`, `actions` and `space`; or an object with
        `act(observation, reward)`, which is used in all of them, and keeps what it has learnt

    Returns
    -------
    The agent's parameters.

    Examples
    --------
    >>> agent("oracle")
    Oracle()
    """
    if isinstance(spec, Agent):
        return spec
    if isinstance(spec, str) and spec in NAMES:
        return NAMES[spec]
    if isinstance(spec, type) or (callable(spec) and not hasattr(spec, "act")):
        return Own(spec, getattr(spec, "__name__", "own agent"))
    if callable(getattr(spec, "act", None)):
        return Own(lambda: spec, type(spec).__name__)
    remedy = f"use {', '.join(map(repr, NAMES))}, or a class with act(observation, reward)"
    raise BadInput("agent", spec, "[not-an-agent] is not an agent", remedy)


class Unwrapped(NamedTuple):
    """An agent without its wrappers, and what they said."""

    agent: BuiltIn | Own
    stop: tuple[float, int]
    cost: float | None


def unwrapped(spec: AgentLike) -> Unwrapped:
    """The agent inside, its stopping rule (mean, steps before) and its cost; the outermost counts."""
    inner, stop, cost = agent(spec), (inf, 1), None
    while isinstance(inner, LuckyStopper | Slow):
        if isinstance(inner, Slow):
            cost = inner.cost if cost is None else cost
        elif stop[0] == inf:
            stop = (inner.above, inner.after)
        inner = inner.agent
    return Unwrapped(inner, stop, cost)
