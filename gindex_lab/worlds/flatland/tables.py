"""Drawings as a table of numbers, and the similarity w of two of their nodes, compiled.

The rest (matching, association graph, clique search, bounds, Δ and Ω) is that of flows: `measures.programs`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import ProgramLike
from gindex_lab.foundation.validate import FloatArray, Mode, choice, mode_of
from gindex_lab.measures.programs.cliques import compiled
from gindex_lab.measures.programs.encode import ProgramTable, starts
from gindex_lab.measures.programs.similarity import similarity_of
from gindex_lab.worlds.flatland.definitions import SIZE
from gindex_lab.worlds.flatland.drawings import Circle, Drawing
from gindex_lab.worlds.flatland.expansion import Graph, expand
from gindex_lab.worlds.flatland.programs import Program

__all__ = ["Metric", "graph_of", "node_similarity", "table_of"]

UNIT = 3_600_000_000_000  # w = 1; a multiple of what divides similarities, so that sums of them are exact
START, MOVE, TURN, LOOP, LINE, CIRCLE, OTHER = range(7)  # kinds of nodes
OPEN_VALUE = -1e17  # below: no number but the name of an expression
CENTRES_APART = 0.05  # how much the closeness of two centres may differ between two drawings (authors' code)
_PARTNERS = 5  # of each node, in the authors' graph metric (their code)
_KINDS = {"START": START, "move": MOVE, "turn": TURN, "loop": LOOP}
_COMPARED = {"move": ("dist", "penup"), "turn": ("theta",), "loop": ("start", "end")}
# of two coordinate similarities that add up to so many hundredths, as Python rounds
_MEANS = np.array([round(total / 200, 2) for total in range(201)])
_SQUARES = np.array([round((total / 200) ** 2, 2) for total in range(201)])  # of the means


class DrawingNodes(NamedTuple):
    """What the nodes of many programs hold: `kind[k]` is a node's type, `value[k]` its arguments, of which
    `width[k]` count. `rounded`: closeness has two decimals at every level, as in the authors' code."""

    kind: npt.NDArray[np.int32]
    value: FloatArray
    width: npt.NDArray[np.int32]
    rounded: bool


@compiled
def closeness(difference: float, rounded: bool) -> float:
    """max(0, 1 - |d| / 128), to two decimals in reference mode."""
    share = max(0.0, 1.0 - abs(difference) / SIZE)
    return np.rint(share * 100.0) / 100.0 if rounded else share


@compiled
def hundredths(a: float, b: float) -> int:
    """The sum of two shares of two decimals."""
    return int(np.rint(100.0 * a)) + int(np.rint(100.0 * b))


@compiled
def near(x0: float, y0: float, x1: float, y1: float, rounded: bool) -> float:
    """The similarity of two points: the square of the mean closeness of their coordinates."""
    a, b = closeness(x1 - x0, rounded), closeness(y1 - y0, rounded)
    return _SQUARES[hundredths(a, b)] if rounded else ((a + b) / 2.0) ** 2


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
        place = _MEANS[hundredths(across, up)] if t.rounded else (across + up) / 2.0
        share = (place + same_turn(a[2], b[2], t.rounded)) / 2.0
    elif kind == LINE:
        along = near(a[0], a[1], b[0], b[1], t.rounded) + near(a[2], a[3], b[2], b[3], t.rounded)
        against = near(a[0], a[1], b[2], b[3], t.rounded) + near(a[2], a[3], b[0], b[1], t.rounded)
        share = (1.0 + max(along, against)) / 3.0
    elif kind == CIRCLE:
        share = 1.0 + near(a[0], a[1], b[0], b[1], t.rounded) + closeness(a[2] - b[2], t.rounded)
        share = (share + 1.0 - abs(a[3] % 360.0 - b[3] % 360.0) / 360.0) / 4.0
    else:
        equal = 0
        for k in range(t.width[x]):
            equal += a[k] == b[k]
        share = equal / t.width[x] if t.width[x] else 1.0
    return int(np.rint(share * UNIT))


@dataclass(frozen=True)
class Metric:
    """How programs are compared.

    `name`: "graph" (the written-out graph; links must agree), "list" (lines and circles; the centres of
    matched shapes must be about as close to each other), "matching" (the same, blind to centres).
    `mode`: "exact" compares without rounding, and turns round the circle; "reference" rounds as the
    authors' code does, and counts the links that close the bodies of loops. `primitives`: flows that stay
    whole in a graph.
    """

    name: str
    mode: Mode = "exact"
    primitives: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, programs: Sequence[ProgramLike], name: str | None, mode: Mode, primitives: Collection[str]
    ) -> Metric:
        """The metric asked for, or the one that fits: "graph" for programs, "list" for drawings."""
        if name is None:
            graphs = programs and all(isinstance(program, Program) for program in programs)
            name = "graph" if graphs else "list"
        if isinstance(primitives, str):
            raise BadInput("primitives", primitives, "[not-a-list] is not a list of names", 'use ["circle"]')
        how = cls(choice("metric", name, ("graph", "list", "matching")), mode_of(mode), tuple(primitives))
        if how.primitives:
            how._check_primitives(programs)
        return how

    def _check_primitives(self, programs: Sequence[ProgramLike]) -> None:
        """A name that no program knows is a slip: it would change nothing, and say nothing."""
        if self.name != "graph":
            problem = f"[not-with-metric] mean nothing to metric={self.name!r}, which compares what is drawn"
            raise BadInput("primitives", list(self.primitives), problem, "use metric='graph'")
        programs = [p.program() if isinstance(p, Drawing) else p for p in programs]
        known = {name for p in programs if isinstance(p, Program) for name in p.flows}
        unknown = [name for name in self.primitives if name not in known]
        if unknown:
            remedy = f"there are {', '.join(sorted(known))}"
            raise BadInput("primitives", unknown[0], "[not-a-flow] is not a flow of these programs", remedy)


