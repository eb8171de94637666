"""The association graph of two programs on a circle, as Appendix C of the g-index paper draws it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import Mode
from gindex_lab.measures.programs.association import association_graph
from gindex_lab.measures.programs.divergence import divergence
from gindex_lab.presentation.plots.common import new_axes

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["plot_association"]

_MOST = 60  # vertices that a drawing can hold


def plot_association(first: object, second: object, mode: Mode = "exact", ax: Any = None) -> Any:
    """Draw the association graph on a circle, with the heaviest clique dark (Fig 5).

    >>> ax = plot_association([{"id": "a", "type": "in"}], [{"id": "x", "type": "in"}])
    >>> ax.get_title() or ax.get_title(loc="left")  # where the style in force puts it
    'S = 1.00 of 1 and 1 nodes: Δ = 0.0000'
    """
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
