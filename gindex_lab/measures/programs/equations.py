"""Equations 1 to 4 and 13 to 16 of the g-index paper on a pair of programs, and their association graph.

Section 2.4 and Appendix C state what Δ must satisfy. `equations` computes both sides of each statement for a
small pair, the largest common subgraph by trying every mapping, so that a reader can see them hold (or not,
in `mode="reference"`). In the association graph a vertex (p, q) says that node p of the first program may
correspond to node q of the second; an edge joins two such statements that can be true together (Eq 3). The
heaviest clique is the best correspondence. `divergence` finds it with bit sets and bounds; here it is a
networkx graph, to look at and not to compute with, which `plot_association` draws.
"""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import Mode
from gindex_lab.measures.programs.divergence import divergence
from gindex_lab.measures.programs.encode import Rules
from gindex_lab.measures.programs.explain import node_similarity
from gindex_lab.measures.programs.flows import Flow, FlowLike

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["association_graph", "equations", "heaviest_mapping"]

MOST_VERTICES = 2_000  # of an association graph that can be built: its edges grow with the square


def association_graph(first: FlowLike, second: FlowLike, mode: Mode = "exact") -> nx.Graph:
    """Vertices (p, q) with their similarity w > 0 (Eq 11), joined where the wires agree (Eq 12).

    In exact mode both directions must agree, in reference mode either will do; different nodes have
    different partners in both.

    >>> a = [{"id": "a", "type": "in", "wires": [["b"]]}, {"id": "b", "type": "out"}]
    >>> b = [{"id": "x", "type": "in"}, {"id": "y", "type": "out"}]
    >>> exact, reference = (association_graph(a, b, mode) for mode in ("exact", "reference"))
    >>> sorted(exact), exact.number_of_edges(), reference.number_of_edges()
    ([('a', 'x'), ('b', 'y')], 0, 1)
    """
    import networkx as nx

    one, two, rules = Flow.of(first), Flow.of(second), Rules.of(mode)
    wires = [{(f.ids[i], f.ids[j]) for i, j in f.wires} for f in (one, two)]
    graph = nx.Graph()
    for p, kind, mine in zip(one.ids, one.types, one.attributes, strict=True):
        for q, other, theirs in zip(two.ids, two.types, two.attributes, strict=True):
            weight = node_similarity(mine, theirs, rules)[0] if kind == other else 0.0
            if weight > 0:
                graph.add_node((p, q), weight=weight, type=kind)
        if len(graph) > MOST_VERTICES:
            problem = f"[too-large] have more than {MOST_VERTICES:,} pairs of one type"
            remedy = "use gl.divergence"
            raise BadInput("first, second", (len(one), len(two)), problem, remedy)
    for (p, q), (r, s) in combinations(list(graph), 2):
        forth = ((p, r) in wires[0]) == ((q, s) in wires[1])
        back = ((r, p) in wires[0]) == ((s, q) in wires[1])
        agree = forth and back if rules.both_ways else forth or back
        if p != r and q != s and agree:
            graph.add_edge((p, q), (r, s))
    return graph


_MOST = 8  # nodes of a program whose mappings are all tried


def preserves_wires(first: Flow, second: Flow, mapping: dict[str, str]) -> bool:
    """Eq 3: (u, v) is a wire of the first program iff (φ(u), φ(v)) is one of the second, for all mapped u, v.

    >>> chain = Flow([{"id": "a", "type": "t", "wires": [["b"]]}, {"id": "b", "type": "t"}])
    >>> [preserves_wires(chain, chain, {"a": to, "b": "ba".replace(to, "")}) for to in "ab"]
    [True, False]
    """
    wires = [{(f.ids[i], f.ids[j]) for i, j in f.wires} for f in (first, second)]
    return all(
        ((u, v) in wires[0]) == ((mapping[u], mapping[v]) in wires[1])
        for u in mapping
        for v in mapping
        if u != v
    )


