"""What a table is, by the names of its columns."""

from __future__ import annotations

from collections.abc import Sequence

from gindex_lab.studies.readers.names import column_of, families_are_items, lone_response
from gindex_lab.studies.readers.signatures import of_header
from gindex_lab.studies.readers.unnamed import has_items_only

__all__ = ["BENCHMARKS", "sniff_header"]

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
