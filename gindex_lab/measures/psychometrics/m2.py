"""M2: does the whole item response model fit? A test on the shares right of items and of pairs of items.

With more than a dozen items nearly every pattern of responses occurs once or never, and tests that compare
patterns with what the model expects of each mean nothing. M2 compares only what single items and pairs
show, which is always well filled: e the residuals of these shares, Ξ the covariance of the shares under the
model, Δ how they follow the parameters, M2 = N (e'Ξ⁻¹e - e'Ξ⁻¹Δ (Δ'Ξ⁻¹Δ)⁻¹ Δ'Ξ⁻¹e). RMSEA₂ says how far from
fitting per degree of freedom, TLI and CFI how much better than items that have nothing in common.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.validate import FloatArray, confidence
from gindex_lab.measures.psychometrics.groups import whole_rows
from gindex_lab.measures.psychometrics.irt import ItemResponseModel
from gindex_lab.measures.psychometrics.irt_em import curves, logistic

__all__ = ["MOST_ITEMS", "ModelFit", "m2"]

MOST_ITEMS = 120  # 7,260 shares: their covariance takes 0.4 GB and half a minute


@dataclass(frozen=True)
class ModelFit:
    """M2 with its p value, and the indices made of it; `str()` says it in words."""

    m2: float
    df: int
    p: float
    rmsea: float
    rmsea_low: float
    rmsea_high: float
    srmsr: float
    tli: float
    cfi: float
    agents: int
    items: int
    ci: float = 0.90

    @property
    def verdict(self) -> str:
        """By the interval of RMSEA₂ and Maydeu-Olivares and Joe's (2014) limits, .05 and .089."""
        if self.rmsea_high < 0.05:
            return "fits closely"
        if self.rmsea_high < 0.089:
            return "fits adequately"
        return (
            "does not fit"
            if self.rmsea_low > 0.089
            else "may or may not fit: too few agents to say"
        )

    def __str__(self) -> str:
        near = f"RMSEA₂ = {self.rmsea:.3f} [{self.rmsea_low:.3f}, {self.rmsea_high:.3f}]"
        test = f"M2({self.df}) = {self.m2:.1f}, p = {self.p:.3g}"
        exact = self.p >= 0.05 or not self.verdict.startswith("fits")
        verdict = self.verdict if exact else f"{self.verdict}, though not exactly"
        return f"The model {verdict}: {near}; {test}, CFI {self.cfi:.3f}, TLI {self.tli:.3f}."


def m2(model: ItemResponseModel, ci: float = 0.90) -> ModelFit:
    """M2, RMSEA₂ with its interval, SRMSR, TLI and CFI of a fitted 1PL, 2PL or 3PL.

    Agents with missing responses are left out of the shares. The interval is that of the noncentral χ²
    (Browne and Cudeck 1992), 90% as is usual for it.

    >>> import pandas as pd
    >>> from gindex_lab.measures.psychometrics.irt import irt, simulate_irt
    >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": np.linspace(-1.5, 1.5, 8)})
    >>> print(m2(irt(simulate_irt(true, agents=1000, seed=1))))
    The model fits closely: RMSEA₂ = 0.016 [0.000, 0.033]; M2(20) = 25.3, p = 0.192, CFI 0.996, TLI 0.995.

    References
    ----------
    Maydeu-Olivares and Joe (2005), JASA 100, 1009-1020, Eq. 4.4; (2014), Multivariate Behav. Res. 49, 305-328
    (RMSEA₂, SRMSR). Cai, Chung and Lee (2023), Prev. Sci. 24, 455-466 (TLI).
    """
    remedy = 'pass gl.irt(responses, "2pl")'
    known = isinstance(model, ItemResponseModel)
    ensure(known, "model", type(model).__name__, "is not a fitted model", remedy, code="wrong-type")
    level = confidence(ci)
    kept = ~model.responses.columns.isin(model.constant_items)
    whole = whole_rows(model.responses.loc[:, kept])
    values = whole.to_numpy(dtype=float)
    n, items = values.shape
    right = np.isin(values, (0.0, 1.0)).all()
    ensure(
        right,
        "model",
        "fractions",
        "is of responses between 0 and 1",
        "round them",
        code="not-binary",
    )
    remedy = f"choose {MOST_ITEMS} items (model of responses.select(items=...))"
    many = "are too many items: their pairs fill the memory"
    ensure(items <= MOST_ITEMS, "model", items, many, remedy, code="too-large")
    freedom = items * (items + 1) // 2 - model.n_parameters
    few = "leaves no degrees of freedom: too few items"
    ensure(freedom > 0, "model", items, few, "give more items", code="too-few")
    ensure(n >= 10, "model", n, "are too few agents without gaps", "give more", code="too-few")
    nodes, weights = model.settings.grid()
    chance = curves(model.fitted_parameters, nodes)
    shares = _shares(values)
    by = _jacobian(chance, weights, _derivatives(model.fitted_parameters, nodes))
    if model.model == "1pl":  # one slope for all
        by = np.column_stack([by[:, :items].sum(1), by[:, items:]])
    found = _statistic(shares, n, chance, weights, by)
    mean, one = values.mean(0)[:, None], np.ones(1)
    apart = _jacobian(mean, one, (mean * (1 - mean))[:, None])
    alone = _statistic(shares, n, mean, one, apart)
    return _indices(
        found, freedom, alone, n, items, level, _srmsr(shares, _expected(chance, weights))
    )


