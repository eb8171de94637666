"""What is resampled: the numbers of a study, and which item belongs to which unit.

A unit is what would come out differently if the study were done again: an item, a family of items, or
a trial. End points that a transform added (`anchor`) belong to no unit: they are certain. Step curves
(`gl.rank` and its kin) are resampled by the items behind them, not by the columns of their grid.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, choice
from gindex_lab.measures.curves import Interval
from gindex_lab.measures.steps import StepCurves

__all__ = ["RESAMPLE", "Sample", "patterns", "sample_like", "sample_of"]

RESAMPLE = ["items", "families", "trials"]


@dataclass(frozen=True, eq=False)
class Sample:
    """Responses (A, N) at difficulties (N,), or positions (A, N) of steps where `difficulty` is None."""

    agents: pd.Index
    values: FloatArray
    difficulty: FloatArray | None
    codes: np.ndarray  # (N,) unit of each item, 0..F-1; -1 for an end point
    interval: Interval
    origin: float  # where the expected difficulty is counted from
    estimator: str
    trials: FloatArray | None = None  # (A, N, T)
    word: str = "items"
    extrapolate: str = "paper"
    grid: FloatArray | None = None  # where step curves are read; None: the staircase itself
    difficulty_error: FloatArray | None = None  # (N,) standard errors of estimated difficulties

    @property
    def units(self) -> int:
        return int(self.codes.max()) + 1

    def rows(self, which: Any) -> Sample:
        """The same units for some agents only, by position."""
        trials = None if self.trials is None else self.trials[which]
        return replace(self, agents=self.agents[which], values=self.values[which], trials=trials)

    def blocks(self, size: int) -> list[Sample]:
        """The same units for so many agents at a time, to bound the memory of a step."""
        size = max(1, size)
        return [self.rows(slice(i, i + size)) for i in range(0, len(self.agents), size)]

    def common(self) -> Sample:
        """Every agent on the items that all of them met."""
        gone = np.asarray(np.isnan(self.values).any(axis=0))
        trials = None if self.trials is None else np.where(gone[:, None], np.nan, self.trials)
        return replace(self, values=np.where(gone, np.nan, self.values), trials=trials)


def sample_of(
    study: Responses,
    interval: Interval,
    estimator: str,
    resample: str,
    origin: float | None = None,
    extrapolate: str = "paper",
) -> Sample:
    """The study as arrays, with one unit per item, family or trial.

    >>> study = Responses([[1, 1, 0]], difficulty=[1, 2, 3])
    >>> sample_of(study, (1.0, 3.0), "trapezoid", "items").units
    3
    """
    choice("resample", resample, [*RESAMPLE, "agents"])
    if resample == "agents":
        raise BadInput(
            "resample",
            resample,
            "says nothing of a single agent",
            "use gl.population_intervals for means and correlations over agents",
        )
    steps = isinstance(study, StepCurves) and study.positions is not None
    if isinstance(study, StepCurves) and study.positions is not None:
        values, about = study.positions.to_numpy(dtype=float), study.position_items
        difficulty, grid = None, None if study.continuous else study.grid
        about = pd.DataFrame(index=study.positions.columns) if about is None else about
    else:
        values, about = study.values, study.items
        difficulty, grid = study.items["difficulty"].to_numpy(dtype=float), None
    trials = _trials(study) if resample == "trials" else None
    if steps and trials is not None:
        raise BadInput("resample", resample, "needs responses, not ranks", "use resample='items'")
    return Sample(
        study.frame.index,
        values,
        difficulty,
        _codes(about, resample),
        interval,
        interval[0] if origin is None else origin,
        estimator,
        trials,
        resample,
        extrapolate,
        grid,
        None if steps else _difficulty_error(study),
    )


def _difficulty_error(study: Responses) -> FloatArray | None:
    """Standard errors of the difficulties, where a model estimated them (`gl.irt_difficulty`)."""
    if "difficulty_se" not in study.items:
        return None
    return np.nan_to_num(study.items["difficulty_se"].to_numpy(dtype=float))


def sample_like(table: pd.DataFrame, study: Responses, resample: str) -> Sample:
    """The sample behind a table of `gl.generality`: on its interval, with its origin and estimator."""
    kept = table.attrs
    return sample_of(
        study,
        kept["interval"],
        kept["estimator"],
        resample,
        kept["origin"],
        kept.get("extrapolate", "paper"),
    )


def patterns(seen: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """(items, agents) by position, one pair per distinct pattern of observed cells.

    >>> [(items.tolist(), rows.tolist()) for items, rows in patterns(np.array([[True, False], [True, True]]))]
    [([0], [0]), ([0, 1], [1])]
    """
    if seen.all():
        return [(np.arange(seen.shape[1]), np.arange(len(seen)))]
    kinds, which = np.unique(seen, axis=0, return_inverse=True)
    which = which.ravel()
    return [(np.flatnonzero(kind), np.flatnonzero(which == k)) for k, kind in enumerate(kinds)]


def _codes(about: pd.DataFrame, resample: str) -> np.ndarray:
    anchor = about.get("anchor")
    free = np.ones(len(about), bool) if anchor is None else ~anchor.to_numpy(dtype=bool)
    codes = np.full(len(about), -1)
    if resample != "families":
        codes[free] = np.arange(free.sum())
        return codes
    if "family" not in about:
        raise BadInput(
            "resample",
            resample,
            "needs to know the family of each item",
            "give items with a column 'family', or use resample='items'",
        )
    family = about["family"][free]
    if family.isna().any():
        raise BadInput(
            "items['family']", family.index[family.isna()][0], "has no family", "name its family"
        )
    codes[free] = pd.factorize(family)[0]
    return codes


def _trials(study: Responses) -> FloatArray:
    """Trials as an array (A, N, T), NaN where a cell had fewer."""
    if study.trials is None:
        raise BadInput(
            "resample",
            "trials",
            "needs repeated trials, and the responses keep none",
            "use Responses.from_long(table, trial='...'), or resample='items'",
        )
    long = study.trials.dropna(subset=["response"])
    row = study.frame.index.get_indexer(pd.Index(long["agent"]))
    column = study.frame.columns.get_indexer(pd.Index(long["item"]))
    number = long.groupby(["agent", "item"]).cumcount().to_numpy()
    trials = np.full((*study.shape, int(number.max()) + 1), np.nan)
    known = (row >= 0) & (column >= 0)
    trials[row[known], column[known], number[known]] = long["response"].to_numpy()[known]
    count = (~np.isnan(trials)).sum(axis=2)
    few = (count < 2) & study.frame.notna().to_numpy()
    if few.any():
        agent, item = np.argwhere(few)[0]
        raise BadInput(
            f"trials[{study.frame.index[agent]!r}, {study.frame.columns[item]!r}]",
            int(count[agent, item]),
            "is fewer than two trials, which say nothing of their variation",
            "repeat it, leave the item out, or use resample='items'",
        )
    return trials
