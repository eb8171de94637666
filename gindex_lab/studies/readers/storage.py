"""Rows as a reader meets them, kept as codes: about twenty bytes a response; and which file gave which.

A file that turns out to be bad is forgotten and listed with its reason (`Storage.reading`).
"""

from __future__ import annotations

import json
import re
import zlib
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.notes import Note
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.studies.readers.options import Options, file_names, is_unwanted, none_left
from gindex_lab.studies.readers.text import listed, stem_of

__all__ = ["Storage", "about_file", "all_bad", "as_number", "text_code"]

_YES = "pass passed correct true yes success succeeded solved resolved ✅ ✓ ✔ ✔️ richtig"
_NO = "fail failed incorrect false no failure wrong unsolved unresolved not_attempted ❌ ✗ ✘ ✖️ falsch"
_RIGHT, _WRONG = frozenset(_YES.split()), frozenset((*_NO.split(), "not attempted"))
_NUMBER = re.compile(r"([+-]?(?:\d++\.?\d*+|\.\d++)(?:e[+-]?\d++)?)\s*(%?)")
# Errors about a file that ask the caller to decide something: a file with one of them is not "bad"
DECISIONS = frozenset(("no-common-metric", "repeats", "unknown-direction", "several"))


class Storage:
    """Gathers (agent, family, item, response, trial), what is known beside them, and notes."""

    def __init__(
        self, path: str, options: Options | None = None, details: float = 0, many: bool = False
    ) -> None:
        self.path, self.options, self.many = path, options or Options(), many
        self._most = details  # rows up to which details are kept
        self.details: dict[int, dict[str, Any]] | None = {} if details else None  # by row
        self._beside: list[tuple[int, pd.DataFrame]] = []  # the same of tables: first row, columns
        self.notes: list[str] = []
        self._counts: Counter[tuple[str, str]] = Counter()  # of what is odd, by what it is about
        self.passed: set[str] = set()  # models and tasks of runs that were left out unread
        self.skipped: dict[Path, BadInput] = {}  # files that were left out, and why
        self.settings: dict[Path, dict[str, str]] = {}  # how the run of a file was made
        self.agent_facts: dict[str, dict[str, Any]] = {}
        self.item_facts: dict[tuple[str, str], dict[str, Any]] = {}  # by family and name
        self.changed: set[int] = set()  # items whose text differs between rows
        self.apart: tuple[str, ...] = ()  # columns by which repeated rows of a table differ
        self._memory: list[dict[Any, Any] | set[Any]] = [self._counts]  # forgotten with a bad file
        self._agents: dict[str, int] = {}
        self._items: dict[tuple[str, str], int] = {}  # by family and name
        self._trials: dict[str, int] = {}
        self._turns: Counter[tuple[str, str, str]] = Counter()
        self._contents: dict[tuple[str, str], int] = {}  # by family and label, a number that stands for it
        self._clashes: dict[str, None] = {}  # items with the label of another
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

    def remember(self, *memory: dict[Any, Any] | set[Any]) -> None:
        """From now on a bad file also takes back what it put into these."""
        self._memory += memory

    @contextmanager
    def reading(self, file: Path) -> Iterator[None]:
        """Read one file of several: if it is bad, forget what it gave and list it.

        The error goes on where the file is the only one, where `strict` was asked for, and where the caller
        must choose something.
        """
        start, notes, turned = len(self), len(self.notes), len(self._turned)
        before = [one.copy() for one in self._memory]
        self._spans.append((start, file))
        try:
            yield
        except BadInput as error:
            if self.options.strict or not self.many or not about_file(error):
                raise
            del self.notes[notes:], self._turned[turned:]
            for rows in self._rows:
                del rows[start:]
            self._beside = [part for part in self._beside if part[0] < start]
            for one, old in zip(self._memory, before, strict=False):
                one.clear()
                one.update(old)
            self.skipped[file] = error

    def is_unwanted(self, file: Path, model: str, task: str) -> bool:
        """Whether a run is left out by `include` or `exclude`, and need not be read."""
        if not (self.options.include or self.options.exclude):
            return False
        unwanted = is_unwanted(self.options, model, task, file_names(file, Path(self.path)))
        if unwanted:
            self.passed |= {model, task}
        return unwanted

    def check_any(self) -> None:
        """Where every run was left out, or every file bad, that is the error (the reason of the first)."""
        if not len(self) and self.passed:
            raise none_left(self.options, self.passed)
        if not len(self) and self.skipped:
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

    # -- agents ---------------------------------------------------------------------------------------

    def agent(self, model: str, file: Path, settings: Mapping[str, Any] | None = None) -> str:
        """The agent of one log, by `agent_from`; `settings` has what the log says ("solver", "revision")."""
        given, way = settings or {}, self.options.agent_from
        known = {name: text for name, value in given.items() if (text := _written(value))}
        self.settings[file] = {name: known.get(name, "") for name in given}
        if way is None or way == "model":
            return model
        said = f"an agent is the {way.replace('+', ' and its ')} of a log"
        self.note("agents", said, "agent_from=... (--agent-from)")
        if way in ("file", "folder"):
            return self.agent_of_file(file)
        if way not in given:
            problem = f"[not-found] is not what {file.name} says of its run"
            remedy = f"use one of {listed(('model', *given, 'file', 'folder'), 9)}"
            raise BadInput("agent_from", way, problem, remedy)
        return f"{model} ({known[way]})" if way in known else model

    def agent_of_file(self, file: Path) -> str:
        """The agent by the name of its file, or of the folder of the file."""
        return file.resolve().parent.name if self.options.agent_from == "folder" else stem_of(file)

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
        """Columns of equal length, each as categories: a long table, without a loop over its rows.

        Gives the codes of agents and items.
        """
        agent = _looked_up(agents, lambda name: self._agents.setdefault(name, len(self._agents)))
        item = self._pairs(families, items)
        trial = np.full(len(values), -1) if trials is None else _looked_up(trials, self._trial)
        self._extend(agent, item, trial, values)
        return agent, item

    def _pairs(self, families: pd.Categorical | None, items: pd.Categorical) -> np.ndarray:
        if families is None:
            return _looked_up(items, lambda name: self._item("", name))
        names = [str(name) for name in items.categories]
        groups = [str(name) for name in families.categories]
        key = families.codes.astype(np.int64) * len(names) + items.codes
        known, position = _distinct_codes(key, len(names) * len(groups))
        codes = [self._item(groups[k // len(names)], names[k % len(names)]) for k in known.tolist()]
        return np.array(codes, np.intc)[position]

    def _extend(self, *columns: np.ndarray) -> None:
        for k, (column, kind) in enumerate(zip(columns, "iiid", strict=True)):
            self._rows[k].frombytes(np.ascontiguousarray(column, dtype=kind).ravel().data.cast("B"))

    def _item(self, family: str, item: str) -> int:
        code = self._items.setdefault((family, item), len(self._items))
        if code == len(self._item_family):
            self._item_family.append(self._families.setdefault(family, len(self._families)))
        return code

    def item_name(self, family: str, label: str, content: object) -> str:
        """The name of the item that goes by `label`: another where an item of other content is called so.

        >>> found = Storage("logs")
        >>> found.item_name("", "1", "2+2"), found.item_name("", "1", "2+2"), found.item_name("", "1", "3+3")
        ('1', '1', '1 #8aae51e3')
        """
        code = text_code(content)
        if self._contents.setdefault((family, label), code) == code:
            return label
        name = f"{label} #{code:08x}"
        self._clashes[f"{family}/{name}" if family else name] = None
        return name

    def turn(self, agent: str, family: str, item: str) -> int:
        """The number of a response of an agent to an item: 1, 2, 3, as they come."""
        self._turns[agent, family, item] += 1
        return self._turns[agent, family, item]

    def _trial(self, trial: object) -> int:
        return -1 if trial is None else self._trials.setdefault(str(trial), len(self._trials))

    # -- what is known beside them --------------------------------------------------------------------

    def facts_of(self, family: str, item: str) -> dict[str, Any]:
        """The facts of an item, to add to."""
        return self.item_facts.setdefault((family, item), {})

    def add_fact(self, kind: str, code: int, name: str, value: object) -> None:
        """A fact of the agent or item with this code."""
        if len(self._by_code[kind]) <= code:
            self._by_code[kind] = list(self._agents if kind == "agent" else self._items)
        facts: dict[Any, dict[str, Any]] = self.agent_facts if kind == "agent" else self.item_facts
        facts.setdefault(self._by_code[kind][code], {})[name] = value

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
        self.details[len(self) - 1] = facts
        if len(self.details) > self._most:
            self.details = None

    def wants_details(self, rows: int) -> bool:
        """Whether so many further rows may keep their details."""
        return self.details is not None and len(self) + rows <= self._most

    def add_beside(self, columns: pd.DataFrame) -> None:
        """Details of the rows that were added last, as columns."""
        self._beside.append((len(self) - len(columns), columns))

    def note(self, what: str, decided: str, change: str = "") -> None:
        """What was decided, and the option that changes it; once, however often it is said."""
        self.note_once(Note(what, decided, change))

    def note_once(self, *notes: str) -> None:
        """Notes, but none that is there already."""
        self.notes += [note for note in dict.fromkeys(notes) if note not in self.notes]

    def count(self, what: str, said: str, number: int = 1) -> None:
        """One more of something odd ("samples have no score"), to be noted with its number in the end."""
        self._counts[what, said] += number

    def note_counts(self) -> None:
        """Note how many odd things there are, where there are some: at the end of a format."""
        for first in list(self._clashes)[:1]:
            said = (
                f"{len(self._clashes)} items have the name of another item with other content, and were kept"
            )
            self.note_once(f"{said} apart ({first} …)")
        self._clashes.clear()
        self._contents.clear()
        self.notes += [Note(what, f"{n} {said}") for (what, said), n in self._counts.items() if n]
        self._counts.clear()

    def turn_round(self, metric: str, family: str | None, item: str | None, *, endless: bool) -> None:
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


def all_bad(skipped: Mapping[Path, BadInput]) -> BadInput:
    """The error where no file can be read: that of the first, and the other reasons."""
    first = next(iter(skipped.values()))
    others = {e.problem: f.name for f, e in skipped.items() if e.problem != first.problem}
    if not others:
        return first
    shown = "; ".join(f"{name} {problem}" for problem, name in list(others.items())[:2])
    more = " …" * (len(others) > 2)
    problem = f"[{first.code}] {first.problem}; the other files cannot be read either: {shown}{more}"
    return BadInput(first.argument, first.value, problem, first.remedy)


def about_file(error: BadInput) -> bool:
    """Whether an error is about what a file holds, and not about an option or a choice to be made."""
    about = error.argument == "path" or error.argument.startswith("scores[")
    limited = "gl.limits(" in error.remedy  # what is too large is refused, not passed over
    return about and not limited and error.code not in DECISIONS


def _written(value: object) -> str:
    """Settings as text, the same for the same settings."""
    if isinstance(value, Mapping):
        parts = {k: _written(v) for k, v in value.items()}
        return ", ".join(f"{k}={v}" for k, v in sorted(parts.items()) if v)
    if isinstance(value, (list, tuple)):
        return "+".join(filter(None, map(_written, value)))
    return "" if value is None else str(value)


def _looked_up(column: pd.Categorical, code_of: Callable[[str], int]) -> np.ndarray:
    """Codes of ours for those of a column, given out in the order in which its names come."""
    known, position = _distinct_codes(column.codes, len(column.categories))
    codes = [code_of(str(column.categories[k])) for k in known.tolist()]
    return np.array(codes, np.intc)[position]


def _distinct_codes(key: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The distinct codes in the order in which they come, and for each row which of them it has."""
    if size > 4 * len(key) + 1_000_000:  # a table of all codes would be larger than the rows
        position, known = pd.factorize(key)
        return np.asarray(known), position
    place = np.full(size, -1, np.intc)
    place[key[::-1]] = np.arange(len(key) - 1, -1, -1, dtype=np.intc)  # the first row of each
    known = np.flatnonzero(place >= 0)
    known = known[np.argsort(place[known])]
    place[known] = np.arange(len(known), dtype=np.intc)
    return known, place[key]


def text_code(content: object) -> int:
    """A number that stands for a text or any JSON value: equal for equal content."""
    return zlib.crc32(json.dumps(content, sort_keys=True, default=str).encode())


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
        word = value.strip().lower()
        if word in _RIGHT or word in _WRONG:
            return float(word in _RIGHT)
        match = _NUMBER.fullmatch(word)
        return float(match[1]) / (100 if match[2] else 1) if match else None
    try:
        return float(value) if isinstance(value, (bool, int, float)) else None
    except OverflowError:
        return float("inf")
