"""What guessing gives: the chance of a right answer by luck, for each item.

With four options a coin of four sides scores .25, so an agent at .25 has shown nothing, and one well below
it has a wrong key, a wrong format, or a habit of avoiding the answer. Where every answer is a guess there is
no curve to speak of: γ near or below 0 is then what chance looks like.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import number

__all__ = ["against_chance", "floors_of"]

_COLUMNS = ("floor", "chance", "guessing")


def floors_of(responses: Responses, floor: object = None) -> pd.Series | None:
    """The floor of every item: as given, or as the items say (`floor`, `chance`, `guessing`, or 1 divided by
    `choices`); None where nobody says.

    `floor` is one number, or a mapping of families (tasks) or items to numbers; what it does not name has 0.

    >>> runs = Responses([[1, 0]], items=pd.DataFrame({"choices": [4, 2]}, index=["item 1", "item 2"]))
    >>> floors_of(runs).tolist(), floors_of(runs, {"item 2": 0.2}).tolist()
    ([0.25, 0.5], [0.0, 0.2])
    """
    items = responses.frame.columns
    if floor is None:
        return _from_items(responses)
    if isinstance(floor, Mapping):
        return _from_mapping(responses, floor)
    return pd.Series(number("floor", floor, 0, 1), items, dtype=float)


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
    bad = (values < 0) | (values > 1)
    if bad.any():
        at = values.index[bad][0]
        problem = "must lie between 0 and 1"
        raise BadInput(f"items[{name!r}][{at!r}]", values[at], problem, "give the chance of a hit")
    return values.astype(float)


def against_chance(responses: Responses, scores: pd.DataFrame, floors: pd.Series) -> pd.DataFrame:
    """The floor of the items that each agent met, how far its score lies above it, and in words.

    `floor` is the mean chance over the items met, `above_chance` (score - floor) / (1 - floor): 0 is
    guessing, 1 everything right. `against_chance` is "above chance", "at chance" or "below chance" by the
    interval of the score, and "unknown" without one.

    >>> from gindex_lab.studies.analysis.accuracy import score_table
    >>> runs = Responses([[1] * 30 + [0] * 10, [1] * 10 + [0] * 30, [1] * 2 + [0] * 38])
    >>> found = against_chance(runs, score_table(runs), floors_of(runs, 0.25))
    >>> found["against_chance"].tolist(), found["above_chance"].round(2).tolist()
    (['above chance', 'at chance', 'below chance'], [0.67, 0.0, -0.27])
    """
    met = responses.frame.notna().to_numpy()
    level = (met * floors.to_numpy()).sum(axis=1) / np.maximum(met.sum(axis=1), 1)
    room = np.maximum(1 - level, 1e-12)
    if "score_low" in scores:
        words = np.select(
            [scores["score_low"] > level, scores["score_high"] < level],
            ["above chance", "below chance"],
            "at chance",
        )
    else:
        words = np.full(len(level), "unknown")
    columns = {"floor": level, "above_chance": (scores["score"] - level) / room}
    return pd.DataFrame(columns, index=scores.index).assign(against_chance=words)
