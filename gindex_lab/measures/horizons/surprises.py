"""Which outcomes surprise most? One isolated task can move an exact curve by a doubling."""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.likes import NumbersLike, ResponsesLike
from gindex_lab.foundation.validate import integer, number
from gindex_lab.measures.horizons.estimates import HorizonSettings, converged
from gindex_lab.measures.horizons.readings import read_curves
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
    settings = HorizonSettings(
        (0.5,), number("penalty", penalty, 0), runs.interval, "trapezoid", "exact"
    )
    expected = np.full(len(runs.item), np.nan)
    for j in range(len(runs.agents)):
        at = runs.of(j)
        curves = converged(runs.h[at], runs.response[at], runs.weight[at][None], settings)
        if np.isfinite(read_curves(curves, (0.5,), runs.interval)["location"][0]):
            theta, beta = float(curves.theta[0]), float(curves.beta[0])
            expected[at] = 1 / (1 + np.exp(np.clip(beta * (runs.h[at] - theta), -700, 700)))
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
    order = found["surprise"].sort_values(ascending=False, kind="stable").index
    return found.loc[order].head(integer("most", most))
