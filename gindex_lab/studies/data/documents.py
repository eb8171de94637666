"""Reading documents: programs by domain and file, experiments by file, the tables behind the AIQ paper."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pandas as pd

from gindex_lab.foundation.documents import Documents
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.inputs import parse_json, read_text

__all__ = ["document_files", "read_documents"]


def document_files(kind: str, folder: Path) -> list[Path]:
    """The files of a folder of documents, in order: programs stand one level down, by domain."""
    pattern = {"flows": "*/*.json", "experiments": "*.json", "tables": "*.csv"}[kind]
    return sorted(folder.glob(pattern))


def read_documents(kind: str, folder: Path, **facts: str) -> Documents:
    """Programs (`kind="flows"`), experiments or tables below a folder."""
    files = document_files(kind, folder)
    if not files:
        raise BadInput(
            folder.name, str(folder), f"holds no {kind}", "put the files there, as named"
        )
    content: dict[str, Any] = {}
    for path in files:
        if kind == "flows":
            content.setdefault(path.parent.name, {})[path.name] = _json(path)
        else:
            content[path.stem] = _json(path) if kind == "experiments" else _aiq_table(path)
    return Documents(content, **facts)


def _short_name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def _json(path: Path) -> Any:
    try:
        return parse_json(read_text(path, argument=_short_name(path)), _short_name(path), str(path))
    except BadInput:
        raise
    except ValueError as error:
        raise BadInput(
            _short_name(path), str(path), f"is not JSON ({error})", "fetch it again, or mend it"
        ) from None


def _aiq_table(path: Path) -> pd.DataFrame:
    """One of the author's tables: headers repeat, titles and sections stand in rows of their own."""
    try:
        lines = read_text(path, argument=_short_name(path)).splitlines(keepends=True)
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines)]
    except csv.Error as error:
        raise BadInput(
            _short_name(path), str(path), f"is not a CSV ({error})", "save it as UTF-8"
        ) from None
    rows = [row for row in rows if any(row)]
    if not rows:
        raise BadInput(_short_name(path), str(path), "is empty", "copy the author's table anew")
    table = _settings(rows) if rows[0][-1] == "AGNT+AGNTconf" else _sections(rows)
    return table.apply(_numeric_if_all)


def _settings(rows: list[list[str]]) -> pd.DataFrame:
    """Scores of agents: the last header stands for the agent and all its parameters."""
    width = len(rows[0]) - 1
    split = [[*row[:width], row[width], ",".join(row[width + 1 :])] for row in rows[1:]]
    return pd.DataFrame(split, columns=[*rows[0][:width], "agent", "configuration"])


def _sections(rows: list[list[str]]) -> pd.DataFrame:
    """Counts and tests: a row with one cell is the title of those below it."""
    section, header, body = "", list[str](), []
    for row in rows:
        filled = [cell for cell in row if cell]
        if len(filled) == 1:
            section = f"{section} {row[0]}" if row[0].startswith("(") else row[0]
        elif not header or row[: len(header)] == header:
            header = filled
        else:
            body.append([section, *row[: len(header)]])
    return pd.DataFrame(body, columns=["section", *header])


def _numeric_if_all(column: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(column, errors="coerce")
    return column if numbers.isna().any() else numbers
