"""Λ worlds for people: a handful of environments, each for a few steps, walked by pressing actions.

Two marks walk from cell to cell by a pattern; being where one of them is pays +1, the other -1, and nobody
says which is which. An environment is an item: its response is the mean reward, with what is below 0 counted
as 0, and its difficulty the logarithm of cells, actions and pattern length, as in the study of people and
Q-learning (Insa-Cabrera and others 2011; Fig. 2 of the generality paper).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import integer
from gindex_lab.presentation.plots.common import heading, new_axes, styled
from gindex_lab.worlds.anytime.complexity import complexity
from gindex_lab.worlds.anytime.environment import Environment, Session
from gindex_lab.worlds.anytime.spaces import random_pattern, random_space

__all__ = ["WorldSession", "plot_world", "world_in_words", "worlds"]

_CELLS = (3, 4, 5, 6, 8)  # of the worlds, 12 steps in each: 60 presses are a sitting
_MOST_CELLS = 40  # of a world that a person plays; the time to make one grows fast
_MARKS = ("▲", "■")


def worlds(cells: tuple[int, ...] = _CELLS, seed: int = 1) -> list[Environment]:
    """One environment of each size, with a pattern that grows with it.

    >>> [world.cells for world in worlds((3, 5))]
    [3, 5]
    """
    made = []
    for k, size in enumerate(cells):
        integer(f"cells[{k}]", size, 2, _MOST_CELLS)
        space = random_space(size, 3, seed=seed + 100 * k)
        made.append(Environment(space, random_pattern(3, size, seed=seed + 100 * k, length=size)))
    return made


class WorldSession:
    """A person in one world after another; the same interface as the sessions of letter series and mazes.

    >>> session = WorldSession(worlds((3, 4)), steps=2, seed=1)
    >>> for action in (0, 1, 2, 0): reward = session.act(action)
    >>> session.finished, session.responses().shape
    (True, (1, 2))
    """

    def __init__(self, environments: list[Environment], steps: int = 12, seed: int = 1) -> None:
        if not environments:
            raise BadInput("environments", environments, "[empty] is empty", "pass at least one")
        self.items, self.steps = list(environments), integer("steps", steps)
        self.means: list[float] = []
        self.seed = integer("seed", seed, 0)
        self._begin()

    def _begin(self) -> None:
        self.walk = Session(self.items[self.number], seed=self.seed + self.number, steps=self.steps)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def number(self) -> int:
        """How many worlds are done."""
        return len(self.means)

    @property
    def finished(self) -> bool:
        """Whether all worlds are done."""
        return self.number >= len(self.items)

    @property
    def item(self) -> Environment | None:
        """The world that is walked now."""
        return None if self.finished else self.items[self.number]

    def act(self, action: int) -> float:
        """One step; after the last of a world the next one begins."""
        self._unfinished("action", action)
        reward = self.walk.act(action)
        if self.walk.done:
            self._leave(self.walk.mean)
        return float(reward)

    def skip(self) -> None:
        """Leave this world with a response of 0."""
        self._unfinished("skip", self.number)
        self._leave(0.0)

    def _unfinished(self, name: str, value: object) -> None:
        problem = "comes after the last world has ended"
        ensure(not self.finished, name, value, problem, "start again")

    def _leave(self, mean: float) -> None:
        self.means.append(mean)
        if not self.finished:
            self._begin()

    def responses(self, agent: str = "you") -> Responses:
        """The worlds done so far as one agent's responses."""
        if not self.means:
            raise BadInput("session", 0, "[unfinished] has no finished world", "finish one first")
        done = self.items[: self.number]
        names = [f"world {k + 1}" for k in range(self.number)]
        frame = pd.DataFrame([np.clip(self.means, 0, 1)], [agent], names)
        return Responses(frame, [complexity(world, "comp2") for world in done], source="own experiment")


@styled
def plot_world(walk: Session, *, title: str = "", ax: Any = None) -> Any:
    """The cells in a circle, you in one of them, the two marks, and where each action leads from here.

    >>> plot_world(Session(worlds((3,))[0], seed=1), title="a world").get_title(loc="left")
    'a world'
    """
    ax = new_axes(ax, figsize=(4.4, 4.2))
    space, n = walk.environment.space, walk.environment.cells
    angle = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    place = np.column_stack([np.cos(angle), np.sin(angle)])
    ax.scatter(*place.T, s=1500, color="#F4F6F8", edgecolor="#8FA3B5", linewidth=1.2, zorder=2)
    by_target: dict[int, list[str]] = {}
    for action, target in enumerate(space.destinations[walk.cell]):
        by_target.setdefault(int(target), []).append(str(action))
    for target, actions in by_target.items():
        _draw_way(ax, place[walk.cell], place[target], " or ".join(actions), target == walk.cell)
    for k in range(n):
        signs = [mark for mark, at in zip(_MARKS, (walk.first, walk.second), strict=True) if at == k]
        signs += ["you"] if walk.cell == k else []
        ax.text(*place[k], "\n".join(signs), ha="center", va="center", fontsize=10, zorder=4)
    ax.set(xlim=(-2.0, 2.0), ylim=(-1.5, 1.5), aspect="equal")
    ax.set_axis_off()
    last = "no reward yet" if not walk.rewards else f"last reward {walk.rewards[-1]:+.0f}"
    told = f"step {walk.step} of {walk.steps} · {last} · mean {walk.mean:+.2f}"
    heading(ax, title, told.replace("-", "−"))
    return ax


def world_in_words(walk: Session) -> str:
    """What `plot_world` draws, for those who do not see it.

    >>> world_in_words(Session(worlds((3,))[0], seed=1))
    'A world of 3 cells. You are in cell ..., ... Action 0 leads to cell ...'
    """
    ways = enumerate(walk.environment.space.destinations[walk.cell])
    led = ", ".join(f"action {action} leads to cell {int(target) + 1}" for action, target in ways)
    marks = zip(_MARKS, (walk.first, walk.second), strict=True)
    seen = ", ".join(f"{mark} is in cell {at + 1}" for mark, at in marks)
    last = f" The last reward was {walk.rewards[-1]:+.0f}.".replace("-", "−") if walk.rewards else ""
    here = f"A world of {walk.environment.cells} cells. You are in cell {walk.cell + 1}, {seen}."
    return f"{here} {led[:1].upper()}{led[1:]}.{last}"


def _draw_way(ax: Any, start: Any, end: Any, label: str, stay: bool) -> None:
    if stay:
        side = "center" if abs(start[0]) < 0.1 else "left" if start[0] > 0 else "right"
        offset = {"xytext": 26 * np.asarray(start), "textcoords": "offset points", "ha": side}
        ax.annotate(f"{label}: stay", start, va="center", fontsize=9, color="#0B5FA5", **offset)
        return
    look = {"arrowstyle": "-|>", "color": "#0B5FA5", "shrinkA": 22, "shrinkB": 22, "lw": 1.4}
    ax.annotate("", end, start, arrowprops=look, zorder=3)
    x, y = 0.55 * np.asarray(start) + 0.45 * np.asarray(end)
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    ax.text(x, y, label, ha="center", va="center", fontsize=10, color="#0B5FA5", bbox=box, zorder=5)
