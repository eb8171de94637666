"""Which agents can the data tell apart, all pairs at once? And what of the population?

`tie_groups` tests every pair of agents on the items they share, with one critical value for the
largest of all the differences, so that the chance of a single false separation stays below 1 - ci.
`population_intervals` resamples agents, items or both, for means and correlations over agents.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.errors import BadInput
from gindex_lab.uncertainty.contributions import Contributions, contributions_of, lacking
from gindex_lab.uncertainty.resample import counts_of_units, measures_of
from gindex_lab.uncertainty.samples import sample_like
from gindex_lab.uncertainty.studentised import limits, natural, quantile, stretched
from gindex_lab.validate import FloatArray, choice, generator, integer, number

__all__ = ["population_intervals", "separations", "tie_groups"]

_TIED = ["capability", "spread", "normalised_generality", "expected_difficulty", "mean"]
_CHUNK = 8_000_000  # cells of a temporary array
_MOST_AGENTS = 2_000
_ROUNDING = 1e-9  # of the size of the numbers: no difference
_STATISTICS = (
    "mean_capability",
    "mean_spread",
    "mean_normalised_generality",
    "abstruse_share",
    "capability_spread",
    "capability_generality",
)


def tie_groups(
    table: pd.DataFrame,
    measure: str = "capability",
    *,
    ci: float | None = None,
    resamples: int = 2000,
    seed: object = None,
) -> list[list[object]]:
    """Groups of agents that the data cannot separate, the best group first.

    Agents are put in order of the measure; a group is a longest run in which no two agents are
    separated, all pairs tested together at the family-wise level 1 - ci. Groups overlap where a ties
    with b and b with c but a beats c: [a, b], [b, c]. Agents without a common group are separated, or
    a pair between them is.

    `table` comes from `gl.generality(..., ci=0.95)` and may be sorted or cut to some agents;
    `ci` and `seed` are those of the table unless given. See `separations` for the test.

    >>> from gindex_lab.uncertainty.intervals import bootstrap_table
    >>> level = np.arange(40)
    >>> table = bootstrap_table([level < 30, level < 29, level < 8], difficulty=level, seed=1)
    >>> tie_groups(table)
    [['agent 1', 'agent 2'], ['agent 3']]
    """
    apart = separations(table, measure, ci=ci, resamples=resamples, seed=seed)
    order = table[measure].sort_values(ascending=measure == "spread", kind="stable").index
    return [list(order[run]) for run in _runs(apart.loc[order, order].to_numpy())]


def _runs(apart: np.ndarray) -> list[slice]:
    """The longest runs of places without a separated pair.

    >>> _runs(np.array([[False, False, True], [False, False, False], [True, False, False]]))
    [slice(0, 2, None), slice(1, 3, None)]
    """
    n = len(apart)
    later = np.triu(apart, 1)
    first = np.where(later.any(axis=1), later.argmax(axis=1), n)
    end = np.minimum.accumulate(first[::-1])[::-1]
    return [slice(i, int(end[i])) for i in range(n) if i == 0 or end[i] > end[i - 1]]


def separations(
    table: pd.DataFrame,
    measure: str = "capability",
    *,
    ci: float | None = None,
    resamples: int = 2000,
    seed: object = None,
) -> pd.DataFrame:
    """Agents x agents: True where the difference is significant with all pairs tested together.

    Each pair's difference is divided by its own standard error from the items both met. The critical
    value is the `ci` quantile of the largest |t| over all pairs when the contributions are multiplied
    by independent standard normals (the multiplier bootstrap of Chernozhukov, Chetverikov and Kato
    2013, which keeps the correlation between pairs, as Tukey's range does for equal variances); its
    tail is then read in Student's t with the pair's own degrees of freedom. Capability and mean are
    compared as they are, the others on the scale where intervals are made. What an agent's responses do
    not show of its error is drawn for itself alone. An agent that solved all or nothing is separated
    from those whose interval, at the same chance, has no point in common with its own.

    >>> from gindex_lab.uncertainty.intervals import bootstrap_table
    >>> level = np.arange(40)
    >>> table = bootstrap_table([level < 30, level < 29, level < 8], difficulty=level, seed=1)
    >>> separations(table).loc["agent 3"].tolist()
    [True, True, False]
    """
    choice("measure", measure, _TIED)
    found = _carried(table)
    level = number("ci", table.attrs.get("ci") if ci is None else ci, 0, 1, open_ends=True)
    kept = table.attrs.get("seed")
    random = generator((1 if kept is None else kept) if seed is None else seed)
    linear = measure in ("capability", "mean")
    part = (natural if linear else stretched)(found)[measure]
    areas = _pair_variances(found.by_area)
    lack = lacking(areas, _sums(found.unseen[:, 0]))
    hidden = _sums(part.added.sum(axis=1))
    rest = np.maximum(0.0, lack * _sums(part.unseen) - hidden)
    error = np.sqrt(_pair_variances(part.error) + hidden + rest)
    fourth = _sums((part.added**2).sum(axis=1)) + rest**2
    gap = np.abs(part.estimate[:, None] - part.estimate[None, :])
    own = np.sqrt(part.added.sum(axis=1))
    tail = _tail(part.error, own, error, level, integer("resamples", resamples, 100), random)
    bar = quantile(1 - tail, _pair_freedom(part.error, error, fourth)) * error
    apart = gap > np.maximum(bar, _ROUNDING * (1 + np.abs(part.estimate).max()))
    unseen = found.one_value[:, None] | found.one_value[None, :]
    apart[unseen] = _disjoint(*limits(found, 1 - 2 * tail)[measure])[unseen]
    return pd.DataFrame(apart, table.index, table.index)


def _disjoint(low: FloatArray, high: FloatArray) -> np.ndarray:
    """Agents x agents: True where two intervals have no point in common."""
    return np.asarray((low[:, None] > high[None, :]) | (low[None, :] > high[:, None]))


def _carried(table: pd.DataFrame) -> Contributions:
    """The contributions that the table brought along, for the agents that it still has."""
    found = getattr(table, "attrs", {}).get("contributions")
    if not isinstance(found, Contributions):
        raise BadInput(
            "table",
            type(table).__name__,
            "does not carry what separates agents",
            "make it with gl.generality(..., ci=0.95), of fewer agents if they are many thousands",
        )
    if len(table) > _MOST_AGENTS:
        raise BadInput(
            "table",
            len(table),
            "has too many agents for all pairs",
            f"keep {_MOST_AGENTS} or fewer",
        )
    if not len(table):
        raise BadInput("table", len(table), "has no agent", "keep one or more")
    where = found.agents.get_indexer(table.index)
    if (where < 0).any():
        raise BadInput(
            "table",
            table.index[where < 0][0],
            "is not an agent of the study",
            "do not rename agents",
        )
    return found.rows(where)


def _sums(unseen: FloatArray) -> FloatArray:
    """What the agents' own shares add up to in a difference (A, A); nothing in that of oneself."""
    both = unseen[:, None] + unseen[None, :]
    np.fill_diagonal(both, 0.0)
    return np.asarray(both)


def _pair_variances(error: FloatArray) -> FloatArray:
    """Variances (A, A) of all pairwise differences, as far as the contributions show them."""
    cross = error @ error.T
    own = np.diag(cross)
    variance = own[:, None] + own[None, :] - 2 * cross
    scale = own[:, None] + own[None, :]
    return np.asarray(np.where(variance > 1e-12 * scale, variance, 0.0))


def _pair_freedom(error: FloatArray, pair: FloatArray, rest: FloatArray) -> FloatArray:
    """3(Σc²)²/Σc⁴ of each pairwise difference, expanded into products so that no (A, A, F) is built."""
    p = [error**k for k in range(5)]
    fourth = sum(sign * p[4 - k] @ p[k].T for k, sign in enumerate((1.0, -4.0, 6.0, -4.0, 1.0)))
    square, fourth = pair**2, np.maximum(fourth, 0.0) + rest
    safe = fourth > 1e-12 * square**2
    freedom = np.divide(3 * square**2, fourth, out=np.full_like(square, np.inf), where=safe)
    return np.maximum(freedom, 1.0)


def _tail(
    error: FloatArray,
    own: FloatArray,
    pair: FloatArray,
    ci: float,
    resamples: int,
    random: np.random.Generator,
) -> float:
    """The one-sided chance at which each pair is tested, so that all together keep to 1 - ci.

    From the `ci` quantile of the largest |difference| / error over all pairs under no difference;
    Bonferroni's where no pair shows any error.
    """
    from scipy.special import ndtr

    first, second = np.nonzero(np.triu(pair, 1))
    if not len(first):
        return (1 - ci) / max(2, len(pair) * (len(pair) - 1))
    scale = 1 / pair[first, second]
    size = max(1, _CHUNK // max(len(first), error.shape[1]))
    largest = []
    for start in range(0, resamples, size):
        b = min(size, resamples - start)
        drawn = random.standard_normal((b, error.shape[1])) @ error.T
        drawn += random.standard_normal((b, len(own))) * own
        gaps = np.abs(drawn[:, first] - drawn[:, second]) * scale
        largest.append(gaps.max(axis=1))
    return float(ndtr(-np.quantile(np.concatenate(largest), ci)))


def population_intervals(
    responses: object,
    difficulty: object = None,
    *,
    interval: tuple[float, float] | None = None,
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
    from gindex_lab.acc.acc import generality, study_of

    choice("resample", resample, ["agents", "items", "families", "both"])
    if isinstance(responses, pd.DataFrame) and {"capability", "spread"} <= set(responses.columns):
        raise BadInput(
            "responses",
            "a table of measures",
            "has no items to resample",
            "pass the responses that the measures come from",
        )
    level = number("ci", ci, 0, 1, open_ends=True)
    study = study_of(responses, difficulty, missing)
    table = generality(study, interval=interval, estimator=estimator, missing=missing)
    if len(table) < 3:
        raise BadInput("responses", len(table), "are too few agents for a population", "add agents")
    unit = "families" if resample == "families" else "items"
    found = contributions_of(sample_like(table, study, unit))
    b, random = integer("resamples", resamples, 100), generator(seed)
    drawn = np.concatenate(
        [
            _statistics(*_population(found, counts, resample, random))
            for counts in counts_of_units(found.by_area.shape[1], b, random)
        ]
    )
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    values = _statistics(*(table[[name]].to_numpy(dtype=float).T for name in _TIED[:3]))[0]
    return pd.DataFrame({"estimate": values, "low": low, "high": high}, index=pd.Index(_STATISTICS))


def _population(
    found: Contributions, counts: np.ndarray, resample: str, random: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Capability, spread and γ (b, A) of resampled populations."""
    shape = (len(counts), len(found.agents))
    area, moment = (np.broadcast_to(x, shape) for x in (found.area, found.moment))
    if resample != "agents":
        weights = counts - 1.0
        area, moment = area + weights @ found.by_area.T, moment + weights @ found.by_moment.T
    if resample in ("agents", "both"):
        chosen = random.integers(shape[1], size=shape)
        area, moment = (np.take_along_axis(x, chosen, axis=1) for x in (area, moment))
    drawn = measures_of(area, moment, area, found.interval)
    return drawn["capability"], drawn["spread"], drawn["normalised_generality"]


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
