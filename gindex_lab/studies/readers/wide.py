"""Wide tables: one row per agent and one column per item, or one row per item and one column per agent.

Columns of words, and those that are facts by their name (`facts`), stay with the agents or the items. In
leaderboards such as the Open LLM Leaderboard, the `Raw` column of a benchmark is read, which is a share in
[0, 1]; the average is not an item.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import numeric_frame
from gindex_lab.studies.readers.cells import (
    is_fact,
    is_generic,
    is_text,
    percentages,
    split_columns,
    without_headers,
)
from gindex_lab.studies.readers.metrics import settle_direction
from gindex_lab.studies.readers.names import column_of, is_model, is_question
from gindex_lab.studies.readers.options import ITEM_ROLES, Options
from gindex_lab.studies.readers.roles import add_role
from gindex_lab.studies.readers.storage import Storage
from gindex_lab.studies.readers.tables import table_at, table_header
from gindex_lab.studies.readers.text import bad_file, listed, stem_of

__all__ = ["read_leaderboard", "read_wide"]

_NAMED = re.compile(r"(?i)(model )?name|(person|user|student)?[ _]?(id|uid|uuid|key|code)")
_NAME_OF_ONE = re.compile(r"(?i)(.*[._])?(team|run|system|player|method|entry|user|display)[ _]?name")
_CODE = re.compile(r"[A-Za-z]{0,12}[-_ .]?\d+")
_ROWS = re.compile(r"(?i)rownames?|row|index|unnamed: 0|")
_AGENT = "columns={'agent': ...} (--columns agent=NAME)"
_MODELS = ("fullname", "model", "model_name", "agent")


def read_wide(files: Sequence[Path], found: Storage) -> None:
    """One row per agent, its name in a column called agent, model ..., else in the first.

    A first column called item, question, task ... makes it a table of one row per item.
    """
    new, alone = _names_apart(files, found)
    if alone:
        said = "tables of one row, called alike: each agent is called after its file"
        found.note("agents", said, _AGENT)
    for file in files:
        with found.reading(file):
            _read_wide(file, found, new.get(file, {}), len(files) > 1, alone)


def _read_wide(file: Path, found: Storage, new: Mapping[str, str], many: bool, alone: bool) -> None:
    options = found.options
    name = _agent_column(list(table_header(file, options)), options)
    table = table_at(file, [name], options).rename(columns=dict(new))
    found.note_once(*table.attrs.get("notes", ()))
    if table.shape[1] < 2:
        raise bad_file(file, "has fewer than two columns", "put agents first, then items")
    if table.empty:
        raise bad_file(file, "[no-rows] has a header and no row", "give at least one agent")
    label = str(table.columns[name] if isinstance(name, int) else name)
    if alone:
        table[label] = stem_of(file)
    elif _unnamed(table, label, options):
        table.insert(0, "agent", _names_of_rows(table, file, many))
        label = "agent"
        found.note("agents", "no column names the agents: they are called after their rows", _AGENT)
    table = percentages(without_headers(table, label, found), label, found)
    why = _why_rows_are_items(label, table, options)
    if why:
        said = f"rows were read as items and columns as agents ({why})"
        found.note("orientation", said, "transpose=False (--no-transpose)")
        _add_items(table, label, found)
        return
    if column_of([str(c) for c in table.columns], "item") and table[label].duplicated().any():
        several = f"has a row per {label!r} and item, and several columns that could be the response"
        remedy = "name it: columns={'response': ...} (--columns response=NAME)"
        raise bad_file(file, f"[no-column] {several}", remedy)
    if many and _ROWS.fullmatch(label) and _numbered(table[label].astype(str).tolist()):
        table[label] = f"{stem_of(file)} " + table[label].astype(str)
        said = "agents go by their numbers, which are others in each table: named with the table"
        found.note("agents", said, "columns={'agent': ...} (--columns)")
    said = f"rows were read as agents (column {label!r}) and columns as items"
    found.note("orientation", said, "transpose=True (--transpose)")
    table = _without_rows_of_facts(table, label, found)
    items, facts = split_columns(table, label, found)
    date = options.columns.get("date") or next(iter(column_of([str(f) for f in facts], "date")), None)
    _add_agents(table, label, {c: c for c in items}, facts, found)
    if date is not None and date in table:
        _add_facts(table.assign(date=table[date]), label, ["date"], found)


def _add_agents(
    table: pd.DataFrame, label: str, items: Mapping[str, str], facts: Sequence[str], found: Storage
) -> None:
    """A table with a row per agent: columns that are items, under their names, and those that are facts."""
    _add_frame(table.set_index(label)[list(items)].rename(columns=items), found)
    _add_facts(table, label, facts, found)
    for item in map(str, items.values()):
        settle_direction(item, found, item=item, guess="higher")


def _add_facts(table: pd.DataFrame, label: str, facts: Sequence[str], found: Storage) -> None:
    for agent, row in zip(table[label], table[list(facts)].to_dict("records") if facts else (), strict=False):
        found.agent_facts.setdefault(str(agent), {}).update(row)


def _add_frame(frame: pd.DataFrame, found: Storage) -> None:
    """Every cell of a wide table; a repeated agent is a repeated response, not an error of its own."""
    if frame.empty:
        raise bad_file(found.path, "[no-rows] has no row of scores", "give at least one agent")
    names, seen = [str(name) for name in frame.index], Counter[str]()
    places = []  # names for error messages, each once
    for k, name in enumerate(names, 1):
        seen[name] += 1
        places.append(name if seen[name] == 1 else f"{name} (row {k})")
    numbers = numeric_frame("scores", frame.set_axis(places))
    found.add_wide(names, [str(item) for item in frame.columns], numbers.to_numpy(dtype=float))


# -- leaderboards ------------------------------------------------------------------------------------


def read_leaderboard(files: Sequence[Path], found: Storage) -> None:
    """Agents are models; two rows of one model are told apart by `eval_name` or precision."""
    new, _ = _names_apart(files, found)
    for file in files:
        with found.reading(file):
            _read_board(file, found, new.get(file, {}))


def _read_board(file: Path, found: Storage, new: Mapping[str, str]) -> None:
    options = found.options
    header = [new.get(c, c) for c in table_header(file, options)]
    given = options.columns.get("agent")
    if given is not None and given not in header:
        raise BadInput("columns['agent']", given, f"is not a column of {file.name}", "name the models")
    by_name = {c.strip().lower(): c for c in reversed(header)}
    name = given or next((by_name[one] for one in _MODELS if one in by_name), None)
    if name is None:
        raise bad_file(
            file, f"[no-column] has no column of models (it has {listed(header, 8)})", "name it: " + _AGENT
        )
    table = table_at(file, [name], options).rename(columns=dict(new))
    table = percentages(table, name, found)
    raw = [c for c in header if c.strip().lower().endswith(" raw")]  # "BBH Raw" beside "BBH"
    items = {c: c.strip()[:-4].strip() for c in raw}
    if items and options.items is None:
        facts = [c for c in header if c not in items and c != name]
        said = f"the raw columns were read: {', '.join(map(repr, items.values()))}"
        found.note("items", said, "items=[...] (--items)")
    else:
        columns, facts = split_columns(table, name, found)
        items = {c: c for c in columns}
    _add_agents(table.assign(**{name: _models(table, name, found)}), name, items, facts, found)


def _models(table: pd.DataFrame, name: str, found: Storage) -> list[str]:
    """The models; where one appears twice, with what tells its rows apart."""
    models = table[name].astype(str)
    for column in ("eval_name", "Precision", "precision") if not models.is_unique else ():
        if column in table:
            joined = models + " (" + table[column].astype(str) + ")"
            if joined.is_unique:
                found.note("agents", f"some models have several rows: named with their {column}")
                return list(joined)
    return list(models)


# -- several tables ----------------------------------------------------------------------------------


def _names_apart(files: Sequence[Path], found: Storage) -> tuple[dict[Path, dict[str, str]], bool]:
    """New names of columns that stand in several tables, by file; and whether each table is of one agent that
    it does not name: all have one row, called alike (`dev`).

    `score` of two tables is two items, and so is any column in which an agent stands twice; `MMLU` is taken
    to be one, and that is noted where the tables differ otherwise. Tables of one agent each are one table.
    """
    options = found.options
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
            unnamed = _unnamed(table, label, options)
            agents[file] = _names_of_rows(table, file, True) if unnamed else list(table[label].astype(str))
            columns[file] = {c for c in header if c != label and not is_fact(c) and not is_text(table[c])}
    rows = list(agents.values())
    differ = len(set(map(frozenset, columns.values()))) > 1
    alike = len(rows) == len(files) > 1 and all(one == rows[0] for one in rows) and len(rows[0]) == 1
    if alike and not differ and "agent" not in options.columns:
        return {}, True
    where: dict[str, list[Path]] = {}
    for file, names in columns.items():
        for name in sorted(names):
            where.setdefault(name, []).append(file)
    new: dict[Path, dict[str, str]] = {}
    for name, some in where.items():
        if len(some) < 2 or (is_model(name) and not differ):
            continue
        if _is_apart(name, [agents[file] for file in some], differ):
            said = f"{name!r} of several tables is an item in each ({listed(some)})"
            found.note("items", said, "items=[...] (--items), which reads it as one")
            for file in some:
                new.setdefault(file, {})[name] = f"{stem_of(file)}/{name}"
        elif differ and not is_model(name):
            said = f"{name!r} of {listed(some)} was read as one item"
            found.note("items", said, "exclude=[...] (--exclude), or other names of the columns")
    return new, False


def _is_apart(name: str, agents: Sequence[list[str]], differ: bool) -> bool:
    """Whether a column of several tables is an item in each: its name is vague, or agents repeat."""
    once = {agent for some in agents for agent in some}
    numbered = all(_numbered(some) for some in agents)
    if len(once) < sum(map(len, agents)) and not numbered:
        return all(len(set(some)) == len(some) for some in agents)
    return is_generic(name) and (differ or all(len(some) > 1 for some in agents))


# -- who is an agent ---------------------------------------------------------------------------------


def _agent_column(header: list[str], options: Options) -> str | int:
    given = options.columns.get("agent")
    if given is not None:
        return given
    named = column_of(header, "agent")
    if not named and (is_fact(header[0]) or header[0].lower().endswith("_id")):  # a rank, an id
        named = [name for name in header if _NAME_OF_ONE.fullmatch(name.strip())][:1]
    return named[0] if len(named) == 1 else 0


def _unnamed(table: pd.DataFrame, label: str, options: Options) -> bool:
    """Whether the first column names no one: a fact (gender) or a number that several rows share."""
    if "agent" in options.columns or options.transpose or not table[label].duplicated().any():
        return False
    header = [str(c) for c in table.columns]
    if column_of([label], "agent") or column_of(header, "item") or _NAMED.fullmatch(label.strip()):
        return False
    return is_fact(label) or bool(pd.to_numeric(table[label], errors="coerce").notna().all())


def _names_of_rows(table: pd.DataFrame, file: Path, many: bool) -> list[str]:
    start = f"{stem_of(file)} " if many else ""
    return [f"{start}row {k + 1}" for k in range(len(table))]


def _numbered(names: Sequence[str]) -> bool:
    return list(names) in ([str(k + start) for k in range(len(names))] for start in (0, 1))


def _without_rows_of_facts(table: pd.DataFrame, label: str, found: Storage) -> pd.DataFrame:
    """A wide table without the rows that were named as difficulty, minutes ... of the items."""
    for role in ITEM_ROLES:
        name = found.options.columns.get(role)
        if name is None:
            continue
        rows = table[table[label] == name]
        if len(rows) != 1:
            how_many = f"is the name of {len(rows)} rows" if len(rows) else "does not match any row"
            remedy = f"of a table with a row per agent, name the row that holds the {role} of each item"
            raise BadInput(f"columns[{role!r}]", name, f"[not-found] {how_many}", remedy)
        items = [c for c in table.columns if c != label and not is_fact(str(c))]
        numbers = numeric_frame("scores", rows[items].set_axis([name]))
        for item, value in numbers.loc[name].items():
            found.facts_of("", str(item))[role] = value
        table = table[table[label] != name].reset_index(drop=True)
    return table


# -- a row per item ----------------------------------------------------------------------------------


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
        return f"columns are called like models: {listed(models)}"
    if all(map(is_question, table[label])) and not any(map(is_question, numbers)):
        return f"rows are numbered like questions: {table[label].iloc[0]!r}"
    return ""


def _why_subjects_are_items(label: str, table: pd.DataFrame) -> str:
    """Subjects are persons where they have codes; else they may be persons or topics, and are asked for."""
    header = [str(c) for c in table.columns]
    if column_of(header, "agent") or table[label].astype(str).str.fullmatch(_CODE).all():
        return ""
    problem = f"[ambiguous] may be persons or topics: {listed(table[label])}"
    remedy = "say which: transpose=True, rows are items (--transpose), or transpose=False (--no-transpose)"
    raise BadInput("column", label, problem, remedy)


def _add_items(table: pd.DataFrame, label: str, found: Storage) -> None:
    """A table with a row per item: columns of words, and those that play a role, are facts of the items."""
    options = found.options
    if options.items is not None:
        for name in options.items:
            if name not in set(table[label]):
                problem = "[not-found] does not match any row, and rows are items"
                raise BadInput("items", name, problem, f"there are {listed(table[label], 8)}")
        table = table[table[label].isin(list(options.items))].reset_index(drop=True)
    header = [str(c) for c in table.columns if c != label]
    roles = {
        role: options.columns[role] if role in options.columns else next(iter(column_of(header, role)), None)
        for role in (*ITEM_ROLES, "family")
    }
    facts = {c: c for c in header if is_text(table[c]) or is_fact(c)}
    facts |= {c: role for role, c in roles.items() if c is not None}
    if len(set(header) - set(facts)) == 0:
        facts = {}
    _add_frame(table.set_index(label)[[c for c in header if c not in facts]].T, found)
    for column, role in facts.items():
        for item, value in zip(table[label], table[column], strict=True):
            about = found.facts_of("", str(item))
            if role in ITEM_ROLES:
                add_role(about, role, column, None if pd.isna(value) else value, asked=True)
            else:
                about[role] = value
    if facts:
        said = ", ".join(f"{c!r} ({r})" if c != r else repr(c) for c, r in facts.items())
        found.note("roles", f"facts of the items: {said}", "columns={'difficulty': ...} (--columns)")
