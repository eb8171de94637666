"""StepCurves: responses that come from positions on a scale.

A transform such as `gl.rank` places each agent on each item at a position p; the item's curve is a step that
falls from 1 to 0 at p, and the agent's curve is the mean of its steps, read at `columns` difficulties. The
table is that curve, agents x columns. The positions stay with it: intervals are those of the items, and
lemma 19 gives capability and spread in closed form.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.files import labels_of, read_part
from gindex_lab.foundation.likes import DifficultyLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray

__all__ = ["StepCurves", "step_curve"]

_DRAWN = 101  # points at which a continuous curve is tabulated: a judgement


class StepCurves(Responses):
    """Mean step curves (agents x grid difficulties), with the `positions` (agents x items) behind.

    `continuous` says that the grid is only for display: the curve is the staircase itself, with the mean
    position as its capability and their standard deviation as its spread (lemma 19).

    >>> positions = pd.DataFrame([[0.2, 0.6]], index=["a"], columns=["i", "j"])
    >>> curves = StepCurves.at(positions, (0.0, 1.0), columns=5)
    >>> curves.frame.loc["a"].tolist()
    [1.0, 0.5, 0.5, 0.0, 0.0]
    """

    def __init__(
        self,
        *args: Any,
        positions: pd.DataFrame | None = None,
        position_items: pd.DataFrame | None = None,
        continuous: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.positions = positions
        self.position_items = position_items
        self.continuous = continuous

    @classmethod
    def at(
        cls,
        positions: pd.DataFrame,
        interval: tuple[float, float],
        columns: int | None = 100,
        items: pd.DataFrame | None = None,
        **kwargs: Any,
    ) -> Self:
        """The curves of these positions on `columns` equal steps of the interval (None: continuous)."""
        grid = np.linspace(*interval, columns or _DRAWN)
        names = [f"h={h:.4g}" for h in grid] if len(grid) <= 500 else list(range(len(grid)))
        curve = step_curve(positions.to_numpy(), grid)
        frame = pd.DataFrame(curve, index=positions.index, columns=pd.Index(names))
        kept: dict[str, Any] = {"positions": positions, "position_items": items}
        return cls(frame, grid, interval=interval, continuous=columns is None, **kept, **kwargs)

    @property
    def grid(self) -> FloatArray:
        """The difficulties at which the curves are tabulated."""
        return self.items["difficulty"].to_numpy()

    def _like(self, frame: pd.DataFrame, **changes: Any) -> Self:
        kept: dict[str, Any] = {
            "positions": None if self.positions is None else self.positions.loc[frame.index],
            "position_items": self.position_items,
            "continuous": self.continuous,
        }
        return super()._like(frame, **(kept | changes))

    def with_difficulty(self, difficulty: DifficultyLike) -> Self:
        """Refused: the difficulties of a curve are its grid, and its positions are on that scale."""
        problem = "[fixed] cannot be given to the curves of a transform, which have their own"
        remedy = "give the difficulty of the items to the responses that you started from"
        raise BadInput("difficulty", difficulty, problem, remedy)

    # -- files: the positions travel with the curves ---------------------------------------------------

    @classmethod
    def _read(cls, path: Path, facts: dict[str, Any], kwargs: dict[str, Any]) -> Self:
        found: dict[str, Any] = {"continuous": bool(facts.get("continuous"))}
        whole = facts.get("whole_numbers", [])
        for part, labels in (("positions", "agents"), ("position_items", "position_items")):
            if (path / f"{part}.csv").exists():
                found[part] = read_part(path / f"{part}.csv", labels, whole).rename_axis(None)
        if "positions" in found:
            names = found["positions"].columns
            found["positions"].columns = labels_of(names, "position_items" in whole)
        return super()._read(path, facts, found | kwargs)

    def _write(self, new: Path) -> None:
        super()._write(new)
        for part, label in (("positions", "agent"), ("position_items", "item")):
            table = getattr(self, part)
            if table is not None:
                table.rename_axis(label).to_csv(new / f"{part}.csv")

    def _facts(self) -> dict[str, Any]:
        facts = super()._facts() | {"continuous": self.continuous}
        if self.positions is not None and pd.api.types.is_integer_dtype(self.positions.columns):
            facts["whole_numbers"].append("position_items")
        return facts


def step_curve(positions: FloatArray, grid: FloatArray) -> FloatArray:
    """The mean (A, c) over items of unit steps that fall at `positions` (A, N): 1 left of a position, 0 right
    of it, 1/2 on it. Counting replaces the c x N columns of the authors' code; a missing position (NaN) is
    not a step.

    >>> step_curve(np.array([[0.2, 0.5]]), np.array([0.0, 0.25, 0.5, 1.0])).tolist()
    [[1.0, 0.5, 0.25, 0.0]]
    """
    agents, c = len(positions), len(grid)
    offset = (c + 1) * np.arange(agents)[:, None]
    seen = ~np.isnan(positions)
    beyond = np.zeros((agents, c))
    for below in (np.searchsorted(grid, positions), np.searchsorted(grid, positions, "right")):
        steps = np.bincount((below + offset)[seen], minlength=agents * (c + 1))
        beyond += steps.reshape(agents, c + 1)[:, :0:-1].cumsum(axis=1)[:, ::-1]
    return beyond / (2 * seen.sum(axis=1, keepdims=True))
