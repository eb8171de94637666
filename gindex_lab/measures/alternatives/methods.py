"""Other ways to draw a curve through the responses, each with a band and limits of its own.

"isotonic" assumes that the curve falls, "smooth" that it bends little, "pooled" that agents resemble one
another. Each gives ψ on a grid; capability, spread and γ follow by the same rule as for the plain curve.
On simulated agents apart from those used for tuning (`gl.method_coverage()`), the error of the spread is
1.04, 0.78 and 0.70 times that of the plain curve, rising agents apart. 95% limits of any measure hold the
truth at least 0.932, 0.940 and 0.955 of the time, those of rising agents too. When is which better?
`notebooks/generality/methods`.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import Caution, ensure
from gindex_lab.foundation.likes import Label
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.step_curves import StepCurves
from gindex_lab.foundation.validate import FloatArray, choice, confidence, known
from gindex_lab.measures.alternatives.monotone import falling_curves, likelihood, ratio_band
from gindex_lab.measures.alternatives.pooled import pooled_posterior
from gindex_lab.measures.alternatives.smooth import (
    Posterior,
    bands,
    curves_of,
    difficulties,
    dispersion,
    limits_of,
    smooth_posterior,
)
from gindex_lab.measures.curves import indicators_of, merge, sums_of
from gindex_lab.measures.limits import Limits, with_generality, with_limits
from gindex_lab.measures.samples import Sample, sample_like

__all__ = ["METHODS", "by_method", "cannot", "curve_by_method", "curves_of_method"]

METHODS = ["plain", "isotonic", "smooth", "pooled"]
# Of the way from a model's limits to the plain ones: with a quarter, rising agents on ten items are held in
# .904 of the studies, with a half everybody in .958 or more (tuning designs of `method_study`)
MISFIT = 0.5
CLEARLY = 2.0  # of log-likelihood: with 0, half of all flat agents lose their band, the rest fall by luck
REACH = 0.5  # of the interval must be covered by items; measured down to 0.6
_GRID = 101  # points of a smooth curve
_POSTERIORS = {"smooth": smooth_posterior, "pooled": pooled_posterior}


def cannot(study: Responses, method: str, mode: str, estimator: str, resample: str) -> None:
    """Refuse what a method other than "plain" cannot do."""
    choice("method", method, METHODS)
    problem = "[not-with-method] is the authors' code, which draws the plain curve only"
    ensure(mode == "exact", "mode", mode, problem, "use mode='exact'")
    problem = "[not-with-method] is for the plain curve"
    ensure(estimator == "trapezoid", "estimator", estimator, problem, "use 'trapezoid'")
    problem = f"[not-with-method] is not possible with method={method!r}"
    ensure(resample != "trials" or method not in _POSTERIORS, "resample", resample, problem, "use 'items'")
    problem = "[not-with-method] needs responses to items, and a transform has made them into steps"
    other = "use method='plain', or give the items a difficulty of their own"
    ensure(not isinstance(study, StepCurves), "method", method, problem, other)


class _Curves(NamedTuple):
    """ψ (A, G) at the grid (G,), NaN where an agent was not met."""

    grid: FloatArray
    psi: FloatArray
    posterior: Posterior | None


def _curves(sample: Sample, method: str) -> _Curves:
    if method == "isotonic":
        levels, psi, _ = falling_curves(difficulties(sample), sample.values)
        return _Curves(levels, psi, None)
    posterior = _POSTERIORS[method](sample, sample.interval)
    grid = np.linspace(*sample.interval, _GRID)
    return _Curves(grid, curves_of(posterior, grid), posterior)


def curves_of_method(sample: Sample, method: str) -> tuple[FloatArray, FloatArray]:
    """The grid (G,) and the curve of every agent (A, G) by a method, NaN where it was not asked."""
    if method == "plain":
        return merge(sample.values, difficulties(sample))[:2]
    return _curves(sample, method)[:2]


def by_method(
    study: Responses, table: pd.DataFrame, method: str, ci: float | None, resample: str
) -> pd.DataFrame:
    """The table of the plain curves, with the indicators of another method in their place."""
    sample = sample_like(table, study, resample)
    curves = _curves(sample, method)
    sums = sums_of(curves.grid, curves.psi, sample.scale)
    found = indicators_of(sample.scale, sums, curves.grid, curves.psi)._asdict()
    about = table.attrs | {"method": method} | ({} if ci is None else {"ci": confidence(ci)})
    if ci is None:
        result = table.assign(**found)
    elif curves.posterior is None:
        result = pd.DataFrame(with_limits(study, table.assign(**found), about["ci"], resample))
    else:
        plain = pd.DataFrame(with_limits(study, table, about["ci"], resample))
        plain = plain[[c for c in plain if not c.endswith("_bounds")]]  # not measured for models
        ends = limits_of(curves.posterior, curves.grid[::2], sample.scale, about["ci"])
        result = _of_model(plain.assign(**found), ends, sample)
    result.attrs = about
    return result


def _of_model(plain: pd.DataFrame, ends: Limits, sample: Sample) -> pd.DataFrame:
    """The table with limits half-way from those of a model to the wider plain ones that it has: what a model
    adds is believed by half, since agents need not follow it."""
    enough, step = _reaches(sample), np.less_equal(*_ends_met(sample))
    ends["spread"][0][step], ends["normalised_generality"][1][step] = 0.0, 1.0
    table = plain.copy()
    for name in ("capability", "spread", "normalised_generality", "expected_difficulty"):
        at, columns = table[name].to_numpy(dtype=float), [f"{name}_low", f"{name}_high"]
        (low, high), (lowest, highest) = ends[name], plain[columns].to_numpy(dtype=float).T
        low = low - MISFIT * np.maximum(low - lowest, 0.0)
        high = high + MISFIT * np.maximum(highest - high, 0.0)
        table[columns[0]] = np.minimum(low, at) if enough else np.nan
        table[columns[1]] = np.maximum(high, at) if enough else np.nan
    spread = table[["spread_low", "spread_high"]].to_numpy(dtype=float).T
    low, high = with_generality({"spread": spread})["generality"]
    return table.assign(generality_low=low, generality_high=high)


def _reaches(sample: Sample) -> bool:
    """Whether the items cover enough of the interval for limits of measured coverage; warns where not."""
    low, high = sample.interval
    inside = np.clip(difficulties(sample)[sample.codes >= 0], low, high)
    enough = bool(np.ptp(inside) >= REACH * (high - low))
    if not enough:
        said = f"[uncovered] no limits: the items cover less than {REACH:.0%} of the interval, and beyond "
        said += "them the curve is a guess; cut the interval, add items, or use method='plain'"
        warnings.warn(said, Caution, stacklevel=4)
    return enough


def _ends_met(sample: Sample) -> tuple[FloatArray, FloatArray]:
    """The hardest item with a success and the easiest with a failure (A,). Where the first is not the
    harder, the likelihood rises up to an infinite slope: only the prior speaks against a step."""
    free, h = sample.codes >= 0, difficulties(sample)
    hardest = np.where(free & (sample.values > 0), h, -np.inf).max(axis=1)
    return hardest, np.where(free & (sample.values < 1), h, np.inf).min(axis=1)


def curve_by_method(
    study: Responses, agent: Label, method: str, ci: float | None, resample: str
) -> pd.DataFrame:
    """One agent's curve by a method, `difficulty` and `response`, with `low` and `high` if `ci` is given."""
    from gindex_lab.measures.generality import generality

    problem, remedy = "[not-with-method] needs a curve between the responses", "use 'isotonic' or 'smooth'"
    ensure(choice("method", method, METHODS) != "plain", "ci", ci, problem, remedy)
    problem = "is needed for a curve of this method"
    ensure(agent is not None or len(study.frame) == 1, "agent", None, problem, "name one agent")
    (name,) = known("agent", list(study.frame.index) if agent is None else [agent], study.frame.index)
    cannot(study, method, "exact", "trapezoid", resample)
    table = generality(study, missing="drop")
    sample = sample_like(table, study, resample)
    place = int(study.frame.index.get_indexer(pd.Index([name]))[0])
    curves = _curves(sample, method)
    met = ~np.isnan(curves.psi[place])
    curve = pd.DataFrame({"difficulty": curves.grid[met], "response": curves.psi[place, met]})
    curve.attrs = {"interval": sample.interval, "agent": name}
    if ci is None:
        return curve
    level, one = confidence(ci), sample.rows([place])
    levels, low, high = _falling_band(one, level)
    if curves.posterior is not None:
        wide = np.stack([np.interp(curves.grid, levels, end) for end in (low, high)])
        ends = np.stack([x[0] for x in bands(curves.posterior.of(place), curves.grid, level)])
        hardest, easiest = (x[0] for x in _ends_met(one))
        if hardest <= easiest:
            ends[0, curves.grid > hardest], ends[1, curves.grid < easiest] = 0.0, 1.0
        # a curve that is all but 0 or 1 is beyond any limit that a logistic model sets itself
        low, high = np.minimum(ends[0], wide[0]), np.maximum(ends[1], wide[1])
        offered = _reaches(sample)
    else:
        offered = not _rises(one, name)
    curve["low"] = np.minimum(low, curve["response"]) if offered else np.nan
    curve["high"] = np.maximum(high, curve["response"]) if offered else np.nan
    return curve


def _falling_band(one: Sample, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The levels that an agent met, and the limits of its falling curve there."""
    levels, psi, count = merge(one.values, difficulties(one))
    met = count[0] > 0
    n, noise = count[0, met].astype(float), float(dispersion(one)[0])
    return levels[met], *ratio_band(levels[met], psi[0, met], n, level, noise)


def _rises(one: Sample, name: object) -> bool:
    """Whether an agent's likeliest rising curve is clearly likelier than the falling one; warns if so."""
    h = difficulties(one)
    psi, count = (x[0] for x in merge(one.values, h)[1:])
    ways = (falling_curves(sign * h, one.values)[1][:, ::sign] for sign in (1, -1))
    falls, rises = (likelihood(psi, curve, count)[0] for curve in ways)
    clear = bool(rises - falls > CLEARLY)
    if clear:
        said = f"[rising] no band for {name!r}: a rising curve fits its responses far better than a falling"
        warnings.warn(f"{said} one; use method='smooth'", Caution, stacklevel=4)
    return clear
