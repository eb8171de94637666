"""An agent in an environment for a number of steps: compiled for our own agents, readable for any."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import AgentLike, SeedLike
from gindex_lab.foundation.validate import FloatArray, choice, flag, integer
from gindex_lab.worlds.anytime import kernel
from gindex_lab.worlds.anytime.agents import Constant, Optimal, Own, QLearning, Scripted, unwrapped
from gindex_lab.worlds.anytime.environment import MODES, Environment, Placement, Session, checked, nested_seed
from gindex_lab.worlds.anytime.planning import plan
from gindex_lab.worlds.anytime.players import ask, begin

__all__ = ["SessionRun", "environments_of", "mean_rewards", "play", "rewards_of"]

_NO_POLICY = np.zeros((1, 1, 1), dtype=np.int8)
_NO_SCRIPT = np.zeros(1, dtype=np.int64)


@dataclass(frozen=True)
class SessionRun:
    """The rewards of one session, as many as the agent took steps."""

    rewards: FloatArray

    @property
    def steps(self) -> int:
        """How many interactions there were."""
        return len(self.rewards)

    @property
    def mean(self) -> float:
        """The plain average of the rewards; 0 for an agent that did nothing."""
        return float(self.rewards.mean()) if len(self.rewards) else 0.0


def play(
    agent: AgentLike,
    environment: Environment,
    steps: int | None = None,
    *,
    engine: str = "auto",
    swap: bool = False,
    placement: Placement | None = None,
    seed: SeedLike = 0,
) -> SessionRun:
    """Play one session.

    Parameters
    ----------
    agent : a name, an agent, or your own (see `agent`)
    environment : where it plays
    steps : 10 (n_c - 1) by default, as published
    engine : "compiled" (our own agents only), "readable", or "auto"
    swap : whether to exchange Good and Evil: the antithetic twin, with the same placement and coins
    placement : fixes (cell, first, second, good)
    seed : of placement, coins and agent

    Returns
    -------
    An object with `rewards`, `steps` and `mean`.

    References
    ----------
    Hernández-Orallo and Dowe (2010), section 5.

    Examples
    --------
    >>> play("random", Environment("1+|1-", "0"), steps=3, seed=2).rewards
    array([-1.,  1., -1.])
    """
    session = Session(environment, seed, steps=steps, swap=swap, placement=placement)
    choice("engine", engine, ["auto", "compiled", "readable"])
    return SessionRun(rewards_of(agent, session, engine))


def rewards_of(agent: AgentLike, session: Session, engine: str = "auto") -> FloatArray:
    """The rewards of a session that has not begun."""
    who = unwrapped(agent).agent
    ours = not isinstance(who, Own)
    problem = "[not-our-agent] runs our own agents only"
    ensure(ours or engine != "compiled", "engine", engine, problem, 'use engine="auto"')
    if ours and engine != "readable":
        how, rewards = _compiled(agent, session.environment, session.steps), np.zeros(session.steps)
        keys = (session.coins, session.agent_key)
        return rewards[: kernel.play(how, session.placement[:], keys, rewards)]
    player, name, reward = begin(agent, session), str(who), 0.0
    while not session.done:
        action = ask(player, session, reward, name)
        if action is None:
            break
        reward = session.act(action)
    return np.array(session.rewards)


def _compiled(agent: AgentLike, environment: Environment, steps: int) -> tuple[Any, ...]:
    """What the compiled loop needs to know of the environment and of the agent (see `kernel.play`)."""
    who, stop, _ = unwrapped(agent)
    parameters, script, policy = np.zeros(4), _NO_SCRIPT, _NO_POLICY
    if isinstance(who, QLearning):
        parameters[:] = (who.alpha, who.gamma, who.epsilon, who.initial)
    elif isinstance(who, Scripted):
        script = np.array([int(digit) for digit in who.script], dtype=np.int64)
    elif isinstance(who, Constant):
        script = np.array([who.action], dtype=np.int64)
    elif isinstance(who, Optimal):
        policy = plan(environment, steps, who.horizon).policy
    rule = (float(environment.delta), float(environment.r0))
    view = (MODES.index(environment.observation), bool(environment.identify))
    world = (environment.table, environment.script(steps), rule, view)
    rest = (float(stop[0]), int(stop[1]))
    return *world, kernel.KINDS[type(who).__name__], parameters, script, policy, rest


def mean_rewards(
    agent: AgentLike,
    environments: Iterable[Environment],
    *,
    runs: int = 1,
    steps: int | None = None,
    antithetic: bool = False,
    seed: SeedLike = 0,
) -> FloatArray:
    """Mean reward of each environment and run.

    Parameters
    ----------
    agent : a name, an agent, or your own (see `agent`)
    environments : where it plays
    runs : sessions in each, with their own placement, coins and draws
    steps : of a session, 10 (n_c - 1) by default
    antithetic : whether a run is the average of two sessions with Good and Evil exchanged, which is exactly 0
        for an agent that does not look at them
    seed : of all sessions

    Returns
    -------
    Array, environments x runs.

    References
    ----------
    Hernández-Orallo and Dowe (2010), section 5.

    Examples
    --------
    >>> worlds = [Environment("1+|1-", "0"), Environment("12-|1-2--|1++2--", "2210")]
    >>> mean_rewards("random", worlds, runs=2, antithetic=True, seed=1)
    array([[0., 0.],
           [0., 0.]])
    """
    worlds, count = environments_of(environments), integer("runs", runs, 1)
    both, own = flag("antithetic", antithetic), isinstance(unwrapped(agent).agent, Own)
    means = np.empty((len(worlds), count))
    for place, world in enumerate(worlds):
        length = world.steps if steps is None else integer("steps", steps, 1)
        nested = nested_seed(seed, place)
        if not own:
            kernel.mean_of_runs(_compiled(agent, world, length), nested, length, both, means[place])
            continue
        for run in range(count):
            mine, swaps = nested_seed(nested, run), (False, True) if both else (False,)
            means[place, run] = np.mean([play(agent, world, length, swap=s, seed=mine).mean for s in swaps])
    return means


def environments_of(environments: object) -> list[Environment]:
    """A list of environments, each of them checked."""
    if isinstance(environments, Environment):
        return [environments]
    if isinstance(environments, str) or not isinstance(environments, Iterable):
        problem = "[not-a-list] is not a list of environments"
        raise BadInput("environments", environments, problem, "pass a list")
    worlds = [checked(world, f"environments[{place}]") for place, world in enumerate(environments)]
    ensure(worlds, "environments", worlds, "[empty] is empty", "pass at least one environment")
    return worlds
