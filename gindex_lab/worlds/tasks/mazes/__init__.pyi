# Made from the table of contents: python -m gindex_lab.foundation.stubs

from gindex_lab.worlds.tasks.mazes.agents import Agent as Agent
from gindex_lab.worlds.tasks.mazes.agents import LookAhead as LookAhead
from gindex_lab.worlds.tasks.mazes.agents import MazeSession as MazeSession
from gindex_lab.worlds.tasks.mazes.agents import Noisy as Noisy
from gindex_lab.worlds.tasks.mazes.agents import Optimal as Optimal
from gindex_lab.worlds.tasks.mazes.agents import play as play
from gindex_lab.worlds.tasks.mazes.agents import RandomWalk as RandomWalk
from gindex_lab.worlds.tasks.mazes.agents import Session as Session
from gindex_lab.worlds.tasks.mazes.agents import success as success
from gindex_lab.worlds.tasks.mazes.agents import walk as walk
from gindex_lab.worlds.tasks.mazes.make import battery as battery
from gindex_lab.worlds.tasks.mazes.make import make_maze as make_maze
from gindex_lab.worlds.tasks.mazes.make import matching as matching
from gindex_lab.worlds.tasks.mazes.make import Maze as Maze
from gindex_lab.worlds.tasks.mazes.make import r_sample as r_sample
from gindex_lab.worlds.tasks.mazes.make import random_maze as random_maze
from gindex_lab.worlds.tasks.mazes.paths import analyse as analyse
from gindex_lab.worlds.tasks.mazes.paths import best_path as best_path
from gindex_lab.worlds.tasks.mazes.paths import designs as designs
from gindex_lab.worlds.tasks.mazes.paths import difficulty as difficulty
from gindex_lab.worlds.tasks.mazes.paths import published_design as published_design
from gindex_lab.worlds.tasks.mazes.paths import solve as solve
from gindex_lab.worlds.tasks.mazes.paths import TABLE_S1 as TABLE_S1

__all__: list[str]
