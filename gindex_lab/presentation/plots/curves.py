"""Agents' curves over difficulty: characteristic curves, and time horizons (one agent's curve, horizon
against spread, both through time, and the penalty).

Lengths stand on log2 axes with ticks in seconds, minutes, hours and days. The lines and bands of
`plot_horizon_time` are those of ordinary least squares, which statsmodels gives exactly (seaborn's regression
plot resamples its band).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle, pairwise
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import Label
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, choice
from gindex_lab.measures.horizons.curves import curve_rows, falling
from gindex_lab.presentation.plots import common
from gindex_lab.presentation.plots.generality import Interval, interval_of, plot_capability_spread

__all__ = ["length_text", "plot_curve", "plot_curves_together", "plot_horizon_curve", "plot_horizon_spread"]
__all__ += ["plot_horizon_time", "plot_penalty", "plot_shares"]

SOURCE = "the table of gl.horizon"
_TICKS = (1 / 60, 4 / 60, 15 / 60, 1, 4, 15, 60, 240, 960, 2880, 10080)  # minutes
_FAR = 6.0  # doublings beyond an estimate at which its interval is cut, so that it does not set the scale


@common.styled
def plot_curve(
    curve: pd.DataFrame,
    indicators: pd.Series | Mapping[str, float] | None = None,
    *,
    interval: Interval | None = None,
    items: pd.DataFrame | None = None,
    estimator: str = "trapezoid",
    unit: str = "",
    title: str = "",
    ax: Any = None,
) -> Any:
    """Draw an agent characteristic curve: the mean response ψ against difficulty h.

    Beyond the observed difficulties the curve is extrapolated over the interval, dotted: solved on the left,
    failed on the right.

    Parameters
    ----------
    curve : the table of `gl.characteristic_curve`
        Columns `difficulty`, `response` and, if known, `n` (the size of a dot) and `low`, `high` (a band).
    indicators : the agent's row of `gl.generality`, written above the frame
    interval : lowest and highest difficulty; by default `curve.attrs["interval"]`
    items : single responses, with the columns `difficulty` and `response`, drawn as grey circles
    estimator : "trapezoid" joins the points by straight pieces, "step" by steps
    unit, title, ax : of difficulty; of the figure; axes to draw into, by default new ones

    Returns
    -------
    The matplotlib Axes.

    References
    ----------
    Hernández-Orallo et al. (2021), supplement §E.1 and Fig. S30.

    Examples
    --------
    >>> curve = pd.DataFrame({"difficulty": [1, 2, 3], "response": [1, 0.5, 0], "n": [4, 4, 4]})
    >>> plot_curve(curve, interval=(0, 4)).get_ylabel()
    'mean response ψ'
    """
    curve = common.columns_of(curve, ["difficulty", "response"], "gl.characteristic_curve(...)")
    stepwise = choice("estimator", estimator, ["trapezoid", "step"]) == "step"
    curve = curve.sort_values("difficulty", kind="stable")
    ax = common.new_axes(ax, figsize=(5.6, 3.6))
    h, psi = curve["difficulty"].to_numpy(float), curve["response"].to_numpy(float)
    if items is not None:  # pale, so that it is the darker, the more items there are at a point
        single = common.columns_of(items, ["difficulty", "response"], "one row per item")
        ax.plot(single["difficulty"], single["response"], "o", ms=4, mfc="none", mec="#8A8A8A", alpha=0.5)
    if {"low", "high"} <= set(curve.columns):
        ax.fill_between(h, curve["low"], curve["high"], color=common.BLUE, alpha=0.18, linewidth=0)
    else:
        ax.fill_between(h, psi, step="pre" if stepwise else None, color=common.BLUE, alpha=0.10, linewidth=0)
    ax.plot(h, psi, drawstyle="steps-pre" if stepwise else "default", color=common.BLUE, zorder=3)
    if "n" in curve and len(curve) <= 60:
        area = 14 + 60 * curve["n"] / curve["n"].max()
        ax.scatter(h, psi, s=area, color=common.BLUE, edgecolor="white", linewidth=0.7, zorder=4)
    found = interval if interval is not None else curve.attrs.get("interval")
    if found is not None:
        solved = psi[0] if stepwise else 1.0  # a first step reaches back
        _draw_extrapolation(ax, h, psi, interval_of(curve, found), solved)
    ax.set(ylim=(-0.05, 1.05), xlabel=common.with_unit("difficulty h", unit), ylabel="mean response ψ")
    common.heading(ax, title, common.indicator_line(indicators))
    return ax


def _draw_extrapolation(ax: Any, h: FloatArray, psi: FloatArray, interval: Interval, solved: float) -> None:
    low, high = interval
    look = {"color": common.BLUE, "linestyle": (0, (1, 1.5)), "linewidth": 1.4, "zorder": 2}
    if low < h[0]:
        ax.plot([low, h[0], h[0]], [solved, solved, psi[0]], **look)
        ax.fill_between([low, h[0]], solved, color=common.BLUE, alpha=0.05, linewidth=0)
    if high >= h[-1]:
        ax.plot([h[-1], h[-1], high], [psi[-1], 0, 0], **look)


@common.styled
def plot_curves_together(
    curves: pd.DataFrame, *, xlabel: str = "difficulty", title: str = "", ax: Any = None
) -> Any:
    """Draw mean responses (columns: agents) along difficulty (index), one line each.

    They are named beside the frame in the order of their means. Shades alone are too close to tell ten lines
    apart, so each has its own marker.

    >>> curves = pd.DataFrame({"one": [1.0, 0.5], "other": [0.8, 0.1]}, index=[7, 8])
    >>> len(plot_curves_together(curves).get_legend().get_texts())
    2
    """
    ax = common.new_axes(ax, figsize=(7.0, 4.0))
    ordered = curves[curves.mean().sort_values(ascending=False, kind="stable").index]
    marks = dict(zip(ordered, cycle(common.MARKERS), strict=False))
    shades = mpl.colormaps["cividis"](np.linspace(0.08, 0.86, len(marks)))  # without its palest yellow
    look = {"markers": marks, "dashes": False, "ms": 6, "mec": "none"}
    sns.lineplot(ordered, palette=list(map(tuple, shades)), ax=ax, **look)
    ax.set(xlabel=xlabel, ylabel="response", ylim=(-0.03, 1.03))
    common.legend_beside(ax)
    common.heading(ax, title)
    return ax


# -- time horizons -------------------------------------------------------------------------------------


def length_text(minutes: float) -> str:
    """A length in words: seconds, minutes, hours or days.

    >>> [length_text(m) for m in (0.25, 15, 240, 2880)]
    ['15 s', '15 min', '4 h', '2 d']
    """
    if not np.isfinite(minutes):
        return "∞"
    for size, unit in ((1440.0, "d"), (60.0, "h"), (1.0, "min")):
        if minutes >= 0.9995 * size * (2 if unit == "d" else 1):
            return f"{minutes / size:.3g} {unit}"
    return f"{minutes * 60:.3g} s"


def _length_axis(axis: Any, low: float, high: float, most: int = 7) -> None:
    """Put ticks at round lengths on an axis of log2 minutes."""
    inside = [m for m in _TICKS if low - 0.05 <= np.log2(m) <= high + 0.05]
    inside = inside[:: -(-len(inside) // most)] if inside else []
    axis.set_ticks([np.log2(m) for m in inside], [length_text(m) for m in inside])


def _doublings(minutes: pd.Series) -> pd.Series:
    with np.errstate(divide="ignore"):
        return np.log2(minutes)


def _drawable(table: pd.DataFrame, spread: str) -> pd.DataFrame:
    """The agents whose horizon is neither 0 nor infinite."""
    shown = common.columns_of(table, ["horizon_50", spread], SOURCE)
    return shown[(shown["horizon_50"] > 0) & np.isfinite(shown["horizon_50"])]


@common.styled
def plot_horizon_curve(
    responses: Responses, agent: Label, table: pd.DataFrame, *, title: str = "", ax: Any = None
) -> Any:
    """Draw one agent's exact, isotonic and logistic curve, with its horizons dropped to the axis (Figure 1).

    Each tick above and below the frame is a task solved or failed, in the colour of its family.

    >>> import gindex_lab as gl
    >>> study = gl.Responses([[1, 1, 0, 1, 0]], difficulty=range(5))
    >>> plot_horizon_curve(study, "agent 1", gl.horizon(study)).get_xlabel()
    'length of the task for a person'
    """
    row = common.columns_of(table, ["location", "slope", "horizon_50"], SOURCE).loc[agent]
    if responses.difficulty is None:
        raise BadInput("responses", responses, "has no difficulties", "give log2 minutes")
    ax = common.new_axes(ax, figsize=(7.2, 4.2))
    low, high = table.attrs["interval"]
    y = responses.frame.loc[agent].to_numpy(float)
    met = ~np.isnan(y)
    h, y = responses.difficulty.to_numpy(float)[met], y[met]
    levels, psi, total = curve_rows(h, y, np.ones((1, len(h))))
    ax.axvspan(low, high, color="#F3F5F8", zorder=0)
    ax.step(levels, psi[0], where="mid", color="#C4C4C4", lw=0.7, zorder=1, label="exact curve")
    falls = falling(psi, total)[0]
    ax.plot(levels, falls, color=common.GREEN, lw=1.6, zorder=2, label="falling (isotonic)")
    grid = np.linspace(low - 0.5, high + 0.5, 400)
    curve = 1 / (1 + np.exp(row["slope"] * (grid - row["location"])))
    ax.plot(grid, curve, color=common.BLUE, lw=2.2, zorder=3, label="logistic")
    for name, level in (("horizon_50", 0.5), ("horizon_80", 0.8)):
        at = np.log2(row[name]) if name in row and row[name] > 0 else np.nan
        if np.isfinite(at):
            drop = [at, at, low - 0.5], [-0.02, level, level]
            ax.plot(*drop, color=common.INK, lw=0.8, ls=":", zorder=4)
            ax.plot(at, level, "o", color=common.INK, ms=5, zorder=5)
            text = f" {level:.0%}: {length_text(float(row[name]))}"
            common.note(ax, text, (at, level), (5, 3), fontsize=8.5)
    families = None if responses.family is None else responses.family.to_numpy(str)[met]
    _draw_items(ax, h, y, np.full(len(h), "tasks") if families is None else families)
    ax.set(xlim=(low - 0.5, high + 0.5), ylim=(-0.12, 1.12), yticks=[0, 0.2, 0.5, 0.8, 1])
    ax.set(xlabel="length of the task for a person", ylabel="share solved ψ")
    _length_axis(ax.xaxis, low, high)
    common.legend_beside(ax, fontsize=7.5)
    line = f"spread {row['spread_logistic']:.1f} doublings" if "spread_logistic" in row else ""
    common.heading(ax, title or str(agent), line)
    return ax


def _draw_items(ax: Any, h: FloatArray, y: FloatArray, families: np.ndarray) -> None:
    """Draw a tick for each task; the families beyond the palette are grey and not named."""
    for k, name in enumerate(np.unique(families)):
        of = families == name
        known = k < len(common.PALETTE)
        look = (
            {"color": common.PALETTE[k], "label": f"{name} ({of.sum()})"} if known else {"color": common.GREY}
        )
        ax.plot(h[of], np.where(y[of] > 0.5, 1.07, -0.07), "|", ms=8, mew=0.9, zorder=4, **look)


@common.styled
def plot_horizon_spread(
    table: pd.DataFrame,
    *,
    frontier: Sequence[Any] = (),
    labels: Sequence[Any] | None = None,
    interval: tuple[float, float] | None = None,
    spread: str = "spread_logistic",
    title: str = "",
    ax: Any = None,
) -> Any:
    """Draw horizon against spread, one point per agent, with both intervals if the table has them (Figure 2).

    Grey lines are of equal normalised generality γ on the tested interval; arrows follow the frontier
    through time. `labels` are the agents to name, by default all.

    >>> table = pd.DataFrame({"horizon_50": [4.0, 60.0], "spread_logistic": [2.0, 2.5]}, index=["a", "b"])
    >>> plot_horizon_spread(table, interval=(-1, 11), frontier=["a", "b"]).get_ylabel()
    'spread S (doublings)'
    """
    shown = _drawable(table, spread)
    span = interval or table.attrs.get("interval")
    if span is None:
        raise BadInput("interval", None, "[no-interval] is unknown", "pass (low, high) in log2 minutes")
    x, y = np.log2(shown["horizon_50"]), shown[spread]
    (left, right), top = (x.min() - 1.2, x.max() + 1.8), 1.25 * float(y.max())
    plane = pd.DataFrame({"capability": x, "spread": y})
    if f"{spread}_low" in shown:
        plane["spread_low"] = shown[f"{spread}_low"].clip(lower=0).fillna(y)
        plane["spread_high"] = shown[f"{spread}_high"].clip(upper=2 * top).fillna(y)
    if "horizon_50_low" in shown:
        low, high = (_doublings(shown[f"horizon_50_{end}"]).fillna(x) for end in ("low", "high"))
        plane["capability_low"], plane["capability_high"] = low.clip(lower=left), high.clip(upper=right)
    ax = common.new_axes(ax, figsize=(7.2, 4.6))
    ax.set(xlim=(left, right), ylim=(0, top))
    _length_axis(ax.xaxis, left, right)
    arrow = {"arrowstyle": "->", "color": common.ORANGE, "lw": 0.9, "alpha": 0.75, "shrinkB": 4}
    for a, b in pairwise(agent for agent in frontier if agent in shown.index):
        ax.annotate("", (x[b], y[b]), xytext=(x[a], y[a]), arrowprops=arrow, zorder=2)
    named = True if labels is None else [name for name in labels if name in shown.index]
    how: dict[str, Any] = {"labels": named, "levels": (0.5, 0.8, 0.9), "frame": "given", "summary": False}
    plot_capability_spread(plane, span, title=title, ax=ax, **how)
    ax.set(xlabel="50% horizon (length for a person)", ylabel="spread S (doublings)")
    return ax


@common.styled
def plot_horizon_time(
    table: pd.DataFrame,
    dates: pd.Series,
    *,
    groups: Mapping[str, Sequence[Any]] | None = None,
    spread: str = "spread_logistic",
    ci: float = 0.95,
    event: str = "release",
    title: str = "",
) -> Any:
    """Draw horizon and spread against the date, one above the other, each with its line (Figure 3).

    `groups` names the agents of each regression, by default all of them together. The band is that of the
    line at the level `ci`, with the agents as the sample. `event` says what the dates are: of a release, a
    submission.

    >>> table = pd.DataFrame({"horizon_50": [1.0, 2, 5, 8], "spread_logistic": [2.0, 2.1, 1.9, 2.2]})
    >>> dates = pd.Series(["2021-01-01", "2022-01-01", "2023-01-01", "2024-01-01"])
    >>> len(plot_horizon_time(table, dates).axes)
    2
    """
    shown = _drawable(table, spread)
    when = pd.to_datetime(dates.reindex(shown.index))
    year = when.dt.year + (when.dt.day_of_year - 1) / 365.25
    figure, (up, down) = plt.subplots(2, 1, figsize=(7.2, 5.6), sharex=True)
    sets = {k: [a for a in some if a in shown.index] for k, some in (groups or {"": shown.index}).items()}
    for ax, name, scale in ((up, "horizon_50", _doublings), (down, spread, lambda x: x)):
        y = scale(shown[name])
        for (label, of), colour in zip(sets.items(), common.PALETTE, strict=False):
            _draw_line(ax, year[of].to_numpy(), y[of].to_numpy(), colour, label, ci)
        if f"{name}_low" in shown:
            low, high = (scale(shown[f"{name}_{end}"]) for end in ("low", "high"))
            ax.vlines(year, low.clip(lower=y - _FAR), high.clip(upper=y + _FAR), color="#BBBBBB", lw=1)
        ax.plot(year, y, "o", color=common.INK, ms=4, zorder=4)
        if groups and len(sets) == 1:  # which points the line goes through
            (of,) = sets.values()
            ax.plot(year[of], y[of], "o", color=common.BLUE, ms=5, zorder=5)
    bottom, top = up.get_ylim()
    _length_axis(up.yaxis, bottom, top, most=8)
    up.set(ylabel="50% horizon")
    down.set(ylabel="spread S (doublings)", ylim=(0, 1.35 * shown[spread].max()), xlabel=f"date of {event}")
    down.xaxis.get_major_locator().set_params(integer=True)
    down.xaxis.set_major_formatter(lambda v, _: f"{v:.0f}")
    if any(sets):
        up.legend(loc="upper left", fontsize=8)
    common.heading(up, title)
    return figure


def _draw_line(ax: Any, x: FloatArray, y: FloatArray, colour: str, label: str, ci: float) -> None:
    """Draw the least-squares line with its band, through at least three points."""
    from statsmodels.api import OLS, add_constant

    good = np.isfinite(x) & np.isfinite(y)
    x, y = x[good], y[good]
    if len(x) < 3 or np.ptp(x) == 0:
        return
    grid = np.linspace(x.min(), x.max(), 100)
    fit = OLS(y, add_constant(x - x.mean())).fit().get_prediction(add_constant(grid - x.mean()))
    low, high = fit.conf_int(alpha=1 - ci).T
    common.line_with_band(ax, grid, fit.predicted_mean, low, high, colour, lw=1.6, label=label)


@common.styled
def plot_penalty(fits: Mapping[float, pd.DataFrame], agents: Sequence[Any], title: str = "") -> Any:
    """Draw what the penalty λ does to spreads and horizons: a line per agent, a table for each λ (Figure 4).

    >>> one = pd.DataFrame({"horizon_50": [4.0], "spread_logistic": [2.0]}, index=["a"])
    >>> len(plot_penalty({1e-5: one, 0.1: one}, ["a"]).axes)
    2
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 3.8))
    penalties = sorted(fits)
    some = {p: fits[p].loc[list(agents), ["spread_logistic", "horizon_50"]] for p in penalties}
    long = pd.concat(some, names=["penalty", "agent"]).reset_index()
    long["relative"] = long["horizon_50"] / long.groupby("agent")["horizon_50"].transform("first")
    how: dict[str, Any] = {"x": "penalty", "hue": "agent", "palette": common.colours_of(agents)}
    how |= {"marker": "o", "ms": 3.5, "mec": "none", "lw": 1.3}
    sns.lineplot(long, y="spread_logistic", legend=False, ax=left, **how)
    sns.lineplot(long, y="relative", ax=right, **how)
    left.set(xscale="log", xlabel="penalty λ", ylabel="spread S (doublings)", ylim=(0, None))
    right.set_yscale("log", base=2)
    right.yaxis.set_major_formatter(lambda v, _: f"×{v:.3g}" if v >= 1 else f"×1/{1 / v:.0f}")
    right.axhline(1, color=common.GREY, lw=0.7, zorder=0)
    relative = f"50% horizon, relative to λ = {common.number_text(penalties[0])}"
    right.set(xscale="log", xlabel="penalty λ", ylabel=relative)
    common.legend_beside(right, fontsize=7.5)
    common.over_all(figure, title)
    return figure


