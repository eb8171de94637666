"""Shape a characteristic curve by hand, and see capability, spread and generality move.

Eight sliders are the mean responses at difficulties 1 to 8. Two curves of one capability can differ in
all but that: the demo puts the curve beside its point in the plane of capability and spread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, choice, integer, vector
from gindex_lab.measures.generality import characteristic_curve, generality
from gindex_lab.presentation.plots import common
from gindex_lab.presentation.plots.curves import plot_curve
from gindex_lab.presentation.plots.generality import plot_capability_spread
from gindex_lab.presentation.widgets.front import Control, LiveDemo
from gindex_lab.presentation.widgets.live import Value, View, blank_figure

__all__ = ["INDICATORS", "LEVELS", "SHAPES", "curve_demo", "curve_responses", "curve_view"]
__all__ += ["indicator_numbers", "plot_plane", "plot_responses", "responses_and_plane", "shape"]

LEVELS = 8  # difficulties 1 to 8, on the interval from 0 to 9
INDICATORS = {
    "capability Ψ": "capability",
    "spread S": "spread",
    "generality Γ": "generality",
    "normalised generality γ": "normalised_generality",
    "expected difficulty H": "expected_difficulty",
}
SHAPES = ("step", "slope", "flat", "specialist", "upside down")
_EQUATIONS = (
    r"\Psi = \int \psi(h)\,dh",
    r"S^2 = 2\int h\,\psi(h)\,dh - \Psi^2",
    r"\Gamma = 1/S",
    r"\gamma = 1 - \frac{S^2}{\Psi\,(9 - \Psi)}",
)


def shape(name: str, levels: int = LEVELS) -> FloatArray:
    """The responses of a few agents worth knowing, easy items first; all have the mean 1/2.

    Multiples of 0.05, as a slider has them.

    >>> shape("step").tolist(), shape("flat", 4).tolist()
    ([1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5])
    """
    rank = np.arange(integer("levels", levels, 2, 100))
    low = 2 * rank < levels
    shapes = {
        "step": low,
        "slope": 1 - rank / (levels - 1),
        "flat": np.full(levels, 0.5),
        "specialist": rank % 2 == 1,
        "upside down": ~low,
    }
    return (np.asarray(shapes[choice("name", name, SHAPES)], dtype=float) * 20).round() / 20


def indicator_numbers(row: pd.Series) -> dict[str, float]:
    """Ψ, S, Γ, γ and H of one agent's row of `gl.generality`, by the names that a reader knows.

    >>> indicator_numbers(generality([[1.0, 0.0]], [1, 2]).iloc[0])["capability Ψ"]
    1.5
    """
    return {name: float(row[column]) for name, column in INDICATORS.items()}


def curve_responses(heights: Sequence[float]) -> Responses:
    """One agent's mean responses at difficulties 1, 2, 3 ..., with one more on either side."""
    found = _checked(heights)
    frame = pd.DataFrame([found], index=["you"])
    return Responses(frame, np.arange(1, len(found) + 1), interval=(0.0, len(found) + 1.0))


@common.styled
def curve_view(heights: Sequence[float]) -> View:
    """A curve through `heights` at difficulties 1, 2, 3 ..., and its indicators (supplement, E.3).

    Left of difficulty 1 everything counts as solved, right of the last nothing does.

    >>> view = curve_view([1, 1, 1, 1, 0, 0, 0, 0])
    >>> round(view.numbers["capability Ψ"], 3), round(view.numbers["normalised generality γ"], 3)
    (4.5, 0.996)
    """
    study = curve_responses(heights)
    table = generality(study)
    assert study.interval is not None
    interval = study.interval
    figure = blank_figure(8.4, 3.9, wspace=0.2)
    left, right = figure.subplots(1, 2)
    curve = characteristic_curve(study, "you")
    plot_curve(curve, interval=interval, ax=left, title="The curve ψ")
    left.set_xlim(*interval)
    plot_plane(right, table, interval)
    listed = ", ".join(f"{value:g}" for value in study.values[0])
    difficulty = list(range(1, study.shape[1] + 1))
    code = f"gl.generality([[{listed}]], difficulty={difficulty}, interval={interval})"
    numbers = indicator_numbers(table.iloc[0])
    return View(figure, numbers, code, _reading(table.iloc[0]), {"indicators": table})


