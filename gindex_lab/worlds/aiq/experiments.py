"""Agents compared on the same programs, and two experiments on the AIQ test itself.

Two agents that meet the same programs share most of their chance: the difference on each program varies
less than either value, and `compare` tests these differences over programs. The paper pairs agents'
*settings* instead, 25 of them on one sample of programs (Vadinský 2018, sections 3.1 and 3.2); all of them
met the same two samples, so that their differences are not independent. `null_experiment` shows what that
test finds where nothing differs. `rewriting_effect` rewrites the *same* raw programs in several ways and
tests an agent on all of them with the same random numbers, so that only the rewriting differs (section 3.1
compares samples drawn independently of each other).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation import parallel
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.journals import continued
from gindex_lab.foundation.likes import AgentLike
from gindex_lab.foundation.many_tests import half_width, holm
from gindex_lab.foundation.validate import FloatArray, choice, integer, number
from gindex_lab.worlds.aiq.agents import Agent, describe
from gindex_lab.worlds.aiq.agents import agent as agent_of
from gindex_lab.worlds.aiq.episodes import Trial, run
from gindex_lab.worlds.aiq.estimate import trial_of
from gindex_lab.worlds.aiq.logs import LogFile
from gindex_lab.worlds.aiq.program import MachineSettings
from gindex_lab.worlds.aiq.rewriting import REWRITINGS, rewriter
from gindex_lab.worlds.aiq.sampler import generate, sample

__all__ = [
    "compare",
    "differences",
    "named_agents",
    "null_experiment",
    "ratio_differences",
    "rewriting_effect",
    "rewriting_values",
    "values_on",
]


def compare(
    agents: Mapping[str, AgentLike] | Sequence[AgentLike],
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

    Reference: Vadinský (2018), sections 3.1 and 3.2.

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
    agents: Mapping[str, AgentLike] | Sequence[AgentLike],
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
        problem = "[too-few] needs two agents and three programs"
        raise BadInput("values", values.shape, problem, "test more of them")
    pairs = list(combinations(complete.columns, 2))
    rows = [_difference((complete[a] - complete[b]).to_numpy(), confidence) for a, b in pairs]
    table = pd.DataFrame(rows, index=pd.MultiIndex.from_tuples(pairs, names=["first", "second"]))
    table["p_holm"] = holm(table["p"].to_numpy())
    return table


def _difference(difference: FloatArray, confidence: float) -> dict[str, float]:
    from scipy.stats import t as student

    n, mean = len(difference), float(difference.mean())
    error = float(difference.std(ddof=1) / np.sqrt(n))
    half = float(half_width(error, confidence, n - 1))
    t = mean / error if error > 0 else np.inf * np.sign(mean) if mean else 0.0
    return {
        "difference": mean,
        "low": mean - half,
        "high": mean + half,
        "t": t,
        "p": float(2 * student.sf(abs(t), n - 1)),
        "programs": n,
    }


def named_agents(agents: Mapping[str, AgentLike] | Sequence[AgentLike]) -> dict[str, object]:
    """Agents under the names by which tables call them: their own, or those of the mapping.

    >>> list(named_agents(["freq", "hlq"]))
    ['freq', 'hlq']
    """
    if isinstance(agents, Mapping):
        return dict(agents)
    if isinstance(agents, str) or len(agents) < 2:
        raise BadInput("agents", agents, "[too-few] are fewer than two", 'use ["freq", "hlq"]')
    names = [who if isinstance(who, str) else describe(agent_of(who)) for who in agents]
    if len(set(names)) < len(names):
        raise BadInput(
            "agents", names, "[duplicate] contains the same agent twice", "pass a dict of names"
        )
    return dict(zip(names, agents, strict=True))


_CHUNK = 20_000  # raw programs at a time
NULL_FORMAT = "gindex_lab AIQ null experiment 1"
_PAPER = ("original", "sep-orig", "sep-ext")


def rewriting_effect(
    agent: AgentLike,
    n: int,
    rewritings: Sequence[str] = _PAPER,
    *,
    episode: int = 1_000,
    ci: float = 0.95,
    jobs: int | None = 1,
    seed: int = 1,
) -> pd.DataFrame:
    """How an agent's AIQ changes when the same `n` raw programs are rewritten in another way.

    One row per pair of rewritings: `difference` (second minus first), `low`, `high`, `standard_error`, the
    AIQ under the `first_value` and `second_value`, the share of programs whose text `changed`, and how
    many `programs` there were. See `rewriting_values` for the programs, `ratio_differences` for the
    interval.

    >>> table = rewriting_effect("freq", 300, ["original", "sep-ext"], episode=100)
    >>> row = table.loc[("original", "sep-ext")]
    >>> bool(row["low"] < 0 < row["high"]), bool(row["changed"] > 0.5)
    (True, True)

    References: Vadinský (2018), section 3.1.
    """
    names = _pair_of_rewritings(rewritings)
    texts, values = rewriting_values(agent, n, names, episode=episode, jobs=jobs, seed=seed)
    table = ratio_differences(values, ci)
    table["changed"] = [float((texts[a] != texts[b]).mean()) for a, b in table.index]
    return table


def rewriting_values(
    agent: AgentLike,
    n: int,
    rewritings: Sequence[str] = _PAPER,
    *,
    episode: int = 1_000,
    jobs: int | None = 1,
    seed: int = 1,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Texts and values (raw programs x rewritings) of the first `n` raw programs that any form accepts.

    Each raw program has the same random streams in all its forms: a text that is not changed has the same
    value. NaN where the sampler drops a form (passive or overtime) or its episode meets the step limit.

    >>> texts, values = rewriting_values("freq", 50, ["original", "sep-ext"], episode=50)
    >>> same = texts["original"] == texts["sep-ext"]
    >>> bool((values["original"] == values["sep-ext"])[same & values["original"].notna()].all())
    True
    """
    names, who = _pair_of_rewritings(rewritings), agent_of(agent)
    wanted, seed = integer("n", n, 3), integer("seed", seed, 0)
    trial = trial_of(pd.DataFrame(), episode, 1.0, seed)
    parts: list[pd.DataFrame] = []
    kept: list[pd.DataFrame] = []
    for texts, accepted in _same_raw_programs(names, seed, trial.machine):
        parts.append(texts)
        kept.append(accepted)
        if sum(map(len, parts)) >= wanted:
            break
    texts, accepted = (pd.concat(tables).iloc[:wanted] for tables in (parts, kept))
    return texts, _values(who, texts, trial, jobs).where(accepted)


