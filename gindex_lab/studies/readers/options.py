"""The knobs of a reader, checked once: which format, metric, filter, columns, scale, repeats, files."""

from __future__ import annotations

import codecs
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import choice, pair
from gindex_lab.studies.readers.formats import FORMATS

__all__ = ["AGENT_FROM", "COLUMNS", "REPEATS", "ROLES", "Options"]

REPEATS = ("error", "trials", "first", "last")
ROLES = (
    "difficulty",
    "minutes",
    "weight",
    "choices",
    "date",
)  # facts of items, and (date) of agents
COLUMNS = ("agent", "item", "response", "trial", "family", *ROLES)  # what a column can be
AGENT_FROM = ("model", "model+args", "solver", "revision", "file", "folder")
KINDS = ("task", "model", "file")  # what a glob can be about: "task:mmlu*"


@dataclass(frozen=True)
class Options:
    """What the caller asked for; see `gl.read` for the meaning of each.

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
        pair("scale", self.scale)
        self._check_metric()
        self._check_columns()
        self._check_encoding()
        choice("unknown_direction", self.unknown_direction, ("higher", "error"))
        self._check_directions()
        for name in ("agents", "families", "items", "include", "exclude"):
            self._check_words(name)
        self._check_flag("strict", self.strict)
        if self.agent_from is not None:
            choice("agent_from", self.agent_from, AGENT_FROM)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics asked for of every task, the preferred one first; empty for the log's own."""
        return self.metrics_of("")

    def metrics_of(self, task: str) -> tuple[str, ...]:
        """The metrics asked for of one task: a mapping has task names, or globs over them.

        >>> Options(metric={"arc*": "acc_norm", "*": "acc"}).metrics_of("arc_easy")
        ('acc_norm', 'acc')
        """
        if not isinstance(self.metric, Mapping):
            return _words(self.metric)
        mine = [names for glob, names in self.metric.items() if fnmatchcase(task, glob)]
        return tuple(dict.fromkeys(name for names in mine for name in _words(names)))

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

    def _check_words(self, name: str) -> None:
        given = getattr(self, name)
        if isinstance(given, str):
            raise BadInput(
                name, given, "[one-word] is one word", f"pass a list: {name}=[{given!r}]"
            )
        if name in ("include", "exclude"):
            for glob in given:
                if not isinstance(glob, str) or not glob.removeprefix("file:"):
                    remedy = "pass globs such as 'mmlu*', 'model:gpt*' or 'file:*.eval'"
                    raise BadInput(name, glob, "[wrong-type] is not a glob", remedy)

    @staticmethod
    def _check_flag(name: str, given: object) -> None:
        if not isinstance(given, bool):
            raise BadInput(name, given, "is not True or False", "pass one of them")

    def direction(self, metric: str) -> str | None:
        """ "lower" or "higher" where the caller said so.

        >>> Options(lower_is_better=["seconds"]).direction("seconds")
        'lower'
        """
        if metric in self.lower_is_better:
            return "lower"
        return "higher" if metric in self.higher_is_better else None

    def _check_directions(self) -> None:
        for name in ("higher_is_better", "lower_is_better"):
            given = getattr(self, name)
            if isinstance(given, str):
                raise BadInput(name, given, "is one word", f"pass a list: {name}=[{given!r}]")
        both = set(self.higher_is_better) & set(self.lower_is_better)
        if both:
            problem = "is also named in higher_is_better"
            raise BadInput("lower_is_better", min(both), problem, "name it in one of the two")
        if self.transpose is not None:
            self._check_flag("transpose", self.transpose)

    def _check_metric(self) -> None:
        for name in ("metric", "filter"):
            given = getattr(self, name)
            parts = list(given.values()) if isinstance(given, Mapping) else [given]
            if name == "metric":
                parts = [w for p in parts for w in (p if isinstance(p, (list, tuple)) else [p])]
            if given is not None and not all(isinstance(w, str) and w for w in parts):
                raise BadInput(
                    name, given, "[not-a-name] is not a name", f"write {name}='...' as in the log"
                )

    def _check_columns(self) -> None:
        given: object = self.columns
        if not isinstance(given, Mapping):
            remedy = "write columns={'agent': 'model', 'response': 'score'}"
            raise BadInput("columns", given, "[not-a-mapping] is not a mapping", remedy)
        for name, column in given.items():
            choice("columns", name, COLUMNS)
            off = column is None and name in (*ROLES, "family", "trial")
            if not off and not (isinstance(column, str) and column):
                remedy = "write it as in the table, or None for a role that is not wanted"
                raise BadInput(f"columns[{name!r}]", column, "is not the name of a column", remedy)

    def _check_encoding(self) -> None:
        try:
            codecs.lookup(self.encoding or "utf-8")
        except (LookupError, TypeError):
            remedy = "use 'utf-8', 'utf-16', 'latin-1' or another that Python knows"
            raise BadInput(
                "encoding", self.encoding, "[unknown-word] is not known", remedy
            ) from None


def _words(given: str | Sequence[str] | None) -> tuple[str, ...]:
    return () if given is None else (given,) if isinstance(given, str) else tuple(given)
