"""The compiled enumeration of letter-series programs, with lazy branching.

A program is executed while it is written: an instruction is chosen only when the machine fetches the first
address that is still empty. Jumps only go back, so addresses fill in order, and programs that differ in
what is never reached are one. A branch is cut when its output leaves the pattern, when its Kt can no longer
stay below the bound, or when it is silent for too long.

A state is a row of seven numbers: registers `A`, `B`, `C`, letters written `OUT`, `STEPS`, the steps when
letter number `n_time` was written `TIME`, and the steps at the last letter `LAST`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.kernels import compiled
from gindex_lab.worlds.tasks.letter_series.machine import USELESS

__all__ = ["MOST_STEPS", "enumerate_outputs", "search"]

A, B, C, OUT, STEPS, TIME, LAST = range(7)  # places of a state
_DEAD, _NEXT, _DONE = 0, 1, 2
# steps without a letter after which a program counts as lost in a loop: a judgement (26 rounds of ten
# instructions are 260)
SILENT = 1000
# steps of all programs that a search tries: some ten seconds, a judgement
MOST_STEPS = 1_500_000_000
Ints = npt.NDArray[np.int64]


@compiled
def _limits(longest: int, offset: float, bound: float) -> npt.NDArray[np.float64]:
    """For each length, the steps at which Kt reaches the bound."""
    lengths = np.arange(longest + 2).astype(np.float64)
    return 2.0 ** (bound - lengths) - offset + 1e-9


@compiled
def _execute(
    program: Ints,
    filled: int,
    state: Ints,
    out: Ints,
    pattern: Ints,
    first: int,
    total: int,
    n_time: int,
    limit: float,
) -> int:
    """Run from address `filled - 1` until an empty address is fetched, the output is whole, or no hope.

    `limit` is the latest step at which letter `n_time` may be written.
    """
    pc = filled - 1
    a, b, c, o, s, t, last = state
    verdict = _NEXT
    while pc < filled:
        op = program[pc]
        pc += 1
        s += 1
        if op == 0:
            out[o] = a
            known = first <= o < len(pattern) and pattern[o] >= 0
            if known and (a - out[first] - pattern[o] + pattern[first]) % 26 != 0:
                verdict = _DEAD
                break
            o += 1
            last = s
            if o == n_time:
                t = s
                if t > limit:
                    verdict = _DEAD
                    break
            if o == total:
                verdict = _DONE
                break
        elif op == 1:
            a = (a + 1) % 26
        elif op == 2:
            a = (a + 25) % 26
        elif op <= 5:
            c = (c + 25) % 26
            if c != 0:
                pc = 0 if op == 3 else max(pc - (4 if op == 4 else 7), 0)
        elif op == 6:
            a = b
        elif op == 7:
            b = a
        elif op == 8:
            a = c
        else:
            c = a
        if s - last > SILENT or (o < n_time and s + n_time - o > limit):
            verdict = _DEAD
            break
    state[A], state[B], state[C], state[OUT] = a, b, c, o
    state[STEPS], state[TIME], state[LAST] = s, t, last
    return verdict


@compiled
def _copy(values: Ints, to: Ints) -> None:
    """`to[: len(values)] = values`, which takes 3 s more to compile."""
    for i in range(len(values)):
        to[i] = values[i]


@compiled
def _packed(program: Ints, filled: int) -> int:
    code = 0
    for k in range(filled - 1, -1, -1):
        code = (code << 4) | (program[k] + 1)
    return code


@compiled
def _advance(program: Ints, k: int) -> int:
    """The next canonical program in order: where it ends, -1 after the last."""
    while k >= 0:
        program[k] += 1
        if program[k] == 10:
            program[k] = -1
            k -= 1
        elif k == 0 or not USELESS[program[k - 1], program[k]]:
            return k
    return k


@compiled
def _pointless(
    op: int, filled: int, state: Ints, longest: int, total: int, n_time: int, limits: npt.NDArray[np.float64]
) -> bool:
    """Whether instruction number `filled` cannot lead to an answer that is not found without it.

    A short jump that reaches the first instruction does what LOOPTOP does, which was tried before. The
    last instruction that there is room for must jump back or write the last letter: after any other the
    program halts.
    """
    if (op == 4 and filled <= 4) or (op == 5 and filled <= 7):
        return True
    if 3 <= op <= 5 or (op == 0 and state[OUT] + 1 == total):
        return False
    missing = n_time - state[OUT] - (op == 0)
    ahead = state[STEPS] + 1 + missing if missing > 0 else 0
    return filled == longest or ahead > limits[filled + 1]


@compiled
def search(
    pattern: Ints, gap: int, longest: int, n_time: int, offset: float, bound: float, margin: float
) -> tuple[npt.NDArray[np.float64], Ints, Ints, Ints, int]:
    """The cheapest program for each letter at `gap` of the pattern (-1 there), up to rotation of the
    alphabet: cost, length, steps and packed program of each of 26 letters, and the steps of all programs
    tried; after `MOST_STEPS` of these the search is given up.

    Letters that cost more than the cheapest and `margin`, or more than `bound`, are left out (inf). A
    pattern without a gap has `gap` -1, and its answer stands under letter 0.
    """
    stack = np.zeros((longest + 2, 7), np.int64)
    program = np.full(longest + 2, -1, np.int64)
    total = max(len(pattern), n_time)
    out = np.zeros(total + 1, np.int64)
    cost = np.full(26, np.inf)
    length, steps, code = np.zeros(26, np.int64), np.zeros(26, np.int64), np.zeros(26, np.int64)
    first = 1 if pattern[0] < 0 else 0
    limits = _limits(longest, offset, bound)
    k = effort = 0
    while effort <= MOST_STEPS:
        k = _advance(program, k)
        if k < 0:
            break
        filled = k + 1
        if _pointless(program[k], filled, stack[k], longest, total, n_time, limits):
            continue
        state = stack[filled]
        _copy(stack[k], state)
        latest = limits[filled]
        verdict = _execute(program, filled, state, out, pattern, first, total, n_time, latest)
        effort += state[STEPS] - stack[k, STEPS]
        if verdict == _DONE:
            letter = 0 if gap < 0 else (out[gap] - out[first] + pattern[first]) % 26
            price = filled + np.log2(state[TIME] + offset)
            if price < cost[letter] - 1e-9:
                cost[letter], length[letter], steps[letter] = price, filled, state[TIME]
                code[letter] = _packed(program, filled)
                limits = _limits(longest, offset, min(bound, cost.min() + margin + 1e-9))
        elif verdict == _NEXT and filled < longest:
            ahead = state[TIME] if state[OUT] >= n_time else state[STEPS] + n_time - state[OUT]
            if ahead <= limits[filled + 1]:
                k = filled
    return cost, length, steps, code, effort


@compiled
def enumerate_outputs(
    longest: int, letters: int, n_time: int, offset: float, bound: float
) -> tuple[Ints, int]:
    """Every canonical program up to `longest` instructions that writes `n_time` letters or more, and how many
    programs were visited.

    One row for each moment at which a program could end: the output (in base 27 from the second letter on,
    rotated so that the first is `a`; 0 where it has ended), length, steps, packed program.
    """
    stack = np.zeros((longest + 2, 7), np.int64)
    program = np.full(longest + 2, -1, np.int64)
    out = np.zeros(letters + 1, np.int64)
    pattern = np.full(1, -1, np.int64)
    limits = _limits(longest, offset, bound)
    found = np.zeros((1 << 16, 4), np.int64)
    k = nodes = count = 0
    while True:
        k = _advance(program, k)
        if k < 0:
            break
        nodes += 1
        state = stack[k + 1]
        _copy(stack[k], state)
        filled = k + 1
        verdict = _execute(program, filled, state, out, pattern, 0, letters, n_time, limits[filled])
        if verdict == _DEAD:
            continue
        if state[OUT] >= n_time:
            if count == len(found):
                larger = np.zeros((2 * count, 4), np.int64)
                for row in range(count):
                    _copy(found[row], larger[row])
                found = larger
            value = 0
            for i in range(1, letters):
                value = 27 * value + ((out[i] - out[0]) % 26 + 1 if i < state[OUT] else 0)
            found[count, 0], found[count, 1] = value, filled
            found[count, 2], found[count, 3] = state[TIME], _packed(program, filled)
            count += 1
        if verdict == _NEXT and filled < longest:
            k = filled
    return found[:count], nodes
