"""An Elithorn maze as people see it: a triangle on its tip, dots on some crossings, paths that go up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gindex_lab.foundation.validate import integer
from gindex_lab.presentation.plots.common import heading, new_axes, styled

__all__ = ["plot_maze"]


@styled
def plot_maze(
    rank: object,
    dots: Iterable[tuple[int, int]],
    path: Sequence[tuple[int, int]] = (),
    *,
    title: str = "",
    ax: Any = None,
) -> Any:
    """Crossings (r, c) with r + c < rank, the tip (0, 0) at the bottom; a path drawn over them.

    >>> plot_maze(3, [(1, 0)], [(0, 0), (1, 0)], title="small").get_title(loc="left")
    'small'
    """
    rows, marked = integer("rank", rank, 2), set(dots)
    ax = new_axes(ax, figsize=(4.6, 4.0))
    for k in range(rows - 1):  # the paths up to the left and to the right, each as one long line
        ends = [(0, k), (rows - 1 - k, k)], [(k, 0), (k, rows - 1 - k)]
        for end in ends:
            ax.plot(*_line(end), color="#C9CDD2", lw=1.0, zorder=1)
    if len(path):
        ax.plot(*_line(path), color="#0072B2", lw=2.6, zorder=2)
    across, height = _line(sorted(marked))
    ax.scatter(across, height, s=46, color="#E69F00", edgecolor="#4A3200", linewidth=0.8, zorder=3)
    ax.set_aspect("equal")
    ax.set_axis_off()
    met = f", {len(marked & set(path))} on the path" if len(path) else ""
    heading(ax, title, f"{rows} rows, {len(marked)} dots{met}")
    return ax


def _line(crossings: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [c - r for r, c in crossings], [r + c for r, c in crossings]
