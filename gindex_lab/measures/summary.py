"""A population in one line: what the authors print beside each capability-against-spread plot, and how sure.

Means, correlations and the share of abstruse agents. A statistic that is not defined (the correlation of
one agent, or of agents that are all alike) is NaN here on purpose: the plot leaves it out.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.validate import FloatArray, choice, confidence, generator, integer
from gindex_lab.measures.curves import Interval, from_sums
from gindex_lab.measures.fit import Fit, fit_of
from gindex_lab.measures.generality import generality, study_of
from gindex_lab.measures.psychometrics.correlations import correlation
from gindex_lab.measures.samples import sample_like

__all__ = ["population_intervals", "population_summary"]

_CHUNK = 2_000_000  # cells of a temporary array
_MEASURES = ["capability", "spread", "normalised_generality"]
_STATISTICS = [
    *(f"mean_{name}" for name in _MEASURES),
    *("abstruse_share", "capability_spread", "capability_generality"),
]


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
    for name in (*_MEASURES, "abstruse"):
        problem = "is not one of its columns"
        ensure(name in table, "table", name, problem, "pass gl.generality(...)")
    ensure(not table.empty, "table", table.shape, "has no agents", "pass at least one")
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
    measured = isinstance(responses, pd.DataFrame) and {"capability", "spread"} <= set(responses)
    problem, remedy = "has no items to resample", "pass the responses that the measures come from"
    ensure(not measured, "responses", "a table of measures", problem, remedy)
    level = confidence(ci)
    study = study_of(responses, difficulty, missing)
    table = generality(study, interval=interval, estimator=estimator, missing=missing)
    few = "are too few agents for a population"
    ensure(len(table) > 2, "responses", len(table), few, "add agents")
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
