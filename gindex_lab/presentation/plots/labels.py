"""Names beside points and along curves, placed so that they do not overlap.

A name may stand at one of about a hundred places around its point. Each starts at the nearest free one, and
names move one at a time to their cheapest place until nothing moves: no random numbers, so the same table
gives the same figure. Points that coincide share one name. On 16 random planes of 12 to 40 names this takes
a tenth of the time of adjustText 1.4 (0.9 s against 9.4) and leaves 9 overlaps where that leaves 113.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.patheffects import withStroke

from gindex_lab.foundation.validate import FloatArray

__all__ = ["boxes_of", "label_curve", "label_points", "line_boxes", "line_points", "overlaps"]
__all__ += ["spread_out", "tied_labels"]

# All sizes are in points. The weights of the costs below are judgements: the figures of the notebooks were
# looked at, and tests/test_plots.py checks that names overlap nothing.
_ANGLES = np.deg2rad([0, 180, 35, -35, 145, -145, 90, -90, 60, -60, 120, -120, 15, -15, 165, -165])
_RADII = np.array([5.0, 10.0, 16.0, 24.0, 34.0, 46.0, 60.0])
_LEADER = 5.5  # a label farther than this gets a line to its point
_CLEAR = 7.0  # a label should be nearer to its own point than to any other by this
_SWEEPS = 8  # at most: 12 to 40 names settled in one to three (the random planes of tests/test_plots.py)


def overlaps(boxes: FloatArray, others: FloatArray) -> FloatArray:
    """The area that each box shares with each other box; rows are (left, bottom, right, top)."""
    a, b = np.asarray(boxes, float)[:, None, :], np.asarray(others, float)[None, :, :]
    sides = np.minimum(a[..., 2:], b[..., 2:]) - np.maximum(a[..., :2], b[..., :2])
    return np.asarray(np.clip(sides, 0, None).prod(axis=-1))


def boxes_of(texts: Sequence[Any]) -> FloatArray:
    """The boxes of texts in pixels: rows of (left, bottom, right, top)."""
    return np.array([text.get_window_extent().extents for text in texts]).reshape(-1, 4)


def line_boxes(ax: Any, lines: Sequence[tuple[float, float, float, float]]) -> FloatArray:
    """Level or upright lines (x0, y0, x1, y1) in data units as thin boxes in pixels."""
    ends = np.array(lines, dtype=float).reshape(-1, 2)
    return _grown(ax.transData.transform(ends).reshape(-1, 4))


def line_points(ax: Any, step: float = 3.0) -> FloatArray:
    """Points along all lines and bars of the axes, every `step` pixels: rows of (x, y)."""
    lines = [line.get_xydata() for line in ax.get_lines()]
    for bars in ax.collections:
        lines += bars.get_segments() if isinstance(bars, LineCollection) else []
    found = [np.empty((0, 2))]
    for line in lines:
        if len(line):  # seaborn leaves empty lines for its legend
            path = ax.transData.transform(line)
            arc = _arc(path)
            found.append(_along(path, arc, np.arange(0, arc[-1], step)))
    return np.vstack(found)


def tied_labels(
    x: FloatArray, y: FloatArray, names: Sequence[str], most: int = 3
) -> list[tuple[float, float, str]]:
    """One label for each distinct point: up to `most` of the names that share it, the rest counted.

    >>> tied_labels(np.array([1.0, 1, 2]), np.array([0.0, 0, 3]), ["a", "b", "c"])
    [(1.0, 0.0, 'a, b'), (2.0, 3.0, 'c')]
    >>> tied_labels(np.zeros(5), np.zeros(5), list("abcde"))
    [(0.0, 0.0, 'a, b, c + 2 more')]
    """
    if len(x) == 0:
        return []
    # Two points within a thousandth of the picture look like one.
    scale_x, scale_y = (float(np.ptp(v)) * 1e-3 or 1e-12 for v in (x, y))
    groups: dict[tuple[int, int], list[int]] = {}
    for i, (a, b) in enumerate(zip(x, y, strict=True)):
        groups.setdefault((round(a / scale_x), round(b / scale_y)), []).append(i)
    labels = []
    for members in groups.values():
        shown = ", ".join(str(names[i]) for i in members[:most]).replace("$", r"\$")  # not a formula
        rest = len(members) - most
        text = f"{shown} + {rest} more" if rest > 0 else shown
        labels.append((float(x[members[0]]), float(y[members[0]]), text))
    return labels


def spread_out(values: FloatArray, gap: float) -> FloatArray:
    """Values moved as little as needed to stand at least `gap` apart, in their order."""
    order = np.argsort(values, kind="stable")
    groups: list[list[float]] = []  # values that touch each other
    for value in np.asarray(values, dtype=float)[order].tolist():
        groups.append([value])
        while len(groups) > 1 and _spread(groups[-1], gap)[0] < _spread(groups[-2], gap)[-1] + gap:
            groups[-2:] = [groups[-2] + groups[-1]]
    placed = np.empty(len(order))
    placed[order] = np.concatenate([_spread(group, gap) for group in groups])
    return placed


def _spread(group: list[float], gap: float) -> FloatArray:
    return np.mean(group) + gap * (np.arange(len(group)) - (len(group) - 1) / 2)


# -- beside points -------------------------------------------------------------------------------------


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

    `avoid` holds boxes in pixels (left, bottom, right, top), `marks` all points of the plot in data units,
    `lines` points of curves in pixels (`line_points`), which names cross only if they must. The canvas is
    drawn once, to know how large each text is. Returns the annotations.
    """
    if not labels:
        return []
    ax.figure.canvas.draw()
    pixel = ax.figure.dpi / 72.0  # pixels in a point
    at = ax.transData.transform(np.array([(x, y) for x, y, _ in labels], dtype=float))
    sizes = _text_sizes(ax, [text for *_, text in labels], size)
    points = at if marks is None else ax.transData.transform(np.asarray(marks, dtype=float))
    fixed = np.vstack([_grown(np.hstack([points, points]), 3.2 * pixel), *([] if avoid is None else [avoid])])
    boxes, costs = _candidates(at, sizes, pixel)
    costs = costs + _static_costs(boxes, fixed, ax.get_window_extent().extents, sizes)
    costs = costs + _leader_costs(at, boxes, points, pixel) + _stranger_costs(at, boxes, points, pixel)
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
        found.append(probe.get_window_extent().size)
    probe.remove()
    return np.array(found, dtype=float)


