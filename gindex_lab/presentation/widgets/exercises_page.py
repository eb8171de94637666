"""The exercises as they are handed out: as data for `web/exercises.js`, as one page that needs nothing else
(it can be mailed, put on a course site or opened from a folder), and as a teacher's sheet for each session.

The solutions on a sheet are those that the package computes, so the numbers cannot drift: a test holds the
files in `notebooks/teaching/sheets` against `teacher_sheets()`. Write them again with
`gindex-lab exercises --sheets notebooks/teaching/sheets`.
"""

from __future__ import annotations

import base64
import json
import tomllib
from functools import cache
from typing import Any

from gindex_lab.presentation.pages import TEMPLATES, page
from gindex_lab.presentation.web import bundle, source
from gindex_lab.presentation.widgets.exercises_course import EXERCISES

__all__ = ["exercise_data", "exercise_task", "exercises_page", "sessions", "teacher_sheets"]


@cache
def sessions() -> tuple[dict[str, Any], ...]:
    """The eight sessions, as `templates/sessions.toml` describes them."""
    found = tomllib.loads((TEMPLATES / "sessions.toml").read_text(encoding="utf-8"))["session"]
    return tuple({"number": k, **one} for k, one in enumerate(found, 1))


def exercise_data(session: int | None = None) -> list[dict[str, Any]]:
    """Every exercise (of a session), its answer and solution in base64.

    A tolerance needs the number itself, so a hash would not do: base64 hides answers from the eye, no more.
    """
    chosen = [one for one in sessions() if session in (None, one["number"])]
    return [exercise_task(name) for one in chosen for name in one["exercises"]]


def exercise_task(name: str) -> dict[str, Any]:
    """One exercise and its place in the course; no other is computed.

    >>> [exercise_task("delta-half")[key] for key in ("session", "number")]
    [3, 2]
    """
    one = next(one for one in sessions() if name in one["exercises"])
    place = {"session": one["number"], "title": one["title"]}
    return _task(name) | place | {"number": one["exercises"].index(name) + 1}


@cache
def _task(name: str) -> dict[str, Any]:
    task = EXERCISES[name]
    secret = {"answer": task.answer(), "mistakes": task.wrong(), "solution": task.explained()}
    text = json.dumps(secret, ensure_ascii=False, allow_nan=False)
    return {
        "name": name,
        "question": task.question,
        "words": task.words,
        "unit": task.unit,
        "predict": task.predict,
        "hints": task.hints,
        "secret": base64.b64encode(text.encode()).decode(),
    }


_MOUNT = """
const listed = JSON.parse(document.getElementById("exercises").textContent);
for (const part of document.querySelectorAll("[data-session]"))
  mountExercises(part, listed.filter((task) => task.session === Number(part.dataset.session)));
"""


def exercises_page() -> str:
    """All exercises in one page, session by session."""
    script, looks = bundle("exercises.js") + _MOUNT, source("exercises.css")
    data = json.dumps(exercise_data(), ensure_ascii=False).replace("<", "\\u003c")
    return page("exercises.html.j2", scripts=[script], looks=looks, data=data, sessions=sessions())


# -- the teacher's sheets -----------------------------------------------------------------------------------


def teacher_sheets() -> dict[str, str]:
    """File name and Markdown of every sheet."""
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
