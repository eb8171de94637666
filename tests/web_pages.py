"""A Chromium without a network for the tests of our pages: what is asked of another host is written down."""

import base64
import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
needs_chromium = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None and not os.environ.get("GINDEX_LAB_REQUIRE_BROWSER"),
        reason="needs Chromium (Debian: apt install chromium)",
    ),
]


@contextmanager
def browser():
    from playwright.sync_api import sync_playwright

    assert CHROMIUM, "no Chromium, and GINDEX_LAB_REQUIRE_BROWSER asks for these tests"
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


@contextmanager
def watched(chromium, width=1280, height=900, **options):
    """A page off line that must neither complain nor ask another host for anything."""
    context = chromium.new_context(viewport={"width": width, "height": height}, offline=True, **options)
    page, said = context.new_page(), []
    page.on("console", lambda m: said.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda r: leaves(r.url) and said.append(f"asked for {r.url}"))
    yield page
    context.close()
    assert said == []


def axe_source():
    """axe-core, which finds what a screen reader would miss; part of the locked environment, not of ours."""
    import axe_playwright_python

    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")


def complaints(page):
    """What axe finds against WCAG 2.2, levels A and AA: rule, places."""
    page.evaluate(axe_source())
    found = page.evaluate(
        """() => axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })"""
    )
    assert found["passes"], "axe looked at nothing"
    return [(v["id"], [node["html"][:120] for node in v["nodes"]]) for v in found["violations"]]


def leaves(url):
    """Whether an address lies outside this machine's files."""
    return urlsplit(url).scheme not in ("file", "data", "blob", "about")


def module_url(text):
    """A module as an address that a page may import."""
    return "data:text/javascript;base64," + base64.b64encode(text.encode()).decode()
