"""What guessing gives: the chance c of a right answer by luck at each item, and curves freed of it.

With four options a coin of four sides scores .25 everywhere, a constant curve that looks like an agent of
capability q/4 without any generality. A response r counts (r - c)/(1 - c) instead (Abbott 1925, "A method of
computing the effectiveness of an insecticide"; the correction for guessing of multiple-choice tests): 0 is
what guessing gives on average, 1 stays 1. Single responses may then be negative, curves are not.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, number, per_item
from gindex_lab.measures.curves import Indicators, Sums, along, conclude, merge

__all__ = ["above_guessing", "feasible", "floors_of", "minority"]

_NOTHING = "means that every guess is right: nothing is left to show"
_COLUMNS = ("floor", "chance", "guessing")


def floors_of(responses: Responses, floor: object = None) -> pd.Series | None:
    """The floor of every item: as given, or as the items say (`floor`, `chance`, `guessing`, or 1 divided by
    `choices`); None where nobody says.

    `floor` is one number, a Series by item, or a mapping of families (tasks) or items to numbers; what a
    mapping does not name has 0.

    >>> runs = Responses([[1, 0]], items=pd.DataFrame({"choices": [4, 2]}, index=["item 1", "item 2"]))
    >>> floors_of(runs).tolist(), floors_of(runs, {"item 2": 0.2}).tolist()
    ([0.25, 0.5], [0.0, 0.2])
    """
    items = responses.frame.columns
    if floor is None:
        return _from_items(responses)
    if isinstance(floor, pd.Series):
        return _checked(pd.Series(per_item("floor", floor, items), items), "floor")
    if isinstance(floor, Mapping):
        return _checked(_from_mapping(responses, floor), "floor")
    level = number("floor", floor, 0, 1)
    if level == 1:
        raise BadInput("floor", floor, _NOTHING, "give a chance below 1")
    return pd.Series(level, items, dtype=float)


def _from_items(responses: Responses) -> pd.Series | None:
    for name in _COLUMNS:
        if name in responses.items:
            return _checked(pd.to_numeric(responses.items[name], errors="coerce").fillna(0.0), name)
    if "choices" not in responses.items:
        return None
    choices = pd.to_numeric(responses.items["choices"], errors="coerce")
    return (1 / choices).where(choices >= 2, 0.0)


def _from_mapping(responses: Responses, floor: Mapping[object, object]) -> pd.Series:
    items, family = responses.frame.columns, responses.family
    families = {} if family is None else {str(f) for f in family.unique()}
    found = pd.Series(0.0, items)
    for name, value in floor.items():
        level = number(f"floor[{name!r}]", value, 0, 1)
        if name in items:
            found[name] = level
        elif family is not None and str(name) in families:
            found[family.astype(str) == str(name)] = level
        else:
            known = sorted(families)[:5] or list(items[:5])
            problem = "is neither a task nor an item of the data"
            raise BadInput("floor", name, problem, f"known are {known} …")
    return found


def _checked(values: pd.Series, name: str) -> pd.Series:
    bad = ~((values >= 0) & (values < 1))
    if bad.any():
        at = values.index[bad][0]
        problem = _NOTHING if values[at] == 1 else "must lie between 0 and 1"
        raise BadInput(f"floor[{at!r}]", values[at], problem, f"give a chance below 1 ({name})")
    return values.astype(float)


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
