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
from typing import Any

from gindex_lab.foundation.errors import BadProgram
from gindex_lab.worlds.flatland.definitions import Call, Definition, Include, Link, Node, Source
from gindex_lab.worlds.flatland.expressions import Expression, Symbol, read_expressions, to_lisp
from gindex_lab.worlds.flatland.programs import Program

__all__ = ["read", "run_of", "write"]

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
        return Definition(
            self.name,
            self.params,
            self.randoms,
            tuple(self.nodes.values()),
            tuple(self.links),
            tuple(self.entries),
            tuple(self.exits),
        )


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
        said = _without_comment(line).strip()
        if not said:
            continue
        where = f"line {number}"
        if source.run is not None:
            raise BadProgram(
                where,
                said,
                "[after-the-call] comes after the call",
                "let the call be the last line",
            )
        if said.startswith("#"):
            source.includes.append(
                Include(_match(_INCLUDE, said, where, '#include "f.fbp"')[1], number)
            )
        elif said.startswith("@"):
            match = _match(_RANDOM, said, where, "@param {r} (int (5 30))")
            randoms[match[1]] = _one(match[2], number)
        elif said.startswith("{"):
            _outside(flow, where)
            source.run = _call(said, number)
        elif flow is None:
            flow, randoms = _begin(said, number, randoms), {}
        elif _link(flow, said, number):
            source.flows.append(flow.done())
            flow = None
    if flow is not None:
        problem = f"[no-end] begins on line {flow.line} and never ends"
        remedy = f"end it with X -> {flow.name}(end)"
        raise BadProgram(f"flow {flow.name}", flow.name, problem, remedy)
    if randoms:
        raise BadProgram("@param", next(iter(randoms)), "is not followed by a flow", "move it up")
    return source


def _without_comment(line: str) -> str:
    quoted = False
    for at, character in enumerate(line):
        quoted ^= character == '"'
        if character == ";" and not quoted:
            return line[:at]
    return line


def _match(pattern: re.Pattern[str], said: str, where: str, example: str) -> re.Match[str]:
    match = pattern.fullmatch(said)
    if match is None:
        raise BadProgram(where, said, "[unreadable] cannot be read", f"write {example}")
    return match


def _one(said: str, line: int) -> Expression:
    found = read_expressions(said, line)
    if len(found) != 1:
        raise BadProgram(f"line {line}", said, "is not one expression", "write one")
    return found[0].value


def _outside(flow: _Flow | None, where: str) -> None:
    if flow is not None:
        problem = f"stands inside flow {flow.name}"
        raise BadProgram(where, "{", problem, f"end the flow with X -> {flow.name}(end)")


def _halves(said: str, number: int) -> tuple[str, str]:
    parts = said.split("->")
    if len(parts) != 2 or not all(part.strip() for part in parts):
        problem = "[not-a-link] is not one link"
        raise BadProgram(f"line {number}", said, problem, "write A -> B, one link a line")
    return parts[0].strip(), parts[1].strip()


def _place(said: str, number: int) -> tuple[str, tuple[Expression, ...] | None]:
    """`name` or `name(words)`: the name, and the words if there are brackets."""
    match = _match(_PLACE, said, f"line {number}", "name or name(type arguments)")
    if match[2] is None:
        return match[1], None
    return match[1], tuple(found.value for found in read_expressions(match[2], number))


def _begin(said: str, number: int, randoms: dict[str, Expression]) -> _Flow:
    left, right = _halves(said, number)
    name, words = _place(left, number)
    where = f"line {number}"
    if not words or words[0] != "start":
        remedy = "begin a flow with name(start parameters) -> ..."
        raise BadProgram(where, said, "[outside-any-flow] is outside any flow", remedy)
    params = words[1:]
    for param in params:
        if not isinstance(param, Symbol):
            raise BadProgram(
                where, to_lisp(param), "[not-a-name] is not a parameter's name", "write a name"
            )
    flow = _Flow(name, tuple(str(param) for param in params), randoms, number)
    _target(flow, right, number, None)
    return flow


