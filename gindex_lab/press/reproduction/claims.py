"""The ledger: every number and statement of the papers, and what we get for it.

`claim_rows` holds what was printed and how far a computed value may be from it; notebooks record computed
values with `nb.claim`. A status is always computed from the two, never typed: reproduced,
differs, needs data, not computable, not yet checked. A claim about published data counts only when it was
computed from those data. Beside the status stands the grade of the check, and where the authors' code gives
the print and the exact mathematics does not, that is found from the record. A number that stands in two rows
is counted once. What was reproduced once is kept in `data/claims_baseline.json`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gindex_lab.foundation import places
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.fingerprints import digest_of
from gindex_lab.foundation.validate import choice
from gindex_lab.press.reproduction.claim_rows import (
    ARTEFACT,
    GRADES,
    ROOT,
    Claim,
    Value,
    find,
    ledger,
    shown,
    told,
)
from gindex_lab.press.reproduction.reports_folder import read_claims

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["GRADES", "STATUSES", "Claim", "Record", "Result", "accept", "complaints", "counted_once"]
__all__ += ["failed_folder", "find", "ledger", "load_baseline", "print_hash", "records", "regressions"]
__all__ += ["results", "status", "summary", "table", "tally", "unexplained", "what_fetch_would_add"]

FULL_ONLY = "full profile only"
STATUSES = ("reproduced", "differs", "needs data", "not computable", FULL_ONLY, "not yet checked")
BASELINE = places.PROJECT_DATA / "claims_baseline.json"


@dataclass(frozen=True)
class Record:
    """What a notebook computed for a claim."""

    id: str
    value: Value
    source: str = ""  # published, own experiment, simulated; "" where no data are involved
    mode: str = ""
    exact: Value | None = None
    error: float = 0.0  # the standard error of a value that was sampled
    note: str = ""
    notebook: str = ""
    profile: str = ""
    data_absent: bool = False  # a data set of the notebook was not on this machine


@dataclass(frozen=True)
class Result:
    """A claim, what was computed for it, and the status that follows."""

    claim: Claim
    records: tuple[Record, ...]
    status: str
    why: str

    @property
    def ours(self) -> str:
        return shown(self.records[0].value) if self.records else ""

    @property
    def told(self) -> str:
        """Ours for a page: to two decimals more than the print has."""
        return told(self.records[0].value, self.claim.published) if self.records else ""

    @property
    def tolerance(self) -> str:
        sizes = ", ".join(f"±{size}" for size in dict.fromkeys(self.claim.tolerance.split()))
        error = self.records[0].error if self.records else 0.0
        return sizes + (f" and twice the sampling error {error:.2g}" if error else "")

    @property
    def grade(self) -> str:
        """How strong the check is; what only the authors' artefacts give is found from the records."""
        only = any(r.exact is not None and not self.claim.holds(r.exact) for r in self.records)
        return ARTEFACT if only and self.status == "reproduced" else self.claim.grade

    @property
    def notebooks(self) -> list[str]:
        return sorted({record.notebook for record in self.records})


def records(reports: Path) -> list[Record]:
    """The records of the notebooks that ran, in the order of their names.

    What a notebook published before it began to fail does not count.
    """
    found: list[Record] = []
    for path in sorted(Path(reports).glob("*/*/record.json")):
        kept = read_claims(path.parent)
        if kept is None:
            continue
        run, claims = kept
        if (failed_folder(Path(reports), run["notebook"]) / "error.txt").is_file():
            continue
        absent = any(data["fingerprint"] is None for data in run["data"])
        found += [
            Record(**entry, notebook=run["notebook"], profile=run["profile"], data_absent=absent)
            for entry in claims
        ]
    return found


def failed_folder(reports: Path, notebook: str) -> Path:
    """Where a notebook is kept as far as it came, with its error, until it succeeds."""
    return reports / ".failed" / notebook.replace("/", "-")


