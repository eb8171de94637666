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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.foundation.bars import progress_bar
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import AgentLike
from gindex_lab.foundation.many_tests import half_width
from gindex_lab.foundation.validate import FloatArray, Mode, choice, integer, mode_of, number
from gindex_lab.worlds.aiq import stratified
from gindex_lab.worlds.aiq.agents import agent as agent_of
from gindex_lab.worlds.aiq.agents import describe
from gindex_lab.worlds.aiq.episodes import Pairs, Trial, run
from gindex_lab.worlds.aiq.logs import Log, Runner, header_of
from gindex_lab.worlds.aiq.program import MachineSettings
from gindex_lab.worlds.aiq.stratified import episode_table, program_table, strata_table

__all__ = [
    "Estimate",
    "by_program_length",
    "default_episode",
    "estimate",
    "trial_of",
]

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Estimate:
    """The AIQ of one agent.

    `value`, `low`, `high`, `standard_error`, `reference_half_interval` are those of the longest episode;
    `by_episode` holds them for each length, `by_length` the mean reward for each length of program,
    `strata` what each stratum gave, and `programs` every program that was tested.
    (Vadinský 2018, Eq 2; Legg and Veness 2013, section 5.)
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

    def _last(self, name: str) -> float:
        return float(self.by_episode[name].iloc[-1])

    @property
    def value(self) -> float:
        """The AIQ, from -100 to 100."""
        return self._last("value")

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self._last("low")

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self._last("high")

    @property
    def standard_error(self) -> float:
        """Of the value, with programs as the sampling unit."""
        return self._last("standard_error")

    @property
    def reference_half_interval(self) -> float:
        """Half of the interval as the authors compute it."""
        return self._last("reference_half_interval")

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
    seed: int = 1,
    discount: float = 1.0,
    method: str = "adaptive",
    mode: Mode = "exact",
    ci: float = 0.95,
    reverse: bool = False,
    log: str | os.PathLike[str] | None = None,
    jobs: int | None = 1,
    progress: bool = False,
) -> Estimate:
    """Test an agent on a sample of programs.

    `agent` is a name ("random", "freq", "q-learning", "hlq", ...), an agent of `aiq.agents`, or a class of
    your own with `perceive(observation, reward) -> action`. `episode` is a length or a list of lengths,
    which one run serves. `runs` counts runs as the authors do: a program takes two. With `log` the results
    are kept in a file, and programs found there are not run again. `mode="reference"` chooses programs by
    the authors' rule, which may neglect a stratum whose first programs happen to agree, and divides
    discounted rewards as they do (one term too many).

    >>> programs = pd.DataFrame({"program": [",.#", ".,#"] * 50, "stratum": [1, 2] * 50})
    >>> estimate("constant", programs, episode=100, runs=60).value
    0.0
    >>> estimate("freq", programs, episode=[100, 1000], runs=60).value > 50
    True

    References: Legg and Veness (2013), section 5; Vadinský (2018), section 3.
    """

    who, table = agent_of(agent), _checked_sample(sample)
    reference = mode_of(mode) == "reference"
    trial = trial_of(table, episode, discount, seed, reverse, reference)
    choice("method", method, ["adaptive", "plain"])
    confidence = number("ci", ci, 0, 1, open_ends=True)
    # The authors' stages never ask for more runs than there are programs; plain Monte Carlo can use all.
    wanted = min(integer("runs", runs, 4), len(table) * (2 if method == "plain" else 1))
    programs, stratum = table["program"].tolist(), _strata_of(table, method)

    def run_rows(rows: IntArray) -> Pairs:
        return run(who, [programs[row] for row in rows], rows, trial, jobs=jobs)

    runner = (
        run_rows if log is None else Log(log, header_of(who, table, trial)).remembered(run_rows)
    )
    silent = not (progress and sys.stderr.isatty())
    with progress_bar(
        total=wanted, desc=describe(who), unit="run", leave=False, disable=silent
    ) as bar:
        caution = 0.0 if reference else stratified.CAUTION
        reach = lambda runs: bar.update(runs - bar.n)
        tested, wild = _tested(runner, stratum, wanted, method, caution, reach)
    return _summary(describe(who), table, stratum, trial, tested, wild, confidence)


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
    if factor == 0:
        raise BadInput(
            "discount", discount, "[no-later-reward] counts only the first reward", "use 0.9 to 1"
        )
    lengths = default_episode(factor) if episode is None else episode
    machine = MachineSettings(
        sample.attrs.get("symbols", 5), sample.attrs.get("observations", 1), reverse
    )
    return Trial(_lengths(lengths), factor, machine, integer("seed", seed, 0), reference)


def default_episode(discount: float) -> int:
    """The shortest episode that covers 95% of the discounted total.

    >>> default_episode(0.9)
    29
    """
    if discount >= 1:
        problem = "[no-episode] must be given when nothing is discounted"
        raise BadInput("episode", None, problem, "use for instance 1000")
    return math.ceil(math.log(0.05) / math.log(discount))


def _lengths(episode: int | Sequence[int]) -> tuple[int, ...]:
    given = [episode] if np.isscalar(episode) else list(episode)  # type: ignore[arg-type]
    lengths = sorted({integer("episode", length, 1) for length in given})
    if not lengths:
        raise BadInput("episode", episode, "[empty] is empty", "use for instance [1000, 3000]")
    return tuple(lengths)


def _checked_sample(sample: object) -> pd.DataFrame:
    if not isinstance(sample, pd.DataFrame):
        raise BadInput(
            "sample", type(sample).__name__, "[not-a-table] is not a table", "use gl.aiq.sample(n)"
        )
    for name in ("program", "stratum"):
        if name not in sample.columns:
            problem = f"[no-column] has no column {name!r}"
            raise BadInput("sample", list(sample.columns), problem, "use gl.aiq.sample(n)")
    if sample.empty:
        raise BadInput(
            "sample", sample.shape, "[no-programs] has no programs", "use gl.aiq.sample(n)"
        )
    return sample


def _strata_of(sample: pd.DataFrame, method: str) -> IntArray:
    """Strata 0 to 20; plain Monte Carlo makes no difference between them."""
    if method == "plain":
        return np.zeros(len(sample), dtype=np.int64)
    numbers = pd.to_numeric(sample["stratum"], errors="coerce").to_numpy(dtype=float)
    wrong = ~np.isin(numbers, np.arange(21))
    if wrong.any():
        first = sample["stratum"][wrong].iloc[0]
        remedy = 'drop such programs, or use method="plain"'
        problem = "[not-a-stratum] is not a stratum from 0 to 20"
        raise BadInput("sample.stratum", first, problem, remedy)
    return numbers.astype(np.int64)


def _tested(
    runner: Runner,
    stratum: IntArray,
    runs: int,
    method: str,
    caution: float,
    report: Callable[[int], None],
) -> tuple[stratified.Results, int]:
    """The tested programs, and on how many of them the agent's values diverged."""
    wild: list[npt.NDArray[np.bool_]] = []

    def test(rows: IntArray) -> FloatArray:
        pairs = runner(rows)
        wild.append(np.asarray(pairs.diverged.any(axis=1)))
        return pairs.values

    if method == "plain":
        tested = stratified.plain(test, stratum, runs)
    else:
        tested = stratified.adaptive(test, stratum, runs, caution, report)
    if len(tested.rows) < 2:
        problem = "[too-few] has fewer than two programs that end in time"
        raise BadInput("sample", len(stratum), problem, "use a larger sample")
    return tested, int(np.concatenate(wild).sum())


