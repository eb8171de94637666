"""What every draw gives: all measures of all agents, and how many draws were unusual."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.horizons.curves import indicator_rows
from gindex_lab.measures.horizons.draws import Draws
from gindex_lab.measures.horizons.estimates import (
    CURVE,
    HorizonSettings,
    cell_weights,
    converged,
    losses,
    measures,
)
from gindex_lab.measures.horizons.fitting import NO_FAILURE, NO_SUCCESS, Curves, fit_reference
from gindex_lab.measures.horizons.readings import read_curves
from gindex_lab.measures.horizons.runs import Runs

__all__ = ["Replicates", "replicates_of"]


@dataclass(frozen=True, eq=False)
class Replicates:
    """What every draw gave, (draws, agents) per measure, and what is known of the agents.

    `as_published` reads the draws' logistic curves as the published code does: a rising curve keeps its
    number, a draw with one class is missing (`specs/horizon.md`, section 14, column "reference").
    """

    agents: pd.DataFrame
    measures: dict[str, FloatArray] = field(default_factory=dict)
    as_published: dict[str, FloatArray] = field(default_factory=dict)

    def of(self, name: str, mode: str) -> FloatArray | None:
        """The draws of a measure in a mode; None where there are none."""
        kept = self.as_published if mode == "reference" else {}
        return kept.get(name, self.measures.get(name))

    def __deepcopy__(self, memo: object) -> Replicates:
        return self  # never changed: a table may be copied without a thousand draws


def replicates_of(
    runs: Runs, drawn: Draws, settings: HorizonSettings, fitted: list[Curves]
) -> dict[str, Any]:
    """Every measure (draws, agents), and per agent how many draws were unusual."""
    parts = [_agent_replicates(runs, drawn, settings, j, near) for j, near in enumerate(fitted)]
    side_by_side = [
        {name: np.column_stack([part[k][name] for part in parts]) for name in parts[0][k]}
        for k in (0, 1)
    ]
    counts = pd.DataFrame([part[2] for part in parts], index=runs.agents)
    return {"measures": side_by_side[0], "as_published": side_by_side[1], "unusual": counts}


def _agent_replicates(
    runs: Runs, drawn: Draws, settings: HorizonSettings, j: int, near: Curves
) -> tuple[dict[str, FloatArray], dict[str, FloatArray], dict[str, int]]:
    at = runs.of(j)
    h, y, w = runs.h[at], runs.response[at], runs.weight[at]
    counts = drawn.of(j)
    weights, plain = counts * w, counts * cell_weights(runs, j)
    empty = weights.sum(axis=1) <= 0
    if settings.mode == "exact":
        curves = converged(h, y, weights, settings, near)
    else:
        each = [fit_reference(h, y, row, settings.penalty) for row in weights]
        curves = Curves(*(np.concatenate(part) for part in zip(*each, strict=True)))
    found = measures(curves, settings)
    exact = indicator_rows(h, y, plain, weights, settings.interval, settings.estimator)
    found |= {name: getattr(exact, name) for name in CURVE}
    found |= {"mean": _means(plain, y), "weighted_mean": _means(weights, y)}
    found["loss"] = losses(h, y, weights, curves)
    found = {name: values.astype(float) for name, values in found.items()}
    none, all_ = curves.state == NO_SUCCESS, curves.state == NO_FAILURE
    printed = read_curves(curves, settings.levels, settings.interval, reference=True)
    printed = {name: np.where(none | all_, np.nan, values) for name, values in printed.items()}
    if settings.mode == "reference":
        found = {name: np.where(none | all_, np.nan, values) for name, values in found.items()}
    rising = ~none & ~all_ & ~curves.falling
    unusual = {
        "no_item": int(empty.sum()),
        "no_success": int(none.sum()),  # a draw without an item of the agent is one of them
        "no_failure": int(all_.sum()),
        "rising": int(rising.sum()),
    }
    return found, printed, unusual


def _means(weights: FloatArray, y: FloatArray) -> FloatArray:
    """Weighted mean response of each row (R, n); NaN where nothing came up."""
    total = weights.sum(axis=1)
    return np.where(total > 0, weights @ y / np.where(total > 0, total, 1.0), np.nan)
