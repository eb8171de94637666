"""Exact analysis: an environment as a finite decision process, where its memory is finite.

Where the paper guesses by regular expressions (Vadinský 2018, section 2.2 "limits of the method"), this
module decides. All memories that a program can reach are visited over all actions and all outcomes of
chance; about four in five sampled programs close within the caps. On the finite process we decide whether
rewards depend on actions at all (coarsest bisimulation), what the best and the worst agent earn (value
iteration), and which instructions are ever executed.

A program is *discriminative* if the best and the worst mean reward differ: only then can it tell agents
apart. Statements hold until the head has gone once round the tape of 100,000 cells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray, vector
from gindex_lab.worlds.aiq.program import MachineSettings, check, partners

__all__ = ["QUICK", "Caps", "Process", "close", "same_law"]

IntArray = npt.NDArray[np.int64]
HORIZON = 300
REASONS = {
    2: "more states than the cap",
    3: "more outcomes of chance than the cap",
    4: "the head wanders without bound",
    5: "a cycle reaches the step limit",
    6: "too many past actions are read",
    7: "more work than the cap",
}
_EQUAL = 1e-9
_OVERWRITTEN = re.compile(r"%(?=[+\-]*[%,])")


@dataclass(frozen=True)
class Caps:
    """How far the search goes before it gives up: states, transitions, and machine steps.

    The defaults take at most a quarter of a gigabyte and about ten seconds for a program that does not
    close, and leave room for 3,000 states with 700 outcomes of chance for each action.
    (Vadinský 2018, section 2.2, on what patterns cannot decide.)

    >>> close(",.#", caps=Caps(states=1)).closed, close(",.#").closed
    (False, True)
    """

    states: int = 6000
    transitions: int = 10_500_000
    steps: int = 450_000_000


#: For questions that take many searches: a sample, or a program without each of its instructions.
QUICK = Caps(states=4000, transitions=200_000, steps=40_000_000)


@dataclass(frozen=True)
class Process:
    """An environment as a decision process, or the reason why it did not close.

    Reference: Vadinský (2018), section 2.2, on what patterns cannot decide.
    """

    program: str
    settings: MachineSettings
    reason: str = ""
    states: int = 0
    pointers: IntArray = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    following: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    written: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    weights: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    covered: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    halted: int = 0  # cycles that ended at the write limit
    finished: int = 0  # cycles that reached #

    @property
    def closed(self) -> bool:
        """Whether the memory is finite within the caps, so that everything below is exact."""
        return not self.reason

    def must_be_closed(self) -> None:
        """Refuse to answer for a program whose memories were not all searched."""
        if not self.closed:
            problem = f"[not-decided] is not decided ({self.reason})"
            raise BadInput("program", self.program, problem, "look at .closed, or raise the caps")

    @property
    def unit(self) -> float:
        """The weight that means probability one."""
        from gindex_lab.worlds.aiq.exact_kernel import most_draws

        return float(self.settings.symbols ** most_draws(self.settings.symbols))

    def symbols(self, cell: int) -> IntArray:
        """The symbol that each outcome leaves in a cell of the output tape."""
        cells = 1 + self.settings.observations
        result: IntArray = (
            self.written // self.settings.symbols ** (cells - 1 - cell)
        ) % self.settings.symbols
        return result

    @property
    def reward_symbols(self) -> IntArray:
        """The reward symbol of each outcome."""
        return self.symbols(self.settings.reward_cell)

    @property
    def rewards(self) -> FloatArray:
        """The reward of each outcome, from -100 to 100."""
        half = (self.settings.symbols - 1) / 2
        return np.asarray(100 * (self.reward_symbols - half) / half, dtype=np.float64)

    def partition(self, labels: IntArray) -> tuple[IntArray, npt.NDArray[np.uint64]]:
        """The block of each state under the coarsest bisimulation for what `labels` show."""
        from gindex_lab.worlds.aiq import process_kernel

        self.must_be_closed()
        blocks = np.zeros(self.states, dtype=np.int64)
        rows = process_kernel.partition(
            self.settings.symbols, self.pointers, self.following, labels, self.weights, blocks
        )
        return blocks, rows

    def _labels(self, labels: object) -> IntArray:
        """One whole number per outcome: a kernel that is given a list of lists of lists ends Python."""
        return vector("labels", labels, len(self.following)).astype(np.int64)

    def independent(self, labels: IntArray) -> bool:
        """Whether the law of what `labels` show is the same whatever is done."""
        _, rows = self.partition(self._labels(labels))
        return bool((rows == rows[:, :1]).all())

    def random(self, labels: IntArray) -> bool:
        """Whether chance decides a label, now or later: two different futures after one action."""
        labels = self._labels(labels)
        blocks, _ = self.partition(labels)
        futures = labels * self.states + blocks[self.following]
        starts = self.pointers[:-1]
        top, bottom = np.maximum.reduceat(futures, starts), np.minimum.reduceat(futures, starts)
        return bool((top != bottom).any())

    def mean_rewards(self, horizon: int = HORIZON) -> tuple[float, float, float]:
        """Best, worst and random-action mean reward of an episode of `horizon` cycles."""
        from gindex_lab.worlds.aiq import process_kernel

        blocks, _ = self.partition(self.reward_symbols)
        best, worst, mean = process_kernel.mean_rewards(
            self.settings.symbols,
            self.pointers,
            self.following,
            self.rewards,
            self.weights,
            blocks,
            self.unit,
            horizon,
        )
        return best, worst, mean

    @property
    def discriminative(self) -> bool:
        """Whether some policy earns more than another."""
        best, worst, _ = self.mean_rewards()
        return best - worst > _EQUAL

    @property
    def dead(self) -> list[int]:
        """Places of the instructions that are never executed, the closing `#` not counted."""
        self.must_be_closed()
        end = len(self.program) - 1
        return [int(place) for place in np.flatnonzero(~self.covered) if place != end]


def _settled(program: str, jumps: dict[int, int]) -> npt.NDArray[np.bool_]:
    """Where no draw is needed: `%` that is overwritten at once, and the start of loops over `+-%`.

    Such a loop with a `%` in it ends with probability one, on a blank.
    """
    found = np.zeros(len(program), dtype=np.bool_)
    for start, end in jumps.items():
        body = set(program[start + 1 : end])
        found[start] = start < end and "%" in body and body <= set("+-%")
    for match in _OVERWRITTEN.finditer(program):
        found[match.start()] = True
    return found


def close(
    program: str, symbols: int = 5, observations: int = 1, caps: Caps | None = None
) -> Process:
    """Search all memories of a program: its decision process, or the reason why it did not close.

    Reference: Vadinský (2018), section 2.2, on what patterns cannot decide.

    >>> process = close(".,#")                    # pays the previous action
    >>> process.closed, process.states, process.discriminative
    (True, 5, True)
    >>> close("%.,#").independent(close("%.,#").reward_symbols)
    True
    """
    from gindex_lab.worlds.aiq import exact_kernel as kernel

    caps = caps or Caps()
    settings = MachineSettings(symbols, observations)
    jumps = partners(check(program))
    text = np.frombuffer(program.encode(), dtype=np.uint8)
    table = np.zeros(len(program), dtype=np.int64)
    table[list(jumps)] = list(jumps.values())
    needs = np.zeros(kernel.NEEDS, dtype=np.int64)
    needs[0] = 1
    status = kernel.GROW
    while status == kernel.GROW:
        covered = np.zeros(len(program), dtype=np.bool_)
        limits = np.zeros(2, dtype=np.int64)
        status, states, pointers, following, written, weights = kernel.explore(
            text,
            table,
            _settled(program, jumps),
            symbols,
            1 + observations,
            needs,
            caps.states,
            caps.transitions,
            caps.steps,
            covered,
            limits,
        )
    if status != kernel.CLOSED:
        return Process(program, settings, REASONS[int(status)])
    ends = int(limits[0]), int(limits[1])
    return Process(
        program, settings, "", states, pointers, following, written, weights, covered, *ends
    )


def same_law(first: Process, second: Process) -> bool:
    """Whether two closed environments give the same rewards and observations, in law, to every agent.

    Reference: Vadinský (2018), section 2.2, on what patterns cannot decide.

    >>> same_law(close(",.#"), close("+,.#")), same_law(close(",.#"), close(",+.#"))
    (True, False)
    """
    first.must_be_closed()
    second.must_be_closed()
    if first.settings != second.settings:
        problem = f"[other-machine] is a machine other than {first.settings}"
        raise BadInput("second", second.settings, problem, "close both for the same machine")
    both = Process(
        first.program,
        first.settings,
        "",
        first.states + second.states,
        np.concatenate([first.pointers, first.pointers[-1] + second.pointers[1:]]),
        np.concatenate([first.following, first.states + second.following]),
        np.concatenate([first.written, second.written]),
        np.concatenate([first.weights, second.weights]),
    )
    blocks, _ = both.partition(both.written)
    return bool(blocks[0] == blocks[first.states])
