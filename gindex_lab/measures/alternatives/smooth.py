"""Smooth curves: a logistic line bent by a penalised spline, and what its posterior says of an agent.

logit ψ(h) = a - s(h - ½) + g(h), h being rescaled to [0, 1]; g is a cubic smoothing spline, written as a
sum of eight functions with independent normal coefficients (Wahba 1978; Wood 2017, section 5.5). The
posterior is a Gaussian at its mode (Laplace), and draws from it are weighted by how far it is from a
Gaussian (importance sampling). The draws are Sobol's points, not random numbers: nothing needs a seed.

Each agent has a curve of its own here (`pooled.py`: one model of all). How much it may bend is estimated with
it (empirical Bayes, by EM). Items that share their luck, and responses that vary less than right or wrong,
count for less or more: the likelihood is divided by the variance of the area over what independent
right-or-wrong responses would have (`dispersion`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from gindex_lab.foundation.many_tests import half_width
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.alternatives.monotone import falling_rows
from gindex_lab.measures.curves import Indicators, Interval, Scale, indicators
from gindex_lab.measures.fit import fit_of
from gindex_lab.measures.samples import Sample

__all__ = [
    "Posterior", "Unit", "asked", "bands", "curves_of", "design", "difficulties", "dispersion", "limits_of",
    "marginal", "smooth_posterior",
]  # fmt: skip

RANK = 8  # functions of the spline: the ninth adds less than 1% of the prior variance
DRAWS = 512  # a power of two, as Sobol's points ask for: a judgement
TAIL = 0.3  # of 1 - ci is left outside: chosen on the tuning half of `method_study`
_TAILS = 6.0  # degrees of freedom of the proposal, with heavier tails than any posterior: a judgement
_POINTS = 201  # where the functions of the spline are tabulated: a judgement
_PROBIT = 0.346  # (16√3 / 15π)², by which normal noise flattens a logistic curve (Zeger and others 1988)
# All judgements
LEVEL, SLOPE = 3.0, 25.0  # prior deviations of a and s: from 5% to 95%, and half of them steeper than 17
BEND, BELIEF = 20.0, 2.0  # prior deviation of the spline's coefficients, and how many of them it is worth
_STEPS, _STILL = 60, 1e-4  # of Newton's method: the most, and the change of a logit that ends it
_LEAP = 3.0  # on the logit scale, the most that one step of Newton's method may move a curve
_LEAST = 0.05  # dispersion of graded responses
_BLOCK = 1_000_000  # responses that are fitted at once


class Unit(NamedTuple):
    """Difficulties on [0, 1]: the interval, or the items where they reach further."""

    low: float
    high: float

    @classmethod
    def of(cls, h: FloatArray, interval: Interval) -> Unit:
        return cls(min(float(h.min()), interval[0]), max(float(h.max()), interval[1]))

    def __call__(self, h: FloatArray) -> FloatArray:
        return np.asarray((h - self.low) / (self.high - self.low))


def difficulties(sample: Sample) -> FloatArray:
    """Of the items; the curves of a transform, which have none, were refused before."""
    assert sample.difficulty is not None
    return sample.difficulty


def asked(sample: Sample, interval: Interval) -> tuple[Unit, FloatArray, FloatArray, FloatArray]:
    """Without end points: the scale, difficulties (N,) on it, responses (A, N), errors of difficulties."""
    free = sample.codes >= 0
    h = difficulties(sample)[free]
    scale = Unit.of(h, interval)
    error = np.zeros(len(h)) if sample.difficulty_error is None else sample.difficulty_error[free]
    return scale, scale(h), sample.values[:, free], error / (scale.high - scale.low)


class Posterior(NamedTuple):
    """Coefficients of each agent's curve: the mode (A, r), their covariance (A, r, r), and `given`, the
    covariance given all that is shared with other agents. `flat` (A,) is how much noise between items
    flattens the curve. The likelihood is known from the columns (N, r) at the items, the logits there at the
    mode (A, N) and the weights of the responses (A, N)."""

    scale: Unit
    mean: FloatArray
    covariance: FloatArray
    given: FloatArray
    flat: FloatArray
    columns: FloatArray
    logit: FloatArray
    weight: FloatArray

    def of(self, place: int) -> Posterior:
        """The same of one agent, by position."""
        one = slice(place, place + 1)
        parts = self.mean[one], self.covariance[one], self.given[one], self.flat[one]
        return Posterior(self.scale, *parts, self.columns, self.logit[one], self.weight[one])


@lru_cache(maxsize=1)
def _spline() -> tuple[FloatArray, FloatArray]:
    """Places (P,) and functions (P, RANK): the leading eigenfunctions of the covariance of integrated
    Brownian motion, freed of straight lines, each as large as its share of the variance."""
    x = np.linspace(0, 1, _POINTS)
    a, b = np.minimum.outer(x, x), np.maximum.outer(x, x)
    lines = np.linalg.qr(np.column_stack([np.ones_like(x), x]))[0]
    off = np.eye(_POINTS) - lines @ lines.T
    size, shape = np.linalg.eigh(off @ (a**2 * (b / 2 - a / 6)) @ off)
    return x, shape[:, : -RANK - 1 : -1] * np.sqrt(size[: -RANK - 1 : -1])


def design(x: FloatArray) -> FloatArray:
    """The columns (N, 2 + RANK) of logit ψ at x in [0, 1]: 1, ½ - x, and the spline.

    >>> design(np.array([0.0, 0.5, 1.0]))[:, :2].tolist()
    [[1.0, 0.5], [1.0, 0.0], [1.0, -0.5]]
    """
    places, shapes = _spline()
    columns = [np.interp(x, places, shape) for shape in shapes.T]
    return np.column_stack([np.ones_like(x), 0.5 - x, *columns])


def marginal(variance: FloatArray | float) -> FloatArray:
    """E expit(η + e) = expit(kη) for normal e of this variance: k, to within .01 of the curve."""
    return np.asarray(1 / np.sqrt(1 + _PROBIT * np.asarray(variance)))


def curves_of(found: Posterior, grid: FloatArray) -> FloatArray:
    """ψ (A, G) at the mode."""
    from scipy.special import expit

    eta = found.mean @ design(found.scale(grid)).T
    return np.asarray(expit(found.flat[:, None] * eta))


def limits_of(found: Posterior, grid: FloatArray, scale: Scale, ci: float) -> dict[str, FloatArray]:
    """Limits (2, A) of every indicator: quantiles over the curves drawn from the posterior."""
    ends: dict[str, list[tuple[float, float]]] = {name: [] for name in Indicators._fields[:-1]}
    for psi, weight in _drawn(found, grid):
        drawn = indicators(grid, psi, scale.interval, origin=scale.start)
        for name, pairs in ends.items():
            low, high = _quantiles(getattr(drawn, name)[:, None], weight, ci)
            pairs.append((float(low[0]), float(high[0])))
    return {name: np.array(pairs).T for name, pairs in ends.items()}


def bands(found: Posterior, grid: FloatArray, ci: float) -> tuple[FloatArray, FloatArray]:
    """Pointwise limits (A, G) of the curves."""
    ends = [_quantiles(psi, weight, ci) for psi, weight in _drawn(found, grid)]
    return np.array([x[0] for x in ends]), np.array([x[1] for x in ends])


def _drawn(found: Posterior, grid: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Curves (DRAWS, G) and their weights, agent by agent.

    At z standard errors from the mode the posterior is exp(-z²/2) times what the logarithm of the
    likelihood has beyond its second-order expansion; the draws have t distributions.
    """
    from scipy.special import expit

    steps, proposal = _steps(found.mean.shape[1])
    columns = design(found.scale(grid)).T
    roots, inner = np.linalg.cholesky(found.covariance), np.linalg.cholesky(found.given)
    for i in range(len(found.mean)):
        beyond = _beyond(found.logit[i], steps @ (found.columns @ inner[i]).T) @ found.weight[i]
        excess = beyond - (steps**2).sum(axis=1) / 2 - proposal
        weight = np.exp(excess - excess.max())
        draws = found.mean[i] + steps @ roots[i].T
        yield np.asarray(expit(found.flat[i] * (draws @ columns))), weight / weight.sum()


