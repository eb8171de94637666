"""What is wrong with a call that failed: the first argument that breaks the signature, as an error of ours.

Nothing here runs while all goes well. When a public call fails with an error that is not ours, its
arguments are held against the hints of the signature; an error that no argument explains is a fault of ours
and stays as it is.
"""

from __future__ import annotations

import collections.abc
import functools
import inspect
import itertools
import math
import os
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, short

__all__ = [
    "LISTS",
    "MAPPINGS",
    "NUMBERS",
    "complaint",
    "hints_of",
    "members_of",
    "not_a_seed",
    "refuse_nested",
]

_ARRAYS = (np.ndarray, pd.Series, pd.Index, pd.DataFrame, pd.api.extensions.ExtensionArray)
NUMBERS = (int, float, np.integer, np.floating)
_SEEDS = (int, np.integer, np.random.Generator, np.random.SeedSequence)
_TEXT = (
    "dtype 'str'",
    "string dtype",
    "could not convert string",
    "dtype=str",
)  # what pandas says of text
_KINDS = (".str accessor", "trying to merge on", "not supported between instances")
_DEEPEST, _LOOKED_AT = 200, 100  # levels, as in `bounds`, and elements of each
_HUGE = (
    10**7
)  # a count beyond this, in a call that ran out of memory or range, is what is wrong with it


def not_a_seed(name: str, value: object) -> BadInput:
    """The error for what cannot seed a generator."""
    remedy = "pass a whole number such as seed=1, or a Generator"
    return BadInput(name, value, "[not-a-seed] is not a seed", remedy)


def refuse_nested(name: str, value: object) -> None:
    """Refuse lists in lists without end: pandas and pyarrow recurse into them until Python is ended."""
    level: list[Any] = [value]
    for _ in range(_DEEPEST):
        held = (one.values() if isinstance(one, dict) else one for one in level[-_LOOKED_AT:])
        inside = itertools.chain.from_iterable(itertools.islice(one, _LOOKED_AT) for one in held)
        level = list({id(x): x for x in inside if isinstance(x, (list, tuple, dict))}.values())
        if not level:
            return
    problem = "[too-deep] is nested too deeply, or holds itself"
    raise BadInput(name, value, problem, "pass a flat one")


def complaint(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    error: BaseException,
) -> BadInput | None:
    """The first argument that breaks the declaration, as an error; None where none does."""
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return None  # a wrong call: Python's own TypeError names the parameter
    hints = hints_of(function)
    for name, value in given.items():
        kind = signature.parameters[name].kind
        if name in ("self", "cls") or kind in (kind.VAR_KEYWORD,):
            continue
        values = value if kind is kind.VAR_POSITIONAL else [value]
        for one in values:
            problem = _broken(name, one, hints.get(name, Any))
            if problem is not None:
                return problem
            if isinstance(one, collections.abc.Iterator):
                problem_ = "[wrong-type] can be iterated over only once"
                return BadInput(name, one, problem_, "pass a list instead")
    passed = {k: v for k, v in given.items() if k != "self"}
    free = {k: v for k, v in passed.items() if _expected(hints.get(k, Any)) is None}
    return _by_value(passed, error) or _by_words(free, error)


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


def _broken(name: str, value: object, hint: Any) -> BadInput | None:
    """The error for a value that is not what the hint says, by its type, its range or its elements."""
    if name == "seed" and not isinstance(value, (*_SEEDS, type(None))):
        return not_a_seed(name, value)
    called = [h for h in members_of(hint) if typing.get_origin(h) is collections.abc.Callable]
    if called and callable(value):
        return _broken_callable(name, value, typing.get_args(called[0])[0])
    wanted = _expected(hint)
    if wanted is None:
        return None
    kinds, words = wanted
    scalar = isinstance(value, np.ndarray) and value.ndim == 0  # an array in name only: no list
    listed = scalar and typing.cast(type, collections.abc.Iterable) in kinds
    if not isinstance(value, kinds) or listed or (isinstance(value, bool) and kinds == NUMBERS):
        said = words or "what is expected"
        return BadInput(name, value, f"[wrong-type] is not {said}", f"pass {said}")
    if isinstance(value, NUMBERS) and not _is_finite(value):
        return BadInput(name, value, "[out-of-range] is out of range", "use a finite number")
    whole = int in members_of(hint) and float not in members_of(hint)
    if whole and isinstance(value, (float, np.floating)) and not float(value).is_integer():
        problem = "[not-a-whole-number] is not a whole number"
        return BadInput(name, value, problem, "use one")
    return _broken_element(name, value, hint)


def _is_finite(value: Any) -> bool:
    if isinstance(value, (int, np.integer)):
        return abs(int(value)) < 2**63
    return math.isfinite(value)


