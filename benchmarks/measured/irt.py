"""Are the items of a known test found again, and do standard errors hold the truth?

Responses are drawn from known items (log slopes of sd 0.3, difficulties from N(0, 1)). Kept in
`data/measured/irt_recovery.csv`: bias, error, and how often estimate ± 1.96 errors (`limits` of the model)
hold the truth, by kind of parameter. `python -m benchmarks.measured.irt OUT.csv` makes it again and goes on
where it stopped. `irt_levels` has the tests, `dif_power` their power.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import Caution
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.irt import ItemResponseModel, irt
from gindex_lab.measures.psychometrics.irt_simulate import simulate_irt
from gindex_lab.measures.psychometrics.multigroup import multigroup
from gindex_lab.studies.simulations.coverage_study import kept_study

__all__ = ["check_recovery", "drawn", "fitted", "items_of", "recovery_designs", "two_groups"]

_CUTS = {"graded": 3, "gpcm": 2, "pcm": 2}  # steps of an item
Row = dict[str, Any]


def items_of(model: str, items: int, rng: np.random.Generator, spread: float = 0.3) -> pd.DataFrame:
    """True items of a model, as `gl.simulate_irt` takes them; asymptotes are drawn from the weak priors.

    >>> list(items_of("4pl", 2, np.random.default_rng(1)))
    ['discrimination', 'difficulty', 'guessing', 'upper']
    """
    slope = rng.lognormal(0.15, spread, items)
    slope = np.full(items, 1.2) if model in ("1pl", "pcm") else slope
    table = pd.DataFrame({"discrimination": slope, "difficulty": rng.standard_normal(items)})
    for name, mean in (("guessing", -1.4), ("upper", 2.2)):
        if model == "4pl" or (model == "3pl" and name == "guessing"):
            table[name] = 1 / (1 + np.exp(-rng.normal(mean, 0.5, items)))
    if model in _CUTS:
        steps = np.linspace(-0.9, 0.9, _CUTS[model]) + rng.normal(0, 0.15, (items, _CUTS[model]))
        cuts = table["difficulty"].to_numpy()[:, None] * 0.7 + np.sort(steps, axis=1)
        table = table[["discrimination"]].join(pd.DataFrame(cuts).rename(columns=lambda c: f"b{c + 1}"))
    if model == "nominal":
        slopes = slope[:, None] * (np.array([-1.0, 0.0, 1.0]) + rng.normal(0, 0.15, (items, 3)))
        table = pd.DataFrame(slopes - slopes.mean(1, keepdims=True), columns=["a1", "a2", "a3"])
        shift = rng.normal(0, 0.5, (items, 3))
        table[["c1", "c2", "c3"]] = shift - shift.mean(1, keepdims=True)
    if model == "beta":
        table["precision"] = rng.uniform(3, 8, items)
        table["b_zero"], table["b_one"] = table["difficulty"] - 1.5, table["difficulty"] + 1.5
    return table


def drawn(model: str, table: pd.DataFrame, rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Responses of n agents from N(0, 1) to such items."""
    plain = model in ("1pl", "2pl", "3pl")
    return simulate_irt(table, n, model=None if plain else model, seed=rng).frame


def fitted(model: str, frame: pd.DataFrame) -> ItemResponseModel:
    """The model as users fit it, a 3PL with weak priors."""
    return irt(frame, model, priors="weak" if model == "3pl" else None)


def two_groups(
    table: pd.DataFrame,
    other: pd.DataFrame,
    n: int,
    apart: float,
    rng: np.random.Generator,
    model: str = "2pl",
) -> tuple[pd.DataFrame, list[str]]:
    """Responses of n agents each from N(0, 1) to one table of items and from N(-apart, 1) to another."""
    kind = "graded" if model == "graded" else None
    parts = [
        simulate_irt(items, ability=rng.normal(mean, 1, n), model=kind, seed=rng).frame
        for items, mean in ((table, 0.0), (other, -apart))
    ]
    return pd.concat(parts, ignore_index=True), ["reference"] * n + ["focal"] * n


def recovery_designs() -> pd.DataFrame:
    """Every design.

    >>> recovery_designs()["model"].nunique()
    13
    """
    kinds = ["1pl", "2pl", "graded", "gpcm", "pcm", "nominal", "beta", "3pl", "4pl"]
    rows = [(model, 500, 20 if model == "4pl" else 10) for model in kinds]
    rows += [("2pl, two groups", 500, 10), ("graded, two groups", 500, 6)]
    rows += [("2pl, confirmatory", 1000, 10), ("2pl, exploratory", 1000, 10)]
    return pd.DataFrame(rows, columns=["model", "agents", "items"])


