"""Figures of the AIQ test: scores against time and length of program, beside the author's, and tests.

Tables in, axes out: `gl.aiq.estimate`, `gl.aiq.sweep` and `gindex_lab.worlds.aiq.validation` compute them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.presentation.plots.common import (
    colours_of,
    columns_of,
    heading,
    new_axes,
    note,
    styled,
)

__all__ = [
    "plot_apart",
    "plot_class_shares",
    "plot_differences",
    "plot_episodes",
    "plot_null_tests",
    "plot_program_lengths",
    "plot_sample_lengths",
]


@styled
def plot_episodes(
    table: pd.DataFrame,
    printed: pd.DataFrame | None = None,
    *,
    ax: Any = None,
    title: str = "",
) -> Any:
    """AIQ against episode length: one line per `agent`, bars from `low` to `high`, a name at its end.

    `printed` (columns `agent`, `episode`, `printed`) adds a cross beside each value.

    >>> rows = {"agent": "Freq", "episode": [100, 1000], "value": [30.0, 40], "low": 29.0, "high": 41.0}
    >>> plot_episodes(pd.DataFrame(rows)).get_xscale()
    'log'
    """
    rows = columns_of(table, ["agent", "episode", "value", "low", "high"], "gl.aiq.estimate")
    ax = new_axes(ax, figsize=(6.8, 4.4), layout="constrained")
    ends: dict[str, tuple[float, str]] = {}
    colours = colours_of(rows["agent"].unique())
    for name, part in rows.groupby("agent", sort=False):
        part, colour = part.sort_values("episode"), colours[name]
        bars = [part["value"] - part["low"], part["high"] - part["value"]]
        ax.errorbar(part["episode"], part["value"], bars, marker="o", ms=4, capsize=3, color=colour)
        ends[str(name)] = float(part["value"].iloc[-1]), colour
        if printed is not None:
            his = printed[printed["agent"] == name]
            ax.plot(his["episode"] * 0.93, his["printed"], "x", ms=7, mew=1.6, color=colour)
    lengths = np.unique(rows["episode"])
    ax.set(xscale="log", xlabel="episode length (interactions)", ylabel="AIQ")
    ax.set_xticks(lengths, [f"{n:,}" for n in lengths])
    ax.minorticks_off()
    ax.set_xlim(lengths[0] * 0.8, lengths[-1] * 1.15)
    _name_ends(ax, ends)
    line = "bars: 95% intervals" + ("; crosses: the author's tables" if printed is not None else "")
    heading(ax, title, line)
    return ax


def _name_ends(ax: Any, ends: Mapping[str, tuple[float, str]]) -> None:
    """Names right of the frame, in the colour of their lines, pushed apart where lines meet."""
    low, high = ax.get_ylim()
    order = sorted(ends, key=lambda name: ends[name][0])
    place = spread_out(np.array([ends[name][0] for name in order]), (high - low) * 0.055)
    look = {"xycoords": ("axes fraction", "data"), "va": "center", "annotation_clip": False}
    for name, y in zip(order, place, strict=True):
        note(ax, name, (1.0, y), (6, 0), color=ends[name][1], fontsize=9, **look)


def spread_out(values: FloatArray, gap: float) -> FloatArray:
    """Rising values moved as little as needed to stand at least `gap` apart.

    >>> spread_out(np.array([1.0, 1.0, 5.0]), 1.0).tolist()
    [0.5, 1.5, 5.0]
    """
    groups: list[list[float]] = []  # values of each bunch that touch each other
    for value in values.tolist():
        groups.append([value])
        while len(groups) > 1 and _spread(groups[-1], gap)[0] < _spread(groups[-2], gap)[-1] + gap:
            groups[-2:] = [groups[-2] + groups[-1]]
    return np.concatenate([_spread(group, gap) for group in groups])


def _spread(group: list[float], gap: float) -> FloatArray:
    return np.mean(group) + gap * (np.arange(len(group)) - (len(group) - 1) / 2)


@styled
def plot_program_lengths(
    tables: Mapping[str, pd.DataFrame], *, longest: int = 60, ax: Any = None, title: str = ""
) -> Any:
    """Mean reward against the length of the program, with 95% bands; tables of `by_program_length`.

    A bucket is drawn at its middle; lengths beyond `longest` are left out.

    >>> table = pd.DataFrame({"mean": [60.0, 40], "low": [55.0, 30], "high": [65.0, 50]}, index=[5, 10])
    >>> plot_program_lengths({"Freq": table}).get_ylabel()
    'mean reward'
    """
    ax = new_axes(ax, figsize=(6.8, 4.4), layout="constrained")
    ends = {}
    colours = colours_of(tables)
    for name, table in tables.items():
        colour = colours[name]
        shown = columns_of(table, ["mean"], "gl.aiq.by_program_length")
        shown = shown[shown.index <= longest]
        step = float(np.diff(shown.index).min()) if len(shown) > 1 else 1.0
        middle = shown.index.to_numpy() - (step - 1) / 2
        ax.plot(middle, shown["mean"], marker="o", ms=4, color=colour)
        ax.fill_between(middle, shown["low"], shown["high"], alpha=0.15, color=colour, lw=0)
        ends[str(name)] = float(shown["mean"].iloc[-1]), colour
    ax.set(xlabel="length of the program (instructions)", ylabel="mean reward")
    _name_ends(ax, ends)
    heading(ax, title, "bands: 95% intervals")
    return ax


@styled
def plot_apart(table: pd.DataFrame, *, limit: float = 2.5, title: str = "") -> Any:
    """How many standard errors our values are from the printed ones: a panel for each sample.

    `table` comes from `validation.beside`; a row for each setting, a dot for each episode length, larger
    and darker with its length. The band is ±`limit`.

    >>> rows = {"condition": "SDP", "setting": ["Freq,0.05", "Freq,0.1"], "episode": 1000, "apart": [0.5, 3]}
    >>> len(plot_apart(pd.DataFrame(rows)).axes)
    1
    """
    import matplotlib.pyplot as plt

    rows = columns_of(table, ["condition", "setting", "episode", "apart"], "validation.beside")
    conditions = list(dict.fromkeys(rows["condition"]))
    settings = sorted(set(rows["setting"]), reverse=True)
    lengths = sorted(set(rows["episode"]))
    of_length = np.interp(np.log10(lengths), [2, 5], [0.1, 0.95])  # the same in every figure
    shades = plt.get_cmap("cividis_r")(of_length)
    size = (3.6 * len(conditions) + 2.4, 0.27 * len(settings) + 1.7)
    shape: dict[str, Any] = {"figsize": size, "sharex": True, "sharey": True, "squeeze": False}
    figure, grid = plt.subplots(1, len(conditions), layout="constrained", **shape)
    for ax, condition in zip(grid[0], conditions, strict=True):
        part = rows[rows["condition"] == condition]
        ax.axvspan(-limit, limit, color="#EEF2F5", lw=0)
        ax.axvline(0, color="#888888", lw=0.8)
        for k, (length, colour) in enumerate(zip(lengths, shades, strict=True)):
            some = part[part["episode"] == length]
            place = [settings.index(name) for name in some["setting"]]
            ax.scatter(some["apart"], place, s=16 + 9 * k, color=colour, label=f"{length:,}")
        outside = int((part["apart"].abs() > limit).sum())
        ax.set_xlabel("standard errors from the printed value")
        heading(ax, condition, f"{outside} of {len(part)} beyond ±{limit:g}")
        ax.set_ylim(-0.7, len(settings) - 0.3)
    grid[0][0].set_yticks(range(len(settings)), settings, fontsize=8)
    handles = grid[0][0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside right upper", title="episode length")
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    return figure


@styled
def plot_differences(
    table: pd.DataFrame, *, printed: float | None = None, ax: Any = None, title: str = ""
) -> Any:
    """A difference with its interval in each row (`difference`, `low`, `high`), and what was printed.

    >>> rows = pd.DataFrame({"difference": [0.1], "low": [-0.1], "high": [0.3]}, index=["Freq"])
    >>> [tick.get_text() for tick in plot_differences(rows, printed=1.5).get_yticklabels()]
    ['Freq']
    """
    rows = columns_of(table, ["difference", "low", "high"], "gl.aiq.compare")
    ax = new_axes(ax, figsize=(6.8, 0.42 * len(rows) + 1.5), layout="constrained")
    place = np.arange(len(rows))[::-1]
    ax.axvline(0, color="#888888", lw=0.8)
    ax.hlines(place, rows["low"], rows["high"], color="#7F93A6", lw=2.4)
    ax.plot(rows["difference"], place, "o", color="#1F3B57", ms=6, mec="white", mew=0.5)
    if printed is not None:
        ax.axvline(printed, color="#D55E00", lw=1.4, ls="--")
        look = {"xycoords": ("data", "axes fraction"), "color": "#D55E00", "va": "bottom"}
        note(ax, f"printed: {printed:g}", (printed, 0.0), (4, 2), **look)
        low, high = ax.get_xlim()
        ax.set_xlim(low, max(high, printed + 0.16 * (high - low)))
    ax.set_yticks(place, [str(name) for name in rows.index])
    ax.set(ylim=(-0.9, len(rows) - 0.3), xlabel="difference in AIQ")
    heading(ax, title, "bars: 95% intervals over programs")
    return ax


@styled
def plot_null_tests(table: pd.DataFrame, *, settings: int, title: str = "", ax: Any = None) -> Any:
    """The p of each replication of `gl.aiq.null_experiment`, over settings and over programs.

    Where nothing is to be found, one p in twenty should fall below the line at 0.05.

    >>> found = pd.DataFrame({"p": [1e-5, 0.02], "p_programs": [0.5, 0.4]}, index=[1, 2])
    >>> plot_null_tests(found, settings=13).get_yscale()
    'log'
    """
    rows = columns_of(table, ["p", "p_programs"], "gl.aiq.null_experiment")
    ax = new_axes(ax, figsize=(6.8, 3.8), layout="constrained")
    place = np.arange(1, len(rows) + 1)
    ax.axhline(0.05, color="#888888", lw=1, ls="--")
    ax.plot(place, rows["p_programs"], "o", ms=7, color="#0072B2", label="programs")
    ax.plot(place, rows["p"], "o", ms=7, color="#D55E00", label=f"{settings} settings")
    ax.set(xlabel="replication", ylabel="p", xticks=place, yscale="log")
    ax.set_ylim(min(1e-3, float(rows["p"].min()) / 3), 1.6)
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), title="t-test over")
    heading(ax, title, "two samples of one law each time; dashed: 0.05")
    return ax


@styled
def plot_sample_lengths(
    samples: Mapping[str, pd.Series], *, longest: int = 60, ax: Any = None, title: str = ""
) -> Any:
    """The share of programs up to each length: one line for each sample (programs as text).

    >>> plot_sample_lengths({"mine": pd.Series([",.#", ".,#"])}).get_ylabel()
    'programs up to this length (%)'
    """
    ax = new_axes(ax, figsize=(6.4, 4.0), layout="constrained")
    grid = np.arange(3, longest + 1)
    # The first line is a broad band, so that it shows behind one that covers it.
    looks = [{"lw": 4.5}] + [{"lw": 1.6}] * (len(samples) - 1)
    colours = colours_of(samples)
    for look, (name, texts) in zip(looks, samples.items(), strict=True):
        length = np.sort(texts.str.len().to_numpy())
        share = np.searchsorted(length, grid, side="right") / len(length) * 100
        ax.plot(grid, share, color=colours[name], label=name, drawstyle="steps-post", **look)
    ax.set(xlabel="length of the program (instructions)", ylabel="programs up to this length (%)")
    ax.legend(loc="lower right")
    heading(ax, title, "")
    return ax


@styled
def plot_class_shares(
    ours: pd.DataFrame,
    printed: pd.DataFrame | None = None,
    *,
    names: Mapping[str, str] | None = None,
    title: str = "",
    ax: Any = None,
) -> Any:
    """Shares of classes (rows, in percent) in samples (columns): a dot is ours, a bar across is printed.

    >>> table = pd.DataFrame({"original": [76.0], "SDP": [65.0]}, index=["chance"])
    >>> plot_class_shares(table, table).get_xlabel()
    'share of the programs (%)'
    """
    ax = new_axes(ax, figsize=(7.6, 0.44 * len(ours) + 1.6), layout="constrained")
    rows = np.arange(len(ours))[::-1]
    step = 0.72 / len(ours.columns)
    for k, (sample, colour) in enumerate(colours_of(ours.columns).items()):
        place = rows + (len(ours.columns) - 1) * step / 2 - k * step
        ax.plot(ours[sample], place, "o", ms=5, color=colour, label=sample)
        if printed is not None and sample in printed:
            his = printed[sample].reindex(ours.index)
            ax.plot(his, place, "|", ms=9, mew=1.8, color="#222222", zorder=1)
    labels = [(names or {}).get(str(name), str(name)) for name in ours.index]
    ax.set_yticks(rows, labels)
    ax.hlines(rows[:-1] - 0.5, 0, 1, color="#E3E6E9", lw=0.7, transform=ax.get_yaxis_transform())
    ax.set(xlabel="share of the programs (%)", ylim=(-0.6, len(ours) - 0.4), xlim=(-1.5, None))
    ax.tick_params(axis="y", length=0)
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), title="sample")
    heading(ax, title, "dots: ours; black: the author's counts" if printed is not None else "")
    return ax
