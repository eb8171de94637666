"""Text that may be compressed, in another encoding, or cut off in its last line: one line at a time.

UTF-8 is expected; a byte-order mark announces UTF-8 or UTF-16. Any other encoding must be named, because a
wrong one would give wrong names without a word. `json_glimpse` gives the beginning of a document as Python
objects, enough to see what wrote it, however long it is.
"""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from gindex_lab.foundation.errors import BadInput, short
from gindex_lab.foundation.files import whole_lines
from gindex_lab.foundation.inputs import BROKEN, open_bytes, parse_json, read_bytes, unreadable

__all__ = [
    *(
        "LINES",
        "bad_file",
        "beginning",
        "encoding_of",
        "glimpse_of",
        "is_lines",
        "json_glimpse",
        "json_lines",
    ),
    *("listed", "load_json", "objects", "open_text", "stem_of", "suffix_of", "wrong_encoding"),
]

LINES = (".jsonl", ".ndjson")
_PACKED = (".gz", ".zst", ".zstd")
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


def bad_file(path: Path | str, problem: str, remedy: str) -> BadInput:
    """The error about a file or folder: its problem, the code in brackets first, and what to do."""
    return BadInput("path", str(path), problem, remedy)


def listed(names: Iterable[object], most: int = 3) -> str:
    """The first of some names as a message shows them; files without quotes."""
    known = [one.name if isinstance(one, Path) else repr(one) for one in names]
    return ", ".join(known[:most]) + " …" * (len(known) > most)


def suffix_of(path: Path) -> str:
    """The ending that tells what a file holds, in small letters."""
    return (path.with_suffix("") if path.suffix.lower() in _PACKED else path).suffix.lower()


def stem_of(path: Path) -> str:
    """The name of a file without its endings."""
    return (path.with_suffix("") if path.suffix.lower() in _PACKED else path).stem


def beginning(path: Path, size: int = 65_536) -> bytes:
    """The first bytes of a file, unpacked: enough to see what it is."""
    try:
        with open_bytes(path) as file:
            return file.read(size)
    except BROKEN as error:
        raise unreadable(error, path) from None


def encoding_of(path: Path, given: str | None = None) -> str:
    """The encoding: as given, as the byte-order mark says, or UTF-8."""
    if given is not None:
        return given
    start = beginning(path, 4096)
    for mark, name in _MARKS.items():
        if start.startswith(mark):
            return name
    if b"\0" in start:
        problem = "[not-text] holds zero bytes: it is not text, or is UTF-16 without its mark"
        raise bad_file(path, problem, "pass encoding='utf-16-le' if it is such text")
    return "utf-8"


def open_text(path: Path, encoding: str | None = None) -> IO[str]:
    """The text of a file, unpacked and decoded."""
    return io.TextIOWrapper(open_bytes(path), encoding=encoding_of(path, encoding))


def json_lines(
    path: Path, notes: list[str], encoding: str | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) of each line of JSONL; a last line that a stopped run cut off is noted.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file, notes = Path(folder, "a.jsonl"), []
    ...     _ = file.write_text('{"a": 1}\\n{"a": 2}\\n{"a":')
    ...     [line["a"] for _, line in json_lines(file, notes)], notes
    ([1, 2], ['a.jsonl: the last line (3) is cut off, and was left out'])
    """
    if beginning(path, 256).removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"[":
        found = load_json(path, encoding)  # a list under the name of lines, as lm-eval 0.4.0 wrote it
        for number, one in enumerate(found if isinstance(found, list) else [found], 1):
            yield number, _object(path, number, one)
        return
    broken: tuple[int, Exception] | None = None
    for number, text in _lines(path, encoding):
        if broken:
            raise _not_json(path, *broken)
        try:
            found = parse_json(text, "path", f"{path}, line {number}")
        except BadInput:
            raise
        except ValueError as error:
            broken = number, error
            continue
        yield number, _object(path, number, found)
    if broken and broken[0] == 1:
        raise _not_json(path, *broken)
    if broken:
        notes.append(f"{path.name}: the last line ({broken[0]}) is cut off, and was left out")


def _object(path: Path, number: int, found: Any) -> dict[str, Any]:
    if not isinstance(found, dict):
        problem = f"[not-an-object] has no object in line {number}, but {short(found)}"
        raise bad_file(path, problem, "give one JSON object per line")
    return found


def objects(content: Any, file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a list, or the only one, numbered."""
    for number, row in enumerate(content if isinstance(content, list) else [content], 1):
        if not isinstance(row, dict):
            raise bad_file(file, f"[wrong-type] has no object as its row {number}", "fix the file")
        yield number, row


