"""Runs: every response with its length, family and weight, ready to be fitted.

A run is one attempt of an agent at an item: a trial where the study keeps trials, a cell otherwise. The
published weights count runs, tasks and families *of this agent* (`specs/horizon.md`, section 2), so an agent
that met fewer tasks has heavier ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import NumbersLike, ResponsesLike
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import FloatArray, numeric_frame, per_item, refuse

__all__ = ["WEIGHTS", "Runs", "runs_of"]

WEIGHTS = ("diversity", "equal")
_HEAVIEST = 1e100  # sum of an agent's weights: its square still fits into a float


@dataclass(frozen=True, eq=False)
class Runs:
    """One entry per run, those of an agent one after the other: agent j has `start[j]` up to `start[j + 1]`.

    `item`, `response`, `h` (log2 minutes), `weight`: (n,). `family` and `length` (log2 minutes) are those of
    the items.
    """

    agents: pd.Index
    items: pd.Index
    family: np.ndarray  # (N,) number of the item's family; -1 without families
    families: list[str]  # their names, sorted as text
    length: FloatArray  # (N,) log2 minutes of the items
    start: np.ndarray  # (A + 1,)
    item: np.ndarray
    response: FloatArray
    h: FloatArray
    weight: FloatArray
    repeated: bool  # some cell holds several runs
    notes: tuple[str, ...] = ()

    def of(self, agent: int) -> slice:
        """Where the runs of an agent are."""
        return slice(int(self.start[agent]), int(self.start[agent + 1]))

    def data(self, agent: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Length, response and weight of the runs of an agent."""
        at = self.of(agent)
        return self.h[at], self.response[at], self.weight[at]

    @property
    def interval(self) -> tuple[float, float]:
        """The range of the lengths, in log2 minutes."""
        return float(self.length.min()), float(self.length.max())

    def clusters(self, items: np.ndarray, resample: str) -> np.ndarray:
        """What is redrawn, as a number for each of these items: families if there are several, else items."""
        family = self.family[items]
        several = resample == "families" and len(np.unique(family)) > 1
        return np.asarray(np.unique(family if several else items, return_inverse=True)[1])

    def missed_families(self, agent: int) -> list[str]:
        """Families that other agents met and this one did not."""
        met = np.unique(self.family[self.item[self.of(agent)]])
        return [self.families[k] for k in np.setdiff1d(np.unique(self.family[self.item]), met)]


def runs_of(
    responses: ResponsesLike,
    minutes: NumbersLike = None,
    weights: NumbersLike = "diversity",
    missing: str = "drop",
) -> Runs:
    """The runs of a study with their lengths and weights, checked."""
    study = _study(responses)
    agents, items = study.frame.index, study.frame.columns
    long = _long(study, missing)
    agent, item = long["agent"].to_numpy(), long["item"].to_numpy()
    length, notes = _lengths(study, minutes)
    names, family = _families(study)
    h = length[item]
    if "minutes" in long and (minutes is None or isinstance(minutes, str)):  # timed on their own
        own = per_item("trials['minutes']", long["minutes"].tolist(), long.index)
        own = _log2("trials['minutes']", own, items[item])
        different = int((np.abs(own - h) > 1e-12).sum())
        h, notes = own, notes + ((f"{different} runs have minutes of their own",) if different else ())
    start = np.searchsorted(agent, np.arange(len(agents) + 1))
    empty = agents[np.diff(start) == 0]
    if len(empty):
        remedy = "leave it out with responses.select(agents=...)"
        raise BadInput("responses", empty[0], "[empty] is an agent without a single response", remedy)
    weight = _weights(weights, study, long, family)
    repeated = bool(long.duplicated(["agent", "item"]).any())
    response = long["response"].to_numpy(dtype=float)
    return Runs(agents, items, family, names, length, start, item, response, h, weight, repeated, notes)


def _study(responses: ResponsesLike) -> Responses:
    problem = "[wrong-type] holds raw scores, and a horizon needs responses between 0 and 1"
    remedy = "turn them into responses first, for instance with scores.to_responses()"
    ensure(not isinstance(responses, Scores), "responses", responses, problem, remedy)
    study = responses if isinstance(responses, Responses) else Responses(responses)
    problem = "[wrong-type] holds the curves of a transform, which have no minutes"
    remedy = "pass the responses that you started from"
    ensure(getattr(study, "positions", None) is None, "responses", study, problem, remedy)
    return study


def _long(study: Responses, missing: str) -> pd.DataFrame:
    """One row per run, agents and items as numbers, sorted by agent; the index is the order as given."""
    agents, items, gaps = study.frame.index, study.frame.columns, np.isnan(study.values)
    if missing == "error":
        remedy = "pass missing='drop' to fit each agent on the items that it met"
        refuse("responses", study.frame, gaps, "[missing] is missing", remedy)
    if study.trials is None:
        agent, item = np.nonzero(~gaps)
        return pd.DataFrame({"agent": agent, "item": item, "response": study.values[agent, item]})
    inside = study.trials["agent"].isin(agents) & study.trials["item"].isin(items)
    long = study.trials[inside].reset_index(drop=True)
    values = numeric_frame("trials", long[["response"]])["response"]
    bad = (values < 0) | (values > 1)
    if bad.any():
        cell, value = list(long.loc[bad.idxmax(), ["agent", "item"]]), values[bad.idxmax()]
        raise BadInput(f"trials{cell}", value, "[out-of-range] is not in [0, 1]", "rescale the trials")
    codes = {"agent": agents.get_indexer(long["agent"]), "item": items.get_indexer(long["item"])}
    long = long.assign(response=values, **codes)
    return long[values.notna()].reset_index(drop=True).sort_values("agent", kind="stable")


