"""The published logs of Λ-One, step by step: 280 runs of people and of Q-learning (2011)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.inputs import as_path
from gindex_lab.foundation.upstairs import upstairs
from gindex_lab.worlds.anytime.environment import Environment
from gindex_lab.worlds.anytime.feasibility import VARIANTS, Rules, explains

__all__ = ["explained", "logged_rewards"]

_SPACE, _PATTERN, _AGENT, _STEPS, _MEAN = 2, 6, 9, 10, 15


def logged_rewards(path: str | Path | None = None) -> pd.DataFrame:
    """One row per logged run: `agent`, `space`, `pattern`, and `rewards`, a tuple of -1, 0 and 1.

    Read from the authors' archive (`lambda.data.zip`): at `path`, or wherever the data are (see
    `gindex_lab.studies.data.original_files`), else downloaded. The tidy data set has the means only.
    """
    place = upstairs("original")("lambda") if path is None else as_path("path", path)
    with upstairs("Archive")(place) as archive:
        log = archive.table("lambda.data/Experimentos.csv", sep=";", header=None, decimal=",")
    if log.shape[1] <= _MEAN or not set(log[_AGENT]) <= {"Human", "QLearning"}:
        raise BadInput("path", str(place), "is not the log of Lambda-One", "fetch it again")
    rows = []
    for run in log.itertuples(index=False):
        first, steps = _MEAN + 1, int(run[_STEPS])
        rewards = tuple(int(reward) for reward in run[first : first + steps])
        rows.append((run[_AGENT], run[_SPACE], run[_PATTERN].removeprefix("p"), rewards))
    return pd.DataFrame(rows, columns=["agent", "space", "pattern", "rewards"])


def explained(runs: pd.DataFrame, variants: Mapping[str, Rules] | None = None) -> pd.DataFrame:
    """How many runs each set of rules can explain: a row per set, a column per agent.

    The first row is our environment; the others are the alternatives of `VARIANTS`. A single run that a set
    of rules cannot explain refutes it.

    >>> runs = pd.DataFrame({"agent": ["a"], "space": ["1+|1-"], "pattern": ["1"], "rewards": [(1, -1)]})
    >>> explained(runs, {"Good starts at cell 0": VARIANTS["Good starts at cell 0"]})["a"].tolist()
    [1, 1]
    """
    rules = {"our rules": Rules(), **(VARIANTS if variants is None else variants)}
    worlds = [Environment(s, p) for s, p in zip(runs["space"], runs["pattern"], strict=True)]
    found = {
        name: [explains(w, r, rule) for w, r in zip(worlds, runs["rewards"], strict=True)]
        for name, rule in rules.items()
    }
    return pd.DataFrame(found).groupby(runs["agent"].to_numpy(), sort=False).sum().T
