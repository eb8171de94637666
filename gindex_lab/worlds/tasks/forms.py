"""Two forms of a test out of generated items, with some items in both: what `gl.equate` needs.

Generators name their items by place ("R04 S0.2 1", "h08-1", "E001"), so items of two seeds have the same
names. In a form each item has a name that says where it belongs: "both …", "first …", "second …".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from gindex_lab.foundation.errors import ensure

__all__ = ["two_forms"]

Form = dict[str, Any]


def two_forms(both: Iterable[Any], first: Iterable[Any], second: Iterable[Any]) -> tuple[Form, Form]:
    """Two forms of a test that share some items.

    Parameters
    ----------
    both, first, second : lists of items
        What `gl.mazes.battery`, `gl.letter_series.generate` or `gl.anytime.make_pool` gave: the items of both
        forms, of the first only and of the second only. The same item may not be given twice: it would be an
        anchor that is not counted as one.

    Returns
    -------
    (dict, dict)
        {name: item} of each form; mazes and series carry their new name. No name has two meanings.

    Examples
    --------
    >>> from gindex_lab.worlds.tasks import mazes
    >>> made = [mazes.battery((6, 8), (0.3,), copies=1, seed=k) for k in (1, 2, 3)]
    >>> a, b = two_forms(*made)
    >>> list(a)
    ['both R06 S0.3 1', 'both R08 S0.3 1', 'first R06 S0.3 1', 'first R08 S0.3 1']
    >>> sorted(a.keys() & b.keys()) == list(a)[:2], b["second R08 S0.3 1"].name
    (True, 'second R08 S0.3 1')
    """
    named: dict[str, Form] = {}
    seen: set[str] = set()
    for part, given in {"both": both, "first": first, "second": second}.items():
        listed = isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping))
        ensure(listed, part, given, "[wrong-type] is not a list of items", "pass what a generator gave")
        items, named[part] = list(given), {}
        ensure(items, part, 0, "[empty] is empty", "give items to every part")
        for place, item in enumerate(items, 1):
            has_name = is_dataclass(item) and "name" in {one.name for one in fields(item)}
            bare = repr(replace(item, name="") if has_name else item)
            remedy = "leave it out once, or put it into `both`"
            ensure(bare not in seen, part, item, "[duplicate] is in the test twice", remedy)
            seen.add(bare)
            label = f"{part} {getattr(item, 'name', '') or f'{place:03}'}"
            problem, remedy = "[duplicate-label] names two items", "give each a name of its own"
            ensure(label not in named[part], part, label, problem, remedy)
            named[part][label] = replace(item, name=label) if has_name else item
    return named["both"] | named["first"], named["both"] | named["second"]
