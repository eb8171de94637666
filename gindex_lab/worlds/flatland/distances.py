"""How far apart programs that draw are: Δ with a certificate, and Ω from a curriculum.

Δ(p, q) = 1 - (Σ w(v, φ(v)))² / (|p| |q|) over the best mapping φ, as for the flows of the g-index (Eq 5),
with similarities w that suit drawings (`tables`). Two metrics: on the written-out graph of a program, and on
the list of lines and circles that it draws, which is what the figure of domain distances used (g-index paper,
section 5). `binary_distance` is the third list metric of 2021: parameters are equal or not, and centres do
not matter.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import ProgramLike
from gindex_lab.foundation.validate import FloatArray, Mode
from gindex_lab.measures.programs.comparison import in_batch, warn_open
from gindex_lab.measures.programs.divergence import EFFORT, Divergence, bounds_of, divergence_of
from gindex_lab.measures.programs.encode import ProgramTable, Rules
from gindex_lab.measures.programs.flows import Flow
from gindex_lab.measures.programs.gindex import generalisation_difficulty as difficulty_of
from gindex_lab.measures.programs.neighbours import Neighbours, nearest_in
from gindex_lab.worlds.flatland.drawings import Circle, Drawing, Shape
from gindex_lab.worlds.flatland.programs import Program
from gindex_lab.worlds.flatland.tables import Metric, graph_of, node_similarity, table_of

__all__ = ["Distance", "binary_distance", "distance", "distances", "generalisation_difficulty", "nearest"]
__all__ += ["nearest_many", "omega"]

_LARGEST = 16_384  # pairs of nodes of one kind in a search: 33 MB of edges (a judgement)


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
        kinds = [dict(zip(flow.ids, flow.types, strict=True)) for flow in (self.first, self.second)]
        matched = zip(self.mapping.items(), self.weights, strict=True)
        rows = [("matched", kinds[0][a], a, b, w) for (a, b), w in matched]
        lone = [(a, kind) for a, kind in kinds[0].items() if a not in self.mapping]
        rows += [("only in the first", kind, a, "", 0.0) for a, kind in lone]
        others = [(b, kind) for b, kind in kinds[1].items() if b not in set(self.mapping.values())]
        rows += [("only in the second", kind, "", b, 0.0) for b, kind in others]
        return pd.DataFrame(rows, columns=["what", "type", "first", "second", "similarity"])


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

    Parameters
    ----------
    p, q : programs, drawings, or lists of lines and circles as JSON holds them
    metric : "graph" (default for programs), "list" (default for drawings) or "matching" (blind to places)
    mode : "exact", or "reference", which rounds and takes the shortcuts of the authors' code
    seconds : search until Δ is proven or the time is up
    effort : what the search may spend where no time is given
    primitives : flows that stay whole in the graphs of the programs that have them

    Returns
    -------
    Distance : a float with `lower`, `upper`, `exact`, `mapping`, `weights`

    Notes
    -----
    The shortcuts of the graph metric: a greedy mapping is kept if it covers the smaller program with a mean
    similarity above 0.95, and otherwise each node keeps at most five partners, so that Δ may be too high
    and depends on the order of the two programs; the bounds are then those of the shortened search.

    Two empty drawings are the same: their Δ is 0 (1 in reference mode, as by the authors' code). An empty
    one has nothing in common with any other: 1.

    References
    ----------
    g-index paper, section 5 and Eq 5.

    Examples
    --------
    >>> from gindex_lab.worlds.flatland import Circle, Drawing
    >>> one, two = (Drawing((Circle(60, y, 20),)) for y in (60, 70))
    >>> float(distance(one, one)), round(float(distance(one, two)), 3)
    (0.0, 0.038)
    """
    how = Metric.of([p, q], metric, mode, primitives)
    table = table_of([p, q], how)
    _room(table)
    lower, upper, pairs, reason = bounds_of(table, 0, 1, effort, seconds, _LARGEST)
    first, second = (_as_flow(source, how) for source in (p, q))
    size = int(table.first[1])
    found = sorted((int(table.place[i]), int(table.place[size + j]), i, j) for i, j in pairs)
    mapping = {first.ids[a]: second.ids[b] for a, b, _, _ in found}
    weights = tuple(node_similarity(table.content, i, size + j) / table.unit for _, _, i, j in found)
    return Distance(upper, lower, mapping, reason, first, second, Rules(ports=True), weights)


def _as_flow(source: ProgramLike, metric: Metric) -> Flow:
    """What was compared as a `gl.Flow`, so that the result can be drawn."""
    if metric.name == "graph":
        return Flow(graph_of(source, metric).flow_nodes())
    return Flow([{**row, "id": f"{row['type']}{row['id']}"} for row in Drawing.of(source).to_list()])


def distances(
    programs: Sequence[ProgramLike],
    others: Sequence[ProgramLike] | None = None,
    *,
    metric: str | None = None,
    mode: Mode = "exact",
    primitives: Collection[str] = (),
) -> FloatArray:
    """The matrix of Δ from each program to each of the others; a warning tells of pairs that stayed open.

    Parameters
    ----------
    programs : one row each
    others : one column each; without them, the same list
    metric, mode, primitives : as for `distance`

    Returns
    -------
    array : programs x others

    References
    ----------
    g-index paper, section 5 and Eq 5.

    Examples
    --------
    >>> from gindex_lab.worlds.flatland import shape
    >>> distances([shape("square"), shape("circle")]).round(2).tolist()
    [[0.0, 0.62], [0.62, 0.0]]
    """
    known = programs if others is None else others
    everything = [*_programs("programs", programs), *_programs("others", known)]
    table = table_of(everything, Metric.of(everything, metric, mode, primitives))
    rows, columns = np.indices((len(programs), len(known)))
    places = rows.ravel(), columns.ravel() + len(programs)
    values, opened, _ = in_batch(table, *places, room=_room(table), again=0)
    warn_open(opened)
    return values.reshape(rows.shape)


