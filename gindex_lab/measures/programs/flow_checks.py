"""What makes an array of nodes a program: the checks behind `Flow`, each with an error that teaches.

A node is an object with a text `id`, a text `type`, JSON values and `wires`, a list of lists of ids. Nothing
here trusts its input: texts may be broken, nested without end, or megabytes long. A language model may stop
in the middle of a node, or forget a brace or quote. The paper scores such a program by the "reduced or
incomplete DAG" that remains (Section 2.4.4): every complete object with an id and a type, wherever it stands
in the text, found by `complete_nodes` in time proportional to its length.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any

from gindex_lab.foundation.errors import BadInput, BadProgram, Caution
from gindex_lab.foundation.inputs import read_text

__all__ = ["Node", "checked_nodes", "complete_nodes", "node_array", "ports_of", "text_of"]

Node = Mapping[str, Any]

_DEEPEST = 60  # levels of nesting in one attribute (a judgement: Python's own stack allows about 900)
_TEXT = frozenset([str])
_PLAIN = frozenset([str, bool, int, float, type(None)])


def text_of(path: str | PathLike[str]) -> str:
    """The text of a file."""
    try:
        return read_text(path)
    except BadInput as error:
        raise error.told_of(error.argument, error.value, BadProgram) from None


def _not_json(constant: str) -> Any:
    raise BadProgram("nodes", constant, "[not-json] is not JSON", "write null or a finite number")


def _parse(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_not_json)
    except RecursionError:
        raise BadProgram("nodes", text[:40], "[too-deep] is nested too deeply", "flatten it") from None
    except BadProgram:
        raise
    except ValueError as error:
        remedy = "fix the text, or take what can be saved with Flow.salvage(text)"
        raise BadProgram("nodes", text[:40], f"[not-json] is not JSON ({str(error)[:80]})", remedy) from None


def node_array(source: object) -> tuple[list[Any], str, str]:
    """The array of nodes, and the name and prompt that may stand beside it."""
    if isinstance(source, (str, bytes)):
        source = _parse(source if isinstance(source, str) else source.decode(errors="replace"))
    name = prompt = ""
    if isinstance(source, Mapping):
        if "flow" not in source:
            problem = "[no-flow] is an object without a flow"
            raise BadProgram("nodes", list(source), problem, 'put the nodes under "flow"')
        name, prompt = str(source.get("name") or ""), str(source.get("text") or "")
        source = source["flow"]
        source = _parse(source) if isinstance(source, str) else source
    if not isinstance(source, (list, tuple)):
        raise BadProgram(
            "nodes", source, "[not-a-list] is not an array of nodes", "pass a list of node objects"
        )
    return list(source), name, prompt


def checked_nodes(array: list[Any], strict: bool, drop_types: frozenset[str]) -> dict[str, Node]:
    """The nodes by id, each with a type and with attributes that can be compared."""
    kept: dict[str, Node] = {}
    for k, node in enumerate(array):
        at = f"nodes[{k}]"
        if not isinstance(node, Mapping):
            raise BadProgram(at, node, "[not-a-node] is not a node", "a node is an object with id and type")
        name, kind = node.get("id"), node.get("type")
        if not isinstance(name, str) or not name:
            raise BadProgram(f"{at}['id']", name, "[not-a-name] is not a name", "give each node a string id")
        if not (isinstance(kind, str) and kind) and (kind is not None or strict):
            raise BadProgram(
                f"{at}['type']", kind, "[not-a-type] is not a type", "give each node a string type"
            )
        _check_values(at, node)
        if name in kept and strict:
            problem = "[duplicate] is already used"
            raise BadProgram(f"{at}['id']", name, problem, "rename it, or pass strict=False")
        if kept.pop(name, None):
            warnings.warn(
                f"[duplicate] {at}: id {name!r} is taken, the last node wins", Caution, stacklevel=4
            )
        if kind not in drop_types:
            kept[name] = node
    return kept


def _check_values(at: str, node: Node) -> None:
    """Keys are text, values are JSON; wires are looked at with the ids in hand."""
    if not _TEXT.issuperset(map(type, node)):
        key = next(key for key in node if type(key) is not str)
        raise BadProgram(at, key, "[not-a-name] is not a name of an attribute", "use string keys")
    if _PLAIN.issuperset(map(type, node.values())):
        return
    for key, value in node.items():
        if isinstance(value, (str, bool, int, float)) or value is None or key == "wires":
            continue
        if not isinstance(value, (list, tuple, dict)):
            remedy = "use text, numbers, lists, objects"
            raise BadProgram(f"{at}[{key!r}]", value, "[not-a-json-value] is not a JSON value", remedy)
        if _deeper_than(value, _DEEPEST):
            problem = f"[too-deep] is over {_DEEPEST} levels deep"
            raise BadProgram(f"{at}[{key!r}]", type(value), problem, "flatten it")


def _deeper_than(value: object, levels: int) -> bool:
    layer: list[Any] = [value]
    for _ in range(levels):
        parts = [part for x in layer for part in (x.values() if isinstance(x, Mapping) else x)]
        layer = [part for part in parts if isinstance(part, (list, tuple, dict))]
        if not layer:
            return False
    return True


def ports_of(name: str, wires: object) -> list[list[str]]:
    """The targets of each output port; a flat list of ids is one port, null is none."""
    at = f"wires of {name!r}"
    if wires is None:
        return []
    if not isinstance(wires, (list, tuple)):
        raise BadProgram(at, wires, "[not-a-list] is not a list", "use a list of lists of ids")
    if all(isinstance(port, str) for port in wires):
        return [list(wires)]
    if not all(isinstance(port, (list, tuple)) for port in wires):
        raise BadProgram(at, wires, "[mixed-ports] mixes ids and lists of ids", "use one list per port")
    for target in (target for port in wires for target in port):
        if not isinstance(target, str):
            raise BadProgram(at, target, "[not-an-id] is not an id", "use string ids")
    return [list(port) for port in wires]


_DECODER = json.JSONDecoder()
_START_OF_OBJECT = re.compile(r'\{\s*"')
# judgements, so that megabytes of broken text end in seconds (tests of hostile texts)
_EFFORT = 5  # characters that may be looked at, per character of the text
_ATTEMPT = 500  # what an attempt that fails costs, in characters
_WINDOW = 20_000  # characters that a first attempt is given


def complete_nodes(
    text: str, largest: int, check: Callable[[list[Any]], object]
) -> tuple[list[dict[str, Any]], list[str]]:
    """The complete nodes of a text, and a note on each stretch that was lost; `check` refuses a bad node.

    >>> nodes, lost = complete_nodes('[{"id": "a", "type": "t"}, {"id": "b", "type": }]', 100, len)
    >>> [node["id"] for node in nodes], lost
    (['a'], ['Expecting value at character 47'])
    """
    left = _EFFORT * len(text) + 1_000_000
    found: dict[str, dict[str, Any]] = {}
    lost: list[str] = []
    start = _START_OF_OBJECT.search(text)
    while start:
        value, at, cost, problem = _decode(text, start.start())
        left -= cost
        if left < 0:
            lost.append(f"gave up at character {start.start()}: too many broken objects")
            break
        wrapped = value.get("flow")
        for node in wrapped if isinstance(wrapped, list) else [value] if value else []:
            try:
                check([node])
            except BadProgram as error:
                lost.append(error.problem)
            else:
                found[node["id"]] = node
        if problem and len(lost) < largest:
            lost.append(problem)
        if len(found) > largest:
            raise BadProgram("text", len(found), f"holds more than {largest} nodes", "raise largest=")
        start = _START_OF_OBJECT.search(text, at)
    return list(found.values()), lost


def _decode(text: str, start: int) -> tuple[dict[str, Any], int, int, str]:
    """The object that starts here (else an empty one), where to go on, the effort it took, and the problem.

    A failed attempt counts the lines before it in what it was given: so it is given little at first.
    """
    window = text[start : start + _WINDOW]
    try:
        try:
            value, end = _DECODER.raw_decode(window)
        except json.JSONDecodeError as error:
            cut_short = error.pos >= len(window) - 1 or "Unterminated" in error.msg
            if len(window) < _WINDOW or not cut_short:
                raise
            value, end = _DECODER.raw_decode(text[start:])
        return value, start + end, end, ""
    except json.JSONDecodeError as error:
        return {}, start + 1, _ATTEMPT + error.pos, f"{error.msg} at character {start + error.pos}"
    except (RecursionError, ValueError) as error:
        return {}, start + 1, 10 * _ATTEMPT, f"{type(error).__name__} at character {start}"
