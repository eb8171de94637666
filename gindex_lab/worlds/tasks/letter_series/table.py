"""The table of all series that short programs write, made once and kept in the user's cache.

Rows are outputs (rotated to begin with `a`), each with the shortest programs that write it; a shorter
program that is slower and a longer one that is faster both stay, so that any offset and rounding can be
applied. Sorted by output, so that all series with a given beginning are one slice. The file carries its
checksum: a damaged one is made again.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.kept import keep, kept
from gindex_lab.foundation.likes import LettersLike
from gindex_lab.foundation.places import cache_folder
from gindex_lab.foundation.validate import FloatArray, IntArray
from gindex_lab.worlds.tasks.letter_series.kt import KtScale, pattern_of, tabled
from gindex_lab.worlds.tasks.letter_series.machine import ALPHABET, letters_of

__all__ = ["LETTERS", "Table", "table"]

VERSION = 1  # raise it when the enumeration gives another table: old files are then ignored
LETTERS = 14  # of each output; as many digits in base 27 as a whole number of 64 bits holds
BOUND = 16.0  # programs of higher Kt are left out: above the hardest published item (14) and its rivals
_COLUMNS = ("key", "length", "steps", "code")


@dataclass(frozen=True)
class Table:
    """All outputs of programs up to `longest` instructions, as columns: `key` (the output in base 27),
    `length`, `steps` to letter `n_time`, `code` (the packed program). (Generality supplement, A.2.)

    >>> round(table(6).kt("acbdced"), 4), table(6).continuations("adgj")["letter"].tolist()
    (10.0875, ['m'])
    """

    longest: int
    scale: KtScale
    key: IntArray = field(repr=False)
    length: IntArray = field(repr=False)
    steps: IntArray = field(repr=False)
    code: IntArray = field(repr=False)

    def __len__(self) -> int:
        return len(self.key)

    def shorter(self, longest: int) -> Table:
        """The same table for programs of fewer instructions."""
        keep = self.length <= longest
        columns = (getattr(self, name)[keep] for name in _COLUMNS)
        return Table(min(longest, self.longest), self.scale, *columns)

    @cached_property
    def costs(self) -> FloatArray:
        """Unrounded Kt of each row."""
        return self.scale.cost(self.length, self.steps)

    @cached_property
    def digits(self) -> npt.NDArray[np.int8]:
        """The letter of each row at each place (0 to 25, the first 0), -1 where the output has ended."""
        places = [self.key // 27 ** (LETTERS - 1 - place) % 27 - 1 for place in range(1, LETTERS)]
        return np.array([np.zeros_like(self.key), *places], dtype=np.int8)

    def outputs(self) -> list[str]:
        """What each row writes."""
        return ["".join(ALPHABET[k] for k in row if k >= 0) for row in self.digits.T.tolist()]

    def kt(self, sequence: LettersLike) -> float:
        """Unrounded Kt of a series among these programs, inf where none writes it."""
        return float(self.costs[self._rows(letters_of("sequence", sequence))].min(initial=np.inf))

    def continuations(self, pattern: LettersLike) -> pd.DataFrame:
        """Each letter that some program puts into the gap (or at the end), the cheapest first."""
        letters, rows = self.answers(*pattern_of(pattern))
        return tabled(letters, rows, (self.costs, self.length, self.steps, self.code))

    def answers(self, codes: tuple[int, ...], gap: int) -> tuple[IntArray, IntArray]:
        """Letters for the gap, the cheapest first, and the row of the cheapest program of each."""
        rows = self._rows(codes)
        anchor = 1 if codes[0] < 0 else 0
        digits = self.digits[gap, rows].astype(np.int64) - self.digits[anchor, rows]
        order = np.argsort(self.costs[rows], kind="stable")
        letters = ((digits + codes[anchor]) % 26)[order]
        _, first = np.unique(letters, return_index=True)
        first.sort()
        return letters[first], rows[order][first]

    def _rows(self, codes: tuple[int, ...]) -> IntArray:
        """The rows that write this pattern (-1: any letter), up to rotation."""
        problem = f"[too-long] letters are more than the {LETTERS} of the table"
        remedy = "use gl.letter_series.kt or continuations, which search for it"
        ensure(len(codes) <= LETTERS, "sequence", len(codes), problem, remedy)
        known = codes.index(-1) if -1 in codes else len(codes)  # letters before the gap
        low, high = self._range(codes[:known])
        anchor = 1 if codes[0] < 0 else 0
        digits = self.digits[:, low:high]
        fits = digits[len(codes) - 1] >= 0
        for place in range(known + 1, len(codes)):
            fits &= (digits[place] - digits[anchor] - codes[place] + codes[anchor]) % 26 == 0
        return np.flatnonzero(fits) + low

    def _range(self, start: tuple[int, ...]) -> tuple[int, int]:
        """The slice of outputs that begin in this way."""
        if len(start) < 2:
            return 0, len(self)
        value = 0
        for code in start[1:]:
            value = value * 27 + (code - start[0]) % 26 + 1
        step = 27 ** (LETTERS - len(start))
        low, high = np.searchsorted(self.key, [value * step, (value + 1) * step])
        return int(low), int(high)


def table(longest: int = 9, *, n_time: int = 6, offset: float = 1.0) -> Table:
    """The table of all series that programs of up to `longest` instructions write.

    Parameters
    ----------
    longest : the most instructions, up to 10 (an hour and more); 9 take about ten seconds, once
    n_time, offset : how length and time become Kt, as in `KtScale`

    Returns
    -------
    Table : from the user's cache, or made and kept there

    References
    ----------
    Generality supplement, A.2.

    Examples
    --------
    >>> len(table(6)) == len(table(6).key)
    True
    """
    problem = "[too-slow] makes a table that takes an hour or more"
    ensure(longest <= 10, "longest", longest, problem, "use 10 or fewer; gl.letter_series.kt searches")
    return _table(longest, KtScale("none", n_time, float(offset)), cache_folder())


@lru_cache(maxsize=8)
def _table(longest: int, scale: KtScale, folder: Path) -> Table:
    path = folder / "letter_series" / f"v{VERSION}-{longest}-{scale.n_time}-{scale.offset:g}.npz"
    content = kept(path)
    if content is not None:
        with np.load(io.BytesIO(content)) as stored:
            return Table(longest, scale, *(stored[name] for name in _COLUMNS))
    columns = _made(longest, scale)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **columns)  # type: ignore[arg-type]
    keep(path, buffer.getvalue())
    return Table(longest, scale, *columns.values())


def _made(longest: int, scale: KtScale) -> dict[str, IntArray]:
    """Enumerate, and of each output keep what is shortest or fastest."""
    from gindex_lab.worlds.tasks.letter_series.kernel import enumerate_outputs

    rows, _ = enumerate_outputs(longest, LETTERS, scale.n_time, scale.offset, BOUND)
    found = pd.DataFrame(rows, columns=_COLUMNS).sort_values(list(_COLUMNS))
    found = found.drop_duplicates(["key", "length"])
    fewest = found.groupby("key")["steps"].cummin()
    best = found[~found.duplicated("key") | (found["steps"] < fewest.shift())]
    return {name: best[name].to_numpy().copy() for name in _COLUMNS}
