"""How fast are the generators: mazes by dynamic programming, Kt by compiled enumeration?

The peer of the maze analysis lists all 2^(R-1) paths (as the package that made the published mazes does,
in R); that of the enumeration is the same depth-first search with lazy branching, in plain Python. Each
pair runs in turn on one core.
"""

from __future__ import annotations

from itertools import product

from benchmarks.rows import Row, best_time, race, within
from gindex_lab.worlds.tasks.letter_series.kernel import enumerate_outputs
from gindex_lab.worlds.tasks.letter_series.machine import INSTRUCTIONS, USELESS
from gindex_lab.worlds.tasks.mazes.make import Maze, make_maze

__all__ = ["run"]

RANK, LETTERS, N_TIME, BOUND = 14, 14, 6, 16.0
_SILENT = 1000


def _listed(maze: Maze) -> tuple[int, int]:
    """The most dots, and how many paths have them, by walking every path."""
    dots, scores = set(maze.dots), []
    for turns in product((0, 1), repeat=maze.rank - 1):
        r = c = met = 0
        for turn in turns:
            r, c = r + turn, c + 1 - turn
            met += (r, c) in dots
        scores.append(met)
    return max(scores), scores.count(max(scores))


def _plain(longest: int) -> int:
    """Nodes of the lazy enumeration, in Python."""
    nodes = 0

    def grow(program: tuple[int, ...], state: tuple[int, ...]) -> None:
        nonlocal nodes
        for op in range(len(INSTRUCTIONS)):
            if program and USELESS[program[-1], op]:
                continue
            nodes += 1
            after = _executed((*program, op), state)
            if after is not None and len(program) + 1 < longest:
                grow((*program, op), after)

    grow((), (0, 0, 0, 0, 0, 0))
    return nodes


def _executed(program: tuple[int, ...], state: tuple[int, ...]) -> tuple[int, ...] | None:
    """Run until an empty address is fetched; None when the output is whole or hopeless."""
    a, b, c, out, steps, last = state
    at, limit = len(program) - 1, 2.0 ** (BOUND - len(program)) - 1
    while at < len(program):
        op = program[at]
        at, steps = at + 1, steps + 1
        if op == 0:
            out, last = out + 1, steps
            if out == LETTERS or (out == N_TIME and steps > limit):
                return None
        elif op in (1, 2):
            a = (a + (1 if op == 1 else 25)) % 26
        elif op <= 5:
            c = (c + 25) % 26
            if c:
                at = 0 if op == 3 else max(at - (4 if op == 4 else 7), 0)
        else:
            a, b, c = ((b, b, c), (a, a, c), (c, b, c), (a, b, a))[op - 6]
        if steps - last > _SILENT or (out < N_TIME and steps + N_TIME - out > limit):
            return None
    return a, b, c, out, steps, last


def run() -> list[Row]:
    """Seconds of both, and the ratio; the whole table to nine instructions against its goal."""
    maze = make_maze(RANK, 0.3, seed=1)
    large = make_maze(20, 0.3, seed=1)
    analysed = best_time(lambda: Maze(maze.rank, maze.saturation, maze.dots).facts, 10)
    listed = best_time(lambda: _listed(maze), 1)
    ms = 1000 * best_time(lambda: Maze(large.rank, large.saturation, large.dots).facts, 10)
    enumerate_outputs(2, LETTERS, N_TIME, 1.0, BOUND)  # compile, or load what was compiled
    nodes = enumerate_outputs(6, LETTERS, N_TIME, 1.0, BOUND)[1]
    assert nodes == _plain(6), "both must visit the same programs"
    compiled = best_time(lambda: enumerate_outputs(6, LETTERS, N_TIME, 1.0, BOUND))
    plain = best_time(lambda: _plain(6), 1)
    same = f"the same {nodes:,} programs visited"
    whole = best_time(lambda: enumerate_outputs(9, LETTERS, N_TIME, 1.0, BOUND), 1)
    return [
        race(
            f"maze of rank {RANK}, analysed",
            analysed,
            listed,
            "all paths listed",
            note=f"{2 ** (RANK - 1):,} paths; rank 20 takes us {ms:.2f} ms",
        ),
        race("Kt enumeration to 6 instructions", compiled, plain, "plain Python", note=same),
        within("Kt table to 9 instructions", whole, 60.0, "a minute on one core", unit="s"),
    ]
