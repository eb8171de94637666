"""The reconstruction held against published difficulties: Kt of each item beside the printed one."""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import integer
from gindex_lab.worlds.tasks.series_kt import Scale, best_program
from gindex_lab.worlds.tasks.series_systems import shown_and_answer
from gindex_lab.worlds.tasks.series_table import LETTERS, table

__all__ = ["fit"]


def fit(items: pd.DataFrame, *, longest: int = 9) -> pd.DataFrame:
    """`published` difficulty, unrounded `kt` and `reconstructed` (rounded down) of each item, NaN where no
    program of up to `longest` instructions writes the series with its answer.

    Up to 9 instructions a series is looked up in the table; more take a search of seconds each.

    >>> items = pd.DataFrame({"sequence": ["a,d,g,j"], "answer": ["m"], "difficulty": [9]}, ["IT8"])
    >>> fit(items).round(2).values.tolist()
    [[9.0, 9.75, 9.0]]
    """
    limit = integer("longest", longest)
    if "difficulty" not in items:
        problem = "has no column 'difficulty' to compare with"
        raise BadInput("items", list(items.columns), problem, "pass gl.load('ctest').items")
    rows = {}
    for name, shown, answer in shown_and_answer(items):
        price = _price("".join(shown).replace("_", answer), limit)
        rows[name] = {
            "published": items["difficulty"].loc[name],
            "kt": price,
            "reconstructed": Scale().rounded(price),
        }
    return pd.DataFrame.from_dict(rows, orient="index").astype({"published": int})


def _price(series: str, longest: int) -> float:
    """Unrounded Kt; from the table where no longer program is asked for, or none could be cheaper."""
    if len(series) <= LETTERS:
        known = table(9).shorter(longest).kt(series)
        longer = Scale().cost(10, 6)  # no program of ten instructions costs less
        if known <= longer or (longest <= 9 and np.isfinite(known)):
            return known
        if longest <= 9:
            return np.nan
    try:
        return float(best_program(series, longest=longest)["kt"])
    except BadInput:  # no such program
        return np.nan
