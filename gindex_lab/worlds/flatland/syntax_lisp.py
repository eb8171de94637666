"""LISP: the same program as nested lists.

(begin (#include "circle.fbp") (define-flow side (d) ((d (int (5 60)))) ((create-node step move d)
(create-entry step) (create-exit step out))) (run-flow side (30) (64 64) 0))

A port may also be written as the authors do, behind a colon, and `out` may be left out:
(create-link ring:body step) (create-link step ring) (create-exit ring).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gindex_lab.foundation.errors import BadProgram
from gindex_lab.worlds.flatland.definitions import Call, Definition, Include, Link, Node, Source
from gindex_lab.worlds.flatland.expressions import Symbol, Text, read_expressions, require, to_lisp

if TYPE_CHECKING:
    from gindex_lab.worlds.flatland.programs import Program

__all__ = ["read", "write"]


def read(text: str) -> Source:
    """The includes, flows and call of a text.

    >>> flow = "(define-flow f () () ((create-node a move 9) (create-entry a) (create-exit a out)))"
    >>> read(f"(begin {flow} (run-flow f () (64 64) 0))").run
    Call(flow='f', args=(), position=(64, 64), theta=0)
    """
    found = read_expressions(text)
    one = len(found) == 1 and _headed(found[0].value, "begin")
    line = found[1].line if len(found) > 1 else 1
    require(one, f"line {line}", text.strip()[:40], "[not-one-list] is not one list", "write (begin ...)")
    # the outermost list is read again without its brackets, for the line of each part
    word = text.index("begin", text.index("(")) + len("begin")
    source = Source()
    for part, line in read_expressions(text[word : text.rindex(")")], 1 + text.count("\n", 0, word)):
        where, said = f"line {line}", to_lisp(part)
        require(source.run is None, where, said, "comes after the call", "let the call be last")
        if isinstance(part, tuple) and len(part) == 2 and part[0] == "#include" and isinstance(part[1], Text):
            source.includes.append(Include(str(part[1]), line))
        elif _headed(part, "define-flow"):
            source.flows.append(_definition(part, where))
        elif _headed(part, "run-flow"):
            source.run = _call(part, where)
        else:
            remedy = 'use (#include "f"), (define-flow ...), (run-flow ...)'
            raise BadProgram(where, said, "[unknown-word] is not known here", remedy)
    return source


def _headed(value: object, word: str) -> bool:
    return isinstance(value, tuple) and len(value) > 0 and value[0] == word


def _fields(part: Any, counts: tuple[int, ...], where: str, example: str) -> Any:
    """A list of one of these lengths."""
    right = isinstance(part, tuple) and len(part) in counts
    problem = "[wrong-number-of-parts] has the wrong number of parts"
    require(right, where, to_lisp(part), problem, f"write {example}")
    return part


def _port(words: list[Any], where: str) -> tuple[str, str]:
    """A node and its port: `(node port)`, `node:port`, or `node` alone, which means its `out`."""
    name, *port = (_name(word, where) for word in words)
    if port:
        return name, port[0]
    node, _, written = name.partition(":")
    return node, written or "out"


def _name(value: object, where: str) -> str:
    require(isinstance(value, Symbol), where, value, "is not a name", "write a name")
    return str(value)


def _list(value: Any, where: str) -> tuple[Any, ...]:
    require(isinstance(value, tuple), where, to_lisp(value), "is not a list", "put it in brackets")
    return tuple(value)


def _definition(part: Any, where: str) -> Definition:
    example = "(define-flow name (parameters) (randoms) (body))"
    _, name, params, randoms, body = _fields(part, (5,), where, example)
    rules = [_fields(rule, (2,), where, "((r (int (5 30))))") for rule in _list(randoms, where)]
    nodes, links, entries, exits = [], [], [], []
    for step in _list(body, where):
        if _headed(step, "create-node") and len(step) >= 3:
            nodes.append(Node(_name(step[1], where), _name(step[2], where), step[3:]))
        elif _headed(step, "create-link"):
            _, *source, target = _fields(step, (3, 4), where, "(create-link source port target)")
            links.append(Link(*_port(source, where), _name(target, where)))
        elif _headed(step, "create-entry"):
            entries.append(_name(_fields(step, (2,), where, "(create-entry node)")[1], where))
        elif _headed(step, "create-exit"):
            exits.append(_port(_fields(step, (2, 3), where, "(create-exit node port)")[1:], where))
        else:
            remedy = "use create-node, create-link, create-entry, create-exit"
            raise BadProgram(where, to_lisp(step), "[unknown-word] is not known in a flow", remedy)
    return Definition(
        _name(name, where),
        tuple(_name(param, where) for param in _list(params, where)),
        {_name(param, where): rule for param, rule in rules},
        tuple(nodes),
        tuple(links),
        tuple(entries),
        tuple(exits),
    )


def _call(part: Any, where: str) -> Call:
    _, name, args, position, theta = _fields(part, (5,), where, "(run-flow name (arguments) (x y) theta)")
    x, y = _fields(position, (2,), where, "(x y)")
    return Call(_name(name, where), _list(args, where), (x, y), theta)


def write(program: Program) -> str:
    """The program as LISP."""
    run = program.run
    x, y = map(to_lisp, run.position)
    call = f"(run-flow {run.flow} {to_lisp(run.args)} ({x} {y}) {to_lisp(run.theta)})"
    parts = [*map(_flow_text, program.flows.values()), call]
    return "(begin\n" + "\n".join(f"  {part}" for part in parts) + ")\n"


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
