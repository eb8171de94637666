"""Errors for what is not a log: a PDF, a picture, a web page saved under another name, a pointer of Git LFS.

`refuse_other` looks at the first bytes, whatever the file is called; `not_recognised` says what a document or
a table without a known layout holds instead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from gindex_lab.foundation.errors import BadInput, short
from gindex_lab.foundation.inputs import files_below
from gindex_lab.studies.readers.formats import FORMATS
from gindex_lab.studies.readers.text import bad_file, beginning, json_glimpse, listed, load_json, suffix_of

__all__ = ["mixed_formats", "not_recognised", "nothing_there", "refuse_other"]

_ITSELF = "name the log or the table itself"
_KINDS = (  # how it begins, what it is, what to do
    (rb"%PDF-", "a PDF document", _ITSELF),
    (rb"\x89PNG|\xff\xd8\xff|GIF8|RIFF....WEBP|BM.{4}\0\0\0\0", "a picture", _ITSELF),
    (rb"SQLite format 3\0", "an SQLite database", "export the table that holds the scores as CSV"),
    (rb"MZ.{2,}\0|\x7fELF", "a program", _ITSELF),
    (rb"\0\x05\x16\x07", "a file of macOS about another file", _ITSELF),
    (
        rb"version https://git-lfs",
        "a pointer of Git LFS, not the file itself",
        "fetch the file with `git lfs pull`",
    ),
    (
        rb"(?i)\s*(<!doctype html|<html)",
        "a web page (HTML)",
        "download the file itself: this may be a login page",
    ),
    (rb"\s*<\?xml", "XML", _ITSELF),
    (rb"<<<<<<< ", "a file with the marks of a merge conflict", "resolve the conflict"),
)
_SUPPORTED = "supported are " + ", ".join(line.split(":")[0] for line in FORMATS.values())
_ARCHIVES = (".zip", ".tar", ".tgz", ".7z", ".rar", ".bz2", ".xz")
_LOG = "name a log of a tool that is known, or pass format=... with columns=... (--format, --columns)"


def refuse_other(path: Path) -> None:
    """Refuse what is neither text nor a log, by its first bytes."""
    start = beginning(path, 512).removeprefix(b"\xef\xbb\xbf")
    for pattern, what, remedy in _KINDS:
        if re.match(pattern, start, re.DOTALL):
            raise bad_file(path, f"[not-a-log] is {what}", remedy)
    if not start.strip() and not beginning(path).strip():
        raise bad_file(path, "[empty] is empty", "leave it out")


def not_recognised(path: Path) -> BadInput:
    """The error for a file without a known layout: what it holds instead."""
    suffix = suffix_of(path)
    if beginning(path, 4) in (b"PK\3\4", b"PK\5\6"):
        problem = "[unknown-format] is a zip archive, but not a log of Inspect"
        return bad_file(path, problem, "unpack it and name the folder")
    held = f"ends in {suffix!r}" if suffix else "has no ending that tells its kind"
    if suffix in (".json", ".eval"):
        held = _document(path)
    elif suffix in (".jsonl", ".ndjson"):
        held = f"begins with {_line(path)}"
    elif suffix in (".csv", ".tsv", ".tab"):
        held = "has only one column, or its separator is neither comma, tab nor semicolon"
    return bad_file(path, f"[unknown-format] is not recognised: it {held}", _LOG)


def _document(path: Path) -> str:
    found = json_glimpse(path)
    if found is None or found == {} or found == []:
        try:
            found = load_json(path)
        except BadInput as error:
            return error.problem
    return f"holds {_described(found)}"


def _line(path: Path) -> str:
    text = beginning(path, 65_536).decode("utf-8", errors="replace").lstrip("\ufeff").lstrip()
    first = text.splitlines()[0] if text else ""
    try:
        return _described(json.loads(first))
    except (ValueError, RecursionError):
        return f"{short(first)}, which is not JSON"


def _described(found: object) -> str:
    """What a JSON value is."""
    if isinstance(found, dict):
        return f"an object of {listed(found, 6)}" if found else "an object without anything in it"
    if isinstance(found, list):
        return f"a list of {_described(found[0])[2:]}s" if found else "a list without anything in it"
    words = {str: "a text", bool: "a truth value", int: "a number", float: "a number"}
    return words.get(type(found), "nothing")


def nothing_there(folder: Path) -> BadInput:
    """The error for a folder without a log or a table: what it holds instead."""
    files = list(files_below(folder, {}))
    held = f" (but {listed(files)})" if files else ""
    packed = [file for file in files if suffix_of(file) in _ARCHIVES]
    remedy = f"unpack {listed(packed)} and name the folder" if packed else _SUPPORTED
    return bad_file(folder, f"[no-log] holds no log and no table{held}", remedy)


def mixed_formats(
    path: Path, kinds: Mapping[str, list[Path]], unknown: list[Path], skipped: Mapping[Path, BadInput]
) -> BadInput:
    """The error for tables of several formats in one folder, or for files of which none is known."""
    seen = [f"{len(files)} {kind} ({listed(files)})" for kind, files in kinds.items()]
    seen += [f"{len(unknown)} not recognised ({listed(unknown)})"] if unknown else []
    seen += [f"{len(skipped)} unreadable ({listed(skipped)})"] if skipped else []
    if not kinds:
        problem = f"[unknown-format] is not recognised: {'; '.join(seen)}"
        return bad_file(path, problem, _SUPPORTED)
    remedy = "read one format at a time: name a file or a folder of one, or pass --format"
    problem = f"[mixed-formats] mixes formats: {'; '.join(seen)}"
    return bad_file(path, problem, f"{remedy}; {_SUPPORTED}")
