"""The guide and the reference: every public name is explained, every link leads somewhere."""

import re
import shutil
from pathlib import Path

import pytest
from refusals import refused
from web_pages import browser, complaints

import gindex_lab as gl
from gindex_lab.press.reproduction import docs
from gindex_lab.press.reproduction.docs import accessible, build, documented, questions, uses
from gindex_lab.press.reproduction.inputs import read_catalogue

ROOT = Path(__file__).parents[1]
NEEDS_CHROMIUM = pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Chromium")


@pytest.fixture(scope="module")
def chromium():
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(tmp_path_factory.mktemp("reference") / "docs")


def test_every_public_function_stands_in_the_reference():
    spoken = {entry.name for entries in documented().values() for entry in entries}
    assert {f"gl.{n}" for n in gl.__all__ if n not in gl._PACKAGES} <= spoken
    for package in gl._PACKAGES:
        module = getattr(gl, package)
        functions = [n for n in module.__all__ if callable(getattr(module, n))]
        assert {f"gl.{package}.{n}" for n in functions} <= spoken


def test_every_public_name_says_what_it_is():
    silent = [e.name for entries in documented().values() for e in entries if not e.summary]
    assert not silent


def test_every_link_of_the_front_page_leads_to_a_heading(built):
    links = re.findall(r'href="(gindex_lab/[^"#]+)(?:#([^"]+))?"', built.read_text("utf-8"))
    assert len(links) > 100
    pages = {page: (built.parent / page).read_text("utf-8") for page, _ in links}
    assert not [(p, name) for p, name in links if name and f'id="{name}"' not in pages[p]]


@pytest.fixture
def front_page_alone(monkeypatch):
    """Build without pdoc's pages: one whole build (above) is enough, and takes ten seconds."""
    monkeypatch.setattr("gindex_lab.press.reproduction.docs._reference", lambda modules, folder: None)


@pytest.mark.usefixtures("front_page_alone")
def test_links_lead_to_the_reports_wherever_the_pages_stand(tmp_path):
    reports = tmp_path / "work" / "reports"
    for name in ("index.html", "claims.html", f"{questions(documented())[0]['notebook']}/report.html"):
        (reports / name).parent.mkdir(parents=True, exist_ok=True)
        (reports / name).write_text("there")
    front = build(tmp_path / "elsewhere" / "pages", reports)
    links = re.findall(r'href="(\.\./[^"]+)"', front.read_text("utf-8"))
    assert len(set(links)) == 3
    assert {(front.parent / link).read_text() for link in links} == {"there"}


@pytest.mark.usefixtures("front_page_alone")
def test_without_reports_no_link_leads_to_them(tmp_path):
    front = build(tmp_path / "pages", tmp_path / "reports")
    assert "../" not in front.read_text("utf-8")


def test_every_notebook_of_the_guide_is_in_the_catalogue():
    known = {entry.path for entry in read_catalogue(ROOT)}
    assert {row["notebook"] for row in questions(documented())} <= known


def test_the_equation_and_the_example_stand_on_the_page(built):
    page = (built.parent / "gindex_lab/measures/generality.html").read_text("utf-8")
    assert "Eq. 7" in page
    assert "normalised_generality" in page


def test_a_file_in_the_way_is_an_error(tmp_path):
    (tmp_path / "docs").write_text("mine")
    with refused("out: is-a-file"):
        build(tmp_path / "docs")
    assert (tmp_path / "docs").read_text() == "mine"


def test_every_notebook_that_calls_a_function_is_named_beside_it(built):
    used = uses(documented())
    assert "generality/a07_atari" in used["gl.generality"]
    assert "anytime/the_test" in used["gl.anytime.test"]  # written A.test there
    assert "gindex/fig05" in used["gl.mutate"]  # imported from its module
    assert "aiq/agents" in used["gl.aiq.estimate"]
    assert used["gl.aiq.Estimate"] == used["gl.aiq.estimate"]  # what it returns
    assert set(used) <= {entry.name for entries in documented().values() for entry in entries}
    page = built.read_text("utf-8")
    unused = sum(len(entries) for entries in documented().values()) - len(used)
    assert page.count("no notebook uses it yet") == unused
    missing = [
        (n, path)
        for n, paths in used.items()
        for path in paths
        if f">{path}</" not in page  # a link where its report exists
    ]
    assert not missing


@pytest.mark.browser
@pytest.mark.slow
@NEEDS_CHROMIUM
@pytest.mark.usefixtures("front_page_alone")
def test_the_search_finds_a_name_first_and_the_page_fits_a_phone(chromium, tmp_path):
    front = build(tmp_path / "pages", tmp_path / "reports")
    page = chromium.new_page(viewport={"width": 390, "height": 800})
    page.goto(front.as_uri())
    for asked in ("tie_groups", "gl.tie_groups", "tie groups", "tie", "cannot separate"):
        page.fill("#words", asked)
        assert page.locator("#results a").first.inner_text() == "gl.tie_groups", asked
    page.fill("#words", "no such thing at all")
    assert page.inner_text("#shown") == "0 found"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


@pytest.mark.browser
@pytest.mark.slow
@NEEDS_CHROMIUM
def test_axe_finds_nothing_on_the_front_page_and_on_the_reference(chromium, built):
    folder = built.parent
    pages = sorted(p for p in folder.rglob("*.html") if p != built)
    assert len(pages) > 100
    for file in (built, *pages[::15]):
        page = chromium.new_page(bypass_csp=True)
        page.goto(file.as_uri())
        assert complaints(page) == [], file.relative_to(folder)
        page.close()


def test_a_page_without_names_for_its_links_is_mended():
    assert "aria-label" in accessible('<a class="headerlink" href="#name"></a>')


def test_copies_that_jupyterlab_keeps_are_no_notebooks_of_the_project(tmp_path, monkeypatch):
    hidden = tmp_path / "notebooks" / ".ipynb_checkpoints"
    hidden.mkdir(parents=True)
    (hidden / "start-checkpoint.ipynb").write_text("half a noteb")
    monkeypatch.setattr(docs, "PROJECT", tmp_path)
    assert uses({}) == {}
