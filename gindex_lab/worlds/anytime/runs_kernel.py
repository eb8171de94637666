"""Many compiled sessions of one agent in one environment, with the same chance as one by one.

Keys and placements are those of `chance` and `environment.draw_placement`; the tests compare both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gindex_lab.foundation.kernels import compiled
from gindex_lab.worlds.aiq.random_streams import AGENT, CHANCE, PROGRAM, below, stream_key
from gindex_lab.worlds.anytime.kernel import FloatArray, play

__all__ = ["mean_of_runs"]

_PLACEMENT = 1 << 40  # as in `environment`
_WHOLE = (1 << 63) - 1


@compiled
def _nested(seed: int, place: int) -> int:
    return stream_key(seed, place, 0, 1, PROGRAM) & _WHOLE


@compiled
def _placement(cells: int, key: int) -> tuple[int, int, int, int]:
    first = below(key, _PLACEMENT, cells)
    second = below(key, _PLACEMENT + 1, cells - 1)
    cell = below(key, _PLACEMENT + 2, cells)
    return cell, first, second + int(second >= first), below(key, _PLACEMENT + 3, 2)


@compiled
def mean_of_runs(
    how: tuple[Any, ...], seed: int, steps: int, antithetic: bool, means: FloatArray
) -> None:
    """Fill `means` with the mean reward of each run; run k has the seed nested in `seed` at k.

    `how` holds what `play` needs of environment and agent: table, pattern, rule, view, kind, parameters,
    script, policy, stop.
    """
    table, pattern, rule, view, kind, parameters, script, policy, stop = how
    rewards = np.zeros(steps)
    for run in range(len(means)):
        own = _nested(seed, run)
        keys = (stream_key(own, 0, 0, 1, CHANCE), stream_key(own, 0, 0, 1, AGENT))
        cell, first, second, good = _placement(len(table), keys[0])
        means[run] = 0.0
        for twin in range(1 + int(antithetic)):
            placed = (cell, first, second, 1 - good if twin else good)
            taken = play(
                table,
                pattern,
                placed,
                rule,
                view,
                kind,
                parameters,
                script,
                policy,
                keys,
                stop,
                rewards,
            )
            means[run] += rewards[:taken].mean() if taken else 0.0
        means[run] /= 1 + int(antithetic)
