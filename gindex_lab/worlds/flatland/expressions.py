"""Expressions of the drawing language: read, reduced and written, within fixed bounds.

The arguments of a node are LISP expressions such as `(* r (sin (/ pi 180)))`. They are pure arithmetic:
no definition, no recursion, no text. Every intermediate result must be a finite number of at most 10⁹ in
size, so that no expression can take long or grow large.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from gindex_lab.foundation.errors import BadProgram

__all__ = ["Expression", "Symbol", "Text", "from_json", "read_expressions", "reduce", "require", "to_lisp"]

# judgements: beyond anything that a drawing needs, and small enough for exact whole numbers
LARGEST = 1e9  # of any number
DEEPEST = 50  # brackets within brackets
_TOKEN = re.compile(r'\s*(;[^\n]*|[()]|"[^"\n]*"|[^\s()";]+)')
_NUMBER = re.compile(r"[+-]?(\d++\.?\d*+|\.\d++)([eE][+-]?\d++)?")


class Symbol(str):
    """A name in an expression."""

    __slots__ = ()


class Text(str):
    """A quoted word, as of an include."""

    __slots__ = ()


Expression = int | float | bool | Symbol | Text | tuple[Any, ...]


def require(holds: object, where: str, value: object, problem: str, remedy: str) -> None:
    """Refuse a program unless something holds of it."""
    if not holds:
        raise BadProgram(where, value, problem, remedy)


class Found(NamedTuple):
    """An expression and the line it starts on."""

    value: Expression
    line: int


def read_expressions(text: str, line: int = 1) -> list[Found]:
    """All expressions of a text, in order, each with its line; `;` starts a comment."""
    lists: list[tuple[list[Any], int]] = [([], line)]  # those that are open, the text itself first
    for token, at in _tokens(text, line):
        if token == "(":
            problem = f"[too-deep] brackets are nested more than {DEEPEST} deep"
            require(len(lists) <= DEEPEST, f"line {at}", "(", problem, "name the parts as flows")
            lists.append(([], at))
            continue
        if token == ")":
            problem = "[no-opening-bracket] has no opening bracket"
            require(len(lists) > 1, f"line {at}", ")", problem, "remove it")
            parts, start = lists.pop()
            value: Expression = tuple(parts)
        else:
            value, start = _atom(token, at), at
        lists[-1][0].append(value if len(lists) > 1 else Found(value, start))
    require(len(lists) == 1, f"line {lists[-1][1]}", "(", "[never-closed] is never closed", "add ')'")
    return lists[0][0]


def _tokens(text: str, line: int) -> Iterator[tuple[str, int]]:
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            raise BadProgram(f"line {line}", text[at : at + 20], "cannot be read", "close the quote")
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
    whole = not re.search(r"[.eE]", token) and len(token) < 20  # a longer one is too large in any case
    value = int(token) if whole else float(token)
    problem = f"[too-large] is larger than {LARGEST:g}"
    require(abs(value) <= LARGEST, f"line {line}", token, problem, "use a smaller number")
    return value


# name: fewest and most arguments, what it does (angles of sin, cos, tan in radians)
_OPERATIONS: dict[str, tuple[int, int, Callable[..., Any]]] = {
    "+": (1, 64, lambda *x: sum(x)),
    "-": (1, 64, lambda a, *x: a - sum(x) if x else -a),
    "*": (1, 64, lambda *x: math.prod(x)),
    "/": (2, 2, operator.truediv),
    "%": (2, 2, operator.mod),
    "abs": (1, 1, abs),
    "min": (1, 64, min),
    "max": (1, 64, max),
    "round": (1, 1, round),
    "floor": (1, 1, math.floor),
    "sqrt": (1, 1, math.sqrt),
    "sin": (1, 1, math.sin),
    "cos": (1, 1, math.cos),
    "tan": (1, 1, math.tan),
    "not": (1, 1, operator.not_),
    "<": (2, 2, operator.lt),
    "=": (2, 2, operator.eq),
    "if": (3, 3, lambda condition, then, other: then if condition else other),
}
CONSTANTS = {"pi": math.pi}


def reduce(expression: Expression, names: Mapping[str, Expression]) -> Expression:
    """The value of an expression; what depends on a name bound to itself or another name stays open."""
    if isinstance(expression, Symbol):
        if expression in names:
            return names[expression]
        if expression in CONSTANTS:
            return CONSTANTS[expression]
        known = ", ".join(sorted({*names, *CONSTANTS})[:12])
        raise BadProgram("name", str(expression), "[unknown-name] is not known here", f"known are {known}")
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


def _apply(name: str, values: list[Any]) -> int | float | bool:
    said = to_lisp((Symbol(name), *values))
    text = any(isinstance(value, Text) for value in values)
    require(not text, "expression", said, "[not-a-number] calculates with text", "use numbers")
    try:
        value: int | float | bool = _OPERATIONS[name][2](*values)
    except (ZeroDivisionError, ValueError, OverflowError) as error:
        raise BadProgram("expression", said, f"[no-value] has no value ({error})", "fix it") from None
    problem = f"[out-of-range] leaves ±{LARGEST:g}"
    require(abs(value) <= LARGEST, "expression", said, problem, "use smaller numbers")  # and is not NaN
    return value


def to_lisp(expression: Expression) -> str:
    """An expression as text that reads back as itself."""
    if isinstance(expression, tuple):
        return "(" + " ".join(map(to_lisp, expression)) + ")"
    if isinstance(expression, bool):
        return "true" if expression else "false"
    if isinstance(expression, Text):
        return f'"{expression}"'
    return str(expression) if isinstance(expression, Symbol) else repr(expression)


def from_json(value: Any, where: str, depth: int = 0) -> Expression:
    """An expression from JSON, where names are strings and calls are lists."""
    require(depth <= DEEPEST, where, "[", f"is nested more than {DEEPEST} deep", "name the parts")
    if isinstance(value, list):
        return tuple(from_json(part, where, depth + 1) for part in value)
    if isinstance(value, str):
        name = re.fullmatch(r'[^\s()";]+', value) and not _NUMBER.fullmatch(value)
        require(name, where, value, "is not a name", "write numbers without quotes")
        return Symbol(value)
    fits = isinstance(value, (bool, int, float)) and abs(value) <= LARGEST
    require(fits, where, value, f"is not a number up to {LARGEST:g}, a name or a list", "fix it")
    return value
