"""The ground of a capability-against-spread plot: its isometrics, each labelled on its curve.

On the interval [k, k + q], an agent of capability Ψ has a spread between 0 (decreasing step) and
√(2(Ψ-k)(k+q-Ψ)) (increasing step); a constant curve has √((Ψ-k)(k+q-Ψ)) (§F.5). Normalised
generality γ is constant on the curves between them: S = √((1-γ)(Ψ-k)(k+q-Ψ)), Eq. 6.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.output import atomic_path, write_text
from gindex_lab.foundation.validate import FloatArray, number, vector
from gindex_lab.measures.properties import spread_at
from gindex_lab.presentation.plots.common import (
    above_frame,
    columns_of,
    styled,
    summary_line,
    with_unit,
)
from gindex_lab.presentation.plots.labels import (
    boxes_of,
    label_points,
    line_boxes,
    overlaps,
    tied_labels,
)

__all__ = [
    "LEVELS",
    "animate_capability_spread",
    "animation_html",
    "draw_isometrics",
    "interval_of",
    "save_animation",
]

Interval = tuple[float, float]

LEVELS = (0.5, 0.8, 0.95)
_MAXIMUM: dict[str, Any] = {"color": "#B2182B", "linestyle": (0, (4, 1.5)), "linewidth": 1.4}
_CONSTANT: dict[str, Any] = {"color": "#0B5FA5", "linestyle": "-", "linewidth": 1.4}
_MINIMUM: dict[str, Any] = {"color": "#009E73", "linestyle": (0, (1, 1.2)), "linewidth": 2.0}
_LEVEL: dict[str, Any] = {"color": "#9A9A9A", "linestyle": "-", "linewidth": 0.6}
_NAMED: list[tuple[float, dict[str, Any], tuple[str, ...]]] = [
    (1.0, _MINIMUM, ("minimum (decreasing step), γ = 1", "minimum, γ = 1", "γ = 1")),
    (0.0, _CONSTANT, ("constant curve, γ = 0", "γ = 0")),
    (-1.0, _MAXIMUM, ("maximum (increasing step), γ = −1", "maximum, γ = −1", "γ = −1")),
]
_INK = {look["color"]: look["color"] for _, look, _ in _NAMED} | {_LEVEL["color"]: "#6F6F6F"}
# From the middle outwards: of two places that cover the same, the more central one.
_PLACES = tuple(0.5 + side * step / 100 for step in range(0, 44, 6) for side in (1, -1))
_LIFTS = (1.3, 1.8, 2.4)  # lines above its curve, where agents take all of it
_BEND = 8.0  # pixels that a curve may leave a straight label


def interval_of(table: Any, interval: Interval | None) -> Interval:
    """The interval of difficulties: the argument, or what the table carries in `attrs`."""
    found = interval if interval is not None else table.attrs.get("interval")
    if found is None:
        problem = "[no-interval] is unknown, so that there are no isometrics"
        raise BadInput("interval", None, problem, "pass interval=(lowest, highest) difficulty")
    low, high = map(float, vector("interval", found, 2))
    if not low < high:
        raise BadInput(
            "interval", found, "[out-of-range] is empty or not finite", "give (lowest, highest)"
        )
    return low, high


def draw_isometrics(
    ax: Any,
    interval: Interval,
    levels: tuple[float, ...] = LEVELS,
    *,
    labels: bool = True,
    marks: FloatArray | None = None,
) -> list[Any]:
    """Draw the three isometrics and the γ levels into the view of `ax`; returns their labels.

    Call it when the limits of the axes are final: a label stands on its curve where that is
    visible and holds the fewest `marks` (points in data units).
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
            busy = np.vstack([_ends(points), boxes_of(texts)])
            texts += _label_on_curve(ax, capability, spread, names, busy, _INK[look["color"]])
    return texts


def _ends(points: FloatArray) -> FloatArray:
    return np.hstack([points - 4, points + 4])


