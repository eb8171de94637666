"""The association graph of two programs, as Appendix C draws it: to look at, not to compute with.

A vertex (p, q) says that node p of the first program may correspond to node q of the second; an edge
joins two such statements that can be true together (Eq 3 for a pair of nodes). The heaviest clique is the
best correspondence. `divergence` finds it with bit sets and bounds; here it is a networkx graph for small
pairs, which `plot_association` draws.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import Mode
from gindex_lab.measures.programs.encode import Rules
from gindex_lab.measures.programs.explain import node_similarity
from gindex_lab.measures.programs.flows import Flow, FlowLike

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["association_graph"]

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
            problem, remedy = (
                f"have more than {MOST_VERTICES:,} pairs of one type",
                "use gl.divergence",
            )
            raise BadInput("first, second", (len(one), len(two)), problem, remedy, code="too-large")
    for (p, q), (r, s) in combinations(list(graph), 2):
        forth = ((p, r) in wires[0]) == ((q, s) in wires[1])
        back = ((r, p) in wires[0]) == ((s, q) in wires[1])
        agree = forth and back if rules.both_ways else forth or back
        if p != r and q != s and agree:
            graph.add_edge((p, q), (r, s))
    return graph
