"""An agent in an environment for a number of steps: compiled for our own agents, readable for any.

>>> run = play("oracle", Environment("12-|1-2--|1++2--", "2210"), seed=1)
>>> run.steps, round(run.mean, 2)
(20, 0.75)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gindex_lab.anytime.agents import Constant, Optimal, Own, QLearning, Scripted, unwrapped
from gindex_lab.anytime.chance import nested_seed
from gindex_lab.anytime.environment import Environment, Placement, Session
from gindex_lab.anytime.kernel import KINDS, MODE_NUMBERS
from gindex_lab.anytime.kernel import play as play_compiled
from gindex_lab.anytime.planning import plan
from gindex_lab.anytime.players import ask, begin
from gindex_lab.errors import BadInput
from gindex_lab.validate import choice, integer

__all__ = ["Run", "compiled_rewards", "environments_of", "mean_rewards", "play", "play_readable"]

FloatArray = npt.NDArray[np.float64]
_NO_POLICY = np.zeros((1, 1, 1), dtype=np.int8)
_NO_SCRIPT = np.zeros(1, dtype=np.int64)


@dataclass(frozen=True)
class Run:
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
    agent: object,
    environment: Environment,
    steps: int | None = None,
    *,
    engine: str = "auto",
    swap: bool = False,
    placement: Placement | None = None,
    seed: object = 0,
) -> Run:
    """Play one session of `steps` (10 (n_c - 1) by default, as published).

    `engine` is "compiled" (our own agents only), "readable", or "auto". `swap` exchanges Good and Evil: the
    antithetic twin, with the same placement and coins. `placement` fixes (cell, first, second, good).

    >>> play("random", Environment("1+|1-", "0"), steps=3, seed=2).rewards
    array([-1.,  1., -1.])
    """
    who = unwrapped(agent)
    session = Session(environment, seed, steps=steps, swap=swap, placement=placement)
    engine = choice("engine", engine, ["auto", "compiled", "readable"])
    if engine == "compiled" and isinstance(who.agent, Own):
        raise BadInput("engine", engine, "runs our own agents only", 'use engine="auto"')
    if engine == "readable" or isinstance(who.agent, Own):
        return Run(play_readable(agent, session))
    return Run(compiled_rewards(agent, session))


def compiled_rewards(agent: object, session: Session) -> FloatArray:
    """The rewards of a session that has not begun, by the compiled loop.

    >>> compiled_rewards("constant", Environment("1+|1-", "0").start(3, steps=2))
    array([ 1., -1.])
    """
    who, stop, _ = unwrapped(agent)
    environment = session.environment
    parameters = np.zeros(4)
    if isinstance(who, QLearning):
        parameters[:] = (who.alpha, who.gamma, who.epsilon, who.initial)
    script = _NO_SCRIPT
    if isinstance(who, Scripted):
        script = np.array([int(digit) for digit in who.script], dtype=np.int64)
    elif isinstance(who, Constant):
        script = np.array([who.action], dtype=np.int64)
    policy = _NO_POLICY
    if isinstance(who, Optimal):
        policy = plan(environment, session.steps, who.horizon).policy
    rewards = np.zeros(session.steps)
    taken = play_compiled(
        environment.table,
        environment.script(session.steps),
        session.placement[:],
        (float(environment.delta), float(environment.r0)),
        (MODE_NUMBERS[environment.observation], bool(environment.identify)),
        KINDS[who.kind],
        parameters,
        script,
        policy,
        (session.coins, session.agent_key),
        (float(stop[0]), int(stop[1])),
        rewards,
    )
    return rewards[:taken]


def play_readable(agent: object, session: Session) -> FloatArray:
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
    agent: object,
    environments: Iterable[Environment],
    *,
    runs: int = 1,
    steps: int | None = None,
    antithetic: bool = False,
    seed: object = 0,
) -> FloatArray:
    """Mean reward of each environment and run, an array environments x runs.

    Each run has its own placement, coins and draws; with `antithetic` it is the average of two sessions
    with Good and Evil exchanged, which is exactly 0 for an agent that does not look at them.

    >>> worlds = [Environment("1+|1-", "0"), Environment("12-|1-2--|1++2--", "2210")]
    >>> mean_rewards("random", worlds, runs=2, antithetic=True, seed=1)
    array([[0., 0.],
           [0., 0.]])
    """
    worlds = environments_of(environments)
    count = integer("runs", runs, 1)
    swaps = (False, True) if antithetic else (False,)
    means = np.empty((len(worlds), count))
    for place, world in enumerate(worlds):
        for run in range(count):
            own = nested_seed(seed, place, run)
            both = [play(agent, world, steps, swap=swap, seed=own).mean for swap in swaps]
            means[place, run] = np.mean(both)
    return means


def environments_of(environments: object) -> list[Environment]:
    """A list of environments, each of them checked.

    >>> environments_of(Environment("1+|1-", "0"))
    [Environment('1+|1-', '0')]
    """
    if isinstance(environments, Environment):
        return [environments]
    if isinstance(environments, str) or not isinstance(environments, Iterable):
        raise BadInput("environments", environments, "is no list of environments", "pass a list")
    worlds = list(environments)
    for place, world in enumerate(worlds):
        if not isinstance(world, Environment):
            raise BadInput(
                f"environments[{place}]", world, "is no environment", "use gl.anytime.Environment"
            )
    if not worlds:
        raise BadInput("environments", worlds, "is empty", "pass at least one environment")
    return worlds
