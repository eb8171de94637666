"""What the readers of logs share: fields of a known type, items that cannot merge, repeats, names by file."""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import BadInput, short
from gindex_lab.studies.readers.collect import Collector, as_number
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.text import LINES, json_lines, load_json, plain

__all__ = [
    "Identities",
    "Repeats",
    "document",
    "field",
    "loaded",
    "mapping",
    "names_by_file",
    "note_failures",
    "note_joined",
    "objects",
    "rows_of",
    "score_of",
    "text_code",
    "wrong_field",
]


def wrong_field(file: Path, problem: str, remedy: str) -> BadInput:
    """The error for a log whose field is missing or, unless the problem has a code, of another type."""
    problem = problem if problem.startswith("[") else f"[wrong-type] {problem}"
    return BadInput("path", str(file), problem, remedy)


def field(content: Any, name: str, kind: type, file: Path, tool: str) -> Any:
    """A field of a log, which must be there and of its type.

    >>> field({"scores": [1]}, "scores", dict, Path("a.json"), "MTEB")
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: path='a.json': has scores=[1] where MTEB writes an object; ...
    """
    found = content.get(name) if isinstance(content, Mapping) else None
    if isinstance(found, kind):
        return found
    words: dict[type, str] = {dict: "an object", list: "a list", str: "a name"}
    problem = f"has {name}={short(found)} where {tool} writes {words.get(kind, kind.__name__)}"
    raise wrong_field(file, problem, f"name a file that {tool} wrote, or leave it out")


def mapping(content: Any, name: str) -> dict[str, Any]:
    """A field that is an object, and an empty one where there is none.

    >>> mapping({"info": None}, "info")
    {}
    """
    found = content.get(name) if isinstance(content, Mapping) else None
    return found if isinstance(found, dict) else {}


def score_of(value: object, file: Path, where: str) -> float:
    """A score as a number, NaN for none; text or a list is refused by its place."""
    number = as_number(value)
    if number is None:
        problem = f"has {short(value)} as the score of {where}, which is not a number"
        raise wrong_field(file, problem, "fix the file, or leave it out")
    return number


def text_code(content: object) -> int:
    """A number that stands for a text or any JSON value: equal for equal content."""
    return zlib.crc32(json.dumps(content, sort_keys=True, default=str).encode())


class Identities:
    """Names of items: the same name for the same content, another for another, and a note of clashes.

    >>> found = Identities()
    >>> found.name("", "1", "2+2"), found.name("", "1", "2+2"), found.name("", "1", "3+3")
    ('1', '1', '1 #8aae51e3')
    """

    def __init__(self) -> None:
        self._names: dict[tuple[str, str, int], str] = {}
        self._taken: dict[tuple[str, str], int] = {}
        self.clashes: list[str] = []

    def name(self, family: str, label: str, content: object) -> str:
        """The name of the item that goes by `label` and has this content (None where it is unknown)."""
        code = text_code(content)
        known = self._names.get((family, label, code))
        if known is not None:
            return known
        first = self._taken.setdefault((family, label), code)
        if first == code:
            name = label
        else:
            name = f"{label} #{code:08x}"
            self.clashes.append(f"{family}/{name}" if family else name)
        self._names[family, label, code] = name
        return name

    def say(self, found: Collector) -> None:
        """Note the items that had the name of another."""
        if self.clashes:
            found.note_once(
                f"{len(self.clashes)} items have the name of another item with other content, and were kept "
                f"apart ({self.clashes[0]} …)"
            )


class Repeats:
    """Numbers the responses of an agent to an item: 1, 2, 3, as they come.

    >>> turn = Repeats()
    >>> turn.next("ann", "", "1"), turn.next("ann", "", "1"), turn.next("bob", "", "1")
    (1, 2, 1)
    """

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str, str]] = Counter()

    def next(self, agent: str, family: str, item: str) -> int:
        self._seen[agent, family, item] += 1
        return self._seen[agent, family, item]


def note_failures(found: Collector, count: int, what: str, tool: str) -> None:
    """Note what was scored 0 because the tool's own headline does so."""
    if count:
        found.note_once(f"{count} {what} count as failed, as in the headline of {tool}")


