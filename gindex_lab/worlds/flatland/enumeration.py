"""A system that searches: programs of one piece, then of two, then of three, from the pieces it has seen.

The curriculum's lines and circles are the vocabulary. Programs are enumerated by size, the best few of
each size are carried on (a beam), until a further piece explains too little ink to be worth it. A piece
that is taken is first moved and stretched in small steps as long as that brings it closer to the ink not
yet explained.
"""

from __future__ import annotations

from dataclasses import astuple, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.validate import integer, number
from gindex_lab.worlds.flatland.drawings import Circle, Drawing, Line, Shape
from gindex_lab.worlds.flatland.rendering import PIXELS, Picture, picture
from gindex_lab.worlds.flatland.systems import PictureLearner

__all__ = ["PieceSearch"]

# judgements
_REACH = 3.0  # pixels: ink this near to a piece is explained by it
_STEPS = ((8.0, 12.0), (4.0, 6.0), (2.0, _REACH), (1.0, _REACH))  # how far to move a piece, to look for ink


class PieceSearch(PictureLearner):
    """Enumerates programs over the pieces of the curriculum, by size.

    `longest`: pieces of a program. `beam`: programs of each size that are carried on. `branches`: pieces
    that are tried to go on with each. `worth`: the share of the ink that a further piece must explain.
    (g-index paper, section 5.)

    >>> from gindex_lab.worlds.flatland import Circle, Drawing, Line
    >>> seen = [Drawing((Circle(60, 60, 25),)), Drawing((Line(10, 110, 120, 100),))]
    >>> system = PieceSearch()
    >>> system.fit([(drawing.image(), drawing) for drawing in seen])
    >>> system.generate(Drawing((Circle(62, 58, 24), Line(12, 112, 118, 102))).image())
    Drawing(1 circle, 1 line)
    """

    def __init__(self, longest: int = 10, beam: int = 2, branches: int = 5, worth: float = 0.03) -> None:
        super().__init__()
        self.longest, self.beam = integer("longest", longest), integer("beam", beam)
        self.branches = integer("branches", branches)
        self.worth = number("worth", worth, 0, 1)

    def _learn(self) -> None:
        parts = dict.fromkeys(part for _, drawing in self.pairs for part in drawing.shapes)
        drawn = {part: _pixels(part) for part in parts}
        kept = {part: at for part, at in drawn.items() if len(at)}
        self.pieces = list(kept)
        self._at = np.concatenate([np.zeros(0, int), *kept.values()])
        self._sizes = np.array([len(at) for at in kept.values()])
        self._first = np.cumsum(self._sizes) - self._sizes
        self._reach = np.stack([_packed(_widened(at)) for at in kept.values()])
        self.operations += PIXELS * PIXELS * len(kept)

    def _answer(self, image: Picture) -> Drawing:
        programs: list[tuple[float, tuple[Shape, ...], npt.NDArray[np.bool_]]] = [(0.0, (), image > 0)]
        whole = max(1, int(image.sum()))
        best = programs[0]
        for _ in range(self.longest):
            longer = [new for program in programs for new in self._longer(program, whole)]
            programs = sorted(longer, key=lambda program: -program[0])[: self.beam]
            if not programs or programs[0][0] < best[0] + self.worth:
                break
            best = programs[0]
        return Drawing(best[1])

    def _longer(self, program: tuple[float, tuple[Shape, ...], Any], whole: int) -> list[Any]:
        """The program with each of the most promising pieces, fitted to the ink that is left."""
        from scipy.ndimage import distance_transform_edt

        value, shapes, rest = program
        if not rest.any():
            return []
        away = distance_transform_edt(~rest).ravel()
        closeness = np.exp(-away / _REACH)
        fit = np.add.reduceat(closeness[self._at], self._first) / self._sizes
        gain = np.bitwise_count(self._reach & _packed(rest)).sum(axis=-1, dtype=np.int64) * fit
        self.operations += len(self._at) + self._reach.size + 2 * rest.size
        found = []
        for k in np.argsort(-gain, kind="stable")[: self.branches].tolist():
            piece = self._refined(self.pieces[k], away)
            at = _pixels(piece)
            near = _widened(at)
            explained = int((rest & near).sum()) / whole * float(closeness[at].mean())
            found.append((value + explained, (*shapes, piece), rest & ~near))
        return found

    def _refined(self, piece: Shape, away: Any) -> Shape:
        """Small steps in each number of a piece while it comes closer to the ink: coarse steps first, with
        an eye for ink far away, then finer ones."""
        for step, reach in _STEPS:
            closeness = np.exp(-away / reach)
            value, better = self._score(piece, closeness), True
            while better:
                better = False
                for other in _neighbours(piece, step):
                    score = self._score(other, closeness)
                    if score > value + 1e-9:
                        piece, value, better = other, score, True
        return piece

    def _score(self, piece: Shape, closeness: Any) -> float:
        """What a piece gains where it lies on ink, less what it loses where it does not."""
        x, y = _points(piece)
        inside = (x >= 0) & (x < PIXELS) & (y >= 0) & (y < PIXELS)
        at = ((PIXELS - 1 - y) * PIXELS + x)[inside]
        self.operations += len(at)
        if len(at) < 3:
            return -np.inf
        return float(closeness[at].sum() - 0.5 * len(at))


def _points(piece: Shape) -> tuple[Any, Any]:
    """The pixels along a piece, about one per unit of length."""
    if isinstance(piece, Circle):
        angle = np.linspace(0, np.radians(piece.theta), max(8, int(6.3 * piece.radius)))
        x, y = piece.x + piece.radius * np.sin(angle), piece.y - piece.radius * np.cos(angle)
    else:
        count = 2 + int(max(abs(piece.x1 - piece.x0), abs(piece.y1 - piece.y0)))
        x, y = np.linspace(piece.x0, piece.x1, count), np.linspace(piece.y0, piece.y1, count)
    return np.floor(x).astype(int), np.floor(y).astype(int)


def _neighbours(piece: Shape, step: float) -> list[Shape]:
    """The piece with one of its numbers changed, moved as a whole, or a line longer or shorter at an end."""
    names = ("x", "y", "radius") if isinstance(piece, Circle) else ("x0", "y0", "x1", "y1")
    moved = [replace(piece, **{n: getattr(piece, n) + s}) for n in names for s in (-step, step)]
    if isinstance(piece, Circle):
        return [part for part in moved if isinstance(part, Circle) and part.radius >= 1]
    x0, y0, x1, y1 = astuple(piece)
    shifts = ((step, 0), (-step, 0), (0, step), (0, -step))
    moved += [Line(x0 + a, y0 + b, x1 + a, y1 + b) for a, b in shifts]
    length = float(np.hypot(x1 - x0, y1 - y0)) or 1.0
    a, b = step * (x1 - x0) / length, step * (y1 - y0) / length
    moved += [Line(x0 + s * a, y0 + s * b, x1, y1) for s in (-1, 1)]
    return moved + [Line(x0, y0, x1 + s * a, y1 + s * b) for s in (-1, 1)]


def _pixels(part: Shape) -> npt.NDArray[np.int64]:
    return np.flatnonzero(picture(part.segments()))


def _widened(at: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """A mask of all pixels within reach."""
    from scipy.ndimage import binary_dilation

    mask = np.zeros((PIXELS, PIXELS), dtype=bool)
    mask.flat[at] = True
    return binary_dilation(mask, iterations=int(_REACH))


def _packed(mask: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    return np.packbits(mask.ravel()).view(np.uint64)
