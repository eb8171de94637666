"""The best that can be done in an environment, by dynamic programming over (agent, Good, Evil).

Finite-horizon values and policies for an agent that knows space, pattern and who is Good, though not the
coins of collisions to come. Only for Λ-One (`delta=0`): a trail would be part of the state.
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

__all__ = ["Plan", "fewest_sensitive_steps", "is_reward_sensitive", "plan", "without_trail"]

FloatArray = npt.NDArray[np.float64]
_MOST_BYTES = 64_000_000


class Plan(NamedTuple):
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
        raise BadInput(
            "environment",
            environment,
            f"leaves trails (delta={environment.delta:g}), which exact analysis does not cover",
            "use delta=0, or play sessions",
        )
    return environment


def plan(environment: Environment, steps: int, horizon: int = 80) -> Plan:
    """The best policy for a session of `steps`, looking at most `horizon` steps ahead.

    >>> plan(Environment("1+|1+|1+", "1"), 3).policy.shape
    (3, 1, 27)
    """
    without_trail(environment)
    return _plan(environment, integer("steps", steps, 1), integer("horizon", horizon, 1))


@lru_cache(maxsize=8)
def _plan(environment: Environment, steps: int, horizon: int) -> Plan:
    script = environment.script(steps)
    depth = min(steps, horizon)
    if depth * len(script) * environment.cells**3 > _MOST_BYTES:
        raise BadInput(
            "steps",
            steps,
            f"would need a plan for {len(script):,} places of the pattern",
            "use fewer steps, or a shorter horizon",
        )
    return Plan(*best_policy(environment.table, script, depth))


def fewest_sensitive_steps(environment: Environment, n: int = 10) -> npt.NDArray[np.int64]:
    """For each (pointer, agent, Good, Evil) the fewest steps in which actions make a difference.

    That is the smallest k <= n with V_max^k - V_min^k > 0; 0 where none of them does.

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