def _label_on_curve(
    ax: Any, x: FloatArray, y: FloatArray, names: Sequence[str], busy: FloatArray, colour: str
) -> list[Any]:
    """The longest name that fits and covers nothing, on the longest visible piece of the curve, turned with
    it; where each covers something, the shortest, beside its curve or, if need be, above what it covers."""
    piece = ax.transData.transform(np.column_stack([x, y])[_longest_visible(ax, x, y)])
    if len(piece) < 5:
        return []
    arc = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(piece, axis=0).T))])
    look = {"color": colour, "fontsize": 7.2, "rotation_mode": "anchor", "zorder": 2}
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    text = ax.text(0, 0, "", ha="center", va="center", bbox=box, clip_on=True, **look)
    fits = False
    for name in names:
        text.set(text=name, rotation=0)
        width = text.get_window_extent().width
        if width < 0.5 * arc[-1]:
            bend, covered = _stand_best(ax, text, piece, arc, busy, width)
            fits = bend < _BEND
            if fits and not covered:
                return [text]
    if not fits:
        text.remove()
        return []
    line = text.get_fontsize() * ax.figure.dpi / 72
    for lines in (*_LIFTS, 0):
        _, covered = _stand_best(ax, text, piece + np.array([0, lines * line]), arc, busy, width)
        if not covered:
            return [text]
    text.set(zorder=5, bbox=box | {"alpha": 0.7})  # what it covers shines through
    return [text]


def _longest_visible(ax: Any, x: FloatArray, y: FloatArray) -> slice:
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    gap_x, gap_y = 0.02 * (right - left), 0.02 * (top - bottom)
    seen = (x >= left + gap_x) & (x <= right - gap_x) & (y <= top - gap_y)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], seen.astype(int), [0]])))
    pieces = [slice(a, b) for a, b in edges.reshape(-1, 2)]
    # Of two equal pieces the right one: the numbers of the axis stand on the left.
    return max(pieces, key=lambda p: (np.ptp(x[p]) + 1e-9, p.start), default=slice(0))


def _stand_best(
    ax: Any, text: Any, piece: FloatArray, arc: FloatArray, busy: FloatArray, width: float
) -> tuple[float, float]:
    """Put the text where it covers least; how far the curve leaves it there (pixels), and what it covers."""
    best, least, hidden = 0.5, np.inf, 0.0
    for share in _PLACES:
        _stand(ax, text, piece, arc, share)
        covered = float(overlaps(boxes_of([text]), busy).sum()) if len(busy) else 0.0
        cost = covered + 20 * max(0.0, _bend(piece, arc, share, width) - _BEND)
        if cost < least:
            best, least, hidden = share, cost, covered
    _stand(ax, text, piece, arc, best)
    return _bend(piece, arc, best, width), hidden


def _at(piece: FloatArray, arc: FloatArray, where: float) -> FloatArray:
    return np.array([np.interp(where, arc, piece[:, k]) for k in (0, 1)])


def _bend(piece: FloatArray, arc: FloatArray, share: float, width: float) -> float:
    """How far the middle of the curve under a straight text is from its chord, in pixels."""
    middle = share * arc[-1]
    left, centre, right = (_at(piece, arc, middle + d) for d in (-width / 2, 0, width / 2))
    return float(np.hypot(*(centre - (left + right) / 2)))


def _stand(ax: Any, text: Any, piece: FloatArray, arc: FloatArray, share: float) -> None:
    half = text.get_fontsize() * 0.6
    middle = share * arc[-1]
    before, centre, after = (_at(piece, arc, middle + d) for d in (-half, 0, half))
    angle = float(np.degrees(np.arctan2(*(after - before)[::-1])))
    text.set(position=ax.transData.inverted().transform(centre), rotation=angle)


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
        raise BadInput("frames", frames, "[empty] is empty", "give at least one table by its title")
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
    return [*drawn, above_frame(ax, summary_line(table) + " · red: new")]


def animation_html(movie: Any, seconds: float = 1.0, *, alt: str = "An animation") -> str:
    """The animation as HTML with its own buttons, complete in itself: nothing is fetched.

    `alt` says what it shows to readers who do not see it.

    In a notebook: `IPython.display.HTML(animation_html(movie))`.
    """
    pause = number("seconds", seconds, 0.02, 60)
    page = movie.to_jshtml(fps=1 / pause, default_mode="loop")
    # matplotlib's player asks a server for an icon font: plain characters do as well.
    page = re.sub(r'<link rel="stylesheet"\s+href="http[^>]*>', "", page)
    page = page.replace("<img id=", f'<img alt="{escape(alt)}" id=')
    page = page.replace('class="anim-slider"', 'class="anim-slider" aria-label="frame"')
    return re.sub(r'<i class="fa fa-([a-z -]+)"></i>', lambda m: _ICONS.get(m[1], "●"), page)


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
        raise BadInput(
            "path", str(path), "[unknown-ending] has an ending we cannot write", "use .gif or .html"
        )
    return target
