"""Raw programs, and their strata: passive, too slow, or what five short probes with random actions find.

A raw program is a random walk of the bracket depth that ends below zero. The test samples programs in strata
(Legg and Veness 2013, section 5). A program is probed in five runs of 200 cycles. It is *overtime* (-1) if
any cycle needs 1000 steps, *passive* (0) if the rewards are the same whatever the actions, in strata 1 to 10
if the reward is a simple function of a recent action, and in strata 11 to 20 by its length otherwise.

Compiled; imported only where programs are sampled.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.kernels import compiled
from gindex_lab.foundation.validate import IntArray
from gindex_lab.worlds.aiq.kernel import NO_RECORD, WIDTH, Code, State, act, assemble, new_state, reset
from gindex_lab.worlds.aiq.program import MOST_STEPS, MachineSettings, check
from gindex_lab.worlds.aiq.random_streams import ACTIONS, CHANCE, PROGRAM, below, stream_key

__all__ = ["LENGTHS", "OVERTIME", "PASSIVE", "STRATA", "draw_programs", "probe", "stratum"]

# All numbers here are those of the authors' code: strata, lengths, probes.
OVERTIME, PASSIVE = -1, 0
STRATA = {
    1: "reward = action",
    2: "reward = previous action",
    3: "reward = action two cycles ago",
    4: "reward = action three cycles ago",
    5: "reward = action + 1",
    6: "reward = action − 1",
    7: "reward = previous action + 1",
    8: "reward = previous action − 1",
    9: "reward = action, unless it is the blank",
    10: "reward = previous action, unless it is the blank",
}
LENGTHS = np.array([8, 10, 13, 16, 20, 24, 31, 43, 60])  # strata 11 to 20: shorter than these, or not
# runs and cycles of a probe; cycles that do not count for "passive", and for simple functions
_RUNS, _CYCLES, _SETTLED, _WARM = 5, 200, 4, 6
_LETTERS = np.frombuffer(b"<>+-,.%[]]", dtype=np.uint8)  # a drawn # is read as ]
_OPEN, _CLOSE, _READ, _WRITE, _END = (ord(letter) for letter in "[],.#")

Bytes = npt.NDArray[np.uint8]
Symbols = npt.NDArray[np.int8]


@compiled
def draw_programs(count: int, first: int, seed: int, active: bool, text: Bytes) -> tuple[IntArray, IntArray]:
    """Raw programs `first` to `first + count - 1` into `text`: where each ends, and its number.

    With `active`, programs without `,` or `.` are left out. A last end of -1 says that `text` is too small.
    """
    ends, numbers = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    kept = position = 0
    for number in range(first, first + count):
        key = stream_key(seed, number, 0, 1, PROGRAM)
        begin, depth, draw = position, 0, 0
        reads = writes = False
        while depth >= 0:
            if position >= len(text):
                ends[kept] = -1
                return ends[: kept + 1], numbers[: kept + 1]
            letter = _LETTERS[below(key, draw, 10)]
            draw += 1
            depth += (letter == _OPEN) - (letter == _CLOSE)
            reads |= letter == _READ
            writes |= letter == _WRITE
            text[position] = letter if depth >= 0 else _END
            position += 1
        if active and not (reads and writes):
            position = begin
            continue
        ends[kept] = position
        numbers[kept] = number
        kept += 1
    return ends[:kept], numbers[:kept]


@compiled
def _simple(rewards: Symbols, actions: Symbols, n: int) -> int:
    """The first simple function that gives all rewards of one run: 1 to 10, or 99."""
    blank = (n - 1) // 2
    holds = np.ones(11, dtype=np.bool_)
    for t in range(_WARM, _CYCLES):
        reward, now, before = rewards[t], actions[t], actions[t - 1]
        holds[1] &= reward == now
        holds[2] &= reward == before
        holds[3] &= reward == actions[t - 2]
        holds[4] &= reward == actions[t - 3]
        holds[5] &= reward == (now + 1) % n
        holds[6] &= reward == (now - 1) % n
        holds[7] &= reward == (before + 1) % n
        holds[8] &= reward == (before - 1) % n
        holds[9] &= reward == now or now == blank
        holds[10] &= reward == before or before == blank
    for kind in range(1, 11):
        if holds[kind]:
            return kind
    return 99


@compiled
def _probe(code: Code, n: int, reward_cell: int, state: State, seed: int, program: int, length: int) -> int:
    """The stratum of one assembled program; `length` counts its `#`."""
    actions = np.empty((_RUNS, _CYCLES), dtype=np.int8)
    rewards = np.empty((_RUNS, _CYCLES), dtype=np.int8)
    for run in range(_RUNS):
        reset(state, n)
        chance = stream_key(seed, program, run, 1, CHANCE)
        agent = stream_key(seed, program, run, 1, ACTIONS)
        for t in range(_CYCLES):
            action = below(agent, t, n)
            if act(code, n, state, chance, NO_RECORD, False, action) >= MOST_STEPS:
                return OVERTIME
            actions[run, t] = action
            rewards[run, t] = state.output[reward_cell]
    passive = True
    for run in range(1, _RUNS):
        for t in range(_SETTLED, _CYCLES):
            passive &= rewards[run, t] == rewards[0, t]
    if passive:
        return PASSIVE
    kind = _simple(rewards[0], actions[0], n)
    for run in range(1, _RUNS):
        if kind != _simple(rewards[run], actions[run], n):
            kind = 99
    return kind if kind <= 10 else 11 + int(np.searchsorted(LENGTHS, length, side="right"))


@compiled
def _probe_many(
    text: Bytes,
    ends: IntArray,
    numbers: IntArray,
    n: int,
    reward_cell: int,
    state: State,
    seed: int,
    shift: int,
) -> Symbols:
    """The strata of programs that stand one after the other in `text`, program k up to `ends[k]`.

    `numbers` name the programs' streams; `shift` moves the length strata (the minimal length).
    """
    found = np.empty(len(ends), dtype=np.int8)
    begin = 0
    for k in range(len(ends)):
        length = ends[k] - begin
        code = np.empty((length, WIDTH), dtype=np.int32)
        assemble(text[begin : ends[k]], n, True, code)
        found[k] = _probe(code.ravel(), n, reward_cell, state, seed, numbers[k], length - shift)
        begin = ends[k]
    return found


def probe(
    programs: Sequence[str], numbers: IntArray, settings: MachineSettings, seed: int, minimum_length: int = 0
) -> list[int]:
    """The strata of programs that are known to be programs; `numbers` name their random streams."""
    text = np.frombuffer("".join(programs).encode(), dtype=np.uint8)
    ends = np.cumsum([len(program) for program in programs], dtype=np.int64)
    n, cell, state = settings.symbols, settings.reward_cell, new_state(settings)
    return _probe_many(text, ends, numbers, n, cell, state, seed, minimum_length).tolist()


def stratum(program: str, symbols: int = 5, observations: int = 1, seed: int = 0) -> int:
    """The stratum of a program by probing.

    Parameters
    ----------
    program, symbols, observations : as for `run`
    seed : of the probes' actions and chance

    Returns
    -------
    -1 for overtime, 0 for passive, or 1 to 20.

    References
    ----------
    Legg and Veness (2013), section 5.

    Examples
    --------
    >>> [stratum(program) for program in (",.#", ".,#", ",-.#", "%.,#", "..,#", "+[],.#")]
    [1, 2, 6, 11, 0, -1]
    """
    if "." not in check(program) or "," not in program:
        return PASSIVE
    return probe([program], np.array([0]), MachineSettings(symbols, observations), seed)[0]
