"""Runs: every response with its length, family and weight, ready to be fitted.

A run is one attempt of an agent at an item: a trial where the study keeps trials, a cell otherwise. The
published weights count runs, tasks and families *of this agent* (`specs/horizon.md`, section 2), so an
agent that met fewer tasks has heavier ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import NumbersLike, ResponsesLike
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import FloatArray, choice, numeric_frame, per_item

__all__ = ["WEIGHTS", "Runs", "runs_of"]

IntArray = np.ndarray
WEIGHTS = ("diversity", "equal")
_HEAVIEST = 1e100


@dataclass(frozen=True, eq=False)
class Runs:
    """One entry per run, the runs of an agent one behind the other.

    `item`, `response`, `h` (log2 minutes), `weight`: (n,). The runs of agent j are `start[j]` up to
    `start[j + 1]`. `family` and `length` (log2 minutes) are those of the items.
    """

    agents: pd.Index
    items: pd.Index
    family: IntArray  # (N,) number of the item's family
    families: list[str]  # their names, sorted as text
    length: FloatArray  # (N,) log2 minutes of the items
    start: IntArray  # (A + 1,)
    item: IntArray
    response: FloatArray
    h: FloatArray
    weight: FloatArray
    repeated: bool  # some cell holds several runs
    notes: tuple[str, ...] = ()

    def of(self, agent: int) -> slice:
        """Where the runs of an agent stand."""
        return slice(int(self.start[agent]), int(self.start[agent + 1]))

    @property
    def interval(self) -> tuple[float, float]:
        """The range of the lengths, in log2 minutes."""
        return float(self.length.min()), float(self.length.max())

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
    """The runs of a study with their lengths and weights, checked.

    >>> study = Responses([[1, 1, 0], [1, 0, None]], items=pd.DataFrame(
    ...     {"minutes": [1, 4, 16], "family": list("ffg")}, index=["item 1", "item 2", "item 3"]))
    >>> runs = runs_of(study)
    >>> runs.h.tolist(), runs.weight.round(3).tolist()
    ([0.0, 2.0, 4.0, 0.0, 2.0], [0.293, 0.293, 0.414, 0.5, 0.5])
    """
    choice("missing", missing, ["drop", "error"])
    study = _study(responses)
    long = _long(study, missing)
    items = study.frame.columns
    length, notes = _lengths(study, minutes)
    names, family = _families(study)
    agent = study.frame.index.get_indexer(long["agent"])
    item = items.get_indexer(long["item"])
    order = np.argsort(agent, kind="stable")
    agent, item = agent[order], item[order]
    response = long["response"].to_numpy(dtype=float)[order]
    h = length[item]
    own = long.get("minutes") if minutes is None or isinstance(minutes, str) else None
    if own is not None and study.trials is not None:
        h, notes = _own_lengths(own.to_numpy()[order], h, notes, items[item])
    start = np.searchsorted(agent, np.arange(len(study.frame) + 1))
    _check_agents(study, start)
    weight = _weights(weights, study, long, order, agent, item, family)
    repeated = bool(pd.DataFrame({"a": agent, "i": item}).duplicated().any())
    return Runs(
        *(study.frame.index, items, family, names, length, start),
        *(item, response, h, weight, repeated, notes),
    )


def _study(responses: ResponsesLike) -> Responses:
    if isinstance(responses, Scores):
        problem = "[wrong-type] holds raw scores, and a horizon needs responses between 0 and 1"
        remedy = "turn them into responses first, for instance with scores.to_responses()"
        raise BadInput("responses", responses, problem, remedy)
    study = responses if isinstance(responses, Responses) else Responses(responses)
    if getattr(study, "positions", None) is not None:
        problem = "[wrong-type] holds the curves of a transform, which have no minutes"
        remedy = "pass the responses that you started from"
        raise BadInput("responses", study, problem, remedy)
    return study


def _long(study: Responses, missing: str) -> pd.DataFrame:
    gaps = np.isnan(study.values)
    if missing == "error" and gaps.any():
        row, column = np.argwhere(gaps)[0]
        raise BadInput(
            f"responses[{study.frame.index[row]!r}, {study.frame.columns[column]!r}]",
            np.nan,
            "[missing] is missing",
            "pass missing='drop' to fit each agent on the items that it met",
        )
    if study.trials is None:
        row, column = np.nonzero(~gaps)
        return pd.DataFrame(
            {
                "agent": study.frame.index[row],
                "item": study.frame.columns[column],
                "response": study.values[row, column],
            }
        )
    long = study.trials[
        study.trials["agent"].isin(study.frame.index)
        & study.trials["item"].isin(study.frame.columns)
    ]
    values = numeric_frame("trials", long[["response"]].reset_index(drop=True))["response"]
    bad = (values < 0) | (values > 1)
    if bad.any():
        at = int(bad.argmax())
        cell = tuple(long.iloc[at][["agent", "item"]])
        problem, remedy = "[out-of-range] is not in [0, 1]", "rescale the trials"
        raise BadInput(f"trials{list(cell)}", values[at], problem, remedy)
    long = long.assign(response=values.to_numpy())
    return long[long["response"].notna()].reset_index(drop=True)


def _lengths(study: Responses, minutes: NumbersLike) -> tuple[FloatArray, tuple[str, ...]]:
    """log2 minutes of the items, and where they come from if that must be said."""
    items = study.frame.columns
    if minutes is None and "minutes" not in study.items:
        if study.difficulty is None:
            problem = (
                "[missing] are needed: the items have neither a column 'minutes' nor difficulties"
            )
            remedy = "pass minutes=[...], one human time for each item"
            raise BadInput("minutes", None, problem, remedy)
        length = study.difficulty.to_numpy(dtype=float)
        return _several(length), ("the difficulty is taken as log2 minutes",)
    name = "minutes" if minutes is None else minutes
    if isinstance(name, str):
        if name not in study.items:
            problem = "[missing-column] is not a column of the items"
            remedy = f"use one of {list(study.items.columns)}, or pass the numbers"
            raise BadInput("minutes", name, problem, remedy)
        name = study.items[name]
    found = per_item("minutes", name, items)
    if (found <= 0).any():
        at = int((found <= 0).argmax())
        problem = "[out-of-range] is not a positive length"
        remedy = "give the item its human time in minutes, or leave it out"
        raise BadInput(f"minutes[{items[at]!r}]", found[at], problem, remedy)
    return _several(np.log2(found)), ()


def _several(length: FloatArray) -> FloatArray:
    if len(np.unique(length)) < 2:
        problem = "[one-length] is the only length, and one length makes no curve"
        remedy = "use items of at least two lengths"
        raise BadInput("minutes", float(f"{2 ** length[0]:.6g}"), problem, remedy)
    return length


def _own_lengths(
    own: np.ndarray, h: FloatArray, notes: tuple[str, ...], items: pd.Index
) -> tuple[FloatArray, tuple[str, ...]]:
    """Some runs were timed on their own (`trials["minutes"]`): they count with that length."""
    minutes = per_item("trials['minutes']", own.tolist(), pd.RangeIndex(len(own)))
    if (minutes <= 0).any():
        at = int((minutes <= 0).argmax())
        problem = "[out-of-range] is not a positive length"
        remedy = "give the run a human time in minutes"
        raise BadInput(f"trials['minutes'] of {items[at]!r}", minutes[at], problem, remedy)
    different = int((np.abs(np.log2(minutes) - h) > 1e-12).sum())
    said = (f"{different} runs have minutes of their own",) if different else ()
    return np.log2(minutes), notes + said


def _families(study: Responses) -> tuple[list[str], IntArray]:
    """Names sorted as text, and each item's number among them; without families, one per item."""
    if study.family is None:
        return [], np.full(study.shape[1], -1)
    if study.family.isna().any():
        item = study.family.index[study.family.isna()][0]
        problem, remedy = "[missing] is an item without a family", "give it one, or drop the column"
        raise BadInput("items['family']", item, problem, remedy)
    text = study.family.map(str)
    names = sorted(set(text))
    number = {name: k for k, name in enumerate(names)}
    return names, text.map(number).to_numpy(dtype=int)


