"""What a program of the AIQ test is: a text over ten instructions, up to a `#`.

Environments of the test are programs for a small machine (Legg and Veness 2013; Vadinský 2018, section 2).
This module reads and checks the text, and turns it into the two small arrays that the compiled machine
walks along: an operation and its argument (how often it repeats, or where it jumps to).

| `+` `-` | `<` `>` | `,` | `.` | `%` | `[` `]` | `#` |
|---|---|---|---|---|---|---|
| change cell | move head | read action | write reward, observation | chance | loop | end of cycle |
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gindex_lab.errors import BadProgram
from gindex_lab.validate import integer

__all__ = ["INSTRUCTIONS", "Code", "Settings", "check", "compile_program", "partners"]

INSTRUCTIONS = "+-<>,.%[]#"
MOST_SYMBOLS = 100
ADD, MOVE, READ, WRITE, CHANCE, OPEN, CLOSE, END = range(8)
RUNS = {"+": (ADD, 1), "-": (ADD, -1), ">": (MOVE, 1), "<": (MOVE, -1)}
SINGLE = {",": READ, ".": WRITE, "%": CHANCE, "[": OPEN, "]": CLOSE, "#": END}


@dataclass(frozen=True)
class Settings:
    """The machine BF(n, o): `symbols` on the tape, `observations` beside the reward, output `reverse`.

    >>> Settings().middle, Settings(symbols=10).middle      # the blank symbol
    (2, 4)
    """

    symbols: int = 5
    observations: int = 1
    reverse: bool = False

    def __post_init__(self) -> None:
        symbols = integer("symbols", self.symbols, 2)
        if symbols > MOST_SYMBOLS:
            raise BadProgram(
                "symbols", symbols, "is a larger alphabet than the tape holds", "use 2 to 100"
            )
        integer("observations", self.observations, 0)
        if self.reverse not in (True, False):
            raise BadProgram(
                "reverse", self.reverse, "is neither True nor False", "use one of them"
            )

    @property
    def middle(self) -> int:
        """The blank: tapes start with it, and loops end on it."""
        return (self.symbols - 1) // 2

    @property
    def reward_cell(self) -> int:
        """Which cell of the output tape holds the reward."""
        return self.observations if self.reverse else 0


@dataclass(frozen=True)
class Code:
    """A compiled program: `operations` and `arguments` (repeats, or the place to jump to)."""

    operations: npt.NDArray[np.int8]
    arguments: npt.NDArray[np.int32]


def check(program: object) -> str:
    """The program itself, if the machine can run it.

    >>> check(",.#")
    ',.#'
    >>> check(",[.#")
    Traceback (most recent call last):
        ...
    gindex_lab.errors.BadProgram: program=',[.#': the [ at position 2 is never closed; add a ]
    """
    if not isinstance(program, str):
        raise BadProgram("program", program, "is not a text", 'pass a program such as ",.#"')
    if not program:
        raise BadProgram("program", program, "is empty", 'the shortest program is "#"')
    for place, letter in enumerate(program, 1):
        if letter not in INSTRUCTIONS:
            raise BadProgram(
                "program",
                program,
                f"has the foreign character {letter!r} at position {place}",
                f"use only {INSTRUCTIONS}",
            )
    if "#" not in program:
        raise BadProgram("program", program, "has no #", "add # as the last instruction")
    jumps = partners(program)
    ends = [place for place, letter in enumerate(program) if letter == "#"]
    if all(any(start < end < jumps[start] for start in jumps) for end in ends):
        raise BadProgram("program", program, "has its # inside a loop", "add # behind the loop")
    return program


def partners(program: str) -> dict[int, int]:
    """Where each bracket's partner stands.

    >>> partners(",[.]#")
    {1: 3, 3: 1}
    """
    open_brackets: list[int] = []
    found: dict[int, int] = {}
    for place, letter in enumerate(program):
        if letter == "[":
            open_brackets.append(place)
        elif letter == "]":
            if not open_brackets:
                raise BadProgram(
                    "program", program, f"the ] at position {place + 1} closes no loop", "remove it"
                )
            start = open_brackets.pop()
            found[start], found[place] = place, start
    if open_brackets:
        raise BadProgram(
            "program",
            program,
            f"the [ at position {open_brackets[-1] + 1} is never closed",
            "add a ]",
        )
    return found


def compile_program(program: str) -> Code:
    """Operations and arguments: runs of `+ - < >` become one operation, brackets know their jump.

    >>> code = compile_program("++,.#")
    >>> code.operations.tolist(), code.arguments.tolist()
    ([0, 2, 3, 7], [2, 0, 0, 0])
    """
    operations: list[int] = []
    arguments: list[int] = []
    open_brackets: list[int] = []
    last = ""
    for letter in check(program):
        if letter in RUNS:
            operation, direction = RUNS[letter]
            if letter == last:
                arguments[-1] += direction
                continue
            operations.append(operation)
            arguments.append(direction)
        else:
            operations.append(SINGLE[letter])
            arguments.append(0)
            if letter == "[":
                open_brackets.append(len(operations) - 1)
            elif letter == "]":
                start = open_brackets.pop()
                arguments[start], arguments[-1] = len(operations), start + 1
        last = letter
    return Code(np.array(operations, dtype=np.int8), np.array(arguments, dtype=np.int32))
