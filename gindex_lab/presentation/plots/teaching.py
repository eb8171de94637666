"""Small figures of the teaching demos (responses, a tape, changes, rewards), and drawings of ideas: chains of
choices (generality supplement, Fig. S28), series of letters (Fig. S8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.presentation.plots.common import columns_of, new_axes, note, styled

__all__ = [
    "plot_chains",
    "plot_changes",
    "plot_responses",
    "plot_rewards",
    "plot_series",
    "plot_tape",
]

_SOLVED, _FAILED = "#0B5FA5", "#EEF1F4"
_UP, _DOWN = "#009E73", "#D55E00"


@styled
def plot_responses(frame: pd.DataFrame, *, title: str = "", ax: Any = None) -> Any:
    """Who solved what: a row per agent, a column per item in the order given, dark for solved.

    >>> plot_responses(pd.DataFrame([[1.0, 0.0]], ["a"], [1, 2])).get_xlabel()
    'item, easy to hard'
    """
    import seaborn as sns
    from matplotlib.colors import LinearSegmentedColormap

    if not isinstance(frame, pd.DataFrame) or frame.empty:
        raise BadInput(
            "frame", frame, "[not-a-table] is not a table of responses", "pass agents x items"
        )
    ax = new_axes(ax, figsize=(5.6, 3.6))
    colours = LinearSegmentedColormap.from_list("responses", [_FAILED, _SOLVED])
    few = len(frame) <= 20
    look = {"cmap": colours, "vmin": 0, "vmax": 1, "cbar": False, "rasterized": True}
    sns.heatmap(frame.astype(float), xticklabels=False, yticklabels=few, ax=ax, **look)
    ax.tick_params(axis="y", rotation=0, length=0)
    ax.set(xlabel="item, easy to hard", ylabel="" if few else "agent")
    ax.set_title(title)
    return ax


@styled
def plot_changes(changes: Mapping[str, float], *, title: str = "", ax: Any = None) -> Any:
    """By how many percent something changes with each change of a cause, as bars.

    >>> plot_changes({"twice the compute": -12.0}).get_xlabel()
    'change of g (%)'
    """
    ax = new_axes(ax, figsize=(5.6, 3.2))
    values = np.array(list(changes.values()), dtype=float)
    ax.barh(list(changes), values, color=[_UP if v >= 0 else _DOWN for v in values], height=0.62)
    for row, value in enumerate(values):
        side, gap = ("left", 4) if value >= 0 else ("right", -4)
        text = "0%" if abs(value) < 0.05 else f"{value:+.1f}%".replace("-", "−")
        note(ax, text, (value, row), (gap, 0), ha=side, va="center")
    ax.axvline(0, color="#444444", lw=0.8)
    ax.invert_yaxis()
    ax.margins(x=0.28)
    ax.tick_params(axis="y", length=0)
    ax.set(xlabel="change of g (%)", title=title)
    return ax


@styled
def plot_tape(
    tape: Mapping[int, int],
    head: int,
    *,
    symbols: int = 5,
    around: int = 8,
    title: str = "",
    ax: Any = None,
) -> Any:
    """The cells of a work tape around its head, the symbol in each; blank cells are pale.

    >>> plot_tape({0: 4}, 0, around=1).get_xlabel()
    'cell of the work tape'
    """
    import matplotlib as mpl

    ax = new_axes(ax, figsize=(7, 1.4))
    blank, shades = symbols // 2, mpl.colormaps["viridis"]
    for place in range(head - around, head + around + 1):
        symbol = tape.get(place, blank)
        touched = place in tape
        face = shades(symbol / max(symbols - 1, 1)) if touched else "#F4F6F8"
        colour = "white" if touched and symbol < symbols / 2 else "#222222"
        ax.add_patch(_box(place, face, head == place))
        ax.text(place, 0.5, str(symbol), ha="center", va="center", color=colour)
    arrow = {"arrowprops": {"arrowstyle": "-|>"}, "ha": "center", "fontsize": 8}
    ax.annotate("head", (head, 1.02), (head, 1.42), **arrow)
    ax.set(xlim=(head - around - 0.6, head + around + 0.6), ylim=(0, 1.6), yticks=[])
    ax.set(xlabel="cell of the work tape", title=title)
    ax.spines["left"].set_visible(False)
    return ax


def _box(place: int, face: Any, here: bool) -> Any:
    from matplotlib.patches import Rectangle

    edge, width, above = ("#D55E00", 2.2, 3) if here else ("#C9CDD2", 0.8, 2)
    look = {"facecolor": face, "edgecolor": edge, "lw": width, "zorder": above}
    return Rectangle((place - 0.5, 0.02), 1, 0.96, **look)


@styled
def plot_rewards(
    table: pd.DataFrame,
    *,
    low: float = -100.0,
    high: float = 100.0,
    levels: Mapping[str, float] | None = None,
    title: str = "",
    ax: Any = None,
) -> Any:
    """Reward by interaction with its running mean; `levels` are horizontal lines with names.

    >>> plot_rewards(pd.DataFrame({"reward": [0.0, 100.0]})).get_xlabel()
    'interaction'
    """
    rewards = columns_of(table, ["reward"], "one row per interaction")["reward"].to_numpy(float)
    ax = new_axes(ax, figsize=(6, 3))
    steps = np.arange(1, len(rewards) + 1)
    ax.plot(steps, rewards, "o", ms=4, color="#8FA3B5", zorder=2)
    ax.plot(steps, np.cumsum(rewards) / steps, color="#0B5FA5", zorder=3)
    pad = 0.06 * (high - low)
    ax.set(ylim=(low - pad, high + pad), xlabel="interaction", ylabel="reward, and its mean")
    ax.set_xlim(0.5, max(10.0, len(rewards) + 0.5))
    look = {"xycoords": ax.get_yaxis_transform(), "ha": "right", "color": "#D55E00"}
    for name, level in _apart(levels or {}, high - low):
        ax.axhline(level, color="#D55E00", lw=0.9, ls="--", zorder=1)
        note(ax, name, (1.0, level), (-2, 3), **look)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_title(title)
    return ax


def _apart(levels: Mapping[str, float], width: float) -> Sequence[tuple[str, float]]:
    """Levels that nearly coincide share one name, so that no name covers another."""
    kept: list[tuple[str, float]] = []
    for name, level in sorted(levels.items(), key=lambda pair: pair[1]):
        if kept and level - kept[-1][1] < 0.09 * width:
            kept[-1] = (f"{kept[-1][0]}, {name}", kept[-1][1])
        else:
            kept.append((name, level))
    return kept


_BOX, _EDGE, _LINE = "#E8EEF4", "#0B5FA5", "#B9C4CE"


@styled
def plot_chains(chains: Mapping[str, Sequence[str]], *, title: str = "", ax: Any = None) -> Any:
    """Each chain of choices as boxes with arrows from left to right, its name before it.

    >>> len(plot_chains({"one": ["a", "b"], "other": ["a", "b", "c"]}).texts)
    10
    """
    if not chains or not all(chains.values()):
        raise BadInput("chains", chains, "has a chain without steps", "give each at least one step")
    ax = new_axes(ax, figsize=(9.0, 0.5 + 0.95 * len(chains)))
    for row, (name, steps) in enumerate(chains.items()):
        ax.text(-0.62, -row, name, ha="right", va="center", fontsize=9.5, fontweight="bold")
        for at, step in enumerate(steps):
            box = {"boxstyle": "round,pad=0.5", "fc": _BOX, "ec": _EDGE, "lw": 1.0}
            ax.text(1.75 * at, -row, step, ha="center", va="center", fontsize=9, bbox=box)
            if at:
                arrow = {"arrowstyle": "-|>", "color": _EDGE, "shrinkA": 0, "shrinkB": 0}
                ends = (1.75 * at - 0.62, -row), (1.75 * at - 1.13, -row)
                ax.annotate("", *ends, arrowprops=arrow)
    longest = max(len(steps) for steps in chains.values())
    ax.set(xlim=(-2.9, 1.75 * (longest - 1) + 0.9), ylim=(-len(chains) + 0.4, 0.6))
    ax.set_axis_off()
    ax.set_title(title)
    return ax


@styled
def plot_series(series: Mapping[str, str], *, title: str = "", ax: Any = None) -> Any:
    """Series of letters as lines of music: the later in the alphabet, the higher in its line.

    Steps that pass from z to a (or back) are not joined: the alphabet is a circle.

    >>> len(plot_series({"Kt 9": "adgj", "Kt 7": "abcd"}).texts)
    10
    """
    wrong = [text for text in series.values() if not (text.isascii() and text.islower())]
    if not series or wrong:
        problem = "is not made of a to z"
        raise BadInput("series", wrong or series, problem, "give lower-case letters")
    ax = new_axes(ax, figsize=(8.6, 0.6 + 0.8 * len(series)))
    for row, (name, text) in enumerate(series.items()):
        low, high = min(map(ord, text)), max(map(ord, text))
        heights = [(ord(letter) - low) / max(high - low, 1) * 0.55 - row for letter in text]
        for at in range(1, len(text)):
            if abs(ord(text[at]) - ord(text[at - 1])) <= 13:
                ax.plot([at - 1, at], heights[at - 1 : at + 1], color=_LINE, lw=1.2, zorder=1)
        for at, (letter, height) in enumerate(zip(text, heights, strict=True)):
            box = {"boxstyle": "circle,pad=0.16", "fc": "white", "ec": _EDGE, "lw": 0.9}
            ax.text(at, height, letter, ha="center", va="center", fontsize=8.5, bbox=box)
        ax.text(-0.9, 0.31 - row, name, ha="right", va="center", fontsize=9)
    longest = max(len(text) for text in series.values())
    ax.set(xlim=(-2.6, longest - 0.3), ylim=(-len(series) + 0.75, 0.95))
    ax.set_axis_off()
    ax.set_title(title, loc="left")
    return ax
