"""Every public call goes through a door: its numbers, flags and words are what the function declares.

A public function declares its parameters once: the type in its signature (`ci: float | None`), the range in
the table of `constraints`. Numbers, lists of numbers, flags and `Literal` words are checked before a call.
Tables, arrays and objects are not, so that checking costs no time; when a call fails with an error that is
not ours, `complaints` finds the argument that breaks the signature.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ParamSpec, TypeVar

import numpy as np
import pandas as pd

from gindex_lab.foundation.complaints import LISTS, MAPPINGS, complaint, hints_of, members_of
from gindex_lab.foundation.constraints import Range, range_of
from gindex_lab.foundation.errors import BadInput, GIndexLabError
from gindex_lab.foundation.validate import (
    LARGEST,
    NUMBERS,
    choice,
    deeper_than,
    flag,
    integer,
    not_a_seed,
    number,
    pair,
)

__all__ = ["Parameter", "declared", "declared_class", "hold", "parameters_of"]

P = ParamSpec("P")
R = TypeVar("R")

_FLAGS = (bool, np.bool_)
_LISTED = (list, tuple, set, frozenset, range, Mapping, np.ndarray, pd.Series, pd.Index)
_SIMPLE = {int: int, float: float, Fraction: float, bool: bool, str: str, type(None): type(None)}
_ELEMENTS = 100_000  # of a list that are looked at; an array is looked at whole
# levels of nesting, as in `bounds`, and elements of each: pandas and pyarrow recurse until Python is ended
_DEEPEST, _LOOKED_AT = 200, 100


@dataclass(frozen=True)
class Parameter:
    """What a parameter may be, from its hint and its range; `check` refuses what it may not."""

    name: str
    allowed: Range | None  # of its numbers; None where there are none
    kinds: frozenset[Any]  # int, float, bool, str, type(None): what it may be, alone or in a list
    words: tuple[str, ...]  # of a Literal
    alone: bool  # one number
    listed: bool  # a list of numbers, or a mapping to them
    open: bool  # or something else, which is not checked
    flag: bool  # True or False

    @classmethod
    def of(cls, name: str, hint: Any, allowed: Range | None) -> Parameter:
        """The parameter of this hint; numbers keep to the range also where the hint allows anything."""
        plain = [one for one in members_of(hint) if not _inside(one)]
        inside = [kind for one in members_of(hint) for kind in _flat(one)]
        simple = [kind for kind in (*plain, *inside) if isinstance(kind, type) and kind in _SIMPLE]
        literal = [kind for kind in (*plain, *inside) if typing.get_origin(kind) is typing.Literal]
        kinds = frozenset(_SIMPLE[kind] for kind in simple)
        words = tuple(word for kind in literal for word in typing.get_args(kind))
        anything = len(simple) + len(literal) < len(plain) + len(inside)
        numeric = bool(kinds & {int, float})
        ranged = allowed if numeric or (anything and not kinds & {bool, str}) else None
        alone = anything or any(kind in (int, float, Fraction) for kind in plain)
        return cls(name, ranged, kinds, words, alone, bool(inside) and numeric, anything, bool in plain)

    @property
    def checked(self) -> bool:
        """Whether there is anything to check."""
        ranged = self.allowed is not None and not (self.allowed.free or self.allowed.inside)
        numeric = self.name == "seed" or not self.open or bool(self.kinds & {int, float})
        return (ranged and numeric) or bool(self.words) or (self.flag and not self.open)

    @property
    def whole(self) -> bool:
        """Whether its numbers are whole."""
        return int in self.kinds and float not in self.kinds

    def taken(self, value: Any) -> Any:
        """The value as the function gets it: an int8 would overflow inside, and `range(2.0)` is an error."""
        if isinstance(value, (np.integer, np.floating)):
            value = int(value) if isinstance(value, np.integer) else float(value)
        self.check(value)
        if self.whole or self.name == "seed":
            if isinstance(value, float):
                return _as_whole(value)
            if self.listed and type(value) in (list, tuple):
                return type(value)(map(_as_whole, value))
        return value

    def check(self, value: Any, name: str = "") -> None:
        """Refuse a value that the declaration does not allow."""
        name = name or self.name
        if value is None and (self.open or type(None) in self.kinds):
            return
        if self.name == "seed":
            _check_seed(name, value, self.open)
        elif self.allowed is not None and self.allowed.rising:
            pair(name, value)
        elif isinstance(value, str) and self.words:
            choice(name, value, self.words)
        elif isinstance(value, _FLAGS):
            if bool not in self.kinds and (self.allowed or not self.open):
                self._refuse(name, value)
        elif isinstance(value, (*NUMBERS, Fraction)) and self.allowed is not None:
            if self.alone:
                self._check_number(name, value)
        elif self.listed and isinstance(value, _LISTED) and getattr(value, "shape", True) != ():
            self._check_elements(name, value)
        elif isinstance(value, str) and str in self.kinds:
            return
        elif not self.open and (self.alone or not self.listed):
            self._refuse(name, value)

    def _check_number(self, name: str, value: Any) -> None:
        allowed = typing.cast(Range, self.allowed)
        if self.whole:
            integer(name, value, int(max(allowed.low, -LARGEST)), int(min(allowed.high, LARGEST)))
            return
        found = value if isinstance(value, Fraction) else number(name, value, allowed.low, allowed.high)
        if found not in allowed:
            raise BadInput(name, value, "[out-of-range] is out of range", f"use a number {allowed}")

    def _check_elements(self, name: str, value: Any) -> None:
        """The same for each element of a list, or value of a mapping."""
        one = self if self.alone else replace(self, alone=True)
        if isinstance(value, (range, np.ndarray, pd.Series, pd.Index)):
            value = _ends(value)
        held = value.items() if isinstance(value, Mapping) else itertools.islice(enumerate(value), _ELEMENTS)
        for place, element in held:
            one.check(element, f"{name}[{place!r}]")

    def _refuse(self, name: str, value: object) -> None:
        """The error of the check that fits what was expected."""
        if self.words:
            choice(name, value, self.words)
        if self.allowed is None:
            flag(name, value)
        self._check_number(name, value)


def _inside(hint: Any) -> list[Any]:
    """What the elements of a list, or the values of a mapping, may be; nothing of what is neither."""
    arguments = [a for a in typing.get_args(hint) if a is not Ellipsis]
    if typing.get_origin(hint) in MAPPINGS:
        arguments = arguments[1:]
    elif typing.get_origin(hint) not in LISTS:
        return []
    return [member for one in arguments for member in members_of(one)]


def _flat(hint: Any) -> list[Any]:
    """The same, through lists of lists."""
    return [kind for one in _inside(hint) for kind in (_flat(one) if _inside(one) else [one])]


def _as_whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _ends(values: Any) -> list[Any]:
    """The least and the largest of many numbers (NaN where there is one): all are in a range if those are."""
    if isinstance(values, range):
        return [values[0], values[-1]] if values else []
    flat = np.asarray(values).ravel()
    return [flat.min(), flat.max()] if flat.dtype.kind in "iuf" and flat.size else []


def _check_seed(name: str, value: Any, anything: bool) -> None:
    if isinstance(value, _FLAGS) or not isinstance(value, NUMBERS):
        right = anything and not isinstance(value, _FLAGS)
    else:
        right = bool(value >= 0 and value == value // 1 and value < 2**1000)
    if not right:
        raise not_a_seed(name, value)


# -- doors -----------------------------------------------------------------------------------------------


def parameters_of(function: Callable[..., Any]) -> dict[str, Parameter]:
    """What each parameter of a function, a method or a class may be."""
    plain = function.__init__ if inspect.isclass(function) else function
    called, hints = plain.__qualname__.removesuffix(".__init__"), hints_of(plain)
    short = called.rpartition(".")[2] if inspect.isclass(function) else called
    return {
        name: Parameter.of(name, hints.get(name, Any), range_of(short, name))
        for name, one in inspect.signature(plain).parameters.items()
        if name not in ("self", "cls") and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    }


def declared(function: Callable[P, R]) -> Callable[P, R]:
    """The same function behind a door: an argument that breaks its declaration is refused by name.

    >>> @declared
    ... def half(n: int, labels: list[str]) -> float:
    ...     return n / 2 + len(labels)
    >>> half("a", [])
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: n='a': is not a whole number; use one from 1 up
    """
    places = {name: k for k, name in enumerate(inspect.signature(function).parameters)}

    @functools.cache
    def door() -> list[tuple[str, int, Parameter]]:
        found = parameters_of(function).items()
        return [(name, places[name], one) for name, one in found if one.checked]

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            for name, value in (*zip(places, args, strict=False), *kwargs.items()):
                if isinstance(value, (list, tuple, dict)) and deeper_than(value, _DEEPEST, _LOOKED_AT):
                    deep = "[too-deep] is nested too deeply, or holds itself"
                    raise BadInput(name, value, deep, "pass a flat one")
            for name, place, parameter in door():
                if name in kwargs:
                    kwargs[name] = parameter.taken(kwargs[name])
                elif place < len(args):
                    value = parameter.taken(args[place])
                    if value is not args[place]:
                        args = (*args[:place], value, *args[place + 1 :])  # type: ignore[assignment]
        except BadInput as error:
            raise _in_its_own_words(error, function, args, kwargs) from None
        try:
            return function(*args, **kwargs)
        except GIndexLabError:
            raise
        except Exception as error:
            problem = complaint(function, args, kwargs, error)
            if problem is None:
                raise
            raise problem from error

    checked.__declared__ = True  # type: ignore[attr-defined]
    return checked


def _in_its_own_words(
    error: BadInput, function: Callable[..., Any], args: Any, kwargs: Any
) -> GIndexLabError:
    """A class that checks its own fields may say more about a value than that it is out of range."""
    if function.__name__ == "__init__":
        try:
            function(*args, **kwargs)
        except GIndexLabError as own:
            return own if own.argument == error.argument and own.code != BadInput.code else error
        except Exception:  # noqa: BLE001 - the value is refused anyway
            return error
    return error


def declared_class(kind: type) -> type:
    """The same class, with a door before its `__init__` and its public methods."""
    ours = [one for one in kind.__mro__ if one.__module__.startswith("gindex_lab")]
    for one, name in [(owner, attribute) for owner in ours for attribute in list(vars(owner))]:
        if name != "__init__" and name.startswith("_"):
            continue
        made = vars(one)[name]
        wrapper = type(made) if isinstance(made, (classmethod, staticmethod)) else None
        plain: Any = made.__func__ if wrapper else made
        if _needs_a_door(plain):
            setattr(one, name, wrapper(declared(plain)) if wrapper else declared(plain))
    return kind


def _needs_a_door(value: Any) -> bool:
    plain = inspect.isfunction(value) and not hasattr(value, "__declared__")
    return plain and not inspect.isgeneratorfunction(inspect.unwrap(value))


def hold(module: types.ModuleType, name: str) -> Any:
    """A public name of a module behind its door; put back so that it is one object everywhere."""
    value = getattr(module, name)
    if not str(getattr(value, "__module__", "")).startswith("gindex_lab"):
        return value
    if inspect.isclass(value) and not issubclass(value, BaseException):
        return declared_class(value)
    if _needs_a_door(value):
        value = declared(value)
        setattr(module, name, value)
    return value
