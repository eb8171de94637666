"""Item curves without a model: the share right at each ability, smoothed (Ramsay 1991).

Agents are ranked by their score on the other items, the ranks become normal quantiles, and each item's
responses are averaged in a moving window over them. What a two-parameter curve cannot show (a dip, a
plateau, an upper limit) is seen here.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import NumbersLike, ResponsesLike
from gindex_lab.foundation.validate import FloatArray, number, vector
from gindex_lab.measures.psychometrics.groups import whole_rows
from gindex_lab.measures.psychometrics.irt_settings import table_of

__all__ = ["item_curves"]


def item_curves(
    responses: ResponsesLike, ability: NumbersLike = None, *, bandwidth: float | None = None
) -> pd.DataFrame:
    """The mean response to each item (columns) at each ability (rows; -2.5 to 2.5 by default).

    P(θ) = Σ K((θ - θ_n) / h) r_n / Σ K((θ - θ_n) / h), K the normal density, θ_n the normal quantile of agent
    n's rank among the agents by the sum of its other responses (equal sums share a rank), and
    h = 1.06 n^(-1/5) unless a `bandwidth` is given. Agents with missing cells are left out. Ties and a few
    items make the ability coarse and the curve flatter than it is.

    >>> from gindex_lab.measures.psychometrics.irt_simulate import simulate_irt
    >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": np.linspace(-1, 1, 21)})
    >>> curves = item_curves(simulate_irt(true, agents=2000, seed=1), [-2, 0, 2])
    >>> curves.iloc[:, [0, 20]].round(1).to_numpy().tolist()
    [[0.3, 0.0], [0.8, 0.2], [1.0, 0.7]]

    References
    ----------
    Ramsay (1991), Psychometrika 56, 611-630.
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    frame = whole_rows(table_of(responses))
    values = frame.to_numpy(dtype=float)
    n, items = values.shape
    ensure(n >= 10, "responses", n, "[too-few] are too few agents without a gap", "give 10")
    few = "[too-few] is one item only: the others make the ability"
    ensure(items > 1, "responses", items, few, "give more items")
    at = np.linspace(-2.5, 2.5, 51) if ability is None else vector("ability", ability)
    given = None if bandwidth is None else number("bandwidth", bandwidth, 0, 10, open_ends=True)
    width = given or 1.06 * n**-0.2
    rest = values.sum(1, keepdims=True) - values
    place = ndtri((rankdata(rest.round(9), axis=0) - 0.5) / n)
    columns = [_smoothed(at, place[:, j], values[:, j], width) for j in range(items)]
    return pd.DataFrame(np.stack(columns, 1), pd.Index(at, name="ability"), frame.columns)


def _smoothed(at: FloatArray, place: FloatArray, response: FloatArray, width: float) -> FloatArray:
    """The moving average; agents at one place are one point, and far from all the nearest counts."""
    points, code = np.unique(place, return_inverse=True)
    n, total = np.bincount(code), np.bincount(code, response)
    far = -0.5 * ((at[:, None] - points) / width) ** 2
    weight = np.exp(far - far.max(1, keepdims=True))
    return np.asarray(weight @ total / (weight @ n))
