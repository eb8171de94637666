"""Where an analysis starts: minutes and dates, gaps and size, the transform, and then the measures."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.guessing import floors_of
from gindex_lab.foundation.likes import PerItemLike
from gindex_lab.foundation.notes import Note
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.step_curves import StepCurves
from gindex_lab.foundation.validate import choice, refuse
from gindex_lab.measures.generality import generality
from gindex_lab.studies.analysis.options import TRANSFORMS
from gindex_lab.studies.analysis.summary import all_alike, names_of
from gindex_lab.studies.analysis.surviving import by_failure
from gindex_lab.studies.analysis.whole import FLOORED, Analysis

__all__ = ["analyse_table", "chosen_transform", "missing_cells", "recognised_dates", "with_minutes"]

_FEW_GAPS = 0.05  # of the cells, that are left out without being asked: a judgement
_FEWEST = 3  # items of an interval: two leave no degree of freedom


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
    rows: pd.DataFrame | None = None,
    seed: int = 1,
) -> Analysis:
    """Measure the agents of a table; the result answers every other question when it is asked.

    Parameters
    ----------
    data : gl.Responses or gl.Scores; items with `minutes` have time horizons, too
    transform : one of `gl.analysis.TRANSFORMS`
        "auto" takes responses with difficulties as they are and ranks everything else; of one agent without
        difficulties only the scores are stated.
    reference : the reference agent of the transform "reference"
    ci : level of the intervals, None for none
    missing : "error" refuses a missing cell; with "drop" each agent is measured on what it met
        "auto" drops if at most one cell in twenty is missing. Pairs are compared on what both met.
    resample : "items", "families" or "trials", as in `gl.generality`
    shuffles : of the shuffle control
    dates : a column of the agents with release dates
    floor : what guessing gives, see `gl.analysis.floors_of`
    rows : those of the log, for `gl.audit`
    seed : of the intervals, the shuffles and the factors

    Returns
    -------
    Analysis: `.table`, `.scores`, `.groups`, `.said()`, `.text()`, `.write(path)` and more.

    Examples
    --------
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
        _check_gaps(data, wanted)
    if missing == "drop" and ci is not None and wanted not in ("scores", "opponent"):
        data = without_hardly_met(data)
    _check_size(data, wanted, ci)
    measured, table = None, pd.DataFrame(index=data.frame.index)
    if wanted != "scores":
        floors = None if floors is None else floors[data.frame.columns]
        measured = _transformed(data, wanted, reference, missing, floors)
        inside = None if floors is None or wanted not in FLOORED else floors[measured.frame.columns]
        options: dict[str, Any] = {"resample": resample, "floor": inside, "seed": seed if ci else None}
        options["missing"] = "drop" if measured.frame.isna().any(axis=None) else "error"
        table = generality(measured, ci=ci, **options)
    return Analysis(data, wanted, measured, table, ci, seed, missing, resample, shuffles, dates, floor, rows)


def chosen_transform(data: Responses | Scores, wanted: str, floors: pd.Series | None = None) -> str:
    """Responses with difficulties as they are ("none"), everything else by "rank".

    One agent alone beats nobody, nor does anybody where all agents did alike: "scores". Positions by rank do
    not know what guessing gives, so with `floors` an item is as hard as it is failed.

    >>> chosen_transform(Responses([[1, 0], [0, 1]]), "auto"), chosen_transform(Responses([[1, 0]]), "auto")
    ('rank', 'scores')
    """
    if wanted != "auto":
        return wanted
    if isinstance(data, Responses):
        if data.difficulty is not None and data.difficulty.nunique() > 1:
            return "none"
        if len(data.frame) == 1 or (data.shape[1] > 2 and all_alike(data.values)):
            return "scores"
        if floors is not None and by_failure(data, floors).items["difficulty"].nunique() > 1:
            return "failure"
    return "rank"


def missing_cells(data: Responses | Scores, missing: str, transform: str) -> str:
    """What "auto" means: "drop" for a few gaps, "error" for more, or for none.

    That an agent does not play against itself in an arena is not a gap.

    >>> missing_cells(Responses(np.where(np.arange(40) == 7, np.nan, 1.0)[None]), "auto", "rank")
    'drop'
    """
    gaps = np.isnan(data.values)
    if missing != "auto":
        return missing
    if transform == "opponent" or not gaps.any():
        return "error"
    own = np.array([f"against {name}" for name in data.frame.index])[:, None]  # itself, in an arena
    gaps &= own != data.frame.columns.to_numpy(str)
    return "drop" if gaps.mean() <= _FEW_GAPS else "error"


def without_hardly_met(data: Responses | Scores) -> Responses | Scores:
    """Without the agents that met fewer than three items, about whom nothing can be said; noted.

    >>> table = without_hardly_met(Responses([[1, 0, 1, 1], [1, None, None, 0], [0, 1, 1, 0]]))
    >>> table.shape, table.notes
    ((2, 4), ('left out because they met fewer than three items: agent 2',))
    """
    few = (~np.isnan(data.values)).sum(axis=1) < _FEWEST
    if not few.any() or few.all() or isinstance(data, StepCurves):
        return data
    found = data.select(agents=list(data.frame.index[~few]))
    found = found.select(items=list(found.frame.columns[found.frame.notna().any()]))
    names = names_of(list(data.frame.index[few]))
    found.notes = (*data.notes, f"left out because they met fewer than three items: {names}")
    return found


