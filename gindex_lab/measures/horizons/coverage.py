"""Simulated studies of a horizon, for teaching and tests, and how often its intervals held the truth.

The table of coverage was made by `benchmarks/measured/horizon.py`, on agents of known θ and β
(`specs/horizon.md`, section 15).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import NumbersLike, SeedLike
from gindex_lab.foundation.places import project_file
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, generator, integer, number, vector

__all__ = ["coverage_ranges", "measured_horizon_coverage", "simulate_runs"]


def measured_horizon_coverage() -> pd.DataFrame:
    """The kept table: every design, 240 simulated agents each, 500 draws.

    >>> measured_horizon_coverage()["simulations"].unique().tolist()
    [240]
    """
    return pd.read_csv(project_file("measured", "measured", "horizon_coverage.csv"))


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
    """Agents with thresholds θ and steepness β on items of log2 length h, solved with ψ(h - shift).

    Each family shifts every agent's threshold by a draw of its own with standard deviation `family_sd`
    (per agent and family). `lengths` are the items' log2 minutes (uniform on [-1, 11] by default) and
    `sizes` how many items each family has, nearly equal by default (`specs/horizon.md`, section 15).

    >>> study = simulate_runs([5.0], 0.75, items=12, families=3, seed=1)
    >>> study.shape, study.family.nunique()
    ((1, 12), 3)
    """
    random = generator(seed)
    places = vector("theta", theta if np.ndim(theta) else [theta])
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


def _lengths(lengths: NumbersLike, items: int, random: np.random.Generator) -> FloatArray:
    return random.uniform(-1, 11, items) if lengths is None else vector("lengths", lengths)


def _sizes(sizes: NumbersLike, items: int, families: int) -> np.ndarray:
    if sizes is None:
        return np.sort(np.arange(items) % families)
    counts = vector("sizes", sizes).astype(int)
    if counts.sum() != items:
        problem = f"[wrong-length] do not add up to {items} items"
        raise BadInput("sizes", int(counts.sum()), problem, "match them")
    return np.repeat(np.arange(len(counts)), counts)
