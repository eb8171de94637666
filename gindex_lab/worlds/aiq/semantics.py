"""What kind of environment is this program? The paper's classes, by pattern and exactly.

`classify` puts the two side by side: what the text suggests (patterns.py) and what is true (exact.py,
symbolic.py). Where the search does not close, `decided` is False and a coupled experiment bounds how often
actions can matter: the same chance, two sequences of actions, and a count of the runs that differ. `survey`
does so for each program of a sample, and `survey_shares` counts; undecided programs count as "no", so that
every share is a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import generator
from gindex_lab.worlds.aiq.exact import QUICK, Caps, Process, close, same_law
from gindex_lab.worlds.aiq.machine import episode
from gindex_lab.worlds.aiq.patterns import CLASSES, by_pattern
from gindex_lab.worlds.aiq.program import MachineSettings, check, partners
from gindex_lab.worlds.aiq.symbolic import (
    POINTLESS,
    StraightLine,
    SymbolSource,
    pointless_classes,
    straight_line,
)

__all__ = [
    "classify",
    "coupled",
    "decide",
    "delay_of",
    "function_of",
    "is_discriminative",
    "optimise",
    "pointless_code",
    "survey",
    "survey_shares",
]

IntArray = npt.NDArray[np.int64]
_LONGEST_DELAY = 24


def classify(
    program: str, symbols: int = 5, observations: int = 1, caps: Caps | None = None, seed: int = 0
) -> dict[str, Any]:
    """The semantic classes of a program: `patterns`, `exact`, and whether they are `decided`.

    `exact` holds the classes that were decided, `discriminative`, the `best` and `worst` mean reward of
    300 cycles, and the places of `dead` code. A reward is trivially the action (`reward_action`) if it is a
    one-to-one function of the action a fixed number of cycles ago; `reward_of_action` gives the function
    (delay, and the symbol paid for each action) also where it pays two actions alike. The pointless code of
    classes 2a to 2d is decided by deleting it (None where the memory of a program without loops is too
    large for that). Undecided programs have a `reason`, and a `bound`: with 95% confidence, actions change
    the rewards in at most that share of runs
    (see `coupled`).

    >>> answer = classify(".,%#")           # chance is kept for the next cycle: a random reward
    >>> answer["decided"], answer["patterns"]["reward_random"], answer["exact"]["reward_random"]
    (True, True, True)
    >>> classify(".,.%#")["exact"]["reward_action"]      # halts at its second write, before the %
    True

    References: Vadinský (2018), section 2.3.
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
    """The exact classes of a program, or None and the reason why they are not decided.

    >>> decide(",.#")[0]["best"]
    100.0
    """
    process = close(program, symbols, observations, caps)
    if process.closed:
        return _of_process(process) | pointless_classes(process, caps), ""
    line = straight_line(program, symbols, observations)
    return (None, process.reason) if line is None else (_of_line(program, line, symbols), "")


def _of_process(process: Process) -> dict[str, Any]:
    """The classes of a closed process, from its laws and its coverage."""
    reward = process.reward_symbols
    seen = [process.symbols(k) for k in range(1 + process.settings.observations)]
    del seen[process.settings.reward_cell]
    best, worst, _ = process.mean_rewards()
    fixed_law = process.independent(reward)
    reward_action = delay_of(process, reward) is not None
    paid = function_of(process, reward)
    return {
        "chance": any(
            letter == "%" and process.covered[place] for place, letter in enumerate(process.program)
        ),
        "reward_random": fixed_law and process.random(reward),
        "observation_random": any(process.independent(o) and process.random(o) for o in seen),
        "observation_fixed": all(len(set(o)) == 1 for o in seen),
        "action_pointless": process.independent(process.written),
        "reward_action": reward_action,
        "reward_of_action": None if paid is None else {"delay": paid[0], "symbols": paid[1]},
        "observation_action": any(delay_of(process, o) is not None for o in seen),
        "reward_sometimes_action": not reward_action and _copies_somewhere(process, reward),
        "action_process": best - worst > 1e-9 and not reward_action,
        "never_ending": False,
        "write_limit": process.finished == 0 and process.halted > 0,
        "write_limit_possible": process.finished > 0 and process.halted > 0,
        "never_executed": bool(process.dead),
        "discriminative": best - worst > 1e-9,
        "best": best,
        "worst": worst,
        "dead": process.dead,
        "states": process.states,
    }


