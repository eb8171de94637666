"""Drawings: a program as a list of lines and circles, whatever path the pen took.

The paper's figure of domain distances compares programs as such lists (g-index paper, section 5). A
drawing can be read from its JSON, made from the trace of a program, drawn as a picture, and written as a
program again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import ProgramLike
from gindex_lab.foundation.validate import FloatArray, number
from gindex_lab.worlds.flatland.definitions import SIZE, Call, Definition, Link, Node
from gindex_lab.worlds.flatland.execution import Step, steps
from gindex_lab.worlds.flatland.expansion import Graph
from gindex_lab.worlds.flatland.programs import Program, shape
from gindex_lab.worlds.flatland.rendering import Picture, picture, to_svg

__all__ = ["Circle", "Drawing", "Line"]

# judgements
_CHORDS = 120  # of a full circle in a picture
_BEND = 15.0  # degrees: a loop of moves that turns less than this each round is an arc
_FARTHEST = 1e6  # of a coordinate, a radius or an angle


@dataclass(frozen=True)
class Line:
    """A line from (x0, y0) to (x1, y1). (g-index paper, section 5.)

    >>> Line(0, 0, 4, 2).centre
    (2.0, 1.0)
    """

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def centre(self) -> tuple[float, float]:
        """Its midpoint."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def segments(self) -> FloatArray:
        """The one segment that draws it."""
        return np.array([astuple(self)], dtype=float)


@dataclass(frozen=True)
class Circle:
    """A circle around (x, y), or the first `theta` degrees of one, from its lowest point to the right.

    These are all the fields of the paper's list of primitives (centre, radius, theta): where an arc begins
    cannot be said there, so it is neither kept nor compared. (g-index paper, section 5.)

    >>> Circle(64, 64, 20).theta
    360.0
    """

    x: float
    y: float
    radius: float
    theta: float = 360.0

    @property
    def centre(self) -> tuple[float, float]:
        """Its centre."""
        return self.x, self.y

    def segments(self) -> FloatArray:
        """Chords that draw it."""
        count = max(2, math.ceil(_CHORDS * min(abs(self.theta), 360) / 360))
        angle = np.radians(-90 + np.linspace(0, self.theta, count + 1))
        ring = np.column_stack([self.x + self.radius * np.cos(angle), self.y + self.radius * np.sin(angle)])
        return np.hstack([ring[:-1], ring[1:]])


Shape = Line | Circle


@dataclass(frozen=True)
class Drawing:
    """A list of lines and circles. (g-index paper, section 5.)

    >>> drawing = Drawing((Circle(64, 64, 20), Line(10, 10, 50, 10)))
    >>> drawing, int(drawing.image().sum()) > 100
    (Drawing(1 circle, 1 line), True)
    >>> Drawing.of(drawing.to_list()) == drawing
    True
    """

    shapes: tuple[Shape, ...]

    def __post_init__(self) -> None:
        for at, part in enumerate(self.shapes):
            if not isinstance(part, (Line, Circle)):
                raise BadInput(f"shapes[{at}]", part, "[not-a-shape] is not a Line or a Circle", "use one")
            for value in astuple(part):
                number(f"shapes[{at}]", value, -_FARTHEST, _FARTHEST)

    @classmethod
    def of(cls, source: ProgramLike) -> Drawing:
        """A drawing as it is, of a program, or from a list as JSON holds it."""
        if isinstance(source, Drawing):
            return source
        if isinstance(source, Program):
            return cls.of_program(source)
        if isinstance(source, (str, bytes, Mapping)) or not isinstance(source, Iterable):
            remedy = "pass a Drawing, a Program or a list of lines and circles"
            raise BadInput("drawing", source, "[not-a-list] is not a list of shapes", remedy)
        return cls(tuple(_shape(row, f"drawing[{at}]") for at, row in enumerate(source)))

    @classmethod
    def of_program(cls, program: Program) -> Drawing:
        """What a program draws: each pen-down move a line, each loop that bends a little a circle.

        Circles of a list have no heading: of an arc, centre, radius and extent are kept, and not where on
        its circle it lies.
        """
        return cls(tuple(_recognised(program)))

    def to_list(self) -> list[dict[str, Any]]:
        """The shapes as JSON holds them: id, type, and points by name."""
        return [{"id": at, **_row(part)} for at, part in enumerate(self.shapes)]

    @cached_property
    def segments(self) -> FloatArray:
        """All that is drawn, as rows x0, y0, x1, y1."""
        return np.vstack([np.empty((0, 4)), *(part.segments() for part in self.shapes)])

    def image(self, wrap: str = "teleport") -> Picture:
        """The picture: 128 x 128, 1 for ink, row 0 at the top."""
        return picture(self.segments, wrap)

    def svg(self, wrap: str = "teleport") -> str:
        """The picture as an SVG document."""
        return to_svg(self.segments, wrap)

    def program(self) -> Program:
        """A program of move, turn and loop that draws this: the pen goes from shape to shape."""
        return _program(self.shapes)

    def __len__(self) -> int:
        return len(self.shapes)

    def __repr__(self) -> str:
        circles = sum(isinstance(part, Circle) for part in self.shapes)
        counts = [(circles, "circle"), (len(self) - circles, "line")]
        return f"Drawing({', '.join(f'{n} {word}' + 's' * (n != 1) for n, word in counts)})"


