"""Λ-One as a study: its worlds, the mean rewards, and the runs step by step.

The published ones where they are available; otherwise 140 worlds of our own, with two learners in place of
the Q-learning agent and the people of 2011: this shows what the analysis does, not what people do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import DataUnavailable
from gindex_lab.foundation.responses import Scores
from gindex_lab.studies.data.loading import Source, load_or
from gindex_lab.worlds.anytime.agents import QLearning
from gindex_lab.worlds.anytime.environment import Environment
from gindex_lab.worlds.anytime.episodes import play
from gindex_lab.worlds.anytime.logs import as_environments, logged_rewards
from gindex_lab.worlds.anytime.pool import make_pool
from gindex_lab.worlds.anytime.scoring import describe_items

__all__ = ["LambdaStudy", "Logged", "lambda_study", "play_logs"]

# in place of the two kinds of agent of 2011; that the second learns faster and explores more is a judgement
_LEARNERS = {"QLearning": QLearning(), "Human": QLearning(alpha=0.2, epsilon=0.1)}


@dataclass(frozen=True)
class Logged:
    """Runs step by step (`agent`, `space`, `pattern`, `rewards`), and where they come from."""

    runs: pd.DataFrame
    source: str
    name: str = "logs"


@dataclass(frozen=True)
class LambdaStudy:
    """Mean rewards (agents x worlds), the worlds as environments, and the runs behind the means."""

    scores: Scores
    worlds: list[Environment]
    logged: Logged


def lambda_study(data: Source = "auto", seed: int = 1) -> LambdaStudy:
    """The published study or, without it, ours; `data` as in `gl.load_or`."""
    scores = load_or("lambda", lambda: _simulated(seed), data=data)
    worlds = as_environments(scores.items)
    if scores.source == "published":
        try:
            return LambdaStudy(scores, worlds, Logged(logged_rewards(), "published"))
        except DataUnavailable:
            if data == "published":
                raise
    return LambdaStudy(scores, worlds, play_logs(worlds, seed))


def play_logs(worlds: list[Environment], seed: int = 1) -> Logged:
    """One run of each of two learners in each world, as a log would hold it.

    >>> play_logs([Environment("1+|1-", "1")], seed=1).runs["rewards"].map(len).tolist()
    [10, 10]
    """
    rows = [
        (name, w.space.text, str(w.pattern), tuple(int(r) for r in run.rewards))
        for number, w in enumerate(worlds)
        for name, learner in _LEARNERS.items()
        for run in [play(learner, w, seed=np.random.SeedSequence([seed, number]))]
    ]
    runs = pd.DataFrame(rows, columns=["agent", "space", "pattern", "rewards"])
    return Logged(runs, "simulated", "runs of two learners")


def _simulated(seed: int) -> Scores:
    worlds = list(make_pool(140, law="natural", seed=seed).environments)
    items = describe_items(worlds)
    runs = play_logs(worlds, seed).runs
    means = runs["rewards"].map(lambda rewards: sum(rewards) / len(rewards)).to_numpy()
    frame = pd.DataFrame({name: means[runs["agent"] == name] for name in _LEARNERS}, index=items.index).T
    return Scores(frame, difficulty=items["comp2"], items=items, name="worlds of Λ-One", source="simulated")
