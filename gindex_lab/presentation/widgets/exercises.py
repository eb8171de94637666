"""Exercises that check themselves: `check(name, answer)` says right or wrong, and gives a hint.

The right answers are computed by the package, never written down: if a measure changes, so does its
answer. An answer is a number within a tolerance, one of some words, or a program that must behave in some
way. The questions and worked solutions stand in the teaching notebooks, each solution folded away.

>>> print(check("curve-step", 4.5))
Right. ...
>>> print(check("curve-step", 3))
Not yet: your answer is too low. ...
"""

from __future__ import annotations

import html
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gindex_lab.foundation.errors import BadInput, GIndexLabError
from gindex_lab.foundation.places import OUTPUT

__all__ = ["EXERCISES", "Exercise", "Verdict", "check", "exercise", "number_of"]


@dataclass(frozen=True)
class Verdict:
    """Right or not, and a sentence about it; a notebook shows it as a green or red box."""

    right: bool
    text: str

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        colour, ground = ("#009E73", "#eef8f4") if self.right else ("#D55E00", "#fdf3ec")
        look = f"border-left:4px solid {colour};background:{ground};color:#222;padding:.4em .8em"
        return f'<div class="gl-verdict" style="{look}">{html.escape(self.text)}</div>'


@dataclass(frozen=True)
class Exercise:
    """What a right answer is (a number, one of some words, or a program that behaves), and what helps.

    `answer` computes it when asked. `praise` is said when it is right, `hint` when it is not.
    """

    answer: Callable[[], Any]
    hint: str
    praise: str = ""
    tolerance: float = 0.01
    words: tuple[str, ...] = ()

    def judge(self, given: object) -> Verdict:
        """Hold an answer against the right one."""
        if given is None or (isinstance(given, str) and not given.strip()):
            return Verdict(False, f"No answer yet. {self.hint}")
        problem = self._problem(given)
        if problem:
            return Verdict(False, f"Not yet: {problem}. {self.hint}")
        return Verdict(True, f"Right. {self.praise}".rstrip())

    def _problem(self, given: object) -> str:
        if self.words:
            word = str(given).strip().casefold()
            if word not in [w.casefold() for w in self.words]:
                return "answer with one of " + ", ".join(self.words)
            return "" if word == str(self.answer()).casefold() else "that is another one"
        truth = self.answer()
        if callable(truth):
            return str(truth(given))
        value = number_of(given)
        if value is None:
            return "that is not a number"
        if abs(value - truth) <= self.tolerance:
            return ""
        return "your answer is too low" if value < truth else "your answer is too high"


def number_of(given: object) -> float | None:
    """A number as people type it: 0.25, 1/4, 25 %, with a decimal comma or a true minus sign.

    >>> [number_of(x) for x in ("1/4", "25 %", "0,25", "−1", "a lot", 2)]
    [0.25, 0.25, 0.25, -1.0, None, 2.0]
    """
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        return float(given) if math.isfinite(given) else None
    text = str(given).strip().replace("−", "-").replace(",", ".")
    try:
        if text.endswith("%"):
            return float(text[:-1]) / 100
        above, _, below = text.partition("/")
        value = float(above) / float(below) if below else float(text)
    except (ValueError, ZeroDivisionError):
        return None
    return value if math.isfinite(value) else None


# -- the right answers -----------------------------------------------------------------------------------


def _of_curve(name: str, measure: str) -> float:
    from gindex_lab.measures.generality import generality
    from gindex_lab.presentation.widgets.curve import curve_responses, shape

    return float(generality(curve_responses(shape(name).tolist())).iloc[0][measure])


def _spread_of_horizons() -> float:
    import numpy as np

    from gindex_lab.measures.horizons.logistic import spread_from_horizons

    return float(np.ravel(spread_from_horizons(60, 15))[0])


def _of_group(specialists: float) -> dict[str, float]:
    from gindex_lab.measures.generality import generality
    from gindex_lab.presentation.widgets.guttman import guttman_responses

    table = generality(guttman_responses(specialists)).mean()
    return dict(zip(_KEPT, table[["mean", "spread", "normalised_generality"]], strict=True))


def _what_specialists_leave() -> str:
    before, after = _of_group(0), _of_group(1)
    return min(_KEPT, key=lambda name: abs(after[name] - before[name]))


def _what_makes_a_factor() -> str:
    from gindex_lab.presentation.widgets.individuals import (
        general_factor_share,
        population_responses,
    )

    moved = {"steepness": (1.0, 0.0), "variation": (0.0, 0.3)}
    share = {name: general_factor_share(population_responses(*at)) for name, at in moved.items()}
    return max(share, key=lambda name: share[name])


def _least_spread() -> str:
    return max(("step", "flat", "upside down"), key=lambda name: -_of_curve(name, "spread"))


def _factor_of_equals() -> float:
    from gindex_lab.presentation.widgets.individuals import (
        general_factor_share,
        population_responses,
    )

    return general_factor_share(population_responses(1, 0))


