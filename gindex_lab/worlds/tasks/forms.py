"""Two forms of a test out of generated items, with some items in both: what `gl.equate` needs.

Generators name their items by place ("R04 S0.2 1", "h08-1", "E001"), so items of two seeds have the same
names. In a form each item has a name that says where it stands: "both …", "first …", "second …".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from gindex_lab.foundation.errors import ensure

__all__ = ["two_forms"]

Form = dict[str, Any]


def two_forms(
    both: Iterable[Any], first: Iterable[Any], second: Iterable[Any]
) -> tuple[Form, Form]:
    """Two forms that share the items `both`: {name: item} each, no name with two meanings.

    Items are what `gl.mazes.battery`, `gl.letter_series.generate` or `gl.anytime.make_pool` give; mazes and
    series bear their new name. The same item may not stand in two places: it would be an anchor, and not be
    counted as one.

    >>> from gindex_lab.worlds.tasks import mazes
    >>> made = [mazes.battery((6, 8), (0.3,), copies=1, seed=k) for k in (1, 2, 3)]
    >>> a, b = two_forms(*made)
    >>> list(a)
    ['both R06 S0.3 1', 'both R08 S0.3 1', 'first R06 S0.3 1', 'first R08 S0.3 1']
    >>> sorted(a.keys() & b.keys()) == list(a)[:2], b["second R08 S0.3 1"].name
    (True, 'second R08 S0.3 1')
    """
    parts = {"both": both, "first": first, "second": second}
    named: dict[str, Form] = {}
    seen: set[str] = set()
    for part, given in parts.items():
        listed = isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping))
        problem, remedy = "[wrong-type] is not a list of items", "pass what a generator gave"
        ensure(listed, part, given, problem, remedy)
        items, problem, remedy = list(given), "[empty] is empty", "give items to every part"
        ensure(bool(items), part, len(items), problem, remedy)
        named[part] = {}
        for place, item in enumerate(items, 1):
            bare = repr(_named(item, ""))
            problem, remedy = (
                "[duplicate] stands in the test twice",
                "leave it out once, or put it into `both`",
            )
            ensure(bare not in seen, part, item, problem, remedy)
            seen.add(bare)
            label = f"{part} {getattr(item, 'name', '') or f'{place:03}'}"
            problem, remedy = "[duplicate-label] names two items", "give each a name of its own"
            ensure(label not in named[part], part, label, problem, remedy)
            named[part][label] = _named(item, label)
    return named["both"] | named["first"], named["both"] | named["second"]


def _named(item: Any, name: str) -> Any:
    """The item under another name, where it has one."""
    has = is_dataclass(item) and not isinstance(item, type)
    return replace(item, name=name) if has and "name" in {f.name for f in fields(item)} else item
