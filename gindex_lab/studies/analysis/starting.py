"""A table measured, ready to be asked everything else: where an analysis starts."""

from __future__ import annotations

from typing import Any

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.guessing import floors_of
from gindex_lab.foundation.likes import PerItemLike
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import choice
from gindex_lab.measures.generality import generality
from gindex_lab.studies.analysis.measuring import (
    FLOORED,
    check_gaps,
    check_size,
    chosen_transform,
    missing_cells,
    transformed,
    without_hardly_met,
)
from gindex_lab.studies.analysis.options import TRANSFORMS
from gindex_lab.studies.analysis.whole import Analysis

__all__ = ["analyse_table"]


def analyse_table(
    data: Responses | Scores,
    *,
    transform: str = "auto",
    reference: str | None = None,
    ci: float | None = 0.95,
    missing: str = "auto",
    resample: str = "items",
    shuffles: int = 99,
    dates: str | None = None,
    floor: PerItemLike = None,
    seed: int = 1,
    rows: pd.DataFrame | None = None,
) -> Analysis:
    """Measure the agents of a table, ready to be asked everything else.

    `transform="auto"` takes responses with difficulties as they are and ranks everything else; of one agent
    without difficulties only the scores are stated. A missing cell is an error, or with `missing="drop"`
    left out ("auto": where at most one cell in twenty is missing): each agent is measured on what it met,
    and pairs are compared on what both met. `resample` is that of `gl.generality`, `shuffles` the size of
    the shuffle control, `dates` a column of the agents, `floor` what guessing gives (see
    `gl.analysis.floors_of`), `rows` those of the log (`gl.audit` looks at them).
    Items with `minutes` have time horizons, too.

    >>> from gindex_lab.studies.readers.examples import simulated_runs
    >>> found = analyse_table(simulated_runs())
    >>> found.groups[0], found.verdict["best"]
    (['model-k', 'model-j'], True)
    """
    choice("missing", missing, ["auto", "error", "drop"])
    if floor is not None and not isinstance(data, Responses):
        problem = "[raw-scores] needs responses between 0 and 1, and these are raw scores"
        raise BadInput("floor", floor, problem, "map the scores with --scale LOW HIGH")
    floors = floors_of(data, floor) if isinstance(data, Responses) else None
    wanted = chosen_transform(data, choice("transform", transform, TRANSFORMS), floors)
    missing = missing_cells(data, missing, wanted)
    if missing == "error" and wanted != "scores":
        check_gaps(data, wanted)
    if missing == "drop" and ci is not None and wanted not in ("scores", "opponent"):
        data = without_hardly_met(data)
    check_size(data, wanted, ci)
    measured, table = None, pd.DataFrame(index=data.frame.index)
    if wanted != "scores":
        floors = None if floors is None else floors[data.frame.columns]
        measured = transformed(data, wanted, reference, missing, floors)
        inside = None if floors is None or wanted not in FLOORED else floors[measured.frame.columns]
        gaps = "drop" if measured.frame.isna().any(axis=None) else "error"
        seeded = seed if ci else None
        options: dict[str, Any] = {"missing": gaps, "resample": resample, "floor": inside}
        table = generality(measured, ci=ci, seed=seeded, **options)
    return Analysis(
        data, wanted, measured, table, ci, seed, missing, resample, shuffles, dates, floor, rows
    )
