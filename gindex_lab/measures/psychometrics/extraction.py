"""Factor extraction: from a correlation matrix to unrotated loadings, and to one general factor of several.

R ≈ Λ Φ Λ' + Ψ: items share what the factors Λ carry, and Ψ is each item's own. The three ways to
choose Ψ differ in what they call close: minres squares the residuals, maximum likelihood weighs them
by what an item has of its own, principal axis iterates until the communalities agree with themselves.

Minres and maximum likelihood may have several minima: with R's `ability` data and three factors,
minres from Ψ = ½ ends at .063454 and from the squared multiple correlations at .063062. We start
from both and from random Ψ until the minima seen leave less than half a minimum to be expected unseen.
Principal axis is statsmodels'. factor_analyzer has both others too, from one start each; its minres
takes its gradients numerically, 12 times slower at 100 items.

Several oblique factors correlate; what they have in common is a factor of the factors. Schmid and
Leiman (1957) write both levels as loadings of the items themselves, one general and one per group,
all uncorrelated. ω_h is then the share of the sum score's variance that the general factor makes.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.rotation import rotate, upright

__all__ = ["LARGEST_COMMUNALITY", "METHODS", "GeneralFactor", "extract", "general_factor"]
__all__ += ["minres_uniqueness", "schmid_leiman"]

Misfit = Callable[[FloatArray], tuple[float, FloatArray]]  # and its gradient, by the uniquenesses
METHODS = ["minres", "ml", "principal_axis"]
_LEAST, _MOST = 0.005, 1.0  # the uniquenesses' bounds, as in R's psych and factanal
LARGEST_COMMUNALITY = 1 - _LEAST - 1e-9  # an item at or above it has nothing of its own
_MOST_STARTS = 40  # a judgement: the rule of `_least_misfit` stops after seven as a rule
_FINE = {"ftol": 1e-15, "gtol": 1e-10}  # the end of a descent: as fine as doubles and L-BFGS-B allow
_COARSE = {"ftol": 1e-8, "gtol": 1e-5}  # enough to see that a descent ends where an earlier one did


def extract(matrix: FloatArray, n: int, method: str, start: FloatArray | None = None) -> FloatArray:
    """Unrotated loadings, items x factors, each factor turned so that its loadings sum above zero.

    With uniquenesses to `start` from, minres and ml make one descent only.

    >>> truth = np.array([0.9, 0.8, 0.7, 0.6])
    >>> matrix = np.outer(truth, truth) + np.diag(1 - truth**2)
    >>> extract(matrix, 1, "minres")[:, 0].round(4)
    array([0.9, 0.8, 0.7, 0.6])
    """
    if method == "principal_axis":
        return upright(_principal_axis(matrix, n))
    if method == "minres":
        return upright(_leading(matrix - np.diag(minres_uniqueness(matrix, n, start)), n))
    problem = "[singular] needs a correlation matrix that can be inverted, with more agents than items"
    ensure(np.linalg.eigvalsh(matrix).min() >= 1e-8, "method", "ml", problem, 'use method="minres"')
    return upright(_weighted_loadings(matrix, _likelihood_uniqueness(matrix, n, start), n)[0])


def _leading(reduced: FloatArray, n: int) -> FloatArray:
    """Loadings from the n largest eigenvalues of a reduced correlation matrix."""
    values, vectors = np.linalg.eigh(reduced)
    return vectors[:, : -n - 1 : -1] * np.sqrt(np.maximum(values[: -n - 1 : -1], 0.0))


def minres_uniqueness(matrix: FloatArray, n: int, start: FloatArray | None = None) -> FloatArray:
    """Ψ that minimises ½ ‖R - Ψ - ΛΛ'‖², Λ the n leading eigenvectors of R - Ψ (Harman, Jones 1966).

    The gradient is minus the diagonal of the residual.
    """

    def misfit(uniqueness: FloatArray) -> tuple[float, FloatArray]:
        reduced = matrix - np.diag(uniqueness)
        loadings = _leading(reduced, n)
        residual = reduced - loadings @ loadings.T
        return 0.5 * float((residual**2).sum()), -residual.diagonal()

    return _least_misfit(misfit, matrix, start)


def _likelihood_uniqueness(matrix: FloatArray, n: int, start: FloatArray | None) -> FloatArray:
    """Ψ that minimises log|ΛΛ' + Ψ| + tr((ΛΛ' + Ψ)⁻¹ R) - log|R| - p (Jöreskog 1967; R's factanal).

    With θ the eigenvalues of Ψ^-½ R Ψ^-½ beyond the n largest it is Σ (θ - log θ - 1).
    """

    def misfit(uniqueness: FloatArray) -> tuple[float, FloatArray]:
        loadings, values = _weighted_loadings(matrix, uniqueness, n)
        rest = np.maximum(values[:-n], np.finfo(float).tiny)
        left = (loadings**2).sum(1) + uniqueness - matrix.diagonal()
        return float((rest - np.log(rest) - 1).sum()), left / uniqueness**2

    return _least_misfit(misfit, matrix, start)


def _weighted_loadings(matrix: FloatArray, uniqueness: FloatArray, n: int) -> tuple[FloatArray, FloatArray]:
    root = np.sqrt(uniqueness)
    values, vectors = np.linalg.eigh(matrix / np.outer(root, root))
    size = np.sqrt(np.maximum(values[: -n - 1 : -1] - 1.0, 0.0))
    return root[:, None] * vectors[:, : -n - 1 : -1] * size, values


def _least_misfit(misfit: Misfit, matrix: FloatArray, given: FloatArray | None) -> FloatArray:
    """The best of several descents, the same ones on every call.

    After N descents into w different minima, w (w + 1) / (N - w - 2) more are expected to exist
    (Boender and Rinnooy Kan 1987, Math. Program. 37, 59-80): we stop when that is at most ½.
    """
    items = len(matrix)
    if given is not None:
        return _descent(misfit, given, _FINE)[0]
    rng, first = np.random.default_rng(0), _first_starts(matrix)
    minima: list[float] = []
    best, least = np.full(items, 0.5), np.inf
    for k in range(_MOST_STARTS):
        start = rng.uniform(0.05, 0.95, items) if k > 1 else first[k]
        found, value = _descent(misfit, start, _COARSE if k else _FINE)
        if not np.isclose(value, minima, 1e-5, 1e-8).any():
            if k:  # not one that was seen: go down to its end
                found, value = _descent(misfit, found, _FINE)
            if not np.isclose(value, minima, 1e-5, 1e-8).any():
                minima.append(value)
            if value < least:
                best, least = found, value
        seen, unseen = len(minima), k - 1 - len(minima)
        if unseen > 0 and seen * (seen + 1) <= 0.5 * unseen:
            break
    return best


def _descent(misfit: Misfit, start: FloatArray, ends: dict[str, float]) -> tuple[FloatArray, float]:
    """Uniquenesses and misfit at the end of one descent."""
    from scipy.optimize import minimize

    given = {"bounds": [(_LEAST, _MOST)] * len(start), "options": {"maxiter": 5000, "maxfun": 20000, **ends}}
    found = minimize(misfit, start, jac=True, method="L-BFGS-B", **given)
    return np.asarray(found.x), float(found.fun)


def _first_starts(matrix: FloatArray) -> list[FloatArray]:
    """What the other items leave unexplained of each (1 - SMC), where R has an inverse; and ½."""
    half = np.full(len(matrix), 0.5)
    if np.linalg.eigvalsh(matrix)[0] < 1e-8:
        return [half, np.full(len(matrix), 0.9)]
    return [np.clip(1 / np.linalg.inv(matrix).diagonal(), _LEAST, _MOST), half]


def _principal_axis(matrix: FloatArray, n: int) -> FloatArray:
    from statsmodels.multivariate.factor import Factor

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        smc = np.linalg.matrix_rank(matrix) == len(matrix)
        factor = Factor(corr=matrix, n_factor=n, method="pa", smc=smc)
        found = factor.fit(maxiter=5000, tol=1e-9).loadings
    said = [str(x.message) for x in caught if re.search("converge|iterations", str(x.message))]
    fine, problem = not said and np.isfinite(found).all(), "; ".join(said) or "did not converge"
    # a peer's warning that its fit failed is an error of ours
    ensure(fine, "method", "principal_axis", problem, 'use method="minres"')
    return np.asarray(found)


@dataclass(frozen=True)
class GeneralFactor:
    """`loadings` (general and groups), `omega_h`, `omega_total`, `explained_common_variance`."""

    loadings: pd.DataFrame
    omega_h: float
    omega_total: float
    explained_common_variance: float

    def __repr__(self) -> str:
        return (
            f"GeneralFactor(omega_h={self.omega_h:.3f}, omega_total={self.omega_total:.3f}, "
            f"explained_common_variance={self.explained_common_variance:.3f})"
        )


def schmid_leiman(pattern: FloatArray, phi: FloatArray) -> tuple[FloatArray, FloatArray]:
    """General and group loadings of an oblique pattern Λ with factor correlations Φ.

    With γ the loadings of one factor fitted to Φ: general = Λγ, group = Λ √(1 - γ²). Two factors do
    not determine γ; both get √φ, as in R's psych.

    >>> pattern = np.array([[0.8, 0], [0.8, 0], [0, 0.8], [0, 0.8]])
    >>> general, group = schmid_leiman(pattern, np.array([[1, 0.25], [0.25, 1]]))
    >>> general.round(2), group[0].round(2)
    (array([0.4, 0.4, 0.4, 0.4]), array([0.69, 0.  ]))
    """
    if len(phi) == 2:
        second = np.sqrt(np.full(2, abs(phi[0, 1]))) * np.array([1.0, np.sign(phi[0, 1]) or 1.0])
    else:
        second = _one_of_three(phi) if len(phi) == 3 else None
        second = extract(phi, 1, "minres")[:, 0] if second is None else second
    second = np.clip(second, -1.0, 1.0)
    return upright((pattern @ second)[:, None])[:, 0], pattern * np.sqrt(1 - second**2)


def _one_of_three(phi: FloatArray) -> FloatArray | None:
    """Loadings of the one factor that fits three correlations exactly, γ₁² = φ₁₂ φ₁₃ / φ₂₃; None without."""
    one, two, three = phi[0, 1], phi[0, 2], phi[1, 2]
    if one * two * three <= 0:
        return None
    squares = np.array([one * two / three, one * three / two, two * three / one])
    signs = np.array([1.0, np.sign(one), np.sign(two)])
    fits = squares.max() <= 1 - _LEAST
    return upright((np.sqrt(squares) * signs)[:, None])[:, 0] if fits else None


def general_factor(
    matrix: FloatArray, items: pd.Index, n: int, method: str = "minres", plain: FloatArray | None = None
) -> GeneralFactor:
    """ω_h, ω and the explained common variance of a correlation matrix, by n group factors.

    ω_h = (Σ general)² / Σ R and ω = 1 - Σ (1 - communality) / Σ R (McDonald 1999; Zinbarg et al.
    2005, Psychometrika 70); ECV = Σ general² / Σ communality (Reise 2012). Oblimin rotation, of unrotated
    loadings (`plain`) where they are known.
    """
    problem = "[too-few-factors] is too few: a general factor is what several factors share"
    ensure(n > 1, "n", n, problem, "use n=3 or so")
    pattern, phi = rotate(extract(matrix, n, method) if plain is None else plain, "oblimin")
    general, group = schmid_leiman(pattern, phi)
    table = pd.DataFrame(group, items, [f"group {k + 1}" for k in range(n)])
    table.insert(0, "general", general)
    communality = (table.to_numpy() ** 2).sum(1)
    total = float(matrix.sum())
    return GeneralFactor(
        loadings=table,
        omega_h=float(general.sum() ** 2 / total),
        omega_total=float(1 - (1 - communality).sum() / total),
        explained_common_variance=float((general**2).sum() / communality.sum()),
    )
