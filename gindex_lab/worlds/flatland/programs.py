"""Programs that draw: flows of move, turn and loop, composed from other flows.

A flow is a directed graph without cycles. Its nodes are primitives or calls of other flows, its links
lead from a port of a node ("out", or "body" of a loop) to another node; links enter it at its entries and
leave it at its exits. A program is a set of flows and the one to run, with arguments, position and
heading. (g-index paper, section 5.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.errors import BadInput, BadProgram
from gindex_lab.worlds.flatland.expressions import Expression

if TYPE_CHECKING:
    from gindex_lab.worlds.flatland.drawings import Drawing
    from gindex_lab.worlds.flatland.execution import Trace
    from gindex_lab.worlds.flatland.expansion import Graph

__all__ = [
    "PORTS",
    "PRIMITIVES",
    "SIZE",
    "Call",
    "Definition",
    "DrawingLimits",
    "Link",
    "Node",
    "Program",
]

SIZE = 128.0  # the side of the canvas
# parameters of each primitive with their defaults; None: must be given
PRIMITIVES: dict[str, dict[str, Expression | None]] = {
    "move": {"dist": None, "penup": False},
    "turn": {"theta": None},
    "loop": {"var": None, "start": None, "end": None},
}
PORTS = {"loop": ("body", "out")}


@dataclass(frozen=True)
class DrawingLimits:
    """What a program may use, so that a hostile one ends with an error and not with the machine.

    `steps`: primitives executed. `nodes`: of the program with all its flows written out. `depth`: flows
    within flows. `distance`: of one move. (g-index paper, section 5.)

    >>> DrawingLimits(steps=100).depth
    64
    """

    steps: int = 200_000
    nodes: int = 5_000
    depth: int = 64
    distance: float = 2_000.0


@dataclass(frozen=True)
class Node:
    """A node of a flow: its name, its type (a primitive or a flow) and its arguments.

    Reference: g-index paper, section 5.
    """

    name: str
    type: str
    args: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class Link:
    """From a port of a node to another node. (g-index paper, section 5.)"""

    source: str
    port: str
    target: str


@dataclass(frozen=True)
class Definition:
    """A flow: parameters, how to draw them at random, nodes, links, and where it is entered and left.

    Reference: g-index paper, section 5.
    """

    name: str
    params: tuple[str, ...]
    randoms: Mapping[str, Expression]
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    entries: tuple[str, ...]
    exits: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Call:
    """Which flow to run, with what arguments, from where, heading where (degrees from the x axis, left).

    Reference: g-index paper, section 5.
    """

    flow: str
    args: tuple[Expression, ...] = ()
    position: tuple[float, float] = (64.0, 64.0)
    theta: float = 0.0


@dataclass(frozen=True)
class Program:
    """A program: flows by name, and the call that runs one of them. `parse` makes one from text.

    Reference: g-index paper, section 5.

    >>> from gindex_lab.worlds.flatland import parse
    >>> program = parse('''
    ... side(start d) -> step(move d)
    ... step -> side(end)
    ... {"position": [10, 20]} -> side(30)
    ... ''')
    >>> program, program.trace().segments.tolist()
    (Program('side(30)', 1 flow), [[10.0, 20.0, 40.0, 20.0]])
    """

    flows: Mapping[str, Definition]
    run: Call
    limits: DrawingLimits = field(default=DrawingLimits(), compare=False, repr=False)

    def __post_init__(self) -> None:
        from gindex_lab.worlds.flatland.checks import canonical, check_program

        check_program(self)
        object.__setattr__(self, "flows", {k: canonical(flow) for k, flow in self.flows.items()})

    @cached_property
    def graph(self) -> Graph:
        """The program with every flow written out down to the primitives, START first."""
        from gindex_lab.worlds.flatland.expansion import expand

        return expand(self)

    def trace(self, limits: DrawingLimits | None = None) -> Trace:
        """Run the program: every move with its pen, and the pose at the end."""
        from gindex_lab.worlds.flatland.execution import trace

        given: object = limits
        if not isinstance(given, DrawingLimits | None):
            remedy = "pass gl.flatland.Limits(...)"
            raise BadInput("limits", given, "is not a set of limits", remedy, code="wrong-type")
        return trace(self, given)

    def image(self, wrap: str = "teleport") -> npt.NDArray[np.uint8]:
        """The picture: 128 x 128, 1 for ink, row 0 at the top."""
        from gindex_lab.worlds.flatland.rendering import picture

        return picture(self.trace().segments, wrap)

    def svg(self, wrap: str = "teleport") -> str:
        """The picture as an SVG document."""
        from gindex_lab.worlds.flatland.rendering import to_svg

        return to_svg(self.trace().segments, wrap)

    def to_text(self, syntax: str = "fbp") -> str:
        """The program in one of the syntaxes "fbp", "lisp", "json"; `parse` reads it back."""
        from gindex_lab.worlds.flatland.parsing import write

        return write(self, syntax)

    def drawing(self) -> Drawing:
        """What the program draws as a list of lines and circles (the list metric's programs)."""
        from gindex_lab.worlds.flatland.drawings import Drawing

        return Drawing.of_program(self)

    def to_flow(self) -> Any:
        """The graph as a `gl.Flow`, the g-index's own kind of program: to draw it, or for its Δ."""
        from gindex_lab.measures.programs.flows import Flow

        return Flow(self.graph.flow_nodes(), name=self.run.flow)

    def with_run(self, **changes: Any) -> Program:
        """The same program run otherwise: `flow=`, `args=`, `position=`, `theta=`."""
        unknown = set(changes) - {"flow", "args", "position", "theta"}
        if unknown:
            remedy = "use flow, args, position, theta"
            raise BadProgram("run", sorted(unknown)[0], "is not part of a call", remedy)
        return replace(self, run=replace(self.run, **changes))

    def __hash__(self) -> int:
        return hash((tuple(sorted(self.flows)), self.run))

    def __repr__(self) -> str:
        from gindex_lab.worlds.flatland.expressions import to_lisp

        call = f"{self.run.flow}({' '.join(map(to_lisp, self.run.args))})"
        return f"Program({call!r}, {len(self.flows)} flow" + "s" * (len(self.flows) != 1) + ")"


Limits = DrawingLimits  # its name until November 2026