def _programs(name: str, programs: ProgramLike) -> list[Any]:
    if isinstance(programs, (str, bytes, Program, Drawing)) or not isinstance(programs, Sequence):
        raise BadInput(name, programs, "[not-a-list] is not a list of programs", "pass a list")
    return list(programs)


def _room(table: ProgramTable) -> int:
    """Pairs of nodes of one kind in any two programs; too many cannot be searched, and are refused."""
    counts = np.zeros((len(table.first), int(table.kind.max(initial=0)) + 1), dtype=np.int64)
    np.add.at(counts, (np.searchsorted(table.first, np.arange(len(table.kind)), "right") - 1, table.kind), 1)
    room = int((counts.max(axis=0) ** 2).sum())
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

    >>> from gindex_lab.worlds.flatland import curriculum, sample
    >>> tests, known = [sample("circles", 2, seed=1)], curriculum(5, seed=2)
    >>> found = nearest_many([test.drawing for test in tests], [s.drawing for s in known])
    >>> found.pairs, found.evaluated < found.pairs
    (50, True)
    """
    known = _programs("curriculum", curriculum)
    everything = [*known, *_programs("programs", programs)]
    if not known:
        raise BadInput("curriculum", 0, "[nothing-to-compare] leaves nothing to compare with", "add programs")
    table = table_of(everything, Metric.of(everything, metric, mode, primitives))
    queries = np.arange(len(known), len(everything))
    return nearest_in(table, queries, (0, len(known)), room=_room(table), again=0)


def nearest(program: ProgramLike, curriculum: Sequence[ProgramLike], **options: Any) -> tuple[int, float]:
    """The nearest program of a curriculum: its place (the first of equals) and its Δ.

    Parameters
    ----------
    program : the program
    curriculum : the programs it is compared with
    options : `metric`, `mode` and `primitives`, as for `distance`

    Returns
    -------
    (place in the curriculum, Δ)

    References
    ----------
    g-index paper, section 5 and Eq 6.
    """
    found = nearest_many([program], curriculum, **options)
    return int(found.index[0]), float(found.value[0])


def omega(program: ProgramLike, curriculum: Sequence[ProgramLike], **options: Any) -> float:
    """The domain distance Ω(T', C) = min over the curriculum of Δ(T', T).

    Parameters
    ----------
    program, curriculum, options : as for `nearest`

    Returns
    -------
    float : 0 where the curriculum has the program

    References
    ----------
    g-index paper, section 5 and Eq 6.

    Examples
    --------
    >>> from gindex_lab.worlds.flatland import shape
    >>> omega(shape("square"), [shape("circle"), shape("square")])
    0.0
    """
    return nearest(program, curriculum, **options)[1]


def generalisation_difficulty(
    program: ProgramLike, curriculum: Sequence[ProgramLike], **options: Any
) -> float:
    """The generalisation difficulty GD = exp(10 Ω) of a task.

    Parameters
    ----------
    program, curriculum, options : as for `nearest`

    Returns
    -------
    float : from 1 to e¹⁰

    References
    ----------
    g-index paper, Eq 7.
    """
    return float(difficulty_of(omega(program, curriculum, **options)))


def binary_distance(p: ProgramLike, q: ProgramLike) -> float:
    """Δ = 1 - (Σ w)² / (|p| |q|) over the best one-to-one matching, w the share of equal parameters.

    Parameters
    ----------
    p, q : drawings, programs, or lists of lines and circles

    Returns
    -------
    float : Δ; 1 where one of them is empty

    Notes
    -----
    A circle has its type, centre, radius and angle, a line its type, start, end and midpoint. Which four a
    line had in the authors' metric is inferred: their values show ¼ for two lines with nothing in common
    but the type, and 0 between a drawing and itself. (`gl.flatland.distance` has the other two metrics.)

    References
    ----------
    g-index paper, section 5; the third list metric of the authors' code.

    Examples
    --------
    >>> small, large = (Drawing((Circle(60, 60, r),)) for r in (10, 20))
    >>> binary_distance(small, small), binary_distance(small, large)
    (0.0, 0.4375)
    """
    first, second = (Drawing.of(source).shapes for source in (p, q))
    weight = np.array([[_share(a, b) for b in second] for a in first]).reshape(len(first), len(second))
    total = weight[linear_sum_assignment(weight, maximize=True)].sum()
    return float(divergence_of(total, len(first), len(second)))


def _share(a: Shape, b: Shape) -> float:
    if type(a) is not type(b):
        return 0.0
    return (1 + sum(x == y for x, y in zip(_parameters(a), _parameters(b), strict=True))) / 4


def _parameters(shape: Shape) -> tuple[object, object, object]:
    if isinstance(shape, Circle):
        return shape.centre, shape.radius, shape.theta
    return (shape.x0, shape.y0), (shape.x1, shape.y1), shape.centre
