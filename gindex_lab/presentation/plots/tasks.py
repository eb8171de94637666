"""Figures of what the worlds make: levels and scales of items, mazes as people see them, and drawings of
flatland with their distances (Figs 14, 15)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle, pairwise
from textwrap import shorten
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import integer
from gindex_lab.presentation.plots.common import (
    VALUE_NAMES,
    colours_of,
    columns_of,
    heading,
    new_axes,
    note,
    palette,
    styled,
)

__all__ = [
    "plot_agreement_of_levels",
    "plot_curves_together",
    "plot_levels",
    "plot_maze",
    "plot_omega_ranges",
    "plot_omegas",
    "plot_picture",
    "plot_pictures",
    "plot_scales",
    "plot_systems",
    "plot_task",
]


@styled
def plot_agreement_of_levels(
    table: pd.DataFrame, *, x: str, y: str, title: str = "", ax: Any = None
) -> Any:
    """Two whole-number scales of the same items: a bubble for each pair, with the number of items.

    >>> pairs = pd.DataFrame({"printed": [7, 8, 8], "ours": [7, 8, 9]})
    >>> len(plot_agreement_of_levels(pairs, x="printed", y="ours").texts)
    4
    """
    columns_of(table, [x, y], "one row for each item")
    ax = new_axes(ax, figsize=(5.0, 4.4))
    counts = table.groupby([x, y]).size().rename("n").reset_index()
    ends = [table[[x, y]].min().min() - 0.7, table[[x, y]].max().max() + 0.7]
    ax.plot(ends, ends, color="#BBBBBB", lw=1.0, zorder=1)
    same = counts[x] == counts[y]
    colours = np.where(same, "#0072B2", "#D55E00")
    ax.scatter(counts[x], counts[y], s=110 + 90 * counts["n"], color=colours, alpha=0.85, zorder=2)
    for a, b, n in counts.itertuples(index=False):
        ax.text(a, b, str(n), ha="center", va="center", color="white", fontsize=8, zorder=3)
    ax.set(xlim=ends, ylim=ends, xlabel=x, ylabel=y)
    equal = int((table[x] == table[y]).sum())
    heading(ax, title, f"{len(table)} items, {equal} equal (blue)")
    return ax


@styled
def plot_levels(counts: pd.DataFrame, *, title: str = "", xlabel: str = "", ax: Any = None) -> Any:
    """How many of each kind (columns) at each level (index), on a logarithmic scale.

    >>> counts = pd.DataFrame({"series": [3, 40], "items": [1, 9]}, index=[7, 8])
    >>> sum(len(bars) for bars in plot_levels(counts).containers)
    4
    """
    import seaborn as sns

    columns_of(counts, list(counts.columns), "one row for each level")
    ax = new_axes(ax, figsize=(6.2, 3.6))
    by_level = counts.rename_axis("level").reset_index()
    rows = by_level.melt("level", var_name="kind", value_name="number")
    look = {"palette": palette()[: len(counts.columns)], "saturation": 1, "gap": 0.08, "lw": 0}
    sns.barplot(rows, x="level", y="number", hue="kind", errorbar=None, ax=ax, **look)
    for bars in ax.containers:
        ax.bar_label(bars, fontsize=7, padding=1.5, color="#444444")
    ax.set(yscale="log", ylim=(0.7, 4 * counts.to_numpy().max()), xlabel=xlabel, ylabel="number")
    _legend_beside(ax, shown=len(counts.columns) > 1)
    heading(ax, title, "")
    return ax


@styled
def plot_scales(
    table: pd.DataFrame, *, x: str, y: str, groups: str, title: str = "", ax: Any = None
) -> Any:
    """Two scales of the same items against each other, coloured by group.

    >>> table = pd.DataFrame({"one": [1, 2], "other": [3, 5], "rank": [8, 9]})
    >>> len(plot_scales(table, x="one", y="other", groups="rank").get_legend().get_texts())
    2
    """
    import seaborn as sns

    columns_of(table, [x, y, groups], "one row for each item")
    ax = new_axes(ax, figsize=(6.2, 4.2))
    shades = palette() * (1 + table[groups].nunique() // len(palette()))
    colours = dict(zip(sorted(table[groups].unique()), shades, strict=False))
    look = {"s": 16, "alpha": 0.75, "linewidth": 0}
    sns.scatterplot(table, x=x, y=y, hue=groups, palette=colours, ax=ax, **look)
    _legend_beside(ax, title=groups)
    heading(ax, title, f"{len(table)} items, r = {table[x].corr(table[y]):.3f}")
    return ax


@styled
def plot_curves_together(
    curves: pd.DataFrame, *, xlabel: str = "difficulty", title: str = "", ax: Any = None
) -> Any:
    """Mean responses (columns: agents) along difficulty (index), one line each, named beside the frame in
    the order of their means; shades are too close to tell ten lines apart, so each has its own mark too.

    >>> curves = pd.DataFrame({"one": [1.0, 0.5], "other": [0.8, 0.1]}, index=[7, 8])
    >>> len(plot_curves_together(curves).lines)
    2
    """
    import matplotlib as mpl

    ax = new_axes(ax, figsize=(7.0, 4.0))
    order = curves.mean().sort_values(ascending=False, kind="stable").index
    shades = mpl.colormaps["cividis"](np.linspace(0.08, 0.86, len(order)))
    for colour, mark, name in zip(shades, cycle("osD^vPX*<>"), order, strict=False):
        ax.plot(curves.index, curves[name], marker=mark, ms=5, lw=1.6, color=colour, label=name)
    ax.set(xlabel=xlabel, ylabel="response", ylim=(-0.03, 1.03))
    _legend_beside(ax)
    heading(ax, title, "")
    return ax


@styled
def plot_maze(
    rank: object,
    dots: Iterable[tuple[int, int]],
    path: Sequence[tuple[int, int]] = (),
    *,
    title: str = "",
    ax: Any = None,
) -> Any:
    """Crossings (r, c) with r + c < rank, the tip (0, 0) at the bottom; a path drawn over them.

    >>> plot_maze(3, [(1, 0)], [(0, 0), (1, 0)], title="small").get_title(loc="left")
    'small'
    """
    rows, marked = integer("rank", rank, 2), set(dots)
    ax = new_axes(ax, figsize=(4.6, 4.0))
    for k in range(rows - 1):  # the paths up to the left and to the right, each as one long line
        ends = [(0, k), (rows - 1 - k, k)], [(k, 0), (k, rows - 1 - k)]
        for end in ends:
            ax.plot(*_line(end), color="#C9CDD2", lw=1.0, zorder=1)
    if len(path):
        ax.plot(*_line(path), color="#0072B2", lw=2.6, zorder=2)
    across, height = _line(sorted(marked))
    ax.scatter(across, height, s=46, color="#E69F00", edgecolor="#4A3200", linewidth=0.8, zorder=3)
    ax.set_aspect("equal")
    ax.set_axis_off()
    met = f", {len(marked & set(path))} on the path" if len(path) else ""
    heading(ax, title, f"{rows} rows, {len(marked)} dots{met}")
    return ax


def _line(crossings: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [c - r for r, c in crossings], [r + c for r, c in crossings]


_INK = "#222222"
_GREY = "#8A9099"


@styled
def plot_picture(image: Any, *, title: str = "", ax: Any = None) -> Any:
    """One picture of 0 and 1, black on white, in a thin frame.

    >>> plot_picture(np.zeros((128, 128)), title="empty").get_title()
    'empty'
    """
    picture = np.asarray(image)
    if picture.ndim != 2:
        raise BadInput("image", picture.shape, "is not a picture", "pass program.image()")
    ax = new_axes(ax, figsize=(3, 3))
    ax.imshow(1 - picture, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.grid(visible=False)
    for spine in ax.spines.values():
        spine.set(visible=True, color=_GREY, linewidth=0.8)
    ax.set_title(title, fontsize=9, fontweight="normal", loc="center")
    return ax


@styled
def plot_pictures(pictures: Mapping[str, Any], *, columns: int = 4, title: str = "") -> Any:
    """Pictures in rows, each under its label.

    >>> len(plot_pictures({"a": np.zeros((128, 128)), "b": np.ones((128, 128))}, columns=2).axes)
    2
    """
    import matplotlib.pyplot as plt

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


@styled
def plot_task(image: Any, program: str, nodes: str, *, title: str = "") -> Any:
    """A task, its program as text and the beginning of its JSON, side by side (Fig 14).

    >>> len(plot_task(np.zeros((128, 128)), "f(start) -> ...", "[...]").axes)
    3
    """
    import matplotlib.pyplot as plt

    shape: dict[str, Any] = {"figsize": (10.6, 4.6), "width_ratios": (1.0, 1.05, 1.0)}
    figure, axes = plt.subplots(1, 3, layout="constrained", **shape)
    plot_picture(image, title="task", ax=axes[0])
    for ax, name, text in zip(axes[1:], ("program", "JSON"), (program, nodes), strict=True):
        ax.set_axis_off()
        ax.set_title(name, fontsize=9, loc="left")
        ax.text(0, 1, _cut(text), va="top", family="monospace", fontsize=7.4, color=_INK)
    figure.suptitle(title)
    return figure


def _cut(text: str, lines: int = 31, width: int = 56) -> str:
    """As much of a text as a panel holds."""
    found = text.rstrip().splitlines()
    shown = [line if len(line) <= width else line[: width - 1] + "…" for line in found[:lines]]
    return "\n".join(shown + (["…"] if len(found) > lines else []))


@styled
def plot_omega_ranges(
    table: pd.DataFrame,
    published: Mapping[str, float] | None = None,
    *,
    title: str = "",
    ax: Any = None,
) -> Any:
    """Ω of many samples of each test domain, and what the paper prints for one of them (Fig 15).

    `table` has the columns `domain` and `omega`, a row per sample; `published` is Ω by domain.

    >>> rows = pd.DataFrame({"domain": ["lines", "lines"], "omega": [0.2, 0.4]})
    >>> plot_omega_ranges(rows, {"lines": 0.25}).get_xlabel()
    'domain distance Ω'
    """
    columns_of(table, ["domain", "omega"], "a table of samples")
    ax = new_axes(ax, figsize=(7, 3.6))
    names = list(dict.fromkeys(table["domain"]))[::-1]
    for at, name in enumerate(names):
        values = np.sort(table.loc[table["domain"] == name, "omega"].to_numpy())
        shift = 0.26 * np.sin(np.arange(len(values)) * 2.399963)  # a fixed spread, not a random one
        ax.scatter(values, at + shift, s=9, color="#0072B2", alpha=0.35, lw=0, zorder=2)
        ax.plot([np.median(values)] * 2, [at - 0.34, at + 0.34], color=_INK, lw=2, zorder=3)
        if published and name in published:
            ax.scatter(published[name], at, marker="D", s=52, color="#D55E00", ec="white", zorder=4)
    ax.set_yticks(range(len(names)), names)
    ax.set(xlim=(-0.02, 1.02), xlabel="domain distance Ω", title=title)
    ax.grid(visible=False, axis="y")
    _key(ax, bool(published))
    return ax


def _key(ax: Any, published: bool) -> None:
    """What dot, bar and diamond mean, outside the frame."""
    from matplotlib.lines import Line2D

    marks = [
        Line2D([], [], marker="o", ls="", color="#0072B2", alpha=0.6, ms=4, label="one drawing"),
        Line2D([], [], marker="|", ls="", color=_INK, mew=2, ms=10, label="median"),
    ]
    paper = Line2D([], [], marker="D", ls="", color="#D55E00", ms=6, label="paper, Fig 15")
    marks += [paper] if published else []
    ax.legend(handles=marks, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)


@styled
def plot_omegas(table: pd.DataFrame, *, title: str = "", ax: Any = None) -> Any:
    """Ω of each test (a line each) as the set of primitives grows (columns, in order).

    >>> plot_omegas(pd.DataFrame({"move, turn, loop": [0.5], "+ circle": [0.3]}, ["car"])).get_ylabel()
    'domain distance Ω'
    """
    if not isinstance(table, pd.DataFrame) or table.empty or table.isna().any(axis=None):
        raise BadInput("table", table, "is not a full table of Ω", "tests x primitive sets")
    ax = new_axes(ax, figsize=(7.5, 4.2))
    last = table.iloc[:, -1].to_numpy(dtype=float)
    ends = _apart(last, 0.05 * float(np.ptp(table.to_numpy(dtype=float))))
    for (name, row), end in zip(table.iterrows(), ends, strict=True):
        (line,) = ax.plot(range(table.shape[1]), row.to_numpy(dtype=float), marker="o", ms=4)
        offset = {"xytext": (table.shape[1] - 0.9, end), "va": "center", "fontsize": 8}
        ax.annotate(str(name), (table.shape[1] - 1, row.iloc[-1]), color=line.get_color(), **offset)
    ax.set_xticks(range(table.shape[1]), list(table.columns))
    ax.set(xlim=(-0.2, table.shape[1] - 0.2), xlabel="primitives")
    ax.set(ylabel="domain distance Ω", title=title)
    return ax


def _apart(values: Any, gap: float) -> Any:
    """Heights for labels beside values, at least `gap` from each other."""
    order = np.argsort(values)
    placed = np.array(values, dtype=float)
    for lower, upper in pairwise(order):
        placed[upper] = max(placed[upper], placed[lower] + gap)
    return placed - max(0.0, float((placed - values).mean()))


@styled
def plot_systems(
    table: pd.DataFrame,
    value: str = "performance",
    *,
    order: Sequence[str] | None = None,
    title: str = "",
    ax: Any = None,
) -> Any:
    """A value of each system against Ω of the test domains, which are named below the axis.

    `table` has the columns `system`, `domain`, `omega` and the one named by `value`.

    >>> rows = pd.DataFrame({"system": ["a", "a"], "domain": ["near", "far"], "omega": [0.2, 0.8],
    ...                      "performance": [0.9, 0.3]})
    >>> plot_systems(rows).get_ylabel()
    'performance θ'
    """
    import seaborn as sns

    columns_of(table, ["system", "domain", "omega", value], "a table of systems and domains")
    ax = new_axes(ax, figsize=(7.5, 4.4))
    names = list(order or dict.fromkeys(table["system"]))
    how = {"hue": "system", "hue_order": names, "palette": colours_of(names), "errorbar": None}
    look = {"marker": "o", "ms": 5, "mec": "none", "estimator": None}
    sns.lineplot(table, x="omega", y=value, ax=ax, **how, **look)
    ax.set_xlabel("domain distance Ω of the test domain")
    ax.set_ylabel(VALUE_NAMES.get(value, value.replace("_", " ")))
    means = table.groupby("domain", sort=False)["omega"].mean().sort_values()
    places = _apart(means.to_numpy(), 0.035 * float(np.ptp(means.to_numpy())))
    for (name, omega), place in zip(means.items(), places, strict=True):
        ax.axvline(omega, color=_GREY, lw=0.5, ls=":", zorder=0)
        text = shorten(str(name).replace("_", " ").removesuffix("-1"), 24)
        look = {"xycoords": ("data", "axes fraction"), "rotation": 40, "color": "#555555"}
        note(ax, text, (place, 1), (0, 3), fontsize=7.5, **look)
    ax.set_title(title, pad=58)
    _legend_beside(ax)
    return ax


def _legend_beside(ax: Any, *, title: str | None = None, shown: bool = True) -> None:
    """The legend beside the frame, where there is more than one thing to tell apart."""
    legend = ax.legend(title=title, loc="upper left", bbox_to_anchor=(1.01, 1.0))
    legend.set_visible(shown)
    legend.set_in_layout(shown)
