"""Elithorn mazes: make them, analyse them, say how hard they are, and walk through them.

>>> import gindex_lab as gl
>>> maze = gl.mazes.make_maze(10, 0.3, seed=1)
>>> gl.mazes.analyse(maze.rank, maze.dots)["max_score"] == maze.facts["max_score"]
True

Drawing is `gindex_lab.presentation.plots.tasks.plot_maze`. Generality supplement, A.1.
"""

from gindex_lab.foundation.declared import hold_all as _hold_all
from gindex_lab.worlds.tasks.mazes_agents import (
    Agent,
    LookAhead,
    Noisy,
    Optimal,
    RandomWalk,
    play,
    success,
    walk,
)
from gindex_lab.worlds.tasks.mazes_make import (
    Maze,
    battery,
    make_maze,
    matching,
    r_sample,
    random_maze,
)
from gindex_lab.worlds.tasks.mazes_paths import (
    TABLE_S1,
    analyse,
    best_path,
    designs,
    difficulty,
    published_design,
    solve,
)
from gindex_lab.worlds.tasks.sessions import MazeSession as Session

__all__ = [
    "TABLE_S1",
    "Agent",
    "LookAhead",
    "Maze",
    "Noisy",
    "Optimal",
    "RandomWalk",
    "Session",
    "analyse",
    "battery",
    "best_path",
    "designs",
    "difficulty",
    "make_maze",
    "matching",
    "play",
    "published_design",
    "r_sample",
    "random_maze",
    "solve",
    "success",
    "walk",
]
_hold_all(__name__, __all__)
