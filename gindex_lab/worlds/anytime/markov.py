"""Patterns that a program writes: Markov algorithms, and the complexity Kt_max of Definition 9.

A Markov algorithm is an ordered list of rules on a work string over the actions and the letters x, y. At
each step of the environment the first applicable rule is applied, at its leftmost place, until the string
begins with a digit; the digit is the action, and leaves the string. An empty string, or one to which no
rule applies, starts again. A pattern of digits is the program without rules. Definition 9 charges a program
its length and the logarithm of its slowest step (Hernández-Orallo and Dowe 2010):

    Kt_max(μ, n) = min over programs p of μ:  l(p) + log2 max over i <= n of Δctime(p, i).

Here Δctime counts applications of rules, at least 1, and l(p) is given for one program, so that Kt_max is an
upper bound of the minimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log2
from typing import NamedTuple

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.validate import integer

__all__ = ["MOST_APPLICATIONS", "Emission", "MarkovPattern", "elias"]

MOST_APPLICATIONS = 64  # of rules in one step: a judgement, which makes every step end
LETTERS = "xy"
Rule = tuple[str, str] | tuple[str, str, bool]


class Emission(NamedTuple):
    """The actions that a program gave, and the rules it applied for each."""

    actions: tuple[int, ...]
    work: tuple[int, ...]


def elias(k: int) -> int:
    """The length in bits of Elias' γ code of k, 2 floor(log2 k) + 1.

    Parameters
    ----------
    k : a whole number from 1 up

    Returns
    -------
    A whole number of bits.

    References
    ----------
    Elias (1975), IEEE Transactions on Information Theory 21, 194-203.

    Examples
    --------
    >>> [elias(k) for k in (1, 2, 3, 4, 9)]
    [1, 3, 3, 5, 7]
    """
    return 2 * floor(log2(integer("k", k))) + 1


@dataclass(frozen=True)
class MarkovPattern:
    """A Markov algorithm as a pattern: `start`, `rules` (left, right, and True if it ends), `actions`.

    Reference: Hernández-Orallo and Dowe (2010), Definition 9.

    >>> MarkovPattern("x", (("x", "01y"), ("y", "x")), actions=2).run(6).actions
    (0, 1, 0, 1, 0, 1)
    """

    start: str
    rules: tuple[Rule, ...]
    actions: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "actions", integer("actions", self.actions, 2, 10))
        alphabet = "".join(map(str, range(self.actions))) + LETTERS

        def check_word(name: str, word: object) -> None:
            if not isinstance(word, str) or not set(word) <= set(alphabet):
                problem = "[not-a-word] is not a word of the alphabet"
                raise BadInput(name, word, problem, f"use symbols of {alphabet}")

        check_word("start", self.start)
        ensure(self.start, "start", self.start, "[empty] is empty", "start with at least one symbol")
        if not isinstance(self.rules, tuple):
            raise BadInput("rules", self.rules, "[not-a-tuple] is not a tuple", "use ((left, right), ...)")
        for place, rule in enumerate(self.rules):
            name, remedy = f"rules[{place}]", "write (left, right), or (left, right, True)"
            pair = isinstance(rule, tuple) and len(rule) in (2, 3)
            ensure(pair, name, rule, "[not-a-rule] is not a rule", remedy)
            check_word(name, rule[0])
            check_word(name, rule[1])
            ensure(rule[0], name, rule, "[empty-side] has an empty left side", "name what it rewrites")

    def run(self, steps: int) -> Emission:
        """What it emits in `steps` steps; a step that finds no digit in 64 applications emits 0."""
        word, actions, work = self.start, [], []
        for _ in range(integer("steps", steps, 1)):
            word, done = self._rewrite(word)
            found = word[:1].isdigit()
            actions.append(int(word[0]) if found else 0)
            word = word[1:] if found else self.start
            work.append(max(1, done))
        return Emission(tuple(actions), tuple(work))

    def _rewrite(self, word: str) -> tuple[str, int]:
        """The work string once it begins with a digit or a rule ends it, and the rules applied."""
        done, ended = 0, False
        while not word[:1].isdigit() and not ended and done < MOST_APPLICATIONS:
            rule = next((rule for rule in self.rules if rule[0] in word), None)
            done += 1  # starting again is work, too
            if not word or rule is None:
                word = self.start
                continue
            word = word.replace(rule[0], rule[1], 1)
            ended = len(rule) == 3 and bool(rule[2])
        return word, done

    @property
    def length(self) -> float:
        """l(p) in bits: log2(alphabet) for each symbol, and Elias' code for the number of rules."""
        symbols = len(self.start) + sum(len(rule[0]) + len(rule[1]) for rule in self.rules)
        return log2(self.actions + len(LETTERS)) * symbols + elias(len(self.rules) + 1)

    def kt_max(self, steps: int) -> float:
        """Kt_max of Definition 9 for this program, over the first `steps` interactions."""
        return self.length + log2(max(self.run(steps).work))