def _delta(first: str, second: str) -> float:
    from gindex_lab.measures.programs.divergence import divergence
    from gindex_lab.presentation.widgets.two_programs import written_flow

    return float(divergence(written_flow(first), written_flow(second)))


def _growth() -> float:
    from gindex_lab.measures.programs.gindex import g_index
    from gindex_lab.presentation.widgets.calculator import system

    return float(g_index(system(0.6))) / float(g_index(system(0.5)))


def _weight() -> float:
    from gindex_lab.measures.programs.gindex import curriculum_weight

    return float(curriculum_weight(8))


def _far_domain() -> str:
    from gindex_lab.presentation.widgets.calculator import sensitivities

    return "up" if sensitivities(performance=0.7)["one domain more"] > 0 else "down"


def _reward(program: str, actions: list[int]) -> float:
    from gindex_lab.worlds.aiq.machine import run

    return float(run(program, actions)[0][-1])


def _pays_two_cycles_ago() -> Callable[[object], str]:
    def problem(program: object) -> str:
        from gindex_lab.worlds.aiq.machine import run

        actions = [4, 0, 1, 3, 2, 2, 0, 4]
        try:
            rewards, _ = run(str(program), actions)
        except GIndexLabError as error:
            return str(error)
        for k in range(2, len(actions)):
            wanted = 50.0 * (actions[k - 2] - 2)
            if rewards[k] != wanted:
                return (
                    f"after the actions {actions[: k + 1]} it pays {rewards[k]:g}, not {wanted:g}"
                )
        return ""

    return problem


def _later_tau() -> float:
    from gindex_lab.worlds.anytime.running import test

    return 1000 * float(test("random", seconds=1, tau0=0.001, seed=1).trajectory["tau"].iloc[3])


def _random_reward() -> float:
    from gindex_lab.presentation.widgets.lambda_worlds import worlds
    from gindex_lab.worlds.anytime.planning import random_agent_mean

    return float(abs(random_agent_mean(worlds((4,))[0])).max())


_KEPT = ("mean score", "mean spread S", "mean γ")
_SHAPES = ("step", "slope", "flat", "specialist", "upside down")
_THREE = "a: inject\nb: function\nc: debug\na -> b -> c"


def _peeking() -> str:
    """How often an ordinary interval is right when one stops as soon as it looks significant, in words: fifty
    tosses of a coin, looked at after every toss from the tenth on, two thousand times."""
    import numpy as np

    tosses = np.random.default_rng(1).random((2000, 50)) < 0.5
    n = np.arange(1, 51)
    away = np.abs(tosses.cumsum(axis=1) / n - 0.5) > 1.96 * 0.5 / np.sqrt(n)
    right = 1 - away[:, 9:].any(axis=1).mean()
    return "less often" if right < 0.93 else "yes"


