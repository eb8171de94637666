"""Differential item functioning: does an item favour one of two groups of equal ability?

A group may solve an item less often because it knows less (impact) or because the item asks it for something
else besides (DIF). So agents are compared at the same total score (Mantel-Haenszel, logistic regression) or
at the same latent ability (likelihood ratio of two-group models, `multigroup`). Items with DIF spoil the
score by which agents are matched: with `purify` they leave it, and the test is repeated until it settles.

Mantel-Haenszel adds up one 2 x 2 table (group x right or wrong) for each score; the logistic test asks
whether group (uniform DIF: one group is favoured at every score) or group times score (non-uniform) adds to a
regression of the response on the score. All agents with one score and group are one cell, so that all items
are fitted at once: 40 items and 1,000 agents take 10 ms where one statsmodels fit after the other takes 400.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import Label, ResponsesLike
from gindex_lab.foundation.many_tests import holm
from gindex_lab.foundation.validate import FloatArray, choice, flag, known, number
from gindex_lab.measures.psychometrics.groups import Told, binary_table, group_labels, two_sides
from gindex_lab.measures.psychometrics.irt_models import BoolArray
from gindex_lab.measures.psychometrics.irt_settings import varies
from gindex_lab.measures.psychometrics.multigroup import Groups, likelihood_ratio

__all__ = ["Dif", "dif"]

_METHODS = {
    "mantel-haenszel": "Mantel-Haenszel",
    "logistic": "logistic regression",
    "likelihood-ratio": "likelihood ratio",
}
_UNEVEN = 0.017  # variance that a unit of `_matching_error` adds, squared: of log slopes with sd 0.3
_ETS = -2.35  # Δ = -2.35 log(odds ratio): the delta scale of ETS
_ROUNDS = 10  # as difR's nrIter
_FEWEST = 10  # agents in a group: a judgement
_FAR = 3.0  # standard errors of `_matching_error` that are worth a word: a judgement
# R² changes from which DIF is moderate and large (Jodoin and Gierl 2001; Zumbo and Thomas 1997)
_CLASSES = {"jodoin_gierl": (0.035, 0.070), "zumbo_thomas": (0.13, 0.26)}


@dataclass(frozen=True)
class Dif(Told):
    """One row per item in `table`; `flagged` are the items with DIF, `str()` says it in words."""

    table: pd.DataFrame = field(repr=False, compare=False)
    method: str
    reference: object
    focal: object
    agents: tuple[int, int]  # of the reference and the focal group
    mismatch: float  # `_matching_error`; 0 for the likelihood ratio
    left_out: int  # agents with missing responses
    anchors: list[object] = field(repr=False)  # what the agents were matched on at the end
    rounds: int
    settled: bool
    level: float
    adjust: str

    @property
    def flagged(self) -> list[object]:
        """The items that work differently for the two groups, at `level` after adjustment."""
        return list(self.table.index[self.table[_decides(self.adjust)] < self.level])

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        found, items = self.flagged, int(self.table["p"].notna().sum())
        matched = "ability" if self.method == "likelihood-ratio" else "total score"
        how = [_METHODS[self.method], f"p < {self.level:g}"]
        how += [] if self.adjust == "none" else [f"adjusted by {self.adjust.title()}"]
        how += [f"purified in {self.rounds} rounds"] if self.rounds > 1 else []
        by = f"({', '.join(how)})"
        between = f"for {self.focal} ({self.agents[1]} agents) than for {self.reference} ({self.agents[0]})"
        said = f"No item was found to work differently {between} at the same {matched} {by}."
        if found:
            said = f"{len(found)} of {items} items work differently {between} at the same {matched} {by}: "
            worst = self.table.loc[found, "p"].sort_values(kind="stable").index[:8]
            said += "; ".join(f"{item} {self._way(item)}" for item in worst)
            said += f"; and {len(found) - 8} more." if len(found) > 8 else "."
        if self.adjust == "none" and items >= 1 / self.level:
            said += f" About {items * self.level:.0f} of {items} would by chance alone."
        if not self.settled:
            said += " Purification did not settle: which items are flagged depends on the matching."
        if self.mismatch > _FAR:
            said += " The groups' scores lie far apart, so equal scores are not quite equal ability: the p "
            said += 'values allow for it and find less; method="likelihood-ratio" need not.'
        if self.left_out:
            said += f" {self.left_out} agents with missing responses were left out."
        return said

    def _way(self, item: object) -> str:
        """In which direction, and how much."""
        row = self.table.loc[item]
        if self.method == "mantel-haenszel":
            return f"({'harder' if row['delta'] < 0 else 'easier'}, Δ = {row['delta']:.1f}, {row['class']})"
        if self.method == "logistic":
            return f"(R² + {row['r2_change']:.3f}, {row['jodoin_gierl']})"
        return f"({'harder' if row['difference'] < 0 else 'easier'} by {abs(row['difference']):.2f})"


def dif(
    responses: ResponsesLike,
    group: Any,
    *,
    method: str = "mantel-haenszel",
    focal: Label = None,
    anchors: Sequence[Label] | None = None,
    purify: bool = True,
    adjust: str = "none",
    level: float = 0.05,
    correct: bool = True,
    classical: bool = False,
    model: str = "2pl",
) -> Dif:
    """Test every item for differential functioning between two groups.

    Parameters
    ----------
    responses : Responses, or a table of 0 and 1, agents x items; agents with missing cells are left out
    group : two labels, one for each agent: a list, a Series or dict by agent, a column of `responses.agents`
    method : "mantel-haenszel" (uniform DIF), "logistic" (uniform and non-uniform), or "likelihood-ratio" (of
        item response models of both groups, whose abilities may differ)
    focal : the label of the group that may be at a disadvantage; the smaller group unless given
    anchors : items known to be free of DIF, to match agents by; all items unless given
    purify : leave flagged items out of the matching score and test again, at most ten rounds
    adjust : "none", "holm" or "benjamini-hochberg", for many items
    level : the p value (after adjustment) below which an item is flagged
    correct : the continuity correction of Mantel-Haenszel (on in R; the test is then conservative)
    classical : True for R's own numbers: p values as if equal scores were equal ability, and logistic
        regressions without the square of the score (Swaminathan and Rogers; R's difR)
    model : of the likelihood ratio, "2pl" (2 df) or "1pl" (1 df, difficulties only)

    Returns
    -------
    Dif with `table`. Mantel-Haenszel: `chi2`, `p`, `odds_ratio` (above 1: easier for the reference group),
    `delta` (ETS Δ, negative: harder for the focal group), `delta_se` and `class`: "A" negligible (|Δ| < 1 or
    not different from 0), "C" large (|Δ| ≥ 1.5 and above 1), "B" between. Logistic: `chi2`, `p` (2 df),
    `uniform_p`, `non_uniform_p`, `r2_change` (Nagelkerke), and its class by Jodoin and Gierl (.035, .070)
    and by Zumbo and Thomas (.13, .26). Likelihood ratio: `chi2`, `df`, `p`, `difference` (P of the focal
    group less that of the reference group at the same ability, averaged over the focal group) and `area`
    (the same without signs).

    Notes
    -----
    Matching by score has a price where abilities differ (`_matching_error`): at a distance of one
    deviation the classical tests flag .04 to .22 of clean items, these .03 to .07 (the kept table
    `data/measured/irt_levels.csv`). Power in the designs of the literature, beside difR's way, is in
    `data/measured/dif_power.csv`, and beside what was published in the README there.

    Examples
    --------
    >>> from gindex_lab.measures.psychometrics.irt_simulate import simulate_irt
    >>> items = pd.DataFrame({"discrimination": 1.2, "difficulty": np.linspace(-2, 2, 12)})
    >>> biased = items.copy()
    >>> biased.loc[3, "difficulty"] += 0.9  # harder for some
    >>> tables = [simulate_irt(x, 400, seed=k).frame for k, x in enumerate((items, biased))]
    >>> found = dif(pd.concat(tables, ignore_index=True), ["old"] * 400 + ["new"] * 400, focal="new")
    >>> found.flagged, found.table["class"].iloc[3]
    ([3], 'C')

    References
    ----------
    Holland and Thayer (1988), in Wainer and Braun, Test Validity, 129-145. Zwick (2012), ETS RR-12-08
    (classes). Swaminathan and Rogers (1990), J. Educ. Meas. 27, 361-370. Jodoin and Gierl (2001), Appl. Meas.
    Educ. 14, 329-349. Magis, Béland, Tuerlinckx and De Boeck (2010), Behav. Res. Methods 42, 847-862 (difR).
    """
    choice("method", method, list(_METHODS))
    choice("adjust", adjust, ["none", "holm", "benjamini-hochberg"])
    choice("model", model, ["1pl", "2pl"])
    again = flag("purify", purify) and anchors is None
    correct, classical = flag("correct", correct), flag("classical", classical)
    number("level", level, 0, 1, open_ends=True)
    given = binary_table(responses)
    frame = given.dropna()
    problem, remedy = "[too-few] has no agent who answered every item", "drop items that few answered"
    ensure(len(frame), "responses", given.shape, problem, remedy)
    labels = group_labels(responses, group, given.index, 1).loc[frame.index]
    reference, focal = two_sides(labels, focal, _FEWEST)
    items, usable = frame.columns, varies(frame).to_numpy()
    problem = f"[too-few] has {int(usable.sum())} items that vary: too few to match agents by"
    ensure(usable.sum() >= 3, "responses", frame.shape, problem, "give at least three")
    start = usable if anchors is None else items.isin(known("anchors", anchors, items)) & usable
    ensure(start.any(), "anchors", anchors, "[too-few] has no item that varies", "name others")
    values, belongs = frame.to_numpy(dtype=float), (labels == focal).to_numpy()
    by_model = method == "likelihood-ratio"
    if by_model:
        made = Groups.of(frame, labels, model, reference)
        fitted = items.isin(made.items)
        start = start & fitted

    def mismatch(matching: BoolArray) -> float:
        return 0.0 if by_model or classical else _matching_error(values, belongs, matching)

    def test(matching: BoolArray) -> pd.DataFrame:
        if by_model:
            rows = pd.DataFrame(likelihood_ratio(made, matching[fitted]), made.items).reindex(items)
            return _adjusted(rows, adjust)
        by_score = _mantel_haenszel if method == "mantel-haenszel" else _logistic_test
        option = correct if method == "mantel-haenszel" else not classical
        found = by_score(values, belongs, matching, option, mismatch(matching))
        return _adjusted(pd.DataFrame(found, items), adjust)

    table, matching, rounds, settled = _purified(test, start, level, adjust, again)
    size = int((~belongs).sum()), int(belongs.sum())
    told = _classed(table, method, level), method, reference, focal, size, mismatch(matching)
    return Dif(*told, len(given) - len(frame), list(items[matching]), rounds, settled, level, adjust)


def _decides(adjust: str) -> str:
    """The column by which an item is flagged."""
    return "p" if adjust == "none" else "adjusted_p"


def _adjusted(table: pd.DataFrame, adjust: str) -> pd.DataFrame:
    """The table with `adjusted_p` after `p`; items without a test count for none."""
    from scipy.stats import false_discovery_control

    if adjust != "none":
        p = table["p"].dropna()
        how = holm if adjust == "holm" else false_discovery_control
        adjusted = pd.Series(how(p.to_numpy()) if len(p) else p, p.index).reindex(table.index)
        table.insert(table.columns.get_loc("p") + 1, "adjusted_p", adjusted)
    return table


def _purified(
    test: Any, start: BoolArray, level: float, adjust: str, again: bool
) -> tuple[pd.DataFrame, BoolArray, int, bool]:
    """Test, leave the flagged items out of the matching, test again until the same items are flagged.

    Stops unsettled after ten rounds, or where fewer than two items would be left to match by.
    """
    matching, rounds = start, 0
    while True:
        table, rounds = test(matching), rounds + 1
        clean = start & ~(table[_decides(adjust)] < level).to_numpy()
        settled = not again or bool((clean == matching).all())
        if settled or clean.sum() < 2:
            return table, matching, rounds, settled
        matching = clean
        if rounds == _ROUNDS:
            return table, matching, rounds, False


def _classed(table: pd.DataFrame, method: str, level: float) -> pd.DataFrame:
    """The table with effect sizes in letters: A negligible, B moderate, C large."""
    if method == "mantel-haenszel":
        from scipy.special import ndtri

        size = table["delta"].abs()
        differs = table["p"] < level
        large = (size >= 1.5) & (size - 1 > ndtri(1 - level) * table["delta_se"])
        letters = np.where(large & differs, "C", np.where((size >= 1) & differs, "B", "A"))
        table["class"] = np.where(table["p"].isna(), "", letters)
    if method == "logistic":
        change = table["r2_change"].to_numpy()
        for name, (moderate, large) in _CLASSES.items():
            letters = np.where(change < moderate, "A", np.where(change < large, "B", "C"))
            table[name] = np.where(np.isnan(change), "", letters)
    return table


def _cells(values: FloatArray, focal: BoolArray, anchors: BoolArray) -> tuple[FloatArray, FloatArray]:
    """How many agents are right, and how many there are: items x 2 (reference, focal) x scores.

    `values` is agents x items, `focal` True in the focal group, `anchors` True for the items that make up the
    score; the item under test always counts too (Holland and Thayer 1988).
    """
    items = values.shape[1]
    score = np.rint(values @ anchors)[:, None] + values * ~anchors
    place = (score + (items + 1) * focal[:, None] + 2 * (items + 1) * np.arange(items)).astype(int).ravel()
    counts = (np.bincount(place, weight, 2 * items * (items + 1)) for weight in (values.ravel(), None))
    right, agents = (count.reshape(items, 2, items + 1).astype(float) for count in counts)
    return right, agents


def _mantel_haenszel(
    values: FloatArray, focal: BoolArray, anchors: BoolArray, correct: bool, mismatch: float
) -> dict[str, FloatArray]:
    """χ², common odds ratio α and ETS Δ of each item.

    With A and B right and wrong of the reference group, C and D of the focal, and T agents at a score:
    α = Σ(AD / T) / Σ(BC / T); χ² = (|Σ A - Σ E(A)| - ½)² / Σ var(A); Δ = -2.35 log α, whose error is
    Robins, Breslow and Greenland's (1986). Mantel and Haenszel (1959); Holland and Thayer (1988). As R's
    mantelhaen.test, the ½ is left out where the difference is smaller. For p, χ² is divided by what
    `mismatch` makes of it (`_matching_error`).
    """
    from scipy.stats import chi2

    right, agents = _cells(values, focal, anchors)
    used = agents.sum(1) > 1
    n, total = np.where(used, agents.sum(1), 1.0), right.sum(1) * used
    (a, c), (b, d) = right.swapaxes(0, 1) * used, (agents - right).swapaxes(0, 1) * used
    first, second = agents.swapaxes(0, 1) * used
    difference = (a - first * total / n).sum(1)
    spread = (first * second * total * (n - total) / (n**2 * np.maximum(n - 1, 1))).sum(1)
    half = np.where(correct & (np.abs(difference) >= 0.5), 0.5, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(spread > 0, (np.abs(difference) - half) ** 2 / spread, np.nan)
        r, s, p = a * d / n, b * c / n, (a + d) / n
        top, bottom = r.sum(1), s.sum(1)
        variance = (p * r).sum(1) / (2 * top**2) + ((1 - p) * s).sum(1) / (2 * bottom**2)
        variance += (p * s + (1 - p) * r).sum(1) / (2 * top * bottom)
        return {
            "chi2": statistic,
            "p": chi2.sf(statistic / (1 + _UNEVEN * mismatch**2), 1),
            "odds_ratio": top / bottom,
            "delta": _ETS * np.log(top / bottom),
            "delta_se": -_ETS * np.sqrt(variance),
        }


def _logistic_test(
    values: FloatArray, focal: BoolArray, anchors: BoolArray, curved: bool, mismatch: float
) -> dict[str, FloatArray]:
    """Likelihood-ratio χ² of group and group x score together (2 df), its p, the p of each alone, and the
    change of Nagelkerke's R². Swaminathan and Rogers (1990); Zumbo (1999).

    Log odds are not a straight line in the score. Where the groups' scores lie apart, the bend looks like
    group x score; so the score's square stands in all regressions (`curved`). `mismatch` (`_matching_error`)
    makes the part of the group alone larger than it is, and is divided out for p.
    """
    from scipy.stats import chi2

    right, agents = (x.reshape(values.shape[1], -1) for x in _cells(values, focal, anchors))
    middle = values.sum(1)
    score = np.tile((np.arange(values.shape[1] + 1.0) - middle.mean()) / max(middle.std(), 1e-9), 2)
    belongs = np.repeat([0.0, 1.0], values.shape[1] + 1)
    matched = [np.ones_like(score), score, score**2][: 3 if curved else 2]
    design = np.stack([*matched, belongs, belongs * score], 1)
    sizes = (1, len(matched), len(matched) + 1, len(matched) + 2)
    null, base, uniform, both = (_fitted(design[:, :k], right, agents) for k in sizes)
    varies = (right.sum(1) > 0) & (right.sum(1) < agents.sum(1))
    gain = 2 * np.maximum(np.stack([both - base, uniform - base, both - uniform]), 0.0)
    gain = np.where(varies, gain, np.nan)
    whole = 1 - np.exp(2 * null / len(values))
    with np.errstate(invalid="ignore", divide="ignore"):
        change = (np.exp(2 * (null - base) / len(values)) - np.exp(2 * (null - both) / len(values))) / whole
    return {
        "chi2": gain[0],
        "p": chi2.sf(gain[0] / (1 + _UNEVEN * mismatch**2 / 2), 2),
        "uniform_p": chi2.sf(gain[1] / (1 + _UNEVEN * mismatch**2), 1),
        "non_uniform_p": chi2.sf(gain[2], 1),
        "r2_change": np.where(varies, change, np.nan),
    }


def _matching_error(values: FloatArray, focal: BoolArray, anchors: BoolArray) -> float:
    """How far agents of equal score and different group are apart in ability, in standard errors of a mean:
    (1 - α) d √(n n' / (n + n')), d the groups' distance in deviations of the score, α its reliability.

    A score is pulled towards the mean of its own group (Kelley 1927). What is left is taken for DIF of items
    that discriminate better or worse than the others: with log slopes of sd 0.3 it multiplies χ² by 1 + 0.017
    times its square (36 designs that are not among those reported).
    """
    groups = [values[focal == side][:, anchors] for side in (False, True)]
    scores = [group.sum(1) for group in groups]
    k, spread = int(anchors.sum()), np.mean([score.var(ddof=1) for score in scores])
    if k < 2 or spread <= 0:
        return 0.0
    apart = np.mean([group.var(0, ddof=1).sum() for group in groups])
    reliability = max(k / (k - 1) * (1 - apart / spread), 0.0)
    distance = abs(scores[0].mean() - scores[1].mean()) / np.sqrt(spread)
    size = np.sqrt(len(scores[0]) * len(scores[1]) / len(values))
    return float((1 - reliability) * distance * size)


def _fitted(design: FloatArray, right: FloatArray, agents: FloatArray) -> FloatArray:
    """Log-likelihoods of logistic regressions on one design (cells x k), one per item, by Newton
    steps; where the data separate, coefficients stop at ±30 and the likelihood is at its limit."""
    k = design.shape[1]
    products = (design[:, :, None] * design[:, None, :]).reshape(len(design), -1)

    def log_likelihood(at: FloatArray, items: Any = slice(None)) -> FloatArray:
        logit = at @ design.T
        return np.asarray((right[items] * logit - agents[items] * np.logaddexp(0.0, logit)).sum(1))

    at = np.zeros((len(right), k))
    reached = log_likelihood(at)
    for _ in range(50):
        chance = 0.5 * (1 + np.tanh(0.5 * at @ design.T))
        gradient = (right - agents * chance) @ design
        info = ((agents * chance * (1 - chance)) @ products).reshape(-1, k, k) + 1e-9 * np.eye(k)
        step = np.linalg.solve(info, gradient[:, :, None])[:, :, 0]
        step /= np.maximum(1.0, np.abs(step).max(1, keepdims=True) / 3)
        new = np.clip(at + step, -30, 30)
        found = log_likelihood(new)
        worse = found < reached - 1e-9
        new[worse] = at[worse] + (new - at)[worse] / 4
        found[worse] = log_likelihood(new[worse], worse)
        moved, at, reached = np.abs(found - reached).max(initial=0.0), new, found
        if moved < 1e-10:
            break
    return reached
