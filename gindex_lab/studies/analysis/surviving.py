"""Does the conclusion survive another definition of difficulty?

The same data, read by several definitions of how hard an item is (Table 1 of the generality paper lists
them): the share that fails, positions by rank, positions by standard score, a reference, an item response
model. What only one of them says is a property of the definition, not of the agents.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, Caution, GIndexLabError
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.step_curves import StepCurves
from gindex_lab.studies.analysis.accuracy import is_binary
from gindex_lab.studies.analysis.models import varied_items, why_not

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
# In standard deviations of ability, where nearly all agents are: an item that hardly discriminates has its
# difficulty anywhere, and would set the scale.
_ABILITIES = (-3.0, 3.0)


def definitions(
    data: Responses | Scores,
    missing: str = "error",
    model: ItemResponseModel | None = None,
    floors: pd.Series | None = None,
) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
    """Capability, spread and γ of every agent under several definitions of difficulty.

    There are four, and a fifth where difficulties are given. Of responses of 0 and 1 the reference is the
    share that fails, so an item response model takes its place.

    Parameters
    ----------
    data : gl.Responses or gl.Scores
    missing : "error" or "drop", as in `gl.generality`
    model : the item response model, `gl.analysis.fitted(data)`
    floors : what guessing gives at each item (`gl.analysis.floors_of`); positions do not know it

    Returns
    -------
    dict of tables (`capability`, `spread`, `normalised_generality`) by definition, and dict of the reasons
    why other definitions were refused.

    References
    ----------
    Hernández-Orallo et al. (2021), supplement D.2 (the choice of difficulty).

    Examples
    --------
    >>> from gindex_lab.studies.analysis.models import fitted
    >>> study = Responses([[1, 1, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]])
    >>> tables, refused = definitions(study, model=fitted(study))
    >>> list(tables)
    ['failure', 'rank', 'standardise', 'irt']
    """
    from gindex_lab.measures import transforms

    ways: dict[str, Callable[[], Responses]] = {
        "failure": lambda: by_failure(data, floors),
        "rank": lambda: transforms.rank(data, missing=missing),
        "standardise": lambda: transforms.standardise(_varied(data), missing=missing),
    }
    if isinstance(data, Responses) and data.difficulty is not None:
        ways = {"given": lambda: data} | ways
    if not (isinstance(data, Responses) and is_binary(data)):
        ways["reference"] = lambda: transforms.absolute_reference(data, "mean")
    elif model is not None:
        ways["irt"] = lambda: _by_model(data, model)
    tables, refused = {}, {}
    for name, measured in ways.items():
        try:
            tables[name] = _measure(measured(), missing, floors)
        except GIndexLabError as error:
            refused[name] = why_not(error)
    return tables, refused


def _by_model(data: Responses | Scores, model: ItemResponseModel) -> Responses:
    """The items that vary, as hard as in the model: the others have no difficulty on this scale.

    Items that differ by the rounding of the fit only are equally hard: their order would be an accident.
    """
    varied = varied_items(model)
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
    items = table.items.drop(columns="difficulty", errors="ignore")
    return Responses(table.frame, fails, items=items, interval=(0.0, 1.0))


def _varied(data: Any) -> Any:
    """The data without the items on which all agents did alike."""
    return data.select(items=data.frame.columns[data.frame.nunique() > 1])


def _measure(measured: Responses, missing: str, floors: pd.Series | None) -> pd.DataFrame:
    from gindex_lab.measures.generality import generality

    if measured.items["difficulty"].nunique() < 2:
        problem = "all items have the same difficulty, and make no curve"
        raise BadInput("difficulty", None, problem, "use another definition")
    floor = None if isinstance(measured, StepCurves) or floors is None else floors[measured.frame.columns]
    with warnings.catch_warnings(action="ignore", category=Caution):  # the study's own table has told
        table = generality(measured, missing=missing, floor=floor)
    return table[["capability", "spread", "normalised_generality"]]


def survival(
    table: pd.DataFrame, tables: dict[str, pd.DataFrame], apart: Mapping[str, pd.DataFrame] | None = None
) -> pd.DataFrame:
    """Who is best and who is least general under each definition, and how far the orders agree.

    Parameters
    ----------
    table : the analysis that drew the conclusion, a table of `gl.generality`
    tables : the same agents under each definition (`gl.analysis.definitions`)
    apart : agents x agents by measure, True where the analysis separates a pair (`gl.separations(table)`)

    Returns
    -------
    DataFrame with one row per definition: `best`, `least_general` ("–" where all are equal),
    `capability_order` and `generality_order` (rank correlations with the analysis), `separated` (pairs that
    `apart` separates in capability), `reversed` (those that the definition puts the other way round), and
    `gamma_separated` and `gamma_reversed`, the same in γ.

    References
    ----------
    Hernández-Orallo et al. (2021), supplement D.2 (the choice of difficulty).

    Examples
    --------
    >>> table = pd.DataFrame({"capability": [3.0, 2, 1], "spread": [1.0, 1, 1],
    ...                       "normalised_generality": [0.5, 0.6, 0.7]}, index=list("abc"))
    >>> survival(table, {"rank": table})[["best", "least_general", "capability_order"]]
         best least_general  capability_order
    rank    a             a               1.0
    """
    from gindex_lab.measures.psychometrics.correlations import rank_correlation

    rows = {}
    capability, gamma = table["capability"], table["normalised_generality"]
    for name, other in tables.items():
        able, general = (other.loc[table.index, m] for m in ("capability", "normalised_generality"))
        row = {"best": able.idxmax(), "least_general": general.idxmin()}
        if not general.max() - general.min() > 1e-9:  # two agents may be equal by symmetry
            row["least_general"] = "–"
        row["capability_order"] = rank_correlation(capability, able)
        row["generality_order"] = rank_correlation(gamma.round(9), general.round(9))
        row["reversed"], row["separated"] = _reversed(capability, able, apart)
        row["gamma_reversed"], row["gamma_separated"] = _reversed(gamma, general, apart)
        rows[name] = row
    return pd.DataFrame.from_dict(rows, orient="index")


def _reversed(main: pd.Series, other: pd.Series, apart: Mapping[str, pd.DataFrame] | None) -> tuple[int, int]:
    """How many separated pairs are the other way round in the other table, and how many are separated."""
    square = (apart or {}).get(str(main.name))
    if square is None:
        return 0, 0
    a, b = (np.subtract.outer(x.to_numpy(), x.to_numpy()) for x in (main, other))
    pairs = np.triu(square.to_numpy(), 1)
    return int((pairs & (a * b < 0)).sum()), int(pairs.sum())


def verdict(found: pd.DataFrame, leaders: list[Any], least: list[Any], agents: int) -> dict[str, bool]:
    """Which conclusions every definition agrees with; only those that were drawn at all.

    Parameters
    ----------
    found : the table of `gl.analysis.survival`
    leaders, least : the agents that the data cannot tell from the best, and from the least general
        Another name among them is not a contradiction.
    agents : how many there are; where all are leaders, there is no conclusion to contradict

    Returns
    -------
    dict: whether "best", "order", "least_general" and "gamma_order" hold, as far as they were concluded.

    Examples
    --------
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
