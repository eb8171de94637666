"""Saving what can be saved of a program text that is not JSON.

A language model may stop in the middle of a node, forget a brace or quote. The paper scores such a
program by the "reduced or incomplete DAG" (Section 2.4.4) that remains. Here that means: every complete
object with an id and a type, wherever it stands in the text, found in time proportional to its length.
"""

from __future__ import annotations

import json
import re
from typing import Any

from gindex_lab.foundation.errors import BadProgram
from gindex_lab.measures.programs.flows import Flow

__all__ = ["complete_nodes"]

_START_OF_OBJECT = re.compile(r'\{\s*"')
_EFFORT = 5  # characters that may be looked at, per character of the text
_ATTEMPT = 500  # what an attempt that fails costs, in characters
_WINDOW = 20_000


def complete_nodes(text: str, largest: int) -> tuple[list[dict[str, Any]], list[str]]:
    """The complete nodes of a text, and a note on each stretch that was lost.

    >>> nodes, lost = complete_nodes('[{"id": "a", "type": "t"}, {"id": "b", "type": }]', 100)
    >>> [node["id"] for node in nodes], lost
    (['a'], ['Expecting value at character 47'])
    """
    decoder, left = json.JSONDecoder(), _EFFORT * len(text) + 1_000_000
    found: dict[str, dict[str, Any]] = {}
    lost: list[str] = []
    start = _START_OF_OBJECT.search(text)
    while start:
        value, at, cost, problem = _decode(decoder, text, start.start())
        left -= cost
        if left < 0:
            lost.append(f"gave up at character {start.start()}: too many broken objects")
            break
        for node in _nodes_in(value, lost):
            found[node["id"]] = node
        if problem and len(lost) < largest:
            lost.append(problem)
        if len(found) > largest:
            raise BadProgram(
                "text", len(found), f"holds more than {largest} nodes", "raise largest="
            )
        start = _START_OF_OBJECT.search(text, at)
    return list(found.values()), lost


def _decode(decoder: json.JSONDecoder, text: str, start: int) -> tuple[Any, int, int, str]:
    """The object that starts here, where to go on, the effort it took, and what went wrong.

    A failed attempt counts the lines before it in what it was given: so it is given little at first.
    """
    window = text[start : start + _WINDOW]
    try:
        try:
            value, end = decoder.raw_decode(window)
        except json.JSONDecodeError as error:
            cut_short = error.pos >= len(window) - 1 or "Unterminated" in error.msg
            if len(window) < _WINDOW or not cut_short:
                raise
            value, end = decoder.raw_decode(text[start:])
        return value, start + end, end, ""
    except json.JSONDecodeError as error:
        problem = f"{error.msg} at character {start + error.pos}"
        return None, start + 1, _ATTEMPT + error.pos, problem
    except (RecursionError, ValueError) as error:
        return None, start + 1, 10 * _ATTEMPT, f"{type(error).__name__} at character {start}"


def _nodes_in(value: Any, lost: list[str]) -> list[dict[str, Any]]:
    """The value as a node, or the nodes of the flow that it wraps, without the invalid ones."""
    if value is None:
        return []
    wrapped = value.get("flow")
    candidates = wrapped if isinstance(wrapped, list) else [value]
    nodes = []
    for node in candidates:
        try:
            Flow([node])
        except BadProgram as problem:
            lost.append(problem.problem)
        else:
            nodes.append(node)
    return nodes
