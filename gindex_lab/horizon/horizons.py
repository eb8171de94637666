"""`gl.horizon`: how long are the tasks that an agent solves, and how gradually does it fail?

METR's time horizon and the generality paper's capability are read off one curve; the slope that the
horizon literature leaves unprinted is the spread. Beside the logistic curve stands the exact one.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.errors import BadInput
from gindex_lab.horizon.curves import ESTIMATORS, indicator_rows
from gindex_lab.horizon.draws import RESAMPLE, Draws, draws_of, first_seed
from gindex_lab.horizon.fitting import (
    FLAT,
    NO_FAILURE,
    NO_SUCCESS,
    SEPARABLE,
    Curves,
    fit,
    fit_reference,
)
from gindex_lab.horizon.limits import ends_of_draws, sandwich_limits
from gindex_lab.horizon.readings import horizon_name, read_curves
from gindex_lab.horizon.runs import Runs, runs_of
from gindex_lab.validate import FloatArray, choice, generator, integer, mode_of, number, pair

__all__ = ["FEW_FAMILIES", "Replicates", "horizon"]

FEW_FAMILIES = 10
_REFERENCE_SEED = 42
_CURVE = ("capability", "spread", "generality", "normalised_generality")
_METHODS = ("bootstrap", "sandwich")


@dataclass(frozen=True, eq=False)
class Replicates:
    """What every draw gave, (draws, agents) per measure, and what is known of the agents."""

    agents: pd.DataFrame
    measures: dict[str, FloatArray] = field(default_factory=dict)

    def __deepcopy__(self, memo: object) -> Replicates:
        return self  # never changed: a table may be copied without a thousand draws


@dataclass(frozen=True)
class Settings:
    """The choices of a fit."""

    levels: tuple[float, ...]
    penalty: float
    interval: tuple[float, float]
    estimator: str
    mode: str


def horizon(
    responses: object,
    minutes: object = None,
    *,
    levels: tuple[float, ...] = (0.5, 0.8),
    weights: object = "diversity",
    penalty: float = 1e-5,
    interval: tuple[float, float] | None = None,
    estimator: str = "trapezoid",
    ci: float | None = None,
    resample: str = "families",
    method: str = "bootstrap",
    draws: int = 1000,
    seed: object = None,
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
        keeps the families, "trials" the items); replicate i is seeded with seed + i. "sandwich" needs
        no draws and gives limits of the logistic measures.
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
        raise BadInput("seed", None, "is needed for the draws", "pass a whole number, seed=1")
    runs = runs_of(responses, minutes, weights, missing)
    span = _span(runs, pair("interval", interval))
    settings = Settings(_levels(levels), ridge, span, estimator, kind)
    table, fitted = _estimates(runs, settings)
    known = getattr(responses, "agents", None)
    agents = known if isinstance(known, pd.DataFrame) else pd.DataFrame(index=runs.agents)
    table.attrs = {
        "interval": span,
        "penalty": ridge,
        "weights": weights if isinstance(weights, str) or weights is None else "given",
        "mode": kind,
        "levels": settings.levels,
        "families": len(runs.families),
        "notes": _notes(runs),
        "replicates": Replicates(agents),
    }
    if level is None:
        return table
    table.attrs |= {"ci": level, "resample": resample, "method": method}
    if method == "sandwich":
        return _joined(table, sandwich_limits(runs, fitted, settings, level, resample))
    start = _REFERENCE_SEED if kind == "reference" else first_seed(seed)
    drawn = draws_of(runs, resample, n_draws, start)
    return _with_draws(table, _replicates(runs, drawn, settings), agents, level, n_draws)


def _levels(levels: object) -> tuple[float, ...]:
    try:
        given: tuple[Any, ...] = tuple(levels)  # type: ignore[arg-type]
    except TypeError:
        given = (levels,)
    if not given:
        raise BadInput("levels", levels, "is empty", "use levels=(0.5, 0.8)")
    found = tuple(number("levels", p, 0, 1, open_ends=True) for p in given)
    if len(set(found)) < len(found):
        raise BadInput("levels", levels, "holds a level twice", "name each level once")
    return found


def _span(runs: Runs, given: tuple[float, float] | None) -> tuple[float, float]:
    low, high = runs.interval
    if given is None:
        return low, high
    if given[0] >= high or given[1] <= low:
        raise BadInput(
            "interval",
            given,
            f"does not meet the tested lengths, {low:.4g} to {high:.4g} log2 minutes",
            "give (low, high) in log2 minutes, not in minutes",
        )
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


# -- estimates -----------------------------------------------------------------------------------------


def _estimates(runs: Runs, settings: Settings) -> tuple[pd.DataFrame, list[Curves]]:
    rows, fitted = [], []
    for j, agent in enumerate(runs.agents):
        curves = _fitted(runs, j, agent, settings)
        fitted.append(curves)
        rows.append(_row(runs, j, curves, settings))
    return pd.DataFrame(rows, index=runs.agents.copy()), fitted


def _fitted(runs: Runs, j: int, agent: object, settings: Settings) -> Curves:
    at = runs.of(j)
    h, y, w = runs.h[at], runs.response[at], runs.weight[at]
    if len(np.unique(h)) < 2:
        raise BadInput(
            "responses",
            agent,
            "is an agent that met items of one length only, and one length makes no curve",
            "leave it out with responses.select(agents=...), or give it other items",
        )
    if settings.mode == "exact":
        curves = fit(h, y, w[None, :], settings.penalty)
        if curves.state[0] == SEPARABLE:
            raise BadInput(
                "penalty",
                settings.penalty,
                f"leaves {agent!r} without a slope: its successes and failures do not overlap in length",
                "use a small penalty, such as 1e-5",
            )
        return curves
    curves = fit_reference(h, y, w, settings.penalty)
    if curves.state[0] == NO_FAILURE:
        raise BadInput(
            "responses",
            agent,
            "is an agent without a failure, and the published code needs both classes",
            "use mode='exact', or leave the agent out",
        )
    if curves.beta[0] < 0:
        warnings.warn(
            f"success of {agent!r} rises with length: its printed horizon is the length above which it "
            "exceeds 50%",
            stacklevel=4,
        )
    return curves


def _row(runs: Runs, j: int, curves: Curves, settings: Settings) -> dict[str, Any]:
    at = runs.of(j)
    h, y, w = runs.h[at], runs.response[at], runs.weight[at]
    read = read_curves(curves, settings.levels, settings.interval, settings.mode == "reference")
    row: dict[str, Any] = {name: float(values[0]) for name, values in read.items()}
    plain = _cell_weights(runs, j)
    exact = indicator_rows(h, y, plain[None], w[None], settings.interval, settings.estimator)
    row |= {name: float(getattr(exact, name)[0]) for name in _CURVE}
    row["mean"] = float(plain @ y / plain.sum())
    row["weighted_mean"] = float(w @ y / w.sum())
    row["loss"] = _loss(h, y, w, curves)
    row["n_items"] = len(np.unique(runs.item[at]))
    row["n_trials"] = len(y)
    row["note"] = _note(runs, j, curves, row, settings)
    return row


def _cell_weights(runs: Runs, j: int) -> FloatArray:
    """1 / (runs of the cell): the exact curve counts cells, not runs."""
    item = runs.item[runs.of(j)]
    return 1 / np.bincount(item)[item]


def _loss(h: FloatArray, y: FloatArray, w: FloatArray, curves: Curves) -> float:
    """Weighted mean cross-entropy, predictions clipped at 1e-15; 0 with one class only (section 4)."""
    if curves.state[0] in (NO_SUCCESS, NO_FAILURE):
        return 0.0
    theta, beta = curves.theta[0], curves.beta[0]
    with np.errstate(over="ignore"):
        p = (
            1 / (1 + np.exp(beta * (h - theta)))
            if beta
            else np.full(len(h), float(w @ y / w.sum()))
        )
    p = curves.floor[0] + (curves.ceiling[0] - curves.floor[0]) * p
    p = np.clip(p, 1e-15, 1 - 1e-15)
    return float(-(w @ (y * np.log(p) + (1 - y) * np.log1p(-p))) / w.sum())


def _note(runs: Runs, j: int, curves: Curves, row: dict[str, Any], settings: Settings) -> str:
    state, beta = curves.state[0], curves.beta[0]
    found = []
    if state == NO_SUCCESS:
        found.append("no success")
    elif state == NO_FAILURE:
        found.append("no failure")
    elif state == FLAT or beta == 0:
        found.append("success does not depend on length")
    elif beta < 0:
        found.append("success rises with length")
    else:
        if _separable(runs.h[runs.of(j)], runs.response[runs.of(j)]):
            found.append("separable: the slope is the penalty's")
        outside = [
            name for p in settings.levels if _outside(row[name := horizon_name(p)], settings)
        ]
        if outside:
            found.append(f"{', '.join(outside)} beyond the tested lengths")
    missed = runs.missed_families(j)
    if missed:
        found.append(f"met no item of {', '.join(missed)}")
    return "; ".join(found)


def _outside(minutes: float, settings: Settings) -> bool:
    low, high = settings.interval
    room = 1e-9 * (high - low)
    return not (2 ** (low - room) <= minutes <= 2 ** (high + room))


def _separable(h: FloatArray, y: FloatArray) -> bool:
    """The hardest success is no harder than the easiest failure."""
    return bool(h[y > 0].max() <= h[y < 1].min())


# -- replicates ----------------------------------------------------------------------------------------


def _replicates(runs: Runs, drawn: Draws, settings: Settings) -> dict[str, Any]:
    """Every measure (draws, agents), and per agent how many draws were unusual."""
    parts = [_agent_replicates(runs, drawn, settings, j) for j in range(len(runs.agents))]
    measures = {name: np.column_stack([p[0][name] for p in parts]) for name in parts[0][0]}
    counts = pd.DataFrame([p[1] for p in parts], index=runs.agents)
    return {"measures": measures, "unusual": counts}


def _agent_replicates(
    runs: Runs, drawn: Draws, settings: Settings, j: int
) -> tuple[dict[str, FloatArray], dict[str, int]]:
    at = runs.of(j)
    h, y, w = runs.h[at], runs.response[at], runs.weight[at]
    counts = drawn.of(j)
    weights = counts * w
    empty = weights.sum(axis=1) <= 0
    if settings.mode == "exact":
        curves = fit(h, y, weights, settings.penalty)
    else:
        each = [fit_reference(h, y, row, settings.penalty) for row in weights]
        curves = Curves(*(np.concatenate(part) for part in zip(*each, strict=True)))
    found = read_curves(curves, settings.levels, settings.interval, settings.mode == "reference")
    exact = indicator_rows(
        h, y, counts * _cell_weights(runs, j), weights, settings.interval, settings.estimator
    )
    found |= {name: getattr(exact, name) for name in _CURVE}
    total = np.where(empty, 1.0, weights.sum(axis=1))
    found["weighted_mean"] = weights @ y / total
    none, all_ = curves.state == NO_SUCCESS, curves.state == NO_FAILURE
    found["weighted_mean"][empty] = np.nan
    if settings.mode == "reference":
        found = {name: np.where(none | all_, np.nan, values) for name, values in found.items()}
    rising = ~none & ~all_ & ~curves.falling
    unusual = {
        "no_item": int(empty.sum()),
        "no_success": int(none.sum()),  # a draw without an item of the agent is one of them
        "no_failure": int(all_.sum()),
        "rising": int(rising.sum()),
    }
    return found, unusual


def _with_draws(
    table: pd.DataFrame, found: dict[str, Any], agents: pd.DataFrame, ci: float, draws: int
) -> pd.DataFrame:
    limits = {}
    for name, values in found["measures"].items():
        limits[name] = ends_of_draws(values, ci, 0.0 if name.startswith("horizon_") else -np.inf)
    if table.attrs["mode"] == "reference":
        # an agent without any success is printed with limits of 0
        none = (table["slope"] == np.inf).to_numpy()
        for p in table.attrs["levels"]:
            low, high = limits[horizon_name(p)]
            limits[horizon_name(p)] = np.where(none, 0.0, low), np.where(none, 0.0, high)
    table.attrs |= {
        "draws": draws,
        "replicates": Replicates(agents, found["measures"]),
        **{name: column.to_dict() for name, column in found["unusual"].items()},
    }
    return _joined(table, limits)


def _joined(table: pd.DataFrame, limits: dict[str, tuple[FloatArray, FloatArray]]) -> pd.DataFrame:
    columns = {
        f"{k}_{side}": ends[i]
        for k, ends in limits.items()
        for i, side in enumerate(("low", "high"))
    }
    joined = pd.concat([table, pd.DataFrame(columns, index=table.index)], axis=1)
    joined.attrs = table.attrs
    return joined