def _shape(row: Any, where: str) -> Shape:
    """A shape of a list as JSON holds it."""
    if isinstance(row, (Line, Circle)):
        return row
    if not isinstance(row, Mapping) or row.get("type") not in ("line", "circle"):
        remedy = 'write {"type": "line", "start": {"x": ..., "y": ...}, "end": ...}'
        raise BadInput(where, row, "[not-a-shape] is neither a line nor a circle", remedy)

    def point(key: str) -> tuple[float, ...]:
        found = row.get(key)
        if not isinstance(found, Mapping) or not {"x", "y"} <= set(found):
            remedy = 'write {"x": 1, "y": 2}'
            raise BadInput(f"{where}.{key}", found, "[not-a-point] is not a point", remedy)
        axes = ((f"{where}.{key}.{axis}", found[axis]) for axis in "xy")
        return tuple(number(name, value, -_FARTHEST, _FARTHEST) for name, value in axes)

    if row["type"] == "line":
        return Line(*point("start"), *point("end"))
    radius = number(f"{where}.radius", row.get("radius"), 0, _FARTHEST)
    theta = number(f"{where}.theta", row.get("theta", 360.0), -_FARTHEST, _FARTHEST)
    x, y = point("center")
    return Circle(x, y, radius, theta)


def _row(part: Shape) -> dict[str, Any]:
    if isinstance(part, Circle):
        centre = {"x": part.x, "y": part.y}
        return {"type": "circle", "center": centre, "radius": part.radius, "theta": part.theta}
    return {"type": "line", "start": {"x": part.x0, "y": part.y0}, "end": {"x": part.x1, "y": part.y1}}


def _recognised(program: Program) -> Iterator[Shape]:
    """The lines and circles that a run draws."""
    arcs = _arcs(program.graph)
    inside = {place for ring in arcs.values() for place in ring}
    begun: Step | None = None
    rounds = 0
    for step in steps(program):
        if step.node in inside:
            continue
        if begun is not None and step.node == begun.node and (step.round or 0) > (begun.round or 0):
            rounds += 1
            continue
        if begun is not None:
            yield _arc(program.graph, arcs[begun.node], begun, rounds)
        begun, rounds = (step, 1) if step.node in arcs else (None, 0)
        if step.type == "move" and step.pen and step.start[:2] != (step.x, step.y):
            yield Line(step.start[0], step.start[1], step.x, step.y)
    if begun is not None:
        yield _arc(program.graph, arcs[begun.node], begun, rounds)


