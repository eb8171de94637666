"""Difficulty, minutes, weight, choices and date: roles that a column, or a field of a log, can play.

All but the date are facts of an item (minutes: how long people take; choices: how many options it has); the
date is one of an agent. A role that was asked for must be there, with one value for each item or agent; one
that was only recognised by its name is left alone where it is not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, short
from gindex_lab.studies.readers.names import TIERS, nested, time_unit
from gindex_lab.studies.readers.options import ITEM_ROLES, ROLES, Options
from gindex_lab.studies.readers.storage import Storage, as_number

__all__ = ["add_facts_of", "add_role", "keep_roles", "note_role", "settle_roles"]

_IMPLICIT = {role: frozenset().union(*TIERS[role]) for role in ITEM_ROLES}
_ROLE_WORDS = {
    "difficulty": "the difficulty of an item",
    "minutes": "the human time of an item, in minutes,",
    "weight": "the weight of an item",
    "choices": "the number of options of an item",
    "date": "the date of an agent",
}
_BESIDE = ("metadata", "doc", "instance", "extra_data")  # where logs keep facts of an item
_LADDER = (  # difficulty in words, from 0
    ("trivial", "very easy"),
    ("easy", "beginner", "introductory"),
    ("medium", "moderate", "intermediate", "normal", "interview"),
    ("hard", "difficult", "advanced", "challenging", "competition"),
    ("very hard", "very difficult", "expert", "extreme", "insane"),
)
_LEVELS = {word: float(level) for level, words in enumerate(_LADDER) for word in words}


def role_value(role: str, name: object, value: object) -> float | None:
    """The number by which a field plays its role: minutes in minutes, levels in words; None for no number."""
    value = len(value) if role == "choices" and isinstance(value, list) else value
    number = as_number(value)
    if number is None and role == "difficulty":
        level = re.fullmatch(r"(?:level|tier|difficulty) (\d+)", _word(value))
        return float(level[1]) if level else _LEVELS.get(_word(value))
    return number if number is None or role != "minutes" else number * (time_unit(name) or 1.0)


def _word(value: object) -> str:
    return " ".join(str(value).lower().replace("_", " ").split())


# -- logs --------------------------------------------------------------------------------------------


def keep_roles(found: Storage, family: str, item: str, record: Mapping[str, Any]) -> bool:
    """Keep the roles of an item that one record of a log has; whether there are some."""
    roles = log_roles(record, found.options)
    if roles:
        found.facts_of(family, item).update(roles)
    return bool(roles)


def log_roles(record: Mapping[str, Any], options: Options) -> dict[str, Any]:
    """The roles that one sample of a log has: as asked for, or by their usual names.

    A name is looked for in the sample and in what it keeps beside (`metadata`, `doc`), usual ones only there.
    """
    found: dict[str, Any] = {}
    beside = [record[name] for name in _BESIDE if isinstance(record.get(name), dict)]
    for role in (*ITEM_ROLES, "family"):
        if role in options.columns:
            asked = options.columns[role]
            values = () if asked is None else (nested(one, asked) for one in (record, *beside))
            value = next((v for v in values if v is not None), None)
            if value is not None:
                add_role(found, role, asked, value, asked=True)
        elif role != "family":
            for one in beside:
                for name, value in one.items():
                    known = str(name).lower() in _IMPLICIT[role] and not isinstance(value, list)
                    if known and role not in found:
                        add_role(found, role, name, value, asked=False)
    return found


def add_role(facts: dict[str, Any], role: str, name: object, value: Any, asked: bool) -> None:
    """Keep a role among the facts; one that was asked for must be a number, or a level in words."""
    if role in ("family", "date"):
        facts[role] = str(value) if role == "family" else value
        return
    number = role_value(role, name, value)
    if number is None and asked:
        raise _not_a_number(role, name, short(value))
    if number is None or number != number or isinstance(value, bool):
        return
    facts[role] = number
    if role == "difficulty" and as_number(value) is None:
        facts["level"] = _word(value)
    if role == "difficulty" and (unit := time_unit(name)) is not None:
        facts["minutes"] = number * unit


def _not_a_number(role: str, name: object, held: str) -> BadInput:
    problem = f"[not-a-number] holds {held}, which is not a number"
    return BadInput(f"columns[{role!r}]", name, problem, "name a column of numbers")


# -- tables ------------------------------------------------------------------------------------------


def add_facts_of(
    table: pd.DataFrame, names: Mapping[str, str], codes: Mapping[str, np.ndarray], found: Storage
) -> None:
    """Roles of a long table: one value for each item, or (date) each agent."""
    for role in [role for role in ROLES if role in names]:
        name, kind = names[role], "agent" if role == "date" else "item"
        column, asked = table[name], role in found.options.columns
        value = column if role == "date" else _numbers_of(column, role, name, asked)
        if value is None:
            continue
        first, rows = _first_rows(codes[kind]), value.to_numpy()
        before = rows[first[codes[kind]]]
        same = pd.Series(before).eq(pd.Series(rows)).to_numpy() | (pd.isna(rows) & pd.isna(before))
        if not same.all():
            if asked:
                problem = f"[differs] differs between rows of one {kind} (row {int(same.argmin()) + 1})"
                remedy = "fix the table, or name another column"
                raise BadInput(f"columns[{role!r}]", name, problem, remedy)
            continue
        note_role(role, name, found)
        present = np.flatnonzero(first >= 0)
        raw = column.to_numpy()[first[present]].tolist()
        unit = time_unit(name) if role == "difficulty" else None
        for code, one, cell in zip(present.tolist(), rows[first[present]].tolist(), raw, strict=True):
            found.add_fact(kind, code, role, one)
            if unit is not None:
                found.add_fact(kind, code, "minutes", one * unit)
            if role == "difficulty" and isinstance(cell, str) and as_number(cell) is None:
                found.add_fact(kind, code, "level", _word(cell))
            elif role != name:
                found.add_fact(kind, code, name, cell)


def note_role(role: str, name: str, found: Storage) -> None:
    """Say which column, or field, plays a role."""
    unit = time_unit(name) if role == "minutes" else 1.0
    how = "" if unit in (1.0, None) else " times 60" if unit == 60 else " divided by 60"
    said = f"{_ROLE_WORDS[role]} is the column {name!r}{how}"
    found.note("roles", said, f"columns={{{role!r}: ...}} (--columns {role}=NAME)")


def _numbers_of(column: pd.Series, role: str, name: str, asked: bool) -> pd.Series | None:
    """The column as numbers; None where it was only recognised by its name and is not one of numbers."""
    if pd.api.types.is_numeric_dtype(column):
        numbers = column * (time_unit(name) or 1.0) if role == "minutes" else column
    else:
        known = {one: role_value(role, name, one) for one in column.dropna().unique()}
        numbers = pd.to_numeric(column.map(known), errors="coerce")
    bad = (numbers.isna() & column.notna()).to_numpy()
    if bad.any() and asked:
        at = int(bad.argmax())
        raise _not_a_number(role, name, f"{str(column.iloc[at])!r} in row {at + 1}")
    return None if bad.any() else numbers.astype(float)


def _first_rows(codes: np.ndarray) -> np.ndarray:
    """The first row of each code, -1 where there is none."""
    first = np.full(int(codes.max()) + 1, -1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return first


# -- the result --------------------------------------------------------------------------------------


def settle_roles(items: pd.DataFrame, agents: pd.DataFrame, found: Storage) -> None:
    """Check the roles of the result: those asked for are there, and difficulties are there for all items."""
    columns = found.options.columns
    for role in ("minutes", "difficulty", "weight", "choices", "date"):  # difficulty may be minutes
        table = agents if role == "date" else items
        asked = columns.get(role)
        if role not in table and asked in table:
            table[role] = table[asked]
        if role == "difficulty" and role not in {*table, *columns} and "minutes" in table:
            table[role] = table["minutes"]  # where nothing else orders the items
        lacking = table[role].isna() if role in table else pd.Series(True, table.index)
        if lacking.all() and asked is not None:
            problem = f"[not-found] gives no {role}: it is in none of the files"
            remedy = "write the name as the log or table has it, nested names with dots"
            raise BadInput(f"columns[{role!r}]", asked, problem, remedy)
        if role == "difficulty" and lacking.any() and not lacking.all():
            count = int(lacking.sum())
            if asked is not None:
                problem = f"[missing] gives no difficulty of {count} items ({lacking.idxmax()!r} is one)"
                raise BadInput(f"columns[{role!r}]", asked, problem, "fill them, or leave these items out")
            said = f"{count} items have no difficulty, so none is used"
            found.note("roles", said, "columns={'difficulty': ...}")
        if role in table and (lacking.all() or (role == "difficulty" and lacking.any())):
            del table[role]
    if "minutes" in items and items["minutes"].isna().any():
        del items["minutes"]  # half of them give no time horizon either
    if "level" in items and "difficulty" in items:
        pairs = items[["level", "difficulty"]].drop_duplicates().sort_values("difficulty")
        shown = ", ".join(f"{word} {level:g}" for word, level in pairs.itertuples(index=False))
        found.note("roles", f"difficulty in words is a level: {shown}", "columns={'difficulty': ...}")
