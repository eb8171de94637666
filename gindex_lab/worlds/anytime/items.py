"""Environments as items: agents x environments as `Responses`, for the analysis of generality."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import choice, flag, integer
from gindex_lab.worlds.anytime.complexity import MEASURES, complexity, published_complexity
from gindex_lab.worlds.anytime.environment import Environment
from gindex_lab.worlds.anytime.episodes import environments_of, mean_rewards
from gindex_lab.worlds.anytime.scoring import named_agents

__all__ = ["as_items", "describe_items"]


def describe_items(environments: Iterable[Environment]) -> pd.DataFrame:
    """One row per environment: cells, actions, space, pattern, `bits`, and the published comp1 … comp4.

    >>> describe_items([Environment("1+|1-", "0")])[["cells", "bits"]].iloc[0].tolist()
    [2.0, 8.0]
    """
    worlds = environments_of(environments)
    rows = [
        {
            "cells": world.cells,
            "actions": world.actions,
            "space": world.space.text,
            "pattern": str(world.pattern),
            "bits": complexity(world),
            **published_complexity(world),
        }
        for world in worlds
    ]
    width = max(3, len(str(len(rows))))
    return pd.DataFrame(rows, index=[f"E{k:0{width}}" for k in range(1, len(rows) + 1)])


def as_items(
    agents: Mapping[str, object] | Sequence[object],
    environments: Iterable[Environment],
    *,
    runs: int = 5,
    steps: int | None = None,
    scale: str = "clip",
    difficulty: str = "comp2",
    antithetic: bool = False,
    seed: SeedLike = 0,
) -> Responses:
    """Mean rewards of agents in environments as responses, with the complexity as difficulty.

    A session's mean reward in [-1, 1] becomes a response by `scale`: "clip" puts negative ones at 0, as the
    published script does; "unit" maps r to (r + 1) / 2, where a random agent has 1/2. Each of the `runs`
    is a trial. `difficulty` names a measure: "comp2" (published), "bits", ….

    >>> worlds = [Environment("1+|1-", "0"), Environment("12-|1-2--|1++2--", "2210")]
    >>> as_items(["random", "oracle"], worlds, runs=2, seed=1).shape
    (2, 2)
    """
    worlds, named = environments_of(environments), named_agents(agents)
    choice("scale", scale, ["clip", "unit"])
    choice("difficulty", difficulty, list(MEASURES))
    count, twins = integer("runs", runs, 1), flag("antithetic", antithetic)
    items = describe_items(worlds)
    parts = []
    for name, who in named.items():
        means = mean_rewards(who, worlds, runs=count, steps=steps, antithetic=twins, seed=seed)
        scaled = means.clip(0, 1) if scale == "clip" else (means + 1) / 2
        parts.append(_long(name, items.index, scaled))
    return Responses.from_long(
        pd.concat(parts, ignore_index=True),
        trial="trial",
        difficulty=[complexity(world, difficulty) for world in worlds],
        items=items,
        name="Λ environments",
        source="own experiment",
    )


def _long(name: str, items: pd.Index, means: np.ndarray) -> pd.DataFrame:
    runs = means.shape[1]
    return pd.DataFrame(
        {
            "agent": name,
            "item": np.repeat(items, runs),
            "response": means.reshape(-1),
            "trial": np.tile(np.arange(1, runs + 1), len(items)),
        }
    )
