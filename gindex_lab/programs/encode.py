"""Flows as integers: what the compiled kernel compares.

Each type becomes a number, each attribute of a type a column, each value a number, so that two nodes are
compared by walking two short rows of integers. Similarities w = matches / attributes become whole
numbers too: w · `unit`, with `unit` a common multiple of every number of attributes, so that sums are
exact and do not depend on their order.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gindex_lab.errors import BadInput
from gindex_lab.programs.flows import Flow
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
    kind = type(value)
    if kind is str or kind is int or value is None:
        return value
    if kind is bool:
        return ("bool", value) if strict else value
    if isinstance(value, (list, tuple)):
        return ("list", *[part if type(part) is str else freeze(part, strict) for part in value])
    if isinstance(value, dict):
        return frozenset(
            [(k, v if type(v) is str else freeze(v, strict)) for k, v in value.items()]
        )
    return ("nan",) if value != value else value


def encode(flows: Sequence[Flow], rules: Rules) -> tuple[Table, int, bool]:
    """The table of many flows, its unit of similarity, and whether w(v', v'') = w(v'', v') throughout."""
    interned = _Interned(rules)
    order = [interned.add(flow) for flow in flows]
    widths = np.array([len(c) for c in interned.columns], dtype=np.int32)
    kind = np.array(interned.kinds, dtype=np.int32)
    width = widths[kind] if len(kind) else np.zeros(0, dtype=np.int32)
    sizes = np.array([len(ranks) for ranks in order], dtype=np.int64)
    uniform = len(interned.values) == int(width.sum())
    values = _values(interned, widths.tolist())
    unit, largest = _unit(interned, widths, uniform, int(sizes.max(initial=0)))
    divisors = np.arange(1, largest + 1)
    table = Table(
        first=_ends(sizes),
        kind=kind,
        row=_ends(width),
        width=width,
        values=values,
        corner=_ends(sizes**2),
        label=_labels(flows, order, rules),
        share=np.concatenate([[unit], unit // divisors]),
        rest=np.concatenate([[0], unit % divisors]),
        place=np.array([k for ranks in order for k in ranks], dtype=np.int32),
    )
    return table, unit, rules.symmetric or uniform


def _ends(sizes: npt.NDArray[Any]) -> IntArray:
    ends = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=ends[1:])
    return ends


def _numbers(*known: Any) -> defaultdict[Any, int]:
    """A number for each key, given at first sight; those known beforehand come first."""
    return defaultdict(count(len(known)).__next__, {key: k for k, key in enumerate(known)})


class _Interned:
    """Numbers for types, for the attributes of each type, and for values, shared by many flows.

    Node by node, those of a flow sorted by type: `kinds`, how many `counts` of the `values` are its own, and
    their `layouts`, the columns they belong to, or None where these are simply the first ones.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.columns: list[dict[str, int]] = []
        self.kinds: list[int] = []
        self.counts: list[int] = []
        self.layouts: list[list[int] | None] = []
        self.values: list[int] = []
        self._kinds = _numbers()
        self._numbers = _numbers(None)
        self._known: dict[tuple[Any, tuple[str, ...]], tuple[int, list[int] | None]] = {}
        # the types whose values can be looked up as they are: True and 1 are the same key
        self._plain = {str, int, type(None)} | ({bool} if not rules.symmetric else set())

    def add(self, flow: Flow) -> list[int]:
        """Take the nodes of a flow in; returns their places, sorted by type."""
        attributes, known = self._attributes(flow), self._known
        found = []
        for kind, own in zip(flow.types, attributes, strict=True):
            # a node without a type is one of a kind
            signature = object() if kind is None else kind, tuple(own)
            if signature not in known:
                known[signature] = self._layout(*signature)
            found.append(known[signature])
        kinds = [kind for kind, _ in found]
        order = sorted(range(len(found)), key=kinds.__getitem__)
        numbers, plain, strict = self._numbers, self._plain, self.rules.symmetric
        for k in order:
            self.kinds.append(kinds[k])
            self.counts.append(len(attributes[k]))
            self.layouts.append(found[k][1])
            self.values += [
                numbers[v if type(v) in plain else freeze(v, strict)]
                for v in attributes[k].values()
            ]
        return order

    def _attributes(self, flow: Flow) -> Sequence[dict[str, Any]]:
        """The attributes of each node, with the ids of nodes replaced by their content on request."""
        if not self.rules.resolve_references:
            return flow.attributes
        content = _content_by_id(flow)
        return [
            {key: content.get(v, v) if type(v) is str else v for key, v in attributes.items()}
            for attributes in flow.attributes
        ]

    def _layout(self, kind: Any, keys: tuple[str, ...]) -> tuple[int, list[int] | None]:
        """The number of a type, and the columns of these attributes of it."""
        number = self._kinds[kind]
        if number == len(self.columns):
            self.columns.append({key: column for column, key in enumerate(keys)})
            return number, None
        known = self.columns[number]
        columns = [known.setdefault(key, len(known)) for key in keys]
        return number, None if columns == list(range(len(keys))) else columns


