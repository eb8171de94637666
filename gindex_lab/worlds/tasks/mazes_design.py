r"""The difficulty of a maze, by the paper's formula and by the one behind its numbers; the published design.

The paper (generality supplement, A.1) writes, with R rows, saturation S, l steps and U best paths,

.. math:: h = \log_{10}\left(2^R S^4 l^4 / U\right)

What Table S1 holds is the natural logarithm, and the number of dots m̂ where the formula has U: the value
of the package that made the mazes ("package"). Seven digits of 23 difficulties have whole-number solutions
only so.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.validate import FloatArray, choice, integer, number, vector

__all__ = ["TABLE_S1", "designs", "difficulty", "published_design"]

# rank R, saturation S, steps l and dots m̂ of each maze of Table S1, in the order of the table
TABLE_S1: dict[str, tuple[int, float, int, int]] = {
    "X247": (12, 0.2, 11, 7),
    "X248": (12, 0.2, 9, 6),
    "X249": (12, 0.3, 11, 8),
    "X250": (12, 0.3, 9, 8),
    "X251": (12, 0.4, 11, 8),
    "X252": (12, 0.4, 10, 9),
    "X253": (16, 0.2, 14, 7),
    "X254": (16, 0.2, 15, 7),
    "X255": (16, 0.3, 15, 9),
    "X256": (16, 0.3, 15, 9),
    "X257": (16, 0.4, 15, 12),
    "X258": (16, 0.4, 15, 12),
    "X259": (20, 0.2, 16, 9),
    "X260": (20, 0.2, 19, 11),
    "X261": (20, 0.3, 19, 16),
    "X262": (20, 0.4, 18, 14),
    "X263": (20, 0.4, 19, 13),
    "X264": (20, 0.3, 19, 13),
    "X216": (14, 0.2, 12, 6),
    "X217": (14, 0.2, 13, 6),
    "X225": (14, 0.4, 13, 9),
    "X227": (18, 0.2, 16, 9),
    "X233": (10, 0.4, 9, 7),
}
RANKS, SATURATIONS = (10, 12, 14, 16, 18, 20), (0.2, 0.3, 0.4)
_KINDS = ("package", "paper", "m1", "m2")


def difficulty(
    rank: object, saturation: object, steps: object, dots: object, kind: str = "package"
) -> float:
    r"""How hard a maze is: `"package"` is ln(2^R S⁴ l⁴ / m̂), the scale of Table S1.

    With `kind="paper"` it is log10, and `dots` stands for the number of best paths U. `"m1"` is
    ln(2^R / m̂) and `"m2"` ln(2^R S⁴ / m̂), the package's simpler models.

    >>> round(difficulty(12, 0.2, 11, 7), 6)
    9.525685
    >>> round(difficulty(12, 0.2, 11, 24, kind="paper"), 3)  # 24 best paths
    3.602
    """
    choice("kind", kind, _KINDS)
    rows, length = integer("rank", rank, 2), integer("steps", steps)
    share = number("saturation", saturation, 0, 1, open_ends=True)
    divisor = integer("dots", dots)
    if kind == "paper":
        return float(_logarithm(rows, share, length, divisor) / np.log(10))
    powers = {"package": (4, 4), "m1": (0, 0), "m2": (4, 0)}[kind]
    return float(_logarithm(rows, share, length, divisor, *powers))


def _logarithm(
    rank: object, saturation: object, steps: object, divisor: object, a: int = 4, b: int = 4
) -> FloatArray:
    """ln(2^R S^a l^b / divisor), of numbers or arrays."""
    parts = (np.asarray(part, dtype=float) for part in (rank, saturation, steps, divisor))
    r, s, length, most = parts
    return np.asarray(r * np.log(2) + a * np.log(s) + b * np.log(length) - np.log(most))


def designs(difficulty: pd.Series, tolerance: float = 6e-6, base: str = "e") -> pd.DataFrame:
    """Every maze (R, S, l, m̂) of the published design whose difficulty is the one given.

    The design: 10 to 20 rows, saturation 0.2, 0.3 or 0.4; l below R, and no more dots than steps. One
    row for each solution, `item` first; an item without a solution has no row. `base="10"` takes the
    logarithm that the paper prints.

    >>> designs(pd.Series({"X261": 18.05222}))
       item  rank  saturation  steps  dots  difficulty
    0  X261    20         0.3     19    16    18.05222
    """
    choice("base", base, ("e", "10"))
    h = vector("difficulty", difficulty)
    within = number("tolerance", tolerance, 0, open_ends=True)
    steps, dots = np.arange(1, max(RANKS)), np.arange(1, max(RANKS))
    grid = np.array(np.meshgrid(RANKS, SATURATIONS, steps, dots)).reshape(4, -1)
    grid = grid[:, (grid[2] < grid[0]) & (grid[3] <= grid[2])]
    values = _logarithm(*grid) / (np.log(10) if base == "10" else 1.0)
    place, found = np.nonzero(np.abs(h[:, None] - values) < within)
    table = pd.DataFrame(grid[:, found].T, columns=["rank", "saturation", "steps", "dots"])
    table = table.astype({"rank": int, "steps": int, "dots": int})
    table.insert(0, "item", difficulty.index[place])
    return table.assign(difficulty=values[found])


def published_design() -> pd.DataFrame:
    """The 23 mazes of Table S1: rank, saturation, steps, dots, and the difficulty that follows.

    >>> published_design().loc["X263"].round(5).tolist()
    [20.0, 0.4, 19.0, 13.0, 19.41059]
    """
    columns = ["rank", "saturation", "steps", "dots"]
    table = pd.DataFrame.from_dict(TABLE_S1, orient="index", columns=columns).rename_axis("item")
    return table.assign(difficulty=[difficulty(*facts) for facts in TABLE_S1.values()])
