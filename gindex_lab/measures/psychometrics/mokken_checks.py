"""Two checks of a Mokken scale: do items rise with ability, and do they keep their order of difficulty?

The rest score, the sum of the other items, stands for ability; agents of neighbouring rest scores are put
together until a group has enough of them (Sijtsma and Molenaar 2002, ch. 3 and 6).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.validate import FloatArray, number

__all__ = ["double_monotonicity", "monotonicity", "rest_groups"]


def rest_groups(rest: FloatArray) -> np.ndarray:
    """The group of each agent by rest score: at least n/10 agents each (n > 500), n/5 (n > 250), or the
    larger of n/3 and 50, as in R's mokken; one group only where there are too few agents.

    >>> np.bincount(rest_groups(np.repeat([0.0, 1.0, 2.0], [60, 60, 30])))
    array([60, 90])
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
    points = qmc.Sobol(len(sizes), scramble=False).random_base2(14)[
        1:
    ]  # the first lies at infinity
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
        {
            "comparisons": made.astype(int),
            "violations": broken.astype(int),
            "largest": largest,
            "z": surest,
        },
        frame.columns,
    )
