"""The kernel: exact maximum-weight clique, compiled.

Branch and bound over bitsets. The bound splits the weight of each vertex over independent sets, of which
a clique meets each at most once (Babel 1994; Tavares 2016): the sum of what the sets carry bounds every
clique. The search keeps its stack in arrays, so that it can stop at any time, say what is certain so far,
and go on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba.cpython.unsafe import numbers as intrinsics

from gindex_lab.foundation import kernels
from gindex_lab.measures.programs.encode import IntArray

__all__ = ["Stack", "new_stack", "peel", "search", "still_open"]

Bits = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int32]

trailing_zeros: Any = intrinsics.trailing_zeros
# the folders with a similarity of their own (`similarity_of`): what the engine compiles depends on them
compiled = kernels.compiled(error_model="numpy", uses=("measures/programs", "worlds/flatland"))


class Stack(NamedTuple):
    """The state of a search: per level the candidates, the branches left with their bounds, the gain.

    `state` holds the level (-1 before the start), the best weight and the size of the best clique.
    """

    candidates: Bits
    order: Places
    bound: IntArray
    left: IntArray
    gain: IntArray
    path: Places
    best: Places
    residue: IntArray
    members: Places
    scratch: Bits
    state: IntArray


@compiled
def new_stack(vertices: int, levels: int) -> Stack:
    """Room for a search over so many vertices, and for cliques of at most `levels` of them."""
    words = (vertices + 63) // 64
    state = np.zeros(3, np.int64)
    state[0] = -1
    return Stack(
        np.zeros((levels + 1, words), np.uint64),
        np.zeros((levels + 1, vertices), np.int32),
        np.zeros((levels + 1, vertices), np.int64),
        np.zeros(levels + 1, np.int64),
        np.zeros(levels + 1, np.int64),
        np.zeros(levels + 1, np.int32),
        np.zeros(levels + 1, np.int32),
        np.zeros(vertices, np.int64),
        np.zeros(vertices, np.int32),
        np.zeros((2, words), np.uint64),
        state,
    )


@compiled
def colour(weight: IntArray, adjacent: Bits, words: int, level: int, stack: Stack) -> int:
    """Order the candidates of a level by a bound on every clique among those up to each.

    Repeatedly take a maximal independent set, subtract its least remaining weight from all its members
    and add it to the bound; a vertex whose weight is used up gets the bound reached. Those that cannot
    beat the best known clique are left out. Returns the work done, in words of bitsets.
    """
    need = stack.state[1] - stack.gain[level]
    rest, free = stack.scratch[0], stack.scratch[1]
    for k in range(words):
        rest[k] = stack.candidates[level, k]
        word = rest[k]
        while word:
            v = 64 * k + trailing_zeros(word)
            stack.residue[v] = weight[v]
            word &= word - np.uint64(1)
    total, count, work, start = 0, 0, words, 0
    while True:
        while start < words and not rest[start]:
            start += 1
        if start == words:
            break
        for k in range(start, words):
            free[k] = rest[k]
        size, least, k = 0, 2**62, start
        while k < words:
            if not free[k]:
                k += 1
                continue
            v = 64 * k + trailing_zeros(free[k])
            free[k] &= free[k] - np.uint64(1)
            for m in range(k, words):
                free[m] &= ~adjacent[v, m]
            work += words - k
            stack.members[size] = v
            size += 1
            least = min(least, stack.residue[v])
        total += least
        for s in range(size):
            v = stack.members[s]
            stack.residue[v] -= least
            if stack.residue[v] == 0:
                rest[v // 64] &= ~(np.uint64(1) << np.uint64(v % 64))
                if total > need:
                    stack.order[level, count] = v
                    stack.bound[level, count] = total
                    count += 1
    stack.left[level] = count
    return work


@compiled
def search(weight: IntArray, adjacent: Bits, vertices: int, stack: Stack, target: int, work: int) -> bool:
    """Go on with the search until it is complete, `target` is reached, or `work` is used up."""
    words = (vertices + 63) // 64
    state = stack.state
    if state[0] < 0:
        for k in range(words):
            stack.candidates[0, k] = np.uint64(0)
        for v in range(vertices):
            stack.candidates[0, v // 64] |= np.uint64(1) << np.uint64(v % 64)
        stack.gain[0] = 0
        state[0] = 0
        work -= colour(weight, adjacent, words, state[0], stack)
    level = state[0]
    while level >= 0 and state[1] < target and work > 0:
        last = stack.left[level] - 1
        if last < 0 or stack.gain[level] + stack.bound[level, last] <= state[1]:
            level -= 1
            continue
        v = stack.order[level, last]
        stack.left[level] = last
        stack.candidates[level, v // 64] &= ~(np.uint64(1) << np.uint64(v % 64))
        gain = stack.gain[level] + weight[v]
        stack.path[level] = v
        if gain > state[1]:
            state[1] = gain
            state[2] = level + 1
            for k in range(level + 1):  # assigning a slice to a slice takes 3 s to compile
                stack.best[k] = stack.path[k]
        some = np.uint64(0)
        for k in range(words):
            word = stack.candidates[level, k] & adjacent[v, k]
            stack.candidates[level + 1, k] = word
            some |= word
        work -= words
        if some:
            level += 1
            stack.gain[level] = gain
            work -= colour(weight, adjacent, words, level, stack)
    state[0] = max(level, 0)
    return level < 0 or state[1] >= target


@compiled
def still_open(stack: Stack) -> int:
    """The greatest weight that an interrupted search could still find; no limit before it begins."""
    if stack.state[0] < 0:
        return 2**62
    most = stack.state[1]
    for level in range(stack.state[0] + 1):
        if stack.left[level] > 0:
            most = max(most, stack.gain[level] + stack.bound[level, stack.left[level] - 1])
    return most


@compiled
def peel(weight: IntArray, adjacent: Bits, vertices: int, order: IntArray) -> None:
    """Order the vertices so that the bound is tight: the one with the lightest neighbourhood goes last,
    then the same among the rest (the degeneracy order, weighted)."""
    load, words = np.zeros(vertices, np.int64), (vertices + 63) // 64
    for v in range(vertices):
        for k in range(words):
            word = adjacent[v, k]
            while word:
                load[v] += weight[64 * k + trailing_zeros(word)]
                word &= word - np.uint64(1)
    for place in range(vertices - 1, -1, -1):
        v = -1
        for u in range(vertices):
            if load[u] >= 0 and (v < 0 or load[u] < load[v]):
                v = u
        order[place] = v
        load[v] = -1
        for k in range(words):
            word = adjacent[v, k]
            while word:
                u = 64 * k + trailing_zeros(word)
                if load[u] >= 0:
                    load[u] -= weight[v]
                word &= word - np.uint64(1)
