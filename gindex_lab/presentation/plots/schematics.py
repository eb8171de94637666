"""Drawings of ideas: chains of choices (generality supplement, Fig. S28), series of letters (Fig. S8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gindex_lab.foundation.errors import BadInput
from gindex_lab.presentation.plots.common import new_axes, styled

__all__ = ["plot_chains", "plot_series"]

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
                ax.annotate(
                    "", (1.75 * at - 0.62, -row), (1.75 * at - 1.13, -row), arrowprops=arrow
                )
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
        raise BadInput(
            "series", wrong or series, "is not made of a to z", "give lower-case letters"
        )
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
