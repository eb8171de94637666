"""The site in a real Chromium, off line, opened from its folder: every page, at three widths, by keyboard, for axe."""

import base64
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from web_pages import browser, complaints, needs_chromium, watched

from gindex_lab.foundation.errors import BadInput
from gindex_lab.press.site import DEMOS, WALKS, build

ROOT = Path(__file__).resolve().parent.parent
WIDTHS = (390, 768, 1280)
DEMO_PAGES = [f"demo-{make().name}.html" for make in DEMOS]
WALK_PAGES = [f"walk-{name}.html" for name in WALKS]
READING = ["index.html", "demos.html", "data.html", "exercises.html", "tutorials.html"]
READING += ["guide.html", "glossary.html", "gallery.html"]
PNG = b"\x89PNG\r\n\x1a\n and so on"
slow = [*needs_chromium, pytest.mark.slow]


def test_a_folder_of_somebody_else_is_refused_before_anything_is_written(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    with pytest.raises(BadInput) as refused:
        build(tmp_path / "mine", tmp_path, ROOT)
    assert refused.value.code == "not-ours"
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site with two pages of reports, as `make reproduce` would leave them."""
    place = tmp_path_factory.mktemp("made")
    for name in ("index.html", "tutorials/teacher/report.html", ".state/run.json", "site/old.html"):
        (place / "reports" / name).parent.mkdir(parents=True, exist_ok=True)
        (place / "reports" / name).write_text(f"<title>{name}</title>")
    return build(place / "site", place / "reports", ROOT).parent


@pytest.fixture(scope="module")
def chromium():
    with browser() as found:
        yield found


def address(site, name):
    return (site / name).as_uri()


@pytest.mark.slow
def test_every_page_is_there_and_every_link_leads_somewhere_inside(site):
    pages = [site / name for name in [*READING, *DEMO_PAGES, *WALK_PAGES]]
    for page in pages:
        text = page.read_text("utf-8")
        assert "default-src &#39;none&#39;" in text
        for link in re.findall(r'(?:href|src)="([^"]*)"', text):
            parts = urlsplit(link)
            assert not parts.scheme, link
            assert not parts.path or (page.parent / unquote(parts.path)).is_file(), (page, link)
    assert "make reproduce ONLY=tutorials/psychometrician" in (site / "tutorials.html").read_text()
    assert "reports/tutorials/teacher/report.html" in (site / "tutorials.html").read_text()
    assert not (site / "reports" / ".state").exists()
    assert not (site / "reports" / "site").exists()


@pytest.mark.slow
def test_the_exercises_lead_to_the_pages_that_help_to_answer_them(site):
    text = (site / "exercises.html").read_text("utf-8")
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])
    for session in range(1, 8):
        pages = next(task["pages"] for task in data if task["session"] == session)
        assert pages
        assert all((site / href).is_file() for href, _ in pages)
    assert not next(task["pages"] for task in data if task["session"] == 8)  # no such report here


@pytest.mark.slow
def test_a_report_of_the_site_has_its_pictures_beside_it_and_nothing_twice(tmp_path):
    from gindex_lab.press.site import copy_reports

    place, picture = tmp_path / "reports" / "x", PNG
    (place / "figures").mkdir(parents=True)
    (tmp_path / "reports" / "index.html").write_text("<title>x</title>")
    (place / "figures" / "a.png").write_bytes(picture)
    (place / "figures" / "a.svg").write_text("<svg/>")
    inside = base64.b64encode(picture).decode()
    other = base64.b64encode(picture[:-1]).decode()
    files = '<a href="figures/">figures</a> (SVG, PNG) · <a href="tables/">tables</a> (CSV) · <a>n</a>'
    images = [f'<img src="data:image/png;base64,{one}">' for one in (inside, other)]
    (place / "report.html").write_text("".join([*images, files]))
    cell = {"cell_type": "code", "source": ["1 + 1"], "outputs": [{"data": inside}], "metadata": {}}
    (place / "notebook.ipynb").write_text(json.dumps({"cells": [cell]}))
    copy_reports(tmp_path / "reports", tmp_path / "copy")
    assert sorted(p.name for p in (tmp_path / "copy" / "x").rglob("*.*")) == [
        "a.png", "notebook.ipynb", "report.html"
    ]  # fmt: skip
    page = (tmp_path / "copy" / "x" / "report.html").read_text()
    assert page == f'<img src="figures/a.png">{images[1]}<a>n</a>'
    (kept,) = json.loads((tmp_path / "copy" / "x" / "notebook.ipynb").read_text())["cells"]
    assert (kept["source"], kept["outputs"]) == (["1 + 1"], [])
    assert inside in (place / "report.html").read_text()  # the report itself stays one file


@pytest.mark.slow
def test_without_reports_the_gallery_says_what_brings_them(site):
    from gindex_lab.press.site import _reading_pages

    pages = {page.name: page.html() for page in _reading_pages(site.parent, site.parent)}
    assert "make reproduce" in pages["gallery.html"]
    assert "make site" in pages["tutorials.html"]


@pytest.mark.parametrize("name", [*DEMO_PAGES, *WALK_PAGES, *READING])
class TestEveryPage:
    pytestmark = slow

    def test_fits_three_widths_and_axe_finds_nothing(self, chromium, site, name):
        for width in WIDTHS:
            with watched(chromium, width) as page:
                page.goto(address(site, name))
                if name == "data.html":
                    page.get_by_role("button", name="Try an example").click()
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                small = page.evaluate(
                    "[...document.querySelectorAll('.gl-picture svg')].map((e) => e.clientWidth)"
                )
                assert all(wide >= 290 for wide in small), small
                assert width == 768 or complaints(page) == []


def shown(page):
    """Figure, numbers, sentence and code as they stand."""
    parts = [page.locator(f".gl-{part}").first for part in ("picture", "numbers", "code")]
    return [part.inner_html() for part in parts]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", DEMO_PAGES)
class TestByKeyboard:
    pytestmark = slow

    def test_every_control_is_reached_and_moves_everything(self, chromium, site, name, width):
        with watched(chromium, width) as page:
            page.goto(address(site, name))
            controls = page.locator(".gl-control :is(input, select)")
            reached = set()
            for _ in range(60):
                page.keyboard.press("Tab")
                at = page.evaluate("document.activeElement.id")
                if not at or at in reached or not page.locator(f".gl-control #{at}").count():
                    continue
                reached.add(at)
                control, before = page.locator(f"#{at}"), shown(page)
                assert page.locator(f"label[for='{at}']").inner_text()
                top = control.evaluate("(e) => e.value === e.max || e.selectedIndex === 0")
                page.keyboard.press("ArrowDown" if top else "ArrowUp")
                page.wait_for_function(
                    "(code) => document.querySelector('.gl-code').innerHTML !== code", arg=before[2]
                )
                after = shown(page)
                assert before[0] != after[0], at
                assert before[2] != after[2], at
            assert len(reached) == controls.count()
            page.wait_for_function(
                """() => ['.gl-note', '.gl-numbers td'].every((one) =>
                    document.querySelector('.gl-said[aria-live=polite]').textContent.includes(
                        document.querySelector(one).textContent))"""
            )  # the numbers are spoken when they have stood still for a moment
            for figure in page.locator(".gl-picture svg").all():
                assert len(figure.get_attribute("aria-label")) > 30


class TestPages:
    pytestmark = slow

    def test_a_shape_button_sets_all_sliders(self, chromium, site):
        with watched(chromium) as page:
            page.goto(address(site, "demo-curve.html"))
            page.get_by_role("button", name="step").focus()
            page.keyboard.press("Enter")
            assert "[[1, 1, 1, 1, 0, 0, 0, 0]]" in page.locator(".gl-code").inner_text()

    def test_a_point_of_the_curve_can_be_pulled(self, chromium, site):
        with watched(chromium) as page:
            page.goto(address(site, "demo-curve.html"))
            point = page.locator(".gl-drag circle").nth(7).bounding_box()
            page.mouse.move(point["x"] + 4, point["y"] + 4)
            page.mouse.down()
            page.mouse.move(point["x"] + 4, point["y"] - 60, steps=5)
            page.mouse.up()
            page.wait_for_function("() => Number(document.querySelector('[name=h8]').value) > 0.1")

    def test_print_shows_the_numbers_and_no_buttons(self, chromium, site):
        with watched(chromium, reduced_motion="reduce") as page:
            page.goto(address(site, "demo-guttman.html"))
            page.emulate_media(media="print")
            assert page.locator(".gl-numbers").is_visible()
            assert page.locator(".gl-picture svg").first.is_visible()
            assert not page.locator("nav, .gl-copy").first.is_visible()

    def test_ones_own_table_is_read_shown_and_taken_away(self, chromium, site, tmp_path):
        (tmp_path / "mine.csv").write_text("agent,a,b,c\ndifficulty,1,2,3\nann,1,1,0\nbob,0,1,1\n")
        (tmp_path / "bad.csv").write_text("agent,a,b\nann,1,99\n")
        with watched(chromium, 390, accept_downloads=True) as page:
            page.goto(address(site, "data.html"))
            page.locator("input[type=file]").set_input_files(tmp_path / "bad.csv")
            page.wait_for_selector(".gl-problem:has-text('not between 0 and 1')")
            assert not page.locator(".gl-agents").is_visible()
            page.locator("input[type=file]").set_input_files(tmp_path / "mine.csv")
            page.wait_for_selector(".gl-agents th:has-text('bob')")
            assert not page.locator(".gl-problem").is_visible()
            assert 'pd.read_csv("mine.csv"' in page.locator(".gl-code").inner_text()
            page.locator("#gl-agent").select_option("bob")
            page.wait_for_selector("svg[aria-label^='The curve of bob']")
            with page.expect_download() as got:
                page.get_by_role("button", name="Download the picture").click()
            picture = ET.parse(got.value.path()).getroot()
            assert picture.tag == "{http://www.w3.org/2000/svg}svg"
            assert len(picture.findall("{http://www.w3.org/2000/svg}svg")) == 2

    @pytest.mark.parametrize("width", WIDTHS)
    def test_ones_own_data_by_keyboard_alone(self, chromium, site, tmp_path, width):
        (tmp_path / "mine.csv").write_text("agent,a,b,c\ndifficulty,1,2,3\nann,1,1,0\nbob,0,1,1\n")
        with watched(chromium, width, accept_downloads=True) as page:
            page.goto(address(site, "data.html"))
            tab_to(page, "input[type=file]")
            with page.expect_file_chooser() as opened:
                page.keyboard.press("Space")
            opened.value.set_files(tmp_path / "mine.csv")
            page.wait_for_selector(".gl-agents th:has-text('bob')")
            tab_to(page, "#gl-agent")
            page.keyboard.press("ArrowDown")
            page.wait_for_selector("svg[aria-label^='The curve of bob']")
            tab_to(page, "button", "Download the picture")
            with page.expect_download():
                page.keyboard.press("Enter")
            assert page.evaluate("document.documentElement.scrollWidth") <= width

    @pytest.mark.parametrize("width", WIDTHS)
    @pytest.mark.parametrize("name", WALK_PAGES)
    def test_a_walk_goes_on_and_back_by_keyboard(self, chromium, site, name, width):
        with watched(chromium, width) as page:
            page.goto(address(site, name))
            image = page.locator(".gl-step img")
            first = image.get_attribute("src")
            tab_to(page, "button", "Next")
            page.keyboard.press("Enter")
            assert image.get_attribute("src") != first
            assert len(image.get_attribute("alt")) > 40
            assert image.evaluate("(e) => e.decode().then(() => e.naturalWidth)") > 300
            wider = image.evaluate("(e) => e.clientWidth > e.parentElement.clientWidth + 1")
            assert page.locator(".gl-aside").is_visible() == wider
            tab_to(page, "#gl-step")
            page.keyboard.press("End")
            assert page.get_by_role("button", name="Next").is_disabled()
            page.keyboard.press("Home")
            assert image.get_attribute("src") == first


def tab_to(page, css, words="", most=60):
    """Press Tab until the focus is on an element (with these words)."""
    at = "([css, words]) => document.activeElement.matches(css) && document.activeElement.textContent.includes(words)"
    for _ in range(most):
        if page.evaluate(at, [css, words]):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no Tab leads to {css} {words}")
