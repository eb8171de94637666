"""Flows: programs as directed graphs of typed nodes.

A Node-RED program is a JSON array of nodes, each with an `id`, a `type`, attributes and `wires` to other
nodes. `Flow` reads it, checks it, and keeps what the divergence Δ compares: the type and attributes of
each node and who is wired to whom. A text that is not JSON, such as a program cut short by a language
model, gives a clear error, or on request (`Flow.salvage`) the reduced program that can be saved.
"""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from gindex_lab.errors import BadProgram
from gindex_lab.files import write_text

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

__all__ = ["LARGEST_FLOW", "NOT_COMPARED", "Flow"]

Node = Mapping[str, Any]

NOT_COMPARED = frozenset(
    ["id", "x", "y", "z", "wires", "type", "endpointUrl", "name", "group", "tab", "label"]
)  # the authors' code leaves these attributes out of the comparison; the paper names no such list
LARGEST_FLOW = 5_000
_DEEPEST = 60  # levels of nesting in one attribute
_TEXT = frozenset([str])
_PLAIN = frozenset([str, bool, int, float, type(None)])


class Flow:
    """A program: nodes with a type and attributes, joined by wires.

    `nodes` is a list of node dicts, a JSON text of one, or a dict that holds one under `"flow"`. Wires to
    absent nodes and from a node to itself are set aside (`dangling`, `loops`), parallel wires count once.
    With `strict=False` the last of several nodes with one id wins (with a warning), and a node without a
    type is kept but resembles no other, as in the authors' code.

    >>> flow = Flow([{"id": "a", "type": "inject", "wires": [["b"]]},
    ...              {"id": "b", "type": "debug", "complete": True, "wires": []}])
    >>> flow
    Flow(2 nodes, 1 wire, 2 types)
    >>> flow.wires, flow.attributes[1], flow.is_dag
    (((0, 1),), {'complete': True}, True)
    """

    def __init__(
        self,
        nodes: object,
        *,
        name: str = "",
        prompt: str = "",
        strict: bool = True,
        drop_types: Iterable[str] = (),
        largest: int = LARGEST_FLOW,
    ) -> None:
        array, found_name, found_prompt = _unwrap(nodes)
        self.name, self.prompt = name or found_name, prompt or found_prompt
        if len(array) > largest:
            raise BadProgram(
                "nodes", len(array), f"are more than {largest}", "split the flow or raise largest="
            )
        kept = _checked(array, strict, frozenset(drop_types))
        self.nodes: tuple[Node, ...] = tuple(kept.values())
        self.ids: tuple[str, ...] = tuple(kept)
        self.types: tuple[str | None, ...] = tuple(node.get("type") for node in self.nodes)
        self.attributes: tuple[dict[str, Any], ...] = tuple(
            {key: value for key, value in node.items() if key not in NOT_COMPARED}
            for node in self.nodes
        )
        self._connect()
        self.lost: tuple[str, ...] = ()

    def _connect(self) -> None:
        """Sort the wires into those that join two nodes, loops, and those that lead nowhere."""
        place = {name: k for k, name in enumerate(self.ids)}
        ports: dict[tuple[int, int], set[int]] = {}
        dangling, loops = [], []
        for source, node in enumerate(self.nodes):
            for port, targets in enumerate(_ports(self.ids[source], node.get("wires"))):
                for target in targets:
                    if target not in place:
                        dangling.append((self.ids[source], target))
                    elif place[target] == source:
                        loops.append(target)
                    else:
                        ports.setdefault((source, place[target]), set()).add(port)
        self.ports = {wire: frozenset(numbers) for wire, numbers in ports.items()}
        self.wires: tuple[tuple[int, int], ...] = tuple(ports)
        self.dangling: tuple[tuple[str, str], ...] = tuple(dangling)
        self.loops: tuple[str, ...] = tuple(loops)

    @classmethod
    def read(cls, path: str | PathLike[str], **options: Any) -> Self:
        """From a JSON file: an array of nodes, or an object with the array under `"flow"`."""
        options.setdefault("name", Path(path).stem)
        return cls(_text(path), **options)

    @classmethod
    def salvage(cls, text: str | PathLike[str], **options: Any) -> Self:
        """What can be saved of a broken text (Section 2.4.4's "syntax errors": a reduced DAG).

        Every complete object with an `id` and a `type` becomes a node; what was dropped is told in `lost`.

        >>> cut = '[{"id": "a", "type": "inject", "wires": [["b"]]}, {"id": "b", "type": "deb'
        >>> flow = Flow.salvage(cut)
        >>> flow, flow.dangling
        (Flow(1 node, 0 wires, 1 type), (('a', 'b'),))
        """
        from gindex_lab.programs.salvage import complete_nodes

        if not isinstance(text, str):
            text = _text(text)
        nodes, lost = complete_nodes(text, options.get("largest", LARGEST_FLOW))
        flow = cls(nodes, **options)
        flow.lost = tuple(lost)
        return flow

    @classmethod
    def of(cls, source: object, **options: Any) -> Flow:
        """A flow as it is, or anything that `Flow` or `Flow.read` takes."""
        if isinstance(source, Flow):
            return source
        return cls.read(source, **options) if isinstance(source, PathLike) else cls(source)

    @cached_property
    def is_dag(self) -> bool:
        """Whether the wires form no cycle (Kahn's algorithm; a wire to itself is a cycle)."""
        waiting = Counter(target for _, target in self.wires)
        free = [k for k in range(len(self)) if not waiting[k]]
        following: dict[int, list[int]] = {}
        for source, target in self.wires:
            following.setdefault(source, []).append(target)
        for node in free:
            for target in following.get(node, ()):
                waiting[target] -= 1
                if not waiting[target]:
                    free.append(target)
        return len(free) == len(self) and not self.loops

    def to_json(self, path: str | PathLike[str] | None = None, indent: int | None = None) -> str:
        """The nodes as Node-RED JSON; written whole or not at all where a path is given.

        >>> Flow('[{"id": "a", "type": "tab"}]').to_json()
        '[{"id": "a", "type": "tab"}]'
        """
        text = json.dumps([dict(node) for node in self.nodes], indent=indent, ensure_ascii=False)
        if path is not None:
            write_text(Path(path), text + "\n")
        return text

    def to_networkx(self) -> nx.DiGraph:
        """A networkx DiGraph over the ids, with `type` and `attributes` of each node."""
        import networkx as nx

        graph = nx.DiGraph(name=self.name)
        for name, kind, attributes in zip(self.ids, self.types, self.attributes, strict=True):
            graph.add_node(name, type=kind, attributes=attributes)
        graph.add_edges_from((self.ids[source], self.ids[target]) for source, target in self.wires)
        return graph

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the flow in layers from left to right, coloured by type (see `plot_flow`)."""
        from gindex_lab.plots.flows import plot_flow

        return plot_flow(self, ax, **options)

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        counts = [
            (len(self), "node"),
            (len(self.wires), "wire"),
            (len(set(self.types)), "type"),
        ]
        told = ", ".join(f"{n} {word}" + "s" * (n != 1) for n, word in counts)
        return f"Flow({name}{told})"


def _text(path: str | PathLike[str]) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise BadProgram("path", str(path), "does not exist", "check the name") from None
    except IsADirectoryError:
        raise BadProgram("path", str(path), "is a folder", "name one JSON file") from None
    except UnicodeDecodeError:
        raise BadProgram("path", str(path), "is not UTF-8 text", "save it as UTF-8 JSON") from None


def _not_json(constant: str) -> Any:
    raise BadProgram("nodes", constant, "is not JSON", "write null or a finite number")


def _parse(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_not_json)
    except RecursionError:
        raise BadProgram("nodes", text[:40], "is nested too deeply", "flatten it") from None
    except BadProgram:
        raise
    except ValueError as error:
        raise BadProgram(
            "nodes",
            text[:40],
            f"is not JSON ({str(error)[:80]})",
            "mend the text, or take what can be saved with Flow.salvage(text)",
        ) from None


def _unwrap(source: object) -> tuple[list[Any], str, str]:
    """The array of nodes, and the name and prompt that may stand beside it."""
    if isinstance(source, Flow):
        return list(source.nodes), source.name, source.prompt
    if isinstance(source, (str, bytes)):
        source = _parse(source if isinstance(source, str) else source.decode(errors="replace"))
    name = prompt = ""
    if isinstance(source, Mapping):
        if "flow" not in source:
            raise BadProgram(
                "nodes", list(source), "is an object without a flow", 'put the nodes under "flow"'
            )
        name, prompt = str(source.get("name") or ""), str(source.get("text") or "")
        source = source["flow"]
        source = _parse(source) if isinstance(source, str) else source
    if not isinstance(source, (list, tuple)):
        raise BadProgram("nodes", source, "is not an array of nodes", "pass a list of node objects")
    return list(source), name, prompt


def _checked(array: list[Any], strict: bool, drop_types: frozenset[str]) -> dict[str, Node]:
    """The nodes by id, each with a type and with attributes that can be compared."""
    kept: dict[str, Node] = {}
    for k, node in enumerate(array):
        place = f"nodes[{k}]"
        if not isinstance(node, Mapping):
            raise BadProgram(place, node, "is not a node", "a node is an object with id and type")
        name = node.get("id")
        if not isinstance(name, str) or not name:
            raise BadProgram(f"{place}['id']", name, "is not a name", "give each node a string id")
        _check_type(place, node, strict)
        _check_values(place, node)
        if name in kept:
            if strict:
                raise BadProgram(
                    f"{place}['id']", name, "is taken", "rename it, or pass strict=False"
                )
            warnings.warn(f"{place}: id {name!r} is taken, the last node wins", stacklevel=4)
            del kept[name]
        if node.get("type") not in drop_types:
            kept[name] = node
    return kept


def _check_type(place: str, node: Node, strict: bool) -> None:
    kind = node.get("type")
    if isinstance(kind, str) and kind:
        return
    if kind is not None or strict:
        raise BadProgram(f"{place}['type']", kind, "is not a type", "give each node a string type")


def _check_values(place: str, node: Node) -> None:
    """Keys are text, values are JSON; wires are looked at with the ids in hand."""
    if not _TEXT.issuperset(map(type, node)):
        key = next(key for key in node if type(key) is not str)
        raise BadProgram(place, key, "is not a name of an attribute", "use string keys")
    if _PLAIN.issuperset(map(type, node.values())):
        return
    for key, value in node.items():
        if isinstance(value, (str, bool, int, float)) or value is None or key == "wires":
            continue
        if not isinstance(value, (list, tuple, dict)):
            raise BadProgram(
                f"{place}[{key!r}]", value, "is no JSON value", "use text, numbers, lists, objects"
            )
        if _deeper_than(value, _DEEPEST):
            raise BadProgram(
                f"{place}[{key!r}]", type(value), f"is over {_DEEPEST} levels deep", "flatten it"
            )


def _deeper_than(value: object, levels: int) -> bool:
    layer: list[Any] = [value]
    for _ in range(levels):
        layer = [
            part
            for item in layer
            for part in (item.values() if isinstance(item, Mapping) else item)
            if isinstance(part, (list, tuple, dict))
        ]
        if not layer:
            return False
    return True


def _ports(name: str, wires: object) -> list[list[str]]:
    """The targets of each output port; a flat list of ids is one port, null is none."""
    if wires is None:
        return []
    if not isinstance(wires, (list, tuple)):
        raise BadProgram(f"wires of {name!r}", wires, "is not a list", "use a list of lists of ids")
    if all(isinstance(port, str) for port in wires):
        return [list(wires)]
    if not all(isinstance(port, (list, tuple)) for port in wires):
        raise BadProgram(
            f"wires of {name!r}", wires, "mixes ids and lists of ids", "use one list per port"
        )
    for port in wires:
        for target in port:
            if not isinstance(target, str):
                raise BadProgram(f"wires of {name!r}", target, "is not an id", "use string ids")
    return [list(port) for port in wires]
