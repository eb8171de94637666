"""Files that are written whole or not at all, and CSV that comes back as it went."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from gindex_lab.errors import BadInput

__all__ = ["atomic_folder", "atomic_path", "read_table", "write_text"]


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
def atomic_folder(path: Path) -> Iterator[Path]:
    """A temporary folder that takes the place of `path` when the block ends without an error."""
    path = Path(path)
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


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all, the same bytes on every system."""
    with atomic_path(path) as new:
        new.write_bytes(text.encode())


def read_table(path: Path) -> pd.DataFrame:
    """A CSV with every float exactly as written."""
    try:
        table = pd.read_csv(path)
    except FileNotFoundError:
        raise BadInput("path", str(path), "does not exist", "check the name") from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise BadInput(
            "path", str(path), f"is not a CSV ({error})", "save it as UTF-8 CSV"
        ) from None
    if not isinstance(table.index, pd.RangeIndex):  # pandas took the first column for labels
        raise BadInput(
            "path",
            str(path),
            "has more cells in a row than names in its header",
            "name each column",
        )
    return table
