"""Programs that draw: flows of move, turn and loop, composed from other flows.

A program is a set of flows and the one to run, with arguments, position and heading (g-index paper,
section 5). What it can do besides being checked stands in modules that know programs; its methods ask for
them by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.errors import BadInput, BadProgram
from gindex_lab.foundation.upstairs import upstairs
from gindex_lab.measures.programs.flows import Flow
from gindex_lab.worlds.flatland.checks import canonical, check_program
from gindex_lab.worlds.flatland.definitions import Call, Definition, DrawingLimits
from gindex_lab.worlds.flatland.expressions import to_lisp
from gindex_lab.worlds.flatland.rendering import picture, to_svg

if TYPE_CHECKING:
    from gindex_lab.worlds.flatland.drawings import Drawing
    from gindex_lab.worlds.flatland.execution import Trace
    from gindex_lab.worlds.flatland.expansion import Graph

__all__ = ["Program"]


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
        check_program(self.flows, self.run)
        object.__setattr__(self, "flows", {k: canonical(flow) for k, flow in self.flows.items()})

    @cached_property
    def graph(self) -> Graph:
        """The program with every flow written out down to the primitives, START first."""
        graph: Graph = upstairs("expand")(self)
        return graph

    def trace(self, limits: DrawingLimits | None = None) -> Trace:
        """Run the program: every move with its pen, and the pose at the end."""
        given: object = limits
        if not isinstance(given, DrawingLimits | None):
            remedy = "pass gl.flatland.Limits(...)"
            raise BadInput("limits", given, "[wrong-type] is not a set of limits", remedy)
        traced: Trace = upstairs("trace")(self, given)
        return traced

    def image(self, wrap: str = "teleport") -> npt.NDArray[np.uint8]:
        """The picture: 128 x 128, 1 for ink, row 0 at the top."""
        return picture(self.trace().segments, wrap)

    def svg(self, wrap: str = "teleport") -> str:
        """The picture as an SVG document."""
        return to_svg(self.trace().segments, wrap)

    def to_text(self, syntax: str = "fbp") -> str:
        """The program in one of the syntaxes "fbp", "lisp", "json"; `parse` reads it back."""
        return str(upstairs("write")(self, syntax))

    def drawing(self) -> Drawing:
        """What the program draws as a list of lines and circles (the list metric's programs)."""
        drawing: Drawing = upstairs("Drawing").of_program(self)
        return drawing

    def to_flow(self) -> Flow:
        """The graph as a `gl.Flow`, the g-index's own kind of program: to draw it, or for its Δ."""
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
        call = f"{self.run.flow}({' '.join(map(to_lisp, self.run.args))})"
        return f"Program({call!r}, {len(self.flows)} flow" + "s" * (len(self.flows) != 1) + ")"
