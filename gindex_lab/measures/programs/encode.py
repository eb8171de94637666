"""Flows as integers: the table of programs that the compiled kernels compare.

Each type becomes a number, each attribute of a type a column, each value a number, so that two nodes are
compared by walking two short rows of integers. Similarities w = matches / attributes become whole
numbers too: w · `unit`, with `unit` a common multiple of every number of attributes, so that sums are
exact and do not depend on their order.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.validate import Mode, mode_of
from gindex_lab.measures.programs.flows import Flow

__all__ = ["FlowNodes", "ProgramTable", "Rules", "encode", "freeze", "shades", "starts"]

IntArray = npt.NDArray[np.int64]

_MISSING = -1
_UNORDERED = 32  # ordering the vertices of a smaller graph takes longer than it saves (benchmark gindex)
_ROUNDS = 4  # of refining shades; a judgement: few nodes of a flow look alike four wires around
# by strictness, the types whose values are looked up as they are: to a dictionary True and 1 are the same
_PLAIN = {True: {str, int, type(None)}, False: {str, int, type(None), bool}}


@dataclass(frozen=True)
class Rules:
    """How nodes and wires are compared; the two modes are two settings of these switches.

    `symmetric`: similarity over the attributes of both nodes (else over those of the first only, where a
    missing attribute equals null and True equals 1). `both_ways`: a pair of matched nodes must agree in
    both directions (Eq 12 for all ordered pairs; else in one). `ports`: wires must leave by the same port.
    `resolve_references`: an attribute that holds the id of a node is compared by that node's content.

    >>> Rules.of("reference")
    Rules(symmetric=False, both_ways=False, ports=False, resolve_references=False)
    """

    symmetric: bool = True
    both_ways: bool = True
    ports: bool = False
    resolve_references: bool = False

    @classmethod
    def of(cls, mode: Mode | Rules) -> Rules:
        """The rules of a mode, or the rules themselves."""
        if isinstance(mode, Rules):
            return mode
        exact = mode_of(mode) == "exact"
        return cls(symmetric=exact, both_ways=exact)


class FlowNodes(NamedTuple):
    """What the nodes of many flows hold: node k has the values values[row[k]] ... values[row[k]+width[k]-1].

    `share[p]` and `rest[p]` are unit // p and unit % p; `symmetric` is that of `Rules`.
    """

    row: IntArray
    width: npt.NDArray[np.int32]
    values: npt.NDArray[np.int32]
    share: IntArray
    rest: IntArray
    symmetric: bool


class ProgramTable(NamedTuple):
    """Many programs, flows or drawings, in one set of arrays; the nodes of each are sorted by type.

    Program f has the nodes first[f] ... first[f+1]-1; node k (of all) has the type kind[k], and `content`
    says what it holds. relation[corner[f] + i·n + j] relates two nodes of one program (0 where no wire
    leads from i to j); relations no more than `tolerance` apart agree. A similarity of 1 is `unit`.
    """

    first: IntArray
    kind: npt.NDArray[np.int32]
    corner: IntArray
    relation: npt.NDArray[Any]
    place: npt.NDArray[np.int32]  # where each node stood in its program before the sort by type
    content: Any
    unit: int
    tolerance: float
    both_ways: bool
    both_empty: float  # Δ of two empty programs
    unordered: int  # vertices of an association graph so small that they need no order
    partners: int  # of each node, the best so many are considered after a greedy attempt; 0: all, exactly


def freeze(value: Any, strict: bool) -> Any:
    """A JSON value as something to look up: equal exactly when the mode calls the values equal.

    >>> freeze([1, True], strict=True) == freeze([1.0, 1], strict=True)
    False
    >>> freeze([1, True], strict=False) == freeze([1.0, 1], strict=False)
    True
    """
    kind, plain = type(value), _PLAIN[strict]
    if kind in plain:
        return value
    if kind is bool:
        return ("bool", value)
    if kind is dict or isinstance(value, dict):
        if plain.issuperset(map(type, value.values())):
            return frozenset(value.items())
        return frozenset([(key, freeze(part, strict)) for key, part in value.items()])
    if kind is list or isinstance(value, (list, tuple)):
        return ("list", *[freeze(part, strict) for part in value])
    return ("nan",) if value != value else value


def encode(flows: Sequence[Flow], rules: Rules) -> tuple[ProgramTable, bool]:
    """The table of many flows, and whether w(v', v'') = w(v'', v') throughout."""
    types = [kind for flow in flows for kind in flow.types]
    attributes = [own for flow in flows for own in _attributes(flow, rules)]
    counts = np.array([len(own) for own in attributes], dtype=np.int64)
    sizes = np.array([len(flow.types) for flow in flows], dtype=np.int64)
    kinds, columns, widths = _columns(types, attributes)
    first, corner = starts(sizes), starts(sizes**2)
    start = np.repeat(first[:-1], sizes)
    order = np.lexsort((kinds, start))  # flow by flow, and in a flow by type
    rank = np.argsort(order)
    kind = kinds[order]
    width = widths[kind]
    row = starts(width)
    values = np.full(row[-1], _MISSING, dtype=np.int32)
    values[np.repeat(row[rank], counts) + columns] = _value_numbers(attributes, rules.symmetric)
    uniform = len(columns) == len(values)
    if uniform or not rules.symmetric:
        divisors = set((widths if uniform else counts).tolist())
    else:  # as many attributes as either node has, or both together
        fewest = widths.copy()
        np.minimum.at(fewest, kinds, counts.astype(np.int32))
        divisors = {
            p for few, most in zip(fewest, widths, strict=True) for p in range(int(few), int(most) + 1)
        }
    unit = _unit(divisors, int(sizes.max(initial=0)))
    parts = np.maximum(np.arange(widths.max(initial=0) + 1), 1)
    content = FlowNodes(row, width, values, unit // parts, unit % parts, rules.symmetric)
    relation = _labels(flows, rank - start, first, corner, rules.ports)
    place = (order - start).astype(np.int32)
    how = unit, 0.0, rules.both_ways, 1.0, _UNORDERED, 0
    table = ProgramTable(first, kind, corner, relation, place, content, *how)
    return table, rules.symmetric or uniform


def starts(sizes: npt.NDArray[Any]) -> IntArray:
    """Where each of many rows starts when they lie one after another, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def _numbers(*known: Any) -> defaultdict[Any, int]:
    """A number for each key, given at first sight; those known beforehand come first."""
    return defaultdict(count(len(known)).__next__, {key: k for k, key in enumerate(known)})


