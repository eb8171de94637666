"""Direct labels that do not overlap: each name stands beside its point, or on a short leader.

Every label may stand at one of about a hundred places around its point. We start from the nearest
free one and move labels one at a time to their cheapest place until nothing moves: no random
numbers, so the same table gives the same figure. Points that coincide share one label.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gindex_lab.foundation.validate import FloatArray

__all__ = ["boxes_of", "label_points", "line_boxes", "line_points", "overlaps", "tied_labels"]

_ANGLES = np.deg2rad([0, 180, 35, -35, 145, -145, 90, -90, 60, -60, 120, -120, 15, -15, 165, -165])
_RADII = np.array([5.0, 10.0, 16.0, 24.0, 34.0, 46.0, 60.0])  # points
_LEADER = 5.5  # a label farther than this (points) gets a line to its point
_CLEAR = 7.0  # a label should be nearer to its own point than to any other by this (points)
_SWEEPS = 8
_SIDES: dict[str, Callable[[FloatArray], float]] = {
    "left": lambda box: float(box[0]),
    "right": lambda box: float(box[2]),
    "center": lambda box: float(box[0] + box[2]) / 2,
}


def overlaps(boxes: FloatArray, others: FloatArray) -> FloatArray:
    """The area that each box shares with each other box; rows are (left, bottom, right, top).

    >>> overlaps(np.array([[0, 0, 2, 2]]), np.array([[1, 1, 3, 3], [5, 5, 6, 6]]))
    array([[1., 0.]])
    """
    a, b = np.asarray(boxes, float)[:, None, :], np.asarray(others, float)[None, :, :]
    width = np.minimum(a[..., 2], b[..., 2]) - np.maximum(a[..., 0], b[..., 0])
    height = np.minimum(a[..., 3], b[..., 3]) - np.maximum(a[..., 1], b[..., 1])
    return np.clip(width, 0, None) * np.clip(height, 0, None)


def boxes_of(texts: Sequence[Any]) -> FloatArray:
    """Where texts stand, in pixels: rows of (left, bottom, right, top)."""
    return np.array([text.get_window_extent().extents for text in texts]).reshape(-1, 4)


def line_boxes(ax: Any, lines: Sequence[tuple[float, float, float, float]]) -> FloatArray:
    """Level or upright lines (x0, y0, x1, y1) in data units as thin boxes in pixels."""
    ends = np.array(lines, dtype=float).reshape(-1, 2, 2)
    pixels = ax.transData.transform(ends.reshape(-1, 2)).reshape(-1, 4)
    return np.asarray(pixels + np.array([-1.5, -1.5, 1.5, 1.5]))


def line_points(ax: Any, step: float = 3.0) -> FloatArray:
    """Points along all lines of the axes, every `step` pixels (rows of x, y): names cross few of them."""
    found = [np.empty((0, 2))]
    for line in ax.get_lines():
        path = ax.transData.transform(line.get_xydata())
        arc = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(path, axis=0).T))])
        where = np.arange(0, arc[-1], step)
        found.append(np.column_stack([np.interp(where, arc, path[:, k]) for k in (0, 1)]))
    return np.vstack(found)


def tied_labels(
    x: FloatArray, y: FloatArray, names: Sequence[str], most: int = 3
) -> list[tuple[float, float, str]]:
    """One label for each distinct point: the names that share it, the rest counted.

    >>> tied_labels(np.array([1.0, 1, 2]), np.array([0.0, 0, 3]), ["a", "b", "c"])
    [(1.0, 0.0, 'a, b'), (2.0, 3.0, 'c')]
    >>> tied_labels(np.zeros(5), np.zeros(5), list("abcde"))
    [(0.0, 0.0, 'a, b, c + 2 more')]
    """
    if len(x) == 0:
        return []
    # Two points that no eye can tell apart are one point: a thousandth of the picture.
    scale_x, scale_y = (float(np.ptp(v)) * 1e-3 or 1e-12 for v in (x, y))
    groups: dict[tuple[int, int], list[int]] = {}
    for i, (a, b) in enumerate(zip(x, y, strict=True)):
        groups.setdefault((round(a / scale_x), round(b / scale_y)), []).append(i)
    labels = []
    for members in groups.values():
        shown = ", ".join(str(names[i]) for i in members[:most]).replace("$", r"\$")  # no maths
        rest = len(members) - most
        text = f"{shown} + {rest} more" if rest > 0 else shown
        labels.append((float(x[members[0]]), float(y[members[0]]), text))
    return labels


def label_points(
    ax: Any,
    labels: Sequence[tuple[float, float, str]],
    *,
    avoid: FloatArray | None = None,
    marks: FloatArray | None = None,
    lines: FloatArray | None = None,
    size: float = 8.0,
) -> list[Any]:
    """Write each (x, y, text) beside its point, clear of each other, of the points and of `avoid`.

    `avoid` holds boxes in pixels (left, bottom, right, top), `marks` all points of the plot in data
    units, `lines` points of curves in pixels (`line_points`), to be crossed only in need. Draws the
    canvas once, to know how large each text is. Returns the annotations.
    """
    if not labels:
        return []
    figure = ax.figure
    figure.canvas.draw()
    pixel = figure.dpi / 72.0  # pixels in a point
    at = ax.transData.transform(np.array([(x, y) for x, y, _ in labels], dtype=float))
    sizes = _text_sizes(ax, [text for *_, text in labels], size)
    points = at if marks is None else ax.transData.transform(np.asarray(marks, dtype=float))
    fixed = _point_boxes(points, 3.2 * pixel)
    if avoid is not None and len(avoid):
        fixed = np.vstack([fixed, avoid])
    boxes, costs = _candidates(at, sizes, pixel)
    costs = costs + _static_costs(boxes, fixed, ax.get_window_extent().extents, sizes)
    costs = costs + _leader_costs(at, boxes, points, pixel)
    costs = costs + _stranger_costs(at, boxes, points, pixel)
    if lines is not None and len(lines):
        costs = costs + _crossing_costs(boxes, lines)
    chosen = _settle(boxes, costs)
    return [
        _annotate(ax, label, at[i], boxes[i, k], pixel, size)
        for i, (label, k) in enumerate(zip(labels, chosen, strict=True))
    ]


def _text_sizes(ax: Any, texts: Sequence[str], size: float) -> FloatArray:
    """Width and height in pixels of each text."""
    probe = ax.text(0, 0, "", fontsize=size)
    found = []
    for text in texts:
        probe.set_text(text)
        box = probe.get_window_extent()
        found.append((box.width, box.height))
    probe.remove()
    return np.array(found, dtype=float)


def _point_boxes(points: FloatArray, half: float) -> FloatArray:
    return np.hstack([points - half, points + half])


def _candidates(at: FloatArray, sizes: FloatArray, pixel: float) -> tuple[FloatArray, FloatArray]:
    """All places of all labels: boxes (labels x places x 4) and what each costs by its distance."""
    radius, angle = (v.ravel() for v in np.meshgrid(_RADII, _ANGLES, indexing="ij"))
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1) * radius[:, None] * pixel
    anchor = at[:, None, :] + ring[None]
    # The side of the box that faces the point touches the ring: a box to the right grows to the right.
    shift = np.stack([(np.cos(angle) - 1) / 2, (np.sin(angle) - 1) / 2], axis=1)
    low = anchor + shift[None] * sizes[:, None, :]
    boxes = np.concatenate([low, low + sizes[:, None, :]], axis=2)
    order = np.tile(np.arange(len(_ANGLES)), len(_RADII)) * 0.15
    return boxes, np.broadcast_to(radius * 0.6 + order, boxes.shape[:2]).copy()


def _static_costs(
    boxes: FloatArray, fixed: FloatArray, frame: FloatArray, sizes: FloatArray
) -> FloatArray:
    """What is there already (in shares of it, or of the label if that is smaller), and what
    would leave the frame (in shares of the label)."""
    n, places, _ = boxes.shape
    area = (sizes[:, 0] * sizes[:, 1])[:, None]
    room = np.prod(fixed[:, 2:] - fixed[:, :2], axis=1)
    smaller = np.minimum.outer(np.repeat(area, places), room)
    shares = overlaps(boxes.reshape(-1, 4), fixed) / smaller
    covered = shares.sum(axis=1).reshape(n, places)
    inside = overlaps(boxes.reshape(-1, 4), frame[None]).reshape(n, places)
    return 60 * covered + 400 * (1 - inside / area)


def _leader_costs(
    at: FloatArray, boxes: FloatArray, points: FloatArray, pixel: float
) -> FloatArray:
    """A leader should not run over other points: their distance to it, within four points."""
    end = np.stack(
        [np.clip(at[:, None, d], boxes[..., d], boxes[..., d + 2]) for d in (0, 1)], axis=2
    )
    start = at[:, None, :]
    along = end - start
    length = np.maximum((along**2).sum(axis=2), 1e-9)
    cost = np.zeros(boxes.shape[:2])
    for point in points:
        other = np.hypot(*(at - point).T) > 1.0
        t = np.clip(((point - start) * along).sum(axis=2) / length, 0, 1)
        away = np.linalg.norm(start + t[..., None] * along - point, axis=2)
        cost += other[:, None] * np.clip(1 - away / (4 * pixel), 0, None)
    return 12 * cost


def _stranger_costs(
    at: FloatArray, boxes: FloatArray, points: FloatArray, pixel: float
) -> FloatArray:
    """A label that stands as near to another point as to its own could be the name of either."""
    own = _distance(at[:, None, :], boxes)
    nearest = np.full(boxes.shape[:2], np.inf)
    for point in points:
        other = np.hypot(*(at - point).T) > 1.0
        away = np.where(other[:, None], _distance(point, boxes), np.inf)
        nearest = np.minimum(nearest, away)
    return np.asarray(14 * np.clip(1 - (nearest - own) / (_CLEAR * pixel), 0, 2))


def _distance(point: FloatArray, boxes: FloatArray) -> FloatArray:
    nearest = np.clip(point, boxes[..., :2], boxes[..., 2:])
    return np.asarray(np.linalg.norm(nearest - point, axis=-1))


def _crossing_costs(boxes: FloatArray, lines: FloatArray, step: float = 3.0) -> FloatArray:
    """How much of a label lies on curves, in shares of its width."""
    cost = np.zeros(boxes.shape[:2])
    for i, places in enumerate(boxes):
        low, high = places[:, :2].min(axis=0), places[:, 2:].max(axis=0)
        near = lines[((lines > low) & (lines < high)).all(axis=1)]
        x, y = near[:, 0, None], near[:, 1, None]
        inside = (x > places[:, 0]) & (x < places[:, 2]) & (y > places[:, 1]) & (y < places[:, 3])
        cost[i] = inside.sum(axis=0) * step / (places[:, 2] - places[:, 0])
    return 9 * cost


def _settle(boxes: FloatArray, costs: FloatArray) -> list[int]:
    """The place of each label: cheapest first, then one at a time until nothing moves."""
    n = len(boxes)
    area = (boxes[:, 0, 2] - boxes[:, 0, 0]) * (boxes[:, 0, 3] - boxes[:, 0, 1])
    chosen = [int(k) for k in costs.argmin(axis=1)]
    for _ in range(_SWEEPS):
        before = list(chosen)
        for i in range(n):
            others = np.array([boxes[j, chosen[j]] for j in range(n) if j != i]).reshape(-1, 4)
            shared = overlaps(_grown(boxes[i]), others).sum(axis=1)
            chosen[i] = int((costs[i] + 250 * shared / area[i]).argmin())
        if chosen == before:
            break
    return chosen


def _grown(boxes: FloatArray, by: float = 1.5) -> FloatArray:
    return boxes + np.array([-by, -by, by, by])


def _annotate(
    ax: Any,
    label: tuple[float, float, str],
    at: FloatArray,
    box: FloatArray,
    pixel: float,
    size: float,
) -> Any:
    from matplotlib.patheffects import withStroke

    x, y, text = label
    nearest = np.clip(at, box[:2], box[2:])
    far = float(np.hypot(*(nearest - at))) / pixel > _LEADER
    # Text is a little wider or narrower at another resolution: hold it where it faces its point.
    side = "left" if box[0] >= at[0] else "right" if box[2] <= at[0] else "center"
    line = {"arrowstyle": "-", "color": "#888888", "lw": 0.6, "shrinkA": 0, "shrinkB": 2.5}
    return ax.annotate(
        text,
        (x, y),
        xytext=((_SIDES[side](box) - at[0]) / pixel, (box[1] - at[1]) / pixel),
        textcoords="offset points",
        fontsize=size,
        color="#222222",
        path_effects=[withStroke(linewidth=1.8, foreground="white", alpha=0.85)],
        ha=side,
        va="bottom",
        arrowprops=line | {"relpos": _facing(nearest, box)} if far else None,
        zorder=5,
        annotation_clip=False,
    )


def _facing(nearest: FloatArray, box: FloatArray) -> tuple[float, float]:
    """The point of the box, as shares of its sides, that faces the marked point."""
    share = (nearest - box[:2]) / np.maximum(box[2:] - box[:2], 1e-9)
    return float(share[0]), float(share[1])
