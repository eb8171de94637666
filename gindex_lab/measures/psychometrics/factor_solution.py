"""What fitted factors have in common, explored (`gl.factors`) or confirmed (`gl.confirm`)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.validate import FloatArray, choice
from gindex_lab.measures.psychometrics.extraction import LARGEST_COMMUNALITY
from gindex_lab.measures.psychometrics.factor_fit import (
    CONVENTIONS,
    fit_indices,
    nearly_as_large,
    normal_enough,
)

__all__ = ["SCORES", "FactorSolution", "score_weights"]

SCORES = ["regression", "thurstone", "bartlett", "ten_berge"]
_FEWEST_AGENTS = 150  # of limits with two or more explored factors (`data/measured/factor_limits.csv`)


class FactorSolution:
    """Loadings Λ and factor correlations Φ of a correlation matrix, and what follows from them.

    Examples
    --------
    >>> import gindex_lab as gl
    >>> rng = np.random.default_rng(1)
    >>> model = gl.factors(rng.standard_normal((500, 1)) + rng.standard_normal((500, 4)))
    >>> model.communalities.round(2).tolist()  # a half of each, up to chance
    [0.45, 0.56, 0.37, 0.5]
    >>> model.heywood, round(model.proportion_of_variance, 3)
    ([], 0.469)
    >>> model.variance.round(2)
              ss_loadings  proportion  of_common
    factor 1         1.88        0.47        1.0
    >>> bool(model.residuals.abs().max().max() < 0.05)
    True
    >>> np.corrcoef(model.scores()["factor 1"], model.frame.mean(axis=1))[0, 1].round(3)
    np.float64(0.996)
    """

    loadings: pd.DataFrame
    factor_correlations: pd.DataFrame
    correlation: pd.DataFrame
    correlation_kind: str
    agents: int
    _frame: pd.DataFrame | None
    _matrix: FloatArray

    @property
    def frame(self) -> pd.DataFrame:
        """The responses that the factors were fitted to."""
        problem = "[needs-responses] is a correlation matrix, and this needs the responses themselves"
        ensure(self._frame is not None, "responses", self.correlation.shape, problem, "pass them")
        return self._frame

    @cached_property
    def communalities(self) -> pd.Series:
        """The share of each item's variance that the factors carry, diag(Λ Φ Λ')."""
        loadings, phi = self.loadings.to_numpy(), self.factor_correlations.to_numpy()
        return pd.Series(((loadings @ phi) * loadings).sum(1), self.loadings.index, name="communality")

    @property
    def heywood(self) -> list[Any]:
        """Items whose communality is at or above 1 (uniquenesses are held at 0.005 or more)."""
        return list(self.loadings.index[self.communalities >= LARGEST_COMMUNALITY])

    @property
    def uniquenesses(self) -> pd.Series:
        """What each item has of its own: 1 - communality."""
        return (1 - self.communalities).rename("uniqueness")

    @property
    def proportion_of_variance(self) -> float:
        """The mean communality: the share of the items' variance that the factors carry together."""
        return float(self.communalities.mean())

    @property
    def variance(self) -> pd.DataFrame:
        """Sum of squared loadings of each factor, its proportion of all and of the common variance."""
        loadings, phi = self.loadings.to_numpy(), self.factor_correlations.to_numpy()
        squares = ((loadings @ phi) * loadings).sum(0)
        shares = {"proportion": squares / len(loadings), "of_common": squares / squares.sum()}
        return pd.DataFrame({"ss_loadings": squares, **shares}, self.loadings.columns)

    @property
    def residuals(self) -> pd.DataFrame:
        """The correlations that the factors leave unexplained; zero on the diagonal."""
        return pd.DataFrame(self._matrix, self.loadings.index, self.loadings.index) - self.implied

    @property
    def implied(self) -> pd.DataFrame:
        """The correlations that the factors say there are, Λ Φ Λ' + Ψ."""
        loadings, phi = self.loadings.to_numpy(), self.factor_correlations.to_numpy()
        matrix = loadings @ phi @ loadings.T
        np.fill_diagonal(matrix, 1.0)
        return pd.DataFrame(matrix, self.loadings.index, self.loadings.index)

    def scores(self, method: str = "regression") -> pd.DataFrame:
        """Each agent's standing on each factor; missing responses count as the mean.

        `"regression"` comes closest to the factor and shrinks (as lavaan's), `"thurstone"` is the same with
        the observed correlations (as psych's), `"bartlett"` is unbiased, `"ten_berge"` keeps the factors'
        correlations: see `score_weights`.
        """
        loadings, phi = self.loadings.to_numpy(), self.factor_correlations.to_numpy()
        weights = score_weights(loadings, phi, self._matrix, method)
        standard = ((self.frame - self.frame.mean()) / self.frame.std()).fillna(0.0)
        return pd.DataFrame(standard.to_numpy() @ weights, self.frame.index, self.loadings.columns)

    def _fit(self, convention: str, df: int | None = None) -> pd.Series:
        """Fit indices; where the responses are not normal, without a p and limits that would mislead."""
        choice("convention", convention, CONVENTIONS)
        implied, count = self.implied.to_numpy(), self.loadings.shape[1]
        found = fit_indices(self._matrix, implied, count, self.agents, convention, df)
        if convention == "calibrated" and self._not_normal():
            found["p"] = np.nan
        if convention == "calibrated" and self.why_no_limits(explored=df is None):
            found[["rmsea_low", "rmsea_high"]] = np.nan
        return found

    def why_no_limits(self, explored: bool = True) -> str:
        """Why RMSEA has no limits here, in a sentence; "" where it has.

        Limits are offered where they were measured to hold (`data/measured/factor_limits.csv`). With two or
        more `explored` factors that takes 150 agents, four items a factor, something of its own in each item,
        and a last factor well above the first that was left out.

        >>> import gindex_lab as gl
        >>> rng = np.random.default_rng(1)
        >>> three = np.repeat(rng.standard_normal((500, 3)), 4, axis=1) + rng.standard_normal((500, 12))
        >>> gl.factors(three, 2).why_no_limits()
        'The first factor left out is nearly as large as the last that was kept: others may fit as well.'
        >>> gl.factors(three, 3).why_no_limits()
        ''
        """
        items, count = self.loadings.shape
        why = self._not_normal()
        if why or not explored or count == 1:
            return why
        if self.agents < _FEWEST_AGENTS:
            return f"{count} factors take {_FEWEST_AGENTS} agents for limits, and these are {self.agents}."
        if items < 4 * count:
            return f"{items} items are too few for limits with {count} factors: it takes four a factor."
        if self.heywood:
            return "An item has nothing of its own (a Heywood case): the solution is improper."
        near = nearly_as_large(self._matrix, self.uniquenesses.to_numpy(), count)
        said = (
            "The first factor left out is nearly as large as the last that was kept: others may fit as well."
        )
        return said if near else ""

    def _not_normal(self) -> str:
        if self.correlation_kind != "pearson":
            return f"χ² of {self.correlation_kind} correlations has another law."
        if self._frame is not None and not normal_enough(self._frame):
            return "The responses are not normal: gaps, fewer than seven values, or heavy tails."
        return ""


