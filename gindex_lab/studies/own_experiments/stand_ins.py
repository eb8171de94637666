"""Stand-ins: tables in the shape of published ones, for a machine where those are not available.

All come from one simulator: `simulated` makes the table, `chances` the curves (logistic, falling with
difficulty around each agent's ability) and `answered` the right and wrong answers; a study adds its items,
its agents and a few lines of model. Each says in `.source` that it is simulated and goes through the same
notebook as the published table. No number is fitted to published responses: the constants are judgements that
make the question of the study visible. A stand-in shows how a study works when the truth is known, and is not
evidence about any real system, animal or person. (Real studies of our own are in `iris`, `digits`, `games`,
`lambda_worlds` and `worlds.learning`; a model of memory is in `memory`.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.likes import NumbersLike, SeedLike
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import FloatArray, generator, integer, number
from gindex_lab.studies.data.originals import group_levels
from gindex_lab.studies.data.printed import published

__all__ = ["APE_TASKS", "arenas", "atari", "cyber_tasks", "issues", "lambda_one", "letter_series_respondents"]
__all__ += ["maze_respondents", "orangutans", "primates", "simulated", "toy_matrix", "video_games"]
__all__ += ["video_games_grouped"]

_NO_ANSWER = 0.2  # (0 + 0.25) / 1.25, where a wrong answer costs 0.25 (generality supplement, A.2)


# -- the simulator ------------------------------------------------------------------------------------


def simulated(
    name: str, values: Any, items: pd.DataFrame, agents: pd.DataFrame | list[str], *, raw: bool = False
) -> Any:
    """A simulated study: agents x items as `Responses`, or as `Scores` if `raw`.

    >>> simulated("two", [[1.0, 0.0]], pd.DataFrame({"difficulty": [1, 2]}, ["i", "j"]), ["a"])
    Responses(two: 1 agents x 2 items, with difficulties, simulated)
    """
    about = agents if isinstance(agents, pd.DataFrame) else pd.DataFrame(index=agents)
    frame = pd.DataFrame(values, index=about.index, columns=items.index)
    return (Scores if raw else Responses)(frame, items=items, agents=about, name=name, source="simulated")


def chances(difficulty: FloatArray, ability: NumbersLike, slope: NumbersLike = 1.0) -> FloatArray:
    """Agents x items: ψ = 1 / (1 + exp(s (h - θ))), falling with difficulty h around each ability θ.

    >>> chances(np.array([1.0, 3.0]), [1.0]).round(2)
    array([[0.5 , 0.12]])
    """
    theta, steepness = (np.asarray(x, dtype=float).reshape(-1, 1) for x in (ability, slope))
    return np.asarray(1 / (1 + np.exp(steepness * (difficulty - theta))))


def answered(chance: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Right (1) or wrong (0), with these chances."""
    return (rng.random(chance.shape) < chance).astype(float)


def _numbered(word: str, count: int, digits: int = 2) -> list[str]:
    return [f"{word} {k + 1:0{digits}d}" for k in range(count)]


def _dates(first: str, last: str, n: int) -> list[str]:
    return pd.date_range(first, last, periods=n).strftime("%Y-%m-%d").tolist()


# -- people and animals -------------------------------------------------------------------------------


def maze_respondents(seed: SeedLike = 1, agents: int = 496) -> Responses:
    """Simulated people on the 23 mazes of Table S1, right (1) or wrong (0) (A.1).

    Every person has a capability and a steadiness, and every maze something that the formula of difficulty
    misses. Gender, education and age group are drawn apart from everything else: groups differ by chance
    alone.
    """
    rng = generator(seed)
    items = published("generality_table_s1").set_index("item")[["difficulty"]].astype(float)
    felt = items["difficulty"].to_numpy() + rng.normal(0, 2.5, len(items))
    chance = chances(felt, rng.normal(17, 2.5, agents), rng.lognormal(-0.7, 0.4, agents))
    education = [0.02, 0.03, 0.27, 0.06, 0.41, 0.18, 0.03]  # primary to PhD
    people = pd.DataFrame(
        {
            "gender_code": rng.choice([1, 2], agents, p=[0.6, 0.4]),
            "education_code": rng.choice(np.arange(1, 8), agents, p=education),
            "age_group": rng.choice(["young", "old"], agents),
        },
        index=_numbered("simulated", agents, 3),
    )
    return simulated("mazes, simulated", answered(chance, rng), items, people)


