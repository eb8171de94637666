"""What a program of the AIQ test is: a text over ten instructions, up to a `#`.

Environments of the test are programs for a small machine (Legg and Veness 2013; Vadinský 2018, section 2).
This module says what the machine's settings are, and reads and checks the text.

| `+` `-` | `<` `>` | `,` | `.` | `%` | `[` `]` | `#` |
|---|---|---|---|---|---|---|
| change cell | move head | read action | write reward, observation | chance | loop | end of cycle |
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate

from gindex_lab.foundation.errors import BadProgram
from gindex_lab.foundation.likes import ProgramLike
from gindex_lab.foundation.validate import integer

__all__ = ["INSTRUCTIONS", "MachineSettings", "check", "partners"]

INSTRUCTIONS = "+-<>,.%[]#"
MOST_SYMBOLS = 100
MOST_OBSERVATIONS = 1_000_000
LONGEST = 1_000_000  # instructions of a program
_STEPS = {"[": 1, "]": -1}
_SHALLOW = (
    40  # levels of loops up to which pairs are crossed out: the fastest way for usual programs
)
_BRACKETS = str.maketrans("", "", INSTRUCTIONS.replace("[", "").replace("]", ""))
_FOREIGN = re.compile(f"[^{re.escape(INSTRUCTIONS)}]")


@dataclass(frozen=True)
class MachineSettings:
    """The machine BF(n, o): `symbols` on the tape, `observations` beside the reward, output `reverse`.

    Reference: Legg and Veness (2013); Vadinský (2018), section 2.

    >>> MachineSettings().middle, MachineSettings(symbols=10).middle      # the blank symbol
    (2, 4)
    """

    symbols: int = 5
    observations: int = 1
    reverse: bool = False

    def __post_init__(self) -> None:
        symbols = integer("symbols", self.symbols, 2)
        if symbols > MOST_SYMBOLS:
            problem = "[out-of-range] is a larger alphabet than the tape holds"
            raise BadProgram("symbols", symbols, problem, "use 2 to 100")
        integer("observations", self.observations, 0, MOST_OBSERVATIONS)
        if self.reverse not in (True, False):
            problem = "[not-a-flag] is neither True nor False"
            raise BadProgram("reverse", self.reverse, problem, "use one of them")

    @property
    def middle(self) -> int:
        """The blank: tapes start with it, and loops end on it."""
        return (self.symbols - 1) // 2

    @property
    def reward_cell(self) -> int:
        """Which cell of the output tape holds the reward."""
        return self.observations if self.reverse else 0


def check(program: ProgramLike) -> str:
    """The program itself, if the machine can run it.

    Reference: Legg and Veness (2013); Vadinský (2018), section 2.

    >>> check(",.#")
    ',.#'
    >>> check(",[.#")
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadProgram: program=',[.#': the [ at position 2 is never closed; add a ]
    """
    if not isinstance(program, str):
        raise BadProgram(
            "program", program, "[not-text] is not a text", 'pass a program such as ",.#"'
        )
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
    if program[-1] == "#" and _balanced(program):
        return program
    partners(program)
    depths = accumulate(_STEPS.get(letter, 0) for letter in program)
    if all(depth > 0 for letter, depth in zip(program, depths, strict=True) if letter == "#"):
        raise BadProgram(
            "program", program, "[end-in-loop] has its # inside a loop", "add # behind the loop"
        )
    return program


def _balanced(program: str) -> bool:
    brackets = program.translate(_BRACKETS)
    for _ in range(_SHALLOW):
        if "[]" not in brackets:
            return not brackets
        brackets = brackets.replace("[]", "")
    depths = list(accumulate(map(_STEPS.__getitem__, brackets)))
    return not depths or (min(depths) >= 0 and depths[-1] == 0)


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
                problem = f"[no-opening-bracket] the ] at position {place + 1} closes no loop"
                raise BadProgram("program", program, problem, "remove it")
            start = open_brackets.pop()
            found[start], found[place] = place, start
    if open_brackets:
        problem = f"[never-closed] the [ at position {open_brackets[-1] + 1} is never closed"
        raise BadProgram("program", program, problem, "add a ]")
    return found


Settings = MachineSettings  # its name until November 2026
