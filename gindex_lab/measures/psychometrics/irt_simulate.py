"""Items as tables, in R's slope-intercept form and the classical a and b, and responses drawn from them.

z = aθ + d is what the engine fits; b = -d / a is where on the scale of ability an answer turns. Partial
credit intercepts are sums, so that b_c = -(d_c - d_(c-1)) / a is where categories c - 1 and c are equally
likely. Nominal slopes and intercepts are told with a mean of 0 over the categories (Bock 1972), and in the
slope-intercept form as mirt does: a, and scores ak from 0 to K - 1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from gindex_lab.foundation.bounds import check_cells
from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import NumbersLike, SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, choice, generator, integer, vector
from gindex_lab.measures.psychometrics.irt_models import (
    FAR,
    MODELS,
    BoolArray,
    ItemModel,
    curves,
    logistic,
    model_of,
)

__all__ = ["Writer", "classical", "draw", "from_classical", "shuffle_within_items", "simulate_irt"]
__all__ += ["slope_intercept"]

Writer = Callable[[str, ItemModel, FloatArray], dict[str, FloatArray]]


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
    from scipy.special import betaincinv

    from gindex_lab.measures.psychometrics.irt_beta import parts

    rng = generator(seed)
    known = _abilities(agents, ability, len(names), rng)
    form = kind.form(parameters[:, :1] * known.to_numpy(dtype=float), parameters[:, 1:])
    chance, *inner = parts(form) if kind.name == "beta" else (np.exp(form.log),)
    below = np.cumsum(chance * kind.used[:, : kind.indicators, None], axis=1)[:, :-1]
    place = (rng.random((len(names), 1, len(known))) > below).sum(1)
    drawn = place / (kind.categories - 1)[:, None]
    if inner:
        between = betaincinv(*inner, rng.random(place.shape))
        drawn = np.where(place == 1, np.clip(between, 1e-12, 1 - 1e-12), drawn)
    return Responses(pd.DataFrame(drawn.T, known.index, names), source="simulated")


def _abilities(agents: int | None, ability: NumbersLike, items: int, rng: np.random.Generator) -> pd.Series:
    """The abilities given, or those of so many agents from N(0, 1)."""
    problem = "[one-of-two] must be given, or ability, not both"
    ensure((agents is None) != (ability is None), "agents", agents, problem, "give one of them")
    if agents is not None:
        count = integer("agents", agents)
        check_cells("agents", agents, count, items, 0)
        return pd.Series(rng.standard_normal(count), pd.Index([f"agent {i + 1}" for i in range(count)]))
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


# -- the two ways of writing an item ------------------------------------------------------------------


def classical(name: str, model: ItemModel, p: FloatArray) -> dict[str, FloatArray]:
    """The columns of the items' table, from items x k parameters (slope first)."""
    slope, rest = p[:, 0], p[:, 1:]
    if name == "nominal":
        return _centred(model, rest)
    steep = np.where(slope == 0, 1e-12, slope)
    table = {"discrimination": slope}
    if name in ("1pl", "2pl", "3pl", "4pl"):
        table |= {"difficulty": -rest[:, 0] / steep, "guessing": 0 * slope}
        return table | {
            word: logistic(rest[:, n]) for n, word in ((1, "guessing"), (2, "upper")) if n < model.size
        }
    if name == "beta":
        table |= {"difficulty": -rest[:, 2] / steep, "precision": np.exp(rest[:, 3])}
        cuts = np.where(model.free[:, :2], -rest[:, :2] / steep[:, None], np.nan)
        return table | {"b_zero": cuts[:, 0], "b_one": cuts[:, 1]}
    steps = rest if name == "graded" else np.diff(rest, axis=1, prepend=0.0)
    with np.errstate(invalid="ignore"):
        b = np.where(model.free, -steps / steep[:, None], np.nan)
    table["difficulty"] = np.nanmean(b, axis=1)
    return table | {f"b{c + 1}": b[:, c] for c in range(b.shape[1])}


def _centred(model: ItemModel, rest: FloatArray) -> dict[str, FloatArray]:
    later = model.columns - 1
    table: dict[str, FloatArray] = {}
    for letter, part in (("a", rest[:, :later]), ("c", rest[:, later:])):
        full = np.where(model.used, np.hstack([np.zeros((len(rest), 1)), part]), np.nan)
        full = full - np.nanmean(full, axis=1, keepdims=True)
        table |= {f"{letter}{c + 1}": full[:, c] for c in range(full.shape[1])}
    return table


