"""Views made live: controls on the left, the figure on the right, the code below.

Every demo is a plain function from parameters to a `View`: a figure, some numbers, and the line that computes
them. So whatever a student sees can be computed, and is tested, without a browser. `Demo` is the only place
that knows ipywidgets: it calls the function whenever a control changes, shows what comes back, and shows an
error of ours as a sentence instead of a traceback. Where no one can move a slider (`gindex-lab reproduce`),
`show` displays and saves the same view as a still.
"""

from __future__ import annotations

import base64
import html
import io
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from gindex_lab.foundation.errors import GIndexLabError, ensure
from gindex_lab.foundation.places import OUTPUT
from gindex_lab.foundation.upstairs import upstairs
from gindex_lab.presentation.pages import formula
from gindex_lab.presentation.plots.common import number_text

__all__ = ["Demo", "PressDemo", "Value", "View", "blank_figure", "equation_html", "input_field"]
__all__ += ["numbers_html", "show_still", "text_of"]

Value = float | int | bool | str
# How figures look on the page: judgements, by looking at all demos on a laptop and on a phone.
_DPI = 110  # of the picture, so that it stays sharp at
_PER_INCH = 81  # pixels of the page to an inch of a figure
_LEGIBLE = 0.82  # of that; below it the words get too small
_WIDE = "680px"  # more would make the figures coarse


@dataclass(frozen=True)
class View:
    """A figure, the numbers beside it, and an expression in `gl` (and `pd`) that gives the same numbers.

    `note` is one sentence that reads the result aloud; `shows` says what is drawn.

    >>> view = View(blank_figure(2, 1), {"capability Ψ": 4.5}, "gl.generality(...)", "Half of it is solved.")
    >>> view.png()[:4], numbers_html(view.numbers).count("<tr>")
    (b'\\x89PNG', 1)
    """

    figure: Figure
    numbers: Mapping[str, Value]
    code: str
    note: str = ""
    tables: Mapping[str, Any] = field(default_factory=dict, repr=False)
    shows: str = ""

    @property
    def alt(self) -> str:
        """The figure in words: what is drawn, the numbers, and what they mean.

        >>> View(blank_figure(2, 1), {"capability Ψ": 4.5}, "", "Half of it is solved.", shows="A curve.").alt
        'A curve. capability Ψ 4.50. Half of it is solved.'
        """
        told = ", ".join(f"{name} {text_of(value)}" for name, value in self.numbers.items())
        return " ".join(part for part in (self.shows, f"{told}.", self.note) if part)

    def png(self, dpi: int = _DPI) -> bytes:
        """The current figure as PNG; the same view gives the same bytes."""
        buffer = io.BytesIO()
        self.figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
        return buffer.getvalue()


def blank_figure(width: float, height: float, **margins: float) -> Figure:
    """A figure that pyplot does not know: a demo draws hundreds, and none may stay open.

    The margins (`left`, `right`, `bottom`, `top`, `wspace`, as shares of the figure) stand still, so that
    nothing jumps when a slider moves, and no layout has to be solved.
    """
    figure = Figure(figsize=(width, height), layout="none")  # type: ignore[arg-type]
    FigureCanvasAgg(figure)
    figure.subplots_adjust(**({"left": 0.08, "right": 0.985, "bottom": 0.13, "top": 0.9} | margins))
    return figure


