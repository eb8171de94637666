"""How many factors? As many as stand above what noise of the same size would show (Horn 1965).

Eigenvalues of the correlation matrix (components), and of the matrix reduced by the communalities of
a one-factor model (factors), against those of many tables without any structure: normal noise, or
the data with each item's responses shuffled. A factor counts while all before it count too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.upstairs import upstairs
from gindex_lab.foundation.validate import FloatArray, choice, generator, integer, number
from gindex_lab.measures.psychometrics.extraction import minres_uniqueness
from gindex_lab.measures.psychometrics.irt_simulate import shuffle_within_items

__all__ = ["ParallelAnalysis", "eigenvalues", "parallel_analysis"]


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
    """Eigenvalues of R, and of R - Ψ with the Ψ of a one-factor minres model; largest first.

    >>> components, factors = eigenvalues(np.full((3, 3), 0.5) + 0.5 * np.eye(3))
    >>> components.round(3), factors[0].round(3)
    (array([2. , 0.5, 0.5]), np.float64(1.5))
    """
    reduced = matrix - np.diag(minres_uniqueness(matrix, 1))
    components, factors = (np.linalg.eigvalsh(m)[::-1].astype(float) for m in (matrix, reduced))
    return components, factors


def parallel_analysis(
    values: FloatArray,
    matrix: FloatArray,
    *,
    seed: SeedLike,
    draws: int = 100,
    quantile: float = 0.95,
    noise: str = "normal",
) -> ParallelAnalysis:
    """Compare the eigenvalues of `matrix` with those of noise shaped like `values`.

    >>> rng = np.random.default_rng(1)
    >>> data = rng.standard_normal((300, 1)) + rng.standard_normal((300, 8))
    >>> parallel_analysis(data, np.corrcoef(data.T), seed=1, draws=20)
    ParallelAnalysis(1 factors, 1 components above the 95% limit of 20 noise tables)

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
    for i, (name, actual) in enumerate(
        zip(("components", "factors"), eigenvalues(matrix), strict=True)
    ):
        columns |= {name: actual, f"{name}_mean": mean[i], f"{name}_limit": limits[i]}
    table = pd.DataFrame(columns, index=pd.RangeIndex(1, len(matrix) + 1, name="k"))
    above = [_leading_run(table[n] > table[f"{n}_limit"]) for n in ("components", "factors")]
    return ParallelAnalysis(table, above[0], above[1], limit, count)


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


def _leading_run(above: pd.Series) -> int:
    return int(above.cumprod().sum())