def _grown(boxes: FloatArray, by: float = 1.5) -> FloatArray:
    return np.asarray(boxes + by * np.array([-1, -1, 1, 1]))


def _candidates(at: FloatArray, sizes: FloatArray, pixel: float) -> tuple[FloatArray, FloatArray]:
    """All places of all labels: boxes (labels x places x 4) and what each costs by its distance."""
    radius, angle = (v.ravel() for v in np.meshgrid(_RADII, _ANGLES, indexing="ij"))
    side = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    # The side of the box that faces the point touches the ring: a box to the right grows to the right.
    low = at[:, None, :] + side * radius[:, None] * pixel + (side - 1) / 2 * sizes[:, None, :]
    boxes = np.concatenate([low, low + sizes[:, None, :]], axis=2)
    order = np.tile(np.arange(len(_ANGLES)), len(_RADII))
    return boxes, np.broadcast_to(0.6 * radius + 0.15 * order, boxes.shape[:2])


def _static_costs(boxes: FloatArray, fixed: FloatArray, frame: FloatArray, sizes: FloatArray) -> FloatArray:
    """The cost of covering what is there (in shares of it, or of the label if that is smaller), and of
    leaving the frame (in shares of the label)."""
    n, places, _ = boxes.shape
    area = sizes.prod(axis=1)[:, None]
    room = np.prod(fixed[:, 2:] - fixed[:, :2], axis=1)
    smaller = np.minimum.outer(np.repeat(area, places), room)
    covered = (overlaps(boxes.reshape(-1, 4), fixed) / smaller).sum(axis=1).reshape(n, places)
    inside = overlaps(boxes.reshape(-1, 4), frame[None]).reshape(n, places)
    return 60 * covered + 400 * (1 - inside / area)


