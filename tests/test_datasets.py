"""gl.load and its kin: where data are looked for, what they become, and what is refused."""

import contextlib
import dataclasses
import errno
import hashlib
import http.server
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from digests import digest
from loops import looped
from refusals import refused

import gindex_lab as gl
from gindex_lab.foundation import places
from gindex_lab.foundation.documents import Documents
from gindex_lab.foundation.errors import BadInput, DataUnavailable
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.studies.data import download, registry
from gindex_lab.studies.data import loading as data
from gindex_lab.studies.data.loading import (
    corrections,
    datasets,
    fetch,
    fingerprint,
    load,
    load_or,
    where,
)
from gindex_lab.studies.data.registry import write_checksums
from gindex_lab.studies.own_experiments import stand_ins

SHAPES = {
    "mazes": (496, 23),
    "ctest": (60, 35),
    "ale": (24, 45),
    "gvgai": (23, 245),
    "gvgai_grouped5": (23, 49),
    "openml": (478, 150),
    "lambda": (2, 140),
    "chess_Reykjavik2005": (12, 12),
    "chess_Leiden2015": (9, 9),
    "herrmann": (3, 6),
    "demo": (2, 24),
    "lyptus": (16, 291),
    "lyptus_model_minutes": (16, 631),
    "lyptus_2025": (9, 525),
    "swebench_134": (134, 500),
    "animal_ai": (40, 4202),
}
WRONG = [123.7, 57196.7, 53318.7, 1852.7, 888.3, 647.8]
RIGHT = [23.1, 17.6, 219.5, 59.92, 35.73, 31.06]


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    """No data folder, an empty cache, no memory of failures, and no way out of this machine."""
    monkeypatch.delenv("GINDEX_LAB_DATA", raising=False)
    monkeypatch.setenv("GINDEX_LAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GINDEX_LAB_OFFLINE", "1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    download.forget_failures()
    yield
    download.forget_failures()


@pytest.fixture
def tidy_data(shared, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_DATA", str(shared / "datasets"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty data folder."""
    path = tmp_path / "data"
    path.mkdir()
    monkeypatch.setenv("GINDEX_LAB_DATA", str(path))
    return path


class Server:
    """The authors' repository, on this machine: a folder that is served, and what was asked of it.

    `answers` are functions of the request that answer instead of the folder, one request each; `ranges` are
    the Range headers that came.
    """

    def __init__(self, root, monkeypatch):
        self.root, self.asked, self.answers, self.ranges = root, [], [], []
        root.mkdir()
        asked, answers, ranges = self.asked, self.answers, self.ranges

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *args):
                super().__init__(*args, directory=str(root))

            def do_GET(self):
                asked.append(self.path)
                ranges.append(self.headers.get("Range"))
                answers.pop(0)(self) if answers else super().do_GET()

            def log_message(self, *args):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.http.server_port}/"
        self._monkeypatch = monkeypatch
        self._known = dict(registry.entries())
        monkeypatch.setattr(registry, "entries", lambda: self._known)
        monkeypatch.setattr(data, "entries", lambda: self._known)
        monkeypatch.delenv("GINDEX_LAB_OFFLINE")

    def register(self, name, served, **changes):
        """Serve these files (path -> bytes) as the originals of `name`."""
        for path, content in served.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_bytes(content)
        sums = {path: hashlib.sha256(content).hexdigest() for path, content in served.items()}
        self._known[name] = dataclasses.replace(
            self._known[name], **({"url": self.url, "files": sums} | changes)
        )

    def close(self):
        self.http.shutdown()
        self.http.server_close()
        self.thread.join(5)


@pytest.fixture
def server(tmp_path, monkeypatch):
    served = Server(tmp_path / "served", monkeypatch)
    yield served
    served.close()


def chess_zip(table="No,Name,1,2,3,Score\n1,a,NA,1,0.5,1.5\n2,b,0,NA,1,1\n3,c,0.5,0,NA,0.5\n"):
    import io

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("chess.data/Leiden2015.csv", table)
    return buffer.getvalue()


SMALL = {"agents": 3, "items": 3}
FIG1 = {  # the matrix that the paper prints in Figure 1
    "agent a": "1,1,1,0,1,1,1,0,1,1,0,0,1,1,1,0,1,1,0,0,1,1,0,0",
    "agent b": "1,1,1,1,1,1,1,1,1,0,1,1,1,1,1,1,0,0,0,0,0,0,0,0",
}


def write_demo(folder):
    """Figure 1 in the tidy form: six tasks in four domains, two tasks of each difficulty."""
    items = [f"i{k + 1:02}" for k in range(24)]
    parts = {
        "responses": [
            ",".join(["agent", *items]),
            *(f"{name},{row}" for name, row in FIG1.items()),
        ],
        "items": ["item,difficulty,task,domain"]
        + [f"{item},{k // 8},mu{k // 4 + 1},{'ABCD'[k % 4]}" for k, item in enumerate(items)],
        "agents": ["agent", *FIG1],
    }
    (folder / "demo").mkdir()
    for part, lines in parts.items():
        (folder / "demo" / f"{part}.csv").write_text("\n".join(lines) + "\n")


