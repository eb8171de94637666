"""The same agents by four methods: factors, item response theory, person fit, and capability with generality.

Each method asks the table something else. Factors ask how many things the items measure, item response theory
how able each agent is on one scale, person fit who answers against the order of the items, generality how far
down an agent's curve is from a step. Where they contradict each other, an agent or an item is behind it, and
is named here. Every sentence comes out of the tables, and what intervals leave open is said to be open.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, GIndexLabError
from gindex_lab.foundation.likes import DifficultyLike, ResponsesLike, SeedLike
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.correlations import rank_correlation
from gindex_lab.studies.analysis import models
from gindex_lab.studies.analysis.summary import Said, names_of
from gindex_lab.studies.analysis.validity import rank_limits

if TYPE_CHECKING:
    from gindex_lab.measures.psychometrics.irt import ItemResponseModel

__all__ = ["Psychometrics", "compared", "psychometrics"]

_FEWEST_AGENTS, _FEWEST_ITEMS = 30, 5
_MOST_ITEMS = 60  # for the parts that look at pairs of items
_FEWEST_M2 = 100  # agents
_SHOWN = ["mean", "ability", "capability", "normalised_generality", "lz_star", "odd"]
_SURE = 1.96
_STRANGE = -1.645  # lz* of one in twenty agents that follow the model
_MEASURES = {"ability": "ability", "capability": "capability", "normalised_generality": "γ"}


@dataclass(frozen=True)
class Psychometrics:
    """`said` (sentences), `agents` and `items` (one row each, with what is odd about them), `agreement`
    (rank correlations of the methods) and `fit` (of the model as a whole); `why_not` where there is nothing.
    """

    said: list[Said]
    agents: pd.DataFrame | None = field(default=None, repr=False, compare=False)
    items: pd.DataFrame | None = field(default=None, repr=False, compare=False)
    agreement: pd.DataFrame | None = field(default=None, repr=False, compare=False)
    why_not: str = ""

    @property
    def odd_agents(self) -> pd.DataFrame | None:
        """The agents about which the methods have something to say, the strangest first."""
        return None if self.agents is None else self.agents.loc[self.agents["odd"] != "", _SHOWN]

    @property
    def odd_items(self) -> pd.DataFrame | None:
        """The items that some method finds odd, those that most find odd first."""
        if self.items is None:
            return None
        kept = [name for name in self.items if not str(name).endswith("_se")]
        return self.items.loc[self.items["odd"] != "", kept]

    def __str__(self) -> str:
        lines = [said.text for said in self.said] or [self.why_not]
        for name, table in (("Agents", self.odd_agents), ("Items", self.odd_items)):
            if table is not None and len(table):
                lines += ["", f"{name} behind it:", table.head(10).round(2).to_string()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        import html

        parts = [f"<p>{html.escape(s.text)}</p>" for s in self.said] or [html.escape(self.why_not)]
        for table in (self.odd_agents, self.odd_items):
            parts += [] if table is None or table.empty else [table.head(10).round(2).to_html()]
        return "".join(parts)


def psychometrics(
    responses: ResponsesLike, difficulty: DifficultyLike = None, *, seed: SeedLike = 1
) -> Psychometrics:
    """What factors, item response theory, person fit and generality say of a table, and where they disagree.

    Parameters
    ----------
    responses : Responses or a table, agents x items in [0, 1]; at least 30 agents and 5 items that vary
    difficulty : of each item; the items' own by default, and without any the share that failed
    seed : of parallel analysis

    Examples
    --------
    >>> from gindex_lab.measures.psychometrics.irt_simulate import simulate_irt
    >>> items = pd.DataFrame({"discrimination": 1.5, "difficulty": np.linspace(-2, 2, 20)})
    >>> table = simulate_irt(items, agents=200, seed=1)
    >>> found = psychometrics(table)
    >>> found.agreement.loc["ability", "capability"] > 0.9, len(found.agents)
    (np.True_, 200)

    References
    ----------
    Hernández-Orallo et al. (2021), supplement B: generality beside psychometric models.
    """
    from gindex_lab.measures.generality import generality

    if isinstance(responses, Scores):
        remedy = "turn them into responses first (gl.rank, scores.to_responses)"
        raise BadInput("responses", responses, "holds raw scores", remedy, code="wrong-type")
    data = responses if isinstance(responses, Responses) else Responses(responses)
    if difficulty is not None:
        data = data.with_difficulty(difficulty)
    elif data.difficulty is None:
        data = data.with_difficulty((1 - data.frame.mean()).to_numpy())
    why = _too_small(data)
    if why:
        return Psychometrics([], why_not=why)
    gaps = "drop" if np.isnan(data.values).any() else "error"
    measures = generality(data, ci=0.95, missing=gaps, resample="items", seed=seed)
    return compared(
        data, measures, models.fitted(data), models.factor_view(data, seed=seed), data.difficulty
    )


def _too_small(data: Responses) -> str:
    agents, varied = len(data.frame), int((data.frame.nunique() > 1).sum())
    if agents < _FEWEST_AGENTS or varied < _FEWEST_ITEMS:
        return (
            f"The methods were not compared: {agents} agents and {varied} items that vary, where "
            f"{_FEWEST_AGENTS} agents and {_FEWEST_ITEMS} items are the fewest that tell methods apart."
        )
    return ""


def compared(
    data: Responses | Scores,
    measures: pd.DataFrame,
    model: ItemResponseModel | None,
    factors: models.View,
    ruler: pd.Series | None,
) -> Psychometrics:
    """The comparison, from measures (`gl.generality`), a model (`models.fitted`) and factors already made;
    `ruler` the difficulties behind the measures, where they have any."""
    if not isinstance(data, Responses):
        return Psychometrics(
            [], why_not="The methods were not compared: raw scores have no right and wrong."
        )
    why = _too_small(data)
    if model is None and not why:
        why = "The methods were not compared: no item response model could be fitted."
    if why or model is None:
        return Psychometrics([], why_not=why)
    agents = _agents(data, measures, model)
    some, sampled = _sample(data, model)
    items, notes = _items(data, some, model)
    agreement = _agreement(agents)
    pairs = _contradictions(agents)
    agents["odd"] = _odd_agents(agents, pairs)
    said = [Said(f"Factors: {factors.sentence}", factors.table is not None)]
    said += _said_model(model, agents, factors.factors)
    said += [Said(sampled)] if sampled else []
    said += notes
    said.append(_said_fit(agents))
    said += _said_generality(agents)
    said.append(_said_order(agents, pairs, data, model, ruler))
    said.append(_said_items(items))
    order = agents["odd"].eq("").astype(float) * 1e9 + agents["lz_star"].fillna(0)
    return Psychometrics(
        [s for s in said if s.text],
        agents.loc[order.sort_values(kind="stable").index],
        items.loc[
            items["odd"]
            .map(lambda text: -text.count(",") - (text != ""))
            .sort_values(kind="stable")
            .index
        ],
        agreement,
    )


# -- the tables ------------------------------------------------------------------------------------------


def _agents(data: Responses, measures: pd.DataFrame, model: ItemResponseModel) -> pd.DataFrame:
    """Score, ability, capability, γ and lz* of each agent, with what is needed to tell agents apart."""
    kept = ["capability", "spread", "normalised_generality"]
    limits = [
        f"{m}_{end}" for m in ("capability", "normalised_generality") for end in ("low", "high")
    ]
    table = pd.DataFrame({"mean": data.frame.mean(axis=1)})
    table = table.join(model.abilities.rename(columns={"se": "ability_se"}))
    table = table.join(measures[[name for name in [*kept, *limits] if name in measures]])
    table["lz_star"] = model.person_fit()["lz_star"]
    return table


def _sample(data: Responses, model: ItemResponseModel) -> tuple[list[Any], str]:
    """The items for what looks at pairs: all that vary, or 60 evenly over the order of their means."""
    varied = [x for x in model.responses.columns if x not in set(model.constant_items)]
    if len(varied) <= _MOST_ITEMS:
        return varied, ""
    order = data.frame[varied].mean().sort_values(kind="stable").index
    chosen = order[np.linspace(0, len(order) - 1, _MOST_ITEMS).astype(int)]
    words = (
        f"Pairs of items were looked at among {_MOST_ITEMS} of {len(varied)}, taken evenly over the "
        "order of their means."
    )
    return [x for x in varied if x in set(chosen)], words


def _items(
    data: Responses, some: list[Any], model: ItemResponseModel
) -> tuple[pd.DataFrame, list[Said]]:
    """Share solved, discrimination with its error, p of S-X² and Mokken's H, and what is odd."""
    from gindex_lab.measures.psychometrics.mokken import mokken

    parameters = model.items if len(model.responses.columns) <= 400 else model.parameters
    kept = [name for name in ("discrimination", "discrimination_se") if name in parameters]
    table = parameters.drop(index=model.constant_items, errors="ignore")[kept]
    table.insert(0, "solved", data.frame[table.index].mean())
    notes = []
    try:
        scale = mokken(data.select(items=some).frame.round(9))
        table["h"], table["h_se"] = scale.items["h"], scale.items["h_se"]
        notes.append(Said(f"Without any formula for the curves (Mokken): {scale.sentence}"))
    except GIndexLabError as error:
        notes.append(Said(f"Mokken's H was not computed: {error.problem}.", False))
    if len(some) == len(table) and len(data.frame) >= _FEWEST_M2:
        table["s_x2_p"] = model.item_fit().get("s_x2_p")
    table["odd"] = _odd_items(table)
    return table, notes


