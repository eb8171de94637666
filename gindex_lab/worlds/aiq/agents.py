"""Who takes the AIQ test: Random, Constant, Freq, Q(λ), HLQ(λ), and the user's own agent.

An agent is a small frozen set of parameters; each run of the test starts it afresh. The learners are
compiled (`agents_kernel`); readable ones are in `tests/oracles/aiq_learners.py`. An agent of your own is any
class (or function that returns an object) with `perceive(observation, reward) -> action`; if it takes `seed`,
it gets one for each run, so that its results, too, can be repeated.

>>> agent("freq")
Freq(epsilon=0.05, decay=0)
>>> agent("Q_l,0.0,0.5,0.5,0.02,0.8")           # a line of the authors' tables
QLearning(initial=0.0, trace=0.5, rate=0.5, epsilon=0.02, decay=0, discount=0.8)
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import AgentLike
from gindex_lab.foundation.validate import integer, number

__all__ = ["HLQ", "NAMES", "Constant", "Freq", "Own", "QLearning", "Random", "agent", "describe"]


def _check_exploration(epsilon: float, decay: int) -> None:
    number("epsilon", epsilon, 0, 1)
    integer("decay", decay, 0)


def _check_discount(discount: float) -> None:
    if number("discount", discount, 0) >= 1:
        problem = "[out-of-range] must be below 1 for a Q-learner, or its values grow without bound"
        remedy = "use for instance 0.9, or 0 for the discount of the test"
        raise BadInput("discount", discount, problem, remedy)


class _WithoutValues:
    def limit(self, discount: float) -> float:
        """No values that could diverge."""
        return inf


@dataclass(frozen=True)
class Random(_WithoutValues):
    """Uniform actions: its AIQ is 0 by the symmetry of the two signs. (Legg and Veness 2013.)"""


@dataclass(frozen=True)
class Constant(_WithoutValues):
    """One action all the time."""

    action: int = 0

    def __post_init__(self) -> None:
        integer("action", self.action, 0)


@dataclass(frozen=True)
class Freq(_WithoutValues):
    """The action with the best mean reward so far; explores with probability `epsilon`.

    With `decay` the probability falls from 1 to `epsilon` in that many interactions.
    (Legg and Veness 2013.)

    >>> Freq(epsilon=1.5)
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: epsilon=1.5: is out of range; use a number between 0 and 1
    """

    epsilon: float = 0.05
    decay: int = 0

    def __post_init__(self) -> None:
        _check_exploration(self.epsilon, self.decay)


class _WithValues:
    trace: float
    discount: float

    def limit(self, discount: float) -> float:
        """|Q| beyond 100 (1 + λ) / (1 - γ) counts as "soft divergence"."""
        return 100.0 * (1.0 + self.trace) / (1.0 - own_discount(self.discount, discount))


@dataclass(frozen=True)
class QLearning(_WithValues):
    """Watkins' Q(λ) with the observation as its state: `trace` is λ, `rate` α, `discount` γ.

    `discount=0` means the discount of the test, which must then be below 1.
    (Watkins 1989; Watkins and Dayan 1992, Machine Learning 8, 279-292.)

    >>> agent("Q_l,0.0,0.5,0.5,0.02,0.8") == QLearning()
    True
    """

    initial: float = 0.0
    trace: float = 0.5
    rate: float = 0.5
    epsilon: float = 0.02
    decay: int = 0
    discount: float = 0.8

    def __post_init__(self) -> None:
        number("initial", self.initial)
        number("trace", self.trace, 0, 1)
        number("rate", self.rate, 0, 1)
        _check_exploration(self.epsilon, self.decay)
        _check_discount(self.discount)


@dataclass(frozen=True)
class HLQ(_WithValues):
    """Hutter and Legg's Q(λ), which needs no learning rate; ε-greedy, or softmax with temperature ε.

    Reference: Hutter and Legg (2007), Advances in Neural Information Processing Systems 20, 705-712.

    >>> agent("hlq") == HLQ()
    True
    """

    softmax: bool = False
    initial: float = 0.0
    trace: float = 0.99
    epsilon: float = 0.02
    decay: int = 0
    discount: float = 0.7

    def __post_init__(self) -> None:
        number("initial", self.initial)
        if number("trace", self.trace, 0, 1) == 0:
            problem = "[out-of-range] forgets every visit at once"
            raise BadInput("trace", 0, problem, "use 0.9 to 0.999")
        number("epsilon", self.epsilon, 0) if self.softmax else _check_exploration(self.epsilon, 0)
        integer("decay", self.decay, 0)
        _check_discount(self.discount)


@dataclass(frozen=True)
class Own:
    """The user's own agent: `make` gives a fresh one for each run.

    >>> class Repeater:
    ...     def perceive(self, observation, reward):
    ...         return observation[0]
    >>> agent(Repeater).fresh(seed=1).perceive([3], 0.0)
    3
    """

    make: Callable[..., Any]
    name: str

    def fresh(self, seed: int) -> Any:
        """A new agent; `seed` is handed on if `make` asks for it."""
        new = self.make(seed=seed) if _asks_for_seed(self.make) else self.make()
        if not callable(getattr(new, "perceive", None)):
            problem = "[no-method] has no method perceive(observation, reward)"
            raise BadInput("agent", self.name, problem, "add one that returns the next action")
        return new


BuiltIn = Random | Constant | Freq | QLearning | HLQ
Agent = BuiltIn | Own

NAMES: dict[str, BuiltIn] = {
    "random": Random(),
    "constant": Constant(),
    "freq": Freq(),
    "q0": QLearning(trace=0.0),
    "q-learning": QLearning(),
    "hlq": HLQ(),
    "hlq-softmax": HLQ(softmax=True, epsilon=0.5),
}


def agent(spec: AgentLike) -> Agent:
    """An agent from its name, a line of the authors' tables, an agent, or the user's own class or object.

    An object with `perceive` is copied afresh for each run, so that it never carries over what it learnt.

    >>> agent("hlq").trace
    0.99
    >>> agent("q")
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: agent='q': is not an agent; use 'random', 'constant', ...
    """
    if isinstance(spec, BuiltIn | Own):
        return spec
    if isinstance(spec, str):
        return NAMES[spec] if spec in NAMES else _of_the_tables(spec)
    if callable(spec) and not hasattr(spec, "perceive"):
        return Own(spec, getattr(spec, "__name__", "own agent"))
    if isinstance(spec, type):
        return Own(spec, spec.__name__)
    if callable(getattr(spec, "perceive", None)):
        return Own(lambda: copy.deepcopy(spec), type(spec).__name__)
    raise _unknown(spec)


def describe(who: Agent) -> str:
    """One line that tells agents apart: in logs and tables.

    >>> describe(Freq(0.03))
    'Freq(epsilon=0.03, decay=0)'
    """
    return f"Own({who.name})" if isinstance(who, Own) else repr(who)


def own_discount(own: float, test: float) -> float:
    """An agent's γ: its own, or the test's where it has none."""
    if own:
        return own
    if test >= 1:
        problem = "[discount-of-one] is that of the test for an agent with discount=0, and must be below 1"
        remedy = "give the agent a discount of its own, such as 0.9"
        raise BadInput("discount", test, problem, remedy)
    return test


def _of_the_tables(text: str) -> BuiltIn:
    """`Freq,ε`, `Q_l,initial,λ,α,ε,γ`, `H_l,mode,initial,λ,ε,γ`: the order of the published tables."""
    name, *rest = (part.strip() for part in text.split(","))
    try:
        values = [float(part) for part in rest]
    except ValueError:
        raise _unknown(text) from None
    if name == "Freq" and len(values) == 1:
        return Freq(values[0])
    if name == "Q_l" and len(values) == 5:
        initial, trace, rate, epsilon, discount = values
        return QLearning(initial, trace, rate, epsilon, 0, discount)
    if name in ("H_l", "HLQ_l") and len(values) == 5:
        mode, initial, trace, epsilon, discount = values
        return HLQ(bool(mode), initial, trace, epsilon, 0, discount)
    raise _unknown(text)


def _unknown(spec: AgentLike) -> BadInput:
    names = ", ".join(map(repr, NAMES))
    remedy = f"use {names}, or a class with perceive(observation, reward)"
    return BadInput("agent", spec, "[not-an-agent] is not an agent", remedy)


def _asks_for_seed(make: Callable[..., Any]) -> bool:
    try:
        return "seed" in inspect.signature(make).parameters
    except (TypeError, ValueError):  # some compiled callables have no signature
        return False