def tree(path):
    return sorted(str(p.relative_to(path)) for p in path.rglob("*")) if path.exists() else []


# -- what is loaded ------------------------------------------------------------------------------


@looped("name", SHAPES)
@pytest.mark.shared
def test_every_set_has_its_published_shape(name, tidy_data):
    table = load(name)
    assert table.shape == SHAPES[name]
    assert type(table).__name__ == registry.entry(name).kind
    assert (table.name, table.source) == (name, "published")
    assert len(table.citation) > 20
    assert table.licence


def test_figure_1_is_the_demonstration_of_the_authors(folder, beside):
    write_demo(folder)
    for part, theirs in {
        "responses": "2fdacf4cfd539763", "items": "05569adfdafc930a", "agents": "abf0ced2812d09ba",
    }.items():  # fmt: skip
        ours = pd.read_csv(folder / "demo" / f"{part}.csv")
        if beside:
            stored = pd.read_csv(beside / "datasets" / "demo" / f"{part}.csv")
            pd.testing.assert_frame_equal(ours, stored)
        assert digest([list(ours), ours.to_numpy().tolist()]) == theirs


@pytest.mark.shared
def test_difficulties_and_families_come_from_the_register(tidy_data, shared):
    for name, column in {
        "mazes": "difficulty",
        "ctest": "difficulty",
        "demo": "difficulty",
        "openml": "KDN",
        "lambda": "diff2",
    }.items():
        items = pd.read_csv(shared / "datasets" / name / "items.csv", index_col="item")
        pd.testing.assert_series_equal(load(name).difficulty, items[column].astype(float), check_names=False)
    assert load("ale").difficulty is None
    assert {"TD_U", "KDN"} <= set(load("openml").items.columns)
    assert load("openml").with_difficulty("TD_U").difficulty.max() > 1
    assert load("gvgai").family.nunique() == 49
    assert load("demo").family.nunique() == 6
    assert load("herrmann").family.nunique() == 2


@pytest.mark.shared
def test_agents_keep_what_is_known_of_them(tidy_data):
    iris = load("openml")
    assert iris.frame.index.tolist() == list(range(1, 479))
    assert list(iris.agents.columns) == ["agent", "kind", "accuracy", "kept"]
    assert iris.agents["kept"].sum() == 419
    assert not iris.agents["agent"].is_unique
    assert load("ale").agents.loc["human.noop", "start_date_used"] == "2000-01-01"
    assert load("herrmann").items.loc["Space", ["human_mean", "human_sd"]].tolist() == [
        0.71,
        pytest.approx(0.11786),
    ]


@pytest.mark.shared
def test_chess_leaves_the_diagonal_missing(tidy_data):
    for name in ("chess_Leiden2015", "chess_Reykjavik2005"):
        values = load(name).values
        assert np.isnan(np.diag(values)).all()
        assert np.isnan(values).sum() == len(values)
        played = ~np.eye(len(values), dtype=bool)
        np.testing.assert_array_equal((values + values.T)[played], 1)


@pytest.mark.shared
def test_summaries_of_the_scores_are_left_out_so_that_none_is_stale(tidy_data):
    assert list(load("ale").items.columns) == ["r_name"]
    assert list(load("gvgai").items.columns) == ["game", "level", "family"]


@pytest.mark.shared
def test_programs_experiments_and_tables_are_documents(tidy_data):
    programs, experiments = load("g-index-programs"), load("g-index-experiments")
    assert isinstance(programs, Documents)
    assert len(programs) == 16
    assert sum(map(len, programs.values())) == 32
    assert programs["http"]["http-00dcbf.json"]["flow"][0]["type"] == "http in"
    assert len(experiments) == 8
    assert experiments["GPT2-345M_1"]["model"]["name"] == "GPT2"
    tables = load("aiq_published")
    assert len(tables) == 8
    scores = tables["05-Experiment_Results_SDP"]
    assert scores.shape == (125, 8)
    assert scores.loc[5, ["agent", "configuration"]].tolist() == ["H_l", "0.0,0.0,0.95,0.04,0.7"]
    counts = tables["00-SemAnEP_original_test-results"].set_index(["section", "Characteristics"])
    assert counts.loc[("Chance", "instruction is present:"), "BF(5-1)"] == 152917
    tests = tables["06-Results_Analysis_SEP"]
    assert tests["section"].nunique() == 2
    assert tests["delta"].iloc[4] == 1.516
    assert tables["07-Results_Analysis_SDP"]["delta"].iloc[-1] == -8.676
    assert programs.source == "published"
    assert "2109.12075" in programs.citation


def test_programs_in_the_data_folder_go_first(folder):
    place = folder / "g-index-programs" / "http"
    place.mkdir(parents=True)
    flow = [{"id": "a", "type": "http in", "wires": []}]
    (place / "one.json").write_text(json.dumps({"prompt": "listen", "flow": flow}))
    assert list(load("g-index-programs")) == ["http"]


