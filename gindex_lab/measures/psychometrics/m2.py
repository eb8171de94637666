"""M2: does the whole item response model fit? A test on what single items and pairs of items show.

With more than a dozen items nearly every pattern of responses occurs once or never, and tests that compare
patterns with what the model expects of each mean nothing. M2 compares only moments of items and of pairs,
which are always well filled: e the residuals of these moments, Ξ their covariance under the model, Δ how they
follow the parameters, M2 = N (e'Ξ⁻¹e - e'Ξ⁻¹Δ (Δ'Ξ⁻¹Δ)⁻¹ Δ'Ξ⁻¹e). Of right-or-wrong items the moments are the
shares right; of items with categories the share of each category but the first, and E(x x') of each pair
(C2 of Cai and Monroe 2014), or E(x) and E(x x') (M2* of Cai and Hansen 2013). RMSEA₂ says how far from
fitting per degree of freedom, TLI and CFI how much better than items that have nothing in common.

Shapes: items x categories x nodes (`chance`), firsts x categories (`firsts.values`, what is averaged).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.validate import FloatArray, choice, confidence
from gindex_lab.measures.psychometrics.factor_fit import rmsea_interval
from gindex_lab.measures.psychometrics.irt import ItemResponseModel
from gindex_lab.measures.psychometrics.irt_engine import derivatives, log_chances
from gindex_lab.measures.psychometrics.irt_models import IntArray, ItemModel

__all__ = ["MOST_ITEMS", "ModelFit", "m2"]

MOST_ITEMS = 120  # 7,260 moments: their covariance takes 0.4 GB and half a minute


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
    name: str = "M2"

    @property
    def verdict(self) -> str:
        """By the interval of RMSEA₂ and Maydeu-Olivares and Joe's (2014) limits, .05 and .089."""
        if self.rmsea_high < 0.05:
            return "fits closely"
        if self.rmsea_high < 0.089:
            return "fits adequately"
        return "does not fit" if self.rmsea_low > 0.089 else "may or may not fit: too few agents to say"

    def __str__(self) -> str:
        near = f"RMSEA₂ = {self.rmsea:.3f} [{self.rmsea_low:.3f}, {self.rmsea_high:.3f}]"
        test = f"{self.name}({self.df}) = {self.m2:.1f}, p = {self.p:.3g}"
        exact = self.p >= 0.05 or not self.verdict.startswith("fits")
        verdict = self.verdict if exact else f"{self.verdict}, though not exactly"
        return f"The model {verdict}: {near}; {test}, CFI {self.cfi:.3f}, TLI {self.tli:.3f}."


