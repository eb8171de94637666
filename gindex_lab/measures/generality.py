"""The agent characteristic curve and its indicators: how capable is an agent, and how general?

ψ(h) is an agent's mean response on items of difficulty h. The area under it is the capability Ψ; how
far it is from a step (everything up to Ψ, nothing beyond) is the spread S; generality is Γ = 1/S and
γ compares S with that of a constant curve of the same capability. Source: Hernández-Orallo, Loe,
Cheke, Martínez-Plumed and Ó hÉigeartaigh, "General Intelligence Disentangled", supplement, E.
"""

from __future__ import annotations

import warnings
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, Caution, ensure
from gindex_lab.foundation.guessing import floors_of
from gindex_lab.foundation.likes import DifficultyLike, Label, PerItemLike, ResponsesLike, SeedLike
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.step_curves import StepCurves
from gindex_lab.foundation.validate import FloatArray, choice, generator, mode_of, pair, refuse
from gindex_lab.measures.curves import ESTIMATORS, Interval, Scale, indicators_of, merge, span_of, sums_of
from gindex_lab.measures.reference import reference_study
from gindex_lab.measures.samples import RESAMPLE, of_positions

__all__ = ["characteristic_curve", "difficulties_of", "generality", "study_of"]

_LARGEST = 1e100  # of which a float still holds the square
_UNMET = 0.25  # of the interval, from which on `gl.generality` warns: a judgement


def generality(
    responses: ResponsesLike,
    difficulty: DifficultyLike = None,
    *,
    interval: Interval | None = None,
    estimator: str = "trapezoid",
    ci: float | None = None,
    resample: str = "items",
    seed: SeedLike = None,
    mode: str = "exact",
    missing: str = "error",
    extrapolate: str = "paper",
    method: str = "plain",
    floor: PerItemLike = None,
) -> pd.DataFrame:
    """Capability, spread and generality of every agent, from its responses on items of known difficulty.

    On the interval [low, high] of width q, with A = ∫ψ dh: capability Ψ = low + A (Eq. 7), spread
    S = √(2∫(h - low)ψ dh - A²) (Eq. 9), generality Γ = 1/S (Eq. 5), normalised generality
    γ = 1 - S²/(A(q - A)) (Eq. 6: 1 a step, 0 a constant curve, -1 an increasing step), expected
    difficulty H = ∫hψ / ∫ψ (Eq. 8); `abstruse` is γ < 0, `mean` the plain mean response. Agents that solve
    all or nothing are steps: S = 0, Γ = ∞, γ = 1 (H = low if there is no area at all).

    Parameters
    ----------
    responses : Responses, DataFrame or array, agents x items, each in [0, 1]
        What a transform such as `gl.rank` returns brings its own difficulties and interval.
    difficulty : numbers, Series, mapping, or the name of a column of `responses.items`
    interval : (low, high)
        An interval inside the data cuts the interpolated curve at its ends. Without one, γ is taken on
        the range of the difficulties, and H is counted from `difficulty_limits` (0 if none is negative).
    estimator : "trapezoid" or "step"
        Straight lines between the difficulties (the authors' code), or each response holds from the previous
        difficulty to its own (section C.3); without an interval the first step is as wide as the second.
    ci, resample, seed : confidence of the limits `*_low` and `*_high`, and the units that would differ in
        another study: "items", "families" or "trials". Nothing is drawn at random, so no seed is needed.
    mode : "exact", or "reference", which is the authors' code with its artefacts
    missing : "error", or "drop": each agent's curve passes through the items that it met
        Where others met easier or harder items than it did, its curve stays as it is at its ends.
    extrapolate : "paper" (solved left of all items, failed right of them) or "hold" (as at the ends)
    method : "plain", "isotonic", "smooth" or "pooled"
        The curve: the mean responses themselves; the closest falling curve; a penalised logistic spline
        for each agent; or one model of all agents, items and families, which pulls agents with little data
        towards the others. Limits of the last two lie half-way between the model's and the plain ones;
        `gl.method_coverage` and `notebooks/generality/methods` show how often they hold.
    floor : a number, or a mapping of items or families to numbers
        What guessing gives, c (¼ with four options): a response r then counts (r - c)/(1 - c) (Abbott 1925),
        so that an agent that guesses has capability `low`; its γ has the limits -1 and 1. `mean` stays.

    Returns
    -------
    DataFrame with one row an agent and the measures as columns. With `ci`, also limits; `*_bounds`, which is
    False where these are an interval, which holds about as often as `ci` says, and True where they hold at
    least as often (`notebooks/generality/interval`); and the number of `effective_items`.

    References
    ----------
    Hernández-Orallo et al. (2021), supplement, Eqs. 5-9. Limits: `measures/limits.py`.

    Examples
    --------
    >>> table = generality([[1, 1, 0.5, 0, 0], [0.5] * 5], difficulty=[0, 1, 2, 3, 4])
    >>> table[["capability", "spread", "normalised_generality"]].round(3)
             capability  spread  normalised_generality
    agent 1         2.0   0.577                  0.917
    agent 2         2.0   2.000                  0.000
    """
    kind = mode_of(mode)
    choice("estimator", estimator, ESTIMATORS)
    choice("resample", resample, RESAMPLE)
    choice("extrapolate", extrapolate, ["paper", "hold"])
    if seed is not None:
        generator(seed)
    study = _with_levels(responses, difficulty)
    if method != "plain":
        from gindex_lab.measures.alternatives.methods import by_method, cannot

        cannot(study, method, kind, estimator, resample)
    _check_together(study, kind, estimator, extrapolate, method, floor)
    given, h = pair("interval", interval) or study.interval, difficulties_of(study)
    span, origin = _span(given, h, estimator)
    scale = Scale(span, estimator, origin, extrapolate)
    floors = None if floor is None else np.asarray(floors_of(study, floor), dtype=float)
    rows = study.values if floors is None else 1 - (1 - study.values) / (1 - floors)
    sums = sums_of(h, rows, scale)
    _check_missing(study, missing, sums[2])
    _warn_of_unmet(study, span, np.isnan(sums[2]))
    positions = study.positions if isinstance(study, StepCurves) and study.continuous else None
    if kind == "reference":
        never = "[not-in-reference] is a continuous curve, which the authors never draw"
        ensure(positions is None, "columns", None, never, "use columns=100")
        found = reference_study(h, study.values, given)
    elif positions is not None:
        found = of_positions(positions.to_numpy(), span)
    else:
        found = indicators_of(scale, sums, h, rows, guesses=floors is not None)
    columns: dict[str, Any] = found._asdict()
    total = sums[2] if floors is None else study.values.sum(axis=1)
    columns["mean"] = _mean(study, total) if positions is None else positions.mean(axis=1).to_numpy()
    columns["abstruse"] = columns.pop("abstruse")
    # the arrays are new and nobody else's: a copy of them would be a tenth of the time
    table = pd.DataFrame(columns, study.frame.index.copy(), copy=False)
    table.attrs = asdict(scale) | {"mode": kind}
    if floors is not None:
        table.attrs["floor"] = tuple(floors.tolist())
    if method != "plain":
        return by_method(study, table, method, ci, resample)
    if ci is None:
        return table
    from gindex_lab.measures.limits import with_limits

    return with_limits(study, table, ci, resample)


