"""What every figure shares: the style, the checks of a table, and the words around the frame."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.measures.summary import population_summary

__all__ = [
    "MEASURE_NAMES",
    "STYLE",
    "colours_of",
    "columns_of",
    "heading",
    "indicator_line",
    "new_axes",
    "note",
    "number_text",
    "palette",
    "styled",
    "summary_line",
    "two_decimals",
    "use_style",
    "with_unit",
]

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
_LONGEST_TITLE = 1000  # letters: breaking a longer one into lines takes minutes
STYLE = Path(__file__).with_name("gindex_lab.mplstyle")

P = ParamSpec("P")
R = TypeVar("R")


_given: dict[str, str] = {}  # the colour of each name, in the order in which figures met them


def use_style() -> None:
    """Make the style of gindex_lab that of every figure from here on (a notebook's first cell); the colours
    of agents are shuffled."""
    import matplotlib.pyplot as plt

    plt.style.use(STYLE)
    _given.clear()


def palette() -> list[str]:
    """The colours of the style (Okabe and Ito's), by value: "C0" would mean another one outside our style."""
    import matplotlib as mpl

    style = mpl.rc_params_from_file(STYLE, use_default_template=False)
    return list(style["axes.prop_cycle"].by_key()["color"])


def colours_of(names: Iterable[object]) -> dict[Any, str]:
    """A colour for each agent, which it keeps from figure to figure until `use_style` is called again.

    >>> use_style()
    >>> colours_of(["Freq", "Q"]), colours_of(["Q"])
    ({'Freq': '#0072B2', 'Q': '#E69F00'}, {'Q': '#E69F00'})
    """
    colours, found = palette(), {}
    for name in names:
        found[name] = _given.setdefault(str(name), colours[len(_given) % len(colours)])
    return found


def styled(function: Callable[P, R]) -> Callable[P, R]:
    """Run a plotting function in our style and leave the user's settings as they were."""

    @wraps(function)
    def inside(*args: P.args, **kwargs: P.kwargs) -> R:
        import matplotlib.pyplot as plt

        with plt.style.context(STYLE):
            return function(*args, **kwargs)

    return inside


def new_axes(ax: Any, **figure: Any) -> Any:
    """The axes given, or those of a new figure."""
    import matplotlib.pyplot as plt

    return plt.subplots(**figure)[1] if ax is None else ax


def note(ax: Any, text: str, at: tuple[Any, Any], offset: tuple[float, float], **look: Any) -> Any:
    """A short text so many points away from a place, by default in data units."""
    return ax.annotate(text, at, offset, textcoords="offset points", **{"fontsize": 8} | look)


def columns_of(table: object, needed: Sequence[str], source: str) -> pd.DataFrame:
    """The table, if it is one and has these columns, without gaps in them."""
    remedy = f"pass {source}"
    if not isinstance(table, pd.DataFrame):
        raise BadInput("table", type(table).__name__, "[not-a-table] is not a DataFrame", remedy)
    for name in needed:
        ensure(
            name in table,
            "table",
            list(table.columns),
            f"[no-column] has no column {name!r}",
            remedy,
        )
    ensure(not table.empty, "table", table.shape, "[no-rows] has no rows to draw", remedy)
    gaps = table[list(needed)].isna().any(axis=1)
    if gaps.any():
        raise BadInput(
            "table", table.index[gaps][0], "[missing] is a row with a gap", "drop or fill it"
        )
    return table


def indicator_line(indicators: pd.Series | Mapping[str, float] | None) -> str:
    """Ψ, H, S, Γ and γ of one agent as one line of text, what is absent left out.

    >>> indicator_line({"capability": 1.25, "generality": 1.139})
    'Ψ 1.25 · Γ 1.14'
    """
    if indicators is None:
        return ""
    symbols = {
        "capability": "Ψ",
        "expected_difficulty": "H",
        "spread": "S",
        "generality": "Γ",
        "normalised_generality": "γ",
    }
    have = {s: float(indicators[k]) for k, s in symbols.items() if k in indicators}
    return " · ".join(f"{s} {number_text(v)}" for s, v in have.items())


def heading(ax: Any, title: str, line: str, *, small: bool = False) -> None:
    """A title, and below it, still above the frame, numbers in grey; they are broken at " · " where the
    frame is too narrow for one line, which would else take the room of the frame."""
    problem, remedy = f"[out-of-range] has {len(title):,} letters", f"use at most {_LONGEST_TITLE}"
    ensure(len(title) <= _LONGEST_TITLE, "title", title, problem, remedy)
    size = 9 if small else 10.5
    letters = 7.5 if small else 8
    room = 72 * ax.figure.get_figwidth() * ax.get_position().width  # of the frame, in points
    text = _broken(line, room / (0.54 * letters))
    if len(title) > room / (0.64 * size):
        title = textwrap.fill(title, int(room / (0.64 * size)))
    lines = text.count("\n")
    pad = (15.5 if small else 18) + 1.4 * letters * lines if line else 6
    ax.set_title(title, loc="left", fontsize=size, pad=pad)
    if line:
        above_frame(ax, text, letters)


def above_frame(ax: Any, text: str, size: float = 8) -> Any:
    """Numbers in grey, just above the frame."""
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


def summary_line(table: pd.DataFrame, *, short: bool = False) -> str:
    """The population in one line; what is not defined is left out.

    >>> summary_line(pd.DataFrame({"capability": [1.0], "spread": [0.5], "abstruse": [False],
    ...                            "normalised_generality": [0.4]}))
    'n 1 · mean Ψ 1.00 · mean S 0.50 · mean γ 0.40 · abstruse 0%'
    """
    if not {"normalised_generality", "abstruse"} <= set(table.columns):
        return f"n {len(table)}"
    s = population_summary(table)
    parts = [f"n {len(table)}"] if not short else []
    means = {"Ψ": s["mean_capability"], "S": s["mean_spread"]}
    parts += [f"mean {symbol} {number_text(value)}" for symbol, value in means.items()]
    parts += [f"mean γ {s['mean_normalised_generality']:.2f}".replace("-", "−")]
    if short:
        return " · ".join(parts)
    parts += [f"abstruse {round(100 * s['abstruse'] / len(table), 1):g}%"]
    for key, text in {"capability_spread": "r(Ψ, S)", "capability_generality": "r(Ψ, γ)"}.items():
        parts += [] if np.isnan(s[key]) else [f"{text} {two_decimals(s[key])}"]
    return " · ".join(parts)


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number_text(value: float) -> str:
    """Two decimals, for small numbers two digits, powers of ten for tiny ones, ∞ for infinite generality.

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
    """A correlation or the like, without a minus before nothing.

    >>> [two_decimals(v) for v in (0.456, -0.0012, -0.5)]
    ['0.46', '0.00', '−0.50']
    """
    text = f"{value:.2f}"
    return text.lstrip("-") if not text.strip("-0.") else text.replace("-", "−")


def with_unit(name: str, unit: str) -> str:
    """An axis title with its unit in brackets, where there is one."""
    return f"{name} ({unit})" if unit else name
