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
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation import parallel
from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.journals import continued
from gindex_lab.foundation.likes import AgentLike
from gindex_lab.foundation.many_tests import half_width, holm
from gindex_lab.foundation.validate import FloatArray, choice, integer, number
from gindex_lab.worlds.aiq.agents import Agent
from gindex_lab.worlds.aiq.agents import agent as agent_of
from gindex_lab.worlds.aiq.episodes import run
from gindex_lab.worlds.aiq.estimate import trial_of
from gindex_lab.worlds.aiq.logs import LogFile
from gindex_lab.worlds.aiq.rewriting import REWRITINGS, rewriter
from gindex_lab.worlds.aiq.sampler import CHUNK, generate, sample

__all__ = [
    *("compare", "differences", "named_agents", "null_experiment", "ratio_differences", "rewriting_effect"),
    *("rewriting_values", "values_on"),
]

NULL_FORMAT = "gindex_lab AIQ null experiment 1"
_PAPER = ("original", "sep-orig", "sep-ext")


def compare(
    agents: Mapping[str, AgentLike] | Sequence[AgentLike],
    sample: pd.DataFrame,
    *,
    episode: int | None = None,
    runs: int = 4_000,
    discount: float = 1.0,
    ci: float = 0.95,
    jobs: int | None = 1,
    seed: int = 1,
) -> pd.DataFrame:
    """Every pair of agents on the same programs, by a paired t-test over programs.

    Parameters
    ----------
    agents : at least two, as a list, or by name
    sample : programs from `sample`
    episode, discount, jobs, seed : as for `estimate`
    runs : two per program; the first `runs` / 2 programs of the sample are used
    ci : confidence of the intervals

    Returns
    -------
    DataFrame indexed by (`first`, `second`): `difference` (first minus second), `low`, `high`, `t`, `p`,
    `programs`, and `p_holm`, adjusted for the number of pairs.

    References
    ----------
    Vadinský (2018), sections 3.1 and 3.2, which tests over settings instead.

    Examples
    --------
    >>> programs = pd.DataFrame({"program": [",.#", ".,#", ",+.#"] * 40, "stratum": [1, 2, 5] * 40})
    >>> table = compare(["freq", "random"], programs, episode=200, runs=100)
    >>> bool(table.loc[("freq", "random"), "low"] > 40)
    True
    """
    table = values_on(agents, sample, episode=episode, runs=runs, seed=seed, discount=discount, jobs=jobs)
    return differences(table, ci)