def note_joined(found: Collector, runs: Mapping[str, set[Path]], what: str) -> None:
    """Note the agents of whom several runs were read, each from a folder of its own."""
    several = [agent for agent, places in runs.items() if len(places) > 1]
    if several:
        count = sum(len(runs[agent]) for agent in several)
        said = f"{count} {what} of {', '.join(map(repr, several[:3]))} were joined: their trials are repeats"
        found.note("repeats", said, "agent_from='folder' (--agent-from), or exclude=[...]")


def names_by_file(
    files: Sequence[Path],
    found: Collector,
    options: Options,
    clean: Callable[[str], str] = str,
    generic: Sequence[str] = (),
    prefer: str | None = None,
) -> dict[Path, str]:
    """An agent for each file, for logs that do not name one: by its own name, or by that of its folder.

    `generic` are names that say nothing ("results"); `clean` takes off what the tool appends; `prefer` says
    where the tool puts the model. Without that, files of the same names in several folders are refused: the
    agent may be either. The decision is noted.
    """
    stems = {file: clean(plain(file).stem) for file in files}
    folders = {file: file.resolve().parent.name for file in files}
    way = options.agent_from if options.agent_from in ("file", "folder") else None
    if way is None and any(stem.lower() in generic for stem in stems.values()):
        way = "folder"
    if way is None and prefer is None and len(set(stems.values())) < len(files):
        way = "folder" if len(set(stems.values())) == 1 else None
        if way is None:
            problem = f"[ambiguous-agent] has files of the same name in several folders ({files[0].name} …)"
            remedy = "say which names the agent: agent_from='file' or 'folder' (--agent-from)"
            raise BadInput("path", found.path, problem, remedy)
    if way is None and prefer is None and (parts := _two_parts(list(stems.values()))):
        problem = (
            f"[ambiguous-agent] has files named by two things ({parts[0]!r} "
            f"and {parts[1]!r}): one may be the task"
        )
        remedy = "put each agent in a folder, or say that each file is one: agent_from='file' (--agent-from)"
        raise BadInput("path", found.path, problem, remedy)
    way = way or prefer or "file"
    names = {
        file: (stems if way == "file" else folders)[file].replace("__", "/", 1) for file in files
    }
    known = list(dict.fromkeys(names.values()))
    shown = ", ".join(map(repr, known[:3])) + " …" * (len(known) > 3)
    said = f"the logs do not name a model: each agent is called after its {way} ({shown})"
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


def rows_of(
    file: Path, found: Collector, options: Options, labels: Sequence[str] = ()
) -> Iterable[tuple[int, dict[str, Any]]]:
    """The rows of a log, numbered: lines of JSONL, objects in JSON, or rows of a table, whose `labels` stay
    the text that they are."""
    suffix = plain(file).suffix.lower()
    if suffix in LINES:
        return json_lines(file, found.notes, options.encoding)
    if suffix == ".json":
        return objects(load_json(file, options.encoding), file)
    from gindex_lab.studies.readers.tables import table_at

    table = table_at(file, list(labels), options)
    for note in table.attrs.get("notes", ()):
        found.note_once(note)
    return enumerate(table.astype(object).where(table.notna(), None).to_dict("records"), 1)


def objects(content: Any, file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a list, or the only one, numbered."""
    for number, row in enumerate(content if isinstance(content, list) else [content], 1):
        if not isinstance(row, dict):
            raise wrong_field(file, f"has no object as its row {number}", "fix the file")
        yield number, row


def loaded(files: Sequence[Path], found: Collector, options: Options) -> dict[Path, Any]:
    """The documents in some files; a bad one is skipped and listed."""
    contents: dict[Path, Any] = {}
    for file in files:
        with found.reading(file, options):
            contents[file] = document(file, options)
    return contents


def document(file: Path, options: Options) -> Any:
    """A JSON or YAML document."""
    if plain(file).suffix.lower() in (".yaml", ".yml"):
        from gindex_lab.studies.readers.foreign import load_yaml

        return load_yaml(file, options.encoding)
    return load_json(file, options.encoding)
