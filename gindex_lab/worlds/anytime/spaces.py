"""Spaces and patterns of the environment class Λ: parse and print the published notation, draw new ones.

A space is a ring of cells with labelled moves. Action 0 stays and is never written; in each cell every
other action is a digit and a run of `+` or `-`, the displacement on the ring: `12-|1-2--|1++2--` has three
cells and three actions. A pattern is a string of digits, the actions that Good and Evil repeat for ever.
(Hernández-Orallo and Dowe 2010; Insa-Cabrera et al. 2011, whose logs fix the notation.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import generator, integer, number

__all__ = [
    *("Space", "parse", "primitive_root", "random_pattern", "random_space", "space_of"),
    "strongly_connected",
]

Destinations = tuple[tuple[int, ...], ...]
_MOVE = re.compile(r"(\d)(\++|-*)")
_MOST_ACTIONS = 10  # the notation writes an action as one digit
_MOST_DRAWS = 1_000_000  # some minutes without a connected space: a judgement


@dataclass(frozen=True)
class Space:
    """A space by its signed displacements, one row per cell, one number per action from 1 up.

    Reference: Hernández-Orallo and Dowe (2010), section 5.

    >>> Space(((1,), (1,), (-2,))).text
    '1+|1+|1--'
    """

    moves: Destinations

    @property
    def cells(self) -> int:
        """n_c, the number of cells."""
        return len(self.moves)

    @property
    def actions(self) -> int:
        """n_a, the number of actions with "stay"."""
        return len(self.moves[0]) + 1

    @cached_property
    def destinations(self) -> Destinations:
        """T[cell][action], the cell that an action leads to."""
        n = self.cells
        return tuple((cell, *((cell + step) % n for step in row)) for cell, row in enumerate(self.moves))

    @property
    def text(self) -> str:
        """The published notation."""
        signs = ["".join(f"{a}{'+' * k}{'-' * -k}" for a, k in enumerate(row, 1)) for row in self.moves]
        return "|".join(signs)

    def __str__(self) -> str:
        return self.text


def parse(text: Any) -> Space:
    """A space from its notation.

    Parameters
    ----------
    text : such as "1+|1-", or a `Space`, which is returned; an error names the cell that is wrong

    Returns
    -------
    A `Space`.

    References
    ----------
    Hernández-Orallo and Dowe (2010), section 5.

    Examples
    --------
    >>> parse("1+|1-").destinations
    ((0, 1), (1, 0))
    """
    if isinstance(text, Space):
        return text
    if not isinstance(text, str) or not text:
        problem = "[not-a-description] is not a description of a space"
        raise BadInput("space", text, problem, "use e.g. '1+|1-'")
    rows = []
    for cell, part in enumerate(text.split("|")):
        pieces = _MOVE.findall(part)
        problem = f"[not-moves] cell {cell} reads {part!r}, which is not a list of moves"
        remedy = "write each action as a digit and a run of + or -, such as '1++2-'"
        whole = part and "".join(digit + signs for digit, signs in pieces) == part
        ensure(whole, "space", text, problem, remedy)
        given = [digit for digit, _ in pieces]
        wanted = [str(action) for action in range(1, len(given) + 1)]
        problem = f"[wrong-actions] cell {cell} lists the actions {' '.join(given)}, not {' '.join(wanted)}"
        ensure(given == wanted, "space", text, problem, "list every action but 0 once, in order")
        rows.append(tuple(signs.count("+") - signs.count("-") for _, signs in pieces))
    problem = "[uneven-cells] has cells with different actions"
    ensure(len(set(map(len, rows))) == 1, "space", text, problem, "list the same actions in every cell")
    problem = "[one-cell] has a single cell"
    ensure(len(rows) > 1, "space", text, problem, "separate two or more cells by '|'")
    return Space(tuple(rows))


def space_of(destinations: Sequence[Sequence[int]]) -> Space:
    """A space from its table of destinations; displacements are written with `+`.

    Parameters
    ----------
    destinations : T[cell][action], a row of cells for each cell; action 0 stays

    Returns
    -------
    A `Space`.

    References
    ----------
    Hernández-Orallo and Dowe (2010), section 5.

    Examples
    --------
    >>> space_of([[0, 1], [1, 0]]).text
    '1+|1+'
    """
    try:
        table = [list(row) for row in destinations]
    except TypeError:
        remedy = "pass a row of cells for each cell"
        raise BadInput("destinations", destinations, "[not-a-table] is not a table", remedy) from None
    n = len(table)
    for cell, row in enumerate(table):
        name, remedy = f"destinations[{cell}]", f"use cells 0 to {n - 1}"
        for to in row:
            known = not isinstance(to, bool) and to in range(n)
            ensure(known, name, to, "[not-a-cell] is not a cell", remedy)
        problem = "[moves-at-rest] does not stay under action 0"
        ensure(row[:1] == [cell], name, row, problem, f"begin with {cell}")
    return parse(Space(tuple(tuple((t - c) % n for t in row[1:]) for c, row in enumerate(table))).text)


def strongly_connected(space: Space | str) -> bool:
    """Whether every cell can be reached from every other.

    Asked of every space that is drawn: networkx takes 75 times as long for spaces of 4 to 15 cells.

    Parameters
    ----------
    space : a `Space`, or its notation

    Returns
    -------
    True or False.

    References
    ----------
    Hernández-Orallo and Dowe (2010), section 5.

    Examples
    --------
    >>> strongly_connected(parse("1+|1+|1+")), strongly_connected(parse("1+|1|1+"))
    (True, False)
    """
    forward = [set(row) for row in parse(space).destinations]
    backward: list[set[int]] = [set() for _ in forward]
    for cell, row in enumerate(forward):
        for target in row:
            backward[target].add(cell)
    return _all_reached(forward) and _all_reached(backward)


def _all_reached(edges: list[set[int]]) -> bool:
    seen, waiting = {0}, [0]
    while waiting:
        new = edges[waiting.pop()] - seen
        seen |= new
        waiting += new
    return len(seen) == len(edges)


def random_space(cells: int, actions: int | None = None, seed: SeedLike = 0) -> Space:
    """A strongly connected space by the law that fits the logged ones.

    Each displacement has size k uniform on 0 … n_c - 1 and a fair sign; the number of actions is
    min(n_c, 2 + G) with P(G = j) = 2^-(j+1) unless given; both are drawn again until the space is
    strongly connected.

    Parameters
    ----------
    cells : n_c
    actions : n_a, with "stay"; drawn by default
    seed : of the draws

    Returns
    -------
    A `Space`.

    References
    ----------
    Hernández-Orallo and Dowe (2010), section 5; the law is fitted to the logs of Insa-Cabrera et al. (2011).

    Examples
    --------
    >>> space = random_space(5, seed=1)
    >>> space.cells, strongly_connected(space)
    (5, True)
    """
    n, rng = integer("cells", cells, 2), generator(seed)
    if actions is not None:
        problem = "[out-of-range] does not fit one digit"
        ensure(integer("actions", actions, 2) <= _MOST_ACTIONS, "actions", actions, problem, "use 2 to 10")
    for _ in range(_MOST_DRAWS):
        count = actions or min(n, _MOST_ACTIONS, 1 + int(rng.geometric(0.5)))
        shape = (n, count - 1)
        sizes = rng.integers(n, size=shape) * (2 * rng.integers(2, size=shape) - 1)
        space = Space(tuple(map(tuple, sizes.tolist())))
        if strongly_connected(space):
            return space
    problem = f"[too-rare] gave no connected space with {actions} actions in {_MOST_DRAWS:,} draws"
    raise BadInput("cells", cells, problem, "use fewer cells or more actions")


def random_pattern(
    actions: int, cells: int, stop: float | None = None, length: int | None = None, seed: SeedLike = 0
) -> str:
    """A pattern of uniform digits.

    Parameters
    ----------
    actions : n_a of the space
    cells : n_c of the space
    stop : the chance to end after each digit, 1 / n_c by default
    length : fixes the length, which is geometric otherwise
    seed : of the draws

    Returns
    -------
    A string of digits below n_a.

    References
    ----------
    Hernández-Orallo and Dowe (2010), section 5.

    Examples
    --------
    >>> len(random_pattern(3, 5, length=7, seed=1))
    7
    """
    n, rng = integer("actions", actions, 2), generator(seed)
    chance = 1 / integer("cells", cells, 2) if stop is None else number("stop", stop, 0, 1)
    ensure(chance, "stop", stop, "[out-of-range] would never end a pattern", "use a number above 0")
    size = int(rng.geometric(chance)) if length is None else integer("length", length)
    return "".join(map(str, rng.integers(n, size=size).tolist()))


def primitive_root(pattern: str) -> str:
    """The shortest pattern that gives the same endless sequence.

    Parameters
    ----------
    pattern : a string of digits

    Returns
    -------
    Its first digits, as many as its period.

    References
    ----------
    Hernández-Orallo and Dowe (2010), section 5.

    Examples
    --------
    >>> primitive_root("2121"), primitive_root("00"), primitive_root("120")
    ('21', '0', '120')
    """
    if not isinstance(pattern, str) or not pattern:
        raise BadInput("pattern", pattern, "[not-digits] is not a string of digits", "use e.g. '2210'")
    return pattern[: (pattern + pattern).index(pattern, 1)]
