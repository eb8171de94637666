"""Drag a logistic curve along the lengths of tasks, and watch its horizons, capability and spread.

θ is where the curve crosses one half, β how steeply it falls. The 50% horizon is 2^θ minutes; the 80% horizon
lies ln 4/β doublings below it; the spread is π/(√3 β) doublings: one curve, two vocabularies.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.validate import number
from gindex_lab.measures.horizons.logistic import logistic_indicators
from gindex_lab.presentation.plots import common
from gindex_lab.presentation.plots.curves import length_text
from gindex_lab.presentation.widgets.front import Control, LiveDemo
from gindex_lab.presentation.widgets.live import View, blank_figure

__all__ = ["TESTED", "horizon_demo", "horizon_view"]

TESTED = (-2.0, 11.0)  # log2 minutes: from a quarter of a minute to a day and a half
_EQUATIONS = (
    r"\psi(h) = \frac{1}{1 + e^{\beta (h - \theta)}}",
    r"h = \log_2 (\mathrm{minutes})",
    r"\mathrm{horizon}_{50} = 2^{\theta}",
    r"\mathrm{horizon}_{80} = 2^{\theta - \ln 4 / \beta}",
    r"S = \frac{\pi}{\sqrt{3}\,\beta}",
)


@common.styled
def horizon_view(theta: float, beta: float) -> View:
    """The curve with its two horizons, and what it says: capability Ψ, spread S and γ on the tested lengths.

    >>> view = horizon_view(6.0, 0.75)
    >>> view.numbers["50% horizon"], round(view.numbers["spread S"], 3)
    ('1.07 h', 2.418)
    """
    theta, beta = number("theta", theta, -20, 30), number("beta", beta, 0, 50, open_ends=True)
    low, high = TESTED
    h50, h80 = 2.0**theta, 2.0 ** (theta - np.log(4) / beta)
    found = logistic_indicators(theta, beta, TESTED)
    figure = blank_figure(7.4, 3.8, bottom=0.16, left=0.1, right=0.97, top=0.9)
    ax = figure.subplots()
    ax.axvspan(low, high, color="#F3F5F8")
    grid = np.linspace(low - 2, high + 2, 500)
    ax.plot(grid, 1 / (1 + np.exp(beta * (grid - theta))), color=common.BLUE, lw=2.2)
    for length, level in ((h50, 0.5), (h80, 0.8)):
        at = np.log2(length)
        ax.plot([at, at, low - 2], [0, level, level], ":", color=common.INK, lw=0.9)
        ax.plot(at, level, "o", color=common.INK, ms=5)
        if low - 2 < at < high - 1:
            ax.text(at + 0.15, level + 0.02, f"{level:.0%}: {length_text(length)}", fontsize=9)
    ticks = [0.25, 1, 4, 15, 60, 240, 960]
    ax.set_xticks([np.log2(m) for m in ticks], [length_text(m) for m in ticks])
    ax.set(xlim=(low - 2, high + 2), ylim=(0, 1.02), ylabel="share solved ψ")
    ax.set_xlabel("length of the task for a person (tested lengths shaded)")
    numbers: dict[str, float | int | bool | str] = {
        "50% horizon": length_text(h50),
        "80% horizon": length_text(h80),
        "capability Ψ (doublings of a minute)": float(found["capability"]),
        "spread S": float(np.pi / np.sqrt(3) / beta),
        "spread on the tested lengths": float(found["spread"]),
        "γ on the tested lengths": float(found["normalised_generality"]),
    }
    code = f"gl.logistic_indicators({theta:g}, {beta:g}, {TESTED})"
    return View(figure, numbers, code, _reading(theta, beta, found), {"indicators": found.to_frame().T})


def _reading(theta: float, beta: float, found: pd.Series) -> str:
    longer = 2 ** (2 * np.log(9) / beta)
    text = f"From 90% to 10% success the tasks get {longer:.3g} times longer."
    low, high = TESTED
    if not low < theta < high:
        return f"{text} The 50% horizon lies outside the tested lengths: it is extrapolated."
    if abs(found["capability"] - theta) > 0.25:
        return f"{text} Part of the curve is cut off, so that capability and θ differ."
    return text


def horizon_demo() -> LiveDemo:
    """The demo: a slider for θ and one for β.

    >>> demo = horizon_demo()
    >>> demo.set(theta=3.0)
    >>> demo.view.numbers["50% horizon"]
    '8 min'
    """
    controls = {
        "theta": Control("θ (doublings of a minute)", 6.0, -2, 12, 0.1),
        "beta": Control("steepness β", 0.7, 0.2, 4, 0.05),
    }
    title = "A time horizon"
    return LiveDemo(horizon_view, controls, name="horizon", title=title, equations=_EQUATIONS)
