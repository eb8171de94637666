"""What is wrong with a call that failed: the first argument that breaks the signature, as an error of ours.

Nothing here runs while all goes well. When a public call fails with an error that is not ours, its arguments
are compared with the hints of the signature; an error that no argument explains is a fault of ours and stays
as it is.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import os
import types
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, short
from gindex_lab.foundation.validate import NUMBERS, not_a_seed

__all__ = ["LISTS", "MAPPINGS", "complaint", "hints_of", "members_of"]

_ARRAYS = (np.ndarray, pd.Series, pd.Index, pd.DataFrame, pd.api.extensions.ExtensionArray)
_SEEDS = (int, np.integer, np.random.Generator, np.random.SeedSequence, type(None))
# What pandas says of text among numbers, and of columns of the wrong kind
_TEXT = ("dtype 'str'", "string dtype", "could not convert string", "dtype=str")
_KINDS = (".str accessor", "trying to merge on", "not supported between instances")
_HUGE = 10**7  # a count beyond this, in a call that ran out of memory or range, is what is wrong with it
_LOOKED_AT = 1000  # elements of a list: a judgement, the first wrong one is enough

MAPPINGS = (dict, Mapping)
LISTS = (list, tuple, set, Sequence, Iterable, Collection)

Allowed = tuple[tuple[type, ...], str] | None  # types and their name in words; None allows anything
_ALLOWED: dict[Any, Allowed] = {
    **dict.fromkeys((Any, object, Callable), None),
    **dict.fromkeys((None, type(None)), ((type(None),), "")),
    **dict.fromkeys((int, float), (NUMBERS, "a number")),
    bool: ((bool, np.bool_), "True or False"),
    str: ((str,), "text"),
    np.ndarray: ((*_ARRAYS, list, tuple), "an array"),
    os.PathLike: ((os.PathLike,), "a path"),
    **dict.fromkeys(MAPPINGS, ((Mapping, pd.Series), "a mapping")),
    **dict.fromkeys(LISTS, ((Iterable, *_ARRAYS), "a list")),
}


def complaint(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], error: BaseException
) -> BadInput | None:
    """The first argument that breaks the declaration, as an error; None where none does."""
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return None  # a wrong call: Python's own TypeError names the parameter
    hints, passed = hints_of(function), {k: v for k, v in given.items() if k != "self"}
    for name, value in passed.items():
        kind = signature.parameters[name].kind
        if name == "cls" or kind is kind.VAR_KEYWORD:
            continue
        for one in value if kind is kind.VAR_POSITIONAL else [value]:
            if (problem := _broken(name, one, hints.get(name, Any))) is not None:
                return problem
            if isinstance(one, Iterator):
                once = "[wrong-type] can be iterated over only once"
                return BadInput(name, one, once, "pass a list instead")
    for explain in (_by_value, _by_oddity):
        for name, value in passed.items():
            if (found := explain(value, error)) is not None:
                return BadInput(name, *found)
    if isinstance(error, (MemoryError, OverflowError, RecursionError)) and (much := _too_much(passed)):
        return much
    free = {k: v for k, v in passed.items() if _expected(hints.get(k, Any)) is None}
    return _by_words(free, error)


# -- hints -----------------------------------------------------------------------------------------------


@functools.cache
def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The declared types of the parameters; one that cannot be evaluated allows anything."""
    plain = inspect.unwrap(function)
    found: dict[str, Any] = {}
    for name, hint in getattr(plain, "__annotations__", {}).items():
        holder = types.SimpleNamespace(__annotations__={name: hint})
        try:
            found |= typing.get_type_hints(holder, getattr(plain, "__globals__", {}))
        except (NameError, TypeError, AttributeError):
            continue
    return found


def members_of(hint: Any) -> tuple[Any, ...]:
    """The members of a union, or the hint itself."""
    union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return typing.get_args(hint) if union else (hint,)


def _expected(hint: Any) -> Allowed:
    """What a hint allows."""
    found = [_one(member) for member in members_of(hint)]
    if None in found:
        return None
    kinds = tuple(kind for one in found if one for kind in one[0])
    return kinds, " or ".join(dict.fromkeys(one[1] for one in found if one and one[1]))


def _one(hint: Any) -> Allowed:
    """What a hint that is not a union allows."""
    origin = typing.get_origin(hint)
    if origin is typing.Literal:
        return (str, int), "one of " + ", ".join(map(repr, typing.get_args(hint)))
    known = origin or hint
    if isinstance(known, (str, TypeVar)) or known in _ALLOWED:
        return _ALLOWED.get(known)
    plain = inspect.isclass(known) and not getattr(known, "_is_protocol", False)
    return ((known,), f"a {known.__name__}") if plain else None


