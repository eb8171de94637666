"""How fast do horizons double, and does a measure move with time or with the horizon?

Ordinary least squares on the release date, as published (`specs/horizon.md`, section 6), with intervals
from the draws of `gl.horizon` where the table carries them, and from the residuals otherwise. The sentence
about a trend is chosen by the interval, never by the estimate: "no trend found" is not "did not move".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import DateLike, DatesLike, LabelsLike
from gindex_lab.foundation.validate import FloatArray, choice, known, number
from gindex_lab.measures.horizons.dates import (
    column as column_of,
)
from gindex_lab.measures.horizons.dates import (
    days_of,
    draws_in,
    frontier_of,
    line,
    mode_in,
    residual_limits,
    window,
    with_horizon,
)
from gindex_lab.measures.horizons.dates import (
    slopes as slopes_of,
)
from gindex_lab.measures.horizons.limits import quantiles

__all__ = ["doubling_time", "trend"]

_YEAR, _MONTH = 365.25, 30.44
_SHORTEST = 0.001  # minutes


@dataclass(frozen=True)
class DoublingTime:
    """Days in which the horizon doubles, with an interval, and the agents that it rests on."""

    days: float
    low: float
    high: float
    r_squared: float
    frontier: tuple[Any, ...]
    left_out: dict[str, str]
    ci: float
    source: str  # of the interval: "draws" or "residuals"
    draws: int  # that the interval rests on
    dropped: int  # draws without a usable slope
    median: float = np.nan  # of the draws, in days; NaN without draws

    def __float__(self) -> float:
        return self.days

    @property
    def months(self) -> float:
        """In months of 30.44 days."""
        return self.days / _MONTH

    @property
    def per_year(self) -> float:
        """Doublings per year."""
        return _YEAR / self.days

    def sentence(self) -> str:
        """In words, chosen by the interval."""
        between = f"{self.ci:.0%} interval {self.low:.0f} to {_days(self.high)} days"
        if np.isnan(self.low):
            return f"The horizon doubles every {self.days:.0f} days; there is no interval for it."
        if not np.isfinite(self.high):
            fastest = f"at the fastest, it doubles every {self.low:.0f} days"
            return (
                f"No growth of the horizon was found ({fastest}; the interval includes no growth)."
            )
        return f"The horizon doubles every {self.days:.0f} days ({between})."


def _days(value: float) -> str:
    return f"{value:.0f}" if np.isfinite(value) else "never"


def doubling_time(
    table: pd.DataFrame,
    dates: DatesLike = "release_date",
    *,
    column: str = "horizon_50",
    frontier: LabelsLike = "at least",
    since: DateLike = None,
    until: DateLike = None,
    ci: float = 0.95,
    redrawn: str = "frontier",
    mode: str | None = None,
) -> DoublingTime:
    """The time in which the horizon doubles along the frontier, in days.

    Ordinary least squares of ln(max(horizon, 0.001 min)) on the release day; the doubling time is
    ln 2 / slope. Agents without a finite, positive horizon are left out and named.

    Parameters
    ----------
    table : result of `gl.horizon`, or any table of agents with a column of horizons in minutes
    dates : column of the table or of the study's agents, mapping, Series or list of dates
    frontier : "at least", "above", "all", or a list of agents
        Walking the dates, an agent counts if its horizon is at least the highest so far, its own day
        included (METR); "above": strictly above it, the best of a day first (Lyptus).
    since, until : keep agents of these dates only, before the frontier is drawn
    redrawn : "frontier" or "all"
        Which agents the regression in every draw uses (Lyptus takes all of them).
    mode : "exact" or "reference"; that of the table by default
        Draws whose slope is not positive are dropped by the published code, and a rising curve's number
        is used. "exact" keeps such draws and leaves out such curves: the interval is one of doublings
        per year, and an interval that reaches 0 has no upper end.

    References
    ----------
    `specs/horizon.md`, section 6; the published regressions of METR and Lyptus.

    Examples
    --------
    >>> table = pd.DataFrame({"horizon_50": [1.0, 2.1, 3.9, 8.0],
    ...                       "date": ["2021-01-01", "2022-01-01", "2023-01-01", "2024-01-01"]})
    >>> round(doubling_time(table, "date").days)
    369
    """
    kind = mode_in(table, mode)
    level = number("ci", ci, 0, 1, open_ends=True)
    choice("redrawn", redrawn, ["frontier", "all"])
    minutes = column_of(table, column)
    day = days_of(table, dates)
    kept, left_out = with_horizon(minutes, window(day, since, until))
    chosen = frontier_of(minutes[kept], day[kept], frontier)
    if len(chosen) < 2 or day[chosen].nunique() < 2:
        problem = "[too-few] holds fewer than two dates, and a trend needs two"
        remedy = "widen the window, or use frontier='all'"
        raise BadInput("frontier", list(chosen), problem, remedy)
    x = day[chosen].to_numpy(dtype=float)
    y = np.log(np.maximum(minutes[chosen].to_numpy(dtype=float), _SHORTEST))
    slope, r_squared = line(x, y)
    on = chosen if redrawn == "frontier" else kept
    slopes, dropped = _slopes_of_draws(table, column, on, day, kind)
    if len(slopes):
        low, high = (
            float(q[0]) for q in quantiles(slopes[:, None], [(1 - level) / 2, (1 + level) / 2])
        )
        if kind == "reference":
            ends = quantiles(np.log(2) / slopes[:, None], [(1 - level) / 2, (1 + level) / 2])
            limits = float(ends[0][0]), float(ends[1][0])
        else:
            limits = _to_days(low, high)
    else:
        limits = _to_days(*residual_limits(x, y, level))
    days = float(np.log(2) / slope) if slope != 0 else np.inf
    source = "draws" if len(slopes) else "residuals"
    return DoublingTime(
        days,
        *limits,
        r_squared,
        tuple(chosen),
        left_out,
        level,
        source,
        len(slopes),
        dropped,
        _median_days(slopes),
    )


def _median_days(slopes: FloatArray) -> float:
    """The median doubling time of the draws; a median draw without growth never doubles.

    >>> round(_median_days(np.log(2) / np.array([100.0, 200, 400])), 6)
    200.0
    """
    if not len(slopes):
        return np.nan
    if (slopes > 0).all():
        return float(np.median(np.log(2) / slopes))
    middle = float(np.median(slopes))
    return float(np.log(2) / middle) if middle > 0 else np.inf


def _to_days(low: float, high: float) -> tuple[float, float]:
    """Limits of the slope as limits of the doubling time; growth that may be none has no upper end."""
    if np.isnan(low):
        return np.nan, np.nan
    shortest = float(np.log(2) / high) if high > 0 else np.inf
    return shortest, float(np.log(2) / low) if low > 0 else np.inf


def _slopes_of_draws(
    table: pd.DataFrame, column: str, agents: pd.Index, day: pd.Series, kind: str
) -> tuple[FloatArray, int]:
    """The slope in every draw, missing, infinite and tiny horizons left out; and draws without one."""
    minutes = draws_in(table, column, agents, kind)
    if minutes is None:
        return np.empty(0), 0
    x = day[agents].to_numpy(dtype=float)
    with np.errstate(invalid="ignore"):
        usable = np.isfinite(minutes) & (minutes >= _SHORTEST)
    slopes = slopes_of(x, np.log(np.where(usable, minutes, 1.0)), usable)
    found = np.isfinite(slopes) & ((slopes > 0) | (kind == "exact"))
    return slopes[found], int((~found).sum())


def trend(
    table: pd.DataFrame,
    column: str = "spread_logistic",
    dates: DatesLike = "release_date",
    *,
    horizon: str = "horizon_50",
    agents: LabelsLike = None,
    since: DateLike = None,
    until: DateLike = None,
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
        problem = "[too-few] holds fewer than three agents with a value and two dates"
        remedy = "add agents, or widen the window"
        raise BadInput("table", list(day.index), problem, remedy)
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
