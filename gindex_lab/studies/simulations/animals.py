"""Individuals of a species on several domains: what a general factor sees, and what it does not.

Section C.1 of the generality supplement (Fig. S23, after Burkart and others) draws three ways in which four
individuals may fare on four domains; Fig. S27 (after Woodley of Menie and others) asks how loadings on a
general factor relate to the gap between two species as tests of little variance are dropped. There both are
schematics of other people's work; here they are simulations of our own.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, choice, generator, integer

__all__ = ["PATTERNS", "capabilities", "factor_share", "loadings_and_gaps", "on_items", "two_species"]

PATTERNS = ("domains differ", "individuals differ", "each its own domains")
_LEVELS = 10  # difficulties of the items of a domain, 1 to 10


def capabilities(pattern: str, individuals: int = 4, seed: SeedLike = 1) -> pd.DataFrame:
    """How far each individual gets in each of four domains, on a scale from 0 to 10 (Fig. S23).

    The three patterns put the same variance (sd 2 around 5) into the domains, into the individuals, or
    into their interaction; a little of everything (sd 0.4) is added.
    """
    choice("pattern", pattern, PATTERNS)
    rng = generator(seed)
    size = integer("individuals", individuals, 2), 4
    shapes = {PATTERNS[0]: (1, size[1]), PATTERNS[1]: (size[0], 1), PATTERNS[2]: size}
    drawn = rng.standard_normal(shapes[pattern])
    main = 2 * ((drawn - drawn.mean()) / drawn.std())
    found = np.clip(5 + main + 0.4 * rng.standard_normal(size), 0, _LEVELS)
    names = [f"individual {k + 1}" for k in range(size[0])]
    return pd.DataFrame(found, names, [f"D{k + 1}" for k in range(size[1])])


def on_items(table: pd.DataFrame, extra: dict[str, int] | None = None) -> Responses:
    """The responses of step agents of these capabilities to items of difficulty 1, ..., 10 in each domain.

    `extra` is how many more items of difficulty 1 a domain gets: easy items lift its mean for everyone.
    """
    parts, h, domain = [], [], []
    for name in table:
        levels = np.r_[np.arange(1, _LEVELS + 1), np.ones((extra or {}).get(name, 0))]
        parts.append(table[[name]].to_numpy() >= levels)
        h.extend(levels)
        domain.extend([name] * len(levels))
    items = pd.DataFrame({"domain": domain}, index=[f"item {k + 1}" for k in range(len(h))])
    frame = pd.DataFrame(np.hstack(parts).astype(float), table.index, items.index)
    return Responses(frame, difficulty=h, items=items, name="species", source="simulated")


def factor_share(table: pd.DataFrame) -> float:
    """The share of the variance of standardised domains on their first component: λ₁ / D.

    1/D when domains are unrelated over individuals, 1 when one factor explains all.
    """
    values = np.linalg.eigvalsh(np.corrcoef(table.to_numpy(float), rowvar=False))
    return float(values[-1] / len(values))


def two_species(tests: int = 40, each: int = 300, seed: SeedLike = 1) -> pd.DataFrame:
    """Scores of two species on tests of rising difficulty, in one table with the level `species`.

    An individual's ability is normal with sd 1, the means 2 apart; a test of difficulty b and
    discrimination a gives 20 right-or-wrong answers with P = 1 / (1 + exp(-a (θ - b))). Easy tests
    are at the ceiling for the abler species, hard ones at the floor for the other.

    >>> two_species(tests=3, each=5, seed=1).shape
    (10, 3)
    """
    rng = generator(seed)
    b = np.linspace(-3, 3, integer("tests", tests, 3))
    a = rng.uniform(0.4, 2.0, tests)
    parts = {}
    for name, centre in {"chimpanzees": -1.0, "humans": 1.0}.items():
        theta = centre + rng.standard_normal(integer("each", each, 2))
        p = 1 / (1 + np.exp(-a * (theta[:, None] - b)))
        parts[name] = pd.DataFrame(rng.binomial(20, p) / 20)
    return pd.concat(parts, names=["species", "individual"])


def loadings_and_gaps(scores: pd.DataFrame, by: str = "sd / mean") -> pd.DataFrame:
    """r(g loading, gap d) over the tests retained, as those of least variation are dropped down to eight.

    Per population (each species and both together): a test's variation is its coefficient "sd / mean"
    (or its plain "sd"), its loading that on the first component, its gap d the difference of the
    species' means over the pooled sd. Tests without variance in a population are left out there.

    >>> table = loadings_and_gaps(two_species(seed=1))
    >>> sorted(table["population"].unique())
    ['both', 'chimpanzees', 'humans']
    """
    choice("by", by, ["sd / mean", "sd"])
    species = scores.index.get_level_values("species")
    names = list(dict.fromkeys(species))
    groups = {name: scores[species == name] for name in names}
    pooled = np.sqrt(sum(g.var() for g in groups.values()) / 2)
    d = ((groups[names[1]].mean() - groups[names[0]].mean()) / pooled).where(pooled > 0)
    rows = []
    for name, table in {**groups, "both": scores}.items():
        usable = table.columns[(table.std() > 0) & d.notna()]
        over = table[usable].mean() if by == "sd / mean" else 1.0
        variation = (table[usable].std() / over).sort_values(ascending=False)
        for count in range(len(usable), 7, -1):
            kept = list(variation.index[:count])
            r = float(np.corrcoef(_loadings(table[kept]), d[kept])[0, 1])
            rows.append((name, count, float(variation.iloc[:count].mean()), r))
    return pd.DataFrame(rows, columns=["population", "tests", "variation", "r"])


def _loadings(table: pd.DataFrame) -> FloatArray:
    """Loadings on the first component, with the sign that makes their sum positive."""
    values, vectors = np.linalg.eigh(np.corrcoef(table.to_numpy(), rowvar=False))
    first = vectors[:, -1] * np.sqrt(values[-1])
    return np.asarray(first * np.sign(first.sum()))
