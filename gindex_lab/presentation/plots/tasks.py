"""Figures of the item generators: how two scales of difficulty agree, how many series each level has, and
how agents fare along the scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.presentation.plots.common import columns_of, heading, new_axes, styled

__all__ = ["plot_agreement_of_levels", "plot_curves_together", "plot_levels", "plot_scales"]

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#444444")


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
    colours = np.where(same, _COLOURS[0], _COLOURS[1])
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
    >>> len(plot_levels(counts).patches)
    4
    """
    columns_of(counts, list(counts.columns), "one row for each level")
    ax = new_axes(ax, figsize=(6.2, 3.6))
    width = 0.8 / len(counts.columns)
    for k, name in enumerate(counts):
        at = np.arange(len(counts)) + (k - (len(counts.columns) - 1) / 2) * width
        bars = ax.bar(at, counts[name], width * 0.92, color=_COLOURS[k], label=name)
        ax.bar_label(bars, fontsize=6.5, padding=1.5, color="#444444")
    ax.set_yscale("log")
    ax.set_ylim(0.7, 4 * counts.to_numpy().max())
    ax.set(xticks=range(len(counts)), xticklabels=[str(k) for k in counts.index])
    ax.set(xlabel=xlabel, ylabel="number")
    if len(counts.columns) > 1:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
    heading(ax, title, "")
    return ax


@styled
def plot_scales(
    table: pd.DataFrame, *, x: str, y: str, groups: str, title: str = "", ax: Any = None
) -> Any:
    """Two scales of the same items against each other, coloured by group.

    >>> table = pd.DataFrame({"one": [1, 2], "other": [3, 5], "rank": [8, 9]})
    >>> len(plot_scales(table, x="one", y="other", groups="rank").collections)
    2
    """
    columns_of(table, [x, y, groups], "one row for each item")
    ax = new_axes(ax, figsize=(6.2, 4.2))
    for k, (name, rows) in enumerate(table.groupby(groups)):
        colour = _COLOURS[k % len(_COLOURS)]
        ax.scatter(rows[x], rows[y], s=16, color=colour, alpha=0.75, label=f"{groups} {name}")
    ax.set(xlabel=x, ylabel=y)
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
    heading(ax, title, f"{len(table)} items, r = {table[x].corr(table[y]):.3f}")
    return ax


@styled
def plot_curves_together(
    curves: pd.DataFrame, *, xlabel: str = "difficulty", title: str = "", ax: Any = None
) -> Any:
    """Mean responses (columns: agents) along difficulty (index), one line each, named beside the frame in
    the order of their means.

    >>> curves = pd.DataFrame({"one": [1.0, 0.5], "other": [0.8, 0.1]}, index=[7, 8])
    >>> len(plot_curves_together(curves).lines)
    2
    """
    import matplotlib as mpl

    ax = new_axes(ax, figsize=(7.0, 4.0))
    order = curves.mean().sort_values(ascending=False, kind="stable").index
    for shade, name in zip(np.linspace(0.08, 0.86, len(order)), order, strict=True):
        colour = mpl.colormaps["viridis"](shade)
        ax.plot(curves.index, curves[name], "o-", ms=3.5, lw=1.6, color=colour, label=name)
    ax.set(xlabel=xlabel, ylabel="response", ylim=(-0.03, 1.03))
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
    heading(ax, title, "")
    return ax
