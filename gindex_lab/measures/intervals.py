"""How sure are we? Limits for capability, spread and generality, and differences between two agents.

The target is an agent's true curve ψ(h), the chance that it solves an item of difficulty h; what varies is
which items of those difficulties came up (or which families, or how the trials went). The default needs
no random numbers and covers 95% or more when it says 95% (`notebooks/generality/coverage`); the plain
percentile and BCa bootstraps are there to compare.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from typing import ClassVar

import numpy as np
import pandas as pd

from gindex_lab.errors import BadInput, Caution
from gindex_lab.measures.curves import Interval
from gindex_lab.measures.drawn import drawn_limits
from gindex_lab.measures.fit import Fit, fit_of
from gindex_lab.measures.limits import FEWEST_EFFECTIVE, Limits, limits
from gindex_lab.measures.pairs import FEWEST_COMMON, MEASURES, pair_table
from gindex_lab.measures.samples import Sample, sample_like
from gindex_lab.responses import Responses
from gindex_lab.validate import choice, generator, integer, number

__all__ = ["METHODS", "Measured", "bootstrap_table", "paired_differences"]

METHODS = ["studentised", "percentile", "bca"]
_MOST_KEPT = 5_000_000  # cells of contributions that a table carries along for `tie_groups`
_SCALE = {"spread": (0.0, np.inf), "normalised_generality": (-1.0, 1.0), "mean": (0.0, 1.0)}
_BLOCK = 4_000_000  # cells of a temporary array


class Measured(pd.DataFrame):  # type: ignore[misc]  # pandas has no types here
    """A table of `gl.generality` with limits, and the `fit` that both come from."""

    _metadata: ClassVar[list[str]] = ["fit"]
    fit: Fit | None = None

    @property
    def _constructor(self) -> type[Measured]:
        return Measured


def bootstrap_table(
    responses: object,
    difficulty: object = None,
    *,
    interval: Interval | None = None,
    estimator: str = "trapezoid",
    ci: float = 0.95,
    resample: str = "items",
    method: str = "studentised",
    resamples: int = 2000,
    missing: str = "error",
    extrapolate: str = "paper",
    mode: str = "exact",
    seed: object = None,
) -> pd.DataFrame:
    """The table of `gl.generality` with `<measure>_low` and `<measure>_high` at confidence `ci`.

    Parameters
    ----------
    resample : what would come out differently another time
        "items"; "families" (`items["family"]`: a game, a topic, whose items go together); "trials"
        (the items are these very items; needs repeated trials, and is therefore narrower).
    method : "studentised" (needs no random numbers), "percentile" or "bca" (Efron 1987)
        Drawing points of a curve only thins it out, so the other two cover less than they say.
    resamples, seed : of percentile and BCa

    Notes
    -----
    `effective_items` is the number of equally weighted items that would tell as much; where it is below
    2.5 one or two items decide everything, and there is no interval (NaN, and a warning). Where the items
    do not reach the ends of the interval, the limits hold whether the curve goes on as it ends or not.
    Responses that did not vary are no certainty: half a surprise is added. With few items the intervals
    are wide and cover more than they say. Spread and γ are freed of the bias of squaring a noisy area, so
    their interval lies around a larger spread than the plain estimate.

    Examples
    --------
    >>> study = Responses([[1] * 12 + [0] * 8, [1, 0] * 10], difficulty=range(20))
    >>> bootstrap_table(study)[["capability_low", "capability", "capability_high"]].round(1)
             capability_low  capability  capability_high
    agent 1             9.3        11.5             13.5
    agent 2             5.0         9.5             14.0
    """
    from gindex_lab.measures.generality import generality, study_of

    study = study_of(responses, difficulty, missing)
    table = generality(
        study,
        interval=interval,
        estimator=estimator,
        mode=mode,
        missing=missing,
        extrapolate=extrapolate,
    )
    return with_limits(study, table, ci, resample, method, resamples, seed)


def with_limits(
    study: Responses,
    table: pd.DataFrame,
    ci: float,
    resample: str = "items",
    method: str = "studentised",
    resamples: int = 2000,
    seed: object = None,
) -> pd.DataFrame:
    """The table with its limits, and with the fit they come from where it is not too large to keep."""
    level = number("ci", ci, 0, 1, open_ends=True)
    choice("method", method, METHODS)
    sample = sample_like(table, study, resample)
    _warn_of_families(study, resample)
    small = len(sample.agents) * sample.units <= _MOST_KEPT
    parts = [sample] if small else sample.blocks(_BLOCK // sample.units)
    found, effective, kept = [], [], None
    for fit in map(fit_of, parts):
        found.append(limits(fit, level) if method == "studentised" else {})
        effective.append(fit.effective)
        kept = fit if small else None
    if method == "studentised":
        ends = _around(table, _stacked(found))
    else:
        drawn = integer("resamples", resamples, 100)
        ends = drawn_limits(sample, method, level, drawn, generator(seed))
    return _joined(table, ends, np.concatenate(effective), level, kept)


def _warn_of_families(study: Responses, resample: str) -> None:
    family = study.items.get("family")
    if resample == "items" and family is not None and 3 <= family.nunique() < len(family):
        warnings.warn(
            f"the items come in {family.nunique()} families, which resample='items' ignores: items of one "
            "family share their luck, and the limits may be far too narrow; use resample='families'",
            Caution,
            stacklevel=4,
        )


def _stacked(parts: list[Limits]) -> Limits:
    """Limits of several blocks of agents as those of all."""
    return {
        name: (
            np.concatenate([part[name][0] for part in parts]),
            np.concatenate([part[name][1] for part in parts]),
        )
        for name in parts[0]
    }


def _around(table: pd.DataFrame, ends: Limits) -> Limits:
    """Limits freed of bias may pass an estimate that is not: an interval holds its estimate.

    Where one does, the plain estimate is off by at least the gap between them, and the interval goes on
    as far beyond it; an end that is an end of the scale stays there.
    """
    result = {}
    for name, (low, high) in ends.items():
        at = table[name].to_numpy(dtype=float)
        bottom, top = _SCALE.get(name, (-np.inf, np.inf))
        with np.errstate(invalid="ignore"):
            below = np.where(low > at, np.maximum(2 * at - low, bottom), low)
            above = np.where(high < at, np.minimum(2 * at - high, top), high)
        result[name] = np.minimum(below, at), np.maximum(above, at)
    low, high = result["spread"]
    with np.errstate(divide="ignore"):
        return result | {"generality": (1 / high, 1 / low)}


def _joined(
    table: pd.DataFrame, ends: Limits, effective: np.ndarray, ci: float, fit: Fit | None
) -> pd.DataFrame:
    names = ["capability", "spread", "generality", *MEASURES[2:]]
    columns = {
        f"{name}_{side}": ends[name][k] for name in names for k, side in enumerate(["low", "high"])
    }
    lost = np.flatnonzero(effective < FEWEST_EFFECTIVE)
    if len(lost):
        warnings.warn(
            f"no interval for {len(lost)} of {len(table)} agents (the first is {table.index[lost[0]]!r}): "
            "one or two isolated items decide the whole area; add items in the gaps, or cut the interval",
            Caution,
            stacklevel=4,
        )
    columns["effective_items"] = effective
    joined = Measured(pd.concat([table, pd.DataFrame(columns, index=table.index)], axis=1))
    joined.attrs = table.attrs | {"ci": ci}
    joined.fit = fit
    return joined


def paired_differences(
    responses: object,
    a: object,
    b: object,
    difficulty: object = None,
    *,
    interval: Interval | None = None,
    estimator: str = "trapezoid",
    ci: float = 0.95,
    resample: str = "items",
    missing: str = "error",
    extrapolate: str = "paper",
    seed: object = None,
) -> pd.DataFrame:
    """How far agent `a` is ahead of `b` in each measure, both on the items that both met.

    Items that both find hard fall out of a difference, so it is often sure where two intervals
    overlap. `p_value` is that of no difference (see `gl.comparisons`); one pair was chosen, nothing is
    corrected for looking at many: for that see `gl.tie_groups`. Nothing is drawn: `seed` is not needed.

    >>> study = Responses([[1] * 14 + [0] * 6, [1] * 6 + [0] * 14], difficulty=range(20))
    >>> found = paired_differences(study, "agent 1", "agent 2")
    >>> found.loc["capability", ["difference", "low", "high"]].astype(float).round(1).tolist()
    [8.0, 5.2, 10.8]
    """
    from gindex_lab.measures.generality import generality, study_of

    level = number("ci", ci, 0, 1, open_ends=True)
    if seed is not None:
        generator(seed)
    pair = _pair(study_of(responses, difficulty, missing), a, b)
    table = generality(
        pair, interval=interval, estimator=estimator, missing=missing, extrapolate=extrapolate
    )
    fit = fit_of(_shared(sample_like(table, pair, resample)))
    one, two = np.array([0]), np.array([1])
    found = pd.concat([pair_table(fit, name, one, two, level) for name in MEASURES])
    found.index = pd.Index(MEASURES)
    found["separated"] = found["p_value"] <= 1 - level
    return found


def _pair(study: Responses, a: object, b: object) -> Responses:
    for name, agent in (("a", a), ("b", b)):
        if not isinstance(agent, Hashable) or agent not in study.frame.index:
            raise BadInput(
                name,
                agent,
                "is not an agent of the table",
                f"known are {list(study.frame.index[:5])} …",
            )
    if a == b:
        raise BadInput("b", b, "is the same agent as a", "compare two agents")
    return study.select(agents=[a, b])


def _shared(sample: Sample) -> Sample:
    """The pair on its common items, of which there must be enough."""
    common = sample.common()
    met = ~np.isnan(common.values[0]) & (common.codes >= 0)
    number_of = len(np.unique(common.codes[met]))
    if number_of < FEWEST_COMMON and np.isnan(sample.values).any():
        raise BadInput(
            "b",
            sample.agents[1],
            f"has only {number_of} {sample.word} in common with a: the two are not comparable",
            f"measure both on at least {FEWEST_COMMON} of the same {sample.word}",
        )
    return common
