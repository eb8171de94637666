"""What tests of items share: tables of right and wrong, agents in groups, and results that say a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import ResponsesLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.measures.psychometrics.irt_settings import check_binary, table_of

__all__ = ["Told", "binary_table", "group_labels", "two_sides"]


class Told:
    """A result with a `sentence` and a `table`, which `str()` and a notebook show together."""

    sentence: Any
    table: Any

    def __str__(self) -> str:
        return f"{self.sentence}\n\n{self.table.round(3).to_string()}"

    def _repr_html_(self) -> str:
        import html

        return f"<p>{html.escape(self.sentence)}</p>{self.table.round(3).to_html()}"


def binary_table(responses: ResponsesLike) -> pd.DataFrame:
    """The numbers of a table of 0 and 1 (or missing); a response between them is refused, not cut."""
    frame = table_of(responses)
    check_binary(frame, "round the responses first (frame.round()), and say so")
    return frame


def group_labels(responses: ResponsesLike, group: Any, agents: pd.Index, fewest: int) -> pd.Series:
    """The group of each agent, from labels in order, by agent (Series, dict), or a column of `.agents`;
    at least two groups, each of at least `fewest` agents.
    """
    if isinstance(group, str):
        columns = responses.agents.columns if isinstance(responses, Responses) else pd.Index([])
        problem = "[unknown-label] does not match any column of responses.agents"
        ensure(group in columns, "group", group, problem, "pass a column's name, or one label for each agent")
        group = responses.agents[group]  # type: ignore[union-attr]
    if isinstance(group, Mapping):
        group = pd.Series(group, dtype=object)
    if isinstance(group, pd.Series):
        known = group.index.is_unique and agents.isin(group.index).all()
        problem = "[unknown-label] does not have exactly one entry for each agent"
        ensure(known, "group", len(group), problem, "index it by agent")
        labels = group.reindex(agents)
    else:
        listed = isinstance(group, (list, tuple, np.ndarray, pd.Index, pd.Categorical))
        remedy = "pass one label for each agent"
        ensure(listed, "group", group, "[wrong-type] is not a list of labels", remedy)
        count = sum(pd.api.types.is_hashable(x) for x in group)
        problem = f"[wrong-length] does not have one label for each of the {len(agents)} agents"
        ensure(count == len(group) == len(agents), "group", count, problem, "give one for each")
        labels = pd.Series(list(group), index=agents)
    ensure(labels.notna().all(), "group", None, "[missing] is missing for some agent", "drop these agents")
    counts = labels.value_counts()
    few = "[too-few] is one group only"
    ensure(len(counts) > 1, "group", list(counts.index), few, "compare two or more")
    problem = f"[too-few] has {counts.min()} agents, too few to compare"
    ensure(counts.min() >= fewest, "group", counts.idxmin(), problem, f"give each group at least {fewest}")
    return labels


def two_sides(labels: pd.Series, focal: object, fewest: int) -> tuple[object, object]:
    """The reference and the focal group; the smaller is the focal one unless it is named."""
    counts = labels.value_counts()
    names, least = list(counts.index), counts.min()
    problem = f"[wrong-length] has {len(counts)} groups where two are compared"
    ensure(len(counts) == 2, "group", names, problem, "compare two at a time")
    problem, remedy = f"[too-few] has {least} agents without a gap", f"give each group at least {fewest}"
    ensure(least >= fewest, "group", counts.idxmin(), problem, remedy)
    if focal is None:
        return names[0], names[1]
    known_label = pd.api.types.is_hashable(focal) and focal in names
    ensure(known_label, "focal", focal, "[unknown-label] is not a group", f"use one of {names}")
    return names[names.index(focal) - 1], focal
