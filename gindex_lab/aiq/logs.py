"""Logs of a test: an interrupted run goes on, a longer run begins where a shorter one ended.

A log is a text file. Its first line says what was tested on what (agent, episode lengths, machine, seed, a
fingerprint of the sample); each further line is one program: its row in the sample, whether an agent's
values diverged, and the values of its runs. A program in the log is never run again, whatever the new
number of runs: the estimator asks for rows, and the log answers for those it knows.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab import parallel
from gindex_lab.aiq.agents import Agent, describe
from gindex_lab.aiq.episodes import Pairs, Trial
from gindex_lab.errors import BadInput
from gindex_lab.files import write_text
from gindex_lab.validate import integer

__all__ = ["Journal", "Log", "fingerprint", "header_of"]

FORMAT = "gindex_lab AIQ log 1"
BLOCK = 2_048  # programs that an interruption may cost; enough of them to keep many cores busy
IntArray = npt.NDArray[np.int64]
Runner = Callable[[IntArray], Pairs]


def fingerprint(sample: pd.DataFrame) -> str:
    """A short hash of programs and strata: the same sample, or another one.

    >>> fingerprint(pd.DataFrame({"program": [",.#"], "stratum": [1]}))
    '28c807a1ac4cba48'
    """
    lines = (f"{s} {p}\n" for p, s in zip(sample["program"], sample["stratum"], strict=True))
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:16]


def header_of(agent: Agent, sample: pd.DataFrame, trial: Trial) -> dict[str, Any]:
    """What must agree for two runs to be parts of one."""
    machine = trial.machine
    other = {"mode": "reference"} if trial.reference and trial.discount < 1 else {}
    return {
        "format": FORMAT,
        "agent": describe(agent),
        "episode": list(trial.lengths),
        "discount": trial.discount,
        "machine": [machine.symbols, machine.observations, bool(machine.reverse)],
        "seed": trial.seed,
        "sample": fingerprint(sample),
        **other,
    }


class Log:
    """What is known of each row of the sample, in memory and in the file."""

    def __init__(self, path: str | os.PathLike[str], header: dict[str, Any]) -> None:
        self.path, self.header = Path(path), header
        self.shape = (2, len(header["episode"]))
        self.known: dict[int, tuple[bool, npt.NDArray[np.float64]]] = {}
        if self.path.exists():
            self._read()
        else:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(json.dumps(header) + "\n", encoding="utf-8")

    def remembered(self, run: Runner) -> Runner:
        """The same runner, which asks the log first and writes down what is new."""

        def ask(rows: IntArray) -> Pairs:
            new = np.array([row for row in rows if int(row) not in self.known], dtype=np.int64)
            for start in range(0, len(new), BLOCK):
                part = new[start : start + BLOCK]
                self._add(part, run(part))
            found = [self.known[int(row)] for row in rows]
            return Pairs(
                np.array([values for _, values in found]).reshape(-1, *self.shape),
                np.array([[wild, wild] for wild, _ in found], dtype=bool).reshape(-1, 2),
            )

        return ask

    def _add(self, rows: IntArray, pairs: Pairs) -> None:
        lines = []
        diverged = pairs.diverged[:, 0] | pairs.diverged[:, 1]
        for row, values, wild in zip(rows, pairs.values, diverged, strict=True):
            self.known[int(row)] = (bool(wild), values)
            lines.append(f"{row} {int(wild)} " + " ".join(map(repr, values.ravel().tolist())))
        with self.path.open("a", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def _read(self) -> None:
        for number, line in _lines(self.path, self.header):
            self._understand(number, line)

    def _understand(self, number: int, line: str) -> None:
        parts = line.split()
        try:
            row, wild = int(parts[0]), bool(int(parts[1]))
            values = np.array([float(part) for part in parts[2:]]).reshape(self.shape)
        except (ValueError, IndexError):
            raise _bad(self.path, f"is corrupted in line {number} ({line[:40]!r})") from None
        if row in self.known:
            raise _bad(self.path, f"is corrupted in line {number} (row {row} stands there twice)")
        if not (np.isnan(values) | (np.abs(values) <= 100)).all() or row < 0:
            raise _bad(self.path, f"is corrupted in line {number} (a value beyond ±100)")
        self.known[row] = (wild, values)


class Journal:
    """Finished pieces of a long experiment, one JSON object per line, so that it goes on where it stopped.

    Without a path nothing is kept.
    """

    def __init__(
        self, path: str | os.PathLike[str] | None, title: str, settings: dict[str, Any]
    ) -> None:
        self.path = None if path is None else Path(path)
        self.header = {"format": f"gindex_lab {title} 1", **settings}
        self.known: dict[int, dict[str, Any]] = {}
        if self.path is not None and self.path.exists():
            for number, line in _lines(self.path, self.header):
                self._understand(self.path, number, line)
        elif self.path is not None:
            write_text(self.path, json.dumps(self.header) + "\n")

    def _understand(self, path: Path, number: int, line: str) -> None:
        try:
            row = json.loads(line)
            self.known[int(row.pop("item"))] = row
        except (ValueError, KeyError, AttributeError, TypeError):
            raise _bad(path, f"is corrupted in line {number} ({line[:40]!r})") from None

    def rows(
        self,
        items: Iterable[int],
        compute: Callable[[int], dict[str, Any]],
        *,
        jobs: int | None = 1,
        progress: str | None = None,
    ) -> list[dict[str, Any]]:
        """`compute(item)` of every item, in order; what the file knows is not computed again."""
        items = list(items)
        new = [item for item in items if item not in self.known]
        workers = (os.cpu_count() or 1) if jobs is None else integer("jobs", jobs)
        size = len(new) if self.path is None else workers  # written down after each round
        for start in range(0, len(new), max(size, 1)):
            part = new[start : start + size]
            self._add(part, parallel.map(compute, part, jobs=jobs, progress=progress))
        return [self.known[item] for item in items]

    def _add(self, items: list[int], rows: list[dict[str, Any]]) -> None:
        self.known.update(zip(items, rows, strict=True))
        if self.path is not None:
            lines = [
                json.dumps({"item": i, **row}) + "\n" for i, row in zip(items, rows, strict=True)
            ]
            with self.path.open("a", encoding="utf-8") as file:
                file.write("".join(lines))


def _lines(path: Path, wanted: dict[str, Any]) -> list[tuple[int, str]]:
    """The numbered lines behind the header, which must be the `wanted` one.

    A last line without its end was cut off when the run was interrupted: it is taken out of the file.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _bad(path, f"cannot be read ({error})") from None
    first, *lines = text.split("\n")
    _check_header(path, first, wanted)
    if lines and lines[-1]:
        cut = len(text.encode()) - len(lines[-1].encode())
        with path.open("r+b") as file:
            file.truncate(cut)
    return list(enumerate(lines[:-1], 2))


def _check_header(path: Path, first: str, wanted: dict[str, Any]) -> None:
    try:
        header = json.loads(first)
    except json.JSONDecodeError:
        header = None
    if not isinstance(header, dict) or header.get("format") != wanted["format"]:
        raise _bad(path, "is not a log of this test")
    for name, value in wanted.items():
        if header.get(name) != value:
            problem = f"is the log of another test ({name} {header.get(name)}, not {value})"
            raise _bad(path, problem)


def _bad(path: Path, problem: str) -> BadInput:
    return BadInput("log", str(path), problem, "name a new file, or mend this one")
