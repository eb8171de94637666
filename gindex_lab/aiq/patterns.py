"""The semantic classes of the paper, read off the text of a program by patterns of our own.

Vadinský (2018, section 2) describes what environments do in classes such as "the reward is always random",
and estimates their shares with regular expressions. These patterns are written anew from his definitions.
They are estimates: a text does not say whether the end of the program is reached, where the head is, or
whether a loop is entered. `exact.py` decides what these patterns guess. Where a definition leaves room (how
deep loops are followed, where a symbol may be kept), the reading nearest to the printed share was taken.

In the fragments below, D is a run over `+-`, "plain" code has no loop and no write, and an aside is a
step to a neighbour cell, something there, and the step back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import pandas as pd

from gindex_lab.aiq.program import check

__all__ = ["CLASSES", "by_pattern", "hits", "shares"]

D = r"[+\-]*"
PLAIN = r"[^\[.]*"
ASIDE = r"(?:<[^<>\[\].]*>|>[^<>\[\].]*<)"
ZEROING = r"\[[+\-%,]+\]"
_LOOP = r"\[[^\[\]]*\]"
for _ in range(2):  # a loop, perhaps with loops in it: three deep
    _LOOP = rf"\[(?:[^\[\]]|{_LOOP})*\]"
SURE_WRITE = rf"(?:[^\[\].]|{_LOOP})*\."


def _rewarded(source: str) -> list[str]:
    """The first symbol written comes from `source` (`%` or `,`), now or kept from the last cycle."""
    here = r"[^<>\[\].]*"  # stays on the cell
    kept = rf"^{D}(?:{ASIDE}{D})?\..*{source}{D}(?:{ASIDE}{D})?#$"
    right = rf"^{here}>{D}\..*{source}{D}<{here}#$"  # kept in the neighbour cell, the head returns
    left = rf"^{here}<{D}\..*{source}{D}>{here}#$"
    return [rf"^{PLAIN}{source}{D}(?:{ASIDE}{D})?\.|{kept}|{right}|{left}"]


def _observed(source: str) -> list[str]:
    """The second symbol written comes from `source`."""
    return [
        rf"^{PLAIN}\.{PLAIN}{source}{D}\.|^{PLAIN}{source}{D}\.{D}\.",
        rf"^{D}\.{D}\..*{source}{D}#$",
    ]


_CLASSES: dict[str, tuple[str, list[str]]] = {
    "chance": ("contains chance", ["%"]),
    "reward_random": ("reward always random", _rewarded("%")),
    "observation_random": ("observation always random", _observed("%")),
    "reward_almost_random": (
        "reward almost always random",
        [rf"^{PLAIN}%{D}\[[+\-\[%]*\.[^\]]*\].*\.[^\[\]]*#$"],
    ),
    "actions_to_random": (
        "certain actions lead to random reward",
        [rf"^{PLAIN},{D}\[{D}%{D}\."],
    ),
    "reward_action": ("reward trivially action", _rewarded(",")),
    "observation_action": ("observation trivially action", _observed(",")),
    "reward_sometimes_action": (
        "reward sometimes trivially action",
        [
            rf"^{PLAIN},{D}\[[+\-\[]*\.|^{D}\[[+\-\[]*\..*,{D}#$",
            rf"^{PLAIN}\[[^.\]]*,{D}(?:{ASIDE}{D})?\.",
        ],
    ),
    "write_limit": ("write limit surely exceeded", [f"^{SURE_WRITE * 3}"]),
    "write_limit_possible": (
        "write limit possibly exceeded",
        [r"\[[^<>\[\]]*\.[^<>\[\]]*\]"],
    ),
    "never_executed": ("1a never executed loops", [r"\]\["]),
    "modified_chance": ("2a modified chance", [r"%[+\-]", rf"^[+\-].*%{D}#$"]),
    "overwritten": (
        "2b overwritten",
        [rf"[+\-%][%,]|,%[^,]*$|^(?!{SURE_WRITE * 3})[+\-%]*[%,].*[+\-%]#$"],
    ),
    "zeroing_overwritten": ("2c zeroing overwritten", [r"\[[+\-%]+\][%,]"]),
    "zeroed": (
        "2d zeroed chance or action",
        [
            rf"%{D}{ZEROING}",
            rf",{D}\[[+\-%]+\][^,]*$",
            rf",{D}\[[+\-%,]*,[+\-%,]*\]",
        ],
    ),
}
_COMPILED = {name: [re.compile(p) for p in patterns] for name, (_, patterns) in _CLASSES.items()}
_LABELS = {name: label for name, (label, _) in _CLASSES.items()}
CLASSES = _LABELS | {
    "action_pointless": "action only in pointless code",
    "action_process": "action activates a process",
    "never_ending": "never-ending loops",
}

_POINTLESS_READS = [
    (re.compile(r",[+\-%,]*%"), "%"),  # overwritten by chance
    (re.compile(rf",[+\-%]*{ZEROING}"), "[+]"),
    (re.compile(ZEROING), "[+]"),
    (re.compile(r"\]\[[^\[\]]*\]"), "]"),  # never entered
    (re.compile(rf"^({SURE_WRITE * 3})[^#]*"), r"\1"),  # behind the write limit
]
_IDLE_LOOP = re.compile(rf"\[{ASIDE}+\]|\[\[\]\]|\[<>\]|\[><\]")
_FIXED_LOOP = re.compile(r"\[([+\-]*)\]")
_REFILLED_LOOP = re.compile(rf"{ZEROING}([+\-]+)\]")


def _net(run: str) -> int:
    return run.count("+") - run.count("-")


def _action_pointless(program: str) -> bool:
    """No read is left once the reads that surely do nothing are taken away."""
    for pattern, new in _POINTLESS_READS:
        program = pattern.sub(new, program)
    return "," not in program


def _never_ending(program: str, symbols: int) -> bool:
    """A loop that does not change its test cell, or leaves a symbol in it after emptying it."""
    return bool(
        _IDLE_LOOP.search(program)
        or any(_net(run) % symbols == 0 for run in _FIXED_LOOP.findall(program))
        or any(_net(run) % symbols != 0 for run in _REFILLED_LOOP.findall(program))
    )


def hits(program: str, symbols: int = 5) -> dict[str, int]:
    """How many patterns of each class a program matches.

    The paper's tool adds these up, so that a program counts twice in a class when two patterns match.

    >>> hits("+%-.%#")["modified_chance"]
    2
    """
    found = {name: sum(bool(p.search(program)) for p in ps) for name, ps in _COMPILED.items()}
    found["action_pointless"] = int(_action_pointless(program))
    found["never_ending"] = int(_never_ending(program, symbols))
    found["action_process"] = int(not found["reward_random"] and not found["reward_action"])
    return found


def by_pattern(program: str, symbols: int = 5) -> dict[str, bool]:
    """Which semantic classes the text of a program suggests.

    >>> sorted(name for name, member in by_pattern("%.,#").items() if member)
    ['chance', 'reward_random']

    References: Vadinský (2018), section 2.3.
    """
    return {name: count > 0 for name, count in hits(check(program), symbols).items()}


def shares(programs: Iterable[str], symbols: int = 5) -> pd.DataFrame:
    """The classes of many programs in percent: `programs` (members) and `hits` (as the tool adds up).

    >>> shares([",.#", "%.,#"]).loc["chance", "programs"]
    np.float64(50.0)
    """
    table = pd.DataFrame([hits(program, symbols) for program in programs])
    result = pd.DataFrame({"programs": (table > 0).mean() * 100, "hits": table.mean() * 100})
    result.insert(0, "class", [CLASSES[name] for name in result.index])
    return result.rename_axis("name")
