"""Responses that follow an item response model, or none: known truth to try the fits on."""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.bounds import check_cells
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import NumbersLike, SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, generator, integer, vector
from gindex_lab.measures.psychometrics.irt_em import curves

__all__ = ["shuffle_within_items", "simulate_irt"]


def simulate_irt(
    items: pd.DataFrame, agents: int | None = None, *, ability: NumbersLike = None, seed: SeedLike
) -> Responses:
    """Responses of `agents` drawn from N(0, 1), or of the given abilities, to items with columns
    `discrimination`, `difficulty` and (optional) `guessing`.

    >>> simulate_irt(pd.DataFrame({"discrimination": [1.0], "difficulty": [-40.0]}), 2, seed=1).values
    array([[1.],
           [1.]])
    """
    rng = generator(seed)
    parameters = _as_parameters(items)
    if (agents is None) == (ability is None):
        raise BadInput("agents", agents, "must be given, or ability, not both", "give one of them")
    if ability is None:
        check_cells("agents", agents, integer("agents", agents), len(items), 0)
        known = pd.Series(rng.standard_normal(integer("agents", agents)))
        known.index = pd.Index([f"agent {i + 1}" for i in range(len(known))])
    else:
        known = ability if isinstance(ability, pd.Series) else pd.Series(vector("ability", ability))
    chance = curves(parameters, known.to_numpy(dtype=float)).T
    drawn = (rng.random(chance.shape) < chance).astype(float)
    frame = pd.DataFrame(drawn, known.index, items.index)
    return Responses(frame, difficulty=items["difficulty"], source="simulated")


def shuffle_within_items(frame: pd.DataFrame, seed: SeedLike) -> pd.DataFrame:
    """Each item's responses shuffled among the agents who gave them; gaps stay where they are.

    >>> table = pd.DataFrame({"a": [1.0, 0.0, None, 1.0], "b": [0.0, 0.0, 1.0, 0.0]})
    >>> shuffle_within_items(table, seed=1).mean().equals(table.mean())
    True
    """
    rng = generator(seed)
    values = frame.to_numpy(copy=True)
    for column in values.T:
        seen = ~np.isnan(column)
        column[seen] = rng.permutation(column[seen])
    return pd.DataFrame(values, frame.index, frame.columns)


def _as_parameters(items: pd.DataFrame) -> FloatArray:
    """Items x 3: slope, intercept, logit of guessing."""
    if not isinstance(items, pd.DataFrame):
        raise BadInput("items", type(items).__name__, "is not a DataFrame", "one row per item")
    for name in ("discrimination", "difficulty"):
        if name not in items:
            raise BadInput("items", list(items.columns), f"has no column {name!r}", "add it")
    slope = vector("items.discrimination", items["discrimination"])
    intercept = -slope * vector("items.difficulty", items["difficulty"])
    guess = vector("items.guessing", items["guessing"] if "guessing" in items else 0 * slope)
    if (guess < 0).any() or (guess >= 1).any():
        raise BadInput("items.guessing", guess.max(), "is not in [0, 1)", "give probabilities")
    with np.errstate(divide="ignore"):
        return np.stack([slope, intercept, np.log(guess / (1 - guess))], 1)
