"""Who is ahead, and of whom can that be said? Pairs of agents in capability and in γ.

Of a few agents every pair is compared; of many only the one in front with each other, which still costs as
many corrections as there are pairs. Agents that met few of the items are not put in order: what an agent did
on 45 of 753 items is not what it would have done on all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gindex_lab.foundation.responses import Responses
from gindex_lab.measures.fit import fit_of
from gindex_lab.measures.pairs import _on_common_items, comparisons, pair_table, tied_places
from gindex_lab.measures.samples import Sample, sample_like
from gindex_lab.studies.analysis.accuracy import verdicts

__all__ = ["Order", "front_of", "order_in", "order_of", "widely_measured"]

# Agents from which only the one in front is compared with the others, so that a report takes seconds; fewer
# where agents met different items, because each pair needs a curve of its own then.
_MANY, _MANY_GAPS = 60, 30
_LEAST_COVERAGE = 0.5  # of the items of the agent that met most: a judgement
_BLOCK = 4_000_000  # cells of a temporary array: 32 MB
_SMALLEST = ("normalised_generality",)  # measures whose other end is in front: the least general


class Order(NamedTuple):
    """One measure: who is in front, and which pairs are separated."""

    apart: pd.DataFrame  # agents x agents, True where a pair is separated
    front: Any  # the agent in front among those that can be put in order
    tied: list[Any]  # those that the data cannot separate from it
    incomparable: list[Any]  # those with too few items in common with it
    groups: list[list[Any]]  # agents that the data cannot separate
    pairs: int  # of all agents
    separated: int | None  # pairs; None where only the agent in front was compared
    reversed: int  # separated pairs that are the other way round in the table, where agents have other items
    unknown: int  # pairs that are not comparable
    alone: int | None = None  # separated from the front if each were the only one tested; None as above


def widely_measured(met: np.ndarray) -> np.ndarray:
    """Which agents met at least half as many items as the agent that met most (A,)."""
    n = met.sum(axis=1)
    return np.asarray(n >= _LEAST_COVERAGE * n.max(initial=0))


def order_of(
    table: pd.DataFrame, measure: str, ranked: Sequence[Any], measured: Responses, resample: str = "items"
) -> Order:
    """Who is in front in one measure, and from whom the data separate that agent.

    The agent in front is the best of those that no other agent is separated from and above, on the items
    that both met.

    Parameters
    ----------
    table : of `gl.generality(measured, ci=...)`
    measure : "capability" or "normalised_generality", of which the least general is in front
    ranked : the agents that can be put in order
    measured : the responses with difficulties
    resample : "items", "families" or "trials", as in the table

    Returns
    -------
    Order: `front`, `tied`, `groups`, `separated` (how many of `pairs`), `apart` (agents x agents) and more.

    Examples
    --------
    >>> from gindex_lab.measures.generality import generality
    >>> level = np.arange(40)
    >>> study = Responses(np.array([level < 30, level < 29, level < 8]) * 1.0, difficulty=level)
    >>> table = generality(study, ci=0.95)
    >>> found = order_of(table, "capability", list(table.index), study)
    >>> found.front, found.tied, found.separated
    ('agent 1', ['agent 2'], 2)
    """
    sample = sample_like(table, measured, resample)
    most = _MANY_GAPS if np.isnan(sample.values).any() else _MANY
    smallest = measure in _SMALLEST
    if len(table) <= most and getattr(table, "fit", None) is not None:
        found = comparisons(table, measure)
    else:
        front = front_of(table[measure], ranked, smallest=smallest)
        found = _against(table, measure, front, sample)
    level = 1 - table.attrs["ci"]
    return order_in(found, table[measure], ranked, smallest=smallest, level=level)


def order_in(
    found: pd.DataFrame,
    values: pd.Series,
    ranked: Sequence[Any],
    *,
    smallest: bool = False,
    level: float = 0.05,
) -> Order:
    """The order of `values` from a table of pairs: `comparisons`, or `score_differences`.

    Pairs that are not in the table, because only one agent was compared with the others, count as not
    separated.
    """
    labels, n = values.index, len(values)
    first, second = (labels.get_indexer(pd.Index(found[side])) for side in "ab")
    verdict, gap = found["verdict"].to_numpy(), found["difference"].to_numpy(dtype=float)
    direct = ~np.isnan(gap)
    if "logits" in found:  # of pairs that only a linked model compares
        gap = np.where(direct, gap, found["logits"].to_numpy(dtype=float))
    sign = -1.0 if smallest else 1.0
    height, gap = sign * values.to_numpy(dtype=float), sign * gap
    separated, unknown = verdict == "separated", verdict == "not comparable"
    ahead, strange = np.zeros((2, n, n), dtype=bool)
    ahead[first, second], ahead[second, first] = separated & (gap > 0), separated & (gap < 0)
    strange[first, second] = strange[second, first] = unknown
    apart = np.zeros((n, n), dtype=bool)
    apart[first, second] = apart[second, first] = separated
    places = labels.get_indexer(pd.Index(ranked))
    unbeaten = places[~ahead[np.ix_(places, places)].any(axis=0)]
    candidates = unbeaten if len(unbeaten) else places
    front = candidates[np.argmax(height[candidates])]
    complete = len(found) == n * (n - 1) // 2
    order = places[np.argsort(-values.to_numpy(dtype=float)[places], kind="stable")]
    groups = tied_places((apart | strange)[np.ix_(order, order)]) if complete else []
    return Order(
        apart=pd.DataFrame(apart, labels, labels),
        front=labels[front],
        tied=[
            labels[k]
            for k in (order[::-1] if smallest else order)
            if k != front and not (apart | strange)[front, k]
        ],
        incomparable=[labels[k] for k in places if strange[front, k]],
        groups=[list(labels[order[group]]) for group in groups],
        pairs=n * (n - 1) // 2,
        separated=int(separated.sum()) if complete else None,
        reversed=int((separated & direct & (gap * (height[first] - height[second]) < 0)).sum()),
        unknown=int(unknown.sum()),
        alone=None if complete else int((found["p_value"].astype(float) <= level).sum()),
    )


def front_of(values: pd.Series, ranked: Sequence[Any], *, smallest: bool = False) -> Any:
    """The agent with the best value among those that can be put in order."""
    some = values.loc[list(ranked)]
    return some.idxmin() if smallest else some.idxmax()


def _against(table: pd.DataFrame, measure: str, front: Any, sample: Sample) -> pd.DataFrame:
    """The agent in front with each other agent, a block at a time; corrected for all pairs there are."""
    at, ci, n = table.index.get_loc(front), table.attrs["ci"], len(table)
    rows = np.delete(np.arange(n), at)
    gaps = bool(np.isnan(sample.values).any())
    size = 1 if gaps else max(1, _BLOCK // sample.units)
    known = None if gaps else getattr(table, "fit", None)
    found = []
    for i in range(0, len(rows), size):
        some = [at, *rows[i : i + size]]
        fit = fit_of(sample.rows(some)) if known is None else known.rows(some)
        place = np.arange(1, len(some))
        both = _on_common_items(fit, measure, ci) if gaps else pair_table(fit, measure, 0 * place, place, ci)
        found.append(both)
    joined = pd.concat(found, ignore_index=True).assign(a=front, b=table.index[rows])
    p = joined["p_value"].astype(float)
    return joined.assign(verdict=verdicts(p, p * (n * (n - 1) // 2), ci))
