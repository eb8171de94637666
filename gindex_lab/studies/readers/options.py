"""The options of a reader, checked once, and what they keep: agents, tasks and files by name or by glob.

A glob such as `mmlu*` is compared with tasks, models and files alike; `task:`, `model:` or `file:` before it
says which. Kept is what matches one glob of each of these kinds that `include` names, and none of `exclude`.
"""

from __future__ import annotations

import codecs
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.validate import choice, flag, pair
from gindex_lab.studies.readers.formats import FORMATS, TABLE_FORMATS
from gindex_lab.studies.readers.text import listed

__all__ = [
    *("COLUMNS", "ITEM_ROLES", "ROLES", "Options", "check_applies", "check_directions", "chosen_files"),
    *("file_names", "glob_mask", "is_unwanted", "named_mask", "none_left"),
]

REPEATS = ("error", "trials", "first", "last")
ITEM_ROLES = ("difficulty", "minutes", "weight", "choices")  # facts of items
ROLES = (*ITEM_ROLES, "date")  # and of agents
COLUMNS = ("agent", "item", "response", "trial", "family", *ROLES)  # what a column can be
AGENT_FROM = ("model", "model+args", "solver", "revision", "file", "folder")
_OPTIONAL = ("agents", "families", "items")
_LISTS = dict.fromkeys((*_OPTIONAL, "include", "exclude"), "[one-word] ")  # the code where one word is given
_LISTS |= {"higher_is_better": "", "lower_is_better": ""}
KINDS = ("task", "model", "file")  # what a glob can be about: "task:mmlu*"


@dataclass(frozen=True)
class Options:
    """The choices of the caller; `gl.read` explains each."""

    format: str = "auto"
    metric: str | Sequence[str] | Mapping[str, str | Sequence[str]] | None = None
    filter: str | None = None
    agents: Sequence[str] | Mapping[str, str] | None = None
    families: Sequence[str] | None = None
    columns: Mapping[str, str | None] = field(default_factory=dict)
    scale: tuple[float, float] | None = None
    repeats: str = "error"
    encoding: str | None = None
    higher_is_better: Sequence[str] = ()
    lower_is_better: Sequence[str] = ()
    items: Sequence[str] | None = None
    transpose: bool | None = None
    strict: bool = False
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    agent_from: str | None = None
    unknown_direction: str = "higher"

    def __post_init__(self) -> None:
        choice("format", self.format, ["auto", *FORMATS])
        choice("repeats", self.repeats, REPEATS)
        choice("unknown_direction", self.unknown_direction, ("higher", "error"))
        if self.agent_from is not None:
            choice("agent_from", self.agent_from, AGENT_FROM)
        pair("scale", self.scale)
        flag("strict", self.strict)
        if self.transpose is not None:
            flag("transpose", self.transpose)
        self._check_names()
        self._check_columns()
        self._check_lists()
        try:
            codecs.lookup(self.encoding or "utf-8")
        except (LookupError, TypeError):
            remedy = "use 'utf-8', 'utf-16', 'latin-1' or another that Python knows"
            raise BadInput("encoding", self.encoding, "[unknown-word] is not known", remedy) from None

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics asked for of every task, the preferred one first; empty for the log's own."""
        return self.metrics_of("")

    def metrics_of(self, task: str) -> tuple[str, ...]:
        """The metrics asked for of one task: a mapping has task names, or globs over them."""
        given = self.metric if isinstance(self.metric, Mapping) else {"*": self.metric or ()}
        mine = [names for glob, names in given.items() if fnmatchcase(task, glob)]
        words = ((names,) if isinstance(names, str) else names for names in mine)
        return tuple(dict.fromkeys(name for some in words for name in some))

    def patterns(self, name: str) -> dict[str, list[str]]:
        """The globs of `include` or `exclude`, by what they are about ("any" where they do not say)."""
        found: dict[str, list[str]] = {}
        for given in getattr(self, name):
            kind, colon, glob = given.partition(":")
            known = bool(colon) and kind in KINDS
            found.setdefault(kind if known else "any", []).append(glob if known else given)
        return found

    def direction(self, metric: str) -> str | None:
        """ "lower" or "higher" where the caller said so."""
        if metric in self.lower_is_better:
            return "lower"
        return "higher" if metric in self.higher_is_better else None

    def _check_names(self) -> None:
        parts = list(self.metric.values()) if isinstance(self.metric, Mapping) else [self.metric]
        names = [word for one in parts for word in (one if isinstance(one, (list, tuple)) else [one])]
        for name, given, words in (("metric", self.metric, names), ("filter", self.filter, [self.filter])):
            named = given is None or all(isinstance(word, str) and word for word in words)
            ensure(named, name, given, "[not-a-name] is not a name", f"write {name}='...' as in the log")

    def _check_lists(self) -> None:
        """Lists of names are lists; globs are text; no metric runs both ways."""
        for name, code in _LISTS.items():
            given = getattr(self, name)
            remedy = f"pass a list: {name}=[{given!r}]"
            ensure(not isinstance(given, str), name, given, f"{code}is one word", remedy)
            some = isinstance(given, Iterable) or (given is None and name in _OPTIONAL)
            ensure(some, name, given, "[wrong-type] is not a list", "pass a list")
            for glob in given if name in ("include", "exclude") else ():
                known = isinstance(glob, str) and glob.removeprefix("file:")
                remedy = "pass globs such as 'mmlu*', 'model:gpt*' or 'file:*.eval'"
                ensure(known, name, glob, "[wrong-type] is not a glob", remedy)
        for both in sorted(set(self.higher_is_better) & set(self.lower_is_better)):
            problem = "is also named in higher_is_better"
            raise BadInput("lower_is_better", both, problem, "name it in one of the two")

    def _check_columns(self) -> None:
        remedy = "write columns={'agent': 'model', 'response': 'score'}"
        mapped = isinstance(self.columns, Mapping)
        ensure(mapped, "columns", self.columns, "[not-a-mapping] is not a mapping", remedy)
        for name, column in self.columns.items():
            choice("columns", name, COLUMNS)
            off = column is None and name in (*ROLES, "family", "trial")
            named = off or (isinstance(column, str) and column)
            remedy = "write it as in the table, or None for a role that is not wanted"
            ensure(named, f"columns[{name!r}]", column, "is not the name of a column", remedy)


