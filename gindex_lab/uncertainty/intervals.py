"""How sure are we? Intervals, differences and ties for capability, spread and generality.

The target is an agent's true curve ψ(h), the chance that it solves an item of difficulty h, on the
difficulties that were tested; what varies is which items of those difficulties came up (or which
families, or how the trials went). The default construction is studentised and covers 95% when it says
so (`notebooks/generality/coverage`); the plain percentile and BCa bootstraps are there to compare.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.acc.curves import Interval
from gindex_lab.errors import BadInput
from gindex_lab.responses import Responses
from gindex_lab.uncertainty.contributions import Contributions, contributions_of, lacking
from gindex_lab.uncertainty.percentile import Plan, resampled_limits, stacked
from gindex_lab.uncertainty.resample import MEASURES, draws
from gindex_lab.uncertainty.samples import Sample, sample_like
from gindex_lab.uncertainty.studentised import (
    Limits,
    limits,
    natural,
    quantile,
    variance_and_freedom,
)
from gindex_lab.uncertainty.ties import population_intervals, separations, tie_groups
from gindex_lab.validate import choice, generator, integer, number

__all__ = [
    "METHODS",
    "bootstrap_table",
    "paired_differences",
    "population_intervals",
    "separations",
    "tie_groups",
]

METHODS = ["studentised", "percentile", "bca"]
_DIFFERENCES = [name for name in MEASURES if name != "generality"]
_MOST_KEPT = 5_000_000  # cells of contributions that a table carries along for `tie_groups`
_SCALE = {"spread": (0.0, np.inf), "normalised_generality": (-1.0, 1.0), "mean": (0.0, 1.0)}
_BLOCK = 4_000_000  # cells of a temporary array


def bootstrap_table(
    responses: object,
    difficulty: object = None,
    *,
    interval: Interval | None = None,
    estimator: str = "trapezoid",
    ci: float = 0.95,
    resample: str = "items",
    method: str = "studentised",
    resamples: int = 2000,
    missing: str = "error",
    mode: str = "exact",
    table: pd.DataFrame | None = None,
    origin: float | None = None,
    checkpoint: str | PathLike[str] | None = None,
    jobs: int | None = 1,
    seed: object = None,
) -> pd.DataFrame:
    """The table of `gl.generality` with `<measure>_low` and `<measure>_high` at confidence `ci`.

    Parameters
    ----------
    resample : what would come out differently another time
        "items"; "families" (`items["family"]`: a game, a topic, whose items go together); "trials"
        (the items are these very items; needs repeated trials, and is therefore narrower).
    method : "studentised" (needs no random numbers), "percentile" or "bca" (Efron 1987)
        An item drawn twice brings nothing new to a curve that already passes through it, so drawing
        items only thins the curve out: with distinct difficulties the percentile interval has 0.87 of
        the right variance if they are evenly spaced, 0.75 if at random, and spread is biased besides.
        Prefer the default; the others are for comparison.
    resamples, seed : of percentile and BCa; `gl.tie_groups` takes the seed from the table
    table, origin : the estimates, and where H is counted from, when `gl.generality` has them already
    jobs, checkpoint : of percentile and BCa: processes that share the agents of a large table (a block
        of `4,000,000 / resamples` each), and a file that keeps finished blocks, so that an interrupted
        run with the same seed goes on where it was

    Notes
    -----
    In `mode="reference"` the estimates are the authors', the limits those of the exact measures.
    The mean response has items drawn from all difficulties as its target, the others do not.

    Responses that did not vary are no certainty: the default then counts half a surprise at either end,
    as Jeffreys' prior of a share does, which fades as 1/n. With few items the intervals are wide and
    cover more than they say. Spread and γ are freed of the bias of squaring a noisy area, so their
    interval lies around a larger spread than the plain estimate; it is lengthened by that correction
    where it would not hold the estimate. After `gl.rank` capability covers 95% or more from 5 items on,
    spread and γ from about 20 (about 93% at 10). After `gl.absolute_reference` the hardest item met sets
    the end of the curve, so a strong agent's capability is too low and is covered far less than stated.

    Examples
    --------
    >>> study = Responses([[1] * 12 + [0] * 8, [1, 0] * 10], difficulty=range(20))
    >>> bootstrap_table(study)[["capability_low", "capability", "capability_high"]].round(1)
             capability_low  capability  capability_high
    agent 1            10.0        11.5             12.9
    agent 2             4.9         9.5             14.1
    """
    from gindex_lab.acc.acc import generality, study_of

    level = number("ci", ci, 0, 1, open_ends=True)
    choice("method", method, METHODS)
    if checkpoint is not None and method == "studentised":
        raise BadInput("checkpoint", checkpoint, "is not needed: nothing is drawn", "leave it out")
    study = study_of(responses, difficulty, "drop" if table is not None else missing)
    if table is None:
        table = generality(
            study, interval=interval, estimator=estimator, mode=mode, missing=missing
        )
    if origin is not None:
        table.attrs["origin"] = number("origin", origin)
    sample = sample_like(table, study, resample)
    few = len(sample.agents) * sample.units <= _MOST_KEPT
    found = contributions_of(sample) if few else None
    if method == "studentised":
        parts = [found] if found else map(contributions_of, sample.blocks(_BLOCK // sample.units))
        ends = _around(table, stacked(limits(part, level) for part in parts))
    else:
        plan = Plan(method, level, integer("resamples", resamples, 100))
        ends = resampled_limits(sample, plan, generator(seed), jobs, checkpoint)
    return _joined(table, found, ends, level, seed)


def _around(table: pd.DataFrame, ends: Limits) -> Limits:
    """Limits freed of bias may pass an estimate that is not: an interval holds its estimate.

    Where one does, the plain estimate is off by at least the gap between them, and the interval goes on
    as far beyond it; an end that is an end of the scale stays there.
    """
    result = {}
    for name, (low, high) in ends.items():
        at = table[name].to_numpy(dtype=float)
        bottom, top = _SCALE.get(name, (-np.inf, np.inf))
        with np.errstate(invalid="ignore"):
            below = np.where(low > at, np.maximum(2 * at - low, bottom), low)
            above = np.where(high < at, np.minimum(2 * at - high, top), high)
        result[name] = np.minimum(below, at), np.maximum(above, at)
    low, high = result["spread"]
    with np.errstate(divide="ignore"):
        return result | {"generality": (1 / high, 1 / low)}


def _joined(
    table: pd.DataFrame, found: Contributions | None, ends: Limits, ci: float, seed: object
) -> pd.DataFrame:
    columns = {
        f"{name}_{side}": ends[name][k]
        for name in MEASURES
        for k, side in enumerate(["low", "high"])
    }
    joined = pd.concat([table, pd.DataFrame(columns, index=table.index)], axis=1)
    joined.attrs = table.attrs | {
        "ci": ci,
        "contributions": found,
        "seed": seed if isinstance(seed, (int, np.integer)) else None,
    }
    return joined


def paired_differences(
    responses: object,
    a: object,
    b: object,
    difficulty: object = None,
    *,
    interval: Interval | None = None,
    estimator: str = "trapezoid",
    ci: float = 0.95,
    resample: str = "items",
    method: str = "studentised",
    resamples: int = 2000,
    missing: str = "error",
    seed: object = None,
) -> pd.DataFrame:
    """How far agent `a` is ahead of `b` in each measure, both on the same (resampled) items.

    Items that both find hard fall out of a difference, so it is often sure where two intervals
    overlap. `p_value` is that of no difference (not given by the percentile method); one pair was
    chosen, nothing is corrected for looking at many: for that see `gl.tie_groups`.

    >>> study = Responses([[1] * 14 + [0] * 6, [1] * 6 + [0] * 14], difficulty=range(20))
    >>> found = paired_differences(study, "agent 1", "agent 2")
    >>> found.loc["capability", ["difference", "low", "high"]].astype(float).round(1).tolist()
    [8.0, 5.7, 10.3]
    """
    from gindex_lab.acc.acc import generality, study_of

    level = number("ci", ci, 0, 1, open_ends=True)
    choice("method", method, ["studentised", "percentile"])
    study = study_of(responses, difficulty, missing)
    pair = _pair(study, a, b)
    table = generality(pair, interval=interval, estimator=estimator, missing=missing)
    sample = sample_like(table, pair, resample)
    rows = (
        _studentised_differences(contributions_of(sample), level)
        if method == "studentised"
        else _percentile_differences(sample, level, integer("resamples", resamples, 100), seed)
    )
    plain = table[_DIFFERENCES].iloc[0] - table[_DIFFERENCES].iloc[1]
    found = pd.DataFrame(rows).T
    found.insert(0, "difference", plain)
    found["separated"] = (found["low"] > 0) | (found["high"] < 0)
    return found


def _pair(study: Responses, a: object, b: object) -> Responses:
    for name, agent in (("a", a), ("b", b)):
        if not isinstance(agent, Hashable) or agent not in study.frame.index:
            raise BadInput(
                name,
                agent,
                "is not an agent of the table",
                f"known are {list(study.frame.index[:5])} …",
            )
    if a == b:
        raise BadInput("b", b, "is the same agent as a", "compare two agents")
    return study.select(agents=[a, b])


def _studentised_differences(found: Contributions, ci: float) -> dict[str, dict[str, float]]:
    from scipy.special import stdtr

    rows = {}
    apart = ((found.by_area[0] - found.by_area[1]) ** 2).sum()
    lack = lacking(apart, found.unseen[:, 0].sum())
    for name, part in natural(found).items():
        centre, most = part.estimate[0] - part.estimate[1], _largest(name, found)
        rest = np.maximum(0.0, lack * part.unseen.sum() - part.added.sum())
        variance, freedom = variance_and_freedom(
            part.error[0] - part.error[1], np.append(part.added.ravel(), rest)
        )
        error = float(np.sqrt(variance))
        half = float(quantile((1 + ci) / 2, freedom)) * error
        score = abs(centre) / error
        rows[name] = {
            "low": max(centre - half, -most),
            "high": min(centre + half, most),
            "p_value": float(2 * stdtr(min(float(freedom), 1e6), -score)),
        }
    return rows


def _largest(name: str, found: Contributions) -> float:
    """The largest difference that two agents can have in a measure."""
    q = found.interval[1] - found.interval[0]
    return {
        "capability": q,
        "spread": q / np.sqrt(2),
        "normalised_generality": 2.0,
        "expected_difficulty": found.interval[1] - found.origin,
        "mean": found.bounds[1] - found.bounds[0],
    }[name]


def _percentile_differences(
    sample: Sample, ci: float, resamples: int, seed: object
) -> dict[str, dict[str, float]]:
    drawn = draws(sample, resamples, generator(seed))
    ends: Sequence[float] = [(1 - ci) / 2, (1 + ci) / 2]
    rows: dict[str, Any] = {}
    for name in _DIFFERENCES:
        low, high = np.nanquantile(drawn[name][:, 0] - drawn[name][:, 1], ends)
        rows[name] = {"low": float(low), "high": float(high), "p_value": np.nan}
    return rows
