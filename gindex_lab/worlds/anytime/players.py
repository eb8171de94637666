"""The agents at work, in readable form: each acts on what it sees and on its last reward.

They are the oracle of the compiled ones in `kernel`, and the ones that a real clock times. `begin` starts an
agent in a session. Follower, oracle and planner know more than an observation tells: they look into the
session itself.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import AgentLike
from gindex_lab.worlds.anytime.agents import (
    Constant,
    Follower,
    Optimal,
    Oracle,
    Own,
    QLearning,
    Random,
    Reactive,
    Scripted,
    unwrapped,
)
from gindex_lab.worlds.anytime.chance import Stream
from gindex_lab.worlds.anytime.environment import Observation, Session
from gindex_lab.worlds.anytime.planning import plan

__all__ = ["Actor", "ask", "begin"]


class Actor(Protocol):
    """Whoever can act: the next action, or None to rest until the time is up."""

    def act(self, observation: Observation, reward: float) -> int | None:
        """The next action."""


class RandomPlayer:
    """Uniform actions."""

    def __init__(self, who: Random, session: Session) -> None:
        self.actions, self.draws = session.environment.actions, Stream(session.agent_key)

    def act(self, observation: Observation, reward: float) -> int:
        """Any action."""
        return self.draws.below(self.actions)


class ReactivePlayer(RandomPlayer):
    """Keeps what paid."""

    last = 0

    def act(self, observation: Observation, reward: float) -> int:
        """The last action again if it was rewarded, any otherwise."""
        if reward <= 0:
            self.last = self.draws.below(self.actions)
        return self.last


class ScriptedPlayer:
    """A script or one action for ever."""

    def __init__(self, who: Scripted | Constant, session: Session) -> None:
        script = who.script if isinstance(who, Scripted) else str(who.action)
        digits = [who.action] if isinstance(who, Constant) else [int(digit) for digit in script]
        self.script = [digit % session.environment.actions for digit in digits]
        self.session = session

    def act(self, observation: Observation, reward: float) -> int:
        """The next of the script."""
        return self.script[self.session.step % len(self.script)]


class FollowerPlayer(RandomPlayer):
    """Steps to where Good is."""

    def __init__(self, who: Follower, session: Session) -> None:
        super().__init__(Random(), session)
        self.session = session

    def act(self, observation: Observation, reward: float) -> int:
        """The first action that leads to Good, or any."""
        reach = self.session.environment.space.destinations[self.session.cell]
        if self.session.good_cell in reach:
            return reach.index(self.session.good_cell)
        return self.draws.below(self.actions)


class OraclePlayer:
    """Knows where the pattern sends Good and Evil."""

    def __init__(self, who: Oracle, session: Session) -> None:
        self.session, self.draws = session, Stream(session.agent_key)

    def act(self, observation: Observation, reward: float) -> int:
        """The action with the best immediate reward; among equals any."""
        session, table = self.session, self.session.environment.space.destinations
        good, evil = (table[cell][session.move] for cell in (session.good_cell, session.evil_cell))
        delta, r0 = session.environment.delta, session.environment.r0
        worths = [
            r0 * ((to == good) - (to == evil)) if to in (good, evil) else delta * session.trail[to]
            for to in table[session.cell]
        ]
        return _best_of(worths, self.draws)


class OptimalPlayer:
    """Follows the plan of dynamic programming."""

    def __init__(self, who: Optimal, session: Session) -> None:
        self.session = session
        self.policy = plan(session.environment, session.steps, who.horizon).policy

    def act(self, observation: Observation, reward: float) -> int:
        """The planned action for the steps that are left, the pattern's place and the three cells."""
        s, n = self.session, self.session.environment.cells
        left = min(s.steps - s.step, self.policy.shape[0]) - 1
        pointer = s.step % self.policy.shape[1]
        return int(self.policy[left, pointer, (s.cell * n + s.good_cell) * n + s.evil_cell])


