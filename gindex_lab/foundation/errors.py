"""Errors that teach: what was given, what was expected, what to do.

Every error that gindex_lab raises on purpose is a `GIndexLabError`. Its message names the argument, the
offending value (or row) and the remedy, so that it can be read without the traceback. Programs and tests read
its `code`, a few words that stay when the wording improves.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

__all__ = [
    "BadInput", "BadProgram", "CannotWrite", "Caution", "DataUnavailable", "GIndexLabError",
    "NotebookFailed", "WorkerLost", "ensure", "short",
]  # fmt: skip

Kind = TypeVar("Kind", bound="GIndexLabError")

_LONGEST = 80  # characters of a value in a message: a judgement
_CODED = re.compile(r"\[([a-z][a-z-]+)\] ")
_NUMPY = re.compile(r"\bnp\.(?:(?:float|complex|int|uint|str|bytes|longdouble)\w*\(([^()]*)\)|(True|False)_)")


def _plain(text: str) -> str:
    """numpy spells a number as `np.float64(0.5)`; a reader needs 0.5."""
    return _NUMPY.sub(lambda match: match[1] or match[2] or "", text)


def short(value: object) -> str:
    """A value as a message shows it: one line, 80 characters at most, both ends kept.

    >>> short("/a/long/" + "path/" * 40 + "scores.csv")
    "'/a/long/path/path/path/path/path/path/p…th/path/path/path/path/path/scores.csv'"
    >>> short([1, 2])
    '[1, 2]'
    >>> short(10**5000)
    'a whole number of about 5001 digits'
    """
    text = _plain(" ".join(_written(value).split()))
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}…{text[1 - half :]}"


def _written(value: object) -> str:
    """`repr`, but only of the two ends where the whole is long, and the type of what has no `repr`."""
    if isinstance(value, int) and abs(value).bit_length() > 4096:
        digits = int(value.bit_length() * 0.30103) + 1
        return f"a whole number of about {digits} digits"
    if isinstance(value, (str, bytes, list, tuple)) and len(value) > 1000:
        whole: Any = value
        value = whole[:200] + whole[-200:]
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - whatever an object's own repr does, the message must come out
        return f"<{type(value).__name__}>"


class GIndexLabError(Exception):
    """The base of all our errors: `code`, `argument`, `value`, `problem`, `remedy`.

    `code` is a short stable name of the kind of problem ("not-a-number", "out-of-range", "not-found"), for
    programs and tests. It is written in brackets before the problem; without them it is that of the class.

    >>> raise BadInput("columns", 1, "a step curve needs at least two difficulties", "use columns=100")
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: columns=1: a step curve needs at least two difficulties; ...
    >>> BadInput("columns", 1, "is too small", "use columns=100").code
    'bad-input'
    >>> error = BadInput("columns", 1, "[too-few] is too small", "use columns=100")
    >>> error.code, error.problem
    ('too-few', 'is too small')
    """

    code = "error"

    def __init__(self, argument: str, value: object, problem: str, remedy: str) -> None:
        said = _CODED.match(problem)
        problem = problem[said.end() :] if said else problem
        self.argument, self.value, self.problem, self.remedy = argument, value, problem, remedy
        self.code = said[1] if said else type(self).code
        super().__init__(_plain(f"{argument}={short(value)}: {problem}; {remedy}"))

    def told_of(self, argument: str, value: object, kind: type[Kind]) -> Kind:
        """The same problem under another argument and as another kind of error, where a caller knows better.

        >>> error = BadInput("x", 1, "[too-few] is too small", "use 2").told_of("columns", "1", BadProgram)
        >>> error.code, str(error)
        ('too-few', "columns='1': is too small; use 2")
        """
        return kind(argument, value, f"[{self.code}] {self.problem}", self.remedy)

    def __reduce__(self) -> tuple[Any, ...]:
        problem = f"[{self.code}] {self.problem}"
        return type(self), (self.argument, self.value, problem, self.remedy)


class BadInput(GIndexLabError, ValueError):
    """An argument, a table or a file that cannot be used as it is."""

    code = "bad-input"


def ensure(holds: object, argument: str, value: object, problem: str, remedy: str) -> None:
    """Refuse an argument unless something holds of it.

    >>> ensure(3 > 2, "agents", 3, "[too-few] are too few", "give three")
    >>> ensure(2 > 2, "agents", 2, "[too-few] are too few", "give three")
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: agents=2: are too few; give three
    """
    if not holds:
        raise BadInput(argument, value, problem, remedy)


class BadProgram(BadInput):
    """A program (flow, BF environment, drawing) that does not parse or breaks a rule."""

    code = "bad-program"


class DataUnavailable(GIndexLabError, LookupError):
    """A data set that is not on this machine and cannot be downloaded: the message says what to do."""

    code = "data-unavailable"


class CannotWrite(GIndexLabError, OSError):
    """A file or folder that cannot be written: no permission, no space, or no such disk."""

    code = "cannot-write"


class NotebookFailed(GIndexLabError, RuntimeError):
    """A notebook of the catalogue that stopped: the message names its cell and error."""

    code = "notebook-failed"


class WorkerLost(GIndexLabError, RuntimeError):
    """A parallel computation whose worker processes keep dying."""

    code = "worker-lost"


class Caution(UserWarning):
    """A result that was computed but should not be taken at face value: the message says why.

    Its `code` is written in brackets before the message, as with an error.

    >>> caution = Caution("[few-items] the limits are wide: 4 items")
    >>> caution.code, str(caution)
    ('few-items', 'the limits are wide: 4 items')
    """

    def __init__(self, message: str) -> None:
        said = _CODED.match(message)
        self.code = said[1] if said else "caution"
        super().__init__(message[said.end() :] if said else message)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (f"[{self.code}] {self}",)
