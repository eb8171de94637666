"""Figures of time horizons: one agent's curve, horizon against spread, both through time, and the penalty.

Lengths are drawn on log2 axes with ticks in seconds, minutes, hours and days. Every function takes tables of
`gl.horizon` and draws; the lines and bands of `plot_horizon_time` are those of ordinary least squares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import Label
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.horizons.curves import curve_rows, falling
from gindex_lab.measures.properties import spread_at
from gindex_lab.presentation.plots.common import (
    columns_of,
    heading,
    new_axes,
    note,
    number_text,
    styled,
)
from gindex_lab.presentation.plots.labels import label_points, line_points, tied_labels

__all__ = [
    "length_text",
    "plot_horizon_curve",
    "plot_horizon_spread",
    "plot_horizon_time",
    "plot_penalty",
    "plot_shares",
]

SOURCE = "the table of gl.horizon"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#B8860B")
_INK, _SOFT, _BAND = "#1F1F1F", "#8A8A8A", "#0072B2"
_TICKS = (1 / 60, 4 / 60, 15 / 60, 1, 4, 15, 60, 240, 960, 2880, 10080)


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
    """Ticks at round lengths on an axis of log2 minutes."""
    inside = [m for m in _TICKS if low - 0.05 <= np.log2(m) <= high + 0.05]
    inside = inside[:: -(-len(inside) // most)] if inside else []
    axis.set_ticks([np.log2(m) for m in inside], [length_text(m) for m in inside])


@styled
def plot_horizon_curve(
    responses: Responses, agent: Label, table: pd.DataFrame, *, title: str = "", ax: Any = None
) -> Any:
    """One agent: exact, isotonic and logistic curve, with its horizons dropped to the axis (Figure 1).

    Each tick above and below the frame is a task solved or failed, in the colour of its family.

    >>> import gindex_lab as gl
    >>> study = gl.Responses([[1, 1, 0, 1, 0]], difficulty=range(5))
    >>> plot_horizon_curve(study, "agent 1", gl.horizon(study)).get_xlabel()
    'length of the task for a person'
    """
    row = columns_of(table, ["location", "slope", "horizon_50"], SOURCE).loc[agent]
    ax = new_axes(ax, figsize=(7.2, 4.2))
    low, high = table.attrs["interval"]
    difficulty = responses.difficulty
    if difficulty is None:
        raise BadInput("responses", responses, "has no difficulties", "give log2 minutes")
    y = responses.frame.loc[agent]
    met = y.notna().to_numpy()
    h, y_met = difficulty.to_numpy(float)[met], y.to_numpy(float)[met]
    levels, psi, total = curve_rows(h, y_met, np.ones((1, len(h))))
    ax.axvspan(low, high, color="#F3F5F8", zorder=0)
    ax.step(levels, psi[0], where="mid", color="#C4C4C4", lw=0.7, zorder=1, label="exact curve")
    smooth = falling(psi, total)[0]
    ax.plot(levels, smooth, color="#009E73", lw=1.6, zorder=2, label="falling (isotonic)")
    grid = np.linspace(low - 0.5, high + 0.5, 400)
    curve = 1 / (1 + np.exp(row["slope"] * (grid - row["location"])))
    ax.plot(grid, curve, color=_BAND, lw=2.2, zorder=3, label="logistic")
    for name, level in (("horizon_50", 0.5), ("horizon_80", 0.8)):
        at = np.log2(row[name]) if name in row and row[name] > 0 else np.nan
        if np.isfinite(at):
            drop = [at, at, low - 0.5], [-0.02, level, level]
            ax.plot(*drop, color=_INK, lw=0.8, ls=":", zorder=4)
            ax.plot(at, level, "o", color=_INK, ms=5, zorder=5)
            text = f" {level:.0%}: {length_text(float(row[name]))}"
            note(ax, text, (at, level), (5, 3), fontsize=8.5)
    _item_ticks(ax, responses, h, y_met, met)
    ax.set(xlim=(low - 0.5, high + 0.5), ylim=(-0.12, 1.12), yticks=[0, 0.2, 0.5, 0.8, 1])
    ax.set(xlabel="length of the task for a person", ylabel="share solved ψ")
    _length_axis(ax.xaxis, low, high)
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), fontsize=7.5, frameon=False)
    line = f"spread {row['spread_logistic']:.1f} doublings" if "spread_logistic" in row else ""
    heading(ax, title or str(agent), line)
    return ax


def _item_ticks(ax: Any, responses: Responses, h: FloatArray, y: FloatArray, met: Any) -> None:
    family = responses.family
    groups = np.full(len(h), "tasks") if family is None else family.to_numpy(str)[met]
    for k, name in enumerate(dict.fromkeys(sorted(groups))):
        of = groups == name
        label = f"{name} ({int(of.sum())})"
        at = np.where(y[of] > 0.5, 1.07, -0.07)
        known = k < len(COLOURS)
        look = {"color": COLOURS[k], "label": label} if known else {"color": _SOFT}
        ax.plot(h[of], at, "|", ms=8, mew=0.9, zorder=4, **look)


@styled
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
    """Horizon against spread, one point an agent, with both intervals where the table has them (Figure 2).

    Dotted lines are of equal normalised generality γ on the tested interval; the arrow follows the frontier
    through time.

    >>> table = pd.DataFrame({"horizon_50": [4.0, 60.0], "spread_logistic": [2.0, 2.5]}, index=["a", "b"])
    >>> plot_horizon_spread(table, interval=(-1, 11), frontier=["a", "b"]).get_ylabel()
    'spread S (doublings)'
    """
    shown = columns_of(table, ["horizon_50", spread], SOURCE)
    shown = shown[(shown["horizon_50"] > 0) & np.isfinite(shown["horizon_50"])]
    ax = new_axes(ax, figsize=(7.2, 4.6))
    x, y = np.log2(shown["horizon_50"]), shown[spread]
    span = interval or table.attrs.get("interval")
    if span is None:
        raise BadInput(
            "interval", None, "[no-interval] is unknown", "pass (low, high) in log2 minutes"
        )
    left, right = x.min() - 1.2, x.max() + 1.8
    top = 1.25 * float(y.max())
    _whiskers(ax, shown, x, y, spread, (left, right), top)
    grid = np.linspace(span[0], span[1], 400)
    for gamma in (0.5, 0.8, 0.9):
        level = spread_at(grid, gamma, span)
        ax.plot(grid, level, color="#B5B5B5", lw=0.8, ls=":", zorder=1)
        seen = np.flatnonzero((grid < right - 0.2) & (level < top * 0.97) & (grid > left))
        if len(seen):
            # at an end of the curve, unless the curves meet there
            ends = [k for k in (seen[-1], seen[0]) if level[k] > 0.15 * top]
            k = ends[0] if ends else seen[np.argmax(level[seen])]
            side, shift = ("left", 4) if k == seen[0] else ("right", -4)
            note(ax, f"γ {gamma:g}", (grid[k], level[k]), (shift, 4), color="#777777", ha=side)
    path = [agent for agent in frontier if agent in shown.index]
    for a, b in pairwise(path):
        arrow = {"arrowstyle": "->", "color": "#D55E00", "lw": 0.9, "alpha": 0.75, "shrinkB": 4}
        ax.annotate("", (x[b], y[b]), xytext=(x[a], y[a]), arrowprops=arrow, zorder=2)
    ax.plot(x, y, "o", color=_BAND, ms=5.5, mec="white", mew=0.6, zorder=4)
    ax.set(xlim=(left, right), ylim=(0, top))
    ax.set(xlabel="50% horizon (length for a person)", ylabel="spread S (doublings)")
    _length_axis(ax.xaxis, left, right)
    named = list(shown.index) if labels is None else [n for n in labels if n in shown.index]
    if named:
        tied = tied_labels(x[named].to_numpy(), y[named].to_numpy(), [str(n) for n in named])
        label_points(ax, tied, lines=line_points(ax))
    heading(ax, title, "")
    return ax


def _whiskers(
    ax: Any, t: pd.DataFrame, x: pd.Series, y: pd.Series, spread: str, ends: Any, top: float
) -> None:
    look = {"color": "#9DB9D3", "lw": 1.0, "zorder": 1.5}
    if f"{spread}_low" in t:
        low, high = t[f"{spread}_low"].clip(lower=0), t[f"{spread}_high"].clip(upper=2 * top)
        ax.vlines(x, low.fillna(y), high.fillna(y), **look)
    if "horizon_50_low" in t:
        with np.errstate(divide="ignore"):
            low, high = np.log2(t["horizon_50_low"]), np.log2(t["horizon_50_high"])
        ax.hlines(y, low.fillna(x).clip(lower=ends[0]), high.fillna(x).clip(upper=ends[1]), **look)


@styled
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
    """Horizon and spread against the release date, one above the other, each with its line (Figure 3).

    `event` says what the dates are those of: a release, a submission.

    `groups` names the agents of each regression: by default one line through all. The band is that of the
    line at the level `ci`, the agents being the sample.

    >>> table = pd.DataFrame({"horizon_50": [1.0, 2, 5, 8], "spread_logistic": [2.0, 2.1, 1.9, 2.2]})
    >>> dates = pd.Series(["2021-01-01", "2022-01-01", "2023-01-01", "2024-01-01"])
    >>> len(plot_horizon_time(table, dates).axes)
    2
    """
    import matplotlib.pyplot as plt

    shown = columns_of(table, ["horizon_50", spread], SOURCE)
    shown = shown[(shown["horizon_50"] > 0) & np.isfinite(shown["horizon_50"])]
    when = pd.to_datetime(dates.reindex(shown.index))
    year = when.dt.year + (when.dt.day_of_year - 1) / 365.25
    figure, (up, down) = plt.subplots(2, 1, figsize=(7.2, 5.6), sharex=True)
    panels = [(up, np.log2(shown["horizon_50"]), "horizon_50"), (down, shown[spread], spread)]
    sets = groups or {"": list(shown.index)}
    for ax, y, name in panels:
        for k, (label, agents) in enumerate(sets.items()):
            of = [a for a in agents if a in shown.index]
            _line_with_band(ax, year[of].to_numpy(), y[of].to_numpy(), COLOURS[k], label, ci)
        if f"{name}_low" in shown:
            low, high = shown[f"{name}_low"], shown[f"{name}_high"]
            if name == "horizon_50":
                with np.errstate(divide="ignore"):
                    low, high = np.log2(low), np.log2(high)
            ends = low.clip(lower=y - 6.0), high.clip(upper=y + 6.0)
            ax.vlines(year, *ends, color="#BBBBBB", lw=1)
        ax.plot(year, y, "o", color=_INK, ms=4, zorder=4)
        if len(sets) == 1 and groups:  # which points the line goes through
            of = [a for agents in sets.values() for a in agents if a in shown.index]
            ax.plot(year[of], y[of], "o", color=COLOURS[0], ms=5, zorder=5)
    bottom, top = up.get_ylim()
    _length_axis(up.yaxis, bottom, top, most=8)
    up.set(ylabel="50% horizon")
    down.set(ylabel="spread S (doublings)", ylim=(0, 1.35 * shown[spread].max()))
    down.set_xlabel(f"date of {event}")
    down.xaxis.get_major_locator().set_params(integer=True)
    down.xaxis.set_major_formatter(lambda v, _: f"{v:.0f}")
    if any(sets):
        up.legend(loc="upper left", fontsize=8, frameon=False)
    heading(up, title, "")
    return figure


def _line_with_band(
    ax: Any, x: FloatArray, y: FloatArray, colour: str, label: str, ci: float
) -> None:
    from scipy import stats

    good = np.isfinite(x) & np.isfinite(y)
    x, y = x[good], y[good]
    if len(x) < 3 or np.ptp(x) == 0:
        return
    slope, start = np.polyfit(x - x.mean(), y, 1)
    grid = np.linspace(x.min(), x.max(), 100)
    fit = start + slope * (grid - x.mean())
    error = np.sqrt(((y - start - slope * (x - x.mean())) ** 2).sum() / (len(x) - 2))
    leverage = 1 / len(x) + (grid - x.mean()) ** 2 / ((x - x.mean()) ** 2).sum()
    half = stats.t.ppf((1 + ci) / 2, len(x) - 2) * error * np.sqrt(leverage)
    ax.plot(grid, fit, color=colour, lw=1.6, label=label)
    ax.fill_between(grid, fit - half, fit + half, color=colour, alpha=0.15, lw=0)


@styled
def plot_penalty(fits: Mapping[float, pd.DataFrame], agents: Sequence[Any], title: str = "") -> Any:
    """What the penalty λ does to spreads and horizons; one line an agent, a table for each λ (Figure 4).

    >>> one = pd.DataFrame({"horizon_50": [4.0], "spread_logistic": [2.0]}, index=["a"])
    >>> len(plot_penalty({1e-5: one, 0.1: one}, ["a"]).axes)
    2
    """
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(7.6, 3.8))
    penalties = sorted(fits)
    for ax, column in zip(axes, ("spread_logistic", "horizon_50"), strict=True):
        for k, agent in enumerate(agents):
            values = np.array([fits[p].loc[agent, column] for p in penalties], dtype=float)
            y = values if column == "spread_logistic" else values / values[0]
            colour = COLOURS[k % len(COLOURS)]
            ax.plot(penalties, y, "o-", color=colour, ms=3.5, lw=1.3, label=str(agent))
        ax.set(xscale="log", xlabel="penalty λ")
    axes[0].set(ylabel="spread S (doublings)", ylim=(0, None))
    axes[1].set_yscale("log", base=2)
    axes[1].yaxis.set_major_formatter(lambda v, _: f"×{v:.3g}" if v >= 1 else f"×1/{1 / v:.0f}")
    axes[1].axhline(1, color=_SOFT, lw=0.7, zorder=0)
    axes[1].set(ylabel=f"50% horizon, relative to λ = {number_text(penalties[0])}")
    axes[1].legend(loc="upper left", bbox_to_anchor=(1.02, 1), fontsize=7.5, frameon=False)
    heading(axes[0], title, "")
    return figure


@styled
def plot_shares(
    shares: pd.DataFrame, curves: Mapping[str, pd.Series], title: str = "", ax: Any = None
) -> Any:
    """Share solved at each length (points, one row an agent), and curves through them (one a name).

    >>> shares = pd.DataFrame([[0.9, 0.5]], index=["a"], columns=[7.5, 30.0])
    >>> plot_shares(shares, {"fit": pd.Series([0.9, 0.5], [3.0, 5.0])}).get_ylabel()
    'share solved'
    """
    ax = new_axes(ax, figsize=(6.6, 4.0))
    x = np.log2(shares.columns.to_numpy(float))
    for k, (name, row) in enumerate(shares.iterrows()):
        ax.plot(x, row, "o", ms=6, color=COLOURS[k % len(COLOURS)], label=str(name), zorder=4)
    looks = [("-", _INK), ("--", "#D55E00"), ("-.", "#009E73")]
    for (name, curve), (style, colour) in zip(curves.items(), looks, strict=False):
        ax.plot(curve.index, curve, ls=style, color=colour, lw=1.6, label=name)
    ax.set(ylim=(0, 1.03), xlabel="length of the task for a person", ylabel="share solved")
    ax.set_xticks(x, [length_text(m) for m in shares.columns])
    ax.legend(loc="upper right", fontsize=7.5, frameon=False)
    heading(ax, title, "")
    return ax
