"""Figures of the g-index: performance against cost (Figs 12, 13), and how the index responds in simulations
to samples, compute, performance and distance (Figs 7-9)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.presentation.plots.common import colours_of, columns_of, new_axes, styled
from gindex_lab.presentation.plots.labels import boxes_of, label_points

__all__ = ["plot_performance_cost", "plot_response", "plot_response_scatter"]

_SMALLEST = 150.0  # area of the smallest bubble, in square points; the others in proportion
_NEAR = 8.0  # points between a bubble and a name that still stands beside it
_NAMES = {
    "training_samples": "training samples",
    "compute_pflop": "compute (PFLOP)",
    "samples_per_domain": "training samples per domain",
    "compute": "compute (PFLOP)",
}


@styled
def plot_performance_cost(
    table: pd.DataFrame, cost: str = "training_samples", *, title: str = "", ax: Any = None
) -> Any:
    """Performance θ against a cost, one bubble per run, its area in proportion to the g-index.

    `table` has the columns `model`, `performance`, `g_index` and the one named by `cost`, one row per
    run; both costs span orders of magnitude, so their axis is logarithmic. Each model has a colour, and
    its name and index stand beside each of its runs.

    >>> runs = pd.DataFrame({"model": ["a", "a"], "training_samples": [640, 1280],
    ...                      "performance": [0.5, 0.7], "g_index": [400.0, 900.0]})
    >>> plot_performance_cost(runs).get_xlabel()
    'training samples'
    """
    columns_of(table, ["model", "performance", "g_index", cost], "a table of runs")
    ax = new_axes(ax)
    area = _SMALLEST * table["g_index"] / table["g_index"].min()
    colours = colours_of(sorted(table["model"].unique()))
    for name, runs in table.sort_values(cost).groupby("model"):
        x, y = runs[cost], runs["performance"]
        ax.scatter(x, y, s=area[runs.index], color=colours[name], alpha=0.8, edgecolor="white")
    ax.set(xscale="log", ylabel="performance θ", title=title)
    _ticks(ax, cost, table[cost])
    ax.set_xlabel(_NAMES.get(cost, cost.replace("_", " ")))
    ax.margins(x=0.15, y=0.15)
    points = table[[cost, "performance"]].to_numpy(dtype=float)
    texts = [
        f"{model}\ng = {g:,.0f}" for model, g in zip(table["model"], table["g_index"], strict=True)
    ]
    labels = [(x, y, text) for (x, y), text in zip(points, texts, strict=True)]
    bubbles = _bubbles(ax, points, area.to_numpy())
    names = label_points(ax, labels, marks=points, avoid=bubbles, size=7)
    _lead_only_where_needed(ax, names, bubbles)
    return ax


def _lead_only_where_needed(ax: Any, names: list[Any], bubbles: FloatArray) -> None:
    """A name that touches its bubble needs no line to the bubble's centre."""
    near = _NEAR * ax.figure.dpi / 72
    for name, box, bubble in zip(names, boxes_of(names), bubbles, strict=True):
        gap = np.maximum(box[:2] - bubble[2:], bubble[:2] - box[2:]).max()
        if name.arrow_patch is not None and gap < near:
            name.arrow_patch.set_visible(False)


def _bubbles(ax: Any, points: FloatArray, area: FloatArray) -> FloatArray:
    """The box of each bubble in pixels, for the names to keep clear of."""
    ax.figure.canvas.draw()
    radius = np.sqrt(area / np.pi)[:, None] * ax.figure.dpi / 72
    centre = ax.transData.transform(points)
    return np.hstack([centre - radius, centre + radius])


def _ticks(ax: Any, cost: str, values: pd.Series) -> None:
    """Sample sizes come in a few steps: name those; a compute axis keeps its decades."""
    if cost != "training_samples":
        return
    steps = sorted(set(values))
    ax.set_xticks(steps, [f"{step:,}" for step in steps])
    ax.minorticks_off()


@styled
def plot_response(
    even: pd.DataFrame,
    uneven: pd.DataFrame | None = None,
    x: str = "samples_per_domain",
    *,
    title: str = "",
    ax: Any = None,
) -> Any:
    """g against samples or compute, one line per performance; bands hold nine in ten uneven splits.

    `even` and `uneven` are tables of `simulate`, without and with draws (Figs 7 and 8). The scale is
    logarithmic, since each step of 0.2 in performance multiplies g by exp(1.2).

    >>> line = pd.DataFrame({"performance": [1, 1], "compute": [50, 100], "g_index": [9.0, 8.0]})
    >>> plot_response(line, x="compute").get_xlabel()
    'compute (PFLOP)'
    """
    columns_of(even, ["performance", x, "g_index"], "a table of simulate()")
    ax = new_axes(ax, figsize=(6, 4.2))
    levels = sorted(even["performance"].unique())
    for colour, theta in zip(_colours(len(levels)), levels, strict=True):
        line = even[even["performance"] == theta]
        ax.plot(line[x], line["g_index"], color=colour, lw=1.6)
        if uneven is not None:
            drawn = uneven[uneven["performance"] == theta].groupby(x)["g_index"]
            low, high = drawn.quantile(0.05), drawn.quantile(0.95)
            ax.fill_between(low.index, low, high, color=colour, alpha=0.25, lw=0)
        end = line.iloc[-1]
        label = f" θ = {theta:g}"
        ax.annotate(label, (end[x], end["g_index"]), fontsize=8, va="center", color=colour)
    ax.set(yscale="log", xlabel=_NAMES.get(x, x), ylabel="g-index", title=title)
    ax.margins(x=0.14)
    return ax


@styled
def plot_response_scatter(table: pd.DataFrame, *, title: str = "", ax: Any = None) -> Any:
    """g against performance, coloured by the mean domain distance of each draw (Fig 9).

    >>> drawn = pd.DataFrame({"performance": [0.5], "mean_distance": [0.4], "g_index": [9.0]})
    >>> plot_response_scatter(drawn).get_ylabel()
    'g-index'
    """
    columns_of(table, ["performance", "mean_distance", "g_index"], "a table of simulate()")
    ax = new_axes(ax, figsize=(6, 4.2))
    look = {"c": table["mean_distance"], "s": 9, "cmap": "viridis"}
    points = ax.scatter(table["performance"], table["g_index"], **look)
    ax.figure.colorbar(points, ax=ax, label="mean domain distance Ω")
    ax.set(yscale="log", xlabel="performance θ", ylabel="g-index", title=title)
    return ax


def _colours(n: int) -> Any:
    import matplotlib as mpl

    return mpl.colormaps["viridis"](np.linspace(0.0, 0.85, n))
