"""Factor scores: where an agent stands on a factor that nobody observes.

A score is a weighted sum Z W of standardised responses. The ways to choose W differ in what they keep:
regression comes closest to the factor and shrinks, Bartlett's is unbiased and noisier, ten Berge's scores
correlate exactly as the factors do.
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray, choice

__all__ = ["SCORES", "score_weights"]

SCORES = ["regression", "thurstone", "bartlett", "ten_berge"]


def score_weights(
    loadings: FloatArray, phi: FloatArray, matrix: FloatArray, method: str = "regression"
) -> FloatArray:
    """W, items x factors, of loadings Λ, factor correlations Φ and observed correlations R.

    - regression: Σ⁻¹ΛΦ with Σ = ΛΦΛ' + Ψ (lavaan's `lavPredict`);
    - thurstone: R⁻¹ΛΦ, the same up to the misfit (Thurstone 1935; psych's and factanal's "regression");
    - bartlett: Ψ⁻¹Λ(Λ'Ψ⁻¹Λ)⁻¹ (Bartlett 1937; psych's formula);
    - ten_berge: R^-½ C Φ^½ with L = ΛΦ^½ and C = R^-½ L (L'R⁻¹L)^-½ (ten Berge et al. 1999, Linear Algebra
      Appl. 289, 311-318).

    R: `psych::factor.scores(x, f, Phi, method = "Thurstone" | "Bartlett" | "tenBerge")`.

    >>> loadings = np.array([[0.8], [0.6], [0.4]])
    >>> matrix = loadings @ loadings.T + np.diag(1 - loadings[:, 0] ** 2)
    >>> [score_weights(loadings, np.eye(1), matrix, m)[:, 0].round(3).tolist() for m in SCORES[1:]]
    [[0.629, 0.266, 0.135], [0.878, 0.37, 0.188], [0.743, 0.314, 0.159]]
    """
    choice("method", method, SCORES)
    structure = loadings @ phi
    if method == "regression":
        implied = structure @ loadings.T
        np.fill_diagonal(implied, 1.0)
        return np.asarray(np.linalg.lstsq(implied, structure, rcond=None)[0])
    if method == "thurstone":
        return np.asarray(np.linalg.lstsq(matrix, structure, rcond=None)[0])
    if method == "bartlett":
        own = 1 - (structure * loadings).sum(1, keepdims=True)
        if own.min() < 1e-9:
            problem = (
                "[heywood] needs every item to have variance of its own (a Heywood case has none)"
            )
            raise BadInput("method", method, problem, 'use "regression"')
        weighted = loadings / own
        return weighted @ np.linalg.inv(loadings.T @ weighted)
    if np.linalg.eigvalsh(matrix)[0] < 1e-10:
        problem = "[singular] needs a correlation matrix that can be inverted"
        raise BadInput("method", method, problem, 'use "regression"')
    side, root = _power(phi, 0.5), _power(matrix, -0.5)
    straight = loadings @ side
    inner = straight.T @ np.linalg.solve(matrix, straight)
    return root @ (root @ straight @ _power(inner, -0.5)) @ side


def _power(matrix: FloatArray, exponent: float) -> FloatArray:
    """A power of a symmetric positive definite matrix."""
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * values**exponent) @ vectors.T
