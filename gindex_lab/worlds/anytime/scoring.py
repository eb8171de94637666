"""Agents measured on environments: Definition 17, comparisons, time budgets, and `Responses` to analyse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation import parallel
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import AgentLike, ClockLike, SeedLike
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import choice, flag, integer, no_duplicates, number
from gindex_lab.worlds.anytime.agents import agent as agent_of
from gindex_lab.worlds.anytime.averages import listed, mean_interval
from gindex_lab.worlds.anytime.chance import nested_seed
from gindex_lab.worlds.anytime.clocks import clock_of, exact_seconds
from gindex_lab.worlds.anytime.complexity import MEASURES, complexity, published_complexity
from gindex_lab.worlds.anytime.environment import Environment, Session
from gindex_lab.worlds.anytime.episodes import environments_of, mean_rewards
from gindex_lab.worlds.anytime.pool import Pool, pool_of
from gindex_lab.worlds.anytime.running import Examination

__all__ = [
    "AgentComparison",
    "Score",
    "as_items",
    "by_budget",
    "by_complexity",
    "compare",
    "describe_items",
    "named_agents",
    "score",
]


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
    agent: AgentLike,
    environments: int = 50,
    tau: float | Fraction = 0.1,
    *,
    pool: Pool | None = None,
    clock: ClockLike = "virtual",
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
        problem = f"[too-many] is more than the pool of {len(worlds)}"
        raise BadInput("environments", count, problem, "use a larger pool")
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
class AgentComparison:
    """`table`: an agent per row, its mean score over tests with an interval; `tests`: a row per test."""

    table: pd.DataFrame
    tests: pd.DataFrame


def compare(
    agents: Mapping[str, AgentLike] | Sequence[AgentLike],
    seconds: float = 5.0,
    tests: int = 20,
    *,
    pool: Pool | None = None,
    tau0: float | Fraction = 0.001,
    clock: ClockLike = "virtual",
    antithetic: bool = False,
    confidence: float = 0.95,
    jobs: int = 1,
    seed: SeedLike = 0,
) -> AgentComparison:
    """The anytime test of several agents, `tests` times each with seeds of their own, the same for all.

    Reference: Hernández-Orallo and Dowe (2010), Definitions 17 and 18.

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
    return AgentComparison(_summary(long, list(named), level), long)


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
        more = {"environments": own["environments"].mean(), "xi": own["xi"].mean()}
        rows[name] = _mean_of(own["value"].to_numpy(float), confidence) | more
    return pd.DataFrame(rows).T.rename_axis("agent")


def _mean_of(values: np.ndarray, confidence: float = 0.95) -> dict[str, Any]:
    """The mean of a score over tests, its interval and its standard deviation."""
    low, high = mean_interval(values, confidence)
    found = {"value": values.mean(), "low": low, "high": high}
    return found | {"standard_deviation": values.std(ddof=1)}


def named_agents(agents: object) -> dict[str, Any]:
    """Agents by name, from a mapping or a list.

    >>> list(named_agents(["random", "oracle"]))
    ['random', 'oracle']
    """
    if isinstance(agents, Mapping) and agents:
        return {str(name): agent_of(who) for name, who in agents.items()}
    if isinstance(agents, str) or not isinstance(agents, Sequence) or not agents:
        problem = "[not-a-list] is not a list of agents"
        raise BadInput("agents", agents, problem, "pass a list, or names to agents")
    names = [who if isinstance(who, str) else repr(agent_of(who)) for who in agents]
    no_duplicates("agents", names)
    return {name: agent_of(who) for name, who in zip(names, agents, strict=True)}


def describe_items(environments: Iterable[Environment]) -> pd.DataFrame:
    """One row per environment: cells, actions, space, pattern, `bits`, and the published comp1 … comp4.

    Reference: Hernández-Orallo and Dowe (2010), Definitions 17 and 18.

    >>> describe_items([Environment("1+|1-", "0")])[["cells", "bits"]].iloc[0].tolist()
    [2.0, 8.0]
    """
    worlds = environments_of(environments)
    rows = [
        {
            "cells": world.cells,
            "actions": world.actions,
            "space": world.space.text,
            "pattern": str(world.pattern),
            "bits": complexity(world),
            **published_complexity(world),
        }
        for world in worlds
    ]
    width = max(3, len(str(len(rows))))
    return pd.DataFrame(rows, index=[f"E{k:0{width}}" for k in range(1, len(rows) + 1)])


