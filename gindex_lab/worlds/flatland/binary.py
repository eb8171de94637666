"""The third list metric of 2021: parameters are equal or they are not, and centres do not matter."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from gindex_lab.worlds.flatland.drawings import Circle, Drawing, Shape

__all__ = ["binary_distance"]


def binary_distance(p: object, q: object) -> float:
    """Δ = 1 - (Σ w)² / (|p| |q|) over the best one-to-one matching, w the share of equal parameters.

    A circle has its type, centre, radius and angle, a line its type, start, end and midpoint. Which four a
    line had in the authors' metric is inferred: their values show ¼ for two lines with nothing in common
    but the type, and 0 between a drawing and itself. (`gl.flatland.distance` has the other two.)

    >>> small, large = (Drawing((Circle(60, 60, r),)) for r in (10, 20))
    >>> binary_distance(small, small), binary_distance(small, large)
    (0.0, 0.4375)
    """
    first, second = (Drawing.of(source).shapes for source in (p, q))
    if not first or not second:
        return 1.0
    weight = np.array([[_share(a, b) for b in second] for a in first])
    total = weight[linear_sum_assignment(weight, maximize=True)].sum()
    return float(1 - total**2 / (len(first) * len(second)))


def _share(a: Shape, b: Shape) -> float:
    if type(a) is not type(b):
        return 0.0
    ours, theirs = _parameters(a), _parameters(b)
    return (1 + sum(x == y for x, y in zip(ours, theirs, strict=True))) / 4


def _parameters(shape: Shape) -> tuple[object, object, object]:
    if isinstance(shape, Circle):
        return shape.centre, shape.radius, shape.theta
    return (shape.x0, shape.y0), (shape.x1, shape.y1), shape.centre