def _check_size(data: Responses | Scores, transform: str, ci: float | None) -> None:
    """One agent beats nobody (every transform but "none" compares agents), two items have no spread."""
    if transform == "scores":
        return
    if data.shape[1] < _FEWEST and ci is not None and transform != "opponent":
        remedy = "measure three or more, or ask for no intervals (--ci 0)"
        raise BadInput("items", list(data.frame.columns), "are too few for intervals", remedy)
    if len(data.frame) == 1 and transform != "none":
        problem = f"is the only agent, and {transform!r} gets difficulty from comparing agents"
        remedy = "add agents, or give the items' difficulties (--difficulty)"
        raise BadInput("agents", data.frame.index[0], problem, remedy)


def _check_gaps(data: Responses | Scores, transform: str) -> None:
    """Refuse a missing cell; in a tournament nobody plays against itself, which is not a gap."""
    agents, items = data.frame.index, data.frame.columns
    gaps = np.isnan(data.values)
    if transform == "opponent":
        gaps &= agents.to_numpy()[:, None] != items.to_numpy()
    if not gaps.any():
        return
    row, column = np.argwhere(gaps)[0]
    met, count, more = data.frame.notna().sum(axis=1), int(gaps.sum()), ""
    if count > 1:
        least = f"{met.idxmin()!r} met {met.min()} of {len(items)} items"
        more = f", one of {count} of {gaps.size} cells ({least})"
    more += "".join(f"; {note}" for note in data.notes if "code of no answer" in note)
    remedy = "fill the cells, or measure each agent on what it met: missing='drop' (--missing drop)"
    cell = f"scores[{agents[row]!r}, {items[column]!r}]"
    raise BadInput(cell, np.nan, f"[missing] is missing{more}", remedy)


def _transformed(
    data: Responses | Scores, transform: str, reference: str | None, missing: str, floors: pd.Series | None
) -> Responses:
    from gindex_lab.measures import transforms
    from gindex_lab.measures.psychometrics.irt_scale import irt_difficulty

    if transform == "reference" and reference is None:
        problem, remedy = "[no-reference] is needed by ARef", "name an agent: --reference NAME"
        raise BadInput("reference", None, problem, remedy)
    if transform in ("none", "irt") and isinstance(data, Scores):
        remedy = "use rank for raw scores, or give --scale"
        raise BadInput("transform", transform, "[raw-scores] needs responses in [0, 1]", remedy)
    ways: dict[str, Any] = {
        "none": lambda same: same,
        "rank": partial(transforms.rank, missing=missing),
        "standardise": partial(transforms.standardise, missing=missing),
        "reference": partial(transforms.absolute_reference, reference=reference),
        "opponent": partial(transforms.opponent, incomplete=missing),
        "irt": irt_difficulty,
        "failure": partial(by_failure, floors=floors),
    }
    return ways[transform](data)


# -- minutes of items, dates of agents -----------------------------------------------------------------


def with_minutes(data: Responses | Scores, minutes: str | None, dates: str | None) -> Responses | Scores:
    """The data with `items["minutes"]` and the column `dates` of the agents, as far as they are known.

    Without difficulties, log2 minutes become the difficulties, and that is noted. A name that was given must
    be a column of the items or the agents.
    """
    found = data.items.get(minutes if minutes in data.items else "minutes")
    if found is None and minutes is not None:
        raise _no_column("minutes", minutes)
    if found is not None and isinstance(data, Responses):
        lengths, notes = _positive(found), []
        items = data.items.assign(minutes=lengths)
        if data.difficulty is None or data.difficulty.equals(lengths.rename("difficulty")):
            items["difficulty"] = np.log2(lengths)
            said = "difficulty is log2 of the minutes of an item: one unit is a doubling of human time"
            notes = [Note("difficulty", said, "difficulty=... (--difficulty)")]
        known = data.notes.with_more(notes)
        data = data._like(data.frame, items=items)
        data.notes = known
    elif minutes is not None:
        problem = "needs responses between 0 and 1, and these are raw scores"
        raise BadInput("minutes", minutes, problem, "map the scores with --scale LOW HIGH")
    if dates is None:
        return data
    column = dates if dates in data.agents else "date"
    if column not in data.agents:
        raise _no_column("dates", dates)
    return data._like(data.frame, agents=data.agents.assign(**{dates: data.agents[column]}))


def recognised_dates(data: Responses | Scores) -> str | None:
    """The column of the agents' dates, if a reader recognised one and every agent has a date in it."""
    if "date" not in data.agents or "minutes" not in data.items:
        return None
    known = pd.to_datetime(data.agents["date"].astype(str), errors="coerce", format="ISO8601")
    return "date" if known.notna().all() else None


def _no_column(argument: str, name: str) -> BadInput:
    problem = "[not-found] is not a column of the items, the agents, or the table that was read"
    remedy = "name a column of items.csv (or agents.csv), or of a long table"
    return BadInput(argument, name, problem, remedy)


def _positive(minutes: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(minutes, errors="coerce").astype(float)
    wrong, remedy = ~((numbers > 0) & np.isfinite(numbers)), "give every item its human time, or leave it out"
    refuse("minutes", minutes, wrong, "is not a positive number of minutes", remedy)
    return numbers
