"""A program written out: every flow replaced by its nodes, down to the primitives.

The entries of a flow inherit the links that lead to its call, its exits those that leave it (as a macro
does). What is left is one graph of START, move, turn and loop with numbers for arguments: the graph that
is run, and that the graph metric compares. Flows named in `primitives` stay whole, as nodes of a type of
their own: a larger set of primitives makes smaller programs.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gindex_lab.foundation.errors import BadProgram
from gindex_lab.worlds.flatland.checks import closing_links, reached
from gindex_lab.worlds.flatland.definitions import PORTS, PRIMITIVES, Definition, Node
from gindex_lab.worlds.flatland.expressions import Expression, Symbol, reduce, require

if TYPE_CHECKING:
    from gindex_lab.worlds.flatland.programs import Program

__all__ = ["Graph", "GraphNode", "expand"]

# judgements: what a few short flows can multiply to
_LINKS_PER_NODE = 10
_LONGEST_OPEN = 200  # parts of an argument that depends on a loop's count

GraphLink = tuple[int, str, int]  # source, port, target, by place


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
    (g-index paper, section 5.)

    >>> from gindex_lab.worlds.flatland import parse
    >>> graph = parse('#include "square.fbp"\\n{} -> square(30)').graph
    >>> [node.type for node in graph.nodes], graph.links
    (['START', 'loop', 'move', 'turn'], ((0, 'out', 1), (1, 'body', 2), (2, 'out', 3)))
    """

    nodes: tuple[GraphNode, ...]
    links: tuple[GraphLink, ...]
    closing: tuple[GraphLink, ...] = ()

    @cached_property
    def targets(self) -> tuple[dict[str, list[int]], ...]:
        """Of each node the targets by port, in the order of the links."""
        found: tuple[dict[str, list[int]], ...] = tuple({} for _ in self.nodes)
        for source, port, target in self.links:
            found[source].setdefault(port, []).append(target)
        return found

    def rows(self) -> list[dict[str, Any]]:
        """The nodes as JSON holds them: the list of Fig 14."""
        whole = Graph(self.nodes, self.links + self.closing)
        ids = [node.id for node in self.nodes]
        sources: list[list[str]] = [[] for _ in ids]
        for source, _, target in whole.links:
            sources[target].append(ids[source])
        return [
            {
                "id": node.id,
                "name": node.name,
                "type": node.type,
                "scope": node.scope,
                "sources": sources[at],
                "targets": {port: [ids[end] for end in ends] for port, ends in whole.targets[at].items()},
                "params": node.params,
            }
            for at, node in enumerate(self.nodes)
        ]

    def to_json(self, indent: int | None = 1) -> str:
        """The list of nodes as JSON text; `parse(text, "json")` reads it."""
        return json.dumps(self.rows(), indent=indent)

    def flow_nodes(self) -> list[dict[str, Any]]:
        """The nodes as a `gl.Flow` has them: wires by port, `out` first."""
        return [
            {
                "id": node.id,
                "type": node.type,
                "wires": [[self.nodes[end].id for end in ports.get(port, ())] for port in ("out", "body")],
                **node.params,
            }
            for node, ports in zip(self.nodes, self.targets, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.nodes)


class _Writer:
    """The graph while it is written out."""

    def __init__(self, program: Program, whole: Collection[str]) -> None:
        self.flows, self.limits, self.whole = program.flows, program.limits, whole
        self.nodes: list[GraphNode] = []
        self.links: list[GraphLink] = []
        self.closing: list[GraphLink] = []
        self.counts = 0

    def add(self, name: str, kind: str, scope: str, params: dict[str, Any]) -> int:
        problem = f"[too-many-nodes] has more than {self.limits.nodes:,} nodes when written out"
        fits = len(self.nodes) < self.limits.nodes
        require(fits, "program", scope, problem, "compose less, or raise limits.nodes")
        self.nodes.append(GraphNode(name, kind, scope, params))
        return len(self.nodes) - 1

    def flow(
        self, flow: Definition, args: tuple[Expression, ...], scope: str, depth: int
    ) -> tuple[list[int], list[tuple[int, str]]]:
        """Write out one flow; its entries and exits by place."""
        problem = f"[too-deep] is more than {self.limits.depth} flows deep"
        remedy = "compose less, or raise limits.depth"
        require(depth <= self.limits.depth, "program", flow.name, problem, remedy)
        names: dict[str, Expression] = dict(zip(flow.params, args, strict=True))
        for node in flow.nodes:
            if node.type == "loop":
                self.counts += 1
                names[str(node.args[0])] = Symbol(f"{node.args[0]}@{self.counts}")
        heads: dict[str, list[int]] = {}
        tails: dict[str, list[tuple[int, str]]] = {}
        for node in flow.nodes:
            heads[node.name], tails[node.name] = self._node(node, names, scope, depth)

        def ends(name: str, port: str) -> list[tuple[int, str]]:
            return tails[name] if port == "out" else [(tails[name][0][0], port)]

        closing = closing_links(flow)
        most = _LINKS_PER_NODE * self.limits.nodes
        problem = f"[too-many-links] has more than {most:,} links when written out"
        for link in flow.links:
            sources, targets = ends(link.source, link.port), heads[link.target]
            # exits times entries: a few flows could ask for millions of links
            more = len(self.links) + len(self.closing) + len(sources) * len(targets)
            require(more <= most, "program", scope, problem, "compose less, or raise limits.nodes")
            kept = self.closing if link in closing else self.links
            kept += [(*end, target) for end in sources for target in targets]
        entries = [place for name in flow.entries for place in heads[name]]
        return entries, [end for name, port in flow.exits for end in ends(name, port)]

    def _node(
        self, node: Node, names: dict[str, Expression], scope: str, depth: int
    ) -> tuple[list[int], list[tuple[int, str]]]:
        values = tuple(_value(arg, names, f"{scope}/{node.name}") for arg in node.args)
        if node.type in PRIMITIVES:
            defaults = PRIMITIVES[node.type]
            params: dict[str, Any] = {**defaults, **dict(zip(defaults, values, strict=False))}
        elif node.type in self.whole:
            params = dict(zip(self.flows[node.type].params, values, strict=True))
        else:
            return self.flow(self.flows[node.type], values, f"{scope}/{node.name}", depth + 1)
        place = self.add(node.name, node.type, scope, params)
        return [place], [(place, "out")]


def _value(arg: Expression, names: dict[str, Expression], where: str) -> Expression:
    try:
        value = reduce(arg, names)
    except BadProgram as error:
        raise error.told_of(where, error.value, BadProgram) from None
    count, waiting = 0, [value]
    while waiting and count <= _LONGEST_OPEN:  # counted until there are too many
        count += 1
        part = waiting.pop()
        waiting += part if isinstance(part, tuple) else ()
    problem = f"[too-long] has more than {_LONGEST_OPEN} parts that depend on the count of a loop"
    require(count <= _LONGEST_OPEN, where, "...", problem, "compute less with it")
    return value


def expand(program: Program, primitives: Collection[str] = ()) -> Graph:
    """The graph of a program, with every flow written out (g-index paper, section 5 and Fig 14).

    Parameters
    ----------
    program : the program
    primitives : flows that stay nodes of their own type

    Returns
    -------
    Graph : `nodes` (START first), `links` and `closing` links

    Examples
    --------
    >>> from gindex_lab.worlds.flatland import parse
    >>> program = parse('#include "wheel.fbp"\\n{} -> wheel(20)')
    >>> len(expand(program)) > len(expand(program, ["circle"])) > len(expand(program, ["wheel"]))
    True
    """
    for name in primitives:
        problem, known = "[not-a-flow] is not a flow of the program", ", ".join(program.flows)
        require(name in program.flows, "primitives", name, problem, f"use {known}")
    run, writer = program.run, _Writer(program, set(primitives))
    start = writer.add("START", "START", "", {"position": list(run.position), "theta": run.theta})
    args = tuple(_value(arg, {}, "run") for arg in run.args)
    if run.flow in writer.whole:
        params = dict(zip(program.flows[run.flow].params, args, strict=True))
        entries = [writer.add(run.flow, run.flow, run.flow, params)]
    else:
        entries, _ = writer.flow(program.flows[run.flow], args, run.flow, 1)
    links = [(start, "out", place) for place in entries] + writer.links
    graph = _in_order(Graph(tuple(writer.nodes), tuple(links), tuple(writer.closing)))
    for node in graph.nodes:
        _check_numbers(node)
    return graph


def _in_order(graph: Graph) -> Graph:
    """Nodes in the order in which they are reached, and the count of each loop named by the loop's place: the
    same graph, however it was composed."""
    leaving = [[(port, end) for port in sorted(ports) for end in ports[port]] for ports in graph.targets]
    order = reached([0], {old: [end for _, end in ends] for old, ends in enumerate(leaving)})
    place = {old: new for new, old in enumerate(order)}
    links = tuple((place[old], port, place[end]) for old in order for port, end in leaving[old])
    closing = tuple(sorted((place[old], port, place[end]) for old, port, end in graph.closing))
    nodes = [graph.nodes[old] for old in order]
    names = {
        node.params["var"]: Symbol(f"{node.params['var'].split('@')[0]}@{at}")
        for at, node in enumerate(nodes)
        if node.type == "loop"
    }
    renamed = [
        replace(node, params={key: _renamed(value, names) for key, value in node.params.items()})
        for node in nodes
    ]
    return Graph(tuple(renamed), links, closing)


def _renamed(value: Any, names: Mapping[str, Symbol]) -> Any:
    if isinstance(value, tuple):
        return tuple(_renamed(part, names) for part in value)
    return names.get(value, value) if isinstance(value, Symbol) else value


def _check_numbers(node: GraphNode) -> None:
    """Arguments that are known before the run must be numbers of the right kind."""
    for name, value in node.params.items():
        if isinstance(value, (tuple, Symbol, list)):
            continue
        number = name == "penup" or not isinstance(value, (bool, str))
        require(number, node.id, value, f"is not a number for {name}", "give one")
        whole = node.type not in PORTS or value == int(value)
        problem = f"[not-a-whole-number] is not a whole number for {name}"
        require(whole, node.id, value, problem, "use (round ...)")