class QPlayer:
    """Tabular Q-learning: a row of values for each observation."""

    def __init__(self, who: QLearning, session: Session) -> None:
        self.who, self.actions = who, session.environment.actions
        self.draws = Stream(session.agent_key)
        self.values: dict[Observation, list[float]] = defaultdict(
            lambda: [who.initial] * self.actions
        )
        self.before: tuple[Observation, int] | None = None

    def act(self, observation: Observation, reward: float) -> int:
        """Learn from the reward of the last action, then take the best or try another."""
        row = self.values[observation]
        if self.before is not None:
            seen, action = self.before
            target = reward + 1 + self.who.gamma * max(row)
            self.values[seen][action] += self.who.alpha * (target - self.values[seen][action])
        tries = self.who.epsilon > 0 and self.draws.uniform() < self.who.epsilon
        action = self.draws.below(self.actions) if tries else _best_of(row, self.draws)
        self.before = (observation, action)
        return action


def _best_of(worths: list[float], draws: Stream) -> int:
    best = max(worths)
    ties = [place for place, worth in enumerate(worths) if worth == best]
    return ties[draws.below(len(ties))]


class Stopping:
    """A player that rests once its mean reward is above a mark."""

    def __init__(self, player: Actor, stop: tuple[float, int], session: Session) -> None:
        self.player, self.stop, self.session = player, stop, session

    def act(self, observation: Observation, reward: float) -> int | None:
        """What the player inside does, or nothing any more."""
        above, after = self.stop
        done = self.session.step
        if done >= after and sum(self.session.rewards) > above * done:
            return None
        return self.player.act(observation, reward)


_PLAYERS: dict[type, Callable[[Any, Session], Actor]] = {
    Random: RandomPlayer,
    Reactive: ReactivePlayer,
    Scripted: ScriptedPlayer,
    Constant: ScriptedPlayer,
    Follower: FollowerPlayer,
    Oracle: OraclePlayer,
    Optimal: OptimalPlayer,
    QLearning: QPlayer,
}


def begin(spec: AgentLike, session: Session) -> Actor:
    """A player for this session.

    >>> import gindex_lab as gl
    >>> session = gl.anytime.Environment("1+|1-", "0").start(3)
    >>> begin("constant", session).act(session.observation, 0.0)
    1
    """
    who, stop, _ = unwrapped(spec)
    player = (
        _own_player(who, session) if isinstance(who, Own) else _PLAYERS[type(who)](who, session)
    )
    return player if np.isinf(stop[0]) else Stopping(player, stop, session)


def _own_player(who: Own, session: Session) -> Actor:
    offered = {
        "seed": session.agent_key & (2**63 - 1),
        "actions": session.environment.actions,
        "space": session.environment.space.destinations,
    }
    try:
        wanted = set(inspect.signature(who.make).parameters) & set(offered)
    except (TypeError, ValueError):  # some compiled callables have no signature
        wanted = set()
    try:
        player = who.make(**{name: offered[name] for name in wanted})
    except Exception as error:
        raise _failed(who.name, "cannot be started", error) from error
    if not callable(getattr(player, "act", None)):
        remedy = "add one that returns the next action, or None to rest"
        raise BadInput(
            "agent", who.name, "[no-method] has no method act(observation, reward)", remedy
        )
    return player


def ask(player: Actor, session: Session, reward: float, name: str) -> int | None:
    """The player's next action, checked: an error inside it is told with the step where it happened.

    >>> import gindex_lab as gl
    >>> session = gl.anytime.Environment("1+|1-", "0").start(3)
    >>> ask(begin("constant", session), session, 0.0, "constant")
    1
    """
    try:
        action = player.act(session.observation, reward)
    except Exception as error:
        raise _failed(name, f"failed at interaction {session.step + 1}", error) from error
    if action is None:
        return None
    allowed = session.environment.actions
    if isinstance(action, (bool, np.bool_)) or not isinstance(action, (int, np.integer)):
        problem = f"[not-an-action] returned {action!r} at interaction {session.step + 1}"
    elif 0 <= action < allowed:
        return int(action)
    else:
        problem = f"[not-an-action] returned the action {action} at interaction {session.step + 1}"
    raise BadInput("agent", name, problem, f"return 0 to {allowed - 1} here, or None to rest")


def _failed(name: str, what: str, error: Exception) -> BadInput:
    told = f"[agent-failed] {what} with {type(error).__name__}: {error}"
    return BadInput("agent", name, told, "fix its act(observation, reward)")
