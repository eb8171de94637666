"""The checks that many functions share: each is tiny, and its error says what to do."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import NumbersLike, SeedLike

__all__ = [
    "Mode",
    "choice",
    "confidence",
    "described",
    "flag",
    "generator",
    "integer",
    "known",
    "mode_of",
    "no_duplicates",
    "number",
    "numbers",
    "numeric_frame",
    "pair",
    "per_item",
    "refuse",
    "required_pair",
    "trials_of",
    "vector",
]

Mode = Literal["exact", "reference"]
FloatArray = npt.NDArray[np.float64]
LARGEST = 2**63 - 1  # the largest whole number of 64 bits

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
        options = "use one of " + ", ".join(map(repr, allowed))
        raise BadInput(name, value, "[not-an-option] is not an option", options)
    return value


def flag(name: str, value: object) -> bool:
    """True or False, and no word that Python would take for True.

    >>> flag("leave_one_out", np.False_)
    False
    """
    if not isinstance(value, (bool, np.bool_)):
        problem, remedy = "[not-a-flag] is neither True nor False", "use one of them"
        raise BadInput(name, value, problem, remedy)
    return bool(value)


def pair(name: str, value: object) -> tuple[float, float] | None:
    """Two finite numbers, the lower first; None stays None."""
    return None if value is None else required_pair(name, value)


def required_pair(name: str, value: object) -> tuple[float, float]:
    """Two finite numbers, the lower first.

    >>> required_pair("interval", [0, 1])
    (0.0, 1.0)
    """
    try:
        if isinstance(value, str):
            raise TypeError
        low, high = map(float, value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        problem, remedy = "[not-a-pair] is not a pair of numbers", "give (low, high)"
        raise BadInput(name, value, problem, remedy) from None
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        problem, remedy = "[out-of-range] is empty or not finite", "give (low, high), low < high"
        raise BadInput(name, value, problem, remedy)
    return low, high


def mode_of(mode: object) -> Mode:
    """`"exact"` (the mathematics) or `"reference"` (the authors' code)."""
    return choice("mode", mode, ["exact", "reference"])  # type: ignore[return-value]


def integer(name: str, value: object, minimum: int = 1, maximum: int = LARGEST) -> int:
    """A whole number from `minimum` to `maximum`, which is what 64 bits can hold.

    >>> integer("columns", 100.0, 2)
    100
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        problem, remedy = "[not-a-whole-number] is not a whole number", f"use one from {minimum} up"
        raise BadInput(name, value, problem, remedy)
    whole = isinstance(value, (int, np.integer)) or float(value).is_integer()
    if not whole or value < minimum:
        code = "out-of-range" if whole else "not-a-whole-number"
        problem = f"[{code}] is not a whole number from {minimum} up"
        raise BadInput(name, value, problem, f"use {minimum} or more")
    if value > maximum:
        raise BadInput(name, value, "[out-of-range] is too large", f"use {maximum} or less")
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
        remedy = f"use one between {low:g} and {high:g}"
        raise BadInput(name, value, "[not-a-number] is not a number", remedy)
    try:
        x = float(value)
    except OverflowError:
        x = np.inf
    inside = low < x < high if open_ends else low <= x <= high
    if not np.isfinite(x) or not inside:
        remedy = f"use a number between {low:g} and {high:g}"
        raise BadInput(name, value, "[out-of-range] is out of range", remedy)
    return x


def confidence(ci: object) -> float:
    """The confidence of an interval, inside (0, 1)."""
    return number("ci", ci, 0, 1, open_ends=True)


def refuse(name: str, table: Any, wrong: Any, problem: str, remedy: str) -> None:
    """Refuse the first wrong cell of a DataFrame, or entry of a Series, by its labels.

    >>> refuse("sd", pd.Series({"i": 1.0, "j": -2.0}), [False, True], "is not positive", "correct it")
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: sd['j']=-2.0: is not positive; correct it
    """
    places = np.argwhere(np.asarray(wrong))
    if len(places):
        labels = ", ".join(repr(axis[i]) for axis, i in zip(table.axes, places[0], strict=True))
        value = table.iloc[tuple(places[0])]
        raise BadInput(f"{name}[{labels}]", value, problem, remedy)


def generator(seed: SeedLike) -> np.random.Generator:
    """A numpy Generator from a Generator, a SeedSequence or a whole number; never the global one."""
    if isinstance(seed, np.random.Generator):
        return seed
    if isinstance(seed, np.random.SeedSequence):
        return np.random.default_rng(seed)
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and seed >= 0:
        return np.random.default_rng(int(seed))
    remedy = "pass a whole number such as seed=1, or a Generator"
    raise BadInput("seed", seed, "[not-a-seed] is not a seed", remedy)


def no_duplicates(name: str, labels: Iterable[Any]) -> None:
    """Labels that tell things apart: no agent or item may appear twice."""
    index = pd.Index(labels)
    if not index.is_unique:
        twice = index[index.duplicated()][0]
        problem, remedy = "[duplicate-label] appears more than once", "give each a name of its own"
        raise BadInput(name, twice, problem, remedy)


def known(name: str, labels: Any, index: pd.Index) -> list[Any]:
    """Labels that stand in the index, as a list.

    >>> known("agents", ("b", "a"), pd.Index(["a", "b", "c"]))
    ['b', 'a']
    """
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        problem = "[wrong-type] is not a list of labels"
        raise BadInput(name, labels, problem, f"pass {name}=[...]")
    wanted = list(labels)
    for label in wanted:
        if not pd.api.types.is_hashable(label) or label not in index:
            remedy = f"known are {list(index[:5])} …"
            raise BadInput(name, label, "[unknown-label] is not in the table", remedy)
    return wanted


def per_item(name: str, values: NumbersLike, items: pd.Index) -> FloatArray:
    """One number for each item, in the order of the items: from a Series or mapping by item, a list.

    >>> per_item("difficulty", {"b": 2, "a": 1}, pd.Index(["a", "b"]))
    array([1., 2.])
    """
    if isinstance(values, Mapping):
        values = pd.Series(values, dtype=object)
    if isinstance(values, pd.Series):
        no_duplicates(f"{name}.index", values.index)
        values = values.reindex(items).to_numpy()
    if isinstance(values, str):
        problem, remedy = "[wrong-type] is not a number for each item", "pass a list of numbers"
        raise BadInput(name, values, problem, remedy)
    try:
        flat = np.asarray(values).reshape(1, -1)
    except ValueError:
        problem, remedy = "[wrong-shape] is a ragged list", "pass one number for each item"
        raise BadInput(name, values, problem, remedy) from None
    if flat.size != len(items):
        problem = f"[wrong-length] has a different length from the {len(items)} items"
        raise BadInput(name, flat.size, problem, "match them")
    row = pd.DataFrame(flat, columns=items)
    found = _finite(row, lambda _, item: f"{name}[{item!r}]")[0]
    if np.isnan(found).any():
        item = items[np.isnan(found)][0]
        raise BadInput(name, item, f"[missing] is an item without a {name}", "give it one")
    return found


def numbers(name: str, values: NumbersLike) -> FloatArray:
    """An array of numbers of any shape; dates, complex numbers, words and ragged lists are refused.

    >>> numbers("segments", [[1, 2], [3, 4]]).shape
    (2, 2)
    """
    try:
        given = np.asarray(values)
        if given.dtype.kind in "mMc" or (
            given.dtype == object and any(isinstance(x, _NO_NUMBERS) for x in given.flat)
        ):
            raise TypeError
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        problem = "[not-a-number] holds something that is not a number"
        raise BadInput(name, values, problem, "pass numbers") from None


def vector(name: str, values: NumbersLike, length: int | None = None) -> FloatArray:
    """A flat array of finite numbers, of the given length.

    >>> vector("difficulty", [1, 2, 3], 3)
    array([1., 2., 3.])
    """
    array = numbers(name, values)
    if array.ndim != 1:
        problem, remedy = "[wrong-shape] is not one-dimensional", "pass a flat list of numbers"
        raise BadInput(name, array.shape, problem, remedy)
    if length is not None and len(array) != length:
        problem = f"[wrong-length] has a different length from the expected {length}"
        remedy = f"pass {length} numbers"
        raise BadInput(name, len(array), problem, remedy)
    if not np.isfinite(array).all():
        at = int(np.flatnonzero(~np.isfinite(array))[0])
        problem = "[not-finite] is not a finite number"
        raise BadInput(f"{name}[{at}]", array[at], problem, "give it a number")
    return array


def described(name: str, table: pd.DataFrame | None, labels: pd.Index) -> pd.DataFrame:
    """What is known of each item or agent, in the order of the frame."""
    if table is None:
        return pd.DataFrame(index=labels.copy())
    if not isinstance(table, pd.DataFrame):
        problem, remedy = "[wrong-type] is not a DataFrame", f"index it by {name[:-1]}"
        raise BadInput(name, type(table).__name__, problem, remedy)
    no_duplicates(f"{name}.index", table.index)
    absent = labels.difference(table.index, sort=False)
    if len(absent):
        problem, remedy = "[missing] is in the frame but not described", f"add its row to {name}"
        raise BadInput(name, absent[0], problem, remedy)
    return table.loc[labels].copy()


def trials_of(trials: object) -> pd.DataFrame | None:
    """One row per trial: agent, item and response."""
    if trials is None:
        return None
    if not isinstance(trials, pd.DataFrame):
        problem = "[wrong-type] is not a DataFrame"
        raise BadInput("trials", type(trials).__name__, problem, "pass one")
    for column in ("agent", "item", "response"):
        if column not in trials:
            remedy = "give agent, item and response of each trial"
            problem = f"[missing-column] has no column {column!r}"
            raise BadInput("trials", list(trials.columns), problem, remedy)
    return trials


def numeric_frame(name: str, frame: object) -> pd.DataFrame:
    """A non-empty DataFrame of floats (NaN = missing) with unique labels, from anything table-like."""
    table = frame if isinstance(frame, pd.DataFrame) else _labelled(name, frame)
    if table.empty:
        remedy = "pass at least one agent and one item"
        raise BadInput(name, table.shape, "[empty] is empty", remedy)
    _check_labels(f"{name}.index", table.index)
    _check_labels(f"{name}.columns", table.columns)
    values = _finite(table, lambda agent, item: f"{name}[{agent!r}, {item!r}]")
    rows = np.array(values, order="C")  # a measure reads agent by agent
    return pd.DataFrame(rows, index=table.index.copy(), columns=table.columns.copy(), copy=False)


def _labelled(name: str, values: NumbersLike) -> pd.DataFrame:
    """An array or nested list with the names agent 1, agent 2 ..., item 1, item 2 ..."""
    if isinstance(values, pd.Series):
        remedy = "pass series.to_frame() for one item, series.to_frame().T for one agent"
        raise BadInput(name, "a Series", "[wrong-type] may be one agent or one item", remedy)
    try:
        array = np.asarray(values)
        if not array.ndim:
            raise ValueError
        table = pd.DataFrame(np.atleast_2d(array))
    except (TypeError, ValueError):
        problem, remedy = "[wrong-type] is not a table", "pass agents x items"
        raise BadInput(name, type(values).__name__, problem, remedy) from None
    table.index = pd.Index([f"agent {i + 1}" for i in range(len(table))])
    table.columns = pd.Index([f"item {i + 1}" for i in range(table.shape[1])])
    return table


def _check_labels(name: str, labels: pd.Index) -> None:
    if isinstance(labels, pd.MultiIndex):
        problem, remedy = "[wrong-type] has several levels", "join them into one label each"
        raise BadInput(name, list(labels.names), problem, remedy)
    if labels.hasnans:
        at = int(np.flatnonzero(labels.isna())[0])
        problem = "[missing] is a missing label"
        raise BadInput(f"{name}[{at}]", labels[at], problem, "give it a name")
    no_duplicates(name, labels)


def _finite(table: pd.DataFrame, address: Callable[[Any, Any], str]) -> FloatArray:
    """The cells as floats, NaN where missing; anything else is refused by its address."""
    _check_kinds(table, address)
    values = _to_float(table, address)
    bad = np.argwhere(np.isinf(values))
    if len(bad):
        where = address(table.index[bad[0][0]], table.columns[bad[0][1]])
        value = values[tuple(bad[0])]
        raise BadInput(where, value, "[not-finite] is infinite", "fix the cell")
    return values


def _check_kinds(table: pd.DataFrame, address: Callable[[Any, Any], str]) -> None:
    """Dates and complex numbers are refused: pandas would count nanoseconds, or drop a part."""
    for item, dtype in table.dtypes.items():
        if dtype.kind in "mMc":
            wrong = np.ones(len(table), dtype=bool)
        elif dtype.kind == "O":
            wrong = np.fromiter(map(_no_number, table[item]), dtype=bool, count=len(table))
        else:
            continue
        if wrong.any():
            _refuse_cell(table, wrong, item, address)


def _no_number(cell: object) -> bool:
    """What pandas would convert in its own way, could not convert, or would not fit into a float."""
    if isinstance(cell, int):
        return cell.bit_length() > 1023
    kinds = (*_NO_NUMBERS, list, tuple, dict, set, bytes, np.ndarray, pd.Series)
    return isinstance(cell, kinds) and cell is not pd.NaT


def _to_float(table: pd.DataFrame, address: Callable[[Any, Any], str]) -> FloatArray:
    try:
        return np.asarray(table.to_numpy(dtype=float, na_value=np.nan))
    except (TypeError, ValueError, OverflowError):
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
    cell = table.loc[agent, item]
    remedy = "convert it, or leave it empty if the response is missing"
    raise BadInput(address(agent, item), cell, "[not-a-number] is not a number", remedy)
