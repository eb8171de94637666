"""Which category is each answer? Whole numbers and fractions of a ladder, never cut in silence.

A table of whole numbers 0, 1, 2, ... is taken as it is. Responses in [0, 1] are categories where those of
every item are multiples of 1/m (thirds, quarters, ... up to twelfths). Fractions without such a ladder are
cut only if the caller says into how many categories, and then the cuts are announced.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import Caution, ensure, short
from gindex_lab.foundation.likes import ResponsesLike
from gindex_lab.foundation.validate import FloatArray, integer, numeric_frame
from gindex_lab.measures.psychometrics.irt_models import IntArray, ItemModel, model_of
from gindex_lab.measures.psychometrics.irt_plan import PatternTable
from gindex_lab.measures.psychometrics.irt_settings import check_agents

__all__ = ["Answers", "read_again", "read_answers", "read_fractions", "tabulated"]

_FINEST = 12  # the finest ladder, in steps from 0 to 1
_MOST = 20  # categories of an item


Labels = dict[object, list[float]]  # what each category of an item stands for


class Answers(NamedTuple):
    """The answers to the items that vary, as category numbers or fractions, and how they were read."""

    frame: pd.DataFrame  # agents x items, NaN where missing
    categories: IntArray  # of each item
    labels: Labels  # what each category number of an item stands for
    constant: list[object]  # items left out because all agents answer alike
    notes: tuple[str, ...]
    cuts: int = 0  # into how many categories responses in [0, 1] were cut; 0: they were not


def read_answers(responses: ResponsesLike, categories: int | None, least: int = 3) -> Answers:
    """The categories of a table.

    >>> found = read_answers([[0, 1, 0], [1, 0.5, 0.25], [1, 0, 1], [0, 1, 0.5], [0, 1, 0.75]], None)
    >>> found.categories, found.labels["item 2"]
    (array([2, 3, 5]), [0.0, 0.5, 1.0])
    """
    given = numeric_frame("responses", getattr(responses, "frame", responses))
    frame, notes, cuts = _laddered(given, categories)
    values = frame.to_numpy()
    known = {item: np.unique(column[~np.isnan(column)]) for item, column in zip(frame, values.T, strict=True)}
    constant = [item for item, seen in known.items() if len(seen) < 2]
    kept = frame.drop(columns=constant)
    check_answers(kept, frame.shape, least)
    coded = np.full(kept.shape, np.nan)
    gaps, lowest = [], np.nanmin(values)
    whole = bool((np.isnan(values) | (values == np.rint(values))).all())
    for n, item in enumerate(kept):
        column = kept[item].to_numpy()
        seen = ~np.isnan(column)
        coded[seen, n] = np.searchsorted(known[item], column[seen])
        steps = np.diff(known[item])
        unit = 1.0 if whole else steps.min()
        gaps += [item] if steps.max() > 1.5 * unit or known[item][0] > lowest else []
    if gaps:
        said = f"nobody is in some category of {short(gaps)}: the categories seen are numbered 0, 1, ..."
        warnings.warn(Caution(f"[unused-category] {said}"), stacklevel=4)
        notes = (*notes, said)
    notes = (*notes, *_alike(constant))
    counts = np.array([len(known[item]) for item in kept], dtype=np.intp)
    widest, most = kept.columns[counts.argmax()], int(counts.max())
    problem, remedy = f"[too-many-categories] has {most} categories", f"merge them into {_MOST} or fewer"
    ensure(most <= _MOST, f"responses[{widest!r}]", most, problem, remedy)
    table = pd.DataFrame(coded, frame.index, kept.columns)
    return Answers(table, counts, {i: known[i].tolist() for i in kept}, constant, notes, cuts)


def _alike(constant: list[object]) -> tuple[str, ...]:
    return (f"all agents answer {short(constant)} alike: left out",) if constant else ()


def read_fractions(responses: ResponsesLike) -> Answers:
    """Responses in [0, 1] as they are, for the Beta model."""
    frame = numeric_frame("responses", getattr(responses, "frame", responses))
    values = frame.to_numpy()
    outside = (values < 0).any() or (values > 1).any()
    worst = float(values.flat[np.nanargmax(np.abs(values - 0.5))]) if outside else 0.5
    problem, remedy = "[out-of-range] does not lie in [0, 1]", "divide by the largest possible score"
    ensure(not outside, "responses", worst, problem, remedy)
    inside = pd.Series(((values > 0) & (values < 1)).sum(0), frame.columns)
    constant = list(frame.columns[~(frame.max() > frame.min())])
    kept = frame.drop(columns=constant)
    check_answers(kept, frame.shape, 3)
    few = list(kept.columns[inside[kept.columns] < 5])
    problem = f"[too-few-fractions] has {short(few)} with fewer than five responses strictly between 0 and 1"
    ensure(not few, "responses", len(few), problem, 'use model="graded" or "2pl" for items of few values')
    return Answers(kept, np.full(kept.shape[1], 3, dtype=np.intp), {}, constant, _alike(constant))


def check_answers(frame: pd.DataFrame, shape: tuple[int, int], least: int) -> None:
    """Two agents, `least` items that vary, and no agent without an answer."""
    remedy = "measure two or more agents"
    ensure(len(frame) > 1, "responses", shape, "[too-few-agents] has one agent only", remedy)
    items = frame.shape[1]
    problem = f"[too-few-items] has {items} items that vary, of {shape[1]}"
    remedy = f"give at least {least} items whose answers differ between agents"
    ensure(items >= least, "responses", items, problem, remedy)
    check_agents(frame)


def _laddered(frame: pd.DataFrame, categories: int | None) -> tuple[pd.DataFrame, tuple[str, ...], int]:
    """Values whose differences are categories: whole numbers as they are, fractions on their ladder or cut;
    what was done, and into how many categories fractions were cut."""
    values = frame.to_numpy()
    most = integer("categories", categories, 2, _MOST) if categories is not None else None
    ensure(not np.isnan(values).all(), "responses", frame.shape, "[empty] has no number", "give answers")
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    ensure(low >= 0, "responses", low, "[negative-category] is below 0", "number the categories 0, 1, 2, ...")
    broken = values[(values != np.rint(values)) & ~np.isnan(values)]
    if not len(broken):
        problem = f"[too-many-categories] does not fit {most} categories"
        remedy = "number them from 0, or raise categories"
        ensure(most is None or high < most, "responses", high, problem, remedy)
        return frame, (), 0
    problem = "[not-a-category] is neither a whole number nor, with the others, in [0, 1]"
    remedy = "give categories 0, 1, 2, ... or responses in [0, 1]"
    ensure(high <= 1, "responses", float(broken[0]), problem, remedy)
    if most is not None:
        cut, laddered = _cut(values, most)
        told: tuple[str, ...] = ()
        if not laddered:
            places = ", ".join(f"{c / most:.3g}" for c in range(1, most))
            told = (f"responses are cut at {places} into {most} categories",)
            warnings.warn(Caution(f"[cut] {told[0]}"), stacklevel=5)
        return pd.DataFrame(cut, frame.index, frame.columns), told, most
    ladders = np.array([_ladder(column[~np.isnan(column)]) for column in values.T])
    item = frame.columns[ladders.argmin()]
    problem = f"[no-ladder] has fractions that are not multiples of 1/2 to 1/{_FINEST}"
    remedy = 'use model="beta" for continuous fractions, or say categories=5 to cut them'
    ensure(ladders.min() > 0, f"responses[{item!r}]", "continuous", problem, remedy)
    steps = ", ".join(f"1/{m}" for m in np.unique(ladders[ladders > 1]))
    rounded = pd.DataFrame(np.round(values * ladders) / ladders, frame.index, frame.columns)
    return rounded, (f"responses are read as categories: multiples of {steps}",), 0


def _cut(values: FloatArray, most: int) -> tuple[FloatArray, bool]:
    """Fractions as 0, 1, ..., `most` - 1: by their steps if all are on that ladder (and True), else cut."""
    last = most - 1
    if np.allclose(values * last, np.rint(values * last), atol=1e-6, equal_nan=True):
        return np.rint(values * last), True
    return np.minimum(np.floor(values * most + 1e-9), last), False


def _ladder(values: FloatArray) -> int:
    """The least m with every value a multiple of 1/m, or 0 if none up to 12 does."""
    for m in range(1, _FINEST + 1):
        if np.allclose(values * m, np.rint(values * m), atol=1e-6):
            return m
    return 0


def read_again(responses: ResponsesLike, known: Answers) -> Answers:
    """New agents' answers by a fitted model's categories."""
    frame = numeric_frame("responses", getattr(responses, "frame", responses))
    items = list(known.labels)
    absent = [item for item in items if item not in frame]
    problem = f"[other-items] has no {short(absent)}"
    ensure(not absent, "responses", list(frame.columns[:3]), problem, "give the items of the model")
    table = frame[items]
    if known.cuts:
        table = pd.DataFrame(_cut(table.to_numpy(), known.cuts)[0], frame.index, items)
    coded = np.full(table.shape, np.nan)
    for n, (item, labels) in enumerate(known.labels.items()):
        column, levels = table[item].to_numpy(), np.array(labels)
        seen = ~np.isnan(column)
        place = np.abs(column[seen, None] - levels).argmin(1)
        new = column[seen][~np.isclose(levels[place], column[seen], atol=1e-6)]
        problem = "[new-category] has a category that the model never saw"
        ensure(not len(new), f"responses[{item!r}]", new.max(initial=0.0), problem, f"use {labels}")
        coded[seen, n] = place
    table = pd.DataFrame(coded, frame.index, items)
    check_agents(table)
    return known._replace(frame=table, constant=[], notes=())


def tabulated(answers: Answers, name: str) -> tuple[PatternTable, ItemModel]:
    """The engine's table and the model of its items."""
    values = answers.frame.to_numpy()
    if name != "beta":
        kind = model_of(name, answers.categories)
        return PatternTable.of_categories(values, kind.columns), kind
    zero, one = values == 0, values == 1
    inside = ~(zero | one | np.isnan(values))
    safe = np.where(inside, values, 0.5)
    logs = [np.where(inside, np.log(safe), 0.0), np.where(inside, np.log1p(-safe), 0.0)]
    weights = np.stack([zero, inside, one, *logs], axis=2).astype(float)
    ends = np.column_stack([zero.any(0), one.any(0)])
    return PatternTable.of(weights), model_of(name, answers.categories, ends)
