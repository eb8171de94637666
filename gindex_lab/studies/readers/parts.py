"""What the readers of logs share: fields of a known type, rows, and agents called after their files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import short
from gindex_lab.studies.readers.foreign import load_yaml
from gindex_lab.studies.readers.storage import Storage, as_number
from gindex_lab.studies.readers.tables import table_at
from gindex_lab.studies.readers.text import (
    LINES,
    bad_file,
    json_lines,
    listed,
    load_json,
    objects,
    stem_of,
    suffix_of,
)

__all__ = [
    *("document", "field", "loaded", "mapping", "model_of_folder", "name_in"),
    *("names_by_file", "note_joined", "rows_of", "score_of"),
]

_KINDS: dict[type, str] = {dict: "an object", list: "a list", str: "a name"}


def field(content: Any, name: str, kind: type, file: Path, tool: str) -> Any:
    """A field of a log, which must be there and of its type."""
    found = content.get(name) if isinstance(content, Mapping) else None
    if isinstance(found, kind):
        return found
    problem = f"[wrong-type] has {name}={short(found)} where {tool} writes {_KINDS[kind]}"
    raise bad_file(file, problem, f"name a file that {tool} wrote, or leave it out")


def mapping(content: Any, *names: str) -> dict[str, Any]:
    """A field that is an object, or one inside others; an empty one where there is none."""
    for name in names:
        content = content.get(name) if isinstance(content, Mapping) else None
    return content if isinstance(content, dict) else {}


def name_in(row: Mapping[str, Any], file: Path, number: int, *names: str) -> str:
    """The first of some fields of a row that holds a name; a row without any is refused."""
    for name in names:
        if isinstance(row.get(name), (str, int)) and str(row[name]).strip():
            return str(row[name])
    raise bad_file(file, f"[missing-field] has no {names[0]} in row {number}", "fix or drop the row")


def score_of(value: object, file: Path, where: str) -> float:
    """A score as a number, NaN for none; text or a list is refused by its place."""
    number = as_number(value)
    if number is None:
        problem = f"[wrong-type] has {short(value)} as the score of {where}, which is not a number"
        raise bad_file(file, problem, "fix the file, or leave it out")
    return number


def note_joined(found: Storage, runs: Mapping[str, set[Path]], what: str) -> None:
    """Note the agents of whom several runs were read, each from a folder of its own."""
    several = [agent for agent, places in runs.items() if len(places) > 1]
    if several:
        count = sum(len(runs[agent]) for agent in several)
        said = f"{count} {what} of {listed(several)} were joined: their trials are repeats"
        found.note("repeats", said, "agent_from='folder' (--agent-from), or exclude=[...]")


def model_of_folder(name: str) -> str:
    """The model after which a tool called a folder or a file: org__model for org/model."""
    return name.replace("__", "/", 1)


def names_by_file(
    files: Sequence[Path],
    found: Storage,
    clean: Callable[[str], str] = str,
    generic: Sequence[str] = (),
    prefer: str | None = None,
) -> dict[Path, str]:
    """An agent for each file, for logs that do not name one: by its own name, or by that of its folder.

    `generic` are names that say nothing ("results"); `clean` takes off what the tool appends; `prefer` says
    where the tool puts the model. Without that, files of the same names in several folders are refused: the
    agent may be either. The decision is noted.
    """
    stems = {file: clean(stem_of(file)) for file in files}
    known = set(stems.values())
    asked = found.options.agent_from if found.options.agent_from in ("file", "folder") else None
    way = asked or ("folder" if any(stem.lower() in generic for stem in known) else prefer)
    if way is None and len(known) < len(files):
        way = "folder" if len(known) == 1 else None
        if way is None:
            problem = f"[ambiguous-agent] has files of the same name in several folders ({files[0].name} …)"
            remedy = "say which names the agent: agent_from='file' or 'folder' (--agent-from)"
            raise bad_file(found.path, problem, remedy)
    if way is None and (parts := _two_parts(list(stems.values()))):
        named = f"({parts[0]!r} and {parts[1]!r}): one may be the task"
        remedy = "put each agent in a folder, or say that each file is one: agent_from='file' (--agent-from)"
        raise bad_file(found.path, f"[ambiguous-agent] has files named by two things {named}", remedy)
    folders = {file: file.resolve().parent.name for file in files}
    names = {file: model_of_folder((folders if way == "folder" else stems)[file]) for file in files}
    shown = listed(dict.fromkeys(names.values()))
    said = f"the logs do not name a model: each agent is called after its {way or 'file'} ({shown})"
    found.note("agents", said, "agent_from='file' or 'folder' (--agent-from)")
    return names


def _two_parts(stems: Sequence[str]) -> tuple[str, str] | None:
    """The first parts of names that are all pairs of some beginnings and ends; sizes do not count as ends.

    >>> _two_parts(["gpt_arc", "gpt_gsm", "o3_arc", "o3_gsm"]), _two_parts(["qwen_7b", "qwen_70b"])
    (('gpt', 'arc'), None)
    """
    pairs = [stem.rpartition("_")[::2] for stem in stems]
    starts, ends = ({pair[k] for pair in pairs} for k in (0, 1))
    whole = len(set(pairs)) == len(starts) * len(ends) and min(len(starts), len(ends)) > 1
    sizes = all(re.fullmatch(r"(?i)\d+(\.\d+)?[bm]", end) for end in ends)
    return pairs[0] if whole and "" not in starts and not sizes else None


def rows_of(file: Path, found: Storage, labels: Sequence[str] = ()) -> Iterable[tuple[int, dict[str, Any]]]:
    """The rows of a log, numbered: lines of JSONL, objects in JSON, or rows of a table, whose `labels` stay
    the text that they are."""
    suffix = suffix_of(file)
    if suffix in LINES:
        return json_lines(file, found.notes, found.options.encoding)
    if suffix == ".json":
        return objects(load_json(file, found.options.encoding), file)
    table = table_at(file, list(labels), found.options)
    found.note_once(*table.attrs.get("notes", ()))
    return enumerate(table.astype(object).where(table.notna(), None).to_dict("records"), 1)


def loaded(files: Iterable[Path], found: Storage) -> dict[Path, Any]:
    """The documents in some files; a bad one is skipped and listed."""
    contents: dict[Path, Any] = {}
    for file in files:
        with found.reading(file):
            contents[file] = document(file, found)
    return contents


def document(file: Path, found: Storage) -> Any:
    """A JSON or YAML document."""
    yaml = suffix_of(file) in (".yaml", ".yml")
    return (load_yaml if yaml else load_json)(file, found.options.encoding)
