"""How good are the curves of `gl.generality(method=...)`? Error and coverage on simulated agents.

Designs and seeds are fixed here. The priors of `smooth` and `pooled`, how much of the posterior their limits
leave out, and how far these go towards the plain ones were chosen on the designs whose `part` is "tuning"
(and on 10 even, 25 skewed, and 60 items in eight families), with other seeds; the verdict is that of the
others ("report"). For "pooled", eight agents of the kind in question stand among twelve of a mixed
population, and count. The table is kept in `data/measured/methods.csv`; `python -m
gindex_lab.studies.simulations.method_study OUT.csv` makes it again in about ten minutes of one core, and
goes on where it was stopped.
"""

from __future__ import annotations

import sys
import warnings
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import Caution
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, generator, number
from gindex_lab.measures.alternatives.methods import METHODS, curves_of_method
from gindex_lab.measures.generality import characteristic_curve, generality
from gindex_lab.measures.samples import sample_like
from gindex_lab.studies.simulations.coverage import Profile, answers, drawn_profile
from gindex_lab.studies.simulations.coverage_study import (
    AGENTS,
    FINE,
    difficulties,
    kept_study,
    measured_coverage,
)

__all__ = ["designs", "held_out", "measure_design", "method_coverage", "study"]

KINDS = {**AGENTS, "step": Profile(0.55, 0.002)}  # a fall far steeper than the items are apart
LAYOUTS = {  # spacing, items, families, part
    "20 items": ("random", 20, 0, "tuning"),
    "50 items": ("random", 50, 0, "tuning"),
    "15 items, even": ("even", 15, 0, "report"),
    "30 items, skewed": ("skewed", 30, 0, "report"),
    "100 items": ("random", 100, 0, "report"),
    "120 items, 12 families": ("random", 120, 12, "report"),
    "40 items, ends not met": ("wide", 40, 0, "report"),
    "8 items, even": ("even", 8, 0, "report"),
}
LIKENESS = 0.3  # correlation of an agent's luck within a family, as in `coverage`
MEASURES = ("capability", "spread", "normalised_generality")
_COUNTED, _OTHERS = 8, 12  # agents of the kind in question, and of the mixed population: judgements


def designs() -> pd.DataFrame:
    """Every design, one row each."""
    rows = [
        (method, kind, layout, *LAYOUTS[layout]) for layout, kind, method in product(LAYOUTS, KINDS, METHODS)
    ]
    names = ["method", "agent", "layout", "spacing", "items", "families", "part"]
    return pd.DataFrame(rows, columns=names)


