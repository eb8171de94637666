"""The figures of an analysis: does the order survive, what shuffling leaves, which items are odd, how far
measures agree, and one result under every combination of choices.

Tables in, figures out: `gl.analysis` and `gl.multiverse` compute what is drawn here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.validate import choice
from gindex_lab.measures.psychometrics.agreement import MEASURES, QUESTIONS
from gindex_lab.presentation.plots.common import (
    columns_of,
    heading,
    new_axes,
    note,
    number_text,
    styled,
)
from gindex_lab.studies.analysis.multiverse import named

if TYPE_CHECKING:
    from gindex_lab.studies.analysis.multiverse import Multiverse

__all__ = [
    "plot_agreement",
    "plot_blind_spots",
    "plot_item_audit",
    "plot_methods",
    "plot_recovery",
    "plot_shuffle",
    "plot_specification_curve",
    "plot_survival",
]

_NAMED = 5  # misfits with their names
_POINT, _ODD, _MUTED = "#1F3B57", "#B2182B", "#C9CDD2"
_SURVIVING = {"capability": "capability Ψ", "normalised_generality": "normalised generality γ"}


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

    problem, remedy = "[wrong-type] is not a mapping of tables", "pass one by name: {'rank': table}"
    ensure(isinstance(tables, Mapping), "tables", tables, problem, remedy)
    size = (1.9 * len(tables) + 0.7, 4.1)
    shape: dict[str, Any] = {"figsize": size, "sharex": True, "sharey": True, "squeeze": False}
    figure, grid = plt.subplots(2, len(tables), **shape)
    n = len(table)
    look = {"s": 22 if n <= 60 else 9, "color": _POINT, "alpha": 0.75, "linewidth": 0}
    for row, (measure, label) in zip(grid, _SURVIVING.items(), strict=True):
        columns_of(table, [measure], "gl.generality(...)")
        here = table[measure].round(9).rank(ascending=False)
        for ax, other in zip(row, tables.values(), strict=True):
            there = other.loc[table.index, measure].round(9).rank(ascending=False)
            ax.plot([1, n], [1, n], color=_MUTED, linewidth=1.2, zorder=1)
            ax.scatter(here, there, zorder=2, **look)
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
    known = audit.dropna(subset="discrimination")
    drawn = columns_of(known, ["mean", "discrimination"], "item_audit")
    ax = new_axes(ax, figsize=(7.2, 3.2))
    small = 10 if len(drawn) > 300 else 22
    odd = drawn["negative"].astype(bool)
    look = {"s": small, "alpha": 0.6, "linewidth": 0}
    for rows, colour in ((drawn[~odd], _POINT), (drawn[odd], _ODD)):
        ax.scatter(rows["mean"], rows["discrimination"], color=colour, **look)
    ax.axhline(0, color="#888888", linewidth=0.8)
    ax.set(xlabel="mean over agents", ylabel="discrimination")
    line = f"{len(drawn)} items that vary"
    line += f" · red: {int(odd.sum())} below 0 beyond chance" if odd.any() else ""
    heading(ax, "", line, small=True)
    return ax


@styled
def plot_methods(agents: pd.DataFrame, ax: Any = None) -> Any:
    """Ability (item response theory) against capability of every agent, from `gl.psychometrics(...).agents`;
    red: against the order of the items (lz*), ringed: ability and capability disagree.

    >>> table = pd.DataFrame({"ability": [0.0, 1], "capability": [2.0, 3], "odd": ["misfits", ""]})
    >>> plot_methods(table).get_ylabel()
    'capability Ψ'
    """
    from matplotlib.patheffects import withStroke

    columns_of(agents, ["ability", "capability", "odd"], "gl.psychometrics(...).agents")
    ax = new_axes(ax, figsize=(6.4, 4.2))
    strange = agents["odd"].str.contains("misfits")
    both_ways = agents["odd"].str.contains("disagree")
    look = {"s": 18, "alpha": 0.75, "linewidths": 0}
    for some, colour in ((agents[~strange], _POINT), (agents[strange], _ODD)):
        ax.scatter(some["ability"], some["capability"], color=colour, **look)
    ringed, ring = agents[both_ways], {"facecolors": "none", "edgecolors": "#E69F00"}
    ax.scatter(ringed["ability"], ringed["capability"], s=70, **ring)
    halo = [withStroke(linewidth=2.5, foreground="white")]
    for name, row in agents[strange].head(_NAMED).iterrows():
        place = (row["ability"], row["capability"])
        note(ax, str(name), place, (5, -8), fontsize=7.5, color=_ODD, path_effects=halo)
    ax.set(xlabel="ability θ (item response theory)", ylabel="capability Ψ")
    line = f"{len(agents)} agents"
    line += f" · red: {int(strange.sum())} against the order of the items" if strange.any() else ""
    line += " · ringed: the two disagree" if both_ways.any() else ""
    heading(ax, "", line, small=True)
    return ax


@styled
def plot_agreement(correlations: pd.DataFrame, title: str = "", ax: Any = None) -> Any:
    """The matrix of `rank_correlations` as coloured squares with the numbers written in them.

    >>> names = ["mean", "lz"]
    >>> plot_agreement(pd.DataFrame([[1, 0.2], [0.2, 1]], names, names)).get_title(loc="left")
    ''
    """
    import seaborn as sns

    ax = new_axes(ax, figsize=(5.6, 4.8))
    names = {name: MEASURES.get(str(name), str(name)) for name in correlations.columns}
    values = correlations.astype(float).rename(index=names, columns=names)
    texts = values.map(lambda value: f"{value:.2f}".replace("-", "−"))
    look = {"cmap": "RdBu_r", "vmin": -1.25, "vmax": 1.25, "square": True, "cbar": False}
    sns.heatmap(values, annot=texts, fmt="", annot_kws={"fontsize": 7.5}, ax=ax, **look)
    ax.set_xticks(ax.get_xticks(), names.values(), rotation=40, ha="right", rotation_mode="anchor")
    ax.tick_params(axis="y", rotation=0)
    ax.tick_params(length=0)
    ax.set(xlabel="", ylabel="")
    ax.set_title(title, loc="left")
    return ax


@styled
def plot_recovery(found: Mapping[str, pd.DataFrame]) -> Any:
    """The tables of `recoveries`, one panel each: a dot for each population, measure and truth.

    >>> index = pd.MultiIndex.from_product([[1, 2], ["mean", "lz"]], names=["population", "measure"])
    >>> table = pd.DataFrame({"capability": 0.9, "steadiness": 0.1}, index)
    >>> len(plot_recovery({"alike": table, "backwards": table}).axes)
    2
    """
    import matplotlib.pyplot as plt

    wide = 4.7 * len(found)
    fig, panels = plt.subplots(1, len(found), figsize=(wide, 3.6), sharey=True, squeeze=False)
    truths = {"capability": ("o", "C0"), "steadiness": ("D", "C1")}
    for ax, (title, table) in zip(panels[0], found.items(), strict=True):
        names = list(dict.fromkeys(table.index.get_level_values("measure")))
        for what, (marker, colour) in truths.items():
            rows = [names.index(name) for name in table.index.get_level_values("measure")]
            look = {"marker": marker, "color": colour, "alpha": 0.7, "label": f"true {what}"}
            ax.scatter(table[what], rows, **look)
        ax.axvline(0, color="0.7", lw=0.8, zorder=0)
        ax.set_yticks(range(len(names)), [MEASURES[name] for name in names])
        ax.set(xlim=(-1, 1), ylim=(len(names) - 0.5, -0.5))
        ax.set_xlabel("rank correlation with the truth")
        ax.set_title(title, loc="left")
    panels[0, 0].legend(loc="center left")
    return fig


@styled
def plot_blind_spots(spots: Mapping[str, pd.DataFrame]) -> Any:
    """The tables of `blind_spots`, one panel for each question, one marker for each data set.

    >>> table = pd.DataFrame(0.5, list(MEASURES), list(QUESTIONS))
    >>> len(plot_blind_spots({"mazes": table}).axes)
    4
    """
    import matplotlib.pyplot as plt

    size = (10.7, 3.4)
    figure, axes = plt.subplots(1, len(QUESTIONS), figsize=size, sharey=True, layout="constrained")
    for ax, (column, title) in zip(axes, QUESTIONS.items(), strict=True):
        for (name, spot), marker in zip(spots.items(), "osD^", strict=False):
            places = range(len(MEASURES))
            ax.plot(spot.loc[list(MEASURES), column], places, marker, label=name, ms=6, alpha=0.85)
        ax.axvline(0, color="0.7", lw=0.8)
        ax.set_title(title, fontsize=9.5)
    axes[0].set_yticks(range(len(MEASURES)), MEASURES.values())
    axes[0].invert_yaxis()
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper right", ncols=len(spots))
    return figure


_WHAT = {
    "trend": ("trend", "trend_low", "trend_high", 0.0),
    "doubling": ("doubling_days", "doubling_low", "doubling_high", None),
    "order": ("capability_order", None, None, None),
    "spread": ("median_spread", None, None, None),
}
_CHOICES = ("penalty", "weights", "scores", "floor", "ceiling", "without", "minutes", "noise")
_CHOICE_NAMES = {"without": "family left out"}
_BAR, _PALE = "#B9C4CE", "#DADDE1"


@styled
def plot_specification_curve(found: Multiverse, what: str = "trend") -> Any:
    """The universes of `gl.multiverse`, sorted by a result; the rows below show which choices each made.

    `what` is "trend" (of the measure, per year), "doubling" (days), "spread" (median over agents) or
    "order" (rank correlation of the horizons with the baseline). Red: the interval excludes 0; the ring
    is the baseline.

    >>> import gindex_lab as gl
    >>> from gindex_lab.measures.horizons.coverage import simulate_runs
    >>> study = simulate_runs([3.0, 6.0], 0.8, items=40, families=4, seed=1)
    >>> found = gl.multiverse(study, floor=[0.0], ceiling=[1.0], without=[None], draws=100)
    >>> len(plot_specification_curve(found, "order").axes)
    2
    """
    import matplotlib.pyplot as plt

    choice("what", what, list(_WHAT))
    column, low, high, zero = _WHAT[what]
    if column not in found.universes:
        raise BadInput(
            "what", what, "[no-dates] needs release dates", "call gl.multiverse(..., dates=...)"
        )
    table = found.universes.reset_index(drop=True)
    order = table[column].sort_values(kind="stable").index
    rows = _rows(table)
    size = (7.6, 2.9 + 0.2 * len(rows))
    ratios = [2.6, max(0.19 * len(rows), 0.6)]
    figure, (top, below) = plt.subplots(2, 1, figsize=size, sharex=True, height_ratios=ratios)
    ordered = table.loc[order].reset_index(drop=True)
    _curve(top, ordered, column, low, high, zero)
    ring = {"ms": 9, "mfc": "none", "mec": "black", "mew": 1.1}
    top.plot([list(order).index(0)], [table.loc[0, column]], "o", **ring)
    top.set_ylabel(_label(found, what))
    heading(top, "", _line(table, column, low, high, zero))
    _below(below, ordered, rows)
    below.set_xlabel(f"{len(table)} universes, sorted")
    return figure


def _label(found: Multiverse, what: str) -> str:
    return {
        "trend": f"trend of the {named(found.measure)},\nper year",
        "doubling": "doubling time (days)",
        "order": "order of horizons,\nrank correlation",
        "spread": "median spread\n(doublings)",
    }[what]


def _line(
    table: pd.DataFrame, column: str, low: str | None, high: str | None, zero: float | None
) -> str:
    values = table[column]
    least, median, most = map(number_text, (values.min(), values.median(), values.max()))
    middle = f"median {median}, from {least} to {most}"
    if zero is None or low is None or high is None:
        return f"{middle} · ring: the baseline"
    up, down = int((table[low] > zero).sum()), int((table[high] < zero).sum())
    return f"{middle} · interval above 0 in {up}, below in {down} of {len(table)} (red) · ring: the baseline"


def _curve(
    ax: Any, table: pd.DataFrame, column: str, low: str | None, high: str | None, zero: float | None
) -> None:
    x = np.arange(len(table))
    apart = np.zeros(len(table), dtype=bool)
    if low is not None and high is not None:
        ends = table[[low, high]].replace([np.inf, -np.inf], np.nan)
        top = np.nanquantile(ends.to_numpy(), 0.98) if zero is None else np.inf
        upper = np.minimum(table[high].to_numpy(dtype=float), top)
        ax.vlines(x, table[low], upper, color=_BAR, linewidth=max(0.6, min(3.0, 260 / len(table))))
        if zero is not None:
            apart = ((table[low] > zero) | (table[high] < zero)).to_numpy()
    if zero is not None:
        ax.axhline(zero, color="#666666", linewidth=0.8)
    size, colours = max(4, min(22, 1600 / len(table))), np.where(apart, _ODD, _POINT)
    ax.scatter(x, table[column], s=size, c=colours, linewidth=0, zorder=3)
    ax.margins(x=0.01)


def _rows(table: pd.DataFrame) -> list[tuple[str, str]]:
    """The choices that were varied, each with its values."""
    found = []
    for name in _CHOICES:
        values = table[name].map(str).unique()
        if len(values) > 1:
            found += [(name, value) for value in values]
    return found


def _value_text(value: str) -> str:
    """A value of a choice in words: 10⁻⁵, not 1e-05."""
    return number_text(float(value)) if "e-" in value else value.replace("_", " ")


def _below(ax: Any, table: pd.DataFrame, rows: list[tuple[str, str]]) -> None:
    for k, (name, value) in enumerate(rows):
        chosen = np.flatnonzero(table[name].map(str) == value)
        ax.axhline(k, color=_PALE, linewidth=0.5, zorder=0)
        look = {"color": _POINT, "ms": 6, "mew": max(0.5, 150 / len(table) / 2)}
        ax.plot(chosen, np.full(len(chosen), k), "|", **look)
        if k and rows[k - 1][0] != name:
            ax.axhline(k - 0.5, color="#999999", linewidth=0.6)
    first = [k == 0 or rows[k - 1][0] != name for k, (name, _) in enumerate(rows)]
    labels = [
        f"{_CHOICE_NAMES.get(name, name)}: " * starts + _value_text(value)
        for (name, value), starts in zip(rows, first, strict=True)
    ]
    ax.set_yticks(range(len(rows)), labels, fontsize=8.5)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
