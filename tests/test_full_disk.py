"""A disk of one megabyte that is nearly full: every writer ends with one error of ours, leaves nothing half-written, and
loses nothing that was there."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gindex_lab as gl
from gindex_lab.press.cli import main
from gindex_lab.press.reproduction import reproduce as pipeline
from gindex_lab.press.reproduction.reproduce import reproduce
from gindex_lab.press.reproduction.runs import Failure

sys.path.insert(0, str(Path(__file__).parent))
from refusals import refused
from small_projects import RICH, catalogue, cell, write_notebook


@pytest.fixture
def disk(tmp_path):
    """A file system of its own, of one megabyte, with a thesis on it."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    made = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)],
        capture_output=True,
        check=False,
    )
    if not made or made.returncode:
        pytest.skip("no small disk can be mounted here")
    (place / "thesis.tex").write_text("ten years")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(disk, room):
    """Leave so many bytes."""
    free = shutil.disk_usage(disk).free
    (disk / "filler.bin").write_bytes(b"x" * max(0, free - room))


def everything(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


TABLE = gl.Responses(np.tril(np.ones((60, 80))), difficulty=np.arange(80.0))
FLOWS = [
    gl.Flow([{"id": f"{k}{i}", "type": f"t{i % (k + 2)}", "wires": [[]]} for i in range(4)])
    for k in range(200)
]


def fill_journal(disk):
    sample = gl.aiq.sample(40, seed=1)
    gl.aiq.estimate("random", sample, episode=20, runs=40, seed=1, log=disk / "runs.log")


WRITERS = {
    "save": lambda disk: TABLE.save(disk / "study"),
    "pairwise": lambda disk: gl.pairwise(FLOWS, out=disk / "matrix.npy"),
    "journal": fill_journal,
    "anytime": lambda disk: gl.anytime.test(
        "random",
        seconds=0.05,
        pool=gl.anytime.make_pool(30, seed=1),
        path=disk / "state.json",
        seed=1,
    ),
    "flow": lambda disk: gl.Flow(
        [{"id": str(i), "type": "t" * 90, "wires": [[]]} for i in range(300)]
    ).to_json(disk / "flow.json"),
    "picture": lambda disk: gl.flatland.save_png(np.eye(128), disk / "a.png"),
    "drawn": lambda disk: gl.aiq.save_sample(gl.aiq.sample(2000, seed=1), disk / "sample.txt"),
}


@pytest.mark.parametrize("room", [0, 8192])
@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_ends_a_writer_with_one_error_and_loses_nothing(disk, name, room):
    fill(disk, room)
    before = everything(disk)
    try:
        WRITERS[name](disk)
        said = ""
    except gl.CannotWrite as error:
        said = str(error)
    left = everything(disk)
    assert {file: left.get(file) for file in before} == before
    assert "free some space" in said or (room and not said)  # what fits may be written
    if said and name != "journal":
        assert left == before


@pytest.mark.parametrize("name", ["save", "flow", "picture"])
def test_what_was_written_before_stays_when_the_disk_is_full(disk, name):
    WRITERS[name](disk)
    fill(disk, 0)
    before = everything(disk)
    with pytest.raises(gl.CannotWrite):
        WRITERS[name](disk)
    assert everything(disk) == before


def table(folder):
    random = np.random.default_rng(1)
    frame = pd.DataFrame((random.random((6, 40)) < 0.6).astype(int), [f"agent {k}" for k in range(6)])
    frame.columns = [f"item {k}" for k in range(40)]
    frame.to_csv(folder / "scores.csv", index_label="agent")
    return folder / "scores.csv"


@pytest.mark.parametrize("command", ["analyse", "docs"])
def test_a_full_disk_ends_a_command_with_one_line(disk, tmp_path, command, capsys):
    fill(disk, 16384)
    before = everything(disk)
    arguments = {
        "analyse": ["analyse", str(table(tmp_path)), "--out", str(disk / "report.html")],
        "docs": ["docs", "--out", str(disk / "pages")],
    }[command]
    assert main(arguments) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert "free some space" in said[-1]
    assert not any("Traceback" in line for line in said)
    assert everything(disk) == before


@pytest.mark.slow
def test_a_full_disk_ends_reproduce_and_the_next_run_is_whole(disk, tmp_path, capsys):
    catalogue(tmp_path, "demo/one")
    write_notebook(tmp_path, "demo/one", cell("work", RICH))
    fill(disk, 20_000)
    before = everything(disk)
    with refused("reports: disk-full", gl.CannotWrite):
        reproduce(root=tmp_path, reports=disk / "reports")
    left = everything(disk)
    assert {name: left.get(name) for name in before} == before
    (disk / "filler.bin").unlink()
    assert reproduce(root=tmp_path, reports=disk / "reports") == 0
    assert (disk / "reports" / "demo" / "one" / "tables" / "numbers.csv").is_file()
    assert (disk / "thesis.tex").read_text() == "ten years"


@pytest.mark.parametrize(
    "said", [f"OSError: [Errno 28] {os.strerror(errno.ENOSPC)}", "the kernel could not start"]
)
def test_after_the_disk_is_full_no_further_notebook_is_started(tmp_path, monkeypatch, said):
    """Room for the line about a failure was enough for every notebook to be tried."""
    monkeypatch.setattr(pipeline, "_free", lambda _: 0 if "kernel" in said else 10**9)
    started = []

    def finished(tasks, _jobs, _cache):
        for task in tasks:
            started.append(task.entry.path)
            yield task, Failure(task.entry.path, said)

    catalogue(tmp_path, "demo/one", "demo/two")
    for name in ("demo/one", "demo/two"):
        write_notebook(tmp_path, name, cell("work", RICH))
    monkeypatch.setattr(pipeline, "_finished", finished)
    with refused("reports: disk-full", gl.CannotWrite) as caught:
        reproduce(root=tmp_path, reports=tmp_path / "reports")
    assert caught.value.argument == "reports"
    assert len(started) == 1
