"""Figures of the simulated g-index: how it responds to samples, compute, performance, distance (Figs 7-9)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.presentation.plots.common import columns_of, new_axes, styled

__all__ = ["plot_response", "plot_response_scatter"]

_NAMES = {
    "samples_per_domain": "training samples per domain",
    "compute": "compute (PFLOP)",
    "performance": "performance θ",
}


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
    ax.set_yscale("log")
    ax.set_xlabel(_NAMES.get(x, x))
    ax.set_ylabel("g-index")
    ax.set_title(title)
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
    points = ax.scatter(
        table["performance"], table["g_index"], c=table["mean_distance"], s=9, cmap="viridis"
    )
    ax.figure.colorbar(points, ax=ax, label="mean domain distance Ω")
    ax.set_yscale("log")
    ax.set_xlabel(_NAMES["performance"])
    ax.set_ylabel("g-index")
    ax.set_title(title)
    return ax


def _colours(n: int) -> Any:
    import matplotlib as mpl

    return mpl.colormaps["viridis"](np.linspace(0.0, 0.85, n))
