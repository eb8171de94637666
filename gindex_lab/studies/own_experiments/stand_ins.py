"""Stand-ins: tables of the shape of published ones, for a machine where those are not available.

Each is simulated from a model of a few lines, says so in `.source`, and goes through the same notebook as the
published table. No number is fitted; the models were chosen to make the question of the study visible. A
stand-in shows how a study works when the truth is known, and is not evidence about any real system. (Real
games of our own are in `games`.)
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import FloatArray, generator

__all__ = [
    "arenas",
    "atari",
    "cyber_tasks",
    "issues",
    "lambda_one",
    "primates",
    "toy_matrix",
    "video_games",
    "video_games_grouped",
]

_TASK_MEANS = {"agent a": [3, 3, 2, 3, 2, 2], "agent b": [4, 4, 3, 4, 0, 0]}  # of four items


def toy_matrix() -> Responses:
    """Two agents on six tasks of four items, two tasks at each difficulty 0, 1 and 2 (Fig. 1).

    The number of items solved in each task is that of Figure 1; which of the four they are is of no
    consequence to any measure, and here they come first.

    >>> toy_matrix().frame.T.groupby(toy_matrix().family).mean().T.to_numpy().tolist()
    [[0.75, 0.75, 0.5, 0.75, 0.5, 0.5], [1.0, 1.0, 0.75, 1.0, 0.0, 0.0]]
    """
    tasks = np.repeat(np.arange(6), 4)
    names = [f"i{k + 1:02d}" for k in range(24)]
    items = pd.DataFrame(
        {"difficulty": tasks // 2, "task": [f"mu{k + 1}" for k in tasks]}, index=names
    )
    items["family"] = items["task"]
    rows = [[float(n > k) for n in solved for k in range(4)] for solved in _TASK_MEANS.values()]
    frame = pd.DataFrame(rows, index=list(_TASK_MEANS), columns=names)
    return Responses(frame, items=items, name="toy matrix", source="simulated")


def lambda_one(seed: SeedLike = 1) -> Scores:
    """Two agents' mean rewards in [-1, 1] in 140 environments of a grid world (Fig. 2).

    Difficulty is h = ln(cells · actions · length of the pattern). An agent's expected reward falls
    from 1 to 0 along a logistic curve around its capability, plus noise; "Human" falls less steeply.

    >>> table = lambda_one(seed=1)
    >>> table.shape, bool(table.frame.abs().max().max() <= 1)
    ((2, 140), True)
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
    h = items["difficulty"].to_numpy(dtype=float)
    curves = {"QLearning": _falling(h, 3.6, 1.6), "Human": _falling(h, 3.1, 0.9)}
    rewards = {name: psi + rng.normal(0, 0.2, 140) for name, psi in curves.items()}
    frame = pd.DataFrame(rewards, index=items.index).T.clip(-1, 1)
    return Scores(frame, items=items, name="lambda-one", source="simulated")


def _falling(h: FloatArray, centre: float, slope: float) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(slope * (h - centre))))


def atari(seed: SeedLike = 1) -> Scores:
    """Raw scores of 22 learning systems, a random player and a human on 45 games (A.7).

    Every game has a scale of its own (10 to 100,000 points) on which skill counts: systems get better
    over the years from 2012 to 2018, and differ most on games where people are best. The human is
    better at some games than any early system; the random player is the worst at nearly all.

    >>> table = atari(seed=1)
    >>> table.shape, table.agents["role"].value_counts().to_dict()
    ((24, 45), {'AI system': 22, 'random baseline': 1, 'human reference': 1})
    """
    rng = generator(seed)
    dates = pd.date_range("2012-07-15", "2018-09-15", periods=22).strftime("%Y-%m-%d")
    names = [f"system {k + 1:02d}" for k in range(22)] + ["random noop", "human.noop"]
    agents = pd.DataFrame(
        {
            "start_date_used": [*dates, "2010-01-01", "2000-01-01"],
            "role": ["AI system"] * 22 + ["random baseline", "human reference"],
        },
        index=names,
    )
    games = [f"game {k + 1:02d}" for k in range(45)]
    ability = np.r_[np.linspace(-1.2, 1.5, 22) + rng.normal(0, 0.35, 22), -2.5, 0.3]
    variety = np.r_[rng.uniform(0.25, 0.6, 22), 0.1, 1.4]
    skill = ability[:, None] + variety[:, None] * rng.normal(size=(24, 45))
    scale = 10 ** rng.uniform(1, 5, 45)
    frame = pd.DataFrame((scale * np.exp(skill)).round(1), index=names, columns=games)
    return Scores(frame, agents=agents, name="atari", source="simulated")


