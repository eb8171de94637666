"""Other properties of curves: mean agents, effort, saturation, dominance, and lines of equal γ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import DifficultyLike, LabelsLike, NumbersLike, ResponsesLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, integer, number, required_pair, vector
from gindex_lab.measures.curves import Interval, merge
from gindex_lab.measures.generality import difficulties_of, generality, study_of

__all__ = ["aggregate", "dominance", "effort", "isometrics", "saturation", "spread_at"]


def aggregate(
    responses: ResponsesLike, difficulty: DifficultyLike = None, by: LabelsLike = None
) -> Responses:
    """The mean agent, or one mean agent per group: its curve is the aggregated curve (F.3).

    The mean agent has the mean capability, which is linear in the responses, and at least the mean spread.

    Parameters
    ----------
    responses, difficulty : as in `gl.generality`
    by : a column of `responses.agents`, or one label per agent; None for a single mean agent, "all"

    Returns
    -------
    Responses of the mean agents.

    Examples
    --------
    >>> aggregate([[1, 0], [1, 1]], [1, 2]).frame.loc["all"].tolist()
    [1.0, 0.5]
    """
    study = study_of(responses, difficulty, "drop")
    labels = study.agents[by] if isinstance(by, str) and by in study.agents else by
    if labels is None:
        labels = np.full(len(study.frame), "all")
    fits = pd.api.types.is_list_like(labels) and len(pd.Index(labels)) == len(study.frame)
    remedy = "name a column of agents, or a list"
    ensure(fits, "by", by, "[not-labels] does not label the agents", remedy)
    frame = study.frame.groupby(np.asarray(labels), sort=False).mean()
    return Responses(frame, items=study.items, interval=study.interval, name=study.name)


def effort(responses: ResponsesLike, difficulty: DifficultyLike = None, **options: Any) -> pd.Series:
    """Effort M = ∫hψ dh = H·∫ψ dh: the total difficulty of what an agent solves (Eq. 8, C.3).

    Parameters
    ----------
    responses, difficulty : as in `gl.generality`
    **options : of `gl.generality`

    Returns
    -------
    Series by agent, counted from the same origin as the expected difficulty.

    Examples
    --------
    >>> effort([[1, 1, 1]], [0, 1, 2]).tolist()
    [2.0]
    """
    table = generality(responses, difficulty, **options)
    product = table["expected_difficulty"] * (table["capability"] - table.attrs["origin"])
    return product.rename("effort")


def saturation(
    responses: ResponsesLike, difficulty: DifficultyLike = None, missing: str = "error"
) -> pd.Series:
    """The difficulty up to which an agent solves everything: the largest s with ψ(h) = 1 for all h < s.

    Parameters
    ----------
    responses, difficulty, missing : as in `gl.generality`

    Returns
    -------
    Series by agent; for an agent that fails on the easiest items, their difficulty (supplement, E.2).

    Examples
    --------
    >>> saturation([[1, 1, 0, 1], [0, 1, 1, 1]], [1, 2, 3, 4]).tolist()
    [2.0, 1.0]
    """
    study = study_of(responses, difficulty, missing)
    levels, psi, _ = merge(study.values, difficulties_of(study))
    met = ~np.isnan(psi)
    run = np.logical_and.accumulate(~met | (psi == 1), axis=1) & met
    last = run.shape[1] - 1 - run[:, ::-1].argmax(axis=1)
    last = np.where(run.any(axis=1), last, met.argmax(axis=1))
    return pd.Series(levels[last], index=study.frame.index, name="saturation")


def dominance(responses: ResponsesLike, difficulty: DifficultyLike = None) -> pd.DataFrame:
    """Which agents dominate which others: their curve is nowhere below and somewhere above.

    A dominating agent is at least as capable (Ψ is an integral of ψ), but it need not be more general
    (supplement E.2, property 7).

    Parameters
    ----------
    responses, difficulty : as in `gl.generality`

    Returns
    -------
    Agents x agents, True where the row dominates the column.

    Examples
    --------
    >>> dominance([[1, 1, 0], [1, 0, 0], [0, 0, 1]], [1, 2, 3]).to_numpy().astype(int).tolist()
    [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    """
    study = study_of(responses, difficulty)
    psi = merge(study.values, difficulties_of(study))[1]
    rows = [(mine >= psi).all(axis=1) & (mine > psi).any(axis=1) for mine in psi]
    agents = study.frame.index
    return pd.DataFrame(np.stack(rows), index=agents.copy(), columns=agents.copy())


def spread_at(capability: NumbersLike, gamma: float, interval: Interval) -> FloatArray:
    """The spread that gives γ at a capability: S = √((1 - γ) c (q - c)), c = Ψ - low, q = high - low. γ = 1
    is the decreasing step, 0 the constant curve, -1 the increasing step, the maximum (supplement, E.3, Eq.
    6)."""
    low, high = required_pair("interval", interval)
    c = vector("capability", capability) - low
    inside = (c >= 0).all() and (c <= high - low).all()
    problem = f"[out-of-range] leaves the interval {low:g} to {high:g}"
    ensure(inside, "capability", capability, problem, "stay inside")
    gamma = number("gamma", gamma, -1, 1)
    return np.asarray(np.sqrt((1 - gamma) * c * np.maximum(high - low - c, 0.0)))


def isometrics(interval: Interval, points: int = 100) -> pd.DataFrame:
    """Minimum, constant and maximum spread over the interval of capabilities (supplement F.5, F.1).

    Parameters
    ----------
    interval : (low, high) of the difficulties
    points : the number of capabilities

    Returns
    -------
    DataFrame `capability`, `minimum`, `constant`, `maximum`.

    Examples
    --------
    >>> isometrics((0, 10), points=3).round(3)
       capability  minimum  constant  maximum
    0         0.0      0.0       0.0    0.000
    1         5.0      0.0       5.0    7.071
    2        10.0      0.0       0.0    0.000
    """
    capability = np.linspace(*required_pair("interval", interval), integer("points", points, 2))
    lines = {"minimum": 1, "constant": 0, "maximum": -1}
    spreads = {name: spread_at(capability, gamma, interval) for name, gamma in lines.items()}
    return pd.DataFrame({"capability": capability} | spreads)
