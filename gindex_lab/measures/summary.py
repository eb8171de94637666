"""A population in one line, with intervals: the numbers that the authors print beside their plots.

Means, correlations and the share of abstruse agents. A statistic that is not defined (the correlation of
a single agent, or of identical agents) is NaN on purpose: the plot leaves it out.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from scipy.special import betaincinv, ndtri

from gindex_lab.foundation.errors import Caution, ensure
from gindex_lab.foundation.likes import DifficultyLike, ResponsesLike, SeedLike
from gindex_lab.foundation.many_tests import half_width
from gindex_lab.foundation.validate import FloatArray, choice, confidence, generator, integer
from gindex_lab.measures.curves import Interval
from gindex_lab.measures.fit import Fit, fit_of
from gindex_lab.measures.generality import generality, study_of
from gindex_lab.measures.limits import FEWEST_EFFECTIVE, as_steps, degrees, linear
from gindex_lab.measures.psychometrics.correlations import correlation
from gindex_lab.measures.samples import sample_like

__all__ = ["population_intervals", "population_summary"]

PER_RESPONSE = 2.0  # degrees of freedom per minority response (tuning half of `coverage_study`)
_MEASURES = ["capability", "spread", "normalised_generality"]
_STATISTICS = [f"mean_{name}" for name in _MEASURES]
_STATISTICS += ["abstruse_share", "capability_spread", "capability_generality"]


def population_summary(table: pd.DataFrame) -> pd.Series:
    """The numbers beside a capability-against-spread plot (Figs. 4 and 5).

    Parameters
    ----------
    table : the result of `gl.generality`

    Returns
    -------
    Series: the means, the number of `abstruse` agents (§E.2, property 4), and Pearson's correlations of
    capability with spread and with γ.

    Examples
    --------
    >>> table = pd.DataFrame({"capability": [1.0, 2, 3], "spread": [0.5, 0.4, 0.3],
    ...                       "normalised_generality": [0.1, 0.2, 0.6], "abstruse": [False] * 3})
    >>> population_summary(table).round(2).to_dict()["capability_generality"]
    0.94
    """
    for name in (*_MEASURES, "abstruse"):
        problem = "[not-an-option] is not one of its columns"
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
    responses: ResponsesLike,
    difficulty: DifficultyLike = None,
    *,
    interval: Interval | None = None,
    estimator: str = "trapezoid",
    ci: float = 0.95,
    resample: str = "agents",
    resamples: int = 2000,
    missing: str = "error",
    seed: SeedLike = None,
) -> pd.DataFrame:
    """Means, correlations and the share of abstruse agents, each with its interval.

    Parameters
    ----------
    responses, difficulty, interval, estimator, ci, missing : as in `gl.generality`
    resample : what would differ in another study. "agents": other agents on these items. "items" or
        "families": these agents on other items; only mean capability and mean γ have limits then (those of
        the mean spread held in 86% of studies, those of correlations in 50 to 90%)
    resamples, seed : the number of draws of agents, for bootstrap-t, and their seed

    Returns
    -------
    DataFrame `estimate`, `low`, `high` by statistic. The limits of means are bootstrap-t or Student's, those
    of correlations Fisher's z with the jackknife's error, those of the share Jeffreys'.

    References
    ----------
    Hernández-Orallo et al. (2021), supplement B.2; Brown, Cai and DasGupta (2001), Stat. Sci. 16, 101-133.

    Examples
    --------
    >>> values = np.random.default_rng(1).random((50, 30)) < 0.5
    >>> found = population_intervals(values, range(30), seed=1)
    >>> found.loc["mean_capability"].round(1).tolist()
    [14.5, 13.7, 15.2]
    """
    choice("resample", resample, ["agents", "items", "families"])
    measured = isinstance(responses, pd.DataFrame) and {"capability", "spread"} <= set(responses)
    problem, remedy = "[no-items] has no items to resample", "pass the responses behind it"
    ensure(not measured, "responses", "a table of measures", problem, remedy)
    level, draws, random = confidence(ci), integer("resamples", resamples, 100), generator(seed)
    study = study_of(responses, difficulty, missing)
    table = generality(study, interval=interval, estimator=estimator, missing=missing)
    few = "[too-few] are too few agents for a population"
    ensure(len(table) > 2, "responses", len(table), few, "add agents")
    found = population_summary(table)
    found["abstruse_share"] = found["abstruse"] / len(table)
    values = found[_STATISTICS].to_numpy()
    if resample == "agents":
        low, high = _of_other_agents(table, values[3], level, draws, random)
    else:
        low, high = _on_other_items(fit_of(sample_like(table, study, resample)), level)
    low, high = np.minimum(low, values), np.maximum(high, values)
    low[1], low[2], high[2] = max(low[1], 0.0), max(low[2], -1.0), min(high[2], 1.0)
    low[0], high[0] = np.clip([low[0], high[0]], *table.attrs["interval"])
    return pd.DataFrame({"estimate": values, "low": low, "high": high}, index=pd.Index(_STATISTICS))


def _of_other_agents(
    table: pd.DataFrame, share: float, ci: float, draws: int, random: np.random.Generator
) -> FloatArray:
    """Ends (2, 6) of the statistics if other agents were drawn, `share` of them abstruse here."""
    given = [table[name].to_numpy(dtype=float) for name in _MEASURES]
    chosen = random.integers(len(table), size=(draws, len(table)))
    means = [_mean_limits(x, x[chosen], ci) for x in given]
    pairs = [_correlation_limits(given[0], x, ci) for x in given[1:]]
    shape = share * len(table) + 0.5, (1 - share) * len(table) + 0.5
    jeffreys = betaincinv(*shape, (1 - ci) / 2), betaincinv(*shape, (1 + ci) / 2)
    shares = 0.0 if share == 0 else jeffreys[0], 1.0 if share == 1 else jeffreys[1]
    return np.array([*means, shares, *pairs]).T


def _on_other_items(fit: Fit, ci: float) -> FloatArray:
    """Limits (2, 6), of mean capability and mean γ only. All agents share a unit, so its contributions are
    summed before squaring. Where items do not reach the ends, the widest over all completions."""
    text = (
        "[other-items] only mean capability and mean γ have limits for other items; limits of the mean "
        "spread, of the share of abstruse agents and of correlations would hold too rarely"
    )
    warnings.warn(text, Caution, stacklevel=3)
    ends = np.full((2, len(_STATISTICS)), np.nan)
    if fit.effective.min() < FEWEST_EFFECTIVE:  # one or two isolated items decide everything
        return ends
    for one in (fit, *fit.completions):
        for k, name in ((0, "capability"), (2, "normalised_generality")):
            part = linear(one)[name]
            error, pull = (x.mean(axis=0) for x in (part.error, part.pull))
            own = part.own.sum() / len(part.own) ** 2
            seen = PER_RESPONSE * one.seen.sum() if part.minority else np.inf
            freedom = degrees(error, pull, own, np.minimum(one.units.min() - 1.0, seen))
            half = half_width(np.sqrt((error**2).sum() + own), ci, freedom)
            both = part.estimate.mean() + np.array([-half, half])
            if part.minority:
                both += as_steps(one, *np.zeros((2, len(one.agents)))).mean(axis=1)
            ends[:, k] = np.fmin(ends[0, k], both[0]), np.fmax(ends[1, k], both[1])
    return ends


def _mean_limits(x: FloatArray, drawn: FloatArray, ci: float) -> tuple[float, float]:
    """The wider of Student's limits of a mean and of bootstrap-t (Hall 1988), which allows for skewness: most
    agents have a high γ and a few a very low one."""
    mean, error = x.mean(), x.std(ddof=1) / np.sqrt(len(x))
    errors = drawn.std(axis=1, ddof=1) / np.sqrt(len(x))
    varied = errors > 1e-9 * error
    if error <= 0 or not varied.any():
        return mean, mean
    t = (drawn[varied].mean(axis=1) - drawn.mean()) / errors[varied]
    above, below = np.quantile(t, [(1 + ci) / 2, (1 - ci) / 2])
    student = half_width(1.0, ci, len(x) - 1)
    return mean - max(above, student) * error, mean + max(-below, student) * error


def _correlation_limits(x: FloatArray, y: FloatArray, ci: float) -> tuple[float, float]:
    """Limits on Fisher's scale z = artanh r: the jackknife's error times t on A - 1 degrees, at least the
    normal distribution's 1/√(A - 3) times z."""
    n, r = len(x), correlation(x, y)
    m, x, y = n - 1, x - x.mean(), y - y.mean()
    xx, yy, xy = ((a @ b - a * b) / m - a * b / m**2 for a, b in ((x, x), (y, y), (x, y)))  # without one
    with np.errstate(divide="ignore", invalid="ignore"):
        z, each = np.arctanh(r), np.arctanh(np.clip(xy / np.sqrt(np.maximum(xx * yy, 0.0)), -1, 1))
    if n < 4 or not np.isfinite(z) or not np.isfinite(each).all():
        return (np.nan, np.nan) if np.isnan(z) else (-1.0, 1.0)
    error = np.sqrt((n - 1) / n * ((each - each.mean()) ** 2).sum())
    half = max(half_width(error, ci, n - 1), ndtri((1 + ci) / 2) / np.sqrt(n - 3))
    return float(np.tanh(z - half)), float(np.tanh(z + half))
