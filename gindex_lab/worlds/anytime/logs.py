"""The published logs of Λ-One, and whether the rules explain them: 280 runs of people and Q-learning (2011).

The logs hold rewards, neither placements nor actions. Whether some placement, some actions and some coins
explain a sequence is a question of reachability over (agent, Good, Evil), answered here for the rules of
`environment` and for others: only the former explain all 280 sequences.

>>> explains(Environment("1+|1-", "0"), [1, 1, -1]), explains(Environment("1+|1-", "0"), [1, 0, 1])
(True, False)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.inputs import as_path
from gindex_lab.foundation.upstairs import upstairs
from gindex_lab.foundation.validate import choice
from gindex_lab.worlds.anytime.environment import Environment
from gindex_lab.worlds.anytime.planning import without_trail

__all__ = [
    "VARIANTS",
    "WorldRules",
    "as_environments",
    "explained",
    "explains",
    "logged_environments",
    "logged_rewards",
]

BoolArray = npt.NDArray[np.bool_]
COLLISIONS = ("coin", "good", "evil", "stay", "share")
REWARDS = ("after", "before", "placement")
STARTS = ("any", "agent at 0", "good at 0", "apart")


@dataclass(frozen=True)
class WorldRules:
    """Rules of Λ-One that might have been: the defaults are those that hold.

    `collision`: who moves when Good and Evil would enter one cell ("coin", "good", "evil", "stay", "share").
    `reward`: from the positions after the move; from those of Good and Evil "before" it; or with a first
    reward at the "placement". `offset` shifts the pattern. `start`: "any", "agent at 0", "good at 0", or the
    agent "apart" from both. (Insa-Cabrera et al. 2011.)

    >>> WorldRules(offset=1).collision
    'coin'
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
    "reward before Good/Evil move": WorldRules(reward="before"),
    "pattern offset +1": WorldRules(offset=1),
    "pattern offset -1": WorldRules(offset=-1),
    "first reward at the initial placement": WorldRules(reward="placement"),
    "collision: Good always wins": WorldRules(collision="good"),
    "collision: Evil always wins": WorldRules(collision="evil"),
    "collision: both stay": WorldRules(collision="stay"),
    "collision: both share the cell": WorldRules(collision="share"),
    "agent starts at cell 0": WorldRules(start="agent at 0"),
    "Good starts at cell 0": WorldRules(start="good at 0"),
    "agent never starts on Good/Evil": WorldRules(start="apart"),
}
_RULES = WorldRules()


def explains(
    environment: Environment, rewards: Iterable[float], rules: WorldRules = _RULES
) -> bool:
    """Whether some placement, actions and coins give exactly these rewards.

    Reference: Insa-Cabrera et al. (2011), LNCS 6830, 122-132.

    >>> explains(Environment("1+|1-", "1"), [1, -1, 1])
    True
    """
    n = without_trail(environment).cells
    if not isinstance(rules, WorldRules):
        raise BadInput("rules", rules, "[not-rules] are not rules", "use gl.anytime.Rules(...)")
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
        problem = "[not-rewards] is not a sequence of rewards"
        raise BadInput("rewards", rewards, problem, "pass a list of -1, 0, 1")
    wanted = list(rewards)
    for place, reward in enumerate(wanted):
        if reward not in (-1, 0, 1):
            problem = "[not-a-reward] is not a reward of Λ-One"
            raise BadInput(f"rewards[{place}]", reward, problem, "use -1, 0 or 1")
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


_SPACE, _PATTERN, _AGENT, _STEPS, _MEAN = 2, 6, 9, 10, 15


def logged_rewards(path: str | Path | None = None) -> pd.DataFrame:
    """One row per logged run: `agent`, `space`, `pattern`, and `rewards`, a tuple of -1, 0 and 1.

    Read from the authors' archive (`lambda.data.zip`): at `path`, or wherever the data are (see
    `gindex_lab.studies.data.original_files`), else downloaded. The tidy data set has the means only.
    (Insa-Cabrera et al. 2011.)
    """
    place = upstairs("original")("lambda") if path is None else as_path("path", path)
    with upstairs("OriginalArchive")(place) as archive:
        log = archive.table("lambda.data/Experimentos.csv", sep=";", header=None, decimal=",")
    if log.shape[1] <= _MEAN or not set(log[_AGENT]) <= {"Human", "QLearning"}:
        raise BadInput(
            "path", str(place), "[not-the-log] is not the log of Lambda-One", "fetch it again"
        )
    rows = []
    for run in log.itertuples(index=False):
        first, steps = _MEAN + 1, int(run[_STEPS])
        rewards = tuple(int(reward) for reward in run[first : first + steps])
        rows.append((run[_AGENT], run[_SPACE], run[_PATTERN].removeprefix("p"), rewards))
    return pd.DataFrame(rows, columns=["agent", "space", "pattern", "rewards"])


def explained(runs: pd.DataFrame, variants: Mapping[str, WorldRules] | None = None) -> pd.DataFrame:
    """How many runs each set of rules can explain: a row per set, a column per agent.

    The first row is our environment; the others are the alternatives of `VARIANTS`. A single run that a set
    of rules cannot explain refutes it. (Insa-Cabrera et al. 2011.)

    >>> runs = pd.DataFrame({"agent": ["a"], "space": ["1+|1-"], "pattern": ["1"], "rewards": [(1, -1)]})
    >>> explained(runs, {"Good starts at cell 0": VARIANTS["Good starts at cell 0"]})["a"].tolist()
    [1, 1]
    """
    rules = {"our rules": WorldRules(), **(VARIANTS if variants is None else variants)}
    worlds = [Environment(s, p) for s, p in zip(runs["space"], runs["pattern"], strict=True)]
    found = {
        name: [explains(w, r, rule) for w, r in zip(worlds, runs["rewards"], strict=True)]
        for name, rule in rules.items()
    }
    return pd.DataFrame(found).groupby(runs["agent"].to_numpy(), sort=False).sum().T


def as_environments(table: pd.DataFrame, **rules: Any) -> list[Environment]:
    """One environment for each row of a table with the columns `space` and `pattern`.

    The columns of the published items (`spacedesc`, and patterns that begin with `p`) are understood, too.
    `rules` are those of `Environment`, such as `observation="local"`. (Insa-Cabrera et al. 2011.)

    >>> as_environments(pd.DataFrame({"space": ["1+|1-"], "pattern": ["01"]}))
    [Environment('1+|1-', '01')]
    """
    if not isinstance(table, pd.DataFrame):
        raise BadInput(
            "table", type(table).__name__, "[not-a-table] is not a table", "pass a DataFrame"
        )
    space = "spacedesc" if "spacedesc" in table else "space"
    for column in (space, "pattern"):
        if column not in table:
            problem = f"[no-column] has no column {column!r}"
            raise BadInput("table", list(table.columns), problem, "add it as text")
    rows = zip(table[space], table["pattern"], strict=True)
    return [
        Environment(s, p.removeprefix("p") if isinstance(p, str) else p, **rules) for s, p in rows
    ]


def logged_environments(**rules: Any) -> list[Environment]:
    """The 140 environments of Λ-One on which people and Q-learning were compared (2011)."""
    return as_environments(upstairs("load")("lambda").items, **rules)


Rules = WorldRules  # its name until November 2026
