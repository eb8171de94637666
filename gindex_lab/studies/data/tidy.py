"""Reading a registered data set: the tidy form (`responses.csv`, `items.csv`, `agents.csv`), and documents.

The folder must be what the register says: the right size, every item and agent described, the
difficulties there. Columns that only summarise the responses are left out, so that a correction
cannot make them false. Documents are programs by domain, experiments, and the tables behind the AIQ paper.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.documents import Documents
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.files import header_of, read_table
from gindex_lab.foundation.inputs import parse_json, read_text
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.studies.data.registry import RegisterEntry

__all__ = ["Tidy", "correct", "document_files", "read_documents", "read_tidy"]


@dataclass(frozen=True)
class Tidy:
    """The tidy form: `responses` (agents x items), what is known of `items` and of `agents`, `runs`
    (one row a run) where cells were run more than once, and `counts`: sums over the personal columns
    that are left behind, which say nothing of any one person."""

    responses: pd.DataFrame
    items: pd.DataFrame
    agents: pd.DataFrame
    runs: pd.DataFrame | None = None
    counts: pd.Series | None = None

    def write(self, folder: Path) -> None:
        """Write `responses.csv`, `items.csv`, `agents.csv`, and `runs.csv` and `counts.csv` if any."""
        key = self.agents.index.name or "agent"
        self.responses.rename_axis(key).to_csv(folder / "responses.csv")
        self.items.rename_axis("item").to_csv(folder / "items.csv")
        self.agents.rename_axis(key).to_csv(folder / "agents.csv")
        if self.runs is not None:
            self.runs.to_csv(folder / "runs.csv", index=False)
        if self.counts is not None:
            self.counts.rename("count").rename_axis("quantity").to_csv(folder / "counts.csv")


def read_tidy(
    what: RegisterEntry,
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


def _trials(what: RegisterEntry, folder: Path, frame: pd.DataFrame) -> pd.DataFrame | None:
    """The repeated runs behind the frame, which holds their means."""
    if what.trial is None:
        return None
    runs = _table(folder, "runs", "agent")
    absent = [c for c in ("agent", "item", "response", what.trial) if c not in runs]
    if absent:
        problem = f"has no column {absent[0]!r}"
        raise BadInput(f"{folder.name}/runs.csv", str(folder), problem, "give one row per run")
    runs[["agent", "item"]] = runs[["agent", "item"]].astype(str)
    means = runs.groupby(["agent", "item"])["response"].mean().unstack()
    means = means.reindex(index=frame.index, columns=frame.columns)
    if not np.allclose(means, frame, atol=1e-9, equal_nan=True):
        problem = "[other-trials] does not average to the responses"
        raise BadInput(f"{folder.name}/runs.csv", str(folder), problem, "restore both files")
    return runs.rename(columns={what.trial: "trial"})


def correct(what: RegisterEntry, frame: pd.DataFrame, fixed: bool) -> pd.DataFrame:
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
                    f"[other-value] is neither the source's {cell['source']} nor the corrected "
                    f"{cell['corrected']}",
                    "restore the published table, or load yours with gl.Scores.read(folder)",
                )
            frame.loc[at] = cell["corrected"] if fixed else cell["source"]
    return frame


def _responses(what: RegisterEntry, folder: Path) -> pd.DataFrame:
    table = _table(folder, "responses", what.key)
    if what.key not in table:
        problem = f"[no-column] has no column {what.key!r}"
        remedy = "name the agents in that column, then one column per item"
        raise BadInput(f"{folder.name}/responses.csv", str(folder), problem, remedy)
    labels = [c for c in ("row", "agent") if c in table and c != what.key]
    frame = table.drop(columns=labels).set_index(what.key).rename_axis(None)
    expected = (what.agents, what.items)
    if not what.own_table and frame.shape != expected:
        raise BadInput(
            folder.name,
            str(folder),
            f"[wrong-shape] holds {frame.shape[0]} x {frame.shape[1]} responses, the published table "
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
        (labels.difference(table.index), "[not-described] does not describe"),
        (
            table.index.difference(labels),
            "[not-described] describes something else than the responses:",
        ),
    ):
        if len(extra):
            problem, remedy = f"{problem} {extra[0]!r}", "make it match responses.csv"
            raise BadInput(f"{folder.name}/{part}.csv", str(folder), problem, remedy)
    return table


def _table(folder: Path, part: str, key: str) -> pd.DataFrame:
    """One CSV of the folder; its labels are text, but a `row` is a number."""
    path = folder / f"{part}.csv"
    if not path.is_file():
        remedy = "a data set needs responses.csv, items.csv and agents.csv"
        raise BadInput(folder.name, str(folder), f"[no-file] has no {part}.csv", remedy)
    labels: list[str | int] = [key] if key in header_of(path) else [0]
    return read_table(path, () if key == "row" else labels)


def _column(folder: Path, items: pd.DataFrame, name: str) -> Any:
    if name not in items:
        remedy = f"add it; its columns are {list(items.columns)}"
        raise BadInput(
            f"{folder.name}/items.csv", str(folder), f"[no-column] has no column {name!r}", remedy
        )
    return items[name]


def document_files(kind: str, folder: Path) -> list[Path]:
    """The files of a folder of documents, in order: programs stand one level down, by domain."""
    pattern = {"flows": "*/*.json", "experiments": "*.json", "tables": "*.csv"}[kind]
    return sorted(folder.glob(pattern))


def read_documents(kind: str, folder: Path, **facts: str) -> Documents:
    """Programs (`kind="flows"`), experiments or tables below a folder."""
    files = document_files(kind, folder)
    if not files:
        problem = f"[no-document] holds no {kind}"
        raise BadInput(folder.name, str(folder), problem, "put the files there, as named")
    content: dict[str, Any] = {}
    for path in files:
        if kind == "flows":
            content.setdefault(path.parent.name, {})[path.name] = _json(path)
        else:
            content[path.stem] = _json(path) if kind == "experiments" else _aiq_table(path)
    return Documents(content, **facts)


def _short_name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def _json(path: Path) -> Any:
    try:
        return parse_json(read_text(path, argument=_short_name(path)), _short_name(path), str(path))
    except BadInput:
        raise
    except ValueError as error:
        problem = f"[not-json] is not JSON ({error})"
        raise BadInput(_short_name(path), str(path), problem, "fetch it again, or fix it") from None


def _aiq_table(path: Path) -> pd.DataFrame:
    """One of the author's tables: headers repeat, titles and sections stand in rows of their own."""
    try:
        lines = read_text(path, argument=_short_name(path)).splitlines(keepends=True)
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines)]
    except csv.Error as error:
        problem = f"is not a CSV ({error})"
        raise BadInput(_short_name(path), str(path), problem, "save it as UTF-8") from None
    rows = [row for row in rows if any(row)]
    if not rows:
        raise BadInput(
            _short_name(path), str(path), "[empty] is empty", "copy the author's table again"
        )
    table = _settings(rows) if rows[0][-1] == "AGNT+AGNTconf" else _sections(rows)
    return table.apply(_numeric_if_all)


def _settings(rows: list[list[str]]) -> pd.DataFrame:
    """Scores of agents: the last header stands for the agent and all its parameters."""
    width = len(rows[0]) - 1
    split = [[*row[:width], row[width], ",".join(row[width + 1 :])] for row in rows[1:]]
    return pd.DataFrame(split, columns=[*rows[0][:width], "agent", "configuration"])


def _sections(rows: list[list[str]]) -> pd.DataFrame:
    """Counts and tests: a row with one cell is the title of those below it."""
    section, header, body = "", list[str](), []
    for row in rows:
        filled = [cell for cell in row if cell]
        if len(filled) == 1:
            section = f"{section} {row[0]}" if row[0].startswith("(") else row[0]
        elif not header or row[: len(header)] == header:
            header = filled
        else:
            body.append([section, *row[: len(header)]])
    return pd.DataFrame(body, columns=["section", *header])


def _numeric_if_all(column: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(column, errors="coerce")
    return column if numbers.isna().any() else numbers
