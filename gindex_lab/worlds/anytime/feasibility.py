"""Could this sequence of rewards have happened? The test of the rules against the logs.

The published logs of Λ-One hold rewards, neither placements nor actions. Whether some placement, some
actions and some coins explain a sequence is a question of reachability over (agent, Good, Evil), answered
here for the rules of `environment` and for others: only the former explain all 280 sequences.

>>> explains(Environment("1+|1-", "0"), [1, 1, -1]), explains(Environment("1+|1-", "0"), [1, 0, 1])
(True, False)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import choice
from gindex_lab.worlds.anytime.environment import Environment
from gindex_lab.worlds.anytime.planning import without_trail

__all__ = ["VARIANTS", "Rules", "explains"]

BoolArray = npt.NDArray[np.bool_]
COLLISIONS = ("coin", "good", "evil", "stay", "share")
REWARDS = ("after", "before", "placement")
STARTS = ("any", "agent at 0", "good at 0", "apart")


@dataclass(frozen=True)
class Rules:
    """Rules of Λ-One that might have been: the defaults are those that hold.

    `collision`: who moves when Good and Evil would enter one cell ("coin", "good", "evil", "stay", "share").
    `reward`: from the positions after the move; from those of Good and Evil "before" it; or with a first
    reward at the "placement". `offset` shifts the pattern. `start`: "any", "agent at 0", "good at 0", or the
    agent "apart" from both.
    """

    collision: str = "coin"
    reward: str = "after"
    offset: int = 0
    start: str = "any"

    def __post_init__(self) -> None:
        choice("collision", self.collision, COLLISIONS)
        choice("reward", self.reward, REWARDS)
        choice("start", self.start, STARTS)


VARIANTS = {
    "reward before Good/Evil move": Rules(reward="before"),
    "pattern offset +1": Rules(offset=1),
    "pattern offset -1": Rules(offset=-1),
    "first reward at the initial placement": Rules(reward="placement"),
    "collision: Good always wins": Rules(collision="good"),
    "collision: Evil always wins": Rules(collision="evil"),
    "collision: both stay": Rules(collision="stay"),
    "collision: both share the cell": Rules(collision="share"),
    "agent starts at cell 0": Rules(start="agent at 0"),
    "Good starts at cell 0": Rules(start="good at 0"),
    "agent never starts on Good/Evil": Rules(start="apart"),
}
_RULES = Rules()


def explains(environment: Environment, rewards: Iterable[float], rules: Rules = _RULES) -> bool:
    """Whether some placement, actions and coins give exactly these rewards.

    >>> explains(Environment("1+|1-", "1"), [1, -1, 1])
    True
    """
    n = without_trail(environment).cells
    if not isinstance(rules, Rules):
        raise BadInput("rules", rules, "are not rules", "use gl.anytime.Rules(...)")
    wanted = _checked(rewards)
    script = environment.script(len(wanted))
    reach = np.zeros((n, n), dtype=bool)
    for cell, row in enumerate(environment.space.destinations):
        reach[cell, list(row)] = True
    law = {move: _pairs(environment, move, rules.collision) for move in set(script.tolist())}
    cells = _by_reward(n)
    states = _start(n, rules.start)
    for step, reward in enumerate(wanted):
        move = law[int(script[(step + rules.offset - (rules.reward == "placement")) % len(script)])]
        if rules.reward == "before":
            states = (reach.T @ states) & cells[reward]
            states = states @ move
        elif rules.reward == "placement" and step == 0:
            states = states & cells[reward]
        else:
            states = (reach.T @ states @ move) & cells[reward]
        if not states.any():
            return False
    return True


def _checked(rewards: object) -> list[int]:
    if isinstance(rewards, str) or not isinstance(rewards, Iterable):
        raise BadInput(
            "rewards", rewards, "is not a sequence of rewards", "pass a list of -1, 0, 1"
        )
    wanted = list(rewards)
    for place, reward in enumerate(wanted):
        if reward not in (-1, 0, 1):
            raise BadInput(
                f"rewards[{place}]", reward, "is not a reward of Λ-One", "use -1, 0 or 1"
            )
    return [int(reward) for reward in wanted]


def _by_reward(n: int) -> dict[int, BoolArray]:
    """The states (agent, pair) that give each reward; sharing a cell with both gives none."""
    cell, good, evil = np.ogrid[:n, :n, :n]
    value = ((cell == good).astype(int) - (cell == evil)).reshape(n, n * n)
    return {reward: value == reward for reward in (-1, 0, 1)}


def _start(n: int, start: str) -> BoolArray:
    cell, good, evil = np.ogrid[:n, :n, :n]
    states = np.broadcast_to(good != evil, (n, n, n)).copy()
    if start == "agent at 0":
        states &= cell == 0
    elif start == "good at 0":
        states &= good == 0
    elif start == "apart":
        states &= (cell != good) & (cell != evil)
    return states.reshape(n, n * n)


def _pairs(environment: Environment, move: int, collision: str) -> BoolArray:
    """Which pairs (Good, Evil) may follow which, under a rule of collision."""
    n, table = environment.cells, environment.space.destinations
    may = np.zeros((n * n, n * n), dtype=bool)
    for good in range(n):
        for evil in range(n):
            for g, e in _outcomes((good, evil), (table[good][move], table[evil][move]), collision):
                may[good * n + evil, g * n + e] = True
    return may


def _outcomes(old: tuple[int, int], new: tuple[int, int], collision: str) -> list[tuple[int, int]]:
    """What may follow: an always-winner whose way is blocked by the loser's own cell has no legal move."""
    if new[0] != new[1] or collision == "share":
        return [new]
    good_moves, evil_moves = (new[0], old[1]), (old[0], new[1])
    options = {
        "stay": [old],
        "good": [good_moves],
        "evil": [evil_moves],
        "coin": [good_moves, evil_moves],
    }[collision]
    return [(good, evil) for good, evil in options if good != evil]
