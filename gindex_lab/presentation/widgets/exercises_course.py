"""The exercises of the course, in its order: how the package computes each answer, and the wrong ones.

The texts stand in `templates/exercises.toml`. A mistake is recognised by the answer to which it leads, which
is computed like the right one; `ANSWERS` lists the right answer of an exercise and then its mistakes.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import logit

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import integer, number
from gindex_lab.measures.adaptive.bank import Bank
from gindex_lab.measures.adaptive.session import adaptive
from gindex_lab.measures.generality import generality
from gindex_lab.measures.horizons.logistic import logistic_indicators, spread_from_horizons
from gindex_lab.measures.programs.divergence import divergence
from gindex_lab.measures.programs.gindex import curriculum_weight, g_index
from gindex_lab.presentation.pages import TEMPLATES
from gindex_lab.presentation.widgets import individuals
from gindex_lab.presentation.widgets.calculator import sensitivities, system
from gindex_lab.presentation.widgets.curve import SHAPES, curve_responses, shape
from gindex_lab.presentation.widgets.exercises import Exercise, Mistake
from gindex_lab.presentation.widgets.guttman import guttman_responses
from gindex_lab.presentation.widgets.horizon import TESTED
from gindex_lab.presentation.widgets.lambda_worlds import worlds
from gindex_lab.presentation.widgets.two_programs import written_flow
from gindex_lab.studies.simulations.stopping_study import ordinary
from gindex_lab.worlds.aiq.machine import run
from gindex_lab.worlds.anytime import running
from gindex_lab.worlds.anytime.planning import random_agent_mean

__all__ = ["ANSWERS", "EXERCISES", "ever_excluded"]

_KEPT = ("mean score", "mean spread S", "mean γ")
_THREE = "a: inject\nb: function\nc: debug\na -> b -> c"


def _of_curve(name: str, measure: str) -> float:
    return float(generality(curve_responses(shape(name).tolist())).iloc[0][measure])


def _of_group(specialists: float) -> dict[str, float]:
    table = generality(guttman_responses(specialists)).mean()
    return dict(zip(_KEPT, table[["mean", "spread", "normalised_generality"]], strict=True))


def _what_specialists_leave() -> str:
    before, after = _of_group(0), _of_group(1)
    return min(_KEPT, key=lambda name: abs(after[name] - before[name]))


def _factor_share(steepness: float, variation: float) -> float:
    return individuals.general_factor_share(individuals.population_responses(steepness, variation))


def _what_makes_a_factor() -> str:
    share = {"steepness": _factor_share(1.0, 0.0), "variation": _factor_share(0.0, 0.3)}
    return max(share, key=lambda name: share[name])


def _delta(first: str, second: str) -> float:
    return float(divergence(written_flow(first), written_flow(second)))


def _growth() -> float:
    return float(g_index(system(0.6))) / float(g_index(system(0.5)))


def _far_domain() -> str:
    change = sensitivities(performance=0.7)["one domain more"]
    return "up" if change > 0 else "down" if change < 0 else "it stays"


def _reward(program: str, actions: list[int]) -> float:
    return float(run(program, actions)[0][-1])


def _two_cycles_ago() -> dict[str, Any]:
    actions = [4, 0, 1, 3, 2, 2, 0, 4]
    rewards = [None, None, *(50.0 * (action - 2) for action in actions[:-2])]
    return {"actions": actions, "rewards": rewards, "example": ",,,.#"}


def _tau(k: int) -> float:
    return 1000 * float(running.test("random", seconds=1, tau0=0.001, seed=1).trajectory["tau"].iloc[k])


def _random_reward() -> float:
    return round(float(abs(random_agent_mean(worlds((4,))[0])).max()), 12)


def _logistic(theta: float, beta: float, name: str) -> float:
    return float(logistic_indicators(theta, beta, TESTED)[name])


def _horizon(level: float, theta: float, beta: float) -> float:
    return float(2 ** (theta - logit(level) / beta))


def _what_slopes_share() -> str:
    both = {
        "50% horizon": [_horizon(0.5, 6, b) for b in (0.4, 2.0)],
        "80% horizon": [_horizon(0.8, 6, b) for b in (0.4, 2.0)],
        "spread S": [_logistic(6, b, "spread") for b in (0.4, 2.0)],
    }
    return min(both, key=lambda name: abs(both[name][0] - both[name][1]))


def _spread_of(p50: float, p80: float) -> float:
    return float(np.ravel(spread_from_horizons(p50, p80))[0])


def _at_the_edge() -> str:
    middle, edge = _logistic(4.5, 0.7, "spread"), _logistic(10.5, 0.7, "spread")
    return "it shrinks" if edge < 0.99 * middle else "it grows" if edge > middle else "it stays"


def ever_excluded(looks: Iterable[int], ci: float = 0.95) -> float:
    """The probability that an ordinary interval excludes the truth, 1/2, at one of the looks at a fair coin.

    `looks` are numbers of tosses. At n tosses the interval excludes 1/2 where |heads/n - 1/2| exceeds
    1.96/(2 √n): for about five coins of a hundred at any one look, and for more of them at any of several.
    The result is exact: the chances of every number of heads are carried from toss to toss, and what a look
    excludes is taken out.

    >>> round(ever_excluded([50]), 3), round(ever_excluded(range(10, 51)), 3)
    (0.065, 0.224)
    """
    wanted = sorted({integer("looks", look, 1) for look in looks})
    if not wanted:
        raise BadInput("looks", looks, "[empty] is empty", "name at least one number of tosses")
    limit = stats.norm.ppf((1 + number("ci", ci, 0, 1, open_ends=True)) / 2) / 2
    still = np.ones(1)
    for n in range(1, wanted[-1] + 1):
        still = np.convolve(still, [0.5, 0.5])
        if n in wanted:
            still[np.abs(np.arange(n + 1) / n - 0.5) > limit / np.sqrt(n)] = 0
    return float(1 - still.sum())


def _wrong(looks: Iterable[int]) -> float:
    return 100 * ever_excluded(looks)


def _price() -> str:
    bank = Bank(pd.DataFrame({"difficulty": [k / 10 for k in range(100)]}))
    course = adaptive(lambda k: float(k % 2), bank, measure="mean", rule="random", budget=40, seed=1).table
    low, high = ordinary(bank, course, "mean")
    ratio = float((course["high"] - course["low"]).iloc[-1] / (high - low)[-1])
    return "wider" if ratio > 1.02 else "narrower" if ratio < 0.98 else "as wide"


_DELTA = partial(_delta, _THREE, _THREE + "\nd: file")
_LOOKS = range(10, 51)  # numbers of tosses, as in the notebook of session 8
ANSWERS: dict[str, tuple[Any, ...]] = {
    "curve-shape": (lambda: min(SHAPES, key=lambda name: _of_curve(name, "normalised_generality")),),
    "curve-step": (partial(_of_curve, "step", "capability"), partial(_of_curve, "step", "mean"), 4.0, 5.0),
    "curve-flat": (
        partial(_of_curve, "flat", "normalised_generality"), 0.0,
        partial(_of_curve, "flat", "generality"), partial(_of_curve, "flat", "mean"),
    ),
    "guttman-same": (_what_specialists_leave,),
    "guttman-ladder": (
        lambda: _of_group(0)["mean γ"], lambda: _of_group(1)["mean γ"], lambda: _of_group(0)["mean score"],
    ),
    "factor-cause": (_what_makes_a_factor,),
    "factor-none": (partial(_factor_share, 1, 0), 100.0),
    "delta-extra": (_DELTA, lambda: 1 - _DELTA(), 1 - 3**2 / 4**2, 0.0),
    "delta-half": (
        partial(_delta, "a: inject, repeat=60, topic=x", "a: inject, repeat=10, topic=x"), 0.5, 0.25,
    ),
    "g-domain": (_far_domain,),
    "g-growth": (_growth, lambda: _growth() ** 2, 0.6 / 0.5, lambda: _growth() - 1),
    "g-weight": (lambda: float(curriculum_weight(8)), 1 / 8, 1 / 3, 1 / (1 + math.log(8))),
    "bf-reward": (partial(_reward, ",+.#", [3]), 4.0, partial(_reward, ",.#", [3])),
    "bf-memory": (
        partial(_reward, ".,#", [4, 0, 2]), partial(_reward, ",.#", [4, 0, 2]),
        partial(_reward, ".,#", [0, 4, 2]),
    ),
    "bf-write": (_two_cycles_ago,),
    "anytime-random": (_random_reward, 0.5, 1 / 3),
    "anytime-tau": (partial(_tau, 3), partial(_tau, 2), partial(_tau, 4), 2.5),
    "test-curve": (lambda: max(SHAPES, key=lambda name: _of_curve(name, "normalised_generality")),),
    "horizon-same": (_what_slopes_share,),
    "horizon-80": (partial(_horizon, 0.8, 6, math.log(4)), 64 * 0.8, 128.0),
    "horizon-spread": (
        partial(_spread_of, 60, 15), 2.0, math.log(4) / 2, math.pi / math.sqrt(3) / 2, 4.0,
    ),
    "horizon-edge": (_at_the_edge,),
    "adaptive-peeking": (lambda: "less often" if _wrong(_LOOKS) > 7 else "yes",),
    "stop-wrong": (
        partial(_wrong, _LOOKS), 5.0, partial(_wrong, [50]), lambda: 100 - _wrong(_LOOKS),
    ),
    "stop-price": (_price,),
}  # fmt: skip


def _exercises() -> dict[str, Exercise]:
    texts = tomllib.loads((TEMPLATES / "exercises.toml").read_text(encoding="utf-8"))
    made = {}
    for name, (answer, *wrong) in ANSWERS.items():
        given = dict(texts[name])
        says = given.pop("mistakes", [])
        pairs = says.items() if isinstance(says, dict) else zip(wrong, says, strict=True)
        given |= {key: tuple(given.get(key, ())) for key in ("hints", "words")}
        mistakes = tuple(Mistake(cache(x) if callable(x) else x, told) for x, told in pairs)
        made[name] = Exercise(answer=cache(answer), mistakes=mistakes, **given)
    return made


EXERCISES = _exercises()
