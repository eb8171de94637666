"""From logs or a table of scores to a report, and from a pilot study to the number of items: what
`gindex-lab analyse` and `gindex-lab plan` do.

Both read whatever is there (`gl.read`), and take numbers in [0, 1] as responses and others as raw scores.
`gl.analysis.analyse_table` makes the report; `gl.power` says how likely a study like the pilot is to tell two
agents apart, and what it would take, `gl.detectable` what the pilot could have seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.files import header_of, read_facts, read_table
from gindex_lab.foundation.likes import Label, PerItemLike
from gindex_lab.foundation.notes import Note
from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.measures.planning.power import Power, detectable, power
from gindex_lab.studies.analysis.integrity import MOST_ROWS
from gindex_lab.studies.analysis.starting import analyse_table, recognised_dates, with_minutes
from gindex_lab.studies.analysis.whole import Analysis
from gindex_lab.studies.readers.reading import read_scores_and_rows

__all__ = ["Analysis", "StudyPlan", "analyse", "plan"]


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
    """
    roles = {"minutes": minutes, "date": dates}
    data, rows = _read_table_of(Path(path), difficulty, dict(reading or {}), roles)
    data = with_minutes(data, minutes, dates)
    dates = dates or recognised_dates(data)
    options: dict[str, Any] = {"reference": reference, "missing": missing, "resample": resample}
    options |= {"dates": dates, "floor": floor, "rows": rows}
    return analyse_table(data, transform=transform, ci=ci, seed=seed, **options)


def _read_table_of(
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


# -- a plan from a pilot study ---------------------------------------------------------------------------


@dataclass(frozen=True)
class StudyPlan:
    """The power of a study like the pilot, and the smallest difference that it could have seen."""

    power: Power
    detectable: float
    points: bool  # the mean is spoken of in points of 100

    def text(self) -> str:
        """A few lines for a terminal: the answer, what the pilot could have seen, and the curve."""
        found = self.power
        unit = (lambda x: f"{100 * x:.3g} points") if self.points else "{:.3g}".format
        said = str(found).replace(f"differs by {found.difference:g}", f"differs by {unit(found.difference)}")
        lines = [said]
        if found.repeats_needed is not None and found.repeats_needed > found.design.repeats:
            lines.append(
                f"So would {found.repeats_needed} trials of each of the {found.design.items:,} items."
            )
        lines.append(
            "The pilot itself could hardly have seen any difference."
            if np.isnan(self.detectable)
            else f"The pilot itself could have seen {unit(self.detectable)} with power {found.wanted:.0%}."
        )
        shown = found.curve.dropna(axis=1, how="all").drop(columns="error")
        return "\n".join([*lines, "", shown.round(3).to_string(index=False)])

    def write(self, out: str | PathLike[str]) -> Path:
        """Power by the number of items, as CSV."""
        write_text(Path(out), self.power.curve.to_csv(index=False))
        return Path(out)


def plan(
    path: str | PathLike[str],
    *,
    difference: float,
    measure: str | None = None,
    wanted: float = 0.8,
    ci: float = 0.95,
    pairs: int = 1,
    agent: Label = None,
    resample: str = "items",
    difficulty: str | None = None,
    seed: int = 1,
    reading: Mapping[str, Any] | None = None,
) -> StudyPlan:
    """How many items separate two agents like those of a pilot, from logs or a table of responses.

    `difference` of the mean is in points of 100 ("three points better"), of other measures in their own unit.
    Without `measure`: capability where the items have difficulties, else the mean.
    """
    data, _ = _read_table_of(Path(path), difficulty, dict(reading or {}), {})
    if not isinstance(data, Responses):
        problem = "[not-responses] holds raw scores, and power is that of responses between 0 and 1"
        remedy = "say on which scale they are, with --scale LOW HIGH"
        raise BadInput("path", str(path), problem, remedy)
    known = data.difficulty is not None and data.difficulty.nunique() > 1
    what = measure or ("capability" if known else "mean")
    points = what == "mean"
    common: dict[str, Any] = {"measure": what, "wanted": wanted, "ci": ci, "pairs": pairs}
    common |= {"agent": agent, "resample": resample}
    gap = difference / 100 if points else difference
    found = power(data, difference=gap, seed=seed, **common)
    return StudyPlan(found, detectable(data, **common), points)
