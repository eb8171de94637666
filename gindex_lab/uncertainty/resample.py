"""Literal resampling: draw items (or families, or trials) anew, rebuild each curve, read it off.

Which levels were drawn decides what each item weighs in the area and moment of a curve; these weights
are the same for all agents who met the same items, so a block of resamples is two matrix products and
no resampled table is ever built. All randomness comes from one Generator, drawn in order: the result
does not depend on the size of the chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from gindex_lab.uncertainty.samples import Sample, patterns
from gindex_lab.validate import FloatArray

__all__ = ["MEASURES", "counts_of_units", "draws", "jackknife", "measures_of", "quantiles"]

_CHUNK = 2_000_000  # cells of a temporary array
MEASURES = (
    "capability",
    "spread",
    "generality",
    "normalised_generality",
    "expected_difficulty",
    "mean",
)
Moments = tuple[FloatArray, FloatArray, FloatArray]


def counts_of_units(
    units: int, resamples: int, generator: np.random.Generator
) -> Iterator[np.ndarray]:
    """How often each unit is drawn, (b, units) at a time, `resamples` rows in all.

    >>> blocks = list(counts_of_units(5, 3, np.random.default_rng(1)))
    >>> [block.sum(axis=1).tolist() for block in blocks]
    [[5, 5, 5]]
    """
    size = max(1, _CHUNK // units)
    for start in range(0, resamples, size):
        b = min(size, resamples - start)
        drawn = generator.integers(units, size=(b, units)) + units * np.arange(b)[:, None]
        yield np.bincount(drawn.ravel(), minlength=b * units).reshape(b, units)


def draws(sample: Sample, resamples: int, generator: np.random.Generator) -> dict[str, FloatArray]:
    """Every measure (resamples, A) on units drawn with replacement; all agents on the same ones.

    >>> from gindex_lab.responses import Responses
    >>> from gindex_lab.uncertainty.samples import sample_of
    >>> sample = sample_of(Responses([[1, 1, 0, 0]], range(4)), (0.0, 3.0), "trapezoid", "items")
    >>> found = draws(sample, 5, np.random.default_rng(1))
    >>> found["capability"].shape, bool((found["spread"] >= 0).all())
    ((5, 1), True)
    """
    if sample.trials is not None:
        return _collected(sample, _trial_draws(sample, sample.trials, resamples, generator))
    blocks = counts_of_units(sample.units, resamples, generator)
    return _collected(sample, (_moments(sample, counts) for counts in blocks))


def jackknife(sample: Sample) -> dict[str, FloatArray]:
    """Every measure (units, A) with one unit left out at a time: the acceleration of BCa."""

    def blocks() -> Iterator[Moments]:
        size = max(1, _CHUNK // sample.units)
        for start in range(0, sample.units, size):
            rows = np.arange(start, min(start + size, sample.units))
            counts = np.ones((len(rows), sample.units), dtype=np.int64)
            counts[np.arange(len(rows)), rows] = 0
            yield _moments(sample, counts)

    return _collected(sample, blocks())


def measures_of(
    area: FloatArray,
    moment: FloatArray,
    mean: FloatArray,
    interval: tuple[float, float],
    origin: float | None = None,
) -> dict[str, FloatArray]:
    """All measures from area, moment about the lower end, and mean (any shape; see `curves`).

    >>> found = measures_of(np.array([5.0]), np.array([25.0]), np.array([0.5]), (0, 10))
    >>> found["spread"].item(), found["normalised_generality"].item()
    (5.0, 0.0)
    """
    low, q = interval[0], interval[1] - interval[0]
    start = low if origin is None else origin
    area = np.clip(area, 0.0, q)
    variance = np.maximum(2 * moment - area**2, 0.0)
    spread = np.sqrt(variance)
    room = area * (q - area)
    share = np.divide(variance, room, out=np.zeros_like(area), where=room > 0)
    below, weighted = area + low - start, moment + low * area + (low**2 - start**2) / 2
    height = np.divide(weighted, below, out=np.full_like(area, start), where=below > 0)
    generality = np.divide(1.0, spread, out=np.full_like(area, np.inf), where=spread > 0)
    normalised = np.clip(1 - share, -1.0, 1.0)
    found = (low + area, spread, generality, normalised, height, mean)
    return dict(zip(MEASURES, found, strict=True))


def quantiles(drawn: FloatArray, at: FloatArray) -> FloatArray:
    """The quantiles `at` (A,), one level per column, of draws (B, A) that may hold NaN.

    >>> quantiles(np.array([[1.0, 5.0], [3.0, np.nan], [2.0, 7.0]]), np.array([0.5, 0.5]))
    array([2., 6.])
    """
    ordered = np.sort(drawn, axis=0)  # NaN last
    valid = (~np.isnan(drawn)).sum(axis=0)
    place = np.clip(at, 0.0, 1.0) * (valid - 1)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, valid - 1)
    columns = np.arange(drawn.shape[1])
    first, last = ordered[below, columns], ordered[above, columns]
    return np.asarray(first + (place - below) * (last - first))


def _collected(sample: Sample, blocks: Iterable[Moments]) -> dict[str, FloatArray]:
    area, moment, mean = (np.concatenate(part) for part in zip(*blocks, strict=True))
    return measures_of(area, moment, mean, sample.interval, sample.origin)


def _moments(sample: Sample, counts: np.ndarray) -> Moments:
    """Area, moment and mean, each (B, A), for counts (B, units); end points always count once."""
    items = np.where(sample.codes < 0, 1, counts[:, sample.codes])
    if sample.difficulty is None:
        return _mean_steps(sample, items)
    area, moment = np.empty((2, len(counts), len(sample.values)))
    order = np.argsort(sample.difficulty, kind="stable")
    drawn, h, values = items[:, order], sample.difficulty[order], sample.values[:, order]
    for met, rows in patterns(~np.isnan(values)):
        by_area, by_moment, constant = _weigh(h[met], drawn[:, met], sample)
        part = values[np.ix_(rows, met)].T
        area[:, rows] = by_area @ part + constant[:, :1]
        moment[:, rows] = by_moment @ part + constant[:, 1:]
    free = sample.codes >= 0
    return area, moment, _weighted_mean(sample.values[:, free], items[:, free])


def _weigh(
    difficulty: FloatArray, counts: np.ndarray, sample: Sample
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weights (B, N) in area and moment, and constants (B, 2), of the curves through drawn items."""
    from gindex_lab.uncertainty.resample_kernel import (
        weigh,  # here, so that numba loads when it is needed
    )

    area, moment = np.zeros((2, *counts.shape))
    constant = np.zeros((len(counts), 2))
    compiled: Callable[..., None] = weigh
    low, high = map(float, sample.interval)
    step = sample.estimator == "step"
    compiled(difficulty, np.ascontiguousarray(counts), low, high, step, area, moment, constant)
    return area, moment, constant


