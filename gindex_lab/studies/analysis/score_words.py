"""Scores in words: who answers most items right, how sure that is, and who was not measured enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.notes import Note
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.measures.pairs import FEWEST_COMMON
from gindex_lab.studies.analysis.summary import NEGLIGIBLE, Said, caution, names_of, said_of_front

if TYPE_CHECKING:
    from gindex_lab.studies.analysis.comparing import Order

__all__ = ["about_chance", "about_coverage", "about_reading", "about_scores", "about_validity"]

_MANY = 20  # agents from which a distribution is worth a word: a judgement
_WHOLE = 1.8  # width of an interval of γ, nine tenths of [-1, 1], beyond which it says nothing: a judgement


def about_reading(data: Responses | Scores) -> list[str]:
    """What was read, for the top of a page: what the reader decided, which way is up, what an item is.

    >>> about_reading(Responses([[1, 0]]))
    ['more is better: change it with ...', "an item is told by its name (the first is 'item 1')"]
    """
    first = str(data.frame.columns[0]) if data.shape[1] else ""
    named = data.family is not None and "/" in first
    item = f"an item is told by its {'task and its id' if named else 'name'} (the first is {first!r})"
    item += "; agents with the same task and id are taken to have met the same item" * named
    known = any("is better" in note for note in data.notes)
    way = Note("direction", "more is better", "lower_is_better=[...] (--lower-is-better)")
    return [*data.notes, *([] if known else [way]), Note("items", item)]


def about_scores(
    table: pd.DataFrame, order: Order | None, test: str, agents: int | None = None
) -> list[Said]:
    """The best score with its interval, and whether it is separated from the others; `table` holds those of
    the `agents` that can be put in order.

    >>> rows = {"score": [0.75], "score_low": [0.6], "score_high": [0.86], "n": [40], "coverage": [1.0]}
    >>> about_scores(pd.DataFrame(rows, ["ann"]), None, "")[0].text
    'ann scores 75.0% (60.0 to 86.0) on 40 items.'
    """
    if order is None:
        best = table["score"].idxmax()
        if len(table) == 1:
            return [Said(f"{_scored(table, best)}.")]
        return [caution(f"{_scored(table, best, 'has the highest score,')}; no intervals were asked for.")]
    value = _scored(table, order.front, "has the highest score,")
    few = int(table["n"].max()) if table["n"].max() < FEWEST_COMMON else None
    found = [Said(_range(table, agents or len(table))), *said_of_front(order, value, "score", few)]
    if order.apart.to_numpy().any():
        found.append(Said(f"Pairs were compared on the items that both met ({test})."))
    return found


def _range(table: pd.DataFrame, agents: int) -> str:
    """From the lowest score to the highest, and of many agents where the middle half lies."""
    score = 100 * table["score"]
    low, high = score.min(), score.max()
    put = " agents that are put in order" if len(score) < agents else ""
    if low == high:
        return f"{f'The {len(score)}{put}' if put else f'All {len(score)} agents'} score {high:.1f}%."
    whose = f" of the {len(score)}{put}" if put else ""
    first, last = (names_of(list(score.index[score == end]), 1) for end in (low, high))
    text = f"Scores{whose} run from {low:.1f}% ({first}) to {high:.1f}% ({last})"
    if len(score) > _MANY:
        low, middle, high = score.quantile([0.25, 0.5, 0.75])
        text += f"; half of the agents lie between {low:.1f} and {high:.1f}% (median {middle:.1f}%)"
    return f"{text}."


def _scored(table: pd.DataFrame, agent: Any, verb: str = "scores") -> str:
    row = table.loc[agent]
    span = ""
    if "score_low" in table and np.isfinite(row["score_low"]):
        span = f" ({100 * row['score_low']:.1f} to {100 * row['score_high']:.1f})"
    return f"{agent} {verb} {100 * row['score']:.1f}%{span} on {int(row['n']):,} items"


def about_coverage(n: pd.Series, items: int, ranked: list[Any]) -> list[Said]:
    """Who met too few items to be put in order.

    >>> about_coverage(pd.Series({"a": 100, "b": 7}), 100, ["a"])[0].text
    'Not put in order, because they met less than half as many items as others: b (7 of 100).'
    """
    few = [f"{agent} ({count} of {items})" for agent, count in n.items() if agent not in set(ranked)]
    why = "because they met less than half as many items as others"
    return [caution(f"Not put in order, {why}: {names_of(few)}.")] if few else []


def about_chance(table: pd.DataFrame | None) -> list[Said]:
    """Agents that guessing would beat, or equal (`against_chance`)."""
    if table is None:
        return []
    found = []
    below, at = (table[table["against_chance"] == where] for where in ("below chance", "at chance"))
    if len(below):
        verb, whose = ("scores", "its") if len(below) == 1 else ("score", "their")
        text = f"{names_of(below.index)} {verb} below what guessing gives ({_level(below['floor'], '.1f')})"
        found.append(Said(f"{text}: check {whose} answers' format and the key."))
    if len(at):
        whose = "its" if len(at) == 1 else "their"
        text = (
            f"The score of {names_of(at.index)} cannot be told from guessing ({_level(at['floor'], '.1f')})"
        )
        found.append(caution(f"{text}: {whose} generality is not interpreted."))
    return found


def _level(floors: pd.Series, digits: str) -> str:
    """What guessing gives, in percent: one level, or from the lowest to the highest."""
    low, high = (format(100 * end, digits) for end in (floors.min(), floors.max()))
    return f"{low}%" if low == high else f"{low} to {high}%"


def about_gap(pairs: pd.DataFrame | None) -> list[Said]:
    """Of two agents: by how many points they differ on the items that both met."""
    if pairs is None or len(pairs) != 1 or not abs(pairs["difference"].iloc[0]) > 0:
        return []
    row = pairs.iloc[0]
    a, b, low, high = turned_pair(row, row["difference"] < 0)
    text = (
        f"On the {row['common']} items that both met, {a} scores {100 * abs(row['difference']):.1f} points "
        f"more than {b} ({100 * low:.1f} to {100 * high:.1f}, p = {row['p_value']:.2g})."
    )
    return [Said(text, row["verdict"] == "separated")]


def turned_pair(row: pd.Series, turn: bool) -> tuple[Any, Any, float, float]:
    """A pair of agents and the limits of their difference; the other way round with `turn`."""
    if turn:
        return row["b"], row["a"], -row["high"], -row["low"]
    return row["a"], row["b"], row["low"], row["high"]


def about_linked(linked: pd.DataFrame | None) -> list[Said]:
    """Pairs with too few common items: which of them a linked model compares."""
    if linked is None or linked.empty:
        return []
    n, known = len(linked), linked[linked["p_value"].notna()]
    pairs = "1 pair of agents shares" if n == 1 else f"{n} pairs of agents share"
    text = f"{pairs} fewer than five items."
    if known.empty:
        why = "too few other agents met enough items of both for a linked model"
        return [caution(f"{text} {'It is' if n == 1 else 'They are'} not comparable: {why}.")]
    least, most = known["links"].min(), known["links"].max()
    through = f"{least}" if least == most else f"{least} to {most}"
    apart, rest = int((linked["verdict"] == "separated").sum()), n - len(known)
    many, verb = "all" if not rest and n > 1 else len(known), "is" if apart < 2 else "are"
    text += (
        f" A linked item response model, through {through} agents that met items of both, compares {many} of "
        f"them: {apart or 'none'} {verb} separated."
    )
    if rest:
        text += f" The other {rest} {'is' if rest == 1 else 'are'} not comparable."
    return [caution(text)]


def about_floor(floors: pd.Series | None, inside: pd.Series | None) -> list[Said]:
    """Whether what guessing gives is inside capability and generality."""
    if floors is None or not (floors > 0).any():
        return []
    level = _level(floors, ".3g")
    if inside is not None:
        text = f"Capability and generality count what lies above guessing ({level})"
        return [Said(f"{text}: responses at that level count as failures.")]
    text = f"Positions by comparison with other agents do not know what guessing gives ({level})"
    return [caution(f"{text}: use --transform failure, or give difficulties.")]


def about_validity(table: pd.DataFrame | None) -> list[Said]:
    """How far the given difficulties order the failures (`gl.difficulty_validity`).

    >>> row = {"correlation": 0.6, "low": 0.3, "high": 0.8, "ordered": 0.8, "verdict": "orders failures"}
    >>> about_validity(pd.DataFrame([row] * 3, ["a", "b", "all agents"]))[0].text
    'Harder items are failed more often: rank correlation 0.60 (0.30 to 0.80) over all agents, and of two
     items that differ the harder is done worse in 80% of the cases.'
    """
    if table is None:
        return []
    row, agents = table.iloc[-1], table.iloc[:-1]
    span = f"rank correlation {row['correlation']:.2f} ({row['low']:.2f} to {row['high']:.2f})"
    if row["verdict"] == "orders them backwards":
        text = f"Items that are said to be harder are failed less often ({span})"
        return [Said(f"{text}: check which way difficulty runs.")]
    if row["verdict"] == "says nothing":
        text = f"The given difficulty does not order the failures ({span})"
        return [caution(f"{text}: capability and generality measured along it mean little.")]
    if row["verdict"] != "orders failures":
        return []
    whom = "over all agents" if len(agents) > 1 else f"for {agents.index[0]}"
    text = f"Harder items are failed more often: {span} {whom}, and of two items"
    found = [
        Said(f"{text} that differ the harder is done worse in {100 * row['ordered']:.0f}% of the cases.")
    ]
    backwards = list(agents.index[agents["verdict"] == "orders them backwards"])
    if backwards:
        verb = "does" if len(backwards) == 1 else "do"
        found.append(caution(f"{names_of(backwards)} {verb} better on items that are said to be harder."))
    return found


def why_gamma_is_unsure(control: pd.DataFrame | None, table: pd.DataFrame) -> str:
    """Why an order in γ should not be read: shuffled responses give as much; "" where it may be read."""
    if control is None:
        return ""
    gamma, own = control.loc["mean_gamma"], table["normalised_generality"]
    near = gamma["observed"] - gamma["shuffled"] < NEGLIGIBLE
    if not near and gamma["p"] <= 0.05:
        return ""
    why = "most of it comes from the items" if near else "chance alone could make that gap"
    return (
        f"Do not read differences in γ as differences between the agents: γ runs from {own.min():.3f} to "
        f"{own.max():.3f}, with mean {gamma['observed']:.3f}, and shuffled responses give "
        f"{gamma['shuffled']:.3f} on average: {why}."
    )


def about_undetermined(table: pd.DataFrame) -> list[Said]:
    """Agents of whose γ the interval is nearly the whole scale."""
    wide = undetermined(table)
    if not wide.any():
        return []
    who = names_of(list(table.index[wide]))
    return [caution(f"The responses say nothing about the generality of {who}: γ could lie anywhere.")]


def undetermined(table: pd.DataFrame) -> pd.Series:
    """Whether an agent's interval of γ is missing, or nearly the whole scale."""
    if "normalised_generality_low" not in table:
        return pd.Series(False, table.index)
    return ~(table["normalised_generality_high"] - table["normalised_generality_low"] < _WHOLE)


