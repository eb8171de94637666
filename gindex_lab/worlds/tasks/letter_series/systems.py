"""Programs that answer letter series: the systems of Table S3, and one that searches for a program.

A system is a function of the series as shown (letters, `_` for the gap) to a letter, or None where it will
not guess. Right is 1, wrong 0, no guess 0.2: with five options and a quarter off for a wrong answer,
guessing gains nothing. The rules are those behind the published table, which they reproduce but for two
slips of hand in it (`SLIPS`). `halfright` (random) and `magic` (MagicHaskeller) are known by their data
alone; in place of the latter stands `Induction`. Generality supplement, A.2, Table S3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import integer
from gindex_lab.worlds.tasks.letter_series.kt import (
    KtScale,
    best_program,
    continuations,
    pattern_of,
)
from gindex_lab.worlds.tasks.letter_series.machine import ALPHABET
from gindex_lab.worlds.tasks.letter_series.table import LETTERS, table

__all__ = [
    "NO_GUESS",
    "SLIPS",
    "SYSTEMS",
    "Induction",
    "computed",
    "differences",
    "fit",
    "shown_and_answer",
]

NO_GUESS = 0.2
# where the published table and the rules differ: in both a difference or a letter was misread by hand
SLIPS = {("last", "IT9"): (0.0, 1.0), ("repdiff", "AIT4"): (0.2, 1.0)}
System = Callable[[Sequence[str]], str | None]


def constant(letter: str) -> System:
    """Always the same letter.

    >>> constant("x")(["a", "b", "_"])
    'x'
    """
    return lambda shown: letter


def freq(shown: Sequence[str]) -> str | None:
    """The most frequent letter that is shown; of several, the first of the alphabet.

    >>> freq("abb_")
    'b'
    """
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
    """Every second letter, counted from the gap, if these go in equal steps around the alphabet.

    >>> alternate("aczbya_"), alternate("aaabbbc_")
    ('x', None)
    """
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

    >>> repdiff("abdeg_"), repdiff("axyv_tu")
    ('h', 'w')
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
    what it writes; no guess where none fits. It stands where MagicHaskeller stood in Table S3.

    >>> Induction(5)("adgj_"), Induction(3)("adgj_")
    ('m', None)
    """

    longest: int = 7

    def __call__(self, shown: Sequence[str]) -> str | None:
        limit = integer("longest", self.longest)
        if len(shown) <= LETTERS and limit <= 9:
            found = table(max(limit, 6)).shorter(limit).continuations(list(shown))
            return None if found.empty else str(found["letter"].iloc[0])
        try:
            return str(continuations(list(shown), margin=0, longest=limit)["letter"].iloc[0])
        except BadInput:  # no program of this length: no guess
            return None


def shown_and_answer(items: Sequence[Any] | pd.DataFrame) -> list[tuple[str, tuple[str, ...], str]]:
    """Name, series with its gap, and answer of each item: of our own, or of the published table.

    >>> table = pd.DataFrame({"sequence": ["a,d,g,j"], "answer": ["m"]}, index=["IT8"])
    >>> shown_and_answer(table)
    [('IT8', ('a', 'd', 'g', 'j', '_'), 'm')]
    """
    if not isinstance(items, pd.DataFrame):
        if not isinstance(items, Sequence) or any(not hasattr(x, "shown") for x in items):
            problem = "[not-items] are not items"
            raise BadInput("items", items, problem, "pass generate(...), or a table of them")
        return [(x.name, tuple(x.shown), x.answer) for x in items]
    for column in ("sequence", "answer"):
        if column not in items:
            problem = f"[no-column] has no column {column!r}: the series themselves are not in it"
            raise BadInput("items", list(items.columns), problem, "use a data folder that has them")
    found = []
    for name, sequence, answer in zip(items.index, items["sequence"], items["answer"], strict=True):
        letters = tuple(str(sequence).replace(" ", "").split(","))
        found.append((str(name), letters if "_" in letters else (*letters, "_"), str(answer)))
    return found


