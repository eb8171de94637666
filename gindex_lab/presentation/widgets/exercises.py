"""Exercises that check themselves: `check(name, answer)` says right or wrong, and gives a hint.

The right answers are computed by the package, never written down: if a measure changes, so does its
answer. An answer is a number, one of some words, or a program that must behave in some way; mistakes that
people make are recognised by the answers to which they lead. The exercises themselves stand in
`exercises_course`; `exercise(name)` shows one in a notebook, where a prediction comes before the result.

>>> print(check("curve-step", 4.5))
Right. ...
>>> print(check("curve-step", 3))
Not yet: your answer is too low. ...
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from gindex_lab.foundation.errors import BadInput, GIndexLabError
from gindex_lab.presentation.widgets.exercises_answers import LONGEST, agreement, typed

__all__ = ["Exercise", "Mistake", "Verdict", "check", "known"]

SAYS = {  # the same sentences as in web/exercises.js
    "right": "Right.",
    "empty": "No answer yet.",
    "unreadable": "Not yet: that is not a number. Type 0.25, or an expression such as 1/4 or exp(0.6).",
    "word": "Not yet: choose one of {words}.",
    "other": "Not yet: that is another one.",
    "low": "Not yet: your answer is too low.",
    "high": "Not yet: your answer is too high.",
    "coarse": "Nearly: right as far as it goes. Give one more digit.",
    "cut": "Nearly: round the last digit instead of cutting off what follows.",
    "program": "Not yet: that is not a program. Use + - < > , . [ ] in pairs, and one # at the end.",
    "pays": "Not yet: after the actions {actions} it pays {paid}, not {wanted}.",
}  # fmt: skip
_PROGRAM = re.compile(r"[-+<>,.\[\]]*#")


class Mistake(NamedTuple):
    """A wrong answer that people give, what leads to it, and what to say."""

    answer: Callable[[], float] | float | str
    says: str


@dataclass(frozen=True)
class Verdict:
    """Right or not, and a sentence about it; a notebook shows it as a green or red box."""

    kind: str
    said: str
    hint: str = ""

    @property
    def right(self) -> bool:
        """Whether the answer is right."""
        return self.kind == "right"

    @property
    def text(self) -> str:
        """What was said, with the hint."""
        return f"{self.said} {self.hint}".strip()

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        colour, ground = ("#00694d", "#eef8f4") if self.right else ("#9c4300", "#fdf3ec")
        look = f"border-left:4px solid {colour};background:{ground};color:#222;padding:.4em .8em"
        return f'<div class="gl-verdict" style="{look}">{html.escape(self.text)}</div>'


@dataclass(frozen=True)
class Exercise:
    """A question, its computed answer (a number, one of `words`, or how a program pays), and what helps.

    `hints` go from a nudge to nearly the answer. In `solution`, `{answer}` is the computed one. With
    `predict` a learner commits a guess before the demo opens; `unit` stands behind the field.
    """

    question: str
    answer: Callable[[], Any]
    hints: tuple[str, ...]
    solution: str
    mistakes: tuple[Mistake, ...] = ()
    words: tuple[str, ...] = ()
    unit: str = ""
    predict: bool = False

    def judge(self, given: object, tries: int = 1) -> Verdict:
        """Hold an answer against the right one; the hint is that of the n-th try."""
        text = "" if given is None else str(given).strip()
        if not text:
            return Verdict("empty", SAYS["empty"], self.hints[0])
        kind, said = self._read(given if isinstance(given, float) else text)
        if kind == "right":
            return Verdict(kind, f"{SAYS[kind]} {self.explained()}")
        hint = "" if kind == "mistake" else self.hints[min(tries, len(self.hints)) - 1]
        return Verdict(kind, said, hint)

    def _read(self, given: object) -> tuple[str, str]:
        """The kind of a verdict, and its sentence."""
        truth = self.answer()
        if self.words:
            word = next((w for w in self.words if w.casefold() == str(given).casefold()), None)
            if word is None:
                return "word", SAYS["word"].format(words=", ".join(self.words))
            if word == truth:
                return "right", ""
            told = [mistake.says for mistake in self.mistakes if mistake.answer == word]
            return ("mistake", f"Not yet: {told[0]}") if told else ("other", SAYS["other"])
        if isinstance(truth, dict):
            return _behaves(str(given), truth)
        answer = typed(given, self.unit == "%")
        if answer is None:
            return "unreadable", SAYS["unreadable"]
        found = agreement(answer, truth)
        if found == "yes":
            return "right", ""
        for wrong, says in self.wrong():
            if agreement(answer, wrong) == "yes":
                return "mistake", f"Not yet: {says}"
        kind = found if found != "no" else "low" if answer.value < truth else "high"
        return kind, SAYS[kind]

    def wrong(self) -> list[tuple[Any, str]]:
        """The wrong answers that are recognised, computed, with what is said to each."""
        return [(m.answer() if callable(m.answer) else m.answer, m.says) for m in self.mistakes]

    def answer_text(self) -> str:
        """The right answer, for people: four digits of a number.

        >>> known("delta-extra").answer_text()
        '0.25'
        """
        truth = self.answer()
        if isinstance(truth, dict):
            return f"`{truth['example']}`"
        return truth if isinstance(truth, str) else f"{truth:.4g}{self.unit}".replace("-", "−")

    def explained(self) -> str:
        """The worked solution with the computed answer in it."""
        return self.solution.replace("{answer}", self.answer_text())


def _behaves(program: str, wanted: dict[str, Any]) -> tuple[str, str]:
    """Whether a program pays what it should for these actions (None where that does not matter)."""
    from gindex_lab.worlds.aiq.machine import run

    actions, rewards = wanted["actions"], wanted["rewards"]
    try:
        paid = run(program, actions)[0] if len(program) <= LONGEST else None
    except GIndexLabError:
        paid = None
    if paid is None or not _PROGRAM.fullmatch(program):
        return "program", SAYS["program"]
    for k, reward in enumerate(rewards):
        if reward is not None and paid[k] != reward:
            done = ", ".join(map(str, actions[: k + 1]))
            said = SAYS["pays"].format(actions=done, paid=f"{paid[k]:g}", wanted=f"{reward:g}")
            return "pays", said
    return "right", ""


def check(name: str, answer: object = None) -> Verdict:
    """Whether an answer is right, with a hint if it is not.

    >>> check("g-weight", "1/4").right, check("delta-half", 0.5).right
    (True, False)
    """
    return known(name).judge(answer)


def known(name: str) -> Exercise:
    """The exercise of that name.

    >>> known("g-wait")
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: name='g-wait': is not an exercise; use one of curve-shape, ...
    """
    from gindex_lab.presentation.widgets.exercises_course import EXERCISES

    if name not in EXERCISES:
        remedy = "use one of " + ", ".join(EXERCISES)
        raise BadInput("name", name, "[not-an-option] is not an exercise", remedy)
    return EXERCISES[name]
