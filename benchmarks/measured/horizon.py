"""How often do the intervals of a horizon hold the truth? Measured on simulated studies.

Agents of known θ and β meet one suite of tasks (`gl.simulate_runs`); in half of the designs each family
shifts an agent's threshold by a draw of its own. The target is then the curve that fits the mean over such
shifts. The jackknife was chosen on other seeds than those of the kept table (`specs/horizon.md`,
section 15), which is `data/measured/horizon_coverage.csv`; `python -m benchmarks.measured.horizon OUT.csv`
makes it again.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit

from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, integer
from gindex_lab.measures.horizons.coverage import simulate_runs
from gindex_lab.measures.horizons.fitting import fit
from gindex_lab.measures.horizons.horizons import horizon
from gindex_lab.measures.horizons.logistic import SPREAD
from gindex_lab.measures.horizons.runs import runs_of

__all__ = ["DESIGNS", "METHODS", "horizon_coverage"]

BETA = 0.75
_UNEVEN = (14, 51, 37, 102, 45, 9, 33)
_LYPTUS = (6.1, 0.4, 5.4, 7.3, 2.8, 1.9, 5.4), (1.5, 1.2, 2.2, 1.1, 1.6, 1.5, 1.9)


class Suite(NamedTuple):
    """Tasks in each family, and where their log2 minutes lie; spread evenly and shuffled by default."""

    sizes: tuple[int, ...]
    middle: tuple[float, ...] | None = None
    sd: tuple[float, ...] | float = 1.8


SUITES = {
    "7 families, far apart": Suite(_UNEVEN),
    "20 families": Suite((15,) * 20),
    "7 families, as Lyptus": Suite(_UNEVEN, *_LYPTUS),  # means and sds of log2 minutes, rounded
}
DESIGNS = [(suite, sd, theta) for suite in SUITES for sd in (0.0, 1.0) for theta in (2.0, 5.0, 8.0)]
METHODS = {
    "families then tasks, percentile": {"resample": "families"},
    "tasks only, percentile": {"resample": "items"},
    "jackknife by family": {"resample": "families", "method": "jackknife"},
    "sandwich by family": {"resample": "families", "method": "sandwich"},
    "sandwich by task": {"resample": "items", "method": "sandwich"},
}
_SUITE_SEED, _NODES = 20, 40


def horizon_coverage(
    designs: list[tuple[str, float, float]] | None = None,
    simulations: int = 240,
    draws: int = 500,
    *,
    ci: float = 0.95,
    seed: int = 1,
) -> pd.DataFrame:
    """The share of simulated agents whose interval holds the true log2 horizon, and the true spread.

    One row per design (suite, standard deviation of families in doublings, θ) and method: `horizon` and
    `spread` (shares), median widths, and `simulations`. Twice the standard error of a share of 95% is
    2.8 points with 240 simulations.

    >>> found = horizon_coverage([("7 families, as Lyptus", 0.0, 5.0)], simulations=20, draws=50)
    >>> found["method"].tolist()[2], bool(found["horizon"].between(0, 1).all())
    ('jackknife by family', True)
    """
    n, drawn = integer("simulations", simulations), integer("draws", draws, 10)
    rows = []
    for suite, sd, theta in DESIGNS if designs is None else designs:
        sizes = SUITES[suite].sizes
        study = simulate_runs(
            np.full(n, theta),
            BETA,
            family_sd=sd,
            lengths=suite_lengths(SUITES[suite]),
            items=sum(sizes),
            sizes=sizes,
            seed=1000 * seed + DESIGNS.index((suite, sd, theta)),
        )
        truth = target(study, theta, sd)
        for name, options in METHODS.items():
            table = horizon(study, ci=ci, draws=drawn, seed=seed, **options)  # type: ignore[arg-type]
            rows.append(
                {"suite": suite, "family_sd": sd, "theta": theta, "method": name}
                | _held(table, *truth)
                | {"simulations": n}
            )
    return pd.DataFrame(rows)


def suite_lengths(suite: Suite) -> FloatArray:
    """log2 minutes of a suite's tasks: families differ in their typical length, as in real suites."""
    random = np.random.default_rng(_SUITE_SEED)
    n = len(suite.sizes)
    even = np.linspace(0.5, 8.5, n)[random.permutation(n)]
    middle = even if suite.middle is None else np.array(suite.middle)
    each = [
        m + sd * random.standard_normal(size)
        for m, sd, size in zip(middle, np.broadcast_to(suite.sd, n), suite.sizes, strict=True)
    ]
    return np.clip(np.concatenate(each), -2, 12)


def target(study: Responses, theta: float, sd: float) -> tuple[float, float]:
    """θ and spread of the curve that fits the mean success over families not yet met."""
    if sd == 0:
        return theta, SPREAD / BETA
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    runs = runs_of(study.select(agents=[study.frame.index[0]]))
    mean = expit(-BETA * (runs.h[:, None] - theta - sd * nodes)) @ (weights / weights.sum())
    found = fit(runs.h, mean, runs.weight[None], 1e-5)
    return float(found.theta[0]), float(SPREAD / found.beta[0])


def _held(table: pd.DataFrame, theta: float, spread: float) -> dict[str, float]:
    low, high = np.log2(table["horizon_50_low"].clip(1e-9)), np.log2(table["horizon_50_high"])
    narrow, wide = table["spread_logistic_low"], table["spread_logistic_high"]
    return {
        "horizon": float(((low <= theta) & (theta <= high)).mean()),
        "spread": float(((narrow <= spread) & (spread <= wide)).mean()),
        "width_log2_horizon": float((high - low).median()),
        "width_spread": float((wide - narrow).median()),
    }


if __name__ == "__main__":
    found = horizon_coverage()
    write_text(Path(sys.argv[1]), found.to_csv(index=False))
    print(found.groupby(["suite", "method"])[["horizon", "spread"]].min())
