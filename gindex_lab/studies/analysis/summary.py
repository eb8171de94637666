"""What the numbers say in plain words, and what they do not.

Each function turns one part of an analysis into a sentence or two. `Said.firm` marks what the data can
tell; the others say that they cannot, and why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import FloatArray

if TYPE_CHECKING:
    from gindex_lab.studies.analysis.comparing import Order

__all__ = ["Said", "about_control", "about_data", "about_items", "about_order", "about_survival", "caution"]

NEGLIGIBLE = 0.05  # of γ: what the agents add to what shuffled responses give (a judgement)


class Said(NamedTuple):
    """A sentence, and whether the data can tell what it says."""

    text: str
    firm: bool = True


def caution(text: str) -> Said:
    """A sentence about what the data cannot tell."""
    return Said(text, False)


def names_of(agents: Sequence[Any], most: int = 4) -> str:
    """Some names, and how many more.

    >>> names_of(["a", "b", "c", "d", "e", "f"])
    'a, b, c, d and 2 more'
    """
    shown = [str(agent) for agent in agents[:most]]
    last = f"{len(agents) - most} more" if len(agents) > most else shown.pop() if shown else ""
    return f"{', '.join(shown)} and {last}" if shown else last


def about_data(data: Responses | Scores, resample: str | None) -> list[Said]:
    """Cautions that follow from the size and the kind of the data.

    Parameters
    ----------
    data : gl.Responses or gl.Scores
    resample : what the intervals resample, None if there are none

    Returns
    -------
    list of sentences (`gl.analysis.Said`).

    Examples
    --------
    >>> [said.text for said in about_data(Responses([[1, 1, 1], [1, 1, 1]]), "items")][-1]
    'Every agent responded alike to every item: the data say nothing about differences.'
    """
    agents, items = data.shape
    found = []
    shared = (data.frame.notna().sum() > 1).to_numpy()
    if 1 < agents < 5 and data.difficulty is None and shared.any():
        found.append(f"Only {agents} agents: how hard an item seems depends on who happened to be measured.")
    if items < 10:
        wide = "intervals are wide, and cover more than they say"
        why = wide if resample else "other items of the same kind could give another order"
        found.append(f"Only {items} item{'s' if items != 1 else ''}: {why}.")
    families = 0 if data.family is None else data.family.nunique()
    if families > 1 and resample == "items":
        found.append(
            f"The items come in {families} families, and the intervals take items as independent: "
            "too narrow where items of a family go together (then use --resample families)."
        )
    share = float(data.frame.isna().to_numpy().mean())
    if share > 0:
        found.append(
            f"{share:.1%} of the cells are missing: the tables measure each agent on the items that it met, "
            "and pairs are compared on the items that both met."
        )
    if agents > 1 and not shared.any():
        found.append("No two agents met the same item: they cannot be compared.")
    elif agents > 1 and all_alike(data.values[:, shared]):
        found.append("Every agent responded alike to every item: the data say nothing about differences.")
    return [caution(text) for text in found]


def all_alike(values: FloatArray) -> bool:
    """Whether no column has two different numbers."""
    return bool((np.nanmin(values, axis=0) == np.nanmax(values, axis=0)).all())


def about_order(
    table: pd.DataFrame, orders: Mapping[str, Order], unsure: Mapping[str, str] | None = None
) -> list[Said]:
    """Who is ahead in capability and in generality, as far as the data can separate them.

    Parameters
    ----------
    table : of `gl.generality`
    orders : of `gl.analysis.order_of`, one for each measure
    unsure : by measure, why its order should not be read at all: then nothing about it is firm

    Returns
    -------
    list of sentences (`gl.analysis.Said`).

    Examples
    --------
    >>> from gindex_lab.studies.analysis.comparing import Order
    >>> table = pd.DataFrame({"capability": [0.7, 0.6]}, list("ab"))
    >>> tied = pd.DataFrame(False, list("ab"), list("ab"))
    >>> order = Order(tied, "a", ["b"], [], [["a", "b"]], 1, 0, 0, 0)
    >>> about_order(table, {"capability": order})[0].text
    'The data cannot tell the agents apart in capability: the two are not separated.'
    """
    found: list[Said] = []
    nouns = {
        "capability": ("The most capable agent is", "capability"),
        "normalised_generality": ("The least general for its capability is", "normalised generality γ"),
    }
    for measure, order in orders.items():
        problem, remedy = "is not an order of agents", "pass what gl.analysis.order_of gives"
        ensure(hasattr(order, "front"), "orders", measure, problem, remedy)
        opening, noun = nouns[measure]
        value = f"{opening} {order.front} ({noun} {table.loc[order.front, measure]:.3g})"
        why = (unsure or {}).get(measure, "")
        lines = said_of_front(order, value, noun)
        found += [caution(line.text) for line in lines] if why else lines
        found += [caution(why)] if why and order.apart.to_numpy().any() else []
    return found


def said_of_front(order: Order, value: str, noun: str, items: int | None = None) -> list[Said]:
    """Whether the agent in front is separated from the others, and how many pairs are; `items` is given
    where they are too few for any pair."""
    if not order.apart.to_numpy().any():
        return [_nobody_apart(order, noun, items), *_alone(order, noun)]
    found = []
    few = order.incomparable
    if order.tied:
        rest = f", and it shares too few items with {names_of(few)}" if few else ""
        found = [caution(f"{value}, but the data cannot separate it from {names_of(order.tied)}{rest}.")]
        found += _alone(order, noun)
    elif few:
        text = f"{value}, separated from all but {names_of(few)}"
        found = [caution(f"{text}, with whom it shares too few items.")]
    else:
        others = order.apart.index.drop(order.front)
        rest = "" if order.apart.loc[order.front, others].all() else " that is put in order"
        whom = others[0] if order.pairs == 1 else f"every other agent{rest}"
        found = [Said(f"{value}, separated from {whom}.")]
    if order.separated is not None and order.pairs > 1:
        unknown = f"; {order.unknown} are not comparable" if order.unknown else ""
        verb = "is" if order.separated == 1 else "are"
        pairs = f"{order.separated:,} of {order.pairs:,} pairs of agents {verb} separated{unknown}"
        found.append(Said(f"In {noun}, {pairs}."))
    if order.reversed:
        stand = "pair stands" if order.reversed == 1 else "pairs stand"
        text = (
            f"In {noun}, {order.reversed} separated {stand} "
            "the other way round than in the table: there each agent has its own items, here the common ones."
        )
        found.append(caution(text))
    return found


def _alone(order: Order, noun: str) -> list[Said]:
    """How much of the caution is due to the number of pairs: with thousands, next to nothing is separated."""
    others = len(order.apart) - 1
    if noun not in ("score", "capability") or not order.alone or order.alone <= others - len(order.tied):
        return []
    text = (
        f"Without the correction for all {order.pairs:,} pairs, {order.alone:,} of {others:,} would be "
        f"separated from {order.front}, some of them perhaps because the best of many is also lucky."
    )
    return [caution(text)]


def _nobody_apart(order: Order, noun: str, items: int | None) -> Said:
    if order.unknown and order.unknown == order.pairs:
        text = f"No two agents share enough items to be compared in {noun}."
        if items is not None:
            text = f"{items} items are too few to compare scores: pairs are tested on five or more."
    elif order.separated is None:
        text = (
            f"The data do not separate {order.front} from any other agent in {noun}, corrected for all "
            f"{order.pairs:,} pairs of agents."
        )
    else:
        none = f"not one of {order.pairs:,} pairs is" if order.pairs > 1 else "the two are not"
        text = f"The data cannot tell the agents apart in {noun}: {none} separated."
    return caution(text)


def about_integrity(found: pd.DataFrame | None) -> list[Said]:
    """The defects that `gl.audit` found, the most frequent first.

    >>> rows = {"kind": ["defect"], "count": [3], "of": [90], "remedy": ["drop the copies"]}
    >>> about_integrity(pd.DataFrame(rows, ["duplicated rows"]))[0].text
    'Check the data first: duplicated rows (3 of 90). See "Are the data in order?" below.'
    """
    if found is None or not (found["kind"] == "defect").any():
        return []
    defects = found[found["kind"] == "defect"].sort_values("count", ascending=False, kind="stable")
    listed = "; ".join(f"{name} ({row['count']:,} of {row['of']:,})" for name, row in defects.iterrows())
    return [caution(f'Check the data first: {listed}. See "Are the data in order?" below.')]


_CONCLUSIONS = {
    "best": "Who is the most capable (up to ties)",
    "order": "The order of agents that are separated in capability",
    "least_general": "Who is the least general (up to ties)",
    "gamma_order": "The order of agents that are separated in γ",
}


def about_survival(
    verdict: Mapping[str, bool], found: pd.DataFrame, refused: Mapping[str, str]
) -> list[Said]:
    """Whether the conclusions hold under other definitions of difficulty.

    Parameters
    ----------
    verdict : of `gl.analysis.verdict`
    found : the table of `gl.analysis.survival`
    refused : the definitions that were not tried, and why

    Returns
    -------
    list of sentences (`gl.analysis.Said`).

    Examples
    --------
    >>> rows = pd.DataFrame({"generality_order": [1.0], "capability_order": [1.0], "reversed": [0],
    ...                      "separated": [3], "best": ["a"], "least_general": ["b"]}, index=["rank"])
    >>> about_survival({"best": True, "order": True, "least_general": False}, rows, {})[1].text
    'Who is the least general (up to ties) does not survive: it depends on how difficulty is defined...'
    """
    if not verdict:
        return [caution("Nothing is separated, so there is no conclusion to try on other difficulties.")]
    said = []
    surviving = [_CONCLUSIONS[key] for key, holds in verdict.items() if holds]
    if surviving:
        joined = "; ".join(text[0].lower() + text[1:] for text in surviving)
        which = {1: "the one definition", 2: "both definitions"}
        tried = which.get(len(found), f"all {len(found)} definitions")
        were = "was" if len(found) == 1 else "were"
        said.append(Said(f"Survives {tried} of difficulty that {were} tried: {joined}."))
    for key in (key for key, holds in verdict.items() if not holds):
        if key.endswith("order"):
            kind = "gamma_" if key == "gamma_order" else ""
            turned, pairs = found[f"{kind}reversed"], found[f"{kind}separated"]
            why = f"{turned.max()} of {pairs.max()} pairs turn round under {turned.idxmax()}"
        else:
            why = ", ".join(f"{name}: {agent}" for name, agent in found[key].items())
        text = f"{_CONCLUSIONS[key]} does not survive: it depends on how difficulty is defined ({why})."
        said.append(caution(text))
    if refused:
        why = "; ".join(f"{name} ({reason})" for name, reason in refused.items())
        said.append(caution(f"Not tried: {why}."))
    return said


def about_control(control: pd.DataFrame, level: float = 0.05) -> list[Said]:
    """What is left when responses are shuffled within each item.

    Parameters
    ----------
    control : the table of `gl.analysis.shuffle_control`
    level : of its tests

    Returns
    -------
    list of sentences (`gl.analysis.Said`).

    Examples
    --------
    >>> rows = {"observed": [0.1, 0.7], "shuffled": [0.02, 0.7], "p": [0.01, 0.4]}
    >>> said = about_control(pd.DataFrame(rows, index=["capability_sd", "mean_gamma"]))
    >>> [s.firm for s in said]
    [True, False]
    """
    ability, gamma = control.loc["capability_sd"], control.loc["mean_gamma"]
    if max(ability["observed"], ability["shuffled"]) < 1e-9:
        return []  # nothing varies, and there was nothing to shuffle
    spread, mean = (
        f"({what} {row['observed']:.3f} against {row['shuffled']:.3f}, p = {row['p']:.2g})"
        for what, row in (("sd", ability), ("mean γ", gamma))
    )
    more = f"by more than shuffled responses do {spread}"
    found = [Said(f"Taken together, agents differ in capability {more}.")]
    if ability["p"] > level:
        text = "Taken together, agents are not shown to differ in capability"
        found = [caution(f"{text} {more}: do not rank them by capability.")]
    gain, those = gamma["observed"] - gamma["shuffled"], f"those of shuffled responses {mean}"
    if gamma["p"] <= level and gain < NEGLIGIBLE:
        text = f"Curves are hardly more step-like than {those}: nearly all of γ comes from the items."
    elif gamma["p"] <= level:
        return [*found, Said(f"Curves are more step-like than {those}.")]
    elif gain >= NEGLIGIBLE:
        text = f"The data cannot tell whether curves are more step-like than {those}."
    else:
        text = f"Curves are no more step-like than {those}: what γ there is comes from the items."
    return [*found, caution(text)]


def about_items(
    counts: Mapping[str, int], by_chance: float, agents: int = 0, can_tell: bool = True
) -> list[Said]:
    """What the audit of the items found.

    Parameters
    ----------
    counts : of `gl.analysis.audit_counts`
    by_chance : of `gl.analysis.expected_duplicates`
    agents : how many there are
    can_tell : whether so many agents could show that an item points the wrong way

    Returns
    -------
    list of sentences (`gl.analysis.Said`).

    Examples
    --------
    >>> counts = {"items": 9, "separate nobody": 2, "negative discrimination": 1,
    ...           "negative beyond chance": 0, "duplicates": 0, "duplicate pairs": 0}
    >>> about_items(counts, 0.0)[0].text
    '2 of 9 items separate nobody: all agents that met them did alike.'
    """
    n, same, twice = counts["items"], counts["separate nobody"], counts["duplicates"]
    below, beyond = counts["negative discrimination"], counts["negative beyond chance"]
    alone, pairs = counts.get("met by one agent only", 0), counts["duplicate pairs"]
    found = []
    if alone:
        text = f"{alone:,} of {n:,} items were met by one agent only, and compare nobody."
        found.append(caution(text))
    if same:
        verb, them = ("separates", "it") if same == 1 else ("separate", "them")
        found.append(Said(f"{same:,} of {n:,} items {verb} nobody: all agents that met {them} did alike."))
    if beyond:
        verb = "is" if beyond == 1 else "are"
        text = f"{beyond:,} of {n:,} items {verb} solved more by weaker agents, beyond chance: check the key."
        found.append(Said(text))
    elif below:
        has = "has" if below == 1 else "have"
        why = f"{agents} agents are too few to tell a wrong key from chance"
        if can_tell:
            why = "none of them is so far below 0 that chance can be ruled out"
            why += " with so many items tested together"
        text = f"{below:,} of {n:,} items {has} a negative discrimination (weaker agents did better); {why}."
        found.append(caution(text))
    if pairs > 2 * by_chance + 1:
        chance = f"{by_chance:,.0f}" if by_chance >= 1 else f"{by_chance:.1g}"
        text = (
            f"{twice:,} {'item was' if twice == 1 else 'items were'} answered by all agents just like an "
            f"earlier one: {pairs:,} {'pair' if pairs == 1 else 'pairs'} of equal items. Unrelated items "
            f"would make about {chance} such pairs; items that one ability explains make more, so equal "
            "responses alone do not show that an item stands twice."
        )
        found.append(caution(text))
    text = f"All {n} items separate agents; none has a negative discrimination, no two are alike."
    return found or [Said(text)]
