"""JSON: a program as an object of flows, or the written-out graph as a list of nodes.

The object keeps parameters and composition, `{"flows": [...], "run": {...}}`. The list is what is
compared (g-index paper, Fig 14): nodes with `id`, `name`, `type`, `scope`, `sources`, `targets` by port
and `params`, START first. Both are read; a list becomes a program with one flow.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, astuple
from typing import TYPE_CHECKING, Any

from gindex_lab.foundation.errors import BadProgram
from gindex_lab.worlds.flatland.definitions import PRIMITIVES, Call, Definition, Link, Node, Source
from gindex_lab.worlds.flatland.expressions import from_json, require
from gindex_lab.worlds.flatland.syntax_fbp import run_of

if TYPE_CHECKING:
    from gindex_lab.worlds.flatland.programs import Program

__all__ = ["read", "write"]


def read(text: str) -> Source:
    """The flows and call of a text, an object or a list of nodes.

    >>> read('[{"id": "0", "type": "START", "targets": {"out": ["1"]}, "params": {}},'
    ...      ' {"id": "1", "type": "move", "params": {"dist": 9}}]').flows[0].nodes
    (Node(name='n1', type='move', args=(9, False)),)
    """
    try:
        content: Any = json.loads(text)
    except RecursionError:
        problem = "[too-deep] is nested too deep for JSON"
        raise BadProgram("line 1", text[:20], problem, "flatten it") from None
    except ValueError as error:
        where, problem = f"line {getattr(error, 'lineno', 1)}", f"[not-json] is not JSON ({str(error)[:60]})"
        raise BadProgram(where, text.strip()[:40], problem, "fix the text") from None
    if isinstance(content, list):
        return _from_nodes(content)
    flows = _get(content, "flows", list, "program")
    return Source(
        flows=[_definition(flow, f"flows[{at}]") for at, flow in enumerate(flows)],
        run=_call(_get(content, "run", dict, "program")),
    )


def _get(row: Any, key: str, kind: type, where: str) -> Any:
    has = isinstance(row, Mapping) and key in row
    require(has, where, row, f"[missing-field] has no {key!r}", f"give it {key!r}")
    word = {"list": "a list", "dict": "an object", "str": "a text"}[kind.__name__]
    right = isinstance(row[key], kind) and (kind is not str or row[key])
    require(right, f"{where}.{key}", row[key], f"[wrong-type] is not {word}", "fix it")
    return row[key]


def _texts(row: Any, key: str, where: str, length: int | None = None) -> list[Any]:
    """A list of texts, or of lists of `length` texts."""
    found = _get(row, key, list, where)
    for at, part in enumerate(found):
        parts, here = [part] if length is None else part, f"{where}.{key}[{at}]"
        right = isinstance(parts, list) and len(parts) == (length or 1)
        require(right, here, part, f"is not {length} names", "fix it")
        require(all(isinstance(name, str) for name in parts), here, part, "is not a name", "fix it")
    return found


def _definition(row: Any, where: str) -> Definition:
    nodes = []
    for at, node in enumerate(_get(row, "nodes", list, where)):
        here = f"{where}.nodes[{at}]"
        args = tuple(from_json(arg, here) for arg in _get(node, "args", list, here))
        nodes.append(Node(_get(node, "name", str, here), _get(node, "type", str, here), args))
    randoms = _get(row, "randoms", dict, where)
    return Definition(
        _get(row, "name", str, where),
        tuple(_texts(row, "params", where)),
        {name: from_json(rule, where) for name, rule in randoms.items()},
        tuple(nodes),
        tuple(Link(*link) for link in _texts(row, "links", where, 3)),
        tuple(_texts(row, "entries", where)),
        tuple((name, port) for name, port in _texts(row, "exits", where, 2)),
    )


def _call(run: Any) -> Call:
    info = {key: run[key] for key in ("position", "theta") if key in run}
    args = tuple(from_json(arg, "run.args") for arg in run.get("args", []))
    return run_of(info, _get(run, "flow", str, "run"), args, "run")


def _from_nodes(rows: list[Any]) -> Source:
    """A program of one flow `main` from a list of nodes; ids become names."""
    require(rows, "program", rows, "[empty] has no node", "START comes first")
    ids = [_get(row, "id", str, f"nodes[{at}]") for at, row in enumerate(rows)]
    kinds = [_get(row, "type", str, f"nodes[{at}]") for at, row in enumerate(rows)]
    alone = kinds[0] == "START" and "START" not in kinds[1:]
    require(alone, "nodes[0].type", kinds[0], "[not-the-start] is not the only START", "put it first")
    names = {name: f"n{at}" for at, name in enumerate(ids)}
    require(len(names) == len(ids), "program", ids, "[duplicate] uses an id twice", "give each node its own")
    links = [
        Link(f"n{at}", port, _named(target, names, at))
        for at, row in enumerate(rows)
        for port, targets in row.get("targets", {}).items()
        for target in targets
    ]
    nodes = tuple(_node(row, at) for at, row in enumerate(rows) if at)
    inner = tuple(link for link in links if link.source != "n0")
    linked = {(link.source, link.port) for link in inner}
    exits = tuple((node.name, "out") for node in nodes if (node.name, "out") not in linked)
    entries = tuple(link.target for link in links if link.source == "n0")
    flow = Definition("main", (), {}, nodes, inner, entries, exits)
    return Source(flows=[flow], run=run_of(rows[0].get("params", {}), "main", (), "nodes[0]"))


def _named(target: object, names: Mapping[str, str], at: int) -> str:
    known = isinstance(target, str) and target in names
    require(known, f"nodes[{at}].targets", target, "[not-an-id] is not the id of a node", "fix it")
    return names[str(target)]


def _node(row: Mapping[str, Any], at: int) -> Node:
    where, kind = f"nodes[{at}]", row["type"]
    require(kind in PRIMITIVES, f"{where}.type", kind, "is not a primitive", "use move, turn or loop")
    params = PRIMITIVES[kind]
    given = _get(row, "params", dict, where)
    unknown = sorted(set(given) - set(params))
    remedy = "use " + ", ".join(params)
    require(not unknown, where, (unknown or [""])[0], f"is not a parameter of {kind}", remedy)
    for param, default in params.items():
        has = param in given or default is not None
        require(has, where, list(given), f"[missing-field] has no {param!r}", f"give it {param!r}")
    args = (from_json(given.get(param, default), where) for param, default in params.items())
    return Node(f"n{at}", kind, tuple(args))


def write(program: Program) -> str:
    """The program as a JSON object, composition and parameters kept."""
    flows = [
        {**asdict(flow), "links": [astuple(link) for link in flow.links]} for flow in program.flows.values()
    ]
    return json.dumps({"flows": flows, "run": asdict(program.run)}, indent=1) + "\n"
