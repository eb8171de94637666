"""The servers ask for a token and stay small whatever is configured; our pages run no script but ours."""

import asyncio
import contextlib
import copy
import json
import os
import platform
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pandas as pd
import psutil
import pytest
from tornado.web import HTTPError

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.parallel import cluster
from gindex_lab.presentation.pages import policy
from gindex_lab.presentation.widgets import contents, guards, serve
from gindex_lab.press.claim_lines import claims_fold
from gindex_lab.press.reproduction.reports import claims_page, page
from gindex_lab.press.tables import people_table

ROOT = Path(__file__).parents[1]


def test_a_ninth_kernel_is_refused_with_the_reason(monkeypatch):
    manager = guards.FewKernels()
    monkeypatch.setattr(manager, "list_kernel_ids", lambda: ["k"] * guards.MOST_KERNELS)
    with pytest.raises(HTTPError) as caught:
        asyncio.run(manager.start_kernel())
    assert caught.value.status_code == 503


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def status(url, host=None):
    request = urllib.request.Request(url, headers={"Host": host} if host else {})
    try:
        return urllib.request.urlopen(request, timeout=20).status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


def allowed_origin(url):
    """Whose scripts may read the answer; who has the token may do so anyway."""
    request = urllib.request.Request(url, headers={"Origin": "http://evil.example"})
    try:
        return urllib.request.urlopen(request, timeout=20).headers["Access-Control-Allow-Origin"]
    except urllib.error.HTTPError as error:
        return error.headers["Access-Control-Allow-Origin"]


def deleted_by_another_page(url, token):
    """The answer to a request that another page makes with the cookies of somebody who has the token."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    browser.open(f"{url}?token={token}", timeout=20).read()
    try:
        return browser.open(urllib.request.Request(f"{url}/none.txt", method="DELETE")).status
    except urllib.error.HTTPError as error:
        return error.code


def served_without_token(url):
    try:
        with urllib.request.urlopen(url, timeout=20) as answer:
            return "login" not in answer.url
    except urllib.error.HTTPError as error:
        return error.code not in (401, 403)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["lab", "demo"])
def test_a_configuration_cannot_take_the_token_away(what, tmp_path):
    config = {"token": "", "password": "", "allow_remote_access": True, "ip": "0.0.0.0"}
    config |= {"allow_origin": "*", "allow_origin_pat": ".*", "disable_check_xsrf": True}
    config |= {"allow_credentials": True, "allow_unauthenticated_access": True}
    for name in ("jupyter_server_config", "jupyter_lab_config", "voila"):
        parts = {
            "ServerApp": config,
            "IdentityProvider": {"token": ""},
            "Voila": {"token": ""} | config,
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(parts))
    port = free_port()
    command = [sys.executable, "-m", "gindex_lab.presentation.widgets.serve", what]  # as make does
    option = "--ServerApp.port" if what == "lab" else "--Voila.port"
    environment = os.environ | {"JUPYTER_CONFIG_DIR": str(tmp_path)}
    running = subprocess.Popen(
        [*command, f"{option}={port}", "--no-browser", *(["--allow-root"] if what == "lab" else [])],
        env=environment, cwd=ROOT, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}/" + ("api/contents" if what == "lab" else "")
    patience = threading.Timer(120, running.kill)  # a server without a token never says one
    patience.start()
    try:
        token = None
        while token is None:
            line = running.stderr.readline()
            assert line, "the server ended"
            token = (re.findall(r"token=([0-9a-f]{48})", line) or [None])[0]
        while status(f"{url}?token={token}") is None:
            time.sleep(0.2)
        assert status(f"{url}?token={token}") == 200
        assert status(f"{url}?token={token}", host="evil.example") == 403
        assert not served_without_token(url)
        assert listeners(psutil.Process(running.pid)) <= {"127.0.0.1", "::1"}
        assert allowed_origin(f"{url}?token={token}") != "*"
        assert deleted_by_another_page(url, token) == (403 if what == "lab" else 404)
        assert token not in " ".join(psutil.Process(running.pid).cmdline())
    finally:
        patience.cancel()
        running.terminate()
        running.wait(30)


@pytest.mark.parametrize("given", ["--ip=0.0.0.0", "--ServerApp.ip=0.0.0.0", "--Voila.ip", "--no-token"])
@pytest.mark.parametrize("what", ["lab", "demo"])
def test_options_that_would_open_the_server_are_refused(what, given):
    with pytest.raises(BadInput) as caught:
        serve.main([what, "--port=8999", given, "0.0.0.0"])
    assert (caught.value.argument, caught.value.code) == ("ARGS", "not-allowed")


def listeners(process):
    """The addresses that a process and its children listen on; a child may end while we look."""
    found = process.net_connections("inet")
    for child in process.children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            found += child.net_connections("inet")
    addresses = {one.laddr.ip for one in found if one.status == psutil.CONN_LISTEN}
    assert addresses, "nothing listens"
    return addresses


def test_a_local_cluster_listens_on_this_machine_only():
    with cluster("local", workers=1):
        assert listeners(psutil.Process()) <= {"127.0.0.1", "::1"}


def test_pages_carry_a_policy_that_names_their_scripts_by_hash():
    ledger = claims_page([])
    (script,) = re.findall(r"<script>(.*?)</script>", ledger, re.DOTALL)
    assert policy([script]).replace("'", "&#39;") in ledger
    assert not re.findall(r"<[^>]+\son\w+=", ledger)
    plain = page("glossary.html.j2", title="t", terms=[], there={}, up="", here="")
    assert "script-src &#39;none&#39;" in plain
    assert "default-src &#39;none&#39;" in plain


def test_what_is_put_into_a_notebook_for_reading_is_not_stored():
    box = {"cell_type": "code", "source": "nb.found('x')", "metadata": {}}
    plain = {
        "cell_type": "code",
        "source": "x = 1",
        "metadata": {"jupyter": {"source_hidden": True}},
    }
    kernel = {"name": "python3", "display_name": "Python 3"}
    stored = {
        "cells": [box, plain],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
    }
    read = copy.deepcopy(stored)
    contents.for_reading(read)
    assert read["metadata"]["language_info"]["version"] == platform.python_version()
    assert read["cells"][0]["metadata"] == {"jupyter": {"source_hidden": True}}
    contents.for_storing(read, stored["metadata"])
    assert read == stored


def test_a_notebook_of_another_language_stays_as_it_is():
    notebook = {
        "cells": [],
        "metadata": {"kernelspec": {"name": "ir"}, "language_info": {"name": "R"}},
    }
    read = copy.deepcopy(notebook)
    contents.for_reading(read)
    contents.for_storing(read)
    assert read == notebook


def test_what_comes_from_data_is_text_on_a_page():
    evil = '"><script>alert(1)</script>'
    table = pd.DataFrame({evil: [evil, "a"]}, index=pd.Index([evil, "b"], name=evil))
    made = [people_table(table, link=evil), claims_fold([], evil), page("glossary.html.j2", title=evil, terms=[], there={}, up="", here="")]  # fmt: skip
    assert [text for text in made if "<script>alert" in text] == []
    assert [text.count("&lt;script&gt;alert") > 0 for text in made] == [True] * 3
