"""The compiled machine: one cycle of a program, on state arrays that the caller owns.

`cycle` is the unit that agents, sampler and estimator compile into their own loops: it pushes an action,
runs the program once, and leaves reward and observations in `output`. The state of an episode is

* `work`: the 100,000 cells, of which only those between `LOW` and `HIGH` were visited since `reset`;
* `history`: the last 32 actions as a ring, the newest at `NEWEST`;
* `output`: 1 + observations symbols, never cleared between cycles;
* `registers`: `HEAD`, `LOW`, `HIGH`, `NEWEST`, `DRAWS` (chance symbols drawn so far).

Runs of equal instructions are one operation here, yet every step is counted, so that a cycle which hits
the step limit stops at the same place as the machine that goes one instruction at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from gindex_lab.aiq.program import (
    ADD,
    CHANCE,
    CLOSE,
    MOVE,
    OPEN,
    READ,
    RUNS,
    SINGLE,
    WRITE,
    Settings,
    compile_program,
)
from gindex_lab.aiq.random_streams import below

__all__ = [
    "DRAWS",
    "HEAD",
    "MOST_STEPS",
    "State",
    "assemble",
    "compile_program",
    "cycle",
    "new_state",
    "no_chance",
    "reset",
    "reward_of",
    "run_actions",
]

TAPE = 100_000
MOST_STEPS = 1000  # a cycle of this many steps counts as overtime
READABLE = 24
RING = 32
HEAD, LOW, HIGH, NEWEST, DRAWS = range(5)
_CODES = np.zeros((128, 2), dtype=np.int64)  # operation and repeat of each letter
for _letter, _code in {**{k: (v, 0) for k, v in SINGLE.items()}, **RUNS}.items():
    _CODES[ord(_letter)] = _code

Symbols = npt.NDArray[np.int8]
Registers = npt.NDArray[np.int64]


class State(NamedTuple):
    """The arrays of one machine; reuse it for many episodes with `reset`."""

    work: Symbols
    history: Symbols
    output: Symbols
    registers: Registers


def new_state(settings: Settings) -> State:
    """A fresh machine: everything blank, all pointers at 0.

    >>> [array.shape for array in new_state(Settings())]
    [(100000,), (32,), (2,), (5,)]
    """
    blank = settings.middle
    return State(
        np.full(TAPE, blank, dtype=np.int8),
        np.full(RING, blank, dtype=np.int8),
        np.full(1 + settings.observations, blank, dtype=np.int8),
        np.zeros(5, dtype=np.int64),
    )


def no_chance() -> npt.NDArray[np.int64]:
    """The empty list of recorded draws: chance then comes from the counter-based stream."""
    return np.empty(0, dtype=np.int64)


@njit(cache=True, nogil=True)
def reset(
    work: Symbols, history: Symbols, output: Symbols, registers: Registers, symbols: int
) -> None:
    """Make the machine fresh again; only the cells that the head has passed are cleared."""
    blank = (symbols - 1) // 2
    for place in range(registers[LOW], registers[HIGH] + 1):
        work[place] = blank  # a negative place counts from the end, as in the machine itself
    history[:] = blank
    output[:] = blank
    registers[:] = 0


@njit(cache=True, nogil=True)
def reward_of(symbol: int, symbols: int) -> float:
    """The reward of a symbol: 100 (symbol - c) / c with c = (n - 1) / 2, from -100 to 100.

    >>> [reward_of(symbol, 5) for symbol in range(5)]
    [-100.0, -50.0, 0.0, 50.0, 100.0]
    """
    half = (symbols - 1) / 2
    return 100 * (symbol - half) / half


@njit(cache=True, nogil=True, inline="always")  # a quarter faster in its callers' loops
def cycle(
    operations: npt.NDArray[np.int8],
    arguments: npt.NDArray[np.int32],
    symbols: int,
    work: Symbols,
    history: Symbols,
    output: Symbols,
    registers: Registers,
    key: int,
    recorded: npt.NDArray[np.int64],
    action: int,
) -> int:
    """Push `action`, run the program once, and return the number of steps (1000 = overtime).

    Chance comes from the stream `key`, or from the `recorded` draws (taken in turn, modulo n) if any.
    """
    blank = (symbols - 1) // 2
    newest = (registers[NEWEST] - 1) & (RING - 1)
    registers[NEWEST] = newest
    history[newest] = action
    head, low, high = registers[HEAD], registers[LOW], registers[HIGH]
    steps = reads = writes = place = 0
    limit = len(output)
    while steps < MOST_STEPS and writes < limit:
        operation = operations[place]
        argument = arguments[place]
        place += 1
        steps += 1
        if operation == ADD:
            steps += abs(argument) - 1
            if steps > MOST_STEPS:
                excess = steps - MOST_STEPS
                argument += -excess if argument > 0 else excess
                steps = MOST_STEPS
            value = work[head] + argument
            if value < 0 or value >= symbols:
                value %= symbols
            work[head] = value
        elif operation == MOVE:
            steps += abs(argument) - 1
            if steps > MOST_STEPS:
                excess = steps - MOST_STEPS
                argument += -excess if argument > 0 else excess
                steps = MOST_STEPS
            head += argument
            if head >= TAPE:
                high = TAPE - 1
                head -= TAPE
            elif head < -TAPE:
                low = -TAPE
                head += TAPE + 1  # the machine's quirk: the cell left of -100000 is cell 0 again
            if head > high:
                high = head
            elif head < low:
                low = head
        elif operation == WRITE:
            output[writes] = work[head]
            writes += 1
        elif operation == READ:
            if reads < READABLE:
                work[head] = history[(newest + reads) & (RING - 1)]
                reads += 1
            else:
                work[head] = blank
        elif operation == OPEN:
            if work[head] == blank:
                place = argument
        elif operation == CLOSE:
            if work[head] != blank:
                place = argument
        elif operation == CHANCE:
            draw = registers[DRAWS]
            registers[DRAWS] = draw + 1
            if len(recorded) > 0:
                work[head] = recorded[draw % len(recorded)] % symbols
            else:
                work[head] = below(key, draw, symbols)
        else:
            break
    registers[HEAD], registers[LOW], registers[HIGH] = head, low, high
    return steps


@njit(cache=True, nogil=True)
def run_actions(
    operations: npt.NDArray[np.int8],
    arguments: npt.NDArray[np.int32],
    symbols: int,
    work: Symbols,
    history: Symbols,
    output: Symbols,
    registers: Registers,
    key: int,
    recorded: npt.NDArray[np.int64],
    actions: npt.NDArray[np.int64],
    written: Symbols,
    steps: npt.NDArray[np.int64],
    heads: npt.NDArray[np.int64],
) -> None:
    """An episode with given actions: `written` (cycles x output cells), `steps`, `heads` are filled."""
    for t in range(len(actions)):
        steps[t] = cycle(
            operations,
            arguments,
            symbols,
            work,
            history,
            output,
            registers,
            key,
            recorded,
            actions[t],
        )
        written[t] = output
        heads[t] = registers[HEAD]


@njit(cache=True, nogil=True)
def assemble(
    text: npt.NDArray[np.uint8],
    operations: npt.NDArray[np.int8],
    arguments: npt.NDArray[np.int32],
) -> int:
    """`compile_program` for a text that is known to be a program; returns how many operations it has."""
    waiting = np.empty(len(text), dtype=np.int64)
    depth = count = last = 0
    for letter in text:
        operation, argument = _CODES[letter, 0], _CODES[letter, 1]
        if argument != 0 and letter == last:
            arguments[count - 1] += argument
            continue
        operations[count] = operation
        arguments[count] = argument
        if operation == OPEN:
            waiting[depth] = count
            depth += 1
        elif operation == CLOSE:
            depth -= 1
            arguments[waiting[depth]] = count + 1
            arguments[count] = waiting[depth] + 1
        count += 1
        last = letter
    return count
