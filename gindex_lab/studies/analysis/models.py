"""What the psychometric models say beside generality analysis, or why they cannot say it.

Each view is a small table and a sentence; where the data are too few for a model, the sentence says so and
there is no table.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import Caution, GIndexLabError
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import choice

if TYPE_CHECKING:
    from gindex_lab.measures.psychometrics.irt import ItemResponseModel

__all__ = [
    "ModelView",
    "factor_view",
    "fitted",
    "irt_view",
    "is_graded",
    "kind_of",
    "model_words",
    "parcels",
]
__all__ += ["person_fit_view", "varied_items"]

_FEW_AGENTS = 30
_FEWEST = 10  # agents of a factor analysis
_MOST_UNITS, _MOST_ITEMS = 12, 60  # parcels; items that are factored one by one
_MOST_CELLS, _FEWEST_ITEMS = 600_000, 500  # of an item response model that is fitted in seconds


class ModelView(NamedTuple):
    """A table (None where there is none), and what it says."""

    table: pd.DataFrame | None
    sentence: str
    factors: int | None = None  # above noise, of a factor analysis


def fitted(data: Responses | Scores) -> ItemResponseModel | None:
    """The item response model that the responses call for (`kind_of`), with weak priors, or None.

    >>> fitted(Responses([[1, 1, 1], [1, 1, 1]])) is None
    True
    """
    return _fitted_or_why(data)[0]


def _fitted_or_why(data: Responses | Scores) -> tuple[ItemResponseModel | None, str]:
    from gindex_lab.measures.psychometrics.irt import irt

    if isinstance(data, Scores):
        return None, "raw scores are not answers that are right or wrong"
    data = _spread_out(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Caution)  # of grades that nobody has
            return irt(data, kind_of(data), priors="weak", fractions="weigh"), ""
    except GIndexLabError as error:
        who = f"{error.value} " if isinstance(error.value, str) else ""
        return None, f"{who}{error.problem}"


def kind_of(data: Responses) -> str:
    """Which model: "2pl" of right or wrong, "graded" of up to 13 grades, "beta" of other fractions.

    With fewer than 30 agents "1pl". Where some items are right or wrong and others fractions, no model of
    ours knows both: "2pl", in which a fraction counts as that share of a success.

    >>> rng = np.random.default_rng(1)
    >>> grades = rng.integers(0, 4, (40, 3)) / 3
    >>> kind_of(Responses(grades)), kind_of(Responses(rng.random((40, 3)))), kind_of(Responses(grades[:9]))
    ('graded', 'beta', '1pl')
    """
    from gindex_lab.measures.psychometrics.irt_categories import read_answers, read_fractions

    if len(data.frame) < _FEW_AGENTS:
        return "1pl"
    if not is_graded(data):
        return "2pl"
    with suppress(GIndexLabError):  # the answers are no ladder
        read_answers(data, None)
        return "graded"
    with suppress(GIndexLabError):  # some items have hardly a fraction
        read_fractions(data)
        return "beta"
    return "2pl"


def is_graded(data: Responses | Scores) -> bool:
    """Does some response lie strictly between 0 and 1?"""
    return bool(((data.frame > 0) & (data.frame < 1)).any(axis=None))


def varied_items(model: ItemResponseModel) -> list[Any]:
    """The items that the model was fitted to: those on which agents differ."""
    constant = set(model.constant_items)
    return [item for item in model.responses.columns if item not in constant]


def model_words(model: ItemResponseModel, data: Responses | Scores) -> tuple[str, str]:
    """What the model is called, and a sentence on why it is this one ("" of right or wrong).

    >>> data = Responses(np.random.default_rng(1).integers(0, 3, (40, 4)) / 2)
    >>> model_words(fitted(data), data)[0]
    'graded response model'
    """
    if model.model == "graded":
        most = int(model.kind.categories.max())
        return "graded response model", (
            f"Responses come in up to {most} ordered grades, each with a threshold of its own; "
            "no grade counts as right or wrong."
        )
    if model.model == "beta":
        return "Beta model", (
            "Responses are fractions, which vary about an agent's curve as a Beta distribution does, with "
            "exact zeros and ones apart."
        )
    why = "Responses between 0 and 1 count as that share of a success"
    why += (
        ", because with so few agents"
        if model.model == "1pl"
        else ", because with right-or-wrong items beside them"
    )
    return f"{model.model.upper()} model", f"{why} no graded model can be fitted." if is_graded(
        data
    ) else ""


def _spread_out(data: Responses) -> Responses:
    """All items; of very many, as many as are fitted in seconds, evenly over the order of their means."""
    agents, items = data.shape
    most = max(_FEWEST_ITEMS, _MOST_CELLS // max(agents, 1))
    if items <= most:
        return data
    order = np.argsort(np.nanmean(data.values, axis=0), kind="stable")
    chosen = np.sort(order[np.linspace(0, items - 1, most).astype(int)])
    return data.select(items=list(data.frame.columns[chosen]))


def irt_view(
    data: Responses | Scores, measures: pd.DataFrame, model: ItemResponseModel | None = None
) -> ModelView:
    """Abilities of a logistic model (that of `fitted` unless given) beside capability.

    >>> from gindex_lab.studies.readers.examples import simulated_runs
    >>> runs = simulated_runs(agents=6, items=10)
    >>> view = irt_view(runs, pd.DataFrame({"capability": runs.frame.mean(axis=1)}))
    >>> list(view.table), "1PL" in view.sentence
    (['ability', 'se', 'capability'], True)
    """
    from gindex_lab.measures.psychometrics.correlations import rank_correlation

    if model is None:
        model, why = _fitted_or_why(data)
        if model is None:
            return ModelView(None, f"No item response model was fitted: {why}.")
    table = model.abilities.join(measures["capability"])
    agree = rank_correlation(table["ability"], table["capability"])
    items = len(varied_items(model))
    name, why = model_words(model, data)
    whole = data.shape[1] == len({*model.responses.columns, *model.constant_items})
    some = "" if whole else f" (of {data.shape[1]}, taken evenly over the order of their means)"
    parts = [
        f"A {name} was fitted to {items} items that vary{some}; reliability {model.reliability:.2f}"
        + ("" if np.isnan(agree) else f", rank correlation with capability {agree:.2f}")
        + "."
    ]
    parts += [why] if why else []
    if len(data.frame) < _FEW_AGENTS:
        parts.append(
            f"With {len(data.frame)} agents the items' parameters are rough: all share one discrimination."
        )
    if not model.converged:
        parts.append("The fit did not converge: do not read it.")
    return ModelView(table.sort_values("ability", ascending=False, kind="stable"), " ".join(parts))


def factor_view(data: Responses | Scores, *, seed: SeedLike, draws: int = 100) -> ModelView:
    """One factor of the families' means, of parcels of items, or of the items: its loadings.

    A correlation matrix of more items than agents is mostly noise, so items are first averaged: by
    family where there are three or more, and otherwise into parcels of like mean difficulty.

    >>> from gindex_lab.studies.readers.examples import simulated_runs
    >>> view = factor_view(simulated_runs(agents=20, items=12), seed=1, draws=20)
    >>> view.table.index.tolist()
    ['arithmetic', 'logic', 'reading', 'spelling']
    """
    from gindex_lab.measures.psychometrics.factors import factors

    units, what = parcels(data)
    if units is None:
        return ModelView(None, what)
    try:
        model = factors(units, 1, constant="drop")
        above = model.parallel_analysis(seed=seed, draws=draws).n_factors
    except GIndexLabError as error:
        return ModelView(None, f"No factor was fitted: {error.problem}.")
    table = model.loadings.rename(columns={"factor 1": "loading"}).assign(
        communality=model.communalities
    )
    share = model.proportion_of_variance
    many = {0: "No factor stands", 1: "One factor stands"}.get(above, f"{above} factors stand")
    sentence = (
        f"{many} above noise of the same size (parallel analysis, {draws} draws). One factor of {what} "
        f"carries {share:.0%} of their variance."
    )
    if above > 1 and what.startswith("the ") and _right_or_wrong(units):
        sentence += (
            " Of right-or-wrong items, a factor beyond the first may be one of difficulty only."
        )
    if (table["communality"] > 0.995).any():
        sentence += " One unit has nothing of its own (a Heywood case): the solution is improper."
    if len(units) < _FEW_AGENTS:
        sentence += f" It rests on {len(units)} agents: a rough picture."
    return ModelView(
        table,
        sentence + " A factor belongs to this population of agents, not to an agent.",
        above,
    )


def parcels(data: Responses | Scores) -> tuple[pd.DataFrame | None, str]:
    """The table to factor (agents x units), and what its units are; None and the reason if too small.

    >>> parcels(Responses(np.eye(4)))[1]
    '4 agents are too few for a factor analysis: it takes at least 10.'
    """
    agents = len(data.frame)
    if agents < _FEWEST:
        return (
            None,
            f"{agents} agents are too few for a factor analysis: it takes at least {_FEWEST}.",
        )
    frame = data.frame.rank(pct=True) if isinstance(data, Scores) else data.frame
    varied = frame.loc[:, frame.nunique() > 1]
    family = None if data.family is None else data.family.loc[varied.columns]
    if family is not None and 3 <= family.nunique() < agents:
        return varied.T.groupby(
            family, sort=False
        ).mean().T, f"the means of {family.nunique()} families"
    if varied.shape[1] < 3:
        return None, "Fewer than three items vary: there is nothing to factor."
    most = min(_MOST_UNITS, agents - 1)
    enough = varied.shape[1] <= _MOST_ITEMS and agents >= 5 * varied.shape[1]
    if varied.shape[1] <= most or (enough and not _right_or_wrong(varied)):
        return varied, f"the {varied.shape[1]} items that vary"
    count = max(3, min(most, agents // 3))
    order = varied.mean().argsort(kind="stable").to_numpy()
    group = np.empty(len(order), dtype=int)
    group[order] = np.arange(len(order)) % count
    names = pd.Series([f"parcel {k + 1}" for k in group], index=varied.columns)
    means = varied.T.groupby(names).mean().T
    return means[
        [f"parcel {k + 1}" for k in range(count)]
    ], f"{count} parcels of items, alike in mean difficulty,"


def _right_or_wrong(frame: pd.DataFrame) -> bool:
    """Do most items have two values only? They show factors of difficulty then, which parcels do not."""
    return bool((frame.nunique() <= 2).mean() > 0.5)


def person_fit_view(
    data: Responses | Scores, missing: str = "error", model: ItemResponseModel | None = None
) -> ModelView:
    """Guttman errors and norm conformity of every agent, and lz* where there is a 2PL `model`.

    >>> from gindex_lab.studies.readers.examples import simulated_runs
    >>> person_fit_view(simulated_runs()).table.index[0]  # the strangest first
    'specialist'
    """
    from gindex_lab.measures.psychometrics.person_fit import person_fit

    choice("missing", missing, ["error", "drop"])
    if isinstance(data, Scores):
        return ModelView(
            None, "Person fit was not computed: raw scores are not answers that are right or wrong."
        )
    try:
        table = person_fit(data, missing=missing, model=None)
    except GIndexLabError as error:
        return ModelView(None, f"No person fit: {error.problem}.")
    if (
        model is not None
        and model.model in ("2pl", "graded")
        and not (model.model == "2pl" and is_graded(data))
    ):
        table["lz_star"] = model.person_fit()["lz_star"]
    shown = ["score", "normalised_guttman_errors", "norm_conformity", "lz_star"]
    table = table[[name for name in shown if name in table]].sort_values(
        "norm_conformity", kind="stable"
    )
    worst = table.index[0]
    sentence = (
        f"Farthest from solving the easy items before the hard ones is {worst} (norm conformity "
        f"{table['norm_conformity'].iloc[0]:.2f}; 1 is a perfect order, 0 none, -1 the reverse)."
    )
    return ModelView(table, sentence)