def print_hash(folder: Path) -> str:
    """A hash of what the papers print for the claims that a notebook recorded.

    When a row of the ledger is corrected, the notebook that shows it has to run again.
    """
    found = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
    claims = ledger() if found else {}
    rows = [claims[e["id"]] for e in found if e["id"] in claims]
    compared = [[r.id, r.quantity, r.published, r.target, r.rounding, r.requires] for r in rows]
    return digest_of(json.dumps(compared))


def status(claim: Claim, found: Iterable[Record], absent: Iterable[str] = ()) -> tuple[str, str]:
    """The status of a claim and why, from the records and the data sets that are absent here."""
    found = list(found)
    counted = [r for r in found if r.source == "published" or not claim.requires]
    if any(not claim.holds(r.value, r.error) for r in counted):
        return "differs", claim.explanation
    if counted:
        return "reproduced", claim.note
    if claim.obstacle:
        return "not computable", claim.obstacle
    if found:
        return "needs data", f"computed from {found[0].source or 'no'} data; needs {claim.requires}"
    missing = [name for name in claim.requires.split() if name in set(absent)]
    if missing:
        sums = any(name.endswith("/counts") for name in missing)
        return "needs data", claim.note if sums and claim.note else f"needs {', '.join(missing)}"
    if claim.profile == "full":
        return (FULL_ONLY, "takes too long for the quick profile: `make reproduce PROFILE=full` checks it")
    return "not yet checked", claim.note


def results(
    reports: Path | None = None,
    claims: Mapping[str, Claim] | None = None,
    absent: Iterable[str] | None = None,
) -> list[Result]:
    """Every claim with its records and status, in the order of the ledger."""
    claims = ledger() if claims is None else claims
    by_id: dict[str, list[Record]] = {}
    for record in records(reports or ROOT / "reports"):
        by_id.setdefault(record.id, []).append(record)
    absent = _absent_data(claims) if absent is None else list(absent)
    return [
        Result(claim, tuple(by_id.get(key, ())), *status(claim, by_id.get(key, ()), absent))
        for key, claim in claims.items()
    ]


def _absent_data(claims: Mapping[str, Claim]) -> list[str]:
    from gindex_lab.press.reproduction.inputs import data_fingerprint
    from gindex_lab.studies.data.loading import counts

    names = sorted({name for claim in claims.values() for name in claim.requires.split()})
    found = {name: name.removesuffix("/counts") for name in names}
    return [
        name
        for name, data in found.items()
        if data_fingerprint(data) is None or (data != name and counts(data).empty)
    ]


def table(paper: str | None = None, reports: Path | None = None) -> pd.DataFrame:
    """The ledger as a DataFrame, one row per claim, with our value and the status."""
    import pandas as pd

    rows = [
        {name: getattr(r.claim, name) for name in ("id", "paper", "place", "quantity", "published")}
        | {name: getattr(r, name) for name in ("ours", "tolerance", "status", "grade")}
        | {"same as": r.claim.same_as, "why": r.why, "notebook": " ".join(r.notebooks)}
        for r in _of_paper(results(reports), paper)
    ]
    return pd.DataFrame(rows)


def summary(paper: str | None = None, reports: Path | None = None, by: str = "paper") -> pd.DataFrame:
    """How many claims have which status: papers (or `by="grade"`) x statuses, with sums.

    A number that stands in two rows is counted once.
    """
    import pandas as pd

    choice("by", by, ("paper", "grade"))
    found = counted_once(_of_paper(results(reports), paper))
    counted = Counter((r.claim.paper if by == "paper" else r.grade, r.status) for r in found)
    order = GRADES if by == "grade" else [r.claim.paper for r in found]
    rows = [name for name in dict.fromkeys(order) if any(counted[name, s] for s in STATUSES)]
    counts = pd.DataFrame(
        [[counted[name, s] for s in STATUSES] for name in rows], index=rows, columns=list(STATUSES)
    )
    counts.loc["all"] = counts.sum()
    counts["claims"] = counts.sum(axis=1)
    return counts


def _of_paper(found: list[Result], paper: str | None) -> list[Result]:
    papers = sorted({result.claim.paper for result in found})
    if paper is not None and paper not in papers:
        raise BadInput("paper", paper, "[not-in-ledger] is not in the ledger", f"use one of {papers}")
    return [result for result in found if paper in (None, result.claim.paper)]