@common.styled
def plot_shares(
    shares: pd.DataFrame, curves: Mapping[str, pd.Series], title: str = "", ax: Any = None
) -> Any:
    """Draw the share solved at each length (points, one row per agent), and up to three curves through them.

    >>> shares = pd.DataFrame([[0.9, 0.5]], index=["a"], columns=[7.5, 30.0])
    >>> plot_shares(shares, {"fit": pd.Series([0.9, 0.5], [3.0, 5.0])}).get_ylabel()
    'share solved'
    """
    ax = common.new_axes(ax, figsize=(6.6, 4.0))
    x = np.log2(shares.columns.to_numpy(float))
    for name, colour in common.colours_of(shares.index).items():
        ax.plot(x, shares.loc[name], "o", ms=6, color=colour, label=str(name), zorder=4)
    looks = [("-", common.INK), ("--", common.ORANGE), ("-.", common.GREEN)]
    for (name, curve), (style, colour) in zip(curves.items(), looks, strict=False):
        ax.plot(curve.index, curve, ls=style, color=colour, lw=1.6, label=name)
    ax.set(ylim=(0, 1.03), xlabel="length of the task for a person", ylabel="share solved")
    ax.set_xticks(x, [length_text(m) for m in shares.columns])
    ax.legend(loc="upper right", fontsize=7.5)
    common.heading(ax, title)
    return ax
