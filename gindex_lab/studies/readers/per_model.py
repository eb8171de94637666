"""One file per model that does not name it: rows of {id, correct}, or one object {id: score}.

JSONL, JSON and tables whose rows have an item and a response and no agent. The agent is the file's name, or
the folder's where all files have the same name; `columns=` says otherwise. Without an id, the wording of the
question is the item. Two rows of one item in a file are a repeat that must be asked for (`repeats=`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import BadInput
from gindex_lab.studies.readers.metrics import settle_direction
from gindex_lab.studies.readers.names import ITEMS, WORDINGS, first_of, responses_in
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.parts import model_of_folder, names_by_file, rows_of, score_of
from gindex_lab.studies.readers.roles import keep_roles
from gindex_lab.studies.readers.storage import Storage, text_code
from gindex_lab.studies.readers.tables import table_header
from gindex_lab.studies.readers.text import LINES, bad_file, listed, load_json, objects, stem_of, suffix_of

__all__ = ["read_per_model"]

_TRIALS = ("trial", "epoch", "repeat", "attempt", "run", "seed", "replicate")
_FAMILIES = ("family", "task", "task_name", "dataset", "benchmark", "category", "subject", "domain")
_GENERIC = (
    *("results", "result", "samples", "scores", "predictions"),
    *("output", "outputs", "eval", "log", "test"),
)


def read_per_model(files: Sequence[Path], found: Storage) -> None:
    """Agents are files or folders, items are what the rows are called."""
    agents = names_by_file(files, found, generic=_GENERIC)
    families = _families(files, agents)
    chosen: dict[str, str] = {}
    for file in files:
        with found.reading(file):
            chosen = _read_file(file, agents[file], families[file], chosen, found)
    if chosen:
        found.note("columns", f"columns: {', '.join(f'{kind} {name!r}' for kind, name in chosen.items())}")
        settle_direction(chosen["response"], found, guess="higher")


def _families(files: Sequence[Path], agents: Mapping[Path, str]) -> dict[Path, str]:
    """Where one agent has several files, what else tells them apart: equal ids there are other items."""
    folders = {file: file.resolve().parent.name for file in files}
    several = len(set(agents.values())) < len(files)
    by_folder = all(agents[f] != model_of_folder(folders[f]) for f in files)
    return {f: "" if not several else folders[f] if by_folder else stem_of(f) for f in files}


def _read_file(file: Path, agent: str, family: str, chosen: dict[str, str], found: Storage) -> dict[str, str]:
    """Add the rows of one file; gives the columns, which the first row decides."""
    count, roles = 0, True
    for number, row in _rows(file, found):
        chosen = chosen or _columns(row, found.options, file)
        if chosen["response"] not in row:
            problem = f"[missing-field] has no {chosen['response']!r} in row {number}"
            raise bad_file(file, problem, "fix or drop the row")
        value = score_of(row[chosen["response"]], file, f"row {number}")
        mine = str(row.get(chosen.get("family", "")) or family)
        item = _item(row, chosen, mine, found, file, number)
        found.add(agent, mine, item, value, trial=row.get(chosen.get("trial", "")))
        if roles:  # where the first row has none, there are none
            roles = keep_roles(found, mine, item, {"metadata": row})
        count += 1
    if not count:
        raise bad_file(file, "[empty] has no response", "leave it out")
    return chosen


def _columns(row: Mapping[str, Any], options: Options, file: Path) -> dict[str, str]:
    known = {str(name).strip().lower(): str(name) for name in row}
    names = {"item": [*ITEMS, *WORDINGS], "trial": _TRIALS, "family": _FAMILIES}
    there = {kind: [known[name] for name in some if name in known] for kind, some in names.items()}
    there["response"] = responses_in(list(known.values()))
    chosen: dict[str, str] = {}
    for kind in ("item", "response", "trial", "family"):
        given = options.columns.get(kind)
        if given is not None and given not in row:
            problem = f"is not a column of {file.name}"
            raise BadInput(f"columns[{kind!r}]", given, problem, f"it has {listed(row, 8)}")
        if given or there[kind]:
            chosen[kind] = given or there[kind][0]
        elif kind in ("item", "response"):
            problem = f"[missing-field] has no column for the {kind} (it has {listed(row, 8)})"
            raise bad_file(file, problem, f"name it: columns={{{kind!r}: ...}}")
    return chosen


def _item(
    row: Mapping[str, Any], chosen: Mapping[str, str], family: str, found: Storage, file: Path, number: int
) -> str:
    value = row.get(chosen["item"])
    if value is None or (isinstance(value, (dict, list)) and not value):
        raise bad_file(file, f"[missing-field] names no item in row {number}", "fix or drop the row")
    if chosen["item"].strip().lower() in WORDINGS:
        return f"#{text_code(value):08x}"
    text = first_of(row, WORDINGS)
    return str(value) if text is None else found.item_name(family, str(value), text)


def _rows(file: Path, found: Storage) -> Iterable[tuple[int, Mapping[str, Any]]]:
    suffix = suffix_of(file)
    content = load_json(file, found.options.encoding) if suffix == ".json" else None
    if isinstance(content, dict):  # scores by item
        rows = ((k, v if isinstance(v, dict) else {"score": v}) for k, v in content.items())
        return objects([{"id": name} | row for name, row in rows], file)
    if content is not None:
        return objects(content, file)
    header = () if suffix in LINES else map(str, table_header(file, found.options))
    return rows_of(file, found, [n for n in header if n.strip().lower() in ITEMS][:1])
