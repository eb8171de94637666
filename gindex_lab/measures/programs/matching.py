"""The engine of Δ, compiled: from two programs of a table to the weight of their best common subgraph.

The best matching of nodes type by type, blind to relations (wires, links, places), bounds the similarity of
two programs from above; in most pairs its relations agree, and it is the answer. Otherwise the pairs of nodes
become the vertices of an association graph (Appendix C), and the clique search decides. Flows and drawings
go the same way: only w, the similarity of two nodes, is each table's own (`similarity.py`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.validate import FloatArray
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
from gindex_lab.measures.programs.encode import FlowTable, IntArray
from gindex_lab.measures.programs.similarity import assign, similarity

__all__ = [
    "BY_BOUND",
    "BY_SEARCH",
    "OPEN",
    "CandidatePairs",
    "agree",
    "arrange",
    "associate",
    "decide",
    "divergence_of",
    "solve",
]

BY_BOUND, BY_SEARCH, OPEN = range(3)  # what decided a pair, if anything did


@compiled
def divergence_of(t: FlowTable, a: int, b: int, weight: int) -> float:
    """Eq 5: Δ = 1 - (Σ w)² / (|V'| |V''|), of a similarity Σ w in units; 1 where one program is empty."""
    n, o = t.first[a + 1] - t.first[a], t.first[b + 1] - t.first[b]
    if n == 0 or o == 0:
        return t.both_empty if n == o else 1.0
    # whole and broken part apart: n nodes that match fully give exactly n
    s = weight // t.unit + (weight % t.unit) / t.unit
    return 1.0 - (s * s) / (n * o)


@compiled
def divergences_of(
    t: FlowTable, lefts: IntArray, rights: IntArray, weights: IntArray
) -> FloatArray:
    """Eq 5 for many pairs."""
    result = np.empty(len(lefts))
    for k in range(len(lefts)):
        result[k] = divergence_of(t, lefts[k], rights[k], weights[k])
    return result


class Squares(NamedTuple):
    """The relations between the nodes of all programs, where those of two start, how many nodes each has,
    and how much alike is the same."""

    relation: npt.NDArray[Any]
    start_a: int
    nodes_a: int
    start_b: int
    nodes_b: int
    tolerance: float
    both_ways: bool


@compiled
def squares_of(t: FlowTable, a: int, b: int) -> Squares:
    """The relations of two programs, looked up once for many comparisons."""
    n, o = t.first[a + 1] - t.first[a], t.first[b + 1] - t.first[b]
    return Squares(t.relation, t.corner[a], n, t.corner[b], o, t.tolerance, t.both_ways)


@compiled
def alike(x: float, y: float, tolerance: float) -> bool:
    """Whether two relations count as the same."""
    return x == y or abs(float(x) - float(y)) <= tolerance


@compiled
def agree(s: Squares, i: int, j: int, k: int, m: int) -> bool:
    """Whether matching i with j and k with m preserves relations (Eq 12): both ways, or in one."""
    p, n, q, o = s.start_a, s.nodes_a, s.start_b, s.nodes_b
    forth = alike(s.relation[p + i * n + k], s.relation[q + j * o + m], s.tolerance)
    if forth != s.both_ways:
        return forth
    return alike(s.relation[p + k * n + i], s.relation[q + m * o + j], s.tolerance)


class CandidatePairs(NamedTuple):
    """The vertices of an association graph: node of the first program, of the second, similarity;
    and for each node of the first program its partner in the matching that is blind to relations."""

    left: Places
    right: Places
    weight: IntArray
    partner: IntArray
    block: IntArray


@compiled
def new_pairs(vertices: int, nodes: int, block: int) -> CandidatePairs:
    """Room for so many pairs of nodes, nodes of the first program, and pairs of one type."""
    return CandidatePairs(
        np.zeros(vertices, np.int32),
        np.zeros(vertices, np.int32),
        np.zeros(vertices, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(block, np.int64),
    )


@compiled
def count_pairs(t: FlowTable, a: int, b: int) -> int:
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
def settle(pairs: CandidatePairs, i: int, j: int, rows: int, columns: int) -> int:
    """The best partners within `pairs.block`, whose nodes begin at i and j, and what they weigh."""
    partner = pairs.partner[i : i + rows]
    total = assign(pairs.block, rows, columns, partner)
    for r in range(rows):
        c = partner[r]
        partner[r] = c + j if c >= 0 and pairs.block[r * columns + c] > 0 else -1
    return total


@compiled
def worth_keeping(block: IntArray, start: int, columns: int, most: int) -> int:
    """The least similarity among the `most` best partners of one node."""
    return np.sort(block[start : start + columns])[columns - most]


@compiled
def associate(t: FlowTable, a: int, b: int, most: int, pairs: CandidatePairs) -> tuple[int, int]:
    """List the vertices of the association graph (Eq 11), and match the nodes blind to relations.

    Returns the number of vertices and the weight of the matching, which no common subgraph exceeds. With
    `most` > 0 only so many best partners of each node of the first program become vertices.
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
        i, j = x - t.first[a], y - t.first[b]
        for r in range(rows):
            start, kept, least = r * columns, 0, 1
            for c in range(columns):
                pairs.block[start + c] = similarity(t.content, x + r, y + c)
            if 0 < most < columns:
                least = max(1, worth_keeping(pairs.block, start, columns, most))
            for c in range(columns):
                w = pairs.block[start + c]
                if w >= least and (most == 0 or kept < most):
                    pairs.left[vertices] = i + r
                    pairs.right[vertices] = j + c
                    pairs.weight[vertices] = w
                    vertices, kept = vertices + 1, kept + 1
        total += settle(pairs, i, j, rows, columns)
        x, y = x + rows, y + columns
    return vertices, total


@compiled
def matching_agrees(t: FlowTable, a: int, b: int, partner: IntArray) -> bool:
    """Whether the matching that is blind to relations happens to preserve them all."""
    squares = squares_of(t, a, b)
    for i in range(squares.nodes_a):
        j = partner[i]
        if j < 0:
            continue
        for k in range(i):
            if partner[k] >= 0 and not agree(squares, i, j, k, partner[k]):
                return False
    return True


@compiled
def connect(squares: Squares, vertices: int, pairs: CandidatePairs, adjacent: Bits) -> None:
    """The edges of the association graph: two pairs of distinct nodes that preserve the relations."""
    words = (vertices + 63) // 64
    for v in range(vertices):
        i, j = pairs.left[v], pairs.right[v]
        for k in range(words):
            adjacent[v, k] = np.uint64(0)
        for u in range(v):
            k, m = pairs.left[u], pairs.right[u]
            if i != k and j != m and agree(squares, i, j, k, m):
                adjacent[v, u // 64] |= np.uint64(1) << np.uint64(u % 64)
                adjacent[u, v // 64] |= np.uint64(1) << np.uint64(v % 64)


@compiled
def arrange(
    t: FlowTable, a: int, b: int, vertices: int, pairs: CandidatePairs, adjacent: Bits
) -> None:
    """The association graph, its vertices in the order that suits the search (in a small one, any)."""
    squares = squares_of(t, a, b)
    connect(squares, vertices, pairs, adjacent)
    if vertices <= t.unordered:
        return
    order = np.empty(vertices, np.int64)
    peel(pairs.weight, adjacent, vertices, order)
    left, right, weight = pairs.left[order], pairs.right[order], pairs.weight[order]
    for v in range(vertices):  # assigning an array to a slice takes 3 s to compile
        pairs.left[v], pairs.right[v], pairs.weight[v] = left[v], right[v], weight[v]
    connect(squares, vertices, pairs, adjacent)


@compiled
def first_clique(vertices: int, pairs: CandidatePairs, adjacent: Bits, stack: Stack) -> None:
    """A clique to start from: what agrees of the matching blind to relations, then whatever fits."""
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
    t: FlowTable,
    a: int,
    b: int,
    vertices: int,
    most: int,
    effort: int,
    pairs: CandidatePairs,
    adjacent: Bits,
    stack: Stack,
) -> tuple[int, int, int]:
    """Bounds on the similarity of two associated programs, at `most` what the blind matching weighs, and
    whether they meet; `pairs.partner` becomes the mapping."""
    arrange(t, a, b, vertices, pairs, adjacent)
    first_clique(vertices, pairs, adjacent, stack)
    proven = search(pairs.weight, adjacent, vertices, stack, most, effort)
    pairs.partner[: t.first[a + 1] - t.first[a]] = -1
    for k in range(stack.state[2]):
        v = stack.best[k]
        pairs.partner[pairs.left[v]] = pairs.right[v]
    high = stack.state[1] if proven else min(most, still_open(stack))
    return stack.state[1], high, BY_SEARCH if proven else OPEN


@compiled
def decide(
    t: FlowTable,
    a: int,
    b: int,
    most: int,
    effort: int,
    pairs: CandidatePairs,
    adjacent: Bits,
    stack: Stack,
) -> tuple[int, int, int]:
    """Bounds on the similarity of two programs, and what decided; `pairs.partner` is the mapping.

    A pair with more vertices than there is room for, or one that takes more than `effort`, is left open.
    """
    n, o, room = t.first[a + 1] - t.first[a], t.first[b + 1] - t.first[b], len(adjacent)
    if n * o > room and count_pairs(t, a, b) > room:
        return 0, t.unit * min(n, o), OPEN
    vertices, total = associate(t, a, b, most, pairs)
    if vertices == 0 or (most == 0 and matching_agrees(t, a, b, pairs.partner)):
        return total, total, BY_BOUND
    return by_search(t, a, b, vertices, total, effort, pairs, adjacent, stack)


@compiled
def most_nodes(t: FlowTable) -> int:
    """Nodes of the largest program of a table."""
    nodes = 1
    for f in range(len(t.first) - 1):
        nodes = max(nodes, t.first[f + 1] - t.first[f])
    return nodes


@compiled
def solve(
    t: FlowTable,
    lefts: IntArray,
    rights: IntArray,
    most: int,
    room: int,
    effort: int,
    low: IntArray,
    high: IntArray,
    decided: npt.NDArray[np.uint8],
) -> IntArray:
    """Bounds `low` and `high` on the similarity of many pairs; equal where it is proven (see `decide`).

    Returns the mapping of the last pair.
    """
    nodes = most_nodes(t)
    pairs = new_pairs(room, nodes, room)
    adjacent = np.zeros((room, (room + 63) // 64), np.uint64)
    stack = new_stack(room, min(nodes, room))
    for k in range(len(lefts)):
        # `decide` written out: handing it all arrays, whose references are counted, takes 8% of the time
        a, b = lefts[k], rights[k]
        n, o = t.first[a + 1] - t.first[a], t.first[b + 1] - t.first[b]
        if n * o > room and count_pairs(t, a, b) > room:
            low[k], high[k], decided[k] = 0, t.unit * min(n, o), OPEN
            continue
        vertices, total = associate(t, a, b, most, pairs)
        if vertices == 0 or (most == 0 and matching_agrees(t, a, b, pairs.partner)):
            low[k], high[k], decided[k] = total, total, BY_BOUND
        else:
            low[k], high[k], decided[k] = by_search(
                t, a, b, vertices, total, effort, pairs, adjacent, stack
            )
    return pairs.partner
