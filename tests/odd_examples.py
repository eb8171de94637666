"""Every documented example again, one argument at a time turned into an odd form of itself.

The doctests of the public names are run, and the public calls that they make are written down. Each argument of
such a call is then replaced: a count by a float, a table by one of Decimals, of pandas' own dtypes or with a
column twice, a list by one that holds itself; and each parameter, given or not, by the hostile values of
`fuzzing`, which so reach further than where nothing else is right. A call must end in an error of ours or in a
result, and where the odd form means the same, in the same result.

`python tests/odd_examples.py START STOP SAMPLE` does so for the names START to STOP, as `fuzzing.py` does.
"""

import copy
import doctest
import inspect
import io
import random
import sys
import types
from contextlib import redirect_stdout, suppress
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
from fuzzing import attempt, hostile, names, walk

from gindex_lab.foundation import declared

SAME = "same: "  # an odd form that means what the plain one means


def of_number(value):
    whole = isinstance(value, int)
    yield SAME + "numpy number", (np.int64 if whole else np.float64)(value)
    yield SAME + "narrow number", np.int32(value) if whole and abs(value) < 2**31 else value
    if whole:
        yield SAME + "float", float(value) if abs(value) < 2**53 else value
    yield "numpy float", np.float32(value)
    yield "Decimal", Decimal(value)
    yield "Fraction", Fraction(value)
    yield "text", str(value)
    yield "array without dimensions", np.array(value)
    yield "list of one", [value]
    yield "half more", value + 0.5
    yield "negative", -value
    yield "far", 10**30
    yield "missing", pd.NA
    yield "not a time", pd.NaT


def of_text(value):
    yield SAME + "numpy text", np.str_(value)
    yield "bytes", value.encode()
    yield "long", (value or "a") * 200_000
    yield "with a null", value + "\0"
    yield "half a character", value + "\ud800"
    yield "lines", value + "\n\n" + value
    yield "twice", value + value
    yield "letters", list(value)


def of_list(value):
    looped = list(value)
    looped.append(looped)
    yield "holding itself", looped
    deep = list(value)
    for _ in range(5000):
        deep = [deep]
    yield "deep", deep
    if all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in value):
        yield SAME + "array", np.array(value)
        yield SAME + "numpy numbers", [np.float64(one) if isinstance(one, float) else np.int64(one) for one in value]  # fmt: skip
        yield "Decimals", [Decimal(one) for one in value]
        yield "floats", [float(one) for one in value]
        yield "nullable", pd.array([*value, None])
        yield "masked", np.ma.masked_array(value, mask=np.arange(len(value)) == 0)
    yield SAME + "other kind of list", (tuple if isinstance(value, list) else list)(value)
    yield "once", iter(list(value))
    yield "None inside", [*value, None]
    yield "bytes", b"abc"
    yield "twice", [*value, *value]
    yield "dates", [pd.Timestamp("2026-01-01", tz="UTC")] * len(value)


def of_mapping(value):
    looped = dict(value)
    looped["me"] = looped
    yield "holding itself", looped
    yield SAME + "read-only", types.MappingProxyType(dict(value))
    yield SAME + "series", pd.Series(value) if value and all(np.isscalar(v) for v in value.values()) else value  # fmt: skip
    yield "odd keys", {(k, k): v for k, v in value.items()}
    yield "no keys", dict.fromkeys([None], 1)
    yield "Decimals", {k: Decimal(v) if isinstance(v, (int, float)) else v for k, v in value.items()}  # fmt: skip
    yield "lists", {k: [v] for k, v in value.items()}


def of_array(value):
    yield SAME + "fortran", np.asfortranarray(value)
    fixed = value.copy()
    fixed.flags.writeable = False
    yield SAME + "read-only", fixed
    yield SAME + "strided", np.repeat(value, 2, axis=-1)[..., ::2] if value.ndim else value
    if value.dtype.kind in "if":
        yield SAME + "other byte order", value.astype(value.dtype.newbyteorder())
        yield SAME + "list", value.tolist()
        yield "Decimals", np.array([Decimal(float(x)) for x in value.ravel()], object).reshape(value.shape)  # fmt: skip
        yield "half precision", value.astype(np.float16)
        yield "long double", value.astype(np.longdouble)
        yield "complex", value.astype(complex)
        yield "masked", np.ma.masked_array(value, mask=value == value.ravel()[0]) if value.size else value  # fmt: skip
    yield "texts", value.astype(str)
    yield "nothing", value[:0] if value.ndim else value
    yield "one dimension more", value[..., None]
    yield "flat", value.ravel()
    yield "dates", np.zeros(value.shape, "M8[ns]")
    yield "bytes", value.tobytes()