# -- arguments that are not what their hint says -----------------------------------------------------------


def _broken(name: str, value: object, hint: Any) -> BadInput | None:
    """The error for a value that is not what the hint says, by its type or its elements."""
    if name == "seed" and not isinstance(value, _SEEDS):
        return not_a_seed(name, value)
    called = [h for h in members_of(hint) if typing.get_origin(h) is Callable]
    if called and callable(value):
        return _broken_callable(name, value, typing.get_args(called[0])[0])
    wanted = _expected(hint)
    if wanted is None:
        return None
    kinds, words = wanted
    # an array without dimensions is a list in name only
    listed = isinstance(value, np.ndarray) and not value.ndim and typing.cast(type, Iterable) in kinds
    if not isinstance(value, kinds) or listed or (isinstance(value, bool) and kinds == NUMBERS):
        said = words or "what is expected"
        return BadInput(name, value, f"[wrong-type] is not {said}", f"pass {said}")
    return _broken_element(name, value, hint)


def _broken_element(name: str, value: Any, hint: Any) -> BadInput | None:
    """The first element of a list, or value of a mapping, that is not what the hint says."""
    inside = [h for h in members_of(hint) if typing.get_origin(h) in LISTS and typing.get_args(h)]
    entries = [typing.get_args(h) for h in members_of(hint) if typing.get_origin(h) in MAPPINGS]
    if isinstance(value, (Mapping, pd.Series)) and len(entries) == 1 and len(entries[0]) == 2:
        return _first_broken(name, value.items(), itertools.repeat(entries[0][1]))
    others = [_one(h) for h in members_of(hint) if h not in inside]
    whole = isinstance(value, (str, bytes, Mapping, pd.DataFrame)) and any(
        other is None or isinstance(value, other[0]) for other in others
    )
    if len(inside) != 1 or whole or not _sized(value):
        return None
    hints = [a for a in typing.get_args(inside[0]) if a is not Ellipsis]
    fixed = typing.get_origin(inside[0]) is tuple and len(hints) > 1
    if fixed and len(value) != len(hints):
        problem = f"[wrong-length] does not have {len(hints)} elements"
        return BadInput(name, value, problem, f"give {len(hints)}")
    some = enumerate(itertools.islice(value, _LOOKED_AT))
    return _first_broken(name, some, hints if fixed else itertools.repeat(hints[0]))


def _first_broken(name: str, held: Iterable[tuple[Any, Any]], hints: Iterable[Any]) -> BadInput | None:
    pairs = zip(held, hints, strict=False)
    return next(filter(None, (_broken(f"{name}[{k!r}]", v, hint) for (k, v), hint in pairs)), None)


def _broken_callable(name: str, value: Callable[..., Any], hints: Any) -> BadInput | None:
    """The error for a function that cannot be called with as many arguments as it will be given."""
    if not isinstance(hints, list):
        return None
    try:
        inspect.signature(value).bind(*hints)
    except ValueError:
        return None  # a builtin that does not tell its signature
    except TypeError as error:
        problem = f"[wrong-type] cannot be called with {len(hints)} argument(s) ({error})"
        return BadInput(name, value, problem, "change its parameters")
    return None


def _sized(value: object) -> bool:
    """Whether it is a list, a mapping or an array with a length: an array without dimensions has none."""
    return isinstance(value, (Sequence, Mapping, set, *_ARRAYS)) and getattr(value, "ndim", 1) > 0


# -- arguments that the error itself is about: (value to show, problem, remedy) -----------------------------

Explanation = tuple[object, str, str] | None


def _by_value(value: Any, error: BaseException) -> Explanation:
    """An absent column, text among numbers, an empty input: what this value and the error say together."""
    words, kind = str(error), type(value).__name__
    array, table = isinstance(value, _ARRAYS), isinstance(value, (pd.DataFrame, pd.Series))
    texts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    if isinstance(error, UnicodeEncodeError) and error.object in texts:
        return error.object, "[wrong-type] holds half of a character", "write it whole"
    if isinstance(value, (pd.DataFrame, Mapping)) and isinstance(error, KeyError):
        wanted = error.args[0] if error.args else ""
        if not pd.api.types.is_hashable(wanted) or wanted not in value:
            part = "column or row" if isinstance(value, pd.DataFrame) else "entry"
            problem = f"[missing-column] has no {part} {short(wanted)}"
            return list(value), problem, "pass the table that the documentation names"
    if array and "truth value" in words:
        return kind, "[wrong-type] is an array or a table", "pass a single value"
    if table and any(w in words for w in _TEXT):
        columns = list(pd.DataFrame(value).select_dtypes(exclude="number").columns)
        return columns, "[not-a-number] holds text where numbers are needed", "convert the column"
    if table and any(w in words for w in _KINDS):
        return kind, f"[wrong-type] has a column of the wrong kind ({words[:80]})", "convert it"
    if array and (type(error).__name__ == "TypingError" or "float16" in words):  # of a kernel
        problem = f"[wrong-type] is not an array that can be used here ({getattr(value, 'dtype', 'a table')})"
        return value, problem, "pass a plain array of numbers, such as np.asarray(x, float)"
    listed = isinstance(value, (list, tuple, np.ndarray)) and _sized(value)
    if "unhashable type" in words and listed and not all(map(pd.api.types.is_hashable, value[:_LOOKED_AT])):
        problem = "[wrong-type] has an element that cannot be used as a label"
        return value, problem, "pass text or numbers"
    if isinstance(value, NUMBERS) and value < 0 and "negative" in words:
        return value, "[out-of-range] is negative", "use 0 or more"
    if _sized(value) and len(value) == 0:
        return value, "[empty] is empty", "give at least one"
    return None


