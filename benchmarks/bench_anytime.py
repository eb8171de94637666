"""How fast are compiled sessions of Λ against a loop in Python, and how long does a pool take?

Two peers play the same rules on one core: the readable `Session` with the readable agents ("plain"), and a
loop with local variables and the random module, about as fast as Python gets ("tuned", random agent only).
"""

from __future__ import annotations

import random

from benchmarks.rows import Row, best_time, race, within
from gindex_lab.worlds.anytime.environment import Environment
from gindex_lab.worlds.anytime.episodes import mean_rewards, play
from gindex_lab.worlds.anytime.pool import make_pool

__all__ = ["run"]

SPACE = "1++2-3|12---3++|1+2++3---|1-2+3--|1+++2-3+|12+3---"
GOAL, LIMIT = 100, 60.0  # times the plain loop; seconds for a pool of 5,000
LONG, SHORT = 2_000_000, 20_000


def run(pool: int = 5000) -> list[Row]:
    """Steps per second of each agent and the ratios; seconds for a pool of sieved environments."""
    world = Environment(SPACE, "1320121")
    rows = [_row(name, world) for name in ("random", "q-learning", "follower", "oracle", "optimal")]
    make_pool(10)
    seconds = best_time(lambda: make_pool(pool, seed=1), 1)
    name = f"anytime: pool of {pool:,} sieved environments"
    return [*rows, _published(world), within(name, seconds, LIMIT, "a minute", unit="s")]


def _row(name: str, world: Environment) -> Row:
    play(name, world, 10)  # compile, or load what was compiled
    ours = LONG / best_time(lambda: play(name, world, LONG))
    plain = SHORT / best_time(lambda: play(name, world, SHORT, engine="readable"))
    note = ""
    if name == "random":
        tuned = SHORT / best_time(lambda: _tuned(world, SHORT))
        note = f"{ours / tuned:.1f} times tuned Python"
    return _steps(name, ours, plain, note)


def _steps(name: str, ours: float, plain: float, note: str = "") -> Row:
    what = f"anytime: steps per second, {name}"
    return race(what, ours, plain, "plain Python", unit="steps/s", goal=GOAL, note=note)


def _published(world: Environment, runs: int = 2000) -> Row:
    """Many sessions of the published length, where starting a session counts as well."""
    mean_rewards("q-learning", [world], runs=2)
    ours = runs * world.steps / best_time(lambda: mean_rewards("q-learning", [world], runs=runs))
    few = runs // 50
    readable = best_time(lambda: [play("q-learning", world, engine="readable", seed=k) for k in range(few)])
    plain = few * world.steps / readable
    return _steps(f"q-learning, sessions of {world.steps} steps", ours, plain)


def _tuned(world: Environment, steps: int) -> list[int]:
    """A random agent in Λ-One, as one writes it in an afternoon."""
    table, pattern = world.space.destinations, [int(digit) for digit in world.pattern]
    chance, actions, length = random.Random(1), world.actions, len(world.pattern)
    good, evil = chance.sample(range(world.cells), 2)
    cell, rewards = chance.randrange(world.cells), []
    for step in range(steps):
        move = pattern[step % length]
        to_good, to_evil = table[good][move], table[evil][move]
        if to_good != to_evil:
            good, evil = to_good, to_evil
        elif good != to_good and evil != to_evil:
            if chance.random() < 0.5:
                good = to_good
            else:
                evil = to_evil
        cell = table[cell][int(chance.random() * actions)]
        rewards.append(1 if cell == good else -1 if cell == evil else 0)
    return rewards
