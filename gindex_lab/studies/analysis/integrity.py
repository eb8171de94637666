"""Are the data in order? What goes wrong in logs, counted, with an example and a remedy for each.

Rows that occur twice, or contradict each other; ids that start again with every subject; one id for two
texts; samples without a score, or that ended in an error; items below what guessing gives, or that everybody
or nobody solves; repeated runs that flip; runs of one task with different settings. `kind` tells a
defect, which makes results wrong, from a note, which one should know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.guessing import floors_of
from gindex_lab.foundation.likes import PerItemLike
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import table_with
from gindex_lab.studies.analysis.audit import discoveries
from gindex_lab.studies.readers.names import ERRORS, SETTINGS, SUBJECTS, TEXTS
from gindex_lab.studies.readers.reading import read_rows

__all__ = ["CHECKS", "MOST_ROWS", "audit", "audit_study"]

REMEDIES = {
    "duplicated rows": "drop the copies; a second run needs a trial number of its own",
    "contradictory rows": "find out which row counts, or number them as trials (--repeats trials)",
    "ids restart per subject": "name the column as the family: columns={'family': ...}",
    "same id, different text": "give the versions different ids, or read the runs apart",
    "unscored samples": "score them, or report them: they count as missing, not as wrong",
    "errored samples": "run them again; until then they count as missing, not as wrong",
    "below-chance items": "check the key and how answers are extracted",
    "items everyone solves": "they tell no agents apart: replace them with harder ones",
    "items no one solves": "check the key; they tell no agents apart",
    "repeated runs flip": "average more runs, and use resample='trials' for what repeats would change",
    "mixed configurations": "compare runs of one configuration, or name the settings in the agent",
}
CHECKS = tuple(REMEDIES)
_OF_ITEMS, _OF_ROWS = CHECKS[6:9], CHECKS[:6] + CHECKS[-1:]  # what a check looks at
_NOTES = ("items everyone solves", "items no one solves", "repeated runs flip")
MOST_ROWS = 1_000_000  # responses up to which a report audits the rows of its log: seconds, and some 100 MB
Finding = tuple[str, int, int, str]  # what was found, how many, of how many, an example
_FINE = ("", "0", "false", "none", "nan", "ok", "success", "completed", "finished", "pass", "done")


def audit(data: object, floor: PerItemLike = None, *, level: float = 0.05, **reading: Any) -> pd.DataFrame:
    """What is wrong with the data, one row per finding.

    Parameters
    ----------
    data : a log or a folder of logs (what `gl.read` takes), a long table (DataFrame with `agent`, `item`,
        `response`, and where known `trial`, `family`, a text, an error, settings), or `gl.Responses`
    floor : what guessing gives, see `gl.analysis.floors_of`; by default what the log says
    level : false discovery rate of the items that are called below chance
    reading : options of `gl.read`

    Returns
    -------
    DataFrame indexed by finding: `kind` ("defect" or "note"), `count`, `of`, `example`, `remedy`. Empty where
    nothing was found. `.attrs["not_checked"]` names what these data cannot show, and why.

    Examples
    --------
    >>> rows = [("ann", "q1", 1), ("ann", "q2", 0), ("ann", "q2", 1), ("bob", "q1", 0), ("bob", "q2", 0)]
    >>> found = audit(pd.DataFrame(rows, columns=["agent", "item", "response"]))
    >>> found.loc["contradictory rows", ["kind", "example"]].tolist()
    ['defect', "'ann' on 'q2': 0 and 1"]
    """
    if isinstance(data, Scores):
        problem = "holds raw scores, which do not say what is right or wrong"
        raise BadInput("data", type(data).__name__, problem, "pass gl.Responses, a table or a path")
    if isinstance(data, Responses):
        return _audited(data, None, floor, level)
    rows = _rows(data, reading)
    return _audited(_table(rows), rows, floor, level)


def audit_study(data: Responses | Scores, floor: PerItemLike, rows: pd.DataFrame | None) -> pd.DataFrame:
    """The audit of a study that was read already, for a report: of the `rows` of its log (those of
    `read_rows`) if they were kept, and otherwise of the table.

    >>> found = audit_study(Scores([[5.0, 9.0], [3.0, 9.0]]), None, None)
    >>> found.attrs["not_checked"]["items everyone solves"]
    'raw scores: which of them are right is not known'
    """
    return _audited(data, None if rows is None else _described(rows.copy()), floor, 0.05)


def _audited(
    data: Responses | Scores, rows: pd.DataFrame | None, floor: PerItemLike, level: float
) -> pd.DataFrame:
    found: list[Finding] = []
    skipped: dict[str, str] = {}
    if rows is None:
        why = "a table of responses keeps neither rows, texts nor settings: pass the log itself"
        if data.frame.size > MOST_ROWS:
            why = f"more than {MOST_ROWS:,} responses: run gl.audit on the log itself"
        skipped = dict.fromkeys(_OF_ROWS, why)
        if isinstance(data, Responses) and data.trials is not None:
            rows = data.trials.assign(family="")
    if rows is not None:
        found += _of_rows(rows, skipped)
    if isinstance(data, Responses):
        found += _of_items(data, floor, level, skipped)
    else:
        skipped |= dict.fromkeys(_OF_ITEMS, "raw scores: which of them are right is not known")
    found.sort(key=lambda one: CHECKS.index(one[0]))
    table = pd.DataFrame(found, columns=["finding", "count", "of", "example"]).set_index("finding")
    table.insert(0, "kind", ["note" if name in _NOTES else "defect" for name in table.index])
    table["remedy"] = [REMEDIES[name] for name in table.index]
    table.attrs["not_checked"] = skipped
    return table


# -- rows ------------------------------------------------------------------------------------------------


def _rows(data: object, reading: Mapping[str, Any]) -> pd.DataFrame:
    """Rows with agent, family, item, response, trial, and where known text, errored, configuration."""
    if isinstance(data, (str, PathLike)):
        return _described(read_rows(data, **reading))
    if not isinstance(data, pd.DataFrame):
        problem = "is neither a path, a DataFrame nor gl.Responses"
        raise BadInput("data", type(data).__name__, problem, "pass one of them")
    remedy = "rename the columns to agent, item, response"
    rows = table_with("data", data, "agent", "item", "response", remedy=remedy).reset_index(drop=True).copy()
    if rows.empty:
        raise BadInput("data", data.shape, "has no rows", "pass at least one response")
    rows["response"] = pd.to_numeric(rows["response"], errors="coerce")
    return _described(rows)


def _described(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with `text`, `errored`, `configuration` and a family, from columns of the usual names."""
    names = {str(c).strip().lower(): c for c in rows.columns}
    text, error = (next((names[n] for n in usual if n in names), None) for usual in (TEXTS, ERRORS))
    settings = [names[s] for s in SETTINGS if s in names]
    if text is not None and "text" not in rows:
        rows["text"] = rows[text]
    if error is not None:
        rows["errored"] = ~_as_words(rows[error]).str.strip().str.lower().isin(_FINE)
    if settings and "configuration" not in rows:
        rows["configuration"] = rows[settings].apply(_as_words).agg(", ".join, axis=1)
    if "family" not in rows or (rows["family"] == "").all():
        rows["family"] = ""
        subject = _restarting(rows, [names[s] for s in SUBJECTS if s in names])
        if subject is not None:
            rows["family"], rows.attrs["restarts"] = rows[subject].astype(str), subject
    return rows


