"""The compiled agents: what each knows (its mind), how it begins, and what it does with a percept.

Each agent equals its readable twin (`tests/oracles/aiq_learners.py`) to the last bit: the same sums in the
same order. Interaction t has three draws of its own, 3t for ties, 3t + 1 for the coin, 3t + 2 for the
exploring action: a draw that is not needed is not computed. Only pairs (state, action) with a trace are
visited: the others do not change.

`begin` and `perceive` are compiled for the type of the mind, so that the one loop of `episodes` becomes a
loop for each agent.
"""

from __future__ import annotations

from math import exp
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from gindex_lab.foundation.kernels import compiled
from gindex_lab.foundation.validate import FloatArray, IntArray
from gindex_lab.worlds.aiq.agents import HLQ, BuiltIn, Constant, Freq, QLearning, own_discount
from gindex_lab.worlds.aiq.program import MachineSettings
from gindex_lab.worlds.aiq.random_streams import uniform

__all__ = ["Mind", "Now", "begin", "mind_of", "perceive"]

# the authors' guards of softmax against overflow, and of visits against 0
LARGEST_EXPONENT, LEAST_TEMPERATURE, LEAST_VISITS = 595.0, 1e-4, 1e-100
_BLOCK = 32  # memory comes in blocks of this many pairs, which the processor takes several at a time
_U = np.uint64  # an unsigned index needs no check for counting from the end


class BlindMind(NamedTuple):
    """The one action that it always takes; -1 for any."""

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


Mind = BlindMind | FreqMind | QMind | HLQMind


