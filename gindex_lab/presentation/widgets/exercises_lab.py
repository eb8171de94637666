"""Exercises in JupyterLab and Voilà: the same `web/exercises.js`, and results that wait for an answer.

`exercise(name)` shows one; what is displayed inside `with after(name):` stays hidden until that exercise was
predicted, answered or given up. Progress is kept by the reader's browser, so that a class on one server does
not share it, and no file is written. In a pipeline run both show everything, the solution folded away.
"""

from __future__ import annotations

import base64
import html
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gindex_lab.foundation.places import OUTPUT
from gindex_lab.presentation.pages import with_code
from gindex_lab.presentation.widgets.exercises import known
from gindex_lab.presentation.widgets.exercises_page import exercise_task
from gindex_lab.presentation.widgets.front import browser_widget

__all__ = ["after", "exercise"]

_RENDER = """
export default {
  render({ model, el }) {
    const onchange = (name, state) => {
      model.set("state", state);
      model.save_changes();
    };
    mountExercises(el, [model.get("task")], { progress: false, onchange });
  },
};
"""
_shown: dict[str, Any] = {}  # the box of each exercise in this kernel


def exercise(name: str) -> None:
    """The question, a field for the answer, hints and, once answered, the solution.

    >>> exercise("g-wait")
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: name='g-wait': is not an exercise; use one of curve-shape, ...
    """
    known(name)
    from IPython.display import HTML, display

    if os.environ.get(OUTPUT):
        display(HTML(still(name)))  # type: ignore[no-untyped-call]
        return
    _shown[name] = _box()(task=exercise_task(name))
    display(_shown[name])  # type: ignore[no-untyped-call]


def _box() -> Any:
    return browser_widget(("exercises.js",), "exercises.css", _RENDER, "task", "state")


def still(name: str) -> str:
    """An exercise on a page that nobody can answer: its solution is folded away."""
    task = known(name)
    choices = f"<p>{html.escape(', '.join(task.words))}</p>" if task.words else ""
    return (
        f"<div class='gl-exercise'><p>{with_code(task.question)}</p>{choices}"
        f"<details><summary>Solution</summary><p>{with_code(task.explained())}</p></details>"
        f"<p><small>Check: <code>widgets.check({html.escape(repr(name))}, ...)</code></small></p></div>"
    )


@contextmanager
def after(name: str) -> Iterator[None]:
    """Keep back what is displayed here until the exercise of that name lets it be seen.

    >>> with after("curve-shape"):  # no exercise is shown: nothing is kept back
    ...     print("A result.")
    A result.
    """
    known(name)
    box = _shown.get(name)
    if box is None or os.environ.get(OUTPUT):
        yield
        return
    from IPython.display import display
    from IPython.utils.capture import capture_output

    with capture_output(stdout=False, stderr=False) as caught:
        yield
    display(_gate(box, [_output(one) for one in caught.outputs]))  # type: ignore[no-untyped-call]


def _gate(box: Any, outputs: list[dict[str, Any]]) -> Any:
    """A box with a note, in which the outputs appear as soon as the state of the exercise says `open`."""
    import ipywidgets as widgets

    said = "<p class='gx-waiting'>Predict or answer the exercise above first: then this opens.</p>"
    note, place = widgets.HTML(said), widgets.Output()

    def look(_: object = None) -> None:
        opened = bool(box.state.get("open"))
        note.layout.display = "none" if opened else ""
        place.outputs = tuple(outputs) if opened else ()

    box.observe(look, names="state")
    look()
    return widgets.VBox([note, place])


def _output(rich: Any) -> dict[str, Any]:
    data = {
        kind: base64.b64encode(value).decode() if isinstance(value, bytes) else value
        for kind, value in rich.data.items()
    }
    return {"output_type": "display_data", "data": data, "metadata": rich.metadata or {}}
