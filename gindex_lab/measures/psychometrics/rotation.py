"""Rotations: the same factors seen from the side on which each item loads on as few as possible.

Loadings are determined up to a turn of their axes. Each criterion Q(Λ) says how far a pattern is from
simple structure, and gradient projection walks down Q along the turns (orthogonal: Jennrich 2001) or
along oblique axes of length one (Jennrich 2002). A criterion may have several minima, and unrotated
loadings may be a saddle point: we start from several turns at once, all of them one stack of arrays,
and keep the least. Three starts that agree are enough (bifactor: the best four of sixteen); otherwise forty
more are tried. The numbers were chosen on 50 simulated tables of 3 to 5 factors; on 50 others oblimin and
bifactor reached the least Q of eighty starts every time. 25 items and 5 factors take 2 ms by oblimin and 9 by
bifactor; R's GPArotation, from one start, 3 and 11 (`benchmarks/bench_factors.py`).

Shapes: starts x items x factors (`loadings`), starts x factors x factors (`turns`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import NumbersLike
from gindex_lab.foundation.validate import FloatArray, numbers

__all__ = ["ROTATIONS", "TARGETED", "rotate", "rotate_each", "upright", "wanted_loadings"]

ROTATIONS = ["none", "oblimin", "promax", "quartimin", "varimax", "quartimax", "bifactor"]
TARGETED = ["target", "target_orthogonal"]
# Chosen on 50 simulated tables, as the docstring says
_FIRST = {"bifactor": (16, 4)}  # turns tried at first, and how many of the best must agree; else (3, 3)
_MORE, _LAST, _STEPS = (40, 8, 12)  # turns tried where they do not agree; after some steps the best go on
_ITERATIONS, _STILL = 1000, 1e-7  # the walk ends when no start's projected gradient exceeds _STILL
_POWER = 4  # of promax, as in R

Criterion = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


def upright(loadings: FloatArray) -> FloatArray:
    """The sign convention: the loadings of a factor sum above zero."""
    return loadings * _signs(loadings)


def _signs(loadings: FloatArray) -> FloatArray:
    return np.where(loadings.sum(0) < 0, -1.0, 1.0)


def wanted_loadings(target: NumbersLike | None, rotation: str, items: int, factors: int) -> FloatArray | None:
    """The target, items x factors, of a rotation that has one; NaN leaves a loading free."""
    if rotation not in TARGETED:
        problem, remedy = "[unused] is not used by this rotation", 'pass rotation="target"'
        ensure(target is None, "target", rotation, problem, remedy)
        return None
    remedy = "pass items x factors, NaN where a loading is free"
    ensure(target is not None, "target", None, "[missing] is needed by this rotation", remedy)
    wanted = numbers("target", target)
    problem, remedy = "[wrong-shape] has another shape than the loadings", f"pass {items} x {factors}"
    ensure(wanted.shape == (items, factors), "target", wanted.shape, problem, remedy)
    finite = np.isfinite(wanted).any() and not np.isinf(wanted).any()
    remedy = "give some loadings a finite number"
    ensure(finite, "target", wanted.shape, "[not-finite] has no finite loading, or an infinite one", remedy)
    return wanted


def rotate(
    loadings: FloatArray, rotation: str, target: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Rotated loadings and the factors' correlations Φ, factors in order of the variance they carry.

    Rotations are without Kaiser's normalisation except varimax and promax, as in R's psych; each
    factor's loadings sum above zero. Oblimin is quartimin (its γ = 0). The general factor of a bifactor
    rotation stands first; a target keeps its order.

    >>> pattern = np.kron(np.eye(2), np.full((4, 1), 0.7))  # two groups of four items
    >>> rotate(pattern @ np.array([[0.8, 0.6], [-0.6, 0.8]]), "quartimax")[0][0].round(2) + 0.0
    array([0.7, 0. ])

    References
    ----------
    Jennrich (2001, 2002), Psychometrika 66, 289-306 and 67, 7-19 (gradient projection); Bernaards and
    Jennrich (2005), Educ. Psychol. Meas. 65, 676-696 (the criteria, R's GPArotation); Hendrickson and
    White (1964), Br. J. Stat. Psychol. 17, 65-70 (promax); Jennrich and Bentler (2011), Psychometrika 76,
    537-549 (bifactor); Browne (2001), Multivar. Behav. Res. 36, 111-150 (target).
    """
    factors = loadings.shape[1]
    if rotation == "none" or factors == 1:
        return loadings, np.eye(factors)
    problem = "[too-few-factors] needs a general factor and at least two groups"
    ensure(rotation != "bifactor" or factors > 2, "rotation", rotation, problem, "fit n=3 or more")
    criterion, oblique = _criterion(rotation, target)
    seen = _kaiser(loadings) if criterion is varimax else loadings
    first, kept = _FIRST.get(rotation, (3, 3))
    starts = _turns(factors, first + _MORE)
    turns, reached = _ended(seen, criterion, oblique, starts[:first], kept)
    if reached.max() - reached.min() > 1e-6 * (1 + abs(reached.min())):  # they do not agree
        more, lower = _ended(seen, criterion, oblique, starts[first:], _LAST)
        turns, reached = np.concatenate([turns, more]), np.concatenate([reached, lower])
    best = turns[reached.argmin()]
    rotated, phi = _seen_from(loadings, best, rotation)
    return _in_order(rotated, phi, rotation, target)