def _shares(values: FloatArray) -> FloatArray:
    """Shares right of the items, then right on both of each pair."""
    together = values.T @ values / len(values)
    return np.concatenate([values.mean(0), together[np.triu_indices(len(together), 1)]])


def _expected(chance: FloatArray, weights: FloatArray) -> FloatArray:
    together = (chance * weights) @ chance.T
    return np.concatenate([chance @ weights, together[np.triu_indices(len(chance), 1)]])


def _derivatives(parameters: FloatArray, nodes: FloatArray) -> FloatArray:
    """dP/dparameter at the nodes: items x k x nodes, guessing by its logit."""
    know = logistic(np.outer(parameters[:, 0], nodes) + parameters[:, 1:2])
    if parameters.shape[1] == 2:
        return np.stack([know * (1 - know) * nodes, know * (1 - know)], 1)
    guess = logistic(parameters[:, 2:])
    steep = (1 - guess) * know * (1 - know)
    return np.stack([steep * nodes, steep, guess * (1 - guess) * (1 - know)], 1)


def _jacobian(chance: FloatArray, weights: FloatArray, slopes: FloatArray) -> FloatArray:
    """How the shares follow the parameters: shares x (k items), the first parameter of all items first."""
    items, k, _ = slopes.shape
    first, second = np.triu_indices(items, 1)
    pairs = items + np.arange(len(first))
    found = np.zeros((items + len(first), k, items))
    found[np.arange(items), :, np.arange(items)] = slopes @ weights
    with_other = np.einsum("ikq,jq->ikj", slopes * weights, chance)
    found[pairs, :, first] = with_other[first, :, second]
    found[pairs, :, second] = with_other[second, :, first]
    return found.reshape(len(found), -1)


def _covariance(chance: FloatArray, weights: FloatArray) -> FloatArray:
    """Covariance of the shares (times N): E(Π over the union of two sets of items) - E(Π) E(Π)."""
    items = len(chance)
    first, second = np.triu_indices(items, 1)
    product = np.concatenate([chance, chance[first] * chance[second]])
    mean = product @ weights
    found = (product * weights) @ product.T
    for item in range(items):  # sets that share an item: it counts once
        others = np.delete(np.arange(items), item)
        low, high = np.minimum(others, item), np.maximum(others, item)
        place = items + low * items - low * (low + 1) // 2 + high - low - 1
        three = (chance[others] * chance[item] * weights) @ chance[others].T
        np.fill_diagonal(three, mean[place])
        found[np.ix_(place, place)] = three
        found[item, place] = found[place, item] = mean[place]
        found[item, item] = mean[item]
    return found - np.outer(mean, mean)


def _statistic(
    shares: FloatArray, n: int, chance: FloatArray, weights: FloatArray, by: FloatArray
) -> float:
    """M2 of a model with these curves (items x nodes), whose shares follow its parameters as `by` says."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    residual = shares - _expected(chance, weights)
    try:
        factor = cho_factor(_covariance(chance, weights), lower=True, overwrite_a=True)
        solved = cho_solve(factor, np.column_stack([residual, by]))
        through = by.T @ solved
        explained = through[:, 0] @ np.linalg.solve(through[:, 1:], through[:, 0])
    except (LinAlgError, np.linalg.LinAlgError):
        problem, remedy = "has items or parameters that say the same", "drop one of them"
        raise BadInput("model", len(chance), problem, remedy, code="not-determined") from None
    return float(n * (residual @ solved[:, 0] - explained))


def _indices(
    found: float, df: int, alone: float, n: int, items: int, ci: float, srmsr: float
) -> ModelFit:
    from scipy.stats import chi2

    pairs = items * (items - 1) // 2
    excess, apart = max(found - df, 0.0), max(alone - pairs, 0.0)
    worst = max(excess, apart)
    ends = [_noncentrality(found, df, (1 + sign * ci) / 2) for sign in (1, -1)]
    low, high = np.sqrt(np.array(ends) / (df * (n - 1)))
    ratio = alone / pairs
    return ModelFit(
        m2=found,
        df=df,
        p=float(chi2.sf(found, df)),
        rmsea=float(np.sqrt(excess / (df * (n - 1)))),
        rmsea_low=float(low),
        rmsea_high=float(high),
        srmsr=srmsr,
        tli=(ratio - found / df) / (ratio - 1),
        cfi=1 - excess / worst if worst > 0 else 1.0,
        agents=n,
        items=items,
        ci=ci,
    )


def _noncentrality(statistic: float, df: int, chance: float) -> float:
    """λ at which a noncentral χ² stays below the statistic with this chance; 0 where none does."""
    from scipy.optimize import brentq
    from scipy.stats import chi2, ncx2

    if chi2.cdf(statistic, df) <= chance:
        return 0.0
    top = 10.0 + 4 * statistic
    return float(brentq(lambda x: ncx2.cdf(statistic, df, x) - chance, 1e-9, top, xtol=1e-10))


def _srmsr(shares: FloatArray, expected: FloatArray) -> float:
    """Root mean square difference of the observed and expected correlations of pairs of items."""
    items = int((np.sqrt(8 * len(shares) + 1) - 1) / 2)
    first, second = np.triu_indices(items, 1)

    def correlations(share: FloatArray) -> FloatArray:
        one, both = share[:items], share[items:]
        sd = np.sqrt(one * (1 - one))
        return np.asarray((both - one[first] * one[second]) / (sd[first] * sd[second]))

    return float(np.sqrt(np.mean((correlations(shares) - correlations(expected)) ** 2)))
