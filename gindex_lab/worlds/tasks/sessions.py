"""One person, one item after the other: plain steppable sessions that a widget drives.

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
from gindex_lab.worlds.tasks.mazes_make import Maze
from gindex_lab.worlds.tasks.mazes_paths import Crossing, checked_crossing, checked_path
from gindex_lab.worlds.tasks.series_items import Item
from gindex_lab.worlds.tasks.series_systems import NO_GUESS

__all__ = ["MazeSession", "SeriesSession"]


class _Session:
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


class SeriesSession(_Session):
    """Letter series: `answer(letter)` is right or wrong; `skip()` counts 0.2, as in the C-test.

    >>> from gindex_lab.worlds.tasks.series_items import generate
    >>> session = SeriesSession(generate([7, 8], n=1, seed=1))
    >>> session.answer(session.item.answer), session.skip(), session.finished
    (True, None, True)
    >>> session.responses().frame.loc["you"].tolist()
    [1.0, 0.2]
    """

    _type, _skipped, _name = Item, NO_GUESS, "letter series"

    def answer(self, option: str) -> bool:
        """Take one of the five options; True if it is right. On to the next item."""
        item: Item = self._current()
        if option not in item.options:
            remedy = f"use one of {', '.join(item.options)}"
            raise BadInput(
                "option", option, "[not-an-option] is not an option of this item", remedy
            )
        self._record(float(option == item.answer))
        return option == item.answer


class MazeSession(_Session):
    """Mazes: `click` builds the path, `answer()` hands it in; right if no path has more dots.

    >>> session = MazeSession([Maze(3, 0.5, ((1, 0), (1, 1)), "one")])
    >>> session.click((1, 0)), session.click((0, 2)), session.path
    (True, False, [(0, 0), (1, 0)])
    >>> session.click((1, 1)), session.dots, session.answer()
    (True, 2, True)
    """

    _type, _name = Maze, "mazes"

    def __init__(self, items: Sequence[Maze]) -> None:
        super().__init__(items)
        self.path: list[Crossing] = [(0, 0)]

    def steps(self) -> list[Crossing]:
        """The crossings that the path may go on to."""
        maze: Maze = self._current()
        r, c = self.path[-1]
        return [(r + 1, c), (r, c + 1)] if r + c < maze.rank - 1 else []

    @property
    def dots(self) -> int:
        """How many dots the path has met."""
        return len(set(self._current().dots) & set(self.path))

    def click(self, crossing: Crossing) -> bool:
        """Go on to the crossing, or back to it if the path has been there; False if it is neither."""
        at = checked_crossing("crossing", crossing, self._current().rank)
        if at in self.path:
            self.path = self.path[: self.path.index(at) + 1]
        elif at in self.steps():
            self.path = [*self.path, at]
        else:
            return False
        return True

    def answer(self, path: object = None) -> bool:
        """Hand in the path (that of the clicks by default); True if no path has more dots."""
        maze: Maze = self._current()
        walked = self.path if path is None else checked_path(maze.rank, path)
        right = len(set(maze.dots) & set(walked)) == maze.facts["max_score"]
        self._record(float(right))
        self.path = [(0, 0)]
        return bool(right)

    def skip(self) -> None:
        """No path: 0; on to the next maze."""
        super().skip()
        self.path = [(0, 0)]

    def _kinds(self, done: Sequence[Any]) -> list[str]:
        return [f"rank {maze.rank}" for maze in done]
