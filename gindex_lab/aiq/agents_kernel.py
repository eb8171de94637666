"""The compiled agents, and the episode: agent and machine in one loop, with nothing between them.

Each agent equals its readable twin in `learners` to the last bit: the same sums in the same order.
Interaction t has three draws of its own, 3t for ties, 3t + 1 for the coin, 3t + 2 for the exploring
action: a draw that is not needed is not computed. Only pairs (state, action) with a trace are visited:
the others do not change.

Kept apart so that `import gindex_lab` never loads numba.
"""

from __future__ import annotations

from math import exp

import numpy as np
import numpy.typing as npt
from numba import njit

from gindex_lab.aiq.fast_cycle import fast_cycle
from gindex_lab.aiq.kernel import MOST_STEPS, Registers, Symbols, reset, reward_of
from gindex_lab.aiq.random_streams import AGENT, CHANCE, stream_key, uniform
from gindex_lab.validate import FloatArray

__all__ = ["new_memory", "run_pairs"]

IntArray = npt.NDArray[np.int64]

RANDOM, CONSTANT, FREQ, Q, HLQ = range(5)
EPSILON, DECAY, DISCOUNT, INITIAL, TRACE, RATE = range(6)  # of a learner's parameters
SOFTMAX = RATE
VALUE, TRACES, VISITS = range(3)  # rows of the memory; of Freq: mean, total, count
LARGEST_EXPONENT = 595.0
LEAST_TEMPERATURE = 1e-4
LEAST_VISITS = 1e-100
_U = np.uint64  # an unsigned index needs no check for counting from the end


def new_memory(symbols: int, observations: int) -> tuple[FloatArray, IntArray]:
    """Room for what an agent knows of each pair, and for the list of pairs with a trace (its length first).

    >>> [array.shape for array in new_memory(5, 1)]
    [(3, 25), (26,)]
    """
    pairs = symbols ** (1 + observations)
    return np.zeros((3, pairs)), np.zeros(1 + pairs, dtype=np.int64)


@njit(cache=True, nogil=True, inline="always")
def _greedy(value: FloatArray, first: int, symbols: int, key: int, t: int) -> int:
    """The best action of the state whose values begin at `first`, ties broken by the draw 3t."""
    best, at, ties = value[_U(first)], 0, 1
    for b in range(1, symbols):
        candidate = value[_U(first + b)]
        if candidate > best:
            best, at, ties = candidate, b, 1
        elif candidate == best:
            ties += 1
    if ties > 1:
        wanted = int(uniform(key, 3 * t) * ties)
        while wanted > 0:
            at += 1
            if value[first + at] == best:
                wanted -= 1
    return at


@njit(cache=True, nogil=True, inline="always")
def _explored(greedy: int, symbols: int, epsilon: float, key: int, t: int) -> int:
    if uniform(key, 3 * t + 1) < epsilon:
        return int(uniform(key, 3 * t + 2) * symbols)
    return greedy


@njit(cache=True, nogil=True, inline="always")
def _cooled(epsilon: float, parameters: FloatArray) -> float:
    if parameters[DECAY] == 0:
        return epsilon
    if epsilon > parameters[EPSILON]:
        return epsilon - (1.0 - parameters[EPSILON]) / parameters[DECAY]
    return parameters[EPSILON]


@njit(cache=True, nogil=True, inline="always")
def _freq(
    mean: FloatArray,
    total: FloatArray,
    count: FloatArray,
    last: int,
    reward: float,
    symbols: int,
    epsilon: float,
    key: int,
    t: int,
) -> int:
    total[_U(last)] += reward
    count[_U(last)] += 1.0
    mean[_U(last)] = total[_U(last)] / count[_U(last)]
    return _explored(_greedy(mean, 0, symbols, key, t), symbols, epsilon, key, t)


