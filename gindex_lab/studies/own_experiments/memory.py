"""Rats that remember scents: a two-choice model with a capacity and a lapse rate (A.4).

In the odour span task every trial presents a scent that is new in this session beside an old one, drawn from
all that were new before; digging at the new one is right. Our rat keeps the scents that it smelled last,
up to its capacity, so that an old scent which comes up again is refreshed. If it knows the old scent it
goes to the other; now and then it does not look; and a rat that never met the scents before the experiment
may notice that one is new to it. Difficulty is the number of scents to remember.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.parallel import seeds
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, generator, integer, number

__all__ = ["RATS", "Rat", "expected_appearances", "odour_span", "session", "sweep"]

ODOURS, BLOCK = 72, 10  # scents, and trials averaged into one response (A.4)


@dataclass(frozen=True)
class Rat:
    """`capacity`: scents kept; `lapse`: share of trials without looking; `novelty`: share of new
    scents that are recognised as never met before (0 for a rat that was exposed to all of them).
    """

    name: str
    capacity: int
    lapse: float = 0.0
    novelty: float = 0.0

    def __post_init__(self) -> None:
        integer("capacity", self.capacity, 0)
        number("lapse", self.lapse, 0, 1)
        number("novelty", self.novelty, 0, 1)


# ten rats as different as those of A.4: judgements, not fitted
RATS = (
    Rat("A1", 30, 0.06, 0.55),
    Rat("A2", 18, 0.02, 0.50),
    Rat("A3", 40, 0.10, 0.35),
    Rat("A4", 12, 0.03, 0.45),
    Rat("A5", 24, 0.12, 0.30),
    Rat("B1", 14, 0.04),
    Rat("B2", 60, 0.15),
    Rat("B3", 26, 0.03),
    Rat("B4", 10, 0.08),
    Rat("B5", 66, 0.30),
)


def session(rat: Rat, rng: np.random.Generator) -> FloatArray:
    """Right (1) or wrong (0) on each of the 71 trials, with 1, 2, 3, ... scents to remember."""
    last_met = np.zeros(ODOURS)  # the moment a scent was last smelled
    last_met[0], right = 1, np.zeros(ODOURS - 1)
    for scents in range(1, ODOURS):
        old = rng.integers(scents)
        since = (last_met[:scents] > last_met[old]).sum()  # scents smelled after it
        known = since < rat.capacity or rng.random() < rat.novelty
        sees = known and rng.random() >= rat.lapse
        right[scents - 1] = 1.0 if sees else rng.random() < 0.5
        last_met[old], last_met[scents] = 2 * scents, 2 * scents + 1
    return right


def odour_span(rats: tuple[Rat, ...] = RATS, sessions: int = 20, seed: SeedLike = 1) -> Responses:
    """Responses of each rat at 0, 5.5, 15.5, ..., 65.5 scents, over a number of sessions.

    A response is 2x - 1 of the share x of right trials in the block of ten around it (chance is 0;
    below chance counts as 0). With nothing to remember nothing is forgotten: 1. `.agents` has
    the model's settings, `exposure`, and each rat's mean `span` (trials to the first error) and
    `longest_run`.
    """
    integer("sessions", sessions)
    trials = {
        rat.name: np.array([session(rat, rng) for _ in range(sessions)])
        for rat, rng in zip(rats, map(generator, seeds(seed, len(rats))), strict=True)
    }
    levels = np.r_[0.0, np.arange(0, ODOURS - BLOCK, BLOCK) + (BLOCK + 1) / 2]
    rows, about = {}, {}
    for rat in rats:
        right = trials[rat.name]
        share = right[:, : len(levels[1:]) * BLOCK].reshape(sessions, -1, BLOCK).mean(axis=(0, 2))
        rows[rat.name] = np.r_[1.0, np.clip(2 * share - 1, 0, 1)]
        wrong = [np.flatnonzero(np.r_[0.0, row, 0.0] == 0) for row in right]
        about[rat.name] = {
            "capacity": rat.capacity,
            "lapse": rat.lapse,
            "exposure": "none" if rat.novelty else "exposed",
            "span": np.mean([place[1] - 1 for place in wrong]),
            "longest_run": np.mean([np.diff(place).max() - 1 for place in wrong]),
        }
    return Responses(
        pd.DataFrame.from_dict(rows, orient="index", columns=[f"{level:g} scents" for level in levels]),
        difficulty=levels,
        agents=pd.DataFrame.from_dict(about, orient="index"),
        name="odour span, simulated rats",
        source="simulated",
        citation="gindex_lab.studies.own_experiments.memory",
    )


def sweep(capacities: Sequence[int], lapses: Sequence[float], seed: SeedLike = 1) -> Responses:
    """The same table for every combination of capacity and lapse rate, to see what each does.

    >>> sweep([10, 40], [0.0, 0.2]).agents[["capacity", "lapse"]].to_numpy().tolist()
    [[10.0, 0.0], [10.0, 0.2], [40.0, 0.0], [40.0, 0.2]]
    """
    rats = tuple(Rat(f"{c} scents, lapse {x:g}", c, x) for c in capacities for x in lapses)
    return odour_span(rats, sessions=40, seed=seed)


def expected_appearances(odours: int = ODOURS) -> float:
    """How often the first scent is expected to come up as the old one: Σ 1/i, i = 1 … odours - 1 (A.4)."""
    return float((1 / np.arange(1, integer("odours", odours, 2))).sum())
