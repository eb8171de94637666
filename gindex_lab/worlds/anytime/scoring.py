"""The score over a fixed sample of environments (Definition 17), and agents compared by the anytime test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation import parallel
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import choice, integer, no_duplicates, number
from gindex_lab.worlds.anytime.agents import agent as agent_of
from gindex_lab.worlds.anytime.averages import mean_interval
from gindex_lab.worlds.anytime.chance import nested_seed
from gindex_lab.worlds.anytime.clocks import clock_of, exact_seconds
from gindex_lab.worlds.anytime.environment import Session
from gindex_lab.worlds.anytime.pool import Pool, pool_of
from gindex_lab.worlds.anytime.running import Examination

__all__ = ["Comparison", "Score", "compare", "named_agents", "score"]


@dataclass(frozen=True)
class Score:
    """The mean of Def 16 over a sample of environments, its interval, and the values of each."""

    value: float
    interval: tuple[float, float]
    environments: pd.DataFrame

    def __repr__(self) -> str:
        low, high = self.interval
        return f"Score({self.value:.3f} [{low:.3f}, {high:.3f}], {len(self.environments)} environments)"


def score(
    agent: object,
    environments: int = 50,
    tau: float | Fraction = 0.1,
    *,
    pool: Pool | None = None,
    clock: object = "virtual",
    tau0: float | Fraction = 0.001,
    weights: str = "universal",
    confidence: float = 0.95,
    seed: SeedLike = 0,
) -> Score:
    """Υ^iv of Definition 17: (1/m) Σ over S of v(μ, π || τ), with |S| = m = `environments`.

    S is drawn without replacement from the pool of balanced, reward-sensitive environments, with probability
    2^-Kt_max ("universal") or evenly ("uniform"). An action costs `tau0` on a virtual clock without a cost of
    its own. The interval is that of the mean over environments.

    >>> from gindex_lab.worlds.anytime.pool import make_pool
    >>> score("oracle", 20, pool=make_pool(40, seed=1), seed=1).value > 0.5
    True
    """
    choice("weights", weights, ["universal", "uniform"])
    worlds = pool_of(pool)
    count, limit = integer("environments", environments, 2), exact_seconds("tau", tau)
    if count > len(worlds):
        raise BadInput(
            "environments", count, f"is more than the pool of {len(worlds)}", "use a larger pool"
        )
    who, time, price = agent_of(agent), clock_of(clock), exact_seconds("tau0", tau0)
    rows = []
    for place in _sample(worlds, count, weights, seed):
        world, own = worlds.environments[place], nested_seed(seed, 1, int(place))
        average = time.run(who, partial(Session, world, own), limit, price)
        rows.append((world.space.text, str(world.pattern), worlds.complexity[place], *average))
    names = ["space", "pattern", "complexity", "reward", "completed", "counted"]
    table = pd.DataFrame(rows, columns=names)
    level = number("confidence", confidence, 0, 1, open_ends=True)
    rewards = table["reward"].to_numpy(float)
    return Score(float(rewards.mean()), mean_interval(rewards, level), table)


def _sample(pool: Pool, count: int, weights: str, seed: SeedLike) -> np.ndarray:
    spread = pool.complexity - pool.complexity[0] if weights == "universal" else 0 * pool.complexity
    chance = np.exp2(-spread)
    rng = np.random.default_rng(nested_seed(seed, 0))
    return rng.choice(len(pool), size=count, replace=False, p=chance / chance.sum())


@dataclass(frozen=True)
class Comparison:
    """`table`: an agent per row, its mean score over tests with an interval; `tests`: a row per test."""

    table: pd.DataFrame
    tests: pd.DataFrame


def compare(
    agents: Mapping[str, object] | Sequence[object],
    seconds: float = 5.0,
    tests: int = 20,
    *,
    pool: Pool | None = None,
    tau0: float | Fraction = 0.001,
    clock: object = "virtual",
    antithetic: bool = False,
    confidence: float = 0.95,
    jobs: int = 1,
    seed: SeedLike = 0,
) -> Comparison:
    """The anytime test of several agents, `tests` times each with seeds of their own, the same for all.

    >>> from gindex_lab.worlds.anytime.pool import make_pool
    >>> both = compare(["random", "oracle"], seconds=1, tests=3, pool=make_pool(200, seed=1))
    >>> bool(both.table["low"]["oracle"] > both.table["high"]["random"])
    True
    """
    named, repeats = named_agents(agents), integer("tests", tests, 2)
    worlds = pool_of(pool)
    level = number("confidence", confidence, 0, 1, open_ends=True)
    settings = {"seconds": seconds, "pool": worlds, "tau0": tau0, "clock": clock}
    settings["antithetic"] = antithetic
    tasks = [
        (name, who, settings | {"seed": nested_seed(seed, k)}, k)
        for name, who in named.items()
        for k in range(repeats)
    ]
    rows = parallel.map(_one_test, tasks, jobs=jobs, progress="anytime tests")
    long = pd.DataFrame(rows)
    return Comparison(_summary(long, list(named), level), long)


def _one_test(task: tuple[str, Any, dict[str, Any], int]) -> dict[str, Any]:
    name, who, settings, number_ = task
    exam = Examination(who, **settings)
    while exam.step():  # not run(): Ctrl-C should end the comparison, not one test of it
        continue
    result = exam.result
    return {
        "agent": name,
        "test": number_,
        "value": result.value,
        "value_counted": result.value_counted,
        "environments": len(result.rows),
        "xi": exam.xi,
        "increments": result.increments,
        "reason": result.reason,
    }


def _summary(long: pd.DataFrame, names: list[str], confidence: float) -> pd.DataFrame:
    rows = {}
    for name in names:
        own = long[long["agent"] == name]
        values = own["value"].to_numpy(float)
        low, high = mean_interval(values, confidence)
        rows[name] = {
            "value": values.mean(),
            "low": low,
            "high": high,
            "standard_deviation": values.std(ddof=1),
            "environments": own["environments"].mean(),
            "xi": own["xi"].mean(),
        }
    return pd.DataFrame(rows).T.rename_axis("agent")


def named_agents(agents: object) -> dict[str, Any]:
    """Agents by name, from a mapping or a list.

    >>> list(named_agents(["random", "oracle"]))
    ['random', 'oracle']
    """
    if isinstance(agents, Mapping) and agents:
        return {str(name): agent_of(who) for name, who in agents.items()}
    if isinstance(agents, str) or not isinstance(agents, Sequence) or not agents:
        raise BadInput(
            "agents", agents, "is not a list of agents", "pass a list, or names to agents"
        )
    names = [who if isinstance(who, str) else repr(agent_of(who)) for who in agents]
    no_duplicates("agents", names)
    return {name: agent_of(who) for name, who in zip(names, agents, strict=True)}
