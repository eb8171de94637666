"""Tables: long (one row per response), wide (one row per agent), and what the Item Response Warehouse
writes (`id`, `item`, `resp`; `wave` a repeat, `item_family` a family, `itemcov_*` facts of an item).

Labels stay the text that they are (`007`, `NA`); a cell that should be a number and is none is refused by
its address.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, short
from gindex_lab.foundation.files import header_of, read_table
from gindex_lab.foundation.inputs import open_regular
from gindex_lab.foundation.validate import numeric_frame
from gindex_lab.studies.readers.collect import Collector, as_number
from gindex_lab.studies.readers.directions import settle_direction
from gindex_lab.studies.readers.facts import split_columns
from gindex_lab.studies.readers.formats import TABLES, column_of, parquet_names, separator_of
from gindex_lab.studies.readers.options import COLUMNS, Options
from gindex_lab.studies.readers.text import encoding_of, json_lines, load_json, plain

__all__ = ["columns_of", "parquet_table", "read_long", "read_wide", "table_at"]


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
    encoding = encoding_of(path, options.encoding)
    return read_table(
        path, labels, separator=separator_of(path, options.encoding), encoding=encoding
    )


def _is_frame(path: Path) -> bool:
    """Whether a file is read as a whole DataFrame by its library."""
    return plain(path).suffix.lower() not in TABLES


def _frame(path: Path, options: Options) -> pd.DataFrame:
    if plain(path).suffix.lower() == ".parquet":
        return parquet_table(path)
    from gindex_lab.studies.readers.foreign import foreign_table

    return foreign_table(path, options.encoding)


def parquet_table(path: Path) -> pd.DataFrame:
    parquet_names(path)  # within the limits, or refused
    try:
        with open_regular(path) as file:
            return pd.read_parquet(file)
    except (OSError, ValueError, TypeError, NotImplementedError) as error:
        remedy = "write it again with DataFrame.to_parquet"
        problem = f"is not Parquet that pandas can read ({error})"
        raise BadInput("path", str(path), problem, remedy, code="damaged") from None


def _as_labels(column: pd.Series, path: Path) -> pd.Series:
    if column.isna().any():
        row = int(column.isna().to_numpy().argmax()) + 1
        raise BadInput("path", str(path), f"names no {column.name} in row {row}", "fill the cell")
    return column.astype(str)


# -- wide --------------------------------------------------------------------------------------------


def read_wide(files: Sequence[Path], found: Collector, options: Options) -> None:
    """One row per agent, its name in a column called agent, model ..., else in the first.

    A first column called item, question, task ... makes it a table of one row per item.
    """
    for file in files:
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
            found.note_once(f"{said}: choose with transpose=False (--no-transpose)")
            add_frame(table.set_index(label).T, found, options)
            continue
        items, facts = split_columns(table, label, found, options)
        add_frame(table.set_index(label)[items], found, options)
        add_facts(table, label, facts, found)
        for item in items:
            settle_direction(str(item), found, options, item=str(item), guess="higher")


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


# -- long --------------------------------------------------------------------------------------------


def read_long(files: Sequence[Path], found: Collector, options: Options) -> None:
    """One row, or one JSON object, per response."""
    for file in files:
        suffix = plain(file).suffix.lower()
        if suffix in (".jsonl", ".ndjson"):
            _read_objects(json_lines(file, found.notes, options.encoding), file, found, options)
        elif suffix == ".json":
            _read_objects(_records(file, options), file, found, options)
        else:
            _read_rows(file, found, options)


def columns_of(header: Sequence[str], options: Options, path: Path) -> dict[str, str]:
    """Which column is the agent, the item, the response, and where there are some trial and family.

    >>> columns_of(["id", "item", "resp", "wave"], Options(), Path("a.csv"))
    {'agent': 'id', 'item': 'item', 'response': 'resp', 'trial': 'wave'}
    """
    chosen: dict[str, str] = {}
    warehouse = {"id", "item", "resp"} <= set(header)
    fixed = {"agent": "id", "item": "item", "response": "resp"} if warehouse else {}
    for kind in COLUMNS:
        given = options.columns.get(kind)
        if given is not None and given not in header:
            remedy = f"it has {', '.join(map(repr, header[:8]))}"
            raise BadInput(f"columns[{kind!r}]", given, f"is no column of {path.name}", remedy)
        found = [given] if given else [fixed[kind]] if kind in fixed else column_of(header, kind)
        if len(found) > 1:
            problem = f"has several columns that could be the {kind}: {', '.join(map(repr, found))}"
            raise BadInput(
                "path", str(path), problem, f"name it: columns={{{kind!r}: {found[0]!r}}}"
            )
        if found:
            chosen[kind] = found[0]
        elif kind in ("agent", "item", "response"):
            problem = f"has no column for the {kind} (it has {short(list(header[:8]))})"
            raise BadInput("path", str(path), problem, f"name it: columns={{{kind!r}: ...}}")
    return chosen


def _read_rows(file: Path, found: Collector, options: Options) -> None:
    header = list(table_header(file, options))
    names = columns_of(header, options, file)
    texts = [names[k] for k in ("agent", "item", "trial", "family") if k in names]
    table = table_at(file, texts, options)
    labels = [f"row {k + 1}" for k in range(len(table))]
    response = table[[names["response"]]].set_axis(labels)
    if table.empty:
        raise BadInput("path", str(file), "has a header and no row", "give at least one response")
    values = numeric_frame("scores", response).to_numpy()[:, 0]
    blank = [""] * len(table)
    found.add_many(
        table[names["agent"]],
        table[names["family"]] if "family" in names else blank,
        table[names["item"]],
        values.tolist(),
        table[names["trial"]] if "trial" in names else [None] * len(table),
    )
    _note_columns(names, found)
    settle_direction(names["response"], found, options)
    _item_facts(table, names, found)


def table_header(file: Path, options: Options) -> Sequence[str]:
    """The names of the columns, without reading the rows."""
    if plain(file).suffix.lower() == ".parquet":
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
    by_item = table.groupby([np.asarray(family, dtype=object), table[names["item"]]], sort=False)[
        facts
    ]
    once = (by_item.nunique() <= 1).all()
    constant = [c for c in facts if once[c]]
    for (group, item), row in by_item.first()[constant].iterrows():
        found.item_facts[str(group), str(item)] = row.to_dict()


def _note_columns(names: Mapping[str, str], found: Collector) -> None:
    said = ", ".join(f"{kind} {column!r}" for kind, column in names.items())
    note = f"columns: {said}"
    if note not in found.notes:
        found.notes.append(note)


def _records(file: Path, options: Options) -> Iterator[tuple[int, dict[str, Any]]]:
    content = load_json(file, options.encoding)
    for k, row in enumerate(content, 1):
        if not isinstance(row, dict):
            problem = f"has no object as its record {k}, but {short(row)}"
            raise BadInput("path", str(file), problem, "give a list of objects")
        yield k, row


def _read_objects(
    rows: Iterable[tuple[int, dict[str, Any]]], file: Path, found: Collector, options: Options
) -> None:
    names: dict[str, str] = {}
    for number, row in rows:
        names = names or columns_of(list(row), options, file)
        for kind in ("agent", "item", "response"):
            if names[kind] not in row:
                problem = f"has no {names[kind]!r} in line {number}"
                raise BadInput("path", str(file), problem, "fill or drop the line")
        value = as_number(row[names["response"]])
        if value is None or row[names["agent"]] is None or row[names["item"]] is None:
            problem = f"has no number, or no name, in line {number}: {short(row)}"
            raise BadInput("path", str(file), problem, "mend or drop the line")
        found.add(
            str(row[names["agent"]]),
            str(row.get(names.get("family", ""), "") or ""),
            str(row[names["item"]]),
            value,
            trial=row.get(names["trial"]) if "trial" in names else None,
        )
    if names:
        _note_columns(names, found)
        settle_direction(names["response"], found, options)
