"""Factor extraction and rotation: from a correlation matrix to loadings.

R ≈ Λ Φ Λ' + Ψ: items share what the factors Λ carry, and Ψ is each item's own. The three ways to
choose Ψ differ in what they call close: minres squares the residuals, maximum likelihood weighs them
by what an item has of its own, principal axis iterates until the communalities agree with themselves.

Who does it: principal axis is statsmodels', maximum likelihood and the rotations are
factor_analyzer's. Minres is ours: factor_analyzer's gives the same (1e-6) but takes its gradients
numerically, 12 times slower at 100 items, and starts from an inverse that agents < items do not have.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gindex_lab.errors import BadInput
from gindex_lab.validate import FloatArray

__all__ = ["METHODS", "ROTATIONS", "extract", "minres_uniqueness", "rotate"]

METHODS = ["minres", "ml", "principal_axis"]
ROTATIONS = ["none", "oblimin", "promax", "quartimin", "varimax", "quartimax"]
_LEAST, _MOST = 0.005, 1.0  # the uniquenesses' bounds, as in R's psych and factanal


def extract(matrix: FloatArray, n: int, method: str) -> FloatArray:
    """Unrotated loadings, items x factors, each factor turned so that its loadings sum above zero.

    >>> truth = np.array([0.9, 0.8, 0.7, 0.6])
    >>> matrix = np.outer(truth, truth) + np.diag(1 - truth**2)
    >>> extract(matrix, 1, "minres")[:, 0].round(4)
    array([0.9, 0.8, 0.7, 0.6])
    """
    how = {"minres": _minres, "ml": _maximum_likelihood, "principal_axis": _principal_axis}
    return upright(how[method](matrix, n))


def upright(loadings: FloatArray) -> FloatArray:
    """The sign convention: the loadings of a factor sum above zero.

    >>> upright(np.array([[-0.5], [-0.6]])).ravel()
    array([0.5, 0.6])
    """
    return loadings * _signs(loadings)


def _signs(loadings: FloatArray) -> FloatArray:
    return np.where(loadings.sum(0) < 0, -1.0, 1.0)


def _leading(reduced: FloatArray, n: int) -> FloatArray:
    """Loadings from the n largest eigenvalues of a reduced correlation matrix."""
    values, vectors = np.linalg.eigh(reduced)
    return vectors[:, : -n - 1 : -1] * np.sqrt(np.maximum(values[: -n - 1 : -1], 0.0))


def minres_uniqueness(matrix: FloatArray, n: int) -> FloatArray:
    """Ψ that minimises ½ ‖R - Ψ - ΛΛ'‖², Λ the n leading eigenvectors of R - Ψ (Harman, Jones 1966).

    The gradient is minus the diagonal of the residual.

    >>> truth = np.array([0.8, 0.6, 0.5])
    >>> minres_uniqueness(np.outer(truth, truth) + np.diag(1 - truth**2), 1).round(4)
    array([0.36, 0.64, 0.75])
    """
    from scipy.optimize import minimize

    def misfit(uniqueness: FloatArray) -> tuple[float, FloatArray]:
        reduced = matrix - np.diag(uniqueness)
        loadings = _leading(reduced, n)
        residual = reduced - loadings @ loadings.T
        return 0.5 * float((residual**2).sum()), -residual.diagonal()

    items = len(matrix)
    found = minimize(
        misfit,
        np.full(items, 0.5),
        jac=True,
        method="L-BFGS-B",
        bounds=[(_LEAST, _MOST)] * items,
        options={"maxiter": 5000, "maxfun": 20000, "ftol": 1e-15, "gtol": 1e-10},
    )
    return np.asarray(found.x)


def _minres(matrix: FloatArray, n: int) -> FloatArray:
    return _leading(matrix - np.diag(minres_uniqueness(matrix, n)), n)


def _principal_axis(matrix: FloatArray, n: int) -> FloatArray:
    from statsmodels.multivariate.factor import Factor

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        smc = np.linalg.matrix_rank(matrix) == len(matrix)
        factor = Factor(corr=matrix, n_factor=n, method="pa", smc=smc)
        found = factor.fit(maxiter=5000, tol=1e-9).loadings
    _stop_if("principal_axis", caught, ("converge", "iterations"))
    if not np.isfinite(found).all():
        raise BadInput("method", "principal_axis", "did not converge", 'use method="minres"')
    return np.asarray(found)


def _maximum_likelihood(matrix: FloatArray, n: int) -> FloatArray:
    if np.linalg.eigvalsh(matrix).min() < 1e-8:
        raise BadInput(
            "method",
            "ml",
            "needs a correlation matrix that can be inverted, with more agents than items",
            'use method="minres"',
        )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        analyser = _factor_analyzer().FactorAnalyzer(
            n, rotation=None, method="ml", is_corr_matrix=True
        )
        found = analyser.fit(matrix.copy()).loadings_
    _stop_if("ml", caught, ("Failed to converge",))
    return np.asarray(found)


def _stop_if(method: str, caught: list[warnings.WarningMessage], words: tuple[str, ...]) -> None:
    """A peer's warning that its fit failed is an error of ours; its other warnings are not."""
    for warning in caught:
        if any(word in str(warning.message) for word in words):
            raise BadInput("method", method, str(warning.message), 'use method="minres"')


