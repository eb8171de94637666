"""The checks that many functions share: each is tiny, and its error says what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.errors import BadInput

__all__ = [
    "Mode",
    "choice",
    "generator",
    "integer",
    "mode_of",
    "no_duplicates",
    "number",
    "numeric_frame",
    "vector",
]

Mode = Literal["exact", "reference"]
FloatArray = npt.NDArray[np.float64]


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


def vector(name: str, values: object, length: int | None = None) -> FloatArray:
    """A flat array of finite numbers, of the given length.

    >>> vector("difficulty", [1, 2, 3], 3)
    array([1., 2., 3.])
    """
    try:
        array = np.asarray(values, dtype=float)
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


def numeric_frame(name: str, frame: object) -> pd.DataFrame:
    """A non-empty DataFrame of floats (NaN = missing) with unique labels, from anything table-like."""
    if isinstance(frame, pd.DataFrame):
        table = frame
    else:
        try:
            table = pd.DataFrame(np.atleast_2d(np.asarray(frame)))
        except ValueError:
            raise BadInput(
                name, type(frame).__name__, "is not a table", "pass agents x items"
            ) from None
        table.index = pd.Index([f"agent {i + 1}" for i in range(len(table))])
        table.columns = pd.Index([f"item {i + 1}" for i in range(table.shape[1])])
    if table.empty:
        raise BadInput(name, table.shape, "is empty", "pass at least one agent and one item")
    no_duplicates(f"{name}.index", table.index)
    no_duplicates(f"{name}.columns", table.columns)
    values = _to_float(name, table)
    bad = np.argwhere(np.isinf(values))
    if len(bad):
        agent, item = table.index[bad[0][0]], table.columns[bad[0][1]]
        raise BadInput(
            f"{name}[{agent!r}, {item!r}]", values[tuple(bad[0])], "is infinite", "mend the cell"
        )
    rows = np.array(values, order="C")  # a measure reads agent by agent
    return pd.DataFrame(rows, index=table.index.copy(), columns=table.columns.copy(), copy=False)


def _to_float(name: str, table: pd.DataFrame) -> FloatArray:
    try:
        return np.asarray(table.to_numpy(dtype=float, na_value=np.nan))
    except (TypeError, ValueError):
        for item in table.columns:
            numbers = pd.to_numeric(table[item], errors="coerce")
            wrong = numbers.isna() & table[item].notna()
            if wrong.any():
                agent = table.index[int(np.flatnonzero(wrong.to_numpy())[0])]
                raise BadInput(
                    f"{name}[{agent!r}, {item!r}]",
                    table.loc[agent, item],
                    "is not a number",
                    "convert the cell, or leave it empty if the response is missing",
                ) from None
        numbers = table.apply(pd.to_numeric)
        return np.asarray(numbers.to_numpy(dtype=float, na_value=np.nan))
