"""The transformations of scores into responses with difficulty, as one table; and coarser difficulties.

Table 1 of the generality paper lists what can stand in for difficulty; section F.4 of its supplement says why
something must. This is our account of the same list, with the function for each row. Difficulties are made
coarser before a study by bins of equal width, or by keeping levels with enough items.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import NumbersLike
from gindex_lab.foundation.validate import FloatArray, Mode, integer, mode_of, vector
from gindex_lab.measures.reference import EPSILON

__all__ = ["bin_difficulties", "filter_by_frequency", "transformations"]

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
        "standard deviations from the population's mean, −3 to 3",
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

    (Generality paper, Table 1; supplement, F.4 and the case studies A.1 to A.10.)

    >>> transformations().loc["Rnk", "function"]
    'rank'
    """
    columns = ["needs", "difficulty", "response", "function", "used for"]
    return pd.DataFrame(_ROWS, index=columns).T.rename_axis("transformation")


def bin_difficulties(difficulty: NumbersLike, n: int, mode: Mode = "exact") -> FloatArray:
    """Each difficulty replaced by the centre of its bin, of n bins of equal width (right closed).

    Parameters
    ----------
    difficulty : one number for each item
    n : bins
    mode : "exact", or "reference" as the authors' code
        There n edges make n - 1 bins, yet the centres are spaced as if there were n, so that all labels are
        pressed towards the minimum.

    Returns
    -------
    array
        One difficulty for each item.

    References
    ----------
    Generality supplement, A.3 (15 bins of equal width).

    Examples
    --------
    >>> bin_difficulties([0, 1, 2, 6, 10], 5).tolist()
    [1.0, 1.0, 1.0, 5.0, 9.0]
    >>> bin_difficulties([0, 1, 2, 6, 10], 5, mode="reference").tolist()
    [1.0, 1.0, 1.0, 5.0, 7.0]
    """
    kind, h = mode_of(mode), vector("difficulty", difficulty)
    n = integer("n", n, 1 if kind == "exact" else 2)
    low, high = h.min(), h.max()
    problem, remedy = "[one-difficulty] is the only difficulty", "give items of at least two difficulties"
    ensure(low < high, "difficulty", low, problem, remedy)
    if kind == "exact":
        edges = np.linspace(low, high, n + 1)
        bin_of = np.clip(np.searchsorted(edges, h, side="left"), 1, n)
    else:
        bin_of = np.searchsorted(np.linspace(low - EPSILON, high + EPSILON, n), h, side="left")
    return np.asarray(low + (high - low) / n * (bin_of - 0.5))


def filter_by_frequency(difficulty: NumbersLike, minimum: int) -> np.ndarray:
    """Which items share their difficulty with enough items.

    Parameters
    ----------
    difficulty : one number for each item
    minimum : how many items of a difficulty are enough, the item itself included

    Returns
    -------
    array of bool
        One for each item.

    References
    ----------
    Generality supplement, A.3 (bins of fewer than 4 are left out).

    Examples
    --------
    >>> filter_by_frequency([1, 1, 2], 2).tolist()
    [True, True, False]
    """
    _, level_of, count = np.unique(vector("difficulty", difficulty), return_inverse=True, return_counts=True)
    return np.asarray(count[level_of] >= integer("minimum", minimum))
