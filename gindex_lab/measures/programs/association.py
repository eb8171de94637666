"""The association graph of two programs, as Appendix C draws it: to look at, not to compute with.

A vertex (p, q) says that node p of the first program may correspond to node q of the second; an edge
joins two such statements that can be true together. The heaviest clique is the best correspondence.
`divergence` finds it with bit sets and bounds; here it is a networkx graph and a figure, for small pairs.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import Mode
from gindex_lab.measures.programs.encode import Rules
from gindex_lab.measures.programs.explain import node_similarity
from gindex_lab.measures.programs.flows import Flow

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["association_graph", "plot_association"]

_MOST = 60  # vertices that a drawing can hold
MOST_VERTICES = 2_000  # of an association graph that can be built: its edges grow with the square


def association_graph(first: object, second: object, mode: Mode = "exact") -> nx.Graph:
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


def plot_association(first: object, second: object, mode: Mode = "exact", ax: Any = None) -> Any:
    """Draw the association graph on a circle, with the heaviest clique dark (Fig 5).

    >>> plot_association([{"id": "a", "type": "in"}], [{"id": "x", "type": "in"}]).get_title()
    'S = 1.00 of 1 and 1 nodes: Δ = 0.0000'
    """
    from gindex_lab.measures.programs.divergence import divergence
    from gindex_lab.presentation.plots.common import new_axes

    graph = association_graph(first, second, mode)
    if not 0 < len(graph) <= _MOST:
        remedy = f"compare programs with 1 to {_MOST} pairs of one type"
        raise BadInput("first, second", len(graph), "vertices cannot be drawn", remedy)
    ax = new_axes(ax, figsize=(7, 6))
    result = divergence(first, second, mode=mode)
    clique = set(result.mapping.items())
    _draw(ax, graph, clique)
    total = sum(graph.nodes[vertex]["weight"] for vertex in clique)
    sizes = f"{len(result.first)} and {len(result.second)} nodes"
    ax.set_title(f"S = {total:.2f} of {sizes}: Δ = {result.value:.4f}")
    return ax


def _draw(ax: Any, graph: nx.Graph, clique: set[tuple[str, str]]) -> None:
    vertices = sorted(graph, key=lambda vertex: (vertex not in clique, vertex))
    angle = np.pi / 2 - 2 * np.pi * np.arange(len(vertices)) / len(vertices)
    place = {v: (np.cos(a), np.sin(a)) for v, a in zip(vertices, angle, strict=True)}
    for one, two in graph.edges:
        dark = one in clique and two in clique
        x, y = zip(place[one], place[two], strict=True)
        style = {"color": "#222222", "lw": 1.6} if dark else {"color": "#bbbbbb", "lw": 0.6}
        ax.plot(x, y, **style, zorder=2 if dark else 1)
    for vertex, (x, y) in place.items():
        dark, weight = vertex in clique, graph.nodes[vertex]["weight"]
        colour = "#0072B2" if dark else "#ffffff"
        ax.scatter(x, y, s=60 + 140 * weight, c=colour, edgecolors="#555555", zorder=3)
        side = "left" if x > 0.05 else "right" if x < -0.05 else "center"
        height = "center" if side != "center" else "bottom" if y > 0 else "top"
        label = f"{vertex[0]} ↔ {vertex[1]}\nw = {weight:.2f}"
        ax.text(1.13 * x, 1.13 * y, label, ha=side, va=height, fontsize=7)
    ax.set_xlim(-1.7, 1.7)
    ax.set_ylim(-1.35, 1.35)
    ax.set_axis_off()
