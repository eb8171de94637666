"""The ground of a capability-against-spread plot: its isometrics, each labelled on its curve.

On the interval [k, k + q], an agent of capability Ψ has a spread between 0 (decreasing step) and
√(2(Ψ-k)(k+q-Ψ)) (increasing step); a constant curve has √((Ψ-k)(k+q-Ψ)) (§F.5). Normalised
generality γ is constant on the curves between them: S = √((1-γ)(Ψ-k)(k+q-Ψ)), Eq. 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray, vector
from gindex_lab.measures.properties import spread_at
from gindex_lab.presentation.plots.labels import boxes_of, overlaps

__all__ = ["LEVELS", "draw_isometrics", "interval_of"]

Interval = tuple[float, float]

LEVELS = (0.5, 0.8, 0.95)
_MAXIMUM: dict[str, Any] = {"color": "#B2182B", "linestyle": (0, (4, 1.5)), "linewidth": 1.4}
_CONSTANT: dict[str, Any] = {"color": "#0B5FA5", "linestyle": "-", "linewidth": 1.4}
_MINIMUM: dict[str, Any] = {"color": "#1B7837", "linestyle": (0, (1, 1.2)), "linewidth": 2.0}
_LEVEL: dict[str, Any] = {"color": "#9A9A9A", "linestyle": "-", "linewidth": 0.6}
_NAMED: list[tuple[float, dict[str, Any], tuple[str, ...]]] = [
    (1.0, _MINIMUM, ("minimum (decreasing step), γ = 1", "minimum, γ = 1")),
    (0.0, _CONSTANT, ("constant curve, γ = 0", "γ = 0")),
    (-1.0, _MAXIMUM, ("maximum (increasing step), γ = −1", "maximum, γ = −1", "γ = −1")),
]
_INK = {look["color"]: look["color"] for _, look, _ in _NAMED} | {_LEVEL["color"]: "#6F6F6F"}
# From the middle outwards: of two places that cover the same, the more central one.
_PLACES = tuple(0.5 + side * step / 100 for step in range(0, 44, 6) for side in (1, -1))
_BEND = 8.0  # pixels that a curve may leave a straight label


def interval_of(table: Any, interval: Interval | None) -> Interval:
    """The interval of difficulties: the argument, or what the table carries in `attrs`."""
    found = interval if interval is not None else table.attrs.get("interval")
    if found is None:
        raise BadInput(
            "interval",
            None,
            "is unknown, so that there are no isometrics",
            "pass interval=(lowest, highest) difficulty",
        )
    low, high = map(float, vector("interval", found, 2))
    if not low < high:
        raise BadInput("interval", found, "is empty or not finite", "give (lowest, highest)")
    return low, high


def draw_isometrics(
    ax: Any,
    interval: Interval,
    levels: tuple[float, ...] = LEVELS,
    *,
    labels: bool = True,
    marks: FloatArray | None = None,
) -> list[Any]:
    """Draw the three isometrics and the γ levels into the view of `ax`; returns their labels.

    Call it when the limits of the axes are final: a label stands on its curve where that is
    visible and holds the fewest `marks` (points in data units).
    """
    low, high = interval
    # A cosine grid is dense at both ends, where the curves are steep.
    grid = low + (high - low) * (1 - np.cos(np.linspace(0, np.pi, 801))) / 2
    capability = np.clip(grid, low, high)
    points = ax.transData.transform(marks) if marks is not None and len(marks) else np.empty((0, 2))
    texts: list[Any] = []
    for gamma, look, names in [(g, _LEVEL, (f"γ = {g:g}",)) for g in levels] + _NAMED:
        spread = spread_at(capability, gamma, interval)
        ax.plot(capability, spread, zorder=1, **look)
        if labels:
            busy = np.vstack([_ends(points), boxes_of(texts)])
            texts += _label_on_curve(ax, capability, spread, names, busy, _INK[look["color"]])
    return texts


def _ends(points: FloatArray) -> FloatArray:
    return np.hstack([points - 4, points + 4])


def _label_on_curve(
    ax: Any, x: FloatArray, y: FloatArray, names: Sequence[str], busy: FloatArray, colour: str
) -> list[Any]:
    """The longest name that fits, on the longest visible piece of the curve, turned with it."""
    piece = ax.transData.transform(np.column_stack([x, y])[_longest_visible(ax, x, y)])
    if len(piece) < 5:
        return []
    arc = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(piece, axis=0).T))])
    look = {
        "color": colour,
        "fontsize": 7.2,
        "ha": "center",
        "rotation_mode": "anchor",
        "zorder": 2,
    }
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    text = ax.text(0, 0, "", va="center", bbox=box, clip_on=True, **look)
    for name in names:
        text.set(text=name, rotation=0)
        width = text.get_window_extent().width
        if width < 0.5 * arc[-1] and _stand_best(ax, text, piece, arc, busy, width) < _BEND:
            return [text]
    text.remove()
    return []


def _longest_visible(ax: Any, x: FloatArray, y: FloatArray) -> slice:
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    gap_x, gap_y = 0.02 * (right - left), 0.02 * (top - bottom)
    seen = (x >= left + gap_x) & (x <= right - gap_x) & (y <= top - gap_y)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], seen.astype(int), [0]])))
    pieces = [slice(a, b) for a, b in edges.reshape(-1, 2)]
    # Of two equal pieces the right one: the numbers of the axis stand on the left.
    return max(pieces, key=lambda p: (np.ptp(x[p]) + 1e-9, p.start), default=slice(0))


def _stand_best(
    ax: Any, text: Any, piece: FloatArray, arc: FloatArray, busy: FloatArray, width: float
) -> float:
    """Put the text where it covers least; returns how far the curve leaves it there, in pixels."""
    best, least = 0.5, np.inf
    for share in _PLACES:
        _stand(ax, text, piece, arc, share)
        covered = float(overlaps(boxes_of([text]), busy).sum()) if len(busy) else 0.0
        cost = covered + 20 * max(0.0, _bend(piece, arc, share, width) - _BEND)
        if cost < least:
            best, least = share, cost
    _stand(ax, text, piece, arc, best)
    return _bend(piece, arc, best, width)


def _at(piece: FloatArray, arc: FloatArray, where: float) -> FloatArray:
    return np.array([np.interp(where, arc, piece[:, k]) for k in (0, 1)])


def _bend(piece: FloatArray, arc: FloatArray, share: float, width: float) -> float:
    """How far the middle of the curve under a straight text is from its chord, in pixels."""
    middle = share * arc[-1]
    left, centre, right = (_at(piece, arc, middle + d) for d in (-width / 2, 0, width / 2))
    return float(np.hypot(*(centre - (left + right) / 2)))


def _stand(ax: Any, text: Any, piece: FloatArray, arc: FloatArray, share: float) -> None:
    half = text.get_fontsize() * 0.6
    middle = share * arc[-1]
    before, centre, after = (_at(piece, arc, middle + d) for d in (-half, 0, half))
    angle = float(np.degrees(np.arctan2(*(after - before)[::-1])))
    text.set(position=ax.transData.inverted().transform(centre), rotation=angle)
