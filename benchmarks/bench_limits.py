"""How far are the AIQ machine's kernels from what the processor could do at best?

The limit is stated, not reached by anybody: one clock tick for each instruction of the program that is
executed, as if fetching, decoding and branching cost nothing. The instructions per interaction are counted
by the machine itself; the clock is measured by a chain of additions that cannot overlap, one tick each. The
processor's own counter of instructions is not used: virtual machines rarely offer it.
"""

from __future__ import annotations

import time

import numpy as np
from numba import njit

from gindex_lab.aiq.agents import Freq, QLearning, Random
from gindex_lab.aiq.episodes import Trial
from gindex_lab.aiq.episodes import run as play
from gindex_lab.aiq.machine import episode
from gindex_lab.aiq.sampler import sample

__all__ = ["run"]

PROGRAMS, EPISODE, REPEATS = 300, 20_000, 3
LIMIT = "one clock tick per instruction of the program"


@njit
def _chain(n: int, step: int) -> int:
    x = 1
    for _ in range(n):
        x = (x ^ step) + 1  # two operations, each waiting for the one before
    return x


def _clock() -> float:
    """Ticks per second."""
    _chain(10, 3)
    n = 100_000_000
    return 2 * n / min(_seconds(lambda: _chain(n, 3)) for _ in range(REPEATS))


def _seconds(call) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def _instructions(programs: list[str]) -> tuple[float, list[str]]:
    """Mean instructions per interaction under random actions, and the programs without overtime."""
    actions = np.random.default_rng(1).integers(5, size=500)
    runs = {p: episode(p, actions, seed=1) for p in programs}
    whole = {p: run.steps.mean() for p, run in runs.items() if not run.overtime}
    return float(np.mean(list(whole.values()))), list(whole)


def run() -> list[dict[str, object]]:
    """The share of the limit for three agents: what is left is the agent, decoding and branching."""
    steps, programs = _instructions(sample(PROGRAMS, seed=1)["program"].tolist())
    ticks = _clock()
    return [_row(agent, programs, steps, ticks) for agent in (Random(), Freq(), QLearning())]


def _row(agent, programs: list[str], steps: float, ticks: float) -> dict[str, object]:
    rows, trial = np.arange(len(programs)), Trial((EPISODE,))
    play(agent, programs[:1], rows[:1], Trial((2,)))
    best = min(_seconds(lambda: play(agent, programs, rows, trial)) for _ in range(REPEATS))
    interactions = 2 * EPISODE * len(programs)
    spent = best * ticks / interactions
    return {
        "benchmark": f"AIQ machine with {type(agent).__name__}",
        "share_of_limit": steps / spent,
        "limit": LIMIT,
        "instructions_per_interaction": steps,
        "ticks_per_interaction": spent,
        "clock_ghz": ticks / 1e9,
        "interactions_per_second": interactions / best,
    }
