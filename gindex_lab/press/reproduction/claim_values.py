"""What a paper printed, as something a computed value can be held against.

A printed number stands for all numbers that round to it: "0.31" is anything within half a unit of its
last digit, 0.305 to 0.315 (within one unit where the authors truncate). "9.86, 0.39" is two numbers,
"> 45" a bound, "classif.lda(9)" a text, and "yes" or "qualitative" a statement that holds or does not.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from gindex_lab.foundation.errors import BadInput
from gindex_lab.press.tables import number_words

__all__ = ["KINDS", "Printed", "Value", "agrees", "checked", "printed_numbers", "shown", "told"]

Value = bool | str | float | list[float]

KINDS = ("number", "numbers", "bound", "text", "statement")
_NUMBER = re.compile(r"(?<![\w.])[-+−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)


@dataclass(frozen=True)
class Printed:
    """A number as printed: its value and the size of one unit of its last digit."""

    value: float
    unit: float


def printed_numbers(text: str) -> list[Printed]:
    """Every number in a text, with the unit of its last printed digit.

    >>> printed_numbers("9.86, -0.4 and 15")
    [Printed(value=9.86, unit=0.01), Printed(value=-0.4, unit=0.1), Printed(value=15.0, unit=1.0)]
    >>> printed_numbers("p = 6.2e-11")[0].unit
    1e-12
    """
    return [_printed(token.replace("−", "-")) for token in _NUMBER.findall(text)]


def _printed(token: str) -> Printed:
    mantissa, _, exponent = token.lower().partition("e")
    digits = len(mantissa.partition(".")[2])
    return Printed(float(token), float(f"1e{int(exponent or 0) - digits}"))


def checked(claim_id: str, kind: str, expected: str, value: object) -> Value:
    """The value as it is recorded, or `BadInput` when it cannot be held against the print.

    >>> checked("N001", "number", "16.32", 16.3221)
    16.3221
    >>> checked("N001", "number", "16.32", "16.32")
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: value='16.32': claim N001 is a number ('16.32'); pass a number
    """
    if kind == "statement":
        if type(value).__name__ not in ("bool", "bool_"):
            _refuse(claim_id, value, "a statement that holds or not", "pass True or False")
        return bool(value)
    if kind == "text":
        if not isinstance(value, str):
            _refuse(claim_id, value, f"a text ({expected!r})", "pass a string")
        return str(value)
    if kind == "numbers":
        return _several(claim_id, expected, value)
    return _finite(claim_id, f"a {kind} ({expected!r})", value)


def _several(claim_id: str, expected: str, value: Any) -> list[float]:
    wanted = len(printed_numbers(expected))
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        _refuse(claim_id, value, f"{wanted} numbers ({expected!r})", f"pass a list of {wanted}")
    values = list(value)
    if len(values) != wanted:
        _refuse(claim_id, value, f"{wanted} numbers ({expected!r})", f"pass {wanted} numbers")
    return [_finite(claim_id, f"{wanted} numbers ({expected!r})", v) for v in values]


def _finite(claim_id: str, what: str, value: Any) -> float:
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
        _refuse(claim_id, value, what, "pass a number")
    try:
        number = float(value)
    except (TypeError, ValueError):
        _refuse(claim_id, value, what, "pass a number")
    if not math.isfinite(number):
        _refuse(claim_id, value, what, "find out why it is not finite before recording it")
    return number


def _refuse(claim_id: str, value: object, what: str, remedy: str) -> NoReturn:
    raise BadInput("value", value, f"[wrong-type] claim {claim_id} is {what}", remedy)


def agrees(kind: str, expected: str, value: Value, *, truncated: bool = False, error: float = 0.0) -> bool:
    """Whether a computed value is what was printed, to the printed digits.

    A value that was sampled may be off by twice its standard `error` as well.

    >>> agrees("number", "0.31", 0.3149), agrees("number", "0.31", 0.3151)
    (True, False)
    >>> agrees("number", "0.123", 0.12391, truncated=True)
    True
    >>> agrees("number", "22", 22.53), agrees("number", "22", 22.53, error=0.26)
    (False, True)
    >>> agrees("bound", "> 45", 51.2), agrees("text", "m", "M"), agrees("statement", "yes", True)
    (True, True, True)
    """
    if kind == "statement":
        return value is True
    if kind == "text":
        return str(value).casefold().split() == expected.casefold().split()
    if kind == "bound":
        return _within_bound(expected, value)
    values = value if isinstance(value, list) else [value]
    printed = printed_numbers(expected)
    return all(_rounds(p, float(v), truncated, error) for p, v in zip(printed, values, strict=True))


def _rounds(printed: Printed, value: float, truncated: bool, error: float) -> bool:
    # The slack is for ties: 47.875 is printed as 47.87 by one C library and 47.88 by another.
    tolerance = printed.unit * (1.0 if truncated else 0.5) + 2 * error
    return abs(value - printed.value) <= tolerance * (1 + 1e-9) + 1e-12 * abs(printed.value)


def _within_bound(expected: str, value: Value) -> bool:
    sign, limit = expected.split()
    compare = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}[sign]
    return bool(compare(value, float(limit)))


def shown(value: Value | None) -> str:
    """A recorded value for a page or a line: seven significant digits, words for truth.

    >>> shown([9.8600001, 0.39]), shown(True), shown(None)
    ('9.86, 0.39', 'holds', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "holds" if value else "does not hold"
    if isinstance(value, str):
        return value
    values: Sequence[float] = value if isinstance(value, list) else [value]
    return ", ".join(f"{v:.7g}" for v in values)


def told(value: Value | None, printed: str = "") -> str:
    """A recorded value for a page, to two decimals more than the print has.

    >>> told(76.233333, "76%"), told([9.862847, -0.3893742], "9.86, 0.39"), told(6.9e-17, "0")
    ('76.23', '9.8628, −0.3894', '6.9 × 10⁻¹⁷')
    """
    if value is None or isinstance(value, (bool, str)):
        return shown(value)
    values: Sequence[float] = value if isinstance(value, list) else [value]
    decimals = max((len(part) for part in re.findall(r"\d\.(\d+)", printed)), default=0) + 2
    return ", ".join(number_words(v, 0 if v == round(v) else decimals).replace(",", "") for v in values)