def _factor_analyzer() -> Any:
    """factor_analyzer with the one name it misses under scikit-learn 1.8 and later.

    Version 0.5.1 calls `check_array(force_all_finite=...)`; the keyword is `ensure_all_finite` now.
    This is the only place where the package is adapted.
    """
    import inspect

    import factor_analyzer.factor_analyzer as module
    from sklearn.utils import check_array

    if "force_all_finite" not in inspect.signature(check_array).parameters:

        def renamed(array: Any, *, force_all_finite: Any = True, **rest: Any) -> Any:
            return check_array(array, ensure_all_finite=force_all_finite, **rest)

        module.check_array = renamed
    return module


def rotate(loadings: FloatArray, rotation: str) -> tuple[FloatArray, FloatArray]:
    """Rotated loadings and the factors' correlations Φ, factors in order of the variance they carry.

    Rotations are without Kaiser's normalisation except varimax and promax, as in R's psych; each
    factor's loadings sum above zero. Oblimin is quartimin (its γ = 0).

    >>> pattern = np.kron(np.eye(2), np.full((4, 1), 0.7))  # two groups of four items
    >>> matrix = pattern @ np.array([[1, 0.4], [0.4, 1]]) @ pattern.T
    >>> np.fill_diagonal(matrix, 1)
    >>> rotate(extract(matrix, 2, "minres"), "oblimin")[1].round(2)
    array([[1. , 0.4],
           [0.4, 1. ]])
    """
    factors = loadings.shape[1]
    if rotation == "none" or factors == 1:
        return loadings, np.eye(factors)
    if rotation in ("oblimin", "quartimin"):
        rotated, phi = _quartimin(loadings)
    elif rotation == "promax":
        rotated, phi = _turned(_orthogonal(loadings, "varimax"), rotation)
    else:
        rotated, phi = _orthogonal(loadings, rotation), np.eye(factors)
    order = np.argsort(-(rotated @ phi * rotated).sum(0), kind="stable")
    rotated, phi = rotated[:, order], phi[np.ix_(order, order)]
    signs = _signs(rotated)
    return rotated * signs, phi * np.outer(signs, signs)


def _turned(loadings: FloatArray, rotation: str) -> tuple[FloatArray, FloatArray]:
    from factor_analyzer import Rotator

    rotator = Rotator(
        method=rotation, normalize=rotation in ("varimax", "promax"), max_iter=5000, tol=1e-8
    )
    rotated = np.asarray(rotator.fit_transform(loadings))
    return rotated, np.eye(len(loadings.T)) if rotator.phi_ is None else np.asarray(rotator.phi_)


def _starts(loadings: FloatArray, starts: int = 8) -> list[FloatArray]:
    """The loadings and fixed pseudo-random turns of them.

    From unrotated loadings a rotation may stay where it is: factors of equal strength make them a
    saddle point, and only rounding errors, other ones on every machine, lead away from it.
    """
    rng, size = np.random.default_rng(0), loadings.shape[1]
    turns = [np.linalg.qr(rng.standard_normal((size, size)))[0] for _ in range(starts - 1)]
    return [loadings, *(loadings @ turn for turn in turns)]


def _orthogonal(loadings: FloatArray, rotation: str) -> FloatArray:
    """Varimax or quartimax, the best over several starts."""
    found = [_turned(start, rotation)[0] for start in _starts(loadings)]
    return max(found, key=lambda rotated: _simplicity(rotated, rotation == "varimax"))


def _simplicity(loadings: FloatArray, varimax: bool) -> float:
    """What they maximise: Σ λ⁴, for varimax of normalised rows and less the squared column means."""
    squares = loadings**2
    if varimax:
        squares = squares / np.maximum(squares.sum(1, keepdims=True), np.finfo(float).tiny)
        return float(squares.var(0).sum())
    return float((squares**2).sum())


def _quartimin(loadings: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The least of Σ λ²_ij λ²_ik over several starts, the first of them varimax."""
    straight = _orthogonal(loadings, "varimax")
    found = [_turned(start, "quartimin") for start in _starts(straight)]
    return min(found, key=lambda pair: _complexity(pair[0]))


def _complexity(loadings: FloatArray) -> float:
    squares = loadings**2
    return float((squares.sum(1) ** 2).sum() - (squares**2).sum())
