"""The transformations of scores into responses with difficulty, as one table.

Table 1 of the generality paper lists what can stand in for difficulty; section F.4 of its supplement says why
something must. This is our account of the same list, with the function for each row.
"""

from __future__ import annotations

import pandas as pd

__all__ = ["transformations"]

_ROWS = {
    "none": (
        "difficulties known beforehand",
        "given with the items",
        "the response itself, between 0 and 1",
        "generality",
        "mazes, letter series, odours, images, iris",
    ),
    "ARef": (
        "scores, and one agent as the reference",
        "share of the other agents that do not reach the reference",
        "1 above the reference, ½ on a tie, 0 below",
        "absolute_reference",
        "Atari",
    ),
    "DRef": (
        "values, and a reference mean and standard deviation for each item",
        "quantiles of the reference distribution, evenly spaced",
        "1 up to the quantile that the value has there",
        "distributional_reference",
        "primates",
    ),
    "Rnk": (
        "scores of several agents",
        "shares of the population, evenly spaced",
        "1 up to the share that the agent beats (ties half)",
        "rank",
        "Atari, video games, orangutans",
    ),
    "SCALE": (
        "scores of several agents",
        "standard deviations from the population's mean, -3 to 3",
        "1 up to the agent's standardised score",
        "standardise",
        "in the authors' code only",
    ),
    "Opp": (
        "results of each agent against each other",
        "the opponent's final score",
        "the result of the game",
        "opponent",
        "chess",
    ),
    "IRT": (
        "right-or-wrong responses of many agents",
        "b of a two-parameter logistic model",
        "the response itself",
        "irt_difficulty",
        "mazes, letter series, Atari",
    ),
}


def transformations() -> pd.DataFrame:
    """What each transformation needs, where its difficulties come from, its function and its case studies.

    >>> transformations().loc["Rnk", "function"]
    'rank'

    References: generality paper, Table 1; supplement, F.4 and the case studies A.1 to A.10.
    """
    columns = ["needs", "difficulty", "response", "function", "used for"]
    return pd.DataFrame(_ROWS, index=columns).T.rename_axis("transformation")
