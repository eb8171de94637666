"""Are the data in order? What goes wrong in logs, counted, with an example and a remedy for each.

Rows that stand twice, or contradict each other; ids that start again with every subject; one id for two
texts; samples without a score, or that ended in an error; items below what guessing gives, or that everybody
or nobody solves; repeated runs that flip; runs of one task with different settings. `kind` tells a
defect, which makes results wrong, from a note, which one should know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.guessing import floors_of
from gindex_lab.foundation.likes import PerItemLike
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.studies.analysis.audit import _discoveries
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
MOST_ROWS = 1_000_000  # responses up to which a report audits the rows of its log
_NOTES = ("items everyone solves", "items no one solves", "repeated runs flip")
_FINE = ("", "0", "false", "none", "nan", "ok", "success", "completed", "finished", "pass", "done")


def audit(
    data: object, floor: PerItemLike = None, *, level: float = 0.05, **reading: Any
) -> pd.DataFrame:
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
        responses, rows, skipped = data, None, _unseen()
        if data.trials is not None:
            rows = data.trials.assign(family="")
    else:
        rows = _rows(data, reading)
        responses, skipped = _table(rows), {}
    return _found(responses, rows, floor, level, skipped)


def audit_study(
    data: Responses | Scores, floor: PerItemLike, rows: pd.DataFrame | None
) -> pd.DataFrame:
    """The audit of a study that was read already, for a report: of the `rows` of its log (those of
    `read_rows`) where they were kept, and otherwise of the table.

    >>> found = audit_study(Scores([[5.0, 9.0], [3.0, 9.0]]), None, None)
    >>> found.attrs["not_checked"]["items everyone solves"]
    'raw scores: which of them are right is not known'
    """
    skipped: dict[str, str] = {}
    if rows is not None:
        rows = _described(rows.copy())
    else:
        why = f"more than {MOST_ROWS:,} responses: run gl.audit on the log itself"
        skipped = dict.fromkeys(_unseen(), why) if data.frame.size > MOST_ROWS else _unseen()
        if isinstance(data, Responses) and data.trials is not None:
            rows = data.trials.assign(family="")
    return _found(data if isinstance(data, Responses) else None, rows, floor, 0.05, skipped)


def _found(
    responses: Responses | None,
    rows: pd.DataFrame | None,
    floor: PerItemLike,
    level: float,
    skipped: dict[str, str],
) -> pd.DataFrame:
    found: list[tuple[str, int, int, str]] = []
    if rows is not None:
        found += _of_rows(rows, skipped)
        found += _flips(rows)
    if responses is not None:
        found += _of_items(responses, floor, level, skipped)
    else:
        skipped |= dict.fromkeys(CHECKS[6:9], "raw scores: which of them are right is not known")
    table = pd.DataFrame(
        [
            {
                "finding": name,
                "kind": "note" if name in _NOTES else "defect",
                "count": count,
                "of": of,
                "example": example,
                "remedy": REMEDIES[name],
            }
            for name, count, of, example in sorted(found, key=lambda one: CHECKS.index(one[0]))
        ],
        columns=["finding", "kind", "count", "of", "example", "remedy"],
    ).set_index("finding")
    table.attrs["not_checked"] = skipped
    return table


def _unseen() -> dict[str, str]:
    why = "a table of responses keeps neither rows, texts nor settings: pass the log itself"
    return dict.fromkeys(CHECKS[:6] + CHECKS[-1:], why)


# -- rows ------------------------------------------------------------------------------------------------


def _rows(data: object, reading: Mapping[str, Any]) -> pd.DataFrame:
    """Rows with agent, family, item, response, trial, and where known text, errored, configuration."""
    if isinstance(data, (str, PathLike)):
        return _described(read_rows(data, **reading))
    if not isinstance(data, pd.DataFrame):
        problem = "is neither a path, a DataFrame nor gl.Responses"
        raise BadInput("data", type(data).__name__, problem, "pass one of them")
    absent = [c for c in ("agent", "item", "response") if c not in data]
    if absent:
        remedy = "rename the columns to agent, item, response"
        raise BadInput("data", list(data.columns)[:8], f"has no column {absent[0]!r}", remedy)
    if data.empty:
        raise BadInput("data", data.shape, "has no rows", "pass at least one response")
    rows = data.reset_index(drop=True).copy()
    rows["response"] = pd.to_numeric(rows["response"], errors="coerce")
    return _described(rows)


def _described(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with `text`, `errored`, `configuration` and a family, from columns of the usual names."""
    names = {str(c).strip().lower(): c for c in rows.columns}
    text = next((names[t] for t in TEXTS if t in names), None)
    error = next((names[e] for e in ERRORS if e in names), None)
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
    key = ["agent", "item"] + (["trial"] if "trial" in rows else [])
    repeated = rows.duplicated(key).sum()
    for column in candidates:
        rest = rows.duplicated([*key, column]).sum()
        shared = rows.groupby("item")[column].nunique().gt(1).mean()
        if repeated and rest < repeated / 10 and shared > 0.5:
            return column
    return None


