"""What every draw gives: all measures of all agents, and how many draws were unusual."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.horizons.curves import indicator_rows
from gindex_lab.horizons.draws import Draws
from gindex_lab.horizons.estimates import CURVE, Settings, cell_weights, converged, measures
from gindex_lab.horizons.fitting import NO_FAILURE, NO_SUCCESS, Curves, fit_reference
from gindex_lab.horizons.runs import Runs
from gindex_lab.validate import FloatArray

__all__ = ["Replicates", "replicates_of"]


@dataclass(frozen=True, eq=False)
class Replicates:
    """What every draw gave, (draws, agents) per measure, and what is known of the agents."""

    agents: pd.DataFrame
    measures: dict[str, FloatArray] = field(default_factory=dict)

    def __deepcopy__(self, memo: object) -> Replicates:
        return self  # never changed: a table may be copied without a thousand draws


def replicates_of(
    runs: Runs, drawn: Draws, settings: Settings, fitted: list[Curves]
) -> dict[str, Any]:
    """Every measure (draws, agents), and per agent how many draws were unusual."""
    parts = [_agent_replicates(runs, drawn, settings, j, near) for j, near in enumerate(fitted)]
    measures = {name: np.column_stack([p[0][name] for p in parts]) for name in parts[0][0]}
    counts = pd.DataFrame([p[1] for p in parts], index=runs.agents)
    return {"measures": measures, "unusual": counts}


def _agent_replicates(
    runs: Runs, drawn: Draws, settings: Settings, j: int, near: Curves
) -> tuple[dict[str, FloatArray], dict[str, int]]:
    at = runs.of(j)
    h, y, w = runs.h[at], runs.response[at], runs.weight[at]
    counts = drawn.of(j)
    weights = counts * w
    empty = weights.sum(axis=1) <= 0
    if settings.mode == "exact":
        curves = converged(h, y, weights, settings, near)
    else:
        each = [fit_reference(h, y, row, settings.penalty) for row in weights]
        curves = Curves(*(np.concatenate(part) for part in zip(*each, strict=True)))
    found = measures(curves, settings)
    exact = indicator_rows(
        h, y, counts * cell_weights(runs, j), weights, settings.interval, settings.estimator
    )
    found |= {name: getattr(exact, name) for name in CURVE}
    total = np.where(empty, 1.0, weights.sum(axis=1))
    found["weighted_mean"] = weights @ y / total
    found = {name: values.astype(float) for name, values in found.items()}
    none, all_ = curves.state == NO_SUCCESS, curves.state == NO_FAILURE
    found["weighted_mean"][empty] = np.nan
    if settings.mode == "reference":
        found = {name: np.where(none | all_, np.nan, values) for name, values in found.items()}
    rising = ~none & ~all_ & ~curves.falling
    unusual = {
        "no_item": int(empty.sum()),
        "no_success": int(none.sum()),  # a draw without an item of the agent is one of them
        "no_failure": int(all_.sum()),
        "rising": int(rising.sum()),
    }
    return found, unusual