# -- corrections ---------------------------------------------------------------------------------


def write_atari(folder):
    """A made-up table with the systems and the game whose published scores are corrected."""
    made = stand_ins.atari(1)
    names = [name for name in corrections("ale")["agent"] if name not in made.frame.index]
    renamed = dict(zip(made.frame.index, names, strict=False))
    frame = made.frame.rename(index=renamed, columns={"game 01": "Bowling"})
    Scores(frame, agents=made.agents.rename(index=renamed)).save(folder / "ale")


@pytest.mark.parametrize("held", ["source", "corrected"])
def test_bowling_is_corrected_or_as_published_whichever_the_folder_holds(held, folder):
    write_atari(folder)
    cells = corrections("ale")
    path = folder / "ale" / "responses.csv"
    table = pd.read_csv(path, index_col=0)
    for cell in cells.itertuples():
        table.loc[cell.agent, cell.item] = getattr(cell, held)
    table.to_csv(path)
    exact, reference = load("ale").frame, load("ale", mode="reference").frame
    assert exact.loc[cells.agent, "Bowling"].tolist() == RIGHT
    assert reference.loc[cells.agent, "Bowling"].tolist() == WRONG
    assert (exact != reference).sum().sum() == 6
    assert load("ale", fixes=False).frame.equals(reference)
    assert load("ale", mode="reference", fixes=True).frame.equals(exact)


def test_corrections_are_listed_with_their_reason():
    table = corrections("ale")
    assert table["source"].tolist() == WRONG
    assert table["corrected"].tolist() == RIGHT
    assert table["why"].str.contains("Berzerk").all()
    assert corrections("mazes").empty


@pytest.mark.shared
def test_wrong_bowling_scores_are_berzerk_scores_of_the_same_source(shared):
    """The authors' wider table, inside the archive, tells Berzerk and Bowling apart."""
    with zipfile.ZipFile(shared / "originals/generality/ale.data.zip") as archive:
        wide = pd.read_csv(archive.open("ale.data/not-used/ALE_all_EFF.csv"), index_col=0)
    assert "Berzerk" in wide
    assert wide["Bowling"].max() < 300
    assert min(WRONG) > 100
    assert max(RIGHT) < 300


@pytest.mark.shared
def test_grouped_levels_follow_the_mode(tidy_data, shared):
    published = pd.read_csv(shared / "datasets/gvgai_grouped5/responses.csv", index_col=0)
    reference = load("gvgai_grouped5", mode="reference")
    np.testing.assert_array_equal(reference.values, published.to_numpy())
    exact = load("gvgai_grouped5")
    np.testing.assert_allclose(exact.values, published.to_numpy(), atol=1e-9)
    assert (exact.frame.nunique().sum(), reference.frame.nunique().sum()) == (937, 946)
    assert exact.items["n_levels"].eq(5).all()


# -- looking -------------------------------------------------------------------------------------


def test_the_list_says_what_is_here(folder):
    table = datasets()
    assert table.index.tolist() == table["name"].tolist() == list(registry.entries())
    assert not table["available"].any()
    assert table.loc["ale", "where"].startswith("to download from the authors' repository")
    assert "permission" in table.loc["odour_span", "where"]
    assert table["citation"].str.len().min() > 20
    assert not table.isna().any(axis=None)
    assert not table["citation"].str.contains("[{}]", regex=True).any()


@pytest.mark.shared
def test_the_list_finds_the_data_folder(tidy_data, shared):
    table = datasets()
    here = table.index[table["available"]]
    not_public = {"odour_span", "object_recognition", "orangutans"}
    assert set(table.index) - set(here) == not_public | {"metr_th1", "metr_swebench"}
    assert where("ale") == f"data folder: {shared / 'datasets' / 'ale'}"
    assert where("g-index-programs").endswith("originals/g-index-benchmark/domains")


def test_fingerprint_follows_the_content(folder):
    assert fingerprint("demo") == "absent"
    write_demo(folder)
    first = fingerprint("demo")
    assert first.endswith("(data folder)")
    assert fingerprint("demo") == first
    path = folder / "demo" / "items.csv"
    path.write_text(path.read_text().replace("mu1", "mu9"))
    assert fingerprint("demo") != first


def test_fingerprint_of_a_derived_set_is_its_origin(folder):
    stand_ins.video_games(1).save(folder / "gvgai")
    write_atari(folder)
    assert fingerprint("gvgai_grouped5") == fingerprint("gvgai") != fingerprint("ale")


def test_own_table_is_loaded_where_permission_is_needed(folder):
    rats = Responses([[1, 0.5], [1, 1]], difficulty=[2, 4])
    rats.save(folder / "odour_span")
    loaded = load("odour_span")
    assert loaded.shape == (2, 2)
    assert loaded.difficulty.tolist() == [2, 4]
    assert "April" in loaded.citation
    Scores([[1, 2.5]]).save(folder / "orangutans")
    assert load("orangutans").difficulty is None


# -- the stand-in ----------------------------------------------------------------------------------


def ours():
    return Responses([[1, 0]], source="own experiment")


