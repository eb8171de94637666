"""How often are equal agents told apart, and different ones not? All pairs of a study at once.

"Equal" designs count the studies with a single false separation among all pairs (the family-wise error,
nominally .05); the others count how often two agents that do differ are separated. The table is kept in
`data/measured/separations.csv`; `python -m benchmarks.measured.separations OUT.csv` makes it
again.
"""

from __future__ import annotations

import sys
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.measures.generality import generality
from gindex_lab.measures.pairs import separations
from gindex_lab.studies.simulations.coverage import Profile
from gindex_lab.studies.simulations.coverage_study import AGENTS, kept_study

__all__ = ["measure_separations", "separation_designs"]

_MEASURES = ("capability", "spread", "normalised_generality")
_EQUAL = ("flat half", "flat .95", "flat .1", "typical")


def _logistic(slope: float) -> Profile:
    """1 / (1 + exp(slope (h - ½))), by the width that gives this slope."""
    return Profile(0.5, np.pi / (np.sqrt(3) * slope))


_DIFFERENT = {
    "capability .4 and .6": [Profile(floor=x, ceiling=x) for x in (0.4, 0.6)],
    "capability .3 and .7": [Profile(floor=x, ceiling=x) for x in (0.3, 0.7)],
    "slopes 4 and 20": [_logistic(4), _logistic(20)],
}


def separation_designs() -> pd.DataFrame:
    """Every design: which agents, how many of them, and the number of items.

    >>> len(separation_designs())
    45
    """
    equal = product(_EQUAL, [3, 10, 30], [10, 20, 50])
    different = product(_DIFFERENT, [2], [20, 50, 100])
    return pd.DataFrame([*equal, *different], columns=["agents", "number", "items"])


def measure_separations(row: dict[str, Any], simulations: int, seed: int) -> dict[str, float]:
    """The share of simulated studies in which any two agents are separated, by measure.

    >>> row = {"agents": "capability .3 and .7", "number": 2, "items": 50}
    >>> measure_separations(row, 20, 1)["capability"] > 0.7
    True
    """
    rng = np.random.default_rng([seed, *row["agents"].encode(), row["number"], row["items"]])
    curves = _DIFFERENT.get(row["agents"]) or [AGENTS[row["agents"]]] * row["number"]
    h = np.linspace(0, 1, row["items"])
    chance = np.stack([curve(h) for curve in curves])
    found = np.zeros(len(_MEASURES))
    for _ in range(simulations):
        table = generality((rng.random(chance.shape) < chance).astype(float), h, ci=0.95)
        found += [separations(table, name).to_numpy().any() for name in _MEASURES]
    return dict(zip(_MEASURES, (found / simulations).round(4).tolist(), strict=True))


if __name__ == "__main__":
    print(kept_study(sys.argv[1], separation_designs(), measure_separations, 1_000, 15))
