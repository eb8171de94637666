"""What is exactly known of an environment of Λ-One: the best that can be done, balance, bias of a placement.

Finite-horizon values and policies, by dynamic programming over (agent, Good, Evil), for an agent that knows
space, pattern and who is Good, though not the coins of collisions to come. Only for `delta=0`: a trail would
be part of the state.

Exchanging the names of Good and Evil leaves the law of placements and the rule of collisions as they are and
negates every reward. So an agent that looks at neither of them nor at rewards has expectation 0 at every
step, on average over placements (the environments are balanced, Hernández-Orallo and Dowe 2010). For one
fixed placement it has not; `bias_of_placements` says by how much.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import integer
from gindex_lab.worlds.anytime.environment import Environment, checked
from gindex_lab.worlds.anytime.kernel import best_policy, sensitive_states

__all__ = [
    "Policy",
    "achievable",
    "bias_of_placements",
    "body_moves",
    "fewest_sensitive_steps",
    "is_reward_sensitive",
    "plan",
    "random_agent_mean",
    "without_trail",
]

FloatArray = npt.NDArray[np.float64]
_MOST_BYTES = 64_000_000


class Policy(NamedTuple):
    """`policy[steps to go - 1, pointer, state]` and `values[pointer, state]` of the whole horizon.

    A state is (agent n_c + Good) n_c + Evil.
    """

    policy: npt.NDArray[np.int8]
    values: FloatArray


def without_trail(environment: Environment) -> Environment:
    """The environment, if it is one of Λ-One.

    >>> without_trail(Environment("1+|1-", "0"))
    Environment('1+|1-', '0')
    """
    if checked(environment).delta > 0:
        problem = (
            f"[leaves-trails] leaves trails (delta={environment.delta:g}), beyond exact analysis"
        )
        raise BadInput("environment", environment, problem, "use delta=0, or play sessions")
    return environment


def plan(environment: Environment, steps: int, horizon: int = 80) -> Policy:
    """The best policy for a session of `steps`, looking at most `horizon` steps ahead.

    Reference: Hernández-Orallo and Dowe (2010), Definition 17.

    >>> plan(Environment("1+|1+|1+", "1"), 3).policy.shape
    (3, 1, 27)
    """
    without_trail(environment)
    return _plan(environment, integer("steps", steps, 1), integer("horizon", horizon, 1))


@lru_cache(maxsize=8)
def _plan(environment: Environment, steps: int, horizon: int) -> Policy:
    script = environment.script(steps)
    depth = min(steps, horizon)
    if depth * len(script) * environment.cells**3 > _MOST_BYTES:
        problem = f"would need a plan for {len(script):,} places of the pattern"
        raise BadInput("steps", steps, problem, "use fewer steps, or a shorter horizon")
    return Policy(*best_policy(environment.table, script, depth))


def fewest_sensitive_steps(environment: Environment, n: int = 10) -> npt.NDArray[np.int64]:
    """For each (pointer, agent, Good, Evil) the fewest steps in which actions make a difference.

    That is the smallest k <= n with V_max^k - V_min^k > 0; 0 where none of them does.
    (Hernández-Orallo and Dowe 2010, Definition 17.)

    >>> int(fewest_sensitive_steps(Environment("1+|1+|1+", "1")).max())
    1
    """
    without_trail(environment)
    cells = environment.cells
    script = environment.script(100)  # a Markov program is looked at over its first hundred steps
    fewest = sensitive_states(environment.table, script, integer("n", n, 1))
    return fewest.reshape(len(script), cells, cells, cells)


def is_reward_sensitive(environment: Environment, n: int = 10) -> bool:
    """Whether from every state two courses of at most n actions differ in expected reward.

    The condition of Definition 17, decided for every state (pointer, agent, Good, Evil).

    >>> is_reward_sensitive(Environment("1+|1+|1+", "1"))
    True
    >>> is_reward_sensitive(Environment("1|1|1", "1", check=False))    # every action stays
    False
    """
    fewest = fewest_sensitive_steps(environment, n)
    apart = ~np.eye(environment.cells, dtype=bool)  # Good and Evil are never in one cell
    return bool((fewest[:, :, apart] > 0).all())


def body_moves(environment: Environment, move: int) -> FloatArray:
    """The law of (Good, Evil) after a move of the pattern: a matrix of pairs x pairs, pair = Good n_c + Evil.

    >>> body_moves(Environment("1+|1-", "1"), 1)[1]        # Good in cell 0, Evil in cell 1: they swap
    array([0., 0., 1., 0.])
    """
    n, table = environment.cells, environment.space.destinations
    law = np.zeros((n * n, n * n))
    for good in range(n):
        for evil in range(n):
            to = table[good][move], table[evil][move]
            options = [to] if good != evil else [(good, evil)]
            if good != evil and to[0] == to[1]:
                stays = good == to[0] or evil == to[1]
                options = [(good, evil)] if stays else [(to[0], evil), (good, to[1])]
            for g, e in options:
                law[good * n + evil, g * n + e] += 1 / len(options)
    return law


def _walk(environment: Environment) -> FloatArray:
    """The law of a random agent's next cell."""
    n, table = environment.cells, environment.table
    return np.array([np.bincount(row, minlength=n) / len(row) for row in table])


