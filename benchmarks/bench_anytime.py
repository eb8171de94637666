"""How fast are compiled sessions of Λ against a loop in Python, and how long does a pool take?

Two peers play the same rules on one core: the readable `Session` with the readable agents ("plain"), and a
loop with local variables and the random module, about as fast as Python gets ("tuned", random agent only).
Times are CPU times, the best of three, since other work on the machine would blur the clock.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from gindex_lab.anytime.environment import Environment
from gindex_lab.anytime.episodes import mean_rewards, play
from gindex_lab.anytime.pool import make_pool

__all__ = ["run"]

SPACE = "1++2-3|12---3++|1+2++3---|1-2+3--|1+++2-3+|12+3---"
GOAL, LIMIT = 100, 60.0  # times the plain loop; seconds for a pool of 5,000
LONG, SHORT, REPEATS = 2_000_000, 20_000, 3


def run(pool: int = 5000) -> list[dict[str, object]]:
    """Steps per second of each agent and the ratios; seconds for a pool of sieved environments."""
    world = Environment(SPACE, "1320121")
    rows = [_row(name, world) for name in ("random", "q-learning", "follower", "oracle", "optimal")]
    rows.append(_published(world))
    make_pool(10)
    seconds = _seconds(lambda: make_pool(pool, seed=1), 1)
    rows.append(
        {
            "benchmark": f"anytime: pool of {pool:,} sieved environments",
            "seconds": seconds,
            "limit": f"{LIMIT:.0f} s",
            "share_of_limit": seconds / LIMIT,
        }
    )
    return rows


def _row(name: str, world: Environment) -> dict[str, object]:
    play(name, world, 10)  # compile, or load what was compiled
    ours = LONG / _seconds(lambda: play(name, world, LONG))
    plain = SHORT / _seconds(lambda: play(name, world, SHORT, engine="readable"))
    row: dict[str, object] = {
        "benchmark": f"anytime: steps per second, {name}",
        "ours": round(ours),
        "plain_python": round(plain),
        "ratio": round(ours / plain, 1),
        "goal": GOAL,
    }
    if name == "random":
        row["tuned_python"] = round(SHORT / _seconds(lambda: _tuned(world, SHORT)))
        row["ratio_tuned"] = round(ours * _seconds(lambda: _tuned(world, SHORT)) / SHORT, 1)
    return row


def _published(world: Environment, runs: int = 2000) -> dict[str, object]:
    """Many sessions of the published length, where starting a session counts as well."""
    mean_rewards("q-learning", [world], runs=2)
    ours = runs * world.steps / _seconds(lambda: mean_rewards("q-learning", [world], runs=runs))
    few = runs // 50
    readable = _seconds(
        lambda: [play("q-learning", world, engine="readable", seed=k) for k in range(few)]
    )
    plain = few * world.steps / readable
    return {
        "benchmark": f"anytime: steps per second, q-learning, sessions of {world.steps} steps",
        "ours": round(ours),
        "plain_python": round(plain),
        "ratio": round(ours / plain, 1),
        "goal": GOAL,
    }


def _seconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    best = float("inf")
    for _ in range(repeats):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


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