@njit(cache=True, nogil=True)
def _softmax(
    value: FloatArray, first: int, symbols: int, temperature: float, key: int, t: int
) -> int:
    temperature = max(temperature, LEAST_TEMPERATURE)
    largest = 0.0
    for b in range(symbols):
        largest = max(largest, abs(value[first + b] / temperature))
    weights, total = np.empty(symbols), 0.0
    for b in range(symbols):
        scaled = value[first + b] / temperature
        if largest > LARGEST_EXPONENT:
            scaled = scaled * LARGEST_EXPONENT / largest
        weights[b] = exp(scaled)
        total += weights[b]
    point, reached = uniform(key, 3 * t + 1), 0.0
    for b in range(symbols):
        reached += weights[b] / total
        if reached > point:
            return b
    return symbols - 1


@njit(cache=True, nogil=True, inline="always")
def _touch(trace: FloatArray, active: IntArray, pair: int) -> None:
    """E(s, a) += 1."""
    if trace[_U(pair)] == 0.0:
        active[0] += 1
        active[_U(active[0])] = pair
    trace[_U(pair)] += 1.0


@njit(cache=True, nogil=True, inline="always")
def _learn_q(
    value: FloatArray, trace: FloatArray, active: IntArray, step: float, fade: float
) -> float:
    """Q += α δ E, E *= fade; a trace that has become 0 leaves the list. Returns the largest |Q| touched."""
    kept, largest = 0, 0.0
    for i in range(1, active[0] + 1):
        pair = _U(active[_U(i)])
        value[pair] += step * trace[pair]
        largest = max(largest, abs(value[pair]))
        trace[pair] *= fade
        if trace[pair] != 0.0:
            kept += 1
            active[_U(kept)] = pair
    active[0] = kept
    return largest


@njit(cache=True, nogil=True, inline="always")
def _learn_hlq(
    value: FloatArray,
    trace: FloatArray,
    visits: FloatArray,
    active: IntArray,
    parameters: FloatArray,
    error: float,
    last: int,
    chosen: int,
    fade: float,
) -> float:
    """Q += β δ, V *= λ, E *= fade; returns the largest |Q| touched."""
    decay, kept, largest = parameters[TRACE], 0, 0.0
    visits[_U(last)] += 1.0
    ahead = visits[_U(chosen)]
    weight = ahead - parameters[DISCOUNT] * trace[_U(chosen)]
    for i in range(1, active[0] + 1):
        pair = _U(active[_U(i)])
        own = 1.0 if pair == _U(chosen) else 0.0
        beta = trace[pair] / weight * (decay * ahead + own) / (decay * visits[pair] + own)
        value[pair] += beta * error
        largest = max(largest, abs(value[pair]))
        trace[pair] *= fade
        if trace[pair] != 0.0:
            kept += 1
            active[_U(kept)] = pair
    active[0] = kept
    for each in range(len(visits)):
        visits[each] = max(decay * visits[each], LEAST_VISITS)
    return largest


@njit(cache=True, nogil=True, inline="always")
def _q(
    kind: int,
    parameters: FloatArray,
    value: FloatArray,
    trace: FloatArray,
    visits: FloatArray,
    active: IntArray,
    last: int,
    reward: float,
    first: int,
    symbols: int,
    epsilon: float,
    key: int,
    t: int,
) -> tuple[int, float]:
    """The action in the state whose pairs begin at `first`, and the largest |Q| touched."""
    greedy = _greedy(value, first, symbols, key, t)
    if kind == HLQ and parameters[SOFTMAX] > 0:
        action = _softmax(value, first, symbols, epsilon, key, t)
    else:
        action = _explored(greedy, symbols, epsilon, key, t)
    discount = parameters[DISCOUNT]
    error = reward + discount * value[_U(first + greedy)] - value[_U(last)]
    fade = discount * parameters[TRACE] if action == greedy else 0.0
    _touch(trace, active, last)
    if kind == Q:
        largest = _learn_q(value, trace, active, parameters[RATE] * error, fade)
    else:
        largest = _learn_hlq(
            value, trace, visits, active, parameters, error, last, first + action, fade
        )
    return action, largest