def test_stand_in_is_used_without_the_data():
    assert load_or("mazes", ours).source == "own experiment"


def test_published_data_go_before_the_stand_in(folder):
    write_demo(folder)
    assert load_or("demo", ours).source == "published"
    assert load_or("demo", ours, data="stand-in").source == "own experiment"
    assert load_or("demo", ours, mode="reference").frame.loc["agent a", "i04"] == 0


def test_damaged_data_are_not_hidden_by_the_stand_in(folder):
    (folder / "demo").mkdir()
    with refused("demo: no-file"):
        load_or("demo", ours)


def test_failed_network_is_tried_once(monkeypatch):
    monkeypatch.delenv("GINDEX_LAB_OFFLINE")
    attempts = []

    import requests

    def unreachable(url, timeout, **rest):
        assert timeout[0] <= 5
        attempts.append(url)
        raise requests.exceptions.ConnectionError("no route")

    monkeypatch.setattr(requests, "get", unreachable)
    for name in ("mazes", "ale", "g-index-programs"):
        assert load_or(name, ours).source == "own experiment"
    assert len(attempts) == 1
    with refused("name: not-downloaded", DataUnavailable):
        load("ctest")
    outcome = fetch()
    assert len(attempts) == 2
    assert all(text.startswith("unavailable: ") for text in outcome.values())


def test_timeout_of_a_silent_server_is_short(monkeypatch, server):
    silent = socket.socket()
    silent.bind(("127.0.0.1", 0))
    silent.listen(1)
    monkeypatch.setattr(download, "TIMEOUT", (0.3, 0.3))
    monkeypatch.setattr(download, "PAUSE", 0.01)
    address = f"http://127.0.0.1:{silent.getsockname()[1]}/"
    server.register("chess_Leiden2015", {"c.zip": chess_zip()}, url=address, **SMALL)
    started = time.monotonic()
    with refused("c.zip of chess_Leiden2015: unreachable", DataUnavailable) as caught:
        load("chess_Leiden2015")
    assert time.monotonic() - started < 3
    assert caught.value.__suppress_context__  # one line says it, not ninety of three libraries
    silent.close()


# -- downloading ---------------------------------------------------------------------------------


def test_download_is_checked_converted_and_cached(server, tmp_path):
    server.register("chess_Leiden2015", {"c.zip": chess_zip()}, **SMALL)
    assert fingerprint("chess_Leiden2015") == "absent"
    table = load("chess_Leiden2015")
    assert table.frame.index.tolist() == ["a", "b", "c"]
    assert table.frame.loc["a", "c"] == 0.5
    assert table.source == "published"
    assert where("chess_Leiden2015").startswith(f"cache: {tmp_path / 'cache'}")
    assert fingerprint("chess_Leiden2015").endswith("(cache)")
    again = load("chess_Leiden2015")
    assert again.frame.equals(table.frame)
    assert server.asked == ["/c.zip"]
    names = {p.name for p in (tmp_path / "cache").rglob("*") if p.is_file()}
    assert names == {".gindex_lab", "SHA256SUMS", "responses.csv", "items.csv", "agents.csv"}


@pytest.mark.parametrize("change", ["number", "empty", "gone", "list", "no list", "added", "bytes"])
def test_a_tampered_cache_does_not_load_as_published(change, server, tmp_path, monkeypatch):
    server.register("chess_Leiden2015", {"c.zip": chess_zip()}, **SMALL)
    table = load("chess_Leiden2015")
    (file,) = (tmp_path / "cache").rglob("responses.csv")
    listed = file.with_name("SHA256SUMS")
    changes = {
        "number": lambda: file.write_text(file.read_text().replace("0.5", "1.0")),
        "empty": lambda: file.write_text(""),
        "gone": file.unlink,
        "list": lambda: listed.write_text("0" * 64 + "  responses.csv\n"),
        "no list": listed.unlink,
        "added": lambda: file.with_name("trials.csv").write_text("agent,item,response\n"),
        "bytes": lambda: listed.write_bytes(b"\xff\0"),
    }
    changes[change]()
    monkeypatch.setenv("GINDEX_LAB_OFFLINE", "1")
    with pytest.raises(DataUnavailable):
        load("chess_Leiden2015")
    monkeypatch.delenv("GINDEX_LAB_OFFLINE")
    if change == "added":  # somebody's file: it is not deleted
        with pytest.raises(DataUnavailable) as caught:
            load("chess_Leiden2015")
        assert caught.value.code == "damaged-cache"
        return
    again = load("chess_Leiden2015")  # fetched anew
    assert again.frame.equals(table.frame)
    assert again.source == "published"
    assert len(server.asked) == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize("kind", ["pipe", "loop", "leads nowhere"])
