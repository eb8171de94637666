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
from gindex_lab.measures.psychometrics.correlations import rank_correlation
from gindex_lab.studies.analysis import models
from gindex_lab.studies.analysis import psychometrics_words as words
from gindex_lab.studies.analysis.summary import Said
from gindex_lab.studies.analysis.tables import COLUMNS

if TYPE_CHECKING:
    from gindex_lab.measures.psychometrics.irt import ItemResponseModel
    from gindex_lab.measures.psychometrics.mokken import Mokken

__all__ = ["Psychometrics", "compared", "psychometrics"]

_FEWEST_AGENTS, _FEWEST_ITEMS, _FEWEST_FAMILIES = 30, 5, 6  # that tell methods apart: judgements
_SHOWN = ["mean", "ability", "capability", "normalised_generality", "lz_star", "odd", "behind"]
_SURE = 1.96  # standard errors: 95% of a normal law
_NOT = "The methods were not compared"
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
        return None if self.agents is None else _told(self.agents[self.agents["odd"] != ""][_SHOWN])

    @property
    def odd_items(self) -> pd.DataFrame | None:
        """The items that some method finds odd, those that most find odd first."""
        if self.items is None:
            return None
        kept = [name for name in self.items if not str(name).endswith("_se")]
        return _told(self.items.loc[self.items["odd"] != "", kept])

    def __str__(self) -> str:
        lines = [said.text for said in self.said] or [self.why_not]
        for name, table in self._odd():
            lines += ["", f"{name} that a method finds odd:", table.to_string()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        import html

        parts = [f"<p>{html.escape(s.text)}</p>" for s in self.said] or [html.escape(self.why_not)]
        for name, table in self._odd():
            parts += [f"<p><b>{name} that a method finds odd</b></p>", table.to_html()]
        return "".join(parts)

    def _odd(self) -> list[tuple[str, pd.DataFrame]]:
        """The first ten odd agents and items, with headings for people."""
        both = {"Agents": self.odd_agents, "Items": self.odd_items}
        return [
            (name, table.head(10).round(2).rename(columns=COLUMNS))
            for name, table in both.items()
            if table is not None and len(table)
        ]


def _told(table: pd.DataFrame) -> pd.DataFrame:
    """Without columns in which nothing stands."""
    return table.loc[:, [name for name in table if not (table[name].isna() | (table[name] == "")).all()]]


def psychometrics(
    responses: ResponsesLike, difficulty: DifficultyLike = None, *, seed: SeedLike = 1
) -> Psychometrics:
    """What factors, item response theory, person fit and generality say of a table, and where they disagree.

    Parameters
    ----------
    responses : Responses or a table, agents x items in [0, 1]; at least 30 agents and 5 items that vary
    difficulty : of each item; the items' own by default, and without any the share that failed
    seed : of parallel analysis

    Returns
    -------
    Psychometrics
        `said` (sentences), `agents` and `items` (one row each, with what is odd), `agreement` of the methods.

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
        raise BadInput("responses", responses, "[wrong-type] holds raw scores", remedy)
    data = responses if isinstance(responses, Responses) else Responses(responses)
    if difficulty is not None:
        data = data.with_difficulty(difficulty)
    given = data.difficulty is not None
    if not given:
        data = data.with_difficulty((1 - data.frame.mean()).to_numpy())
    why = _too_small(data)
    if why:
        return Psychometrics([], why_not=why)
    gaps = "drop" if np.isnan(data.values).any() else "error"
    families = 0 if data.family is None else data.family.nunique()
    drawn = "families" if families >= _FEWEST_FAMILIES else "items"
    measures = generality(data, ci=0.95, missing=gaps, resample=drawn, seed=seed)
    factors = models.factor_view(data, seed=seed)
    found = compared(data, measures, models.fitted(data), factors, data.difficulty)
    if not given and found.said:
        text = "An item is as hard as the share of agents that failed it: none had a difficulty."
        found.said.append(Said(text))
    return found


def _too_small(data: Responses) -> str:
    agents, varied = len(data.frame), int((data.frame.nunique() > 1).sum())
    if agents < _FEWEST_AGENTS or varied < _FEWEST_ITEMS:
        least = f"{_FEWEST_AGENTS} agents and {_FEWEST_ITEMS} items are the fewest that tell methods apart"
        return f"{_NOT}: {agents} agents and {varied} items that vary, where {least}."
    return ""


def compared(
    data: Responses | Scores,
    measures: pd.DataFrame,
    model: ItemResponseModel | None,
    factors: models.ModelView,
    ruler: pd.Series | None,
) -> Psychometrics:
    """The comparison, from measures (`gl.generality`), a model (`models.fitted`) and factors already made;
    `ruler` the difficulties behind the measures, where they have any."""
    if not isinstance(data, Responses):
        return Psychometrics([], why_not=f"{_NOT}: raw scores are not answers that are right or wrong.")
    why = _too_small(data)
    if model is None and not why:
        why = f"{_NOT}: no item response model could be fitted."
    if why or model is None:
        return Psychometrics([], why_not=why)
    agents = _agents(data, measures, model)
    some, sampled = _sample(data, model)
    items, note = _items(data, some, model)
    agreement = _agreement(agents)
    pairs = _contradictions(agents)
    agents["odd"] = _odd_agents(agents, pairs)
    agents["behind"] = _behind(data, model, ruler, agents["odd"])
    said = [Said(f"Factors: {factors.sentence}", factors.table is not None)]
    said.append(words.said_reliability(data, some, factors.factors))
    said += words.said_model(model, data, agents, factors.factors)
    said += [Said(sampled)] if sampled else []
    said.append(note)
    said.append(words.said_fit(agents))
    said += words.said_generality(agents)
    said.append(words.said_people(agents))
    said.append(words.said_order(agents, pairs, data, model, ruler))
    said.append(words.said_items(items))
    agents = agents.drop(columns="strange")
    first = agents["odd"].eq("").astype(float) * 1e9 + agents["lz_star"].fillna(0)
    agents = agents.loc[first.sort_values(kind="stable").index]
    oddities = items["odd"].map(lambda text: text.count(",") + (text != ""))
    items = items.loc[(-oddities).sort_values(kind="stable").index]
    return Psychometrics([s for s in said if s.text], agents, items, agreement)


def _agents(data: Responses, measures: pd.DataFrame, model: ItemResponseModel) -> pd.DataFrame:
    """Score, ability, capability, γ and lz* of each agent, with what is needed to tell agents apart."""
    kept = ["capability", "spread", "normalised_generality"]
    limits = [f"{m}_{end}" for m in ("capability", "normalised_generality") for end in ("low", "high")]
    table = pd.DataFrame({"mean": data.frame.mean(axis=1)})
    table = table.join(model.abilities.rename(columns={"se": "ability_se"}))
    table = table.join(measures[[name for name in [*kept, *limits] if name in measures]])
    table["lz_star"] = np.nan
    if model.model == "graded" or not models.is_graded(data):  # lz* is of categories
        table["lz_star"] = model.person_fit()["lz_star"]
    table["strange"] = words.misfits(model, table["lz_star"])
    return table


def _sample(data: Responses, model: ItemResponseModel) -> tuple[list[Any], str]:
    """The items for what looks at pairs: all that vary, or 60 evenly over the order of their means."""
    varied = models.varied_items(model)
    if len(varied) <= words.MOST_ITEMS:
        return varied, ""
    order = data.frame[varied].mean().sort_values(kind="stable").index
    chosen = order[np.linspace(0, len(order) - 1, words.MOST_ITEMS).astype(int)]
    told = (
        f"Pairs of items were looked at among {words.MOST_ITEMS} of {len(varied)}, taken evenly over the "
        "order of their means."
    )
    return [x for x in varied if x in set(chosen)], told


def _items(data: Responses, some: list[Any], model: ItemResponseModel) -> tuple[pd.DataFrame, Said]:
    """Share solved, discrimination with its error, p of S-X² and Mokken's H, and what is odd."""
    parameters = model.items if len(model.responses.columns) <= 400 else model.parameters
    kept = [name for name in ("discrimination", "discrimination_se") if name in parameters]
    table = parameters.drop(index=model.constant_items, errors="ignore")[kept]
    table.insert(0, "solved", data.frame[table.index].mean())
    chosen = data.select(items=some).frame.round(9)
    scale, note = _scaled(chosen)
    if scale is not None:
        table["h"], table["h_se"] = scale.items["h"], scale.items["h_se"]
    if len(some) == len(table) and len(chosen.dropna()) >= words.FEWEST_M2 and model.model != "beta":
        table["s_x2_p"] = model.item_fit().get("s_x2_p")
    table["odd"] = _odd_items(table)
    return table, note


def _scaled(frame: pd.DataFrame) -> tuple[Mokken | None, Said]:
    """Mokken's scale of the agents without gaps, and what it says or why there is none."""
    from gindex_lab.measures.psychometrics.mokken import MOST_LEVELS, mokken

    whole, levels = frame.dropna(), int(frame.nunique().max())
    if len(whole) < _FEWEST_AGENTS or levels > MOST_LEVELS:
        why = f"{len(whole)} agents answered all items, and it takes {_FEWEST_AGENTS}"
        if levels > MOST_LEVELS:
            why = f"an item has {levels} levels, and it takes {MOST_LEVELS} at most"
        return None, Said(f"Mokken's H was not computed: {why}.", False)
    some = "" if len(whole) == len(frame) else f" (of the {len(whole)} agents without gaps)"
    try:
        scale = mokken(whole)
    except GIndexLabError as error:
        return None, Said(f"Mokken's H was not computed: {error.problem}.", False)
    return scale, Said(f"Without any formula for the curves (Mokken{some}): {scale.sentence}")


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


def _behind(data: Responses, model: ItemResponseModel, ruler: pd.Series | None, odd: pd.Series) -> pd.Series:
    """The answers behind what is odd: those that the model expected least, or that break the order."""
    fits = odd.str.contains("hardly general but fits")
    strange = list(odd.index[(odd != "") & ~fits])
    found = dict(zip(strange, words.surprises(data, model, strange), strict=True))
    found |= {agent: words.out_of_order(data, ruler, agent) for agent in odd.index[fits]}
    return pd.Series(found, dtype=object).reindex(odd.index, fill_value="")


def _odd_agents(agents: pd.DataFrame, pairs: list[tuple[int, int, float]]) -> list[str]:
    """What is odd about each agent: it does not fit, is hardly general, or is ordered both ways."""
    general = agents["normalised_generality"]
    top = agents.get("normalised_generality_high", pd.Series(np.nan, agents.index))
    bottom = agents.get("normalised_generality_low", pd.Series(np.nan, agents.index))
    middle = general.median()
    strange = agents["strange"]
    twice = np.zeros(len(agents), dtype=bool)
    twice[[x for a, b, _ in pairs for x in (a, b)]] = True
    marks = {
        "misfits and hardly general": strange & (top < middle),
        "misfits but general": strange & (bottom > middle),
        "misfits": strange & ~(top < middle) & ~(bottom > middle),
        "hardly general but fits": (top < middle) & (agents["lz_star"] > 0),
        "ability and capability disagree": pd.Series(twice, agents.index),
    }
    marked = pd.DataFrame(marks)
    return [", ".join(marked.columns[row]) for row in marked.to_numpy(dtype=bool)]