def _as_words(column: pd.Series) -> pd.Series:
    """A column as text, an empty cell as nothing."""
    return column.astype(object).fillna("").astype(str)


def _restarting(rows: pd.DataFrame, candidates: Sequence[str]) -> str | None:
    """A column with which rows are unique that are not without it: ids start again with each value."""
    key = ["agent", "item", *(["trial"] if "trial" in rows else [])]
    repeated = rows.duplicated(key).sum()
    for column in candidates:
        rest = rows.duplicated([*key, column]).sum()
        shared = rows.groupby("item")[column].nunique().gt(1).mean()
        if repeated and rest < repeated / 10 and shared > 0.5:
            return column
    return None


def _table(rows: pd.DataFrame) -> Responses:
    """Agents x items, repeated rows averaged; items named with their family."""
    family, item = rows["family"].astype(str), rows["item"].astype(str)
    rows = rows.assign(family=family, item=item.where(family == "", family + "/" + item))
    names = rows["item"].unique()
    frame = rows.pivot_table("response", "agent", "item", aggfunc="mean", sort=False, dropna=False)
    frame = frame.reindex(columns=names).rename_axis(None).rename_axis(None, axis=1)
    values = frame.to_numpy(dtype=float)
    low, high = (np.nanmin(values), np.nanmax(values)) if np.isfinite(values).any() else (0, 1)
    if low < 0 or high > 1:
        problem = f"has responses from {low:g} to {high:g}"
        raise BadInput("data", "response", problem, "rescale them to [0, 1] (scale=(low, high))")
    facts = [name for name in ("family", "choices", "floor") if name in rows]
    return Responses(frame, items=rows.groupby("item")[facts].first().reindex(names))


