"""A study as arrays, and which item belongs to which unit.

A unit is what would come out differently if the study were repeated: an item, a family of items, or a
trial. End points that a transform added (`anchor`) are certain and belong to no unit. The units of step
curves (`gl.rank` and the like) are the items behind them, not the columns of their grid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.step_curves import StepCurves
from gindex_lab.foundation.validate import FloatArray, choice, refuse
from gindex_lab.measures.curves import Indicators, Interval, Pair, Scale, conclude, item_weights

__all__ = ["RESAMPLE", "Sample", "by_pattern", "grid_sums", "of_positions", "patterns"]
__all__ += ["sample_like", "sample_of"]

RESAMPLE = ["items", "families", "trials"]


@dataclass(frozen=True, eq=False)
class Sample:
    """Responses (A, N) at difficulties (N,), or positions (A, N) of steps where `difficulty` is None."""

    agents: pd.Index
    values: FloatArray
    difficulty: FloatArray | None
    codes: np.ndarray  # (N,) unit of each item, 0..F-1; -1 for an end point
    scale: Scale
    word: str = "items"
    trials: FloatArray | None = None  # (A, N, T)
    grid: FloatArray | None = None  # where step curves are read; None: the staircase itself
    difficulty_error: FloatArray | None = None  # (N,) standard errors of estimated difficulties
    floor: FloatArray | None = None  # (N,) what guessing gives

    @property
    def units(self) -> int:
        return int(self.codes.max()) + 1

    @property
    def interval(self) -> Interval:
        return self.scale.interval

    def rows(self, which: Any) -> Sample:
        """The same units for some agents only, by position."""
        trials = None if self.trials is None else self.trials[which]
        return replace(self, agents=self.agents[which], values=self.values[which], trials=trials)

    def blocks(self, size: int) -> list[Sample]:
        """The same units for `size` agents at a time, to bound memory."""
        size = max(1, size)
        return [self.rows(slice(i, i + size)) for i in range(0, len(self.agents), size)]


def sample_of(study: Responses, scale: Scale, resample: str = "items") -> Sample:
    """The study as arrays, with one unit per item, family or trial."""
    choice("resample", resample, [*RESAMPLE, "agents"])
    problem = "[one-agent] cannot be computed for a single agent"
    remedy = "use gl.population_intervals for means and correlations over agents"
    ensure(resample != "agents", "resample", resample, problem, remedy)
    agents = study.frame.index
    if isinstance(study, StepCurves) and study.positions is not None:
        problem = "[no-trials] needs repeated trials, and a transform compares only their means"
        remedy = "use resample='items', or measure the untransformed responses"
        ensure(resample != "trials", "resample", resample, problem, remedy)
        positions, about = study.positions, study.position_items
        codes = _codes(pd.DataFrame(index=positions.columns) if about is None else about, resample)
        grid, values = None if study.continuous else study.grid, positions.to_numpy(dtype=float)
        return Sample(agents, values, None, codes, scale, resample, grid=grid)
    about, error = study.items, None
    if "difficulty_se" in about:  # a model estimated them (`gl.irt_difficulty`)
        error = np.nan_to_num(about["difficulty_se"].to_numpy(dtype=float))
    trials = _trials(study) if resample == "trials" else None
    h, codes = about["difficulty"].to_numpy(dtype=float), _codes(about, resample)
    return Sample(agents, study.values, h, codes, scale, resample, trials, None, error)


def sample_like(table: pd.DataFrame, study: Responses, resample: str) -> Sample:
    """The sample behind a table of `gl.generality`: on its interval, with its origin and estimator."""
    scale = Scale(**{field.name: table.attrs[field.name] for field in fields(Scale)})
    sample, floor = sample_of(study, scale, resample), table.attrs.get("floor")
    return sample if floor is None else replace(sample, floor=np.array(floor))


def patterns(seen: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """(items, agents) by position, one pair per distinct pattern of observed cells."""
    if seen.all():
        return [(np.arange(seen.shape[1]), np.arange(len(seen)))]
    kinds, which = np.unique(seen, axis=0, return_inverse=True)
    return [(np.flatnonzero(kind), np.flatnonzero(which.ravel() == k)) for k, kind in enumerate(kinds)]


def by_pattern(values: FloatArray, found: Callable[..., Sequence[np.ndarray]]) -> list[Any]:
    """The arrays (A, …) that `found(items, agents)` gives for each pattern, put together."""
    parts = [(rows, found(items, rows)) for items, rows in patterns(~np.isnan(values))]
    whole = [np.empty((len(values), *x.shape[1:]), x.dtype) for x in parts[0][1]]
    for rows, pieces in parts:
        for field, piece in zip(whole, pieces, strict=True):
            field[rows] = piece
    return whole if len(parts) > 1 else list(parts[0][1])


def _codes(about: pd.DataFrame, resample: str) -> np.ndarray:
    anchor = about.get("anchor")
    free = np.ones(len(about), bool) if anchor is None else ~anchor.to_numpy(dtype=bool)
    codes = np.where(free, np.cumsum(free) - 1, -1)
    if resample == "families":
        remedy = "give items with a column 'family', or use resample='items'"
        problem = "[no-families] needs to know the family of each item"
        ensure("family" in about, "resample", resample, problem, remedy)
        family = about["family"][free]
        refuse("items.family", family, family.isna(), "[missing] is missing", "name the family")
        codes[free] = pd.factorize(family)[0]
    return codes


def _trials(study: Responses) -> FloatArray:
    """Trials as an array (A, N, T), NaN where a cell had fewer."""
    if study.trials is None:
        problem = "[no-trials] needs repeated trials, and the responses keep none"
        remedy = "use Responses.from_long(table, trial='...'), or resample='items'"
        raise BadInput("resample", "trials", problem, remedy)
    long = study.trials.dropna(subset=["response"])
    row = study.frame.index.get_indexer(pd.Index(long["agent"]))
    column = study.frame.columns.get_indexer(pd.Index(long["item"]))
    number = long.groupby(["agent", "item"]).cumcount().to_numpy()
    trials = np.full((*study.shape, int(number.max()) + 1), np.nan)
    known = (row >= 0) & (column >= 0)
    trials[row[known], column[known], number[known]] = long["response"].to_numpy()[known]
    count = pd.DataFrame((~np.isnan(trials)).sum(axis=2), study.frame.index, study.frame.columns)
    problem = "[too-few] is fewer than two trials, too few to estimate their variation"
    remedy = "repeat it, leave the item out, or use resample='items'"
    refuse("trials", count, (count < 2) & study.frame.notna(), problem, remedy)
    return trials


def of_positions(positions: FloatArray, interval: Interval) -> Indicators:
    """The indicators of the mean of unit steps that fall at `positions` (A, N), by lemma 19 (supplement,
    F.3): capability is the mean position, spread their population sd. A step outside counts as one at the
    end."""
    low, high = interval
    inside = np.clip(positions, low, high)
    area, variance = np.nanmean(inside, axis=1) - low, np.nanvar(inside, axis=1)
    return conclude(area, (variance + area**2) / 2, variance, interval)


def grid_sums(positions: FloatArray, interval: Interval, grid: FloatArray | None) -> Pair:
    """Area and moment (A, N) under each item's own step, read at the grid or, without one, exactly. Their
    means over the items are those of the agent's curve: an estimate and its error are of the same numbers."""
    if grid is None:
        width = np.clip(positions, *interval) - interval[0]
        return width, width**2 / 2
    weights, constant = item_weights(grid, interval, "trapezoid", None)
    below = np.pad(np.cumsum(weights, axis=1), ((0, 0), (1, 0)))
    left, right = (below[:, np.searchsorted(grid, positions, side)] for side in ("left", "right"))
    area, moment = constant[:, None, None] + (left + right) / 2
    return area, moment
