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

from gindex_lab.foundation.errors import BadInput, Caution, short
from gindex_lab.foundation.likes import ResponsesLike
from gindex_lab.foundation.validate import FloatArray, integer, numeric_frame
from gindex_lab.measures.psychometrics.irt_models import IntArray
from gindex_lab.measures.psychometrics.irt_settings import check_agents

__all__ = ["Answers", "read_answers", "read_fractions"]

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


def read_answers(
    responses: ResponsesLike,
    categories: int | None,
    least: int = 3,
    labels: Labels | None = None,
) -> Answers:
    """The categories of a table; `labels` are those of a fitted model, for new agents.

    >>> found = read_answers([[0, 1, 0], [1, 0.5, 0.25], [1, 0, 1], [0, 1, 0.5], [0, 1, 0.75]], None)
    >>> found.categories, found.labels["item 2"]
    (array([2, 3, 5]), [0.0, 0.5, 1.0])
    """
    frame = numeric_frame("responses", getattr(responses, "frame", responses))
    if labels is not None:
        return _as_before(_laddered(frame, categories)[0], labels)
    frame, notes = _laddered(frame, categories)
    values = frame.to_numpy()
    known = {
        item: np.unique(column[~np.isnan(column)])
        for item, column in zip(frame, values.T, strict=True)
    }
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
    if constant:
        notes = (*notes, f"all agents answer {short(constant)} alike: left out")
    counts = np.array([len(known[item]) for item in kept], dtype=np.intp)
    if counts.max() > _MOST:
        widest = kept.columns[counts.argmax()]
        problem, remedy = (
            f"[too-many-categories] has {counts.max()} categories",
            f"merge them into {_MOST} or fewer",
        )
        raise BadInput(f"responses[{widest!r}]", int(counts.max()), problem, remedy)
    table = pd.DataFrame(coded, frame.index, kept.columns)
    return Answers(table, counts, {i: known[i].tolist() for i in kept}, constant, notes)


def read_fractions(responses: ResponsesLike) -> Answers:
    """Responses in [0, 1] as they are, for the Beta model."""
    frame = numeric_frame("responses", getattr(responses, "frame", responses))
    values = frame.to_numpy()
    if (values < 0).any() or (values > 1).any():
        worst = float(values.flat[np.nanargmax(np.abs(values - 0.5))])
        problem, remedy = (
            "[out-of-range] does not lie in [0, 1]",
            "divide by the largest possible score",
        )
        raise BadInput("responses", worst, problem, remedy)
    inside = ((values > 0) & (values < 1)).sum(0)
    constant = list(frame.columns[~(frame.max() > frame.min())])
    kept = frame.drop(columns=constant)
    check_answers(kept, frame.shape, 3)
    few = [
        item
        for item, n in zip(frame.columns, inside, strict=True)
        if n < 5 and item not in constant
    ]
    if few:
        problem = (
            f"[too-few-fractions] has {short(few)} with fewer than five "
            "responses strictly between 0 and 1"
        )
        remedy = 'use model="graded" or "2pl" for items of few values'
        raise BadInput("responses", len(few), problem, remedy)
    notes = (f"all agents answer {short(constant)} alike: left out",) if constant else ()
    return Answers(kept, np.full(kept.shape[1], 3, dtype=np.intp), {}, constant, notes)


def check_answers(frame: pd.DataFrame, shape: tuple[int, int], least: int) -> None:
    """Two agents, `least` items that vary, and no agent without an answer."""
    if len(frame) < 2:
        remedy = "measure two or more agents"
        raise BadInput("responses", shape, "[too-few-agents] has one agent only", remedy)
    if frame.shape[1] < least:
        problem = f"[too-few-items] has {frame.shape[1]} items that vary, of {shape[1]}"
        remedy = f"give at least {least} items whose answers differ between agents"
        raise BadInput("responses", frame.shape[1], problem, remedy)
    check_agents(frame)


