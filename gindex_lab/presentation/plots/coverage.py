"""Pictures of coverage: many intervals and the truth, and how often each construction holds it.

`plot_studies` draws the intervals of many studies of one agent, those that miss in another colour;
`plot_coverage` draws the measured shares with their simulation error on the promised band.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.presentation.plots.common import columns_of, heading, new_axes, styled

__all__ = ["plot_coverage", "plot_studies"]

BAND = (0.93, 0.98)
_NAMES = {
    "capability": "capability Ψ",
    "spread": "spread S",
    "normalised_generality": "normalised generality γ",
}


@styled
def plot_studies(
    table: pd.DataFrame,
    truth: float,
    measure: str = "capability",
    *,
    ax: Any = None,
    title: str = "",
) -> Any:
    """One line per row of the table, sorted by estimate; those that miss the truth stand out.

    >>> table = pd.DataFrame({"capability": [1.0, 2], "capability_low": [0, 1.6], "capability_high": [2, 3]})
    >>> plot_studies(table, 1.5).get_xlabel()
    'capability Ψ'
    """
    ends = [f"{measure}_low", measure, f"{measure}_high"]
    rows = columns_of(table, ends, "gl.generality(..., ci=0.95)").sort_values(measure)
    low, centre, high = (rows[name].to_numpy(dtype=float) for name in ends)
    missed = (low > truth) | (high < truth)
    ax = new_axes(ax, figsize=(6.0, 4.2))
    place = np.arange(len(rows))
    for which, colour, label in ((~missed, "#7FA6C9", "covers"), (missed, "#D55E00", "misses")):
        ax.hlines(place[which], low[which], high[which], color=colour, lw=1.2, label=label)
        ax.plot(centre[which], place[which], ".", ms=3, color=colour)
    ax.axvline(truth, color="#222222", lw=1)
    ax.set(xlabel=_NAMES.get(measure, measure), ylabel="study", yticks=[])
    heading(ax, title, f"{len(rows)} studies, {int(missed.sum())} miss the truth {truth:.3g}")
    return ax


@styled
def plot_coverage(table: pd.DataFrame, *, title: str = "", ci: float = 0.95) -> Any:
    """Dots of coverage (bars: ± 2 simulation errors), one panel per measure, one row per design.

    `table` has a MultiIndex (design, measure) and the columns of `gl.coverage`; the band is 92-97%. A
    row outside it by more than the simulation error is drawn in another colour.

    >>> from gindex_lab.studies.simulations.coverage import coverage
    >>> found = pd.concat({"20 items": coverage(items=20, simulations=50, seed=1)})
    >>> len(plot_coverage(found))
    3
    """
    import matplotlib.pyplot as plt

    columns_of(table, ["coverage", "simulations"], "gl.coverage(...)")
    designs = list(dict.fromkeys(table.index.get_level_values(0)))
    measures = list(dict.fromkeys(table.index.get_level_values(1)))
    height = 1.1 + 0.24 * len(designs)
    figure, grid = plt.subplots(
        1, len(measures), figsize=(8.6, height), sharex=True, sharey=True, squeeze=False
    )
    for ax, measure in zip(grid[0], measures, strict=True):
        part = table.xs(measure, level=1).loc[designs]
        share = part["coverage"].to_numpy(dtype=float)
        error = 2 * np.sqrt(np.maximum(share * (1 - share), 1e-4) / part["simulations"])
        error = error.to_numpy()
        inside = (share + error >= BAND[0]) & (share - error <= BAND[1])
        place = np.arange(len(designs))[::-1]
        ax.axvspan(*BAND, color="#E8F0E4", lw=0)
        ax.axvline(ci, color="#5B8C5A", lw=1)
        for which, colour in ((inside, "#0072B2"), (~inside, "#D55E00")):
            ax.errorbar(
                share[which], place[which], xerr=error[which], fmt="o", ms=4, lw=1, color=colour
            )
        ax.set(
            yticks=place, yticklabels=designs, xlabel="coverage", ylim=(-0.6, len(designs) - 0.4)
        )
        ax.set_title(_NAMES.get(measure, measure), fontsize=9, fontweight="normal")
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    return grid[0]
