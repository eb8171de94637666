"""JSON: a program as an object of flows, or the written-out graph as a list of nodes.

The object keeps parameters and composition, `{"flows": [...], "run": {...}}`. The list is what is
compared (g-index paper, Fig 14): nodes with `id`, `name`, `type`, `scope`, `sources`, `targets` by port
and `params`, START first. Both are read; a list becomes a program with one flow.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gindex_lab.foundation.errors import BadProgram
from gindex_lab.worlds.flatland.definitions import PRIMITIVES, Call, Definition, Link, Node, Source
from gindex_lab.worlds.flatland.expressions import from_json, to_json
from gindex_lab.worlds.flatland.programs import Program
from gindex_lab.worlds.flatland.syntax_fbp import run_of

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
        raise BadProgram(
            "line 1", text[:20], "[too-deep] is nested too deep for JSON", "flatten it"
        ) from None
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        problem = f"[not-json] is not JSON ({str(error)[:60]})"
        raise BadProgram(f"line {line}", text.strip()[:40], problem, "fix the text") from None
    if isinstance(content, list):
        return _from_nodes(content)
    flows = _get(content, "flows", list, "program")
    return Source(
        flows=[_definition(flow, f"flows[{at}]") for at, flow in enumerate(flows)],
        run=_call(_get(content, "run", dict, "program")),
    )


def _get(row: object, key: str, kind: type, where: str) -> Any:
    if not isinstance(row, Mapping) or key not in row:
        raise BadProgram(where, row, f"[missing-field] has no {key!r}", f"give it {key!r}")
    if not isinstance(row[key], kind) or (kind is str and not row[key]):
        word = {"list": "a list", "dict": "an object", "str": "a text"}[kind.__name__]
        raise BadProgram(f"{where}.{key}", row[key], f"[wrong-type] is not {word}", "fix it")
    return row[key]


def _texts(row: object, key: str, where: str, length: int | None = None) -> list[Any]:
    """A list of texts, or of lists of `length` texts."""
    found = _get(row, key, list, where)
    for at, part in enumerate(found):
        parts = [part] if length is None else part
        if not isinstance(parts, list) or (length is not None and len(parts) != length):
            raise BadProgram(f"{where}.{key}[{at}]", part, f"is not {length} names", "fix it")
        if not all(isinstance(name, str) for name in parts):
            raise BadProgram(f"{where}.{key}[{at}]", part, "is not a name", "fix it")
    return found


def _definition(row: object, where: str) -> Definition:
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


# --- the graph as a list ----------------------------------------------------------------------------


def _from_nodes(rows: list[Any]) -> Source:
    """A program of one flow `main` from a list of nodes; ids become names."""
    if not rows:
        raise BadProgram("program", rows, "[empty] has no node", "START comes first")
    ids = [str(_get(row, "id", str, f"nodes[{at}]")) for at, row in enumerate(rows)]
    kinds = [_get(row, "type", str, f"nodes[{at}]") for at, row in enumerate(rows)]
    if kinds[0] != "START" or "START" in kinds[1:]:
        raise BadProgram(
            "nodes[0].type", kinds[0], "[not-the-start] is not the only START", "put it first"
        )
    names = {name: f"n{at}" for at, name in enumerate(ids)}
    if len(names) < len(ids):
        raise BadProgram("program", ids, "[duplicate] uses an id twice", "give each node its own")
    links = [
        Link(names[ids[at]], port, _named(target, names, at))
        for at, row in enumerate(rows)
        for port, targets in row.get("targets", {}).items()
        for target in targets
    ]
    nodes = tuple(_node(names[ids[at]], row, at) for at, row in enumerate(rows) if at)
    entries = tuple(link.target for link in links if link.source == "n0")
    inner = tuple(link for link in links if link.source != "n0")
    ends = {(link.source, link.port) for link in inner}
    exits = tuple((node.name, "out") for node in nodes if (node.name, "out") not in ends)
    info = rows[0].get("params", {})
    flow = Definition("main", (), {}, nodes, inner, entries, exits)
    return Source(flows=[flow], run=run_of(info, "main", (), "nodes[0]"))


def _named(target: object, names: Mapping[str, str], at: int) -> str:
    if not isinstance(target, str) or target not in names:
        raise BadProgram(
            f"nodes[{at}].targets", target, "[not-an-id] is not the id of a node", "fix it"
        )
    return names[target]


def _node(name: str, row: Mapping[str, Any], at: int) -> Node:
    where = f"nodes[{at}]"
    kind = row["type"]
    if kind not in PRIMITIVES:
        raise BadProgram(f"{where}.type", kind, "is not a primitive", "use move, turn or loop")
    given = _get(row, "params", dict, where)
    unknown = set(given) - set(PRIMITIVES[kind])
    if unknown:
        remedy = "use " + ", ".join(PRIMITIVES[kind])
        raise BadProgram(where, sorted(unknown)[0], f"is not a parameter of {kind}", remedy)
    args = []
    for param, default in PRIMITIVES[kind].items():
        if param not in given and default is None:
            raise BadProgram(
                where, list(given), f"[missing-field] has no {param!r}", f"give it {param!r}"
            )
        args.append(from_json(given.get(param, default), where))
    return Node(name, kind, tuple(args))


# --- writing ----------------------------------------------------------------------------------------


def write(program: Program) -> str:
    """The program as a JSON object, composition and parameters kept."""
    run = program.run
    call = {
        "flow": run.flow,
        "args": [to_json(arg) for arg in run.args],
        "position": list(run.position),
        "theta": run.theta,
    }
    flows = [_row(flow) for flow in program.flows.values()]
    return json.dumps({"flows": flows, "run": call}, indent=1) + "\n"


def _row(flow: Definition) -> dict[str, Any]:
    return {
        "name": flow.name,
        "params": list(flow.params),
        "randoms": {name: to_json(rule) for name, rule in flow.randoms.items()},
        "nodes": [
            {"name": node.name, "type": node.type, "args": [to_json(arg) for arg in node.args]}
            for node in flow.nodes
        ],
        "links": [[link.source, link.port, link.target] for link in flow.links],
        "entries": list(flow.entries),
        "exits": [list(exit_) for exit_ in flow.exits],
    }
