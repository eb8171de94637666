"""Flows: programs as directed graphs of typed nodes.

A Node-RED program is a JSON array of nodes, each with an `id`, a `type`, attributes and `wires` to other
nodes. `Flow` reads it, checks it, and keeps what the divergence Δ compares: the type and attributes of
each node and who is wired to whom. A text that is not JSON, such as a program cut short by a language
model, gives a clear error, or on request (`Flow.salvage`) the reduced program that can be saved.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from gindex_lab.foundation.errors import BadProgram
from gindex_lab.foundation.likes import ProgramLike
from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.upstairs import upstairs
from gindex_lab.measures.programs.flow_checks import (
    Node,
    checked_nodes,
    complete_nodes,
    node_array,
    ports_of,
    text_of,
)

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

__all__ = ["LARGEST_FLOW", "NOT_COMPARED", "Flow", "FlowLike"]

# the authors' code leaves these attributes out of the comparison; the paper names no such list
NOT_COMPARED = frozenset(
    ["id", "x", "y", "z", "wires", "type", "endpointUrl", "name", "group", "tab", "label"]
)
LARGEST_FLOW = 5_000  # nodes: a judgement, above the largest flows that people publish


class Flow:
    """A program: nodes with a type and attributes, joined by wires.

    `nodes` is a list of node dicts, a JSON text of one, or a dict that holds one under `"flow"`. Wires to
    absent nodes and from a node to itself are set aside (`dangling`, `loops`), parallel wires count once.
    With `strict=False` the last of several nodes with one id wins (with a warning), and a node without a
    type is kept but resembles no other, as in the authors' code. (g-index paper, section 2.4.)

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
