"""Right or wrong, and a hint: how an answer to an exercise is judged.

An answer is a number within a tolerance, one of some words, or a program that must behave in some way.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Exercise", "Verdict", "number_of"]


@dataclass(frozen=True)
class Verdict:
    """Right or not, and a sentence about it; a notebook shows it as a green or red box."""

    right: bool
    text: str

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        colour, ground = ("#009E73", "#eef8f4") if self.right else ("#D55E00", "#fdf3ec")
        look = f"border-left:4px solid {colour};background:{ground};color:#222;padding:.4em .8em"
        return f'<div class="gl-verdict" style="{look}">{html.escape(self.text)}</div>'


@dataclass(frozen=True)
class Exercise:
    """What a right answer is (a number, one of some words, or a program that behaves), and what helps.

    `answer` computes it when asked. `praise` is said when it is right, `hint` when it is not.
    """

    answer: Callable[[], Any]
    hint: str
    praise: str = ""
    tolerance: float = 0.01
    words: tuple[str, ...] = ()

    def judge(self, given: object) -> Verdict:
        """Hold an answer against the right one."""
        if given is None or (isinstance(given, str) and not given.strip()):
            return Verdict(False, f"No answer yet. {self.hint}")
        problem = self._problem(given)
        if problem:
            return Verdict(False, f"Not yet: {problem}. {self.hint}")
        return Verdict(True, f"Right. {self.praise}".rstrip())

    def _problem(self, given: object) -> str:
        if self.words:
            word = str(given).strip().casefold()
            if word not in [w.casefold() for w in self.words]:
                return "answer with one of " + ", ".join(self.words)
            return "" if word == str(self.answer()).casefold() else "that is another one"
        truth = self.answer()
        if callable(truth):
            return str(truth(given))
        value = number_of(given)
        if value is None:
            return "that is not a number"
        if abs(value - truth) <= self.tolerance:
            return ""
        return "your answer is too low" if value < truth else "your answer is too high"


def number_of(given: object) -> float | None:
    """A number as people type it: 0.25, 1/4, 25 %, with a decimal comma or a true minus sign.

    >>> [number_of(x) for x in ("1/4", "25 %", "0,25", "−1", "a lot", 2)]
    [0.25, 0.25, 0.25, -1.0, None, 2.0]
    """
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        return float(given) if math.isfinite(given) else None
    text = str(given).strip().replace("−", "-").replace(",", ".")
    try:
        if text.endswith("%"):
            return float(text[:-1]) / 100
        above, _, below = text.partition("/")
        value = float(above) / float(below) if below else float(text)
    except (ValueError, ZeroDivisionError):
        return None
    return value if math.isfinite(value) else None
