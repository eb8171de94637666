"""Release dates, windows and frontiers: which agents a trend rests on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import DateLike, DatesLike
from gindex_lab.foundation.many_tests import half_width
from gindex_lab.foundation.validate import FloatArray, choice, known, mode_of

__all__ = [
    "FRONTIERS",
    "column",
    "days_of",
    "draws_in",
    "frontier_of",
    "line",
    "mode_in",
    "residual_limits",
    "slopes",
    "window",
    "with_horizon",
]

FRONTIERS = ("at least", "above", "all")
_TWO_WAYS = re.compile(r"\d{1,2}[/.-]\d{1,2}[/.-](\d{2}|\d{4})")


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


def days_of(table: pd.DataFrame, dates: DatesLike) -> pd.Series:
    """The release day of each agent as a number of days, from a column, mapping, Series or list."""
    if isinstance(dates, str):
        replicates = getattr(table, "replicates", None)
        agents = getattr(replicates, "agents", None)
        if dates in table:
            dates = table[dates]
        elif agents is not None and dates in agents:
            dates = agents[dates]
        else:
            problem = (
                "[missing-column] is not a column of the table, nor of the agents of the study"
            )
            remedy = "name another column, or pass a mapping from agent to date"
            raise BadInput("dates", dates, problem, remedy)
    if dates is None:
        remedy = "name a column, or pass one date per agent"
        raise BadInput("dates", None, "[missing] are needed", remedy)
    if isinstance(dates, (Mapping, pd.Series)):
        given = pd.Series(dates)
        absent = table.index.difference(given.index, sort=False)
        if len(absent):
            problem = "[missing] is an agent without a date"
            raise BadInput("dates", absent[0], problem, "give it one")
        given = given.loc[table.index]
    else:
        values = list(dates)  # type: ignore[arg-type]
        if len(values) != len(table):
            problem = f"[wrong-length] has a different length from the {len(table)} agents"
            raise BadInput("dates", len(values), problem, "match them")
        given = pd.Series(values, index=table.index)
    return _days({f"dates[{agent!r}]": value for agent, value in given.items()}, given.index)


def _days(dates: dict[str, Any], index: pd.Index | None = None) -> pd.Series:
    """Days since 1970-01-01, by name; times of day are parts of a day, zones are taken to UTC."""
    text = pd.Series([str(value).strip() for value in dates.values()], dtype=object)
    found = pd.to_datetime(text, errors="coerce", format="mixed", utc=True)
    for k, (name, value) in enumerate(dates.items()):
        if _TWO_WAYS.fullmatch(text[k]):
            problem = "[not-a-date] may be day and month or month and day"
            raise BadInput(name, value, problem, "write it as 2026-03-20")
        if found[k] is pd.NaT or text[k].lower() in ("now", "today"):
            problem = "[not-a-date] is not a date"
            raise BadInput(name, value, problem, "write it as 2026-03-20")
    days = (found - pd.Timestamp("1970-01-01", tz="UTC")) / pd.Timedelta(days=1)
    return days.set_axis(list(dates) if index is None else index)


def window(day: pd.Series, since: DateLike, until: DateLike) -> pd.Series:
    ends = [-np.inf, np.inf]
    for k, (name, value) in enumerate((("since", since), ("until", until))):
        if value is not None:
            ends[k] = float(_days({name: value}).iloc[0])
    kept = day[(day >= ends[0]) & (day <= ends[1])]
    if kept.empty:
        problem = "[empty] leave no agent"
        raise BadInput("since, until", (since, until), problem, "widen the window")
    return kept


def column(table: object, column: str, argument: str = "column") -> pd.Series:
    if not isinstance(table, pd.DataFrame):
        remedy = "pass that of gl.horizon"
        raise BadInput("table", type(table).__name__, "[wrong-type] is not a table", remedy)
    if column not in table:
        problem = "[missing-column] is not a column of the table"
        raise BadInput(argument, column, problem, "name a measure")
    values = pd.to_numeric(table[column], errors="coerce").astype(float)
    if values.isna().all() and table[column].notna().any():
        problem = "[not-a-number] is a column without numbers"
        raise BadInput(argument, column, problem, "name a measure")
    return values


def with_horizon(minutes: pd.Series, day: pd.Series) -> tuple[pd.Index, dict[str, str]]:
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


# -- straight lines ------------------------------------------------------------


def slopes(x: FloatArray, y: FloatArray, usable: np.ndarray) -> FloatArray:
    """Least-squares slope of each row (R, A) on x (A,), over its usable cells; NaN without two dates."""
    n = usable.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        centred = np.where(usable, x - (usable * x).sum(axis=1, keepdims=True) / n, 0.0)
        square = (centred**2).sum(axis=1)
        return np.where(square > 1e-9, (centred * y).sum(axis=1) / square, np.nan)


def mode_in(table: object, mode: str | None) -> str:
    """The mode asked for, or that of the table."""
    known_mode = getattr(table, "attrs", {}).get("mode", "exact")
    return mode_of(known_mode if mode is None else mode)


def draws_in(table: pd.DataFrame, name: str, agents: pd.Index, mode: str) -> FloatArray | None:
    """The draws of a measure for some agents (draws, agents), where the table carries them."""
    replicates: Any = getattr(table, "replicates", None)
    drawn = None if replicates is None else replicates.of(name, mode)
    if drawn is None:
        return None
    return np.asarray(drawn[:, replicates.agents.index.get_indexer(agents)])


def line(x: FloatArray, y: FloatArray) -> tuple[float, float]:
    centred = x - x.mean()
    slope = float(centred @ y / (centred @ centred))
    rest = y - y.mean() - slope * centred
    total = float(((y - y.mean()) ** 2).sum())
    return slope, 1 - float(rest @ rest) / total if total > 0 else np.nan


def residual_limits(x: FloatArray, y: FloatArray, ci: float) -> tuple[float, float]:
    """Limits of the slope with the agents as the sample: Student's t with n - 2 degrees of freedom."""
    if len(x) < 3:
        return np.nan, np.nan
    slope, _ = line(x, y)
    centred = x - x.mean()
    rest = y - y.mean() - slope * centred
    error = np.sqrt(rest @ rest / (len(x) - 2) / (centred @ centred))
    half = float(half_width(error, ci, len(x) - 2))
    return slope - half, slope + half