@pytest.mark.parametrize("name", ["responses.csv", "SHA256SUMS", "new.csv"])
def test_what_is_no_file_in_the_cache_is_neither_waited_for_nor_raw(name, kind, server, tmp_path):
    server.register("chess_Leiden2015", {"c.zip": chess_zip()}, **SMALL)
    table = load("chess_Leiden2015")
    (file,) = (tmp_path / "cache").rglob("responses.csv")
    odd = file.with_name(name)
    odd.unlink(missing_ok=True)
    makes = {
        "pipe": os.mkfifo,
        "loop": lambda p: p.symlink_to(p),
        "leads nowhere": lambda p: p.symlink_to("no"),
    }
    makes[kind](odd)
    ended = []

    def again():
        try:
            ended.append(load("chess_Leiden2015").frame.equals(table.frame))
        except DataUnavailable as error:
            ended.append(error.code == "damaged-cache")

    thread = threading.Thread(target=again, daemon=True)
    thread.start()
    thread.join(20)
    assert ended == [True]


def endless(request):
    request.send_response(200)
    request.end_headers()
    with contextlib.suppress(OSError):
        while True:
            request.wfile.write(b"x" * 2**16)


def test_a_server_that_never_ends_or_knows_no_range_is_refused(server):
    server.register("chess_Leiden2015", {"c.zip": chess_zip()}, **SMALL)
    server.answers[:] = [endless]
    with gl.limits(document=2**20), refused("url: too-large"):
        load("chess_Leiden2015")
    server.answers[:] = [fails(416)] * 3
    with refused("c.zip of chess_Leiden2015: server-error", DataUnavailable):
        load("chess_Leiden2015")


def test_no_room_for_temporary_files_is_said(server, monkeypatch):
    server.register("chess_Leiden2015", {"c.zip": chess_zip()}, **SMALL)
    with monkeypatch.context() as patched:
        patched.setattr(tempfile, "tempdir", "/proc/nowhere")
        with pytest.raises(gl.CannotWrite) as caught:
            load("chess_Leiden2015")
        assert caught.value.argument == "TMPDIR"

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(download, "_rest", full)
    with refused("TMPDIR: disk-full", gl.CannotWrite):
        load("chess_Leiden2015")


@pytest.mark.shared
def test_cached_original_gives_what_the_data_folder_gives(server, shared, monkeypatch):
    for name in ("ale", "chess_Reykjavik2005", "gvgai", "lambda", "openml"):
        (file,) = registry.entry(name).files
        content = (shared / "originals/generality" / file).read_bytes()
        server.register(name, {file: content})
    cached = {n: load(n) for n in ("ale", "chess_Reykjavik2005", "gvgai", "lambda", "openml")}
    cached["gvgai_grouped5"] = load("gvgai_grouped5")
    monkeypatch.setenv("GINDEX_LAB_DATA", str(shared / "datasets"))
    for name, table in cached.items():
        there = load(name)
        pd.testing.assert_frame_equal(table.frame, there.frame, check_exact=True)
        pd.testing.assert_frame_equal(table.items, there.items, check_like=True)
        pd.testing.assert_frame_equal(table.agents, there.agents, check_like=True)


def test_programs_are_downloaded_file_by_file(server):
    flow = [{"id": "a", "type": "http in", "wires": []}]
    program = json.dumps({"prompt": "listen", "flow": flow}).encode()
    files = {f"domains/http/{name}.json": program for name in ("one", "two")}
    server.register("g-index-programs", files)
    programs = load("g-index-programs")
    assert list(programs) == ["http"]
    assert len(programs["http"]) == 2
    assert len(server.asked) == 2


def test_fetch_says_what_happened(server, tmp_path):
    server.register("chess_Leiden2015", {"c.zip": chess_zip()}, **SMALL)
    first = fetch("chess_Leiden2015")
    second = fetch(["chess_Leiden2015"])
    assert first["chess_Leiden2015"].startswith(f"downloaded to {tmp_path / 'cache'}")
    assert second["chess_Leiden2015"].startswith("already here, cache: ")


def test_new_pinned_hash_makes_the_cache_void(server):
    server.register("chess_Leiden2015", {"c.zip": chess_zip()}, **SMALL)
    load("chess_Leiden2015")
    other = chess_zip("No,Name,1,2,3,Score\n1,x,NA,1,1,2\n2,y,0,NA,1,1\n3,z,0,0,NA,0\n")
    server.register("chess_Leiden2015", {"c.zip": other}, **SMALL)
    assert load("chess_Leiden2015").frame.index.tolist() == ["x", "y", "z"]


def test_another_process_may_be_faster(server, monkeypatch):
    """Both convert the same bytes: who comes second uses what the first one made."""
    server.register("chess_Leiden2015", {"c.zip": chess_zip()}, **SMALL)
    fill = data._fill

    def refuse(path, target):
        raise OSError(39, "Directory not empty")

    def slow(what, originals, new):
        fill(what, originals, new)
        target = registry.cached_path(what)
        target.mkdir()
        fill(what, originals, target)
        write_checksums(target)
        monkeypatch.setattr(Path, "replace", refuse)

    monkeypatch.setattr(data, "_fill", slow)
    assert load("chess_Leiden2015").shape == (3, 3)


# -- what is refused, and that nothing is left behind --------------------------------------------


