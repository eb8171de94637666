"""Inspect's `.eval` archives: a zip of JSON documents, packed with deflate or (since spring 2026) Zstandard.

`header.json` is the log without its samples, `samples/<id>_epoch_<n>.json` is one sample each; of a run that
was stopped only `_journal/start.json` says what it was. A sample may also be in chunks, as a folder
`samples/<id>_epoch_<n>/` of which `sample.json` holds the scores and `metadata.json` the metadata; one log
can mix both. (Inspect documentation, "Log Files"; `log/_recorders/chunked/format.py` of inspect_ai 0.3.285.)
"""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.inputs import check_archive, member_bytes, open_bytes, parse_json
from gindex_lab.studies.readers.text import bad_file

if sys.version_info >= (3, 14):
    import zipfile

    from compression.zstd import ZstdError
else:  # the same modules for older versions of Python
    from backports.zstd import ZstdError, zipfile

__all__ = ["eval_archive", "is_eval_archive"]

_HEADERS = ("header.json", "start.json", "_journal/start.json")
_SAMPLE = re.compile(r"samples/.+_epoch_\d+(?:\.json|/sample\.json)", re.DOTALL)
_AS_JSON = "write the log as JSON: inspect log convert --to json"
_BROKEN = (zipfile.BadZipFile, EOFError, zlib.error, ZstdError, RuntimeError, OSError)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """An archive within the limits; a damaged one is refused."""
    try:
        with open_bytes(path) as file, zipfile.ZipFile(file) as archive:
            check_archive(archive, path)
            yield archive
    except (*_BROKEN, NotImplementedError):
        problem, remedy = "[damaged] is a damaged .eval archive", f"copy it again, or {_AS_JSON}"
        raise bad_file(path, problem, remedy) from None


def is_eval_archive(path: Path) -> bool:
    """Whether a zip is a log of Inspect; a damaged one is refused."""
    with _opened(path) as archive:
        return any(name in _HEADERS for name in archive.namelist())


def eval_archive(file: Path) -> tuple[dict[str, Any], Iterator[dict[str, Any]]]:
    """The header of an archive, and its samples one by one."""
    with _opened(file) as archive:
        names = archive.namelist()
        about = next((name for name in _HEADERS if name in names), _HEADERS[0])
        header = _member(archive, about, file)
    members = sorted({name for name in names if _SAMPLE.fullmatch(name)})
    if not members:
        remedy = "wait for the run to end, or leave it out"
        raise bad_file(file, "[empty] is an archive without samples", remedy)
    return header, _members(file, members)


def _members(file: Path, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    with _opened(file) as archive:
        present = set(archive.namelist())
        for name in names:
            sample = _member(archive, name, file)
            beside = f"{name.removesuffix('sample.json')}metadata.json"
            if name.endswith("/sample.json") and beside in present:
                sample["metadata"] = _member(archive, beside, file)
            yield sample


def _member(archive: zipfile.ZipFile, name: str, file: Path) -> dict[str, Any]:
    try:
        found = parse_json(member_bytes(archive, name), "path", f"{file}, {name}")
    except BadInput:
        raise
    except NotImplementedError:
        problem = f"[unknown-compression] is packed in a way that cannot be unpacked here ({name})"
        raise bad_file(file, problem, _AS_JSON) from None
    except (ValueError, KeyError, *_BROKEN) as error:
        problem = f"[damaged] has a damaged part {name!r} ({error})"
        raise bad_file(file, problem, _AS_JSON) from None
    if not isinstance(found, dict):
        raise bad_file(file, f"has no object in {name!r}", _AS_JSON)
    return found
