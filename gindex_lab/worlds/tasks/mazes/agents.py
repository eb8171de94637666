"""Who walks through mazes: agents from the blind to the perfect, and people.

An agent is a chance to go to (r + 1, c) rather than (r, c + 1) at each crossing. Its chance to meet as many
dots as any path can follows exactly, by dynamic programming over crossings and dots, so that no walk need be
drawn (`walk` draws one). A person walks in a session, which a widget drives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, generator
from gindex_lab.worlds.tasks.mazes.make import Maze
from gindex_lab.worlds.tasks.mazes.paths import Crossing, checked_crossing, checked_path, reach
from gindex_lab.worlds.tasks.sessions import ItemSession

__all__ = ["Agent", "LookAhead", "MazeSession", "Noisy", "Optimal", "RandomWalk", "play", "success", "walk"]


class Agent(Protocol):
    """Anything with `chances(maze)`: rank x rank, the chance to go from (r, c) to (r + 1, c) (the mazes of
    the generality supplement, A.1)."""

    def chances(self, maze: Maze) -> FloatArray: ...


@dataclass(frozen=True)
class RandomWalk:
    """Goes either way with chance 1/2. (Generality supplement, A.1.)

    >>> success(Maze(3, 0.5, ((1, 0), (1, 1))), RandomWalk())
    0.25
    """

    def chances(self, maze: Maze) -> FloatArray:
        return np.full((maze.rank, maze.rank), 0.5)


@dataclass(frozen=True)
class LookAhead:
    """Sees `ahead` crossings ahead, goes where the most dots are, and tosses a coin when both ways are as
    good; `LookAhead(1)` is greedy. (Generality supplement, A.1.)

    >>> maze = Maze(3, 0.5, ((1, 0), (0, 1), (0, 2)))
    >>> success(maze, LookAhead(1)), success(maze, LookAhead(2))
    (0.5, 1.0)
    """

    ahead: int = 1

    def chances(self, maze: Maze) -> FloatArray:
        value = reach(maze.rank, frozenset(maze.dots), self.ahead)
        return (1 + np.sign(_gain(value))) / 2


@dataclass(frozen=True)
class Optimal:
    """Sees the whole maze, and never leaves the best paths. (Generality supplement, A.1.)

    >>> success(Maze(3, 0.5, ((1, 0), (1, 1))), Optimal())
    1.0
    """

    def chances(self, maze: Maze) -> FloatArray:
        return LookAhead(maze.rank).chances(maze)


@dataclass(frozen=True)
class Noisy:
    """Sees the whole maze through noise: of two ways whose best scores differ by x it takes the better
    with chance 1 / (1 + exp(-x / noise)). People may be like that. (Generality supplement, A.1.)

    >>> maze = Maze(3, 0.5, ((1, 0), (1, 1)))
    >>> success(maze, Noisy(0.2)) > success(maze, Noisy(2.0)) > success(maze, RandomWalk())
    True
    """

    noise: float = 0.5

    def chances(self, maze: Maze) -> FloatArray:
        from scipy.special import expit

        return np.asarray(expit(_gain(reach(maze.rank, frozenset(maze.dots))) / self.noise))


def _gain(value: FloatArray) -> FloatArray:
    """How much better (r + 1, c) is than (r, c + 1), at every (r, c)."""
    padded = np.pad(value, ((0, 1), (0, 1)))
    return np.asarray(padded[1:, :-1] - padded[:-1, 1:])


def success(maze: Maze, agent: Agent) -> float:
    """The agent's exact chance to meet as many dots as any path can.

    Parameters
    ----------
    maze : the maze
    agent : such as `LookAhead(2)`, or anything with `chances(maze)`

    Returns
    -------
    float : between 0 and 1

    References
    ----------
    Generality supplement, A.1 (the mazes; the agents are ours).

    Examples
    --------
    >>> success(Maze(3, 0.5, ((1, 0), (1, 1))), RandomWalk())
    0.25
    """
    go, most = agent.chances(maze), maze.facts["max_score"]
    marked = set(maze.dots)
    mass = np.zeros((maze.rank, most + 1))  # of walks at (r, depth - r), by dots met
    mass[0, 0] = 1.0
    for depth in range(maze.rank - 1):
        new = np.zeros_like(mass)
        for r in range(depth + 1):
            chance = go[r, depth - r]
            for to, share in ((r + 1, chance), (r, 1 - chance)):
                if (to, depth + 1 - to) in marked:
                    new[to, 1:] += share * mass[r, :-1]
                else:
                    new[to] += share * mass[r]
        mass = new
    return float(mass[:, most].sum())


def walk(maze: Maze, agent: Agent, seed: SeedLike = 1) -> list[Crossing]:
    """One walk of the agent to the far edge.

    Parameters
    ----------
    maze, agent : as for `success`
    seed : whole number or Generator

    Returns
    -------
    list of crossings : from the tip (0, 0) upwards

    References
    ----------
    Generality supplement, A.1.

    Examples
    --------
    >>> walk(Maze(3, 0.5, ((1, 0), (1, 1))), Optimal(), seed=1)
    [(0, 0), (1, 0), (1, 1)]
    """
    go, path = agent.chances(maze), [(0, 0)]
    for drawn in generator(seed).random(maze.rank - 1):
        r, c = path[-1]
        path.append((r + 1, c) if drawn < go[r, c] else (r, c + 1))
    return path


def play(mazes: Sequence[Maze], agents: Mapping[str, Agent]) -> Responses:
    """Each agent's exact chance to solve each maze.

    Parameters
    ----------
    mazes : such as those of `battery`
    agents : by name

    Returns
    -------
    Responses : agents x mazes; `difficulty` is on the scale of Table S1, and `items` has `paper difficulty`,
        `rank` and `saturation`

    References
    ----------
    Generality supplement, A.1.

    Examples
    --------
    >>> mazes = [Maze(3, 0.5, ((1, 0), (1, 1)), "one"), Maze(3, 0.5, ((2, 0),), "two")]
    >>> play(mazes, {"blind": RandomWalk(), "perfect": Optimal()}).frame.values.tolist()
    [[0.25, 0.25], [1.0, 1.0]]
    """
    some = len(agents) and len(mazes)
    ensure(some, "agents", agents, "[empty] and mazes must not be empty", "give at least one of each")
    chance = {name: [success(maze, agent) for maze in mazes] for name, agent in agents.items()}
    facts = pd.DataFrame(
        [(maze.difficulty, maze.paper_difficulty, maze.rank, maze.saturation) for maze in mazes],
        index=[maze.name for maze in mazes],
        columns=["difficulty", "paper difficulty", "rank", "saturation"],
    )
    frame = pd.DataFrame.from_dict(chance, orient="index", columns=facts.index)
    return Responses(frame.clip(0, 1), items=facts, name="mazes", source="own experiment")


class MazeSession(ItemSession):
    """One person who solves mazes: `click` builds the path, `answer()` hands it in; right if no path has
    more dots.

    Reference: generality supplement, A.1.

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
        """The crossings to which the path may go on."""
        r, c = self.path[-1]
        return [(r + 1, c), (r, c + 1)] if r + c < self._current().rank - 1 else []

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
        return right

    def _record(self, score: float) -> None:
        super()._record(score)
        self.path = [(0, 0)]

    def _kind(self, item: Maze) -> str:
        return f"rank {item.rank}"


Session = MazeSession  # its name until November 2026