def _check_agents(study: Responses, start: IntArray) -> None:
    empty = np.flatnonzero(np.diff(start) == 0)
    if len(empty):
        problem = "[empty] is an agent without a single response"
        remedy = "leave it out with responses.select(agents=...)"
        raise BadInput("responses", study.frame.index[empty[0]], problem, remedy)


def _weights(
    weights: NumbersLike,
    study: Responses,
    long: pd.DataFrame,
    order: IntArray,
    agent: IntArray,
    item: IntArray,
    family: IntArray,
) -> FloatArray:
    """One weight per run: a published rule, scaled to sum 1 per agent, or numbers as they are."""
    if weights is None:
        return 1 / np.bincount(agent)[agent]
    if isinstance(weights, str) and weights in WEIGHTS:
        return _published(weights, agent, item, family)
    found = _given(weights, study, long, order, item)
    if (found < 0).any():
        at = int((found < 0).argmax())
        remedy = "pass weights of 0 or more, or weights='equal'"
        raise BadInput("weights", found[at], "[out-of-range] is negative", remedy)
    total = np.bincount(agent, found, minlength=len(study.frame))
    if total.max() > _HEAVIEST:
        problem = "[too-large] add up to more than a float can hold"
        remedy = "divide them by their sum"
        raise BadInput("weights", float(total.max()), problem, remedy)
    if (total <= 0).any():
        name = study.frame.index[int((total <= 0).argmax())]
        problem = "[out-of-range] is an agent whose weights are all 0"
        raise BadInput("weights", name, problem, "leave it out")
    return found


def _given(
    weights: NumbersLike, study: Responses, long: pd.DataFrame, order: IntArray, item: IntArray
) -> FloatArray:
    """Numbers per item, per run, or the name of a column of the items or trials; not rescaled."""
    if isinstance(weights, str):
        if weights in study.items:
            return per_item("weights", study.items[weights], study.frame.columns)[item]
        if study.trials is not None and weights in long:
            values: Any = long[weights].tolist()
            return per_item("weights", values, pd.RangeIndex(len(long)))[order]
        problem = "[not-an-option] is neither a rule nor a column of the items or trials"
        remedy = "use 'diversity', 'equal', None or numbers"
        raise BadInput("weights", weights, problem, remedy)
    if study.trials is not None and np.ndim(weights) == 1 and np.size(weights) == len(long):
        return per_item("weights", weights, pd.RangeIndex(len(long)))[order]
    return per_item("weights", weights, study.frame.columns)[item]


def _published(rule: str, agent: IntArray, item: IntArray, family: IntArray) -> FloatArray:
    """equal = 1/(runs on the task); diversity = equal/√(tasks of the family met); sum 1 (section 2)."""
    cells = pd.DataFrame({"agent": agent, "item": item})
    weight = 1 / cells.groupby(["agent", "item"])["item"].transform("size").to_numpy(dtype=float)
    if rule == "diversity" and (family >= 0).all():
        cells["family"] = family[item]
        tasks = cells.groupby(["agent", "family"])["item"].transform("nunique")
        weight = weight / np.sqrt(tasks.to_numpy(dtype=float))
    return weight / np.bincount(agent, weight)[agent]
