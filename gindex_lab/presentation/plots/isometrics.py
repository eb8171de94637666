"""The ground of a plane of capability against spread: its frame and its isometrics; and animations on it.

On the interval [k, k + q] an agent of capability Ψ has a spread between 0 (a falling step) and
√(2(Ψ-k)(k+q-Ψ)) (a rising step); a constant curve has √((Ψ-k)(k+q-Ψ)) (generality supplement, §F.5). Between
them γ is constant on the isometrics S = √((1-γ)(Ψ-k)(k+q-Ψ)) (Eq. 6).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.animation import FuncAnimation
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.output import atomic_path, write_text
from gindex_lab.foundation.validate import FloatArray, number, vector
from gindex_lab.measures.properties import spread_at
from gindex_lab.presentation.plots import common
from gindex_lab.presentation.plots.labels import boxes_of, label_curve, label_points, line_boxes, tied_labels

__all__ = ["LEVELS", "animate_capability_spread", "animation_html", "draw_isometrics", "interval_of"]
__all__ += ["save_animation", "set_frame"]

Interval = tuple[float, float]

LEVELS = (0.5, 0.8, 0.95)  # of γ, spaced about evenly in spread: a judgement
_LEVEL: dict[str, Any] = {"color": "#9A9A9A", "linewidth": 0.6}
_NAMED: list[tuple[float, dict[str, Any], tuple[str, ...]]] = [
    (
        1.0,
        {"color": common.GREEN, "linestyle": (0, (1, 1.2)), "linewidth": 2.0},
        ("minimum (decreasing step), γ = 1", "minimum, γ = 1", "γ = 1"),
    ),
    (0.0, {"color": common.BLUE, "linewidth": 1.4}, ("constant curve, γ = 0", "γ = 0")),
    (
        -1.0,
        {"color": common.ODD, "linestyle": (0, (4, 1.5)), "linewidth": 1.4},
        ("maximum (increasing step), γ = −1", "maximum, γ = −1", "γ = −1"),
    ),
]


def interval_of(table: Any, interval: Interval | None) -> Interval:
    """The interval of difficulties: the argument, or what the table carries in `attrs`."""
    found = interval if interval is not None else table.attrs.get("interval")
    if found is None:
        problem = "[no-interval] is unknown, and the isometrics depend on it"
        raise BadInput("interval", None, problem, "pass interval=(lowest, highest) difficulty")
    low, high = map(float, vector("interval", found, 2))
    if not low < high:
        raise BadInput("interval", found, "[out-of-range] is empty or not finite", "give (lowest, highest)")
    return low, high


def draw_isometrics(
    ax: Any,
    interval: Interval,
    levels: tuple[float, ...] = LEVELS,
    *,
    labels: bool = True,
    marks: FloatArray | None = None,
) -> list[Any]:
    """Draw the three named isometrics and the γ levels into the view of `ax`; returns their labels.

    Call it when the limits of the axes are final: a label stands on its curve where that is visible and holds
    the fewest `marks` (points in data units).
    """
    low, high = interval
    # A cosine grid is dense at both ends, where the curves are steep.
    grid = low + (high - low) * (1 - np.cos(np.linspace(0, np.pi, 801))) / 2
    capability = np.clip(grid, low, high)
    points = ax.transData.transform(marks) if marks is not None and len(marks) else np.empty((0, 2))
    texts: list[Any] = []
    for gamma, look, names in [(g, _LEVEL, (f"γ = {g:g}",)) for g in levels] + _NAMED:
        spread = spread_at(capability, gamma, interval)
        ax.plot(capability, spread, zorder=1, **look)
        if labels:
            busy = np.vstack([np.hstack([points - 4, points + 4]), boxes_of(texts)])
            colour = "#6F6F6F" if look is _LEVEL else look["color"]
            texts += label_curve(ax, capability, spread, names, busy, colour)
    return texts


def set_frame(ax: Any, table: pd.DataFrame, interval: Interval, frame: str) -> None:
    """Show all of the interval up to the maximum spread, or less where the agents leave it empty."""
    if frame == "given":
        return
    low, high = interval
    width, roof = high - low, 1.06 * (high - low) / np.sqrt(2)
    (left, right), top = _range(table, "capability"), _range(table, "spread")[1]
    if frame == "data" or (frame == "auto" and (right - left) * top < 0.01 * width * roof):
        pad = max(0.18 * (right - left), 0.04 * width)
        height = max(1.25 * top, 0.08 * roof)
        ax.set(xlim=(left - pad, right + pad), ylim=(-0.03 * height, height))
        return
    constant = 1.1 * width / 2  # above its peak there is nothing to see if no agent is there
    height = constant if frame == "auto" and top < 0.93 * constant else roof
    ax.set(xlim=(low - 0.01 * width, high + 0.01 * width), ylim=(-0.02 * height, height))


def _range(table: pd.DataFrame, name: str) -> tuple[float, float]:
    """From the lowest end of a bar to the highest."""
    ends = table[[c for c in (name, f"{name}_low", f"{name}_high") if c in table]]
    return float(ends.min(axis=None)), float(ends.max(axis=None))


# -- animation -----------------------------------------------------------------------------------------


@common.styled
def animate_capability_spread(
    frames: Mapping[str, pd.DataFrame],
    interval: Interval | None = None,
    *,
    seconds: float = 1.0,
    unit: str = "",
    title: str = "",
) -> Any:
    """Draw capability against spread as an animation, for example year by year.

    Parameters
    ----------
    frames : a table of `gl.generality` for each frame, by its title
        An agent that the frame before did not hold is new, and drawn in red.
    interval : lowest and highest difficulty; by default that of the first table
    seconds : for which a frame is shown
    unit, title : of capability and spread, and of the figure

    Returns
    -------
    A matplotlib animation, for `gl.save_animation` or `gl.animation_html`.

    Examples
    --------
    >>> table = pd.DataFrame({"capability": [4.0, 6], "spread": [2.0, 1]}, index=["a", "b"])
    >>> movie = animate_capability_spread({"2015": table.head(1), "2018": table}, (0, 10))
    >>> animation_html(movie).count("data:image/png")
    2
    """
    if not frames:
        raise BadInput("frames", frames, "[empty] is empty", "give at least one table by its title")
    needed = ["capability", "spread"]
    tables = [(str(k), common.columns_of(t, needed, "gl.generality(...)")) for k, t in frames.items()]
    every = pd.concat([table for _, table in tables])
    span = interval_of(tables[0][1], interval)
    figure = Figure(figsize=(7.2, 4.8))
    FigureCanvasAgg(figure)  # not pyplot's: a notebook should show the movie, not its first frame
    ax = figure.subplots()
    set_frame(ax, every, span, "interval")
    ax.set(xlabel=common.with_unit("capability Ψ", unit), ylabel=common.with_unit("spread S", unit))
    ax.set_title(" ", loc="left", pad=18)
    figure.canvas.draw()
    ground = draw_isometrics(ax, span, LEVELS, marks=every[needed].to_numpy(float))
    figure.set_layout_engine("none")  # or a longer title would move the frame
    floor = line_boxes(ax, [(ax.get_xlim()[0], 0.0, ax.get_xlim()[1], 0.0)])
    avoid = np.vstack([boxes_of(ground), floor])
    drawn: list[Any] = []

    def draw(k: int) -> list[Any]:
        for artist in drawn:
            artist.remove()
        drawn[:] = _draw_agents(ax, tables[k][1], tables[k - 1][1] if k else None, avoid)
        words = f"{title}: {tables[k][0]}" if title else tables[k][0]
        ax.set_title(words, loc="left", pad=18, fontsize=10.5, fontweight="bold")
        return drawn

    pause = 1000 * number("seconds", seconds, 0.02, 60)
    return FuncAnimation(figure, draw, init_func=list, frames=len(tables), interval=pause)


def _draw_agents(ax: Any, table: pd.DataFrame, before: pd.DataFrame | None, avoid: FloatArray) -> list[Any]:
    """The points, names and summary of one frame; in the first frame all agents are new."""
    fresh = ~table.index.isin([] if before is None else before.index)
    x, y = table[["capability", "spread"]].to_numpy(float).T
    look = {"edgecolor": "white", "linewidth": 0.5, "zorder": 4, "clip_on": False}
    drawn = [ax.scatter(x[~fresh], y[~fresh], s=30, color="#8FA3B5", **look)]
    drawn += [ax.scatter(x[fresh], y[fresh], s=46, color=common.ODD, marker="D", **look)]
    drawn += label_points(ax, tied_labels(x, y, list(map(str, table.index))), avoid=avoid, size=7.5)
    return [*drawn, common.above_frame(ax, common.summary_line(table) + " · red: new")]


_ICONS = {
    "minus": "−",
    "plus": "+",
    "fast-backward": "|◀◀",
    "step-backward": "◀|",
    "play fa-flip-horizontal": "◀",
    "play": "▶",
    "pause": "❚❚",
    "step-forward": "|▶",
    "fast-forward": "▶▶|",
}


def animation_html(movie: Any, seconds: float = 1.0, *, alt: str = "An animation") -> str:
    """An animation as HTML with buttons, which fetches nothing from the network.

    Parameters
    ----------
    movie : what `gl.animate_capability_spread` returns
    seconds : for which a frame is shown
    alt : what the animation shows, for readers who do not see it

    Returns
    -------
    HTML; in a notebook, `IPython.display.HTML(animation_html(movie))` shows it.
    """
    pause = number("seconds", seconds, 0.02, 60)
    page = movie.to_jshtml(fps=1 / pause, default_mode="loop")
    # matplotlib's player asks a server for an icon font: plain characters do as well.
    page = re.sub(r'<link rel="stylesheet"\s+href="http[^>]*>', "", page)
    page = page.replace("<img id=", f'<img alt="{escape(alt)}" id=')
    page = page.replace('class="anim-slider"', 'class="anim-slider" aria-label="frame"')
    return re.sub(r'<i class="fa fa-([a-z -]+)"></i>', lambda m: _ICONS.get(m[1], "●"), page)


def save_animation(movie: Any, path: str | PathLike[str], seconds: float = 1.0) -> Path:
    """Write an animation to a file.

    Parameters
    ----------
    movie : what `gl.animate_capability_spread` returns
    path : a file that ends in `.gif`, or in `.html` (with buttons, no network needed)
    seconds : for which a frame is shown

    Returns
    -------
    The path.
    """
    target = Path(path)
    pause = number("seconds", seconds, 0.02, 60)
    if target.suffix == ".gif":
        with atomic_path(target) as new:
            movie.save(new, writer="pillow", fps=1 / pause, dpi=100)
    elif target.suffix == ".html":
        write_text(target, animation_html(movie, seconds))
    else:
        problem = "[unknown-ending] has an ending we cannot write"
        raise BadInput("path", str(path), problem, "use .gif or .html")
    return target
