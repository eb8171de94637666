"""How fast are flatland's pictures and distances, against Pillow and networkx doing the same?

One core, one process, process times, compiled code warmed up first. The peer of the pictures draws the same
trace with Pillow, four times as large and averaged; that of Ω compares every pair with networkx, no bounds.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np

from benchmarks.rows import Row, alone, best_time, race, within
from gindex_lab import flatland
from gindex_lab.worlds.flatland.curricula import samples
from gindex_lab.worlds.flatland.distances import nearest_many
from gindex_lab.worlds.flatland.drawings import Circle, Drawing

__all__ = ["plain_distance", "run"]

KINDS = {
    "lines": 2,
    "circles": 4,
    "rectangles": 1,
    "circle_in_box": 2,
    "rotated_lines": 1,
    "stick_figure": 1,
}


def _near(a: tuple[float, float], b: tuple[float, float]) -> float:
    shares = [max(0.0, 1 - abs(p - q) / 128) for p, q in zip(a, b, strict=True)]
    return (sum(shares) / 2) ** 2


def _similarity(p: Any, q: Any) -> float:
    if type(p) is not type(q):
        return 0.0
    if isinstance(p, Circle):
        turn = 1 - abs(p.theta % 360 - q.theta % 360) / 360
        return (1 + _near(p.centre, q.centre) + max(0.0, 1 - abs(p.radius - q.radius) / 128) + turn) / 4
    along = _near((p.x0, p.y0), (q.x0, q.y0)) + _near((p.x1, p.y1), (q.x1, q.y1))
    against = _near((p.x0, p.y0), (q.x1, q.y1)) + _near((p.x1, p.y1), (q.x0, q.y0))
    return (1 + max(along, against)) / 3


def plain_distance(p: Drawing, q: Drawing) -> float:
    """The list metric by its definition: an association graph and networkx's clique of greatest weight."""
    graph = nx.Graph()
    for i, a in enumerate(p.shapes):
        for j, b in enumerate(q.shapes):
            weight = _similarity(a, b)
            if weight > 0:
                graph.add_node((i, j), weight=round(1e9 * weight))
    for (i, j), (k, m) in combinations(list(graph), 2):
        one = _near(p.shapes[i].centre, p.shapes[k].centre)
        two = _near(q.shapes[j].centre, q.shapes[m].centre)
        if i != k and j != m and abs(one - two) <= 0.05:
            graph.add_edge((i, j), (k, m))
    best = nx.max_weight_clique(graph)[1] / 1e9 if len(graph) else 0.0
    return float(1 - best**2 / (len(p) * len(q)))


def _plain_picture(program: flatland.Program) -> Any:
    """The picture by Pillow: four times as large, a line per move, box-averaged and cut at a half."""
    from PIL import Image, ImageDraw

    canvas = Image.new("L", (512, 512))
    draw = ImageDraw.Draw(canvas)
    for x0, y0, x1, y1 in program.trace().segments.tolist():
        draw.line([4 * x0, 512 - 4 * y0, 4 * x1, 512 - 4 * y1], fill=255, width=4)
    return np.asarray(canvas.reduce(4)) >= 128


def _picture_rows() -> list[Row]:
    """Pictures of the library and of drawings, with running the program and without."""
    shapes = [flatland.shape(name) for name in flatland.library()]
    drawings = [task.drawing for name, n in KINDS.items() for task in samples(name, n, 10, seed=1)]
    segments = [program.trace().segments for program in shapes]
    ours = best_time(lambda: [program.image() for program in shapes]) / len(shapes)
    peer = best_time(lambda: [_plain_picture(program) for program in shapes]) / len(shapes)
    raster = best_time(lambda: [flatland.picture(part) for part in segments]) / len(segments)
    lists = best_time(lambda: [Drawing(one.shapes).image() for one in drawings]) / len(drawings)
    slowest = max(best_time(program.image, 2) for program in shapes)
    name = f"pictures of the {len(shapes)} library programs, run and drawn"
    note = (
        f"slowest shape {1 / slowest:,.0f}/s; drawing alone {1 / raster:,.0f}/s; "
        f"lists of lines and circles {1 / lists:,.0f}/s"
    )
    return [
        race(name, 1 / ours, 1 / peer, "Pillow", unit="pictures/s", note=note),
        within("a picture, run and drawn", ours, 0.01, "100 pictures/s", unit="s"),
    ]


def _omega_rows() -> list[Row]:
    """Ω of 200 tests from 2,000 programs, and a slice of the same pairs by networkx."""
    known = [task.drawing for task in flatland.curriculum(200, seed=1)]
    tests = [task.drawing for name, n in KINDS.items() for task in samples(name, n, 34, seed=2)][:200]
    found = nearest_many(tests, known)
    seconds = best_time(lambda: nearest_many(tests, known))
    some, few = tests[::20], known[::50]
    pairs = len(some) * len(few)
    plain = [[plain_distance(test, one) for one in few] for test in some]
    slow = best_time(lambda: [[plain_distance(t, one) for one in few] for t in some], 1) / pairs
    gap = np.abs(flatland.distances(some, few) - np.array(plain)).max()
    name = f"Ω of {len(tests)} drawings from {len(known):,}, exact, encoding included"
    note = (
        f"{1 - found.evaluated / found.pairs:.1%} of pairs skipped by bounds, "
        f"{1 - found.weighed / found.pairs:.1%} without weighing a node; difference {gap:.0e}"
    )
    against = f"networkx (from {pairs} pairs)"
    return [
        race(name, seconds, slow * found.pairs, against, note=note),
        _every_pair(tests, known, slow),
        within(name, seconds, 60.0, "a minute", unit="s"),
    ]


def _every_pair(tests: list[Drawing], known: list[Drawing], slow: float) -> Row:
    """The same pairs without bounds: what they save."""
    some = tests[::10]
    seconds = best_time(lambda: flatland.distances(some, known))
    pairs = len(some) * len(known)
    name = f"all {pairs:,} distances of {len(some)} to {len(known):,}, no bounds"
    return race(name, seconds / pairs, slow, "networkx", note="seconds a pair")


def _graph_rows() -> list[Row]:
    """Pairs of library programs by the graph metric: time and certificate."""
    shapes = {name: flatland.shape(name) for name in flatland.library()}
    rows, times = [], []
    for (a, p), (b, q) in combinations(shapes.items(), 2):
        result = flatland.distance(p, q, effort=100_000_000)
        times.append(best_time(lambda p=p, q=q: flatland.distance(p, q, effort=100_000_000), 1))  # type: ignore[misc]
        if not result.exact:
            rows.append(f"{a}-{b} {result.lower:.3f}..{result.upper:.3f}")
    name = f"graph metric, slowest of {len(times)} pairs of library programs"
    note = (
        f"median {np.median(times) * 1e3:.1f} ms; {len(times) - len(rows)} proven; "
        f"open: {', '.join(rows) or 'none'}"
    )
    return [alone(name, max(times), note=note)]


def run() -> list[Row]:
    """All rows; compiled code is loaded before the first clock starts."""
    small = [task.drawing for task in flatland.curriculum(1, seed=1)]
    nearest_many(small, small)
    flatland.distances(small)
    flatland.distance(small[0], small[1])
    assert math.isclose(plain_distance(small[0], small[0]), 0.0, abs_tol=1e-9)
    return _picture_rows() + _omega_rows() + _graph_rows()
