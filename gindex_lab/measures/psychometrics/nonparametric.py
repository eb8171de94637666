"""Items without a model: do they rise with ability, keep their order of difficulty, and along what curve?

For the two checks of a Mokken scale the rest score, the sum of the other items, stands for ability; agents of
neighbouring rest scores are put together until a group has enough of them (Sijtsma and Molenaar 2002, ch. 3
and 6). A smoothed curve shows what a two-parameter curve cannot: a dip, a plateau, an upper limit.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import NumbersLike, ResponsesLike
from gindex_lab.foundation.validate import FloatArray, number, vector
from gindex_lab.measures.psychometrics.irt_settings import table_of

__all__ = ["double_monotonicity", "item_curves", "monotonicity", "rest_groups"]


def rest_groups(rest: FloatArray) -> np.ndarray:
    """The group of each agent by rest score: at least n/10 agents each (n > 500), n/5 (n > 250), or the
    larger of n/3 and 50, as in R's mokken; one group only where there are too few agents.
    """
    n = len(rest)
    size = n // 10 if n > 500 else n // 5 if n > 250 else max(n // 3, 50)
    levels, code, counts = np.unique(rest, return_inverse=True, return_counts=True)
    group, current, into = np.zeros(len(levels), dtype=int), 0, 0
    for place, count in enumerate(counts):
        group[place], current = into, current + count
        if current >= size and counts[place + 1 :].sum() >= size:
            into, current = into + 1, 0
    return np.asarray(group[code])


def monotonicity(frame: pd.DataFrame, least: float = 0.03) -> pd.DataFrame:
    """Of each item: `comparisons` of two rest-score groups, `violations` (the share right falls by more than
    `least`), the `largest`, `z` of the largest in significance (Molenaar's, as in R's mokken), and `p`.

    `z` is the largest of many, so that it is above 1.645 more often than in one of twenty. `p` allows for
    that: it is the chance of so large a fall between any two groups where all groups are alike, the item
    that is hardest to tell from a falling one. The level is .05 there and less where the item rises.
    Right-or-wrong items; of graded ones each step is compared, and p is multiplied by their number.

    >>> rng = np.random.default_rng(1)
    >>> able = rng.normal(size=(600, 1))
    >>> right = (able + rng.logistic(size=(600, 6)) > 0) * 1.0
    >>> bell = (np.abs(able[:, 0]) < 0.7) * 1.0  # solved by the middling only
    >>> monotonicity(pd.DataFrame(right).assign(bell=bell))["violations"].tolist()
    [0, 0, 0, 0, 0, 0, 4]
    """
    least = number("least", least, 0, 1)
    values = frame.to_numpy(dtype=float)
    rows = []
    for place in range(values.shape[1]):
        group = rest_groups(np.delete(values, place, 1).sum(1).round(9))
        sizes = np.bincount(group).astype(float)
        levels = np.unique(values[:, place])[1:]
        passed = [np.bincount(group, values[:, place] >= x, len(sizes)) for x in levels]
        rows.append(_falls(np.array(passed), sizes, least))
    return pd.DataFrame(rows, frame.columns)


def _falls(passed: FloatArray, sizes: FloatArray, least: float) -> dict[str, float]:
    """Of steps x groups: how often, how far and how surely a later group does worse."""
    low, high = np.triu_indices(len(sizes), 1)
    share = passed / sizes
    fall = share[:, low] - share[:, high]
    wrong = fall > least
    a, b = passed[:, high], sizes[high] - passed[:, high]
    c, d = passed[:, low], sizes[low] - passed[:, low]
    z = 2 * (np.sqrt(c * b) - np.sqrt((a + 1) * (d + 1))) / np.sqrt(a + b + c + d - 1)
    pooled = (a + c) / (sizes[high] + sizes[low])
    error = np.sqrt(pooled * (1 - pooled) * (1 / sizes[high] + 1 / sizes[low]))
    sure = np.divide(fall, error, out=np.zeros_like(fall), where=error > 0).max(initial=0.0)
    drawn = _largest_falls(tuple(sizes))
    p = (1 + len(drawn) - np.searchsorted(drawn, sure)) / (1 + len(drawn))
    return {
        "comparisons": int(fall.size),
        "violations": int(wrong.sum()),
        "largest": float(fall[wrong].max(initial=0.0)),
        "z": float(z[wrong].max(initial=0.0)),
        "p": float(min(p * len(share), 1.0)) if len(sizes) > 1 else np.nan,
    }


@lru_cache(maxsize=256)
def _largest_falls(sizes: tuple[float, ...]) -> FloatArray:
    """Quantiles of the largest standardised fall between two of these groups, all of them alike (sorted)."""
    from scipy.special import ndtri
    from scipy.stats import qmc

    if len(sizes) < 2:
        return np.zeros(1)
    points = qmc.Sobol(len(sizes), scramble=False).random_base2(14)[1:]  # the first lies at infinity
    share = ndtri(points) / np.sqrt(sizes)
    low, high = np.triu_indices(len(sizes), 1)
    inverse = 1 / np.array(sizes)
    falls = (share[:, low] - share[:, high]) / np.sqrt(inverse[low] + inverse[high])
    return np.asarray(np.sort(falls.max(1)))


def double_monotonicity(frame: pd.DataFrame, least: float = 0.03) -> pd.DataFrame:
    """Of each right-or-wrong item against every other in groups of the rest score without both: how often the
    one that is harder for all is easier in a group by more than `least`; columns as in `monotonicity`, `z`
    from the binomial chance of so many agents solving only the harder. There is no p: z is the largest of
    many comparisons whose dependence is not known, and above 1.645 for .15 of ten items that have one curve
    (500 agents; the kept table `data/measured/irt_levels.csv`, "double_monotonicity_z")."""
    from scipy.special import ndtri
    from scipy.stats import binom

    least = number("least", least, 0, 1)
    values = frame.to_numpy(dtype=float)
    binary = np.isin(values, (0.0, 1.0)).all()
    problem, remedy = "[not-binary] has graded items", "round them, or check monotonicity() only"
    ensure(binary, "responses", frame.shape, problem, remedy)
    items = values.shape[1]
    total, order = values.sum(1), np.argsort(values.mean(0), kind="stable")
    made, broken, largest, surest = np.zeros((4, items))
    for k, hard in enumerate(order):
        for easy in order[k + 1 :]:
            group = rest_groups((total - values[:, hard] - values[:, easy]).round(9))
            sizes = np.bincount(group)
            ahead = values[:, hard] - values[:, easy]
            lead = np.bincount(group, ahead) / sizes
            wrong = lead > least
            only_hard = np.bincount(group, ahead > 0)
            apart = np.bincount(group, ahead != 0)
            p = binom.sf(only_hard - 1, apart, 0.5)
            z = -ndtri(np.clip(p, 1e-300, 1.0))
            for item in (hard, easy):
                made[item] += len(sizes)
                broken[item] += wrong.sum()
                largest[item] = max(largest[item], lead[wrong].max(initial=0.0))
                surest[item] = max(surest[item], z[wrong].max(initial=0.0))
    return pd.DataFrame(
        {"comparisons": made.astype(int), "violations": broken.astype(int), "largest": largest, "z": surest},
        frame.columns,
    )


def item_curves(
    responses: ResponsesLike, ability: NumbersLike = None, *, bandwidth: float | None = None
) -> pd.DataFrame:
    """Smooth each item's curve without a model.

    P(θ) = Σ K((θ - θ_n) / h) r_n / Σ K((θ - θ_n) / h), K the normal density and θ_n the normal quantile of
    agent n's rank by the sum of its other responses (equal sums share a rank).

    Parameters
    ----------
    responses : Responses or a table, agents x items; agents with missing cells are left out
    ability : where to read the curves; 51 places from -2.5 to 2.5 unless given
    bandwidth : h; 1.06 n^(-1/5) unless given

    Returns
    -------
    DataFrame, the mean response to each item (columns) at each ability (rows).

    Notes
    -----
    Ties and few items make the ability coarse and the curve flatter than it is.

    References
    ----------
    Ramsay (1991), Psychometrika 56, 611-630.

    Examples
    --------
    >>> from gindex_lab.measures.psychometrics.irt_simulate import simulate_irt
    >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": np.linspace(-1, 1, 21)})
    >>> curves = item_curves(simulate_irt(true, agents=2000, seed=1), [-2, 0, 2])
    >>> curves.iloc[:, [0, 20]].round(1).to_numpy().tolist()
    [[0.3, 0.0], [0.8, 0.2], [1.0, 0.7]]
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    frame = table_of(responses).dropna()
    values = frame.to_numpy(dtype=float)
    n, items = values.shape
    ensure(n >= 10, "responses", n, "[too-few] are too few agents without a gap", "give 10 or more")
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
