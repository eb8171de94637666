"""What a table is by the names of its columns, and what a file of one unnamed model looks like."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gindex_lab.studies.readers.names import column_of, families_are_items, lone_response
from gindex_lab.studies.readers.signatures import of_header, values_of

__all__ = [
    "BENCHMARKS",
    "ITEMS",
    "RESPONSES",
    "TEXTS",
    "first_of",
    "has_items_only",
    "is_scores",
    "is_scores_by_model",
    "responses_in",
    "sniff_header",
]

BENCHMARKS = {
    *("arc", "hellaswag", "mmlu", "truthfulqa", "winogrande", "gsm8k"),
    *("ifeval", "bbh", "math lvl 5", "gpqa", "musr", "mmlu-pro"),
}


def sniff_header(header: Sequence[str]) -> str | None:
    """The format of a table, by the names of its columns.

    >>> sniff_header(["Model", "Average", "ARC", "GSM8K"]), sniff_header(["model", "pong", "go"])
    ('leaderboard', 'wide')
    """
    names = {name.strip().lower() for name in header}
    tool = of_header(names)
    if tool is not None:
        return tool
    if {"id", "item", "resp"} <= names:
        return "irw"
    response = column_of(header, "response") or lone_response(header)
    if response and all(column_of(header, kind) for kind in ("agent", "item")):
        return "long"
    if families_are_items(header):
        return "long"
    if not column_of(header, "agent") and has_items_only(header):
        return "per-model"
    if len(names & BENCHMARKS) >= 2 and (column_of(header, "agent") or "fullname" in names):
        return "leaderboard"
    return "wide" if len(header) > 1 else None


# -- files of one model that they do not name --------------------------------------------------------


_NAMES = """
item item_id question_id doc_id sample_id instance_id problem_id task_id example_id prompt_id test_id case_id
qid idx index uid key id
"""
_SCORES = """
response resp score correct is_correct accuracy acc pass passed success reward resolved is_resolved solved
"""
ITEMS, RESPONSES = tuple(_NAMES.split()), tuple(_SCORES.split())
LESS_SURE = ("hit", "results", "outcome")  # where there is none of these
TEXTS = ("question", "prompt", "problem", "instruction", "input", "query")


def has_items_only(header: Collection[str]) -> bool:
    """Whether rows have an item and a response.

    >>> has_items_only(["id", "prediction", "correct"]), has_items_only(["gpt", "llama"])
    (True, False)
    """
    names = {name.strip().lower() for name in header}
    asked = names & {*ITEMS, *TEXTS} or {name for name in names if name.rpartition(".")[-1] in TEXTS}
    return bool(asked) and len(responses_in(names)) == 1


def responses_in(names: Collection[str]) -> list[str]:
    """Those of some names that a response goes by; less sure ones where no other does."""
    exported = [name for name in names if re.match(r"(?i)(scores|feedback)\.", name)]
    sure, less = ([name for one in some for name in names if name.strip().lower() == one]
                  for some in (RESPONSES, LESS_SURE))  # fmt: skip
    return sure or exported or less


def is_scores(found: Any) -> bool:
    """Whether a document is an object of scores by item.

    >>> is_scores({"q1": 1, "q2": 0}), is_scores({"q1": {"correct": True}}), is_scores({"seed": 1234})
    (True, True, False)
    """
    some = list(found.values())[:100] if isinstance(found, dict) else []
    if some and all(isinstance(one, dict) for one in some):
        return all(isinstance(first_of(one, RESPONSES), bool) for one in some)
    return len(some) > 1 and all(isinstance(x, (bool, int, float)) and 0 <= x <= 1 for x in some)


def is_scores_by_model(found: Any) -> bool:
    """Whether a document is an object of models, each with scores of the same items.

    >>> is_scores_by_model({"gpt": {"q1": 1, "q2": 0}, "llama": {"q1": 0, "q2": 0}})
    True
    >>> is_scores_by_model({"train": {"seed": 1}, "test": {"seed": 2}})
    False
    """
    some = values_of(found)
    if len(some) < 2 or len(some[0]) < 2 or any(set(RESPONSES) & one.keys() for one in some):
        return False
    numbers = all(isinstance(x, (bool, int, float)) for one in some for x in one.values())
    return numbers and all(len(one.keys() & some[0].keys()) * 2 > len(some[0]) for one in some)


def first_of(row: Mapping[str, Any], names: Collection[str]) -> Any:
    """The value of the first of some names that a row has, whatever their case; None for none."""
    known = {str(name).strip().lower(): value for name, value in row.items()}
    return next((known[name] for name in names if name in known), None)
