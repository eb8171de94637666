"""Answers as people type them, and whether they agree with a number.

`typed("1/(1+3)")` reads a number or a small expression with a parser of its own (Python evaluates nothing).
How close an answer must be follows from its own digits: 1.8 agrees with 1.7995, and so does 1.80, but 1.79
does not. `web/exercises.js` has the same rules for the browser; a test holds the two against each other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import NamedTuple

__all__ = ["LONGEST", "Typed", "agreement", "typed"]

LONGEST = 100  # characters of an answer
COARSE = 0.03  # of the right number: half a unit of the last digit may not be more
_FREE = 1e-4  # of the right number: nobody need type more digits than that
_COMPUTED = 5e-4  # of the right number: what an expression may miss it by
_NUMBER = r"(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?"
_TOKEN = re.compile(rf"\s*({_NUMBER}|[A-Za-z]+[0-9]*|\*\*|[-+*/^()%√π])\s*")
_PLAIN = re.compile(rf"([-+]?)({_NUMBER})\s*(%?)")
_SIGNS = str.maketrans({"−": "-", "·": "*", "×": "*", "÷": "/"})
_CONSTANTS = {"pi": math.pi, "π": math.pi, "e": math.e}
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "exp": math.exp, "ln": math.log, "log2": math.log2, "log10": math.log10, "sqrt": math.sqrt,
    "abs": abs, "√": math.sqrt,
}  # fmt: skip


class Typed(NamedTuple):
    """A number, and half a unit of the last digit that was typed (None for an expression)."""

    value: float
    half: float | None


def typed(given: object, percent: bool = False) -> Typed | None:
    """What an answer means, or None. With `percent` the question asks for percent: 40 and 40 % are the same.

    >>> [typed(x).value for x in ("1/(1+3)", "25 %", "0,25", "-2^2", "sqrt(4)", 2)]
    [0.25, 0.25, 0.25, -4.0, 2.0, 2.0]
    >>> typed("1.80").half, typed("exp(0.6)").half, typed("a lot"), typed("1/0")
    (0.005, None, None, None)
    """
    text = (repr(float(given)) if isinstance(given, float) else str(given)).translate(_SIGNS).strip()
    if len(text) > LONGEST:
        return None
    if percent and text.endswith("%"):
        text = text[:-1].rstrip()
    try:
        value = _parse(text)
    except (ValueError, OverflowError, ZeroDivisionError, IndexError):
        return None
    plain = _PLAIN.fullmatch(text)
    return Typed(value, _half_unit(plain[2], plain[3]) if plain else None)


def _half_unit(number: str, percent: str) -> float:
    digits, _, power = number.lower().partition("e")
    decimals = len(re.split("[.,]", digits + ".")[1])
    return 0.5 * 10.0 ** (int(power or 0) - decimals - 2 * bool(percent))


def agreement(answer: Typed, truth: float) -> str:
    """`yes`, `coarse` (it agrees, but has too few digits), `cut` (cut off instead of rounded), or `no`.

    >>> [agreement(typed(x), 3.3798) for x in ("3.4", "3.38", "3.38000", "3", "3.3", "3.5")]
    ['yes', 'yes', 'yes', 'coarse', 'cut', 'no']
    """
    away, size = abs(answer.value - truth), abs(truth)
    if away <= 1e-9 * max(1.0, size):
        return "yes"
    if answer.half is None:
        return "yes" if away <= _COMPUTED * size else "no"
    if away <= max(answer.half * (1 + 1e-9), _FREE * size):
        return "yes" if answer.half <= COARSE * size or away <= _FREE * size else "coarse"
    short = abs(answer.value) < size and answer.value * truth > 0
    return "cut" if short and away < 2 * answer.half <= 2 * COARSE * size else "no"


def _parse(text: str) -> float:
    """Sums of products of powers, with parentheses, a few functions and a percent sign."""
    tokens: list[str] = []
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if not match:
            raise ValueError(text)
        tokens.append(match[1])
        place = match.end()
    tokens.append("")  # the end
    at = 0

    def take(*wanted: str) -> str:
        nonlocal at
        if wanted and tokens[at] not in wanted:
            return ""
        at += 1
        return tokens[at - 1]

    def total() -> float:
        value = product()
        while sign := take("+", "-"):
            value = finite(value + product() if sign == "+" else value - product())
        return value

    def product() -> float:
        value = signed()
        while sign := take("*", "/"):
            value = finite(value * signed() if sign == "*" else value / signed())
        return value

    def signed() -> float:
        sign = take("+", "-")
        return -signed() if sign == "-" else signed() if sign else power()

    def power() -> float:
        value = single()
        while take("%"):
            value /= 100
        return finite(math.pow(value, signed())) if take("^", "**") else value

    def single() -> float:
        token = take()
        if token == "(":
            value = total()
            if not take(")"):
                raise ValueError(text)
            return value
        if token in _CONSTANTS:
            return _CONSTANTS[token]
        if token in _FUNCTIONS and (token == "√" or tokens[at] == "("):
            return finite(_FUNCTIONS[token](single()))
        if not re.fullmatch(_NUMBER, token):
            raise ValueError(text)
        return finite(float(token.replace(",", ".")))

    value = total()
    if tokens[at] != "":
        raise ValueError(text)
    return value


def finite(value: float) -> float:
    """The value; what is too large is not an answer."""
    if not math.isfinite(value):
        raise OverflowError(value)
    return value
