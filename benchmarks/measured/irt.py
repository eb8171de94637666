"""Do the tests of item response theory err in one of twenty, and do its standard errors hold the truth?

Responses are drawn from known items (log slopes of sd 0.3, difficulties from N(0, 1)) that follow the model
under test, so that every small p value is an error. Three parts: DIF between groups whose abilities lie
apart, fit of models, items and agents, and coverage of RMSEA₂ where the model is wrong by a known amount. A
second table has the recovery of parameters: bias, error, and how often estimate ± 1.96 errors (`limits` of
the model) hold the truth. Both are kept in `data/measured` (`irt_levels.csv`, `irt_recovery.csv`);
`python -m benchmarks.measured.irt levels OUT.csv` (or `recovery`) makes them again and goes on where it
stopped.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import chi2

from gindex_lab.foundation.errors import Caution
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.dif import dif
from gindex_lab.measures.psychometrics.irt import ItemResponseModel, irt
from gindex_lab.measures.psychometrics.irt_simulate import simulate_irt
from gindex_lab.measures.psychometrics.m2 import m2
from gindex_lab.measures.psychometrics.multigroup import multigroup
from gindex_lab.studies.simulations.coverage_study import kept_study

__all__ = ["check_level", "check_recovery", "level_designs", "recovery_designs"]

_LEVEL = 0.05
_CUTS = {"graded": 3, "gpcm": 2, "pcm": 2}  # steps of an item
Row = dict[str, Any]


def level_designs() -> pd.DataFrame:
    """Every design of the first table.

    >>> level_designs()["part"].value_counts(sort=False).to_dict()
    {'dif': 8, 'rmsea': 4, 'fit': 7}
    """
    rows: list[tuple[str, str, int, int, float]] = []
    for n, items, gap in ((250, 10, 0.0), (1000, 40, 0.0), (500, 20, 0.5), (250, 10, 1.0)):
        rows.append(("dif", "", n, items, gap))
    rows += [
        ("dif", "", n, items, 1.0) for n, items in ((1000, 10), (250, 40), (500, 20), (1000, 40))
    ]
    rows += [("rmsea", "2pl", n, 10, wrong) for n in (300, 1000) for wrong in (1.0, 2.0)]
    for model in ("1pl", "2pl", "3pl", "graded", "gpcm", "nominal"):
        rows.append(("fit", model, 300, 10, 0.0))
    rows.append(("fit", "1pl", 600, 20, 0.0))
    return pd.DataFrame(rows, columns=["part", "model", "agents", "items", "apart"])


def check_level(row: Row, simulations: int, seed: int) -> dict[str, float]:
    """The share of each test below .05 (`rmsea` and `rmsea_90`: of intervals that hold the truth).

    >>> row = {"part": "fit", "model": "2pl", "agents": 200, "items": 5, "apart": 0.0}
    >>> sorted(check_level(row, 2, 1))
    ['lz_star', 'm2', 's_x2', 'tables']
    """
    name = f"{row['part']} {row['model']} {row['agents']} {row['items']} {row['apart']}"
    rng = np.random.default_rng([seed, *name.encode()])
    parts: dict[str, tuple[Callable[[Row, np.random.Generator], dict[str, Any]], float]] = {
        "fit": (_fit, 1.0 if "pl" in row["model"] else 0.6),
        "rmsea": (_rmsea, 1.0),
        "dif": (_dif, 8.0 / row["items"]),
    }
    draw, share = parts[row["part"]]
    tables = max(2, int(simulations * share))
    found: dict[str, list[FloatArray]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Caution)
        for _ in range(tables):
            for test, errs in draw(row, rng).items():
                found.setdefault(test, []).append(np.asarray(errs, dtype=float).ravel())
    means = {test: float(np.nanmean(np.concatenate(errs))) for test, errs in found.items()}
    return {"tables": tables} | {test: round(mean, 4) for test, mean in sorted(means.items())}


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
        table = table[["discrimination"]].join(
            pd.DataFrame(cuts).rename(columns=lambda c: f"b{c + 1}")
        )
    if model == "nominal":
        slopes = slope[:, None] * (np.array([-1.0, 0.0, 1.0]) + rng.normal(0, 0.15, (items, 3)))
        table = pd.DataFrame(slopes - slopes.mean(1, keepdims=True), columns=["a1", "a2", "a3"])
        shift = rng.normal(0, 0.5, (items, 3))
        table[["c1", "c2", "c3"]] = shift - shift.mean(1, keepdims=True)
    if model == "beta":
        table["precision"] = rng.uniform(3, 8, items)
        table["b_zero"], table["b_one"] = table["difficulty"] - 1.5, table["difficulty"] + 1.5
    return table


def _drawn(model: str, table: pd.DataFrame, rng: np.random.Generator, n: int) -> pd.DataFrame:
    plain = model in ("1pl", "2pl", "3pl")
    return simulate_irt(table, n, model=None if plain else model, seed=rng).frame


def _fitted(model: str, frame: pd.DataFrame) -> ItemResponseModel:
    return irt(frame, model, priors="weak" if model == "3pl" else None)


def _fit(row: Row, rng: np.random.Generator) -> dict[str, Any]:
    model = row["model"]
    table = items_of(model, row["items"], rng)
    fitted = _fitted(model, _drawn(model, table, rng, row["agents"]))
    items = fitted.item_fit()
    found = {
        "m2": m2(fitted).p < _LEVEL,
        "s_x2": np.where(
            items["s_x2"].isna(), np.nan, chi2.sf(items["s_x2"], items["s_x2_df"]) < _LEVEL
        ),
        "lz_star": fitted.person_fit()["lz_star"] < -1.645,
    }
    return found | ({"infit_z": items["infit_z"].abs() > 1.96} if model == "1pl" else {})


def _groups(
    table: pd.DataFrame, other: pd.DataFrame, n: int, apart: float, rng: np.random.Generator
) -> tuple[pd.DataFrame, list[str]]:
    parts = [
        simulate_irt(items, ability=rng.normal(mean, 1, n), seed=rng).frame
        for items, mean in ((table, 0.0), (other, -apart))
    ]
    return pd.concat(parts, ignore_index=True), ["reference"] * n + ["focal"] * n


def _same(row: Row, rng: np.random.Generator) -> tuple[pd.DataFrame, list[str]]:
    table = items_of(row["model"] or "2pl", row["items"], rng)
    return _groups(table, table, row["agents"], row["apart"], rng)


def _dif(row: Row, rng: np.random.Generator) -> dict[str, Any]:
    """As users call it (purified), and as R's difR does without purification."""
    drawn, found = _same(row, rng), {}
    for method in ("mantel-haenszel", "logistic"):
        name = method.replace("-", "_")
        for key, how in ((name, {}), (f"{name}_classical", {"purify": False, "classical": True})):
            p = dif(*drawn, method=method, focal="focal", **how).table["p"]  # type: ignore[arg-type]
            found[key] = np.where(p.isna(), np.nan, p < _LEVEL)
    return found


