"""Normalised AIQ: what an agent earned as a fraction of what can be earned.

In many programs no agent can earn 100: the reward is partly chance, or paid rarely. With rewards and their
negatives a perfect agent earns best - worst over the two runs, (best - worst) / 2 on average: the *ceiling*
of a program, known exactly where its decision process closes (Vadinský 2018, section 4, asks how limited
achievable rewards should enter the score).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.many_tests import half_width
from gindex_lab.foundation.validate import integer
from gindex_lab.worlds.aiq.estimate import Estimate
from gindex_lab.worlds.aiq.exact import Caps, close

__all__ = ["Normalised", "ceiling", "normalised_aiq"]

_CAPS = Caps(states=3000, transitions=150_000, steps=15_000_000)
_EQUAL = 1e-9


def ceiling(
    program: str,
    episode: int = 300,
    symbols: int = 5,
    observations: int = 1,
    caps: Caps | None = None,
) -> float | None:
    """The most that any agent can score on a program, (best - worst) / 2; None if it is not decided.

    Reference: Vadinský (2018), section 4.

    >>> ceiling(",.#"), ceiling("%.,#"), ceiling(".,#", episode=100)
    (100.0, 0.0, 99.0)
    """
    process = close(program, symbols, observations, caps or _CAPS)
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
    result: Estimate,
    *,
    most: int = 400,
    symbols: int | None = None,
    observations: int | None = None,
) -> Normalised:
    """An agent's AIQ as a fraction of what is achievable: Σ w_i V_i / Σ w_i C_i over decided programs.

    V_i is the value of program i, C_i its ceiling for the test's episode, w_i the probability that it
    stands for. The interval is that of a ratio, with programs as the unit. Only the first `most` programs
    that were tested are analysed; each then stands for a larger part of its stratum. `symbols` and
    `observations` are those of the test; of a log that does not tell them they are 5 and 1 if not given.
    (Vadinský 2018, section 4.)

    >>> from gindex_lab.worlds.aiq.estimate import estimate
    >>> half = pd.DataFrame({"program": [",.#", "%.,#"] * 50, "stratum": [1, 11] * 50})
    >>> tested = estimate("freq", half, episode=500, runs=60)
    >>> bool(tested.value < 55), bool(normalised_aiq(tested).value > 0.8)
    (True, True)
    """
    first, episode = _tested(result, integer("most", most, 2))
    machine = _machine(result, symbols, observations)
    ceilings = [ceiling(p, episode, *machine) for p in first["program"]]
    table = pd.DataFrame(
        {
            "program": first["program"],
            "weight": _weights(result.programs, first),
            "value": first[["plus", "minus"]].mean(axis=1),
            "ceiling": pd.array(ceilings, dtype="Float64").to_numpy(dtype=float, na_value=np.nan),
        }
    ).dropna()
    if not (table["ceiling"] > _EQUAL).any():
        problem = "[no-reward] contains no program on which an agent can earn a reward"
        raise BadInput("result", result.agent, problem, "test more of them")
    if len(table) < 2:
        problem = "[too-few] has one decided program, too few for an interval"
        raise BadInput("result", result.agent, problem, "test more of them, or raise most")
    table["fraction"] = (table["value"] / table["ceiling"]).where(table["ceiling"] > _EQUAL)
    value, half = _ratio(table, result.confidence)
    return Normalised(value, value - half, value + half, table, len(first) - len(table))


def _tested(result: Estimate, most: int) -> tuple[pd.DataFrame, int]:
    """The first programs of a test, and how long its episodes were."""
    if not isinstance(result, Estimate):
        raise BadInput(
            "result", result, "[not-an-estimate] is not an estimate", 'use estimate("freq", sample)'
        )
    first, episode = result.programs.head(most), int(result.by_episode.index[-1])
    if first["program"].isna().any():
        problem = "does not name its programs"
        raise BadInput("result", result.agent, problem, "run the estimate again")
    if "log" in result.settings and episode == 1:
        problem = "[no-episode] comes from a log that does not state the length of its episodes"
        raise BadInput("result", result.agent, problem, "pass episode= to estimate_from_log")
    return first, episode


def _machine(result: Estimate, symbols: int | None, observations: int | None) -> tuple[int, int]:
    """Symbols and observations of the machine that the agent was tested on."""
    tested = result.settings
    for name, plain in (("reverse", False), ("discount", 1.0)):
        if tested.get(name, plain) != plain:
            problem = f"[no-ceilings] was tested with {name}={tested[name]}, for which there are no ceilings"
            raise BadInput("result", result.agent, problem, f"estimate it with {name}={plain}")
    found = []
    for name, given, usual in (("symbols", symbols, 5), ("observations", observations, 1)):
        known = tested.get(name, usual if given is None else given)
        if given is not None and given != known:
            problem = f"[other-episode] is not that of the test, which had {known}"
            raise BadInput(name, given, problem, "leave it out")
        found.append(known)
    return found[0], found[1]


def _weights(tested: pd.DataFrame, first: pd.DataFrame) -> pd.Series[float]:
    """The probability that each of the first programs stands for, when the others are left out.

    The test goes from stratum to stratum by stages, so that its beginning has another mixture.
    """
    share = tested["stratum"].value_counts() / first["stratum"].value_counts()
    return first["weight"] * first["stratum"].map(share)


def _ratio(table: pd.DataFrame, confidence: float) -> tuple[float, float]:
    """Σ w V / Σ w C, and half of its interval (Cochran 1977, section 6.3)."""

    top = (table["weight"] * table["value"]).to_numpy()
    bottom = (table["weight"] * table["ceiling"]).to_numpy()
    ratio, n = top.sum() / bottom.sum(), len(table)
    error = np.sqrt(n / (n - 1) * ((top - ratio * bottom) ** 2).sum()) / bottom.sum()
    return float(ratio), float(half_width(error, confidence, n - 1))
