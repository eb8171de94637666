"""Documents that hold a table or a log: YAML, and lists or mappings of objects in JSON."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from gindex_lab.foundation.bounds import current, too_large
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.inputs import read_bytes
from gindex_lab.studies.readers.names import is_model, is_question
from gindex_lab.studies.readers.text import encoding_of, json_lines, load_json, wrong_encoding

__all__ = ["load_yaml", "records_frame", "records_of"]


def load_yaml(path: Path, encoding: str | None = None) -> Any:
    """A YAML document of plain values; one whose references unfold to too much is refused."""
    import yaml

    try:
        text = read_bytes(path).decode(encoding_of(path, encoding))
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        _check_levels(yaml.parse(text, loader), path)  # first: a deep one would end Python itself
        found = yaml.load(text, loader)
    except BadInput:
        raise
    except UnicodeError as error:
        raise wrong_encoding(path, error) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        problem = f"is not YAML ({' '.join(str(error).split())[:200]})"
        raise BadInput("path", str(path), problem, "fix the file", code="not-yaml") from None
    if _unfolded(found, {}, 0) > current().cells:
        problem = "unfolds to too many values (its references repeat one another)"
        raise too_large("path", str(path), problem, "cells", current().cells * 10)
    return found


def _check_levels(events: Iterable[Any], path: Path) -> None:
    level, most = 0, current().depth
    for event in events:
        name = type(event).__name__
        level += name.endswith("StartEvent") - name.endswith("EndEvent")
        if level > most + 2:  # a stream and a document are around all
            problem = f"is nested more than {most:.0f} levels deep"
            raise too_large("path", str(path), problem, "depth", 2 * most)


def _unfolded(found: Any, known: dict[int, float], depth: int) -> float:
    """How many values a document has with every reference written out; infinite for one in itself."""
    if not isinstance(found, (dict, list)):
        return 1
    if id(found) in known or depth > current().depth:
        return known.get(id(found), float("inf"))
    known[id(found)] = float("inf")
    inside = found.values() if isinstance(found, dict) else found
    known[id(found)] = 1 + sum(_unfolded(one, known, depth + 1) for one in inside)
    return known[id(found)]


def records_of(found: Any) -> list[dict[str, Any]] | None:
    """The rows of a table in JSON or YAML: a list of mappings, or a mapping of names to mappings (of models,
    or of items where these are numbered like questions, or what stands inside is called like models).

    >>> records_of({"gpt": {"arc": 0.9}, "llama": {"arc": 0.4}})
    [{'model': 'gpt', 'arc': 0.9}, {'model': 'llama', 'arc': 0.4}]
    >>> records_of({"version": 1}) is None
    True
    """
    if isinstance(found, list):
        return found if found and all(isinstance(row, dict) for row in found) else None
    if not isinstance(found, dict) or not found:
        return None
    if all(isinstance(one, dict) for one in found.values()) and len(found) > 1:
        scored = all(
            any(isinstance(x, (int, float)) for x in one.values()) for one in found.values()
        )
        inside = [name for one in found.values() for name in one]
        turned = sum(map(is_model, inside)) * 2 > len(inside) and not any(map(is_model, found))
        turned |= all(map(is_question, found)) and not any(map(is_question, inside))
        label = "item" if turned else "model"
        return [{label: str(name)} | row for name, row in found.items()] if scored else None
    lists = [one for one in found.values() if isinstance(one, list) and records_of(one)]
    return lists[0] if len(lists) == 1 else None


def records_frame(path: Path, suffix: str, encoding: str | None) -> pd.DataFrame:
    """The table of such a document."""
    if suffix in (".jsonl", ".ndjson"):
        records: Any = [row for _, row in json_lines(path, [], encoding)]
    else:
        found = load_json(path, encoding) if suffix == ".json" else load_yaml(path, encoding)
        records = records_of(found)
    if not records:
        problem = "is not a table: neither a list of mappings nor a mapping of them"
        remedy = "write one mapping per model"
        raise BadInput("path", str(path), problem, remedy, code="not-a-table")
    return pd.json_normalize(records, max_level=2)
