"""Does a factor model fit? χ², RMSEA, TLI, CFI, SRMR and BIC of an implied correlation matrix.

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

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.validate import FloatArray

__all__ = ["CONVENTIONS", "discrepancy", "fit_indices", "invertible", "misfit_variance", "nearly_as_large"]
__all__ += ["normal_enough", "rmsea_interval"]

CONVENTIONS = ["calibrated", "psych", "lavaan"]
_CI = 0.9  # of RMSEA, as everybody reports it
# Chosen on the designs called "tuning" of `benchmarks.measured.factors` and `factor_limits`
_FEWEST_VALUES, _MOST_KURTOSIS = 7, 1.05
_NEARLY = 0.3  # as large, of a factor left out


def discrepancy(matrix: FloatArray, implied: FloatArray) -> float:
    """F = tr(Σ⁻¹R) - log|Σ⁻¹R| - p, the misfit that maximum likelihood makes least; zero where Σ = R.

    >>> discrepancy(np.array([[1, 0.6], [0.6, 1]]), np.eye(2)).round(4), -np.log(1 - 0.36).round(4)
    (np.float64(0.4463), np.float64(0.4463))
    """
    ratio = np.linalg.solve(implied, matrix)
    return np.trace(ratio) - np.linalg.slogdet(ratio)[1] - len(matrix)


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

    >>> [round(limit, 4) for limit in rmsea_interval(40.0, 20, 199)]
    [0.038, 0.1028]
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
