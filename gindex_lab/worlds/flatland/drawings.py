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
import numpy.typing as npt

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import ProgramLike
from gindex_lab.foundation.validate import FloatArray, number
from gindex_lab.worlds.flatland.definitions import SIZE, Call, Definition, Link, Node
from gindex_lab.worlds.flatland.execution import Step, steps
from gindex_lab.worlds.flatland.expansion import Graph
from gindex_lab.worlds.flatland.expressions import Expression
from gindex_lab.worlds.flatland.parsing import shape
from gindex_lab.worlds.flatland.programs import Program
from gindex_lab.worlds.flatland.rendering import picture, to_svg

__all__ = ["Circle", "Drawing", "Line"]

_CHORDS = 120  # of a full circle in a picture
_BEND = 15.0  # degrees: a loop of moves that turns less than this each round is an arc


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
        ring = np.column_stack(
            [self.x + self.radius * np.cos(angle), self.y + self.radius * np.sin(angle)]
        )
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
                raise BadInput(
                    f"shapes[{at}]", part, "[not-a-shape] is not a Line or a Circle", "use one"
                )
            for value in astuple(part):
                number(f"shapes[{at}]", value, -1e6, 1e6)

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

        >>> from gindex_lab.worlds.flatland import shape
        >>> Drawing.of_program(shape("face"))
        Drawing(4 circles, 0 lines)
        """
        return cls(tuple(_recognised(program)))

    def to_list(self) -> list[dict[str, Any]]:
        """The shapes as JSON holds them: id, type, and points by name."""
        return [{"id": at, **_row(part)} for at, part in enumerate(self.shapes)]

    @cached_property
    def segments(self) -> FloatArray:
        """All that is drawn, as rows x0, y0, x1, y1."""
        return np.vstack([np.empty((0, 4)), *(part.segments() for part in self.shapes)])

    def image(self, wrap: str = "teleport") -> npt.NDArray[np.uint8]:
        """The picture: 128 x 128, 1 for ink, row 0 at the top."""
        return picture(self.segments, wrap)

    def svg(self, wrap: str = "teleport") -> str:
        """The picture as an SVG document."""
        return to_svg(self.segments, wrap)

    def program(self) -> Program:
        """A program of move, turn and loop that draws this: the pen goes from shape to shape."""
        return _program(self)

    def __len__(self) -> int:
        return len(self.shapes)

    def __repr__(self) -> str:
        circles = sum(isinstance(part, Circle) for part in self.shapes)
        counts = [(circles, "circle"), (len(self) - circles, "line")]
        return f"Drawing({', '.join(f'{n} {word}' + 's' * (n != 1) for n, word in counts)})"


def _shape(row: object, where: str) -> Shape:
    if isinstance(row, (Line, Circle)):
        return row
    if not isinstance(row, Mapping) or row.get("type") not in ("line", "circle"):
        remedy = 'write {"type": "line", "start": {"x": ..., "y": ...}, "end": ...}'
        raise BadInput(where, row, "[not-a-shape] is neither a line nor a circle", remedy)
    if row["type"] == "line":
        return Line(*_point(row, "start", where), *_point(row, "end", where))
    radius = number(f"{where}.radius", row.get("radius"), 0, 1e6)
    theta = number(f"{where}.theta", row.get("theta", 360.0), -1e6, 1e6)
    return Circle(*_point(row, "center", where), radius, theta)


def _point(row: Mapping[str, Any], key: str, where: str) -> tuple[float, float]:
    point = row.get(key)
    if not isinstance(point, Mapping) or not {"x", "y"} <= set(point):
        raise BadInput(
            f"{where}.{key}", point, "[not-a-point] is not a point", 'write {"x": 1, "y": 2}'
        )
    x, y = (number(f"{where}.{key}.{axis}", point[axis], -1e6, 1e6) for axis in ("x", "y"))
    return x, y


def _row(part: Shape) -> dict[str, Any]:
    if isinstance(part, Circle):
        centre = {"x": part.x, "y": part.y}
        return {"type": "circle", "center": centre, "radius": part.radius, "theta": part.theta}
    ends = {"x": part.x0, "y": part.y0}, {"x": part.x1, "y": part.y1}
    return {"type": "line", "start": ends[0], "end": ends[1]}


# --- from a program ---------------------------------------------------------------------------------


def _recognised(program: Program) -> Iterator[Shape]:
    arcs = _arcs(program.graph)
    inside = {place for ring in arcs.values() for place in ring}
    begun: Step | None = None
    rounds = 0
    for step in steps(program):
        if step.node in inside:
            continue
        again = begun is not None and step.node == begun.node and step.node in arcs
        if again and begun is not None and (step.round or 0) > (begun.round or 0):
            rounds += 1
            continue
        if begun is not None:
            yield _arc(program.graph, arcs, begun, rounds)
        begun, rounds = (step, 1) if step.node in arcs else (None, 0)
        if step.type == "move" and step.pen and step.start[:2] != (step.x, step.y):
            yield Line(step.start[0], step.start[1], step.x, step.y)
    if begun is not None:
        yield _arc(program.graph, arcs, begun, rounds)


def _arcs(graph: Graph) -> dict[int, tuple[int, int]]:
    """The loops that only move by a constant with the pen down and turn a little: body by loop."""
    found = {}
    for place, ports in enumerate(graph.targets):
        body = ports.get("body", ())
        if len(body) != 1 or graph.nodes[body[0]].type != "move":
            continue
        after = graph.targets[body[0]].get("out", ())
        if len(after) != 1 or graph.nodes[after[0]].type != "turn" or graph.targets[after[0]]:
            continue
        values = [graph.nodes[body[0]].params["dist"], graph.nodes[after[0]].params["theta"]]
        fixed = all(isinstance(value, (int, float)) for value in values)
        if fixed and 0 < abs(values[1]) <= _BEND and not graph.nodes[body[0]].params["penup"]:
            found[place] = (body[0], after[0])
    return found


def _arc(graph: Graph, arcs: Mapping[int, tuple[int, int]], step: Step, rounds: int) -> Circle:
    """The circle through the corners of so many moves: its tangent is half a turn off the first."""
    move, turn = arcs[step.node]
    distance, bend = graph.nodes[move].params["dist"], graph.nodes[turn].params["theta"]
    radius = distance / (2 * math.sin(math.radians(bend) / 2))  # negative: to the right
    tangent = math.radians(step.theta - bend / 2 + 90)
    x, y = step.x + radius * math.cos(tangent), step.y + radius * math.sin(tangent)
    return Circle(x, y, abs(radius), min(360.0, rounds * abs(bend)))


# --- as a program -----------------------------------------------------------------------------------


def _program(drawing: Drawing) -> Program:
    if not drawing.shapes:
        raise BadInput(
            "drawing", drawing, "[draws-nothing] draws nothing", "give it a line or a circle"
        )
    nodes: list[Node] = []
    pose = (*_begin(drawing.shapes[0], 0), 0.0)
    start = pose[:2]

    def add(kind: str, *args: Expression) -> None:
        nodes.append(Node(f"n{len(nodes)}", kind, args))

    for at, part in enumerate(drawing.shapes):
        pose = _go_to(add, pose, _begin(part, at))
        pose = _draw(add, pose, part)
    links = tuple(Link(a.name, "out", b.name) for a, b in pairwise(nodes))
    main = Definition("main", (), {}, tuple(nodes), links, ("n0",), ((nodes[-1].name, "out"),))
    flows = {**shape("arc").flows, "main": main} if _has_circle(drawing) else {"main": main}
    return Program(flows, Call("main", (), start, 0.0))


def _has_circle(drawing: Drawing) -> bool:
    return any(isinstance(part, Circle) for part in drawing.shapes)


def _begin(part: Shape, at: int) -> tuple[float, float]:
    """Where the pen is put down: within the canvas, or the program cannot get there."""
    x, y = (part.x, part.y - part.radius) if isinstance(part, Circle) else (part.x0, part.y0)
    if not (0 <= x < SIZE and 0 <= y < SIZE):
        problem = f"[off-canvas] of shape {at} is beyond the canvas, where no pen can start"
        raise BadInput("start", (x, y), problem, "move the shape")
    return x, y


def _go_to(add: Any, pose: tuple[float, float, float], to: tuple[float, float]) -> Any:
    x, y, heading = pose
    away = math.hypot(to[0] - x, to[1] - y)
    if away < 1e-9:
        return pose
    angle = math.degrees(math.atan2(to[1] - y, to[0] - x))
    add("turn", _turned(angle - heading))
    add("move", away, True)
    return (*to, angle)


def _draw(add: Any, pose: tuple[float, float, float], part: Shape) -> tuple[float, float, float]:
    x, y, heading = pose
    if isinstance(part, Circle):
        add("turn", _turned(0.5 - heading))  # half a step: the chords lie round the circle evenly
        add("arc", part.radius / math.cos(math.radians(0.5)), round(part.theta))
        chords = np.radians(0.5 + np.arange(round(part.theta)))
        length = 2 * part.radius * math.sin(math.radians(0.5))
        end = x + length * np.cos(chords).sum(), y + length * np.sin(chords).sum()
        return end[0] % SIZE, end[1] % SIZE, 0.5 + round(part.theta)
    angle = math.degrees(math.atan2(part.y1 - part.y0, part.x1 - part.x0))
    add("turn", _turned(angle - heading))
    add("move", math.hypot(part.x1 - part.x0, part.y1 - part.y0))
    return part.x1 % SIZE, part.y1 % SIZE, angle


def _turned(angle: float) -> float:
    """An angle in [0, 360), without the noise of its computation."""
    return round(angle % 360, 9) % 360
