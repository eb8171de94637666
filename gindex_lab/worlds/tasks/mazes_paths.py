"""What a maze holds, by dynamic programming: the most dots on a path, and how many paths have them.

A maze of rank R has crossings (r, c) with r + c < R; its tip (0, 0) is at the bottom, and a path goes up
from there, to (r + 1, c) or (r, c + 1). There are 2^(R-1) paths to the far edge; here they are counted
by score and crossing, in milliseconds where listing them takes hours. Generality supplement, A.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import flag, integer

__all__ = [
    "Crossing",
    "analyse",
    "best_path",
    "check_dots",
    "checked_crossing",
    "checked_path",
    "reach",
    "solve",
]

Crossing = tuple[int, int]
HIGHEST_RANK = 200


def check_dots(rank: object, dots: object) -> tuple[int, frozenset[Crossing]]:
    """The rank and the dots, if they are those of a maze: crossings inside it, each once, none at the tip.

    A crossing is (row, column), or its number in mazeGen's grid, row × rank + column + 1.
    """
    rows = integer("rank", rank, 2)
    if rows > HIGHEST_RANK:
        raise BadInput("rank", rank, "is larger than anyone draws", f"use 2 to {HIGHEST_RANK}")
    if isinstance(dots, str) or not isinstance(dots, Iterable):
        raise BadInput("dots", dots, "is not a list of crossings", "give [(row, column), ...]")
    found = [checked_crossing("dots", _place(dot, rows), rows) for dot in dots]
    if (0, 0) in found:
        raise BadInput("dots", (0, 0), "is the tip, which has no dot", "leave it out")
    if len(set(found)) < len(found):
        twice = next(dot for dot in found if found.count(dot) > 1)
        raise BadInput("dots", twice, "stands there more than once", "give each dot once")
    return rows, frozenset(found)


def _place(dot: object, rows: int) -> object:
    """A crossing, also from its number r R + c + 1 in the grid of mazeGen."""
    if isinstance(dot, (int, np.integer)) and not isinstance(dot, bool):
        return divmod(int(dot) - 1, rows)
    return dot


def checked_crossing(name: str, at: Any, rows: int) -> Crossing:
    """A crossing as (row, column), if it is one of a maze of so many rows."""
    whole = (int, np.integer)
    pair = isinstance(at, Iterable) and not isinstance(at, str)
    place = tuple(at) if pair else ()
    if len(place) != 2 or not all(isinstance(x, whole) and not isinstance(x, bool) for x in place):
        raise BadInput(name, at, "is not a crossing", "give (row, column), whole numbers from 0")
    r, c = int(place[0]), int(place[1])
    if min(r, c) < 0 or r + c >= rows:
        problem = f"is outside a maze of rank {rows}"
        raise BadInput(name, (r, c), problem, f"use row + column below {rows}, both from 0")
    return r, c


def analyse(rank: object, dots: Iterable[Crossing]) -> dict[str, Any]:
    """The most dots on a path (`max_score`, m̂), the steps it takes at least (`min_steps`, l), the full
    paths that have them (`routes`, U), the shortest ones (`min_routes`), and full paths by `scores`.

    >>> analyse(4, [(0, 1), (1, 1), (3, 0)])
    {'max_score': 2, 'min_steps': 2, 'routes': 2, 'min_routes': 1, 'scores': {0: 1, 1: 5, 2: 2}}
    >>> analyse(4, [2, 6, 13]) == analyse(4, [(0, 1), (1, 1), (3, 0)])  # numbered as mazeGen does
    True
    """
    rows, marked = check_dots(rank, dots)
    exact = np.int64 if rows < 60 else object
    counts = np.zeros((rows, rows + 1), dtype=exact)  # paths to (r, depth - r), by score
    counts[0, 0] = 1
    by_depth = [{0: 1}]
    for depth in range(1, rows):
        counts[1:] = counts[1:] + counts[:-1]
        for r in (r for r in range(depth + 1) if (r, depth - r) in marked):
            counts[r, 1:] = counts[r, :-1].copy()
            counts[r, 0] = 0
        total = counts[: depth + 1].sum(axis=0)
        by_depth.append({score: int(n) for score, n in enumerate(total) if n})
    most = max(by_depth[-1])
    shortest = next(depth for depth, scores in enumerate(by_depth) if most in scores)
    return {
        "max_score": most,
        "min_steps": shortest,
        "routes": by_depth[-1][most],
        "min_routes": by_depth[shortest][most],
        "scores": by_depth[-1],
    }


def reach(rank: int, dots: frozenset[Crossing], ahead: int | None = None) -> np.ndarray:
    """The most dots on the next `ahead` crossings (all by default) of a path at each (r, c), its own too.

    >>> reach(3, frozenset({(1, 0), (1, 1)}))[0].tolist()
    [2.0, 1.0, 0.0]
    """
    own = np.full((rank, rank), 0.0)
    for r, c in dots:
        own[r, c] = 1.0
    value = own.copy()
    outside = np.add.outer(np.arange(rank + 1), np.arange(rank + 1)) >= rank
    for _ in range((rank if ahead is None else min(ahead, rank)) - 1):
        padded = np.zeros((rank + 1, rank + 1))
        padded[:rank, :rank] = value
        padded[outside] = 0.0
        value = own + np.maximum(padded[1:, :-1], padded[:-1, 1:])
    value[outside[:rank, :rank]] = 0.0
    return value


def solve(
    rank: object, dots: Iterable[Crossing], *, full: bool = False, most: int = 100_000
) -> list[list[Crossing]]:
    """All best paths: the shortest ones, or with `full` all those to the far edge; `most` at most.

    >>> solve(4, [(0, 1), (1, 1), (3, 0)])
    [[(0, 0), (0, 1), (1, 1)]]
    >>> len(solve(4, [(0, 1), (1, 1), (3, 0)], full=True))
    2
    """
    rows, marked = check_dots(rank, dots)
    facts = analyse(rows, marked)
    count = facts["routes" if flag("full", full) else "min_routes"]
    if count > integer("most", most):
        problem = f"are fewer than the {count:,} best paths of this maze"
        raise BadInput("most", most, problem, "raise most=..., or count them with analyse(...)")
    steps = rows - 1 if full else facts["min_steps"]
    return list(_paths(rows, marked, facts["max_score"], steps))


def _paths(
    rows: int, marked: frozenset[Crossing], wanted: int, steps: int
) -> Iterator[list[Crossing]]:
    """Paths of so many steps with so many dots, depth first, leaving out what cannot get there."""
    value = reach(rows, marked)
    open_paths: list[tuple[list[Crossing], int]] = [([(0, 0)], 0)]
    while open_paths:
        path, met = open_paths.pop()
        if len(path) - 1 == steps:
            if met == wanted:
                yield path
            continue
        r, c = path[-1]
        for here in ((r, c + 1), (r + 1, c)):
            if met + value[here] >= wanted:
                open_paths.append(([*path, here], met + (here in marked)))


def best_path(rank: object, dots: Iterable[Crossing]) -> list[Crossing]:
    """A shortest path from the tip upwards that meets as many dots as any path can.

    >>> best_path(4, [(0, 1), (1, 1), (3, 0)])
    [(0, 0), (0, 1), (1, 1)]
    """
    rows, marked = check_dots(rank, dots)
    facts = analyse(rows, marked)
    return next(_paths(rows, marked, facts["max_score"], facts["min_steps"]))


def checked_path(rank: int, path: object) -> list[Crossing]:
    """A path, if it starts at the tip and goes up one crossing at a time.

    >>> checked_path(3, [(0, 0), (1, 0)])
    [(0, 0), (1, 0)]
    """
    if isinstance(path, str) or not isinstance(path, Iterable):
        raise BadInput("path", path, "is not a list of crossings", "give [(0, 0), (1, 0), ...]")
    steps = [checked_crossing("path", at, rank) for at in path]
    if not steps or steps[0] != (0, 0):
        raise BadInput("path", steps[:1], "does not start at the tip", "begin with (0, 0)")
    for (r, c), after in pairwise(steps):
        if after not in ((r + 1, c), (r, c + 1)):
            problem = f"is not above {(r, c)}"
            raise BadInput("path", after, problem, f"go on to {(r + 1, c)} or {(r, c + 1)}")
    return steps
