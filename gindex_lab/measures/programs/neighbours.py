"""Bounds that skip pairs: flows too large for a clique search, and nearest neighbours, compiled.

Counting types bounds the similarity of two flows without looking at an attribute; the best partner of each
node bounds it without matching. The nearest neighbour in a corpus is found by evaluating only the pairs
that these bounds leave in doubt.
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.programs.cliques import Places, compiled
from gindex_lab.measures.programs.divergence import OPEN
from gindex_lab.measures.programs.encode import IntArray, Table
from gindex_lab.measures.programs.matching import Wires, agree, similarity, solve, wires_of

__all__ = ["closest", "divergence_of", "rough", "shared_types"]


@compiled
def from_similarity(first: IntArray, a: int, b: int, weight: int, unit: int) -> float:
    """Δ = 1 - S² / (|V'| |V''|) of a similarity in units (Eq 5); 1 where a flow is empty."""
    n, o = first[a + 1] - first[a], first[b + 1] - first[b]
    if n == 0 or o == 0:
        return 1.0
    # whole and broken part apart: n nodes that match fully give exactly n
    s = weight // unit + (weight % unit) / unit
    return 1.0 - (s * s) / (n * o)


@compiled
def in_common(first: IntArray, kind: Places, a: int, b: int) -> int:
    """How many nodes two flows have in common, by kind alone; the nodes of a flow stand by kind."""
    x, y, count = first[a], first[b], 0
    while x < first[a + 1] and y < first[b + 1]:
        if kind[x] < kind[y]:
            x += 1
        elif kind[x] > kind[y]:
            y += 1
        else:
            x, y, count = x + 1, y + 1, count + 1
    return count


@compiled
def divergence_of(t: Table, a: int, b: int, weight: int) -> float:
    """Δ of a similarity in the units of a table."""
    return from_similarity(t.first, a, b, weight, t.share[0])


@compiled
def shared_types(t: Table, a: int, b: int) -> int:
    """A bound on the similarity by the number of nodes of each type."""
    return in_common(t.first, t.kind, a, b) * t.share[0]


@compiled
def best_partners(t: Table, a: int, b: int, symmetric: bool, best: IntArray) -> int:
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
            w = similarity(t, x, t.first[b] + j, symmetric)
            most, best[j] = max(most, w), max(best[j], w)
            j += 1
        total += most
    return min(total, best[:o].sum())


@compiled
def closest(
    t: Table,
    query: int,
    order: IntArray,
    floor: FloatArray,
    symmetric: bool,
    both_ways: bool,
    room: int,
    effort: int,
) -> tuple[int, float, int, int, int]:
    """The first of the nearest flows, its Δ, and how many pairs were weighed, evaluated, left open.

    `order` lists the corpus by `floor`, a lower bound on Δ by types, and equal floors by place.
    """
    most = 1
    for k in range(len(order)):
        most = max(most, t.first[order[k] + 1] - t.first[order[k]])
    scratch = np.zeros(most, np.int64)
    one, other = np.zeros(1, np.int64), np.zeros(1, np.int64)
    low, high, decided = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.uint8)
    one[0] = query
    found, best = -1, 2.0
    weighed = evaluated = still = 0
    for k in range(len(order)):
        c = order[k]
        if floor[k] > best:
            break
        weighed += 1
        bound = divergence_of(t, query, c, best_partners(t, query, c, symmetric, scratch))
        if bound > best or (bound == best and c > found):
            continue
        other[0] = c
        evaluated += 1
        solve(t, one, other, symmetric, both_ways, room, effort, low, high, decided)
        if decided[0] == OPEN and divergence_of(t, query, c, high[0]) < best:
            still += 1
        value = divergence_of(t, query, c, low[0])
        if value < best or (value == best and c < found):
            best, found = value, c
    return found, best, weighed, evaluated, still


@compiled
def wired_to(w: Wires, i: int, placed: Places, near: Places) -> int:
    """The placed nodes that i is wired to, into `near`, and how many: where a partner fails first."""
    count = 0
    for k in placed:
        if w.label[w.start_a + i * w.nodes_a + k] or w.label[w.start_a + k * w.nodes_a + i]:
            near[count] = k
            count += 1
    return count


@compiled
def fitting(
    w: Wires, i: int, j: int, placed: Places, image: Places, both_ways: bool
) -> tuple[bool, int]:
    """Whether matching i with j goes with what is placed, and how many comparisons that took."""
    for c in range(len(placed)):
        if not agree(w, i, j, placed[c], image[placed[c]], both_ways):
            return False, c + 1
    return True, len(placed)


@compiled
def rough(
    t: Table,
    a: int,
    b: int,
    symmetric: bool,
    both_ways: bool,
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
    wires = wires_of(t, a, b)
    n, o = wires.nodes_a, wires.nodes_b
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
        wired = wired_to(wires, i, placed[:count], near)
        j, partner, most, rank = start, -1, 0, 0
        while j < o and t.kind[t.first[b] + j] == t.kind[x]:
            w = similarity(t, x, t.first[b] + j, symmetric)
            best_left[i] = max(best_left[i], w)
            best_right[j] = max(best_right[j], w)
            score = 2 * w + (shade_a[i] == shade_b[j]) if w > 0 else 0
            if score > rank and not taken[j] and effort > 0:
                fits, spent = fitting(wires, i, j, near[:wired], image, both_ways)
                if fits:
                    fits, more = fitting(wires, i, j, placed[:count], image, both_ways)
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


@compiled
def floors(t: Table, query: int, known: int) -> FloatArray:
    """The lower bound on Δ by types, from one flow to each of the first `known`."""
    result = np.zeros(known)
    for c in range(known):
        result[c] = divergence_of(t, query, c, shared_types(t, query, c))
    return result
