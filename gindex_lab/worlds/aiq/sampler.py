"""Random programs for the AIQ test: generated, rewritten, probed and sorted into strata.

A raw program is drawn instruction by instruction (`]` twice as often as any other); the first `]` that
closes nothing ends it. So a program of length l has probability 10^-l times 2 for each `]` and for its
end, which plays the part of 2^-l in the universal distribution (Legg and Veness 2013, section 4). About
one raw program in seven is kept: most never read or never write, or give the same reward whatever is done.

Raw program k of a seed is a function of (seed, k): a smaller sample is the beginning of a larger one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.inputs import read_text
from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.validate import Mode, choice, flag, integer, mode_of
from gindex_lab.worlds.aiq.program import MachineSettings, check
from gindex_lab.worlds.aiq.rewriting import passes_sdp, rewriter

__all__ = ["generate", "read_sample", "sample", "save_sample"]

CHUNK = 20_000  # raw programs at a time: a judgement
_PATIENCE = 1_000_000  # raw programs that may be drawn for each that is kept (some seconds): a judgement


@dataclass(frozen=True)
class _Recipe:
    """How a sample is made; written at the head of its file."""

    rewriting: str = "sep-ext"
    discriminative: str = "none"
    symbols: int = 5
    observations: int = 1
    minimum_length: int = 0
    extend_shorter: bool = False
    mode: str = "exact"
    theoretical: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        flag("extend_shorter", self.extend_shorter)
        mode_of(self.mode)
        rewriter(self.rewriting)
        choice("discriminative", self.discriminative, ["none", "sdp", "exact"])
        integer("minimum_length", self.minimum_length, 0)
        integer("seed", self.seed, 0)
        MachineSettings(self.symbols, self.observations)
        if self.theoretical and (self.minimum_length or self.extend_shorter):
            problem = "[not-together] cannot be combined with a minimum length"
            raise BadInput("theoretical", True, problem, "leave out minimum_length and extend_shorter")


def sample(
    n: int,
    rewriting: str = "sep-ext",
    discriminative: str = "none",
    *,
    symbols: int = 5,
    observations: int = 1,
    minimum_length: int = 0,
    extend_shorter: bool = False,
    mode: Mode = "exact",
    theoretical: bool = False,
    seed: int = 0,
) -> pd.DataFrame:
    """`n` random environment programs with their strata.

    Parameters
    ----------
    n : how many programs
    rewriting : which pointless code is deleted (see `rewrite`): "none", "original", "sep-orig", "sep-ext" or
        "sep-ext-v1.2"
    discriminative : "sdp" drops programs whose reward looks like chance, as the authors coded it; "exact"
        drops those of which it is proved that no policy earns more than another, and keeps the one in four
        that is not decided; "none" drops neither
    symbols, observations : n and o of the machine
    minimum_length : shorter programs are dropped; where less than one in a million would be kept, the search
        is given up (one raw program in 4,000 is kept with 150 instructions or more)
    extend_shorter : instead of dropping a shorter program, put another random program behind it
    mode : in "reference" the `#` between the two stays, as it does in the authors' code by mistake, so that
        what was added is never run
    theoretical : rewrite and drop nothing; strata 0 and -1 are there as well
    seed : of the programs and of their probes

    Returns
    -------
    DataFrame with the columns `program` and `stratum`; its `attrs` hold the settings.

    References
    ----------
    Legg and Veness (2013), sections 4 and 5; Vadinský (2018), sections 3.1 and 3.2.

    Examples
    --------
    >>> programs = sample(3, seed=1)
    >>> list(programs.columns), len(programs), programs.attrs["rewriting"]
    (['program', 'stratum'], 3, 'sep-ext')
    """
    machine, longer = (symbols, observations), (minimum_length, extend_shorter)
    recipe = _Recipe(rewriting, discriminative, *machine, *longer, mode, theoretical, seed)
    wanted = integer("n", n, 1)
    rows: list[tuple[str, int]] = []
    for chunk in _chunks(recipe, wanted):
        rows += chunk
        if len(rows) >= wanted:
            break
    table = pd.DataFrame(rows[:wanted], columns=["program", "stratum"])
    table.attrs = asdict(recipe)
    return table


def _chunks(recipe: _Recipe, wanted: int) -> Iterator[list[tuple[str, int]]]:
    """Accepted programs and their strata, chunk after chunk of raw ones."""
    from gindex_lab.worlds.aiq.strata import probe

    settings = MachineSettings(recipe.symbols, recipe.observations)
    change = rewriter("none" if recipe.theoretical else recipe.rewriting)
    sdp = recipe.discriminative == "sdp" and not recipe.theoretical
    first, size = 0, min(CHUNK, 8 * wanted + 200)
    accepted = longest = 0
    while first <= _PATIENCE * (accepted + 1):
        if recipe.extend_shorter:
            programs, numbers = _extended(recipe, change, first, size)
        else:
            raw, numbers = generate(size, first=first, active=not recipe.theoretical, seed=recipe.seed)
            programs = [change(program) for program in raw]
        first += size
        longest = max([longest, *map(len, programs)])
        kept = [
            k
            for k, program in enumerate(programs)
            if len(program) >= recipe.minimum_length and (not sdp or passes_sdp(program))
        ]
        programs = [programs[k] for k in kept]
        found = probe(programs, numbers[kept], settings, recipe.seed, recipe.minimum_length)
        rows = [pair for pair in zip(programs, found, strict=True) if _accepts(recipe, *pair)]
        if recipe.theoretical:
            rows = [(program, place if {".", ","} <= {*program} else 0) for program, place in rows]
        accepted += len(rows)
        yield rows
    problem = f"[too-rare] keeps {accepted} of {first:,} raw programs (the longest: {longest} instructions)"
    remedy = "lower it, or set extend_shorter=True"
    raise BadInput("minimum_length", recipe.minimum_length, problem, remedy)


def _extended(
    recipe: _Recipe, change: Callable[[str], str], first: int, size: int
) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Rewritten programs that read and write, made long enough by random programs put behind them."""
    from gindex_lab.worlds.aiq.random_streams import PROGRAM, stream_key

    raw, numbers = generate(size, first=first, seed=recipe.seed)
    programs = [change(program) for program in raw]
    again = 0
    while short := [k for k, program in enumerate(programs) if len(program) < recipe.minimum_length]:
        again += 1
        own = int(stream_key(recipe.seed, again, 0, 1, PROGRAM)) & (2**63 - 1)
        more = generate(size, first=first, seed=own)[0]
        for k in short:
            raw[k] = (raw[k] if recipe.mode == "reference" else raw[k][:-1]) + more[k]
            programs[k] = change(raw[k])
    active = [k for k, program in enumerate(programs) if "." in program and "," in program]
    return [programs[k] for k in active], numbers[active]


