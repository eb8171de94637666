"""What each item contributes to the error of an agent's curve: the ground of every interval.

Given the difficulties, area A and moment M of a curve are weighted sums of the responses
(`curves.rule_of`). So the error of A is a sum over items of weight times residual, and with families
a sum over families. The residuals come from a piecewise-linear fit with few knots, corrected for what
the fit absorbs (Bell & McCaffrey 2002, "CR2"). One array, agents x units, then serves variances,
paired differences and simultaneous tests, since all agents meet the same items. Responses that did
not vary are no proof that they cannot: `unseen` is the error of half a surprise at either end.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.acc.curves import Interval, rule_of
from gindex_lab.errors import BadInput
from gindex_lab.uncertainty.samples import Sample, patterns
from gindex_lab.validate import FloatArray

__all__ = ["Contributions", "contributions_of", "knots_for", "lacking"]

_MOST_ABSORBED = (
    0.9  # a family that the fit follows more closely than this is not scaled up further
)
_ENOUGH = 0.25  # of half a surprise: chosen by the coverage study at 20 items
_FEWEST = 3  # units: with two, the error of the error has no measure


@dataclass(frozen=True, eq=False)
class Contributions:
    """Areas, moments and means (A,), and what each of F units adds to their errors (A, F).

    Lives in `table.attrs`, which pandas copies at every step: it is never changed, so a copy is itself.
    """

    agents: pd.Index
    area: FloatArray
    moment: FloatArray
    mean: FloatArray
    by_area: FloatArray
    by_moment: FloatArray
    by_mean: FloatArray
    unseen: FloatArray  # (A, 4): what half a surprise adds to Var A, Cov(A, M), Var M, Var mean
    hidden: FloatArray  # (A, G, 4): as much of that as each of G groups of items did not show
    units: np.ndarray  # how many items, families or trials each agent was measured on
    one_value: (
        np.ndarray
    )  # agents whose responses are all 0 or all 1: no residual, yet no certainty
    interval: Interval
    origin: float
    bounds: Interval  # of the mean: [0, 1] for responses, the interval for positions

    def __deepcopy__(self, memo: dict[int, Any]) -> Contributions:
        return self

    def rows(self, which: Any) -> Contributions:
        """The same for some agents only, by position."""
        whole = ("interval", "origin", "bounds")
        parts = {f.name: getattr(self, f.name)[which] for f in fields(self) if f.name not in whole}
        return replace(self, **parts)


def knots_for(units: int, levels: int) -> int:
    """How many knots the fit may have: 1.75 ∛units, so that bias and absorbed noise both vanish.

    >>> [knots_for(n, n) for n in (5, 20, 100, 500)]
    [2, 5, 8, 14]
    """
    return int(max(1, min(levels, round(1.75 * units ** (1 / 3)), units // 2)))


def contributions_of(sample: Sample) -> Contributions:
    """Contributions of the sample's units to the errors of each agent's area, moment and mean.

    >>> from gindex_lab.uncertainty.samples import sample_of
    >>> from gindex_lab.responses import Responses
    >>> study = Responses([[1, 1, 0, 1, 0, 0]], difficulty=range(6))
    >>> found = contributions_of(sample_of(study, (0.0, 5.0), "trapezoid", "items"))
    >>> found.area.tolist(), found.by_area.shape
    ([2.5], (1, 6))
    """
    if sample.trials is not None:
        return _of_trials(sample, sample.trials)
    values, free = sample.values, sample.codes >= 0
    by, sums = np.zeros((3, len(values), sample.units)), np.empty((3, len(values)))
    units = np.empty(len(values), dtype=np.int64)
    unseen, hidden = np.empty((len(values), 4)), np.zeros((len(values), _most_groups(sample), 4))
    for items, rows in patterns(~np.isnan(values)):
        some = items[free[items]]
        codes, part = sample.codes[some], values[np.ix_(rows, some)]
        present = np.unique(codes)
        _enough(len(present), sample.agents[rows[0]], sample.word)
        if sample.difficulty is None:
            steps = _positions(part, sample)
            sums[:2, rows] = [cells.mean(axis=1) for cells in steps[:2]]
            cells = [_centred(x, len(present)) for x in steps]
            unseen[rows] = _unseen_positions(steps, sample.interval, len(present))
            lack = lacking((cells[0] ** 2).sum(axis=1), unseen[rows, 0])
            hidden[rows, 0] = unseen[rows] * lack[:, None]
        else:
            weights, constant = _weights(sample, items)
            residual, scaled = _residuals(part, sample, some, weights[:, free[items]])
            sums[:2, rows] = weights @ values[np.ix_(rows, items)].T + constant[:, None]
            cells = [residual * scaled[0], residual * scaled[1], _centred(part, len(present))]
            each = np.vstack([weights[:, free[items]], np.full(len(some), 1 / len(some))])
            unseen[rows] = _unseen_responses(part, each, codes)
            lost = _hidden(sample.difficulty[some], codes, part, each, cells[0])
            hidden[rows, : lost.shape[1]] = lost
            spoken = (cells[2] ** 2).sum(axis=1)
            hidden[rows, 0, 3] = np.maximum(0.0, unseen[rows, 3] - spoken)
        for k, cell in enumerate(cells):
            by[k][np.ix_(rows, present)] = _by_unit(cell, codes)
        sums[2, rows], units[rows] = part.mean(axis=1), len(present)
    return _finished(sample, sums, by, units, unseen, hidden)


def _of_trials(sample: Sample, trials: FloatArray) -> Contributions:
    """The items are these very items; only what the agent did at each trial is random."""
    a, n, t = trials.shape
    count = (~np.isnan(trials)).sum(axis=2)
    scale = np.sqrt(1 / np.maximum(count * (count - 1), 1))[:, :, None]
    deviation = np.nan_to_num(trials - sample.values[:, :, None]) * scale
    by, sums, unseen = np.zeros((3, a, n * t)), np.empty((3, a)), np.empty((a, 4))
    for items, rows in patterns(~np.isnan(sample.values)):
        weights, constant = _weights(sample, items)
        part = sample.values[np.ix_(rows, items)]
        full = np.zeros((3, n))
        full[:2, items], full[2, items] = weights, 1 / len(items)
        by[:, rows] = (deviation[rows][None] * full[:, None, :, None]).reshape(3, len(rows), n * t)
        sums[:2, rows] = weights @ part.T + constant[:, None]
        sums[2, rows] = part.mean(axis=1)
        repeats = count[np.ix_(rows, items)].mean(axis=1)
        unseen[rows] = _unseen_responses(part, full[:, items], items) / repeats[:, None] ** 2
    lack = lacking((by[0] ** 2).sum(axis=1), unseen[:, 0])
    return _finished(sample, sums, by, count.sum(axis=1), unseen, (lack[:, None] * unseen)[:, None])


def lacking(shown: FloatArray, unseen: FloatArray) -> FloatArray:
    """The share of an unseen variance that was not shown yet, from 1 to 0.

    >>> lacking(np.array([0.0, 1.0, 9.0]), np.array([2.0, 2.0, 2.0])).tolist()
    [1.0, 0.5, 0.0]
    """
    return np.maximum(0.0, 1 - shown / np.maximum(unseen, np.finfo(float).tiny))


def _most_groups(sample: Sample) -> int:
    if sample.difficulty is None:
        return 1
    return min(len(np.unique(sample.difficulty)), knots_for(sample.units, sample.units))


def _unseen_responses(part: FloatArray, weights: FloatArray, codes: np.ndarray) -> FloatArray:
    """Half a response of 0 and half a 1 at a typical item (A, 4), as in Jeffreys' prior of a share.

    A share never seen to fail has variance ½/n² under that prior, when the data say 0. Items of a
    family may all go the other way together.
    """
    area, moment, mean = weights
    products = np.stack([area**2, area * moment, moment**2, mean**2], axis=1)
    together = part.shape[1] / len(np.unique(codes))
    either_end = (part**2 + (1 - part) ** 2) / 2
    return np.asarray(either_end @ products / part.shape[1] * together**2)


def _hidden(
    difficulty: FloatArray,
    codes: np.ndarray,
    part: FloatArray,
    weights: FloatArray,
    cells: FloatArray,
) -> FloatArray:
    """As much of half a surprise (A, G, 4) as the errors of the area (A, N) do not show, by group.

    A group is a level where the fit follows every level. A fit with few knots shows at one difficulty
    what another hides, so there all items are one group, and a quarter shown is enough. In a family,
    scattered surprises show as much as one of all its items.
    """
    levels, level_of = np.unique(difficulty, return_inverse=True)
    follows = knots_for(len(np.unique(codes)), len(levels)) == len(levels)
    groups = level_of if follows else np.zeros(len(codes), dtype=np.int64)
    found = np.zeros((len(part), groups.max() + 1, 4))
    for g in range(groups.max() + 1):
        inside = groups == g
        half = _unseen_responses(part[:, inside], weights[:, inside], codes[inside])
        alone = len(np.unique(codes[inside])) / inside.sum() * (1.0 if follows else _ENOUGH)
        shown = (cells[:, inside] ** 2).sum(axis=1)
        found[:, g] = half * lacking(shown, half[:, 0] * alone)[:, None]
    found[:, :, 3] = 0.0
    return found


def _unseen_positions(
    steps: tuple[FloatArray, FloatArray, FloatArray], interval: Interval, units: int
) -> FloatArray:
    """Half a position at either end of the interval (A, 4): the same for steps."""
    q = interval[1] - interval[0]
    ends = [(0.0, 0.0, interval[0]), (q, q**2 / 2, interval[1])]
    away = [[end - x.mean(axis=1) for end, x in zip(at, steps, strict=True)] for at in ends]
    products = [np.stack([a**2, a * m, m**2, mean**2], axis=1) for a, m, mean in away]
    return np.asarray(sum(products) / (2 * units**2))


def _finished(
    sample: Sample,
    sums: FloatArray,
    by: FloatArray,
    units: np.ndarray,
    unseen: FloatArray,
    hidden: FloatArray,
) -> Contributions:
    values = sample.values[:, sample.codes >= 0]
    bottom, top = (0.0, 1.0) if sample.difficulty is not None else sample.interval
    same = (np.nanmax(values, axis=1) <= bottom) | (np.nanmin(values, axis=1) >= top)
    area, moment, mean = sums
    by_area, by_moment, by_mean = by
    return Contributions(
        sample.agents,
        area,
        moment,
        mean,
        by_area,
        by_moment,
        by_mean,
        unseen,
        hidden,
        units,
        same,
        sample.interval,
        sample.origin,
        (bottom, top),
    )


def _weights(sample: Sample, items: np.ndarray) -> tuple[FloatArray, FloatArray]:
    """Weights (2, N) of each response in area and moment, and their constants (2,)."""
    assert sample.difficulty is not None
    levels, level_of, count = np.unique(
        sample.difficulty[items], return_inverse=True, return_counts=True
    )
    rule = rule_of(levels, sample.interval, sample.estimator)
    per_item = np.stack([rule.area, rule.moment]) / count
    return per_item[:, level_of], np.array([rule.block, rule.block**2 / 2])


def _positions(part: FloatArray, sample: Sample) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Area and moment under each item's own step (lemma 19: the curve is the mean of its steps)."""
    width = np.clip(part, *sample.interval) - sample.interval[0]
    return width, width**2 / 2, part


