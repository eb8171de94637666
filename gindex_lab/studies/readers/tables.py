"""Long tables: one row per response; also those of the Item Response Warehouse (`id`, `item`, `resp`; `wave`
a repeat, `item_family` a family, `itemcov_*` facts of an item).

Labels stay the text that they are (`007`, `NA`); a cell that should be a number and is none is refused by
its address.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, short
from gindex_lab.foundation.files import header_of, read_columns, read_table
from gindex_lab.foundation.validate import numeric_frame
from gindex_lab.studies.readers.cells import plain_numbers, share_of, without_headers
from gindex_lab.studies.readers.foreign import foreign_table, parquet_names, parquet_table, records_of
from gindex_lab.studies.readers.formats import FOREIGN, separator_of
from gindex_lab.studies.readers.metrics import Metrics, direction_of, settle_direction
from gindex_lab.studies.readers.names import (
    AUDITED,
    column_of,
    families_are_items,
    flat_names,
    lone_response,
    metric_column,
    nested,
    task_of,
    total_of,
    unsure_item,
)
from gindex_lab.studies.readers.options import COLUMNS, ROLES, Options
from gindex_lab.studies.readers.roles import add_facts_of, add_role, note_role
from gindex_lab.studies.readers.storage import Storage, as_number
from gindex_lab.studies.readers.text import (
    LINES,
    bad_file,
    encoding_of,
    json_lines,
    listed,
    load_json,
    objects,
    suffix_of,
)

__all__ = ["columns_of", "read_irw", "read_long", "table_at", "table_header"]

_WHOLE = (*FOREIGN, ".json", *LINES, ".parquet")  # files that a library reads as a whole DataFrame


def table_header(path: Path, options: Options) -> Sequence[str]:
    """The names of the columns, without reading the rows where that can be avoided."""
    if suffix_of(path) == ".parquet":
        return parquet_names(path)
    table = _frame(path, options)
    header = header_of(path, **_form(path, options)) if table is None else list(table.columns)
    if not header:
        raise bad_file(path, "[empty] has no header", "leave it out")
    return header


def table_at(path: Path, labels: Sequence[str | int], options: Options) -> pd.DataFrame:
    """A table as a DataFrame, its labels as text."""
    table = _frame(path, options)
    if table is None:
        return read_table(path, labels, **_form(path, options))
    if not isinstance(table.index, pd.RangeIndex):
        table = table.reset_index()
    for label in labels:
        name = table.columns[label] if isinstance(label, int) else label
        column = table[name]
        if column.isna().any():
            row = int(column.isna().to_numpy().argmax()) + 1
            raise bad_file(path, f"names no {name} in row {row}", "fill the cell")
        table[name] = column.astype(str)
    return table


def _long_table(path: Path, labels: Sequence[str], others: Sequence[str], options: Options) -> pd.DataFrame:
    """The columns of a long table that are needed; labels as categories, read once."""
    if suffix_of(path) in _WHOLE:
        return table_at(path, labels, options)
    return read_columns(path, labels, others, **_form(path, options))


def _form(path: Path, options: Options) -> dict[str, str]:
    encoding = encoding_of(path, options.encoding)
    return {"separator": separator_of(path, options.encoding), "encoding": encoding}


def _frame(path: Path, options: Options) -> pd.DataFrame | None:
    """What a library reads whole; None for text, also of an unknown suffix or none."""
    if suffix_of(path) == ".parquet":
        return parquet_table(path)
    return foreign_table(path, options.encoding) if suffix_of(path) in _WHOLE else None


# -- which column plays which role -------------------------------------------------------------------


def columns_of(header: Sequence[str], options: Options, path: Path) -> dict[str, str]:
    """Which column is the agent, the item, the response, and where there are some trial and family."""
    chosen: dict[str, str] = {}
    warehouse = {"id", "item", "resp"} <= set(header)
    fixed = {"agent": "id", "item": "item", "response": "resp"} if warehouse else {}
    if options.agent_from in ("file", "folder"):
        fixed = fixed | {"agent": ""}
    asked, metric = dict(options.columns), metric_column(header)
    if options.metrics and "response" not in asked and metric is None:
        named = [name for name in options.metrics if name in header]
        if not named:
            raise _no_column("metric", options.metrics[0], header, path)
        asked["response"] = named[0]
    for kind in COLUMNS:
        given = asked.get(kind)
        if given is not None and given not in header:
            raise _no_column(f"columns[{kind!r}]", given, header, path)
        if kind in asked and given is None:
            continue
        free = [name for name in header if name not in chosen.values()]
        found = [given] if given else [fixed[kind]] if kind in fixed else column_of(free, kind)
        if kind == "item" and not found:  # of one row per agent and task, the task
            found = task_of(free) if families_are_items(header) else []
            found = found or unsure_item(header)
        if kind == "family" and len(found) > 1:
            found = task_of(found)[:1] or found[:1]
        if kind == "response" and not found:
            found = lone_response(header)
        if len(found) > 1 and kind not in ROLES:
            problem = f"[several] has several columns that could be the {kind}: {', '.join(map(repr, found))}"
            remedy = f"name it: columns={{{kind!r}: {found[0]!r}}} (--columns {kind}={found[0]})"
            raise bad_file(path, problem, remedy)
        if found:
            chosen[kind] = found[0]
        elif kind in ("agent", "item", "response"):
            problem = f"[no-column] has no column for the {kind} (it has {short(list(header[:8]))})"
            remedy = f"name it: columns={{{kind!r}: ...}} (--columns {kind}=NAME)"
            if kind == "agent":
                remedy += ", or take the agent from the file: agent_from='file' (--agent-from file)"
            raise bad_file(path, problem, remedy)
    if metric is not None and metric not in chosen.values():
        chosen["metric"] = metric
    return chosen


def _no_column(argument: str, given: str, header: Sequence[str], path: Path) -> BadInput:
    problem = f"[not-found] is not a column of {path.name}"
    return BadInput(argument, given, problem, f"it has {listed(header, 8)}")


# -- tables ------------------------------------------------------------------------------------------


def read_long(files: Sequence[Path], found: Storage) -> None:
    """One row, or one JSON object, per response."""
    metrics, encoding = Metrics(found), found.options.encoding
    for file in files:
        suffix = suffix_of(file)
        with found.reading(file):
            if suffix in LINES:
                _read_objects(json_lines(file, found.notes, encoding), file, found, metrics)
            elif suffix == ".json":
                content = load_json(file, encoding)
                rows = objects(records_of(content) or content, file)
                _read_objects(rows, file, found, metrics)
            else:
                _read_rows(file, found, metrics)
    metrics.say()


read_irw = read_long  # of the Item Response Warehouse: the same tables, with names of their own


def _read_rows(file: Path, found: Storage, metrics: Metrics) -> None:
    options = found.options
    header = list(table_header(file, options))
    names = columns_of(header, options, file)
    texts = [names[k] for k in ("agent", "item", "trial", "family", "metric") if names.get(k)]
    others = [names[k] for k in ("response", *ROLES) if k in names]
    total = total_of(header, names["response"])
    others += [total] if total else []
    others += [c for c in header if str(c).startswith("itemcov_")]
    table = _long_table(file, texts, others, options)
    if table.empty:
        raise bad_file(file, "[no-rows] has a header and no row", "give at least one response")
    found.note_once(*table.attrs.get("notes", ()))
    if names["agent"]:
        table = without_headers(table, names["agent"], found)
        table = _of_metric(table, names, file, found, metrics)
        agents = _categories(table[names["agent"]])
    else:
        table = _of_metric(table, names, file, found, metrics)
        alone = np.zeros(len(table), np.int8)
        agents = pd.Categorical.from_codes(alone, [found.agent_of_file(file)])
    family, trial = (_categories(table[names[k]]) if k in names else None for k in ("family", "trial"))
    values = _values(plain_numbers(table[names["response"]], found))
    if total:
        values = share_of(values, table[total], (names["response"], total), found)
    agent, item = found.add_codes(agents, family, _categories(table[names["item"]]), values, trial)
    _note_columns(names, found)
    if "metric" not in names:
        settle_direction(names["response"], found, guess="higher" if total else None)
    add_facts_of(table, names, {"agent": agent, "item": item}, found)
    _item_facts(table, names, found)
    audited = [c for c in header if str(c).lower() in AUDITED and c not in names.values()]
    if audited and found.wants_details(len(table)):
        found.add_beside(_long_table(file, [], audited, options)[audited])
    if options.repeats == "error" and not found.apart and "trial" not in names:
        found.apart = _what_differs(
            file, [c for c in header if c not in names.values()], agent, item, options
        )


def _of_metric(
    table: pd.DataFrame, names: Mapping[str, str], file: Path, found: Storage, metrics: Metrics
) -> pd.DataFrame:
    """Of a table with a column of metrics, the rows of one metric of each task."""
    if "metric" not in names:
        return table
    kind = "family" if "family" in names else "item"
    task, metric = (table[names[one]].astype(str) for one in (kind, "metric"))
    who = table[names["agent"]].astype(str) if names["agent"] else metric
    met = who.groupby(metric).nunique()  # of most agents, and not one that is better when small
    first = sorted(metric.unique(), key=lambda one: (direction_of(one) == "lower", -met[one]))
    chosen = {
        name: metrics.of(name, some, file, [one for one in first if one in some])
        for name, some in metric.groupby(task, sort=False).unique().items()
    }
    alike = len(set(chosen.values())) == 1
    for name, one in list(chosen.items())[: 1 if alike else None]:
        settle_direction(one, found, **({} if alike else {kind: name}))
    kept = (metric == task.map(chosen)).to_numpy()
    lost = sorted(set(who) - set(who[kept])) if names["agent"] else []
    if lost:
        said = f"left out, because they have no {next(iter(chosen.values()))!r}: {listed(lost)}"
        found.note("agents", said, "metric=... (--metric)")
    return table[kept].reset_index(drop=True)


def _categories(column: pd.Series) -> pd.Categorical:
    if not isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(pd.CategoricalDtype(column.unique()))
    names = column.cat.categories.astype(str)
    stripped = names.str.strip()
    if (stripped == names).all():
        return column.array
    return pd.Categorical(stripped[column.cat.codes], categories=stripped.unique())


def _values(column: pd.Series) -> np.ndarray:
    """The responses as floats; any other value is refused by its row."""
    if pd.api.types.is_numeric_dtype(column):
        values = column.to_numpy(dtype=float, na_value=np.nan)
        if np.isfinite(values[~np.isnan(values)]).all():
            return values
    words = {word: as_number(word) for word in column.dropna().unique() if isinstance(word, str)}
    if words and None not in words.values():  # pass and fail, 85%, 1.0
        column = column.replace(words).infer_objects()
    labels = [f"row {k + 1}" for k in range(len(column))]
    return numeric_frame("scores", column.to_frame().set_axis(labels)).to_numpy()[:, 0]


def _what_differs(
    file: Path, others: Sequence[str], agent: np.ndarray, item: np.ndarray, options: Options
) -> tuple[str, ...]:
    """One or two other columns that tell apart the rows that repeat an agent and an item; () for none."""
    key = agent.astype(np.int64) * (int(item.max()) + 1) + item
    twice = pd.Series(key).duplicated(keep=False).to_numpy() if len(key) < 10_000_000 else key < 0
    if not twice.any() or not others:
        return ()
    table = table_at(file, [], options)[others][twice].reset_index(drop=True)
    few = [c for c in others if table[c].nunique() < len(table) or len(table) == 2]
    keys = pd.Series(key[twice], name="")
    for count in (1, 2):
        for some in combinations(few[:20], count):
            if not pd.concat([keys, table[list(some)]], axis=1).duplicated().any():
                return tuple(map(str, some))
    return ()


def _item_facts(table: pd.DataFrame, names: Mapping[str, str], found: Storage) -> None:
    """`itemcov_*` of the Item Response Warehouse, where it is one value per item."""
    facts = [c for c in table.columns if str(c).startswith("itemcov_")]
    if not facts:
        return
    family = table[names["family"]] if "family" in names else [""] * len(table)
    by_item = table.groupby([np.asarray(family, dtype=object), table[names["item"]]], sort=False)[facts]
    once = (by_item.nunique() <= 1).all()
    for (group, item), row in by_item.first()[[c for c in facts if once[c]]].iterrows():
        found.item_facts[str(group), str(item)] = row.to_dict()


def _note_columns(names: Mapping[str, str], found: Storage) -> None:
    named = [f"{kind} {name!r}" for kind, name in names.items() if name and kind not in ROLES]
    found.note("columns", f"columns: {', '.join(named)}", "columns={...} (--columns)")


# -- objects -----------------------------------------------------------------------------------------


def _read_objects(
    rows: Iterable[tuple[int, dict[str, Any]]], file: Path, found: Storage, metrics: Metrics
) -> None:
    names: dict[str, str] = {}
    agent, dotted, roles, used = "", False, list[str](), set[str]()
    for number, row in rows:
        if not names:
            names = columns_of(flat_names(row), found.options, file)
            if "metric" in names or total_of(list(row), names["response"]):
                _read_rows(file, found, metrics)
                return
            agent = "" if names["agent"] else found.agent_of_file(file)
            dotted = any("." in name for name in names.values())
            roles = [role for role in ROLES if role in names]
        get = partial(nested, row) if dotted else row.get
        who, what, given = agent or get(names["agent"]), get(names["item"]), get(names["response"])
        if given is None and names["response"] not in (*row, *flat_names(row)):
            problem = f"[missing-field] has no {names['response']!r} in line {number}"
            raise bad_file(file, problem, "fill or drop the line")
        value = as_number(given)
        if value is None or who is None or what is None:
            problem = f"[missing-field] has no number, or no name, in line {number}: {short(row)}"
            raise bad_file(file, problem, "fix or drop the line")
        family = str(get(names["family"]) or "") if "family" in names else ""
        trial = get(names["trial"]) if "trial" in names else None
        found.add(str(who), family, str(what), value, trial=trial)
        if found.details is not None:
            audited = (c for c in row if c.lower() in AUDITED and c not in names.values())
            found.detail(**{c: row[c] for c in audited})
        for role in roles:
            if get(names[role]) is not None:
                dated = role == "date"
                facts = (
                    found.agent_facts.setdefault(str(who), {}) if dated else found.facts_of(family, str(what))
                )
                add_role(facts, role, names[role], get(names[role]), role in found.options.columns)
                used |= {role} & facts.keys()
    if names:
        _note_columns(names, found)
        for role in sorted(used):
            note_role(role, names[role], found)
        settle_direction(names["response"], found)