def mind_of(agent: BuiltIn, discount: float, machine: MachineSettings) -> Mind:
    """An agent's parameters and empty memory, for a test with this `discount` on this machine."""
    if isinstance(agent, Freq):
        return FreqMind(float(agent.epsilon), float(agent.decay), *np.zeros((3, machine.symbols)))
    if isinstance(agent, QLearning | HLQ):
        pairs = machine.symbols ** (1 + machine.observations)
        gamma = own_discount(agent.discount, discount)
        shared = (agent.epsilon, agent.decay, gamma, agent.initial, gamma * agent.trace)
        epsilon, decay, gamma, initial, fade = map(float, shared)
        value, trace, visits = np.zeros((3, -(-pairs // _BLOCK) * _BLOCK))
        active = np.zeros(pairs, dtype=np.int64)
        if isinstance(agent, QLearning):
            rate = float(agent.rate)
            return QMind(epsilon, decay, gamma, initial, fade, rate, value, trace, active)
        keep, softmax = float(agent.trace), bool(agent.softmax)
        return HLQMind(epsilon, decay, gamma, initial, fade, keep, softmax, value, trace, visits, active)
    return BlindMind(agent.action if isinstance(agent, Constant) else -1)


class Now(NamedTuple):
    """What changes in every interaction: the last pair or action, ε, pairs with a trace, largest |Q|."""

    last: int
    epsilon: float
    active: int
    largest: float


@compiled(inline="always")
def _greedy(value: FloatArray, first: int, symbols: int, key: int, t: int) -> tuple[int, float]:
    """The best action of the state whose values begin at `first`, ties broken by the draw 3t; its value.

    Written without branches: which action is best is what the processor cannot foresee.
    """
    best, at, ties = value[_U(first)], 0, 1
    for b in range(1, symbols):
        candidate = value[_U(first + b)]
        at = b if candidate > best else at
        ties = 1 if candidate > best else ties + (candidate == best)
        best = candidate if candidate > best else best
    if ties > 1:
        wanted = int(uniform(key, 3 * t) * ties)
        while wanted > 0:
            at += 1
            if value[first + at] == best:
                wanted -= 1
    return at, best


@compiled(inline="always")
def _explored(greedy: int, symbols: int, epsilon: float, key: int, t: int) -> int:
    if uniform(key, 3 * t + 1) < epsilon:
        return int(uniform(key, 3 * t + 2) * symbols)
    return greedy


@compiled
def _weight(value: float, temperature: float, largest: float) -> float:
    scaled = value / temperature
    if largest > LARGEST_EXPONENT:
        scaled = scaled * LARGEST_EXPONENT / largest
    return exp(scaled)


@compiled
def _softmax(value: FloatArray, first: int, symbols: int, temperature: float, key: int, t: int) -> int:
    temperature = max(temperature, LEAST_TEMPERATURE)
    largest = 0.0
    for b in range(symbols):
        largest = max(largest, abs(value[first + b] / temperature))
    total = 0.0
    for b in range(symbols):
        total += _weight(value[first + b], temperature, largest)
    point, reached = uniform(key, 3 * t + 1), 0.0
    for b in range(symbols):
        reached += _weight(value[first + b], temperature, largest) / total
        if reached > point:
            return b
    return symbols - 1


@compiled(inline="always")
def _cooled(epsilon: float, final: float, decay: float) -> float:
    if decay == 0:
        return epsilon
    return epsilon - (1.0 - final) / decay if epsilon > final else final


@compiled(inline="always")
def _touch(trace: FloatArray, active: IntArray, count: int, pair: int) -> int:
    """E(s, a) += 1; returns how many pairs now have a trace."""
    if trace[_U(pair)] == 0.0:
        active[_U(count)] = pair
        count += 1
    trace[_U(pair)] += 1.0
    return count


@compiled(inline="always")
def _still_active(trace: FloatArray, active: IntArray, count: int) -> int:
    """Take the pairs whose trace has become 0 off the list; returns how many are left."""
    kept = 0
    for i in range(count):
        pair = active[_U(i)]
        active[_U(kept)] = pair
        kept += trace[_U(pair)] != 0.0
    return kept


@compiled(inline="always")
def _learn_q(mind: QMind, count: int, step: float, fade: float, largest: float) -> tuple[int, float]:
    """Q += α δ E, E *= fade; a trace that has become 0 leaves the list. Also the largest |Q| so far."""
    value, trace, active = mind.value, mind.trace, mind.active
    gone = 0
    for i in range(count):
        pair = _U(active[_U(i)])
        new = value[pair] + step * trace[pair]
        value[pair] = new
        largest = abs(new) if abs(new) > largest else largest
        left = trace[pair] * fade
        trace[pair] = left
        gone += left == 0.0
    return _still_active(trace, active, count) if gone else count, largest


@compiled(inline="always")
def _learn_hlq(
    mind: HLQMind, count: int, error: float, last: int, chosen: int, fade: float, largest: float
) -> tuple[int, float]:
    """Q += β δ, V *= λ, E *= fade; how many traces are left, and the largest |Q| so far."""
    value, trace, visits, active = mind.value, mind.trace, mind.visits, mind.active
    keep = mind.keep
    visits[_U(last)] += 1.0
    ahead = visits[_U(chosen)]
    weight = ahead - mind.discount * trace[_U(chosen)]
    gone = 0
    for i in range(count):
        pair = _U(active[_U(i)])
        own = 1.0 if pair == _U(chosen) else 0.0
        beta = trace[pair] / weight * (keep * ahead + own) / (keep * visits[pair] + own)
        new = value[pair] + beta * error
        value[pair] = new
        largest = abs(new) if abs(new) > largest else largest
        left = trace[pair] * fade
        trace[pair] = left
        gone += left == 0.0
    for each in range(len(visits)):
        less = keep * visits[each]
        visits[each] = less if less > LEAST_VISITS else LEAST_VISITS
    return _still_active(trace, active, count) if gone else count, largest


def begin(mind: Any) -> Now:
    """Forget everything: the start of an episode."""
    raise NotImplementedError  # compiled for each mind


def _begin_blind(mind):  # type: ignore[no-untyped-def]
    return Now(0, 0.0, 0, 0.0)


def _begin_freq(mind):  # type: ignore[no-untyped-def]
    mind.mean[:] = 0.0
    mind.total[:] = 0.0
    mind.times[:] = 1.0
    return Now(0, 1.0 if mind.decay > 0 else mind.epsilon, 0, 0.0)


def _begin_q(mind):  # type: ignore[no-untyped-def]
    mind.value[:] = mind.initial
    mind.trace[:] = 0.0
    return Now(0, 1.0 if mind.decay > 0 else mind.epsilon, 0, abs(mind.initial))


def _begin_hlq(mind):  # type: ignore[no-untyped-def]
    mind.visits[:] = 1.0
    mind.value[:] = mind.initial
    mind.trace[:] = 0.0
    return Now(0, 1.0 if mind.decay > 0 else mind.epsilon, 0, abs(mind.initial))


def perceive(
    mind: Any, now: Now, first: int, reward: float, symbols: int, key: int, t: int
) -> tuple[int, Now]:
    """Learn from `reward`, act in the state whose pairs begin at `first`: the action of interaction t."""
    raise NotImplementedError  # compiled for each mind


def _blind(mind, now, first, reward, symbols, key, t):  # type: ignore[no-untyped-def]
    return mind.action if mind.action >= 0 else int(uniform(key, 3 * t) * symbols), now


def _freq(mind, now, first, reward, symbols, key, t):  # type: ignore[no-untyped-def]
    last = _U(now.last)
    mind.total[last] += reward
    mind.times[last] += 1.0
    mind.mean[last] = mind.total[last] / mind.times[last]
    greedy, _ = _greedy(mind.mean, 0, symbols, key, t)
    action = _explored(greedy, symbols, now.epsilon, key, t)
    return action, Now(action, _cooled(now.epsilon, mind.epsilon, mind.decay), 0, 0.0)


def _q(mind, now, first, reward, symbols, key, t):  # type: ignore[no-untyped-def]
    value, last = mind.value, now.last
    greedy, best = _greedy(value, first, symbols, key, t)
    action = _explored(greedy, symbols, now.epsilon, key, t)
    error = reward + mind.discount * best - value[_U(last)]
    fade = mind.fade if action == greedy else 0.0
    count = _touch(mind.trace, mind.active, now.active, last)
    count, largest = _learn_q(mind, count, mind.rate * error, fade, now.largest)
    epsilon = _cooled(now.epsilon, mind.epsilon, mind.decay)
    return action, Now(first + action, epsilon, count, largest)


def _hlq(mind, now, first, reward, symbols, key, t):  # type: ignore[no-untyped-def]
    value, last = mind.value, now.last
    greedy, best = _greedy(value, first, symbols, key, t)
    if mind.softmax:
        action = _softmax(value, first, symbols, now.epsilon, key, t)
    else:
        action = _explored(greedy, symbols, now.epsilon, key, t)
    error = reward + mind.discount * best - value[_U(last)]
    fade = mind.fade if action == greedy else 0.0
    count = _touch(mind.trace, mind.active, now.active, last)
    count, largest = _learn_hlq(mind, count, error, last, first + action, fade, now.largest)
    epsilon = _cooled(now.epsilon, mind.epsilon, mind.decay)
    return action, Now(first + action, epsilon, count, largest)


_OF_MIND: dict[type, tuple[Any, Any]] = {  # how it begins, and what it does
    BlindMind: (_begin_blind, _blind),
    FreqMind: (_begin_freq, _freq),
    QMind: (_begin_q, _q),
    HLQMind: (_begin_hlq, _hlq),
}


@overload(begin, inline="always")
def _begin(mind):  # type: ignore[no-untyped-def]
    return _OF_MIND[mind.instance_class][0]


@overload(perceive, inline="always")
def _perceive(mind, now, first, reward, symbols, key, t):  # type: ignore[no-untyped-def]
    return _OF_MIND[mind.instance_class][1]
