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
from gindex_lab.foundation.validate import FloatArray, IntArray
from gindex_lab.worlds.aiq.agents import Agent
from gindex_lab.worlds.aiq.episodes import Trial

__all__ = ["Log", "LogFile", "Runner", "mark_of_sample"]

FORMAT = "gindex_lab AIQ log 1"
# Programs that an interruption may cost, enough of them to keep many cores busy: a judgement.
BLOCK = 2_048
# rows of the sample -> values (rows x signs x lengths), and whether an agent's values diverged on each
Runner = Callable[[IntArray], tuple[FloatArray, npt.NDArray[np.bool_]]]


def mark_of_sample(sample: pd.DataFrame) -> str:
    """A mark of programs and strata: the same sample, or another one.

    >>> mark_of_sample(pd.DataFrame({"program": [",.#"], "stratum": [1]}))
    '28c807a1ac4cba48'
    """
    lines = (f"{s} {p}\n" for p, s in zip(sample["program"], sample["stratum"], strict=True))
    return mark_of("".join(lines))


class LogFile(Journal):
    """The journal of a test, named by the argument `log`."""

    foreign = "[not-a-log] is not a log of this test"
    other = "[other-test] is the log of another test"
    remedy = "name a new file, or fix this one"

    def __init__(self, path: str | os.PathLike[str], header: dict[str, Any]) -> None:
        super().__init__(path, header, "log")


class Log(LogFile):
    """What is known of each row of the sample (diverged, values), in memory and in the file."""

    def __init__(
        self, path: str | os.PathLike[str], agent: Agent, sample: pd.DataFrame, trial: Trial
    ) -> None:
        self.shape = (2, len(trial.lengths))
        self.known: dict[int, tuple[bool, FloatArray]] = {}
        machine = trial.machine
        header = {
            "format": FORMAT,
            "agent": repr(agent),
            "episode": list(trial.lengths),
            "discount": trial.discount,
            "machine": [machine.symbols, machine.observations, bool(machine.reverse)],
            "seed": trial.seed,
            "sample": mark_of_sample(sample),
        }
        if trial.reference and trial.discount < 1:
            header["mode"] = "reference"
        super().__init__(path, header)

    def remembered(self, run: Runner) -> Runner:
        """The same runner, which asks the log first and writes down what is new."""

        def ask(rows: IntArray) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
            new = np.array([row for row in rows if int(row) not in self.known], dtype=np.int64)
            for start in range(0, len(new), BLOCK):
                part = new[start : start + BLOCK]
                values, diverged = run(part)
                pairs = zip(diverged.tolist(), values, strict=True)
                found = dict(zip(part.tolist(), pairs, strict=True))
                self.known |= found
                self.add(*found.items())
            known = [self.known[int(row)] for row in rows]
            return np.array([values for _, values in known]), np.array([wild for wild, _ in known])

        return ask

    def written(self, entry: tuple[int, tuple[bool, FloatArray]]) -> str:
        """Row, 1 if an agent's values diverged, and the values in full."""
        row, (wild, values) = entry
        return f"{row} {int(wild)} " + " ".join(map(repr, values.ravel().tolist()))

    def understood(self, line: str) -> tuple[int, tuple[bool, FloatArray]]:
        """The row and what is known of it; a log says it once, and values are at most 100."""
        try:
            row, wild, *numbers = line.split()
            place, known = int(row), (bool(int(wild)), np.array(numbers, dtype=float).reshape(self.shape))
        except ValueError:
            raise Damaged(repr(line[:40])) from None
        if place in self.known:
            raise Damaged(f"row {row} appears twice")
        if place < 0 or (np.abs(known[1]) > 100).any():
            raise Damaged("a value beyond ±100")
        self.known[place] = known
        return place, known
