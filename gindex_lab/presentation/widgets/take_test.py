"""Take a test yourself: letter series, mazes or Λ worlds, and your own characteristic curve.

A sitting is a plain function of the buttons pressed so far: `sitting(kind, presses, seed)` replays them. So a
sitting can be written down, repeated and tested, and its responses are a table as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import choice
from gindex_lab.measures.generality import characteristic_curve, generality
from gindex_lab.presentation.plots.common import heading, styled
from gindex_lab.presentation.plots.curves import plot_curve
from gindex_lab.presentation.widgets.curve import INDICATORS, indicator_numbers
from gindex_lab.presentation.widgets.live import Demo, Value, View, blank_figure

__all__ = ["KINDS", "Sitting", "sitting", "sitting_demo", "sitting_view"]

KINDS = ("letter series", "mazes", "Λ worlds")
_MOST_BUTTONS = 8
_EQUATIONS = (
    r"\psi(h) = \text{mean response at difficulty } h",
    r"\Psi = \int \psi(h)\,dh",
    r"S^2 = 2\int h\,\psi(h)\,dh - \Psi^2",
    r"\gamma = 1 - \frac{S^2}{\Psi\,(q - \Psi)}",
)


class Sitting:
    """Somebody at a test: what is asked now, which buttons there are, what each press does.

    >>> at = Sitting("Λ worlds", seed=1)
    >>> at.options
    ['0', '1', '2', 'skip']
    """

    def __init__(self, kind: str, seed: int = 1) -> None:
        self.kind = choice("kind", kind, KINDS)
        self.session = _MAKE[kind](seed)

    @property
    def options(self) -> list[str]:
        """The buttons that make sense now; none when the test is over."""
        return [] if self.session.finished else [*_OPTIONS[self.kind](self.session), "skip"]

    def press(self, option: str) -> None:
        """Press a button: an answer, a move, or `skip`."""
        if option not in self.options:
            remedy = "press one of " + ", ".join(self.options) if self.options else "start again"
            raise BadInput("press", option, "[not-now] is not available now", remedy)
        if option == "skip":
            self.session.skip()
        else:
            _PRESS[self.kind](self.session, option)

    def responses(self, agent: str = "you") -> Responses:
        """What was answered so far, one agent's row, with the items' difficulties."""
        return self.session.responses(agent)

    def draw(self, ax: Any) -> None:
        """The item to answer now."""
        title = f"Item {self.session.number + 1} of {len(self.session)}"
        _DRAW[self.kind](self.session, ax, title)


def sitting(kind: str, presses: str | Sequence[str] = (), seed: int = 1) -> Sitting:
    """A sitting after these presses, given as a list or joined by commas.

    >>> sitting("Λ worlds", "0,1,2").session.walk.step
    3
    """
    at = Sitting(kind, seed)
    for option in pressed(presses):
        at.press(option)
    return at


def pressed(presses: str | Sequence[str]) -> list[str]:
    if isinstance(presses, str):
        return [part.strip() for part in presses.split(",") if part.strip()]
    return list(presses)


@styled
def sitting_view(kind: str, presses: str | Sequence[str] = (), seed: int = 1) -> View:
    """The item to answer, or at the end your characteristic curve; with what is known of you so far.

    >>> view = sitting_view("Λ worlds", "skip,skip,skip,skip,skip")
    >>> view.numbers["items done"], view.note
    ('5 of 5', 'Done. ...')
    """
    at = sitting(kind, presses, seed)
    done, total = at.session.number, len(at.session)
    numbers: dict[str, Value] = {"items done": f"{done} of {total}"}
    measured = done and _difficulties(at.responses()) > 1
    figure = blank_figure(4.8, 4.0, left=0.13, top=0.86)  # fits a phone
    ax = figure.subplots()
    if done:
        numbers["mean response"] = float(at.responses().frame.to_numpy().mean())
    if measured:
        numbers |= indicator_numbers(generality(at.responses()).iloc[0])
    if at.session.finished and measured:
        _draw_result(ax, at.responses())
    else:
        at.draw(ax)
    text = ",".join(pressed(presses))
    code = f'gl.generality(gl.widgets.sitting({kind!r}, "{text}", seed={seed}).responses())'
    return View(figure, numbers, code, _reading(at), {"options": at.options}, _shown(at))


def _shown(at: Sitting) -> str:
    """The item in words, as far as words can give it away without solving it."""
    if at.session.finished:
        return "Your characteristic curve: the mean response at each difficulty."
    return _TELL[at.kind](at.session)


def _difficulties(responses: Responses) -> int:
    assert responses.difficulty is not None
    return int(responses.difficulty.nunique())


def _draw_result(ax: Any, responses: Responses) -> None:
    curve = characteristic_curve(responses, "you")
    found = generality(responses).iloc[0]
    rounded = {name: round(float(found[name]), 9) for name in INDICATORS.values()}
    plot_curve(curve, rounded, title="Your characteristic curve", ax=ax)


def _reading(at: Sitting) -> str:
    if not at.session.finished:
        return _ASK[at.kind]
    few = "A handful of items says little: an interval around these numbers would be wide."
    return f"Done. {few}"


# -- the three kinds -------------------------------------------------------------------------------------


@lru_cache(maxsize=8)  # each press plays the sitting again: the items stay
def _series(seed: int) -> list[Any]:
    from gindex_lab.worlds.tasks import letter_series

    return list(letter_series.generate(range(7, 13), 2, seed))


def _letters(seed: int) -> Any:
    from gindex_lab.worlds.tasks import letter_series

    return letter_series.Session(_series(seed))


def _mazes(seed: int) -> Any:
    from gindex_lab.worlds.tasks import mazes

    ranks = (4, 5, 6, 7, 8)
    return mazes.Session(mazes.battery(ranks=ranks, saturations=(0.3,), copies=1, seed=seed))


def _worlds(seed: int) -> Any:
    from gindex_lab.presentation.widgets.lambda_worlds import WorldSession, worlds

    return WorldSession(worlds(seed=seed), seed=seed)


def _maze_options(session: Any) -> list[str]:
    ahead = ["left", "right"] if session.steps() else []
    return [*ahead, *(["back"] if len(session.path) > 1 else []), "done"]


def _press_maze(session: Any, option: str) -> None:
    """Left and right go up one row; `back` takes a step back, `done` hands the path in."""
    if option == "done":
        session.answer()
        return
    row, column = session.path[-1]
    ways = {"left": (row + 1, column), "right": (row, column + 1)}
    session.click(session.path[-2] if option == "back" else ways[option])


def _draw_letters(session: Any, ax: Any, title: str) -> None:
    ax.text(0.5, 0.62, session.item.text, ha="center", fontsize=18, family="monospace")
    ax.text(0.5, 0.3, "Which letter belongs in the gap?", ha="center", fontsize=12, color="#555555")
    ax.set_axis_off()
    heading(ax, title, f"{session.item.kind}, difficulty {session.item.difficulty:g}")


def _draw_maze(session: Any, ax: Any, title: str) -> None:
    from gindex_lab.presentation.plots.agents import plot_maze

    plot_maze(session.item.rank, session.item.dots, session.path, title=title, ax=ax)


def _draw_world(session: Any, ax: Any, title: str) -> None:
    from gindex_lab.presentation.widgets.lambda_worlds import plot_world

    plot_world(session.walk, title=title, ax=ax)


def _tell_world(session: Any) -> str:
    from gindex_lab.presentation.widgets.lambda_worlds import world_in_words

    return world_in_words(session.walk)


_MAKE = dict(zip(KINDS, (_letters, _mazes, _worlds), strict=True))
_OPTIONS: dict[str, Any] = {
    "letter series": lambda session: list(session.item.options),
    "mazes": _maze_options,
    "Λ worlds": lambda session: [str(k) for k in range(session.item.actions)],
}
_PRESS: dict[str, Any] = {
    "letter series": lambda session, option: session.answer(option),
    "mazes": _press_maze,
    "Λ worlds": lambda session, option: session.act(int(option)),
}
_DRAW = dict(zip(KINDS, (_draw_letters, _draw_maze, _draw_world), strict=True))
_TELL: dict[str, Callable[[Any], str]] = {
    "letter series": lambda session: f"A series of letters: {session.item.text}.",
    "mazes": lambda session: (
        f"A maze of {session.item.rank} rows with dots at {session.item.dots}; "
        f"your path so far: {session.path}."
    ),
    "Λ worlds": _tell_world,
}
_ASK = {
    "letter series": "Find the rule of the series, and press the letter that belongs in the gap.",
    "mazes": "From the tip upwards, left or right at each crossing: meet as many dots as you can; then done.",
    "Λ worlds": "One of the marks pays +1 when you are with it, the other −1. Press an action, and find out.",
}


class SittingDemo(Demo):
    """A demo whose buttons change with the item."""

    def __init__(
        self,
        controls: dict[str, Any],
        buttons: list[Any],
        extra: list[Any],
        view: Callable[..., View] = sitting_view,
        equations: tuple[str, ...] = _EQUATIONS,
        name: str = "sitting",
    ) -> None:
        self.buttons = buttons
        super().__init__(view, controls, name=name, equations=equations, extra=extra)
        for button in buttons:
            button.on_click(lambda this: self.press(this.description))

    def press(self, option: str) -> None:
        """One more button."""
        before = self.controls["presses"].value
        self.controls["presses"].value = f"{before},{option}" if before else option

    def _display(self) -> None:
        super()._display()
        options = self.view.tables["options"]
        for k, button in enumerate(self.buttons):
            button.description = options[k] if k < len(options) else ""
            button.layout.display = None if k < len(options) else "none"


def sitting_demo() -> SittingDemo:
    """The demo: choose a test, press the answers, and see your own curve at the end.

    >>> demo = sitting_demo()
    >>> demo.set(kind="Λ worlds")
    >>> demo.press("0"); demo.press("1")
    >>> demo.view.numbers["items done"]
    '0 of 5'
    """
    import ipywidgets as widgets

    look: dict[str, Any] = {"layout": {"width": "320px"}}
    controls = {
        "kind": widgets.Dropdown(options=KINDS, description="test", **look),
        "seed": widgets.IntSlider(value=1, min=1, max=30, description="seed", **look),
        "presses": widgets.Text(value="", layout={"display": "none"}),
    }
    buttons = [widgets.Button(layout={"width": "auto"}) for _ in range(_MOST_BUTTONS)]
    again = widgets.Button(description="start again", layout={"width": "auto"})
    row = widgets.Box(buttons, layout={"flex_flow": "row wrap", "width": "330px"})
    demo = SittingDemo(controls, buttons, [row, again])
    again.on_click(lambda _: demo.set(presses=""))
    for name in ("kind", "seed"):
        controls[name].observe(lambda _: demo.set(presses=""), names="value")
    return demo