def letter_series_respondents(seed: SeedLike = 1) -> Responses:
    """Simulated answers of 48 people and of programs like those of Table S3 to 35 items (A.2).

    A person who does not see the rule leaves the item blank (0.2) or picks one of five options. Constant
    programs are right once in a while, whatever the difficulty; those that look for a rule find the simple
    ones.
    """
    rng = generator(seed)
    h = np.tile(np.arange(7.0, 15.0), 5)[:35]
    items = pd.DataFrame(
        {"kind": ["prediction"] * 20 + ["imputation"] * 15, "difficulty": h},
        index=[f"IT{k + 1}" for k in range(20)] + [f"AIT{k + 1}" for k in range(15)],
    )
    felt = h + rng.normal(0, 0.8, len(h))
    seen = answered(chances(felt, rng.normal(10, 1.5, 48), rng.lognormal(-0.2, 0.3, 48)), rng) == 1
    blank, lucky = rng.random(seen.shape) < 1 / 3, rng.random(seen.shape) < 1 / 5
    rows = [*np.where(seen | (lucky & ~blank), 1.0, np.where(blank, _NO_ANSWER, 0.0))]
    guessing = {"constant": 0.06, "frequency": 0.15, "copy": 0.15, "random baseline": 0.5}
    reach = {"differences": 10.5, "alternating differences": 8.5}
    systems = published("generality_table_s3")
    for method in systems["method"]:
        drawn = rng.random(len(h))
        if method in guessing:
            rows.append((drawn < guessing[method]).astype(float))
        else:
            rows.append(np.where(drawn < chances(felt, reach.get(method, 10.0), 1.5)[0], 1.0, _NO_ANSWER))
    names = _numbered("simulated", 48) + list(systems["system"])
    kinds = pd.DataFrame({"kind": ["human"] * 48 + ["machine"] * len(systems)}, index=names)
    return simulated("letter series, simulated", np.array(rows), items, kinds)


# how each task is scored: the best score, and how many scores there are
APE_TASKS = {
    "Box Task": (6.0, 7),
    "Detour Reaching": (100.0, 6),
    "Tube Trap": (1.0, 11),
    "Honey Tool": (4.0, 5),
    "Reversal Learning": (60.0, 21),
}
_APE_GROUPS = {
    "species": (["P. abelii", "P. pygmaeus", "hybrid"], [0.5, 0.35, 0.15]),
    "sex": (["female", "male"], [0.6, 0.4]),
    "age": (["adult", "juvenile"], [0.6, 0.4]),
    "background": (["mother", "human", "unknown", "wild"], [0.55, 0.2, 0.15, 0.1]),
}


def orangutans(agents: int = 53, general: float = 0.45, seed: SeedLike = 1) -> Scores:
    """Simulated scores of apes on five tasks; `general` is the loading of each task on one factor (A.9).

    Every ape has a general ability and a leaning to each task; the tasks score on scales of their own, in
    coarse steps, so that many apes tie. Groups (species, sex, age, background) do not differ at all: what the
    analysis finds between them is chance, and that is a lesson in itself.
    """
    rng = generator(seed)
    count, loading = integer("agents", agents, 2), number("general", general, 0, 1)
    best, steps = np.array(list(APE_TASKS.values())).T
    ability = loading * rng.standard_normal((count, 1))
    latent = ability + np.sqrt(1 - loading**2) * rng.standard_normal((count, len(APE_TASKS)))
    groups = {name: rng.choice(kinds, count, p=p) for name, (kinds, p) in _APE_GROUPS.items()}
    step = np.clip(np.floor((latent + 2) / 4 * steps), 0, steps - 1)  # equal steps over ±2
    apes = pd.DataFrame(groups, index=_numbered("ape", count))
    tasks = pd.DataFrame(index=list(APE_TASKS))
    return simulated("orangutans, simulated", step * best / (steps - 1), tasks, apes, raw=True)


def primates(seed: SeedLike = 1) -> Responses:
    """Mean scores of three species in six categories, with the humans' mean and sd in each (A.10).

    One hundred simulated children set the reference; two ape species equal them in the physical
    categories and fall behind in the social ones.
    """
    rng = generator(seed)
    domain = dict.fromkeys(["Space", "Quantities", "Causality"], "physical")
    domain |= dict.fromkeys(["Social Learning", "Communication", "Theory of Mind"], "social")
    centre = rng.uniform(0.55, 0.75, 6)
    children = rng.beta(8 * centre, 8 * (1 - centre), (100, 6))
    items = pd.DataFrame({"domain": domain})
    items["human_mean"], items["human_sd"] = children.mean(axis=0), children.std(axis=0, ddof=1)
    social = (items["domain"] == "social").to_numpy()
    behind = {"Chimpanzees": 0.02 + 0.25 * social, "Orangutans": 0.08 + 0.30 * social}
    means = [children.mean(axis=0)]
    means += [means[0] - gap + rng.normal(0, 0.02, 6) for gap in behind.values()]
    return simulated("primate battery", means, items, ["Humans", *behind])