def _of_rows(rows: pd.DataFrame, skipped: dict[str, str]) -> Iterator[Finding]:
    key = ["agent", "family", "item", *(["trial"] if "trial" in rows else [])]
    again = rows[rows.duplicated(key, keep=False)]
    kinds = again.groupby(key, sort=False, dropna=False)["response"].agg(["nunique", "size"])
    same, other = kinds[kinds["nunique"] <= 1], kinds[kinds["nunique"] > 1]
    if len(same):
        count = int((same["size"] - 1).sum())
        yield ("duplicated rows", count, len(rows), _cell(same.index[0]))
    if len(other):
        values = again.set_index(key).loc[[other.index[0]], "response"].dropna().unique()
        shown = " and ".join(f"{v:g}" for v in sorted(values)[:3])
        example = f"{_cell(other.index[0])}: {shown}"
        yield ("contradictory rows", len(other), len(rows), example)
    if "restarts" in rows.attrs:
        column = rows.attrs["restarts"]
        per_item = rows.groupby("item")[column].nunique()
        example = f"id {per_item.idxmax()!r} stands under {per_item.max()} values of {column!r}"
        yield ("ids restart per subject", int(per_item.gt(1).sum()), len(per_item), example)
    errored = rows.get("errored", pd.Series(False, rows.index)).astype(bool)
    for name, bad in (
        ("unscored samples", rows[rows["response"].isna() & ~errored]),
        ("errored samples", rows[errored]),
    ):
        if len(bad):
            example = f"{bad['agent'].iloc[0]!r} on {bad['item'].iloc[0]!r}"
            yield (name, len(bad), len(rows), example)
    if "text" in rows:
        texts = rows.dropna(subset="text").groupby(["family", "item"], sort=False)["text"].nunique()
        several = texts[texts > 1]
        if len(several):
            example = f"{_named(*several.index[0])!r} has {several.iloc[0]} texts"
            yield ("same id, different text", len(several), len(texts), example)
    if "configuration" in rows:
        yield from _configurations(rows.dropna(subset="configuration"))
    if "trial" in rows:
        yield from _flips(rows)
    told = {
        "same id, different text": "text",
        "errored samples": "errored",
        "mixed configurations": "configuration",
    }
    for name, column in told.items():
        if column not in rows:
            skipped[name] = f"the data have no column that tells ({column})"


def _cell(key: Sequence[Any]) -> str:
    """An agent and an item in words, from the key (agent, family, item, ...) of a row."""
    return f"{str(key[0])!r} on {_named(key[1], key[2])!r}"


def _named(family: object, item: object) -> str:
    return f"{family}/{item}" if family else f"{item}"


def _configurations(rows: pd.DataFrame) -> Iterator[Finding]:
    kinds = rows.groupby("family", sort=False)["configuration"].nunique()
    several = kinds[kinds > 1]
    if len(several):
        task = several.index[0]
        values = rows[rows["family"] == task]["configuration"].astype(str).unique()[:2]
        where = f"task {task!r}" if task else "the runs"
        example = f"{where}: {' / '.join(v[:60] for v in values)}"
        yield ("mixed configurations", len(several), len(kinds), example)


def _flips(rows: pd.DataFrame) -> Iterator[Finding]:
    """Cells with several trials, and how many of them do not always come out alike."""
    cells = rows.groupby(["agent", "family", "item"], sort=False)
    kinds = cells.agg(trials=("trial", "nunique"), values=("response", "nunique"))
    repeated = kinds[kinds["trials"] > 1]
    flipped = repeated[repeated["values"] > 1]
    if len(flipped):
        example = f"{_cell(flipped.index[0])}; {len(flipped) / len(repeated):.0%} of repeated cells"
        yield ("repeated runs flip", len(flipped), len(repeated), example)


# -- items -----------------------------------------------------------------------------------------------


def _of_items(
    data: Responses, floor: PerItemLike, level: float, skipped: dict[str, str]
) -> Iterator[Finding]:
    from scipy.special import bdtr

    names = data.frame.columns
    n = (~np.isnan(data.values)).sum(axis=0)
    total = np.nansum(data.values, axis=0)
    solved = {"items everyone solves": total == n, "items no one solves": total == 0}
    for name, hit in solved.items():
        hit &= n > 1
        if hit.any():
            example = f"{names[hit.argmax()]!r}, {int(n[hit.argmax()])} agents"
            yield (name, int(hit.sum()), len(names), example)
    known = floors_of(data, floor)
    if known is None:
        skipped["below-chance items"] = "what guessing gives is not known: pass floor (--floor)"
        return
    floors = known.to_numpy()  # below them: an exact binomial test
    p = np.where((n > 0) & (floors > 0), bdtr(np.floor(total + 1e-9), n, np.clip(floors, 0, 1)), np.nan)
    hit = discoveries(p, level)
    if hit.any():
        k = int(np.flatnonzero(hit)[np.argmin(p[hit])])
        example = f"{names[k]!r}: {total[k]:g} of {n[k]} right, guessing gives {floors[k]:.2g}"
        yield ("below-chance items", int(hit.sum()), len(names), example)
