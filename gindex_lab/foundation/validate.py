"""The checks that many functions share: each is tiny, and its error says what to do."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import NumbersLike, SeedLike

__all__ = [
    "LARGEST", "NUMBERS", "FloatArray", "IntArray", "Mode", "choice", "confidence", "deeper_than",
    "described", "flag", "generator", "integer", "known", "mode_of", "no_duplicates", "not_a_seed", "number",
    "numbers", "numeric_frame", "pair", "per_item", "refuse", "required_pair", "table_with", "trials_of",
    "vector",
]  # fmt: skip

Mode = Literal["exact", "reference"]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
LARGEST = 2**63 - 1  # the largest whole number of 64 bits
NUMBERS = (int, float, np.integer, np.floating)

# What numpy or pandas would turn into a number without asking
_NO_NUMBERS: tuple[type, ...] = (
    *(datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64),
    *(pd.Period, complex, np.complexfloating),
)
# What pandas cannot turn into one
_HOLDERS = (list, tuple, dict, set, bytes, np.ndarray, pd.Series)


# -- one value -------------------------------------------------------------------------------------------


def choice(name: str, value: object, allowed: Sequence[str]) -> str:
    """One of the allowed words."""
    if not isinstance(value, str) or value not in allowed:
        options = "use one of " + ", ".join(map(repr, allowed))
        raise BadInput(name, value, "[not-an-option] is not an option", options)
    return value


def mode_of(mode: object) -> Mode:
    """`"exact"` (the mathematics) or `"reference"` (the authors' code)."""
    return choice("mode", mode, ["exact", "reference"])  # type: ignore[return-value]


def flag(name: str, value: object) -> bool:
    """True or False, and no word that Python would take for True."""
    if not isinstance(value, (bool, np.bool_)):
        raise BadInput(name, value, "[not-a-flag] is neither True nor False", "use one of them")
    return bool(value)


def pair(name: str, value: object) -> tuple[float, float] | None:
    """Two finite numbers, the lower first; None stays None."""
    return None if value is None else required_pair(name, value)


def required_pair(name: str, value: object) -> tuple[float, float]:
    """Two finite numbers, the lower first."""
    try:
        if isinstance(value, str):
            raise TypeError
        low, high = map(float, value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        raise BadInput(name, value, "[not-a-pair] is not a pair of numbers", "give (low, high)") from None
    problem = "[out-of-range] is empty or not finite"
    ensure(-np.inf < low < high < np.inf, name, value, problem, "give (low, high), low < high")
    return low, high


def integer(name: str, value: object, minimum: int = 1, maximum: int = LARGEST) -> int:
    """A whole number from `minimum` to `maximum`, which is what 64 bits can hold."""
    remedy = f"use one from {minimum} up" + (f" to {maximum}" if maximum < LARGEST else "")
    plain = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not plain and not (isinstance(value, (float, np.floating)) and float(value).is_integer()):
        raise BadInput(name, value, "[not-a-whole-number] is not a whole number", remedy)
    whole = int(value)  # type: ignore[call-overload]
    if not minimum <= whole <= maximum:
        raise BadInput(name, value, "[out-of-range] is out of range", remedy)
    return whole


def number(
    name: str, value: object, low: float = -np.inf, high: float = np.inf, *, open_ends: bool = False
) -> float:
    """A finite number in [low, high], or in (low, high) with `open_ends`."""
    remedy = f"use a number between {low:g} and {high:g}"
    if isinstance(value, bool) or not isinstance(value, NUMBERS):
        raise BadInput(name, value, "[not-a-number] is not a number", remedy)
    try:
        x = float(value)
    except OverflowError:
        x = np.inf
    if not np.isfinite(x) or not (low < x < high if open_ends else low <= x <= high):
        raise BadInput(name, value, "[out-of-range] is out of range", remedy)
    return x


def confidence(ci: object) -> float:
    """The confidence of an interval, inside (0, 1)."""
    return number("ci", ci, 0, 1, open_ends=True)


def not_a_seed(name: str, value: object) -> BadInput:
    """The error for what cannot seed a generator."""
    remedy = "pass a whole number such as seed=1, or a Generator"
    return BadInput(name, value, "[not-a-seed] is not a seed", remedy)


def generator(seed: SeedLike) -> np.random.Generator:
    """A numpy Generator from a Generator, a SeedSequence or a whole number; never the global one."""
    if isinstance(seed, np.random.Generator):
        return seed
    if isinstance(seed, np.random.SeedSequence):
        return np.random.default_rng(seed)
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and seed >= 0:
        return np.random.default_rng(int(seed))
    raise not_a_seed("seed", seed)


def deeper_than(value: object, levels: float, looked_at: int = LARGEST) -> bool:
    """Whether lists, tuples and dicts lie in one another more than so many levels deep.

    Of each level only the last `looked_at`, and of each of these the first so many, are looked at.
    """
    layer: list[Any] = [value] if isinstance(value, (list, tuple, dict)) else []
    for _ in range(int(levels)):
        held = (one.values() if isinstance(one, dict) else one for one in layer[-looked_at:])
        inside = chain.from_iterable(islice(one, looked_at) for one in held)
        layer = list({id(x): x for x in inside if isinstance(x, (list, tuple, dict))}.values())
        if not layer:
            return False
    return bool(layer)


# -- labels and tables -----------------------------------------------------------------------------------


def refuse(name: str, table: Any, wrong: Any, problem: str, remedy: str) -> None:
    """Refuse the first wrong cell of a DataFrame, or entry of a Series, by its labels."""
    places = np.argwhere(np.asarray(wrong))
    if len(places):
        labels = ", ".join(repr(axis[i]) for axis, i in zip(table.axes, places[0], strict=True))
        value = table.iloc[tuple(places[0])]
        raise BadInput(f"{name}[{labels}]", value, problem, remedy)


def table_with(name: str, table: object, *columns: str, remedy: str = "name the columns") -> pd.DataFrame:
    """A DataFrame that has these columns."""
    if not isinstance(table, pd.DataFrame):
        raise BadInput(name, type(table).__name__, "[not-a-table] is not a DataFrame", "pass one")
    for column in columns:
        ensure(column in table, name, list(table), f"[no-column] has no column {column!r}", remedy)
    return table


def no_duplicates(name: str, labels: Iterable[Any]) -> None:
    """Labels that tell things apart: no agent or item may appear twice."""
    index = pd.Index(labels)
    if not index.is_unique:
        problem = "[duplicate-label] appears more than once"
        raise BadInput(name, index[index.duplicated()][0], problem, "give each a name of its own")


def known(name: str, labels: Any, index: pd.Index) -> list[Any]:
    """Labels that the index has, as a list."""
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise BadInput(name, labels, "[wrong-type] is not a list of labels", f"pass {name}=[...]")
    wanted = list(labels)
    for label in wanted:
        if not pd.api.types.is_hashable(label) or label not in index:
            remedy = f"known are {list(index[:5])} …"
            raise BadInput(name, label, "[unknown-label] is not in the table", remedy)
    return wanted


def described(name: str, table: pd.DataFrame | None, labels: pd.Index) -> pd.DataFrame:
    """What is known of each item or agent, in the order of the frame."""
    if table is None:
        return pd.DataFrame(index=labels.copy())
    if not isinstance(table, pd.DataFrame):
        given, remedy = type(table).__name__, f"index it by {name[:-1]}"
        raise BadInput(name, given, "[wrong-type] is not a DataFrame", remedy)
    no_duplicates(f"{name}.index", table.index)
    absent = labels.difference(table.index, sort=False)
    if len(absent):
        problem = "[missing] is in the frame but not described"
        raise BadInput(name, absent[0], problem, f"add its row to {name}")
    return table.loc[labels].copy()


def trials_of(trials: object) -> pd.DataFrame | None:
    """One row per trial: agent, item and response."""
    if trials is None:
        return None
    if not isinstance(trials, pd.DataFrame):
        raise BadInput("trials", type(trials).__name__, "[wrong-type] is not a DataFrame", "pass one")
    for column in ("agent", "item", "response"):
        problem, remedy = f"[missing-column] has no column {column!r}", "give agent, item and response"
        ensure(column in trials, "trials", list(trials), problem, remedy)
    return trials


# -- numbers ---------------------------------------------------------------------------------------------


def per_item(name: str, values: NumbersLike, items: pd.Index) -> FloatArray:
    """One number for each item, in the order of the items: from a Series or mapping by item, a list."""
    if isinstance(values, Mapping):
        values = pd.Series(values, dtype=object)
    if isinstance(values, pd.Series):
        no_duplicates(f"{name}.index", values.index)
        values = values.reindex(items).to_numpy()
    problem = "[wrong-type] is not a number for each item"
    ensure(not isinstance(values, str), name, values, problem, "pass a list of numbers")
    try:
        flat = np.asarray(values).ravel()
    except ValueError:
        problem = "[wrong-shape] is a ragged list"
        raise BadInput(name, values, problem, "pass one number for each item") from None
    problem = f"[wrong-length] has a different length from the {len(items)} items"
    ensure(flat.size == len(items), name, flat.size, problem, "match them")
    found = _floats(name, pd.Series(flat, items))
    if np.isnan(found).any():
        item = items[np.isnan(found)][0]
        raise BadInput(name, item, f"[missing] is an item without a {name}", "give it one")
    return found


def numbers(name: str, values: NumbersLike) -> FloatArray:
    """An array of numbers of any shape; dates, complex numbers, words and ragged lists are refused."""
    try:
        given = np.asarray(values)
        odd = given.dtype == object and any(isinstance(x, _NO_NUMBERS) for x in given.flat)
        if odd or given.dtype.kind in "mMc":
            raise TypeError
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        problem = "[not-a-number] holds something that is not a number"
        raise BadInput(name, values, problem, "pass numbers") from None


def vector(name: str, values: NumbersLike, length: int | None = None) -> FloatArray:
    """A flat array of finite numbers, of the given length."""
    array = numbers(name, values)
    problem = "[wrong-shape] is not one-dimensional"
    ensure(array.ndim == 1, name, array.shape, problem, "pass a flat list of numbers")
    problem = f"[wrong-length] has a different length from the expected {length}"
    ensure(length in (None, len(array)), name, len(array), problem, f"pass {length} numbers")
    if not np.isfinite(array).all():
        at = int(np.isfinite(array).argmin())
        problem = "[not-finite] is not a finite number"
        raise BadInput(f"{name}[{at}]", array[at], problem, "give it a number")
    return array


def numeric_frame(name: str, frame: object) -> pd.DataFrame:
    """A non-empty DataFrame of floats (NaN = missing) with unique labels, from anything table-like."""
    table = frame if isinstance(frame, pd.DataFrame) else _labelled(name, frame)
    ensure(not table.empty, name, table.shape, "[empty] is empty", "pass at least one agent and one item")
    for axis, labels in (("index", table.index), ("columns", table.columns)):
        _check_labels(f"{name}.{axis}", labels)
    rows = np.array(_floats(name, table), order="C")  # a measure reads agent by agent
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
        given = type(values).__name__
        raise BadInput(name, given, "[wrong-type] is not a table", "pass agents x items") from None
    table.index = pd.Index([f"agent {i + 1}" for i in range(len(table))])
    table.columns = pd.Index([f"item {i + 1}" for i in range(table.shape[1])])
    return table


def _check_labels(name: str, labels: pd.Index) -> None:
    if isinstance(labels, pd.MultiIndex):
        problem = "[wrong-type] has several levels"
        raise BadInput(name, list(labels.names), problem, "join them into one label each")
    if labels.hasnans:
        at = int(labels.isna().argmax())
        raise BadInput(f"{name}[{at}]", labels[at], "[missing] is a missing label", "give it a name")
    no_duplicates(name, labels)


def _floats(name: str, table: pd.DataFrame | pd.Series) -> FloatArray:
    """The cells as floats, NaN where missing; anything else is refused by its labels."""
    frame = table.to_frame() if isinstance(table, pd.Series) else table
    problem = "[not-a-number] is not a number"
    remedy = "convert it, or leave it empty if the response is missing"
    for k, dtype in enumerate(frame.dtypes):
        if dtype.kind in "mMcO":  # pandas would count nanoseconds, or drop a part
            odd = [dtype.kind != "O" or _no_number(cell) for cell in frame.iloc[:, k]]
            if any(odd):
                wrong = np.zeros(frame.shape, dtype=bool)
                wrong[:, k] = odd
                refuse(name, table, wrong.reshape(table.shape), problem, remedy)
    try:
        values = table.to_numpy(dtype=float, na_value=np.nan)
    except (TypeError, ValueError, OverflowError):
        found = frame.apply(pd.to_numeric, errors="coerce")
        wrong = (found.isna() & frame.notna()).to_numpy().reshape(table.shape)
        refuse(name, table, wrong, problem, remedy)
        values = found.to_numpy(dtype=float, na_value=np.nan).reshape(table.shape)
    refuse(name, table, np.isinf(values), "[not-finite] is infinite", "fix the cell")
    return np.asarray(values)


def _no_number(cell: object) -> bool:
    """What pandas would convert in its own way, could not convert, or would not fit into a float."""
    if isinstance(cell, int):
        return cell.bit_length() > 1023
    return isinstance(cell, (*_NO_NUMBERS, *_HOLDERS)) and cell is not pd.NaT
