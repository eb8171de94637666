"""How fast do horizons double, and does the spread move with them?

Ordinary least squares on the release date, as published (`specs/horizon.md`, section 6), with intervals
from the draws of `gl.horizon` where the table carries them, and from the residuals otherwise. The
sentence is chosen by the interval: "no trend found" is not "did not move".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.errors import BadInput
from gindex_lab.horizon.limits import quantiles
from gindex_lab.validate import FloatArray, choice, known, mode_of, number

__all__ = ["DoublingTime", "doubling_time", "frontier_of", "trend"]

_YEAR, _MONTH = 365.25, 30.44
_SHORTEST = 0.001  # minutes
FRONTIERS = ("at least", "above", "all")


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
    dates: object = "release_date",
    *,
    column: str = "horizon_50",
    frontier: object = "at least",
    since: object = None,
    until: object = None,
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
        Draws whose slope is not positive are dropped by the published code. "exact" keeps them: the
        interval is one of doublings per year, and an interval that reaches 0 has no upper end.

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
    kind = mode_of(table.attrs.get("mode", "exact") if mode is None else mode)
    level = number("ci", ci, 0, 1, open_ends=True)
    choice("redrawn", redrawn, ["frontier", "all"])
    day = days_of(table, dates)
    minutes = _column(table, column)
    kept, left_out = _with_horizon(minutes, _window(day, since, until))
    chosen = frontier_of(minutes[kept], day[kept], frontier)
    if len(chosen) < 2 or day[chosen].nunique() < 2:
        raise BadInput(
            "frontier",
            list(chosen),
            "holds fewer than two dates, and a trend needs two",
            "widen the window, or use frontier='all'",
        )
    x = day[chosen].to_numpy(dtype=float)
    y = np.log(np.maximum(minutes[chosen].to_numpy(dtype=float), _SHORTEST))
    slope, r_squared = _line(x, y)
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
        limits = _to_days(*_residual_limits(x, y, level))
    days = float(np.log(2) / slope) if slope != 0 else np.inf
    source = "draws" if len(slopes) else "residuals"
    return DoublingTime(
        days, *limits, r_squared, tuple(chosen), left_out, level, source, len(slopes), dropped
    )


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
    replicates = table.attrs.get("replicates")
    if replicates is None or column not in replicates.measures:
        return np.empty(0), 0
    minutes = replicates.measures[column][:, _positions(table, replicates, agents)]
    x = day[agents].to_numpy(dtype=float)
    with np.errstate(invalid="ignore"):
        usable = np.isfinite(minutes) & (minutes >= _SHORTEST)
    slopes = _slopes(x, np.log(np.where(usable, minutes, 1.0)), usable)
    found = np.isfinite(slopes) & ((slopes > 0) | (kind == "exact"))
    return slopes[found], int((~found).sum())


def _slopes(x: FloatArray, y: FloatArray, usable: np.ndarray) -> FloatArray:
    """Least-squares slope of each row (R, A) on x (A,), over its usable cells; NaN without two dates."""
    n = usable.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        centred = np.where(usable, x - (usable * x).sum(axis=1, keepdims=True) / n, 0.0)
        square = (centred**2).sum(axis=1)
        return np.where(square > 1e-9, (centred * y).sum(axis=1) / square, np.nan)


def _positions(table: pd.DataFrame, replicates: Any, agents: pd.Index) -> np.ndarray:
    return np.asarray(replicates.agents.index.get_indexer(agents))


def _line(x: FloatArray, y: FloatArray) -> tuple[float, float]:
    centred = x - x.mean()
    slope = float(centred @ y / (centred @ centred))
    rest = y - y.mean() - slope * centred
    total = float(((y - y.mean()) ** 2).sum())
    return slope, 1 - float(rest @ rest) / total if total > 0 else np.nan


def _residual_limits(x: FloatArray, y: FloatArray, ci: float) -> tuple[float, float]:
    """Limits of the slope with the agents as the sample: Student's t with n - 2 degrees of freedom."""
    from scipy.stats import t as student

    if len(x) < 3:
        return np.nan, np.nan
    slope, _ = _line(x, y)
    centred = x - x.mean()
    rest = y - y.mean() - slope * centred
    error = np.sqrt(rest @ rest / (len(x) - 2) / (centred @ centred))
    half = float(student.ppf((1 + ci) / 2, len(x) - 2) * error)
    return slope - half, slope + half


# -- who counts ------------------------------------------------------------------------------------------


