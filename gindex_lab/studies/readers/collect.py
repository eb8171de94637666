"""Responses as they come in, one number at a time, and the table of agents x items that they make.

A reader calls `add` for each response that it meets, or `add_codes` for columns of them, inside
`with found.reading(file):`, which forgets a file that turns out to be bad and lists it (`storage`).
`gathered` gives the table of agents x items, the families, the trials and the notes. Of a second response of
an agent to an item, trials are proposed only where samples really repeat: runs with other settings are other
agents, ids that start again in every file or subject are other items, and the error says which it is.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from gindex_lab.foundation.bounds import check_cells
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.studies.readers.cells import missing_codes, summaries
from gindex_lab.studies.readers.options import file_names, glob_mask, named_mask
from gindex_lab.studies.readers.storage import Storage
from gindex_lab.studies.readers.text import bad_file, listed

__all__ = ["Collector", "Gathered"]


class Gathered(NamedTuple):
    """What was read: the means (agents x items), and what is known beside them."""

    frame: pd.DataFrame
    items: pd.DataFrame
    agents: pd.DataFrame
    trials: pd.DataFrame | None
    notes: list[str]


class Collector(Storage):
    """Gathers (agent, family, item, response, trial).

    >>> found = Collector("logs")
    >>> found.add("gpt", "arc", "1", 1.0, trial=1), found.add("gpt", "arc", "1", 0.0, trial=2)
    (0, 0)
    >>> found.gathered().frame
         arc/1
    gpt    0.5
    """

    def _columns(self) -> tuple[np.ndarray, ...]:
        """Agent, item, trial and value of each row."""
        if not len(self):
            raise bad_file(self.path, "holds no response at all", "name the logs")
        return tuple(np.frombuffer(x, dtype=x.typecode) for x in self._rows)

    def rows(self) -> pd.DataFrame:
        """Every row as it came, after the choice, the scale and the direction; with its details."""
        agent, item, trial, value = self._columns()
        keep = self._chosen(agent, item)
        value = self._turn(self._scaled(value, agent, item), item)
        families, names = (np.array(x, dtype=object) for x in zip(*self._items, strict=True))
        columns = {"family": families[item], "item": names[item], "response": value}
        table = pd.DataFrame({"agent": self._names().to_numpy()[agent]} | columns)
        if (trial >= 0).any():
            table["trial"] = np.array([*self._trials, ""], dtype=object)[trial]
        if self.details:
            table = table.join(pd.DataFrame.from_dict(self.details, orient="index"))
        if self._beside:
            parts = [part.set_axis(range(at, at + len(part))) for at, part in self._beside]
            table = table.join(pd.concat(parts))
        if self.item_facts:
            facts = [self.item_facts.get(pair, {}) for pair in self._items]
            known = pd.DataFrame(facts).filter(["choices", "floor"])
            table = table.join(known.iloc[item].reset_index(drop=True))
        return table if keep is None else table[keep].reset_index(drop=True)

    def gathered(self) -> Gathered:
        """The table, after the choice of agents and families, the scale, and the rule for repeats."""
        agent, item, trial, value = self._columns()
        keep, row = self._chosen(agent, item), None
        if keep is not None:
            row = np.flatnonzero(keep)
            agent, item, trial, value = (x[keep] for x in (agent, item, trial, value))
        value = self._turn(self._scaled(value, agent, item), item)
        agent, item, trial, value = self._distinct(row, agent, item, trial, value)
        names = self._names()
        check_cells("path", self.path, len(self._agents), len(self._items), len(agent))
        labels = self._labels = self._item_labels()
        means, counts = _means(agent, item, value, (len(self._agents), len(self._items)))
        rows, columns = counts.any(axis=1), counts.any(axis=0)
        frame = pd.DataFrame(means, names, labels, copy=False)
        if not (rows.all() and columns.all()):
            frame, counts = frame.loc[rows, columns], counts[rows][:, columns]
        trials = None
        if (counts > 1).any():
            trials = self._trial_table(names, agent, item, trial, value)
        else:
            frame, counts = self._without_summaries(frame, counts)
        self._note_spelling(frame.index)
        self._note_gaps(frame, counts)
        return Gathered(frame, self._item_table(frame), self._agent_table(frame), trials, self.notes)

    def _item_labels(self) -> list[str]:
        """`family/item`; where two items would get the same label, both say what is the family."""
        pairs = list(self._items)
        labels = [f"{family}/{item}" if family else item for family, item in pairs]
        counts = Counter(labels)
        if len(counts) == len(labels):
            return labels
        same = [k for k, label in enumerate(labels) if counts[label] > 1]
        for k in same:
            labels[k] = json.dumps(pairs[k], ensure_ascii=False)
        first = " and ".join(labels[k] for k in same[:2])
        self.note("items", f"items whose family and name read alike were kept apart: {first}")
        return labels

    # -- what is chosen ------------------------------------------------------------------------------

    def _chosen(self, agent: np.ndarray, item: np.ndarray) -> np.ndarray | None:
        """Which rows to keep; None for all."""
        options = self.options
        keep = named_mask("agents", options.agents, self._agents, agent)
        if options.families is not None:
            family = np.array(self._item_family)[item]
            keep &= named_mask("families", options.families, self._families, family)
        if options.include or options.exclude:
            files, file = self._file_codes(len(agent))
            tasks = [group or name for group, name in self._items]  # of results only, an item is a task
            names = [file_names(one, Path(self.path)) for one in files]
            rows = (list(self._agents), agent), (tasks, item), (names, file)
            keep &= glob_mask(options, *rows, self.passed)
            self.note("choice", "some were left out, as asked for by include and exclude")
        return None if keep.all() else keep

    def _renamed(self) -> Mapping[str, str]:
        return self.options.agents if isinstance(self.options.agents, Mapping) else {}

    def _names(self) -> pd.Index:
        """The agents, by their new names where `agents` is a mapping."""
        return pd.Index([self._renamed().get(name, name) for name in self._agents])

    def _scaled(self, value: FloatArray, agent: np.ndarray, item: np.ndarray) -> FloatArray:
        if np.isinf(value).any():
            where = self._cell(agent, item, int(np.isinf(value).argmax()))
            raise bad_file(self.path, f"[not-finite] holds an infinite score for {where}", "fix the file")
        if self.options.scale is None:
            return self._without_codes(value)
        low, high = self.options.scale
        outside = (value < low) | (value > high)
        if outside.any():
            at = int(outside.argmax())
            problem = f"[off-scale] does not hold {value[at]:g}, the score of {self._cell(agent, item, at)}"
            raise BadInput("scale", self.options.scale, problem, "give the ends of the scale")
        self.note("scale", f"scores were rescaled from [{low:g}, {high:g}] to [0, 1], as asked for")
        return np.asarray((value - low) / (high - low))

    def _without_codes(self, value: FloatArray) -> FloatArray:
        """Codes for no answer become gaps, and are named."""
        codes = missing_codes(value)
        if not len(codes):
            return value
        coded = np.isin(value, codes)
        shown = ", ".join(f"{code:g}" for code in codes)
        said = f"{shown} among the scores is taken for a code of no answer: {coded.sum():,} gaps"
        self.note("gaps", said, "scale=(low, high) (--scale), of which it is a score")
        return np.where(coded, np.nan, value)

    def _cell(self, agent: np.ndarray, item: np.ndarray, at: int) -> str:
        return f"{list(self._agents)[agent[at]]!r} on {self._item_labels()[item[at]]!r}"

    def _turn(self, value: FloatArray, item: np.ndarray) -> FloatArray:
        """Scores of which less is better: 1 - x of shares (all in [0, 1], of a metric that ends there, or on
        a scale that was given), and otherwise -x."""
        said: dict[tuple[str, str], None] = {}
        for metric, family, one in self._turned:
            wanted = [(family is None or f == family) and (one is None or i == one) for f, i in self._items]
            rows = np.array(wanted)[item]
            ends = self.options.scale is not None or metric not in self._endless
            share = ends and not ((value[rows] < 0) | (value[rows] > 1)).any()
            value = np.where(rows, 1 - value if share else -value, value)
            said[metric, "1 - score" if share else "minus the score"] = None
        for metric, how in said:
            text = f"{metric!r} is better when smaller: it was turned round ({how})"
            self.note("direction", text, "higher_is_better=[...] (--higher-is-better)")
        return value

    # -- repeats -------------------------------------------------------------------------------------

    def _distinct(self, kept: np.ndarray | None, *rows: np.ndarray) -> tuple[np.ndarray, ...]:
        agent, item, trial, value = rows
        cell = agent.astype(np.int64) * len(self._items) + item
        key = _repeated(cell, trial, len(self._trials), len(self._agents) * len(self._items))
        if key is None:
            return rows
        repeats = self.options.repeats
        twice = pd.Series(key).duplicated().to_numpy()
        count, at = int(twice.sum()), int(twice.argmax())
        if repeats == "error":
            before = int((key == key[at]).argmax())
            places = (before, at) if kept is None else (int(kept[before]), int(kept[at]))
            first, second = (self._file_of(place) for place in places)
            where = f", in {first.name} and in {second.name}" if first.name != second.name else ""
            again = f"an item it has already ({self._cell(agent, item, at)}{where})"
            problem = f"[repeats] has {count} more responses of an agent to {again}"
            raise bad_file(self.path, problem, self._how_to_tell(first, second, int(item[at])))
        if repeats == "trials":
            number = pd.Series(cell).groupby(cell).cumcount().to_numpy()
            self._trials = {str(k + 1): k for k in range(int(number.max()) + 1)}
            self.note("repeats", f"{count} repeated responses were kept as trials, as asked for")
            return agent, item, number, value
        keep = ~pd.Series(key).duplicated(keep=repeats).to_numpy()
        left = int((~keep).sum())
        self.note("repeats", f"of repeated responses the {repeats} was kept, {left} left out, as asked for")
        return agent[keep], item[keep], trial[keep], value[keep]

    def _how_to_tell(self, first: Path, second: Path, item: int) -> str:
        """What tells two responses to one item apart, and so what to do."""
        trials = "repeats='trials' (averaged, and kept as trials), 'first' or 'last' (--repeats)"
        one, other = (self.settings.get(file, {}) for file in (first, second))
        if item in self.changed:
            return (
                "these are different items with the same id, since their texts differ: name the column that "
                "tells them apart (columns={'family': ...}), or read the files one by one"
            )
        if len(self.apart) > 1:
            shown = " and ".join(map(repr, self.apart))
            return (
                f"the rows differ by {shown}: add these to the name of the agent or the item in the table, "
                f"keep one setting of each, or else {trials}"
            )
        for column in self.apart:
            return (
                f"the rows differ by {column!r}: say what it is, columns={{'family': {column!r}}} or "
                f"columns={{'trial': {column!r}}} (--columns), or else {trials}"
            )
        for setting in [name for name in one if one[name] != other.get(name)]:
            apart = f"keep the runs apart with agent_from={setting!r} (--agent-from {setting})"
            return f"{apart}, or leave files out with exclude"
        if first.name != second.name:
            return (
                f"if the same run was repeated, pass {trials}; if the files are of different agents, "
                "agent_from='file' or 'folder' (--agent-from)"
            )
        return f"drop them, or say what they are: {trials}"

    # -- the tables ----------------------------------------------------------------------------------

    def _trial_table(self, names: pd.Index, *rows: np.ndarray) -> pd.DataFrame:
        agent, item, trial, value = rows
        columns = {
            "agent": names.to_numpy()[agent],
            "item": np.array(self._labels, dtype=object)[item],
            "response": value,
            "trial": np.array([*self._trials, ""], dtype=object)[trial],
        }
        return pd.DataFrame(columns).dropna(subset="response", ignore_index=True)

    def _item_table(self, frame: pd.DataFrame) -> pd.DataFrame:
        table = pd.DataFrame(index=pd.Index(self._labels))
        if any(self._families):
            table["family"] = np.array(list(self._families), dtype=object)[self._item_family]
        if self.item_facts:
            known = {self._items[pair]: row for pair, row in self.item_facts.items() if pair in self._items}
            facts = pd.DataFrame.from_dict({self._labels[k]: row for k, row in known.items()}, orient="index")
            if "family" in facts:  # asked for as a role: it takes the place of the task
                table["family"] = facts["family"].reindex(table.index).fillna(table.get("family", ""))
            table = table.join(facts.drop(columns="family", errors="ignore"))
        return table.loc[frame.columns]

    def _agent_table(self, frame: pd.DataFrame) -> pd.DataFrame:
        if not self.agent_facts:
            return pd.DataFrame(index=frame.index)
        table = pd.DataFrame.from_dict(self.agent_facts, orient="index")
        return table.rename(index=dict(self._renamed())).reindex(frame.index)

    def _without_summaries(self, frame: pd.DataFrame, counts: np.ndarray) -> tuple[pd.DataFrame, np.ndarray]:
        """The table without the means that stand among its agents and items."""
        agents, items = summaries(frame), summaries(frame.T)
        if not agents and not items:
            return frame, counts
        rows, columns = ~frame.index.isin(agents), ~frame.columns.isin(items)
        self.note("items", f"the mean of the others, and so left out: {listed([*agents, *items], 99)}")
        return frame.loc[rows, columns], counts[rows][:, columns]

    def _note_spelling(self, names: pd.Index) -> None:
        """Agents whose names differ only in case or in what stands between the words may be one."""
        first: dict[str, str] = {}
        for name in map(str, names):
            other = first.setdefault(re.sub(r"[\s_-]+", "", name.lower()), name)
            if other != name and re.search(r"[a-z]", name.lower()):
                said = f"{other!r} and {name!r} differ only in spelling, and are two agents"
                self.note("agents", said, f"agents={{{name!r}: {other!r} ...}}")
                return

    def _note_gaps(self, frame: pd.DataFrame, counts: np.ndarray) -> None:
        gaps = frame.isna().to_numpy()
        if not gaps.any():
            return
        sets = {row.tobytes() for row in counts > 0}
        share = f"{int(gaps.sum()):,} of {gaps.size:,} cells ({gaps.mean():.1%}) are missing"
        differ = f"; the agents met {len(sets)} different sets of items" if len(sets) > 1 else ""
        self.note("gaps", share + differ)


def _means(
    agent: np.ndarray, item: np.ndarray, value: FloatArray, shape: tuple[int, int]
) -> tuple[FloatArray, np.ndarray]:
    """The mean of each cell over what is not missing, and how many rows a cell had."""
    cell = agent.astype(np.int64) * shape[1] + item
    size = shape[0] * shape[1]
    rows = np.bincount(cell, minlength=size)
    if int(rows.max(initial=0)) <= 1:  # every cell once: put the values where they belong
        means = np.full(size, np.nan)
        means[cell] = value
        return means.reshape(shape), rows.reshape(shape)
    seen = ~np.isnan(value)
    total = np.bincount(cell[seen], value[seen], size)
    n = np.bincount(cell[seen], minlength=size)
    means = np.divide(total, n, out=np.full(size, np.nan), where=n > 0)
    return means.reshape(shape), rows.reshape(shape)


def _repeated(cell: np.ndarray, trial: np.ndarray, trials: int, cells: int) -> np.ndarray | None:
    """The key of each row if some rows have the same one, else None; without trials by counting only."""
    key = cell if not trials else cell * (trials + 1) + trial + 1
    size = cells * (trials + 1)
    if size <= 4 * len(key) + 1_000_000:  # counting is faster where the counts are few
        unique = len(key) <= size and int(np.bincount(key, minlength=size).max(initial=0)) <= 1
    else:
        unique = pd.Index(key).is_unique
    return None if unique else key
