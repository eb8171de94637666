"""Curricula: the domains of the paper's figure of domain distances, and variations of a program.

Six families of drawings (g-index paper, Fig 15): circles, lines, rectangles, circles in boxes, a line
that is turned again and again, stick figures. All numbers are whole and drawn uniformly; nothing depends
on the global generator, and sample k of a domain is the same however many are drawn.

Flatland makes new data from old by varying programs a little (section 5). Here only what a flow declares as
variable changes: the constant arguments of the call, by the `@param` rules of the flow, and the pose of the
start. The constants within a flow are its shape, and stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import ProgramLike, SeedLike
from gindex_lab.foundation.parallel import seeds
from gindex_lab.foundation.validate import choice, flag, generator, integer
from gindex_lab.worlds.flatland.checks import rule_of
from gindex_lab.worlds.flatland.definitions import SIZE
from gindex_lab.worlds.flatland.drawings import Circle, Drawing, Line, Shape
from gindex_lab.worlds.flatland.expressions import Expression, Symbol
from gindex_lab.worlds.flatland.programs import Program
from gindex_lab.worlds.flatland.rendering import Picture

__all__ = ["DOMAINS", "DrawingSample", "augment", "curriculum", "sample", "samples", "variations"]

Rng = np.random.Generator
_SHIFT = 60.0  # the start of a variation moves by up to this in x and y (the authors' code)


@dataclass(frozen=True)
class DrawingSample:
    """A task: the picture is what a system sees, the drawing the program it should find. (Section 5.)"""

    drawing: Drawing
    domain: str

    @cached_property
    def image(self) -> Picture:
        """The picture of the drawing."""
        return self.drawing.image()

    @property
    def pair(self) -> tuple[Picture, Drawing]:
        """What a system learns from."""
        return self.image, self.drawing


Sample = DrawingSample  # its name until November 2026


def _whole(rng: Rng, low: int, high: int) -> float:
    """A whole number, both ends included."""
    return float(rng.integers(low, high + 1))


def _point(rng: Rng, low: int, high: int) -> tuple[float, float]:
    return _whole(rng, low, high), _whole(rng, low, high)


def _path(start: tuple[float, float], moves: Sequence[tuple[float, float]]) -> list[Line]:
    """Lines end to end, each of a length and a heading in degrees."""
    shapes: list[Line] = []
    x, y = start
    for length, heading in moves:
        angle = np.radians(heading)
        end = float(x + length * np.cos(angle)), float(y + length * np.sin(angle))
        shapes.append(Line(x, y, *end))
        x, y = end
    return shapes


# The ranges of all domains are those of the authors' first version (their templates of November 2021).


def _rectangles(rng: Rng) -> list[Shape]:
    corner, sides, theta = _point(rng, 0, 96), _point(rng, 0, 96), _whole(rng, 0, 181)
    return [*_path(corner, [(sides[k % 2], theta + 90 * k) for k in range(4)])]


def _circle_in_box(rng: Rng) -> list[Shape]:
    (x, y), r = _point(rng, 0, 72), _whole(rng, 8, 25)
    return [Circle(x, y, r), *_path((x - r, y - r), [(2 * r, 90 * k) for k in range(4)])]


def _rotated_lines(rng: Rng) -> list[Shape]:
    start, count = _point(rng, 32, 96), int(rng.integers(5, 21))
    step, turn = _whole(rng, 20, 96), _whole(rng, 0, 181)
    return [*_path(start, [(step, turn * k) for k in range(count)])]


def _stick_figure(rng: Rng) -> list[Shape]:
    """A head, a torso down from it in two parts, arms and legs as two branches each."""
    (x, y), r = _point(rng, 20, 96), _whole(rng, 10, 30)
    upper, arm, lower, leg = (
        (_whole(rng, low, low + 180), _whole(rng, 5, longest))
        for low, longest in ((0, 48), (-90, 32), (0, 48), (-90, 64))
    )
    shapes: list[Shape] = [Circle(x, y, r)]
    at = (x, y - r)
    for (heading, length), (turn, limb) in ((upper, arm), (lower, leg)):
        (part,) = _path(at, [(length, heading)])
        at = (part.x1, part.y1)
        shapes += [part, *_path(at, [(limb, turn)]), *_path(at, [(limb, -turn)])]
    return shapes


DOMAINS: dict[str, Callable[[Rng], list[Shape]]] = {
    "circles": lambda rng: [Circle(*_point(rng, 0, 96), _whole(rng, 3, 50))],
    "lines": lambda rng: [Line(*_point(rng, 0, 128), *_point(rng, 0, 128))],
    "rectangles": _rectangles,
    "circle_in_box": _circle_in_box,
    "rotated_lines": _rotated_lines,
    "stick_figure": _stick_figure,
}


def sample(domain: str, n: int = 1, *, seed: SeedLike) -> DrawingSample:
    """A drawing of `n` members of a domain (g-index paper, section 5).

    Parameters
    ----------
    domain : one of `DOMAINS`
    n : members
    seed : of the drawing

    Returns
    -------
    DrawingSample : `drawing`, `image`, and `domain` with the number of members

    Examples
    --------
    >>> sample("circle_in_box", 2, seed=1).drawing
    Drawing(2 circles, 8 lines)
    """
    make = DOMAINS[choice("domain", domain, list(DOMAINS))]
    count, rng = integer("n", n), generator(seed)
    drawing = Drawing(tuple(part for _ in range(count) for part in make(rng)))
    return DrawingSample(drawing, f"{domain}-{count}")


def samples(domain: str, n: int, count: int, *, seed: SeedLike) -> list[DrawingSample]:
    """So many drawings of `n` members each, every one with a seed of its own.

    >>> len(samples("lines", 2, 5, seed=1))
    5
    """
    return [sample(domain, n, seed=one) for one in seeds(seed, integer("count", count, 0))]


def curriculum(
    count: int,
    domains: Sequence[str] = ("circles", "lines"),
    members: Sequence[int] = (1, 2, 3, 4, 5),
    *,
    seed: SeedLike,
) -> list[DrawingSample]:
    """Drawings of each domain with each number of members: by default the curriculum of Fig 15.

    Parameters
    ----------
    count : drawings of each kind
    domains : of `DOMAINS`
    members : how many members a drawing has
    seed : of the drawings; the first ones stay when more are asked for

    Returns
    -------
    list of DrawingSample

    Examples
    --------
    >>> len(curriculum(3, seed=1))
    30
    """
    integer("count", count)
    kinds = [(domain, n) for domain in domains for n in members]
    if not kinds:
        raise BadInput("domains", list(domains), "[empty] is empty", "name at least one domain")
    parts = zip(kinds, seeds(seed, len(kinds)), strict=True)
    return [task for (domain, n), one in parts for task in samples(domain, n, count, seed=one)]


def augment(program: ProgramLike, *, arguments: bool = True, pose: bool = True, seed: SeedLike) -> Program:
    """A variation of a program (g-index paper, section 5).

    Parameters
    ----------
    program : a `Program`
    arguments : whether its constant arguments are redrawn by their `@param` rules
    pose : whether its start is shifted and turned
    seed : of the variation

    Returns
    -------
    Program

    Examples
    --------
    >>> from gindex_lab.worlds.flatland import shape
    >>> square = shape("square")
    >>> one = augment(square, seed=1)
    >>> one == augment(square, seed=1), one == square, len(one.trace()) == len(square.trace())
    (True, False, True)
    """
    if not isinstance(program, Program):
        remedy = "pass a Program, as of parse()"
        raise BadInput("program", type(program).__name__, "[not-a-program] is not a program", remedy)
    flag("arguments", arguments), flag("pose", pose)
    rng = generator(seed)
    changes: dict[str, Any] = {}
    if arguments:
        flow = program.flows[program.run.flow]
        changes["args"] = tuple(
            value if isinstance(value, (tuple, Symbol)) else _draw(value, flow.randoms.get(name), rng)
            for name, value in zip(flow.params, program.run.args, strict=True)
        )
    if pose:
        x, y = np.add(program.run.position, rng.uniform(0, _SHIFT, 2)) % SIZE
        changes |= {"position": (float(x), float(y)), "theta": float(rng.integers(360))}
    return program.with_run(**changes)


def _draw(value: Expression, rule: Expression | None, rng: Rng) -> Expression:
    """A value by a rule, if there is one; whole numbers from [low, high)."""
    if rule is None:
        return value
    kind, values = rule_of(rule, "@param")
    if kind == "int":
        return int(rng.integers(int(values[0]), int(values[1])))
    if kind == "float":
        return float(rng.uniform(values[0], values[1]))
    if kind == "bool":
        return bool(rng.random() < values[0])
    return values[int(rng.integers(len(values)))]


def variations(program: Program, n: int, *, seed: SeedLike, **options: Any) -> list[Program]:
    """Several variations of a program (g-index paper, section 5).

    Parameters
    ----------
    program, n : the program, and how many variations of it
    seed : of them all, each with one of its own: the first ones stay when more are asked for
    options : `arguments` and `pose`, as for `augment`

    Returns
    -------
    list of Program

    Examples
    --------
    >>> from gindex_lab.worlds.flatland import shape
    >>> three = variations(shape("star"), 3, seed=1)
    >>> three == variations(shape("star"), 5, seed=1)[:3]
    True
    """
    return [augment(program, seed=one, **options) for one in seeds(seed, integer("n", n, 0, 10**6))]
