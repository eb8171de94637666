"""All indicators of 100,000 agents x 200 items, against a straightforward loop over agents."""

from __future__ import annotations

import tracemalloc
from time import perf_counter

import numpy as np

from gindex_lab.acc.acc import generality
from gindex_lab.acc.curves import indicators
from gindex_lab.responses import Responses

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


def run() -> list[dict[str, object]]:
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
    what = f"indicators, {AGENTS:,} agents x {ITEMS} items"
    memory = values.nbytes + peak(lambda: generality(table))
    return [
        row(what + ", array kernel", kernel, slow, GOAL, memory),
        row(what + ", gl.generality", public, slow, GOAL, memory),
    ]


def raced(values, h, span, *calls, parts: int = 10) -> tuple:
    """The loop's results, its seconds, and the seconds of each call: part of the loop and the calls
    take turns, and the best of each counts, so that a busy moment of the machine hits all alike."""
    found, seconds = [], np.empty((parts, 1 + len(calls)))
    for k, part in enumerate(np.split(values, parts)):
        start = perf_counter()
        found.append(np.array([one_agent(row, h, *span) for row in part]))
        seconds[k, 0] = parts * (perf_counter() - start)
        seconds[k, 1:] = [fastest(call, 3) for call in calls]
    return np.concatenate(found), *seconds.min(axis=0)


def row(what: str, ours: float, loop: float, goal: float, memory: float) -> dict[str, object]:
    return {
        "what": what,
        "ours_s": round(ours, 4),
        "peer": "loop over agents, NumPy",
        "peer_s": round(loop, 2),
        "ratio": int(loop / ours),
        "goal": goal,
        "memory_gb": round(memory / 1e9, 2),
        "met": bool(loop / ours >= goal and memory < MEMORY),
    }


def fastest(call, times: int) -> float:
    """The best of a few runs: what the code needs, not what else the machine was doing."""
    seconds = []
    for _ in range(times):
        start = perf_counter()
        call()
        seconds.append(perf_counter() - start)
    return min(seconds)


def peak(call) -> int:
    """Bytes allocated at the worst moment of the call."""
    tracemalloc.start()
    call()
    top = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return top
