"""What drawings and program graphs bring to the engine of Δ, compiled: the similarity w of two nodes.

The rest (matching, association graph, clique search, bounds) is that of flows: `measures.programs.matching`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.programs.cliques import compiled
from gindex_lab.measures.programs.encode import Table
from gindex_lab.measures.programs.matching import CandidatePairs, agree, squares_of
from gindex_lab.measures.programs.similarity import similarity_of

__all__ = [
    "CIRCLE",
    "LINE",
    "LOOP",
    "MOVE",
    "OTHER",
    "START",
    "TURN",
    "UNIT",
    "DrawingNodes",
    "greedy",
    "node_similarity",
]

UNIT = 3_600_000_000_000  # w = 1; a multiple of what divides similarities, so that sums of them are exact
START, MOVE, TURN, LOOP, LINE, CIRCLE, OTHER = range(7)
OPEN_VALUE = -1e17  # below: no number but the name of an expression
_SIDE = 128.0  # of the canvas


class DrawingNodes(NamedTuple):
    """What the nodes of many programs hold: `kind[k]` is a node's type, `value[k]` its arguments, of which
    `width[k]` count."""

    kind: npt.NDArray[np.int32]
    value: FloatArray
    width: npt.NDArray[np.int32]
    means: FloatArray  # of two coordinate similarities that add up to so many hundredths, as Python rounds
    squares: FloatArray  # of these means, rounded likewise
    rounded: bool


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


@similarity_of(DrawingNodes)
@compiled
def node_similarity(t: DrawingNodes, x: int, y: int) -> int:
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
def greedy(t: Table, a: int, b: int, vertices: int, pairs: CandidatePairs) -> tuple[int, int]:
    """Take pairs by weight as long as they go together; how many, and their weight (reference mode)."""
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
    return count, total
