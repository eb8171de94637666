r"""Kt of a letter series on the reconstructed machine, by exhaustive search.

Levin's complexity weighs the length of a program against the logarithm of its time. With l the number of
instructions and t the steps made when letter number `n_time` is written,

.. math:: Kt(x) = \min_{p: p \text{ writes } x} \lfloor l(p) + \log_2(t(p) + \mathrm{offset}) \rfloor

over all canonical programs that write the whole series, up to a rotation of the alphabet. Rounding,
`n_time` and `offset` are *reconstructed*: chosen, with the jumps, to fit 35 published difficulties.
Generality supplement, A.2 and Fig S9.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import LettersLike, NumbersLike
from gindex_lab.foundation.validate import FloatArray, IntArray, integer, numbers
from gindex_lab.worlds.tasks.letter_series.machine import ALPHABET, letters_of, text_of

__all__ = ["KtScale", "best_program", "continuations", "kt", "pattern_of", "predict", "searched", "tabled"]

LONGEST = 11  # instructions of the shortest program of the hardest published item
HIGHEST = 17.0  # the search for a first program goes no further: a judgement (some 5 s)
# what does not fit: n_time beyond 12 is longer than any item, 15 instructions take days to enumerate
_LATEST_TIME, _MOST_INSTRUCTIONS = 12, 14
Rounding = Literal["floor", "nearest", "ceiling", "none"]


@dataclass(frozen=True)
class KtScale:
    """How length and time become Kt; the defaults are those of the reconstruction.

    Parameters
    ----------
    rounding : how l + log₂(t + offset) is rounded
    n_time : t is the number of steps when this letter is written, 1 to 12
    offset : added to t, 0 or more

    References
    ----------
    Generality supplement, A.2.

    Examples
    --------
    >>> KtScale().rounded(9.75), KtScale(rounding="none").rounded(9.75)
    (9.0, 9.75)
    """

    rounding: Rounding = "floor"
    n_time: int = 6
    offset: float = 1.0

    def __post_init__(self) -> None:
        problem = f"[too-many] is more than the {_LATEST_TIME} letters that are supported"
        fits = integer("n_time", self.n_time) <= _LATEST_TIME
        ensure(fits, "n_time", self.n_time, problem, f"use 1 to {_LATEST_TIME}")

    def cost(self, length: NumbersLike, steps: NumbersLike) -> FloatArray:
        """l + log₂(t + offset), unrounded."""
        instructions, time = numbers("length", length), numbers("steps", steps)
        alike = instructions.shape == time.shape or not (instructions.ndim and time.ndim)
        ensure(alike, "steps", time.shape, "[wrong-shape] has another shape than length", "match them")
        return np.asarray(instructions + np.log2(time + self.offset))

    def rounded(self, value: float) -> float:
        """Kt as it is reported; the slack keeps 13 at 13 where it comes out as 12.999…"""
        if self.rounding == "floor":
            return float(np.floor(value + 1e-9))
        if self.rounding == "ceiling":
            return float(np.ceil(value - 1e-9))
        return float(np.round(value) if self.rounding == "nearest" else value)


def kt(
    sequence: LettersLike,
    *,
    rounding: Rounding = "floor",
    n_time: int = 6,
    offset: float = 1.0,
    longest: int = LONGEST,
) -> float:
    """Kt of a series with its answer, on the *reconstructed* machine.

    Parameters
    ----------
    sequence : the series with its answer, as `"adgjm"` or a list of letters
    rounding, n_time, offset : how length and time become Kt (`KtScale`); "none" leaves it unrounded
    longest : the most instructions a program may have, up to 14

    Returns
    -------
    float : the least Kt of all programs that write the series. A series that none of them writes is refused
        after some 5 s of search.

    References
    ----------
    Generality supplement, A.2. Levin (1973), Problems of Information Transmission 9, 265-266.

    Examples
    --------
    >>> kt("adgjm"), kt("aaabbbcc"), round(kt("adgjm", rounding="none"), 4)
    (9.0, 8.0, 9.7549)
    """
    scale = KtScale(rounding, n_time, offset)
    return scale.rounded(float(best_program(sequence, scale=scale, longest=longest)["kt"]))


def best_program(sequence: LettersLike, *, scale: KtScale | None = None, longest: int = LONGEST) -> pd.Series:
    """The cheapest program that writes a series: the one behind its Kt.

    Parameters
    ----------
    sequence : the series with its answer
    scale : how length and time become Kt; that of the reconstruction by default
    longest : the most instructions a program may have, up to 14

    Returns
    -------
    Series : `program`, `length`, `steps` (to letter `n_time`) and `kt`, unrounded

    References
    ----------
    Generality supplement, A.2.

    Examples
    --------
    >>> best_program("acbdced")["program"]
    'WRITE SUCC SUCC WRITE PRED LOOPTOP'
    """
    codes = letters_of("sequence", sequence)
    return _cheapest(codes, -1, scale or KtScale(), longest, 0.0).iloc[0].drop("letter")


def continuations(
    pattern: LettersLike, *, margin: float = 1.0, scale: KtScale | None = None, longest: int = LONGEST
) -> pd.DataFrame:
    """Every letter for the gap of a series whose best program costs little more than the best of all.

    Parameters
    ----------
    pattern : a series with one gap `_`; without a gap, its next letter is asked for
    margin : how much more than the cheapest answer a letter may cost, 0 to 5
    scale, longest : as for `best_program`

    Returns
    -------
    DataFrame : `letter`, `kt` (unrounded), `length`, `steps` and `program`, the cheapest first

    References
    ----------
    Generality supplement, A.2.

    Examples
    --------
    >>> continuations("adgj")[["letter", "kt", "program"]].round(2).values.tolist()
    [['m', 9.75, 'WRITE SUCC SUCC SUCC LOOPTOP']]
    >>> continuations("ab_bcacdb", margin=0)["letter"].tolist()
    ['z']
    """
    return _cheapest(*pattern_of(pattern), scale or KtScale(), longest, float(margin))


def predict(pattern: LettersLike, *, longest: int = LONGEST) -> str:
    """The letter that the best program puts into the gap of a series, or at its end.

    Parameters
    ----------
    pattern, longest : as for `continuations`

    Returns
    -------
    str : the letter

    References
    ----------
    Generality supplement, A.2.

    Examples
    --------
    >>> predict("adgj"), predict("hgf_dcba")
    ('m', 'e')
    """
    return str(continuations(pattern, margin=0, longest=longest)["letter"].iloc[0])


def pattern_of(pattern: LettersLike) -> tuple[tuple[int, ...], int]:
    """A series with one gap (-1), and where it is; a series without one gets it at its end."""
    gaps = list(pattern).count("_") if isinstance(pattern, (str, list, tuple)) else 0
    codes = letters_of("pattern", pattern, gaps=min(gaps, 1))
    whole = codes if gaps else (*codes, -1)
    return whole, whole.index(-1)


def tabled(letters: IntArray, rows: IntArray, columns: Sequence[np.ndarray]) -> pd.DataFrame:
    """Answers as a table, one row each: these rows of cost, length, steps and packed program."""
    found = pd.DataFrame({"letter": [ALPHABET[k] for k in letters]})
    found["kt"], found["length"], found["steps"], code = (column[rows] for column in columns)
    return found.assign(program=[text_of(number) for number in code.tolist()])


def searched(
    codes: tuple[int, ...], gap: int, scale: KtScale, longest: int, bound: float, margin: float
) -> tuple[np.ndarray, ...]:
    """Cost, length, steps and code of the cheapest program for each letter (`kernel.search`), or an error
    where that takes too long."""
    from gindex_lab.worlds.tasks.letter_series.kernel import MOST_STEPS, search

    pattern = np.array(codes, dtype=np.int64)
    found = search(pattern, gap, longest, scale.n_time, float(scale.offset), float(bound), margin)
    problem = f"[too-large] needs more than {MOST_STEPS:,} steps of search, the limit, up to Kt {bound:.0f}"
    remedy = "use a smaller longest or margin, a larger n_time, or a more regular series"
    ensure(found[4] <= MOST_STEPS, "longest", longest, problem, remedy)
    return found[:4]


@lru_cache(maxsize=4096)
def _found(
    codes: tuple[int, ...], gap: int, scale: KtScale, longest: int, margin: float
) -> pd.DataFrame | None:
    """Widen the bound until a program is found, then once more by the margin."""
    for bound in (*range(4, min(16, int(HIGHEST))), HIGHEST):  # beyond 15, one large step costs less than two
        answer = searched(codes, gap, scale, longest, bound, margin)
        best = answer[0].min()
        if np.isfinite(best):
            break
    else:
        return None
    if best + margin > bound:
        answer = searched(codes, gap, scale, longest, best + margin + 1e-9, margin)
    cost = answer[0]
    near = np.flatnonzero(cost <= cost.min() + margin + 1e-9)
    near = near[np.argsort(cost[near], kind="stable")]
    return tabled(near, near, answer)


def _cheapest(codes: tuple[int, ...], gap: int, scale: KtScale, longest: int, margin: float) -> pd.DataFrame:
    problem, remedy = "[too-slow] takes days to enumerate", f"use {_MOST_INSTRUCTIONS} or fewer instructions"
    ensure(longest <= _MOST_INSTRUCTIONS, "longest", longest, problem, remedy)
    found = _found(codes, gap, scale, longest, margin)
    if found is None:
        series = "".join("_" if code < 0 else ALPHABET[code] for code in codes)
        problem = f"[no-program] has no program of up to {longest} instructions with Kt below {HIGHEST:.0f}"
        remedy = "allow a larger longest=..., or take a more regular series"
        raise BadInput("sequence", series, problem, remedy)
    return found.copy()


Scale = KtScale  # its name until November 2026
