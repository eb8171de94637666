"""How sure the fit is of its items: the observed information of the marginal likelihood.

What the responses say of the parameters is what they would say if the abilities were seen, less what
is lost because they are not: I = E(complete information) - Var(complete score), both under each
agent's posterior (Louis 1982). Without guessing both are matrix products; with guessing the
information is the numerical derivative of the exact score (Fisher's identity).

Order of the parameters: slopes (one for the 1PL), intercepts, guessing logits.
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.irt_em import curves, e_step, expected, logistic, score
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings, Patterns, Priors

__all__ = [
    "covariance",
    "information",
    "known_ability_covariance",
    "numerical_information",
    "standard_errors",
]


def information(
    data: Patterns, parameters: FloatArray, model: str, settings: IrtSettings, priors: Priors
) -> FloatArray:
    """The observed information of the free parameters, the priors' precision included.

    >>> data = Patterns.of(np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 1, 0]] * 9, dtype=float))
    >>> at = np.array([[1.0, 1.0], [1.0, 1.0], [1.0, -1.0]])
    >>> information(data, at, "2pl", IrtSettings(), Priors()).shape
    (6, 6)
    >>> information(data, at, "1pl", IrtSettings(), Priors()).shape
    (4, 4)
    """
    if parameters.shape[1] == 3:
        return numerical_information(data, parameters, settings, priors)
    full = _complete(data, parameters, settings) - _lost(data, parameters, settings)
    full += np.diag(priors.pull(parameters)[1].T.ravel())
    if model != "1pl":
        return full
    items = len(parameters)
    shared = np.zeros((2 * items, items + 1))  # which free parameter each of the full ones is
    shared[:items, 0] = 1.0
    shared[items:, 1:] = np.eye(items)
    return shared.T @ full @ shared


def _complete(data: Patterns, parameters: FloatArray, settings: IrtSettings) -> FloatArray:
    """The information if abilities were seen: each item's 2 x 2 block, slopes before intercepts."""
    nodes, weights = settings.grid()
    _, posterior = e_step(data, parameters, nodes, weights)
    _, blocks = score(expected(data, posterior, nodes, 2), parameters, nodes)
    rows = [[np.diag(blocks[:, k, m]) for m in range(2)] for k in range(2)]
    return np.block(rows)


def _lost(data: Patterns, parameters: FloatArray, settings: IrtSettings) -> FloatArray:
    """Σ over agents of the posterior covariance of the complete score (y - P) (θ, 1).

    With u = P (θ, 1): y y' Var(θ) on the slopes, -y Cov(θ, u') and its transpose, Cov(u, u').
    """
    nodes, weights = settings.grid()
    _, posterior = e_step(data, parameters, nodes, weights)
    items = len(parameters)
    chance = curves(parameters, nodes).T
    u = np.hstack([chance * nodes[:, None], chance])  # nodes x 2 items
    mean = posterior @ nodes
    mean_u = posterior @ u
    with_u = posterior @ (u * nodes[:, None]) - mean[:, None] * mean_u
    posterior = posterior * data.agents[:, None]
    if data.seen is None:
        lost = (u * posterior.sum(0)[:, None]).T @ u
    else:
        seen = np.hstack([data.seen, data.seen])
        mean_u, with_u = mean_u * seen, with_u * seen
        lost = _masked_second_moment(u, posterior, data.seen)
    lost -= (mean_u * data.agents[:, None]).T @ mean_u
    weighted = data.right * data.agents[:, None]
    crossed = weighted.T @ with_u
    lost[:items] -= crossed
    lost[:, :items] -= crossed.T
    variance = (posterior @ nodes**2) / data.agents - mean**2
    lost[:items, :items] += (weighted * variance[:, None]).T @ data.right
    return lost


def _masked_second_moment(u: FloatArray, posterior: FloatArray, seen: FloatArray) -> FloatArray:
    """Σ E(u u') where only pairs of items that an agent has both seen count."""
    total = np.zeros((u.shape[1], u.shape[1]))
    for at_node, weight in zip(u, posterior.T, strict=True):
        together = (seen * weight[:, None]).T @ seen
        total += np.outer(at_node, at_node) * np.tile(together, (2, 2))
    return total


