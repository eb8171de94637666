"""Rows as a reader meets them, kept as codes: about twenty bytes a response; and which file gave which.

A file that turns out to be bad is forgotten and listed with its reason (`Storage.reading`).
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.notes import Note
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.studies.readers.choosing import file_names, is_unwanted, none_left
from gindex_lab.studies.readers.options import Options

__all__ = ["Storage", "about_file", "all_bad", "as_number"]

_YES = "pass passed correct true yes success succeeded solved resolved ✅ ✓ ✔ ✔️ richtig"
_NO = (
    "fail failed incorrect false no failure wrong unsolved unresolved not_attempted ❌ ✗ ✘ ✖️ falsch"
)
_RIGHT, _WRONG = frozenset(_YES.split()), frozenset((*_NO.split(), "not attempted"))
_NUMBER = re.compile(r"([+-]?(?:\d++\.?\d*+|\.\d++)(?:e[+-]?\d++)?)\s*(%?)")
# Errors about a file that ask the caller to decide something: a file with one of them is not "bad"
DECISIONS = frozenset(("no-common-metric", "repeats", "unknown-direction", "several"))


class Storage:
    """Gathers (agent, family, item, response, trial), what is known beside them, and notes.

    >>> found = Storage("logs")
    >>> found.add("gpt", "arc", "1", 1.0), found.add("gpt", "arc", "2", 0.0)
    (0, 1)
    """

    def __init__(self, path: str, details: float = 0, many: bool = False) -> None:
        self.path, self.many = path, many
        self._most = details  # rows up to which details are kept
        self.details: dict[int, dict[str, Any]] | None = {} if details else None  # by row
        self._beside: list[tuple[int, pd.DataFrame]] = []  # the same of tables: first row, columns
        self.notes: list[str] = []
        self.passed: set[str] = set()  # models and tasks of runs that were left out unread
        self.skipped: dict[Path, BadInput] = {}  # files that were left out, and why
        self.settings: dict[Path, dict[str, str]] = {}  # how the run of a file was made
        self.agent_facts: dict[str, dict[str, Any]] = {}
        self.item_facts: dict[tuple[str, str], dict[str, Any]] = {}  # by family and name
        self.changed: set[int] = set()  # items whose text differs between rows
        self.apart: tuple[str, ...] = ()  # columns by which repeated rows of a table differ
        self._agents: dict[str, int] = {}
        self._items: dict[tuple[str, str], int] = {}  # by family and name
        self._trials: dict[str, int] = {}
        self._families: dict[str, int] = {}
        self._item_family = array("i")
        self._texts = array("q")  # of each item a number that stands for its text, -1 if not known
        self._rows = array("i"), array("i"), array("i"), array("d")  # agent, item, trial, value
        self._spans: list[tuple[int, Path]] = []  # the first row of each file
        self._by_code: dict[str, list[Any]] = {"agent": [], "item": []}  # by code, for facts
        self._turned: list[tuple[str, str | None, str | None]] = []  # metric, family, item
        self.directed: dict[str, None] = {}  # metrics whose direction was settled
        self._endless: set[str] = set()  # of those the metrics without an upper end

    # -- files ----------------------------------------------------------------------------------------

    @contextmanager
    def reading(
        self, file: Path, options: Options, *state: dict[Any, Any] | set[Any]
    ) -> Iterator[None]:
        """Read one file of several: if it is bad, forget what it gave (also in `state`) and list it.

        Where it is the only file, where `strict` was asked for, and where the caller must choose something,
        the error goes on.
        """
        start, notes, turned = len(self._rows[3]), len(self.notes), len(self._turned)
        before = [one.copy() for one in state]
        self._spans.append((start, file))
        try:
            yield
        except BadInput as error:
            if options.strict or not self.many or not about_file(error):
                raise
            del self.notes[notes:], self._turned[turned:]
            for rows in self._rows:
                del rows[start:]
            self._beside = [part for part in self._beside if part[0] < start]
            for one, old in zip(state, before, strict=True):
                one.clear()
                one.update(old)
            self.skipped[file] = error

    def is_unwanted(self, file: Path, model: str, task: str, options: Options) -> bool:
        """Whether a run is left out by `include` or `exclude`, and need not be read."""
        if not (options.include or options.exclude):
            return False
        unwanted = is_unwanted(options, model, task, file_names(file, Path(self.path)))
        if unwanted:
            self.passed |= {model, task}
        return unwanted

    def check_any(self, options: Options) -> None:
        """Where every run was left out, or every file bad, that is the error (the reason of the first)."""
        if not self._rows[3] and self.passed:
            raise none_left(options, self.passed)
        if not self._rows[3] and self.skipped:
            raise all_bad(self.skipped)

    def _file_codes(self, n: int) -> tuple[list[Path], np.ndarray]:
        """The files, and for each row which of them it is from."""
        starts = [start for start, _ in self._spans]
        lengths = np.diff([*starts, n]) if starts else np.array([n])
        files = [file for _, file in self._spans] or [Path(self.path)]
        return files, np.repeat(np.arange(len(files)), np.maximum(lengths, 0))

    def _file_of(self, row: int) -> Path:
        at = bisect_right([start for start, _ in self._spans], row) - 1
        return self._spans[at][1] if at >= 0 else Path(self.path)

    def __len__(self) -> int:
        """How many rows were read."""
        return len(self._rows[3])

    # -- rows -----------------------------------------------------------------------------------------

    def add(self, agent: str, family: str, item: str, value: float, trial: object = None) -> int:
        """One response, NaN for one that is missing; gives the number of its item."""
        code = self._item(family, item)
        self._rows[0].append(self._agents.setdefault(agent, len(self._agents)))
        self._rows[1].append(code)
        self._rows[2].append(self._trial(trial))
        self._rows[3].append(value)
        return code

    def add_wide(self, agents: Sequence[str], items: Sequence[str], values: FloatArray) -> None:
        """A table (agents x items) of one family without a name, at once."""
        rows = [self._agents.setdefault(name, len(self._agents)) for name in agents]
        columns = [self._item("", item) for item in items]
        self._extend(
            np.repeat(np.array(rows, np.intc), len(columns)),
            np.tile(np.array(columns, np.intc), len(rows)),
            np.full(values.size, -1, np.intc),
            values,
        )

    def add_codes(
        self,
        agents: pd.Categorical,
        families: pd.Categorical | None,
        items: pd.Categorical,
        values: FloatArray,
        trials: pd.Categorical | None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Columns of equal length, each as categories: what a long table holds, without a loop over rows.

        Gives the codes of agents and items.

        >>> two, one = pd.Categorical(["a", "b"]), pd.Categorical(["x", "x"])
        >>> Storage("t").add_codes(two, None, one, np.ones(2), None)
        (array([0, 1], dtype=int32), array([0, 0], dtype=int32))
        """
        agent = _looked_up(agents, lambda name: self._agents.setdefault(name, len(self._agents)))
        item = self._pairs(families, items)
        trial = np.full(len(values), -1) if trials is None else _looked_up(trials, self._trial)
        self._extend(agent, item, trial, values)
        return agent, item

    def add_fact(self, kind: str, code: int, name: str, value: object) -> None:
        """A fact of the agent or item with this code."""
        if len(self._by_code[kind]) <= code:
            self._by_code[kind] = list(self._agents if kind == "agent" else self._items)
        facts: dict[Any, dict[str, Any]] = self.agent_facts if kind == "agent" else self.item_facts
        facts.setdefault(self._by_code[kind][code], {})[name] = value

    def _pairs(self, families: pd.Categorical | None, items: pd.Categorical) -> np.ndarray:
        names = [str(name) for name in items.categories]
        if families is None:
            return _looked_up(items, lambda name: self._item("", name))
        groups = [str(name) for name in families.categories]
        key = families.codes.astype(np.int64) * len(names) + items.codes
        known, position = _distinct_codes(key, len(names) * len(groups))
        codes = [self._item(groups[k // len(names)], names[k % len(names)]) for k in known.tolist()]
        return np.array(codes, np.intc)[position]

    def _extend(self, *columns: np.ndarray) -> None:
        for k, (column, kind) in enumerate(zip(columns, "iiid", strict=True)):
            self._rows[k].frombytes(np.ascontiguousarray(column, dtype=kind).ravel().data.cast("B"))

    def has_item(self, family: str, item: str) -> bool:
        return (family, item) in self._items

    def same_text(self, item: int, code: int) -> bool:
        """Whether an item has the text (a number that stands for it) that it had before; remembers it."""
        self._texts.extend([-1] * (item + 1 - len(self._texts)))
        before, self._texts[item] = self._texts[item], code
        if before in (-1, code):
            return True
        self.changed.add(item)
        return False

    def detail(self, **facts: Any) -> None:
        """What is known of the row that was added last; kept only where it was asked for."""
        if not facts or self.details is None:
            return
        self.details[len(self._rows[3]) - 1] = facts
        if len(self.details) > self._most:
            self.details = None

    def wants_details(self, rows: int) -> bool:
        """Whether so many further rows may keep their details."""
        return self.details is not None and len(self._rows[3]) + rows <= self._most

    def add_beside(self, columns: pd.DataFrame) -> None:
        """Details of the rows that were added last, as columns."""
        self._beside.append((len(self._rows[3]) - len(columns), columns))

    def note(self, what: str, decided: str, change: str = "") -> None:
        """What was decided, and the option that changes it; once, however often it is said."""
        self.note_once(Note(what, decided, change))

    def note_once(self, note: str) -> None:
        """A note, unless it is there already."""
        if note not in self.notes:
            self.notes.append(note)

    def note_count(self, number: int, said: str) -> None:
        """How many of something there are, where there are some: "3 samples have no score"."""
        if number:
            self.notes.append(f"{number} {said}")

    def turn_round(
        self, metric: str, family: str | None, item: str | None, *, endless: bool
    ) -> None:
        """Less of this metric is better: turn the scores of all items, of a family, or of an item."""
        if endless:
            self._endless.add(metric)
        if (metric, family, item) not in self._turned:
            self._turned.append((metric, family, item))

    def rename_families(self, new: Mapping[str, str]) -> None:
        """Give families another name; two that get the same one must not share an item."""
        self._families = {new.get(name, name): code for name, code in self._families.items()}
        self._items = {(new.get(f, f), item): code for (f, item), code in self._items.items()}
        self.item_facts = {(new.get(f, f), i): row for (f, i), row in self.item_facts.items()}
        self._turned = [(m, None if f is None else new.get(f, f), i) for m, f, i in self._turned]

    def _item(self, family: str, item: str) -> int:
        code = self._items.setdefault((family, item), len(self._items))
        if code == len(self._item_family):
            self._item_family.append(self._families.setdefault(family, len(self._families)))
        return code

    def _trial(self, trial: object) -> int:
        if trial is None:
            return -1
        return self._trials.setdefault(str(trial), len(self._trials))


def all_bad(skipped: Mapping[Path, BadInput]) -> BadInput:
    """The error where no file can be read: that of the first, and the other reasons."""
    first = next(iter(skipped.values()))
    others = {e.problem: f.name for f, e in skipped.items() if e.problem != first.problem}
    if not others:
        return first
    shown = "; ".join(f"{name} {problem}" for problem, name in list(others.items())[:2])
    problem = (
        f"[{first.code}] {first.problem}; the other files cannot be read either: {shown}"
        + " …" * (len(others) > 2)
    )
    return BadInput(first.argument, first.value, problem, first.remedy)


def about_file(error: BadInput) -> bool:
    """Whether an error is about what a file holds, and not about an option or a choice to be made."""
    about = error.argument == "path" or error.argument.startswith("scores[")
    limited = "gl.limits(" in error.remedy  # what is too large is refused, not passed over
    return about and not limited and error.code not in DECISIONS


def _looked_up(column: pd.Categorical, code_of: Callable[[str], int]) -> np.ndarray:
    """Codes of ours for those of a column, given out in the order in which its names come."""
    known, position = _distinct_codes(column.codes, len(column.categories))
    codes = [code_of(str(column.categories[k])) for k in known.tolist()]
    return np.array(codes, np.intc)[position]


def _distinct_codes(key: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The distinct codes in the order in which they come, and for each row which of them it has."""
    if size > 4 * len(key) + 1_000_000:
        position, known = pd.factorize(key)
        return np.asarray(known), position
    place = np.full(size, -1, np.intc)
    place[key[::-1]] = np.arange(len(key) - 1, -1, -1, dtype=np.intc)  # the first row of each
    known = np.flatnonzero(place >= 0)
    known = known[np.argsort(place[known])]
    place[known] = np.arange(len(known), dtype=np.intc)
    return known, place[key]


def as_number(value: object) -> float | None:
    """A score as a float: True is 1, nothing is NaN; None for what is not a number at all.

    >>> as_number(True), as_number(None), as_number("C"), as_number(0.25)
    (1.0, nan, None, 0.25)
    >>> as_number("pass"), as_number("Incorrect"), as_number("1.0"), as_number("85%")
    (1.0, 0.0, 1.0, 0.85)
    """
    if value is None:
        return float("nan")
    if isinstance(value, str):
        return _word(value)
    try:
        return float(value) if isinstance(value, (bool, int, float)) else None
    except OverflowError:
        return float("inf")


def _word(text: str) -> float | None:
    """A score that was written as a word, a number or a percentage."""
    word = text.strip().lower()
    if word in _RIGHT or word in _WRONG:
        return float(word in _RIGHT)
    match = _NUMBER.fullmatch(word)
    return float(match[1]) / (100 if match[2] else 1) if match else None
