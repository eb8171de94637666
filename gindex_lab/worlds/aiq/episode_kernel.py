"""The compiled episode: agent and machine in one loop, with nothing between them.

The loop is written once, and compiled once for each kind of agent that is used (see `agents_kernel`).

Kept apart so that `import gindex_lab` never loads numba.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.kernels import compiled
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.worlds.aiq.agents_kernel import begin, perceive
from gindex_lab.worlds.aiq.kernel import (
    HEAD,
    HIGH,
    LOW,
    MOST_STEPS,
    NO_RECORD,
    RING,
    WIDTH,
    Code,
    Registers,
    Symbols,
    assemble,
    cycle,
    reset,
    reward_of,
)
from gindex_lab.worlds.aiq.minds import IntArray, Mind
from gindex_lab.worlds.aiq.random_streams import AGENT, CHANCE, stream_key

__all__ = ["run_pairs"]

_U = np.uint64


@compiled(inline="always")
def _state(output: Symbols, reward_cell: int, symbols: int) -> int:
    """Where the pairs of the observed state begin: n Σ obs_i n^i."""
    if len(output) == 2:
        return output[_U(1 - reward_cell)] * symbols
    first, place = 0, symbols
    for cell in range(len(output)):
        if cell != reward_cell:
            first += output[_U(cell)] * place
            place *= symbols
    return first


# Nothing is allocated here, so references need not be counted: twice as fast for agents with memory.
@compiled(_nrt=False)
def _episode(
    mind: Mind,
    code: Code,
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
    now = begin(mind)
    head = low = high = draws = reached = 0
    reward, total, weight = 0.0, 0.0, 1.0
    for t in range(lengths[-1]):
        first = _state(output, reward_cell, symbols)
        action, now = perceive(mind, now, first, reward, symbols, key, t)
        steps, head, low, high, draws = cycle(
            code,
            symbols,
            work,
            history,
            output,
            (-1 - t) & (RING - 1),
            head,
            low,
            high,
            draws,
            chance,
            NO_RECORD,
            False,
            action,
        )
        if steps >= MOST_STEPS:
            break
        reward = rewards[_U(output[_U(reward_cell)])]
        total += weight * reward
        weight *= discount
        if t + 1 == lengths[_U(reached)]:
            totals[_U(reached)] = total
            reached += 1
    registers[HEAD], registers[LOW], registers[HIGH] = head, low, high
    return now.largest


@compiled
def run_pairs(
    mind: Mind,
    text: npt.NDArray[np.uint8],
    ends: IntArray,
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

    The programs stand one behind the other in `text`; program i ends at `ends[i]`. `rows` are the numbers
    that key the random streams. The second sign is not run when the first met the step limit.
    """
    start = 0
    for i in range(len(rows)):
        code = np.empty((ends[i] - start, WIDTH), dtype=np.int32)
        assemble(text[start : ends[i]], symbols, True, code)
        start = ends[i]
        for j in range(2):
            sign = 1 - 2 * j
            rewards = np.array([sign * reward_of(symbol, symbols) for symbol in range(symbols)])
            largest[i, j] = _episode(
                mind,
                code.ravel(),
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
