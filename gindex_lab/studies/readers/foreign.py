"""Tables of other programs as a DataFrame: Excel, SPSS, R, YAML and lists of JSON objects.

Excel goes through openpyxl, SPSS through pyreadstat, R through rdata, each imported where it is used. Labels
come as text, whole numbers without their `.0`. A data frame of persons without names (R, SPSS) gets a column
`agent`: "row 1", "row 2" and so on; that is said in `attrs["notes"]`.
"""

from __future__ import annotations

import bz2
import io
import lzma
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, Any

import pandas as pd

from gindex_lab.foundation.bounds import UNCHECKED, current, too_large, within
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.inputs import check_archive, open_regular, read_bytes
from gindex_lab.studies.readers.names import column_of, has_items_only, is_model, is_question, sniff_header
from gindex_lab.studies.readers.text import (
    LINES,
    bad_file,
    encoding_of,
    json_lines,
    listed,
    load_json,
    suffix_of,
    wrong_encoding,
)

__all__ = ["foreign_table", "load_yaml", "parquet_names", "parquet_table", "records_frame", "records_of"]

_PARQUET = "write it again with DataFrame.to_parquet"
_PERSONS = (".sav", ".zsav", ".rds", ".rda", ".rdata")


def foreign_table(path: Path, encoding: str | None = None) -> pd.DataFrame:
    """The table in a file of another program, its columns as text."""
    suffix = suffix_of(path)
    if suffix in (".json", *LINES, ".yaml", ".yml"):
        table = records_frame(path, suffix, encoding)
    else:
        table = _LOADERS[suffix](path)
    _check_size(path, *table.shape)
    table.columns = [str(name) for name in table.columns]
    if not table.columns.is_unique:
        twice = table.columns[table.columns.duplicated()][0]
        raise bad_file(path, f"[duplicate-label] has two columns {twice!r}", "give each a name of its own")
    if table.empty:
        raise bad_file(path, "[empty] has no row", "give at least one row")
    whole = table.apply(_whole_numbers)
    return _named_rows(whole) if suffix in _PERSONS else whole


def _check_size(path: Path, rows: int, columns: int) -> None:
    within("cells", rows * columns, path, f"holds {rows:,} rows of {columns:,} columns")


def _damaged(path: Path, kind: str, error: object, remedy: str) -> BadInput:
    return bad_file(path, f"[damaged] is not {kind} that can be read ({error})", remedy)


def _whole_numbers(column: pd.Series) -> pd.Series:
    """1.0, 2.0 as 1, 2, so that an id is not called '1.0'."""
    if not pd.api.types.is_float_dtype(column) or column.isna().any() or len(column) == 0:
        return column
    return column.astype("int64") if (column % 1 == 0).all() and column.abs().max() < 2**53 else column


def _named_rows(table: pd.DataFrame) -> pd.DataFrame:
    """With a column of agents: one that goes by such a name, the row names, or numbers."""
    header = list(table.columns)
    if column_of(header, "agent") or sniff_header(header) in ("irw", "long"):
        return table.reset_index(drop=True)
    rows = [str(name) for name in table.index]
    numbered = rows in ([str(k) for k in range(len(rows))], [str(k + 1) for k in range(len(rows))])
    labels = [f"row {k + 1}" for k in range(len(rows))] if numbered else rows
    table = table.reset_index(drop=True)
    table.insert(0, "agent", labels)
    if numbered:
        note = "no column names the agents: they are called after their rows (choose with columns=...)"
        table.attrs["notes"] = [note]
    return table


# -- Excel, SPSS -------------------------------------------------------------------------------------


def _excel(path: Path) -> pd.DataFrame:
    remedy = "save it again as .xlsx, or as CSV"
    try:
        with open_regular(path) as file:
            with zipfile.ZipFile(file) as archive:
                check_archive(archive, path)
            sheets: Mapping[str, pd.DataFrame] = pd.read_excel(file, sheet_name=None, engine="openpyxl")
    except BadInput:
        raise
    except (zipfile.BadZipFile, KeyError, ValueError, OSError, EOFError, TypeError) as error:
        raise _damaged(path, "an Excel workbook", error, remedy) from None
    filled = {name: sheet for name, sheet in sheets.items() if not sheet.empty}
    if not filled:
        raise bad_file(path, "[empty] has no filled sheet", "give at least one row")
    scores = [
        one
        for one, sheet in filled.items()
        if sheet.shape[1] > 1 and len(sheet.select_dtypes("number").columns)
    ]
    name = next(iter(scores or filled))
    table = filled[name].dropna(how="all").dropna(how="all", axis=1)
    alike = [one for one, sheet in filled.items() if list(sheet.columns) == list(filled[name].columns)]
    header = [str(column) for column in table.columns]
    if len(alike) > 1 and not column_of(header, "agent") and has_items_only(header):
        parts = [filled[one].dropna(how="all").assign(agent=one) for one in alike]
        table = pd.concat(parts, ignore_index=True)
        table.attrs["notes"] = [f"each of {len(alike)} sheets was read as an agent, called after it"]
    elif len(filled) > 1:
        others = listed(one for one in filled if one != name)
        note = f"the sheet {name!r} was read, others were left out ({others}): save one sheet to choose"
        table.attrs["notes"] = [note]
    return table


