r"""What a maze holds, by dynamic programming, and how hard it is.

A maze of rank R has crossings (r, c) with r + c < R; its tip (0, 0) is at the bottom, and a path goes up
from there, to (r + 1, c) or (r, c + 1). There are 2^(R-1) paths to the far edge; here they are counted
by score and crossing, in milliseconds where listing them takes hours.

For the difficulty the paper (generality supplement, A.1) writes, with saturation S, l steps and U best paths,

.. math:: h = \log_{10}\left(2^R S^4 l^4 / U\right)

What Table S1 holds is the natural logarithm, and the number of dots m̂ where the formula has U: the value
of the package that made the mazes ("package"). Only so do the seven digits of the 23 difficulties have
solutions in whole numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.validate import FloatArray, integer, vector

__all__ = ["TABLE_S1", "Crossing", "analyse", "best_path", "check_dots", "checked_crossing", "checked_path"]
__all__ += ["designs", "difficulty", "published_design", "reach", "solve"]

Crossing = tuple[int, int]
_COLUMNS = ["rank", "saturation", "steps", "dots"]
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
RANKS, SATURATIONS = (10, 12, 14, 16, 18, 20), (0.2, 0.3, 0.4)  # of the published design (A.1)
HIGHEST_RANK = 200  # a judgement: the analysis takes about a second there
# the exponents of S and l in each formula, and the base of its logarithm (mazeGen 0.1.3: m3, m1, m2)
_POWERS = {"package": (4, 4, 1.0), "paper": (4, 4, np.log(10)), "m1": (0, 0, 1.0), "m2": (4, 0, 1.0)}


def difficulty(
    rank: int,
    saturation: float,
    steps: int,
    dots: int,
    kind: Literal["package", "paper", "m1", "m2"] = "package",
) -> float:
    r"""How hard a maze is: ln(2^R S⁴ l⁴ / m̂) on the scale of Table S1.

    Parameters
    ----------
    rank : rows of the maze, R
    saturation : the nominal share of crossings with a dot, S
    steps : steps of the shortest best path, l
    dots : dots on a best path, m̂; with `kind="paper"`, the number of best paths U
    kind : which formula
        "package", as in Table S1; "paper", as printed: log₁₀(2^R S⁴ l⁴ / U); "m1", ln(2^R / m̂), and "m2",
        ln(2^R S⁴ / m̂), the package's simpler models.

    Returns
    -------
    float

    References
    ----------
    Generality supplement, A.1; the R package mazeGen, `mazeDiff(model="m3")`.

    Examples
    --------
    >>> round(difficulty(12, 0.2, 11, 7), 6)
    9.525685
    >>> round(difficulty(12, 0.2, 11, 24, kind="paper"), 3)  # 24 best paths
    3.602
    """
    return float(_logarithm(np.array([rank, saturation, steps, dots], dtype=float), kind))


def _logarithm(facts: FloatArray, kind: str) -> FloatArray:
    """log(2^R S^a l^b / divisor) of columns (R, S, l, divisor)."""
    r, s, length, divisor = facts
    a, b, base = _POWERS[kind]
    return np.asarray((r * np.log(2) + a * np.log(s) + b * np.log(length) - np.log(divisor)) / base)


def designs(difficulty: pd.Series, tolerance: float = 6e-6, base: Literal["e", "10"] = "e") -> pd.DataFrame:
    """Every maze (R, S, l, m̂) of the published design that has a given difficulty.

    The design has 10 to 20 rows, saturation 0.2, 0.3 or 0.4, l below R, and no more dots than steps.

    Parameters
    ----------
    difficulty : difficulties by item
    tolerance : how far the difficulty of a maze may be from the one given
    base : "10" takes the logarithm that the paper prints

    Returns
    -------
    DataFrame : `item`, `rank`, `saturation`, `steps`, `dots` and `difficulty`, one row for each solution; an
        item without a solution has no row

    References
    ----------
    Generality supplement, A.1 and Table S1.

    Examples
    --------
    >>> designs(pd.Series({"X261": 18.05222}))
       item  rank  saturation  steps  dots  difficulty
    0  X261    20         0.3     19    16    18.05222
    """
    h, counts = vector("difficulty", difficulty), np.arange(1, max(RANKS))
    grid = np.array(np.meshgrid(RANKS, SATURATIONS, counts, counts)).reshape(4, -1)
    grid = grid[:, (grid[2] < grid[0]) & (grid[3] <= grid[2])]
    values = _logarithm(grid, "package" if base == "e" else "paper")
    place, found = np.nonzero(np.abs(h[:, None] - values) < tolerance)
    table = pd.DataFrame(grid[:, found].T, columns=_COLUMNS).astype({"rank": int, "steps": int, "dots": int})
    table.insert(0, "item", difficulty.index[place])
    return table.assign(difficulty=values[found])


def published_design() -> pd.DataFrame:
    """The 23 mazes of Table S1.

    Returns
    -------
    DataFrame : by item: `rank`, `saturation`, `steps`, `dots`, and the `difficulty` that follows

    References
    ----------
    Generality supplement, Table S1 (the facts are inferred from its difficulties).

    Examples
    --------
    >>> published_design().loc["X263"].round(5).tolist()
    [20.0, 0.4, 19.0, 13.0, 19.41059]
    """
    table = pd.DataFrame.from_dict(TABLE_S1, orient="index", columns=_COLUMNS).rename_axis("item")
    return table.assign(difficulty=[difficulty(*facts) for facts in TABLE_S1.values()])


def check_dots(rank: int, dots: object) -> tuple[int, frozenset[Crossing]]:
    """The rank and the dots, if they are those of a maze: crossings inside it, each once, none at the tip.

    A crossing is (row, column), or its number in mazeGen's grid, row × rank + column + 1.
    """
    rows = integer("rank", rank, 2)
    ensure(rows <= HIGHEST_RANK, "rank", rank, "[too-large] is too large", f"use 2 to {HIGHEST_RANK}")
    if isinstance(dots, str) or not isinstance(dots, Iterable):
        raise BadInput("dots", dots, "[not-a-list] is not a list of crossings", "give [(row, column), ...]")
    places = (divmod(int(dot) - 1, rows) if _is_whole(dot) else dot for dot in dots)
    found = [checked_crossing("dots", place, rows) for place in places]
    ensure((0, 0) not in found, "dots", (0, 0), "[is-the-tip] is the tip, which has no dot", "leave it out")
    twice = next((dot for dot, times in Counter(found).items() if times > 1), None)
    ensure(twice is None, "dots", twice, "[duplicate] appears more than once", "give each dot once")
    return rows, frozenset(found)


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def checked_crossing(name: str, at: Any, rows: int) -> Crossing:
    """A crossing as (row, column), if it lies in a maze of this rank."""
    place = tuple(at) if isinstance(at, Iterable) and not isinstance(at, str) else ()
    pair = len(place) == 2 and all(map(_is_whole, place))
    remedy = "give (row, column), whole numbers from 0"
    ensure(pair, name, at, "[not-a-crossing] is not a crossing", remedy)
    r, c = map(int, place)
    problem = f"[outside-maze] is outside a maze of rank {rows}"
    inside = min(r, c) >= 0 and r + c < rows
    ensure(inside, name, (r, c), problem, f"use row + column below {rows}, both from 0")
    return r, c


def analyse(rank: int, dots: Iterable[Crossing]) -> dict[str, Any]:
    """What a maze holds: its best score, the shortest way to it, and how many paths have it.

    Parameters
    ----------
    rank : rows of the maze, 2 to 200
    dots : crossings (row, column), or their numbers in mazeGen's grid, row × rank + column + 1

    Returns
    -------
    dict : `max_score` (the most dots on a path, m̂), `min_steps` (the fewest steps to collect them, l),
        `routes` (full paths with them, U), `min_routes` (shortest paths with them), and `scores` (full paths
        by number of dots)

    References
    ----------
    Generality supplement, A.1.

    Examples
    --------
    >>> analyse(4, [(0, 1), (1, 1), (3, 0)])
    {'max_score': 2, 'min_steps': 2, 'routes': 2, 'min_routes': 1, 'scores': {0: 1, 1: 5, 2: 2}}
    >>> analyse(4, [2, 6, 13]) == analyse(4, [(0, 1), (1, 1), (3, 0)])  # numbered as mazeGen does
    True
    """
    rows, marked = check_dots(rank, dots)
    exact = np.int64 if rows < 60 else object  # beyond, the counts exceed 64 bits
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


def reach(rank: int, dots: frozenset[Crossing], ahead: int | None = None) -> FloatArray:
    """The most dots on the next `ahead` crossings (all by default) of a path at each (r, c), its own too."""
    own = np.zeros((rank + 1, rank + 1))  # with a margin, so that every crossing has two neighbours
    for r, c in dots:
        own[r, c] = 1.0
    outside = np.add.outer(np.arange(rank + 1), np.arange(rank + 1)) >= rank
    value = own.copy()
    for _ in range((rank if ahead is None else min(ahead, rank)) - 1):
        value[:-1, :-1] = own[:-1, :-1] + np.maximum(value[1:, :-1], value[:-1, 1:])
        value[outside] = 0.0
    return value[:-1, :-1]


def solve(
    rank: int, dots: Iterable[Crossing], *, full: bool = False, most: int = 100_000
) -> list[list[Crossing]]:
    """All best paths of a maze.

    Parameters
    ----------
    rank, dots : the maze, as in `analyse`
    full : all best paths to the far edge, not only the shortest best ones
    most : refuse a maze with more best paths than this

    Returns
    -------
    list of paths : each a list of crossings from the tip (0, 0) upwards

    References
    ----------
    Generality supplement, A.1.

    Examples
    --------
    >>> solve(4, [(0, 1), (1, 1), (3, 0)])
    [[(0, 0), (0, 1), (1, 1)]]
    >>> len(solve(4, [(0, 1), (1, 1), (3, 0)], full=True))
    2
    """
    rows, marked = check_dots(rank, dots)
    facts = analyse(rows, marked)
    count = facts["routes" if full else "min_routes"]
    problem = f"[too-few-paths] are fewer than the {count:,} best paths of this maze"
    ensure(count <= most, "most", most, problem, "raise most=..., or count them with analyse(...)")
    return list(_paths(rows, marked, facts["max_score"], rows - 1 if full else facts["min_steps"]))


def _paths(rows: int, marked: frozenset[Crossing], wanted: int, steps: int) -> Iterator[list[Crossing]]:
    """Paths with `steps` steps and `wanted` dots, depth first, leaving out what cannot get there."""
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

    Parameters
    ----------
    rank, dots : the maze, as in `analyse`

    Returns
    -------
    list of crossings

    References
    ----------
    Generality supplement, A.1.

    Examples
    --------
    >>> best_path(4, [(0, 1), (1, 1), (3, 0)])
    [(0, 0), (0, 1), (1, 1)]
    """
    rows, marked = check_dots(rank, dots)
    facts = analyse(rows, marked)
    return next(_paths(rows, marked, facts["max_score"], facts["min_steps"]))


def checked_path(rank: int, path: object) -> list[Crossing]:
    """A path, if it starts at the tip and goes up one crossing at a time."""
    if isinstance(path, str) or not isinstance(path, Iterable):
        raise BadInput("path", path, "is not a list of crossings", "give [(0, 0), (1, 0), ...]")
    steps = [checked_crossing("path", at, rank) for at in path]
    from_tip = steps[:1] == [(0, 0)]
    ensure(from_tip, "path", steps[:1], "[not-from-tip] does not start at the tip", "begin with (0, 0)")
    for (r, c), after in pairwise(steps):
        above = (r + 1, c), (r, c + 1)
        problem, remedy = f"[not-a-step] is not above {(r, c)}", f"go on to {above[0]} or {above[1]}"
        ensure(after in above, "path", after, problem, remedy)
    return steps
