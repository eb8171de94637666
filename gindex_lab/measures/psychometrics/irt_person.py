"""Who, and which item, does not answer as a model of categories says: lz*, lz, infit and outfit.

The same statistics as in `irt_fit`, with sums over categories where those have right and wrong (lz: Drasgow,
Levine and Williams 1985; lz*: Snijders 2001, for categories Sinharay 2016, Psychometrika 81, 992-1013).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.irt_engine import log_chances

if TYPE_CHECKING:
    from gindex_lab.measures.psychometrics.irt_polytomous import CategoryModel

__all__ = ["item_fit", "person_fit"]


def person_fit(
    model: CategoryModel, ability: FloatArray, likeliest: FloatArray
) -> dict[str, FloatArray]:
    """lz* at the MAP ability; lz, infit and outfit at the EAP ability (no lz for fractions)."""
    residual, variance, seen = _residuals(model, ability)
    fit = {} if model.model == "beta" else _lz(model, ability, likeliest)
    return fit | {
        "infit": (residual**2).sum(1) / variance.sum(1),
        "outfit": (residual**2 / np.where(seen, variance, 1.0)).sum(1) / seen.sum(1),
    }


def item_fit(model: CategoryModel, ability: FloatArray) -> dict[str, FloatArray]:
    """Infit and outfit of each item, summed over agents."""
    residual, variance, seen = _residuals(model, ability)
    return {
        "infit": (residual**2).sum(0) / variance.sum(0),
        "outfit": (residual**2 / np.where(seen, variance, 1.0)).sum(0) / seen.sum(0),
    }


def _residuals(
    model: CategoryModel, ability: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Answer less its mean, and its variance (agents x items; 0 where missing), and what was seen."""
    kind, values = model.kind, model.responses.to_numpy()
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
        chance = np.exp(form.log) * kind.used[:, :, None]
        number = _numbers(model)[:, :, None]
        values = _scored(model, values)
        mean, square = (chance * number).sum(1), (chance * number**2).sum(1)
    variance = np.where(seen, np.maximum(square - mean**2, 1e-12).T, 0.0)
    return np.where(seen, values - mean.T, 0.0), variance, seen


def _numbers(model: CategoryModel) -> FloatArray:
    """What each category counts (items x categories): its number; in a nominal model its slope."""
    kind = model.kind
    if model.model == "nominal":
        return np.where(kind.used, kind.scores(model.fitted_parameters[:, 1:]), 0.0)
    return np.broadcast_to(np.arange(kind.columns, dtype=float), kind.used.shape)


def _scored(model: CategoryModel, values: FloatArray) -> FloatArray:
    place = np.where(np.isnan(values), 0, values).astype(int)
    return _numbers(model)[np.arange(values.shape[1]), place]


def _lz(model: CategoryModel, ability: FloatArray, likeliest: FloatArray) -> dict[str, FloatArray]:
    excess, spread, _ = _likelihoods(model, ability, corrected=False)
    lz = np.divide(excess, spread, out=np.zeros_like(spread), where=spread > 0)
    excess, spread, shift = _likelihoods(model, likeliest, corrected=True)
    excess = excess - shift * likeliest
    star = np.divide(excess, spread, out=np.zeros_like(spread), where=spread > 1e-9)
    return {"lz_star": star, "lz": lz}


def _likelihoods(
    model: CategoryModel, ability: FloatArray, corrected: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The log-likelihood less its mean, its deviation, and Snijders' c (0 if not corrected)."""
    kind, values = model.kind, model.responses.to_numpy()
    form = log_chances(kind, model.fitted_parameters, ability[:, None])
    chance = np.exp(form.log) * kind.used[:, :, None]
    steep = model.fitted_parameters[:, :1, None] * form.by_z
    seen = (~np.isnan(values)).T.astype(float)
    shift = np.zeros(len(ability))
    if corrected:
        tells = (seen * (chance * steep**2).sum(1)).sum(0)
        crossed = (seen * (chance * steep * form.log).sum(1)).sum(0)
        shift = np.divide(crossed, tells, out=shift, where=tells > 0)
    place = np.where(np.isnan(values), 0, values).astype(int).T
    given = np.take_along_axis(form.log, place[:, None], axis=1)[:, 0]
    excess = (seen * (given - (chance * form.log).sum(1))).sum(0)
    left = form.log - shift * steep
    variance = (chance * (left - (chance * left).sum(1, keepdims=True)) ** 2).sum(1)
    return excess, np.sqrt((seen * variance).sum(0)), shift
