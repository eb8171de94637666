"""How often do the limits of a rank correlation hold (`rank_interval`), and of which clouds of agents not?

Designs and seeds are fixed here, before the first run. Clouds are drawn from a law, and measures are those of
simulated people on one test (as `gl.psychometrics` shows them); the truth is the rank correlation of very
many agents, measured with the items as the study found them. From how many agents on limits are offered, and
what they allow for agents of a kind not seen, was chosen on the half called "tuning", with other seeds than
those here; the verdict is that of the others ("report"). That no limits are offered where more than half
share one value was chosen when the report half had been seen: its verdict is that of "fresh", whose shapes
were written down after that and before their first run. Kept in `data/measured/ranks.csv`; `python -m
benchmarks.measured.ranks OUT.csv` makes it again and goes on where it was stopped.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.generality import generality
from gindex_lab.measures.psychometrics.correlations import rank_correlation, rank_interval
from gindex_lab.measures.psychometrics.irt import BinaryModel, irt
from gindex_lab.measures.psychometrics.irt_simulate import simulate_irt
from gindex_lab.studies.simulations.coverage_study import kept_study

__all__ = ["designs", "measure_design", "study"]

Pair = tuple[FloatArray, FloatArray]
Rng = np.random.Generator


def _normal(r: float) -> Callable[[int, Rng], Pair]:
    def drawn(n: int, rng: Rng) -> Pair:
        x, e = rng.standard_normal((2, n))
        return x, r * x + np.sqrt(1 - r * r) * e

    return drawn


def _steps(r: float, levels: int) -> Callable[[int, Rng], Pair]:
    """Both in so many steps of equal width, from -2 to 2: many ties."""

    def drawn(n: int, rng: Rng) -> Pair:
        x, y = (np.digitize(z, np.linspace(-2, 2, levels - 1)) * 1.0 for z in _normal(r)(n, rng))
        return x, y

    return drawn


def _bow(n: int, rng: Rng) -> Pair:
    x, e = rng.standard_normal((2, n))
    return x, x + x**2 / 2 + e


def _fan(n: int, rng: Rng) -> Pair:
    x, e = rng.standard_normal((2, n))
    return x, x + np.exp(x / 2) * e


def _heavy(n: int, rng: Rng) -> Pair:
    x, y = rng.standard_normal((2, n)) / np.sqrt(rng.chisquare(2, n) / 2)
    return x, x + y


def _strangers(share: float) -> Callable[[int, Rng], Pair]:
    """Two measures that agree on nearly all agents, and not at all on a few."""

    def drawn(n: int, rng: Rng) -> Pair:
        x, e, other = rng.standard_normal((3, n))
        return x, np.where(rng.random(n) < share, other, x + 0.1 * e)

    return drawn


def _ceiling(n: int, rng: Rng) -> Pair:
    """A third of the agents at the top of both."""
    x, y = _normal(0.7)(n, rng)
    return np.minimum(x, 0.43), np.minimum(y, 0.43)


def _floor(share: float, other: bool) -> Callable[[int, Rng], Pair]:
    """So many agents at the bottom of one measure, and of the other too if asked."""
    from scipy.special import ndtri

    def drawn(n: int, rng: Rng) -> Pair:
        x, y = _normal(0.5)(n, rng)
        least = ndtri(share)
        return np.maximum(x, least), np.maximum(y, least) if other else y

    return drawn


def _counts(n: int, rng: Rng) -> Pair:
    """Two counts of something rare, of agents who do it more or less: skewed, with many ties."""
    rate = 1.5 * np.exp(0.7 * rng.standard_normal(n))
    return rng.poisson(rate) * 1.0, rng.poisson(rate) * 1.0


def _of_ten(n: int, rng: Rng) -> Pair:
    """Number right on two halves of ten items each."""
    chance = 1 / (1 + np.exp(-1.2 * rng.standard_normal(n)))
    return rng.binomial(10, chance) * 1.0, rng.binomial(10, chance) * 1.0


def _camps(n: int, rng: Rng) -> Pair:
    """Two camps three deviations apart, which alone make the correlation."""
    camp = 3.0 * (rng.random(n) < 0.3)
    return camp + rng.standard_normal(n), camp + rng.standard_normal(n)


CLOUDS = {
    "tuning": {
        "normal, 0": _normal(0.0),
        "normal, .6": _normal(0.6),
        "normal, .98": _normal(0.98),
        "five steps, .5": _steps(0.5, 5),
        "a bow": _bow,
        "strangers, 3%": _strangers(0.03),
    },
    "report": {
        "normal, .3": _normal(0.3),
        "normal, -.8": _normal(-0.8),
        "normal, .95": _normal(0.95),
        "three steps, .6": _steps(0.6, 3),
        "ten steps, .9": _steps(0.9, 10),
        "a fan": _fan,
        "heavy tails": _heavy,
        "a ceiling": _ceiling,
        "strangers, 6%": _strangers(0.06),
        "strangers, 15%": _strangers(0.15),
    },
    "fresh": {
        "four steps, .7": _steps(0.7, 4),  # of which the middle two have 48% each
        "40% at one floor": _floor(0.4, other=False),
        "45% at two floors": _floor(0.45, other=True),
        "55% at two floors": _floor(0.55, other=True),
        "counts": _counts,
        "right of ten": _of_ten,
        "two camps": _camps,
    },
}
# items of a 2PL with slopes between these, and difficulties within so far of 0
TESTS = {
    "tuning": {"12 items": (12, 0.8, 2.0, 2.0), "30 alike": (30, 1.5, 1.5, 2.0)},
    "report": {"10 easy": (10, 0.7, 1.8, 1.2), "20 items": (20, 0.5, 2.5, 2.5)}
    | {"40 wide": (40, 1.0, 2.0, 3.0)},
    "fresh": {"16 middling": (16, 0.6, 1.6, 1.6)},
}
PAIRS = [("ability", "capability"), ("ability", "normalised_generality")]
PAIRS += [("lz_star", "normalised_generality")]
SIZES = {"tuning": (10, 20, 30, 60, 150, 400), "report": (10, 20, 30, 60, 150, 400)}
SIZES |= {"fresh": (20, 25, 45, 100, 250)}
_TRUTH, _OTHERS, _FEW = 400_000, 2500, {"tuning": 40, "report": 40, "fresh": 100}


def designs() -> pd.DataFrame:
    """Every design, one row each: `kind` a cloud, or a pair of measures of a test.

    >>> designs().groupby("part", sort=False).size().to_dict()
    {'tuning': 48, 'report': 78, 'fresh': 41}
    """
    rows = []
    for part in CLOUDS:
        rows += [(part, "cloud", kind, "", n) for kind, n in product(CLOUDS[part], SIZES[part])]
        some = (45, 100) if part == "fresh" else (30, 150)
        pairs = [f"{a}, {b}" for a, b in PAIRS]
        rows += [(part, "test", kind, pair, n) for kind, n, pair in product(TESTS[part], some, pairs)]
    return pd.DataFrame(rows, columns=["part", "of", "kind", "pair", "agents"])


def measure_design(row: dict[str, Any], simulations: int, seed: int) -> dict[str, float]:
    """The `truth` (its mean), the share of studies whose limits hold it (`covered`) and in which there are
    any (`offered`), and the mean `width` of the interval.

    >>> found = measure_design(designs().iloc[4].to_dict(), 50, 1)
    >>> found["covered"] > 0.8, found["truth"]
    (True, 0.0)
    """
    part, kind, agents = row["part"], row["kind"], row["agents"]
    if row["of"] == "test":
        at = [f"{a}, {b}" for a, b in PAIRS].index(row["pair"])
        found = _studies(part, kind, agents, min(simulations, _FEW[part]), seed)[:, at]
    else:
        draw, rng = CLOUDS[part][kind], np.random.default_rng([seed, agents, *kind.encode()])
        truth = rank_correlation(*draw(_TRUTH, np.random.default_rng(seed)))
        truth = 0.0 if abs(truth) < 0.005 else truth
        found = np.array([(truth, *rank_interval(*draw(agents, rng))) for _ in range(simulations)])
    given = found[~np.isnan(found[:, 1])]
    held = (given[:, 1] <= given[:, 0]) & (given[:, 0] <= given[:, 2])
    some = len(given) > 0
    return {
        "truth": round(float(found[:, 0].mean()), 4),
        "covered": round(float(held.mean()), 4) if some else np.nan,
        "offered": round(len(given) / len(found), 4),
        "width": round(float((given[:, 2] - given[:, 1]).mean()), 4) if some else np.nan,
    }


@lru_cache(maxsize=2)
def _studies(part: str, kind: str, agents: int, simulations: int, seed: int) -> FloatArray:
    """Truth, low and high of each pair of measures in each study: studies x pairs x 3.

    The truth is the rank correlation of very many other agents, measured with the items as this study
    found them: the limits are of agents, not of the model.
    """
    count, least, most, far = TESTS[part][kind]
    slopes = np.linspace(least, most, count)[np.random.default_rng(count).permutation(count)]
    items = pd.DataFrame({"discrimination": slopes, "difficulty": np.linspace(-far, far, count)})
    rng = np.random.default_rng([seed, agents, *kind.encode()])
    found = []
    for _ in range(simulations):
        seen, others = (simulate_irt(items, n, seed=rng) for n in (agents, _OTHERS))
        model = irt(seen, priors="weak")
        assert isinstance(model, BinaryModel)
        own, wider = (_measured(one, model, items) for one in (seen, others))
        rows = [
            (
                rank_correlation(*wider[list(p)].dropna().to_numpy().T),
                *rank_interval(*own[list(p)].dropna().to_numpy().T),
            )
            for p in PAIRS
        ]
        found.append(rows)
    return np.array(found)


def _measured(data: Responses, model: BinaryModel, items: pd.DataFrame) -> pd.DataFrame:
    """Ability, lz*, capability and γ of agents, by a model fitted to these or to others."""
    answers = model.answers._replace(frame=data.frame[model.answers.frame.columns])
    same = BinaryModel(replace(model.fit, answers=answers), data.frame)
    table = generality(data.with_difficulty(items["difficulty"].to_numpy()))
    return table.assign(ability=same.abilities["ability"], lz_star=same.person_fit()["lz_star"])


def study(out: str, simulations: int = 400, seed: int = 242, jobs: int | None = 1) -> pd.DataFrame:
    """The table of all designs, written to `out`; finished designs are kept beside it."""
    return kept_study(out, designs(), measure_design, simulations, seed, jobs)


if __name__ == "__main__":
    print(study(sys.argv[1]).groupby(["part", "of", "agents"])["covered"].describe())
