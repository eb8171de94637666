"""A teacher's sheet for each session: goals, timing, materials, solutions, misconceptions, reading.

The solutions are those that the package computes, so the numbers on a sheet cannot drift: a test holds the
files in `notebooks/teaching/sheets` against `teacher_sheets()`. Write them again with
`gindex-lab exercises --sheets notebooks/teaching/sheets`.
"""

from __future__ import annotations

from typing import Any

from gindex_lab.presentation.widgets.exercises_course import EXERCISES
from gindex_lab.presentation.widgets.exercises_page import sessions

__all__ = ["teacher_sheets"]


def teacher_sheets() -> dict[str, str]:
    """File name and Markdown of every sheet.

    >>> list(teacher_sheets())[:2], teacher_sheets()["session4.md"].splitlines()[0]
    (['session1.md', 'session2.md'], "# Session 4: What would raise a g-index? (teacher's sheet)")
    """
    return {f"session{one['number']}.md": _sheet(one) for one in sessions()}


def _sheet(session: dict[str, Any]) -> str:
    total = sum(minutes for minutes, _ in session["timing"])
    books = [f"[{name}](../{name}.ipynb)" for name in session["notebooks"]]
    further = [f"[{path.removeprefix('../')}](../{path})" for path in session["further"]]
    parts = [
        f"# Session {session['number']}: {session['title']} (teacher's sheet)",
        "## Goals", "At the end of the session the students can:", _list(session["goals"]),
        f"## Timing ({total} minutes)",
        "| minutes | what happens |\n|---|---|\n"
        + "\n".join(f"| {minutes} | {what} |" for minutes, what in session["timing"]),
        "## Materials",
        _list([
            f"Live: {', '.join(books)}, in JupyterLab (`make lab`) or as web pages "
            "(`make demo`).",
            "Without a server: the exercises as one page, `gindex-lab exercises --page exercises.html`.",
            "For marks: `gindex-lab exercises --nbgrader COURSE` writes "
            f"`session{session['number']}` as an assignment.",
            "Paper and pencil: predictions are worth more when they are written down.",
        ]),
        "## Exercises and solutions", "The package computed these answers when this sheet was made.",
        *(_solved(k, name) for k, name in enumerate(session["exercises"], 1)),
        "## Misconceptions, and how to answer them",
        _list([f"“{says}” {answer}" for says, answer in session["misconceptions"]]),
        "## Reading", _list(session["reading"]),
        "## Further", _list(further),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _list(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _solved(number: int, name: str) -> str:
    """One exercise with everything that a learner sees only by and by."""
    task = EXERCISES[name]
    asked = " (prediction: a guess is committed before the demo opens)" if task.predict else ""
    choices = f"\n\nChoices: {', '.join(task.words)}." if task.words else ""
    wrong = [f"“{_shown(answer)}{task.unit}”: {says}" for answer, says in task.wrong()]
    parts = [
        f"### {number}. `{name}`{asked}",
        task.question + choices,
        f"**Answer: {task.answer_text()}.** {task.explained()}",
        "Hints: " + " ".join(f"({k}) {hint}" for k, hint in enumerate(task.hints, 1)),
    ]
    if wrong:
        parts.append("Wrong answers that are recognised:\n\n" + _list(wrong))
    return "\n\n".join(parts)


def _shown(answer: object) -> str:
    return answer if isinstance(answer, str) else f"{answer:.4g}".replace("-", "−")
