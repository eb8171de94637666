"""The machine's cycle once more, tuned for whole episodes, and written into the caller's loop.

It equals `kernel.cycle` in everything that an episode can show, and is twice as fast: no recorded draws;
unsigned indices, which spare the check for negative ones; and a run of equal instructions is never split
at the step limit, since a cycle that meets the limit ends the episode and leaves no result.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from gindex_lab.aiq.kernel import (
    DRAWS,
    HEAD,
    HIGH,
    LOW,
    MOST_STEPS,
    NEWEST,
    READABLE,
    RING,
    TAPE,
    Registers,
    Symbols,
)
from gindex_lab.aiq.program import ADD, CHANCE, CLOSE, MOVE, OPEN, READ, WRITE
from gindex_lab.aiq.random_streams import below

__all__ = ["fast_cycle"]

_U = np.uint64


@njit(cache=True, nogil=True, inline="always")
def fast_cycle(
    operations: npt.NDArray[np.int8],
    arguments: npt.NDArray[np.int32],
    symbols: int,
    work: Symbols,
    history: Symbols,
    output: Symbols,
    registers: Registers,
    key: int,
    action: int,
) -> int:
    """Push `action`, run the program once, and return the number of steps (1000 or more = overtime)."""
    blank = (symbols - 1) // 2
    newest = (registers[NEWEST] - 1) & (RING - 1)
    registers[NEWEST] = newest
    history[_U(newest)] = action
    head, low, high = registers[HEAD], registers[LOW], registers[HIGH]
    cell = _U(head if head >= 0 else head + TAPE)
    steps = reads = writes = place = 0
    limit = len(output)
    while steps < MOST_STEPS:
        operation = operations[_U(place)]
        argument: int = np.int64(arguments[_U(place)])  # type: ignore[assignment]
        place += 1
        steps += 1
        if operation == WRITE:
            output[_U(writes)] = work[cell]
            writes += 1
            if writes >= limit:
                break
        elif operation == READ:
            if reads < READABLE:
                work[cell] = history[_U((newest + reads) & (RING - 1))]
                reads += 1
            else:
                work[cell] = blank
        elif operation == ADD:
            steps += abs(argument) - 1
            value = work[cell] + argument
            if value < 0 or value >= symbols:
                value %= symbols
            work[cell] = value
        elif operation == MOVE:
            steps += abs(argument) - 1
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
            cell = _U(head if head >= 0 else head + TAPE)
        elif operation == OPEN:
            if work[cell] == blank:
                place = argument
        elif operation == CLOSE:
            if work[cell] != blank:
                place = argument
        elif operation == CHANCE:
            work[cell] = below(key, registers[DRAWS], symbols)
            registers[DRAWS] += 1
        else:
            break
    registers[HEAD], registers[LOW], registers[HIGH] = head, low, high
    return steps
