"""Responses that follow an item response model, or none: known truth to try the fits on."""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.bounds import check_cells
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import NumbersLike, SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, choice, generator, integer, vector
from gindex_lab.measures.psychometrics.irt_em import curves
from gindex_lab.measures.psychometrics.irt_models import MODELS, ItemModel

__all__ = ["draw", "shuffle_within_items", "simulate_irt"]


def simulate_irt(
    items: pd.DataFrame,
    agents: int | None = None,
    *,
    ability: NumbersLike = None,
    model: str | None = None,
    seed: SeedLike,
) -> Responses:
    """Responses of `agents` drawn from N(0, 1), or of the given abilities, to items with columns
    `discrimination`, `difficulty` and (optional) `guessing`; or by `model` to items as `gl.irt` writes them:
    "graded", "gpcm", "pcm" (cuts `b1`, `b2`, ...), "nominal" (`a1`, `c1`, ...), "4pl" (`guessing`, `upper`)
    or "beta" (`precision`, and `b_zero`, `b_one` for exact zeros and ones). Category c of K is c / (K - 1).

    Reference: Birnbaum (1968), in Lord and Novick, chapters 17-20 (2PL, 3PL).

    >>> simulate_irt(pd.DataFrame({"discrimination": [1.0], "difficulty": [-40.0]}), 2, seed=1).values
    array([[1.],
           [1.]])
    >>> cuts = pd.DataFrame({"discrimination": [1.0, 2.0], "b1": [-1.0, 0.0], "b2": [1.0, 0.5]})
    >>> sorted(set(simulate_irt(cuts, 50, model="graded", seed=1).values.ravel().tolist()))
    [0.0, 0.5, 1.0]
    """
    if model is not None:
        from gindex_lab.measures.psychometrics.irt_forms import from_classical

        choice("model", model, MODELS)
        if not isinstance(items, pd.DataFrame):
            raise BadInput("items", type(items).__name__, "is not a DataFrame", "one row per item")
        kind, each = from_classical(model, items)
        return draw(kind, each, items.index, agents, ability, seed)
    rng = generator(seed)
    parameters = _as_parameters(items)
    known = _abilities(agents, ability, len(items), rng)
    chance = curves(parameters, known.to_numpy(dtype=float)).T
    drawn = (rng.random(chance.shape) < chance).astype(float)
    frame = pd.DataFrame(drawn, known.index, items.index)
    return Responses(frame, difficulty=items["difficulty"], source="simulated")


def draw(
    kind: ItemModel,
    parameters: FloatArray,
    names: pd.Index,
    agents: int | None,
    ability: NumbersLike,
    seed: SeedLike,
) -> Responses:
    """Responses to items of any model of `irt_models`, from its parameters (items x k)."""
    from scipy.special import betaincinv, betaln

    rng = generator(seed)
    known = _abilities(agents, ability, len(names), rng)
    form = kind.form(parameters[:, :1] * known.to_numpy(dtype=float), parameters[:, 1:])
    inner = form.log[:, kind.indicators :] + 1  # the Beta's parameters
    log = form.log[:, : kind.indicators].copy()
    if len(inner[0]):
        log[:, 1] += betaln(inner[:, 0], inner[:, 1])
    chance = np.exp(log) * kind.used[:, : kind.indicators, None]
    below = np.cumsum(chance, axis=1)[:, :-1]
    place = (rng.random((len(names), 1, len(known))) > below).sum(1)
    drawn = place / (kind.categories - 1)[:, None]
    if len(inner[0]):
        between = betaincinv(inner[:, 0], inner[:, 1], rng.random(place.shape))
        drawn = np.where(place == 1, np.clip(between, 1e-12, 1 - 1e-12), drawn)
    return Responses(pd.DataFrame(drawn.T, known.index, names), source="simulated")


def _abilities(
    agents: int | None, ability: NumbersLike, items: int, rng: np.random.Generator
) -> pd.Series:
    """The abilities given, or those of so many agents from N(0, 1)."""
    if (agents is None) == (ability is None):
        raise BadInput(
            "agents", agents, "[one-of-two] must be given, or ability, not both", "give one of them"
        )
    if ability is None:
        check_cells("agents", agents, integer("agents", agents), items, 0)
        known = pd.Series(rng.standard_normal(integer("agents", agents)))
        known.index = pd.Index([f"agent {i + 1}" for i in range(len(known))])
        return known
    return ability if isinstance(ability, pd.Series) else pd.Series(vector("ability", ability))


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
        raise BadInput(
            "items", type(items).__name__, "[not-a-table] is not a DataFrame", "one row per item"
        )
    for name in ("discrimination", "difficulty"):
        if name not in items:
            raise BadInput(
                "items", list(items.columns), f"[no-column] has no column {name!r}", "add it"
            )
    slope = vector("items.discrimination", items["discrimination"])
    intercept = -slope * vector("items.difficulty", items["difficulty"])
    guess = vector("items.guessing", items["guessing"] if "guessing" in items else 0 * slope)
    if (guess < 0).any() or (guess >= 1).any():
        raise BadInput(
            "items.guessing", guess.max(), "[out-of-range] is not in [0, 1)", "give probabilities"
        )
    with np.errstate(divide="ignore"):
        return np.stack([slope, intercept, np.log(guess / (1 - guess))], 1)
