"""One agent: its characteristic curve, with the observed means, their counts and the indicators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from gindex_lab.foundation.validate import FloatArray, choice
from gindex_lab.presentation.plots.common import (
    columns_of,
    heading,
    indicator_line,
    new_axes,
    styled,
    with_unit,
)
from gindex_lab.presentation.plots.isometrics import Interval, interval_of

__all__ = ["plot_curve"]


@styled
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
    """An agent characteristic curve: mean response ψ against difficulty h (§E.1, Fig. S30).

    `curve` has the columns `difficulty`, `response` and `n` (a dot grows with its number of items);
    `indicators` is the agent's row of `gl.generality`, written above the frame; `items` (columns
    `difficulty`, `response`) adds the single responses as grey circles. Beyond the observed
    difficulties the curve is extrapolated over `interval`: solved on the left, failed on the right,
    dotted. `estimator="step"` draws steps instead of straight pieces. Where the curve has columns `low`
    and `high` (`gl.characteristic_curve(..., method="smooth", ci=0.95)`), they are drawn as a band.

    >>> curve = pd.DataFrame({"difficulty": [1, 2, 3], "response": [1, 0.5, 0], "n": [4, 4, 4]})
    >>> plot_curve(curve, interval=(0, 4)).get_ylabel()
    'mean response ψ'
    """
    curve = columns_of(curve, ["difficulty", "response"], "gl.characteristic_curve(...)")
    choice("estimator", estimator, ["trapezoid", "step"])
    curve = curve.sort_values("difficulty", kind="stable")
    ax = new_axes(ax, figsize=(5.6, 3.6))
    h, psi = curve["difficulty"].to_numpy(float), curve["response"].to_numpy(float)
    if items is not None:
        _draw_items(ax, columns_of(items, ["difficulty", "response"], "one row per item"))
    if {"low", "high"} <= set(curve.columns):
        ax.fill_between(h, curve["low"], curve["high"], color="#0B5FA5", alpha=0.18, linewidth=0)
    else:
        ax.fill_between(h, psi, step=_STEP[estimator], color="#0B5FA5", alpha=0.10, linewidth=0)
    ax.plot(h, psi, drawstyle=_DRAW[estimator], color="#0B5FA5", zorder=3)
    area = 14 + 60 * curve["n"] / curve["n"].max() if "n" in curve and len(curve) <= 60 else None
    if area is not None:
        ax.scatter(h, psi, s=area, color="#0B5FA5", edgecolor="white", linewidth=0.7, zorder=4)
    found = interval if interval is not None else curve.attrs.get("interval")
    if found is not None:
        solved = 1.0 if estimator == "trapezoid" else psi[0]  # a first step reaches back
        _draw_extrapolation(ax, h, psi, interval_of(curve, found), solved)
    ax.set(ylim=(-0.05, 1.05), xlabel=with_unit("difficulty h", unit), ylabel="mean response ψ")
    heading(ax, title, indicator_line(indicators))
    return ax


_STEP = {"trapezoid": None, "step": "pre"}
_DRAW = {"trapezoid": "default", "step": "steps-pre"}


def _draw_items(ax: Any, items: pd.DataFrame) -> None:
    """Single responses, pulled apart where they coincide: the darker, the more items."""
    ax.plot(items["difficulty"], items["response"], "o", ms=4, mfc="none", mec="#8A8A8A", alpha=0.5)


def _draw_extrapolation(
    ax: Any, h: FloatArray, psi: FloatArray, interval: Interval, solved: float
) -> None:
    low, high = interval
    look = {"color": "#0B5FA5", "linestyle": (0, (1, 1.5)), "linewidth": 1.4, "zorder": 2}
    if low < h[0]:
        ax.plot([low, h[0], h[0]], [solved, solved, psi[0]], **look)
        ax.fill_between([low, h[0]], solved, color="#0B5FA5", alpha=0.05, linewidth=0)
    if high >= h[-1]:
        ax.plot([h[-1], h[-1], high], [psi[-1], 0, 0], **look)