def as_items(
    agents: Mapping[str, AgentLike] | Sequence[AgentLike],
    environments: Iterable[Environment] | Mapping[str, Environment],
    *,
    runs: int = 5,
    steps: int | None = None,
    scale: str = "clip",
    difficulty: str = "comp2",
    antithetic: bool = False,
    seed: SeedLike = 0,
) -> Responses:
    """Mean rewards of agents in environments as responses, with the complexity as difficulty.

    A session's mean reward in [-1, 1] becomes a response by `scale`: "clip" puts negative ones at 0, as the
    published script does; "unit" maps r to (r + 1) / 2, where a random agent has 1/2. Each of the `runs`
    is a trial. `difficulty` names a measure: "comp2" (published), "bits", …. Environments are items E001,
    E002 …, or as a mapping names them.
    (Hernández-Orallo and Dowe 2010, Definitions 17 and 18.)

    >>> worlds = [Environment("1+|1-", "0"), Environment("12-|1-2--|1++2--", "2210")]
    >>> as_items(["random", "oracle"], worlds, runs=2, seed=1).shape
    (2, 2)
    """
    labels = list(environments) if isinstance(environments, Mapping) else None
    listed = environments.values() if isinstance(environments, Mapping) else environments
    worlds, named = environments_of(listed), named_agents(agents)
    choice("scale", scale, ["clip", "unit"])
    choice("difficulty", difficulty, list(MEASURES))
    count, twins = integer("runs", runs, 1), flag("antithetic", antithetic)
    items = describe_items(worlds)
    items.index = items.index if labels is None else pd.Index(labels)
    parts = []
    for name, who in named.items():
        means = mean_rewards(who, worlds, runs=count, steps=steps, antithetic=twins, seed=seed)
        scaled = means.clip(0, 1) if scale == "clip" else (means + 1) / 2
        parts.append(_long(name, items.index, scaled))
    return Responses.from_long(
        pd.concat(parts, ignore_index=True),
        trial="trial",
        difficulty=[complexity(world, difficulty) for world in worlds],
        items=items,
        name="Λ environments",
        source="own experiment",
    )


def _long(name: str, items: pd.Index, means: np.ndarray) -> pd.DataFrame:
    runs = means.shape[1]
    return pd.DataFrame(
        {
            "agent": name,
            "item": np.repeat(items, runs),
            "response": means.reshape(-1),
            "trial": np.tile(np.arange(1, runs + 1), len(items)),
        }
    )


def by_budget(
    agents: Mapping[str, AgentLike] | Sequence[AgentLike],
    budgets: Sequence[float] = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
    tests: int = 20,
    *,
    pool: Pool | None = None,
    tau0: float | Fraction = 0.001,
    clock: ClockLike = "virtual",
    seed: SeedLike = 0,
) -> pd.DataFrame:
    """The anytime score that each time budget Θ would have given, over `tests` tests of each agent.

    One test of the longest budget answers for all: at Θ it had finished every environment that began
    before Θ. Columns: agent, seconds, value, low, high (95%), standard_deviation, environments.
    (Hernández-Orallo and Dowe 2010, Definitions 17 and 18.)

    >>> from gindex_lab.worlds.anytime.pool import make_pool
    >>> by_budget(["oracle"], [0.01, 0.1], 3, pool=make_pool(200, seed=1))["environments"].tolist()
    [5, 10]
    """
    named, repeats = named_agents(agents), integer("tests", tests, 2)
    times = [exact_seconds("budgets", budget) for budget in listed("budgets", budgets, least=1)]
    worlds = pool_of(pool)
    rows = []
    for name, who in named.items():
        values, counts = [], []
        for k in range(repeats):
            settings: dict[str, Any] = {"pool": worlds, "tau0": tau0, "clock": clock}
            settings |= {"seconds": max(times), "seed": nested_seed(seed, k)}
            exam = Examination(who, **settings)
            while exam.step():  # not run(): Ctrl-C should end all, not one test
                continue
            began = np.array([row["elapsed"] - row["tau"] for row in exam.rows])
            rewards = np.array([row["reward"] for row in exam.rows])
            done = [int((began < float(time) - 1e-12).sum()) for time in times]
            values.append([rewards[:n].mean() for n in done])
            counts.append(done)
        for time, own, done in zip(times, np.array(values).T, np.array(counts).T, strict=True):
            about = {"agent": name, "seconds": float(time)} | _mean_of(own)
            rows.append(about | {"environments": round(float(done.mean()))})
    return pd.DataFrame(rows)


def by_complexity(
    responses: Responses | Scores, bins: int = 8, confidence: float = 0.95
) -> pd.DataFrame:
    """Mean value of each agent in bins of equal numbers of items by difficulty, with t intervals.

    Columns: agent, complexity (mean of the bin), mean, low, high, items.
    (Hernández-Orallo and Dowe 2010, Definitions 17 and 18.)

    >>> table = Responses([[1, 1, 0, 0.5]], difficulty=[1, 2, 3, 4])
    >>> by_complexity(table, bins=2)[["complexity", "mean"]].to_numpy().tolist()
    [[1.5, 1.0], [3.5, 0.25]]
    """
    if not isinstance(responses, Responses | Scores) or responses.difficulty is None:
        problem = "[no-difficulty] has no difficulties"
        raise BadInput("responses", responses, problem, "use gl.anytime.as_items(...)")
    count = integer("bins", bins, 1)
    level = number("confidence", confidence, 0, 1, open_ends=True)
    difficulty = responses.difficulty.to_numpy(float)
    groups = np.array_split(np.argsort(difficulty, kind="stable"), min(count, len(difficulty)))
    rows = []
    for agent, values in zip(responses.frame.index, responses.values, strict=True):
        for group in groups:
            seen = values[group][~np.isnan(values[group])]
            if len(seen):
                low, high = mean_interval(seen, level)
                rows.append((agent, difficulty[group].mean(), seen.mean(), low, high, len(seen)))
    return pd.DataFrame(rows, columns=["agent", "complexity", "mean", "low", "high", "items"])