def _table(rows: pd.DataFrame) -> Responses:
    """Agents x items, repeated rows averaged; items named with their family."""
    family = rows["family"].astype(str)
    item = rows["item"].astype(str).where(family == "", family + "/" + rows["item"].astype(str))
    frame = (
        rows.assign(item=item)
        .pivot_table("response", "agent", "item", aggfunc="mean", sort=False, dropna=False)
        .reindex(columns=item.unique())
    )
    values = frame.to_numpy(dtype=float)
    low, high = (np.nanmin(values), np.nanmax(values)) if np.isfinite(values).any() else (0, 1)
    if low < 0 or high > 1:
        problem = f"has responses from {low:g} to {high:g}"
        raise BadInput("data", "response", problem, "rescale them to [0, 1] (scale=(low, high))")
    items = pd.DataFrame({"family": family.to_numpy()}, index=item).groupby(level=0).first()
    for name in ("choices", "floor"):
        if name in rows:
            items[name] = rows.assign(item=item).groupby("item")[name].first()
    items = items.reindex(frame.columns)
    return Responses(frame.rename_axis(None).rename_axis(None, axis=1), items=items)


def _of_rows(rows: pd.DataFrame, skipped: dict[str, str]) -> list[tuple[str, int, int, str]]:
    found = []
    key = ["agent", "family", "item"] + (["trial"] if "trial" in rows else [])
    n = len(rows)
    again = rows[rows.duplicated(key, keep=False)]
    if len(again):
        kinds = again.groupby(key, sort=False, dropna=False)["response"].agg(["nunique", "size"])
        same, other = kinds[kinds["nunique"] <= 1], kinds[kinds["nunique"] > 1]
        if len(same):
            count = int((same["size"] - 1).sum())
            found.append(("duplicated rows", count, n, _cell(same.index[0], key)))
        if len(other):
            values = again.set_index(key).loc[[other.index[0]], "response"].dropna().unique()
            shown = " and ".join(f"{v:g}" for v in sorted(values)[:3])
            example = f"{_cell(other.index[0], key)}: {shown}"
            found.append(("contradictory rows", len(other), n, example))
    if "restarts" in rows.attrs:
        column = rows.attrs["restarts"]
        per_item = rows.groupby("item")[column].nunique()
        example = f"id {per_item.idxmax()!r} stands under {per_item.max()} values of {column!r}"
        count = int(per_item.gt(1).sum())
        found.append(("ids restart per subject", count, len(per_item), example))
    optional: tuple[tuple[str, str, Callable[[pd.DataFrame], Any]], ...] = (
        ("same id, different text", "text", _texts),
        ("errored samples", "errored", _errors),
        ("mixed configurations", "configuration", _configurations),
    )
    for name, column, check in optional:
        if column not in rows:
            skipped[name] = f"the data have no column that tells ({column})"
            continue
        result = check(rows)
        if result is not None:
            found.append((name, *result))
    errored = rows["errored"] if "errored" in rows else pd.Series(False, rows.index)
    unscored = rows[rows["response"].isna() & ~errored.astype(bool)]
    if len(unscored):
        first = unscored.iloc[0]
        found.append(
            ("unscored samples", len(unscored), n, f"{first['agent']!r} on {first['item']!r}")
        )
    return found


