"""An agent's AIQ: the mean reward it earns on random programs, with an interval that can be trusted.

Υ(π) = Σ 2^-l(p) V(π, p) over programs p (Vadinský 2018, Eq. 2), estimated on a sample that was drawn with
those probabilities: by stages that go where the programs differ most (`method="adaptive"`), or by plain
Monte Carlo. Each program is run twice, with the rewards and with their negatives, so that an agent that
does not learn scores 0. Beside the interval stands the published one, which is too small by √2.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import AgentLike
from gindex_lab.foundation.many_tests import half_width
from gindex_lab.foundation.parallel import progress_bar
from gindex_lab.foundation.validate import FloatArray, IntArray, Mode, choice, integer, mode_of, number
from gindex_lab.worlds.aiq import stratified
from gindex_lab.worlds.aiq.agents import agent as agent_of
from gindex_lab.worlds.aiq.episodes import Trial, run
from gindex_lab.worlds.aiq.logs import Log
from gindex_lab.worlds.aiq.program import MachineSettings

__all__ = ["Estimate", "by_program_length", "default_episode", "estimate", "trial_of"]

_SAMPLE = "use gl.aiq.sample(n)"


@dataclass(frozen=True)
class Estimate:
    """The AIQ of one agent.

    `value`, `low`, `high`, `standard_error`, `reference_half_interval` are those of the longest episode;
    `by_episode` holds them for each length, `by_length` the mean reward for each length of program, `strata`
    what each stratum gave, and `programs` every program that was tested. (Vadinský 2018, Eq 2; Legg and
    Veness 2013, section 5.)
    """

    agent: str
    by_episode: pd.DataFrame
    programs: pd.DataFrame
    strata: pd.DataFrame
    failures: tuple[str, ...] = ()  # programs that met the step limit, and were replaced
    exhausted: tuple[int, ...] = ()  # strata that ran out of programs
    diverged: int = 0  # programs in which the values of a Q-learner went beyond their bound
    confidence: float = 0.95
    settings: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def value(self) -> float:
        """The AIQ, from -100 to 100."""
        return float(self.by_episode["value"].iloc[-1])

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return float(self.by_episode["low"].iloc[-1])

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return float(self.by_episode["high"].iloc[-1])

    @property
    def standard_error(self) -> float:
        """Of the value, with programs as the sampling unit."""
        return float(self.by_episode["standard_error"].iloc[-1])

    @property
    def reference_half_interval(self) -> float:
        """Half of the interval as the authors compute it."""
        return float(self.by_episode["reference_half_interval"].iloc[-1])

    @property
    def pairs(self) -> int:
        """Programs tested, each with both signs."""
        return len(self.programs)

    @cached_property
    def by_length(self) -> pd.DataFrame:
        """Mean reward by program length: see `by_program_length`."""
        return by_program_length(self)

    def __repr__(self) -> str:
        return (
            f"<AIQ of {self.agent}: {self.value:.1f} [{self.low:.1f}, {self.high:.1f}], "
            f"{self.pairs:,} programs, {len(self.failures)} replaced>"
        )


def estimate(
    agent: AgentLike,
    sample: pd.DataFrame,
    *,
    episode: int | Sequence[int] | None = None,
    runs: int = 10_000,
    discount: float = 1.0,
    method: str = "adaptive",
    mode: Mode = "exact",
    ci: float = 0.95,
    reverse: bool = False,
    log: str | os.PathLike[str] | None = None,
    jobs: int | None = 1,
    progress: bool = False,
    seed: int = 1,
) -> Estimate:
    """Test an agent on a sample of programs.

    Parameters
    ----------
    agent : a name ("random", "freq", "q-learning", "hlq", ...), an agent, or a class of your own with
        `perceive(observation, reward) -> action` (see `agent`)
    sample : programs and strata from `sample`
    episode : interactions per run, or a list of lengths, which one run serves; by default as many as cover
        95% of the discounted total
    runs : runs as the authors count them: a program takes two
    discount : weight of each reward relative to the one before
    method : "adaptive" stages over strata, or "plain" Monte Carlo
    mode : "reference" chooses programs by the authors' rule, which may neglect a stratum whose first programs
        happen to agree, and divides discounted rewards as they do (one term too many)
    ci : confidence of the interval
    reverse : whether programs write the reward after the observations
    log : a file that keeps the results; programs found there are not run again
    jobs : processes
    progress : whether to show a bar on a terminal
    seed : of agent and machine; the same for every agent

    Returns
    -------
    An `Estimate`.

    References
    ----------
    Legg and Veness (2013), section 5; Vadinský (2018), section 3.

    Examples
    --------
    >>> programs = pd.DataFrame({"program": [",.#", ".,#"] * 50, "stratum": [1, 2] * 50})
    >>> estimate("constant", programs, episode=100, runs=60).value
    0.0
    >>> estimate("freq", programs, episode=[100, 1000], runs=60).value > 50
    True
    """
    who = agent_of(agent)
    _check_sample(sample)
    reference = mode_of(mode) == "reference"
    trial = trial_of(sample, episode, discount, seed, reverse, reference)
    choice("method", method, ["adaptive", "plain"])
    confidence = number("ci", ci, 0, 1, open_ends=True)
    # The authors' stages never ask for more runs than there are programs; plain Monte Carlo can use all.
    wanted = min(integer("runs", runs, 4), len(sample) * (2 if method == "plain" else 1))
    programs, stratum = sample["program"].to_numpy(), _strata_of(sample, method)

    def run_rows(rows: IntArray) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
        pairs = run(who, programs[rows].tolist(), rows, trial, jobs=jobs)
        return pairs.values, np.asarray(pairs.diverged.any(axis=1))

    runner = run_rows if log is None else Log(log, who, sample, trial).remembered(run_rows)
    diverged = 0

    def test(rows: IntArray) -> FloatArray:
        nonlocal diverged
        values, wild = runner(rows)
        diverged += int(wild.sum())
        return values

    silent = not (progress and sys.stderr.isatty())
    with progress_bar(total=wanted, desc=repr(who), unit="run", leave=False, disable=silent) as bar:
        if method == "plain":
            tested = stratified.plain(test, stratum, wanted)
        else:
            caution = 0.0 if reference else stratified.CAUTION
            reach = lambda runs: bar.update(runs - bar.n)
            tested = stratified.adaptive(test, stratum, wanted, caution, reach)
    problem = "[too-few] has fewer than two programs that end in time"
    ensure(len(tested.rows) >= 2, "sample", len(sample), problem, "use a larger sample")
    own, machine = stratum[tested.rows], trial.machine
    strata = stratified.summarise(own, tested.values, np.bincount(stratum) / len(stratum))
    plus, minus = tested.values[:, 0, -1], tested.values[:, 1, -1]
    columns = {"program": programs[tested.rows], "stratum": sample["stratum"].to_numpy()[tested.rows]}
    columns |= {"plus": plus, "minus": minus, "weight": strata.probability[own] / strata.pairs[own]}
    return Estimate(
        repr(who),
        stratified.episode_table(strata, trial.lengths, len(stratum), confidence),
        pd.DataFrame(columns, index=pd.Index(tested.rows, name="row")),
        stratified.strata_table(strata),
        tuple(programs[tested.failed]),
        tested.exhausted,
        diverged,
        confidence,
        {
            "episode": trial.lengths,
            "discount": trial.discount,
            "seed": trial.seed,
            "symbols": machine.symbols,
            "observations": machine.observations,
            "reverse": bool(machine.reverse),
        },
    )


def trial_of(
    sample: pd.DataFrame,
    episode: int | Sequence[int] | None,
    discount: float,
    seed: int,
    reverse: bool = False,
    reference: bool = False,
) -> Trial:
    """The checked settings of a test, on the machine that the sample was made for."""
    factor = number("discount", discount, 0, 1)
    ensure(factor, "discount", discount, "[no-later-reward] counts only the first reward", "use 0.9 to 1")
    given = default_episode(factor) if episode is None else episode
    listed = [given] if np.isscalar(given) else list(given)  # type: ignore[arg-type]
    lengths = sorted({integer("episode", length, 1) for length in listed})
    ensure(lengths, "episode", episode, "[empty] is empty", "use for instance [1000, 3000]")
    machine = MachineSettings(sample.attrs.get("symbols", 5), sample.attrs.get("observations", 1), reverse)
    return Trial(tuple(lengths), factor, machine, integer("seed", seed, 0), reference)


def default_episode(discount: float) -> int:
    """The shortest episode that covers 95% of the discounted total."""
    problem = "[no-episode] must be given when nothing is discounted"
    ensure(discount < 1, "episode", None, problem, "use for instance 1000")
    return math.ceil(math.log(0.05) / math.log(discount))


def _check_sample(sample: object) -> None:
    if not isinstance(sample, pd.DataFrame):
        raise BadInput("sample", type(sample).__name__, "[not-a-table] is not a table", _SAMPLE)
    for name in ("program", "stratum"):
        problem = f"[no-column] has no column {name!r}"
        ensure(name in sample.columns, "sample", list(sample.columns), problem, _SAMPLE)
    ensure(len(sample), "sample", sample.shape, "[no-programs] has no programs", _SAMPLE)


def _strata_of(sample: pd.DataFrame, method: str) -> IntArray:
    """Strata 0 to 20; plain Monte Carlo makes no difference between them."""
    if method == "plain":
        return np.zeros(len(sample), dtype=np.int64)
    numbers = pd.to_numeric(sample["stratum"], errors="coerce").to_numpy(dtype=float)
    wrong = ~np.isin(numbers, np.arange(21))
    if wrong.any():
        first, problem = sample["stratum"][wrong].iloc[0], "[not-a-stratum] is not a stratum from 0 to 20"
        raise BadInput("sample.stratum", first, problem, 'drop such programs, or use method="plain"')
    return numbers.astype(np.int64)


def by_program_length(result: Estimate, bucket: int = 1) -> pd.DataFrame:
    """Mean reward for each length of program, with intervals.

    A program counts with the probability that it stands for, so that strata which were tested more do not
    count more; `reference_mean` and `reference_half_interval` pool all runs, as the authors do.

    Parameters
    ----------
    result : from `estimate` or `estimate_from_log`
    bucket : lengths that share a row: 1..b, b+1..2b, ...

    Returns
    -------
    DataFrame indexed by length: `pairs`, `mean`, `low`, `high`, `reference_mean`, `reference_half_interval`.

    References
    ----------
    Vadinský (2018), Eq 2; Legg and Veness (2013), section 5.
    """
    width, programs = integer("bucket", bucket, 1), result.programs
    problem, remedy = "[unnamed-programs] does not name its programs", "log them with --log_agent_failures"
    ensure(programs["program"].notna().all(), "result", result.agent, problem, remedy)
    length = -(-programs["program"].str.len() // width) * width
    value, weight = (programs["plus"] + programs["minus"]) / 2, programs["weight"]

    def sums(numbers: pd.Series[float]) -> pd.Series[float]:
        return numbers.groupby(length).sum()

    n, total = value.groupby(length).size(), sums(weight)
    mean = sums(weight * value) / total
    more = n.where(n > 1) - 1
    error = np.sqrt(sums((weight * (value - length.map(mean))) ** 2) * n / more) / total
    half = half_width(error, result.confidence, more)
    pooled = value.groupby(length).mean()
    square = ((programs["plus"] ** 2 + programs["minus"] ** 2) / 2).groupby(length).mean()
    spread = np.sqrt((square - pooled**2).clip(lower=0) * 2 * n / (2 * n - 1))
    columns = {"pairs": n, "mean": mean, "low": mean - half, "high": mean + half, "reference_mean": pooled}
    columns["reference_half_interval"] = 1.96 * spread / np.sqrt(2 * n)
    return pd.DataFrame(columns).rename_axis("length")
