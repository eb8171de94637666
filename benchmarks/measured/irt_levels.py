"""Do the tests of item response theory err in one of twenty?

Responses are drawn from items that follow the hypothesis under test, so that every small p value is an
error. One row per design and test in `data/measured/irt_levels.csv`: `share` of the tests below .05, `se` its
standard error (of means of tables, since tests of one table are alike), `tables` and `tests` behind it.
Parts: DIF between groups whose abilities lie apart; likelihood-ratio DIF and tests of invariance; fit of
models, items and agents; Mokken's checks; Bartlett's test of items that have nothing in common (beside it
with psych's χ²); and coverage of RMSEA₂ where the model is wrong by a known amount (`rmsea` at 95% and
`rmsea_90`). `python -m benchmarks.measured.irt_levels OUT.csv` makes the table again and goes on where it
stopped.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.measured.irt import Row, drawn, fitted, items_of, two_groups
from gindex_lab.foundation.errors import Caution
from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.dif import dif
from gindex_lab.measures.psychometrics.factor_fit import determinant_p
from gindex_lab.measures.psychometrics.irt import irt
from gindex_lab.measures.psychometrics.irt_simulate import simulate_irt
from gindex_lab.measures.psychometrics.m2 import m2
from gindex_lab.measures.psychometrics.mokken import mokken
from gindex_lab.measures.psychometrics.multigroup import invariance
from gindex_lab.studies.simulations.coverage_study import kept_study

__all__ = ["NOT_TESTS", "check_level", "level_designs", "levels"]

# shown for comparison: what other programs do, z of many comparisons, and statistics that get no p value
NOT_TESTS = ("_classical", "_z", "lz", "s_x2_no_p", "true_rmsea", "rmsea", "rmsea_90", "bartlett_rare")
_LEVEL, _ONE_SIDED = 0.05, 1.6448536
_DESIGN = ["part", "model", "agents", "items", "apart"]
_TABLES = {  # so that the standard error of a share is .01 or less
    "dif": lambda row: 2400 // row["items"],
    "lr": lambda row: 500 // row["items"],
    "invariance": lambda row: 500,
    "fit": lambda row: 500,
    "mokken": lambda row: 500,
    "rmsea": lambda row: 500,
    "bartlett": lambda row: 1000,
}

# Rows whose first share, over 50 or 500 tables, lay near .03 or .07: seed and tables of a second measurement,
# with none of the first tables
_AGAIN = {
    ("fit", "gpcm"): (124, 1000),
    ("invariance", "2pl"): (124, 500),
    ("lr", "2pl"): (124, 80),
    ("lr", "1pl"): (124, 80),
}


def level_designs() -> pd.DataFrame:
    """Every design; `apart` is the distance of two groups, or how wrong the model is.

    >>> level_designs()["part"].value_counts(sort=False).to_dict()
    {'dif': 8, 'mokken': 4, 'fit': 8, 'lr': 3, 'invariance': 3, 'rmsea': 4, 'bartlett': 5}
    """
    rows: list[tuple[str, str, int, int, float]] = []
    for n, items, gap in ((250, 10, 0.0), (1000, 40, 0.0), (500, 20, 0.5), (250, 10, 1.0)):
        rows.append(("dif", "2pl", n, items, gap))
    for n, items in ((1000, 10), (250, 40), (500, 20), (1000, 40)):
        rows.append(("dif", "2pl", n, items, 1.0))
    rows += [("mokken", "flat", n, 10, 0.0) for n in (200, 400, 1000)]
    rows += [("mokken", "alike", 500, 10, 0.0)]
    rows += [("fit", model, 300, 10, 0.0) for model in ("1pl", "2pl", "3pl")]
    rows += [("lr", *x) for x in (("2pl", 250, 10, 0.0), ("1pl", 250, 10, 0.5), ("2pl", 400, 8, 1.0))]
    rows += [("invariance", "2pl", 250, 6, 0.5)]
    rows += [("rmsea", "2pl", n, 10, wrong) for n in (300, 1000) for wrong in (1.0, 2.0)]
    rows += [("fit", model, 300, 10, 0.0) for model in ("graded", "gpcm", "nominal")]
    rows += [("fit", "1pl", 600, 20, 0.0), ("fit", "pcm", 300, 10, 0.0)]
    rows += [("invariance", model, 250, 6, 0.5) for model in ("1pl", "graded")]
    rows += [("bartlett", "normal", n, items, 0.0) for n, items in ((25, 6), (60, 30), (200, 12))]
    rows += [("bartlett", kind, 30, 12, 0.0) for kind in ("a third right", "a ninth right")]
    return pd.DataFrame(rows, columns=_DESIGN)


def check_level(row: Row, share: int, seed: int) -> dict[str, float]:
    """The share of each test below .05, its standard error and number; `share` is % of the usual tables.

    >>> row = {"part": "fit", "model": "2pl", "agents": 200, "items": 5, "apart": 0.0}
    >>> found = check_level(row, 1, 1)
    >>> [name for name in found if ":" not in name]
    ['infit_person', 'lz', 'lz_star', 'm2', 'outfit_person', 's_x2', 'tables']
    """
    seed, most = _AGAIN.get((row["part"], row["model"]), (seed, _TABLES[row["part"]](row)))
    rng = np.random.default_rng([seed, *" ".join(str(row[x]) for x in _DESIGN).encode()])
    parts: dict[str, Callable[[Row, np.random.Generator], dict[str, Any]]] = {
        "fit": _fit,
        "rmsea": _rmsea,
        "dif": _dif,
        "lr": _likelihood_ratio,
        "invariance": _invariance,
        "mokken": _mokken,
        "bartlett": _bartlett,
    }
    tables = max(2, most * share // 100)
    seen: dict[str, list[FloatArray]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Caution)
        for _ in range(tables):
            for test, errs in parts[row["part"]](row, rng).items():
                errs = np.asarray(errs, dtype=float).ravel()
                seen.setdefault(test, []).append(errs[~np.isnan(errs)])
    found: dict[str, float] = {}
    for test, errs in sorted(seen.items()):
        every = np.concatenate(errs)
        off = np.array([(table - every.mean()).sum() for table in errs])
        found[test] = round(float(every.mean()), 4)
        found[f"{test}:se"] = round(float(np.sqrt((off**2).sum())) / len(every), 4)
        found[f"{test}:tests"] = len(every)
    return found | {"tables": tables}


def levels(out: str, share: int = 100, seed: int = 24) -> pd.DataFrame:
    """All designs, written to `out` with one row per design and test."""
    wide = kept_study(out, level_designs(), check_level, share, seed)
    names = [x for x in wide if ":" not in x and x not in (*_DESIGN, "tables")]
    parts = []
    for test in names:
        part = wide.loc[wide[test].notna(), [*_DESIGN, "tables"]].assign(test=test)
        part["tests"] = wide[f"{test}:tests"].dropna().astype(int)
        part["share"], part["se"] = wide[test], wide[f"{test}:se"]
        parts.append(part)
    table = pd.concat(parts).sort_index(kind="stable")
    write_text(Path(out), table.to_csv(index=False))
    return table


def _below(p: Any) -> FloatArray:
    return np.where(np.isnan(p), np.nan, np.asarray(p) < _LEVEL)


def _fit(row: Row, rng: np.random.Generator) -> dict[str, Any]:
    name = row["model"]
    model = fitted(name, drawn(name, items_of(name, row["items"], rng), rng, row["agents"]))
    items, people = model.item_fit(), model.person_fit()
    found = {"m2": m2(model).p < _LEVEL, "lz_star": people["lz_star"] < -_ONE_SIDED}
    if name == "3pl":  # whose item fit has no p value
        from scipy.stats import chi2

        found["s_x2_no_p"] = _below(chi2.sf(items["s_x2"], items["s_x2_df"].replace(0, np.nan)))
    else:
        found["s_x2"] = _below(items["s_x2_p"])
    if name.endswith("pl"):
        found["lz"] = people["lz"] < -_ONE_SIDED
        for test in ("infit", "outfit"):
            found[f"{test}_person"] = people[f"{test}_z"] > _ONE_SIDED
    elif name != "nominal":
        found["m2_star"] = m2(model, moments="m2*").p < _LEVEL
    return found | ({"infit_item": items["infit_z"].abs() > 1.959964} if name == "1pl" else {})


def _same(row: Row, rng: np.random.Generator) -> tuple[pd.DataFrame, list[str]]:
    table = items_of(row["model"], row["items"], rng)
    return two_groups(table, table, row["agents"], row["apart"], rng, row["model"])


def _dif(row: Row, rng: np.random.Generator) -> dict[str, Any]:
    """As users call it (purified), and as R's difR does without purification."""
    both, found = _same(row, rng), {}
    for method in ("mantel-haenszel", "logistic"):
        name = method.replace("-", "_")
        for key, how in ((name, {}), (f"{name}_classical", {"purify": False, "classical": True})):
            table = dif(*both, method=method, focal="focal", **how).table  # type: ignore[arg-type]
            found[key] = _below(table["p"])
            if key == "logistic":
                for part in ("uniform", "non_uniform"):
                    found[f"logistic_{part}"] = _below(table[f"{part}_p"])
    return found


