r"""Kt of a letter series on the reconstructed machine, by exhaustive search.

Levin's complexity weighs the length of a program against the logarithm of its time. With l the number of
instructions and t the steps made when letter number `n_time` is written,

.. math:: Kt(x) = \min_{p: p \text{ writes } x} \lfloor l(p) + \log_2(t(p) + \mathrm{offset}) \rfloor

over all canonical programs that write the whole series, up to a rotation of the alphabet. Rounding,
`n_time` and `offset` are *reconstructed*: chosen, with the jumps, to fit 35 published difficulties.
Generality supplement, A.2 and Fig S9.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import LettersLike, NumbersLike
from gindex_lab.foundation.validate import FloatArray, choice, integer, number
from gindex_lab.worlds.tasks.letter_series.machine import ALPHABET, letters_of, text_of

__all__ = [
    "LONGEST",
    "KtScale",
    "best_program",
    "continuations",
    "kt",
    "pattern_of",
    "predict",
    "searched",
]

LONGEST = 11  # the shortest program of the hardest published item has so many instructions
HIGHEST = 17.0  # the search for a first program goes no further
IntArray = npt.NDArray[np.int64]
_ROUNDING = ("floor", "nearest", "ceiling", "none")


@dataclass(frozen=True)
class KtScale:
    """How length and time become Kt; the defaults are those of the reconstruction.

    Reference: Generality supplement, A.2.

    >>> KtScale().rounded(9.75), KtScale(rounding="none").rounded(9.75)
    (9.0, 9.75)
    """

    rounding: str = "floor"
    n_time: int = 6
    offset: float = 1.0

    def __post_init__(self) -> None:
        choice("rounding", self.rounding, _ROUNDING)
        integer("n_time", self.n_time)
        if self.n_time > 12:
            problem = "[too-many] is more than the 12 letters that are supported"
            raise BadInput("n_time", self.n_time, problem, "use 1 to 12")
        number("offset", self.offset, 0, 1e6)

    def cost(self, length: NumbersLike, steps: NumbersLike) -> FloatArray:
        """l + log2(t + offset), unrounded."""
        try:
            time = np.asarray(steps, dtype=float) + self.offset
            return np.asarray(np.asarray(length, dtype=float) + np.log2(time))
        except (TypeError, ValueError, OverflowError):
            given, problem = (length, steps), "are not numbers of the same shape"
            raise BadInput("length, steps", given, problem, "pass numbers") from None

    def rounded(self, value: float) -> float:
        """Kt as it is reported."""
        if self.rounding == "none":
            return float(value)
        if self.rounding == "nearest":
            return float(np.round(value))
        up = self.rounding == "ceiling"  # the slack keeps 13 at 13 where it comes out as 12.999…
        return float(np.ceil(value - 1e-9) if up else np.floor(value + 1e-9))


def kt(
    sequence: LettersLike,
    *,
    rounding: str = "floor",
    n_time: int = 6,
    offset: float = 1.0,
    longest: int = LONGEST,
) -> float:
    """Kt of a series with its answer, on the *reconstructed* machine.

    Unrounded with `rounding="none"`. Programs of more than `longest` instructions are not looked at; a series
    that none of them writes is refused after some 5 s of search.
    (Generality supplement, A.2.)

    >>> kt("adgjm"), kt("aaabbbcc"), round(kt("adgjm", rounding="none"), 4)
    (9.0, 8.0, 9.7549)
    """
    scale = KtScale(rounding, n_time, offset)
    return scale.rounded(float(best_program(sequence, scale=scale, longest=longest)["kt"]))


def best_program(
    sequence: LettersLike, *, scale: KtScale | None = None, longest: int = LONGEST
) -> pd.Series:
    """The program behind Kt: `program`, `length`, `steps` (to letter `n_time`) and unrounded `kt`.

    Reference: Generality supplement, A.2.

    >>> best_program("acbdced")["program"]
    'WRITE SUCC SUCC WRITE PRED LOOPTOP'
    """
    codes = letters_of("sequence", sequence)
    found = _cheapest(tuple(codes), -1, scale or KtScale(), integer("longest", longest), 0.0)
    return found.iloc[0].drop("letter")


def continuations(
    pattern: LettersLike,
    *,
    margin: float = 1.0,
    scale: KtScale | None = None,
    longest: int = LONGEST,
) -> pd.DataFrame:
    """Every letter for the gap `_` whose best program costs at most `margin` more than the best of all.

    A pattern without a gap is asked for its next letter. Cheapest first; Kt is unrounded.
    (Generality supplement, A.2.)

    >>> continuations("adgj")[["letter", "kt", "program"]].round(2).values.tolist()
    [['m', 9.75, 'WRITE SUCC SUCC SUCC LOOPTOP']]
    >>> continuations("ab_bcacdb", margin=0)["letter"].tolist()
    ['z']
    """
    codes, gap = pattern_of(pattern)
    beyond = number("margin", margin, 0, 5)
    return _cheapest(codes, gap, scale or KtScale(), integer("longest", longest), beyond)


def predict(pattern: LettersLike, *, longest: int = LONGEST) -> str:
    """The letter that the best program puts into the gap, or at the end. (Generality supplement, A.2.)

    >>> predict("adgj"), predict("hgf_dcba")
    ('m', 'e')
    """
    return str(continuations(pattern, margin=0, longest=longest)["letter"].iloc[0])


def pattern_of(pattern: LettersLike) -> tuple[tuple[int, ...], int]:
    """A series with one gap (-1), and where it is; a series without one gets it at its end.

    >>> pattern_of("abc")
    ((0, 1, 2, -1), 3)
    """
    gaps = list(pattern).count("_") if isinstance(pattern, (str, list, tuple)) else 0
    codes = letters_of("pattern", pattern, gaps=min(gaps, 1))
    whole = tuple(codes) if gaps else (*codes, -1)
    return whole, whole.index(-1)


@lru_cache(maxsize=4096)
def _found(
    codes: tuple[int, ...], gap: int, scale: KtScale, longest: int, margin: float
) -> pd.DataFrame | None:
    """Widen the bound until a program is found, then once more by the margin."""
    steps = [bound for bound in range(4, 16) if bound < HIGHEST]
    for bound in (*steps, HIGHEST):  # beyond 15, two small steps cost more than a large one
        answer = searched(codes, gap, scale, longest, bound, margin)
        best = answer[0].min()
        if np.isfinite(best):
            break
    else:
        return None
    if best + margin > bound:
        answer = searched(codes, gap, scale, longest, best + margin + 1e-9, margin)
    return _table(*answer, margin)


def searched(
    codes: tuple[int, ...], gap: int, scale: KtScale, longest: int, bound: float, margin: float
) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
    """Cost, length, steps and code of the cheapest program for each letter (`kernel.search`), or an
    error where that takes too long."""
    from gindex_lab.worlds.tasks.letter_series.kernel import MOST_STEPS, search

    pattern = np.array(codes, dtype=np.int64)
    offset = float(scale.offset)
    found = search(pattern, gap, longest, scale.n_time, offset, float(bound), margin)
    cost, length, steps, code, effort = found
    if effort > MOST_STEPS:
        problem = (
            f"[too-large] needs more than {MOST_STEPS:,} steps of "
            f"search, the limit, up to Kt {bound:.0f}"
        )
        remedy = "use a smaller longest or margin, a larger n_time, or a more regular series"
        raise BadInput("longest", longest, problem, remedy)
    return cost, length, steps, code


def _cheapest(
    codes: tuple[int, ...], gap: int, scale: KtScale, longest: int, margin: float
) -> pd.DataFrame:
    if longest > 14:
        problem = "[too-slow] takes days to enumerate"
        raise BadInput("longest", longest, problem, "use 14 or fewer instructions")
    found = _found(codes, gap, scale, longest, margin)
    if found is None:
        series = "".join("_" if code < 0 else ALPHABET[code] for code in codes)
        problem = f"[no-program] has no program of up to {longest} instructions with Kt below {HIGHEST:.0f}"
        remedy = "allow a larger longest=..., or take a more regular series"
        raise BadInput("sequence", series, problem, remedy)
    return found.copy()


def _table(
    cost: FloatArray, length: IntArray, steps: IntArray, code: IntArray, margin: float
) -> pd.DataFrame:
    near = np.flatnonzero(cost <= cost.min() + margin + 1e-9)
    near = near[np.argsort(cost[near], kind="stable")]
    return pd.DataFrame(
        {
            "letter": [ALPHABET[k] for k in near],
            "kt": cost[near],
            "length": length[near],
            "steps": steps[near],
            "program": [text_of(int(code[k])) for k in near],
        }
    )


Scale = KtScale  # its name until November 2026
