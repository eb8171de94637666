"""The folder of the reports: whether it may be written, whose it is, and what an old run left in it.

A folder with pages of somebody else is refused before anything is written; what is ours carries a marker.
The record of a notebook carries a hash of itself and of every file beside it: a record that does not fit its
seal, or a file that does not fit the record, does not count, and the notebook runs again.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import BadInput, Caution
from gindex_lab.foundation.fingerprints import file_hash, is_sealed
from gindex_lab.foundation.folders import (
    claim,
    claimable,
    clear_unfinished,
    is_copy,
    is_ours,
    listed,
    mark,
    remove,
)
from gindex_lab.foundation.output import appendable, writing

__all__ = ["clear_leftovers", "intact", "opened", "read_claims", "read_record", "why_unread"]

_PAGES = ("claims.html", "glossary.html", "index.html", "manifest.json", "places.html", "ten_minutes.html")

# what those who come later read of a record
_READ = {"notebook", "profile", "data", "outputs", "provenance", "seconds"}


@contextmanager
def opened(reports: Path) -> Iterator[Path]:
    """The folder, ready to be written, marked as ours, and held against another run."""
    claimable(reports, "reports")
    reports = reports.resolve()
    _refuse_foreign(reports)
    _writable(reports)
    with _alone(reports):
        _claim_folder(reports)
        yield reports


def _writable(reports: Path) -> None:
    try:
        reports.mkdir(parents=True, exist_ok=True)
        probe = reports / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        problem = f"cannot be written to ({error.strerror})"
        raise BadInput("reports", str(reports), problem, "choose another with --reports") from None


@contextmanager
def _alone(reports: Path) -> Iterator[None]:
    """One run at a time in a reports folder; the lock ends with the process, however it ends."""
    appendable(reports / ".lock")
    with (reports / ".lock").open("a+b") as file:
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            problem = "[in-use] is being written by another run"
            raise BadInput("reports", str(reports), problem, "wait until it ends") from None
        yield


def _refuse_foreign(reports: Path) -> None:
    """A folder with pages of somebody else is refused before anything is written."""
    if not is_ours(reports):
        found = [name for name in _PAGES if os.path.lexists(reports / name)]
        found += [name for name in (".lock", ".cache", ".failed") if _in_use(reports / name)]
        if found and not _made_before_markers(reports):
            problem = f"[not-ours] holds {found[0]!r}, which gindex_lab did not write"
            remedy = "choose another folder with --reports"
            raise BadInput("reports", str(reports), problem, remedy)


def _claim_folder(reports: Path) -> None:
    """Put our marker on the reports and on the folders of state in them."""
    claim(reports, "reports", [*_PAGES, ".lock"])
    for name in (".cache", ".failed"):
        with writing(reports / name, "reports"):
            (reports / name).mkdir(exist_ok=True)
            mark(reports / name, "state", ["kernels.log"])
    appendable(reports / ".cache" / "kernels.log")


def _in_use(place: Path) -> bool:
    """Whether somebody else keeps something there; an empty file or folder, or one of ours, is nothing."""
    if place.is_dir() and not place.is_symlink():
        return not is_ours(place) and any(place.iterdir())
    return os.path.lexists(place) and (place.is_symlink() or place.stat().st_size > 0)


def _made_before_markers(reports: Path) -> bool:
    manifest = reports / "manifest.json"
    try:
        found = json.loads(manifest.read_bytes()) if manifest.is_file() else None
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and {"profile", "versions", "notebooks"} <= set(found)


def clear_leftovers(reports: Path, known: set[str]) -> None:
    """Unpublished folders of a run that was killed, and notebooks that left the catalogue."""
    for section in sorted(path for path in reports.glob("[!.]*") if path.is_dir()):
        clear_unfinished(section)
        for folder in sorted(path for path in section.glob("[!.]*") if is_ours(path)):
            name = folder.relative_to(reports).as_posix()
            if name not in known and _was_written(folder) and not is_copy(folder):
                remove(folder)
    for name in known:
        _adopt(reports / name, name)


def _adopt(folder: Path, name: str) -> None:
    """The folder of a notebook whose marker is damaged, or that was run before folders had markers."""
    if (listed(folder) and not is_copy(folder)) or not (folder / "record.json").is_file():
        return
    try:
        record = json.loads((folder / "record.json").read_bytes())
        if record["notebook"] == name:
            hashes = {str(file): str(written) for file, written in record["outputs"].items()}
            mark(folder, "notebook", {**hashes, "record.json": None})
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return  # not ours as far as we can tell: the run will say so


# -- what a run leaves behind and the next one reads ------------------------------------------------------


def _was_written(folder: Path) -> bool:
    """Whether there is a record, sound or not."""
    return (folder / "record.json").exists()


def why_unread(folder: Path) -> str:
    """Why a notebook has no sound record."""
    if not _was_written(folder):
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
