"""Who takes the AIQ test: Random, Constant, Freq, Q(λ), HLQ(λ), and the user's own agent.

An agent is a small frozen set of parameters; each run of the test starts it afresh. The learners are
compiled (`agents_kernel`); readable ones are in `tests/oracles/aiq_learners.py`. An agent of your own is any
class (or function that returns an object) with `perceive(observation, reward) -> action`; if it takes `seed`,
it gets one for each run, so that its results, too, can be repeated.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import AgentLike
from gindex_lab.foundation.validate import integer, number

__all__ = ["HLQ", "NAMES", "Constant", "Freq", "Own", "QLearning", "Random", "agent"]


_SHARE, _NUMBER = (0.0, 1.0), (-inf, inf)
_RANGES = {"epsilon": _SHARE, "trace": _SHARE, "rate": _SHARE, "initial": _NUMBER, "discount": (0.0, inf)}


class _Checked:
    """An agent's parameters, each within the range that its name has for all agents."""

    softmax = False
    discount = 0.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if name in ("action", "decay"):
                integer(name, value, 0)
            elif name in _RANGES:
                number(name, value, *((0, inf) if name == "epsilon" and self.softmax else _RANGES[name]))
        problem = "[out-of-range] must be below 1 for a Q-learner, or its values grow without bound"
        remedy = "use for instance 0.9, or 0 for the discount of the test"
        ensure(self.discount < 1, "discount", self.discount, problem, remedy)


@dataclass(frozen=True)
class Random:
    """Uniform actions: its AIQ is 0 by the symmetry of the two signs. (Legg and Veness 2013.)"""


@dataclass(frozen=True)
class Constant(_Checked):
    """One action all the time."""

    action: int = 0


@dataclass(frozen=True)
class Freq(_Checked):
    """The action with the best mean reward so far; explores with probability `epsilon`.

    With `decay` the probability falls from 1 to `epsilon` in that many interactions. (Legg and Veness 2013.)

    >>> agent("Freq,0.03")                  # a line of the authors' tables
    Freq(epsilon=0.03, decay=0)
    """

    epsilon: float = 0.05
    decay: int = 0


@dataclass(frozen=True)
class QLearning(_Checked):
    """Watkins' Q(λ) with the observation as its state: `trace` is λ, `rate` α, `discount` γ.

    `discount=0` means the discount of the test, which must then be below 1. (Watkins 1989; Watkins and Dayan
    1992, Machine Learning 8, 279-292.)

    >>> agent("Q_l,0.0,0.5,0.5,0.02,0.8") == QLearning()
    True
    """

    initial: float = 0.0
    trace: float = 0.5
    rate: float = 0.5
    epsilon: float = 0.02
    decay: int = 0
    discount: float = 0.8


@dataclass(frozen=True)
class HLQ(_Checked):
    """Hutter and Legg's Q(λ), which needs no learning rate; with `softmax`, `epsilon` is its temperature.

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
        super().__post_init__()
        ensure(self.trace, "trace", 0, "[out-of-range] forgets every visit at once", "use 0.9 to 0.999")


@dataclass(frozen=True, repr=False)
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

    def __repr__(self) -> str:
        return f"Own({self.name})"

    def fresh(self, seed: int) -> Any:
        """A new agent; `seed` is handed on if `make` asks for it."""
        try:
            seeded = "seed" in inspect.signature(self.make).parameters
        except (TypeError, ValueError):  # some compiled callables have no signature
            seeded = False
        new = self.make(seed=seed) if seeded else self.make()
        problem = "[no-method] has no method perceive(observation, reward)"
        remedy = "add one that returns the next action"
        ensure(callable(getattr(new, "perceive", None)), "agent", self.name, problem, remedy)
        return new


BuiltIn = Random | Constant | Freq | QLearning | HLQ
Agent = BuiltIn | Own

# what `agent` knows by name: the defaults above, and of the others the settings in use (softmax: a judgement)
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

    Parameters
    ----------
    spec : one of `NAMES`; a line such as "Freq,ε", "Q_l,initial,λ,α,ε,γ" or "H_l,mode,initial,λ,ε,γ"; an
        agent; a class, or a function that returns an object, with `perceive`; or such an object, which is
        copied for each run, so that it never carries over what it learnt

    Returns
    -------
    The agent's parameters.

    Examples
    --------
    >>> agent("hlq").trace
    0.99
    """
    if isinstance(spec, Agent):
        return spec
    if isinstance(spec, str):
        found = NAMES.get(spec) or _of_the_tables(spec)
        if found is not None:
            return found
    elif isinstance(spec, type) or (callable(spec) and not hasattr(spec, "perceive")):
        return Own(spec, getattr(spec, "__name__", "own agent"))
    elif callable(getattr(spec, "perceive", None)):
        return Own(lambda: copy.deepcopy(spec), type(spec).__name__)
    remedy = f"use {', '.join(map(repr, NAMES))}, or a class with perceive(observation, reward)"
    raise BadInput("agent", spec, "[not-an-agent] is not an agent", remedy)


def _of_the_tables(text: str) -> BuiltIn | None:
    """`Freq,ε`, `Q_l,initial,λ,α,ε,γ`, `H_l,mode,initial,λ,ε,γ`: the order of the published tables."""
    name, *rest = (part.strip() for part in text.split(","))
    try:
        values = [float(part) for part in rest]
    except ValueError:
        return None
    match name, values:
        case "Freq", [epsilon]:
            return Freq(epsilon)
        case "Q_l", [initial, trace, rate, epsilon, discount]:
            return QLearning(initial, trace, rate, epsilon, 0, discount)
        case "H_l" | "HLQ_l", [mode, initial, trace, epsilon, discount]:
            return HLQ(bool(mode), initial, trace, epsilon, 0, discount)
    return None


def own_discount(own: float, test: float) -> float:
    """An agent's γ: its own, or the test's where it has none."""
    problem = "[discount-of-one] is that of the test for an agent with discount=0, and must be below 1"
    remedy = "give the agent a discount of its own, such as 0.9"
    ensure(own or test < 1, "discount", test, problem, remedy)
    return own or test
