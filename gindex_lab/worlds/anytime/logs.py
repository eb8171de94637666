"""The published logs of Λ-One, and whether the rules explain them: 280 runs of people and Q-learning (2011).

The logs hold rewards, neither placements nor actions. Whether some placement, some actions and some coins
explain a sequence is a question of reachability over (agent, Good, Evil), answered here for the rules of
`environment` and for others: only the former explain all 280 sequences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.inputs import as_path
from gindex_lab.foundation.upstairs import upstairs
from gindex_lab.foundation.validate import choice
from gindex_lab.worlds.anytime.environment import Environment
from gindex_lab.worlds.anytime.planning import body_moves, signs, without_trail

__all__ = [
    *("VARIANTS", "WorldRules", "as_environments", "explained", "explains", "logged_environments"),
    "logged_rewards",
]

# columns of the authors' table
_SPACE, _PATTERN, _AGENT, _STEPS, _MEAN = 2, 6, 9, 10, 15


@dataclass(frozen=True)
class WorldRules:
    """Rules of Λ-One that might have been: the defaults are those that hold.

    `collision`: who moves when Good and Evil would enter one cell ("coin", "good", "evil", "stay", "share").
    `reward`: from the positions after the move; from those of Good and Evil "before" it; or with a first
    reward at the "placement". `offset` shifts the pattern. `start`: "any", "agent at 0", "good at 0", or the
    agent "apart" from both. (Insa-Cabrera et al. 2011, LNCS 6830, 122-132.)

    >>> WorldRules(offset=1).collision
    'coin'
    """

    collision: str = "coin"
    reward: str = "after"
    offset: int = 0
    start: str = "any"

    def __post_init__(self) -> None:
        choice("collision", self.collision, ("coin", "good", "evil", "stay", "share"))
        choice("reward", self.reward, ("after", "before", "placement"))
        choice("start", self.start, ("any", "agent at 0", "good at 0", "apart"))


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


def explains(environment: Environment, rewards: Iterable[float], rules: WorldRules = _RULES) -> bool:
    """Whether some placement, actions and coins give exactly these rewards.

    Parameters
    ----------
    environment : one of Λ-One
    rewards : -1, 0 or 1 for each step
    rules : of collisions, rewards and placements; by default those of `Environment`

    Returns
    -------
    True or False.

    References
    ----------
    Insa-Cabrera et al. (2011), LNCS 6830, 122-132.

    Examples
    --------
    >>> explains(Environment("1+|1-", "0"), [1, 1, -1]), explains(Environment("1+|1-", "0"), [1, 0, 1])
    (True, False)
    """
    n = without_trail(environment).cells
    known = isinstance(rules, WorldRules)
    ensure(known, "rules", rules, "[not-rules] are not rules", "use gl.anytime.Rules(...)")
    sequence = isinstance(rewards, Iterable) and not isinstance(rewards, str)
    problem, remedy = "[not-rewards] is not a sequence of rewards", "pass a list of -1, 0, 1"
    ensure(sequence, "rewards", rewards, problem, remedy)
    wanted = list(rewards)
    wrong = next((place for place, reward in enumerate(wanted) if reward not in (-1, 0, 1)), None)
    if wrong is not None:
        problem = "[not-a-reward] is not a reward of Λ-One"
        raise BadInput(f"rewards[{wrong}]", wanted[wrong], problem, "use -1, 0 or 1")
    script = environment.script(len(wanted))
    reach = np.zeros((n, n), dtype=bool)
    for here, row in enumerate(environment.space.destinations):
        reach[here, list(row)] = True
    law = {move: body_moves(environment, move, rules.collision) > 0 for move in set(script.tolist())}
    value = signs(n)
    paid: dict[float, Any] = {reward: value == reward for reward in (-1, 0, 1)}
    cell, good, evil = np.ogrid[:n, :n, :n]
    states = {
        "any": good != evil,
        "agent at 0": (good != evil) & (cell == 0),
        "good at 0": (good != evil) & (good == 0),
        "apart": (good != evil) & (cell != good) & (cell != evil),
    }[rules.start]
    states = np.broadcast_to(states, (n, n, n)).reshape(n, n * n)
    for step, reward in enumerate(wanted):
        move = law[int(script[(step + rules.offset - (rules.reward == "placement")) % len(script)])]
        if rules.reward == "before":
            states = ((reach.T @ states) & paid[reward]) @ move
        elif rules.reward == "placement" and step == 0:
            states = states & paid[reward]
        else:
            states = (reach.T @ states @ move) & paid[reward]
        if not states.any():
            return False
    return True


def logged_rewards(path: str | Path | None = None) -> pd.DataFrame:
    """The logged runs, step by step; the tidy data set has the means only.

    Parameters
    ----------
    path : the authors' archive (`lambda.data.zip`); by default wherever the data are (see
        `gindex_lab.studies.data.download`), else downloaded

    Returns
    -------
    DataFrame with a row per run: `agent`, `space`, `pattern`, and `rewards`, a tuple of -1, 0 and 1.

    References
    ----------
    Insa-Cabrera et al. (2011), LNCS 6830, 122-132.
    """
    place = upstairs("original")("lambda") if path is None else as_path("path", path)
    with upstairs("OriginalArchive")(place) as archive:
        log = archive.table("lambda.data/Experimentos.csv", sep=";", header=None, decimal=",")
    if log.shape[1] <= _MEAN or not set(log[_AGENT]) <= {"Human", "QLearning"}:
        raise BadInput("path", str(place), "[not-the-log] is not the log of Lambda-One", "fetch it again")
    rows = []
    for run in log.itertuples(index=False):
        rewards = run[_MEAN + 1 : _MEAN + 1 + int(run[_STEPS])]
        pattern = run[_PATTERN].removeprefix("p")
        rows.append((run[_AGENT], run[_SPACE], pattern, tuple(int(reward) for reward in rewards)))
    return pd.DataFrame(rows, columns=["agent", "space", "pattern", "rewards"])


def explained(runs: pd.DataFrame, variants: Mapping[str, WorldRules] | None = None) -> pd.DataFrame:
    """How many runs each set of rules can explain; a single run that it cannot explain refutes it.

    Parameters
    ----------
    runs : as `logged_rewards` gives them
    variants : sets of rules by name, `VARIANTS` by default

    Returns
    -------
    DataFrame with a row per set, the first for our environment, and a column per agent.

    References
    ----------
    Insa-Cabrera et al. (2011), LNCS 6830, 122-132.

    Examples
    --------
    >>> runs = pd.DataFrame({"agent": ["a"], "space": ["1+|1-"], "pattern": ["1"], "rewards": [(1, -1)]})
    >>> explained(runs, {"Good starts at cell 0": VARIANTS["Good starts at cell 0"]})["a"].tolist()
    [1, 1]
    """
    rules = {"our rules": WorldRules(), **(VARIANTS if variants is None else variants)}
    pairs = list(zip(as_environments(runs), runs["rewards"], strict=True))
    found = {name: [explains(w, r, rule) for w, r in pairs] for name, rule in rules.items()}
    return pd.DataFrame(found).groupby(runs["agent"].to_numpy(), sort=False).sum().T


def as_environments(table: pd.DataFrame, **rules: Any) -> list[Environment]:
    """One environment for each row of a table.

    Parameters
    ----------
    table : with the columns `space` and `pattern`; those of the published items (`spacedesc`, and patterns
        that begin with `p`) are understood, too
    rules : of `Environment`, such as `observation="local"`

    Returns
    -------
    List of environments.

    References
    ----------
    Insa-Cabrera et al. (2011), LNCS 6830, 122-132.

    Examples
    --------
    >>> as_environments(pd.DataFrame({"space": ["1+|1-"], "pattern": ["01"]}))
    [Environment('1+|1-', '01')]
    """
    if not isinstance(table, pd.DataFrame):
        raise BadInput("table", type(table).__name__, "[not-a-table] is not a table", "pass a DataFrame")
    space = "spacedesc" if "spacedesc" in table else "space"
    for column in (space, "pattern"):
        problem = f"[no-column] has no column {column!r}"
        ensure(column in table, "table", list(table.columns), problem, "add it as text")
    rows = zip(table[space], table["pattern"], strict=True)
    return [Environment(s, p.removeprefix("p") if isinstance(p, str) else p, **rules) for s, p in rows]


def logged_environments(**rules: Any) -> list[Environment]:
    """The 140 environments of Λ-One on which people and Q-learning were compared (2011).

    Returns
    -------
    List of environments; keywords are the rules of `Environment`.
    """
    return as_environments(upstairs("load")("lambda").items, **rules)


Rules = WorldRules  # its name until November 2026
