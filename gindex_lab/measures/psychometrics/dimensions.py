"""How many factors? Parallel analysis, Velicer's MAP, very simple structure and BIC in one table.

No rule is right always: parallel analysis asks what noise would show, MAP how long components take away
what items share, VSS how well each item's largest loadings alone reproduce the correlations, BIC whether
another factor is worth its parameters. Where they agree, there is little to argue about.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import ResponsesLike, SeedLike
from gindex_lab.foundation.validate import FloatArray, generator, integer
from gindex_lab.measures.psychometrics.correlations import smoothed
from gindex_lab.measures.psychometrics.extraction import extract
from gindex_lab.measures.psychometrics.factor_fit import fit_indices
from gindex_lab.measures.psychometrics.factors import factors
from gindex_lab.measures.psychometrics.factors_parallel import ParallelAnalysis
from gindex_lab.measures.psychometrics.rotation import rotate

__all__ = ["Dimensions", "dimensions", "minimum_average_partial", "very_simple_structure"]


@dataclass(frozen=True)
class Dimensions:
    """`suggested` factors by each rule, and the `table` (one row for each number of factors) behind it."""

    suggested: pd.Series
    table: pd.DataFrame
    parallel: ParallelAnalysis

    def __repr__(self) -> str:
        said = ", ".join(f"{rule}: {n}" for rule, n in self.suggested.items())
        return f"Dimensions({said})"


def dimensions(
    responses: ResponsesLike,
    most: int | None = None,
    *,
    seed: SeedLike,
    correlation: str = "pearson",
    constant: str = "error",
    n_obs: int | None = None,
    draws: int = 100,
) -> Dimensions:
    """How many factors each rule suggests: up to `most` (8, or what the items can carry).

    `n_obs` says that `responses` is a correlation matrix; `correlation` and `constant` as in `gl.factors`.

    Reference: Horn (1965), Psychometrika 30, 179-185 (parallel analysis); Velicer (1976), Psychometrika 41,
    321-327 (MAP).

    >>> rng = np.random.default_rng(2)
    >>> two = np.repeat(rng.standard_normal((400, 2)), 4, axis=1) + rng.standard_normal((400, 8))
    >>> dimensions(two, seed=1, draws=20)  # doctest: +NORMALIZE_WHITESPACE
    Dimensions(parallel analysis (factors): 2, parallel analysis (components): 2, MAP: 2, MAP revised: 2,
    VSS 1: 2, VSS 2: 4, BIC: 2)
    """
    rng = generator(seed)
    model = factors(responses, correlation=correlation, constant=constant, n_obs=n_obs)
    matrix, items = smoothed(model.correlation.to_numpy()), len(model.loadings)
    carried = int((2 * items + 1 - np.sqrt(8 * items + 1)) / 2)
    limit = min(8, carried) if most is None else integer("most", most)
    if limit > carried:
        problem = f"[too-many-factors] is too many factors for {items} varying items"
        raise BadInput("most", limit, problem, f"use {carried} or less")
    partial = minimum_average_partial(matrix, limit)
    table = partial.join(_by_number(matrix, limit, model.agents))
    parallel = model.parallel_analysis(seed=rng, draws=draws)
    suggested = {
        "parallel analysis (factors)": parallel.n_factors,
        "parallel analysis (components)": parallel.n_components,
        "MAP": int(table["map"].idxmin()),
        "MAP revised": int(table["map_revised"].idxmin()),
        "VSS 1": int(table["vss_1"].idxmax()),
        "VSS 2": int(table["vss_2"].idxmax()),
    }
    if table["bic"].notna().any():
        suggested["BIC"] = int(table["bic"].idxmin())
    return Dimensions(pd.Series(suggested, name="factors"), table, parallel)


def minimum_average_partial(matrix: FloatArray, most: int) -> pd.DataFrame:
    """Mean squared (`map`) and fourth power (`map_revised`) partial correlation after 0, 1 ... components.

    With Λ_k the first k principal components, R - Λ_kΛ_k' scaled to a unit diagonal; the least mean is where
    components begin to take out what is an item's own. NaN once they have taken an item whole.

    References: Velicer (1976), Psychometrika 41, 321-327; Velicer, Eaton and Fava (2000) for the fourth
    power. R: `psych::vss(R, most)$map` (from one component on; psych has no revised one).

    >>> pattern = np.kron(np.eye(2), np.full((4, 1), 0.8))
    >>> minimum_average_partial(pattern @ pattern.T + 0.36 * np.eye(8), 3)["map"].round(3).tolist()
    [0.176, 0.112, 0.048, 0.108]
    """
    values, vectors = np.linalg.eigh(matrix)
    components = (vectors * np.sqrt(np.maximum(values, 0.0)))[:, ::-1]
    items, rows = len(matrix), []
    for k in range(most + 1):
        left = matrix - components[:, :k] @ components[:, :k].T
        own = left.diagonal()
        if own.min() < 1e-9:
            rows.append((np.nan, np.nan))
            continue
        partial = left / np.sqrt(np.outer(own, own))
        np.fill_diagonal(partial, 0.0)
        pairs = items * (items - 1)
        rows.append(((partial**2).sum() / pairs, (partial**4).sum() / pairs))
    index = pd.RangeIndex(most + 1, name="factors")
    return pd.DataFrame(rows, index, ["map", "map_revised"])


def very_simple_structure(matrix: FloatArray, loadings: FloatArray, complexity: int) -> float:
    """1 - Σ (R - SS')² / Σ R², with only the `complexity` largest loadings of each item kept in S.

    Sums are over the diagonal too, as in `psych::vss(R)`. Revelle and Rocklin (1979), Multivar. Behav. Res.
    14, 403-414.

    >>> loadings = np.array([[0.8, 0.0], [0.8, 0.0], [0.0, 0.8], [0.0, 0.8]])
    >>> round(very_simple_structure(loadings @ loadings.T + 0.36 * np.eye(4), loadings, 1), 3)
    0.908
    """
    size = np.abs(loadings)
    least = np.sort(size, axis=1)[:, -complexity][:, None]
    simple = np.where(size >= least, loadings, 0.0)
    return float(1 - ((matrix - simple @ simple.T) ** 2).sum() / (matrix**2).sum())


def _by_number(matrix: FloatArray, most: int, agents: int) -> pd.DataFrame:
    """VSS of varimax-rotated minres factors, and BIC, of 1 to `most` factors."""
    rows = []
    for k in range(1, most + 1):
        plain = extract(matrix, k, "minres")
        turned = rotate(plain, "varimax")[0]
        second = very_simple_structure(matrix, turned, 2) if k > 1 else np.nan
        implied = plain @ plain.T
        np.fill_diagonal(implied, 1.0)
        try:
            bic = fit_indices(matrix, implied, k, agents)["bic"]
        except BadInput:  # no χ² with more items than agents; the other rules still count
            bic = np.nan
        rows.append((very_simple_structure(matrix, turned, 1), second, bic))
    index = pd.RangeIndex(1, most + 1, name="factors")
    return pd.DataFrame(rows, index, ["vss_1", "vss_2", "bic"])
