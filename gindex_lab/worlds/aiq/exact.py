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
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray, IntArray, vector
from gindex_lab.worlds.aiq.program import MachineSettings, check, partners

__all__ = ["EQUAL", "QUICK", "SURVEY", "Caps", "Process", "close", "per_action", "same_law"]

HORIZON = 300  # cycles of the mean rewards: the prototype's, whose numbers the goldens hold
EQUAL = 1e-9  # mean rewards that differ by less are equal: far above the rounding of 300 sums of 100
REASONS = (  # by the status of `exact_kernel`
    *("", "", "more states than the cap", "more outcomes of chance than the cap"),
    *("the head wanders without bound", "a cycle reaches the step limit"),
    *("too many past actions are read", "more work than the cap"),
)
_OVERWRITTEN = re.compile(r"%(?=[+\-]*[%,])")


@dataclass(frozen=True)
class Caps:
    """How far the search goes before it gives up: states, transitions, and machine steps.

    The defaults take at most a quarter of a gigabyte and about ten seconds for a program that does not close,
    and leave room for 3,000 states with 700 outcomes of chance for each action. (Vadinský 2018, section 2.2,
    on what patterns cannot decide.)

    >>> close(",.#", caps=Caps(states=1)).closed, close(",.#").closed
    (False, True)
    """

    states: int = 6000
    transitions: int = 10_500_000
    steps: int = 450_000_000


# judgements: 76 to 80% of sampled programs close within them
QUICK = Caps(states=4000, transitions=200_000, steps=40_000_000)  # for a program without an instruction
SURVEY = Caps(states=3000, transitions=150_000, steps=15_000_000)  # for each program of a sample
_NONE: Any = partial(np.zeros, 0, np.int64)
_NO_FLAGS: Any = partial(np.zeros, 0, np.bool_)


