"""What a program of the AIQ test is: a text over ten instructions, up to a `#`.

Environments of the test are programs for a small machine (Legg and Veness 2013; Vadinský 2018, section 2).
This module holds the settings of the machine, and reads and checks the text.

| `+` `-` | `<` `>` | `,` | `.` | `%` | `[` `]` | `#` |
|---|---|---|---|---|---|---|
| change cell | move head | read action | write reward, observation | chance | loop | end of cycle |
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from gindex_lab.foundation.errors import BadProgram
from gindex_lab.foundation.likes import ProgramLike
from gindex_lab.foundation.validate import flag, integer

__all__ = ["INSTRUCTIONS", "MOST_STEPS", "READABLE", "TAPE", "MachineSettings", "check", "partners"]

INSTRUCTIONS = "+-<>,.%[]#"
# The machine's cells, stored actions that can be read, and steps of a cycle that counts as overtime (Legg and
# Veness 2013, section 4, and the authors' code). They are compiled into the kernels.
TAPE, READABLE, MOST_STEPS = 100_000, 24, 1000
# A judgement: a cell has 8 bits; outputs and programs of more than a million symbols are a mistake.
MOST_SYMBOLS, MOST_OBSERVATIONS, LONGEST = 100, 1_000_000, 1_000_000
_FOREIGN = re.compile(f"[^{re.escape(INSTRUCTIONS)}]")


@dataclass(frozen=True)
class MachineSettings:
    """The machine BF(n, o): `symbols` on the tape, `observations` beside the reward, output `reverse`.

    Reference: Legg and Veness (2013), section 4; Vadinský (2018), section 2.

    >>> MachineSettings().middle, MachineSettings(symbols=10).middle      # the blank symbol
    (2, 4)
    """

    symbols: int = 5
    observations: int = 1
    reverse: bool = False

    def __post_init__(self) -> None:
        integer("symbols", self.symbols, 2, MOST_SYMBOLS)
        integer("observations", self.observations, 0, MOST_OBSERVATIONS)
        flag("reverse", self.reverse)

    @property
    def middle(self) -> int:
        """The blank: tapes start with it, and loops end on it."""
        return (self.symbols - 1) // 2

    @property
    def reward_cell(self) -> int:
        """Which cell of the output tape holds the reward."""
        return self.observations if self.reverse else 0

    def reward(self, symbol: Any) -> Any:
        """The worth of a symbol, or of an array of them: 100 (symbol - c) / c with c = (n - 1) / 2."""
        half = (self.symbols - 1) / 2
        return 100 * (symbol - half) / half


def check(program: ProgramLike) -> str:
    """The program itself, if the machine can run it.

    Parameters
    ----------
    program : the text to check

    Returns
    -------
    The same text; anything else raises `BadProgram`, which names the place.

    References
    ----------
    Legg and Veness (2013), section 4; Vadinský (2018), section 2.

    Examples
    --------
    >>> check(",.#")
    ',.#'
    """
    if not isinstance(program, str):
        raise BadProgram("program", program, "[not-text] is not a text", 'pass a program such as ",.#"')
    if not program:
        raise BadProgram("program", program, "[empty] is empty", 'the shortest program is "#"')
    if foreign := _FOREIGN.search(program):
        problem = f"[foreign-character] has {foreign[0]!r} at position {foreign.start() + 1}"
        raise BadProgram("program", program, problem, f"use only {INSTRUCTIONS}")
    if len(program) > LONGEST:
        problem = f"[too-large] is longer than {LONGEST:,} instructions"
        raise BadProgram("program", program, problem, "shorten it")
    if "#" not in program:
        raise BadProgram("program", program, "[no-end] has no #", "add # as the last instruction")
    partners(program)
    if program[-1] != "#":
        depths = accumulate({"[": 1, "]": -1}.get(letter, 0) for letter in program)
        if all(depth > 0 for letter, depth in zip(program, depths, strict=True) if letter == "#"):
            problem = "[end-in-loop] has its # inside a loop"
            raise BadProgram("program", program, problem, "add # after the loop")
    return program


def partners(program: str) -> dict[int, int]:
    """The place of each bracket's partner."""
    waiting: list[int] = []
    found: dict[int, int] = {}
    for bracket in re.finditer(r"[\[\]]", program):
        place = bracket.start()
        if bracket[0] == "[":
            waiting.append(place)
        elif waiting:
            start = waiting.pop()
            found[start], found[place] = place, start
        else:
            problem = f"[no-opening-bracket] the ] at position {place + 1} closes no loop"
            raise BadProgram("program", program, problem, "remove it")
    if waiting:
        problem = f"[never-closed] the [ at position {waiting[-1] + 1} is never closed"
        raise BadProgram("program", program, problem, "add a ]")
    return found


Settings = MachineSettings  # its name until November 2026
