"""What guessing gives: the chance c of a right answer by luck at each item.

With four options a coin of four sides scores .25. Who says so? The caller, or the items themselves.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import PerItemLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import number, per_item

__all__ = ["floors_of"]

_NOTHING = "means that every guess is right: nothing is left to show"
_COLUMNS = ("floor", "chance", "guessing")


def floors_of(responses: Responses, floor: PerItemLike = None) -> pd.Series | None:
    """The floor of every item: as given, or as the items say (`floor`, `chance`, `guessing`, or 1 divided by
    `choices`); None where it is unknown.

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