def video_games(seed: SeedLike = 1) -> Scores:
    """Mean scores of 23 programs on 245 levels: 49 games in 5 variations each (A.8).

    A program's skill on a level is its ability, plus a taste for the game, plus luck on the level;
    scores are whole tenths. The last level of seven games is so hard that nobody ever scores.

    >>> table = video_games(seed=1)
    >>> table.shape, table.family.nunique(), int((table.frame.nunique() == 1).sum())
    ((23, 245), 49, 7)
    """
    rng = generator(seed)
    names = [f"program {k + 1:02d}" for k in range(23)]
    games = np.repeat([f"game {k + 1:02d}" for k in range(49)], 5)
    levels = np.tile(np.arange(5), 49)
    index = [f"{game}.{level}" for game, level in zip(games, levels, strict=True)]
    items = pd.DataFrame({"game": games, "level": levels, "family": games}, index=index)
    skill = (
        rng.normal(0, 0.8, (23, 1))
        + np.repeat(rng.normal(0, 0.8, (23, 49)), 5, axis=1)
        + rng.normal(0, 0.5, (23, 245))
    )
    scale = np.repeat(10 ** rng.uniform(0, 3, 49), 5)
    scale[4:35:5] = 0
    frame = pd.DataFrame((scale * np.exp(skill)).round(1), index=names, columns=index)
    return Scores(frame, items=items, name="video games", source="simulated")


def video_games_grouped(seed: SeedLike = 1) -> Scores:
    """The same programs, with one mean score for each game (A.8), in decimals that tie exactly.

    >>> video_games_grouped(seed=1).shape
    (23, 49)
    """
    from gindex_lab.studies.data.originals import group_levels

    table = video_games(seed)
    frame = group_levels(table.frame, table.items["game"], extended=False)
    items = pd.DataFrame({"n_levels": 5}, index=frame.columns)
    return Scores(frame, items=items, name="video games, grouped", source="simulated")


def primates(seed: SeedLike = 1) -> Responses:
    """Mean scores of three species in six categories, with the humans' mean and sd in each (A.10).

    One hundred simulated children set the reference; two ape species equal them in the physical
    categories and fall behind in the social ones.

    >>> primates(seed=1).items.columns.tolist()
    ['domain', 'human_mean', 'human_sd']
    """
    rng = generator(seed)
    domain = {"Space": "physical", "Quantities": "physical", "Causality": "physical"}
    domain |= dict.fromkeys(["Social Learning", "Communication", "Theory of Mind"], "social")
    centre = rng.uniform(0.55, 0.75, 6)
    children = rng.beta(8 * centre, 8 * (1 - centre), (100, 6))
    social = np.array([kind == "social" for kind in domain.values()])
    behind = {"Chimpanzees": 0.02 + 0.25 * social, "Orangutans": 0.08 + 0.30 * social}
    means = {"Humans": children.mean(axis=0)}
    means |= {name: means["Humans"] - gap + rng.normal(0, 0.02, 6) for name, gap in behind.items()}
    items = pd.DataFrame({"domain": domain})
    items["human_mean"], items["human_sd"] = children.mean(axis=0), children.std(axis=0, ddof=1)
    frame = pd.DataFrame(means, index=items.index).T
    return Responses(frame, items=items, name="primate battery", source="simulated")


_FAMILIES = ("commands", "puzzles", "reversing", "web", "crypto", "fuzzing", "exploits")


def _curve(h: FloatArray, theta: FloatArray, slope: float, ceiling: float = 1.0) -> FloatArray:
    return np.asarray(ceiling / (1 + np.exp(slope * (h[None, :] - theta[:, None]))))


def _dates(first: str, last: str, n: int) -> list[str]:
    return pd.date_range(first, last, periods=n).strftime("%Y-%m-%d").tolist()