def measure_design(row: dict[str, Any], simulations: int, seed: int) -> dict[str, float]:
    """Root mean square errors, and the shares of limits that hold the truth; `band` is that of the curve
    at five difficulties, and `offered` how often there is one. What a method withholds does not count.
    """
    # every method meets the same responses
    rng = np.random.default_rng([seed, *row["agent"].encode(), *row["layout"].encode()])
    kind = KINDS[row["agent"]]
    truth = kind.truth(FINE)
    parts, held = [], []
    for k in range(-(-simulations // _COUNTED)):
        responses = _simulated(row, kind, rng)
        if row["method"] != "pooled":
            responses = responses.select(agents=list(responses.frame.index[:_COUNTED]))
        resample = "families" if row["families"] else "items"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Caution)
            table = generality(responses, ci=0.95, resample=resample, method=row["method"])
        parts.append(table.iloc[:_COUNTED])
        if row["method"] != "plain" and k % 5 == 0:  # a band costs as much as all limits
            held.append(_band(responses, row["method"], resample, kind))
    found = pd.concat(parts)
    result = {"band": _share(np.array(held).ravel())}
    result["offered"] = round(float(np.mean(~np.isnan(held))), 4) if held else np.nan
    for name in MEASURES:
        low, high = found[f"{name}_low"], found[f"{name}_high"]
        inside = (low <= truth[name] + 1e-9) & (high >= truth[name] - 1e-9)
        result[name] = _share(inside.where(low.notna(), np.nan).to_numpy(dtype=float))
        result[f"{name} error"] = round(float(((found[name] - truth[name]) ** 2).mean() ** 0.5), 5)
        result[f"{name} width"] = round(float((high - low).median()), 5)
    return result


def _share(held: FloatArray) -> float:
    """The share of limits that hold the truth, among those that are offered."""
    known = held[~np.isnan(held)]
    return round(float(known.mean()), 4) if len(known) else np.nan


def _simulated(row: dict[str, Any], kind: Profile, rng: np.random.Generator) -> Responses:
    """Eight agents of the kind and twelve others, on the same fresh items."""
    h = difficulties(row["spacing"], row["items"], rng)
    agents = [kind] * _COUNTED + [drawn_profile(rng) for _ in range(_OTHERS)]
    solved, family = answers(np.stack([agent(h) for agent in agents]), row["families"], LIKENESS, rng)
    frame = pd.DataFrame(solved).rename(columns=str, index=str)
    items = pd.DataFrame({"difficulty": h}, index=frame.columns)
    if row["families"]:
        items["family"] = family
    return Responses(frame, items=items, interval=(0.0, 1.0), source="simulated")


def _band(responses: Responses, method: str, resample: str, kind: Profile) -> FloatArray:
    """Does the band of the first agent hold its curve at five of the difficulties?"""
    first = responses.frame.index[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Caution)  # a band that is withheld
        curve = characteristic_curve(responses, first, method=method, ci=0.95, resample=resample)
    some = curve.iloc[np.linspace(0, len(curve) - 1, 7).round()[1:-1].astype(int)]
    true = kind(some["difficulty"].to_numpy())
    held = (some["low"] <= true + 1e-9) & (some["high"] >= true - 1e-9)
    return np.where(some["low"].isna(), np.nan, held.to_numpy(dtype=float))


def held_out(responses: Responses, share: float = 0.25, *, seed: SeedLike) -> pd.DataFrame:
    """How well each method predicts responses that it has not seen: the mean squared error (Brier's score).

    A share of the cells is left out at random; each agent's curve from the others is read at their
    difficulties. `error` is the standard error of the difference from "plain", over agents.
    """
    random, values = generator(seed), responses.values
    out = (random.random(values.shape) < number("share", share, 0, 1, open_ends=True)) & ~np.isnan(values)
    rest = Responses(responses.frame.mask(out), items=responses.items, interval=responses.interval)
    table = generality(rest, missing="drop")
    sample, h = sample_like(table, rest, "items"), rest.items["difficulty"].to_numpy(dtype=float)
    by_agent = {}
    for method in METHODS:
        grid, psi = curves_of_method(sample, method)
        told = [np.interp(h, grid[~np.isnan(row)], row[~np.isnan(row)]) for row in psi]
        squares = np.where(out, (np.array(told) - np.nan_to_num(values)) ** 2, 0.0)
        by_agent[method] = squares.sum(axis=1) / np.maximum(out.sum(axis=1), 1)
    scores = pd.DataFrame(by_agent)[out.any(axis=1)]
    apart = scores.sub(scores["plain"], axis=0)
    return pd.DataFrame({"score": scores.mean(), "difference": apart.mean(), "error": apart.sem()})


def study(out: str, simulations: int = 400, seed: int = 151, jobs: int | None = 1) -> pd.DataFrame:
    """The table of all designs, written to `out`; finished designs are kept beside it."""
    return kept_study(out, designs(), measure_design, simulations, seed, jobs)


def method_coverage() -> pd.DataFrame:
    """How well the curves of `gl.generality(method=...)` do on simulated agents: the kept table of `study`.

    Returns
    -------
    DataFrame
        One row a method and design (four methods, 104 designs): the design, and for each measure the share
        of limits that hold the truth, the root mean square `error` and the median `width`; `band` and
        `offered` are of the band of the curve.

    References
    ----------
    Made by `python -m gindex_lab.studies.simulations.method_study OUT.csv`; kept in `data/measured`.

    Examples
    --------
    >>> sorted(method_coverage()["method"].unique())
    ['isotonic', 'plain', 'pooled', 'smooth']
    """
    return measured_coverage("methods")


if __name__ == "__main__":
    found = study(sys.argv[1])
    print(found.groupby(["part", "method"])[[*MEASURES, "band"]].mean().round(3))