def _broken_element(name: str, value: object, hint: Any) -> BadInput | None:
    """The first element of a list that is not what the hint says."""
    inside = [h for h in members_of(hint) if typing.get_origin(h) in LISTS and typing.get_args(h)]
    if isinstance(value, (Mapping, pd.Series)):
        entries = [typing.get_args(h) for h in members_of(hint) if typing.get_origin(h) in MAPPINGS]
        if len(entries) == 1 and len(entries[0]) == 2:
            broken = (_broken(f"{name}[{k!r}]", v, entries[0][1]) for k, v in value.items())
            return next(filter(None, broken), None)
    others = [_one(h) for h in members_of(hint) if h not in inside]
    whole = isinstance(value, (str, bytes, Mapping, pd.DataFrame)) and any(
        other is None or isinstance(value, other[0]) for other in others
    )
    if len(inside) != 1 or whole or not _sized(value):
        return None
    arguments = [a for a in typing.get_args(inside[0]) if a is not Ellipsis]
    if typing.get_origin(inside[0]) is tuple and len(arguments) > 1:
        return _broken_tuple(name, typing.cast(Any, value), arguments)
    for place, one in enumerate(itertools.islice(typing.cast(Any, value), 1000)):
        found = _broken(f"{name}[{place}]", one, arguments[0])
        if found is not None:
            return found
    return None


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


def _broken_tuple(name: str, value: Any, hints: Sequence[Any]) -> BadInput | None:
    """What is wrong with a pair, a triple ...: its length, or the first wrong element."""
    if len(value) != len(hints):
        problem, remedy = (
            f"[wrong-length] does not have {len(hints)} elements",
            f"give {len(hints)}",
        )
        return BadInput(name, value, problem, remedy)
    broken = (
        _broken(f"{name}[{k}]", *both) for k, both in enumerate(zip(value, hints, strict=True))
    )
    return next(filter(None, broken), None)


MAPPINGS = (dict, collections.abc.Mapping)
LISTS = (
    list,
    tuple,
    set,
    collections.abc.Sequence,
    collections.abc.Iterable,
    collections.abc.Collection,
)


def members_of(hint: Any) -> tuple[Any, ...]:
    union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return typing.get_args(hint) if union else (hint,)


def _expected(hint: Any) -> tuple[tuple[type, ...], str] | None:
    """The types that a hint allows, and their name in words; None where it allows anything."""
    kinds: list[type] = []
    words: list[str] = []
    for member in members_of(hint):
        found = _one(member)
        if found is None:
            return None
        kinds += found[0]
        words += [found[1]] if found[1] else []
    return tuple(kinds), " or ".join(dict.fromkeys(words))


def _one(hint: Any) -> tuple[tuple[type, ...], str] | None:
    origin = typing.get_origin(hint)
    if hint is Any or isinstance(hint, (str, TypeVar)):
        return None
    if hint is None or hint is type(None):
        return (type(None),), ""
    if origin is typing.Literal:
        return (str, int), "one of " + ", ".join(map(repr, typing.get_args(hint)))
    if hint in (int, float):
        return NUMBERS, "a number"
    if hint is bool:
        return (bool, np.bool_), "True or False"
    if hint is str:
        return (str,), "text"
    if origin is np.ndarray or hint is np.ndarray:
        return (*_ARRAYS, list, tuple), "an array"
    known = origin or hint
    if known in (collections.abc.Callable,):
        return None
    if known is os.PathLike:
        return (os.PathLike,), "a path"
    if known in MAPPINGS:
        return (collections.abc.Mapping, pd.Series), "a mapping"
    if known in LISTS:
        return (collections.abc.Iterable, *_ARRAYS), "a list"
    if inspect.isclass(known) and not getattr(known, "_is_protocol", False) and known is not object:
        return (known,), f"a {known.__name__}"
    return None


