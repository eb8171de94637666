"""Responses: who was measured on what, and how it went.

A table of agents x items. `Responses` holds numbers in [0, 1] (a response is how well an agent did on
an item); `Scores` holds raw scores on any scale, which a transform turns into `Responses`. Both carry
what is known of the items (difficulty, family) and of the agents, allow missing cells, and remember
repeated trials. They are never changed in place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from gindex_lab.foundation.bounds import check_cells
from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.files import header_of, labels_of, read_facts, read_part, read_table, write_facts
from gindex_lab.foundation.folders import atomic_folder
from gindex_lab.foundation.inputs import as_path
from gindex_lab.foundation.likes import DifficultyLike, NumbersLike
from gindex_lab.foundation.notes import Notes
from gindex_lab.foundation.upstairs import upstairs
from gindex_lab.foundation.validate import (
    FloatArray,
    choice,
    described,
    known,
    numeric_frame,
    pair,
    per_item,
    refuse,
    table_with,
    trials_of,
)

__all__ = ["Responses", "Scores"]

Labels = Sequence[Any] | None  # or a pandas Index
_FACTS = ("name", "source", "citation", "licence")


class _Table:
    """What `Responses` and `Scores` share: the frame, its metadata, and how they travel."""

    _low: ClassVar[float] = -np.inf
    _high: ClassVar[float] = np.inf
    _scale: ClassVar[str] = "any number"
    _notes: Notes = Notes()

    def __init__(
        self,
        frame: object,
        difficulty: DifficultyLike = None,
        items: pd.DataFrame | None = None,
        agents: pd.DataFrame | None = None,
        *,
        interval: tuple[float, float] | None = None,
        trials: pd.DataFrame | None = None,
        name: str = "",
        source: str = "",
        citation: str = "",
        licence: str = "",
    ) -> None:
        self.frame = numeric_frame("frame", frame)
        beyond = (self.values < self._low) | (self.values > self._high)
        remedy = "rescale it, or pass raw scores as Scores and use a transform such as gl.rank"
        refuse("frame", self.frame, beyond, f"[out-of-range] is not in {self._scale}", remedy)
        self.items = described("items", items, self.frame.columns)
        self.agents = described("agents", agents, self.frame.index)
        difficulty = self.items.get("difficulty") if difficulty is None else difficulty
        if difficulty is not None:
            self.items["difficulty"] = per_item("difficulty", difficulty, self.items.index)
        self.interval = pair("interval", interval)
        self.trials = trials_of(trials)
        self.name, self.source, self.citation, self.licence = name, source, citation, licence

    # -- what it holds ---------------------------------------------------------------------------

    @property
    def notes(self) -> Notes:
        """What `gl.read` decided and left out: a tuple of sentences; `.notes.table` is a table of them."""
        return self._notes

    @notes.setter
    def notes(self, notes: Iterable[str]) -> None:
        self._notes = Notes(notes)

    @property
    def values(self) -> FloatArray:
        """The numbers alone, agents x items, NaN where missing."""
        return self.frame.to_numpy()

    @property
    def shape(self) -> tuple[int, int]:
        return self.frame.shape

    @property
    def difficulty(self) -> pd.Series | None:
        """The difficulty of each item, or None where none is known."""
        return self.items.get("difficulty")

    @property
    def family(self) -> pd.Series | None:
        """The family (task, game, domain) of each item, which a clustered bootstrap resamples."""
        return self.items.get("family")

    def __repr__(self) -> str:
        missing = int(self.frame.isna().sum().sum())
        parts = [f"{self.shape[0]} agents x {self.shape[1]} items"]
        parts += [f"{missing} missing"] if missing else []
        parts += [] if self.difficulty is None else ["with difficulties"]
        parts += [self.source] if self.source else []
        return f"{type(self).__name__}({self.name + ': ' if self.name else ''}{', '.join(parts)})"

    def _repr_html_(self) -> str:
        said = self.notes._repr_html_() if self.notes else ""
        return f"<p>{escape(repr(self))}</p>{said}"

    def describe(self) -> pd.Series:
        """The size, gaps, range and difficulties of the table.

        >>> Responses([[1, 0], [1, None]], difficulty=[1, 2]).describe()["missing cells"]
        1
        """
        values, difficulty, family = self.values, self.difficulty, self.family
        seen = values[~np.isnan(values)]
        facts: dict[str, Any] = {
            "agents": self.shape[0],
            "items": self.shape[1],
            "missing cells": int(np.isnan(values).sum()),
            "distinct values": len(np.unique(seen)),
            "minimum": float(seen.min()) if len(seen) else None,
            "mean": float(seen.mean()) if len(seen) else None,
            "maximum": float(seen.max()) if len(seen) else None,
            "constant items": int((self.frame.nunique() <= 1).sum()),
            "families": None if family is None else int(family.nunique()),
            "distinct difficulties": None if difficulty is None else int(difficulty.nunique()),
            "easiest": None if difficulty is None else float(difficulty.min()),
            "hardest": None if difficulty is None else float(difficulty.max()),
            "trials": None if self.trials is None else len(self.trials),
            "source": self.source or None,
        }
        return pd.Series(facts, name=self.name or type(self).__name__, dtype=object)

    # -- other tables from this one ----------------------------------------------------------------

    def _like(self, frame: pd.DataFrame, **changes: Any) -> Self:
        kept: dict[str, Any] = {
            "items": self.items.loc[frame.columns],
            "agents": self.agents.loc[frame.index],
            "interval": self.interval,
            "trials": self.trials,
        }
        kept |= {k: getattr(self, k) for k in _FACTS}
        found = type(self)(frame, **(kept | changes))
        found.notes = self.notes
        return found

    def select(self, agents: Labels = None, items: Labels = None) -> Self:
        """The same table with these agents and items only, in this order; all of them by default.

        >>> table = Responses([[1, 0], [1, 1]])
        >>> table.select(agents=["agent 2"]).shape
        (1, 2)
        """
        rows = self.frame.index if agents is None else known("agents", agents, self.frame.index)
        columns = self.frame.columns if items is None else known("items", items, self.frame.columns)
        trials = self.trials
        if trials is not None:
            trials = trials[trials["agent"].isin(rows) & trials["item"].isin(columns)]
        return self._like(self.frame.loc[rows, columns], trials=trials)

    def with_difficulty(self, difficulty: DifficultyLike) -> Self:
        """The same table with these difficulties: a column of `items`, a Series, a mapping or a list.

        The interval belongs to the old difficulties and goes with them, as their errors do.
        """
        if isinstance(difficulty, str):
            remedy = f"use one of {list(self.items)}, or pass the numbers"
            problem = "[no-column] is not a column of items"
            ensure(difficulty in self.items, "difficulty", difficulty, problem, remedy)
            difficulty = self.items[difficulty]
        items = self.items.drop(columns="difficulty_se", errors="ignore")
        return self._like(self.frame, difficulty=difficulty, items=items, interval=None)

    # -- long tables and files ----------------------------------------------------------------------

    @classmethod
    def from_long(
        cls,
        table: pd.DataFrame,
        agent: str = "agent",
        item: str = "item",
        value: str = "response",
        trial: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """From one row per (agent, item), or per trial if `trial` names a column.

        Repeated trials are averaged in `.frame` and kept in `.trials`.

        Parameters
        ----------
        table : long table
        agent, item, value, trial : names of its columns
        kwargs : as for the class

        Returns
        -------
        Responses or Scores

        Examples
        --------
        >>> long = pd.DataFrame({"agent": ["a", "a"], "item": ["i", "i"], "response": [1, 0], "t": [1, 2]})
        >>> Responses.from_long(long, trial="t").frame.loc["a", "i"]
        np.float64(0.5)
        """
        wanted = [agent, item, value, trial] if trial else [agent, item, value]
        names = ["agent", "item", "response", "trial"][: len(wanted)]
        long = table_with("table", table, *wanted)[wanted].set_axis(names, axis=1).reset_index(drop=True)
        key = [name for name in names if name != "response"]
        if long[key].isna().any(axis=None):
            row = int(np.flatnonzero(long[key].isna().any(axis=1))[0])
            problem = "[missing] has no agent, item or trial"
            raise BadInput("table", f"row {row}", problem, "fill or drop the row")
        twice = long.duplicated(key)
        if twice.any():
            first = tuple(long.loc[twice.idxmax(), key])
            remedy = "drop the repeated row" if trial else "name the column of trials: trial=..."
            raise BadInput("table", first, "[duplicate] appears more than once", remedy)
        long["response"] = numeric_frame(f"table[{value!r}]", long[["response"]])["response"].to_numpy()
        cls(long[["response"]].set_axis([value], axis=1))  # each trial must be on the scale
        rows, columns = long[["agent", "item"]].nunique()
        check_cells("table", f"{len(long)} rows", rows, columns, len(long))
        frame = long.pivot_table("response", "agent", "item", aggfunc="mean", sort=False, dropna=False)
        frame = frame.reindex(index=long["agent"].unique(), columns=long["item"].unique())
        frame.index.name = frame.columns.name = None
        return cls(frame, trials=long.reset_index(drop=True) if trial else None, **kwargs)

    def to_long(self) -> pd.DataFrame:
        """One row per observed cell: agent, item, response (and trial, where there were repeats)."""
        if self.trials is not None:
            return self.trials.copy()
        long = self.frame.rename_axis("agent").rename_axis("item", axis=1).stack()
        return long.dropna().rename("response").reset_index()

    @classmethod
    def read(cls, path: str | PathLike[str], **kwargs: Any) -> Self:
        """From a CSV (wide: agents in the first column; long: agent, item, response), or a folder in the
        tidy form (`responses.csv`, and where known `items.csv`, `agents.csv`, `trials.csv`).

        Labels are text as written (`007`, `NA`), but labels that were whole numbers when `save` wrote them
        come back as such. Keywords are those of the class.
        """
        path = as_path("path", path)
        facts = read_facts(path) if path.is_dir() else {}
        # curves of a transform stay curves
        kind: type[Any] = upstairs("StepCurves") if facts.get("kind") == "StepCurves" else cls
        problem = "[not-scores] holds the curves of a transform, not scores"
        ensure(issubclass(kind, cls), "path", facts.get("kind"), problem, "use gl.Responses.read")
        table: Self = kind._read(path, facts, kwargs)
        return table

    @classmethod
    def _read(cls, path: Path, facts: dict[str, Any], kwargs: dict[str, Any]) -> Self:
        found: dict[str, Any] = {"name": path.stem}
        found |= {k: facts[k] for k in (*_FACTS, "interval") if k in facts}
        whole = facts.get("whole_numbers", [])
        for part in ("items", "agents", "trials") if path.is_dir() else ():
            if (path / f"{part}.csv").exists():
                found[part] = read_part(path / f"{part}.csv", part, whole)
        file = path / "responses.csv" if path.is_dir() else path
        header = header_of(file)
        if {"agent", "item", "response"} <= set(header):
            long = read_table(file, ["agent", "item"])
            trial = "trial" if "trial" in long else None
            return cls.from_long(long, trial=trial, **(found | kwargs))
        problem = "[too-few] has fewer than two columns"
        ensure(len(header) != 1, "path", str(path), problem, "put agents first, then items")
        table = read_table(file, [0])
        frame = table.set_index(table.columns[0]).rename_axis(None)
        frame.index = labels_of(frame.index, "agents" in whole)
        frame.columns = labels_of(frame.columns, "items" in whole)
        return cls(frame, **(found | kwargs))

    def save(self, folder: str | PathLike[str]) -> Path:
        """Write the tidy form, whole or not at all; `read` gives the same table back.

        A table that we saved there before is replaced; any other folder that is not empty is refused.
        """
        with atomic_folder(Path(folder), "table") as new:
            self._write(new)
        return Path(folder)

    def _write(self, new: Path) -> None:
        self.frame.rename_axis("agent").to_csv(new / "responses.csv")
        self.items.rename_axis("item").to_csv(new / "items.csv")
        self.agents.rename_axis("agent").to_csv(new / "agents.csv")
        if self.trials is not None:
            self.trials.to_csv(new / "trials.csv", index=False)
        write_facts(new, self._facts())

    def _facts(self) -> dict[str, Any]:
        axes = {"agents": self.frame.index, "items": self.frame.columns}
        return {
            "kind": type(self).__name__,
            **{k: getattr(self, k) for k in _FACTS},
            "interval": self.interval,
            "whole_numbers": [k for k, v in axes.items() if pd.api.types.is_integer_dtype(v)],
        }


class Responses(_Table):
    """Agents x items, each response in [0, 1].

    Parameters
    ----------
    frame : DataFrame, array or nested list, agents x items, NaN where a response is missing
    difficulty : numbers by item (list, Series, mapping); the column `difficulty` of `items` by default
    items, agents : DataFrames of what is known of each, indexed by its label
        `items["family"]` is what a clustered bootstrap resamples.
    interval : (low, high) of the difficulties; that of the items by default
    trials : one row per trial: agent, item, response
    name, source, citation, licence : where the data come from

    Examples
    --------
    >>> table = Responses([[1, 1, 0], [1, 0, 1]], difficulty=[1, 2, 3])
    >>> table
    Responses(2 agents x 3 items, with difficulties)
    >>> table.difficulty.tolist()
    [1.0, 2.0, 3.0]
    """

    _low, _high, _scale = 0.0, 1.0, "[0, 1]"


class Scores(_Table):
    """Agents x items, raw scores on any scale; more is better. The parameters are those of `Responses`.

    Examples
    --------
    >>> Scores([[120, 3.5], [90, 7]]).to_responses().frame.round(2).to_numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    def to_responses(
        self, low: NumbersLike = None, high: NumbersLike = None, outside: str = "error"
    ) -> Responses:
        """Responses by a linear map of [low, high] to [0, 1], per item; trials are mapped, kept and averaged.

        Parameters
        ----------
        low, high : one number, or one per item; the observed range (of the trials, if any) by default
        outside : what happens to a score beyond the ends: "error" or "clip"

        Returns
        -------
        Responses
        """
        choice("outside", outside, ["error", "clip"])
        bottom, top = self._end("low", low), self._end("high", high)
        flat = ~(top > bottom)
        if flat.any():
            where = f"low, high of item {flat.idxmax()!r}"
            ends = bottom[flat].iloc[0], top[flat].iloc[0]
            remedy = "drop the constant item, or give low < high"
            raise BadInput(where, ends, "[not-in-order] must satisfy low < high", remedy)
        kept: dict[str, Any] = {k: getattr(self, k) for k in ("items", "agents", *_FACTS)}
        frame, width = self.frame, top - bottom
        if self.trials is None:
            scaled = (frame - bottom) / width
            return Responses(scaled.clip(0, 1) if outside == "clip" else scaled, **kept)
        trials = self.trials.copy()
        each = (trials["response"] - trials["item"].map(bottom)) / trials["item"].map(width)
        trials["response"] = each.clip(0, 1) if outside == "clip" else each
        Responses(trials[["response"]])  # each trial must be on the scale
        means = trials.groupby(["agent", "item"])["response"].mean().unstack()
        return Responses(means.reindex(frame.index, columns=frame.columns), trials=trials, **kept)

    def _end(self, name: str, given: object) -> pd.Series:
        """The score that becomes 0 (low) or 1 (high), per item: as given, or the observed one."""
        items = self.frame.columns
        if given is None:
            seen = self.frame if self.trials is None else self.trials.groupby("item")["response"]
            return (seen.min() if name == "low" else seen.max()).reindex(items)
        one = isinstance(given, (str, int, float, np.number))
        return pd.Series(per_item(name, [given] * len(items) if one else given, items), items)
