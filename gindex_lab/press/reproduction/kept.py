"""What a run leaves behind and the next one reads: sealed records, and the claims that they vouch for.

A record carries a hash of itself and of every file beside it. Whatever lies in `reports/`, a record that does
not fit its seal, or a file that does not fit the record, does not count: the notebook runs again.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import Caution
from gindex_lab.foundation.fingerprints import file_hash, is_sealed
from gindex_lab.foundation.folders import is_ours

__all__ = ["intact", "read_claims", "read_record", "was_written", "why_unread"]

# what those who come later read of a record
_READ = {"notebook", "profile", "data", "outputs", "provenance", "seconds"}


def was_written(folder: Path) -> bool:
    """Whether there is a record, sound or not."""
    return (folder / "record.json").exists()


def why_unread(folder: Path) -> str:
    """Why a notebook has no sound record."""
    if not was_written(folder):
        return "not run yet"
    return "its record is damaged" if is_ours(folder) else "its record.json is not ours"


def read_record(folder: Path) -> dict[str, Any] | None:
    """The record of a notebook's last run, or None where it is absent, damaged or of another version."""
    try:
        path = folder / "record.json"
        found = json.loads(path.read_bytes()) if path.is_file() else None
        sound = is_sealed(found)
    except (OSError, ValueError, RecursionError):
        return None
    return found if sound and set(found or ()) >= _READ else None


def intact(folder: Path, record: Mapping[str, Any], name: str) -> bool:
    """Whether a file is there as the record says."""
    try:
        found = file_hash(folder / name)
    except OSError:
        return False
    return found is not None and found == record["outputs"].get(name)


def read_claims(folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]] | None:
    """The record and the claims of a notebook; None, with a warning, where they are damaged or not ours."""
    record = read_record(folder)
    if record is None or not intact(folder, record, "claims.json"):
        problem = "is damaged and does not count; gindex-lab reproduce makes it again"
        if record is None and not is_ours(folder):
            problem = "holds a record.json that gindex_lab did not write; it is left alone"
        warnings.warn(f"[not-counted] {folder} {problem}", Caution, stacklevel=2)
        return None
    return record, json.loads((folder / "claims.json").read_bytes())
