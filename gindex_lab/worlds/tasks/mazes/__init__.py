"""Elithorn mazes: make them, analyse them, say how hard they are, and walk through them.

>>> import gindex_lab as gl
>>> maze = gl.mazes.make_maze(10, 0.3, seed=1)
>>> gl.mazes.analyse(maze.rank, maze.dots)["max_score"] == maze.facts["max_score"]
True

Drawing is `gindex_lab.presentation.plots.agents.plot_maze`. Generality supplement, A.1.
"""

from gindex_lab.foundation.contents import contents as _contents

__getattr__, __dir__, __all__ = _contents(
    __name__,
    {
        "agents": "Agent LookAhead MazeSession Noisy Optimal RandomWalk Session play success walk",
        "make": "Maze battery make_maze matching r_sample random_maze",
        "paths": "TABLE_S1 analyse best_path designs difficulty published_design solve",
    },
)