class _Rows(NamedTuple):
    """One program: the kinds of its nodes, their arguments, and how they relate."""

    kinds: list[int]
    values: list[list[float]]
    relation: FloatArray


def table_of(programs: Sequence[ProgramLike], metric: Metric) -> ProgramTable:
    """Many programs in one table."""
    rounded = metric.mode == "reference"
    names: dict[Any, float] = {}
    if metric.name == "graph":
        rows = [_graph_rows(graph_of(program, metric), names, rounded) for program in programs]
    else:
        rows = [_list_rows(Drawing.of(program), metric.name == "list", rounded) for program in programs]
    sizes = np.array([len(row.kinds) for row in rows], dtype=np.int64)
    first = starts(sizes)
    start = np.repeat(first[:-1], sizes)
    kinds = np.array([kind for row in rows for kind in row.kinds], dtype=np.int32)
    order = np.lexsort((kinds, start))  # program by program, and in a program by kind
    place = (order - start).astype(np.int32)
    values = [given for row in rows for given in row.values]
    width = np.array([len(given) for given in values], dtype=np.int32)
    value = np.zeros((len(values), max(4, width.max(initial=0))))
    for at, given in enumerate(values):
        value[at, : len(given)] = given
    within = np.split(place, first[1:-1])
    relation = [row.relation[np.ix_(o, o)].ravel() for row, o in zip(rows, within, strict=True)]
    return ProgramTable(
        first=first,
        kind=kinds[order],
        corner=starts(sizes**2),
        relation=np.concatenate([np.zeros(0), *relation]),
        place=place,
        content=DrawingNodes(kinds[order], value[order], width[order], rounded),
        unit=UNIT,
        tolerance=CENTRES_APART if metric.name == "list" else 0.0,
        both_ways=True,
        # 0/0: two empty programs are the same, whose Δ is 0 (section 2.4); the authors' code says 1
        both_empty=1.0 if rounded else 0.0,
        unordered=0,
        partners=_PARTNERS if metric.name == "graph" and rounded else 0,
    )


def graph_of(program: ProgramLike, metric: Metric) -> Graph:
    """The graph that a metric compares."""
    if isinstance(program, Drawing):
        program = program.program()
    if not isinstance(program, Program):
        remedy = "pass programs, as of parse(), or metric='list'"
        raise BadInput("program", type(program).__name__, "[not-a-program] is not a program", remedy)
    kept = [name for name in metric.primitives if name in program.flows]
    return expand(program, kept) if kept else program.graph


def _graph_rows(graph: Graph, names: dict[Any, float], closing: bool) -> _Rows:
    kinds, values = [], []
    for node in graph.nodes:
        if node.type in _KINDS:
            kinds.append(_KINDS[node.type])
        else:
            kinds.append(int(names.setdefault(("type", node.type), OTHER + len(names))))
        if node.type == "START":
            values.append([*map(float, node.params["position"]), float(node.params["theta"])])
        else:
            compared = [node.params[key] for key in _COMPARED.get(node.type, node.params)]
            values.append([_number(value, names) for value in compared])
    relation = np.zeros((len(kinds), len(kinds)))
    for source, port, target in (*graph.links, *(graph.closing if closing else ())):
        relation[source, target] += 2.0 if port == "body" else 1.0
    return _Rows(kinds, values, relation)


def _number(value: Any, names: dict[Any, float]) -> float:
    """A number as it is; an argument that depends on a loop's count becomes a name of its own."""
    if isinstance(value, (bool, int, float)):
        return float(value)
    return OPEN_VALUE * (2 + names.setdefault(("open", value), len(names)))


@lru_cache(maxsize=8192)  # a curriculum is compared with many lists of programs
def _list_rows(drawing: Drawing, placed: bool, rounded: bool) -> _Rows:
    """The shapes of a drawing, related by the closeness of their centres where places count."""
    kinds = [CIRCLE if isinstance(part, Circle) else LINE for part in drawing.shapes]
    values = [list(map(float, astuple(part))) for part in drawing.shapes]
    if not placed:
        return _Rows(kinds, values, np.zeros((len(kinds), len(kinds))))
    centres = np.array([part.centre for part in drawing.shapes], dtype=float).reshape(-1, 2)
    share = np.maximum(0.0, 1.0 - np.abs(centres[:, None] - centres[None, :]) / SIZE)
    if rounded:
        return _Rows(kinds, values, _SQUARES[np.rint(share * 100).astype(int).sum(axis=2)])
    return _Rows(kinds, values, share.mean(axis=2) ** 2)
