"""Agents through time: one frame of capability against spread for each date (Fig. S20, S21).

Agents that are new in a frame stand out, earlier ones fade but keep their names. The frame and the
isometrics stay still, nothing is random and no clock is read, so the same tables give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.output import atomic_path, write_text
from gindex_lab.foundation.validate import FloatArray, number
from gindex_lab.presentation.plots.common import columns_of, styled, summary_line, with_unit
from gindex_lab.presentation.plots.isometrics import LEVELS, Interval, draw_isometrics, interval_of
from gindex_lab.presentation.plots.labels import boxes_of, label_points, line_boxes, tied_labels

__all__ = ["animate_capability_spread", "animation_html", "save_animation"]

_OLD, _NEW = "#8FA3B5", "#B2182B"


@styled
def animate_capability_spread(
    frames: Mapping[str, pd.DataFrame],
    interval: Interval | None = None,
    *,
    seconds: float = 1.0,
    unit: str = "",
    title: str = "",
) -> Any:
    """An animation with one frame for each entry of `frames` (its title -> table of agents).

    Each table comes from `gl.generality`; an agent that the frame before did not hold is new.
    Returns a matplotlib animation: `save_animation(it, "agents.gif")`, or `animation_html(it)`.

    >>> table = pd.DataFrame({"capability": [4.0, 6], "spread": [2.0, 1]}, index=["a", "b"])
    >>> movie = animate_capability_spread({"2015": table.head(1), "2018": table}, (0, 10))
    >>> animation_html(movie).count("data:image/png")
    2
    """
    from matplotlib.animation import FuncAnimation
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if not frames:
        raise BadInput("frames", frames, "is empty", "give at least one table by its title")
    tables = {
        str(k): columns_of(t, ["capability", "spread"], "gl.generality(...)")
        for k, t in frames.items()
    }
    span = interval_of(next(iter(tables.values())), interval)
    figure = Figure(figsize=(7.2, 4.8))
    FigureCanvasAgg(figure)  # not pyplot's: a notebook should show the movie, not its first frame
    ax = figure.subplots()
    marks = pd.concat(tables.values())[["capability", "spread"]].to_numpy(float)
    ground = _draw_ground(ax, span, unit, marks)
    state: dict[str, list[Any]] = {"drawn": []}

    def draw(k: int) -> list[Any]:
        for artist in state["drawn"]:
            artist.remove()
        state["drawn"] = _draw_frame(ax, list(tables.items()), k, title, ground)
        return state["drawn"]

    pause = 1000 * number("seconds", seconds, 0.02, 60)
    return FuncAnimation(figure, draw, init_func=list, frames=len(tables), interval=pause)


def _draw_ground(ax: Any, interval: Interval, unit: str, marks: FloatArray) -> list[Any]:
    low, high = interval
    roof, side = 1.06 * (high - low) / np.sqrt(2), 0.01 * (high - low)
    ax.set(xlim=(low - side, high + side), ylim=(-0.02 * roof, roof))
    ax.set(xlabel=with_unit("capability Ψ", unit), ylabel=with_unit("spread S", unit))
    ax.set_title(" ", loc="left", pad=18)
    ax.figure.canvas.draw()
    texts = draw_isometrics(ax, interval, LEVELS, marks=marks)
    ax.figure.set_layout_engine("none")  # or a longer title would move the frame
    return texts


def _draw_frame(
    ax: Any, tables: list[tuple[str, pd.DataFrame]], k: int, title: str, ground: list[Any]
) -> list[Any]:
    name, table = tables[k]
    before = tables[k - 1][1].index if k else table.index[:0]
    fresh = ~table.index.isin(before)
    x, y = table["capability"].to_numpy(float), table["spread"].to_numpy(float)
    look = {"edgecolor": "white", "linewidth": 0.5, "zorder": 4, "clip_on": False}
    drawn = [ax.scatter(x[~fresh], y[~fresh], s=30, color=_OLD, **look)]
    drawn += [ax.scatter(x[fresh], y[fresh], s=46, color=_NEW, marker="D", **look)]
    texts = tied_labels(x, y, [str(i) for i in table.index])
    floor = line_boxes(ax, [(ax.get_xlim()[0], 0.0, ax.get_xlim()[1], 0.0)])
    drawn += label_points(ax, texts, avoid=np.vstack([boxes_of(ground), floor]), size=7.5)
    words = f"{title}: {name}" if title else name
    ax.set_title(words, loc="left", pad=18, fontsize=10.5, fontweight="bold")
    line = ax.annotate(
        summary_line(table) + " · red: new",
        (0, 1),
        xycoords="axes fraction",
        xytext=(0, 4),
        textcoords="offset points",
        fontsize=8,
        color="#555555",
        annotation_clip=False,
    )
    return [*drawn, line]


def animation_html(movie: Any, seconds: float = 1.0) -> str:
    """The animation as HTML with its own buttons, complete in itself: nothing is fetched.

    In a notebook: `IPython.display.HTML(animation_html(movie))`.
    """
    pause = number("seconds", seconds, 0.02, 60)
    page = movie.to_jshtml(fps=1 / pause, default_mode="loop")
    # matplotlib's player asks a server for an icon font: plain characters do as well.
    page = re.sub(r'<link rel="stylesheet"\s+href="http[^>]*>', "", page)
    return re.sub(r'<i class="fa fa-([a-z -]+)"></i>', lambda m: _ICONS.get(m[1], "●"), page)


_ICONS = {
    "minus": "−",
    "plus": "+",
    "fast-backward": "⏮",
    "step-backward": "⏴⏐",
    "play fa-flip-horizontal": "⏴",
    "play": "⏵",
    "pause": "⏸",
    "step-forward": "⏐⏵",
    "fast-forward": "⏭",
}


def save_animation(movie: Any, path: str | PathLike[str], seconds: float = 1.0) -> Path:
    """Write an animation as `.gif`, or as `.html` with its own buttons (no network needed)."""
    target = Path(path)
    pause = number("seconds", seconds, 0.02, 60)
    if target.suffix == ".gif":
        with atomic_path(target) as new:
            movie.save(new, writer="pillow", fps=1 / pause, dpi=100)
    elif target.suffix == ".html":
        write_text(target, animation_html(movie, seconds))
    else:
        raise BadInput("path", str(path), "has an ending we cannot write", "use .gif or .html")
    return target
