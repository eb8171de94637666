"""Flows: programs as directed graphs of typed nodes.

A Node-RED program is a JSON array of nodes, each with an `id`, a `type`, attributes and `wires` to other
nodes. `Flow` reads it, checks it, and keeps what the divergence Δ compares: the type and attributes of
each node and who is wired to whom. A text that is not JSON, such as a program cut short by a language
model, gives a clear error, or on request (`Flow.salvage`) what the paper scores, the "reduced or incomplete
DAG" that remains (Section 2.4.4): every complete object with an id and a type, wherever it stands.
Nothing here trusts its input: texts may be broken, nested without end, or megabytes long.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from gindex_lab.foundation.errors import BadInput, BadProgram, Caution
from gindex_lab.foundation.inputs import read_text
from gindex_lab.foundation.likes import ProgramLike
from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.upstairs import upstairs
from gindex_lab.foundation.validate import deeper_than

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

__all__ = ["LARGEST_FLOW", "NOT_COMPARED", "Flow", "FlowLike"]

# the authors' code leaves these attributes out of the comparison; the paper names no such list
NOT_COMPARED = frozenset(
    ["id", "x", "y", "z", "wires", "type", "endpointUrl", "name", "group", "tab", "label"]
)
LARGEST_FLOW = 5_000  # nodes: a judgement, above the largest flows that people publish
_DEEPEST = 60  # levels of nesting in one attribute (a judgement: Python's own stack allows about 900)
_TEXT = frozenset([str])
_PLAIN = frozenset([str, bool, int, float, type(None)])
_DECODER = json.JSONDecoder()
_START_OF_OBJECT = re.compile(r'\{\s*"')
# judgements, so that megabytes of broken text end in seconds (tests of hostile texts)
_EFFORT = 5  # characters that may be looked at, per character of the text
_ATTEMPT = 500  # what an attempt that fails costs, in characters
_WINDOW = 20_000  # characters that a first attempt is given

Node = Mapping[str, Any]


class Flow:
    """A program: nodes with a type and attributes, joined by wires.

    Parameters
    ----------
    nodes : a list of node dicts, a JSON text of one, or a dict that holds one under `"flow"`. Wires to absent
        nodes and from a node to itself are set aside (`dangling`, `loops`), parallel wires count once.
    name, prompt : of the program, for tables
    strict : False: the last of several nodes with one id wins (with a warning), and a node without a type is
        kept but resembles no other, as in the authors' code
    drop_types : types of nodes to leave out
    largest : nodes, more than which are refused

    References
    ----------
    g-index paper, section 2.4.

    Examples
    --------
    >>> flow = Flow([{"id": "a", "type": "inject", "wires": [["b"]]},
    ...              {"id": "b", "type": "debug", "complete": True, "wires": []}])
    >>> flow
    Flow(2 nodes, 1 wire, 2 types)
    >>> flow.wires, flow.attributes[1], flow.is_dag
    (((0, 1),), {'complete': True}, True)
    """

    name: str
    prompt: str

    def __init__(
        self,
        nodes: ProgramLike,
        *,
        name: str = "",
        prompt: str = "",
        strict: bool = True,
        drop_types: Iterable[str] = (),
        largest: int = LARGEST_FLOW,
    ) -> None:
        if isinstance(nodes, Flow):
            name, prompt, nodes = name or nodes.name, prompt or nodes.prompt, nodes.nodes
        array, found_name, found_prompt = node_array(nodes)
        self.name, self.prompt = name or found_name, prompt or found_prompt
        if len(array) > largest:
            problem = f"[too-many] are more than {largest}"
            raise BadProgram("nodes", len(array), problem, "split the flow or raise largest=")
        kept = checked_nodes(array, strict, frozenset(drop_types))
        self.nodes: tuple[Node, ...] = tuple(kept.values())
        self.ids: tuple[str, ...] = tuple(kept)
        self.types: tuple[str | None, ...] = tuple(node.get("type") for node in self.nodes)
        self.attributes: tuple[dict[str, Any], ...] = tuple(
            {key: value for key, value in node.items() if key not in NOT_COMPARED} for node in self.nodes
        )
        self.lost: tuple[str, ...] = ()
        self._connect()

    def _connect(self) -> None:
        """Sort the wires into those that join two nodes, loops, and those that lead nowhere."""
        place = {name: k for k, name in enumerate(self.ids)}
        ports: dict[tuple[int, int], set[int]] = {}
        dangling, loops = [], []
        for source, node in enumerate(self.nodes):
            for port, targets in enumerate(ports_of(self.ids[source], node.get("wires"))):
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
        if not isinstance(path, (str, PathLike)):
            raise BadProgram(
                "path", path, "[not-a-path] is not a path", "name a JSON file, or use Flow(nodes)"
            )
        return cls(text_of(path), **{"name": Path(path).stem, **options})

    @classmethod
    def salvage(cls, text: str | PathLike[str], **options: Any) -> Self:
        """What can be saved of a broken text (Section 2.4.4's "syntax errors": a reduced DAG).

        Every complete object with an `id` and a `type` becomes a node; `lost` says what was dropped.

        >>> cut = '[{"id": "a", "type": "inject", "wires": [["b"]]}, {"id": "b", "type": "deb'
        >>> flow = Flow.salvage(cut)
        >>> flow, flow.dangling
        (Flow(1 node, 0 wires, 1 type), (('a', 'b'),))
        """
        if not isinstance(text, str):
            text = text_of(text)
        nodes, lost = complete_nodes(text, options.get("largest", LARGEST_FLOW), Flow)
        flow = cls(nodes, **options)
        flow.lost = tuple(lost)
        return flow

    @classmethod
    def of(cls, source: ProgramLike, **options: Any) -> Flow:
        """A flow as it is, or anything that `Flow` or `Flow.read` takes: a text that names a file is read."""
        if isinstance(source, Flow):
            return source
        if isinstance(source, PathLike) or (isinstance(source, str) and _names_a_file(source)):
            return cls.read(source, **options)
        return cls(source)

    @cached_property
    def is_dag(self) -> bool:
        """Whether the wires form no cycle (a wire to itself is one)."""
        import networkx as nx

        return not self.loops and nx.is_directed_acyclic_graph(nx.DiGraph(list(self.wires)))

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
        return upstairs("plot_flow")(self, ax, **options)

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        counts = [(len(self), "node"), (len(self.wires), "wire"), (len(set(self.types)), "type")]
        return f"Flow({name}{', '.join(f'{n} {word}' + 's' * (n != 1) for n, word in counts)})"


if TYPE_CHECKING:  # what stands for a program; checked when it is read
    FlowLike: TypeAlias = Flow | Sequence[Mapping[str, Any]] | Mapping[str, Any] | str | PathLike[str]
else:
    FlowLike = object


def _names_a_file(text: str) -> bool:
    """Whether a text is a path rather than a program; no JSON of a program starts otherwise."""
    return len(text) < 1_000 and text.lstrip()[:1] not in ("[", "{", "") and Path(text).is_file()


# -- what makes an array of nodes a program --------------------------------------------------------------


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
        if deeper_than(value, _DEEPEST):
            problem = f"[too-deep] is over {_DEEPEST} levels deep"
            raise BadProgram(f"{at}[{key!r}]", type(value), problem, "flatten it")


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
