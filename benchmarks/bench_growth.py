"""How does the time grow with the size of the problem? Processor time, the best of a few runs each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import gindex_lab as gl
from benchmarks.rows import Row, best_time, curve
from gindex_lab.studies.simulations.coverage import Profile, simulate_profile
from gindex_lab.worlds.aiq.agents import Freq
from gindex_lab.worlds.aiq.episodes import Trial
from gindex_lab.worlds.aiq.episodes import run as play

__all__ = ["run"]


def run(quick: bool = True) -> list[Row]:
    """Growth curves of the main calls; the exponent is fitted to their points."""
    more = 1 if quick else 4
    return [
        _curve("generality, agents", [5_000, 20_000, 80_000 * more], _generality, 1),
        _curve("pairwise, programs", [250, 500, 1_000 * more], _pairwise, 2),
        _curve("AIQ, episode length", [500, 2_000, 8_000 * more], _aiq, 1),
        _curve("2PL, agents", [1_000, 4_000, 16_000 * more], _irt, 1),
        _curve("percentile bootstrap, resamples", [500, 2_000, 8_000 * more], _bootstrap, 1),
    ]


def _curve(name: str, sizes: list[int], prepare: Callable[[int], Callable[[], object]], expected: int) -> Row:
    prepare(min(sizes) // 10)()  # compile, or load what was compiled
    seconds = [best_time(prepare(size)) for size in sizes]
    of = name.rsplit(", ", 1)[1]
    return curve(name, sizes, seconds, of, note=f"{expected} is in proportion to the work")


def _generality(agents: int) -> Callable[[], object]:
    rng = np.random.default_rng(1)
    table = gl.Responses(rng.random((agents, 200)), difficulty=rng.uniform(1, 20, 200))
    return lambda: gl.generality(table)


def _pairwise(programs: int) -> Callable[[], object]:
    tasks = gl.corpus(-(-programs // 16), seed=1)[:programs]
    flows = [gl.Flow(task.program) for task in tasks]
    return lambda: gl.pairwise(flows)


def _aiq(episode: int) -> Callable[[], object]:
    programs = gl.aiq.sample(200, seed=1)["program"].tolist()
    return lambda: play(Freq(), programs, np.arange(len(programs)), Trial((episode,)))


def _irt(agents: int) -> Callable[[], object]:
    rng = np.random.default_rng(1)
    ability, difficulty = rng.standard_normal((agents, 1)), rng.standard_normal(40)
    solved = rng.random((agents, 40)) < 1 / (1 + np.exp(difficulty - ability))
    return lambda: gl.irt(solved.astype(float))


def _bootstrap(resamples: int) -> Callable[[], object]:
    study = simulate_profile([Profile(0.5, 0.15)] * 3, 500, seed=1)
    count = max(100, resamples)
    return lambda: gl.bootstrap_table(study, method="percentile", resamples=count, seed=1)
