"""The negative control: the same numbers without the agents.

Each item's responses are shuffled among the agents who met it. Every item keeps its difficulty, and
no agent keeps its ability. What the analysis still finds there, it does not owe to the agents.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.likes import PerItemLike, SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.step_curves import StepCurves
from gindex_lab.foundation.validate import FloatArray, generator, integer, number

__all__ = ["shuffle_control", "shuffled"]


def shuffle_control(
    measured: Responses,
    shuffles: int = 99,
    ci: float = 0.95,
    *,
    seed: SeedLike,
    floor: PerItemLike = None,
) -> pd.DataFrame:
    """Observed against shuffled: `observed`, `shuffled` (mean), `low`, `high`, and the chance `p` of as
    much under shuffling (one-sided, (1 + hits) / (1 + shuffles)).

    `capability_sd` is how far the agents differ in capability; `mean_gamma` how step-like their
    curves are. A mean γ well above 0 under shuffling is usual: items keep their difficulties.
    The draws are in `.attrs["draws"]`. `floor` is that of `gl.generality`.

    >>> from gindex_lab.studies.readers.examples import simulated_runs
    >>> runs = simulated_runs(agents=8, items=20)
    >>> study = runs.with_difficulty(1 - runs.frame.mean())
    >>> found = shuffle_control(study, shuffles=49, seed=1)
    >>> found.loc["capability_sd", "p"]
    np.float64(0.02)
    """
    rng = generator(seed)
    count, level = integer("shuffles", shuffles, 19), number("ci", ci, 0, 1, open_ends=True)
    drawn = pd.DataFrame([_statistics(shuffled(measured, rng), floor) for _ in range(count)])
    observed = pd.Series(_statistics(measured, floor))
    ends = drawn.quantile([(1 - level) / 2, (1 + level) / 2])
    as_much = (drawn >= observed - 1e-12).sum()
    table = pd.DataFrame(
        {
            "observed": observed,
            "shuffled": drawn.mean(),
            "low": ends.iloc[0],
            "high": ends.iloc[1],
            "p": (1 + as_much) / (1 + count),
        }
    )
    table.attrs["draws"] = drawn
    return table


def _statistics(measured: Responses, floor: PerItemLike) -> dict[str, float]:
    from gindex_lab.measures.generality import generality

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
        old = measured.positions
        new = pd.DataFrame(deal(old.to_numpy(dtype=float), rng), old.index, old.columns)
        columns = None if measured.continuous else measured.shape[1]
        assert measured.interval is not None
        return StepCurves.at(new, measured.interval, columns, measured.position_items)
    frame = measured.frame
    dealt = pd.DataFrame(deal(measured.values, rng), frame.index, frame.columns)
    return Responses(dealt, items=measured.items, interval=measured.interval)


def deal(values: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Each column's numbers in random order over the rows that have one; gaps stay where they are.

    >>> deal(np.array([[1.0], [np.nan], [3.0]]), np.random.default_rng(2)).tolist()
    [[1.0], [nan], [3.0]]
    """
    gaps = np.isnan(values)
    if not gaps.any():
        return np.asarray(rng.permuted(values, axis=0))
    places = np.argsort(gaps, axis=0, kind="stable")
    order = np.argsort(np.where(gaps, np.inf, rng.random(values.shape)), axis=0, kind="stable")
    dealt = np.empty_like(values)
    np.put_along_axis(dealt, places, np.take_along_axis(values, order, axis=0), axis=0)
    return dealt
