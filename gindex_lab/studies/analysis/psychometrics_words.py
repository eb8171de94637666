"""What the comparison of methods says: sentences from its tables, each chosen by an interval or a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import GIndexLabError
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.correlations import rank_correlation, rank_interval
from gindex_lab.studies.analysis.summary import Said, names_of

if TYPE_CHECKING:
    from gindex_lab.measures.psychometrics.irt import ItemResponseModel

__all__ = ["misfits", "said_fit", "said_generality", "said_items", "said_model", "said_order"]

MOST_ITEMS = 60  # for the parts that look at pairs of items
FEWEST_M2 = 100  # agents
STRANGE = -1.645  # lz* of one in twenty agents that follow the model


def said_model(model: ItemResponseModel, agents: pd.DataFrame, factors: int | None) -> list[Said]:
    """Reliability, whether the model as a whole fits, and whether factors agree that there is one scale."""
    from gindex_lab.measures.psychometrics.m2 import m2

    kind = model.model.upper()
    scale = (
        f"IRT: a {kind} model puts the agents on one scale (reliability {model.reliability:.2f})."
    )
    items = len(model.responses.columns) - len(model.constant_items)
    if items > MOST_ITEMS or len(agents) < FEWEST_M2:
        why = f"M2 takes {FEWEST_M2} agents and at most {MOST_ITEMS} items"
        return [
            Said(f"{scale} Whether it fits as a whole was not tested ({why}).{_mixed(factors)}")
        ]
    try:
        fit = m2(model)
    except GIndexLabError as error:
        why = f"the model {error.problem}"
        words = f"{scale} Whether it fits as a whole was not tested: {why}.{_mixed(factors)}"
        return [Said(words, False)]
    said = [Said(f"{scale} {fit}")]
    if (factors or 0) > 1 and fit.verdict.startswith("fits"):
        text = (
            f"Factors and IRT do not agree: {factors} factors stand above noise, yet one dimension"
        )
        said.append(Said(f"{text} {fit.verdict}. Parallel analysis counts factors however small."))
    elif factors == 1 and fit.verdict == "does not fit":
        text = "Factors and IRT do not agree: one factor stands above noise, yet one dimension does not fit"
        said.append(
            Said(f"{text}. Look for items with curves of another shape, or that hang together.")
        )
    return said


def _mixed(factors: int | None) -> str:
    """What several factors mean for one ability."""
    return (
        f" The factors are {factors}: one ability is an average over them."
        if (factors or 0) > 1
        else ""
    )


def misfits(model: ItemResponseModel, lz_star: pd.Series) -> pd.Series:
    """Whose lz* is too low for chance among so many agents: a false discovery rate of 5%.

    lz* has a longer lower tail than the normal law: with logits w and chances P at the agent's ability its
    skewness is Σ w³ P(1 - P)(1 - 2P) / (Σ w² P(1 - P))^1.5, and p that of Pearson's type III with it. Of 60
    simulated tables that follow the model (8 to 40 items, 200 or 400 agents) one names an agent; with normal
    tails 28 do.

    References
    ----------
    Snijders (2001), Psychometrika 66, 331-342 (lz*); Benjamini and Hochberg (1995), J. R. Stat. Soc. B 57,
    289-300.
    """
    from scipy.special import logit
    from scipy.stats import false_discovery_control, pearson3

    known = lz_star.dropna()
    found = pd.Series(False, lz_star.index)
    if known.empty:
        return found
    ability = model.abilities.loc[known.index, "ability"].to_numpy()
    chance = model.curves(ability).to_numpy().clip(1e-9, 1 - 1e-9)
    weight, variance = logit(chance), chance * (1 - chance)
    skew = (weight**3 * variance * (1 - 2 * chance)).sum(1) / (weight**2 * variance).sum(1) ** 1.5
    p = np.clip(pearson3.cdf(known.to_numpy(), skew), 0.0, 1.0)
    found[known.index] = false_discovery_control(p) < 0.05
    return found


def said_fit(agents: pd.DataFrame) -> Said:
    """How many agents do not follow the model, against one in twenty by chance; and who surely does not."""
    from scipy.stats import binom

    known = agents["lz_star"].dropna()
    if known.empty:
        words = "lz* is of right-or-wrong responses, and these are graded"
        return Said(f"Person fit was not judged: {words}.", False)
    n, count = len(known), int((known < STRANGE).sum())
    text = (
        f"Person fit: {count} of {n} agents answer against the order of the items (lz* below {STRANGE}), "
        f"where chance gives {0.05 * n:.0f}"
    )
    text += (
        ": more than chance." if binom.sf(count - 1, n, 0.05) < 0.05 else ": no more than chance."
    )
    sure = known[agents["strange"]].sort_values()
    if sure.empty:
        return Said(f"{text} Of no single agent is it sure.")
    verb = "one is" if len(sure) == 1 else f"{len(sure)} are"
    return Said(f"{text} Of them {verb} too far off for chance: {names_of(list(sure.index))}.")


def said_generality(agents: pd.DataFrame) -> list[Said]:
    """What γ shares with ability and with person fit, by the interval of the correlation."""
    said = []
    for other, words in (("lz_star", "person fit (lz*)"), ("ability", "ability")):
        rows = agents[[other, "normalised_generality"]].dropna()
        r = rank_correlation(rows[other], rows["normalised_generality"])
        if np.isnan(r) or len(rows) < 10:
            continue
        low, high = rank_interval(rows[other], rows["normalised_generality"])
        what = f"rank correlation {r:.2f} [{low:.2f}, {high:.2f}]"
        if low > 0.8:
            text = (
                f"Generality γ orders the agents nearly as {words} does ({what}): it adds little."
            )
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
    agree = f"Ability and capability have a rank correlation of {r:.2f} [{low:.2f}, {high:.2f}]"
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
    items = [
        x for x in ruler.index if x in model.parameters.index and x not in set(model.constant_items)
    ]
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
        return Said("No method finds an item odd beyond chance.")
    kinds = odd["odd"].str.split(", ").explode().value_counts()
    parts = []
    for kind, count in kinds.items():
        some = odd.index[odd["odd"].str.contains(kind, regex=False)]
        words, by = _ITEM_WORDS[str(kind)]
        verb = "is" if count == 1 else "are"
        parts.append(f"{count} {verb} {words} ({by}: {names_of(list(some), 3)})")
    return Said(f"Of {len(items)} items {'; '.join(parts)}.")


_ITEM_WORDS = {
    "solved by the less able": ("solved more often by the less able", "IRT"),
    "against the other items": ("answered against the rest of the test", "Mokken"),
    "curve of another shape": ("solved along a curve of another shape than the model's", "S-X²"),
}
