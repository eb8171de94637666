"""What is exactly known of an environment of Λ-One: the best that can be done, balance, bias of a placement.

Finite-horizon values and policies, by dynamic programming over (agent, Good, Evil), for an agent that knows
space, pattern and who is Good, though not the coins of collisions to come. Only for `delta=0`: a trail would
be part of the state.

Exchanging the names of Good and Evil leaves the law of placements and the rule of collisions as they are and
negates every reward. So an agent that looks at neither of them nor at rewards has expectation 0 at every
step, on average over placements (the environments are balanced, Hernández-Orallo and Dowe 2010). For one
fixed placement this does not hold; `bias_of_placements` says by how much.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.validate import FloatArray, IntArray, integer
from gindex_lab.worlds.anytime.environment import Environment, checked
from gindex_lab.worlds.anytime.kernel import best_policy, sensitive_states

__all__ = [
    *("Policy", "achievable", "bias_of_placements", "body_moves", "fewest_sensitive_steps"),
    *("is_reward_sensitive", "plan", "random_agent_mean", "signs", "without_trail"),
]

_MOST_BYTES = 64_000_000  # of a plan: a judgement


class Policy(NamedTuple):
    """`policy[steps to go - 1, pointer, state]` and `values[pointer, state]` of the whole horizon.

    A state is (agent n_c + Good) n_c + Evil.
    """

    policy: npt.NDArray[np.int8]
    values: FloatArray


def without_trail(environment: Environment) -> Environment:
    """The environment, if it is one of Λ-One."""
    delta = checked(environment).delta
    problem = f"[leaves-trails] leaves trails (delta={delta:g}), beyond exact analysis"
    ensure(delta == 0, "environment", environment, problem, "use delta=0, or play sessions")
    return environment


def plan(environment: Environment, steps: int, horizon: int = 80) -> Policy:
    """The best policy for a session.

    Parameters
    ----------
    environment : one of Λ-One
    steps : of the session
    horizon : the most steps that it looks ahead

    Returns
    -------
    A `Policy`: the best action for each number of steps to go, place of the pattern and state; and values.

    References
    ----------
    Hernández-Orallo and Dowe (2010), Definition 17.

    Examples
    --------
    >>> plan(Environment("1+|1+|1+", "1"), 3).policy.shape
    (3, 1, 27)
    """
    without_trail(environment)
    return _plan(environment, integer("steps", steps, 1), integer("horizon", horizon, 1))


@lru_cache(maxsize=8)
def _plan(environment: Environment, steps: int, horizon: int) -> Policy:
    script, depth = environment.script(steps), min(steps, horizon)
    problem = f"[too-large] would need a plan for {len(script):,} places of the pattern"
    fits = depth * len(script) * environment.cells**3 <= _MOST_BYTES
    ensure(fits, "steps", steps, problem, "use fewer steps, or a shorter horizon")
    return Policy(*best_policy(environment.table, script, depth))


def fewest_sensitive_steps(environment: Environment, n: int = 10) -> IntArray:
    """The fewest steps in which actions make a difference, from every state.

    That is the smallest k <= n with V_max^k - V_min^k > 0; 0 where there is none.

    Parameters
    ----------
    environment : one of Λ-One
    n : the most steps that are looked at

    Returns
    -------
    Array [pointer, agent, Good, Evil].

    References
    ----------
    Hernández-Orallo and Dowe (2010), Definition 17.

    Examples
    --------
    >>> int(fewest_sensitive_steps(Environment("1+|1+|1+", "1")).max())
    1
    """
    cells = without_trail(environment).cells
    script = environment.script(100)  # a Markov program is looked at over its first hundred steps
    fewest = sensitive_states(environment.table, script, integer("n", n, 1))
    return fewest.reshape(len(script), cells, cells, cells)


def is_reward_sensitive(environment: Environment, n: int = 10) -> bool:
    """Whether from every state two courses of at most n actions differ in expected reward.

    Parameters
    ----------
    environment, n : as for `fewest_sensitive_steps`; n is n_i of Definition 17

    Returns
    -------
    The condition of Definition 17, decided for every state (pointer, agent, Good, Evil).

    References
    ----------
    Hernández-Orallo and Dowe (2010), Definition 17.

    Examples
    --------
    >>> is_reward_sensitive(Environment("1+|1+|1+", "1"))
    True
    >>> is_reward_sensitive(Environment("1|1|1", "1", check=False))    # every action stays
    False
    """
    fewest = fewest_sensitive_steps(environment, n)
    apart = ~np.eye(environment.cells, dtype=bool)  # Good and Evil are never in one cell
    return bool((fewest[:, :, apart] > 0).all())


def body_moves(environment: Environment, move: int, collision: str = "coin") -> FloatArray:
    """The law of (Good, Evil) after a move of the pattern: a matrix of pairs x pairs, pair = Good n_c + Evil.

    `collision` says who moves when both would enter one cell: a fair "coin", "good", "evil", neither
    ("stay"), or both ("share"). An always-winner whose way is blocked by the loser's cell has no legal move.
    """
    n, table = environment.cells, environment.space.destinations
    law = np.zeros((n, n, n, n))
    for good, evil in product(range(n), repeat=2):
        new = table[good][move], table[evil][move]
        if new[0] != new[1] or collision == "share":
            legal = [new]
        elif good == evil or collision == "stay":
            legal = [(good, evil)]
        else:
            movers = [(new[0], evil)] * (collision != "evil") + [(good, new[1])] * (collision != "good")
            legal = [(g, e) for g, e in movers if g != e]
        for g, e in legal:
            law[good, evil, g, e] += 1 / len(legal)
    return law.reshape(n * n, n * n)


def signs(n: int) -> IntArray:
    """+1 where the agent is with Good, -1 with Evil, else 0: an array [agent, pair]."""
    cell, good, evil = np.ogrid[:n, :n, :n]
    return ((cell == good).astype(np.int64) - (cell == evil)).reshape(n, n * n)


def _walks(environment: Environment, steps: int | None) -> tuple[FloatArray, FloatArray, list[FloatArray]]:
    """The law of a random agent's next cell, the rewards, and the law of the bodies at each step."""
    n, total = without_trail(environment).cells, _steps(environment, steps)
    script = np.resize(environment.script(total), total).tolist()
    laws = {move: body_moves(environment, move) for move in set(script)}
    walk = np.array([np.bincount(row, minlength=n) / len(row) for row in environment.table])
    return walk, np.asarray(environment.r0 * signs(n), dtype=np.float64), [laws[move] for move in script]


