"""How fast do horizons double, and does a measure move with time or with the horizon?

Ordinary least squares on the release date, as published (`specs/horizon.md`, section 6), with intervals from
the draws of `gl.horizon` where the table carries them, and from the residuals otherwise. The sentence about a
trend is chosen by the interval, never by the estimate: "no trend found" is not "did not move".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import DateLike, DatesLike, LabelsLike
from gindex_lab.foundation.validate import FloatArray, Mode, known
from gindex_lab.measures.horizons.dates import column_of, days_of, draws_in, frontier_of, line, slopes, window

__all__ = ["DoublingTime", "doubling_time", "trend"]

_YEAR, _MONTH = 365.25, 30.44  # days; METR's month (`specs/horizon.md`, section 6)
_SHORTEST = 0.001  # minutes: shorter horizons are left out, as published (section 6)


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
        if np.isnan(self.low):
            return f"The horizon doubles every {self.days:.0f} days; there is no interval for it."
        if not np.isfinite(self.high):
            fastest = f"at the fastest, it doubles every {self.low:.0f} days"
            return f"No growth of the horizon was found ({fastest}; the interval includes no growth)."
        between = f"{self.ci:.0%} interval {self.low:.0f} to {self.high:.0f} days"
        return f"The horizon doubles every {self.days:.0f} days ({between})."


def doubling_time(
    table: pd.DataFrame,
    dates: DatesLike = "release_date",
    *,
    column: str = "horizon_50",
    frontier: LabelsLike = "at least",
    since: DateLike = None,
    until: DateLike = None,
    ci: float = 0.95,
    redrawn: Literal["frontier", "all"] = "frontier",
    mode: Mode | None = None,
) -> DoublingTime:
    """The time in which the horizon doubles along the frontier, in days.

    Ordinary least squares of ln(max(horizon, 0.001 min)) on the release day; the doubling time is
    ln 2 / slope. Agents without a finite, positive horizon are left out and named.

    Parameters
    ----------
    table : result of `gl.horizon`, or any table of agents with a column of horizons in minutes
    dates : column of the table or of the study's agents, mapping, Series or list of dates
    column : the horizon that is to double
    frontier : "at least", "above", "all", or a list of agents
        Walking the dates, an agent counts if its horizon is at least the highest so far, its own day
        included (METR); "above": strictly above it, the best of a day first (Lyptus).
    since, until : keep agents of these dates only, before the frontier is drawn
    ci : confidence of the interval
    redrawn : which agents the regression in every draw uses (Lyptus takes all of them)
    mode : that of the table by default
        "reference" drops draws whose slope is not positive, and uses a rising curve's number, as the
        published code does. "exact" keeps such draws and leaves out such curves: the interval is one of
        doublings per year, and an interval that reaches 0 has no upper end.

    Returns
    -------
    DoublingTime
        `days`, `low`, `high`, `r_squared`, `frontier`, `left_out` (agent: why), `.months`, `.per_year` and
        `.sentence()`; `float()` gives the days.

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
    minutes = column_of(table, column)
    kind, day = mode or table.attrs.get("mode", "exact"), days_of(table, dates)
    inside = window(day, since, until).index
    left_out = {agent: why for agent in inside if (why := _without_horizon(minutes[agent]))}
    kept = inside[~inside.isin(list(left_out))]
    chosen = frontier_of(minutes[kept], day[kept], frontier)
    problem = "[too-few] holds fewer than two dates, and a trend needs two"
    remedy = "widen the window, or use frontier='all'"
    ensure(day[chosen].nunique() > 1, "frontier", list(chosen), problem, remedy)
    found = line(day[chosen].to_numpy(), np.log(np.maximum(minutes[chosen].to_numpy(), _SHORTEST)))
    of_draws, dropped = _slopes_of_draws(table, column, chosen if redrawn == "frontier" else kept, day, kind)
    median, limits = np.nan, _to_days(*found.limits(ci))
    if len(of_draws):
        median, shares = _median_days(of_draws), [(1 - ci) / 2, (1 + ci) / 2]
        low, high = np.quantile(np.log(2) / of_draws if kind == "reference" else of_draws, shares)
        limits = (float(low), float(high)) if kind == "reference" else _to_days(low, high)
    days = float(np.log(2) / found.slope) if found.slope else np.inf
    facts: dict[str, Any] = {"frontier": tuple(chosen), "left_out": left_out, "ci": ci, "median": median}
    facts |= {"source": "draws" if len(of_draws) else "residuals", "draws": len(of_draws), "dropped": dropped}
    return DoublingTime(days, *limits, found.r_squared, **facts)


def _without_horizon(minutes: float) -> str:
    """Why an agent has no horizon; nothing where it has one."""
    if np.isnan(minutes):
        return "has no horizon"
    return "has no failure" if not np.isfinite(minutes) else "has a horizon of 0" if minutes <= 0 else ""