def _likelihood_ratio(row: Row, rng: np.random.Generator) -> dict[str, Any]:
    table = dif(*_same(row, rng), method="likelihood-ratio", focal="focal", model=row["model"]).table
    return {"likelihood_ratio": _below(table["p"])}


def _invariance(row: Row, rng: np.random.Generator) -> dict[str, Any]:
    table = invariance(*_same(row, rng), row["model"], reference="reference").table
    return {level: p < _LEVEL for level, p in table["p"].iloc[1:].items()}


def _mokken(row: Row, rng: np.random.Generator) -> dict[str, Any]:
    """If "flat", half the items follow a 2PL, the others nothing, where a fall is likeliest to be found; if
    "alike", all have one curve. Selection asks at a lower bound of 0 whether noise makes a scale."""
    n, items = row["agents"], row["items"]
    if row["model"] == "alike":
        alike = pd.DataFrame({"discrimination": np.full(items, 1.2), "difficulty": 0.0})
        found = mokken(simulate_irt(alike, n, seed=rng)).double_monotonicity()
        return {"double_monotonicity_z": found["z"] > _ONE_SIDED}
    half = items // 2
    frame = simulate_irt(items_of("2pl", items, rng), n, seed=rng).frame
    flat, noise = 1.0 * (rng.random((2, n, half)) < rng.uniform(0.25, 0.75, half))
    frame.iloc[:, :half] = flat
    found = mokken(frame).monotonicity()
    return {
        "monotonicity": _below(found["p"].iloc[:half]),
        "monotonicity_rising": _below(found["p"].iloc[half:]),
        "monotonicity_z": found["z"].iloc[:half] > _ONE_SIDED,
        "mokken_selection": len(mokken(noise, lower_bound=0.0).scales) > 0,
    }


