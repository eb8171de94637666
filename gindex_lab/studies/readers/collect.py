"""Responses as they come in, one number at a time, kept as codes: about twenty bytes a response.

A reader calls `add` for each response that it meets, or `add_many` for a column of them; `gathered` gives
the table of agents x items, the families, the trials where something was repeated, and the notes.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gindex_lab.foundation.bounds import check_cells
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.studies.readers.options import Options

__all__ = ["Collector", "Gathered", "as_number"]


class Gathered(NamedTuple):
    """What was read: the means (agents x items), and what is known beside them."""

    frame: pd.DataFrame
    items: pd.DataFrame
    agents: pd.DataFrame
    trials: pd.DataFrame | None
    notes: list[str]


class Collector:
    """Gathers (agent, family, item, response, trial).

    >>> found = Collector("logs")
    >>> found.add("gpt", "arc", "1", 1.0, trial=1), found.add("gpt", "arc", "1", 0.0, trial=2)
    (0, 0)
    >>> found.gathered(Options()).frame
         arc/1
    gpt    0.5
    """

    def __init__(self, path: str, details: bool = False) -> None:
        self.path = path
        self.details: dict[int, dict[str, Any]] | None = {} if details else None  # by row
        self.notes: list[str] = []
        self.agent_facts: dict[str, dict[str, Any]] = {}
        self.item_facts: dict[tuple[str, str], dict[str, Any]] = {}  # by family and name
        self._agents: dict[str, int] = {}
        self._items: dict[tuple[str, str], int] = {}  # by family and name
        self._trials: dict[str, int] = {}
        self._families: dict[str, int] = {}
        self._item_family = array("i")
        self._rows = array("i"), array("i"), array("i"), array("d")  # agent, item, trial, value
        self._turned: list[tuple[str, str | None, str | None]] = []  # metric, family, item

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
        self._rows[0].frombytes(np.repeat(np.array(rows, np.intc), len(columns)).tobytes())
        self._rows[1].frombytes(np.tile(np.array(columns, np.intc), len(rows)).tobytes())
        self._rows[2].frombytes(np.full(values.size, -1, np.intc).tobytes())
        self._rows[3].frombytes(np.ascontiguousarray(values, dtype=float).tobytes())

    def add_many(
        self,
        agents: Iterable[str],
        families: Iterable[str],
        items: Iterable[str],
        values: Iterable[float],
        trials: Iterable[object],
    ) -> None:
        """The same for columns of equal length."""
        for row in zip(agents, families, items, values, trials, strict=True):
            self.add(*row)

    def detail(self, **facts: Any) -> None:
        """What is known of the row that was added last; kept only where it was asked for."""
        if self.details is not None:
            self.details[len(self._rows[3]) - 1] = facts

    def rows(self, options: Options) -> pd.DataFrame:
        """Every row as it came, after the scale and the direction; with its details."""
        agent, item, trial, value = (np.frombuffer(x, dtype=x.typecode) for x in self._rows)
        if not len(value):
            raise BadInput("path", self.path, "holds no response at all", "name the logs")
        value = self._turn(self._scaled(value, options, agent, item), item)
        families, names = (np.array(x, dtype=object) for x in zip(*self._items, strict=True))
        table = pd.DataFrame(
            {
                "agent": np.array(list(self._agents), dtype=object)[agent],
                "family": families[item],
                "item": names[item],
                "response": value,
            }
        )
        if (trial >= 0).any():
            table["trial"] = np.array([*self._trials, ""], dtype=object)[trial]
        if self.details:
            table = table.join(pd.DataFrame.from_dict(self.details, orient="index"))
        if self.item_facts:
            facts = [self.item_facts.get(pair, {}) for pair in self._items]
            known = pd.DataFrame(facts).filter(["choices", "floor"])
            table = table.join(known.iloc[item].reset_index(drop=True))
        return table

    def note_once(self, note: str) -> None:
        """A note, unless it stands there already."""
        if note not in self.notes:
            self.notes.append(note)

    def turn_round(self, metric: str, family: str | None = None, item: str | None = None) -> None:
        """Less of this metric is better: turn the scores of all items, of a family, or of an item."""
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

    def gathered(self, options: Options) -> Gathered:
        """The table, after the choice of agents and families, the scale, and the rule for repeats."""
        agent, item, trial, value = (np.frombuffer(x, dtype=x.typecode) for x in self._rows)
        if not len(value):
            raise BadInput("path", self.path, "holds no response at all", "name the logs")
        keep = self._chosen(options, agent, item)
        agent, item, trial, value = (x[keep] for x in (agent, item, trial, value))
        value = self._turn(self._scaled(value, options, agent, item), item)
        agent, item, trial, value = self._distinct(options.repeats, agent, item, trial, value)
        names = self._names(options)
        self._check_size(agent, item)
        labels = self._labels = self._item_labels()
        means, counts = _means(agent, item, value, (len(self._agents), len(self._items)))
        rows, columns = counts.any(axis=1), counts.any(axis=0)
        frame = pd.DataFrame(means, names, labels).loc[rows, columns]
        trials = None
        if (counts > 1).any():
            trials = self._trial_table(names, agent, item, trial, value)
        self._note_gaps(frame, counts[rows][:, columns])
        return Gathered(
            frame, self._item_table(frame), self._agent_table(frame, options), trials, self.notes
        )

    def _check_size(self, agent: np.ndarray, item: np.ndarray) -> None:
        check_cells("path", self.path, len(self._agents), len(self._items), len(agent))

    def _item_labels(self) -> list[str]:
        """`family/item`; where two items would get the same label, both say what is the family."""
        labels = [f"{family}/{item}" if family else item for family, item in self._items]
        counts = Counter(labels)
        if len(counts) == len(labels):
            return labels
        pairs = list(self._items)
        same = [k for k, label in enumerate(labels) if counts[label] > 1]
        for k in same:
            labels[k] = json.dumps(pairs[k], ensure_ascii=False)
        first = " and ".join(labels[k] for k in same[:2])
        self.notes.append(f"items whose family and name read alike were kept apart: {first}")
        return labels

    # -- what is chosen ------------------------------------------------------------------------------

    def _chosen(self, options: Options, agent: np.ndarray, item: np.ndarray) -> np.ndarray:
        keep = np.ones(len(agent), dtype=bool)
        for name, wanted, known, code in (
            ("agents", options.agents, self._agents, agent),
            ("families", options.families, self._families, np.array(self._item_family)[item]),
        ):
            if wanted is None:
                continue
            for label in wanted:
                if label not in known:
                    raise _unknown(name, label, [one for one in known if one])
            keep &= np.isin(code, [known[label] for label in wanted])
        return keep

    def _names(self, options: Options) -> pd.Index:
        """The agents, by their new names where `agents` is a mapping."""
        new = options.agents if isinstance(options.agents, Mapping) else {}
        return pd.Index([new.get(name, name) for name in self._agents])

    def _scaled(
        self, value: FloatArray, options: Options, agent: np.ndarray, item: np.ndarray
    ) -> FloatArray:
        if np.isinf(value).any():
            where = self._cell(agent, item, int(np.isinf(value).argmax()))
            raise BadInput("path", self.path, f"holds an infinite score for {where}", "mend it")
        if options.scale is None:
            return value
        low, high = options.scale
        outside = (value < low) | (value > high)
        if outside.any():
            at = int(outside.argmax())
            problem = f"does not hold {value[at]:g}, the score of {self._cell(agent, item, at)}"
            raise BadInput("scale", options.scale, problem, "give the ends of the scale")
        self.notes.append(f"scores were rescaled from [{low:g}, {high:g}] to [0, 1], as asked for")
        return np.asarray((value - low) / (high - low))

    def _cell(self, agent: np.ndarray, item: np.ndarray, at: int) -> str:
        return f"{list(self._agents)[agent[at]]!r} on {self._item_labels()[item[at]]!r}"

    def _turn(self, value: FloatArray, item: np.ndarray) -> FloatArray:
        """Scores of which less is better: 1 - x where all are in [0, 1], and otherwise -x."""
        names = list(self._items)
        said: dict[tuple[str, str], None] = {}
        for metric, family, one in self._turned:
            wanted = [
                (family is None or f == family) and (one is None or i == one) for f, i in names
            ]
            rows = np.array(wanted)[item]
            share = bool((value[rows] >= 0).all() and (value[rows] <= 1).all())
            value = np.where(rows, 1 - value if share else -value, value)
            said[metric, "1 - score" if share else "minus the score"] = None
        for metric, how in said:
            self.note_once(f"{metric!r} is better when smaller: it was turned round ({how})")
        return value

    # -- what stands there more than once --------------------------------------------------------------

    def _distinct(self, repeats: str, *rows: np.ndarray) -> tuple[np.ndarray, ...]:
        agent, item, trial, value = rows
        cell = agent.astype(np.int64) * len(self._items) + item
        key = cell * (len(self._trials) + 1) + trial + 1
        if pd.Index(key).is_unique:
            return rows
        twice = pd.Series(key).duplicated().to_numpy()
        if repeats == "error":
            what = self._cell(agent, item, int(twice.argmax()))
            problem = f"has {int(twice.sum())} more responses of an agent to an item it has already ({what})"
            remedy = (
                "drop them, or say what they are: repeats='trials' (averaged, and kept as trials), "
                "'first' or 'last' (--repeats)"
            )
            raise BadInput("path", self.path, problem, remedy)
        if repeats == "trials":
            number = pd.Series(cell).groupby(cell).cumcount().to_numpy()
            self._trials = {str(k + 1): k for k in range(int(number.max()) + 1)}
            self.notes.append(
                f"{int(twice.sum())} repeated responses were kept as trials, as asked for"
            )
            return agent, item, number, value
        keep = ~pd.Series(key).duplicated(keep=repeats).to_numpy()
        self.notes.append(
            f"of repeated responses the {repeats} was kept, {int((~keep).sum())} left out, as asked for"
        )
        return agent[keep], item[keep], trial[keep], value[keep]

    # -- the tables ----------------------------------------------------------------------------------

    def _trial_table(self, names: pd.Index, *rows: np.ndarray) -> pd.DataFrame:
        agent, item, trial, value = rows
        labels = [*self._trials, ""]
        return pd.DataFrame(
            {
                "agent": names.to_numpy()[agent],
                "item": np.array(self._labels, dtype=object)[item],
                "response": value,
                "trial": np.array(labels, dtype=object)[trial],
            }
        ).dropna(subset="response", ignore_index=True)

    def _item_table(self, frame: pd.DataFrame) -> pd.DataFrame:
        table = pd.DataFrame(index=pd.Index(self._labels))
        if any(self._families):
            table["family"] = np.array(list(self._families), dtype=object)[self._item_family]
        if self.item_facts:
            facts = {self._labels[self._items[key]]: row for key, row in self.item_facts.items()}
            table = table.join(pd.DataFrame.from_dict(facts, orient="index"))
        return table.loc[frame.columns]

    def _agent_table(self, frame: pd.DataFrame, options: Options) -> pd.DataFrame:
        if not self.agent_facts:
            return pd.DataFrame(index=frame.index)
        table = pd.DataFrame.from_dict(self.agent_facts, orient="index")
        new = options.agents if isinstance(options.agents, Mapping) else {}
        return table.rename(index=dict(new)).reindex(frame.index)

    def _note_gaps(self, frame: pd.DataFrame, counts: np.ndarray) -> None:
        gaps = frame.isna().to_numpy()
        if not gaps.any():
            return
        sets = {row.tobytes() for row in counts > 0}
        share = f"{int(gaps.sum())} of {gaps.size} cells ({gaps.mean():.1%}) are missing"
        differ = f"; the agents met {len(sets)} different sets of items" if len(sets) > 1 else ""
        self.notes.append(share + differ)


def _unknown(name: str, label: object, known: list[str]) -> BadInput:
    if not known:
        problem = f"cannot be found: these items have no {name}"
        return BadInput(
            name, label, problem, f"leave {name} out, or name the column that tells them"
        )
    remedy = f"there are {', '.join(map(repr, known[:5]))}" + " …" * (len(known) > 5)
    return BadInput(name, label, "is not in the logs", remedy)


def _means(
    agent: np.ndarray, item: np.ndarray, value: FloatArray, shape: tuple[int, int]
) -> tuple[FloatArray, np.ndarray]:
    """The mean of each cell over what is not missing, and how many rows a cell had."""
    cell = agent.astype(np.int64) * shape[1] + item
    size = shape[0] * shape[1]
    seen = ~np.isnan(value)
    total = np.bincount(cell[seen], value[seen], size)
    n = np.bincount(cell[seen], minlength=size)
    rows = np.bincount(cell, minlength=size)
    means = np.divide(total, n, out=np.full(size, np.nan), where=n > 0)
    return means.reshape(shape), rows.reshape(shape)


def as_number(value: object) -> float | None:
    """A score as a float: True is 1, nothing is NaN; None for what is no number at all.

    >>> as_number(True), as_number(None), as_number("C"), as_number(0.25)
    (1.0, nan, None, 0.25)
    """
    if value is None:
        return float("nan")
    try:
        return float(value) if isinstance(value, (bool, int, float)) else None
    except OverflowError:
        return float("inf")
