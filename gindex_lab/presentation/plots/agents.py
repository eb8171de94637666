"""Figures of agents in worlds: the AIQ test (scores against time, beside the author's), the anytime test
(trajectories, budgets, stopping), its spaces, and mazes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd
import seaborn as sns

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray, integer
from gindex_lab.presentation.plots import common
from gindex_lab.presentation.plots.labels import spread_out

if TYPE_CHECKING:
    from gindex_lab.worlds.anytime.environment import Environment, Session

__all__ = ["plot_apart", "plot_bands", "plot_class_shares", "plot_differences", "plot_episodes", "plot_maze"]
__all__ += ["plot_placement_bias", "plot_space", "plot_stopping_bias", "plot_trajectories"]

_BOW = 0.18  # how far an arrow of a space bends, in lengths of itself
_OTHER = "other moves"
_WAYS = {"Good's way": common.GREEN, "Evil's way": common.ORANGE, "both": common.WINE, _OTHER: "#B8B8B8"}


@common.styled
def plot_bands(
    table: pd.DataFrame,
    x: str,
    y: str,
    *,
    xlabel: str = "",
    ylabel: str = "mean reward",
    xscale: str = "linear",
    title: str = "",
    ax: Any = None,
) -> Any:
    """Draw a line in its 95% band (`low` to `high`) for each `agent`: against complexity, length or time.

    >>> table = pd.DataFrame({"agent": "a", "seconds": [1, 10], "value": [0.5, 0.6], "low": 0.4, "high": 0.7})
    >>> plot_bands(table, "seconds", "value", xscale="log").get_xscale()
    'log'
    """
    common.columns_of(table, ["agent", x, y, "low", "high"], "a row for each agent and point")
    ax = common.new_axes(ax, figsize=(6.4, 4.0))
    colours = common.colours_of(table["agent"].unique())
    for mark, (name, own) in zip(cycle(common.MARKERS), table.groupby("agent", sort=False), strict=False):
        look = {"marker": mark, "ms": 4, "label": str(name)}
        common.line_with_band(ax, own[x], own[y], own["low"], own["high"], colours[name], **look)
    ax.axhline(0, color=common.GREY, lw=0.8, zorder=0)
    ax.set(xscale=xscale, xlabel=xlabel or x, ylabel=ylabel)
    common.legend_beside(ax)
    common.heading(ax, title, "bands: 95% intervals")
    return ax


# -- the AIQ test --------------------------------------------------------------------------------------


@common.styled
def plot_episodes(
    table: pd.DataFrame, printed: pd.DataFrame | None = None, *, title: str = "", ax: Any = None
) -> Any:
    """Draw AIQ against episode length: one line per `agent`, bars from `low` to `high`, a name at its end.

    `printed` (columns `agent`, `episode`, `printed`) adds a cross beside each value.

    >>> rows = {"agent": "Freq", "episode": [100, 1000], "value": [30.0, 40], "low": 29.0, "high": 41.0}
    >>> plot_episodes(pd.DataFrame(rows)).get_xscale()
    'log'
    """
    rows = common.columns_of(table, ["agent", "episode", "value", "low", "high"], "gl.aiq.estimate")
    ax = common.new_axes(ax, figsize=(6.8, 4.4), layout="constrained")
    colours = common.colours_of(rows["agent"].unique())
    ends = {}
    for name, part in rows.sort_values("episode").groupby("agent", sort=False):
        bars = [part["value"] - part["low"], part["high"] - part["value"]]
        look = {"marker": "o", "ms": 4, "capsize": 3, "color": colours[name]}
        ax.errorbar(part["episode"], part["value"], bars, **look)
        ends[name] = float(part["value"].iloc[-1])
        if printed is not None:
            his = printed[printed["agent"] == name]
            ax.plot(his["episode"] * 0.93, his["printed"], "x", ms=7, mew=1.6, color=colours[name])
    lengths = np.unique(rows["episode"])
    ax.set(xscale="log", xlabel="episode length (interactions)", ylabel="AIQ")
    ax.set_xticks(lengths, [f"{n:,}" for n in lengths])
    ax.minorticks_off()
    ax.set_xlim(lengths[0] * 0.8, lengths[-1] * 1.15)
    low, high = ax.get_ylim()
    # names right of the frame, pushed apart where lines meet
    places = spread_out(np.array(list(ends.values())), (high - low) * 0.055)
    look = {"xycoords": ("axes fraction", "data"), "va": "center", "annotation_clip": False}
    for name, y in zip(ends, places, strict=True):
        common.note(ax, str(name), (1.0, y), (6, 0), color=colours[name], fontsize=9, **look)
    crosses = "" if printed is None else "; crosses: the author's tables"
    common.heading(ax, title, f"bars: 95% intervals{crosses}")
    return ax


@common.styled
def plot_apart(table: pd.DataFrame, *, limit: float = 2.5, title: str = "") -> Any:
    """Draw how many standard errors our values are from the printed ones: a panel for each sample.

    `table` comes from `validation.beside`; a row for each setting, a dot for each episode length, larger
    and darker with its length. The band is ±`limit`.

    >>> rows = {"condition": "SDP", "setting": ["Freq,0.05", "Freq,0.1"], "episode": 1000, "apart": [0.5, 3]}
    >>> len(plot_apart(pd.DataFrame(rows)).axes)
    1
    """
    rows = common.columns_of(table, ["condition", "setting", "episode", "apart"], "validation.beside")
    conditions, lengths = rows["condition"].unique(), np.unique(rows["episode"])
    settings = np.unique(rows["setting"])
    of_length = np.interp(np.log10(lengths), [2, 5], [0.1, 0.95])  # the same in every figure
    shades = map(tuple, plt.get_cmap("cividis_r")(of_length))
    look: dict[str, Any] = {"hue": "episode", "palette": dict(zip(lengths, shades, strict=True))}
    look |= {"size": "episode", "sizes": {n: 16 + 9 * k for k, n in enumerate(lengths)}, "linewidth": 0}
    size = (3.6 * len(conditions) + 2.4, 0.27 * len(settings) + 1.7)
    shape: dict[str, Any] = {"figsize": size, "sharex": True, "sharey": True, "squeeze": False}
    figure, grid = plt.subplots(1, len(conditions), layout="constrained", **shape)
    for ax, condition in zip(grid[0], conditions, strict=True):
        part = rows[rows["condition"] == condition].sort_values("setting", kind="stable")
        ax.axvspan(-limit, limit, color="#EEF2F5", lw=0)
        ax.axvline(0, color="#888888", lw=0.8)
        sns.scatterplot(part, x="apart", y="setting", ax=ax, **look)
        handles = ax.get_legend_handles_labels()[0]
        ax.get_legend().remove()
        ax.set(xlabel="standard errors from the printed value", ylabel="")
        outside = int((part["apart"].abs() > limit).sum())
        common.heading(ax, condition, f"{outside} of {len(part)} beyond ±{limit:g}")
    grid[0][0].set_ylim(len(settings) - 0.3, -0.7)
    grid[0][0].tick_params(axis="y", labelsize=8)
    labels = [f"{n:,}" for n in lengths]
    figure.legend(handles, labels, loc="outside right upper", title="episode length")
    common.over_all(figure, title)
    return figure


@common.styled
def plot_differences(
    table: pd.DataFrame, *, printed: float | None = None, title: str = "", ax: Any = None
) -> Any:
    """Draw a difference with its interval in each row (`difference`, `low`, `high`), and what was printed.

    >>> rows = pd.DataFrame({"difference": [0.1], "low": [-0.1], "high": [0.3]}, index=["Freq"])
    >>> [tick.get_text() for tick in plot_differences(rows, printed=1.5).get_yticklabels()]
    ['Freq']
    """
    rows = common.columns_of(table, ["difference", "low", "high"], "gl.aiq.compare").iloc[::-1]
    ax = common.new_axes(ax, figsize=(6.8, 0.42 * len(rows) + 1.5), layout="constrained")
    ax.axvline(0, color="#888888", lw=0.8)
    common.rows_with_bars(ax, rows["difference"], rows["low"], rows["high"], rows.index.astype(str))
    if printed is not None:
        ax.axvline(printed, color=common.ORANGE, lw=1.4, ls="--")
        look = {"xycoords": ("data", "axes fraction"), "color": common.ORANGE, "va": "bottom"}
        common.note(ax, f"printed: {printed:g}", (printed, 0.0), (4, 2), **look)
        low, high = ax.get_xlim()
        ax.set_xlim(low, max(high, printed + 0.16 * (high - low)))
    ax.set(ylim=(-0.9, len(rows) - 0.3), xlabel="difference in AIQ")
    common.heading(ax, title, "bars: 95% intervals over programs")
    return ax


@common.styled
def plot_class_shares(
    ours: pd.DataFrame,
    printed: pd.DataFrame | None = None,
    *,
    names: Mapping[str, str] | None = None,
    title: str = "",
    ax: Any = None,
) -> Any:
    """Draw shares of classes (rows, in percent) in samples (columns): a dot is ours, a bar across is printed.

    >>> table = pd.DataFrame({"original": [76.0], "SDP": [65.0]}, index=["chance"])
    >>> plot_class_shares(table, table).get_xlabel()
    'share of the programs (%)'
    """
    ax = common.new_axes(ax, figsize=(7.6, 0.44 * len(ours) + 1.6), layout="constrained")
    samples, labels = list(ours.columns), [(names or {}).get(str(name), str(name)) for name in ours.index]
    how = {"x": "share", "y": "class", "hue": "sample", "hue_order": samples, "order": labels, "ax": ax}
    how |= {"dodge": 0.72 * (1 - 1 / len(samples)), "linestyle": "none", "errorbar": None}
    his = None if printed is None else printed.reindex(index=ours.index, columns=samples)
    tables = {"|": his, "o": ours}
    for marker, table in tables.items():
        if table is not None:
            long = table.set_axis(labels).rename_axis("class").reset_index()
            rows = long.melt("class", var_name="sample", value_name="share")
            bars = marker == "|"
            palette = dict.fromkeys(samples, common.INK) if bars else common.colours_of(samples)
            look = {"ms": 9, "mew": 1.8} if bars else {"ms": 5, "mew": 0}
            sns.pointplot(rows, palette=palette, markers=marker, legend=not bars, **how, **look)
    for row in range(len(ours) - 1):
        ax.axhline(row + 0.5, color="#E3E6E9", lw=0.7, zorder=0)
    ax.set(xlabel="share of the programs (%)", ylabel="", ylim=(len(ours) - 0.4, -0.6), xlim=(-1.5, None))
    ax.tick_params(axis="y", length=0)
    common.legend_beside(ax, "sample")
    common.heading(ax, title, "dots: ours; black: the author's counts" if printed is not None else "")
    return ax


# -- the anytime test ----------------------------------------------------------------------------------


@common.styled
def plot_trajectories(trajectories: Mapping[str, pd.DataFrame], *, title: str = "") -> Any:
    """Draw complexity ξ, time τ and the running score, environment by environment, one line per agent.

    >>> table = pd.DataFrame({"xi": [8.0, 12], "tau": [0.001, 0.0015], "score": [1.0, 0.5]}, index=[1, 2])
    >>> len(plot_trajectories({"oracle": table}))
    3
    """
    if not trajectories:
        raise BadInput("trajectories", trajectories, "[empty] is empty", "pass {name: result.trajectory}")
    panels = {"xi": "complexity ξ (bits)", "score": "running score Υ", "tau": "time per environment τ (s)"}
    for table in trajectories.values():
        common.columns_of(table, list(panels), "result.trajectory")
    figure, grid = plt.subplots(1, 3, figsize=(9.6, 3.4))
    long = pd.concat(dict(trajectories), names=["agent", "environment"]).reset_index()
    how: dict[str, Any] = {"hue": "agent", "style": "agent", "palette": common.colours_of(trajectories)}
    how |= {"markers": dict(zip(trajectories, cycle(common.MARKERS), strict=False)), "dashes": False}
    for ax, (column, label) in zip(grid, panels.items(), strict=True):
        sns.lineplot(long, x="environment", y=column, ax=ax, ms=3, mec="none", lw=1.3, **how)
        handles = ax.get_legend_handles_labels()
        ax.get_legend().remove()
        ax.set(ylabel=label)
    grid[1].axhline(0, color=common.GREY, lw=0.8, zorder=0)
    grid[2].set_yscale("log")
    figure.legend(*handles, loc="outside right upper")
    common.over_all(figure, title)
    return grid


@common.styled
def plot_stopping_bias(table: pd.DataFrame, *, title: str = "", ax: Any = None) -> Any:
    """Draw what a stopping policy gains on fair rewards: plain average, Definition 16 and total / N.

    >>> from gindex_lab.worlds.anytime.averages import stopping_bias
    >>> plot_stopping_bias(stopping_bias([10, 100], runs=200)).get_ylabel()
    'measured mean reward (fair: 0)'
    """
    names = {"plain": "plain average", "diminishing": "diminishing history (Def 16)", "total": "total / N"}
    common.columns_of(table, [*names, *(f"{name}_error" for name in names)], "gl.anytime.stopping_bias(...)")
    ax = common.new_axes(ax, figsize=(6.4, 3.8))
    for mark, (column, label) in zip(common.MARKERS, names.items(), strict=False):
        error = 1.96 * table[f"{column}_error"]
        ax.errorbar(table.index, table[column], error, marker=mark, ms=5, label=label, capsize=2)
    ax.axhline(0, color=common.GREY, lw=0.8, zorder=0)
    ax.set(xscale="log", xlabel="time N (interactions)", ylabel="measured mean reward (fair: 0)")
    common.legend_beside(ax)
    common.heading(ax, title)
    return ax


@common.styled
def plot_placement_bias(biases: Sequence[FloatArray] | FloatArray, *, title: str = "", ax: Any = None) -> Any:
    """Draw how far a random agent is from 0 when the placement is fixed: all placements of all environments.

    >>> plot_placement_bias([np.array([0.1, -0.1, np.nan])]).get_ylabel()
    'placements'
    """
    values = np.concatenate([np.ravel(bias) for bias in biases])
    values = values[~np.isnan(values)]
    if not len(values):
        raise BadInput("biases", values, "[empty] has no number", "use gl.anytime.bias_of_placements")
    ax = common.new_axes(ax, figsize=(6.0, 3.4))
    sns.histplot(values, bins=np.linspace(-0.4, 0.4, 81), color=common.FILL, alpha=1, lw=0, ax=ax)
    ax.axvline(float(values.mean()), color=common.INK, lw=1)
    ax.set(xlabel="random agent's expected mean reward", ylabel="placements", yscale="log")
    common.heading(ax, title, f"{len(values):,} placements, largest {abs(values).max():.3f}")
    return ax


# -- worlds and tasks -------------------------------------------------------------------------------------


@common.styled
def plot_space(
    environment: Environment, session: Session | None = None, *, title: str = "", ax: Any = None
) -> Any:
    """Draw the cells on a ring, an arrow for each move with its actions, and Good, Evil and the agent.

    The moves that Good and Evil will make in one turn of the pattern have their colours. "Stay" is not drawn.

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
    walks = _orbit(run)
    for way, colour in _WAYS.items():
        own = [edge for edge in edges if walks.get(edge, _OTHER) == way]
        _draw_moves(ax, place, {edge: edges[edge] for edge in own}, colour, plain=way == _OTHER)
    ax.scatter(*place.T, s=430, color="white", edgecolor="#444444", linewidth=1.2, zorder=4)
    for cell, (x, y) in enumerate(place):
        ax.text(x, y, str(cell), ha="center", va="center", zorder=6)
    _draw_walkers(ax, place, run)
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


def _draw_moves(
    ax: Any, place: FloatArray, moves: Mapping[tuple[int, int], Sequence[int]], colour: str, plain: bool
) -> None:
    """Draw an arrow for each move, with its actions near its start, where few arrows cross."""
    graph, where = nx.DiGraph(list(moves)), dict(enumerate(place))
    bow: dict[str, Any] = {"connectionstyle": f"arc3,rad={_BOW}", "node_size": 430, "ax": ax}
    look = {"width": 1.0 if plain else 2.0, "arrowsize": 11, "arrowstyle": "-|>", "edge_color": colour}
    for arrow in nx.draw_networkx_edges(graph, where, **look, **bow):
        arrow.set_zorder(2 if plain else 3)
    texts = {edge: ",".join(map(str, actions)) for edge, actions in moves.items()}
    ground = {"boxstyle": "round,pad=0.08", "fc": "white", "ec": "none", "alpha": 0.9}
    words = {"font_size": 7, "font_color": "#555555" if plain else colour, "bbox": ground, "rotate": False}
    for text in nx.draw_networkx_edge_labels(graph, where, texts, label_pos=0.24, **words, **bow).values():
        text.set_zorder(5)


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
