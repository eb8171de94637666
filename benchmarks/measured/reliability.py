"""How often do the limits of α hold, and those of bootstrapped loadings?

Designs and seeds are fixed here. Which limits of α are offered (`reliability.alpha_limits`) was chosen on the
responses called "tuning" with other seeds; the verdict is that of the others. ω has no limits. That a
bifactor rotation has none was chosen when "report" had been seen: its verdict is that of "fresh", written
down after that and before its run (`would`: how often the percentiles hold, shown or not). Kept in
`data/measured/reliability.csv`; `python -m benchmarks.measured.reliability OUT.csv` makes it again.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import Caution
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.extraction import extract
from gindex_lab.measures.psychometrics.factors import factors, procrustes, resampled_loadings
from gindex_lab.measures.psychometrics.reliability import alpha_interval, alpha_limits, cronbach_alpha
from gindex_lab.measures.psychometrics.rotation import rotate
from gindex_lab.studies.simulations.coverage_study import kept_study

__all__ = ["designs", "measure_design", "study"]

Rng = np.random.Generator
_POPULATION, _RESAMPLES, _BOOTSTRAPS, _BIFACTORS = 100_000, 100, 30, 10


def _cut(*at: float) -> Callable[[FloatArray], FloatArray]:
    return lambda z: np.digitize(z, at).astype(float)


# loadings from, to; what becomes of the normal responses
RESPONSES: dict[str, dict[str, tuple[float, float, Callable[[FloatArray], FloatArray]]]] = {
    "tuning": {
        "alike": (0.6, 0.6, lambda z: z),
        "right or wrong": (0.4, 0.8, lambda z: 1.0 * (z > np.linspace(-1, 1, z.shape[1]))),
        "rarely right": (0.4, 0.8, lambda z: 1.0 * (z > np.linspace(0.3, 1.8, z.shape[1]))),
        "five grades": (0.4, 0.8, _cut(-1.0, 0.0, 0.7, 1.5)),
        "lognormal": (0.4, 0.8, np.exp),
    },
    "report": {
        "weak items": (0.2, 0.5, lambda z: z),
        "uneven items": (0.1, 0.9, lambda z: z),
        "hard items": (0.5, 0.8, lambda z: 1.0 * (z > np.linspace(0.0, 1.0, z.shape[1]))),
        "three grades": (0.3, 0.7, _cut(-0.8, 0.9)),
        "mostly at the top": (0.5, 0.7, _cut(-2.0, -1.4, -0.7)),
        "outliers": (0.4, 0.8, lambda z: z + 0.05 * z**3),
        "square roots": (0.4, 0.8, lambda z: np.sqrt(np.abs(z + 3.0))),
    },
}
BOOTSTRAPPED = {
    "tuning": [("oblimin", 300), ("none", 300)],
    "report": [("oblimin", 120), ("varimax", 200), ("bifactor", 400), ("promax", 250)],
    # of two groups, eight items and four; with "bifactor" of a general factor and three groups
    "fresh": [("oblimin", 150), ("promax", 180), ("varimax", 100), ("bifactor", 300), ("bifactor", 800)],
}


def designs() -> pd.DataFrame:
    """Every design, one row each.

    >>> designs().groupby("part", sort=False).size().to_dict()
    {'tuning': 12, 'report': 18, 'fresh': 5}
    """
    rows: list[tuple[str, str, str, int, int]] = []
    for part, turns in BOOTSTRAPPED.items():
        rows += [("alpha", part, *one) for one in product(RESPONSES.get(part, ()), (12,), (30, 200))]
        rows += [("loadings", part, turn, 12, n) for turn, n in turns]
    return pd.DataFrame(rows, columns=["of", "part", "kind", "items", "agents"])


def measure_design(row: dict[str, Any], simulations: int, seed: int) -> dict[str, float]:
    """`truth` (α), shares of limits that hold it (`covered`; `feldt`: of Feldt's alone, psych's) and that are
    `offered`. Of loadings the share that the limits hold, or `would` if they were offered, and its standard
    error over studies.

    >>> found = measure_design(designs().iloc[1].to_dict(), 40, 1)
    >>> found["covered"] > 0.8, round(found["truth"], 2)
    (True, 0.87)
    """
    rng = np.random.default_rng([seed, row["items"], row["agents"], *row["kind"].encode()])
    if row["of"] == "loadings":
        return _loadings(row, min(simulations, _BOOTSTRAPS), rng)
    return _alpha(row, simulations, rng)


def _alpha(row: dict[str, Any], simulations: int, rng: Rng) -> dict[str, float]:
    low, high, made = RESPONSES[row["part"]][row["kind"]]
    size = np.linspace(low, high, row["items"])

    def drawn(n: int, rng: Rng) -> FloatArray:
        own = np.sqrt(1 - size**2) * rng.standard_normal((n, len(size)))
        return np.asarray(made(rng.standard_normal((n, 1)) * size + own))

    many = drawn(_POPULATION, np.random.default_rng(1))
    truth = cronbach_alpha(np.cov(many.T))
    held, feldt, offered = [], [], []
    for _ in range(simulations):
        table = drawn(row["agents"], rng)
        table = table[:, np.ptp(table, axis=0) > 0]
        below, above = alpha_limits(table)
        alpha = cronbach_alpha(np.cov(table.T))
        ends = alpha_interval(alpha, *table.shape)
        offered.append(not np.isnan(below))
        held.append(below <= truth <= above)
        feldt.append(ends[0] <= truth <= ends[1])
    given = np.array(held)[np.array(offered)]
    return {
        "truth": round(truth, 4),
        "covered": round(float(given.mean()), 4) if len(given) else np.nan,
        "offered": round(float(np.mean(offered)), 4),
        "feldt": round(float(np.mean(feldt)), 4),
    }


def _population(row: dict[str, Any]) -> tuple[FloatArray, int]:
    """Correlations of twelve items, and the number of factors: three groups of four that correlate by .3;
    or, in "fresh", two of eight and four by .5; or a general factor and three groups."""
    sizes = np.tile([0.5, 0.6, 0.7, 0.8], 3)[:, None]
    groups, phi = np.repeat(np.eye(3), 4, axis=0) * sizes, 0.3 + 0.7 * np.eye(3)
    if row["part"] == "fresh":
        groups, phi = np.repeat(np.eye(2), [8, 4], axis=0) * sizes, 0.5 + 0.5 * np.eye(2)
        if row["kind"] == "bifactor":
            groups = np.hstack([sizes, np.repeat(np.eye(3), 4, axis=0) * np.linspace(0.5, 0.35, 12)[:, None]])
            phi = np.eye(4)
    matrix = groups @ phi @ groups.T
    np.fill_diagonal(matrix, 1.0)
    return matrix, len(phi)


def _loadings(row: dict[str, Any], simulations: int, rng: Rng) -> dict[str, float]:
    """With "none": uncorrelated axes that lie nearest."""
    (matrix, count), turn = _population(row), row["kind"]
    plain, root = extract(matrix, count, "minres"), np.linalg.cholesky(matrix)
    truth, _ = rotate(plain, turn)
    shares = []
    for k in range(min(simulations, _BIFACTORS) if turn == "bifactor" else simulations):
        table = rng.standard_normal((row["agents"], 12)) @ root.T
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Caution)
            model = factors(table, count, rotation=turn)
        own = model.loadings.to_numpy()
        wanted = plain @ procrustes(plain[None], own)[0] if turn == "none" else _matched(truth, own)
        drawn = resampled_loadings(model, _RESAMPLES, np.random.default_rng(k))
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        shares.append(np.mean((low <= wanted) & (wanted <= high)))
    would, offered = round(float(np.mean(shares)), 4), turn != "bifactor"
    return {
        "truth": np.nan,
        "covered": would if offered else np.nan,
        "offered": float(offered),
        "feldt": np.nan,
        "would": would,
        "se": round(float(np.std(shares, ddof=1) / np.sqrt(len(shares))), 4),
    }


def _matched(truth: FloatArray, own: FloatArray) -> FloatArray:
    """The columns of `truth` in the order and sign of `own`, by congruence (Tucker 1951)."""
    from scipy.optimize import linear_sum_assignment

    alike = (own / np.linalg.norm(own, axis=0)).T @ (truth / np.linalg.norm(truth, axis=0))
    _, order = linear_sum_assignment(-np.abs(alike))
    wanted = truth[:, order]
    return wanted * np.where((wanted * own).sum(0) < 0, -1.0, 1.0)


def study(out: str, simulations: int = 300, seed: int = 244, jobs: int | None = 1) -> pd.DataFrame:
    """The table of all designs, written to `out`; finished designs are kept beside it."""
    return kept_study(out, designs(), measure_design, simulations, seed, jobs)


if __name__ == "__main__":
    print(study(sys.argv[1]).to_string())