def _odd_items(table: pd.DataFrame) -> list[str]:
    """What each method finds odd about an item, surely: intervals that exclude, p values adjusted."""
    from scipy.stats import false_discovery_control

    blank = pd.Series(np.nan, table.index)
    slope, slope_se = table["discrimination"], table.get("discrimination_se", blank)
    h, h_se = table.get("h", blank), table.get("h_se", blank)
    shape = table.get("s_x2_p", blank).copy()
    seen = shape.notna()
    if seen.any():
        shape[seen] = false_discovery_control(shape[seen])
    signs = {
        "solved by the less able": slope + _SURE * slope_se < 0,
        "against the other items": h + _SURE * h_se < 0,
        "curve of another shape": shape < 0.05,
    }
    marked = pd.DataFrame(signs)
    return [", ".join(marked.columns[row]) for row in marked.to_numpy()]


def _agreement(agents: pd.DataFrame) -> pd.DataFrame:
    """Rank correlations of the measures over agents."""
    names = [*_MEASURES, "lz_star"]
    rows = [
        [rank_correlation(*agents[[a, b]].dropna().to_numpy().T) if a != b else 1.0 for b in names]
        for a in names
    ]
    return pd.DataFrame(rows, names, names)


def _contradictions(agents: pd.DataFrame) -> list[tuple[int, int, float]]:
    """Pairs (the abler, the more capable, by how much) that both methods tell apart, the other way round.

    Ability: |z| > 1.96; capability: the intervals of the two do not meet.
    """
    if "capability_low" not in agents:
        return []
    ability, error = agents["ability"].to_numpy(), agents["ability_se"].to_numpy()
    low, high = agents["capability_low"].to_numpy(), agents["capability_high"].to_numpy()
    z = (ability[:, None] - ability) / np.sqrt(error[:, None] ** 2 + error**2)
    against = (z > _SURE) & (high[:, None] < low)
    return [(int(a), int(b), float(z[a, b])) for a, b in np.argwhere(against)]


