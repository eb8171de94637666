"""Demos that run in the browser: sliders never wait for a kernel.

A `LiveDemo` describes its controls and equations; `presentation/web/demos.js` draws it, on a page of the site
and, through anywidget, in JupyterLab and Voilà. The Python view of the same name has the same numbers,
sentence and code line (a test compares them in a browser), and gives the still figure of a report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from gindex_lab.presentation.pages import formula
from gindex_lab.presentation.web import bundle, source
from gindex_lab.presentation.widgets.live import Shown, Value, View

__all__ = ["MODULES", "Control", "LiveDemo", "browser_widget"]

MODULES = ("measures.js", "draw.js", "demos.js")
_RENDER = """
export default { render({ model, el }) {
  const box = document.createElement("div");
  el.append(box);
  let saving = null;
  const changed = (values) => {
    model.set("values", values);
    clearTimeout(saving); // the kernel hears of it when the hand rests
    saving = setTimeout(() => model.save_changes(), 150);
  };
  const demo = mountDemo(box, model.get("spec"), { values: model.get("values"), changed });
  model.on("change:values", () => {
    const values = model.get("values");
    if (JSON.stringify(values) !== JSON.stringify(demo.values())) demo.set(values);
  });
} };
"""


@dataclass(frozen=True)
class Control:
    """A slider from `min` to `max`, or along `options`; a choice where the options are words."""

    label: str
    value: Value
    min: float = 0.0
    max: float = 1.0
    step: float = 0.05
    options: Sequence[Value] | None = None


class LiveDemo(Shown):
    """A view function, the controls of its parameters, and the widget that shows both.

    >>> from gindex_lab.presentation.widgets.guttman import guttman_view
    >>> controls = {"specialists": Control("specialists", 0.0)}
    >>> demo = LiveDemo(guttman_view, controls, name="guttman", title="A ladder")
    >>> demo.set(specialists=1.0)
    >>> demo.view.numbers["abstruse agents"]
    1
    """

    def __init__(
        self,
        view: Callable[..., View],
        controls: Mapping[str, Control],
        *,
        name: str,
        title: str,
        equations: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Value]] | None = None,
    ) -> None:
        self.function, self.controls = view, dict(controls)
        self.name, self.title, self.equations = name, title, equations
        self.presets = {} if presets is None else {k: dict(v) for k, v in presets.items()}
        self._values: dict[str, Any] = {key: c.value for key, c in self.controls.items()}
        self._widget: Any = None

    def values(self) -> dict[str, Any]:
        """What the controls say now, by parameter; after a move in the browser, what was moved there."""
        return dict(self._values)

    def set(self, **values: Any) -> None:
        """Move several controls at once; a value that cannot be drawn moves nothing."""
        self.check_names(values)
        moved = self._values | values
        self.function(**moved)
        self._values = moved
        if self._widget is not None:
            self._widget.values = moved

    @property
    def view(self) -> View:
        """The still figure, the numbers and the code line of the values as they are."""
        return self.function(**self._values)

    def spec(self) -> dict[str, Any]:
        """What the front end needs: controls, equations as MathML, and values to start from."""
        controls = [{"name": name} | asdict(control) for name, control in self.controls.items()]
        markup = [formula(text) for text in self.equations]
        return {
            "name": self.name, "title": self.title, "controls": controls, "equations": markup,
            "presets": self.presets,
        }  # fmt: skip

    @property
    def widget(self) -> Any:
        """The live demo for a notebook."""
        if self._widget is None:
            front = browser_widget(MODULES, "demos.css", _RENDER, "spec", "values")
            self._widget = front(spec=self.spec(), values=self.values())
            self._widget.observe(self._moved, names="values")
        return self._widget

    def _moved(self, change: Any) -> None:
        self._values = {name: change["new"].get(name, at) for name, at in self._values.items()}


@cache
def browser_widget(modules: tuple[str, ...], style: str, render: str, *traits: str) -> Any:
    """A class of widgets that these modules of `web` draw, with a dictionary for each of the traits.

    anywidget is imported where a notebook shows one, and nowhere else.
    """
    import anywidget
    import traitlets

    shared = {name: traitlets.Dict().tag(sync=True) for name in traits}
    code = {"_esm": bundle(*modules) + render, "_css": source(style)}
    return type("BrowserWidget", (anywidget.AnyWidget,), shared | code)
