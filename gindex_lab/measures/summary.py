"""A population in one line: what the authors print beside each capability-against-spread plot, and how sure.

Means, correlations and the share of abstruse agents. A statistic that is not defined (the correlation of
one agent, or of agents that are all alike) is NaN here on purpose: the plot leaves it out.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import (
    FloatArray,
    choice,
    confidence,
    generator,
    integer,
    vector,
)
from gindex_lab.measures.curves import Interval, from_sums
from gindex_lab.measures.fit import Fit, fit_of
from gindex_lab.measures.generality import generality, study_of
from gindex_lab.measures.samples import sample_like

__all__ = ["correlation", "middle_test", "population_intervals", "population_summary"]
__all__ += ["printed_numbers", "rank_correlation"]

_CHUNK = 2_000_000  # cells of a temporary array
_MEASURES = ["capability", "spread", "normalised_generality"]
_STATISTICS = [
    *(f"mean_{name}" for name in _MEASURES),
    *("abstruse_share", "capability_spread", "capability_generality"),
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


def population_intervals(
    responses: object,
    difficulty: object = None,
    *,
    interval: Interval | None = None,
    estimator: str = "trapezoid",
    ci: float = 0.95,
    resample: str = "agents",
    resamples: int = 2000,
    missing: str = "error",
    seed: object = None,
) -> pd.DataFrame:
    """Means, correlations and the share of abstruse agents, with percentile intervals.

    `resample` says what the population is drawn from: "agents" (other agents, these items), "items" or
    "families" (these agents, other items), or "both" (agents, and items).

    >>> rng = np.random.default_rng(1)
    >>> values = (rng.random((50, 30)) < 0.5).astype(float)
    >>> found = population_intervals(values, range(30), seed=1)
    >>> found.loc["mean_capability"].round(1).tolist()
    [14.5, 13.7, 15.2]
    """
    choice("resample", resample, ["agents", "items", "families", "both"])
    if isinstance(responses, pd.DataFrame) and {"capability", "spread"} <= set(responses.columns):
        remedy = "pass the responses that the measures come from"
        raise BadInput("responses", "a table of measures", "has no items to resample", remedy)
    level = confidence(ci)
    study = study_of(responses, difficulty, missing)
    table = generality(study, interval=interval, estimator=estimator, missing=missing)
    if len(table) < 3:
        raise BadInput("responses", len(table), "are too few agents for a population", "add agents")
    unit = "families" if resample == "families" else "items"
    fit = fit_of(sample_like(table, study, unit))
    b, random = integer("resamples", resamples, 100), generator(seed)
    size = max(1, _CHUNK // fit.by_area.shape[1])
    sizes = [min(size, b - start) for start in range(0, b, size)]
    drawn = [_statistics(*_population(fit, number, resample, random)) for number in sizes]
    low, high = np.nanquantile(np.concatenate(drawn), [(1 - level) / 2, (1 + level) / 2], axis=0)
    values = _statistics(*(table[[name]].to_numpy(dtype=float).T for name in _MEASURES))[0]
    return pd.DataFrame({"estimate": values, "low": low, "high": high}, index=pd.Index(_STATISTICS))


def _population(
    fit: Fit, number: int, resample: str, random: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Capability, spread and γ (b, A) of resampled populations."""
    shape, units = (number, len(fit.agents)), fit.by_area.shape[1]
    area, moment = (np.broadcast_to(x, shape) for x in (fit.area, fit.moment))
    if resample != "agents":
        weights = random.multinomial(units, np.full(units, 1 / units), size=number) - 1.0
        area, moment = area + weights @ fit.by_area.T, moment + weights @ fit.by_moment.T
    if resample in ("agents", "both"):
        chosen = random.integers(shape[1], size=shape)
        area, moment = (np.take_along_axis(x, chosen, axis=1) for x in (area, moment))
    found = from_sums(area, moment, fit.sample.scale)
    return found.capability, found.spread, found.normalised_generality


def _statistics(capability: FloatArray, spread: FloatArray, gamma: FloatArray) -> FloatArray:
    """The six statistics (b, 6) of populations (b, A)."""
    means = [x.mean(axis=1) for x in (capability, spread, gamma, gamma < -1e-12)]
    pairs = [_correlations(capability, x) for x in (spread, gamma)]
    return np.stack([*means, *pairs], axis=1)


def _correlations(x: FloatArray, y: FloatArray) -> FloatArray:
    """Row by row; NaN where one of the two does not vary."""
    x, y = (v - v.mean(axis=1, keepdims=True) for v in (x, y))
    size = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    return np.divide((x * y).sum(axis=1), size, out=np.full_like(size, np.nan), where=size > 1e-12)
