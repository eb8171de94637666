"""A g-index calculator: what a system would score, and what moves its score most.

An imagined system is trained on some domains, each with so many samples, and tested on one task of each.
Its tasks are near their own domain (Ω `own`) and farther from the others (`other`). The bars say by how
many percent g changes with a small change of each cause: Eq 9 and its constants (Section 3.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns

from gindex_lab.foundation.validate import choice, integer, number
from gindex_lab.measures.programs.gindex import g_index
from gindex_lab.measures.programs.records import Experiment
from gindex_lab.measures.programs.sensitivity import generalisation_level
from gindex_lab.presentation.plots import common
from gindex_lab.presentation.widgets.front import Control, LiveDemo
from gindex_lab.presentation.widgets.live import Value, View, blank_figure

__all__ = ["calculator_demo", "calculator_view", "sensitivities", "system"]

_EQUATIONS = (
    r"g = \frac{1}{n}\sum_i \sqrt{e^{12\,\theta_i} \sum_k \frac{W_k\, e^{10\,\Omega_{ik}}}{\rho + E_k}}",
    r"W = \frac{1}{1 + \log_2 s}",
    r"E = \log_2 C",
)


def system(
    performance: float, domains: int = 4, samples: int = 40, compute: float = 100.0,
    own: float = 0.1, other: float = 0.7,
) -> Experiment:  # fmt: skip
    """An imagined experiment: `domains` of `samples` each, one task per domain, all of one performance θ.

    >>> system(0.8, domains=2)
    Experiment('imagined', 80 training samples in 2 domains, 100 PFLOP, 2 tasks)
    """
    n = integer("domains", domains)
    names = [f"domain {k + 1}" for k in range(n)]
    theta = number("performance", performance, 0, 1)
    near, far = number("own", own, 0, 1), number("other", other, 0, 1)
    omega = pd.DataFrame(np.where(np.eye(n, dtype=bool), near, far), names, names)
    tasks = pd.DataFrame({"domain": names, "performance": theta})
    counts = dict.fromkeys(names, integer("samples", samples))
    return Experiment(counts, number("compute", compute, 0, open_ends=True), tasks, "imagined", omega)


def sensitivities(mode: str = "exact", *, performance: float, **given: Any) -> dict[str, float]:
    """Percent by which g changes with each change of one cause; what cannot change is left out.

    >>> changes = sensitivities(performance=0.5, domains=2, samples=10)
    >>> round(changes["θ + 0.05"], 1)                # exp(12 · 0.05 / 2)
    35.0
    >>> changes["samples × 2"] < 0, changes["compute × 2"] < 0
    (True, True)
    """
    given = {"performance": performance} | given
    base = system(**given)
    start = float(g_index(base, mode))  # type: ignore[arg-type]
    full = {"domains": 4, "samples": 40, "compute": 100.0, "own": 0.1, "other": 0.7} | given
    changed = {
        "θ + 0.05": {"performance": full["performance"] + 0.05},
        "samples × 2": {"samples": 2 * full["samples"]},
        "compute × 2": {"compute": 2 * full["compute"]},
        "one domain more": {"domains": full["domains"] + 1},
        "Ω own + 0.05": {"own": full["own"] + 0.05},
        "Ω others + 0.05": {"other": full["other"] + 0.05},
    }
    shares = ("performance", "own", "other")
    allowed = {
        name: change for name, change in changed.items() if all(change.get(key, 0) <= 1 for key in shares)
    }
    after = {
        name: float(g_index(system(**(full | change)), mode))  # type: ignore[arg-type]
        for name, change in allowed.items()
    }
    return {name: 100 * (value / start - 1) for name, value in after.items()}


@common.styled
def calculator_view(
    performance: float, domains: int = 4, samples: int = 40, compute: float = 100.0,
    own: float = 0.1, other: float = 0.7, mode: str = "exact",
) -> View:  # fmt: skip
    """g, its parts and its sensitivities for an imagined system (Eq 7 to 9).

    >>> view = calculator_view(0.7)
    >>> view.numbers["g-index"] > calculator_view(0.7, samples=640).numbers["g-index"]
    True
    """
    choice("mode", mode, ["exact", "reference"])
    given: dict[str, Any] = {
        "performance": performance, "domains": domains, "samples": samples, "compute": compute,
        "own": own, "other": other,
    }  # fmt: skip
    result = g_index(system(**given), mode)  # type: ignore[arg-type]
    term = result.terms.iloc[0]
    mean = float(result.components["domain_distance"].mean())
    numbers: dict[str, Value] = {
        "g-index": result.value,
        "weight W of a domain": float(term["weight"]),
        "experience E": float(term["experience"]),
        "difficulty GD, own domain": float(term["difficulty"]),
        "share of the own domain": float(result.components["own_share"].iloc[0]),
        "level of generalisation": generalisation_level(mean),
    }
    figure = blank_figure(8.4, 3.6, left=0.15, right=0.98, wspace=0.28, bottom=0.15)
    left, right = figure.subplots(1, 2, width_ratios=[1.05, 1])
    changes = sensitivities(mode, **given)
    plot_changes(changes, title="What would change g, and by how much?", ax=left)
    _draw_growth(right, given, mode, result.value)
    arguments = ", ".join(f"{name}={value:g}" for name, value in given.items())
    code = f"gl.g_index(gl.widgets.system({arguments}), {mode!r})"
    return View(figure, numbers, code, _reading(changes), {"components": result.components})


@common.styled
def plot_changes(changes: Mapping[str, float], *, title: str = "", ax: Any = None) -> Any:
    """Draw by how many percent g changes with each change of a cause, as bars.

    >>> plot_changes({"twice the compute": -12.0}).get_xlabel()
    'change of g (%)'
    """
    ax = common.new_axes(ax, figsize=(5.6, 3.2))
    names, values = list(changes), np.array(list(changes.values()), dtype=float)
    colours = [common.GREEN if value >= 0 else common.ORANGE for value in values]
    look = {"palette": colours, "saturation": 1, "width": 0.62, "legend": False}
    sns.barplot(x=values, y=names, hue=names, ax=ax, **look)
    for row, value in enumerate(values):
        side, gap = ("left", 4) if value >= 0 else ("right", -4)
        text = "0%" if abs(value) < 0.05 else f"{value:+.1f}%".replace("-", "−")
        common.note(ax, text, (value, row), (gap, 0), ha=side, va="center")
    ax.axvline(0, color="#444444", lw=0.8)
    ax.margins(x=0.28)
    ax.tick_params(axis="y", length=0)
    ax.set(xlabel="change of g (%)", title=title)
    return ax


def _draw_growth(ax: Any, given: dict[str, Any], mode: str, value: float) -> None:
    thetas = np.linspace(0, 1, 21)
    line = [float(g_index(system(**(given | {"performance": t})), mode)) for t in thetas]  # type: ignore[arg-type]
    ax.plot(thetas, line, color=common.BLUE)
    ax.plot(given["performance"], value, "o", color=common.ORANGE, ms=7, zorder=4)
    ax.set_yscale("log")
    ax.set(xlabel="performance θ", ylabel="g-index")
    ax.set_title("g grows exponentially with θ")


def _reading(changes: dict[str, float]) -> str:
    name, value = max(changes.items(), key=lambda pair: abs(pair[1]))
    way = "up" if value > 0 else "down"
    return f"The most telling of these changes: {name} takes g {way} by {abs(value):.0f} percent."


def calculator_demo() -> LiveDemo:
    """The demo: a slider for each thing that enters the index.

    >>> demo = calculator_demo()
    >>> demo.set(performance=0.5)
    >>> demo.view.numbers["level of generalisation"]
    'L1'
    """
    powers = [3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000]
    controls = {
        "performance": Control("performance θ", 0.7),
        "domains": Control("domains", 4, 1, 16, 1),
        "samples": Control("samples each", 40, options=[1, 10, 20, 40, 80, 160, 320, 640]),
        "compute": Control("compute, PFLOP", 100, options=powers),
        "own": Control("Ω own domain", 0.1),
        "other": Control("Ω other domains", 0.7),
        "mode": Control("mode", "exact", options=["exact", "reference"]),
    }
    title = "The g-index calculator"
    return LiveDemo(calculator_view, controls, name="calculator", title=title, equations=_EQUATIONS)
