"""What guessing gives: the chance of a right answer by luck at each item.

With four options, guessing scores 0.25. The caller says so, or the items do.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import PerItemLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import number, per_item

__all__ = ["floors_of"]


def floors_of(responses: Responses, floor: PerItemLike = None) -> pd.Series | None:
    """The success that guessing gives at every item; None where nobody says it.

    `floor` is one number, a Series by item, or a mapping of families (tasks) or items to numbers, in which
    what is not named has 0. Without it the items may say it themselves: in a column `floor`, `chance` or
    `guessing`, or as 1 divided by `choices`.

    >>> runs = Responses([[1, 0]], items=pd.DataFrame({"choices": [4, 2]}, index=["item 1", "item 2"]))
    >>> floors_of(runs).tolist(), floors_of(runs, {"item 2": 0.2}).tolist()
    ([0.25, 0.5], [0.0, 0.2])
    """
    items, known, name = responses.frame.columns, responses.items, "floor"
    if floor is None:
        name = next((n for n in ("floor", "chance", "guessing", "choices") if n in known), "")
        if not name:
            return None
        found = pd.to_numeric(known[name], errors="coerce")
        found = (1 / found).where(found >= 2, 0.0) if name == "choices" else found.fillna(0.0)
    elif isinstance(floor, Mapping):
        found = _by_family_or_item(responses, floor)
    elif isinstance(floor, pd.Series):
        found = pd.Series(per_item("floor", floor, items), items)
    else:
        found = pd.Series(number("floor", floor, 0, 1), items, dtype=float)
    bad = ~((found >= 0) & (found < 1))
    if bad.any():
        at = found.index[bad][0]
        where = f"floor[{at!r}]" if floor is None or isinstance(floor, (Mapping, pd.Series)) else "floor"
        certain = "means that every guess is right: nothing is left to show"
        problem = certain if found[at] == 1 else "must lie between 0 and 1"
        raise BadInput(where, found[at], problem, f"give a chance below 1 ({name})")
    return found.astype(float)


def _by_family_or_item(responses: Responses, floor: Mapping[object, object]) -> pd.Series:
    items, family = responses.frame.columns, responses.family
    families = pd.Series("", items) if family is None else family.astype(str)
    found = pd.Series(0.0, items)
    for name, value in floor.items():
        level = number(f"floor[{name!r}]", value, 0, 1)
        if name in items:
            found[name] = level
        elif family is not None and (families == str(name)).any():
            found[families == str(name)] = level
        else:
            known = list(items[:5]) if family is None else sorted(set(families))[:5]
            problem = "is neither a task nor an item of the data"
            raise BadInput("floor", name, problem, f"known are {known} …")
    return found