def about_bounds(table: pd.DataFrame, ci: float) -> list[Said]:
    """Which limits are bounds and hold at least so often, and which are intervals and hold about so often.

    >>> table = pd.DataFrame({"capability_bounds": [False, True], "spread_bounds": True,
    ...                       "normalised_generality_bounds": True})
    >>> about_bounds(table, 0.95)[0].text[:80]
    'Limits of capability (1 of 2 agents), spread (all) and γ (all) are bounds: they '
    """
    words = {"capability": "capability", "spread": "spread", "normalised_generality": "γ"}
    agents = len(table)
    counts = {word: int(table[f"{k}_bounds"].sum()) for k, word in words.items() if f"{k}_bounds" in table}
    each = [
        f"{word} ({f'{n:,} of {agents:,} agents' if n < agents else 'all'})"
        for word, n in counts.items()
        if n
    ]
    if not each:
        return []
    whole = set(counts.values()) == {agents}
    what = "All limits of capability, spread and γ" if whole else f"Limits of {names_of(each)}"
    text = (
        f"{what} are bounds: they hold at least {100 * ci:g} times in 100, usually more, because what nobody "
        "saw (a rare lapse, a fall between two items) sets them, not how the responses vary."
    )
    others = f" The other limits are intervals, which hold about {100 * ci:g} times in 100."
    return [caution(text if whole else text + others)]
