"""Curves freed of guessing.

With four options a coin of four sides scores .25 everywhere, a constant curve that looks like an agent of
capability q/4 without any generality. A response r counts (r - c)/(1 - c) instead (Abbott 1925, "A method of
computing the effectiveness of an insecticide"; the correction for guessing of multiple-choice tests): 0 is
what guessing gives on average, 1 stays 1. Single responses may then be negative, curves are not.
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.curves import Indicators, Sums, along, conclude, merge

__all__ = ["above_guessing", "feasible", "minority"]


def above_guessing(sums: Sums, items: FloatArray, rows: FloatArray) -> Indicators:
    """The indicators of corrected responses (A, N): those of the nearest area and moment that a curve can
    have, so that an agent at or below chance is a step at the lower end.

    >>> from gindex_lab.measures.generality import generality
    >>> table = generality([[1, 1, 0.25, 0.25], [0.25] * 4], difficulty=[0, 1, 2, 3], floor=0.25)
    >>> table["capability"].tolist(), table["normalised_generality"].round(2).tolist()
    ([1.5, 0.0], [0.96, 1.0])
    """
    scale = sums.scale
    area, moment = sums.area.copy(), sums.moment.copy()
    gaps = np.flatnonzero(np.isnan(sums.total))
    if len(gaps):
        levels, psi, _ = merge(rows[gaps], items)
        area[gaps], moment[gaps], _ = along(levels, psi, scale)
    area, moment = feasible(area, moment, scale.interval[1] - scale.interval[0])
    return conclude(area, moment, 2 * moment - area**2, scale.interval, scale.origin)


def feasible(area: FloatArray, moment: FloatArray, q: float) -> tuple[FloatArray, FloatArray]:
    """The nearest area in [0, q], and moment between those of the two steps of that area.

    >>> [x.tolist() for x in feasible(np.array([-1.0, 1.0]), np.array([0.0, 9.0]), 2.0)]
    [[0.0, 1.0], [0.0, 1.5]]
    """
    a = np.clip(area, 0.0, q)
    return a, np.clip(moment, a**2 / 2, a * (q - a / 2))


def minority(answers: FloatArray, floor: FloatArray | None) -> FloatArray:
    """Responses (A,) in the minority: failures, or successes beyond those that guessing gives."""
    right = answers.sum(axis=1)
    lucky = 0.0 if floor is None else floor.sum()
    return np.asarray(np.clip(np.minimum(right - lucky, answers.shape[1] - right), 0.0, None))
