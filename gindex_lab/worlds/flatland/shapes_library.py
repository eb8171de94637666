"""The shapes that come with the package: flow texts of our own, each composed from simpler ones."""

from __future__ import annotations

from gindex_lab.foundation.validate import choice
from gindex_lab.worlds.flatland.expressions import Expression
from gindex_lab.worlds.flatland.parsing import SHAPES, read
from gindex_lab.worlds.flatland.programs import Program

__all__ = ["library", "shape", "uses"]


def library() -> list[str]:
    """The names of the shapes. (g-index paper, section 5.)

    >>> library()[:4]
    ['arc', 'car', 'circle', 'face']
    """
    return sorted(path.stem for path in SHAPES.glob("*.fbp"))


def shape(
    name: str,
    *args: Expression,
    position: tuple[float, float] | None = None,
    theta: float | None = None,
) -> Program:
    """A shape of the library, with the arguments and place of its file where none are given.

    Reference: g-index paper, section 5.

    >>> shape("circle", 20, position=(64, 64)).run
    Call(flow='circle', args=(20,), position=(64, 64), theta=0)
    """
    program = read(SHAPES / f"{choice('name', name, library())}.fbp")
    changes = {"args": args} if args else {}
    place = {"position": position, "theta": theta}
    return program.with_run(**changes, **{k: v for k, v in place.items() if v is not None})


def uses(name: str) -> set[str]:
    """The flows that a shape calls directly: the edges of the library's composition.

    Reference: g-index paper, section 5.

    >>> sorted(uses("car"))
    ['rectangle', 'wheel']
    """
    flows = shape(name).flows
    return {node.type for node in flows[name].nodes} & set(flows)
