"""Which measure for which question? The table on the front page of the reference, from `guide.toml`.

A row names calls and a notebook; a test checks that every one of them exists.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gindex_lab.presentation.pages import TEMPLATES

if TYPE_CHECKING:
    from gindex_lab.press.reproduction.docs import PublicName

__all__ = ["Question", "questions"]

_GUIDE = TEMPLATES / "guide.toml"


class Question(NamedTuple):
    """A user's question, the calls that answer it (with links), what to mind, where it is shown."""

    ask: str
    calls: Sequence[tuple[str, str]]
    mind: str
    notebook: str


def questions(names: Mapping[str, Sequence[PublicName]]) -> list[Question]:
    """The rows of the guide, with the links of the names they call (see `docs.documented`)."""
    links = {entry.name: entry.link for entries in names.values() for entry in entries}
    rows = tomllib.loads(_GUIDE.read_text("utf-8"))["question"]
    return [
        Question(
            row["ask"],
            [(f"gl.{name}", links[f"gl.{name}"]) for name in row["calls"]],
            row["mind"],
            row["notebook"],
        )
        for row in rows
    ]
