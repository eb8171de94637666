"""The scree of a factor analysis."""

from __future__ import annotations

from typing import Any

import pandas as pd

from gindex_lab.presentation.plots.common import new_axes, styled

__all__ = ["plot_scree"]


@styled
def plot_scree(table: pd.DataFrame, ax: Any = None) -> Any:
    """Eigenvalues by rank; where the table has limits of noise, they are dashed in the same colour.

    The line at 1 is Kaiser's rule for components: kept for the eye, not for a decision.
    """
    ax = new_axes(ax)
    for name, marker, colour in (("components", "o", "#0072B2"), ("factors", "^", "#D55E00")):
        ax.plot(table.index, table[name], marker=marker, ms=4, color=colour, label=f"{name}, data")
        if f"{name}_limit" in table:
            ax.plot(
                table.index,
                table[f"{name}_limit"],
                "--",
                color=colour,
                lw=1.1,
                label=f"{name}, limit of noise",
            )
    ax.axhline(1, color="0.6", lw=0.8, zorder=0)
    ax.text(table.index[-1], 1.02, "Kaiser's rule", color="0.4", ha="right", va="bottom", size=8)
    ax.set(xlabel="rank k", ylabel="eigenvalue", title="How many factors stand above noise?")
    ax.legend(loc="upper right")
    return ax
