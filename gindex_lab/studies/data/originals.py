"""From the authors' files to the tidy form: one small converter a data set.

Every converter takes an open `OriginalArchive` and gives a `Tidy`: responses (agents x items), items and
agents, with the names, orders and numbers of the original, and nothing else of it. Errors of the sources are
kept here as they are; `datasets` corrects them on loading.

The mazes and the letter series come with birth dates, identifiers, nationality, ethnicity, age and IQ, which
stay behind. What is kept: the answers, and for the mazes the three coarse groups that the paper compares
(gender, education, younger or older than the median). People are numbered in the authors' order. Of the rest
only sums that the paper prints are kept: how many people took part, the sizes of the groups of one
nationality or ethnicity, the youngest and the oldest age. `LAYOUT` has the expected layout of both archives.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.studies.data.download import UNEXPECTED, OriginalArchive
from gindex_lab.studies.data.tidy import Tidy
from gindex_lab.worlds.tasks.mazes.paths import TABLE_S1 as MAZES
from gindex_lab.worlds.tasks.mazes.paths import difficulty

__all__ = ["LAYOUT", "MAZES", "convert", "group_levels", "maze_difficulty"]


def convert(converter: str, archive: OriginalArchive) -> Tidy:
    """Convert an archive with the converter that the register names."""
    problem, remedy = "[not-found] does not exist", f"use {sorted(CONVERTERS)}"
    ensure(converter in CONVERTERS, "converter", converter, problem, remedy)
    return CONVERTERS[converter](archive)


def ale(archive: OriginalArchive) -> Tidy:
    """Atari scores; the agents with their dates (the references are dated before all systems)."""
    scores = archive.table("ale.data/ALE_clean_24x45.csv", ["name"]).set_index("name")
    dates = archive.table("ale.data/ALE_clean_24x45_dates.csv", ["name", "Start", "End"])
    early = archive.table("ale.data/ALE_clean_18x45.csv", ["name"])["name"]
    dates = dates.set_index("name").loc[scores.index]
    agents = pd.DataFrame(
        {
            "start_date": _iso(dates["Start"]),
            "end_date": _iso(dates["End"]),
            "start_date_used": _iso(dates["Start"]),
            "role": "AI system",
            "in_18_system_set": scores.index.isin(early),
        },
        index=scores.index,
    )
    agents.loc["human.noop", ["start_date_used", "role"]] = ["2000-01-01", "human reference"]
    agents.loc["random noop", ["start_date_used", "role"]] = ["2010-01-01", "random baseline"]
    agents["order_by_start"] = agents["start_date_used"].rank(method="first").astype(int)
    r_names = scores.columns.str.replace(r"[^A-Za-z0-9._]", ".", regex=True)  # as R's `read.csv` makes them
    items = pd.DataFrame({"r_name": r_names}, index=scores.columns)
    return Tidy(scores.astype(float), items, agents.rename_axis("agent"))


def _iso(dates: pd.Series) -> pd.Series:
    return pd.to_datetime(dates, format="%d/%m/%Y").dt.strftime("%Y-%m-%d")


def _chess(member: str, event: str, year: int, archive: OriginalArchive) -> Tidy:
    table = archive.table(f"chess.data/{member}.csv", ["No", "Name", "Score"])
    names = table["Name"].tolist()
    results = table.drop(columns=["No", "Name", "Score"]).astype(float)
    problem = f"[not-a-round-robin] is {results.shape}, not a round robin"
    ensure(results.shape == (len(names), len(names)), "archive", member, problem, "fetch it again")
    score = table["Score"].astype(float).to_numpy()
    about = {"final_rank_row": table["No"].to_numpy(), "score": score, "event": event, "year": year}
    agents = pd.DataFrame(about, index=pd.Index(names, name="agent"))
    opponent = {"kind": "opponent", "opponent_score": score, "opponent_score_plus_half": score + 0.5}
    items = pd.DataFrame(opponent, index=names)
    return Tidy(results.set_axis(names, axis=0).set_axis(names, axis=1), items, agents)


def gvgai(archive: OriginalArchive) -> Tidy:
    """Game scores, from the one file in R's own format."""
    import rdata

    content = archive.read("gvgai.data/GVGP.results.orig.rds")
    scores = rdata.read_rds(io.BytesIO(content))
    is_table, problem = isinstance(scores, pd.DataFrame), "[not-a-data-frame] is not a data frame in R"
    ensure(is_table, "archive", type(scores).__name__, problem, "fetch it again")
    scores = scores.set_axis(scores.index.astype(str)).astype(float)
    names = pd.Series(scores.columns, index=scores.columns).str.rsplit(".", n=1, expand=True)
    items = pd.DataFrame({"game": names[0], "level": names[1].astype(int)})
    return Tidy(scores, items, pd.DataFrame(index=scores.index.rename("agent")))


def group_levels(scores: pd.DataFrame, games: pd.Series, *, extended: bool) -> pd.DataFrame:
    """The mean score of an agent over the levels of each game.

    Which means tie decides the ranks, and floating rounding decides which means tie. With
    `extended`, the sum is accumulated in 80-bit numbers as R does (emulated, so that it is the same
    on every machine); without, the mean is rounded to 9 decimals, so that equal means are equal.

    >>> frame = pd.DataFrame([[0.1, 0.2, 0.3, 1, 1]], columns=list("abcde"))
    >>> group_levels(frame, pd.Series(["g"] * 3 + ["k"] * 2, frame.columns), extended=False)
         g    k
    0  0.2  1.0
    """
    groups = {game: scores.loc[:, games.index[games == game]] for game in games.unique()}
    if not extended:
        return pd.DataFrame({game: part.mean(axis=1).round(9) for game, part in groups.items()})
    return pd.DataFrame({g: part.apply(_extended_mean, axis=1) for g, part in groups.items()})


