"""Letter-series items with intrinsic difficulty, generated: stable, unquestionable, with five options.

Candidates are the outputs of the table of short programs. A candidate becomes an item of difficulty
h = ⌊Kt⌋ (Kt of the series with its answer, on the *reconstructed* machine) if it is

* *stable*: its program has come into a loop (the same WRITEs in turn, with a period of at most half the
  series), and without its first letter or two the series has the same Kt, give or take `tolerance`;
* *unquestionable*: every other answer costs more than `margin` above the best. As many letters are shown
  as this takes, from 4 to 12. Longer programs than those of the table are searched too where they could be
  cheap enough (from h = 11 on), up to `rivals` instructions.

Generality supplement, A.2 (the two conditions, in words).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import choice, flag, generator, integer, number
from gindex_lab.worlds.tasks.letter_series.kt import KtScale, pattern_of, searched
from gindex_lab.worlds.tasks.letter_series.machine import ALPHABET, letters_of, run
from gindex_lab.worlds.tasks.letter_series.systems import alternate, freq, last, repdiff
from gindex_lab.worlds.tasks.letter_series.table import Table, table

__all__ = [
    "DIFFICULTIES",
    "Filters",
    "Item",
    "generate",
    "is_stable",
    "items_table",
    "rotated",
    "shown_length",
]

DIFFICULTIES = (7, 14)
KINDS = ("prediction", "imputation")
_FEWEST, _MOST, OPTIONS = 4, 12, 5


@dataclass(frozen=True)
class Filters:
    """What a candidate must pass: `margin` of unquestionability and `tolerance` of stability, in units of
    Kt; `wrap=False` forbids series that go from z on to a; series come from programs of up to `longest`
    instructions, and other answers are searched among those of up to `rivals`. (Generality supplement, A.2.)

    >>> Filters(wrap=False).longest <= Filters().rivals
    True
    """

    margin: float = 1.0
    tolerance: float = 1.0
    wrap: bool = True
    longest: int = 9
    rivals: int = 10

    def __post_init__(self) -> None:
        number("margin", self.margin, 0, 5)
        number("tolerance", self.tolerance, 0, 5)
        flag("wrap", self.wrap)
        if integer("longest", self.longest, 6) > 10:
            problem = "[out-of-range] makes too large a table"
            raise BadInput("longest", self.longest, problem, "use 6 to 10")
        if integer("rivals", self.rivals, 6) > 13:
            problem = "[out-of-range] takes hours to search"
            raise BadInput("rivals", self.rivals, problem, "use 6 to 13")


@dataclass(frozen=True)
class Item:
    """One question: the series as `shown` (`_` is the gap), five `options`, the `answer`; `difficulty` is
    `kt` of the reconstruction, rounded down. (Generality supplement, A.2.)"""

    name: str
    kind: str
    shown: tuple[str, ...]
    answer: str
    options: tuple[str, ...]
    difficulty: int
    kt: float
    program: str = field(repr=False)

    @property
    def text(self) -> str:
        """The series as people read it: `a, d, g, j, _`."""
        return ", ".join(self.shown)

    @property
    def whole(self) -> str:
        """The series with its answer."""
        return "".join(self.shown).replace("_", self.answer)


def generate(
    difficulty: int | Iterable[int] = range(7, 15),
    n: int = 1,
    seed: SeedLike = 1,
    *,
    kind: str = "prediction",
    filters: Filters | None = None,
) -> list[Item]:
    """`n` different items at each difficulty from 7 to 14, in random rotations of the alphabet.

    `kind` is "prediction" (what comes next) or "imputation" (what is missing).
    (Generality supplement, A.2.)

    >>> item = generate(9, n=1, seed=3)[0]
    >>> item.difficulty, len(item.options), item.answer in item.options
    (9, 5, True)
    """
    levels = _levels(difficulty)
    wanted, choices = integer("n", n), filters or Filters()
    choice("kind", kind, KINDS)
    rng = generator(seed)
    programs = table(choices.longest)
    found: list[Item] = []
    for level in levels:
        made = list(islice(_items(programs, level, kind, choices, rng), wanted))
        if len(made) < wanted:
            problem = f"[too-many] is more than the {len(made)} {kind} items of difficulty {level} that pass"
            raise BadInput("n", n, problem, "ask for fewer, or loosen filters=Filters(...)")
        mark = "i" if kind == "imputation" else ""
        found += [replace(x, name=f"h{level:02d}-{mark}{k + 1}") for k, x in enumerate(made)]
    return found


def _levels(difficulty: object) -> list[int]:
    given = [difficulty] if isinstance(difficulty, (int, float, np.number, str)) else difficulty
    if not isinstance(given, Iterable):
        raise BadInput(
            "difficulty",
            difficulty,
            "[not-a-difficulty] is not a difficulty",
            "use 7 to 14, or several",
        )
    low, high = DIFFICULTIES
    levels = [integer("difficulty", level) for level in given]
    for level in levels:
        if not low <= level <= high:
            raise BadInput("difficulty", level, "[no-items] has no items", f"use {low} to {high}")
    if not levels or len(set(levels)) < len(levels):
        raise BadInput(
            "difficulty",
            levels,
            "[empty-or-duplicate] is empty or names one twice",
            "use each once",
        )
    return levels


def _items(
    programs: Table, level: int, kind: str, filters: Filters, rng: np.random.Generator
) -> Iterator[Item]:
    """Items of one difficulty, each series once, in random order."""
    costs = programs.costs
    near = np.flatnonzero((costs >= level) & (costs < level + 1))
    outputs, codes = programs.outputs(), programs.code
    seen: set[str] = set()
    for row in rng.permutation(near):
        series = outputs[row]
        if len(series) < _MOST + 2 or not codes[row]:
            continue
        item = _item(programs, series, level, kind, filters, rng)
        if item is not None and _shape(item.whole) not in seen:
            seen.add(_shape(item.whole))
            yield item


def _shape(series: str) -> str:
    """The series rotated to begin with `a`: rotations are one series."""
    return rotated(series, -ALPHABET.index(series[0]))


def _item(
    programs: Table,
    series: str,
    level: int,
    kind: str,
    filters: Filters,
    rng: np.random.Generator,
) -> Item | None:
    gap = None if kind == "prediction" else int(rng.integers(1, _FEWEST))
    n = shown_length(programs, series, gap=gap, margin=filters.margin)
    if n is None:
        return None
    whole = series[: n + 1]
    place = n if gap is None else gap
    asked = whole[:place] + "_" + whole[place + 1 :]
    answers = programs.continuations(asked)
    price, program = float(answers["kt"].iloc[0]), str(answers["program"].iloc[0])
    if KtScale().rounded(price) != level or not is_stable(
        programs, program, n + 1, filters.tolerance
    ):
        return None
    shift = _shift(whole, filters.wrap, rng)
    if shift is None or _is_questioned(asked, whole[place], price, filters):
        return None
    shown = tuple(rotated(asked, shift))
    answer = rotated(whole[place], shift)
    options = _options(shown, answer, [rotated(x, shift) for x in answers["letter"]], rng)
    return Item("", kind, shown, answer, options, level, price, program)


def _is_questioned(asked: str, answer: str, price: float, filters: Filters) -> bool:
    """Whether a program too long for the table gives another answer within the margin, or this for less."""
    scale, bound = KtScale(), price + filters.margin + 1e-9
    if filters.rivals <= filters.longest or scale.cost(filters.longest + 1, scale.n_time) > bound:
        return False
    codes, gap = pattern_of(asked)
    costs = searched(codes, gap, scale, filters.rivals, bound, filters.margin)[0]
    return bool(
        costs.min() < price - 1e-9 or np.isfinite(np.delete(costs, ALPHABET.index(answer))).any()
    )


def shown_length(
    programs: Table, series: str, *, gap: int | None = None, margin: float = 1.0
) -> int | None:
    """How many letters must be shown for the answer to be beyond question, 4 to 12; None if 12 are too few.

    The answer is the next letter, or that at place `gap`; the rivals are all programs of the table.
    (Generality supplement, A.2.)

    >>> shown_length(table(6), "abababababababab"), shown_length(table(6), "aaaabbbbccccdddd")
    (5, 5)
    """
    codes = letters_of("series", series)
    for n in range(_FEWEST, _MOST + 1):
        place = n if gap is None else gap
        problem, remedy = "is too short", f"give {_MOST + 1} letters"
        ensure(place < len(codes), "series", series, problem, remedy)
        asked = (*codes[:place], -1, *codes[place + 1 : n + 1])
        letters, rows = programs.answers(asked, place)
        if not len(rows) or letters[0] != codes[place]:
            continue
        price = programs.costs[rows[:2]]
        if len(rows) == 1 or price[1] > price[0] + margin + 1e-9:
            return n
    return None


def is_stable(programs: Table, program: str, letters: int, tolerance: float = 1.0) -> bool:
    """Whether a program has come into a loop, and its series keeps its Kt without its first letters.

    Reference: Generality supplement, A.2.

    >>> is_stable(table(7), "WRITE SUCC WRITE SUCC SUCC LOOPTOP", 6)
    True
    >>> is_stable(table(7), "SUCC WRITE SUCC WRITE A=B WRITE LOOPS", 6)  # b, c, a, then c, a, c, a
    False

    A one-off head is what costs more than `tolerance` to describe. One more WRITE before the loop costs 0.8,
    so that series such as e, e, g, i, k are stable by the rule (one unit of Kt), and not by a stricter one:

    >>> headed = "WRITE WRITE SUCC SUCC LOOPS"
    >>> is_stable(table(7), headed, 6), is_stable(table(7), headed, 6, tolerance=0.5)
    (True, False)
    """
    made = run(program, letters + 8)
    if made.halted or len(made.letters) < letters + 8:
        return False
    periods = range(1, letters // 2 + 1)
    if not any(made.addresses[u:-u] == made.addresses[2 * u :] for u in periods):
        return False
    price = programs.kt(made.letters[:letters])
    later = [programs.kt(made.letters[cut : cut + letters]) for cut in (1, 2)]
    return all(abs(other - price) <= tolerance + 1e-9 for other in later)


def rotated(letters: str, shift: int) -> str:
    """Letters moved along the circular alphabet; gaps stay.

    >>> rotated("ay_", 3)
    'db_'
    """
    return "".join(x if x == "_" else ALPHABET[(ALPHABET.index(x) + shift) % 26] for x in letters)


def _shift(whole: str, wrap: bool, rng: np.random.Generator) -> int | None:
    """A random rotation; without `wrap`, one in which no step goes around the end of the alphabet."""
    if wrap:
        return int(rng.integers(26))
    codes = np.array(letters_of("series", whole))
    steps = (np.diff(codes) + 12) % 26 - 12
    path = codes[0] + np.r_[0, np.cumsum(steps)]
    if path.max() - path.min() > 25:
        return None
    return int(rng.integers(-path.min(), 26 - path.max()))


def _options(
    shown: Sequence[str], answer: str, rivals: Sequence[str], rng: np.random.Generator
) -> tuple[str, ...]:
    """The answer and four others: what simple rules would say, what other programs would, near letters."""
    said = [method(shown) for method in (repdiff, alternate, last, freq)]
    near = [rotated(answer, step) for step in (1, -1, 2, -2, 3)]
    wrong = [x for x in dict.fromkeys([*said, *rivals, *near]) if x is not None and x != answer]
    options = [answer, *wrong[: OPTIONS - 1]]
    return tuple(options[k] for k in rng.permutation(OPTIONS))


def items_table(items: Sequence[Item]) -> pd.DataFrame:
    """Items as a table, one row each: what `gl.Responses` takes as `items`.

    Reference: Generality supplement, A.2.

    >>> list(items_table(generate(8, seed=1)))[:3]
    ['kind', 'difficulty', 'kt (reconstruction)']
    """
    rows = {
        item.name: {
            "kind": item.kind,
            "difficulty": item.difficulty,
            "kt (reconstruction)": item.kt,
            "sequence": ",".join(item.shown),
            "answer": item.answer,
            "program": item.program,
        }
        for item in items
    }
    return pd.DataFrame.from_dict(rows, orient="index")
