"""How far apart programs are: Δ with a certificate, and Ω from a curriculum.

Δ(p, q) = 1 - (Σ w(v, φ(v)))² / (|p| |q|) over the best mapping φ, as for the flows of the g-index (Eq 5),
with similarities w that suit drawings. Two metrics: on the written-out graph of a program, and on the
list of lines and circles that it draws, which is what the figure of domain distances used (g-index paper,
section 5). `binary_distance` is the third list metric of 2021: parameters are equal or not, and centres do
not matter.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import ProgramLike
from gindex_lab.foundation.validate import FloatArray, Mode, integer, number
from gindex_lab.measures.programs.comparison import Neighbours, Uncertified
from gindex_lab.measures.programs.divergence import EFFORT, Divergence, best_clique
from gindex_lab.measures.programs.encode import Rules
from gindex_lab.measures.programs.flows import Flow
from gindex_lab.measures.programs.kinds import EFFORT_IN_BATCH
from gindex_lab.worlds.flatland.drawings import Circle, Drawing, Shape
from gindex_lab.worlds.flatland.programs import Program
from gindex_lab.worlds.flatland.shelves import Metric, graph_of, shelve

__all__ = [
    "Distance",
    "binary_distance",
    "distance",
    "distances",
    "generalisation_difficulty",
    "nearest",
    "nearest_many",
    "omega",
]

_LARGEST = 16_384  # pairs of nodes of one kind in a search


@dataclass(frozen=True, eq=False, repr=False)
class Distance(Divergence):
    """Δ of two drawings or programs: like `gl.divergence`, with `weights` of each matched pair.

    Reference: g-index paper, section 5.

    >>> from gindex_lab.worlds.flatland import shape
    >>> result = distance(shape("square"), shape("polygon"))
    >>> result, result.exact, float(result) == result.value
    (Divergence(0.505157, 4 nodes matched), True, True)
    """

    weights: tuple[float, ...] = ()

    def explain(self) -> pd.DataFrame:
        """One row per node: its partner in the other program, if it has one, and their similarity w."""
        rows = [
            ("matched", self._kind(self.first, a), a, b, w)
            for (a, b), w in zip(self.mapping.items(), self.weights, strict=True)
        ]
        partners = set(self.mapping.values())
        rows += [
            ("only in the first", self._kind(self.first, a), a, "", 0.0)
            for a in self.first.ids
            if a not in self.mapping
        ]
        rows += [
            ("only in the second", self._kind(self.second, b), "", b, 0.0)
            for b in self.second.ids
            if b not in partners
        ]
        return pd.DataFrame(rows, columns=["what", "type", "first", "second", "similarity"])

    @staticmethod
    def _kind(flow: Flow, name: str) -> str:
        return str(flow.types[flow.ids.index(name)])


def distance(
    p: ProgramLike,
    q: ProgramLike,
    *,
    metric: str | None = None,
    mode: Mode = "exact",
    seconds: float | None = None,
    effort: int = EFFORT,
    primitives: Collection[str] = (),
) -> Distance:
    """Δ between two programs or drawings, with certificate.

    `metric` is "graph" (default for programs), "list" (default for drawings) or "matching" (see
    `shelves.Metric`). Without `seconds` the search stops after a fixed `effort`. In reference mode the graph
    metric takes the authors' shortcuts: a greedy mapping is kept if it covers the smaller program with a mean
    similarity above 0.95, and otherwise each node keeps at most five partners, so that Δ may be too high
    and depends on the order of the two programs; the bounds are then those of the shortened search.
    Flows named in `primitives` stay whole in the graphs of the programs that have them.

    Two empty drawings are the same: their Δ is 0 (1 in reference mode, as by the authors' code). An empty
    one has nothing in common with any other: 1. (g-index paper, section 5.)

    >>> from gindex_lab.worlds.flatland import Circle, Drawing
    >>> one, two = (Drawing((Circle(60, y, 20),)) for y in (60, 70))
    >>> float(distance(one, one)), round(float(distance(one, two)), 3)
    (0.0, 0.038)
    """
    how = Metric.of([p, q], metric, mode, primitives)
    budget = integer("effort", effort)
    until = None if seconds is None else time.monotonic() + number("seconds", seconds, 0)
    table = shelve([p, q], how)
    low, high, partner, reason = _search(table, how, budget, until)
    from gindex_lab.measures.programs.matching import divergence_of
    from gindex_lab.worlds.flatland.shelves import node_similarity

    first, second = (_as_flow(source, how) for source in (p, q))
    size = int(table.first[1])
    found = sorted((int(table.place[i]), int(table.place[size + j]), i, j) for i, j in partner)
    mapping = {first.ids[a]: second.ids[b] for a, b, _, _ in found}
    weights = tuple(
        node_similarity(table.content, i, size + j) / table.unit for _, _, i, j in found
    )
    upper, lower = (divergence_of(table, 0, 1, weight) for weight in (low, high))
    rules = Rules(ports=True)
    return Distance(upper, lower, upper, mapping, reason, first, second, rules, weights)


def _as_flow(source: object, metric: Metric) -> Flow:
    """What was compared as a `gl.Flow`, so that the result can be drawn."""
    if metric.name == "graph":
        return Flow(graph_of(source, metric).flow_nodes())
    rows = Drawing.of(source).to_list()
    return Flow([{**row, "id": f"{row['type']}{row['id']}"} for row in rows])


def _search(
    table: Any, metric: Metric, effort: int, until: float | None
) -> tuple[int, int, list[tuple[int, int]], str]:
    from gindex_lab.measures.programs import matching
    from gindex_lab.worlds.flatland.shelves import greedy

    n, o = (int(size) for size in np.diff(table.first))
    room = _room(table)
    pairs = matching.new_pairs(room, max(n, 1), room)
    vertices, total = matching.associate(table, 0, 1, 0, pairs)
    if metric.partners:
        count, weight = greedy(table, 0, 1, vertices, pairs)
        if count == min(n, o) and weight > 0.95 * count * table.unit:
            return weight, weight, _mapped(pairs, n), "bound"
        vertices, total = matching.associate(table, 0, 1, metric.partners, pairs)
    elif matching.matching_agrees(table, 0, 1, pairs.partner):
        return total, total, _mapped(pairs, n), "bound"
    if vertices == 0:
        return 0, 0, [], "bound"
    adjacent = np.zeros((vertices, (vertices + 63) // 64), np.uint64)
    matching.arrange(table, 0, 1, vertices, pairs, adjacent)
    return best_clique(pairs, adjacent, min(n, o), total, effort, until)


def _mapped(pairs: Any, nodes: int) -> list[tuple[int, int]]:
    return [(i, j) for i, j in enumerate(pairs.partner[:nodes].tolist()) if j >= 0]


def distances(
    programs: Sequence[ProgramLike],
    others: Sequence[ProgramLike] | None = None,
    *,
    metric: str | None = None,
    mode: Mode = "exact",
    primitives: Collection[str] = (),
) -> FloatArray:
    """The matrix of Δ from each program to each of the others (or of the same list).

    Reference: g-index paper, section 5.

    >>> from gindex_lab.worlds.flatland import shape
    >>> distances([shape("square"), shape("circle")]).round(2).tolist()
    [[0.0, 0.62], [0.62, 0.0]]
    """
    from gindex_lab.measures.programs.matching import divergences_of, solve

    known = programs if others is None else others
    everything = [*_programs("programs", programs), *_programs("others", known)]
    how = Metric.of(everything, metric, mode, primitives)
    table = shelve(everything, how)
    rows, columns = np.indices((len(programs), len(known)))
    lefts, rights = rows.ravel(), columns.ravel() + len(programs)
    low, high = np.zeros(rows.size, np.int64), np.zeros(rows.size, np.int64)
    decided = np.zeros(rows.size, np.uint8)
    room = _room(table)
    solve(table, lefts, rights, how.partners, room, EFFORT_IN_BATCH, low, high, decided)
    values = divergences_of(table, lefts, rights, low)
    _warn(values - divergences_of(table, lefts, rights, high))
    return values.reshape(rows.shape)


def _warn(too_high: FloatArray) -> None:
    """Say so where a budget ended before a value was certain."""
    if (too_high > 0).any():
        count, widest = int((too_high > 0).sum()), float(too_high.max())
        said = f"{count} values are upper bounds, at most {widest:.3g} too high: use distance()"
        warnings.warn(said, Uncertified, stacklevel=3)


def _programs(name: str, programs: object) -> list[Any]:
    if isinstance(programs, (str, bytes, Program, Drawing)) or not isinstance(programs, Sequence):
        raise BadInput(name, programs, "[not-a-list] is not a list of programs", "pass a list")
    return list(programs)


def _room(table: Any) -> int:
    """Pairs of nodes of one kind in any two programs; too many cannot be searched, and are refused."""
    most = np.zeros(int(table.kind.max(initial=0)) + 1, dtype=np.int64)
    for start, end in zip(table.first, table.first[1:], strict=False):
        most = np.maximum(most, np.bincount(table.kind[start:end], minlength=len(most)))
    room = int((most**2).sum())
    if room > _LARGEST:
        problem = f"[too-large] pairs of nodes of one kind may be more than {_LARGEST:,}"
        raise BadInput("programs", room, problem, "compare smaller programs, or pass primitives=")
    return max(1, room)


def nearest_many(
    programs: Sequence[ProgramLike],
    curriculum: Sequence[ProgramLike],
    *,
    metric: str | None = None,
    mode: Mode = "exact",
    primitives: Collection[str] = (),
) -> Neighbours:
    """The nearest program of a curriculum for each of many, and how much work the bounds saved.

    The number of nodes of each kind puts the curriculum in order, the best partner of each node decides
    which Δ to compute: both bounds are certified, so the result is that of comparing every pair.

    >>> from gindex_lab.worlds.flatland import curriculum, sample
    >>> tests, known = [sample("circles", 2, seed=1)], curriculum(5, seed=2)
    >>> found = nearest_many([test.drawing for test in tests], [s.drawing for s in known])
    >>> found.pairs, found.evaluated < found.pairs
    (50, True)
    """
    from gindex_lab.measures.programs.neighbours import closest

    wanted, known = _programs("programs", programs), _programs("curriculum", curriculum)
    if not known:
        raise BadInput(
            "curriculum", 0, "[nothing-to-compare] leaves nothing to compare with", "add programs"
        )
    everything = [*known, *wanted]
    how = Metric.of(everything, metric, mode, primitives)
    table = shelve(everything, how)
    queries = np.arange(len(known), len(everything))
    barred = np.full(len(queries), -1)
    index, value, least, _, weighed, evaluated = closest(
        table, queries, 0, len(known), barred, how.partners, _room(table), EFFORT_IN_BATCH
    )
    _warn(value - least)
    pairs = len(wanted) * len(known)
    return Neighbours(index, value, pairs, int(weighed), int(evaluated))


def nearest(
    program: ProgramLike, curriculum: Sequence[ProgramLike], **options: Any
) -> tuple[int, float]:
    """The place of the nearest program of a curriculum (the first of equals) and its Δ.

    Reference: g-index paper, section 5.
    """
    found = nearest_many([program], curriculum, **options)
    return int(found.index[0]), float(found.value[0])


def omega(program: ProgramLike, curriculum: Sequence[ProgramLike], **options: Any) -> float:
    """Ω(T', C) = min over the curriculum of Δ(T', T): Eq 6; 0 where the curriculum has the program.

    >>> from gindex_lab.worlds.flatland import shape
    >>> omega(shape("square"), [shape("circle"), shape("square")])
    0.0
    """
    return nearest(program, curriculum, **options)[1]


def generalisation_difficulty(
    program: ProgramLike, curriculum: Sequence[ProgramLike], **options: Any
) -> float:
    """GD = exp(10 Ω): Eq 7."""
    from gindex_lab.measures.programs.gindex import generalisation_difficulty as of_distance

    return float(of_distance(omega(program, curriculum, **options)))


def binary_distance(p: ProgramLike, q: ProgramLike) -> float:
    """Δ = 1 - (Σ w)² / (|p| |q|) over the best one-to-one matching, w the share of equal parameters.

    A circle has its type, centre, radius and angle, a line its type, start, end and midpoint. Which four a
    line had in the authors' metric is inferred: their values show ¼ for two lines with nothing in common
    but the type, and 0 between a drawing and itself. (`gl.flatland.distance` has the other two.)
    (g-index paper, section 5.)

    >>> small, large = (Drawing((Circle(60, 60, r),)) for r in (10, 20))
    >>> binary_distance(small, small), binary_distance(small, large)
    (0.0, 0.4375)
    """
    first, second = (Drawing.of(source).shapes for source in (p, q))
    if not first or not second:
        return 1.0
    weight = np.array([[_share(a, b) for b in second] for a in first])
    total = weight[linear_sum_assignment(weight, maximize=True)].sum()
    return float(1 - total**2 / (len(first) * len(second)))


def _share(a: Shape, b: Shape) -> float:
    if type(a) is not type(b):
        return 0.0
    ours, theirs = _parameters(a), _parameters(b)
    return (1 + sum(x == y for x, y in zip(ours, theirs, strict=True))) / 4


def _parameters(shape: Shape) -> tuple[object, object, object]:
    if isinstance(shape, Circle):
        return shape.centre, shape.radius, shape.theta
    return (shape.x0, shape.y0), (shape.x1, shape.y1), shape.centre