def _centred(part: FloatArray, units: int) -> FloatArray:
    """Deviations from an agent's mean, per item, with the variance of n - 1."""
    centred = (part - part.mean(axis=1, keepdims=True)) / part.shape[1]
    return np.asarray(centred * np.sqrt(units / (units - 1)))


def _residuals(
    values: FloatArray, sample: Sample, items: np.ndarray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Residuals (A, N) from the fit, and the weights (2, N) scaled up for what the fit absorbed."""
    assert sample.difficulty is not None
    codes = sample.codes[items]
    units = np.unique(codes)
    basis, _ = np.linalg.qr(_hats(sample.difficulty[items], len(units)))
    residual = values - (values @ basis) @ basis.T
    if len(units) == len(codes):
        kept = 1 - (basis**2).sum(axis=1)
        return residual, weights / np.sqrt(np.maximum(kept, 1 - _MOST_ABSORBED))
    scaled = weights.copy()
    order = np.argsort(codes, kind="stable")
    for inside in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1):
        scaled[:, inside] += _scaled_up(basis[inside], weights[:, inside])
    return residual, scaled


def _hats(difficulty: FloatArray, units: int) -> FloatArray:
    """Piecewise-linear basis (N, knots) with knots at quantiles of the observed difficulties."""
    levels = np.unique(difficulty)
    number = knots_for(units, len(levels))
    if number == 1:
        return np.ones((len(difficulty), 1))
    knots = levels
    if number < len(levels):
        knots = np.quantile(difficulty, np.linspace(0, 1, number), method="inverted_cdf")
        knots = np.unique(knots)
    return np.stack([np.interp(difficulty, knots, row) for row in np.eye(len(knots))], axis=1)


def _scaled_up(basis: FloatArray, weights: FloatArray) -> FloatArray:
    """((I - H)^(-1/2) - I) w for one family, with H = basis basisᵀ: the CR2 correction."""
    left, singular, _ = np.linalg.svd(basis, full_matrices=False)
    kept = np.maximum(1 - singular**2, 1 - _MOST_ABSORBED)
    return np.asarray(((weights @ left) * (1 / np.sqrt(kept) - 1)) @ left.T)


def _by_unit(cells: FloatArray, codes: np.ndarray) -> FloatArray:
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return np.add.reduceat(cells[:, order], starts, axis=1)


def _enough(number: int, agent: object, what: str) -> None:
    if number < _FEWEST:
        raise BadInput(
            f"responses of {agent!r}",
            number,
            f"are too few {what} for an interval",
            f"measure it on at least three {what}, or leave it out",
        )
