"""Figures of time horizons: one agent's curve, horizon against spread, both through time, and the penalty.

Lengths stand on log2 axes with ticks in seconds, minutes, hours and days. The figures draw tables of
`gl.horizon`; the lines and bands of `plot_horizon_time` are those of ordinary least squares, which
statsmodels gives exactly (seaborn's regression plot resamples its band).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import Label
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.horizons.curves import curve_rows, falling
from gindex_lab.measures.properties import spread_at
from gindex_lab.presentation.plots import common
from gindex_lab.presentation.plots.labels import boxes_of, label_points, line_points, tied_labels

__all__ = ["length_text", "plot_horizon_curve", "plot_horizon_spread", "plot_horizon_time", "plot_penalty"]
__all__ += ["plot_shares"]

SOURCE = "the table of gl.horizon"
_TICKS = (1 / 60, 4 / 60, 15 / 60, 1, 4, 15, 60, 240, 960, 2880, 10080)  # minutes
_FAR = 6.0  # doublings beyond an estimate at which its interval is cut, so that it does not set the scale


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

    Dotted lines are of equal normalised generality γ on the tested interval; arrows follow the frontier
    through time. `labels` are the agents to name, by default all.

    >>> table = pd.DataFrame({"horizon_50": [4.0, 60.0], "spread_logistic": [2.0, 2.5]}, index=["a", "b"])
    >>> plot_horizon_spread(table, interval=(-1, 11), frontier=["a", "b"]).get_ylabel()
    'spread S (doublings)'
    """
    shown = _drawable(table, spread)
    span = interval or table.attrs.get("interval")
    if span is None:
        raise BadInput("interval", None, "[no-interval] is unknown", "pass (low, high) in log2 minutes")
    ax = common.new_axes(ax, figsize=(7.2, 4.6))
    x, y = np.log2(shown["horizon_50"]), shown[spread]
    (left, right), top = (x.min() - 1.2, x.max() + 1.8), 1.25 * float(y.max())
    whiskers = {"color": "#9DB9D3", "lw": 1.0, "zorder": 1.5}
    if f"{spread}_low" in shown:
        low, high = shown[f"{spread}_low"].clip(lower=0), shown[f"{spread}_high"].clip(upper=2 * top)
        ax.vlines(x, low.fillna(y), high.fillna(y), **whiskers)
    if "horizon_50_low" in shown:
        low, high = (_doublings(shown[f"horizon_50_{end}"]).fillna(x) for end in ("low", "high"))
        ax.hlines(y, low.clip(lower=left), high.clip(upper=right), **whiskers)
    levels = _draw_levels(ax, span, (left, right), top)
    path = [agent for agent in frontier if agent in shown.index]
    arrow = {"arrowstyle": "->", "color": common.ORANGE, "lw": 0.9, "alpha": 0.75, "shrinkB": 4}
    for a, b in pairwise(path):
        ax.annotate("", (x[b], y[b]), xytext=(x[a], y[a]), arrowprops=arrow, zorder=2)
    ax.plot(x, y, "o", color=common.BLUE, ms=5.5, mec="white", mew=0.6, zorder=4)
    ax.set(xlim=(left, right), ylim=(0, top))
    ax.set(xlabel="50% horizon (length for a person)", ylabel="spread S (doublings)")
    _length_axis(ax.xaxis, left, right)
    named = [n for n in (shown.index if labels is None else labels) if n in shown.index]
    tied = tied_labels(x[named].to_numpy(), y[named].to_numpy(), [str(n) for n in named])
    label_points(ax, tied, avoid=boxes_of(levels), lines=line_points(ax))
    common.heading(ax, title)
    return ax


def _draw_levels(ax: Any, span: tuple[float, float], ends: tuple[float, float], top: float) -> list[Any]:
    """Draw curves of equal γ, each with its value at one end; returns these texts."""
    texts = []
    grid = np.linspace(span[0], span[1], 400)
    for gamma in (0.5, 0.8, 0.9):
        level = spread_at(grid, gamma, span)
        ax.plot(grid, level, color="#B5B5B5", lw=0.8, ls=":", zorder=1)
        seen = np.flatnonzero((grid > ends[0]) & (grid < ends[1] - 0.2) & (level < top * 0.97))
        if len(seen):
            # at an end of the curve, unless the curves meet there
            apart = [k for k in (seen[-1], seen[0]) if level[k] > 0.15 * top]
            k = apart[0] if apart else seen[np.argmax(level[seen])]
            side, shift = ("left", 4) if k == seen[0] else ("right", -4)
            at = (grid[k], level[k])
            texts.append(common.note(ax, f"γ {gamma:g}", at, (shift, 4), color="#777777", ha=side))
    return texts


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
    for agent, colour in common.colours_of(agents).items():
        rows = pd.DataFrame({p: fits[p].loc[agent, ["spread_logistic", "horizon_50"]] for p in penalties}).T
        look = {"color": colour, "ms": 3.5, "lw": 1.3, "label": str(agent)}
        left.plot(penalties, rows["spread_logistic"], "o-", **look)
        right.plot(penalties, rows["horizon_50"] / rows["horizon_50"].iloc[0], "o-", **look)
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
