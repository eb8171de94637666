"""What it takes to set a study beside another: ranks without ties, tipping points, groups.

The papers' tables list the three best classifiers, one name for all that tie; `mean_gaps` says whether a
difference between two groups is more than chance. What was printed is read by `case_studies`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import generator, integer

__all__ = [
    "best_distinct",
    "group_means",
    "item_column",
    "mean_gaps",
    "tipping_point",
]


def best_distinct(
    table: pd.DataFrame, names: pd.Series, by: str, n: int = 3, largest: bool = True
) -> pd.DataFrame:
    """The n best rows by a measure, one row for all that tie in capability and spread.

    The first in the order of the table lends its name (as in Tables S4 to S7); `tied` counts the
    rows, `also` lists the other names.

    >>> table = pd.DataFrame({"capability": [1.0, 3, 3, 2], "spread": [0.4, 0.5, 0.5, 0.2]})
    >>> best_distinct(table, pd.Series(list("abcd")), "capability", n=2)[["name", "tied", "also"]]
      name  tied also
    1    b     2    c
    3    d     1
    """
    kept = table[["capability", "spread"]].round(9)  # what differs in the last digits is equal
    if by not in kept:
        problem = "[not-an-order] is not a column that the tables are ordered by"
        raise BadInput("by", by, problem, "use capability or spread")
    ordered = table.loc[kept.sort_values(by, ascending=not largest, kind="stable").index]
    key = [tuple(kept.loc[row]) for row in ordered.index]
    rows = []
    for point in list(dict.fromkeys(key))[: integer("n", n)]:
        same = [row for row, k in zip(ordered.index, key, strict=True) if k == point]
        others = dict.fromkeys(str(names[row]) for row in same[1:] if names[row] != names[same[0]])
        found = {"name": str(names[same[0]]), "tied": len(same), "also": ", ".join(others)}
        rows.append(pd.Series(found | table.loc[same[0]].to_dict(), name=same[0]))
    return pd.DataFrame(rows)


def tipping_point(curve: pd.DataFrame) -> float:
    """The last difficulty before a curve first falls below ½: up to here success is the rule (Fig. S17).

    >>> tipping_point(pd.DataFrame({"difficulty": [1, 3, 4, 5], "response": [1, 0.99, 0.9, 0.3]}))
    4.0
    """
    ordered = curve.sort_values("difficulty")
    holds = (ordered["response"] >= 0.5).cummin()
    if not holds.any():
        remedy = "use an agent that solves the easiest items"
        raise BadInput("curve", ordered["response"].iloc[0], "[below-half] starts below ½", remedy)
    return float(ordered["difficulty"][holds].iloc[-1])


def group_means(table: pd.DataFrame, agents: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Mean capability, spread and γ of each group, its size, and how far it is from everyone's mean.

    `distance` is in the plane of capability and spread; by chance alone it shrinks with √size.

    >>> table = pd.DataFrame({"capability": [1.0, 3], "spread": [1.0, 1], "normalised_generality": 0.5})
    >>> group_means(table, pd.DataFrame({"sex": ["f", "m"]}), ["sex"])["distance"].tolist()
    [1.0, 1.0]
    """
    absent = [name for name in columns if name not in agents]
    if absent:
        raise BadInput(
            "columns", absent[0], "[no-column] is not a column of the agents", f"use {list(agents)}"
        )
    measures = table[["capability", "spread", "normalised_generality"]]
    rows = {}
    for column in columns:
        for name, part in measures.groupby(agents.loc[table.index, column], sort=True):
            rows[column, str(name)] = {"agents": len(part)} | part.mean().to_dict()
    found = pd.DataFrame.from_dict(rows, orient="index").rename_axis(["by", "group"])
    offset = found[["capability", "spread"]] - measures[["capability", "spread"]].mean()
    found["distance"] = (offset**2).sum(axis=1) ** 0.5
    return found.astype({"agents": int})


def mean_gaps(
    pairs: Mapping[str, tuple[pd.DataFrame, pd.DataFrame]],
    measures: Sequence[str] = ("capability", "normalised_generality"),
    *,
    shuffles: int = 1999,
    seed: SeedLike,
) -> pd.DataFrame:
    """Mean of the first group minus that of the second, for each pair and measure, with its p-value.

    A permutation test, two-sided: how often a difference as large comes about when the agents of both
    groups are dealt out to them by chance.

    >>> low, high = (pd.DataFrame({"capability": [k, k + 1, k + 2, k + 3]}) for k in (1.0, 9.0))
    >>> mean_gaps({"high / low": (high, low)}, ["capability"], seed=1).round(3).to_numpy().tolist()
    [[8.0, 0.029]]
    """
    from scipy.stats import permutation_test

    rows: dict[str, dict[str, float]] = {}
    for name, halves in pairs.items():
        rows[name] = {}
        for measure in measures:
            found = permutation_test(
                [half[measure].to_numpy() for half in halves],
                lambda a, b, axis: a.mean(axis) - b.mean(axis),
                vectorized=True,
                n_resamples=integer("shuffles", shuffles),
                rng=generator(seed),
            )
            rows[name] |= {f"{measure} gap": found.statistic, f"{measure} p": found.pvalue}
    return pd.DataFrame.from_dict(rows, orient="index")


def item_column(items: pd.DataFrame, name: str) -> pd.Series:
    """A column that a study needs of its items, or what to add to `items.csv`.

    >>> item_column(pd.DataFrame({"object": ["dog"]}), "object").tolist()
    ['dog']
    """
    if name not in items:
        raise BadInput(
            "items", list(items), f"[no-column] has no column {name!r}", "add it to items.csv"
        )
    return items[name]