def _spss(path: Path) -> pd.DataFrame:
    import pyreadstat

    open_regular(path).close()
    broken = (pyreadstat.ReadstatError, pyreadstat.PyreadstatError)
    try:
        _, about = pyreadstat.read_sav(str(path), metadataonly=True)
        _check_size(path, max(about.number_rows or 0, 0), about.number_columns or 0)
        table, _ = pyreadstat.read_sav(str(path))
    except (*broken, ValueError, OSError, UnicodeError) as error:
        if isinstance(error, BadInput):
            raise
        remedy = "save it again from SPSS, or export it as CSV"
        raise _damaged(path, "an SPSS file", error, remedy) from None
    return table


# -- Parquet ----------------------------------------------------------------------------------------


def parquet_names(path: Path) -> list[str]:
    """The names of the columns of a Parquet file, without reading the rows; what is too large is refused."""
    from pyarrow import ArrowException, parquet  # type: ignore[import-untyped]

    try:
        with open_regular(path) as file:
            about = parquet.read_metadata(file)
            names = [str(name) for name in about.schema.to_arrow_schema().names]
    except (ArrowException, OSError, ValueError) as error:
        raise _damaged(path, "Parquet", error, _PARQUET) from None
    within("columns", len(names), path, f"has {len(names):,} columns")
    _check_size(path, about.num_rows, len(names))
    unpacked = sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups))
    within("size", unpacked, path, f"unpacks to {unpacked:,} bytes")
    return names


def parquet_table(path: Path) -> pd.DataFrame:
    """The table in a Parquet file."""
    parquet_names(path)  # within the limits, or refused
    try:
        with open_regular(path) as file:
            _check_texts(path, file)
            file.seek(0)
            table = pd.read_parquet(file)
    except BadInput:
        raise
    except (OSError, ValueError, TypeError, NotImplementedError) as error:
        raise _damaged(path, "Parquet", error, _PARQUET) from None
    return table.rename(columns=str)


def _check_texts(path: Path, file: IO[bytes]) -> None:
    """Refuse texts that are stored once and stand in so many rows that they would not fit, written out."""
    from pyarrow import compute, parquet
    from pyarrow import types as kinds

    fields = parquet.read_schema(file)
    texts = [one.name for one in fields if kinds.is_string(one.type) or kinds.is_binary(one.type)]
    texts += [one.name for one in fields if kinds.is_dictionary(one.type)]
    unfolded = 0
    for batch in parquet.ParquetFile(file, read_dictionary=texts).iter_batches(columns=texts):
        for column in filter(lambda one: kinds.is_dictionary(one.type), batch.columns):
            if kinds.is_string(column.type.value_type) or kinds.is_binary(column.type.value_type):
                lengths = compute.binary_length(column.dictionary).cast("int64")
                unfolded += compute.sum(lengths.take(column.indices)).as_py() or 0
        problem = f"unfolds to more than {unfolded:,} bytes of text, to be held whole"
        within("document", unfolded, path, problem, more=10)


# -- R -----------------------------------------------------------------------------------------------


def _r_data(path: Path) -> pd.DataFrame:
    remedy = "save a data frame with saveRDS(), or write.csv()"
    content = _unpacked(path)
    import rdata  # takes half a second: not for a file that is refused

    kind = ".rds" if suffix_of(path) == ".rds" else ".rda"
    try:
        found = rdata.conversion.convert(rdata.parser.parse_data(content, extension=kind))
    except (ValueError, NotImplementedError, EOFError, IndexError, TypeError, KeyError) as error:
        raise _damaged(path, "R data", error or type(error).__name__, remedy) from None
    objects = found if isinstance(found, dict) else {"": found}
    tables = {name: table for name, one in objects.items() if (table := _r_table(one)) is not None}
    if len(tables) != 1:
        names = listed(tables, 9) or "none"
        problem = f"[not-a-table] holds {len(tables)} data frames ({names})"
        raise bad_file(path, problem, remedy)
    return next(iter(tables.values()))


def _r_table(found: object) -> pd.DataFrame | None:
    """A data frame, or a matrix with names."""
    if isinstance(found, pd.DataFrame):
        return found
    if hasattr(found, "to_pandas") and getattr(found, "ndim", 0) == 2:
        return found.to_pandas()
    if getattr(found, "ndim", 0) == 2:
        frame = pd.DataFrame(found)
        return frame.set_axis([f"item {k + 1}" for k in range(frame.shape[1])], axis=1)
    return None


