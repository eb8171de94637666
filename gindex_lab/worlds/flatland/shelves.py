"""Programs as numbers, for the compiled metric: graphs by their primitives, drawings by their shapes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray, Mode, choice, mode_of
from gindex_lab.measures.programs.encode import Table, ends
from gindex_lab.worlds.flatland import metric_kernel as kernel
from gindex_lab.worlds.flatland.drawings import Circle, Drawing
from gindex_lab.worlds.flatland.expansion import Graph, expand
from gindex_lab.worlds.flatland.programs import Program

__all__ = ["METRICS", "Metric", "graph_of", "shelve"]

METRICS = ("graph", "list", "matching")
CENTRES_APART = 0.05  # how much the closeness of two centres may differ between two drawings
_KINDS = {
    "START": kernel.START,
    "move": kernel.MOVE,
    "turn": kernel.TURN,
    "loop": kernel.LOOP,
}
_COMPARED = {"move": ("dist", "penup"), "turn": ("theta",), "loop": ("start", "end")}


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
        cls,
        programs: Sequence[object],
        name: str | None,
        mode: Mode,
        primitives: Collection[str] = (),
    ) -> Metric:
        """The metric asked for, or the one that fits: "graph" for programs, "list" for drawings."""
        if name is None:
            graphs = programs and all(isinstance(program, Program) for program in programs)
            name = "graph" if graphs else "list"
        if isinstance(primitives, str):
            raise BadInput("primitives", primitives, "is not a list of names", 'use ["circle"]')
        how = cls(choice("metric", name, METRICS), mode_of(mode), tuple(primitives))
        if how.primitives:
            how._check_primitives(programs)
        return how

    def _check_primitives(self, programs: Sequence[object]) -> None:
        """A name that no program knows is a slip: it would change nothing, and say nothing."""
        if self.name != "graph":
            problem = f"mean nothing to metric={self.name!r}, which compares what is drawn"
            raise BadInput("primitives", list(self.primitives), problem, "use metric='graph'")
        programs = [p.program() if isinstance(p, Drawing) else p for p in programs]
        known = {name for p in programs if isinstance(p, Program) for name in p.flows}
        unknown = [name for name in self.primitives if name not in known]
        if unknown:
            remedy = f"there are {', '.join(sorted(known))}"
            raise BadInput("primitives", unknown[0], "is no flow of these programs", remedy)

    @property
    def partners(self) -> int:
        """How many partners of each node the authors' graph metric keeps; 0 for all."""
        return 5 if self.name == "graph" and self.mode == "reference" else 0


class _Rows(NamedTuple):
    """One program: kinds, arguments, how many count, and how its nodes relate."""

    kinds: list[int]
    values: list[list[float]]
    relation: FloatArray


def shelve(programs: Iterable[object], metric: Metric) -> Table:
    """Many programs in one table."""
    rounded = metric.mode == "reference"
    names: dict[Any, float] = {}
    if metric.name == "graph":
        closing = metric.mode == "reference"
        rows = [_graph_rows(graph_of(program, metric), names, closing) for program in programs]
    else:
        rows = [_list_rows(Drawing.of(program), metric, rounded) for program in programs]
    sizes = np.array([len(row.kinds) for row in rows], dtype=np.int64)
    first, corner = ends(sizes), ends(sizes**2)
    orders = [np.argsort(row.kinds, kind="stable") for row in rows]
    value = np.zeros((int(first[-1]), max([4, *(len(v) for row in rows for v in row.values)])))
    lengths = [
        len(v) for row, order in zip(rows, orders, strict=True) for v in _take(row.values, order)
    ]
    for k, given in enumerate(
        v for row, order in zip(rows, orders, strict=True) for v in _take(row.values, order)
    ):
        value[k, : len(given)] = given
    kinds = [k for row, order in zip(rows, orders, strict=True) for k in _take(row.kinds, order)]
    relation = [row.relation[np.ix_(o, o)].ravel() for row, o in zip(rows, orders, strict=True)]
    means = [round(total / 200, 2) for total in range(201)]
    squares = [round((total / 200) ** 2, 2) for total in range(201)]
    kind = np.array(kinds, dtype=np.int32)
    content = kernel.DrawingNodes(
        kind, value, np.array(lengths, dtype=np.int32), np.array(means), np.array(squares), rounded
    )
    return Table(
        first=first,
        kind=kind,
        corner=corner,
        relation=np.concatenate([np.zeros(0), *relation]),
        place=np.concatenate([np.zeros(0, np.int64), *orders]).astype(np.int32),
        content=content,
        unit=kernel.UNIT,
        tolerance=CENTRES_APART if metric.name == "list" else 0.0,
        both_ways=True,
        # 0/0: two empty programs are the same, whose Δ is 0 (section 2.4); the authors' code says 1
        both_empty=1.0 if rounded else 0.0,
        unordered=0,
    )


def _take(values: list[Any], order: Any) -> list[Any]:
    return [values[k] for k in order]


def graph_of(program: object, metric: Metric) -> Graph:
    """The graph that a metric compares."""
    if isinstance(program, Drawing):
        program = program.program()
    if not isinstance(program, Program):
        remedy = "pass programs, as of parse(), or metric='list'"
        raise BadInput("program", type(program).__name__, "is not a program", remedy)
    kept = [name for name in metric.primitives if name in program.flows]
    return expand(program, kept) if kept else program.graph


def _graph_rows(graph: Graph, names: dict[Any, float], closing: bool) -> _Rows:
    kinds, values = [], []
    for node in graph.nodes:
        if node.type not in _KINDS:
            kind = names.setdefault(("type", node.type), kernel.OTHER + len(names))
            kinds.append(int(kind))
            values.append([_number(value, names) for value in node.params.values()])
            continue
        kinds.append(_KINDS[node.type])
        if node.type == "START":
            values.append([*map(float, node.params["position"]), float(node.params["theta"])])
        else:
            values.append([_number(node.params[key], names) for key in _COMPARED[node.type]])
    relation = np.zeros((len(kinds), len(kinds)))
    for source, port, target in (*graph.links, *(graph.closing if closing else ())):
        relation[source, target] += 2.0 if port == "body" else 1.0
    return _Rows(kinds, values, relation)


def _number(value: Any, names: dict[Any, float]) -> float:
    """A number as it is; an argument that depends on a loop's count becomes a name of its own."""
    if isinstance(value, (bool, int, float)):
        return float(value)
    return kernel.OPEN_VALUE * (2 + names.setdefault(("open", value), len(names)))


@lru_cache(maxsize=8192)  # a curriculum is held against many lists of programs
def _list_rows(drawing: Drawing, metric: Metric, rounded: bool) -> _Rows:
    circle = [isinstance(part, Circle) for part in drawing.shapes]
    kinds = [kernel.CIRCLE if found else kernel.LINE for found in circle]
    values = [list(map(float, astuple(part))) for part in drawing.shapes]
    if metric.name == "matching":
        return _Rows(kinds, values, np.zeros((len(kinds), len(kinds))))
    centres = np.array([part.centre for part in drawing.shapes], dtype=float).reshape(-1, 2)
    return _Rows(kinds, values, _centre_closeness(centres, rounded))


def _centre_closeness(centres: FloatArray, rounded: bool) -> FloatArray:
    share = np.maximum(0.0, 1.0 - np.abs(centres[:, None] - centres[None, :]) / 128.0)
    if not rounded:
        return share.mean(axis=2) ** 2
    squares = np.array([round((total / 200) ** 2, 2) for total in range(201)])
    return squares[np.rint(share * 100).astype(int).sum(axis=2)]
