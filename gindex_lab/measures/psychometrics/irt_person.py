"""Who, and which item, does not answer as the model says: lz*, lz, infit and outfit.

lz is the log-likelihood of an agent's answers, infit and outfit are mean squared residuals (Drasgow, Levine
and Williams 1985, Br. J. Math. Stat. Psychol. 38, 67-86; Wright and Masters 1982, ch. 5). An ability that was
fitted to the answers makes them look likelier than they are; `_standardised` frees a statistic of that.

Shapes: items x columns x agents (`chance`, and what a statistic makes of each answer); agents x items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.irt_engine import log_chances

if TYPE_CHECKING:
    from gindex_lab.measures.psychometrics.irt_models import BoolArray
    from gindex_lab.measures.psychometrics.irt_result import ItemResponseModel

__all__ = ["mean_squares", "person_fit"]

_RAREST = np.log(1e-12)  # no answer counts as less likely: what is rarer depends on the tails of the model


def person_fit(model: ItemResponseModel, ability: FloatArray, likeliest: FloatArray) -> dict[str, FloatArray]:
    """lz* at the MAP ability (`likeliest`); lz, infit and outfit at `ability`, of right-or-wrong answers with
    z at the MAP ability. No lz of fractions. Expected: lz 0, infit and outfit 1."""
    squares = mean_squares(model, ability, axis=1)
    if model.model == "beta":
        return squares
    found = {"lz_star": _standardised(model, likeliest, "lz", freed=True)}
    found["lz"] = _standardised(model, ability, "lz", freed=False)
    for name, square in squares.items():
        found[name] = square
        if model.model in ("1pl", "2pl", "3pl"):
            found[f"{name}_z"] = _standardised(model, likeliest, name, freed=True)
    return found


def mean_squares(model: ItemResponseModel, ability: FloatArray, axis: int) -> dict[str, FloatArray]:
    """Infit = Σ (x - E x)² / Σ var x and outfit = mean (x - E x)² / var x, over agents (`axis=0`, of items)
    or items (`axis=1`, of agents)."""
    residual, variance, seen = _residuals(model, ability)
    outfit = (residual**2 / np.where(seen, variance, 1.0)).sum(axis) / seen.sum(axis)
    return {"infit": (residual**2).sum(axis) / variance.sum(axis), "outfit": outfit}


def _residuals(model: ItemResponseModel, ability: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Answer less its mean, and its variance (agents x items; 0 where missing), and what was seen."""
    kind, values = model.kind, model.values
    form = log_chances(kind, model.fitted_parameters, ability[:, None])
    seen = ~np.isnan(values)
    if model.model == "beta":
        from scipy.special import betaln

        alpha, beta = form.log[:, 3] + 1, form.log[:, 4] + 1
        log = form.log[:, :3].copy()
        log[:, 1] += betaln(alpha, beta)
        chance, inner = np.exp(log), alpha / (alpha + beta)
        mean = chance[:, 2] + chance[:, 1] * inner
        square = chance[:, 2] + chance[:, 1] * inner * (alpha + 1) / (alpha + beta + 1)
    else:
        chance, number = np.exp(form.log) * kind.used[:, :, None], _numbers(model)
        mean, square = (chance * number).sum(1), (chance * number**2).sum(1)
        values = (_given(values, kind.columns) * number).sum(1).T
    variance = np.where(seen, np.maximum(square - mean**2, 1e-12).T, 0.0)
    return np.where(seen, values - mean.T, 0.0), variance, seen


def _numbers(model: ItemResponseModel) -> FloatArray:
    """What each category counts (items x categories x 1): its number; in a nominal model its slope."""
    return np.where(model.kind.used, model.kind.scores(model.fitted_parameters[:, 1:]), 0.0)[:, :, None]


def _given(values: FloatArray, columns: int) -> FloatArray:
    """1 in the column of each answer, 0 elsewhere and if missing; a fraction of a success counts in both."""
    apart = np.abs(values.T[:, None] - np.arange(columns)[:, None])
    return np.nan_to_num(np.clip(1 - apart, 0, 1))


def _standardised(model: ItemResponseModel, ability: FloatArray, what: str, freed: bool) -> FloatArray:
    """z of lz, infit or outfit of each agent, `freed` at its MAP ability of what estimating it does.

    Each is a sum Σ w(x) over items, with w = log P(x) for lz, (x - E x)² for infit and that over var x for
    outfit. An estimated ability makes the sum vary less than it should. With l' the slope of log P(x) by
    ability, I its variance and c = Σ E(w l') / Σ I, the part that the estimator cannot move has the weights
    w - c l': z = (Σ (w - E w) - c θ) / √(Σ var(w - c l')), -θ being the slope of the N(0, 1) log prior
    (Snijders 2001, Psychometrika 66, 331-342; of MAP: Magis, Raîche and Béland 2012, J. Educ. Behav. Stat.
    37, 57-81; for categories: Sinharay 2016, Psychometrika 81, 992-1013). Of agents who follow the model .05
    have an lz* below -1.645, and as many an infit above 1.645 (`data/measured/irt_levels.csv`).
    """
    kind, values = model.kind, model.values
    form = log_chances(kind, model.fitted_parameters, ability[:, None])
    log = np.clip(form.log, _RAREST, np.log1p(-1e-12))
    chance = np.exp(log) * kind.used[:, :, None]
    seen = ~np.isnan(values).T[:, None]
    weight = log
    if what != "lz":
        number = _numbers(model)
        weight = (number - (chance * number).sum(1, keepdims=True)) ** 2
        weight = weight / (chance * weight).sum(1, keepdims=True) if what == "outfit" else weight
    steep = model.fitted_parameters[:, :1, None] * form.by_z
    shift = np.zeros(len(ability))
    if freed:
        tells, crossed = ((seen * chance * steep * other).sum((0, 1)) for other in (steep, weight))
        shift = np.divide(crossed, tells, out=shift, where=tells > 0)
    excess = ((_given(values, kind.columns) - seen * chance) * weight).sum((0, 1)) - shift * ability
    left = weight - shift * steep
    left = left - (chance * left).sum(1, keepdims=True)
    spread = np.sqrt((seen * chance * left**2).sum((0, 1)))
    return np.divide(excess, spread, out=np.zeros_like(spread), where=spread > 1e-9)
