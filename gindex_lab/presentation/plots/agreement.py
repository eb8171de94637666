"""How far measures of the same people agree: rank correlations, and what each measure cannot see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.measures.psychometrics.agreement import MEASURES, QUESTIONS
from gindex_lab.presentation.plots.common import new_axes, styled

__all__ = ["plot_agreement", "plot_blind_spots"]


@styled
def plot_agreement(correlations: pd.DataFrame, title: str = "", ax: Any = None) -> Any:
    """The matrix of `rank_correlations` as coloured squares with the numbers written in them.

    >>> names = ["mean", "lz"]
    >>> plot_agreement(pd.DataFrame([[1, 0.2], [0.2, 1]], names, names)).get_title(loc="left")
    ''
    """
    ax = new_axes(ax, figsize=(5.6, 4.8))
    values = correlations.to_numpy(dtype=float)
    names = [MEASURES.get(str(name), str(name)) for name in correlations.columns]
    ax.imshow(values, cmap="RdBu_r", vmin=-1.25, vmax=1.25)
    for (row, column), value in np.ndenumerate(values):
        text = f"{value:.2f}".replace("-", "−")
        ink = "white" if abs(value) > 0.7 else "black"
        ax.text(column, row, text, ha="center", va="center", fontsize=7.5, color=ink)
    ax.set_xticks(range(len(names)), names, rotation=40, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_title(title, loc="left")
    return ax


@styled
def plot_blind_spots(spots: Mapping[str, pd.DataFrame]) -> Any:
    """The tables of `blind_spots`, one panel for each question, one marker for each data set.

    >>> table = pd.DataFrame(0.5, list(MEASURES), list(QUESTIONS))
    >>> len(plot_blind_spots({"mazes": table}).axes)
    4
    """
    import matplotlib.pyplot as plt

    size = (12.5, 3.4)
    figure, axes = plt.subplots(1, len(QUESTIONS), figsize=size, sharey=True, layout="constrained")
    for ax, (column, title) in zip(axes, QUESTIONS.items(), strict=True):
        for (name, spot), marker in zip(spots.items(), "osD^", strict=False):
            places = range(len(MEASURES))
            ax.plot(spot.loc[list(MEASURES), column], places, marker, label=name, ms=6, alpha=0.85)
        ax.axvline(0, color="0.7", lw=0.8)
        ax.set(title=title)
    axes[0].set_yticks(range(len(MEASURES)), MEASURES.values())
    axes[0].invert_yaxis()
    figure.legend(
        *axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(spots)
    )
    return figure
