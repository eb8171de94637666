"""Where an agent stands on an item: positions (agents x items) under four readings of a score."""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray

__all__ = ["beta_position", "normal_position", "rank_position", "scale_position"]


def rank_position(frame: pd.DataFrame, leave_one_out: bool, ties: str) -> pd.DataFrame:
    """The share of the agents with a score that one beats, ties counting half or as won.

    With halves it is below/m + ½ equal/m, two divisions as in the authors' code (supplement, F.4): on a
    grid of difficulties a position that meets one exactly counts half there, and (below + ½ equal)/m can
    miss it, or meet it, by its last digit. As a number the two are the same.

    >>> rank_position(pd.DataFrame({"i": [3.0, 1.0, 3.0]}), True, "half")["i"].tolist()
    [0.75, 0.0, 0.75]
    """
    below = frame.rank(method="min") - 1
    equal = frame.rank(method="max") - below - int(leave_one_out)
    others = frame.notna().sum() - int(leave_one_out)
    if not (others > 0).all():
        raise BadInput(
            f"scores[{others.idxmin()!r}]", 1, "has a single score to rank", "leave the item out"
        )
    return below / others + equal / others / 2 if ties == "half" else (below + equal) / others


def scale_position(frame: pd.DataFrame) -> pd.DataFrame:
    """Standard scores with the sample standard deviation (n - 1).

    >>> scale_position(pd.DataFrame({"i": [1.0, 2.0, 3.0]}))["i"].tolist()
    [-1.0, 0.0, 1.0]
    """
    flat = ~(frame.max() > frame.min())
    if flat.any():
        raise BadInput(
            f"scores[{flat.idxmax()!r}]",
            float(frame.loc[:, flat].iloc[0, 0]),
            "is the same for all agents, so it has no standard score",
            "drop the constant item, or use gl.rank",
        )
    # powers of two are exact: only the range of the numbers changes, so that no square overflows
    frame = frame / np.exp2(np.floor(np.log2(frame.abs().max())))
    return (frame - frame.mean()) / frame.std(ddof=1)


def beta_position(frame: pd.DataFrame, mean: FloatArray, sd: FloatArray) -> pd.DataFrame:
    """F(value) under the beta distributions with these moments:
    α = ((1 - μ)/σ² - 1/μ)μ², β = α(1/μ - 1).

    >>> beta_position(pd.DataFrame({"i": [0.25, 0.5]}), np.array([0.5]), np.array([12**-0.5]))["i"].tolist()
    [0.25, 0.5]
    """
    from scipy.special import betainc

    _check_unit(frame)
    inside = (mean > 0) & (mean < 1)
    if not inside.all():
        at = int(np.argmin(inside))
        raise BadInput(
            f"mean[{frame.columns[at]!r}]", mean[at], "is not inside (0, 1)", "use family='normal'"
        )
    wide = sd**2 >= mean * (1 - mean)
    if wide.any():
        at = int(np.argmax(wide))
        raise BadInput(
            f"sd[{frame.columns[at]!r}]",
            float(sd[at]),
            f"is too large for a beta distribution with mean {mean[at]:g}",
            f"it must be below {np.sqrt(mean[at] * (1 - mean[at])):.4g}",
        )
    alpha = ((1 - mean) / sd**2 - 1 / mean) * mean**2
    beta = alpha * (1 / mean - 1)
    return pd.DataFrame(betainc(alpha, beta, frame.to_numpy()), frame.index, frame.columns)


def normal_position(frame: pd.DataFrame, mean: FloatArray, sd: FloatArray) -> pd.DataFrame:
    """Φ((value - μ)/σ).

    >>> normal_position(pd.DataFrame({"i": [1.0]}), np.array([1.0]), np.array([2.0]))["i"].tolist()
    [0.5]
    """
    from scipy.special import ndtr

    return pd.DataFrame(ndtr((frame.to_numpy() - mean) / sd), frame.index, frame.columns)


def _check_unit(frame: pd.DataFrame) -> None:
    bad = np.argwhere((frame.to_numpy() < 0) | (frame.to_numpy() > 1))
    if len(bad):
        agent, item = frame.index[bad[0][0]], frame.columns[bad[0][1]]
        raise BadInput(
            f"values[{agent!r}, {item!r}]",
            float(frame.loc[agent, item]),
            "is not in [0, 1], where the beta distribution lives",
            "rescale it, or use family='normal'",
        )
