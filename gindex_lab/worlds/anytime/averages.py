"""Average reward with diminishing history (Definition 16), and why it is needed.

With a time limit τ instead of a number of interactions, an agent might act at random until it is lucky
and then rest on its laurels. Definition 16 looks at fewer rewards the earlier the last one came:

    v(μ, π || τ) = (1/n*) Σ_{k <= n*} r_k   with   n* = floor(n_τ t_{n_τ} / τ),

where n_τ interactions were complete by τ, the last at t_{n_τ} (Hernández-Orallo and Dowe 2010). Times
are whole nanoseconds or fractions, never floats: a floor must not depend on rounding.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.many_tests import half_width
from gindex_lab.foundation.validate import choice, generator, integer, number

__all__ = [
    "Average",
    "average_evenly",
    "average_reward",
    "listed",
    "mean_interval",
    "stopping_bias",
]

Time = int | Fraction
FloatArray = npt.NDArray[np.float64]


class Average(NamedTuple):
    """`value` (Def 16), the interactions `completed` (n_τ) and those `counted` (n*)."""

    value: float
    completed: int
    counted: int


def average_reward(rewards: Sequence[float], times: Sequence[Time], tau: Time) -> Average:
    """Definition 16 for rewards delivered at these times (integers, say nanoseconds) within τ.

    What came after τ is discarded; without a counted interaction the value is 0.

    >>> average_reward([1, 1, -1, -1], [10, 20, 30, 50], tau=100)      # n* = floor(4 * 50 / 100)
    Average(value=1.0, completed=4, counted=2)
    >>> average_reward([1], [99], tau=100)
    Average(value=0.0, completed=1, counted=0)
    """
    limit = _time("tau", tau)
    if limit <= 0:
        raise BadInput("tau", tau, "[not-positive] is not positive", "use a time above 0")
    gains, given = listed("rewards", rewards), listed("times", times)
    if len(gains) != len(given):
        problem = f"[wrong-length] has a different length from the {len(gains)} rewards"
        raise BadInput("times", len(given), problem, "pass one for each")
    moments = [_time(f"times[{place}]", moment) for place, moment in enumerate(given)]
    for place, (before, after) in enumerate(pairwise([0, *moments])):
        if after < before:
            problem = "[not-in-order] is earlier than the one before"
            raise BadInput(f"times[{place}]", after, problem, "sort the times")
    for place, reward in enumerate(gains):
        number(f"rewards[{place}]", reward, -1, 1)
    return average_sorted(gains, moments, limit)


def average_sorted(rewards: list[float], times: list[Any], tau: Time) -> Average:
    """Definition 16 for rewards and sorted times that are known to be sound.

    >>> average_sorted([1.0, -1.0], [2, 4], 4)
    Average(value=0.0, completed=2, counted=2)
    """
    done = bisect_right(times, tau)
    counted = int(done * times[done - 1] // tau) if done else 0
    return Average(float(np.mean(rewards[:counted])) if counted else 0.0, done, counted)


def average_evenly(rewards: FloatArray, cost: Time, tau: Time) -> Average:
    """Definition 16 where every interaction takes the same time.

    >>> average_evenly(np.ones(4), cost=10, tau=100)
    Average(value=1.0, completed=4, counted=1)
    """
    done = min(len(rewards), int(Fraction(tau) // Fraction(cost)))
    counted = int(done * done * Fraction(cost) // Fraction(tau))
    return Average(float(rewards[:counted].mean()) if counted else 0.0, done, counted)


def mean_interval(values: FloatArray, confidence: float = 0.95) -> tuple[float, float]:
    """Student's t interval of a mean of rewards, within [-1, 1]; all of it from fewer than two.

    >>> low, high = mean_interval(np.array([0.0, 0.5, 1.0]))
    >>> round(low, 3), round(high, 3)
    (-0.742, 1.0)
    """
    n = len(values)
    if n < 2:
        return -1.0, 1.0
    half = half_width(values.std(ddof=1), confidence, n - 1) / np.sqrt(n)
    low, high = float(values.mean() - half), float(values.mean() + half)
    return max(low, -1.0), min(high, 1.0)


def listed(name: str, values: object, least: int = 0) -> list[Any]:
    """The values as a list of at least so many.

    >>> listed("times", (1, 2))
    [1, 2]
    """
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise BadInput(name, values, "[not-a-list] is not a list", f"pass {name}=[...]")
    found = list(values)
    if len(found) < least:
        raise BadInput(name, found, "[empty] is empty", f"pass at least {least}")
    return found


def _time(name: str, value: object) -> Time:
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        return value
    if isinstance(value, np.integer):
        return int(value)
    remedy = "use whole nanoseconds or a fractions.Fraction"
    raise BadInput(name, value, "[not-a-time] is not an exact time", remedy)


def stopping_bias(
    lengths: Sequence[int] = (10, 100, 1000),
    rule: str = "lucky",
    runs: int = 20_000,
    seed: SeedLike = 0,
) -> pd.DataFrame:
    """What a stopping policy gains on fair rewards of ±1, by three averages, for N interactions of time.

    Rule "lucky" stops as soon as the sum is positive; "patient" when the average is at least .3, not before
    N/10 steps; "never" does not stop. Columns: the `plain` average of what was seen, Def 16's `diminishing`,
    the `total` divided by N, each with its standard error. The fair value is 0.

    >>> table = stopping_bias([10], runs=2000, seed=1)
    >>> bool(table.loc[10, "plain"] > 0.4 and table.loc[10, "diminishing"] < 0)
    True
    """
    choice("rule", rule, ["lucky", "patient", "never"])
    rng, count = generator(seed), integer("runs", runs, 2, 10**7)
    sizes = [integer("lengths", length, 1) for length in listed("lengths", lengths, least=1)]
    rows = {size: _bias_at(size, rule, count, rng) for size in sizes}
    return pd.DataFrame(rows).T.rename_axis("N")


def _bias_at(size: int, rule: str, runs: int, rng: np.random.Generator) -> dict[str, float]:
    """Runs in pieces of at most ten million rewards."""
    piece = max(1, min(runs, 10_000_000 // size))
    sizes = [min(piece, runs - at) for at in range(0, runs, piece)]
    values = np.concatenate([_three_averages(size, rule, n, rng) for n in sizes], axis=1)
    means, errors = values.mean(axis=1), values.std(axis=1, ddof=1) / np.sqrt(runs)
    names = ["plain", "diminishing", "total"]
    names += [f"{name}_error" for name in names]
    return dict(zip(names, [*means, *errors], strict=True))


def _three_averages(size: int, rule: str, runs: int, rng: np.random.Generator) -> FloatArray:
    rewards = rng.choice(np.array([-1, 1], dtype=np.int8), size=(runs, size))
    sums = rewards.cumsum(axis=1, dtype=np.int64)
    steps = np.arange(1, size + 1)
    if rule == "lucky":
        stops = sums > 0
    else:
        stops = (sums >= 0.3 * steps) & (steps * 10 >= size) & (rule == "patient")
    n = np.where(stops.any(axis=1), stops.argmax(axis=1) + 1, size)
    counted = n * n // size
    seen, early = (
        np.take_along_axis(sums, (k - 1).clip(0)[:, None], 1)[:, 0] for k in (n, counted)
    )
    diminishing = np.where(counted > 0, early / counted.clip(1), 0.0)
    return np.stack([seen / n, diminishing, seen / size])
