"""What the psychometric models say beside generality analysis, or why they say nothing.

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

__all__ = ["ModelView", "factor_view", "fitted", "irt_view", "is_graded", "kind_of", "model_words", "parcels"]
__all__ += ["person_fit_view", "varied_items", "why_not"]

# Judgements: how few agents let each item have a discrimination of its own, and let items be factored.
_FEW_AGENTS, _FEWEST = 30, 10
_MOST_UNITS, _MOST_ITEMS = 12, 60  # parcels; items that are factored one by one
_MOST_CELLS, _FEWEST_ITEMS = 600_000, 500  # of an item response model that is fitted in seconds
_RAW = "raw scores are not right-or-wrong answers"


class ModelView(NamedTuple):
    """A table (None where there is none), and what it says."""

    table: pd.DataFrame | None
    sentence: str
    factors: int | None = None  # above noise, of a factor analysis


def fitted(data: Responses | Scores) -> ItemResponseModel | None:
    """The item response model that the responses call for, with weak priors.

    It is a 2PL model of right-or-wrong responses, a graded model of up to 13 grades, a Beta model of other
    fractions; with fewer than 30 agents a 1PL model.

    Parameters
    ----------
    data : gl.Responses; raw scores have no model

    Returns
    -------
    The model of `gl.irt`, or None if none can be fitted.

    Examples
    --------
    >>> fitted(Responses([[1, 1, 1], [1, 1, 1]])) is None
    True
    """
    return _fitted_or_why(data)[0]


def _fitted_or_why(data: Responses | Scores) -> tuple[ItemResponseModel | None, str]:
    from gindex_lab.measures.psychometrics.irt import irt

    if isinstance(data, Scores):
        return None, _RAW
    data = _spread_out(data)
    try:
        with warnings.catch_warnings(action="ignore", category=Caution):  # of grades that nobody has
            return irt(data, kind_of(data), priors="weak", fractions="weigh"), ""
    except GIndexLabError as error:
        return None, why_not(error)


def why_not(error: GIndexLabError) -> str:
    """Why something could not be computed, and of which agent or item."""
    return f"{error.value} {error.problem}" if isinstance(error.value, str) else error.problem


def kind_of(data: Responses) -> str:
    """Which model: "2pl" of right or wrong, "graded" of up to 13 grades, "beta" of other fractions.

    With fewer than 30 agents "1pl". Where some items are right or wrong and others fractions, none of our
    models fits both: "2pl", in which a fraction counts as that share of a success.

    >>> rng = np.random.default_rng(1)
    >>> grades = rng.integers(0, 4, (40, 3)) / 3
    >>> kind_of(Responses(grades)), kind_of(Responses(rng.random((40, 3)))), kind_of(Responses(grades[:9]))
    ('graded', 'beta', '1pl')
    """
    from gindex_lab.measures.psychometrics.irt_categories import read_answers, read_fractions

    if len(data.frame) < _FEW_AGENTS:
        return "1pl"
    if is_graded(data):
        with suppress(GIndexLabError):  # the answers have too many values to be grades
            read_answers(data, None)
            return "graded"
        with suppress(GIndexLabError):  # some items have hardly a fraction
            read_fractions(data)
            return "beta"
    return "2pl"


def is_graded(data: Responses | Scores) -> bool:
    """Whether some response lies strictly between 0 and 1."""
    return bool(((data.frame > 0) & (data.frame < 1)).any(axis=None))


def varied_items(model: ItemResponseModel) -> list[Any]:
    """The items that the model was fitted to: those on which agents differ."""
    constant = set(model.constant_items)
    return [item for item in model.responses.columns if item not in constant]


def model_words(model: ItemResponseModel, data: Responses | Scores) -> tuple[str, str]:
    """What the model is called, and a sentence on why it is this one ("" of right or wrong)."""
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
    few = "so few agents" if model.model == "1pl" else "right-or-wrong items beside them"
    why = "Responses between 0 and 1 count as that share of a success"
    why += f", because with {few} no graded model can be fitted."
    return f"{model.model.upper()} model", why if is_graded(data) else ""


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
    """Abilities of an item response model beside capability.

    Parameters
    ----------
    data : gl.Responses or gl.Scores
    measures : the table of `gl.generality`
    model : by default `gl.analysis.fitted(data)`

    Returns
    -------
    `.table` (`ability`, `se`, `capability`, the ablest first; None without a model) and `.sentence`.

    Examples
    --------
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
    name, why = model_words(model, data)
    whole = data.shape[1] == len({*model.responses.columns, *model.constant_items})
    some = "" if whole else f" (of {data.shape[1]}, taken evenly over the order of their means)"
    beside = "" if np.isnan(agree) else f", rank correlation with capability {agree:.2f}"
    sentence = (
        f"A {name} was fitted to {len(varied_items(model))} items that vary{some}; reliability "
        f"{model.reliability:.2f}{beside}. {why}"
    ).strip()
    if len(data.frame) < _FEW_AGENTS:
        rough = "agents the items' parameters are rough: all share one discrimination."
        sentence += f" With {len(data.frame)} {rough}"
    if not model.converged:
        sentence += " The fit did not converge: do not read it."
    return ModelView(table.sort_values("ability", ascending=False, kind="stable"), sentence)