def _paid(reward: SymbolSource, symbols: int) -> dict[str, Any] | None:
    """The function of an action that a straight-line program pays: a shift, or none."""
    if reward.kind != "action":
        return None
    shifted = [(action + reward.shift) % symbols for action in range(symbols)]
    return {"delay": reward.delay, "symbols": shifted}


def _of_line(program: str, line: StraightLine, symbols: int) -> dict[str, Any]:
    """The classes of a straight-line program whose memory is too large to list."""
    sources = (line.reward, *line.observations)
    end = program.index("#")
    return {
        "chance": "%" in program[: line.executed],
        "reward_random": line.reward.kind == "chance",
        "observation_random": any(s.kind == "chance" for s in line.observations),
        "observation_fixed": program[: line.executed].count(".") < 2,
        "action_pointless": all(s.kind != "action" for s in sources),
        "reward_action": line.reward.kind == "action",
        "reward_of_action": _paid(line.reward, symbols),
        "observation_action": any(s.kind == "action" for s in line.observations),
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


def _per_row(process: Process, labels: IntArray) -> tuple[IntArray, npt.NDArray[np.bool_]]:
    """The label of each state (rows) and action (columns), and whether it is the only one."""
    n = process.settings.symbols
    top = np.maximum.reduceat(labels, process.pointers[:-1]).reshape(-1, n)
    bottom = np.minimum.reduceat(labels, process.pointers[:-1]).reshape(-1, n)
    return top, top == bottom


def _copies_somewhere(process: Process, labels: IntArray) -> bool:
    """Whether in some state the reward is a one-to-one function of the action."""
    values, sure = _per_row(process, labels)
    permutation = (np.sort(values, axis=1) == np.arange(values.shape[1])).all(axis=1)
    return bool((permutation & sure.all(axis=1)).any())


def function_of(process: Process, labels: IntArray) -> tuple[int, list[int]] | None:
    """The delay k and the table f for which the label is always f(action k cycles ago), f not constant.

    >>> process = close(".,#")
    >>> function_of(process, process.reward_symbols)
    (1, [0, 1, 2, 3, 4])
    >>> process = close("+,+[.]->%-<.#")            # two actions are paid alike
    >>> function_of(process, process.reward_symbols)
    (0, [1, 1, 3, 4, 0])
    """
    values, sure = _per_row(process, labels)
    if not sure.all():
        return None
    n = process.settings.symbols
    if (values == values[0]).all():
        return (0, values[0].tolist()) if len(set(values[0])) > 1 else None
    if (values != values[:, :1]).any():
        return None  # depends on the action now, but not in every state alike
    row = np.repeat(np.arange(len(process.pointers) - 1), np.diff(process.pointers))
    state, action, now = row // n, row % n, values[:, 0]
    for delay in range(1, _LONGEST_DELAY + 1):
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
    """The k for which the label is a one-to-one function of the action k cycles ago, if there is one.

    >>> process = close(".,#")
    >>> delay_of(process, process.reward_symbols)
    1
    """
    found = function_of(process, labels)
    one_to_one = found is not None and len(set(found[1])) == process.settings.symbols
    return found[0] if found and one_to_one else None


def is_discriminative(
    program: str, symbols: int = 5, observations: int = 1, caps: Caps | None = None
) -> bool | None:
    """Whether some policy earns more than another; None if the search does not close.

    Reference: Vadinský (2018), section 2.3.

    >>> is_discriminative(",.#"), is_discriminative("%.,#")
    (True, False)
    """
    line = straight_line(program, symbols, observations)
    if line is not None:
        return line.discriminative
    process = close(program, symbols, observations, caps)
    return process.discriminative if process.closed else None


def coupled(
    program: str,
    symbols: int = 5,
    observations: int = 1,
    runs: int = 100,
    cycles: int = 200,
    seed: int = 0,
) -> tuple[int, float]:
    """How many of `runs` pairs differ in reward: same chance, two sequences of random actions.

    Also an upper bound, with 95% confidence, on the share that differ: 1 - 0.05^(1/runs) when none did,
    and 1 otherwise. (Vadinský 2018, section 2.3.)

    >>> coupled(",.#", runs=20)
    (20, 1.0)
    >>> coupled("%.,#", runs=20)[0]
    0
    """
    random = generator(seed)
    settings = MachineSettings(symbols, observations)
    different = 0
    for run in range(runs):
        first, second = (
            episode(program, random.integers(symbols, size=cycles), settings, seed=run)
            for _ in range(2)
        )
        different += bool((first.rewards != second.rewards).any())
    return different, 1.0 if different else 1 - 0.05 ** (1 / runs)


def pointless_code(
    program: str, symbols: int = 5, observations: int = 1, caps: Caps | None = None
) -> list[int] | None:
    """Places whose deletion changes nothing for any agent (a loop is deleted by its bracket pair).

    Exact: the program without the instruction has the same law of rewards and observations. None if the
    program does not close.

    >>> pointless_code("+,.#"), pointless_code(",%-.#")
    ([0], [0, 2])

    References: Vadinský (2018), section 2.3, "Pointless code".
    """
    whole = close(program, symbols, observations, caps or QUICK)
    if not whole.closed:
        return None
    found: list[int] = []
    for gone, shorter in _deletions(program):
        changed = close(shorter, symbols, observations, caps or QUICK)
        if changed.closed and same_law(whole, changed):
            found += gone
    return sorted(found)


def _deletions(program: str) -> Iterator[tuple[list[int], str]]:
    """Each instruction (a bracket with its partner) and the program without it."""
    jumps = partners(program)
    for place in range(program.index("#")):
        gone = sorted({place, jumps.get(place, place)})
        if gone[0] == place:
            yield gone, "".join(letter for k, letter in enumerate(program) if k not in gone)


def optimise(
    program: str, symbols: int = 5, observations: int = 1, caps: Caps | None = None
) -> str:
    """The program without code that no agent can feel, one instruction or bracket pair after the other.

    Where the rewriting of SEP-ext knows twelve patterns, this deletes whatever leaves the law of rewards
    and observations as it is. A program that does not close is returned unchanged. What
    can only go together, such as `><`, stays: rewrite first. (Vadinský 2018, section 2.3.)

    >>> optimise("+,.%+.,-#")
    ',.%.#'
    """
    whole = close(program, symbols, observations, caps or QUICK)
    shorter = program if whole.closed else None
    while shorter is not None:
        program = shorter
        tried = (
            (text, close(text, symbols, observations, caps or QUICK))
            for _, text in _deletions(program)
        )
        shorter = next((text for text, p in tried if p.closed and same_law(whole, p)), None)
    return program


_SURVEY = Caps(states=3000, transitions=150_000, steps=15_000_000)


def survey(
    programs: Iterable[str], symbols: int = 5, observations: int = 1, caps: Caps | None = None
) -> pd.DataFrame:
    """Exact classes of each program: one row each, with `decided`, `best`, `worst`.

    A straight-line program is decided by symbols even where its states do not close within `caps`; it then
    has classes, but no `best`, `worst` or pointless code (`gl.aiq.classify` has larger caps).
    (Vadinský 2018, section 2.3.)

    >>> survey([",.#", "%.,#"])[["decided", "discriminative", "reward_random"]].values.tolist()
    [[True, True, False], [True, False, True]]
    """
    rows: list[dict[str, Any]] = []
    for program in programs:
        exact, reason = decide(program, symbols, observations, caps or _SURVEY)
        rows.append({"program": program, "decided": exact is not None, "reason": reason})
        rows[-1] |= exact or {}
    if not rows:
        raise BadInput("programs", rows, "[empty] has no program", "pass at least one")
    return pd.DataFrame(rows)


def survey_shares(table: pd.DataFrame) -> pd.Series[float]:
    """The share of each class in percent, and of decided programs; undecided ones count as "no".

    Reference: Vadinský (2018), section 2.3.

    >>> survey_shares(survey([",.#", "%.,#"]))["reward_random"]
    np.float64(50.0)
    """
    names = [name for name in (*CLASSES, "discriminative", "decided") if name in table]
    members = table[names].astype("boolean").fillna(False)
    return pd.Series(members.mean() * 100, dtype=float).rename("exact")
