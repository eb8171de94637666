"""Stand-ins for the horizon studies: simulated agents on tasks with minutes, families, seeds and dates.

Each is drawn from a model of a few lines, says so in `.source`, and goes through the same notebook as the
published study. The parameters are chosen to make the question visible, not fitted: what a stand-in shows is
how a reading behaves when the truth is known, and nothing about any real system.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, generator

__all__ = ["arenas", "cyber_tasks", "issues"]

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
