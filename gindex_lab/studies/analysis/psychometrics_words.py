"""What the comparison of methods says: sentences from its tables, each chosen by an interval or a test."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import Caution, GIndexLabError
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.correlations import rank_correlation, rank_interval
from gindex_lab.measures.psychometrics.item_fit import dependent_pairs
from gindex_lab.studies.analysis.models import model_words, varied_items
from gindex_lab.studies.analysis.summary import Said, names_of

if TYPE_CHECKING:
    from gindex_lab.measures.psychometrics.irt import ItemResponseModel

__all__ = ["misfits", "said_fit", "said_generality", "said_items", "said_model", "said_order"]
__all__ += ["out_of_order", "said_people", "said_reliability", "surprises"]

MOST_ITEMS = 60  # for the parts that look at pairs of items
FEWEST_M2 = 100  # agents
STRANGE = -1.645  # lz* of one in twenty agents that follow the model


def said_model(
    model: ItemResponseModel, data: Responses, agents: pd.DataFrame, factors: int | None
) -> list[Said]:
    """Reliability, whether the model as a whole fits, and whether factors agree that there is one scale."""
    from gindex_lab.measures.psychometrics.m2 import m2

    name, why = model_words(model, data)
    scale = f"IRT: a {name} puts the agents on one scale (reliability {model.reliability:.2f})."
    scale += f" {why}" if why else ""
    items, whole = varied_items(model), len(model.responses.dropna())
    untested = f"{scale} Whether it fits as a whole was not tested"
    why_not = "" if whole >= FEWEST_M2 else f"{whole} agents answered all items, and M2 takes {FEWEST_M2}"
    if len(items) > MOST_ITEMS:
        why_not = f"M2 takes at most {MOST_ITEMS} items"
    if model.model == "beta":
        why_not = "M2 is of right or wrong and of grades"
    if why_not:
        return [Said(f"{untested} ({why_not}).{_mixed(factors)}")]
    try:
        fit = m2(model)
    except GIndexLabError as error:
        return [Said(f"{untested}: the model {error.problem}.{_mixed(factors)}", False)]
    some = "" if whole == len(agents) else f" (of the {whole} agents without gaps)"
    told = re.sub(r" \[(\S+), (\S+)\]", r" (90% interval \1 to \2)", str(fit).removesuffix("."))
    said = [Said(f"{scale} {told}{some}.")]
    if (factors or 0) > 1 and fit.verdict.startswith("fits"):
        text = (
            f"Factors and IRT do not agree: {factors} factors stand above noise, yet one dimension "
            f"{fit.verdict}. Parallel analysis counts factors however small."
        )
        said.append(Said(f"{text} {said_dependence(model)}"))
    elif factors == 1 and fit.verdict == "does not fit":
        text = "Factors and IRT do not agree: one factor stands above noise, yet one dimension does not fit."
        said.append(Said(f"{text} {said_dependence(model)}"))
    elif dependent_pairs(model):
        said.append(Said(said_dependence(model)))
    return said


def said_dependence(model: ItemResponseModel) -> str:
    """The pairs of items that hang together beyond the ability (`dependent_pairs`)."""
    pairs = dependent_pairs(model)
    if not pairs:
        return "No pair of items hangs together beyond the ability, so no single items are behind it."
    shown = [f"{a} with {b} (Q3 {r:.2f})" for a, b, r in pairs]
    one = "One pair of items hangs" if len(pairs) == 1 else f"{len(pairs)} pairs of items hang"
    return f"{one} together beyond the ability: {names_of(shown, 3)}."


def _mixed(factors: int | None) -> str:
    """What several factors mean for one ability."""
    return f" The factors are {factors}: one ability is an average over them." if (factors or 0) > 1 else ""


def misfits(model: ItemResponseModel, lz_star: pd.Series) -> pd.Series:
    """Whose lz* is too low for chance among so many agents: a false discovery rate of 5%.

    lz* has a longer lower tail than the normal law: with w the log of the chance of each category at the
    agent's ability, its skewness is that of Σ w over items, and p that of Pearson's type III with it. Where
    all of 100 to 1,000 agents follow the model, anyone was named in 1 to 2% of 600 tables.

    References
    ----------
    Snijders (2001), Psychometrika 66, 331-342 (lz*); Benjamini and Hochberg (1995), J. R. Stat. Soc. B 57,
    289-300.
    """
    from scipy.stats import false_discovery_control, pearson3

    known = lz_star.dropna()
    found = pd.Series(False, lz_star.index)
    if known.empty:
        return found
    ability = model.abilities.loc[known.index, "ability"].to_numpy()
    second, third = _moments(model.curves(ability).clip(1e-9, 1 - 1e-9))
    skew = third.sum(axis=1) / second.sum(axis=1) ** 1.5
    p = np.clip(pearson3.cdf(known.to_numpy(), skew.to_numpy()), 0.0, 1.0)
    found[known.index] = false_discovery_control(p) < 0.05
    return found


def _moments(chance: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Second and third central moment of log P of the category drawn, agents x items."""
    if chance.columns.nlevels == 1:  # right or wrong
        weight, variance = np.log(chance / (1 - chance)), chance * (1 - chance)
        return weight**2 * variance, weight**3 * variance * (1 - 2 * chance)
    mean = (chance * np.log(chance)).T.groupby(level="item", sort=False).transform("sum").T
    apart = np.log(chance) - mean
    second, third = ((chance * apart**k).T.groupby(level="item", sort=False).sum().T for k in (2, 3))
    return second, third


