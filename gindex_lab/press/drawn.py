"""A figure as it is shown and saved: signed with its source, at the size at which it is read; and what it
shows, in words, for readers who do not see it (a notebook may say it better: `nb.show(..., alt="...")`)."""

from __future__ import annotations

import base64
import html
import io
import os
import re
import struct
import textwrap
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gindex_lab.foundation.output import write_bytes
from gindex_lab.foundation.places import OUTPUT
from gindex_lab.press.figures import PER_INCH, WIDE
from gindex_lab.press.kernel import in_notebook

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

__all__ = ["description", "save_figure", "show_png", "sign", "to_png", "width_on_page"]

_DPI = 200  # sharp in print: a judgement
_SIGNATURE = 7  # points, where the page does not shrink the figure
_MOST = 4  # panels, or names of a legend, that are spelled out


def save_figure(fig: Figure, crop: Bbox, png: bytes, path: Path) -> None:
    """SVG and PNG; no dates and no random ids, so that the same figure is the same file."""
    import matplotlib

    from gindex_lab import __version__

    metadata = {"Date": None, "Creator": f"gindex_lab {__version__}"}
    buffer = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": path.name}):
        fig.savefig(buffer, format="svg", bbox_inches=crop, metadata=metadata)
    write_bytes(Path(f"{path}.svg"), buffer.getvalue())
    write_bytes(Path(f"{path}.png"), png)


def sign(fig: Figure, line: str) -> Bbox:
    """Where the numbers come from, in small type below everything that is drawn.

    Returns the part of the paper that is drawn on, in inches: found once, since finding it takes as long
    as drawing, and each format would look for it again.
    """
    import matplotlib
    from matplotlib.transforms import Bbox

    fig.draw_without_rendering()
    fig.set_layout_engine(None)  # or the line would move the axes, and each format be drawn twice
    renderer = fig.canvas.get_renderer()  # type: ignore[attr-defined]
    drawn = fig.get_tightbbox(renderer)
    below = drawn.y0 / fig.get_figheight() - 0.02
    size = _SIGNATURE * max(drawn.width * PER_INCH / WIDE, 1)
    letters = max(int(72 * drawn.width / (0.62 * size)), 40)  # a letter takes 0.6 of its size
    text = textwrap.fill(line, letters)
    look: dict[str, Any] = {"fontsize": size, "color": "#707070", "va": "top", "ha": "left"}
    drawn_line = fig.text(0.01, below, text, **look)
    signed = drawn_line.get_window_extent(renderer).transformed(fig.dpi_scale_trans.inverted())
    return Bbox.union([drawn, signed]).padded(matplotlib.rcParams["savefig.pad_inches"])


def to_png(fig: Figure, crop: Bbox) -> bytes:
    buffer = io.BytesIO()
    fig.savefig(buffer, format="png", dpi=_DPI, bbox_inches=crop, metadata={"Software": None})
    return buffer.getvalue()


def show_png(png: bytes, alt: str) -> None:
    """At the size at which it is read: `PER_INCH` pixels of the page to an inch of the figure.

    JupyterLab and Voilà drop the text alternative of an image, but not that of markup.
    """
    if not in_notebook():
        return
    from IPython.display import HTML, Image, display

    shown: Any = Image(png, width=width_on_page(png), alt=alt)  # type: ignore[no-untyped-call]
    if not os.environ.get(OUTPUT):
        data = base64.b64encode(png).decode("ascii")
        about = f'alt="{html.escape(alt)}" width="{width_on_page(png)}"'
        markup = f'<img src="data:image/png;base64,{data}" {about}>'
        shown = HTML(markup)  # type: ignore[no-untyped-call]
    display(shown)  # type: ignore[no-untyped-call]


def width_on_page(png: bytes) -> int:
    return round(struct.unpack(">I", png[16:20])[0] * PER_INCH / _DPI)


# -- in words ----------------------------------------------------------------------------------------------


def description(fig: Figure) -> str:
    """One or two sentences: what is drawn against what, in how many panels, for whom."""
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