def _cell(index: Any, key: Sequence[str]) -> str:
    parts = dict(zip(key, index, strict=True))
    item = f"{parts['family']}/{parts['item']}" if parts["family"] else f"{parts['item']}"
    return f"{str(parts['agent'])!r} on {item!r}"


def _texts(rows: pd.DataFrame) -> tuple[int, int, str] | None:
    kinds = rows.dropna(subset="text").groupby(["family", "item"], sort=False)["text"].nunique()
    several = kinds[kinds > 1]
    if not len(several):
        return None
    family, item = several.index[0]
    name = f"{family}/{item}" if family else f"{item}"
    return len(several), len(kinds), f"{name!r} has {several.iloc[0]} texts"


def _errors(rows: pd.DataFrame) -> tuple[int, int, str] | None:
    bad = rows[rows["errored"].astype(bool)]
    if not len(bad):
        return None
    first = bad.iloc[0]
    return len(bad), len(rows), f"{first['agent']!r} on {first['item']!r}"


def _configurations(rows: pd.DataFrame) -> tuple[int, int, str] | None:
    known = rows.dropna(subset="configuration")
    kinds = known.groupby("family", sort=False)["configuration"].nunique()
    several = kinds[kinds > 1]
    if not len(several):
        return None
    task = several.index[0]
    values = known[known["family"] == task]["configuration"].astype(str).unique()[:2]
    where = f"task {task!r}" if task else "the runs"
    return len(several), len(kinds), f"{where}: {' / '.join(v[:60] for v in values)}"


# -- items -----------------------------------------------------------------------------------------------


def _of_items(
    data: Responses,
    floor: PerItemLike,
    level: float,
    skipped: dict[str, str],
) -> list[tuple[str, int, int, str]]:
    found = []
    values, names = data.values, data.frame.columns
    n = (~np.isnan(values)).sum(axis=0)
    total = np.nansum(values, axis=0)
    asked = n > 1
    for name, hit in (
        ("items everyone solves", asked & (total == n)),
        ("items no one solves", asked & (total == 0)),
    ):
        if hit.any():
            example = f"{names[hit.argmax()]!r}, {int(n[hit.argmax()])} agents"
            found.append((name, int(hit.sum()), len(names), example))
    floors = floors_of(data, floor)
    if floors is None:
        skipped["below-chance items"] = "what guessing gives is not known: pass floor (--floor)"
    else:
        found += _below_chance(total, n, floors.to_numpy(), names, level)
    return found


def _below_chance(
    total: np.ndarray, n: np.ndarray, floors: np.ndarray, names: pd.Index, level: float
) -> list[tuple[str, int, int, str]]:
    """Items solved less often than guessing would (exact binomial, false discovery rate `level`)."""
    from scipy.special import bdtr

    p = np.where(
        (n > 0) & (floors > 0), bdtr(np.floor(total + 1e-9), n, np.clip(floors, 0, 1)), np.nan
    )
    hit = _discoveries(p, level)
    if not hit.any():
        return []
    k = int(np.flatnonzero(hit)[np.argmin(p[hit])])
    example = f"{names[k]!r}: {total[k]:g} of {n[k]} right, guessing gives {floors[k]:.2g}"
    return [("below-chance items", int(hit.sum()), len(names), example)]


def _flips(rows: pd.DataFrame) -> list[tuple[str, int, int, str]]:
    """Cells with several trials, and how many of them do not always come out alike."""
    if "trial" not in rows:
        return []
    cells = rows.groupby(["agent", "family", "item"], sort=False)
    kinds = cells.agg(trials=("trial", "nunique"), values=("response", "nunique"))
    repeated = kinds[kinds["trials"] > 1]
    flipped = repeated[repeated["values"] > 1]
    if not len(flipped):
        return []
    share = len(flipped) / len(repeated)
    example = (
        f"{_cell(flipped.index[0], ['agent', 'family', 'item'])}; {share:.0%} of repeated cells"
    )
    return [("repeated runs flip", len(flipped), len(repeated), example)]
