"""One environment of the AIQ test, one instruction at a time.

The machine is the readable one of `gl.aiq.trace`: what the program is about to do, the tape around the head,
and the reward and observation that it has written so far (Vadinský 2018, section 1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import seaborn as sns
from matplotlib.patches import Rectangle

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import integer
from gindex_lab.presentation.plots import common
from gindex_lab.presentation.widgets.live import Demo, View, blank_figure, input_field
from gindex_lab.worlds.aiq.explain import explain
from gindex_lab.worlds.aiq.machine import trace

__all__ = ["PROGRAMS", "actions_of", "stepper_demo", "stepper_view"]

PROGRAMS = (",+.#", ".,#", ",[>++<[+]]>.#", ",-.,+.#", "%.,.#", "+[,.>]%.<#")
_EQUATIONS = (
    r"\hat\Upsilon(\pi) = \frac{1}{N}\sum_i \hat V(\pi, p_i)",
    r"\text{reward} = 100\,\frac{o - 2}{2}",
)
_MEANING = {
    "+": "add one to the cell",
    "-": "take one from the cell",
    ">": "move the head right",
    "<": "move the head left",
    ",": "read an action into the cell",
    ".": "write the cell to the output",
    "%": "put a random symbol into the cell",
    "[": "if the cell is blank (2), jump behind ]",
    "]": "unless the cell is blank (2), jump behind [",
    "#": "end of the cycle",
}


def actions_of(text: str, symbols: int = 5) -> list[int]:
    """Actions as they are typed: digits, with or without commas and spaces."""
    if not isinstance(text, str) or not text.strip(" ,"):
        problem = "[empty] contains no action"
        raise BadInput("actions", text, problem, f"type digits from 0 to {symbols - 1}")
    allowed = "0123456789"[:symbols]
    for sign in text:
        if sign not in allowed and sign not in " ,":
            problem = "[not-an-action] is not an action"
            raise BadInput("actions", sign, problem, f"type digits from 0 to {symbols - 1}")
    return [int(sign) for sign in text if sign in allowed]


@common.styled
def stepper_view(program: str, actions: str | Sequence[int], step: int = 1, seed: int = 0) -> View:
    """The machine after `step` instructions of an episode with these actions.

    >>> view = stepper_view(",+.#", "3", step=3)
    >>> view.numbers["instruction"], view.numbers["reward so far"]
    ('‘.’ write the cell to the output', 100.0)
    """
    moves = actions_of(actions) if isinstance(actions, str) else list(actions)
    table = trace(program, moves, seed=seed)
    at = min(integer("step", step), len(table)) - 1
    row = table.iloc[at]
    reward, observation = row["output"]
    numbers = {
        "step": f"{at + 1} of {len(table)}",
        "cycle": int(row["cycle"]),
        "action of this cycle": int(row["action"]),
        "instruction": f"‘{row['instruction']}’ {_MEANING[row['instruction']]}",
        "cell under the head": int(row["cell"]),
        "reward so far": 100 * (reward - 2) / 2,
        "observation so far": int(observation),
    }
    figure = blank_figure(8.4, 3.2, left=0.03, right=0.97, top=0.88, bottom=0.16, hspace=0.75)
    top, bottom = figure.subplots(2, 1, height_ratios=[1, 1.2])
    _draw_program(top, program, int(row["place"]))
    _draw_tape(bottom, row["tape"], int(row["head"]))
    code = f"gl.aiq.trace({program!r}, {moves}, seed={seed}).iloc[{at}]"
    held = ", ".join(f"cell {cell} holds {value}" for cell, value in row["tape"].items())
    shows = f"The program {program} with its sign {row['place'] + 1} framed, above the work tape: {held}."
    meaning = explain(program).replace("\n", " ")
    return View(figure, numbers, code, meaning, {"trace": table}, shows)


def _draw_program(ax: Any, program: str, place: int) -> None:
    """The text with the present instruction framed; a long one shows the part around it."""
    first = max(0, min(place - 15, len(program) - 30))
    part = program[first : first + 30]
    look: dict[str, Any] = {"family": "monospace", "fontsize": 16, "ha": "center", "va": "center"}
    for k, sign in enumerate(part, first):
        here = {"facecolor": "#fdf7ea", "edgecolor": common.ORANGE}
        plain = {"facecolor": "white", "edgecolor": "none"}
        ax.text(k - first, 0.5, sign, bbox=here if k == place else plain, **look)
    ax.set(xlim=(-1, max(len(part), 16)), ylim=(0, 1))
    ax.set_axis_off()
    ax.set_title("The program, and the instruction just done")


def _draw_tape(ax: Any, tape: Mapping[int, int], head: int, symbols: int = 5, around: int = 8) -> None:
    """The cells around the head, the symbol in each; cells that were never touched are pale."""
    places = range(head - around, head + around + 1)
    cells = np.array([[tape.get(place, symbols // 2) for place in places]])
    shade = np.where([place in tape for place in places], cells + 1, 0)
    look: dict[str, Any] = {"cmap": ["#F4F6F8", *sns.color_palette("viridis", symbols)], "cbar": False}
    look |= {"vmin": 0, "vmax": symbols, "linewidths": 0.8, "linecolor": common.PALE}
    named = [str(place).replace("-", "−") for place in places]
    sns.heatmap(shade, annot=cells, xticklabels=named, yticklabels=False, ax=ax, **look)
    frame: dict[str, Any] = {"fill": False, "edgecolor": common.ORANGE, "lw": 2.2, "clip_on": False}
    ax.add_patch(Rectangle((around, 0), 1, 1, **frame))
    arrow = {"arrowprops": {"arrowstyle": "-|>"}, "ha": "center", "fontsize": 8}
    ax.annotate("head", (around + 0.5, -0.02), (around + 0.5, -0.42), annotation_clip=False, **arrow)
    ax.tick_params(length=0, rotation=0)
    ax.set(xlabel="cell of the work tape", title="The work tape after it")


def stepper_demo() -> Demo:
    """The demo: a program, the actions, and a slider (with a play button) for the step.

    >>> demo = stepper_demo()
    >>> demo.set(step=3)
    >>> demo.view.numbers["cycle"]
    1
    """
    import ipywidgets as widgets

    typed = {"continuous_update": False}
    controls = {
        "program": input_field("Combobox", "program", value=PROGRAMS[2], options=PROGRAMS, **typed),
        "actions": input_field("Text", "actions", value="424", **typed),
        "step": input_field("IntSlider", "step", value=1, min=1, max=60),
    }
    play = widgets.Play(min=1, max=60, interval=700)
    widgets.jslink((play, "value"), (controls["step"], "value"))
    demo = Demo(stepper_view, controls, name="stepper", equations=_EQUATIONS, extra=[play])

    def resize(_: object) -> None:
        controls["step"].max = play.max = len(demo.view.tables["trace"])

    for name in ("program", "actions"):
        controls[name].observe(resize, names="value")
    resize(None)
    return demo
