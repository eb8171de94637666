"""Does a 95% interval cover 95 times in 100? Simulated agents whose true curve is known.

An agent's curve is a logistic one between a floor (guessing) and a ceiling (lapses). Items are drawn
over the difficulties, responses are right or wrong with the curve's chance, and families of items
share part of their luck through a Gaussian copula, which leaves the curve itself as it is. Then
every interval is compared with the truth.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, choice, generator, integer, number
from gindex_lab.measures.alternatives.bootstrap import METHODS, bootstrap_table
from gindex_lab.measures.curves import conclude

__all__ = ["PROFILES", "Profile", "coverage", "coverage_table", "simulate_profile", "transform_coverage"]

_MEASURES = ("capability", "spread", "normalised_generality")
_BATCH = 25  # simulated agents that share one draw of difficulties, for speed
_INTERVAL = (0.0, 1.0)
TRUTH = 40_000  # items of the long study that stands for the truth of a transform: a judgement


@dataclass(frozen=True)
class Profile:
    """ψ(h) = floor + (ceiling - floor) / (1 + exp(π(h - centre) / (√3 width))) on [0, 1].

    Between floor 0 and ceiling 1, and away from the ends, the capability is `centre` and the spread is
    `width` (supplement, proposition 18, for the logistic in place of the normal curve).

    >>> truth = Profile(centre=0.5, width=0.1).truth()
    >>> {name: round(value, 3) for name, value in truth.items()}
    {'capability': 0.5, 'spread': 0.1, 'normalised_generality': 0.96}
    """

    centre: float = 0.5
    width: float = 0.2
    floor: float = 0.0
    ceiling: float = 1.0

    def __call__(self, h: FloatArray) -> FloatArray:
        from scipy.special import expit

        slope = np.pi / (np.sqrt(3) * self.width)
        return self.floor + (self.ceiling - self.floor) * expit(slope * (self.centre - h))

    def truth(self, points: int = 2_001) -> dict[str, float]:
        """The measures of the curve itself, by fine quadrature."""
        h = np.linspace(*_INTERVAL, points)
        area, moment = (np.array([np.trapezoid(psi, h)]) for psi in (self(h), self(h) * h))
        found = conclude(area, moment, 2 * moment - area**2, _INTERVAL)
        return {name: float(getattr(found, name)[0]) for name in _MEASURES}


PROFILES = {
    "steep": Profile(0.3, 0.05),
    "gradual": Profile(0.5, 0.1),
    "typical": Profile(0.6, 0.2),
    "shallow": Profile(0.4, 0.35),
    "guesser": Profile(0.5, 0.1, floor=0.25),
    "lapsing": Profile(0.6, 0.1, ceiling=0.92),
    "near the top": Profile(0.88, 0.1),
    "flat half": Profile(floor=0.5, ceiling=0.5),
    "flat high": Profile(floor=0.8, ceiling=0.8),
}


def drawn_profile(random: np.random.Generator) -> Profile:
    """One agent of a mixed population: any centre, spreads over a factor of ten, some guess or lapse."""
    floor = random.uniform(0, 0.25) if random.random() < 0.3 else 0.0
    ceiling = random.uniform(0.9, 1) if random.random() < 0.3 else 1.0
    return Profile(random.uniform(0.15, 0.85), 0.04 * 10 ** random.random(), floor, ceiling)


def answers(
    chance: FloatArray, families: int, likeness: float, random: np.random.Generator
) -> tuple[FloatArray, np.ndarray]:
    """Right (1) or wrong (0) with these chances (A, N), and the family of each item.

    Within one of the `families` (0: every item alone) an agent's luck has correlation `likeness`, through a
    Gaussian copula that leaves the chances as they are.
    """
    from scipy.special import ndtr

    agents, items = chance.shape
    groups, share = families or items, likeness if families else 0.0
    family = random.permutation(np.arange(items) % groups)
    luck = np.sqrt(share) * random.standard_normal((agents, groups))[:, family]
    luck += np.sqrt(1 - share) * random.standard_normal((agents, items))
    return (ndtr(luck) < chance).astype(float), family


def simulate_profile(
    profiles: list[Profile],
    items: int,
    *,
    families: int | None = None,
    likeness: float = 0.3,
    design: str = "covered",
    levels: int | None = None,
    seed: SeedLike = 1,
) -> Responses:
    """Right or wrong answers of agents with known curves on fresh items, uniform over [0, 1].

    Parameters
    ----------
    profiles : the curve of each agent
    items : how many
    families : how many families the items are dealt to
    likeness : the correlation of an agent's luck within a family
    design : "covered" puts an item at both ends; "open" leaves them to chance
    levels : how many equally spaced difficulties to round to
    seed : whole number or Generator

    Returns
    -------
    Responses
        Agents x items, with `difficulty` and `family`.

    References
    ----------
    Generality supplement, Proposition 18 (the curves, with a logistic in place of the normal).

    Examples
    --------
    >>> simulate_profile([Profile()], 20, families=5, seed=1)
    Responses(1 agents x 20 items, with difficulties, simulated)
    """
    random = generator(seed)
    choice("design", design, ["covered", "open"])
    h = np.sort(random.random(integer("items", items, 3)))
    if design == "covered":
        h = (h - h[0]) / (h[-1] - h[0])
    if levels is not None:
        steps = integer("levels", levels, 2) - 1
        h = np.round(h * steps) / steps
    groups = 0 if families is None else integer("families", families, 3)
    ensure(groups <= items, "families", families, f"[too-many] are more than the {items} items", "use fewer")
    chance = np.stack([profile(h) for profile in profiles])
    solved, family = answers(chance, groups, number("likeness", likeness, 0, 1), random)
    names = [f"item {i + 1}" for i in range(items)]
    frame = pd.DataFrame(solved, index=[f"agent {i + 1}" for i in range(len(profiles))], columns=names)
    about = pd.DataFrame({"difficulty": h, "family": family}, index=names)
    return Responses(frame, items=about, interval=_INTERVAL, source="simulated")


def coverage(
    profile: str = "population",
    items: int = 100,
    simulations: int = 1000,
    *,
    families: int | None = None,
    likeness: float = 0.3,
    design: str = "covered",
    levels: int | None = None,
    resample: str | None = None,
    method: str = "studentised",
    resamples: int = 1000,
    ci: float = 0.95,
    seed: SeedLike = 1,
) -> pd.DataFrame:
    """How often intervals hold the truth, in simulated studies of one agent each.

    Parameters
    ----------
    profile : one of `PROFILES`, or "population": a new agent of a mixed population every time
    items : of a study
    simulations : studies
    families, likeness, design, levels : of the items, as in `simulate_profile`
    resample : "items" or "families"; families where there are some, by default
    method : of the bootstrap, as in `gl.bootstrap_table`
    resamples : of each bootstrap
    ci : level of confidence
    seed : whole number or Generator

    Returns
    -------
    DataFrame
        By measure: `coverage`, `below` and `above` (the shares of intervals that lie wholly below or above
        the truth), `width` (the median) and `simulations`.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 12 to 14.

    Examples
    --------
    >>> found = coverage("typical", items=50, simulations=100, seed=1)
    >>> bool((found["coverage"] > 0.85).all()), list(found.index)
    (True, ['capability', 'spread', 'normalised_generality'])
    """
    choice("profile", profile, ["population", *PROFILES])
    choice("method", method, METHODS)
    random, parts = generator(seed), []
    unit = resample or ("items" if families is None else "families")
    for start in range(0, integer("simulations", simulations), _BATCH):
        size = min(_BATCH, simulations - start)
        some = [PROFILES.get(profile) or drawn_profile(random) for _ in range(size)]
        study = simulate_profile(
            some, items, families=families, likeness=likeness, design=design, levels=levels, seed=random
        )
        with warnings.catch_warnings():  # families may be ignored here on purpose, to see what it costs
            warnings.simplefilter("ignore", UserWarning)
            table = bootstrap_table(
                study, ci=ci, resample=unit, method=method, resamples=resamples, seed=random
            )
        parts.append(_against(table, pd.DataFrame([agent.truth() for agent in some])))
    return _summary(pd.concat(parts))


def coverage_table(
    designs: Mapping[str, Mapping[str, Any]], simulations: int = 1000, *, seed: SeedLike = 1, **common: Any
) -> pd.DataFrame:
    """`coverage` of several designs.

    Parameters
    ----------
    designs : the arguments of `coverage` for each design, by name
    simulations : studies of each
    seed : whole number or Generator
    **common : arguments of `coverage` for all designs

    Returns
    -------
    DataFrame
        The columns of `coverage`, by design and measure.

    Examples
    --------
    >>> found = coverage_table({"short": {"items": 20}, "long": {"items": 60}}, 50, seed=1)
    >>> found["coverage"].unstack().shape
    (2, 3)
    """
    random = generator(seed)
    found = {
        name: coverage(simulations=simulations, seed=random, **common, **what)
        for name, what in designs.items()
    }
    return pd.concat(found)


def transform_coverage(
    transform: str = "rank",
    strengths: Sequence[float] = (0.0, 0.0, 0.0, 0.0, 0.0),
    items: int = 20,
    simulations: int = 500,
    *,
    agent: int = 0,
    ci: float = 0.95,
    seed: SeedLike,
) -> pd.DataFrame:
    """How often intervals of one agent hold the truth after raw scores are transformed.

    Scores are normal around each agent's strength with deviation 1, independent over items, and become
    positions ("rank", the staircase itself) or wins over the last agent ("absolute_reference"). The
    truth is what the same agents show on 40,000 items: the population is fixed, the items vary.

    >>> found = transform_coverage("rank", (2.5, 0, 0, 0, 0), items=10, simulations=100, seed=1)
    >>> bool(found.loc["capability", "coverage"] > 0.85)
    True
    """
    choice("transform", transform, ["rank", "absolute_reference"])
    centres = np.array([number("strengths", x) for x in strengths])[:, None]
    random, place, length = generator(seed), integer("agent", agent, 0), integer("items", items, 3)
    problem = "[not-an-agent] is not an agent, or is the reference"
    known = place < len(centres) - (transform != "rank")
    ensure(known, "agent", agent, problem, "give another position")
    truth = transformed(transform, centres, TRUTH, random).iloc[[place]]
    tables = [
        transformed(transform, centres, length, random, ci).iloc[[place]]
        for _ in range(integer("simulations", simulations))
    ]
    true = pd.concat([truth[list(_MEASURES)]] * len(tables))
    return _summary(_against(pd.concat(tables), true))


def transformed(
    transform: str, centres: FloatArray, items: int, random: np.random.Generator, ci: float | None = None
) -> pd.DataFrame:
    """The table of `gl.generality` for fresh scores of agents with these strengths (A, 1)."""
    from gindex_lab.measures.generality import generality
    from gindex_lab.measures.transforms import absolute_reference, rank

    while True:
        scores = centres + random.standard_normal((len(centres), items))
        if transform == "rank":
            return generality(rank(scores, columns=None), ci=ci)
        study = absolute_reference(scores, f"agent {len(centres)}")
        if study.items["difficulty"].nunique() > 1:  # items of one difficulty make no curve
            return generality(study, ci=ci)


def _against(table: pd.DataFrame, truth: pd.DataFrame) -> pd.DataFrame:
    """One row per simulated agent and measure: where its interval lies, and how wide it is."""
    rows = []
    for name in _MEASURES:
        low, high, true = (x.to_numpy() for x in (table[f"{name}_low"], table[f"{name}_high"], truth[name]))
        rows.append(
            pd.DataFrame({"measure": name, "below": high < true, "above": low > true, "width": high - low})
        )
    return pd.concat(rows)


def _summary(rows: pd.DataFrame) -> pd.DataFrame:
    by = rows.groupby("measure", sort=False)
    found = by[["below", "above"]].mean()
    found.insert(0, "coverage", 1 - found["below"] - found["above"])
    found["width"] = by["width"].median()
    found["simulations"] = by.size()
    return found.rename_axis(None)
