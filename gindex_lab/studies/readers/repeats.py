"""A second response of an agent to an item: a repeated trial, or something that only looks like one?

Trials are proposed only where samples really repeat. Runs with other settings are other agents, ids that
start again in every file or subject are other items, and the error says which of these it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.studies.readers.text import bad_file

__all__ = ["Twice", "first_twice", "repeated", "second_response"]


class Twice(NamedTuple):
    """Where the same agent meets the same item again: how often, and what is known of both rows."""

    more: int
    cell: str  # for people: 'gpt' on 'arc/1'
    files: tuple[str, str]
    settings: tuple[Mapping[str, str], Mapping[str, str]]
    same_text: bool
    apart: tuple[str, ...] = ()  # columns of the table by which the repeated rows differ


def repeated(cell: np.ndarray, trial: np.ndarray, trials: int, cells: int) -> np.ndarray | None:
    """The key of each row if some rows have the same one, else None; without trials by counting only.

    >>> repeated(np.array([0, 1, 1]), np.array([-1, -1, -1]), 0, 2)
    array([0, 1, 1])
    >>> repeated(np.array([0, 1, 1]), np.array([0, 0, 1]), 2, 2) is None
    True
    """
    key = cell if not trials else cell * (trials + 1) + trial + 1
    size = cells * (trials + 1)
    if size <= 4 * len(key) + 1_000_000:  # counting is faster where the counts are few
        unique = len(key) <= size and int(np.bincount(key, minlength=size).max(initial=0)) <= 1
    else:
        unique = pd.Index(key).is_unique
    return None if unique else key


def first_twice(key: np.ndarray) -> tuple[int, int, int]:
    """How many rows repeat an earlier one, the first of them, and the row that it repeats.

    >>> first_twice(np.array([5, 7, 9, 7]))
    (1, 3, 1)
    """
    twice = pd.Series(key).duplicated().to_numpy()
    at = int(twice.argmax())
    return int(twice.sum()), at, int((key == key[at]).argmax())


def second_response(path: str, found: Twice) -> BadInput:
    """The error, with the remedy that fits.

    >>> found = Twice(2, "'gpt' on '1'", ("a.json", "b.json"), ({"solver": "x"}, {"solver": "y"}), True)
    >>> print(second_response("logs", found).remedy)
    keep the runs apart with agent_from='solver' (--agent-from solver), or leave files out with exclude
    """
    first, second = found.files
    where = f", in {first} and in {second}" if first != second else ""
    again = f"has {found.more} more responses of an agent to an item it has already ({found.cell}{where})"
    return bad_file(path, f"[repeats] {again}", _remedy(found))


def _remedy(found: Twice) -> str:
    trials = "repeats='trials' (averaged, and kept as trials), 'first' or 'last' (--repeats)"
    differ = [k for k in found.settings[0] if found.settings[0].get(k) != found.settings[1].get(k)]
    if not found.same_text:
        return (
            "these are different items with the same id, since their texts differ: name the column that "
            "tells them apart (columns={'family': ...}), or read the files one by one"
        )
    if len(found.apart) > 1:
        shown = " and ".join(map(repr, found.apart))
        return (
            f"the rows differ by {shown}: add these to the name of the agent or of the item in the table, "
            f"keep one setting of each, or else {trials}"
        )
    for column in found.apart:
        return (
            f"the rows differ by {column!r}: say what it is, columns={{'family': {column!r}}} or "
            f"columns={{'trial': {column!r}}} (--columns), or else {trials}"
        )
    for setting in differ:
        apart = f"keep the runs apart with agent_from={setting!r} (--agent-from {setting})"
        return f"{apart}, or leave files out with exclude"
    if found.files[0] != found.files[1]:
        return (
            f"if the same run was repeated, pass {trials}; if the files are of different agents, "
            "agent_from='file' or 'folder' (--agent-from)"
        )
    return f"drop them, or say what they are: {trials}"
