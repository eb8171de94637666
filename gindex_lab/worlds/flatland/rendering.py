"""Pictures: segments become the pixels of a 128 x 128 binary image, or an SVG document.

World and picture have the same unit: a point (x, y) with 0 <= x, y < 128 lies in the pixel of column ⌊x⌋
and row 127 - ⌊y⌋, row 0 at the top. A line is sampled once per pixel along its longer side, so it has no
gaps. `wrap="teleport"` cuts off what leaves the canvas, as the authors' version did; `wrap="torus"` draws
it at the opposite edge. (g-index paper, section 5.)
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.output import atomic_path
from gindex_lab.foundation.validate import FloatArray, choice, numbers
from gindex_lab.worlds.flatland.definitions import SIZE

__all__ = ["Picture", "as_picture", "image_similarity", "picture", "save_png", "to_svg"]

Picture = npt.NDArray[np.uint8]
PIXELS = int(SIZE)
WRAPS = ("teleport", "torus")
# judgements
_FARTHEST = 1e6  # of a coordinate
_AT_ONCE = 2_000_000  # points sampled at once: 100 MB


def picture(segments: npt.ArrayLike, wrap: str = "teleport") -> Picture:
    """Lines as a picture (g-index paper, section 5).

    Parameters
    ----------
    segments : rows x0, y0, x1, y1
    wrap : "teleport" (what leaves the canvas is cut off) or "torus" (it is drawn at the opposite edge)

    Returns
    -------
    array of 0 and 1 : 128 x 128, row 0 at the top

    Examples
    --------
    >>> picture([[2, 0.5, 5, 0.5]])[127, :8].tolist()
    [0, 0, 1, 1, 1, 1, 0, 0]
    >>> picture([[126, 0.5, 129, 0.5]], wrap="torus")[127].nonzero()[0].tolist()
    [0, 1, 126, 127]
    """
    choice("wrap", wrap, WRAPS)
    lines = _rows(segments)
    if wrap == "teleport":
        lines = _clipped(lines)
    image = np.zeros((PIXELS, PIXELS), np.uint8)
    counts = np.ceil(np.abs(lines[:, 2:] - lines[:, :2]).max(axis=1, initial=0)).astype(int) + 1
    ends = np.cumsum(counts)
    first = 0
    while first < len(lines):
        done = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, done + _AT_ONCE)))
        _stamp(image, lines[first:last], counts[first:last], wrap)
        first = last
    return image


def _rows(segments: npt.ArrayLike) -> FloatArray:
    """Segments as rows of four finite numbers of a size that can be drawn."""
    lines = numbers("segments", segments)
    if lines.size % 4 or (lines.size and lines.shape[-1] != 4):
        problem = "[wrong-shape] are not rows x0, y0, x1, y1"
        raise BadInput("segments", lines.shape, problem, "pass trace().segments")
    if not (np.abs(lines) <= _FARTHEST).all():
        problem = f"[out-of-range] leave ±{_FARTHEST:g}, or are not numbers"
        raise BadInput("segments", lines[~(np.abs(lines) <= _FARTHEST)][:3], problem, "fix them")
    return lines.reshape(-1, 4)


def _stamp(image: Picture, lines: FloatArray, counts: npt.NDArray[np.int64], wrap: str) -> None:
    """Ink the pixels of some lines."""
    owner = np.repeat(np.arange(len(lines)), counts)
    step = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    share = step / np.maximum(counts - 1, 1)[owner]
    points = lines[owner, :2] + share[:, None] * (lines[:, 2:] - lines[:, :2])[owner]
    # the noise of adding up 360 short moves must not decide between two pixels
    column, row = np.floor(np.round(points, 9)).astype(np.int64).T
    if wrap == "torus":
        column, row = column % PIXELS, row % PIXELS
    else:
        inside = (column >= 0) & (column < PIXELS) & (row >= 0) & (row < PIXELS)
        column, row = column[inside], row[inside]
    image[PIXELS - 1 - row, column] = 1


def _clipped(lines: FloatArray) -> FloatArray:
    """The parts of lines within a margin of one around the canvas (Liang and Barsky's clipping)."""
    start, delta = lines[:, :2], lines[:, 2:] - lines[:, :2]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        one, two = (-1 - start) / delta, (SIZE + 1 - start) / delta
    still = delta == 0
    within = (start >= -1) & (start <= SIZE + 1)
    enter = np.where(still, np.where(within, -np.inf, np.inf), np.minimum(one, two)).max(axis=1)
    leave = np.where(still, np.where(within, np.inf, -np.inf), np.maximum(one, two)).min(axis=1)
    enter, leave = np.maximum(enter, 0.0), np.minimum(leave, 1.0)
    kept = enter <= leave
    start, delta = start[kept], delta[kept]
    return np.hstack([start + enter[kept, None] * delta, start + leave[kept, None] * delta])


def as_picture(value: object, name: str = "image") -> Picture:
    """A picture of 0 and 1 from any array of this shape; other shapes and values are refused."""
    image = numbers(name, value)
    if image.shape != (PIXELS, PIXELS):
        raise BadInput(name, image.shape, "[wrong-shape] is not 128 x 128", "pass a picture, as of .image()")
    if not np.isin(image, (0, 1)).all():
        problem = "[not-binary] holds more than 0 and 1"
        raise BadInput(name, image.dtype.name, problem, "pass image > threshold")
    return image.astype(np.uint8)


def image_similarity(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """The share of inked pixels that two pictures have in common (Jaccard): 1 for the same picture.

    A comparison only: two programs far apart may draw nearly the same, and the reverse (section 5).

    Parameters
    ----------
    first, second : pictures of 0 and 1, 128 x 128

    Returns
    -------
    float : from 0 to 1

    Examples
    --------
    >>> image_similarity(picture([[0, 0, 9, 0]]), picture([[0, 0, 19, 0]]))
    0.5
    """
    one, two = as_picture(first, "first") > 0, as_picture(second, "second") > 0
    either = np.count_nonzero(one | two)
    return float(np.count_nonzero(one & two) / either) if either else 1.0


def to_svg(segments: npt.ArrayLike, wrap: str = "teleport") -> str:
    """Lines as an SVG document of 128 x 128 units, one unit wide (g-index paper, section 5).

    Parameters
    ----------
    segments, wrap : as for `picture`

    Returns
    -------
    str : the document

    Examples
    --------
    >>> '<path d="M2,126L5,126"' in to_svg([[2, 2, 5, 2]])
    True
    """
    choice("wrap", wrap, WRAPS)
    lines = _rows(segments)
    if wrap == "torus":
        shifts = [(i * SIZE, j * SIZE) for i in _turns(lines[:, ::2]) for j in _turns(lines[:, 1::2])]
        lines = np.vstack([_clipped(lines - np.tile(shift, 2)) for shift in shifts])
    else:
        lines = _clipped(lines)
    flipped = np.column_stack([lines[:, 0], SIZE - lines[:, 1], lines[:, 2], SIZE - lines[:, 3]])
    path = _path(flipped.tolist())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {PIXELS} {PIXELS}">'
        f'<rect width="{PIXELS}" height="{PIXELS}" fill="white"/>'
        f'<path d="{path}" fill="none" stroke="black" stroke-linecap="round"/></svg>'
    )


def _turns(values: FloatArray) -> Sequence[int]:
    """How often the canvas must be shifted to catch what leaves it; some way is enough to see."""
    if not values.size:
        return [0]
    low, high = np.floor_divide([values.min(), values.max()], SIZE).clip(-20, 20).astype(int)
    return range(int(low), int(high) + 1)


def _path(lines: Sequence[Sequence[float]]) -> str:
    parts, pen = [], ""
    for line in lines:
        x0, y0, x1, y1 = (f"{round(value, 3) + 0.0:g}" for value in line)
        parts.append(f"L{x1},{y1}" if pen == f"{x0},{y0}" else f"M{x0},{y0}L{x1},{y1}")
        pen = f"{x1},{y1}"
    return "".join(parts)


def save_png(image: npt.ArrayLike, path: str | PathLike[str], scale: int = 4) -> Path:
    """Write a picture as PNG, black ink on white; whole or not at all (g-index paper, section 5).

    Parameters
    ----------
    image : a picture of 0 and 1, 128 x 128
    path : the file; its ending becomes .png
    scale : width of a pixel in the file

    Returns
    -------
    Path : the file
    """
    from PIL import Image

    grey = 255 - 255 * as_picture(image)
    target = Path(path).with_suffix(".png")
    with atomic_path(target) as new:
        Image.fromarray(np.kron(grey, np.ones((scale, scale), np.uint8))).save(new)
    return target