def _arcs(graph: Graph) -> dict[int, tuple[int, int]]:
    """The loops that only move by a constant with the pen down and turn a little: body by loop."""
    found = {}
    for place, ports in enumerate(graph.targets):
        body = ports.get("body", [])
        if [graph.nodes[at].type for at in body] != ["move"]:
            continue
        after = graph.targets[body[0]].get("out", [])
        if [graph.nodes[at].type for at in after] != ["turn"] or graph.targets[after[0]]:
            continue
        move, bend = graph.nodes[body[0]].params, graph.nodes[after[0]].params["theta"]
        fixed = isinstance(move["dist"], (int, float)) and isinstance(bend, (int, float))
        if fixed and 0 < abs(bend) <= _BEND and not move["penup"]:
            found[place] = (body[0], after[0])
    return found


def _arc(graph: Graph, body: tuple[int, int], step: Step, rounds: int) -> Circle:
    """The circle through the corners of so many moves: its tangent is half a turn off the first."""
    distance, bend = graph.nodes[body[0]].params["dist"], graph.nodes[body[1]].params["theta"]
    radius = distance / (2 * math.sin(math.radians(bend) / 2))  # negative: to the right
    tangent = math.radians(step.theta - bend / 2 + 90)
    x, y = step.x + radius * math.cos(tangent), step.y + radius * math.sin(tangent)
    return Circle(x, y, abs(radius), min(360.0, rounds * abs(bend)))


class _Pen:
    """A program while it is written: its nodes, and where the pen is."""

    def __init__(self, x: float, y: float) -> None:
        self.x, self.y, self.heading = x, y, 0.0
        self.nodes: list[Node] = []

    def add(self, kind: str, *args: float) -> None:
        self.nodes.append(Node(f"n{len(self.nodes)}", kind, args))

    def turn_to(self, angle: float) -> None:
        """By an angle in [0, 360), without the noise of its computation."""
        self.add("turn", round((angle - self.heading) % 360, 9) % 360)
        self.heading = angle

    def go_to(self, x: float, y: float) -> None:
        """Without ink."""
        away = math.hypot(x - self.x, y - self.y)
        if away >= 1e-9:
            self.turn_to(math.degrees(math.atan2(y - self.y, x - self.x)))
            self.add("move", away, True)
            self.x, self.y = x, y

    def draw(self, part: Shape) -> None:
        if isinstance(part, Circle):
            degrees, half = round(part.theta), math.radians(0.5)
            self.turn_to(0.5)  # half a step: the chords lie round the circle evenly
            self.add("arc", part.radius / math.cos(half), degrees)
            chords, length = np.radians(0.5 + np.arange(degrees)), 2 * part.radius * math.sin(half)
            end = self.x + length * np.cos(chords).sum(), self.y + length * np.sin(chords).sum()
            self.heading = 0.5 + degrees
        else:
            self.turn_to(math.degrees(math.atan2(part.y1 - part.y0, part.x1 - part.x0)))
            self.add("move", math.hypot(part.x1 - part.x0, part.y1 - part.y0))
            end = part.x1, part.y1
        self.x, self.y = end[0] % SIZE, end[1] % SIZE


def _program(shapes: tuple[Shape, ...]) -> Program:
    if not shapes:
        raise BadInput("drawing", shapes, "[draws-nothing] draws nothing", "give it a line or a circle")
    starts = [_begin(part, at) for at, part in enumerate(shapes)]
    pen = _Pen(*starts[0])
    for part, start in zip(shapes, starts, strict=True):
        pen.go_to(*start)
        pen.draw(part)
    links = tuple(Link(a.name, "out", b.name) for a, b in pairwise(pen.nodes))
    main = Definition("main", (), {}, tuple(pen.nodes), links, ("n0",), ((pen.nodes[-1].name, "out"),))
    arcs = shape("arc").flows if any(isinstance(part, Circle) for part in shapes) else {}
    return Program({**arcs, "main": main}, Call("main", (), starts[0], 0.0))


def _begin(part: Shape, at: int) -> tuple[float, float]:
    """Where the pen is put down: within the canvas, or the program cannot get there."""
    x, y = (part.x, part.y - part.radius) if isinstance(part, Circle) else (part.x0, part.y0)
    if not (0 <= x < SIZE and 0 <= y < SIZE):
        problem = f"[off-canvas] of shape {at} is beyond the canvas, where no pen can start"
        raise BadInput("start", (x, y), problem, "move the shape")
    return x, y
