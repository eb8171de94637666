"""The agents at work, in readable form: each acts on what it sees and on its last reward.

They are the oracle of the compiled ones in `kernel`, and the ones that a real clock times. `begin` starts an
agent in a session. Follower, oracle and planner know more than an observation tells: they look into the
session itself.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from typing import Any, Protocol

import numpy as np

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import AgentLike
from gindex_lab.worlds.anytime import agents
from gindex_lab.worlds.anytime.environment import Observation, Session, Stream
from gindex_lab.worlds.anytime.planning import plan

__all__ = ["Actor", "ask", "begin"]


class Actor(Protocol):
    """Whoever can act: the next action, or None to rest until the time is up."""

    def act(self, observation: Observation, reward: float) -> int | None:
        """The next action."""


class RandomPlayer:
    """Uniform actions; the others begin like it, with parameters, session and draws of their own."""

    def __init__(self, who: Any, session: Session) -> None:
        self.who, self.session, self.draws = who, session, Stream(session.agent_key)
        self.actions, self.table = session.environment.actions, session.environment.space.destinations

    def act(self, observation: Observation, reward: float) -> int:
        return self.draws.below(self.actions)

    def best_of(self, worths: list[float]) -> int:
        """The place of the largest; among equals the draw decides."""
        best = max(worths)
        ties = [place for place, worth in enumerate(worths) if worth == best]
        return ties[self.draws.below(len(ties))]


class ReactivePlayer(RandomPlayer):
    """The last action again if it was rewarded, any otherwise."""

    last = 0

    def act(self, observation: Observation, reward: float) -> int:
        if reward <= 0:
            self.last = self.draws.below(self.actions)
        return self.last


class ScriptedPlayer(RandomPlayer):
    """A script or one action for ever."""

    def act(self, observation: Observation, reward: float) -> int:
        if isinstance(self.who, agents.Constant):
            return self.who.action % self.actions
        return int(self.who.script[self.session.step % len(self.who.script)]) % self.actions


class FollowerPlayer(RandomPlayer):
    """The first action that leads to Good, or any."""

    def act(self, observation: Observation, reward: float) -> int:
        reach, good = self.table[self.session.cell], self.session.good_cell
        return reach.index(good) if good in reach else self.draws.below(self.actions)


class OraclePlayer(RandomPlayer):
    """The best immediate reward by where the pattern sends Good and Evil; among equals any."""

    def act(self, observation: Observation, reward: float) -> int:
        session, world = self.session, self.session.environment
        good, evil = (self.table[cell][session.move] for cell in (session.good_cell, session.evil_cell))
        worths = [
            world.r0 * ((to == good) - (to == evil))
            if to in (good, evil)
            else world.delta * session.trail[to]
            for to in self.table[session.cell]
        ]
        return self.best_of(worths)


class OptimalPlayer(RandomPlayer):
    """Follows the plan of dynamic programming."""

    def __init__(self, who: agents.Optimal, session: Session) -> None:
        super().__init__(who, session)
        self.policy = plan(session.environment, session.steps, who.horizon).policy

    def act(self, observation: Observation, reward: float) -> int:
        """The planned action for the steps that are left, the pattern's place and the three cells."""
        s, n = self.session, len(self.table)
        left = min(s.steps - s.step, self.policy.shape[0]) - 1
        pointer = s.step % self.policy.shape[1]
        return int(self.policy[left, pointer, (s.cell * n + s.good_cell) * n + s.evil_cell])


class QPlayer(RandomPlayer):
    """Tabular Q-learning: a row of values for each observation."""

    def __init__(self, who: agents.QLearning, session: Session) -> None:
        super().__init__(who, session)
        self.values: dict[Observation, list[float]] = defaultdict(lambda: [who.initial] * self.actions)
        self.before: tuple[Observation, int] | None = None

    def act(self, observation: Observation, reward: float) -> int:
        """Learn from the reward of the last action, then take the best or try another."""
        row = self.values[observation]
        if self.before is not None:
            seen, action = self.before
            target = reward + 1 + self.who.gamma * max(row)
            self.values[seen][action] += self.who.alpha * (target - self.values[seen][action])
        tries = self.who.epsilon > 0 and self.draws.uniform() < self.who.epsilon
        action = self.draws.below(self.actions) if tries else self.best_of(row)
        self.before = (observation, action)
        return action


class Stopping:
    """A player that rests once its mean reward is above a mark."""

    def __init__(self, player: Actor, stop: tuple[float, int], session: Session) -> None:
        self.player, self.stop, self.session = player, stop, session

    def act(self, observation: Observation, reward: float) -> int | None:
        """What the player inside does, or nothing any more."""
        (above, after), done = self.stop, self.session.step
        if done >= after and sum(self.session.rewards) > above * done:
            return None
        return self.player.act(observation, reward)


_PLAYERS: dict[type, type[RandomPlayer]] = {
    agents.Random: RandomPlayer,
    agents.Reactive: ReactivePlayer,
    agents.Scripted: ScriptedPlayer,
    agents.Constant: ScriptedPlayer,
    agents.Follower: FollowerPlayer,
    agents.Oracle: OraclePlayer,
    agents.Optimal: OptimalPlayer,
    agents.QLearning: QPlayer,
}


def begin(spec: AgentLike, session: Session) -> Actor:
    """A player for this session."""
    who, stop, _ = agents.unwrapped(spec)
    own = isinstance(who, agents.Own)
    player = _own_player(who, session) if own else _PLAYERS[type(who)](who, session)
    return player if np.isinf(stop[0]) else Stopping(player, stop, session)


def _own_player(who: Any, session: Session) -> Actor:
    """The user's own agent, given what it asks for."""
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
    problem = "[no-method] has no method act(observation, reward)"
    remedy = "add one that returns the next action, or None to rest"
    ensure(callable(getattr(player, "act", None)), "agent", who.name, problem, remedy)
    return player


def ask(player: Actor, session: Session, reward: float, name: str) -> int | None:
    """The player's next action, checked: an error inside it is told with the step where it happened."""
    try:
        action = player.act(session.observation, reward)
    except Exception as error:
        raise _failed(name, f"failed at interaction {session.step + 1}", error) from error
    if action is None:
        return None
    whole = isinstance(action, (int, np.integer)) and not isinstance(action, bool)
    if whole and 0 <= action < session.environment.actions:
        return int(action)
    problem = f"[not-an-action] returned {action!r} at interaction {session.step + 1}"
    remedy = f"return 0 to {session.environment.actions - 1} here, or None to rest"
    raise BadInput("agent", name, problem, remedy)


def _failed(name: str, what: str, error: Exception) -> BadInput:
    problem = f"[agent-failed] {what} with {type(error).__name__}: {error}"
    return BadInput("agent", name, problem, "fix its act(observation, reward)")
