"""The mathematics of the estimator: which programs are tested next, and how sure the mean is.

Programs fall into strata of probabilities p_i. Testing goes in stages; after each, the next programs go
where p_i s_i is large, s_i being the spread of a program's value in stratum i so far (Etoré and Jourdain
2010, method a; Legg and Veness 2013, section 5). The unit is the program: its value is the mean of its
two runs.

The published interval divides the spread of *programs* by the number of *runs*, two per program, and is
too small by √2. `standard_error` divides by programs, and adds the uncertainty of the p_i, which are counted
in a finite sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.many_tests import half_width
from gindex_lab.foundation.validate import FloatArray, IntArray

__all__ = [
    *("Results", "Strata", "adaptive", "allocate", "degrees_of_freedom", "episode_table", "plain"),
    *("reference_half_interval", "stages", "standard_error", "strata_table", "summarise"),
]

Tester = Callable[[IntArray], FloatArray]  # rows -> values (rows x signs x lengths), NaN = no value

# the authors' code: runs per stratum at the end of each stage, and strata 0 to 20
_STAGES = (3, 6, 10, 20, 30, 50, 70, 100, *range(250, 2000, 250), *range(2000, 4001, 500), 5000)
_MOST_STRATA = 21  # 0 to 20
CAUTION = 0.5  # of 0, 0.25 and 0.5 the one with the least bias (see the notebook on intervals)


@dataclass(frozen=True)
class Results:
    """Programs in the order of testing: `rows` of the sample and `values` (rows x signs x lengths).

    `failed` are the rows without a value; `exhausted` the strata that ran out of programs.
    """

    rows: IntArray
    values: FloatArray
    failed: IntArray
    exhausted: tuple[int, ...] = ()


@dataclass(frozen=True)
class Strata:
    """One row per stratum: probability, programs tested, and (strata x lengths) mean and spread."""

    probability: FloatArray
    pairs: IntArray
    mean: FloatArray
    spread: FloatArray

    @property
    def value(self) -> FloatArray:
        """Σ p_i m_i, for each episode length."""
        return self.probability @ self.mean


def stages(strata: int, runs: int) -> list[int]:
    """Total runs at the end of each stage, for this number of strata that are not empty."""
    return [0, *(size * strata for size in _STAGES if size * strata + strata < runs), runs]


def allocate(probability: FloatArray, spread: FloatArray, new_runs: int, caution: float = 0.0) -> IntArray:
    """New programs per stratum: one each, and the rest in proportion to p_i s_i.

    With `caution` c the spread of a stratum counts as (1 - c) s_i + c Σ p_j s_j. The authors' rule is c = 0,
    under which a stratum whose first programs happen to agree is hardly tested again, however wrong that is.
    """
    present = probability > 0
    weight = probability * ((1 - caution) * spread + caution * (probability @ spread))
    if weight.sum() == 0:
        weight = probability
    shares = weight / weight.sum() * (new_runs - 2 * present.sum()) / 2
    ends = np.cumsum(shares)
    before = np.concatenate([[0.0], ends[:-1]])
    more = np.maximum(np.floor(ends + 0.001) - np.floor(before), 0)
    return (more + present).astype(np.int64)


def summarise(stratum: IntArray, values: FloatArray, probability: FloatArray) -> Strata:
    """Mean and spread of programs in each stratum; `stratum` numbers the rows of `values`.

    The spread of two programs or fewer is taken as 1, as the authors do.
    """

    def sums(numbers: FloatArray) -> FloatArray:
        total = np.zeros((len(probability), numbers.shape[1]))
        np.add.at(total, stratum, numbers)
        return total

    programs = values.mean(axis=1)
    pairs = np.bincount(stratum, minlength=len(probability))
    mean = sums(programs) / np.maximum(pairs, 1)[:, None]
    variance = sums((programs - mean[stratum]) ** 2) / np.maximum(pairs - 1, 1)[:, None]
    variance[variance < 1e-10] = 0.0  # the authors' guard against rounding
    spread = np.where(pairs[:, None] <= 2, 1.0, np.sqrt(variance))
    return Strata(probability, pairs, mean, spread)


def reference_half_interval(strata: Strata) -> FloatArray:
    """1.96 Σ p_i s_i / √N with N the number of runs, as published: too small by √2."""
    return 1.96 * (strata.probability @ strata.spread) / np.sqrt(2 * strata.pairs.sum())


def standard_error(strata: Strata, programs: float = np.inf) -> FloatArray:
    """√(Σ p_i² s_i² / n_i + Σ p_i (m_i - m)² / M), n_i programs tested in stratum i, M in the sample.

    The second term (double sampling; Cochran 1977, section 12.2) is what the p_i, counted among M random
    programs, are unsure of; with M infinite the strata's probabilities are taken as known.
    """
    p, n = strata.probability[:, None], np.maximum(strata.pairs, 1)[:, None]
    within = (p**2 * strata.spread**2 / n).sum(axis=0)
    between = (p * (strata.mean - strata.value) ** 2).sum(axis=0)
    return np.asarray(np.sqrt(within + between / programs))


def degrees_of_freedom(strata: Strata, programs: float = np.inf) -> FloatArray:
    """Of the t distribution for `standard_error`, by Satterthwaite's rule: few programs, wider interval."""
    p, n = strata.probability[:, None], np.maximum(strata.pairs, 2)[:, None]
    parts = p**2 * strata.spread**2 / n
    uncertain = (parts**2 / (n - 1)).sum(axis=0)
    total = standard_error(strata, programs) ** 4
    return np.where(uncertain > 0, total / np.where(uncertain > 0, uncertain, 1.0), np.inf)