def _by_value(given: Mapping[str, Any], error: BaseException) -> BadInput | None:
    """What the values themselves explain: an absent column, an empty input, numbers that are too large."""
    for name, value in given.items():
        texts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        if isinstance(error, UnicodeEncodeError) and error.object in texts:
            problem, remedy = "[wrong-type] holds half of a character", "write it whole"
            return BadInput(name, error.object, problem, remedy)
        if isinstance(value, (pd.DataFrame, Mapping)) and isinstance(error, KeyError):
            wanted = error.args[0] if error.args else ""
            if not pd.api.types.is_hashable(wanted) or wanted not in value:
                kind = "column or row" if isinstance(value, pd.DataFrame) else "entry"
                problem = f"[missing-column] has no {kind} {short(wanted)}"
                remedy = "pass the table that the documentation names"
                return BadInput(name, list(value), problem, remedy)
        if isinstance(value, _ARRAYS) and "truth value" in str(error):
            problem, remedy = "[wrong-type] is an array or a table", "pass a single value"
            return BadInput(name, type(value).__name__, problem, remedy)
        table = isinstance(value, (pd.DataFrame, pd.Series))
        if table and any(w in str(error) for w in _TEXT):
            texts = list(pd.DataFrame(value).select_dtypes(exclude="number").columns)
            problem = "[not-a-number] holds text where numbers are needed"
            return BadInput(name, texts, problem, "convert the column")
        if table and any(w in str(error) for w in _KINDS):
            problem = f"[wrong-type] has a column of the wrong kind ({str(error)[:80]})"
            return BadInput(name, type(value).__name__, problem, "convert it")
        untyped = type(error).__name__ == "TypingError" or "float16" in str(error)  # of a kernel
        if untyped and isinstance(value, _ARRAYS):
            kind = getattr(value, "dtype", "a table")
            problem = f"[wrong-type] is not an array that can be used here ({kind})"
            remedy = "pass a plain array of numbers, such as np.asarray(x, float)"
            return BadInput(name, value, problem, remedy)
        if "unhashable type" in str(error) and _unhashable(value):
            problem = "[wrong-type] has an element that cannot be used as a label"
            remedy = "pass text or numbers"
            return BadInput(name, value, problem, remedy)
        negative = isinstance(value, NUMBERS) and value < 0 and "negative" in str(error)
        if negative:
            return BadInput(name, value, "[out-of-range] is negative", "use 0 or more")
        if _sized(value) and len(value) == 0:
            return BadInput(name, value, "[empty] is empty", "give at least one")
    for name, value in given.items():
        if isinstance(value, _ARRAYS) and (odd := _oddity(value)) is not None:
            return BadInput(name, type(value).__name__, *odd)
        keys = (
            [k for k in value if not isinstance(k, (str, int))] if isinstance(value, dict) else []
        )
        if keys:
            problem = "[wrong-type] is a key that is neither a text nor a whole number"
            return BadInput(name, keys[0], problem, "use texts as names")
    if isinstance(error, (MemoryError, OverflowError, RecursionError)):
        return _too_much(given)
    return None


def _oddity(value: Any) -> tuple[str, str] | None:
    """(problem, remedy) of a table that pandas can hold and few functions can use."""
    table = value if isinstance(value, pd.DataFrame) else pd.DataFrame(np.ravel(value))
    labels: Any = value.index if isinstance(value, pd.Series) else table.index
    if table.columns.nlevels > 1 or labels.nlevels > 1:
        return "[wrong-type] has labels of several levels", "join them into one label each"
    for axis in (table.columns, labels):
        if not axis.is_unique:
            label = short(axis[axis.duplicated()][0])
            problem = f"[duplicate-label] has the label {label} more than once"
            return problem, "keep one of them"
    columns = [value] if isinstance(value, pd.Series) else [table[c] for c in table.columns]
    for column in columns:
        where = "" if len(columns) == 1 else f" in column {short(column.name)}"
        if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iufb":
            continue
        kinds = {type(x).__name__ for x in column[:1000] if not isinstance(x, str)}
        if kinds or not isinstance(column.dtype, (np.dtype, pd.StringDtype)):
            found = f"{column.dtype} ({', '.join(sorted(kinds))})"
            remedy = "convert it with .astype(float) or .astype(str)"
            return f"[not-a-number] holds {found}{where}, not plain numbers or texts", remedy
    for column in columns:
        if column.dtype.kind == "f" and not np.isfinite(column).all():
            where = "" if len(columns) == 1 else f" in column {short(column.name)}"
            problem = f"[not-finite] has a missing or infinite number{where}"
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
            problem = f"[wrong-type] is not what is expected here ({words[:120]})"
            return BadInput(name, value, problem, remedy)
    return None


def _unhashable(value: object) -> bool:
    if not isinstance(value, (list, tuple, np.ndarray)) or getattr(value, "ndim", 1) == 0:
        return False
    return any(not pd.api.types.is_hashable(one) for one in value[:1000])


def _sized(value: object) -> bool:
    """Whether it is a list, a mapping or an array with a length: an array without dimensions has none."""
    return isinstance(value, (Sequence, Mapping, set, *_ARRAYS)) and getattr(value, "ndim", 1) > 0


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
    frame = getattr(value, "frame", value)
    try:
        numbers = np.abs(np.asarray(frame, dtype=float))
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return float(np.fmax.reduce(numbers.ravel(), initial=0.0))