def broken_downloads():
    whole = chess_zip()
    odd = chess_zip("No,Name,1,Score\n1,a,NA,0\n2,b,1,1\n")
    return {
        "corrupt": (
            whole[:50] + b"x" + whole[51:],
            whole,
            DataUnavailable,
            "c.zip of chess_Leiden2015: wrong-checksum",
        ),
        "truncated": (
            whole[:-40],
            whole,
            DataUnavailable,
            "c.zip of chess_Leiden2015: wrong-checksum",
        ),
        "replaced by a page": (
            b"<html>",
            whole,
            DataUnavailable,
            "c.zip of chess_Leiden2015: wrong-checksum",
        ),
        "pinned but no zip": (b"<html>", b"<html>", BadInput, "archive: damaged"),
        "pinned but cut": (whole[:-40], whole[:-40], BadInput, "archive: damaged"),
        "pinned, other layout": (odd, odd, BadInput, "archive: not-a-round-robin"),
    }


@pytest.mark.parametrize("case", broken_downloads())
def test_broken_download_is_refused_and_leaves_nothing(case, server, tmp_path):
    sent, pinned, error, message = broken_downloads()[case]
    server.register("chess_Leiden2015", {"c.zip": sent}, **SMALL)
    digest = hashlib.sha256(pinned).hexdigest()
    server.register("chess_Leiden2015", {"c.zip": sent}, files={"c.zip": digest}, **SMALL)
    with refused(message, error):
        load("chess_Leiden2015")
    assert [p for p in (tmp_path / "cache").rglob("*") if p.is_file()] == []
    assert where("chess_Leiden2015").startswith("to download")


def test_missing_remote_file_says_404_and_leaves_nothing(server, tmp_path):
    server.register("chess_Leiden2015", {}, files={"gone.zip": "0" * 64}, **SMALL)
    with refused("gone.zip of chess_Leiden2015: server-error", DataUnavailable):
        load("chess_Leiden2015")
    assert tree(tmp_path / "cache") == []


WHOLE = chess_zip()  # once: an archive holds the time at which it was made


def fails(status):
    return lambda request: request.send_error(status)


def breaks_off(content, after):
    """Promises all of it, and hangs up after some bytes."""

    def answer(request):
        request.send_response(200)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content[:after])
        request.wfile.flush()
        request.close_connection = True

    return answer


def sends_the_rest(content):
    def answer(request):
        start = int(request.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        request.send_response(206)
        request.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        request.send_header("Content-Length", str(len(content) - start))
        request.end_headers()
        request.wfile.write(content[start:])

    return answer


def moved(status, where):
    def answer(request):
        request.send_response(status)
        request.send_header("Location", where)
        request.send_header("Content-Length", "0")
        request.end_headers()

    return answer


@pytest.fixture
def chess(server, monkeypatch):
    """The server with one small data set, and no pause between the tries."""
    monkeypatch.setattr(download, "PAUSE", 0.01)
    monkeypatch.setattr(download, "PIECE", 20)
    server.register("chess_Leiden2015", {"c.zip": WHOLE}, **SMALL)
    return server


@pytest.mark.parametrize(
    ("answers", "ranges"),
    [
        ([fails(500)], [None, None]),
        ([fails(503), fails(502)], [None, None, None]),
        ([breaks_off(WHOLE, 0)], [None, None]),
        ([breaks_off(WHOLE, 60), sends_the_rest(WHOLE)], [None, "bytes=60-"]),
        ([breaks_off(WHOLE, 60)], [None, "bytes=60-"]),  # a server that knows no ranges
        ([breaks_off(WHOLE, 60), fails(416)], [None, "bytes=60-", None]),
        ([breaks_off(WHOLE, 60), fails(500), sends_the_rest(WHOLE)],
         [None, "bytes=60-", "bytes=60-"]),
    ],
    ids=["500", "503 and 502", "hangs up", "resumes", "no ranges", "416", "resumes after a 500"],
)  # fmt: skip
def test_a_server_that_fails_is_asked_again(answers, ranges, chess):
    chess.answers[:] = answers
    assert load("chess_Leiden2015").frame.loc["a", "c"] == 0.5
    assert chess.ranges == ranges


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([fails(500)] * 3, "c.zip of chess_Leiden2015: server-error"),
        ([breaks_off(WHOLE, 60)] * 3, "c.zip of chess_Leiden2015: unreachable"),
        ([fails(404)], "c.zip of chess_Leiden2015: server-error"),
        ([fails(403)], "c.zip of chess_Leiden2015: server-error"),
        (
            [breaks_off(WHOLE, 60), sends_the_rest(b"x" * 500)],
            "c.zip of chess_Leiden2015: wrong-checksum",
        ),
        ([moved(302, "/elsewhere.zip")], "c.zip of chess_Leiden2015: server-error"),
        ([moved(302, "/c.zip")] * 40, "c.zip of chess_Leiden2015: unreachable"),
    ],
    ids=["500", "hangs up", "404", "403", "another rest", "moved to nowhere", "moved in a circle"],
)
def test_a_server_that_goes_on_failing_leaves_nothing(answers, message, chess, tmp_path):
    chess.answers[:] = answers
    with refused(message, DataUnavailable):
        load("chess_Leiden2015")
    assert [p for p in (tmp_path / "cache").rglob("*") if p.is_file()] == []
    if "404" in message and len(answers) == 1:
        assert len(chess.asked) <= 2


