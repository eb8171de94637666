"""The BF reference machine, to read: one instruction at a time, with a tracer.

An environment is a program that is run once per interaction (Vadinský 2018, section 1; Legg and Veness
2013): the agent's action is pushed on the input tape, the program computes, and what it has written is
the reward and the observation. The work tape and the head stay as they are until the next cycle: that is
the environment's memory.

`Machine` says what the compiled machine of `kernel.py` does, and is its oracle in the tests; `run` plays
a whole episode on the compiled one; `trace` shows tape, head and output step by step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.bounds import check_cells
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray, IntArray, generator, integer
from gindex_lab.worlds.aiq.program import MOST_STEPS, READABLE, TAPE, MachineSettings, check, partners

if TYPE_CHECKING:
    from gindex_lab.worlds.aiq.kernel import State

__all__ = ["Episode", "Machine", "episode", "run", "trace"]

LONGEST_TRACE = 2_000_000  # cells of tape that a trace may keep: a judgement


@dataclass
class Machine:
    """A program and its memory; `act` is one interaction.

    `chance()` gives the symbols of `%`; `watch(machine, place)` is called before every instruction. (Vadinský
    2018, section 1.)

    >>> machine = Machine(",+.#")
    >>> machine.act(3), machine.act(4)         # reward and observation: the action plus one
    ((100.0, [2]), (-100.0, [2]))
    """

    program: str
    settings: MachineSettings = field(default_factory=MachineSettings)
    chance: Callable[[], int] = lambda: 0
    watch: Callable[[Machine, int], None] = lambda machine, place: None

    def __post_init__(self) -> None:
        self.jumps = partners(check(self.program))
        blank = self.settings.middle
        self.work: dict[int, int] = {}  # cells that were ever changed; all others are blank
        self.head = 0
        self.actions = deque([blank] * READABLE, maxlen=READABLE)
        self.output = [blank] * (1 + self.settings.observations)
        self.steps = self.reads = self.writes = 0

    @property
    def cell(self) -> int:
        """The symbol under the head. Places left of 0 are counted from the end of the tape."""
        return self.work.get(self.head % TAPE, self.settings.middle)

    @cell.setter
    def cell(self, symbol: int) -> None:
        self.work[self.head % TAPE] = symbol % self.settings.symbols

    def act(self, action: int) -> tuple[float, list[int]]:
        """Push the action, run the program from its first instruction, return reward and observations."""
        self.actions.appendleft(action)
        self.steps = self.reads = self.writes = 0
        place = 0
        while self.steps < MOST_STEPS and self.writes < len(self.output):
            self.watch(self, place)
            self.steps += 1
            if self.program[place] == "#":
                break
            place = self._execute(place)
        seen = self.output.copy()
        return self.settings.reward(seen.pop(self.settings.reward_cell)), seen

    def _execute(self, place: int) -> int:
        """Do one instruction and return the place of the next one."""
        match self.program[place]:
            case "+":
                self.cell += 1
            case "-":
                self.cell -= 1
            case ">":
                self.head = 0 if self.head == TAPE - 1 else self.head + 1
            case "<":
                # a quirk of the reference: the cell left of -100000 (cell 0) is cell 0 once more
                self.head = 0 if self.head == -TAPE else self.head - 1
            case ",":
                # the k-th read of a cycle gives the action of k - 1 cycles ago; after 24 reads, a blank
                readable = self.reads < READABLE
                self.cell = self.actions[self.reads] if readable else self.settings.middle
                self.reads += readable
            case ".":
                self.output[self.writes] = self.cell
                self.writes += 1
            case "%":
                self.cell = self.chance()
            case "[" if self.cell == self.settings.middle:
                return self.jumps[place] + 1
            case "]" if self.cell != self.settings.middle:
                return self.jumps[place] + 1
        return place + 1


@dataclass(frozen=True)
class Episode:
    """What an episode left: one row per cycle, and the machine's arrays as they are at its end.

    Reference: Vadinský (2018), section 1.
    """

    rewards: FloatArray
    observations: IntArray
    steps: IntArray
    heads: IntArray
    state: State

    @property
    def overtime(self) -> bool:
        """Whether any cycle hit the step limit: the test then discards the episode."""
        return bool((self.steps >= MOST_STEPS).any())


def run(
    program: str,
    actions: Sequence[int] | IntArray,
    symbols: int = 5,
    observations: int = 1,
    reverse: bool = False,
    seed: int = 0,
) -> tuple[FloatArray, IntArray]:
    """Rewards and observations of one episode with given actions, on the machine BF(n, o) of the AIQ test.

    Parameters
    ----------
    program : the text of the environment
    actions : symbols from 0 to n - 1, one per cycle
    symbols, observations : n and o
    reverse : whether the reward is written after the observations
    seed : of the chance instruction `%`

    Returns
    -------
    Rewards between -100 and 100, one per action, and observed symbols, actions x o.

    References
    ----------
    Vadinský (2018), section 1; Legg and Veness (2013), section 4.

    Examples
    --------
    >>> rewards, observations = run(".,#", [4, 0, 2])      # pays the previous action
    >>> rewards
    array([   0.,  100., -100.])
    """
    result = episode(program, actions, MachineSettings(symbols, observations, reverse), seed=seed)
    return result.rewards, result.observations


def episode(
    program: str,
    actions: Sequence[int] | IntArray,
    settings: MachineSettings | None = None,
    *,
    chance: Sequence[int] | None = None,
    seed: int = 0,
) -> Episode:
    """An episode as `run` plays it, with the steps and the head of each cycle and the final state.

    Parameters
    ----------
    program, actions, seed : as for `run`
    settings : the machine, BF(5, 1) by default
    chance : recorded draws that replace the random stream of `%`, taken in turn and modulo n

    Returns
    -------
    An `Episode`.

    References
    ----------
    Vadinský (2018), section 1.

    Examples
    --------
    >>> episode("%.#", [0, 0, 0], chance=[4, 7]).rewards     # 4, 7 mod 5, 4
    array([100.,   0., 100.])
    >>> episode("+[]#", [0]).overtime
    True
    """
    from gindex_lab.worlds.aiq import kernel, random_streams

    settings = settings or MachineSettings()
    code = kernel.compile_program(program, settings.symbols, fused=False)
    moves = _symbols("actions", actions, settings.symbols)
    state = kernel.new_state(settings)
    key = random_streams.stream_key(integer("seed", seed, 0), 0, 0, 1, random_streams.CHANCE)
    check_cells("observations", settings.observations, len(moves), settings.observations, 0)
    written = np.empty((len(moves), 1 + settings.observations), dtype=np.int8)
    steps, heads = np.empty_like(moves), np.empty_like(moves)
    draws = kernel.NO_RECORD if chance is None else _symbols("chance", chance, 2**63 - 1)
    kernel.run_actions(code, settings.symbols, state, key, draws, True, moves, written, steps, heads)
    rewards = settings.reward(written[:, settings.reward_cell].astype(float))
    seen = np.delete(written, settings.reward_cell, axis=1).astype(np.int64)
    return Episode(rewards, seen, steps, heads, state)


def _symbols(name: str, values: object, symbols: int) -> IntArray:
    """A flat array of whole numbers from 0 to `symbols` - 1."""
    try:
        array = np.asarray(values)
        whole = array.astype(np.int64)
    except (TypeError, ValueError, OverflowError):
        problem = "[not-a-whole-number] are not whole numbers"
        raise BadInput(name, values, problem, "pass a flat list") from None
    if array.ndim != 1 or array.dtype == bool:
        raise BadInput(name, values, "[not-flat] are not a flat list of numbers", "pass e.g. [4, 0, 2]")
    wrong = np.flatnonzero((whole != array) | (whole < 0) | (whole >= symbols))
    if len(wrong):
        at, remedy = int(wrong[0]), f"use whole numbers from 0 to {symbols - 1}"
        problem = "[not-an-action] is not a symbol of this machine"
        raise BadInput(f"{name}[{at}]", array[at].item(), problem, remedy)
    return np.ascontiguousarray(whole)


def trace(
    program: str,
    actions: Sequence[int] | IntArray,
    symbols: int = 5,
    observations: int = 1,
    reverse: bool = False,
    seed: int = 0,
) -> pd.DataFrame:
    """Every step of an episode on the readable machine.

    Parameters
    ----------
    program, actions, symbols, observations, reverse, seed : as for `run`

    Returns
    -------
    DataFrame with a row per instruction: `cycle`, `action`, `place` and `instruction`, and what it left:
    `head`, `cell`, `tape` (place -> symbol, where it was changed) and `output`.

    References
    ----------
    Vadinský (2018), section 1.

    Examples
    --------
    >>> table = trace(",+.#", [3])
    >>> table[["instruction", "cell", "output"]].values.tolist()
    [[',', 3, [2, 2]], ['+', 4, [2, 2]], ['.', 4, [4, 2]], ['#', 4, [4, 2]]]
    """
    settings, random = MachineSettings(symbols, observations, reverse), generator(seed)
    rows: list[dict[str, Any]] = []
    cycle = action = cells = 0

    def watch(machine: Machine, place: int) -> None:
        complete()
        rows.append({"cycle": cycle, "action": action, "place": place, "instruction": program[place]})

    def complete() -> None:
        """Put what the last instruction left beside it."""
        nonlocal cells
        if not rows:
            return
        cells += 1 + len(machine.work)
        if cells > LONGEST_TRACE:
            problem = f"[too-large] writes more than {LONGEST_TRACE:,} cells of tape in {cycle} cycles"
            raise BadInput("program", program, problem, "trace fewer actions, or use gl.aiq.run")
        tape = {place - TAPE if place > TAPE // 2 else place: s for place, s in machine.work.items()}
        rows[-1] |= {"head": machine.head, "cell": machine.cell}
        rows[-1] |= {"tape": dict(sorted(tape.items())), "output": machine.output.copy()}

    machine = Machine(program, settings, lambda: int(random.integers(symbols)), watch)
    for cycle, action in enumerate(_symbols("actions", actions, symbols).tolist(), 1):  # noqa: B007
        machine.act(action)
        complete()
    columns = ["cycle", "action", "place", "instruction", "head", "cell", "tape", "output"]
    return pd.DataFrame(rows, columns=columns)
