"""Files that are written whole or not at all, and CSV that comes back as it went.

A label is text: `007` is not `7`, `NA` is a name, and both come back as they were written. Nothing
that we did not write is ever deleted: a folder with other files in it is refused.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pandas as pd

from gindex_lab.errors import BadInput
from gindex_lab.inputs import BROKEN, open_bytes, read_text
from gindex_lab.limits import current, too_large

__all__ = [
    "STUDY_FILES",
    "atomic_folder",
    "atomic_path",
    "header_of",
    "labels_of",
    "read_facts",
    "read_part",
    "read_table",
    "write_facts",
    "write_text",
]

_TABLES = ("responses", "items", "agents", "trials", "positions", "position_items")
STUDY_FILES = (*(f"{part}.csv" for part in _TABLES), "study.json")  # the tidy form of a table


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary name beside `path` that becomes `path` when the block ends without an error.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as d:
    ...     with atomic_path(Path(d) / "a.txt") as new:
    ...         _ = new.write_text("whole")
    ...     (Path(d) / "a.txt").read_text()
    'whole'
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
    os.close(handle)
    new = Path(name)
    try:
        yield new
        new.chmod(0o644)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: Path, only: Collection[str] | None = None) -> Iterator[Path]:
    """A temporary folder that takes the place of `path` when the block ends without an error.

    With `only`, a folder that holds anything but files of these names is refused and left alone.
    """
    path = Path(path).resolve()
    _check_replaceable(path, only)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    try:
        yield new
        new.chmod(0o755)
        if path.exists():
            old = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
            path.replace(old / "old")
            new.replace(path)
            shutil.rmtree(old)
        else:
            new.replace(path)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _check_replaceable(path: Path, only: Collection[str] | None) -> None:
    if not path.exists():
        return
    own = "name a new folder, for instance one inside it"
    if not path.is_dir():
        raise BadInput("folder", str(path), "is a file", "name a folder")
    if path == Path.cwd() or path in Path.cwd().parents:
        raise BadInput("folder", str(path), "is the working folder, or holds it", own)
    for found in sorted(path.iterdir()) if only is not None else ():
        if found.name not in (only or ()) or not found.is_file():
            problem = f"holds {found.name!r}, which is no part of a saved table"
            raise BadInput("folder", str(path), problem, own)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all, the same bytes on every system."""
    with atomic_path(path) as new:
        new.write_bytes(text.encode())


def header_of(path: Path, *, separator: str = ",", encoding: str = "utf-8-sig") -> list[str]:
    """The names in the first line of a CSV (which may be compressed: `.gz`), each once."""
    try:
        with io.TextIOWrapper(open_bytes(Path(path)), encoding=encoding, newline="") as file:
            names = next(
                (row for row in csv.reader(_lines(file, path), delimiter=separator) if row), []
            )
    except (OSError, UnicodeError, csv.Error, *BROKEN) as error:
        raise _unreadable(path, error) from None
    if len(names) > current().columns:
        raise too_large("path", str(path), f"has {len(names):,} columns", "columns", len(names))
    twice = next((name for name, count in Counter(names).items() if name and count > 1), None)
    if twice is not None:
        problem, remedy = f"has two columns {twice!r}", "give each a name of its own"
        raise BadInput("path", str(path), problem, remedy, code="duplicate-label")
    return names


def _lines(file: IO[str], path: Path) -> Iterator[str]:
    """Lines, none longer than may be held whole."""
    most = int(current().document)
    while text := file.readline(most):
        if len(text) >= most:
            problem = f"has a line of more than {most:,} characters"
            raise too_large("path", str(path), problem, "document", 10 * most)
        yield text


def read_table(
    path: Path,
    labels: Collection[str | int] = (),
    *,
    separator: str = ",",
    encoding: str = "utf-8-sig",
) -> pd.DataFrame:
    """A CSV with every float, and the text of the columns `labels` (names, positions), as written."""
    header_of(path, separator=separator, encoding=encoding)
    form: dict[str, Any] = {"sep": separator, "encoding": encoding}
    table = _csv(path, **form)
    if not isinstance(table.index, pd.RangeIndex):  # pandas took the first column for labels
        raise BadInput(
            "path",
            str(path),
            "has more cells in a row than names in its header",
            "name each column",
        )
    if not labels:
        return table
    text = _csv(path, usecols=list(labels), dtype=str, na_filter=False, **form)
    for column in text:
        blank = (text[column].str.strip() == "").to_numpy()
        if blank.any():
            row = int(blank.argmax()) + 1
            raise BadInput("path", str(path), f"names no {column} in row {row}", "fill the cell")
        table[column] = text[column]
    return table


def _csv(path: Path, **form: Any) -> pd.DataFrame:
    try:
        with open_bytes(Path(path)) as file:
            return pd.read_csv(file, **form)
    except BadInput:
        raise
    except (OSError, ValueError, OverflowError, *BROKEN) as error:  # pandas' own are ValueErrors
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: Exception) -> BadInput:
    if isinstance(error, FileNotFoundError):
        return BadInput("path", str(path), "does not exist", "check the name", code="not-found")
    if isinstance(error, BROKEN):
        problem = "is a compressed file that ends early or is damaged"
        remedy = "copy it again, or unpack what is there with `gzip -dc`"
        return BadInput("path", str(path), problem, remedy, code="damaged")
    if isinstance(error, OSError):
        problem = f"cannot be read ({error.strerror or error})"
        remedy = "name a CSV file, or a folder in the tidy form"
        return BadInput("path", str(path), problem, remedy, code="unreadable")
    remedy = "save it as UTF-8 CSV"
    if isinstance(error, UnicodeError):
        remedy += ", or name its encoding: gl.read(path, encoding='latin-1') (--encoding latin-1)"
    return BadInput("path", str(path), f"is not a CSV ({error})", remedy, code="not-csv")


def write_facts(folder: Path, facts: dict[str, Any]) -> None:
    """What a table is beside its numbers: `study.json`."""
    text = json.dumps(facts, indent=1, ensure_ascii=False)
    (folder / "study.json").write_text(text + "\n", encoding="utf-8")


def read_facts(folder: Path) -> dict[str, Any]:
    """What `write_facts` wrote, or nothing where a folder has no `study.json`."""
    path = Path(folder) / "study.json"
    if not path.exists():
        return {}
    try:
        facts = json.loads(read_text(path))
    except BadInput:
        raise
    except (ValueError, RecursionError) as error:
        raise BadInput("path", str(path), f"is not JSON ({error})", "save the table anew") from None
    if not isinstance(facts, dict):
        raise BadInput("path", str(path), "is not a table of facts", "save the table anew")
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