def _check_together(
    study: Responses, mode: str, estimator: str, extrapolate: str, method: str, floor: PerItemLike
) -> None:
    """Refuse combinations: the authors' code has one estimator and no floor, which needs plain responses."""
    exact = mode == "exact"
    theirs = "[not-in-reference] is not what the authors' code does", "use mode='exact'"
    ensure(exact or estimator == "trapezoid", "estimator", estimator, *theirs)
    ensure(exact or extrapolate == "paper", "extrapolate", extrapolate, *theirs)
    if floor is None:
        return
    ensure(exact, "mode", mode, "does not know a floor", "leave out floor=")
    ensure(method == "plain", "method", method, "does not know a floor", "leave out floor=")
    problem = "needs responses: positions among agents say nothing of guessing"
    remedy = "give the items difficulties instead of ranking"
    ensure(not isinstance(study, StepCurves), "floor", floor, problem, remedy)


def study_of(
    responses: ResponsesLike, difficulty: DifficultyLike = None, missing: str = "error"
) -> Responses:
    """The responses with their difficulties, checked: the starting point of every measure."""
    study = _with_levels(responses, difficulty)
    _check_missing(study, missing, study.values @ np.ones(study.shape[1]))
    return study


def _with_levels(responses: ResponsesLike, difficulty: DifficultyLike) -> Responses:
    remedy = "turn them into responses first, for instance with gl.rank(scores)"
    problem = "[raw-scores] holds raw scores"
    ensure(not isinstance(responses, Scores), "responses", responses, problem, remedy)
    if not isinstance(responses, Responses):
        study = Responses(responses, difficulty=difficulty)
    else:
        study = responses if difficulty is None else responses.with_difficulty(difficulty)
    h = study.difficulty
    if h is None:
        remedy = "pass it, or make it with gl.rank, gl.absolute_reference or gl.irt_difficulty"
        raise BadInput("difficulty", None, "[no-difficulty] is needed: the items have none", remedy)
    problem = "[one-difficulty] is the only difficulty, and one point makes no curve"
    remedy = "use items of at least two difficulties"
    ensure(h.nunique() > 1, "difficulty", h.iloc[0], problem, remedy)
    _check_size("difficulty", float(h.min()), float(h.max()))
    return study


