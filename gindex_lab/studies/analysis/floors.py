"""Scores against guessing: who is above the chance of a right answer by luck, and who is not.

With four options a coin of four sides scores .25, so an agent at .25 has shown nothing, and one well below
it has a wrong key, a wrong format, or a habit of avoiding the answer. Where every answer is a guess there is
no curve to speak of: γ near or below 0 is then what chance looks like.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.guessing import floors_of
from gindex_lab.foundation.responses import Responses

__all__ = ["against_chance", "floors_of"]


def against_chance(responses: Responses, scores: pd.DataFrame, floors: pd.Series) -> pd.DataFrame:
    """The floor of the items that each agent met, how far its score lies above it, and in words.

    `floor` is the mean chance over the items met, `above_chance` (score - floor) / (1 - floor): 0 is
    guessing, 1 everything right. `against_chance` is "above chance", "at chance" or "below chance" by the
    interval of the score, and "unknown" without one.

    >>> from gindex_lab.studies.analysis.accuracy import score_table
    >>> from gindex_lab.foundation.guessing import floors_of
    >>> runs = Responses([[1] * 30 + [0] * 10, [1] * 10 + [0] * 30, [1] * 2 + [0] * 38])
    >>> found = against_chance(runs, score_table(runs), floors_of(runs, 0.25))
    >>> found["against_chance"].tolist(), found["above_chance"].round(2).tolist()
    (['above chance', 'at chance', 'below chance'], [0.67, 0.0, -0.27])
    """
    met = responses.frame.notna().to_numpy()
    level = (met * floors.to_numpy()).sum(axis=1) / np.maximum(met.sum(axis=1), 1)
    room = np.maximum(1 - level, 1e-12)
    if "score_low" in scores:
        words = np.select(
            [scores["score_low"] > level, scores["score_high"] < level],
            ["above chance", "below chance"],
            "at chance",
        )
    else:
        words = np.full(len(level), "unknown")
    columns = {"floor": level, "above_chance": (scores["score"] - level) / room}
    return pd.DataFrame(columns, index=scores.index).assign(against_chance=words)
