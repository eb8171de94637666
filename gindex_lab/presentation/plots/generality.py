"""The figures of generality analysis, in one style: tables in, axes out.

A plot never computes a measure: `plot_curve` draws the table of `gl.characteristic_curve`,
`plot_capability_spread` and `plot_subgroups` that of `gl.generality`. Names stand beside their
points, isometrics are labelled on the curve, and the summary is one line above the frame, so that
nothing covers the data. Colours are safe for colour-blind readers and differ in lightness; groups
also differ by marker. Every function returns the Axes (or the array of them).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray, choice
from gindex_lab.presentation.plots.common import (
    STYLE,
    columns_of,
    heading,
    indicator_line,
    new_axes,
    styled,
    summary_line,
    use_style,
    with_unit,
)
from gindex_lab.presentation.plots.isometrics import (
    LEVELS,
    Interval,
    animate_capability_spread,
    animation_html,
    draw_isometrics,
    interval_of,
    save_animation,
)
from gindex_lab.presentation.plots.labels import (
    boxes_of,
    label_points,
    line_boxes,
    line_points,
    tied_labels,
)
from gindex_lab.presentation.plots.population import plot_difficulty_mean, plot_histograms

__all__ = [
    "STYLE",
    "animate_capability_spread",
    "animation_html",
    "plot_capability_spread",
    "plot_curve",
    "plot_difficulty_mean",
    "plot_histograms",
    "plot_subgroups",
    "save_animation",
    "use_style",
]


@styled
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
    """An agent characteristic curve: mean response ψ against difficulty h (§E.1, Fig. S30).

    `curve` has the columns `difficulty`, `response` and `n` (a dot grows with its number of items);
    `indicators` is the agent's row of `gl.generality`, written above the frame; `items` (columns
    `difficulty`, `response`) adds the single responses as grey circles. Beyond the observed
    difficulties the curve is extrapolated over `interval`: solved on the left, failed on the right,
    dotted. `estimator="step"` draws steps instead of straight pieces. Where the curve has columns `low`
    and `high` (`gl.characteristic_curve(..., method="smooth", ci=0.95)`), they are drawn as a band.

    >>> curve = pd.DataFrame({"difficulty": [1, 2, 3], "response": [1, 0.5, 0], "n": [4, 4, 4]})
    >>> plot_curve(curve, interval=(0, 4)).get_ylabel()
    'mean response ψ'
    """
    curve = columns_of(curve, ["difficulty", "response"], "gl.characteristic_curve(...)")
    choice("estimator", estimator, ["trapezoid", "step"])
    curve = curve.sort_values("difficulty", kind="stable")
    ax = new_axes(ax, figsize=(5.6, 3.6))
    h, psi = curve["difficulty"].to_numpy(float), curve["response"].to_numpy(float)
    if items is not None:
        _draw_items(ax, columns_of(items, ["difficulty", "response"], "one row per item"))
    if {"low", "high"} <= set(curve.columns):
        ax.fill_between(h, curve["low"], curve["high"], color="#0B5FA5", alpha=0.18, linewidth=0)
    else:
        ax.fill_between(h, psi, step=_STEP[estimator], color="#0B5FA5", alpha=0.10, linewidth=0)
    ax.plot(h, psi, drawstyle=_DRAW[estimator], color="#0B5FA5", zorder=3)
    area = 14 + 60 * curve["n"] / curve["n"].max() if "n" in curve and len(curve) <= 60 else None
    if area is not None:
        ax.scatter(h, psi, s=area, color="#0B5FA5", edgecolor="white", linewidth=0.7, zorder=4)
    found = interval if interval is not None else curve.attrs.get("interval")
    if found is not None:
        solved = 1.0 if estimator == "trapezoid" else psi[0]  # a first step reaches back
        _draw_extrapolation(ax, h, psi, interval_of(curve, found), solved)
    ax.set(ylim=(-0.05, 1.05), xlabel=with_unit("difficulty h", unit), ylabel="mean response ψ")
    heading(ax, title, indicator_line(indicators))
    return ax


_STEP = {"trapezoid": None, "step": "pre"}
_DRAW = {"trapezoid": "default", "step": "steps-pre"}


def _draw_items(ax: Any, items: pd.DataFrame) -> None:
    """Single responses, pulled apart where they coincide: the darker, the more items."""
    ax.plot(items["difficulty"], items["response"], "o", ms=4, mfc="none", mec="#8A8A8A", alpha=0.5)


def _draw_extrapolation(
    ax: Any, h: FloatArray, psi: FloatArray, interval: Interval, solved: float
) -> None:
    low, high = interval
    look = {"color": "#0B5FA5", "linestyle": (0, (1, 1.5)), "linewidth": 1.4, "zorder": 2}
    if low < h[0]:
        ax.plot([low, h[0], h[0]], [solved, solved, psi[0]], **look)
        ax.fill_between([low, h[0]], solved, color="#0B5FA5", alpha=0.05, linewidth=0)
    if high >= h[-1]:
        ax.plot([h[-1], h[-1], high], [psi[-1], 0, 0], **look)


MARKERS = "osD^vPX*<>"
_FEW = 40  # more distinct points than this get no names unless asked for
_POINT = "#1F3B57"
_MUTED = "#C9CDD2"


@styled
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
    """Capability against spread, over the isometrics of the interval (Fig. 4 and 5).

    `table` comes from `gl.generality`; its columns `*_low` and `*_high`, where there, are drawn as
    light bars. The interval of difficulties is `table.attrs["interval"]` unless given. `labels`:
    "auto" names the agents if few, True all, False none, or a list of those to name; agents at the
    same point share one label. `groups` (a column, or one value for each agent) gives colour and
    marker. `frame`: "interval" shows all of it, "data" the part where the agents are, "auto" the
    second where the agents fill little of the first, "given" the limits that `ax` has (for shared axes).

    >>> table = pd.DataFrame({"capability": [4.0, 6], "spread": [2.0, 1], "abstruse": [False] * 2,
    ...                       "normalised_generality": [0.8, 0.9]}, index=["a", "b"])
    >>> plot_capability_spread(table, (0, 10)).get_ylabel()
    'spread S'
    """
    table = columns_of(table, ["capability", "spread"], "gl.generality(...)")
    span = interval_of(table, interval)
    ax = new_axes(ax, figsize=(7.2, 4.8))
    heading(ax, title, summary_line(table) if summary else "")
    ax.set(xlabel=with_unit("capability Ψ", unit), ylabel=with_unit("spread S", unit))
    _set_frame(ax, table, span, choice("frame", frame, ["auto", "interval", "data", "given"]))
    _draw_agents(ax, table, group_labels(table, groups))
    ax.figure.canvas.draw()  # the layout must be final before anything is placed by pixels
    marks = table[["capability", "spread"]].to_numpy(float)
    written = draw_isometrics(ax, span, levels, marks=marks)
    _name_agents(ax, table, labels, np.vstack([boxes_of(written), _bar_boxes(ax, table)]))
    return ax


def group_labels(table: pd.DataFrame, groups: Any) -> pd.Series | None:
    """The group of each agent, from a column of the table, a Series by agent, or a list.

    The groups come in their own order: that of the categories, else sorted.
    """
    if groups is None:
        return None
    if isinstance(groups, str):
        groups = columns_of(table, [groups], "a table with that column")[groups]
    elif isinstance(groups, pd.Series):
        absent = table.index.difference(groups.index, sort=False)
        if len(absent):
            raise BadInput(
                "groups", absent[0], "[no-group] is an agent without a group", "give it one"
            )
        groups = groups.loc[table.index]
    elif len(groups) != len(table):
        problem = f"[wrong-length] are not one for each of the {len(table)} agents"
        raise BadInput("groups", len(groups), problem, "pass one group per agent")
    member = pd.Series(groups).set_axis(table.index).astype("category")
    return member.cat.remove_unused_categories().cat.rename_categories(str)


def _draw_agents(ax: Any, table: pd.DataFrame, groups: pd.Series | None) -> None:
    """Bars, points and (with groups) a legend outside the frame."""
    import matplotlib as mpl

    many = len(table) > 4 * _FEW
    cycle = mpl.rcParams["axes.prop_cycle"].by_key()["color"]
    names = [""] if groups is None else list(groups.cat.categories)
    for k, name in enumerate(names):
        rows = table if groups is None else table[groups == name]
        colour = _POINT if groups is None else "#" + cycle[k % len(cycle)].lstrip("#")
        _draw_bars(ax, rows, colour)
        ax.scatter(
            rows["capability"],
            rows["spread"],
            s=18 if many else 34,
            marker=MARKERS[k % len(MARKERS)],
            color=colour,
            edgecolor="white",
            linewidth=0.5,
            alpha=0.55 if many else 1.0,
            zorder=4,
            label=f"{name} ({len(rows)})",
            clip_on=False,
        )
    if groups is not None:
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), handletextpad=0.2)


def _draw_bars(ax: Any, rows: pd.DataFrame, colour: str) -> None:
    look = {"color": colour, "alpha": 0.28, "linewidth": 2.2, "zorder": 3}
    if {"capability_low", "capability_high"} <= set(rows.columns):
        ax.hlines(rows["spread"], rows["capability_low"], rows["capability_high"], **look)
    if {"spread_low", "spread_high"} <= set(rows.columns):
        ax.vlines(rows["capability"], rows["spread_low"], rows["spread_high"], **look)


def _set_frame(ax: Any, table: pd.DataFrame, interval: Interval, frame: str) -> None:
    """All of the interval up to the maximum spread, or less where the agents leave it empty."""
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
    low, high = (table.get(f"{name}_{end}", table[name]) for end in ("low", "high"))
    return float(min(low.min(), table[name].min())), float(max(high.max(), table[name].max()))


def _bar_boxes(ax: Any, table: pd.DataFrame) -> FloatArray:
    """Where the bars and the line of minimum spread are, in pixels: names keep clear of them."""
    x, y = table["capability"], table["spread"]
    lines = [(ax.get_xlim()[0], 0.0, ax.get_xlim()[1], 0.0)]
    if "capability_low" in table:
        lines += list(zip(table["capability_low"], y, table["capability_high"], y, strict=True))
    if "spread_low" in table:
        lines += list(zip(x, table["spread_low"], x, table["spread_high"], strict=True))
    return line_boxes(ax, lines)


def _name_agents(ax: Any, table: pd.DataFrame, labels: Any, avoid: FloatArray) -> None:
    named = _agents_to_name(table, labels)
    x, y = named["capability"].to_numpy(float), named["spread"].to_numpy(float)
    marks = table[["capability", "spread"]].to_numpy(float)
    texts = tied_labels(x, y, [str(name) for name in named.index])
    label_points(ax, texts, avoid=avoid, marks=marks, lines=line_points(ax))


def _agents_to_name(table: pd.DataFrame, labels: Any) -> pd.DataFrame:
    if isinstance(labels, str):
        choice("labels", labels, ["auto"])
        few = len(table[["capability", "spread"]].drop_duplicates()) <= _FEW
        return table if few else table.iloc[:0]
    if isinstance(labels, bool):
        return table if labels else table.iloc[:0]
    unknown = [name for name in labels if name not in table.index]
    if unknown:
        raise BadInput(
            "labels", unknown[0], "[not-an-agent] is not an agent of the table", "name known agents"
        )
    return table.loc[list(labels)]


@styled
def plot_subgroups(
    table: pd.DataFrame,
    groups: pd.Series | Sequence[Any] | str,
    interval: Interval | None = None,
    *,
    columns: int = 3,
    unit: str = "",
    title: str = "",
) -> Any:
    """One small capability-against-spread panel for each group, the others in grey (Fig. S3).

    All panels share one frame and their own summary line. Returns the array of Axes.

    >>> table = pd.DataFrame({"capability": [4.0, 6, 5], "spread": [2.0, 1, 1], "abstruse": False,
    ...                       "normalised_generality": [0.8, 0.9, 0.9]}, index=["a", "b", "c"])
    >>> plot_subgroups(table, ["x", "x", "y"], (0, 10)).shape
    (2,)
    """
    import matplotlib.pyplot as plt

    table = columns_of(table, ["capability", "spread"], "gl.generality(...)")
    span = interval_of(table, interval)
    member = group_labels(table, groups)
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
        _panel(ax, table, member == name, span, name)
        ax.tick_params(labelbottom=k + across >= len(names))
    figure.supxlabel(with_unit("capability Ψ", unit), fontsize=9.5)
    figure.supylabel(with_unit("spread S", unit), fontsize=9.5)
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    return axes[: len(names)]


def _panel(ax: Any, table: pd.DataFrame, mine: pd.Series, interval: Interval, name: str) -> None:
    _set_frame(ax, table, interval, "interval")
    draw_isometrics(ax, interval, (), labels=False)
    others = table[~mine]
    ax.scatter(others["capability"], others["spread"], s=7, color=_MUTED, zorder=2, linewidth=0)
    look: dict[str, Any] = {"s": 14, "color": _POINT, "alpha": 0.7, "linewidth": 0, "zorder": 4}
    ax.scatter(table["capability"][mine], table["spread"][mine], **look)
    heading(ax, f"{name} ({int(mine.sum())})", summary_line(table[mine], short=True), small=True)
