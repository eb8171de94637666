"""How many factors? Parallel analysis, Velicer's MAP, very simple structure and BIC in one table.

No rule is right always: parallel analysis asks what noise of the same size would show, MAP how long
components take away what items share, VSS how well each item's largest loadings alone reproduce the
correlations, BIC whether another factor is worth its parameters. Where they agree, there is little to argue
about.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import ResponsesLike, SeedLike
from gindex_lab.foundation.upstairs import upstairs
from gindex_lab.foundation.validate import FloatArray, choice, generator, integer, number
from gindex_lab.measures.psychometrics.correlations import smoothed
from gindex_lab.measures.psychometrics.extraction import extract, minres_uniqueness
from gindex_lab.measures.psychometrics.factor_fit import fit_indices
from gindex_lab.measures.psychometrics.irt_simulate import shuffle_within_items
from gindex_lab.measures.psychometrics.rotation import rotate

__all__ = ["Dimensions", "ParallelAnalysis", "dimensions", "eigenvalues", "minimum_average_partial"]
__all__ += ["parallel_analysis", "very_simple_structure"]


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
    correlation: str = "pearson",
    constant: str = "error",
    n_obs: int | None = None,
    draws: int = 100,
    seed: SeedLike,
) -> Dimensions:
    """Ask several rules how many factors the items have.

    Parameters
    ----------
    responses, correlation, constant, n_obs : as in `gl.factors`
    most : the largest number of factors; 8, or what the items can carry, unless given
    draws : tables of noise in parallel analysis
    seed : of these tables

    Returns
    -------
    Dimensions with `suggested` (Series, one number for each rule), `table` (DataFrame, one row for each
    number of factors: `map`, `map_revised`, `vss_1`, `vss_2`, `bic`) and `parallel` (`ParallelAnalysis`).

    References
    ----------
    Horn (1965), Psychometrika 30, 179-185 (parallel analysis); Velicer (1976), Psychometrika 41, 321-327
    (MAP); Revelle and Rocklin (1979), Multivar. Behav. Res. 14, 403-414 (VSS).

    Examples
    --------
    >>> rng = np.random.default_rng(2)
    >>> two = np.repeat(rng.standard_normal((400, 2)), 4, axis=1) + rng.standard_normal((400, 8))
    >>> dimensions(two, seed=1, draws=20)  # doctest: +NORMALIZE_WHITESPACE
    Dimensions(parallel analysis (factors): 2, parallel analysis (components): 2, MAP: 2, MAP revised: 2,
    VSS 1: 2, VSS 2: 4, BIC: 2)
    """
    from gindex_lab.measures.psychometrics.factors import factors

    rng = generator(seed)
    model = factors(responses, correlation=correlation, constant=constant, n_obs=n_obs)
    matrix, items = smoothed(model.correlation.to_numpy()), len(model.loadings)
    carried = int((2 * items + 1 - np.sqrt(8 * items + 1)) / 2)
    limit = min(8, carried) if most is None else integer("most", most)
    problem = f"[too-many-factors] is too many factors for {items} varying items"
    ensure(limit <= carried, "most", limit, problem, f"use {carried} or less")
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


@dataclass(frozen=True)
class ParallelAnalysis:
    """`table`: one row per eigenvalue, the data's beside the mean and limit of the noise's."""

    table: pd.DataFrame
    n_components: int
    n_factors: int
    quantile: float
    draws: int

    def __repr__(self) -> str:
        return (
            f"ParallelAnalysis({self.n_factors} factors, {self.n_components} components above the "
            f"{self.quantile:.0%} limit of {self.draws} noise tables)"
        )

    def plot_scree(self, ax: Any = None) -> Any:
        """The scree of the data, with the limits of the noise dashed; returns the axes."""
        return upstairs("plot_scree")(self.table, ax)


def eigenvalues(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues of R, and of R - Ψ with the Ψ of a one-factor minres model; largest first."""
    reduced = matrix - np.diag(minres_uniqueness(matrix, 1))
    components, factors = (np.linalg.eigvalsh(m)[::-1].astype(float) for m in (matrix, reduced))
    return components, factors


def parallel_analysis(
    values: FloatArray,
    matrix: FloatArray,
    *,
    draws: int = 100,
    quantile: float = 0.95,
    noise: str = "normal",
    seed: SeedLike,
) -> ParallelAnalysis:
    """Compare the eigenvalues of `matrix` with those of noise shaped like `values`.

    Eigenvalues of the correlation matrix (components), and of the matrix reduced by the communalities of a
    one-factor model (factors), against those of many tables without any structure: normal noise, or the data
    with each item's responses shuffled ("permuted"). A factor counts while all before it count too.

    References
    ----------
    Horn (1965), Psychometrika 30, 179-185; Glorfeld (1995) for the quantile instead of the mean;
    Buja and Eyuboglu (1992) for `noise="permuted"`.
    """
    choice("noise", noise, ["normal", "permuted"])
    count = integer("draws", draws, 2)
    limit = number("quantile", quantile, 0, 1, open_ends=True)
    rng = generator(seed)
    drawn = np.stack([_noise(values, noise, rng) for _ in range(count)])
    both = np.stack([drawn, _reduced(drawn)])
    simulated = np.linalg.eigvalsh(both)[..., ::-1]  # 2 x draws x items
    mean, limits = simulated.mean(1), np.quantile(simulated, limit, axis=1)
    columns: dict[str, FloatArray] = {}
    for i, (name, actual) in enumerate(zip(("components", "factors"), eigenvalues(matrix), strict=True)):
        columns |= {name: actual, f"{name}_mean": mean[i], f"{name}_limit": limits[i]}
    table = pd.DataFrame(columns, index=pd.RangeIndex(1, len(matrix) + 1, name="k"))
    above = [(table[n] > table[f"{n}_limit"]).cumprod().sum() for n in ("components", "factors")]
    return ParallelAnalysis(table, int(above[0]), int(above[1]), limit, count)


def _noise(values: FloatArray, noise: str, rng: np.random.Generator) -> FloatArray:
    """The correlation matrix of a table without structure, with the gaps of the data."""
    if noise == "normal":
        drawn = np.where(np.isnan(values), np.nan, rng.standard_normal(values.shape))
    else:
        drawn = shuffle_within_items(pd.DataFrame(values), rng).to_numpy()
    if np.isnan(drawn).any():
        return pd.DataFrame(drawn).corr().fillna(0.0).to_numpy()
    return np.corrcoef(drawn.T)


def _reduced(matrices: FloatArray, tolerance: float = 1e-5) -> FloatArray:
    """Each matrix with the communalities of its one-factor minres model on the diagonal.

    Principal-axis iteration, which ends where minres does, for all draws at once: one step of the
    power method towards the leading eigenvector, then the diagonal again. Adding the identity keeps
    negative eigenvalues out of its way.
    """
    items = np.arange(matrices.shape[1])
    apart = matrices.copy()
    apart[:, items, items] = 0.0
    values, vectors = np.linalg.eigh(matrices)
    vector = vectors[..., -1]
    shared = vector**2 * np.maximum(values[:, -1:] - 0.5, 0.1)
    for _ in range(5000):
        image = np.matmul(apart, vector[..., None])[..., 0] + shared * vector
        value = (vector * image).sum(1, keepdims=True)
        vector = image + vector
        vector /= np.sqrt((vector**2).sum(1, keepdims=True))
        new = np.clip(vector**2 * np.maximum(value, 0.0), 0.0, 0.995)
        moved, shared = np.abs(new - shared).max(), new
        if moved < tolerance:
            break
    apart[:, items, items] = shared
    return apart
