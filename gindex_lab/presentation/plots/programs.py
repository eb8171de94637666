"""Figures of programs: flows and what matches in two of them (Fig 5), heat map (Fig 6), size (Figs 10, 11),
learning, and the association graph of Appendix C."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray, Mode, vector
from gindex_lab.measures.programs.divergence import divergence
from gindex_lab.measures.programs.equations import association_graph
from gindex_lab.measures.programs.flows import Flow, FlowLike
from gindex_lab.presentation.plots.common import (
    VALUE_NAMES,
    colours_of,
    columns_of,
    new_axes,
    note,
    styled,
)

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from gindex_lab.measures.programs.divergence import Divergence

__all__ = [
    "layers",
    "plot_association",
    "plot_divergence",
    "plot_divergence_matrix",
    "plot_flow",
    "plot_learning_curves",
    "plot_program_size",
    "positions",
]


@styled
def plot_divergence_matrix(
    values: FloatArray, labels: Sequence[str], *, title: str = "", ax: Any = None
) -> Any:
    """Δ between programs as a heat map, dark for near, with lines between the domains (Fig 6).

    `values` is programs x programs, `labels` the domain of each, programs of a domain side by side.

    >>> plot_divergence_matrix(np.zeros((2, 2)), ["http", "http"]).get_yticklabels()[0].get_text()
    'http'
    """
    import seaborn as sns

    values = np.asarray(values, dtype=float)
    if values.shape != (len(labels), len(labels)) or not len(labels):
        problem = (
            f"[not-square] is not a matrix with a row and a column for each of {len(labels)} labels"
        )
        raise BadInput("values", values.shape, problem, "pass pairwise(flows) and their domains")
    ax = new_axes(ax, figsize=(7, 6))
    bar = {"label": "divergence Δ", "fraction": 0.046, "pad": 0.03}
    sns.heatmap(
        values, cmap="viridis", vmin=0, vmax=1, square=True, cbar_kws=bar, ax=ax, rasterized=True
    )
    starts = [i for i, name in enumerate(labels) if i == 0 or name != labels[i - 1]]
    ends = [*starts[1:], len(labels)]
    middles = [(a + b) / 2 for a, b in zip(starts, ends, strict=True)]
    names = [labels[i] for i in starts]
    ax.set_xticks(middles, names, rotation=45, ha="right", rotation_mode="anchor", fontsize=8)
    ax.set_yticks(middles, names, rotation=0, fontsize=8)
    for at in starts[1:]:
        ax.axhline(at, color="white", lw=0.6)
        ax.axvline(at, color="white", lw=0.6)
    ax.tick_params(length=0)
    ax.set_title(title)
    return ax


@styled
def plot_program_size(
    table: pd.DataFrame, value: str = "performance", *, title: str = "", ax: Any = None
) -> Any:
    """Performance θ (Fig 10) or skill (Fig 11) of each model on each domain against program size.

    `table` has the columns `model`, `characters` and the one named by `value`, a row per model and
    domain; a line through the means of four equally large groups of sizes guides the eye.

    >>> runs = pd.DataFrame({"model": ["a"] * 4, "characters": [900, 1500, 2500, 4000],
    ...                      "performance": [1.0, 0.9, 0.8, 0.4]})
    >>> plot_program_size(runs).get_ylabel()
    'performance θ'
    """
    import seaborn as sns

    columns_of(table, ["model", "characters", value], "a table of models and domains")
    ax = new_axes(ax, figsize=(7, 4.2))
    colours = colours_of(table["model"].unique())
    how = {"hue": "model", "palette": colours, "ax": ax}
    sns.scatterplot(table, x="characters", y=value, s=26, alpha=0.75, linewidth=0, **how)
    for model, runs in table.groupby("model", sort=False):
        quarter = pd.qcut(runs["characters"], 4, labels=False, duplicates="drop")
        means = runs.groupby(quarter)[["characters", value]].mean()
        ax.plot(means["characters"], means[value], color=colours[model], lw=1.2)
    names = VALUE_NAMES | {"skill": "skill level (share of perfect programs)"}
    ax.set(xlabel="program size (characters)", ylabel=names.get(value, value))
    ax.set(ylim=(-0.04, 1.04), title=title)
    ax.legend(title=None, loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0)
    return ax


@styled
def plot_learning_curves(
    table: pd.DataFrame, value: str = "performance", *, title: str = "", ax: Any = None
) -> Any:
    """A value against training samples, a line per system; bands hold the runs of equal size.

    `table` is of `experiments.learning_curve`, or several of them one below the other.

    >>> runs = pd.DataFrame({"system": ["a", "a"], "training_samples": [16, 64],
    ...                      "performance": [0.5, 0.7]})
    >>> [tick.get_text() for tick in plot_learning_curves(runs).get_xticklabels()]
    ['16', '64']
    """
    import seaborn as sns

    columns_of(table, ["system", "training_samples", value], "a table of learning_curve()")
    sizes = np.unique(vector("table", table["training_samples"]))
    ax = new_axes(ax, figsize=(6, 4))
    colours = colours_of(table["system"].unique())
    how = {"hue": "system", "palette": colours, "errorbar": ("pi", 100)}
    look = {"marker": "o", "ms": 4, "mec": "none", "err_kws": {"alpha": 0.2, "lw": 0}}
    sns.lineplot(table, x="training_samples", y=value, ax=ax, **how, **look)
    ax.set_xscale("log")
    ax.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
    ax.minorticks_off()
    said = VALUE_NAMES.get(value, value.replace("_", " "))
    ax.set(xlabel="training samples", ylabel=said, title=title)
    ax.legend(title=None, loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0)
    return ax


MOST_NODES = 1_000  # of a flow that is drawn
# Of Okabe and Ito and of Tol: any two differ for colour-blind readers, too.
_COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#882255"]
_COLOURS += ["#DDCC77", "#332288"]
_SHAPES = "osD^"  # of the first ten types, the next ten ...


def layers(flow: Flow) -> list[int]:
    """The layer of each node: the length of the longest path of wires that ends there.

    In a cycle the nodes take the layer at which the walk first comes back.

    >>> layers(Flow([{"id": "a", "type": "t", "wires": [["b", "c"]]},
    ...              {"id": "b", "type": "t", "wires": [["c"]]}, {"id": "c", "type": "t"}]))
    [0, 1, 2]
    """
    following: list[list[int]] = [[] for _ in range(len(flow))]
    waiting = [0] * len(flow)
    for source, target in flow.wires:
        following[source].append(target)
        waiting[target] += 1
    layer, left = [0] * len(flow), set(range(len(flow)))
    free = [k for k in range(len(flow)) if not waiting[k]]
    while left:
        node = free.pop() if free else min(left, key=lambda k: (waiting[k], k))
        if node not in left:
            continue
        left.discard(node)
        for target in following[node]:
            if target in left:
                layer[target] = max(layer[target], layer[node] + 1)
                waiting[target] -= 1
                if not waiting[target]:
                    free.append(target)
    return layer


def positions(flow: Flow) -> np.ndarray[Any, np.dtype[np.float64]]:
    """x (layer) and y of each node, nodes x 2; unwired nodes stand in a row of their own below.

    Within a layer the nodes follow the mean height of their predecessors, so that few wires cross.
    """
    layer = np.array(layers(flow), dtype=float)
    wired = {end for wire in flow.wires for end in wire}
    place = np.zeros((len(flow), 2))
    place[:, 0] = layer
    for x in range(int(layer.max(initial=0)) + 1):
        members = [k for k in sorted(wired) if layer[k] == x]
        before = {
            k: np.mean([place[i, 1] for i, j in flow.wires if j == k] or [0.0]) for k in members
        }
        members.sort(key=lambda k: before[k], reverse=True)
        heights = (len(members) - 1) / 2 - np.arange(len(members))
        place[members, 1] = heights
    lone = [k for k in range(len(flow)) if k not in wired]
    bottom = place[sorted(wired), 1].min(initial=1.0) - 1
    across = max(1, int(np.sqrt(len(lone))) if not wired else int(layer.max()) + 1)
    for rank, k in enumerate(lone):
        place[k] = rank % across, bottom - rank // across
    return place


def type_colours(flows: Sequence[Flow]) -> dict[str | None, str]:
    """One colour per type, in order of appearance, the same for all the flows given."""
    types = dict.fromkeys(kind for flow in flows for kind in flow.types)
    return {kind: _COLOURS[k % len(_COLOURS)] for k, kind in enumerate(types)}


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
    import matplotlib.pyplot as plt

    if len(flow) > MOST_NODES or len(flow.wires) > 5 * MOST_NODES:
        problem = "[too-large] are more nodes or wires than can be told apart in a drawing"
        size = f"{len(flow)} nodes, {len(flow.wires)} wires"
        raise BadInput("flow", size, problem, "draw a part of it")
    place = positions(flow)
    if ax is None:
        _, ax = plt.subplots(figsize=_size([flow]), layout="constrained")
    colours = colours or type_colours([flow])
    shapes = {kind: _SHAPES[k // len(_COLOURS) % 4] for k, kind in enumerate(colours)}
    if len(flow):
        ax.set_xlim(-0.6, place[:, 0].max() + 0.6)
        ax.set_ylim(place[:, 1].min() - 0.8, place[:, 1].max() + 0.4)
    for source, target in flow.wires:
        _arrow(ax, place, source, target)
    for k, (name, kind) in enumerate(zip(flow.ids, flow.types, strict=True)):
        hollow, colour = name in faded, colours[kind]
        look: dict[str, Any] = {"s": 180, "marker": shapes[kind], "zorder": 3, "linewidths": 1.5}
        look |= {"facecolors": "white" if hollow else colour, "edgecolors": colour}
        ax.scatter(*place[k], linestyles="--" if hollow else "-", **look)
        text = _wrapped((labels or {}).get(name, str(kind)))
        ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
        note(ax, text, place[k], (0, -11), ha="center", va="top", zorder=2, bbox=ground)
    ax.set_title(flow.name, fontsize=10)
    ax.set_axis_off()
    return ax


def plot_divergence(result: Divergence, figure: Figure | None = None) -> Figure:
    """Two programs one above the other, and between them the mapping φ (the idea of Fig 5).

    Matched nodes carry the same number in both programs; nodes without a partner are hollow.
    """
    import matplotlib.pyplot as plt

    flows = (result.first, result.second)
    if figure is None:
        figure = plt.figure(figsize=_size(flows), layout="constrained")
    axes = figure.subplots(2, 1, height_ratios=[_size([flow])[1] for flow in flows])
    colours = type_colours(flows)
    numbers = {left: k + 1 for k, left in enumerate(result.mapping)}
    images = {result.mapping[left]: k for left, k in numbers.items()}
    for ax, flow, own in zip(axes, flows, (numbers, images), strict=True):
        kinds = dict(zip(flow.ids, flow.types, strict=True))
        labels = {name: f"{own[name]} · {kinds[name]}" for name in flow.ids if name in own}
        lone = frozenset(flow.ids) - frozenset(own)
        plot_flow(flow, ax, colours=colours, labels=labels, faded=lone)
    right = max(ax.get_xlim()[1] for ax in axes)
    for ax in axes:
        ax.set_xlim(-0.6, right)
    value = f"Δ = {result.value:.4f}"
    if not result.exact:
        value = f"Δ in [{result.lower:.4f}, {result.upper:.4f}]"
    figure.suptitle(f"{value}: {len(result.mapping)} nodes matched (same number)", fontsize=11)
    return figure


def _arrow(ax: Axes, place: FloatArray, source: int, target: int) -> None:
    bend = _bend(ax, place, source, target)
    ax.annotate(
        "", tuple(place[target]), tuple(place[source]), zorder=1,
        arrowprops={"arrowstyle": "-|>", "color": "#555555", "shrinkA": 9, "shrinkB": 9,
                    "connectionstyle": f"arc3,rad={bend}", "linewidth": 1},
    )  # fmt: skip


_BENDS = (0.2, -0.2, 0.1, -0.1, 0.3, -0.3, 0.4, -0.4, 0.5, -0.5)
_CLEAR = 0.2  # inches that a wire keeps from a node it does not end at


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


_MOST = 60  # vertices that a drawing can hold


def plot_association(
    first: FlowLike, second: FlowLike, mode: Mode = "exact", ax: Any = None
) -> Any:
    """Draw the association graph on a circle, with the heaviest clique dark (Fig 5).

    >>> ax = plot_association([{"id": "a", "type": "in"}], [{"id": "x", "type": "in"}])
    >>> ax.get_title() or ax.get_title(loc="left")  # where the style in force puts it
    'Σw = 1.00 of 1 and 1 nodes: Δ = 0.0000'
    """
    graph = association_graph(first, second, mode)
    if not 0 < len(graph) <= _MOST:
        remedy = f"compare programs with 1 to {_MOST} pairs of one type"
        raise BadInput("first, second", len(graph), "[too-large] vertices cannot be drawn", remedy)
    ax = new_axes(ax, figsize=(7, 6))
    result = divergence(first, second, mode=mode)
    clique = set(result.mapping.items())
    _draw(ax, graph, clique)
    total = sum(graph.nodes[vertex]["weight"] for vertex in clique)
    sizes = f"{len(result.first)} and {len(result.second)} nodes"
    ax.set_title(f"Σw = {total:.2f} of {sizes}: Δ = {result.value:.4f}")
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
        ax.text(1.13 * x, 1.13 * y, label, ha=side, va=height, fontsize=8)
    ax.set_xlim(-1.7, 1.7)
    ax.set_ylim(-1.35, 1.35)
    ax.set_axis_off()
