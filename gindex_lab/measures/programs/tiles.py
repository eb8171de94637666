"""All pairs of a large corpus, tile by tile: on many cores or a cluster, and into a file.

The matrix of Δ is cut into square tiles; each is computed by itself, and where Δ is symmetric only those
on and above the diagonal are. Into a file (a plain .npy, to be opened with `np.load(..., mmap_mode="r")`)
each tile is written as it comes, so the matrix is never held in memory, and a journal beside the file says
which tiles are safe: killed at any moment, the same call computes the rest, and the bytes are the same.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation import parallel
from gindex_lab.foundation.errors import BadInput, CannotWrite
from gindex_lab.foundation.fingerprints import mark_of_arrays
from gindex_lab.foundation.journals import Journal
from gindex_lab.foundation.output import appendable, writing
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.programs.encode import FlowTable, IntArray, Rules, encode
from gindex_lab.measures.programs.flows import Flow
from gindex_lab.measures.programs.kinds import copies_of, distinct

__all__ = ["Corpus", "all_pairs", "all_pairs_in_file"]

FORMAT = "gindex_lab pairwise 2"
_LARGEST = 1_000  # flows along a side: a million pairs, about half a second
_SIDES = 8  # tiles along a side of a smaller matrix, enough for every core to have some
Matrix = npt.NDArray[np.floating[Any]]
Intervals = dict[tuple[int, int], tuple[float, float]]


class Corpus(NamedTuple):
    """What a worker needs to know: the encoded flows, which are copies, and how to compare.

    `of` names one flow of each kind and `number` the kind of every flow; `mirrored`: Δ is symmetric.
    """

    table: FlowTable
    of: IntArray
    number: IntArray
    rules: Rules
    mirrored: bool

    @classmethod
    def encoded(cls, flows: list[Flow], rules: Rules) -> Corpus:
        table, mirrored = encode(flows, rules)
        return cls(table, *copies_of(table), rules, mirrored)

    @property
    def side(self) -> int:
        """Flows along a side of a tile."""
        return max(1, min(_LARGEST, -(-len(self.number) // _SIDES)))

    def tiles(self) -> list[tuple[int, int]]:
        """(row, column) of every tile that is computed.

        >>> Corpus.encoded([Flow([{"id": "a", "type": "tab"}])] * 2, Rules()).tiles()
        [(0, 0), (0, 1), (1, 1)]
        """
        count = -(-len(self.number) // self.side)
        return [(r, c) for r in range(count) for c in range(r if self.mirrored else 0, count)]

    def flows_at(self, k: int) -> slice:
        """The flows of the k-th row, or column, of tiles."""
        return slice(k * self.side, min((k + 1) * self.side, len(self.number)))


class Tile(NamedTuple):
    """Δ of the flows of a tile, the pairs that stayed open by their flows, and what decided the others."""

    values: FloatArray
    intervals: Intervals
    decided: Counter[str]


def all_pairs(corpus: Corpus, dtype: npt.DTypeLike, jobs: int | None) -> tuple[Matrix, Intervals]:
    """The whole matrix in memory, and the intervals of the pairs that stayed open."""
    values = np.empty((len(corpus.number),) * 2, dtype)
    intervals: Intervals = {}
    for place, tile in _computed(corpus, corpus.tiles(), jobs):
        _put(values, corpus, place, tile.values)
        intervals |= tile.intervals
    return values, intervals


def all_pairs_in_file(
    corpus: Corpus, out: str | os.PathLike[str], dtype: npt.DTypeLike, jobs: int | None
) -> tuple[Matrix, Intervals]:
    """The matrix in the file `out`, opened for reading, and the intervals of what stayed open.

    Until all is done the numbers are in `out` + ".part"; the journal is `out` + ".journal" and stays
    beside the finished file as its certificate.
    """
    file = _File(Path(out), (len(corpus.number),) * 2, np.dtype(dtype))
    journal = file.journal(_header(corpus, file.dtype))
    _recheck(file, corpus, journal)
    known = {tuple(entry["tile"]) for entry in journal.entries}
    missing = [tile for tile in corpus.tiles() if tile not in known]
    if missing:
        file.reopen()
    with closing(_computed(corpus, missing, jobs)) as tiles:
        for place, tile in tiles:
            file.put(corpus, place, tile.values)
            journal.add(_entry(place, tile, file.dtype))
    file.finish()
    opened = {
        (int(i), int(j)): (low, high)
        for entry in journal.entries
        for i, j, low, high in entry["open"]
    }
    return np.load(file.out, mmap_mode="r"), opened


def _computed(
    corpus: Corpus, tiles: list[tuple[int, int]], jobs: int | None
) -> Generator[tuple[tuple[int, int], Tile]]:
    done = parallel.as_done(
        _tile, tiles, shared=(corpus,), jobs=jobs, progress="tiles of Δ", batch=1
    )
    return ((tiles[k], tile) for k, tile in done)


def _tile(corpus: Corpus, place: tuple[int, int]) -> Tile:
    """One tile; copies are compared once."""
    rows, columns = (corpus.number[corpus.flows_at(k)] for k in place)
    left, right = np.unique(rows), np.unique(columns)
    values, opened, decided = distinct(corpus.table, corpus.of, left, right, corpus.mirrored)
    first, second = (corpus.side * k for k in place)
    intervals = {
        (first + int(i), second + int(j)): interval
        for (p, q), interval in opened.items()
        for i in np.flatnonzero(rows == p)
        for j in np.flatnonzero(columns == q)
    }
    if corpus.mirrored:
        intervals |= {(j, i): interval for (i, j), interval in intervals.items()}
    chosen = np.ix_(np.searchsorted(left, rows), np.searchsorted(right, columns))
    return Tile(values[chosen], intervals, decided)


def _put(
    matrix: npt.NDArray[Any], corpus: Corpus, place: tuple[int, int], values: FloatArray
) -> None:
    rows, columns = (corpus.flows_at(k) for k in place)
    matrix[rows, columns] = values
    if corpus.mirrored:
        matrix[columns, rows] = values.T


def _header(corpus: Corpus, dtype: np.dtype[Any]) -> dict[str, Any]:
    """What must agree for two runs to be parts of one: everything that decides the bytes."""
    rules, table = vars(corpus.rules), corpus.table
    nodes = table.content
    wires = table.corner, table.relation
    arrays = table.first, table.kind, *nodes[:3], *wires, nodes.share, nodes.rest, table.place
    switches = ", ".join(name for name, on in rules.items() if on) or "none"
    return {
        "format": FORMAT,
        "programs": len(corpus.number),
        "rules": switches,
        "numbers": dtype.name,
        "corpus": mark_of_arrays(arrays),
    }


def _entry(place: tuple[int, int], tile: Tile, dtype: np.dtype[Any]) -> dict[str, Any]:
    opened = [[*pair, *interval] for pair, interval in tile.intervals.items()]
    entry = {"tile": list(place), "decided": dict(tile.decided), "open": opened}
    return entry | {"numbers": mark_of_arrays([tile.values.astype(dtype)])}


def _recheck(file: _File, corpus: Corpus, journal: Journal) -> None:
    """Hold every tile in the file against its hash; what is damaged is forgotten."""
    if not journal.entries:
        return
    matrix = np.load(file.found(), mmap_mode="r")
    damaged = [entry for entry in journal.entries if not _is_sound(matrix, corpus, entry)]
    del matrix
    if len(damaged) == len(journal.entries) and file.out.exists():
        raise file.bad(file.out, "holds other numbers than its journal says")
    if damaged:
        journal.forget(damaged, "in the file of numbers are")


def _is_sound(matrix: npt.NDArray[Any], corpus: Corpus, entry: dict[str, Any]) -> bool:
    rows, columns = (corpus.flows_at(k) for k in entry["tile"])
    values = matrix[rows, columns]
    if mark_of_arrays([values]) != entry["numbers"]:
        return False
    return not corpus.mirrored or matrix[columns, rows].T.tobytes() == values.tobytes()


_FORMAT = b'{"format": "gindex_'  # how every journal of ours begins


@dataclass(frozen=True)
class _File:
    """A .npy file in the making: `out`.part until it is complete."""

    out: Path
    shape: tuple[int, int]
    dtype: np.dtype[Any]

    @property
    def part(self) -> Path:
        return self.out.with_name(self.out.name + ".part")

    def journal(self, header: dict[str, Any]) -> Journal:
        """The journal of this file, whose data are there, too: found, or begun."""
        appendable(self.out, "out")
        path = self.out.with_name(self.out.name + ".journal")
        for place in (self.part, path):
            appendable(place, "out")
        found = self.found() if self.out.exists() or self.part.exists() else None
        if found is None:
            self._check_dropped(path)
            journal = Journal(path, header, "out", anew=True)
            try:
                self._reserve()
            except BaseException:
                self.part.unlink(missing_ok=True)
                path.unlink(missing_ok=True)
                raise
            return journal
        if not path.exists():
            raise self.bad(found, "[not-ours] already exists, and no journal describes it")
        journal = Journal(path, header, "out")
        if found == self.out and not journal.entries:
            raise self.bad(found, "[not-ours] already exists, and its journal does not describe it")
        self._check(found)
        return journal

    def _check_dropped(self, path: Path) -> None:
        """A journal whose numbers are gone says nothing; another file of that name is not ours to replace."""
        with writing(path, "out"):
            begins = path.read_bytes()[:20] if path.exists() else b""
        if not _FORMAT.startswith(begins) and not begins.startswith(_FORMAT):
            raise self.bad(path, "already exists and is not one of our journals")

    def found(self) -> Path:
        """Where the numbers are now."""
        return self.out if self.out.exists() else self.part

    def reopen(self) -> None:
        """A finished file of which something is missing is in the making again."""
        if not self.part.exists():
            self.out.replace(self.part)

    def _check(self, found: Path) -> None:
        try:
            matrix = np.load(found, mmap_mode="r")
        except (ValueError, OSError, EOFError, TypeError, SyntaxError, MemoryError) as error:
            raise self.bad(found, f"[damaged] is damaged ({error})") from None
        if (matrix.shape, matrix.dtype) != (self.shape, self.dtype):
            raise self.bad(found, f"[wrong-shape] holds {matrix.shape} numbers {matrix.dtype}")

    def _reserve(self) -> None:
        """The file at its full size: a disk that is too small is told now, not by a crash later."""
        with writing(self.part, "out"):
            np.lib.format.open_memmap(self.part, mode="w+", dtype=self.dtype, shape=self.shape)
        size = self.part.stat().st_size
        if hasattr(os, "posix_fallocate"):
            with self.part.open("r+b") as file:
                try:
                    os.posix_fallocate(file.fileno(), 0, size)
                except OSError as error:
                    problem = f"needs {size / 1e9:.2g} GB ({error.strerror})"
                    remedy = "free some space, or write to another disk"
                    raise CannotWrite("out", str(self.out), problem, remedy) from None

    def put(self, corpus: Corpus, place: tuple[int, int], values: FloatArray) -> None:
        """Write a tile through to the disk; opened each time, since mapped pages count as memory."""
        matrix: Any = np.lib.format.open_memmap(self.part, mode="r+")
        _put(matrix, corpus, place, values)
        matrix.flush()

    def finish(self) -> None:
        """The numbers under their own name; not over a file that somebody put there meanwhile."""
        if not self.part.exists():
            return
        if os.path.lexists(self.out):
            raise self.bad(self.out, "[not-ours] was made by somebody else meanwhile")
        with writing(self.out, "out"):
            self.part.replace(self.out)

    def bad(self, path: Path, problem: str) -> BadInput:
        """The error of a file that is not what this computation wrote."""
        return BadInput("out", str(path), problem, "name a new file, or delete this one")
