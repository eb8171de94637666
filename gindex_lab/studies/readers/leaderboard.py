"""Leaderboard tables in the style of the Open LLM Leaderboard: a row per model, a column per benchmark.

Where a benchmark has a `Raw` column, that is read: it is a share in [0, 1]. The average is not an item of its
own. Other columns (type, precision, parameters, licence) are facts of the model and stay with the agents
(`facts.split_columns`): every other column of numbers is a benchmark, whether we know its name or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.studies.readers.cells import percentages
from gindex_lab.studies.readers.collect import Collector
from gindex_lab.studies.readers.facts import split_columns
from gindex_lab.studies.readers.metrics import settle_direction
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.tables import table_at, table_header
from gindex_lab.studies.readers.wide import add_facts, add_frame, names_apart

__all__ = ["raw_columns", "read_leaderboard"]

_MODELS = ("fullname", "model", "model_name", "agent")


def read_leaderboard(files: Sequence[Path], found: Collector, options: Options) -> None:
    """Agents are models; two rows of one model are told apart by `eval_name` or precision."""
    new, _ = names_apart(files, found, options)
    for file in files:
        with found.reading(file, options):
            _read_board(file, found, options, new.get(file, {}))


def _read_board(file: Path, found: Collector, options: Options, new: Mapping[str, str]) -> None:
    header = [new.get(c, c) for c in table_header(file, options)]
    name = _model_column(header, options, file)
    table = table_at(file, [name], options).rename(columns=dict(new))
    table = percentages(table, name, found, options)
    items = raw_columns(header)
    if items and options.items is None:
        facts = [c for c in header if c not in items and c != name]
        said = f"the raw columns were read: {', '.join(map(repr, items.values()))}"
        found.note("items", said, "items=[...] (--items)")
    else:
        columns, facts = split_columns(table, name, found, options)
        items = {c: c for c in columns}
    labels = _labels(table, name, found)
    frame = table[list(items)].rename(columns=items).set_axis(labels, axis=0)
    add_frame(frame, found, options)
    add_facts(table.assign(**{name: labels}), name, facts, found)
    for item in items.values():
        settle_direction(item, found, options, item=item, guess="higher")


def raw_columns(header: Sequence[str]) -> dict[str, str]:
    """The raw columns, each with the name of its item; empty where there are none.

    >>> raw_columns(["Model", "Average", "IFEval", "IFEval Raw", "BBH", "BBH Raw"])
    {'IFEval Raw': 'IFEval', 'BBH Raw': 'BBH'}
    """
    return {c: c.strip()[:-4].strip() for c in header if c.strip().lower().endswith(" raw")}


def _model_column(header: Sequence[str], options: Options, file: Path) -> str:
    given = options.columns.get("agent")
    if given is not None and given not in header:
        raise BadInput(
            "columns['agent']", given, f"is not a column of {file.name}", "name the models"
        )
    by_name = {c.strip().lower(): c for c in reversed(header)}
    return given or next(by_name[name] for name in _MODELS if name in by_name)


def _labels(table: pd.DataFrame, name: str, found: Collector) -> list[str]:
    """The models; where one appears twice, with what tells its rows apart."""
    models = table[name].astype(str)
    if models.is_unique:
        return list(models)
    for column in ("eval_name", "Precision", "precision"):
        if column in table:
            joined = models + " (" + table[column].astype(str) + ")"
            if joined.is_unique:
                said = f"models stand there more than once: named with their {column}"
                found.note("agents", said)
                return list(joined)
    return list(models)
