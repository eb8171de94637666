"""The plane of capability and spread: its frame and isometrics, agents in it, one panel per group, and
animations.

On the interval [k, k + q] an agent of capability Ψ has a spread between 0 (a falling step) and
√(2(Ψ-k)(k+q-Ψ)) (a rising step); a constant curve has √((Ψ-k)(k+q-Ψ)) (generality supplement, §F.5). Between
them γ is constant on the isometrics S = √((1-γ)(Ψ-k)(k+q-Ψ)) (Eq. 6). Names stand beside their points and a
summary above the frame, so that nothing covers the data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.animation import FuncAnimation
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray, choice, number, vector
from gindex_lab.measures.properties import spread_at
from gindex_lab.presentation.plots import common
from gindex_lab.presentation.plots.labels import (
    boxes_of,
    label_curve,
    label_points,
    line_boxes,
    line_points,
    tied_labels,
)

__all__ = ["animate_capability_spread", "interval_of", "plot_capability_spread", "plot_subgroups"]

Interval = tuple[float, float]

LEVELS = (0.5, 0.8, 0.95)  # of γ, spaced about evenly in spread: a judgement
_FEW = 40  # more distinct points than this get no names unless asked for: the frame has no room
_LEVEL: dict[str, Any] = {"color": "#9A9A9A", "linewidth": 0.6}
_NAMED: list[tuple[float, dict[str, Any], tuple[str, ...]]] = [
    (
        1.0,
        {"color": common.GREEN, "linestyle": (0, (1, 1.2)), "linewidth": 2.0},
        ("minimum (decreasing step), γ = 1", "minimum, γ = 1", "γ = 1"),
    ),
    (0.0, {"color": common.BLUE, "linewidth": 1.4}, ("constant curve, γ = 0", "γ = 0")),
    (
        -1.0,
        {"color": common.ODD, "linestyle": (0, (4, 1.5)), "linewidth": 1.4},
        ("maximum (increasing step), γ = −1", "maximum, γ = −1", "γ = −1"),
    ),
]


def interval_of(table: Any, interval: Interval | None) -> Interval:
    """The interval of difficulties: the argument, or what the table carries in `attrs`."""
    found = interval if interval is not None else table.attrs.get("interval")
    if found is None:
        problem = "[no-interval] is unknown, and the isometrics depend on it"
        raise BadInput("interval", None, problem, "pass interval=(lowest, highest) difficulty")
    low, high = map(float, vector("interval", found, 2))
    if not low < high:
        raise BadInput("interval", found, "[out-of-range] is empty or not finite", "give (lowest, highest)")
    return low, high


def draw_isometrics(
    ax: Any,
    interval: Interval,
    levels: tuple[float, ...] = LEVELS,
    *,
    labels: bool = True,
    marks: FloatArray | None = None,
) -> list[Any]:
    """Draw the three named isometrics and the γ levels into the view of `ax`; returns their labels.

    Call it when the limits of the axes are final: a label stands on its curve where that is visible and holds
    the fewest `marks` (points in data units).
    """
    low, high = interval
    # A cosine grid is dense at both ends, where the curves are steep.
    grid = low + (high - low) * (1 - np.cos(np.linspace(0, np.pi, 801))) / 2
    capability = np.clip(grid, low, high)
    points = ax.transData.transform(marks) if marks is not None and len(marks) else np.empty((0, 2))
    texts: list[Any] = []
    for gamma, look, names in [(g, _LEVEL, (f"γ = {g:g}",)) for g in levels] + _NAMED:
        spread = spread_at(capability, gamma, interval)
        ax.plot(capability, spread, zorder=1, **look)
        if labels:
            busy = np.vstack([np.hstack([points - 4, points + 4]), boxes_of(texts)])
            colour = "#6F6F6F" if look is _LEVEL else look["color"]
            texts += label_curve(ax, capability, spread, names, busy, colour)
    return texts


def set_frame(ax: Any, table: pd.DataFrame, interval: Interval, frame: str) -> None:
    """Show all of the interval up to the maximum spread, or less where the agents leave it empty."""
    if frame == "given":
        return
    low, high = interval
    width, roof = high - low, 1.06 * (high - low) / np.sqrt(2)
    (left, right), top = _range(table, "capability"), _range(table, "spread")[1]
    if frame == "data" or (frame == "auto" and (right - left) * top < 0.01 * width * roof):
        pad = max(0.18 * (right - left), 0.04 * width)
        height = max(1.25 * top, 0.08 * roof)
        ax.set(xlim=(left - pad, right + pad), ylim=(-0.03 * height, height))
        return
    constant = 1.1 * width / 2  # above its peak there is nothing to see if no agent is there
    height = constant if frame == "auto" and top < 0.93 * constant else roof
    ax.set(xlim=(low - 0.01 * width, high + 0.01 * width), ylim=(-0.02 * height, height))


def _range(table: pd.DataFrame, name: str) -> tuple[float, float]:
    """From the lowest end of a bar to the highest."""
    ends = table[[c for c in (name, f"{name}_low", f"{name}_high") if c in table]]
    return float(ends.min(axis=None)), float(ends.max(axis=None))


@common.styled
def plot_capability_spread(
    table: pd.DataFrame,
    interval: Interval | None = None,
    *,
    labels: bool | Sequence[Any] | str = "auto",
    groups: pd.Series | Sequence[Any] | str | None = None,
    frame: str = "auto",
    levels: tuple[float, ...] = LEVELS,
    unit: str = "",
    title: str = "",
    summary: bool = True,
    ax: Any = None,
) -> Any:
    """Draw capability against spread, over the isometrics of the interval.

    Parameters
    ----------
    table : the table of `gl.generality`; its columns `*_low` and `*_high`, if any, become light bars
    interval : lowest and highest difficulty; by default `table.attrs["interval"]`
    labels : "auto" names the agents if they are few, True all, False none; or a list of agents to name
        Agents at the same point share one label.
    groups : a column of the table, or one value for each agent: gives colour and marker
    frame : "interval" shows all of it, "data" the part where the agents are, "auto" one of the two
        With "given", `ax` keeps its limits (for shared axes).
    levels : of γ, whose isometrics are drawn in grey
    summary : whether a line about the population stands above the frame
    unit, title, ax : of capability and spread; of the figure; axes to draw into, by default new ones

    Returns
    -------
    The matplotlib Axes.

    References
    ----------
    Hernández-Orallo et al. (2021), "General intelligence disentangled via a generality metric", Figs 4 and 5.

    Examples
    --------
    >>> table = pd.DataFrame({"capability": [4.0, 6], "spread": [2.0, 1], "abstruse": [False] * 2,
    ...                       "normalised_generality": [0.8, 0.9]}, index=["a", "b"])
    >>> plot_capability_spread(table, (0, 10)).get_ylabel()
    'spread S'
    """
    table = common.columns_of(table, ["capability", "spread"], "gl.generality(...)")
    span = interval_of(table, interval)
    ax = common.new_axes(ax, figsize=(7.2, 4.8))
    common.heading(ax, title, common.summary_line(table) if summary else "")
    ax.set(xlabel=common.with_unit("capability Ψ", unit), ylabel=common.with_unit("spread S", unit))
    set_frame(ax, table, span, choice("frame", frame, ["auto", "interval", "data", "given"]))
    _draw_agents(ax, table, group_labels(table, groups))
    ax.figure.canvas.draw()  # the layout must be final before anything is placed by pixels
    marks = table[["capability", "spread"]].to_numpy(float)
    written = draw_isometrics(ax, span, levels, marks=marks)
    named = _agents_to_name(table, labels)
    x, y = named[["capability", "spread"]].to_numpy(float).T
    texts = tied_labels(x, y, list(map(str, named.index)))
    avoid = np.vstack([boxes_of(written), _bar_boxes(ax, table)])
    label_points(ax, texts, avoid=avoid, marks=marks, lines=line_points(ax))
    return ax


def group_labels(table: pd.DataFrame, groups: Any) -> pd.Series | None:
    """The group of each agent as a category, from a column of the table, a Series by agent, or a list.

    The groups come in their own order: that of the categories, else sorted.
    """
    if groups is None:
        return None
    if isinstance(groups, str):
        groups = common.columns_of(table, [groups], "a table with that column")[groups]
    elif isinstance(groups, pd.Series):
        absent = table.index.difference(groups.index, sort=False)
        if len(absent):
            raise BadInput("groups", absent[0], "[no-group] is an agent without a group", "give it one")
        groups = groups.loc[table.index]
    elif len(groups) != len(table):
        problem = f"[wrong-length] are not one for each of the {len(table)} agents"
        raise BadInput("groups", len(groups), problem, "pass one group per agent")
    member = pd.Series(groups).set_axis(table.index).astype("category")
    return member.cat.remove_unused_categories().cat.rename_categories(str)


def _draw_agents(ax: Any, table: pd.DataFrame, groups: pd.Series | None) -> None:
    """Draw bars and points, and with groups a legend outside the frame."""
    how: dict[str, Any] = {"color": common.POINT}
    bars: Any = common.POINT
    if groups is not None:
        sizes = groups.value_counts()
        shown = groups.cat.rename_categories(lambda name: f"{name} ({sizes[name]})")
        names = list(shown.cat.categories)
        colours = dict(zip(names, common.colours_of(groups.cat.categories).values(), strict=True))
        marks = dict(zip(names, cycle(common.MARKERS), strict=False))
        how = {"hue": shown, "style": shown, "palette": colours, "markers": marks}
        bars = [colours[name] for name in shown]
    look: dict[str, Any] = {"alpha": 0.28, "linewidth": 2.2, "zorder": 3, "colors": bars}
    if {"capability_low", "capability_high"} <= set(table.columns):
        ax.hlines(table["spread"], table["capability_low"], table["capability_high"], **look)
    if {"spread_low", "spread_high"} <= set(table.columns):
        ax.vlines(table["capability"], table["spread_low"], table["spread_high"], **look)
    many = len(table) > 4 * _FEW
    dots: dict[str, Any] = {"s": 18, "alpha": 0.55} if many else {"s": 34, "alpha": 1.0}
    dots |= {"edgecolor": "white", "linewidth": 0.5, "zorder": 4}
    sns.scatterplot(x=table["capability"], y=table["spread"], ax=ax, **how, **dots)
    ax.collections[-1].set_clip_on(False)
    if groups is not None:
        common.legend_beside(ax, handletextpad=0.2)


def _bar_boxes(ax: Any, table: pd.DataFrame) -> FloatArray:
    """The bars and the line of minimum spread as boxes in pixels: names keep clear of them."""
    x, y = table["capability"], table["spread"]
    lines = [(ax.get_xlim()[0], 0.0, ax.get_xlim()[1], 0.0)]
    if "capability_low" in table:
        lines += list(zip(table["capability_low"], y, table["capability_high"], y, strict=True))
    if "spread_low" in table:
        lines += list(zip(x, table["spread_low"], x, table["spread_high"], strict=True))
    return line_boxes(ax, lines)


def _agents_to_name(table: pd.DataFrame, labels: Any) -> pd.DataFrame:
    if isinstance(labels, str):
        choice("labels", labels, ["auto"])
        labels = len(table[["capability", "spread"]].drop_duplicates()) <= _FEW
    if isinstance(labels, bool):
        return table if labels else table.iloc[:0]
    for name in labels:
        if name not in table.index:
            problem = "[not-an-agent] is not an agent of the table"
            raise BadInput("labels", name, problem, "name known agents")
    return table.loc[list(labels)]


@common.styled
def plot_subgroups(
    table: pd.DataFrame,
    groups: pd.Series | Sequence[Any] | str,
    interval: Interval | None = None,
    *,
    columns: int = 3,
    unit: str = "",
    title: str = "",
) -> Any:
    """Draw one small plane of capability against spread for each group, with the other agents in grey.

    Parameters
    ----------
    table, groups, interval : as in `gl.plot_capability_spread`
    columns : panels side by side
    unit, title : of capability and spread, and of the figure

    Returns
    -------
    The array of Axes, which share one frame.

    References
    ----------
    Hernández-Orallo et al. (2021), supplement, Fig. S3.

    Examples
    --------
    >>> table = pd.DataFrame({"capability": [4.0, 6, 5], "spread": [2.0, 1, 1], "abstruse": False,
    ...                       "normalised_generality": [0.8, 0.9, 0.9]}, index=["a", "b", "c"])
    >>> plot_subgroups(table, ["x", "x", "y"], (0, 10)).shape
    (2,)
    """
    table = common.columns_of(table, ["capability", "spread"], "gl.generality(...)")
    span, member = interval_of(table, interval), group_labels(table, groups)
    assert member is not None
    names = list(member.cat.categories)
    across = min(columns, len(names))
    down = -(-len(names) // across)
    size = (3.1 * across, 2.7 * down + 0.3)
    figure, grid = plt.subplots(down, across, figsize=size, sharex=True, sharey=True, squeeze=False)
    axes = grid.ravel()
    for spare in axes[len(names) :]:
        spare.set_axis_off()
    for k, (ax, name) in enumerate(zip(axes, names, strict=False)):
        set_frame(ax, table, span, "interval")
        draw_isometrics(ax, span, (), labels=False)
        own, others = table[member == name], table[member != name]
        ax.scatter(others["capability"], others["spread"], s=7, color=common.PALE, zorder=2, linewidth=0)
        ax.scatter(
            own["capability"], own["spread"], s=14, color=common.POINT, alpha=0.7, linewidth=0, zorder=4
        )
        common.heading(ax, f"{name} ({len(own)})", common.summary_line(own, short=True), small=True)
        ax.tick_params(labelbottom=k + across >= len(names))
    figure.supxlabel(common.with_unit("capability Ψ", unit), fontsize=9.5)
    figure.supylabel(common.with_unit("spread S", unit), fontsize=9.5)
    common.over_all(figure, title)
    return axes[: len(names)]


@common.styled
def animate_capability_spread(
    frames: Mapping[str, pd.DataFrame],
    interval: Interval | None = None,
    *,
    seconds: float = 1.0,
    unit: str = "",
    title: str = "",
) -> Any:
    """Draw capability against spread as an animation, for example year by year.

    Parameters
    ----------
    frames : a table of `gl.generality` for each frame, by its title
        An agent that the frame before did not hold is new, and drawn in red.
    interval : lowest and highest difficulty; by default that of the first table
    seconds : for which a frame is shown
    unit, title : of capability and spread, and of the figure

    Returns
    -------
    A matplotlib animation, for `gl.save_animation` or `gl.animation_html`.

    Examples
    --------
    >>> table = pd.DataFrame({"capability": [4.0, 6], "spread": [2.0, 1]}, index=["a", "b"])
    >>> movie = animate_capability_spread({"2015": table.head(1), "2018": table}, (0, 10))
    >>> common.animation_html(movie).count("data:image/png")
    2
    """
    if not frames:
        raise BadInput("frames", frames, "[empty] is empty", "give at least one table by its title")
    needed = ["capability", "spread"]
    tables = [(str(k), common.columns_of(t, needed, "gl.generality(...)")) for k, t in frames.items()]
    every = pd.concat([table for _, table in tables])
    span = interval_of(tables[0][1], interval)
    figure = Figure(figsize=(7.2, 4.8))
    FigureCanvasAgg(figure)  # not pyplot's: a notebook should show the movie, not its first frame
    ax = figure.subplots()
    set_frame(ax, every, span, "interval")
    ax.set(xlabel=common.with_unit("capability Ψ", unit), ylabel=common.with_unit("spread S", unit))
    ax.set_title(" ", loc="left", pad=18)
    figure.canvas.draw()
    ground = draw_isometrics(ax, span, LEVELS, marks=every[needed].to_numpy(float))
    figure.set_layout_engine("none")  # or a longer title would move the frame
    floor = line_boxes(ax, [(ax.get_xlim()[0], 0.0, ax.get_xlim()[1], 0.0)])
    avoid = np.vstack([boxes_of(ground), floor])
    drawn: list[Any] = []

    def draw(k: int) -> list[Any]:
        for artist in drawn:
            artist.remove()
        drawn[:] = _draw_frame(ax, tables[k][1], tables[k - 1][1] if k else None, avoid)
        words = f"{title}: {tables[k][0]}" if title else tables[k][0]
        ax.set_title(words, loc="left", pad=18, fontsize=10.5, fontweight="bold")
        return drawn

    pause = 1000 * number("seconds", seconds, 0.02, 60)
    return FuncAnimation(figure, draw, init_func=list, frames=len(tables), interval=pause)


def _draw_frame(ax: Any, table: pd.DataFrame, before: pd.DataFrame | None, avoid: FloatArray) -> list[Any]:
    """The points, names and summary of one frame; in the first frame all agents are new."""
    fresh = ~table.index.isin([] if before is None else before.index)
    x, y = table[["capability", "spread"]].to_numpy(float).T
    look = {"edgecolor": "white", "linewidth": 0.5, "zorder": 4, "clip_on": False}
    drawn = [ax.scatter(x[~fresh], y[~fresh], s=30, color="#8FA3B5", **look)]
    drawn += [ax.scatter(x[fresh], y[fresh], s=46, color=common.ODD, marker="D", **look)]
    drawn += label_points(ax, tied_labels(x, y, list(map(str, table.index))), avoid=avoid, size=7.5)
    return [*drawn, common.above_frame(ax, common.summary_line(table) + " · red: new")]
