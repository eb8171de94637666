"""Confirmatory models that are compared with R's lavaan, on the tables of `factor_tables`.

`python tests/oracles/confirmatory_models.py FOLDER` writes them for `confirmatory_in_r.R`, whose numbers (lavaan
0.6.14) stand in `confirmatory_in_r.txt`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np


def v(*numbers):
    """Names of items."""
    return [f"v{k}" for k in numbers]


GROUPS = {"a": v(1, 2, 3, 4), "b": v(5, 6, 7, 8), "c": v(9, 10, 11, 12)}
HALVES = {"a": v(1, 2, 3, 4), "b": v(5, 6, 7, 8)}
NINE = {"verbal": v(1, 2, 3), "fluency": v(4, 5, 6), "series": v(7, 8, 9)}
# name: table, factors, whether they correlate
MODELS = {
    "one": ("one", {"g": v(*range(1, 9))}, True),
    "one_as_two": ("one", HALVES, True),
    "three": ("three", GROUPS, True),
    "three_straight": ("three", GROUPS, False),
    "three_shared": ("three", GROUPS | {"b": v(4, 5, 6, 7, 8)}, True),
    "few": ("few", {"g": v(*range(1, 7))}, True),
    "reversed": ("reversed", GROUPS, True),
    "right_or_wrong": ("binary", {"a": v(1, 2, 3, 4, 5), "b": v(6, 7, 8, 9, 10)}, True),
    "graded": ("graded", HALVES, True),
    "graded_as_one": ("graded", {"g": v(*range(1, 9))}, True),
    "thurstone": ("thurstone", NINE, True),
    "thurstone_bifactor": ("thurstone", {"g": v(*range(1, 10))} | NINE, False),
    "physical": ("physical", HALVES, True),
    "ability": ("ability", {"figures": v(2, 3, 4), "words": v(1, 5, 6)}, True),
    "psychological": (
        "psychological",
        {
            "space": v(1, 2, 3, 4),
            "words": v(5, 6, 7, 8, 9),
            "speed": v(10, 11, 12, 13),
            "memory": v(14, 15, 16, 17, 18, 19),
        },
        True,
    ),
}


def in_lavaan():
    """What lavaan said: (model, what) to numbers, or to names for "left" and "right"."""
    found = {}
    for line in Path(__file__).with_name("confirmatory_in_r.txt").read_text().splitlines():
        model, what, *rest = line.split()
        found[model, what] = rest if what in ("left", "right") else np.array(rest, dtype=float)
    return found


if __name__ == "__main__":
    lines = []
    for name, (table, factors, correlated) in MODELS.items():
        model = "; ".join(f"{factor} =~ {' + '.join(items)}" for factor, items in factors.items())
        lines.append(f"{name}|{table}|{not correlated}|{model}\n")
    Path(sys.argv[1], "models.txt").write_text("".join(lines))
