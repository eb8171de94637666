"""Normalised AIQ: what an agent earned as a fraction of what can be earned.

In many programs no agent can earn 100: the reward is partly chance, or paid rarely. With rewards and their
negatives a perfect agent earns best - worst over the two runs, (best - worst) / 2 on average: the *ceiling*
of a program, known exactly where its decision process closes (Vadinský 2018, section 4, asks how limited
achievable rewards should enter the score).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.many_tests import half_width
from gindex_lab.foundation.validate import integer
from gindex_lab.worlds.aiq.estimate import Estimate
from gindex_lab.worlds.aiq.exact import EQUAL, SURVEY, Caps, close

__all__ = ["Normalised", "ceiling", "normalised_aiq"]


def ceiling(
    program: str, episode: int = 300, symbols: int = 5, observations: int = 1, caps: Caps | None = None
) -> float | None:
    """The most that any agent can score on a program, (best - worst) / 2.

    Parameters
    ----------
    program : the text
    episode : cycles over which rewards are averaged
    symbols, observations : n and o of the machine
    caps : how far the exact search goes, `SURVEY` by default

    Returns
    -------
    From 0 to 100; None if it is not decided.

    References
    ----------
    Vadinský (2018), section 4.

    Examples
    --------
    >>> ceiling(",.#"), ceiling("%.,#"), ceiling(".,#", episode=100)
    (100.0, 0.0, 99.0)
    """
    process = close(program, symbols, observations, caps or SURVEY)
    if not process.closed:
        return None
    best, worst, _ = process.mean_rewards(integer("episode", episode, 1))
    return (best - worst) / 2


@dataclass(frozen=True)
class Normalised:
    """`value` from 0 (no better than chance) to 1 (perfect), `low`, `high`, and what it rests on.

    `programs` holds value, ceiling and fraction of each decided program; `undecided` counts the others.
    """

    value: float
    low: float
    high: float
    programs: pd.DataFrame
    undecided: int


def normalised_aiq(
    result: Estimate, *, most: int = 400, symbols: int | None = None, observations: int | None = None
) -> Normalised:
    """An agent's AIQ as a fraction of what is achievable: Σ w_i V_i / Σ w_i C_i over decided programs.

    V_i is the value of program i, C_i its ceiling for the test's episode, w_i the probability that it
    stands for. The interval is that of a ratio, with programs as the unit (Cochran 1977, section 6.3).

    Parameters
    ----------
    result : from `estimate` or `estimate_from_log`
    most : how many programs are analysed, the first that were tested; each then stands for a larger part of
        its stratum
    symbols, observations : n and o of the test; only needed for a log, where they are 5 and 1 by default

    Returns
    -------
    An object with `value`, `low`, `high`, `programs` and `undecided`.

    References
    ----------
    Vadinský (2018), section 4.

    Examples
    --------
    >>> from gindex_lab.worlds.aiq.estimate import estimate
    >>> half = pd.DataFrame({"program": [",.#", "%.,#"] * 50, "stratum": [1, 11] * 50})
    >>> tested = estimate("freq", half, episode=500, runs=60)
    >>> bool(tested.value < 55), bool(normalised_aiq(tested).value > 0.8)
    (True, True)
    """
    most, table = integer("most", most, 2), _tested(result, symbols, observations)
    first, machine = table.head(most), (table.attrs["symbols"], table.attrs["observations"])
    episode = int(result.by_episode.index[-1])
    # The test goes from stratum to stratum by stages, so that its beginning has another mixture.
    share = table["stratum"].value_counts() / first["stratum"].value_counts()
    columns = {"program": first["program"], "weight": first["weight"] * first["stratum"].map(share)}
    columns |= {"value": first[["plus", "minus"]].mean(axis=1)}
    columns |= {"ceiling": first["program"].map(lambda p: ceiling(p, episode, *machine)).astype(float)}
    found = pd.DataFrame(columns).dropna()
    earned = found["ceiling"] > EQUAL
    problem = "[no-reward] contains no program on which an agent can earn a reward"
    ensure(earned.any(), "result", result.agent, problem, "test more of them")
    problem = "[too-few] has one decided program, too few for an interval"
    ensure(len(found) > 1, "result", result.agent, problem, "test more of them, or raise most")
    found["fraction"] = (found["value"] / found["ceiling"]).where(earned)
    top, bottom = ((found["weight"] * found[name]).to_numpy() for name in ("value", "ceiling"))
    value, n = float(top.sum() / bottom.sum()), len(found)
    error = np.sqrt(n / (n - 1) * ((top - value * bottom) ** 2).sum()) / bottom.sum()
    half = float(half_width(error, result.confidence, n - 1))
    return Normalised(value, value - half, value + half, found, len(first) - n)


def _tested(result: Any, symbols: int | None, observations: int | None) -> pd.DataFrame:
    """The programs of a test for which there are ceilings; `attrs` hold the machine's settings."""
    if not isinstance(result, Estimate):
        problem = "[not-an-estimate] is not an estimate"
        raise BadInput("result", result, problem, 'use estimate("freq", sample)')
    who, tested, table = result.agent, result.settings, result.programs.copy()
    problem = "[unnamed-programs] does not name its programs"
    ensure(table["program"].notna().all(), "result", who, problem, "run the estimate again")
    problem = "[no-episode] comes from a log that does not state the length of its episodes"
    known = "log" not in tested or result.by_episode.index[-1] != 1
    ensure(known, "result", who, problem, "pass episode= to estimate_from_log")
    for name, plain in (("reverse", False), ("discount", 1.0)):
        problem = f"[no-ceilings] was tested with a {name} for which there are no ceilings"
        ensure(tested.get(name, plain) == plain, "result", who, problem, f"estimate it with {name}={plain}")
    for name, given, usual in (("symbols", symbols, 5), ("observations", observations, 1)):
        table.attrs[name] = tested.get(name, usual if given is None else given)
        problem = f"[other-episode] is not that of the test, which had {table.attrs[name]}"
        ensure(given in (None, table.attrs[name]), name, given, problem, "leave it out")
    return table
