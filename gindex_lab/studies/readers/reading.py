"""`gl.read`: evaluation logs and tables as `Responses`, whatever wrote them.

What is found is recognised by content, joined over files, and checked: nothing is averaged, rescaled,
renamed or left out without a word. The words are in `.notes` of what is returned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.inputs import as_path, files_below, present, spooled
from gindex_lab.foundation.notes import Note
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.studies.readers.cells import check_scale
from gindex_lab.studies.readers.collect import Collector
from gindex_lab.studies.readers.formats import (
    BESIDE,
    FORMATS,
    HELM_FILES,
    READERS,
    SUFFIXES,
    TABLE_FORMATS,
    sniff,
)
from gindex_lab.studies.readers.oddities import mixed_formats, not_recognised, nothing_there, refuse_other
from gindex_lab.studies.readers.options import (
    Options,
    check_applies,
    check_directions,
    chosen_files,
    file_names,
)
from gindex_lab.studies.readers.roles import settle_roles
from gindex_lab.studies.readers.storage import about_file, all_bad
from gindex_lab.studies.readers.text import bad_file, listed, stem_of, suffix_of

__all__ = ["read", "read_rows", "read_scores", "read_scores_and_rows"]


def read(
    path: str | PathLike[str],
    *,
    format: str = "auto",
    metric: str | Sequence[str] | Mapping[str, str | Sequence[str]] | None = None,
    filter: str | None = None,
    agents: Sequence[str] | Mapping[str, str] | None = None,
    families: Sequence[str] | None = None,
    columns: Mapping[str, str | None] | None = None,
    scale: tuple[float, float] | None = None,
    repeats: str = "error",
    encoding: str | None = None,
    higher_is_better: Sequence[str] = (),
    lower_is_better: Sequence[str] = (),
    items: Sequence[str] | None = None,
    transpose: bool | None = None,
    strict: bool = False,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    agent_from: str | None = None,
) -> Responses:
    """Read evaluation logs or a table as responses in [0, 1], agents x items.

    Reads the logs of the tools in `gindex_lab.studies.readers.FORMATS` (lm-evaluation-harness, Inspect, HELM
    ...), leaderboards, and long and wide tables; one file, or a folder of files, which are joined. Files may
    be compressed with gzip or Zstandard.

    Parameters
    ----------
    path : a file or a folder
    format : "auto", or one of `gindex_lab.studies.readers.FORMATS`
    metric : which score of the log is the response, or several in order of preference
        By default the first that the log lists (lm-eval, Inspect), or that of HELM's own tables. A mapping
        chooses by task: {"arc*": "acc_norm", "*": "acc"}.
    filter : of lm-eval tasks that score each answer under several filters; by default the task's first
    agents : those to keep, or a mapping of their names to new ones
    families : the tasks, scenarios or data sets to keep
    columns : which column of a table, or field of a log, plays which role; None for a role not wanted
        Of long tables, e.g. {"agent": "model", "item": "question", "response": "score", "trial": "run",
        "family": "topic"}; of wide ones {"agent": ...}. Of every format also "difficulty" (numbers, or levels
        from easy to hard), "minutes" (also columns that end in seconds or hours), "weight", "family" (of
        items) and "date" (of agents), nested names with dots: {"difficulty": "metadata.human_minutes"}.
    scale : (low, high) of the scores, which become (0, 1); without it scores must lie in [0, 1]
    repeats : what a second response of an agent to the same item is
        An "error", one of "trials", or only the "first" or "last" counts. Epochs of Inspect, trials of HELM
        and a column of trials are repeats by themselves: averaged in `.frame`, kept in `.trials`.
    encoding : of text that is not UTF-8 (UTF-16 announces itself)
    higher_is_better : metrics, or columns of a wide table, whose direction neither the log nor the name tells
    lower_is_better : the same for those that are better when smaller: 1 - score, or minus the score, is read
    items : of wide tables and leaderboards, the columns to read as items
        By default all numbers but those that are facts about the agents by their name (age, parameters,
        rank, average ...).
    transpose : of wide tables, whether rows are items and columns agents
        By default so if the first column is called item, question, task or the like.
    strict : whether a file that cannot be read is an error; by default it is skipped and listed in `.notes`
    include : globs over tasks, models and files to keep ("mmlu*"; "task:mmlu*", "model:gpt*", "file:*.eval")
    exclude : the same for what to leave out
    agent_from : what an agent of a log is
        Its "model" (default), "model+args", "solver", "revision" (each with the model), or the name of its
        "file" or "folder".

    Returns
    -------
    Responses, whose `.notes` say what was decided and how to change it: a table in a notebook.

    Notes
    -----
    Nothing is averaged, rescaled, renamed or left out without a note.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "runs.csv")
    ...     _ = file.write_text("model,task,item,score\\nann,sums,1,1\\nann,sums,2,0\\nbob,sums,1,0\\n")
    ...     found = read(file)
    >>> found.frame
         sums/1  sums/2
    ann     1.0     0.0
    bob     0.0     NaN
    >>> found.notes[-1]
    '1 of 4 cells (25.0%) are missing; the agents met 2 different sets of items'
    """
    given = {name: value for name, value in locals().items() if name != "path"}
    return _read(path, Options(**given | {"columns": columns or {}}), Responses)  # type: ignore[return-value]


def read_scores(path: str | PathLike[str], **options: Any) -> Scores:
    """Read scores on any scale, raw, for a transform such as `gl.rank`.

    Parameters
    ----------
    path : a file or a folder
    options : those of `gl.read`

    Returns
    -------
    Scores, whose `.notes` say what was decided.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "games.csv")
    ...     _ = file.write_text("agent,pong,chess\\nann,21,1200\\nbob,-3,1500\\n")
    ...     read_scores(file)
    Scores(games: 2 agents x 2 items)
    """
    return _read(path, Options(**options), Scores)  # type: ignore[return-value]


def read_rows(path: str | PathLike[str], **options: Any) -> pd.DataFrame:
    """Read every row of the logs as written, nothing joined: what `gl.audit` looks at.

    Columns `agent`, `family`, `item`, `response` (NaN where there is none), `trial` where there are some, and
    of logs that say them `text` (a number that stands for it), `errored`, `configuration` and `choices`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "runs.csv")
    ...     _ = file.write_text("model,item,score\\nann,1,1\\nann,1,0\\n")
    ...     read_rows(file)[["agent", "item", "response"]].to_numpy().tolist()
    [['ann', '1', 1.0], ['ann', '1', 0.0]]
    """
    chosen = Options(**options)
    with spooled(as_path("path", path)) as where:
        there = _recognised(where, chosen)
        if "tidy" in there.kinds:
            return Responses.read(where).to_long().assign(family="")
        return _collected(where, there, chosen, details=float("inf")).rows()


def read_scores_and_rows(
    path: str | PathLike[str], most: int, **options: Any
) -> tuple[Scores, pd.DataFrame | None]:
    """What `read_scores` and `read_rows` give, read once; None in place of more than `most` rows."""
    chosen = Options(**options)
    with spooled(as_path("path", path)) as where:
        there = _recognised(where, chosen)
        if "tidy" in there.kinds:
            data = Scores.read(where)
            return data, None if data.frame.size > most else Responses.read(where).to_long().assign(family="")
        found = _collected(where, there, chosen, details=most)
        rows = found.rows() if len(found) <= most else None
        return _as_table(where, there, found, Scores), rows  # type: ignore[return-value]


def _read(path: str | PathLike[str], options: Options, kind: type[Responses | Scores]) -> Responses | Scores:
    with spooled(as_path("path", path)) as where:
        there = _recognised(where, options)
        if "tidy" in there.kinds:
            return kind.read(where)
        return _as_table(where, there, _collected(where, there, options), kind)


def _collected(where: Path, there: _There, options: Options, details: float = 0) -> Collector:
    """What the files hold; those that cannot be read are left out and counted."""
    check_applies(there.kinds, options)
    many = sum(map(len, there.kinds.values())) + len(there.skipped) > 1
    found = Collector(str(where), options, details, many)
    found.skipped |= there.skipped
    found.passed |= {name for file in there.left for name in file_names(file, where)}
    # lm-eval last, whatever the files are called: its log-likelihoods are read where nothing else is there
    for name, files in sorted(there.kinds.items(), key=lambda kind: kind[0] == "lm-eval"):
        module, function = READERS[name]
        getattr(import_module(f"gindex_lab.studies.readers.{module}"), function)(files, found)
        found.note_counts()
    found.check_any()
    check_directions(options, found.directed)
    return found


def _as_table(
    where: Path, there: _There, found: Collector, kind: type[Responses | Scores]
) -> Responses | Scores:
    frame, items, agents, trials, notes = found.gathered()
    check_scale(frame, trials, where, raw=kind is Scores)
    settle_roles(items, agents, found)
    name = stem_of(where) if where.is_file() else where.resolve().name
    table = kind(frame, items=items, agents=agents, trials=trials, name=name)
    table.notes = (*_top(there, found.skipped), *notes)
    return table


def _top(there: _There, bad: Mapping[Path, BadInput]) -> Iterator[str]:
    """First of all: what was read, and what was not."""
    read = {name: [f for f in files if f not in bad] for name, files in there.kinds.items()}
    parts = [
        f"{FORMATS[name].split(':')[0]}, {files[0].name if len(files) == 1 else f'{len(files)} files'}"
        for name, files in read.items()
    ]
    yield Note("files", f"read as {' and '.join(parts)}", "format=... (--format)")
    if bad:
        reasons: dict[str, list[Path]] = {}
        for file, error in bad.items():
            reasons.setdefault(error.problem, []).append(file)
        shown = [f"{listed(files)}: {problem}" for problem, files in list(reasons.items())[:3]]
        more = f" … and {len(reasons) - 3} more reasons" if len(reasons) > 3 else ""
        kinds = sorted({"folder" if file.is_dir() else "file" for file in bad})
        what = " and ".join(f"{kind}s" for kind in kinds)
        count = f"{len(bad)} {what} were" if len(bad) > 1 else f"1 {kinds[0]} was"
        said = f"{count} skipped ({'; '.join(shown)}{more})"
        yield Note("skipped", said, "strict=True (--strict) for an error, or exclude=[...]")
    if there.beside:
        tables = "1 table" if len(there.beside) == 1 else f"{len(there.beside)} tables"
        said = f"{tables} beside the logs not read ({listed(there.beside)})"
        yield Note("skipped", said, "format=... (--format), or naming the file")


# -- what is there -----------------------------------------------------------------------------------


class _There(NamedTuple):
    """The files of each format, those that are bad, and tables beside logs (which may hold the same)."""

    kinds: dict[str, list[Path]]
    skipped: dict[Path, BadInput]
    beside: list[Path]
    left: Sequence[Path] = ()  # left out by `exclude`


def _recognised(path: Path, options: Options) -> _There:
    """What is there. Logs of several tools are read together; of tables there must be one kind."""
    if not present(path):
        raise bad_file(path, "[not-found] does not exist", "check the name")
    if path.is_dir() and present(path / "responses.csv") and options.format in ("auto", "tidy"):
        return _There({"tidy": [path / "responses.csv"]}, {}, [])
    closed: dict[Path, BadInput] = {}  # folders that cannot be read
    every = _files(path, None if options.strict else closed) if path.is_dir() else [path]
    files = chosen_files(every, path, options) if path.is_dir() else every
    left = [file for file in every if file not in files]
    if not files and closed:
        raise all_bad(closed)
    if not files:
        raise nothing_there(path)
    if options.format != "auto" and len(files) == 1:
        return _There({options.format: files}, closed, [], left)
    kinds, skipped = _sorted_by_format(files, options, closed)
    if options.format != "auto":
        return _There({options.format: _of_format(files, kinds, options)}, skipped, [], left)
    unknown = kinds.pop("", [])
    if unknown and (options.strict or not kinds):
        alone = len(unknown) == 1 and not kinds and not skipped
        raise not_recognised(unknown[0]) if alone else mixed_formats(path, kinds, unknown, skipped)
    skipped |= {file: not_recognised(file) for file in unknown}
    logs = {kind: found for kind, found in kinds.items() if kind not in TABLE_FORMATS}
    tables = {kind: found for kind, found in kinds.items() if kind in TABLE_FORMATS}
    if not logs and len(tables) > 1:
        raise mixed_formats(path, kinds, unknown, skipped)
    beside = [file for found in tables.values() for file in found] if logs else []
    return _There(logs or tables, skipped, beside, left)


def _sorted_by_format(
    files: Sequence[Path], options: Options, closed: Mapping[Path, BadInput]
) -> tuple[dict[str, list[Path]], dict[Path, BadInput]]:
    """Files by format ("" for none), and those that cannot even be looked at."""
    kinds: dict[str, list[Path]] = {}
    skipped = dict(closed)
    for file in files:
        try:
            refuse_other(file)
            kind = sniff(file, options.encoding) or ""
            if kind == "wide" and options.columns.get("response"):  # which a wide table has not
                kind = "long"
            kinds.setdefault(kind, []).append(file)
        except BadInput as error:
            if options.strict or len(files) == 1 or not about_file(error):
                raise
            skipped[file] = error
    if not kinds and skipped:
        raise all_bad(skipped)
    return kinds, skipped


def _of_format(files: Sequence[Path], kinds: Mapping[str, list[Path]], options: Options) -> list[Path]:
    """Of a folder, what looks like the format asked for."""
    same = {*TABLE_FORMATS, ""} if options.format in TABLE_FORMATS else {options.format}
    kept = [file for kind, found in kinds.items() if kind in same for file in found]
    if not kept:
        problem = f"[other-format] is not what the folder holds ({listed(files)})"
        raise BadInput("format", options.format, problem, "leave it out to see what is there")
    return kept


def _files(folder: Path, closed: dict[Path, BadInput] | None = None) -> list[Path]:
    """Files that could hold data, at any depth; of a HELM run only its own, hidden ones never."""
    there = list(files_below(folder, closed))
    runs = {file.parent for file in there if file.name == "run_spec.json"}
    found = []
    for file in there:
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if hidden or suffix_of(file) not in SUFFIXES:
            continue
        inside = runs & set(file.parents)
        summary = file.name in BESIDE or (runs and "groups" in file.parts)
        if (file.parent in runs and file.name in HELM_FILES) or not (inside or summary):
            found.append(file)
    return found
