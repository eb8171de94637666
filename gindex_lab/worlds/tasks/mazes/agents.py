"""Agents that walk through mazes, from the blind to the perfect, and how likely each is to solve one.

An agent is a chance to go to (r + 1, c) rather than (r, c + 1) at each crossing. Its chance to meet as many
dots as any path can then follows exactly, by dynamic programming over crossings and dots: no walk need be
drawn. A session of walks is drawn with `walk`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, generator, integer, number
from gindex_lab.worlds.tasks.mazes.make import Maze
from gindex_lab.worlds.tasks.mazes.paths import Crossing, reach

__all__ = ["Agent", "LookAhead", "Noisy", "Optimal", "RandomWalk", "play", "success", "walk"]


class Agent(Protocol):
    """Anything with `chances(maze)`: rank x rank, the chance to go from (r, c) to (r + 1, c).

    Reference: Generality supplement, A.1.
    """

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
    """Sees `ahead` crossings far, goes where the most dots are, and tosses a coin when both are as good;
    `LookAhead(1)` is greedy. (Generality supplement, A.1.)

    >>> maze = Maze(3, 0.5, ((1, 0), (0, 1), (0, 2)))
    >>> success(maze, LookAhead(1)), success(maze, LookAhead(2))
    (0.5, 1.0)
    """

    ahead: int = 1

    def chances(self, maze: Maze) -> FloatArray:
        value = reach(maze.rank, frozenset(maze.dots), integer("ahead", self.ahead))
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
        noise = number("noise", self.noise, 1e-6, 1e6)
        gain = _gain(reach(maze.rank, frozenset(maze.dots))) / noise
        return np.asarray(1 / (1 + np.exp(-np.clip(gain, -500, 500))))


def _gain(value: FloatArray) -> FloatArray:
    """How much better (r + 1, c) is than (r, c + 1), at every (r, c)."""
    padded = np.pad(value, ((0, 1), (0, 1)))
    return np.asarray(padded[1:, :-1] - padded[:-1, 1:])


def success(maze: Maze, agent: Agent) -> float:
    """The agent's exact chance to meet as many dots as any path can.

    Reference: Generality supplement, A.1.
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


def walk(maze: Maze, agent: Agent, seed: SeedLike) -> list[Crossing]:
    """One walk of the agent to the far edge. (Generality supplement, A.1.)

    >>> walk(Maze(3, 0.5, ((1, 0), (1, 1))), Optimal(), seed=1)
    [(0, 0), (1, 0), (1, 1)]
    """
    go, rng = agent.chances(maze), generator(seed)
    path = [(0, 0)]
    for drawn in rng.random(maze.rank - 1):
        r, c = path[-1]
        path.append((r + 1, c) if drawn < go[r, c] else (r, c + 1))
    return path


def play(mazes: Sequence[Maze], agents: Mapping[str, Agent]) -> Responses:
    """Agents x mazes: each one's exact chance to solve each, on the difficulty scale of Table S1.

    >>> mazes = [Maze(3, 0.5, ((1, 0), (1, 1)), "one"), Maze(3, 0.5, ((2, 0),), "two")]
    >>> play(mazes, {"blind": RandomWalk(), "perfect": Optimal()}).frame.values.tolist()
    [[0.25, 0.25], [1.0, 1.0]]
    """
    if not agents or not mazes:
        raise BadInput(
            "agents", agents, "[empty] and mazes must not be empty", "give at least one of each"
        )
    chance = {name: [success(maze, agent) for maze in mazes] for name, agent in agents.items()}
    names = [maze.name for maze in mazes]
    frame = pd.DataFrame.from_dict(chance, orient="index", columns=names)
    facts = pd.DataFrame(
        {
            "difficulty": [maze.difficulty for maze in mazes],
            "paper difficulty": [maze.paper_difficulty for maze in mazes],
            "rank": [maze.rank for maze in mazes],
            "saturation": [maze.saturation for maze in mazes],
        },
        index=names,
    )
    return Responses(frame.clip(0, 1), items=facts, name="mazes", source="own experiment")
