"""A specification curve: one result under every combination of choices, sorted, with the choices below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import choice
from gindex_lab.presentation.plots.common import heading, styled
from gindex_lab.studies.analysis.multiverse import named

if TYPE_CHECKING:
    from gindex_lab.studies.analysis.multiverse import Multiverse

__all__ = ["plot_specification_curve"]

_WHAT = {
    "trend": ("trend", "trend_low", "trend_high", 0.0),
    "doubling": ("doubling_days", "doubling_low", "doubling_high", None),
    "order": ("capability_order", None, None, None),
    "spread": ("median_spread", None, None, None),
}
_CHOICES = ("penalty", "weights", "scores", "floor", "ceiling", "without", "minutes", "noise")
_NAMES = {"without": "family left out"}
_POINT, _BAR, _ODD, _MUTED = "#1F3B57", "#B9C4CE", "#B2182B", "#DADDE1"


@styled
def plot_specification_curve(found: Multiverse, what: str = "trend") -> Any:
    """The universes of `gl.multiverse`, sorted by a result; the rows below show which choices each made.

    `what` is "trend" (of the measure, per year), "doubling" (days), "spread" (median over agents) or
    "order" (rank correlation of the horizons with the baseline). Red: the interval excludes 0; the ring
    is the baseline.

    >>> import gindex_lab as gl
    >>> from gindex_lab.measures.horizons.simulate import simulate_runs
    >>> study = simulate_runs([3.0, 6.0], 0.8, items=40, families=4, seed=1)
    >>> found = gl.multiverse(study, floor=[0.0], ceiling=[1.0], without=[None], draws=100)
    >>> len(plot_specification_curve(found, "order").axes)
    2
    """
    import matplotlib.pyplot as plt

    choice("what", what, list(_WHAT))
    column, low, high, zero = _WHAT[what]
    if column not in found.universes:
        raise BadInput("what", what, "needs release dates", "call gl.multiverse(..., dates=...)")
    table = found.universes.reset_index(drop=True)
    order = table[column].sort_values(kind="stable").index
    rows = _rows(table)
    size = (7.6, 2.9 + 0.2 * len(rows))
    figure, (top, below) = plt.subplots(
        2, 1, figsize=size, sharex=True, height_ratios=[2.6, max(0.19 * len(rows), 0.6)]
    )
    _curve(top, table.loc[order].reset_index(drop=True), column, low, high, zero)
    top.plot(
        [list(order).index(0)], [table.loc[0, column]], "o", ms=9, mfc="none", mec="black", mew=1.1
    )
    top.set_ylabel(_label(found, what))
    heading(top, "", _line(table, column, low, high, zero))
    _below(below, table.loc[order].reset_index(drop=True), rows)
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
    middle = f"median {values.median():.3g}, from {values.min():.3g} to {values.max():.3g}"
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
    colours = np.where(apart, _ODD, _POINT)
    ax.scatter(
        x, table[column], s=max(4, min(22, 1600 / len(table))), c=colours, linewidth=0, zorder=3
    )
    ax.margins(x=0.01)


def _rows(table: pd.DataFrame) -> list[tuple[str, str]]:
    """The choices that were varied, each with its values."""
    found = []
    for name in _CHOICES:
        values = table[name].map(str).unique()
        if len(values) > 1:
            found += [(name, value) for value in values]
    return found


def _below(ax: Any, table: pd.DataFrame, rows: list[tuple[str, str]]) -> None:
    for k, (name, value) in enumerate(rows):
        chosen = np.flatnonzero(table[name].map(str) == value)
        ax.axhline(k, color=_MUTED, linewidth=0.5, zorder=0)
        ax.plot(
            chosen,
            np.full(len(chosen), k),
            "|",
            color=_POINT,
            ms=6,
            mew=max(0.5, 150 / len(table) / 2),
        )
        if k and rows[k - 1][0] != name:
            ax.axhline(k - 0.5, color="#999999", linewidth=0.6)
    first = [k == 0 or rows[k - 1][0] != name for k, (name, _) in enumerate(rows)]
    labels = [
        f"{_NAMES.get(name, name)}: " * starts + value.replace("_", " ")
        for (name, value), starts in zip(rows, first, strict=True)
    ]
    ax.set_yticks(range(len(rows)), labels, fontsize=8.5)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
