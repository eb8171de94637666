"""The beginning of a JSON document as Python objects: enough to see what wrote it, however long it is.

A document that is cut off, by us or by a stopped run, is closed where its last whole value ends.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from gindex_lab.studies.readers.text import beginning, encoding_of

__all__ = ["glimpse_of", "json_glimpse"]

_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*+"?|[][{},]', re.DOTALL)  # an open string ends the text
_CLOSES = {"{": "}", "[": "]"}


def json_glimpse(path: Path, size: int = 2_000_000, encoding: str | None = None) -> Any:
    """What the first bytes of a JSON document hold; None where they are not JSON at all."""
    text = beginning(path, size).decode(encoding_of(path, encoding), errors="ignore")
    return glimpse_of(text.lstrip("\ufeff"))


def glimpse_of(text: str) -> Any:
    """The same of a text.

    >>> glimpse_of('{"results": {"arc": {"acc": 0.5}, "gsm8k": {"em')
    {'results': {'arc': {'acc': 0.5}, 'gsm8k': {}}}
    >>> glimpse_of('[{"task_id": 3, "reward": 1.0}, {"task_id": 4, "rew')
    [{'task_id': 3, 'reward': 1.0}, {'task_id': 4}]
    """
    try:
        return json.loads(text)
    except RecursionError:
        return None
    except ValueError as error:
        broken = getattr(error, "pos", 0)
    try:
        return json.loads(_closed(text[:broken]))
    except (ValueError, RecursionError):
        return None


def _closed(text: str) -> str:
    """A beginning of JSON, cut after its last whole value and closed."""
    inside: list[str] = []
    kept = 0
    for match in _TOKENS.finditer(text):
        token = match[0]
        if token in "{[":
            inside.append(_CLOSES[token])
            kept = match.end()
        elif token in "}]" and inside:
            inside.pop()
            kept = match.end()
        elif token == ",":
            kept = match.start()
    return text[:kept] + "".join(reversed(inside))
