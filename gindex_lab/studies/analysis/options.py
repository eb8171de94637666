"""The transforms that an analysis can take, each in one sentence; nothing here needs a library."""

from __future__ import annotations

__all__ = ["TRANSFORMS", "WHY"]

WHY = {
    "none": "The items have difficulties of their own, and the responses are used as they are.",
    "rank": "The items have no difficulties of their own, so an agent's position on an item is the share of "
    "the agents that it beats there (the transform Rnk).",
    "standardise": "An agent's position on an item is its standard score among the agents (the transform "
    "Scale).",
    "reference": "An item is solved by the agents that beat the reference agent (the transform ARef).",
    "opponent": "An opponent is as hard as it scored in the tournament (the transform Opp).",
    "irt": "The difficulty of an item is that of a two-parameter logistic model (the transform IRT).",
    "failure": "The difficulty of an item is the share of the agents that fail it.",
    "scores": "The items have no difficulties of their own, and comparing agents gives none: scores are all "
    "that can be stated.",
}
TRANSFORMS = ("auto", *(name for name in WHY if name != "scores"))