def frontier_of(minutes: pd.Series, day: pd.Series, rule: object = "at least") -> pd.Index:
    """The agents on the frontier, by date.

    >>> minutes = pd.Series({"a": 1.0, "b": 3.0, "c": 2.0, "d": 3.0})
    >>> day = pd.Series({"a": 0.0, "b": 1.0, "c": 2.0, "d": 3.0})
    >>> list(frontier_of(minutes, day)), list(frontier_of(minutes, day, "above"))
    (['a', 'b', 'd'], ['a', 'b'])
    """
    if not isinstance(rule, str):
        chosen = known("frontier", rule, minutes.index)
        return day.loc[chosen].sort_values(kind="stable").index
    choice("frontier", rule, FRONTIERS)
    order = pd.DataFrame({"day": day, "minutes": minutes})
    order = order.sort_values(["day", "minutes"], ascending=[True, False], kind="stable")
    if rule == "all":
        return order.index
    if rule == "above":
        before = order["minutes"].cummax().shift(fill_value=-np.inf)
        return order.index[order["minutes"] > before]
    best = order.groupby("day")["minutes"].max().cummax()
    return order.index[order["minutes"] >= order["day"].map(best)]


def days_of(table: pd.DataFrame, dates: object) -> pd.Series:
    """The release day of each agent as a number of days, from a column, mapping, Series or list."""
    if isinstance(dates, str):
        replicates = table.attrs.get("replicates")
        agents = getattr(replicates, "agents", None)
        if dates in table:
            dates = table[dates]
        elif agents is not None and dates in agents:
            dates = agents[dates]
        else:
            raise BadInput(
                "dates",
                dates,
                "is not a column of the table, nor of the agents of the study",
                "name another column, or pass a mapping from agent to date",
            )
    if isinstance(dates, (Mapping, pd.Series)):
        given = pd.Series(dates)
        absent = table.index.difference(given.index, sort=False)
        if len(absent):
            raise BadInput("dates", absent[0], "is an agent without a date", "give it one")
        given = given.loc[table.index]
    else:
        values = [] if dates is None else list(dates)  # type: ignore[call-overload]
        if len(values) != len(table):
            raise BadInput(
                "dates",
                len(values),
                f"has another length than the {len(table)} agents",
                "match them",
            )
        given = pd.Series(values, index=table.index)
    found = pd.to_datetime(given.astype(str), errors="coerce", format="mixed")
    if found.isna().any():
        agent = found.index[found.isna()][0]
        raise BadInput(f"dates[{agent!r}]", given[agent], "is not a date", "write it as 2026-03-20")
    return (found - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)


def _window(day: pd.Series, since: object, until: object) -> pd.Series:
    ends = [-np.inf, np.inf]
    for k, (name, value) in enumerate((("since", since), ("until", until))):
        if value is None:
            continue
        at = pd.to_datetime(str(value), errors="coerce")
        if at is pd.NaT:
            raise BadInput(name, value, "is not a date", "write it as 2026-03-20")
        ends[k] = (at - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
    kept = day[(day >= ends[0]) & (day <= ends[1])]
    if kept.empty:
        raise BadInput("since, until", (since, until), "leave no agent", "widen the window")
    return kept


def _column(table: object, column: str) -> pd.Series:
    if not isinstance(table, pd.DataFrame):
        raise BadInput("table", type(table).__name__, "is not a table", "pass that of gl.horizon")
    if column not in table:
        raise BadInput("column", column, "is not a column of the table", "name a measure")
    return pd.to_numeric(table[column], errors="coerce").astype(float)


def _with_horizon(minutes: pd.Series, day: pd.Series) -> tuple[pd.Index, dict[str, str]]:
    """Agents with a horizon, and why the others are left out."""
    why = {}
    for agent in day.index:
        value = minutes[agent]
        if np.isnan(value):
            why[agent] = "has no horizon"
        elif not np.isfinite(value):
            why[agent] = "has no failure"
        elif value <= 0:
            why[agent] = "has a horizon of 0"
    kept = day.index.difference(pd.Index(list(why), dtype=object), sort=False)
    return kept, why


# -- trends of any measure -----------------------------------------------------------------------------------


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
) -> pd.DataFrame:
    """The trend of a measure per year, and per doubling of the horizon.

    Least squares of the measure on the release date (years of 365.25 days), and on log2 of the horizon.
    `t_low`, `t_high` take the agents as the sample (residuals); `low`, `high` the tasks, from the draws
    that the table carries, in which every agent has a value (`draws` counts them).

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
    values, minutes = _column(table, column), _column(table, horizon)
    day = _window(days_of(table, dates), since, until)
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
        )
    scales = {
        "year": (day / _YEAR).to_numpy(dtype=float),
        "doubling": np.log2(minutes[day.index].to_numpy(dtype=float)),
    }
    y = values[day.index].to_numpy(dtype=float)
    rows = {}
    for name, x in scales.items():
        t_low, t_high = _residual_limits(x, y, level)
        low, high, n = _draw_limits(table, column, horizon, day, name, level)
        verdict = _verdict([(t_low, t_high), (low, high)])
        slope = _line(x, y)[0]
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
    table: pd.DataFrame, column: str, horizon: str, day: pd.Series, scale: str, ci: float
) -> tuple[float, float, int]:
    replicates = table.attrs.get("replicates")
    if replicates is None or column not in replicates.measures:
        return np.nan, np.nan, 0
    at = _positions(table, replicates, day.index)
    y, minutes = (replicates.measures[k][:, at] for k in (column, horizon))
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
