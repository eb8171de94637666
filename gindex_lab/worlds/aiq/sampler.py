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
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.inputs import read_text
from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.validate import Mode, choice, flag, integer, mode_of
from gindex_lab.worlds.aiq.program import MachineSettings, check
from gindex_lab.worlds.aiq.rewriting import REWRITINGS, passes_sdp, rewriter

__all__ = ["generate", "read_sample", "sample", "save_sample"]

DISCRIMINATIVE = ("none", "sdp", "exact")
_CHUNK = 20_000  # raw programs at a time
_PATIENCE = 1_000_000  # raw programs that may be drawn for each that is kept (some seconds)


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
        choice("rewriting", self.rewriting, REWRITINGS)
        choice("discriminative", self.discriminative, DISCRIMINATIVE)
        integer("minimum_length", self.minimum_length, 0)
        integer("seed", self.seed, 0)
        MachineSettings(self.symbols, self.observations)
        if self.theoretical and (self.minimum_length or self.extend_shorter):
            problem = "[not-together] cannot be combined with a minimum length"
            remedy = "leave out minimum_length and extend_shorter"
            raise BadInput("theoretical", True, problem, remedy)


def sample(
    n: int,
    rewriting: str = "sep-ext",
    discriminative: str = "none",
    seed: int = 0,
    *,
    symbols: int = 5,
    observations: int = 1,
    minimum_length: int = 0,
    extend_shorter: bool = False,
    mode: Mode = "exact",
    theoretical: bool = False,
) -> pd.DataFrame:
    """`n` random environment programs with their strata (columns `program`, `stratum`).

    `rewriting` deletes pointless code: "none", "original", "sep-orig", "sep-ext", "sep-ext-v1.2".
    `discriminative="sdp"` drops programs whose reward looks like chance, as the authors coded it;
    `"exact"` drops the programs of which it is proved that no policy earns more than another (and keeps the
    others, also the one in four that is not decided).
    Programs below `minimum_length` are dropped, or with `extend_shorter` another random program is put behind
    them. In `mode="reference"` the `#` between the two stays, as it does in the authors' code by mistake, so
    that what was added is never run. Long programs are rare (one raw program in 4,000 is kept with 150
    instructions or more): where less than one in a million would be kept, the search is given up.
    With `theoretical=True` nothing is rewritten or dropped: strata 0 and -1 are there as well.

    >>> programs = sample(3, seed=1)
    >>> list(programs.columns), len(programs), programs.attrs["rewriting"]
    (['program', 'stratum'], 3, 'sep-ext')

    References: Legg and Veness (2013), sections 4 and 5; Vadinský (2018), sections 3.1 and 3.2.
    """
    recipe = _Recipe(
        rewriting,
        discriminative,
        symbols,
        observations,
        minimum_length,
        extend_shorter,
        mode,
        theoretical,
        seed,
    )
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
    """Accepted programs, chunk after chunk of raw ones."""
    from gindex_lab.worlds.aiq.strata import probe

    settings = MachineSettings(recipe.symbols, recipe.observations)
    keep = _keeper(recipe)
    change = rewriter("none" if recipe.theoretical else recipe.rewriting)
    first, size = 0, min(_CHUNK, 8 * wanted + 200)
    accepted, longest = 0, 0
    while first <= _PATIENCE * (accepted + 1):
        if recipe.extend_shorter:
            programs, numbers = _extended(recipe, change, first, size)
        else:
            raw, numbers = generate(size, recipe.seed, first, active=not recipe.theoretical)
            programs = [change(program) for program in raw]
        first += size
        longest = max([longest, *map(len, programs)])
        kept = [k for k, program in enumerate(programs) if keep(program)]
        programs = [programs[k] for k in kept]
        found = probe(programs, numbers[kept], settings, recipe.seed, recipe.minimum_length)
        rows = _accepted(recipe, programs, found)
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

    raw, numbers = generate(size, recipe.seed, first)
    programs = [change(program) for program in raw]
    short = [k for k, program in enumerate(programs) if len(program) < recipe.minimum_length]
    again = 0
    while short:
        again += 1
        own = int(stream_key(recipe.seed, again, 0, 1, PROGRAM)) & (2**63 - 1)
        more = generate(size, own, first)[0]
        for k in short:
            raw[k] = (raw[k] if recipe.mode == "reference" else raw[k][:-1]) + more[k]
            programs[k] = change(raw[k])
        short = [k for k in short if len(programs[k]) < recipe.minimum_length]
    active = [k for k, program in enumerate(programs) if "." in program and "," in program]
    return [programs[k] for k in active], numbers[active]


