"""When a page may say "nearly the same", "hardly" or "rises": the thresholds of its words, in one place.

A word about a difference or a trend is chosen by a test at `SURE`, never by the estimate. A word about how
alike two orders are is chosen by the share of variance that they have in common, r²: `NEARLY` is nine tenths
of it, `MOSTLY` half, `HARDLY` less than a tenth. Below that a second measure tells as much as it would if
nobody had looked at the first; above nine tenths what is left is about the noise of a good test
(reliability 0.9).
"""

from __future__ import annotations

import math

__all__ = ["HARDLY", "MOSTLY", "NEARLY", "SURE", "chance", "counted", "likeness", "some_of", "trend"]

SURE = 0.05  # the level of every test whose verdict is put into words
NEARLY, MOSTLY, HARDLY = (math.sqrt(share) for share in (0.9, 0.5, 0.1))  # 0.95, 0.71, 0.32


def likeness(r: float) -> str:
    """How alike two orders are whose rank correlation is r.

    >>> [likeness(r) for r in (0.97, 0.8, 0.56, 0.1, -0.4)]
    ['nearly the same', 'mostly alike', 'partly alike', 'hardly alike', 'opposed']
    """
    if r <= -HARDLY:
        return "opposed"
    steps = {NEARLY: "nearly the same", MOSTLY: "mostly alike", HARDLY: "partly alike"}
    return next((word for least, word in steps.items() if r >= least), "hardly alike")


def trend(r: float, p: float) -> str:
    """What a measure does along a scale, by the test of its rank correlation r.

    >>> trend(0.93, 1e-9), trend(-0.4, 0.01), trend(0.36, 0.095)
    ('rises', 'falls', 'shows no clear trend')
    """
    return ("rises" if r > 0 else "falls") if p < SURE else "shows no clear trend"


def chance(p: float) -> str:
    """A p value with digits that mean something; no test gives 0.

    >>> chance(0.1834), chance(0.0432), chance(4.6e-10)
    ('p = 0.18', 'p = 0.043', 'p < 0.001')
    """
    if p < 0.001:
        return "p < 0.001"
    return f"p = {p:.2f}" if p >= 0.0995 else f"p = {p:.3f}"


def counted(n: int, one: str) -> str:
    """
    >>> counted(0, "factor"), counted(1, "factor"), counted(3, "tie group")
    ('no factor', '1 factor', '3 tie groups')
    """
    return f"{n or 'no'} {one if n < 2 else one + 's'}"


def some_of(n: int, total: int) -> str:
    """
    >>> some_of(0, 6), some_of(2, 6), some_of(6, 6), some_of(1234, 5000)
    ('none of 6', '2 of 6', 'all 6', '1,234 of 5,000')
    """
    if n == total > 1:
        return f"all {total:,}"
    return f"{n:,} of {total:,}" if n else f"none of {total:,}"
