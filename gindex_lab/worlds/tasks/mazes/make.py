"""Mazes, generated: from numpy's random numbers, or bit by bit as R's `sample` drew the published ones.

Dots are ⌈S · R(R+1)/2⌉ crossings drawn without replacement from all but the tip. With `r_seed` they are
those of R's `set.seed(r_seed); sample(...)` over the crossings in rows, with R's old way of drawing a whole
number (`"Rounding"`, before R 3.6) or the new one (`"Rejection"`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.r_random import RRandom
from gindex_lab.foundation.validate import choice, generator, integer, number
from gindex_lab.worlds.tasks.mazes.paths import Crossing, analyse, check_dots, difficulty

__all__ = ["Maze", "battery", "make_maze", "matching", "r_sample", "random_maze"]


@dataclass(frozen=True)
class Maze:
    """A maze: `rank`, nominal `saturation`, `dots` as crossings (row, column), and a `name`.

    Reference: Generality supplement, A.1.

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
        number("saturation", self.saturation, 0, 1, open_ends=True)

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What `analyse` says of it."""
        return analyse(self.rank, self.dots)

    @property
    def difficulty(self) -> float:
        """On the scale of Table S1 (`kind="package"`)."""
        facts = self.facts
        return difficulty(self.rank, self.saturation, facts["min_steps"], facts["max_score"])

    @property
    def paper_difficulty(self) -> float:
        """By the formula as the paper prints it: log10, and divided by the number of best paths."""
        steps, routes = self.facts["min_steps"], self.facts["routes"]
        return difficulty(self.rank, self.saturation, steps, routes, kind="paper")


def make_maze(
    rank: int,
    saturation: float,
    seed: SeedLike = None,
    *,
    r_seed: int | None = None,
    sample_kind: str = "Rejection",
    name: str = "maze",
) -> Maze:
    """A random maze, from `seed` (numpy's numbers) or from `r_seed` (R's). (Generality supplement, A.1.)

    >>> make_maze(3, 0.5, r_seed=1).dots  # mazeGen's 2, 5 and 4
    ((0, 1), (1, 1), (1, 0))
    """
    if (seed is None) == (r_seed is None):
        raise BadInput(
            "seed", seed, "[one-of-two] and r_seed exclude each other", "give exactly one of them"
        )
    rows, share = _size(rank, saturation)
    if r_seed is None:
        return Maze(rows, share, tuple(random_maze(rows, share, seed)), name)
    crossings = _crossings(rows)
    drawn = r_sample(len(crossings) - 1, _count(rows, share), r_seed, sample_kind)
    return Maze(rows, share, tuple(crossings[k + 1] for k in drawn), name)


def random_maze(rank: int, saturation: float, seed: SeedLike) -> list[Crossing]:
    """Dots of a maze, in rows: a share S of the crossings, but not the tip, has one.

    Reference: Generality supplement, A.1.

    >>> len(random_maze(10, 0.3, seed=1))  # of 55 crossings
    17
    """
    rows, share = _size(rank, saturation)
    crossings = _crossings(rows)
    drawn = generator(seed).choice(len(crossings) - 1, _count(rows, share), replace=False) + 1
    return [crossings[k] for k in sorted(drawn)]


def _size(rank: int, saturation: float) -> tuple[int, float]:
    rows, _ = check_dots(rank, ())
    return rows, number("saturation", saturation, 0, 1, open_ends=True)


def _crossings(rows: int) -> list[Crossing]:
    return [(r, c) for r in range(rows) for c in range(rows - r)]


def _count(rows: int, share: float) -> int:
    """⌈S · R(R+1)/2⌉; the slack keeps 0.2 x 55 at 11, as in R's arithmetic."""
    nodes = rows * (rows + 1) // 2
    return min(int(np.ceil(share * nodes - 1e-9)), nodes - 1)


def r_sample(n: int, size: int, seed: SeedLike, kind: str = "Rejection") -> list[int]:
    """R's `set.seed(seed); sample(n, size) - 1`: whole numbers below n, without replacement.

    Reference: Generality supplement, A.1.

    >>> r_sample(10, 3, 1), r_sample(10, 3, 1, "Rounding")  # R: 9 4 7, and 3 4 5
    ([8, 3, 6], [2, 3, 4])
    """
    choice("sample_kind", kind, ("Rejection", "Rounding"))
    left, wanted = integer("n", n), integer("size", size, 0)
    if wanted > left:
        raise BadInput(
            "size", size, f"[too-many] is more than the {left} to draw from", "draw fewer"
        )
    numbers = RRandom(integer("seed", seed, 0))
    pool, drawn = list(range(left)), []
    for _ in range(wanted):
        place = _below(numbers, left) if kind == "Rejection" else int(left * numbers.uniform(1)[0])
        drawn.append(pool[place])
        left -= 1
        pool[place] = pool[left]
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
    """Mazes of every rank and saturation, `copies` of each: by default the design of the published study.

    Reference: Generality supplement, A.1.

    >>> [maze.name for maze in battery((6, 8), (0.3,), copies=1, seed=1)]
    ['R06 S0.3 1', 'R08 S0.3 1']
    """
    rng, each = generator(seed), integer("copies", copies)
    shares = list(saturations)
    mazes = [
        make_maze(rank, share, rng, name=f"R{rank:02d} S{share:g} {k + 1}")
        for rank in ranks
        for share in shares
        for k in range(each)
    ]
    if not mazes:
        problem = "[empty] and saturations must not be empty"
        raise BadInput("ranks", ranks, problem, "give at least one of each")
    return mazes


def matching(
    rank: int,
    saturation: float,
    steps: int,
    dots: int,
    seed: SeedLike,
    *,
    most: int = 20_000,
    name: str = "maze",
) -> Maze:
    """A random maze with so many steps and dots on its best path: a maze of Table S1 but for its seed.

    >>> matching(12, 0.2, 11, 7, seed=1).facts["max_score"]
    7
    """
    rng, wanted = generator(seed), (integer("steps", steps), integer("dots", dots))
    for _ in range(integer("most", most)):
        maze = make_maze(rank, saturation, rng, name=name)
        if (maze.facts["min_steps"], maze.facts["max_score"]) == wanted:
            return maze
    problem = (
        f"[no-such-maze] mazes were drawn, and none had {wanted[0]} steps and {wanted[1]} dots"
    )
    raise BadInput("most", most, problem, "draw more, or ask for a likelier maze")
