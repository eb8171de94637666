"""What a figure shows, in words, for readers who do not see it: read from its axes.

A notebook that can say it better passes its own sentence: `nb.show(fig, "fig06", alt="...")`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["description"]

_MOST = 4  # panels, or names of a legend, that are spelled out


def description(fig: Figure) -> str:
    """One or two sentences: what is drawn against what, in how many panels, for whom.

    >>> import matplotlib.pyplot as plt
    >>> fig, ax = plt.subplots()
    >>> lines = ax.plot([0, 1], [1, 0], label="agent a")
    >>> _ = ax.set(xlabel="difficulty $h$", ylabel=r"response $\\psi$", title="A curve")
    >>> description(fig)
    'A curve: lines of response ψ against difficulty h.'
    >>> plt.close(fig)
    """
    panels = [ax for ax in fig.axes if ax.get_visible() and ax.get_label() != "<colorbar>"]
    told = list(dict.fromkeys(filter(None, map(_panel, panels))))
    above = _words(fig.get_suptitle())
    start = f"{above}. " if above else ""
    start += f"{len(panels)} panels. " if len(panels) > 1 else ""
    more = f"; and {len(told) - _MOST} more" if len(told) > _MOST else ""
    return (start + "; ".join(told[:_MOST]) + more).strip().rstrip(".") + "."


def _panel(ax: Any) -> str:
    x, y, title = (_words(t) for t in (ax.get_xlabel(), ax.get_ylabel(), _title(ax)))
    what = _kind(ax)
    if x and y:
        what += f" of {y} against {x}"
    elif x or y:
        what += f" of {x or y}"
    names = _names(ax)
    if not (x or y) and not names:
        names = [_words(text.get_text()) for text in ax.texts]
    names = [name for name in dict.fromkeys(names) if re.search(r"\w\w", name)]
    if names:
        rest = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
        what += f", for {', '.join(names[:_MOST])}{rest}"
    return f"{title}: {what}" if title else what[:1].upper() + what[1:]


def _title(ax: Any) -> str:
    return next(filter(None, (ax.get_title(loc=where) for where in ("left", "center", "right"))), "")


def _kind(ax: Any) -> str:
    from matplotlib.collections import PathCollection, PolyCollection, QuadMesh
    from matplotlib.container import BarContainer

    if ax.images or any(isinstance(c, QuadMesh) for c in ax.collections):
        return "map"
    if any(isinstance(c, BarContainer) for c in ax.containers):
        return "bars"
    if any(isinstance(c, PathCollection) for c in ax.collections):
        return "points"
    if ax.lines or any(isinstance(c, PolyCollection) for c in ax.collections):
        return "lines"
    return "drawing"


def _names(ax: Any) -> list[str]:
    legend = ax.get_legend()
    return [_words(text.get_text()) for text in legend.get_texts()] if legend else []


def _words(text: str) -> str:
    """A label without its mathematics: `$\\psi(h)$` is ψ(h)."""
    text = re.sub(r"\\([A-Za-z]+)", _letter, text.replace("$", ""))
    return " ".join(re.sub(r"[{}\\]", "", text).split())


def _letter(command: re.Match[str]) -> str:
    size = "CAPITAL" if command[1][0].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {command[1].upper()}")
    except KeyError:
        return ""
