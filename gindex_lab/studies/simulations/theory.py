"""The closed forms of the generality paper's theory, each next to the place where it stands.

Short formulas that the theory notebooks compare with measured curves: what a normal curve must give
(propositions 1 to 3), how a step correlates with difficulty (B.1) and two steps with each other (B.2),
what extra capability costs (C.2), and how large a repertoire of solutions grows (D.2).
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import NumbersLike
from gindex_lab.foundation.validate import FloatArray, integer, number, vector

__all__ = ["equal_effort_end", "mean_step_correlation", "normal_capability", "normal_curve", "normal_effort"]
__all__ += ["rectangle_effort", "repertoire", "step_correlation", "two_step_correlation"]


def normal_curve(difficulty: NumbersLike, mean: float, sd: float) -> FloatArray:
    """ψ(h) = 1 - Φ((h - μ) / σ): a capability that varies normally (§F.2).

    Its steepest slope, at μ, is -1 / (σ √(2π)) (proposition 1).

    >>> normal_curve([10.0], mean=10, sd=2)
    array([0.5])
    """
    from scipy.special import ndtr

    h = vector("difficulty", difficulty)
    return np.asarray(ndtr((mean - h) / number("sd", sd, 0, open_ends=True)))


def normal_capability(mean: float, sd: float) -> float:
    """∫₀^∞ ψ dh of a normal curve: μ Φ(μ/σ) + σ φ(μ/σ), close to μ if μ ≫ σ (proposition 3).

    >>> round(normal_capability(10, 2), 6)
    10.0
    """
    normal, a = NormalDist(), mean / number("sd", sd, 0, open_ends=True)
    return sd * (a * normal.cdf(a) + normal.pdf(a))


def normal_effort(mean: float, sd: float) -> float:
    """∫₀^∞ h ψ dh of a normal curve: σ²/2 ((a² + 1) Φ(a) + a φ(a)), a = μ/σ (lemma 2).

    Close to (μ² + σ²) / 2 if μ ≫ σ, so that the spread is σ.

    >>> round(normal_effort(10, 2), 6)
    52.0
    """
    normal, a = NormalDist(), mean / number("sd", sd, 0, open_ends=True)
    return sd**2 / 2 * ((a**2 + 1) * normal.cdf(a) + a * normal.pdf(a))


def step_correlation(share: float) -> float:
    """Correlation of response and difficulty for a step at a share c of evenly spread difficulties.

    -√(3 c (1 - c)) (§B.1): -0.866 in the middle, and 0 in the limit of an unbounded range (c -> 0).

    >>> round(step_correlation(0.5), 3)
    -0.866
    """
    c = number("share", share, 0, 1)
    return -math.sqrt(3 * c * (1 - c))


def two_step_correlation(easy: NumbersLike, hard: NumbersLike) -> FloatArray:
    """Correlation of two items that a share `easy` and a smaller share `hard` of step agents solve.

    Who solves the hard item solves the easy one, so φ = √(hard (1 - easy) / (easy (1 - hard))) > 0.

    >>> two_step_correlation([0.8], [0.5]).round(3)
    array([0.5])
    """
    e, h = vector("easy", easy), vector("hard", hard)
    ordered = (h <= e).all() and (h > 0).all() and (e < 1).all()
    ensure(ordered, "hard", hard, "[not-in-order] is not above 0 and below `easy`", "order the two items")
    return np.asarray(np.sqrt(h * (1 - e) / (e * (1 - h))))


def mean_step_correlation() -> float:
    """The mean item correlation of step agents: π²/4 - 2 = 0.4674 (§B.2).

    If capabilities and difficulties have one common continuous distribution, whichever, the share
    of agents that solve an item is uniform on (0, 1), and the mean of φ over two such shares is

        2 ∫₀¹ ∫₀^e √(h (1 - e) / (e (1 - h))) dh de = π²/4 - 2.

    >>> round(mean_step_correlation(), 4)
    0.4674
    """
    return math.pi**2 / 4 - 2


def rectangle_effort(low: float, high: float, height: float = 1.0) -> float:
    """Effort ∫ h ψ dh of a rectangle of this height from low to high (Eq. 2; Fig. S24).

    >>> rectangle_effort(10, 11), rectangle_effort(10, 20, 0.1)
    (10.5, 15.0)
    """
    return height * (high**2 - low**2) / 2


def equal_effort_end(low: float, effort: float, height: float) -> float:
    """Where a rectangle of this height from `low` must end to cost this effort (Fig. S24, right).

    >>> round(equal_effort_end(10, 10.5, 0.1), 4)
    17.6068
    """
    return math.sqrt(low**2 + 2 * effort / number("height", height, 0, open_ends=True))


def repertoire(capability: int) -> tuple[int, int]:
    """(how many solutions, how many bits) a system needs that stores one for each of the 2^h
    problems of each difficulty h up to its capability: 2^(Ψ+1) - 1 and (Ψ-1) 2^(Ψ+1) + 2 (§D.2).

    >>> repertoire(10)
    (2047, 18434)
    """
    psi = integer("capability", capability, 0)
    return 2 ** (psi + 1) - 1, (psi - 1) * 2 ** (psi + 1) + 2
