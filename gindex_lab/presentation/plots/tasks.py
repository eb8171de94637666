"""Figures of items (levels, scales, curves, mazes, spaces), and the small figures of the teaching demos:
responses, a tape, changes, rewards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.patches import FancyArrowPatch, Rectangle

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray, integer
from gindex_lab.presentation.plots import common

if TYPE_CHECKING:
    from gindex_lab.worlds.anytime.environment import Environment, Session

__all__ = ["plot_agreement_of_levels", "plot_changes", "plot_curves_together", "plot_levels", "plot_maze"]
__all__ += ["plot_responses", "plot_rewards", "plot_scales", "plot_space", "plot_tape"]

_BOW = 0.18  # how far an arrow of a space bends, in lengths of itself
_OTHER = "other moves"
_WAYS = {"Good's way": common.GREEN, "Evil's way": common.ORANGE, "both": common.WINE, _OTHER: "#B8B8B8"}


# -- levels and scales ---------------------------------------------------------------------------------


@common.styled
def plot_agreement_of_levels(table: pd.DataFrame, *, x: str, y: str, title: str = "", ax: Any = None) -> Any:
    """Draw two whole-number scales of the same items: a bubble for each pair, with the number of items.

    >>> pairs = pd.DataFrame({"printed": [7, 8, 8], "ours": [7, 8, 9]})
    >>> len(plot_agreement_of_levels(pairs, x="printed", y="ours").texts)
    4
    """
    common.columns_of(table, [x, y], "one row for each item")
    ax = common.new_axes(ax, figsize=(5.0, 4.4))
    counts = table.groupby([x, y]).size().reset_index(name="n")
    ends = [table[[x, y]].min(axis=None) - 0.7, table[[x, y]].max(axis=None) + 0.7]
    ax.plot(ends, ends, color="#BBBBBB", lw=1.0, zorder=1)
    colours = np.where(counts[x] == counts[y], common.BLUE, common.ORANGE)
    ax.scatter(counts[x], counts[y], s=110 + 90 * counts["n"], color=colours, alpha=0.85, zorder=2)
    for a, b, n in counts.itertuples(index=False):
        ax.text(a, b, str(n), ha="center", va="center", color="white", fontsize=8, zorder=3)
    ax.set(xlim=ends, ylim=ends, xlabel=x, ylabel=y)
    common.heading(ax, title, f"{len(table)} items, {(table[x] == table[y]).sum()} equal (blue)")
    return ax


@common.styled
def plot_levels(counts: pd.DataFrame, *, title: str = "", xlabel: str = "", ax: Any = None) -> Any:
    """Draw how many of each kind (columns) there are at each level (index), on a logarithmic scale.

    >>> counts = pd.DataFrame({"series": [3, 40], "items": [1, 9]}, index=[7, 8])
    >>> sum(len(bars) for bars in plot_levels(counts).containers)
    4
    """
    common.columns_of(counts, list(counts.columns), "one row for each level")
    ax = common.new_axes(ax, figsize=(6.2, 3.6))
    by_level = counts.rename_axis("level").reset_index()
    rows = by_level.melt("level", var_name="kind", value_name="number")
    look = {"palette": common.PALETTE[: len(counts.columns)], "saturation": 1, "gap": 0.08, "lw": 0}
    sns.barplot(rows, x="level", y="number", hue="kind", errorbar=None, ax=ax, **look)
    for bars in ax.containers:
        ax.bar_label(bars, fontsize=7, padding=1.5, color="#444444")
    ax.set(yscale="log", ylim=(0.7, 4 * counts.to_numpy().max()), xlabel=xlabel, ylabel="number")
    common.legend_beside(ax)
    if len(counts.columns) == 1:
        ax.get_legend().remove()
    common.heading(ax, title)
    return ax


@common.styled
def plot_scales(table: pd.DataFrame, *, x: str, y: str, groups: str, title: str = "", ax: Any = None) -> Any:
    """Draw two scales of the same items against each other, coloured by group.

    >>> table = pd.DataFrame({"one": [1, 2], "other": [3, 5], "rank": [8, 9]})
    >>> len(plot_scales(table, x="one", y="other", groups="rank").get_legend().get_texts())
    2
    """
    common.columns_of(table, [x, y, groups], "one row for each item")
    ax = common.new_axes(ax, figsize=(6.2, 4.2))
    names = sorted(table[groups].unique())
    colours = {name: common.PALETTE[k % len(common.PALETTE)] for k, name in enumerate(names)}
    look = {"s": 16, "alpha": 0.75, "linewidth": 0}
    sns.scatterplot(table, x=x, y=y, hue=groups, palette=colours, ax=ax, **look)
    common.legend_beside(ax, groups)
    common.heading(ax, title, f"{len(table)} items, r = {table[x].corr(table[y]):.3f}")
    return ax


@common.styled
def plot_curves_together(
    curves: pd.DataFrame, *, xlabel: str = "difficulty", title: str = "", ax: Any = None
) -> Any:
    """Draw mean responses (columns: agents) along difficulty (index), one line each.

    They are named beside the frame in the order of their means. Shades alone are too close to tell ten lines
    apart, so each has its own marker.

    >>> curves = pd.DataFrame({"one": [1.0, 0.5], "other": [0.8, 0.1]}, index=[7, 8])
    >>> len(plot_curves_together(curves).get_legend().get_texts())
    2
    """
    ax = common.new_axes(ax, figsize=(7.0, 4.0))
    ordered = curves[curves.mean().sort_values(ascending=False, kind="stable").index]
    marks = dict(zip(ordered, cycle(common.MARKERS), strict=False))
    shades = mpl.colormaps["cividis"](np.linspace(0.08, 0.86, len(marks)))  # without its palest yellow
    look = {"markers": marks, "dashes": False, "ms": 6, "mec": "none"}
    sns.lineplot(ordered, palette=list(map(tuple, shades)), ax=ax, **look)
    ax.set(xlabel=xlabel, ylabel="response", ylim=(-0.03, 1.03))
    common.legend_beside(ax)
    common.heading(ax, title)
    return ax


@common.styled
def plot_maze(
    rank: object,
    dots: Iterable[tuple[int, int]],
    path: Sequence[tuple[int, int]] = (),
    *,
    title: str = "",
    ax: Any = None,
) -> Any:
    """Draw crossings (r, c) with r + c < rank, the tip (0, 0) at the bottom, and a path over them.

    >>> plot_maze(3, [(1, 0)], [(0, 0), (1, 0)], title="small").get_title(loc="left")
    'small'
    """
    rows, marked = integer("rank", rank, 2), set(dots)
    ax = common.new_axes(ax, figsize=(4.6, 4.0))
    for k in range(rows - 1):  # the paths up to the left and to the right, each as one long line
        for ends in ([(0, k), (rows - 1 - k, k)], [(k, 0), (k, rows - 1 - k)]):
            ax.plot(*_turned(ends), color=common.PALE, lw=1.0, zorder=1)
    if len(path):
        ax.plot(*_turned(path), color=common.BLUE, lw=2.6, zorder=2)
    look = {"s": 46, "color": common.YELLOW, "edgecolor": "#4A3200", "linewidth": 0.8, "zorder": 3}
    ax.scatter(*_turned(sorted(marked)), **look)
    ax.set_aspect("equal")
    ax.set_axis_off()
    met = f", {len(marked & set(path))} on the path" if len(path) else ""
    common.heading(ax, title, f"{rows} rows, {len(marked)} dots{met}")
    return ax


def _turned(crossings: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [c - r for r, c in crossings], [r + c for r, c in crossings]


@common.styled
def plot_space(
    environment: Environment,
    session: Session | None = None,
    *,
    orbit: bool = True,
    title: str = "",
    ax: Any = None,
) -> Any:
    """Draw the cells on a ring, an arrow for each move with its actions, and Good, Evil and the agent.

    With `orbit` the moves that Good and Evil will make in one turn of the pattern are drawn in their
    colours. "Stay" is not drawn.

    >>> from gindex_lab.worlds.anytime.environment import Environment
    >>> ax = plot_space(Environment("12-|1-2--|1++2--", "2210"))
    >>> len([text for text in ax.texts if text.get_text() in "012"])
    8
    """
    run = environment.start(seed=0) if session is None else session
    ax = common.new_axes(ax, figsize=(5.4, 4.6))
    ax.set(xlim=(-1.5, 1.5), ylim=(-1.45, 1.4), aspect="equal")
    ax.axis("off")
    angle = np.pi / 2 - 2 * np.pi * np.arange(environment.cells) / environment.cells
    place = np.column_stack([np.cos(angle), np.sin(angle)])
    edges: dict[tuple[int, int], list[int]] = {}
    for cell, row in enumerate(environment.space.destinations):
        for action, target in enumerate(row[1:], 1):
            if target != cell:
                edges.setdefault((cell, target), []).append(action)
    walks = _orbit(run) if orbit else {}
    taken: list[FloatArray] = []
    for (start, end), actions in edges.items():
        way, text = walks.get((start, end), _OTHER), ",".join(map(str, actions))
        taken.append(_draw_move(ax, place[start], place[end], text, way, taken))
    ax.scatter(*place.T, s=430, color="white", edgecolor="#444444", linewidth=1.2, zorder=4)
    for cell, (x, y) in enumerate(place):
        ax.text(x, y, str(cell), ha="center", va="center", zorder=6)
    _draw_walkers(ax, place, run)
    if orbit:
        for name, colour in _WAYS.items():
            ax.plot([], [], color=colour, lw=2, label=name)
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0.02), ncol=4)
    shown = environment.pattern if isinstance(environment.pattern, str) else "a Markov program"
    shown = shown if len(shown) <= 24 else f"{shown[:22]}…"
    common.heading(ax, title, f"{environment.cells} cells, {environment.actions} actions, pattern {shown}")
    return ax


def _orbit(session: Session) -> dict[tuple[int, int], str]:
    """Whose way each move is in one turn of the pattern, by the names of `_WAYS`."""
    run = session.environment.start(0, steps=max(1, len(session.environment.script(20))))
    run.coins, run.first, run.second, run.good = session.coins, *session.placement[1:]
    walks: dict[tuple[int, int], str] = {}
    while not run.done:
        good, evil = run.good_cell, run.evil_cell
        run.act(0)
        moves = {"Good's way": (good, run.good_cell), "Evil's way": (evil, run.evil_cell)}
        for way, move in moves.items():
            walks[move] = way if walks.get(move, way) == way else "both"
    return walks


def _draw_move(
    ax: Any, start: FloatArray, end: FloatArray, text: str, way: str, taken: list[FloatArray]
) -> FloatArray:
    """Draw an arrow with its actions, which keep off the labels already there; returns their place."""
    plain, colour = way == _OTHER, _WAYS[way]
    shape: dict[str, Any] = {"connectionstyle": f"arc3,rad={_BOW}", "arrowstyle": "-|>"}
    shape |= {"mutation_scale": 11, "shrinkA": 11, "shrinkB": 11}
    shape |= {"lw": 1.0, "zorder": 2} if plain else {"lw": 2.0, "zorder": 3}
    ax.add_patch(FancyArrowPatch(tuple(start), tuple(end), color=colour, **shape))
    run = end - start
    side = np.array([run[1], -run[0]])
    along = (0.26, 0.2, 0.32, 0.38, 0.44, 0.5)  # of the bow, from near its start
    places = [start + t * run + 2 * t * (1 - t) * _BOW * side for t in along]
    room = [min((float(np.hypot(*(at - o))) for o in taken), default=9.0) for at in places]
    free = [at for at, gap in zip(places, room, strict=True) if gap > 0.17]
    at = free[0] if free else places[int(np.argmax(room))]
    ground = {"boxstyle": "round,pad=0.08", "fc": "white", "ec": "none", "alpha": 0.9}
    look = {"fontsize": 7, "color": "#555555" if plain else colour, "ha": "center", "va": "center"}
    ax.text(*at, text, bbox=ground, zorder=5, **look)
    return at


def _draw_walkers(ax: Any, place: FloatArray, session: Session) -> None:
    cell, first, second, good = session.placement
    here = {"Good": second if good else first, "Evil": first if good else second, "agent": cell}
    colours = {"Good": common.GREEN, "Evil": common.ORANGE, "agent": common.BLUE}
    cells = list(here.values())
    for k, (name, at) in enumerate(here.items()):
        rank = cells[:k].count(at)  # how many stand there already
        look = {"facecolor": "none", "edgecolor": colours[name], "linewidth": 2.2, "zorder": 5}
        ax.scatter(*place[at], s=430 + 170 * rank, **look)
        x, y = place[at] * 1.28
        words = {"color": colours[name], "weight": "bold", "ha": "center", "va": "center"}
        ax.text(x, y - 0.13 * rank, name, **words)


# -- teaching ------------------------------------------------------------------------------------------


@common.styled
def plot_responses(frame: pd.DataFrame, *, title: str = "", ax: Any = None) -> Any:
    """Draw who solved what: a row per agent, a column per item in the order given, dark for solved.

    >>> plot_responses(pd.DataFrame([[1.0, 0.0]], ["a"], [1, 2])).get_xlabel()
    'item, easy to hard'
    """
    if not isinstance(frame, pd.DataFrame) or frame.empty:
        raise BadInput("frame", frame, "[not-a-table] is not a table of responses", "pass agents x items")
    ax = common.new_axes(ax, figsize=(5.6, 3.6))
    few = len(frame) <= 20
    shades = sns.blend_palette(["#EEF1F4", common.BLUE], as_cmap=True)
    look = {"cmap": shades, "vmin": 0, "vmax": 1, "cbar": False, "rasterized": True}
    sns.heatmap(frame.astype(float), xticklabels=False, yticklabels=few, ax=ax, **look)
    ax.tick_params(axis="y", rotation=0, length=0)
    ax.set(xlabel="item, easy to hard", ylabel="" if few else "agent", title=title)
    return ax


@common.styled
def plot_changes(changes: Mapping[str, float], *, title: str = "", ax: Any = None) -> Any:
    """Draw by how many percent g changes with each change of a cause, as bars.

    >>> plot_changes({"twice the compute": -12.0}).get_xlabel()
    'change of g (%)'
    """
    ax = common.new_axes(ax, figsize=(5.6, 3.2))
    names, values = list(changes), np.array(list(changes.values()), dtype=float)
    colours = {
        name: common.GREEN if value >= 0 else common.ORANGE for name, value in zip(names, values, strict=True)
    }
    sns.barplot(x=values, y=names, hue=names, palette=colours, saturation=1, width=0.62, legend=False, ax=ax)
    for row, value in enumerate(values):
        side, gap = ("left", 4) if value >= 0 else ("right", -4)
        text = "0%" if abs(value) < 0.05 else f"{value:+.1f}%".replace("-", "−")
        common.note(ax, text, (value, row), (gap, 0), ha=side, va="center")
    ax.axvline(0, color="#444444", lw=0.8)
    ax.margins(x=0.28)
    ax.tick_params(axis="y", length=0)
    ax.set(xlabel="change of g (%)", title=title)
    return ax


@common.styled
def plot_tape(
    tape: Mapping[int, int], head: int, *, symbols: int = 5, around: int = 8, title: str = "", ax: Any = None
) -> Any:
    """Draw the cells of a work tape around its head, the symbol in each; blank cells are pale.

    >>> plot_tape({0: 4}, 0, around=1).get_xlabel()
    'cell of the work tape'
    """
    ax = common.new_axes(ax, figsize=(7, 1.4))
    blank, shades = symbols // 2, mpl.colormaps["viridis"]
    for place in range(head - around, head + around + 1):
        symbol, touched = tape.get(place, blank), place in tape
        face = shades(symbol / max(symbols - 1, 1)) if touched else "#F4F6F8"
        edge, width, above = (common.ORANGE, 2.2, 3) if head == place else (common.PALE, 0.8, 2)
        look: dict[str, Any] = {"facecolor": face, "edgecolor": edge, "lw": width, "zorder": above}
        ax.add_patch(Rectangle((place - 0.5, 0.02), 1, 0.96, **look))
        colour = "white" if touched and symbol < symbols / 2 else common.INK
        ax.text(place, 0.5, str(symbol), ha="center", va="center", color=colour)
    arrow = {"arrowprops": {"arrowstyle": "-|>"}, "ha": "center", "fontsize": 8}
    ax.annotate("head", (head, 1.02), (head, 1.42), **arrow)
    ax.set(xlim=(head - around - 0.6, head + around + 0.6), ylim=(0, 1.6), yticks=[])
    ax.set(xlabel="cell of the work tape", title=title)
    ax.spines["left"].set_visible(False)
    return ax


@common.styled
def plot_rewards(
    table: pd.DataFrame,
    *,
    low: float = -100.0,
    high: float = 100.0,
    levels: Mapping[str, float] | None = None,
    title: str = "",
    ax: Any = None,
) -> Any:
    """Draw the reward of each interaction and the running mean; `levels` are horizontal lines with names.

    >>> plot_rewards(pd.DataFrame({"reward": [0.0, 100.0]})).get_xlabel()
    'interaction'
    """
    rewards = common.columns_of(table, ["reward"], "one row per interaction")["reward"].to_numpy(float)
    ax = common.new_axes(ax, figsize=(6, 3))
    steps = np.arange(1, len(rewards) + 1)
    ax.plot(steps, rewards, "o", ms=4, color="#8FA3B5", zorder=2)
    ax.plot(steps, np.cumsum(rewards) / steps, color=common.BLUE, zorder=3)
    pad = 0.06 * (high - low)
    ax.set(ylim=(low - pad, high + pad), xlabel="interaction", ylabel="reward, and its mean", title=title)
    ax.set_xlim(0.5, max(10.0, len(rewards) + 0.5))
    kept: list[tuple[str, float]] = []  # levels that nearly coincide share one line and one name
    for name, level in sorted((levels or {}).items(), key=lambda pair: pair[1]):
        if kept and level - kept[-1][1] < 0.09 * (high - low):
            kept[-1] = (f"{kept[-1][0]}, {name}", kept[-1][1])
        else:
            kept.append((name, level))
    look = {"xycoords": ax.get_yaxis_transform(), "ha": "right", "color": common.ORANGE}
    for name, level in kept:
        ax.axhline(level, color=common.ORANGE, lw=0.9, ls="--", zorder=1)
        common.note(ax, name, (1.0, level), (-2, 3), **look)
    ax.xaxis.get_major_locator().set_params(integer=True)
    return ax
