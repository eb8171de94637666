"""What it takes to compare one study with another: ranks without ties, tipping points, groups.

The papers' tables list the three best classifiers, one name for all that tie; `mean_gaps` says whether a
difference between two groups is more than chance. The case studies A.1 and A.2 measure people, so no group of
fewer than five is shown. What was printed is read by `case_studies`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import FloatArray, generator, integer
from gindex_lab.measures.generality import generality
from gindex_lab.measures.summary import population_intervals
from gindex_lab.measures.transforms import rank
from gindex_lab.studies.data.printed import printed_numbers

__all__ = ["EDUCATION", "SMALLEST_GROUP", "best_distinct", "group_intervals", "group_means", "group_summary"]
__all__ += ["item_column", "maze_groups", "mean_gaps", "shuffled_generality", "tipping_point"]

SMALLEST_GROUP = 5  # people, below which one could be identified: a judgement
_LEVELS = ("Primary", "Secondary", "High school", "Vocational", "Undergraduate", "Masters", "PhD")
EDUCATION = dict(enumerate(_LEVELS, 1))  # by code


def best_distinct(
    table: pd.DataFrame, names: pd.Series, by: str, n: int = 3, largest: bool = True
) -> pd.DataFrame:
    """The n best rows by capability or spread, one row for all that tie in both.

    The first in the order of the table lends its name (as in Tables S4 to S7); `tied` counts the
    rows, `also` lists the other names.
    """
    kept = table[["capability", "spread"]].round(9)  # what differs in the last digits is equal
    problem = "[not-an-order] is not a column that the tables are ordered by"
    ensure(by in kept, "by", by, problem, "use capability or spread")
    kept = kept.sort_values(by, ascending=not largest, kind="stable")
    rows = []
    for _, tied in list(kept.groupby(["capability", "spread"], sort=False))[: integer("n", n)]:
        first, *others = tied.index
        also = dict.fromkeys(str(names[row]) for row in others if names[row] != names[first])
        found = {"name": str(names[first]), "tied": len(tied), "also": ", ".join(also)}
        rows.append(pd.Series(found | table.loc[first].to_dict(), name=first))
    return pd.DataFrame(rows)


def tipping_point(curve: pd.DataFrame) -> float:
    """The last difficulty before a curve first falls below ½: up to here success is the rule (Fig. S17)."""
    ordered = curve.sort_values("difficulty")
    holds = (ordered["response"] >= 0.5).cummin()
    start, remedy = ordered["response"].iloc[0], "use an agent that solves the easiest items"
    ensure(holds.any(), "curve", start, "[below-half] starts below ½", remedy)
    return float(ordered["difficulty"][holds].iloc[-1])


def item_column(items: pd.DataFrame, name: str) -> pd.Series:
    """A column that a study needs of its items, or an error that says what to add to `items.csv`."""
    ensure(name in items, "items", list(items), f"[no-column] has no column {name!r}", "add it to items.csv")
    return items[name]


# -- chance -------------------------------------------------------------------------------------------


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
    """
    from scipy.stats import permutation_test

    rows: dict[str, dict[str, float]] = {name: {} for name in pairs}
    for name, halves in pairs.items():
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


def shuffled_generality(scores: Scores, shuffles: int = 200, seed: SeedLike = 1) -> FloatArray:
    """Mean γ of the population when each task's scores are shuffled among the agents.

    Shuffling keeps every task as it is and breaks what one task says about another: this is the mean
    generality (Rnk, leave-one-out) of a population without a general ability, once for each shuffle.
    """
    rng, means = generator(seed), []
    for _ in range(integer("shuffles", shuffles)):
        dealt = scores.frame.apply(lambda task: rng.permutation(task.to_numpy()))
        curves = rank(dealt, columns=None, leave_one_out=True)
        means.append(generality(curves)["normalised_generality"].mean())
    return pd.Series(means).to_numpy()


# -- groups -------------------------------------------------------------------------------------------


def group_means(table: pd.DataFrame, agents: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Mean capability, spread and γ of each group, its size, and how far it is from everyone's mean.

    `distance` is in the plane of capability and spread; by chance alone it shrinks with √size.
    """
    for column in columns:
        problem, remedy = "[no-column] is not a column of the agents", f"use {list(agents)}"
        ensure(column in agents, "columns", column, problem, remedy)
    measures = table[["capability", "spread", "normalised_generality"]]
    rows = {}
    for column in columns:
        for name, part in measures.groupby(agents.loc[table.index, column], sort=True):
            rows[column, str(name)] = {"agents": len(part)} | part.mean().to_dict()
    found = pd.DataFrame.from_dict(rows, orient="index").rename_axis(["by", "group"])
    offset = found[["capability", "spread"]] - measures[["capability", "spread"]].mean()
    found["distance"] = (offset**2).sum(axis=1) ** 0.5
    return found.astype({"agents": int})


def maze_groups(study: Responses, capability: pd.Series) -> dict[str, pd.Series]:
    """Eight groups of people (Fig. S3): by gender, education, age, and half of the capabilities.

    Higher education is a degree or more; those at the median age are in neither age group.
    """
    people = study.agents
    degree, high = people["education_code"] >= 5, capability >= capability.median()
    return {
        "male": people["gender_code"] == 1,
        "female": people["gender_code"] == 2,
        "less education": ~degree,
        "more education": degree,
        "younger": people["age_group"] == "young",
        "older": people["age_group"] == "old",
        "more capable half": high,
        "less capable half": ~high,
    }


def group_summary(table: pd.DataFrame, groups: Mapping[str, pd.Series]) -> pd.DataFrame:
    """The size of each group and its six printed numbers; a group of fewer than five is refused."""
    rows = {}
    for name, member in groups.items():
        part = table.loc[_people_of(name, member, table.index)]
        rows[name] = {"people": len(part), **printed_numbers(part)}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("group")


def _people_of(name: str, member: pd.Series, known: pd.Index) -> pd.Index:
    """Who is in the group, if it is large enough that no one can be identified."""
    found = known[member.loc[known].fillna(False).astype(bool)]
    problem = "[too-small] is a group so small that a person could be identified"
    remedy = f"join it with another group: at least {SMALLEST_GROUP} people"
    ensure(len(found) >= SMALLEST_GROUP, f"groups[{name!r}]", len(found), problem, remedy)
    return found


def group_intervals(
    study: Responses, groups: Mapping[str, pd.Series], *, seed: SeedLike, resamples: int = 1000
) -> pd.DataFrame:
    """Mean capability and mean γ of each group with 95% intervals over its people, as columns
    `capability`, `capability_low`, `capability_high` and so on: what `plot_intervals` draws.

    All groups are measured on the interval of the whole study.
    """
    h = study.items["difficulty"]
    span = (float(h.min()), float(h.max()))
    rows: dict[str, dict[str, float]] = {name: {} for name in groups}
    for name, member in groups.items():
        part = study.select(agents=list(_people_of(name, member, study.frame.index)))
        found = population_intervals(part, interval=span, resamples=resamples, seed=seed)
        for measure in ("capability", "normalised_generality"):
            value, low, high = found.loc[f"mean_{measure}", ["estimate", "low", "high"]]
            rows[name] |= {measure: value, f"{measure}_low": low, f"{measure}_high": high}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("group")
