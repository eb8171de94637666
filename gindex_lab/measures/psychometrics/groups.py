"""Right-or-wrong responses of agents that belong to groups: what DIF and multigroup models begin with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import ResponsesLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.measures.psychometrics.irt_settings import check_binary, table_of

__all__ = ["binary_table", "group_labels", "whole_rows"]


def binary_table(responses: ResponsesLike) -> pd.DataFrame:
    """The numbers of a table of 0 and 1 (or missing); a response between them is refused, not cut.

    >>> binary_table([[1, 0], [0, None]]).shape
    (2, 2)
    """
    frame = table_of(responses)
    check_binary(frame, "round the responses first (frame.round()), and say so")
    return frame


def group_labels(responses: ResponsesLike, group: Any, agents: pd.Index, fewest: int) -> pd.Series:
    """The group of each agent, from labels in order, by agent (Series, dict), or a column of `.agents`;
    at least two groups, each of at least `fewest` agents.

    >>> group_labels(None, {"ann": "new", "bob": "old"}, pd.Index(["bob", "ann"]), 1).tolist()
    ['old', 'new']
    """
    if isinstance(group, str):
        columns = responses.agents.columns if isinstance(responses, Responses) else pd.Index([])
        problem = "[unknown-label] does not match any column of responses.agents"
        remedy = "pass a column's name, or one label for each agent"
        ensure(group in columns, "group", group, problem, remedy)
        group = responses.agents[group]  # type: ignore[union-attr]
    if isinstance(group, Mapping):
        group = pd.Series(group, dtype=object)
    if isinstance(group, pd.Series):
        known = group.index.is_unique and agents.isin(group.index).all()
        problem = "[unknown-label] has no entry for some agent, or two"
        ensure(known, "group", len(group), problem, "index it by agent")
        labels = group.reindex(agents)
    else:
        listed = isinstance(group, (list, tuple, np.ndarray, pd.Index, pd.Categorical))
        remedy = "pass one label for each agent"
        ensure(listed, "group", group, "[wrong-type] is not a list of labels", remedy)
        labelled = [x for x in group if pd.api.types.is_hashable(x)]
        problem = f"[wrong-length] does not have one label for each of the {len(agents)} agents"
        ensure(
            len(labelled) == len(group) == len(agents),
            "group",
            len(labelled),
            problem,
            "match them",
        )
        labels = pd.Series(list(group), index=agents)
    ensure(
        labels.notna().all(),
        "group",
        None,
        "[missing] is missing for some agent",
        "drop these agents",
    )
    counts = labels.value_counts()
    few = "[too-few] is one group only"
    ensure(len(counts) > 1, "group", list(counts.index), few, "compare two or more")
    problem = f"[too-few] has {counts.min()} agents, too few to compare"
    remedy = f"give each group at least {fewest}"
    ensure(counts.min() >= fewest, "group", counts.idxmin(), problem, remedy)
    return labels


def whole_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """The agents that answered every item: sum scores compare no others."""
    return frame[frame.notna().all(axis=1)]
