"""What is exactly so in an environment of Λ-One: balance, bias of a placement, what can be achieved.

Exchanging the names of Good and Evil leaves the law of placements and the rule of collisions as they are and
negates every reward. So an agent that looks at neither of them nor at rewards has expectation 0 at every
step, on average over placements (the environments are balanced, Hernández-Orallo and Dowe 2010). For one
fixed placement it has not; `bias_of_placements` says by how much.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.validate import integer
from gindex_lab.worlds.anytime.environment import Environment
from gindex_lab.worlds.anytime.planning import plan, without_trail

__all__ = ["achievable", "bias_of_placements", "body_moves", "random_agent_mean"]

FloatArray = npt.NDArray[np.float64]


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
    rounding: the environment is balanced.

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

    >>> worst, best = achievable(Environment("12-|1-2--|1++2--", "2210"))
    >>> round(worst, 3), round(best, 3)
    (-0.89, 0.89)
    """
    n, total = without_trail(environment).cells, _steps(environment, steps)
    values = plan(environment, total, total).values[0].reshape(n, n, n)
    best = environment.r0 * float(values[:, ~np.eye(n, dtype=bool)].mean()) / total
    return -best, best  # by the exchange of Good and Evil
