"""How far are the AIQ machine's kernels from what the processor could do at best?

The limit is stated, not reached by anybody: one clock tick for each instruction of the program that is
executed, as if fetching, decoding and branching cost nothing. The instructions per interaction are counted
by the machine itself; the clock is measured by a chain of additions that cannot overlap, one tick each. The
processor's own counter of instructions is not used: virtual machines rarely offer it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from benchmarks.rows import Row, best_time, within
from gindex_lab.worlds.aiq.agents import Freq, QLearning, Random
from gindex_lab.worlds.aiq.episodes import Trial
from gindex_lab.worlds.aiq.episodes import run as play
from gindex_lab.worlds.aiq.machine import episode
from gindex_lab.worlds.aiq.sampler import sample

__all__ = ["run"]

PROGRAMS, EPISODE = 300, 20_000
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
    return 2 * n / best_time(lambda: _chain(n, 3))


def _instructions(programs: list[str]) -> tuple[float, list[str]]:
    """Mean instructions per interaction under random actions, and the programs without overtime."""
    actions = np.random.default_rng(1).integers(5, size=500)
    runs = {p: episode(p, actions, seed=1) for p in programs}
    whole = {p: run.steps.mean() for p, run in runs.items() if not run.overtime}
    return float(np.mean(list(whole.values()))), list(whole)


def run() -> list[Row]:
    """The share of the limit for three agents: what is left is the agent, decoding and branching."""
    steps, programs = _instructions(sample(PROGRAMS, seed=1)["program"].tolist())
    ticks = _clock()
    return [_row(agent, programs, steps, ticks) for agent in (Random(), Freq(), QLearning())]


def _row(agent, programs: list[str], steps: float, ticks: float) -> Row:
    rows, trial = np.arange(len(programs)), Trial((EPISODE,))
    play(agent, programs[:1], rows[:1], Trial((2,)))
    best = best_time(lambda: play(agent, programs, rows, trial))
    interactions = 2 * EPISODE * len(programs)
    return within(
        f"AIQ machine with {type(agent).__name__}",
        interactions / best,
        ticks / steps,
        LIMIT,
        unit="interactions/s",
        note=f"{steps:.1f} instructions and {best * ticks / interactions:.0f} ticks an interaction, "
        f"at {ticks / 1e9:.2f} GHz",
    )
