"""Flows as integers: what the compiled kernel compares.

Each type becomes a number, each attribute of a type a column, each value a number, so that two nodes are
compared by walking two short rows of integers. Similarities w = matches / attributes become whole
numbers too: w · `unit`, with `unit` a common multiple of every number of attributes, so that sums are
exact and do not depend on their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gindex_lab.errors import BadInput
from gindex_lab.flows import Flow
from gindex_lab.validate import Mode, mode_of

__all__ = ["Rules", "Table", "encode", "freeze", "shades"]

IntArray = npt.NDArray[np.int64]

_MISSING, _NULL = -1, 0


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


class Table(NamedTuple):
    """Many flows in one set of arrays; the nodes of each flow are sorted by type.

    Flow f has the nodes first[f] ... first[f+1]-1; node k (of all) has the type kind[k] and the values
    values[row[k]] ... values[row[k]+width[k]-1]; label[corner[f] + i·n + j] is 0 where no wire leads
    from i to j. `share[p]` and `rest[p]` are unit // p and unit % p.
    """

    first: IntArray
    kind: npt.NDArray[np.int32]
    row: IntArray
    width: npt.NDArray[np.int32]
    values: npt.NDArray[np.int32]
    corner: IntArray
    label: npt.NDArray[np.uint8]
    share: IntArray
    rest: IntArray
    place: npt.NDArray[np.int32]  # where each node stood in its flow before the sort by type


def freeze(value: Any, strict: bool) -> Any:
    """A JSON value as something to look up: equal exactly when the mode calls the values equal.

    >>> freeze([1, True], strict=True) == freeze([1.0, 1], strict=True)
    False
    >>> freeze([1, True], strict=False) == freeze([1.0, 1], strict=False)
    True
    """
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, bool):
        return ("bool", value) if strict else value
    if isinstance(value, (list, tuple)):
        return ("list", *(freeze(part, strict) for part in value))
    if isinstance(value, dict):
        return frozenset((key, freeze(part, strict)) for key, part in value.items())
    return ("nan",) if value != value else value


def encode(flows: Sequence[Flow], rules: Rules) -> tuple[Table, int, bool]:
    """The table of many flows, its unit of similarity, and whether w(v', v'') = w(v'', v') throughout."""
    kinds: dict[Any, int] = {}
    columns: list[dict[str, int]] = []
    rows = [_rows(flow, rules, kinds, columns) for flow in flows]
    order = [np.argsort([kind for kind, _ in nodes], kind="stable") for nodes in rows]
    sizes = np.array([len(nodes) for nodes in rows], dtype=np.int64)
    flat = [nodes[k] for nodes, ranks in zip(rows, order, strict=True) for k in ranks.tolist()]
    kind = np.array([k for k, _ in flat], dtype=np.int32)
    widths = np.array([len(c) for c in columns], dtype=np.int32)
    width = widths[kind] if len(kind) else np.zeros(0, dtype=np.int32)
    row = np.concatenate([[0], np.cumsum(width, dtype=np.int64)])
    values, uniform = _values(flat, row, width)
    unit, largest = _unit(flat, widths, uniform, rules, int(sizes.max(initial=0)))
    counts = np.arange(1, largest + 1)
    table = Table(
        first=np.concatenate([[0], np.cumsum(sizes)]),
        kind=kind,
        row=row,
        width=width,
        values=values,
        corner=np.concatenate([[0], np.cumsum(sizes**2)]),
        label=_labels(flows, order, rules),
        share=np.concatenate([[unit], unit // counts]),
        rest=np.concatenate([[0], unit % counts]),
        place=np.concatenate([*order, np.zeros(0)]).astype(np.int32),
    )
    return table, unit, rules.symmetric or uniform


def _rows(
    flow: Flow, rules: Rules, kinds: dict[Any, int], columns: list[dict[str, int]]
) -> list[tuple[int, dict[int, Any]]]:
    """For each node its type and its frozen values by column; a node without a type is one of a kind."""
    strict, result = rules.symmetric, []
    content = _content_by_id(flow, strict) if rules.resolve_references else {}
    for kind, attributes in zip(flow.types, flow.attributes, strict=True):
        number = kinds.setdefault(object() if kind is None else kind, len(kinds))
        if number == len(columns):
            columns.append({})
        known = columns[number]
        row = {}
        for key, value in attributes.items():
            value = content.get(value, value) if content and isinstance(value, str) else value
            column = known.setdefault(key, len(known))
            row[column] = value if type(value) is str else freeze(value, strict)
        result.append((number, row))
    return result


def _content_by_id(flow: Flow, strict: bool) -> dict[str, Any]:
    return {
        name: ["node", kind, attributes]
        for name, kind, attributes in zip(flow.ids, flow.types, flow.attributes, strict=True)
    }


def _values(
    flat: list[tuple[int, dict[int, Any]]], row: IntArray, width: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int32], bool]:
    """One row of value numbers per node, and whether all nodes of a type have the same attributes."""
    numbers: dict[Any, int] = {None: _NULL}
    places: list[int] = []
    found: list[int] = []
    for start, (_, values) in zip(row.tolist(), flat, strict=False):
        for column, value in values.items():
            places.append(start + column)
            found.append(numbers.setdefault(value, len(numbers)))
    result = np.full(int(row[-1]), _MISSING, dtype=np.int32)
    result[np.array(places, dtype=np.int64)] = np.array(found, dtype=np.int32)
    return result, len(found) == len(result)


def _unit(
    flat: list[tuple[int, dict[int, Any]]],
    widths: npt.NDArray[np.int32],
    uniform: bool,
    rules: Rules,
    most_nodes: int,
) -> tuple[int, int]:
    """A multiple of every number of attributes that can divide a similarity, and the largest of these.

    Where the least common multiple would overflow sums of 64-bit integers, a power of two serves: each
    similarity is then rounded down by less than 2⁻⁶¹ · nodes, far below the resolution of a double.
    """
    largest = int(widths.max(initial=0))
    if uniform:
        counts: Iterable[int] = set(widths.tolist())
    elif rules.symmetric:
        fewest: dict[int, int] = {}
        for kind, values in flat:
            fewest[kind] = min(fewest.get(kind, len(values)), len(values))
        counts = {p for kind, few in fewest.items() for p in range(few, widths[kind] + 1)}
    else:
        counts = {len(values) for _, values in flat}
    cap = 2**61 // (most_nodes + 1)
    unit = 1
    for count in counts:
        unit = lcm(unit, count or 1)
        if unit > cap:
            return 1 << (cap.bit_length() - 1), largest
    return unit, largest


def _labels(flows: Sequence[Flow], order: list[IntArray], rules: Rules) -> npt.NDArray[np.uint8]:
    """The wires of each flow as a square of labels: 1 for a wire, or one label per set of ports."""
    seen: dict[frozenset[int], int] = {}
    squares = [np.zeros(0, dtype=np.uint8)]
    for flow, ranks in zip(flows, order, strict=True):
        square = np.zeros((len(flow), len(flow)), dtype=np.uint8)
        if flow.wires:
            rank = np.empty(len(flow), dtype=np.int64)
            rank[ranks] = np.arange(len(flow))
            ends = rank[np.array(flow.wires)]
            label = [seen.setdefault(p, len(seen) + 1) for p in flow.ports.values()]
            if rules.ports and len(seen) > 255:
                raise BadInput("ports", len(seen), "sets of ports are too many", "use ports=False")
            square[ends[:, 0], ends[:, 1]] = label if rules.ports else 1
        squares.append(square.ravel())
    return np.concatenate(squares)


def shades(t: Table, flow: int, rounds: int = 4) -> IntArray:
    """A number per node for its content and that of the nodes up to `rounds` wires away.

    Nodes that correspond in a renamed copy have the same shade (Weisfeiler and Leman's refinement).
    """
    start, end = int(t.first[flow]), int(t.first[flow + 1])
    size = end - start
    square = t.label[t.corner[flow] : t.corner[flow + 1]].reshape(size, size)
    ends = [(int(i), int(j), int(square[i, j])) for i, j in np.argwhere(square)]
    shade = [
        hash((int(t.kind[k]), t.values[t.row[k] : t.row[k + 1]].tobytes()))
        for k in range(start, end)
    ]
    for _ in range(rounds):
        around: list[list[tuple[int, int]]] = [[] for _ in range(size)]
        for i, j, label in ends:
            around[i].append((label, shade[j]))
            around[j].append((-label, shade[i]))
        shade = [hash((own, *sorted(near))) for own, near in zip(shade, around, strict=True)]
    return np.array(shade, dtype=np.int64)
