"""Exits are true, Ctrl-C ends a command once, and no terminal is too plain for the output."""

import os
import signal
import subprocess
import sys
import time
from functools import partial

import psutil
import pytest

from gindex_lab.foundation.interrupts import quiet_start

RUN = [sys.executable, "-m", "gindex_lab"]


_RARE = [pytest.param(name, marks=pytest.mark.slow) for name in ("latin-1", "utf-8", "cp437")]


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", *_RARE])
def test_output_survives_any_encoding(encoding, tmp_path):
    table = tmp_path / "scores.csv"
    table.write_text("agent,i,j,k\nγ-net,1,0,1\nbøb,0,0,1\n雪,1,1,1\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    command = [*RUN, "analyse", str(table), "--ci", "0"]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    assert ("γ-net" if encoding == "utf-8" else "-net") in done.stdout.decode(encoding)


def test_a_reader_that_leaves_is_not_success():
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*RUN, "claims", "--all"], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert done.returncode == 141
    assert b"Traceback" not in done.stderr


def test_another_broken_pipe_is_not_taken_for_a_reader_that_left(monkeypatch):
    from gindex_lab.press import cli

    def broken(_):
        raise BrokenPipeError

    monkeypatch.setitem(cli._RUNS, "claims", broken)
    with pytest.raises(BrokenPipeError):
        cli.main(["claims"])


STUBBORN = """
import signal, subprocess, sys, time
from gindex_lab.foundation.interrupts import ends_once
signal.signal(signal.SIGINT, signal.default_int_handler)
with ends_once():
    child = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        print(child.pid, flush=True)
        time.sleep(60)
    finally:
        time.sleep(60)
"""


def ended(process):
    try:
        return psutil.Process(process).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_a_clean_up_that_hangs_is_ended_with_its_children():
    running = subprocess.Popen([sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE, text=True)
    child = int(running.stdout.readline())
    began = time.monotonic()
    for _ in range(3):
        running.send_signal(signal.SIGINT)
        time.sleep(0.1)
    assert running.wait(20) == 130
    assert time.monotonic() - began < 15  # 4 s, and what a busy machine adds
    while not ended(child) and time.monotonic() - began < 20:
        time.sleep(0.1)
    assert ended(child)


LOADING = """
import os, runpy, signal, sys
class Interrupts:
    def find_spec(self, name, *_):
        if name == "gindex_lab.press.cli":
            os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupts())
sys.argv = ["gindex-lab", "claims"]
runpy.run_module("gindex_lab", run_name="__main__")
"""


def test_ctrl_c_while_the_package_is_loaded_is_130_too():
    done = subprocess.run([sys.executable, "-c", LOADING], capture_output=True, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (130, False)


def test_ctrl_c_ends_the_benchmarks_without_a_traceback(tmp_path):
    command = [sys.executable, "-m", "benchmarks", "tasks", "--reports", str(tmp_path)]
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a shell's background ignores it
    pipe = subprocess.PIPE
    running = subprocess.Popen(command, stdout=pipe, stderr=pipe, start_new_session=True, preexec_fn=heard)
    assert running.stdout.read(5) == b"tasks"
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=30)
    assert (running.returncode, b"Traceback" in said) == (130, False)


def test_a_command_in_a_deleted_folder_ends_with_one_line(tmp_path):
    script = 'cd "$1"; rmdir "$1"; shift; exec "$@"'
    for command in (["reproduce"], ["analyse", "/no.csv", "--out", "r.html"]):
        place = tmp_path / command[0]
        place.mkdir()
        run = ["sh", "-c", script, "sh", str(place), *RUN, *command]
        done = subprocess.run(run, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


def test_a_process_that_is_starting_does_not_hear_ctrl_c_and_shows_no_traceback():
    """Ctrl-C in a terminal reaches the whole group: workers that were still importing wrote theirs."""
    code = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"
    run = [sys.executable, "-c", code]
    with quiet_start():
        inside = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    outside = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert (inside.strip(), outside.strip()) == ("True", "False")