def values_on(
    agents: Mapping[str, AgentLike] | Sequence[AgentLike],
    sample: pd.DataFrame,
    *,
    episode: int | None = None,
    runs: int = 4_000,
    discount: float = 1.0,
    jobs: int | None = 1,
    seed: int = 1,
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
    from scipy.stats import t as student

    complete, n = values.dropna(), len(values.dropna())
    problem = "[too-few] needs two agents and three programs"
    ensure(n > 2 and values.shape[1] > 1, "values", values.shape, problem, "test more of them")
    pairs, rows = list(combinations(complete.columns, 2)), []
    for first, second in pairs:
        apart = (complete[first] - complete[second]).to_numpy()
        mean, error = float(apart.mean()), float(apart.std(ddof=1) / np.sqrt(n))
        t = mean / error if error > 0 else np.inf * np.sign(mean) if mean else 0.0
        p = float(2 * student.sf(abs(t), n - 1))
        rows.append(_interval(mean, error, n, ci) | {"t": t, "p": p, "programs": n})
    table = pd.DataFrame(rows, index=pd.MultiIndex.from_tuples(pairs, names=["first", "second"]))
    return table.assign(p_holm=holm(table["p"].to_numpy()))


def _interval(difference: float, error: float, n: int, ci: float) -> dict[str, float]:
    """Student's t interval of a difference, from its standard error over n programs."""
    half = float(half_width(error, number("ci", ci, 0, 1, open_ends=True), n - 1))
    return {"difference": difference, "low": difference - half, "high": difference + half}


def named_agents(agents: Mapping[str, AgentLike] | Sequence[AgentLike]) -> dict[str, Any]:
    """Agents under the names by which tables call them: their own, or those of the mapping."""
    if isinstance(agents, Mapping):
        return dict(agents)
    if isinstance(agents, str) or len(agents) < 2:
        raise BadInput("agents", agents, "[too-few] are fewer than two", 'use ["freq", "hlq"]')
    named = {who if isinstance(who, str) else repr(agent_of(who)): who for who in agents}
    problem = "[duplicate] contains the same agent twice"
    ensure(len(named) == len(agents), "agents", list(named), problem, "pass a dict of names")
    return named


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
    """How an agent's AIQ changes when the same raw programs are rewritten in another way.

    See `rewriting_values` for the programs, `ratio_differences` for the interval.

    Parameters
    ----------
    agent, episode, jobs, seed : as for `estimate`
    n : how many raw programs
    rewritings : at least two, as `sample` takes them
    ci : confidence of the intervals

    Returns
    -------
    DataFrame indexed by (`first`, `second`): `difference` (second minus first), `low`, `high`,
    `standard_error`, the AIQ under each (`first_value`, `second_value`), `programs`, and the share of them
    whose text `changed`.

    References
    ----------
    Vadinský (2018), section 3.1.

    Examples
    --------
    >>> table = rewriting_effect("freq", 300, ["original", "sep-ext"], episode=100)
    >>> row = table.loc[("original", "sep-ext")]
    >>> bool(row["low"] < 0 < row["high"]), bool(row["changed"] > 0.5)
    (True, True)
    """
    texts, values = rewriting_values(agent, n, rewritings, episode=episode, jobs=jobs, seed=seed)
    table = ratio_differences(values, ci)
    return table.assign(changed=[float((texts[a] != texts[b]).mean()) for a, b in table.index])


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
    """
    from gindex_lab.worlds.aiq.strata import probe

    names = [choice("rewritings", name, REWRITINGS) for name in rewritings]
    problem, remedy = "[same-rewriting] must name two different rewritings", 'use ["original", "sep-ext"]'
    two = not isinstance(rewritings, str) and len(names) == len(set(names)) > 1
    ensure(two, "rewritings", rewritings, problem, remedy)
    who, wanted, seed = agent_of(agent), integer("n", n, 3), integer("seed", seed, 0)
    trial = trial_of(pd.DataFrame(), episode, 1.0, seed)
    first, size = 0, min(CHUNK, 8 * wanted + 200)
    parts: list[tuple[pd.DataFrame, pd.DataFrame]] = []
    while sum(len(texts) for texts, _ in parts) < wanted:
        raw, numbers = generate(size, first=first, active=True, seed=seed)
        first += size
        forms = pd.DataFrame({name: list(map(rewriter(name), raw)) for name in names}, numbers)
        strata = {name: probe(forms[name].tolist(), numbers, trial.machine, seed) for name in names}
        kept = pd.DataFrame(strata, numbers) > 0
        any_form = kept.any(axis=1)
        parts.append((forms[any_form], kept[any_form]))
    tables = (pd.concat(part).iloc[:wanted].rename_axis("raw") for part in zip(*parts, strict=True))
    texts, accepted = tables
    # a text that several rewritings share is run once
    distinct = list(dict.fromkeys(pair for name in names for pair in texts[name].items()))
    rows = np.array([number for number, _ in distinct], dtype=np.int64)
    pairs = run(who, [text for _, text in distinct], rows, trial, jobs=jobs).values[:, :, -1]
    known = dict(zip(distinct, pairs.mean(axis=1), strict=True))
    columns = {name: [known[pair] for pair in texts[name].items()] for name in names}
    return texts, pd.DataFrame(columns, texts.index).where(accepted)


def ratio_differences(values: pd.DataFrame, ci: float = 0.95) -> pd.DataFrame:
    """Differences between the means of columns of which each may lack other rows (NaN).

    The mean of a column is a ratio, Σ a_i v_i / Σ a_i with a_i = 1 where there is a value. To first order
    the difference of two is the mean of a_i (v_i - m) / ā - b_i (w_i - l) / b̄ over all rows, which gives
    its standard error with rows (programs) as the sampling unit (Cochran 1977, section 6.3). With no value
    missing it is the paired t-interval.
    """
    n, enough = len(values), values.shape[1] > 1 and (values.notna().sum() > 1).all()
    problem = "[too-few] needs two columns of two programs each"
    ensure(n > 2 and enough, "values", values.shape, problem, "test more of them")
    influence = (values - values.mean()).fillna(0.0) / values.notna().astype(float).mean()
    pairs, rows = list(combinations(values.columns, 2)), []
    for a, b in pairs:
        first, second = float(values[a].mean()), float(values[b].mean())
        apart: FloatArray = influence[b].to_numpy() - influence[a].to_numpy()
        error = float(apart.std(ddof=1) / np.sqrt(n))
        row = _interval(second - first, error, n, ci) | {"standard_error": error}
        rows.append(row | {"first_value": first, "second_value": second, "programs": n})
    return pd.DataFrame(rows, index=pd.MultiIndex.from_tuples(pairs, names=["first", "second"]))


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

    Parameters
    ----------
    agents : the settings that are compared, as for `compare`
    replications : how often
    episode : interactions per run
    runs : two per program: all agents meet two independent samples of `runs` / 2 programs
    rewriting, discriminative : of the samples (see `sample`)
    log : a file that keeps finished replications, which are not computed again
    jobs, progress : processes, and the name of a progress bar
    seed : of samples and runs

    Returns
    -------
    DataFrame with a row per replication: `difference` (mean over agents, second sample minus first), `t` and
    `p` of the paired t-test with the agents' settings as replicates, and `p_programs` of Welch's test with
    programs as replicates, which is valid.

    References
    ----------
    Vadinský (2018), section 3 (t-tests with df = 24).

    Examples
    --------
    >>> table = null_experiment(["freq", "hlq", "q0"], 2, episode=30, runs=200)
    >>> list(table.columns), len(table)
    (['difference', 't', 'p', 'p_programs'], 2)
    """
    named = {name: agent_of(who) for name, who in named_agents(agents).items()}
    count = integer("replications", replications, 1)
    recipe = {"episode": integer("episode", episode, 1), "runs": integer("runs", runs, 8)}
    kind = {"rewriting": rewriting, "discriminative": discriminative}
    who = [[name, repr(one)] for name, one in named.items()]
    header = {"agents": who, **recipe, **kind, "seed": integer("seed", seed, 0)}
    journal = None if log is None else LogFile(log, {"format": NULL_FORMAT, **header})
    shared = (named, recipe, kind, seed)
    rows = continued(journal, _replicate, range(count), shared=shared, jobs=jobs, progress=progress)
    return pd.DataFrame(rows, index=pd.RangeIndex(count, name="replication"))


def _replicate(
    named: Mapping[str, Agent], recipe: dict[str, int], kind: dict[str, str], seed: int, number: int
) -> dict[str, Any]:
    from scipy.stats import ttest_ind, ttest_rel

    tables = []
    for stream in parallel.seeds(seed, 2 * number + 2)[-2:]:
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
