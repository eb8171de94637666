"""What a reader of logs decided, and how to change it: one line each, and a short table of them.

A `Note` is a sentence (a `str`) that knows what it is about and which option changes it. `Notes` is a tuple
of them that a notebook shows as a table: what, decided, how to change it.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Self

import pandas as pd

__all__ = ["Note", "Notes"]


class Note(str):
    """One decision: `what` it is about, what was `decided`, and `change`, the option that changes it.

    >>> note = Note("metric", "'acc' was read", "metric=... (--metric)")
    >>> note, note.what, note.change
    ("'acc' was read: change it with metric=... (--metric)", 'metric', 'metric=... (--metric)')
    """

    what: str
    decided: str
    change: str

    def __new__(cls, what: str, decided: str, change: str = "") -> Self:
        self = super().__new__(cls, f"{decided}: change it with {change}" if change else decided)
        self.what, self.decided, self.change = what, decided, change
        return self

    def __getnewargs__(self) -> tuple[str, str, str]:  # type: ignore[override]
        return self.what, self.decided, self.change


class Notes(tuple[str, ...]):
    """Decisions in the order in which they matter; `.table` has one row each.

    >>> Notes(["read as CSV", Note("metric", "'acc' was read", "metric=...")]).table
          what         decided how to change it
    0              read as CSV
    1   metric  'acc' was read       metric=...
    """

    __slots__ = ()

    @property
    def table(self) -> pd.DataFrame:
        """The columns `what`, `decided` and `how to change it`."""
        rows = [_parts(note) for note in self]
        return pd.DataFrame(rows, columns=["what", "decided", "how to change it"])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in self.table)
        rows = (
            "".join(f"<td style='text-align:left'>{escape(part)}</td>" for part in _parts(note))
            for note in self
        )
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def with_more(self, notes: Iterable[str]) -> Notes:
        """These and further ones."""
        return Notes((*self, *notes))


def _parts(note: str) -> tuple[str, str, str]:
    return (note.what, note.decided, note.change) if isinstance(note, Note) else ("", str(note), "")