def _rmsea(row: Row, rng: np.random.Generator) -> dict[str, Any]:
    n, wrong = row["agents"], row["apart"]
    theta, pair = rng.standard_normal((n,)), rng.standard_normal((n, 2))
    drawn = (rng.random((n, 10)) < _chances(theta, pair, wrong)).astype(float)
    model, truth = irt(drawn), _true_rmsea(float(wrong))
    fits = {name: m2(model, ci) for name, ci in (("rmsea_90", 0.9), ("rmsea", 0.95))}
    held = {name: fit.rmsea_low <= truth <= fit.rmsea_high for name, fit in fits.items()}
    return held | {"true_rmsea": truth}


def _chances(theta: FloatArray, pair: FloatArray, wrong: float) -> FloatArray:
    """Of ten items of which two pairs have something more in common, with the slope `wrong`."""
    z = np.linspace(0.8, 1.8, 10) * (theta[..., None] - np.linspace(-1.2, 1.2, 10))
    z[..., :4] += wrong * pair[..., [0, 0, 1, 1]]
    return np.asarray(1 / (1 + np.exp(-z)))


@cache
def _true_rmsea(wrong: float) -> float:
    """RMSEA₂ of the 2PL nearest to the chances of all 1,024 patterns."""
    nodes = np.linspace(-5, 5, 31)
    weight = np.exp(-(nodes**2) / 2) / np.exp(-(nodes**2) / 2).sum()
    grid = np.stack(np.meshgrid(nodes, nodes, nodes, indexing="ij"), -1).reshape(-1, 3)
    chance = _chances(grid[:, 0], grid[:, 1:], wrong)
    patterns = (np.arange(1024)[:, None] >> np.arange(10)) % 2
    logs = patterns @ np.log(chance).T + (1 - patterns) @ np.log1p(-chance).T
    share = np.exp(logs) @ np.einsum("i,j,k->ijk", weight, weight, weight).ravel()
    agents = np.rint(share * 2_000_000).astype(int)
    return m2(irt(np.repeat(patterns, agents, axis=0).astype(float))).rmsea


