"""Intelligence systems for flatland: a picture in, a drawing out.

As in `gindex_lab.worlds.learning`, a system has `fit(pairs)`, which sees the curriculum as (picture, drawing)
pairs, and `generate(image)`, which answers with a drawing. Each counts its elementary operations in
`operations` (a comparison of two pixels is one), so that experience E is measured the same way on every
machine. None is told what domain a picture is from (g-index paper, section 5).

`ShapeFitter` learns nothing: its priors are the two primitives and how they look (Hough 1962; Duda and Hart
1972). Rings of every radius are laid over the picture by one convolution each; the ring that explains most
ink goes first, what it explains is taken out, and so on; then lines by Hough's transform, longest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import generator, integer, number
from gindex_lab.worlds.flatland.drawings import Circle, Drawing, Line, Shape
from gindex_lab.worlds.flatland.rendering import PIXELS, Picture, as_picture

__all__ = ["NearestPicture", "PictureLearner", "PictureSystem", "RandomDrawing", "ShapeFitter"]

Pair = tuple[Picture, Drawing]
Mask = npt.NDArray[np.bool_]

_PADDED = 256  # canvas and the largest ring, rounded up to a power of two
_RADII = range(3, 51)  # of the circles of the curriculum
_ANGLES = np.radians(np.arange(180))  # of the lines that are looked for: one per degree
_REACH = 182  # the diagonal of the canvas


@runtime_checkable
class PictureSystem(Protocol):
    """What an experiment needs of a system."""

    operations: int

    def fit(self, pairs: Sequence[Pair]) -> object:
        """Learn from the curriculum."""

    def generate(self, image: npt.ArrayLike) -> Drawing:
        """Answer one picture with a drawing, in one attempt."""


class PictureLearner:
    """What our systems share: the pairs they saw and the operations they spent."""

    def __init__(self) -> None:
        self.operations = 0
        self.pairs: list[Pair] = []

    def fit(self, pairs: Sequence[Pair]) -> None:
        """Learn from the curriculum, forgetting any earlier one; reading costs pixels and shapes."""
        remedy = "pass [(picture, drawing), ...]; of a Sample take .pair"
        given: Any = pairs
        if isinstance(given, (str, bytes)) or not isinstance(given, Sequence) or not given:
            raise BadInput("pairs", pairs, "[empty] is empty", remedy)
        checked = []
        for at, pair in enumerate(given):
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise BadInput(f"pairs[{at}]", pair, "[not-a-pair] is not a (picture, drawing) pair", remedy)
            checked.append((as_picture(pair[0], f"pairs[{at}]"), Drawing.of(pair[1])))
        self.pairs = checked
        self.operations = sum(image.size + 4 * len(drawing) for image, drawing in self.pairs)
        self._learn()

    def generate(self, image: npt.ArrayLike) -> Drawing:
        """Answer one picture with a drawing."""
        picture = as_picture(image)
        if not self.pairs:
            problem = "[not-trained] cannot be answered before training"
            raise BadInput("image", "a picture", problem, "call fit(pairs) first")
        return self._answer(picture)

    def _learn(self) -> None:
        """What a system does beyond reading the pairs: by default nothing."""

    def _answer(self, image: Picture) -> Drawing:
        raise NotImplementedError


class RandomDrawing(PictureLearner):
    """A training drawing at random, whatever is shown: the floor. (g-index paper, section 5.)"""

    def __init__(self, *, seed: SeedLike = 1) -> None:
        super().__init__()
        self._rng = generator(seed)

    def _answer(self, image: Picture) -> Drawing:
        self.operations += 1
        return self.pairs[int(self._rng.integers(len(self.pairs)))][1]


class NearestPicture(PictureLearner):
    """The drawing of the training picture that looks most alike, unchanged.

    Pictures are compared as the ink in blocks of `block` x `block` pixels, by cosine: lines one pixel wide
    hardly ever lie on top of each other. (g-index paper, section 5.)

    >>> from gindex_lab.worlds.flatland import curriculum
    >>> known = curriculum(3, seed=1)
    >>> system = NearestPicture()
    >>> system.fit([task.pair for task in known])
    >>> system.generate(known[7].image) == known[7].drawing
    True
    """

    def __init__(self, block: int = 8) -> None:
        super().__init__()
        self.block = integer("block", block)
        if PIXELS % self.block:
            raise BadInput("block", block, "[not-a-divisor] does not divide 128", "use 1, 2, 4, 8, 16 or 32")

    def _learn(self) -> None:
        self._known = np.stack([self._coarse(image) for image, _ in self.pairs])
        self.operations += sum(image.size for image, _ in self.pairs)

    def _coarse(self, image: Picture) -> Any:
        side = PIXELS // self.block
        ink = image.reshape(side, self.block, side, self.block).sum(axis=(1, 3)).ravel().astype(float)
        return ink / (np.linalg.norm(ink) or 1.0)

    def _answer(self, image: Picture) -> Drawing:
        likeness = self._known @ self._coarse(image)
        self.operations += image.size + 2 * self._known.size
        return self.pairs[int(np.argmax(likeness))][1]


class ShapeFitter(PictureLearner):
    """Fits circles and lines to a picture; training only tells it that it may be asked.

    `cover`: the share of a ring that must be inked, one pixel of slack allowed. `shortest`: of a line.
    (g-index paper, section 5.)

    >>> system = ShapeFitter()
    >>> picture = Drawing((Circle(60, 60, 25), Line(10, 110, 120, 100)))
    >>> system.fit([(picture.image(), picture)])
    >>> system.generate(picture.image())
    Drawing(1 circle, 1 line)
    """

    def __init__(self, cover: float = 0.9, shortest: float = 4, most: int = 24) -> None:
        super().__init__()
        self.cover = number("cover", cover, 0.5, 1)
        self.shortest = number("shortest", shortest, 1, PIXELS)
        self.most = integer("most", most)

    def _answer(self, image: Picture) -> Drawing:
        ink = image[::-1].astype(bool)  # row 0 at the bottom from here on
        left = ink.copy()
        shapes: list[Shape] = []
        for find in (self._circle, self._line):
            while len(shapes) < self.most and left.any():
                found = find(ink, left)
                if found is None:
                    break
                shapes.append(found)
                # a shape explains its own pixels and those beside it
                left &= ~_grown(Drawing((found,)).image()[::-1].astype(bool), 2)
        return Drawing(tuple(shapes))

    def _circle(self, ink: Mask, left: Mask) -> Circle | None:
        """The ring that covers most unexplained ink of those that are inked nearly all round."""
        thin, full, rest = _spectrum(ink), _spectrum(_grown(ink)), _spectrum(_grown(left))
        best, found = 0.0, None
        for radius, ring in _rings().items():
            share = _laid(full, ring) / np.maximum(ring.visible, 1)
            new = _laid(rest, ring)
            good = (share >= self.cover) & (ring.visible > 15) & (new >= 0.5 * ring.visible)
            # where lines cross, a small ring is easily covered with a pixel of slack, but not without
            good &= _laid(thin, ring) >= 0.5 * ring.visible
            gain = np.where(good, new * share, 0)
            self.operations += 3 * ink.size
            y, x = np.unravel_index(int(np.argmax(gain)), gain.shape)
            if gain[y, x] > best:
                best, found = float(gain[y, x]), Circle(float(x), float(y), float(radius))
        return found

    def _line(self, ink: Mask, left: Mask) -> Line | None:
        """The run of ink along the line with most votes of unexplained ink."""
        y, x = np.nonzero(left)
        rho = np.rint((x + 0.5)[:, None] * np.cos(_ANGLES) + (y + 0.5)[:, None] * np.sin(_ANGLES))
        cell = (rho.astype(int) + _REACH) * 180 + np.arange(180)
        votes = np.bincount(cell.ravel(), minlength=2 * _REACH * 180 + 180)
        self.operations += cell.size
        masks, best = (_grown(ink), _grown(left)), (0.0, (0.0, 0.0, 0.0, 0.0))
        for peak in np.argsort(votes)[::-1][:12]:
            run = _longest_run(*masks, _ANGLES[peak % 180], peak // 180 - _REACH)
            best = max(best, run, key=lambda r: r[0])
        return _refined(ink, best[1]) if best[0] >= self.shortest else None


def _grown(mask: Mask, times: int = 1) -> Mask:
    """The mask and its four neighbours."""
    from scipy.ndimage import binary_dilation

    return binary_dilation(mask, iterations=times)


class Ring(NamedTuple):
    """The transforms of rings of one radius, and how much of them lies on the canvas by centre."""

    spectrum: Any
    visible: npt.NDArray[np.float32]


def _spectrum(mask: Mask) -> Any:
    from scipy.fft import rfft2

    return rfft2(mask.astype(np.float32), (_PADDED, _PADDED))


def _laid(spectrum: Any, ring: Ring) -> npt.NDArray[np.float32]:
    """How many pixels of a ring around each centre are set."""
    from scipy.fft import irfft2

    return np.rint(irfft2(spectrum * ring.spectrum, (_PADDED, _PADDED))[:PIXELS, :PIXELS])


@cache
def _rings() -> dict[int, Ring]:
    """Rings of every radius around a centre at a corner of pixels."""
    everywhere = _spectrum(np.ones((PIXELS, PIXELS), dtype=bool))
    rings = {}
    for radius in _RADII:
        angle = np.linspace(0, 2 * np.pi, 16 * radius, endpoint=False)
        x, y = np.floor(radius * np.cos(angle)), np.floor(radius * np.sin(angle))
        kernel = np.zeros((_PADDED, _PADDED), dtype=bool)
        kernel[-y.astype(int), -x.astype(int)] = True  # a correlation is a convolution turned round
        ring = Ring(_spectrum(kernel), np.zeros(0, np.float32))
        rings[radius] = ring._replace(visible=_laid(everywhere, ring))
    return rings


def _longest_run(
    ink: Mask, left: Mask, angle: float, rho: float
) -> tuple[float, tuple[float, float, float, float]]:
    """Along a line: of the runs of ink the one with most unexplained pixels; how many, and its two ends."""
    along = np.arange(-_REACH, _REACH, 0.5)
    x = rho * np.cos(angle) - along * np.sin(angle)
    y = rho * np.sin(angle) + along * np.cos(angle)
    column, row = np.floor(x).astype(int), np.floor(y).astype(int)
    inside = (column >= 0) & (column < PIXELS) & (row >= 0) & (row < PIXELS)
    wide, fresh = np.zeros(len(along), dtype=bool), np.zeros(len(along))
    wide[inside], fresh[inside] = ink[row[inside], column[inside]], left[row[inside], column[inside]]
    edges = np.flatnonzero(np.diff(np.concatenate([[0], wide.astype(np.int8), [0]])))
    runs = [(float(fresh[a:b].sum()) / 2, a, b - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    gain, a, b = max(runs, key=lambda run: run[0], default=(0.0, 0, 0))
    return gain, (float(x[a]), float(y[a]), float(x[b]), float(y[b]))


def _refined(ink: Mask, line: tuple[float, float, float, float]) -> Line:
    """The line through the middle of the ink around a first guess, from end to end."""
    y, x = np.nonzero(ink)
    points = np.column_stack([x, y]) + 0.5
    start, end = np.array(line[:2]), np.array(line[2:])
    length = float(np.hypot(*(end - start))) or 1.0
    direction = (end - start) / length
    along = (points - start) @ direction
    off = np.abs((points - start) @ np.array([-direction[1], direction[0]]))
    near = points[(off <= 1.5) & (along >= -0.5) & (along <= length + 0.5)]
    if len(near) < 3:
        return Line(*line)
    middle = near.mean(axis=0)
    axis = np.linalg.svd(near - middle, full_matrices=False)[2][0]
    span = (near - middle) @ axis
    ends = middle + np.outer([span.min(), span.max()], axis)
    return Line(*(float(round(v, 1)) for v in ends.ravel()))
