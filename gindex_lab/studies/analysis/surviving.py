"""Does the conclusion survive another definition of difficulty?

The same data, read by several definitions of how hard an item is (Table 1 of the generality paper lists
them): the share that fails, positions by rank, positions by standard score, a reference, an item response
model. What only one of them says is a property of the definition, not of the agents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, GIndexLabError
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.step_curves import StepCurves
from gindex_lab.studies.analysis.accuracy import is_binary

if TYPE_CHECKING:
    from gindex_lab.measures.psychometrics.irt import ItemResponseModel

__all__ = ["DEFINITIONS", "by_failure", "definitions", "survival", "verdict"]

DEFINITIONS = {
    "given": "the difficulties that came with the items",
    "failure": "the share of the agents that fail an item",
    "rank": "positions by rank among the agents (Rnk)",
    "standardise": "positions by standard score (Scale)",
    "reference": "who beats the mean agent (ARef)",
    "irt": "an item response model (IRT) of the items that vary",
}
_ABILITIES = (-3.0, 3.0)
_MEASURES = ["capability", "spread", "normalised_generality"]


def definitions(
    data: Responses | Scores,
    missing: str = "error",
    model: ItemResponseModel | None = None,
    floors: pd.Series | None = None,
) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
    """Capability, spread and γ of every agent under four definitions (five with given difficulties),
    and the reasons for those that cannot be had.

    Of responses of 0 and 1 the reference is the share that fails, and an item response `model` takes
    its place (`fitted(data)` of `models`), on the three standard deviations around the mean ability.
    `floors` is what guessing gives at each item (`gl.analysis.floors_of`); positions do not know it.

    Reference: Hernández-Orallo et al. (2021), supplement D.2 (the choice of difficulty).

    >>> from gindex_lab.studies.analysis.models import fitted
    >>> study = Responses([[1, 1, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]])
    >>> tables, refused = definitions(study, model=fitted(study))
    >>> list(tables)
    ['failure', 'rank', 'standardise', 'irt']
    """
    tables: dict[str, pd.DataFrame] = {}
    refused: dict[str, str] = {}
    for name, measured in _ways(data, missing, model, floors).items():
        try:
            tables[name] = _measure(measured(), missing, floors)
        except GIndexLabError as error:
            who = f"{error.value} " if isinstance(error.value, str) else ""
            refused[name] = f"{who}{error.problem}"
    return tables, refused


def _ways(
    data: Responses | Scores,
    missing: str,
    model: ItemResponseModel | None,
    floors: pd.Series | None,
) -> dict[str, Callable[[], Responses]]:
    from gindex_lab.measures import transforms

    varied = data.frame.columns[data.frame.nunique() > 1]
    ways: dict[str, Callable[[], Responses]] = {
        "failure": lambda: by_failure(data, floors),
        "rank": lambda: transforms.rank(data, missing=missing),
        "standardise": lambda: transforms.standardise(data.select(items=varied), missing=missing),
        "reference": lambda: transforms.absolute_reference(data, "mean"),
    }
    if isinstance(data, Responses) and data.difficulty is not None:
        ways = {"given": lambda: data} | ways
    if isinstance(data, Responses) and is_binary(data):
        ways.pop("reference")
        if model is not None:
            ways["irt"] = lambda: _by_model(data, model)
    return ways


def _by_model(data: Responses | Scores, model: ItemResponseModel) -> Responses:
    """On [-3, 3] only: an item that hardly discriminates has its b anywhere, and would set the scale.

    Items that all agents solve, or all fail, have no difficulty on this scale, and are left out. Items that
    differ by the rounding of the fit only are equally hard: their order would be an accident.
    """
    constant = set(model.constant_items)
    varied = [item for item in model.responses.columns if item not in constant]
    difficulty = model.parameters["difficulty"].loc[varied].round(6)
    return Responses(data.frame[varied], difficulty, interval=_ABILITIES)


def by_failure(data: Responses | Scores, floors: pd.Series | None = None) -> Responses:
    """Responses on items as hard as the share of the agents that fails them, freed of guessing.

    >>> by_failure(Responses([[1, 1, 0], [1, 0, 0]])).difficulty.tolist()
    [0.0, 0.5, 1.0]
    """
    table = data if isinstance(data, Responses) else _varied(data).to_responses()
    fails = 1 - table.frame.mean()
    if floors is not None:
        fails = (fails / (1 - floors)).clip(0.0, 1.0)
    return Responses(
        table.frame,
        fails,
        items=table.items.drop(columns="difficulty", errors="ignore"),
        interval=(0.0, 1.0),
    )


def _varied(data: Scores) -> Scores:
    return data.select(items=data.frame.columns[data.frame.nunique() > 1])


def _measure(measured: Responses, missing: str, floors: pd.Series | None) -> pd.DataFrame:
    from gindex_lab.measures.generality import generality

    if measured.items["difficulty"].nunique() < 2:
        problem = "all items have the same difficulty, and make no curve"
        raise BadInput("difficulty", None, problem, "use another definition")
    floor = (
        None
        if isinstance(measured, StepCurves) or floors is None
        else floors[measured.frame.columns]
    )
    return generality(measured, missing=missing, floor=floor)[_MEASURES]


def survival(
    table: pd.DataFrame,
    tables: dict[str, pd.DataFrame],
    apart: Mapping[str, pd.DataFrame] | None = None,
) -> pd.DataFrame:
    """One row per definition: who is best and who is least general, and how far the orders agree.

    `table` is the analysis that drew the conclusion. `capability_order` and `generality_order` are rank
    correlations with it. `reversed` counts the pairs that `apart["capability"]` (`gl.separations(table)`)
    separates and that the definition puts the other way round, `separated` all pairs that it separates;
    `gamma_reversed` and `gamma_separated` are the same in γ.

    Reference: Hernández-Orallo et al. (2021), supplement D.2 (the choice of difficulty).

    >>> table = pd.DataFrame({"capability": [3.0, 2, 1], "spread": [1.0, 1, 1],
    ...                       "normalised_generality": [0.5, 0.6, 0.7]}, index=list("abc"))
    >>> survival(table, {"rank": table})[["best", "least_general", "capability_order"]]
         best least_general  capability_order
    rank    a             a               1.0
    """
    from gindex_lab.measures.psychometrics.correlations import rank_correlation

    rows = {}
    for name, other in tables.items():
        same = other.loc[table.index]
        pairs = {
            m: _reversed(table[m], same[m], (apart or {}).get(m))
            for m in ("capability", "normalised_generality")
        }
        rows[name] = {
            "best": same["capability"].idxmax(),
            "least_general": _least(same["normalised_generality"]),
            "capability_order": rank_correlation(table["capability"], same["capability"]),
            "generality_order": rank_correlation(
                table["normalised_generality"].round(9), same["normalised_generality"].round(9)
            ),
            "reversed": pairs["capability"][0],
            "separated": pairs["capability"][1],
            "gamma_reversed": pairs["normalised_generality"][0],
            "gamma_separated": pairs["normalised_generality"][1],
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def _least(values: pd.Series) -> Any:
    """Who has the smallest value; nobody ("–") where all have the same up to rounding, as two by symmetry."""
    return values.idxmin() if values.max() - values.min() > 1e-9 else "–"


def _reversed(main: pd.Series, other: pd.Series, apart: pd.DataFrame | None) -> tuple[int, int]:
    """Separated pairs, and those of them that stand the other way round elsewhere."""
    if apart is None:
        return 0, 0
    a, b = (np.subtract.outer(x.to_numpy(), x.to_numpy()) for x in (main, other))
    pairs = apart.to_numpy() & np.triu(np.ones(apart.shape, dtype=bool), 1)
    return int((pairs & (a * b < 0)).sum()), int(pairs.sum())


def verdict(
    found: pd.DataFrame, leaders: list[Any], least: list[Any], agents: int
) -> dict[str, bool]:
    """Which conclusions every definition agrees with; only those that were drawn at all.

    `leaders` and `least` are the agents that the data cannot tell from the best, and from the least
    general: another name among them is not a contradiction. Where that is all `agents`, or no pair is
    separated, there is no conclusion to contradict.

    >>> found = pd.DataFrame({"best": ["a", "b"], "least_general": ["c", "a"], "reversed": 0,
    ...                       "separated": 1, "gamma_reversed": [0, 1], "gamma_separated": 2})
    >>> verdict(found, ["a", "b"], ["c"], agents=3)
    {'best': True, 'order': True, 'least_general': False, 'gamma_order': False}
    >>> verdict(found.assign(separated=0, gamma_separated=0), list("abc"), list("abc"), agents=3)
    {}
    """
    drawn = {}
    if len(leaders) < agents:
        drawn["best"] = bool(found["best"].isin(leaders).all())
    if found["separated"].any():
        drawn["order"] = bool((found["reversed"] == 0).all())
    if len(least) < agents:
        drawn["least_general"] = bool(found["least_general"].isin([*least, "–"]).all())
    if found["gamma_separated"].any():
        drawn["gamma_order"] = bool((found["gamma_reversed"] == 0).all())
    return drawn
