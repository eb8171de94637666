"""Long tables: one row per response; and what the Item Response Warehouse
writes (`id`, `item`, `resp`; `wave` a repeat, `item_family` a family, `itemcov_*` facts of an item).

Labels stay the text that they are (`007`, `NA`); a cell that should be a number and is none is refused by
its address.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from gindex_lab.studies.readers.collect import Collector, as_number
from gindex_lab.studies.readers.foreign import foreign_table, parquet_table, records_of
from gindex_lab.studies.readers.formats import SUFFIXES, TABLES, separator_of
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
from gindex_lab.studies.readers.naming import agent_of_file
from gindex_lab.studies.readers.options import COLUMNS, ROLES, Options
from gindex_lab.studies.readers.roles import add_facts_of, add_role, note_role
from gindex_lab.studies.readers.text import LINES, encoding_of, json_lines, load_json, plain

__all__ = ["columns_of", "long_table", "read_long", "table_at"]


def table_at(path: Path, labels: Sequence[str | int], options: Options) -> pd.DataFrame:
    """A CSV, TSV or Parquet as a DataFrame, its labels as text."""
    if _is_frame(path):
        table = _frame(path, options)
        if not isinstance(table.index, pd.RangeIndex):
            table = table.reset_index()
        for label in labels:
            column = table.columns[label] if isinstance(label, int) else label
            table[column] = _as_labels(table[column], path)
        return table
    encoding, separator = encoding_of(path, options.encoding), separator_of(path, options.encoding)
    return read_table(path, labels, separator=separator, encoding=encoding)


def _is_frame(path: Path) -> bool:
    """Whether a library reads the file as a whole DataFrame; what has an unknown suffix, or none, is text."""
    return plain(path).suffix.lower() in set(SUFFIXES) - set(TABLES)


def _frame(path: Path, options: Options) -> pd.DataFrame:
    if plain(path).suffix.lower() == ".parquet":
        return parquet_table(path)
    return foreign_table(path, options.encoding)


def long_table(
    path: Path, labels: Sequence[str], others: Sequence[str], options: Options
) -> pd.DataFrame:
    """The columns of a long table that are needed; labels as categories, read once."""
    if _is_frame(path):
        return table_at(path, labels, options)
    encoding, separator = encoding_of(path, options.encoding), separator_of(path, options.encoding)
    return read_columns(path, labels, others, separator=separator, encoding=encoding)


def _as_labels(column: pd.Series, path: Path) -> pd.Series:
    if column.isna().any():
        row = int(column.isna().to_numpy().argmax()) + 1
        raise BadInput("path", str(path), f"names no {column.name} in row {row}", "fill the cell")
    return column.astype(str)


# -- long --------------------------------------------------------------------------------------------


def read_long(files: Sequence[Path], found: Collector, options: Options) -> None:
    """One row, or one JSON object, per response."""
    metrics = Metrics(found, options)
    for file in files:
        suffix = plain(file).suffix.lower()
        with found.reading(file, options, *metrics.state):
            if suffix in LINES:
                lines = json_lines(file, found.notes, options.encoding)
                _read_objects(lines, file, found, options, metrics)
            elif suffix == ".json":
                _read_objects(_records(file, options), file, found, options, metrics)
            else:
                _read_rows(file, found, options, metrics)
    metrics.say()


read_irw = read_long  # of the Item Response Warehouse: the same tables, with names of their own


def columns_of(header: Sequence[str], options: Options, path: Path) -> dict[str, str]:
    """Which column is the agent, the item, the response, and where there are some trial and family.

    >>> columns_of(["id", "item", "resp", "wave"], Options(), Path("a.csv"))
    {'agent': 'id', 'item': 'item', 'response': 'resp', 'trial': 'wave'}
    """
    chosen: dict[str, str] = {}
    warehouse = {"id", "item", "resp"} <= set(header)
    fixed = {"agent": "id", "item": "item", "response": "resp"} if warehouse else {}
    if options.agent_from in ("file", "folder"):
        fixed = fixed | {"agent": ""}
    asked = dict(options.columns)
    metric = metric_column(header)
    if options.metrics and "response" not in asked and metric is None:
        asked["response"] = _metric_column(header, options, path)
    for kind in COLUMNS:
        given = asked.get(kind)
        if given is not None and given not in header:
            remedy = f"it has {', '.join(map(repr, header[:8]))}"
            problem = f"[not-found] is not a column of {path.name}"
            raise BadInput(f"columns[{kind!r}]", given, problem, remedy)
        if kind in asked and given is None:
            continue
        free = [name for name in header if name not in chosen.values()]
        found = [given] if given else [fixed[kind]] if kind in fixed else column_of(free, kind)
        if kind == "item" and not found and families_are_items(header):
            found = task_of(free)  # one row per agent and task: the task is the item
        if kind == "family" and len(found) > 1:
            found = task_of(found)[:1] or found[:1]
        if kind == "item" and not found:
            found = unsure_item(header)
        if kind == "response" and not found:
            found = lone_response(header)
        if len(found) > 1 and kind not in ROLES:
            problem = f"[several] has several columns that could be the {kind}: {', '.join(map(repr, found))}"
            remedy = f"name it: columns={{{kind!r}: {found[0]!r}}} (--columns {kind}={found[0]})"
            raise BadInput("path", str(path), problem, remedy)
        if found:
            chosen[kind] = found[0]
        elif kind in ("agent", "item", "response"):
            problem = f"[no-column] has no column for the {kind} (it has {short(list(header[:8]))})"
            remedy = f"name it: columns={{{kind!r}: ...}} (--columns {kind}=NAME)"
            if kind == "agent":
                remedy += ", or take the agent from the file: agent_from='file' (--agent-from file)"
            raise BadInput("path", str(path), problem, remedy)
    if metric is not None and metric not in chosen.values():
        chosen["metric"] = metric
    return chosen


def _metric_column(header: Sequence[str], options: Options, path: Path) -> str:
    found = [name for name in options.metrics if name in header]
    if not found:
        problem = f"[not-found] is not a column of {path.name}"
        remedy = f"it has {', '.join(map(repr, header[:8]))}"
        raise BadInput("metric", options.metrics[0], problem, remedy)
    return found[0]


def _read_rows(file: Path, found: Collector, options: Options, metrics: Metrics) -> None:
    header = list(table_header(file, options))
    names = columns_of(header, options, file)
    texts = [names[k] for k in ("agent", "item", "trial", "family", "metric") if names.get(k)]
    others = [names[k] for k in ("response", *ROLES) if k in names]
    total = total_of(header, names["response"])
    others += [total] if total else []
    others += [c for c in header if str(c).startswith("itemcov_")]
    table = long_table(file, texts, others, options)
    if table.empty:
        raise BadInput(
            "path", str(file), "[no-rows] has a header and no row", "give at least one response"
        )
    for note in table.attrs.get("notes", ()):
        found.note_once(note)
    if names["agent"]:
        table = without_headers(table, names["agent"], found)
    table = _of_metric(table, names, file, found, metrics)
    parts = {kind: _categories(table, names.get(kind)) for kind in ("family", "item", "trial")}
    agents = _categories(table, names["agent"]) if names["agent"] else None
    if agents is None:
        alone = np.zeros(len(table), np.int8)
        agents = pd.Categorical.from_codes(alone, [agent_of_file(file, options)])
    values = _values(plain_numbers(table[names["response"]], found))
    if total:
        values = share_of(values, table[total], (names["response"], total), found)
    assert parts["item"] is not None
    agent, item = found.add_codes(agents, parts["family"], parts["item"], values, parts["trial"])
    _note_columns(names, found)
    if "metric" not in names:
        settle_direction(names["response"], found, options, guess="higher" if total else None)
    add_facts_of(table, names, {"agent": agent, "item": item}, found, options)
    _item_facts(table, names, found)
    audited = [c for c in header if str(c).lower() in AUDITED and c not in names.values()]
    if audited and found.wants_details(len(table)):
        found.add_beside(long_table(file, [], audited, options)[audited])
    if options.repeats == "error":
        found.apart = found.apart or _what_differs(file, header, names, agent, item, options)


def _of_metric(
    table: pd.DataFrame, names: Mapping[str, str], file: Path, found: Collector, metrics: Metrics
) -> pd.DataFrame:
    """Of a table with a column of metrics, the rows of one metric of each task."""
    if "metric" not in names:
        return table
    kind = "family" if "family" in names else "item"
    task, metric = (table[names[one]].astype(str) for one in (kind, "metric"))
    listed = metric.groupby(task, sort=False).unique()
    who = table[names["agent"]].astype(str) if names["agent"] else metric
    met = who.groupby(metric).nunique()  # of most agents, and not one that is better when small
    first = sorted(metric.unique(), key=lambda one: (direction_of(one) == "lower", -met[one]))
    chosen = {
        name: metrics.of(name, list(some), file, [one for one in first if one in some])
        for name, some in listed.items()
    }
    alike = len(set(chosen.values())) == 1
    for name, one in list(chosen.items())[: 1 if alike else None]:
        settle_direction(one, found, metrics.options, **({} if alike else {kind: name}))
    kept = (metric == task.map(chosen)).to_numpy()
    lost = sorted(set(who) - set(who[kept])) if names["agent"] else []
    if lost:
        shown = ", ".join(map(repr, lost[:3])) + " …" * (len(lost) > 3)
        said = f"left out, because they have no {next(iter(chosen.values()))!r}: {shown}"
        found.note("agents", said, "metric=... (--metric)")
    return table[kept].reset_index(drop=True)


def _categories(table: pd.DataFrame, name: str | None) -> pd.Categorical | None:
    if not name:
        return None
    column = table[name]
    if not isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(pd.CategoricalDtype(column.unique()))
    names = column.cat.categories.astype(str)
    plain_names = names.str.strip()
    if (plain_names == names).all():
        return column.array
    return pd.Categorical(plain_names[column.cat.codes], categories=plain_names.unique())


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
    file: Path,
    header: Sequence[str],
    names: Mapping[str, str],
    agent: np.ndarray,
    item: np.ndarray,
    options: Options,
) -> tuple[str, ...]:
    """Of rows that repeat an agent and an item, the further columns that tell them apart; () for none."""
    if "trial" in names:
        return ()
    key = agent.astype(np.int64) * (int(item.max()) + 1) + item
    twice = pd.Series(key).duplicated(keep=False).to_numpy() if len(key) < 10_000_000 else key < 0
    others = [c for c in header if c not in names.values()]
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


def table_header(file: Path, options: Options) -> Sequence[str]:
    """The names of the columns, without reading the rows."""
    if plain(file).suffix.lower() == ".parquet":
        from gindex_lab.studies.readers.foreign import parquet_names

        return parquet_names(file)
    if _is_frame(file):
        return list(_frame(file, options).columns)
    separator = separator_of(file, options.encoding)
    return header_of(file, separator=separator, encoding=encoding_of(file, options.encoding))


def _item_facts(table: pd.DataFrame, names: Mapping[str, str], found: Collector) -> None:
    """`itemcov_*` of the Item Response Warehouse, where it is one value per item."""
    facts = [c for c in table.columns if str(c).startswith("itemcov_")]
    if not facts:
        return
    family = table[names["family"]] if "family" in names else [""] * len(table)
    groups = [np.asarray(family, dtype=object), table[names["item"]]]
    by_item = table.groupby(groups, sort=False)[facts]
    once = (by_item.nunique() <= 1).all()
    constant = [c for c in facts if once[c]]
    for (group, item), row in by_item.first()[constant].iterrows():
        found.item_facts[str(group), str(item)] = row.to_dict()


def _note_columns(names: Mapping[str, str], found: Collector) -> None:
    named = {kind: name for kind, name in names.items() if name and kind not in ROLES}
    said = ", ".join(f"{kind} {name!r}" for kind, name in named.items())
    found.note("columns", f"columns: {said}", "columns={...} (--columns)")


def _records(file: Path, options: Options) -> Iterator[tuple[int, dict[str, Any]]]:
    content = load_json(file, options.encoding)
    for k, row in enumerate(records_of(content) or content, 1):
        if not isinstance(row, dict):
            problem = f"has no object as its record {k}, but {short(row)}"
            raise BadInput("path", str(file), problem, "give a list of objects")
        yield k, row


def _read_objects(
    rows: Iterable[tuple[int, dict[str, Any]]],
    file: Path,
    found: Collector,
    options: Options,
    metrics: Metrics,
) -> None:
    names: dict[str, str] = {}
    agent, dotted, roles, used = "", False, list[str](), set[str]()
    for number, row in rows:
        if not names:
            names = columns_of(flat_names(row), options, file)
            if "metric" in names or total_of(list(row), names["response"]):
                _read_rows(file, found, options, metrics)
                return
            agent = "" if names["agent"] else agent_of_file(file, options)
            dotted = any("." in name for name in names.values())
            roles = [role for role in ROLES if role in names]
        get = partial(nested, row) if dotted else row.get
        who, what, given = agent or get(names["agent"]), get(names["item"]), get(names["response"])
        if given is None and names["response"] not in (*row, *flat_names(row)):
            problem = f"[missing-field] has no {names['response']!r} in line {number}"
            raise BadInput("path", str(file), problem, "fill or drop the line")
        value = as_number(given)
        if value is None or who is None or what is None:
            problem = f"[missing-field] has no number, or no name, in line {number}: {short(row)}"
            raise BadInput("path", str(file), problem, "fix or drop the line")
        family = str(get(names["family"]) or "") if "family" in names else ""
        trial = get(names["trial"]) if "trial" in names else None
        found.add(str(who), family, str(what), value, trial=trial)
        if found.details is not None:
            audited = (c for c in row if c.lower() in AUDITED and c not in names.values())
            found.detail(**{c: row[c] for c in audited})
        for role in roles:
            if get(names[role]) is not None:
                facts = found.agent_facts.setdefault(str(who), {}) if role == "date" else None
                if facts is None:
                    facts = found.item_facts.setdefault((family, str(what)), {})
                add_role(facts, role, names[role], get(names[role]), role in options.columns)
                used |= {role} & facts.keys()
    if names:
        _note_columns(names, found)
        for role in sorted(used):
            note_role(role, names[role], found)
        settle_direction(names["response"], found, options)
