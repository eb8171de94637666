"""Tables printed in the papers, typed in as facts, each row with its place.

They are in `data/published/` of the repository, one CSV per table, numbers as printed; with what the authors
print about a population beside their capability-against-spread plots (Figs 4 and 5; A.8).
"""

from __future__ import annotations

import difflib

import pandas as pd

from gindex_lab.foundation import places
from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.files import read_table
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import generator
from gindex_lab.measures.summary import population_summary

__all__ = ["middle_test", "printed_numbers", "published"]


def published(name: str | None = None) -> pd.DataFrame:
    """A table printed in one of the papers, typed in as facts.

    Parameters
    ----------
    name : of a table; without it, the list of them

    Returns
    -------
    DataFrame
        The numbers as printed. The columns `paper`, `table` and `row` say where each row is printed. The
        list has `paper`, `table` and `rows`, by name.

    References
    ----------
    The papers themselves: Table 1 of the g-index paper is "gindex_table1", and so on.

    Examples
    --------
    >>> published("gindex_table1")[["table", "row", "model", "g_index"]].head(2)
       table  row         model   g_index
    0      1    1     GPT2-345M  7902.972
    1      1    2  GPT Neo-2.7B  6421.049
    """
    folder = places.project_file("published", "published")
    files = {path.stem: path for path in sorted(folder.glob("*.csv"))}
    if name is None:
        rows = {}
        for stem, table in ((stem, read_table(path)) for stem, path in files.items()):
            printed = ", ".join(table["table"].astype(str).unique())
            rows[stem] = {"paper": table.loc[0, "paper"], "table": printed, "rows": len(table)}
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("name")
    near = difflib.get_close_matches(str(name), files, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}? " if near else ""
    remedy = f"{hint}gl.published() lists {len(files)}"
    ensure(name in files, "name", name, "[not-published] is not a printed table", remedy)
    return read_table(files[name])


def middle_test(table: pd.DataFrame, shuffles: int = 10_000, seed: SeedLike = None) -> tuple[float, float]:
    """Are agents of middling capability the most general? r(γ, (Ψ - ½)²) and its p-value.

    A negative correlation says yes; p is the share of shuffles of γ over the agents that are at least
    as negative (a permutation test, one-sided).

    >>> table = pd.DataFrame({"capability": [0.1, 0.3, 0.5, 0.7, 0.9, 0.2],
    ...                       "normalised_generality": [0.1, 0.5, 0.9, 0.6, 0.2, 0.3]})
    >>> correlation, p = middle_test(table, shuffles=999, seed=1)
    >>> round(correlation, 2), p < 0.05
    (-0.95, True)
    """
    from scipy.stats import permutation_test

    gamma = table["normalised_generality"].to_numpy()
    away = (table["capability"].to_numpy() - 0.5) ** 2
    weight = (away - away.mean()) / (len(away) * away.std() * gamma.std())
    found = permutation_test(
        [gamma],
        lambda shuffled, axis: (shuffled * weight).sum(axis),
        permutation_type="pairings",
        alternative="less",
        vectorized=True,
        n_resamples=shuffles,
        rng=generator(seed),
    )
    return float(found.statistic), float(found.pvalue)


def printed_numbers(table: pd.DataFrame) -> pd.Series:
    """The six numbers of the authors' plots, in their order, from a table of `gl.generality`.

    >>> table = pd.DataFrame({"capability": [1.0, 3], "spread": [0.5, 0.4],
    ...                       "normalised_generality": [0.1, 0.3], "abstruse": [True, False]})
    >>> printed_numbers(table).round(2).to_dict()
    {'r(Ψ, S)': -1.0, 'mean Ψ': 2.0, 'mean S': 0.45, '% abstruse': 50.0, 'mean γ': 0.2, 'r(Ψ, γ)': 1.0}
    """
    s = population_summary(table)
    return pd.Series(
        {
            "r(Ψ, S)": s["capability_spread"],
            "mean Ψ": s["mean_capability"],
            "mean S": s["mean_spread"],
            "% abstruse": 100 * s["abstruse"] / s["agents"],
            "mean γ": s["mean_normalised_generality"],
            "r(Ψ, γ)": s["capability_generality"],
        },
        name="value",
    )
