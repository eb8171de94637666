"""A reconstruction of the machine behind the letter series of the C-test.

Three registers of one letter (A, B, C, all starting at `a` on a circular alphabet) and ten instructions
without operands. What is public of the machine is its table of instructions; start values, jumps and the
way time enters Kt were fitted to the 35 published difficulties, so everything here is a *reconstruction*
(25 of them come out exactly, 34 within 1). Generality supplement, A.2; Hernández-Orallo (2000).

=========  ===========================================================================================
WRITE      output A
SUCC PRED  next and previous letter of A
A=B B=A    copy between A and B
A=C C=A    copy between A and C
LOOPTOP    C goes one letter back; unless it is then `a`, go to the first instruction
LOOPS      the same, but go back to 3 instructions before this one
LOOPM      the same, but go back to 6 instructions before this one
=========  ===========================================================================================

A program halts when it falls off its end. `canonical` programs have no neighbours of which one is
useless (SUCC PRED, A=B A=C, ...); only they are enumerated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gindex_lab.foundation.errors import BadInput, BadProgram
from gindex_lab.foundation.likes import Label, LettersLike
from gindex_lab.foundation.validate import integer

__all__ = [
    "INSTRUCTIONS",
    "USELESS",
    "ProgramRun",
    "canonical",
    "letters_of",
    "parse",
    "run",
    "text_of",
]

INSTRUCTIONS = (
    *("WRITE", "SUCC", "PRED", "LOOPTOP", "LOOPS", "LOOPM", "A=B", "B=A", "A=C", "C=A"),
)
ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_BACK = {"LOOPS": 3, "LOOPM": 6}
_PAIRS = (
    ("SUCC", "PRED"),
    ("PRED", "SUCC"),
    ("SUCC PRED A=B A=C", "A=B A=C"),  # A is overwritten
    ("B=A", "B=A A=B"),
    ("C=A", "C=A A=C B=A"),  # of two copies in a row, B=A comes first
    ("A=B", "B=A"),
    ("A=C", "C=A"),
)


def _useless() -> np.ndarray:
    table = np.zeros((len(INSTRUCTIONS),) * 2, dtype=np.bool_)
    for before, after in _PAIRS:
        for one in before.split():
            table[INSTRUCTIONS.index(one), [INSTRUCTIONS.index(x) for x in after.split()]] = True
    return table


USELESS = _useless()  # [instruction, the next one]


@dataclass(frozen=True)
class ProgramRun:
    """What a program wrote: `letters`, the step and the address of each WRITE, and whether it `halted`."""

    letters: str
    steps: tuple[int, ...]
    addresses: tuple[int, ...]
    halted: bool


def parse(program: LettersLike) -> tuple[str, ...]:
    """The instructions of a program, from a text or a sequence of them.

    >>> parse("WRITE SUCC LOOPTOP")
    ('WRITE', 'SUCC', 'LOOPTOP')
    """
    if isinstance(program, str):
        found: Sequence[object] = program.split()
    elif isinstance(program, Sequence):
        found = program
    else:
        raise BadProgram(
            "program", program, "[not-a-program] is not a program", 'write "WRITE SUCC LOOPTOP"'
        )
    for word in found:
        if word not in INSTRUCTIONS:
            known = ", ".join(INSTRUCTIONS)
            raise BadProgram(
                "program", word, "[not-an-instruction] is not an instruction", f"use {known}"
            )
    if not found:
        raise BadProgram(
            "program", program, "[empty] has no instruction", 'write "WRITE SUCC LOOPTOP"'
        )
    return tuple(str(word) for word in found)


def text_of(code: int) -> str:
    """The program behind a packed number of the kernels: four bits an instruction, the first lowest.

    >>> text_of(0x421)
    'WRITE SUCC LOOPTOP'
    """
    words = []
    while code > 0:
        words.append(INSTRUCTIONS[(code & 15) - 1])
        code >>= 4
    return " ".join(words)


def canonical(program: LettersLike) -> bool:
    """Whether no two neighbours of a program are useless together. (Generality supplement, A.2.)

    >>> canonical("WRITE SUCC LOOPTOP"), canonical("WRITE SUCC PRED LOOPTOP")
    (True, False)
    """
    codes = [INSTRUCTIONS.index(word) for word in parse(program)]
    return not any(USELESS[pair] for pair in pairwise(codes))


def letters_of(name: str, sequence: LettersLike, *, gaps: int = 0) -> list[int]:
    """A series as numbers 0 to 25, -1 for a gap, of which `gaps` are wanted: from `"a, b, _"`, `"ab_"`
    or a sequence of letters.

    >>> letters_of("sequence", "a, c, _", gaps=1)
    [0, 2, -1]
    """
    if isinstance(sequence, str):
        found: list[Label] = [x for x in sequence if x not in ", "]
    elif isinstance(sequence, Sequence):
        found = list(sequence)
    else:
        raise BadInput(
            name, sequence, "[not-letters] is not a series of letters", 'write "adgj" or "a,d,g,j"'
        )
    for letter in found:
        if not isinstance(letter, str) or len(letter) != 1 or letter not in ALPHABET + "_":
            problem = "[not-a-letter] is not a letter from a to z"
            raise BadInput(name, letter, problem, "use small letters, _ for a gap")
    codes = [ALPHABET.find(str(letter)) for letter in found]
    if codes.count(-1) != gaps:
        wanted = f"exactly {gaps} gap(s) _" if gaps else "no gap _"
        raise BadInput(name, sequence, f"[gaps] has {codes.count(-1)} gap(s)", f"give {wanted}")
    if len(codes) - gaps < 2:
        raise BadInput(
            name, sequence, "[too-short] is too short for a series", "give at least two letters"
        )
    return codes


def run(program: LettersLike, letters: int = 12, most_steps: int = 10_000) -> ProgramRun:
    """Run a program until it has written so many letters, halts, or has made `most_steps` steps.

    Reference: Generality supplement, A.2.

    >>> run("WRITE SUCC SUCC SUCC LOOPTOP", 6)
    ProgramRun(letters='adgjmp', steps=(1, 6, 11, 16, 21, 26), addresses=(0, 0, 0, 0, 0, 0), halted=False)
    >>> run("A=C WRITE SUCC SUCC WRITE LOOPTOP", 7).letters
    'aczbyax'
    """
    words = parse(program)
    wanted, limit = integer("letters", letters), integer("most_steps", most_steps)
    register = {"A": 0, "B": 0, "C": 0}
    written: list[str] = []
    when: list[int] = []
    where: list[int] = []
    address = steps = 0
    while address < len(words) and len(written) < wanted and steps < limit:
        word, steps, here = words[address], steps + 1, address
        address += 1
        if word == "WRITE":
            written.append(ALPHABET[register["A"]])
            when.append(steps)
            where.append(here)
        elif word in ("SUCC", "PRED"):
            register["A"] = (register["A"] + (1 if word == "SUCC" else -1)) % 26
        elif word.startswith("LOOP"):
            register["C"] = (register["C"] - 1) % 26
            if register["C"]:
                address = max(here - _BACK[word], 0) if word in _BACK else 0
        else:
            register[word[0]] = register[word[2]]
    halted = address >= len(words) and len(written) < wanted
    return ProgramRun("".join(written), tuple(when), tuple(where), halted)
