"""One person, one item after the other: what the sessions of mazes and of letter series share.

A session holds the items and the answers so far, and gives them as `Responses` at any time. It draws nothing
and knows no widget.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import no_duplicates

__all__ = ["ItemSession"]


class ItemSession:
    """The items, the scores so far, and which item is next."""

    _type: type[Any] = object
    _skipped = 0.0
    _name = ""

    def __init__(self, items: Sequence[Any]) -> None:
        self.items = list(items) if isinstance(items, Sequence) else []
        known = self.items and all(isinstance(item, self._type) for item in self.items)
        problem = f"[not-a-list] is not a list of {self._type.__name__}"
        ensure(known, "items", items, problem, "pass what the generator gave")
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
        """Whether all items are done."""
        return self.number == len(self.items)

    @property
    def item(self) -> Any:
        """The item to answer now, None when all are done."""
        return None if self.finished else self.items[self.number]

    def _current(self) -> Any:
        problem = "[all-answered] items are all answered"
        ensure(not self.finished, "session", len(self), problem, "start a new session")
        return self.item

    def _record(self, score: float) -> None:
        self.scores[self._current().name] = score

    def skip(self) -> None:
        """No answer; on to the next item."""
        self._record(self._skipped)

    def responses(self, agent: str = "you") -> Responses:
        """What was answered so far, one agent x the items done, with their difficulties."""
        ensure(self.scores, "session", 0, "[too-few] items are answered so far", "answer one first")
        facts = {
            item.name: {"difficulty": float(item.difficulty), "kind": self._kind(item)}
            for item in self.items[: self.number]
        }
        frame, items = (
            pd.DataFrame([self.scores], index=[agent]),
            pd.DataFrame.from_dict(facts, orient="index"),
        )
        return Responses(frame, items=items, name=self._name, source="own experiment")

    def _kind(self, item: Any) -> str:
        return str(item.kind)