@dataclass(frozen=True)
class Process:
    """An environment as a decision process, or the reason why it did not close.

    Reference: Vadinský (2018), section 2.2, on what patterns cannot decide.
    """

    program: str
    settings: MachineSettings
    reason: str = ""
    states: int = 0
    pointers: IntArray = field(default_factory=_NONE)
    following: IntArray = field(default_factory=_NONE)
    written: IntArray = field(default_factory=_NONE)
    weights: IntArray = field(default_factory=_NONE)
    covered: npt.NDArray[np.bool_] = field(default_factory=_NO_FLAGS)
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
        n = self.settings.symbols
        return np.asarray(self.written // n ** (self.settings.observations - cell) % n)

    @property
    def reward_symbols(self) -> IntArray:
        """The reward symbol of each outcome."""
        return self.symbols(self.settings.reward_cell)

    @property
    def rewards(self) -> FloatArray:
        """The reward of each outcome, from -100 to 100."""
        return np.asarray(self.settings.reward(self.reward_symbols))

    def partition(self, labels: IntArray) -> tuple[IntArray, npt.NDArray[np.uint64]]:
        """The block of each state under the coarsest bisimulation for what `labels` show.

        Also a signature of each state and action: the law of the labels that follow.
        """
        from gindex_lab.worlds.aiq import exact_kernel

        self.must_be_closed()
        n, blocks = self.settings.symbols, np.zeros(self.states, dtype=np.int64)
        law = exact_kernel.partition(n, self.pointers, self.following, labels, self.weights, blocks)
        return blocks, law

    def _labels(self, labels: object) -> IntArray:
        """One whole number per outcome: a kernel that is given a list of lists of lists ends Python."""
        return vector("labels", labels, len(self.following)).astype(np.int64)

    def independent(self, labels: IntArray) -> bool:
        """Whether the law of what `labels` show is the same whatever is done."""
        _, law = self.partition(self._labels(labels))
        return bool((law == law[:, :1]).all())

    def random(self, labels: IntArray) -> bool:
        """Whether chance decides a label, now or later: two different futures after one action."""
        labels = self._labels(labels)
        blocks, _ = self.partition(labels)
        _, sure = per_action(self, labels * self.states + blocks[self.following])
        return not sure.all()

    def mean_rewards(self, horizon: int = HORIZON) -> tuple[float, float, float]:
        """Best, worst and random-action mean reward of an episode of `horizon` cycles."""
        from gindex_lab.worlds.aiq import exact_kernel

        blocks, _ = self.partition(self.reward_symbols)
        transitions = self.pointers, self.following, self.rewards, self.weights
        n = self.settings.symbols
        return exact_kernel.mean_rewards(n, *transitions, blocks, self.unit, horizon)

    @property
    def discriminative(self) -> bool:
        """Whether some policy earns more than another."""
        best, worst, _ = self.mean_rewards()
        return best - worst > EQUAL

    @property
    def dead(self) -> list[int]:
        """Places of the instructions that are never executed, the closing `#` not counted."""
        self.must_be_closed()
        return np.flatnonzero(~self.covered[:-1]).tolist()


def per_action(process: Process, labels: IntArray) -> tuple[IntArray, npt.NDArray[np.bool_]]:
    """The label of each state (rows) and action (columns), and whether it is the only one."""
    starts, n = process.pointers[:-1], process.settings.symbols
    top, bottom = (f.reduceat(labels, starts).reshape(-1, n) for f in (np.maximum, np.minimum))
    return top, top == bottom


def close(program: str, symbols: int = 5, observations: int = 1, caps: Caps | None = None) -> Process:
    """Search all memories of a program: its decision process, or the reason why it did not close.

    Parameters
    ----------
    program, symbols, observations : as for `run`
    caps : how far the search goes, `Caps()` by default

    Returns
    -------
    A `Process`; its `closed` says whether the search came to its end, its `reason` why not.

    References
    ----------
    Vadinský (2018), section 2.2, on what patterns cannot decide.

    Examples
    --------
    >>> process = close(".,#")                    # pays the previous action
    >>> process.closed, process.states, process.discriminative
    (True, 5, True)
    >>> close("%.,#").independent(close("%.,#").reward_symbols)
    True
    """
    from gindex_lab.worlds.aiq import exact_kernel as kernel

    caps, settings = caps or Caps(), MachineSettings(symbols, observations)
    jumps = partners(check(program))
    text = np.frombuffer(program.encode(), dtype=np.uint8)
    table = np.zeros(len(program), dtype=np.int64)
    table[list(jumps)] = list(jumps.values())
    # No draw is needed for a `%` that is overwritten at once, nor for a loop over `+-%` with a `%` in it: it
    # ends with probability one, on a blank.
    settled = np.zeros(len(program), dtype=np.bool_)
    settled[[match.start() for match in _OVERWRITTEN.finditer(program)]] = True
    for start, end in jumps.items():
        body = set(program[start + 1 : end])
        settled[start] |= "%" in body and body <= set("+-%")
    needs = np.zeros(kernel.NEEDS, dtype=np.int64)
    needs[0] = 1  # a history of one action, and nothing else
    most, machine = (caps.states, caps.transitions, caps.steps), (symbols, 1 + observations, needs)
    while True:
        covered, limits = np.zeros(len(program), dtype=np.bool_), np.zeros(2, dtype=np.int64)
        found = kernel.explore(text, table, settled, *machine, *most, covered, limits)
        status, states, pointers, following, written, weights = found
        if status == kernel.CLOSED:
            transitions, (halted, finished) = (pointers, following, written, weights), limits.tolist()
            return Process(program, settings, "", states, *transitions, covered, halted, finished)
        if status != kernel.GROW:
            return Process(program, settings, REASONS[status])


def same_law(first: Process, second: Process) -> bool:
    """Whether two closed environments give the same rewards and observations, in law, to every agent.

    Parameters
    ----------
    first, second : processes from `close`, of the same machine

    Returns
    -------
    True if the initial states of both are bisimilar.

    References
    ----------
    Vadinský (2018), section 2.2, on what patterns cannot decide.

    Examples
    --------
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
