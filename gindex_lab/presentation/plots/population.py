"""What surrounds the main figure: items (difficulty against mean) and agents (histograms)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.correlations import correlation, rank_correlation
from gindex_lab.presentation.plots.common import (
    columns_of,
    heading,
    new_axes,
    number_text,
    styled,
    with_unit,
)
from gindex_lab.presentation.plots.labels import label_points, tied_labels

__all__ = ["plot_difficulty_mean", "plot_histograms"]

_FEW_ITEMS = 30
_NAMES = {
    "capability": "capability Ψ",
    "spread": "spread S",
    "generality": "generality Γ",
    "normalised_generality": "normalised generality γ",
    "expected_difficulty": "expected difficulty H",
    "mean": "mean response",
}


@styled
def plot_difficulty_mean(
    items: pd.DataFrame,
    *,
    labels: bool | None = None,
    unit: str = "",
    title: str = "",
    ax: Any = None,
) -> Any:
    """The mean response of each item against its difficulty, with both correlations (Fig. S2, S10).

    `items` has the columns `difficulty` and `mean`; items are named if they are few.

    >>> items = pd.DataFrame({"difficulty": [1.0, 2, 3], "mean": [0.9, 0.5, 0.2]})
    >>> plot_difficulty_mean(items).get_xlabel()
    'difficulty h'
    """
    items = columns_of(items, ["difficulty", "mean"], "one row per item")
    ax = new_axes(ax, figsize=(5.6, 3.8))
    x, y = items["difficulty"].to_numpy(float), items["mean"].to_numpy(float)
    ax.plot(x, y, "o", color="#1F3B57", mec="white", mew=0.5, ms=5.5, clip_on=False, zorder=3)
    if np.ptp(x) > 0:
        slope, base = np.polyfit(x, y, 1)
        ends = np.array([x.min(), x.max()])
        ax.plot(ends, base + slope * ends, color="#9A9A9A", lw=1.0, zorder=2)
    ax.set(
        ylim=(-0.04, 1.04),
        xlabel=with_unit("difficulty h", unit),
        ylabel="mean response of the item",
    )
    found = {"Pearson r": correlation(x, y), "Spearman ρ": rank_correlation(x, y)}
    line = [f"{k} {v:.2f}".replace("-", "−") for k, v in found.items() if not np.isnan(v)]
    heading(ax, title, " · ".join([f"{len(items)} items", *line]))
    if labels or (labels is None and len(items) <= _FEW_ITEMS):
        label_points(ax, tied_labels(x, y, [str(i) for i in items.index]), size=7)
    return ax


@styled
def plot_histograms(
    table: pd.DataFrame,
    columns: Sequence[str] = ("capability", "spread", "normalised_generality"),
    *,
    unit: str = "",
    title: str = "",
) -> Any:
    """How the agents are spread over each indicator, with mean (line) and median (dashes).

    >>> table = pd.DataFrame({"capability": [1.0, 2, 3], "spread": [0.1, 0.2, 0.3]})
    >>> len(plot_histograms(table, ["capability", "spread"]))
    2
    """
    import matplotlib.pyplot as plt

    table = columns_of(table, list(columns), "gl.generality(...)")
    figure, grid = plt.subplots(1, len(columns), figsize=(3.2 * len(columns), 2.9), squeeze=False)
    for ax, name in zip(grid[0], columns, strict=True):
        _histogram(ax, table[name].to_numpy(float))
        has_unit = name in ("capability", "spread", "expected_difficulty")
        ax.set(xlabel=with_unit(_NAMES.get(name, name), unit if has_unit else ""))
    grid[0][0].set_ylabel("agents")
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    return grid[0]


def _histogram(ax: Any, values: FloatArray) -> None:
    finite = values[np.isfinite(values)]
    infinite = len(values) - len(finite)
    ax.hist(finite, bins=_bins(finite), color="#7FA6C9", edgecolor="white")
    if len(finite):
        ax.axvline(finite.mean(), color="#1F3B57", lw=1.3)
        ax.axvline(float(np.median(finite)), color="#1F3B57", lw=1.0, ls="--")
        line = f"mean {number_text(finite.mean())} · median {number_text(float(np.median(finite)))}"
        heading(ax, "", line + (f" · {infinite} infinite" if infinite else ""), small=True)
    ax.yaxis.get_major_locator().set_params(integer=True)


def _bins(values: FloatArray) -> Any:
    """Freedman and Diaconis' rule, kept between 5 and 40: R's and NumPy's rules differ on ties."""
    if len(values) < 2 or np.ptp(values) == 0:
        return 5
    q25, q75 = np.quantile(values, [0.25, 0.75])
    width = 2 * (q75 - q25) / len(values) ** (1 / 3)
    count = int(np.ceil(np.ptp(values) / width)) if width > 0 else 20
    return int(np.clip(count, 5, 40))