def adaptive(
    test: Tester,
    stratum: IntArray,
    runs: int,
    caution: float = CAUTION,
    report: Callable[[int], None] = lambda runs: None,
) -> Results:
    """Test programs stage by stage; a program without a value is replaced by the next of its stratum.

    `stratum` holds the stratum of each row of the sample; rows are taken from the front, so that all
    agents meet the same programs. The last episode length decides where the next programs go.
    """
    probability = np.bincount(stratum, minlength=_MOST_STRATA) / len(stratum)
    present, spread = int((probability > 0).sum()), np.ones(len(probability))
    problem, remedy = f"[too-few] is too few for {present} strata", f"use at least {3 * present}"
    ensure(runs >= 3 * present, "runs", runs, problem, remedy)
    tested = _Progress(test, stratum, len(probability))
    for start, end in pairwise(stages(present, runs)):
        tested.add(allocate(probability, spread, end - start, caution))
        report(end)
        so_far = tested.result()
        spread = summarise(stratum[so_far.rows], so_far.values[:, :, -1:], probability).spread[:, 0]
    return so_far


def plain(test: Tester, stratum: IntArray, runs: int) -> Results:
    """Plain Monte Carlo: the first programs of the sample, as they come."""
    tested = _Progress(test, np.zeros_like(stratum), 1)
    tested.add(np.array([runs // 2]))
    return tested.result()


class _Progress:
    """What was tested so far, and the programs of each stratum that wait."""

    def __init__(self, test: Tester, stratum: IntArray, strata: int) -> None:
        self.test, self.stratum = test, stratum
        self.waiting = [np.flatnonzero(stratum == i) for i in range(strata)]
        self.rows: list[IntArray] = []
        self.values: list[FloatArray] = []
        self.failed: list[IntArray] = [np.zeros(0, dtype=np.int64)]
        self.exhausted: set[int] = set()

    def add(self, wanted: IntArray) -> None:
        """Test that many more of each stratum, and replace those that fail."""
        while wanted.any():
            rows = np.concatenate([pool[:n] for pool, n in zip(self.waiting, wanted, strict=True)])
            self.exhausted |= {i for i, pool in enumerate(self.waiting) if len(pool) < wanted[i]}
            self.waiting = [pool[n:] for pool, n in zip(self.waiting, wanted, strict=True)]
            if not len(rows):
                return
            values = self.test(rows)
            bad = np.isnan(values).any(axis=(1, 2))
            self.rows.append(rows[~bad])
            self.values.append(values[~bad])
            self.failed.append(rows[bad])
            wanted = np.bincount(self.stratum[rows[bad]], minlength=len(wanted))

    def result(self) -> Results:
        rows, failed = np.concatenate(self.rows), np.concatenate(self.failed)
        return Results(rows, np.concatenate(self.values), failed, tuple(sorted(self.exhausted)))


def strata_table(strata: Strata) -> pd.DataFrame:
    """What each stratum that is not empty gave."""
    keep = strata.probability > 0
    columns = {"probability": strata.probability, "pairs": strata.pairs}
    columns |= {"mean": strata.mean[:, -1], "spread": strata.spread[:, -1]}
    return pd.DataFrame(columns).rename_axis("stratum")[keep]


def episode_table(strata: Strata, lengths: Sequence[int], programs: float, confidence: float) -> pd.DataFrame:
    """Value, interval, error and published half interval, one row per episode length."""
    error = standard_error(strata, programs)
    half = half_width(error, confidence, degrees_of_freedom(strata, programs))
    columns = {"value": strata.value, "low": strata.value - half, "high": strata.value + half}
    columns |= {"standard_error": error, "spread": strata.probability @ strata.spread}
    columns |= {"reference_half_interval": reference_half_interval(strata)}
    return pd.DataFrame(columns, index=pd.Index(lengths, name="episode"))