def _leader_costs(at: FloatArray, boxes: FloatArray, points: FloatArray, pixel: float) -> FloatArray:
    """The cost of a leader that runs within four points of another point."""
    start = at[:, None, :]
    along = np.clip(start, boxes[..., :2], boxes[..., 2:]) - start
    length = np.maximum((along**2).sum(axis=2), 1e-9)
    cost = np.zeros(boxes.shape[:2])
    for point in points:
        other = np.hypot(*(at - point).T) > 1.0
        t = np.clip(((point - start) * along).sum(axis=2) / length, 0, 1)
        away = np.linalg.norm(start + t[..., None] * along - point, axis=2)
        cost += other[:, None] * np.clip(1 - away / (4 * pixel), 0, None)
    return 12 * cost


def _stranger_costs(at: FloatArray, boxes: FloatArray, points: FloatArray, pixel: float) -> FloatArray:
    """The cost of standing so near to another point that the label could be its name."""
    nearest = np.full(boxes.shape[:2], np.inf)
    for point in points:
        other = np.hypot(*(at - point).T) > 1.0
        nearest = np.minimum(nearest, np.where(other[:, None], _distance(point, boxes), np.inf))
    own = _distance(at[:, None, :], boxes)
    return np.asarray(14 * np.clip(1 - (nearest - own) / (_CLEAR * pixel), 0, 2))


def _distance(point: FloatArray, boxes: FloatArray) -> FloatArray:
    nearest = np.clip(point, boxes[..., :2], boxes[..., 2:])
    return np.asarray(np.linalg.norm(nearest - point, axis=-1))


def _crossing_costs(boxes: FloatArray, lines: FloatArray, step: float = 3.0) -> FloatArray:
    """The cost of lying on curves, in shares of the label's width."""
    cost = np.zeros(boxes.shape[:2])
    for i, places in enumerate(boxes):
        low, high = places[:, :2].min(axis=0), places[:, 2:].max(axis=0)
        near = lines[((lines > low) & (lines < high)).all(axis=1)][:, None, :]
        inside = ((near > places[:, :2]) & (near < places[:, 2:])).all(axis=2)
        cost[i] = inside.sum(axis=0) * step / (places[:, 2] - places[:, 0])
    return 9 * cost


def _settle(boxes: FloatArray, costs: FloatArray) -> list[int]:
    """The place of each label: cheapest first, then one at a time until nothing moves."""
    n = len(boxes)
    area = np.prod(boxes[:, 0, 2:] - boxes[:, 0, :2], axis=1)
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


def _annotate(
    ax: Any, label: tuple[float, float, str], at: FloatArray, box: FloatArray, pixel: float, size: float
) -> Any:
    x, y, text = label
    nearest = np.clip(at, box[:2], box[2:])
    far = float(np.hypot(*(nearest - at))) / pixel > _LEADER
    # Text is a little wider or narrower at another resolution: fix the side that faces its point.
    side, held = ("left", box[0]) if box[0] >= at[0] else ("right", box[2])
    if box[0] < at[0] < box[2]:
        side, held = "center", (box[0] + box[2]) / 2
    facing = (nearest - box[:2]) / np.maximum(box[2:] - box[:2], 1e-9)
    line = {"arrowstyle": "-", "color": "#888888", "lw": 0.6, "shrinkA": 0, "shrinkB": 2.5}
    return ax.annotate(
        text,
        (x, y),
        xytext=((held - at[0]) / pixel, (box[1] - at[1]) / pixel),
        textcoords="offset points",
        fontsize=size,
        color="#222222",
        path_effects=[withStroke(linewidth=1.8, foreground="white", alpha=0.85)],
        ha=side,
        va="bottom",
        arrowprops=line | {"relpos": tuple(facing)} if far else None,
        zorder=5,
        annotation_clip=False,
    )


# -- along curves --------------------------------------------------------------------------------------

