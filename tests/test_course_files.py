"""The course as files: teacher's sheets that cannot drift, one page, and assignments that the real nbgrader marks."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import students

from gindex_lab.foundation.errors import BadInput
from gindex_lab.presentation.widgets.classroom import SESSION
from gindex_lab.presentation.widgets.exercises_course import EXERCISES
from gindex_lab.presentation.widgets.exercises_page import sessions, teacher_sheets
from gindex_lab.press.exercises import assignment, write_exercises

ROOT = Path(__file__).resolve().parent.parent
SHEETS = ROOT / "notebooks" / "teaching" / "sheets"
NBGRADER = ROOT / ".tools" / "nbgrader"  # make nbgrader


def test_the_sheets_are_those_that_the_package_makes():
    stored = {path.name: path.read_text(encoding="utf-8") for path in SHEETS.glob("*.md")}
    assert stored == teacher_sheets(), "run: gindex-lab exercises --sheets notebooks/teaching/sheets"


def test_a_sheet_has_every_solution_and_its_links_lead_somewhere():
    readme = (SHEETS.parent / "README.md").read_text(encoding="utf-8")
    for session in sessions():
        name = f"session{session['number']}.md"
        text = (SHEETS / name).read_text(encoding="utf-8")
        assert f"(sheets/{name})" in readme
        for task in session["exercises"]:
            assert f"**Answer: {EXERCISES[task].answer_text()}.**" in text
        for link in re.findall(r"\]\(([^)]+)\)", text):
            assert (SHEETS / link).exists(), link


def test_an_assignment_has_the_cells_that_nbgrader_wants():
    nbformat = pytest.importorskip("nbformat")
    for session in sessions():
        made = assignment(session["number"])
        nbformat.validate(made)
        about = [cell["metadata"]["nbgrader"] for cell in made["cells"]]
        assert {one["schema_version"] for one in about} == {3}
        assert len({one["grade_id"] for one in about}) == len(about)
        flags = ("grade", "locked", "solution", "task")
        assert all(isinstance(one[flag], bool) for one in about for flag in flags)
        graded = [one for one in about if one["grade"]]
        assert len(graded) == len(session["exercises"])
        assert all(one["locked"] and one["points"] > 0 for one in graded)
        open_cells = [c for c in made["cells"] if not c["metadata"]["nbgrader"]["locked"]]
        assert all("### BEGIN SOLUTION" in c["source"][0] for c in open_cells)
        assert len(open_cells) == len(graded)


def test_writing_nothing_and_a_session_that_is_not_there_are_refused(tmp_path):
    with pytest.raises(BadInput) as caught:
        write_exercises()
    assert (caught.value.argument, caught.value.code) == ("exercises", "missing")
    with pytest.raises(BadInput) as caught:
        assignment(9)
    assert (caught.value.argument, caught.value.code) == ("session", "not-an-option")
    assert [path.name for path in write_exercises(page=tmp_path / "all.html")] == ["all.html"]


def nbgrader(course, *command):
    kernel = course / "jupyter" / "kernels" / "python3" / "kernel.json"
    kernel.parent.mkdir(parents=True, exist_ok=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel.write_text(json.dumps({"argv": argv, "display_name": "p", "language": "python"}))
    path = os.pathsep.join([str(NBGRADER / "bin"), os.environ["PATH"]])
    env = os.environ | {"JUPYTER_PATH": str(course / "jupyter"), "HOME": str(course)}
    env |= {"PYTHONPATH": str(NBGRADER), "PATH": path}
    ran = subprocess.run(
        [sys.executable, "-m", "nbgrader", *command],
        cwd=course,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    return ran.stderr


def hand_in(course, student, answers):
    """What a student hands in: the released notebook with answers in its open cells."""
    made = json.loads((course / "release" / "session4" / "session4.ipynb").read_text())
    for cell in made["cells"]:
        name = cell["metadata"]["nbgrader"]["grade_id"].removesuffix("-answer")
        if cell["metadata"]["nbgrader"]["solution"]:
            assert "BEGIN SOLUTION" not in "".join(cell["source"])
            cell["source"] = [f"{name.replace('-', '_')} = {answers[name]!r}"]
    path = course / "submitted" / student / "session4" / "session4.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(made))


@pytest.mark.slow
@pytest.mark.skipif(
    not NBGRADER.exists() and not os.environ.get("GINDEX_LAB_REQUIRE_NBGRADER"),
    reason="needs nbgrader: make nbgrader",
)
def test_the_real_nbgrader_releases_and_marks_a_session(tmp_path):
    write_exercises(nbgrader=tmp_path)
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'g'\n")  # fmt: skip
    nbgrader(tmp_path, "generate_assignment", "session4")
    right = {"g-domain": "up", "g-growth": 1.82, "g-weight": "1/4"}
    hand_in(tmp_path, "ada", right)
    hand_in(tmp_path, "bob", right | {"g-growth": 3.32, "g-domain": "down"})
    nbgrader(tmp_path, "autograde", "session4")
    with sqlite3.connect(tmp_path / "gradebook.db") as book:
        rows = book.execute(
            "select sa.student_id, sum(g.auto_score), sum(gc.max_score) from grade g join submitted_notebook sn on g.notebook_id = sn.id "
            "join submitted_assignment sa on sn.assignment_id = sa.id join grade_cells gc on g.cell_id = gc.id group by 1 order by 1"
        ).fetchall()
    points = {name: len(EXERCISES[name].hints) for name in right}
    total = sum(points.values())
    assert rows == [("ada", total, total), ("bob", points["g-weight"], total)]


def test_the_readme_of_the_course_quotes_the_class_that_was_measured():
    """`python tests/students.py 20` measures, and writes both."""
    measured = json.loads(students.STORED.read_text("utf-8"))
    assert students.COURSE.read_text("utf-8") == students.quoted(measured)
    for run in measured["runs"]:
        assert run["students"] == run["with widgets"] == 20
        assert (run["answers"], run["one more"]["status"]) == ([200], 503)
        assert run["MB of a session"]["most"] < SESSION
    assert max(one["median"] for one in measured["redraw (ms)"].values()) < 50
    for one in measured["openings"].values():
        assert one["cold"] > one["compiled"] > one["waiting"]
