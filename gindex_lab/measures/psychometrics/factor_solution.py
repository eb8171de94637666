"""What fitted factors have in common, explored (`gl.factors`) or confirmed (`gl.confirm`)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray, choice
from gindex_lab.measures.psychometrics.extraction import LARGEST_COMMUNALITY
from gindex_lab.measures.psychometrics.factor_fit import CONVENTIONS, fit_indices, normal_enough
from gindex_lab.measures.psychometrics.factor_scores import score_weights

__all__ = ["FactorSolution"]


class FactorSolution:
    """Loadings Λ and factor correlations Φ of a correlation matrix, and what follows from them."""

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
        if self._frame is None:
            problem = (
                "[needs-responses] is a correlation matrix, and this needs the responses themselves"
            )
            raise BadInput("responses", self.correlation.shape, problem, "pass them")
        return self._frame

    # -- what the factors explain ----------------------------------------------------------------------

    @cached_property
    def communalities(self) -> pd.Series:
        """The share of each item's variance that the factors carry, diag(Λ Φ Λ').

        >>> import gindex_lab as gl
        >>> rng = np.random.default_rng(1)
        >>> table = rng.standard_normal((500, 1)) + rng.standard_normal((500, 4))
        >>> gl.factors(table).communalities.round(2).tolist()  # a half of each, up to chance
        [0.45, 0.56, 0.37, 0.5]
        """
        loadings, phi = self.loadings.to_numpy(), self.factor_correlations.to_numpy()
        return pd.Series(
            ((loadings @ phi) * loadings).sum(1), self.loadings.index, name="communality"
        )

    @property
    def heywood(self) -> list[Any]:
        """Items whose communality is at or above 1 (uniquenesses are held at 0.005 or more).

        >>> import gindex_lab as gl
        >>> rng = np.random.default_rng(1)
        >>> gl.factors(rng.standard_normal((500, 1)) + rng.standard_normal((500, 4))).heywood
        []
        """
        return list(self.loadings.index[self.communalities >= LARGEST_COMMUNALITY])

    @property
    def uniquenesses(self) -> pd.Series:
        """What each item has of its own: 1 - communality."""
        return (1 - self.communalities).rename("uniqueness")

    @property
    def proportion_of_variance(self) -> float:
        """The mean communality: the share of the items' variance that the factors carry together.

        >>> import gindex_lab as gl
        >>> rng = np.random.default_rng(1)
        >>> table = rng.standard_normal((500, 1)) + rng.standard_normal((500, 4))
        >>> round(gl.factors(table).proportion_of_variance, 3)
        0.469
        """
        return float(self.communalities.mean())

    @property
    def variance(self) -> pd.DataFrame:
        """Sum of squared loadings of each factor, its proportion of all and of the common variance.

        >>> import gindex_lab as gl
        >>> rng = np.random.default_rng(1)
        >>> table = rng.standard_normal((500, 1)) + rng.standard_normal((500, 4))
        >>> gl.factors(table).variance.round(2)
                  ss_loadings  proportion  of_common
        factor 1         1.88        0.47        1.0
        """
        loadings, phi = self.loadings.to_numpy(), self.factor_correlations.to_numpy()
        squares = ((loadings @ phi) * loadings).sum(0)
        shares = {"proportion": squares / len(loadings), "of_common": squares / squares.sum()}
        return pd.DataFrame({"ss_loadings": squares, **shares}, self.loadings.columns)

    @property
    def residuals(self) -> pd.DataFrame:
        """The correlations that the factors leave unexplained; zero on the diagonal.

        >>> import gindex_lab as gl
        >>> rng = np.random.default_rng(1)
        >>> table = rng.standard_normal((500, 1)) + rng.standard_normal((500, 4))
        >>> gl.factors(table).residuals.abs().max().max() < 0.05
        np.True_
        """
        return pd.DataFrame(self._matrix, self.loadings.index, self.loadings.index) - self.implied

    @property
    def implied(self) -> pd.DataFrame:
        """The correlations that the factors say there are, Λ Φ Λ' + Ψ."""
        loadings, phi = self.loadings.to_numpy(), self.factor_correlations.to_numpy()
        matrix = loadings @ phi @ loadings.T
        np.fill_diagonal(matrix, 1.0)
        return pd.DataFrame(matrix, self.loadings.index, self.loadings.index)

    def scores(self, method: str = "regression") -> pd.DataFrame:
        """Each agent's standing on each factor (see `factor_scores`); missing responses count as the mean.

        `"regression"`: Z (ΛΦΛ' + Ψ)⁻¹ Λ Φ, as lavaan's; `"thurstone"`: the same with the observed
        correlations, as psych's; `"bartlett"`; `"ten_berge"`.

        >>> import gindex_lab as gl
        >>> rng = np.random.default_rng(1)
        >>> table = rng.standard_normal((500, 1)) + rng.standard_normal((500, 4))
        >>> np.corrcoef(gl.factors(table).scores()["factor 1"], table.mean(1))[0, 1].round(3)
        np.float64(0.996)
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
        measured = self._frame is None or normal_enough(self._frame)
        if convention == "calibrated" and not (self.correlation_kind == "pearson" and measured):
            found[["p", "rmsea_low", "rmsea_high"]] = np.nan
        return found
