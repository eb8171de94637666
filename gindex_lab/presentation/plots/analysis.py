"""The figures of an analysis: does the order survive, what is left after shuffling, which items are odd.

Tables in, figures out: `gl.analysis` computes what is drawn here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.presentation.plots.common import columns_of, heading, new_axes, styled

__all__ = ["plot_item_audit", "plot_shuffle", "plot_survival"]

_POINT, _ODD, _MUTED = "#1F3B57", "#B2182B", "#C9CDD2"
_NAMES = {"capability": "capability Ψ", "normalised_generality": "normalised generality γ"}


@styled
def plot_survival(table: pd.DataFrame, tables: Mapping[str, pd.DataFrame]) -> Any:
    """Ranks of the agents in `table` against their ranks under each other definition.

    One column per definition, one row for capability and one for γ; on the diagonal nothing changed.

    >>> table = pd.DataFrame({"capability": [1.0, 2, 3], "normalised_generality": [0.1, 0.3, 0.2]})
    >>> len(plot_survival(table, {"rank": table, "irt": table}).axes)
    4
    """
    import matplotlib.pyplot as plt
    from matplotlib.ticker import MaxNLocator

    size = (1.9 * len(tables) + 0.7, 4.1)
    figure, grid = plt.subplots(
        2, len(tables), figsize=size, squeeze=False, sharex=True, sharey=True
    )
    n = len(table)
    for row, (measure, label) in zip(grid, _NAMES.items(), strict=True):
        columns_of(table, [measure], "gl.generality(...)")
        here = table[measure].rank(ascending=False)
        for ax, other in zip(row, tables.values(), strict=True):
            there = other.loc[table.index, measure].rank(ascending=False)
            ax.plot([1, n], [1, n], color=_MUTED, linewidth=1.2, zorder=1)
            ax.scatter(
                here, there, s=22 if n <= 60 else 9, color=_POINT, alpha=0.75, zorder=2, linewidth=0
            )
            ax.set_box_aspect(1)
        row[0].set_ylabel(f"rank, {label}", fontsize=8.5)
    grid[0][0].set(xlim=(n + 0.7, 0.3), ylim=(n + 0.7, 0.3))
    for top, bottom, name in zip(grid[0], grid[-1], tables, strict=True):
        top.set_title(name, fontsize=9.5)
        bottom.set_xlabel("rank in this analysis", fontsize=8.5)
        for axis in (bottom.xaxis, top.yaxis):
            axis.set_major_locator(MaxNLocator(4, integer=True))
    return figure


@styled
def plot_shuffle(control: pd.DataFrame) -> Any:
    """What shuffled responses give (bars), and what the data give (line); from `shuffle_control`.

    >>> control = pd.DataFrame({"observed": [0.2, 0.7]}, index=["capability_sd", "mean_gamma"])
    >>> control.attrs["draws"] = pd.DataFrame({"capability_sd": [0.1, 0.12], "mean_gamma": [0.6, 0.61]})
    >>> len(plot_shuffle(control).axes)
    2
    """
    import matplotlib.pyplot as plt

    columns_of(control, ["observed"], "gl.analysis.shuffle_control(...)")
    titles = {"capability_sd": "sd of capability over agents", "mean_gamma": "mean γ of the agents"}
    figure, grid = plt.subplots(1, 2, figsize=(8.4, 2.7))
    for ax, (name, title) in zip(grid, titles.items(), strict=True):
        draws = control.attrs["draws"][name]
        low, high = draws.min(), draws.max()
        room = max(high - low, 1e-3 * max(abs(high), 1e-3))
        ax.hist(draws, bins=np.linspace(low - room / 20, high + room / 20, 18), color=_MUTED)
        ax.axvline(control.loc[name, "observed"], color=_ODD, linewidth=1.8)
        ax.set(xlabel=title, yticks=[])
        ax.margins(x=0.08)
        heading(ax, "", "bars: shuffled · line: the data", small=True)
    return figure


@styled
def plot_item_audit(audit: pd.DataFrame, ax: Any = None) -> Any:
    """Discrimination of each item against its mean; items that point the wrong way in red.

    >>> audit = pd.DataFrame({"mean": [0.2, 0.7], "discrimination": [0.4, -0.6], "negative": [False, True]})
    >>> plot_item_audit(audit).get_ylabel()
    'discrimination'
    """
    drawn = columns_of(
        audit.dropna(subset="discrimination"), ["mean", "discrimination"], "item_audit"
    )
    ax = new_axes(ax, figsize=(7.2, 3.2))
    small = 10 if len(drawn) > 300 else 22
    odd = drawn["negative"].astype(bool)
    for rows, colour in ((drawn[~odd], _POINT), (drawn[odd], _ODD)):
        ax.scatter(
            rows["mean"], rows["discrimination"], s=small, color=colour, alpha=0.6, linewidth=0
        )
    ax.axhline(0, color="#888888", linewidth=0.8)
    ax.set(xlabel="mean over agents", ylabel="discrimination")
    line = f"{len(drawn)} items that vary"
    heading(
        ax,
        "",
        line + (f" · red: {int(odd.sum())} below 0 beyond chance" if odd.any() else ""),
        small=True,
    )
    return ax
