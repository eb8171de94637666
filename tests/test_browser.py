"""JupyterLab and the Voilà demos in a real Chromium: what a student sees works, and asks nothing of the network.

The servers are started by the command that `make lab` and `make demo` run, on a free port of the loopback,
with folders of their own for settings, data and workspaces. A request that would leave this machine is refused
and recorded, and so is every error on the console; both lists must be empty. `GINDEX_LAB_SCREENSHOTS` names a
folder for the pictures; `GINDEX_LAB_REQUIRE_BROWSER` makes an absent browser a failure.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from web_pages import complaints

from gindex_lab.presentation.widgets.contents import shows_a_box
from gindex_lab.presentation.widgets.serve import demo_command, environment, lab_command

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
TOKEN = "a-token-for-this-test"
SECONDS = 240  # for anything to happen: other work may share the two cores
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
SETTINGS = {  # of JupyterLab: no question about news, and every cell in the page, seen or not
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},
}
TEACHING = sorted(path.stem for path in (ROOT / "notebooks" / "teaching").glob("*.ipynb"))
IN_LAB = [
    "session1_shape_a_curve",
    "session2_populations_and_individuals",
    "session4_gindex_calculator",
]
WIDTHS = (390, 768, 1280)
BOXED = "generality/fig01_toy_matrix.ipynb"
ANALYSE = "generality/analyse_your_own.ipynb"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None and not os.environ.get("GINDEX_LAB_REQUIRE_BROWSER"),
        reason="needs Chromium (Debian: apt install chromium)",
    ),
]


def soon(what, found, page=None):
    """Wait until `found` is true; a page goes on living meanwhile (its events are handled)."""
    end = time.monotonic() + SECONDS
    while not found():
        assert time.monotonic() < end, f"waited {SECONDS} s in vain for {what}"
        page.wait_for_timeout(250) if page else time.sleep(0.25)


# -- the servers ----------------------------------------------------------------------------------------


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def own_folders(folder, settings):
    """Jupyter's folders below a temporary one: nothing of the user's is read or changed."""
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    lab = ("JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR")
    for plugin, values in settings.items():
        path = folder / "JUPYTERLAB_SETTINGS_DIR" / "@jupyterlab" / f"{plugin}.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(values))
    return {name: str(folder / name) for name in (*names, *lab)} | {"HOME": str(folder)}


@contextmanager
def server(command, options, folder, settings=SETTINGS):
    """A server that answers; its address. It is ended by its own id."""
    port = free_port()
    env = environment(os.environ) | own_folders(folder, settings) | {"OPENBLAS_NUM_THREADS": "1"}
    log = folder / "server.log"
    with log.open("w") as out:
        port_options = [option.format(port=port) for option in options]
        process = subprocess.Popen([*command, *port_options], env=env, stdout=out, stderr=out)
    address = f"http://127.0.0.1:{port}"
    try:
        soon(f"the server ({log})", lambda: answers(address, process, log))
        yield address
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def answers(address, process, log):
    assert process.poll() is None, log.read_text()[-2000:]
    try:
        return urllib.request.urlopen(f"{address}/?token={TOKEN}", timeout=20).status == 200
    except OSError:
        return False


@pytest.fixture(scope="module")
def lab_root(tmp_path_factory):
    root = tmp_path_factory.mktemp("lab") / "project"
    shutil.copytree(ROOT / "notebooks", root / "notebooks")
    return root


@pytest.fixture(scope="module")
def lab(lab_root):
    """The address of a JupyterLab on a copy of the notebooks: a run saves nothing in the project."""
    root, folder = lab_root, lab_root.parent
    options = ["--ServerApp.port={port}", "--ServerApp.open_browser=False"]
    options += [f"--IdentityProvider.token={TOKEN}", "--allow-root"]
    with server(lab_command(root), options, folder) as address:
        yield address


@pytest.fixture(scope="module")
def voila(tmp_path_factory):
    """The address of the Voilà server."""
    options = ["--port={port}", "--Voila.open_browser=False", f"--token={TOKEN}"]
    with server(demo_command(ROOT), options, tmp_path_factory.mktemp("voila")) as address:
        yield address


# -- the browser ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    assert CHROMIUM, "no Chromium, and GINDEX_LAB_REQUIRE_BROWSER asks for these tests"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Watched:
    """A page whose complaints and whose steps outside are written down."""

    def __init__(self, page):
        self.page, self.errors, self.outside = page, [], []
        page.set_default_timeout(1000 * SECONDS)
        page.on("console", lambda message: self._say(message.type, message.text))
        page.on("pageerror", lambda error: self._say("error", str(error)))
        page.on("websocket", lambda socket: self._leaves(socket.url))
        page.on("request", lambda request: self._leaves(request.url))

    def _say(self, kind, text):
        if kind == "error":
            self.errors.append(text)

    def _leaves(self, url):
        if urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).hostname != "127.0.0.1":
            self.outside.append(url)

    def screenshot(self, name, height=1800):
        """A picture, as wide as the page is, if anybody wants one."""
        folder = os.environ.get("GINDEX_LAB_SCREENSHOTS")
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            width = self.page.viewport_size["width"]
            self.page.set_viewport_size({"width": width, "height": height})
            self.page.wait_for_timeout(1500)
            self.page.screenshot(path=Path(folder) / f"{name}.png")


@pytest.fixture
def watched(chromium):
    """A fresh page of 1280 x 900; afterwards there must be no console error and no step outside."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    watch = Watched(context.new_page())
    yield watch
    context.close()
    assert watch.errors == []
    assert watch.outside == []


