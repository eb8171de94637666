"""A reconstruction of the machine behind the letter series of the C-test.

It has three registers of one letter (A, B and C, all `a` at the start, on a circular alphabet) and ten
instructions without operands. Only its table of instructions is public. The start values, the jumps and the
way in which time enters Kt were fitted to the 35 published difficulties (25 come out exactly, 34 within 1),
so everything here is a *reconstruction*. Generality supplement, A.2; Hernández-Orallo (2000).

=========  ===========================================================================================
WRITE      output A
SUCC PRED  next and previous letter of A
A=B B=A    copy between A and B
A=C C=A    copy between A and C
LOOPTOP    C goes one letter back; unless it is then `a`, go to the first instruction
LOOPS      the same, but go back to 3 instructions before this one
LOOPM      the same, but go back to 6 instructions before this one
=========  ===========================================================================================

A program halts when it falls off its end. Only `canonical` programs are enumerated: those without two
neighbours of which one is useless (SUCC PRED, A=B A=C ...).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_lowercase as ALPHABET

import numpy as np

from gindex_lab.foundation.errors import BadProgram, ensure
from gindex_lab.foundation.likes import LettersLike

__all__ = ["ALPHABET", "INSTRUCTIONS", "USELESS", "canonical", "letters_of", "parse", "run", "text_of"]

INSTRUCTIONS = ("WRITE", "SUCC", "PRED", "LOOPTOP", "LOOPS", "LOOPM", "A=B", "B=A", "A=C", "C=A")
# how far the short loops jump back; of the variants tried, this one fits the published difficulties best
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
USELESS = np.zeros((len(INSTRUCTIONS),) * 2, dtype=np.bool_)  # [instruction, the next one]
for _before, _after in _PAIRS:
    for _one in _before.split():
        USELESS[INSTRUCTIONS.index(_one), [INSTRUCTIONS.index(word) for word in _after.split()]] = True


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
    words = program.split() if isinstance(program, str) else program
    remedy = 'write "WRITE SUCC LOOPTOP"'
    if not isinstance(words, Sequence):
        raise BadProgram("program", program, "[not-a-program] is not a program", remedy)
    if not words:
        raise BadProgram("program", program, "[empty] has no instruction", remedy)
    for word in words:
        if word not in INSTRUCTIONS:
            remedy = f"use {', '.join(INSTRUCTIONS)}"
            raise BadProgram("program", word, "[not-an-instruction] is not an instruction", remedy)
    return tuple(words)


def text_of(code: int) -> str:
    """The program behind a packed number of the kernels: four bits per instruction, the first lowest."""
    return " ".join(INSTRUCTIONS[int(digit, 16) - 1] for digit in f"{code:x}"[::-1])


def canonical(program: LettersLike) -> bool:
    """Whether no two neighbouring instructions of a program cancel each other.

    Parameters
    ----------
    program : a text of instructions, or a sequence of them

    Returns
    -------
    bool : False if, for instance, PRED follows SUCC: a shorter program then does the same

    References
    ----------
    Generality supplement, A.2 (the machine; the pairs are part of our reconstruction).

    Examples
    --------
    >>> canonical("WRITE SUCC LOOPTOP"), canonical("WRITE SUCC PRED LOOPTOP")
    (True, False)
    """
    codes = [INSTRUCTIONS.index(word) for word in parse(program)]
    return not any(USELESS[pair] for pair in pairwise(codes))


def letters_of(name: str, sequence: LettersLike, *, gaps: int = 0) -> tuple[int, ...]:
    """A series as numbers 0 to 25, -1 for each of its `gaps` gaps: from `"a, b, _"`, `"ab_"` or letters."""
    found = [x for x in sequence if x not in ", "] if isinstance(sequence, str) else sequence
    problem, remedy = "[not-letters] is not a series of letters", 'write "adgj" or "a,d,g,j"'
    ensure(isinstance(found, Sequence), name, sequence, problem, remedy)
    for letter in found:
        known = isinstance(letter, str) and len(letter) == 1 and letter in ALPHABET + "_"
        problem = "[not-a-letter] is not a letter from a to z"
        ensure(known, name, letter, problem, "use small letters, and _ for a gap")
    codes = tuple(ALPHABET.find(letter) for letter in found)
    wanted = f"exactly {gaps} gap(s) _" if gaps else "no gap _"
    ensure(codes.count(-1) == gaps, name, sequence, f"[gaps] has {codes.count(-1)} gap(s)", f"give {wanted}")
    enough = len(codes) - gaps >= 2
    ensure(enough, name, sequence, "[too-short] is too short for a series", "give at least two letters")
    return codes


def run(program: LettersLike, letters: int = 12, most_steps: int = 10_000) -> ProgramRun:
    """Run a program on the reconstructed machine.

    Parameters
    ----------
    program : a text of instructions, or a sequence of them
    letters : how many to write
    most_steps : when to stop a program that loops without writing

    Returns
    -------
    ProgramRun : `letters` (what it wrote), `steps` and `addresses` (when and where each letter was written)
        and `halted` (whether it ended before it had written all letters)

    References
    ----------
    Generality supplement, A.2; Hernández-Orallo (2000), whose table lists the instructions.

    Examples
    --------
    >>> run("WRITE SUCC SUCC SUCC LOOPTOP", 6)
    ProgramRun(letters='adgjmp', steps=(1, 6, 11, 16, 21, 26), addresses=(0, 0, 0, 0, 0, 0), halted=False)
    >>> run("A=C WRITE SUCC SUCC WRITE LOOPTOP", 7).letters
    'aczbyax'
    """
    words = parse(program)
    register = {"A": 0, "B": 0, "C": 0}
    written: list[tuple[str, int, int]] = []
    address = steps = 0
    while address < len(words) and len(written) < letters and steps < most_steps:
        word, here = words[address], address
        address, steps = address + 1, steps + 1
        if word == "WRITE":
            written.append((ALPHABET[register["A"]], steps, here))
        elif word in ("SUCC", "PRED"):
            register["A"] = (register["A"] + (1 if word == "SUCC" else -1)) % 26
        elif word.startswith("LOOP"):
            register["C"] = (register["C"] - 1) % 26
            if register["C"]:
                address = max(here - _BACK.get(word, here), 0)
        else:
            register[word[0]] = register[word[2]]
    halted = address >= len(words) and len(written) < letters
    series, when, where = zip(*written, strict=True) if written else ((), (), ())
    return ProgramRun("".join(series), when, where, halted)
