"""From logs or a table of scores to a report: what `gindex-lab analyse` does.

Read whatever is there (`gl.read`), take numbers in [0, 1] as responses and others as raw scores, and hand
the table to `gl.analysis.analyse_table`.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.files import header_of, read_facts, read_table
from gindex_lab.foundation.likes import PerItemLike
from gindex_lab.foundation.notes import Note
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.studies.analysis.integrity import MOST_ROWS
from gindex_lab.studies.analysis.options import TRANSFORMS
from gindex_lab.studies.analysis.starting import analyse_table, recognised_dates, with_minutes
from gindex_lab.studies.analysis.whole import Analysis
from gindex_lab.studies.readers.reading import read_scores_and_rows

__all__ = ["TRANSFORMS", "Analysis", "analyse", "read_table_of"]


def analyse(
    path: str | PathLike[str],
    *,
    transform: str = "auto",
    reference: str | None = None,
    difficulty: str | None = None,
    minutes: str | None = None,
    dates: str | None = None,
    ci: float | None = 0.95,
    seed: int = 1,
    missing: str = "auto",
    resample: str = "items",
    floor: PerItemLike = None,
    reading: Mapping[str, Any] | None = None,
) -> Analysis:
    """Measure the agents of evaluation logs, or of a table of scores or responses.

    `minutes` names a column of human minutes, or a field of a log (usual names such as "minutes" are found by
    themselves): the report then states time horizons. `dates` names a column of release dates.
    `difficulty` is a column of the items, or a CSV with the columns item and difficulty; `reading` holds
    options of `gl.read` (metric, filter ...); the others are those of `gl.analysis.analyse_table`. A metric
    of which neither the log nor its name tells whether more is better is refused (`--higher-is-better`).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "scores.csv")
    ...     _ = file.write_text("agent,pong,chess,go\\nann,9,1200,3\\nbob,7,1500,1\\n")
    ...     analyse(file, ci=None).table["capability"].round(2).to_dict()
    {'ann': 0.58, 'bob': 0.42}
    """
    given = dict(reading or {})
    data, rows = read_table_of(Path(path), difficulty, given, {"minutes": minutes, "date": dates})
    data = with_minutes(data, minutes, dates)
    dates = dates or recognised_dates(data)
    options: dict[str, Any] = {"reference": reference, "missing": missing, "resample": resample}
    options |= {"dates": dates, "floor": floor, "rows": rows}
    return analyse_table(data, transform=transform, ci=ci, seed=seed, **options)


def read_table_of(
    path: Path, difficulty: str | None, reading: dict[str, Any], roles: Mapping[str, str | None]
) -> tuple[Responses | Scores, pd.DataFrame | None]:
    """Responses where every number is in [0, 1], raw scores otherwise; and the rows of the log."""
    data: Responses | Scores
    rows: pd.DataFrame | None = None
    if path.is_dir() and read_facts(path).get("kind") == "StepCurves":
        data = Responses.read(path)
    else:
        named = {role: name for role, name in roles.items() if name is not None}
        reading["columns"] = dict(reading.get("columns") or {}) | named
        try:
            found, rows = read_scores_and_rows(path, MOST_ROWS, **({"unknown_direction": "error"} | reading))
        except BadInput as error:
            raise _by_option(error, named) from None
        data = _scored(found)
        if np.nanmin(data.values) >= 0 and np.nanmax(data.values) <= 1:
            data = _as_responses(data)
    if difficulty is not None:
        is_file = difficulty.endswith(".csv")
        data = data.with_difficulty(_difficulties(Path(difficulty)) if is_file else difficulty)
    return data, rows


def _by_option(error: BadInput, named: Mapping[str, str]) -> BadInput:
    """An error about a role, under the name of the option that asked for it."""
    for role, name in named.items():
        if error.argument == f"columns[{role!r}]":
            option = "dates" if role == "date" else role
            return error.told_of(option, name, BadInput)
    return error


def _scored(data: Scores) -> Scores:
    """The data without items that have no score of anyone (every run failed on them)."""
    known = data.frame.columns[data.frame.notna().any()]
    lost = data.shape[1] - len(known)
    if not lost or not len(known):
        return data
    found = data.select(items=known)
    said = f"{lost} items have no score of any agent, and were left out"
    found.notes = data.notes.with_more([Note("gaps", said)])
    return found


def _as_responses(data: Scores) -> Responses:
    kept = ("items", "agents", "interval", "trials", "name", "source", "citation", "licence")
    found = Responses(data.frame, **{key: getattr(data, key) for key in kept})
    found.notes = data.notes
    return found


def _difficulties(path: Path) -> pd.Series:
    if not path.exists():
        raise BadInput("difficulty", str(path), "[not-found] does not exist", "check the name")
    if not {"item", "difficulty"} <= set(header_of(path)):
        problem = "[no-column] lacks the columns item, difficulty"
        raise BadInput("difficulty", str(path), problem, "name them")
    return read_table(path, ["item"]).set_index("item")["difficulty"]
