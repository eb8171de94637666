"""`gl.horizon`: how long are the tasks that an agent solves, and how gradually does it fail?

METR's time horizon and the generality paper's capability are read off one curve; the slope that the
horizon literature leaves unprinted is the spread. Beside the logistic curve stands the exact one.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from gindex_lab.foundation.carried import Measured
from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import NumbersLike, ResponsesLike, SeedLike
from gindex_lab.foundation.validate import Mode, number
from gindex_lab.measures.curves import Interval
from gindex_lab.measures.horizons.draws import Replicates, draws_of, first_seed, replicates_of
from gindex_lab.measures.horizons.estimates import HorizonSettings, estimates, horizon_name
from gindex_lab.measures.horizons.fitting import plateaus_of
from gindex_lab.measures.horizons.limits import Ends, ends_of_draws, exact_limits, limits_without_draws
from gindex_lab.measures.horizons.runs import Runs, runs_of

__all__ = ["FEW_FAMILIES", "horizon"]

FEW_FAMILIES = 10  # `specs/horizon.md`, section 15
_REFERENCE_SEED = 42  # of the published code (section 5)
_UNMEASURED = ("weighted_mean", "loss")
_NOT_MEASURED = "no limits for weighted_mean and loss: how often percentiles hold them was not measured"


def horizon(
    responses: ResponsesLike,
    minutes: NumbersLike = None,
    *,
    levels: tuple[float, ...] = (0.5, 0.8),
    weights: NumbersLike = "diversity",
    penalty: float = 1e-5,
    interval: Interval | None = None,
    estimator: Literal["trapezoid", "step", "isotonic"] = "trapezoid",
    ci: float | None = None,
    resample: Literal["families", "items", "trials"] = "families",
    method: Literal["bootstrap", "jackknife", "sandwich"] = "bootstrap",
    draws: int = 1000,
    floor: NumbersLike = 0.0,
    ceiling: NumbersLike = 1.0,
    noise: float = 0.0,
    error: Literal["classical", "berkson"] = "classical",
    mode: Mode = "exact",
    missing: Literal["drop", "error"] = "drop",
    seed: SeedLike = None,
) -> pd.DataFrame:
    """Time horizon, spread and generality of every agent, from its success on tasks of known length.

    Per agent a logistic curve of success against h = log2(human minutes) is fitted: minimise
    Σ w [ln(1 + e^η) - y η] + (λ/2) b², η = a + b h. The length at which it crosses p is the horizon,
    2^((logit p - a)/b). With θ = -a/b and β = -b the same curve has capability Ψ = θ and spread
    S = π/(√3 β) doublings, the standard deviation of the agent's threshold. The exact curve of
    `gl.generality` is given beside it.

    Parameters
    ----------
    responses : Responses, DataFrame or array, agents x items, each in [0, 1]
        With `.trials` every run counts by itself; trials may have `minutes` of their own.
    minutes : column of `.items`, numbers or mapping by item
        By default the column "minutes"; without one the difficulty is taken as log2 minutes.
    levels : shares of success at which horizons are read
    weights : "diversity", "equal", None, or numbers
        "diversity", as published: 1/(runs on the task)/√(tasks of the family); "equal" without the families;
        None every run alike; each is scaled to sum 1. Numbers (per item, per trial, or a column) are taken
        as they are.
    penalty : λ; 0.1 is what was printed before March 2026. It competes with the weight of one agent
    interval : (low, high) in log2 minutes; the range of the items, the same for all agents, by default
    estimator : of the exact curve
    ci : confidence of the limits `*_low` and `*_high`; None for no limits
    resample : what another study would draw anew: families, items and runs; items and runs; or runs
    method : how the limits are found: draws, or a formula that needs none
    draws : number of replicates of the bootstrap
    floor, ceiling : share of success below or above which the curve never goes, or "fit"
        ψ = c + (d - c) / (1 + e^{β(h - θ)}), three or four parameters; horizons are where ψ itself is p.
        `slope`, `location` and `spread_logistic` are those of the logistic part.
    noise : standard deviation of the error of log2 minutes
        Location, slope and spread are corrected in closed form (`specs/horizon.md`, section 11).
    error : whether the minutes were measured ("classical") or assigned by a rule ("berkson")
    mode : "exact", or "reference" for the published code
        That is: scikit-learn's early stop, seeds 42 + i, and replicates with one class left out.
    missing : whether an agent may have missed items
    seed : of the draws; replicate i is seeded with seed + i
        So seed=42 takes the published draws, and seeds for independent draws must lie further apart than
        `draws`.

    Returns
    -------
    DataFrame
        Per agent `horizon_50`, `horizon_80` (minutes), `slope` (β), `location` (θ), `capability_logistic`,
        `spread_logistic` (unlimited), `capability_logistic_tested`, `spread_logistic_tested`,
        `normalised_generality_logistic` (on the interval), `capability`, `spread`, `generality`,
        `normalised_generality` (exact curve), `mean`, `weighted_mean`, `loss`, `n_items`, `n_trials`, `note`.
        `.attrs` holds the settings and what the draws left out.

    Notes
    -----
    "jackknife" (one family, item or run left out at a time) and "sandwich" (the formula of section 15) are
    the quick way for hundreds of agents; with few families the jackknife covers better
    (`data/measured/horizon_coverage.csv`). Both limit the logistic measures only: without a family the exact
    curve and the means lose its lengths, so the design moves and not the agent.

    The exact curve and the mean have the limits of `gl.generality(..., ci=)`, with families as units where
    families are drawn: percentiles of its draws cover far less than they say. They are NaN, and
    `.attrs["notes"]` says why, for "isotonic", for runs with minutes of their own and for fewer than three
    families; `weighted_mean` and `loss` have none. `mode="reference"` keeps the percentiles of the published
    draws.

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
    exact, bootstrap = mode == "exact", method == "bootstrap"
    problem, remedy = "[missing] is needed for the draws", "pass a whole number, seed=1"
    ensure(ci is None or not bootstrap or not exact or seed is not None, "seed", None, problem, remedy)
    plateaus = plateaus_of(floor, ceiling)
    plain = plateaus == (0.0, 1.0) and noise == 0
    problem = "[not-with-method] are not known to the published code, nor to limits without draws"
    remedy, given = "use mode='exact' and method='bootstrap'", (floor, ceiling, noise)
    ensure(plain or (exact and (ci is None or bootstrap)), "floor, ceiling, noise", given, problem, remedy)
    runs = runs_of(responses, minutes, weights, missing)
    span, ridge, noise = _span(runs, interval), float(penalty), float(noise)
    settings = HorizonSettings(_levels(levels), ridge, span, estimator, mode, plateaus, noise, error)
    found, fitted = estimates(runs, settings)
    known = getattr(responses, "agents", None)
    agents = known if isinstance(known, pd.DataFrame) else pd.DataFrame(index=runs.agents)
    table = Measured(found)
    table.replicates = Replicates(agents)
    table.attrs = {
        "interval": span,
        "penalty": ridge,
        "weights": weights if isinstance(weights, str) or weights is None else "given",
        "mode": mode,
        "floor": floor,
        "ceiling": ceiling,
        "noise": noise,
        "levels": settings.levels,
        "families": len(runs.families),
        "notes": _notes(runs),
    }
    if ci is None:
        return table
    table.attrs |= {"ci": ci, "resample": resample, "method": method}
    if not bootstrap:
        table.attrs["notes"] += _about_method(runs, method)
        return _joined(table, limits_without_draws(runs, fitted, settings, ci, resample, method))
    drawn = draws_of(runs, resample, draws, first_seed(seed) if exact else _REFERENCE_SEED)
    table.replicates, unusual = replicates_of(runs, drawn, settings, fitted, agents)
    limits = _over_draws(table, ci)
    if exact:
        of_curve, why_not = exact_limits(runs, table, settings, ci, resample)
        limits |= of_curve | dict.fromkeys(_UNMEASURED, (np.full(len(table), np.nan),) * 2)
        table.attrs["notes"] += (*why_not, _NOT_MEASURED)
    table.attrs |= {"draws": draws, **unusual.to_dict()}
    return _joined(table, limits)


