"""Mazes, generated: from numpy's random numbers, or bit by bit as R's `sample` drew the published ones.

Dots are ⌈S · R(R+1)/2⌉ crossings drawn without replacement from all but the tip. With `r_seed` they are
those of R's `set.seed(r_seed); sample(...)` over the crossings in rows, with R's old way of drawing a whole
number (`"Rounding"`, before R 3.6) or the new one (`"Rejection"`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.r_random import RRandom
from gindex_lab.foundation.validate import generator
from gindex_lab.worlds.tasks.mazes.paths import Crossing, analyse, check_dots, difficulty

__all__ = ["Maze", "battery", "make_maze", "matching", "r_sample", "random_maze"]

SampleKind = Literal["Rejection", "Rounding"]


@dataclass(frozen=True)
class Maze:
    """A maze: `rank`, nominal `saturation`, `dots` as crossings (row, column), and a `name`.

    Reference: generality supplement, A.1.

    >>> maze = Maze(4, 0.3, ((0, 1), (1, 1), (3, 0)), "small")
    >>> maze.facts["max_score"], round(maze.difficulty, 3)
    (2, 0.036)
    """

    rank: int
    saturation: float
    dots: tuple[Crossing, ...]
    name: str = "maze"

    def __post_init__(self) -> None:
        check_dots(self.rank, self.dots)

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What `analyse` says of it."""
        return analyse(self.rank, self.dots)

    @property
    def difficulty(self) -> float:
        """On the scale of Table S1 (`kind="package"`)."""
        return difficulty(self.rank, self.saturation, self.facts["min_steps"], self.facts["max_score"])

    @property
    def paper_difficulty(self) -> float:
        """By the formula as the paper prints it: log10, and divided by the number of best paths."""
        steps, routes = self.facts["min_steps"], self.facts["routes"]
        return difficulty(self.rank, self.saturation, steps, routes, kind="paper")


def make_maze(
    rank: int,
    saturation: float,
    *,
    r_seed: int | None = None,
    sample_kind: SampleKind = "Rejection",
    name: str = "maze",
    seed: SeedLike = None,
) -> Maze:
    """A random maze, drawn with numpy's numbers or with R's.

    Parameters
    ----------
    rank : rows of the maze, 2 to 200
    saturation : the share of crossings with a dot, between 0 and 1
    r_seed : the seed that R's `set.seed` would get, instead of `seed`
    sample_kind : with `r_seed`, how R draws whole numbers: "Rejection" (since R 3.6) or "Rounding"
    name : of the maze
    seed : whole number or Generator, instead of `r_seed`

    Returns
    -------
    Maze

    References
    ----------
    Generality supplement, A.1; the R package mazeGen, `np(rank, satPercent, seed)`.

    Examples
    --------
    >>> make_maze(3, 0.5, r_seed=1).dots  # mazeGen's 2, 5 and 4
    ((0, 1), (1, 1), (1, 0))
    """
    one = (seed is None) != (r_seed is None)
    ensure(one, "seed", seed, "[one-of-two] and r_seed exclude each other", "give exactly one of them")
    if r_seed is None:
        dots = random_maze(rank, saturation, seed)
    else:
        crossings, count = _crossings(rank, saturation)
        dots = [crossings[k] for k in r_sample(len(crossings), count, sample_kind, seed=r_seed)]
    return Maze(rank, saturation, tuple(dots), name)


def random_maze(rank: int, saturation: float, seed: SeedLike = 1) -> list[Crossing]:
    """Dots of a random maze: a share of the crossings, but not the tip, has one.

    Parameters
    ----------
    rank, saturation, seed : as for `make_maze`

    Returns
    -------
    list of crossings : (row, column) of each dot, in rows

    References
    ----------
    Generality supplement, A.1.

    Examples
    --------
    >>> len(random_maze(10, 0.3, seed=1))  # of 55 crossings
    17
    """
    crossings, count = _crossings(rank, saturation)
    return [crossings[k] for k in sorted(generator(seed).choice(len(crossings), count, replace=False))]


