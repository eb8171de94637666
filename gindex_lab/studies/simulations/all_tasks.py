"""All tasks of a small world: the 256 Boolean functions of three inputs, as tasks for learners.

"All possible tasks" need a distribution (generality supplement, D.1 and Fig. S28): over descriptions of
tasks, over difficulties and then tasks, over difficulties and then solutions, or evenly over everything.
Here the set is small enough to do each of them exactly. A task is a truth table of eight rows; a solution
is a formula of AND, OR and the eight leaves x, y, z, their negations, 0 and 1; the difficulty of a task is
the number of leaves of its smallest formula. A learner sees some rows and answers the others.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd

from gindex_lab.foundation.validate import FloatArray, choice, integer

__all__ = ["LEARNERS", "WAYS", "difficulty", "distribution", "effective_tasks", "responses"]

ROWS, TASKS = 8, 256  # of a truth table of three inputs, and how many there are
WAYS = ("by description", "by difficulty, then task", "by difficulty, then solution", "all alike")
LEARNERS = ("simplest", "weighted", "nearest", "majority", "always 0", "contrary")
_LEAF = 2 / 3  # the chance of a leaf, above 1/2 so that formulas stay small: a judgement
_LARGEST = 12  # more leaves than any of the 256 functions needs


def _leaves() -> np.ndarray:
    """The truth tables of x, y, z, their negations, 0 and 1, as numbers of eight bits."""
    rows = np.arange(ROWS)
    inputs = [int(sum(1 << r for r in rows if r >> bit & 1)) for bit in range(3)]
    return np.array([*inputs, *(TASKS - 1 - f for f in inputs), 0, TASKS - 1])


@cache
def _combined() -> tuple[np.ndarray, np.ndarray]:
    f = np.arange(TASKS)
    return (f[:, None] & f[None, :]).ravel(), (f[:, None] | f[None, :]).ravel()


def _joined(left: FloatArray, right: FloatArray) -> FloatArray:
    """Sum of left(f) right(g) over all pairs, by what f AND g and f OR g compute."""
    both = np.outer(left, right).ravel()
    return np.asarray(sum(np.bincount(to, both, minlength=TASKS) for to in _combined()))


@cache
def _formulas() -> tuple[FloatArray, ...]:
    """How many formulas of s leaves compute each function, s = 1, 2, ...: a recursion over the split."""
    counts = [np.bincount(_leaves(), minlength=TASKS).astype(float)]
    for size in range(2, _LARGEST + 1):
        splits = range(1, size)
        counts.append(np.asarray(sum(_joined(counts[i - 1], counts[size - i - 1]) for i in splits)))
    return tuple(counts)


@cache
def _smallest() -> tuple[np.ndarray, FloatArray]:
    counts = np.array(_formulas())
    size = (counts > 0).argmax(axis=0)
    return size + 1, counts[size, np.arange(TASKS)]


def difficulty() -> pd.Series:
    """The leaves of the smallest formula of each task: h(μ) = min L(π) over the solutions π (D.2)."""
    return pd.Series(_smallest()[0], name="difficulty").rename_axis("task")


def distribution(way: str) -> pd.Series:
    """The probability of each task under one of the ways of Fig. S28.

    "by description" draws a formula: a leaf with probability 2/3, else AND or OR of two formulas,
    so that P(μ) = Σ P(formula) over all that compute μ, a universal distribution of this language.
    The next two draw a difficulty evenly and then a task of that difficulty, or a smallest solution of
    that length and the task that it solves. "all alike" is the block uniformity of the no-free-lunch
    theorems.

    >>> float(distribution("all alike").iloc[0] * 256)
    1.0
    >>> round(float(distribution("by description").nlargest(8).sum()), 2)
    0.88
    """
    choice("way", way, WAYS)
    if way == "all alike":
        chance = np.full(TASKS, 1 / TASKS)
    elif way == "by description":
        chance = _described()
    else:
        size, solutions = _smallest()
        weight = solutions if way == "by difficulty, then solution" else np.ones(TASKS)
        chance = weight / np.bincount(size, weight)[size] / len(np.unique(size))
    return pd.Series(chance, name=way).rename_axis("task")


@cache
def _described() -> FloatArray:
    """The fixed point of p = ℓ · (a leaf) + (1 - ℓ)/2 · (p AND p) + (1 - ℓ)/2 · (p OR p), ℓ = `_LEAF`."""
    start = _LEAF * np.bincount(_leaves(), minlength=TASKS) / len(_leaves())
    p = start
    for _ in range(200):
        new = start + (1 - _LEAF) / 2 * _joined(p, p)
        if np.abs(new - p).max() < 1e-15:
            break
        p = new
    return np.asarray(new / new.sum())


def effective_tasks(chance: pd.Series) -> float:
    """How many equally likely tasks would be as diverse: exp of the entropy of the distribution.

    >>> round(effective_tasks(distribution("all alike")))
    256
    """
    p = chance[chance > 0]
    return float(np.exp(-(p * np.log(p)).sum()))


def responses(learner: str, seen: int = 4) -> pd.Series:
    """The share of unseen rows that a learner gets right on each task, over all sets of `seen` rows.

    "simplest" answers with the smallest formulas that agree with what it saw (Occam), "weighted" with
    all functions that agree, weighed by their descriptions (Solomonoff), "nearest" with the rows that
    differ in fewest inputs, "majority" with the more frequent answer; "contrary" says the opposite of
    the simplest. A tie counts half.
    """
    choice("learner", learner, LEARNERS)
    rows = range(ROWS)
    right, total = np.zeros(TASKS), 0
    for known in combinations(rows, integer("seen", seen, 1, ROWS - 1)):
        hidden = [row for row in rows if row not in known]
        says_one = _answers(learner, list(known), hidden)
        truth = _table()[:, hidden]
        right += np.where(truth == 1, says_one, 1 - says_one).sum(axis=1)
        total += len(hidden)
    return pd.Series(right / total, name=learner).rename_axis("task")


@cache
def _table() -> FloatArray:
    """The truth tables, tasks x rows."""
    return (np.arange(TASKS)[:, None] >> np.arange(ROWS) & 1).astype(float)


def _answers(learner: str, known: list[int], hidden: list[int]) -> FloatArray:
    """How strongly the learner says 1 for each hidden row, tasks x rows, in {0, ½, 1}."""
    table = _table()
    if learner == "contrary":
        return np.asarray(1 - _answers("simplest", known, hidden))
    if learner == "always 0":
        return np.zeros((TASKS, len(hidden)))
    if learner == "majority":
        return _voted(np.repeat(table[:, known].mean(axis=1)[:, None], len(hidden), axis=1))
    if learner == "nearest":
        return _voted(np.stack([table[:, _near(row, known)].mean(axis=1) for row in hidden], 1))
    # the vote of all functions that agree with what was seen, each task's group by itself
    groups = table[:, known] @ (1 << np.arange(len(known)))
    share = np.empty((TASKS, len(hidden)))
    for code in np.unique(groups):
        members = np.flatnonzero(groups == code)
        size = _smallest()[0][members]
        weight = (size == size.min()).astype(float) if learner == "simplest" else _described()[members]
        share[members] = weight @ table[members][:, hidden] / weight.sum()
    return _voted(share)


def _near(row: int, known: list[int]) -> list[int]:
    apart = [(row ^ other).bit_count() for other in known]
    return [other for other, gap in zip(known, apart, strict=True) if gap == min(apart)]


def _voted(share: FloatArray) -> FloatArray:
    """1 above one half, 0 below, ½ on a tie."""
    return np.asarray((np.sign(np.round(share - 0.5, 12)) + 1) / 2)
