"""What each built-in agent knows while it takes the AIQ test: its parameters and its memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.worlds.aiq.agents import HLQ, BuiltIn, Constant, Freq, QLearning, own_discount
from gindex_lab.worlds.aiq.program import MachineSettings

__all__ = ["ConstantMind", "FreqMind", "HLQMind", "Mind", "QMind", "RandomMind", "mind_of"]

IntArray = npt.NDArray[np.int64]
_BLOCK = 32  # memory comes in blocks of so many pairs, which the processor takes several at a time


class RandomMind(NamedTuple):
    """Knows nothing."""

    unused: int


class ConstantMind(NamedTuple):
    """Knows its action."""

    action: int


class FreqMind(NamedTuple):
    """Mean, total and number of each action's rewards."""

    epsilon: float
    decay: float
    mean: FloatArray
    total: FloatArray
    times: FloatArray


class QMind(NamedTuple):
    """Values and traces of pairs, and the list of pairs with a trace."""

    epsilon: float
    decay: float
    discount: float
    initial: float
    fade: float
    rate: float
    value: FloatArray
    trace: FloatArray
    active: IntArray


class HLQMind(NamedTuple):
    """As `QMind`, with discounted visits of pairs; `keep` is λ."""

    epsilon: float
    decay: float
    discount: float
    initial: float
    fade: float
    keep: float
    softmax: bool
    value: FloatArray
    trace: FloatArray
    visits: FloatArray
    active: IntArray


Mind = RandomMind | ConstantMind | FreqMind | QMind | HLQMind


def mind_of(agent: BuiltIn, discount: float, machine: MachineSettings) -> Mind:
    """An agent's parameters and empty memory, for a test with this `discount` on this machine.

    >>> from gindex_lab.worlds.aiq.agents import QLearning
    >>> mind_of(QLearning(trace=0.5, discount=0.8), 1.0, MachineSettings()).fade
    0.4
    """
    pairs = machine.symbols ** (1 + machine.observations)
    room = -(-pairs // _BLOCK) * _BLOCK
    if isinstance(agent, Constant):
        return ConstantMind(agent.action)
    if isinstance(agent, Freq):
        memory = np.zeros((3, machine.symbols))
        return FreqMind(float(agent.epsilon), float(agent.decay), *memory)
    if isinstance(agent, QLearning | HLQ):
        own = own_discount(agent.discount, discount)
        numbers = (agent.epsilon, agent.decay, own, agent.initial, own * agent.trace)
        epsilon, decay, gamma, initial, fade = map(float, numbers)
        value, trace, visits = np.zeros((3, room))
        active = np.zeros(pairs, dtype=np.int64)
        if isinstance(agent, QLearning):
            rate = float(agent.rate)
            return QMind(epsilon, decay, gamma, initial, fade, rate, value, trace, active)
        keep, softmax = float(agent.trace), bool(agent.softmax)
        return HLQMind(
            epsilon, decay, gamma, initial, fade, keep, softmax, value, trace, visits, active
        )
    return RandomMind(0)