def slope_intercept(name: str, model: ItemModel, p: FloatArray) -> dict[str, FloatArray]:
    """mirt's columns: a1 and d (d1, d2, ...), g and u, or a1, ak0 .. and d0 .. of nominal items."""
    slope, rest = p[:, 0], p[:, 1:]
    if name == "nominal":
        later = model.columns - 1
        last = rest[np.arange(len(rest)), model.categories - 2]
        a = last / (model.categories - 1)
        a = np.where(a == 0, 1e-12, a)
        table = {"a1": a, "ak0": 0 * a}
        table |= {
            f"ak{c}": np.where(model.used[:, c], rest[:, c - 1] / a, np.nan) for c in range(1, later + 1)
        }
        table["d0"] = 0 * a
        return table | {
            f"d{c}": np.where(model.used[:, c], rest[:, later + c - 1], np.nan) for c in range(1, later + 1)
        }
    table = {"a1": slope}
    if name in ("1pl", "2pl", "3pl", "4pl"):
        ends = {"g": 1, "u": 2}
        table["d"] = rest[:, 0]
        return table | {word: logistic(rest[:, n]) for word, n in ends.items() if n < model.size}
    shown = np.where(model.free, rest, np.nan)
    return table | {column: shown[:, c] for c, column in enumerate(model.names)}


def from_classical(name: str, items: pd.DataFrame) -> tuple[ItemModel, FloatArray]:
    """The model and its parameters (items x k) from a table as `classical` writes it."""
    if name == "nominal":
        return _nominal(items)
    slope = vector("items.discrimination", _column(items, "discrimination"))
    if name in ("2pl", "3pl", "4pl"):
        rest = [-slope * vector("items.difficulty", _column(items, "difficulty"))]
        for word in ("guessing", "upper")[: int(name[0]) - 2]:
            share = vector(f"items.{word}", _column(items, word))
            inside = ((share > 0) & (share < 1)).all()
            problem = "[out-of-range] must lie between 0 and 1"
            ensure(inside, f"items.{word}", share.max(), problem, "give probabilities")
            rest.append(np.log(share / (1 - share)))
        model = model_of(name, [2] * len(slope))
        return model, np.column_stack([slope, *rest])
    if name == "beta":
        return _beta(items, slope)
    cuts = [c for c in items.columns if str(c)[0] == "b" and str(c)[1:].isdigit()]
    ensure(cuts, "items", list(items.columns), "[missing-column] has no columns b1, b2, ...", "add the cuts")
    b = items[cuts].to_numpy(dtype=float)
    known = ~np.isnan(b)
    gap = ~known[:, 0] | (known[:, 1:] & ~known[:, :-1]).any(1)
    problem, remedy = "[gap] has a gap among its cuts", "fill b1, b2, ... in order"
    ensure(not gap.any(), "items", b[gap.argmax()].tolist(), problem, remedy)
    d = -slope[:, None] * b
    with np.errstate(invalid="ignore"):
        falls = (known[:, 1:] & (np.diff(np.where(known, d, -np.inf), axis=1) >= 0)).any(1)
    ordered, first = name != "graded" or not falls.any(), b[falls.argmax()].tolist()
    problem = "[order] has cuts that do not rise (with a positive discrimination)"
    ensure(ordered, "items", first, problem, "order b1 < b2 < ...")
    model = model_of(name, 1 + known.sum(1))
    d = np.where(known, d, -np.inf) if name == "graded" else np.cumsum(np.where(known, d, 0.0), axis=1)
    return model, np.column_stack([slope, d])


def _column(items: pd.DataFrame, name: str) -> pd.Series:
    ensure(name in items, "items", list(items.columns), f"[missing-column] has no column {name!r}", "add it")
    return items[name]


def _nominal(items: pd.DataFrame) -> tuple[ItemModel, FloatArray]:
    count = sum(f"a{c}" in items for c in range(1, 1 + items.shape[1]))
    problem = "[missing-column] has no columns a1, a2, ... and c1, c2, ..."
    ensure(count > 1, "items", list(items.columns), problem, "add them")
    parts = [
        np.column_stack([_column(items, f"{letter}{c + 1}").to_numpy(float) for c in range(count)])
        for letter in "ac"
    ]
    model = model_of("nominal", (~np.isnan(parts[0])).sum(1))
    rest = [np.nan_to_num(part - part[:, :1])[:, 1:] for part in parts]
    return model, np.column_stack([np.ones(len(items)), *rest])


def _beta(items: pd.DataFrame, slope: FloatArray) -> tuple[ItemModel, FloatArray]:
    middle = -slope * vector("items.difficulty", _column(items, "difficulty"))
    phi = vector("items.precision", _column(items, "precision"))
    problem = "[out-of-range] must be above 0"
    ensure((phi > 0).all(), "items.precision", phi.min(), problem, "give φ of the Beta")
    cuts = np.full((len(items), 2), np.nan)
    for n, word in enumerate(("b_zero", "b_one")):
        if word in items:
            cuts[:, n] = -slope * items[word].to_numpy(float)
    ends: BoolArray = ~np.isnan(cuts)
    model = model_of("beta", [3] * len(items), ends)
    return model, np.column_stack([slope, np.where(ends, cuts, [FAR, -FAR]), middle, np.log(phi)])