def factor_view(data: Responses | Scores, *, draws: int = 100, seed: SeedLike) -> ModelView:
    """One factor of the families' means, of parcels of items, or of the items: its loadings.

    A correlation matrix of more items than agents is mostly noise, so items are first averaged: by
    family where there are three or more, and otherwise into parcels of like mean difficulty.

    Parameters
    ----------
    data : gl.Responses or gl.Scores
    draws : of the parallel analysis that counts factors
    seed : of these draws

    Returns
    -------
    `.table` (`loading`, `communality`; None if too few agents), `.sentence` and `.factors`, how many stand
    above noise.

    Examples
    --------
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
    table = model.loadings.rename(columns={"factor 1": "loading"}).assign(communality=model.communalities)
    many = {0: "No factor stands", 1: "One factor stands"}.get(above, f"{above} factors stand")
    sentence = (
        f"{many} above noise of the same size (parallel analysis, {draws} draws). One factor of {what} "
        f"carries {model.proportion_of_variance:.0%} of their variance."
    )
    if above > 1 and what.startswith("the ") and _right_or_wrong(units):
        sentence += " Of right-or-wrong items, a factor beyond the first may be one of difficulty only."
    if (table["communality"] > 0.995).any():
        sentence += " One unit has nothing of its own (a Heywood case): the solution is improper."
    if len(units) < _FEW_AGENTS:
        sentence += f" It rests on {len(units)} agents: a rough picture."
    sentence += " A factor belongs to this population of agents, not to an agent."
    return ModelView(table, sentence, above)


def parcels(data: Responses | Scores) -> tuple[pd.DataFrame | None, str]:
    """The table to factor (agents x units), and what its units are; None and the reason if too small."""
    agents = len(data.frame)
    if agents < _FEWEST:
        return None, f"{agents} agents are too few for a factor analysis: it takes at least {_FEWEST}."
    frame = data.frame.rank(pct=True) if isinstance(data, Scores) else data.frame
    varied = frame.loc[:, frame.nunique() > 1]
    items = varied.shape[1]
    family = None if data.family is None else data.family.loc[varied.columns]
    if family is not None and 3 <= family.nunique() < agents:
        return varied.T.groupby(family, sort=False).mean().T, f"the means of {family.nunique()} families"
    if items < 3:
        return None, "Fewer than three items vary: there is nothing to factor."
    most = min(_MOST_UNITS, agents - 1)
    enough = items <= _MOST_ITEMS and agents >= 5 * items
    if items <= most or (enough and not _right_or_wrong(varied)):
        return varied, f"the {items} items that vary"
    count = max(3, min(most, agents // 3))
    by_mean = varied.mean().sort_values(kind="stable").index
    names = pd.Series([f"parcel {k % count + 1}" for k in range(items)], index=by_mean)
    means = varied[by_mean].T.groupby(names, sort=False).mean().T
    return means, f"{count} parcels of items, alike in mean difficulty,"


def _right_or_wrong(frame: pd.DataFrame) -> bool:
    """Whether most items have two values only: they show factors of difficulty then, which parcels do not."""
    return bool((frame.nunique() <= 2).mean() > 0.5)


def person_fit_view(
    data: Responses | Scores, missing: str = "error", model: ItemResponseModel | None = None
) -> ModelView:
    """Guttman errors and norm conformity of every agent, and lz* where a model allows it.

    Parameters
    ----------
    data : gl.Responses or gl.Scores
    missing : "error" or "drop", as in `gl.person_fit`
    model : for lz*, a 2PL model of right-or-wrong responses or a graded model

    Returns
    -------
    `.table` (the strangest agent first; None of raw scores) and `.sentence`.

    Examples
    --------
    >>> from gindex_lab.studies.readers.examples import simulated_runs
    >>> person_fit_view(simulated_runs()).table.index[0]  # the strangest first
    'specialist'
    """
    from gindex_lab.measures.psychometrics.person_fit import person_fit

    choice("missing", missing, ["error", "drop"])
    if isinstance(data, Scores):
        return ModelView(None, f"Person fit was not computed: {_RAW}.")
    try:
        table = person_fit(data, missing=missing, model=None)
    except GIndexLabError as error:
        return ModelView(None, f"No person fit: {error.problem}.")
    if model is not None and (model.model == "graded" or (model.model == "2pl" and not is_graded(data))):
        table["lz_star"] = model.person_fit()["lz_star"]
    shown = ["score", "normalised_guttman_errors", "norm_conformity", "lz_star"]
    table = table[[name for name in shown if name in table]].sort_values("norm_conformity", kind="stable")
    sentence = (
        f"Farthest from solving the easy items before the hard ones is {table.index[0]} (norm conformity "
        f"{table['norm_conformity'].iloc[0]:.2f}; 1 is a perfect order, 0 none, -1 the reverse)."
    )
    return ModelView(table, sentence)
