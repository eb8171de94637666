"""The figures of an analysis: does the order survive, what is left after shuffling, which items are odd, how
many factors there are, how far measures agree, and one result under every combination of choices.

They draw the tables of `gl.analysis`, `gl.psychometrics` and `gl.multiverse`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.validate import choice
from gindex_lab.measures.psychometrics.agreement import MEASURES, QUESTIONS
from gindex_lab.presentation.plots import common
from gindex_lab.studies.analysis.multiverse import CHOICES, named

if TYPE_CHECKING:
    from gindex_lab.studies.analysis.multiverse import Multiverse

__all__ = ["plot_agreement", "plot_blind_spots", "plot_item_audit", "plot_methods", "plot_recovery"]
__all__ += ["plot_scree", "plot_shuffle", "plot_specification_curve", "plot_survival"]

_NAMED = 5  # misfits with their names: more would cover the points


@common.styled
def plot_survival(table: pd.DataFrame, tables: Mapping[str, pd.DataFrame]) -> Any:
    """Draw the ranks of agents against their ranks under other definitions of difficulty.

    There is one column per definition, one row for capability and one for γ; on the diagonal nothing changed.

    Parameters
    ----------
    table : the analysis, a table of `gl.generality`
    tables : the same agents under each definition, by its name (`gl.analysis.definitions`)

    Returns
    -------
    The matplotlib Figure.

    Examples
    --------
    >>> table = pd.DataFrame({"capability": [1.0, 2, 3], "normalised_generality": [0.1, 0.3, 0.2]})
    >>> len(plot_survival(table, {"rank": table, "irt": table}).axes)
    4
    """
    problem, remedy = "[wrong-type] is not a mapping of tables", "pass one by name: {'rank': table}"
    ensure(isinstance(tables, Mapping), "tables", tables, problem, remedy)
    n, size = len(table), (1.9 * len(tables) + 0.7, 4.1)
    figure, grid = plt.subplots(2, len(tables), figsize=size, sharex=True, sharey=True, squeeze=False)
    look = {"s": 22 if n <= 60 else 9, "color": common.POINT, "alpha": 0.75, "linewidth": 0, "zorder": 2}
    labels = {"capability": "rank in capability Ψ", "normalised_generality": "rank in generality γ"}
    for row, (measure, label) in zip(grid, labels.items(), strict=True):
        common.columns_of(table, [measure], "gl.generality(...)")
        here = table[measure].round(9).rank(ascending=False)
        for ax, other in zip(row, tables.values(), strict=True):
            ax.plot([1, n], [1, n], color=common.PALE, linewidth=1.2, zorder=1)
            ax.scatter(here, other.loc[table.index, measure].round(9).rank(ascending=False), **look)
            ax.set_box_aspect(1)
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_locator(MaxNLocator(4, integer=True))
        row[0].set_ylabel(label, fontsize=8.5)
    for top, bottom, name in zip(*grid, tables, strict=True):
        top.set_title(name, fontsize=9.5)
        bottom.set_xlabel("rank in this analysis", fontsize=8.5)
    grid[0][0].set(xlim=(n + 0.7, 0.3), ylim=(n + 0.7, 0.3))
    return figure


@common.styled
def plot_shuffle(control: pd.DataFrame) -> Any:
    """Draw what shuffled responses give (bars) and what the data give (line).

    Parameters
    ----------
    control : the table of `gl.analysis.shuffle_control`

    Returns
    -------
    The matplotlib Figure.

    Examples
    --------
    >>> control = pd.DataFrame({"observed": [0.2, 0.7]}, index=["capability_sd", "mean_gamma"])
    >>> control.attrs["draws"] = pd.DataFrame({"capability_sd": [0.1, 0.12], "mean_gamma": [0.6, 0.61]})
    >>> len(plot_shuffle(control).axes)
    2
    """
    common.columns_of(control, ["observed"], "gl.analysis.shuffle_control(...)")
    titles = {"capability_sd": "sd of capability over agents", "mean_gamma": "mean γ of the agents"}
    figure, grid = plt.subplots(1, 2, figsize=(8.4, 2.7))
    for ax, (name, title) in zip(grid, titles.items(), strict=True):
        draws = control.attrs["draws"][name]
        low, high = draws.min(), draws.max()
        room = max(high - low, 1e-3 * max(abs(high), 1e-3)) / 20
        bins = np.linspace(low - room, high + room, 18)
        sns.histplot(draws, bins=bins, color=common.PALE, alpha=1, linewidth=0, ax=ax)
        ax.axvline(control.loc[name, "observed"], color=common.ODD, linewidth=1.8)
        ax.set(xlabel=title, ylabel="", yticks=[])
        ax.margins(x=0.08)
        common.heading(ax, "", "bars: shuffled · line: the data", small=True)
    return figure


@common.styled
def plot_item_audit(audit: pd.DataFrame, ax: Any = None) -> Any:
    """Draw the discrimination of each item against its mean; items that point the wrong way are red.

    Parameters
    ----------
    audit : the table of `gl.analysis.item_audit`
    ax : axes to draw into, by default new ones

    Returns
    -------
    The matplotlib Axes.

    Examples
    --------
    >>> audit = pd.DataFrame({"mean": [0.2, 0.7], "discrimination": [0.4, -0.6], "negative": [False, True]})
    >>> plot_item_audit(audit).get_ylabel()
    'discrimination'
    """
    known = audit.dropna(subset="discrimination")
    drawn = common.columns_of(known, ["mean", "discrimination"], "item_audit")
    ax = common.new_axes(ax, figsize=(7.2, 3.2))
    odd = drawn["negative"].astype(bool)
    _two_kinds(ax, drawn["mean"], drawn["discrimination"], odd, 10 if len(drawn) > 300 else 22)
    ax.axhline(0, color="#888888", linewidth=0.8)
    ax.set(xlabel="mean over agents", ylabel="discrimination")
    line = f"{len(drawn)} items that vary"
    line += f" · red: {int(odd.sum())} below 0 beyond chance" if odd.any() else ""
    common.heading(ax, "", line, small=True)
    return ax


def _two_kinds(ax: Any, x: pd.Series, y: pd.Series, odd: pd.Series, size: float) -> None:
    """Draw points, the odd ones in red."""
    look = {"s": size, "alpha": 0.7, "linewidth": 0, "legend": False}
    sns.scatterplot(x=x, y=y, hue=odd, palette={False: common.POINT, True: common.ODD}, ax=ax, **look)


@common.styled
def plot_methods(agents: pd.DataFrame, ax: Any = None) -> Any:
    """Draw ability (item response theory) against capability of every agent.

    Red agents answer against the order of the items (lz*); where ability and capability disagree, an agent is
    ringed.

    Parameters
    ----------
    agents : `gl.psychometrics(...).agents`
    ax : axes to draw into, by default new ones

    Returns
    -------
    The matplotlib Axes.

    Examples
    --------
    >>> table = pd.DataFrame({"ability": [0.0, 1], "capability": [2.0, 3], "odd": ["misfits", ""]})
    >>> plot_methods(table).get_ylabel()
    'capability Ψ'
    """
    common.columns_of(agents, ["ability", "capability", "odd"], "gl.psychometrics(...).agents")
    ax = common.new_axes(ax, figsize=(6.4, 4.2))
    misfit, apart = (agents["odd"].str.contains(word) for word in ("misfits", "disagree"))
    _two_kinds(ax, agents["ability"], agents["capability"], misfit, 18)
    ringed = agents[apart]
    ax.scatter(ringed["ability"], ringed["capability"], s=70, facecolors="none", edgecolors=common.YELLOW)
    halo = [withStroke(linewidth=2.5, foreground="white")]
    for name, row in agents[misfit].head(_NAMED).iterrows():
        place = (row["ability"], row["capability"])
        common.note(ax, str(name), place, (5, -8), fontsize=7.5, color=common.ODD, path_effects=halo)
    ax.set(xlabel="ability θ (item response theory)", ylabel="capability Ψ")
    line = f"{len(agents)} agents"
    line += f" · red: {int(misfit.sum())} against the order of the items" if misfit.any() else ""
    line += " · ringed: the two disagree" if apart.any() else ""
    common.heading(ax, "", line, small=True)
    return ax


@common.styled
def plot_scree(table: pd.DataFrame, ax: Any = None) -> Any:
    """Draw eigenvalues by rank; where the table has limits of noise, they are dashed in the same colour.

    The line at 1 is Kaiser's rule for components, which guides the eye and decides nothing.
    """
    ax = common.new_axes(ax)
    for name, marker, colour in (("components", "o", common.BLUE), ("factors", "^", common.ORANGE)):
        ax.plot(table.index, table[name], marker=marker, ms=4, color=colour, label=f"{name}, data")
        if f"{name}_limit" in table:
            look = {"color": colour, "lw": 1.1, "label": f"{name}, limit of noise"}
            ax.plot(table.index, table[f"{name}_limit"], "--", **look)
    ax.axhline(1, color=common.GREY, lw=0.8, zorder=0)
    ax.text(table.index[-1], 1.02, "Kaiser's rule", color="0.4", ha="right", va="bottom", size=8)
    ax.set(xlabel="rank k", ylabel="eigenvalue", title="How many factors stand above noise?")
    ax.legend(loc="upper right")
    return ax


@common.styled
def plot_agreement(correlations: pd.DataFrame, title: str = "", ax: Any = None) -> Any:
    """Draw the matrix of `rank_correlations` as a heat map with the numbers written in it.

    >>> names = ["mean", "lz"]
    >>> plot_agreement(pd.DataFrame([[1, 0.2], [0.2, 1]], names, names)).get_title(loc="left")
    ''
    """
    ax = common.new_axes(ax, figsize=(5.6, 4.8))
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


@common.styled
def plot_recovery(found: Mapping[str, pd.DataFrame]) -> Any:
    """Draw the tables of `recoveries`, one panel each: a dot for each population, measure and truth.

    >>> index = pd.MultiIndex.from_product([[1, 2], ["mean", "lz"]], names=["population", "measure"])
    >>> table = pd.DataFrame({"capability": 0.9, "steadiness": 0.1}, index)
    >>> len(plot_recovery({"alike": table, "backwards": table}).axes)
    2
    """
    size = (4.7 * len(found), 3.6)
    figure, panels = plt.subplots(1, len(found), figsize=size, sharey=True, squeeze=False)
    for ax, (title, table) in zip(panels[0], found.items(), strict=True):
        truths = table[["capability", "steadiness"]].add_prefix("true ")
        long = truths.melt(var_name="truth", value_name="r", ignore_index=False).reset_index()
        _dots_by_measure(ax, long, "r", "truth")
        ax.get_legend().remove()
        ax.set(xlim=(-1, 1), xlabel="rank correlation with the truth")
        ax.set_title(title, loc="left")
    panels[0, 0].legend(loc="center left")
    return figure


@common.styled
def plot_blind_spots(spots: Mapping[str, pd.DataFrame]) -> Any:
    """Draw the tables of `blind_spots`, one panel for each question, one marker for each data set.

    >>> table = pd.DataFrame(0.5, list(MEASURES), list(QUESTIONS))
    >>> len(plot_blind_spots({"mazes": table}).axes)
    4
    """
    size = (10.7, 3.4)
    figure, axes = plt.subplots(1, len(QUESTIONS), figsize=size, sharey=True, layout="constrained")
    some = {name: spot.loc[list(MEASURES)] for name, spot in spots.items()}
    long = pd.concat(some, names=["data", "measure"]).reset_index()
    for ax, (column, title) in zip(axes, QUESTIONS.items(), strict=True):
        _dots_by_measure(ax, long, column, "data")
        ax.set_title(title, fontsize=9.5)
        ax.set(xlabel="")
    handles = axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper right", ncols=len(spots))
    for ax in axes:
        ax.get_legend().remove()
    return figure


def _dots_by_measure(ax: Any, table: pd.DataFrame, x: str, kind: str) -> None:
    """Draw a row for each measure, and a dot for each value, its colour and marker by its kind."""
    kinds = list(table[kind].unique())
    how = {"hue": kind, "style": kind, "palette": common.colours_of(kinds), "s": 36, "alpha": 0.8}
    how["markers"] = dict(zip(kinds, common.MARKERS, strict=False))
    sns.scatterplot(table.assign(measure=table["measure"].map(MEASURES)), x=x, y="measure", ax=ax, **how)
    ax.axvline(0, color="0.7", lw=0.8, zorder=0)
    ax.margins(y=0.08)
    ax.set(ylabel="")


# -- one result in every universe ----------------------------------------------------------------------

_RESULTS = {  # the column that is drawn, and what it is called
    "trend": ("trend", "trend of the {measure},\nper year"),
    "doubling": ("doubling_days", "doubling time (days)"),
    "order": ("capability_order", "order of horizons,\nrank correlation"),
    "spread": ("median_spread", "median spread\n(doublings)"),
}


@common.styled
def plot_specification_curve(found: Multiverse, what: str = "trend") -> Any:
    """Draw the universes of `gl.multiverse` sorted by one result, above the choices that each of them made.

    Parameters
    ----------
    found : what `gl.multiverse` returns
    what : "trend" (of the measure, per year), "doubling" (days), "spread" (median over agents) or "order"
        (rank correlation of the horizons with the baseline)

    Returns
    -------
    The matplotlib Figure. Red: the interval excludes 0; the ring is the baseline.

    References
    ----------
    Simonsohn, Simmons and Nelson (2020), "Specification curve analysis", Nature Human Behaviour 4, Fig. 2.

    Examples
    --------
    >>> import gindex_lab as gl
    >>> from gindex_lab.measures.horizons.coverage import simulate_runs
    >>> study = simulate_runs([3.0, 6.0], 0.8, items=40, families=4, seed=1)
    >>> found = gl.multiverse(study, floor=[0.0], ceiling=[1.0], without=[None], draws=100)
    >>> len(plot_specification_curve(found, "order").axes)
    2
    """
    column, label = _RESULTS[choice("what", what, list(_RESULTS))]
    if column not in found.universes:
        raise BadInput("what", what, "[no-dates] needs release dates", "call gl.multiverse(..., dates=...)")
    table = found.universes.reset_index(drop=True).sort_values(column, kind="stable")
    baseline = int(table.index.get_loc(0))
    values = {name: list(dict.fromkeys(found.universes[name].map(str))) for name in CHOICES}
    rows = [(name, value) for name, some in values.items() if len(some) > 1 for value in some]
    ratios = [2.6, max(0.19 * len(rows), 0.6)]
    size = (7.6, 2.9 + 0.2 * len(rows))
    figure, (top, below) = plt.subplots(2, 1, figsize=size, sharex=True, height_ratios=ratios)
    line = _draw_results(top, table, column, what)
    ring = {"ms": 9, "mfc": "none", "mec": "black", "mew": 1.1}
    top.plot(baseline, table[column].iloc[baseline], "o", **ring)
    top.set_ylabel(label.format(measure=named(found.measure)))
    common.heading(top, "", f"{line} · ring: the baseline")
    _draw_choices(below, table, rows)
    below.set_xlabel(f"{len(table)} universes, sorted")
    return figure


def _draw_results(ax: Any, table: pd.DataFrame, column: str, what: str) -> str:
    """Draw one result in every universe with its interval, if it has one; and sum it up in a line."""
    x, values = np.arange(len(table)), table[column]
    line = "median {}, from {} to {}".format(*map(common.number_text, values.quantile([0.5, 0, 1])))
    apart = np.zeros(len(table), dtype=bool)
    if f"{what}_low" in table:
        low, high = (table[f"{what}_{end}"].to_numpy(dtype=float) for end in ("low", "high"))
        if what == "trend":
            apart = (low > 0) | (high < 0)
            line += (
                f" · interval above 0 in {(low > 0).sum()}, below in {(high < 0).sum()} of {len(table)} (red)"
            )
            ax.axhline(0, color="#666666", linewidth=0.8)
        else:  # a doubling time may have no upper end
            ends = np.concatenate([low, high])
            high = np.minimum(high, np.quantile(ends[np.isfinite(ends)], 0.98))
        ax.vlines(x, low, high, color="#B9C4CE", linewidth=max(0.6, min(3.0, 260 / len(table))))
    size = max(4, min(22, 1600 / len(table)))
    ax.scatter(x, values, s=size, c=np.where(apart, common.ODD, common.POINT), linewidth=0, zorder=3)
    ax.margins(x=0.01)
    return line


def _draw_choices(ax: Any, table: pd.DataFrame, rows: list[tuple[str, str]]) -> None:
    """Draw a row for each value of each choice that was varied, with a tick where a universe made it."""
    labels = []
    for k, (name, value) in enumerate(rows):
        chosen = np.flatnonzero(table[name].map(str) == value)
        ax.axhline(k, color="#DADDE1", linewidth=0.5, zorder=0)
        ax.plot(chosen, np.full(len(chosen), k), "|", color=common.POINT, ms=6, mew=max(0.5, 75 / len(table)))
        starts = k == 0 or rows[k - 1][0] != name
        if k and starts:
            ax.axhline(k - 0.5, color=common.GREY, linewidth=0.6)
        text = common.number_text(float(value)) if "e-" in value else value.replace("_", " ")
        labels.append(f"{'family left out' if name == 'without' else name}: " * starts + text)
    ax.set_yticks(range(len(rows)), labels, fontsize=8.5)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
