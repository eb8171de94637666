"""Does a measure move with time, or with the horizon?

The sentence is chosen by the interval, never by the estimate: "no trend found" is not "did not move"
(`specs/horizon.md`, part VI).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import known, number
from gindex_lab.measures.horizons.dates import column as column_of
from gindex_lab.measures.horizons.dates import (
    days_of,
    draws_in,
    line,
    mode_in,
    residual_limits,
    window,
)
from gindex_lab.measures.horizons.limits import quantiles

__all__ = ["trend", "trend_sentence"]

_YEAR = 365.25


def trend(
    table: pd.DataFrame,
    column: str = "spread_logistic",
    dates: object = "release_date",
    *,
    horizon: str = "horizon_50",
    agents: object = None,
    since: object = None,
    until: object = None,
    ci: float = 0.95,
    mode: str | None = None,
) -> pd.DataFrame:
    """The trend of a measure per year, and per doubling of the horizon.

    Least squares of the measure on the release date (years of 365.25 days), and on log2 of the horizon.
    `t_low`, `t_high` take the agents as the sample (residuals); `low`, `high` the tasks, from the draws
    that the table carries, in which every agent has a value (`draws` counts them).

    Parameters
    ----------
    table : result of `gl.horizon`, or any table of agents with the measure and a column of horizons
    column, horizon : the measure, and the horizon in minutes
    dates : column of the table or of the study's agents, mapping, Series or list of dates
    agents, since, until : keep these agents, and these dates, only
    mode : "exact" or "reference"; that of the table by default
        In a draw, "exact" leaves a rising curve without a horizon and counts no success as the lower end
        of the tested lengths; "reference" takes a rising curve's number, and leaves out agents with one
        class, as the published code does.

    Returns
    -------
    DataFrame
        Rows "year" and "doubling": `slope`, `t_low`, `t_high`, `low`, `high`, `draws`, `n`, and
        `verdict`: "rises" or "falls" where every interval given excludes 0, else "no trend found".
        `.attrs["sentence"]` says it in words.

    References
    ----------
    `specs/horizon.md`, sections 6 and VI.1.

    Examples
    --------
    >>> table = pd.DataFrame({"horizon_50": [1.0, 2, 4, 8], "spread_logistic": [2.0, 2.1, 2.0, 2.1],
    ...                       "date": ["2021-01-01", "2022-01-01", "2023-01-01", "2024-01-01"]})
    >>> trend(table, dates="date")["verdict"].tolist()
    ['no trend found', 'no trend found']
    """
    level = number("ci", ci, 0, 1, open_ends=True)
    kind = mode_in(table, mode)
    values, minutes = column_of(table, column), column_of(table, horizon, "horizon")
    day = window(days_of(table, dates), since, until)
    if agents is not None:
        chosen = known("agents", agents, table.index)
        day = day[day.index.isin(chosen)]
    usable = (
        np.isfinite(values[day.index]) & np.isfinite(minutes[day.index]) & (minutes[day.index] > 0)
    )
    left_out = list(day.index[~usable])
    day = day[usable]
    if len(day) < 3 or day.nunique() < 2:
        raise BadInput(
            "table",
            list(day.index),
            "holds fewer than three agents with a value and two dates",
            "add agents, or widen the window",
            code="too-few",
        )
    scales = {
        "year": (day / _YEAR).to_numpy(dtype=float),
        "doubling": np.log2(minutes[day.index].to_numpy(dtype=float)),
    }
    y = values[day.index].to_numpy(dtype=float)
    rows = {}
    for name, x in scales.items():
        t_low, t_high = residual_limits(x, y, level)
        low, high, n = _draw_limits(table, column, horizon, day, name, level, kind)
        verdict = _verdict([(t_low, t_high), (low, high)])
        slope = line(x, y)[0]
        rows[name] = {
            "slope": slope,
            "t_low": t_low,
            "t_high": t_high,
            "low": low,
            "high": high,
            "draws": n,
            "n": len(day),
            "verdict": verdict,
        }
    found = pd.DataFrame.from_dict(rows, orient="index")
    found.attrs = {"left_out": left_out, "column": column, "ci": level}
    found.attrs["sentence"] = trend_sentence(found, column)
    return found


def _draw_limits(
    table: pd.DataFrame, column: str, horizon: str, day: pd.Series, scale: str, ci: float, mode: str
) -> tuple[float, float, int]:
    y = draws_in(table, column, day.index, mode)
    minutes = draws_in(table, horizon, day.index, mode)
    if y is None or minutes is None:
        return np.nan, np.nan, 0
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.log2(minutes)
    if scale == "year":
        x = np.broadcast_to(day.to_numpy(dtype=float) / _YEAR, y.shape)
    whole = np.isfinite(y).all(axis=1) & np.isfinite(x).all(axis=1)
    if whole.sum() < 2:
        return np.nan, np.nan, int(whole.sum())
    x, y = x[whole], y[whole]
    centred = x - x.mean(axis=1, keepdims=True)
    slopes = (centred * y).sum(axis=1) / (centred**2).sum(axis=1)
    low, high = quantiles(slopes[:, None], [(1 - ci) / 2, (1 + ci) / 2])
    return float(low[0]), float(high[0]), int(whole.sum())


def _verdict(intervals: list[tuple[float, float]]) -> str:
    """Chosen by the intervals that there are, never by the estimate."""
    given = [(low, high) for low, high in intervals if not (np.isnan(low) or np.isnan(high))]
    if given and all(low > 0 for low, _ in given):
        return "rises"
    if given and all(high < 0 for _, high in given):
        return "falls"
    return "no trend found"


def trend_sentence(found: pd.DataFrame, column: str) -> str:
    """One sentence per scale, with every interval that chose it."""
    name = column.replace("_", " ")
    parts = []
    for scale, row in found.iterrows():
        said = {"rises": f"{name} rises", "falls": f"{name} falls"}.get(
            row["verdict"], f"no trend of {name} found"
        )
        spans = [f"{row['t_low']:+.2f} to {row['t_high']:+.2f} with the agents as the sample"]
        if not np.isnan(row["low"]):
            spans.append(f"{row['low']:+.2f} to {row['high']:+.2f} with the tasks redrawn")
        per = "a year" if scale == "year" else "per doubling of the horizon"
        parts.append(
            f"{said[0].upper()}{said[1:]}: {row['slope']:+.2f} {per} ({'; '.join(spans)})."
        )
    return " ".join(parts)