def of_series(value):
    numeric = value.dtype.kind in "if"
    if numeric:
        yield SAME + "nullable", value.astype("Float64" if value.dtype.kind == "f" else "Int64")
        yield SAME + "objects", value.astype(object)
        yield "Decimals", value.map(lambda x: Decimal(float(x))).astype(object)
        yield "Fractions", value.map(lambda x: Fraction(x) if np.isfinite(x) else x).astype(object)
        yield "one missing", value.astype("Float64").where(np.arange(len(value)) > 0, pd.NA)
        yield "sparse", value.astype(pd.SparseDtype(float))
    yield "texts", value.astype(str)
    yield "category", value.astype("category")
    yield "dates", pd.Series(pd.date_range("2026-01-01", periods=len(value), tz="Asia/Tokyo"), value.index)  # fmt: skip
    yield "label twice", value.set_axis([value.index[0]] * len(value)) if len(value) else value
    yield "many levels", value.set_axis(pd.MultiIndex.from_tuples([(i, i) for i in value.index], names=["a", "b"])) if len(value) else value  # fmt: skip
    yield "dated", value.set_axis(pd.date_range("2026-01-01", periods=len(value), tz="UTC"))
    yield "empty", value.iloc[:0]


def of_frame(value):
    numeric = [c for k, c in enumerate(value.columns) if value.dtypes.iloc[k].kind in "if"]

    def each(change):
        made = value.copy()
        for column in numeric:
            made[column] = change(made[column])
        return made

    if numeric and value.columns.is_unique:
        yield SAME + "nullable", value.convert_dtypes()
        yield SAME + "objects", value.astype(object)
        yield "Decimals", each(lambda x: x.map(lambda y: Decimal(float(y))).astype(object))
        yield "Fractions", each(lambda x: x.map(lambda y: Fraction(y) if np.isfinite(y) else y).astype(object))  # fmt: skip
        yield "one missing", each(lambda x: x.astype("Float64").where(np.arange(len(x)) > 0, pd.NA))
        yield "sparse", each(lambda x: x.astype(pd.SparseDtype(float)))
        yield "single precision", each(lambda x: x.astype(np.float32))
        yield "texts", each(lambda x: x.astype(str))
        yield "lists", each(lambda x: pd.Series([[y] for y in x], x.index, dtype=object))
        yield "category", each(lambda x: x.astype("category"))
        yield "infinite", each(lambda x: x * np.inf)
        yield "huge", each(lambda x: x.astype(float) + 1e308)
        for column in list(value.columns)[:6]:
            yield f"without {column}", value.drop(columns=column)
            yield f"{column} of NaN", value.assign(**{str(column): np.nan})
            dates = pd.date_range("2026-01-01", periods=len(value), tz="UTC")
            yield f"{column} of dates", value.assign(**{str(column): dates})
    yield "columns twice", pd.concat([value, value], axis=1)
    yield "rows twice", pd.concat([value, value])
    yield "many levels", pd.concat({"a": value}, axis=1)
    yield "many levels of rows", pd.concat({"a": value})
    yield "turned", value.T
    yield "empty", value.iloc[:0]
    yield "one row", value.iloc[:1]
    yield "no columns", value.iloc[:, :0]
    yield "numbered columns", value.set_axis(range(value.shape[1]), axis=1)
    yield "nameless columns", value.set_axis([None] * value.shape[1], axis=1)
    yield "array", value.to_numpy()


def odd(value):
    """(what it is, the odd form) of a value."""
    kinds = {
        pd.DataFrame: of_frame, pd.Series: of_series, np.ndarray: of_array, str: of_text, dict: of_mapping,
        list: of_list, tuple: of_list,
    }  # fmt: skip
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from of_number(value)
        return
    for kind, made in kinds.items():
        if isinstance(value, kind):
            yield from made(value)
            return
    frame = getattr(value, "frame", None)
    if isinstance(frame, pd.DataFrame):
        yield from of_frame(frame)
    yield "nothing", None
    yield "object", object()