def _bartlett(row: Row, rng: np.random.Generator) -> dict[str, Any]:
    from scipy.stats import chi2

    table = rng.standard_normal((row["agents"], row["items"]))
    if row["model"] != "normal":
        table = (table > {"a third right": 0.43, "a ninth right": 1.22}[row["model"]]).astype(float)
    table = table[:, np.ptp(table, axis=0) > 0]
    log = float(np.linalg.slogdet(np.corrcoef(table.T))[1])
    agents, items = table.shape
    statistic = -(agents - 1 - (2 * items + 5) / 6) * log
    test = "bartlett_rare" if row["model"] == "a ninth right" else "bartlett"
    return {
        test: determinant_p(log, agents, items) < _LEVEL,
        f"{test}_classical": chi2.sf(statistic, items * (items - 1) / 2) < _LEVEL,
    }


def _rmsea(row: Row, rng: np.random.Generator) -> dict[str, Any]:
    n, wrong = row["agents"], row["apart"]
    theta, pair = rng.standard_normal((n,)), rng.standard_normal((n, 2))
    answers = (rng.random((n, 10)) < _chances(theta, pair, wrong)).astype(float)
    model, truth = irt(answers), _true_rmsea(float(wrong))
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


if __name__ == "__main__":
    print(levels(*sys.argv[1:2]).to_string())
