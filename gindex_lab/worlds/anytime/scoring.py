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
from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import AgentLike, ClockLike, SeedLike
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import FloatArray, choice, flag, integer, no_duplicates, number
from gindex_lab.worlds.anytime.agents import agent as agent_of
from gindex_lab.worlds.anytime.averages import clock_of, exact_seconds, listed, mean_interval
from gindex_lab.worlds.anytime.complexity import MEASURES, complexity, published_complexity
from gindex_lab.worlds.anytime.environment import Environment, Session, nested_seed
from gindex_lab.worlds.anytime.episodes import environments_of, mean_rewards
from gindex_lab.worlds.anytime.pool import Pool, pool_of
from gindex_lab.worlds.anytime.running import Examination

__all__ = [
    *("AgentComparison", "Score", "as_items", "by_budget", "by_complexity", "compare", "describe_items"),
    *("named_agents", "score"),
]


@dataclass(frozen=True, repr=False)
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
    """Υ^iv of Definition 17: (1/m) Σ over S of v(μ, π || τ), with |S| = m.

    Parameters
    ----------
    agent, clock, tau0, pool : as for `test`
    environments : m; S is drawn without replacement from the pool
    tau : τ, the time for each
    weights : the chance of an environment, 2^-Kt_max ("universal") or the same for all ("uniform")
    confidence : of the interval of the mean over environments
    seed : of the draw and the sessions

    Returns
    -------
    An object with `value`, `interval` and `environments`, a DataFrame with a row for each.

    References
    ----------
    Hernández-Orallo and Dowe (2010), Definition 17.

    Examples
    --------
    >>> from gindex_lab.worlds.anytime.pool import make_pool
    >>> score("oracle", 20, pool=make_pool(40, seed=1), seed=1).value > 0.5
    True
    """
    choice("weights", weights, ["universal", "uniform"])
    worlds, level = pool_of(pool), number("confidence", confidence, 0, 1, open_ends=True)
    count, limit = integer("environments", environments, 2), exact_seconds("tau", tau)
    problem = f"[too-many] is more than the pool of {len(worlds)}"
    ensure(count <= len(worlds), "environments", count, problem, "use a larger pool")
    who, time, price = agent_of(agent), clock_of(clock), exact_seconds("tau0", tau0)
    chance = np.exp2(-(worlds.complexity - worlds.complexity[0]) * (weights == "universal"))
    rng, rows = np.random.default_rng(nested_seed(seed, 0)), []
    for place in rng.choice(len(worlds), size=count, replace=False, p=chance / chance.sum()):
        world, own = worlds.environments[place], nested_seed(seed, 1, int(place))
        average = time.run(who, partial(Session, world, own), limit, price)
        rows.append((world.space.text, str(world.pattern), worlds.complexity[place], *average))
    names = ["space", "pattern", "complexity", "reward", "completed", "counted"]
    table = pd.DataFrame(rows, columns=names)
    rewards = table["reward"].to_numpy(float)
    return Score(float(rewards.mean()), mean_interval(rewards, level), table)


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
    """The anytime test of several agents.

    Parameters
    ----------
    agents : as a list, or by name
    seconds, pool, tau0, clock, antithetic : as for `test`
    tests : of each agent, with seeds of their own, the same for all agents
    confidence : of the intervals
    jobs : processes
    seed : of all tests

    Returns
    -------
    An object with `table` (an agent per row: `value`, `low`, `high`, `standard_deviation`, `environments`,
    `xi`) and `tests` (a row per test).

    References
    ----------
    Hernández-Orallo and Dowe (2010), Definitions 17 and 18.

    Examples
    --------
    >>> from gindex_lab.worlds.anytime.pool import make_pool
    >>> both = compare(["random", "oracle"], seconds=1, tests=3, pool=make_pool(200, seed=1))
    >>> bool(both.table["low"]["oracle"] > both.table["high"]["random"])
    True
    """
    named, repeats = named_agents(agents), integer("tests", tests, 2)
    level = number("confidence", confidence, 0, 1, open_ends=True)
    settings = {"seconds": seconds, "pool": pool_of(pool), "tau0": tau0, "clock": clock}
    shared = (settings | {"antithetic": antithetic},)
    tasks = [(name, who, k, nested_seed(seed, k)) for name, who in named.items() for k in range(repeats)]
    tested = parallel.map(_one_test, tasks, shared=shared, jobs=jobs, progress="anytime tests")
    long = pd.DataFrame(tested)
    rows = {}
    for name in named:
        own = long[long["agent"] == name]
        more = {"environments": own["environments"].mean(), "xi": own["xi"].mean()}
        rows[name] = _mean_of(own["value"].to_numpy(float), level) | more
    return AgentComparison(pd.DataFrame(rows).T.rename_axis("agent"), long)