def _unpacked(path: Path) -> bytes:
    """The bytes of an R file, whichever way R packed it (gzip is undone by `read_bytes`)."""
    data = read_bytes(path)
    opened: dict[bytes, Callable[[IO[bytes]], IO[bytes]]] = {b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
    for mark, opener in opened.items():
        if data.startswith(mark):
            most = int(min(current().document, max(UNCHECKED, current().ratio * len(data))))
            try:
                with opener(io.BytesIO(data)) as file:
                    unpacked = file.read(most + 1)
            except (OSError, EOFError, lzma.LZMAError) as error:
                raise _damaged(path, "R data", error, "copy it again") from None
            if len(unpacked) > most:
                problem = f"unpacks to more than {most:,} bytes"
                raise too_large("path", str(path), problem, "ratio", 2000)
            return unpacked
    return data


_LOADERS = dict.fromkeys((".xlsx", ".xlsm"), _excel) | dict.fromkeys((".sav", ".zsav"), _spss)
_LOADERS |= dict.fromkeys((".rds", ".rda", ".rdata"), _r_data)


# -- YAML, and lists or mappings of objects in JSON --------------------------------------------------


def load_yaml(path: Path, encoding: str | None = None) -> Any:
    """A YAML document of plain values; one whose references unfold to too much is refused."""
    import yaml

    try:
        text = read_bytes(path).decode(encoding_of(path, encoding))
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        _check_levels(yaml.parse(text, loader), path)  # first: a deep one would end Python itself
        found = yaml.load(text, loader)
    except BadInput:
        raise
    except UnicodeError as error:
        raise wrong_encoding(path, error) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        problem = f"[not-yaml] is not YAML ({' '.join(str(error).split())[:200]})"
        raise bad_file(path, problem, "fix the file") from None
    if _unfolded(found, {}, 0) > current().cells:
        problem = "unfolds to too many values (its references repeat one another)"
        raise too_large("path", str(path), problem, "cells", current().cells * 10)
    return found


def _check_levels(events: Iterable[Any], path: Path) -> None:
    level, most = 0, current().depth
    for event in events:
        name = type(event).__name__
        level += name.endswith("StartEvent") - name.endswith("EndEvent")
        if level > most + 2:  # a stream and a document are around all
            problem = f"is nested more than {most:.0f} levels deep"
            raise too_large("path", str(path), problem, "depth", 2 * most)


def _unfolded(found: Any, known: dict[int, float], depth: int) -> float:
    """How many values a document has with every reference written out; infinite for one in itself."""
    if not isinstance(found, (dict, list)):
        return 1
    if id(found) in known or depth > current().depth:
        return known.get(id(found), float("inf"))
    known[id(found)] = float("inf")
    inside = found.values() if isinstance(found, dict) else found
    known[id(found)] = 1 + sum(_unfolded(one, known, depth + 1) for one in inside)
    return known[id(found)]


def records_of(found: Any) -> list[dict[str, Any]] | None:
    """The rows of a table in JSON or YAML: a list of mappings, or a mapping of names to mappings (of models,
    or of items where these are numbered like questions, or what stands inside is called like models).

    >>> records_of({"gpt": {"arc": 0.9}, "llama": {"arc": 0.4}})
    [{'model': 'gpt', 'arc': 0.9}, {'model': 'llama', 'arc': 0.4}]
    >>> records_of({"version": 1}) is None
    True
    """
    if isinstance(found, list):
        return found if found and all(isinstance(row, dict) for row in found) else None
    if not isinstance(found, dict) or not found:
        return None
    if all(isinstance(one, dict) for one in found.values()) and len(found) > 1:
        scored = all(any(isinstance(x, (int, float)) for x in one.values()) for one in found.values())
        inside = [name for one in found.values() for name in one]
        turned = sum(map(is_model, inside)) * 2 > len(inside) and not any(map(is_model, found))
        turned |= all(map(is_question, found)) and not any(map(is_question, inside))
        label = "item" if turned else "model"
        return [{label: str(name)} | row for name, row in found.items()] if scored else None
    lists = [one for one in found.values() if isinstance(one, list) and records_of(one)]
    return lists[0] if len(lists) == 1 else None


def records_frame(path: Path, suffix: str, encoding: str | None) -> pd.DataFrame:
    """The table of such a document."""
    if suffix in LINES:
        records: Any = [row for _, row in json_lines(path, [], encoding)]
    else:
        found = load_json(path, encoding) if suffix == ".json" else load_yaml(path, encoding)
        records = records_of(found)
    if not records:
        problem = "[not-a-table] is not a table: neither a list of mappings nor a mapping of them"
        raise bad_file(path, problem, "write one mapping per model")
    return pd.json_normalize(records, max_level=2)
