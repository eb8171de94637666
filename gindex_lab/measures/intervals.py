"""How sure are we? Limits for capability, spread and generality, and differences between two agents.

The target is an agent's true curve ψ(h), the chance that it solves an item of difficulty h; what varies is
which items of those difficulties came up (or which families, or how the trials went). The default needs
no random numbers and covers 95% or more when it says 95% (`notebooks/generality/coverage`); the plain
percentile and BCa bootstraps are there to compare.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import choice, generator, integer, number
from gindex_lab.measures.alternatives.drawn import drawn_limits
from gindex_lab.measures.curves import Interval
from gindex_lab.measures.fit import fit_of
from gindex_lab.measures.limits import MEASURES, joined, warn_of_families, with_limits
from gindex_lab.measures.pairs import FEWEST_COMMON, pair_table
from gindex_lab.measures.samples import Sample, sample_like

__all__ = ["METHODS", "bootstrap_table", "paired_differences"]

METHODS = ["studentised", "percentile", "bca"]


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

    choice("method", method, METHODS)
    study = study_of(responses, difficulty, missing)
    table = generality(
        study,
        interval=interval,
        estimator=estimator,
        mode=mode,
        missing=missing,
        extrapolate=extrapolate,
    )
    if method == "studentised":
        return with_limits(study, table, ci, resample)
    level = number("ci", ci, 0, 1, open_ends=True)
    sample = sample_like(table, study, resample)
    warn_of_families(study, resample)
    drawn = integer("resamples", resamples, 100)
    ends = drawn_limits(sample, method, level, drawn, generator(seed))
    fit = fit_of(sample)
    return joined(table, ends, fit.effective, level, fit)


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
