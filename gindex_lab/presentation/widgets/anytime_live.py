"""The anytime test live: stop it when you like, and see what it says by then.

The test starts with simple environments and short times; after each success the environments get more complex
and the times longer. Whenever it is stopped it has an estimate, which gets better with time
(Hernández-Orallo and Dowe 2010, definition 18). Time here is counted, not waited for: an action costs τ0.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import choice, number
from gindex_lab.presentation.plots.common import styled
from gindex_lab.presentation.widgets.live import Demo, Value, View, blank_figure

__all__ = ["TESTED", "anytime_demo", "anytime_view"]

TESTED = ("random", "constant", "reactive", "q-learning", "follower", "oracle", "optimal")
_TAU = 0.001
_EQUATIONS = (
    r"\Upsilon = \frac{1}{n}\sum_{j=1}^{n} R_j",
    r"\xi \leftarrow \xi + \xi R / 2",
    r"\tau \leftarrow \tau + \tau / 2",
)
_COLOURS = ("#0B5FA5", "#D55E00")


@styled
def anytime_view(agent: str, rival: str = "random", seconds: float = 5.0, seed: int = 1) -> View:
    """Two agents in the same test, stopped after `seconds`: their estimates as they grew.

    >>> view = anytime_view("oracle", "random", seconds=2)
    >>> view.numbers["estimate of oracle"] > view.numbers["estimate of random"]
    True
    """
    from gindex_lab.worlds.anytime.running import test

    for name, value in (("agent", agent), ("rival", rival)):
        choice(name, value, TESTED)
    if agent == rival:
        raise BadInput("rival", rival, "[same-agent] is the agent itself", "choose two different agents")
    number("seconds", seconds, 0.01, 1000)
    results = {name: test(name, seconds=seconds, tau0=_TAU, seed=seed) for name in (agent, rival)}
    figure = blank_figure(8.4, 3.7, left=0.095, wspace=0.24)
    left, right = figure.subplots(1, 2)
    for colour, (name, result) in zip(_COLOURS, results.items(), strict=True):
        _draw_estimate(left, result.trajectory, name, colour)
        _draw_complexity(right, result.trajectory, name, colour)
    _finish(left, right)
    numbers: dict[str, Value] = {}
    for name, result in results.items():
        numbers[f"estimate of {name}"] = float(result.value)
        numbers[f"environments of {name}"] = len(result.trajectory)
        numbers[f"complexity ξ reached by {name}"] = float(result.trajectory["xi"].iloc[-1])
    code = f"gl.anytime.test({agent!r}, seconds={seconds:g}, tau0={_TAU}, seed={seed})"
    tables = {name: result.trajectory for name, result in results.items()}
    shows = "Two panels: the estimates of both agents over time, and the complexity that each has reached."
    return View(figure, numbers, code, _reading(agent, rival, numbers), tables, shows)


def _draw_estimate(ax: Any, trajectory: pd.DataFrame, name: str, colour: str) -> None:
    ax.plot(trajectory["elapsed"], trajectory["score"], color=colour, marker="o", ms=3, label=name)


def _draw_complexity(ax: Any, trajectory: pd.DataFrame, name: str, colour: str) -> None:
    ax.step(trajectory.index, trajectory["xi"], where="post", color=colour, label=name)


def _finish(left: Any, right: Any) -> None:
    left.set_xscale("log")
    left.axhline(0, color="#999999", lw=0.8)
    left.set(ylim=(-1.05, 1.05), xlabel="time used (s, counted)", ylabel="estimate Υ")
    left.set_title("What it says, whenever it is stopped")
    right.set(xlabel="environment", ylabel="complexity ξ")
    right.xaxis.get_major_locator().set_params(integer=True)
    right.set_title("How hard it has become")
    right.legend(loc="upper left")


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
    import ipywidgets as widgets

    look: dict[str, Any] = {"layout": {"width": "320px"}, "style": {"description_width": "70px"}}
    controls = {
        "seconds": widgets.FloatLogSlider(
            value=2,
            min=-1.5,
            max=2,
            step=0.05,
            description="stop after",
            readout_format=".2g",
            **look,
        ),
        "agent": widgets.Dropdown(value="q-learning", options=TESTED, description="agent", **look),
        "rival": widgets.Dropdown(value="random", options=TESTED, description="rival", **look),
        "seed": widgets.IntSlider(value=1, min=1, max=30, description="seed", **look),
    }

    def view(seconds: float, **given: Any) -> View:
        return anytime_view(seconds=float(f"{seconds:.2g}"), **given)  # as the slider shows it

    return Demo(view, controls, name="anytime", equations=_EQUATIONS)
