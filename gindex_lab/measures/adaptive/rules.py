"""Which item next: the chance of every item that is left.

"bayes" gives an item a chance in proportion to wᵢ √(pᵢ(1 - pᵢ)), what it adds to the width of the interval as
far as the posterior can foresee (Neyman 1934). "information" takes the item that says most of the ability at
its posterior mean (Lord 1980, chapter 10). "random" gives all the same chance and foresees the mean so far,
as one would without a model; "stratified" fills five strata of difficulty evenly. Content balance moves
chances to families that are behind their share; an exposure limit caps the chance that an item is asked.
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.validate import FloatArray

__all__ = ["balanced", "capped", "chances_of", "strata"]

EXPLORE = 0.15  # of all draws are made as by "random", so that no item decides all by its small chance
_STRATA = 5  # both are judgements


def chances_of(rule: str, pull: FloatArray, variance: FloatArray, rest: np.ndarray) -> FloatArray:
    """Chances (N,) of the items that are left, by their pull on the measure and what is foreseen.

    >>> rest = np.array([True, True, False])
    >>> chances_of("random", np.ones(3), np.ones(3), rest).tolist()
    [0.5, 0.5, 0.0]
    """
    even = np.asarray(rest / rest.sum())
    worth = np.where(rest, np.abs(pull) * np.sqrt(variance), 0.0)
    if rule != "bayes" or not worth.sum() > 0:
        return even
    return np.asarray((1 - EXPLORE) * worth / worth.sum() + EXPLORE * even)


def strata(difficulty: FloatArray) -> np.ndarray:
    """Five strata of difficulty, equally full.

    >>> strata(np.arange(10.0)).tolist()
    [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    """
    rank = np.argsort(np.argsort(difficulty, kind="stable"), kind="stable")
    return np.asarray(rank * _STRATA // len(difficulty))


def balanced(chances: FloatArray, codes: np.ndarray, asked: np.ndarray, rest: np.ndarray) -> FloatArray:
    """Half of all chance moved to groups that are behind their share of the bank.

    >>> half = np.array([0.5, 0.5])
    >>> balanced(half, np.array([0, 1]), np.array([3, 0]), np.array([True, True])).round(2).tolist()
    [0.25, 0.75]
    """
    size = np.bincount(codes)
    behind = np.maximum(size / size.sum() * (asked.sum() + 1) - asked, 0.0)
    behind = np.where(np.bincount(codes, rest, len(size)) > 0, behind, 0.0)
    if not behind.sum() > 0:
        return chances
    inside = np.bincount(codes, chances, len(size))
    share = behind / behind.sum()
    moved = chances * np.divide(share, inside, out=np.zeros_like(share), where=inside > 0)[codes]
    mixed = 0.5 * moved + 0.5 * chances
    return np.asarray(mixed / mixed.sum())


def capped(chances: FloatArray, most: FloatArray, order: FloatArray) -> FloatArray | None:
    """Chances no larger than `most` (N,), what is cut going to others; None where they cannot add up to 1.

    Where all the chance is on one item, it goes on to the next in `order` (the larger the earlier).
    """
    room = np.where((chances > 0) | (order > 0), most, 0.0)
    if room.sum() < 1:
        return None
    if (chances > 0).sum() == 1:
        found = np.zeros_like(chances)
        for k in np.argsort(-order, kind="stable"):
            found[k] = min(room[k], 1 - found.sum())
            if found.sum() >= 1 - 1e-12:
                return found / found.sum()
    found = chances.copy()
    for _ in range(len(chances)):
        over = found > room
        if not over.any():
            break
        free = ~(found >= room) & (chances > 0)
        left = 1 - room[~free & (chances > 0)].sum()
        if not free.any() or not chances[free].sum() > 0:
            return None
        found = np.where(
            free, chances * left / chances[free].sum(), np.minimum(room, np.where(chances > 0, room, 0))
        )
    return found if abs(found.sum() - 1) < 1e-6 else None
