"""Many programs at once: what is true of a sample, beside what the patterns say of it.

`survey` decides each program of a sample exactly, one row each; `survey_shares` counts. Undecided programs
count as "no", so that every share is a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.worlds.aiq.exact import Caps
from gindex_lab.worlds.aiq.patterns import CLASSES
from gindex_lab.worlds.aiq.semantics import decide

__all__ = ["survey", "survey_shares"]

_SURVEY = Caps(states=3000, transitions=150_000, steps=15_000_000)


def survey(
    programs: Iterable[str], symbols: int = 5, observations: int = 1, caps: Caps | None = None
) -> pd.DataFrame:
    """Exact classes of each program: one row each, with `decided`, `best`, `worst`.

    A straight-line program is decided by symbols even where its states do not close within `caps`; it then
    has classes, but no `best`, `worst` or pointless code (`gl.aiq.classify` has larger caps).

    >>> survey([",.#", "%.,#"])[["decided", "discriminative", "reward_random"]].values.tolist()
    [[True, True, False], [True, False, True]]
    """
    rows: list[dict[str, Any]] = []
    for program in programs:
        exact, reason = decide(program, symbols, observations, caps or _SURVEY)
        rows.append({"program": program, "decided": exact is not None, "reason": reason})
        rows[-1] |= exact or {}
    if not rows:
        raise BadInput("programs", rows, "holds no program", "pass at least one")
    return pd.DataFrame(rows)


def survey_shares(table: pd.DataFrame) -> pd.Series[float]:
    """The share of each class in percent, and of decided programs; undecided ones count as "no".

    >>> survey_shares(survey([",.#", "%.,#"]))["reward_random"]
    np.float64(50.0)
    """
    names = [name for name in (*CLASSES, "discriminative", "decided") if name in table]
    members = table[names].astype("boolean").fillna(False)
    return pd.Series(members.mean() * 100, dtype=float).rename("exact")
