"""Letter-series items with intrinsic difficulty, generated: stable, unquestionable, with five options.

Candidates are the outputs of the table of short programs. A candidate becomes an item of difficulty
h = ⌊Kt⌋ (Kt of the series with its answer, on the *reconstructed* machine) if it is

* *stable*: its program has entered a loop (the same WRITEs in turn, with a period of at most half the
  series), and without its first letter or two the series has the same Kt, give or take `tolerance`;
* *unquestionable*: every other answer costs more than `margin` above the best. As many letters are shown
  as this takes, from 4 to 12. Where longer programs than those of the table could be cheap enough (from
  h = 11 on), they are searched too, up to `rivals` instructions.

Generality supplement, A.2 (the two conditions, in words).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import generator, integer
from gindex_lab.worlds.tasks.letter_series.kt import KtScale, pattern_of, searched
from gindex_lab.worlds.tasks.letter_series.machine import ALPHABET, letters_of, run
from gindex_lab.worlds.tasks.letter_series.systems import NO_GUESS, alternate, freq, last, repdiff
from gindex_lab.worlds.tasks.letter_series.table import Table, table
from gindex_lab.worlds.tasks.sessions import ItemSession

__all__ = ["Filters", "Item", "SeriesSession", "generate", "is_stable", "items_table", "rotated"]
__all__ += ["shown_length"]

DIFFICULTIES = (7, 14)  # the published items have these (Fig. S9)
_FEWEST, _MOST = 4, 12  # letters shown: the published items have 4 to 12
_OPTIONS = 5  # as in the published test
_BEYOND = 8  # letters after the shown ones in which a program must go on looping: a judgement
Kind = Literal["prediction", "imputation"]


@dataclass(frozen=True)
class Filters:
    """What a candidate must pass: `margin` of unquestionability and `tolerance` of stability, in units of
    Kt; `wrap=False` forbids series that go from z on to a; series come from programs of up to `longest`
    instructions, and other answers are searched among those of up to `rivals`. (Generality supplement, A.2;
    the numbers are our choice: the paper has the conditions in words.)

    >>> Filters(wrap=False).longest <= Filters().rivals
    True
    """

    margin: float = 1.0
    tolerance: float = 1.0
    wrap: bool = True
    longest: int = 9
    rivals: int = 10


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
    kind: Kind = "prediction",
    filters: Filters | None = None,
) -> list[Item]:
    """Different items of given difficulties, in random rotations of the alphabet.

    Parameters
    ----------
    difficulty : 7 to 14, or several of them
    n : items at each difficulty
    seed : whole number or Generator
    kind : "prediction" (what comes next) or "imputation" (what is missing)
    filters : what an item must pass (`Filters`)

    Returns
    -------
    list of Item : in the order of the difficulties, named "h07-1" ("h07-i1" for imputation) and so on

    References
    ----------
    Generality supplement, A.2.

    Examples
    --------
    >>> item = generate(9, n=1, seed=3)[0]
    >>> item.difficulty, len(item.options), item.answer in item.options
    (9, 5, True)
    """
    levels, choices, rng = _levels(difficulty), filters or Filters(), generator(seed)
    programs = table(choices.longest)
    mark = "i" if kind == "imputation" else ""
    found: list[Item] = []
    for level in levels:
        made = list(islice(_items(programs, level, kind, choices, rng), n))
        problem = f"[too-many] is more than the {len(made)} {kind} items of difficulty {level} that pass"
        ensure(len(made) == n, "n", n, problem, "ask for fewer, or loosen filters=Filters(...)")
        found += [replace(item, name=f"h{level:02d}-{mark}{k}") for k, item in enumerate(made, 1)]
    return found


def _levels(difficulty: object) -> list[int]:
    given = [difficulty] if isinstance(difficulty, (int, float, np.number, str)) else difficulty
    low, high = DIFFICULTIES
    if not isinstance(given, Iterable):
        problem = "[not-a-difficulty] is not a difficulty"
        raise BadInput("difficulty", difficulty, problem, f"use {low} to {high}, or several")
    levels = [integer("difficulty", level) for level in given]
    for level in levels:
        ensure(low <= level <= high, "difficulty", level, "[no-items] has no items", f"use {low} to {high}")
    different = levels and len(set(levels)) == len(levels)
    problem = "[empty-or-duplicate] is empty or names one twice"
    ensure(different, "difficulty", levels, problem, "use each once")
    return levels


def _items(
    programs: Table, level: int, kind: Kind, filters: Filters, rng: np.random.Generator
) -> Iterator[Item]:
    """Items of one difficulty, each series once, in random order."""
    near = np.flatnonzero((programs.costs >= level) & (programs.costs < level + 1))
    outputs, seen = programs.outputs(), set()
    for row in rng.permutation(near):
        series = outputs[row]
        item = _item(programs, series, level, kind, filters, rng) if len(series) >= _MOST + 2 else None
        shape = item and rotated(item.whole, -ALPHABET.index(item.whole[0]))  # rotations are one series
        if item is not None and shape not in seen:
            seen.add(shape)
            yield item


def _item(
    programs: Table, series: str, level: int, kind: Kind, filters: Filters, rng: np.random.Generator
) -> Item | None:
    gap = None if kind == "prediction" else int(rng.integers(1, _FEWEST))
    n = shown_length(programs, series, gap=gap, margin=filters.margin)
    if n is None:
        return None
    whole, place = series[: n + 1], n if gap is None else gap
    asked = whole[:place] + "_" + whole[place + 1 :]
    answers = programs.continuations(asked)
    price, program = float(answers["kt"].iloc[0]), str(answers["program"].iloc[0])
    if KtScale().rounded(price) != level or not is_stable(programs, program, n + 1, filters.tolerance):
        return None
    shift = _shift(whole, filters.wrap, rng)
    if shift is None or _is_questioned(asked, whole[place], price, filters):
        return None
    shown, answer = tuple(rotated(asked, shift)), rotated(whole[place], shift)
    options = _options(shown, answer, [rotated(x, shift) for x in answers["letter"]], rng)
    return Item("", kind, shown, answer, options, level, price, program)


def _is_questioned(asked: str, answer: str, price: float, filters: Filters) -> bool:
    """Whether a program too long for the table gives another answer within the margin, or this for less."""
    scale, bound = KtScale(), price + filters.margin + 1e-9
    if filters.rivals <= filters.longest or scale.cost(filters.longest + 1, scale.n_time) > bound:
        return False
    costs = searched(*pattern_of(asked), scale, filters.rivals, bound, filters.margin)[0]
    return bool(costs.min() < price - 1e-9 or np.isfinite(np.delete(costs, ALPHABET.index(answer))).any())


def shown_length(programs: Table, series: str, *, gap: int | None = None, margin: float = 1.0) -> int | None:
    """How many letters must be shown for the answer to be beyond question.

    Parameters
    ----------
    programs : the table whose programs are the rivals
    series : at least 13 letters
    gap : the place of the answer, from 0; the letter after those shown by default
    margin : how much more every other answer must cost, 0 to 5

    Returns
    -------
    int or None : 4 to 12, None if 12 are too few

    References
    ----------
    Generality supplement, A.2 (unquestionability).

    Examples
    --------
    >>> shown_length(table(6), "abababababababab"), shown_length(table(6), "aaaabbbbccccdddd")
    (5, 5)
    """
    codes = letters_of("series", series)
    for n in range(_FEWEST, _MOST + 1):
        place = n if gap is None else gap
        ensure(place < len(codes), "series", series, "[too-short] is too short", f"give {_MOST + 1} letters")
        asked = (*codes[:place], -1, *codes[place + 1 : n + 1])
        letters, rows = programs.answers(asked, place)
        if len(rows) and letters[0] == codes[place]:
            price = programs.costs[rows[:2]]
            if len(rows) == 1 or price[1] > price[0] + margin + 1e-9:
                return n
    return None


def is_stable(programs: Table, program: str, letters: int, tolerance: float = 1.0) -> bool:
    """Whether a program has entered a loop, and its series keeps its Kt without its first letters.

    Parameters
    ----------
    programs : the table in which Kt is looked up
    program : the program that writes the series
    letters : the length of the series
    tolerance : how much Kt may change without the first letter or two, 0 to 5

    Returns
    -------
    bool

    Notes
    -----
    A one-off head is what costs more than `tolerance` to describe. One more WRITE before the loop costs 0.8,
    so that series such as e, e, g, i, k are stable by the rule (one unit of Kt), and not by a stricter one.

    References
    ----------
    Generality supplement, A.2 (no exceptions, no noise).

    Examples
    --------
    >>> is_stable(table(7), "WRITE SUCC WRITE SUCC SUCC LOOPTOP", 6)
    True
    >>> is_stable(table(7), "SUCC WRITE SUCC WRITE A=B WRITE LOOPS", 6)  # b, c, a, then c, a, c, a
    False
    >>> headed = "WRITE WRITE SUCC SUCC LOOPS"
    >>> is_stable(table(7), headed, 6), is_stable(table(7), headed, 6, tolerance=0.5)
    (True, False)
    """
    made = run(program, letters + _BEYOND)
    periods = range(1, letters // 2 + 1)
    looping = any(made.addresses[u:-u] == made.addresses[2 * u :] for u in periods)
    if made.halted or len(made.letters) < letters + _BEYOND or not looping:
        return False
    price, *later = (programs.kt(made.letters[cut : cut + letters]) for cut in range(3))
    return all(abs(other - price) <= tolerance + 1e-9 for other in later)


def rotated(letters: str, shift: int) -> str:
    """Letters moved along the circular alphabet; gaps stay."""
    return "".join(x if x == "_" else ALPHABET[(ALPHABET.index(x) + shift) % 26] for x in letters)


def _shift(whole: str, wrap: bool, rng: np.random.Generator) -> int | None:
    """A random rotation; without `wrap`, one in which no step goes around the end of the alphabet."""
    if wrap:
        return int(rng.integers(26))
    codes = np.array(letters_of("series", whole))
    steps = (np.diff(codes) + 12) % 26 - 12
    path = codes[0] + np.r_[0, np.cumsum(steps)]
    return None if np.ptp(path) > 25 else int(rng.integers(-path.min(), 26 - path.max()))


def _options(
    shown: Sequence[str], answer: str, rivals: Sequence[str], rng: np.random.Generator
) -> tuple[str, ...]:
    """The answer and four others: what simple rules would say, what other programs would, near letters."""
    said = [method(shown) for method in (repdiff, alternate, last, freq)]
    near = [rotated(answer, step) for step in (1, -1, 2, -2, 3)]
    wrong = [x for x in dict.fromkeys([*said, *rivals, *near]) if x is not None and x != answer]
    options = [answer, *wrong[: _OPTIONS - 1]]
    return tuple(options[k] for k in rng.permutation(_OPTIONS))


def items_table(items: Sequence[Item]) -> pd.DataFrame:
    """Items as a table, one row each: what `gl.Responses` takes as `items`.

    Parameters
    ----------
    items : what `generate` gave

    Returns
    -------
    DataFrame : by name: `kind`, `difficulty`, `kt (reconstruction)`, `sequence`, `answer` and `program`

    References
    ----------
    Generality supplement, A.2.

    Examples
    --------
    >>> list(items_table(generate(8, seed=1)))[:3]
    ['kind', 'difficulty', 'kt (reconstruction)']
    """
    columns = ["kind", "difficulty", "kt (reconstruction)", "sequence", "answer", "program"]
    rows = [(x.kind, x.difficulty, x.kt, ",".join(x.shown), x.answer, x.program) for x in items]
    return pd.DataFrame(rows, index=[x.name for x in items], columns=columns)


class SeriesSession(ItemSession):
    """One person who answers letter series: `answer(letter)` is right or wrong; `skip()` counts 0.2.

    Reference: generality supplement, A.2 (the scores of the C-test).

    >>> session = SeriesSession(generate([7, 8], n=1, seed=1))
    >>> session.answer(session.item.answer), session.skip(), session.finished
    (True, None, True)
    >>> session.responses().frame.loc["you"].tolist()
    [1.0, 0.2]
    """

    _type, _skipped, _name = Item, NO_GUESS, "letter series"

    def answer(self, option: str) -> bool:
        """Take one of the five options; True if it is right. On to the next item."""
        item: Item = self._current()
        problem = "[not-an-option] is not an option of this item"
        ensure(option in item.options, "option", option, problem, f"use one of {', '.join(item.options)}")
        self._record(float(option == item.answer))
        return option == item.answer


Session = SeriesSession  # its name until November 2026