# -- machines -------------------------------------------------------------------------------------------


def toy_matrix() -> Responses:
    """Two agents on six tasks of four items, two tasks at each difficulty 0, 1 and 2 (Fig. 1).

    The number of items solved in each task is that of Figure 1; no measure depends on which of the four they
    are, and here they come first.
    """
    solved = {"agent a": [3, 3, 2, 3, 2, 2], "agent b": [4, 4, 3, 4, 0, 0]}  # of the four items of a task
    tasks = np.repeat(np.arange(6), 4)
    names = [f"mu{k + 1}" for k in tasks]
    about = {"difficulty": tasks // 2, "task": names, "family": names}
    items = pd.DataFrame(about, index=[f"i{k + 1:02d}" for k in range(24)])
    rows = [[float(n > k) for n in counts for k in range(4)] for counts in solved.values()]
    return simulated("toy matrix", rows, items, list(solved))


def lambda_one(seed: SeedLike = 1) -> Scores:
    """Two agents' mean rewards in [-1, 1] in 140 environments of a grid world (Fig. 2).

    Difficulty is h = ln(cells · actions · length of the pattern). An agent's expected reward falls
    from 1 to 0 along a logistic curve around its capability, plus noise; "Human" falls less steeply.
    """
    rng = generator(seed)
    items = pd.DataFrame(
        {
            "cells": np.tile(np.arange(3, 10), 20),
            "actions": rng.integers(2, 9, 140),
            "pattern_length": 1 + rng.geometric(0.2, 140),
        },
        index=[f"E{k + 1:03d}" for k in range(140)],
    )
    items["difficulty"] = np.log(items.prod(axis=1))
    psi = chances(items["difficulty"].to_numpy(), [3.6, 3.1], [1.6, 0.9])
    rewards = np.clip(psi + rng.normal(0, 0.2, psi.shape), -1, 1)
    return simulated("lambda-one", rewards, items, ["QLearning", "Human"], raw=True)


def atari(seed: SeedLike = 1) -> Scores:
    """Raw scores of 22 learning systems, a random player and a human on 45 games (A.7).

    Every game has a scale of its own (10 to 100,000 points) on which skill counts: systems get better
    over the years from 2012 to 2018, and differ most on games where people are best. The human is
    better at some games than any early system; the random player is the worst at nearly all.
    """
    rng = generator(seed)
    about = {
        "start_date_used": [*_dates("2012-07-15", "2018-09-15", 22), "2010-01-01", "2000-01-01"],
        "role": ["AI system"] * 22 + ["random baseline", "human reference"],
    }
    agents = pd.DataFrame(about, index=[*_numbered("system", 22), "random noop", "human.noop"])
    ability = np.r_[np.linspace(-1.2, 1.5, 22) + rng.normal(0, 0.35, 22), -2.5, 0.3]
    variety = np.r_[rng.uniform(0.25, 0.6, 22), 0.1, 1.4]
    skill = ability[:, None] + variety[:, None] * rng.normal(size=(24, 45))
    points = (10 ** rng.uniform(1, 5, 45) * np.exp(skill)).round(1)
    return simulated("atari", points, pd.DataFrame(index=_numbered("game", 45)), agents, raw=True)


def video_games(seed: SeedLike = 1) -> Scores:
    """Mean scores of 23 programs on 245 levels: 49 games in 5 variations each (A.8).

    A program's skill on a level is its ability, plus a taste for the game, plus luck on the level;
    scores are whole tenths. The last level of seven games is so hard that nobody ever scores.

    >>> table = video_games(seed=1)
    >>> table.shape, table.family.nunique(), int((table.frame.nunique() == 1).sum())
    ((23, 245), 49, 7)
    """
    rng = generator(seed)
    games, levels = np.repeat(_numbered("game", 49), 5), np.tile(np.arange(5), 49)
    index = [f"{game}.{level}" for game, level in zip(games, levels, strict=True)]
    items = pd.DataFrame({"game": games, "level": levels, "family": games}, index=index)
    ability, taste = rng.normal(0, 0.8, (23, 1)), rng.normal(0, 0.8, (23, 49))
    skill = ability + np.repeat(taste, 5, axis=1) + rng.normal(0, 0.5, (23, 245))
    scale = np.repeat(10 ** rng.uniform(0, 3, 49), 5)
    scale[4:35:5] = 0
    points = (scale * np.exp(skill)).round(1)
    return simulated("video games", points, items, _numbered("program", 23), raw=True)


def video_games_grouped(seed: SeedLike = 1) -> Scores:
    """The same programs, with one mean score for each game (A.8), in decimals that tie exactly."""
    table = video_games(seed)
    frame = group_levels(table.frame, table.items["game"], extended=False)
    items = pd.DataFrame({"n_levels": 5}, index=frame.columns)
    return simulated("video games, grouped", frame, items, list(frame.index), raw=True)


_FAMILIES = ("commands", "puzzles", "reversing", "web", "crypto", "fuzzing", "exploits")


def cyber_tasks(seed: SeedLike = 1, agents: int = 12, tasks: int = 210) -> Responses:
    """Agents whose horizon doubles every nine months, all with the same spread of 2.6 doublings.

    Seven families of tasks from half a minute to a day and a half; a family is easier or harder for all than
    its minutes say (standard deviation half a doubling).
    """
    rng = generator(seed)
    family = np.arange(tasks) % len(_FAMILIES)
    h = np.clip(rng.normal(1.0 + 1.1 * family, 1.6), -1, 11)
    shift = rng.normal(0, 0.5, len(_FAMILIES))
    theta = 1.5 + np.linspace(0, 365.25 * 5, agents) / 274  # days
    psi = chances(h + shift[family], theta, np.pi / np.sqrt(3) / 2.6)
    about = {"family": [_FAMILIES[k] for k in family], "minutes": 2**h, "difficulty": h}
    items = pd.DataFrame(about, index=_numbered("task", tasks, 3))
    dates = {"release_date": _dates("2021-01-01", "2026-01-01", agents)}
    models = pd.DataFrame(dates, index=_numbered("model", agents))
    return simulated("cyber tasks", answered(psi, rng), items, models)


def issues(seed: SeedLike = 1) -> Responses:
    """Systems on issues of four lengths, a tenth of which nobody can solve: a ceiling of 0.9.

    The systems differ in horizon only; every curve falls with the same slope towards the same ceiling.

    >>> issues(seed=1).items["minutes"].value_counts().sort_index().to_dict()
    {7.5: 160, 30.0: 200, 120.0: 36, 480.0: 4}
    """
    rng = generator(seed)
    minutes = np.repeat([7.5, 30.0, 120.0, 480.0], [160, 200, 36, 4])
    h = np.log2(minutes)
    psi = chances(h, np.linspace(0.5, 7.0, 40), 0.9)
    psi[:, rng.random(len(h)) < 0.1] = 0.0
    family = [f"repository {k % 12 + 1}" for k in range(len(h))]
    about = {"family": family, "minutes": minutes, "difficulty": h}
    table = pd.DataFrame(about, index=_numbered("issue", len(h), 3))
    dates = {"release_date": _dates("2023-10-01", "2025-12-01", 40)}
    systems = pd.DataFrame(dates, index=_numbered("system", 40))
    return simulated("issues", answered(psi, rng), table, systems)


def arenas(seed: SeedLike = 1, items: int = 900) -> Responses:
    """Four systems with three seeds each in arenas with two demands: distance, and turns.

    A navigator feels both demands, a sprinter turns only, a wanderer distance only, and a guesser neither.
    """
    rng = generator(seed)
    distance, turns = rng.uniform(5, 80, items), rng.integers(0, 9, items).astype(float)
    family = [f"paradigm {k % 10 + 1}" for k in range(items)]
    about = {"difficulty": distance, "distance": distance, "turns": turns, "family": family}
    demands = pd.DataFrame(about, index=_numbered("arena", items, 4))
    weights = {  # of distance, of turns, and the ability
        "navigator": (0.05, 0.5, 4.5),
        "sprinter": (0.0, 0.6, 2.0),
        "wanderer": (0.06, 0.0, 2.2),
        "guesser": (0.0, 0.0, -0.8),
    }
    rows, systems = [], {}
    for system, (far, bent, ability) in weights.items():
        psi = chances(far * distance + bent * turns, ability)
        for k in (1, 2, 3):
            rows.append(answered(psi, rng)[0])
            systems[f"{system}_{k}"] = {"seed": k, "system": system, "kind": system}
    return simulated("arenas", rows, demands, pd.DataFrame.from_dict(systems, orient="index"))
