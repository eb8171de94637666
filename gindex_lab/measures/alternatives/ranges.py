"""Do these agents differ at all? One test for a whole group, by exchanging responses within items.

If all agents were alike, it would be a toss who gave which of the responses to an item. Dealing the
responses of every item (or family) out again at random, the range of a measure, largest less smallest,
shows what chance alone does; nothing is assumed of the items (Fisher 1935; Tukey's range, by
permutation). Two agents further apart than all but 5% of these ranges differ, whichever pair it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import FloatArray, choice, confidence, generator
from gindex_lab.measures.fit import Fit, unit_sums
from gindex_lab.measures.limits import MEASURES
from gindex_lab.measures.pairs import fit_behind, plain_values

__all__ = ["RangeTest", "range_test"]

_BLOCK = 4_000_000  # cells of a temporary array
_MOST = 10**11  # cells of all permutations together: some minutes


class RangeTest(NamedTuple):
    """`range` of a measure over the agents, its `p_value`, and the `critical` range at level 1 - ci."""

    measure: str
    range: float
    p_value: float
    critical: float
    permutations: int


def range_test(
    table: pd.DataFrame,
    measure: str = "capability",
    *,
    ci: float | None = None,
    permutations: int = 1999,
    seed: SeedLike = None,
) -> RangeTest:
    """Could equal agents have spread this far in a measure? A permutation test of the whole group.

    Parameters
    ----------
    table : what `gl.generality(..., ci=0.95)` gives, sorted or cut to some agents as you like
        Every agent has met every item: otherwise compare pairs on common items (`gl.comparisons`).
    measure : "capability", "spread", "normalised_generality", "expected_difficulty" or "mean"
    ci : 1 less the level of the critical range; that of the table by default
    permutations : how often the responses are dealt out again
    seed : of the permutations; 0 by default

    Returns
    -------
    RangeTest
        `range`, `p_value`, `critical` and the settings.

    Notes
    -----
    The p value counts the data as one of the permutations, (1 + #{range* >= range}) / (1 + B): at most the
    nominal level of equal agents are called different. Agents alike in one measure may differ in others, and
    then responses are not exchangeable: the test is one of no difference whatever, looked at through one
    measure.

    References
    ----------
    Davison and Hinkley (1997), Bootstrap Methods and their Application, Eq. 4.11.

    Examples
    --------
    >>> from gindex_lab.measures.generality import generality
    >>> level = np.arange(40)
    >>> table = generality([level < 30, level < 29, level < 8], difficulty=level, ci=0.95)
    >>> range_test(table, permutations=199).p_value
    0.005
    >>> range_test(table.iloc[:2], permutations=199).p_value
    1.0
    """
    choice("measure", measure, MEASURES)
    fit = fit_behind(table)
    level = confidence(table.attrs.get("ci") if ci is None else ci)
    random, sample = generator(0 if seed is None else seed), fit.sample
    ensure(len(table) > 1, "table", len(table), "is not a group", "give at least two agents")
    problem = "leave nothing to exchange: agents met different items"
    remedy = "use gl.comparisons, which compares pairs on the items that both met"
    ensure(not np.isnan(sample.values).any(), "table", "missing cells", problem, remedy)
    problem = "cannot be exchanged between agents"
    ensure(sample.trials is None, "table", "trials", problem, "use resample='items'")
    problem = f"times {sample.values.size:,} responses would take hours"
    remedy = f"use at most {_MOST // sample.values.size:,}"
    ensure(permutations * sample.values.size <= _MOST, "permutations", permutations, problem, remedy)
    observed = float(np.ptp(plain_values(fit, measure)))
    drawn = _ranges(fit, measure, permutations, random)
    same = 1e-12 * max(abs(observed), 1e-300)
    p = (1 + (drawn >= observed - same).sum()) / (1 + permutations)
    return RangeTest(measure, observed, float(p), float(np.quantile(drawn, level)), permutations)


def _ranges(fit: Fit, measure: str, permutations: int, random: np.random.Generator) -> FloatArray:
    """The ranges (B,) of the measure when the responses to each unit are shuffled."""
    cells = unit_sums(fit)
    rest = np.stack([fit.area, fit.moment, fit.mean]) - cells.sum(axis=2)
    # what the units do not bring: end points and the block below the first item
    _, agents, units = cells.shape
    size = max(1, _BLOCK // (agents * units))
    found = []
    for start in range(0, permutations, size):
        shape = (min(size, permutations - start), agents, units)
        dealt = random.permuted(np.broadcast_to(np.arange(agents)[:, None], shape), axis=1)
        sums = np.stack([np.take_along_axis(x[None], dealt, axis=1).sum(axis=2) for x in cells])
        found.append(np.ptp(plain_values(fit, measure, sums + rest[:, None]), axis=-1))
    return np.concatenate(found)
