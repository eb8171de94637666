"""Release dates, windows and frontiers: which agents a trend rests on; and straight lines through them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import DateLike, DatesLike
from gindex_lab.foundation.many_tests import half_width
from gindex_lab.foundation.validate import FloatArray, choice, known

__all__ = ["Regression", "column_of", "days_of", "draws_in", "frontier_of", "line", "slopes", "window"]

_TWO_WAYS = re.compile(r"\d{1,2}[/.-]\d{1,2}[/.-](\d{2}|\d{4})")


def frontier_of(minutes: pd.Series, day: pd.Series, rule: object = "at least") -> pd.Index:
    """The agents on the frontier, by date."""
    if not isinstance(rule, str):
        return day.loc[known("frontier", rule, minutes.index)].sort_values(kind="stable").index
    choice("frontier", rule, ["at least", "above", "all"])
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
    if dates is None:
        raise BadInput("dates", None, "[missing] are needed", "name a column, or pass one date per agent")
    if isinstance(dates, str):
        agents = getattr(getattr(table, "replicates", None), "agents", pd.DataFrame())
        problem = "[missing-column] is not a column of the table, nor of the agents of the study"
        remedy = "name another column, or pass a mapping from agent to date"
        ensure(dates in table or dates in agents, "dates", dates, problem, remedy)
        dates = table[dates] if dates in table else agents[dates]
    if isinstance(dates, (Mapping, pd.Series)):
        given = pd.Series(dates)
        absent = table.index.difference(given.index, sort=False)
        if len(absent):
            raise BadInput("dates", absent[0], "[missing] is an agent without a date", "give it one")
        given = given.loc[table.index]
    else:
        values = list(dates)  # type: ignore[arg-type]
        problem = f"[wrong-length] has a different length from the {len(table)} agents"
        ensure(len(values) == len(table), "dates", len(values), problem, "match them")
        given = pd.Series(values, index=table.index)
    return _days({f"dates[{agent!r}]": value for agent, value in given.items()}).set_axis(given.index)


def _days(dates: dict[str, Any]) -> pd.Series:
    """Days since 1970-01-01, by name; times of day are parts of a day, zones are taken to UTC."""
    text = pd.Series([str(value).strip() for value in dates.values()], dtype=object)
    found = pd.to_datetime(text, errors="coerce", format="mixed", utc=True)
    for k, (name, value) in enumerate(dates.items()):
        problem = "[not-a-date] is not a date"
        if _TWO_WAYS.fullmatch(text[k]):
            problem = "[not-a-date] may be day and month or month and day"
        elif found[k] is not pd.NaT and text[k].lower() not in ("now", "today"):
            continue
        raise BadInput(name, value, problem, "write it as 2026-03-20")
    days = (found - pd.Timestamp("1970-01-01", tz="UTC")) / pd.Timedelta(days=1)
    return days.set_axis(list(dates))


def window(day: pd.Series, since: DateLike, until: DateLike) -> pd.Series:
    """The days from one date to another, both included."""
    ends = _days({k: v for k, v in (("since", since), ("until", until)) if v is not None})
    kept = day[(day >= ends.get("since", -np.inf)) & (day <= ends.get("until", np.inf))]
    ensure(len(kept), "since, until", (since, until), "[empty] exclude every agent", "widen the window")
    return kept


def column_of(table: object, column: str, argument: str = "column") -> pd.Series:
    """The numbers of a column, NaN where there are none."""
    if not isinstance(table, pd.DataFrame):
        remedy = "pass that of gl.horizon"
        raise BadInput("table", type(table).__name__, "[wrong-type] is not a table", remedy)
    problem = "[missing-column] is not a column of the table"
    ensure(column in table, argument, column, problem, "name a measure")
    values = pd.to_numeric(table[column], errors="coerce").astype(float)
    words = values.isna().all() and table[column].notna().any()
    ensure(not words, argument, column, "[not-a-number] is a column without numbers", "name a measure")
    return values


def draws_in(table: pd.DataFrame, name: str, agents: pd.Index, mode: str) -> FloatArray | None:
    """The draws of a measure for some agents (draws, agents), where the table carries them."""
    replicates: Any = getattr(table, "replicates", None)
    drawn = None if replicates is None else replicates.of(name, mode)
    return None if drawn is None else np.asarray(drawn[:, replicates.agents.index.get_indexer(agents)])


# -- straight lines ------------------------------------------------------------


class Regression(NamedTuple):
    """Slope, R² and standard error of the slope of a least-squares line through n points."""

    slope: float
    r_squared: float
    error: float
    n: int

    def limits(self, ci: float) -> tuple[float, float]:
        """Of the slope, with the agents as the sample: Student's t with n - 2 degrees of freedom."""
        half = float(half_width(self.error, ci, self.n - 2)) if self.n > 2 else np.nan
        return self.slope - half, self.slope + half


def line(x: FloatArray, y: FloatArray) -> Regression:
    """Least squares of y on x."""
    centred, above = x - x.mean(), y - y.mean()
    slope = float(centred @ y / (centred @ centred))
    rest, total = above - slope * centred, float((above**2).sum())
    error = float(np.sqrt(rest @ rest / max(len(x) - 2, 1) / (centred @ centred)))
    return Regression(slope, 1 - float(rest @ rest) / total if total > 0 else np.nan, error, len(x))


def slopes(x: FloatArray, y: FloatArray, usable: np.ndarray) -> FloatArray:
    """Least-squares slope of each row of y on x (R, A), over its usable cells; NaN without two dates."""
    n = usable.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        centred = np.where(usable, x - np.where(usable, x, 0.0).sum(axis=1, keepdims=True) / n, 0.0)
        square = (centred**2).sum(axis=1)
        return np.where(square > 1e-9, (centred * y).sum(axis=1) / square, np.nan)
