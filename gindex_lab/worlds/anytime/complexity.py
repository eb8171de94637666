"""How complex an environment is: bits by Elias' codes, the four published measures, Kt_max.

The published analysis of Λ-One used four measures of space and pattern, the second for its figure; the
anytime algorithm needs a finer scale, for which the default here is the length of a description in bits.
"""

from __future__ import annotations

import zlib
from math import log, log2

from gindex_lab.foundation.validate import choice, flag, integer
from gindex_lab.worlds.anytime.environment import Environment, checked
from gindex_lab.worlds.anytime.markov import MarkovPattern, elias

__all__ = ["MEASURES", "complexity", "description_bits", "published_complexity"]

MEASURES = ("bits", "bits with space", "lz", "comp1", "comp2", "comp3", "comp4")


def description_bits(environment: Environment, include_space: bool = False, steps: int = 100) -> float:
    """The bits of a description of an environment.

        H = γ(n_c) + γ(n_a) + γ(|u|) + |u| log2 n_a  [+ (n_a - 1) n_c log2(2 n_c - 1)]  + log2 Δct_max

    u is the primitive root of the pattern and γ Elias' code. A look-up in a pattern takes one unit of
    time, so its last term is 0; a Markov program has its own length and Kt_max (Def 9).

    Parameters
    ----------
    environment : what is described
    include_space : whether to add the bits of its space, in brackets above
    steps : interactions over which Kt_max is taken

    Returns
    -------
    H, a number of bits.

    References
    ----------
    Hernández-Orallo and Dowe (2010), Definition 9; the code is our choice.

    Examples
    --------
    >>> description_bits(Environment("1+|1+|1+", "1"))
    8.0
    """
    n, a = checked(environment).cells, environment.actions
    bits = float(elias(n) + elias(a))
    if flag("include_space", include_space):
        bits += (a - 1) * n * log2(2 * n - 1)
    if isinstance(environment.pattern, MarkovPattern):
        return bits + environment.pattern.kt_max(integer("steps", steps, 1))
    root = environment.key[1]
    return bits + elias(len(root)) + len(root) * log2(a)


def published_complexity(environment: Environment) -> dict[str, float]:
    """The four measures of the authors' script.

    comp1 = |P|; comp2 = ln(n_c n_a |P|), the one of the published figure; comp3, the bytes of the
    compressed pattern; comp4 = log2 of the bytes of compressed space and pattern. The script's R function
    `memCompress(type = "gzip")` compresses as zlib does.

    Parameters
    ----------
    environment : what is measured

    Returns
    -------
    dict with `comp1` … `comp4`.

    References
    ----------
    Hernández-Orallo and Dowe (2010), Definition 9; Insa-Cabrera et al. (2011).

    Examples
    --------
    >>> {k: round(v, 4) for k, v in published_complexity(Environment("12-|1-2--|1++2--", "2210")).items()}
    {'comp1': 4, 'comp2': 3.5835, 'comp3': 14, 'comp4': 5.1293}
    """
    pattern, space = checked(environment).pattern, environment.space.text
    if isinstance(pattern, MarkovPattern):
        pattern = pattern.start + "".join(f",{left}>{right}" for left, right, *_ in pattern.rules)
    own, ended, cells = (
        len(zlib.compress(text.encode())) for text in ("p" + pattern, "p" + pattern + " ", space + " ")
    )
    volume = environment.cells * environment.actions * len(pattern)
    return {"comp1": len(pattern), "comp2": log(volume), "comp3": ended, "comp4": log2(cells + own)}


def complexity(environment: Environment, measure: str = "bits") -> float:
    """The complexity of an environment by the measure's name.

    Parameters
    ----------
    environment : what is measured
    measure : "bits", "bits with space", "lz" (comp3), "comp1", "comp2", "comp3" or "comp4"

    Returns
    -------
    As of `description_bits` or `published_complexity`.

    References
    ----------
    Hernández-Orallo and Dowe (2010), Definition 9; Insa-Cabrera et al. (2011).

    Examples
    --------
    >>> complexity(Environment("1+|1+|1+", "1"), "comp1")
    1
    """
    if choice("measure", measure, MEASURES).startswith("bits"):
        return description_bits(environment, include_space=measure == "bits with space")
    return published_complexity(environment)["comp3" if measure == "lz" else measure]