def _laddered(frame: pd.DataFrame, categories: int | None) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Values whose differences are categories: whole numbers as they are, fractions on their ladder."""
    values = frame.to_numpy()
    most = integer("categories", categories, 2, _MOST) if categories is not None else None
    if np.isnan(values).all():
        raise BadInput("responses", frame.shape, "[empty] has no number", "give answers")
    whole = bool((np.isnan(values) | (values == np.rint(values))).all())
    low, high = np.nanmin(values), np.nanmax(values)
    if low < 0:
        remedy = "number the categories 0, 1, 2, ..."
        raise BadInput("responses", float(low), "[negative-category] is below 0", remedy)
    if whole:
        if most is not None and high > most - 1:
            problem, remedy = (
                f"[too-many-categories] does not fit {most} categories",
                "number them from 0, or raise categories",
            )
            raise BadInput("responses", float(high), problem, remedy)
        return frame, ()
    if high > 1:
        problem = "[not-a-category] is neither a whole number nor, with the others, in [0, 1]"
        odd = float(values[(values != np.rint(values)) & ~np.isnan(values)][0])
        remedy = "give categories 0, 1, 2, ... or responses in [0, 1]"
        raise BadInput("responses", odd, problem, remedy)
    ladders = [_ladder(column[~np.isnan(column)]) for column in values.T]
    if most is None and 0 not in ladders:
        steps = sorted({m for m in ladders if m > 1})
        said = "responses are read as categories: multiples of " + ", ".join(
            f"1/{m}" for m in steps
        )
        rounded = np.round(values * np.array(ladders)) / np.array(ladders)
        return pd.DataFrame(rounded, frame.index, frame.columns), (said,)
    if most is None:
        item = frame.columns[ladders.index(0)]
        problem = f"[no-ladder] has fractions that are not multiples of 1/2 to 1/{_FINEST}"
        remedy = 'use model="beta" for continuous fractions, or say categories=5 to cut them'
        raise BadInput(f"responses[{item!r}]", "continuous", problem, remedy)
    last = most - 1
    if np.allclose(values * last, np.rint(values * last), atol=1e-6, equal_nan=True):
        return pd.DataFrame(np.rint(values * last), frame.index, frame.columns), ()
    cut = np.minimum(np.floor(values * most + 1e-9), last)
    cuts = ", ".join(f"{c / most:.3g}" for c in range(1, most))
    said = f"responses are cut at {cuts} into {most} categories"
    warnings.warn(Caution(f"[cut] {said}"), stacklevel=5)
    return pd.DataFrame(cut, frame.index, frame.columns), (said,)


def _ladder(values: FloatArray) -> int:
    """The least m with every value a multiple of 1/m, or 0 if none up to 12 does."""
    for m in range(1, _FINEST + 1):
        if np.allclose(values * m, np.rint(values * m), atol=1e-6):
            return m
    return 0


def _as_before(frame: pd.DataFrame, labels: Labels) -> Answers:
    """New agents' answers by a fitted model's categories."""
    absent = [item for item in labels if item not in frame]
    if absent:
        problem, remedy = f"[other-items] has no {short(absent)}", "give the items of the model"
        raise BadInput("responses", list(frame.columns[:3]), problem, remedy)
    coded = np.full((len(frame), len(labels)), np.nan)
    for n, (item, known) in enumerate(labels.items()):
        column = frame[item].to_numpy()
        seen = ~np.isnan(column)
        place = (
            np.abs(column[seen, None] - np.array(known)).argmin(1)
            if seen.any()
            else np.zeros(0, int)
        )
        if not np.allclose(np.array(known)[place], column[seen], atol=1e-6):
            problem, remedy = (
                "[new-category] has a category that the model never saw",
                f"use {known}",
            )
            raise BadInput(f"responses[{item!r}]", column[seen].max(), problem, remedy)
        coded[seen, n] = place
    table = pd.DataFrame(coded, frame.index, list(labels))
    check_agents(table)
    return Answers(table, np.array([len(k) for k in labels.values()]), labels, [], ())
