"""Equations 1 to 4 and 13 to 16 of the g-index paper on a pair of programs, and their association graph.

Section 2.4 and Appendix C state what Δ must satisfy. `equations` computes both sides of each statement for a
small pair, the heaviest common subgraph by listing all of them, so that a reader can see them hold (or not,
in `mode="reference"`). In the association graph a vertex (p, q) says that node p of the first program may
correspond to node q of the second; an edge joins two such statements that can be true together (Eq 3). The
heaviest clique is the best correspondence. `divergence` finds it with bit sets and bounds; here it is a
networkx graph, to look at and not to compute with, which `plot_association` draws.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.validate import Mode
from gindex_lab.measures.programs.divergence import divergence, divergence_of
from gindex_lab.measures.programs.encode import Rules
from gindex_lab.measures.programs.explain import node_similarity
from gindex_lab.measures.programs.flows import Flow, FlowLike

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["association_graph", "equations", "heaviest_mapping"]

# of an association graph that can be built: its edges grow with the square (a judgement)
MOST_VERTICES = 2_000
_MOST = 8  # nodes of a program whose common subgraphs are all listed: at most 1.4 million (a judgement)


def association_graph(first: FlowLike, second: FlowLike, mode: Mode = "exact") -> nx.Graph:
    """The association graph of two programs: which nodes may correspond, and which of these go together.

    Parameters
    ----------
    first, second : the programs
    mode : "exact" (the wires must agree in both directions) or "reference" (in either)

    Returns
    -------
    networkx.Graph : vertices (p, q) with `weight` w > 0 and `type`; edges between different nodes with
        different partners whose wires agree

    References
    ----------
    g-index paper, Appendix C, Eqs 11 and 12.

    Examples
    --------
    >>> a = [{"id": "a", "type": "in", "wires": [["b"]]}, {"id": "b", "type": "out"}]
    >>> b = [{"id": "x", "type": "in"}, {"id": "y", "type": "out"}]
    >>> exact, reference = (association_graph(a, b, mode) for mode in ("exact", "reference"))
    >>> sorted(exact), exact.number_of_edges(), reference.number_of_edges()
    ([('a', 'x'), ('b', 'y')], 0, 1)
    """
    import networkx as nx

    one, two, rules = Flow.of(first), Flow.of(second), Rules.of(mode)
    wires = [_wires(flow) for flow in (one, two)]
    graph = nx.Graph()
    for p, kind, mine in zip(one.ids, one.types, one.attributes, strict=True):
        for q, other, theirs in zip(two.ids, two.types, two.attributes, strict=True):
            weight = node_similarity(mine, theirs, rules)[0] if kind == other else 0.0
            if weight > 0:
                graph.add_node((p, q), weight=weight, type=kind)
        problem = f"[too-large] have more than {MOST_VERTICES:,} pairs of one type"
        sizes = len(one), len(two)
        ensure(len(graph) <= MOST_VERTICES, "first, second", sizes, problem, "use gl.divergence")
    for (p, q), (r, s) in combinations(list(graph), 2):
        forth = ((p, r) in wires[0]) == ((q, s) in wires[1])
        back = ((r, p) in wires[0]) == ((s, q) in wires[1])
        agree = forth and back if rules.both_ways else forth or back
        if p != r and q != s and agree:
            graph.add_edge((p, q), (r, s))
    return graph


def _wires(flow: Flow) -> set[tuple[str, str]]:
    return {(flow.ids[i], flow.ids[j]) for i, j in flow.wires}


def preserves_wires(first: Flow, second: Flow, mapping: dict[str, str]) -> bool:
    """Eq 3: (u, v) is a wire of the first program iff (φ(u), φ(v)) is one of the second, for mapped u, v."""
    one, two = _wires(first), _wires(second)
    pairs = [(u, v) for u in mapping for v in mapping if u != v]
    return all(((u, v) in one) == ((mapping[u], mapping[v]) in two) for u, v in pairs)


def heaviest_mapping(first: Flow, second: Flow) -> float:
    """Eq 4: the weight Σ w of the best structure-preserving mapping, found by listing all of them."""
    import networkx as nx

    sizes, remedy = (len(first), len(second)), f"use up to {_MOST} nodes"
    ensure(max(sizes) <= _MOST, "first, second", sizes, "[too-large] are too large", remedy)
    graph = association_graph(first, second)
    weights = ([graph.nodes[pair]["weight"] for pair in sorted(clique)] for clique in nx.find_cliques(graph))
    return float(max(map(sum, weights), default=0.0))


def equations(first: FlowLike, second: FlowLike, mode: Mode = "exact") -> pd.DataFrame:
    """Both sides of Eqs 1-4 and 13-16 for a pair of small programs, one row each, and whether they agree.

    >>> a = [{"id": "a", "type": "in", "wires": [["b"]]}, {"id": "b", "type": "out"}]
    >>> b = [{"id": "x", "type": "in"}, {"id": "y", "type": "out"}]
    >>> equations(a, b)["holds"].all(), equations(a, b, mode="reference")["holds"].all()
    (np.True_, np.False_)
    """
    one, two = Flow.of(first), Flow.of(second)
    found, back = divergence(one, two, mode=mode), divergence(two, one, mode=mode)
    weight = heaviest_mapping(one, two)
    graph = association_graph(one, two)
    mapped = sum(graph.nodes[pair]["weight"] for pair in found.mapping.items() if pair in graph)
    lone = [Flow([dict(flow.nodes[0]) | {"wires": []}]) for flow in (one, two)]
    same = len(one) == len(two) and weight == len(one)
    rows = [
        ("1", "Δ is symmetric", float(found), float(back)),
        (
            "2",
            "one node each: Δ = 1 - w²",
            float(divergence(*lone, mode=mode)),
            1 - heaviest_mapping(*lone) ** 2,
        ),
        ("3", "the mapping preserves wires", preserves_wires(one, two, found.mapping), True),
        ("4", "no mapping is heavier", float(mapped), weight),
        ("13", "Δ = 1 - (Σ w)² / (|V'| |V''|)", float(found), divergence_of(weight, len(one), len(two))),
        ("14", "0 ≤ Δ ≤ 1", 0 <= float(found) <= 1, True),
        ("15", "Δ = 1 iff nothing is shared", float(found) == 1, weight == 0),
        ("16", "Δ = 0 iff the programs are the same", float(found) == 0, same),
    ]
    table = pd.DataFrame(rows, columns=["equation", "says", "left", "right"]).set_index("equation")
    near = [abs(float(a) - float(b)) < 1e-12 for a, b in zip(table["left"], table["right"], strict=True)]
    return table.assign(holds=near)