def text_of(value: Value) -> str:
    """A number as a demo shows it: words stay, whole numbers stay whole, others are rounded.

    >>> [text_of(v) for v in ("L1", 3, 0.51234, 2345.678, -1e-16, True)]
    ['L1', '3', '0.512', '2,345.7', '0.00', 'yes']
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (str, int)):
        return str(value)
    value = 0.0 if abs(value) < 1e-9 else value  # do not show a rounding error
    if abs(value) >= 1000 and value not in (float("inf"), float("-inf")):
        return f"{value:,.1f}".replace("-", "−")
    small = 0.001 <= abs(value) < 1
    return f"{value:.3f}".replace("-", "−") if small else number_text(value)


def numbers_html(numbers: Mapping[str, Value]) -> str:
    """Names and numbers as a small table; whatever they contain is escaped."""
    left = '<th scope="row" style="text-align:left;font-weight:normal;vertical-align:top">'
    right = '<td style="text-align:right;padding-left:1.2em;font-weight:bold;white-space:normal">'
    rows = [
        f"<tr>{left}{html.escape(name)}</th>{right}{html.escape(text_of(value))}</td></tr>"
        for name, value in numbers.items()
    ]
    return f'<table class="gl-numbers" style="line-height:1.5">{"".join(rows)}</table>'


def picture_html(view: View) -> str:
    """The figure with its text alternative, which ipywidgets' own image lacks.

    On a phone it can be moved sideways rather than be too small to read.
    """
    data = base64.b64encode(view.png()).decode("ascii")
    image = f'<img src="data:image/png;base64,{data}" alt="{html.escape(view.alt)}"'
    box = '<div role="group" aria-label="figure" tabindex="0" style="overflow-x:auto">'
    wide = _PER_INCH * view.figure.get_figwidth()
    look = f"width:100%;max-width:{wide:.0f}px;min-width:{_LEGIBLE * wide:.0f}px"
    return f'{box}{image} style="{look}"></div>'


def code_html(code: str) -> str:
    """The equivalent code as a block that can be selected and copied.

    >>> code_html("a < b")
    '<pre class="gl-code" ...>a &lt; b</pre>'
    """
    look = "margin:.3em 0;padding:.5em .8em;background:#f4f6f8;color:#222;white-space:pre-wrap"
    look += ";font-family:monospace;line-height:1.35;word-break:normal;overflow-wrap:break-word"
    return f'<pre class="gl-code" style="{look}">{html.escape(code)}</pre>'


def equation_html(equations: Sequence[str]) -> str:
    """Formulas in LaTeX as MathML, one beside the other: the browser draws them, nothing is fetched."""
    tall = '<math style="math-style:normal" '  # fractions and sums as in a displayed formula
    shown = [formula(text).replace("<math ", tall) for text in equations]
    parts = "".join(f"<span>{markup}</span>" for markup in shown)
    look = "display:flex;flex-wrap:wrap;align-items:center;gap:.4em 2.2em;padding:.2em 0 .7em"
    return f'<div class="gl-equation" style="{look};font-size:115%;line-height:2">{parts}</div>'


def problem_html(error: Exception) -> str:
    """What went wrong, in a red box.

    >>> from gindex_lab.foundation.errors import BadInput
    >>> problem_html(BadInput("step", 99, "is beyond the end", "use 3 or less"))
    '<div class="gl-problem" ...>step=99: is beyond the end; use 3 or less</div>'
    """
    look = "border-left:4px solid #B2182B;background:#fdf0ef;color:#222;padding:.4em .8em"
    return f'<div class="gl-problem" style="{look}">{html.escape(str(error))}</div>'


class Shown:
    """What every demo can do: refuse controls that it does not have, and show itself in a notebook."""

    controls: Mapping[str, Any]
    name: str
    equations: Sequence[str]
    view: Any
    widget: Any

    def check_names(self, names: Iterable[str]) -> None:
        """Refuse names that are not those of controls."""
        problem, remedy = "[not-a-control] is not a control of this demo", "use one of "
        for name in names:
            ensure(name in self.controls, "control", name, problem, remedy + ", ".join(self.controls))

    def show(self) -> None:
        """The live demo; in a pipeline run a still of it, which is saved as a figure of the notebook."""
        if os.environ.get(OUTPUT):
            show_still(self.view, self.name, self.equations)
        else:
            display(self.widget)


class Demo(Shown):
    """A view function with a control for each of its parameters.

    `controls` are ipywidgets by the name of the parameter they set; `extra` are widgets that stand below
    them (buttons that change the controls). `view` gets the controls' values.

    >>> from ipywidgets import IntSlider
    >>> from gindex_lab.presentation.widgets.live import View, blank_figure
    >>> def double(n): return View(blank_figure(2, 1), {"double": 2 * n}, f"2 * {n}")
    >>> demo = Demo(double, {"n": IntSlider(value=4)}, name="double")
    >>> demo.controls["n"].value = 21
    >>> demo.view.numbers
    {'double': 42}
    """

    def __init__(
        self,
        view: Callable[..., View],
        controls: Mapping[str, Any],
        *,
        name: str,
        equations: Sequence[str] = (),
        extra: Sequence[Any] = (),
        rows: bool = False,
    ) -> None:
        import ipywidgets as widgets

        self.function, self.controls, self.name = view, dict(controls), name
        self.equations = equations
        self.picture, self.numbers, self.code, self.note, self.problem = (widgets.HTML() for _ in range(5))
        self.picture.add_class("gl-picture")
        self.held = False
        self.view = self._compute()
        for control in self.controls.values():
            control.observe(self._changed, names="value")
        self.widget = self._arrange(widgets, list(self.controls.values()), list(extra), rows)
        self._display()

    def _arrange(self, widgets: Any, controls: list[Any], extra: list[Any], rows: bool) -> Any:
        """Side by side where there is room, one below the other where there is not."""
        sliders = widgets.HBox(controls) if rows else widgets.VBox(controls)
        side = {"flex": "0 0 auto", "width": "auto" if rows else "345px", "max_width": "100%"}
        side |= {"margin": "0 12px 0 0"}
        left = widgets.VBox([sliders, *extra, self.numbers], layout=side)
        rest = {"flex": "1 1 600px", "max_width": _WIDE}  # below 600 the figure's words get too small
        right = widgets.VBox([self.picture, self.note], layout=rest)
        both = widgets.Box([left, right], layout={"flex_flow": "row wrap"})
        top = widgets.HTML(equation_html(self.equations)) if self.equations else None
        below = [both, self.problem, widgets.HTML("The same in code:"), self.code]
        return widgets.VBox([top, *below] if top is not None else below)

    def values(self) -> dict[str, Any]:
        """What the controls say now, by parameter."""
        return {name: control.value for name, control in self.controls.items()}

    def set(self, **values: Any) -> None:
        """Move several controls at once, and draw once."""
        self.check_names(values)
        self.held = True
        try:
            for name, value in values.items():
                self.controls[name].value = value
        finally:
            self.held = False
        self._changed()

    def _compute(self) -> View:
        return self.function(**self.values())

    def _changed(self, _: object = None) -> None:
        """Draw again; what cannot be drawn is explained in a sentence, and the last picture stays."""
        if self.held:
            return
        try:
            self.view = self._compute()
        except GIndexLabError as error:
            self.problem.value = problem_html(error)
            return
        self._display()

    def _display(self) -> None:
        self.problem.value = ""
        self.picture.value = picture_html(self.view)
        self.numbers.value = numbers_html(self.view.numbers)
        self.code.value = code_html(self.view.code)
        spoken = '<div role="status" style="line-height:1.4">'
        self.note.value = f"{spoken}{html.escape(self.view.note)}</div>"


def input_field(kind: str, name: str, **given: Any) -> Any:
    """An ipywidget of this kind for a control, in the width that all have.

    >>> input_field("IntSlider", "seed", min=1, max=30).description
    'seed'
    """
    import ipywidgets as widgets

    look = {"layout": {"width": "320px"}, "style": {"description_width": "70px"}}
    return getattr(widgets, kind)(description=name, **look | given)


class PressDemo(Demo):
    """A demo that is played by buttons: each press is added to the text of the control called `presses`.

    The view lists the buttons that make sense now in its table "options" (`key`, or `key: what it does`).
    Another choice of any other control starts again.
    """

    def __init__(
        self,
        view: Callable[..., View],
        controls: Mapping[str, Any],
        *,
        presses: str,
        most: int,
        joint: str = ",",
        **given: Any,
    ) -> None:
        import ipywidgets as widgets

        self.presses, self.joint = presses, joint
        self.buttons = [widgets.Button(layout={"width": "auto"}) for _ in range(most)]
        again = widgets.Button(description="start again", layout={"width": "auto"})
        row = widgets.Box(self.buttons, layout={"flex_flow": "row wrap", "width": "330px"})
        super().__init__(view, controls, extra=[row, again], **given)
        again.on_click(self._start)
        for button in self.buttons:
            button.on_click(lambda this: self.press(this.description.partition(":")[0]))
        for name, control in self.controls.items():
            if name != presses:
                control.observe(self._start, names="value")

    def _start(self, _: object) -> None:
        self.set(**{self.presses: ""})

    def press(self, key: str) -> None:
        """One more press; one that cannot be played is reported and forgotten."""
        control = self.controls[self.presses]
        before = control.value
        control.value = f"{before}{self.joint}{key}" if before else key
        told = self.problem.value
        if told:
            self.set(**{self.presses: before})
            self.problem.value = told

    def _display(self) -> None:
        super()._display()
        options = self.view.tables["options"]
        for k, button in enumerate(self.buttons):
            button.description = options[k] if k < len(options) else ""
            button.layout.display = None if k < len(options) else "none"


def show_still(view: View, name: str, equations: Sequence[str]) -> None:
    """A view in a notebook's page: its figure is saved under `name`."""
    from IPython.display import HTML

    display(HTML(equation_html(equations) + numbers_html(view.numbers)))  # type: ignore[no-untyped-call]
    upstairs("show")(view.figure, name, alt=view.alt)
    display(HTML(code_html(view.code) + html.escape(view.note)))  # type: ignore[no-untyped-call]


def display(what: Any) -> None:
    """IPython's display, imported when it is used."""
    from IPython.display import display as show

    show(what)  # type: ignore[no-untyped-call]