def _median_days(slopes: FloatArray) -> float:
    """The median doubling time of the draws; a median draw without growth never doubles.

    >>> round(_median_days(np.log(2) / np.array([100.0, 200, 400])), 6)
    200.0
    """
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
    with np.errstate(invalid="ignore"):
        usable = np.isfinite(minutes) & (minutes >= _SHORTEST)
    every = slopes(day[agents].to_numpy(), np.log(np.where(usable, minutes, 1.0)), usable)
    found = np.isfinite(every) & ((every > 0) | (kind == "exact"))
    return every[found], int((~found).sum())


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
    mode: Mode | None = None,
) -> pd.DataFrame:
    """The trend of a measure per year, and per doubling of the horizon.

    Least squares of the measure on the release date (years of 365.25 days), and on log2 of the horizon.

    Parameters
    ----------
    table : result of `gl.horizon`, or any table of agents with the measure and a column of horizons
    column : the measure
    dates : column of the table or of the study's agents, mapping, Series or list of dates
    horizon : column of the horizon in minutes
    agents, since, until : keep these agents, and these dates, only
    ci : confidence of the limits
    mode : that of the table by default
        In a draw, "exact" leaves a rising curve without a horizon and counts no success as the lower end of
        the tested lengths; "reference" takes a rising curve's number, and leaves out agents with one class,
        as the published code does.

    Returns
    -------
    DataFrame
        Rows "year" and "doubling": `slope`; `t_low`, `t_high` with the agents as the sample (residuals);
        `low`, `high` with the tasks as the sample, from the draws that the table carries in which every agent
        has a value (`draws` counts them); `n`; and `verdict`: "rises" or "falls" where every interval given
        excludes 0, else "no trend found". `.attrs["sentence"]` says it in words.

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
    values, minutes = column_of(table, column), column_of(table, horizon, "horizon")
    kind = mode or table.attrs.get("mode", "exact")
    day = window(days_of(table, dates), since, until)
    if agents is not None:
        day = day[day.index.isin(known("agents", agents, table.index))]
    values, minutes = values[day.index], minutes[day.index]
    usable = np.isfinite(values) & np.isfinite(minutes) & (minutes > 0)
    left_out, day = list(day.index[~usable]), day[usable]
    problem = "[too-few] holds fewer than three agents with a value and two dates"
    enough = len(day) > 2 and day.nunique() > 1
    ensure(enough, "table", list(day.index), problem, "add agents, or widen the window")
    rows, years = {}, day.to_numpy() / _YEAR
    drawn = draws_in(table, column, day.index, kind), draws_in(table, horizon, day.index, kind)
    for name, x in (("year", years), ("doubling", np.log2(minutes[usable].to_numpy()))):
        fitted = line(x, values[usable].to_numpy())
        (t_low, t_high), (low, high, n) = fitted.limits(ci), _draw_limits(*drawn, years, name == "year", ci)
        row = {"slope": fitted.slope, "t_low": t_low, "t_high": t_high, "low": low, "high": high}
        verdict = _verdict([(t_low, t_high), (low, high)])
        rows[name] = row | {"draws": n, "n": len(day), "verdict": verdict}
    found = pd.DataFrame.from_dict(rows, orient="index")
    found.attrs = {"left_out": left_out, "column": column, "ci": ci}
    found.attrs["sentence"] = _sentence(found, column)
    return found


def _draw_limits(
    y: FloatArray | None, minutes: FloatArray | None, years: FloatArray, by_year: bool, ci: float
) -> tuple[float, float, int]:
    """Limits of the slope over the draws in which every agent has a value, and their number."""
    if y is None or minutes is None:
        return np.nan, np.nan, 0
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.broadcast_to(years, y.shape) if by_year else np.log2(minutes)
    whole = np.isfinite(y).all(axis=1) & np.isfinite(x).all(axis=1)
    n = int(whole.sum())
    if n < 2:
        return np.nan, np.nan, n
    every = slopes(x[whole], y[whole], np.ones_like(y[whole], dtype=bool))
    low, high = np.quantile(every, [(1 - ci) / 2, (1 + ci) / 2])
    return float(low), float(high), n


def _verdict(intervals: list[tuple[float, float]]) -> str:
    """Chosen by the intervals that there are, never by the estimate."""
    given = [(low, high) for low, high in intervals if not (np.isnan(low) or np.isnan(high))]
    if given and all(low > 0 for low, _ in given):
        return "rises"
    return "falls" if given and all(high < 0 for _, high in given) else "no trend found"


def _sentence(found: pd.DataFrame, column: str) -> str:
    """One sentence per scale, with every interval that chose it."""
    name, parts = column.replace("_", " "), []
    for scale, row in found.iterrows():
        verdict = row["verdict"]
        said = f"{name} {verdict}" if verdict in ("rises", "falls") else f"no trend of {name} found"
        spans = [f"{row['t_low']:+.2f} to {row['t_high']:+.2f} with the agents as the sample"]
        if not np.isnan(row["low"]):
            spans.append(f"{row['low']:+.2f} to {row['high']:+.2f} with the tasks redrawn")
        per = "a year" if scale == "year" else "per doubling of the horizon"
        parts.append(f"{said[0].upper()}{said[1:]}: {row['slope']:+.2f} {per} ({'; '.join(spans)}).")
    return " ".join(parts)
