"""The options of a reader, checked once: which format, metric, filter, columns, scale, repeats, files."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.validate import choice, flag, pair
from gindex_lab.studies.readers.formats import FORMATS

__all__ = ["COLUMNS", "ITEM_ROLES", "ROLES", "Options"]

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
    """The choices of the caller; `gl.read` explains each.

    >>> Options(metric="acc").metrics
    ('acc',)
    >>> Options(repeats="mean")
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: repeats='mean': is not an option; use one of 'error', ...
    """

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
        """The metrics asked for of one task: a mapping has task names, or globs over them.

        >>> Options(metric={"arc*": "acc_norm", "*": "acc"}).metrics_of("arc_easy")
        ('acc_norm', 'acc')
        """
        given = self.metric if isinstance(self.metric, Mapping) else {"*": self.metric or ()}
        mine = [names for glob, names in given.items() if fnmatchcase(task, glob)]
        words = ((names,) if isinstance(names, str) else names for names in mine)
        return tuple(dict.fromkeys(name for some in words for name in some))

    def patterns(self, name: str) -> dict[str, list[str]]:
        """The globs of `include` or `exclude`, by what they are about ("any" where they do not say).

        >>> Options(include=["mmlu*", "model:gpt*"]).patterns("include")
        {'any': ['mmlu*'], 'model': ['gpt*']}
        """
        found: dict[str, list[str]] = {}
        for given in getattr(self, name):
            kind, colon, glob = given.partition(":")
            known = bool(colon) and kind in KINDS
            found.setdefault(kind if known else "any", []).append(glob if known else given)
        return found

    def direction(self, metric: str) -> str | None:
        """ "lower" or "higher" where the caller said so.

        >>> Options(lower_is_better=["seconds"]).direction("seconds")
        'lower'
        """
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