def cyber_tasks(seed: SeedLike = 1, agents: int = 12, tasks: int = 210) -> Responses:
    """Agents whose horizon doubles every nine months, all with the same spread of 2.6 doublings.

    Seven families of tasks from half a minute to a day and a half; a family is easier or harder for all than
    its minutes say (standard deviation half a doubling).

    >>> study = cyber_tasks(seed=1)
    >>> study.shape, study.source
    ((12, 210), 'simulated')
    """
    rng = generator(seed)
    family = np.arange(tasks) % len(_FAMILIES)
    h = np.clip(rng.normal(1.0 + 1.1 * family, 1.6), -1, 11)
    shift = rng.normal(0, 0.5, len(_FAMILIES))
    days = np.linspace(0, 365.25 * 5, agents)
    theta = 1.5 + days / 274
    psi = _curve(h + shift[family], theta, np.pi / np.sqrt(3) / 2.6)
    items = pd.DataFrame(
        {"family": [_FAMILIES[k] for k in family], "minutes": 2**h, "difficulty": h},
        index=[f"task {k + 1:03d}" for k in range(tasks)],
    )
    names = [f"model {k + 1:02d}" for k in range(agents)]
    about = pd.DataFrame({"release_date": _dates("2021-01-01", "2026-01-01", agents)}, index=names)
    frame = pd.DataFrame((rng.random(psi.shape) < psi).astype(float), names, items.index)
    return Responses(frame, items=items, agents=about, name="cyber tasks", source="simulated")


def issues(seed: SeedLike = 1, agents: int = 40, items: int = 400) -> Responses:
    """Systems on issues of four lengths, a tenth of which nobody can solve: a ceiling of 0.9.

    The systems differ in horizon only; every curve falls with the same slope towards the same ceiling.

    >>> issues(seed=1).items["minutes"].value_counts().sort_index().to_dict()
    {7.5: 160, 30.0: 200, 120.0: 36, 480.0: 4}
    """
    rng = generator(seed)
    shares = {7.5: 0.4, 30.0: 0.5, 120.0: 0.09, 480.0: 0.01}
    minutes = np.repeat(list(shares), [round(items * s) for s in shares.values()])
    h = np.log2(minutes)
    theta = np.linspace(0.5, 7.0, agents)
    psi = _curve(h, theta, 0.9)
    psi[:, rng.random(len(h)) < 0.1] = 0.0
    names = [f"system {k + 1:02d}" for k in range(agents)]
    about = pd.DataFrame({"release_date": _dates("2023-10-01", "2025-12-01", agents)}, index=names)
    table = pd.DataFrame(
        {"family": [f"repository {k % 12 + 1}" for k in range(len(h))], "minutes": minutes},
        index=[f"issue {k + 1:03d}" for k in range(len(h))],
    ).assign(difficulty=h)
    frame = pd.DataFrame((rng.random(psi.shape) < psi).astype(float), names, table.index)
    return Responses(frame, items=table, agents=about, name="issues", source="simulated")


def arenas(seed: SeedLike = 1, items: int = 900) -> Responses:
    """Four systems with three seeds each in arenas with two demands: distance, and turns.

    A navigator feels both demands, a sprinter turns only, a wanderer distance only, and a guesser neither.

    >>> study = arenas(seed=1)
    >>> study.agents["system"].nunique(), len(study.frame)
    (4, 12)
    """
    rng = generator(seed)
    distance, turns = rng.uniform(5, 80, items), rng.integers(0, 9, items).astype(float)
    demands = pd.DataFrame(
        {"difficulty": distance, "distance": distance, "turns": turns},
        index=[f"arena {k + 1:04d}" for k in range(items)],
    ).assign(family=[f"paradigm {k % 10 + 1}" for k in range(items)])
    weights = {
        "navigator": (0.05, 0.5, 4.5),
        "sprinter": (0.0, 0.6, 2.0),
        "wanderer": (0.06, 0.0, 2.2),
        "guesser": (0.0, 0.0, -0.8),
    }
    rows, about = {}, []
    for system, (far, bent, start) in weights.items():
        psi = 1 / (1 + np.exp(far * distance + bent * turns - start))
        for k in (1, 2, 3):
            rows[f"{system}_{k}"] = (rng.random(items) < psi).astype(float)
            about.append({"seed": k, "system": system, "kind": system})
    frame = pd.DataFrame(rows, index=demands.index).T
    agents = pd.DataFrame(about, index=frame.index)
    return Responses(frame, items=demands, agents=agents, name="arenas", source="simulated")