def _steps(environment: Environment, steps: int | None) -> int:
    return environment.steps if steps is None else integer("steps", steps, 1)


def random_agent_mean(environment: Environment, steps: int | None = None) -> FloatArray:
    """The random agent's expected reward at each step, over all placements, forward in time.

    Agent, Good and Evil begin uniformly, Good and Evil in different cells. The numbers are 0 up to
    rounding: the environment is balanced.

    Parameters
    ----------
    environment : one of Λ-One
    steps : of the session, 10 (n_c - 1) by default

    Returns
    -------
    Array of one number per step.

    References
    ----------
    Hernández-Orallo and Dowe (2010), Definition 17.

    Examples
    --------
    >>> bool(abs(random_agent_mean(Environment("12-|1-2--|1++2--", "2210"))).max() < 1e-12)
    True
    """
    walk, rewards, laws = _walks(environment, steps)
    n = environment.cells
    apart = (~np.eye(n, dtype=bool)).reshape(-1)
    law, means = np.tile(apart / (n * n * (n - 1)), (n, 1)), []
    for bodies in laws:
        law = walk.T @ law @ bodies
        means.append((law * rewards).sum())
    return np.array(means)


def bias_of_placements(environment: Environment, steps: int | None = None) -> FloatArray:
    """The random agent's expected mean reward from each placement.

    Parameters
    ----------
    environment, steps : as for `random_agent_mean`

    Returns
    -------
    Array [agent, Good, Evil], NaN where Good = Evil.

    References
    ----------
    Hernández-Orallo and Dowe (2010), Definition 17.

    Examples
    --------
    >>> bias = bias_of_placements(Environment("12-|1-2--|1++2--", "2210"))
    >>> bool(np.nanmax(bias) > 0.01 and abs(np.nanmean(bias)) < 1e-12)
    True
    """
    walk, rewards, laws = _walks(environment, steps)
    n, ahead = environment.cells, np.zeros_like(rewards)
    for bodies in reversed(laws):
        ahead = walk @ (rewards + ahead) @ bodies.T
    bias = (ahead / len(laws)).reshape(n, n, n)
    bias[:, np.eye(n, dtype=bool)] = np.nan
    return bias


def achievable(environment: Environment, steps: int | None = None) -> tuple[float, float]:
    """The worst and the best expected mean reward of any agent, over all placements.

    Parameters
    ----------
    environment, steps : as for `random_agent_mean`

    Returns
    -------
    (worst, best).

    References
    ----------
    Hernández-Orallo and Dowe (2010), Definition 17.

    Examples
    --------
    >>> worst, best = achievable(Environment("12-|1-2--|1++2--", "2210"))
    >>> round(worst, 3), round(best, 3)
    (-0.89, 0.89)
    """
    n, total = without_trail(environment).cells, _steps(environment, steps)
    values = plan(environment, total, total).values[0].reshape(n, n, n)
    best = environment.r0 * float(values[:, ~np.eye(n, dtype=bool)].mean()) / total
    return -best, best  # by the exchange of Good and Evil