def shown(page):
    """The demo as it stands: its figure (an image, or what is drawn), its numbers, its code line."""
    figure = page.locator(".gl-picture").first.evaluate("(e) => e.innerHTML")
    return [figure, *(page.locator(css).first.inner_text() for css in (".gl-numbers", ".gl-code"))]


def reach(page, locator):
    """Press Tab until the focus is there: no mouse is needed."""
    locator.wait_for()
    for _ in range(300):
        if locator.evaluate("(e) => e === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no Tab leads to {locator}")


def predict(page):
    """Commit some prediction in every exercise, by keyboard: only then demo and results open."""
    page.wait_for_selector(".gx-exercise .gx-check")
    for box in page.locator(".gx-exercise").all():
        if box.locator("input[type='radio']").count():
            reach(page, box.locator("input[type='radio']").first)
            page.keyboard.press("Space")
        else:
            reach(page, box.locator(".gx-field"))
            page.keyboard.insert_text("1")
        page.keyboard.press("Enter")
        page.wait_for_timeout(50)


def settled(page):
    """What is shown once it no longer changes by itself."""
    for css in (".gl-picture", ".gl-numbers", ".gl-code"):
        page.wait_for_selector(css)
    before = None
    while before != (before := shown(page)):
        page.wait_for_timeout(1000)
    return before


def move_first_slider(page, times=2):
    """Drag by keyboard, and wait until figure, numbers and code have all followed."""
    before = settled(page)
    handle = page.locator(".noUi-handle, .gl-demo input[type=range]").first
    reach(page, handle)
    lowest = handle.evaluate("(e) => e.min ? e.value === e.min : e.ariaValueNow === e.ariaValueMin")
    key = "ArrowUp" if lowest else "ArrowDown"
    for _ in range(times):
        page.keyboard.press(key)
    changed(page, before)
    settled(page)


def edit_first_program(page):
    before = settled(page)
    area = page.locator("textarea").first
    reach(page, area)
    changed_text = area.input_value().replace("repeat=60", "repeat=10")
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(changed_text)
    changed(page, before)


def press_skip(page):
    reach(page, page.get_by_role("button", name="skip", exact=True))
    page.keyboard.press("Enter")


def take_the_test(page):
    """Skip all twelve items: at the end stands a curve with its generality."""
    before = settled(page)
    for done in range(1, 13):
        press_skip(page)
        page.wait_for_selector(f".gl-numbers:has-text('{done} of 12')")
    changed(page, before)
    assert "normalised generality γ" in shown(page)[1]


