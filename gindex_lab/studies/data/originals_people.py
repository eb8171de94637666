"""From the authors' files about people to the tidy form: personal columns stay behind.

The mazes and the letter series come with birth dates, identifiers, nationality, ethnicity, age and
IQ. What is kept: the answers, and for the mazes the three coarse groups that the paper compares
(gender, education, younger or older than the median). People are numbered in the authors' order. Of the rest
only sums that the paper prints are kept: how many people took part, the sizes of the groups of one
nationality or ethnicity, the youngest and the oldest age.

The expected layout of both archives is in `LAYOUT`, the one place to change if they change.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.studies.data.download import UNEXPECTED, OriginalArchive
from gindex_lab.studies.data.tidy import Tidy
from gindex_lab.worlds.tasks.mazes.paths import TABLE_S1 as MAZES
from gindex_lab.worlds.tasks.mazes.paths import difficulty

__all__ = ["LAYOUT", "MAZES", "maze_difficulty"]

LAYOUT = {
    # 530 people: X (row number), session, ssid, then 23 columns of 0 and 1
    "maze answers": "mazes.humans.data/cleanedJose.csv",
    # 496 of them, by session: gender, education, dobYear (and what we do not read)
    "maze people": "mazes.humans.data/demographics.csv",
    # No, Gender, Age, Studies, IQ, IT1..IT20, AIT1..AIT15; the first row holds the difficulties;
    # 1 right, -0.25 wrong, 0 no answer
    "letter answers": "ctest.data/ctest-data.csv",
    # one row an item; the third column is MagicHaskeller's response in [0, 1]
    "letter magic": "ctest.data/magichaskeller.csv",
    # one row an item; an item column, then one column a program, in [0, 1]
    "letter programs": "ctest.data/othermethods.csv",
}

# five mazes got new numbers in the second study; the paper prints their first numbers
_RENAMED = {"X216": "X266", "X217": "X267", "X225": "X268", "X227": "X270", "X233": "X271"}
_LETTER_ITEMS = [f"IT{i}" for i in range(1, 21)] + [f"AIT{i}" for i in range(1, 16)]
_YEAR_OF_STUDY = 2017  # in which ages are counted; younger and older than the median do not depend on it


def maze_difficulty(rank: int, saturation: float, steps: int, dots: int) -> float:
    """The difficulty of a maze, with the seven digits of the authors' table.

    >>> maze_difficulty(12, 0.2, 11, 7)
    9.525685
    """
    return float(f"{difficulty(rank, saturation, steps, dots):.7g}")


def mazes(archive: OriginalArchive) -> Tidy:
    """Mazes solved or not, for the people who gave their demographics, in the order of sessions."""
    columns = [_RENAMED.get(name, name) for name in MAZES]
    answers = archive.table(LAYOUT["maze answers"], ["session", *columns])
    wanted = ["session", "gender", "education", "dobYear"]
    known = archive.table(LAYOUT["maze people"], wanted)
    both = answers[["session", *columns]].merge(known[wanted], on="session")
    both = both.sort_values("session", key=_as_r_sorts, kind="stable")
    both.index = pd.Index([f"H{i + 1:03d}" for i in range(len(both))], name="agent")
    agents = pd.DataFrame(
        {
            "gender_code": both["gender"],
            "education_code": both["education"],
            "age_group": _age_group(both["dobYear"]),
        }
    )
    items = pd.DataFrame(
        {"difficulty": [maze_difficulty(*facts) for facts in MAZES.values()]}, index=list(MAZES)
    )
    analysed = known[known["session"].isin(answers["session"])]
    counts = pd.concat([pd.Series({"people with answers": len(answers)}), _group_sizes(analysed)])
    return Tidy(both[columns].set_axis(list(MAZES), axis=1), items, agents, counts=counts)


def _group_sizes(people: pd.DataFrame) -> pd.Series:
    """How many people share a nationality or an ethnicity, largest group first, without its code."""
    sizes: dict[str, int] = {}
    for name in ("nationality", "ethnicity"):
        groups = people[name].value_counts() if name in people else pd.Series(dtype=int)
        sizes |= {f"{name}, group {k}": int(n) for k, n in enumerate(groups, start=1)}
    return pd.Series(sizes, dtype=int)


def _as_r_sorts(key: pd.Series) -> pd.Series:
    """R's `merge`, which gave the authors their order, sorts words without regard to case."""
    return key if pd.api.types.is_numeric_dtype(key) else key.astype(str).str.casefold()


def _age_group(birth_year: pd.Series) -> pd.Series:
    """Younger or older than the median; unknown for ages that are not an adult's (as the authors)."""
    age = _YEAR_OF_STUDY - pd.to_numeric(birth_year, errors="coerce")
    age = age.where(age.between(18, 100))
    group = pd.Series(np.where(age < age.median(), "young", "old"), index=age.index, dtype=object)
    return group.where(age.notna())


def ctest(archive: OriginalArchive) -> Tidy:
    """Letter series: people's 1, 0, -0.25 mapped to [0, 1] by (r + 0.25)/1.25; programs as they are."""
    table = archive.table(LAYOUT["letter answers"], _LETTER_ITEMS, encoding="latin-1")
    raw = _numbers(LAYOUT["letter answers"], table[_LETTER_ITEMS])
    difficulty, people = raw.iloc[0], raw.iloc[1:]
    programs = _letter_programs(archive)
    names = [f"human{i + 1:02d}" for i in range(len(people))]
    responses = pd.concat([((people + 0.25) / 1.25).set_axis(names), programs])
    agents = pd.DataFrame(
        {"kind": ["human"] * len(people) + ["machine"] * len(programs)}, index=responses.index.rename("agent")
    )
    kinds = ["imputation" if name.startswith("A") else "prediction" for name in _LETTER_ITEMS]
    items = pd.DataFrame({"kind": kinds, "difficulty": difficulty}, index=_LETTER_ITEMS)
    ages = pd.to_numeric(table["Age"].iloc[1:], errors="coerce") if "Age" in table else None
    counts = None if ages is None else ages.agg({"youngest": "min", "oldest": "max"})
    return Tidy(responses, items, agents, counts=counts)


def _letter_programs(archive: OriginalArchive) -> pd.DataFrame:
    magic = archive.table(LAYOUT["letter magic"], encoding="latin-1")
    others = archive.table(LAYOUT["letter programs"], encoding="latin-1")
    for member, table in (("letter magic", magic), ("letter programs", others)):
        rows, columns = table.shape
        expected = rows == len(_LETTER_ITEMS) and columns >= 3
        held = f"[wrong-shape] has {rows} rows and {columns} columns"
        problem = f"{held}, not one row for each of {len(_LETTER_ITEMS)} items"
        ensure(expected, "archive", LAYOUT[member], problem, UNEXPECTED)
    scores = {"magic": magic.iloc[:, 2]} | {c: others[c] for c in others.columns[1:12]}
    programs = _numbers(LAYOUT["letter programs"], pd.DataFrame(scores)).T
    return programs.set_axis(_LETTER_ITEMS, axis=1)


def _numbers(member: str, table: pd.DataFrame) -> pd.DataFrame:
    try:
        return table.apply(pd.to_numeric)
    except ValueError as error:
        problem = f"[not-a-number] holds something that is not a number ({error})"
        raise BadInput("archive", member, problem, "fetch it again") from None


CONVERTERS: dict[str, Callable[[OriginalArchive], Tidy]] = {"mazes": mazes, "ctest": ctest}
