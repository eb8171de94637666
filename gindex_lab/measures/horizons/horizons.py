"""`gl.horizon`: how long are the tasks that an agent solves, and how gradually does it fail?

METR's time horizon and the generality paper's capability are read off one curve; the slope that the
horizon literature leaves unprinted is the spread. Beside the logistic curve stands the exact one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.carried import Measured
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import NumbersLike, ResponsesLike, SeedLike
from gindex_lab.foundation.validate import (
    choice,
    generator,
    integer,
    mode_of,
    number,
    pair,
)
from gindex_lab.measures.horizons.curves import ESTIMATORS
from gindex_lab.measures.horizons.draws import (
    RESAMPLE,
    Replicates,
    draws_of,
    first_seed,
    replicates_of,
)
from gindex_lab.measures.horizons.estimates import HorizonSettings, estimates
from gindex_lab.measures.horizons.limits import ends_of_draws, exact_limits
from gindex_lab.measures.horizons.noise import ERRORS
from gindex_lab.measures.horizons.plateaus import plateaus_of
from gindex_lab.measures.horizons.readings import horizon_name
from gindex_lab.measures.horizons.runs import Runs, runs_of
from gindex_lab.measures.horizons.sandwich import Limits, jackknife_limits, sandwich_limits

__all__ = ["FEW_FAMILIES", "horizon"]

FEW_FAMILIES = 10
_REFERENCE_SEED = 42
_WITHOUT_DRAWS = {"jackknife": jackknife_limits, "sandwich": sandwich_limits}
_METHODS = ("bootstrap", *_WITHOUT_DRAWS)
_UNMEASURED = ("weighted_mean", "loss")
_NOT_MEASURED = (
    "no limits for weighted_mean and loss: how often percentiles hold them was not measured"
)


def horizon(
    responses: ResponsesLike,
    minutes: NumbersLike = None,
    *,
    levels: tuple[float, ...] = (0.5, 0.8),
    weights: NumbersLike = "diversity",
    penalty: float = 1e-5,
    interval: tuple[float, float] | None = None,
    estimator: str = "trapezoid",
    ci: float | None = None,
    resample: str = "families",
    method: str = "bootstrap",
    draws: int = 1000,
    seed: SeedLike = None,
    floor: NumbersLike = 0.0,
    ceiling: NumbersLike = 1.0,
    noise: float = 0.0,
    error: str = "classical",
    mode: str = "exact",
    missing: str = "drop",
) -> pd.DataFrame:
    """Time horizon, spread and generality of every agent, from its success on tasks of known length.

    Per agent a logistic curve of success against h = log2(human minutes) is fitted: minimise
    Σ w [ln(1 + e^η) - y η] + (λ/2) b², η = a + b h. The length at which it crosses p is the horizon,
    2^((logit p - a)/b). With θ = -a/b and β = -b the same curve has capability Ψ = θ and spread
    S = π/(√3 β) doublings, the standard deviation of the agent's threshold. The exact curve of
    `gl.generality` stands beside it.

    Parameters
    ----------
    responses : Responses, DataFrame or array, agents x items, each in [0, 1]
        With `.trials` every run counts by itself; trials may carry `minutes` of their own.
    minutes : column of `.items`, numbers or mapping by item
        By default the column "minutes"; without one the difficulty is taken as log2 minutes.
    levels : shares of success at which horizons are read
    weights : "diversity", "equal", None, or numbers
        "diversity", as published: 1/(runs on the task)/√(tasks of the family), "equal" without the
        families, None every run alike; each is scaled to sum 1. Numbers (per item, per trial, or a
        column) are taken as they are.
    penalty : λ >= 0
        1e-5; 0.1 is what was printed before March 2026. It competes with the weight of one agent.
    interval : (low, high) in log2 minutes
        By default the range of the items of the study, the same for all agents.
    estimator : "trapezoid", "step" or "isotonic", of the exact curve
    ci, resample, method, draws, seed
        Add `*_low` and `*_high`. "bootstrap" draws families, then items, then runs (`resample="items"`
        keeps the families, "trials" the items); replicate i is seeded with seed + i, so seed=42 takes the
        published draws, and seeds for independent draws must lie further apart than `draws`.
        "jackknife" (one family, item or run left out at a time) and "sandwich" (the formula of section
        15) need no draws: the quick way for hundreds of agents. With few families the jackknife covers
        better (`data/measured/horizon_coverage.csv`). Both limit the logistic measures only: without a
        family the exact curve and the means lose its lengths, and what moves is not the agent.
        The exact curve and the mean have the limits of `gl.generality(..., ci=)`, with families as units
        where families are drawn: percentiles of its draws cover far less than they say. They are NaN, and
        `.attrs["notes"]` says why, for "isotonic", for runs with minutes of their own and for fewer than
        three families; `weighted_mean` and `loss` have none. `mode="reference"` keeps the percentiles of
        the published draws.
    floor, ceiling : share of success that is never left below or above, or "fit"
        ψ = c + (d - c) / (1 + e^{β(h - θ)}), three or four parameters; horizons are where ψ itself is p.
        `slope`, `location` and `spread_logistic` are those of the logistic part.
    noise, error : standard deviation of the error of log2 minutes, "classical" or "berkson"
        Location, slope and spread are corrected in closed form (`specs/horizon.md`, section 11).
    mode : "exact" or "reference"
        "reference" is the published code: scikit-learn's early stop, seeds 42 + i, replicates with one
        class left out.
    missing : "drop" or "error"

    Returns
    -------
    DataFrame
        Per agent `horizon_50`, `horizon_80` (minutes), `slope` (β), `location` (θ),
        `capability_logistic`, `spread_logistic` (unlimited), `capability_logistic_tested`,
        `spread_logistic_tested`, `normalised_generality_logistic` (on the interval), `capability`,
        `spread`, `generality`, `normalised_generality` (exact curve), `mean`, `weighted_mean`, `loss`,
        `n_items`, `n_trials`, `note`. `.attrs` holds the settings and what the draws left out.

    References
    ----------
    Kwa et al., "Measuring AI Ability to Complete Long Tasks" (arXiv 2503.14499); Lyptus Research,
    "Offensive Cyber Task Horizons" (2026); `specs/horizon.md`, sections 1 to 5, 9 and 12 to 15.

    Examples
    --------
    >>> minutes = [1, 2, 4, 8, 16, 32, 64, 128]
    >>> table = horizon([[1, 1, 1, 0, 1, 0, 0, 0]], minutes)
    >>> table[["horizon_50", "horizon_80", "spread_logistic"]].round(2)
             horizon_50  horizon_80  spread_logistic
    agent 1       11.31        5.35             1.41
    """
    kind = mode_of(mode)
    choice("estimator", estimator, ESTIMATORS)
    choice("resample", resample, RESAMPLE)
    choice("method", method, _METHODS)
    ridge = number("penalty", penalty, 0)
    level = None if ci is None else number("ci", ci, 0, 1, open_ends=True)
    n_draws = integer("draws", draws, 10)
    if seed is not None:
        generator(seed)
    if level is not None and method == "bootstrap" and kind == "exact" and seed is None:
        problem = "[missing] is needed for the draws"
        raise BadInput("seed", None, problem, "pass a whole number, seed=1")
    plateaus = plateaus_of(floor, ceiling)
    tau = number("noise", noise, 0)
    choice("error", error, ERRORS)
    plain = plateaus == (0.0, 1.0) and tau == 0
    if not plain and (kind == "reference" or (level is not None and method != "bootstrap")):
        raise BadInput(
            "floor, ceiling, noise",
            (floor, ceiling, noise),
            "[not-with-method] are not known to the published code, nor to limits without draws",
            "use mode='exact' and method='bootstrap'",
        )
    runs = runs_of(responses, minutes, weights, missing)
    span = _span(runs, pair("interval", interval))
    settings = HorizonSettings(_levels(levels), ridge, span, estimator, kind, plateaus, tau, error)
    table, fitted = estimates(runs, settings)
    known = getattr(responses, "agents", None)
    agents = known if isinstance(known, pd.DataFrame) else pd.DataFrame(index=runs.agents)
    table = Measured(table)
    table.replicates = Replicates(agents)
    table.attrs = {
        "interval": span,
        "penalty": ridge,
        "weights": weights if isinstance(weights, str) or weights is None else "given",
        "mode": kind,
        "floor": floor,
        "ceiling": ceiling,
        "noise": tau,
        "levels": settings.levels,
        "families": len(runs.families),
        "notes": _notes(runs),
    }
    if level is None:
        return table
    table.attrs |= {"ci": level, "resample": resample, "method": method}
    if method in _WITHOUT_DRAWS:
        table.attrs["notes"] += _about_method(runs, method)
        return _joined(table, _WITHOUT_DRAWS[method](runs, fitted, settings, level, resample))
    start = _REFERENCE_SEED if kind == "reference" else first_seed(seed)
    drawn = draws_of(runs, resample, n_draws, start)
    found = replicates_of(runs, drawn, settings, fitted)
    limits = _over_draws(table, found, level)
    if kind == "exact":
        of_curve, why_not = exact_limits(runs, table, settings, level, resample)
        limits |= of_curve | dict.fromkeys(_UNMEASURED, (np.full(len(table), np.nan),) * 2)
        table.attrs["notes"] += (*why_not, _NOT_MEASURED)
    table.attrs |= {
        "draws": n_draws,
        **{name: column.to_dict() for name, column in found["unusual"].items()},
    }
    table.replicates = Replicates(agents, found["measures"], found["as_published"])
    return _joined(table, limits)


def _levels(levels: object) -> tuple[float, ...]:
    try:
        given: tuple[Any, ...] = tuple(levels)  # type: ignore[arg-type]
    except TypeError:
        given = (levels,)
    if not given:
        raise BadInput("levels", levels, "[empty] is empty", "use levels=(0.5, 0.8)")
    found = tuple(number("levels", p, 0, 1, open_ends=True) for p in given)
    if len(set(found)) < len(found):
        problem = "[duplicate-label] holds a level twice"
        raise BadInput("levels", levels, problem, "name each level once")
    return found


def _span(runs: Runs, given: tuple[float, float] | None) -> tuple[float, float]:
    low, high = runs.interval
    if given is None:
        return low, high
    if given[0] >= high or given[1] <= low:
        problem = (
            f"[out-of-range] does not meet the tested lengths, {low:.4g} to {high:.4g} log2 minutes"
        )
        remedy = "give (low, high) in log2 minutes, not in minutes"
        raise BadInput("interval", given, problem, remedy)
    return given


def _notes(runs: Runs) -> tuple[str, ...]:
    n = len(runs.families)
    if not n:
        return (*runs.notes, "no families: items are drawn as if they were independent")
    if n < FEW_FAMILIES:
        return (
            *runs.notes,
            f"few families ({n}): intervals are rough, and may cover less than stated",
        )
    return runs.notes


def _about_method(runs: Runs, method: str) -> tuple[str, ...]:
    said = (
        f"the {method} limits the logistic measures only; method='bootstrap' the exact curve, too"
    )
    if method == "sandwich" and 0 < len(runs.families) < FEW_FAMILIES:
        return (said, "with few families method='jackknife' covers better than the sandwich")
    return (said,)


def _over_draws(table: pd.DataFrame, found: dict[str, Any], ci: float) -> Limits:
    limits = {}
    for name, values in found["measures"].items():
        limits[name] = ends_of_draws(values, ci, 0.0 if name.startswith("horizon_") else -np.inf)
    if table.attrs["mode"] == "reference":
        # an agent without any success is printed with limits of 0
        none = (table["slope"] == np.inf).to_numpy()
        for p in table.attrs["levels"]:
            low, high = limits[horizon_name(p)]
            limits[horizon_name(p)] = np.where(none, 0.0, low), np.where(none, 0.0, high)
    return limits


def _joined(table: Measured, limits: Limits) -> pd.DataFrame:
    columns = {
        f"{k}_{side}": ends[i]
        for k, ends in limits.items()
        for i, side in enumerate(("low", "high"))
    }
    joined = Measured(pd.concat([table, pd.DataFrame(columns, index=table.index)], axis=1))
    joined.attrs, joined.replicates = table.attrs, table.replicates
    return joined