def said_fit(agents: pd.DataFrame) -> Said:
    """How many agents do not follow the model, against one in twenty by chance; and who surely does not."""
    from scipy.stats import binom

    known = agents["lz_star"].dropna()
    if known.empty:
        words = "lz* is of responses in categories, and these are fractions"
        return Said(f"Person fit was not judged: {words}.", False)
    n, count = len(known), int((known < STRANGE).sum())
    text = (
        f"Person fit: {count} of {n} agents answer against the order of the items (lz* below {STRANGE}), "
        f"where chance gives {0.05 * n:.0f}"
    )
    text += ": more than chance." if binom.sf(count - 1, n, 0.05) < 0.05 else ": no more than chance."
    sure = known[agents["strange"]].sort_values()
    if sure.empty:
        return Said(f"{text} Of no single agent is it sure.")
    verb = "one is" if len(sure) == 1 else f"{len(sure)} are"
    return Said(f"{text} Of them {verb} too far off for chance: {names_of(list(sure.index))}.")


def said_generality(agents: pd.DataFrame) -> list[Said]:
    """What γ shares with ability and with person fit, by the interval of the correlation."""
    said = []
    for other, words in (("lz_star", "person fit lz*"), ("ability", "ability")):
        rows = agents[[other, "normalised_generality"]].dropna()
        r = rank_correlation(rows[other], rows["normalised_generality"])
        if np.isnan(r) or len(rows) < 10:
            continue
        low, high = rank_interval(rows[other], rows["normalised_generality"])
        what = f"rank correlation {_limited(r, low, high)}"
        if np.isnan(low):
            said.append(Said(f"Generality γ and {words}: {what}.", False))
            continue
        if low > 0.8:
            text = f"Generality γ orders the agents nearly as {words} does ({what}): it adds little."
        elif low > 0 or high < 0:
            side = "with" if r > 0 else "against"
            text = (
                f"Generality γ goes {side} {words} ({what}): they share {r * r:.0%} of the variance of "
                "ranks, the rest is of its own or noise."
            )
        else:
            text = f"No relation of generality γ and {words} was found ({what})."
        said.append(Said(text, low > 0 or high < 0))
    return said


def said_people(agents: pd.DataFrame) -> Said:
    """Who fits the model but is hardly general, or misfits but is general."""
    parts = []
    for kind, words in _PEOPLE_WORDS.items():
        some = agents.index[agents["odd"].str.contains(kind, regex=False)]
        if len(some):
            parts.append(f"{words}: {names_of(list(some), 3)}")
    return Said(f"Person fit and generality part over some agents. {'; '.join(parts)}." if parts else "")