def m2(model: ItemResponseModel, ci: float = 0.90, moments: str = "c2") -> ModelFit:
    """Test whether an item response model of one ability fits as a whole.

    Parameters
    ----------
    model : what `gl.irt(responses, ...)` gives; agents with missing responses are left out
    ci : confidence of the interval of RMSEA₂, 90% as is usual for it
    moments : of items with categories: "c2", or "m2*", which needs more items (it has one moment per item
        where a graded item has as many parameters as categories)

    Returns
    -------
    ModelFit with `m2`, `df`, `p`, `rmsea`, `rmsea_low`, `rmsea_high`, `srmsr`, `tli`, `cfi`, `verdict`.

    Notes
    -----
    The interval is that of the noncentral χ² (Browne and Cudeck 1992); it held the truth in .88 to .91 of
    studies, at 95% in .93 to .96 (`data/measured/irt_levels.csv`, which has the level of the test too). Where
    the model is wrong, M2 varies a little more than a noncentral χ² (its variance was 1.13 ± .09 times that),
    so that the limits are a little narrow; they are left as R's mirt has them.

    References
    ----------
    Maydeu-Olivares and Joe (2005), JASA 100, 1009-1020, Eq. 4.4; (2014), Multivariate Behav. Res. 49, 305-328
    (RMSEA₂, SRMSR). Cai and Hansen (2013), Br. J. Math. Stat. Psychol. 66, 245-276. Cai and Monroe (2014),
    CRESST Report 839. Cai, Chung and Lee (2023), Prev. Sci. 24, 455-466 (TLI).

    Examples
    --------
    >>> import pandas as pd
    >>> from gindex_lab.measures.psychometrics.irt import irt, simulate_irt
    >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": np.linspace(-1.5, 1.5, 8)})
    >>> print(m2(irt(simulate_irt(true, agents=1000, seed=1))))
    The model fits closely: RMSEA₂ = 0.016 [0.000, 0.033]; M2(20) = 25.3, p = 0.192, CFI 0.996, TLI 0.995.
    """
    from scipy.stats import chi2

    remedy = 'pass gl.irt(responses, "2pl")'
    known = isinstance(model, ItemResponseModel)
    ensure(known, "model", type(model).__name__, "[wrong-type] is not a fitted model", remedy)
    level, moments = confidence(ci), choice("moments", moments, ["c2", "m2*"])
    values = model.answers.frame.dropna().to_numpy(dtype=float)
    n, items = values.shape
    whole = model.model != "beta" and (values == np.rint(values)).all()
    ensure(whole, "model", "fractions", "[not-binary] is of responses between 0 and 1", "round them")
    remedy = f"choose {MOST_ITEMS} items (model of responses.select(items=...))"
    many = "[too-large] are too many items: their pairs fill the memory"
    ensure(items <= MOST_ITEMS, "model", items, many, remedy)
    firsts, pairs = Firsts.of(model.kind, moments), items * (items - 1) // 2
    df = len(firsts.item) + pairs - model.n_parameters
    few = "[too-few] leaves no degrees of freedom: too few items"
    ensure(df > 0, "model", items, few, "give more items")
    ensure(n >= 10, "model", n, "[too-few] are too few agents without gaps", "give more")
    nodes, weights = model.settings.grid()
    form = log_chances(model.kind, model.fitted_parameters, nodes[:, None])
    chance = np.exp(form.log) * model.kind.used[:, :, None]
    slopes = chance[:, None] * derivatives(form, nodes[:, None])
    seen = firsts.seen(values)
    by = _jacobian(firsts, chance, weights, slopes, model.plan.index[0])
    found = _statistic(seen, n, firsts, chance, weights, by)
    shares = np.stack([(values == c).mean(0) for c in range(model.kind.columns)], 1)[:, :, None]
    alone = _statistic(seen, n, firsts, shares, np.ones(1), _independent(firsts, shares))
    excess, apart = max(found - df, 0.0), max(alone - pairs, 0.0)
    low, high = rmsea_interval(found, df, n - 1, ci=level)
    return ModelFit(
        m2=found,
        df=df,
        p=float(chi2.sf(found, df)),
        rmsea=float(np.sqrt(excess / (df * (n - 1)))),
        rmsea_low=low,
        rmsea_high=high,
        srmsr=_srmsr(values, chance, weights),
        tli=(alone / pairs - found / df) / (alone / pairs - 1),
        cfi=1 - excess / max(excess, apart) if max(excess, apart) > 0 else 1.0,
        agents=n,
        items=items,
        ci=level,
        name="M2" if model.kind.columns == 2 else moments.upper(),
    )


class Firsts(NamedTuple):
    """The moments of single items: whose each is, and what it takes of each category."""

    item: IntArray
    values: FloatArray  # firsts x categories

    @classmethod
    def of(cls, kind: ItemModel, moments: str) -> Firsts:
        """One indicator per category but the first ("c2"), or the category's number ("m2*")."""
        if moments == "m2*" or kind.columns == 2:
            numbers = np.arange(kind.columns) * kind.used
            return cls(np.arange(len(numbers)), numbers.astype(float))
        item, category = np.nonzero(kind.used[:, 1:])
        return cls(item, np.eye(kind.columns)[category + 1])

    def seen(self, values: FloatArray) -> FloatArray:
        """The moments of a table of category numbers: of items, then of pairs."""
        code = values.astype(int)
        single = [row[code[:, j]].mean() for j, row in zip(self.item, self.values, strict=True)]
        together = values.T @ values / len(values)
        return np.concatenate([single, together[np.triu_indices(len(together), 1)]])

    def given(self, chance: FloatArray, power: int = 0) -> FloatArray:
        """E(first · number^power) at the nodes (firsts x nodes)."""
        taken = self.values * np.arange(chance.shape[1]) ** power
        return np.einsum("mc,mcq->mq", taken, chance[self.item])


def _numbers(chance: FloatArray, power: int) -> FloatArray:
    """E(x^power) of each item at the nodes."""
    return np.einsum("c,jcq->jq", np.arange(chance.shape[1], dtype=float) ** power, chance)


def _products(firsts: Firsts, chance: FloatArray) -> FloatArray:
    """All moments at the nodes, abilities given: of items, then products of pairs."""
    mean = _numbers(chance, 1)
    first, second = np.triu_indices(len(chance), 1)
    return np.concatenate([firsts.given(chance), mean[first] * mean[second]])