def check_recovery(row: Row, simulations: int, seed: int) -> dict[str, float]:
    """Bias, root mean square error and coverage of the limits at 95%, by kind of parameter."""
    model, n, items = row["model"], row["agents"], row["items"]
    rng = np.random.default_rng([seed, *f"{model} {n} {items}".encode()])
    more = {"4pl": 0.5, "beta": 0.7, "1pl": 2.0, "2pl, two groups": 2.0}
    more |= dict.fromkeys(["2pl, confirmatory", "2pl, exploratory"], 0.4)
    parts: dict[str, list[FloatArray]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Caution)
        for _ in range(max(2, int(simulations * more.get(model, 1.0)))):
            for name, one in _recovered(model, n, items, rng).items():
                parts.setdefault(name, []).append(one)
    found: dict[str, float] = {}
    for name, values in parts.items():
        off, inside = np.concatenate(values, axis=1)
        known = np.isfinite(off)
        off, inside = off[known], inside[known]
        found |= {
            f"{name}_bias": round(float(off.mean()), 4),
            f"{name}_rmse": round(float(np.sqrt((off**2).mean())), 4),
            f"{name}_coverage": round(float(inside.mean()), 4),
        }
    return found


def _recovered(model: str, n: int, items: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    """By kind of parameter: estimate less truth, and whether the limits hold it (2 x parameters)."""
    kind, _, design = model.partition(", ")
    if design == "two groups":
        table = items_of(kind, items, rng)
        both = two_groups(table, table, n, 0.5, rng, kind)
        second = multigroup(*both, kind, reference="reference").groups.loc["focal"]
        return {
            name: _around(second[name], truth, second[f"{name}_se"])
            for name, truth in (("mean", -0.5), ("sd", 1.0))
        }
    if design:
        return _dimensions(n, items, rng, design == "exploratory")
    table = items_of(model, items, rng)
    fit = fitted(model, drawn(model, table, rng, n))
    limits = fit.limits()
    found: dict[str, FloatArray] = {}
    for name in table:
        kind = {"a": "category_slope", "b": "cut", "c": "category_intercept"}
        key = kind[name[0]] if name[1:].isdigit() else ("cut" if name.startswith("b_") else name)
        ends = limits[f"{name}_low"], limits[f"{name}_high"]
        one = _pair(fit.parameters[name], table[name], *ends)
        found[key] = np.hstack([found[key], one]) if key in found else one
    return found


def _dimensions(n: int, items: int, rng: np.random.Generator, exploratory: bool) -> dict[str, FloatArray]:
    """Two abilities that correlate by .4 with half of the items each; or both in every item, uncorrelated, as
    the fit turns them: the last item does not load on the second."""
    half = np.arange(items) < items // 2
    slopes = rng.lognormal(0.3, 0.2, (items, 2)) * np.stack([half, ~half], 1)
    slopes += exploratory * rng.uniform(0.2, 0.5, (items, 2)) * (slopes == 0)
    intercepts, together = rng.normal(0, 0.8, items), 0.0 if exploratory else 0.4
    able = rng.multivariate_normal([0, 0], [[1, together], [together, 1]], n)
    answers = (rng.logistic(size=(n, items)) < able @ slopes.T + intercepts) * 1.0
    pattern: Any = 2 if exploratory else (slopes > 0) * 1
    fit = irt(answers, "2pl", dimensions=pattern)
    at, free = fit.items, fit.plan.index[0][:, :2] >= 0
    if exploratory:
        (place, side), *_ = np.argwhere(~free)
        along = slopes[place] / np.hypot(*slopes[place])
        across = np.array([-along[1], along[0]])
        slopes = slopes @ (np.stack([along, across] if side else [across, along])).T
        slopes *= np.sign(slopes.sum(0))
    found = {"intercept": _around(at["d1"], intercepts, at["d1_se"])}
    one = [_around(at[f"a{d}"], slopes[:, d - 1], at[f"a{d}_se"])[:, free[:, d - 1]] for d in (1, 2)]
    return found | {"discrimination": np.hstack(one)}


def _around(estimate: Any, truth: Any, error: Any) -> FloatArray:
    return _pair(estimate, truth, estimate - 1.96 * error, estimate + 1.96 * error)


def _pair(estimate: Any, truth: Any, low: Any, high: Any) -> FloatArray:
    estimate, truth, low, high = (np.atleast_1d(np.asarray(x, float)) for x in (estimate, truth, low, high))
    return np.stack([estimate - truth, ((low <= truth) & (truth <= high)).astype(float)])


if __name__ == "__main__":
    print(kept_study(sys.argv[1], recovery_designs(), check_recovery, 150, 25).to_string())