def _ended(
    loadings: FloatArray, criterion: Criterion, oblique: bool, starts: FloatArray, kept: int
) -> tuple[FloatArray, FloatArray]:
    """Where the best starts end, and their Q; which are best is seen after a few straight steps."""
    if len(starts) > kept:
        turns, reached = _straight(loadings, criterion, starts, _STEPS)
        starts = turns[np.argsort(reached)[:kept]]
    return (_oblique if oblique else _straight)(loadings, criterion, starts)


def rotate_each(
    stack: FloatArray, rotation: str, axes: FloatArray, target: FloatArray | None = None
) -> FloatArray:
    """The rotated loadings of each of a stack (draws x items x factors), searched from given axes.

    For loadings that lie near a solution already rotated (T of Λ T'⁻¹): each ends in the minimum beside
    it, with its factors in the same order and of the same sign.
    """
    if rotation == "none" or stack.shape[-1] == 1:
        return stack
    criterion, oblique = _criterion(rotation, target)
    left, _, right = np.linalg.svd(axes)
    start = np.broadcast_to(axes if oblique else left @ right, (len(stack), *axes.shape))
    seen = _kaiser(stack) if criterion is varimax else stack
    turns, _ = (_oblique if oblique else _straight)(seen, criterion, start)
    return _seen_from(stack, turns, rotation)[0]


def _criterion(rotation: str, target: FloatArray | None) -> tuple[Criterion, bool]:
    """Q of a rotation, and whether its axes may be oblique; promax begins as varimax."""
    if rotation in TARGETED:
        return _towards(np.asarray(target)), rotation == "target"
    known = {"quartimax": quartimax, "bifactor": bifactor, "varimax": varimax, "promax": varimax}
    return known.get(rotation, quartimin), rotation in ("oblimin", "quartimin")


def _seen_from(loadings: FloatArray, turns: FloatArray, rotation: str) -> tuple[FloatArray, FloatArray]:
    """Loadings Λ T'⁻¹ and Φ = T'T on axes T; promax makes straight axes oblique first."""
    if rotation == "promax":
        turns = turns @ _promax(_kaiser(loadings) @ turns)
    return loadings @ np.linalg.inv(turns).mT, turns.mT @ turns


