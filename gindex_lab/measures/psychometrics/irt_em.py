"""The kernel of item response theory: marginal maximum likelihood by an accelerated EM.

Ability is unseen, so the likelihood of a pattern of responses is its average over abilities drawn
from N(0, 1), taken as a sum over a grid. The E-step asks where on the grid each pattern probably
sits, the M-step fits each item as a logistic regression on those places (Bock and Aitkin 1981), and
SQUAREM (Varadhan and Roland 2008) takes long steps along the path. With many items abilities are all but
known, and EM hardly moves their mean and spread any more: the first steps set both by parameter expansion
(Liu, Rubin and Wu 1998), which has the same maximum. All of it is matrix products.

Shapes: patterns x items (`right`, `seen`); items x 2 or 3 (`parameters`: slope a, intercept d and,
with guessing, the logit of its level c); items x nodes (curves). P = c + (1 - c) / (1 + exp(-aθ - d)).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.irt_climb import climbed
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings, Patterns, Priors

__all__ = [
    "MODELS",
    "STEEPEST",
    "Counts",
    "EmFit",
    "curves",
    "e_step",
    "expected",
    "fit",
    "logistic",
    "score",
    "softplus",
    "upright",
]

MODELS = {"1pl": 2, "2pl": 2, "3pl": 3}  # how many columns `parameters` has
STEEPEST = 40.0  # where a slope runs off, it stops: the curve is a step by then
_LOWEST = np.array([-STEEPEST, -200.0, -9.0])  # the logits -9 and 1 are guessing 0.0001 and 0.73
_HIGHEST = np.array([STEEPEST, 200.0, 1.0])
_FLATTEST = 0.01  # the least slope where its log has a prior
_NOBODY = 1e-14  # agents
_EXPANDED, _SETTLED = 10, 1e-3  # steps with parameter expansion, at most, and when they are enough
_NEAR = 0.02  # closer to a bound than this is on it: less than the shortest of the halved steps


class EmFit(NamedTuple):
    """Where the EM ended."""

    parameters: FloatArray  # items x 2, or x 3 with guessing
    log_likelihood: float
    converged: bool
    iterations: int


def logistic(x: FloatArray) -> FloatArray:
    """1 / (1 + exp(-x)), without overflow.

    >>> logistic(np.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def curves(parameters: FloatArray, ability: FloatArray) -> FloatArray:
    """P(right), items x abilities.

    >>> curves(np.array([[2.0, -2.0]]), np.array([1.0]))  # discrimination 2, difficulty 1
    array([[0.5]])
    """
    know = logistic(_predictor(parameters, ability))
    guess = logistic(parameters[:, 2:]) if parameters.shape[1] == 3 else 0.0
    return guess + (1.0 - guess) * know


def _predictor(parameters: FloatArray, ability: FloatArray) -> FloatArray:
    return np.outer(parameters[:, 0], ability) + parameters[:, 1:2]


def _basis(nodes: FloatArray) -> FloatArray:
    return np.stack([nodes, np.ones_like(nodes)])


def _log_curves(parameters: FloatArray, ability: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The log odds log(P / (1 - P)) and log(1 - P), items x abilities, exact in both tails."""
    predictor = _predictor(parameters, ability)
    wrong = -softplus(predictor)
    if parameters.shape[1] == 2:
        return predictor, wrong
    wrong -= softplus(parameters[:, 2:])
    return np.log(curves(parameters, ability)) - wrong, wrong


def softplus(x: FloatArray) -> FloatArray:
    """log(1 + exp(x)), without overflow and five times faster than `np.logaddexp`."""
    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))


def e_step(
    data: Patterns, parameters: FloatArray, nodes: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The log-likelihood of each pattern, and its posterior over the nodes (patterns x nodes).

    log L(pattern | θ) = Σ right · log(P / (1 - P)) + Σ seen · log(1 - P). Without guessing the log
    odds are aθ + d, so that the first product needs two columns instead of one per node.

    >>> one = Patterns.of(np.array([[1.0, 1.0]]))
    >>> log_likelihood, posterior = e_step(one, np.array([[1.0, 0.0]] * 2), *IrtSettings().grid())
    >>> (posterior @ IrtSettings().grid()[0]).round(3)  # both right: above average
    array([0.704])
    """
    log_odds, log_wrong = _log_curves(parameters, nodes)
    plain = parameters.shape[1] == 2
    joint = (data.right @ parameters) @ _basis(nodes) if plain else data.right @ log_odds
    joint += log_wrong.sum(0) if data.seen is None else data.seen @ log_wrong
    joint += np.log(weights)
    return normalised(joint)


def normalised(joint: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The log of each row's sum of exp(joint), and the row divided by that sum, in place.

    >>> total, share = normalised(np.log([[1.0, 3.0]]))
    >>> np.exp(total).round(9), share.round(9)
    (array([4.]), array([[0.25, 0.75]]))
    """
    peak = joint.max(1, keepdims=True)
    joint -= peak
    np.exp(joint, out=joint)
    total = joint.sum(1, keepdims=True)
    joint /= total
    return (peak + np.log(total))[:, 0], joint


class Counts(NamedTuple):
    """What the M-step needs of the E-step: the expected number of agents at each node."""

    right: FloatArray  # items x nodes; without guessing its two moments suffice: items x 2
    seen: FloatArray  # items x nodes, or 1 x nodes

    def of(self, items: npt.NDArray[np.bool_]) -> Counts:
        """Those of some items."""
        return Counts(self.right[items], self.seen[items] if len(self.seen) > 1 else self.seen)

    def met(self, nodes: FloatArray) -> tuple[Counts, FloatArray]:
        """The counts without the nodes at which nobody is, and the nodes that stay.

        With many items each agent is known to a few nodes, and the rest of the grid would only be
        multiplied by zeros: fewer than 1e-14 agents change no digit of a sum over agents.

        >>> counts, nodes = Counts(np.array([[0.0, 5.0]]), np.array([[0.0, 9.0, 1e-30]])).met(np.arange(3.0))
        >>> counts.seen.tolist(), nodes.tolist()
        ([[9.0]], [1.0])
        """
        kept = (self.seen > _NOBODY).any(0)
        per_node = self.right.shape[1] == len(nodes)
        right = self.right[:, kept] if per_node else self.right
        return Counts(right, self.seen[:, kept]), nodes[kept]


def expected(data: Patterns, posterior: FloatArray, nodes: FloatArray, size: int) -> Counts:
    """The expected counts of an E-step, for parameters of `size` columns.

    >>> data, (nodes, weights) = Patterns.of(np.array([[1.0, 0.0]] * 3)), IrtSettings().grid()
    >>> _, posterior = e_step(data, np.array([[1.0, 0.0]] * 2), nodes, weights)
    >>> expected(data, posterior, nodes, 2).right[:, 1].round(6)  # three right, none right
    array([3., 0.])
    """
    posterior = posterior * data.agents[:, None]
    places = posterior if size == 3 else posterior @ _basis(nodes).T
    seen = posterior.sum(0)[None] if data.seen is None else data.seen.T @ posterior
    return Counts(data.right.T @ places, seen)


def _expected_log_likelihood(
    counts: Counts, parameters: FloatArray, nodes: FloatArray
) -> FloatArray:
    """The M-step's target, item by item."""
    log_odds, log_wrong = _log_curves(parameters, nodes)
    weights = parameters if parameters.shape[1] == 2 else log_odds
    return (counts.right * weights).sum(1) + (counts.seen * log_wrong).sum(1)


def score(
    counts: Counts, parameters: FloatArray, nodes: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Gradient (items x k) and expected information (items x k x k) of the M-step's target.

    >>> nodes, weights = IrtSettings().grid()
    >>> half_right = Counts(np.array([[0.0, 50.0]]), 100 * weights[None])
    >>> score(half_right, np.array([[0.0, 0.0]]), nodes)[0].round(6)  # flat at a half: at rest
    array([[0., 0.]])
    """
    know = logistic(_predictor(parameters, nodes))
    basis = _basis(nodes)
    if parameters.shape[1] == 2:
        gradient = counts.right - (counts.seen * know) @ basis.T
        products = (basis[:, None] * basis).reshape(4, -1)
        info = (counts.seen * know * (1 - know)) @ products.T
        return gradient, info.reshape(-1, 2, 2)
    guess = logistic(parameters[:, 2:])
    chance = np.clip(guess + (1 - guess) * know, 1e-12, 1 - 1e-12)
    slope = (1 - guess) * know * (1 - know)
    partial = np.stack([slope * nodes, slope, guess * (1 - guess) * (1 - know)], 1)
    variance = chance * (1 - chance)
    residual = (counts.right - counts.seen * chance) / variance
    weighted = partial * (counts.seen / variance)[:, None]
    return np.einsum("jkq,jq->jk", partial, residual), weighted @ partial.transpose(0, 2, 1)


def _m_step(
    counts: Counts, parameters: FloatArray, nodes: FloatArray, shared: bool, priors: Priors
) -> FloatArray:
    """Fisher scoring from the old parameters; two steps suffice, as the EM itself repeats them.

    A step that would lower an item's target is halved; a parameter that sits on its bound and is
    pushed outwards is held there, or the others would be solved for a step it cannot take.
    """
    size = parameters.shape[1]
    low, high = _bounds(size, priors)
    near_low, near_high = low + _NEAR, high - _NEAR
    held = priors != Priors()

    def target(at: FloatArray, of: Counts = counts) -> FloatArray:
        by_item = _expected_log_likelihood(of, at, nodes)
        by_item = by_item + priors.log_density(at) if held else by_item
        return by_item.sum(keepdims=True) if shared else by_item

    old, best = parameters, target(parameters)
    for _ in range(2):
        gradient, info = score(counts, old, nodes)
        pull, curvature = priors.pull(old) if held else (0.0, np.zeros((1, size)))
        gradient = gradient + pull
        free = ~((old < near_low) & (gradient < 0) | (old > near_high) & (gradient > 0))
        added = (np.maximum(curvature, 0.0) + 1e-8)[:, :, None] * np.eye(size)
        info = info * free[:, :, None] * free[:, None, :] + added
        gradient = gradient * free
        step = _common_slope(gradient, info) if shared else _solve(info, gradient)
        length = np.abs(step).max(None if shared else 1, keepdims=True)
        step = step / np.maximum(1.0, length)  # shorter, but in the same direction
        new = np.clip(old + step, low, high)
        reached = target(new)
        least = best - 1e-10 * np.abs(best)
        for _ in range(5):
            worse = reached < least
            if not worse.any():
                break
            again = np.broadcast_to(worse, len(step))
            step[again] *= 0.5
            new[again] = np.clip(old[again] + step[again], low, high)
            reached[worse] = target(new[again], counts.of(again))
        worse = reached < least
        old = np.where(worse[:, None], old, new)
        best = np.where(worse, best, reached)
    return old


def _bounds(size: int, priors: Priors) -> tuple[FloatArray, FloatArray]:
    """The least and the largest slope, intercept and logit of guessing."""
    low = _LOWEST[:size]
    if priors.log_slope is not None:
        low = np.concatenate([[_FLATTEST], low[1:]])
    return low, _HIGHEST[:size]


def _solve(info: FloatArray, gradient: FloatArray) -> FloatArray:
    """Each item's step; two unknowns by Cramer's rule, which is quicker than a call of LAPACK."""
    if info.shape[-1] == 2:
        a, b, d = info[:, 0, 0], info[:, 0, 1], info[:, 1, 1]
        x, y = gradient.T
        return np.stack([d * x - b * y, a * y - b * x], 1) / (a * d - b * b)[:, None]
    return np.asarray(np.linalg.solve(info, gradient[..., None])[..., 0], dtype=float)


def _common_slope(gradient: FloatArray, info: FloatArray) -> FloatArray:
    """The scoring step when all items share the slope: eliminate the intercepts, then go back."""
    ratio = info[:, 0, 1] / info[:, 1, 1]
    slope = (gradient[:, 0] - ratio * gradient[:, 1]).sum()
    slope /= (info[:, 0, 0] - ratio * info[:, 0, 1]).sum()
    intercept = (gradient[:, 1] - info[:, 0, 1] * slope) / info[:, 1, 1]
    return np.stack([np.full_like(intercept, slope), intercept], 1)


def _start(data: Patterns, size: int) -> FloatArray:
    """Slope 1, and the intercept that gives each item its own share of right responses."""
    seen = data.agents.sum() if data.seen is None else data.agents @ data.seen
    share = (data.agents @ data.right + 0.5) / (seen + 1.0)
    guess = 0.1 if size == 3 else 0.0
    share = np.clip((share - guess) / (1 - guess), 0.02, 0.98)
    intercept = 1.2 * np.log(share / (1 - share))  # 1.2 ≈ √(1 + 1 / 1.7²): averaged over N(0, 1)
    columns = [np.ones_like(intercept), intercept, np.full_like(intercept, -2.2)]  # c ≈ 0.1
    return np.stack(columns[:size], 1)


def fit(data: Patterns, model: str, settings: IrtSettings, priors: Priors) -> EmFit:
    """Bock-Aitkin EM with SQUAREM steps that are taken only where they do not lose likelihood.

    >>> data = Patterns.of(np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 1, 0]] * 25, dtype=float))
    >>> found = fit(data, "1pl", IrtSettings(), Priors())
    >>> found.converged, np.argmin(found.parameters[:, 1])  # the last item is the hardest
    (True, np.int64(2))
    """
    nodes, weights = settings.grid()
    size, shared, held = MODELS[model], model == "1pl", priors != Priors()

    def step(parameters: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """The target here, the parameters after one EM step, and the posterior behind both."""
        log_likelihood, posterior = e_step(data, parameters, nodes, weights)
        counts, places = expected(data, posterior, nodes, size).met(nodes)
        target = data.agents @ log_likelihood
        if held:
            target += priors.log_density(parameters).sum()
        return float(target), _m_step(counts, parameters, places, shared, priors), posterior

    bounds = _bounds(size, priors)
    old, used = _start(data, size), 1
    if settings.accelerate and not held:
        old, used = _expanded(data, old, step, nodes)
    one, converged, used = climbed(lambda at: step(at)[:2], old, bounds, settings, used)
    log_likelihood, _ = e_step(data, one, nodes, weights)
    return EmFit(one, float(data.agents @ log_likelihood), converged, used)


def upright(fit: EmFit) -> EmFit:
    """Ability grows with what is right: turn the scale round if most discriminations say so.

    >>> upright(EmFit(np.array([[-1.0, 0.5], [-2.0, 0.0]]), -1.0, True, 1)).parameters[:, 0]
    array([1., 2.])
    """
    sign = -1.0 if fit.parameters[:, 0].sum() < 0 else 1.0
    turned = fit.parameters.copy()
    turned[:, 0] *= sign
    return fit._replace(parameters=turned)


def _expanded(
    data: Patterns,
    parameters: FloatArray,
    step: Callable[[FloatArray], tuple[float, FloatArray, FloatArray]],
    nodes: FloatArray,
) -> tuple[FloatArray, int]:
    """A start whose abilities have mean 0 and variance 1, as the maximum has, and the steps it took.

    In the expanded model θ ~ N(μ, σ²), which EM estimates with the items; θ = μ + σθ' leads back to
    N(0, 1) with slopes σa and intercepts d + μa, and leaves the likelihood as it is.
    """
    share, settled, used = data.agents / data.agents.sum(), False, 1
    size = parameters.shape[1]
    while not settled and used <= _EXPANDED:
        _, parameters, posterior = step(parameters)
        at_nodes = share @ posterior
        mean = float(at_nodes @ nodes)
        spread = float(np.sqrt(at_nodes @ (nodes - mean) ** 2))
        parameters = parameters.copy()
        parameters[:, 1] += mean * parameters[:, 0]
        parameters[:, 0] *= spread
        settled = abs(mean) < _SETTLED and abs(spread - 1) < _SETTLED
        used += 1
    return np.clip(parameters, _LOWEST[:size], _HIGHEST[:size]), used
