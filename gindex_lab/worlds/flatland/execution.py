"""Running a program: a pen that moves and turns, step by step.

A node receives the pen's pose, acts, and passes the pose on. Where several links leave a port, each
branch starts from the same pose, in the order of the links, and what follows a loop goes on from where
the last branch of its last round ended. After each move the position is taken modulo 128, without drawing
the part beyond the edge (`wrap="torus"` of the picture draws it).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gindex_lab.foundation.errors import BadProgram
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.worlds.flatland.definitions import SIZE, DrawingLimits
from gindex_lab.worlds.flatland.expansion import GraphNode
from gindex_lab.worlds.flatland.expressions import Symbol, reduce

if TYPE_CHECKING:
    from gindex_lab.worlds.flatland.programs import Program

__all__ = ["Segment", "Step", "Trace", "steps", "trace"]

Pose = tuple[float, float, float]


class Step(NamedTuple):
    """One primitive executed: the place of its node in the graph, its type, and the pose before and after.

    For a loop, `round` is the count that begins; for others it is None. `x`, `y` of a move are the
    end of its line, which may lie beyond the edge; the pose goes on at `position`. (Section 5.)
    """

    node: int
    type: str
    start: Pose
    x: float
    y: float
    theta: float
    pen: bool
    round: int | None

    @property
    def position(self) -> tuple[float, float]:
        """Where the pen is after the step."""
        return _wrapped(self.x), _wrapped(self.y)


class Segment(NamedTuple):
    """One move: from, to, and whether the pen was down."""

    x0: float
    y0: float
    x1: float
    y1: float
    pen: bool


@dataclass(frozen=True)
class Trace:
    """All moves of a run, in order, and the pose at the end. Iterating gives `Segment`s. (Section 5.)

    >>> from gindex_lab.worlds.flatland import parse
    >>> trace = parse('#include "square.fbp"\\n{} -> square(30)').trace()
    >>> len(trace), trace.drawn, trace.ink, [round(x, 9) for x in trace.position], trace.heading % 360
    (4, 4, 120.0, [64.0, 64.0], 0.0)
    """

    lines: FloatArray
    pen: np.ndarray
    position: tuple[float, float]
    heading: float
    steps: int

    @property
    def segments(self) -> FloatArray:
        """What is drawn: a row x0, y0, x1, y1 for each move with the pen down."""
        return self.lines[self.pen]

    @property
    def drawn(self) -> int:
        """The number of moves with the pen down."""
        return int(self.pen.sum())

    @cached_property
    def ink(self) -> float:
        """The length of all that is drawn."""
        x0, y0, x1, y1 = self.segments.T
        return float(np.hypot(x1 - x0, y1 - y0).sum())

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[Segment]:
        for line, pen in zip(self.lines.tolist(), self.pen.tolist(), strict=True):
            yield Segment._make((*line, pen))


def trace(program: Program, limits: DrawingLimits | None = None) -> Trace:
    """Run a program to its end, or to an error where it needs more than its limits allow (section 5).

    Parameters
    ----------
    program : the program
    limits : what it may use; by default its own limits

    Returns
    -------
    Trace : every move with its pen, and the pose at the end
    """
    lines: list[float] = []
    pens: list[bool] = []
    count = 0
    pose = _start(program)
    for _, kind, (x0, y0, _), x, y, theta, pen, _ in _machine(program, limits):
        count += 1
        if kind == "move":
            lines += (x0, y0, x, y)
            pens.append(pen)
        pose = x, y, theta
    table = np.array(lines, dtype=float).reshape(-1, 4)
    place = (_wrapped(pose[0]), _wrapped(pose[1]))
    return Trace(table, np.array(pens, dtype=bool), place, pose[2] % 360, count)


def steps(program: Program, limits: DrawingLimits | None = None) -> Iterator[Step]:
    """Run a program one `Step` at a time: to draw as it goes, to stop where it matters (section 5).

    Parameters
    ----------
    program, limits : as for `trace`

    Returns
    -------
    iterator of Step

    Examples
    --------
    >>> from gindex_lab.worlds.flatland import parse
    >>> run = steps(parse('#include "square.fbp"\\n{} -> square(30)'))
    >>> [(step.type, step.round) for step, _ in zip(run, range(4))]
    [('loop', 0), ('move', None), ('turn', None), ('loop', 1)]
    """
    return map(Step._make, _machine(program, limits))


def _start(program: Program) -> Pose:
    x, y = program.run.position
    return _wrapped(x), _wrapped(y), float(program.run.theta)


def _wrapped(value: float) -> float:
    """A coordinate modulo 128; what only the noise of adding up puts below 0 is 0."""
    if 0 <= value < SIZE:
        return float(value)
    rest = value % SIZE
    return 0.0 if rest >= SIZE - 1e-9 else rest


def _machine(program: Program, limits: DrawingLimits | None) -> Iterator[tuple[Any, ...]]:
    """A stack of what is still to do: a node with the pose it gets, or a loop with the rounds left."""
    bounds, graph = limits or program.limits, program.graph
    counts: dict[str, Any] = {}
    pose = _start(program)
    bodies, outs = ([ports.get(port, ())[::-1] for ports in graph.targets] for port in ("body", "out"))
    todo: list[tuple[int, Pose | None, int, int]] = [(to, pose, 0, 0) for to in outs[0]]
    moves = [_constant_move(node, bounds) for node in graph.nodes]
    left = bounds.steps
    while todo:
        if not left:
            problem = f"[too-long] has not finished after {bounds.steps:,} steps"
            remedy = "shorten its loops, or raise limits.steps"
            raise BadProgram("program", graph.nodes[todo[-1][0]].id, problem, remedy)
        left -= 1
        place, given, at, end = todo.pop()
        node = graph.nodes[place]
        kind = node.type
        if kind == "loop":
            if given is not None:
                pose = given
                at, end = _whole(node, "start", counts), _whole(node, "end", counts)
            counts[node.params["var"]] = at
            if at < end:
                yield place, kind, pose, *pose, False, at
                todo.append((place, None, at + 1, end))
                following = bodies[place]
            else:
                following = outs[place]
        else:
            before = given or pose
            x, y, theta = before
            distance, turn, pen = moves[place] or _move(node, counts, bounds)
            if kind == "turn":
                theta = (theta + turn) % 360
            else:
                angle = math.radians(theta)
                x += distance * math.cos(angle)
                y += distance * math.sin(angle)
            yield place, kind, before, x, y, theta, pen, None
            if not (0 <= x < SIZE and 0 <= y < SIZE):
                x, y = _wrapped(x), _wrapped(y)
            pose = x, y, theta
            following = outs[place]
        for target in following:
            todo.append((target, pose, 0, 0))


Move = tuple[float, float, bool]  # how far, how many degrees, with the pen down


def _constant_move(node: GraphNode, limits: DrawingLimits) -> Move | None:
    """What a move or turn does, where that does not depend on the count of a loop."""
    changing = any(isinstance(value, (tuple, Symbol)) for value in node.params.values())
    far = node.type == "move" and not changing and abs(node.params["dist"]) > limits.distance
    if node.type not in ("move", "turn") or changing or far:
        return None  # too far is an error where it is executed, not before
    return _move(node, {}, limits)


def _move(node: GraphNode, counts: dict[str, Any], limits: DrawingLimits) -> Move:
    if node.type == "turn":
        return 0.0, _number(node, "theta", counts), False
    distance = _number(node, "dist", counts)
    if not abs(distance) <= limits.distance:
        problem = f"[too-far] is farther than {limits.distance:g} in one move"
        raise BadProgram(node.id, distance, problem, "move less, or raise limits.distance")
    return distance, 0.0, not _number(node, "penup", counts)


def _number(node: GraphNode, key: str, counts: dict[str, Any]) -> float:
    value: Any = node.params[key]
    if isinstance(value, (tuple, Symbol)):
        try:
            value = reduce(value, counts)
        except BadProgram as error:
            raise error.told_of(node.id, error.value, BadProgram) from None
    return value


def _whole(node: GraphNode, key: str, counts: dict[str, Any]) -> int:
    value = _number(node, key, counts)
    if value != int(value):
        raise BadProgram(node.id, value, f"is not a whole number for {key}", "use (round ...)")
    return int(value)
