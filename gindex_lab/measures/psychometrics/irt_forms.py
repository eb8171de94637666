"""One item, two ways of writing it: R's slope-intercept form and the classical a and b.

z = aθ + d is what the engine fits; b = -d / a is where on the scale of ability an answer turns. Partial
credit intercepts are sums, so that b_c = -(d_c - d_(c-1)) / a is where categories c - 1 and c are equally
likely. Nominal slopes and intercepts are told with a mean of 0 over the categories (Bock 1972), and in the
slope-intercept form as mirt does: a, and scores ak from 0 to K - 1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.validate import FloatArray, vector
from gindex_lab.measures.psychometrics.irt_models import FAR, BoolArray, ItemModel, logistic, model_of

__all__ = ["Writer", "classical", "from_classical", "slope_intercept"]

Writer = Callable[[str, ItemModel, FloatArray], dict[str, FloatArray]]


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
    problem = "[missing-column] has no columns b1, b2, ..."
    ensure(cuts, "items", list(items.columns), problem, "add the cuts")
    b = items[cuts].to_numpy(dtype=float)
    known = ~np.isnan(b)
    gap = ~known[:, 0] | (known[:, 1:] & ~known[:, :-1]).any(1)
    problem, remedy = "[gap] has a gap among its cuts", "fill b1, b2, ... in order"
    ensure(not gap.any(), "items", b[gap.argmax()].tolist(), problem, remedy)
    d = -slope[:, None] * b
    with np.errstate(invalid="ignore"):
        falls = (known[:, 1:] & (np.diff(np.where(known, d, -np.inf), axis=1) >= 0)).any(1)
    ordered, problem = (
        name != "graded" or not falls.any(),
        "[order] has cuts that do not rise (with a positive ",
    )
    first = b[falls.argmax()].tolist()
    ensure(ordered, "items", first, f"{problem}discrimination)", "order b1 < b2 < ...")
    model = model_of(name, 1 + known.sum(1))
    d = np.where(known, d, -np.inf) if name == "graded" else np.cumsum(np.where(known, d, 0.0), axis=1)
    return model, np.column_stack([slope, d])


def _column(items: pd.DataFrame, name: str) -> pd.Series:
    problem = f"[missing-column] has no column {name!r}"
    ensure(name in items, "items", list(items.columns), problem, "add it")
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
