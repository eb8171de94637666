"""What all figures share: the style, one palette, the checks of a table, the text around the frame, and how
animations are shown and saved."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.output import atomic_path, write_text
from gindex_lab.foundation.validate import number
from gindex_lab.measures.summary import population_summary

__all__ = ["MEASURE_NAMES", "PALETTE", "STYLE", "animation_html", "colours_of", "columns_of", "heading"]
__all__ += ["indicator_line", "new_axes", "note", "number_text", "save_animation", "styled", "summary_line"]
__all__ += ["two_decimals", "use_style", "with_unit"]

STYLE = Path(__file__).with_name("gindex_lab.mplstyle")
# The colour cycle of the style: Okabe and Ito (2008), "Color universal design", with one wine red of Tol's,
# ordered so that neighbours also differ in lightness.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#882255", "#56B4E9", "#D55E00", "#000000", "#CC79A7")
BLUE, YELLOW, GREEN, WINE, SKY, ORANGE, BLACK, PINK = PALETTE
INK, SOFT, GREY, PALE = "#222222", "#666666", "#999999", "#C9CDD2"  # text, and lines that stand back
POINT, BAR, FILL, ODD = "#1F3B57", "#7F93A6", "#7FA6C9", "#B2182B"  # dot, interval, histogram, misfit
MARKERS = "osD^vPX*<>"
MEASURE_NAMES = {
    "capability": "capability Ψ",
    "spread": "spread S",
    "generality": "generality Γ",
    "normalised_generality": "normalised generality γ",
    "expected_difficulty": "expected difficulty H",
    "mean": "mean response",
    "score": "score",
}
VALUE_NAMES = {"performance": "performance θ", "g_index": "g-index", "skill": "skill level"}
_SYMBOLS = {"capability": "Ψ", "expected_difficulty": "H", "spread": "S", "generality": "Γ"}
_SYMBOLS["normalised_generality"] = "γ"
_LONGEST_TITLE = 1000  # letters: matplotlib takes minutes to break a longer one into lines

P = ParamSpec("P")
R = TypeVar("R")
_given: dict[str, str] = {}  # the colour of each agent, in the order in which figures met them


def use_style() -> None:
    """Use the style of gindex_lab for all figures that follow (call it in a notebook's first cell).

    Agents get their colours anew: `gl.use_style` forgets which colours earlier figures gave them.
    """
    plt.style.use(STYLE)
    _given.clear()


def colours_of(names: Iterable[object]) -> dict[Any, str]:
    """A colour for each agent, which it keeps from figure to figure until `use_style` is called again.

    A new agent takes the colour that the fewest agents of this figure have, then the fewest of all.

    >>> use_style()
    >>> colours_of(["Freq", "Q"]), colours_of(["Q"])
    ({'Freq': '#0072B2', 'Q': '#E69F00'}, {'Q': '#E69F00'})
    """
    shown = list(names)
    for name in map(str, shown):
        if name not in _given:
            here, all_given = [_given.get(str(n)) for n in shown], list(_given.values())
            _given[name] = min(PALETTE, key=lambda c: (here.count(c), all_given.count(c)))
    return {name: _given[str(name)] for name in shown}


def styled(function: Callable[P, R]) -> Callable[P, R]:
    """Run a plotting function in our style and leave the user's settings as they were."""

    @wraps(function)
    def inside(*args: P.args, **kwargs: P.kwargs) -> R:
        with plt.style.context(STYLE):
            return function(*args, **kwargs)

    return inside


def new_axes(ax: Any, **figure: Any) -> Any:
    """The axes given, or those of a new figure."""
    return plt.subplots(**figure)[1] if ax is None else ax


def columns_of(table: object, needed: Sequence[str], source: str) -> pd.DataFrame:
    """The table, if it is a DataFrame that has these columns without gaps; `source` says where to get one."""
    remedy = f"pass {source}"
    if not isinstance(table, pd.DataFrame):
        raise BadInput("table", type(table).__name__, "[not-a-table] is not a DataFrame", remedy)
    for name in needed:
        problem = f"[no-column] has no column {name!r}"
        ensure(name in table, "table", list(table.columns), problem, remedy)
    ensure(not table.empty, "table", table.shape, "[no-rows] has no rows to draw", remedy)
    gaps = table[list(needed)].isna().any(axis=1)
    if gaps.any():
        raise BadInput("table", table.index[gaps][0], "[missing] is a row with a gap", "drop or fill it")
    return table


# -- text in and around the frame ----------------------------------------------------------------------


def note(ax: Any, text: str, at: tuple[Any, Any], offset: tuple[float, float], **look: Any) -> Any:
    """Write a short text at an offset in points from a place, by default in data units."""
    return ax.annotate(text, at, offset, textcoords="offset points", **{"fontsize": 8} | look)


def heading(ax: Any, title: str, line: str = "", *, small: bool = False) -> None:
    """Write a title, and below it, still above the frame, a line of numbers in grey.

    Where the frame is too narrow for the line, it is broken at " · ".
    """
    problem, remedy = f"[out-of-range] has {len(title):,} letters", f"use at most {_LONGEST_TITLE}"
    ensure(len(title) <= _LONGEST_TITLE, "title", title, problem, remedy)
    size, letters, above = (9.0, 7.5, 15.5) if small else (10.5, 8.0, 18.0)  # points
    room = 72 * ax.figure.get_figwidth() * ax.get_position().width  # of the frame, in points
    text = _broken(line, room / (0.54 * letters))  # a letter is about half as wide as it is high
    across = int(room / (0.64 * size))
    title = textwrap.fill(title, across) if len(title) > across else title
    pad = above + 1.4 * letters * text.count("\n") if line else 6
    ax.set_title(title, loc="left", fontsize=size, pad=pad)
    if line:
        above_frame(ax, text, letters)


def above_frame(ax: Any, text: str, size: float = 8) -> Any:
    """Write numbers in grey just above the frame."""
    look = {"xycoords": "axes fraction", "va": "bottom", "color": "#555555"}
    return note(ax, text, (0, 1), (0, 4), fontsize=size, annotation_clip=False, **look)


def _broken(line: str, room: float) -> str:
    """
    >>> _broken("mean 1 · spread 2 · n 3", 18)
    'mean 1 · spread 2\\nn 3'
    """
    lines: list[str] = []
    for part in line.split(" · "):
        longer = f"{lines[-1]} · {part}" if lines else part
        if lines and len(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(part)
    return "\n".join(lines)


def over_all(figure: Any, title: str) -> None:
    """Write a title over a figure of several panels."""
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")


def legend_beside(ax: Any, title: str | None = None, **look: Any) -> Any:
    """Put the legend to the right of the frame, where it covers no data."""
    return ax.legend(title=title, loc="upper left", bbox_to_anchor=(1.01, 1.0), **look)


def rows_with_bars(
    ax: Any, value: Any, low: Any, high: Any, names: Sequence[str], colours: Any = None
) -> None:
    """Draw one row for each value, from the bottom: a dot, a bar for its interval, and its name."""
    places = range(len(value))
    ax.hlines(places, low, high, color=BAR if colours is None else colours, linewidth=2.2)
    ax.scatter(value, places, s=25, c=POINT if colours is None else colours, ec="white", lw=0.5, zorder=3)
    ax.set_yticks(places, names)
    ax.set_ylim(-0.6, len(value) - 0.4)
    ax.tick_params(axis="y", length=0)


def line_with_band(ax: Any, x: Any, y: Any, low: Any, high: Any, colour: str, **look: Any) -> None:
    """Draw a line in a pale band of its colour."""
    ax.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0, zorder=2)
    ax.plot(x, y, color=colour, **{"zorder": 3} | look)


# -- numbers as text -----------------------------------------------------------------------------------


def indicator_line(indicators: pd.Series | Mapping[str, float] | None) -> str:
    """Ψ, H, S, Γ and γ of one agent, as far as they are known, as one line of text.

    >>> indicator_line({"capability": 1.25, "generality": 1.139})
    'Ψ 1.25 · Γ 1.14'
    """
    known = {} if indicators is None else {s: indicators[k] for k, s in _SYMBOLS.items() if k in indicators}
    return " · ".join(f"{symbol} {number_text(float(value))}" for symbol, value in known.items())


def summary_line(table: pd.DataFrame, *, short: bool = False) -> str:
    """A population in one line; correlations that are not defined are left out.

    >>> summary_line(pd.DataFrame({"capability": [1.0], "spread": [0.5], "abstruse": [False],
    ...                            "normalised_generality": [0.4]}))
    'n 1 · mean Ψ 1.00 · mean S 0.50 · mean γ 0.40 · abstruse 0%'
    """
    if not {"normalised_generality", "abstruse"} <= set(table.columns):
        return f"n {len(table)}"
    s = population_summary(table)
    means = [
        f"mean Ψ {number_text(s['mean_capability'])}",
        f"mean S {number_text(s['mean_spread'])}",
        f"mean γ {s['mean_normalised_generality']:.2f}".replace("-", "−"),
    ]
    if short:
        return " · ".join(means)
    parts = [f"n {len(table)}", *means, f"abstruse {round(100 * s['abstruse'] / len(table), 1):g}%"]
    pairs = {"r(Ψ, S)": s["capability_spread"], "r(Ψ, γ)": s["capability_generality"]}
    parts += [f"{text} {two_decimals(r)}" for text, r in pairs.items() if not np.isnan(r)]
    return " · ".join(parts)


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number_text(value: float) -> str:
    """Two decimals, two digits for small numbers, powers of ten for tiny ones, ∞ for infinite generality.

    >>> [number_text(v) for v in (12.345, 0.0029, 0.05, 1e-5, float("inf"), -1.5)]
    ['12.35', '0.0029', '0.050', '10⁻⁵', '∞', '−1.50']
    """
    if np.isinf(value):
        return "∞"
    if 0 < abs(value) < 1e-4:
        digits, _, power = f"{value:.2g}".partition("e")
        raised = str(int(power)).translate(_SUPERSCRIPTS)
        return ("" if digits == "1" else f"{digits} × ".replace("-", "−")) + f"10{raised}"
    if abs(value) >= 0.0995 or value == 0:
        return two_decimals(value)
    return f"{value:#.2g}".replace("-", "−")


def two_decimals(value: float) -> str:
    """A correlation or the like; what rounds to zero has no minus sign.

    >>> [two_decimals(v) for v in (0.456, -0.0012, -0.5)]
    ['0.46', '0.00', '−0.50']
    """
    text = f"{value:.2f}"
    return text.lstrip("-") if not text.strip("-0.") else text.replace("-", "−")


def with_unit(name: str, unit: str) -> str:
    """The title of an axis, with its unit in brackets if it has one."""
    return f"{name} ({unit})" if unit else name


# -- animations ----------------------------------------------------------------------------------------

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