def _summary(
    name: str,
    table: pd.DataFrame,
    stratum: IntArray,
    trial: Trial,
    tested: stratified.Results,
    wild: int,
    confidence: float,
) -> Estimate:
    probability = np.bincount(stratum) / len(stratum)
    strata = stratified.summarise(stratum[tested.rows], tested.values, probability)
    return Estimate(
        name,
        episode_table(strata, trial.lengths, len(stratum), confidence),
        program_table(table, stratum, strata, tested),
        strata_table(strata),
        tuple(table["program"].iloc[tested.failed]),
        tested.exhausted,
        wild,
        confidence,
        {
            "episode": trial.lengths,
            "discount": trial.discount,
            "seed": trial.seed,
            "symbols": trial.machine.symbols,
            "observations": trial.machine.observations,
            "reverse": bool(trial.machine.reverse),
        },
    )


def by_program_length(result: Estimate, bucket: int = 1) -> pd.DataFrame:
    """Mean reward for each length of program (or `bucket` of lengths 1..b, b+1..2b, ...), with intervals.

    A program counts with the probability that it stands for, so that strata which were tested more do not
    count more; `reference_mean` and `reference_half_interval` pool all runs, as the authors do.
    (Vadinský 2018, Eq 2; Legg and Veness 2013, section 5.)
    """

    width = integer("bucket", bucket, 1)
    programs = result.programs
    if programs["program"].isna().any():
        problem = "[unnamed-programs] does not name its programs"
        raise BadInput("result", result.agent, problem, "log them with --log_agent_failures")
    value = (programs["plus"] + programs["minus"]) / 2
    length = programs["program"].str.len()
    frame = pd.DataFrame(
        {
            "length": (length + width - 1) // width * width,
            "value": value,
            "square": (programs["plus"] ** 2 + programs["minus"] ** 2) / 2,
            "weight": programs["weight"],
        }
    )
    frame["weighted"] = frame["weight"] * frame["value"]
    groups = frame.groupby("length")
    n, total = groups.size(), groups["weight"].sum()
    mean = groups["weighted"].sum() / total
    part = (frame["weight"] * (frame["value"] - frame["length"].map(mean))) ** 2
    with_spread = n.where(n > 1)
    error = np.sqrt(part.groupby(frame["length"]).sum() * n / (with_spread - 1)) / total
    half = half_width(error, result.confidence, with_spread - 1)
    pooled = groups["value"].mean()
    spread = np.sqrt((groups["square"].mean() - pooled**2).clip(lower=0) * 2 * n / (2 * n - 1))
    return pd.DataFrame(
        {
            "pairs": n,
            "mean": mean,
            "low": mean - half,
            "high": mean + half,
            "reference_mean": pooled,
            "reference_half_interval": 1.96 * spread / np.sqrt(2 * n),
        }
    )
