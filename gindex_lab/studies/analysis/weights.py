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
from gindex_lab.studies.analysis.summary import Said, caution

__all__ = ["about_seeing", "about_weights", "level_weights"]

_MOST_LEVELS = 500  # with more, single levels decide little
# Unequal items that tell as much as fewer equal ones than this share are worth a sentence (a judgement).
_FEW = 1 / 3
_FEWEST, _MOST = 10, 200_000  # items of a study that is told what it could see: a plan for more takes minutes
_WANTED = 0.8  # power: "four chances in five" (Cohen 1988, §2.4)


def level_weights(measured: Responses | None) -> pd.DataFrame | None:
    """By difficulty: the number of `items`, their `share` of capability, and what they are called (`name`).

    The share of a level is what solving it alone adds to the capability of an agent that solves nothing.
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
    names = [f"have difficulty {level:.3g}" for level in items.index]
    if "minutes" in measured.items:
        minutes = measured.items["minutes"].groupby(measured.difficulty)
        if (minutes.nunique() == 1).all():
            names = [f"take people {minutes_text(float(minutes.first()[level]))}" for level in items.index]
    return pd.DataFrame({"items": items, "share": gain / gain.sum(), "name": names})


def about_weights(levels: pd.DataFrame | None) -> list[Said]:
    """Where a few items decide capability: how much they make up, and what all items are worth.

    With weights w that add up to 1, unequal items tell as much as 1/Σw² equal ones (Kish 1965).
    """
    if levels is None:
        return []
    each = levels["share"] / levels["items"]
    total, worth = int(levels["items"].sum()), 1 / float((levels["share"] * each).sum())
    if not worth < _FEW * total:
        return []
    top = levels.loc[each.idxmax()]
    few, share = int(top["items"]), float(top["share"])
    who, make = ("one item", "makes") if few == 1 else (f"{few:,} items", "make")
    text = (
        "Capability does not count items, but the stretch of difficulty that they stand for: the "
        f"{who} that {top['name']} {make} up {100 * share:.0f}% of it"
    )
    others = levels[(levels["share"] <= share * (1 + 1e-9)) & (levels["items"] > 2 * few)]
    if len(others):
        most = others.loc[others["items"].idxmax()]
        name = most["name"].replace("take people", "take them")
        text += f", as much as the {most['items']:,} that {name}"
    text += (
        f". For capability all {total:,} items are worth about {worth:.0f} items that count alike, "
        "and its intervals are as wide as those of so few."
    )
    return [caution(text)]


def about_seeing(data: object, ci: float | None) -> list[Said]:
    """Which differences in score the study could have seen; nothing of raw scores, or if nothing was tested.

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
        return [caution("What the study could see: hardly any difference in mean score.")]
    tested = "" if pairs == 1 else f", with all {pairs:,} pairs tested together"
    text = (
        f"What the study could see: with four chances in five, a difference of {100 * gap:.2g} points "
        f"in mean score between two agents near the middle{tested}. Smaller ones may exist and not show."
    )
    return [caution(text)]
