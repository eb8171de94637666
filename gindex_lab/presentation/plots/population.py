"""Many agents at a time: items against difficulty, histograms, intervals and whether they cover, factors.

Intervals stand in columns of their own beside a capability-against-spread plot, where bars of many agents
would cover each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray, choice
from gindex_lab.measures.psychometrics.correlations import correlation, rank_correlation
from gindex_lab.presentation.plots.common import (
    MEASURE_NAMES,
    columns_of,
    heading,
    new_axes,
    number_text,
    styled,
    two_decimals,
    with_unit,
)
from gindex_lab.presentation.plots.labels import label_points, tied_labels

__all__ = [
    "plot_coverage",
    "plot_difficulty_mean",
    "plot_histograms",
    "plot_intervals",
    "plot_scree",
    "plot_studies",
]

_FEW_ITEMS = 30


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
    import seaborn as sns

    items = columns_of(items, ["difficulty", "mean"], "one row per item")
    ax = new_axes(ax, figsize=(5.6, 3.8))
    x, y = items["difficulty"].to_numpy(float), items["mean"].to_numpy(float)
    dots = {"s": 34, "color": "#1F3B57", "alpha": 1, "clip_on": False}
    dots |= {"edgecolor": "white", "linewidths": 0.5}
    sns.regplot(
        x=x, y=y, ax=ax, ci=None, fit_reg=bool(np.ptp(x) > 0), truncate=True,
        scatter_kws=dots | {"zorder": 3}, line_kws={"color": "#9A9A9A", "lw": 1.0, "zorder": 2},
    )  # fmt: skip
    ax.set(ylim=(-0.04, 1.04), xlabel=with_unit("difficulty h", unit))
    ax.set_ylabel("mean response of the item")
    found = {"Pearson r": correlation(x, y), "Spearman ρ": rank_correlation(x, y)}
    line = [f"{k} {two_decimals(v)}" for k, v in found.items() if not np.isnan(v)]
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
        ax.set(xlabel=with_unit(MEASURE_NAMES.get(name, name), unit if has_unit else ""), ylabel="")
    grid[0][0].set_ylabel("agents")
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    return grid[0]


def _histogram(ax: Any, values: FloatArray) -> None:
    import seaborn as sns

    finite = values[np.isfinite(values)]
    infinite = len(values) - len(finite)
    sns.histplot(finite, bins=_bins(finite), color="#7FA6C9", edgecolor="white", alpha=1, ax=ax)
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
    from matplotlib.ticker import PercentFormatter

    if not measures:
        raise BadInput("measures", measures, "[empty] is empty", "name at least one measure")
    for name in measures:
        choice("measures", name, list(MEASURE_NAMES))
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
        ax.set_xlabel(MEASURE_NAMES[name])
        if name == "score":  # as in the tables beside it
            ax.xaxis.set_major_formatter(PercentFormatter(1, symbol="%"))
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


BAND = (0.93, 0.98)


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
    ax.set(xlabel=MEASURE_NAMES.get(measure, measure), ylabel="study", yticks=[])
    count = int(missed.sum())
    verb = "misses" if count == 1 else "miss"
    heading(ax, title, f"{len(rows)} studies, {count or 'none'} {verb} the truth {truth:.3g}")
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
    shape: dict[str, Any] = {
        "figsize": (8.6, height),
        "sharex": True,
        "sharey": True,
        "squeeze": False,
    }
    figure, grid = plt.subplots(1, len(measures), **shape)
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
            bars = [error[which], np.minimum(error, 1 - share)[which]]  # no share is above 1
            look = {"xerr": bars, "fmt": "o", "ms": 4, "lw": 1, "color": colour}
            ax.errorbar(share[which], place[which], **look)
        ax.set_yticks(place, designs)
        ax.set(xlabel="coverage", ylim=(-0.6, len(designs) - 0.4))
        ax.set_title(MEASURE_NAMES.get(measure, measure), fontsize=9, fontweight="normal")
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    return grid[0]


@styled
def plot_scree(table: pd.DataFrame, ax: Any = None) -> Any:
    """Eigenvalues by rank; where the table has limits of noise, they are dashed in the same colour.

    The line at 1 is Kaiser's rule for components: kept for the eye, not for a decision.
    """
    ax = new_axes(ax)
    for name, marker, colour in (("components", "o", "#0072B2"), ("factors", "^", "#D55E00")):
        ax.plot(table.index, table[name], marker=marker, ms=4, color=colour, label=f"{name}, data")
        if f"{name}_limit" in table:
            look = {"color": colour, "lw": 1.1, "label": f"{name}, limit of noise"}
            ax.plot(table.index, table[f"{name}_limit"], "--", **look)
    ax.axhline(1, color="0.6", lw=0.8, zorder=0)
    ax.text(table.index[-1], 1.02, "Kaiser's rule", color="0.4", ha="right", va="bottom", size=8)
    ax.set(xlabel="rank k", ylabel="eigenvalue", title="How many factors stand above noise?")
    ax.legend(loc="upper right")
    return ax
