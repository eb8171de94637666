"""Notebooks as they are stored: clean, in the catalogue, with the shape that notebooks/README.md asks for."""

import ast
import json
from pathlib import Path

import nbformat
import pytest

from gindex_lab.press.reproduction.inputs import PROFILES, parameters, read_catalogue, select

ROOT = Path(__file__).resolve().parent.parent
STORED = sorted((ROOT / "notebooks").glob("[!.]*/*.ipynb"))
ENTRIES = read_catalogue(ROOT)


def named(path):
    return path.relative_to(ROOT / "notebooks").with_suffix("").as_posix()


def code_cells(path):
    cells = json.loads(path.read_text())["cells"]
    return [c for c in cells if c["cell_type"] == "code"]


def source(cell):
    return "".join(cell["source"])


notebooks = pytest.mark.parametrize("path", STORED, ids=named)


def test_catalogue_and_folder_agree():
    assert sorted(e.path for e in ENTRIES) == [named(path) for path in STORED]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.path)
@pytest.mark.parametrize("profile", PROFILES)
def test_every_parameter_of_the_catalogue_is_declared(entry, profile):
    assert parameters(entry, profile)["profile"] == profile


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.path)
def test_every_data_set_of_the_catalogue_is_registered(entry):
    from gindex_lab.studies.data.registry import entries

    assert set(entry.data) <= set(entries())


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.path)
def test_titles_are_questions(entry):
    first = json.loads(entry.file.read_text())["cells"][0]
    heading = source(first).splitlines()[0]
    assert first["cell_type"] == "markdown"
    assert heading.startswith("# ")
    assert heading.endswith("?")
    assert entry.title.endswith("?")


@notebooks
def test_a_notebook_is_valid_and_python(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    for cell in code_cells(path):
        ast.parse(source(cell))


@notebooks
def test_a_notebook_is_stored_without_outputs(path):
    for cell in code_cells(path):
        assert cell["outputs"] == [], f"strip it: nbstripout --keep-id {path}"
        assert cell["execution_count"] is None, f"strip it: nbstripout --keep-id {path}"


@notebooks
def test_cell_ids_are_there_and_differ(path):
    cells = json.loads(path.read_text())["cells"]
    ids = [cell.get("id") for cell in cells]
    assert None not in ids
    assert len(set(ids)) == len(ids)


def calls(path):
    """Every call of the form `something.name(...)`."""
    trees = [ast.walk(ast.parse(source(cell))) for cell in code_cells(path)]
    nodes = [node for tree in trees for node in tree if isinstance(node, ast.Call)]
    return [node for node in nodes if isinstance(node.func, ast.Attribute)]


@notebooks
def test_a_notebook_shows_where_its_numbers_come_from(path):
    assert "start" in {call.func.attr for call in calls(path)}, "show the banner: nb.start(...)"


def answers(path):
    return [call for call in calls(path) if call.func.attr == "answer"]


def test_every_notebook_answers_its_title():
    """But for the course: there the answer is the student's, and stands behind an exercise."""
    assert [e.path for e in ENTRIES if not answers(e.file) and e.paper != "teaching"] == []


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.path)
def test_an_answer_is_computed_and_stands_once(entry):
    given = [call.args[0] for call in answers(entry.file)]
    assert len(given) <= 1
    assert not any(isinstance(text, ast.Constant) for text in given), "compute it: nb.answer(f'...')"


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.path)
def test_a_notebook_runs_again_when_data_it_loads_change(entry):
    loads = [c for c in calls(entry.file) if c.func.attr in ("load", "load_or") and c.args]
    loaded = {c.args[0].value for c in loads if isinstance(c.args[0], ast.Constant)}
    assert loaded <= set(entry.data), "name what it loads in the catalogue's data"


@notebooks
def test_functions_stay_in_the_package(path):
    for cell in code_cells(path):
        for node in ast.walk(ast.parse(source(cell))):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                lines = node.end_lineno - node.lineno + 1
                assert lines <= 8, f"{node.name} has {lines} lines: move it into the package"


def test_every_notebook_can_be_chosen_by_its_name():
    for entry in ENTRIES:
        assert select(ENTRIES, entry.path) == [entry]


@notebooks
def test_every_figure_is_described_in_words(path):
    """Written by a person, for readers who do not see it: what is drawn, not the name of a file."""
    for call in (c for c in calls(path) if c.func.attr in ("show", "show_movie") and len(c.args) == 2):
        told = {k.arg: k.value for k in call.keywords}.get("alt")
        parts = told.values if isinstance(told, ast.JoinedStr) else [told]
        words = " ".join(p.value for p in parts if isinstance(p, ast.Constant)).split()
        assert len(words) >= 6, f"nb.show(..., alt=...) in line {call.lineno} of its cell"
