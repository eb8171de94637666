"""Before an analysis: is the table large enough, are its gaps allowed, which transform makes its curves?"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.step_curves import StepCurves
from gindex_lab.studies.analysis.summary import all_alike, names_of
from gindex_lab.studies.analysis.surviving import by_failure

__all__ = [
    "FLOORED",
    "check_gaps",
    "check_size",
    "chosen_transform",
    "missing_cells",
    "transformed",
    "without_hardly_met",
]

FLOORED = ("none", "failure", "irt")  # transforms whose responses can be freed of guessing
_FEW_GAPS = 0.05  # of the cells
_FEWEST = 3  # items of an interval


def chosen_transform(data: Responses | Scores, wanted: str, floors: pd.Series | None = None) -> str:
    """Responses with difficulties as they are, everything else by rank; one agent alone beats nobody,
    and where all agents did alike on every item nobody beats anybody.

    Positions by rank do not know what guessing gives, so with `floors` an item is as hard as it is failed.

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
    """ "error" or "drop": "auto" leaves out a few gaps (at most one cell in twenty, not counting that
    nobody plays against itself in an arena), and refuses more.

    >>> missing_cells(Responses(np.where(np.arange(40) == 7, np.nan, 1.0)[None]), "auto", "rank")
    'drop'
    """
    if missing != "auto":
        return missing
    gaps = np.isnan(data.values)
    if transform == "opponent" or not gaps.any():
        return "error"
    own = np.array([f"against {name}" for name in data.frame.index])[:, None]  # itself, in an arena
    gaps &= own != data.frame.columns.to_numpy(str)
    return "drop" if gaps.mean() <= _FEW_GAPS else "error"


def without_hardly_met(data: Responses | Scores) -> Responses | Scores:
    """Without the agents that met fewer than three items, of whom nothing can be said; noted.

    >>> table = without_hardly_met(Responses([[1, 0, 1, 1], [1, None, None, 0], [0, 1, 1, 0]]))
    >>> table.shape, table.notes
    ((2, 4), ('left out because they met fewer than three items: agent 2',))
    """
    met = (~np.isnan(data.values)).sum(axis=1)
    few = met < _FEWEST
    if not few.any() or (~few).sum() < 1 or isinstance(data, StepCurves):
        return data
    names = names_of(list(data.frame.index[few]))
    found = data.select(agents=list(data.frame.index[~few]))
    seen = found.frame.notna().any()
    found = found.select(items=list(found.frame.columns[seen]))
    found.notes = (*data.notes, f"left out because they met fewer than three items: {names}")
    return found


def check_size(data: Responses | Scores, transform: str, ci: float | None) -> None:
    """One agent beats nobody (every transform but "none" compares agents), two items have no spread."""
    if transform == "scores":
        return
    if data.shape[1] < 3 and ci is not None and transform != "opponent":
        remedy = "measure three or more, or ask for no intervals (--ci 0)"
        raise BadInput("items", list(data.frame.columns), "are too few for intervals", remedy)
    if len(data.frame) == 1 and transform != "none":
        agent = data.frame.index[0]
        problem = f"is the only agent, and {transform!r} gets difficulty from comparing agents"
        remedy = "add agents, or give the items' difficulties (--difficulty)"
        raise BadInput("agents", agent, problem, remedy)


def check_gaps(data: Responses | Scores, transform: str) -> None:
    """Refuse a missing cell; in a tournament nobody plays against itself, which is not a gap."""
    gaps = np.isnan(data.values)
    if transform == "opponent":
        gaps &= data.frame.index.to_numpy()[:, None] != data.frame.columns.to_numpy()
    if gaps.any():
        row, column = np.argwhere(gaps)[0]
        met = (~np.isnan(data.values)).sum(axis=1)
        least, count = data.frame.index[met.argmin()], int(gaps.sum())
        more = (
            f", one of {count} of {gaps.size} cells ({least!r} met {met.min()} of {gaps.shape[1]} items)"
            if count > 1
            else ""
        )
        more += "".join(f"; {note}" for note in data.notes if "code of no answer" in note)
        raise BadInput(
            f"scores[{data.frame.index[row]!r}, {data.frame.columns[column]!r}]",
            np.nan,
            f"[missing] is missing{more}",
            "fill the cells, or measure each agent on what it met: missing='drop' (--missing drop)",
        )


def transformed(
    data: Responses | Scores,
    transform: str,
    reference: str | None,
    missing: str,
    floors: pd.Series | None = None,
) -> Responses:
    from gindex_lab.measures import transforms
    from gindex_lab.measures.psychometrics.irt_scale import irt_difficulty

    if transform == "reference":
        if reference is None:
            raise BadInput(
                "reference",
                None,
                "[no-reference] is needed by ARef",
                "name an agent: --reference NAME",
            )
        return transforms.absolute_reference(data, reference)
    if transform in ("none", "irt") and isinstance(data, Scores):
        problem, remedy = (
            "[raw-scores] needs responses in [0, 1]",
            "use rank for raw scores, or give --scale",
        )
        raise BadInput("transform", transform, problem, remedy)
    if transform == "none":
        assert isinstance(data, Responses)
        return data
    simple: dict[str, Any] = {
        "rank": partial(transforms.rank, missing=missing),
        "standardise": partial(transforms.standardise, missing=missing),
        "opponent": partial(transforms.opponent, incomplete=missing),
        "irt": irt_difficulty,
        "failure": partial(by_failure, floors=floors),
    }
    return simple[transform](data)
