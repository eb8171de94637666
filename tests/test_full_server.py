"""Twenty students open a demo at once: eight kernels, no more, and a clear page for the others."""

import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from test_browser import CHROMIUM, FLAGS, ROOT, TEACHING, TOKEN, Watched, server, soon

from gindex_lab.presentation.widgets.guards import MOST_KERNELS
from gindex_lab.presentation.widgets.serve import demo_command

MOST_MEMORY = 500 * 2**20  # of one kernel; measured: 110 to 230 MB


def opened(url):
    """The status and the text of a page."""
    try:
        with urllib.request.urlopen(url, timeout=300) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def kernels():
    """The kernels below this process."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            found += [process] if "ipykernel_launcher" in process.cmdline() else []
        except psutil.Error:
            continue
    known = {process.pid for process in found}  # a kernel that starts a program looks like two at first
    return [process for process in found if parent(process) not in known]


def parent(process):
    try:
        return process.ppid()
    except psutil.Error:
        return None


def full_page(address):
    """What a browser shows to the one who comes too late, and the requests that it makes elsewhere."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        watch = Watched(browser.new_page(viewport={"width": 1280, "height": 700}))
        watch.page.goto(address)
        text = watch.page.inner_text("body")
        watch.screenshot("voila_full", 700)
        browser.close()
    return text, watch.outside


@pytest.mark.slow
def test_twenty_sessions_share_eight_kernels_and_the_others_are_told(tmp_path):
    options = ["--port={port}", "--Voila.open_browser=False", f"--token={TOKEN}"]
    with server(demo_command(ROOT), options, tmp_path) as address:
        urls = [
            f"{address}/voila/render/{TEACHING[i % len(TEACHING)]}.ipynb?token={TOKEN}" for i in range(20)
        ]
        most = 0
        with ThreadPoolExecutor(20) as pool:
            futures = [pool.submit(opened, url) for url in urls]
            while not all(future.done() for future in futures):
                most = max(most, len(kernels()))
                time.sleep(0.5)  # to count without pause took one of two cores from what is counted
        answers = [future.result() for future in futures]
        memory = [kernel.memory_full_info().uss for kernel in kernels()]
        print(f"MB of each kernel's own: {sorted(one >> 20 for one in memory)}")
        told = [text for status, text in answers if status == 503]
        assert sorted({status for status, _ in answers}) == [200, 503]
        assert len(answers) - len(told) == MOST_KERNELS == most
        assert all("All places are taken" in text and "//" not in text for text in told)
        assert max(memory) < MOST_MEMORY
        if CHROMIUM:
            text, outside = full_page(urls[0])
            assert "Close the tab of a demo" in text
            assert outside == []
    soon("the kernels to end", lambda: not kernels())
