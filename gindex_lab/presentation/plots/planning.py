"""Figures of planning and stopping: tables in, axes out."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.measures.planning.power import Power
from gindex_lab.presentation.plots.common import (
    columns_of,
    heading,
    new_axes,
    note,
    palette,
    styled,
)

__all__ = ["plot_course", "plot_power"]


@styled
def plot_power(found: Power, *, title: str = "How many items?", ax: Any = None) -> Any:
    """Power by the number of items, simulated (with two standard errors) and in closed form; the items that
    reach the wanted power are marked.

    >>> from gindex_lab.measures.planning.designs import Design
    >>> from gindex_lab.measures.planning.power import power
    >>> ax = plot_power(power(Design(items=40), difference=0.3, simulations=100, seed=1))
    >>> ax.get_xlabel()
    'items'
    """
    kind, remedy = type(found).__name__, "pass what gl.power returns"
    if not isinstance(found, Power):
        raise BadInput("found", kind, "[wrong-type] is not a result of gl.power", remedy)
    ax = new_axes(ax)
    curve: pd.DataFrame = found.curve
    ax.plot(curve["items"], curve["closed_form"], color="#999999", label="closed form")
    look = {"fmt": "o-", "markersize": 4, "label": "simulated"}
    ax.errorbar(curve["items"], curve["power"], 2 * curve["error"], **look)
    ax.axhline(found.wanted, color="#999999", linewidth=0.8, linestyle=":")
    if found.items_needed is not None:
        ax.axvline(found.items_needed, color="#999999", linewidth=0.8, linestyle=":")
        at = (found.items_needed, 0.02)
        note(ax, f"{found.items_needed:,} items", at, (4, 0), fontsize=None)
    ax.set(xlabel="items", ylabel="power", ylim=(0, 1.02))
    ax.legend(loc="lower right")
    measure = found.measure.replace("_", " ")
    heading(ax, title, f"two agents that differ by {found.difference:g} in {measure}")
    return ax


@styled
def plot_course(
    courses: Mapping[str, pd.DataFrame],
    *,
    truth: float | None = None,
    title: str = "",
    ax: Any = None,
) -> Any:
    """Intervals closing, item by item: one band for each course (`session.table`), by name, and the truth.

    >>> course = pd.DataFrame({"low": [0.0, 0.2], "high": [1.0, 0.6], "estimate": [0.5, 0.4]})
    >>> plot_course({"bayes": course}, truth=0.4).get_xlabel()
    'items asked'
    """
    ax = new_axes(ax)
    for colour, (name, given) in zip(itertools.cycle(palette()), courses.items(), strict=False):
        course = columns_of(given, ["low", "high", "estimate"], "session.table")
        asked = range(1, len(course) + 1)
        ax.fill_between(asked, course["low"], course["high"], color=colour, alpha=0.22, linewidth=0)
        ax.plot(asked, course["estimate"], color=colour, linewidth=1.4, label=str(name))
    if truth is not None:
        ax.axhline(truth, color="#555555", linewidth=1, linestyle="--", label="the whole bank")
    ax.set(xlabel="items asked", ylabel="measure and its interval")
    ax.legend(loc="best")
    if title:
        heading(ax, title, "bands hold at every stop" if len(courses) else "")
    return ax
