"""Logs of the authors' AIQ test: read, checked, and estimated with our interval beside theirs.

The first line holds the probabilities of strata 1 to 20. Each further line is one program:
`time stratum r+ r-`, and with `--log_agent_failures` also `fail+ fail- program`. A log does not say how many
programs the probabilities were counted among: they are taken as known.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.inputs import read_text
from gindex_lab.foundation.validate import FloatArray, integer, number
from gindex_lab.worlds.aiq import stratified
from gindex_lab.worlds.aiq.estimate import Estimate
from gindex_lab.worlds.aiq.program import check
from gindex_lab.worlds.aiq.stratified import episode_table, strata_table

__all__ = ["estimate_from_log", "read_author_log"]

STRATA = 20
_SHORT, _LONG = 4, 7  # fields of a line


class _Line(NamedTuple):
    stratum: int
    plus: float
    minus: float
    failed: bool = False
    program: str | None = None


def estimate_from_log(
    path: str | os.PathLike[str], *, episode: int = 1, ci: float = 0.95, agent: str = ""
) -> Estimate:
    """The AIQ from a log of the authors' test, as `estimate` gives it: also per stratum and by length.

    A log does not say how long its episodes were: `episode` labels the row of `by_episode`, and is what
    `normalised_aiq` takes the ceilings for. Pairs with a run that met the step limit (nan) are left out,
    and named in `failures` where the log names programs.

    Reference: Vadinský (2018), Eq 2; Legg and Veness (2013), section 5.

    >>> import tempfile
    >>> p = " ".join(["0.5", "0.5"] + ["0"] * 18)
    >>> runs = ["1 1 90 80", "2 1 94 82", "3 1 92 90", "4 2 10 -10", "5 2 4 0", "6 2 2 6"]
    >>> with tempfile.TemporaryDirectory() as d:
    ...     _ = Path(d, "freq.log").write_text("\\n".join([p, *runs]) + "\\n")
    ...     result = estimate_from_log(Path(d, "freq.log"))
    >>> round(result.value, 3), result.pairs
    (45.0, 6)
    """
    confidence = number("ci", ci, 0, 1, open_ends=True)
    length = integer("episode", episode, 1)
    probability, programs = read_author_log(path)
    whole = programs.dropna(subset=["plus", "minus"])
    own = whole["stratum"].to_numpy(dtype=np.int64)
    tested = np.bincount(own, minlength=STRATA + 1)
    if (tested[probability > 0] == 0).any():
        missing = int(np.flatnonzero((probability > 0) & (tested == 0))[0])
        raise _bad(
            path, f"[no-value] has no value in stratum {missing}, whose probability is not 0"
        )
    values = whole[["plus", "minus"]].to_numpy(dtype=float)[:, :, None]
    strata = stratified.summarise(own, values, probability)
    named = programs.loc[programs["plus"].isna() | programs["minus"].isna(), "program"].dropna()
    return Estimate(
        agent or Path(path).name,
        episode_table(strata, [length], np.inf, confidence),
        whole.assign(weight=probability[own] / tested[own]).drop(columns="failed"),
        strata_table(strata),
        tuple(named),
        (),
        int(whole["failed"].sum()),
        confidence,
        {"log": str(path)},
    )


def read_author_log(path: str | os.PathLike[str]) -> tuple[FloatArray, pd.DataFrame]:
    """Probabilities of strata 0 to 20, and one row per program: stratum, plus, minus, failed, program.

    Raises `BadInput` with the line number for anything that is not such a log.
    """
    lines = read_text(path, "ascii", "log").splitlines()
    if not lines:
        raise _bad(path, "[empty] is empty")
    probability = _probabilities(path, lines[0])
    rows = [
        _row(path, number, line, probability) for number, line in enumerate(lines[1:], 2) if line
    ]
    if len(rows) < 2:
        raise _bad(path, "[too-few] has fewer than two programs")
    return probability, pd.DataFrame(rows, columns=_Line._fields)


def _probabilities(path: str | os.PathLike[str], line: str) -> FloatArray:
    try:
        values = np.array([0.0, *map(float, line.split())])
    except ValueError:
        raise _bad(
            path, "[no-probabilities] does not begin with the probabilities of 20 strata"
        ) from None
    if len(values) != STRATA + 1:
        raise _bad(
            path,
            f"[no-probabilities] begins with {len(values) - 1} numbers, not the probabilities of 20 strata",
        )
    if not (np.isfinite(values).all() and (values >= 0).all() and abs(values.sum() - 1) < 1e-3):
        raise _bad(path, "[no-probabilities] begins with numbers that are not probabilities")
    return np.asarray(values / values.sum())


def _row(path: str | os.PathLike[str], number: int, line: str, probability: FloatArray) -> _Line:
    parts = line.split()
    if len(parts) not in (_SHORT, _LONG):
        raise _bad(
            path, f"[damaged] is corrupted in line {number}: {len(parts)} fields, not 4 or 7"
        )
    try:
        stratum, plus, minus = int(parts[1]), float(parts[2]), float(parts[3])
    except ValueError:
        raise _bad(path, f"[damaged] is corrupted in line {number} ({line[:40]!r})") from None
    if not 1 <= stratum <= STRATA or probability[stratum] == 0:
        raise _bad(
            path, f"[damaged] is corrupted in line {number}: no stratum {stratum} in this test"
        )
    if not all(np.isnan(value) or abs(value) <= 100 for value in (plus, minus)):
        raise _bad(path, f"[damaged] is corrupted in line {number}: a reward beyond ±100")
    if len(parts) == _SHORT:
        return _Line(stratum, plus, minus)
    failed = any(part not in ("0", "False") for part in parts[4:6])
    return _Line(stratum, plus, minus, failed, check(parts[6]))


def _bad(path: str | os.PathLike[str], problem: str) -> BadInput:
    return BadInput("log", str(path), problem, "name a log of the authors' AIQ test")
