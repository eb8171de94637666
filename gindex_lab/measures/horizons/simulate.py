"""Simulated runs with known horizons: for checks of coverage, teaching, and examples."""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, generator, integer, number, vector

__all__ = ["simulate_runs"]


def simulate_runs(
    theta: object,
    beta: float,
    items: int = 100,
    families: int = 10,
    *,
    family_sd: float = 0.0,
    lengths: object = None,
    sizes: object = None,
    seed: SeedLike = None,
) -> Responses:
    """Agents with thresholds θ and steepness β on items of log2 length h, solved with ψ(h - shift).

    Each family shifts every agent's threshold by a draw of its own with standard deviation `family_sd`
    (per agent and family). `lengths` are the items' log2 minutes (uniform on [-1, 11] by default) and
    `sizes` how many items each family has (as equal as can be by default).

    >>> study = simulate_runs([5.0], 0.75, items=12, families=3, seed=1)
    >>> study.shape, study.family.nunique()
    ((1, 12), 3)
    """
    random = generator(seed)
    places = vector("theta", np.atleast_1d(np.asarray(theta, dtype=float)))
    slope = number("beta", beta, 0, open_ends=True)
    sd = number("family_sd", family_sd, 0)
    h = _lengths(lengths, integer("items", items, 2), random)
    family = _sizes(sizes, len(h), integer("families", families))
    shift = sd * random.standard_normal((len(places), family.max() + 1))
    chance = 1 / (1 + np.exp(slope * (h - places[:, None] - shift[:, family])))
    solved = (random.random(chance.shape) < chance).astype(float)
    names = [f"task {k + 1}" for k in range(len(h))]
    facts = pd.DataFrame(
        {"minutes": 2.0**h, "family": [f"family {k + 1}" for k in family]}, index=names
    )
    agents = [f"agent {k + 1}" for k in range(len(places))]
    return Responses(pd.DataFrame(solved, agents, names), items=facts, source="simulated")


def _lengths(lengths: object, items: int, random: np.random.Generator) -> FloatArray:
    return random.uniform(-1, 11, items) if lengths is None else vector("lengths", lengths)


def _sizes(sizes: object, items: int, families: int) -> np.ndarray:
    if sizes is None:
        return np.sort(np.arange(items) % families)
    counts = vector("sizes", sizes).astype(int)
    if counts.sum() != items:
        raise BadInput(
            "sizes",
            int(counts.sum()),
            f"do not add up to {items} items",
            "match them",
            code="wrong-length",
        )
    return np.repeat(np.arange(len(counts)), counts)