def _content_by_id(flow: Flow) -> dict[str, Any]:
    return {
        name: ["node", kind, attributes]
        for name, kind, attributes in zip(flow.ids, flow.types, flow.attributes, strict=True)
    }


def _values(interned: _Interned, widths: list[int]) -> npt.NDArray[np.int32]:
    """One row of value numbers per node, with a hole for each attribute that it lacks."""
    result, start = interned.values, 0
    simple = all(layout is None for layout in interned.layouts)
    if not simple or len(result) < sum(widths[kind] for kind in interned.kinds):
        result = []
        for kind, size, layout in zip(
            interned.kinds, interned.counts, interned.layouts, strict=True
        ):
            row = [_MISSING] * widths[kind]
            for k in range(size):
                row[k if layout is None else layout[k]] = interned.values[start + k]
            result += row
            start += size
    return np.frombuffer(array("i", result), dtype=np.int32)


def _unit(
    interned: _Interned, widths: npt.NDArray[np.int32], uniform: bool, most_nodes: int
) -> tuple[int, int]:
    """A multiple of every number of attributes that can divide a similarity, and the largest of these.

    Where the least common multiple would overflow sums of 64-bit integers, a power of two serves: each
    similarity is then rounded down by less than 2⁻⁶¹ · nodes, far below the resolution of a double.
    """
    largest = int(widths.max(initial=0))
    if uniform:
        counts: Iterable[int] = set(widths.tolist())
    elif interned.rules.symmetric:
        fewest: dict[int, int] = {}
        for kind, size in zip(interned.kinds, interned.counts, strict=True):
            fewest[kind] = min(fewest.get(kind, size), size)
        counts = {p for kind, few in fewest.items() for p in range(few, widths[kind] + 1)}
    else:
        counts = set(interned.counts)
    cap = 2**61 // (most_nodes + 1)
    unit = 1
    for divisor in counts:
        unit = lcm(unit, divisor or 1)
        if unit > cap:
            return 1 << (cap.bit_length() - 1), largest
    return unit, largest


def _labels(flows: Sequence[Flow], order: list[list[int]], rules: Rules) -> npt.NDArray[np.uint8]:
    """The wires of each flow as a square of labels: 1 for a wire, or one label per set of ports."""
    seen = _numbers(frozenset())
    places: list[int] = []
    labels: list[int] = []
    corner = 0
    for flow, ranks in zip(flows, order, strict=True):
        size = len(ranks)
        rank = sorted(range(size), key=ranks.__getitem__)
        places += [corner + rank[i] * size + rank[j] for i, j in flow.wires]
        if rules.ports:
            labels += [seen[ports] for ports in flow.ports.values()]
        corner += size**2
    if len(seen) > 256:
        raise BadInput("ports", len(seen), "sets of ports are too many", "use ports=False")
    result = np.zeros(corner, dtype=np.uint8)
    result[np.array(places, dtype=np.int64)] = labels if rules.ports else 1
    return result


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
