"""What fitted factors have in common, explored (`gl.factors`) or confirmed (`gl.confirm`)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray, choice
from gindex_lab.measures.psychometrics.extraction import LARGEST_COMMUNALITY
from gindex_lab.measures.psychometrics.factor_fit import (
    CONVENTIONS,
    fit_indices,
    nearly_as_large,
    normal_enough,
)
from gindex_lab.measures.psychometrics.factor_scores import score_weights

__all__ = ["FactorSolution"]

_FEWEST_AGENTS = 150  # of limits with two or more explored factors


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
        if self._not_normal():
            return self._not_normal()
        if not explored or count == 1:
            return ""
        if self.agents < _FEWEST_AGENTS:
            return f"{count} factors take {_FEWEST_AGENTS} agents for limits, and these are {self.agents}."
        if items < 4 * count:
            return f"{items} items are too few for limits with {count} factors: it takes four a factor."
        if self.heywood:
            return "An item has nothing of its own (a Heywood case): the solution is improper."
        if nearly_as_large(self._matrix, self.uniquenesses.to_numpy(), count):
            return (
                "The first factor left out is nearly as large as the last that was kept: "
                "others may fit as well."
            )
        return ""

    def _not_normal(self) -> str:
        if self.correlation_kind != "pearson":
            return f"χ² of {self.correlation_kind} correlations has another law."
        if self._frame is not None and not normal_enough(self._frame):
            return "The responses are not normal: gaps, fewer than seven values, or heavy tails."
        return ""
