"""The similarity w of two nodes (Section 2.4.2), compiled: that of flows, and a place for that of others.

The engine of Δ calls `similarity`, and the kind of the table's content chooses what is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import overload

from gindex_lab.measures.programs.cliques import compiled
from gindex_lab.measures.programs.encode import FlowNodes

__all__ = ["flow_similarity", "similarity", "similarity_of"]


def similarity(content: Any, x: int, y: int) -> int:
    """w(v', v'') of two nodes of one type, in the units of the table: by the kind of its content."""
    raise NotImplementedError("compiled code only: see similarity_of")


def similarity_of(kind: type) -> Callable[[Any], Any]:
    """A decorator: this compiled function is the similarity of nodes with such a content.

    A world that brings its own names its folder in `uses` of `cliques.compiled`, so that machine code of
    the engine is dropped when its kernel changes.
    """

    def register(kernel: Any) -> Any:
        @overload(similarity, strict=False)  # strict: no annotations either
        def choose(content: Any, x: Any, y: Any) -> Any:
            if getattr(content, "instance_class", None) is kind:
                return lambda content, x, y: kernel(content, x, y)
            return None

        return kernel

    return register


@similarity_of(FlowNodes)
@compiled
def flow_similarity(nodes: FlowNodes, x: int, y: int) -> int:
    """w(v', v'') of two nodes of one type, in units: the share of attributes with the same value."""
    at_x, at_y, present, equal = nodes.row[x], nodes.row[y], 0, 0
    for k in range(nodes.width[x]):
        p, q = nodes.values[at_x + k], nodes.values[at_y + k]
        if nodes.symmetric:
            present += p >= 0 or q >= 0
            equal += p == q and p >= 0
        else:
            present += p >= 0
            equal += p >= 0 and (p == q or (p == 0 and q < 0))
    if present == 0:
        return nodes.share[0]
    return nodes.share[present] * equal + nodes.rest[present] * equal // present
