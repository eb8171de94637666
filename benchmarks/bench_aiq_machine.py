"""How fast is the compiled machine of the AIQ test, and how long does a sample take?

The peer is the readable machine of `aiq.machine`: a straightforward pure-Python interpreter of
the same specification, one instruction at a time. Both play the same programs with the same random actions
in one run on one core. Times are CPU times, since other work on the machine would blur the clock.
"""

from __future__ import annotations

import time

import numpy as np

from benchmarks.rows import Row, best_time, curve, race, within
from gindex_lab.worlds.aiq.exact import close
from gindex_lab.worlds.aiq.machine import Machine, episode
from gindex_lab.worlds.aiq.sampler import sample

__all__ = ["run"]

PROGRAMS = 40
SHORT, LONG = 500, 100_000


def _pure(programs: list[str], actions: np.ndarray, rng: np.random.Generator) -> float:
    start = time.process_time()
    for program in programs:
        machine = Machine(program, chance=lambda: int(rng.integers(5)))
        for action in actions.tolist():
            machine.act(action)
    return len(programs) * len(actions) / (time.process_time() - start)


def _compiled(programs: list[str], actions: np.ndarray) -> float:
    start = time.process_time()
    for number, program in enumerate(programs):
        episode(program, actions, seed=number)
    return len(programs) * len(actions) / (time.process_time() - start)


def run() -> list[Row]:
    """Interactions per second, the growth with the episode, seconds per sample and per exact analysis."""
    rng = np.random.default_rng(1)
    programs = sample(PROGRAMS, seed=1)["program"].tolist()
    actions = rng.integers(5, size=LONG)
    _compiled(programs[:2], actions[:10])
    close(",.#").mean_rewards()
    speeds = {cycles: _compiled(programs, actions[:cycles]) for cycles in (1_000, 10_000, LONG)}
    return [
        race(
            "AIQ machine, interactions per second",
            speeds[LONG],
            _pure(programs, actions[:SHORT], rng),
            "plain Python",
            unit="interactions/s",
            note=f"same specification; episodes of {LONG:,} and {SHORT} cycles",
        ),
        curve(
            "AIQ machine, episode length",
            list(speeds),
            [PROGRAMS * cycles / speed for cycles, speed in speeds.items()],
            "cycles",
            note="1 is in proportion to the work",
        ),
        within(
            "AIQ sample of 200,000 programs",
            10 * best_time(lambda: sample(20_000, seed=2), 1),
            120.0,
            "two minutes on one core",
            unit="s",
            note="ten times a sample of 20,000",
        ),
        within(
            "AIQ exact analysis of a program",
            best_time(lambda: [close(program) for program in programs], 1) / PROGRAMS,
            0.25,
            "the recorded time of a prototype in plain Python",
            unit="s",
            note=f"mean of {PROGRAMS} programs",
        ),
    ]
