"""The compiled machine: one cycle of a program, on state that the caller owns.

`cycle` is the only text of the machine that is compiled: agents, probes and given actions run it inside
their own loops. It pushes an action, runs the program once, and leaves reward and observations in
`output`. The state of an episode is

* `work`: the 100,000 cells, of which only those between `LOW` and `HIGH` were visited since `reset`;
* `history`: the last 32 actions as a ring, the newest at `NEWEST`;
* `output`: 1 + observations symbols, never cleared between cycles;
* `registers`: `HEAD`, `LOW`, `HIGH`, `NEWEST`, `DRAWS` (chance symbols drawn so far).

A program is assembled into rows, one per instruction other than `+-<>`: what those before it do is done on
the way (`BEFORE`, `MOVE`, `ADD`). A loop such as `[-]`, which counts to the blank, is one row, and so are
reads and draws that overwrite one another, or that are written at once. The rows lie one behind the other,
`TARGET` is where the row jumped to begins. The symbol under the head is kept at hand, and goes to the tape
when the head leaves it. Steps are not counted one by one: they are the place in the text (`AT`) plus what
the jumps taken so far have skipped or repeated (`LEAP`). So a cycle beyond the step limit is noticed late,
at the next jump backwards or at its end; that is enough where such a cycle ends the episode. Assembled with
one row per instruction (`fused=False`) and run with `careful=True`, it stops at the limit to the step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.kernels import compiled
from gindex_lab.worlds.aiq.program import MOST_STEPS, READABLE, TAPE, MachineSettings, check
from gindex_lab.worlds.aiq.random_streams import below

__all__ = ["Code", "State", "act", "assemble", "compile_program", "cycle", "new_state", "reset"]
__all__ += ["run_actions"]

RING = 32  # stored actions: the least power of 2 that holds those that can be read
HEAD, LOW, HIGH, NEWEST, DRAWS = range(5)  # the registers
KIND, BEFORE, MOVE, ADD, TARGET, LEAP, AT, WRITES = range(8)  # columns of a row of code
READS, DRAWN = TARGET, LEAP  # the same columns, where a row reads or draws: how often it does
WIDTH = 8  # columns of a row
NOTHING, READ, CHANCE, OPEN, CLOSE, END, DRAIN, WRITE = range(8)  # kinds of rows
NO_RECORD = np.empty(0, dtype=np.int64)  # no recorded draws: chance comes from its stream

_KINDS = np.zeros(128, dtype=np.int64)  # by letter
for _letter, _kind in {",": READ, ".": WRITE, "%": CHANCE, "[": OPEN, "]": CLOSE, "#": END}.items():
    _KINDS[ord(_letter)] = _kind
_PLUS, _MINUS, _RIGHT, _LEFT = (ord(letter) for letter in "+-><")
_I: Any = np.int64
_U = np.uint64  # an unsigned index needs no check for counting from the end

Code = npt.NDArray[np.int32]
Symbols = npt.NDArray[np.int8]
Registers = npt.NDArray[np.int64]


class State(NamedTuple):
    """The arrays of one machine; reuse it for many episodes with `reset`."""

    work: Symbols
    history: Symbols
    output: Symbols
    registers: Registers


def new_state(settings: MachineSettings) -> State:
    """A fresh machine: everything blank, all pointers at 0."""
    blank = settings.middle
    return State(
        np.full(TAPE, blank, dtype=np.int8),
        np.full(RING, blank, dtype=np.int8),
        np.full(1 + settings.observations, blank, dtype=np.int8),
        np.zeros(5, dtype=np.int64),
    )


@compiled
def reset(state: State, symbols: int) -> None:
    """Make the machine fresh again; only the cells that the head has passed are cleared."""
    work, history, output, registers = state
    blank = (symbols - 1) // 2
    for place in range(registers[LOW], registers[HIGH] + 1):
        work[place] = blank  # a negative place counts from the end, as in the machine itself
    history[:] = blank
    output[:] = blank
    registers[:] = 0


@compiled
def _fetches(kind: int) -> bool:
    """Whether a row replaces the symbol under the head by an action or by chance."""
    return kind in (READ, CHANCE)


@compiled
def _open_ended(row: Code) -> bool:
    """Whether a row fetches a symbol and does nothing with it yet."""
    return _fetches(row[KIND]) and row[WRITES] == 0


@compiled
def _put(code: Code, row: int, kind: int, before: int, move: int, add: int, at: int) -> None:
    """Fill a row, column by column: numba takes 3 s to compile the assignment of a whole one."""
    code[row, KIND] = NOTHING if kind == WRITE else kind
    code[row, BEFORE], code[row, MOVE], code[row, ADD] = before, move, add
    code[row, TARGET], code[row, LEAP] = 0, 0
    code[row, AT], code[row, WRITES] = at, kind == WRITE


@compiled
def assemble(text: npt.NDArray[np.uint8], symbols: int, fused: bool, code: Code) -> int:
    """Rows of `code` for a text that is known to be a program; returns how many.

    Moves in one direction are added up, moves to and fro are not: at the end of the tape they differ.
    """
    waiting = np.empty(len(text), dtype=np.int64)
    depth = count = before = move = add = 0
    for at in range(len(text)):
        letter, kind = text[at], _KINDS[text[at]]
        if letter in (_PLUS, _MINUS):
            sign = 1 if letter == _PLUS else -1
            before, add = (before + sign, add) if move == 0 else (before, add + sign)
        elif letter in (_RIGHT, _LEFT):
            sign = 1 if letter == _RIGHT else -1
            if move != 0 and (move * sign < 0 or add != 0):
                _put(code, count, NOTHING, before % symbols, move, add % symbols, at - 1)
                count, before, move, add = count + 1, 0, 0, 0
            move += sign
        if kind == NOTHING and fused:
            continue
        if move == 0:
            before, add = 0, before
        joins = fused and move == 0 and count > 0 and _open_ended(code[count - 1])
        if joins and _fetches(kind):
            count -= 1  # what the row before has read or drawn is lost: it only counts
            code[count, KIND], code[count, AT] = kind, at
        elif joins and kind == WRITE and add % symbols == 0:
            count -= 1
            code[count, WRITES], code[count, AT] = 1, at
        else:
            _put(code, count, kind, before % symbols, move, add % symbols, at)
        if _fetches(kind):
            code[count, READS] += kind == READ
            code[count, DRAWN] += kind == CHANCE
        elif kind == OPEN:
            waiting[depth] = count
            depth += 1
        elif kind == CLOSE:
            depth -= 1
            start = waiting[depth]
            length = at - code[start, AT]
            step = code[count, ADD]
            if fused and start == count - 1 and move == 0 and step in (1, symbols - 1):
                code[start, KIND], code[start, LEAP] = DRAIN, length
                code[start, TARGET] = 1 if step == 1 else -1
                count -= 1
            else:
                code[start, TARGET], code[start, LEAP] = WIDTH * (count + 1), -length
                code[count, TARGET], code[count, LEAP] = WIDTH * (start + 1), length
        count, before, move, add = count + 1, 0, 0, 0
    return count


def compile_program(program: str, symbols: int = 5, fused: bool = True) -> Code:
    """The rows of a program, one behind the other, after `check`.

    Parameters
    ----------
    program : the text
    symbols : n, the size of the alphabet
    fused : whether instructions share rows where they can; else one row each

    Returns
    -------
    A flat array of 32-bit integers, `WIDTH` for each row.

    References
    ----------
    Vadinský (2018), section 1, for what the rows compute.

    Examples
    --------
    >>> compile_program("+>>-.#").reshape(-1, WIDTH)[:, :4].tolist()       # kind, before, move, add
    [[0, 1, 2, 4], [5, 0, 0, 0]]
    """
    text = np.frombuffer(check(program).encode(), dtype=np.uint8)
    code = np.empty((len(text), WIDTH), dtype=np.int32)
    return code[: assemble(text, MachineSettings(symbols).symbols, fused, code)].ravel()


@compiled(inline="always")
def cycle(
    code: Code,
    symbols: int,
    work: Symbols,
    history: Symbols,
    output: Symbols,
    newest: int,
    head: int,
    low: int,
    high: int,
    draws: int,
    key: int,
    recorded: npt.NDArray[np.int64],
    careful: bool,
    action: int,
) -> tuple[int, int, int, int, int]:
    """Push `action`, run the program once: steps (1000 or more = overtime), head, low, high, draws.

    Chance comes from the stream `key`, or from the `recorded` draws (taken in turn, modulo n) if any.
    """
    blank = (symbols - 1) // 2
    history[_U(newest)] = action
    cell = _U(head if head >= 0 else head + TAPE)
    symbol = _I(work[cell])
    leapt = reads = writes = place = 0
    done = 1
    while True:
        row = _U(place)
        if careful and leapt + code[row + _U(AT)] >= MOST_STEPS:
            done = 0
            break
        move = _I(code[row + _U(MOVE)])
        if move != 0:
            symbol += code[row + _U(BEFORE)]
            work[cell] = symbol - symbols if symbol >= symbols else symbol
            head += move
            if _U(head + TAPE) >= _U(2 * TAPE):  # rare: one test for both ends
                if head >= TAPE:
                    high = TAPE - 1
                    head -= TAPE
                else:
                    low = -TAPE
                    head += TAPE + 1  # the machine's quirk: the cell left of -100000 is cell 0 again
            low, high = min(low, head), max(high, head)
            cell = _U(head if head >= 0 else head + TAPE)
            symbol = _I(work[cell])
        symbol += code[row + _U(ADD)]
        symbol = symbol - symbols if symbol >= symbols else symbol
        kind = code[row + _U(KIND)]
        place += WIDTH
        if kind <= CHANCE:
            if kind == READ:
                reads += code[row + _U(READS)]
                draws += code[row + _U(DRAWN)]
                symbol = _I(history[_U((newest + reads - 1) & (RING - 1))])
                symbol = symbol if reads <= READABLE else blank
            elif kind == CHANCE:
                reads += code[row + _U(READS)]
                draws += code[row + _U(DRAWN)]
                if len(recorded) > 0:
                    symbol = recorded[(draws - 1) % len(recorded)] % symbols
                else:
                    symbol = below(key, draws - 1, symbols)
            if code[row + _U(WRITES)]:
                output[_U(writes)] = symbol
                writes += 1
                if writes >= len(output):
                    break
        elif kind == OPEN:
            if symbol == blank:
                leapt += code[row + _U(LEAP)]
                place = _I(code[row + _U(TARGET)])
        elif kind == CLOSE:
            if symbol != blank:
                if leapt + code[row + _U(AT)] + 1 >= MOST_STEPS:
                    break
                leapt += code[row + _U(LEAP)]
                place = _I(code[row + _U(TARGET)])
        elif kind == DRAIN:  # a loop that counts to the blank: as often as that takes
            times = (blank - symbol) * _I(code[row + _U(TARGET)])
            times = times + symbols if times < 0 else times
            leapt += (times - 1) * code[row + _U(LEAP)]
            symbol = blank
        elif kind == END:
            break
    work[cell] = symbol
    steps = leapt + code[row + _U(AT)] + done
    return steps, head, low, high, draws


@compiled
def act(
    code: Code,
    symbols: int,
    state: State,
    key: int,
    recorded: npt.NDArray[np.int64],
    careful: bool,
    action: int,
) -> int:
    """One `cycle` on a state whose registers are kept between calls; returns the number of steps."""
    work, history, output, registers = state
    newest = (registers[NEWEST] - 1) & (RING - 1)
    # fmt: off
    steps, registers[HEAD], registers[LOW], registers[HIGH], registers[DRAWS] = cycle(
        code, symbols, work, history, output, newest, registers[HEAD], registers[LOW], registers[HIGH],
        registers[DRAWS], key, recorded, careful, action,
    )
    # fmt: on
    registers[NEWEST] = newest
    return steps


@compiled
def run_actions(
    code: Code,
    symbols: int,
    state: State,
    key: int,
    recorded: npt.NDArray[np.int64],
    careful: bool,
    actions: npt.NDArray[np.int64],
    written: Symbols,
    steps: npt.NDArray[np.int64],
    heads: npt.NDArray[np.int64],
) -> None:
    """Fill `written` (cycles x output cells), `steps` and `heads` of an episode with given actions."""
    for t in range(len(actions)):
        steps[t] = act(code, symbols, state, key, recorded, careful, actions[t])
        for cell in range(len(state.output)):  # numba takes a second to compile the assignment of a row
            written[t, cell] = state.output[cell]
        heads[t] = state.registers[HEAD]