# Places along a curve from the middle outwards: of two places that cover the same, the more central one.
_PLACES = tuple(0.5 + side * step / 100 for step in range(0, 44, 6) for side in (1, -1))
_LIFTS = (1.3, 1.8, 2.4, 0)  # lines above the curve to try where points take all of it; then on it after all
_BEND = 8.0  # pixels that a curve may leave a straight label


def label_curve(
    ax: Any, x: FloatArray, y: FloatArray, names: Sequence[str], busy: FloatArray, colour: str
) -> list[Any]:
    """Write the first of `names` that fits and covers nothing of `busy` (boxes in pixels) along a curve.

    It stands on the longest visible piece of the curve, turned with it. Where each name covers something, the
    last is written beside the curve or, if need be, above what it covers. Returns the texts written.
    """
    piece = ax.transData.transform(np.column_stack([x, y])[_longest_visible(ax, x, y)])
    if len(piece) < 5:
        return []
    look = {"color": colour, "fontsize": 7.2, "rotation_mode": "anchor", "zorder": 2}
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    text = ax.text(0, 0, "", ha="center", va="center", bbox=box, clip_on=True, **look)
    fits = False
    for name in names:
        text.set(text=name, rotation=0)
        width = text.get_window_extent().width
        if width < 0.5 * _arc(piece)[-1]:
            bend, covered = _stand_best(ax, text, piece, busy, width)
            fits = bend < _BEND
            if fits and not covered:
                return [text]
    if not fits:
        text.remove()
        return []
    line = text.get_fontsize() * ax.figure.dpi / 72
    for lines in _LIFTS:
        if not _stand_best(ax, text, piece + np.array([0, lines * line]), busy, width)[1]:
            return [text]
    text.set(zorder=5, bbox=box | {"alpha": 0.7})  # what it covers shines through
    return [text]


def _longest_visible(ax: Any, x: FloatArray, y: FloatArray) -> slice:
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    gap_x, gap_y = 0.02 * (right - left), 0.02 * (top - bottom)
    seen = (x >= left + gap_x) & (x <= right - gap_x) & (y <= top - gap_y)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], seen.astype(int), [0]])))
    pieces = [slice(a, b) for a, b in edges.reshape(-1, 2)]
    # Of two equal pieces the right one: the numbers of the axis stand on the left.
    return max(pieces, key=lambda p: (np.ptp(x[p]) + 1e-9, p.start), default=slice(0))


def _stand_best(ax: Any, text: Any, piece: FloatArray, busy: FloatArray, width: float) -> tuple[float, float]:
    """Put the text where it covers least; how far the curve leaves it there (pixels), and what it covers."""
    arc = _arc(piece)
    tried = []
    for share in _PLACES:
        _stand(ax, text, piece, arc, share)
        covered = float(overlaps(boxes_of([text]), busy).sum())
        left, centre, right = _along(piece, arc, share * arc[-1] + width / 2 * np.arange(-1, 2))
        bend = float(np.hypot(*(centre - (left + right) / 2)))  # from the middle of the curve to its chord
        tried.append((covered + 20 * max(0.0, bend - _BEND), share, bend, covered))
    _, share, bend, covered = min(tried, key=lambda one: one[0])
    _stand(ax, text, piece, arc, share)
    return bend, covered


def _stand(ax: Any, text: Any, piece: FloatArray, arc: FloatArray, share: float) -> None:
    half = text.get_fontsize() * 0.6
    before, centre, after = _along(piece, arc, share * arc[-1] + half * np.arange(-1, 2))
    angle = float(np.degrees(np.arctan2(*(after - before)[::-1])))
    text.set(position=ax.transData.inverted().transform(centre), rotation=angle)


def _arc(path: FloatArray) -> FloatArray:
    """The length of a path up to each of its points."""
    return np.concatenate([[0], np.cumsum(np.hypot(*np.diff(path, axis=0).T))])


def _along(path: FloatArray, arc: FloatArray, where: FloatArray) -> FloatArray:
    """The points of a path at these lengths: rows of (x, y)."""
    return np.column_stack([np.interp(where, arc, path[:, k]) for k in (0, 1)])