def heaviest_mapping(first: Flow, second: Flow) -> float:
    """Eq 4: the weight Σ w of the best structure-preserving mapping, found by trying all of them.

    >>> pair = Flow([{"id": "a", "type": "t", "wires": [["b"]]}, {"id": "b", "type": "t"}])
    >>> heaviest_mapping(pair, pair)
    2.0
    """
    if max(len(first), len(second)) > _MOST:
        remedy = f"use up to {_MOST} nodes"
        raise BadInput(
            "first, second", (len(first), len(second)), "[too-large] are too large", remedy
        )
    best = 0.0
    for size in range(1, min(len(first), len(second)) + 1):
        for some in combinations(range(len(first)), size):
            for others in permutations(range(len(second)), size):
                weights = [
                    _similarity(first, second, i, j) for i, j in zip(some, others, strict=True)
                ]
                if min(weights) > 0 and sum(weights) > best:
                    mapping = {
                        first.ids[i]: second.ids[j] for i, j in zip(some, others, strict=True)
                    }
                    if preserves_wires(first, second, mapping):
                        best = sum(weights)
    return best


def _similarity(first: Flow, second: Flow, i: int, j: int) -> float:
    if first.types[i] != second.types[j]:
        return 0.0
    return float(node_similarity(first.attributes[i], second.attributes[j], Rules.of("exact"))[0])


def equations(first: FlowLike, second: FlowLike, mode: Mode = "exact") -> pd.DataFrame:
    """Both sides of Eqs 1-4 and 13-16 for a pair of small programs, one row each, and whether they agree.

    >>> a = [{"id": "a", "type": "in", "wires": [["b"]]}, {"id": "b", "type": "out"}]
    >>> b = [{"id": "x", "type": "in"}, {"id": "y", "type": "out"}]
    >>> equations(a, b)["holds"].all(), equations(a, b, mode="reference")["holds"].all()
    (np.True_, np.False_)

    References: g-index paper, Eqs 1-5 (section 2.4) and 13-16 (Appendix C).
    """
    one, two = Flow.of(first), Flow.of(second)
    found, back = divergence(one, two, mode=mode), divergence(two, one, mode=mode)
    weight = heaviest_mapping(one, two)
    size = len(one) * len(two)
    lone_one, lone_two = (Flow([dict(flow.nodes[0]) | {"wires": []}]) for flow in (one, two))
    w = _similarity(lone_one, lone_two, 0, 0)
    same = len(one) == len(two) and weight == len(one)
    rows = [
        ("1", "Δ is symmetric", float(found), float(back)),
        (
            "2",
            "one node each: Δ = 1 - w²",
            float(divergence(lone_one, lone_two, mode=mode)),
            1 - w**2,
        ),
        ("3", "the mapping preserves wires", preserves_wires(one, two, found.mapping), True),
        ("4", "no mapping is heavier", _weight(one, two, found.mapping), weight),
        ("13", "Δ = 1 - (Σ w)² / (|V'| |V''|)", float(found), 1 - weight**2 / size),
        ("14", "0 ≤ Δ ≤ 1", 0 <= float(found) <= 1, True),
        ("15", "Δ = 1 iff nothing is shared", float(found) == 1, weight == 0),
        ("16", "Δ = 0 iff the programs are the same", float(found) == 0, same),
    ]
    table = pd.DataFrame(rows, columns=["equation", "says", "left", "right"]).set_index("equation")
    near = [
        abs(float(a) - float(b)) < 1e-12 for a, b in zip(table["left"], table["right"], strict=True)
    ]
    return table.assign(holds=near)


def _weight(first: Flow, second: Flow, mapping: dict[str, str]) -> float:
    at = [{name: k for k, name in enumerate(flow.ids)} for flow in (first, second)]
    return sum(_similarity(first, second, at[0][u], at[1][v]) for u, v in mapping.items())
