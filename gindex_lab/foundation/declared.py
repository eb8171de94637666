"""Every public call goes through a door: its numbers, flags and words are what the function declares.

A public function declares its parameters once: the type in its signature (`ci: float | None`), the range in
the table of `constraints`. Numbers, lists of numbers, flags and `Literal` words are looked at before a call.
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

from gindex_lab.foundation.complaints import (
    LISTS,
    MAPPINGS,
    NUMBERS,
    complaint,
    hints_of,
    members_of,
    not_a_seed,
    refuse_nested,
)
from gindex_lab.foundation.constraints import Range, range_of
from gindex_lab.foundation.errors import BadInput, GIndexLabError
from gindex_lab.foundation.validate import LARGEST, choice, flag, integer, number, pair

__all__ = ["Parameter", "declared", "declared_class", "hold", "parameters_of"]

P = ParamSpec("P")
R = TypeVar("R")

_LOOKED_AT = 100_000  # elements of a list; an array is looked at whole


@dataclass(frozen=True)
class Parameter:
    """What a parameter may be, from its hint and its range; `check` refuses what it may not.

    >>> Parameter.of("ci", float | None, Range(0, 1, "()")).check(1)
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: ci=1: is out of range; use a number between 0 and 1, ends excluded
    """

    name: str
    allowed: Range | None  # of its numbers; None where there are none
    kinds: frozenset[Any]  # int, float, bool, str, type(None): what it may be, alone or in a list
    words: tuple[str, ...]  # of a Literal
    alone: bool  # one number
    listed: bool  # a list of numbers, or a mapping to them
    open: bool  # or something else, which is not looked at
    flag: bool  # True or False

    @classmethod
    def of(cls, name: str, hint: Any, allowed: Range | None) -> Parameter:
        """The parameter of this hint; numbers keep to the range also where the hint allows anything."""
        plain = [one for one in members_of(hint) if not _inside(one)]
        inside = [kind for one in members_of(hint) for kind in _flat(one)]
        kinds = frozenset(_SIMPLE[kind] for kind in (*plain, *inside) if _is_simple(kind))
        words = tuple(w for kind in (*plain, *inside) for w in _words(kind))
        anything = not all(_is_simple(kind) or _words(kind) for kind in (*plain, *inside))
        numeric = float in kinds or int in kinds
        return cls(
            name,
            allowed if numeric or (anything and not kinds & {bool, str}) else None,
            kinds,
            words,
            anything or any(kind in (int, float, Fraction) for kind in plain),
            bool(inside) and numeric,
            anything,
            bool in plain,
        )

    @property
    def checked(self) -> bool:
        """Whether there is anything to look at."""
        ranged = self.allowed is not None and not (self.allowed.free or self.allowed.inside)
        numeric = self.name == "seed" or not self.open or bool(self.kinds & {int, float})
        return (ranged and numeric) or bool(self.words) or (self.flag and not self.open)

    def taken(self, value: Any) -> Any:
        """The value as the function gets it: an int8 would overflow inside, and `range(2.0)` is an error."""
        if isinstance(value, (np.integer, np.floating)):
            value = int(value) if isinstance(value, np.integer) else float(value)
        self.check(value)
        if (int in self.kinds and float not in self.kinds) or self.name == "seed":
            if isinstance(value, float) and value.is_integer():
                return int(value)
            if self.listed and type(value) in (list, tuple):
                whole = (isinstance(x, float) and x.is_integer() for x in value)
                return type(value)(int(x) if w else x for x, w in zip(value, whole, strict=True))
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
            self._look_into(name, value)
        elif not self.open and (self.alone or not self.listed) and not self._is_text(value):
            self._refuse(name, value)

    def _is_text(self, value: object) -> bool:
        return isinstance(value, str) and str in self.kinds

    def _check_number(self, name: str, value: Any) -> None:
        allowed = typing.cast(Range, self.allowed)
        if float not in self.kinds and int in self.kinds:
            integer(name, value, int(max(allowed.low, -LARGEST)), int(min(allowed.high, LARGEST)))
        elif (
            value if isinstance(value, Fraction) else number(name, value, allowed.low, allowed.high)
        ) not in allowed:
            remedy = f"use a number {allowed}"
            raise BadInput(name, value, "[out-of-range] is out of range", remedy)

    def _look_into(self, name: str, value: Any) -> None:
        """The same for each element of a list, or value of a mapping."""
        one = replace(self, listed=True, alone=True) if not self.alone else self
        if isinstance(value, Mapping):
            for key, element in value.items():
                one.check(element, f"{name}[{key!r}]")
            return
        if isinstance(value, (range, np.ndarray, pd.Series, pd.Index)):
            value = _ends(value)
        for place, element in itertools.islice(enumerate(value), _LOOKED_AT):
            one.check(element, f"{name}[{place}]")

    def _refuse(self, name: str, value: object) -> None:
        """The error of the check that fits what was expected."""
        if self.words:
            choice(name, value, self.words)
        if self.allowed is None:
            flag(name, value)
        self._check_number(name, value)


_FLAGS = (bool, np.bool_)
_LISTED = (list, tuple, set, frozenset, range, Mapping, np.ndarray, pd.Series, pd.Index)
_SIMPLE = {int: int, float: float, Fraction: float, bool: bool, str: str, type(None): type(None)}


def _is_simple(kind: Any) -> bool:
    return isinstance(kind, type) and kind in _SIMPLE


def _words(kind: Any) -> tuple[str, ...]:
    return typing.get_args(kind) if typing.get_origin(kind) is typing.Literal else ()


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


def _ends(values: Any) -> list[Any]:
    """The least and the largest of many numbers (NaN where there is one): all are in a range if those are."""
    if not len(values):
        return []
    if isinstance(values, range):
        return [values[0], values[-1]]
    flat = np.asarray(values).ravel()
    return [flat.min(), flat.max()] if flat.dtype.kind in "iuf" and flat.size else []


def _check_seed(name: str, value: Any, anything: bool) -> None:
    number_ = isinstance(value, NUMBERS) and not isinstance(value, bool)
    if number_ and not (value >= 0 and value == value // 1 and value < 2**1000):
        raise not_a_seed(name, value)
    if not number_ and (not anything or isinstance(value, _FLAGS)):
        raise not_a_seed(name, value)


def _in_its_own_words(
    error: BadInput, function: Callable[..., Any], args: Any, kwargs: Any
) -> GIndexLabError:
    """A class that looks at its own fields may say more about a value than that it is out of range."""
    if function.__name__ == "__init__":
        try:
            function(*args, **kwargs)
        except GIndexLabError as own:
            return own if own.argument == error.argument else error
        except Exception:  # noqa: BLE001 - the value is refused anyway
            return error
    return error


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
                if isinstance(value, (list, tuple, dict)):
                    refuse_nested(name, value)
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


def declared_class(kind: type) -> type:
    """The same class, held to the signatures of its `__init__` and of its public methods."""
    ours = [one for one in kind.__mro__ if one.__module__.startswith("gindex_lab")]
    for one, name in [(owner, attribute) for owner in ours for attribute in list(vars(owner))]:
        if name != "__init__" and name.startswith("_"):
            continue
        made = vars(one)[name]
        wrapper = type(made) if isinstance(made, (classmethod, staticmethod)) else None
        plain: Any = made.__func__ if wrapper else made
        if not inspect.isfunction(plain) or hasattr(plain, "__declared__"):
            continue
        if not inspect.isgeneratorfunction(inspect.unwrap(plain)):
            setattr(one, name, wrapper(declared(plain)) if wrapper else declared(plain))
    return kind


def hold(module: types.ModuleType, name: str) -> Any:
    """A public name of a module, its failures explained; put back so that it is one object everywhere."""
    value = getattr(module, name)
    ours = str(getattr(value, "__module__", "")).startswith("gindex_lab")
    if not ours or hasattr(value, "__declared__"):
        return value
    if inspect.isclass(value) and not issubclass(value, BaseException):
        return declared_class(value)
    if inspect.isfunction(value) and not inspect.isgeneratorfunction(inspect.unwrap(value)):
        value = declared(value)
        setattr(module, name, value)
    return value
