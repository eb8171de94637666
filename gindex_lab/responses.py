"""Responses: who was measured on what, and how it went.

A table of agents x items. `Responses` holds numbers in [0, 1] (a response is how well an agent did on
an item); `Scores` holds raw scores on any scale, which a transform turns into `Responses`. Both carry
what is known of the items (difficulty, family) and of the agents, allow missing cells, and remember
repeated trials. They are never changed in place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from gindex_lab.errors import BadInput
from gindex_lab.files import atomic_folder, read_table
from gindex_lab.validate import FloatArray, choice, no_duplicates, numeric_frame

__all__ = ["Responses", "Scores"]

Labels = Sequence[Any] | None  # or a pandas Index


class _Table:
    """What `Responses` and `Scores` share: the frame, its metadata, and how they travel."""

    _low: ClassVar[float] = -np.inf
    _high: ClassVar[float] = np.inf
    _scale: ClassVar[str] = "any number"

    def __init__(
        self,
        frame: object,
        difficulty: object = None,
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
        self._check_scale()
        self.items = _metadata("items", items, self.frame.columns)
        self.agents = _metadata("agents", agents, self.frame.index)
        if difficulty is not None:
            self.items["difficulty"] = _difficulty(difficulty, self.items)
        self.interval = _interval(interval)
        self.trials = trials
        self.name, self.source, self.citation, self.licence = name, source, citation, licence

    def _check_scale(self) -> None:
        values = self.frame.to_numpy()
        bad = np.argwhere((values < self._low) | (values > self._high))
        if len(bad):
            agent, item = self.frame.index[bad[0][0]], self.frame.columns[bad[0][1]]
            raise BadInput(
                f"frame[{agent!r}, {item!r}]",
                float(values[tuple(bad[0])]),
                f"is not in {self._scale}",
                "rescale it, or pass raw scores as Scores and use a transform such as gl.rank",
            )

    # -- what it holds ---------------------------------------------------------------------------

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
        """The family (task, game, domain) of each item: what a clustered bootstrap resamples."""
        return self.items.get("family")

    def __repr__(self) -> str:
        missing = int(self.frame.isna().sum().sum())
        parts = [f"{self.shape[0]} agents x {self.shape[1]} items"]
        parts += [f"{missing} missing"] if missing else []
        parts += [] if self.difficulty is None else ["with difficulties"]
        parts += [self.source] if self.source else []
        return f"{type(self).__name__}({self.name + ': ' if self.name else ''}{', '.join(parts)})"

    def describe(self) -> pd.Series:
        """What one would ask first of a table: its size, gaps, range and difficulties.

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
        kept |= {k: getattr(self, k) for k in ("name", "source", "citation", "licence")}
        return type(self)(frame, **(kept | changes))

    def select(self, agents: Labels = None, items: Labels = None) -> Self:
        """The same table with these agents and items only, in this order.

        >>> table = Responses([[1, 0], [1, 1]])
        >>> table.select(agents=["agent 2"]).shape
        (1, 2)
        """
        rows = self.frame.index if agents is None else _known("agents", agents, self.frame.index)
        columns = (
            self.frame.columns if items is None else _known("items", items, self.frame.columns)
        )
        trials = self.trials
        if trials is not None:
            trials = trials[trials["agent"].isin(rows) & trials["item"].isin(columns)]
        return self._like(self.frame.loc[rows, columns], trials=trials)

    def with_difficulty(self, difficulty: object) -> Self:
        """The same table with these difficulties: a column of `items`, a Series, a mapping, a list."""
        if isinstance(difficulty, str):
            if difficulty not in self.items:
                raise BadInput(
                    "difficulty",
                    difficulty,
                    "is not a column of items",
                    f"use one of {list(self.items.columns)}, or pass the numbers",
                )
            difficulty = self.items[difficulty]
        return self._like(self.frame, difficulty=difficulty)

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

        >>> long = pd.DataFrame({"agent": ["a", "a"], "item": ["i", "i"], "response": [1, 0], "t": [1, 2]})
        >>> Responses.from_long(long, trial="t").frame.loc["a", "i"]
        np.float64(0.5)
        """
        wanted = [agent, item, value] + ([trial] if trial else [])
        for column in wanted:
            if column not in table:
                raise BadInput(
                    "table", list(table.columns), f"has no column {column!r}", "name the columns"
                )
        names = ["agent", "item", "response", "trial"]
        long = table[wanted].set_axis(names[: len(wanted)], axis=1).reset_index(drop=True)
        key = ["agent", "item"] + (["trial"] if trial else [])
        if long[key].isna().any(axis=None):
            row = int(np.flatnonzero(long[key].isna().any(axis=1))[0])
            raise BadInput(
                "table", f"row {row}", "names no agent, item or trial", "fill or drop the row"
            )
        twice = long.duplicated(key)
        if twice.any():
            first = tuple(long.loc[twice.idxmax(), key])
            remedy = (
                "drop the repeated row" if trial else "name the column of trials with trial=..."
            )
            raise BadInput("table", first, "stands there more than once", remedy)
        long["response"] = numeric_frame(f"table[{value!r}]", long[["response"]])[
            "response"
        ].to_numpy()
        cls(long[["response"]].set_axis([value], axis=1))  # each trial must be on the scale
        frame = long.pivot_table(
            "response", "agent", "item", aggfunc="mean", sort=False, dropna=False
        )
        frame = frame.reindex(index=long["agent"].unique(), columns=long["item"].unique())
        frame.index.name = frame.columns.name = None
        return cls(frame, trials=long.reset_index(drop=True) if trial else None, **kwargs)

    def to_long(self) -> pd.DataFrame:
        """One row per observed cell: agent, item, response (and trial, where there were repeats)."""
        if self.trials is not None:
            return self.trials.copy()
        long = self.frame.rename_axis("agent").rename_axis("item", axis=1).stack()
        return long.rename("response").reset_index()

    @classmethod
    def read(cls, path: str | PathLike[str], **kwargs: Any) -> Self:
        """From a CSV (wide: agents in the first column; long: agent, item, response), or a folder
        in the tidy form (`responses.csv`, and where known `items.csv`, `agents.csv`, `trials.csv`)."""
        path = Path(path)
        folder = path.is_dir()
        wide = read_table(path / "responses.csv" if folder else path)
        if {"agent", "item", "response"} <= set(wide.columns):
            return cls.from_long(wide, trial="trial" if "trial" in wide else None, **kwargs)
        if wide.shape[1] < 2:
            raise BadInput(
                "path", str(path), "has fewer than two columns", "put agents first, then items"
            )
        frame = wide.set_index(wide.columns[0]).rename_axis(None)
        found: dict[str, Any] = {"name": path.stem}
        for part in ("items", "agents", "trials") if folder else ():
            if (path / f"{part}.csv").exists():
                table = read_table(path / f"{part}.csv")
                found[part] = table if part == "trials" else table.set_index(table.columns[0])
        return cls(frame, **(found | kwargs))

    def save(self, folder: str | PathLike[str]) -> Path:
        """Write the tidy form, whole or not at all; `read` gives the same table back."""
        with atomic_folder(Path(folder)) as new:
            self.frame.rename_axis("agent").to_csv(new / "responses.csv")
            self.items.rename_axis("item").to_csv(new / "items.csv")
            self.agents.rename_axis("agent").to_csv(new / "agents.csv")
            if self.trials is not None:
                self.trials.to_csv(new / "trials.csv", index=False)
        return Path(folder)


class Responses(_Table):
    """Agents x items, each response in [0, 1].

    >>> table = Responses([[1, 1, 0], [1, 0, 1]], difficulty=[1, 2, 3])
    >>> table
    Responses(2 agents x 3 items, with difficulties)
    >>> table.difficulty.tolist()
    [1.0, 2.0, 3.0]
    """

    _low, _high, _scale = 0.0, 1.0, "[0, 1]"


class Scores(_Table):
    """Agents x items, raw scores on any scale; more is better.

    >>> Scores([[120, 3.5], [90, 7]]).to_responses().frame.round(2).to_numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    def to_responses(
        self, low: object = None, high: object = None, outside: str = "error"
    ) -> Responses:
        """A linear map of [low, high] to [0, 1], per item; the observed range where they are None.

        `outside` says what happens to a score beyond the ends: "error" or "clip".
        """
        choice("outside", outside, ["error", "clip"])
        frame = self.frame
        bottom = frame.min() if low is None else pd.Series(low, index=frame.columns, dtype=float)
        top = frame.max() if high is None else pd.Series(high, index=frame.columns, dtype=float)
        flat = ~(top > bottom)
        if flat.any():
            raise BadInput(
                f"low, high of item {flat.idxmax()!r}",
                (bottom[flat].iloc[0], top[flat].iloc[0]),
                "leave no room between them",
                "drop the constant item or give low < high",
            )
        scaled = (frame - bottom) / (top - bottom)
        scaled = scaled.clip(0, 1) if outside == "clip" else scaled
        kept = {
            k: getattr(self, k)
            for k in ("items", "agents", "name", "source", "citation", "licence")
        }
        return Responses(scaled, **kept)


