"""All pairs into a file: the same numbers, whatever interrupted them; other files are left alone."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from refusals import refused

import gindex_lab as gl
from gindex_lab.measures.programs import tiles
from gindex_lab.measures.programs.comparison import Uncertified


@pytest.fixture(scope="module")
def flows():
    return [gl.Flow(task.program) for task in gl.corpus(4, seed=1)]


def stop_after(count, monkeypatch):
    """The run is interrupted when `count` tiles are written."""
    put, written = tiles._File.put, []

    def counting(self, tiles, place, values):
        if len(written) == count:
            raise KeyboardInterrupt
        written.append(place)
        put(self, tiles, place, values)

    monkeypatch.setattr(tiles._File, "put", counting)
    return written


@pytest.mark.parametrize("mode", ["exact", "reference"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_file_holds_what_pairwise_gives_in_memory(flows, mode, jobs, tmp_path):
    found = gl.pairwise(flows, mode, out=tmp_path / "delta.npy", jobs=jobs)
    assert isinstance(found, np.memmap)
    assert np.array_equal(found, gl.pairwise(flows, mode))
    assert np.array_equal(gl.pairwise(flows, mode, jobs=2), found)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["delta.npy", "delta.npy.journal"]


def test_single_precision_halves_the_file(flows, tmp_path):
    found = gl.pairwise(flows, out=tmp_path / "delta.npy", dtype="float32")
    assert np.array_equal(found, gl.pairwise(flows).astype(np.float32))
    assert (tmp_path / "delta.npy").stat().st_size == 128 + 4 * len(flows) ** 2
    assert gl.pairwise(flows, dtype="float32").dtype == np.float32


def test_an_interrupted_run_goes_on_and_ends_with_the_same_bytes(flows, tmp_path, monkeypatch):
    gl.pairwise(flows, out=tmp_path / "whole.npy")
    with monkeypatch.context() as patched:
        stop_after(10, patched)
        with pytest.raises(KeyboardInterrupt):
            gl.pairwise(flows, out=tmp_path / "delta.npy")
    assert not (tmp_path / "delta.npy").exists()
    with monkeypatch.context() as patched:
        written = stop_after(None, patched)
        gl.pairwise(flows, out=tmp_path / "delta.npy")
    assert len(written) == 36 - 10
    assert (tmp_path / "delta.npy").read_bytes() == (tmp_path / "whole.npy").read_bytes()


def test_a_file_that_appears_meanwhile_is_not_replaced(flows, tmp_path, monkeypatch):
    out, put = tmp_path / "delta.npy", tiles._File.put
    monkeypatch.setattr(tiles._File, "put", lambda *given: (put(*given), out.write_text("thesis")))
    with refused("out: not-ours"):
        gl.pairwise(flows[:9], out=out)
    monkeypatch.undo()
    assert out.read_text() == "thesis"
    out.unlink()
    assert np.array_equal(gl.pairwise(flows[:9], out=out), gl.pairwise(flows[:9]))


def test_a_finished_file_is_not_computed_again(flows, tmp_path, monkeypatch):
    first = gl.pairwise(flows, out=tmp_path / "delta.npy")
    stop_after(0, monkeypatch)
    assert np.array_equal(gl.pairwise(flows, out=tmp_path / "delta.npy"), first)


@pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")
def test_a_killed_process_loses_only_what_was_under_way(flows, tmp_path):
    script = tmp_path / "run.py"
    script.write_text(
        "import sys, time, gindex_lab as gl\n"
        "from gindex_lab.measures.programs import tiles\n"
        "put = tiles._File.put\n"
        "tiles._File.put = lambda *given: (put(*given), time.sleep(0.1))\n"
        "flows = [gl.Flow(task.program) for task in gl.corpus(4, seed=1)]\n"
        "gl.pairwise(flows, out=sys.argv[1])\n"
    )
    out, journal = tmp_path / "delta.npy", tmp_path / "delta.npy.journal"
    running = subprocess.Popen([sys.executable, str(script), str(out)])
    while not (journal.exists() and len(journal.read_text().splitlines()) > 5):
        assert running.poll() is None
        time.sleep(0.02)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    done = len(journal.read_text().splitlines()) - 1
    assert 5 <= done < 36
    gl.pairwise(flows, out=out)
    gl.pairwise(flows, out=tmp_path / "whole.npy")
    assert len(journal.read_text().splitlines()) == 37
    assert out.read_bytes() == (tmp_path / "whole.npy").read_bytes()


TWICE = """
import os, sys, numpy as np, gindex_lab as gl
flows = [gl.Flow(task.program) for task in gl.corpus(4, seed=1)]
expected = gl.pairwise(flows)
print("ready", flush=True)
sys.stdin.readline()
try:
    print("right" if np.array_equal(gl.pairwise(flows, out=sys.argv[1]), expected) else "wrong")
