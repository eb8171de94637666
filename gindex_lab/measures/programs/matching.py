"""The engine of Δ, compiled: from two programs of a table to the weight Σ w of their best common subgraph.

The best matching of nodes type by type, blind to relations (wires, links, places), bounds the similarity of
two programs from above; in most pairs its relations agree, and it is the answer. Otherwise the pairs of nodes
become the vertices of an association graph (g-index paper, Appendix C), and the clique search decides. Flows
and drawings go the same way: only w, the similarity of two nodes, is each table's own (`similarity.py`).
`divergence.py` turns the weight into Δ (Eq 5).
"""

from __future__ import annotations

from typing import Any, NamedTuple

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
from gindex_lab.measures.programs.encode import IntArray, ProgramTable
from gindex_lab.measures.programs.similarity import assign, similarity

__all__ = [
    "BY_BOUND", "BY_SEARCH", "OPEN", "Squares", "agree", "arrange", "associate", "count_pairs", "decide",
    "first_clique", "matching_agrees", "new_pairs", "new_work", "shorten", "solve", "squares_of",
]  # fmt: skip

BY_BOUND, BY_SEARCH, OPEN = range(3)  # what decided a pair, if anything did
_GOOD = 0.95  # mean similarity from which the authors keep a greedy mapping of drawings (their code)


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
def squares_of(t: ProgramTable, a: int, b: int) -> Squares:
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
def new_pairs(room: int, nodes: int) -> CandidatePairs:
    """Room for so many pairs of nodes, and nodes of the first program."""
    return CandidatePairs(
        np.zeros(room, np.int32),
        np.zeros(room, np.int32),
        np.zeros(room, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(room, np.int64),
    )


@compiled
def same_kind(
    kind: npt.NDArray[np.int32], x: int, end_x: int, y: int, end_y: int
) -> tuple[int, int, int, int]:
    """The next block of nodes of one type that both programs have: its start and size in each, or sizes 0."""
    while x < end_x and y < end_y:
        mine, other = kind[x], kind[y]
        if mine != other:
            x, y = x + (mine < other), y + (mine > other)
            continue
        rows = columns = 1
        while x + rows < end_x and kind[x + rows] == mine:
            rows += 1
        while y + columns < end_y and kind[y + columns] == mine:
            columns += 1
        return x, rows, y, columns
    return x, 0, y, 0


@compiled
def count_pairs(t: ProgramTable, a: int, b: int) -> int:
    """The number of pairs of nodes of one type."""
    end_x, end_y, count = t.first[a + 1], t.first[b + 1], 0
    x, rows, y, columns = same_kind(t.kind, t.first[a], end_x, t.first[b], end_y)
    while rows > 0:
        count += rows * columns
        x, rows, y, columns = same_kind(t.kind, x + rows, end_x, y + columns, end_y)
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
def associate(t: ProgramTable, a: int, b: int, most: int, pairs: CandidatePairs) -> tuple[int, int]:
    """List the vertices of the association graph (Eq 11), and match the nodes blind to relations.

    Returns the number of vertices and the weight of the matching, which no common subgraph exceeds. With
    `most` > 0 only so many best partners of each node of the first program become vertices.
    """
    end_x, end_y, vertices, total = t.first[a + 1], t.first[b + 1], 0, 0
    for i in range(end_x - t.first[a]):
        pairs.partner[i] = -1
    x, rows, y, columns = same_kind(t.kind, t.first[a], end_x, t.first[b], end_y)
    while rows > 0:
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
        x, rows, y, columns = same_kind(t.kind, x + rows, end_x, y + columns, end_y)
    return vertices, total


@compiled
def matching_agrees(t: ProgramTable, a: int, b: int, partner: IntArray) -> bool:
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
def shorten(t: ProgramTable, a: int, b: int, vertices: int, pairs: CandidatePairs) -> tuple[int, int]:
    """The authors' shortcuts for drawings (g-index paper, section 5; by their code).

    Pairs are taken by weight as long as they go together. Where that covers the smaller program with good
    pairs, it is the answer: no vertices are left, and the weight is given. Otherwise each node keeps its best
    `t.partners`, and the number of vertices left is given.
    """
    squares = squares_of(t, a, b)
    count, total = 0, 0
    pairs.partner[: squares.nodes_a] = -1
    taken = np.zeros(squares.nodes_b, np.bool_)
    for v in np.argsort(-pairs.weight[:vertices], kind="mergesort"):
        i, j = pairs.left[v], pairs.right[v]
        fits = pairs.partner[i] < 0 and not taken[j]
        for k in range(squares.nodes_a if fits else 0):
            if pairs.partner[k] >= 0 and not agree(squares, i, j, k, pairs.partner[k]):
                fits = False
                break
        if fits:
            pairs.partner[i], taken[j] = j, True
            count, total = count + 1, total + pairs.weight[v]
    if count == min(squares.nodes_a, squares.nodes_b) and total > _GOOD * count * t.unit:
        return 0, total
    return associate(t, a, b, t.partners, pairs)[0], 0


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
def arrange(t: ProgramTable, a: int, b: int, vertices: int, pairs: CandidatePairs, adjacent: Bits) -> None:
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


class Work(NamedTuple):
    """Room for one pair of programs after another: vertices, edges, and the search."""

    pairs: CandidatePairs
    adjacent: Bits
    stack: Stack


@compiled
def new_work(t: ProgramTable, room: int) -> Work:
    """Room for association graphs of so many vertices."""
    nodes = 1
    for f in range(len(t.first) - 1):
        nodes = max(nodes, t.first[f + 1] - t.first[f])
    adjacent = np.zeros((room, (room + 63) // 64), np.uint64)
    return Work(new_pairs(room, nodes), adjacent, new_stack(room, min(nodes, room)))


@compiled
def by_search(
    t: ProgramTable, a: int, b: int, vertices: int, most: int, effort: int, work: Work
) -> tuple[int, int, int]:
    """Bounds on the similarity of two associated programs, at `most` what the blind matching weighs, and
    what decided; `work.pairs.partner` becomes the mapping."""
    pairs, adjacent, stack = work
    if t.partners > 0:
        vertices, weight = shorten(t, a, b, vertices, pairs)
        if vertices == 0:
            return weight, weight, BY_BOUND
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
def decide(t: ProgramTable, a: int, b: int, effort: int, work: Work) -> tuple[int, int, int]:
    """Bounds on the similarity of two programs, and what decided.

    A pair with more vertices than there is room for, or one that takes more than `effort`, is left open.
    """
    n, o, room = t.first[a + 1] - t.first[a], t.first[b + 1] - t.first[b], len(work.adjacent)
    if n * o > room and count_pairs(t, a, b) > room:
        return 0, t.unit * min(n, o), OPEN
    vertices, total = associate(t, a, b, 0, work.pairs)
    if vertices == 0 or (t.partners == 0 and matching_agrees(t, a, b, work.pairs.partner)):
        return total, total, BY_BOUND
    return by_search(t, a, b, vertices, total, effort, work)


@compiled
def solve(
    t: ProgramTable,
    lefts: IntArray,
    rights: IntArray,
    room: int,
    effort: int,
    low: IntArray,
    high: IntArray,
    decided: npt.NDArray[np.uint8],
) -> None:
    """Bounds `low` and `high` on the similarity of many pairs; equal where it is proven (see `decide`)."""
    work = new_work(t, room)
    for k in range(len(lefts)):
        # `decide` written out: handing it all arrays, whose references are counted, takes a third longer
        a, b = lefts[k], rights[k]
        n, o = t.first[a + 1] - t.first[a], t.first[b + 1] - t.first[b]
        if n * o > room and count_pairs(t, a, b) > room:
            low[k], high[k], decided[k] = 0, t.unit * min(n, o), OPEN
            continue
        vertices, total = associate(t, a, b, 0, work.pairs)
        if vertices == 0 or (t.partners == 0 and matching_agrees(t, a, b, work.pairs.partner)):
            low[k], high[k], decided[k] = total, total, BY_BOUND
        else:
            low[k], high[k], decided[k] = by_search(t, a, b, vertices, total, effort, work)