def score_weights(
    loadings: FloatArray, phi: FloatArray, matrix: FloatArray, method: str = "regression"
) -> FloatArray:
    """W, items x factors, of loadings Λ, factor correlations Φ and observed correlations R: agents' scores
    are Z W, Z their standardised responses.

    - regression: Σ⁻¹ΛΦ with Σ = ΛΦΛ' + Ψ (lavaan's `lavPredict`);
    - thurstone: R⁻¹ΛΦ, the same up to the misfit (Thurstone 1935; psych's and factanal's "regression");
    - bartlett: Ψ⁻¹Λ(Λ'Ψ⁻¹Λ)⁻¹, unbiased and noisier (Bartlett 1937; psych's formula);
    - ten_berge: the scores correlate exactly as the factors do, R^-½ C Φ^½ with L = ΛΦ^½ and
      C = R^-½ L (L'R⁻¹L)^-½ (ten Berge et al. 1999, Linear Algebra Appl. 289, 311-318).

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
        problem = "[heywood] needs every item to have variance of its own (a Heywood case has none)"
        ensure(own.min() >= 1e-9, "method", method, problem, 'use "regression"')
        weighted = loadings / own
        return weighted @ np.linalg.inv(loadings.T @ weighted)
    problem = "[singular] needs a correlation matrix that can be inverted"
    ensure(np.linalg.eigvalsh(matrix)[0] >= 1e-10, "method", method, problem, 'use "regression"')
    side, root = _power(phi, 0.5), _power(matrix, -0.5)
    straight = loadings @ side
    inner = straight.T @ np.linalg.solve(matrix, straight)
    return root @ (root @ straight @ _power(inner, -0.5)) @ side


def _power(matrix: FloatArray, exponent: float) -> FloatArray:
    """A power of a symmetric positive definite matrix."""
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * values**exponent) @ vectors.T
