"""Pictures of programs: one flow in layers, and two flows side by side, joined by their mapping.

The wires run from left to right; each node stands in the layer of its longest path from a source, and the
colour tells its type.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.measures.programs.flows import Flow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from gindex_lab.measures.programs.divergence import Divergence

__all__ = ["layers", "plot_divergence", "plot_flow", "positions"]

MOST_NODES = 1_000  # of a flow that is drawn
_COLOURS = [
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#F0E442",
    "#999999",
    "#44AA99",
    "#882255",
    "#DDCC77",
    "#332288",
    "#AA4499",
    "#117733",
    "#88CCEE",
    "#661100",
]  # fmt: skip  (Okabe and Ito's palette, then Tol's: both safe for the colour-blind)


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
        problem = (
            f"has more nodes or wires than can be told apart in a drawing ({len(flow.wires)} wires)"
        )
        raise BadInput("flow", f"{len(flow)} nodes", problem, "draw a part of it", code="too-large")
    place = positions(flow)
    if ax is None:
        _, ax = plt.subplots(figsize=_size([flow]), layout="constrained")
    colours = colours or type_colours([flow])
    for source, target in flow.wires:
        _arrow(ax, tuple(place[source]), tuple(place[target]))
    for k, (name, kind) in enumerate(zip(flow.ids, flow.types, strict=True)):
        hollow = name in faded
        colour = colours[kind]
        ax.scatter(
            place[k, 0],
            place[k, 1],
            s=180,
            zorder=3,
            facecolors="white" if hollow else colour,
            edgecolors=colour,
            linewidths=1.5,
            linestyles="--" if hollow else "-",
        )
        text = (labels or {}).get(name, str(kind))
        ax.annotate(
            _wrapped(text), place[k], (0, -11), textcoords="offset points", ha="center", va="top",
            fontsize=7, zorder=4,
        )  # fmt: skip
    if len(flow):
        ax.set_xlim(-0.6, place[:, 0].max() + 0.6)
        ax.set_ylim(place[:, 1].min() - 0.8, place[:, 1].max() + 0.4)
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


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    bend = 0.0 if abs(end[0] - start[0]) <= 1 else 0.2
    ax.annotate(
        "", end, start, zorder=1,
        arrowprops={"arrowstyle": "-|>", "color": "#555555", "shrinkA": 9, "shrinkB": 9,
                    "connectionstyle": f"arc3,rad={bend}", "linewidth": 1},
    )  # fmt: skip


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
