"""Reading the tidy form (`responses.csv`, `items.csv`, `agents.csv`) of a registered data set.

The folder must be what the register says: the right size, every item and agent described, the
difficulties there. Columns that only summarise the responses are left out, so that a correction
cannot make them false.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.files import header_of, read_table
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.studies.data.registry import Entry

__all__ = ["correct", "read_tidy"]


def read_tidy(
    what: Entry,
    folder: Path,
    amend: Callable[[pd.DataFrame], pd.DataFrame],
    facts: dict[str, Any],
) -> Responses | Scores:
    """The data set in a folder, with its difficulties, families and provenance."""
    frame = _responses(what, folder)
    items = _described(folder, "items", "item", frame.columns)
    agents = _described(folder, "agents", what.key, frame.index)
    items = items.drop(columns=[c for c in what.derived if c in items])
    if what.family:
        items["family"] = _column(folder, items, what.family)
    difficulty = _column(folder, items, what.difficulty) if what.difficulty else None
    kind = Responses if what.kind == "Responses" else Scores
    facts = facts | {"trials": _trials(what, folder, frame)}
    return kind(amend(frame), difficulty=difficulty, items=items, agents=agents, **facts)


def _trials(what: Entry, folder: Path, frame: pd.DataFrame) -> pd.DataFrame | None:
    """The repeated runs behind the frame, which holds their means."""
    if what.trial is None:
        return None
    runs = _table(folder, "runs", "agent")
    absent = [c for c in ("agent", "item", "response", what.trial) if c not in runs]
    if absent:
        problem = f"has no column {absent[0]!r}"
        raise BadInput(f"{folder.name}/runs.csv", str(folder), problem, "one row a run")
    runs[["agent", "item"]] = runs[["agent", "item"]].astype(str)
    means = runs.groupby(["agent", "item"])["response"].mean().unstack()
    means = means.reindex(index=frame.index, columns=frame.columns)
    if not np.allclose(means, frame, atol=1e-9, equal_nan=True):
        problem = "does not have the responses as its means"
        raise BadInput(f"{folder.name}/runs.csv", str(folder), problem, "restore both files")
    return runs.rename(columns={what.trial: "trial"})


def correct(what: Entry, frame: pd.DataFrame, fixed: bool) -> pd.DataFrame:
    """The frame with its known errors corrected, or as the source has them, whichever it held."""
    frame = frame.copy()
    for fix in what.corrections:
        for cell in fix["cells"]:
            at = cell["agent"], fix["item"]
            value = float(frame.loc[at])
            if value not in (cell["source"], cell["corrected"]):
                raise BadInput(
                    f"{what.name}[{at[0]!r}, {at[1]!r}]",
                    value,
                    f"is neither the source's {cell['source']} nor the corrected "
                    f"{cell['corrected']}",
                    "restore the published table, or load yours with gl.Scores.read(folder)",
                )
            frame.loc[at] = cell["corrected"] if fixed else cell["source"]
    return frame


def _responses(what: Entry, folder: Path) -> pd.DataFrame:
    table = _table(folder, "responses", what.key)
    if what.key not in table:
        raise BadInput(
            f"{folder.name}/responses.csv",
            str(folder),
            f"has no column {what.key!r}",
            "name the agents in that column, then one column an item",
        )
    labels = [c for c in ("row", "agent") if c in table and c != what.key]
    frame = table.drop(columns=labels).set_index(what.key).rename_axis(None)
    expected = (what.agents, what.items)
    if not what.own_table and frame.shape != expected:
        raise BadInput(
            folder.name,
            str(folder),
            f"holds {frame.shape[0]} x {frame.shape[1]} responses, the published table "
            f"{expected[0]} x {expected[1]}",
            "restore it, or load your own table with gl.Responses.read(folder)",
        )
    return frame


def _described(folder: Path, part: str, key: str, labels: pd.Index) -> pd.DataFrame:
    """What `items.csv` or `agents.csv` knows of exactly these labels."""
    table = _table(folder, part, key)
    if key not in table:
        key = table.columns[0]
    table = table.set_index(key).rename_axis(None)
    for extra, problem in (
        (labels.difference(table.index), "does not describe"),
        (table.index.difference(labels), "describes something else than the responses:"),
    ):
        if len(extra):
            raise BadInput(
                f"{folder.name}/{part}.csv",
                str(folder),
                f"{problem} {extra[0]!r}",
                "make it match responses.csv",
            )
    return table


def _table(folder: Path, part: str, key: str) -> pd.DataFrame:
    """One CSV of the folder; its labels are text, but a `row` is a number."""
    path = folder / f"{part}.csv"
    if not path.is_file():
        raise BadInput(
            folder.name,
            str(folder),
            f"has no {part}.csv",
            "a data set needs responses.csv, items.csv and agents.csv",
        )
    labels: list[str | int] = [key] if key in header_of(path) else [0]
    return read_table(path, () if key == "row" else labels)


def _column(folder: Path, items: pd.DataFrame, name: str) -> Any:
    if name not in items:
        raise BadInput(
            f"{folder.name}/items.csv",
            str(folder),
            f"has no column {name!r}",
            f"add it; its columns are {list(items.columns)}",
        )
    return items[name]
