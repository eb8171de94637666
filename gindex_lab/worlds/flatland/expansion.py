"""A program written out: every flow replaced by its nodes, down to the primitives.

The entries of a flow inherit the links that lead to its call, its exits those that leave it (as a macro
does). What is left is one graph of START, move, turn and loop with numbers for arguments: the graph that
is run, and that the graph metric compares. Flows named in `primitives` stay whole, as nodes of a type of
their own: a larger set of primitives makes smaller programs.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from gindex_lab.foundation.errors import BadProgram
from gindex_lab.worlds.flatland.checks import closing_links, reached
from gindex_lab.worlds.flatland.definitions import PORTS, PRIMITIVES, Definition, Node
from gindex_lab.worlds.flatland.expressions import Expression, Symbol, reduce, to_json
from gindex_lab.worlds.flatland.programs import Program

__all__ = ["Graph", "GraphNode", "expand"]

_LINKS_PER_NODE = 10
_LONGEST_OPEN = 200  # parts of an argument that depends on a loop's count


@dataclass(frozen=True)
class GraphNode:
    """A node of the written-out graph: `scope` is the path of flows it comes from."""

    name: str
    type: str
    scope: str
    params: dict[str, Any]

    @property
    def id(self) -> str:
        """Scope and name, which together are unique."""
        return f"{self.scope}/{self.name}" if self.scope else self.name


@dataclass(frozen=True)
class Graph:
    """The nodes, START first, and the links (source, port, target) by place.

    `closing` holds the links from the body of a loop back to the loop, where the program has some: they
    mean "next round". The run and the exact metric leave them out; the reference metric counts them.

    Reference: g-index paper, section 5.

    >>> from gindex_lab.worlds.flatland import parse
    >>> graph = parse('#include "square.fbp"\\n{} -> square(30)').graph
    >>> [node.type for node in graph.nodes], graph.links
    (['START', 'loop', 'move', 'turn'], ((0, 'out', 1), (1, 'body', 2), (2, 'out', 3)))
    """

    nodes: tuple[GraphNode, ...]
    links: tuple[tuple[int, str, int], ...]
    closing: tuple[tuple[int, str, int], ...] = ()

    @cached_property
    def targets(self) -> tuple[dict[str, tuple[int, ...]], ...]:
        """Of each node the targets by port, in the order of the links."""
        found: list[dict[str, list[int]]] = [{} for _ in self.nodes]
        for source, port, target in self.links:
            found[source].setdefault(port, []).append(target)
        return tuple({port: tuple(ends) for port, ends in ports.items()} for ports in found)

    def rows(self) -> list[dict[str, Any]]:
        """The nodes as JSON holds them: the list of Fig 14."""
        whole = Graph(self.nodes, self.links + self.closing)
        sources: list[list[str]] = [[] for _ in self.nodes]
        for source, _, target in whole.links:
            sources[target].append(self.nodes[source].id)
        return [
            {
                "id": node.id,
                "name": node.name,
                "type": node.type,
                "scope": node.scope,
                "sources": sources[at],
                "targets": {
                    port: [self.nodes[end].id for end in ends]
                    for port, ends in whole.targets[at].items()
                },
                "params": {key: to_json(value) for key, value in node.params.items()},
            }
            for at, node in enumerate(self.nodes)
        ]

    def to_json(self, indent: int | None = 1) -> str:
        """The list of nodes as JSON text; `parse(text, "json")` reads it."""
        return json.dumps(self.rows(), indent=indent)

    def flow_nodes(self) -> list[dict[str, Any]]:
        """The nodes as a `gl.Flow` has them: wires by port, `out` first."""
        wires = [
            [[self.nodes[end].id for end in ports.get(port, ())] for port in ("out", "body")]
            for ports in self.targets
        ]
        return [
            {"id": row["id"], "type": row["type"], "wires": wire, **row["params"]}
            for row, wire in zip(self.rows(), wires, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.nodes)


class _Writer:
    """The graph while it is written out."""

    def __init__(self, program: Program, whole: Collection[str]) -> None:
        self.flows, self.limits, self.whole = program.flows, program.limits, whole
        self.nodes: list[GraphNode] = []
        self.links: list[tuple[int, str, int]] = []
        self.closing: list[tuple[int, str, int]] = []
        self.counts = 0

    def add(self, node: GraphNode) -> int:
        if len(self.nodes) >= self.limits.nodes:
            problem = f"[too-many-nodes] has more than {self.limits.nodes:,} nodes when written out"
            raise BadProgram("program", node.scope, problem, "compose less, or raise limits.nodes")
        self.nodes.append(node)
        return len(self.nodes) - 1

    def flow(
        self, flow: Definition, args: tuple[Expression, ...], scope: str, depth: int
    ) -> tuple[list[int], list[tuple[int, str]]]:
        """Write out one flow; its entries and exits by place."""
        if depth > self.limits.depth:
            problem = f"[too-deep] is more than {self.limits.depth} flows deep"
            raise BadProgram("program", flow.name, problem, "compose less, or raise limits.depth")
        names: dict[str, Expression] = dict(zip(flow.params, args, strict=True))
        for node in flow.nodes:
            if node.type == "loop":
                self.counts += 1
                names[str(node.args[0])] = Symbol(f"{node.args[0]}@{self.counts}")
        heads: dict[str, list[int]] = {}
        tails: dict[str, list[tuple[int, str]]] = {}
        for node in flow.nodes:
            heads[node.name], tails[node.name] = self._node(node, names, scope, depth)
        closing = closing_links(flow)
        for link in flow.links:
            ends = self._ends(link.source, link.port, tails)
            self._check_links(len(ends) * len(heads[link.target]), scope)
            kept = self.closing if link in closing else self.links
            kept += [(*end, target) for end in ends for target in heads[link.target]]
        entries = [place for name in flow.entries for place in heads[name]]
        exits = [end for name, port in flow.exits for end in self._ends(name, port, tails)]
        return entries, exits

    def _check_links(self, more: int, scope: str) -> None:
        """Exits times entries: a few flows could ask for millions of links."""
        most = _LINKS_PER_NODE * self.limits.nodes
        if len(self.links) + len(self.closing) + more > most:
            problem = f"[too-many-links] has more than {most:,} links when written out"
            raise BadProgram("program", scope, problem, "compose less, or raise limits.nodes")

    def _ends(
        self, name: str, port: str, tails: dict[str, list[tuple[int, str]]]
    ) -> list[tuple[int, str]]:
        return tails[name] if port == "out" else [(tails[name][0][0], port)]

    def _node(
        self, node: Node, names: dict[str, Expression], scope: str, depth: int
    ) -> tuple[list[int], list[tuple[int, str]]]:
        values = tuple(_value(arg, names, f"{scope}/{node.name}") for arg in node.args)
        if node.type not in PRIMITIVES and node.type not in self.whole:
            return self.flow(self.flows[node.type], values, f"{scope}/{node.name}", depth + 1)
        place = self.add(GraphNode(node.name, node.type, scope, self._params(node, values)))
        return [place], [(place, "out")]

    def _params(self, node: Node, values: tuple[Expression, ...]) -> dict[str, Any]:
        if node.type in self.whole:
            return dict(zip(self.flows[node.type].params, values, strict=True))
        defaults = PRIMITIVES[node.type]
        return {**defaults, **dict(zip(defaults, values, strict=False))}


def _value(arg: Expression, names: dict[str, Expression], where: str) -> Expression:
    try:
        value = reduce(arg, names)
    except BadProgram as error:
        raise error.told_of(where, error.value, BadProgram) from None
    if _parts(value, _LONGEST_OPEN) > _LONGEST_OPEN:
        problem = (
            f"[too-long] has more than {_LONGEST_OPEN} parts that depend on the count of a loop"
        )
        raise BadProgram(where, "...", problem, "compute less with it")
    return value


def _parts(value: Expression, most: int) -> int:
    """The parts of an expression, counted until there are too many."""
    count, waiting = 0, [value]
    while waiting and count <= most:
        count += 1
        part = waiting.pop()
        if isinstance(part, tuple):
            waiting += part
    return count


def expand(program: Program, primitives: Collection[str] = ()) -> Graph:
    """The graph of a program; flows named in `primitives` stay nodes of their own type.

    Reference: g-index paper, section 5.

    >>> from gindex_lab.worlds.flatland import parse
    >>> program = parse('#include "wheel.fbp"\\n{} -> wheel(20)')
    >>> len(expand(program)) > len(expand(program, ["circle"])) > len(expand(program, ["wheel"]))
    True
    """
    unknown = [name for name in primitives if name not in program.flows]
    if unknown:
        known = ", ".join(program.flows)
        raise BadProgram(
            "primitives", unknown[0], "[not-a-flow] is not a flow of the program", f"use {known}"
        )
    run = program.run
    writer = _Writer(program, set(primitives))
    info = {"position": list(run.position), "theta": run.theta}
    start = writer.add(GraphNode("START", "START", "", info))
    args = tuple(_value(arg, {}, "run") for arg in run.args)
    if run.flow in writer.whole:
        params = dict(zip(program.flows[run.flow].params, args, strict=True))
        entries = [writer.add(GraphNode(run.flow, run.flow, run.flow, params))]
    else:
        entries, _ = writer.flow(program.flows[run.flow], args, run.flow, 1)
    links = [(start, "out", place) for place in entries] + writer.links
    graph = _in_order(writer.nodes, links, writer.closing)
    for node in graph.nodes:
        _check_numbers(node)
    return graph


def _in_order(
    nodes: list[GraphNode],
    links: list[tuple[int, str, int]],
    closing: list[tuple[int, str, int]],
) -> Graph:
    """Nodes in the order in which they are reached: the same graph, however it was composed."""
    leaving = [
        [(port, end) for port in sorted(ports) for end in ports[port]]
        for ports in Graph(tuple(nodes), tuple(links)).targets
    ]
    order = reached([0], {old: [end for _, end in ends] for old, ends in enumerate(leaving)})
    place = {old: new for new, old in enumerate(order)}
    moved = [(place[old], port, place[end]) for old in order for port, end in leaving[old]]
    back = sorted((place[old], port, place[end]) for old, port, end in closing)
    return Graph(tuple(_counts_by_place([nodes[old] for old in order])), tuple(moved), tuple(back))


def _counts_by_place(nodes: list[GraphNode]) -> list[GraphNode]:
    """Name the count of each loop by the loop's place, so that the same graph has the same names."""
    names = {
        node.params["var"]: Symbol(f"{node.params['var'].split('@')[0]}@{place}")
        for place, node in enumerate(nodes)
        if node.type == "loop"
    }
    return [
        replace(node, params={key: _renamed(value, names) for key, value in node.params.items()})
        for node in nodes
    ]


def _renamed(value: Any, names: dict[str, Symbol]) -> Any:
    if isinstance(value, tuple):
        return tuple(_renamed(part, names) for part in value)
    return names.get(value, value) if isinstance(value, Symbol) else value


def _check_numbers(node: GraphNode) -> None:
    """Arguments that are known before the run must be numbers of the right kind."""
    for name, value in node.params.items():
        fixed = not isinstance(value, (tuple, Symbol, list))
        if fixed and name != "penup" and (isinstance(value, (bool, str))):
            raise BadProgram(node.id, value, f"is not a number for {name}", "give one")
        if fixed and name in ("start", "end") and node.type in PORTS and value != int(value):
            raise BadProgram(
                node.id,
                value,
                f"[not-a-whole-number] is not a whole number for {name}",
                "use (round ...)",
            )
