"""How often do the limits of RMSEA hold, how often is a true model rejected, do standard errors hold?

Designs and seeds are fixed here. The factor κ of the limits (`factor_fit.misfit_variance`) and when they are
offered (`factor_fit.normal_enough`) were chosen on 8 items with 300 agents and 20 items with 200 (`part` is
"tuning"), with other seeds; the verdict is that of the others ("report"). The truth is the model's fit to the
population's own correlations. The table is kept in `data/measured/factors.csv`; `python -m
benchmarks.measured.factors OUT.csv` makes it again and goes on where it was stopped.
"""

from __future__ import annotations

import sys
import warnings
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, Caution
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.confirmatory import confirm
from gindex_lab.measures.psychometrics.extraction import extract
from gindex_lab.measures.psychometrics.factor_fit import discrepancy, fit_indices, normal_enough
from gindex_lab.studies.simulations.coverage_study import kept_study

__all__ = ["designs", "measure_design", "study"]

# name: factors fitted, groups of items, their correlation, that of two items beside it, size of minor factors
STRUCTURES = {
    "true": (1, 1, 1.0, 0.0, 0.0),
    "true, three": (3, 3, 0.4, 0.0, 0.0),
    "two at .9 as one": (1, 2, 0.9, 0.0, 0.0),
    "two at .7 as one": (1, 2, 0.7, 0.0, 0.0),
    "two at .4 as one": (1, 2, 0.4, 0.0, 0.0),
    "three at .6 as two": (2, 3, 0.6, 0.0, 0.0),
    "a pair of items": (1, 1, 1.0, 0.25, 0.0),
    "minor factors": (1, 1, 1.0, 0.0, 0.3),
}
CONFIRMED = ["true", "true, three", "a pair of items", "minor factors"]
SIZES = {(8, 300): "tuning", (20, 200): "tuning", (9, 80): "report", (12, 150): "report"}
SIZES |= {(12, 600): "report"}
HOW = [("ml", "normal"), ("minres", "normal"), ("ml", "seven values")]
NOT_OFFERED = ["five values", "right or wrong", "heavy tails"]
CUTS = {
    "seven values": [-1.5, -0.9, -0.3, 0.3, 0.9, 1.5],
    "five values": [-1.0, 0.0, 0.7, 1.5],
    "right or wrong": [0.2],
}
_POPULATION = 400_000


def designs() -> pd.DataFrame:
    """Every design, one row each.

    >>> designs()["part"].value_counts().to_dict()
    {'report': 114, 'tuning': 66}
    """
    names = ["items", "agents", "part", "structure", "model", "responses"]
    whole = [(structure, *how) for structure, how in product(STRUCTURES, HOW)]
    whole += [
        (*one, kind) for one, kind in product([("true", "ml"), ("two at .7 as one", "ml")], NOT_OFFERED)
    ]
    whole += [(one, "confirmed", kind) for one, kind in product(CONFIRMED, ["normal", "five values"])]
    rows = [
        (*size, part, *one)
        for (size, part), one in product(SIZES.items(), whole)
        if one[0] != "true, three" or size[0] % 3 == 0
    ]
    return pd.DataFrame(rows, columns=names)


def population(structure: str, items: int) -> FloatArray:
    """The correlations that a structure implies.

    >>> population("two at .7 as one", 4).round(2)[0].tolist()
    [1.0, 0.4, 0.18, 0.28]
    """
    _, count, phi, pair, minor = STRUCTURES[structure]
    group = np.sort(np.arange(items) % count)
    size = np.concatenate([np.linspace(0.5, 0.8, (group == k).sum()) for k in range(count)])
    loadings = np.eye(count)[group] * size[:, None]
    matrix = loadings @ (phi + (1 - phi) * np.eye(count)) @ loadings.T
    if minor:  # twenty, each smaller than the last (Tucker, Koopman and Linn 1969)
        small = np.random.default_rng(items).standard_normal((items, 20)) * 0.9 ** np.arange(20)
        small *= minor / np.sqrt((small**2).sum(1, keepdims=True))
        matrix += small @ small.T
    matrix[0, 1] += pair
    matrix[1, 0] += pair
    np.fill_diagonal(matrix, 1.0)
    return matrix


