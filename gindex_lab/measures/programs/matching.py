"""From two flows to the weight of their best common subgraph, compiled.

The best matching of nodes type by type, blind to wires, bounds the similarity of two flows from above; in
most pairs its wires agree, and it is the answer. Otherwise the pairs of nodes become the vertices of an
association graph (Appendix C), and the clique search decides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gindex_lab.measures.programs.cliques import (
    Bits,
    Places,
    Stack,
    compiled,
    new_stack,
    peel,
    search,
    still_open,
)
from gindex_lab.measures.programs.divergence import BY_BOUND, BY_SEARCH, OPEN
from gindex_lab.measures.programs.encode import IntArray, Table

__all__ = ["Pairs", "agree", "arrange", "associate", "solve"]


@compiled
def similarity(t: Table, x: int, y: int, symmetric: bool) -> int:
    """w(v', v'') of two nodes of one type, in units (Section 2.4.2)."""
    at_x, at_y, present, equal = t.row[x], t.row[y], 0, 0
    for k in range(t.width[x]):
        p, q = t.values[at_x + k], t.values[at_y + k]
        if symmetric:
            present += p >= 0 or q >= 0
            equal += p == q and p >= 0
        else:
            present += p >= 0
            equal += p >= 0 and (p == q or (p == 0 and q < 0))
    if present == 0:
        return t.share[0]
    return t.share[present] * equal + t.rest[present] * equal // present


class Wires(NamedTuple):
    """The labels of all wires, and where those of two flows start and how many nodes each has."""

    label: npt.NDArray[np.uint8]
    start_a: int
    nodes_a: int
    start_b: int
    nodes_b: int


@compiled
def wires_of(t: Table, a: int, b: int) -> Wires:
    """The wires of two flows, looked up once for many comparisons."""
    nodes_a, nodes_b = t.first[a + 1] - t.first[a], t.first[b + 1] - t.first[b]
    return Wires(t.label, t.corner[a], nodes_a, t.corner[b], nodes_b)


@compiled
def agree(w: Wires, i: int, j: int, k: int, m: int, both_ways: bool) -> bool:
    """Whether matching i with j and k with m preserves the wires (Eq 12)."""
    p, n, q, o = w.start_a, w.nodes_a, w.start_b, w.nodes_b
    forth = w.label[p + i * n + k] == w.label[q + j * o + m]
    back = w.label[p + k * n + i] == w.label[q + m * o + j]
    return (forth and back) if both_ways else (forth or back)


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


class Pairs(NamedTuple):
    """The vertices of an association graph: node of the first flow, of the second, similarity;
    and for each node of the first flow its partner in the matching that is blind to wires."""

    left: Places
    right: Places
    weight: IntArray
    partner: IntArray
    block: IntArray


@compiled
def new_pairs(vertices: int, nodes: int, block: int) -> Pairs:
    """Room for so many pairs of nodes, nodes of the first flow, and pairs of one type."""
    return Pairs(
        np.zeros(vertices, np.int32),
        np.zeros(vertices, np.int32),
        np.zeros(vertices, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(block, np.int64),
    )


@compiled
def count_pairs(t: Table, a: int, b: int) -> int:
    """The number of pairs of nodes of one type."""
    x, y, count = t.first[a], t.first[b], 0
    while x < t.first[a + 1] and y < t.first[b + 1]:
        kind = min(t.kind[x], t.kind[y])
        rows = columns = 0
        while x < t.first[a + 1] and t.kind[x] == kind:
            x, rows = x + 1, rows + 1
        while y < t.first[b + 1] and t.kind[y] == kind:
            y, columns = y + 1, columns + 1
        count += rows * columns
    return count


@compiled
def settle(pairs: Pairs, i: int, j: int, rows: int, columns: int) -> int:
    """The best partners within `pairs.block`, whose nodes begin at i and j, and what they weigh."""
    partner = pairs.partner[i : i + rows]
    total = assign(pairs.block, rows, columns, partner)
    for r in range(rows):
        c = partner[r]
        partner[r] = c + j if c >= 0 and pairs.block[r * columns + c] > 0 else -1
    return total


@compiled
def associate(t: Table, a: int, b: int, symmetric: bool, pairs: Pairs) -> tuple[int, int]:
    """List the vertices of the association graph (Eq 11), and match the nodes blind to wires.

    Returns the number of vertices and the weight of the matching, which no common subgraph exceeds.
    """
    x, y, end_x, end_y = t.first[a], t.first[b], t.first[a + 1], t.first[b + 1]
    vertices, total = 0, 0
    for i in range(end_x - x):
        pairs.partner[i] = -1
    while x < end_x and y < end_y:
        kind, other = t.kind[x], t.kind[y]
        if kind != other:
            x, y = x + (kind < other), y + (kind > other)
            continue
        rows = columns = 1
        while x + rows < end_x and t.kind[x + rows] == kind:
            rows += 1
        while y + columns < end_y and t.kind[y + columns] == kind:
            columns += 1
        for r in range(rows):
            for c in range(columns):
                w = similarity(t, x + r, y + c, symmetric)
                pairs.block[r * columns + c] = w
                if w > 0:
                    pairs.left[vertices] = x + r - t.first[a]
                    pairs.right[vertices] = y + c - t.first[b]
                    pairs.weight[vertices] = w
                    vertices += 1
        i, j = x - t.first[a], y - t.first[b]
        total += settle(pairs, i, j, rows, columns)
        x, y = x + rows, y + columns
    return vertices, total


@compiled
def matching_agrees(t: Table, a: int, b: int, partner: IntArray, both_ways: bool) -> bool:
    """Whether the matching that is blind to wires happens to preserve them all."""
    wires = wires_of(t, a, b)
    for i in range(wires.nodes_a):
        j = partner[i]
        if j < 0:
            continue
        for k in range(i):
            if partner[k] >= 0 and not agree(wires, i, j, k, partner[k], both_ways):
                return False
    return True


@compiled
def connect(wires: Wires, vertices: int, pairs: Pairs, both_ways: bool, adjacent: Bits) -> None:
    """The edges of the association graph: two pairs of distinct nodes that preserve the wires."""
    words = (vertices + 63) // 64
    for v in range(vertices):
        i, j = pairs.left[v], pairs.right[v]
        for k in range(words):
            adjacent[v, k] = np.uint64(0)
        for u in range(v):
            k, m = pairs.left[u], pairs.right[u]
            if i != k and j != m and agree(wires, i, j, k, m, both_ways):
                adjacent[v, u // 64] |= np.uint64(1) << np.uint64(u % 64)
                adjacent[u, v // 64] |= np.uint64(1) << np.uint64(v % 64)


@compiled
def arrange(
    t: Table, a: int, b: int, vertices: int, pairs: Pairs, both_ways: bool, adjacent: Bits
) -> None:
    """The association graph, its vertices in the order that suits the search (in a small one, any)."""
    wires = wires_of(t, a, b)
    connect(wires, vertices, pairs, both_ways, adjacent)
    if vertices <= 32:
        return
    order = np.empty(vertices, np.int64)
    peel(pairs.weight, adjacent, vertices, order)
    for part in (pairs.left, pairs.right):
        before = part.copy()
        for v in range(vertices):
            part[v] = before[order[v]]
    weight = pairs.weight.copy()
    for v in range(vertices):
        pairs.weight[v] = weight[order[v]]
    connect(wires, vertices, pairs, both_ways, adjacent)


@compiled
def first_clique(vertices: int, pairs: Pairs, adjacent: Bits, stack: Stack) -> None:
    """A clique to start from: what agrees of the matching blind to wires, then whatever fits."""
    words, size, total = (vertices + 63) // 64, 0, 0
    free = stack.scratch[0]
    free[:words] = ~np.uint64(0)
    for chosen_only in (True, False):
        for v in range(vertices):
            if not (free[v // 64] >> np.uint64(v % 64)) & np.uint64(1):
                continue
            if chosen_only and pairs.partner[pairs.left[v]] != pairs.right[v]:
                continue
            stack.best[size] = v
            size += 1
            total += pairs.weight[v]
            for k in range(words):
                free[k] &= adjacent[v, k]
    stack.state[0], stack.state[1], stack.state[2] = -1, total, size


@compiled
def by_search(
    t: Table,
    a: int,
    b: int,
    vertices: int,
    most: int,
    both_ways: bool,
    effort: int,
    pairs: Pairs,
    adjacent: Bits,
    stack: Stack,
) -> tuple[int, int, int]:
    """Bounds on the similarity of two associated flows, at `most` what the blind matching weighs, and
    whether they meet; `pairs.partner` becomes the mapping."""
    arrange(t, a, b, vertices, pairs, both_ways, adjacent)
    first_clique(vertices, pairs, adjacent, stack)
    proven = search(pairs.weight, adjacent, vertices, stack, most, effort)
    pairs.partner[: t.first[a + 1] - t.first[a]] = -1
    for k in range(stack.state[2]):
        v = stack.best[k]
        pairs.partner[pairs.left[v]] = pairs.right[v]
    high = stack.state[1] if proven else min(most, still_open(stack))
    return stack.state[1], high, BY_SEARCH if proven else OPEN


@compiled
def solve(
    t: Table,
    lefts: IntArray,
    rights: IntArray,
    symmetric: bool,
    both_ways: bool,
    room: int,
    effort: int,
    low: IntArray,
    high: IntArray,
    decided: npt.NDArray[np.uint8],
) -> IntArray:
    """Bounds `low` and `high` on the similarity of many pairs of flows; equal where it is proven.

    A pair with more than `room` vertices, or one that takes more than `effort`, is left open. Returns
    the mapping of the last pair.
    """
    nodes = 1
    for k in range(len(lefts)):
        for f in (lefts[k], rights[k]):
            nodes = max(nodes, t.first[f + 1] - t.first[f])
    pairs = new_pairs(room, nodes, room)
    adjacent = np.zeros((room, (room + 63) // 64), np.uint64)
    stack = new_stack(room, min(nodes, room))
    for k in range(len(lefts)):
        a, b = lefts[k], rights[k]
        n, o = t.first[a + 1] - t.first[a], t.first[b + 1] - t.first[b]
        if n * o > room and count_pairs(t, a, b) > room:
            low[k], high[k], decided[k] = 0, t.share[0] * min(n, o), OPEN
            continue
        vertices, total = associate(t, a, b, symmetric, pairs)
        # decided here, not in a function given all arrays: counting their references would take as long
        if matching_agrees(t, a, b, pairs.partner, both_ways):
            low[k], high[k], decided[k] = total, total, BY_BOUND
        else:
            low[k], high[k], decided[k] = by_search(
                t, a, b, vertices, total, both_ways, effort, pairs, adjacent, stack
            )
    return pairs.partner
