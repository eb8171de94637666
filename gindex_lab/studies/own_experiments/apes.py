"""A stand-in for 53 orangutans on five physical tasks, whose scores are not public (A.9).

Every ape has a general ability and a leaning to each task; the tasks score on scales of their own, in
coarse steps, so that many apes tie. Groups (species, sex, age, background) carry no difference at all:
what the analysis finds between them is chance, and that is a lesson in itself.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.responses import Scores
from gindex_lab.foundation.validate import FloatArray, generator, integer, number
from gindex_lab.measures.generality import generality
from gindex_lab.measures.transforms import rank

__all__ = ["TASKS", "orangutans", "shuffled_generality"]

# how each task is scored: the best score, and how many scores there are
TASKS = {
    "Box Task": (6.0, 7),
    "Detour Reaching": (100.0, 6),
    "Tube Trap": (1.0, 11),
    "Honey Tool": (4.0, 5),
    "Reversal Learning": (60.0, 21),
}
_GROUPS = {
    "species": (["P. abelii", "P. pygmaeus", "hybrid"], [0.5, 0.35, 0.15]),
    "sex": (["female", "male"], [0.6, 0.4]),
    "age": (["adult", "juvenile"], [0.6, 0.4]),
    "background": (["mother", "human", "unknown", "wild"], [0.55, 0.2, 0.15, 0.1]),
}


def orangutans(agents: int = 53, general: float = 0.45, seed: SeedLike = 1) -> Scores:
    """Scores of simulated apes on five tasks; `general` is the loading of each task on one factor.

    >>> table = orangutans(seed=1)
    >>> table.shape, table.source
    ((53, 5), 'simulated')
    """
    rng = generator(seed)
    count, loading = integer("agents", agents, 2), number("general", general, 0, 1)
    ability = loading * rng.standard_normal((count, 1))
    latent = ability + np.sqrt(1 - loading**2) * rng.standard_normal((count, len(TASKS)))
    names = [f"ape {k + 1:02d}" for k in range(count)]
    frame = pd.DataFrame(latent, index=names, columns=list(TASKS))
    groups = {name: rng.choice(kinds, count, p=p) for name, (kinds, p) in _GROUPS.items()}
    return Scores(
        frame.apply(_scored),
        agents=pd.DataFrame(groups, index=names),
        name="orangutans, simulated",
        source="simulated",
        citation="gindex_lab.studies.own_experiments.apes",
    )


def shuffled_generality(scores: Scores, shuffles: int = 200, seed: SeedLike = 1) -> FloatArray:
    """Mean γ of the population when each task's scores are shuffled among the agents.

    Shuffling keeps every task as it is and breaks what one task says about another: this is the mean
    generality (Rnk, leave-one-out) of a population without a general ability, as often as asked.

    >>> even = Scores(np.arange(20.0)[:, None] + np.zeros((20, 5)))  # one order in all tasks
    >>> bool((shuffled_generality(even, 20) < 0.9).all())
    True
    """
    rng = generator(seed)
    means = np.empty(integer("shuffles", shuffles))
    for k in range(len(means)):
        dealt = scores.frame.apply(lambda task: rng.permutation(task.to_numpy()))
        curves = rank(dealt, columns=None, leave_one_out=True)
        means[k] = generality(curves)["normalised_generality"].mean()
    return means


def _scored(latent: pd.Series) -> pd.Series:
    """The task's own scale: as many equal steps over ±2 as it has scores."""
    best, scores = TASKS[str(latent.name)]
    step = np.clip(np.floor((latent + 2) / 4 * scores), 0, scores - 1)
    return step * best / (scores - 1)
