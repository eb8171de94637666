"""Logs of the authors' AIQ test: read, checked, and estimated with our interval beside theirs.

The first line holds the probabilities of strata 1 to 20. Each further line is one program:
`time stratum r+ r-`, and with `--log_agent_failures` also `fail+ fail- program`. A log does not say how many
programs the probabilities were counted among: they are taken as known.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.inputs import read_text
from gindex_lab.foundation.validate import FloatArray, integer, number
from gindex_lab.worlds.aiq import stratified
from gindex_lab.worlds.aiq.estimate import Estimate
from gindex_lab.worlds.aiq.program import check

__all__ = ["estimate_from_log", "read_author_log"]

STRATA = 20  # of the authors' code


def estimate_from_log(
    path: str | os.PathLike[str], *, episode: int = 1, ci: float = 0.95, agent: str = ""
) -> Estimate:
    """The AIQ from a log of the authors' test, as `estimate` gives it: also per stratum and by length.

    Pairs with a run that met the step limit (nan) are left out, and named in `failures` where the log names
    programs.

    Parameters
    ----------
    path : the log
    episode : how long its episodes were, which a log does not say: it labels the row of `by_episode`, and
        `normalised_aiq` takes the ceilings for it
    ci : confidence of the interval
    agent : a name for it, by default that of the file

    Returns
    -------
    An `Estimate`.

    References
    ----------
    Vadinský (2018), Eq 2; Legg and Veness (2013), section 5.

    Examples
    --------
    >>> import tempfile
    >>> p = " ".join(["0.5", "0.5"] + ["0"] * 18)
    >>> runs = ["1 1 90 80", "2 1 94 82", "3 1 92 90", "4 2 10 -10", "5 2 4 0", "6 2 2 6"]
    >>> with tempfile.TemporaryDirectory() as d:
    ...     _ = Path(d, "freq.log").write_text("\\n".join([p, *runs]) + "\\n")
    ...     result = estimate_from_log(Path(d, "freq.log"))
    >>> round(result.value, 3), result.pairs
    (45.0, 6)
    """
    confidence, length = number("ci", ci, 0, 1, open_ends=True), integer("episode", episode, 1)
    probability, programs = read_author_log(path)
    failed = programs["plus"].isna() | programs["minus"].isna()
    whole = programs[~failed]
    own = whole["stratum"].to_numpy(dtype=np.int64)
    tested = np.bincount(own, minlength=STRATA + 1)
    missing = np.flatnonzero((probability > 0) & (tested == 0))
    if len(missing):
        raise _bad(path, f"[no-value] has no value in stratum {missing[0]}, whose probability is not 0")
    strata = stratified.summarise(own, whole[["plus", "minus"]].to_numpy()[:, :, None], probability)
    return Estimate(
        agent or Path(path).name,
        stratified.episode_table(strata, [length], np.inf, confidence),
        whole.assign(weight=probability[own] / tested[own]).drop(columns="failed"),
        stratified.strata_table(strata),
        tuple(programs.loc[failed, "program"].dropna()),
        diverged=int(whole["failed"].sum()),
        confidence=confidence,
        settings={"log": str(path)},
    )


def read_author_log(path: str | os.PathLike[str]) -> tuple[FloatArray, pd.DataFrame]:
    """Probabilities of strata 0 to 20, and one row per program: stratum, plus, minus, failed, program.

    Raises `BadInput` with the line number for anything that is not such a log.
    """
    lines = read_text(path, "ascii", "log").splitlines()
    if not lines:
        raise _bad(path, "[empty] is empty")
    try:
        given = np.array([0.0, *map(float, lines[0].split())])
    except ValueError:
        given = np.zeros(0)
    sound = len(given) == STRATA + 1 and (given >= 0).all() and abs(given.sum() - 1) < 1e-3
    if not sound:
        raise _bad(path, "[no-probabilities] does not begin with the probabilities of 20 strata")
    rows = [_row(path, place, line, given) for place, line in enumerate(lines[1:], 2) if line]
    if len(rows) < 2:
        raise _bad(path, "[too-few] has fewer than two programs")
    return given / given.sum(), pd.DataFrame(rows, columns=["stratum", "plus", "minus", "failed", "program"])


def _row(
    path: str | os.PathLike[str], place: int, line: str, probability: FloatArray
) -> tuple[int, float, float, bool, str | None]:
    """One program: its stratum, its two values, whether an agent failed, and its text where it is named."""
    fields, problem = line.split(), f"[damaged] is corrupted in line {place}"
    if len(fields) not in (4, 7):
        raise _bad(path, f"{problem}: {len(fields)} fields, not 4 or 7")
    try:
        stratum, plus, minus = int(fields[1]), float(fields[2]), float(fields[3])
    except ValueError:
        raise _bad(path, f"{problem} ({line[:40]!r})") from None
    if not 1 <= stratum <= STRATA or probability[stratum] == 0:
        raise _bad(path, f"{problem}: no stratum {stratum} in this test")
    if abs(plus) > 100 or abs(minus) > 100:
        raise _bad(path, f"{problem}: a reward beyond ±100")
    failed = any(part not in ("0", "False") for part in fields[4:6])
    return stratum, plus, minus, failed, check(fields[6]) if len(fields) > 4 else None


def _bad(path: str | os.PathLike[str], problem: str) -> BadInput:
    return BadInput("log", str(path), problem, "name a log of the authors' AIQ test")