def _lengths(study: Responses, minutes: NumbersLike) -> tuple[FloatArray, tuple[str, ...]]:
    """log2 minutes of the items, and where they come from if that must be said."""
    notes: tuple[str, ...] = ()
    if minutes is None and "minutes" not in study.items:
        if study.difficulty is None:
            problem = "[missing] are needed: the items have neither a column 'minutes' nor difficulties"
            raise BadInput("minutes", None, problem, "pass minutes=[...], one human time for each item")
        length, notes = study.difficulty.to_numpy(dtype=float), ("the difficulty is taken as log2 minutes",)
    else:
        name = "minutes" if minutes is None else minutes
        if isinstance(name, str):
            problem = "[missing-column] is not a column of the items"
            remedy = f"use one of {list(study.items)}, or pass the numbers"
            ensure(name in study.items, "minutes", name, problem, remedy)
            name = study.items[name]
        length = _log2("minutes", per_item("minutes", name, study.frame.columns), study.frame.columns)
    if len(np.unique(length)) < 2:
        problem = "[one-length] is the only length, and one length makes no curve"
        only = float(f"{2 ** length[0]:.6g}")
        raise BadInput("minutes", only, problem, "use items of at least two lengths")
    return length, notes


def _log2(name: str, minutes: FloatArray, items: pd.Index) -> FloatArray:
    problem, remedy = "[out-of-range] is not a positive length", "give minutes, or leave the item out"
    refuse(name, pd.Series(minutes, items), minutes <= 0, problem, remedy)
    return np.log2(minutes)


def _families(study: Responses) -> tuple[list[str], np.ndarray]:
    """Names sorted as text, and each item's number among them; no names, and -1, without families."""
    if study.family is None:
        return [], np.full(study.shape[1], -1)
    if study.family.isna().any():
        item, problem = study.family.index[study.family.isna()][0], "[missing] is an item without a family"
        raise BadInput("items['family']", item, problem, "give it one, or drop the column")
    names, family = np.unique(study.family.map(str).to_numpy(dtype=str), return_inverse=True)
    return names.tolist(), family


def _weights(weights: NumbersLike, study: Responses, long: pd.DataFrame, family: np.ndarray) -> FloatArray:
    """One weight per run: a published rule, scaled to sum 1 per agent, or numbers as they are."""
    agent = long["agent"].to_numpy()
    if weights is None:
        return 1 / np.bincount(agent)[agent]
    if isinstance(weights, str) and weights in WEIGHTS:
        return _published(weights, long, family)
    found = _given(weights, study, long)
    total = np.bincount(agent, found, minlength=len(study.frame))
    for wrong, value, problem, remedy in (
        (found < 0, found, "[out-of-range] is negative", "pass weights of 0 or more, or weights='equal'"),
        (total > _HEAVIEST, total, "[too-large] is a sum beyond what a float can hold", "divide by the sum"),
        (total <= 0, study.frame.index, "[out-of-range] is an agent whose weights are all 0", "leave it out"),
    ):
        if wrong.any():
            raise BadInput("weights", value[int(wrong.argmax())], problem, remedy)
    return found


def _given(weights: NumbersLike, study: Responses, long: pd.DataFrame) -> FloatArray:
    """Numbers per item, per run, or the name of a column of the items or trials; not rescaled."""
    by_run = study.trials is not None and np.ndim(weights) == 1 and np.size(weights) == len(long)
    if isinstance(weights, str):
        problem = "[not-an-option] is neither a rule nor a column of the items or trials"
        known = weights in study.items or (study.trials is not None and weights in long)
        ensure(known, "weights", weights, problem, "use 'diversity', 'equal', None or numbers")
        by_run = weights not in study.items
        weights = long[weights].sort_index() if by_run else study.items[weights]
    if by_run:
        return per_item("weights", np.asarray(weights), pd.RangeIndex(len(long)))[long.index]
    return per_item("weights", weights, study.frame.columns)[long["item"]]


def _published(rule: str, long: pd.DataFrame, family: np.ndarray) -> FloatArray:
    """equal = 1/(runs on the task); diversity = equal/√(tasks of the family met); sum 1 (section 2)."""
    weight = 1 / long.groupby(["agent", "item"])["item"].transform("size").to_numpy(dtype=float)
    if rule == "diversity" and (family >= 0).all():
        cells = pd.DataFrame({"agent": long["agent"], "item": long["item"], "family": family[long["item"]]})
        tasks = cells.groupby(["agent", "family"])["item"].transform("nunique")
        weight = weight / np.sqrt(tasks.to_numpy(dtype=float))
    return weight / np.bincount(long["agent"], weight)[long["agent"]]