except gl.GIndexLabError as error:
    print("refused" if "another process" in str(error) else error)
"""


@pytest.mark.slow
def test_of_two_processes_with_one_file_one_is_refused_and_the_other_right(tmp_path):
    """One of them ended raw, without the file that the other had just finished."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    for k in range(3):
        command = [sys.executable, "-c", TWICE, str(tmp_path / f"{k}.npy")]
        both = [subprocess.Popen(command, **pipes) for _ in range(2)]
        assert [one.stdout.readline() for one in both] == ["ready\n"] * 2
        for one in both:
            one.stdin.write("go\n")
            one.stdin.flush()
        said = sorted(one.communicate(timeout=60)[0] for one in both)
        assert said in (["refused\n", "right\n"], ["right\n", "right\n"])


def test_a_line_cut_off_by_a_kill_does_not_count(flows, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        stop_after(3, patched)
        with pytest.raises(KeyboardInterrupt):
            gl.pairwise(flows, out=tmp_path / "delta.npy")
    journal = tmp_path / "delta.npy.journal"
    journal.write_text(journal.read_text()[:-9])
    written = stop_after(None, monkeypatch)
    found = gl.pairwise(flows, out=tmp_path / "delta.npy")
    assert len(written) == 36 - 2
    assert np.array_equal(found, gl.pairwise(flows))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda f, out: gl.pairwise(f[1:], out=out),
            "out: other-computation",
        ),
        (lambda f, out: gl.pairwise(f[::-1], out=out), "out: other-computation"),
        (
            lambda f, out: gl.pairwise(f, "reference", out=out),
            "out: other-computation",
        ),
        (
            lambda f, out: gl.pairwise(f, out=out, dtype="float32"),
            "out: other-computation",
        ),
        (lambda f, out: gl.pairwise(f, out=out, dtype="float16"), "dtype: not-an-option"),
        (
            lambda f, out: gl.pairwise(dict(zip("ab", f, strict=False)), out=out),
            "out: no-names",
        ),
    ],
)
def test_another_computation_does_not_touch_the_file(flows, call, message, tmp_path):
    out = tmp_path / "delta.npy"
    gl.pairwise(flows, out=out)
    before = out.read_bytes()
    with refused(message):
        call(flows, out)
    assert out.read_bytes() == before


def test_a_foreign_or_damaged_file_is_refused(flows, tmp_path):
    out = tmp_path / "delta.npy"
    np.save(out, np.zeros((64, 64)))
    with refused("out: not-ours"):
        gl.pairwise(flows, out=out)
    out.unlink()
    gl.pairwise(flows, out=out)
    os.truncate(out, 1_000)
    with refused("out: damaged"):
        gl.pairwise(flows, out=out)
    np.save(out, np.zeros((3, 3)))
    with refused("out: wrong-shape"):
        gl.pairwise(flows, out=out)
    (tmp_path / "delta.npy.journal").write_text("not ours\n")
    with refused("out: not-a-journal"):
        gl.pairwise(flows, out=out)


def test_a_journal_whose_numbers_are_gone_is_begun_anew(flows, tmp_path):
    out = tmp_path / "delta.npy"
    gl.pairwise(flows, out=out)
    out.unlink()
    assert np.array_equal(gl.pairwise(flows[:9], out=out), gl.pairwise(flows[:9]))


def test_pairs_that_stay_open_are_told_after_a_restart_too(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    hard = [
        gl.Flow(
            [
                {
                    "id": f"{i}",
                    "type": "t",
                    "wires": [[f"{j}" for j in range(14) if rng.random() < 0.3 and j != i]],
                }
                for i in range(14)
            ]
        )
        for _ in range(3)
    ]
    monkeypatch.setattr("gindex_lab.measures.programs.comparison.EFFORT_IN_BATCH", 1)
    monkeypatch.setattr("gindex_lab.measures.programs.comparison.EFFORT", 1)
    monkeypatch.setattr("gindex_lab.measures.programs.divergence._CHUNK", 1)
    for _ in range(2):
        with pytest.warns(Uncertified):
            found = gl.pairwise(hard, out=tmp_path / "delta.npy")
    assert np.array_equal(found, gl.compare(hard).values)
    lines = (tmp_path / "delta.npy.journal").read_text().splitlines()[1:]
    assert {tuple(pair[:2]) for line in lines for pair in json.loads(line.partition("\t")[0])["open"]} == set(
        gl.compare(hard).intervals
    )
