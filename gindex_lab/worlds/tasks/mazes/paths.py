r"""What a maze holds, by dynamic programming, and how hard it is.

A maze of rank R has crossings (r, c) with r + c < R; its tip (0, 0) is at the bottom, and a path goes up
from there, to (r + 1, c) or (r, c + 1). There are 2^(R-1) paths to the far edge; here they are counted
by score and crossing, in milliseconds where listing them takes hours.

For the difficulty the paper (generality supplement, A.1) writes, with saturation S, l steps and U best paths,

.. math:: h = \log_{10}\left(2^R S^4 l^4 / U\right)

What Table S1 holds is the natural logarithm, and the number of dots m̂ where the formula has U: the value
of the package that made the mazes ("package"). Seven digits of 23 difficulties have whole-number solutions
only so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import NumbersLike
from gindex_lab.foundation.validate import FloatArray, choice, flag, integer, number, vector

__all__ = [
    "TABLE_S1",
    "Crossing",
    "analyse",
    "best_path",
    "check_dots",
    "checked_crossing",
    "checked_path",
    "designs",
    "difficulty",
    "published_design",
    "reach",
    "solve",
]

# rank R, saturation S, steps l and dots m̂ of each maze of Table S1, in the order of the table
TABLE_S1: dict[str, tuple[int, float, int, int]] = {
    "X247": (12, 0.2, 11, 7),
    "X248": (12, 0.2, 9, 6),
    "X249": (12, 0.3, 11, 8),
    "X250": (12, 0.3, 9, 8),
    "X251": (12, 0.4, 11, 8),
    "X252": (12, 0.4, 10, 9),
    "X253": (16, 0.2, 14, 7),
    "X254": (16, 0.2, 15, 7),
    "X255": (16, 0.3, 15, 9),
    "X256": (16, 0.3, 15, 9),
    "X257": (16, 0.4, 15, 12),
    "X258": (16, 0.4, 15, 12),
    "X259": (20, 0.2, 16, 9),
    "X260": (20, 0.2, 19, 11),
    "X261": (20, 0.3, 19, 16),
    "X262": (20, 0.4, 18, 14),
    "X263": (20, 0.4, 19, 13),
    "X264": (20, 0.3, 19, 13),
    "X216": (14, 0.2, 12, 6),
    "X217": (14, 0.2, 13, 6),
    "X225": (14, 0.4, 13, 9),
    "X227": (18, 0.2, 16, 9),
    "X233": (10, 0.4, 9, 7),
}
RANKS, SATURATIONS = (10, 12, 14, 16, 18, 20), (0.2, 0.3, 0.4)
_KINDS = ("package", "paper", "m1", "m2")


def difficulty(rank: int, saturation: float, steps: int, dots: int, kind: str = "package") -> float:
    r"""How hard a maze is: `"package"` is ln(2^R S⁴ l⁴ / m̂), the scale of Table S1.

    With `kind="paper"` it is log10, and `dots` stands for the number of best paths U. `"m1"` is
    ln(2^R / m̂) and `"m2"` ln(2^R S⁴ / m̂), the package's simpler models.

    >>> round(difficulty(12, 0.2, 11, 7), 6)
    9.525685
    >>> round(difficulty(12, 0.2, 11, 24, kind="paper"), 3)  # 24 best paths
    3.602
    """
    choice("kind", kind, _KINDS)
    rows, length = integer("rank", rank, 2), integer("steps", steps)
    share = number("saturation", saturation, 0, 1, open_ends=True)
    divisor = integer("dots", dots)
    if kind == "paper":
        return float(_logarithm(rows, share, length, divisor) / np.log(10))
    powers = {"package": (4, 4), "m1": (0, 0), "m2": (4, 0)}[kind]
    return float(_logarithm(rows, share, length, divisor, *powers))


def _logarithm(
    rank: NumbersLike,
    saturation: NumbersLike,
    steps: NumbersLike,
    divisor: NumbersLike,
    a: int = 4,
    b: int = 4,
) -> FloatArray:
    """ln(2^R S^a l^b / divisor), of numbers or arrays."""
    parts = (np.asarray(part, dtype=float) for part in (rank, saturation, steps, divisor))
    r, s, length, most = parts
    return np.asarray(r * np.log(2) + a * np.log(s) + b * np.log(length) - np.log(most))


def designs(difficulty: pd.Series, tolerance: float = 6e-6, base: str = "e") -> pd.DataFrame:
    """Every maze (R, S, l, m̂) of the published design whose difficulty is the one given.

    The design: 10 to 20 rows, saturation 0.2, 0.3 or 0.4; l below R, and no more dots than steps. One
    row for each solution, `item` first; an item without a solution has no row. `base="10"` takes the
    logarithm that the paper prints. (Generality supplement, A.1.)

    >>> designs(pd.Series({"X261": 18.05222}))
       item  rank  saturation  steps  dots  difficulty
    0  X261    20         0.3     19    16    18.05222
    """
    choice("base", base, ("e", "10"))
    h = vector("difficulty", difficulty)
    within = number("tolerance", tolerance, 0, open_ends=True)
    steps, dots = np.arange(1, max(RANKS)), np.arange(1, max(RANKS))
    grid = np.array(np.meshgrid(RANKS, SATURATIONS, steps, dots)).reshape(4, -1)
    grid = grid[:, (grid[2] < grid[0]) & (grid[3] <= grid[2])]
    values = _logarithm(*grid) / (np.log(10) if base == "10" else 1.0)
    place, found = np.nonzero(np.abs(h[:, None] - values) < within)
    table = pd.DataFrame(grid[:, found].T, columns=["rank", "saturation", "steps", "dots"])
    table = table.astype({"rank": int, "steps": int, "dots": int})
    table.insert(0, "item", difficulty.index[place])
    return table.assign(difficulty=values[found])


def published_design() -> pd.DataFrame:
    """The 23 mazes of Table S1: rank, saturation, steps, dots, and the difficulty that follows.

    >>> published_design().loc["X263"].round(5).tolist()
    [20.0, 0.4, 19.0, 13.0, 19.41059]
    """
    columns = ["rank", "saturation", "steps", "dots"]
    table = pd.DataFrame.from_dict(TABLE_S1, orient="index", columns=columns).rename_axis("item")
    return table.assign(difficulty=[difficulty(*facts) for facts in TABLE_S1.values()])


Crossing = tuple[int, int]
HIGHEST_RANK = 200


def check_dots(rank: int, dots: object) -> tuple[int, frozenset[Crossing]]:
    """The rank and the dots, if they are those of a maze: crossings inside it, each once, none at the tip.

    A crossing is (row, column), or its number in mazeGen's grid, row × rank + column + 1.
    """
    rows = integer("rank", rank, 2)
    if rows > HIGHEST_RANK:
        raise BadInput("rank", rank, "[too-large] is too large", f"use 2 to {HIGHEST_RANK}")
    if isinstance(dots, str) or not isinstance(dots, Iterable):
        raise BadInput(
            "dots", dots, "[not-a-list] is not a list of crossings", "give [(row, column), ...]"
        )
    found = [checked_crossing("dots", _place(dot, rows), rows) for dot in dots]
    if (0, 0) in found:
        raise BadInput("dots", (0, 0), "[is-the-tip] is the tip, which has no dot", "leave it out")
    if len(set(found)) < len(found):
        twice = next(dot for dot in found if found.count(dot) > 1)
        raise BadInput("dots", twice, "[duplicate] appears more than once", "give each dot once")
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
        raise BadInput(
            name,
            at,
            "[not-a-crossing] is not a crossing",
            "give (row, column), whole numbers from 0",
        )
    r, c = int(place[0]), int(place[1])
    if min(r, c) < 0 or r + c >= rows:
        problem = f"[outside-maze] is outside a maze of rank {rows}"
        raise BadInput(name, (r, c), problem, f"use row + column below {rows}, both from 0")
    return r, c


def analyse(rank: int, dots: Iterable[Crossing]) -> dict[str, Any]:
    """The most dots on a path (`max_score`, m̂), the steps it takes at least (`min_steps`, l), the full
    paths that have them (`routes`, U), the shortest ones (`min_routes`), and full paths by `scores`.
    (Generality supplement, A.1.)

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
    rank: int, dots: Iterable[Crossing], *, full: bool = False, most: int = 100_000
) -> list[list[Crossing]]:
    """All best paths: the shortest ones, or with `full` all those to the far edge; `most` at most.

    Reference: Generality supplement, A.1.

    >>> solve(4, [(0, 1), (1, 1), (3, 0)])
    [[(0, 0), (0, 1), (1, 1)]]
    >>> len(solve(4, [(0, 1), (1, 1), (3, 0)], full=True))
    2
    """
    rows, marked = check_dots(rank, dots)
    facts = analyse(rows, marked)
    count = facts["routes" if flag("full", full) else "min_routes"]
    if count > integer("most", most):
        problem = f"[too-few-paths] are fewer than the {count:,} best paths of this maze"
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


def best_path(rank: int, dots: Iterable[Crossing]) -> list[Crossing]:
    """A shortest path from the tip upwards that meets as many dots as any path can.

    Reference: Generality supplement, A.1.

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
        raise BadInput(
            "path", steps[:1], "[not-from-tip] does not start at the tip", "begin with (0, 0)"
        )
    for (r, c), after in pairwise(steps):
        if after not in ((r + 1, c), (r, c + 1)):
            problem = f"[not-a-step] is not above {(r, c)}"
            raise BadInput("path", after, problem, f"go on to {(r + 1, c)} or {(r, c + 1)}")
    return steps
