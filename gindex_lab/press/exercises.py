"""The exercises of the course as files: one page, teacher's sheets, and assignments for nbgrader.

An assignment has nbgrader's cells (schema version 3): the question and the tests are locked, the solution
stands between `### BEGIN SOLUTION` and `### END SOLUTION`, which `nbgrader generate_assignment` takes out,
and each exercise is worth as many points as it has hints. The tests call `widgets.check`, so that an answer
counts by the same rules as everywhere: nbgrader needs gindex_lab where it marks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.output import as_path, write_text
from gindex_lab.presentation.widgets.exercises_course import EXERCISES
from gindex_lab.presentation.widgets.exercises_page import exercises_page, sessions, teacher_sheets
from gindex_lab.press.kernel import bare_notebook

__all__ = ["assignment", "write_exercises"]


def write_exercises(
    page: Path | None = None, sheets: Path | None = None, nbgrader: Path | None = None
) -> list[Path]:
    """Write what is asked for, each file whole or not at all; the paths.

    `nbgrader` is the course folder: assignments go to `source/sessionN/sessionN.ipynb` there.
    """
    files: dict[Path, str] = {}
    if page is not None:
        files[as_path("page", page)] = exercises_page()
    if sheets is not None:
        folder = as_path("sheets", sheets)
        files |= {folder / name: text for name, text in teacher_sheets().items()}
    if nbgrader is not None:
        source = as_path("nbgrader", nbgrader) / "source"
        for session in sessions():
            name = f"session{session['number']}"
            text = json.dumps(assignment(session["number"]), indent=1, ensure_ascii=False)
            files[source / name / f"{name}.ipynb"] = text + "\n"
    if not files:
        remedy = "name a place with --page, --sheets or --nbgrader"
        raise BadInput("exercises", None, "[missing] has nothing to write", remedy)
    for path, text in files.items():
        write_text(path, text)
    return list(files)


def assignment(session: int) -> dict[str, Any]:
    """The notebook of a session for nbgrader, as `nbformat` reads it."""
    chosen = next((one for one in sessions() if one["number"] == session), None)
    if chosen is None:
        remedy = f"use 1 to {len(sessions())}"
        raise BadInput("session", session, "[not-an-option] is not a session", remedy)
    title = f"# Session {session}: {chosen['title']}\n\nReplace each answer and run all cells."
    cells = [_markdown("title", title), _code("setup", "from gindex_lab import widgets", locked=True)]
    for number, name in enumerate(chosen["exercises"], 1):
        cells += list(_exercise_cells(number, name))
    return bare_notebook(cells)


def _exercise_cells(number: int, name: str) -> Iterator[dict[str, Any]]:
    task, variable = EXERCISES[name], name.replace("-", "_")
    truth = task.answer()
    right = truth["example"] if isinstance(truth, dict) else truth
    choices = f"\n\nAnswer with one of {', '.join(task.words)}." if task.words else ""
    yield _markdown(f"{name}-question", f"## Exercise {number}\n\n{task.question}{choices}")
    yield _code(
        f"{name}-answer", f"### BEGIN SOLUTION\n{variable} = {right!r}\n### END SOLUTION", solution=True
    )
    test = f'verdict = widgets.check("{name}", {variable})\nassert verdict.right, verdict.text'
    yield _code(f"{name}-test", test, locked=True, grade=True, points=len(task.hints))


def _markdown(name: str, text: str) -> dict[str, Any]:
    return _cell("markdown", name, text, locked=True)


def _code(name: str, text: str, **flags: Any) -> dict[str, Any]:
    return _cell("code", name, text, **flags) | {"execution_count": None, "outputs": []}


def _cell(kind: str, name: str, text: str, *, points: int = 0, **flags: bool) -> dict[str, Any]:
    """A cell with what nbgrader has to know of it; `flags` are of grade, locked and solution."""
    about: dict[str, Any] = {"grade_id": name, "schema_version": 3}
    about |= dict.fromkeys(("grade", "locked", "solution", "task"), False) | flags
    about |= {"points": points} if points else {}
    about |= {"cell_type": kind} if about["grade"] or (about["locked"] and not about["solution"]) else {}
    source = text.splitlines(keepends=True)
    return {"cell_type": kind, "id": name, "metadata": {"nbgrader": about}, "source": source}
