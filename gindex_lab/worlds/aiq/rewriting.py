"""Rewriting programs: deleting code that surely does nothing, and the syntactic test of SDP.

The original test deletes five pairs once (Legg and Veness 2011); SEP-orig deletes them until nothing
changes; SEP-ext adds seven rules for code that chance or the next read overwrites (Vadinský 2018, section
3.1). SDP then drops programs whose reward is chance by their syntax (section 3.2).

Rules of SEP-ext keep the law of an environment when n is an odd prime, up to the number of steps; only
`[]` and loops such as `[+++++]` (for n = 5) never ended before and do afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from gindex_lab.foundation.validate import choice
from gindex_lab.worlds.aiq.program import check

__all__ = ["REWRITINGS", "passes_sdp", "rewrite", "rewriter"]

_OVERWRITTEN = (
    (r"%[+\-]+", "%"),  # chance plus a constant is chance
    (r"[+\-%]+%", "%"),
    (r"[+\-%]+,", ","),
    (r"\[[+\-%]+\]%", "%"),
    (r"\[[+\-%]+\],", ","),
)
_ZEROING = (r"\[[+\-%]{2,}\]", "[+]")
_ZEROED_CHANCE = (r"%\[\+\]", "[+]")
# What is replaced besides the five pairs. In v1.2, the paper's version, the zeroing rule had a typo and never
# applied.
_RULES = {
    "none": (),
    "original": (),
    "sep-orig": (),
    "sep-ext": (*_OVERWRITTEN, _ZEROING, _ZEROED_CHANCE),
    "sep-ext-v1.2": (*_OVERWRITTEN, _ZEROED_CHANCE),
}
REWRITINGS = tuple(_RULES)

_BEFORE = r"[^\[.]*"  # no loop, no write
_REWARD_IS_CHANCE = re.compile(
    rf"{_BEFORE}%\."
    rf"|{_BEFORE}%(<[+\-,%]*>|>[+\-,%]*<)[+\-]*\."
    rf"|{_BEFORE}%\[[+\-\[%]*\.[^.]*$"
    # writes inside the loop do no harm: without them, this rule would say less than the one before
    rf"|{_BEFORE}%\[[+\-%]*\.[^\[\]]*\][^.]*$"
)
_CHANCE_FOR_NEXT_CYCLE = re.compile(r"[+\-]*\.[^\[.]*\.[^\[.]*%#$")


def rewriter(rewriting: str) -> Callable[[str], str]:
    """The function that rewrites a program, for use on many."""
    rules = [(re.compile(old).sub, new) for old, new in _RULES[choice("rewriting", rewriting, REWRITINGS)]]

    def one_pass(program: str) -> str:
        for pair in ("+-", "-+", "<>", "><", "[]"):
            program = program.replace(pair, "")
        for substitute, new in rules:
            program = substitute(new, program)
        return program

    def to_the_end(program: str) -> str:
        while (shorter := one_pass(program)) != program:
            program = shorter
        return program

    if rewriting == "none":
        return str
    return one_pass if rewriting == "original" else to_the_end


def rewrite(program: str, rewriting: str = "sep-ext") -> str:
    """The program without the code that the given rules recognise as pointless.

    Parameters
    ----------
    program : the text
    rewriting : "original", one pass that deletes `+-`, `-+`, `<>`, `><`, `[]`; "sep-orig", the same,
        repeated; "sep-ext", repeated with seven more rules; "sep-ext-v1.2", with the typo of the paper's
        version; or "none"

    Returns
    -------
    The rewritten program.

    References
    ----------
    Vadinský (2018), section 3.1.

    Examples
    --------
    >>> rewrite("+<>-.,#", "original"), rewrite("+<>-.,#", "sep-orig")
    ('+-.,#', '.,#')
    >>> rewrite("%+[-%+],.#", "sep-ext")
    ',.#'
    """
    return rewriter(rewriting)(check(program))


def passes_sdp(program: str) -> bool:
    """Whether the syntactic test of SDP keeps the program: its reward does not look like chance.

    The last rule is as the authors wrote it: it was meant for `.,%#`, where chance is kept for the next
    cycle, but asks for two writes, after which the machine has halted. So it drops good programs.

    Parameters
    ----------
    program : the text, rewritten by "sep-ext"

    Returns
    -------
    False if the program is dropped.

    References
    ----------
    Vadinský (2018), section 3.2 (which says "observation" for "reward").

    Examples
    --------
    >>> passes_sdp("%.,#"), passes_sdp(",.#")
    (False, True)
    >>> passes_sdp(".,.%#"), passes_sdp(".,%#")      # the wrong way round
    (False, True)
    """
    return not (_REWARD_IS_CHANCE.match(program) or _CHANCE_FOR_NEXT_CYCLE.match(program))