EXERCISES: dict[str, Exercise] = {
    "curve-step": Exercise(
        lambda: _of_curve("step", "capability"),
        "Add up the area under the curve: 1 up to difficulty 4, then a fall to 0 at 5.",
        "The area is 4 and a half: the fall from 4 to 5 counts half.",
    ),
    "curve-flat": Exercise(
        lambda: _of_curve("flat", "normalised_generality"),
        "Press `flat` and read γ; left of difficulty 1 everything counts as solved.",
        "It would be 0 if the curve were constant over the whole interval.",
        0.006,
    ),
    "curve-shape": Exercise(
        lambda: min(_SHAPES, key=lambda name: _of_curve(name, "normalised_generality")),
        "Press each of the shapes and look at γ.",
        "It solves the hard items and fails the easy ones: abstruse.",
        words=_SHAPES,
    ),
    "horizon-spread": Exercise(
        _spread_of_horizons,
        "How many doublings lie between the two horizons? S is 1.308 times that.",
        "log2(60/15) = 2 doublings, β = ln 4/2 = 0.69 and S = π/(√3 β).",
        0.02,
    ),
    "guttman-same": Exercise(
        _what_specialists_leave,
        "Move `specialists` from 0 to 1 and see which number does not move.",
        "Every agent solves as many items as before, only others.",
        words=_KEPT,
    ),
    "guttman-ladder": Exercise(
        lambda: _of_group(0)["mean γ"],
        "Set `specialists` to 0 and read the mean γ.",
        "Not quite 1: between two neighbouring difficulties the curve falls along a line, not at once.",
        0.01,
    ),
    "factor-none": Exercise(
        _factor_of_equals,
        "Set the variation to 0 and the steepness to 1: how much can correlate if all agents are the same?",
        "No variance, no correlation, no factor; and yet every agent is a perfect generalist.",
        0.001,
    ),
    "factor-cause": Exercise(
        _what_makes_a_factor,
        "Set steepness to 0 and move the variation; then the other way round.",
        "A general factor needs agents that differ; it does not need general agents.",
        words=("steepness", "variation"),
    ),
    "delta-extra": Exercise(
        lambda: _delta(_THREE, _THREE + "\nd: file"),
        "Three nodes match perfectly: put Σw = 3 and the sizes 3 and 4 into the formula.",
        "1 - 3² / (3 · 4).",
    ),
    "delta-half": Exercise(
        lambda: _delta("a: inject, repeat=60, topic=x", "a: inject, repeat=10, topic=x"),
        "One of two attributes is equal, so w = 1/2; and the sum is squared.",
        "1 - (1/2)² / (1 · 1).",
    ),
    "g-growth": Exercise(
        _growth,
        "TC is the root of exp(12 θ) times the bracket: what is exp(12 · 0.1 / 2)?",
        "One tenth more performance multiplies g by exp(0.6), whatever else holds.",
        0.01,
    ),
    "g-weight": Exercise(
        _weight, "W = 1 / (1 + log₂ n), and log₂ 8 = 3.", "Eight samples weigh a quarter of one.", 1e-6
    ),
    "g-domain": Exercise(
        _far_domain,
        "Look at the bar `one domain more`, with Ω of the others at 0.7.",
        "Distance to *any* curriculum domain counts as difficulty overcome: this can be gamed.",
        words=("up", "down"),
    ),
    "bf-reward": Exercise(
        lambda: _reward(",+.#", [3]),
        "Read 3, add one, write 4; and the reward is 100 (o - 2) / 2.",
        "4 is the largest symbol, and pays 100.",
    ),
    "bf-memory": Exercise(
        lambda: _reward(".,#", [4, 0, 2]),
        "The program writes before it reads: what does the cell hold from the cycle before?",
        "It pays the action of the previous cycle, which was 0.",
    ),
    "bf-write": Exercise(
        _pays_two_cycles_ago,
        "The k-th `,` of a cycle reads the action of k - 1 cycles ago.",
        "A third read reaches two cycles back.",
    ),
    "anytime-tau": Exercise(
        _later_tau,
        "τ grows by half after every environment: 1 ms, 1.5 ms, ...",
        "1.5³ ms: times grow geometrically, so that few environments fill a long test.",
        0.001,
    ),
    "anytime-random": Exercise(
        _random_reward,
        "Good and Evil walk by the same pattern: by symmetry, which reward is as likely as +1?",
        "Balanced environments give a random agent 0 on average, so that any success is the agent's own.",
        0.001,
    ),
    "test-curve": Exercise(
        _least_spread,
        "Ψ is the area, γ = 1 the least spread: all up to some difficulty, and nothing beyond.",
        "Two people with the same mean can have curves of quite different shape.",
        words=("step", "flat", "upside down"),
    ),
    "adaptive-peeking": Exercise(
        _peeking,
        "Each look is one more chance to be wrong, and the test stops at the first.",
        "Intervals that hold at every stop are wider: that is the price of looking.",
        words=("yes", "less often", "more often"),
    ),
}  # fmt: skip


def check(name: str, answer: object = None) -> Verdict:
    """Whether an answer is right, with a hint if it is not.

    >>> check("g-weight", "1/4").right, check("delta-half", 0.5).right
    (True, False)
    """
    return _known(name).judge(answer)


def _known(name: str) -> Exercise:
    if name not in EXERCISES:
        remedy = "use one of " + ", ".join(EXERCISES)
        raise BadInput("name", name, "is not an exercise", remedy)
    return EXERCISES[name]


def exercise(name: str) -> None:
    """A field for the answer and a button that checks it; in a pipeline run only a line that says how.

    >>> exercise("g-wait")
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: name='g-wait': is not an exercise; use one of curve-step, ...
    """
    task = _known(name)
    from IPython.display import HTML, display

    if os.environ.get(OUTPUT):
        line = f'<p>Check your answer: <code>widgets.check("{html.escape(name)}", ...)</code></p>'
        display(HTML(line))  # type: ignore[no-untyped-call]
    else:
        display(answer_field(task))  # type: ignore[no-untyped-call]


def answer_field(task: Exercise) -> Any:
    """The widgets of one exercise: a field (or the words to choose from), a button, and the verdict.

    >>> field = answer_field(EXERCISES["g-weight"])
    >>> field.children[0].children[0].value = "0.25"
    >>> field.children[0].children[1].click()
    >>> "Right." in field.children[1].value
    True
    """
    import ipywidgets as widgets

    if task.words:
        field = widgets.Dropdown(options=["", *task.words], layout={"width": "220px"})
    else:
        field = widgets.Text(placeholder="your answer", layout={"width": "220px"})
    button = widgets.Button(description="Check", layout={"width": "auto"})
    said = widgets.HTML()

    def judge(_: object) -> None:
        said.value = task.judge(field.value)._repr_html_()

    button.on_click(judge)
    return widgets.VBox([widgets.HBox([field, button]), said])