def computed(
    items: Sequence[Any] | pd.DataFrame, systems: Mapping[str, System] | None = None
) -> Responses:
    """What each system scores on each item: agents x items, 1, 0 or 0.2. (Generality supplement, A.2.)

    >>> table = pd.DataFrame({"sequence": ["a,d,g,j", "a,a,_,c"], "answer": ["m", "b"],
    ...                       "difficulty": [9, 8]}, index=["one", "two"])
    >>> computed(table).frame.loc[["repdiff", "last"]].values.tolist()
    [[1.0, 0.2], [0.0, 0.0]]
    """
    facts = shown_and_answer(items)
    methods = SYSTEMS if systems is None else systems
    rows = {
        name: [_score(method(shown), answer) for _, shown, answer in facts]
        for name, method in methods.items()
    }
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=[name for name, _, _ in facts])
    return Responses(frame, items=_facts(items), source="own experiment", name="letter series")


def _score(said: str | None, answer: str) -> float:
    return NO_GUESS if said is None else float(said == answer)


def _facts(items: object) -> pd.DataFrame | None:
    """What is known of the items beside the series: difficulty and kind."""
    if isinstance(items, pd.DataFrame):
        kept = items[[column for column in ("difficulty", "kind") if column in items]]
        return kept if len(kept.columns) else None
    assert isinstance(items, Sequence)
    facts = {x.name: {"difficulty": x.difficulty, "kind": x.kind} for x in items}
    return pd.DataFrame.from_dict(facts, orient="index")


def differences(published: Responses, ours: Responses) -> pd.DataFrame:
    """Where computed and published responses of the same systems differ: system, item, both values.

    Reference: Generality supplement, A.2.

    >>> one = Responses(pd.DataFrame({"IT1": [1.0], "IT2": [0.2]}, index=["last"]))
    >>> other = Responses(pd.DataFrame({"IT1": [1.0], "IT2": [0.0]}, index=["last"]))
    >>> differences(one, other).values.tolist()
    [['last', 'IT2', 0.2, 0.0]]
    """
    both = [name for name in ours.frame.index if name in published.frame.index]
    theirs = published.select(agents=both, items=list(ours.frame.columns)).frame
    place = np.argwhere(theirs.to_numpy() != ours.frame.loc[both].to_numpy())
    rows = [
        (both[i], theirs.columns[j], theirs.iloc[i, j], ours.frame.loc[both].iloc[i, j])
        for i, j in place
    ]
    return pd.DataFrame(rows, columns=["system", "item", "published", "computed"])


def fit(items: pd.DataFrame, *, longest: int = 9) -> pd.DataFrame:
    """`published` difficulty, unrounded `kt` and `reconstructed` (rounded down) of each item, NaN where no
    program of up to `longest` instructions writes the series with its answer.

    Up to 9 instructions a series is looked up in the table; more take a search of seconds each.
    (Generality supplement, A.2.)

    >>> items = pd.DataFrame({"sequence": ["a,d,g,j"], "answer": ["m"], "difficulty": [9]}, ["IT8"])
    >>> fit(items).round(2).values.tolist()
    [[9.0, 9.75, 9.0]]
    """
    limit = integer("longest", longest)
    if "difficulty" not in items:
        problem = "[no-column] has no column 'difficulty' to compare with"
        raise BadInput("items", list(items.columns), problem, "pass gl.load('ctest').items")
    rows = {}
    for name, shown, answer in shown_and_answer(items):
        price = _price("".join(shown).replace("_", answer), limit)
        rows[name] = {
            "published": items["difficulty"].loc[name],
            "kt": price,
            "reconstructed": KtScale().rounded(price),
        }
    return pd.DataFrame.from_dict(rows, orient="index").astype({"published": int})


def _price(series: str, longest: int) -> float:
    """Unrounded Kt; from the table where no longer program is asked for, or none could be cheaper."""
    if len(series) <= LETTERS:
        known = table(9).shorter(longest).kt(series)
        longer = KtScale().cost(10, 6)  # no program of ten instructions costs less
        if known <= longer or (longest <= 9 and np.isfinite(known)):
            return known
        if longest <= 9:
            return np.nan
    try:
        return float(best_program(series, longest=longest)["kt"])
    except BadInput:  # no such program
        return np.nan
