"""Why two programs differ: a divergence taken apart into nodes, attributes and wires.

One row per fact, so that the table can be read, filtered and counted: which nodes correspond and how well,
which attributes of them differ, which nodes have no partner, which wires only one of the programs has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from gindex_lab.measures.programs.encode import Rules, freeze
from gindex_lab.measures.programs.flows import Flow

if TYPE_CHECKING:
    from gindex_lab.measures.programs.divergence import Divergence

__all__ = ["explain", "node_similarity"]

_ABSENT = "(absent)"
_COLUMNS = ["what", "type", "first", "second", "attribute", "in_first", "in_second", "similarity"]


def explain(result: Divergence) -> pd.DataFrame:
    """A divergence as a table, one row per matched node, differing attribute, lone node, lone wire.

    Reference: g-index paper, Eq 5.

    >>> from gindex_lab.measures.programs.divergence import divergence
    >>> a = [{"id": "a", "type": "in", "topic": 1, "qos": 0, "wires": [["b"]]}, {"id": "b", "type": "out"}]
    >>> b = [{"id": "x", "type": "in", "topic": 2, "qos": 0}]
    >>> explain(divergence(a, b))[["what", "type", "first", "second", "attribute"]].fillna("")
                         what type first second attribute
    0            matched node   in     a      x
    1     differing attribute   in     a      x     topic
    2  node only in the first  out     b
    3  wire only in the first          a      b
    """
    rows = [*_matched(result), *_lone_nodes(result), *_lone_wires(result)]
    return pd.DataFrame(rows, columns=_COLUMNS)


def node_similarity(
    first: dict[str, Any], second: dict[str, Any], rules: Rules
) -> tuple[float, list[str]]:
    """w = p_match / p of two nodes of one type (Section 2.4.2; Eq 2 is Δ = 1 - w²), and what differs.

    >>> node_similarity({"p": 1}, {"p": 1, "q": 2, "r": 3}, Rules.of("reference"))
    (1.0, [])
    >>> node_similarity({"p": 1}, {"p": 1, "q": 2, "r": None}, Rules.of("exact"))[1]
    ['q', 'r']
    """
    strict = rules.symmetric
    keys = list(first) + [key for key in second if strict and key not in first]
    absent: Any = (_ABSENT,) if strict else None
    different = [
        key
        for key in keys
        if freeze(first.get(key, absent), strict) != freeze(second.get(key, absent), strict)
    ]
    return (1.0 if not keys else 1 - len(different) / len(keys)), different


def _matched(result: Divergence) -> Iterator[dict[str, Any]]:
    one, two = result.first, result.second
    at_one, at_two = _places(one), _places(two)
    for left, right in result.mapping.items():
        mine, theirs = one.attributes[at_one[left]], two.attributes[at_two[right]]
        similarity, different = node_similarity(mine, theirs, result.rules)
        node = {"type": one.types[at_one[left]], "first": left, "second": right}
        yield {"what": "matched node", **node, "similarity": similarity}
        for key in different:
            values = {"in_first": mine.get(key, _ABSENT), "in_second": theirs.get(key, _ABSENT)}
            yield {"what": "differing attribute", **node, "attribute": key, **values}


def _lone_nodes(result: Divergence) -> Iterator[dict[str, Any]]:
    partners = set(result.mapping.values())
    for name, kind in zip(result.first.ids, result.first.types, strict=True):
        if name not in result.mapping:
            yield {"what": "node only in the first", "type": kind, "first": name}
    for name, kind in zip(result.second.ids, result.second.types, strict=True):
        if name not in partners:
            yield {"what": "node only in the second", "type": kind, "second": name}


def _lone_wires(result: Divergence) -> Iterator[dict[str, Any]]:
    """Wires of one program without a counterpart; `first` and `second` are then their two ends."""
    image = result.mapping
    origin = {right: left for left, right in image.items()}
    ends = [
        {(flow.ids[i], flow.ids[j]) for i, j in flow.wires}
        for flow in (result.first, result.second)
    ]
    for mine, theirs, partner, which in (
        (ends[0], ends[1], image, "first"),
        (ends[1], ends[0], origin, "second"),
    ):
        for source, target in sorted(mine):
            if (partner.get(source), partner.get(target)) not in theirs:
                yield {"what": f"wire only in the {which}", "first": source, "second": target}


def _places(flow: Flow) -> dict[str, int]:
    return {name: k for k, name in enumerate(flow.ids)}
