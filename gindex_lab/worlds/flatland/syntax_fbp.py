"""Flow text: one link per line.

    @param {r} (int (5 30))
    circle(start r) -> ring(loop i 0 360)
    ring body -> step(move (* r (sin (/ pi 180))))
    step -> bend(turn 1)
    ring -> circle(end)
    {"position": [64, 44], "theta": 0} -> circle(20)

A node is defined where it is first linked to, `name(type arguments)`, and later named alone. `X body ->
Y` leaves by the port `body`. The first line of a flow names its parameters, `flow(start ...)`; `X ->
flow` is a further exit and `X -> flow(end)` the last, which ends the flow. `flow -> X` is a further
entry. `;` begins a comment, `#include "file.fbp"` reads another file.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gindex_lab.foundation.errors import BadProgram
from gindex_lab.worlds.flatland.definitions import Call, Definition, Include, Link, Node, Source
from gindex_lab.worlds.flatland.expressions import Expression, Symbol, read_expressions, require, to_lisp

if TYPE_CHECKING:
    from gindex_lab.worlds.flatland.programs import Program

__all__ = ["read", "run_of", "write"]

_COMMENT = re.compile(r'((?:[^;"]++|"[^"]*+(?:"|$))*+).*')  # a semicolon between quotes begins none
_INCLUDE = re.compile(r'#include\s+"([^"]*)"')
_RANDOM = re.compile(r"@param\s*\{\s*([^}\s]+)\s*\}\s*(.*)")
_PLACE = re.compile(r"([^\s()]+)\s*(?:\((.*)\))?", re.DOTALL)


@dataclass
class _Flow:
    """A flow while it is read."""

    name: str
    params: tuple[str, ...]
    randoms: dict[str, Expression]
    line: int
    nodes: dict[str, Node] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)
    exits: list[tuple[str, str]] = field(default_factory=list)

    def done(self) -> Definition:
        parts = (tuple(part) for part in (self.nodes.values(), self.links, self.entries, self.exits))
        return Definition(self.name, self.params, self.randoms, *parts)  # type: ignore[arg-type]


def read(text: str) -> Source:
    """The includes, flows and call of a text.

    >>> source = read('side(start d) -> step(move d)\\nstep -> side(end)\\n{} -> side(30)')
    >>> source.flows[0].nodes, source.run.args
    ((Node(name='step', type='move', args=('d',)),), (30,))
    """
    source = Source()
    randoms: dict[str, Expression] = {}
    flow: _Flow | None = None
    for number, line in enumerate(text.split("\n"), 1):
        said, where = _COMMENT.sub(r"\1", line, count=1).strip(), f"line {number}"
        if not said:
            continue
        problem = "[after-the-call] comes after the call"
        require(source.run is None, where, said, problem, "let the call be the last line")
        if said.startswith("#"):
            source.includes.append(Include(_match(_INCLUDE, said, where, '#include "f.fbp"')[1], number))
        elif said.startswith("@"):
            match = _match(_RANDOM, said, where, "@param {r} (int (5 30))")
            found = read_expressions(match[2], number)
            require(len(found) == 1, where, match[2], "is not one expression", "write one")
            randoms[match[1]] = found[0].value
        elif said.startswith("{"):
            if flow is not None:
                remedy = f"end the flow with X -> {flow.name}(end)"
                raise BadProgram(where, "{", f"stands inside flow {flow.name}", remedy)
            source.run = _call(said, number)
        elif flow is None:
            flow, randoms = _begin(said, number, randoms), {}
        elif _link(flow, said, number):
            source.flows.append(flow.done())
            flow = None
    if flow is not None:
        problem = f"[no-end] begins on line {flow.line} and never ends"
        raise BadProgram(f"flow {flow.name}", flow.name, problem, f"end it with X -> {flow.name}(end)")
    require(not randoms, "@param", next(iter(randoms), ""), "is not followed by a flow", "move it up")
    return source


def _match(pattern: re.Pattern[str], said: str, where: str, example: str) -> re.Match[str]:
    match = pattern.fullmatch(said)
    if match is None:
        raise BadProgram(where, said, "[unreadable] cannot be read", f"write {example}")
    return match


def _halves(said: str, number: int) -> list[str]:
    parts = [part.strip() for part in said.split("->")]
    one = len(parts) == 2 and all(parts)
    require(one, f"line {number}", said, "[not-a-link] is not one link", "write A -> B, one link per line")
    return parts


def _place(said: str, number: int) -> tuple[str, tuple[Expression, ...] | None]:
    """`name` or `name(words)`: the name, and the words if there are brackets."""
    match = _match(_PLACE, said, f"line {number}", "name or name(type arguments)")
    if match[2] is None:
        return match[1], None
    return match[1], tuple(found.value for found in read_expressions(match[2], number))


def _begin(said: str, number: int, randoms: dict[str, Expression]) -> _Flow:
    left, right = _halves(said, number)
    name, words = _place(left, number)
    remedy = "begin a flow with name(start parameters) -> ..."
    starts = words and words[0] == "start"
    require(starts, f"line {number}", said, "[outside-any-flow] is outside any flow", remedy)
    params = (words or ())[1:]
    for param in params:
        problem = "[not-a-name] is not a parameter's name"
        require(isinstance(param, Symbol), f"line {number}", to_lisp(param), problem, "write a name")
    flow = _Flow(name, tuple(str(param) for param in params), randoms, number)
    _target(flow, right, number, None)
    return flow


def _link(flow: _Flow, said: str, number: int) -> bool:
    """One link of a flow; True where it ends the flow."""
    left, right = _halves(said, number)
    words = left.split()
    if words == [flow.name]:
        return _target(flow, right, number, None)
    known, remedy = len(words) <= 2 and words[0] in flow.nodes, "name a node of an earlier line, then a port"
    require(known, f"line {number}", left, "[not-defined-yet] is not defined yet", remedy)
    return _target(flow, right, number, (words[0], words[1] if len(words) == 2 else "out"))


def _target(flow: _Flow, said: str, number: int, source: tuple[str, str] | None) -> bool:
    """Where a link leads: to the end of the flow (True where that is the last), or to a node, old or new."""
    name, words = _place(said, number)
    where, remedy = f"line {number}", "write name(type arguments)"
    if name == flow.name:
        if words not in (None, ("end",)) or source is None:
            raise BadProgram(where, said, "[no-end] does not end the flow", f"write X -> {name}(end)")
        flow.exits.append(source)
        return words is not None
    if words is None:
        require(name in flow.nodes, where, name, "is not defined yet", remedy)
    else:
        problem = "[duplicate] is defined twice"
        require(name not in flow.nodes, where, name, problem, "name it alone the second time")
        require(words and isinstance(words[0], Symbol), where, said, "has no type", remedy)
        flow.nodes[name] = Node(name, str(words[0]), words[1:])
    if source is None:
        flow.entries.append(name)
    else:
        flow.links.append(Link(*source, name))
    return False


def _call(said: str, number: int) -> Call:
    left, right = _halves(said, number)
    name, words = _place(right, number)
    try:
        info = json.loads(left)
    except (ValueError, RecursionError) as error:
        problem = f"[not-json] is not JSON ({str(error)[:60]})"
        raise BadProgram(f"line {number}", left, problem, 'write {"position": [64, 64]}') from None
    return run_of(info, name, words or (), f"line {number}")


def run_of(info: Any, flow: str, args: tuple[Expression, ...], where: str) -> Call:
    """A call from what JSON says about the start: position (default the centre) and theta (default 0)."""
    remedy = 'write {"position": [x, y], "theta": degrees}'
    known = isinstance(info, dict) and set(info) <= {"position", "theta"}
    require(known, where, info, "[not-a-start] is not a starting point", remedy)
    position = info.get("position", [64.0, 64.0])
    two = isinstance(position, list) and len(position) == 2
    require(two, where, position, "[not-a-position] is not a position", remedy)
    return Call(flow, args, (position[0], position[1]), info.get("theta", 0.0))


def write(program: Program) -> str:
    """The program as flow text."""
    run = program.run
    info = json.dumps({"position": list(run.position), "theta": run.theta})
    call = f"{info} -> {run.flow}({' '.join(map(to_lisp, run.args))})"
    return "\n\n".join([*map(_flow_text, program.flows.values()), call]) + "\n"


def _flow_text(flow: Definition) -> str:
    """The lines of a flow: a program's links stand in an order that defines nodes before naming them."""
    lines = [f"@param {{{name}}} {to_lisp(rule)}" for name, rule in flow.randoms.items()]
    nodes = {node.name: node for node in flow.nodes}

    def place(name: str) -> str:
        node = nodes.pop(name, None)  # defined where it is first named
        return f"{name}({' '.join([node.type, *map(to_lisp, node.args)])})" if node else name

    def leaving(name: str, port: str) -> str:
        return name if port == "out" else f"{name} {port}"

    heads = [f"{flow.name}({' '.join(['start', *flow.params])})", *[flow.name] * len(flow.entries)]
    lines += [f"{head} -> {place(name)}" for head, name in zip(heads, flow.entries, strict=False)]
    lines += [f"{leaving(link.source, link.port)} -> {place(link.target)}" for link in flow.links]
    lines += [f"{leaving(*exit_)} -> {flow.name}" for exit_ in flow.exits]
    return "\n".join(lines) + "(end)"
