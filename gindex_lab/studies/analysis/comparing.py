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

__all__ = ["MANY", "Order", "front_of", "order_in", "order_of", "widely_measured"]

MANY = 60  # agents from which only those in front are compared with the others
MANY_GAPS = 30  # the same where agents met different items: each pair needs a curve of its own
_LEAST_COVERAGE = 0.5  # of the items of the agent that met most
_BLOCK = 4_000_000  # cells of a temporary array
_SMALLEST = ("normalised_generality",)  # measures whose other end is in front: the least general


class Order(NamedTuple):
    """One measure: who is in front, and which pairs are separated.

    `apart` is True, agents x agents, where a pair is separated; `front` the agent in front among those that
    can be put in order; `tied` those that the data cannot separate from it; `incomparable` those with too
    few common items; `pairs` and `separated` count, `separated` is None where only the front was compared;
    `reversed` counts separated pairs that stand the other way round than the agents' own values, which are
    of different items; `unknown` the pairs that are not comparable; `alone` how many would be separated from
    the agent in front if each were the only one tested, where only the front was compared.
    """

    apart: pd.DataFrame
    front: Any
    tied: list[Any]
    incomparable: list[Any]
    groups: list[list[Any]]
    pairs: int
    separated: int | None
    reversed: int
    unknown: int
    alone: int | None = None


def widely_measured(met: np.ndarray) -> np.ndarray:
    """Which agents met at least half as many items as the agent that met most (A,).

    >>> widely_measured(np.array([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 0, 0]], dtype=bool)).tolist()
    [True, True, False]
    """
    n = met.sum(axis=1)
    return np.asarray(n >= _LEAST_COVERAGE * n.max(initial=0))


def order_of(
    table: pd.DataFrame,
    measure: str,
    ranked: Sequence[Any],
    measured: Responses,
    resample: str = "items",
) -> Order:
    """The order of a table of `gl.generality(measured, ci=...)`, of the agents in `ranked`.

    The agent in front is the best of those that no other agent is separated from and above, on the items
    that both met.

    >>> from gindex_lab.measures.generality import generality
    >>> level = np.arange(40)
    >>> study = Responses(np.array([level < 30, level < 29, level < 8]) * 1.0, difficulty=level)
    >>> table = generality(study, ci=0.95)
    >>> found = order_of(table, "capability", list(table.index), study)
    >>> found.front, found.tied, found.separated
    ('agent 1', ['agent 2'], 2)
    """
    sample = sample_like(table, measured, resample)
    most = MANY_GAPS if np.isnan(sample.values).any() else MANY
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

    Pairs that are not in the table (because only one agent was compared with the others) count as not
    separated, and `separated` is then None.
    """
    labels, n = values.index, len(values)
    first, second = (labels.get_indexer(pd.Index(found[side])) for side in "ab")
    verdict, gap = found["verdict"].to_numpy(), found["difference"].to_numpy(dtype=float)
    if "logits" in found:  # of pairs that only a linked model compares
        gap = np.where(np.isnan(gap), found["logits"].to_numpy(dtype=float), gap)
    sign = -1.0 if smallest else 1.0
    height = sign * values.to_numpy(dtype=float)
    separated = verdict == "separated"
    apart = _square(n, first, second, separated)
    strange = _square(n, first, second, verdict == "not comparable")
    ahead = np.zeros((n, n), dtype=bool)
    ahead[first, second] = separated & (sign * gap > 0)
    ahead[second, first] = separated & (sign * gap < 0)
    direct = ~np.isnan(found["difference"].to_numpy(dtype=float))
    turned = separated & direct & (sign * gap * (height[first] - height[second]) < 0)
    places = labels.get_indexer(pd.Index(ranked))
    unbeaten = places[~ahead[np.ix_(places, places)].any(axis=0)]
    open_ = unbeaten if len(unbeaten) else places
    front = open_[np.argmax(height[open_])]
    complete = len(found) == n * (n - 1) // 2
    order = places[np.argsort(-values.to_numpy(dtype=float)[places], kind="stable")]
    nearest = order[::-1] if smallest else order
    groups = tied_places((apart | strange)[np.ix_(order, order)]) if complete else []
    return Order(
        pd.DataFrame(apart, labels, labels),
        labels[front],
        [labels[k] for k in nearest if k != front and not (apart | strange)[front, k]],
        [labels[k] for k in places if strange[front, k]],
        [list(labels[order[group]]) for group in groups],
        n * (n - 1) // 2,
        int(separated.sum()) if complete else None,
        int(turned.sum()),
        int((verdict == "not comparable").sum()),
        None if complete else int((found["p_value"].astype(float) <= level).sum()),
    )


def front_of(values: pd.Series, ranked: Sequence[Any], *, smallest: bool = False) -> Any:
    """The agent with the best value among those that can be put in order."""
    some = values.loc[list(ranked)]
    return some.idxmin() if smallest else some.idxmax()


def _square(n: int, first: np.ndarray, second: np.ndarray, flags: np.ndarray) -> np.ndarray:
    found = np.zeros((n, n), dtype=bool)
    found[first, second] = found[second, first] = flags
    return found


def _against(table: pd.DataFrame, measure: str, front: Any, sample: Sample) -> pd.DataFrame:
    """The agent in front with each other agent, a block at a time; corrected for all pairs there are."""
    at, ci, n = table.index.get_loc(front), table.attrs["ci"], len(table)
    rows = np.flatnonzero(np.arange(n) != at)
    gaps = bool(np.isnan(sample.values).any())
    size = 1 if gaps else max(1, _BLOCK // sample.units)
    known = None if gaps else getattr(table, "fit", None)
    found = []
    for i in range(0, len(rows), size):
        some = [at, *rows[i : i + size]]
        fit = fit_of(sample.rows(some)) if known is None else known.rows(some)
        place = np.arange(1, len(fit.agents))
        found.append(
            _on_common_items(fit, measure, ci)
            if gaps
            else pair_table(fit, measure, np.zeros_like(place), place, ci)
        )
    joined = pd.concat(found, ignore_index=True).assign(a=front, b=table.index[rows])
    p = joined["p_value"].astype(float)
    joined["verdict"] = np.select(
        [p.isna(), p * (n * (n - 1) // 2) <= 1 - ci],
        ["not comparable", "separated"],
        "not separated",
    )
    return joined
