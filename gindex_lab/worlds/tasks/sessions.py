"""One person, one item after the other: what the sessions of mazes and of letter series share.

A session holds the items and what was answered so far, and gives it out as `Responses` at any time. It
draws nothing and knows no widget.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import no_duplicates

__all__ = ["ItemSession"]


class ItemSession:
    """The items, the answers, and where we are."""

    _type: type[Any] = object
    _skipped = 0.0
    _name = ""

    def __init__(self, items: Sequence[Any]) -> None:
        self.items = list(items) if isinstance(items, Sequence) else []
        if not self.items or not all(isinstance(item, self._type) for item in self.items):
            kind = self._type.__name__
            problem = f"[not-a-list] is not a list of {kind}"
            raise BadInput("items", items, problem, "pass what the generator gave")
        no_duplicates("items", [item.name for item in self.items])
        self.scores: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self.items)

    @property
    def number(self) -> int:
        """How many items are done; the current one has this number, from 0."""
        return len(self.scores)

    @property
    def finished(self) -> bool:
        return self.number == len(self.items)

    @property
    def item(self) -> Any:
        """The item to answer now, None when all are done."""
        return None if self.finished else self.items[self.number]

    def _current(self) -> Any:
        if self.finished:
            raise BadInput(
                "session", len(self), "[all-answered] items are all answered", "start a new session"
            )
        return self.item

    def _record(self, score: float) -> None:
        self.scores[self._current().name] = score

    def skip(self) -> None:
        """No answer; on to the next item."""
        self._record(self._skipped)

    def responses(self, agent: str = "you") -> Responses:
        """What was answered so far, one agent x the items done, with their difficulties."""
        if not self.scores:
            raise BadInput("session", 0, "[too-few] items are answered so far", "answer one first")
        done = self.items[: self.number]
        facts = pd.DataFrame(
            {"difficulty": [float(item.difficulty) for item in done], "kind": self._kinds(done)},
            index=list(self.scores),
        )
        frame = pd.DataFrame([self.scores], index=[agent])
        return Responses(frame, items=facts, name=self._name, source="own experiment")

    def _kinds(self, done: Sequence[Any]) -> list[str]:
        return [item.kind for item in done]
