"""Does a factor model fit? χ², RMSEA, TLI, CFI, SRMR and BIC of an implied correlation matrix.

F = tr(Σ⁻¹R) - log|Σ⁻¹R| - p measures how far the observed R lies from the implied Σ; χ² is F times the
number of agents, and all other indices are made of it. R's packages multiply by different numbers:

- `"psych"`: n - 1 - (2p + 5)/6 - 2k/3, Bartlett's (1950) correction for p items and k factors; RMSEA² is
  χ²/(n df) - 1/(n - 1); SRMR is over the off-diagonal residuals. psych has no CFI: ours is of its χ²s.
- `"lavaan"`: n; RMSEA² is (χ² - df)/(n df); SRMR counts the diagonal too.

BIC is χ² - df log n in both (Raftery 1995); lavaan's own differs by that of the saturated model.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray

__all__ = [
    "CONVENTIONS",
    "adequacy",
    "discrepancy",
    "fit_indices",
    "rmsea_interval",
    "sphericity",
]

CONVENTIONS = ["psych", "lavaan"]
_CI = 0.9  # of RMSEA, as everybody reports it


def discrepancy(matrix: FloatArray, implied: FloatArray) -> float:
    """F = tr(Σ⁻¹R) - log|Σ⁻¹R| - p, the misfit that maximum likelihood makes least; zero where Σ = R.

    >>> discrepancy(np.array([[1, 0.6], [0.6, 1]]), np.eye(2)).round(4), -np.log(1 - 0.36).round(4)
    (np.float64(0.4463), np.float64(0.4463))
    """
    ratio = np.linalg.solve(implied, matrix)
    return np.trace(ratio) - np.linalg.slogdet(ratio)[1] - len(matrix)


def fit_indices(
    matrix: FloatArray, implied: FloatArray, factors: int, agents: int, convention: str = "psych"
) -> pd.Series:
    """`chi_square`, `df`, `p`, `rmsea` with `rmsea_low` and `rmsea_high` (90%), `tli`, `cfi`, `srmr`, `bic`.

    χ² = c F with c of the `convention`, on df = ((p - k)² - p - k)/2. With χ²₀ of uncorrelated items on
    df₀ = p(p - 1)/2: TLI = (χ²₀/df₀ - χ²/df) / (χ²₀/df₀ - 1) and CFI = 1 - max(χ² - df, 0) / max(χ²₀ - df₀,
    χ² - df, 0). A model without degrees of freedom has no p, RMSEA or TLI (NaN).

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
        _invertible(one, "the fit")
    items = len(matrix)
    df = ((items - factors) ** 2 - items - factors) // 2
    null_df = items * (items - 1) // 2
    bartlett = (2 * items + 5) / 6
    psych = convention == "psych"
    weight = agents - 1 - bartlett - 2 * factors / 3 if psych else agents
    null_weight = agents - 1 - bartlett if psych else agents
    if weight <= 0:
        remedy = f"measure more than {int(np.ceil(agents - weight))}"
        raise BadInput("responses", agents, "has too few agents for χ²", remedy, code="too-few")
    misfit, null = discrepancy(matrix, implied), -np.linalg.slogdet(matrix)[1]
    statistic, null_statistic = max(weight * misfit, 0.0), null_weight * null
    excess, worst = max(statistic - df, 0.0), max(null_statistic - null_df, statistic - df, 0.0)
    residual = matrix - implied
    pairs = items * (items - 1) if psych else items * (items + 1)
    squared = (residual**2).sum() + (0 if psych else (residual.diagonal() ** 2).sum())
    found = {"chi_square": statistic, "df": float(df), "p": np.nan, "rmsea": np.nan}
    found |= {"rmsea_low": np.nan, "rmsea_high": np.nan, "tli": np.nan}
    found |= {"cfi": 1 - excess / worst if worst else 1.0, "srmr": np.sqrt(squared / pairs)}
    found |= {"bic": statistic - df * np.log(agents)}
    if df:
        ratio = statistic / (df * agents) - (1 / (agents - 1) if psych else 1 / agents)
        low, high = rmsea_interval(statistic, df, agents - 1 if psych else agents)
        baseline = null / null_df
        found |= {
            "p": chi2.sf(statistic, df),
            "rmsea": np.sqrt(max(ratio, 0.0)),
            "rmsea_low": low,
            "rmsea_high": high,
            "tli": (baseline - misfit / df) / (baseline - 1 / weight),
        }
    return pd.Series(found, name=convention)


def rmsea_interval(statistic: float, df: int, agents: float) -> tuple[float, float]:
    """The 90% interval of RMSEA: the noncentralities λ under which χ² would be at its 95% and 5% point.

    √(λ / (df · agents)), with λ of P(χ²(df, λ) ≤ χ²) = 0.95 and 0.05, or 0 where no λ reaches it. Coverage
    measured on 8 normal items, 300 agents: 88% where the true RMSEA is 0.06, 84% where it is a gross 0.19.

    >>> [round(limit, 4) for limit in rmsea_interval(40.0, 20, 199)]
    [0.038, 0.1028]
    """
    from scipy.special import chndtrinc
    from scipy.stats import chi2

    def limit(share: float) -> float:
        if chi2.cdf(statistic, df) <= share:
            return 0.0
        return float(np.sqrt(chndtrinc(statistic, df, share) / (df * agents)))

    return limit((1 + _CI) / 2), limit((1 - _CI) / 2)


def adequacy(matrix: FloatArray) -> tuple[float, FloatArray]:
    """Kaiser, Meyer and Olkin's Σ r² / (Σ r² + Σ partial r²), of all items and of each (R: `psych::KMO`).

    >>> adequacy(np.full((3, 3), 0.5) + 0.5 * np.eye(3))[0].round(3)
    np.float64(0.692)
    """
    inverse = np.linalg.inv(_invertible(matrix, "KMO"))
    scale = np.sqrt(inverse.diagonal())
    partial, plain = (inverse / np.outer(scale, scale)) ** 2, matrix**2
    np.fill_diagonal(partial, 0.0)
    np.fill_diagonal(plain, 0.0)
    both = plain + partial
    return plain.sum() / both.sum(), plain.sum(0) / both.sum(0)


def sphericity(matrix: FloatArray, agents: int) -> pd.Series:
    """Bartlett's (1950) test that all items are uncorrelated (R: `psych::cortest.bartlett`)."""
    from scipy.stats import chi2

    items = len(matrix)
    log_determinant = np.linalg.slogdet(_invertible(matrix, "Bartlett's test"))[1]
    statistic = -(agents - 1 - (2 * items + 5) / 6) * log_determinant
    df = items * (items - 1) / 2
    values = {"statistic": statistic, "df": df, "p": chi2.sf(statistic, df)}
    return pd.Series(values, name="bartlett")


def _invertible(matrix: FloatArray, what: str) -> FloatArray:
    if np.linalg.eigvalsh(matrix)[0] < 1e-8:
        problem = f"has a singular correlation matrix, for which {what} is not defined"
        remedy = "measure more agents than items, or drop items"
        raise BadInput("responses", matrix.shape, problem, remedy, code="singular")
    return matrix
