"""The exchange test of two agents on the same items: it assumes nothing but that they are equal.

Of two equal agents, who gave which of the two responses to an item is a toss (Fisher 1935, The Design of
Experiments, §21; for right and wrong it is McNemar's test).
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from gindex_lab.foundation.validate import FloatArray

__all__ = ["exchange", "least_exchange"]

# Units that differ up to which every exchange is listed; beyond, the normal p is 0.8 to 1 times the listed
# one for units of like weight, larger otherwise (`test_the_exchange_test_agrees_with_all_exchanges`)
_LISTED = 10
_PAIRS = 10_000  # whose exchanges are listed at once: 80 MB
_SAME = 1e-12  # of the largest contribution: two units that do not differ
_ROUNDING = 1e-9  # of the sum: a tie


def exchange(cells: FloatArray, first: np.ndarray, second: np.ndarray) -> FloatArray:
    """p (P,) of |Σd|, where d are the differences of pairs (P,) of rows of the contributions (A, F). Every
    unit's d may as well have the other sign. All signs are listed for up to ten units that differ, so that
    equal agents are separated no more often than promised; with more, Σd is normal with variance Σd², or p is
    2¹⁻ᴰ where all D favour one agent. Agents of equal capability whose curves differ are separated less often
    than that: their true differences are part of Σd²."""
    d = cells[first] - cells[second]
    differ = np.abs(d) > _SAME * np.abs(cells).max(initial=0.0)
    d[~differ] = 0.0
    count, total, most = differ.sum(axis=1), np.abs(d.sum(axis=1)), np.abs(d).sum(axis=1)
    size = np.sqrt(np.einsum("pf,pf->p", d, d))
    p = 2 * ndtr(-np.divide(total, size, out=np.zeros_like(size), where=size > 0))
    p = np.where(np.isclose(total, most, rtol=1e-11), _least(count), p)
    few = np.flatnonzero(count <= _LISTED)
    signs = 1 - 2 * (np.arange(2**_LISTED)[:, None] >> np.arange(_LISTED) & 1)
    for part in (few[i : i + _PAIRS] for i in range(0, len(few), _PAIRS)):
        largest = np.sort(np.abs(d[part]), axis=1)[:, -_LISTED:]
        sums = np.abs(largest @ signs[:, : largest.shape[1]].T)
        p[part] = (sums >= (1 - _ROUNDING) * total[part, None]).mean(axis=1)
    return np.asarray(p)


def least_exchange(cells: FloatArray, first: np.ndarray, second: np.ndarray) -> FloatArray:
    """2¹⁻ᴰ (P,): the least p that a test by exchange can have with D units on which the two differ."""
    d = np.abs(cells[first] - cells[second])
    return _least((d > _SAME * np.abs(cells).max(initial=0.0)).sum(axis=1))


def _least(count: np.ndarray) -> FloatArray:
    return np.asarray(0.5 ** np.maximum(count - 1.0, 0.0))
