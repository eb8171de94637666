"""JupyterLab and the Voilà demos in a real Chromium: what a student sees works, and asks nothing of the network.

The servers are started by the command that `make lab` and `make demo` run, on a free port of the loopback,
with folders of their own for settings, data and workspaces. A request that would leave this machine is refused
and recorded, and so is every error on the console; both lists must be empty. `GINDEX_LAB_SCREENSHOTS` names a
folder for the pictures; `GINDEX_LAB_REQUIRE_BROWSER` makes an absent browser a failure.
"""

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from gindex_lab.widgets.serve import demo_command, environment, lab_command

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
TEACHING = sorted((ROOT / "notebooks" / "teaching").glob("*.ipynb"))

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.xdist_group("browser"),
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


def own_folders(folder):
    """Jupyter's folders below a temporary one: nothing of the user's is read or changed."""
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    lab = ("JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR")
    for plugin, values in SETTINGS.items():
        path = folder / "JUPYTERLAB_SETTINGS_DIR" / "@jupyterlab" / f"{plugin}.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(values))
    return {name: str(folder / name) for name in (*names, *lab)} | {"HOME": str(folder)}


@contextmanager
def server(command, options, folder):
    """A server that answers; its address. It is ended by its own id."""
    port = free_port()
    env = environment(os.environ) | own_folders(folder) | {"OPENBLAS_NUM_THREADS": "1"}
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
def lab(tmp_path_factory):
    """The address of a JupyterLab on a copy of the notebooks: a run saves nothing in the project."""
    folder = tmp_path_factory.mktemp("lab")
    root = folder / "project"
    shutil.copytree(ROOT / "notebooks", root / "notebooks")
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

    def screenshot(self, name):
        folder = os.environ.get("GINDEX_LAB_SCREENSHOTS")
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


@pytest.fixture
def watched(chromium):
    """A fresh page of 1280 x 900; afterwards there must be no console error and no step outside."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    watch = Watched(context.new_page())
    yield watch
    context.close()
    assert watch.errors == []
    assert watch.outside == []


def picture(page):
    """The `src` of the demo's figure, and the numbers beside it."""
    page.wait_for_selector(".gl-picture")
    page.wait_for_selector(".gl-numbers")
    return page.locator(".gl-picture").first.get_attribute("src"), page.locator(".gl-numbers").first.inner_text()


def move_first_slider(page, key="ArrowDown", times=3):
    """Drag by keyboard, and wait until figure and numbers have followed."""
    src, numbers = picture(page)
    handle = page.locator(".noUi-handle").first
    handle.scroll_into_view_if_needed()
    handle.focus()
    for _ in range(times):
        handle.press(key)
    soon("another figure", lambda: picture(page)[0] != src, page)
    soon("other numbers", lambda: picture(page)[1] != numbers, page)


# -- Voilà ----------------------------------------------------------------------------------------------


def open_voila(watched, address, name):
    watched.page.goto(f"{address}/voila/render/{name}.ipynb?token={TOKEN}", wait_until="commit")


def test_without_a_token_voila_serves_no_demo(voila):
    page = urllib.request.urlopen(f"{voila}/voila/render/{TEACHING[0].name}", timeout=60)
    assert "/login" in page.url
    assert "gl-picture" not in page.read().decode()


def test_voila_lists_every_demo(watched, voila):
    watched.page.goto(f"{voila}/?token={TOKEN}", wait_until="commit")
    watched.page.wait_for_selector("li a")
    assert watched.page.locator("li a").count() == len(TEACHING)
    watched.screenshot("voila_list")


def test_a_slider_moves_figure_and_numbers_in_voila(watched, voila):
    open_voila(watched, voila, "session1_shape_a_curve")
    move_first_slider(watched.page)
    watched.screenshot("voila_session1_shape_a_curve")


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
    """Run all cells by the menu, and wait until each has its number."""
    page = watched.page
    page.locator("#jp-MainMenu").get_by_text("Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    cells = page.locator(".jp-CodeCell").count()
    done = page.locator(".jp-CodeCell .jp-InputArea-prompt").filter(has_text="]:").filter(has_not_text="*")
    done = done.filter(has_not_text="[ ]")
    soon(f"{cells} cells to run", lambda: done.count() == cells and idle(address, name), page)
    assert page.locator(".jp-RenderedText[data-mime-type='application/vnd.jupyter.stderr']").count() == 0


def test_a_slider_moves_figure_and_numbers_in_jupyterlab(watched, lab):
    open_lab(watched, lab, "teaching/session1_shape_a_curve.ipynb")
    run_all(watched, lab, "session1_shape_a_curve.ipynb")
    move_first_slider(watched.page)
    watched.screenshot("lab_session1_shape_a_curve")
