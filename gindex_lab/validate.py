"""The checks that many functions share: each is tiny, and its error says what to do."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.errors import BadInput

__all__ = [
    "Mode",
    "choice",
    "described",
    "flag",
    "generator",
    "integer",
    "known",
    "mode_of",
    "no_duplicates",
    "number",
    "numeric_frame",
    "pair",
    "per_item",
    "trials_of",
    "vector",
]

Mode = Literal["exact", "reference"]
FloatArray = npt.NDArray[np.float64]

# What numpy or pandas would turn into a number without asking
_NO_NUMBERS: tuple[type, ...] = (
    *(datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64),
    *(pd.Period, complex, np.complexfloating),
)


def choice(name: str, value: object, allowed: Sequence[str]) -> str:
    """One of the allowed words.

    >>> choice("ties", "half", ["half", "win"])
    'half'
    """
    if not isinstance(value, str) or value not in allowed:
        raise BadInput(
            name, value, "is not an option", "use one of " + ", ".join(map(repr, allowed))
        )
    return value


def flag(name: str, value: object) -> bool:
    """True or False, and no word that Python would take for True.

    >>> flag("leave_one_out", np.False_)
    False
    """
    if not isinstance(value, (bool, np.bool_)):
        raise BadInput(name, value, "is neither True nor False", "use one of them")
    return bool(value)


def pair(name: str, value: object) -> tuple[float, float] | None:
    """Two finite numbers, the lower first; None stays None.

    >>> pair("interval", [0, 1])
    (0.0, 1.0)
    """
    if value is None:
        return None
    if isinstance(value, str):
        raise BadInput(name, value, "is not a pair of numbers", "give (low, high)")
    try:
        low, high = map(float, value)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        raise BadInput(name, value, "is not a pair of numbers", "give (low, high)") from None
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise BadInput(name, value, "is empty or not finite", "give (low, high), low < high")
    return low, high


def mode_of(mode: object) -> Mode:
    """`"exact"` (the mathematics) or `"reference"` (the authors' code)."""
    return choice("mode", mode, ["exact", "reference"])  # type: ignore[return-value]


def integer(name: str, value: object, minimum: int = 1) -> int:
    """A whole number from `minimum` up.

    >>> integer("columns", 100.0, 2)
    100
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise BadInput(name, value, "is not a whole number", f"use one from {minimum} up")
    if not np.isfinite(value) or value != int(value) or value < minimum:
        raise BadInput(
            name, value, f"is not a whole number from {minimum} up", f"use {minimum} or more"
        )
    return int(value)


def number(
    name: str,
    value: object,
    low: float = -np.inf,
    high: float = np.inf,
    *,
    open_ends: bool = False,
) -> float:
    """A finite number in [low, high], or in (low, high) with `open_ends`.

    >>> number("ci", 0.95, 0, 1, open_ends=True)
    0.95
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise BadInput(name, value, "is not a number", f"use one between {low:g} and {high:g}")
    x = float(value)
    inside = low < x < high if open_ends else low <= x <= high
    if not np.isfinite(x) or not inside:
        raise BadInput(name, value, "is out of range", f"use a number between {low:g} and {high:g}")
    return x


def generator(seed: object) -> np.random.Generator:
    """A numpy Generator from a Generator, a SeedSequence or a whole number; never the global one."""
    if isinstance(seed, np.random.Generator):
        return seed
    if isinstance(seed, np.random.SeedSequence):
        return np.random.default_rng(seed)
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and seed >= 0:
        return np.random.default_rng(int(seed))
    raise BadInput(
        "seed", seed, "is not a seed", "pass a whole number such as seed=1, or a Generator"
    )


def no_duplicates(name: str, labels: Iterable[Any]) -> None:
    """Labels that tell things apart: an agent or an item may stand there once."""
    index = pd.Index(labels)
    if not index.is_unique:
        twice = index[index.duplicated()][0]
        raise BadInput(name, twice, "stands there more than once", "give each a name of its own")


def known(name: str, labels: Any, index: pd.Index) -> list[Any]:
    """Labels that stand in the index, as a list.

    >>> known("agents", ("b", "a"), pd.Index(["a", "b", "c"]))
    ['b', 'a']
    """
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise BadInput(name, labels, "is not a list of labels", f"pass {name}=[...]")
    wanted = list(labels)
    for label in wanted:
        if not pd.api.types.is_hashable(label) or label not in index:
            raise BadInput(name, label, "is not in the table", f"known are {list(index[:5])} …")
    return wanted


def per_item(name: str, values: object, items: pd.Index) -> FloatArray:
    """One number for each item, in the order of the items: from a Series or mapping by item, a list.

    >>> per_item("difficulty", {"b": 2, "a": 1}, pd.Index(["a", "b"]))
    array([1., 2.])
    """
    if isinstance(values, Mapping):
        values = pd.Series(values, dtype=object)
    if isinstance(values, pd.Series):
        no_duplicates(f"{name}.index", values.index)
        absent = items.difference(values.index, sort=False)
        if len(absent):
            raise BadInput(name, absent[0], f"is an item without a {name}", "give it one")
        values = values.loc[items].to_numpy()
    if isinstance(values, str):
        raise BadInput(name, values, "is not a number for each item", "pass a list of numbers")
    try:
        flat = np.asarray(values).reshape(1, -1)
    except ValueError:
        raise BadInput(name, values, "is a ragged list", "pass one number for each item") from None
    if flat.size != len(items):
        problem = f"has another length than the {len(items)} items"
        raise BadInput(name, flat.size, problem, "match them")
    row = pd.DataFrame(flat, columns=items)
    found = _finite(row, lambda _, item: f"{name}[{item!r}]")[0]
    if np.isnan(found).any():
        item = items[np.isnan(found)][0]
        raise BadInput(name, item, f"is an item without a {name}", "give it one")
    return found


def vector(name: str, values: object, length: int | None = None) -> FloatArray:
    """A flat array of finite numbers, of the given length.

    >>> vector("difficulty", [1, 2, 3], 3)
    array([1., 2., 3.])
    """
    try:
        given = np.asarray(values)
        if given.dtype.kind in "mMc" or (
            given.dtype == object and any(isinstance(x, _NO_NUMBERS) for x in given.flat)
        ):
            raise TypeError
        array = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise BadInput(
            name, values, "holds something that is not a number", "pass numbers"
        ) from None
    if array.ndim != 1:
        raise BadInput(name, array.shape, "is not one-dimensional", "pass a flat list of numbers")
    if length is not None and len(array) != length:
        raise BadInput(
            name, len(array), f"has another length than {length}", f"pass {length} numbers"
        )
    if not np.isfinite(array).all():
        at = int(np.flatnonzero(~np.isfinite(array))[0])
        raise BadInput(f"{name}[{at}]", array[at], "is not a finite number", "give it a number")
    return array


def described(name: str, table: pd.DataFrame | None, labels: pd.Index) -> pd.DataFrame:
    """What is known of each item or agent, in the order of the frame."""
    if table is None:
        return pd.DataFrame(index=labels.copy())
    if not isinstance(table, pd.DataFrame):
        raise BadInput(name, type(table).__name__, "is not a DataFrame", f"index it by {name[:-1]}")
    no_duplicates(f"{name}.index", table.index)
    absent = labels.difference(table.index, sort=False)
    if len(absent):
        raise BadInput(
            name, absent[0], "is in the frame but not described", f"add its row to {name}"
        )
    return table.loc[labels].copy()


def trials_of(trials: object) -> pd.DataFrame | None:
    """One row per trial: agent, item and response."""
    if trials is None:
        return None
    if not isinstance(trials, pd.DataFrame):
        raise BadInput("trials", type(trials).__name__, "is not a DataFrame", "pass one")
    for column in ("agent", "item", "response"):
        if column not in trials:
            remedy = "give agent, item and response of each trial"
            raise BadInput("trials", list(trials.columns), f"has no column {column!r}", remedy)
    return trials


def numeric_frame(name: str, frame: object) -> pd.DataFrame:
    """A non-empty DataFrame of floats (NaN = missing) with unique labels, from anything table-like."""
    table = frame if isinstance(frame, pd.DataFrame) else _labelled(name, frame)
    if table.empty:
        raise BadInput(name, table.shape, "is empty", "pass at least one agent and one item")
    _check_labels(f"{name}.index", table.index)
    _check_labels(f"{name}.columns", table.columns)
    values = _finite(table, lambda agent, item: f"{name}[{agent!r}, {item!r}]")
    rows = np.array(values, order="C")  # a measure reads agent by agent
    return pd.DataFrame(rows, index=table.index.copy(), columns=table.columns.copy(), copy=False)


def _labelled(name: str, values: object) -> pd.DataFrame:
    """An array or nested list with the names agent 1, agent 2 ..., item 1, item 2 ..."""
    if isinstance(values, pd.Series):
        raise BadInput(
            name,
            "a Series",
            "may be one agent or one item",
            "pass series.to_frame() for one item, series.to_frame().T for one agent",
        )
    try:
        array = np.asarray(values)
        if not array.ndim:
            raise ValueError
        table = pd.DataFrame(np.atleast_2d(array))
    except ValueError:
        raise BadInput(
            name, type(values).__name__, "is not a table", "pass agents x items"
        ) from None
    table.index = pd.Index([f"agent {i + 1}" for i in range(len(table))])
    table.columns = pd.Index([f"item {i + 1}" for i in range(table.shape[1])])
    return table


def _check_labels(name: str, labels: pd.Index) -> None:
    if isinstance(labels, pd.MultiIndex):
        raise BadInput(
            name, list(labels.names), "has several levels", "join them into one label each"
        )
    if labels.hasnans:
        at = int(np.flatnonzero(labels.isna())[0])
        raise BadInput(f"{name}[{at}]", labels[at], "names nothing", "give it a name")
    no_duplicates(name, labels)


def _finite(table: pd.DataFrame, address: Callable[[Any, Any], str]) -> FloatArray:
    """The cells as floats, NaN where missing; what is no number is refused by its address."""
    _check_kinds(table, address)
    values = _to_float(table, address)
    bad = np.argwhere(np.isinf(values))
    if len(bad):
        where = address(table.index[bad[0][0]], table.columns[bad[0][1]])
        raise BadInput(where, values[tuple(bad[0])], "is infinite", "mend the cell")
    return values


def _check_kinds(table: pd.DataFrame, address: Callable[[Any, Any], str]) -> None:
    """Dates and complex numbers are refused: pandas would count nanoseconds, or drop a part."""
    for item, dtype in table.dtypes.items():
        if dtype.kind in "mMc":
            wrong = np.ones(len(table), dtype=bool)
        elif dtype.kind == "O":
            wrong = np.array([isinstance(x, _NO_NUMBERS) and x is not pd.NaT for x in table[item]])
        else:
            continue
        if wrong.any():
            _refuse_cell(table, wrong, item, address)


def _to_float(table: pd.DataFrame, address: Callable[[Any, Any], str]) -> FloatArray:
    try:
        return np.asarray(table.to_numpy(dtype=float, na_value=np.nan))
    except (TypeError, ValueError):
        for item in table.columns:
            numbers = pd.to_numeric(table[item], errors="coerce")
            wrong = (numbers.isna() & table[item].notna()).to_numpy()
            if wrong.any():
                _refuse_cell(table, wrong, item, address)
        numbers = table.apply(pd.to_numeric)
        return np.asarray(numbers.to_numpy(dtype=float, na_value=np.nan))


def _refuse_cell(
    table: pd.DataFrame, wrong: np.ndarray, item: Any, address: Callable[[Any, Any], str]
) -> None:
    agent = table.index[int(np.flatnonzero(wrong)[0])]
    raise BadInput(
        address(agent, item),
        table.loc[agent, item],
        "is not a number",
        "convert the cell, or leave it empty if the response is missing",
    )