def _one_test(settings: dict[str, Any], task: tuple[str, Any, int, int]) -> dict[str, Any]:
    name, who, number_, seed = task
    exam = _examined(who, seed=seed, **settings)
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


def _examined(who: AgentLike, **settings: Any) -> Examination:
    """A finished test."""
    exam = Examination(who, **settings)
    while exam.step():  # not run(): Ctrl-C should end the comparison, not one test of it
        continue
    return exam


def _mean_of(values: FloatArray, confidence: float = 0.95) -> dict[str, Any]:
    """The mean of a score over tests, its interval and its standard deviation."""
    low, high = mean_interval(values, confidence)
    return {"value": values.mean(), "low": low, "high": high, "standard_deviation": values.std(ddof=1)}


def named_agents(agents: object) -> dict[str, Any]:
    """Agents by name, from a mapping or a list."""
    if isinstance(agents, Mapping) and agents:
        return {str(name): agent_of(who) for name, who in agents.items()}
    if isinstance(agents, str) or not isinstance(agents, Sequence) or not agents:
        problem = "[not-a-list] is not a list of agents"
        raise BadInput("agents", agents, problem, "pass a list, or names to agents")
    names = [who if isinstance(who, str) else repr(agent_of(who)) for who in agents]
    no_duplicates("agents", names)
    return {name: agent_of(who) for name, who in zip(names, agents, strict=True)}


