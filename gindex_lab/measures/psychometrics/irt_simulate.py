"""Responses that follow an item response model, or none: known truth to try the fits on."""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.bounds import check_cells
from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import NumbersLike, SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, choice, generator, integer, vector
from gindex_lab.measures.psychometrics.irt_models import MODELS, ItemModel, curves

__all__ = ["draw", "shuffle_within_items", "simulate_irt"]


def simulate_irt(
    items: pd.DataFrame,
    agents: int | None = None,
    *,
    ability: NumbersLike = None,
    model: str | None = None,
    seed: SeedLike,
) -> Responses:
    """Draw responses of agents to items of an item response model.

    Parameters
    ----------
    items : DataFrame, one row per item: `discrimination`, `difficulty` and (optional) `guessing`; with a
        `model` as `gl.irt` writes them: cuts `b1`, `b2`, ... ("graded", "gpcm", "pcm"), `a1`, ... and `c1`,
        ... ("nominal"), `guessing` and `upper` ("4pl"), `precision` and, for exact zeros and ones, `b_zero`
        and `b_one` ("beta")
    agents : how many, from N(0, 1)
    ability : the abilities of the agents instead
    model : None, or the name of a model of `gl.irt`
    seed : an integer or a Generator

    Returns
    -------
    Responses, agents x items; category c of K is c / (K - 1).

    References
    ----------
    Birnbaum (1968), in Lord and Novick, chapters 17-20 (2PL, 3PL).

    Examples
    --------
    >>> simulate_irt(pd.DataFrame({"discrimination": [1.0], "difficulty": [-40.0]}), 2, seed=1).values
    array([[1.],
           [1.]])
    >>> cuts = pd.DataFrame({"discrimination": [1.0, 2.0], "b1": [-1.0, 0.0], "b2": [1.0, 0.5]})
    >>> sorted(set(simulate_irt(cuts, 50, model="graded", seed=1).values.ravel().tolist()))
    [0.0, 0.5, 1.0]
    """
    table = isinstance(items, pd.DataFrame)
    ensure(table, "items", type(items).__name__, "[not-a-table] is not a DataFrame", "one row per item")
    if model is not None:
        from gindex_lab.measures.psychometrics.irt_forms import from_classical

        choice("model", model, MODELS[1:])
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


def _abilities(agents: int | None, ability: NumbersLike, items: int, rng: np.random.Generator) -> pd.Series:
    """The abilities given, or those of so many agents from N(0, 1)."""
    problem = "[one-of-two] must be given, or ability, not both"
    ensure((agents is None) != (ability is None), "agents", agents, problem, "give one of them")
    if agents is not None:
        check_cells("agents", agents, integer("agents", agents), items, 0)
        names = pd.Index([f"agent {i + 1}" for i in range(agents)])
        return pd.Series(rng.standard_normal(agents), names)
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
    for name in ("discrimination", "difficulty"):
        ensure(name in items, "items", list(items.columns), f"[no-column] has no column {name!r}", "add it")
    slope = vector("items.discrimination", items["discrimination"])
    intercept = -slope * vector("items.difficulty", items["difficulty"])
    guess = vector("items.guessing", items["guessing"] if "guessing" in items else 0 * slope)
    inside = (guess >= 0).all() and (guess < 1).all()
    ensure(inside, "items.guessing", guess.max(), "[out-of-range] is not in [0, 1)", "give probabilities")
    with np.errstate(divide="ignore"):
        return np.stack([slope, intercept, np.log(guess / (1 - guess))], 1)
