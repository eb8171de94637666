"""From the authors' files to the tidy form: one small converter a data set.

Every converter takes an open `OriginalArchive` and gives a `Tidy`: responses (agents x items), items and
agents, with the names, orders and numbers of the original, and nothing else of it. The data about
people (mazes, letter series) are converted in `originals_people`, where the personal columns are left
behind. Errors of the sources are kept here as they are; `datasets` corrects them on loading.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.studies.data import originals_people
from gindex_lab.studies.data.download import OriginalArchive
from gindex_lab.studies.data.tidy import Tidy

__all__ = ["convert", "group_levels"]


def convert(converter: str, archive: OriginalArchive) -> Tidy:
    """Convert an archive with the converter that the register names."""
    known = CONVERTERS | originals_people.CONVERTERS
    ensure(converter in known, "converter", converter, "[not-found] does not exist", f"use {sorted(known)}")
    return known[converter](archive)


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


_LAMBDA_COLUMNS = {0: "cells", 1: "actions", 2: "spacedesc", 6: "pattern", 7: "pattern_length"}
_LAMBDA_AGENT, _LAMBDA_REWARD = 9, 15  # columns of the log, which has no header
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


_CHAMPIONSHIP = "World Computer Chess Championship"
CONVERTERS: dict[str, Callable[[OriginalArchive], Tidy]] = {
    "ale": ale,
    "chess_Leiden2015": partial(_chess, "Leiden2015", f"{_CHAMPIONSHIP} 2015, Leiden", 2015),
    "chess_Reykjavik2005": partial(_chess, "Reykjavik2005", f"{_CHAMPIONSHIP} 2005, Reykjavik", 2005),
    "gvgai": gvgai,
    "lambda": lambda_one,
    "openml": openml,
}
