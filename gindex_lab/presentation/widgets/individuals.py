"""Factor analysis sees populations, generality sees individuals.

Two sliders, two independent things. How much do agents differ in capability? That makes items correlate,
and a general factor appear, whatever the agents are like. How steep is each agent's own curve? That is
generality, and one agent alone has it (supplement, B.2; Hernández-Orallo and others).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import generator, integer, number
from gindex_lab.measures.generality import generality
from gindex_lab.measures.psychometrics.factors import factors
from gindex_lab.presentation.plots.common import styled
from gindex_lab.presentation.widgets.curve import responses_and_plane
from gindex_lab.presentation.widgets.front import Control, LiveDemo
from gindex_lab.presentation.widgets.live import View
from gindex_lab.studies.simulations.manifold import random_tests

__all__ = ["general_factor_share", "individuals_demo", "individuals_view", "population_responses"]

_EQUATIONS = (
    r"\psi_j(h) = w\,[h \le c_j] + (1 - w)\,\frac{c_j}{q}",
    r"c_j \sim \mathrm{N}(q/2,\ v\,q)",
    r"\mathbf{R} \approx \lambda\lambda^{\top} + \mathrm{diag}(u)",
)
_TESTS = 8  # of 12 of the 96 items each; fewer than three could not show a factor


def population_responses(
    steepness: float, variation: float, agents: int = 120, items: int = 96, seed: SeedLike = 1
) -> Responses:
    """Agents of capability N(1/2, variation) of the range, each a mixture of a step and a constant.

    With weight `steepness` an agent solves what its capability reaches, otherwise any item by its rate;
    either way the area under its curve is the same.

    >>> population_responses(1, 0, agents=2, items=4).frame.to_numpy().tolist()
    [[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]]
    """
    w, v = number("steepness", steepness, 0, 1), number("variation", variation, 0, 1)
    n, m = integer("agents", agents, 2), integer("items", items, 4)
    draw = generator(seed)
    capability = np.clip(0.5 + v * draw.standard_normal(n), 0.02, 0.98)
    step = (np.arange(1, m + 1)[None, :] - 0.5) / m <= capability[:, None]
    chance = w * step + (1 - w) * capability[:, None]
    solved = draw.random((n, m)) < chance
    names = [f"agent {k + 1}" for k in range(n)]
    frame = pd.DataFrame(solved.astype(float), names, [f"item {k + 1}" for k in range(m)])
    return Responses(frame, np.arange(1, m + 1), interval=(0, m + 1), source="simulated")


def general_factor_share(responses: Responses, tests: int = _TESTS, seed: SeedLike = 1) -> float:
    """The share of the variance of `tests` random tests that one factor carries; 0 if nothing varies.

    The items are dealt at random into tests of equal size, as in a battery (supplement, B.2).

    >>> general_factor_share(population_responses(0, 0.3)) > 0.6
    True
    >>> general_factor_share(population_responses(1, 0))
    0.0
    """
    scores = random_tests(responses.frame.to_numpy(), tests, seed)
    if (np.ptp(scores, axis=0) > 0).sum() < 3:
        return 0.0
    return factors(pd.DataFrame(scores), constant="drop").proportion_of_variance


@styled
def individuals_view(steepness: float, variation: float, seed: int = 1) -> View:
    """The population, its plane of capability and spread, and what each analysis says of it.

    >>> same = individuals_view(steepness=1, variation=0)
    >>> same.numbers["variance of one factor (%)"], round(same.numbers["mean γ"], 2)
    (0.0, 1.0)
    """
    study = population_responses(steepness, variation, seed=seed)
    table = generality(study)
    titles = "120 agents, the least capable on top", "Their places"
    figure = responses_and_plane(study, table.sort_values("capability"), titles, wspace=0.2, left=0.05)
    share = general_factor_share(study, seed=seed)
    numbers = {
        "variance of one factor (%)": round(100 * share, 1),
        "mean γ": float(table["normalised_generality"].mean()),
        "mean capability Ψ": float(table["capability"].mean()),
        "sd of capability": float(table["capability"].std()),
    }
    population = f"gl.widgets.population_responses({steepness:g}, {variation:g}, seed={seed})"
    code = (
        f"population = {population}\n"
        f"gl.generality(population), gl.widgets.general_factor_share(population, seed={seed})"
    )
    return View(figure, numbers, code, _reading(share, numbers["mean γ"]), {"indicators": table})


def _reading(share: float, gamma: float) -> str:
    factor = "A strong general factor" if share > 0.5 else "Hardly any general factor"
    agents = "the agents are general" if gamma > 0.8 else "the agents are general in part"
    agents = "the agents are not general" if gamma < 0.25 else agents
    link = "and" if (share > 0.5) == (gamma > 0.8) else "yet"
    return f"{factor} in the population, {link} one by one {agents}."


def individuals_demo() -> LiveDemo:
    """The demo: one slider for the individuals, one for the population.

    >>> individuals_demo().controls["variation"].max
    0.4
    """
    controls = {
        "steepness": Control("steepness w", 1.0),
        "variation": Control("variation v", 0.2, max=0.4),
        "seed": Control("seed", 1, 1, 20, 1),
    }
    title = "Populations and individuals"
    return LiveDemo(individuals_view, controls, name="individuals", title=title, equations=_EQUATIONS)
