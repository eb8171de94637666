"""Journals: text files by which a long computation goes on where it was interrupted.

The first line says what is computed, and must agree for two runs to be parts of one; each further line is
a piece that is finished. A line is written when its piece is safe, and one that was cut off by a kill does
not count, so a journal never promises more than there is.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gindex_lab.errors import BadInput
from gindex_lab.files import write_text

__all__ = ["Journal", "fingerprint"]


class Journal:
    """`header` and finished pieces (`entries`, each plain JSON), in memory and in the file.

    `argument` is the argument that named the file, for the messages.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Path(folder, "sums.journal")
    ...     Journal(place, {"format": "sums 1", "n": 3}).add({"piece": 0, "sum": 0.5})
    ...     Journal(place, {"format": "sums 1", "n": 3}).entries
    [{'piece': 0, 'sum': 0.5}]
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        header: Mapping[str, Any],
        argument: str = "checkpoint",
    ) -> None:
        self.path, self.header, self.argument = Path(path), dict(header), argument
        self.entries: list[Any] = []
        if self.path.exists():
            self._read()
        else:
            write_text(self.path, json.dumps(self.header) + "\n")

    def add(self, entry: Any) -> None:
        """Write a finished piece down; it is on the disk when this returns."""
        self.entries.append(entry)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _read(self) -> None:
        try:
            text = self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise self._bad(f"cannot be read ({error})") from None
        first, *lines = text.split("\n")
        self._check(first)
        if lines and lines[-1]:  # cut off when the run was interrupted
            os.truncate(self.path, len(text.encode()) - len(lines[-1].encode()))
        for number, line in enumerate(lines[:-1], 2):
            self.entries.append(self._understood(number, line))

    def _check(self, first: str) -> None:
        try:
            found = json.loads(first)
        except json.JSONDecodeError:
            found = None
        if not isinstance(found, dict) or found.get("format") != self.header["format"]:
            raise self._bad("is no journal of this computation")
        for name, value in json.loads(json.dumps(self.header)).items():
            if found.get(name) != value:
                problem = f"is of another computation ({name} {found.get(name)}, not {value})"
                raise self._bad(problem)

    def _understood(self, number: int, line: str) -> Any:
        try:
            return json.loads(line)
        except json.JSONDecodeError:
            raise self._bad(f"is corrupted in line {number} ({line[:40]!r})") from None

    def _bad(self, problem: str) -> BadInput:
        return BadInput(
            self.argument, str(self.path), problem, "name a new file, or delete this one"
        )


def fingerprint(arrays: Iterable[npt.ArrayLike]) -> str:
    """A short hash of numbers, shapes and types: the same input, or another one.

    >>> fingerprint([[1.0, 2.0]]) == fingerprint([np.array([1.0, 2.0])])
    True
    >>> fingerprint([[1.0, 2.0]]) == fingerprint([[1.0], [2.0]])
    False
    """
    digest = hashlib.sha256()
    for array in map(np.ascontiguousarray, arrays):
        digest.update(f"{array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()[:16]