def _beyond(logit: FloatArray, step: FloatArray) -> FloatArray:
    """-ln(1 + e^η) at η = logit + step (DRAWS, N), less its expansion to second order in the step."""
    from scipy.special import expit

    p = expit(logit)
    change = np.logaddexp(0, logit + step) - np.logaddexp(0, logit)
    return np.asarray(p * step + p * (1 - p) * step**2 / 2 - change)


@lru_cache(maxsize=4)
def _steps(size: int) -> tuple[FloatArray, FloatArray]:
    """Steps (DRAWS, size) of a standard t distribution, and their log density."""
    from scipy.special import gammaincinv, ndtri
    from scipy.stats import qmc

    even = qmc.Sobol(size + 1, scramble=False).random(DRAWS) + 0.5 / DRAWS
    steps = ndtri(even[:, 1:]) / np.sqrt(2 / _TAILS * gammaincinv(_TAILS / 2, even[:, :1]))
    return steps, -(_TAILS + size) / 2 * np.log1p((steps**2).sum(axis=1) / _TAILS)


def _quantiles(draws: FloatArray, weight: FloatArray, ci: float) -> tuple[FloatArray, FloatArray]:
    """The two quantiles of each column (DRAWS, G) that leave TAIL (1 - ci) outside."""
    order = np.argsort(draws, axis=0, kind="stable")
    ranked = np.take_along_axis(draws, order, axis=0)
    below = np.cumsum(weight[order], axis=0) - weight[order] / 2
    tail = TAIL * (1 - ci) / 2
    columns = range(draws.shape[1])
    ends = [[np.interp(p, below[:, k], ranked[:, k]) for k in columns] for p in (tail, 1 - tail)]
    return np.array(ends[0]), np.array(ends[1])


