"""One form for the rows of all benchmarks: name, ratio, goal, growth, and the rest as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["FALL", "compared", "exponent", "tidy"]

FALL = 0.7  # a ratio below this share of the stored one has fallen
_NAMES = ("benchmark", "what", "task")
_RATIOS = ("ratio", "times ours", "times faster", "times_faster")
_GOALS = ("goal", "target")
_APART = {*_NAMES, *_RATIOS, *_GOALS, "note", "sizes", "seconds", "share_of_limit", "limit", "met"}


def tidy(found: pd.DataFrame | Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of a benchmark as {name, ratio, goal, exponent, sizes, seconds, share_of_limit, told}."""
    rows = list(found) if not isinstance(found, pd.DataFrame) else _rows_of(found)
    return [_tidied(dict(row)) for row in rows]


def _rows_of(table: pd.DataFrame) -> list[dict[str, Any]]:
    if not isinstance(table.index, pd.RangeIndex):
        table = table.rename_axis("benchmark").reset_index()
    return [
        {key: value for key, value in row.items() if not _nothing(value)}
        for row in table.to_dict("records")
    ]


def _nothing(value: object) -> bool:
    return value is None or value == "" or (isinstance(value, float) and np.isnan(value))


def _tidied(row: dict[str, Any]) -> dict[str, Any]:
    plain = {key: _plain(value) for key, value in row.items() if not _nothing(value)}
    curve = isinstance(plain.get("seconds"), list)
    told = [f"{key.replace('_', ' ')} {_short(plain[key])}" for key in plain if key not in _APART]
    told += [f"{plain['seconds']:.3g} s"] if "seconds" in plain and not curve else []
    told += [str(plain["note"])] if "note" in plain else []
    kept = {
        "name": _name(plain),
        "ratio": _first(plain, _RATIOS),
        "goal": _first(plain, _GOALS),
        "told": "; ".join(told),
    }
    if curve:
        kept |= {key: plain[key] for key in ("sizes", "seconds")}
        kept["exponent"] = exponent(plain["sizes"], plain["seconds"])
    return kept | {key: plain[key] for key in ("share_of_limit", "limit") if key in plain}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _short(value: object) -> str:
    return f"{value:,.4g}" if isinstance(value, float) else str(value)


def _name(row: Mapping[str, Any]) -> str:
    named = _first(row, _NAMES)
    return str(named) if named else ", ".join(str(row[k]) for k in ("size", "program") if k in row)


def _first(row: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((row[key] for key in keys if key in row), None)


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The slope of log time against log size, by least squares: 1 is in proportion, 2 the square."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def compared(rows: list[dict[str, Any]], stored: Mapping[str, float]) -> list[dict[str, Any]]:
    """The rows with the stored ratio, the change since, and whether it is a fall."""
    return [row | _change(row, stored.get(row["name"])) for row in rows]


def _change(row: Mapping[str, Any], before: float | None) -> dict[str, Any]:
    now = row["ratio"]
    if not before or not isinstance(now, (int, float)):
        return {"before": before, "change": None, "fell": False}
    return {"before": before, "change": now / before - 1, "fell": now < FALL * before}
