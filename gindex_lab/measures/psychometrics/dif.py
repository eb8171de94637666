"""Differential item functioning: does an item favour one of two groups of equal ability?

A group may solve an item less often because it knows less (impact) or because the item asks it for something
else besides (DIF). So agents are compared at the same total score (Mantel-Haenszel, logistic regression) or
at the same latent ability (likelihood ratio of two-group models, `multigroup`). Items with DIF spoil the
score by which agents are matched: with `purify` they leave it, and the test is repeated until it settles.
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
from gindex_lab.foundation.validate import choice, flag, known, number
from gindex_lab.measures.psychometrics.dif_tests import (
    BoolArray,
    logistic_test,
    mantel_haenszel,
    matching_error,
)
from gindex_lab.measures.psychometrics.groups import Told, binary_table, group_labels, whole_rows
from gindex_lab.measures.psychometrics.irt_settings import varies
from gindex_lab.measures.psychometrics.multigroup import Groups, likelihood_ratio

__all__ = ["Dif", "dif"]

_METHODS = {
    "mantel-haenszel": "Mantel-Haenszel",
    "logistic": "logistic regression",
    "likelihood-ratio": "likelihood ratio",
}
_ROUNDS = 10  # as difR's nrIter
_FEWEST = 10  # agents in a group: a judgement
_FAR = 3.0  # standard errors of `matching_error` that are worth a word: a judgement
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
    mismatch: float  # `dif_tests.matching_error`; 0 for the likelihood ratio
    left_out: int  # agents with missing responses
    anchors: list[object] = field(repr=False)  # what the agents were matched on at the end
    rounds: int
    settled: bool
    level: float
    adjust: str

    @property
    def flagged(self) -> list[object]:
        """The items that work differently for the two groups, at `level` after adjustment."""
        return list(self.table.index[self._significant])

    @property
    def _significant(self) -> BoolArray:
        p = self.table["p" if self.adjust == "none" else "adjusted_p"]
        return (p < self.level).to_numpy()

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
        if found:
            said = f"{len(found)} of {items} items work differently {between} at the same {matched} {by}: "
            worst = self.table.loc[found, "p"].sort_values(kind="stable").index[:8]
            said += "; ".join(f"{item} {self._way(item)}" for item in worst)
            said += f"; and {len(found) - 8} more." if len(found) > 8 else "."
        else:
            said = f"No item was found to work differently {between} at the same {matched} {by}."
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
    Matching by score has a price where abilities differ (`dif_tests.matching_error`): at a distance of one
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
    purify, correct, classical = (
        flag("purify", purify),
        flag("correct", correct),
        flag("classical", classical),
    )
    number("level", level, 0, 1, open_ends=True)
    given = binary_table(responses)
    frame = whole_rows(given)
    problem, remedy = "[too-few] has no agent without a gap", "drop the items that few have answered"
    ensure(len(frame), "responses", given.shape, problem, remedy)
    labels = group_labels(responses, group, given.index, 1).loc[frame.index]
    reference, focal = _sides(labels, focal)
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
        return 0.0 if by_model or classical else matching_error(values, belongs, matching)

    def test(matching: BoolArray) -> pd.DataFrame:
        slip = mismatch(matching)
        if by_model:
            rows = pd.DataFrame(likelihood_ratio(made, matching[fitted]), made.items).reindex(items)
        elif method == "mantel-haenszel":
            rows = pd.DataFrame(mantel_haenszel(values, belongs, matching, correct, slip), items)
        else:
            rows = pd.DataFrame(logistic_test(values, belongs, matching, not classical, slip), items)
        return _adjusted(rows, adjust)

    again = purify and anchors is None
    table, matching, rounds, settled = _purified(test, start, level, adjust, again)
    size = int((~belongs).sum()), int(belongs.sum())
    told = _classed(table, method, level), method, reference, focal, size, mismatch(matching)
    lost = len(given) - len(frame)
    return Dif(*told, lost, list(items[matching]), rounds, settled, level, adjust)


def _sides(labels: pd.Series, focal: object) -> tuple[object, object]:
    """The reference and the focal group; the smaller is the focal one unless it is named."""
    counts = labels.value_counts()
    problem = f"[wrong-length] has {len(counts)} groups where two are compared"
    names = list(counts.index)
    ensure(len(counts) == 2, "group", names, problem, "compare two at a time")
    problem = f"[too-few] has {counts.min()} agents without a gap"
    remedy = f"give each group at least {_FEWEST}"
    ensure(counts.min() >= _FEWEST, "group", counts.idxmin(), problem, remedy)
    if focal is None:
        return names[0], names[1]
    known_label = pd.api.types.is_hashable(focal) and focal in names
    ensure(known_label, "focal", focal, "[unknown-label] is not a group", f"use one of {names}")
    return next(name for name in names if name != focal), focal


def _adjusted(table: pd.DataFrame, adjust: str) -> pd.DataFrame:
    """The table with `adjusted_p` after `p`; items without a test count for none."""
    if adjust == "none":
        return table
    p = table["p"].to_numpy()
    if adjust == "holm":
        adjusted = holm(p)
    else:
        from scipy.stats import false_discovery_control

        adjusted = np.full(len(p), np.nan)
        seen = ~np.isnan(p)
        adjusted[seen] = false_discovery_control(p[seen]) if seen.any() else p[seen]
    table.insert(table.columns.get_loc("p") + 1, "adjusted_p", adjusted)
    return table


def _purified(
    test: Any, start: BoolArray, level: float, adjust: str, again: bool
) -> tuple[pd.DataFrame, BoolArray, int, bool]:
    """Test, leave the flagged items out of the matching, test again until the same items are flagged.

    Stops unsettled after ten rounds, or where fewer than two items would be left to match by.
    """
    column, matching = ("p" if adjust == "none" else "adjusted_p"), start
    for rounds in range(1, _ROUNDS + 1):
        table = test(matching)
        clean = start & ~(table[column] < level).to_numpy()
        if not again or (clean == matching).all():
            return table, matching, rounds, True
        if clean.sum() < 2:
            return table, matching, rounds, False
        matching = clean
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