def _weighted_mean(values: FloatArray, counts: np.ndarray) -> FloatArray:
    seen = ~np.isnan(values)
    weights = counts.astype(float)
    number = weights @ seen.T
    total = weights @ np.where(seen, values, 0.0).T
    return np.divide(total, number, out=np.full_like(total, np.nan), where=number > 0)


def _mean_steps(sample: Sample, counts: np.ndarray) -> Moments:
    width = np.clip(sample.values, *sample.interval) - sample.interval[0]
    area, moment, mean = (_weighted_mean(x, counts) for x in (width, width**2 / 2, sample.values))
    return area, moment, mean


def _trial_draws(
    sample: Sample, trials: FloatArray, resamples: int, generator: np.random.Generator
) -> Iterator[Moments]:
    """The trials of each cell drawn anew, the items staying as they are."""
    order = np.argsort(np.isnan(trials), axis=2, kind="stable")
    packed = np.take_along_axis(trials, order, axis=2)  # the trials that were made come first
    count = (~np.isnan(trials)).sum(axis=2)
    used = np.arange(trials.shape[2]) < count[:, :, None]
    once = np.ones((1, sample.units), dtype=np.int64)
    for _ in range(resamples):
        pick = (generator.random(trials.shape) * count[:, :, None]).astype(np.int64)
        total = np.where(used, np.take_along_axis(packed, pick, axis=2), 0.0).sum(axis=2)
        cells = np.where(count > 0, total / np.maximum(count, 1), sample.values)
        drawn = Sample(
            sample.agents,
            cells,
            sample.difficulty,
            sample.codes,
            sample.interval,
            sample.origin,
            sample.estimator,
        )
        yield _moments(drawn, once)
