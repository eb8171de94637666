"""Minutes of items and dates of agents, from where a study keeps them: its tables, or a long table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, GIndexLabError
from gindex_lab.foundation.files import header_of
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.studies.readers.formats import column_of
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.tables import table_at

__all__ = ["with_choices", "with_minutes"]


def with_minutes(
    data: Responses | Scores, path: Path, minutes: str | None, dates: str | None
) -> Responses | Scores:
    """The data with `items["minutes"]` and the column `dates` of the agents, where they can be found.

    Without difficulties, log2 minutes become the difficulties. A name that was given must be found;
    "minutes" is taken where it is. An item with two different minutes, or an agent with two dates, is
    refused.
    """
    found = _fact(data.items, data.frame.columns, path, minutes or "minutes", "item")
    if found is None and minutes is not None:
        _refuse("minutes", minutes)
    if found is not None and isinstance(data, Responses):
        lengths = _numbers(found)
        items = data.items.assign(minutes=lengths)
        if data.difficulty is None or data.difficulty.equals(lengths.rename("difficulty")):
            items["difficulty"] = np.log2(lengths)
        data = _like(data, items=items)
    elif minutes is not None:
        problem = "needs responses between 0 and 1, and these are raw scores"
        raise BadInput("minutes", minutes, problem, "map the scores with --scale LOW HIGH")
    if dates is None:
        return data
    days = _fact(data.agents, data.frame.index, path, dates, "agent")
    if days is None:
        _refuse("dates", dates)
    return _like(data, agents=data.agents.assign(**{dates: days}))


def with_choices(data: Responses, path: Path) -> Responses:
    """The data with the number of options of each item (`choices`), where a long table has that column: what
    guessing gives follows from it."""
    if "choices" in data.items or path.is_dir() or path.suffix.lower() not in (".csv", ".tsv"):
        return data
    if "choices" not in header_of(path):
        return data
    found = _fact(data.items, data.frame.columns, path, "choices", "item")
    if found is None:
        return data
    changed = _like(data, items=data.items.assign(choices=found))
    assert isinstance(changed, Responses)
    return changed


def _like(data: Responses | Scores, **parts: pd.DataFrame) -> Responses | Scores:
    kept = ("items", "agents", "interval", "trials", "name", "source", "citation", "licence")
    found = type(data)(data.frame, **({key: getattr(data, key) for key in kept} | parts))
    found.notes = data.notes
    return found


def _refuse(argument: str, name: str) -> None:
    raise BadInput(
        argument,
        name,
        "is not a column of the items, the agents, or the table that was read",
        "name a column of items.csv (or agents.csv), or of a long table",
    )


def _fact(
    known: pd.DataFrame, labels: pd.Index, path: Path, name: str, kind: str
) -> pd.Series | None:
    """A fact of each item or agent, from its table or from the long table itself."""
    if name in known:
        return known[name]
    if path.is_dir():
        return None
    try:
        table = table_at(path, [], Options())
    except (GIndexLabError, ValueError, UnicodeDecodeError):
        return None  # a log: it has no columns
    columns = column_of(list(map(str, table.columns)), kind)
    if name not in table or not columns:
        return None
    pairs = pd.DataFrame({"label": table[columns[0]].astype(str), "fact": table[name]})
    pairs = pairs.drop_duplicates()
    twice = pairs["label"].duplicated()
    if twice.any():
        label = pairs.loc[twice.idxmax(), "label"]
        raise BadInput(
            f"{name}[{label!r}]", name, f"differs between rows of one {kind}", "fix the file"
        )
    facts = pairs.set_index("label")["fact"].reindex(labels.map(str))
    if facts.isna().all():  # items carry their family in their name
        facts = pairs.set_index("label")["fact"].reindex([str(x).split("/", 1)[-1] for x in labels])
    return facts.set_axis(labels)


def _numbers(found: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(found, errors="coerce")
    bad = ~(numbers > 0) | ~np.isfinite(numbers)
    if bad.any():
        item = numbers.index[bad][0]
        raise BadInput(
            f"minutes[{item!r}]",
            found[item],
            "is not a positive number of minutes",
            "give every item its human time, or leave it out",
        )
    return numbers.astype(float)