def measure_design(row: dict[str, Any], simulations: int, seed: int) -> dict[str, float]:
    """`rmsea` of the population, the shares of limits that hold it (`covered`; `psych`: of psych's), of
    rejections at 5% (`rejected`), of studies in which both are `offered`, of `loadings` within 1.96 errors,
    and of studies `refused` because the search did not end (left out; empty: none was).

    >>> found = measure_design(designs().iloc[0].to_dict(), 20, 1)
    >>> found["covered"] > 0.6
    True
    """
    items, agents, kind = row["items"], row["agents"], row["responses"]
    rng = np.random.default_rng([seed, items, agents, *row["structure"].encode(), *kind.encode()])
    matrix = population(row["structure"], items)
    root = np.asarray(np.linalg.cholesky(matrix))
    if kind in CUTS:
        matrix = np.asarray(np.corrcoef(_drawn(root, _POPULATION, kind, rng).T))
    truth, wanted, start = _fitted(row, matrix, None, None)
    rows: list[dict[str, Any]] = []
    refused = 0
    while len(rows) < simulations:
        table = _drawn(root, agents, kind, rng)
        observed = np.asarray(np.corrcoef(table.T))
        if np.linalg.eigvalsh(observed)[0] < 1e-6:
            continue
        try:
            found, held, _ = _fitted(row, observed, start, wanted)
        except BadInput:  # a search that does not end, which nobody would report
            refused += 1
            continue
        rows.append({**found, "held": held, "offered": normal_enough(pd.DataFrame(table))})
    shares = _summed(pd.DataFrame(rows), truth["rmsea"])
    return shares | {"refused": round(refused / (refused + simulations), 4)}


def _drawn(root: np.ndarray, agents: int, kind: str, rng: np.random.Generator) -> FloatArray:
    values = rng.standard_normal((agents, len(root))) @ root.T
    if kind == "heavy tails":  # Student's t with eight degrees of freedom
        values *= np.sqrt(6 / rng.chisquare(8, (agents, 1)))
    return np.searchsorted(CUTS[kind], values).astype(float) if kind in CUTS else values


def _fitted(
    row: dict[str, Any], matrix: FloatArray, start: FloatArray | None, wanted: FloatArray | None
) -> tuple[dict[str, float], Any, FloatArray]:
    """Fit indices of both conventions; loadings, or the share of those `wanted` within their errors."""
    count, agents = STRUCTURES[row["structure"]][0], row["agents"]
    if wanted is None:
        agents = 10**9  # the population: neither noise nor correction
    if row["model"] == "confirmed":
        return _confirmed(matrix, count, agents, wanted)
    loadings = extract(matrix, count, row["model"], start)
    implied = loadings @ loadings.T
    np.fill_diagonal(implied, 1.0)
    return (_indices(matrix, implied, count, agents, None), np.nan, 1 - (loadings**2).sum(1).clip(0, 0.995))


def _confirmed(
    matrix: FloatArray, count: int, agents: int, wanted: FloatArray | None
) -> tuple[dict[str, float], Any, FloatArray]:
    group = np.sort(np.arange(len(matrix)) % count)
    factors = {f"f{k}": list(np.flatnonzero(group == k)) for k in range(count)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Caution)
        model = confirm(pd.DataFrame(matrix), factors, n_obs=agents)
    estimate, error = (model.parameters[name].to_numpy() for name in ("estimate", "se"))
    found = _indices(matrix, model.implied.to_numpy(), count, agents, model.df)
    held = estimate if wanted is None else np.mean(np.abs(estimate - wanted) <= 1.96 * error)
    return found, held, error


def _indices(
    matrix: FloatArray, implied: FloatArray, count: int, agents: int, df: int | None
) -> dict[str, float]:
    ours = fit_indices(matrix, implied, count, agents, df=df)
    theirs = fit_indices(matrix, implied, count, agents, "psych", df=df)
    free = ours["df"]
    exact = np.sqrt(max(discrepancy(matrix, implied), 0.0) / free)
    return {
        "rmsea": exact if agents >= 10**9 else ours["rmsea"],
        "low": ours["rmsea_low"],
        "high": ours["rmsea_high"],
        "psych low": theirs["rmsea_low"],
        "psych high": theirs["rmsea_high"],
        "p": ours["p"],
    }


def _summed(table: pd.DataFrame, truth: float) -> dict[str, float]:
    truth = truth if truth > 1e-5 else 0.0
    shares = {
        "covered": table["low"].le(truth) & table["high"].ge(truth),
        "psych": table["psych low"].le(truth) & table["psych high"].ge(truth),
        "rejected": table["p"] < 0.05,
        "offered": table["offered"],
        "loadings": table["held"],
    }
    return {"rmsea": round(float(truth), 4), **{k: round(float(v.mean()), 4) for k, v in shares.items()}}


def study(out: str, simulations: int = 400, seed: int = 241, jobs: int | None = 1) -> pd.DataFrame:
    """The table of all designs, written to `out`; finished designs are kept beside it."""
    return kept_study(out, designs(), measure_design, simulations, seed, jobs)


if __name__ == "__main__":
    found = study(sys.argv[1])
    print(found.groupby(["part", "model", "responses"])[["covered", "psych", "rejected"]].describe())
