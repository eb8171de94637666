"""How sure is each number? Agents in a column, each measure with its interval, the best on top.

Beside a capability-against-spread plot, where bars of many agents would cover each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import choice
from gindex_lab.presentation.plots.common import columns_of, styled

__all__ = ["plot_intervals"]

_NAMES = {
    "capability": "capability Ψ",
    "spread": "spread S",
    "generality": "generality Γ",
    "normalised_generality": "normalised generality γ",
    "expected_difficulty": "expected difficulty H",
    "mean": "mean response",
    "score": "score",
}


@styled
def plot_intervals(
    table: pd.DataFrame,
    measures: Sequence[str] = ("capability", "normalised_generality"),
    *,
    exact: pd.DataFrame | None = None,
    title: str = "",
) -> Any:
    """One panel for each measure: a dot for the estimate, a bar for its interval.

    `table` comes from `gl.generality(..., ci=...)`; agents stand in the order of the first measure.
    `exact`, another such table, adds an open circle where its value differs visibly.

    >>> import gindex_lab as gl
    >>> table = gl.generality([[1, 1, 0, 0], [1, 0, 1, 1]], difficulty=[1, 2, 3, 4], ci=0.95)
    >>> [ax.get_xlabel() for ax in plot_intervals(table).axes]
    ['capability Ψ', 'normalised generality γ']
    """
    import matplotlib.pyplot as plt

    if not measures:
        raise BadInput("measures", measures, "is empty", "name at least one measure")
    for name in measures:
        choice("measures", name, list(_NAMES))
        columns_of(table, [name, f"{name}_low", f"{name}_high"], "gl.generality(..., ci=0.95)")
    rows = table.sort_values(measures[0], kind="stable")
    size = (4.2 * len(measures) + 1.2, 0.24 * len(rows) + 1.3)
    figure, grid = plt.subplots(1, len(measures), figsize=size, sharey=True, squeeze=False)
    for ax, name in zip(grid[0], measures, strict=True):
        _draw_column(ax, rows, name)
        if exact is not None:
            other = columns_of(exact, [name], "gl.generality(...)").loc[rows.index, name]
            look = {"mfc": "none", "mec": "#B2182B", "ms": 8, "label": "exact"}
            apart = (other - rows[name]).abs() > 1e-9
            ax.plot(other[apart], [k for k, differs in enumerate(apart) if differs], "o", **look)
        ax.set_xlabel(_NAMES[name])
    grid[0][0].set_yticks(range(len(rows)), [str(a).replace("$", r"\$") for a in rows.index])
    grid[0][0].set_ylim(-0.6, len(rows) - 0.4)
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    return figure


def _draw_column(ax: Any, rows: pd.DataFrame, name: str) -> None:
    places = range(len(rows))
    ax.hlines(places, rows[f"{name}_low"], rows[f"{name}_high"], color="#7F93A6", linewidth=2.2)
    ax.plot(rows[name], places, "o", color="#1F3B57", ms=5, mec="white", mew=0.5)
    ax.grid(axis="x", color="#E3E6E9", linewidth=0.7)
    ax.set_axisbelow(True)
    ax.tick_params(axis="y", length=0)