def _crossings(rank: int, saturation: float) -> tuple[list[Crossing], int]:
    """All crossings but the tip, in rows, and ⌈S · R(R+1)/2⌉; the slack keeps 0.2 x 55 at 11, as in R."""
    rows, _ = check_dots(rank, ())
    crossings = [(r, c) for r in range(rows) for c in range(rows - r)][1:]
    count = int(np.ceil(saturation * (len(crossings) + 1) - 1e-9))
    return crossings, min(count, len(crossings))


def r_sample(n: int, size: int, kind: SampleKind = "Rejection", *, seed: int = 1) -> list[int]:
    """What R's `set.seed(seed); sample(n, size) - 1` gives: whole numbers below n, without replacement.

    Parameters
    ----------
    n : how many numbers to draw from
    size : how many to draw, at most n
    kind : "Rejection" (since R 3.6) or "Rounding"
    seed : the argument of `set.seed`

    Returns
    -------
    list of int

    References
    ----------
    Generality supplement, A.1, whose mazes were drawn so; R's `RNGkind(sample.kind=...)`.

    Examples
    --------
    >>> r_sample(10, 3, seed=1), r_sample(10, 3, "Rounding", seed=1)  # R: 9 4 7, and 3 4 5
    ([8, 3, 6], [2, 3, 4])
    """
    ensure(size <= n, "size", size, f"[too-many] is more than the {n} to draw from", "draw fewer")
    numbers, pool, drawn = RRandom(seed), list(range(n)), []
    for left in range(n, n - size, -1):
        place = _below(numbers, left) if kind == "Rejection" else int(left * numbers.uniform(1)[0])
        drawn.append(pool[place])
        pool[place] = pool[left - 1]
    return drawn


def _below(numbers: RRandom, n: int) -> int:
    """R's unbiased draw below n: random bits, sixteen at a time, until they make a number below n."""
    bits = int(np.ceil(np.log2(n)))
    while True:
        value = 0
        for _ in range(bits // 16 + 1):
            value = 65536 * value + int(numbers.uniform(1)[0] * 65536)
        value &= (1 << bits) - 1
        if value < n:
            return value


def battery(
    ranks: Iterable[int] = (12, 16, 20),
    saturations: Iterable[float] = (0.2, 0.3, 0.4),
    copies: int = 2,
    seed: SeedLike = 1,
) -> list[Maze]:
    """Mazes of every rank and saturation; by default the design of the published study.

    Parameters
    ----------
    ranks : rows, each 2 to 200
    saturations : shares of crossings with a dot, each between 0 and 1
    copies : mazes of each rank and saturation
    seed : whole number or Generator

    Returns
    -------
    list of Maze : named "R12 S0.2 1" and so on

    References
    ----------
    Generality supplement, A.1.

    Examples
    --------
    >>> [maze.name for maze in battery((6, 8), (0.3,), copies=1, seed=1)]
    ['R06 S0.3 1', 'R08 S0.3 1']
    """
    rng, shares = generator(seed), list(saturations)
    mazes = [
        make_maze(rank, share, name=f"R{rank:02d} S{share:g} {k + 1}", seed=rng)
        for rank in ranks
        for share in shares
        for k in range(copies)
    ]
    problem = "[empty] and saturations must not be empty"
    ensure(mazes, "ranks", ranks, problem, "give at least one of each")
    return mazes


def matching(
    rank: int,
    saturation: float,
    steps: int,
    dots: int,
    *,
    most: int = 20_000,
    name: str = "maze",
    seed: SeedLike = 1,
) -> Maze:
    """A random maze with given steps and dots on its best path, like a maze of Table S1.

    Parameters
    ----------
    rank, saturation, steps, dots : the facts of the maze, R, S, l and m̂
    most : how many mazes to draw before giving up
    name, seed : as for `make_maze`

    Returns
    -------
    Maze

    References
    ----------
    Generality supplement, Table S1, whose seeds are unknown.

    Examples
    --------
    >>> matching(12, 0.2, 11, 7, seed=1).facts["max_score"]
    7
    """
    rng = generator(seed)
    for _ in range(most):
        maze = make_maze(rank, saturation, name=name, seed=rng)
        if (maze.facts["min_steps"], maze.facts["max_score"]) == (steps, dots):
            return maze
    problem = f"[no-such-maze] mazes were drawn, and none had {steps} steps and {dots} dots"
    raise BadInput("most", most, problem, "draw more, or ask for a likelier maze")