def _lines(path: Path, encoding: str | None) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, with their numbers; one at a time, so that a file may be any size."""
    number = 0
    try:
        with open_text(path, encoding) as file:
            for number, text in enumerate(whole_lines(file, path), 1):
                if text.strip():
                    yield number, text
    except UnicodeError as error:
        raise wrong_encoding(path, error, f"after line {number}") from None
    except BROKEN as error:
        raise unreadable(error, path) from None


def load_json(path: Path, encoding: str | None = None) -> Any:
    """A whole JSON document, or a list of the objects in its lines; the error says where it breaks."""
    if is_lines(path, encoding):
        return [found for _, found in json_lines(path, [], encoding)]
    try:
        text = read_bytes(path).decode(encoding_of(path, encoding))
        return parse_json(text, "path", str(path))
    except UnicodeError as error:
        raise wrong_encoding(path, error) from None
    except BadInput:
        raise
    except ValueError as error:
        raise _not_json(path, None, error) from None


def is_lines(path: Path, encoding: str | None = None) -> bool:
    """Whether a file that may be one document begins with two JSON objects, each in a line."""
    start = beginning(path).decode(encoding_of(path, encoding), errors="replace").lstrip("\ufeff")
    first, _, second = start.lstrip().partition("\n")
    return first.rstrip().endswith("}") and first[:1] + second.lstrip()[:1] == "{{"


def wrong_encoding(path: Path, error: UnicodeError, where: str = "") -> BadInput:
    """The error for bytes that do not decode."""
    name, reason = getattr(error, "encoding", "UTF-8"), getattr(error, "reason", error)
    remedy = "pass its encoding, for instance encoding='latin-1', or save it as UTF-8"
    return bad_file(path, f"[wrong-encoding] is not {name} text {where}".rstrip() + f" ({reason})", remedy)


def _not_json(path: Path, line: int | None, error: Exception) -> BadInput:
    where = "is not JSON" if line is None else f"has no JSON in line {line}"
    return bad_file(path, f"[not-json] {where} ({error})", "fix the file, or leave it out")


# -- the beginning of a JSON document ----------------------------------------------------------------


_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*+"?|[][{},]', re.DOTALL)  # an open string ends the text
_CLOSES = {"{": "}", "[": "]"}


def json_glimpse(path: Path, size: int = 2_000_000, encoding: str | None = None) -> Any:
    """The objects in the first bytes of a JSON document; None where they are not JSON at all."""
    text = beginning(path, size).decode(encoding_of(path, encoding), errors="ignore")
    return glimpse_of(text.lstrip("\ufeff"))


def glimpse_of(text: str) -> Any:
    """The same of a text: what is cut off is closed where its last whole value ends.

    >>> glimpse_of('{"results": {"arc": {"acc": 0.5}, "gsm8k": {"em')
    {'results': {'arc': {'acc': 0.5}, 'gsm8k': {}}}
    >>> glimpse_of('[{"task_id": 3, "reward": 1.0}, {"task_id": 4, "rew')
    [{'task_id': 3, 'reward': 1.0}, {'task_id': 4}]
    """
    try:
        return json.loads(text)
    except RecursionError:
        return None
    except ValueError as error:
        broken = getattr(error, "pos", 0)
    try:
        return json.loads(_closed(text[:broken]))
    except (ValueError, RecursionError):
        return None


def _closed(text: str) -> str:
    inside: list[str] = []
    kept = 0
    for match in _TOKENS.finditer(text):
        token = match[0]
        if token in "{[":
            inside.append(_CLOSES[token])
            kept = match.end()
        elif token in "}]" and inside:
            inside.pop()
            kept = match.end()
        elif token == ",":
            kept = match.start()
    return text[:kept] + "".join(reversed(inside))
