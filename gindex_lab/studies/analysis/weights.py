"""How much of capability does each item decide, and which differences could the study have seen?

Capability is an area along the scale of difficulty (Eq. 7 of the generality supplement), so that a stretch of
the scale counts as much with three items as with three hundred. A score counts every item alike.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.step_curves import StepCurves
from gindex_lab.measures.generality import generality
from gindex_lab.measures.horizons.words import minutes_text
from gindex_lab.measures.planning.power import detectable
from gindex_lab.studies.analysis.summary import Said

__all__ = ["about_seeing", "about_weights", "level_weights"]

_MOST_LEVELS = 500
_FEW = 1 / 3  # of the items: unequal items that are worth fewer are a sentence


def level_weights(measured: Responses | None) -> pd.DataFrame | None:
    """By difficulty: the number of `items`, their `share` of capability, and what they are called (`name`).

    The share of a level is what solving it alone adds to the capability of an agent that solves nothing.

    >>> table = Responses([[1, 1, 0]], difficulty=[1, 1, 2], interval=(1, 2))
    >>> level_weights(table)[["items", "share"]].to_numpy().tolist()
    [[2.0, 0.5], [1.0, 0.5]]
    """
    if measured is None or isinstance(measured, StepCurves) or measured.difficulty is None:
        return None
    items = measured.difficulty.value_counts().sort_index()
    if not 1 < len(items) <= _MOST_LEVELS:
        return None
    alone = np.vstack([np.zeros(len(items)), np.eye(len(items))])
    area = generality(alone, items.index.to_numpy(float), interval=measured.interval)["capability"]
    gain = area.to_numpy()[1:] - area.iloc[0]
    if not gain.sum() > 0:
        return None
    return pd.DataFrame(
        {"items": items, "share": gain / gain.sum(), "name": _names(measured, items.index)}
    )


def _names(measured: Responses, levels: pd.Index) -> list[str]:
    minutes = measured.items.get("minutes")
    if minutes is not None and (minutes.groupby(measured.difficulty).nunique() == 1).all():
        first = minutes.groupby(measured.difficulty).first()
        return [f"take people {minutes_text(float(first[level]))}" for level in levels]
    return [f"have difficulty {level:.3g}" for level in levels]


def about_weights(levels: pd.DataFrame | None) -> list[Said]:
    """Where a few items decide capability: how much they make up, and what all items are worth.

    With weights w that add up to 1, unequal items tell as much as 1/Σw² equal ones (Kish, 1965).

    >>> rows = {"items": [194, 3], "share": [0.2, 0.8], "name": ["take people 1 hour", "take people 8 hours"]}
    >>> about_weights(pd.DataFrame(rows, [1.0, 2.0]))[0].text
    'Capability does not count items, but the stretch of difficulty that they stand for: the 3 items that...'
    """
    if levels is None:
        return []
    each = levels["share"] / levels["items"]
    total, worth = int(levels["items"].sum()), 1 / float((levels["share"] * each).sum())
    if not worth < _FEW * total:
        return []
    top = each.idxmax()
    few, share = int(levels.loc[top, "items"]), float(levels.loc[top, "share"])
    who = "one item" if few == 1 else f"{few:,} items"
    text = (
        "Capability does not count items, but the stretch of difficulty that they stand for: the "
        f"{who} that {levels.loc[top, 'name']} make{'s' * (few == 1)} up {100 * share:.0f}% of it"
    )
    others = levels[(levels["share"] <= share * (1 + 1e-9)) & (levels["items"] > 2 * few)]
    if len(others):
        most = others["items"].idxmax()
        name = str(others.loc[most, "name"]).replace("take people", "take them")
        text += f", as much as the {others.loc[most, 'items']:,} that {name}"
    text += (
        f". For capability all {total:,} items are worth about {worth:.0f} items that count alike, "
        "and its intervals are as wide as those of so few."
    )
    return [Said(text, False)]


# -- what the study could have seen ------------------------------------------------------------------


_FEWEST = 10  # items
_MOST = 200_000  # items: a plan for more takes longer than it tells
_WANTED = 0.8


def about_seeing(data: object, ci: float | None) -> list[Said]:
    """A sentence for a study of at least two agents; none for raw scores, or where nothing was tested.

    >>> rng = np.random.default_rng(1)
    >>> study = Responses((rng.random((3, 200)) < 0.6).astype(float))
    >>> about_seeing(study, 0.95)[0].text[:58]
    'What the study could see: with four chances in five, a dif'
    """
    if not isinstance(data, Responses) or ci is None:
        return []
    agents, items = data.shape
    if agents < 2 or not _FEWEST <= items <= _MOST or np.isnan(data.values).mean() > 0.5:
        return []
    pairs = agents * (agents - 1) // 2
    gap = detectable(Responses(data.frame), measure="mean", wanted=_WANTED, ci=ci, pairs=pairs)
    if math.isnan(gap):
        return [Said("What the study could see: hardly any difference in mean score.", False)]
    tested = "" if pairs == 1 else f", with all {pairs:,} pairs tested together"
    text = (
        f"What the study could see: with four chances in five, a difference of {100 * gap:.2g} points "
        f"in mean score between two agents near the middle{tested}. Smaller ones may exist and not show."
    )
    return [Said(text, False)]