def _jacobian(
    firsts: Firsts, chance: FloatArray, weights: FloatArray, slopes: FloatArray, index: IntArray
) -> FloatArray:
    """How the moments follow the free parameters (moments x free); `slopes` are dP by an item's parameters
    (items x k x categories x nodes), `index` (items x k) numbers the free ones."""
    items, ones = len(chance), len(firsts.item)
    by_first = np.einsum("mc,mkcq,q->mk", firsts.values, slopes[firsts.item], weights)
    number = np.arange(chance.shape[1], dtype=float)
    of_mean = np.einsum("c,jkcq,q->jkq", number, slopes, weights)
    with_other = np.einsum("ikq,jq->ijk", of_mean, _numbers(chance, 1))
    first, second = np.triu_indices(items, 1)
    row = ones + np.arange(len(first))
    found = np.zeros((ones + len(first), int(index.max()) + 1))
    for rows, mine, part in (
        (np.arange(ones), firsts.item, by_first),
        (row, first, with_other[first, second]),
        (row, second, with_other[second, first]),
    ):
        free = index[mine] >= 0
        np.add.at(found, (np.broadcast_to(rows[:, None], free.shape)[free], index[mine][free]), part[free])
    return found


def _independent(firsts: Firsts, shares: FloatArray) -> FloatArray:
    """The same of items that have nothing in common: their first moments are the parameters."""
    mean, ones = _numbers(shares, 1)[:, 0], len(firsts.item)
    first, second = np.triu_indices(len(mean), 1)
    counts = firsts.values @ np.arange(shares.shape[1])  # what a first adds to the item's mean
    one = firsts.values.sum(1) > 1  # the mean itself, not a category's share
    counts = np.where(one, 1.0, counts)
    pairs = (firsts.item == first[:, None]) * (mean[second, None] * counts)
    pairs += (firsts.item == second[:, None]) * (mean[first, None] * counts)
    return np.vstack([np.eye(ones), pairs])


def _covariance(firsts: Firsts, chance: FloatArray, weights: FloatArray) -> FloatArray:
    """Covariance of the moments (times N). Moments of different items are independent given the ability;
    where two share an item, its own second moment counts."""
    items, ones = len(chance), len(firsts.item)
    product = _products(firsts, chance)
    mean, found = product @ weights, (product * weights) @ product.T
    one, two, with_number = _numbers(chance, 1), _numbers(chance, 2), firsts.given(chance, 1)
    own = np.einsum("ac,bc,ac->ab", firsts.values, firsts.values, (chance @ weights)[firsts.item])
    same = firsts.item[:, None] == firsts.item
    found[:ones, :ones] = np.where(same, own, found[:ones, :ones])
    for item in range(items):
        others = np.delete(np.arange(items), item)
        low, high = np.minimum(others, item), np.maximum(others, item)
        place = ones + low * items - low * (low + 1) // 2 + high - low - 1
        three = (one[others] * two[item] * weights) @ one[others].T
        np.fill_diagonal(three, (two[others] * two[item]) @ weights)
        found[np.ix_(place, place)] = three
        mine = np.flatnonzero(firsts.item == item)
        crossed = (with_number[mine] * weights) @ one[others].T
        found[np.ix_(mine, place)], found[np.ix_(place, mine)] = crossed, crossed.T
    return found - np.outer(mean, mean)


def _statistic(
    seen: FloatArray, n: int, firsts: Firsts, chance: FloatArray, weights: FloatArray, by: FloatArray
) -> float:
    """M2 of a model with these chances, whose moments follow its parameters as `by` says."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    residual = seen - _products(firsts, chance) @ weights
    try:
        factor = cho_factor(_covariance(firsts, chance, weights), lower=True, overwrite_a=True)
        solved = cho_solve(factor, np.column_stack([residual, by]))
        through = by.T @ solved
        explained = through[:, 0] @ np.linalg.solve(through[:, 1:], through[:, 0])
    except (LinAlgError, np.linalg.LinAlgError):
        problem, remedy = ("[not-determined] has items or parameters that say the same", "drop one of them")
        raise BadInput("model", len(chance), problem, remedy) from None
    return float(n * (residual @ solved[:, 0] - explained))


def _srmsr(values: FloatArray, chance: FloatArray, weights: FloatArray) -> float:
    """Root mean square difference of the observed and expected correlations of pairs of items."""
    one, mean = _numbers(chance, 1), _numbers(chance, 1) @ weights
    together = (one * weights) @ one.T
    np.fill_diagonal(together, _numbers(chance, 2) @ weights)
    model = together - np.outer(mean, mean)
    deviation = np.sqrt(model.diagonal())
    expected = model / np.outer(deviation, deviation)
    above = np.triu_indices(len(mean), 1)
    return float(np.sqrt(np.mean((np.corrcoef(values.T) - expected)[above] ** 2)))