def _accepts(recipe: _Recipe, program: str, place: int) -> bool:
    """Whether a probed program belongs to the sample."""
    if recipe.theoretical or recipe.discriminative != "exact" or place <= 0:
        return recipe.theoretical or place > 0
    from gindex_lab.worlds.aiq.exact import QUICK
    from gindex_lab.worlds.aiq.semantics import is_discriminative

    return is_discriminative(program, recipe.symbols, recipe.observations, QUICK) is not False


def generate(
    n: int, *, first: int = 0, active: bool = False, seed: int = 0
) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Raw programs `first` to `first + n - 1` of a seed.

    Parameters
    ----------
    n : how many
    first : number of the first
    active : whether to leave out those that do not both read and write, which cannot be environments
    seed : program k is a function of (seed, k)

    Returns
    -------
    The programs and their numbers.

    References
    ----------
    Legg and Veness (2013), section 4.

    Examples
    --------
    >>> generate(4, seed=1)[0] == generate(2, seed=1)[0] + generate(2, seed=1, first=2)[0]
    True
    """
    from gindex_lab.worlds.aiq.strata import draw_programs

    size = 64 * integer("n", n, 1) + 100_000
    while True:
        text = np.empty(size, dtype=np.uint8)
        ends, numbers = draw_programs(n, first, seed, active, text)
        if len(ends) == 0 or ends[-1] >= 0:
            break
        size *= 2  # a rare long program did not fit
    places = [0, *ends.tolist()]
    joined = text[: places[-1]].tobytes().decode()
    return [joined[a:b] for a, b in pairwise(places)], numbers


def save_sample(programs: pd.DataFrame, path: str | Path) -> None:
    """Write a sample: its settings in the first lines, then one `stratum program` per line.

    The body is the format of the authors' sample files.

    Parameters
    ----------
    programs : from `sample`
    path : the file to write

    References
    ----------
    Legg and Veness (2013), section 4.
    """
    head = [f"! {name} = {value}" for name, value in programs.attrs.items()]
    body = [f"{s} {p}" for s, p in zip(programs["stratum"], programs["program"], strict=True)]
    write_text(Path(path), "\n".join([*head, *body]) + "\n")


def read_sample(path: str | Path) -> pd.DataFrame:
    """Read a sample that was written by `save_sample` or by the authors' test; each program is checked.

    Parameters
    ----------
    path : the file; `BadInput` names the line of anything that is not a stratum and a program

    Returns
    -------
    DataFrame as `sample` gives it.

    References
    ----------
    Legg and Veness (2013), section 4.
    """
    rows: list[tuple[str, int]] = []
    settings: dict[str, object] = {}
    defaults = asdict(_Recipe())
    for number, line in enumerate(read_text(path, "ascii").splitlines(), 1):
        if line.startswith("! "):
            name, _, value = line[2:].partition(" = ")
            if name in defaults:
                typed = type(defaults[name])
                settings[name] = value == "True" if typed is bool else typed(value)
        elif line.strip():
            place, _, program = line.strip().partition(" ")
            if not place.lstrip("-").isdigit() or not -1 <= int(place) <= 20:
                problem = "[no-stratum] does not start with a stratum"
                remedy = "write a number from -1 to 20, a space, and the program"
                raise BadInput(f"{Path(path).name}, line {number}", line, problem, remedy)
            rows.append((check(program.strip()), int(place)))
    if not rows:
        raise BadInput("path", str(path), "[empty] has no program", "write one with save_sample")
    table = pd.DataFrame(rows, columns=["program", "stratum"])
    table.attrs = settings
    return table
