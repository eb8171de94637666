"""What a demo shows for one setting of its controls: a figure, some numbers, and the line that computes them.

Every demo is a plain function from parameters to a `View`; the widgets of `live` only call it again when a
slider moves. So whatever a student sees on the screen can be computed, and is tested, without a browser.
"""

from __future__ import annotations

import html
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gindex_lab.presentation.plots.common import number_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Value", "View", "blank_figure", "code_html", "numbers_html", "text_of"]

Value = float | int | bool | str
_DPI = 110


@dataclass(frozen=True)
class View:
    """A figure, the numbers beside it, and an expression in `gl` (and `pd`) that gives the same numbers.

    `note` is one sentence that reads the result aloud.

    >>> view = View(blank_figure(2, 1), {"capability Ψ": 4.5}, "gl.generality(...)", "Half of it is solved.")
    >>> view.png()[:4], numbers_html(view.numbers).count("<tr>")
    (b'\\x89PNG', 1)
    """

    figure: Figure
    numbers: Mapping[str, Value]
    code: str
    note: str = ""
    tables: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def png(self, dpi: int = _DPI) -> bytes:
        """The figure as it stands, as PNG; the same view gives the same bytes."""
        buffer = io.BytesIO()
        self.figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
        return buffer.getvalue()


def blank_figure(width: float, height: float, **margins: float) -> Figure:
    """A figure that pyplot does not know: a demo draws hundreds, and none may stay open.

    The margins (`left`, `right`, `bottom`, `top`, `wspace`, as shares of the figure) stand still, so that
    nothing jumps when a slider moves, and no layout has to be solved.

    >>> blank_figure(4, 2, left=0.2).subplotpars.left
    0.2
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="none")  # type: ignore[arg-type]
    FigureCanvasAgg(figure)
    figure.subplots_adjust(**({"left": 0.08, "right": 0.985, "bottom": 0.13, "top": 0.9} | margins))
    return figure


def text_of(value: Value) -> str:
    """A number as it stands in a demo: words stay, whole numbers stay whole, others are rounded.

    >>> [text_of(v) for v in ("L1", 3, 0.51234, 2345.678, -1e-16, True)]
    ['L1', '3', '0.512', '2,345.7', '0.00', 'yes']
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (str, int)):
        return str(value)
    value = 0.0 if abs(value) < 1e-9 else value  # a rounding error is no number to show
    if abs(value) >= 1000 and value not in (float("inf"), float("-inf")):
        return f"{value:,.1f}".replace("-", "−")
    small = 0.001 <= abs(value) < 1
    return f"{value:.3f}".replace("-", "−") if small else number_text(value)


def numbers_html(numbers: Mapping[str, Value]) -> str:
    """Names and numbers as a small table; whatever they contain is escaped.

    >>> numbers_html({"<b>": 1})
    '<table class="gl-numbers" ...><tr><td...>&lt;b&gt;</td><td...>1</td></tr></table>'
    """
    left = '<td style="white-space:nowrap">'
    right = '<td style="text-align:right;padding-left:1.2em;font-weight:bold">'
    rows = [
        f"<tr>{left}{html.escape(name)}</td>{right}{html.escape(text_of(value))}</td></tr>"
        for name, value in numbers.items()
    ]
    return f'<table class="gl-numbers" style="line-height:1.5">{"".join(rows)}</table>'


def code_html(code: str) -> str:
    """The equivalent code as a block that can be selected and copied.

    >>> code_html("a < b")
    '<pre class="gl-code" ...>a &lt; b</pre>'
    """
    look = "margin:.3em 0;padding:.5em .8em;background:#f4f6f8;color:#222;white-space:pre-wrap"
    look += ";font-family:monospace;line-height:1.35"
    return f'<pre class="gl-code" style="{look}">{html.escape(code)}</pre>'
