"""All indicators of 100,000 agents x 200 items, against a straightforward loop over agents.

Large tables are multiplied in threads, so that both sides are timed by the clock.
"""

from __future__ import annotations

import tracemalloc
from time import perf_counter

import numpy as np

from benchmarks.rows import Row, best_time, race, within
from gindex_lab.foundation.responses import Responses
from gindex_lab.measures.curves import indicators
from gindex_lab.measures.generality import generality

AGENTS, ITEMS = 100_000, 200
GOAL, MEMORY = 200, 2e9


def one_agent(responses, difficulty, low, high):
    """The formulas of the supplement as one would write them for a single agent."""
    levels, level_of = np.unique(difficulty, return_inverse=True)
    psi = np.bincount(level_of, responses) / np.bincount(level_of)
    h = levels - low
    area = h[0] + np.trapezoid(psi, h)
    left, right, a, b = psi[:-1], psi[1:], h[:-1], h[1:]
    pieces = (b - a) * (a * (2 * left + right) + b * (left + 2 * right)) / 6
    moment = h[0] ** 2 / 2 + np.sum(pieces)
    spread = np.sqrt(max(2 * moment - area**2, 0.0))
    constant = np.sqrt(area * (high - low - area))
    gamma = 1 - spread**2 / constant**2
    expected = low + moment / area
    return low + area, spread, 1 / spread, gamma, expected, responses.mean(), spread > constant


def run() -> list[Row]:
    """The array kernel and the public call against the loop; the memory of the call against its limit."""
    rng = np.random.default_rng(1)
    values, h = rng.random((AGENTS, ITEMS)), rng.uniform(1, 20, ITEMS)
    span = (float(h.min()), float(h.max()))
    table = Responses(values, difficulty=h)
    loop, slow, kernel, public = raced(
        values, h, span, lambda: indicators(h, values, span), lambda: generality(table)
    )
    found = generality(table)
    assert np.allclose(found["spread"], loop[:, 1], atol=1e-9)
    assert np.allclose(found["normalised_generality"], loop[:, 3], atol=1e-9)
    what, peer = f"indicators, {AGENTS:,} agents x {ITEMS} items", "loop over agents, NumPy"
    memory = values.nbytes + peak(lambda: generality(table))
    return [
        race(what + ", array kernel", kernel, slow, peer, goal=GOAL),
        race(what + ", gl.generality", public, slow, peer, goal=GOAL),
        within(what + ", memory", memory / 1e9, MEMORY / 1e9, "two gigabytes", unit="GB"),
    ]


def raced(values, h, span, *calls, parts: int = 10) -> tuple:
    """The loop's results, its seconds, and the seconds of each call: part of the loop and the calls
    take turns, and the best of each counts, so that a busy moment of the machine hits all alike."""
    found, seconds = [], np.empty((parts, 1 + len(calls)))
    for k, part in enumerate(np.split(values, parts)):
        rows = []
        by_agent = lambda: rows.extend(one_agent(row, h, *span) for row in part)  # noqa: B023
        loop = best_time(by_agent, 1, perf_counter)
        found.append(np.array(rows))
        seconds[k] = parts * loop, *(best_time(call, clock=perf_counter) for call in calls)
    return np.concatenate(found), *seconds.min(axis=0)


def peak(call) -> int:
    """Bytes allocated at the worst moment of the call."""
    tracemalloc.start()
    call()
    top = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return top
