"""Fisher's test by exchange (1935, §21): of two equal agents, who gave which response is a toss.

For right and wrong answers it is McNemar's. It assumes nothing of the items.
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.validate import FloatArray

__all__ = ["exchange"]

_ENUMERATED = 10  # discordant units up to which every exchange is listed


def exchange(
    cells: FloatArray, first: np.ndarray, second: np.ndarray, linear_in_units: bool = True
) -> FloatArray:
    """Mid-p (P,) of |Σd| when every unit's difference d may as well have the other sign (Lancaster 1961).

    Listed for at most ten discordant units, 2⁻ᴰ where all D favour one agent; beyond, normal with half
    a correction for continuity, which is on the safe side in the far tails: a sum of tosses is
    bounded and a normal variable is not.
    For other measures 2⁻ᴰ, the least p that any test by exchange can have with D discordant units.

    >>> ten = np.vstack([np.ones(10), np.zeros(10)])
    >>> exchange(ten, np.array([0]), np.array([1])).tolist()
    [0.0009765625]
    """
    from scipy.special import ndtr

    difference = cells[first] - cells[second]
    away = np.abs(difference)
    discordant = away > 1e-12 * np.abs(cells).max(initial=0.0)
    count = discordant.sum(axis=1)
    if not linear_in_units:
        return np.asarray(0.5**count)
    difference[~discordant] = 0.0
    total = np.abs(difference.sum(axis=1))
    size = np.sqrt(np.einsum("pf,pf->p", difference, difference))
    step = np.min(away, axis=1, where=discordant, initial=np.inf)
    step = np.where(np.isfinite(step), step, 0.0)
    score = np.divide(total - step / 2, size, out=np.zeros_like(size), where=size > 0)
    p = np.minimum(1.0, 2 * ndtr(-np.maximum(score, 0.0)))
    one_sided = np.isclose(total, away.sum(axis=1), rtol=1e-11) & (count > 0)
    p = np.where(one_sided, 0.5**count, p)
    for pair in np.flatnonzero(count <= _ENUMERATED):
        d = difference[pair][difference[pair] != 0]
        signs = 1 - 2 * (np.arange(2 ** len(d))[:, None] >> np.arange(len(d)) & 1)
        beyond, same = np.abs(signs @ d) - total[pair], 1e-9 * total[pair]
        p[pair] = (beyond > same).mean() + (np.abs(beyond) <= same).mean() / 2
    return p
