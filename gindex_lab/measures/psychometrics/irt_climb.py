"""The way up that both EMs of item response theory take: EM steps, lengthened by SQUAREM (Varadhan and
Roland 2008) only where that does not lose likelihood."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings

__all__ = ["climbed"]


def climbed(
    step: Callable[[FloatArray], tuple[float, FloatArray]],
    old: FloatArray,
    bounds: tuple[FloatArray, FloatArray],
    settings: IrtSettings,
    used: int,
    step_curve: float = np.inf,
) -> tuple[FloatArray, bool, int]:
    """EM from `old` on: where it ends, whether it converged, and after how many steps in all.

    `step` gives the target at a point and where one EM step leads from there. Two steps are lengthened
    (`_squarem`); where that would lose likelihood, the two short ones are taken. A parameter beyond
    `step_curve` is on its way to infinity: then it is enough that next to nothing is gained.

    >>> within = -np.ones(2), np.ones(2)
    >>> end = climbed(lambda x: (-float(x @ x), x / 2), np.ones(2), within, IrtSettings(), 1)
    >>> end[0].round(6).tolist(), end[1]
    ([0.0, 0.0], True)
    """
    target, one = step(old)
    history, converged = [target], False
    while not converged and used < settings.iterations:
        two = step(one)[1]
        far = _squarem(old, one, two, bounds) if settings.accelerate else two
        reached, after = step(far)
        used += 2
        if not reached >= target:
            far = two
            reached, after = step(far)
            used += 1
        old, one, target = far, after, reached
        history.append(target)
        converged = bool(np.abs(one - old).max(initial=0.0) < settings.tolerance)
        least = 1e-4 if np.abs(one).max(initial=0.0) > step_curve else 1e-9 * abs(target)
        converged = converged or _idle(history, least)
    return one, converged, used


def _idle(history: list[float], least: float, cycles: int = 30) -> bool:
    """Less than `least` gained for long: what still moves is a slope on its way to infinity."""
    return len(history) > cycles and history[-1] - history[-cycles] < least


def _squarem(
    old: FloatArray, one: FloatArray, two: FloatArray, bounds: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """Extrapolation S3 of Varadhan and Roland (2008), kept inside the bounds."""
    first = one - old
    bend = two - one - first
    curvature = float(np.sqrt((bend**2).sum()))
    length = float(np.sqrt((first**2).sum())) / curvature if curvature > 0 else 1.0
    length = max(1.0, length)
    return np.clip(old + 2 * length * first + length**2 * bend, *bounds)
