"""Bounds on the similarity of two programs without a search, compiled.

Counting types bounds it from above without looking at an attribute, the best partner of each node without
matching, and a mapping placed node by node bounds it from below. They say which pairs the search for a
nearest neighbour can skip, and what is certain of programs too large for a search.
"""

from __future__ import annotations

import numpy as np

from gindex_lab.measures.programs.cliques import Places, compiled
from gindex_lab.measures.programs.encode import IntArray, ProgramTable
from gindex_lab.measures.programs.matching import Squares, agree, squares_of
from gindex_lab.measures.programs.similarity import similarity

__all__ = ["best_partners", "place_greedily", "shared_types"]


@compiled
def shared_types(t: ProgramTable, a: int, b: int) -> int:
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
def best_partners(t: ProgramTable, a: int, b: int, best: IntArray) -> int:
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
def fitting(s: Squares, i: int, j: int, placed: Places, image: Places) -> tuple[bool, int]:
    """Whether matching i with j goes with what is placed, and how many comparisons that took."""
    for c in range(len(placed)):
        if not agree(s, i, j, placed[c], image[placed[c]]):
            return False, c + 1
    return True, len(placed)


@compiled
def place_greedily(
    t: ProgramTable, a: int, b: int, effort: int, shade_a: IntArray, shade_b: IntArray, image: Places
) -> tuple[int, int]:
    """The weight of one common subgraph, in memory linear in the nodes: for programs too large to search.

    Node by node, the best partner that preserves the wires to those already placed, of equals one with the
    same shade; `image` becomes that mapping. Stops placing after `effort`; the second number is what is left
    of it (none: it was stopped).
    """
    s = squares_of(t, a, b)
    n, o = s.nodes_a, s.nodes_b
    taken = np.zeros(o, np.bool_)
    placed, near = np.zeros(n, np.int32), np.zeros(n, np.int32)
    count, low, start = 0, 0, 0
    image[:n] = -1
    for i in range(n):
        x = t.first[a] + i
        while start < o and t.kind[t.first[b] + start] < t.kind[x]:
            start += 1
        wired = 0  # the placed nodes that i is wired to come first: there a partner fails soonest
        for k in placed[:count]:
            if s.relation[s.start_a + i * n + k] or s.relation[s.start_a + k * n + i]:
                near[wired] = k
                wired += 1
        j, partner, most, rank = start, -1, 0, 0
        while j < o and t.kind[t.first[b] + j] == t.kind[x]:
            w = similarity(t.content, x, t.first[b] + j)
            score = 2 * w + (shade_a[i] == shade_b[j]) if w > 0 else 0
            if score > rank and not taken[j] and effort > 0:
                fits, spent = fitting(s, i, j, near[:wired], image)
                if fits:
                    fits, more = fitting(s, i, j, placed[:count], image)
                    spent += more
                effort -= spent + 1
                if fits:
                    partner, most, rank = j, w, score
            j += 1
        if partner >= 0:
            image[i], taken[partner] = partner, True
            placed[count] = i
            count, low = count + 1, low + most
    return low, max(effort, 0)
