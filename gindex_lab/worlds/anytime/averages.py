"""Average reward with diminishing history (Definition 16), why it is needed, and the clocks that time it.

With a time limit τ instead of a number of interactions, an agent might act at random until it is lucky
and then rest on its laurels. Definition 16 looks at fewer rewards the earlier the last one came:

    v(μ, π || τ) = (1/n*) Σ_{k <= n*} r_k   with   n* = floor(n_τ t_{n_τ} / τ),

where n_τ interactions were complete by τ, the last at t_{n_τ} (Hernández-Orallo and Dowe 2010). Times
are whole nanoseconds or fractions, never floats: a floor must not depend on rounding.

On a virtual clock each action takes the agent's declared cost, so that every result can be repeated; on a
real clock only the agent's `act` is timed, not the environment.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import AgentLike, ClockLike, SeedLike
from gindex_lab.foundation.many_tests import half_width
from gindex_lab.foundation.validate import FloatArray, choice, generator, integer, number
from gindex_lab.worlds.anytime.agents import unwrapped
from gindex_lab.worlds.anytime.environment import Session
from gindex_lab.worlds.anytime.episodes import rewards_of
from gindex_lab.worlds.anytime.players import ask, begin

__all__ = ["Average", "RealClock", "VirtualClock", "average_evenly", "average_reward", "clock_of"]
__all__ += ["exact_seconds", "listed", "mean_interval", "stopping_bias"]

Time = int | Fraction
_PIECE = 10_000_000  # rewards that are drawn at a time: a judgement
MOST_STEPS = 20_000_000  # of one environment, 160 megabytes of rewards: a judgement
NANO = 1_000_000_000  # nanoseconds of a second


class Average(NamedTuple):
    """`value` (Def 16), the interactions `completed` (n_τ) and those `counted` (n*)."""

    value: float
    completed: int
    counted: int


def average_reward(rewards: Sequence[float], times: Sequence[Time], tau: Time) -> Average:
    """Definition 16 for rewards that were delivered at given times.

    Parameters
    ----------
    rewards : from -1 to 1
    times : of each reward, rising: whole numbers (say nanoseconds) or fractions
    tau : τ, the time limit; what came later is discarded

    Returns
    -------
    An `Average`; without a counted interaction its value is 0.

    References
    ----------
    Hernández-Orallo and Dowe (2010), Definition 16.

    Examples
    --------
    >>> average_reward([1, 1, -1, -1], [10, 20, 30, 50], tau=100)      # n* = floor(4 * 50 / 100)
    Average(value=1.0, completed=4, counted=2)
    >>> average_reward([1], [99], tau=100)
    Average(value=0.0, completed=1, counted=0)
    """
    limit = _time("tau", tau)
    ensure(limit > 0, "tau", tau, "[not-positive] is not positive", "use a time above 0")
    gains, given = listed("rewards", rewards), listed("times", times)
    problem = f"[wrong-length] has a different length from the {len(gains)} rewards"
    ensure(len(gains) == len(given), "times", len(given), problem, "pass one for each")
    moments = [_time(f"times[{place}]", moment) for place, moment in enumerate(given)]
    for place, (before, after) in enumerate(pairwise([0, *moments])):
        problem = "[not-in-order] is earlier than the one before"
        ensure(before <= after, f"times[{place}]", after, problem, "sort the times")
    for place, reward in enumerate(gains):
        number(f"rewards[{place}]", reward, -1, 1)
    return average_sorted(gains, moments, limit)


def average_sorted(rewards: list[float], times: list[Any], tau: Time) -> Average:
    """Definition 16 for rewards and sorted times that are known to be sound."""
    done = bisect_right(times, tau)
    counted = int(done * times[done - 1] // tau) if done else 0
    return Average(float(np.mean(rewards[:counted])) if counted else 0.0, done, counted)


def average_evenly(rewards: FloatArray, cost: Time, tau: Time) -> Average:
    """Definition 16 where every interaction takes the same time."""
    done = min(len(rewards), int(Fraction(tau) // Fraction(cost)))
    counted = int(done * done * Fraction(cost) // Fraction(tau))
    return Average(float(rewards[:counted].mean()) if counted else 0.0, done, counted)


def mean_interval(values: FloatArray, confidence: float = 0.95) -> tuple[float, float]:
    """Student's t interval of a mean of rewards, within [-1, 1]; all of it from fewer than two."""
    n = len(values)
    if n < 2:
        return -1.0, 1.0
    half = half_width(values.std(ddof=1), confidence, n - 1) / np.sqrt(n)
    return max(float(values.mean() - half), -1.0), min(float(values.mean() + half), 1.0)


