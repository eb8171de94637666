"""An adaptive test that you take yourself: letter series, and the interval of your capability as it closes.

As in `take_test`, a sitting is a plain function of the buttons pressed so far: `adaptive_sitting(presses,
seed)` replays them, so that it can be written down, repeated and tested.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.measures.adaptive.bank import Bank
from gindex_lab.measures.adaptive.session import AdaptiveSession
from gindex_lab.presentation.plots.common import heading, styled
from gindex_lab.presentation.plots.population import plot_course
from gindex_lab.presentation.widgets.live import PressDemo, Value, View, blank_figure, input_field
from gindex_lab.presentation.widgets.take_test import pressed
from gindex_lab.worlds.tasks import letter_series

__all__ = ["adaptive_demo", "adaptive_sitting", "adaptive_view"]

_OPTIONS = 5  # letters to choose from, as worlds/tasks/letter_series offers: chance is 1/5
_LEVELS = range(7, 13)  # of difficulty; eight series of 13 take longer to find than all others together
_WIDTH = 2.0  # of an interval of five difficulties
_EQUATIONS = (
    r"X = \sum_{asked} w r + \sum_{rest} w p + w_I (r_I - p_I)/\pi_I",
    r"\Pr\{\prod (1 + \lambda (X - \Psi)) \ge 1/\alpha \text{ ever}\} \le \alpha",
)


@lru_cache(maxsize=8)  # each press plays the sitting again: the items stay
def _bank(seed: int) -> tuple[Bank, dict[str, Any]]:
    items = {item.name: item for item in letter_series.generate(_LEVELS, 8, seed)}
    about = {"difficulty": [item.difficulty for item in items.values()], "floor": 1 / _OPTIONS}
    return Bank(pd.DataFrame(about, index=list(items))), items


def adaptive_sitting(presses: str | Sequence[str] = (), seed: int = 1) -> AdaptiveSession:
    """The session after these presses (letters, or `skip`, which counts as a wrong answer).

    >>> len(adaptive_sitting("skip,skip").table)
    2
    """
    bank, items = _bank(seed)
    session = AdaptiveSession(bank, width=_WIDTH, seed=seed)
    for press in pressed(presses):
        if session.finished:
            raise BadInput("press", press, "is not a button now", "start again")
        item = items[session.next_item()]
        if press not in (*item.options, "skip"):
            remedy = f"press one of {', '.join(item.options)}, skip"
            raise BadInput("press", press, "is not a button now", remedy)
        session.record(float(press == item.answer))
    return session


@styled
def adaptive_view(presses: str | Sequence[str] = (), seed: int = 1) -> View:
    """The item that the test wants to know now, and your interval so far.

    >>> view = adaptive_view("skip,skip,skip")
    >>> view.numbers["items asked"], len(view.tables["options"])
    (3, 6)
    """
    session, items = adaptive_sitting(presses, seed), _bank(seed)[1]
    course = session.table
    figure = blank_figure(8.4, 4.0, top=0.86)
    left, right = figure.subplots(1, 2, width_ratios=[1.1, 1])
    left.set_axis_off()
    options: list[str] = []
    if session.finished:
        heading(left, "Done", session.reason)
    else:
        item = items[session.next_item()]
        options = [*item.options, "skip"]
        left.text(0.5, 0.55, item.text, ha="center", fontsize=17, family="monospace")
        heading(left, f"Item {len(course) + 1}", f"difficulty {item.difficulty:g}")
    if len(course):
        plot_course({"you": course}, ax=right)
    low, high = session.bank.span
    if len(course):  # guessing is taken off, so that limits may lie below the easiest item
        low, high = min(low, course["low"].min()), max(high, course["high"].max())
    right.set(ylim=(low, high), ylabel="capability Ψ")
    if not len(course):  # an axis to show where the interval will be, and no numbers along the items
        right.set(xticks=[], xlabel="items asked")
        right.axhspan(low, high, color="#EEF1F4")
        told = "Before the first answer your\ncapability may lie anywhere"
        right.text(0.5, 0.5, told, ha="center", va="center", transform=right.transAxes)
    numbers: dict[str, Value] = {"items asked": len(course)}
    if len(course):
        numbers |= {"capability": session.value, "low": session.low, "high": session.high}
    code = f'gl.widgets.adaptive_sitting("{",".join(pressed(presses))}", seed={seed}).table'
    note = (
        f"The interval is {_WIDTH:g} difficulties wide: that is enough, and the test stops."
        if session.finished
        else "Find the rule of the series, and press the letter that belongs in the gap. Stop when you like."
    )
    asked = "Done" if session.finished else f"A series of letters: {item.text}"
    shows = f"{asked}; beside it the interval of your capability after each item."
    return View(figure, numbers, code, note, {"options": options}, shows)


def adaptive_demo() -> PressDemo:
    """The demo: answer letter series, and watch the interval close.

    >>> demo = adaptive_demo()
    >>> demo.press("skip")
    >>> demo.view.numbers["items asked"]
    1
    """
    controls = {
        "seed": input_field("IntSlider", "seed", value=1, min=1, max=30),
        "presses": input_field("Text", "", layout={"display": "none"}),
    }
    how: dict[str, Any] = {"presses": "presses", "most": _OPTIONS + 1}
    return PressDemo(adaptive_view, controls, name="adaptive", equations=_EQUATIONS, **how)