def _pair_of_rewritings(rewritings: Sequence[str]) -> list[str]:
    names = [choice("rewritings", name, REWRITINGS) for name in rewritings]
    if isinstance(rewritings, str) or len(names) < 2 or len(set(names)) < len(names):
        problem = "[same-rewriting] must name two different rewritings"
        raise BadInput("rewritings", rewritings, problem, 'use ["original", "sep-ext"]')
    return names


def _same_raw_programs(
    names: Sequence[str], seed: int, settings: MachineSettings
) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """Texts of raw programs in every form, and whether the sampler accepts the form."""
    from gindex_lab.worlds.aiq.strata import probe

    first = 0
    while True:
        raw, numbers = generate(_CHUNK, seed, first, active=True)
        first += _CHUNK
        texts = {name: [rewriter(name)(program) for program in raw] for name in names}
        found = {name: probe(forms, numbers, settings, seed) for name, forms in texts.items()}
        accepted = pd.DataFrame(found, index=pd.Index(numbers, name="raw")) > 0
        any_form = accepted.any(axis=1)
        yield pd.DataFrame(texts, index=accepted.index)[any_form], accepted[any_form]


def _values(who: Agent, texts: pd.DataFrame, trial: Trial, jobs: int | None) -> pd.DataFrame:
    """The value of each form; a text that several rewritings share is run once."""
    long = texts.stack().rename_axis(["raw", "rewriting"])
    distinct = long[~long.reset_index().duplicated(["raw", 0]).to_numpy()]
    rows = distinct.index.get_level_values("raw").to_numpy(dtype=np.int64)
    pairs = run(who, distinct.tolist(), rows, trial, jobs=jobs).values[:, :, -1].mean(axis=1)
    known = dict(zip(zip(rows.tolist(), distinct, strict=True), pairs, strict=True))
    columns = {
        name: [known[key] for key in zip(texts.index.tolist(), texts[name], strict=True)]
        for name in texts
    }
    return pd.DataFrame(columns, index=texts.index)


