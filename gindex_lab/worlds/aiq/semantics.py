"""What kind of environment is this program? The paper's classes, by pattern and exactly.

`classify` puts the two side by side: what the text suggests (patterns.py) and what is true (exact.py,
symbolic.py). Where the search does not close, `decided` is False and a coupled experiment bounds how often
actions can matter: the same chance, two sequences of actions, and a count of the runs that differ. `survey`
does so for each program of a sample, and `survey_shares` counts; undecided programs count as "no", so that
every share is a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import IntArray, generator
from gindex_lab.worlds.aiq.exact import EQUAL, SURVEY, Caps, Process, close, per_action
from gindex_lab.worlds.aiq.machine import episode
from gindex_lab.worlds.aiq.patterns import CLASSES, by_pattern
from gindex_lab.worlds.aiq.pointless import POINTLESS, pointless_classes
from gindex_lab.worlds.aiq.program import READABLE, MachineSettings, check
from gindex_lab.worlds.aiq.symbolic import StraightLine, straight_line

__all__ = [
    *("classify", "coupled", "decide", "delay_of", "function_of", "is_discriminative"),
    *("survey", "survey_shares"),
]


def classify(
    program: str, symbols: int = 5, observations: int = 1, caps: Caps | None = None, seed: int = 0
) -> dict[str, Any]:
    """The semantic classes of a program, by pattern and exactly.

    A reward is trivially the action (`reward_action`) if it is a one-to-one function of the action a fixed
    number of cycles ago; `reward_of_action` gives the function (delay, and the symbol paid for each action)
    also where it pays two actions alike. The pointless code of classes 2a to 2d is decided by deleting it
    (None where the memory of a program without loops is too large for that).

    Parameters
    ----------
    program, symbols, observations : as for `run`
    caps : how far the exact search goes, `Caps()` by default
    seed : of the coupled runs of an undecided program

    Returns
    -------
    dict with `patterns` (class -> bool), `decided`, and `exact`: the classes that were decided,
    `discriminative`, the `best` and `worst` mean reward of 300 cycles, and the places of `dead` code.
    Undecided programs have a `reason` and a `bound`: with 95% confidence, actions change the rewards in at
    most that share of runs (see `coupled`).

    References
    ----------
    Vadinský (2018), section 2.3.

    Examples
    --------
    >>> answer = classify(".,%#")           # chance is kept for the next cycle: a random reward
    >>> answer["decided"], answer["patterns"]["reward_random"], answer["exact"]["reward_random"]
    (True, True, True)
    >>> classify(".,.%#")["exact"]["reward_action"]      # halts at its second write, before the %
    True
    """
    patterns = by_pattern(check(program), symbols, observations)
    exact, reason = decide(program, symbols, observations, caps)
    answer = {"program": program, "patterns": patterns, "decided": exact is not None}
    answer |= {"exact": exact or {}, "reason": reason, "bound": None}
    if exact is None:
        different, bound = coupled(program, symbols, observations, seed=seed)
        answer |= {"runs_that_differ": different, "bound": bound}
    return answer


def decide(
    program: str, symbols: int = 5, observations: int = 1, caps: Caps | None = None
) -> tuple[dict[str, Any] | None, str]:
    """The exact classes of a program, or None and the reason why they are not decided."""
    process = close(program, symbols, observations, caps)
    if process.closed:
        return _of_process(process) | pointless_classes(process, caps), ""
    line = straight_line(program, symbols, observations)
    return (None, process.reason) if line is None else (_of_line(program, line, symbols), "")


def _of_process(process: Process) -> dict[str, Any]:
    """The classes of a closed process, from its laws and its coverage."""
    reward, *seen = (process.symbols(k) for k in range(1 + process.settings.observations))
    best, worst, _ = process.mean_rewards()
    paid = function_of(process, reward)
    reward_action = delay_of(process, reward) is not None
    values, sure = per_action(process, reward)
    copies = (np.sort(values, axis=1) == np.arange(values.shape[1])).all(axis=1) & sure.all(axis=1)
    executed = {letter for letter, hit in zip(process.program, process.covered, strict=True) if hit}
    return {
        "chance": "%" in executed,
        "reward_random": process.independent(reward) and process.random(reward),
        "observation_random": any(process.independent(o) and process.random(o) for o in seen),
        "observation_fixed": all(len(set(o)) == 1 for o in seen),
        "action_pointless": process.independent(process.written),
        "reward_action": reward_action,
        "reward_of_action": None if paid is None else {"delay": paid[0], "symbols": paid[1]},
        "observation_action": any(delay_of(process, o) is not None for o in seen),
        "reward_sometimes_action": not reward_action and bool(copies.any()),
        "action_process": best - worst > EQUAL and not reward_action,
        "never_ending": False,
        "write_limit": process.finished == 0 and process.halted > 0,
        "write_limit_possible": process.finished > 0 and process.halted > 0,
        "never_executed": bool(process.dead),
        "discriminative": best - worst > EQUAL,
        "best": best,
        "worst": worst,
        "dead": process.dead,
        "states": process.states,
    }


def _of_line(program: str, line: StraightLine, symbols: int) -> dict[str, Any]:
    """The classes of a straight-line program whose memory is too large to list."""
    reward, end = line.reward, program.index("#")
    kinds = [source.kind for source in line.observations]
    paid = [(action + reward.shift) % symbols for action in range(symbols)]
    return {
        "chance": "%" in program[: line.executed],
        "reward_random": reward.kind == "chance",
        "observation_random": "chance" in kinds,
        "observation_fixed": program[: line.executed].count(".") < 2,
        "action_pointless": "action" not in (reward.kind, *kinds),
        "reward_action": reward.kind == "action",
        "reward_of_action": {"delay": reward.delay, "symbols": paid} if reward.kind == "action" else None,
        "observation_action": "action" in kinds,
        "reward_sometimes_action": False,
        "action_process": False,
        "never_ending": False,
        "write_limit": line.executed < end,
        "write_limit_possible": False,
        "never_executed": line.executed < end,
        "discriminative": line.discriminative,
        "dead": list(range(line.executed, end)),
        **dict.fromkeys(POINTLESS),  # undecided: there is no process to compare
    }


def function_of(process: Process, labels: IntArray) -> tuple[int, list[int]] | None:
    """The delay k and the table f for which the label is always f(action k cycles ago), f not constant."""
    values, sure = per_action(process, labels)
    if not sure.all():
        return None
    n = process.settings.symbols
    if (values == values[0]).all():
        return (0, values[0].tolist()) if len(set(values[0])) > 1 else None
    if (values != values[:, :1]).any():
        return None  # depends on the action now, but not in every state alike
    row = np.repeat(np.arange(len(process.pointers) - 1), np.diff(process.pointers))
    state, action, now = row // n, row % n, values[:, 0]
    for delay in range(1, READABLE + 1):
        after = now[process.following]
        paid = np.full(n, -1)
        paid[action] = after
        if (paid[action] == after).all():
            return (delay, paid.tolist()) if len(set(paid)) > 1 else None
        earlier = np.full(process.states, -1)
        earlier[state] = after
        if (earlier[state] != after).any():
            return None
        now = earlier
    return None


def delay_of(process: Process, labels: IntArray) -> int | None:
    """The k for which the label is a one-to-one function of the action k cycles ago, if there is one."""
    found = function_of(process, labels)
    return found[0] if found and len(set(found[1])) == process.settings.symbols else None


def is_discriminative(
    program: str, symbols: int = 5, observations: int = 1, caps: Caps | None = None
) -> bool | None:
    """Whether some policy earns more than another.

    Parameters
    ----------
    program, symbols, observations, caps : as for `classify`

    Returns
    -------
    True or False; None if the search does not close.

    References
    ----------
    Vadinský (2018), section 2.3.

    Examples
    --------
    >>> is_discriminative(",.#"), is_discriminative("%.,#")
    (True, False)
    """
    line = straight_line(program, symbols, observations)
    if line is not None:
        return line.discriminative
    process = close(program, symbols, observations, caps)
    return process.discriminative if process.closed else None


def coupled(
    program: str, symbols: int = 5, observations: int = 1, runs: int = 100, cycles: int = 200, seed: int = 0
) -> tuple[int, float]:
    """How often rewards differ between two sequences of random actions that meet the same chance.

    Parameters
    ----------
    program, symbols, observations : as for `classify`
    runs : pairs of episodes
    cycles : length of an episode
    seed : of the actions

    Returns
    -------
    The number of pairs that differ, and an upper bound, with 95% confidence, on the share that do:
    1 - 0.05^(1/runs) when none did, and 1 otherwise.

    References
    ----------
    Vadinský (2018), section 2.3.

    Examples
    --------
    >>> coupled(",.#", runs=20)
    (20, 1.0)
    >>> coupled("%.,#", runs=20)[0]
    0
    """
    random, settings = generator(seed), MachineSettings(symbols, observations)
    different = 0
    for run in range(runs):
        moves = random.integers(symbols, size=cycles), random.integers(symbols, size=cycles)
        one, other = (episode(program, actions, settings, seed=run).rewards for actions in moves)
        different += bool((one != other).any())
    return different, 1.0 if different else 1 - 0.05 ** (1 / runs)


def survey(
    programs: Iterable[str], symbols: int = 5, observations: int = 1, caps: Caps | None = None
) -> pd.DataFrame:
    """Exact classes of each program.

    A straight-line program is decided by symbols even where its states do not close within `caps`; it then
    has classes, but no `best`, `worst` or pointless code (`gl.aiq.classify` has larger caps).

    Parameters
    ----------
    programs : the texts
    symbols, observations : n and o of the machine
    caps : how far each search goes, `SURVEY` by default

    Returns
    -------
    DataFrame with a row per program: `program`, `decided`, `reason`, and the entries of `classify`'s `exact`.

    References
    ----------
    Vadinský (2018), section 2.3.

    Examples
    --------
    >>> survey([",.#", "%.,#"])[["decided", "discriminative", "reward_random"]].values.tolist()
    [[True, True, False], [True, False, True]]
    """
    rows: list[dict[str, Any]] = []
    for program in programs:
        exact, reason = decide(program, symbols, observations, caps or SURVEY)
        rows.append({"program": program, "decided": exact is not None, "reason": reason} | (exact or {}))
    if not rows:
        raise BadInput("programs", rows, "[empty] has no program", "pass at least one")
    return pd.DataFrame(rows)


def survey_shares(table: pd.DataFrame) -> pd.Series[float]:
    """The share of each class, and of decided programs; undecided ones count as "no".

    Parameters
    ----------
    table : from `survey`

    Returns
    -------
    Series of percentages, indexed by class.

    References
    ----------
    Vadinský (2018), section 2.3.

    Examples
    --------
    >>> survey_shares(survey([",.#", "%.,#"]))["reward_random"]
    np.float64(50.0)
    """
    names = [name for name in (*CLASSES, "discriminative", "decided") if name in table]
    members = table[names].astype("boolean").fillna(False)
    return pd.Series(members.mean() * 100, dtype=float).rename("exact")
