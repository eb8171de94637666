"""Programs that answer letter series: the systems of Table S3, and one that searches for a program.

A system is a function of the series as shown (letters, `_` for the gap) that gives a letter, or None where it
does not guess. Right is 1, wrong 0, no guess 0.2: with five options and a quarter off for a wrong answer,
guessing gains nothing. The rules are those behind the published table, which they reproduce except for two
slips of the pen in it (`SLIPS`). Of `halfright` (random) and `magic` (MagicHaskeller) only the data are
known; `Induction` takes the place of the latter. Generality supplement, A.2, Table S3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.responses import Responses
from gindex_lab.worlds.tasks.letter_series.kt import KtScale, best_program, continuations, pattern_of
from gindex_lab.worlds.tasks.letter_series.machine import ALPHABET
from gindex_lab.worlds.tasks.letter_series.table import LETTERS, table

__all__ = ["NO_GUESS", "SLIPS", "SYSTEMS", "Induction", "computed", "differences", "fit", "shown_and_answer"]

NO_GUESS = 0.2  # (0 + 0.25) / 1.25, where a wrong answer costs 0.25 (generality supplement, A.2)
_TABLED = 9  # instructions up to which the table is made in seconds
# where the published table and the rules differ: in both, a letter or a difference was misread by hand
SLIPS = {("last", "IT9"): (0.0, 1.0), ("repdiff", "AIT4"): (0.2, 1.0)}
System = Callable[[Sequence[str]], str | None]


def constant(letter: str) -> System:
    """Always the same letter."""
    return lambda shown: letter


def freq(shown: Sequence[str]) -> str | None:
    """The most frequent letter that is shown; of several, the first of the alphabet."""
    counts = Counter(letter for letter in shown if letter != "_")
    return min(counts, key=lambda letter: (-counts[letter], letter))


def last(shown: Sequence[str]) -> str | None:
    """The letter before the gap; `a` where the gap comes first.

    >>> last("abc_"), last("_bc")
    ('c', 'a')
    """
    gap = list(shown).index("_")
    return shown[gap - 1] if gap else "a"


def alternate(shown: Sequence[str]) -> str | None:
    """Every second letter, counted from the gap, if these go in equal steps around the alphabet."""
    codes, gap = pattern_of(list(shown))
    places = [place for place in range(gap % 2, len(codes), 2) if place != gap]
    if len(places) < 2:
        return None
    for step in range(26):
        start = codes[places[0]] - step * (places[0] // 2)
        if all((start + step * (place // 2) - codes[place]) % 26 == 0 for place in places):
            return ALPHABET[(start + step * (gap // 2)) % 26]
    return None


def repdiff(shown: Sequence[str]) -> str | None:
    """Differences between neighbours that repeat: at the end of a series the shortest run that stands
    there twice is said once more; in a gap, the letter that makes all differences periodic.
    """
    codes, gap = pattern_of(list(shown))
    if gap == len(codes) - 1:
        steps = np.diff(codes[:-1]) % 26
        for run in range(1, len(steps) // 2 + 1):
            if (steps[-run:] == steps[-2 * run : -run]).all():
                return ALPHABET[(codes[-2] + int(steps[-run])) % 26]
        return None
    for run in range(1, (len(codes) - 1) // 2 + 1):
        for letter in range(26):
            steps = np.diff([letter if code < 0 else code for code in codes]) % 26
            if (steps[run:] == steps[:-run]).all():
                return ALPHABET[letter]
    return None


SYSTEMS: Mapping[str, System] = {
    "freq": freq,
    "last": last,
    **{letter: constant(letter) for letter in "xyzabc"},
    "repdiff": repdiff,
    "alternate": alternate,
}


@dataclass(frozen=True)
class Induction:
    """Searches all programs of up to `longest` instructions for the one of least Kt that fits, and says
    what it writes; no guess where none fits. It takes the place of MagicHaskeller in Table S3.

    >>> Induction(5)("adgj_"), Induction(3)("adgj_")
    ('m', None)
    """

    longest: int = 7

    def __call__(self, shown: Sequence[str]) -> str | None:
        if len(shown) <= LETTERS and self.longest <= _TABLED:
            found = table(max(self.longest, 6)).shorter(self.longest).continuations(list(shown))
            return None if found.empty else str(found["letter"].iloc[0])
        try:
            return str(continuations(list(shown), margin=0, longest=self.longest)["letter"].iloc[0])
        except BadInput:  # no program of this length: no guess
            return None


def shown_and_answer(items: Sequence[Any] | pd.DataFrame) -> list[tuple[str, tuple[str, ...], str]]:
    """Name, series with its gap, and answer of each item: of `generate`, or of the published table."""
    if not isinstance(items, pd.DataFrame):
        ours = isinstance(items, Sequence) and all(hasattr(x, "shown") for x in items)
        ensure(ours, "items", items, "[not-items] are not items", "pass generate(...), or a table of them")
        return [(x.name, tuple(x.shown), x.answer) for x in items]
    for column in ("sequence", "answer"):
        problem = f"[no-column] has no column {column!r}: the series themselves are not in it"
        ensure(column in items, "items", list(items.columns), problem, "use a data folder that has them")
    found = []
    for name, sequence, answer in zip(items.index, items["sequence"], items["answer"], strict=True):
        letters = tuple(str(sequence).replace(" ", "").split(","))
        found.append((str(name), letters if "_" in letters else (*letters, "_"), str(answer)))
    return found


def computed(items: Sequence[Any] | pd.DataFrame, systems: Mapping[str, System] | None = None) -> Responses:
    """What each system scores on each item.

    Parameters
    ----------
    items : what `generate` gave, or a table with `sequence` and `answer`
    systems : functions of the letters shown, by name; those of Table S3 by default

    Returns
    -------
    Responses : systems x items: 1 (right), 0 (wrong) or 0.2 (no guess)

    References
    ----------
    Generality supplement, A.2, Table S3.

    Examples
    --------
    >>> table = pd.DataFrame({"sequence": ["a,d,g,j", "a,a,_,c"], "answer": ["m", "b"],
    ...                       "difficulty": [9, 8]}, index=["one", "two"])
    >>> computed(table).frame.loc[["repdiff", "last"]].values.tolist()
    [[1.0, 0.2], [0.0, 0.0]]
    """
    asked = shown_and_answer(items)
    rows = {}
    for name, method in (SYSTEMS if systems is None else systems).items():
        said = [(method(shown), answer) for _, shown, answer in asked]
        rows[name] = [NO_GUESS if letter is None else float(letter == answer) for letter, answer in said]
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=[name for name, _, _ in asked])
    if isinstance(items, pd.DataFrame):
        facts = items[[column for column in ("difficulty", "kind") if column in items]]
    else:
        about = {x.name: {"difficulty": x.difficulty, "kind": x.kind} for x in items}
        facts = pd.DataFrame.from_dict(about, orient="index")
    return Responses(frame, items=facts, source="own experiment", name="letter series")


def differences(published: Responses, ours: Responses) -> pd.DataFrame:
    """Where computed and published responses of the same systems differ.

    Parameters
    ----------
    published : the published responses, such as `gl.load("ctest")`
    ours : what `computed` gave for the same items

    Returns
    -------
    DataFrame : `system`, `item`, `published` and `computed`, one row for each difference

    References
    ----------
    Generality supplement, A.2, Table S3.

    Examples
    --------
    >>> one = Responses(pd.DataFrame({"IT1": [1.0], "IT2": [0.2]}, index=["last"]))
    >>> other = Responses(pd.DataFrame({"IT1": [1.0], "IT2": [0.0]}, index=["last"]))
    >>> differences(one, other).values.tolist()
    [['last', 'IT2', 0.2, 0.0]]
    """
    both = [name for name in ours.frame.index if name in published.frame.index]
    theirs = published.select(agents=both, items=list(ours.frame.columns)).frame
    table = pd.DataFrame({"published": theirs.stack(), "computed": ours.frame.loc[both].stack()})
    return table[table["published"] != table["computed"]].rename_axis(["system", "item"]).reset_index()


def fit(items: pd.DataFrame, *, longest: int = 9) -> pd.DataFrame:
    """How well the reconstruction gives back published difficulties.

    Parameters
    ----------
    items : a table with `sequence`, `answer` and `difficulty`, such as `gl.load("ctest").items`
    longest : the most instructions; up to 9 a series is looked up, with more it takes seconds to search

    Returns
    -------
    DataFrame : by item: `published` difficulty, unrounded `kt` and `reconstructed` (rounded down), NaN where
        no program of that length writes the series with its answer

    References
    ----------
    Generality supplement, A.2.

    Examples
    --------
    >>> items = pd.DataFrame({"sequence": ["a,d,g,j"], "answer": ["m"], "difficulty": [9]}, ["IT8"])
    >>> fit(items).round(2).values.tolist()
    [[9.0, 9.75, 9.0]]
    """
    problem = "[no-column] has no column 'difficulty' to compare with"
    ensure("difficulty" in items, "items", list(items.columns), problem, "pass gl.load('ctest').items")
    rows = {}
    for name, shown, answer in shown_and_answer(items):
        price = _price("".join(shown).replace("_", answer), longest)
        published = items["difficulty"].loc[name]
        rows[name] = {"published": published, "kt": price, "reconstructed": KtScale().rounded(price)}
    return pd.DataFrame.from_dict(rows, orient="index").astype({"published": int})


def _price(series: str, longest: int) -> float:
    """Unrounded Kt; from the table where no longer program is asked for, or none could be cheaper."""
    if len(series) <= LETTERS:
        known = table(_TABLED).shorter(longest).kt(series)
        if known <= KtScale().cost(_TABLED + 1, 6) or longest <= _TABLED:
            return known if np.isfinite(known) else np.nan
    try:
        return float(best_program(series, longest=longest)["kt"])
    except BadInput:  # no such program
        return np.nan
