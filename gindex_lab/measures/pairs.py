"""Which agents can the data tell apart?

Two agents are compared on the items that both met: capability and mean by exchanging the two agents'
responses item by item, spread and γ by Student's t, which also guards capability and mean where one item
dominates; all pairs together with Holm's correction (`comparisons`). Pairs with too few items in common are
not comparable, never separated.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtr

from gindex_lab.foundation.errors import BadInput, Caution, ensure
from gindex_lab.foundation.likes import DifficultyLike, Label, ResponsesLike, SeedLike
from gindex_lab.foundation.many_tests import half_width, holm
from gindex_lab.foundation.validate import FloatArray, choice, confidence, known
from gindex_lab.measures.curves import Interval, Pair, feasible, from_sums
from gindex_lab.measures.exchange import exchange, least_exchange
from gindex_lab.measures.fit import Fit, fit_of, unit_sums
from gindex_lab.measures.generality import generality, study_of
from gindex_lab.measures.limits import MEASURES, Linear, degrees, linear

__all__ = ["comparisons", "paired_differences", "separations", "tie_groups"]

FEWEST_COMMON = 6  # items: with five, even five wins to none are not rare (2/2⁵ > .05)
# Degrees per minority response: with 1, γ is separated in .07 of the studies of 30 equal flat agents on 50
# items, with a half in .05 (`benchmarks/measured/separations.py`)
PER_MINORITY = 0.5
# A unit dominates with more than one in so many parts of Σw²: up to there exchange alone separates equally
# capable agents of different shape in at most .05 of the studies, up to one in two in .35 (340 designs;
# test_equally_capable_agents_are_not_separated_because_one_item_dominates)
_DOMINATES = 5
_MOST_AGENTS = 2_000  # two million pairs
_ROUNDING = 1e-9  # of a measure's range: no difference
LINEAR = ("capability", "mean")  # sums over units: an exchange of responses can be listed
_BLOCK = 20_000_000  # cells of a temporary array
_COLUMNS = ["common", "difference", "low", "high", "p_value"]


def tie_groups(
    table: pd.DataFrame, measure: str = "capability", *, ci: float | None = None
) -> list[list[Label]]:
    """Groups of agents that the data cannot separate, the best group first.

    Two agents share a group if and only if they are not separated. Groups overlap where a ties with b and b
    with c but a beats c: [a, b], [b, c]. Agents that are not comparable share none; a `Caution` counts them.

    Parameters
    ----------
    table, measure, ci : as in `gl.comparisons`, whose tests these are

    Returns
    -------
    Lists of labels, the best first.

    References
    ----------
    Piepho (2004), J. Comput. Graph. Stat. 13, 456-466 (letters for all pairs).

    Examples
    --------
    >>> tie_groups(generality(np.arange(40) < [[30], [29], [8]], difficulty=range(40), ci=0.95))
    [['agent 1', 'agent 2'], ['agent 3']]
    """
    found = comparisons(table, measure, ci=ci)
    apart, strange = (_square(found, v) for v in ("separated", "not comparable"))
    if strange.any():
        text = (
            f"[not-comparable] {strange.sum() // 2} of {len(found)} pairs of agents have too few "
            f"{fit_behind(table).sample.word} in common to be compared and share no group: see gl.comparisons"
        )
        warnings.warn(text, Caution, stacklevel=2)
    order = table.reset_index()[measure]
    order = order.sort_values(ascending=measure == "spread", kind="stable").index
    groups = tied_places((apart | strange)[np.ix_(order, order)])
    return [list(table.index[order[group]]) for group in groups]


def tied_places(apart: np.ndarray) -> list[list[int]]:
    """Groups of positions: none holds a pair that is `apart`, every other pair is in at least one."""
    n = len(apart)
    groups: list[list[int]] = []
    done = apart.copy()  # pairs that no longer need a group
    for i in range(n):
        later = np.arange(i + 1, n)
        while not done[i, i] or not done[i, later].all():
            group, barred = [i], apart[i].copy()
            for j in (*later[~done[i, later]], *later[done[i, later]]):  # the new company first
                if not barred[j]:
                    group.append(int(j))
                    barred |= apart[j]
            done[np.ix_(group, group)] = True
            groups.append(sorted(group))
    return groups


def separations(table: pd.DataFrame, measure: str = "capability", *, ci: float | None = None) -> pd.DataFrame:
    """Which pairs of agents the data separate, all pairs tested together.

    Parameters
    ----------
    table, measure, ci : as in `gl.comparisons`, whose tests these are

    Returns
    -------
    Agents x agents, True where the two are separated. False means "not separated" or "not comparable";
    `gl.comparisons` says which.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6, 65-70.

    Examples
    --------
    >>> table = generality(np.arange(40) < [[30], [29], [8]], difficulty=range(40), ci=0.95)
    >>> separations(table).loc["agent 3"].tolist()
    [True, True, False]
    """
    return pd.DataFrame(_square(comparisons(table, measure, ci=ci), "separated"), table.index, table.index)


def _square(found: pd.DataFrame, verdict: str) -> np.ndarray:
    """Agents x agents: True where the pair has this verdict."""
    from scipy.spatial.distance import squareform

    return np.asarray(squareform((found["verdict"] == verdict).to_numpy(dtype=bool)))


def comparisons(table: pd.DataFrame, measure: str = "capability", *, ci: float | None = None) -> pd.DataFrame:
    """Every pair of agents compared in one measure: how far apart they are, and whether the data show it.

    Parameters
    ----------
    table : the result of `gl.generality(..., ci=0.95)`, sorted or cut to some agents as you like
    measure : "capability", "spread", "normalised_generality", "expected_difficulty" or "mean"
    ci : of the limits (one pair at a time) and of the verdicts (all pairs at once); the table's by default

    Returns
    -------
    DataFrame with one row a pair: `a`, `b`, units in `common`, `difference` with `low` and `high`, `p_value`,
    Holm's `p_adjusted`, and the `verdict`: "separated", "not separated" or "not comparable".

    Notes
    -----
    Capability and mean are sums over items: p is that of the exchange test (`measures/exchange.py`), or
    Student's if that is larger and one item or family dominates. Spread and γ are not sums: p is Student's,
    with at most half a degree of freedom per minority response, and never below the least p that an exchange
    can give. The limits are Student's; 0 lies outside them if and only if p <= 1 - ci. Only the items count,
    not what a curve does between them. Holm's method keeps the chance of a single false separation below
    1 - ci (measured: `notebooks/generality/coverage`).

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6, 65-70.

    Examples
    --------
    >>> table = generality(np.arange(40) < [[30], [29], [8]], difficulty=range(40), ci=0.95)
    >>> comparisons(table)[["a", "b", "difference", "verdict"]].round(1)
             a        b  difference        verdict
    0  agent 1  agent 2         1.0  not separated
    1  agent 1  agent 3        22.0      separated
    2  agent 2  agent 3        21.0      separated
    """
    choice("measure", measure, MEASURES)
    fit = fit_behind(table)
    level = confidence(table.attrs.get("ci") if ci is None else ci)
    first, second = np.triu_indices(len(table), 1)
    if np.isnan(fit.sample.values).any():
        found = _on_common_items(fit, measure, level)
    else:  # in blocks that bound the memory
        blocks = range(0, len(first), max(1, _BLOCK // fit.by_area.shape[1]))
        some = [slice(i, i + blocks.step) for i in blocks]
        parts = [pair_table(fit, measure, first[x], second[x], level) for x in some]
        found = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=_COLUMNS)
    found.insert(0, "a", table.index[first])
    found.insert(1, "b", table.index[second])
    found["p_adjusted"] = holm(found["p_value"].to_numpy())
    cases = [found["p_value"].isna(), found["p_adjusted"] <= 1 - level]
    found["verdict"] = np.select(cases, ["not comparable", "separated"], "not separated")
    return found


def paired_differences(
    responses: ResponsesLike,
    a: Label,
    b: Label,
    difficulty: DifficultyLike = None,
    *,
    interval: Interval | None = None,
    estimator: str = "trapezoid",
    ci: float = 0.95,
    resample: str = "items",
    missing: str = "error",
    extrapolate: str = "paper",
    seed: SeedLike = None,
) -> pd.DataFrame:
    """How far agent `a` is ahead of `b` in each measure, on the items that both met.

    Items that both find hard cancel in a difference, so it is often clear even where two intervals overlap.

    Parameters
    ----------
    responses, difficulty, interval, estimator, ci, resample, missing, extrapolate, seed : see `gl.generality`
    a, b : labels of two agents, chosen before looking at the data (otherwise use `gl.comparisons`)

    Returns
    -------
    DataFrame with one row a measure: units in `common`, `difference` with `low` and `high`, the `p_value` of
    no difference, as in `gl.comparisons`, and whether the two are `separated`.

    Examples
    --------
    >>> answers = [[1] * 14 + [0] * 6, [1] * 6 + [0] * 14]
    >>> found = paired_differences(answers, "agent 1", "agent 2", range(20))
    >>> found.loc["capability", ["difference", "low", "high"]].astype(float).round(1).tolist()
    [8.0, 5.2, 10.8]
    """
    level, study = confidence(ci), study_of(responses, difficulty, missing)
    known("a", [a], study.frame.index)
    known("b", [b], study.frame.index)
    ensure(a != b, "b", b, "[same-agent] is the same agent as a", "compare two agents")
    how: dict[str, Any] = {"interval": interval, "estimator": estimator, "extrapolate": extrapolate}
    how |= {"missing": missing, "ci": level, "resample": resample, "seed": seed}
    table = generality(study.select(agents=[a, b]), **how)
    found = pd.concat([comparisons(table, name) for name in MEASURES])[_COLUMNS]
    found.index = pd.Index(MEASURES)
    common, word = int(found["common"].iloc[0]), fit_behind(table).sample.word
    problem = f"[not-comparable] has only {common} {word} in common with a"
    remedy = f"measure both on at least {FEWEST_COMMON} of the same {word}"
    ensure(not found["p_value"].isna().any(), "b", b, problem, remedy)
    found["separated"] = found["p_value"] <= 1 - level
    return found


def fit_behind(table: pd.DataFrame) -> Fit:
    """The fit behind a table of `gl.generality(..., ci=...)`, for the agents that are still in it."""
    fit = getattr(table, "fit", None)
    if not isinstance(fit, Fit):
        problem = "[no-fit] does not carry the fit that comparisons need"
        remedy = "make it with gl.generality(..., ci=0.95), of fewer agents if they are thousands"
        raise BadInput("table", type(table).__name__, problem, remedy)
    problem, remedy = "[not-a-number] agents cannot be paired", f"keep 1 to {_MOST_AGENTS}"
    ensure(1 <= len(table) <= _MOST_AGENTS, "table", len(table), problem, remedy)
    where = fit.agents.get_indexer(table.index)
    stranger = table.index[where < 0]
    if len(stranger):
        raise BadInput("table", stranger[0], "[not-an-agent] was not studied", "rename no agents")
    return fit.rows(where)


def _on_common_items(fit: Fit, measure: str, ci: float) -> pd.DataFrame:
    """Each pair on the items that both met, with a fit of its own."""
    met, rows = ~np.isnan(fit.sample.values), []
    for a, b in zip(*np.triu_indices(len(met), 1), strict=True):
        gone = ~(met[a] & met[b])
        both = ~gone & (fit.sample.codes >= 0)
        common = len(np.unique(fit.sample.codes[both]))
        h = None if fit.sample.difficulty is None else fit.sample.difficulty[both]
        if common < FEWEST_COMMON or (h is not None and len(np.unique(h)) < 2):
            rows.append(pd.DataFrame({"common": [common]}))
            continue
        sample = fit.sample.rows([a, b])
        trials = None if sample.trials is None else np.where(gone[:, None], np.nan, sample.trials)
        sample = replace(sample, values=np.where(gone, np.nan, sample.values), trials=trials)
        if h is not None:
            span = max(fit.interval[0], float(h.min())), min(fit.interval[1], float(h.max()))
            sample = replace(sample, scale=replace(sample.scale, interval=span, origin=None))
        rows.append(pair_table(fit_of(sample), measure, np.array([0]), np.array([1]), ci))
    return pd.concat(rows, ignore_index=True).reindex(columns=_COLUMNS)


def pair_table(fit: Fit, measure: str, first: np.ndarray, second: np.ndarray, ci: float) -> pd.DataFrame:
    """Difference, limits and p value of pairs (P,) of agents, given by position."""
    part, cells = linear(fit)[measure], _cells(fit, measure)
    error = part.error[first] - part.error[second]
    own = (part.own - part.design)[first] + (part.own - part.design)[second]
    pull = np.hypot(part.pull[first], part.pull[second])
    freedom = degrees(error, pull, own, welch(fit, part, first, second))
    plain, width = plain_values(fit, measure), float(np.max(part.top - part.bottom))
    tested = part.estimate[first] - part.estimate[second]
    deviation = np.sqrt((error**2).sum(axis=1) + own)
    p = 2 * stdtr(freedom, -np.abs(tested) / np.maximum(deviation, 1e-300))
    if measure in LINEAR:
        p = np.where(dominated(fit, measure)[first], p, 0.0)
        p = np.maximum(p, exchange(cells, first, second))
    else:
        p = np.maximum(p, least_exchange(cells, first, second))
    p = np.where(np.abs(tested) <= _ROUNDING * width, 1.0, p)
    if measure == "spread":  # squares were tested: their errors, in the unit of the spread
        tested, deviation = _of_roots(part, first, second)
        width = np.sqrt(width)
    half = half_width(deviation, ci, freedom)
    ends = np.maximum(tested - half, -width), np.minimum(tested + half, width)
    common = np.minimum(fit.units[first], fit.units[second])
    columns = common, plain[first] - plain[second], *_as_tested(*ends, tested, p <= 1 - ci), p
    return pd.DataFrame(dict(zip(_COLUMNS, columns, strict=True)))


def dominated(fit: Fit, measure: str) -> np.ndarray:
    """(A,): does one unit decide much of the measure? If both agents fail there, an exchange shows only the
    others, though one of the two agents may be better at just that unit."""
    weight = fit.weight_area
    if measure == "mean" and fit.sample.trials is None:  # agents that are compared met the same items
        met = (fit.sample.codes >= 0) & ~np.isnan(fit.sample.values[0])
        sizes = np.bincount(fit.sample.codes[met], minlength=fit.sample.units).astype(float)
        weight = np.broadcast_to(sizes, weight.shape)
    square = weight**2
    return np.asarray(_DOMINATES * square.max(axis=1) > square.sum(axis=1))


def _as_tested(low: FloatArray, high: FloatArray, at: FloatArray, separated: np.ndarray) -> Pair:
    """Limits that say what the test says: they reach 0 where the two agents are not separated, and do not
    cross it where they are. Either way a difference of 0 is left out only where the test rejects it."""
    up, down = separated & (at > 0), separated & (at < 0)
    low = np.where(up, np.maximum(low, 0.0), np.where(down, low, np.minimum(low, 0.0)))
    high = np.where(down, np.minimum(high, 0.0), np.where(up, high, np.maximum(high, 0.0)))
    return low, high


def _of_roots(part: Linear, first: np.ndarray, second: np.ndarray) -> Pair:
    """Difference of the spreads and its deviation (P,): δS = δS²/2S, with each agent's own slope, which is no
    steeper than at the error of its S²."""
    own = part.own - part.design
    error = (part.error**2).sum(axis=1) + own
    at = np.sqrt(np.maximum(part.estimate, 0.0))
    slope = np.maximum(2 * at, np.maximum(error, 1e-300) ** 0.25)
    moved, alone = part.error / slope[:, None], own / slope**2
    shown = ((moved[first] - moved[second]) ** 2).sum(axis=1)
    return at[first] - at[second], np.sqrt(shown + alone[first] + alone[second])


def plain_values(fit: Fit, measure: str, sums: FloatArray | None = None) -> FloatArray:
    """The measure as the table shows it, from area, moment and mean (3, …, A); by default the fit's."""
    area, moment, mean = (fit.area, fit.moment, fit.mean) if sums is None else sums
    if measure == "mean":
        return np.asarray(mean)
    if fit.sample.floor is not None:
        area, moment = feasible(area, moment, fit.interval[1] - fit.interval[0])
    return np.asarray(getattr(from_sums(area, moment, fit.sample.scale), measure))