def counted_once(found: Iterable[Result]) -> list[Result]:
    """Without the rows that repeat another one."""
    return [result for result in found if not result.claim.same_as]


def unexplained(found: Iterable[Result]) -> list[str]:
    """Ids that differ and whose row in the ledger does not say why."""
    return [r.claim.id for r in found if r.status == "differs" and not r.claim.explanation]


def load_baseline(path: Path | None = None) -> dict[str, dict[str, str]]:
    """Profile -> id -> the notebook that reproduced it when the baseline was last accepted."""
    path = path or BASELINE
    try:
        return dict(json.loads(path.read_bytes())) if path.exists() else {}
    except (OSError, ValueError, TypeError) as error:
        problem = f"is not a baseline ({error})"
        raise BadInput("path", str(path), problem, "restore it from git") from None


def regressions(
    found: Iterable[Result], ran: Mapping[str, str], baseline: Mapping[str, Mapping[str, str]]
) -> list[str]:
    """Ids that were reproduced by a notebook that ran again, and now are not.

    `ran` maps each notebook whose outputs are up to date to its profile. A claim may fall silent only
    while its data are absent from this machine.
    """
    wanted = {
        key
        for notebook, profile in ran.items()
        for key, by in baseline.get(profile, {}).items()
        if by == notebook
    }
    return [r.claim.id for r in found if r.claim.id in wanted and not _excused(r)]


def _excused(result: Result) -> bool:
    if result.status == "needs data":
        return all(record.data_absent for record in result.records)
    return result.status == "reproduced"


def accept(reports: Path | None = None, path: Path | None = None) -> str:
    """Take what is reproduced now as the baseline; ids whose data are absent here stay in it."""
    from gindex_lab.foundation.output import write_text

    found = results(reports)
    silent = {r.claim.id for r in found if r.status in ("needs data", FULL_ONLY, "not yet checked")}
    baseline = load_baseline(path)
    for profile in sorted({record.profile for r in found for record in r.records}):
        kept = {key: by for key, by in baseline.get(profile, {}).items() if key in silent}
        now = {
            r.claim.id: min(record.notebook for record in r.records)
            for r in found
            if r.status == "reproduced" and profile in {record.profile for record in r.records}
        }
        baseline[profile] = dict(sorted((kept | now).items()))
    write_text(path or BASELINE, json.dumps(baseline, indent=1) + "\n")
    counts = ", ".join(f"{len(ids)} under {profile}" for profile, ids in baseline.items())
    return f"baseline: {counts or 'nothing recorded yet'}"


def complaints(lost: list[str], silent: list[str]) -> list[str]:
    """What is wrong with the ledger after a run, a sentence each."""
    found = []
    if lost:
        found.append(f"no longer reproduced: {', '.join(lost)} (gindex-lab claims --all)")
    if silent:
        found.append(f"differ without an explanation in data/claims.csv: {', '.join(silent)}")
    return found


def tally(found: list[Result]) -> str:
    """How many claims there are, and of each status."""
    words = [result.status for result in counted_once(found)]
    counts = [f"{words.count(word)} {word}" for word in STATUSES if word in words]
    return f"{len(words)} claims: {', '.join(counts)}"


def what_fetch_would_add(found: list[Result]) -> str:
    """One line about the claims that a download would let us check; empty where there are none."""
    from gindex_lab.studies.data.loading import datasets

    table = datasets()
    absent = table.index[~table["available"] & table["where"].str.startswith("to download")]
    waiting = [result for result in counted_once(found) if result.status == "needs data"]
    needs = {r.claim.id: {n.split("/")[0] for n in r.claim.requires.split()} for r in waiting}
    helped = [r for r in waiting if needs[r.claim.id] & set(absent)]
    named = {name for r in helped for name in needs[r.claim.id]}
    names = [name for name in absent if name in named]
    if not names:
        return ""
    return (
        f"\n`gindex-lab data fetch` would add {len(names)} published data sets ({', '.join(names)}), "
        f"which {len(helped)} of these claims need"
    )
