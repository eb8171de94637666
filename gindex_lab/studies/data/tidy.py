"""Reading a registered data set: the tidy form (`responses.csv`, `items.csv`, `agents.csv`), and documents.

The folder must be what the register says: of the right size, with every item and agent described and the
difficulties present. Columns that only summarise the responses are left out, so that a correction cannot make
them false. Documents are programs by domain, experiments, and the tables behind the AIQ paper.
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
from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.files import header_of, read_table
from gindex_lab.foundation.inputs import parse_json, read_text
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.studies.data.registry import RegisterEntry

__all__ = ["Tidy", "correct", "document_files", "read_documents", "read_tidy"]


@dataclass(frozen=True)
class Tidy:
    """The tidy form: `responses` (agents x items), what is known of `items` and of `agents`, `runs`
    (one row a run) where cells were run more than once, and `counts`: sums over the personal columns
    that are left behind, which say nothing about any one person."""

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
    what: RegisterEntry, folder: Path, amend: Callable[[pd.DataFrame], pd.DataFrame], facts: dict[str, Any]
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
    runs, place = _table(folder, "runs", "agent"), f"{folder.name}/runs.csv"
    for column in ("agent", "item", "response", what.trial):
        ensure(column in runs, place, str(folder), f"has no column {column!r}", "give one row per run")
    runs[["agent", "item"]] = runs[["agent", "item"]].astype(str)
    means = runs.groupby(["agent", "item"])["response"].mean().unstack()
    means = means.reindex(index=frame.index, columns=frame.columns)
    same, problem = np.allclose(means, frame, atol=1e-9, equal_nan=True), "does not average to the responses"
    ensure(same, place, str(folder), f"[other-trials] {problem}", "restore both files")
    return runs.rename(columns={what.trial: "trial"})


def correct(what: RegisterEntry, frame: pd.DataFrame, fixed: bool) -> pd.DataFrame:
    """The frame with its known errors corrected, or as the source has them, whichever it held."""
    frame = frame.copy()
    for fix in what.corrections:
        for cell in fix["cells"]:
            at = cell["agent"], fix["item"]
            value, known = float(frame.loc[at]), (cell["source"], cell["corrected"])
            problem = f"[other-value] is neither the source's {known[0]} nor the corrected {known[1]}"
            remedy = "restore the published table, or load yours with gl.Scores.read(folder)"
            ensure(value in known, f"{what.name}[{at[0]!r}, {at[1]!r}]", value, problem, remedy)
            frame.loc[at] = known[fixed]
    return frame


def _responses(what: RegisterEntry, folder: Path) -> pd.DataFrame:
    table = _table(folder, "responses", what.key)
    problem = f"[no-column] has no column {what.key!r}"
    remedy = "name the agents in that column, then one column per item"
    ensure(what.key in table, f"{folder.name}/responses.csv", str(folder), problem, remedy)
    labels = [c for c in ("row", "agent") if c in table and c != what.key]
    frame = table.drop(columns=labels).set_index(what.key).rename_axis(None)
    (rows, columns), expected = frame.shape, (what.agents, what.items)
    held, published = f"{rows} x {columns}", f"{expected[0]} x {expected[1]}"
    problem = f"[wrong-shape] holds {held} responses, the published table {published}"
    remedy = "restore it, or load your own table with gl.Responses.read(folder)"
    ensure(what.own_table or frame.shape == expected, folder.name, str(folder), problem, remedy)
    return frame


def _described(folder: Path, part: str, key: str, labels: pd.Index) -> pd.DataFrame:
    """What `items.csv` or `agents.csv` knows of exactly these labels."""
    table = _table(folder, part, key)
    table = table.set_index(key if key in table else table.columns[0]).rename_axis(None)
    odd = labels.symmetric_difference(table.index)
    if len(odd):
        problem = "does not describe" if odd[0] in labels else "describes, besides the responses,"
        name, remedy = f"{folder.name}/{part}.csv", "make it match responses.csv"
        raise BadInput(name, str(folder), f"[not-described] {problem} {odd[0]!r}", remedy)
    return table


def _table(folder: Path, part: str, key: str) -> pd.DataFrame:
    """One CSV of the folder; its labels are text, but a `row` is a number."""
    path, remedy = folder / f"{part}.csv", "a data set needs responses.csv, items.csv and agents.csv"
    ensure(path.is_file(), folder.name, str(folder), f"[no-file] has no {part}.csv", remedy)
    labels: list[str | int] = [key] if key in header_of(path) else [0]
    return read_table(path, () if key == "row" else labels)


def _column(folder: Path, items: pd.DataFrame, name: str) -> Any:
    problem, remedy = f"[no-column] has no column {name!r}", f"add it; its columns are {list(items.columns)}"
    ensure(name in items, f"{folder.name}/items.csv", str(folder), problem, remedy)
    return items[name]


def document_files(kind: str, folder: Path) -> list[Path]:
    """The files of a folder of documents, in order: programs stand one level down, by domain."""
    pattern = {"flows": "*/*.json", "experiments": "*.json", "tables": "*.csv"}[kind]
    return sorted(folder.glob(pattern))


def read_documents(kind: str, folder: Path, **facts: str) -> Documents:
    """Programs (`kind="flows"`), experiments or tables below a folder."""
    files = document_files(kind, folder)
    ensure(files, folder.name, str(folder), f"[no-document] holds no {kind}", "put the files there, as named")
    content: dict[str, Any] = {}
    for path in files:
        name = f"{path.parent.name}/{path.name}"
        text = read_text(path, argument=name)
        if kind == "flows":
            content.setdefault(path.parent.name, {})[path.name] = _json(text, name, path)
        else:
            content[path.stem] = (_json if kind == "experiments" else _aiq_table)(text, name, path)
    return Documents(content, **facts)


def _json(text: str, name: str, path: Path) -> Any:
    try:
        return parse_json(text, name, str(path))
    except BadInput:  # nested too deeply
        raise
    except ValueError as error:
        problem = f"[not-json] is not JSON ({error})"
        raise BadInput(name, str(path), problem, "fetch it again, or fix it") from None


def _aiq_table(text: str, name: str, path: Path) -> pd.DataFrame:
    """One of the author's tables: headers repeat, and titles and sections have rows of their own."""
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(text.splitlines(keepends=True))]
    except csv.Error as error:
        raise BadInput(name, str(path), f"is not a CSV ({error})", "save it as UTF-8") from None
    rows = [row for row in rows if any(row)]
    ensure(rows, name, str(path), "[empty] is empty", "copy the author's table again")
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