def plot_plane(ax: Any, table: pd.DataFrame, interval: tuple[float, float], title: str = "Its place") -> None:
    """The plane of capability and spread without names: quick enough to follow a slider."""
    plot_capability_spread(table, interval, ax=ax, summary=False, labels=False, title=title, frame="interval")


@common.styled
def plot_responses(frame: pd.DataFrame, *, title: str = "", ax: Any = None) -> Any:
    """Draw who solved what: a row per agent, a column per item in the order given, dark for solved.

    >>> plot_responses(pd.DataFrame([[1.0, 0.0]], ["a"], [1, 2])).get_xlabel()
    'item, easy to hard'
    """
    if not isinstance(frame, pd.DataFrame) or frame.empty:
        raise BadInput("frame", frame, "[not-a-table] is not a table of responses", "pass agents x items")
    ax = common.new_axes(ax, figsize=(5.6, 3.6))
    few = len(frame) <= 20
    shades = sns.blend_palette(["#EEF1F4", common.BLUE], as_cmap=True)
    look = {"cmap": shades, "vmin": 0, "vmax": 1, "cbar": False, "rasterized": True}
    sns.heatmap(frame.astype(float), xticklabels=False, yticklabels=few, ax=ax, **look)
    ax.tick_params(axis="y", rotation=0, length=0)
    ax.set(xlabel="item, easy to hard", ylabel="" if few else "agent", title=title)
    return ax


def responses_and_plane(
    study: Responses, table: pd.DataFrame, titles: tuple[str, str], **margins: float
) -> Any:
    """The figure of a population: who solves what, in the order of the table, beside everybody's place."""
    assert study.interval is not None
    figure = blank_figure(8.4, 3.9, **margins)
    left, right = figure.subplots(1, 2)
    plot_responses(study.frame.loc[table.index], title=titles[0], ax=left)
    plot_plane(right, table, study.interval, titles[1])
    return figure


def _checked(heights: object) -> FloatArray:
    found = vector("heights", heights)
    problem, remedy = "[too-few] are too few for a curve", "give at least two responses"
    ensure(len(found) > 1, "heights", heights, problem, remedy)
    for at, height in enumerate(found):
        remedy = "a mean response lies between 0 and 1"
        ensure(0 <= height <= 1, f"heights[{at}]", height, "[out-of-range] is out of range", remedy)
    return found


def _reading(row: pd.Series) -> str:
    gamma = row["normalised_generality"]
    if gamma > 0.9:
        return "Nearly a step: all up to the capability, hardly anything beyond. A generalist."
    if gamma > 0.2:
        return "More is solved of the easy than of the hard: more general than a constant curve."
    if gamma >= -0.05:
        return "Difficulty hardly matters: no more general than a constant curve."
    return "Hard items are solved better than easy ones: abstruse, less general than a constant curve."


def curve_demo(levels: int = LEVELS) -> LiveDemo:
    """The demo: a slider for each difficulty, and buttons for a few shapes.

    >>> demo = curve_demo()
    >>> demo.set(h1=0.5)
    >>> demo.view.code[:23]
    'gl.generality([[0.5, 0.'
    """

    def heights(name: str) -> dict[str, Value]:
        return {f"h{k + 1}": float(value) for k, value in enumerate(shape(name, levels))}

    def view(**given: float) -> View:
        return curve_view(list(given.values()))

    start = heights("slope")
    controls = {name: Control(f"difficulty {name[1:]}", value) for name, value in start.items()}
    presets = {name: heights(name) for name in SHAPES}
    look: dict[str, Any] = {"title": "Shape a curve", "equations": _EQUATIONS, "presets": presets}
    return LiveDemo(view, controls, name="curve", **look)