# -- what they keep ---------------------------------------------------------------------------------


def matching(globs: Iterable[str], names: Sequence[str]) -> np.ndarray:
    """Which of the names match one of the globs (capital letters count)."""
    known = list(globs)
    return np.array([any(fnmatchcase(n, g) for g in known) for n in names], dtype=bool)


def file_names(file: Path, folder: Path) -> list[str]:
    """What a file answers to: its name, its path below the folder, and the folders on the way."""
    inside = file.relative_to(folder) if folder in file.parents else Path(file.name)
    parts = [*inside.parents][:-1]
    return [file.name, inside.as_posix(), *(p.as_posix() for p in parts), *(p.name for p in parts)]


def chosen_files(files: Sequence[Path], folder: Path, options: Options) -> list[Path]:
    """Files that are not excluded, and that a glob about files (`file:...`) includes."""
    wanted, unwanted = options.patterns("include"), options.patterns("exclude")
    left_out = [*unwanted.get("any", []), *unwanted.get("file", [])]
    names = {file: file_names(file, folder) for file in files}
    kept = [
        file
        for file, known in names.items()
        if ("file" not in wanted or matching(wanted["file"], known).any())
        and not matching(left_out, known).any()
    ]
    for name, patterns in (("include", wanted), ("exclude", unwanted)):
        for glob in patterns.get("file", []):
            if not any(matching([glob], known).any() for known in names.values()):
                problem = "[no-match] does not match any file"
                raise BadInput(name, f"file:{glob}", problem, f"there are {listed(files, 5)}")
    if files and not kept:
        name = "include" if "file" in wanted else "exclude"
        problem = f"[no-match] leaves none of the {len(files)} files"
        raise BadInput(name, list(getattr(options, name)), problem, "name fewer")
    return kept


