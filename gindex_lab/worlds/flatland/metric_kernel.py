"""Two drawings or program graphs compared, compiled: similarities, bounds, and the clique that decides.

One table holds programs of either kind. Nodes of one kind have a similarity w; two pairs of nodes go
together when the relations within each program agree (ports of links, or how close the centres of shapes
are). The best matching blind to relations bounds the total similarity from above; where its relations
agree it is the answer, else the clique search of Δ decides (`gindex_lab.measures.programs.cliques`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.programs.cliques import Bits, compiled, new_stack, peel, search, still_open
from gindex_lab.measures.programs.divergence import BY_BOUND, BY_SEARCH, OPEN
from gindex_lab.measures.programs.encode import IntArray
from gindex_lab.measures.programs.matching import Pairs, first_clique, new_pairs, settle
from gindex_lab.measures.programs.neighbours import from_similarity, in_common

__all__ = [
    "CIRCLE",
    "LINE",
    "LOOP",
    "MOVE",
    "OTHER",
    "START",
    "TURN",
    "UNIT",
    "Shelf",
    "closest",
    "solve",
]

UNIT = 3_600_000_000_000  # w = 1; a multiple of what divides similarities, so that sums of them are exact
START, MOVE, TURN, LOOP, LINE, CIRCLE, OTHER = range(7)
OPEN_VALUE = -1e17  # below: no number but the name of an expression
_SIDE = 128.0


class Shelf(NamedTuple):
    """Many programs in one set of arrays; the nodes of each are sorted by kind.

    Program f has the nodes first[f] ... first[f+1]-1. Of node k, `kind[k]` is its type, `value[k]` its
    arguments, of which `width[k]` count. `relation[corner[f] + i·n + j]` relates two nodes of one program.
    """

    first: IntArray
    kind: npt.NDArray[np.int32]
    value: FloatArray
    width: npt.NDArray[np.int32]
    corner: IntArray
    relation: FloatArray
    place: npt.NDArray[np.int32]
    means: FloatArray  # of two coordinate similarities that add up to so many hundredths, as Python rounds
    squares: FloatArray  # of these means, rounded likewise
    rounded: bool
    tolerance: float


@compiled
def closeness(difference: float, rounded: bool) -> float:
    """max(0, 1 - |d| / 128), to two decimals in reference mode."""
    share = max(0.0, 1.0 - abs(difference) / _SIDE)
    return np.rint(share * 100.0) / 100.0 if rounded else share


@compiled
def near(x0: float, y0: float, x1: float, y1: float, rounded: bool, squares: FloatArray) -> float:
    """The similarity of two points: the square of the mean closeness of their coordinates."""
    a, b = closeness(x1 - x0, rounded), closeness(y1 - y0, rounded)
    if rounded:
        return squares[int(np.rint(100.0 * a)) + int(np.rint(100.0 * b))]
    return ((a + b) / 2.0) ** 2


@compiled
def same_turn(a: float, b: float, rounded: bool) -> float:
    """1 - |a - b| / 360 as the authors have it; else round the circle, so that 359° is next to 1°."""
    if a <= OPEN_VALUE or b <= OPEN_VALUE:
        return 1.0 if a == b else 0.0
    apart = abs(a % 360.0 - b % 360.0)
    if rounded:
        return 1.0 - apart / 360.0
    return 1.0 - min(apart, 360.0 - apart) / 180.0


@compiled
def similarity(t: Shelf, x: int, y: int) -> int:
    """w of two nodes of one kind, in units."""
    kind, a, b = t.kind[x], t.value[x], t.value[y]
    if kind == TURN:
        share = same_turn(a[0], b[0], t.rounded)
    elif kind == START:
        across, up = closeness(a[0] - b[0], t.rounded), closeness(a[1] - b[1], t.rounded)
        place = (across + up) / 2.0
        if t.rounded:
            place = t.means[int(np.rint(100.0 * across)) + int(np.rint(100.0 * up))]
        share = (place + same_turn(a[2], b[2], t.rounded)) / 2.0
    elif kind == LINE:
        along = near(a[0], a[1], b[0], b[1], t.rounded, t.squares)
        along += near(a[2], a[3], b[2], b[3], t.rounded, t.squares)
        against = near(a[0], a[1], b[2], b[3], t.rounded, t.squares)
        against += near(a[2], a[3], b[0], b[1], t.rounded, t.squares)
        share = (1.0 + max(along, against)) / 3.0
    elif kind == CIRCLE:
        share = 1.0 + near(a[0], a[1], b[0], b[1], t.rounded, t.squares)
        share += closeness(a[2] - b[2], t.rounded)
        share = (share + 1.0 - abs(a[3] % 360.0 - b[3] % 360.0) / 360.0) / 4.0
    else:
        equal = 0
        for k in range(t.width[x]):
            equal += a[k] == b[k]
        share = equal / t.width[x] if t.width[x] else 1.0
    return int(np.rint(share * UNIT))


@compiled
def related(t: Shelf, a: int, b: int, i: int, j: int, k: int, m: int) -> bool:
    """Whether nodes i, k of the first program are to each other as j, m of the second."""
    n, o = t.first[a + 1] - t.first[a], t.first[b + 1] - t.first[b]
    p, q = t.corner[a], t.corner[b]
    if abs(t.relation[p + i * n + k] - t.relation[q + j * o + m]) > t.tolerance:
        return False
    return abs(t.relation[p + k * n + i] - t.relation[q + m * o + j]) <= t.tolerance


@compiled
def associate(t: Shelf, a: int, b: int, most: int, pairs: Pairs) -> tuple[int, int]:
    """List the pairs of nodes with w > 0, match the nodes blind to relations; the count, the weight.

    With `most` > 0 only so many best partners of each node of the first program are kept (reference mode).
    """
    x, y, end_x, end_y = t.first[a], t.first[b], t.first[a + 1], t.first[b + 1]
    vertices, total = 0, 0
    pairs.partner[: end_x - x] = -1
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
            row = pairs.block[r * columns : (r + 1) * columns]
            for c in range(columns):
                row[c] = similarity(t, x + r, y + c)
            least = np.sort(row)[columns - most] if 0 < most < columns else 0
            kept = 0
            for c in range(columns):
                if row[c] > 0 and row[c] >= least and (most == 0 or kept < most):
                    kept += 1
                    pairs.left[vertices] = x + r - t.first[a]
                    pairs.right[vertices] = y + c - t.first[b]
                    pairs.weight[vertices] = row[c]
                    vertices += 1
        i, j = x - t.first[a], y - t.first[b]
        total += settle(pairs, i, j, rows, columns)
        x, y = x + rows, y + columns
    return vertices, total


@compiled
def relations_agree(t: Shelf, a: int, b: int, partner: IntArray) -> bool:
    """Whether the matching that is blind to relations happens to preserve them all."""
    for i in range(t.first[a + 1] - t.first[a]):
        for k in range(i if partner[i] >= 0 else 0):
            if partner[k] >= 0 and not related(t, a, b, i, partner[i], k, partner[k]):
                return False
    return True


@compiled
def connect(t: Shelf, a: int, b: int, vertices: int, pairs: Pairs, adjacent: Bits) -> None:
    """The edges of the association graph."""
    adjacent[:vertices, : (vertices + 63) // 64] = np.uint64(0)
    for v in range(vertices):
        i, j = pairs.left[v], pairs.right[v]
        for u in range(v):
            k, m = pairs.left[u], pairs.right[u]
            if i != k and j != m and related(t, a, b, i, j, k, m):
                adjacent[v, u // 64] |= np.uint64(1) << np.uint64(u % 64)
                adjacent[u, v // 64] |= np.uint64(1) << np.uint64(v % 64)


@compiled
def arrange(t: Shelf, a: int, b: int, vertices: int, pairs: Pairs, adjacent: Bits) -> None:
    """The association graph, its vertices in the order that suits the search."""
    connect(t, a, b, vertices, pairs, adjacent)
    order = np.empty(vertices, np.int64)
    peel(pairs.weight, adjacent, vertices, order)
    left, right, weight = pairs.left[order], pairs.right[order], pairs.weight[order]
    for k in range(vertices):  # assigning an array to a slice takes 3 s to compile
        pairs.left[k], pairs.right[k], pairs.weight[k] = left[k], right[k], weight[k]
    connect(t, a, b, vertices, pairs, adjacent)


@compiled
def solve(t: Shelf, a: int, b: int, most: int, effort: int, pairs: Pairs) -> tuple[int, int, int]:
    """Bounds on the similarity of two programs, and what decided; `pairs.partner` is the mapping."""
    vertices, total = associate(t, a, b, most, pairs)
    if most == 0 and relations_agree(t, a, b, pairs.partner):
        return total, total, BY_BOUND
    if vertices == 0:
        return 0, 0, BY_BOUND
    nodes = t.first[a + 1] - t.first[a]
    adjacent = np.zeros((vertices, (vertices + 63) // 64), np.uint64)
    arrange(t, a, b, vertices, pairs, adjacent)
    stack = new_stack(vertices, min(nodes, t.first[b + 1] - t.first[b]))
    first_clique(vertices, pairs, adjacent, stack)
    proven = search(pairs.weight, adjacent, vertices, stack, total, effort)
    pairs.partner[:nodes] = -1
    for k in range(stack.state[2]):
        v = stack.best[k]
        pairs.partner[pairs.left[v]] = pairs.right[v]
    high = stack.state[1] if proven else min(total, still_open(stack))
    return stack.state[1], high, BY_SEARCH if proven else OPEN


@compiled
def greedy(t: Shelf, a: int, b: int, vertices: int, pairs: Pairs) -> tuple[int, int]:
    """Take pairs by weight as long as they go together; how many, and their weight (reference mode)."""
    count, total = 0, 0
    pairs.partner[: t.first[a + 1] - t.first[a]] = -1
    taken = np.zeros(t.first[b + 1] - t.first[b], np.bool_)
    for v in np.argsort(-pairs.weight[:vertices], kind="mergesort"):
        i, j = pairs.left[v], pairs.right[v]
        fits = pairs.partner[i] < 0 and not taken[j]
        for k in range(t.first[a + 1] - t.first[a] if fits else 0):
            if pairs.partner[k] >= 0 and not related(t, a, b, i, j, k, pairs.partner[k]):
                fits = False
                break
        if fits:
            pairs.partner[i], taken[j] = j, True
            count, total = count + 1, total + pairs.weight[v]
    return count, total


@compiled
def apart(t: Shelf, a: int, b: int, weight: int) -> float:
    """Δ = 1 - S² / (|V'| |V''|) of a similarity in units; 1 where one program is empty.

    Of two empty ones the quotient is 0/0. They are the same program, whose Δ is 0 (g-index paper, section
    2.4, and every other Δ(p, p)); the authors' code says 1, and so does reference mode.
    """
    nodes = t.first[a + 1] - t.first[a] + t.first[b + 1] - t.first[b]
    if nodes == 0 and not t.rounded:
        return 0.0
    return from_similarity(t.first, a, b, weight, UNIT)


@compiled
def by_kinds(t: Shelf, a: int, b: int) -> int:
    """A bound on the similarity by the number of nodes of each kind."""
    return in_common(t.first, t.kind, a, b) * UNIT


@compiled
def by_partners(t: Shelf, a: int, b: int, best: IntArray) -> int:
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
            w = similarity(t, x, t.first[b] + j)
            most, best[j] = max(most, w), max(best[j], w)
            j += 1
        total += most
    return min(total, best[:o].sum())


@compiled
def closest(
    t: Shelf, query: int, known: int, most: int, effort: int, pairs: Pairs
) -> tuple[int, float, float, int, int]:
    """The first of the nearest of the first `known` programs: its place, Δ, what Δ is at least, and
    how many pairs had their nodes weighed and their Δ evaluated."""
    floor = np.zeros(known)
    sizes = 1
    for c in range(known):
        floor[c] = apart(t, query, c, by_kinds(t, query, c))
        sizes = max(sizes, t.first[c + 1] - t.first[c])
    order = np.argsort(floor, kind="mergesort")
    scratch = np.zeros(sizes, np.int64)
    found, best, least, weighed, evaluated = -1, 2.0, 2.0, 0, 0
    for c in order:
        if floor[c] > best:
            break
        weighed += 1
        bound = apart(t, query, c, by_partners(t, query, c, scratch))
        if bound > best or (bound == best and c > found):
            continue
        evaluated += 1
        low, high, _ = solve(t, query, c, most, effort, pairs)
        value = apart(t, query, c, low)
        least = min(least, apart(t, query, c, high))
        if value < best or (value == best and c < found):
            best, found = value, c
    return found, best, min(best, least), weighed, evaluated


@compiled
def all_closest(
    t: Shelf, queries: IntArray, known: int, most: int, effort: int, room: int
) -> tuple[IntArray, FloatArray, FloatArray, int, int]:
    """`closest` for many programs."""
    nodes = 1
    for f in range(len(t.first) - 1):
        nodes = max(nodes, t.first[f + 1] - t.first[f])
    pairs = new_pairs(room, nodes, room)
    index, value, least = (
        np.zeros(len(queries), np.int64),
        np.zeros(len(queries)),
        np.zeros(len(queries)),
    )
    weighed = evaluated = 0
    for k in range(len(queries)):
        index[k], value[k], least[k], looked, solved = closest(
            t, queries[k], known, most, effort, pairs
        )
        weighed, evaluated = weighed + looked, evaluated + solved
    return index, value, least, weighed, evaluated


@compiled
def matrix(
    t: Shelf, rows: int, columns: int, most: int, effort: int, room: int
) -> tuple[FloatArray, FloatArray]:
    """Δ from each of the first `rows` programs to each of the `columns` that follow, and how much each
    may be too high."""
    nodes = 1
    for f in range(len(t.first) - 1):
        nodes = max(nodes, t.first[f + 1] - t.first[f])
    pairs = new_pairs(room, nodes, room)
    values, too_high = np.ones((rows, columns)), np.zeros((rows, columns))
    for a in range(rows):
        for b in range(columns):
            low, high, _ = solve(t, a, rows + b, most, effort, pairs)
            values[a, b] = apart(t, a, rows + b, low)
            too_high[a, b] = values[a, b] - apart(t, a, rows + b, high)
    return values, too_high
