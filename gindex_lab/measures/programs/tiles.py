"""All pairs of a corpus: in memory, or tile by tile on many cores or a cluster, and into a file.

The matrix of Δ is cut into square tiles; each is computed by itself, and where Δ is symmetric only those
on and above the diagonal are. Into a file (a plain .npy, to be opened with `np.load(..., mmap_mode="r")`)
each tile is written as it comes, so the matrix is never held in memory, and a journal beside the file says
which tiles are safe: killed at any moment, the same call computes the rest, and the bytes are the same.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, overload

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.foundation import parallel
from gindex_lab.foundation.errors import BadInput, CannotWrite, ensure
from gindex_lab.foundation.fingerprints import mark_of_arrays
from gindex_lab.foundation.journals import Journal
from gindex_lab.foundation.output import appendable, writing
from gindex_lab.foundation.validate import FloatArray, Mode, choice
from gindex_lab.measures.programs.comparison import (
    Comparison,
    Corpus,
    Intervals,
    compare,
    flows_of,
    warn_open,
)
from gindex_lab.measures.programs.encode import Rules
from gindex_lab.measures.programs.flows import FlowLike

__all__ = ["pairwise"]

FORMAT = "gindex_lab pairwise 2"
_BEGINNING = b'{"format": "gindex_'  # how every journal of ours begins
_LARGEST = 1_000  # flows along a side: a million pairs, about half a second (a judgement)
_SIDES = 8  # tiles along a side of a smaller matrix, enough for every core to have some (a judgement)
Matrix = npt.NDArray[np.floating[Any]]
Place = tuple[int, int]  # row and column of a tile


@overload
def pairwise(
    flows: Mapping[str, FlowLike], mode: Mode | Rules = "exact", *, jobs: int | None = 1
) -> pd.DataFrame: ...
@overload
def pairwise(
    flows: Sequence[FlowLike],
    mode: Mode | Rules = "exact",
    *,
    out: str | PathLike[str] | None = None,
    dtype: str = "float64",
    jobs: int | None = 1,
) -> Matrix: ...
def pairwise(
    flows: Sequence[FlowLike] | Mapping[str, FlowLike],
    mode: Mode | Rules = "exact",
    *,
    out: str | PathLike[str] | None = None,
    dtype: str = "float64",
    jobs: int | None = 1,
) -> Matrix | pd.DataFrame:
    """The matrix of Δ between all programs of a corpus.

    Parameters
    ----------
    flows : the programs, as a list or by name
    mode : "exact", "reference", or `Rules`
    out : a .npy file to write tile by tile, for a corpus too large for the memory
        When the run is interrupted, the same call goes on where it was: a journal beside the file knows.
    dtype : "float64", or "float32", which halves the file and rounds Δ to seven digits
    jobs : processes that share the work (None: all cores), or the workers of `gl.cluster`

    Returns
    -------
    array (row = first program), read from `out` where that is given; of programs by name, a DataFrame

    Notes
    -----
    A warning tells of pairs that stayed open; `gl.compare` has their intervals.

    References
    ----------
    g-index paper, Eq 5 and Figure 6.

    Examples
    --------
    >>> chain = [{"id": "a", "type": "in", "wires": [["b"]]}, {"id": "b", "type": "out"}]
    >>> pairwise([chain, chain[:1], chain[1:]]).tolist()
    [[0.0, 0.5, 0.5], [0.5, 0.0, 1.0], [0.5, 1.0, 0.0]]
    """
    named = isinstance(flows, Mapping)
    programs = list(flows.values()) if isinstance(flows, Mapping) else flows
    kind = choice("dtype", dtype, ["float64", "float32"])
    problem = "[no-names] holds numbers without names"
    ensure(not named or out is None, "out", str(out), problem, "pass list(flows.values()), keep the names")
    values: Matrix
    if out is None and jobs == 1 and not parallel.on_cluster():
        result = compare(programs, mode=mode)
        values, opened = result.values.astype(kind, copy=False), result.intervals
    else:
        tiles = _Tiles(Corpus.encoded(flows_of("flows", programs), Rules.of(mode)))
        values, opened = tiles.in_memory(kind, jobs) if out is None else tiles.in_file(out, kind, jobs)
    warn_open(opened)
    return pd.DataFrame(values, list(flows), list(flows)) if named else values


@dataclass(frozen=True)
class _Tiles:
    """The matrix of a corpus, cut into tiles."""

    corpus: Corpus

    @property
    def flows(self) -> int:
        return len(self.corpus.number)

    @property
    def side(self) -> int:
        """Flows along a side of a tile."""
        return max(1, min(_LARGEST, -(-self.flows // _SIDES)))

    def places(self) -> list[Place]:
        """(row, column) of every tile that is computed."""
        count = -(-self.flows // self.side)
        return [(r, c) for r in range(count) for c in range(r if self.corpus.mirrored else 0, count)]

    def slices(self, place: Place) -> tuple[slice, slice]:
        """The flows of the rows and of the columns of a tile."""
        rows, columns = (slice(k * self.side, min((k + 1) * self.side, self.flows)) for k in place)
        return rows, columns

    def computed(self, places: list[Place], jobs: int | None) -> Generator[tuple[Place, Comparison]]:
        """Each tile with its place, as it is done."""
        options: dict[str, Any] = {"jobs": jobs, "progress": "tiles of Δ", "batch": 1}
        done = parallel.as_done(_tile, places, shared=(self,), **options)
        return ((places[k], tile) for k, tile in done)

    def put(self, matrix: npt.NDArray[Any], place: Place, values: FloatArray) -> None:
        """Write a tile into the matrix, and its mirror image where Δ is symmetric."""
        rows, columns = self.slices(place)
        matrix[rows, columns] = values
        if self.corpus.mirrored:
            matrix[columns, rows] = values.T

    def in_memory(self, dtype: npt.DTypeLike, jobs: int | None) -> tuple[Matrix, Intervals]:
        """The whole matrix, and the intervals of the pairs that stayed open."""
        values = np.empty((self.flows, self.flows), dtype)
        intervals: Intervals = {}
        for place, tile in self.computed(self.places(), jobs):
            self.put(values, place, tile.values)
            intervals |= tile.intervals
        return values, intervals

    def in_file(
        self, out: str | PathLike[str], dtype: npt.DTypeLike, jobs: int | None
    ) -> tuple[Matrix, Intervals]:
        """The matrix in the file `out`, opened for reading, and the intervals of what stayed open.

        Until all is done the numbers are in `out` + ".part"; the journal is `out` + ".journal" and stays
        beside the finished file as its certificate.
        """
        file = _File(Path(out), (self.flows, self.flows), np.dtype(dtype))
        journal = file.journal(self._header(file.dtype))
        self._recheck(file, journal)
        known = {tuple(entry["tile"]) for entry in journal.entries}
        missing = [place for place in self.places() if place not in known]
        if missing and not file.part.exists():  # a finished file of which something is missing
            file.out.replace(file.part)
        with closing(self.computed(missing, jobs)) as tiles:
            for place, tile in tiles:
                file.put(self, place, tile.values)
                opened = [[*pair, *interval] for pair, interval in tile.intervals.items()]
                entry = {"tile": list(place), "decided": dict(tile.decided), "open": opened}
                journal.add(entry | {"numbers": mark_of_arrays([tile.values.astype(file.dtype)])})
        file.finish()
        found = [pair for entry in journal.entries for pair in entry["open"]]
        return np.load(file.out, mmap_mode="r"), {(int(i), int(j)): (low, high) for i, j, low, high in found}

    def _header(self, dtype: np.dtype[Any]) -> dict[str, Any]:
        """What must agree for two runs to be parts of one: everything that decides the bytes."""
        table, nodes = self.corpus.table, self.corpus.table.content
        arrays = table.first, table.kind, *nodes[:3], table.corner, table.relation
        return {
            "format": FORMAT,
            "programs": self.flows,
            "rules": ", ".join(name for name, on in vars(self.corpus.rules).items() if on) or "none",
            "numbers": dtype.name,
            "corpus": mark_of_arrays((*arrays, nodes.share, nodes.rest, table.place)),
        }

    def _recheck(self, file: _File, journal: Journal) -> None:
        """Compare every tile in the file with its hash; what is damaged is forgotten."""
        if not journal.entries:
            return
        matrix = np.load(file.found(), mmap_mode="r")
        damaged = [entry for entry in journal.entries if not self._is_sound(matrix, entry)]
        del matrix
        if len(damaged) == len(journal.entries) and file.out.exists():
            raise file.bad(file.out, "holds other numbers than its journal says")
        if damaged:
            journal.forget(damaged, "in the file of numbers are")

    def _is_sound(self, matrix: npt.NDArray[Any], entry: dict[str, Any]) -> bool:
        rows, columns = self.slices(entry["tile"])
        values = matrix[rows, columns]
        mirrored = not self.corpus.mirrored or matrix[columns, rows].T.tobytes() == values.tobytes()
        return mirrored and mark_of_arrays([values]) == entry["numbers"]


def _tile(tiles: _Tiles, place: Place) -> Comparison:
    """One tile; the pairs that stayed open by their flows."""
    rows, columns = tiles.slices(place)
    tile = tiles.corpus.between(rows, columns)
    intervals = {(rows.start + i, columns.start + j): bounds for (i, j), bounds in tile.intervals.items()}
    if tiles.corpus.mirrored:
        intervals |= {(j, i): bounds for (i, j), bounds in intervals.items()}
    return Comparison(tile.values, intervals, tile.decided)


@dataclass(frozen=True)
class _File:
    """A .npy file in the making: `out`.part until it is complete."""

    out: Path
    shape: tuple[int, int]
    dtype: np.dtype[Any]

    @property
    def part(self) -> Path:
        return self.out.with_name(self.out.name + ".part")

    def found(self) -> Path:
        """Where the numbers are now."""
        return self.out if self.out.exists() else self.part

    def journal(self, header: dict[str, Any]) -> Journal:
        """The journal of this file, whose data are there, too: found, or begun."""
        path = self.out.with_name(self.out.name + ".journal")
        for place in (self.out, self.part, path):
            appendable(place, "out")
        found = self.found()
        if not found.exists():
            return self._begun(path, header)
        if not path.exists():
            raise self.bad(found, "[not-ours] already exists, and no journal describes it")
        journal = Journal(path, header, "out")
        if found == self.out and not journal.entries:
            raise self.bad(found, "[not-ours] already exists, and its journal does not describe it")
        try:
            matrix = np.load(found, mmap_mode="r")
        except (ValueError, OSError, EOFError, TypeError, SyntaxError, MemoryError) as error:
            raise self.bad(found, f"[damaged] is damaged ({error})") from None
        if (matrix.shape, matrix.dtype) != (self.shape, self.dtype):
            raise self.bad(found, f"[wrong-shape] holds {matrix.shape} numbers {matrix.dtype}")
        return journal

    def _begun(self, path: Path, header: dict[str, Any]) -> Journal:
        """A new journal and room for the numbers.

        A journal whose numbers are gone says nothing; another file of that name is not ours to replace.
        """
        with writing(path, "out"):
            begins = path.read_bytes()[:20] if path.exists() else b""
        if not _BEGINNING.startswith(begins) and not begins.startswith(_BEGINNING):
            raise self.bad(path, "already exists and is not one of our journals")
        journal = Journal(path, header, "out", anew=True)
        try:
            self._reserve()
        except BaseException:
            self.part.unlink(missing_ok=True)
            path.unlink(missing_ok=True)
            raise
        return journal

    def _reserve(self) -> None:
        """The file at its full size: a disk that is too small gives an error now, not a crash later."""
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

    def put(self, tiles: _Tiles, place: Place, values: FloatArray) -> None:
        """Write a tile through to the disk; opened each time, since mapped pages count as memory."""
        matrix: Any = np.lib.format.open_memmap(self.part, mode="r+")
        tiles.put(matrix, place, values)
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
