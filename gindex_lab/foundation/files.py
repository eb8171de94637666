"""Reading tables: CSV that comes back as it went. Writing is the business of `output`.

A label is text: `007` is not `7`, `NA` is a name, and both come back as they were written.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.bounds import current, too_large, within
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.inputs import BROKEN, open_bytes, parse_json, read_text, unreadable
from gindex_lab.foundation.output import write_text

__all__ = [
    "comments_in", "header_of", "labels_of", "read_columns", "read_facts", "read_part", "read_table",
    "whole_lines", "write_facts",
]  # fmt: skip

# What pandas takes for a missing number (documented with `read_csv`)
_MISSING = (
    "|#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a|nan|null"
)
_START = 65_536  # bytes in which the comments above a header are looked for: a judgement


def header_of(path: Path, *, separator: str = ",", encoding: str = "utf-8-sig") -> list[str]:
    """The names in the first line of a CSV (which may be compressed: `.gz`), each once."""
    try:
        with io.TextIOWrapper(open_bytes(Path(path)), encoding=encoding, newline="") as file:
            rows = islice(whole_lines(file, path), _comments_of(path, encoding), None)
            names = next((row for row in csv.reader(rows, delimiter=separator) if row), [])
    except (OSError, UnicodeError, csv.Error, *BROKEN) as error:
        raise _unreadable(path, error) from None
    within("columns", len(names), path, f"has {len(names):,} columns")
    twice = next((name for name, count in Counter(names).items() if name and count > 1), None)
    if twice is not None:
        problem = f"[duplicate-label] has two columns {twice!r}"
        raise BadInput("path", str(path), problem, "give each a name of its own")
    return names


def comments_in(start: str) -> int:
    """How many lines of comment (`# ...`) stand above the header; one that has as many cells is the header.

    >>> comments_in("# made by us\\nagent,i\\nann,1\\n"), comments_in("#,agent,i\\n1,ann,1\\n")
    (1, 0)
    """
    if not start.lstrip("\ufeff").startswith("#"):
        return 0
    lines = start.lstrip("\ufeff").splitlines()
    count = next((k for k, line in enumerate(lines) if not line.startswith("#")), 0)
    cells = [max(map(line.count, ",\t;")) for line in lines[: count + 1]]
    return count if count and max(cells[:count]) < cells[count] else 0


def _comments_of(path: Path, encoding: str) -> int:
    with open_bytes(Path(path)) as file:
        return comments_in(file.read(_START).decode(encoding, errors="replace"))


def whole_lines(file: IO[str], path: Path) -> Iterator[str]:
    """Lines, none longer than may be held whole."""
    most = int(current().document)
    while text := file.readline(most):
        if len(text) >= most:
            problem = f"has a line of more than {most:,} characters"
            raise too_large("path", str(path), problem, "document", 10 * most)
        yield text


def read_table(
    path: Path, labels: Collection[str | int] = (), *, separator: str = ",", encoding: str = "utf-8-sig"
) -> pd.DataFrame:
    """A CSV with every float, and the text of the columns `labels` (names, positions), as written."""
    header_of(path, separator=separator, encoding=encoding)
    form: dict[str, Any] = {"sep": separator, "encoding": encoding}
    table = _csv(path, **form)
    if not labels:
        return table
    text = _csv(path, usecols=list(labels), dtype=str, na_filter=False, **form)
    for column in text:
        _check_blank(path, column, (text[column].str.strip() == "").to_numpy())
        table[column] = text[column]
    return table


def _check_blank(path: Path, column: str, blank: np.ndarray) -> None:
    if blank.any():
        problem = f"[no-row] has no {column} in row {int(blank.argmax()) + 1}"
        raise BadInput("path", str(path), problem, "fill the cell")


def read_columns(
    path: Path,
    labels: Sequence[str],
    others: Sequence[str],
    *,
    separator: str = ",",
    encoding: str = "utf-8-sig",
) -> pd.DataFrame:
    """Some columns of a CSV, read once: `labels` as categories of text as written, the others as pandas does.

    Ten times as fast as `read_table`, and a quarter of its memory, where a label stands in many rows.
    """
    header = header_of(path, separator=separator, encoding=encoding)
    numbers = [name for name in others if name not in labels]
    text = [name for name in header if name and name not in numbers]
    table = _csv(
        path,
        sep=separator,
        encoding=encoding,
        dtype=dict.fromkeys(text, "category"),  # not `usecols`: pandas would let rows be too long
        keep_default_na=False,
        na_values={name: _MISSING.split("|") for name in numbers},
    )
    table = table[[*labels, *numbers]]
    for name in labels:
        column = table[name].array
        blank = np.array([*(not str(c).strip() for c in column.categories), False])
        _check_blank(path, name, blank[column.codes])
    return table


def _csv(path: Path, **form: Any) -> pd.DataFrame:
    try:
        comments = _comments_of(path, form["encoding"])
        with open_bytes(Path(path)) as file:
            table = pd.read_csv(file, skiprows=comments or None, **form)
    except BadInput:
        raise
    except (OSError, ValueError, OverflowError, *BROKEN) as error:  # pandas' own are ValueErrors
        raise _unreadable(path, error) from None
    if not isinstance(table.index, pd.RangeIndex):  # pandas took the first column for labels
        problem = "[uneven-rows] has more cells in a row than names in its header"
        raise BadInput("path", str(path), problem, "name each column")
    return table


def _unreadable(path: Path, error: Exception) -> BadInput:
    if isinstance(error, (OSError, *BROKEN)):
        return unreadable(error, path)
    remedy = "save it as UTF-8 CSV"
    if isinstance(error, UnicodeError):
        remedy += ", or name its encoding: gl.read(path, encoding='latin-1') (--encoding latin-1)"
    return BadInput("path", str(path), f"[not-csv] is not a CSV ({error})", remedy)


def write_facts(folder: Path, facts: dict[str, Any]) -> None:
    """What a table is beside its numbers: `study.json`."""
    text = json.dumps(facts, indent=1, ensure_ascii=False)
    write_text(folder / "study.json", text + "\n")


def read_facts(folder: Path) -> dict[str, Any]:
    """What `write_facts` wrote, or nothing where a folder has no `study.json`."""
    path = Path(folder) / "study.json"
    if not path.exists():
        return {}
    facts = parse_json(read_text(path), "path", str(path), "save the table again")
    if not isinstance(facts, dict):
        raise BadInput("path", str(path), "[not-a-table] is not a table of facts", "save the table again")
    return facts


def read_part(path: Path, part: str, whole: Collection[str]) -> pd.DataFrame:
    """`items.csv`, `agents.csv` or `trials.csv`, with its labels as they were; `whole` names what has
    whole numbers for labels."""
    if part != "trials":
        table = read_table(path, [0])
        table = table.set_index(table.columns[0])
        table.index = labels_of(table.index, part in whole)
        return table
    table = read_table(path, [k for k in ("agent", "item") if k in header_of(path)])
    for column in set(table) & {"agent", "item"}:
        if f"{column}s" in whole:
            table[column] = table[column].astype(int)
    return table


def labels_of(labels: pd.Index, whole: bool) -> pd.Index:
    """Labels as text, or as the whole numbers that they were when saved."""
    return labels.astype(int) if whole else labels
