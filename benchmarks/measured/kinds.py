"""Do the limits hold after a transform, with a few trials, in a tournament, and for a difference?

`coverage_study` takes difficulties as given. Here they come from scores (`gl.rank`,
`gl.absolute_reference`), from opponents (`gl.opponent`) or from a model (`gl.irt_difficulty`); or the
items stay and the trials vary; or answers are graded; or some are right by luck; or two agents are compared
on the same items. The
table is kept in `data/measured/coverage_kinds.csv`; `python -m benchmarks.measured.kinds OUT.csv` makes it
again and goes on where it was stopped.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.curves import indicators
from gindex_lab.measures.generality import generality
from gindex_lab.measures.pairs import paired_differences
from gindex_lab.measures.psychometrics.irt_scale import irt_difficulty
from gindex_lab.measures.transforms import opponent
from gindex_lab.studies.simulations.coverage import TRUTH, Profile, transformed
from gindex_lab.studies.simulations.coverage_study import AGENTS, FINE, difficulties, kept_study

__all__ = ["kinds", "measure_kind"]

_MEASURES = ("capability", "spread", "normalised_generality")
# the half surprise of steps and of trials was chosen on other strengths, agents, lengths and seeds
_STRENGTHS = {
    "equal": (0,) * 8,
    "strong": (2, 0, 0, 0),
    "mixed": (2, 1.5, 1, 0.5, 0, -0.5),
    "ahead of 14": (1.2, *[0] * 14),
}
_TRIED = ("steep", "gradual", "shallow", "lapsing", "flat high", "flat .1")
_PAIRS = {
    "equal halves": ("flat half", "flat half"),
    "equal .95": ("flat .95", "flat .95"),
    "equal curves": ("gradual", "gradual"),
    "steep - typical": ("steep", "typical"),
    "guesser - lapsing": ("guesser", "lapsing"),
    "flat .95 - flat .1": ("flat .95", "flat .1"),
}
_PLAYERS = {"weakest": 0, "middle": 1, "strongest": 2}
# the limits with a floor were tuned on floors of .25 and of .25 and .5 mixed, with 10, 20 and 50 items
_GUESSERS = {
    "guessing": Profile(floor=0.0, ceiling=0.0),
    "little above": Profile(floor=0.05, ceiling=0.05),
    "only the easiest": Profile(0.1, 0.05),
    "early and steep": Profile(0.2, 0.03),
    "steep": AGENTS["steep"],
    "gradual": AGENTS["gradual"],
}
_FLOORS = {"floor .2": (0.2, 0.2), "floor .5": (0.5, 0.5), "floors 0 and .25": (0.0, 0.25)}
_ABILITIES = (-1.0, 0.0, 1.2)  # of the three agents that are looked at
_IRT = {"30 agents": 30, "200 agents": 200}
Held = Iterator[tuple[pd.DataFrame, dict[str, float]]]


def kinds() -> pd.DataFrame:
    """Every design: kind, who is looked at, and the number of items (or players).

    >>> kinds()["kind"].value_counts().to_dict()["trials"]
    18
    """
    trials = product(["trials"], _TRIED, [10, 25, 40])
    graded = product(["mean of five", "graded"], _TRIED, [10, 25, 100])
    scores = product(["rank", "absolute_reference"], _STRENGTHS, [10, 25, 40])
    games = product(["opponent"], _PLAYERS, [8, 15, 30])
    models = product(["irt_difficulty"], _IRT, [20, 50])
    differences = product(["difference"], _PAIRS, [10, 20, 50])
    floors = product(_FLOORS, _GUESSERS, [15, 35, 100])
    rows = [*trials, *graded, *scores, *games, *models, *differences, *floors]
    return pd.DataFrame(rows, columns=["kind", "who", "items"])


def measure_kind(row: dict[str, Any], simulations: int, seed: int) -> dict[str, float]:
    """Shares of simulated studies whose limits hold the truth; and in what share of them the limits are
    `bounds`, and how often such ones, and `intervals`, hold (NaN where there are none).

    >>> row = {"kind": "difference", "who": "equal halves", "items": 20}
    >>> measure_kind(row, 20, 1)["capability"] > 0.7
    True
    """
    rng = np.random.default_rng([seed, *row["kind"].encode(), *row["who"].encode(), row["items"]])
    held, marks = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # priors and far items are announced each time
        for table, truth in _KINDS[row["kind"]](row, simulations, rng):
            held.append(_held(table, truth))
            marks.append(table.reindex(columns=[f"{name}_bounds" for name in _MEASURES]))
    inside = pd.DataFrame(np.concatenate(held), columns=_MEASURES)
    bound = pd.DataFrame(np.concatenate(marks).astype(float), columns=_MEASURES)
    parts = {
        "": inside,
        " bounds": bound,
        " bounds held": inside[bound == 1],
        " intervals held": inside[bound == 0],
    }
    return {
        f"{name}{word}": round(float(x[name].astype(float).mean()), 4)
        for word, x in parts.items()
        for name in _MEASURES
    }


def _held(table: pd.DataFrame, truth: dict[str, float]) -> np.ndarray:
    """Agent by agent: do the limits of each measure hold the truth?"""
    ends = [(table[f"{name}_low"], table[f"{name}_high"], truth[name]) for name in _MEASURES]
    inside = [(low - 1e-9 <= true) & (true <= high + 1e-9) for low, high, true in ends]
    return np.column_stack(inside)


def _ranked(row: dict[str, Any], simulations: int, rng: np.random.Generator) -> Held:
    """The first of agents with normal scores; the truth is what the same agents show on 40,000 items."""
    centres = np.array(_STRENGTHS[row["who"]], dtype=float)[:, None]
    truth = transformed(row["kind"], centres, TRUTH, rng).iloc[0]
    for _ in range(simulations):
        yield transformed(row["kind"], centres, row["items"], rng, 0.95).iloc[[0]], truth.to_dict()


def _of_curve(h: FloatArray, psi: FloatArray, interval: tuple[float, float]) -> dict[str, float]:
    order = np.argsort(h, kind="stable")
    found = indicators(h[order], psi[None, order], interval)
    return {name: float(getattr(found, name)[0]) for name in _MEASURES}


def _two_trials(row: dict[str, Any], simulations: int, rng: np.random.Generator) -> Held:
    """The items are fixed and each is tried twice; the truth is the curve through their true chances."""
    h = np.linspace(0, 1, row["items"])
    chance, agents = AGENTS[row["who"]](h), [f"agent {k + 1}" for k in range(25)]
    index = pd.MultiIndex.from_product([agents, range(row["items"]), range(2)])
    for _ in range(simulations // 25):
        solved = rng.random((25, row["items"], 2)) < chance[:, None]
        long = pd.DataFrame({"response": solved.ravel().astype(float)}, index=index).reset_index()
        long.columns = pd.Index(["agent", "item", "trial", "response"])
        study = Responses.from_long(long, trial="trial").with_difficulty(h)
        yield generality(study, ci=0.95, resample="trials"), _of_curve(h, chance, (0.0, 1.0))


def _graded(row: dict[str, Any], simulations: int, rng: np.random.Generator) -> Held:
    """Answers between 0 and 1, on items at random places: shares of five, or with a beta distribution."""
    curve = AGENTS[row["who"]]
    for _ in range(simulations // 25):
        h = difficulties("random", row["items"], rng)
        chance = np.broadcast_to(curve(h), (25, len(h)))
        answers = (
            rng.binomial(5, chance) / 5
            if row["kind"] == "mean of five"
            else rng.beta(3 * chance + 1e-9, 3 * (1 - chance) + 1e-9)
        )
        yield generality(answers, h, interval=(0.0, 1.0), ci=0.95), curve.truth(FINE)


def _guesses(row: dict[str, Any], simulations: int, rng: np.random.Generator) -> Held:
    """Right answers by luck beside those of the curve; the truth is that of the curve alone."""
    curve, (one, other) = _GUESSERS[row["who"]], _FLOORS[row["kind"]]
    truth = curve.truth(FINE)
    for _ in range(simulations // 25):
        h = difficulties("random", row["items"], rng)
        luck = pd.Series(rng.permutation(np.where(np.arange(len(h)) % 2, one, other)))
        luck.index = pd.Index([f"item {k + 1}" for k in range(len(h))])
        chance = luck.to_numpy() + (1 - luck.to_numpy()) * curve(h)
        answers = (rng.random((25, len(h))) < chance).astype(float)
        yield generality(answers, h, interval=(0.0, 1.0), ci=0.95, floor=luck), truth


def _tournaments(row: dict[str, Any], simulations: int, rng: np.random.Generator) -> Held:
    """Opponents are drawn from a population; the truth is what a player shows against very many."""
    from scipy.special import expit

    n, place = row["items"], _PLAYERS[row["who"]]
    mine = (-2.0, 0.0, 2.0)[place]
    many = np.sort(np.random.default_rng(5).normal(0, 1.5, 4000))
    score = np.array([expit(one - many).mean() for one in many]) * n
    psi = np.concatenate([[1.0], expit(mine - many), [0.0]])
    truth = _of_curve(np.concatenate([[0.0], score, [n]]), psi, (0.0, float(n)))
    for _ in range(simulations):
        strength = np.append(rng.normal(0, 1.5, n - 1), mine)
        won = np.triu(rng.random((n, n)) < expit(strength[:, None] - strength), 1).astype(float)
        games = won + np.tril(1 - won.T, -1) + np.eye(n) / 2
        yield generality(opponent(pd.DataFrame(games)), ci=0.95).iloc[[-1]], truth


def _models(row: dict[str, Any], simulations: int, rng: np.random.Generator) -> Held:
    """Agents and items of a logistic model with slope 1.5, three agents looked at in turn."""
    from scipy.special import expit

    for k in range(simulations):
        ability = rng.normal(0, 1, _IRT[row["who"]])
        ability[0] = _ABILITIES[k % 3]
        chance = expit(1.5 * (ability[:, None] - rng.normal(0, 1, row["items"])))
        study = irt_difficulty((rng.random(chance.shape) < chance).astype(float))
        table = generality(study, ci=0.95).iloc[[0]]
        low, high = table.attrs["interval"]
        h = np.linspace(low, high, 1001)
        yield table, _of_curve(h, expit(1.5 * (ability[0] - h)), (low, high))


def _differences(row: dict[str, Any], simulations: int, rng: np.random.Generator) -> Held:
    """Two agents on the same items at random places; the truth is the difference of their measures."""
    pair = [AGENTS[name] for name in _PAIRS[row["who"]]]
    one, two = (curve.truth(FINE) for curve in pair)
    for _ in range(simulations):
        h = difficulties("random", row["items"], rng)
        solved = [(rng.random(len(h)) < curve(h)).astype(float) for curve in pair]
        found = paired_differences(solved, "agent 1", "agent 2", h, interval=(0.0, 1.0))
        ends = {f"{name}_{end}": [found.loc[name, end]] for name in _MEASURES for end in ("low", "high")}
        yield pd.DataFrame(ends), {name: one[name] - two[name] for name in _MEASURES}


_KINDS: dict[str, Callable[[dict[str, Any], int, np.random.Generator], Held]] = {
    "trials": _two_trials,
    "mean of five": _graded,
    "graded": _graded,
    "rank": _ranked,
    "absolute_reference": _ranked,
    "opponent": _tournaments,
    "irt_difficulty": _models,
    "difference": _differences,
    **dict.fromkeys(_FLOORS, _guesses),
}


if __name__ == "__main__":
    found = kept_study(sys.argv[1], kinds(), measure_kind, 500, 15)
    print(found.groupby("kind")[list(_MEASURES)].min())
