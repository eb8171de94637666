"""An agent meets programs: both signs of the reward, at one or several episode lengths.

One test of a program is two runs of a fresh agent in a fresh machine; in one the agent sees the rewards,
in the other their negatives (Legg and Veness 2013). A run of the longest episode gives the shorter ones
on its way ("EffEL"). A run that meets the step limit of the machine has no value: its pair is NaN.
Random streams are keyed by (seed, row, sign), so that neither order nor workers matter. Agent and machine
share one loop, compiled once for each kind of agent that is used (see `agents_kernel`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation import parallel
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.kernels import compiled
from gindex_lab.foundation.validate import FloatArray, IntArray
from gindex_lab.worlds.aiq import kernel
from gindex_lab.worlds.aiq.agents import HLQ, Agent, Constant, Own, QLearning, own_discount
from gindex_lab.worlds.aiq.agents_kernel import Mind, begin, mind_of, perceive
from gindex_lab.worlds.aiq.kernel import HEAD, HIGH, LOW, NO_RECORD, RING, WIDTH, assemble, cycle, reset
from gindex_lab.worlds.aiq.program import MOST_STEPS, MachineSettings, check
from gindex_lab.worlds.aiq.random_streams import AGENT, CHANCE, stream_key

__all__ = ["Pairs", "Trial", "interact", "run"]

_U = np.uint64
SIGNS = (1, -1)
BATCH = 256  # programs per task: enough to forget the cost of a call (a judgement)


@compiled(inline="always")
def _state(output: kernel.Symbols, reward_cell: int, symbols: int) -> int:
    """Where the pairs of the observed state begin: n Σ obs_i n^i."""
    if len(output) == 2:
        return output[_U(1 - reward_cell)] * symbols
    first, place = 0, symbols
    for cell in range(len(output)):
        if cell != reward_cell:
            first += output[_U(cell)] * place
            place *= symbols
    return first


# Nothing is allocated here, so references need not be counted: twice as fast for agents with memory.
@compiled(_nrt=False)
def _episode(
    mind: Mind,
    code: kernel.Code,
    state: kernel.State,
    symbols: int,
    reward_cell: int,
    chance: int,
    key: int,
    rewards: FloatArray,
    discount: float,
    lengths: IntArray,
    totals: FloatArray,
) -> float:
    """One run: discounted totals at each of the `lengths`; returns the largest |Q| of a Q-learner."""
    reset(state, symbols)
    work, history, output, registers = state
    now = begin(mind)
    head = low = high = draws = reached = 0
    reward, total, weight = 0.0, 0.0, 1.0
    for t in range(lengths[-1]):
        first = _state(output, reward_cell, symbols)
        action, now = perceive(mind, now, first, reward, symbols, key, t)
        newest = (-1 - t) & (RING - 1)
        # fmt: off
        steps, head, low, high, draws = cycle(
            code, symbols, work, history, output, newest, head, low, high, draws,
            chance, NO_RECORD, False, action,
        )
        # fmt: on
        if steps >= MOST_STEPS:
            break
        reward = rewards[_U(output[_U(reward_cell)])]
        total += weight * reward
        weight *= discount
        if t + 1 == lengths[_U(reached)]:
            totals[_U(reached)] = total
            reached += 1
    registers[HEAD], registers[LOW], registers[HIGH] = head, low, high
    return now.largest


@compiled
def run_pairs(
    mind: Mind,
    text: npt.NDArray[np.uint8],
    ends: IntArray,
    rows: IntArray,
    state: kernel.State,
    rewards: FloatArray,
    reward_cell: int,
    seed: int,
    discount: float,
    lengths: IntArray,
    totals: FloatArray,
    largest: FloatArray,
) -> None:
    """Both signs of each program: `totals` (programs x signs x lengths, NaN after overtime) is filled.

    The programs stand one behind the other in `text`; program i ends at `ends[i]`. `rows` are the numbers
    that key the random streams, `rewards` the worth of each symbol. The second sign is not run when the
    first met the step limit.
    """
    start, symbols = 0, len(rewards)
    for i in range(len(rows)):
        code = np.empty((ends[i] - start, WIDTH), dtype=np.int32)
        assemble(text[start : ends[i]], symbols, True, code)
        start = ends[i]
        for j in range(2):
            sign = 1 - 2 * j
            chance = stream_key(seed, rows[i], 0, sign, CHANCE)
            key = stream_key(seed, rows[i], 0, sign, AGENT)
            # fmt: off
            largest[i, j] = _episode(
                mind, code.ravel(), state, symbols, reward_cell, chance, key, sign * rewards, discount,
                lengths, totals[i, j],
            )
            # fmt: on
            if np.isnan(totals[i, j, -1]):
                break


@dataclass(frozen=True)
class Trial:
    """What every agent is put through: `lengths` of episodes (rising), `discount`, `machine`, `seed`."""

    lengths: tuple[int, ...]
    discount: float = 1.0
    machine: MachineSettings = field(default_factory=MachineSettings)
    seed: int = 1
    reference: bool = False  # divide discounted sums as the authors do

    @property
    def weights(self) -> FloatArray:
        """What totals are divided by: Σ g^i over the k interactions, (1 - g^k) / (1 - g).

        The authors take one term too many, (1 - g^(k+1)) / (1 - g): a perfect agent misses 100.
        """
        lengths = np.array(self.lengths, dtype=float)
        if self.discount == 1:
            return lengths
        return (1 - self.discount ** (lengths + self.reference)) / (1 - self.discount)


@dataclass(frozen=True)
class Pairs:
    """Results of programs: `values` (programs x signs x lengths; NaN = overtime) and `diverged`."""

    values: FloatArray
    diverged: npt.NDArray[np.bool_]


def run(
    agent: Agent, programs: Sequence[str], rows: IntArray, trial: Trial, *, jobs: int | None = 1
) -> Pairs:
    """Test `agent` on each program; `rows` number the programs for their random streams.

    >>> run(Constant(4), [",.#", ".,#"], np.arange(2), Trial((10, 100))).values[:, 0]
    array([[100., 100.],
           [ 90.,  99.]])
    """
    starts = range(0, max(len(programs), 1), BATCH)
    tasks = [(programs[i : i + BATCH], rows[i : i + BATCH]) for i in starts]
    parts = parallel.map(_run, tasks, shared=(agent, trial), jobs=jobs)
    return Pairs(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _run(
    agent: Agent, trial: Trial, task: tuple[Sequence[str], IntArray]
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Values and divergence of one batch of programs."""
    programs, rows = task
    totals, largest = np.full((len(rows), 2, len(trial.lengths)), np.nan), np.zeros((len(rows), 2))
    limit = np.inf
    if isinstance(agent, Own):
        _fill(totals, agent, trial, programs, rows)
    else:
        if isinstance(agent, Constant):
            _legal(agent.action, trial.machine.symbols, "Constant")
        if isinstance(agent, QLearning | HLQ):  # "soft divergence": |Q| beyond what any policy can earn
            limit = 100.0 * (1.0 + agent.trace) / (1.0 - own_discount(agent.discount, trial.discount))
        run_pairs(
            mind_of(agent, trial.discount, trial.machine),
            np.frombuffer("".join(map(check, programs)).encode(), dtype=np.uint8),
            np.cumsum([len(program) for program in programs], dtype=np.int64),
            np.asarray(rows, dtype=np.int64),
            kernel.new_state(trial.machine),
            trial.machine.reward(np.arange(trial.machine.symbols)),
            trial.machine.reward_cell,
            trial.seed,
            trial.discount,
            np.array(trial.lengths, dtype=np.int64),
            totals,
            largest,
        )
    values = totals / trial.weights
    values[np.isnan(values).any(axis=(1, 2))] = np.nan
    return values, largest > limit


