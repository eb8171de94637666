"""Fitted factors, explored (`gl.factors`) or confirmed (`gl.confirm`): scores, and whether they fit.

F = tr(Σ⁻¹R) - log|Σ⁻¹R| - p measures how far the observed R lies from the implied Σ; χ² is F times the
number of agents, and all other indices are made of it. R's packages multiply by different numbers:

- `"calibrated"`: n - 1 - (2p + 5)/6 - 2k/3, Bartlett's (1950) correction for p items and k factors, also in
  RMSEA, whose limits allow for what a wrong model adds to the variance of F (`misfit_variance`);
- `"psych"`: the same χ², but RMSEA² is χ²/(n df) - 1/(n - 1), with limits of the noncentral χ² alone; psych
  has no CFI, ours is of its χ²s;
- `"lavaan"`: n; RMSEA² is (χ² - df)/(n df); SRMR counts the diagonal too.

BIC is χ² - df log n in both (Raftery 1995); lavaan's own differs by that of the saturated model. How often
the limits hold, and how often a true model is rejected, is in `data/measured/factors.csv`; where several
factors are explored, in `data/measured/factor_limits.csv`: some get no limits (`why_no_limits`).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.validate import FloatArray, choice
from gindex_lab.measures.psychometrics.extraction import LARGEST_COMMUNALITY

__all__ = ["CONVENTIONS", "SCORES", "FactorSolution", "determinant_p", "discrepancy", "fit_indices"]
__all__ += ["invertible", "misfit_variance", "nearly_as_large", "normal_enough", "rmsea_interval"]
__all__ += ["score_weights"]

CONVENTIONS = ["calibrated", "psych", "lavaan"]
SCORES = ["regression", "thurstone", "bartlett", "ten_berge"]
_FEWEST_AGENTS = 150  # of limits with two or more explored factors (`data/measured/factor_limits.csv`)
_CI = 0.9  # of RMSEA, as everybody reports it
# Chosen on the designs called "tuning" of `benchmarks.measured.factors` and `factor_limits`
_FEWEST_VALUES, _MOST_KURTOSIS = 7, 1.05
_NEARLY = 0.3  # as large, of a factor left out


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
        said = "The first factor left out is nearly as large as the last that was kept: "
        return f"{said}others may fit as well." if near else ""

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


def discrepancy(matrix: FloatArray, implied: FloatArray) -> float:
    """F = tr(Σ⁻¹R) - log|Σ⁻¹R| - p, the misfit that maximum likelihood makes least; zero where Σ = R."""
    ratio = np.linalg.solve(implied, matrix)
    return np.trace(ratio) - np.linalg.slogdet(ratio)[1] - len(matrix)


def determinant_p(log_determinant: float, agents: int, items: int) -> float:
    """The chance of a determinant of correlations so small where all items are uncorrelated.

    |R| is a product of independent Beta((n - 1 - i)/2, i/2), i = 1 ... p - 1 (Anderson 2003, An Introduction
    to Multivariate Statistical Analysis, 9.3); -ln |R| gets the gamma law with their first three cumulants.

    >>> round(determinant_p(-10.0, 60, 30), 3)  # χ² says 0.060
    0.119
    """
    from scipy.special import polygamma
    from scipy.stats import gamma

    if agents <= items:  # of whom no table has these correlations
        return np.nan
    halves = (agents - 1 - np.arange(1, items)) / 2
    mean, variance, third = (
        (-1) ** k * (polygamma(k - 1, halves) - polygamma(k - 1, (agents - 1) / 2)).sum() for k in (1, 2, 3)
    )
    shape, scale = 4 * variance**3 / third**2, third / (2 * variance)
    return float(gamma.sf((-log_determinant - mean) / scale + shape, shape))


def fit_indices(
    matrix: FloatArray,
    implied: FloatArray,
    factors: int,
    agents: int,
    convention: str = "calibrated",
    df: int | None = None,
) -> pd.Series:
    """`chi_square`, `df`, `p`, `rmsea` with `rmsea_low` and `rmsea_high` (90%), `tli`, `cfi`, `srmr`, `bic`.

    χ² = c F with c of the `convention`, on `df` degrees of freedom; of k explored factors
    ((p - k)² - p - k)/2.
    With χ²₀ of uncorrelated items on df₀ = p(p - 1)/2: TLI = (χ²₀/df₀ - χ²/df) / (χ²₀/df₀ - 1) and CFI = 1 -
    max(χ² - df, 0) / max(χ²₀ - df₀, χ² - df, 0). A model with df = 0 has no p, RMSEA or TLI (NaN).

    >>> loadings = np.array([0.8, 0.7, 0.6, 0.5])
    >>> implied = np.outer(loadings, loadings) + np.diag(1 - loadings**2)
    >>> observed = implied.copy()
    >>> observed[2, 3] = observed[3, 2] = 0.45
    >>> fit_indices(observed, implied, 1, 200).round(3).head(3).to_dict()
    {'chi_square': 8.052, 'df': 2.0, 'p': 0.018}

    References
    ----------
    Steiger and Lind (1980), Browne and Cudeck (1992), Sociol. Methods Res. 21, 230-258 (RMSEA); Tucker and
    Lewis (1973), Psychometrika 38, 1-10; Bentler (1990), Psychol. Bull. 107, 238-246 (CFI); Raftery (1995),
    Sociol. Methodol. 25, 111-163 (BIC). R: `psych::fa(R, k, n.obs = n)`; `lavaan::efa(sample.cov = R, ...)`.
    """
    from scipy.stats import chi2

    for one in (matrix, implied):
        invertible(one, "the fit")
    items = len(matrix)
    free = ((items - factors) ** 2 - items - factors) // 2 if df is None else df
    null_df = items * (items - 1) // 2
    plain = convention == "lavaan"
    bartlett = agents - 1 - (2 * items + 5) / 6
    weight = agents if plain else bartlett - 2 * factors / 3
    null_weight = agents if plain else bartlett
    remedy = f"measure more than {int(np.ceil(agents - weight))}"
    ensure(weight > 0, "responses", agents, "[too-few] has too few agents for χ²", remedy)
    misfit, null = discrepancy(matrix, implied), -np.linalg.slogdet(matrix)[1]
    statistic, null_statistic = max(weight * misfit, 0.0), null_weight * null
    excess, worst = max(statistic - free, 0.0), max(null_statistic - null_df, statistic - free, 0.0)
    residual = matrix - implied
    pairs = items * (items + 1) if plain else items * (items - 1)
    squared = (residual**2).sum() + ((residual.diagonal() ** 2).sum() if plain else 0)
    found = {"chi_square": statistic, "df": float(free), "p": np.nan, "rmsea": np.nan}
    found |= {"rmsea_low": np.nan, "rmsea_high": np.nan, "tli": np.nan}
    found |= {"cfi": 1 - excess / worst if worst else 1.0, "srmr": np.sqrt(squared / pairs)}
    found |= {"bic": statistic - free * np.log(agents)}
    if free:
        size = {"calibrated": weight, "psych": agents - 1, "lavaan": agents}[convention]
        stretch = misfit_variance(matrix, implied) if convention == "calibrated" else 1.0
        low, high = rmsea_interval(statistic, free, size, stretch)
        ratio = excess / (free * weight)
        if convention == "psych":
            ratio = statistic / (free * agents) - 1 / (agents - 1)
        baseline = null / null_df
        found |= {
            "p": chi2.sf(statistic, free),
            "rmsea": np.sqrt(max(ratio, 0.0)),
            "rmsea_low": low,
            "rmsea_high": high,
            "tli": (baseline - misfit / free) / (baseline - 1 / weight),
        }
    return pd.Series(found, name=convention)


def misfit_variance(matrix: FloatArray, implied: FloatArray) -> float:
    """κ = tr((Σ⁻¹R - I)²) / 2F, at least 1: how much more F varies than the noncentral χ² says.

    Where the model is wrong, n var(F) tends to 2 tr((Σ⁻¹R - I)²) for normal responses (Yuan, Hayashi and
    Bentler 2007, J. Multivar. Anal. 98, 1262-1282), and the noncentral χ² supposes 4F, its first term.

    >>> round(misfit_variance(np.full((4, 4), 0.6) + 0.4 * np.eye(4), np.eye(4)), 3)  # 4.32 / (2 * 1.7196)
    1.256
    """
    ratio = np.linalg.solve(implied, matrix) - np.eye(len(matrix))
    misfit = discrepancy(matrix, implied)
    return max(float((ratio * ratio.T).sum() / (2 * misfit)), 1.0) if misfit > 1e-12 else 1.0


def rmsea_interval(
    statistic: float, df: int, agents: float, stretch: float = 1.0, ci: float = _CI
) -> tuple[float, float]:
    """The interval of RMSEA: the noncentralities λ under which χ² would be at, say, its 95% and 5% point.

    √(λ / (df · agents)), with λ of P(χ²(df, λ) ≤ χ²) = Φ(±z √κ) and `stretch` κ; 0 where no λ reaches it.
    """
    from scipy.special import chndtrinc, ndtr, ndtri
    from scipy.stats import chi2

    half = ndtri((1 + ci) / 2) * np.sqrt(stretch)

    def limit(share: float) -> float:
        if chi2.cdf(statistic, df) <= share:
            return 0.0
        return float(np.sqrt(chndtrinc(statistic, df, share) / (df * agents)))

    return limit(ndtr(half)), limit(ndtr(-half))


def normal_enough(frame: pd.DataFrame) -> bool:
    """Do χ² and the limits of RMSEA mean what they say? They suppose normal responses without gaps.

    So: seven or more values of each item, and Mardia's (1970) kurtosis, the mean squared Mahalanobis distance
    squared, at most 1.05 times the p(p + 2) of p normal items.

    >>> rng = np.random.default_rng(1)
    >>> table = pd.DataFrame(rng.standard_normal((300, 5)))
    >>> normal_enough(table), normal_enough(1.0 * (table > 0)), normal_enough(table**3)
    (True, False, False)
    """
    if frame.isna().to_numpy().any() or (frame.nunique() < _FEWEST_VALUES).any():
        return False
    items = frame.shape[1]
    apart = frame.to_numpy() - frame.to_numpy().mean(0)
    distance = (apart @ np.linalg.pinv(np.cov(apart.T, bias=True)) * apart).sum(1)
    return bool((distance**2).mean() <= _MOST_KURTOSIS * items * (items + 2))


def nearly_as_large(matrix: FloatArray, uniqueness: FloatArray, factors: int) -> bool:
    """Is the first factor left out nearly as large as the last that was kept?

    Then another choice of factors may fit as well, a search takes the best of several by chance, and F is
    smaller than its law says. With θ the eigenvalues of Ψ^-½ R Ψ^-½, 1 for what is an item's own: from
    (θₖ₊₁ - 1) / (θₖ - 1) = 0.3 on.

    >>> three = np.kron(np.eye(3), np.full((3, 3), 0.36)) + 0.2 + 0.44 * np.eye(9)
    >>> nearly_as_large(three, np.full(9, 0.44), 2), nearly_as_large(three, np.full(9, 0.44), 3)
    (True, False)
    """
    root = np.sqrt(uniqueness.clip(0.005))
    values = np.linalg.eigvalsh(matrix / np.outer(root, root))[::-1]
    kept, left = values[factors - 1] - 1, values[factors] - 1
    return bool(left >= _NEARLY * kept)


def invertible(matrix: FloatArray, what: str) -> FloatArray:
    """The matrix, if it has an inverse."""
    problem = f"[singular] has a singular correlation matrix, for which {what} is not defined"
    remedy = "measure more agents than items, or drop items"
    ensure(np.linalg.eigvalsh(matrix)[0] >= 1e-8, "responses", matrix.shape, problem, remedy)
    return matrix
