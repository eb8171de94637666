"""What the papers print: one row a claim, with how far ours may be from it and how strong its check is.

`data/claims.csv` and `data/claims_horizon.csv` are typed in; nothing here is computed from a run.
`grade` says what a check is worth, whatever its outcome (`GRADES`); `same_as` names the row that already
states the same number, so that it is counted once.
"""

from __future__ import annotations

import csv
import difflib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gindex_lab.foundation import places
from gindex_lab.foundation.errors import BadInput
from gindex_lab.press.reproduction.claim_values import KINDS, Value, agrees, checked, printed_numbers

__all__ = ["ARTEFACT", "GRADES", "Claim", "find", "ledger"]

ROOT = places.PROJECT
LEDGER = places.PROJECT_DATA / "claims.csv"
ARTEFACT = "holds only with the authors' artefacts"
GRADES = {
    "computed from data": "Our value follows from the published responses, programs or runs.",
    "computed from the model": "The paper gives the formula, generator or simulation; we ran it.",
    "computed from print": "Our value follows from other numbers that the paper prints.",
    "definition": "The paper defines it; the check is that our function does what it says.",
    "direction only": "The paper states a direction or a comparison; its size is not checked.",
    "threshold ours": "The paper's words have no number; the limit that decides is our reading.",
    "tuned in sight of the value": "A rule, code or reading was chosen because it gives the print.",
    ARTEFACT: "The authors' code gives the print; the exact mathematics rounds to another number.",
    "no check": "Nobody can compute it from what is public; the row says why.",
}


#: The names of the authors' tables of numbers, for people.
_NAMES = {
    "corr_cap_spread": "r(Ψ, S)",
    "mean_capability": "mean Ψ",
    "mean_cap": "mean Ψ",
    "mean_spread": "mean S",
    "pct_abstruse": "% abstruse",
    "pct_above_constant_refgrid": "% abstruse",
    "mean_norm_generality": "mean γ",
    "mean_gamma_refgrid": "mean γ",
    "corr_cap_norm_generality": "r(Ψ, γ)",
    "corr_cap_gamma_refgrid": "r(Ψ, γ)",
    "fa_loading_min": "smallest loading",
    "fa_loading_max": "largest loading",
    "fa_loading_mean": "mean loading",
    "fa_prop_var": "proportion of variance",
    "irt_standin_corr_b_intrinsic_pearson": "r(b, intrinsic difficulty)",
    "irt_standin_corr_b_intrinsic_spearman": "rank correlation of b and intrinsic difficulty",
    "irt_standin_corr_b_itemmean_pearson": "r(b, mean response)",
    "irt_standin_corr_b_itemmean_spearman": "rank correlation of b and mean response",
    "all496_IRTdiff_standin": "all 496, difficulties from IRT",
    "with_humans": "with humans",
}


@dataclass(frozen=True)
class Claim:
    """One row of the ledger, as typed in."""

    id: str
    paper: str
    section: str
    figure: str
    quantity: str
    published: str
    where: str  # text, table, figure
    kind: str  # one of KINDS
    expected: str  # `published` in a form that can be compared, where that is not one itself
    tolerance: str  # derived from the printed digits; a test keeps it so
    rounding: str  # "truncated" where the authors cut digits off
    requires: str  # the data sets it is about; "mazes/counts" are sums that only the original gives
    grade: str  # one of GRADES: how strong the check is
    same_as: str  # the id of the row that already states this
    explanation: str  # why our value differs
    obstacle: str  # why nobody can compute it from what is public
    note: str
    profile: str = ""  # "full" where the quick profile leaves it out

    @property
    def place(self) -> str:
        """Where it stands: section and figure or table."""
        return ", ".join(part for part in (f"§{self.section}" * bool(self.section), self.figure) if part)

    @property
    def what(self) -> str:
        """The quantity in words: names of the authors' tables are written out.

        >>> ledger()["N205"].what
        'all 496, difficulties from IRT: r(Ψ, S)'
        """
        return re.sub(r"\w+_\w+", lambda name: _NAMES.get(name[0], name[0]), self.quantity)

    @property
    def printed(self) -> str:
        """What is printed, with a minus sign as it is printed."""
        return re.sub(r"(?<![\w.])-(?=\d)", "−", self.published)

    @property
    def target(self) -> str:
        return self.expected or self.published

    @property
    def truncated(self) -> bool:
        return self.rounding == "truncated"

    def derived_tolerance(self) -> str:
        """Half a unit of the last printed digit of each number; one unit where truncated."""
        if self.kind not in ("number", "numbers"):
            return ""
        factor = 1.0 if self.truncated else 0.5
        return " ".join(f"{p.unit * factor:.12g}" for p in printed_numbers(self.target))

    def check(self, value: object) -> Value:
        """The value, ready to be recorded; `BadInput` when it cannot be compared."""
        return checked(self.id, self.kind, self.target, value)

    def holds(self, value: Value, error: float = 0.0) -> bool:
        """Whether the value agrees with the print to the printed digits, and twice its sampling error."""
        return agrees(self.kind, self.target, value, truncated=self.truncated, error=error)


def ledger(path: Path | None = None) -> dict[str, Claim]:
    """Every claim by its id.

    >>> ledger()["N047"].published
    '-0.49'
    >>> ledger()["L081"].quantity
    'doubling time of the 50% horizon, days'
    """
    paths = [path] if path else [LEDGER, *sorted(LEDGER.parent.glob("claims_*.csv"))]
    claims: dict[str, Claim] = {}
    for part in paths:
        try:
            facts = part.stat()
        except FileNotFoundError:
            raise BadInput(
                "path", str(part), "[not-a-ledger] is not a ledger", f"restore data/{part.name}"
            ) from None
        found = _read(part, (facts.st_mtime_ns, facts.st_size))
        twice = [name for name in found if name in claims]
        if twice:
            raise BadInput("id", twice[0], "[two-ledgers] appears in two ledgers", "keep one row")
        claims |= found
    return claims


@lru_cache(maxsize=4)
def _read(path: Path, _stamp: tuple[int, int]) -> dict[str, Claim]:
    """The ledger of that stamp, read once: a notebook asks for it with every claim."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            claims = [Claim(**row) for row in csv.DictReader(file)]
    except TypeError as error:
        raise BadInput(
            "path", str(path), f"[not-a-ledger] has other columns than a ledger ({error})", "see claims.Claim"
        ) from None
    for claim in claims:
        for name, known in (("kind", KINDS), ("grade", GRADES)):
            if (value := getattr(claim, name)) not in known:
                problem = f"[not-an-option] of claim {claim.id} is unknown"
                raise BadInput(name, value, problem, f"use one of {list(known)}")
    twice = [name for name, n in Counter(claim.id for claim in claims).items() if n > 1]
    if twice:
        raise BadInput("id", twice[0], "[duplicate] appears in the ledger twice", "keep one row")
    return {claim.id: claim for claim in claims}


def find(claim_id: str, claims: Mapping[str, Claim] | None = None) -> Claim:
    """One claim; an unknown id is an error that suggests its neighbours.

    >>> find("T0001")
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: id='T0001': is not in the ledger; did you mean ...?
    """
    claims = ledger() if claims is None else claims
    if claim_id in claims:
        return claims[claim_id]
    near = difflib.get_close_matches(str(claim_id), claims, n=3)
    remedy = f"did you mean {', '.join(near)}?" if near else "see data/claims.csv for the ids"
    raise BadInput("id", claim_id, "[not-in-ledger] is not in the ledger", remedy)
