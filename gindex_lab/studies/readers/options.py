"""The knobs of a reader, checked once: which format, metric, filter, columns, scale, repeats."""

from __future__ import annotations

import codecs
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import choice, pair
from gindex_lab.studies.readers.formats import FORMATS

__all__ = ["COLUMNS", "REPEATS", "Options"]

REPEATS = ("error", "trials", "first", "last")
COLUMNS = ("agent", "item", "response", "trial", "family")  # what a column of a long table can be


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
    metric: str | Sequence[str] | None = None
    filter: str | None = None
    agents: Sequence[str] | Mapping[str, str] | None = None
    families: Sequence[str] | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    scale: tuple[float, float] | None = None
    repeats: str = "error"
    encoding: str | None = None
    higher_is_better: Sequence[str] = ()
    lower_is_better: Sequence[str] = ()
    items: Sequence[str] | None = None
    transpose: bool | None = None
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
        for name in ("agents", "families", "items"):
            given = getattr(self, name)
            if isinstance(given, str):
                raise BadInput(name, given, "is one word", f"pass a list: {name}=[{given!r}]")

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics asked for, the preferred one first; empty for the log's own."""
        given = self.metric
        return () if given is None else (given,) if isinstance(given, str) else tuple(given)

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
        if self.transpose is not None and not isinstance(self.transpose, bool):
            raise BadInput("transpose", self.transpose, "is not True or False", "pass one of them")

    def _check_metric(self) -> None:
        for name in ("metric", "filter"):
            given = getattr(self, name)
            several = name == "metric" and isinstance(given, (list, tuple))
            words = given if several else [given]
            if given is not None and not all(isinstance(w, str) and w for w in words):
                raise BadInput(name, given, "is not a name", f"write {name}='...' as in the log")

    def _check_columns(self) -> None:
        given: object = self.columns
        if not isinstance(given, Mapping):
            remedy = "write columns={'agent': 'model', 'response': 'score'}"
            raise BadInput("columns", given, "is not a mapping", remedy)
        for name in given:
            choice("columns", name, COLUMNS)

    def _check_encoding(self) -> None:
        try:
            codecs.lookup(self.encoding or "utf-8")
        except (LookupError, TypeError):
            remedy = "use 'utf-8', 'utf-16', 'latin-1' or another that Python knows"
            raise BadInput("encoding", self.encoding, "is not known", remedy) from None
