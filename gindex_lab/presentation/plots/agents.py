"""Figures of agents in worlds: the AIQ test (scores against time and length of program, beside the author's)
and the anytime test (trajectories, budgets, stopping, complexity)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.presentation.plots import common
from gindex_lab.presentation.plots.labels import spread_out

__all__ = ["plot_apart", "plot_class_shares", "plot_differences", "plot_episodes", "plot_null_tests"]
__all__ += ["plot_placement_bias", "plot_program_lengths", "plot_reward_by_complexity", "plot_sample_lengths"]
__all__ += ["plot_score_by_budget", "plot_stopping_bias", "plot_trajectories"]

# -- the AIQ test --------------------------------------------------------------------------------------


@common.styled
def plot_episodes(
    table: pd.DataFrame, printed: pd.DataFrame | None = None, *, title: str = "", ax: Any = None
) -> Any:
    """Draw AIQ against episode length: one line per `agent`, bars from `low` to `high`, a name at its end.

    `printed` (columns `agent`, `episode`, `printed`) adds a cross beside each value.

    >>> rows = {"agent": "Freq", "episode": [100, 1000], "value": [30.0, 40], "low": 29.0, "high": 41.0}
    >>> plot_episodes(pd.DataFrame(rows)).get_xscale()
    'log'
    """
    rows = common.columns_of(table, ["agent", "episode", "value", "low", "high"], "gl.aiq.estimate")
    ax = common.new_axes(ax, figsize=(6.8, 4.4), layout="constrained")
    colours = common.colours_of(rows["agent"].unique())
    ends = {}
    for name, part in rows.sort_values("episode").groupby("agent", sort=False):
        bars = [part["value"] - part["low"], part["high"] - part["value"]]
        look = {"marker": "o", "ms": 4, "capsize": 3, "color": colours[name]}
        ax.errorbar(part["episode"], part["value"], bars, **look)
        ends[name] = float(part["value"].iloc[-1])
        if printed is not None:
            his = printed[printed["agent"] == name]
            ax.plot(his["episode"] * 0.93, his["printed"], "x", ms=7, mew=1.6, color=colours[name])
    lengths = np.unique(rows["episode"])
    ax.set(xscale="log", xlabel="episode length (interactions)", ylabel="AIQ")
    ax.set_xticks(lengths, [f"{n:,}" for n in lengths])
    ax.minorticks_off()
    ax.set_xlim(lengths[0] * 0.8, lengths[-1] * 1.15)
    _name_ends(ax, ends, colours)
    common.heading(
        ax, title, "bars: 95% intervals" + "; crosses: the author's tables" * (printed is not None)
    )
    return ax


def _name_ends(ax: Any, ends: Mapping[Any, float], colours: Mapping[Any, str]) -> None:
    """Write names right of the frame, in the colour of their lines, pushed apart where lines meet."""
    low, high = ax.get_ylim()
    places = spread_out(np.array(list(ends.values())), (high - low) * 0.055)
    look = {"xycoords": ("axes fraction", "data"), "va": "center", "annotation_clip": False}
    for name, y in zip(ends, places, strict=True):
        common.note(ax, str(name), (1.0, y), (6, 0), color=colours[name], fontsize=9, **look)


@common.styled
def plot_program_lengths(
    tables: Mapping[str, pd.DataFrame], *, longest: int = 60, title: str = "", ax: Any = None
) -> Any:
    """Draw mean reward against the length of the program, with 95% bands; tables of `by_program_length`.

    A bucket is drawn at its middle; lengths beyond `longest` are left out.

    >>> table = pd.DataFrame({"mean": [60.0, 40], "low": [55.0, 30], "high": [65.0, 50]}, index=[5, 10])
    >>> plot_program_lengths({"Freq": table}).get_ylabel()
    'mean reward'
    """
    ax = common.new_axes(ax, figsize=(6.8, 4.4), layout="constrained")
    colours, ends = common.colours_of(tables), {}
    for name, table in tables.items():
        shown = common.columns_of(table, ["mean"], "gl.aiq.by_program_length")
        shown = shown[shown.index <= longest]
        step = float(np.diff(shown.index).min()) if len(shown) > 1 else 1.0
        middle = shown.index.to_numpy() - (step - 1) / 2
        values = shown["mean"], shown["low"], shown["high"]
        common.line_with_band(ax, middle, *values, colours[name], marker="o", ms=4)
        ends[name] = float(shown["mean"].iloc[-1])
    ax.set(xlabel="length of the program (instructions)", ylabel="mean reward")
    _name_ends(ax, ends, colours)
    common.heading(ax, title, "bands: 95% intervals")
    return ax


@common.styled
def plot_apart(table: pd.DataFrame, *, limit: float = 2.5, title: str = "") -> Any:
    """Draw how many standard errors our values are from the printed ones: a panel for each sample.

    `table` comes from `validation.beside`; a row for each setting, a dot for each episode length, larger
    and darker with its length. The band is ±`limit`.

    >>> rows = {"condition": "SDP", "setting": ["Freq,0.05", "Freq,0.1"], "episode": 1000, "apart": [0.5, 3]}
    >>> len(plot_apart(pd.DataFrame(rows)).axes)
    1
    """
    rows = common.columns_of(table, ["condition", "setting", "episode", "apart"], "validation.beside")
    conditions, lengths = rows["condition"].unique(), np.unique(rows["episode"])
    settings = np.unique(rows["setting"])
    of_length = np.interp(np.log10(lengths), [2, 5], [0.1, 0.95])  # the same in every figure
    shades = map(tuple, plt.get_cmap("cividis_r")(of_length))
    look: dict[str, Any] = {"hue": "episode", "palette": dict(zip(lengths, shades, strict=True))}
    look |= {"size": "episode", "sizes": {n: 16 + 9 * k for k, n in enumerate(lengths)}, "linewidth": 0}
    size = (3.6 * len(conditions) + 2.4, 0.27 * len(settings) + 1.7)
    shape: dict[str, Any] = {"figsize": size, "sharex": True, "sharey": True, "squeeze": False}
    figure, grid = plt.subplots(1, len(conditions), layout="constrained", **shape)
    for ax, condition in zip(grid[0], conditions, strict=True):
        part = rows[rows["condition"] == condition].sort_values("setting", kind="stable")
        ax.axvspan(-limit, limit, color="#EEF2F5", lw=0)
        ax.axvline(0, color="#888888", lw=0.8)
        sns.scatterplot(part, x="apart", y="setting", ax=ax, **look)
        handles = ax.get_legend_handles_labels()[0]
        ax.get_legend().remove()
        ax.set(xlabel="standard errors from the printed value", ylabel="")
        outside = int((part["apart"].abs() > limit).sum())
        common.heading(ax, condition, f"{outside} of {len(part)} beyond ±{limit:g}")
    grid[0][0].set_ylim(len(settings) - 0.3, -0.7)
    grid[0][0].tick_params(axis="y", labelsize=8)
    labels = [f"{n:,}" for n in lengths]
    figure.legend(handles, labels, loc="outside right upper", title="episode length")
    common.over_all(figure, title)
    return figure


@common.styled
def plot_differences(
    table: pd.DataFrame, *, printed: float | None = None, title: str = "", ax: Any = None
) -> Any:
    """Draw a difference with its interval in each row (`difference`, `low`, `high`), and what was printed.

    >>> rows = pd.DataFrame({"difference": [0.1], "low": [-0.1], "high": [0.3]}, index=["Freq"])
    >>> [tick.get_text() for tick in plot_differences(rows, printed=1.5).get_yticklabels()]
    ['Freq']
    """
    rows = common.columns_of(table, ["difference", "low", "high"], "gl.aiq.compare").iloc[::-1]
    ax = common.new_axes(ax, figsize=(6.8, 0.42 * len(rows) + 1.5), layout="constrained")
    ax.axvline(0, color="#888888", lw=0.8)
    common.rows_with_bars(
        ax, rows["difference"], rows["low"], rows["high"], [str(name) for name in rows.index]
    )
    if printed is not None:
        ax.axvline(printed, color=common.ORANGE, lw=1.4, ls="--")
        look = {"xycoords": ("data", "axes fraction"), "color": common.ORANGE, "va": "bottom"}
        common.note(ax, f"printed: {printed:g}", (printed, 0.0), (4, 2), **look)
        low, high = ax.get_xlim()
        ax.set_xlim(low, max(high, printed + 0.16 * (high - low)))
    ax.set(ylim=(-0.9, len(rows) - 0.3), xlabel="difference in AIQ")
    common.heading(ax, title, "bars: 95% intervals over programs")
    return ax


@common.styled
def plot_null_tests(table: pd.DataFrame, *, settings: int, title: str = "", ax: Any = None) -> Any:
    """Draw the p of each replication of `gl.aiq.null_experiment`, over settings and over programs.

    Where there is nothing to find, one p in twenty should fall below the line at 0.05.

    >>> found = pd.DataFrame({"p": [1e-5, 0.02], "p_programs": [0.5, 0.4]}, index=[1, 2])
    >>> plot_null_tests(found, settings=13).get_yscale()
    'log'
    """
    rows = common.columns_of(table, ["p", "p_programs"], "gl.aiq.null_experiment")
    ax = common.new_axes(ax, figsize=(6.8, 3.8), layout="constrained")
    place = np.arange(1, len(rows) + 1)
    ax.axhline(0.05, color="#888888", lw=1, ls="--")
    ax.plot(place, rows["p_programs"], "o", ms=7, color=common.BLUE, label="programs")
    ax.plot(place, rows["p"], "o", ms=7, color=common.ORANGE, label=f"{settings} settings")
    ax.set(xlabel="replication", ylabel="p", xticks=place, yscale="log")
    ax.set_ylim(min(1e-3, float(rows["p"].min()) / 3), 1.6)
    common.legend_beside(ax, "t-test over")
    common.heading(ax, title, "two samples of one law each time; dashed: 0.05")
    return ax


@common.styled
def plot_sample_lengths(
    samples: Mapping[str, pd.Series], *, longest: int = 60, title: str = "", ax: Any = None
) -> Any:
    """Draw the share of programs up to each length: one line for each sample (programs as text).

    >>> plot_sample_lengths({"mine": pd.Series([",.#", ".,#"])}).get_ylabel()
    'programs up to this length (%)'
    """
    ax = common.new_axes(ax, figsize=(6.4, 4.0), layout="constrained")
    colours = common.colours_of(samples)
    for k, (name, texts) in enumerate(samples.items()):
        # The first line is a broad band, so that it shows behind one that covers it.
        look = {"color": colours[name], "label": name, "lw": 1.6 if k else 4.5}
        sns.ecdfplot(texts.str.len().to_numpy(), stat="percent", ax=ax, **look)
    ax.set(xlabel="length of the program (instructions)", ylabel="programs up to this length (%)")
    ax.set(xlim=(3, longest))
    ax.legend(loc="lower right")
    common.heading(ax, title)
    return ax


@common.styled
def plot_class_shares(
    ours: pd.DataFrame,
    printed: pd.DataFrame | None = None,
    *,
    names: Mapping[str, str] | None = None,
    title: str = "",
    ax: Any = None,
) -> Any:
    """Draw shares of classes (rows, in percent) in samples (columns): a dot is ours, a bar across is printed.

    >>> table = pd.DataFrame({"original": [76.0], "SDP": [65.0]}, index=["chance"])
    >>> plot_class_shares(table, table).get_xlabel()
    'share of the programs (%)'
    """
    ax = common.new_axes(ax, figsize=(7.6, 0.44 * len(ours) + 1.6), layout="constrained")
    samples, labels = list(ours.columns), [(names or {}).get(str(name), str(name)) for name in ours.index]
    how = {"x": "share", "y": "class", "hue": "sample", "hue_order": samples, "order": labels, "ax": ax}
    how |= {"dodge": 0.72 * (1 - 1 / len(samples)), "linestyle": "none", "errorbar": None}
    his = None if printed is None else printed.reindex(index=ours.index, columns=samples)
    tables = {"|": his, "o": ours}
    for marker, table in tables.items():
        if table is not None:
            long = table.set_axis(labels).rename_axis("class").reset_index()
            rows = long.melt("class", var_name="sample", value_name="share")
            bars = marker == "|"
            palette = dict.fromkeys(samples, common.INK) if bars else common.colours_of(samples)
            look = {"ms": 9, "mew": 1.8} if bars else {"ms": 5, "mew": 0}
            sns.pointplot(rows, palette=palette, markers=marker, legend=not bars, **how, **look)
    ax.hlines(
        np.arange(len(ours) - 1) + 0.5, 0, 1, color="#E3E6E9", lw=0.7, transform=ax.get_yaxis_transform()
    )
    ax.set(xlabel="share of the programs (%)", ylabel="", ylim=(len(ours) - 0.4, -0.6), xlim=(-1.5, None))
    ax.tick_params(axis="y", length=0)
    common.legend_beside(ax, "sample")
    common.heading(ax, title, "dots: ours; black: the author's counts" if printed is not None else "")
    return ax


# -- the anytime test ----------------------------------------------------------------------------------


@common.styled
def plot_trajectories(trajectories: Mapping[str, pd.DataFrame], *, title: str = "", axes: Any = None) -> Any:
    """Draw complexity ξ, time τ and the running score, environment by environment, one line per agent.

    >>> table = pd.DataFrame({"xi": [8.0, 12], "tau": [0.001, 0.0015], "score": [1.0, 0.5]}, index=[1, 2])
    >>> len(plot_trajectories({"oracle": table}))
    3
    """
    if not trajectories:
        raise BadInput("trajectories", trajectories, "[empty] is empty", "pass {name: result.trajectory}")
    panels = {"xi": "complexity ξ (bits)", "score": "running score Υ", "tau": "time per environment τ (s)"}
    grid = plt.subplots(1, 3, figsize=(9.6, 3.4))[1] if axes is None else axes
    colours = common.colours_of(trajectories)
    for mark, (name, table) in zip(cycle(common.MARKERS), trajectories.items(), strict=False):
        common.columns_of(table, list(panels), "result.trajectory")
        look = {"marker": mark, "ms": 3, "lw": 1.3, "color": colours[name], "label": str(name)}
        for ax, column in zip(grid, panels, strict=True):
            ax.plot(table.index, table[column], **look)
    for ax, label in zip(grid, panels.values(), strict=True):
        ax.set(xlabel="environment", ylabel=label)
    grid[1].axhline(0, color=common.GREY, lw=0.8, zorder=0)
    grid[2].set_yscale("log")
    figure = grid[0].figure
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside right upper")
    common.over_all(figure, title)
    return grid


@common.styled
def plot_score_by_budget(table: pd.DataFrame, *, title: str = "", ax: Any = None) -> Any:
    """Draw the score against the time budget Θ, a line and a 95% band for each agent.

    >>> table = pd.DataFrame({"agent": ["a", "a"], "seconds": [1, 10], "value": [0.5, 0.6],
    ...                       "low": [0.4, 0.5], "high": [0.6, 0.7]})
    >>> plot_score_by_budget(table).get_xscale()
    'log'
    """
    common.columns_of(table, ["agent", "seconds", "value", "low", "high"], "gl.anytime.by_budget(...)")
    ax = common.new_axes(ax, figsize=(6.4, 4.0))
    _draw_bands(ax, table, "seconds", "value")
    ax.axhline(0, color=common.GREY, lw=0.8, zorder=0)
    ax.set(xscale="log", xlabel="time budget Θ (s)", ylabel="anytime score Υ")
    common.heading(ax, title)
    return ax


@common.styled
def plot_reward_by_complexity(
    table: pd.DataFrame,
    points: pd.DataFrame | None = None,
    *,
    xlabel: str = "complexity",
    ylabel: str = "mean reward",
    title: str = "",
    ax: Any = None,
) -> Any:
    """Draw mean reward against complexity with 95% bands; `points` (agent, complexity, reward) as dots below.

    >>> table = pd.DataFrame({"agent": ["a", "a"], "complexity": [1, 2], "mean": [0.5, 0.2],
    ...                       "low": [0.4, 0.1], "high": [0.6, 0.3]})
    >>> len(plot_reward_by_complexity(table).get_lines())
    1
    """
    common.columns_of(table, ["agent", "complexity", "mean", "low", "high"], "gl.anytime.by_complexity(...)")
    ax = common.new_axes(ax, figsize=(6.4, 4.0))
    colours = _draw_bands(ax, table, "complexity", "mean")
    if points is not None:
        common.columns_of(points, ["agent", "complexity", "reward"], "one row per agent and environment")
        shades = [colours.get(name, common.GREY) for name in points["agent"]]
        ax.scatter(points["complexity"], points["reward"], s=9, alpha=0.35, c=shades, lw=0, zorder=1)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    common.heading(ax, title)
    return ax


def _draw_bands(ax: Any, table: pd.DataFrame, x: str, y: str) -> dict[Any, str]:
    """Draw a line with a band for each agent, with a legend beside the frame; returns the colours."""
    colours = common.colours_of(table["agent"].unique())
    for mark, (name, own) in zip(cycle(common.MARKERS), table.groupby("agent", sort=False), strict=False):
        look = {"marker": mark, "ms": 4, "label": str(name)}
        common.line_with_band(ax, own[x], own[y], own["low"], own["high"], colours[name], **look)
    common.legend_beside(ax)
    return colours


@common.styled
def plot_stopping_bias(table: pd.DataFrame, *, title: str = "", ax: Any = None) -> Any:
    """Draw what a stopping policy gains on fair rewards: plain average, Definition 16 and total / N.

    >>> from gindex_lab.worlds.anytime.averages import stopping_bias
    >>> plot_stopping_bias(stopping_bias([10, 100], runs=200)).get_ylabel()
    'measured mean reward (fair: 0)'
    """
    names = {"plain": "plain average", "diminishing": "diminishing history (Def 16)", "total": "total / N"}
    common.columns_of(table, [*names, *(f"{name}_error" for name in names)], "gl.anytime.stopping_bias(...)")
    ax = common.new_axes(ax, figsize=(6.4, 3.8))
    for mark, (column, label) in zip(common.MARKERS, names.items(), strict=False):
        error = 1.96 * table[f"{column}_error"]
        ax.errorbar(table.index, table[column], error, marker=mark, ms=5, label=label, capsize=2)
    ax.axhline(0, color=common.GREY, lw=0.8, zorder=0)
    ax.set(xscale="log", xlabel="time N (interactions)", ylabel="measured mean reward (fair: 0)")
    common.legend_beside(ax)
    common.heading(ax, title)
    return ax


@common.styled
def plot_placement_bias(biases: Sequence[FloatArray] | FloatArray, *, title: str = "", ax: Any = None) -> Any:
    """Draw how far a random agent is from 0 when the placement is fixed: all placements of all environments.

    >>> plot_placement_bias([np.array([0.1, -0.1, np.nan])]).get_ylabel()
    'placements'
    """
    values = np.concatenate([np.ravel(bias) for bias in biases])
    values = values[~np.isnan(values)]
    if not len(values):
        raise BadInput("biases", values, "[empty] has no number", "use gl.anytime.bias_of_placements")
    ax = common.new_axes(ax, figsize=(6.0, 3.4))
    sns.histplot(values, bins=np.linspace(-0.4, 0.4, 81), color=common.FILL, alpha=1, lw=0, ax=ax)
    ax.axvline(float(values.mean()), color=common.INK, lw=1)
    ax.set(xlabel="random agent's expected mean reward", ylabel="placements", yscale="log")
    common.heading(ax, title, f"{len(values):,} placements, largest {abs(values).max():.3f}")
    return ax
