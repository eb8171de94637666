"""The parts of a program that draws: nodes, links, flows, the call that runs one, and its limits.

A flow is a directed graph without cycles. Its nodes are primitives or calls of other flows, its links
lead from a port of a node ("out", or "body" of a loop) to another node; links enter it at its entries and
leave it at its exits. (g-index paper, section 5.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gindex_lab.worlds.flatland.expressions import Expression

__all__ = ["PORTS", "PRIMITIVES", "SIZE", "Call", "Definition", "DrawingLimits", "Link", "Node", "Source"]

SIZE = 128.0  # the side of the canvas (g-index paper, section 5)
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
    within flows. `distance`: of one move. All are judgements. (g-index paper, section 5.)

    >>> DrawingLimits(steps=100).depth
    64
    """

    steps: int = 200_000
    nodes: int = 5_000
    depth: int = 64
    distance: float = 2_000.0


Limits = DrawingLimits  # its name until November 2026


@dataclass(frozen=True)
class Node:
    """A node of a flow: its name, its type (a primitive or a flow) and its arguments. (Section 5.)"""

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
    """A flow: its parameters, how to draw them at random, its nodes and links, and where it is entered and
    left. (g-index paper, section 5.)"""

    name: str
    params: tuple[str, ...]
    randoms: Mapping[str, Expression]
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    entries: tuple[str, ...]
    exits: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Call:
    """Which flow to run, with what arguments, from where, heading where: in degrees from the x axis, to the
    left. (g-index paper, section 5.)"""

    flow: str
    args: tuple[Expression, ...] = ()
    position: tuple[float, float] = (64.0, 64.0)
    theta: float = 0.0


class Include(NamedTuple):
    """A file to read first, and the line that asks for it."""

    name: str
    line: int


@dataclass
class Source:
    """What one text says: includes, flows, and the call if there is one."""

    includes: list[Include] = field(default_factory=list)
    flows: list[Definition] = field(default_factory=list)
    run: Call | None = None