def _levels(levels: object) -> tuple[float, ...]:
    try:
        given: tuple[object, ...] = tuple(levels)  # type: ignore[arg-type]
    except TypeError:
        given = (levels,)
    found = tuple(number("levels", p, 0, 1, open_ends=True) for p in given)
    ensure(found, "levels", levels, "[empty] is empty", "use levels=(0.5, 0.8)")
    problem = "[duplicate-label] holds a level twice"
    ensure(len(set(found)) == len(found), "levels", levels, problem, "name each level once")
    return found


def _span(runs: Runs, given: Interval | None) -> Interval:
    low, high = runs.interval
    if given is None:
        return low, high
    if given[0] >= high or given[1] <= low:
        problem = f"[out-of-range] does not meet the tested lengths, {low:.4g} to {high:.4g} log2 minutes"
        raise BadInput("interval", given, problem, "give (low, high) in log2 minutes, not in minutes")
    return float(given[0]), float(given[1])


def _notes(runs: Runs) -> tuple[str, ...]:
    n = len(runs.families)
    if not n:
        return (*runs.notes, "no families: items are drawn as if they were independent")
    few = f"few families ({n}): intervals are rough, and may cover less than stated"
    return (*runs.notes, few) if n < FEW_FAMILIES else runs.notes


def _about_method(runs: Runs, method: str) -> tuple[str, ...]:
    said = f"the {method} limits the logistic measures only; method='bootstrap' the exact curve, too"
    if method == "sandwich" and 0 < len(runs.families) < FEW_FAMILIES:
        return (said, "with few families method='jackknife' covers better than the sandwich")
    return (said,)


def _over_draws(table: Measured, ci: float) -> Ends:
    drawn = table.replicates.measures.items()
    limits = {
        name: ends_of_draws(x, ci, 0.0 if name.startswith("horizon_") else -np.inf) for name, x in drawn
    }
    if table.attrs["mode"] == "reference":
        # an agent without any success is printed with limits of 0
        none = (table["slope"] == np.inf).to_numpy()
        for name in map(horizon_name, table.attrs["levels"]):
            low, high = limits[name]
            limits[name] = np.where(none, 0.0, low), np.where(none, 0.0, high)
    return limits


def _joined(table: Measured, limits: Ends) -> pd.DataFrame:
    columns = {f"{k}_{side}": ends[i] for k, ends in limits.items() for i, side in enumerate(("low", "high"))}
    joined = Measured(pd.concat([table, pd.DataFrame(columns, index=table.index)], axis=1))
    joined.attrs, joined.replicates = table.attrs, table.replicates
    return joined
