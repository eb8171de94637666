"""Logs of a test: an interrupted run goes on, a longer run begins where a shorter one ended.

A log is a text file. Its first line says what was tested on what (agent, episode lengths, machine, seed, a
fingerprint of the sample); each further line is one program: its row in the sample, whether an agent's
values diverged, and the values of its runs. A program in the log is never run again, whatever the new
number of runs: the estimator asks for rows, and the log answers for those it knows.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.foundation.fingerprints import mark_of
from gindex_lab.foundation.journals import Damaged, Journal
from gindex_lab.worlds.aiq.agents import Agent, describe
from gindex_lab.worlds.aiq.episodes import Pairs, Trial

__all__ = ["Log", "LogFile", "header_of", "mark_of_sample"]

FORMAT = "gindex_lab AIQ log 1"
BLOCK = 2_048  # programs that an interruption may cost; enough of them to keep many cores busy
IntArray = npt.NDArray[np.int64]
Runner = Callable[[IntArray], Pairs]
Values = tuple[bool, npt.NDArray[np.float64]]  # whether they diverged, and what the runs gave


def mark_of_sample(sample: pd.DataFrame) -> str:
    """A mark of programs and strata: the same sample, or another one.

    >>> mark_of_sample(pd.DataFrame({"program": [",.#"], "stratum": [1]}))
    '28c807a1ac4cba48'
    """
    lines = (f"{s} {p}\n" for p, s in zip(sample["program"], sample["stratum"], strict=True))
    return mark_of("".join(lines))


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
        "sample": mark_of_sample(sample),
        **other,
    }


class LogFile(Journal):
    """The journal of a test, named by the argument `log`."""

    foreign = "[not-a-log] is not a log of this test"
    other = "[other-test] is the log of another test"
    remedy = "name a new file, or fix this one"

    def __init__(self, path: str | os.PathLike[str], header: dict[str, Any]) -> None:
        super().__init__(path, header, "log")


class Log(LogFile):
    """What is known of each row of the sample, in memory and in the file."""

    def __init__(self, path: str | os.PathLike[str], header: dict[str, Any]) -> None:
        self.shape = (2, len(header["episode"]))
        self.known: dict[int, Values] = {}
        super().__init__(path, header)

    def remembered(self, run: Runner) -> Runner:
        """The same runner, which asks the log first and writes down what is new."""

        def ask(rows: IntArray) -> Pairs:
            new = np.array([row for row in rows if int(row) not in self.known], dtype=np.int64)
            for start in range(0, len(new), BLOCK):
                part = new[start : start + BLOCK]
                self._learn(part, run(part))
            found = [self.known[int(row)] for row in rows]
            return Pairs(
                np.array([values for _, values in found]).reshape(-1, *self.shape),
                np.array([[wild, wild] for wild, _ in found], dtype=bool).reshape(-1, 2),
            )

        return ask

    def _learn(self, rows: IntArray, pairs: Pairs) -> None:
        diverged = (pairs.diverged[:, 0] | pairs.diverged[:, 1]).tolist()
        found = dict(zip(rows.tolist(), zip(diverged, pairs.values, strict=True), strict=True))
        self.known.update(found)
        self.add(*found.items())

    def written(self, entry: tuple[int, Values]) -> str:
        """Row, 1 if an agent's values diverged, and the values in full."""
        row, (wild, values) = entry
        return f"{row} {int(wild)} " + " ".join(map(repr, values.ravel().tolist()))

    def understood(self, line: str) -> tuple[int, Values]:
        """The row and what is known of it; a log says it once, and values are at most 100."""
        parts = line.split()
        try:
            row, wild = int(parts[0]), bool(int(parts[1]))
            values = np.array([float(part) for part in parts[2:]]).reshape(self.shape)
        except (ValueError, IndexError):
            raise Damaged(repr(line[:40])) from None
        if row in self.known:
            raise Damaged(f"row {row} appears twice")
        if not (np.isnan(values) | (np.abs(values) <= 100)).all() or row < 0:
            raise Damaged("a value beyond ±100")
        self.known[row] = (wild, values)
        return row, (wild, values)