def _rewards(environment: Environment) -> FloatArray:
    """The reward of each (agent, pair)."""
    n = environment.cells
    cell, good, evil = np.ogrid[:n, :n, :n]
    return environment.r0 * ((cell == good).astype(float) - (cell == evil)).reshape(n, n * n)


def _steps(environment: Environment, steps: int | None) -> int:
    return environment.steps if steps is None else integer("steps", steps, 1)


def random_agent_mean(environment: Environment, steps: int | None = None) -> FloatArray:
    """The random agent's expected reward at each step, over all placements, forward in time.

    Agent, Good and Evil begin uniformly, Good and Evil in different cells. The numbers are 0 up to
    rounding: the environment is balanced. (Hernández-Orallo and Dowe 2010, Definition 17.)

    >>> bool(abs(random_agent_mean(Environment("12-|1-2--|1++2--", "2210"))).max() < 1e-12)
    True
    """
    n, total = without_trail(environment).cells, _steps(environment, steps)
    script = environment.script(total)
    laws = {move: body_moves(environment, move) for move in set(script.tolist())}
    walk, rewards = _walk(environment), _rewards(environment)
    apart = (~np.eye(n, dtype=bool)).reshape(-1)
    law = np.tile(apart / (n * n * (n - 1)), (n, 1))
    means = np.empty(total)
    for step in range(total):
        law = walk.T @ law @ laws[int(script[step % len(script)])]
        means[step] = (law * rewards).sum()
    return means


def bias_of_placements(environment: Environment, steps: int | None = None) -> FloatArray:
    """The random agent's expected mean reward from each placement [agent, Good, Evil], NaN where Good = Evil.

    Reference: Hernández-Orallo and Dowe (2010), Definition 17.

    >>> bias = bias_of_placements(Environment("12-|1-2--|1++2--", "2210"))
    >>> bool(np.nanmax(bias) > 0.01 and abs(np.nanmean(bias)) < 1e-12)
    True
    """
    n, total = without_trail(environment).cells, _steps(environment, steps)
    script = environment.script(total)
    laws = {move: body_moves(environment, move) for move in set(script.tolist())}
    walk, rewards = _walk(environment), _rewards(environment)
    ahead = np.zeros((n, n * n))
    for step in reversed(range(total)):
        ahead = walk @ (rewards + ahead) @ laws[int(script[step % len(script)])].T
    bias = (ahead / total).reshape(n, n, n)
    bias[:, np.eye(n, dtype=bool)] = np.nan
    return bias


def achievable(environment: Environment, steps: int | None = None) -> tuple[float, float]:
    """The worst and the best expected mean reward of any agent, over all placements.

    Reference: Hernández-Orallo and Dowe (2010), Definition 17.

    >>> worst, best = achievable(Environment("12-|1-2--|1++2--", "2210"))
    >>> round(worst, 3), round(best, 3)
    (-0.89, 0.89)
    """
    n, total = without_trail(environment).cells, _steps(environment, steps)
    values = plan(environment, total, total).values[0].reshape(n, n, n)
    best = environment.r0 * float(values[:, ~np.eye(n, dtype=bool)].mean()) / total
    return -best, best  # by the exchange of Good and Evil
