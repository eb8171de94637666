"""Difficulty, minutes, weight, choices and date: roles that a column, or a field of a log, can play.

All but the date are facts of an item (minutes: how long people take; choices: how many options it has); the
date is one of an agent. What was asked for must be there, with one value for each item or agent; what was
only recognised by its name is left alone where it is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.studies.readers.names import TIERS, nested
from gindex_lab.studies.readers.options import ROLES, Options
from gindex_lab.studies.readers.storage import Storage

__all__ = ["add_facts_of", "log_roles", "settle_roles"]

_OF_ITEMS = tuple(role for role in ROLES if role != "date")
_IMPLICIT = {role: frozenset().union(*TIERS[role]) for role in _OF_ITEMS}
_ROLE_WORDS = {
    "difficulty": "the difficulty of an item",
    "minutes": "the human time of an item, in minutes,",
    "weight": "the weight of an item",
    "choices": "the number of options of an item",
    "date": "the date of an agent",
}
_BESIDE = ("metadata", "doc", "instance", "extra_data")  # where logs keep facts of an item


# -- logs --------------------------------------------------------------------------------------------


def log_roles(record: Mapping[str, Any], options: Options) -> dict[str, Any]:
    """The roles that one sample of a log has: as asked for, or by their usual names.

    A name is looked for in the sample and in what it keeps beside (`metadata`, `doc`).

    >>> log_roles({"id": 1, "metadata": {"human_minutes": 4}}, Options())
    {'minutes': 4.0}
    >>> log_roles({"doc": {"level": 3}}, Options(columns={"difficulty": "level"}))
    {'difficulty': 3.0}
    """
    found: dict[str, Any] = {}
    beside = [record[name] for name in _BESIDE if isinstance(record.get(name), dict)]
    for role in (*_OF_ITEMS, "family"):
        if role in options.columns:
            name = options.columns[role]
            values = () if name is None else (nested(one, name) for one in (record, *beside))
            value = next((v for v in values if v is not None), None)
            if value is not None:
                found[role] = str(value) if role == "family" else _number(value, role, name)
                if role == "difficulty" and _is_minutes(name):
                    found["minutes"] = found[role]
        elif role in _IMPLICIT:
            for one in beside:
                for name, value in one.items():
                    if str(name).lower() in _IMPLICIT[role] and _is_number(value):
                        found.setdefault(role, float(value))
    return found


def _is_minutes(name: object) -> bool:
    return str(name).lower().endswith("minutes")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value


def _number(value: object, role: str, name: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        problem = f"holds {value!r}, which is not a number"
        remedy = "name a column of numbers"
        raise BadInput(f"columns[{role!r}]", name, problem, remedy, code="not-a-number") from None


# -- tables ------------------------------------------------------------------------------------------


def add_facts_of(
    table: pd.DataFrame,
    names: Mapping[str, str],
    codes: Mapping[str, np.ndarray],
    found: Storage,
    options: Options,
) -> None:
    """Roles of a long table: one value for each item, or (date) each agent."""
    for role in ROLES:
        if role not in names:
            continue
        column, kind = table[names[role]], "agent" if role == "date" else "item"
        asked = role in options.columns
        value = column if role == "date" else _numbers_of(column, role, asked)
        if value is None:
            continue
        first = _first_rows(codes[kind])
        rows = value.to_numpy()
        same = pd.Series(rows[first[codes[kind]]]).eq(pd.Series(rows))
        differs = ~(same.to_numpy() | (pd.isna(rows) & pd.isna(rows[first[codes[kind]]])))
        if differs.any():
            if asked:
                at = int(differs.argmax())
                problem = f"differs between rows of one {kind} (row {at + 1})"
                remedy = "fix the table, or name another column"
                raise BadInput(f"columns[{role!r}]", names[role], problem, remedy, code="differs")
            continue
        said = f"{_ROLE_WORDS[role]} is the column {names[role]!r}"
        found.note("roles", said, f"columns={{{role!r}: ...}} (--columns {role}=NAME)")
        present = np.flatnonzero(first >= 0)
        for code, one in zip(present.tolist(), rows[first[present]].tolist(), strict=True):
            found.add_fact(kind, code, role, one)
            if role == "difficulty" and _is_minutes(names[role]):
                found.add_fact(kind, code, "minutes", one)
            if role != names[role]:
                found.add_fact(kind, code, names[role], one)


def _numbers_of(column: pd.Series, role: str, asked: bool) -> pd.Series | None:
    """The column as numbers; None where it was only recognised by its name and is not one of numbers."""
    numbers = pd.to_numeric(column, errors="coerce")
    bad = (numbers.isna() & column.notna()).to_numpy()
    if not bad.any():
        return numbers.astype(float)
    if not asked:
        return None
    at = int(bad.argmax())
    problem = f"holds {str(column.iloc[at])!r} in row {at + 1}, which is not a number"
    remedy = "name a column of numbers"
    raise BadInput(f"columns[{role!r}]", column.name, problem, remedy, code="not-a-number")


def _first_rows(codes: np.ndarray) -> np.ndarray:
    """The first row of each code, -1 where there is none."""
    first = np.full(int(codes.max()) + 1, -1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return first


# -- the result --------------------------------------------------------------------------------------


def settle_roles(
    items: pd.DataFrame, agents: pd.DataFrame, found: Storage, options: Options
) -> None:
    """Check the roles of the result: what was asked for is there, and difficulties are there for all."""
    for role in ("minutes", "difficulty", "weight", "choices", "date"):  # difficulty may be minutes
        table = agents if role == "date" else items
        asked = options.columns.get(role)
        if role not in table and asked in table:
            table[role] = table[asked]
        if role == "difficulty" and role not in {*table, *options.columns} and "minutes" in table:
            table[role] = table["minutes"]  # where nothing else orders the items
        if role not in table or table[role].isna().all():
            if asked is not None:
                problem = f"gives no {role}: it is in none of the files"
                remedy = "write the name as the log or table has it, nested names with dots"
                raise BadInput(f"columns[{role!r}]", asked, problem, remedy, code="not-found")
            if role in table:
                del table[role]
            continue
        lacking = table[role].isna()
        if role == "difficulty" and lacking.any():
            if asked is not None:
                problem = f"gives no difficulty of {int(lacking.sum())} items ({lacking.idxmax()!r} is one)"
                remedy = "fill them, or leave these items out"
                raise BadInput(f"columns[{role!r}]", asked, problem, remedy, code="missing")
            del table[role]
            said = f"{int(lacking.sum())} items have no difficulty, so that none is used"
            found.note("roles", said, "columns={'difficulty': ...}")
    if "minutes" in items and items["minutes"].isna().any():
        del items["minutes"]  # half of them give no time horizon either