def _fill(totals: FloatArray, agent: Own, trial: Trial, programs: Sequence[str], rows: IntArray) -> None:
    """The discounted sums of rewards at each of the test's lengths, while there is no overtime."""
    for i, (program, row) in enumerate(zip(programs, rows.tolist(), strict=True)):
        for j, sign in enumerate(SIGNS):
            fresh = agent.fresh(int(stream_key(trial.seed, row, 0, sign, AGENT)) & (2**63 - 1))
            total, weight = 0.0, 1.0
            for t, (_, reward) in enumerate(interact(fresh, agent.name, program, row, sign, trial), 1):
                total += weight * reward
                weight *= trial.discount
                if t in trial.lengths:
                    totals[i, j, trial.lengths.index(t)] = total


def interact(
    learner: Any, name: str, program: str, row: int, sign: int, trial: Trial
) -> Iterator[tuple[int, float]]:
    """One run, step by step: each action and the reward the agent is credited with.

    Ends at the longest episode, or earlier at a cycle that meets the step limit.
    """
    setup, state = trial.machine, kernel.new_state(trial.machine)
    code = kernel.compile_program(program, setup.symbols)
    chance = stream_key(trial.seed, row, 0, sign, CHANCE)
    reward = 0.0
    for _ in range(trial.lengths[-1]):
        observation = state.output.tolist()
        del observation[setup.reward_cell]
        action = _legal(learner.perceive(observation, reward), setup.symbols, name)
        if kernel.act(code, setup.symbols, state, chance, NO_RECORD, False, action) >= MOST_STEPS:
            return
        reward = sign * setup.reward(int(state.output[setup.reward_cell]))
        yield action, reward


def _legal(action: Any, symbols: int, name: str) -> int:
    if isinstance(action, (int, np.integer)) and 0 <= action < symbols:
        return int(action)
    problem = f"[not-an-action] was returned by the agent {name!r}, but is not one of its actions"
    raise BadInput("action", action, problem, f"return a whole number from 0 to {symbols - 1}")