_PEOPLE_WORDS = {
    "hardly general but fits": "Hardly general, yet as the model expects",
    "misfits but general": "Against the order of the items, yet general",
}


def surprises(data: Responses, model: ItemResponseModel, agents: list[Any]) -> list[str]:
    """The three responses of each agent that the model expected least, with what they were.

    By the standardised residual (x - E(x | θ)) / sd at the agent's own ability.
    """
    if not agents or model.model == "beta":
        return [""] * len(agents)
    items = varied_items(model)
    chance = model.curves(model.abilities.loc[agents, "ability"].to_numpy())
    if chance.columns.nlevels == 1:
        mean, square = chance, chance
    else:
        number = chance.columns.get_level_values("category").to_numpy(dtype=float)
        mean, square = ((chance * number**k).T.groupby(level="item", sort=False).sum().T for k in (1, 2))
    seen = model.responses.loc[agents, items].to_numpy()
    expected = mean[items].to_numpy()
    apart = (seen - expected) / np.sqrt(np.maximum((square[items] - mean[items] ** 2).to_numpy(), 1e-9))
    found = []
    for row, given in zip(np.nan_to_num(apart), data.frame.loc[agents, items].to_numpy(), strict=True):
        worst = np.argsort(-np.abs(row), kind="stable")[:3]
        found.append(", ".join(f"{items[k]} = {given[k]:.2g}" for k in worst if abs(row[k]) > 1))
    return found


def out_of_order(data: Responses, ruler: pd.Series | None, agent: Any) -> str:
    """The hardest item that an agent solved and the easiest that it failed, where they break the order."""
    if ruler is None:
        return ""
    given = data.frame.loc[agent, ruler.index].dropna()
    solved, failed = given.index[given > 0.5], given.index[given < 0.5]
    if not len(solved) or not len(failed):
        return ""
    top, bottom = ruler[solved].idxmax(), ruler[failed].idxmin()
    if ruler[top] <= ruler[bottom]:
        return ""
    return f"{top} = {given[top]:.2g}, {bottom} = {given[bottom]:.2g}"


def _limited(value: float, low: float, high: float) -> str:
    """A number with its limits, and a digit more where two would show a limit as 0.

    >>> _limited(-0.13, -0.25, -0.004)
    '-0.130, 95% interval -0.250 to -0.004'
    """
    if np.isnan(low):
        return f"{value:.2f}, without limits because more than half of the agents share one value"
    digits = 3 if min(abs(low), abs(high)) < 0.005 else 2
    return f"{value:.{digits}f}, 95% interval {low:.{digits}f} to {high:.{digits}f}"


def said_reliability(data: Responses, items: list[Any], factors: int | None) -> Said:
    """α of the sum of the items with its limits, which items were turned for it, and with two or more
    factors ω_h: with one, groups forced on the items would make it look too small."""
    from gindex_lab.measures.psychometrics.reliability import reliability

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Caution)  # too few items for ω: there is none
            found = reliability(data.frame[items])
    except GIndexLabError as error:
        return Said(f"Reliability of the sum was not computed: {error.problem}.", False)
    text = f"Sum of {len(items)} items: reliability α = {found.alpha:.2f}"
    if not np.isnan(found.alpha_low):
        text += f" (95% interval {found.alpha_low:.2f} to {found.alpha_high:.2f})"
    turned = list(found.items.index[found.items["flipped"]])
    text += f" with {names_of(turned, 3)} turned round" if turned else ""
    if (factors or 0) > 1 and not np.isnan(found.omega_h):
        text += f"; a general factor makes {found.omega_h:.0%} of its variance (ω_h)"
    return Said(f"{text}.")


