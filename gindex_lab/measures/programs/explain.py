"""Why two programs differ: a divergence taken apart into nodes, attributes and wires.

One row per fact, so that the table can be read, filtered and counted: which nodes correspond and how well,
which attributes of them differ, which nodes have no partner, which wires only one of the programs has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from gindex_lab.measures.programs.encode import Rules, freeze

if TYPE_CHECKING:
    from gindex_lab.measures.programs.divergence import Divergence

__all__ = ["explain", "node_similarity"]

_ABSENT = "(absent)"
_COLUMNS = ["what", "type", "first", "second", "attribute", "in_first", "in_second", "similarity"]


def explain(result: Divergence) -> pd.DataFrame:
    """A divergence as a table of facts.

    Parameters
    ----------
    result : what `gl.divergence` gave

    Returns
    -------
    DataFrame : one row per matched node, differing attribute, node and wire of one program only; `what`,
        `type`, `first` and `second` (ids; of a wire its two ends), `attribute`, `in_first`, `in_second`,
        `similarity`

    References
    ----------
    g-index paper, Eq 5 and section 2.4.2.

    Examples
    --------
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
    return pd.DataFrame([*_matched(result), *_lone(result)], columns=_COLUMNS)


def node_similarity(first: dict[str, Any], second: dict[str, Any], rules: Rules) -> tuple[float, list[str]]:
    """w = p_match / p of two nodes of one type (Section 2.4.2; Eq 2 is Δ = 1 - w²), and what differs.

    >>> node_similarity({"p": 1}, {"p": 1, "q": 2, "r": 3}, Rules.of("reference"))
    (1.0, [])
    >>> node_similarity({"p": 1}, {"p": 1, "q": 2, "r": None}, Rules.of("exact"))[1]
    ['q', 'r']
    """
    strict = rules.symmetric
    keys = list(first) + [key for key in second if strict and key not in first]
    absent: Any = (_ABSENT,) if strict else None
    one, two = ([freeze(node.get(key, absent), strict) for key in keys] for node in (first, second))
    different = [key for key, mine, theirs in zip(keys, one, two, strict=True) if mine != theirs]
    return (1.0 if not keys else 1 - len(different) / len(keys)), different


def _matched(result: Divergence) -> Iterator[dict[str, Any]]:
    one, two = result.first, result.second
    mine, theirs = (dict(zip(flow.ids, flow.attributes, strict=True)) for flow in (one, two))
    kinds = dict(zip(one.ids, one.types, strict=True))
    for a, b in result.mapping.items():
        similarity, different = node_similarity(mine[a], theirs[b], result.rules)
        node = {"type": kinds[a], "first": a, "second": b}
        yield {"what": "matched node", **node, "similarity": similarity}
        for key in different:
            values = {"in_first": mine[a].get(key, _ABSENT), "in_second": theirs[b].get(key, _ABSENT)}
            yield {"what": "differing attribute", **node, "attribute": key, **values}


def _lone(result: Divergence) -> Iterator[dict[str, Any]]:
    """The nodes, then the wires, that have no counterpart."""
    image = result.mapping
    origin = {b: a for a, b in image.items()}
    sides = ((result.first, image, "first"), (result.second, origin, "second"))
    for flow, partner, which in sides:
        for name, kind in zip(flow.ids, flow.types, strict=True):
            if name not in partner:
                yield {"what": f"node only in the {which}", "type": kind, which: name}
    wires = [{(flow.ids[i], flow.ids[j]) for i, j in flow.wires} for flow, _, _ in sides]
    for mine, theirs, (_, partner, which) in zip(wires, wires[::-1], sides, strict=True):
        for a, b in sorted(mine):
            if (partner.get(a), partner.get(b)) not in theirs:
                yield {"what": f"wire only in the {which}", "first": a, "second": b}
