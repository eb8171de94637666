"""A smooth curve for each agent by itself: a logistic line bent by a penalised spline.

How much it may bend is estimated with the curve (empirical Bayes, by EM). Items that share their luck,
and responses that vary less than right or wrong, count for less or more: the likelihood is divided by
the variance of the area over what independent right-or-wrong responses would have (`dispersion`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gindex_lab.foundation.many_tests import half_width
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.alternatives.monotone import falling_rows
from gindex_lab.measures.alternatives.posterior import Posterior, asked, design, difficulties
from gindex_lab.measures.curves import Interval
from gindex_lab.measures.fit import fit_of
from gindex_lab.measures.samples import Sample

__all__ = ["dispersion", "smooth_posterior"]

# All judgements
LEVEL, SLOPE = 3.0, 25.0  # prior deviations of a and s: from 5% to 95%, and half of them steeper than 17
BEND, BELIEF = 20.0, 2.0  # prior deviation of the spline's coefficients, and how many of them it is worth
_STEPS, _STILL = 60, 1e-4  # of Newton's method: the most, and the change of a logit that ends it
_LEAP = 3.0  # on the logit scale, the most that one step of Newton's method may move a curve
_LEAST = 0.05  # dispersion of graded responses
_BLOCK = 1_000_000  # responses that are fitted at once


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
