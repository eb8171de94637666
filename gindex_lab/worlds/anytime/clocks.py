"""Time in the anytime test: a virtual clock, where an action has a price, and a real one.

An environment lasts τ. On a virtual clock each action takes the agent's declared cost, so that every result
can be repeated; on a real clock only the agent's `act` is timed, not the environment. Times are exact.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import AgentLike, ClockLike
from gindex_lab.foundation.validate import number
from gindex_lab.worlds.anytime.agents import unwrapped
from gindex_lab.worlds.anytime.averages import Average, average_evenly, average_sorted
from gindex_lab.worlds.anytime.environment import Session
from gindex_lab.worlds.anytime.episodes import rewards_of
from gindex_lab.worlds.anytime.players import ask, begin

__all__ = ["Clock", "RealClock", "VirtualClock", "clock_of", "exact_seconds"]

MOST_STEPS = 20_000_000  # of one environment, 160 megabytes of rewards: a judgement
NANO = 1_000_000_000  # nanoseconds of a second


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