def _link(flow: _Flow, said: str, number: int) -> bool:
    """One link of a flow; True where it ends the flow."""
    left, right = _halves(said, number)
    words = left.split()
    if words[0] == flow.name and len(words) == 1:
        return _target(flow, right, number, None)
    if len(words) > 2 or words[0] not in flow.nodes:
        remedy = "name a node that an earlier line links to, then a port"
        raise BadProgram(f"line {number}", left, "[not-defined-yet] is not defined yet", remedy)
    return _target(flow, right, number, (words[0], words[1] if len(words) == 2 else "out"))


def _target(flow: _Flow, said: str, number: int, source: tuple[str, str] | None) -> bool:
    name, words = _place(said, number)
    where = f"line {number}"
    if name == flow.name:
        if words not in (None, ("end",)) or source is None:
            raise BadProgram(
                where, said, "[no-end] does not end the flow", f"write X -> {name}(end)"
            )
        flow.exits.append(source)
        return words is not None
    if words is not None:
        if name in flow.nodes:
            raise BadProgram(
                where, name, "[duplicate] is defined twice", "name it alone the second time"
            )
        if not words or not isinstance(words[0], Symbol):
            raise BadProgram(where, said, "has no type", "write name(type arguments)")
        flow.nodes[name] = Node(name, str(words[0]), words[1:])
    elif name not in flow.nodes:
        raise BadProgram(where, name, "is not defined yet", "write name(type arguments)")
    if source is None:
        flow.entries.append(name)
    else:
        flow.links.append(Link(*source, name))
    return False


def _call(said: str, number: int) -> Call:
    left, right = _halves(said, number)
    name, words = _place(right, number)
    try:
        info: Any = json.loads(left)
    except (ValueError, RecursionError) as error:
        problem = f"[not-json] is not JSON ({str(error)[:60]})"
        raise BadProgram(f"line {number}", left, problem, 'write {"position": [64, 64]}') from None
    return run_of(info, name, words or (), f"line {number}")


def run_of(info: object, flow: str, args: tuple[Expression, ...], where: str) -> Call:
    """A call from what JSON says about the start: position (default the centre) and theta (default 0)."""
    remedy = 'write {"position": [x, y], "theta": degrees}'
    if not isinstance(info, dict) or not set(info) <= {"position", "theta"}:
        raise BadProgram(where, info, "[not-a-start] is not a starting point", remedy)
    position = info.get("position", [64.0, 64.0])
    if not isinstance(position, list) or len(position) != 2:
        raise BadProgram(where, position, "[not-a-position] is not a position", remedy)
    return Call(flow, args, (position[0], position[1]), info.get("theta", 0.0))


# --- writing ----------------------------------------------------------------------------------------


def write(program: Program) -> str:
    """The program as flow text."""
    parts = [_flow_text(flow) for flow in program.flows.values()]
    run = program.run
    info = json.dumps({"position": list(run.position), "theta": run.theta})
    args = " ".join(map(to_lisp, run.args))
    return "\n\n".join([*parts, f"{info} -> {run.flow}({args})"]) + "\n"


def _flow_text(flow: Definition) -> str:
    """The lines of a flow: a program's links stand in an order that defines nodes before naming them."""
    lines = [f"@param {{{name}}} {to_lisp(rule)}" for name, rule in flow.randoms.items()]
    nodes = {node.name: node for node in flow.nodes}
    said: set[str] = set()

    def place(name: str) -> str:
        if name in said:
            return name
        said.add(name)
        return f"{name}({' '.join([nodes[name].type, *map(to_lisp, nodes[name].args)])})"

    head = f"{flow.name}({' '.join(['start', *flow.params])})"
    for name in flow.entries:
        lines.append(f"{head} -> {place(name)}")
        head = flow.name
    for link in flow.links:
        port = "" if link.port == "out" else f" {link.port}"
        lines.append(f"{link.source}{port} -> {place(link.target)}")
    for at, (name, port) in enumerate(flow.exits):
        last = "(end)" if at == len(flow.exits) - 1 else ""
        lines.append(f"{name}{'' if port == 'out' else ' ' + port} -> {flow.name}{last}")
    return "\n".join(lines)
