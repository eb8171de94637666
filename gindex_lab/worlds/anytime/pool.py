"""The environments that the test chooses from: drawn, sieved, and sorted by complexity.

A pool holds different environments (by space and primitive pattern), all of them reward-sensitive; class Λ
is balanced as it is. Drawn by the law of the logged environments ("natural") a pool is thin where it is
complex, and a capable agent soon runs out of environments; the default ("even") keeps that law for spaces
and makes every pattern length that fits below `highest` bits equally likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log2
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import FloatArray, choice, generator, integer, no_duplicates, number
from gindex_lab.worlds.anytime.averages import listed
from gindex_lab.worlds.anytime.complexity import MEASURES, complexity
from gindex_lab.worlds.anytime.environment import MODES, Environment
from gindex_lab.worlds.anytime.episodes import environments_of
from gindex_lab.worlds.anytime.markov import elias
from gindex_lab.worlds.anytime.planning import is_reward_sensitive
from gindex_lab.worlds.anytime.spaces import random_pattern, random_space

__all__ = ["Pool", "default_pool", "make_pool", "pool_of"]

_MOST_MISSES = 2000  # draws in a row that give nothing new: a judgement
LOGGED_CELLS = (3, 4, 5, 6, 7, 8, 9)  # of the published sessions (Insa-Cabrera et al. 2011)


@dataclass(frozen=True, eq=False)
class Pool:
    """Environments in the order of their complexity H, which `measure` names.

    Reference: Hernández-Orallo and Dowe (2010), Definition 17.

    >>> pool = Pool.of([Environment("1+|1+|1+", "1"), Environment("1+|1-", "0")])
    >>> pool.complexity
    array([8., 8.])
    """

    environments: tuple[Environment, ...]
    complexity: FloatArray
    measure: str = "bits"
    name: str = "given"

    @classmethod
    def of(cls, environments: Sequence[Environment], measure: str = "bits", name: str = "given") -> Pool:
        """A pool of given environments, as they are."""
        worlds = environments_of(environments)
        no_duplicates("environments", [str(world.key) for world in worlds])
        bits = np.array([complexity(world, measure) for world in worlds], dtype=float)
        order = np.argsort(bits, kind="stable")
        return cls(tuple(worlds[k] for k in order), bits[order], measure, name)

    def __len__(self) -> int:
        return len(self.environments)

    def __repr__(self) -> str:
        low, high = self.complexity[[0, -1]]
        return f"Pool({len(self)} environments, {low:.3g} to {high:.3g} by {self.measure!r}, {self.name})"

    @property
    def table(self) -> pd.DataFrame:
        """One row per environment: space, pattern, cells, actions, complexity."""
        rows = [(e.space.text, str(e.pattern), e.cells, e.actions) for e in self.environments]
        frame = pd.DataFrame(rows, columns=["space", "pattern", "cells", "actions"])
        return frame.assign(complexity=self.complexity)

    def window(self, low: float, high: float, used: set[int]) -> list[int]:
        """The places of the unused environments with low <= H <= high."""
        first = int(np.searchsorted(self.complexity, low, side="left"))
        last = int(np.searchsorted(self.complexity, high, side="right"))
        return [place for place in range(first, last) if place not in used]


def make_pool(
    size: int = 5000,
    *,
    cells: Sequence[int] = LOGGED_CELLS,
    law: str = "even",
    highest: float = 64.0,
    sensitivity: int = 10,
    measure: str = "bits",
    observation: str = "full",
    delta: float = 0.0,
    seed: SeedLike = 0,
) -> Pool:
    """Draw different, reward-sensitive environments.

    Parameters
    ----------
    size : how many
    cells : the numbers of cells, equally likely
    law : of the lengths of patterns, "even" or "natural" (see above)
    highest : the most bits of a pattern under "even"
    sensitivity : n_i of Definition 17
    measure : of complexity, by which they are sorted (see `complexity`)
    observation, delta : rules of the environments
    seed : of the draws

    Returns
    -------
    A `Pool`.

    References
    ----------
    Hernández-Orallo and Dowe (2010), Definition 17.

    Examples
    --------
    >>> pool = make_pool(30, seed=1)
    >>> len(pool), bool((np.diff(pool.complexity) >= 0).all())
    (30, True)
    """
    wanted, rng, missed = integer("size", size, 1), generator(seed), 0
    choice("law", law, ["even", "natural"])
    choice("measure", measure, MEASURES)
    choice("observation", observation, MODES)
    sizes = [integer("cells", n, 2) for n in listed("cells", cells, least=1)]
    most = float(number("highest", highest, 12, 1000))
    rules: dict[str, Any] = {"observation": observation, "delta": number("delta", delta, 0, 1)}
    found: dict[tuple[object, ...], Environment] = {}
    while len(found) < wanted:
        n = sizes[int(rng.integers(len(sizes)))]
        space = random_space(n, seed=rng)
        longest = _longest(n, space.actions, most)
        length = int(rng.integers(1, longest + 1)) if law == "even" else None
        pattern = random_pattern(space.actions, n, length=length, seed=rng)
        plain = Environment(space, pattern, check=False)  # random_space has checked it
        missed += 1
        if plain.key not in found and is_reward_sensitive(plain, sensitivity):
            found[plain.key] = Environment(space, pattern, check=False, **rules)
            missed = 0
        problem = f"[too-many] is out of reach: after {len(found)}, {missed:,} draws gave nothing new"
        ensure(missed <= _MOST_MISSES, "size", size, problem, "use more cells or bits")
    return Pool.of(list(found.values()), measure, f"{law} law")


@lru_cache(maxsize=1024)
def _longest(cells: int, actions: int, highest: float) -> int:
    """The longest pattern whose description stays below `highest` bits; at least 1."""
    spent, length = elias(cells) + elias(actions), 1
    while spent + elias(length + 1) + (length + 1) * log2(actions) <= highest:
        length += 1
    return length


def pool_of(pool: Any) -> Pool:
    """The pool, or the default one where none is given."""
    problem, remedy = "[not-a-pool] is not a pool", "use gl.anytime.make_pool(...)"
    ensure(pool is None or isinstance(pool, Pool), "pool", pool, problem, remedy)
    return default_pool() if pool is None else pool


@lru_cache(maxsize=4)
def default_pool(size: int = 5000) -> Pool:
    """The pool of a test without one of its own: made once in a session, the same for all agents."""
    return make_pool(size, seed=0)