def _keeper(recipe: _Recipe) -> Callable[[str], bool]:
    """What is dropped before the probe."""
    if recipe.theoretical:
        return lambda program: True
    if recipe.discriminative == "sdp":
        return lambda program: len(program) >= recipe.minimum_length and passes_sdp(program)
    return lambda program: len(program) >= recipe.minimum_length


def _accepted(recipe: _Recipe, programs: list[str], found: list[int]) -> list[tuple[str, int]]:
    if recipe.theoretical:
        without = [
            0 if "." not in program or "," not in program else place
            for program, place in zip(programs, found, strict=True)
        ]
        return list(zip(programs, without, strict=True))
    pairs = [pair for pair in zip(programs, found, strict=True) if pair[1] > 0]
    if recipe.discriminative != "exact":
        return pairs
    from gindex_lab.worlds.aiq.exact import QUICK
    from gindex_lab.worlds.aiq.semantics import is_discriminative

    return [
        pair
        for pair in pairs
        if is_discriminative(pair[0], recipe.symbols, recipe.observations, QUICK) is not False
    ]


def generate(
    n: int, seed: int, first: int = 0, active: bool = False
) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Raw programs `first` to `first + n - 1` of a seed, and their numbers.

    With `active=True` only those that both read and write: the others cannot be environments.
    (Legg and Veness 2013, section 4.)

    >>> generate(4, seed=1)[0] == generate(2, seed=1)[0] + generate(2, seed=1, first=2)[0]
    True
    """
    from gindex_lab.worlds.aiq import generator_kernel

    size = 64 * integer("n", n, 1) + 100_000
    while True:
        text = np.empty(size, dtype=np.uint8)
        ends, numbers = generator_kernel.generate(n, first, seed, active, text)
        if len(ends) == 0 or ends[-1] >= 0:
            break
        size *= 2  # a rare long program did not fit
    joined = text[: ends[-1] if len(ends) else 0].tobytes().decode()
    begins = [0, *ends[:-1].tolist()]
    return [joined[a:b] for a, b in zip(begins, ends.tolist(), strict=False)], numbers


def save_sample(programs: pd.DataFrame, path: str | Path) -> None:
    """Write a sample: its settings in the first lines, then one `stratum program` per line.

    The body is the format of the authors' sample files. (Legg and Veness 2013, section 4.)
    """
    head = [f"! {name} = {value}" for name, value in programs.attrs.items()]
    body = [f"{s} {p}" for s, p in zip(programs["stratum"], programs["program"], strict=True)]
    write_text(Path(path), "\n".join([*head, *body]) + "\n")


def read_sample(path: str | Path) -> pd.DataFrame:
    """Read a sample of ours or of the authors' test; each program is checked.

    Raises `BadInput` with the line number for anything that is not a stratum and a program.
    (Legg and Veness 2013, section 4.)
    """
    rows: list[tuple[str, int]] = []
    settings: dict[str, str] = {}
    for number, line in enumerate(_text(path).splitlines(), 1):
        if line.startswith("! "):
            name, _, value = line[2:].partition(" = ")
            settings[name] = value
        elif line.strip():
            rows.append(_row(path, number, line))
    if not rows:
        raise BadInput("path", str(path), "[empty] has no program", "write one with save_sample")
    table = pd.DataFrame(rows, columns=["program", "stratum"])
    table.attrs = _typed(settings)
    return table


def _text(path: str | Path) -> str:
    return read_text(path, "ascii")


def _row(path: str | Path, number: int, line: str) -> tuple[str, int]:
    place, _, program = line.strip().partition(" ")
    if not place.lstrip("-").isdigit() or not -1 <= int(place) <= 20:
        problem = "[no-stratum] does not start with a stratum"
        remedy = "write a number from -1 to 20, a space, and the program"
        raise BadInput(f"{Path(path).name}, line {number}", line, problem, remedy)
    return check(program.strip()), int(place)


def _typed(settings: dict[str, str]) -> dict[str, object]:
    """Settings as they were before they were written."""
    defaults = asdict(_Recipe())
    return {
        name: value == "True" if defaults[name] is False else type(defaults[name])(value)
        for name, value in settings.items()
        if name in defaults
    }