def _extended_mean(values: pd.Series) -> float:
    total = Fraction(0)
    for value in values:
        total = _to_64_bits(total + Fraction(float(value)))
    return float(_to_64_bits(total / len(values)))


def _to_64_bits(x: Fraction) -> Fraction:
    """The nearest number with a significand of 64 bits, ties to even."""
    if not x:
        return x
    exponent = abs(x.numerator).bit_length() - x.denominator.bit_length()
    exponent -= abs(x) < Fraction(2) ** exponent
    scale = Fraction(2) ** (63 - exponent)
    return Fraction(round(x * scale)) / scale


# columns of the log, which has no header
_LAMBDA_COLUMNS = {0: "cells", 1: "actions", 2: "spacedesc", 6: "pattern", 7: "pattern_length"}
_LAMBDA_AGENT, _LAMBDA_REWARD = 9, 15
_LAMBDA_SESSION = 7  # environments that each of the 20 people met


def lambda_one(archive: OriginalArchive) -> Tidy:
    """Mean rewards in 140 environments, a pair of rows (human, Q-learning) each; no header, `;`."""
    log = archive.table("lambda.data/Experimentos.csv", sep=";", header=None, decimal=",")
    known = log.shape[1] > _LAMBDA_REWARD and set(log[_LAMBDA_AGENT]) == {"Human", "QLearning"}
    ensure(known, "archive", log.shape, "[not-the-log] is not the log of Lambda-One", "fetch it again")
    human, machine = (log[log[_LAMBDA_AGENT] == who] for who in ("Human", "QLearning"))
    described = [part[list(_LAMBDA_COLUMNS)].reset_index(drop=True) for part in (human, machine)]
    alike, problem = described[0].equals(described[1]), "[unlike-pairs] pairs environments that differ"
    ensure(alike, "archive", log.shape, problem, "fetch it again")
    items = described[0].rename(columns=_LAMBDA_COLUMNS)
    items.index = pd.Index([f"E{i + 1:03d}" for i in range(len(items))])
    rewards = np.array([machine[_LAMBDA_REWARD], human[_LAMBDA_REWARD]], dtype=float)
    agents = pd.DataFrame(
        {"note": ["one Q-learning agent type", "20 humans x 7 environments, pooled as one agent"]},
        index=pd.Index(["QLearning", "Human"], name="agent"),
    )
    responses = pd.DataFrame(rewards, index=agents.index, columns=items.index)
    return Tidy(responses, _lambda_difficulties(items), agents)


def _lambda_difficulties(items: pd.DataFrame) -> pd.DataFrame:
    """The four complexities of the authors' script, which uses the second, ln(cells·actions·|pattern|)."""
    pattern, space = items["pattern"], items["spacedesc"]
    return items.assign(
        diff1=items["pattern_length"],
        diff2=np.log(items["cells"] * items["actions"] * items["pattern_length"]),
        diff3=(pattern + " ").map(_compressed),
        diff4=np.log2((space + " ").map(_compressed) + pattern.map(_compressed)),
        session=np.arange(len(items)) // _LAMBDA_SESSION + 1,
    )


def _compressed(text: str) -> int:
    return len(zlib.compress(text.encode()))


def openml(archive: OriginalArchive) -> Tidy:
    """Right or wrong on each flower; names repeat, so the key is the row, from 1."""
    machines = archive.table("openml.data/results_Iris_Study7306_473x150.csv", ["learner"])
    humans = archive.table("openml.data/results_Iris_5x150-HUMANS.csv", ["learner"])
    measures = archive.table("openml.data/diff_Iris_9x150.csv", ["Measure"]).set_index("Measure")
    results = pd.concat([machines, humans], ignore_index=True)
    results.index = pd.RangeIndex(1, len(results) + 1, name="row")
    names = [f"I{i + 1:03d}" for i in range(results.shape[1] - 1)]
    answers = results.drop(columns="learner").set_axis(names, axis=1)
    accuracy = answers.mean(axis=1)
    agents = pd.DataFrame(
        {
            "agent": results["learner"],
            "kind": ["machine"] * len(machines) + ["human"] * len(humans),
            "accuracy": accuracy,
            "kept": (accuracy >= 0.35).astype(int),
        }
    )
    items = measures.T.astype(float).set_axis(names).rename_axis(columns=None)
    return Tidy(answers, items, agents)


# -- people -----------------------------------------------------------------------------------------

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


_CHAMPIONSHIP = "World Computer Chess Championship"
CONVERTERS: dict[str, Callable[[OriginalArchive], Tidy]] = {
    "ale": ale,
    "ctest": ctest,
    "chess_Leiden2015": partial(_chess, "Leiden2015", f"{_CHAMPIONSHIP} 2015, Leiden", 2015),
    "chess_Reykjavik2005": partial(_chess, "Reykjavik2005", f"{_CHAMPIONSHIP} 2005, Reykjavik", 2005),
    "gvgai": gvgai,
    "lambda": lambda_one,
    "mazes": mazes,
    "openml": openml,
}
