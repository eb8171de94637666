"""The compiled exact analysis: all states that a program can reach, and what their decision process is worth.

The memory between cycles is the work tape around the head, the recent actions that can still be read, and
outputs that may be returned again. `explore` visits the reachable memories breadth-first, over all actions
and all outcomes of chance. What it must keep is found on the way: it starts with the least (no history, no
stale output, no cells outside the reach of the head) and stops with `GROW` when a cycle shows that more is
needed; the caller then starts it again.

When it ends with `CLOSED`, the environment is a finite Markov decision process, exact until the head has
gone once round the tape. The outcomes of state s and action a are the entries `pointers[s n + a]` to
`pointers[s n + a + 1] - 1` of `following` (next state), `labels` (what is seen) and `weights`, with which
`partition` and `mean_rewards` compute.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.kernels import compiled
from gindex_lab.foundation.validate import FloatArray, IntArray
from gindex_lab.worlds.aiq.program import MOST_STEPS
from gindex_lab.worlds.aiq.random_streams import bits

__all__ = ["CLOSED", "GROW", "NEEDS", "explore", "mean_rewards", "most_draws", "partition"]

# how a search ends; `exact.REASONS` has the words
CLOSED, GROW, STATES, BRANCHES, CELLS, OVERTIME, READS, BUDGET = range(8)
# what must be kept: history, drift (least and most), reach of the head, which outputs may be stale
HISTORY, DRIFT_LOW, DRIFT_HIGH, REACH_LOW, REACH_HIGH, STALE = range(6)
NEEDS = 6  # how many there are
# Judgements: what is beyond them would meet the caps on states as well. Cells kept on each side of the head,
# cells of the tape on each side, draws of chance and past actions that are followed, outcomes of an action.
RADIUS, _MARGIN, MOST_DRAWS, MOST_HISTORY, _BRANCHES = 20, 64, 24, 5, 700
_WIDTH = 2 * RADIUS + 1
_I: Any = np.int64
_PLUS, _MINUS, _RIGHT, _LEFT, _READ, _WRITE, _CHANCE, _OPEN, _CLOSE, _END = (
    ord(letter) for letter in "+-><,.%[]#"
)

Symbols = npt.NDArray[np.int8]


@compiled
def most_draws(n: int) -> int:
    """How many draws of one cycle are followed: n to this power must stay a whole number of 64 bits."""
    draws, weight = 0, 1
    while draws < MOST_DRAWS and weight < 2**62 // n:
        draws, weight = draws + 1, weight * n
    return draws


@compiled
def _cycle(
    text: npt.NDArray[np.uint8],
    jumps: IntArray,
    settled: npt.NDArray[np.bool_],
    n: int,
    tape: Symbols,
    history: Symbols,
    output: Symbols,
    draws: IntArray,
    known: int,
    covered: npt.NDArray[np.bool_],
    seen: IntArray,
) -> int:
    """One cycle with the chance outcomes `draws[:known]`, then zeros; returns 0, or why it failed.

    `settled` marks what needs no draw: loops that surely end, and chance that is overwritten at once.
    `seen`: draws used, reads, head at the end, its lowest and highest place, writes, steps, limit hit.
    """
    blank = (n - 1) // 2
    head = low = high = 0
    used = reads = writes = steps = place = 0
    limit = len(output)
    while writes < limit:
        if steps >= MOST_STEPS:
            return OVERTIME
        letter = text[place]
        covered[place] = True
        steps += 1
        cell = head + _MARGIN
        if letter == _PLUS:
            tape[cell] = (tape[cell] + 1) % n
        elif letter == _MINUS:
            tape[cell] = (tape[cell] + n - 1) % n
        elif letter in (_RIGHT, _LEFT):
            head += 1 if letter == _RIGHT else -1
            low, high = min(low, head), max(high, head)
            if abs(head) >= _MARGIN - RADIUS - 1:
                return CELLS
        elif letter == _READ:
            if reads >= len(history):
                seen[1] = reads + 1
                return READS
            tape[cell] = history[reads]
            reads += 1
        elif letter == _WRITE:
            output[writes] = tape[cell]
            writes += 1
        elif letter == _CHANCE:
            if not settled[place]:
                if used >= len(draws):
                    return BRANCHES
                if used >= known:
                    draws[used] = 0
                tape[cell] = draws[used]
                used += 1
        elif letter == _OPEN:
            if tape[cell] == blank:
                place = jumps[place]
            elif settled[place]:
                # such a loop ends with probability one, and leaves a blank
                covered[place : jumps[place] + 1] = True
                tape[cell] = blank
                place = jumps[place]
        elif letter == _CLOSE:
            if tape[cell] != blank:
                place = jumps[place]
        else:
            break
        place += 1
    seen[0], seen[1], seen[2], seen[3], seen[4] = used, reads, head, low, high
    seen[5], seen[6] = writes, steps
    seen[7] = 1 if writes >= limit else 0
    return CLOSED


@compiled
def _hash(row: Symbols) -> np.uint64:
    value = np.uint64(1469598103934665603)
    for symbol in row:
        value = (value ^ np.uint64(symbol + 1)) * np.uint64(1099511628211)
    return value ^ (value >> np.uint64(29))


@compiled
def _find(states: Symbols, count: int, table: IntArray, row: Symbols) -> int:
    """The number of a state; a new one is put into the table, its row stored by the caller."""
    mask = len(table) - 1
    slot = np.int64(_hash(row) & np.uint64(mask))
    while table[slot] >= 0:
        if (states[table[slot]] == row).all():
            return table[slot]
        slot = (slot + 1) & mask
    table[slot] = count
    return count


@compiled
def _grown(needs: IntArray, seen: IntArray, cells: int) -> bool:
    """Take note of what this cycle shows to be needed; True if that is more than was known."""
    head, low, high, stale = seen[2], seen[3], seen[4], cells - seen[5]
    if (
        needs[DRIFT_LOW] <= head <= needs[DRIFT_HIGH]
        and needs[REACH_LOW] <= low
        and high <= needs[REACH_HIGH]
        and stale <= needs[STALE]
    ):
        return False
    needs[DRIFT_LOW] = min(needs[DRIFT_LOW], head)
    needs[DRIFT_HIGH] = max(needs[DRIFT_HIGH], head)
    needs[REACH_LOW] = min(needs[REACH_LOW], low)
    needs[REACH_HIGH] = max(needs[REACH_HIGH], high)
    needs[STALE] = max(needs[STALE], stale)
    return True


@compiled
def _memory(
    tape: Symbols,
    seen: IntArray,
    history: Symbols,
    output: Symbols,
    needs: IntArray,
    blank: int,
    row: Symbols,
) -> bool:
    """Write the memory after a cycle into `row`; False if cells are left that do not fit."""
    row[:] = blank
    lowest = needs[REACH_LOW] if needs[DRIFT_LOW] >= 0 else -2 * _MARGIN
    highest = needs[REACH_HIGH] if needs[DRIFT_HIGH] <= 0 else 2 * _MARGIN
    head = seen[2]
    first = max(min(-RADIUS, seen[3]), lowest + head)  # all else is blank, or out of reach
    last = min(max(RADIUS, seen[4]), highest + head)
    for cell in range(_MARGIN + first, _MARGIN + last + 1):
        if tape[cell] != blank:
            place = cell - _MARGIN - head
            if abs(place) > RADIUS:
                return False
            row[place + RADIUS] = tape[cell]
    kept = needs[HISTORY] - 1
    for k in range(kept):
        row[_WIDTH + k] = history[k]
    for k in range(needs[STALE]):  # outputs are written in order: the last ones may be stale
        row[_WIDTH + kept + k] = output[len(output) - 1 - k]
    return True


@compiled
def _recall(
    memory: Symbols, tape: Symbols, history: Symbols, output: Symbols, needs: IntArray, blank: int
) -> None:
    """The inverse of `_memory`: put tape, history and outputs back (in loops, which compile fast)."""
    tape[:] = blank
    output[:] = blank
    for k in range(_WIDTH):
        tape[_MARGIN - RADIUS + k] = memory[k]
    kept = needs[HISTORY] - 1
    for k in range(kept):
        history[1 + k] = memory[_WIDTH + k]
    for k in range(needs[STALE]):
        output[len(output) - 1 - k] = memory[_WIDTH + kept + k]


@compiled
def explore(
    text: npt.NDArray[np.uint8],
    jumps: IntArray,
    settled: npt.NDArray[np.bool_],
    n: int,
    cells: int,
    needs: IntArray,
    most_states: int,
    most_transitions: int,
    most_steps: int,
    covered: npt.NDArray[np.bool_],
    limits: IntArray,
) -> tuple[int, int, IntArray, IntArray, IntArray, IntArray]:
    """Status, number of states, and the transitions: row pointers (state x action), next, output, weight.

    The weight of an outcome is its probability times n^k, k = `most_draws(n)`. `limits` counts cycles that
    ended at the write limit, and at `#`.
    """
    blank = (n - 1) // 2
    size = _WIDTH + needs[HISTORY] - 1 + needs[STALE]
    states = np.full((most_states, size), blank, dtype=np.int8)
    slots = 4
    while slots < 4 * most_states:
        slots *= 2
    table = np.full(slots, -1, dtype=np.int64)
    pointers = np.zeros(most_states * n + 1, dtype=np.int64)
    following = np.empty(most_transitions, dtype=np.int64)
    written = np.empty(most_transitions, dtype=np.int64)
    weights = np.empty(most_transitions, dtype=np.int64)
    tape = np.empty(2 * _MARGIN + 1, dtype=np.int8)
    history = np.empty(needs[HISTORY], dtype=np.int8)
    output = np.empty(cells, dtype=np.int8)
    draws = np.zeros(most_draws(n), dtype=np.int64)
    seen = np.zeros(8, dtype=np.int64)
    row = np.empty(size, dtype=np.int8)
    # _I: with a literal number, numba would compile what it is passed to once more
    count, total, steps, at = _I(1), 0, 0, 0
    _find(states, count - 1, table, states[0])
    status = CLOSED
    while at < count and status == CLOSED:
        for action in range(n):
            first, branches, known = total, 0, _I(0)
            while status == CLOSED:
                _recall(states[at], tape, history, output, needs, blank)
                history[0] = action
                status = _cycle(text, jumps, settled, n, tape, history, output, draws, known, covered, seen)
                if status == READS and seen[1] <= MOST_HISTORY:
                    needs[HISTORY] = seen[1]
                    status = GROW
                if status != CLOSED:
                    break
                steps += seen[6] + 20
                branches += 1
                limits[1 - seen[7]] += 1
                if _grown(needs, seen, cells):
                    status = GROW
                elif not _memory(tape, seen, history, output, needs, blank, row):
                    status = CELLS
                elif branches > _BRANCHES:
                    status = BRANCHES
                elif total >= most_transitions or steps > most_steps:
                    status = BUDGET
                if status != CLOSED:
                    break
                target = _find(states, count, table, row)
                if target == count:
                    if count >= most_states:
                        status = STATES
                        break
                    for k in range(size):
                        states[count, k] = row[k]
                    count += 1
                code = 0
                for k in range(cells):
                    code = code * n + output[k]
                place = first
                while place < total and (following[place] != target or written[place] != code):
                    place += 1
                if place == total:
                    following[total], written[total], weights[total] = target, code, 0
                    total += 1
                weights[place] += np.int64(n) ** (len(draws) - seen[0])
                known = seen[0]  # the next outcome of chance: the last draw that can still rise
                while known > 0 and draws[known - 1] == n - 1:
                    known -= 1
                if known == 0:
                    break
                draws[known - 1] += 1
            pointers[at * n + action + 1] = total
            if status != CLOSED:
                break
        at += 1
    return status, count, pointers[: count * n + 1], following[:total], written[:total], weights[:total]


@compiled
def partition(
    n: int, pointers: IntArray, following: IntArray, labels: IntArray, weights: IntArray, blocks: IntArray
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
    pointers: IntArray,
    following: IntArray,
    rewards: FloatArray,
    weights: IntArray,
    blocks: IntArray,
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
