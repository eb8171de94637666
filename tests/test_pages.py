"""Every kind of page in a real browser: it shows what it should, and asks nothing of another host."""

import functools
import http.server
import os
import random
import sys
import threading
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from small_projects import RICH, catalogue, cell, text, write_notebook
from test_browser import CHROMIUM, FLAGS, Watched

from gindex_lab.press.analyse import analyse
from gindex_lab.press.reproduction import docs, reproduce
from gindex_lab.press.reproduction import inputs as reproduce_inputs

GREEDY = """from IPython.display import HTML
HTML('<img src="https://elsewhere.example/a.png"><script src="https://elsewhere.example/a.js"></script>'
     '<link rel="stylesheet" href="https://elsewhere.example/a.css">')"""

LONG = " + ".join(rf"\\frac{{S_{{{k}}}^2}}{{\\Psi_{{{k}}}}}" for k in range(4))
BROAD = f"A sum in the line, $\\gamma = {LONG}$, and one below:\n\n$${LONG}$$\n\n- in a list, ${LONG}$"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None and not os.environ.get("GINDEX_LAB_REQUIRE_BROWSER"),
        reason="needs Chromium (Debian: apt install chromium)",
    ),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Reports, guide and reference, and the page of an analysis, served from the loopback."""
    root = tmp_path_factory.mktemp("site")
    claim = cell("claim", "nb.claim('N295', -0.8660254)")
    broad, greedy = text("broad", BROAD), cell("greedy", GREEDY)
    write_notebook(root, "demo/one", cell("work", RICH), broad, claim, greedy)
    catalogue(root, "demo/one")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reproduce_inputs, "_PACKAGE", Path("/no-such-package"))
        assert reproduce.reproduce(root=root, reports=root / "reports") == 0
    docs.build(root / "reports" / "docs", root / "reports")
    (root / "own.csv").write_text("agent,i,j,k,l\n<b>x,1,0,1,1\ny,0,0,1,1\nz,1,1,1,0\n")
    analyse(root / "own.csv", seed=1).write(root / "reports" / "own.html")
    (root / "reports" / "favicon.ico").touch()  # every browser asks a server for one
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(root / "reports"))
    handler.log_message = lambda *_: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield root / "reports", f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


def visited(browser, address):
    """A page that has been loaded, with the requests that reached for another host."""
    watch = Watched(browser.new_page(viewport={"width": 1280, "height": 900}))
    stopped = []  # by the policy, before anything was sent: the browser names them all the same
    watch.page.on("requestfailed", lambda r: stopped.append(r.url) if r.failure == "csp" else None)
    watch.page.goto(address)
    watch.page.wait_for_load_state()
    watch.outside = [url for url in watch.outside if url not in stopped]
    return watch


def test_no_page_reaches_another_host(site, browser):
    """A request that the policy blocks is not made; what it blocks is said on the console."""
    reports, address = site
    pages = sorted(p.relative_to(reports).as_posix() for p in reports.rglob("*.html"))
    reference = [name for name in pages if name.startswith("docs/gindex_lab")]
    few = random.Random(1).sample(reference, 25)
    chosen = [name for name in pages if name not in reference] + few
    assert {
        "index.html",
        "claims.html",
        "own.html",
        "demo/one/report.html",
        "docs/index.html",
    } <= set(chosen)
    left = {}
    for name in chosen:
        watch = visited(browser, f"{address}/{name}")
        assert watch.page.inner_text("body").strip(), name
        left |= {name: watch.outside} if watch.outside else {}
        blocked = [said for said in watch.errors if "Content Security Policy" not in said]
        assert blocked == [], name
        assert name == "demo/one/report.html" or watch.errors == [], name
        watch.page.close()
    assert left == {}


def test_a_broad_formula_scrolls_by_itself_on_a_narrow_screen(site, browser):
    _, address = site
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(f"{address}/demo/one/report.html")
    width = "document.documentElement.scrollWidth"
    formulas = page.locator(".text_cell_render :is(p, li):has(> math)")
    assert formulas.count() == 3
    assert page.evaluate(width) <= 390
    for one in formulas.all():
        assert one.evaluate("e => e.scrollWidth > e.clientWidth")  # it can be moved, and needs it
        one.evaluate("e => { e.style.overflow = 'visible' }")
    assert page.evaluate(width) > 390  # without the rule the whole page would move
    page.close()


def test_every_page_carries_a_policy(site):
    reports, _ = site
    without = [p for p in reports.rglob("*.html") if "Content-Security-Policy" not in p.read_text()[:3000]]
    assert without == []


def test_the_search_of_the_reference_works_under_its_policy(site, browser):
    reports, address = site
    for where in (address, reports.as_uri()):
        watch = visited(browser, f"{where}/docs/gindex_lab/measures/generality.html")
        watch.page.fill("input[type=search]", "divergence")
        watch.page.wait_for_selector("text=search results for", timeout=60_000)
        watch.screenshot("reference_search", 900)
        assert watch.errors == []
        assert [url for url in watch.outside if not url.startswith("file:")] == []
        watch.page.close()


def test_a_symbol_explains_itself_to_the_pointer_and_to_the_keyboard(site, browser):
    _, address = site
    watch = visited(browser, f"{address}/ten_minutes.html")
    term = watch.page.locator("a.term").first
    tip = "e => getComputedStyle(e, '::after').display"
    assert term.evaluate(tip) == "none"
    term.hover()
    assert term.evaluate(tip) == "block"
    watch.page.mouse.move(0, 0)
    assert term.evaluate(tip) == "none"
    while not term.evaluate("e => e === document.activeElement"):
        watch.page.keyboard.press("Tab")
    assert term.evaluate(tip) == "block"
    watch.page.keyboard.press("Enter")
    watch.page.wait_for_url("**/glossary.html#*")
    assert watch.errors == []
    watch.page.close()


def test_the_gallery_is_searched_by_figure_and_by_words(site, browser):
    _, address = site
    watch = visited(browser, f"{address}/index.html")
    for asked, found in {"why": 1, "demo/one": 1, "fig 99": 0, "nothing like it": 0, "": 1}.items():
        watch.page.fill("#words", asked)
        assert watch.page.locator(".card:visible").count() == found, asked
    assert watch.errors == []
    watch.page.close()


def test_claims_unfold_by_the_keyboard(site, browser):
    _, address = site
    watch = visited(browser, f"{address}/demo/one/report.html")
    fold = watch.page.locator("details.gl-claims")
    fold.locator("summary").focus()
    watch.page.keyboard.press("Enter")
    assert fold.locator("tbody tr").count() == 1
    assert fold.locator("tbody tr").is_visible()
    watch.page.close()


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_no_page_is_wider_than_its_window(site, browser, width):
    reports, address = site
    pages = [p.relative_to(reports).as_posix() for p in reports.rglob("*.html")]
    wide = {}
    for name in (name for name in pages if not name.startswith("docs/gindex_lab")):
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(f"{address}/{name}")
        wide[name] = page.evaluate("document.documentElement.scrollWidth")
        page.close()
    assert {name: w for name, w in wide.items() if w > width} == {}