def _in_order(
    rotated: FloatArray, phi: FloatArray, rotation: str, target: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    order, signs = np.argsort(-(rotated @ phi * rotated).sum(0), kind="stable"), _signs(rotated)
    if target is not None:  # its order, and its signs where it has any
        order, signs = np.arange(len(order)), np.where((np.nan_to_num(target) == 0).all(0), signs, 1.0)
    elif rotation == "bifactor":
        order = np.concatenate([[0], order[order > 0]])
    rotated, phi = rotated * signs, phi * np.outer(signs, signs)
    return rotated[:, order], phi[np.ix_(order, order)]


# -- the criteria: Q and dQ/dΛ of each start ----------------------------------------------------------


def quartimin(loadings: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Q = ¼ Σ_i Σ_{j≠k} λ²_ij λ²_ik: zero where every item loads on one factor only."""
    squares = loadings**2
    others = squares.sum(-1, keepdims=True) - squares
    return (squares * others).sum((-2, -1)) / 4, loadings * others


def quartimax(loadings: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Q = -¼ Σ λ⁴."""
    return -(loadings**4).sum((-2, -1)) / 4, -(loadings**3)


def varimax(loadings: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Q = -¼ Σ (λ² - the factor's mean λ²)²."""
    squares = loadings**2
    centred = squares - squares.mean(-2, keepdims=True)
    return -(centred**2).sum((-2, -1)) / 4, -loadings * centred


def bifactor(loadings: FloatArray) -> tuple[FloatArray, FloatArray]:
    """`quartimin` of all factors but the first, which is general (Jennrich and Bentler 2011)."""
    q, slope = quartimin(loadings[..., 1:])
    return q, np.concatenate([np.zeros_like(loadings[..., :1]), slope], axis=-1)


def _towards(target: FloatArray) -> Criterion:
    """Q = ½ Σ (λ - target)² where the target is a number (Browne 2001)."""

    def criterion(loadings: FloatArray) -> tuple[FloatArray, FloatArray]:
        apart = np.where(np.isnan(target), 0.0, loadings - np.nan_to_num(target))
        return (apart**2).sum((-2, -1)) / 2, apart

    return criterion


def _kaiser(loadings: FloatArray) -> FloatArray:
    """Rows of length one (Kaiser's normalisation)."""
    return loadings / np.sqrt(np.maximum((loadings**2).sum(-1, keepdims=True), np.finfo(float).tiny))


def _promax(straight: FloatArray) -> FloatArray:
    """Axes, in the frame of varimax, on which its loadings come closest to their fourth power."""
    target = straight * np.abs(straight) ** (_POWER - 1)
    turn = np.linalg.pinv(straight) @ target
    inverse = np.linalg.inv(turn.mT @ turn)
    turn = turn * np.sqrt(np.diagonal(inverse, axis1=-2, axis2=-1))[..., None, :]
    return np.linalg.inv(turn).mT


# -- gradient projection ------------------------------------------------------------------------------


def _turns(size: int, count: int) -> FloatArray:
    """The identity and fixed pseudo-random turns."""
    drawn = np.random.default_rng(0).standard_normal((count, size, size))
    turns = np.linalg.qr(drawn)[0]
    turns[0] = np.eye(size)
    return turns


def _straight(
    loadings: FloatArray, criterion: Criterion, starts: FloatArray, steps: int = _ITERATIONS
) -> tuple[FloatArray, FloatArray]:
    """Turns T of least Q(Λ T) beside each start, and their Q."""

    def value(turns: FloatArray) -> tuple[FloatArray, FloatArray]:
        q, slope = criterion(loadings @ turns)
        return q, loadings.mT @ slope

    def project(turns: FloatArray, slope: FloatArray) -> FloatArray:
        inner = turns.mT @ slope
        return slope - turns @ ((inner + inner.mT) / 2)

    def retract(moved: FloatArray) -> FloatArray:
        left, _, right = np.linalg.svd(moved)
        return left @ right

    return _walk(starts, value, project, retract, steps)


def _oblique(loadings: FloatArray, criterion: Criterion, starts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Axes T of length one with the least Q(Λ T'⁻¹) beside each start, and their Q."""

    def value(turns: FloatArray) -> tuple[FloatArray, FloatArray]:
        inverse = np.linalg.inv(turns)
        turned = loadings @ inverse.mT
        q, slope = criterion(turned)
        return q, -(turned.mT @ slope @ inverse).mT

    def project(turns: FloatArray, slope: FloatArray) -> FloatArray:
        return slope - turns * (turns * slope).sum(-2, keepdims=True)

    def retract(moved: FloatArray) -> FloatArray:
        return moved / np.sqrt((moved**2).sum(-2, keepdims=True))

    return _walk(starts, value, project, retract)


def _walk(
    turns: FloatArray,
    value: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
    project: Callable[[FloatArray, FloatArray], FloatArray],
    retract: Callable[[FloatArray], FloatArray],
    steps: int = _ITERATIONS,
) -> tuple[FloatArray, FloatArray]:
    """Down the projected gradient from every start at once: where each ended, and its Q.

    The length of a step is Barzilai and Borwein's (1988), s's / s'y of the last step s and the change
    y of the gradient; it is halved until Q falls below the largest of the last few (Grippo, Lampariello
    and Lucidi 1986).
    """
    q, slope = value(turns)
    slope = project(turns, slope)
    length, recent = np.ones(len(turns)), [q]
    for _ in range(steps):
        squared = (slope**2).sum((-2, -1))
        if np.sqrt(squared.max()) < _STILL:
            break
        most, share = np.max(recent, axis=0), length.copy()
        for _ in range(30):
            moved = retract(turns - share[:, None, None] * slope)
            reached, steep = value(moved)
            short = reached > most - 1e-4 * share * squared
            if not short.any():
                break
            share[short] /= 2
        steep = project(moved, steep)
        step, change = moved - turns, steep - slope
        bend = np.abs((step * change).sum((-2, -1)))
        far = (step**2).sum((-2, -1))
        length = np.clip(np.divide(far, bend, out=np.ones_like(far), where=bend > 0), 1e-3, 1e3)
        turns, q, slope = moved, reached, steep
        recent = [*recent[-4:], q]
    return turns, q