def test_a_silent_server_is_asked_three_times(chess, monkeypatch):
    monkeypatch.setattr(download, "TIMEOUT", (0.3, 0.2))
    chess.answers[:] = [lambda request: time.sleep(0.5)] * 2
    assert load("chess_Leiden2015").shape == (3, 3)
    assert len(chess.asked) == 3


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_file_that_has_moved_is_followed(status, chess):
    (chess.root / "c.zip").rename(chess.root / "new.zip")
    chess.answers[:] = [moved(status, "/new.zip")]
    assert load("chess_Leiden2015").shape == (3, 3)
    assert chess.asked == ["/c.zip", "/new.zip"]


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY"])
def test_proxies_are_those_of_the_environment(variable, chess, monkeypatch):
    """The address is not a machine: only by way of the proxy, which is our server, can it answer."""
    for name in ("http_proxy", "HTTP_PROXY", "no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    address = "http://authors.invalid/"
    chess.register("chess_Leiden2015", {"c.zip": WHOLE}, url=address, **SMALL)
    monkeypatch.setenv(variable, chess.url)

    def answer(request):
        request.send_response(200)
        request.send_header("Content-Length", str(len(WHOLE)))
        request.end_headers()
        request.wfile.write(WHOLE)

    chess.answers[:] = [answer]
    assert load("chess_Leiden2015").shape == (3, 3)
    assert chess.asked == ["http://authors.invalid/c.zip"]


def test_second_file_missing_leaves_no_half_of_the_programs(server, tmp_path):
    files = {"domains/a/1.json": b"{}", "domains/a/2.json": b"{}"}
    server.register("g-index-programs", files)
    (server.root / "domains/a/2.json").unlink()
    with refused("2.json of g-index-programs: server-error", DataUnavailable):
        load("g-index-programs")
    assert tree(tmp_path / "cache") == []


def test_no_server_is_no_network(server):
    server.register("chess_Leiden2015", {"c.zip": chess_zip()}, url="http://127.0.0.1:9/", **SMALL)
    with refused("c.zip of chess_Leiden2015: unreachable", DataUnavailable):
        load("chess_Leiden2015")


@pytest.mark.parametrize("place", ["/proc/gindex_lab", "file"])
def test_cache_that_cannot_be_written_is_named(place, server, tmp_path, monkeypatch):
    if place == "file":
        (tmp_path / "file").write_text("not a folder")
        place = str(tmp_path / "file")
    elif not Path("/proc/self").exists():
        pytest.skip("needs a folder that nobody can write to")
    monkeypatch.setenv("GINDEX_LAB_CACHE", place)
    server.register("chess_Leiden2015", {"c.zip": chess_zip()}, **SMALL)
    with refused("GINDEX_LAB_CACHE: cache-not-writable", DataUnavailable):
        load("chess_Leiden2015")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("gvgia", r"did you mean 'gvgai'"),
        ("ALE", r"did you mean 'ale'"),
        ("chess_2005", r"did you mean .*chess_"),
        ("chess", r"did you mean 'chess_(Reykjavik2005|Leiden2015)' or 'chess_"),
        ("g-index", r"did you mean .*g-index-"),
        ("qwertyuiop", r"gl\.datasets\(\) lists"),
        ("", r"gl\.datasets"),
        (None, r"gl\.datasets"),
        (7, r"gl\.datasets"),
        ("../mazes", r"did you mean 'mazes'"),
    ],
)
@pytest.mark.parametrize("function", [load, where, fingerprint, corrections])
def test_unknown_name_suggests_near_ones(function, name, hint):
    with refused("name: not-a-data-set") as caught:
        function(name)
    assert re.search(hint, caught.value.remedy)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("mazes", {}, "name: not-downloaded"),
        ("mazes", {"download": False}, "name: not-downloaded"),
        ("gvgai_grouped5", {}, "name: not-downloaded"),
        ("herrmann", {}, "name: not-downloadable"),
        ("aiq_published", {}, "name: not-downloadable"),
        ("odour_span", {}, "name: not-downloadable"),
        ("object_recognition", {}, "name: not-downloadable"),
        ("orangutans", {}, "name: not-downloadable"),
    ],
)
def test_absent_data_say_what_to_do(name, options, message):
    with refused(message, DataUnavailable):
        load(name, **options)


def test_fetch_of_what_cannot_be_fetched_is_an_error():
    with refused("name: not-downloadable", DataUnavailable):
        fetch("orangutans")
    with refused("name: not-a-data-set"):
        fetch(["ale", "no such set"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: load("demo", mode="fast"), "mode: not-an-option"),
        (lambda: load_or("demo", ours, data="mine"), "data: not-an-option"),
        (lambda: load_or("demo", lambda: Responses([[1]])), "stand_in: no-source"),
        (lambda: load_or("demo", lambda: None), "stand_in: no-source"),
    ],
)
def test_bad_option_is_named(call, message):
    with refused(message):
        call()


