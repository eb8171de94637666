"""The environments of the published logs, and tables of environments as objects."""

from __future__ import annotations

from typing import Any

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.upstairs import upstairs
from gindex_lab.worlds.anytime.environment import Environment

__all__ = ["as_environments", "logged_environments"]


def as_environments(table: pd.DataFrame, **rules: Any) -> list[Environment]:
    """One environment for each row of a table with the columns `space` and `pattern`.

    The columns of the published items (`spacedesc`, and patterns that begin with `p`) are understood, too.
    `rules` are those of `Environment`, such as `observation="local"`.

    >>> as_environments(pd.DataFrame({"space": ["1+|1-"], "pattern": ["01"]}))
    [Environment('1+|1-', '01')]
    """
    if not isinstance(table, pd.DataFrame):
        raise BadInput("table", type(table).__name__, "is not a table", "pass a DataFrame")
    space = "spacedesc" if "spacedesc" in table else "space"
    for column in (space, "pattern"):
        if column not in table:
            raise BadInput(
                "table", list(table.columns), f"has no column {column!r}", "add it as text"
            )
    rows = zip(table[space], table["pattern"], strict=True)
    return [
        Environment(s, p.removeprefix("p") if isinstance(p, str) else p, **rules) for s, p in rows
    ]


def logged_environments(**rules: Any) -> list[Environment]:
    """The 140 environments of Λ-One on which people and Q-learning were compared (2011)."""
    return as_environments(upstairs("load")("lambda").items, **rules)
