"""How much an input may cost: bytes, unpacked bytes, members, cells, depth and seconds.

Logs and tables are untrusted. Each limit has a default (a judgement) that honest files stay far below, an
error that says what the input would need, and two ways to raise it: `with gl.limits(cells=10**9): ...` for a
block, or the environment variable `GINDEX_LAB_LIMITS="cells=1e9,ratio=500"` for a process.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from functools import lru_cache

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.validate import number

__all__ = ["VARIABLE", "Limits", "check_cells", "check_time", "current", "limits", "too_large", "within"]

VARIABLE = "GINDEX_LAB_LIMITS"
UNCHECKED = 16 * 2**20  # bytes that may be unpacked before the ratio counts: a judgement


@dataclass(frozen=True)
class Limits:
    """The limits of an input.

    >>> Limits(cells=10).cells
    10
    >>> Limits(ratio=0)
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: ratio=0: is out of range; use a number between 1 and ...
    """

    size: float = 8 * 2**30  # bytes of one file, unpacked
    document: float = 512 * 2**20  # bytes of what must be held whole: a JSON document, a line, a text
    ratio: float = 100  # unpacked bytes per packed byte, beyond the first 16 MiB
    members: float = 200_000  # files of an archive, or of a folder
    cells: float = 50_000_000  # of a dense table, 8 bytes each
    columns: float = 200_000  # of a table
    depth: float = 200  # levels of nesting in JSON, or of folders
    seconds: float = 3600  # for one file
    pipe: float = 0  # seconds to wait for what comes through a pipe; 0 refuses pipes

    def __post_init__(self) -> None:
        for field in fields(self):
            number(field.name, getattr(self, field.name), 0 if field.name == "pipe" else 1, 1e18)


_NAMES = [field.name for field in fields(Limits)]
_CODES = {"size": "too-large", "document": "too-large", "ratio": "bomb", "depth": "too-deep"}
_CODES |= dict.fromkeys(("seconds", "pipe"), "too-slow")
_chosen: ContextVar[Limits | None] = ContextVar("limits", default=None)


def current() -> Limits:
    """The limits that hold here: those of the innermost `with limits(...)`, else the environment's."""
    return _chosen.get() or _of_environment(os.environ.get(VARIABLE, ""))


@lru_cache
def _of_environment(text: str) -> Limits:
    found: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = (one.strip() for one in part.partition("="))
        try:
            found[name] = float(value)
        except ValueError:
            name = ""
        if name not in _NAMES:
            remedy = f"write for instance {VARIABLE}=cells=1e9,ratio=500; there are {', '.join(_NAMES)}"
            raise BadInput(VARIABLE, part, "[not-an-option] is not a limit", remedy)
    return Limits(**found)


@contextmanager
def limits(**changes: float) -> Iterator[Limits]:
    """Within the block, inputs may cost this much.

    Parameters
    ----------
    changes : the fields of `Limits` by name
        `size`, `document`, `ratio`, `members`, `cells`, `columns`, `depth`, `seconds`, `pipe`. Those that are
        not named stay as they were.

    Returns
    -------
    context manager
        Gives the limits that hold in the block.

    Examples
    --------
    >>> with limits(cells=10**9) as now:
    ...     int(now.cells)
    1000000000
    """
    for name, value in changes.items():
        remedy = f"use {', '.join(sorted(_NAMES))}"
        ensure(name in _NAMES, name, value, "[not-an-option] is not a limit", remedy)
    token = _chosen.set(replace(current(), **changes))
    try:
        yield current()
    finally:
        _chosen.reset(token)


def too_large(argument: str, value: object, problem: str, name: str, needed: float) -> BadInput:
    """The error for what is beyond a limit, with the way to raise it."""
    remedy = (
        f"check that it is what you expect; to read it all the same, "
        f"use `with gl.limits({name}={needed:.3g})` or set {VARIABLE}={name}={needed:.3g}"
    )
    code, allowed = _CODES.get(name, f"too-many-{name}"), getattr(current(), name)
    return BadInput(argument, value, f"[{code}] {problem}, and the limit is {allowed:,.0f}", remedy)


def within(
    name: str, size: float, path: object, problem: str, *, more: float = 1, argument: str = "path"
) -> None:
    """Refuse a file of which something is larger than the limit; `more` times as much would surely do."""
    if size > getattr(current(), name):
        raise too_large(argument, str(path), problem, name, more * size)


def check_cells(argument: str, value: object, rows: int, columns: int, filled: int) -> None:
    """Refuse a dense table of rows x columns that would not fit, and say what it would need."""
    cells = rows * columns
    if cells > current().cells:
        problem = (
            f"would be a table of {rows:,} agents x {columns:,} items = {cells:,} cells "
            f"({cells * 8 / 1e9:.1f} GB), of which {filled:,} are filled"
        )
        raise too_large(argument, value, problem, "cells", cells)


def check_time(path: object, since: float) -> None:
    """Refuse to go on when reading a file has taken longer than allowed."""
    taken = time.monotonic() - since
    within("seconds", taken, path, f"took {taken:.0f} s to read", more=10)