@njit(cache=True, nogil=True)
def _clear(kind: int, parameters: FloatArray, memory: FloatArray, active: IntArray) -> None:
    memory[VALUE] = parameters[INITIAL] if kind >= Q else 0.0
    memory[TRACES] = 0.0
    memory[VISITS] = 1.0
    active[0] = 0


@njit(cache=True, nogil=True)
def _episode(
    kind: int,
    parameters: FloatArray,
    memory: FloatArray,
    active: IntArray,
    operations: npt.NDArray[np.int8],
    arguments: npt.NDArray[np.int32],
    work: Symbols,
    history: Symbols,
    output: Symbols,
    registers: Registers,
    symbols: int,
    reward_cell: int,
    chance: int,
    key: int,
    rewards: FloatArray,
    discount: float,
    lengths: IntArray,
    totals: FloatArray,
) -> float:
    """One run: discounted totals at each of the `lengths`; returns the largest |Q| of a Q-learner."""
    reset(work, history, output, registers, symbols)
    _clear(kind, parameters, memory, active)
    value, trace, visits = memory[VALUE], memory[TRACES], memory[VISITS]
    epsilon = 1.0 if kind >= FREQ and parameters[DECAY] > 0 else parameters[EPSILON]
    largest = abs(parameters[INITIAL]) if kind >= Q else 0.0
    reward, total, weight, reached, last = 0.0, 0.0, 1.0, 0, 0
    for t in range(lengths[-1]):
        if kind == RANDOM:
            action = int(uniform(key, 3 * t) * symbols)
        elif kind == CONSTANT:
            action = int(parameters[0])
        elif kind == FREQ:
            action = _freq(value, trace, visits, last, reward, symbols, epsilon, key, t)
            last = action
            epsilon = _cooled(epsilon, parameters)
        else:
            first, place = 0, symbols
            for cell in range(len(output)):
                if cell != reward_cell:
                    first += output[cell] * place
                    place *= symbols
            action, touched = _q(
                kind,
                parameters,
                value,
                trace,
                visits,
                active,
                last,
                reward,
                first,
                symbols,
                epsilon,
                key,
                t,
            )
            largest = max(largest, touched)
            last = first + action
            epsilon = _cooled(epsilon, parameters)
        steps = fast_cycle(
            operations,
            arguments,
            symbols,
            work,
            history,
            output,
            registers,
            chance,
            action,
        )
        if steps >= MOST_STEPS:
            break
        reward = rewards[_U(output[reward_cell])]
        total += weight * reward
        weight *= discount
        if t + 1 == lengths[reached]:
            totals[reached] = total
            reached += 1
    return largest


@njit(cache=True, nogil=True)
def run_pairs(
    kind: int,
    parameters: FloatArray,
    memory: FloatArray,
    active: IntArray,
    operations: npt.NDArray[np.int8],
    arguments: npt.NDArray[np.int32],
    starts: IntArray,
    rows: IntArray,
    work: Symbols,
    history: Symbols,
    output: Symbols,
    registers: Registers,
    symbols: int,
    reward_cell: int,
    seed: int,
    discount: float,
    lengths: IntArray,
    totals: FloatArray,
    largest: FloatArray,
) -> None:
    """Both signs of each program: `totals` (programs x signs x lengths, NaN after overtime) is filled.

    The programs' operations stand one behind the other; program i begins at `starts[i]`. `rows` are the
    numbers that key the random streams. The second sign is not run when the first met the step limit.
    """
    for i in range(len(rows)):
        code = slice(starts[i], starts[i + 1])
        for j in range(2):
            sign = 1 - 2 * j
            rewards = np.array([sign * reward_of(symbol, symbols) for symbol in range(symbols)])
            largest[i, j] = _episode(
                kind,
                parameters,
                memory,
                active,
                operations[code],
                arguments[code],
                work,
                history,
                output,
                registers,
                symbols,
                reward_cell,
                stream_key(seed, rows[i], 0, sign, CHANCE),
                stream_key(seed, rows[i], 0, sign, AGENT),
                rewards,
                discount,
                lengths,
                totals[i, j],
            )
            if np.isnan(totals[i, j, -1]):
                break
