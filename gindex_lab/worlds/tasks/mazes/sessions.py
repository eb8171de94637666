"""One person who solves mazes, one after the other; a widget drives it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gindex_lab.worlds.tasks.mazes.make import Maze
from gindex_lab.worlds.tasks.mazes.paths import Crossing, checked_crossing, checked_path
from gindex_lab.worlds.tasks.sessions import ItemSession

__all__ = ["MazeSession"]


class MazeSession(ItemSession):
    """Mazes: `click` builds the path, `answer()` hands it in; right if no path has more dots.

    Reference: Hernández-Orallo et al. (2021), supplement A.1.

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

    def answer(self, path: Iterable[Any] | None = None) -> bool:
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


Session = MazeSession  # its name until November 2026
