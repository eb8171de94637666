"""How often somebody is wrong who looks at an ordinary interval again and again, and stops when it pleases.

A fair coin is tossed n times. An ordinary interval excludes the truth, 1/2, where |heads/n - 1/2| exceeds
1.96/(2 √n): for about five coins of a hundred at any one look, and for more of them at any of several.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy import stats

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import integer, number

__all__ = ["ever_excluded"]


def ever_excluded(looks: Iterable[int], ci: float = 0.95) -> float:
    """The probability that an ordinary interval excludes the truth at one of the looks at least.

    Exact: the chances of every number of heads are carried from toss to toss, and what a look excludes is
    taken out. `looks` are numbers of tosses.

    >>> round(ever_excluded([50]), 3), round(ever_excluded(range(10, 51)), 3)
    (0.065, 0.224)
    """
    wanted = sorted({integer("looks", look, 1) for look in looks})
    if not wanted:
        raise BadInput("looks", looks, "[empty] is empty", "name at least one number of tosses")
    limit = stats.norm.ppf((1 + number("ci", ci, 0, 1, open_ends=True)) / 2) / 2
    still = np.ones(1)
    for n in range(1, wanted[-1] + 1):
        still = np.convolve(still, [0.5, 0.5])
        if n in wanted:
            still[np.abs(np.arange(n + 1) / n - 0.5) > limit / np.sqrt(n)] = 0
    return float(1 - still.sum())
