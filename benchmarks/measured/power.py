"""Is the power that `gl.power` predicts the share of studies that `gl.comparisons` separates?

Twelve designs, four measures. The prediction is one call; the check draws right or wrong answers of pairs of
agents on the same items, analyses them with `gl.generality` and puts them to `gl.comparisons`' test. The
designs on which the closed form was tuned are others. The table is kept in `data/measured/power.csv`;
`python -m benchmarks.measured.power OUT.csv` makes it again, and goes on where it stopped.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import Caution
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.generality import generality
from gindex_lab.measures.pairs import pair_table
from gindex_lab.measures.planning.designs import MEASURES, Design, curves_apart
from gindex_lab.measures.planning.separating import closed_form, observed
from gindex_lab.studies.simulations.coverage import Profile
from gindex_lab.studies.simulations.coverage_study import kept_study

__all__ = ["DESIGNS", "check_power", "power_designs"]

_BATCH = 100  # studies on the same items

#: Name: the design, and the differences in capability, spread, γ and mean.
DESIGNS: dict[str, tuple[Design, tuple[float, float, float, float]]] = {
    "40 items": (Design(items=40, spread=0.25), (0.24, 0.22, 0.4, 0.24)),
    "80 items, steep": (Design(items=80, accuracy=0.4, spread=0.12), (0.12, 0.12, 0.16, 0.12)),
    "150 items, strong": (Design(items=150, accuracy=0.75, spread=0.2), (0.1, 0.12, 0.3, 0.1)),
    "300 items, shallow": (Design(items=300, spread=0.35), (0.1, 0.08, 0.12, 0.1)),
    "120 items, flat": (Design(items=120, curve=(0.55, 0.55)), (0.16, 0.14, 0.4, 0.16)),
    "60 items, guessing": (Design(items=60, curve=Profile(0.5, 0.1, floor=0.25)), (0.2, 0.2, 0.35, 0.2)),
    "200 items, 20 families": (Design(items=200, families=20, likeness=0.25), (0.12, 0.09, 0.15, 0.12)),
    "150 items, 50 families": (
        Design(items=150, families=50, likeness=0.5, accuracy=0.6),
        (0.14, 0.12, 0.25, 0.14),
    ),
    "100 items, luck shared": (Design(items=100, shared=0.5), (0.1, 0.12, 0.2, 0.1)),
    "50 items, 5 times": (Design(items=50, repeats=5, stable=0.4, accuracy=0.6), (0.14, 0.12, 0.25, 0.14)),
    "100 items at random": (Design(items=100, spacing="random", spread=0.15), (0.14, 0.12, 0.18, 0.12)),
    "90 items, 6 levels": (
        Design(items=90, difficulty=tuple(np.repeat(np.linspace(0, 1, 6), 15))),
        (0.14, 0.12, 0.2, 0.14),
    ),
}


def power_designs() -> pd.DataFrame:
    """Every design with every measure.

    >>> len(power_designs())
    48
    """
    rows = [(name, measure) for name in DESIGNS for measure in MEASURES]
    return pd.DataFrame(rows, columns=["design", "measure"])


def check_power(row: dict[str, Any], simulations: int, seed: int) -> dict[str, float]:
    """The predicted power, its closed form, and the share that `gl.comparisons` separates.

    >>> found = check_power({"design": "40 items", "measure": "mean"}, 40, 1)
    >>> sorted(found)
    ['closed_form', 'observed', 'predicted']
    """
    name, measure = row["design"], row["measure"]
    rng = np.random.default_rng([seed, *f"{name} {measure}".encode()])
    design, gaps = DESIGNS[name]
    gap = dict(zip(("capability", "spread", "normalised_generality", "mean"), gaps, strict=True))
    h = design.places()
    above, below, _ = curves_apart(design, h, design.chance(h)[None], measure, gap[measure])
    chance = np.concatenate([above, below])
    predicted, _ = observed(design, chance, measure, 0.95, simulations, rng)
    starts = range(0, simulations, _BATCH)
    apart = [one for _ in starts for one in _separated(design, h, chance, measure, rng)]
    closed = closed_form(design, chance, measure, 0.95)
    found = {"predicted": predicted, "closed_form": closed, "observed": float(np.mean(apart))}
    return {name: round(value, 4) for name, value in found.items()}


def _separated(
    design: Design, h: FloatArray, chance: FloatArray, measure: str, rng: np.random.Generator
) -> list[bool]:
    """Studies of two agents each on the same items, drawn here and analysed as `gl.comparisons` does."""
    from scipy.special import ndtr

    n = design.items
    at, psi = h, chance
    if design.spacing == "random":
        u = np.sort(rng.random(n))
        at = (u - u[0]) / (u[-1] - u[0])
        psi = np.stack([np.interp(at, h, one) for one in chance])
    family, shape = np.arange(n) % (design.families or n), (_BATCH, 2, n)
    shared, likeness, stable = design.lucks
    luck = np.sqrt(shared) * rng.standard_normal((_BATCH, 1, n))
    luck = luck + np.sqrt(stable) * rng.standard_normal(shape)
    luck += np.sqrt(likeness) * rng.standard_normal((_BATCH, 2, family.max() + 1))[..., family]
    fresh = rng.standard_normal((design.repeats, *shape)) * np.sqrt(1 - shared - likeness - stable)
    answers = (ndtr(luck + fresh) < psi).mean(axis=0).reshape(2 * _BATCH, n)
    items = pd.DataFrame({"difficulty": at, "family": family})
    study = Responses(pd.DataFrame(answers), items=items, interval=(0.0, 1.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Caution)
        table = generality(study, ci=0.95, resample=design.resample)
    first = np.arange(0, 2 * _BATCH, 2)  # of all pairs that `gl.comparisons` tests, those of one study
    return (pair_table(table.fit, measure, first, first + 1, 0.95)["p_value"] <= 0.05).tolist()


if __name__ == "__main__":
    print(kept_study(sys.argv[1], power_designs(), check_power, 8_000, 23))
