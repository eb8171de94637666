"""What the papers print: one row a claim, with how far ours may be from it and how strong its check is.

`data/claims.csv` and `data/claims_horizon.csv` are typed in; nothing here is computed from a run.
`grade` says what a check is worth, whatever its outcome (`GRADES`); `same_as` names the row that already
states the same number, so that it is counted once. A printed number stands for all numbers that round to it:
"0.31" is anything within half a unit of its last digit, 0.305 to 0.315 (within one unit where the authors
truncate). "9.86, 0.39" is two numbers, "> 45" a bound, "classif.lda(9)" a text, and "yes" or "qualitative" a
statement that holds or does not.
"""

from __future__ import annotations

import csv
import difflib
import math
import operator
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from gindex_lab.foundation import places
from gindex_lab.foundation.errors import BadInput
from gindex_lab.press.tables import number_words

__all__ = ["ARTEFACT", "GRADES", "Claim", "Value", "agrees", "find", "ledger", "printed_numbers"]
__all__ += ["shown", "told"]

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

Value = bool | str | float | list[float]

KINDS = ("number", "numbers", "bound", "text", "statement")
_NUMBER = re.compile(r"(?<![\w.])[-+−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)
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
            problem, remedy = "[not-a-ledger] is not a ledger", f"restore data/{part.name}"
            raise BadInput("path", str(part), problem, remedy) from None
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
        problem = f"[not-a-ledger] has other columns than a ledger ({error})"
        raise BadInput("path", str(path), problem, "see claims.Claim") from None
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
    """One claim; an unknown id is an error that suggests its neighbours."""
    claims = ledger() if claims is None else claims
    if claim_id in claims:
        return claims[claim_id]
    near = difflib.get_close_matches(str(claim_id), claims, n=3)
    remedy = f"did you mean {', '.join(near)}?" if near else "see data/claims.csv for the ids"
    raise BadInput("id", claim_id, "[not-in-ledger] is not in the ledger", remedy)


# -- a value against the print -------------------------------------------------------------------------


class Printed(NamedTuple):
    """A number as printed: its value and the size of one unit of its last digit."""

    value: float
    unit: float


def printed_numbers(text: str) -> list[Printed]:
    """Every number in a text, with the unit of its last printed digit."""
    return [_printed(token.replace("−", "-")) for token in _NUMBER.findall(text)]


def _printed(token: str) -> Printed:
    mantissa, _, exponent = token.lower().partition("e")
    digits = len(mantissa.partition(".")[2])
    return Printed(float(token), float(f"1e{int(exponent or 0) - digits}"))


def checked(claim_id: str, kind: str, expected: str, value: object) -> Value:
    """The value as it is recorded, or `BadInput` when it cannot be held against the print."""
    if kind == "statement":
        if type(value).__name__ not in ("bool", "bool_"):
            _refuse(claim_id, value, "a statement that holds or not", "pass True or False")
        return bool(value)
    if kind == "text":
        if not isinstance(value, str):
            _refuse(claim_id, value, f"a text ({expected!r})", "pass a string")
        return str(value)
    if kind == "numbers":
        return _several(claim_id, expected, value)
    return _finite(claim_id, f"a {kind} ({expected!r})", value)


def _several(claim_id: str, expected: str, value: Any) -> list[float]:
    wanted = len(printed_numbers(expected))
    what = f"{wanted} numbers ({expected!r})"
    values = [] if isinstance(value, str) or not hasattr(value, "__iter__") else list(value)
    if len(values) != wanted:
        _refuse(claim_id, value, what, f"pass a list of {wanted}")
    return [_finite(claim_id, what, v) for v in values]


def _finite(claim_id: str, what: str, value: Any) -> float:
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
        _refuse(claim_id, value, what, "pass a number")
    try:
        number = float(value)
    except (TypeError, ValueError):
        _refuse(claim_id, value, what, "pass a number")
    if not math.isfinite(number):
        _refuse(claim_id, value, what, "find out why it is not finite before recording it")
    return number


def _refuse(claim_id: str, value: object, what: str, remedy: str) -> NoReturn:
    raise BadInput("value", value, f"[wrong-type] claim {claim_id} is {what}", remedy)


def agrees(kind: str, expected: str, value: Value, *, truncated: bool = False, error: float = 0.0) -> bool:
    """Whether a computed value is what was printed, to the printed digits.

    A value that was sampled may be off by twice its standard `error` as well.
    """
    if kind == "statement":
        return value is True
    if kind == "text":
        return str(value).casefold().split() == expected.casefold().split()
    if kind == "bound":
        return _within_bound(expected, value)
    values = value if isinstance(value, list) else [value]
    printed = printed_numbers(expected)
    return all(_rounds(p, float(v), truncated, error) for p, v in zip(printed, values, strict=True))


def _rounds(printed: Printed, value: float, truncated: bool, error: float) -> bool:
    # The slack is for ties: 47.875 is printed as 47.87 by one C library and 47.88 by another.
    tolerance = printed.unit * (1.0 if truncated else 0.5) + 2 * error
    return abs(value - printed.value) <= tolerance * (1 + 1e-9) + 1e-12 * abs(printed.value)


def _within_bound(expected: str, value: Value) -> bool:
    sign, limit = expected.split()
    compare = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}[sign]
    return bool(compare(value, float(limit)))


def shown(value: Value | None) -> str:
    """A recorded value for a page or a line: seven significant digits, words for truth.

    >>> shown([9.8600001, 0.39]), shown(True), shown(None)
    ('9.86, 0.39', 'holds', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "holds" if value else "does not hold"
    if isinstance(value, str):
        return value
    values: Sequence[float] = value if isinstance(value, list) else [value]
    return ", ".join(f"{v:.7g}" for v in values)


def told(value: Value | None, printed: str = "") -> str:
    """A recorded value for a page, to two decimals more than the print has.

    >>> told(76.233333, "76%"), told([9.862847, -0.3893742], "9.86, 0.39"), told(6.9e-17, "0")
    ('76.23', '9.8628, −0.3894', '6.9 × 10⁻¹⁷')
    """
    if value is None or isinstance(value, (bool, str)):
        return shown(value)
    values: Sequence[float] = value if isinstance(value, list) else [value]
    decimals = max((len(part) for part in re.findall(r"\d\.(\d+)", printed)), default=0) + 2
    return ", ".join(number_words(v, 0 if v == round(v) else decimals).replace(",", "") for v in values)
