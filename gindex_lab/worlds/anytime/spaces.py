"""Spaces and patterns of the environment class Λ: parse and print the published notation, draw new ones.

A space is a ring of cells with labelled moves. Action 0 stays and is never written; in each cell every
other action is a digit and a run of `+` or `-`, the displacement on the ring: `12-|1-2--|1++2--` has three
cells and three actions. A pattern is a string of digits, the actions that Good and Evil repeat for ever.
(Hernández-Orallo and Dowe 2010; Insa-Cabrera et al. 2011, whose logs fix the notation.)

>>> parse("12-|1-2--|1++2--").destinations
((0, 0, 2), (1, 0, 2), (2, 1, 0))
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import generator, integer, number

__all__ = [
    "Space",
    "parse",
    "primitive_root",
    "random_pattern",
    "random_space",
    "space_of",
    "strongly_connected",
]

Destinations = tuple[tuple[int, ...], ...]
_MOVE = re.compile(r"(\d)(\++|-*)")
_MOST_ACTIONS = 10  # the notation writes an action as one digit
_MOST_DRAWS = 1_000_000


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
        return tuple(
            (cell, *((cell + step) % n for step in row)) for cell, row in enumerate(self.moves)
        )

    @property
    def text(self) -> str:
        """The published notation."""
        return "|".join("".join(_written(a, k) for a, k in enumerate(row, 1)) for row in self.moves)

    def __str__(self) -> str:
        return self.text


def _written(action: int, step: int) -> str:
    return f"{action}{('+' if step > 0 else '-') * abs(step)}"


def parse(text: object) -> Space:
    """A space from its notation; what is wrong is named with its cell.

    Reference: Hernández-Orallo and Dowe (2010), section 5.

    >>> parse("1+|1-").destinations
    ((0, 1), (1, 0))
    >>> parse("1+|2-")
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: space='1+|2-': cell 1 lists the actions 2, not 1; ...
    """
    if isinstance(text, Space):
        return text
    if not isinstance(text, str) or not text:
        raise BadInput(
            "space", text, "[not-a-description] is not a description of a space", "use e.g. '1+|1-'"
        )
    rows = [_cell(text, number, part) for number, part in enumerate(text.split("|"))]
    if len({len(row) for row in rows}) > 1:
        problem = "[uneven-cells] has cells with different actions"
        raise BadInput("space", text, problem, "list the same actions in every cell")
    if len(rows) < 2:
        raise BadInput(
            "space", text, "[one-cell] has a single cell", "separate two or more cells by '|'"
        )
    return Space(tuple(rows))


def _cell(text: str, cell: int, part: str) -> tuple[int, ...]:
    pieces = _MOVE.findall(part)
    if not part or "".join(digit + signs for digit, signs in pieces) != part:
        problem = f"[not-moves] cell {cell} reads {part!r}, which is not a list of moves"
        remedy = "write each action as a digit and a run of + or -, such as '1++2-'"
        raise BadInput("space", text, problem, remedy)
    digits = [int(digit) for digit, _ in pieces]
    expected = list(range(1, len(digits) + 1))
    if digits != expected:
        given, wanted = (" ".join(map(str, row)) for row in (digits, expected))
        problem = f"[wrong-actions] cell {cell} lists the actions {given}, not {wanted}"
        raise BadInput("space", text, problem, "list every action but 0 once, in order")
    return tuple(len(signs) * (-1 if signs.startswith("-") else 1) for _, signs in pieces)


def space_of(destinations: Sequence[Sequence[int]]) -> Space:
    """A space from its table T[cell][action]; displacements are written with `+`.

    Reference: Hernández-Orallo and Dowe (2010), section 5.

    >>> space_of([[0, 1], [1, 0]]).text
    '1+|1+'
    """
    try:
        table = [list(row) for row in destinations]
    except TypeError:
        remedy = "pass a row of cells for each cell"
        raise BadInput(
            "destinations", destinations, "[not-a-table] is not a table", remedy
        ) from None
    n = len(table)
    for cell, row in enumerate(table):
        for target in row:
            if isinstance(target, bool) or target not in range(n):
                problem = "[not-a-cell] is not a cell"
                raise BadInput(f"destinations[{cell}]", target, problem, f"use cells 0 to {n - 1}")
        if not row or row[0] != cell:
            problem = "[moves-at-rest] does not stay under action 0"
            raise BadInput(f"destinations[{cell}]", row, problem, f"begin with {cell}")
    moves = tuple(tuple((t - c) % n for t in row[1:]) for c, row in enumerate(table))
    return parse(Space(moves).text)


def strongly_connected(space: Space | str) -> bool:
    """Whether every cell of a space, or of its notation, can be reached from every other.

    Asked of every space that is drawn: networkx takes 75 times as long for spaces of 4 to 15 cells.
    (Hernández-Orallo and Dowe 2010, section 5.)

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
    strongly connected. (Hernández-Orallo and Dowe 2010, section 5.)

    >>> space = random_space(5, seed=1)
    >>> space.cells, strongly_connected(space)
    (5, True)
    """
    n = integer("cells", cells, 2)
    if actions is not None and integer("actions", actions, 2) > _MOST_ACTIONS:
        problem = "[out-of-range] does not fit one digit"
        raise BadInput("actions", actions, problem, "use 2 to 10 actions")
    rng = generator(seed)
    for _ in range(_MOST_DRAWS):
        count = actions or min(n, _MOST_ACTIONS, 1 + int(rng.geometric(0.5)))
        shape = (n, count - 1)
        sizes = rng.integers(n, size=shape) * (2 * rng.integers(2, size=shape) - 1)
        space = Space(tuple(map(tuple, sizes.tolist())))
        if strongly_connected(space):
            return space
    problem = f"gave no strongly connected space with {actions} actions in {_MOST_DRAWS:,} draws"
    raise BadInput("cells", cells, problem, "use fewer cells or more actions")


def random_pattern(
    actions: int,
    cells: int,
    stop: float | None = None,
    seed: SeedLike = 0,
    length: int | None = None,
) -> str:
    """A pattern of uniform digits; its length is geometric with P(stop) = 1 / n_c unless given.

    Reference: Hernández-Orallo and Dowe (2010), section 5.

    >>> len(random_pattern(3, 5, length=7, seed=1))
    7
    """
    n = integer("actions", actions, 2)
    chance = 1 / integer("cells", cells, 2) if stop is None else number("stop", stop, 0, 1)
    if chance == 0:
        problem = "[out-of-range] would never end a pattern"
        raise BadInput("stop", stop, problem, "use a number above 0")
    rng = generator(seed)
    size = int(rng.geometric(chance)) if length is None else integer("length", length)
    return "".join(map(str, rng.integers(n, size=size).tolist()))


def primitive_root(pattern: str) -> str:
    """The shortest pattern that gives the same endless sequence.

    Reference: Hernández-Orallo and Dowe (2010), section 5.

    >>> primitive_root("2121"), primitive_root("00"), primitive_root("120")
    ('21', '0', '120')
    """
    if not isinstance(pattern, str) or not pattern:
        raise BadInput(
            "pattern", pattern, "[not-digits] is not a string of digits", "use e.g. '2210'"
        )
    return pattern[: (pattern + pattern).index(pattern, 1)]