def _attributes(flow: Flow, rules: Rules) -> Sequence[dict[str, Any]]:
    """The attributes of each node, with the ids of nodes replaced by their content on request."""
    if not rules.resolve_references:
        return flow.attributes
    nodes = zip(flow.ids, flow.types, flow.attributes, strict=True)
    content = {name: ["node", kind, attributes] for name, kind, attributes in nodes}
    return [
        {key: content.get(v, v) if type(v) is str else v for key, v in attributes.items()}
        for attributes in flow.attributes
    ]


def _columns(
    types: list[str | None], attributes: list[dict[str, Any]]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The number of each node's type, the columns of all attributes in a row, and how many a type has.

    Nodes of one type mostly list the same attributes in the same order, so a layout is worked out once
    and then looked up; columns are kept as the bytes of 32-bit integers, quick to join.
    """
    layouts: dict[tuple[Any, ...], tuple[int, bytes]] = {}
    number: defaultdict[Any, int] = _numbers()
    known: defaultdict[int, dict[str, int]] = defaultdict(dict)
    found = []
    for kind, own in zip(types, attributes, strict=True):
        signature = (object() if kind is None else kind, *own)  # a node without a type is one of a kind
        if signature not in layouts:
            at = number[signature[0]]
            columns = array("i", [known[at].setdefault(key, len(known[at])) for key in own])
            layouts[signature] = at, columns.tobytes()
        found.append(layouts[signature])
    kinds = np.array([kind for kind, _ in found], dtype=np.int32)
    joined = np.frombuffer(b"".join([columns for _, columns in found]), dtype=np.int32)
    return kinds, joined, np.array([len(known[at]) for at in range(len(number))], dtype=np.int32)


def _value_numbers(attributes: list[dict[str, Any]], strict: bool) -> npt.NDArray[np.int32]:
    """A number for each value of all attributes in a row, equal exactly when the values are; null is 0."""
    plain = _PLAIN[strict]
    values = [value for own in attributes for value in own.values()]
    frozen = [value if type(value) in plain else freeze(value, strict) for value in values]
    return np.fromiter(map(_numbers(None).__getitem__, frozen), np.int32, len(frozen))


def _unit(divisors: set[int], most_nodes: int) -> int:
    """A multiple of every number of attributes that can divide a similarity.

    Where the least common multiple would overflow sums of 64-bit integers, a power of two serves: each
    similarity is then rounded down by less than 2⁻⁶¹ · nodes, far below the resolution of a double.
    """
    cap = 2**61 // (most_nodes + 1)
    unit = 1
    for divisor in divisors:
        unit = lcm(unit, divisor or 1)
        if unit > cap:
            return 1 << (cap.bit_length() - 1)
    return unit


def _labels(
    flows: Sequence[Flow], rank: IntArray, first: IntArray, corner: IntArray, ports: bool
) -> npt.NDArray[np.uint8]:
    """The wires of each flow as a square of labels: 1 for a wire, or one label per set of ports."""
    counts = [len(flow.wires) for flow in flows]
    ends = [end for flow in flows for wire in flow.wires for end in wire]
    source, target = rank[np.array(ends, dtype=np.int64).reshape(-1, 2).T + np.repeat(first[:-1], counts)]
    seen = _numbers(frozenset())
    labels = [seen[some] for flow in flows for some in flow.ports.values()] if ports else 1
    problem = "different sets of ports are more than the 256 supported"
    ensure(len(seen) <= 256, "ports", len(seen), problem, "use ports=False")
    result = np.zeros(corner[-1], dtype=np.uint8)
    result[np.repeat(corner[:-1], counts) + source * np.repeat(np.diff(first), counts) + target] = labels
    return result


def shades(t: ProgramTable, flow: int) -> IntArray:
    """A number per node for its content and that of the nodes up to four wires away.

    Nodes that correspond in a renamed copy have the same shade (Weisfeiler and Leman's refinement).
    """
    start, end = int(t.first[flow]), int(t.first[flow + 1])
    row, values = t.content.row, t.content.values
    square = t.relation[t.corner[flow] : t.corner[flow + 1]].reshape(end - start, end - start)
    wires = [(int(i), int(j), int(square[i, j])) for i, j in np.argwhere(square)]
    shade = [hash((int(t.kind[k]), values[row[k] : row[k + 1]].tobytes())) for k in range(start, end)]
    for _ in range(_ROUNDS):
        around: list[list[tuple[int, int]]] = [[] for _ in shade]
        for i, j, label in wires:
            around[i].append((label, shade[j]))
            around[j].append((-label, shade[i]))
        shade = [hash((own, *sorted(near))) for own, near in zip(shade, around, strict=True)]
    return np.array(shade, dtype=np.int64)
