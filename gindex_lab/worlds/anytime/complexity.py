"""How complex an environment is: bits by Elias' codes, the four published measures, Kt_max.

The published analysis of Λ-One used four measures of space and pattern, the second for its figure; the
anytime algorithm needs a finer scale, for which the default here is the length of a description in bits.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from math import log, log2

from gindex_lab.foundation.validate import choice, flag, integer
from gindex_lab.worlds.anytime.environment import Environment, checked
from gindex_lab.worlds.anytime.markov import MarkovPattern, elias

__all__ = ["MEASURES", "complexity", "description_bits", "published_complexity"]


def description_bits(
    environment: Environment, include_space: bool = False, steps: int = 100
) -> float:
    """H, the bits of a description; with `include_space`, of its space as well.

        H = γ(n_c) + γ(n_a) + γ(|u|) + |u| log2 n_a  [+ (n_a - 1) n_c log2(2 n_c - 1)]  + log2 Δct_max

    u is the primitive root of the pattern and γ Elias' code. A look-up in a pattern takes one unit of
    time, so its last term is 0; a Markov program has its own length and Kt_max (Def 9) over `steps` steps.

    >>> description_bits(Environment("1+|1+|1+", "1"))
    8.0
    """
    space, n, a = checked(environment).space, environment.cells, environment.actions
    bits = float(elias(n) + elias(a))
    if flag("include_space", include_space):
        bits += (a - 1) * space.cells * log2(2 * n - 1)
    if isinstance(environment.pattern, MarkovPattern):
        return bits + environment.pattern.kt_max(integer("steps", steps, 1))
    root = environment.key[1]
    return bits + elias(len(root)) + len(root) * log2(a)


def published_complexity(environment: Environment) -> dict[str, float]:
    """The four measures of the authors' script: `comp1` … `comp4`.

    comp1 = |P|; comp2 = ln(n_c n_a |P|), the one of the published figure; comp3, the bytes of the
    compressed pattern; comp4 = log2 of the bytes of compressed space and pattern. The script's R function
    compresses as zlib does.
    (Hernández-Orallo and Dowe 2010, Definition 9; Insa-Cabrera et al. 2011.)

    >>> {k: round(v, 4) for k, v in published_complexity(Environment("12-|1-2--|1++2--", "2210")).items()}
    {'comp1': 4, 'comp2': 3.5835, 'comp3': 14, 'comp4': 5.1293}
    """
    pattern = _pattern_text(checked(environment))
    volume = environment.cells * environment.actions * len(pattern)
    both = _zlib_bytes(environment.space.text + " ") + _zlib_bytes("p" + pattern)
    return {
        "comp1": len(pattern),
        "comp2": log(volume),
        "comp3": _zlib_bytes("p" + pattern + " "),
        "comp4": log2(both),
    }


def _zlib_bytes(text: str) -> int:
    return len(zlib.compress(text.encode()))


def _pattern_text(environment: Environment) -> str:
    pattern = environment.pattern
    if isinstance(pattern, MarkovPattern):
        return pattern.start + "".join(f",{left}>{right}" for left, right, *_ in pattern.rules)
    return pattern


MEASURES: dict[str, Callable[[Environment], float]] = {
    "bits": description_bits,
    "bits with space": lambda environment: description_bits(environment, include_space=True),
    "lz": lambda environment: published_complexity(environment)["comp3"],
    "comp1": lambda environment: published_complexity(environment)["comp1"],
    "comp2": lambda environment: published_complexity(environment)["comp2"],
    "comp3": lambda environment: published_complexity(environment)["comp3"],
    "comp4": lambda environment: published_complexity(environment)["comp4"],
}


def complexity(environment: Environment, measure: str = "bits") -> float:
    """The complexity of an environment by the measure's name: "bits", "bits with space", "lz", "comp1" ….

    Reference: Hernández-Orallo and Dowe (2010), Definition 9; Insa-Cabrera et al. (2011).

    >>> complexity(Environment("1+|1+|1+", "1"), "comp1")
    1
    """
    return MEASURES[choice("measure", measure, list(MEASURES))](environment)
