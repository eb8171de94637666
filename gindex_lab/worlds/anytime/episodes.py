"""An agent in an environment for a number of steps: compiled for our own agents, readable for any.

>>> run = play("oracle", Environment("12-|1-2--|1++2--", "2210"), seed=1)
>>> run.steps, round(run.mean, 2)
(20, 0.75)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import AgentLike, SeedLike
from gindex_lab.foundation.validate import choice, flag, integer
from gindex_lab.worlds.anytime.agents import Constant, Optimal, Own, QLearning, Scripted, unwrapped
from gindex_lab.worlds.anytime.chance import nested_seed
from gindex_lab.worlds.anytime.environment import Environment, Placement, Session, checked
from gindex_lab.worlds.anytime.kernel import KINDS, MODE_NUMBERS, mean_of_runs
from gindex_lab.worlds.anytime.kernel import play as play_compiled
from gindex_lab.worlds.anytime.planning import plan
from gindex_lab.worlds.anytime.players import ask, begin

__all__ = [
    "SessionRun",
    "compiled_rewards",
    "environments_of",
    "mean_rewards",
    "play",
    "play_readable",
]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
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
    """Play one session of `steps` (10 (n_c - 1) by default, as published).

    `engine` is "compiled" (our own agents only), "readable", or "auto". `swap` exchanges Good and Evil: the
    antithetic twin, with the same placement and coins. `placement` fixes (cell, first, second, good).
    (Hernández-Orallo and Dowe 2010, section 5.)

    >>> play("random", Environment("1+|1-", "0"), steps=3, seed=2).rewards
    array([-1.,  1., -1.])
    """
    who = unwrapped(agent)
    session = Session(environment, seed, steps=steps, swap=swap, placement=placement)
    engine = choice("engine", engine, ["auto", "compiled", "readable"])
    if engine == "compiled" and isinstance(who.agent, Own):
        raise BadInput(
            "engine", engine, "[not-our-agent] runs our own agents only", 'use engine="auto"'
        )
    if engine == "readable" or isinstance(who.agent, Own):
        return SessionRun(play_readable(agent, session))
    return SessionRun(compiled_rewards(agent, session))


def compiled_rewards(agent: AgentLike, session: Session) -> FloatArray:
    """The rewards of a session that has not begun, by the compiled loop.

    >>> compiled_rewards("constant", Environment("1+|1-", "0").start(3, steps=2))
    array([ 1., -1.])
    """
    how, rewards = _compiled(agent, session.environment, session.steps), np.zeros(session.steps)
    keys = (session.coins, session.agent_key)
    return rewards[: play_compiled(how[:], session.placement[:], keys, rewards)]


class _Compiled(NamedTuple):
    """What the compiled loop needs to know of the environment and of the agent."""

    table: IntArray
    pattern: IntArray
    rule: tuple[float, float]
    view: tuple[int, bool]
    kind: int
    parameters: FloatArray
    script: IntArray
    policy: npt.NDArray[np.int8]
    stop: tuple[float, int]


def _compiled(agent: AgentLike, environment: Environment, steps: int) -> _Compiled:
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
    view = (MODE_NUMBERS[environment.observation], bool(environment.identify))
    pattern, kind = environment.script(steps), KINDS[who.kind]
    rest, table = (float(stop[0]), int(stop[1])), environment.table
    return _Compiled(table, pattern, rule, view, kind, parameters, script, policy, rest)


def play_readable(agent: AgentLike, session: Session) -> FloatArray:
    """The rewards of a session that has not begun, step by step.

    >>> play_readable("constant", Environment("1+|1-", "0").start(3, steps=2))
    array([ 1., -1.])
    """
    player, name, reward = begin(agent, session), str(unwrapped(agent).agent), 0.0
    while not session.done:
        action = ask(player, session, reward, name)
        if action is None:
            break
        reward = session.act(action)
    return np.array(session.rewards)


def mean_rewards(
    agent: AgentLike,
    environments: Iterable[Environment],
    *,
    runs: int = 1,
    steps: int | None = None,
    antithetic: bool = False,
    seed: SeedLike = 0,
) -> FloatArray:
    """Mean reward of each environment and run, an array environments x runs.

    Each run has its own placement, coins and draws; with `antithetic` it is the average of two sessions
    with Good and Evil exchanged, which is exactly 0 for an agent that does not look at them.
    (Hernández-Orallo and Dowe 2010, section 5.)

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
        if own:
            means[place] = [_pair(agent, world, length, both, nested, k) for k in range(count)]
        else:
            mean_of_runs(_compiled(agent, world, length)[:], nested, length, both, means[place])
    return means


def _pair(
    agent: AgentLike, world: Environment, steps: int, antithetic: bool, seed: int, run: int
) -> float:
    swaps = (False, True) if antithetic else (False,)
    own = nested_seed(seed, run)
    return float(np.mean([play(agent, world, steps, swap=s, seed=own).mean for s in swaps]))


def environments_of(environments: object) -> list[Environment]:
    """A list of environments, each of them checked.

    >>> environments_of(Environment("1+|1-", "0"))
    [Environment('1+|1-', '0')]
    """
    if isinstance(environments, Environment):
        return [environments]
    if isinstance(environments, str) or not isinstance(environments, Iterable):
        raise BadInput(
            "environments",
            environments,
            "[not-a-list] is not a list of environments",
            "pass a list",
        )
    worlds = list(environments)
    for place, world in enumerate(worlds):
        checked(world, f"environments[{place}]")
    if not worlds:
        raise BadInput("environments", worlds, "[empty] is empty", "pass at least one environment")
    return worlds
