"""Figures of the g-index: performance against cost (Figs 12, 13), how the index responds in simulations (Figs
7-9), program size (Figs 10, 11), learning, and systems against the distance of the tests (Fig 15)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import seaborn as sns

from gindex_lab.foundation.validate import FloatArray, vector
from gindex_lab.presentation.plots import common
from gindex_lab.presentation.plots.labels import boxes_of, label_points, spread_out

__all__ = ["plot_learning_curves", "plot_omega_ranges", "plot_performance_cost", "plot_program_size"]
__all__ += ["plot_response", "plot_response_scatter", "plot_systems"]

_SMALLEST = 150.0  # area of the smallest bubble, in square points; the others in proportion
_NEAR = 8.0  # points between a bubble and a name that still stands beside it
_COSTS = {
    "training_samples": "training samples",
    "compute_pflop": "compute (PFLOP)",
    "samples_per_domain": "training samples per domain",
    "compute": "compute (PFLOP)",
}


@common.styled
def plot_performance_cost(
    table: pd.DataFrame, cost: str = "training_samples", *, title: str = "", ax: Any = None
) -> Any:
    """Draw performance θ against a cost: a bubble for each run, its area in proportion to the g-index.

    Parameters
    ----------
    table : one row per run, with the columns `model`, `performance`, `g_index` and that of the cost
    cost : "training_samples", "compute_pflop" or another column, on a logarithmic axis
    title, ax : of the figure; axes to draw into, by default new ones

    Returns
    -------
    The matplotlib Axes; each model has its colour, and its name and index stand beside its runs.

    References
    ----------
    Venkatasubramanian et al. (2021), "Towards a measure of general machine intelligence", Figs 12 and 13.

    Examples
    --------
    >>> runs = pd.DataFrame({"model": ["a", "a"], "training_samples": [640, 1280],
    ...                      "performance": [0.5, 0.7], "g_index": [400.0, 900.0]})
    >>> plot_performance_cost(runs).get_xlabel()
    'training samples'
    """
    common.columns_of(table, ["model", "performance", "g_index", cost], "a table of runs")
    ax = common.new_axes(ax)
    area = _SMALLEST * table["g_index"] / table["g_index"].min()
    colours = common.colours_of(sorted(table["model"].unique()))
    look = {"c": table["model"].map(colours), "alpha": 0.8, "edgecolor": "white"}
    ax.scatter(table[cost], table["performance"], s=area, **look)
    ax.set(xscale="log", xlabel=_COSTS.get(cost, cost.replace("_", " ")), ylabel="performance θ", title=title)
    if cost == "training_samples":  # they come in a few steps; compute keeps its decades
        _name_steps(ax, table[cost])
    ax.margins(x=0.15, y=0.15)
    points = table[[cost, "performance"]].to_numpy(dtype=float)
    labels = [
        (x, y, f"{model}\ng = {g:,.0f}")
        for (x, y), model, g in zip(points, table["model"], table["g_index"], strict=True)
    ]
    ax.figure.canvas.draw()
    pixel = ax.figure.dpi / 72
    radius, centre = np.sqrt(area.to_numpy() / np.pi)[:, None] * pixel, ax.transData.transform(points)
    bubbles = np.hstack([centre - radius, centre + radius])
    names = label_points(ax, labels, marks=points, avoid=bubbles, size=7)
    for name, box, bubble in zip(names, boxes_of(names), bubbles, strict=True):
        gap = np.maximum(box[:2] - bubble[2:], bubble[:2] - box[2:]).max()
        if name.arrow_patch is not None and gap < _NEAR * pixel:  # it stands beside its bubble
            name.arrow_patch.set_visible(False)
    return ax


def _name_steps(ax: Any, values: pd.Series | FloatArray) -> None:
    """Put ticks of a logarithmic axis at the values that occur."""
    steps = sorted(set(values))
    ax.set_xticks(steps, [f"{step:,.0f}" for step in steps])
    ax.minorticks_off()


@common.styled
def plot_response(
    even: pd.DataFrame,
    uneven: pd.DataFrame | None = None,
    x: str = "samples_per_domain",
    *,
    title: str = "",
    ax: Any = None,
) -> Any:
    """Draw g against samples or compute, one line per performance; bands hold nine in ten uneven splits.

    The scale is logarithmic, because each step of 0.2 in performance multiplies g by exp(1.2).

    Parameters
    ----------
    even, uneven : tables of `gl.simulate`, without and with draws
    x : the column on the axis
    title, ax : of the figure; axes to draw into, by default new ones

    Returns
    -------
    The matplotlib Axes.

    References
    ----------
    Venkatasubramanian et al. (2021), Figs 7 and 8.

    Examples
    --------
    >>> line = pd.DataFrame({"performance": [1, 1], "compute": [50, 100], "g_index": [9.0, 8.0]})
    >>> plot_response(line, x="compute").get_xlabel()
    'compute (PFLOP)'
    """
    common.columns_of(even, ["performance", x, "g_index"], "a table of simulate()")
    ax = common.new_axes(ax, figsize=(6, 4.2))
    levels = sorted(even["performance"].unique())
    shades = mpl.colormaps["viridis"](np.linspace(0.0, 0.85, len(levels)))
    how = {"x": x, "y": "g_index", "hue": "performance", "hue_order": levels, "legend": False, "ax": ax}
    how["palette"] = dict(zip(levels, map(tuple, shades), strict=True))
    sns.lineplot(even, errorbar=None, lw=1.6, **how)
    if uneven is not None:
        band = {"lw": 0, "err_kws": {"alpha": 0.25, "lw": 0}}
        sns.lineplot(uneven, errorbar=("pi", 90), **band, **how)
    for theta in levels:
        end = even[even["performance"] == theta].iloc[-1]
        at = (end[x], end["g_index"])
        ax.annotate(f" θ = {theta:g}", at, fontsize=8, va="center", color=how["palette"][theta])
    ax.set(yscale="log", xlabel=_COSTS.get(x, x), ylabel="g-index", title=title)
    ax.margins(x=0.14)
    return ax


@common.styled
def plot_response_scatter(table: pd.DataFrame, *, title: str = "", ax: Any = None) -> Any:
    """Draw g against performance, coloured by the mean domain distance of each draw.

    Parameters
    ----------
    table : of `gl.simulate`, with the columns `performance`, `mean_distance` and `g_index`
    title, ax : of the figure; axes to draw into, by default new ones

    Returns
    -------
    The matplotlib Axes.

    References
    ----------
    Venkatasubramanian et al. (2021), Fig 9.

    Examples
    --------
    >>> drawn = pd.DataFrame({"performance": [0.5], "mean_distance": [0.4], "g_index": [9.0]})
    >>> plot_response_scatter(drawn).get_ylabel()
    'g-index'
    """
    common.columns_of(table, ["performance", "mean_distance", "g_index"], "a table of simulate()")
    ax = common.new_axes(ax, figsize=(6, 4.2))
    look = {"c": table["mean_distance"], "s": 9, "cmap": "viridis"}  # seaborn has no colour bar
    points = ax.scatter(table["performance"], table["g_index"], **look)
    ax.figure.colorbar(points, ax=ax, label="mean domain distance Ω")
    ax.set(yscale="log", xlabel="performance θ", ylabel="g-index", title=title)
    return ax


@common.styled
def plot_program_size(
    table: pd.DataFrame, value: str = "performance", *, title: str = "", ax: Any = None
) -> Any:
    """Draw a value of each model on each domain against program size.

    A line through the means of four equally large groups of sizes guides the eye.

    Parameters
    ----------
    table : a row per model and domain, with the columns `model`, `characters` and that of the value
    value : "performance" (θ, Fig 10), "skill" (Fig 11) or another column
    title, ax : of the figure; axes to draw into, by default new ones

    Returns
    -------
    The matplotlib Axes.

    References
    ----------
    Venkatasubramanian et al. (2021), Figs 10 and 11.

    Examples
    --------
    >>> runs = pd.DataFrame({"model": ["a"] * 4, "characters": [900, 1500, 2500, 4000],
    ...                      "performance": [1.0, 0.9, 0.8, 0.4]})
    >>> plot_program_size(runs).get_ylabel()
    'performance θ'
    """
    common.columns_of(table, ["model", "characters", value], "a table of models and domains")
    ax = common.new_axes(ax, figsize=(7, 4.2))
    colours = common.colours_of(table["model"].unique())
    how = {"hue": "model", "palette": colours, "ax": ax}
    sns.scatterplot(table, x="characters", y=value, s=26, alpha=0.75, linewidth=0, **how)
    for model, runs in table.groupby("model", sort=False):
        quarter = pd.qcut(runs["characters"], 4, labels=False, duplicates="drop")
        means = runs.groupby(quarter)[["characters", value]].mean()
        ax.plot(means["characters"], means[value], color=colours[model], lw=1.2)
    names = common.VALUE_NAMES | {"skill": "skill level (share of perfect programs)"}
    ax.set(
        xlabel="program size (characters)", ylabel=names.get(value, value), ylim=(-0.04, 1.04), title=title
    )
    common.legend_beside(ax)
    return ax


@common.styled
def plot_learning_curves(
    table: pd.DataFrame, value: str = "performance", *, title: str = "", ax: Any = None
) -> Any:
    """Draw a value against training samples, a line per system; bands hold the runs of equal size.

    Parameters
    ----------
    table : of `gl.learning_curve`, or several of them one below the other
    value : the column to draw
    title, ax : of the figure; axes to draw into, by default new ones

    Returns
    -------
    The matplotlib Axes.

    Examples
    --------
    >>> runs = pd.DataFrame({"system": ["a", "a"], "training_samples": [16, 64],
    ...                      "performance": [0.5, 0.7]})
    >>> [tick.get_text() for tick in plot_learning_curves(runs).get_xticklabels()]
    ['16', '64']
    """
    common.columns_of(table, ["system", "training_samples", value], "a table of learning_curve()")
    sizes = vector("table", table["training_samples"])
    ax = common.new_axes(ax, figsize=(6, 4))
    how = {"hue": "system", "palette": common.colours_of(table["system"].unique()), "errorbar": ("pi", 100)}
    look = {"marker": "o", "ms": 4, "mec": "none", "err_kws": {"alpha": 0.2, "lw": 0}}
    sns.lineplot(table, x="training_samples", y=value, ax=ax, **how, **look)
    ax.set(xscale="log", xlabel="training samples", ylabel=_value_name(value), title=title)
    _name_steps(ax, sizes)
    common.legend_beside(ax)
    return ax


def _value_name(value: str) -> str:
    return common.VALUE_NAMES.get(value, value.replace("_", " "))


@common.styled
def plot_systems(
    table: pd.DataFrame,
    value: str = "performance",
    *,
    order: Sequence[str] | None = None,
    title: str = "",
    ax: Any = None,
) -> Any:
    """Draw a value of each system against Ω of the test domains, which are named above the frame.

    `table` has the columns `system`, `domain`, `omega` and the one named by `value`.

    >>> rows = pd.DataFrame({"system": ["a", "a"], "domain": ["near", "far"], "omega": [0.2, 0.8],
    ...                      "performance": [0.9, 0.3]})
    >>> plot_systems(rows).get_ylabel()
    'performance θ'
    """
    common.columns_of(table, ["system", "domain", "omega", value], "a table of systems and domains")
    ax = common.new_axes(ax, figsize=(7.5, 4.4))
    names = list(order or dict.fromkeys(table["system"]))
    how = {"hue": "system", "hue_order": names, "palette": common.colours_of(names), "errorbar": None}
    look = {"marker": "o", "ms": 5, "mec": "none", "estimator": None}
    sns.lineplot(table, x="omega", y=value, ax=ax, **how, **look)
    ax.set(xlabel="domain distance Ω of the test domain", ylabel=_value_name(value))
    means = table.groupby("domain", sort=False)["omega"].mean().sort_values()
    places = spread_out(means.to_numpy(), 0.035 * float(np.ptp(means)))
    above = {"xycoords": ("data", "axes fraction"), "rotation": 40, "color": common.SOFT, "fontsize": 7.5}
    for (name, omega), place in zip(means.items(), places, strict=True):
        ax.axvline(omega, color=common.GREY, lw=0.5, ls=":", zorder=0)
        text = shorten(str(name).replace("_", " ").removesuffix("-1"), 24)
        common.note(ax, text, (place, 1), (0, 3), **above)
    ax.set_title(title, pad=58)
    common.legend_beside(ax)
    return ax


@common.styled
def plot_omega_ranges(
    table: pd.DataFrame, published: Mapping[str, float] | None = None, *, title: str = "", ax: Any = None
) -> Any:
    """Draw Ω of many samples of each test domain, and what the paper prints for one of them (Fig 15).

    `table` has the columns `domain` and `omega`, a row per sample; `published` is Ω by domain.

    >>> rows = pd.DataFrame({"domain": ["lines", "lines"], "omega": [0.2, 0.4]})
    >>> plot_omega_ranges(rows, {"lines": 0.25}).get_xlabel()
    'domain distance Ω'
    """
    common.columns_of(table, ["domain", "omega"], "a table of samples")
    ax = common.new_axes(ax, figsize=(7, 3.6))
    samples = {name: np.sort(own) for name, own in table.groupby("domain", sort=False)["omega"]}
    names = list(samples)[::-1]
    for at, name in enumerate(names):
        values = samples[name]
        # By the golden angle: spread evenly, and the same each time, which seaborn's jitter is not.
        height = at + 0.26 * np.sin(np.arange(len(values)) * 2.399963)
        ax.scatter(values, height, s=9, color=common.BLUE, alpha=0.35, lw=0, zorder=2)
        ax.plot([np.median(values)] * 2, [at - 0.34, at + 0.34], color=common.INK, lw=2, zorder=3)
        if name in (published or {}):
            look = {"marker": "D", "s": 52, "color": common.ORANGE, "ec": "white", "zorder": 4}
            ax.scatter((published or {})[name], at, **look)
    ax.plot([], [], "o", color=common.BLUE, alpha=0.6, ms=4, label="one drawing")
    ax.plot([], [], "|", color=common.INK, mew=2, ms=10, label="median")
    if published:
        ax.plot([], [], "D", color=common.ORANGE, ms=6, label="paper, Fig 15")
    ax.set_yticks(range(len(names)), names)
    ax.set(xlim=(-0.02, 1.02), xlabel="domain distance Ω", title=title)
    common.legend_beside(ax)
    return ax
