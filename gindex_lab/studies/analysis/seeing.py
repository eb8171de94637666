"""What could this study have seen? The smallest difference in mean score that it had the power to see."""

from __future__ import annotations

import math

import numpy as np

from gindex_lab.foundation.responses import Responses
from gindex_lab.measures.planning.power import detectable
from gindex_lab.studies.analysis.summary import Said

__all__ = ["about_seeing"]

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