def skip_an_item(page):
    before = settled(page)
    press_skip(page)
    changed(page, before)


def shape_and_answer(page):
    """Move a slider, then answer the first exercise, wrongly and rightly."""
    move_first_slider(page)
    for answer, verdict in (("3", "too low"), ("4.5", "Right.")):
        field = page.locator("[data-exercise='curve-step'] .gx-field")
        reach(page, field)
        page.keyboard.press("Control+A")
        page.keyboard.insert_text(answer)
        page.keyboard.press("Enter")
        page.wait_for_selector(f"[data-exercise='curve-step'] .gx-verdict:has-text('{verdict}')")


CHANGE = {
    "session1_shape_a_curve": shape_and_answer,
    "session3_two_programs": edit_first_program,
    "session6_take_a_test": take_the_test,
    "session8_stopping_a_test": skip_an_item,
}


def changed(page, before):
    """Wait until nothing of what was shown is left."""
    soon("figure, numbers and code to change", lambda: not set(before) & set(shown(page)), page)


def test_a_complaint_and_a_step_outside_are_noticed(chromium):
    watch = Watched(chromium.new_page())
    watch.page.set_content("<script>console.error('oh')</script><img src='http://elsewhere.invalid/x.png'>")
    soon("the complaint", lambda: "oh" in watch.errors, watch.page)
    assert watch.outside == ["http://elsewhere.invalid/x.png"]
    watch.page.close()


# -- Voilà ----------------------------------------------------------------------------------------------


def open_voila(watched, address, name):
    watched.page.goto(f"{address}/voila/render/{name}.ipynb?token={TOKEN}", wait_until="commit")


def test_without_a_token_voila_serves_no_demo(voila):
    page = urllib.request.urlopen(f"{voila}/voila/render/{TEACHING[0]}.ipynb", timeout=60)
    assert "/login" in page.url
    assert "gl-picture" not in page.read().decode()


def test_voila_lists_every_demo(watched, voila):
    watched.page.goto(f"{voila}/?token={TOKEN}", wait_until="commit")
    watched.page.wait_for_selector("li a")
    links = watched.page.locator("li a")
    assert sorted(Path(link.get_attribute("href")).stem for link in links.all()) == TEACHING
    watched.screenshot("voila_list")


@pytest.mark.parametrize("name", TEACHING)
def test_by_keyboard_figure_numbers_and_code_follow_the_controls_in_voila(watched, voila, name):
    """Then at three widths nothing sticks out, every figure is told in words, and axe finds nothing."""
    page = watched.page
    open_voila(watched, voila, name)
    predict(page)
    CHANGE.get(name, move_first_slider)(page)
    assert page.locator(".gl-problem:visible").count() == 0
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(700)  # the page names what the widgets leave out, a moment later
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert complaints(page) == [], width
        watched.screenshot(f"voila_{name}_{width}")
    for figure in page.locator(".gl-picture img, .jp-RenderedHTML img").all():
        assert len(figure.get_attribute("alt")) > 40
    page.goto("about:blank")  # as a reader leaves: the place is free at once, a killed page's later


# -- JupyterLab -----------------------------------------------------------------------------------------


def sessions(address):
    reply = urllib.request.urlopen(f"{address}/api/sessions?token={TOKEN}", timeout=60)
    return json.load(reply)


def idle(address, name):
    """Whether the notebook has a kernel that is idle and connected: the toolbar says so too early."""
    kernels = [s["kernel"] for s in sessions(address) if s["path"].endswith(name)]
    return any(k["execution_state"] == "idle" and k["connections"] > 0 for k in kernels)


def open_lab(watched, address, path):
    """Open a notebook alone in JupyterLab, with its kernel ready."""
    page, name = watched.page, Path(path).name
    page.goto(f"{address}/lab/tree/notebooks/{path}?reset&token={TOKEN}", wait_until="commit")
    page.wait_for_selector(".jp-NotebookPanel-notebook .jp-Cell")
    soon("an idle kernel", lambda: idle(address, name), page)
    page.wait_for_selector(".jp-StatusBar-TextItem:has-text('| Idle')")