def recovery_designs() -> pd.DataFrame:
    """Every design of the second table.

    >>> recovery_designs()["model"].nunique()
    10
    """
    kinds = ["1pl", "2pl", "graded", "gpcm", "pcm", "nominal", "beta", "3pl", "4pl"]
    rows = [(model, 500, 20 if model == "4pl" else 10) for model in kinds]
    rows += [("2pl, two groups", 500, 10)]
    return pd.DataFrame(rows, columns=["model", "agents", "items"])


def check_recovery(row: Row, simulations: int, seed: int) -> dict[str, float]:
    """Bias, root mean square error and coverage of the limits at 95%, by kind of parameter."""
    model, n, items = row["model"], row["agents"], row["items"]
    rng = np.random.default_rng([seed, *f"{model} {n} {items}".encode()])
    more = {"4pl": 0.5, "beta": 0.7, "2pl, two groups": 2.0, "1pl": 2.0}
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
    if model == "2pl, two groups":
        table = items_of("2pl", items, rng)
        groups = multigroup(*_groups(table, table, n, 0.5, rng), reference="reference").groups
        second = groups.loc["focal"]
        return {
            name: _pair(second[name], truth, second[name] - half, second[name] + half)
            for name, truth in (("mean", -0.5), ("sd", 1.0))
            for half in [1.96 * second[f"{name}_se"]]
        }
    table = items_of(model, items, rng)
    fitted = _fitted(model, _drawn(model, table, rng, n))
    limits = fitted.limits()
    found: dict[str, FloatArray] = {}
    for name in table:
        kind = {"a": "category_slope", "b": "cut", "c": "category_intercept"}
        key = kind[name[0]] if name[1:].isdigit() else ("cut" if name.startswith("b_") else name)
        ends = limits[f"{name}_low"], limits[f"{name}_high"]
        one = _pair(fitted.parameters[name], table[name], *ends)
        found[key] = np.hstack([found[key], one]) if key in found else one
    return found


def _pair(estimate: Any, truth: Any, low: Any, high: Any) -> FloatArray:
    estimate, truth, low, high = (
        np.atleast_1d(np.asarray(x, float)) for x in (estimate, truth, low, high)
    )
    return np.stack([estimate - truth, ((low <= truth) & (truth <= high)).astype(float)])


if __name__ == "__main__":
    what, out = sys.argv[1:3]
    made = {
        "levels": (level_designs, check_level, 300, 24),
        "recovery": (recovery_designs, check_recovery, 150, 25),
    }[what]
    print(kept_study(out, made[0](), *made[1:]).to_string())
