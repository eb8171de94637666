"""The table of all series that short programs write, made once and kept in the user's cache.

Rows are outputs (rotated to begin with `a`), each with the shortest programs that write it; a shorter
program that is slower and a longer one that is faster both stay, so that any offset and rounding can be
applied. Sorted by output, so that all series with a given beginning are one slice. The file carries its
checksum: a damaged one is rebuilt.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.kept import keep, kept
from gindex_lab.foundation.likes import LettersLike
from gindex_lab.foundation.places import cache_folder
from gindex_lab.foundation.validate import FloatArray, integer
from gindex_lab.worlds.tasks.letter_series.kt import KtScale, pattern_of
from gindex_lab.worlds.tasks.letter_series.machine import ALPHABET, letters_of, text_of

__all__ = ["LETTERS", "Table", "table"]

VERSION = 1  # raise it when the enumeration gives another table: old files are then ignored
LETTERS = 14  # of each output; as many digits in base 27 as a whole number of 64 bits holds
BOUND = 16.0  # programs of higher Kt are left out
_COLUMNS = ("key", "length", "steps", "code")
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Table:
    """All outputs of programs up to `longest` instructions, as columns: `key` (the output in base 27),
    `length`, `steps` to letter `n_time`, `code` (the packed program). (Generality supplement, A.2.)"""

    longest: int
    scale: KtScale
    key: Ints = field(repr=False)
    length: Ints = field(repr=False)
    steps: Ints = field(repr=False)
    code: Ints = field(repr=False)

    def __len__(self) -> int:
        return len(self.key)

    def shorter(self, longest: int) -> Table:
        """The same table for programs of fewer instructions.

        >>> table(6).shorter(5).longest
        5
        """
        limit = integer("longest", longest)
        keep = self.length <= limit
        columns = (getattr(self, name)[keep] for name in _COLUMNS)
        return Table(min(limit, self.longest), self.scale, *columns)

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
        """What each row writes.

        >>> table(6).outputs()[0][:6]
        'aaaaaa'
        """
        return [_letters(key) for key in self.key.tolist()]

    def kt(self, sequence: LettersLike) -> float:
        """Unrounded Kt of a series among these programs, inf where none writes it.

        >>> round(table(6).kt("acbdced"), 4)
        10.0875
        """
        codes = tuple(letters_of("sequence", sequence))
        costs = self.costs[self._rows(codes)]
        return float(costs.min()) if len(costs) else np.inf

    def continuations(self, pattern: LettersLike) -> pd.DataFrame:
        """Each letter that some program puts into the gap (or at the end), the cheapest first.

        >>> table(6).continuations("adgj")["letter"].tolist()
        ['m']
        """
        letters, found = self.answers(*pattern_of(pattern))
        return pd.DataFrame(
            {
                "letter": [ALPHABET[k] for k in letters],
                "kt": self.costs[found],
                "length": self.length[found],
                "steps": self.steps[found],
                "program": [text_of(int(code)) for code in self.code[found]],
            }
        )

    def answers(self, codes: tuple[int, ...], gap: int) -> tuple[Ints, Ints]:
        """Letters for the gap, the cheapest first, and the row of the cheapest program of each."""
        rows = self._rows(codes)
        anchor = 1 if codes[0] < 0 else 0
        digits = self.digits[gap, rows].astype(np.int64) - self.digits[anchor, rows]
        order = np.argsort(self.costs[rows], kind="stable")
        letters = ((digits + codes[anchor]) % 26)[order]
        _, first = np.unique(letters, return_index=True)
        first.sort()
        return letters[first], rows[order][first]

    def _rows(self, codes: tuple[int, ...]) -> Ints:
        """The rows that write this pattern (-1: any letter), up to rotation."""
        if len(codes) > LETTERS:
            problem = f"[too-long] letters are more than the {LETTERS} of the table"
            remedy = "use gl.letter_series.kt or continuations, which search for it"
            raise BadInput("sequence", len(codes), problem, remedy)
        low, high = self._range(codes)
        anchor = 1 if codes[0] < 0 else 0
        digits = self.digits[:, low:high]
        fits = digits[len(codes) - 1] >= 0
        known = codes.index(-1) if -1 in codes and codes[0] >= 0 else 0
        for place in range(known, len(codes)) if -1 in codes else ():
            if codes[place] >= 0:
                wanted = codes[place] - codes[anchor]
                fits &= (digits[place] - digits[anchor] - wanted) % 26 == 0
        return np.flatnonzero(fits) + low

    def _range(self, codes: tuple[int, ...]) -> tuple[int, int]:
        """The slice of outputs that begin as the pattern does before its gap."""
        known = codes.index(-1) if -1 in codes else len(codes)
        if known < 2:
            return 0, len(self)
        value = 0
        for code in codes[1:known]:
            value = value * 27 + (code - codes[0]) % 26 + 1
        step = 27 ** (LETTERS - known)
        low, high = np.searchsorted(self.key, [value * step, (value + 1) * step])
        return int(low), int(high)


def table(longest: int = 9, *, n_time: int = 6, offset: float = 1.0) -> Table:
    """The table for programs of up to `longest` instructions: from the cache, or made and kept there.

    Reference: Generality supplement, A.2.

    >>> len(table(6)) == len(table(6).key)
    True
    """
    limit = integer("longest", longest)
    if limit > 10:
        problem = "[too-slow] makes a table that takes an hour or more"
        raise BadInput("longest", longest, problem, "use 10 or fewer; gl.letter_series.kt searches")
    return _table(limit, KtScale("none", n_time, float(offset)), cache_folder())


@lru_cache(maxsize=8)
def _table(longest: int, scale: KtScale, folder: Path) -> Table:
    name = f"v{VERSION}-{longest}-{scale.n_time}-{scale.offset:g}.npz"
    path = folder / "letter_series" / name
    columns = _read(path)
    if columns is None:
        columns = _made(longest, scale)
        _write(path, columns)
    return Table(longest, scale, *columns)


def _made(longest: int, scale: KtScale) -> tuple[Ints, ...]:
    """Enumerate, and of each output keep what is shortest or fastest."""
    from gindex_lab.worlds.tasks.letter_series.kernel import enumerate_outputs

    found = enumerate_outputs(longest, LETTERS, scale.n_time, scale.offset, BOUND)
    key, length, steps, code = found[:4]
    order = np.lexsort((code, steps, length, key))
    key, length, steps, code = (column[order] for column in (key, length, steps, code))
    keep = np.ones(len(key), dtype=bool)
    keep[1:] = (key[1:] != key[:-1]) | (length[1:] != length[:-1])
    key, length, steps, code = (column[keep] for column in (key, length, steps, code))
    fewest = pd.Series(steps).groupby(key).cummin().to_numpy()
    before = np.r_[np.iinfo(np.int64).max, fewest[:-1]]
    keep = np.r_[True, key[1:] != key[:-1]] | (steps < before)
    return key[keep], length[keep], steps[keep], code[keep]


def _write(path: Path, columns: tuple[Ints, ...]) -> None:
    buffer = io.BytesIO()
    key, length, steps, code = columns
    np.savez_compressed(buffer, key=key, length=length, steps=steps, code=code)
    keep(path, buffer.getvalue())


def _read(path: Path) -> tuple[Ints, ...] | None:
    """The columns, or None where the file is absent or not what was written."""
    content = kept(path)
    if content is None:
        return None
    with np.load(io.BytesIO(content)) as stored:
        return tuple(stored[name] for name in _COLUMNS)


def _letters(key: int) -> str:
    digits = []
    for _ in range(LETTERS - 1):
        key, digit = divmod(key, 27)
        digits.append(digit)
    return "a" + "".join(ALPHABET[digit - 1] for digit in reversed(digits) if digit)