def run_all(watched, address, name):
    """Run all cells by the menu, wait until each whose source is shown has its number, and find no traceback."""
    page = watched.page
    page.locator("#jp-MainMenu").get_by_text("Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    cells = page.locator(".jp-CodeCell")
    numbers = cells.locator(".jp-InputArea-prompt")  # a box whose source is hidden shows none
    done = numbers.filter(has_text=re.compile(r"\[\d+\]:"))

    def quiet():
        """Idle for a second: between two cells a kernel is idle, too."""
        for _ in range(4):
            if not idle(address, name):
                return False
            page.wait_for_timeout(250)
        return True

    soon("all cells to run", lambda: 0 < done.count() == numbers.count() and quiet(), page)
    assert page.locator("[data-mime-type='application/vnd.jupyter.error']").count() == 0


def test_jupyterlab_asks_for_its_token(lab):
    page = urllib.request.urlopen(f"{lab}/lab", timeout=60)
    assert "/login" in page.url


def test_jupyterlab_opens_at_the_start_page_and_its_links_work(watched, lab):
    page = watched.page
    page.goto(f"{lab}/?token={TOKEN}", wait_until="commit")
    page.wait_for_selector(".jp-RenderedMarkdown h1:has-text('How capable, and how general?')")
    watched.screenshot("lab_start")
    page.get_by_role("link", name="How far apart are two programs?").click()
    page.wait_for_selector(".jp-RenderedMarkdown h1:has-text('How far apart are two programs?')")


def test_no_question_about_news_covers_the_start_page(watched, tmp_path):
    """With settings as they are after installation; the other tests have answered the question beforehand."""
    shutil.copytree(ROOT / "notebooks", tmp_path / "project" / "notebooks")
    options = ["--ServerApp.port={port}", "--ServerApp.open_browser=False"]
    options += [f"--IdentityProvider.token={TOKEN}", "--allow-root"]
    with server(lab_command(tmp_path / "project"), options, tmp_path, settings={}) as address:
        watched.page.goto(f"{address}/?token={TOKEN}", wait_until="commit")
        watched.page.wait_for_selector(".jp-RenderedMarkdown h1")
        watched.page.wait_for_timeout(5000)
        asked = watched.page.locator(".Toastify__toast").count()
        watched.page.goto("about:blank")  # before its server ends
        assert asked == 0


def test_looking_at_a_notebook_changes_nothing_and_boxes_hide_their_source(watched, lab, lab_root):
    stored = lab_root / "notebooks" / BOXED
    before = stored.stat().st_mtime_ns, stored.read_bytes()
    open_lab(watched, lab, BOXED)
    watched.page.wait_for_timeout(3000)
    assert watched.page.locator(".lm-TabBar-tab.jp-mod-dirty").count() == 0
    boxes = [c for c in json.loads(stored.read_text())["cells"] if c["cell_type"] == "code"]
    boxes = [c for c in boxes if shows_a_box("".join(c["source"]))]
    assert boxes
    assert watched.page.locator(".jp-Cell-inputWrapper .jp-Placeholder").count() == len(boxes)
    watched.page.keyboard.press("Control+s")  # a save without a change
    soon("the save", lambda: stored.stat().st_mtime_ns != before[0], watched.page)
    assert json.loads(stored.read_bytes()) == json.loads(before[1])


@pytest.mark.parametrize("name", IN_LAB)
def test_a_demo_runs_and_follows_its_slider_in_jupyterlab(watched, lab, name):
    open_lab(watched, lab, f"teaching/{name}.ipynb")
    run_all(watched, lab, f"{name}.ipynb")
    predict(watched.page)
    move_first_slider(watched.page)
    watched.screenshot(f"lab_{name}")


def test_the_notebook_for_your_own_data_runs_in_jupyterlab(watched, lab):
    open_lab(watched, lab, ANALYSE)
    run_all(watched, lab, Path(ANALYSE).name)
    assert watched.page.locator(".jp-OutputArea-output img").count() > 0
    watched.screenshot("lab_analyse_your_own")
