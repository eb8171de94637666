"""Figures of programs: flows, what matches in two of them and the association graph of Appendix C (Fig 5),
the divergence of many (Fig 6), what flatland's programs draw (Fig 14), and chains of choices."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray, Mode
from gindex_lab.measures.programs.divergence import Divergence, divergence
from gindex_lab.measures.programs.equations import association_graph
from gindex_lab.measures.programs.flows import Flow, FlowLike
from gindex_lab.presentation.plots import common

__all__ = ["layers", "plot_association", "plot_chains", "plot_divergence", "plot_divergence_matrix"]
__all__ += ["plot_flow", "plot_picture", "plot_pictures", "plot_task", "positions", "type_colours"]

# More than these fill a page: no reader could follow them (judgements).
MOST_NODES = 1_000
_MOST_VERTICES = 60  # on the circle of an association graph
_SHAPES = "osD^"  # of the first eight types, of the next eight ...
_BENDS = (0.2, -0.2, 0.1, -0.1, 0.3, -0.3, 0.4, -0.4, 0.5, -0.5)  # of a wire, in shares of its length
_CLEAR = 0.2  # inches that a wire keeps from a node it does not end at


@common.styled
def plot_divergence_matrix(
    values: FloatArray, labels: Sequence[str], *, title: str = "", ax: Any = None
) -> Any:
    """Draw Δ between programs as a heat map, dark for near, with lines between the domains.

    Parameters
    ----------
    values : Δ, programs x programs (`gl.pairwise`), with the programs of a domain side by side
    labels : the domain of each program
    title, ax : of the figure; axes to draw into, by default new ones

    Returns
    -------
    The matplotlib Axes.

    References
    ----------
    Venkatasubramanian et al. (2021), "Towards a measure of general machine intelligence", Fig 6.

    Examples
    --------
    >>> plot_divergence_matrix(np.zeros((2, 2)), ["http", "http"]).get_yticklabels()[0].get_text()
    'http'
    """
    values = np.asarray(values, dtype=float)
    if values.shape != (len(labels), len(labels)) or not len(labels):
        problem = f"[not-square] is not a matrix with a row and a column for each of {len(labels)} labels"
        raise BadInput("values", values.shape, problem, "pass pairwise(flows) and their domains")
    ax = common.new_axes(ax, figsize=(7, 6))
    bar = {"label": "divergence Δ", "fraction": 0.046, "pad": 0.03}
    sns.heatmap(values, cmap="viridis", vmin=0, vmax=1, square=True, cbar_kws=bar, ax=ax, rasterized=True)
    starts = [i for i, name in enumerate(labels) if i == 0 or name != labels[i - 1]]
    middles = [(a + b) / 2 for a, b in zip(starts, [*starts[1:], len(labels)], strict=True)]
    names = [labels[i] for i in starts]
    ax.set_xticks(middles, names, rotation=45, ha="right", rotation_mode="anchor", fontsize=8)
    ax.set_yticks(middles, names, rotation=0, fontsize=8)
    for at in starts[1:]:
        ax.axhline(at, color="white", lw=0.6)
        ax.axvline(at, color="white", lw=0.6)
    ax.tick_params(length=0)
    ax.set_title(title)
    return ax


# -- flows ---------------------------------------------------------------------------------------------


def layers(flow: Flow) -> list[int]:
    """The layer of each node: the length of the longest path of wires that ends there.

    In a cycle the wire that closes it does not count.

    >>> layers(Flow([{"id": "a", "type": "t", "wires": [["b", "c"]]},
    ...              {"id": "b", "type": "t", "wires": [["c"]]}, {"id": "c", "type": "t"}]))
    [0, 1, 2]
    """
    graph = nx.DiGraph(flow.wires)
    with suppress(nx.NetworkXNoCycle):
        while True:
            graph.remove_edge(*nx.find_cycle(graph)[-1])
    found = [0] * len(flow)
    for layer, nodes in enumerate(nx.topological_generations(graph)):
        for node in nodes:
            found[node] = layer
    return found


def positions(flow: Flow) -> FloatArray:
    """x (layer) and y of each node, nodes x 2; unwired nodes stand in rows of their own below.

    Within a layer the nodes follow the mean height of their predecessors, so that few wires cross.
    """
    layer = np.array(layers(flow), dtype=float)
    wired = sorted({end for wire in flow.wires for end in wire})
    place = np.column_stack([layer, np.zeros(len(flow))])
    for x in range(int(layer.max(initial=0)) + 1):
        members = [k for k in wired if layer[k] == x]
        before = {k: np.mean([place[i, 1] for i, j in flow.wires if j == k] or [0.0]) for k in members}
        members.sort(key=lambda k: before[k], reverse=True)
        place[members, 1] = (len(members) - 1) / 2 - np.arange(len(members))
    lone = np.setdiff1d(np.arange(len(flow)), wired)
    bottom = place[wired, 1].min(initial=1.0) - 1
    across = max(1, int(layer.max()) + 1 if wired else int(np.sqrt(len(lone))))
    rank = np.arange(len(lone))
    place[lone] = np.column_stack([rank % across, bottom - rank // across])
    return place


def type_colours(flows: Sequence[Flow]) -> dict[str | None, str]:
    """One colour per type, in order of appearance, the same for all the flows given."""
    types = dict.fromkeys(kind for flow in flows for kind in flow.types)
    return {kind: common.PALETTE[k % len(common.PALETTE)] for k, kind in enumerate(types)}


@common.styled
def plot_flow(
    flow: Flow,
    ax: Axes | None = None,
    *,
    colours: Mapping[str | None, str] | None = None,
    labels: Mapping[str, str] | None = None,
    faded: frozenset[str] = frozenset(),
) -> Axes:
    """Draw a flow in layers from left to right, coloured and labelled by type.

    `labels` replaces the label of a node by id; the nodes in `faded` are drawn hollow.
    """
    if len(flow) > MOST_NODES or len(flow.wires) > 5 * MOST_NODES:
        problem = "[too-large] are more nodes or wires than can be told apart in a drawing"
        size = f"{len(flow)} nodes, {len(flow.wires)} wires"
        raise BadInput("flow", size, problem, "draw a part of it")
    place = positions(flow)
    ax = common.new_axes(ax, figsize=_size([flow]), layout="constrained")
    colours = colours or type_colours([flow])
    shapes = {kind: _SHAPES[k // len(common.PALETTE) % 4] for k, kind in enumerate(colours)}
    if len(flow):
        ax.set_xlim(-0.6, place[:, 0].max() + 0.6)
        ax.set_ylim(place[:, 1].min() - 0.8, place[:, 1].max() + 0.4)
    for source, target in flow.wires:
        bend = f"arc3,rad={_bend(ax, place, source, target)}"
        arrow = {"arrowstyle": "-|>", "color": "#555555", "connectionstyle": bend, "linewidth": 1}
        ends = tuple(place[target]), tuple(place[source])
        ax.annotate("", *ends, zorder=1, arrowprops=arrow | {"shrinkA": 9, "shrinkB": 9})
    ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    for at, name, kind in zip(place, flow.ids, flow.types, strict=True):
        hollow, colour = name in faded, colours[kind]
        look: dict[str, Any] = {"s": 180, "marker": shapes[kind], "zorder": 3, "linewidths": 1.5}
        look |= {"facecolors": "white" if hollow else colour, "edgecolors": colour}
        ax.scatter(*at, linestyles="--" if hollow else "-", **look)
        text = _wrapped((labels or {}).get(name, str(kind)))
        common.note(ax, text, at, (0, -11), ha="center", va="top", zorder=2, bbox=ground)
    ax.set_title(flow.name, fontsize=10)
    ax.set_axis_off()
    return ax


@common.styled
def plot_divergence(result: Divergence, figure: Figure | None = None) -> Figure:
    """Draw two programs one above the other, and the mapping φ between them (the idea of Fig 5).

    Matched nodes carry the same number in both programs; nodes without a partner are hollow.
    """
    flows = (result.first, result.second)
    if figure is None:
        figure = plt.figure(figsize=_size(flows), layout="constrained")
    axes = figure.subplots(2, 1, height_ratios=[_size([flow])[1] for flow in flows])
    colours = type_colours(flows)
    matched = (list(result.mapping), list(result.mapping.values()))
    for ax, flow, own in zip(axes, flows, matched, strict=True):
        kinds = dict(zip(flow.ids, flow.types, strict=True))
        labels = {name: f"{k} · {kinds[name]}" for k, name in enumerate(own, 1)}
        plot_flow(flow, ax, colours=colours, labels=labels, faded=frozenset(flow.ids) - set(own))
    right = max(ax.get_xlim()[1] for ax in axes)
    for ax in axes:
        ax.set_xlim(-0.6, right)
    value = f"= {result.value:.4f}" if result.exact else f"in [{result.lower:.4f}, {result.upper:.4f}]"
    figure.suptitle(f"Δ {value}: {len(result.mapping)} nodes matched (same number)", fontsize=11)
    return figure


def _bend(ax: Axes, place: FloatArray, source: int, target: int) -> float:
    """How far a wire over several layers is bent: as little as keeps it clear of the nodes and inside."""
    if abs(place[target, 0] - place[source, 0]) <= 1:
        return 0.0
    inches = ax.transData.transform(place) / ax.figure.dpi
    others = np.delete(inches, [source, target], axis=0)
    low, high = ax.transAxes.transform([(0, 0), (0, 1)])[:, 1] / ax.figure.dpi
    start, end = inches[source], inches[target]
    along = end - start
    t = np.linspace(0, 1, 41)[:, None]
    room = []
    for bend in _BENDS:
        over = (start + end) / 2 + bend * np.array([along[1], -along[0]])  # as arc3 puts it
        curve = (1 - t) ** 2 * start + 2 * t * (1 - t) * over + t**2 * end
        away = np.linalg.norm(curve[:, None] - others[None], axis=2).min(initial=np.inf)
        beyond = max(low - curve[:, 1].min(), curve[:, 1].max() - high, 0.0)
        room.append(min(float(away), _CLEAR) - float(beyond))
    return _BENDS[int(np.argmax(room))]


def _size(flows: Sequence[Flow]) -> tuple[float, float]:
    """Inches for flows one above the other: room for every layer and every row of nodes."""
    spread = [np.ptp(positions(flow), axis=0) if len(flow) else np.zeros(2) for flow in flows]
    width = 1.6 + 1.05 * max(across for across, _ in spread)
    return max(3.2, width), sum(1.3 + 0.75 * up for _, up in spread) + 0.3 * (len(flows) - 1)


def _wrapped(text: str, width: int = 13, lines: int = 3) -> str:
    """A label in short lines, broken at its hyphens, so that neighbours keep clear of each other."""
    parts = textwrap.wrap(text, width, break_long_words=True)
    if len(parts) > lines:
        parts = [*parts[: lines - 1], parts[lines - 1][: width - 1] + "…"]
    return "\n".join(parts)


@common.styled
def plot_association(first: FlowLike, second: FlowLike, mode: Mode = "exact", ax: Any = None) -> Any:
    """Draw the association graph of two programs on a circle, with its heaviest clique dark.

    Parameters
    ----------
    first, second : the programs
    mode : of `gl.divergence`
    ax : axes to draw into, by default new ones

    Returns
    -------
    The matplotlib Axes.

    References
    ----------
    Venkatasubramanian et al. (2021), Fig 5 and Appendix C.

    Examples
    --------
    >>> ax = plot_association([{"id": "a", "type": "in"}], [{"id": "x", "type": "in"}])
    >>> ax.get_title(loc="left")
    'Σw = 1.00 of 1 and 1 nodes: Δ = 0.0000'
    """
    graph = association_graph(first, second, mode)
    if not 0 < len(graph) <= _MOST_VERTICES:
        remedy = f"compare programs with 1 to {_MOST_VERTICES} pairs of one type"
        raise BadInput("first, second", len(graph), "[too-large] vertices cannot be drawn", remedy)
    ax = common.new_axes(ax, figsize=(7, 6))
    result = divergence(first, second, mode=mode)
    clique = set(result.mapping.items())
    vertices = sorted(graph, key=lambda vertex: (vertex not in clique, vertex))
    angle = np.pi / 2 - 2 * np.pi * np.arange(len(vertices)) / len(vertices)
    place = dict(zip(vertices, np.column_stack([np.cos(angle), np.sin(angle)]), strict=True))
    weight = dict(graph.nodes(data="weight"))
    nx.draw_networkx_edges(graph, place, edge_color="#BBBBBB", width=0.6, ax=ax)
    nx.draw_networkx_edges(graph.subgraph(clique), place, edge_color=common.INK, width=1.6, ax=ax)
    sizes = [60 + 140 * weight[vertex] for vertex in vertices]
    fills = [common.BLUE if vertex in clique else "white" for vertex in vertices]
    look = {"node_size": sizes, "node_color": fills, "edgecolors": "#555555"}
    nx.draw_networkx_nodes(graph, place, vertices, ax=ax, **look)
    for vertex, (x, y) in place.items():
        side = "left" if x > 0.05 else "right" if x < -0.05 else "center"
        height = "center" if side != "center" else "bottom" if y > 0 else "top"
        label = f"{vertex[0]} ↔ {vertex[1]}\nw = {weight[vertex]:.2f}"
        ax.text(1.13 * x, 1.13 * y, label, ha=side, va=height, fontsize=8)
    ax.set(xlim=(-1.7, 1.7), ylim=(-1.35, 1.35))
    ax.set_axis_off()
    total = sum(weight[vertex] for vertex in clique)
    nodes = f"{len(result.first)} and {len(result.second)} nodes"
    ax.set_title(f"Σw = {total:.2f} of {nodes}: Δ = {result.value:.4f}")
    return ax


# -- drawings ------------------------------------------------------------------------------------------


@common.styled
def plot_picture(image: Any, *, title: str = "", ax: Any = None) -> Any:
    """Draw one picture of 0 and 1, black on white, in a thin frame.

    >>> plot_picture(np.zeros((128, 128)), title="empty").get_title()
    'empty'
    """
    picture = np.asarray(image)
    if picture.ndim != 2:
        raise BadInput("image", picture.shape, "is not a picture", "pass program.image()")
    ax = common.new_axes(ax, figsize=(3, 3))
    ax.imshow(1 - picture, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set(visible=True, color="#8A9099", linewidth=0.8)
    ax.set_title(title, fontsize=9, fontweight="normal", loc="center")
    return ax


@common.styled
def plot_pictures(pictures: Mapping[str, Any], *, columns: int = 4, title: str = "") -> Any:
    """Draw pictures in rows, each under its label.

    >>> len(plot_pictures({"a": np.zeros((128, 128)), "b": np.ones((128, 128))}, columns=2).axes)
    2
    """
    if not pictures:
        raise BadInput("pictures", pictures, "is empty", "pass {label: image}")
    rows = -(-len(pictures) // columns)
    size = (1.75 * columns, 1.98 * rows)
    figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
    for ax, (label, image) in zip(axes.flat, pictures.items(), strict=False):
        plot_picture(image, title=label, ax=ax)
    for ax in list(axes.flat)[len(pictures) :]:
        ax.remove()
    figure.suptitle(title)
    return figure


@common.styled
def plot_task(image: Any, program: str, nodes: str, *, title: str = "") -> Any:
    """Draw a task, its program as text and the beginning of its JSON, side by side (Fig 14).

    >>> len(plot_task(np.zeros((128, 128)), "f(start) -> ...", "[...]").axes)
    3
    """
    shape: dict[str, Any] = {"figsize": (10.6, 4.6), "width_ratios": (1.0, 1.05, 1.0)}
    figure, axes = plt.subplots(1, 3, layout="constrained", **shape)
    plot_picture(image, title="task", ax=axes[0])
    for ax, name, text in zip(axes[1:], ("program", "JSON"), (program, nodes), strict=True):
        ax.set_axis_off()
        ax.set_title(name, fontsize=9, loc="left")
        ax.text(0, 1, _cut(text), va="top", family="monospace", fontsize=7.4, color=common.INK)
    figure.suptitle(title)
    return figure


def _cut(text: str, lines: int = 31, width: int = 56) -> str:
    """As much of a text as a panel holds."""
    found = text.rstrip().splitlines()
    shown = [line if len(line) <= width else line[: width - 1] + "…" for line in found[:lines]]
    return "\n".join(shown + (["…"] if len(found) > lines else []))


@common.styled
def plot_chains(chains: Mapping[str, Sequence[str]], *, title: str = "", ax: Any = None) -> Any:
    """Draw chains of choices as boxes with arrows, each after its name (generality supplement, Fig. S28).

    >>> len(plot_chains({"one": ["a", "b"], "other": ["a", "b", "c"]}).texts)
    10
    """
    if not chains or not all(chains.values()):
        raise BadInput("chains", chains, "has a chain without steps", "give each at least one step")
    ax = common.new_axes(ax, figsize=(9.0, 0.5 + 0.95 * len(chains)))
    box = {"boxstyle": "round,pad=0.5", "fc": "#E8EEF4", "ec": common.BLUE, "lw": 1.0}
    arrow = {"arrowstyle": "-|>", "color": common.BLUE, "shrinkA": 0, "shrinkB": 0}
    for row, (name, steps) in enumerate(chains.items()):
        ax.text(-0.62, -row, name, ha="right", va="center", fontsize=9.5, fontweight="bold")
        for at, step in enumerate(steps):
            ax.text(1.75 * at, -row, step, ha="center", va="center", fontsize=9, bbox=box)
            if at:
                ends = (1.75 * at - 0.62, -row), (1.75 * at - 1.13, -row)
                ax.annotate("", *ends, arrowprops=arrow)
    longest = max(len(steps) for steps in chains.values())
    ax.set(xlim=(-2.9, 1.75 * (longest - 1) + 0.9), ylim=(-len(chains) + 0.4, 0.6), title=title)
    ax.set_axis_off()
    return ax
