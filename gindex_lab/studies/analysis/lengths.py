"""Minutes of items and dates of agents, as the roles of a reader or the tables of a study give them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.notes import Note
from gindex_lab.foundation.responses import Responses, Scores

__all__ = ["recognised_dates", "with_minutes"]


def with_minutes(
    data: Responses | Scores, minutes: str | None, dates: str | None
) -> Responses | Scores:
    """The data with `items["minutes"]` and the column `dates` of the agents, where they are there.

    Without difficulties, log2 minutes become the difficulties, and that is noted. A name that was given must
    be a column of the items or the agents.
    """
    name = minutes if minutes in data.items else "minutes"
    found = data.items.get(name)
    if found is None and minutes is not None:
        _refuse("minutes", minutes)
    if found is not None and isinstance(data, Responses):
        lengths, notes = _numbers(found), []
        items = data.items.assign(minutes=lengths)
        if data.difficulty is None or data.difficulty.equals(lengths.rename("difficulty")):
            items["difficulty"] = np.log2(lengths)
            said = (
                "difficulty is log2 of the minutes of an item: one unit is a doubling of human time"
            )
            notes = [Note("difficulty", said, "difficulty=... (--difficulty)")]
        data = _like(data, notes, items=items)
    elif minutes is not None:
        problem = "needs responses between 0 and 1, and these are raw scores"
        raise BadInput("minutes", minutes, problem, "map the scores with --scale LOW HIGH")
    if dates is None:
        return data
    column = dates if dates in data.agents else "date"
    if column not in data.agents:
        _refuse("dates", dates)
    return _like(data, agents=data.agents.assign(**{dates: data.agents[column]}))


def recognised_dates(data: Responses | Scores) -> str | None:
    """The column of the agents' dates, where a reader recognised one and every agent has a date in it."""
    if "date" not in data.agents or "minutes" not in data.items:
        return None
    known = pd.to_datetime(data.agents["date"].astype(str), errors="coerce", format="ISO8601")
    return "date" if known.notna().all() else None


def _like(
    data: Responses | Scores, notes: Sequence[str] = (), **parts: pd.DataFrame
) -> Responses | Scores:
    kept = ("items", "agents", "interval", "trials", "name", "source", "citation", "licence")
    found = type(data)(data.frame, **({key: getattr(data, key) for key in kept} | parts))
    found.notes = data.notes.with_more(notes)
    return found


def _refuse(argument: str, name: str) -> None:
    problem = "[not-found] is not a column of the items, the agents, or the table that was read"
    remedy = "name a column of items.csv (or agents.csv), or of a long table"
    raise BadInput(argument, name, problem, remedy)


def _numbers(found: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(found, errors="coerce")
    bad = ~(numbers > 0) | ~np.isfinite(numbers)
    if bad.any():
        item = numbers.index[bad][0]
        problem = "is not a positive number of minutes"
        remedy = "give every item its human time, or leave it out"
        raise BadInput(f"minutes[{item!r}]", found[item], problem, remedy)
    return numbers.astype(float)