# -- the curve of each agent by itself -------------------------------------------------------------------


def dispersion(sample: Sample) -> FloatArray:
    """Variance of each agent's area (A,) over that of independent right or wrong responses; 1 for those.

    With families it is at least 1, and larger by (t/z)² for as few as there are.

    >>> h = np.linspace(0, 1, 4)
    >>> import pandas as pd
    >>> from gindex_lab.measures.curves import Scale
    >>> right = np.array([[1.0, 1.0, 0.0, 0.0]])
    >>> dispersion(Sample(pd.Index(["a"]), right, h, np.arange(4), Scale((0.0, 1.0)))).tolist()
    [1.0]
    """
    from scipy.special import ndtri

    values = sample.values[:, sample.codes >= 0]
    binary = bool((np.isnan(values) | (values == 0) | (values == 1)).all())
    if binary and sample.word == "items":
        return np.ones(len(values))
    fit, free = fit_of(sample), sample.codes >= 0
    falling = falling_rows(difficulties(sample), sample.values)
    chance = np.where(np.isnan(falling), 0.0, falling)[:, free]
    weight = (fit.weight_area / np.bincount(sample.codes[free]))[:, sample.codes[free]]
    expected = (weight**2 * np.maximum(chance * (1 - chance), 0.01)).sum(axis=1)
    ratio = (fit.by_area**2).sum(axis=1) / np.maximum(expected, 1e-300)
    few = (half_width(1.0, 0.95, np.maximum(fit.units - 1, 1)) / ndtri(0.975)) ** 2
    return np.asarray(np.maximum(ratio, 1.0 if binary else _LEAST) * few)


class _SmoothData(NamedTuple):
    """What the curves are fitted to: columns (N, p), responses and weights (A, N), errors on [0, 1]."""

    columns: FloatArray
    solved: FloatArray
    weight: FloatArray
    error: FloatArray

    def discounted(self, chance: FloatArray, slope: FloatArray) -> FloatArray:
        """Weights (A, N) when a difficulty error δ moves the logit by sδ: 1/(1 + ψ(1 - ψ)s²δ²)."""
        return np.asarray(self.weight / (1 + chance * (1 - chance) * (slope[:, None] * self.error) ** 2))


def smooth_posterior(sample: Sample, interval: Interval) -> Posterior:
    """The posterior of each agent's curve."""
    parts = [_of_block(part, interval) for part in sample.blocks(_BLOCK // sample.values.shape[1])]
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("mean", "covariance", "given", "flat", "logit", "weight")
    }
    return parts[0]._replace(**joined)


def _of_block(sample: Sample, interval: Interval) -> Posterior:
    from scipy.special import expit

    scale, x, values, error = asked(sample, interval)
    weight = (~np.isnan(values)) / dispersion(sample)[:, None]
    data = _SmoothData(design(x), np.nan_to_num(values), weight, error)
    mean, covariance = _fitted(data)
    logit = mean @ data.columns.T
    kept = data.discounted(np.asarray(expit(logit)), mean[:, 1])
    ones = np.ones(len(mean))
    return Posterior(scale, mean, covariance, covariance, ones, data.columns, logit, kept)


def _precision(bend: FloatArray) -> FloatArray:
    """Of the prior, (A, p), for spline variances (A,)."""
    size = design(np.zeros(1)).shape[1]
    found = np.repeat(1 / bend[:, None], size, axis=1)
    found[:, 0], found[:, 1] = LEVEL**-2, SLOPE**-2
    return found


def _fitted(data: _SmoothData) -> tuple[FloatArray, FloatArray]:
    """Modes (A, p) and covariances (A, p, p): Newton's steps for the curves and
    EM steps for the variance, all agents at once."""
    from scipy.special import expit

    x, agents = data.columns, len(data.solved)
    mean, bend = np.zeros((agents, x.shape[1])), np.full(agents, BEND**2)
    covariance = np.zeros((agents, x.shape[1], x.shape[1]))
    for _ in range(_STEPS):
        chance = np.asarray(expit(mean @ x.T))
        weight, precision = data.discounted(chance, mean[:, 1]), _precision(bend)
        curvature = (x.T * (weight * chance * (1 - chance))[:, None, :]) @ x
        curvature[:, range(x.shape[1]), range(x.shape[1])] += precision
        covariance = np.linalg.inv(curvature)
        uphill = (weight * (data.solved - chance)) @ x - precision * mean
        step = (covariance @ uphill[..., None])[..., 0]
        step *= np.minimum(1, _LEAP / np.maximum(np.abs(step @ x.T).max(axis=1), 1e-9))[:, None]
        mean = mean + step
        own = np.einsum("aii->ai", covariance)[:, 2:] + mean[:, 2:] ** 2
        bend = (own.sum(axis=1) + BELIEF * BEND**2) / (own.shape[1] + BELIEF)
        if np.abs(step @ x.T).max() < _STILL:
            break
    return mean, covariance
