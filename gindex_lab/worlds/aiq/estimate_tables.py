"""The tables of an estimate: by stratum, by episode length, and by program."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.worlds.aiq import stratified

__all__ = ["episode_table", "program_table", "strata_table"]

IntArray = npt.NDArray[np.int64]


def strata_table(strata: stratified.Strata) -> pd.DataFrame:
    """What each stratum that is not empty gave."""
    keep = strata.probability > 0
    return pd.DataFrame(
        {
            "probability": strata.probability[keep],
            "pairs": strata.pairs[keep],
            "mean": strata.mean[keep, -1],
            "spread": strata.spread[keep, -1],
        },
        index=pd.Index(np.flatnonzero(keep), name="stratum"),
    )


def episode_table(
    strata: stratified.Strata, lengths: Sequence[int], programs: float, confidence: float
) -> pd.DataFrame:
    """Value, interval, error and published half interval, one row per episode length."""
    from scipy.stats import t

    # Plain Monte Carlo has one stratum, whose probability is sure.
    error = stratified.standard_error(strata, programs)
    half = error * t.ppf(0.5 + confidence / 2, stratified.degrees_of_freedom(strata, programs))
    return pd.DataFrame(
        {
            "value": strata.value,
            "low": strata.value - half,
            "high": strata.value + half,
            "standard_error": error,
            "spread": strata.probability @ strata.spread,
            "reference_half_interval": stratified.reference_half_interval(strata),
        },
        index=pd.Index(lengths, name="episode"),
    )


def program_table(
    table: pd.DataFrame, stratum: IntArray, strata: stratified.Strata, tested: stratified.Results
) -> pd.DataFrame:
    """One row per tested program; `weight` is the probability that it stands for."""
    rows, own = tested.rows, stratum[tested.rows]
    return pd.DataFrame(
        {
            "program": table["program"].to_numpy()[rows],
            "stratum": table["stratum"].to_numpy()[rows],
            "plus": tested.values[:, 0, -1],
            "minus": tested.values[:, 1, -1],
            "weight": strata.probability[own] / strata.pairs[own],
        },
        index=pd.Index(rows, name="row"),
    )
