"""The figures of generality analysis: an agent's curve, and agents in the plane of capability and spread; and
drawings of its supplement.

Figures draw the tables of `gl.characteristic_curve` and `gl.generality` and compute no measure. Names stand
beside their points and a summary above the frame, so that nothing covers the data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle, pairwise
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray, choice
from gindex_lab.presentation.plots import common
from gindex_lab.presentation.plots.isometrics import LEVELS, Interval, draw_isometrics, interval_of, set_frame
from gindex_lab.presentation.plots.labels import boxes_of, label_points, line_boxes, line_points, tied_labels

__all__ = ["plot_capability_spread", "plot_chains", "plot_curve", "plot_series", "plot_subgroups"]

_FEW = 40  # more distinct points than this get no names unless asked for: the frame has no room


@common.styled
def plot_curve(
    curve: pd.DataFrame,
    indicators: pd.Series | Mapping[str, float] | None = None,
    *,
    interval: Interval | None = None,
    items: pd.DataFrame | None = None,
    estimator: str = "trapezoid",
    unit: str = "",
    title: str = "",
    ax: Any = None,
) -> Any:
    """Draw an agent characteristic curve: the mean response ψ against difficulty h.

    Beyond the observed difficulties the curve is extrapolated over the interval, dotted: solved on the left,
    failed on the right.

    Parameters
    ----------
    curve : the table of `gl.characteristic_curve`
        Columns `difficulty`, `response` and, if known, `n` (the size of a dot) and `low`, `high` (a band).
    indicators : the agent's row of `gl.generality`, written above the frame
    interval : lowest and highest difficulty; by default `curve.attrs["interval"]`
    items : single responses, with the columns `difficulty` and `response`, drawn as grey circles
    estimator : "trapezoid" joins the points by straight pieces, "step" by steps
    unit, title, ax : of difficulty; of the figure; axes to draw into, by default new ones

    Returns
    -------
    The matplotlib Axes.

    References
    ----------
    Hernández-Orallo et al. (2021), supplement §E.1 and Fig. S30.

    Examples
    --------
    >>> curve = pd.DataFrame({"difficulty": [1, 2, 3], "response": [1, 0.5, 0], "n": [4, 4, 4]})
    >>> plot_curve(curve, interval=(0, 4)).get_ylabel()
    'mean response ψ'
    """
    curve = common.columns_of(curve, ["difficulty", "response"], "gl.characteristic_curve(...)")
    stepwise = choice("estimator", estimator, ["trapezoid", "step"]) == "step"
    curve = curve.sort_values("difficulty", kind="stable")
    ax = common.new_axes(ax, figsize=(5.6, 3.6))
    h, psi = curve["difficulty"].to_numpy(float), curve["response"].to_numpy(float)
    if items is not None:  # pale, so that it is the darker, the more items there are at a point
        single = common.columns_of(items, ["difficulty", "response"], "one row per item")
        ax.plot(single["difficulty"], single["response"], "o", ms=4, mfc="none", mec="#8A8A8A", alpha=0.5)
    if {"low", "high"} <= set(curve.columns):
        ax.fill_between(h, curve["low"], curve["high"], color=common.BLUE, alpha=0.18, linewidth=0)
    else:
        ax.fill_between(h, psi, step="pre" if stepwise else None, color=common.BLUE, alpha=0.10, linewidth=0)
    ax.plot(h, psi, drawstyle="steps-pre" if stepwise else "default", color=common.BLUE, zorder=3)
    if "n" in curve and len(curve) <= 60:
        area = 14 + 60 * curve["n"] / curve["n"].max()
        ax.scatter(h, psi, s=area, color=common.BLUE, edgecolor="white", linewidth=0.7, zorder=4)
    found = interval if interval is not None else curve.attrs.get("interval")
    if found is not None:
        solved = psi[0] if stepwise else 1.0  # a first step reaches back
        _draw_extrapolation(ax, h, psi, interval_of(curve, found), solved)
    ax.set(ylim=(-0.05, 1.05), xlabel=common.with_unit("difficulty h", unit), ylabel="mean response ψ")
    common.heading(ax, title, common.indicator_line(indicators))
    return ax


def _draw_extrapolation(ax: Any, h: FloatArray, psi: FloatArray, interval: Interval, solved: float) -> None:
    low, high = interval
    look = {"color": common.BLUE, "linestyle": (0, (1, 1.5)), "linewidth": 1.4, "zorder": 2}
    if low < h[0]:
        ax.plot([low, h[0], h[0]], [solved, solved, psi[0]], **look)
        ax.fill_between([low, h[0]], solved, color=common.BLUE, alpha=0.05, linewidth=0)
    if high >= h[-1]:
        ax.plot([h[-1], h[-1], high], [psi[-1], 0, 0], **look)


# -- the plane -----------------------------------------------------------------------------------------


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


# -- drawings of ideas ---------------------------------------------------------------------------------


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


@common.styled
def plot_series(series: Mapping[str, str], *, title: str = "", ax: Any = None) -> Any:
    """Draw series of letters as lines of music: the later in the alphabet, the higher (Fig. S8).

    Steps that pass from z to a (or back) are not joined: the alphabet is a circle.

    >>> len(plot_series({"Kt 9": "adgj", "Kt 7": "abcd"}).texts)
    10
    """
    wrong = [text for text in series.values() if not (text.isascii() and text.islower())]
    if not series or wrong:
        raise BadInput("series", wrong or series, "is not made of a to z", "give lower-case letters")
    ax = common.new_axes(ax, figsize=(8.6, 0.6 + 0.8 * len(series)))
    box = {"boxstyle": "circle,pad=0.16", "fc": "white", "ec": common.BLUE, "lw": 0.9}
    for row, (name, text) in enumerate(series.items()):
        letters = np.array([ord(letter) for letter in text])
        heights = (letters - letters.min()) / max(np.ptp(letters), 1) * 0.55 - row
        for a, b in pairwise(range(len(text))):
            if abs(letters[b] - letters[a]) <= 13:
                ax.plot([a, b], heights[[a, b]], color="#B9C4CE", lw=1.2, zorder=1)
        for at, (letter, height) in enumerate(zip(text, heights, strict=True)):
            ax.text(at, height, letter, ha="center", va="center", fontsize=8.5, bbox=box)
        ax.text(-0.9, 0.31 - row, name, ha="right", va="center", fontsize=9)
    longest = max(map(len, series.values()))
    ax.set(xlim=(-2.6, longest - 0.3), ylim=(-len(series) + 0.75, 0.95))
    ax.set_axis_off()
    ax.set_title(title, loc="left")
    return ax
