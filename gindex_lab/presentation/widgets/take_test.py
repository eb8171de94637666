"""Take a test yourself: letter series, mazes or Λ worlds, and your own characteristic curve.

A sitting is a plain function of the buttons pressed so far: `sitting(kind, presses, seed)` replays them. So a
sitting can be written down, repeated and tested, and its responses are a table as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import choice
from gindex_lab.measures.generality import characteristic_curve, generality
from gindex_lab.presentation.plots.agents import plot_maze
from gindex_lab.presentation.plots.common import heading, styled
from gindex_lab.presentation.plots.curves import plot_curve
from gindex_lab.presentation.widgets.curve import INDICATORS, indicator_numbers
from gindex_lab.presentation.widgets.lambda_worlds import WorldSession, plot_world, world_in_words, worlds
from gindex_lab.presentation.widgets.live import PressDemo, Value, View, blank_figure, input_field
from gindex_lab.worlds.tasks import letter_series, mazes

__all__ = ["KINDS", "Sitting", "sitting", "sitting_demo", "sitting_view"]

_MOST_BUTTONS = 8  # at most six are used: five letters and skip
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
        self.of = _KINDS[kind]
        self.session = self.of.make(seed)

    @property
    def options(self) -> list[str]:
        """The buttons that make sense now; none when the test is over."""
        return [] if self.session.finished else [*self.of.options(self.session), "skip"]

    def press(self, option: str) -> None:
        """Press a button: an answer, a move, or `skip`."""
        if option not in self.options:
            remedy = "press one of " + ", ".join(self.options) if self.options else "start again"
            raise BadInput("press", option, "[not-now] is not available now", remedy)
        if option == "skip":
            self.session.skip()
        else:
            self.of.press(self.session, option)

    def responses(self, agent: str = "you") -> Responses:
        """What was answered so far, one agent's row, with the items' difficulties."""
        return self.session.responses(agent)

    def draw(self, ax: Any) -> None:
        """The item to answer now."""
        title = f"Item {self.session.number + 1} of {len(self.session)}"
        self.of.draw(self.session, ax, title)


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
    if at.session.finished:
        note = "Done. A handful of items says little: an interval around these numbers would be wide."
        shows = "Your characteristic curve: the mean response at each difficulty."
    else:  # the item in words, as far as words can give it away without solving it
        note, shows = at.of.ask, at.of.tell(at.session)
    return View(figure, numbers, code, note, {"options": at.options}, shows)


def _difficulties(responses: Responses) -> int:
    assert responses.difficulty is not None
    return int(responses.difficulty.nunique())


def _draw_result(ax: Any, responses: Responses) -> None:
    curve = characteristic_curve(responses, "you")
    found = generality(responses).iloc[0]
    rounded = {name: round(float(found[name]), 9) for name in INDICATORS.values()}
    plot_curve(curve, rounded, title="Your characteristic curve", ax=ax)


# -- the three kinds -------------------------------------------------------------------------------------


@lru_cache(maxsize=8)  # each press plays the sitting again: the items stay
def _series(seed: int) -> list[Any]:
    return list(letter_series.generate(range(7, 13), 2, seed))


def _mazes(seed: int) -> Any:
    return mazes.Session(mazes.battery(ranks=(4, 5, 6, 7, 8), saturations=(0.3,), copies=1, seed=seed))


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
    plot_maze(session.item.rank, session.item.dots, session.path, title=title, ax=ax)


def _tell_maze(session: Any) -> str:
    dots, path = session.item.dots, session.path
    return f"A maze of {session.item.rank} rows with dots at {dots}; your path so far: {path}."


class _Kind(NamedTuple):
    """How a test is made from a seed, which buttons it has, and how an item is pressed, drawn and told."""

    make: Callable[[int], Any]
    options: Callable[[Any], list[str]]
    press: Callable[[Any, str], object]
    draw: Callable[[Any, Any, str], object]
    tell: Callable[[Any], str]
    ask: str


_KINDS = {
    "letter series": _Kind(
        make=lambda seed: letter_series.Session(_series(seed)),
        options=lambda session: list(session.item.options),
        press=lambda session, option: session.answer(option),
        draw=_draw_letters,
        tell=lambda session: f"A series of letters: {session.item.text}.",
        ask="Find the rule of the series, and press the letter that belongs in the gap.",
    ),
    "mazes": _Kind(
        make=_mazes,
        options=_maze_options,
        press=_press_maze,
        draw=_draw_maze,
        tell=_tell_maze,
        ask="From the tip upwards, left or right at each crossing: meet as many dots as you can; then done.",
    ),
    "Λ worlds": _Kind(
        make=lambda seed: WorldSession(worlds(seed=seed), seed=seed),
        options=lambda session: [str(k) for k in range(session.item.actions)],
        press=lambda session, option: session.act(int(option)),
        draw=lambda session, ax, title: plot_world(session.walk, title=title, ax=ax),
        tell=lambda session: world_in_words(session.walk),
        ask="One of the marks pays +1 when you are with it, the other −1. Press an action, and find out.",
    ),
}
KINDS = tuple(_KINDS)


def sitting_demo() -> PressDemo:
    """The demo: choose a test, press the answers, and see your own curve at the end.

    >>> demo = sitting_demo()
    >>> demo.set(kind="Λ worlds")
    >>> demo.press("0"); demo.press("1")
    >>> demo.view.numbers["items done"]
    '0 of 5'
    """
    controls = {
        "kind": input_field("Dropdown", "test", options=KINDS),
        "seed": input_field("IntSlider", "seed", value=1, min=1, max=30),
        "presses": input_field("Text", "", layout={"display": "none"}),
    }
    how: dict[str, Any] = {"presses": "presses", "most": _MOST_BUTTONS}
    return PressDemo(sitting_view, controls, name="sitting", equations=_EQUATIONS, **how)
