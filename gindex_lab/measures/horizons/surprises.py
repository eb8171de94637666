"""Which outcomes surprise most? One isolated task can move an exact curve by a doubling."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import expit

from gindex_lab.foundation.likes import NumbersLike, ResponsesLike
from gindex_lab.measures.horizons.estimates import HorizonSettings, converged
from gindex_lab.measures.horizons.runs import runs_of

__all__ = ["surprises"]


def surprises(
    responses: ResponsesLike,
    minutes: NumbersLike = None,
    *,
    weights: NumbersLike = "diversity",
    penalty: float = 1e-5,
    most: int = 10,
) -> pd.DataFrame:
    """The items whose outcomes are least expected by the agents' own logistic curves.

    The surprise of an outcome is its cross-entropy above what the curve expects of itself,
    -log2 P(y) - H(p) bits; an item's is the sum over its agents. A long task that weak agents solve, or
    a short one that strong agents fail, comes out on top: check its minutes first.

    Parameters
    ----------
    responses, minutes, weights, penalty : as for `gl.horizon`
    most : number of items to list

    Returns
    -------
    DataFrame
        The `most` surprising items: `minutes`, `family`, `surprise` (bits), `solved` and `expected`
        (successes), `agents` (that met it), and `says`: "solved more than expected" or "less".

    References
    ----------
    `specs/horizon.md`, VI.9 (Lyptus' longest task, whose minutes are doubtful).

    Examples
    --------
    >>> study = [[1, 1, 1, 0, 0, 0, 0, 1], [1, 1, 1, 1, 1, 0, 0, 1]]
    >>> surprises(study, [1, 2, 4, 8, 16, 32, 64, 999], most=1)[["solved", "agents", "says"]]
            solved  agents                       says
    item 8     2.0       2  solved more than expected
    """
    runs = runs_of(responses, minutes, weights)
    settings = HorizonSettings((0.5,), float(penalty), runs.interval)
    expected = np.full(len(runs.item), np.nan)
    for j in range(len(runs.agents)):
        h, y, w = runs.data(j)
        curves = converged(h, y, w[None], settings)
        if curves.falling[0] and np.isfinite(curves.theta[0]):
            expected[runs.of(j)] = expit(np.clip(curves.beta * (curves.theta - h), -700, 700))
    p, y = np.clip(expected, 1e-12, 1 - 1e-12), runs.response
    bits = -(y * np.log2(p) + (1 - y) * np.log2(1 - p))
    own = -(p * np.log2(p) + (1 - p) * np.log2(1 - p))
    rows = pd.DataFrame(
        {"item": runs.item, "surprise": bits - own, "solved": y, "expected": expected, "agents": 1}
    ).dropna()
    found = rows.groupby("item").sum()
    found.insert(0, "minutes", 2 ** runs.length[found.index])
    if runs.families:
        found.insert(1, "family", [runs.families[k] for k in runs.family[found.index]])
    more = found["solved"] > found["expected"]
    found["says"] = np.where(more, "solved more than expected", "solved less than expected")
    found.index = runs.items[found.index]
    return found.sort_values("surprise", ascending=False, kind="stable").head(most)