def welch(fit: Fit, part: Linear, first: np.ndarray, second: np.ndarray) -> FloatArray:
    """Welch's degrees of freedom from those of the two agents: units less one, and for spread and γ at most
    half a degree per minority response, because with many pairs the far tails decide."""
    variance = (part.error**2).sum(axis=1) + part.own
    most = np.minimum(fit.units - 1.0, PER_MINORITY * fit.seen if part.minority else np.inf)
    most = np.maximum(most, 1e-9)
    a, b = variance[first], variance[second]
    fourth = a**2 / most[first] + b**2 / most[second]
    return np.divide((a + b) ** 2, fourth, out=np.full_like(a, np.inf), where=fourth > 0)


def _cells(fit: Fit, measure: str) -> FloatArray:
    """Contributions (A, F) of each unit to the area, or the mean, of each agent."""
    if fit.sample.trials is None:
        area, _, mean = unit_sums(fit)
        return np.asarray(mean if measure == "mean" else area)
    if measure != "mean":
        return fit.solved * fit.weight_area
    known = ~np.isnan(fit.sample.trials)
    count = known.sum(axis=2, keepdims=True)
    share = known / np.maximum(count, 1) / np.maximum((count > 0).sum(axis=1, keepdims=True), 1)
    return np.asarray(fit.solved * share.reshape(len(known), -1))