def _by_oddity(value: Any, error: BaseException) -> Explanation:
    """A table or a mapping that pandas and Python can hold and few functions can use."""
    if isinstance(value, _ARRAYS) and (odd := _oddity(value)) is not None:
        return type(value).__name__, *odd
    keys = [k for k in value if not isinstance(k, (str, int))] if isinstance(value, dict) else []
    problem = "[wrong-type] is a key that is neither a text nor a whole number"
    return (keys[0], problem, "use texts as names") if keys else None


def _oddity(value: Any) -> tuple[str, str] | None:
    """(problem, remedy) of labels of several levels, labels that repeat, odd cells and missing numbers."""
    table = value if isinstance(value, pd.DataFrame) else pd.DataFrame(np.ravel(value))
    labels: Any = value.index if isinstance(value, pd.Series) else table.index
    if table.columns.nlevels > 1 or labels.nlevels > 1:
        return "[wrong-type] has labels of several levels", "join them into one label each"
    for axis in (table.columns, labels):
        if not axis.is_unique:
            label = short(axis[axis.duplicated()][0])
            return f"[duplicate-label] has the label {label} more than once", "keep one of them"
    columns = [value] if isinstance(value, pd.Series) else [table[c] for c in table.columns]
    where = [f" in column {short(c.name)}" if len(columns) > 1 else "" for c in columns]
    for column, place in zip(columns, where, strict=True):
        if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iufb":
            continue
        kinds = {type(x).__name__ for x in column[:_LOOKED_AT] if not isinstance(x, str)}
        if kinds or not isinstance(column.dtype, (np.dtype, pd.StringDtype)):
            held = f"{column.dtype} ({', '.join(sorted(kinds))}){place}"
            remedy = "convert it with .astype(float) or .astype(str)"
            return f"[not-a-number] holds {held}, not plain numbers or texts", remedy
    for column, place in zip(columns, where, strict=True):
        if column.dtype.kind == "f" and not np.isfinite(column).all():
            problem = f"[not-finite] has a missing or infinite number{place}"
            return problem, "leave that row out, or give it a number"
    return None


def _by_words(free: Mapping[str, Any], error: BaseException) -> BadInput | None:
    """Of the arguments that may be anything, the one that Python's own words are about."""
    words = str(error)
    for name, value in free.items():
        lacks = isinstance(error, AttributeError) and error.obj is value
        flat = getattr(value, "ndim", None) == 0 and ("0-d" in words or "unsized" in words)
        kind = f"{type(value).__name__}'" in words or (value is not None and short(value) in words)
        if lacks or (isinstance(error, TypeError) and (flat or kind)):
            remedy = "see the documentation of the function for what it takes"
            return BadInput(name, value, f"[wrong-type] is not what is expected here ({words[:120]})", remedy)
    return None


def _too_much(given: Mapping[str, Any]) -> BadInput | None:
    """The largest number that was passed, alone or in an array, where a call ran out of memory or range."""
    sizes = {name: _largest(value) for name, value in given.items()}
    name = max(sizes, key=lambda one: sizes[one], default="")
    if not name or sizes[name] <= _HUGE:
        return None
    problem = "[out-of-range] is too large: the call ran out of memory or of the range of numbers"
    return BadInput(name, given[name], problem, "use a smaller one")


def _largest(value: object) -> float:
    if isinstance(value, (int, np.integer)) and abs(int(value)) > 2**1000:
        return math.inf
    if isinstance(value, range):
        return float(len(value))
    try:
        numbers = np.abs(np.asarray(getattr(value, "frame", value), dtype=float))
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return float(np.fmax.reduce(numbers.ravel(), initial=0.0))