def _odd_agents(agents: pd.DataFrame, pairs: list[tuple[int, int, float]]) -> list[str]:
    """What is odd about each agent: it does not fit, is hardly general, or is ordered both ways."""
    general = agents["normalised_generality"]
    top = agents.get("normalised_generality_high", pd.Series(np.nan, agents.index))
    bottom = agents.get("normalised_generality_low", pd.Series(np.nan, agents.index))
    middle = general.median()
    strange = agents["lz_star"] < _STRANGE
    twice = np.zeros(len(agents), dtype=bool)
    twice[[x for a, b, _ in pairs for x in (a, b)]] = True
    marks = {
        "misfits and hardly general": strange & (top < middle),
        "misfits but general": strange & (bottom > middle),
        "misfits": strange & ~(top < middle) & ~(bottom > middle),
        "hardly general but fits": ~strange & (top < middle) & (agents["lz_star"] > 0),
        "ability and capability disagree": pd.Series(twice, agents.index),
    }
    marked = pd.DataFrame(marks)
    return [", ".join(marked.columns[row]) for row in marked.to_numpy(dtype=bool)]


# -- the sentences -----------------------------------------------------------------------------------------


def _said_model(model: ItemResponseModel, agents: pd.DataFrame, factors: int | None) -> list[Said]:
    """Reliability, whether the model as a whole fits, and whether factors agree that there is one scale."""
    from gindex_lab.measures.psychometrics.m2 import m2

    scale = f"IRT: a {model.model} model puts the agents on one scale (reliability {model.reliability:.2f})."
    items = len(model.responses.columns) - len(model.constant_items)
    if items > _MOST_ITEMS or len(agents) < _FEWEST_M2:
        why = f"M2 takes {_FEWEST_M2} agents and at most {_MOST_ITEMS} items"
        return [Said(f"{scale} Whether it fits as a whole was not tested ({why}).")]
    try:
        fit = m2(model)
    except GIndexLabError as error:
        why = f"the model {error.problem}"
        return [Said(f"{scale} Whether it fits as a whole was not tested: {why}.", False)]
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


def _said_fit(agents: pd.DataFrame) -> Said:
    """How many agents do not follow the model, against the one in twenty that chance gives."""
    from scipy.stats import binom

    known = agents["lz_star"].dropna()
    strange = known[known < _STRANGE].sort_values()
    n, count = len(known), len(strange)
    text = (
        f"Person fit: {count} of {n} agents answer against the order of the items (lz* below {_STRANGE}), "
        f"where chance gives {0.05 * n:.0f}"
    )
    if binom.sf(count - 1, n, 0.05) < 0.05:
        return Said(f"{text}. That is more than chance: {names_of(list(strange.index))}.")
    far = f"; the farthest is {strange.index[0]} (lz* {strange.iloc[0]:.1f})" if count else ""
    return Said(f"{text}: no more than chance{far}.")


def _said_generality(agents: pd.DataFrame) -> list[Said]:
    """What γ shares with ability and with person fit, by the interval of the correlation."""
    rows = agents[["ability", "normalised_generality", "lz_star"]].dropna()
    said = []
    for other, words in (("lz_star", "person fit (lz*)"), ("ability", "ability")):
        r = rank_correlation(rows[other], rows["normalised_generality"])
        if np.isnan(r) or len(rows) < 10:
            continue
        low, high = rank_limits(r, len(rows), 0.95)
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


def _said_order(
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
    low, high = rank_limits(r, len(agents), 0.95)
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


def _said_items(items: pd.DataFrame) -> Said:
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
