"""Simulated studies of a horizon, for teaching and tests, and how often its intervals held the truth.

The table of coverage (`data/measured/horizon_coverage.csv`) was made by `benchmarks/measured/horizon.py`, on
agents of known θ and β: 240 for every design, 500 draws each (`specs/horizon.md`, section 15).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import NumbersLike, SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import generator, vector

__all__ = ["coverage_ranges", "simulate_runs"]


def coverage_ranges(table: pd.DataFrame) -> pd.DataFrame:
    """Each method's lowest and highest share over the designs, with and without family effects.

    >>> table = pd.DataFrame({"family_sd": [0.0, 0.0, 1.0], "method": "m", "horizon": [0.95, 0.97, 0.9],
    ...                       "spread": [0.9, 0.91, 0.8]})
    >>> coverage_ranges(table).loc["m"].tolist()
    ['95–97%', '90–91%', '90%', '80%']
    """
    found: dict[str, dict[str, str]] = {}
    for (method, effects), rows in table.groupby(["method", table["family_sd"] > 0], sort=False):
        for name in ("horizon", "spread"):
            low, high = (f"{100 * x:.0f}" for x in (rows[name].min(), rows[name].max()))
            column = f"{name}, family effects" if effects else name
            found.setdefault(method, {})[column] = f"{low}%" if low == high else f"{low}–{high}%"
    return pd.DataFrame.from_dict(found, orient="index")


def simulate_runs(
    theta: NumbersLike,
    beta: float,
    items: int = 100,
    families: int = 10,
    *,
    family_sd: float = 0.0,
    lengths: NumbersLike = None,
    sizes: NumbersLike = None,
    seed: SeedLike = None,
) -> Responses:
    """Simulated agents of known threshold θ and steepness β on items of log2 length h: ψ(h - shift).

    Parameters
    ----------
    theta : threshold of each agent, in log2 minutes
    beta : steepness of all
    items, families : how many
    family_sd : standard deviation of the shift that each family gives to each agent's threshold
    lengths : log2 minutes of the items; uniform on [-1, 11] by default
    sizes : number of items of each family; nearly equal by default
    seed : of the draws

    Returns
    -------
    Responses
        0 or 1, with the columns `minutes` and `family` of the items.

    References
    ----------
    `specs/horizon.md`, section 15.

    Examples
    --------
    >>> study = simulate_runs([5.0], 0.75, items=12, families=3, seed=1)
    >>> study.shape, study.family.nunique()
    ((1, 12), 3)
    """
    random = generator(seed)
    places = vector("theta", theta if np.ndim(theta) else [theta])
    h = random.uniform(-1, 11, items) if lengths is None else vector("lengths", lengths)
    family = np.sort(np.arange(len(h)) % families)
    if sizes is not None:
        counts = vector("sizes", sizes).astype(int)
        problem = f"[wrong-length] do not add up to {len(h)} items"
        ensure(counts.sum() == len(h), "sizes", int(counts.sum()), problem, "match them")
        family = np.repeat(np.arange(len(counts)), counts)
    shift = family_sd * random.standard_normal((len(places), family.max() + 1))
    chance = 1 / (1 + np.exp(beta * (h - places[:, None] - shift[:, family])))
    solved = (random.random(chance.shape) < chance).astype(float)
    names = [f"task {k + 1}" for k in range(len(h))]
    facts = pd.DataFrame({"minutes": 2.0**h, "family": [f"family {k + 1}" for k in family]}, index=names)
    agents = [f"agent {k + 1}" for k in range(len(places))]
    return Responses(pd.DataFrame(solved, agents, names), items=facts, source="simulated")