def ratio_differences(values: pd.DataFrame, ci: float = 0.95) -> pd.DataFrame:
    """Differences between the means of columns of which each may lack other rows (NaN).

    The mean of a column is a ratio, Σ a_i v_i / Σ a_i with a_i = 1 where there is a value. To first order
    the difference of two is the mean of a_i (v_i - m) / ā - b_i (w_i - l) / b̄ over all rows, which gives
    its standard error with rows (programs) as the sampling unit (Cochran 1977, section 6.3). With no value
    missing it is the paired t-interval.

    >>> table = pd.DataFrame({"a": [1.0, 2.0, 3.0, np.nan], "b": [2.0, 3.0, 4.0, 3.0]})
    >>> ratio_differences(table).loc[("a", "b"), "difference"]
    np.float64(1.0)
    """
    confidence = number("ci", ci, 0, 1, open_ends=True)
    if len(values) < 3 or values.shape[1] < 2 or (values.notna().sum() < 2).any():
        problem = "[too-few] needs two columns of two programs each"
        raise BadInput("values", values.shape, problem, "test more of them")
    pairs = list(combinations(values.columns, 2))
    rows = [_ratio_difference(values[a], values[b], confidence) for a, b in pairs]
    return pd.DataFrame(rows, index=pd.MultiIndex.from_tuples(pairs, names=["first", "second"]))


def _influence(values: pd.Series[float]) -> FloatArray:
    present = values.notna().to_numpy(dtype=float)
    result: FloatArray = (values - values.mean()).fillna(0.0).to_numpy() / present.mean()
    return result


def _ratio_difference(
    first: pd.Series[float], second: pd.Series[float], confidence: float
) -> dict[str, float]:
    n = len(first)
    error = float((_influence(second) - _influence(first)).std(ddof=1) / np.sqrt(n))
    half = float(half_width(error, confidence, n - 1))
    difference = float(second.mean() - first.mean())
    return {
        "difference": difference,
        "low": difference - half,
        "high": difference + half,
        "standard_error": error,
        "first_value": float(first.mean()),
        "second_value": float(second.mean()),
        "programs": n,
    }


def null_experiment(
    agents: Mapping[str, AgentLike] | Sequence[AgentLike],
    replications: int = 8,
    *,
    episode: int = 1_000,
    runs: int = 4_000,
    rewriting: str = "sep-ext",
    discriminative: str = "none",
    log: str | os.PathLike[str] | None = None,
    jobs: int | None = 1,
    progress: str | None = None,
    seed: int = 1,
) -> pd.DataFrame:
    """Two samples of one law, compared as the paper does: nothing differs, so p should be uniform.

    In each replication all `agents` meet two independent samples of `runs` / 2 programs. One row each:
    `difference` (mean over agents, second sample minus first), `t` and `p` of the paired t-test with the
    agents' settings as replicates, and `p_programs` of Welch's test with programs as replicates, which is
    valid. With `log`, finished replications are kept in a file and not computed again.

    >>> table = null_experiment(["freq", "hlq", "q0"], 2, episode=30, runs=200)
    >>> list(table.columns), len(table)
    (['difference', 't', 'p', 'p_programs'], 2)

    References: Vadinský (2018), section 3 (t-tests with df = 24).
    """
    named = {name: agent_of(who) for name, who in named_agents(agents).items()}
    count = integer("replications", replications, 1)
    recipe = {"episode": integer("episode", episode, 1), "runs": integer("runs", runs, 8)}
    kind = {"rewriting": rewriting, "discriminative": discriminative}
    who = [[name, describe(one)] for name, one in named.items()]
    header = {"agents": who, **recipe, **kind, "seed": integer("seed", seed, 0)}
    journal = None if log is None else LogFile(log, {"format": NULL_FORMAT, **header})
    rows = continued(
        journal,
        _replicate,
        range(count),
        shared=(named, recipe, kind, seed),
        jobs=jobs,
        progress=progress,
    )
    return pd.DataFrame(rows, index=pd.RangeIndex(count, name="replication"))


def _replicate(
    named: Mapping[str, Agent], recipe: dict[str, int], kind: dict[str, str], seed: int, number: int
) -> dict[str, Any]:
    from scipy.stats import ttest_ind, ttest_rel

    tables = []
    for place in range(2):
        stream = parallel.seeds(seed, 2 * number + 2)[2 * number + place]
        own = int(stream.generate_state(1, np.uint32)[0])
        programs = sample(recipe["runs"] // 2, seed=own, **kind)  # type: ignore[arg-type]
        tables.append(values_on(named, programs, seed=own, **recipe).dropna())
    first, second = tables
    over_settings = ttest_rel(second.mean(), first.mean())
    over_programs = ttest_ind(second.mean(axis=1), first.mean(axis=1), equal_var=False)
    return {
        "difference": float(second.mean().mean() - first.mean().mean()),
        "t": float(over_settings.statistic),
        "p": float(over_settings.pvalue),
        "p_programs": float(over_programs.pvalue),
    }
