"""Many items, agents or studies at a time: items against difficulty, letter series, histograms, intervals and
their coverage, and the figures of planning and stopping.

Intervals of many agents stand in rows of their own, because bars in a plane of capability against spread
would cover each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.ticker import PercentFormatter

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.validate import FloatArray, choice
from gindex_lab.measures.planning.power import Power
from gindex_lab.measures.psychometrics.correlations import correlation, rank_correlation
from gindex_lab.presentation.plots import common
from gindex_lab.presentation.plots.labels import label_points, tied_labels

__all__ = ["plot_course", "plot_coverage", "plot_difficulty_mean", "plot_histograms", "plot_intervals"]
__all__ += ["plot_power", "plot_series", "plot_studies"]

_FEW_ITEMS = 30  # that are named unless asked otherwise: more would not fit
# The coverage of a 95% interval that counts as right: the goal of notebooks/generality/coverage.
BAND = (0.93, 0.98)


@common.styled
def plot_difficulty_mean(
    items: pd.DataFrame, *, labels: bool | None = None, unit: str = "", title: str = "", ax: Any = None
) -> Any:
    """Draw the mean response of each item against its difficulty, with Pearson's and Spearman's correlation.

    Parameters
    ----------
    items : one row per item, with the columns `difficulty` and `mean`
    labels : whether items are named; by default if they are at most 30
    unit, title, ax : of difficulty; of the figure; axes to draw into, by default new ones

    Returns
    -------
    The matplotlib Axes.

    References
    ----------
    Hernández-Orallo et al. (2021), supplement, Figs S2 and S10.

    Examples
    --------
    >>> items = pd.DataFrame({"difficulty": [1.0, 2, 3], "mean": [0.9, 0.5, 0.2]})
    >>> plot_difficulty_mean(items).get_xlabel()
    'difficulty h'
    """
    items = common.columns_of(items, ["difficulty", "mean"], "one row per item")
    ax = common.new_axes(ax, figsize=(5.6, 3.8))
    x, y = items["difficulty"].to_numpy(float), items["mean"].to_numpy(float)
    dots = {"s": 34, "color": common.POINT, "alpha": 1, "clip_on": False, "zorder": 3}
    dots |= {"edgecolor": "white", "linewidths": 0.5}
    line = {"color": common.GREY, "lw": 1.0, "zorder": 2}
    fit = bool(np.ptp(x) > 0)
    sns.regplot(x=x, y=y, ax=ax, ci=None, fit_reg=fit, truncate=True, scatter_kws=dots, line_kws=line)
    ax.set(
        ylim=(-0.04, 1.04), xlabel=common.with_unit("difficulty h", unit), ylabel="mean response of the item"
    )
    found = {"Pearson r": correlation(x, y), "Spearman ρ": rank_correlation(x, y)}
    said = [f"{k} {common.two_decimals(v)}" for k, v in found.items() if not np.isnan(v)]
    common.heading(ax, title, " · ".join([f"{len(items)} items", *said]))
    if labels or (labels is None and len(items) <= _FEW_ITEMS):
        label_points(ax, tied_labels(x, y, [str(i) for i in items.index]), size=7)
    return ax


@common.styled
def plot_series(series: Mapping[str, str], *, title: str = "", ax: Any = None) -> Any:
    """Draw series of letters as lines of music: the later in the alphabet, the higher (Fig. S8).

    Steps that pass from z to a (or back) are not joined: the alphabet is a circle.

    >>> len(plot_series({"Kt 9": "adgj", "Kt 7": "abcd"}).texts)
    10
    """
    wrong = [text for text in series.values() if not (text.isascii() and text.islower())]
    if not series or wrong:
        raise BadInput("series", wrong or series, "is not made of a to z", "give lower-case letters")
    ax = common.new_axes(ax, figsize=(8.6, 0.6 + 0.8 * len(series)))
    box = {"boxstyle": "circle,pad=0.16", "fc": "white", "ec": common.BLUE, "lw": 0.9}
    for row, (name, text) in enumerate(series.items()):
        letters = np.array([ord(letter) for letter in text])
        heights = (letters - letters.min()) / max(np.ptp(letters), 1) * 0.55 - row
        for a, b in pairwise(range(len(text))):
            if abs(letters[b] - letters[a]) <= 13:
                ax.plot([a, b], heights[[a, b]], color="#B9C4CE", lw=1.2, zorder=1)
        for at, (letter, height) in enumerate(zip(text, heights, strict=True)):
            ax.text(at, height, letter, ha="center", va="center", fontsize=8.5, bbox=box)
        ax.text(-0.9, 0.31 - row, name, ha="right", va="center", fontsize=9)
    longest = max(map(len, series.values()))
    ax.set(xlim=(-2.6, longest - 0.3), ylim=(-len(series) + 0.75, 0.95))
    ax.set_axis_off()
    ax.set_title(title, loc="left")
    return ax


@common.styled
def plot_histograms(
    table: pd.DataFrame,
    columns: Sequence[str] = ("capability", "spread", "normalised_generality"),
    *,
    unit: str = "",
    title: str = "",
) -> Any:
    """Draw how the agents are distributed over each indicator, with mean (line) and median (dashes).

    Parameters
    ----------
    table : the table of `gl.generality`
    columns : its columns to draw, one panel each
    unit, title : of capability, spread and expected difficulty, and of the figure

    Returns
    -------
    The array of Axes.

    Examples
    --------
    >>> table = pd.DataFrame({"capability": [1.0, 2, 3], "spread": [0.1, 0.2, 0.3]})
    >>> len(plot_histograms(table, ["capability", "spread"]))
    2
    """
    table = common.columns_of(table, list(columns), "gl.generality(...)")
    figure, grid = plt.subplots(1, len(columns), figsize=(3.2 * len(columns), 2.9), squeeze=False)
    for ax, name in zip(grid[0], columns, strict=True):
        values = table[name].to_numpy(float)
        finite = values[np.isfinite(values)]
        sns.histplot(finite, bins=_bins(finite), color=common.FILL, edgecolor="white", alpha=1, ax=ax)
        if len(finite):
            mean, median = float(finite.mean()), float(np.median(finite))
            ax.axvline(mean, color=common.POINT, lw=1.3)
            ax.axvline(median, color=common.POINT, lw=1.0, ls="--")
            infinite = f" · {len(values) - len(finite)} infinite" if len(finite) < len(values) else ""
            line = f"mean {common.number_text(mean)} · median {common.number_text(median)}{infinite}"
            common.heading(ax, "", line, small=True)
        ax.yaxis.get_major_locator().set_params(integer=True)
        has_unit = name in ("capability", "spread", "expected_difficulty")
        ax.set(
            xlabel=common.with_unit(common.MEASURE_NAMES.get(name, name), unit if has_unit else ""), ylabel=""
        )
    grid[0][0].set_ylabel("agents")
    common.over_all(figure, title)
    return grid[0]


def _bins(values: FloatArray) -> int:
    """The number of bins by Freedman and Diaconis' rule, kept between 5 and 40 (NumPy's rule has no ends)."""
    if len(values) < 2 or np.ptp(values) == 0:
        return 5
    width = 2 * np.subtract(*np.quantile(values, [0.75, 0.25])) / len(values) ** (1 / 3)
    return int(np.clip(np.ceil(np.ptp(values) / width), 5, 40)) if width > 0 else 20


@common.styled
def plot_intervals(
    table: pd.DataFrame,
    measures: Sequence[str] = ("capability", "normalised_generality"),
    *,
    exact: pd.DataFrame | None = None,
    title: str = "",
) -> Any:
    """Draw a panel for each measure and a row for each agent: a dot for the estimate, a bar for its limits.

    Parameters
    ----------
    table : the table of `gl.generality(..., ci=...)`
    measures : its columns to draw; the agents are sorted by the first
    exact : another such table, whose values are ringed in red where they differ
    title : of the figure

    Returns
    -------
    The matplotlib Figure.

    Examples
    --------
    >>> import gindex_lab as gl
    >>> table = gl.generality([[1, 1, 0, 0], [1, 0, 1, 1]], difficulty=[1, 2, 3, 4], ci=0.95)
    >>> [ax.get_xlabel() for ax in plot_intervals(table).axes]
    ['capability Ψ', 'normalised generality γ']
    """
    if not measures:
        raise BadInput("measures", measures, "[empty] is empty", "name at least one measure")
    for name in measures:
        choice("measures", name, list(common.MEASURE_NAMES))
        common.columns_of(table, [name, f"{name}_low", f"{name}_high"], "gl.generality(..., ci=0.95)")
    rows = table.sort_values(measures[0], kind="stable")
    agents = [str(agent).replace("$", r"\$") for agent in rows.index]
    size = (4.2 * len(measures) + 1.2, 0.24 * len(rows) + 1.3)
    figure, grid = plt.subplots(1, len(measures), figsize=size, sharey=True, squeeze=False)
    for ax, name in zip(grid[0], measures, strict=True):
        common.rows_with_bars(ax, rows[name], rows[f"{name}_low"], rows[f"{name}_high"], agents)
        ax.grid(axis="x", color="#E3E6E9", linewidth=0.7)
        if exact is not None:
            other = common.columns_of(exact, [name], "gl.generality(...)").loc[rows.index, name]
            apart = np.flatnonzero((other - rows[name]).abs() > 1e-9)
            ax.plot(other.iloc[apart], apart, "o", mfc="none", mec=common.ODD, ms=8, label="exact")
        ax.set_xlabel(common.MEASURE_NAMES[name])
        if name == "score":  # as in the tables beside it
            ax.xaxis.set_major_formatter(PercentFormatter(1, symbol="%"))
    common.over_all(figure, title)
    return figure


@common.styled
def plot_studies(
    table: pd.DataFrame, truth: float, measure: str = "capability", *, title: str = "", ax: Any = None
) -> Any:
    """Draw the interval of each of many studies, sorted by estimate; those that miss the truth stand out.

    Parameters
    ----------
    table : one row per study, with the columns `measure`, `measure_low` and `measure_high`
    truth : the true value
    measure : which measure
    title, ax : of the figure; axes to draw into, by default new ones

    Returns
    -------
    The matplotlib Axes.

    Examples
    --------
    >>> table = pd.DataFrame({"capability": [1.0, 2], "capability_low": [0, 1.6], "capability_high": [2, 3]})
    >>> plot_studies(table, 1.5).get_xlabel()
    'capability Ψ'
    """
    ends = [f"{measure}_low", measure, f"{measure}_high"]
    rows = common.columns_of(table, ends, "gl.generality(..., ci=0.95)").sort_values(measure)
    low, centre, high = (rows[name].to_numpy(dtype=float) for name in ends)
    missed = (low > truth) | (high < truth)
    colours, place = np.where(missed, common.ORANGE, common.FILL), np.arange(len(rows))
    ax = common.new_axes(ax, figsize=(6.0, 4.2))
    ax.hlines(place, low, high, colors=colours, lw=1.2)
    ax.scatter(centre, place, s=3, c=colours)
    ax.axvline(truth, color=common.INK, lw=1)
    ax.set(xlabel=common.MEASURE_NAMES.get(measure, measure), ylabel="study", yticks=[])
    count = int(missed.sum())
    verb = "misses" if count == 1 else "miss"
    common.heading(ax, title, f"{len(rows)} studies, {count or 'none'} {verb} the truth {truth:.3g}")
    return ax


@common.styled
def plot_coverage(table: pd.DataFrame, *, ci: float = 0.95, title: str = "") -> Any:
    """Draw how often intervals hold the truth: one panel per measure, one row per design.

    Bars are ± 2 simulation errors. Designs outside the band of 93 to 98% by more than that are orange.

    Parameters
    ----------
    table : the columns of `gl.coverage`, with a MultiIndex (design, measure)
    ci : the level that the intervals claim
    title : of the figure

    Returns
    -------
    The array of Axes.

    Examples
    --------
    >>> from gindex_lab.studies.simulations.coverage import coverage
    >>> found = pd.concat({"20 items": coverage(items=20, simulations=50, seed=1)})
    >>> len(plot_coverage(found))
    3
    """
    common.columns_of(table, ["coverage", "simulations"], "gl.coverage(...)")
    designs, measures = list(table.index.unique(0))[::-1], list(table.index.unique(1))
    size = (8.6, 1.1 + 0.24 * len(designs))
    figure, grid = plt.subplots(1, len(measures), figsize=size, sharex=True, sharey=True, squeeze=False)
    for ax, measure in zip(grid[0], measures, strict=True):
        part = table.xs(measure, level=1).loc[designs]
        share = part["coverage"].to_numpy(dtype=float)
        error = 2 * np.sqrt(np.maximum(share * (1 - share), 1e-4) / part["simulations"].to_numpy())
        inside = (share + error >= BAND[0]) & (share - error <= BAND[1])
        ax.axvspan(*BAND, color="#E8F0E4", lw=0)
        ax.axvline(ci, color="#5B8C5A", lw=1)
        ends = share - error, np.minimum(share + error, 1)  # no share is above 1
        common.rows_with_bars(ax, share, *ends, designs, np.where(inside, common.BLUE, common.ORANGE))
        ax.set_xlabel("coverage")
        ax.set_title(common.MEASURE_NAMES.get(measure, measure), fontsize=9, fontweight="normal")
    common.over_all(figure, title)
    return grid[0]


# -- planning and stopping -----------------------------------------------------------------------------


@common.styled
def plot_power(found: Power, *, title: str = "How many items?", ax: Any = None) -> Any:
    """Draw power by the number of items, simulated and in closed form, and mark the items that are enough.

    Parameters
    ----------
    found : what `gl.power` returns
    title, ax : of the figure; axes to draw into, by default new ones

    Returns
    -------
    The matplotlib Axes; bars are ± 2 simulation errors.

    Examples
    --------
    >>> from gindex_lab.measures.planning.designs import Design
    >>> from gindex_lab.measures.planning.power import power
    >>> ax = plot_power(power(Design(items=40), difference=0.3, simulations=100, seed=1))
    >>> ax.get_xlabel()
    'items'
    """
    kind, remedy = type(found).__name__, "pass what gl.power returns"
    ensure(isinstance(found, Power), "found", kind, "[wrong-type] is not a result of gl.power", remedy)
    ax = common.new_axes(ax)
    curve: pd.DataFrame = found.curve
    ax.plot(curve["items"], curve["closed_form"], color=common.GREY, label="closed form")
    look = {"fmt": "o-", "markersize": 4, "label": "simulated"}
    ax.errorbar(curve["items"], curve["power"], 2 * curve["error"], **look)
    ax.axhline(found.wanted, color=common.GREY, linewidth=0.8, linestyle=":")
    if found.items_needed is not None:
        ax.axvline(found.items_needed, color=common.GREY, linewidth=0.8, linestyle=":")
        common.note(ax, f"{found.items_needed:,} items", (found.items_needed, 0.02), (4, 0), fontsize=None)
    ax.set(xlabel="items", ylabel="power", ylim=(0, 1.02))
    ax.legend(loc="lower right")
    measure = found.measure.replace("_", " ")
    common.heading(ax, title, f"two agents that differ by {found.difference:g} in {measure}")
    return ax


@common.styled
def plot_course(
    courses: Mapping[str, pd.DataFrame], *, truth: float | None = None, title: str = "", ax: Any = None
) -> Any:
    """Draw how intervals close, item by item: a line in its band for each course.

    Parameters
    ----------
    courses : tables with the columns `estimate`, `low` and `high` (`session.table`), by name
    truth : what the whole bank gives, as a dashed line
    title, ax : of the figure; axes to draw into, by default new ones

    Returns
    -------
    The matplotlib Axes.

    Examples
    --------
    >>> course = pd.DataFrame({"low": [0.0, 0.2], "high": [1.0, 0.6], "estimate": [0.5, 0.4]})
    >>> plot_course({"bayes": course}, truth=0.4).get_xlabel()
    'items asked'
    """
    ax = common.new_axes(ax)
    for name, colour in common.colours_of(courses).items():
        course = common.columns_of(courses[name], ["low", "high", "estimate"], "session.table")
        asked = range(1, len(course) + 1)
        ends = course["low"], course["high"]
        common.line_with_band(ax, asked, course["estimate"], *ends, colour, linewidth=1.4, label=str(name))
    if truth is not None:
        ax.axhline(truth, color=common.SOFT, linewidth=1, linestyle="--", label="the whole bank")
    ax.set(xlabel="items asked", ylabel="measure and its interval")
    ax.legend(loc="best")
    if title:
        common.heading(ax, title, "bands hold at every stop" if len(courses) else "")
    return ax
