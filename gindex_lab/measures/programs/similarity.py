"""The similarity w of two nodes (Section 2.4.2), and the heaviest matching of two sets of them, compiled.

The engine of Δ calls `similarity`, and the kind of the table's content chooses what is compiled. The matching
is the Hungarian method in whole numbers: scipy's `linear_sum_assignment` works in doubles and cannot be
called from compiled code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import overload

from gindex_lab.measures.programs.cliques import compiled
from gindex_lab.measures.programs.encode import FlowNodes, IntArray

__all__ = ["assign", "similarity", "similarity_of"]


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


@compiled
def assign(block: IntArray, rows: int, columns: int, partner: IntArray) -> int:
    """The heaviest matching of rows to columns (the Hungarian method), and its weight.

    `partner[r]` becomes the column of row r, or -1. Where the best columns of all rows differ, they are it.
    """
    total, clash = 0, False
    for r in range(rows):
        best = 0
        for c in range(1, columns):
            if block[r * columns + c] > block[r * columns + best]:
                best = c
        most = block[r * columns + best]
        partner[r] = best if most > 0 else -1
        total += most
        for s in range(r if most > 0 else 0):
            clash |= partner[s] == best
    if not clash:
        return total
    turned = rows > columns
    return assign_wide(block, min(rows, columns), max(rows, columns), turned, partner)


@compiled
def assign_wide(block: IntArray, rows: int, columns: int, turned: bool, partner: IntArray) -> int:
    """The Hungarian method for rows <= columns; `turned`: the block lies on its side."""
    high, low = np.zeros(rows + 1, np.int64), np.zeros(columns + 1, np.int64)
    owner, came = np.zeros(columns + 1, np.int64), np.zeros(columns + 1, np.int64)
    slack, used = np.zeros(columns + 1, np.int64), np.zeros(columns + 1, np.bool_)
    for row in range(1, rows + 1):
        owner[0], at = row, 0
        slack[:], used[:] = 2**62, False
        while owner[at] != 0:
            used[at] = True
            r, least, following = owner[at], 2**62, 0
            for c in range(1, columns + 1):
                if used[c]:
                    continue
                w = block[(c - 1) * rows + r - 1] if turned else block[(r - 1) * columns + c - 1]
                cost = -w - high[r] - low[c]
                if cost < slack[c]:
                    slack[c], came[c] = cost, at
                if slack[c] < least:
                    least, following = slack[c], c
            for c in range(columns + 1):
                if used[c]:
                    high[owner[c]] += least
                    low[c] -= least
                else:
                    slack[c] -= least
            at = following
        while at != 0:
            owner[at] = owner[came[at]]
            at = came[at]
    total = 0
    if turned:
        partner[:columns] = -1
    for c in range(1, columns + 1):
        r = owner[c]
        if r != 0 and turned:
            partner[c - 1] = r - 1
            total += block[(c - 1) * rows + r - 1]
        elif r != 0:
            partner[r - 1] = c - 1
            total += block[(r - 1) * columns + c - 1]
    return total
