"""Wide tables: one row per agent and one column per item, or one row per item and one column per agent.

Columns of words, and those that are facts by their name (`facts`), stay with the agents or the items.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import numeric_frame
from gindex_lab.studies.readers.collect import Collector
from gindex_lab.studies.readers.directions import settle_direction
from gindex_lab.studies.readers.facts import is_fact, is_text, split_columns
from gindex_lab.studies.readers.names import column_of
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.tables import table_at, table_header

__all__ = ["add_facts", "add_frame", "read_wide"]


def read_wide(files: Sequence[Path], found: Collector, options: Options) -> None:
    """One row per agent, its name in a column called agent, model ..., else in the first.

    A first column called item, question, task ... makes it a table of one row per item.
    """
    for file in files:
        with found.reading(file, options):
            _read_wide(file, found, options)


def _read_wide(file: Path, found: Collector, options: Options) -> None:
    name = _agent_column(list(table_header(file, options)), options)
    table = table_at(file, [name], options)
    for note in table.attrs.get("notes", ()):
        found.note_once(note)
    if table.shape[1] < 2:
        problem = "has fewer than two columns"
        raise BadInput("path", str(file), problem, "put agents first, then items")
    label = table.columns[name] if isinstance(name, int) else name
    if _rows_are_items(str(label), options):
        said = f"rows were read as items and columns as agents (the first column is {label!r})"
        found.note("orientation", said, "transpose=False (--no-transpose)")
        _add_items(table, str(label), found, options)
        return
    table = _rows_of_facts(table, str(label), found, options)
    items, facts = split_columns(table, label, found, options)
    add_frame(table.set_index(label)[items], found, options)
    add_facts(table, label, facts, found)
    date = options.columns.get("date") or next(
        iter(column_of([str(f) for f in facts], "date")), None
    )
    if date is not None and date in table:
        add_facts(table.assign(date=table[date]), label, ["date"], found)
    for item in items:
        settle_direction(str(item), found, options, item=str(item), guess="higher")


def _add_items(table: pd.DataFrame, label: str, found: Collector, options: Options) -> None:
    """A table with a row per item: columns of words, and those that play a role, are facts of the items."""
    header = [str(c) for c in table.columns if c != label]
    roles = {r: _role_column(header, r, options) for r in ("difficulty", "weight", "family")}
    texts = [c for c in header if is_text(table[c]) or is_fact(c)]
    facts = {c: c for c in texts} | {c: r for r, c in roles.items() if c is not None}
    rest = [c for c in header if c not in facts]
    if not rest:
        facts, rest = {}, header
    add_frame(table.set_index(label)[rest].T, found, options)
    for column, role in facts.items():
        values = table[column]
        if role in ("difficulty", "weight"):
            values = numeric_frame("scores", table.set_index(label)[[column]])[column]
        for item, value in zip(table[label], values, strict=True):
            found.item_facts.setdefault(("", str(item)), {})[role] = value
            if role == "difficulty" and column.lower().endswith("minutes"):
                found.item_facts["", str(item)]["minutes"] = value
    if facts:
        said = ", ".join(f"{c!r} ({r})" if c != r else repr(c) for c, r in facts.items())
        found.note(
            "roles", f"facts of the items: {said}", "columns={'difficulty': ...} (--columns)"
        )


def _role_column(header: Sequence[str], role: str, options: Options) -> str | None:
    if role in options.columns:
        return options.columns[role]
    return next(iter(column_of(header, role)), None)


def _rows_of_facts(
    table: pd.DataFrame, label: str, found: Collector, options: Options
) -> pd.DataFrame:
    """A wide table without the rows that were named as difficulty or weight of the items."""
    for role in ("difficulty", "weight"):
        name = options.columns.get(role)
        if name is None:
            continue
        rows = table[table[label] == name]
        if len(rows) != 1:
            problem = f"is the name of {len(rows)} rows" if len(rows) else "does not match any row"
            remedy = (
                f"of a table with a row per agent, name the row that holds the {role} of each item"
            )
            raise BadInput(f"columns[{role!r}]", name, problem, remedy, code="not-found")
        items = [c for c in table.columns if c != label and not is_fact(str(c))]
        numbers = numeric_frame("scores", rows[items].set_axis([name]))
        for item, value in numbers.loc[name].items():
            found.item_facts.setdefault(("", str(item)), {})[role] = value
        table = table[table[label] != name].reset_index(drop=True)
    return table


def _agent_column(header: list[str], options: Options) -> str | int:
    given = options.columns.get("agent")
    if given is not None:
        return given
    named = column_of(header, "agent")
    return named[0] if len(named) == 1 else 0


def _rows_are_items(label: str, options: Options) -> bool:
    if options.transpose is not None:
        return options.transpose
    kinds = ("item", "family")
    return "agent" not in options.columns and any(column_of([label], kind) for kind in kinds)


def add_facts(table: pd.DataFrame, agent: str, facts: Sequence[str], found: Collector) -> None:
    """Keep columns that are no items with the agents."""
    if facts:
        for label, row in zip(table[agent], table[list(facts)].to_dict("records"), strict=True):
            found.agent_facts.setdefault(str(label), {}).update(row)


def add_frame(frame: pd.DataFrame, found: Collector, options: Options) -> None:
    """Every cell of a wide table; a repeated agent is a repeated response, not an error of its own."""
    if frame.empty:
        raise BadInput("path", found.path, "has no row of scores", "give at least one agent")
    names = [str(name) for name in frame.index]
    numbers = numeric_frame(
        "scores", frame.set_axis(range(len(frame))).rename(index=_row_name(names))
    )
    found.add_wide(names, [str(item) for item in frame.columns], numbers.to_numpy(dtype=float))


def _row_name(names: Sequence[str]) -> dict[int, str]:
    """Names for error messages, each once."""
    seen: dict[str, int] = {}
    labels = {}
    for k, name in enumerate(names):
        seen[name] = seen.get(name, 0) + 1
        labels[k] = name if seen[name] == 1 else f"{name} (row {k + 1})"
    return labels
