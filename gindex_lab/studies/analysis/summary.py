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

__all__ = ["Said", "about_control", "about_data", "about_items", "about_order", "about_survival"]


NEGLIGIBLE = 0.05  # of γ: what the agents add to what shuffled responses give


class Said(NamedTuple):
    """A sentence, and whether the data can tell what it says."""

    text: str
    firm: bool = True


def names_of(agents: Sequence[Any], most: int = 4) -> str:
    """Some names, and how many more.

    >>> names_of(["a", "b", "c", "d", "e", "f"])
    'a, b, c, d and 2 more'
    """
    shown = [str(agent) for agent in agents[:most]]
    rest = len(agents) - most
    if rest > 0:
        return f"{', '.join(shown)} and {rest} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


def about_data(data: Responses | Scores, resample: str | None) -> list[Said]:
    """Cautions that follow from the size and the kind of the data; `resample` is None without intervals.

    >>> [said.text for said in about_data(Responses([[1, 1, 1], [1, 1, 1]]), "items")][-1]
    'Every agent responded alike to every item: the data say nothing about differences.'
    """
    agents, items = data.shape
    found = []
    shared = (data.frame.notna().sum() > 1).to_numpy()
    if 1 < agents < 5 and data.difficulty is None and shared.any():
        text = f"{_few(agents, 'agent')}: how hard an item seems depends on who happened to be measured."
        found.append(Said(text, False))
    if items < 10:
        wide = "intervals are wide, and cover more than they say"
        why = wide if resample else "other items of the same kind could give another order"
        text = f"{_few(items, 'item')}: {why}."
        found.append(Said(text, False))
    family = data.family
    if family is not None and family.nunique() > 1 and resample == "items":
        text = (
            f"The items come in {family.nunique()} families, and the intervals take items as independent: "
            "too narrow where items of a family go together (then use --resample families)."
        )
        found.append(Said(text, False))
    share = float(data.frame.isna().to_numpy().mean())
    if share > 0:
        text = (
            f"{share:.1%} of the cells are missing: the tables measure each agent on the items that it met, "
            "and pairs are compared on the items that both met."
        )
        found.append(Said(text, False))
    if agents < 2:
        return found
    if not shared.any():
        text = "No two agents met the same item: they cannot be compared."
        found.append(Said(text, False))
    elif all_alike(data.values[:, shared]):
        text = "Every agent responded alike to every item: the data say nothing about differences."
        found.append(Said(text, False))
    return found


def all_alike(values: FloatArray) -> bool:
    """Whether no column has two different numbers."""
    low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    return bool((low == high).all())


def _few(n: int, what: str) -> str:
    return f"Only {n} {what}{'s' if n != 1 else ''}"