def listed(name: str, values: object, least: int = 0) -> list[Any]:
    """The values as a list, with at least `least` of them."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise BadInput(name, values, "[not-a-list] is not a list", f"pass {name}=[...]")
    found = list(values)
    ensure(len(found) >= least, name, found, "[empty] is empty", f"pass at least {least}")
    return found


def _time(name: str, value: Any) -> Time:
    exact = isinstance(value, (int, np.integer, Fraction)) and not isinstance(value, bool)
    remedy = "use whole nanoseconds or a fractions.Fraction"
    ensure(exact, name, value, "[not-a-time] is not an exact time", remedy)
    return value if isinstance(value, Fraction) else int(value)


def stopping_bias(
    lengths: Sequence[int] = (10, 100, 1000), rule: str = "lucky", runs: int = 20_000, seed: SeedLike = 0
) -> pd.DataFrame:
    """What a stopping policy gains on fair rewards of ±1, by three averages.

    Parameters
    ----------
    lengths : N, the interactions that there is time for
    rule : "lucky" stops as soon as the sum is positive; "patient" when the average is at least .3, not before
        N/10 steps; "never" does not stop
    runs : how often
    seed : of the rewards

    Returns
    -------
    DataFrame indexed by N: the `plain` average of what was seen, Def 16's `diminishing`, the `total` divided
    by N, and the standard error of each (`plain_error` …). The fair value is 0.

    References
    ----------
    Hernández-Orallo and Dowe (2010), Definition 16.

    Examples
    --------
    >>> table = stopping_bias([10], runs=2000, seed=1)
    >>> bool(table.loc[10, "plain"] > 0.4 and table.loc[10, "diminishing"] < 0)
    True
    """
    choice("rule", rule, ["lucky", "patient", "never"])
    rng, count, rows = generator(seed), integer("runs", runs, 2, 10**7), {}
    names = ["plain", "diminishing", "total"]
    for size in [integer("lengths", length, 1) for length in listed("lengths", lengths, least=1)]:
        piece = max(1, min(count, _PIECE // size))
        parts = [min(piece, count - at) for at in range(0, count, piece)]
        values = np.concatenate([_three_averages(size, rule, n, rng) for n in parts], axis=1)
        errors = values.std(axis=1, ddof=1) / np.sqrt(count)
        numbers = [*values.mean(axis=1), *errors]
        rows[size] = dict(zip([*names, *(f"{name}_error" for name in names)], numbers, strict=True))
    return pd.DataFrame(rows).T.rename_axis("N")


def _three_averages(size: int, rule: str, runs: int, rng: np.random.Generator) -> FloatArray:
    """The averages of `stopping_bias`, one row each, for that many runs."""
    rewards = rng.choice(np.array([-1, 1], dtype=np.int8), size=(runs, size))
    sums, steps = rewards.cumsum(axis=1, dtype=np.int64), np.arange(1, size + 1)
    stops = sums > 0
    if rule != "lucky":
        stops = (sums >= 0.3 * steps) & (steps * 10 >= size) & (rule == "patient")
    n = np.where(stops.any(axis=1), stops.argmax(axis=1) + 1, size)
    counted = n * n // size
    seen, early = (np.take_along_axis(sums, (k - 1).clip(0)[:, None], 1)[:, 0] for k in (n, counted))
    diminishing = np.where(counted > 0, early / counted.clip(1), 0.0)
    return np.stack([seen / n, diminishing, seen / size])


def exact_seconds(name: str, value: object) -> Fraction:
    """Seconds as an exact number: `0.001` is a thousandth, whatever a float makes of it."""
    seconds = value if isinstance(value, Fraction) else Fraction(str(number(name, value, 0)))
    ensure(seconds > 0, name, value, "[out-of-range] is not positive", "use seconds above 0")
    return seconds


@dataclass(frozen=True)
class VirtualClock:
    """Every action takes `cost` seconds (the test's τ0 by default; a `Slow` agent has its own).

    Reference: Hernández-Orallo and Dowe (2010), Definition 16.

    >>> VirtualClock(0.001).cost
    0.001
    """

    cost: float | None = None

    def __post_init__(self) -> None:
        if self.cost is not None:
            exact_seconds("cost", self.cost)

    def run(
        self, agent: AgentLike, begin_session: Callable[[int], Session], tau: Fraction, tau0: Fraction
    ) -> Average:
        """Definition 16 for one environment: as many actions as fit into τ."""
        own = unwrapped(agent).cost
        price = own if own is not None else self.cost
        cost = tau0 if price is None else exact_seconds("cost", price)
        steps = int(tau // cost)
        problem = f"[too-long] gives an environment of {steps:,} interactions"
        remedy = "raise tau0 or the cost of an action, or use less time"
        ensure(steps <= MOST_STEPS, "seconds", float(tau), problem, remedy)
        if steps == 0:
            return Average(0.0, 0, 0)
        return average_evenly(rewards_of(agent, begin_session(steps)), cost, tau)


@dataclass(frozen=True)
class RealClock:
    """The agent's own time, in nanoseconds: `now` may be replaced, for tests.

    An action that comes after τ is discarded with its reward, and nothing interrupts an agent that thinks:
    run one that might never answer in a process of its own. (Hernández-Orallo and Dowe 2010, Definition 16.)

    >>> RealClock(now=lambda: 0).now()
    0
    """

    now: Callable[[], int] = field(default=time.perf_counter_ns)

    def run(
        self, agent: AgentLike, begin_session: Callable[[int], Session], tau: Fraction, tau0: Fraction
    ) -> Average:
        """Definition 16 for one environment."""
        session, limit = begin_session(MOST_STEPS), tau * NANO
        player, name = begin(agent, session), str(unwrapped(agent).agent)
        times, elapsed, reward, whole = [], 0, 0.0, int(limit)
        while not session.done:
            started = self.now()
            action = ask(player, session, reward, name)
            elapsed += self.now() - started
            if action is None or elapsed > whole:
                break
            reward = session.act(action)
            times.append(elapsed)
        return average_sorted(session.rewards, times, limit)


Clock = VirtualClock | RealClock


def clock_of(clock: ClockLike) -> Clock:
    """A clock from "virtual", "real", or a clock."""
    if isinstance(clock, Clock):
        return clock
    if clock in ("virtual", "real"):
        return VirtualClock() if clock == "virtual" else RealClock()
    remedy = 'use "virtual", "real" or VirtualClock(cost)'
    raise BadInput("clock", clock, "[not-a-clock] is not a clock", remedy)
