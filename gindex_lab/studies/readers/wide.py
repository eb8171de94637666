"""Wide tables: one row per agent and one column per item, or one row per item and one column per agent.

Columns of words, and those that are facts by their name (`facts`), stay with the agents or the items.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import numeric_frame
from gindex_lab.studies.readers.cells import percentages, without_headers
from gindex_lab.studies.readers.collect import Collector
from gindex_lab.studies.readers.facts import (
    is_fact,
    is_generic,
    is_text,
    split_columns,
)
from gindex_lab.studies.readers.metrics import settle_direction
from gindex_lab.studies.readers.names import column_of, is_model, is_question
from gindex_lab.studies.readers.options import ROLES, Options
from gindex_lab.studies.readers.roles import add_role
from gindex_lab.studies.readers.tables import table_at, table_header
from gindex_lab.studies.readers.text import plain

__all__ = ["add_facts", "add_frame", "names_apart", "read_wide"]

_OF_ITEMS = tuple(role for role in ROLES if role != "date")
_NAMED = re.compile(r"(?i)(model )?name|(person|user|student)?[ _]?(id|uid|uuid|key|code)")
_NAME_OF_ONE = re.compile(
    r"(?i)(.*[._])?(team|run|system|player|method|entry|user|display)[ _]?name"
)
_CODE = re.compile(r"[A-Za-z]{0,12}[-_ .]?\d+")
_ROWS = re.compile(r"(?i)rownames?|row|index|unnamed: 0|")


def read_wide(files: Sequence[Path], found: Collector, options: Options) -> None:
    """One row per agent, its name in a column called agent, model ..., else in the first.

    A first column called item, question, task ... makes it a table of one row per item.
    """
    new, alone = names_apart(files, found, options)
    if alone:
        said = "tables of one row, called alike: each agent is called after its file"
        found.note("agents", said, "columns={'agent': ...} (--columns agent=NAME)")
    for file in files:
        with found.reading(file, options):
            _read_wide(file, found, options, new.get(file, {}), len(files) > 1, alone)


def _read_wide(
    file: Path,
    found: Collector,
    options: Options,
    new: Mapping[str, str],
    many: bool,
    alone: bool,
) -> None:
    name = _agent_column(list(table_header(file, options)), options)
    table = table_at(file, [name], options).rename(columns=dict(new))
    for note in table.attrs.get("notes", ()):
        found.note_once(note)
    if table.shape[1] < 2:
        problem = "has fewer than two columns"
        raise BadInput("path", str(file), problem, "put agents first, then items")
    label = table.columns[name] if isinstance(name, int) else name
    if alone:
        table[label] = plain(file).stem
    elif _unnamed(table, str(label), options):
        table.insert(0, "agent", _rows_of(table, file, many))
        label = "agent"
        said = "no column names the agents: they are called after their rows"
        found.note("agents", said, "columns={'agent': ...} (--columns agent=NAME)")
    table = without_headers(table, str(label), found)
    table = percentages(table, str(label), found, options)
    why = _why_rows_are_items(str(label), table, options)
    if why:
        said = f"rows were read as items and columns as agents ({why})"
        found.note("orientation", said, "transpose=False (--no-transpose)")
        _add_items(table, str(label), found, options)
        return
    if column_of([str(c) for c in table.columns], "item") and table[label].duplicated().any():
        problem = (
            f"[no-column] has a row per {label!r} and item, and several "
            "columns that could be the response"
        )
        remedy = "name it: columns={'response': ...} (--columns response=NAME)"
        raise BadInput("path", str(file), problem, remedy)
    if many and _ROWS.fullmatch(str(label)) and _numbered(table[label].astype(str).tolist()):
        table[label] = f"{plain(file).stem} " + table[label].astype(str)
        said = "agents go by their numbers, which are others in each table: named with the table"
        found.note("agents", said, "columns={'agent': ...} (--columns)")
    said = f"rows were read as agents (column {str(label)!r}) and columns as items"
    found.note("orientation", said, "transpose=True (--transpose)")
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


def names_apart(
    files: Sequence[Path], found: Collector, options: Options
) -> tuple[dict[Path, dict[str, str]], bool]:
    """New names of columns that stand in several tables, by file; and whether each table is of one agent that
    it does not name: all have one row, called alike (`dev`).

    `score` of two tables is two items, and so is any column in which an agent stands twice; `MMLU` is taken
    to be one, and that is noted where the tables differ otherwise. Tables of one agent each are one table.
    """
    columns: dict[Path, set[str]] = {}
    agents: dict[Path, list[str]] = {}
    for file in files if options.items is None and len(files) > 1 else ():
        with suppress(BadInput):  # it is told where the file is read
            header = [str(c) for c in table_header(file, options)]
            if any(column_of(header[:1], kind) for kind in ("item", "family")):
                continue  # a row per item
            agent = _agent_column(header, options)
            label = header[agent] if isinstance(agent, int) else agent
            table = table_at(file, [label], options)
            agents[file] = (
                _rows_of(table, file, many=True)
                if _unnamed(table, str(label), options)
                else table[label].astype(str).tolist()
            )
            columns[file] = {
                c for c in header if c != label and not is_fact(c) and not is_text(table[c])
            }
    rows = list(agents.values())
    alike = len(rows) == len(files) > 1 and all(one == rows[0] for one in rows)
    alike &= len(set(map(frozenset, columns.values()))) == 1 and "agent" not in options.columns
    if alike and len(rows[0]) == 1:
        return {}, True
    where: dict[str, list[Path]] = {}
    for file, names in columns.items():
        for name in sorted(names):
            where.setdefault(name, []).append(file)
    new: dict[Path, dict[str, str]] = {}
    differ = len({frozenset(names) for names in columns.values()}) > 1
    for name, some in where.items():
        if len(some) < 2 or (is_model(name) and not differ):
            continue
        shown = ", ".join(file.name for file in some[:3]) + " …" * (len(some) > 3)
        if _apart(name, [agents[file] for file in some], differ):
            said = f"{name!r} of several tables is an item in each ({shown})"
            found.note("items", said, "items=[...] (--items), which reads it as one")
            for file in some:
                new.setdefault(file, {})[name] = f"{plain(file).stem}/{name}"
        elif differ and not is_model(name):
            said = f"{name!r} of {shown} was read as one item"
            found.note("items", said, "exclude=[...] (--exclude), or other names of the columns")
    return new, False


def _apart(name: str, agents: Sequence[list[str]], differ: bool) -> bool:
    """Whether a column of several tables is an item in each: its name is vague, or agents repeat."""
    once = {agent for some in agents for agent in some}
    numbered = all(_numbered(some) for some in agents)
    if len(once) < sum(map(len, agents)) and not numbered:
        return all(len(set(some)) == len(some) for some in agents)
    return is_generic(name) and (differ or all(len(some) > 1 for some in agents))


def _unnamed(table: pd.DataFrame, label: str, options: Options) -> bool:
    """Whether the first column names no one: a fact (gender) or a number that several rows share."""
    if "agent" in options.columns or options.transpose or not table[label].duplicated().any():
        return False
    header = [str(c) for c in table.columns]
    if column_of([label], "agent") or column_of(header, "item") or _NAMED.fullmatch(label.strip()):
        return False
    return is_fact(label) or bool(pd.to_numeric(table[label], errors="coerce").notna().all())


def _rows_of(table: pd.DataFrame, file: Path, many: bool) -> list[str]:
    start = f"{plain(file).stem} " if many else ""
    return [f"{start}row {k + 1}" for k in range(len(table))]


def _numbered(names: Sequence[str]) -> bool:
    return list(names) in ([str(k + start) for k in range(len(names))] for start in (0, 1))


def _add_items(table: pd.DataFrame, label: str, found: Collector, options: Options) -> None:
    """A table with a row per item: columns of words, and those that play a role, are facts of the items."""
    if options.items is not None:
        absent = [name for name in options.items if name not in set(table[label])]
        if absent:
            shown = ", ".join(map(repr, table[label][:8]))
            problem = "[not-found] does not match any row, and rows are items"
            raise BadInput("items", absent[0], problem, f"there are {shown}")
        table = table[table[label].isin(list(options.items))].reset_index(drop=True)
    header = [str(c) for c in table.columns if c != label]
    roles = {r: _role_column(header, r, options) for r in (*_OF_ITEMS, "family")}
    texts = [c for c in header if is_text(table[c]) or is_fact(c)]
    facts = {c: c for c in texts} | {c: r for r, c in roles.items() if c is not None}
    rest = [c for c in header if c not in facts]
    if not rest:
        facts, rest = {}, header
    add_frame(table.set_index(label)[rest].T, found, options)
    for column, role in facts.items():
        values = table[column]
        for item, value in zip(table[label], values, strict=True):
            about = found.item_facts.setdefault(("", str(item)), {})
            if role in _OF_ITEMS:
                add_role(about, role, column, None if pd.isna(value) else value, asked=True)
            else:
                about[role] = value
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
    """A wide table without the rows that were named as difficulty, minutes ... of the items."""
    for role in _OF_ITEMS:
        name = options.columns.get(role)
        if name is None:
            continue
        rows = table[table[label] == name]
        if len(rows) != 1:
            found_rows = (
                f"is the name of {len(rows)} rows" if len(rows) else "does not match any row"
            )
            remedy = (
                f"of a table with a row per agent, name the row that holds the {role} of each item"
            )
            raise BadInput(f"columns[{role!r}]", name, f"[not-found] {found_rows}", remedy)
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
    if not named and (is_fact(header[0]) or header[0].lower().endswith("_id")):  # a rank, an id
        named = [name for name in header if _NAME_OF_ONE.fullmatch(name.strip())][:1]
    return named[0] if len(named) == 1 else 0


def _why_rows_are_items(label: str, table: pd.DataFrame, options: Options) -> str:
    """Why a wide table has a row per item: as asked for, by its first column, or because the other columns
    are called like models; empty where it has a row per agent."""
    if options.transpose is not None:
        return "as asked for" if options.transpose else ""
    if "agent" in options.columns:
        return ""
    numbers = [str(c) for c in table.columns if c != label and not is_text(table[c])]
    models = [c for c in numbers if is_model(c)]
    called = len(models) * 2 > len(numbers) and not any(map(is_model, table[label]))
    if label.strip().lower() == "subject" and not called:
        return _why_subjects_are_items(label, table)
    if any(column_of([label], kind) for kind in ("item", "family")):
        return f"the first column is {label!r}"
    if column_of([label], "agent"):
        return ""
    if called:
        return f"columns are called like models: {', '.join(map(repr, models[:3]))}"
    if all(map(is_question, table[label])) and not any(map(is_question, numbers)):
        return f"rows are numbered like questions: {table[label].iloc[0]!r}"
    return ""


def _why_subjects_are_items(label: str, table: pd.DataFrame) -> str:
    """Subjects are persons where they have codes; else they may be persons or topics, and are asked for."""
    header = [str(c) for c in table.columns]
    if column_of(header, "agent") or table[label].astype(str).str.fullmatch(_CODE).all():
        return ""
    problem = f"[ambiguous] may be persons or topics: {', '.join(map(repr, table[label][:3]))}"
    remedy = "say which: transpose=True, rows are items (--transpose), or transpose=False (--no-transpose)"
    raise BadInput("column", label, problem, remedy)


def add_facts(table: pd.DataFrame, agent: str, facts: Sequence[str], found: Collector) -> None:
    """Keep columns that are not items with the agents."""
    if facts:
        for label, row in zip(table[agent], table[list(facts)].to_dict("records"), strict=True):
            found.agent_facts.setdefault(str(label), {}).update(row)


def add_frame(frame: pd.DataFrame, found: Collector, options: Options) -> None:
    """Every cell of a wide table; a repeated agent is a repeated response, not an error of its own."""
    if frame.empty:
        raise BadInput(
            "path", found.path, "[no-rows] has no row of scores", "give at least one agent"
        )
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
