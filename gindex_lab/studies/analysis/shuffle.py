"""The negative control: the same numbers without the agents.

Each item's responses are shuffled among the agents who met it. Every item keeps its difficulty, and no agent
keeps its ability. Whatever the analysis still finds there is not due to the agents.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import Caution
from gindex_lab.foundation.likes import PerItemLike, SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.step_curves import StepCurves
from gindex_lab.foundation.validate import FloatArray, confidence, generator, integer

__all__ = ["shuffle_control", "shuffled"]


def shuffle_control(
    measured: Responses, shuffles: int = 99, ci: float = 0.95, *, floor: PerItemLike = None, seed: SeedLike
) -> pd.DataFrame:
    """What the analysis finds in the data, and in shuffled responses.

    Parameters
    ----------
    measured : responses with difficulties, or what a transform gives
    shuffles : how many, at least 19
    ci : of the limits of the shuffled values
    floor : that of `gl.generality`
    seed : of the shuffles

    Returns
    -------
    DataFrame with a row for `capability_sd` (how far the agents differ in capability) and one for
    `mean_gamma` (how step-like their curves are): `observed`, `shuffled` (mean), `low`, `high`, and `p`, the
    chance of as much under shuffling (one-sided, (1 + hits) / (1 + shuffles)). `.attrs["draws"]` holds the
    draws.

    Notes
    -----
    A mean γ well above 0 under shuffling is usual: items keep their difficulties.

    Examples
    --------
    >>> from gindex_lab.studies.readers.examples import simulated_runs
    >>> runs = simulated_runs(agents=8, items=20)
    >>> study = runs.with_difficulty(1 - runs.frame.mean())
    >>> found = shuffle_control(study, shuffles=49, seed=1)
    >>> found.loc["capability_sd", "p"]
    np.float64(0.02)
    """
    rng = generator(seed)
    count, level = integer("shuffles", shuffles, 19), confidence(ci)
    drawn = pd.DataFrame([_statistics(shuffled(measured, rng), floor) for _ in range(count)])
    observed = pd.Series(_statistics(measured, floor))
    low, high = (drawn.quantile((1 + side * level) / 2) for side in (-1, 1))
    p = (1 + (drawn >= observed - 1e-12).sum()) / (1 + count)
    table = pd.DataFrame({"observed": observed, "shuffled": drawn.mean(), "low": low, "high": high, "p": p})
    table.attrs["draws"] = drawn
    return table


def _statistics(measured: Responses, floor: PerItemLike) -> dict[str, float]:
    from gindex_lab.measures.generality import generality

    with warnings.catch_warnings(action="ignore", category=Caution):  # the study's own table has told
        table = generality(measured, missing="drop", floor=floor)
    return {
        "capability_sd": float(table["capability"].std(ddof=0)),
        "mean_gamma": float(table["normalised_generality"].mean()),
    }


def shuffled(measured: Responses, rng: np.random.Generator) -> Responses:
    """The same responses (or positions, after a transform) shuffled within each item.

    >>> table = Responses([[1, 0], [0, 0], [0, 1]], difficulty=[1, 2])
    >>> shuffled(table, np.random.default_rng(1)).frame.mean().tolist()
    [0.3333333333333333, 0.3333333333333333]
    """
    if isinstance(measured, StepCurves) and measured.positions is not None:
        new = _dealt(measured.positions, rng)
        assert measured.interval is not None
        columns = None if measured.continuous else measured.shape[1]
        return StepCurves.at(new, measured.interval, columns, measured.position_items)
    return Responses(_dealt(measured.frame, rng), items=measured.items, interval=measured.interval)


def _dealt(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame(deal(frame.to_numpy(dtype=float), rng), frame.index, frame.columns)


def deal(values: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Each column's numbers in random order over the rows that have one; gaps stay where they are."""
    gaps = np.isnan(values)
    if not gaps.any():
        return np.asarray(rng.permuted(values, axis=0))
    places = np.argsort(gaps, axis=0, kind="stable")
    order = np.argsort(np.where(gaps, np.inf, rng.random(values.shape)), axis=0, kind="stable")
    dealt = np.empty_like(values)
    np.put_along_axis(dealt, places, np.take_along_axis(values, order, axis=0), axis=0)
    return dealt