def describe_items(environments: Iterable[Environment]) -> pd.DataFrame:
    """What an analysis needs to know of each environment.

    Parameters
    ----------
    environments : a list of them

    Returns
    -------
    DataFrame with a row per environment, E001, E002 …: `cells`, `actions`, `space`, `pattern`, `bits`, and
    the published `comp1` … `comp4`.

    References
    ----------
    Hernández-Orallo and Dowe (2010), Definition 9.

    Examples
    --------
    >>> describe_items([Environment("1+|1-", "0")])[["cells", "bits"]].iloc[0].tolist()
    [2.0, 8.0]
    """
    rows = [
        {
            "cells": world.cells,
            "actions": world.actions,
            "space": world.space.text,
            "pattern": str(world.pattern),
            "bits": complexity(world),
            **published_complexity(world),
        }
        for world in environments_of(environments)
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

    Parameters
    ----------
    agents : as a list, or by name
    environments : items E001, E002 …, or as a mapping names them
    runs : sessions in each, which are the trials
    steps, antithetic : as for `mean_rewards`
    scale : how a mean reward r in [-1, 1] becomes a response: "clip" puts negative ones at 0, as the
        published script does; "unit" gives (r + 1) / 2, where a random agent has 1/2
    difficulty : a measure of `complexity`; "comp2" is the published one
    seed : of all sessions

    Returns
    -------
    Responses, agents x environments.

    References
    ----------
    Hernández-Orallo and Dowe (2010), Definitions 17 and 18.

    Examples
    --------
    >>> worlds = [Environment("1+|1-", "0"), Environment("12-|1-2--|1++2--", "2210")]
    >>> as_items(["random", "oracle"], worlds, runs=2, seed=1).shape
    (2, 2)
    """
    labels = list(environments) if isinstance(environments, Mapping) else None
    given = environments.values() if isinstance(environments, Mapping) else environments
    worlds, named = environments_of(given), named_agents(agents)
    choice("scale", scale, ["clip", "unit"])
    choice("difficulty", difficulty, MEASURES)
    count, twins = integer("runs", runs, 1), flag("antithetic", antithetic)
    items = describe_items(worlds)
    items.index = items.index if labels is None else pd.Index(labels)
    parts = []
    for name, who in named.items():
        means = mean_rewards(who, worlds, runs=count, steps=steps, antithetic=twins, seed=seed)
        scaled = means.clip(0, 1) if scale == "clip" else (means + 1) / 2
        columns = {"agent": name, "item": np.repeat(items.index, count), "response": scaled.reshape(-1)}
        parts.append(pd.DataFrame(columns).assign(trial=np.tile(np.arange(1, count + 1), len(items))))
    return Responses.from_long(
        pd.concat(parts, ignore_index=True),
        trial="trial",
        difficulty=[complexity(world, difficulty) for world in worlds],
        items=items,
        name="Λ environments",
        source="own experiment",
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
    """The anytime score that each time budget Θ would have given.

    One test of the longest budget answers for all: at Θ it had finished every environment that began
    before Θ.

    Parameters
    ----------
    agents, tests, pool, tau0, clock, seed : as for `compare`
    budgets : Θ, in seconds

    Returns
    -------
    DataFrame with columns `agent`, `seconds`, `value`, `low`, `high` (95%), `standard_deviation` and
    `environments`.

    References
    ----------
    Hernández-Orallo and Dowe (2010), Definitions 17 and 18.

    Examples
    --------
    >>> from gindex_lab.worlds.anytime.pool import make_pool
    >>> by_budget(["oracle"], [0.01, 0.1], 3, pool=make_pool(200, seed=1))["environments"].tolist()
    [5, 10]
    """
    named, repeats, rows = named_agents(agents), integer("tests", tests, 2), []
    times = [exact_seconds("budgets", budget) for budget in listed("budgets", budgets, least=1)]
    settings = {"seconds": max(times), "pool": pool_of(pool), "tau0": tau0, "clock": clock}
    for name, who in named.items():
        exams = [_examined(who, seed=nested_seed(seed, k), **settings).rows for k in range(repeats)]
        for time in times:
            end = float(time) - 1e-12
            done = [[row["reward"] for row in exam if row["elapsed"] - row["tau"] < end] for exam in exams]
            found = _mean_of(np.array([np.mean(rewards) for rewards in done]))
            count = round(float(np.mean([len(rewards) for rewards in done])))
            rows.append({"agent": name, "seconds": float(time), **found, "environments": count})
    return pd.DataFrame(rows)


def by_complexity(responses: Responses | Scores, bins: int = 8, confidence: float = 0.95) -> pd.DataFrame:
    """Mean value of each agent in bins of equal numbers of items by difficulty.

    Parameters
    ----------
    responses : with difficulties, as `as_items` gives them
    bins : how many
    confidence : of the t intervals

    Returns
    -------
    DataFrame with columns `agent`, `complexity` (mean of the bin), `mean`, `low`, `high` and `items`.

    References
    ----------
    Hernández-Orallo and Dowe (2010), Definitions 17 and 18.

    Examples
    --------
    >>> table = Responses([[1, 1, 0, 0.5]], difficulty=[1, 2, 3, 4])
    >>> by_complexity(table, bins=2)[["complexity", "mean"]].to_numpy().tolist()
    [[1.5, 1.0], [3.5, 0.25]]
    """
    if not isinstance(responses, Responses | Scores) or responses.difficulty is None:
        problem = "[no-difficulty] has no difficulties"
        raise BadInput("responses", responses, problem, "use gl.anytime.as_items(...)")
    count, level = integer("bins", bins, 1), number("confidence", confidence, 0, 1, open_ends=True)
    difficulty = responses.difficulty.to_numpy(float)
    groups, rows = np.array_split(np.argsort(difficulty, kind="stable"), min(count, len(difficulty))), []
    for agent, values in zip(responses.frame.index, responses.values, strict=True):
        for group in groups:
            seen = values[group][~np.isnan(values[group])]
            if len(seen):
                limits = mean_interval(seen, level)
                rows.append((agent, difficulty[group].mean(), seen.mean(), *limits, len(seen)))
    return pd.DataFrame(rows, columns=["agent", "complexity", "mean", "low", "high", "items"])
