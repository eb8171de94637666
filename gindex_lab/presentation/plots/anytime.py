"""Pictures of the anytime test: a space with its walkers, trajectories, budgets, stopping, complexity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.presentation.plots.common import colours_of, columns_of, heading, new_axes, styled

if TYPE_CHECKING:
    from gindex_lab.worlds.anytime.environment import Environment, Session

__all__ = [
    "plot_placement_bias",
    "plot_reward_by_complexity",
    "plot_score_by_budget",
    "plot_space",
    "plot_stopping_bias",
    "plot_trajectories",
]

GOOD, EVIL, BOTH, AGENT, EDGE = "#009E73", "#D55E00", "#882255", "#0072B2", "#B8B8B8"
_BOW = 0.18  # how far an arrow bends, in lengths of itself
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")


@styled
def plot_space(
    environment: Environment,
    session: Session | None = None,
    *,
    orbit: bool = True,
    ax: Any = None,
    title: str = "",
) -> Any:
    """The cells on a ring, an arrow for each move with its actions, and where Good, Evil and the agent are.

    With `orbit` the moves that Good and Evil will make in one turn of the pattern are drawn in their
    colours. "Stay" is not drawn.

    >>> from gindex_lab.worlds.anytime.environment import Environment
    >>> ax = plot_space(Environment("12-|1-2--|1++2--", "2210"))
    >>> len([text for text in ax.texts if text.get_text() in "012"])
    8
    """
    run = environment.start(seed=0) if session is None else session
    ax = new_axes(ax, figsize=(5.4, 4.6))
    place = _ring(environment.cells)
    ax.set(xlim=(-1.5, 1.5), ylim=(-1.45, 1.4), aspect="equal")
    ax.axis("off")
    walks = _orbit(run) if orbit else {}
    taken: list[FloatArray] = []
    for (start, end), actions in _edges(environment).items():
        colour = _mixed(walks.get((start, end), set()))
        _draw_edge(ax, place[[start, end]], ",".join(map(str, actions)), colour, taken)
    ax.scatter(*place.T, s=430, color="white", edgecolor="#444444", linewidth=1.2, zorder=4)
    for cell, (x, y) in enumerate(place):
        ax.text(x, y, str(cell), ha="center", va="center", zorder=6)
    _draw_walkers(ax, place, run)
    if orbit:
        _name_colours(ax)
    shown = environment.pattern if isinstance(environment.pattern, str) else "a Markov program"
    shown = shown if len(shown) <= 24 else f"{shown[:22]}…"
    heading(ax, title, f"{environment.cells} cells, {environment.actions} actions, pattern {shown}")
    return ax


def _ring(cells: int) -> FloatArray:
    angle = np.pi / 2 - 2 * np.pi * np.arange(cells) / cells
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _edges(environment: Environment) -> dict[tuple[int, int], list[int]]:
    edges: dict[tuple[int, int], list[int]] = {}
    for cell, row in enumerate(environment.space.destinations):
        for action, target in enumerate(row[1:], 1):
            if target != cell:
                edges.setdefault((cell, target), []).append(action)
    return edges


def _orbit(session: Session) -> dict[tuple[int, int], set[str]]:
    """The moves of Good and of Evil in one turn of the pattern, from a session that has not begun."""
    run = session.environment.start(0, steps=max(1, len(session.environment.script(20))))
    run.coins, run.first, run.second, run.good = session.coins, *session.placement[1:]
    walks: dict[tuple[int, int], set[str]] = {}
    while not run.done:
        before = run.good_cell, run.evil_cell
        run.act(0)
        walks.setdefault((before[0], run.good_cell), set()).add(GOOD)
        walks.setdefault((before[1], run.evil_cell), set()).add(EVIL)
    return walks


def _mixed(colours: set[str]) -> str:
    return EDGE if not colours else next(iter(colours)) if len(colours) == 1 else BOTH


def _name_colours(ax: Any) -> None:
    from matplotlib.lines import Line2D

    names = {"Good's way": GOOD, "Evil's way": EVIL, "both": BOTH, "other moves": EDGE}
    handles = [Line2D([], [], color=colour, lw=2, label=name) for name, colour in names.items()]
    ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.02), ncol=4)


def _draw_edge(ax: Any, ends: FloatArray, text: str, colour: str, taken: list[FloatArray]) -> None:
    from matplotlib.patches import FancyArrowPatch

    plain = colour == EDGE
    shape: dict[str, Any] = {
        "connectionstyle": f"arc3,rad={_BOW}",
        "arrowstyle": "-|>",
        "mutation_scale": 11,
    }
    shape |= {"lw": 1.0, "zorder": 2} if plain else {"lw": 2.0, "zorder": 3}
    ax.add_patch(FancyArrowPatch(*ends, shrinkA=11, shrinkB=11, color=colour, **shape))
    at = _free_place(ends[0], ends[1], taken)
    taken.append(at)
    look = {"boxstyle": "round,pad=0.08", "fc": "white", "ec": "none", "alpha": 0.9}
    ax.text(*at, text, fontsize=7, color=colour if not plain else "#555555", bbox=look, zorder=5,
            ha="center", va="center")  # fmt: skip


def _free_place(start: FloatArray, end: FloatArray, taken: list[FloatArray]) -> FloatArray:
    """A place on the bow, near its start, that keeps off the labels already there where it can."""
    run = end - start
    side = np.array([run[1], -run[0]])
    along = [0.26, 0.2, 0.32, 0.38, 0.44, 0.5]
    places = [start + t * run + 2 * t * (1 - t) * _BOW * side for t in along]
    room = [min((float(np.hypot(*(at - o))) for o in taken), default=9.0) for at in places]
    free = [at for at, gap in zip(places, room, strict=True) if gap > 0.17]
    return free[0] if free else places[int(np.argmax(room))]


def _draw_walkers(ax: Any, place: FloatArray, session: Session) -> None:
    cell, first, second, good = session.placement
    where = {"Good": (second if good else first, GOOD), "Evil": (first if good else second, EVIL)}
    where["agent"] = (cell, AGENT)
    names: dict[int, list[tuple[str, str]]] = {}
    for name, (at, colour) in where.items():
        names.setdefault(at, []).append((name, colour))
    for at, here in names.items():
        for rank, (name, colour) in enumerate(here):
            x, y = place[at] * 1.28
            ax.scatter(*place[at], s=430 + 170 * rank, facecolor="none", edgecolor=colour, linewidth=2.2,
                       zorder=5)  # fmt: skip
            ax.text(x, y - 0.13 * rank, name, color=colour, weight="bold", ha="center", va="center")


@styled
def plot_trajectories(
    trajectories: Mapping[str, pd.DataFrame], *, title: str = "", axes: Any = None
) -> Any:
    """Complexity ξ, time τ and the running score, environment by environment, one line per agent.

    >>> table = pd.DataFrame({"xi": [8.0, 12], "tau": [0.001, 0.0015], "score": [1.0, 0.5]}, index=[1, 2])
    >>> len(plot_trajectories({"oracle": table}))
    3
    """
    import matplotlib.pyplot as plt

    if not trajectories:
        raise BadInput(
            "trajectories", trajectories, "[empty] is empty", "pass {name: result.trajectory}"
        )
    panels = {"xi": "complexity ξ (bits)", "score": "running score Υ"}
    panels["tau"] = "time per environment τ (s)"
    grid = plt.subplots(1, 3, figsize=(9.6, 3.4))[1] if axes is None else axes
    colours = colours_of(trajectories)
    for mark, (name, table) in zip(cycle(_MARKS), trajectories.items(), strict=False):
        columns_of(table, list(panels), "result.trajectory")
        look = {"marker": mark, "ms": 3, "lw": 1.3, "color": colours[name], "label": str(name)}
        for ax, column in zip(grid, panels, strict=True):
            ax.plot(table.index, table[column], **look)
    for ax, label in zip(grid, panels.values(), strict=True):
        ax.set(xlabel="environment", ylabel=label)
    grid[1].axhline(0, color="#999999", lw=0.8, zorder=0)
    grid[2].set_yscale("log")
    figure = grid[0].figure
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper")
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=10.5, fontweight="bold")
    return grid


@styled
def plot_score_by_budget(table: pd.DataFrame, *, ax: Any = None, title: str = "") -> Any:
    """The score against the time budget Θ, a line and a 95% band for each agent.

    >>> table = pd.DataFrame({"agent": ["a", "a"], "seconds": [1, 10], "value": [0.5, 0.6],
    ...                       "low": [0.4, 0.5], "high": [0.6, 0.7]})
    >>> plot_score_by_budget(table).get_xscale()
    'log'
    """
    needed = ["agent", "seconds", "value", "low", "high"]
    columns_of(table, needed, "gl.anytime.by_budget(...)")
    ax = new_axes(ax, figsize=(6.4, 4.0))
    _bands(ax, table, "seconds", "value")
    ax.axhline(0, color="#999999", lw=0.8, zorder=0)
    ax.set(xscale="log", xlabel="time budget Θ (s)", ylabel="anytime score Υ")
    heading(ax, title, "")
    return ax


@styled
def plot_reward_by_complexity(
    table: pd.DataFrame,
    points: pd.DataFrame | None = None,
    *,
    ax: Any = None,
    title: str = "",
    xlabel: str = "complexity",
    ylabel: str = "mean reward",
) -> Any:
    """Mean reward against complexity with 95% bands; `points` (agent, complexity, reward) as dots below.

    >>> table = pd.DataFrame({"agent": ["a", "a"], "complexity": [1, 2], "mean": [0.5, 0.2],
    ...                       "low": [0.4, 0.1], "high": [0.6, 0.3]})
    >>> len(plot_reward_by_complexity(table).get_lines())
    1
    """
    needed = ["agent", "complexity", "mean", "low", "high"]
    columns_of(table, needed, "gl.anytime.by_complexity(...)")
    ax = new_axes(ax, figsize=(6.4, 4.0))
    colours = _bands(ax, table, "complexity", "mean")
    if points is not None:
        columns_of(points, ["agent", "complexity", "reward"], "one row per agent and environment")
        for name, own in points.groupby("agent", sort=False):
            look = {"s": 9, "alpha": 0.35, "color": colours.get(name, "#999999"), "lw": 0}
            ax.scatter(own["complexity"], own["reward"], zorder=1, **look)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    heading(ax, title, "")
    return ax


def _bands(ax: Any, table: pd.DataFrame, x: str, y: str) -> dict[Any, Any]:
    """A line with a band for each agent, its colour by name; the legend stands beside the frame."""
    colours = colours_of(table["agent"].unique())
    for mark, (name, own) in zip(cycle(_MARKS), table.groupby("agent", sort=False), strict=False):
        look, band = {"color": colours[name]}, {"alpha": 0.18, "lw": 0, "zorder": 2}
        ax.plot(own[x], own[y], marker=mark, ms=4, label=str(name), zorder=3, **look)
        ax.fill_between(own[x], own["low"], own["high"], **look, **band)
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
    return colours


@styled
def plot_stopping_bias(table: pd.DataFrame, *, ax: Any = None, title: str = "") -> Any:
    """What a stopping policy gains on fair rewards, by the plain average, Definition 16 and the total / N.

    >>> from gindex_lab.worlds.anytime.averages import stopping_bias
    >>> plot_stopping_bias(stopping_bias([10, 100], runs=200)).get_ylabel()
    'measured mean reward (fair: 0)'
    """
    names = {"plain": "plain average", "diminishing": "diminishing history (Def 16)"}
    names["total"] = "total / N"
    needed = [*names, *(f"{name}_error" for name in names)]
    columns_of(table, needed, "gl.anytime.stopping_bias(...)")
    ax = new_axes(ax, figsize=(6.4, 3.8))
    for mark, (column, label) in zip(_MARKS, names.items(), strict=False):
        error = 1.96 * table[f"{column}_error"]
        ax.errorbar(table.index, table[column], error, marker=mark, ms=5, label=label, capsize=2)
    ax.axhline(0, color="#999999", lw=0.8, zorder=0)
    ax.set(xscale="log", xlabel="time N (interactions)", ylabel="measured mean reward (fair: 0)")
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
    heading(ax, title, "")
    return ax


@styled
def plot_placement_bias(
    biases: Sequence[FloatArray] | FloatArray, *, ax: Any = None, title: str = ""
) -> Any:
    """How far a random agent is from 0 when the placement is fixed: all placements of all environments.

    >>> plot_placement_bias([np.array([0.1, -0.1, np.nan])]).get_ylabel()
    'placements'
    """
    import seaborn as sns

    values = np.concatenate([np.ravel(bias) for bias in biases])
    values = values[~np.isnan(values)]
    if not len(values):
        raise BadInput(
            "biases", values, "[empty] has no number", "use gl.anytime.bias_of_placements"
        )
    ax = new_axes(ax, figsize=(6.0, 3.4))
    look = {"color": "#7FA6C9", "alpha": 1, "lw": 0}
    sns.histplot(values, bins=np.linspace(-0.4, 0.4, 81), ax=ax, **look)
    ax.axvline(float(values.mean()), color="#222222", lw=1)
    ax.set(xlabel="random agent's expected mean reward", ylabel="placements", yscale="log")
    heading(ax, title, f"{len(values):,} placements, largest {abs(values).max():.3f}")
    return ax