def numerical_information(
    data: Patterns, parameters: FloatArray, settings: IrtSettings, priors: Priors
) -> FloatArray:
    """The same by central differences of the score, for any model without shared slopes.

    >>> data = Patterns.of(np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 1, 0]] * 9, dtype=float))
    >>> at = np.array([[1.0, 1.0], [1.2, 1.0], [0.8, -1.0]])
    >>> exact = information(data, at, "2pl", IrtSettings(), Priors())
    >>> np.allclose(numerical_information(data, at, IrtSettings(), Priors()), exact, atol=1e-5)
    True
    """
    nodes, weights = settings.grid()
    items, size = parameters.shape

    def slope(free: FloatArray) -> FloatArray:
        moved = free.reshape(size, items).T
        _, posterior = e_step(data, moved, nodes, weights)
        gradient, _ = score(expected(data, posterior, nodes, size), moved, nodes)
        return (gradient + priors.pull(moved)[0]).T.ravel()

    free = parameters.T.ravel()
    width = 1e-4 * np.maximum(1.0, np.abs(free))
    jacobian = np.stack([slope(free - h) - slope(free + h) for h in np.diag(width)])
    jacobian /= 2 * width[:, None]
    return 0.5 * (jacobian + jacobian.T)


def covariance(info: FloatArray) -> FloatArray:
    """Its inverse; directions the data do not pin down get an infinite variance, not a NaN.

    >>> covariance(np.diag([4.0, 0.0])).diagonal()
    array([0.25,  inf])
    """
    values, vectors = np.linalg.eigh(info)
    flat = values < 1e-9 * values.max()
    kept = vectors[:, ~flat]
    inverse = np.asarray((kept / values[~flat]) @ kept.T, dtype=float)
    loose = (vectors[:, flat] ** 2).sum(1) > 1e-6
    inverse[loose, loose] = np.inf
    return inverse


def known_ability_covariance(
    data: Patterns, parameters: FloatArray, settings: IrtSettings, priors: Priors
) -> FloatArray:
    """Each item's own inverse information (items x k x k), as if the abilities were known.

    Cheap where `information` is not, and close to it with some hundred items, which tell the
    abilities nearly exactly.

    >>> data = Patterns.of(np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 1, 0]] * 9, dtype=float))
    >>> at = np.array([[1.0, 1.0], [1.2, 1.0], [0.8, -1.0]])
    >>> known_ability_covariance(data, at, IrtSettings(), Priors()).shape
    (3, 2, 2)
    """
    nodes, weights = settings.grid()
    size = parameters.shape[1]
    _, posterior = e_step(data, parameters, nodes, weights)
    _, blocks = score(expected(data, posterior, nodes, size), parameters, nodes)
    curvature = np.maximum(priors.pull(parameters)[1], 0.0)
    blocks[:, np.arange(size), np.arange(size)] += curvature
    return np.stack([covariance(block) for block in blocks])


def standard_errors(
    covariance: FloatArray, parameters: FloatArray, difficulty: FloatArray
) -> dict[str, FloatArray]:
    """Errors of discrimination, difficulty and guessing, by the delta method (NaN: not estimated).

    With b = -d / a: var b = (var d + b² var a + 2b cov(a, d)) / a²; with c the logistic of its
    logit: sd c = c (1 - c) sd(logit). A covariance with one slope only is that of a 1PL.

    >>> one = standard_errors(np.diag([0.04, 0.01]), np.array([[2.0, -2.0]]), np.array([1.0]))
    >>> one["discrimination_se"], one["difficulty_se"].round(3)
    (array([0.2]), array([0.112]))
    """
    items, size = parameters.shape
    after = len(covariance) - items * (size - 1)  # where the intercepts begin
    slopes = np.arange(items) if after == items else np.zeros(items, dtype=int)
    places = np.arange(after, len(covariance)).reshape(size - 1, items)
    variance, crossed = covariance.diagonal(), covariance[slopes, places[0]]
    of_difficulty = (
        variance[places[0]] + difficulty**2 * variance[slopes] + 2 * difficulty * crossed
    )
    steep = np.where(parameters[:, 0] == 0, 1e-12, parameters[:, 0])
    of_guessing = np.full(items, np.nan)
    if size == 3:
        guess = logistic(parameters[:, 2])
        of_guessing = variance[places[1]] * (guess * (1 - guess)) ** 2
    squares = {
        "discrimination_se": variance[slopes],
        "difficulty_se": of_difficulty / steep**2,
        "guessing_se": of_guessing,
    }
    return {name: np.sqrt(np.maximum(square, 0.0)) for name, square in squares.items()}
