"""How fast is the compiled machine of the AIQ test, and how long does a sample take?

The peer is the readable machine of `gindex_lab.aiq.machine`: a straightforward pure-Python interpreter of
the same specification, one instruction at a time. Both play the same programs with the same random actions
in one run on one core. Times are CPU times, since other work on the machine would blur the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from gindex_lab.aiq.exact import close
from gindex_lab.aiq.machine import Machine, episode
from gindex_lab.aiq.sampler import sample

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


def _seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def run() -> list[dict[str, object]]:
    """Interactions per second, seconds per sample and per exact analysis."""
    rng = np.random.default_rng(1)
    programs = sample(PROGRAMS, seed=1)["program"].tolist()
    actions = rng.integers(5, size=LONG)
    _compiled(programs[:2], actions[:10])
    pure = _pure(programs, actions[:SHORT], rng)
    fast, shorter = _compiled(programs, actions), _compiled(programs, actions[: LONG // 10])
    close(",.#").mean_rewards()
    sampling = _seconds(lambda: sample(20_000, seed=2))
    exact = _seconds(lambda: [close(program) for program in programs])
    return [
        {
            "benchmark": "AIQ machine, interactions per second",
            "ours": fast,
            "peer": pure,
            "ratio": fast / pure,
            "note": "peer: pure Python, same specification; episodes of 100,000 and 500 cycles",
        },
        {
            "benchmark": "AIQ machine, speed at 100,000 cycles against 10,000",
            "ours": fast,
            "peer": shorter,
            "ratio": fast / shorter,
            "note": "near 1 where the time grows in proportion to the episode",
        },
        {
            "benchmark": "AIQ sample of 200,000 programs, seconds",
            "ours": 10 * sampling,
            "peer": 120.0,
            "ratio": 120.0 / (10 * sampling),
            "note": "ten times a sample of 20,000; the goal is two minutes on one core",
        },
        {
            "benchmark": "AIQ exact analysis, seconds per program",
            "ours": exact / PROGRAMS,
            "peer": 0.25,
            "ratio": 0.25 / (exact / PROGRAMS),
            "note": "peer: the pure-Python prototype of the specification",
        },
    ]


if __name__ == "__main__":
    for row in run():
        print(row)
