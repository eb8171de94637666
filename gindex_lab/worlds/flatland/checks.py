"""What makes a program whole: names that mean something, links that lead somewhere, no cycles."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from typing import Any, TypeVar

from gindex_lab.foundation.errors import BadProgram
from gindex_lab.worlds.flatland.definitions import PORTS, PRIMITIVES, Call, Definition, Link, Node
from gindex_lab.worlds.flatland.expressions import CONSTANTS, Symbol, require

__all__ = ["canonical", "check_program", "closing_links", "reached", "rule_of"]

K = TypeVar("K", bound=Hashable)

_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_RESERVED = {*PRIMITIVES, *CONSTANTS, "start", "end", "body", "out", "true", "false"}
_FARTHEST = 1e6  # of a start, in canvas units or degrees (a judgement)


def check_program(flows: Mapping[str, Definition], run: Call) -> None:
    """Refuse a program that cannot run, with the flow and node that is to blame."""
    require(flows, "program", "", "defines no flow", "write name(start) -> ... -> name(end)")
    for flow in flows.values():
        _check_flow(flow, flows)
    calls = {name: [node.type for node in flow.nodes] for name, flow in flows.items()}
    _check_acyclic(calls, "program", "[circle] flows use each other in a circle")
    _check_run(run, flows)


def canonical(flow: Definition) -> Definition:
    """The same flow with its nodes in the order in which they are reached, and its links by source.

    The order of the links that leave one port, which is the order in which branches are drawn, is kept.
    """
    leaving: dict[str, list[Link]] = {node.name: [] for node in flow.nodes}
    for link in sorted(flow.links, key=lambda link: link.port):
        leaving[link.source].append(link)
    order = reached(flow.entries, {name: [link.target for link in links] for name, links in leaving.items()})
    nodes = {node.name: node for node in flow.nodes}
    links = tuple(link for name in order for link in leaving[name])
    return replace(flow, nodes=tuple(nodes[name] for name in order), links=links)


def reached(entries: Iterable[K], following: Mapping[K, list[K]]) -> list[K]:
    """What can be reached, each once, in the order of a walk that goes deep first."""
    seen: dict[K, None] = {}
    waiting = list(entries)[::-1]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen[name] = None
            waiting += following[name][::-1]
    return list(seen)


def closing_links(flow: Definition) -> frozenset[Link]:
    """The links that lead from the body of a loop back to that loop: "next round", and no cycle.

    The authors' programs end every body so; a body without such a link runs the same. What can also be
    reached from the loop's `out` lies behind the loop, not in its body: a link back from there is a cycle.
    What is reached from the start without passing the loop lies before it, as a loop around it does.
    """
    found: set[Link] = set()
    for loop in (node.name for node in flow.nodes if node.type == "loop"):
        back = [link for link in flow.links if link.target == loop and link.source != loop]
        if back:
            following: dict[str, list[str]] = {node.name: [] for node in flow.nodes}
            leaving: dict[str, list[str]] = {"body": [], "out": []}
            for link in flow.links:
                if link.source == loop:
                    leaving[link.port].append(link.target)
                elif link.target != loop:
                    following[link.source].append(link.target)
            body, behind, before = (
                set(reached([name for name in starts if name != loop], following))
                for starts in (leaving["body"], leaving["out"], flow.entries)
            )
            found |= {link for link in back if link.source in body - behind - before}
    return frozenset(found)


def _check_flow(flow: Definition, flows: Mapping[str, Definition]) -> None:
    where = f"flow {flow.name}"
    for names in ([flow.name], flow.params, [node.name for node in flow.nodes]):
        _check_names(where, names)
    require(flow.nodes, where, flow.name, "has no nodes", "put one between start and end")
    for name, rule in flow.randoms.items():
        problem = "[not-a-parameter] is randomised but is not a parameter"
        require(name in flow.params, where, name, problem, "name a parameter")
        rule_of(rule, f"{where}, @param {name}")
    for node in flow.nodes:
        _check_node(node, f"{where}, node {node.name}", flows)
    _check_links(flow, where)


def _check_names(where: str, names: Iterable[str]) -> None:
    seen = set()
    for name in names:
        require(_NAME.fullmatch(name), where, name, "is not a name", "use letters, digits, _ . -")
        problem = "[reserved-word] is a word of the language"
        require(name not in _RESERVED, where, name, problem, "choose another name")
        require(name not in seen, where, name, "is named twice", "give each a name of its own")
        seen.add(name)


def _check_node(node: Node, where: str, flows: Mapping[str, Definition]) -> None:
    if node.type not in PRIMITIVES and node.type not in flows:
        known = ", ".join([*PRIMITIVES, *sorted(flows)][:12])
        problem = "[not-a-type] is neither a primitive nor a flow"
        raise BadProgram(where, node.type, problem, f"known are {known}")
    params = PRIMITIVES.get(node.type) or dict.fromkeys(flows[node.type].params)
    fewest = sum(default is None for default in params.values())
    problem = f"[wrong-arguments] takes ({' '.join(params)}), not {len(node.args)} arguments"
    require(fewest <= len(node.args) <= len(params), where, node.type, problem, "match them")
    if node.type == "loop":
        problem = "[not-a-name] is not a name for the count"
        require(isinstance(node.args[0], Symbol), where, node.args[0], problem, "write (loop i 0 4)")


def _check_links(flow: Definition, where: str) -> None:
    types = {node.name: node.type for node in flow.nodes}
    ends = [(link.source, link.port) for link in flow.links] + list(flow.exits)
    for name in [*flow.entries, *(link.target for link in flow.links), *(name for name, _ in ends)]:
        require(name in types, where, name, "is linked to, but not defined", "create the node")
    for name, port in ends:
        allowed = PORTS.get(types[name], ("out",))
        problem = f"[not-a-port] is not a port of {name} ({types[name]})"
        require(port in allowed, where, port, problem, "use " + " or ".join(allowed))
    for kind, found in (("entry", flow.entries), ("exit", flow.exits), ("link", flow.links)):
        require(kind == "link" or found, where, flow.name, f"has no {kind}", f"link its {kind}")
        require(len(set(found)) == len(found), where, flow.name, f"has the same {kind} twice", "remove one")
    following: dict[str, list[str]] = {name: [] for name in types}
    closing = closing_links(flow)
    for link in flow.links:
        if link not in closing:
            following[link.source].append(link.target)
    _check_acyclic(following, where, "[circle] nodes are linked in a circle")
    seen: list[str] = reached(flow.entries, following)
    lost = set(types) - set(seen)
    require(not lost, where, min(lost, default=""), "cannot be reached from the start", "link it")


def _check_acyclic(following: Mapping[str, Iterable[str]], where: str, problem: str) -> None:
    """Refuse a circle by its names; graphlib keeps a stack of its own, whatever chain it is given."""
    try:
        known = {name: [n for n in rest if n in following] for name, rest in following.items()}
        TopologicalSorter(known).prepare()
    except CycleError as error:
        circle = " -> ".join(reversed(error.args[1]))
        raise BadProgram(where, circle, problem, "use a loop to repeat") from None


def _check_run(run: Call, flows: Mapping[str, Definition]) -> None:
    known = ", ".join(sorted(flows)[:12])
    require(run.flow in flows, "run", run.flow, "[not-a-flow] is not a flow", f"known are {known}")
    params = flows[run.flow].params
    problem = f"[wrong-arguments] takes ({' '.join(params)}), not {len(run.args)} arguments"
    require(len(run.args) == len(params), "run", run.flow, problem, "match them")
    two = isinstance(run.position, (tuple, list)) and len(run.position) == 2
    require(two, "position", run.position, "is not a place", "give (x, y)")
    for name, value in (("x", run.position[0]), ("y", run.position[1]), ("theta", run.theta)):
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
        require(fits, f"run, {name}", value, "[not-a-number] is not a number", "give one")
        near = math.isfinite(value) and abs(value) <= _FARTHEST
        require(near, f"run, {name}", value, "[out-of-range] is not a number up to 10⁶", "give one")


def rule_of(rule: Any, where: str) -> tuple[str, tuple[float, ...]]:
    """The kind and the numbers of a rule to draw a parameter: (int (low high)), (float (low high)), (bool p)
    or (choice (a b ...)).
    """
    remedy = "write (int (low high)), (float (low high)), (bool p) or (choice (a b ...))"
    named = isinstance(rule, tuple) and len(rule) == 2 and isinstance(rule[0], Symbol)
    require(named, where, rule, "is not a rule", remedy)
    kind, values = str(rule[0]), rule[1] if isinstance(rule[1], tuple) else (rule[1],)
    numbers = all(isinstance(value, (int, float)) for value in values)
    require(numbers, where, rule, "holds something that is not a number", remedy)
    right = {
        "int": len(values) == 2 and values[0] < values[1] and all(v == int(v) for v in values),
        "float": len(values) == 2 and values[0] < values[1],
        "bool": len(values) == 1 and 0 <= values[0] <= 1,
        "choice": len(values) > 0,
    }
    require(right.get(kind), where, rule, "[not-a-rule] is not a rule that can be drawn from", remedy)
    return kind, values
