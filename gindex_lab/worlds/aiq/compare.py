"""Is one agent better than another? Both are run on the same programs, and programs are the unit.

Two agents that meet the same programs share most of their chance: the difference on each program varies
less than either value. The test is the t-test of these differences over programs. (The paper pairs
agents' *settings* instead, 25 of them on one sample of programs: df = 24 counts as independent what the
sample has in common, and is significant under a true null; Vadinský 2018, sections 3.1 and 3.2.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.many_tests import holm
from gindex_lab.foundation.validate import FloatArray, integer, number
from gindex_lab.worlds.aiq.agents import agent as agent_of
from gindex_lab.worlds.aiq.agents import describe
from gindex_lab.worlds.aiq.episodes import run
from gindex_lab.worlds.aiq.estimate import trial_of

__all__ = ["compare", "differences", "named_agents", "values_on"]


def compare(
    agents: Mapping[str, object] | Sequence[object],
    sample: pd.DataFrame,
    *,
    episode: int | None = None,
    runs: int = 4_000,
    seed: int = 1,
    discount: float = 1.0,
    ci: float = 0.95,
    jobs: int | None = 1,
) -> pd.DataFrame:
    """Every pair of agents on the same programs: difference, interval, t, p, and p after Holm.

    >>> programs = pd.DataFrame({"program": [",.#", ".,#", ",+.#"] * 40, "stratum": [1, 2, 5] * 40})
    >>> table = compare(["freq", "random"], programs, episode=200, runs=100)
    >>> bool(table.loc[("freq", "random"), "low"] > 40)
    True
    """
    table = values_on(
        agents, sample, episode=episode, runs=runs, seed=seed, discount=discount, jobs=jobs
    )
    return differences(table, ci)


def values_on(
    agents: Mapping[str, object] | Sequence[object],
    sample: pd.DataFrame,
    *,
    episode: int | None = None,
    runs: int = 4_000,
    seed: int = 1,
    discount: float = 1.0,
    jobs: int | None = 1,
) -> pd.DataFrame:
    """Programs x agents: the value of each agent on the first `runs` / 2 programs of the sample.

    A value is the mean of both signs, NaN where the program met the step limit. As a table of items and
    agents it can be analysed with everything else in gindex_lab.
    """
    named = named_agents(agents)
    trial = trial_of(sample, episode, discount, seed)
    count = min(integer("runs", runs, 4) // 2, len(sample))
    programs, rows = sample["program"].iloc[:count].tolist(), np.arange(count)
    columns = {
        name: run(agent_of(who), programs, rows, trial, jobs=jobs).values[:, :, -1].mean(axis=1)
        for name, who in named.items()
    }
    return pd.DataFrame(columns, index=pd.Index(rows, name="row"))


def differences(values: pd.DataFrame, ci: float = 0.95) -> pd.DataFrame:
    """Paired t-tests between the columns of a table of programs x agents.

    Programs without a value for any agent are left out for all, so that all pairs rest on the same ones.
    """
    confidence = number("ci", ci, 0, 1, open_ends=True)
    complete = values.dropna()
    if len(complete) < 3 or values.shape[1] < 2:
        raise BadInput(
            "values", values.shape, "needs two agents and three programs", "test more of them"
        )
    pairs = list(combinations(complete.columns, 2))
    rows = [_difference((complete[a] - complete[b]).to_numpy(), confidence) for a, b in pairs]
    table = pd.DataFrame(rows, index=pd.MultiIndex.from_tuples(pairs, names=["first", "second"]))
    table["p_holm"] = holm(table["p"].to_numpy())
    return table


def _difference(difference: FloatArray, confidence: float) -> dict[str, float]:
    from scipy.stats import t as student

    n, mean = len(difference), float(difference.mean())
    error = float(difference.std(ddof=1) / np.sqrt(n))
    half = error * float(student.ppf(0.5 + confidence / 2, n - 1))
    t = mean / error if error > 0 else np.inf * np.sign(mean) if mean else 0.0
    return {
        "difference": mean,
        "low": mean - half,
        "high": mean + half,
        "t": t,
        "p": float(2 * student.sf(abs(t), n - 1)),
        "programs": n,
    }


def named_agents(agents: Mapping[str, object] | Sequence[object]) -> dict[str, object]:
    """Agents under the names by which tables call them: their own, or those of the mapping.

    >>> list(named_agents(["freq", "hlq"]))
    ['freq', 'hlq']
    """
    if isinstance(agents, Mapping):
        return dict(agents)
    if isinstance(agents, str) or len(agents) < 2:
        raise BadInput("agents", agents, "are fewer than two", 'use ["freq", "hlq"]')
    names = [who if isinstance(who, str) else describe(agent_of(who)) for who in agents]
    if len(set(names)) < len(names):
        raise BadInput("agents", names, "name one agent twice", "pass a dict of names")
    return dict(zip(names, agents, strict=True))