def about_order(
    table: pd.DataFrame, orders: Mapping[str, Order], unsure: Mapping[str, str] | None = None
) -> list[Said]:
    """Who is ahead in capability and in generality, as far as the data can separate them.

    `orders` comes from `order_of`, one for each measure. `unsure` may say, by measure, why its order is not
    to be read at all: then nothing about it is firm.

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
        "normalised_generality": (
            "The least general for its capability is",
            "normalised generality γ",
        ),
    }
    for measure, order in orders.items():
        problem, remedy = "is not an order of agents", "pass what gl.analysis.order_of gives"
        ensure(hasattr(order, "front"), "orders", measure, problem, remedy)
        opening, noun = nouns[measure]
        value = f"{opening} {order.front} ({noun} {table.loc[order.front, measure]:.3g})"
        why = (unsure or {}).get(measure, "")
        lines = said_of_front(order, value, noun)
        found += [Said(line.text, False) for line in lines] if why else lines
        found += [Said(why, False)] if why and order.apart.to_numpy().any() else []
    return found


def said_of_front(order: Order, value: str, noun: str, items: int | None = None) -> list[Said]:
    """Whether the agent in front is separated from the others, and how many pairs are; `items` is given
    where they are too few for any pair."""
    count = int(np.triu(order.apart.to_numpy(), 1).sum())
    if not count:
        return [_nobody_apart(order, noun, items), *_alone(order, noun)]
    found = []
    few = order.incomparable
    if order.tied:
        rest = f", and it shares too few items with {names_of(few)}" if few else ""
        text = f"{value}, but the data cannot separate it from {names_of(order.tied)}{rest}."
        found += [Said(text, False), *_alone(order, noun)]
    elif few:
        text = f"{value}, separated from all but {names_of(few)}"
        found.append(Said(f"{text}, with whom it shares too few items.", False))
    else:
        all_others = order.apart.loc[order.front].sum() == len(order.apart) - 1
        rest = "" if all_others else " that is put in order"
        whom = f"every other agent{rest}"
        if order.pairs == 1:
            whom = f"{next(agent for agent in order.apart.index if agent != order.front)}"
        found.append(Said(f"{value}, separated from {whom}."))
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
        found.append(Said(text, False))
    return found


def _alone(order: Order, noun: str) -> list[Said]:
    """How much of the caution is due to the number of pairs: with thousands, next to nothing is separated."""
    others = len(order.apart) - 1
    if noun not in ("score", "capability") or not order.alone:
        return []
    if order.alone <= others - len(order.tied):
        return []
    text = (
        f"Without the correction for all {order.pairs:,} pairs, {order.alone:,} of {others:,} would be "
        f"separated from {order.front}, some of them perhaps because the best of many is also lucky."
    )
    return [Said(text, False)]


def _nobody_apart(order: Order, noun: str, items: int | None) -> Said:
    if order.unknown and order.unknown == order.pairs and items is not None:
        text = f"{items} items are too few to compare scores: pairs are tested on five or more."
    elif order.unknown and order.unknown == order.pairs:
        text = f"No two agents share enough items to be compared in {noun}."
    elif order.separated is None:
        text = (
            f"The data do not separate {order.front} from any other agent in {noun}, corrected for all "
            f"{order.pairs:,} pairs of agents."
        )
    else:
        none = f"not one of {order.pairs:,} pairs is" if order.pairs > 1 else "the two are not"
        text = f"The data cannot tell the agents apart in {noun}: {none} separated."
    return Said(text, False)


def about_integrity(found: pd.DataFrame | None) -> list[Said]:
    """The defects that `gl.audit` found, the most frequent first.

    >>> rows = {"kind": ["defect"], "count": [3], "of": [90], "remedy": ["drop the copies"]}
    >>> about_integrity(pd.DataFrame(rows, ["duplicated rows"]))[0].text
    'Check the data first: duplicated rows (3 of 90). See "Are the data in order?" below.'
    """
    if found is None:
        return []
    defects = found[found["kind"] == "defect"].sort_values("count", ascending=False, kind="stable")
    if defects.empty:
        return []
    listed = "; ".join(
        f"{name} ({row['count']:,} of {row['of']:,})" for name, row in defects.iterrows()
    )
    return [Said(f'Check the data first: {listed}. See "Are the data in order?" below.', False)]


def about_survival(
    verdict: Mapping[str, bool], found: pd.DataFrame, refused: Mapping[str, str]
) -> list[Said]:
    """Whether the conclusions hold under other definitions of difficulty.

    >>> rows = pd.DataFrame({"generality_order": [1.0], "capability_order": [1.0], "reversed": [0],
    ...                      "separated": [3], "best": ["a"], "least_general": ["b"]}, index=["rank"])
    >>> about_survival({"best": True, "order": True, "least_general": False}, rows, {})[1].text
    'Who is the least general (up to ties) does not survive: it depends on how difficulty is defined...'
    """
    if not verdict:
        text = "Nothing is separated, so there is no conclusion to try on other difficulties."
        return [Said(text, False)]
    texts = {
        "best": "Who is the most capable (up to ties)",
        "order": "The order of agents that are separated in capability",
        "least_general": "Who is the least general (up to ties)",
        "gamma_order": "The order of agents that are separated in γ",
    }
    column = {"best": "best", "least_general": "least_general"}
    ok = [texts[k] for k, holds in verdict.items() if holds]
    said = []
    if ok:
        joined = "; ".join(text[0].lower() + text[1:] for text in ok)
        which = {1: "the one definition", 2: "both definitions"}
        tried = which.get(len(found), f"all {len(found)} definitions")
        were = "was" if len(found) == 1 else "were"
        said.append(Said(f"Survives {tried} of difficulty that {were} tried: {joined}."))
    for key, holds in verdict.items():
        if holds:
            continue
        if key.endswith("order"):
            kind = "gamma_" if key == "gamma_order" else ""
            turned, pairs = found[f"{kind}reversed"], found[f"{kind}separated"]
            why = f"{turned.max()} of {pairs.max()} pairs turn round under {turned.idxmax()}"
        else:
            why = ", ".join(f"{name}: {agent}" for name, agent in found[column[key]].items())
        text = f"{texts[key]} does not survive: it depends on how difficulty is defined ({why})."
        said.append(Said(text, False))
    if refused:
        why = "; ".join(f"{name} ({reason})" for name, reason in refused.items())
        said.append(Said(f"Not tried: {why}.", False))
    return said


def about_control(control: pd.DataFrame, level: float = 0.05) -> list[Said]:
    """What is left when responses are shuffled within each item.

    >>> rows = {"observed": [0.1, 0.7], "shuffled": [0.02, 0.7], "p": [0.01, 0.4]}
    >>> said = about_control(pd.DataFrame(rows, index=["capability_sd", "mean_gamma"]))
    >>> [s.firm for s in said]
    [True, False]
    """
    ability, gamma = control.loc["capability_sd"], control.loc["mean_gamma"]
    if max(ability["observed"], ability["shuffled"]) < 1e-9:
        return []  # nothing varies, and there was nothing to shuffle
    sd, mean, shuffled = _against(ability, "sd"), _against(gamma, "mean γ"), "shuffled responses"
    if ability["p"] <= level:
        text = f"Taken together, agents differ in capability by more than {shuffled} do {sd}."
        found = [Said(text)]
    else:
        text = "Taken together, agents are not shown to differ in capability by more than"
        found = [Said(f"{text} {shuffled} do {sd}: do not rank them by capability.", False)]
    gain = gamma["observed"] - gamma["shuffled"]
    if gamma["p"] <= level and gain < NEGLIGIBLE:
        text = f"Curves are hardly more step-like than those of {shuffled} {mean}"
        return [*found, Said(f"{text}: nearly all of γ comes from the items.", False)]
    if gamma["p"] <= level:
        return [*found, Said(f"Curves are more step-like than those of {shuffled} {mean}.")]
    if gain >= NEGLIGIBLE:
        text = "The data cannot tell whether curves are more step-like than those of"
        return [*found, Said(f"{text} {shuffled} {mean}.", False)]
    text = f"Curves are no more step-like than those of {shuffled} {mean}"
    return [*found, Said(f"{text}: what γ there is comes from the items.", False)]


def _against(row: pd.Series, what: str) -> str:
    return f"({what} {row['observed']:.3f} against {row['shuffled']:.3f}, p = {row['p']:.2g})"


def about_items(
    counts: Mapping[str, int], by_chance: float, agents: int = 0, can_tell: bool = True
) -> list[Said]:
    """What the audit of the items found; `can_tell` as of `can_tell_wrong_keys`.

    >>> counts = {"items": 9, "separate nobody": 2, "negative discrimination": 1,
    ...           "negative beyond chance": 0, "duplicates": 0, "duplicate pairs": 0}
    >>> about_items(counts, 0.0)[0].text
    '2 of 9 items separate nobody: all agents that met them did alike.'
    """
    n, same, twice = counts["items"], counts["separate nobody"], counts["duplicates"]
    below, beyond = counts["negative discrimination"], counts["negative beyond chance"]
    found = []
    alone = counts.get("met by one agent only", 0)
    if alone:
        text = f"{alone:,} of {n:,} items were met by one agent only, and compare nobody."
        found.append(Said(text, False))
    if same:
        verb, them = ("separates", "it") if same == 1 else ("separate", "them")
        text = f"{same:,} of {n:,} items {verb} nobody: all agents that met {them} did alike."
        found.append(Said(text))
    if beyond:
        verb = "is" if beyond == 1 else "are"
        text = f"{beyond:,} of {n:,} items {verb} solved more by weaker agents, beyond chance: check the key."
        found.append(Said(text))
    elif below:
        has = "has" if below == 1 else "have"
        why = (
            "none of them is so far below 0 that chance can be ruled out with so many items tested together"
            if can_tell
            else f"{agents} agents are too few to tell a wrong key from chance"
        )
        text = f"{below:,} of {n:,} items {has} a negative discrimination (weaker agents did better); {why}."
        found.append(Said(text, False))
    pairs = counts["duplicate pairs"]
    if pairs > 2 * by_chance + 1:
        chance = f"{by_chance:,.0f}" if by_chance >= 1 else f"{by_chance:.1g}"
        text = (
            f"{twice:,} {'item was' if twice == 1 else 'items were'} answered by all agents just like an "
            f"earlier one: {pairs:,} {'pair' if pairs == 1 else 'pairs'} of equal items. Unrelated items "
            f"would make about {chance} such pairs; items that one ability explains make more, so equal "
            "responses alone do not show that an item stands twice."
        )
        found.append(Said(text, False))
    text = f"All {n} items separate agents; none has a negative discrimination, no two are alike."
    return found or [Said(text)]
