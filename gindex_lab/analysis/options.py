"""The transforms that an analysis can take, each in one sentence; nothing here needs a library."""

from __future__ import annotations

__all__ = ["TRANSFORMS", "WHY"]

WHY = {
    "none": "The responses are in [0, 1] and the items have difficulties: used as they are.",
    "rank": "Rnk: an agent's position on an item is the share of the agents it beats.",
    "standardise": "Scale: an agent's position on an item is its standard score.",
    "reference": "ARef: an item is solved by those who beat the reference agent.",
    "opponent": "Opp: an opponent is as hard as it scored in the tournament.",
    "irt": "IRT: the difficulty of an item comes from a two-parameter logistic model.",
}
TRANSFORMS = ("auto", *WHY)
