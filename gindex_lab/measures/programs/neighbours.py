"""Bounds that skip pairs: flows too large for a clique search, and nearest neighbours, compiled.

Counting types bounds the similarity of two flows without looking at an attribute; the best partner of each
node bounds it without matching. The nearest neighbour in a corpus is found by evaluating only the pairs
that these bounds leave in doubt.
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.programs.cliques import Places, compiled, new_stack
from gindex_lab.measures.programs.encode import FlowTable, IntArray
from gindex_lab.measures.programs.matching import (
    OPEN,
    Squares,
    agree,
    decide,
    divergence_of,
    most_nodes,
    new_pairs,
    squares_of,
)
from gindex_lab.measures.programs.similarity import similarity

__all__ = ["closest", "rough", "shared_types"]


@compiled
def shared_types(t: FlowTable, a: int, b: int) -> int:
    """A bound on the similarity by the number of nodes of each type; the nodes of a program stand by type."""
    x, y, count = t.first[a], t.first[b], 0
    while x < t.first[a + 1] and y < t.first[b + 1]:
        if t.kind[x] < t.kind[y]:
            x += 1
        elif t.kind[x] > t.kind[y]:
            y += 1
        else:
            x, y, count = x + 1, y + 1, count + 1
    return count * t.unit


@compiled
def best_partners(t: FlowTable, a: int, b: int, best: IntArray) -> int:
    """A bound on the similarity by the best partner of each node, from either side."""
    n, o = t.first[a + 1] - t.first[a], t.first[b + 1] - t.first[b]
    best[:o] = 0
    total, start = 0, 0
    for i in range(n):
        x, most = t.first[a] + i, 0
        while start < o and t.kind[t.first[b] + start] < t.kind[x]:
            start += 1
        j = start
        while j < o and t.kind[t.first[b] + j] == t.kind[x]:
            w = similarity(t.content, x, t.first[b] + j)
            most, best[j] = max(most, w), max(best[j], w)
            j += 1
        total += most
    return min(total, best[:o].sum())


@compiled
def floors(t: FlowTable, query: int, start: int, end: int) -> FloatArray:
    """The lower bound on Δ by types, from one program to each of those from `start` to `end`."""
    result = np.zeros(end - start)
    for c in range(start, end):
        result[c - start] = divergence_of(t, query, c, shared_types(t, query, c))
    return result


@compiled
def closest(
    t: FlowTable,
    queries: IntArray,
    start: int,
    end: int,
    barred: IntArray,
    most: int,
    room: int,
    effort: int,
) -> tuple[IntArray, FloatArray, FloatArray, IntArray, int, int]:
    """For each query the first of the nearest programs from `start` to `end`, but the one `barred`, its Δ,
    what Δ is at least, how many pairs stayed open; and how many pairs were weighed and evaluated in all.

    A lower bound on Δ by types puts the known programs in order; one by best partners decides whether to
    evaluate a pair at all.
    """
    nodes = most_nodes(t)
    pairs = new_pairs(room, nodes, room)
    adjacent = np.zeros((room, (room + 63) // 64), np.uint64)
    stack = new_stack(room, min(nodes, room))
    scratch = np.zeros(nodes, np.int64)
    index, still = np.full(len(queries), -1), np.zeros(len(queries), np.int64)
    nearest, least = np.full(len(queries), 2.0), np.full(len(queries), 2.0)
    weighed = evaluated = 0
    for k in range(len(queries)):
        query = queries[k]
        floor = floors(t, query, start, end)
        for place in np.argsort(floor, kind="mergesort"):
            best, found, c = nearest[k], index[k], start + place
            if c == barred[k]:
                continue
            if floor[place] > best:
                break
            weighed += 1
            bound = divergence_of(t, query, c, best_partners(t, query, c, scratch))
            if bound > best or (bound == best and c > found):
                continue
            evaluated += 1
            low, high, decided = decide(t, query, c, most, effort, pairs, adjacent, stack)
            at_least = divergence_of(t, query, c, high)
            still[k] += decided == OPEN and at_least < best
            least[k] = min(least[k], at_least)
            value = divergence_of(t, query, c, low)
            if value < best or (value == best and c < found):
                nearest[k], index[k] = value, c
    return index, nearest, least, still, weighed, evaluated


@compiled
def wired_to(s: Squares, i: int, placed: Places, near: Places) -> int:
    """The placed nodes that i is wired to, into `near`, and how many: where a partner fails first."""
    count = 0
    for k in placed:
        if s.relation[s.start_a + i * s.nodes_a + k] or s.relation[s.start_a + k * s.nodes_a + i]:
            near[count] = k
            count += 1
    return count


@compiled
def fitting(s: Squares, i: int, j: int, placed: Places, image: Places) -> tuple[bool, int]:
    """Whether matching i with j goes with what is placed, and how many comparisons that took."""
    for c in range(len(placed)):
        if not agree(s, i, j, placed[c], image[placed[c]]):
            return False, c + 1
    return True, len(placed)


@compiled
def rough(
    t: FlowTable,
    a: int,
    b: int,
    effort: int,
    shade_a: IntArray,
    shade_b: IntArray,
    image: Places,
) -> tuple[int, int, int]:
    """A weight that a common subgraph has, and one that none exceeds, in memory linear in the nodes.

    Above: the best partner of each node, from either side. Below: node by node, the best partner that
    preserves the wires to those already placed, of equals one with the same shade; `image` becomes that
    mapping. Stops placing after `effort`; the third number is what is left of it (none: it was stopped).
    """
    squares = squares_of(t, a, b)
    n, o = squares.nodes_a, squares.nodes_b
    best_left, best_right = np.zeros(n, np.int64), np.zeros(o, np.int64)
    taken = np.zeros(o, np.bool_)
    placed, near = np.zeros(n, np.int32), np.zeros(n, np.int32)
    count, low = 0, 0
    start = 0
    image[:n] = -1
    for i in range(n):
        x = t.first[a] + i
        while start < o and t.kind[t.first[b] + start] < t.kind[x]:
            start += 1
        wired = wired_to(squares, i, placed[:count], near)
        j, partner, most, rank = start, -1, 0, 0
        while j < o and t.kind[t.first[b] + j] == t.kind[x]:
            w = similarity(t.content, x, t.first[b] + j)
            best_left[i] = max(best_left[i], w)
            best_right[j] = max(best_right[j], w)
            score = 2 * w + (shade_a[i] == shade_b[j]) if w > 0 else 0
            if score > rank and not taken[j] and effort > 0:
                fits, spent = fitting(squares, i, j, near[:wired], image)
                if fits:
                    fits, more = fitting(squares, i, j, placed[:count], image)
                    spent += more
                effort -= spent + 1
                if fits:
                    partner, most, rank = j, w, score
            j += 1
        if partner >= 0:
            image[i], taken[partner] = partner, True
            placed[count] = i
            count, low = count + 1, low + most
    return low, min(best_left.sum(), best_right.sum()), max(effort, 0)