def _metadata(name: str, table: pd.DataFrame | None, labels: pd.Index) -> pd.DataFrame:
    """What is known of each item or agent, in the order of the frame."""
    if table is None:
        return pd.DataFrame(index=labels.copy())
    if not isinstance(table, pd.DataFrame):
        raise BadInput(name, type(table).__name__, "is not a DataFrame", f"index it by {name[:-1]}")
    no_duplicates(f"{name}.index", table.index)
    absent = labels.difference(table.index, sort=False)
    if len(absent):
        raise BadInput(
            name, absent[0], "is in the frame but not described", f"add its row to {name}"
        )
    return table.loc[labels].copy()


def _difficulty(difficulty: object, items: pd.DataFrame) -> pd.Series:
    if isinstance(difficulty, Mapping):
        difficulty = pd.Series(difficulty)
    if isinstance(difficulty, pd.Series):
        absent = items.index.difference(difficulty.index, sort=False)
        if len(absent):
            raise BadInput(
                "difficulty", absent[0], "is an item without a difficulty", "give it one"
            )
        difficulty = difficulty.loc[items.index].to_numpy()
    values = numeric_frame("difficulty", np.asarray(difficulty).reshape(1, -1)).to_numpy()[0]
    if len(values) != len(items):
        raise BadInput(
            "difficulty",
            len(values),
            f"has another length than the {len(items)} items",
            "match them",
        )
    if np.isnan(values).any():
        raise BadInput(
            "difficulty",
            items.index[np.isnan(values)][0],
            "is an item without a difficulty",
            "give it one",
        )
    return pd.Series(values, index=items.index, name="difficulty")


def _interval(interval: tuple[float, float] | None) -> tuple[float, float] | None:
    if interval is None:
        return None
    low, high = map(float, interval)
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise BadInput(
            "interval", interval, "is empty or not finite", "give (lowest, highest) difficulty"
        )
    return low, high


def _known(name: str, labels: Any, index: pd.Index) -> list[Any]:
    wanted = list(labels)
    unknown = [label for label in wanted if label not in index]
    if unknown:
        raise BadInput(name, unknown[0], "is not in the table", f"known are {list(index[:5])} …")
    return wanted