def test_published_data_can_be_insisted_on():
    with refused("name: not-downloaded", DataUnavailable):
        load_or("mazes", ours, data="published")


def test_data_folder_that_is_none_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("GINDEX_LAB_DATA", str(tmp_path / "nowhere"))
    with refused("GINDEX_LAB_DATA: not-a-folder"):
        load("demo")


def spoil_missing(part):
    return lambda folder: (folder / f"{part}.csv").unlink()


def spoil_text(part, old, new):
    def spoil(folder):
        path = folder / f"{part}.csv"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return spoil


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (spoil_missing("responses"), "demo: no-file"),
        (spoil_missing("items"), "demo: no-file"),
        (spoil_missing("agents"), "demo: no-file"),
        (
            spoil_text("responses", "\nagent b", "\nagent c"),
            "demo/agents.csv: not-described",
        ),
        (spoil_text("items", "\ni24", "\ni99"), "demo/items.csv: not-described"),
        (spoil_text("items", "\ni24", "\ni77,2,m,D\ni24"), "demo/items.csv: not-described"),
        (
            spoil_text("responses", ",i24", ""),
            "path: uneven-rows",
        ),
        (spoil_text("responses", "agent,", "who,"), "demo/responses.csv: no-column"),
        (
            spoil_text("responses", "agent a,1", "agent a,2"),
            "frame['agent a', 'i01']: out-of-range",
        ),
        (
            spoil_text("responses", "agent a,1", "agent a,yes"),
            "frame['agent a', 'i01']: not-a-number",
        ),
        (
            spoil_text("responses", "agent b,1", "agent a,1"),
            "demo/agents.csv: not-described",
        ),
        (spoil_text("items", "difficulty", "hardness"), "demo/items.csv: no-column"),
        (spoil_text("items", ",task,", ",job,"), "demo/items.csv: no-column"),
        (spoil_text("items", "i01,0,", "i01,,"), "difficulty: missing"),
    ],
)
def test_spoilt_folder_is_named(spoil, message, folder):
    write_demo(folder)
    assert load("demo").shape == (2, 24)
    spoil(folder / "demo")
    with refused(message):
        load("demo")


def test_fewer_people_than_published_is_named(folder):
    write_demo(folder)
    for part in ("responses", "agents"):
        path = folder / "demo" / f"{part}.csv"
        path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
    with refused("demo: wrong-shape"):
        load("demo")


def test_altered_score_is_neither_right_nor_wrong(folder):
    write_atari(folder)
    path = folder / "ale" / "responses.csv"
    table = pd.read_csv(path, index_col=0)
    for cell in corrections("ale").itertuples():
        table.loc[cell.agent, cell.item] = cell.source
    table.loc["APE-X", "Bowling"] = 5.5
    table.to_csv(path)
    with refused("ale['APE-X', 'Bowling']: other-value"):
        load("ale")


@pytest.mark.parametrize(
    ("name", "files", "message"),
    [
        ("g-index-programs", {}, "g-index-programs: no-document"),
        ("g-index-programs", {"http/a.json": "{"}, "http/a.json: not-json"),
        (
            "g-index-experiments",
            {"a.json": b"\xff\xfe"},
            "g-index-experiments/a.json: wrong-encoding",
        ),
        ("aiq_published", {"a.csv": ""}, "aiq_published/a.csv: empty"),
        ("aiq_published", {"a.csv": b"\xff\xfe,"}, "aiq_published/a.csv: wrong-encoding"),
    ],
)
def test_bad_document_is_named(name, files, message, folder):
    (folder / name).mkdir()
    for path, content in files.items():
        target = folder / name / path
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    with refused(message):
        load(name)


def test_unknown_document_lists_the_known(folder):
    (folder / "g-index-experiments").mkdir()
    (folder / "g-index-experiments" / "one.json").write_text(json.dumps({"a": 1}))
    found = load("g-index-experiments")
    assert found["one"] == {"a": 1}
    assert "two" not in found
    with refused("name: not-an-option"):
        found["two"]


def test_without_the_repository_the_register_is_missed(tmp_path, monkeypatch):
    monkeypatch.setattr(places, "PROJECT_DATA", tmp_path)
    with refused("registry: not-found", DataUnavailable):
        load("demo")


def test_damaged_register_is_named(tmp_path, monkeypatch):
    (tmp_path / "registry.toml").write_text("[datasets")
    monkeypatch.setattr(places, "PROJECT_DATA", tmp_path)
    with refused("registry: not-toml"):
        datasets()


def test_importing_and_looking_stays_light():
    code = (
        "import sys, gindex_lab.studies.data.loading as d; d.datasets(); d.fingerprint('ale');"
        "heavy = {'pooch', 'rdata', 'requests', 'scipy', 'matplotlib'} & set(sys.modules);"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"GINDEX_LAB_DATA": ""},
    )
    assert done.returncode == 0, done.stderr