def glob_mask(
    options: Options,
    agents: tuple[Sequence[str], np.ndarray],
    tasks: tuple[Sequence[str], np.ndarray],
    files: tuple[Sequence[Sequence[str]], np.ndarray],
    passed: Iterable[str] = (),
) -> np.ndarray:
    """Which rows `include` and `exclude` keep; each kind of name comes with the code of each row.

    `passed` are names that were already left out, and that a glob may match.
    """
    keep = np.ones(len(agents[1]), dtype=bool)
    for name in ("include", "exclude"):
        for kind, globs in options.patterns(name).items():
            hit = np.zeros(len(keep), dtype=bool)
            for glob in globs:
                one = np.zeros(len(keep), dtype=bool)
                if kind in ("model", "any"):
                    one |= matching([glob], agents[0])[agents[1]]
                if kind in ("task", "any"):
                    one |= matching([glob], tasks[0])[tasks[1]]
                if kind in ("file", "any"):
                    one |= np.array([matching([glob], n).any() for n in files[0]])[files[1]]
                known = name == "exclude" and (kind == "file" or matching([glob], list(passed)).any())
                if not one.any() and not known:
                    raise _no_match(name, kind, glob, agents[0], tasks[0])
                hit |= one
            keep &= hit if name == "include" else ~hit
    if not keep.any():
        raise none_left(options, [*tasks[0][:3], *agents[0][:3]])
    return keep


def is_unwanted(options: Options, model: str, task: str, names: Sequence[str]) -> bool:
    """Whether `include` and `exclude` leave out a whole run, so that it need not be read."""
    about = {"model": [model], "task": [task], "file": names, "any": [model, task, *names]}
    missed = [not matching(globs, about[kind]).any() for kind, globs in options.patterns("include").items()]
    hit = [matching(globs, about[kind]).any() for kind, globs in options.patterns("exclude").items()]
    return any(missed) or any(hit)


def none_left(options: Options, passed: Iterable[str]) -> BadInput:
    """The error where `include` and `exclude` leave out every run."""
    name = "include" if options.include else "exclude"
    problem = "[no-match] leaves no response at all"
    return BadInput(name, list(getattr(options, name)), problem, f"there are {listed(sorted(passed), 6)}")


def _no_match(name: str, kind: str, glob: str, agents: Sequence[str], tasks: Sequence[str]) -> BadInput:
    tasks, agents = list(dict.fromkeys(tasks)), list(agents)
    there = {"model": agents, "task": tasks}.get(kind, [*tasks[:3], *agents[:3]])
    what = "task, model or file" if kind == "any" else kind
    return BadInput(name, glob, f"[no-match] does not match any {what}", f"there are {listed(there, 6)}")


def named_mask(
    name: str, wanted: Iterable[str] | None, known: Mapping[str, int], code: np.ndarray
) -> np.ndarray:
    """Which rows belong to the agents or families that were named; all of them where none was."""
    if wanted is None:
        return np.ones(len(code), dtype=bool)
    labels, there = list(wanted), [one for one in known if one]
    for label in labels:
        if label not in known and not there:
            problem = f"[not-found] cannot be found: these items have no {name}"
            remedy = f"leave {name} out, or name the column that tells them"
            raise BadInput(name, label, problem, remedy)
        if label not in known:
            raise BadInput(name, label, "[not-found] is not in the logs", f"there are {listed(there, 5)}")
    return np.isin(code, [known[label] for label in labels])


# -- options that do not apply ----------------------------------------------------------------------

_ONLY = {"filter": {"lm-eval", "mteb"}, "items": {"wide", "leaderboard"}, "transpose": {"wide"}}


def check_applies(kinds: Iterable[str], options: Options) -> None:
    """Refuse an option that none of these formats has: ignored, it would be a decision that nobody took."""
    there = set(kinds)
    useless = [name for name, formats in _ONLY.items() if not there & formats]
    if there <= TABLE_FORMATS:
        useless += ["metric"] if "long" not in there else []
        useless += ["agent_from"] if options.agent_from not in ("model", "file", "folder") else []
    for name in useless:
        given = getattr(options, name)
        if given is not None and given is not False:
            problem = f"[not-applicable] is not an option of what was found ({', '.join(sorted(there))})"
            raise BadInput(name, given, problem, "leave it out")


def check_directions(options: Options, known: Collection[str]) -> None:
    """Refuse a direction of a metric that is not there: misspelt, it would leave the order upside down."""
    for name in ("higher_is_better", "lower_is_better"):
        for metric in getattr(options, name):
            if metric not in known:
                problem = "[not-found] does not match any metric or column that was read"
                raise BadInput(name, metric, problem, f"there is {listed(known, 6) or 'no metric by name'}")
