"""A population in one line: what the authors print beside each capability-against-spread plot.

Takes the table of `gl.generality` and gives means, correlations and the share of abstruse agents.
A statistic that is not defined (the correlation of one agent, or of agents that are all alike) is
NaN here on purpose: the plot leaves it out.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import generator, vector

__all__ = [
    "correlation",
    "middle_test",
    "population_summary",
    "printed_numbers",
    "rank_correlation",
]

_NEEDED = ("capability", "spread", "normalised_generality", "abstruse")


def correlation(x: object, y: object) -> float:
    """Pearson's correlation, NaN where one of the two does not vary.

    >>> correlation([1, 2, 3], [2, 4, 6])
    1.0
    >>> correlation([1, 2, 3], [5, 5, 5])
    nan
    """
    a, b = vector("x", x), vector("y", y)
    if len(a) != len(b):
        raise BadInput("y", len(b), f"has another length than x ({len(a)})", "pair the numbers")
    # constant up to rounding: the correlation of rounding errors means nothing
    if len(a) < 2 or any(np.ptp(x) <= 1e-12 * np.abs(x).max() for x in (a, b)):
        return float("nan")
    a, b = a - a.mean(), b - b.mean()
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1, 1))


def rank_correlation(x: object, y: object) -> float:
    """Spearman's correlation: Pearson's, of the average ranks.

    >>> rank_correlation([1, 2, 3, 4], [1, 10, 100, 1000])
    1.0
    """
    return correlation(*(pd.Series(vector(name, v)).rank() for name, v in (("x", x), ("y", y))))


def population_summary(table: pd.DataFrame) -> pd.Series:
    """The numbers beside a capability-against-spread plot (Fig. 4 and 5), as one Series.

    `agents`, `mean_capability`, `mean_spread`, `abstruse` (how many lie above the constant curve,
    §E.2, property 4), `mean_normalised_generality`, and the Pearson correlations
    `capability_spread` and `capability_generality` (capability with spread and with γ).

    >>> table = pd.DataFrame({"capability": [1.0, 2, 3], "spread": [0.5, 0.4, 0.3],
    ...                       "normalised_generality": [0.1, 0.2, 0.6], "abstruse": [False] * 3})
    >>> population_summary(table).round(2).to_dict()["capability_generality"]
    0.94
    """
    absent = [name for name in _NEEDED if name not in table]
    if absent:
        raise BadInput("table", absent[0], "is not one of its columns", "pass gl.generality(...)")
    if table.empty:
        raise BadInput("table", table.shape, "has no agents", "pass at least one")
    capability, gamma = table["capability"], table["normalised_generality"]
    found = {
        "agents": len(table),
        "mean_capability": capability.mean(),
        "mean_spread": table["spread"].mean(),
        "abstruse": table["abstruse"].sum(),
        "mean_normalised_generality": gamma.mean(),
        "capability_spread": correlation(capability, table["spread"]),
        "capability_generality": correlation(capability, gamma),
    }
    return pd.Series(found, dtype=float, name="population")


def middle_test(
    table: pd.DataFrame, centre: float = 0.5, shuffles: int = 10_000, seed: object = None
) -> tuple[float, float]:
    """Are agents of middling capability the most general? r(γ, (Ψ - centre)²) and its p-value.

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
    away = (table["capability"].to_numpy() - centre) ** 2
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
