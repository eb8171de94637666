"""Expressions of the drawing language: read, reduced and written, within fixed bounds.

The arguments of a node are LISP expressions such as `(* r (sin (/ pi 180)))`. They are pure arithmetic:
no definition, no recursion, no text. Every intermediate result must be a finite number of at most 10⁹ in
size, so that no expression can take long or grow large.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from gindex_lab.foundation.errors import BadProgram

__all__ = [
    "Expression",
    "Symbol",
    "Text",
    "from_json",
    "read_expressions",
    "reduce",
    "to_json",
    "to_lisp",
]

LARGEST = 1e9
DEEPEST = 50
_TOKEN = re.compile(r'\s*(;[^\n]*|[()]|"[^"\n]*"|[^\s()";]+)')
_NUMBER = re.compile(r"[+-]?(\d++\.?\d*+|\.\d++)([eE][+-]?\d++)?")


class Symbol(str):
    """A name in an expression."""

    __slots__ = ()


class Text(str):
    """A quoted word, as of an include."""

    __slots__ = ()


Expression = int | float | bool | Symbol | Text | tuple[Any, ...]


class Found(NamedTuple):
    """An expression and the line it starts on."""

    value: Expression
    line: int


# --- reading ----------------------------------------------------------------------------------------


def read_expressions(text: str, line: int = 1) -> list[Found]:
    """All expressions of a text, in order, each with its line; `;` starts a comment.

    >>> read_expressions("12 (* r 2.5) true")[1]
    Found(value=('*', 'r', 2.5), line=1)
    """
    open_lists: list[tuple[list[Expression], int]] = []
    found: list[Found] = []
    last = line
    for token, at in _tokens(text, line):
        last = at
        if token == "(":
            if len(open_lists) == DEEPEST:
                problem = f"[too-deep] brackets are nested more than {DEEPEST} deep"
                raise BadProgram(f"line {at}", "(", problem, "name the parts as flows")
            open_lists.append(([], at))
            continue
        if token == ")":
            if not open_lists:
                raise BadProgram(
                    f"line {at}", ")", "[no-opening-bracket] has no opening bracket", "remove it"
                )
            parts, start = open_lists.pop()
            value: Expression = tuple(parts)
        else:
            value, start = _atom(token, at), at
        if open_lists:
            open_lists[-1][0].append(value)
        else:
            found.append(Found(value, start))
    if open_lists:
        start = open_lists[-1][1]
        raise BadProgram(
            f"line {start}", "(", f"[never-closed] is never closed (read to line {last})", "add ')'"
        )
    return found


def _tokens(text: str, line: int) -> Iterator[tuple[str, int]]:
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            problem = "cannot be read"
            raise BadProgram(f"line {line}", text[at : at + 20], problem, "close the quote")
        line += text.count("\n", at, match.start(1))
        if match[1][0] != ";":
            yield match[1], line
        at = match.end()


def _atom(token: str, line: int) -> Expression:
    if token in ("true", "false"):
        return token == "true"
    if token.startswith('"'):
        return Text(token[1:-1])
    if not _NUMBER.fullmatch(token):
        return Symbol(token)
    value: int | float = float(token) if re.search(r"[.eE]", token) else _whole(token)
    if not abs(value) <= LARGEST:
        problem = f"[too-large] is larger than {LARGEST:g}"
        raise BadProgram(f"line {line}", token, problem, "use a smaller number")
    return value


def _whole(token: str) -> int:
    return int(token) if len(token) < 20 else 10**20  # too large in any case


# --- arithmetic -------------------------------------------------------------------------------------

Number = int | float | bool


def _divide(a: float, b: float) -> float:
    return a / b


_OPERATIONS: dict[str, tuple[int, int, Callable[..., Any]]] = {
    # name: fewest and most arguments, what it does (angles of sin, cos, tan in radians)
    "+": (1, 64, lambda *x: sum(x)),
    "-": (1, 64, lambda a, *x: a - sum(x) if x else -a),
    "*": (1, 64, lambda *x: math.prod(x)),
    "/": (2, 2, _divide),
    "%": (2, 2, lambda a, b: a % b),
    "abs": (1, 1, abs),
    "min": (1, 64, min),
    "max": (1, 64, max),
    "round": (1, 1, round),
    "floor": (1, 1, math.floor),
    "sqrt": (1, 1, math.sqrt),
    "sin": (1, 1, math.sin),
    "cos": (1, 1, math.cos),
    "tan": (1, 1, math.tan),
    "not": (1, 1, lambda a: not a),
    "<": (2, 2, lambda a, b: a < b),
    "=": (2, 2, lambda a, b: a == b),
    "if": (3, 3, lambda condition, then, other: then if condition else other),
}
CONSTANTS = {"pi": math.pi}


def reduce(expression: Expression, names: Mapping[str, Expression]) -> Expression:
    """The value of an expression; what depends on a name bound to itself or another name stays open.

    >>> double, later = (found.value for found in read_expressions("(* r 2) (+ i (+ 1 1))"))
    >>> reduce(double, {"r": 21}), reduce(later, {"i": Symbol("i")})
    (42, ('+', 'i', 2))
    """
    if isinstance(expression, Symbol):
        if expression in names:
            return names[expression]
        if expression in CONSTANTS:
            return CONSTANTS[expression]
        known = ", ".join(sorted({*names, *CONSTANTS})[:12])
        raise BadProgram(
            "name", str(expression), "[unknown-name] is not known here", f"known are {known}"
        )
    if not isinstance(expression, tuple):
        return expression
    if not expression or not isinstance(expression[0], Symbol):
        problem = "[unknown-operation] does not start with an operation"
        raise BadProgram("expression", to_lisp(expression), problem, "write (+ 1 2)")
    name, *rest = expression
    if name not in _OPERATIONS:
        remedy = "use " + " ".join(_OPERATIONS)
        raise BadProgram("operation", str(name), "[unknown-operation] is not known", remedy)
    fewest, most, _ = _OPERATIONS[name]
    if not fewest <= len(rest) <= most:
        wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
        problem = f"[wrong-arguments] has {len(rest)} arguments where {name} takes {wanted}"
        raise BadProgram("expression", to_lisp(expression), problem, "fix it")
    values = [reduce(part, names) for part in rest]
    if any(isinstance(value, (Symbol, tuple)) for value in values):
        return (Symbol(name), *values)
    return _apply(name, values)


def _apply(name: str, values: list[Any]) -> Number:
    said = to_lisp((Symbol(name), *values))
    if any(isinstance(value, Text) for value in values):
        raise BadProgram("expression", said, "[not-a-number] calculates with text", "use numbers")
    try:
        value: Number = _OPERATIONS[name][2](*values)
    except (ZeroDivisionError, ValueError, OverflowError) as error:
        raise BadProgram(
            "expression", said, f"[no-value] has no value ({error})", "fix it"
        ) from None
    if not abs(value) <= LARGEST:  # catches NaN too
        raise BadProgram(
            "expression", said, f"[out-of-range] leaves ±{LARGEST:g}", "use smaller numbers"
        )
    return value


# --- writing ----------------------------------------------------------------------------------------


def to_lisp(expression: Expression) -> str:
    """An expression as text that reads back as itself.

    >>> to_lisp((Symbol("*"), Symbol("r"), 2.5, True))
    '(* r 2.5 true)'
    """
    if isinstance(expression, tuple):
        return "(" + " ".join(map(to_lisp, expression)) + ")"
    if isinstance(expression, bool):
        return "true" if expression else "false"
    if isinstance(expression, Text):
        return f'"{expression}"'
    return str(expression) if isinstance(expression, Symbol) else repr(expression)


def to_json(expression: Expression) -> Any:
    """An expression as JSON: names as strings, calls as lists."""
    if isinstance(expression, tuple):
        return [to_json(part) for part in expression]
    return str(expression) if isinstance(expression, Symbol) else expression


def from_json(value: object, where: str, depth: int = 0) -> Expression:
    """An expression from JSON.

    >>> from_json(["*", "r", 2], "here")
    ('*', 'r', 2)
    """
    if depth > DEEPEST:
        raise BadProgram(where, "[", f"is nested more than {DEEPEST} deep", "name the parts")
    if isinstance(value, list):
        return tuple(from_json(part, where, depth + 1) for part in value)
    if isinstance(value, str):
        if not re.fullmatch(r'[^\s()";]+', value) or _NUMBER.fullmatch(value):
            raise BadProgram(where, value, "is not a name", "write numbers without quotes")
        return Symbol(value)
    if isinstance(value, bool):
        return value
    if not isinstance(value, (int, float)) or not abs(value) <= LARGEST:
        problem = f"is not a number up to {LARGEST:g}, a name or a list"
        raise BadProgram(where, value, problem, "fix it")
    return value