def said_order(
    agents: pd.DataFrame,
    pairs: list[tuple[int, int, float]],
    data: Responses,
    model: ItemResponseModel,
    ruler: pd.Series | None,
) -> Said:
    """Whether ability and capability put agents in the same order, and who and what is behind it if not."""
    r = rank_correlation(agents["ability"], agents["capability"])
    if np.isnan(r):
        return Said("")
    low, high = rank_interval(agents["ability"], agents["capability"])
    agree = f"Ability and capability have a rank correlation of {_limited(r, low, high)}"
    if not pairs:
        return Said(f"{agree}, and no pair of agents is told apart by both the other way round.")
    count = pd.Series([x for a, b, _ in pairs for x in (a, b)]).value_counts()
    who = names_of([agents.index[int(k)] for k in count.index], 3)
    a, b, _ = max(pairs, key=lambda pair: pair[2])
    one, other = agents.index[a], agents.index[b]
    many = "1 pair of agents is" if len(pairs) == 1 else f"{len(pairs)} pairs of agents are"
    text = f"{agree}; {many} told apart by both, the other way round (most often {who})."
    behind = _behind(data, model, ruler, one, other)
    if behind:
        text += f" Between {one} (abler) and {other} (more capable) these items weigh most: "
        text += f"{names_of(behind, 3)}."
    return Said(text)


def _behind(
    data: Responses, model: ItemResponseModel, ruler: pd.Series | None, abler: Any, other: Any
) -> list[Any]:
    """The items by which ability prefers one agent and capability the other: ability weighs a response by
    the item's discrimination, capability by the stretch of difficulty that the item stands for."""
    if ruler is None:
        return []
    fitted = set(varied_items(model))
    items = [x for x in ruler.index if x in fitted]
    hard = ruler[items].to_numpy(dtype=float)
    stretch = _stretches(hard)
    slope = model.parameters.loc[items, "discrimination"].to_numpy()
    weight = slope / np.abs(slope).sum() - stretch / stretch.sum()
    gap = data.frame.loc[abler, items].to_numpy() - data.frame.loc[other, items].to_numpy()
    part = np.nan_to_num(gap * weight)
    order = np.argsort(-part, kind="stable")
    return [items[k] for k in order[:3] if part[k] > 0]


def _stretches(difficulty: FloatArray) -> FloatArray:
    """The share of the difficulty axis nearest to each item; items of one difficulty share theirs.

    >>> _stretches(np.array([0.0, 1.0, 1.0, 4.0])).tolist()
    [0.5, 1.0, 1.0, 1.5]
    """
    levels, code, counts = np.unique(difficulty, return_inverse=True, return_counts=True)
    if len(levels) < 2:
        return np.ones(len(difficulty))
    edges = np.concatenate([levels[:1], (levels[1:] + levels[:-1]) / 2, levels[-1:]])
    return np.asarray((np.diff(edges) / counts)[code])


def said_items(items: pd.DataFrame) -> Said:
    """Which items some method finds odd."""
    odd = items[items["odd"] != ""]
    if odd.empty:
        several = {"h", "s_x2_p"} & set(items)
        who = "No method finds an item" if several else "IRT alone could judge the items, and finds none"
        return Said(f"{who} odd beyond chance.")
    kinds = odd["odd"].str.split(", ").explode().value_counts()
    parts = []
    for kind, count in kinds.items():
        some = odd.index[odd["odd"].str.contains(kind, regex=False)]
        words, by = _ITEM_WORDS[str(kind)]
        verb = "one is" if count == 1 else f"{count} are"
        parts.append(f"{verb} {words} ({by}: {names_of(list(some), 3)})")
    key = " Check whether its key is the wrong way round." if "against the other items" in kinds else ""
    return Said(f"Of {len(items)} items {'; '.join(parts)}.{key}")


_ITEM_WORDS = {
    "solved by the less able": ("solved more often by the less able", "IRT"),
    "against the other items": ("answered against the rest of the test", "Mokken"),
    "curve of another shape": ("solved along a curve of another shape than the model's", "S-X²"),
}
