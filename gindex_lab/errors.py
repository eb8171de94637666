"""Errors that teach: what was given, what was expected, what to do.

Every error that gindex_lab raises on purpose is a `GIndexLabError`. Its message always names the
argument, the offending value (or row) and the remedy, so that it can be read without the traceback.
"""

from __future__ import annotations

import re

__all__ = [
    "BadInput",
    "BadProgram",
    "DataUnavailable",
    "GIndexLabError",
    "NotebookFailed",
    "WorkerLost",
    "short",
]

_LONGEST = 80
_NUMPY = re.compile(
    r"\bnp\.(?:(?:float|complex|int|uint|str|bytes|longdouble)\w*\(([^()]*)\)|(True|False)_)"
)


def _plain(text: str) -> str:
    """numpy's own spelling of a number is no help to a reader: `np.float64(0.5)` is 0.5."""
    return _NUMPY.sub(lambda match: match[1] or match[2] or "", text)


def short(value: object) -> str:
    """A value as it may stand in a message: one line, 80 characters at most, both ends kept.

    >>> short("/a/long/" + "path/" * 40 + "scores.csv")
    "'/a/long/path/path/path/path/path/path/p…th/path/path/path/path/path/scores.csv'"
    >>> short([1, 2])
    '[1, 2]'
    """
    text = _plain(" ".join(repr(value).split()))
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}…{text[1 - half :]}"


class GIndexLabError(Exception):
    """The base of all our errors: `argument`, `value`, `problem`, `remedy`.

    >>> raise BadInput("columns", 1, "a step curve needs at least two difficulties", "use columns=100")
    Traceback (most recent call last):
        ...
    gindex_lab.errors.BadInput: columns=1: a step curve needs at least two difficulties; use columns=100
    """

    def __init__(self, argument: str, value: object, problem: str, remedy: str) -> None:
        self.argument, self.value, self.problem, self.remedy = argument, value, problem, remedy
        super().__init__(_plain(f"{argument}={short(value)}: {problem}; {remedy}"))

    def __reduce__(self) -> tuple[type[GIndexLabError], tuple[str, object, str, str]]:
        return type(self), (self.argument, self.value, self.problem, self.remedy)


class BadInput(GIndexLabError, ValueError):
    """An argument, a table or a file that cannot mean what it says."""


class BadProgram(BadInput):
    """A program (flow, BF environment, drawing) that does not parse or breaks a rule."""


class DataUnavailable(GIndexLabError, LookupError):
    """A data set that is neither here nor to be had: the message says how to get it."""


class NotebookFailed(GIndexLabError, RuntimeError):
    """A notebook of the catalogue that stopped: the message names its cell and error."""


class WorkerLost(GIndexLabError, RuntimeError):
    """A parallel computation whose worker processes keep dying."""
