"""The nested bootstrap of the published studies (families, then tasks, then runs), and what each draw gives.

Replicate i has a generator of its own, `numpy.random.default_rng(seed + i)`, shared by all agents, so
replicates are paired across agents (`specs/horizon.md`, section 5). With seed 42 these are the draws of
METR and Lyptus, row for row. A replicate is kept as a count of each item, or of each run where cells
hold several.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import FloatArray, generator
from gindex_lab.measures.horizons.estimates import HorizonSettings, converged, measures, read_curves
from gindex_lab.measures.horizons.fitting import NO_FAILURE, NO_SUCCESS, Curves, fit_reference
from gindex_lab.measures.horizons.runs import Runs

__all__ = ["Draws", "Replicates", "draws_of", "first_seed", "replicates_of"]


@dataclass(frozen=True, eq=False)
class Draws:
    """How often each item came up in each replicate (R, N), or each run where cells hold several (R, n)."""

    runs: Runs
    counts: np.ndarray

    def of(self, agent: int) -> np.ndarray:
        """(R, n): how often each run of an agent came up."""
        at = self.runs.of(agent)
        return self.counts[:, at if self.runs.repeated else self.runs.item[at]]


def first_seed(seed: SeedLike) -> int:
    """The whole number that replicate 0 is seeded with: a seed itself, or one that a Generator draws."""
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and seed >= 0:
        return int(seed)
    return int(generator(seed).integers(2**31))


def draws_of(runs: Runs, resample: str, draws: int, seed: int) -> Draws:
    """`draws` replicates: "families" draws families, then items within each, then runs within each cell;
    "items" keeps the families as they are; "trials" keeps the items, too.
    """
    problem = "[missing] needs cells with several runs, and every cell has one"
    remedy = "use resample='families' or 'items'"
    ensure(resample != "trials" or runs.repeated, "resample", resample, problem, remedy)
    groups = _tasks_by_family(runs)
    cells = _Cells(runs) if runs.repeated else None
    counts = np.zeros((draws, len(runs.item if cells else runs.items)), dtype=np.int32)
    once = np.bincount(np.concatenate(groups), minlength=len(runs.items))
    for i in range(draws):
        random = np.random.default_rng(seed + i)
        drawn = once if resample == "trials" else _items(groups, resample, random, len(runs.items))
        counts[i] = cells.draw(drawn, random) if cells else drawn
    return Draws(runs, counts)


def _tasks_by_family(runs: Runs) -> list[np.ndarray]:
    """All items by family in the order of names, sorted as text within each.

    Also those that no agent here has met: leaving agents out with `select` must not change what is drawn.
    """
    text = [str(item) for item in runs.items]
    order = np.array(sorted(range(len(text)), key=text.__getitem__))
    family = runs.family[order]
    return [order[family == k] for k in np.unique(family)]


def _items(groups: list[np.ndarray], resample: str, random: np.random.Generator, n: int) -> np.ndarray:
    order = np.arange(len(groups))
    if resample == "families":
        order = random.choice(len(groups), size=len(groups), replace=True)
    drawn = [groups[f][random.choice(len(groups[f]), size=len(groups[f]), replace=True)] for f in order]
    return np.bincount(np.concatenate(drawn), minlength=n)


class _Cells:
    """The runs of each (item, agent), the cells sorted by the text "item|||agent" as METR does."""

    def __init__(self, runs: Runs) -> None:
        agent = np.repeat(np.arange(len(runs.agents)), np.diff(runs.start))
        keys = [f"{runs.items[i]}|||{runs.agents[j]}" for i, j in zip(runs.item, agent, strict=True)]
        number = {key: k for k, key in enumerate(sorted(set(keys)))}
        cell = np.array([number[key] for key in keys])
        self.order = np.argsort(cell, kind="stable")  # runs, cell after cell
        self.size = np.bincount(cell)
        self.first = np.concatenate([[0], np.cumsum(self.size)[:-1]])
        self.item = runs.item[self.order[self.first]]

    def draw(self, items: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """The pool of a cell holds its runs once per draw of its item; as many are drawn from it."""
        pool = items[self.item] * self.size
        cell = np.repeat(np.arange(len(pool)), pool)
        place = np.floor(random.random(len(cell)) * pool[cell]).astype(int) % self.size[cell]
        return np.bincount(self.order[self.first[cell] + place], minlength=len(self.order))


@dataclass(frozen=True, eq=False)
class Replicates:
    """What every draw gave, (draws, agents) per measure, and what is known of the agents.

    `as_published` reads the draws' logistic curves as the published code does: a rising curve keeps its
    number, a draw with one class is missing (`specs/horizon.md`, section 14, column "reference").
    """

    agents: pd.DataFrame
    measures: dict[str, FloatArray] = field(default_factory=dict)
    as_published: dict[str, FloatArray] = field(default_factory=dict)

    def of(self, name: str, mode: str) -> FloatArray | None:
        """The draws of a measure in a mode; None where there are none."""
        kept = self.as_published if mode == "reference" else {}
        return kept.get(name, self.measures.get(name))


def replicates_of(
    runs: Runs, drawn: Draws, settings: HorizonSettings, fitted: list[Curves], agents: pd.DataFrame
) -> tuple[Replicates, pd.DataFrame]:
    """Every measure in every draw, and per agent how many draws were unusual."""
    parts = [_agent_replicates(runs, drawn, settings, j, near) for j, near in enumerate(fitted)]
    every, printed = (
        {name: np.column_stack([part[k][name] for part in parts]) for name in parts[0][k]} for k in (0, 1)
    )
    return Replicates(agents, every, printed), pd.DataFrame([part[2] for part in parts], index=runs.agents)


def _agent_replicates(
    runs: Runs, drawn: Draws, settings: HorizonSettings, j: int, near: Curves
) -> tuple[dict[str, FloatArray], dict[str, FloatArray], dict[str, int]]:
    (h, y, w), counts = runs.data(j), drawn.of(j)
    weights = counts * w
    if settings.mode == "exact":
        curves = converged(h, y, weights, settings, near)
    else:
        each = [fit_reference(h, y, row, settings.penalty) for row in weights]
        curves = Curves(*(np.concatenate(part) for part in zip(*each, strict=True)))
    none, all_ = curves.state == NO_SUCCESS, curves.state == NO_FAILURE
    found = {name: x.astype(float) for name, x in measures(runs, j, curves, counts, settings).items()}
    if settings.mode == "reference":
        found = {name: np.where(none | all_, np.nan, values) for name, values in found.items()}
    printed = read_curves(curves, settings.levels, settings.interval, reference=True)
    printed = {name: np.where(none | all_, np.nan, values) for name, values in printed.items()}
    rising = ~none & ~all_ & ~curves.falling
    unusual = {
        "no_item": int((weights.sum(axis=1) <= 0).sum()),
        "no_success": int(none.sum()),  # a draw without an item of the agent is one of them
        "no_failure": int(all_.sum()),
        "rising": int(rising.sum()),
    }
    return found, printed, unusual
