"""Compiled mathematics of a finite decision process: coarsest partition, best and worst mean reward.

A process is given as in `exact_kernel.explore`: the outcomes of state s and action a are the entries
`pointers[s n + a]` to `pointers[s n + a + 1] - 1` of `following` (next state), `labels` (what is seen) and
`weights` (probability times a power of n).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.kernels import compiled
from gindex_lab.worlds.aiq.random_streams import bits

__all__ = ["mean_rewards", "partition"]

Integers = npt.NDArray[np.int64]


@compiled
def partition(
    n: int, pointers: Integers, following: Integers, labels: Integers, weights: Integers, blocks: Integers
) -> npt.NDArray[np.uint64]:
    """Refine `blocks` to the coarsest probabilistic bisimulation; the signature of each (state, action).

    Two states are in one block if under every action the same labels and blocks follow with the same
    probabilities. A signature is a 64-bit hash of the law of (label, next block): a sum of whole numbers, so
    that nothing is rounded.
    """
    states = len(blocks)
    rows = np.empty((states, n), dtype=np.uint64)
    whole = np.empty(states, dtype=np.uint64)
    blocks[:] = 0
    found = 1
    while True:
        for s in range(states):
            combined = np.uint64(blocks[s])
            for a in range(n):
                law = np.uint64(0)
                for k in range(pointers[s * n + a], pointers[s * n + a + 1]):
                    law += np.uint64(weights[k]) * bits(blocks[following[k]], labels[k])
                rows[s, a] = law
                combined = bits(combined ^ law, a)
            whole[s] = combined
        order = np.argsort(whole)
        number = 0
        for k in range(states):
            if k > 0 and whole[order[k]] != whole[order[k - 1]]:
                number += 1
            blocks[order[k]] = number
        if number + 1 == found:
            return rows
        found = number + 1


@compiled
def mean_rewards(
    n: int,
    pointers: Integers,
    following: Integers,
    rewards: npt.NDArray[np.float64],
    weights: Integers,
    blocks: Integers,
    unit: float,
    horizon: int,
) -> tuple[float, float, float]:
    """Best, worst and random-action mean reward of `horizon` cycles from state 0, by value iteration.

    Runs on one state per block: bisimilar states have the same values.
    """
    count = blocks.max() + 1
    chosen = np.full(count, -1, dtype=np.int64)
    for s in range(len(blocks)):
        if chosen[blocks[s]] < 0:
            chosen[blocks[s]] = s
    values = np.zeros((3, count))
    for _ in range(horizon):
        new = np.zeros((3, count))
        for block in range(count):
            new[0, block], new[1, block] = -np.inf, np.inf
            for a in range(n):
                row = chosen[block] * n + a
                high = low = mean = 0.0
                for k in range(pointers[row], pointers[row + 1]):
                    chance = weights[k] / unit
                    after = blocks[following[k]]
                    high += chance * (rewards[k] + values[0, after])
                    low += chance * (rewards[k] + values[1, after])
                    mean += chance * (rewards[k] + values[2, after])
                new[0, block] = max(new[0, block], high)
                new[1, block] = min(new[1, block], low)
                new[2, block] += mean / n
        values = new
    start = blocks[0]
    return values[0, start] / horizon, values[1, start] / horizon, values[2, start] / horizon