def _check_size(name: str, low: float, high: float) -> None:
    """Spread is a square: numbers whose squares exceed a float are refused."""
    fits = max(abs(low), abs(high)) <= _LARGEST and high - low >= 1 / _LARGEST
    problem = f"[too-wide] cannot be squared (beyond {_LARGEST:g}, or within {1 / _LARGEST:g})"
    ensure(fits, name, (low, high), problem, "measure difficulty in another unit")


def _check_missing(study: Responses, missing: str, total: FloatArray) -> None:
    """Refuse, or check, the rows whose sum is NaN."""
    choice("missing", missing, ["error", "drop"])
    short = study.frame[np.isnan(total)]
    if missing == "error":
        remedy = "pass missing='drop' to study each agent on the items that it met"
        refuse("responses", short, short.isna(), "[missing] is missing", remedy)
    empty = short.index[short.isna().all(axis=1)]
    if len(empty):
        remedy = "leave it out with responses.select(agents=...)"
        raise BadInput("responses", empty[0], "[no-response] has not a single response", remedy)


def _warn_of_unmet(study: Responses, interval: Interval, gaps: np.ndarray) -> None:
    """A `Caution` about agents that met no item on a large part of the interval where others did."""
    if not gaps.any() or isinstance(study, StepCurves):
        return
    h = np.clip(difficulties_of(study), *interval)
    met = ~np.isnan(study.values[gaps])
    reach = np.where(met, h, -np.inf).max(axis=1) - np.where(met, h, np.inf).min(axis=1)
    unmet = study.frame.index[gaps][np.ptp(h) - reach > _UNMET * (interval[1] - interval[0])]
    if len(unmet):
        text = (
            f"[unmet] {len(unmet)} of {len(study.frame)} agents ({unmet[0]!r} first) met no item on more "
            f"than {_UNMET:.0%} of the interval, where others did. Their curves are held level there, so "
            "their capability may be far off: the limits of ci= allow for that, gl.comparisons compares "
            "agents on common items, and method='pooled' predicts the rest"
        )
        warnings.warn(text, Caution, stacklevel=4)


def difficulties_of(study: Responses) -> FloatArray:
    """The difficulties of a study's items as an array (N,)."""
    assert study.difficulty is not None
    return np.asarray(study.difficulty.to_numpy(), dtype=float)


def _span(given: Interval | None, h: FloatArray, estimator: str) -> tuple[Interval, float]:
    if given is None:
        return span_of(h, estimator)
    _check_size("interval", *given)
    return given, given[0]


def _mean(study: Responses, total: FloatArray) -> FloatArray:
    """The mean response over the items met. End points that a transform added are not items."""
    if "anchor" in study.items:
        return np.asarray(study.frame.loc[:, ~study.items["anchor"].astype(bool)].mean(axis=1))
    mean, gaps = total / study.shape[1], np.flatnonzero(np.isnan(total))
    if len(gaps):
        mean[gaps] = np.nanmean(study.values[gaps], axis=1)
    return np.asarray(mean)


def characteristic_curve(
    responses: ResponsesLike,
    agent: Label = None,
    difficulty: DifficultyLike = None,
    *,
    method: str = "plain",
    ci: float | None = None,
    resample: str = "items",
) -> pd.DataFrame:
    """One agent's curve ψ: its mean response, and how many responses, at each difficulty (E.1).

    Parameters
    ----------
    responses, difficulty, method, resample : as in `gl.generality`
    agent : the label of an agent; None for the aggregated curve of all
    ci : confidence of the band, which holds ψ at each difficulty, one at a time; not for the plain curve

    Returns
    -------
    DataFrame `difficulty`, `response`, `n` (and `low`, `high`) of the difficulties that the agent met.

    Examples
    --------
    >>> characteristic_curve([[1, 0, 1, 0]], "agent 1", difficulty=[1, 2, 1, 1])
       difficulty  response  n
    0         1.0  0.666667  3
    1         2.0  0.000000  1
    """
    study = study_of(responses, difficulty, "drop")
    choice("resample", resample, ["items", "families"])
    if method != "plain" or ci is not None:
        from gindex_lab.measures.alternatives.methods import curve_by_method

        return curve_by_method(study, agent, method, ci, resample)
    if agent is not None:
        study = study.select(agents=[agent])
    values, h = study.values, difficulties_of(study)
    levels, psi, n = merge(values.reshape(1, -1), np.tile(h, len(values)))
    met = n[0] > 0
    curve = pd.DataFrame({"difficulty": levels[met], "response": psi[0, met], "n": n[0, met]})
    curve.attrs = {"interval": _span(study.interval, h, "trapezoid")[0], "agent": agent}
    return curve
