"""The anytime test live: stop it when you like, and see what it says by then.

The test starts with simple environments and short times; after each success the environments get more complex
and the times longer. Whenever it is stopped it has an estimate, which gets better with time
(Hernández-Orallo and Dowe 2010, definition 18). Time here is counted, not waited for: an action costs τ0.
"""

from __future__ import annotations

from typing import Any

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import choice, number
from gindex_lab.presentation.plots import common
from gindex_lab.presentation.widgets.live import Demo, Value, View, blank_figure, input_field
from gindex_lab.worlds.anytime import running

__all__ = ["TESTED", "anytime_demo", "anytime_view"]

TESTED = ("random", "constant", "reactive", "q-learning", "follower", "oracle", "optimal")
_TAU = 0.001  # seconds for an action at first, as in notebooks/anytime/the_test
_EQUATIONS = (
    r"\Upsilon = \frac{1}{n}\sum_{j=1}^{n} R_j",
    r"\xi \leftarrow \xi + \xi R / 2",
    r"\tau \leftarrow \tau + \tau / 2",
)


@common.styled
def anytime_view(agent: str, rival: str = "random", seconds: float = 5.0, seed: int = 1) -> View:
    """Two agents in the same test, stopped after `seconds`: their estimates as they grew.

    >>> view = anytime_view("oracle", "random", seconds=2)
    >>> view.numbers["estimate of oracle"] > view.numbers["estimate of random"]
    True
    """
    for name, value in (("agent", agent), ("rival", rival)):
        choice(name, value, TESTED)
    if agent == rival:
        raise BadInput("rival", rival, "[same-agent] is the agent itself", "choose two different agents")
    number("seconds", seconds, 0.01, 1000)
    results = {name: running.test(name, seconds=seconds, tau0=_TAU, seed=seed) for name in (agent, rival)}
    figure = blank_figure(8.4, 3.7, left=0.095, wspace=0.24)
    left, right = figure.subplots(1, 2)
    for name, result in results.items():
        course, look = result.trajectory, {"color": common.colours_of([agent, rival])[name], "label": name}
        left.plot(course["elapsed"], course["score"], marker="o", ms=3, **look)
        right.step(course.index, course["xi"], where="post", **look)
    left.axhline(0, color=common.GREY, lw=0.8)
    left.set(xscale="log", ylim=(-1.05, 1.05), xlabel="time used (s, counted)", ylabel="estimate Υ")
    left.set_title("What it says, whenever it is stopped")
    right.set(xlabel="environment", ylabel="complexity ξ", title="How hard it has become")
    right.xaxis.get_major_locator().set_params(integer=True)
    right.legend(loc="upper left")
    numbers: dict[str, Value] = {}
    for name, result in results.items():
        numbers[f"estimate of {name}"] = float(result.value)
        numbers[f"environments of {name}"] = len(result.trajectory)
        numbers[f"complexity ξ reached by {name}"] = float(result.trajectory["xi"].iloc[-1])
    code = f"gl.anytime.test({agent!r}, seconds={seconds:g}, tau0={_TAU}, seed={seed})"
    tables = {name: result.trajectory for name, result in results.items()}
    shows = "Two panels: the estimates of both agents over time, and the complexity that each has reached."
    return View(figure, numbers, code, _reading(agent, rival, numbers), tables, shows)


def _reading(agent: str, rival: str, numbers: dict[str, Value]) -> str:
    mine, other = numbers[f"estimate of {agent}"], numbers[f"estimate of {rival}"]
    assert isinstance(mine, float)
    assert isinstance(other, float)
    first, second = (agent, rival) if mine >= other else (rival, agent)
    values = f"{max(mine, other):.2f} against {min(mine, other):.2f}"
    return f"By now the test puts {first} above {second} ({values})."


def anytime_demo() -> Demo:
    """The demo: two agents, and when to stop.

    >>> anytime_demo().controls["agent"].value
    'q-learning'
    """
    scale = {"min": -1.5, "max": 2, "step": 0.05, "readout_format": ".2g"}
    controls = {
        "seconds": input_field("FloatLogSlider", "stop after", value=2, **scale),
        "agent": input_field("Dropdown", "agent", value="q-learning", options=TESTED),
        "rival": input_field("Dropdown", "rival", value="random", options=TESTED),
        "seed": input_field("IntSlider", "seed", value=1, min=1, max=30),
    }

    def view(seconds: float, **given: Any) -> View:
        return anytime_view(seconds=float(f"{seconds:.2g}"), **given)  # as the slider shows it

    return Demo(view, controls, name="anytime", equations=_EQUATIONS)