def recorded(function):
    """The public calls in the examples of a function or a class: (function, arguments)."""
    plain = inspect.unwrap(function)
    module = sys.modules[plain.__module__]
    calls = []

    def watch(frame, event, _):
        if event != "call" or frame.f_code.co_name != "checked":
            return
        if frame.f_code.co_filename != declared.__file__:
            return
        if frame.f_back and frame.f_back.f_code.co_filename.startswith("<doctest"):
            seen = frame.f_locals
            calls.append((seen["function"], seen["args"], dict(seen["kwargs"])))

    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)  # fmt: skip
    for test in doctest.DocTestFinder(recurse=inspect.isclass(plain)).find(
        plain, plain.__name__, module, globs=dict(vars(module))
    ):
        with redirect_stdout(io.StringIO()):
            sys.setprofile(watch)
            try:
                runner.run(test, out=lambda _: None, clear_globs=False)
            finally:
                sys.setprofile(None)
    return calls


def cases(label, function, sample):
    """(what, call, arguments, plain arguments) of the odd calls of one name."""
    made, done = [], set()
    for called, args, kwargs in recorded(function):
        try:
            bound = inspect.signature(called).bind(*args, **kwargs)
        except TypeError:
            continue
        door = declared.declared(called)
        for name, parameter in bound.signature.parameters.items():
            value = bound.arguments.get(name, parameter.empty)
            if name in ("self", "cls") or parameter.kind in (
                parameter.VAR_KEYWORD,
                parameter.VAR_POSITIONAL,
            ):
                continue
            if (called.__qualname__, name, type(value)) in done:
                continue
            done.add((called.__qualname__, name, type(value)))
            try:
                changed = [] if value is parameter.empty else list(odd(value))
            except (ValueError, TypeError, OverflowError, ArithmeticError) as error:
                raise AssertionError(f"{label}: {name}={value!r:.200}") from error
            for what, one in [*changed, *hostile().items()]:
                made.append((f"{called.__qualname__}: {name} {what}", door, bound, name, one))
    chosen = random.Random(label)
    return chosen.sample(made, sample) if sample and len(made) > sample else made


def call_of(bound, name=None, one=None):
    """The arguments of a call, one of them replaced; what is changed in place is a copy."""
    again = copy.copy(bound)
    again.arguments = dict(bound.arguments)
    for key, value in again.arguments.items():
        if key == "self" or isinstance(value, np.random.Generator):
            with suppress(NotImplementedError):  # ipywidgets cannot be copied
                again.arguments[key] = copy.deepcopy(value)
    if name is not None:
        again.arguments[name] = one
    return again.args, again.kwargs


def alike(one, other):
    """Whether two results are the same; of what cannot be compared, nothing is said."""
    if isinstance(one, str) and isinstance(other, str):
        return str(one) == str(other)
    if type(one) is not type(other):
        return isinstance(one, (int, float, np.number)) and isinstance(other, (int, float, np.number)) and one == other  # fmt: skip
    if isinstance(one, pd.DataFrame):
        if one.shape != other.shape or list(map(str, one.columns)) != list(map(str, other.columns)):
            return False
        return all(alike(one.iloc[:, k], other.iloc[:, k]) for k in range(one.shape[1]))
    if isinstance(one, (pd.Series, np.ndarray)):
        one, other = np.asarray(one, dtype=object), np.asarray(other, dtype=object)
        return one.shape == other.shape and all(map(alike, one.ravel(), other.ravel()))
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(alike(one[k], other[k]) for k in one)
    if isinstance(one, float):
        return one == other or (one != one and other != other) or abs(one - other) <= 1e-9 * abs(one)  # fmt: skip
    if isinstance(one, (str, int, bytes, bool)):
        return one == other
    frame = getattr(one, "frame", None)
    return alike(frame, other.frame) if isinstance(frame, pd.DataFrame) else True


def tried(door, bound, name, one, what):
    """What is wrong with a call, in words; None where it ended well."""
    kept, plain = [], []
    args, kwargs = call_of(bound, name, one)
    problem = attempt(lambda: kept.append(door(*args, **kwargs)), [], {})
    if problem or SAME not in what or not kept or inspect.isgenerator(kept[0]):
        return problem
    args, kwargs = call_of(bound)
    if attempt(lambda: plain.append(door(*args, **kwargs)), [], {}) or not plain:
        return None
    return None if alike(plain[0], kept[0]) else f"Different: {plain[0]!r:.150} and {kept[0]!r:.150}"


def main(start, stop, sample):
    def calls(label, value):
        for what, door, bound, name, one in cases(label, value, sample):
            yield what, partial(tried, door, bound, name, one, what)

    walk(names()[start:stop], calls)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
