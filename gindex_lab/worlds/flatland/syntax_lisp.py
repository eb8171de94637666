"""LISP: the same program as nested lists.

(begin (#include "circle.fbp") (define-flow side (d) ((d (int (5 60)))) ((create-node step move d)
(create-entry step) (create-exit step out))) (run-flow side (30) (64 64) 0))

A port may also be written as the authors do, behind a colon, and `out` may be left out:
(create-link ring:body step) (create-link step ring) (create-exit ring).
"""

from __future__ import annotations

from typing import Any

from gindex_lab.foundation.errors import BadProgram
from gindex_lab.worlds.flatland.definitions import Call, Definition, Include, Link, Node, Source
from gindex_lab.worlds.flatland.expressions import (
    Expression,
    Symbol,
    Text,
    read_expressions,
    to_lisp,
)
from gindex_lab.worlds.flatland.programs import Program

__all__ = ["read", "write"]


def read(text: str) -> Source:
    """The includes, flows and call of a text.

    >>> flow = "(define-flow f () () ((create-node a move 9) (create-entry a) (create-exit a out)))"
    >>> read(f"(begin {flow} (run-flow f () (64 64) 0))").run
    Call(flow='f', args=(), position=(64, 64), theta=0)
    """
    found = read_expressions(text)
    if len(found) != 1 or not _headed(found[0].value, "begin"):
        line = found[1].line if len(found) > 1 else 1
        raise BadProgram(
            f"line {line}", text.strip()[:40], "[not-one-list] is not one list", "write (begin ...)"
        )
    source = Source()
    lines = _lines(text)
    parts: Any = found[0].value
    for at, part in enumerate(parts[1:]):
        where = f"line {lines[at]}"
        if source.run is not None:
            raise BadProgram(where, to_lisp(part), "comes after the call", "let the call be last")
        if _headed(part, "#include") and len(part) == 2 and isinstance(part[1], Text):
            source.includes.append(Include(str(part[1]), lines[at]))
        elif _headed(part, "define-flow"):
            source.flows.append(_definition(part, where))
        elif _headed(part, "run-flow"):
            source.run = _call(part, where)
        else:
            remedy = 'use (#include "f"), (define-flow ...), (run-flow ...)'
            raise BadProgram(where, to_lisp(part), "[unknown-word] is not known here", remedy)
    return source


def _headed(value: object, word: str) -> bool:
    return isinstance(value, tuple) and len(value) > 0 and value[0] == word


def _lines(text: str) -> list[int]:
    """The line of each part of the outermost list: its text is read again without its brackets."""
    start = text.index("(")
    word = text.index("begin", start) + len("begin")
    inner = text[word : text.rindex(")")]
    return [found.line for found in read_expressions(inner, 1 + text.count("\n", 0, word))]


def _fields(part: Any, count: int, where: str, example: str) -> Any:
    if not isinstance(part, tuple) or len(part) != count:
        said = to_lisp(part)
        raise BadProgram(
            where, said, "[wrong-number-of-parts] has the wrong number of parts", f"write {example}"
        )
    return part


def _at_least(part: Any, count: int, where: str, example: str) -> Any:
    """A list of so many parts, or one more (the port)."""
    return part if len(part) == count else _fields(part, count + 1, where, example)


def _port(words: list[Any], where: str) -> tuple[str, str]:
    """A node and its port: `(node port)`, `node:port`, or `node` alone, which means its `out`.

    >>> _port([Symbol("ring:body")], "here"), _port([Symbol("ring")], "here")
    (('ring', 'body'), ('ring', 'out'))
    """
    name, *port = (_name(word, where) for word in words)
    if port:
        return name, port[0]
    node, _, written = name.partition(":")
    return node, written or "out"


def _name(value: object, where: str) -> str:
    if not isinstance(value, Symbol):
        raise BadProgram(where, value, "is not a name", "write a name")
    return str(value)


def _list(value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, tuple):
        raise BadProgram(where, to_lisp(value), "is not a list", "put it in brackets")
    return value


def _definition(part: Any, where: str) -> Definition:
    example = "(define-flow name (parameters) (randoms) (body))"
    _, name, params, randoms, body = _fields(part, 5, where, example)
    rules: dict[str, Expression] = {}
    for random in _list(randoms, where):
        param, rule = _fields(random, 2, where, "((r (int (5 30))))")
        rules[_name(param, where)] = rule
    nodes, links, entries, exits = _body(_list(body, where), where)
    named = tuple(_name(param, where) for param in _list(params, where))
    return Definition(_name(name, where), named, rules, nodes, links, entries, exits)


def _body(body: tuple[Any, ...], where: str) -> tuple[Any, Any, Any, Any]:
    nodes, links, entries, exits = [], [], [], []
    for part in body:
        if _headed(part, "create-node") and len(part) >= 3:
            nodes.append(Node(_name(part[1], where), _name(part[2], where), part[3:]))
        elif _headed(part, "create-link"):
            _, *source, target = _at_least(part, 3, where, "(create-link source port target)")
            links.append(Link(*_port(source, where), _name(target, where)))
        elif _headed(part, "create-entry"):
            entries.append(_name(_fields(part, 2, where, "(create-entry node)")[1], where))
        elif _headed(part, "create-exit"):
            _, *source = _at_least(part, 2, where, "(create-exit node port)")
            exits.append(_port(source, where))
        else:
            remedy = "use create-node, create-link, create-entry, create-exit"
            raise BadProgram(where, to_lisp(part), "[unknown-word] is not known in a flow", remedy)
    return tuple(nodes), tuple(links), tuple(entries), tuple(exits)


def _call(part: Any, where: str) -> Call:
    _, name, args, position, theta = _fields(
        part, 5, where, "(run-flow name (arguments) (x y) theta)"
    )
    x, y = _fields(position, 2, where, "(x y)")
    return Call(_name(name, where), _list(args, where), (x, y), theta)


# --- writing ----------------------------------------------------------------------------------------


def write(program: Program) -> str:
    """The program as LISP."""
    run = program.run
    flows = [_flow_text(flow) for flow in program.flows.values()]
    x, y = map(to_lisp, run.position)
    call = f"(run-flow {run.flow} {to_lisp(run.args)} ({x} {y}) {to_lisp(run.theta)})"
    return "(begin\n" + "\n".join(f"  {part}" for part in [*flows, call]) + ")\n"


def _flow_text(flow: Definition) -> str:
    randoms = " ".join(f"({name} {to_lisp(rule)})" for name, rule in flow.randoms.items())
    body = [
        *(f"(create-node {' '.join([n.name, n.type, *map(to_lisp, n.args)])})" for n in flow.nodes),
        *(f"(create-link {link.source} {link.port} {link.target})" for link in flow.links),
        *(f"(create-entry {name})" for name in flow.entries),
        *(f"(create-exit {name} {port})" for name, port in flow.exits),
    ]
    lines = "\n     ".join(body)
    return f"(define-flow {flow.name} ({' '.join(flow.params)}) ({randoms})\n    ({lines}))"
